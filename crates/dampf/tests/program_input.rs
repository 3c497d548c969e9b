//! The built command on programs that are damaged, foreign, missing or beyond what can be checked: it says so, and
//! ends.

mod running;

use running::program::{has_compiler, is_installed};
use running::{Finished, Playground};
use serde_json::Value;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A folder to work in, where there is a compiler.
fn workshop() -> Option<Playground> {
    if has_compiler() {
        return Some(Playground::new());
    }
    println!("skipped: there is no cross compiler (scripts/setup installs it)");
    None
}

/// Runs the cross compiler itself.
fn cross(playground: &Playground, tool: &str, arguments: &[&str]) {
    let mut command = Command::new(format!("riscv64-linux-gnu-{tool}"));
    let status = command.args(arguments).current_dir(playground.path(".")).status();
    assert!(status.expect("the cross compiler runs").success(), "{tool} {arguments:?}");
}

/// Writes a source and checks it; its name says the language.
fn check(playground: &Playground, name: &str, source: &str, options: &[&str]) -> Finished {
    playground.write(name, source.as_bytes());
    playground.dampf(&[&["check", name], options].concat())
}

/// Checks a source and reads the summary.
fn summary(playground: &Playground, name: &str, source: &str, options: &[&str]) -> Value {
    let finished = check(playground, name, source, &[options, &["--json", "-"]].concat());
    serde_json::from_str(&finished.stdout).unwrap_or_else(|error| panic!("{error}: {finished:?}"))
}

#[track_caller]
fn verified(playground: &Playground, name: &str, source: &str) {
    let finished = check(playground, name, source, &[]);
    assert_eq!(finished.status, 0, "{finished:?}");
}

const ECHO: &str = "#include <stdio.h>\n\
                    int main(int argc, char **argv) {\n\
                    for (int i = 1; i < argc; i++) puts(argv[i]);\n\
                    return argc - 1;\n\
                    }\n";

/// Two threads that take two locks in opposite orders.
const OPPOSITE_LOCKS: &str = r#"#include <pthread.h>
pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER, right = PTHREAD_MUTEX_INITIALIZER;
void *other(void *unused) {
    pthread_mutex_lock(&right);
    pthread_mutex_lock(&left);
    pthread_mutex_unlock(&left);
    pthread_mutex_unlock(&right);
    return unused;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, other, 0);
    pthread_mutex_lock(&left);
    pthread_mutex_lock(&right);
    pthread_mutex_unlock(&right);
    pthread_mutex_unlock(&left);
    return pthread_join(thread, 0);
}
"#;

/// Fails in its own function, for some argument only if it is told to.
const ASSERTION: &str = r#"#include <assert.h>
#include <stdlib.h>
int count;
void grow(int limit) {
    count++;
    assert(count < limit);
}
int main(int argc, char **argv) {
    grow(argc > 1 ? atoi(argv[1]) : LIMIT);
}
"#;

#[test]
fn an_executable_that_is_cut_short_is_refused() {
    let Some(playground) = workshop() else { return };
    playground.write("echo.c", ECHO.as_bytes());
    assert_eq!(playground.dampf(&["cc", "echo.c", "-o", "echo"]).status, 0);
    let whole = std::fs::read(playground.path("echo")).unwrap();
    for length in [4, 40, 63, 64, 100, 300, 5_000, whole.len() / 2] {
        playground.write("cut", &whole[..length]);
        playground.refused(&["check", "cut"], "`cut` cannot be checked: the file is truncated: it ends within ");
    }
    // The section headers stand at the end, and say where the names are: without them the file must not pass for a
    // stripped one.
    let section_headers = u64::from_le_bytes(whole[40..48].try_into().unwrap()) as usize;
    for length in [section_headers, section_headers + 100, whole.len() - 64, whole.len() - 1] {
        playground.write("cut", &whole[..length]);
        for command in ["check", "simulate", "info"] {
            playground.refused(&[command, "cut"], "the file is truncated: it ends within the section headers");
        }
    }
    playground.write("cut", &whole[..3]);
    playground.refused(&["check", "cut"], "not an ELF executable");
    playground.write("cut", b"");
    for command in ["check", "simulate", "info"] {
        playground.refused(&[command, "cut"], "an empty file");
    }
}

#[test]
fn an_executable_with_wrong_bytes_never_breaks_the_checker() {
    let Some(playground) = workshop() else { return };
    playground.write("locks.c", OPPOSITE_LOCKS.as_bytes());
    assert_eq!(playground.dampf(&["cc", "locks.c", "-o", "locks"]).status, 0);
    let whole = std::fs::read(playground.path("locks")).unwrap();
    let mut random = 1_u64;
    let mut below = |limit: usize| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) as usize % limit
    };
    for round in 0..30 {
        let mut damaged = whole.clone();
        // By turns anywhere, in the headers, and in the debug information at the end.
        let (start, length) = match round % 3 {
            0 => (0, whole.len()),
            1 => (0, 1024),
            _ => (whole.len() * 3 / 4, whole.len() / 4),
        };
        for _ in 0..20 {
            damaged[start + below(length)] = below(256) as u8;
        }
        playground.write("damaged", &damaged);
        let finished = playground.dampf(&["check", "damaged", "--max-time", "2", "--max-memory", "1G"]);
        assert!((0..=3).contains(&finished.status), "round {round}: {finished:?}");
        assert!(!finished.stderr.contains("panicked"), "round {round}: {finished:?}");
    }
}

