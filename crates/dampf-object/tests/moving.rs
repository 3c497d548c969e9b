//! States of programs move between two models that do not share their tables of lines and components.

use dampf_core::{Model, Part, Sections, Transfer, Word};
use dampf_object::{Granularity, ObjectModel, Program, ProgramChecks, Sharing, read_facts};
use dampf_testkit::moving::{Moved, Mover, explore, move_all};
use dampf_testkit::random::Random;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

const COMPILING: [&str; 7] =
    ["-g", "-O1", "-fno-omit-frame-pointer", "-fno-stack-protector", "-fno-pie", "-pthread", "-fsanitize=thread"];

/// How many programs have been compiled.
static COMPILED: AtomicUsize = AtomicUsize::new(0);

/// Runs a tool of the cross compiler's kit; whether it is there.
fn run(tool: &str, arguments: &[&str]) -> bool {
    let Ok(output) = Command::new(format!("riscv64-linux-gnu-{tool}")).args(arguments).output() else {
        println!("skipped: riscv64-linux-gnu-{tool} is not installed");
        return false;
    };
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    true
}

/// Compiles a source of `tests/programs`; none where there is no compiler.
fn compile(source: &str) -> Option<Vec<u8>> {
    let crate_folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let runtime = crate_folder.join("../../runtime");
    // Several tests compile the same source at the same time.
    let number = COMPILED.fetch_add(1, Ordering::Relaxed);
    let scratch = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("moving_{}_{number}", std::process::id()));
    std::fs::create_dir_all(&scratch).expect("a folder for what is compiled");
    let named = |name: &str| scratch.join(name).display().to_string();
    let (object, hooks, executable) = (named("program.o"), named("hooks.o"), named("program"));
    let (include, hooks_source) = (format!("-I{}", runtime.display()), runtime.join("hooks.c").display().to_string());
    let path = crate_folder.join("tests/programs").join(source).display().to_string();
    let compiler = if source.ends_with(".c") { "gcc" } else { "g++" };
    // The sanitizer's library does not exist for this machine; so the linker is not told of it.
    let there =
        run(compiler, &[&COMPILING[..], &["-D__DAMPF__=1", "-w", &include, "-c", &path, "-o", &object]].concat())
            && run("gcc", &["-std=gnu11", "-O2", "-fno-pie", "-pthread", "-w", "-c", &hooks_source, "-o", &hooks])
            && run(compiler, &["-static", "-no-pie", "-pthread", &object, &hooks, "-o", &executable, "-lm"]);
    let bytes = there.then(|| std::fs::read(&executable).expect("the compiler has written the program"));
    // Whoever clears the folder for temporary files meanwhile does no harm.
    let _ = std::fs::remove_dir_all(&scratch);
    bytes
}

fn load(source: &str, bytes: &[u8]) -> Arc<Program> {
    let program = Program::load(source.to_owned(), bytes, vec![source.to_owned()]);
    Arc::new(program.unwrap_or_else(|refusal| panic!("{source}: {refusal:?}")))
}

/// What threads share in the first states of a program.
fn learn(program: &Arc<Program>, options: ProgramChecks, states_max: usize) -> Sharing {
    let mut sharing = Sharing::new(false);
    loop {
        let model = ObjectModel::new(Arc::clone(program), options, sharing.clone());
        let (_, refuted) = explore(&model, states_max);
        if refuted.is_empty() {
            return sharing;
        }
        refuted.iter().for_each(|revise| sharing.learn(read_facts(&String::from_utf8_lossy(&revise.facts))));
    }
}

/// Two models of the same program that have nothing else in common.
fn models(source: &str, options: ProgramChecks, states_max: usize) -> Option<(ObjectModel, ObjectModel)> {
    let bytes = compile(source)?;
    let sharing = learn(&load(source, &bytes), options, states_max);
    let model = || ObjectModel::new(load(source, &bytes), options, sharing.clone());
    Some((model(), model()))
}

