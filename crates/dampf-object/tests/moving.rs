//! States of programs move between two models that do not share their tables of lines and components.

mod compiling;

use compiling::{compile, learn, load};
use dampf_core::{Model, Part, Sections, Transfer, Word};
use dampf_object::{Granularity, ObjectModel, ProgramChecks};
use dampf_testkit::moving::{Moved, Mover, explore, move_all};
use dampf_testkit::random::Random;

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