#[test]
fn files_that_are_no_static_riscv_program_are_told_apart() {
    let Some(playground) = workshop() else { return };
    playground.write("echo.c", ECHO.as_bytes());
    cross(&playground, "gcc", &["echo.c", "-o", "dynamic"]);
    playground.refused(&["check", "dynamic"], "dynamically linked");
    playground.refused(&["check", "dynamic"], "-static");
    assert_eq!(playground.dampf(&["cc", "-c", "echo.c"]).status, 0);
    playground.refused(&["check", "echo.o"], "object file");
    cross(&playground, "gcc", &["-shared", "-fPIC", "echo.c", "-o", "libecho.so"]);
    playground.refused(&["check", "libecho.so"], "shared library");
    cross(&playground, "gcc", &["-static", "-s", "echo.c", "-o", "stripped"]);
    playground.refused(&["check", "stripped"], "stripped");
    playground.write("start.c", b"void _start(void) { for (;;); }\n");
    cross(&playground, "gcc", &["-static", "-nostdlib", "start.c", "-o", "start"]);
    playground.refused(&["check", "start"], "no function `main`");
    playground.write("notes", b"remember the milk\n");
    playground.refused(&["check", "notes"], "not an ELF executable");
    if cfg!(all(target_os = "linux", not(target_arch = "riscv64"))) {
        let own = std::env::current_exe().unwrap().display().to_string();
        playground.refused(&["check", &own], "the program is compiled for");
        playground.refused(&["simulate", "--quiet", &own], "the program is compiled for");
        playground.refused(&["info", &own], "the program is compiled for");
    }
}

#[test]
fn a_program_that_was_compiled_elsewhere_is_checked_all_the_same() {
    let Some(playground) = workshop() else { return };
    playground.write("echo.c", ECHO.as_bytes());
    for flags in [&["-static"][..], &["-static", "-g"], &["-static", "-O2"]] {
        cross(&playground, "gcc", &[flags, &["echo.c", "-o", "plain"]].concat());
        assert_eq!(playground.dampf(&["check", "plain"]).status, 0);
    }
    assert!(playground.dampf(&["info", "plain"]).stdout.contains("dampf cc"));
    // The name says nothing about an executable; its first bytes do.
    std::fs::rename(playground.path("plain"), playground.path("plain.exe")).unwrap();
    assert_eq!(playground.dampf(&["check", "plain.exe"]).status, 0);
}

#[test]
fn inputs_that_are_not_there_are_named() {
    let playground = Playground::new();
    playground.refused(&["check", "missing.c"], "cannot read `missing.c`");
    playground.refused(&["check", "missing.cpp"], "cannot read `missing.cpp`");
    for command in ["check", "simulate", "info"] {
        playground.refused(&[command, "missing"], "cannot read `missing`: No such file");
        playground.refused(&[command, "missing.txt"], "cannot read `missing.txt`: No such file");
    }
    playground.refused(&["check", "."], "directory");
    std::fs::create_dir(playground.path("folder.c")).unwrap();
    playground.refused(&["check", "folder.c"], "`folder.c` is a directory, not a source");
    std::os::unix::net::UnixListener::bind(playground.path("socket.c")).unwrap();
    playground.refused(&["check", "socket.c"], "`socket.c` is no file that can be read more than once");
}

/// What a refusal says may follow what the compiler said.
trait RefusedSomehow {
    fn refused_somehow(&self, arguments: &[&str], complaint: &str);
}

impl RefusedSomehow for Playground {
    #[track_caller]
    fn refused_somehow(&self, arguments: &[&str], complaint: &str) {
        let finished = self.dampf(arguments);
        assert_eq!((finished.status, finished.stdout.as_str()), (2, ""), "{finished:?}");
        assert!(finished.stderr.lines().any(|line| line.starts_with("error: ")), "{finished:?}");
        assert!(finished.stderr.contains(complaint), "{finished:?}");
    }
}

