//! Random C programs with threads, for comparing ways to explore them.
//!
//! They share memory in the ways that programs do: parts of an array, tables that are filled before threads begin,
//! blocks that go from hand to hand, locals of whoever created a thread, counters under locks. Most accesses are
//! ordered; a few are not. What a run computed ends in a number from 0 to 7, and the program's only assertion is that
//! this is not its first argument. So the eight verdicts tell which outcomes there are.

use crate::random::Random;
use std::fmt::Write as _;

/// The number of outcomes.
pub const OUTCOMES: u64 = 8;

const HEAD: &str = r"#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

struct job {
    int number;
    int *lent;
    pthread_mutex_t own;
};

static atomic_int x, y;
static int part[24], table[8], results[3], under_m, under_n;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t gate = PTHREAD_RWLOCK_INITIALIZER;
static sem_t semaphore;
static _Atomic(int *) box;
static _Atomic(struct job *) hand;

static void *helper(void *cell) {
    ++*(int *)cell;
    return 0;
}
";

/// The program of a seed.
pub fn random_program(seed: u64) -> String {
    let mut random = Random::new(seed);
    let threads = if random.one_in(4) { 3 } else { 2 };
    let mut text = HEAD.to_owned();
    for thread in 0..threads {
        let _ = writeln!(text, "\nstatic void *work{thread}(void *argument) {{");
        text.push_str("    struct job *job = argument;\n    int r = 0;\n");
        for _ in 0..2 + random.below(if threads == 2 { 4 } else { 2 }) {
            let _ = writeln!(text, "    {}", action(&mut random, thread, threads));
        }
        let _ = writeln!(text, "    results[{thread}] = r;\n    return 0;\n}}");
    }
    text.push_str("\nint main(int count, char **arguments) {\n    pthread_t ids[3];\n    struct job *jobs[3];\n");
    text.push_str("    int lent[12] = {0}, sum = 0;\n    sem_init(&semaphore, 0, 1);\n");
    text.push_str("    for (int i = 0; i < 8; i++) table[i] = i * i;\n");
    for thread in 0..threads {
        if random.one_in(4) {
            let _ = writeln!(text, "    {}", mains_action(&mut random, thread, threads));
        }
        let _ = writeln!(text, "    jobs[{thread}] = malloc(sizeof(struct job));");
        let _ =
            writeln!(text, "    jobs[{thread}]->number = {thread};\n    jobs[{thread}]->lent = lent + {};", 4 * thread);
        let _ = writeln!(text, "    pthread_mutex_init(&jobs[{thread}]->own, 0);");
        let _ = writeln!(text, "    pthread_create(&ids[{thread}], 0, work{thread}, jobs[{thread}]);");
    }
    for thread in 0..threads {
        if random.one_in(5) {
            let _ = writeln!(text, "    {}", mains_action(&mut random, thread, threads));
        }
        let _ = writeln!(text, "    pthread_join(ids[{thread}], 0);");
        if random.one_in(2) {
            let _ =
                writeln!(text, "    sum = sum * 3 + part[{}] + lent[{}];", 8 * thread + random.below(8), 4 * thread);
        }
    }
    text.push_str("    for (int i = 0; i < 24; i++) sum += part[i] * (i + 1);\n");
    text.push_str("    for (int i = 0; i < 3; i++) sum = sum * 5 + results[i];\n");
    text.push_str("    sum += lent[1] + 2 * lent[5] + under_m * 3 + under_n;\n");
    text.push_str("    assert(count < 2 || (sum & 7) != arguments[1][0] - '0');\n    return 0;\n}\n");
    text
}

/// What main does while some threads run.
fn mains_action(random: &mut Random, thread: u64, threads: u64) -> String {
    let cell = random.below(24);
    match random.below(6) {
        // The part of a thread that may not have begun, or may have ended, or neither.
        0 => format!("part[{}] += 2;", 8 * thread + random.below(8)),
        1 => format!("sum += table[{}];", random.below(8)),
        2 => format!("pthread_mutex_lock(&m); sum += under_m; part[{cell}]++; pthread_mutex_unlock(&m);"),
        3 => format!("lent[{}]++;", 4 * thread + 3),
        4 => format!("y = {};", 1 + random.below(threads)),
        _ => "if (pthread_mutex_trylock(&n) == 0) { sum++; pthread_mutex_unlock(&n); }".to_owned(),
    }
}

/// What a thread does.
fn action(random: &mut Random, thread: u64, threads: u64) -> String {
    let own = 8 * thread + random.below(8);
    let others = 8 * random.below(threads) + random.below(8);
    let flag = if random.one_in(2) { "x" } else { "y" };
    let number = 1 + random.below(3);
    match random.below(22) {
        0 | 1 => format!("part[{own}] += {number};"),
        2 => format!("r = r * 3 + part[{own}];"),
        3 => format!("r += table[{}];", random.below(8)),
        4 => "job->number += 2; r = r * 3 + job->number;".to_owned(),
        5 => format!("job->lent[{}] += {number};", random.below(3)),
        6 | 7 => format!("{flag} = {number};"),
        8 | 9 => format!("r = r * 3 + {flag};"),
        10 => format!("{flag} ^= {number};"),
        11 => format!("pthread_mutex_lock(&m); under_m += {number}; {flag} = {number}; pthread_mutex_unlock(&m);"),
        12 => {
            format!("pthread_mutex_lock(&m); part[{others}]++; r = r * 3 + (under_m & 3); pthread_mutex_unlock(&m);")
        }
        13 => {
            "pthread_mutex_lock(&n); under_n = under_n * 2 + 1; r += under_n & 3; pthread_mutex_unlock(&n);".to_owned()
        }
        14 => format!(
            "if (pthread_mutex_trylock(&m) == 0) {{ {flag} = {number}; pthread_mutex_unlock(&m); }} else r = r * 3 + 2;"
        ),
        15 => format!(
            "{{ int *cell = malloc(4); *cell = {number}; int *old = atomic_exchange(&box, cell); if (old) {{ r = r * 3 + *old; free(old); }} }}"
        ),
        16 => "{ int *cell = atomic_exchange(&box, 0); if (cell) { r = r * 3 + *cell; free(cell); } }".to_owned(),
        17 => format!(
            "{{ struct job *other = atomic_exchange(&hand, job); if (other) {{ r = r * 3 + other->number; other->number = {number}; }} }}"
        ),
        18 => format!("pthread_rwlock_rdlock(&gate); r = r * 3 + (part[{own}] & 1); pthread_rwlock_unlock(&gate);"),
        19 => format!("__VERIFIER_atomic_begin(); {flag} = {number}; part[{own}] += {flag}; __VERIFIER_atomic_end();"),
        20 => format!(
            "{{ pthread_t id; pthread_create(&id, 0, helper, &part[{own}]); r += {flag}; pthread_join(id, 0); }}"
        ),
        _ if random.one_in(2) => format!("r += part[{others}];"),
        _ => format!(
            "pthread_mutex_lock(&job->own); {flag} = {number}; pthread_mutex_unlock(&job->own); if (job->number > 6) free(job);"
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_is_a_program() {
        assert_eq!(random_program(7), random_program(7));
        let programs: std::collections::BTreeSet<String> = (0..50).map(random_program).collect();
        assert_eq!(programs.len(), 50);
    }
}
