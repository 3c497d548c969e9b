//! What threads do that others can notice, each in one line of C.

use crate::random::Random;

/// What main does while some threads run.
pub fn of_main(random: &mut Random, thread: u64, threads: u64) -> String {
    let cell = random.below(24);
    match random.below(8) {
        // The part of a thread that may not have begun, or may have ended, or neither.
        0 => format!("part[{}] += 2;", 8 * thread + random.below(8)),
        1 => format!("sum += table[{}];", random.below(8)),
        2 => format!("pthread_mutex_lock(&m); sum += under_m; part[{cell}]++; pthread_mutex_unlock(&m);"),
        3 => format!("lent[{}]++;", 4 * thread + 3),
        4 => format!("y = {};", 1 + random.below(threads)),
        5 => "sem_post(&semaphore);".to_owned(),
        6 => "pthread_mutex_lock(&m); ready = 1; pthread_cond_broadcast(&condition); pthread_mutex_unlock(&m);"
            .to_owned(),
        _ => "if (pthread_mutex_trylock(&n) == 0) { sum++; pthread_mutex_unlock(&n); }".to_owned(),
    }
}

/// What a thread does.
pub fn of_thread(random: &mut Random, thread: u64, threads: u64) -> String {
    let own = 8 * thread + random.below(8);
    let flag = if random.one_in(2) { "x" } else { "y" };
    let number = 1 + random.below(3);
    match random.below(7) {
        0 | 1 => on_memory(random, (thread, threads)),
        2 => on_locks(random, (thread, threads)),
        3 => with_other_means(random, own),
        4 => match random.below(3) {
            0 => format!("{flag} = {number};"),
            1 => format!("r = r * 3 + {flag};"),
            _ => format!("{flag} ^= {number};"),
        },
        5 => in_tries(random),
        _ => on_atomics(random, own),
    }
}

fn on_memory(random: &mut Random, (thread, threads): (u64, u64)) -> String {
    let own = 8 * thread + random.below(8);
    let others = 8 * random.below(threads) + random.below(8);
    let flag = if random.one_in(2) { "x" } else { "y" };
    let number = 1 + random.below(3);
    match random.below(8) {
        0 => format!("part[{own}] += {number};"),
        1 => format!("r = r * 3 + part[{own}];"),
        2 => format!("r += table[{}];", random.below(8)),
        3 => "job->number += 2; r = r * 3 + job->number;".to_owned(),
        4 => format!("job->lent[{}] += {number};", random.below(3)),
        5 => format!(
            "{{ struct job *other = atomic_exchange(&hand, job); if (other) {{ r = r * 3 + other->number; other->number = {number}; }} }}"
        ),
        6 => format!("own_counter += {number}; r += own_counter; {flag} = own_counter;"),
        _ if random.one_in(3) => format!("r += part[{others}];"),
        _ => format!(
            "pthread_mutex_lock(&job->own); {flag} = {number}; pthread_mutex_unlock(&job->own); if (job->number > 6) {{ free(job); job = calloc(1, sizeof *job); job->lent = &part[{own}]; }}"
        ),
    }
}

fn on_atomics(random: &mut Random, own: u64) -> String {
    let flag = if random.one_in(2) { "x" } else { "y" };
    let number = 1 + random.below(3);
    match random.below(7) {
        0 => format!(
            "{{ int *cell = malloc(4); *cell = {number}; int *old = atomic_exchange(&box, cell); if (old) {{ r = r * 3 + *old; free(old); }} }}"
        ),
        1 => "{ int *cell = atomic_exchange(&box, 0); if (cell) { r = r * 3 + *cell; free(cell); } }".to_owned(),
        2 => format!(
            "{{ int was = {}; if (atomic_compare_exchange_weak(&{flag}, &was, {number})) r++; else r = r * 3 + was; }}",
            random.below(2)
        ),
        3 => format!(
            "{{ int was = {}; if (atomic_compare_exchange_strong(&{flag}, &was, {number})) r += 2; else r = r * 3 + was; }}",
            random.below(2)
        ),
        4 => format!("__VERIFIER_atomic_begin(); {flag} = {number}; part[{own}] += {flag}; __VERIFIER_atomic_end();"),
        5 => format!("r = r * 3 + atomic_fetch_add(&{flag}, {number});"),
        _ => format!("if ({flag} == {number}) _exit({});", 40 + number),
    }
}

