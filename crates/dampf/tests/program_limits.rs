//! Limits of time and memory hold for programs, whatever these do.

mod running;

use running::Playground;
use running::program::has_compiler;
use serde_json::Value;
use std::time::{Duration, Instant};

/// What programs do that never end, again and again.
const BODIES: [(&str, &str); 15] = [
    ("nothing", ";"),
    ("a barrier", "__asm__ volatile(\"\" ::: \"memory\");"),
    ("yielding", "sched_yield();"),
    ("a block", "free(malloc(8));"),
    ("a leak", "*(int *)malloc(100) = 1;"),
    ("a clock", "clock_gettime(CLOCK_MONOTONIC, &(struct timespec){0});"),
    ("printing", "puts(\"still here\");"),
    ("counting", "++*counter;"),
    ("an array", "array[++*counter % 100000] = *counter;"),
    ("pages", "munmap(mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 8192);"),
    ("a lock", "pthread_mutex_lock(&lock); pthread_mutex_unlock(&lock);"),
    ("numbers", "*number = *number * 1.1 + 1;"),
    ("sleeping", "usleep(1);"),
    ("chance", "rand();"),
    ("a jump", "if (setjmp(place) == 0) longjmp(place, 1);"),
];

/// Where they do it: what stands for `BODY` is the loop.
const PLACES: [(&str, &str); 4] = [
    ("main", "int main(void) { BODY }"),
    ("a constructor", "__attribute__((constructor)) static void begin(void) { BODY }\nint main(void) { return 0; }"),
    ("a handler at the end", "static void end(void) { BODY }\nint main(void) { atexit(end); return 0; }"),
    (
        "two threads",
        "static void *run(void *argument) { BODY return argument; }\n\
         int main(void) {\n\
         pthread_t threads[2];\n\
         for (int at = 0; at < 2; ++at) pthread_create(&threads[at], 0, run, 0);\n\
         for (int at = 0; at < 2; ++at) pthread_join(threads[at], 0);\n\
         return 0;\n\
         }",
    ),
];

const PRELUDE: &str = "#define _GNU_SOURCE\n\
                       #include <pthread.h>\n\
                       #include <sched.h>\n\
                       #include <setjmp.h>\n\
                       #include <stdio.h>\n\
                       #include <stdlib.h>\n\
                       #include <sys/mman.h>\n\
                       #include <time.h>\n\
                       #include <unistd.h>\n\
                       static __thread unsigned long counters[2];\n\
                       static __thread double numbers[2];\n\
                       static __thread jmp_buf place;\n\
                       static __thread unsigned long array[100000];\n\
                       static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;\n";

/// Programs that never end have a limit of time, and end soon behind it. A few are run; `DAMPF_ENDLESS=60` runs all.
#[test]
fn limits_of_time_hold_for_programs_that_never_end() {
    const LIMIT: Duration = Duration::from_secs(5);
    const LATENESS_MAX: Duration = Duration::from_secs(2);
    if !has_compiler() {
        println!("skipped: there is no cross compiler (scripts/setup installs it)");
        return;
    }
    let asked = std::env::var("DAMPF_ENDLESS").ok().and_then(|count| count.parse::<usize>().ok());
    let (count, limit, lateness_max) = match asked {
        Some(count) => (count, LIMIT, LATENESS_MAX),
        // Many other tests run at the same time.
        None => (4, Duration::from_secs(1), Duration::from_secs(20)),
    };
    let playground = Playground::new();
    let programs = BODIES.iter().flat_map(|body| PLACES.iter().map(move |place| (body, place)));
    let all = BODIES.len() * PLACES.len();
    // Neighbours differ in both.
    let mut late = Vec::new();
    let chosen = programs.enumerate().filter(|(number, _)| number * 7 % all < count);
    for (_, (&(doing, body), &(place, text))) in chosen {
        let body = format!("unsigned long *counter = counters; double *number = numbers; for (;;) {{ {body} }}");
        let uses = "(void)counters, (void)numbers, (void)place, (void)array, (void)lock;";
        let program = format!("{PRELUDE}{}\nvoid use(void) {{ {uses} }}\n", text.replace("BODY", &body));
        playground.write("endless.c", program.as_bytes());
        // The time of the compiler does not count.
        assert_eq!(playground.dampf(&["cc", "-w", "endless.c", "-o", "endless"]).status, 0, "{doing} in {place}");
        let seconds = limit.as_secs().to_string();
        let start = Instant::now();
        let finished = playground.dampf(&["check", "endless", "--max-time", &seconds, "--max-memory", "2G"]);
        let took = start.elapsed();
        println!("{:5.2} s, exit status {}: {doing} in {place}", took.as_secs_f64(), finished.status);
        assert!([0, 3].contains(&finished.status), "{doing} in {place}: {finished:?}");
        if took >= limit + lateness_max {
            late.push(format!("{doing} in {place} after {took:?}"));
        }
    }
    assert!(late.is_empty(), "{late:?}");
}

/// Writes so many megabytes, every line another one.
const WRITE: &str = "#include <stdlib.h>\n\
                     static void write_much(void) {\n\
                     for (unsigned block = 0; block < 100; block++) {\n\
                     char *memory = malloc(10 << 20);\n\
                     for (unsigned at = 0; at < 10 << 20; at += 64) *(unsigned *)(memory + at) = at + block;\n\
                     }\n\
                     }\n";

#[test]
fn what_one_step_writes_counts_as_memory() {
    const LIMIT: u64 = 160 << 20;
    if !has_compiler() {
        println!("skipped: there is no cross compiler (scripts/setup installs it)");
        return;
    }
    let playground = Playground::new();
    let in_main = "int main(void) { write_much(); return 0; }\n";
    let before_main = "__attribute__((constructor)) static void begin(void) { write_much(); }\n\
                       int main(void) { return 0; }\n";
    for (name, rest) in [("main.c", in_main), ("constructor.c", before_main)] {
        playground.write(name, format!("{WRITE}{rest}").as_bytes());
        let finished = playground.dampf(&["check", name, "--max-memory", "160M", "--max-time", "120", "--json", "-"]);
        assert_eq!(finished.status, 3, "{name}: {finished:?}");
        let summary: Value = serde_json::from_str(&finished.stdout).unwrap();
        assert_eq!(summary["reason"], "the memory limit of 160 MiB was reached", "{name}");
        let peak = summary["peak_rss_bytes"].as_u64().unwrap();
        assert!(peak < 2 * LIMIT, "{name}: {} MiB", peak >> 20);
    }
}