#[test]
fn what_the_compiler_says_is_passed_on() {
    let Some(playground) = workshop() else { return };
    playground.write("broken.c", b"int main( { return 0; }\n");
    playground.refused_somehow(&["check", "broken.c"], "broken.c:1:11: error: ");
    playground.refused_somehow(&["check", "broken.c"], "error: `broken.c` was not compiled");
    playground.refused_somehow(&["simulate", "broken.c"], "broken.c:1:11: error: ");
    playground.refused_somehow(&["info", "broken.c"], "broken.c:1:11: error: ");
    let drop_in = playground.dampf(&["cc", "broken.c"]);
    assert_eq!(drop_in.status, 1, "{drop_in:?}");
    playground.write("unlinked.c", b"void absent(void); int main(void) { absent(); }\n");
    playground.refused_somehow(&["check", "unlinked.c"], "undefined reference to `absent'");
    playground.write("echo.c", ECHO.as_bytes());
    playground.refused_somehow(&["check", "echo.c", "--cflags", "-fno-such-flag"], "-fno-such-flag");
    playground.refused_somehow(&["check", "echo.c", "--cflags", "-c"], "object file");
    let warned = check(&playground, "warned.c", "int main(void) { int unused; }\n", &["--cflags", "-Wall"]);
    assert_eq!(warned.status, 0, "{warned:?}");
    assert!(warned.stderr.contains("unused") && warned.stdout.starts_with("verified"), "{warned:?}");
}

#[test]
fn a_missing_compiler_is_named() {
    let playground = Playground::new();
    playground.write("echo.c", ECHO.as_bytes());
    playground.write("echo.cc", ECHO.as_bytes());
    let run = |arguments: &[&str], variables: &[(&str, &str)]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_dampf"));
        command.args(arguments).current_dir(playground.path(".")).stdin(Stdio::null());
        let output = command.envs(variables.iter().copied()).output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let nowhere = [("PATH", "/nowhere"), ("DAMPF_CC", ""), ("DAMPF_CXX", "")];
    for (arguments, variable) in
        [(&["check", "echo.c"][..], "DAMPF_CC"), (&["check", "echo.cc"], "DAMPF_CXX"), (&["cc", "echo.c"], "DAMPF_CC")]
    {
        let (status, complaint) = run(arguments, &nowhere);
        assert_eq!(status, Some(2), "{complaint}");
        assert!(complaint.starts_with("error: no C"), "{complaint}");
        assert!(complaint.contains("apt-get install") && complaint.contains(variable), "{complaint}");
    }
    let (status, complaint) = run(&["check", "echo.c"], &[("DAMPF_CC", "/nowhere/gcc -O2")]);
    assert_eq!(status, Some(2), "{complaint}");
    assert!(complaint.contains("there is no program `/nowhere/gcc`"), "{complaint}");
    if cfg!(not(target_arch = "riscv64")) && is_installed("gcc") {
        let own_cache = playground.path("cache").display().to_string();
        for arguments in [&["check", "echo.c"][..], &["cc", "echo.c", "-o", "own"]] {
            let (status, complaint) = run(arguments, &[("DAMPF_CC", "gcc"), ("XDG_CACHE_HOME", &own_cache)]);
            assert_eq!(status, Some(2), "{complaint}");
            assert!(complaint.contains("compiles for another machine, not for riscv64-linux-gnu"), "{complaint}");
            assert!(complaint.contains("DAMPF_CC=riscv64-linux-gnu-gcc for instance"), "{complaint}");
        }
    }
    if has_compiler() {
        assert_eq!(playground.dampf(&["cc", "echo.c", "-o", "echo"]).status, 0);
        let (status, complaint) = run(&["check", "echo"], &nowhere);
        assert_eq!(status, Some(0), "an executable needs no compiler: {complaint}");
    }
}

#[test]
fn what_lies_outside_of_the_machine_is_unknown_by_name() {
    let Some(playground) = workshop() else { return };
    let include = "#include <stdio.h>\n#include <sys/socket.h>\n#include <unistd.h>\n";
    for (statement, name) in [
        ("getchar();", "standard input"),
        ("fopen(\"notes\", \"r\");", "files"),
        ("fopen(\"notes\", \"w\");", "files"),
        ("socket(AF_INET, SOCK_STREAM, 0);", "sockets"),
        ("fork();", "processes"),
    ] {
        let source = format!("{include}int main(void) {{\n    {statement}\n}}\n");
        let summary = summary(&playground, "outside.c", &source, &[]);
        assert_eq!((&summary["verdict"], &summary["error"]), (&"unknown".into(), &Value::Null), "{summary}");
        let reason = summary["reason"].as_str().unwrap();
        assert!(reason.contains("not supported") && reason.contains(name), "{reason}");
        assert!(reason.contains("outside.c:5:"), "{reason}");
        let text = playground.dampf(&["check", "outside.c"]);
        assert_eq!(text.status, 3, "{text:?}");
        assert!(text.stdout.starts_with("unknown: not supported"), "{text:?}");
        let run = playground.dampf(&["simulate", "--quiet", "outside.c"]);
        assert_eq!(run.status, 3, "{run:?}");
        assert!(run.stderr.contains(name), "{run:?}");
    }
    assert!(!playground.path("notes").exists(), "nothing outside of the machine is reached");
    let stream = "#include <iostream>\nint main() { int number; std::cin >> number; }\n";
    assert_eq!(check(&playground, "stream.cc", stream, &[]).status, 3);
    // What no run comes to is no hindrance, and a fault elsewhere is found.
    verified(
        &playground,
        "never.c",
        "#include <unistd.h>\nint main(int argc, char **argv) { if (argc > 9) fork(); }\n",
    );
}