/// A loop that tries a number of times, which matters in some of them.
fn in_tries(random: &mut Random) -> String {
    let (flag, other) = if random.one_in(2) { ("x", "y") } else { ("y", "x") };
    let (number, tries) = (1 + random.below(3), 2 + random.below(3));
    match random.below(9) {
        0 => format!("for (int i = 0; i < {tries}; i++) if ({flag} == {number}) {{ r = r * 3 + 1; break; }}"),
        1 => format!(
            "{{ int left = {tries}; while (left-- > 0) {{ int seen = {flag}; if (seen == {other} + {number}) {{ r += seen; break; }} }} }}"
        ),
        2 => format!(
            "{{ unsigned left = {tries}; while (left--) {{ int was = {number}; if (atomic_compare_exchange_weak(&{flag}, &was, {number} + 1)) {{ r++; break; }} }} }}"
        ),
        3 => format!("{{ int i; for (i = 0; i < {tries}; i++) if ({flag}) break; r = r * 3 + i; }}"),
        4 => format!(
            "for (int i = 0; i < {tries}; i++) if (pthread_mutex_trylock(&m) == 0) {{ under_m++; pthread_mutex_unlock(&m); break; }}"
        ),
        5 => format!("for (int i = 0; i < {tries}; i++) if (sem_trywait(&semaphore) == 0) {{ r = r * 3 + 1; break; }}"),
        6 => format!("for (int i = 0; i < {tries}; i++) {{ if ({flag} == {number}) {other} ^= 1; }}"),
        7 => format!(
            "{{ int last = 0; for (long i = {tries}; i != 0; --i) {{ last = {flag}; if (last == {number}) break; }} r = r * 3 + last; }}"
        ),
        _ => format!(
            "{{ int seen = 0; for (unsigned char i = 0; i < {tries}; i++) {{ pthread_mutex_lock(&m); seen += under_m & 1; pthread_mutex_unlock(&m); }} r += seen; }}"
        ),
    }
}

fn on_locks(random: &mut Random, (thread, threads): (u64, u64)) -> String {
    let own = 8 * thread + random.below(8);
    let others = 8 * random.below(threads) + random.below(8);
    let flag = if random.one_in(2) { "x" } else { "y" };
    let number = 1 + random.below(3);
    match random.below(13) {
        0 => format!("pthread_mutex_lock(&m); under_m += {number}; {flag} = {number}; pthread_mutex_unlock(&m);"),
        1 => format!("pthread_mutex_lock(&m); part[{others}]++; r = r * 3 + (under_m & 3); pthread_mutex_unlock(&m);"),
        2 => "pthread_mutex_lock(&n); under_n = under_n * 2 + 1; r += under_n & 3; pthread_mutex_unlock(&n);".to_owned(),
        3 => format!(
            "if (pthread_mutex_trylock(&m) == 0) {{ {flag} = {number}; pthread_mutex_unlock(&m); }} else r = r * 3 + 2;"
        ),
        4 => format!("pthread_rwlock_rdlock(&gate); r = r * 3 + (part[{own}] & 1); pthread_rwlock_unlock(&gate);"),
        5 => format!("pthread_rwlock_wrlock(&gate); {flag} += {number}; pthread_rwlock_unlock(&gate);"),
        6 => "if (pthread_rwlock_trywrlock(&gate) == 0) { r++; pthread_rwlock_unlock(&gate); } else r = r * 3 + 1;".to_owned(),
        7 => "if (pthread_rwlock_tryrdlock(&gate) == 0) { r += 2; pthread_rwlock_unlock(&gate); }".to_owned(),
        8 => format!("sem_wait(&semaphore); {flag} = {number}; sem_post(&semaphore);"),
        9 => "if (sem_trywait(&semaphore) == 0) r = r * 3 + 1;".to_owned(),
        10 => "pthread_mutex_lock(&m); ready = 1; pthread_cond_signal(&condition); pthread_mutex_unlock(&m);".to_owned(),
        11 => "{ struct timespec past = {0, 0}; pthread_mutex_lock(&m); if (!ready) r += pthread_cond_timedwait(&condition, &m, &past) == 0 ? 1 : 2; r = r * 3 + ready; pthread_mutex_unlock(&m); }".to_owned(),
        _ => "pthread_mutex_lock(&m); while (!ready) pthread_cond_wait(&condition, &m); r++; pthread_mutex_unlock(&m);".to_owned(),
    }
}

fn with_other_means(random: &mut Random, own: u64) -> String {
    let flag = if random.one_in(2) { "x" } else { "y" };
    match random.below(7) {
        0 => format!("{{ pthread_t id; pthread_create(&id, 0, helper, &part[{own}]); r += {flag}; pthread_join(id, 0); }}"),
        1 => format!(
            "{{ pthread_t id; void *end; pthread_create(&id, 0, cancelled, &part[{own}]); pthread_cancel(id); pthread_join(id, &end); r += end == PTHREAD_CANCELED; }}"
        ),
        2 => "raise(SIGUSR1); r = r * 3 + handled;".to_owned(),
        3 => format!(
            "{{ sigset_t set; sigemptyset(&set); sigaddset(&set, SIGUSR1); pthread_sigmask(SIG_BLOCK, &set, 0); raise(SIGUSR1); r += {flag}; pthread_sigmask(SIG_UNBLOCK, &set, 0); r = r * 3 + handled; }}"
        ),
        4 => "{ struct timespec now, later; clock_gettime(CLOCK_MONOTONIC, &later); later.tv_sec += 1000; clock_gettime(CLOCK_MONOTONIC, &now); if (now.tv_sec > later.tv_sec) r++; }".to_owned(),
        5 => "pthread_once(&once, initialise);".to_owned(),
        _ => format!("{{ jmp_buf place; volatile int times = 0; if (setjmp(place) < 2) {{ times = times + 1; {flag} = times; longjmp(place, times); }} r += times; }}"),
    }
}
