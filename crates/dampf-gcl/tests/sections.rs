//! The sections of states hold what they are named for, and nothing else.

mod support;

use dampf_core::{Describe, Model, Sections, Word};
use dampf_gcl::{Backend, GclModel};
use dampf_testkit::program::{Size, random_program};
use std::collections::{BTreeMap, BTreeSet};
use support::*;

const STATES_MAX: usize = 300;

fn masks(model: &GclModel) -> BTreeMap<String, Vec<Word>> {
    let names = model.sections();
    let distinct: BTreeSet<&String> = names.iter().collect();
    assert_eq!(distinct.len(), names.len(), "no section is listed twice");
    let mask = |name: &String| model.section(name).expect("a section that is listed");
    names.iter().map(|name| (name.clone(), mask(name))).collect()
}

fn within(state: &[Word], mask: &[Word]) -> Vec<Word> {
    state.iter().zip(mask).map(|(word, mask)| word & mask).collect()
}

fn union<'m>(width: usize, masks: impl IntoIterator<Item = &'m Vec<Word>>) -> Vec<Word> {
    masks.into_iter().fold(vec![0; width], |all, mask| all.iter().zip(mask).map(|(all, mask)| all | mask).collect())
}

/// A process's section without its local variables: its location.
fn location_mask(mask: &[Word], locals: &[Word]) -> Vec<Word> {
    mask.iter().zip(locals).map(|(mask, locals)| mask & !locals).collect()
}

#[test]
fn sections_are_what_people_see_of_a_state() {
    let mut compared = 0;
    for seed in 0..150 {
        let program = random_program(seed, Size::default());
        let Ok(model) = GclModel::new(program, Backend::Interpreter) else { continue };
        let Some(states) = explore(model.interpreter(), STATES_MAX) else { continue };
        let mut masks = masks(&model);
        for process in &model.program().processes {
            let prefix = format!("{}.", process.name);
            let locals = union(
                model.width(),
                masks.range(prefix.clone()..).take_while(|(name, _)| name.starts_with(&prefix)).map(|(_, mask)| mask),
            );
            let mask = &masks[&process.name];
            assert_eq!(union(model.width(), [mask, &locals]), *mask, "local variables belong to their process");
            let location = location_mask(mask, &locals);
            masks.insert(process.name.clone(), location);
        }
        let all = union(model.width(), masks.values());
        let bits = |mask: &[Word]| mask.iter().map(|word| word.count_ones()).sum::<u32>();
        assert_eq!(
            bits(&all),
            masks.values().map(|mask| bits(mask)).sum::<u32>(),
            "seed {seed}: sections do not overlap"
        );
        for state in &states {
            assert_eq!(within(state, &all), *state, "seed {seed}: every bit belongs to a section");
        }
        // A section has the same bits in two states exactly if people see the same there.
        let described: Vec<BTreeMap<String, String>> = states
            .iter()
            .map(|state| model.describe_state(state).into_iter().map(|binding| (binding.name, binding.value)).collect())
            .collect();
        for (name, mask) in &masks {
            for (left, right) in (0..states.len()).zip((0..states.len()).map(|number| number * 7 % states.len())) {
                let same_bits = within(&states[left], mask) == within(&states[right], mask);
                let same_value = described[left].get(name) == described[right].get(name);
                assert_eq!(same_bits, same_value, "seed {seed}: {name}");
                compared += 1;
            }
        }
    }
    assert!(compared > 20_000, "only {compared} comparisons");
}

#[test]
fn storing_into_a_variable_changes_its_section_alone() {
    for seed in 0..100 {
        let program = random_program(seed, Size::default());
        let Ok(model) = GclModel::new(program, Backend::Interpreter) else { continue };
        let initial = model.interpreter().initial_state();
        for (number, range) in model.ranges().iter().enumerate() {
            let id = dampf_gcl::ir::VariableId(number as u32);
            let mask = model.section(&model.program().variable_name(id)).expect("every variable is a section");
            for (field, distance) in model.variable_fields(id).flat_map(|field| (0..4).map(move |at| (field, at))) {
                if distance < range.count {
                    let mut state = initial.clone();
                    field.set(&mut state, field.decode(distance as u32));
                    let changed: Vec<Word> = state.iter().zip(&initial).map(|(new, old)| new ^ old).collect();
                    assert_eq!(within(&changed, &mask), changed, "seed {seed}, variable {number}");
                }
            }
        }
    }
}

#[test]
fn unknown_names_are_no_sections() {
    let model = GclModel::new(random_program(3, Size::default()), Backend::Interpreter).expect("a model");
    for name in ["", "nobody", "P.nothing"] {
        assert_eq!(model.section(name), None);
    }
}