#[test]
fn memory_comes_to_an_end() {
    let Some(playground) = workshop() else { return };
    let include = "#include <assert.h>\n#include <errno.h>\n#include <stdint.h>\n#include <stdlib.h>\n";
    for body in [
        "assert(!malloc(PTRDIFF_MAX) && errno == ENOMEM);",
        "assert(!malloc(SIZE_MAX) && !calloc(SIZE_MAX / 2, 4));",
        "char *block = malloc(8); assert(!realloc(block, PTRDIFF_MAX)); free(block);",
    ] {
        verified(&playground, "memory.c", &format!("{include}int main(void) {{ {body} }}\n"));
    }
    let caught = "#include <cassert>\n#include <cstdint>\n#include <new>\n#include <vector>\n\
                  int main() {\n\
                  int caught = 0;\n\
                  volatile std::size_t size = PTRDIFF_MAX;\n\
                  try { std::vector<char> large(PTRDIFF_MAX); } catch (const std::bad_alloc&) { caught++; }\n\
                  try { new char[size]; } catch (const std::bad_alloc&) { caught++; }\n\
                  assert(caught == 2);\n\
                  }\n";
    verified(&playground, "memory.cc", caught);
    let uncaught = summary(
        &playground,
        "uncaught.cc",
        "int main() { volatile unsigned long size = ~0ul / 2; new char[size]; }\n",
        &[],
    );
    assert_eq!(uncaught["error"]["kind"], "uncaught-exception", "{uncaught}");
}

#[test]
fn a_stack_comes_to_an_end() {
    let Some(playground) = workshop() else { return };
    let source = "int depth(int level) {\n    return depth(level + 1) + 1;\n}\nint main(void) { return depth(0); }\n";
    let summary = summary(&playground, "deep.c", source, &[]);
    assert_eq!(summary["error"]["kind"], "stack-overflow", "{summary}");
    assert_eq!(summary["error"]["location"]["file"], "deep.c");
    assert!([1, 2].contains(&summary["error"]["location"]["line"].as_u64().unwrap()), "{summary}");
}

/// Programs that run for ever, and whether they have finitely many states.
const ENDLESS: [(&str, bool); 6] = [
    ("int main(void) { for (;;); }\n", true),
    ("#include <sched.h>\nint main(void) { for (;;) sched_yield(); }\n", true),
    ("#include <stdlib.h>\nint main(void) { for (;;) free(malloc(8)); }\n", true),
    (
        "#include <time.h>\nint main(void) { struct timespec now; for (;;) clock_gettime(CLOCK_MONOTONIC, &now); }\n",
        true,
    ),
    ("#include <stdio.h>\nint main(void) { for (;;) puts(\"still here\"); }\n", true),
    ("volatile unsigned long count;\nint main(void) { for (;;) count++; }\n", false),
];

#[test]
fn a_program_without_an_end_does_not_keep_the_checker_from_ending() {
    let Some(playground) = workshop() else { return };
    for (source, is_finite) in ENDLESS {
        let start = Instant::now();
        let finished = check(&playground, "endless.c", source, &["--max-time", "5"]);
        assert!(start.elapsed() < Duration::from_secs(30), "{source}: after {:?}", start.elapsed());
        if is_finite {
            assert!([0, 3].contains(&finished.status), "{source}: {finished:?}");
        } else {
            assert_eq!(finished.status, 3, "{source}: {finished:?}");
        }
    }
    let verified = check(&playground, "endless.c", ENDLESS[0].0, &["--max-time", "5"]);
    assert_eq!(verified.status, 0, "one state that leads to itself: {verified:?}");
}

#[test]
fn threads_without_an_end_do_not_keep_the_checker_from_ending() {
    let Some(playground) = workshop() else { return };
    let source = "#include <thread>\n\
                  int main() {\n\
                  std::thread one([] { for (;;) asm volatile(\"\"); });\n\
                  std::thread two([] { for (;;) asm volatile(\"\"); });\n\
                  one.join();\n\
                  }\n";
    let start = Instant::now();
    let finished = check(&playground, "endless.cc", source, &["--max-time", "5"]);
    assert!(start.elapsed() < Duration::from_secs(30), "after {:?}", start.elapsed());
    assert!([0, 3].contains(&finished.status), "{finished:?}");
}

