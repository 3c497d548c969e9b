//! Random C programs with threads, for comparing ways to explore them with each other, and with an emulator.
//!
//! They share memory in the ways that programs do: parts of an array, tables that are filled before threads begin,
//! blocks that go from hand to hand, locals of whoever created a thread, counters under locks. Most accesses are
//! ordered; a few are not. What a run computed ends in its exit status, which is never 0: so all outcomes are faults,
//! and one search that keeps going tells them all.
//!
//! A program is a list of lines, most of which can be left out without making it another language's: that is how one
//! is made small.

mod actions;
mod equal;
mod functions;

pub use equal::random_equal_program;

use crate::random::Random;
use std::fmt::Write as _;

/// A program, line by line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThreadProgram {
    lines: Vec<Line>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Line {
    text: String,
    /// Whether the rest is a program without it.
    is_optional: bool,
}

/// The faults that a program can have besides its exit statuses. Everything else in it is defined.
pub const FAULTS: [&str; 4] = ["data-race", "deadlock", "double-free", "use-after-free"];

/// Programs are compiled with this macro where they run on a machine with time: there, threads wait here and there, so
/// that not all runs are alike.
pub const EMULATED: &str = "EMULATED";

const HEAD: &str = r"#define _GNU_SOURCE
#include <alloca.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#ifdef EMULATED
static void dawdle(void) {
    static _Thread_local unsigned state;
    struct timespec now;
    if (state == 0) {
        clock_gettime(CLOCK_MONOTONIC, &now);
        state = (unsigned)now.tv_nsec ^ (unsigned)getpid() * 2654435761u ^ (unsigned)(size_t)&now;
    }
    state = state * 1664525u + 1013904223u;
    for (volatile unsigned i = state >> 8 & (state >> 30 ? 255 : 16383); i > 0; i--) {}
}
#else
#define dawdle() ((void)0)
#endif

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

struct job {
    int number;
    int *lent;
    pthread_mutex_t own;
};

struct triple {
    int first;
    char second;
    long third[2];
};

static atomic_int x, y, handled;
static int part[24], table[8], under_m, under_n, ready;
static unsigned results[3];
static _Thread_local int own_counter;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t gate = PTHREAD_RWLOCK_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_barrier_t barrier;
static sem_t semaphore, never;
static _Atomic(int *) box;
static _Atomic(struct job *) hand;

static void *helper(void *cell) {
    ++*(int *)cell;
    return 0;
}

static void handle(int signal) { handled += signal == SIGUSR1 ? 1 : 2; }

static void initialise(void) { ++part[23]; }

static void clean(void *cell) { *(int *)cell += 2; }

static void *cancelled(void *cell) {
    pthread_cleanup_push(clean, cell);
    sem_wait(&never);
    pthread_cleanup_pop(0);
    return 0;
}

static unsigned sum_of(int count, ...) {
    va_list rest;
    unsigned sum = 0;
    va_start(rest, count);
    for (int i = 0; i < count; i++) sum = sum * 3 + va_arg(rest, int);
    va_end(rest);
    return sum;
}

static struct triple turned(struct triple given, int by) {
    struct triple result = {given.second + by, given.first & 63, {given.third[1], given.third[0]}};
    return result;
}
";

const BEFORE_THREADS: &str = r"    sem_init(&semaphore, 0, 1);
    sem_init(&never, 0, 0);
    signal(SIGUSR1, handle);
    for (int i = 0; i < 8; i++) table[i] = i * i;
";

const AFTER_THREADS: &str = r"    for (int i = 0; i < 24; i++) sum += part[i] * (i + 1);
    for (int i = 0; i < 3; i++) sum = sum * 5 + results[i];
    sum += lent[1] + 2 * lent[5] + under_m * 3 + under_n + handled + ready;
    return 1 + (sum ^ sum >> 5) % 32;
}
";

/// The program of a seed.
pub fn random_program(seed: u64) -> ThreadProgram {
    let mut random = Random::new(seed);
    let threads = if random.one_in(5) { 3 } else { 2 };
    let mut program = ThreadProgram { lines: Vec::new() };
    program.fixed(HEAD);
    // A function is worth many actions.
    let functions = if random.one_in(2) { 1 + random.below(3) } else { 0 };
    for number in 0..functions {
        functions::write(&mut program, &mut random, number);
    }
    let has_barrier = random.one_in(6);
    let actions = if functions > 0 || threads == 3 { 2 } else { 4 };
    for thread in 0..threads {
        program.fixed(&format!("\nstatic void *work{thread}(void *argument) {{"));
        program.fixed("    struct job *job = argument;\n    unsigned r = 0;");
        let count = 1 + random.below(actions);
        let called = random.below(count);
        for number in 0..count {
            if functions > 0 && number == called && !random.one_in(4) {
                program.optional(&format!("    r = r * 3 + {};", functions::call(&mut random, functions)));
            } else {
                program.optional(&format!("    {}", actions::of_thread(&mut random, thread, threads)));
            }
            program.optional("    dawdle();");
            if has_barrier && number == 0 {
                program.fixed("    if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD) r++;");
            }
        }
        program.fixed(&format!("    results[{thread}] = r;\n    return job ? 0 : &part;\n}}"));
    }
    program.main(&mut random, threads, functions);
    program
}

