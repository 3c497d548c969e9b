//! Programs in which several threads begin with the same function and argument.
//!
//! Most of what they do does not tell one from another; some of it does: tickets, handles, addresses of their own
//! variables, what they return, work between joins. An exploration that takes threads for interchangeable has to notice
//! that.

use super::{AFTER_THREADS, BEFORE_THREADS, HEAD, ThreadProgram};
use crate::random::Random;

/// What a thread may do that is the same to whoever does it.
const ALIKE: [&str; 22] = [
    "x++;",
    "r += x++ & 3;",
    "{ int v = x; x = v + 1; }",
    "{ int v = x; if (v == 1) y += 2; }",
    "pthread_mutex_lock(&m); under_m = under_m * 2 + 1; pthread_mutex_unlock(&m);",
    "pthread_mutex_lock(&m); under_m++; x++; pthread_mutex_unlock(&m);",
    "pthread_mutex_lock(&m); pthread_mutex_lock(&n); under_n += under_m++; pthread_mutex_unlock(&n); pthread_mutex_unlock(&m);",
    "pthread_mutex_lock(&n); if (x & 1) { pthread_mutex_unlock(&n); } else { y++; pthread_mutex_unlock(&n); }",
    "if (pthread_mutex_trylock(&m) == 0) { under_m += 3; pthread_mutex_unlock(&m); } else r++;",
    "sem_wait(&semaphore); y = y * 2 + 1; sem_post(&semaphore);",
    "own_counter++; r += own_counter;",
    "{ int local[4] = {1, 2, 3, 4}; int *p = local + (y & 3); r += *p; }",
    "{ int *block = malloc(8); block[0] = x; r += block[0]; free(block); }",
    "{ int *block = malloc(8); block[1] = y; if (block[1]) { int *more = malloc(4); *more = 1; r += *more; free(more); } free(block); }",
    "for (int i = 0; i < 2; i++) x += i;",
    "atomic_fetch_add_explicit(&y, 1, memory_order_relaxed);",
    "if (atomic_load_explicit(&x, memory_order_acquire) > 1) r += 2;",
    "pthread_mutex_lock(&m); ready++; pthread_cond_signal(&condition); pthread_mutex_unlock(&m);",
    "pthread_mutex_lock(&m); ready++; if (ready < 2) pthread_cond_wait(&condition, &m); else pthread_cond_broadcast(&condition); pthread_mutex_unlock(&m);",
    "pthread_rwlock_rdlock(&gate); r += under_n; pthread_rwlock_unlock(&gate);",
    "pthread_once(&once, initialise);",
    "part[7] = 3;",
];

/// What tells threads apart, or may.
const APART: [&str; 14] = [
    "{ int ticket = x++; part[ticket % 6]++; if (ticket == 0) r += 5; }",
    "{ int mine = 4; box = &mine; x++; int *seen = box; if (seen == &mine) r++; }",
    "{ int *block = malloc(4); *block = 6; int *old = atomic_exchange(&box, block); if (old == block) r += 7; }",
    "if (pthread_equal(pthread_self(), first)) y += 3;",
    "{ _Thread_local static int tag; if (where == 0) where = (size_t)&tag; else if (where != (size_t)&tag) r += 2; }",
    "{ int *block = malloc(4); if (marked == 0) marked = (size_t)block; r += marked == (size_t)block; free(block); }",
    "value = (void *)(long)(x++ & 1);",
    "value = (void *)(long)(y & 3);",
    "if (gettid() == 0) r++;",
    "pthread_mutex_lock(&checked); if (pthread_mutex_trylock(&checked) == 0) r++; under_n++; pthread_mutex_unlock(&checked);",
    "{ pthread_mutex_t mine = PTHREAD_MUTEX_INITIALIZER; pthread_mutex_lock(&mine); x++; pthread_mutex_unlock(&mine); }",
    "if (x == 2) pthread_exit((void *)2);",
    "pthread_setspecific(key, &part[x & 1]); y++; r += pthread_getspecific(key) == &part[1];",
    "{ size_t bits = (size_t)&r >> 4; if (bits == 0) y++; }",
];