#[test]
fn options_of_models_are_refused_for_programs() {
    let playground = Playground::new();
    playground.write("echo.c", ECHO.as_bytes());
    if has_compiler() {
        for command in ["check", "simulate", "info"] {
            for option in ["--invariant", "--goal"] {
                playground.refused(&[command, "echo.c", option, "nobody == 1"], "there is no global variable `nobody`");
            }
        }
    }
    playground.refused(&["check", "echo.c", "--buchi", "forks.dve"], "--buchi goes with DMC models");
    playground.refused(
        &["check", "echo.c", "--backend", "native"],
        "--backend goes with Promela models, DVE models and DMC models",
    );
    playground.refused(&["simulate", "echo.c", "--quiet", "--interactive"], "cannot be used with");
    playground.refused(&["simulate", "echo.c", "--quiet", "--steps", "3"], "cannot be used with");
    playground.refused(&["simulate", "echo.c", "--trail", "t.json", "--cflags", "-O2"], "cannot be used with");
    playground.refused(&["check", "echo.c", "--step", "page"], "possible values: visible, line, instruction");
    playground.refused(&["check", "echo.c", "--deterministic", "--search", "dfs"], "leave one of the two out");
    if has_compiler() {
        assert_eq!(playground.dampf(&["cc", "echo.c", "-o", "echo"]).status, 0);
        playground.refused(&["check", "echo", "-D", "N=1"], "is compiled already");
        playground.refused(&["check", "echo", "--cflags", "-O2"], "is compiled already");
    }
}

#[test]
fn options_of_programs_are_refused_for_models() {
    let playground = Playground::new();
    for command in ["check", "simulate", "info"] {
        for options in [
            &["--cflags", "-O2"][..],
            &["--step", "line"],
            &["--reduce", "races"],
            &["--spurious-wakeups"],
            &["--leaks"],
            &["--no-races"],
            &["--", "argument"],
        ] {
            playground.refused(&[&[command, "turns.dve"], options].concat(), "programs; `turns.dve` is a DVE model");
        }
    }
    playground.refused(&["simulate", "turns.dve", "--quiet"], "--quiet goes with programs");
}

#[test]
fn outputs_never_overwrite_the_program() {
    let Some(playground) = workshop() else { return };
    playground.write("echo.c", ECHO.as_bytes());
    for option in ["--json", "--trail"] {
        playground.refused(&["check", "echo.c", option, "echo.c"], "is an input or another output");
        playground.refused(&["check", "echo.c", option, "no/such/folder/out"], "cannot write");
    }
    assert_eq!(playground.read("echo.c"), ECHO);
}

#[test]
fn arguments_reach_the_program() {
    let Some(playground) = workshop() else { return };
    playground.write("echo.c", ECHO.as_bytes());
    let words = ["one", "two three", "", "--", "--json", "-x", "ünï"];
    let echoed = playground.dampf(&[&["simulate", "--quiet", "echo.c", "--"], &words[..]].concat());
    assert_eq!(echoed.stdout.lines().collect::<Vec<_>>(), words);
    assert_eq!(echoed.status, words.len() as i32, "the program's own exit status: {echoed:?}");
    assert_eq!(playground.dampf(&["cc", "echo.c", "-o", "echo"]).status, 0);
    assert_eq!(playground.dampf(&["simulate", "--quiet", "echo", "--", "again"]).stdout, "again\n");
    assert!(playground.dampf(&["info", "echo", "--", "seen"]).stdout.contains("seen"));
    playground.write("limit.c", ASSERTION.as_bytes());
    let limit = |limit: &str| playground.dampf(&["check", "limit.c", "-D", "LIMIT=9", "--", limit]).status;
    assert_eq!((limit("2"), limit("1")), (0, 1));
}

#[test]
fn the_exit_status_is_the_verdict() {
    let Some(playground) = workshop() else { return };
    let status = |source: &str, options: &[&str]| check(&playground, "program.c", source, options).status;
    let seven = "int main(void) { return 7; }\n";
    assert_eq!((status(seven, &[]), status(seven, &["--any-exit-status"])), (1, 0));
    assert_eq!(status(ASSERTION, &["-DLIMIT=1"]), 1);
    assert_eq!(status(ASSERTION, &["-DLIMIT=2"]), 0);
    assert_eq!(status(ASSERTION, &[]), 2, "LIMIT is not defined");
    assert_eq!(status(OPPOSITE_LOCKS, &[]), 1);
    assert_eq!(status(OPPOSITE_LOCKS, &["--no-deadlock"]), 0);
    assert_eq!(status(OPPOSITE_LOCKS, &["--max-states", "2"]), 3);
    assert_eq!(status("#include <stdio.h>\nint main(void) { getchar(); }\n", &[]), 3);
    let run = |source: &str| {
        playground.write("program.c", source.as_bytes());
        playground.dampf(&["simulate", "--quiet", "program.c", "-DLIMIT=1"])
    };
    assert_eq!(run("int main(void) { return 7; }\n").status, 7);
    let fault = run(ASSERTION);
    assert_eq!((fault.status, fault.stdout.as_str()), (1, ""));
    assert!(fault.stderr.contains("count < limit"), "{fault:?}");
}