fn move_program(source: &str, options: ProgramChecks, states_max: usize) -> Option<Moved> {
    let (here, there) = models(source, options, states_max)?;
    let moved = move_all(&here, &there, states_max);
    println!("{source}: {moved:?}, {} and {} bytes", here.bytes(), there.bytes());
    assert!(moved.renamed > moved.states / 2, "{source}: names are so alike that nothing is shown: {moved:?}");
    Some(moved)
}

#[test]
fn threads_and_locks_move() {
    for source in ["mutex_counter.c", "condition_signal.c", "barrier.c", "semaphore.c", "rwlock.c", "annotation_lock.c"]
    {
        let Some(moved) = move_program(source, ProgramChecks::default(), 2000) else { return };
        assert!(moved.states > 5, "{source}: {moved:?}");
    }
}

#[test]
fn the_heap_of_cxx_programs_moves() {
    for source in ["cxx_shared_ptr.cc", "cxx_container_race.cc", "cxx_async.cc", "cxx_condition_variable.cc"] {
        if move_program(source, ProgramChecks::default(), 1000).is_none() {
            return;
        }
    }
}

#[test]
fn thread_local_storage_moves() {
    for source in ["cxx_thread_local.cc", "pthread_keys.c", "race_thread_local.c", "c11_once_and_storage.c"] {
        if move_program(source, ProgramChecks::default(), 2000).is_none() {
            return;
        }
    }
}

#[test]
fn faults_are_the_same_after_moving() {
    let options =
        ProgramChecks { leaks: true, uninitialised: true, spurious_wakeups: true, ..ProgramChecks::default() };
    for source in
        ["condition_if_instead_of_while.c", "leak_interleaving.c", "cxx_container_stale.cc", "race_different_locks.c"]
    {
        let Some(moved) = move_program(source, options, 2000) else { return };
        assert!(moved.faults > 0, "{source}: {moved:?}");
    }
}

#[test]
fn single_lines_and_instructions_move() {
    for granularity in [Granularity::Line, Granularity::Instruction] {
        let options = ProgramChecks { granularity, ..ProgramChecks::default() };
        if move_program("mutex_counter.c", options, 3000).is_none() {
            return;
        }
    }
}

#[test]
fn sections_are_whole_words_and_cover_a_state() {
    let Some((model, _)) = models("mutex_counter.c", ProgramChecks::default(), 100) else { return };
    let names = model.sections();
    assert_eq!(names[..3], ["memory", "stacks", "thread 0"]);
    let masks: Vec<Vec<Word>> =
        names.iter().map(|name| model.section(name).expect("a section that is listed")).collect();
    assert!(masks.iter().flatten().all(|&word| word == 0 || word == Word::MAX));
    let union = |masks: &[Vec<Word>]| -> Vec<Word> {
        (0..model.width()).map(|at| masks.iter().fold(0, |all, mask| all | mask[at])).collect()
    };
    assert_eq!(union(&masks[..2]), vec![Word::MAX; model.width()], "everything is memory or a stack");
    assert_eq!(union(&masks[2..]), masks[1], "the stacks are those of the threads");
    assert!(masks[0].iter().zip(&masks[1]).all(|(memory, stacks)| memory & stacks == 0));
    for unknown in ["", "thread", "thread 99", "thread 00", "x"] {
        assert_eq!(model.section(unknown), None);
    }
}

#[test]
fn nonsense_from_elsewhere_gets_some_name() {
    let Some((model, other)) = models("mutex_counter.c", ProgramChecks::default(), 200) else { return };
    let mut random = Random::new(11);
    for kind in (0..15).chain([Word::MAX]) {
        for length in 0..60 {
            let contents: Vec<Word> = (0..length).map(|_| random.below(40) as Word).collect();
            let name = model.name_of(kind, &contents);
            if kind < 3 && name != 0 {
                let mut words = Vec::new();
                model.part(Part { kind, name }, &mut words, &mut |_, _| {});
                assert_eq!(words, contents);
            }
        }
    }
    // What was made of nonsense does not get in the way of what is not.
    let mut mover = Mover::new(&other, &model);
    let mut back = Mover::new(&model, &other);
    for state in explore(&other, 200).0 {
        assert_eq!(back.state(&mover.state(&state)), state);
    }
}