impl ThreadProgram {
    fn fixed(&mut self, text: &str) {
        self.lines.push(Line { text: text.to_owned(), is_optional: false });
    }

    fn optional(&mut self, text: &str) {
        self.lines.push(Line { text: text.to_owned(), is_optional: true });
    }

    fn main(&mut self, random: &mut Random, threads: u64, functions: u64) {
        self.fixed("\nint main(void) {\n    pthread_t ids[3];\n    struct job *jobs[3];");
        self.fixed("    int lent[12] = {0};\n    unsigned sum = 0;");
        self.fixed(BEFORE_THREADS.trim_end());
        self.fixed(&format!("    pthread_barrier_init(&barrier, 0, {threads});"));
        if functions > 0 && random.one_in(2) {
            self.optional(&format!("    sum += {};", functions::call(random, functions)));
        }
        for thread in 0..threads {
            if random.one_in(4) {
                self.optional(&format!("    {}", actions::of_main(random, thread, threads)));
            }
            self.fixed(&format!("    jobs[{thread}] = malloc(sizeof(struct job));"));
            self.fixed(&format!(
                "    jobs[{thread}]->number = {thread};\n    jobs[{thread}]->lent = lent + {};",
                4 * thread
            ));
            self.fixed(&format!("    pthread_mutex_init(&jobs[{thread}]->own, 0);"));
            self.fixed(&format!("    pthread_create(&ids[{thread}], 0, work{thread}, jobs[{thread}]);"));
        }
        for thread in 0..threads {
            if random.one_in(5) {
                self.optional(&format!("    {}", actions::of_main(random, thread, threads)));
            }
            self.fixed(&format!("    pthread_join(ids[{thread}], 0);"));
            if random.one_in(2) {
                let part = 8 * thread + random.below(8);
                self.optional(&format!("    sum = sum * 3 + part[{part}] + lent[{}];", 4 * thread));
            }
        }
        if functions > 0 && random.one_in(2) {
            self.optional(&format!("    sum += {};", functions::call(random, functions)));
        }
        self.fixed(AFTER_THREADS.trim_end());
    }

    /// The source.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for line in &self.lines {
            let _ = writeln!(text, "{}", line.text);
        }
        text
    }

    /// Whether its runs are those of a machine without atomic sections, which no emulator has.
    pub fn can_be_emulated(&self) -> bool {
        !self.lines.iter().any(|line| line.is_optional && line.text.contains("__VERIFIER_atomic"))
    }

    /// The program without about a third of the lines that can be left out; none if there are none.
    pub fn thinned(&self, seed: u64) -> Option<ThreadProgram> {
        let mut random = Random::new(seed);
        let lines: Vec<Line> =
            self.lines.iter().filter(|line| !line.is_optional || !random.one_in(3)).cloned().collect();
        let is_smaller = lines.len() < self.lines.len();
        is_smaller.then_some(ThreadProgram { lines })
    }

    /// The program without as many lines as possible that still is as the caller wants it.
    pub fn shrunk(&self, mut is_wanted: impl FnMut(&ThreadProgram) -> bool) -> ThreadProgram {
        let mut smallest = self.clone();
        let mut at = smallest.lines.len();
        while at > 0 {
            at -= 1;
            if !smallest.lines[at].is_optional {
                continue;
            }
            let mut smaller = smallest.clone();
            smaller.lines.remove(at);
            if is_wanted(&smaller) {
                smallest = smaller;
            }
        }
        smallest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_is_a_program() {
        assert_eq!(random_program(7), random_program(7));
        assert_eq!(random_equal_program(7), random_equal_program(7));
        assert_ne!(random_equal_program(7), random_equal_program(8));
        let programs: std::collections::BTreeSet<String> = (0..50).map(|seed| random_program(seed).text()).collect();
        assert_eq!(programs.len(), 50);
    }

    #[test]
    fn what_is_wanted_stays() {
        let program = random_program(3);
        let kept = program.lines.iter().filter(|line| line.is_optional).nth(1).expect("an optional line").text.clone();
        let shrunk = program.shrunk(|smaller| smaller.text().contains(&kept));
        let optional: Vec<&Line> = shrunk.lines.iter().filter(|line| line.is_optional).collect();
        assert!(!optional.is_empty() && optional.iter().all(|line| line.text == kept), "{optional:?}");
    }
}