#[test]
fn the_summary_of_a_fault_says_where_and_how() {
    let Some(playground) = workshop() else { return };
    let assertion = summary(&playground, "limit.c", ASSERTION, &["-D", "LIMIT=1"]);
    let error = &assertion["error"];
    assert_eq!((&assertion["verdict"], &error["kind"]), (&"violated".into(), &"assertion".into()));
    assert!(error["message"].as_str().unwrap().contains("count < limit"), "{error}");
    assert_eq!((&error["location"]["file"], &error["location"]["line"]), (&"limit.c".into(), &6.into()));
    assert!(error["location"]["column"].as_u64().unwrap() >= 1, "{error}");
    assert_eq!((&assertion["model"], &assertion["reason"]), (&"limit.c".into(), &Value::Null));

    let deadlock = summary(&playground, "locks.c", OPPOSITE_LOCKS, &[]);
    assert_eq!(deadlock["error"]["kind"], "deadlock");
    let steps = deadlock["trail"].as_array().unwrap();
    assert!(steps.len() >= 3, "{deadlock}");
    let mut processes = Vec::new();
    for step in steps {
        assert_eq!(step["file"], "locks.c", "{step}");
        let (process, function) = (step["process"].as_str().unwrap(), step["function"].as_str().unwrap());
        let line = step["line"].as_u64().unwrap() as usize;
        let source = OPPOSITE_LOCKS.lines().nth(line - 1).unwrap().trim();
        let text = step["text"].as_str().unwrap();
        assert!(text.starts_with(source.trim_end_matches('}')), "line {line} is `{source}`, not `{text}`");
        assert_eq!(function, if (3..=9).contains(&line) { "other" } else { "main" }, "{step}");
        processes.push(process);
    }
    assert!(processes.contains(&"main") && processes.iter().any(|name| name.contains("other")), "{processes:?}");
    let locked = |name: &str| {
        let text = format!("locks {name}");
        steps.iter().any(|step| step["text"].as_str().unwrap().contains(&text))
    };
    assert!(locked("left") && locked("right"), "{deadlock}");
    let blocked: Vec<&str> = deadlock["blocked"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert_eq!(blocked.len(), 2, "{deadlock}");
    assert!(blocked.iter().all(|line| line.contains("waits for mutex") && line.contains("held by")), "{blocked:?}");
}

/// Programs with a fault of each sort, and the flags they need.
const FAULTY: [(&str, &str, &[&str]); 5] = [
    ("limit.c", ASSERTION, &["-D", "LIMIT=1"]),
    ("locks.c", OPPOSITE_LOCKS, &[]),
    ("null.c", "int main(void) {\n    int *nothing = 0;\n    return *nothing;\n}\n", &["--cflags", "-O0"]),
    ("heap.c", "#include <stdlib.h>\nint main(void) {\n    char *block = malloc(4);\n    block[4] = 1;\n}\n", &[]),
    (
        "race.cc",
        "#include <thread>\nint shared;\nint main() {\n    std::thread other([] { shared++; });\n    shared++;\n    other.join();\n}\n",
        &["--cflags", "-std=c++17"],
    ),
];

#[test]
fn a_kept_trail_ends_in_the_same_fault() {
    let Some(playground) = workshop() else { return };
    for (name, source, options) in FAULTY {
        let summary = summary(&playground, name, source, &[options, &["--trail", "t.json"]].concat());
        assert_eq!(summary["verdict"], "violated", "{name}: {summary}");
        let (kind, message) = (&summary["error"]["kind"], summary["error"]["message"].as_str().unwrap());
        let kept: Value = serde_json::from_str(&playground.read("t.json")).unwrap();
        assert_eq!((&kept["fault"]["kind"], &kept["fault"]["message"]), (kind, &message.into()), "{name}");
        let replayed = playground.dampf(&["replay", "t.json"]);
        assert_eq!(replayed.status, 0, "{name}: {replayed:?}");
        assert!(replayed.stdout.contains(message), "{name}: {replayed:?}");
        if let Some(line) = summary["error"]["location"]["line"].as_u64() {
            assert!(replayed.stdout.contains(&format!("at {name}:{line}:")), "{name}: {replayed:?}");
        }
        let steps = summary["errors"][0]["steps"].as_u64().unwrap();
        let heading = if steps == 1 { "1 step".to_owned() } else { format!("{steps} steps") };
        assert!(replayed.stdout.lines().any(|line| line == heading), "{name}: {replayed:?}");
        let guided = playground.dampf(&["simulate", name, "--trail", "t.json"]);
        assert_eq!(guided.status, 1, "{name}: {guided:?}");
    }
}

#[test]
fn arguments_and_flags_are_part_of_a_trail() {
    let Some(playground) = workshop() else { return };
    playground.write("limit.c", ASSERTION.as_bytes());
    let options = ["-D", "LIMIT=9", "--cflags", "-O2", "--trail", "t.json", "--", "1"];
    let found = playground.dampf(&[&["check", "limit.c"], &options[..]].concat());
    assert_eq!(found.status, 1, "{found:?}");
    let replayed = playground.dampf(&["replay", "t.json"]);
    assert_eq!(replayed.status, 0, "{replayed:?}");
    assert!(replayed.stdout.contains("count < limit"), "{replayed:?}");
}

#[test]
fn a_trail_of_another_program_is_refused() {
    let Some(playground) = workshop() else { return };
    let found = check(&playground, "limit.c", ASSERTION, &["-D", "LIMIT=1", "--trail", "t.json"]);
    assert_eq!(found.status, 1, "{found:?}");
    playground.write("limit.c", ASSERTION.replace("int count;", "int count; // from zero").as_bytes());
    playground.refused(&["replay", "t.json"], "has changed since the trail was written");
    playground.refused(&["simulate", "limit.c", "--trail", "t.json"], "has changed since the trail was written");
    assert_eq!(playground.dampf(&["replay", "t.json", "--allow-changed-model"]).status, 0);
    playground.write("limit.c", ASSERTION.replace("assert(count < limit);", ";").as_bytes());
    playground.refused(&["replay", "t.json", "--allow-changed-model"], "");
    playground.write("limit.c", b"int main( {\n");
    playground.refused_somehow(&["replay", "t.json"], "limit.c:1:");
    std::fs::remove_file(playground.path("limit.c")).unwrap();
    playground.refused(&["replay", "t.json"], "--model FILE");
    playground.write("moved.c", ASSERTION.as_bytes());
    assert_eq!(playground.dampf(&["replay", "t.json", "--model", "moved.c"]).status, 0);
}

#[test]
fn a_trail_of_a_changed_executable_is_refused() {
    let Some(playground) = workshop() else { return };
    playground.write("limit.c", ASSERTION.as_bytes());
    let build = |limit: &str| {
        assert_eq!(playground.dampf(&["cc", limit, "limit.c", "-o", "limit"]).status, 0);
    };
    build("-DLIMIT=1");
    assert_eq!(playground.dampf(&["check", "limit", "--trail", "t.json"]).status, 1);
    assert_eq!(playground.dampf(&["replay", "t.json"]).status, 0);
    build("-DLIMIT=2");
    playground.refused(&["replay", "t.json"], "has changed since the trail was written");
    build("-DLIMIT=1");
    assert_eq!(playground.dampf(&["replay", "t.json"]).status, 0, "the same source makes the same executable");
}

#[test]
fn a_trail_of_a_source_with_a_changed_header_is_refused() {
    let Some(playground) = workshop() else { return };
    let source =
        ASSERTION.replace("int count;", "#include \"count.h\"\nconst char *built = __DATE__ __TIME__ __FILE__;");
    playground.write("count.h", b"static int count;\n");
    let found = check(&playground, "limit.c", &source, &["-D", "LIMIT=1", "--trail", "t.json"]);
    assert_eq!(found.status, 1, "{found:?}");
    assert_eq!(playground.dampf(&["replay", "t.json"]).status, 0);
    playground.write("count.h", b"static int count; // Counts calls.\n");
    let replayed = playground.dampf(&["replay", "t.json"]);
    assert_eq!(replayed.status, 0, "what is compiled is the same: {replayed:?}");
    playground.write("count.h", b"static long long before, count;\n");
    for arguments in [&["replay", "t.json"][..], &["simulate", "limit.c", "--trail", "t.json"]] {
        playground.refused(arguments, "`limit.c` is as it was, but is compiled to another program");
        playground.refused(arguments, "--allow-changed-model");
    }
    assert_eq!(playground.dampf(&["replay", "t.json", "--allow-changed-model"]).status, 0);
    // Trails of versions that did not keep the hash are taken as they are.
    let kept = playground.read("t.json");
    let start = kept.find("\"build_hash\"").expect("a hash is kept");
    let end = start + kept[start..].find(',').expect("another field follows") + 1;
    playground.write("t.json", format!("{}{}", &kept[..start], &kept[end..]).as_bytes());
    assert_eq!(playground.dampf(&["replay", "t.json"]).status, 0);
}

#[test]
fn a_trail_fits_wherever_its_source_is_compiled() {
    let Some(playground) = workshop() else { return };
    // Assertions in the source and in a header name their files, and the program's own name lies on its stack.
    let header = "#include <assert.h>\nstatic void below(int *number) { assert(*number < 3); }\n";
    let source = "#include <pthread.h>\n#include \"below.h\"\n\
                  static void *other(void *number) { ++*(int *)number; return 0; }\n\
                  int main(void) {\n\
                  int number = 1;\n\
                  pthread_t thread;\n\
                  pthread_create(&thread, 0, other, &number);\n\
                  pthread_join(thread, 0);\n\
                  below(&number);\n\
                  assert(number < 2);\n\
                  }\n";
    for folder in ["project", "a_much_longer_name_of_a_folder"] {
        std::fs::create_dir(playground.path(folder)).unwrap();
        playground.write(&format!("{folder}/below.h"), header.as_bytes());
        playground.write(&format!("{folder}/number.c"), source.as_bytes());
    }
    let found = playground.dampf(&["check", "project/number.c", "--trail", "t.json"]);
    assert_eq!(found.status, 1, "{found:?}");
    let moved = "a_much_longer_name_of_a_folder/number.c";
    let absolute = playground.path(moved).display().to_string();
    for model in ["project/number.c", moved, &absolute] {
        let replayed = playground.dampf(&["replay", "t.json", "--model", model]);
        assert_eq!(replayed.status, 0, "{replayed:?}");
    }
    let elsewhere = ["replay", "../t.json", "--model", "../project/number.c"].map(str::to_owned);
    let replayed = running::dampf_in(&playground.path("project"), &elsewhere);
    assert_eq!(replayed.status, 0, "{replayed:?}");
    let compiled_in = |folder: &str| {
        let check = ["check", &absolute, "--trail", "here.json"].map(str::to_owned);
        assert_eq!(running::dampf_in(&playground.path(folder), &check).status, 1);
        let kept: Value = serde_json::from_str(&playground.read(&format!("{folder}/here.json"))).unwrap();
        kept["build_hash"].as_str().expect("a hash is kept").to_owned()
    };
    assert_eq!(compiled_in("project"), compiled_in("a_much_longer_name_of_a_folder"));
}

/// Two threads that count, and an end with everything in order or not.
const COUNTED: &str = r#"#include <pthread.h>
int count = 5;
void *counter(void *unused) {
    count++;
    return unused;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, counter, 0);
    pthread_join(thread, 0);
    return STATUS;
}
"#;