/// What the first thread may do between its joins, or before them.
const OF_MAIN: [&str; 9] = [
    "x++;",
    "sum = sum * 3 + x;",
    "pthread_mutex_lock(&m); sum += under_m; pthread_mutex_unlock(&m);",
    "sem_post(&semaphore);",
    "sum = sum * 2 + 1;",
    "{ int *block = malloc(4); *block = 2; sum += *block; free(block); }",
    "if (y == 1) exit(3);",
    "y = 1;",
    "pthread_mutex_lock(&m); ready = 7; pthread_cond_broadcast(&condition); pthread_mutex_unlock(&m);",
];

const STATE: &str = r"
static _Atomic(size_t) where, marked;
static pthread_t first;
static pthread_key_t key;
static pthread_mutex_t checked = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
";

/// The program of a seed.
pub fn random_equal_program(seed: u64) -> ThreadProgram {
    let mut random = Random::new(seed);
    let mut program = ThreadProgram { lines: Vec::new() };
    program.fixed(HEAD);
    program.fixed(STATE);
    let functions = if random.one_in(4) { 2 } else { 1 };
    let has_barrier = random.one_in(6);
    let threads = if functions == 2 || random.one_in(2) { 2 } else { 3 };
    for function in 0..functions {
        program.fixed(&format!("\nstatic void *work{function}(void *argument) {{"));
        program.fixed("    unsigned r = 0;\n    void *value = argument;");
        for number in 0..1 + random.below(3) {
            let action = match random.one_in(5) {
                true => APART[random.below(APART.len() as u64) as usize],
                false => ALIKE[random.below(ALIKE.len() as u64) as usize],
            };
            program.optional(&format!("    {action}"));
            if has_barrier && number == 0 {
                program.fixed("    if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD) r++;");
            }
        }
        program.fixed("    pthread_mutex_lock(&n);\n    results[0] = results[0] * 3 + (r & 7);");
        program.fixed("    pthread_mutex_unlock(&n);\n    return value;\n}");
    }
    program.main_of_equal(&mut random, functions, threads);
    program
}

impl ThreadProgram {
    fn main_of_equal(&mut self, random: &mut Random, functions: u64, threads: u64) {
        self.fixed("\nint main(void) {\n    pthread_t ids[6];\n    void *value = 0;");
        self.fixed("    int lent[12] = {0};\n    unsigned sum = 0;");
        self.fixed(BEFORE_THREADS.trim_end());
        self.fixed("    pthread_key_create(&key, 0);");
        let all = functions * threads;
        self.fixed(&format!("    pthread_barrier_init(&barrier, 0, {all});"));
        for thread in 0..all {
            let function = thread / threads;
            self.fixed(&format!("    pthread_create(&ids[{thread}], 0, work{function}, 0);"));
            if thread == 0 && random.one_in(4) {
                self.optional("    first = ids[0];");
            }
            if random.one_in(8) {
                self.optional(&format!("    {}", OF_MAIN[random.below(OF_MAIN.len() as u64) as usize]));
            }
        }
        if random.one_in(3) {
            self.optional(&format!("    {}", OF_MAIN[random.below(OF_MAIN.len() as u64) as usize]));
        }
        let asks = random.one_in(3);
        let mut order: Vec<u64> = (0..all).collect();
        if random.one_in(4) {
            order.reverse();
        }
        for thread in order {
            match (asks, random.one_in(20)) {
                (_, true) => self.fixed(&format!("    pthread_detach(ids[{thread}]);")),
                (true, _) => {
                    self.fixed(&format!("    pthread_join(ids[{thread}], &value);"));
                    self.optional("    sum = sum * 2 + (unsigned)(long)value;");
                }
                (false, _) => self.fixed(&format!("    pthread_join(ids[{thread}], 0);")),
            }
            if random.one_in(8) {
                self.optional(&format!("    {}", OF_MAIN[random.below(OF_MAIN.len() as u64) as usize]));
            }
        }
        self.fixed("    sum += x + 2 * y;");
        self.fixed(AFTER_THREADS.trim_end());
    }
}
