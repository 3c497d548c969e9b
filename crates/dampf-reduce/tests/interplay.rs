//! What the interplay of random programs says of their steps is so in every state.

mod loose;

use dampf_core::{Interleaving, Interplay, Model, Successors, Word, Worker};
use dampf_gcl::ir::Program;
use dampf_gcl::{Backend, GclModel};
use dampf_testkit::program::{Size, random_program};
use std::collections::{BTreeSet, HashSet};

/// The steps of a state that lead on: the action each begins with, and where it leads. None if some do not lead on.
fn steps(model: &GclModel, state: &[Word], out: &mut Successors) -> Option<Vec<(u32, Vec<Word>)>> {
    let mut worker = model.worker();
    worker.successors(state, out);
    let is_plain = out.is_empty() || out.is_unremarkable();
    let step = |index: usize| {
        let action = GclModel::begun_by(&worker, state, index, out.action(index));
        (action, out.state(index).to_vec())
    };
    is_plain.then(|| (0..out.len()).map(step).collect())
}

/// Where an action leads from a state.
fn targets(steps: &[(u32, Vec<Word>)], action: u32) -> BTreeSet<Vec<Word>> {
    steps.iter().filter(|(begun, _)| *begun == action).map(|(_, target)| target.clone()).collect()
}

/// What was looked at.
#[derive(Default)]
struct Seen {
    commuting: usize,
    established: usize,
}

/// Looks at the states of a program, up to a number.
fn examine(name: &str, model: &GclModel, interplay: &Interplay, seen: &mut Seen) {
    let mut out = Successors::new(model.width());
    model.worker().initial(&mut out);
    let mut open: Vec<Vec<Word>> = (0..out.len()).map(|index| out.state(index).to_vec()).collect();
    let mut known: HashSet<Vec<Word>> = open.iter().cloned().collect();
    while let Some(state) = open.pop().filter(|_| known.len() < 120) {
        let Some(steps_of_state) = steps(model, &state, &mut out) else { continue };
        for (_, target) in &steps_of_state {
            if known.insert(target.clone()) {
                open.push(target.clone());
            }
        }
        if model.is_urgent(&state) {
            continue;
        }
        for (action, target) in &steps_of_state {
            let facts = &interplay.actions[*action as usize];
            for (process, location) in &facts.stands {
                assert_eq!(model.process_location(*process, &state), *location, "{name}: action {action} stands");
            }
            // A step that waits is taken in a state that says that nothing else is possible.
            let is_false = |guard: &u32| model.is_guard_false(*guard, &state);
            assert!(facts.waits || !facts.guards.iter().any(is_false), "{name}: guards of action {action}");
            for (guard, establishing) in interplay.guards.iter().enumerate() {
                let becomes_true =
                    model.is_guard_false(guard as u32, &state) && !model.is_guard_false(guard as u32, target);
                assert!(!becomes_true || establishing.contains(action), "{name}: action {action}, guard {guard}");
                seen.established += usize::from(becomes_true);
            }
        }
        let actions: BTreeSet<u32> = steps_of_state.iter().map(|(action, _)| *action).collect();
        for one in &actions {
            for other in actions.range(one + 1..) {
                let facts = &interplay.actions[*one as usize];
                if !facts.conflicts.contains(other) && !facts.waits && !interplay.actions[*other as usize].waits {
                    let both = |first: u32, second: u32, out: &mut Successors| {
                        let mut ends = BTreeSet::new();
                        for target in targets(&steps_of_state, first) {
                            let behind = steps(model, &target, out)?;
                            let further = targets(&behind, second);
                            assert!(!further.is_empty(), "{name}: action {first} disables action {second}");
                            ends.extend(further);
                        }
                        Some(ends)
                    };
                    // Behind a step there may be others that lead nowhere.
                    if let (Some(here), Some(there)) = (both(*one, *other, &mut out), both(*other, *one, &mut out)) {
                        assert_eq!(here, there, "{name}: actions {one} and {other} do not commute");
                        seen.commuting += 1;
                    }
                }
            }
        }
    }
}

fn examine_all(programs: impl Iterator<Item = (u64, Program)>) -> Seen {
    let mut seen = Seen::default();
    for (seed, program) in programs {
        let model = match seed % 4 {
            0 => GclModel::spacious(program),
            _ => GclModel::new(program, Backend::Interpreter),
        };
        let model = model.expect("the program is supported");
        let Some(interplay) = model.interplay() else { continue };
        examine(&format!("seed {seed}"), &model, &interplay, &mut seen);
    }
    println!("{} pairs commute, {} guards become true", seen.commuting, seen.established);
    seen
}

#[test]
fn the_interplay_of_all_kinds_of_programs_is_so() {
    let programs = (0..400).map(|seed| (seed, random_program(seed, Size::default())));
    let without_property = programs.map(|(seed, program)| (seed, Program { property: None, ..program }));
    let seen = examine_all(without_property);
    assert!(seen.commuting > 100 && seen.established > 1_000);
}

#[test]
fn the_interplay_of_loose_processes_is_so() {
    let seen = examine_all((0..600).map(|seed| (seed, loose::program(seed))));
    assert!(seen.commuting > 10_000 && seen.established > 1_000);
}