#[test]
fn a_program_that_ends_keeps_its_last_values_in_a_simulation() {
    let Some(playground) = workshop() else { return };
    playground.write("counted.c", COUNTED.as_bytes());
    let simulated = |options: &[&str]| playground.dampf(&[&["simulate", "counted.c"], options].concat());
    let right = simulated(&["-DSTATUS=0", "--seed", "1"]);
    assert_eq!(right.status, 0, "{right:?}");
    let end = "final state\n  count = 6\n\nthe program ends with exit status 0\n";
    assert!(right.stdout.ends_with(end) && !right.stdout.contains("6 -> 0"), "{right:?}");
    let wrong = simulated(&["-DSTATUS=3", "--seed", "1"]);
    assert_eq!(wrong.status, 1, "{wrong:?}");
    assert!(wrong.stdout.contains("violated: exit-status"), "{wrong:?}");
    let any = simulated(&["-DSTATUS=3", "--seed", "1", "--any-exit-status"]);
    assert!(any.status == 0 && any.stdout.ends_with("\nthe program ends\n"), "{any:?}");
}

#[test]
fn the_compilers_are_single_words_too() {
    let Some(playground) = workshop() else { return };
    playground.write("echo.c", ECHO.as_bytes());
    playground.write("greets.cc", b"#include <iostream>\nint main() { std::cout << \"hello\\n\"; }\n");
    let compilers = [(env!("CARGO_BIN_EXE_dampf-cc"), "echo.c"), (env!("CARGO_BIN_EXE_dampf-cxx"), "greets.cc")];
    for (compiler, source) in compilers {
        let mut command = Command::new(compiler);
        let status = command.args([source, "-o", "made"]).current_dir(playground.path(".")).status().unwrap();
        assert!(status.success(), "{compiler}");
        assert_eq!(playground.dampf(&["check", "made"]).status, 0);
    }
    let said = playground.dampf(&["simulate", "--quiet", "made"]);
    assert_eq!((said.status, said.stdout.as_str()), (0, "hello\n"));
    let wrong = Command::new(compilers[0].0).arg("missing.c").current_dir(playground.path(".")).output().unwrap();
    assert!(!wrong.status.success());
}

