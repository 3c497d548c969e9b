//! Every value that a trail tells is what the machine reads: the first access of a step to a place finds there what the
//! state before has, and the last one leaves there what the state behind has.

mod compiling;

use compiling::{compile, learn, load};
use dampf_core::{Describe, Inspect, Model, Successors, Worker};
use dampf_object::{ObjectModel, ProgramChecks, ToldAccess};
use dampf_testkit::moving::explore;
use std::collections::BTreeMap;

const SOURCES: [&str; 9] = [
    "told_values.cc",
    "cxx_elements_named.cc",
    "cxx_list_race.cc",
    "cxx_map_lost_update.cc",
    "mutex_counter.c",
    "condition_if_instead_of_while.c",
    "cxx_vector_check_then_act.cc",
    "cxx_queue_reclaimed.cc",
    "cxx_stack_reclaimed.cc",
];

/// The ways in which bytes can be told: as a number with or without sign, as an address, or as a character.
fn readings(bytes: &[u8]) -> Vec<String> {
    let mut wide = [0; 8];
    wide[..bytes.len()].copy_from_slice(bytes);
    let unsigned = u64::from_le_bytes(wide);
    let shift = 64 - 8 * bytes.len() as u32;
    let signed = ((unsigned << shift) as i64) >> shift;
    let address = if unsigned == 0 { "null".to_owned() } else { format!("{unsigned:#x}") };
    let mut readings = vec![unsigned.to_string(), signed.to_string(), address];
    readings.extend(char::from_u32(unsigned as u32).filter(|_| bytes.len() == 1).map(|letter| format!("'{letter}'")));
    readings
}

#[test]
fn told_values_are_those_of_the_machine() {
    let mut told = 0;
    for source in SOURCES {
        let Some(executable) = compile(source) else { return };
        let program = load(source, &executable);
        let options = ProgramChecks::default();
        let model = ObjectModel::new(program.clone(), options, learn(&program, options, 400));
        let (states, _) = explore(&model, 400);
        let mut worker = model.worker();
        let mut out = Successors::new(model.width());
        for state in &states {
            worker.successors(state, &mut out);
            for at in (0..out.len()).filter(|&at| out.leads_on(at)) {
                let after = out.state(at).to_vec();
                let mut places: BTreeMap<(u64, u64), Vec<ToldAccess>> = BTreeMap::new();
                for access in model.told_accesses(state, out.action(at)) {
                    places.entry((access.address, access.bytes)).or_default().push(access);
                }
                for ((address, bytes), accesses) in places {
                    let value = |state: &[u32]| {
                        let mut contents = vec![0; bytes as usize];
                        let thread = *model.threads(state).first()?;
                        model.read_memory(state, thread, address, &mut contents).then(|| readings(&contents))
                    };
                    let (first, last) = (&accesses[0], &accesses[accesses.len() - 1]);
                    for (told, read) in [(&first.before, value(state)), (&last.after, value(&after))] {
                        if let (Some(told_value), Some(read)) = (told, read) {
                            assert!(read.contains(told_value), "{source}: {told_value} is told, but it is {read:?}");
                        }
                    }
                    told += 1;
                }
            }
        }
    }
    assert!(told > 200, "{told} places were told");
}

#[test]
fn steps_name_values_by_their_types() {
    let source = "told_values.cc";
    let Some(executable) = compile(source) else { return };
    let program = load(source, &executable);
    let options = ProgramChecks::default();
    let model = ObjectModel::new(program.clone(), options, learn(&program, options, 1000));
    let (states, _) = explore(&model, 1000);
    let mut worker = model.worker();
    let mut out = Successors::new(model.width());
    let mut texts = String::new();
    for state in &states {
        worker.successors(state, &mut out);
        for &action in out.actions() {
            for step in model.describe_parts(state, action) {
                texts.push_str(&format!("{}: {}\n", step.process, step.text));
            }
        }
    }
    for expected in [
        "main: std::thread one(add, -5);  // creates thread 1 (add)",
        "// creates thread 2 (lambda at ",
        "writes items[1].id: -3",
        "writes items[1].level: 144",
        "updates total: 0 -> -5",
        "compares and exchanges top: null -> 0x",
        "thread 1 (add): ends",
    ] {
        assert!(texts.contains(expected), "{expected} is told nowhere");
    }
}

/// What each element of the containers of `cxx_elements_named.cc` holds before it is changed. It is changed by hundreds
/// and thousands, so the rest tells which element a value is from.
const ELEMENTS: [(&str, u64); 8] = [
    ("prices[\"pear\"]", 20),
    ("stock[4].weight", 50),
    ("(element 1 of sales).second", 70),
    ("totals[9]", 90),
    ("(element 2 of items).weight", 13),
    ("element 1 of chain", 15),
    ("jobs[1].weight", 17),
    ("element 1 of rows[1]", 22),
];

#[test]
fn elements_of_containers_are_named_by_key_or_position() {
    let source = "cxx_elements_named.cc";
    let Some(executable) = compile(source) else { return };
    let program = load(source, &executable);
    let options = ProgramChecks::default();
    let model = ObjectModel::new(program.clone(), options, learn(&program, options, 1000));
    let (states, _) = explore(&model, 1000);
    let mut worker = model.worker();
    let mut out = Successors::new(model.width());
    let mut told = [0; ELEMENTS.len()];
    for state in &states {
        worker.successors(state, &mut out);
        for &action in out.actions() {
            for step in model.describe_parts(state, action) {
                let note = step.text.rsplit_once("// ").map_or("", |(_, note)| note);
                let Some((name, value)) = note.rsplit_once(": ") else { continue };
                let name = name.trim_start_matches("reads ").trim_start_matches("writes ");
                let Some(which) = ELEMENTS.iter().position(|&(element, _)| element == name) else { continue };
                let rest = value.parse::<u64>().ok().map(|value| value % 100);
                assert_eq!(rest, Some(ELEMENTS[which].1), "{}", step.text);
                told[which] += 1;
            }
        }
    }
    assert!(told.iter().all(|&count| count >= 2), "{told:?}");
}
