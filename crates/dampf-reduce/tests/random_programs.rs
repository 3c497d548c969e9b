//! Random programs have the same faults with and without reduction, every one of them.

mod explored;
mod loose;

use dampf_core::{Model, Successors, Word, Worker, replay};
use dampf_gcl::ir::Program;
use dampf_gcl::{Backend, GclModel};
use dampf_reduce::{Reduced, Symmetric, lifted};
use dampf_testkit::program::{Size, random_program};
use explored::Explored;
use std::collections::HashSet;

const STATES_MAX: usize = 1_500;

/// Compares programs; how many there were that are small enough.
fn agree_on(programs: impl Iterator<Item = (u64, Program)>, states_fewer_min: usize) -> usize {
    let (mut count, mut fewer) = (0, 0);
    for (seed, program) in programs {
        // With and without knowing the values that variables take.
        let model = || match seed % 2 {
            0 => GclModel::spacious(program.clone()),
            _ => GclModel::new(program.clone(), Backend::Interpreter),
        };
        let model = || model().expect("the program is supported");
        let reduced = Symmetric::bare(Reduced::always(model()).through_single_steps());
        if reduced.model().plan().is_none() {
            continue;
        }
        let bare = Symmetric::bare(Reduced::bare(model()));
        let Some(all) = Explored::new(&bare, STATES_MAX) else { continue };
        let some = Explored::new(&reduced, STATES_MAX).unwrap_or_else(|| panic!("seed {seed}: more states"));
        let (full_states, states) = (all.states.len(), some.states.len());
        assert_eq!(all.fault_set(), some.fault_set(), "seed {seed}: {full_states} states, {states} with reduction");
        for (fault, trail) in &some.faults {
            let lifted = lifted(&reduced, &bare, trail).unwrap_or_else(|| panic!("seed {seed}: {fault} is not lifted"));
            let met = replay(&bare, &lifted, true).unwrap_or_else(|error| panic!("seed {seed}: {fault}: {error}"));
            let met = [met.fault, met.fault_beyond];
            assert!(met.iter().flatten().any(|met| met == fault), "seed {seed}: {fault}, but the run meets {met:?}");
        }
        count += 1;
        fewer += full_states - states;
    }
    println!("{count} programs, {fewer} states fewer");
    assert!(fewer >= states_fewer_min, "{fewer} states fewer");
    count
}

#[test]
fn programs_of_all_kinds_have_the_same_faults() {
    let programs = (0..1_000).map(|seed| (seed, random_program(seed, Size::default())));
    let without_property = programs.map(|(seed, program)| (seed, Program { property: None, ..program }));
    assert!(agree_on(without_property, 20) > 600);
}

/// Processes that mostly use variables of their own, and sometimes shared ones and channels: there is much to leave
/// out, and much to lose.
#[test]
fn programs_of_loose_processes_have_the_same_faults() {
    assert!(agree_on((0..3_000).map(|seed| (seed, loose::program(seed))), 30_000) > 1_500);
}

/// A worker that has seen many states chooses in each of them as one that has seen none.
#[test]
fn choices_are_remembered_as_they_are_made() {
    let mut states_compared = 0;
    for seed in 0..300 {
        let model = GclModel::new(loose::program(seed), Backend::Interpreter).expect("the program is supported");
        let reduced = Reduced::always(model);
        let (mut worker, mut out) = (reduced.worker(), Successors::new(reduced.width()));
        let mut expected = Successors::new(reduced.width());
        worker.initial(&mut out);
        let mut open: Vec<Vec<Word>> = (0..out.len()).map(|index| out.state(index).to_vec()).collect();
        let mut known: HashSet<Vec<Word>> = open.iter().cloned().collect();
        while let Some(state) = open.pop().filter(|_| known.len() < 600) {
            worker.successors(&state, &mut out);
            reduced.worker().successors(&state, &mut expected);
            assert_eq!(out.actions(), expected.actions(), "seed {seed}, state {state:?}");
            states_compared += 1;
            for index in (0..out.len()).filter(|index| out.leads_on(*index)) {
                if known.insert(out.state(index).to_vec()) {
                    open.push(out.state(index).to_vec());
                }
            }
        }
    }
    assert!(states_compared > 10_000, "{states_compared}");
}