/// A thread that counts how often it looks.
const COUNTS_LOOKS: &str = r#"#include <pthread.h>
#include <stdatomic.h>
atomic_int ready;
long looks;
void *waiter(void *unused) {
    while (!ready)
        looks++;
    return unused;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, waiter, 0);
    ready = 1;
    return pthread_join(thread, 0);
}
"#;

#[test]
fn a_limit_is_told_with_the_lines_that_most_steps_are_in() {
    let Some(playground) = workshop() else { return };
    let limited = summary(&playground, "looks.c", COUNTS_LOOKS, &["--max-states", "500"]);
    assert_eq!(limited["verdict"], "unknown", "{limited}");
    assert!([6, 7].contains(&limited["busy_lines"][0]["line"].as_u64().unwrap()), "{limited}");
    assert!(limited["advice"][0].as_str().unwrap().starts_with("`looks` takes"), "{limited}");
    let shown = playground.dampf(&["check", "looks.c", "--max-states", "500"]);
    assert!(
        shown.stdout.contains("\nmost steps, of ") && shown.stdout.contains("\n  hint: `looks` takes"),
        "{shown:?}"
    );
    let patient = COUNTS_LOOKS.replace("looks++;", ";");
    let verified = summary(&playground, "patient.c", &patient, &["--max-states", "500"]);
    assert_eq!((verified["verdict"].as_str(), verified.get("busy_lines")), (Some("verified"), None), "{verified}");
}
