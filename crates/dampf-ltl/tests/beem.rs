//! The property variants of the smaller BEEM models have the answers of the database.

mod reference;

use dampf_core::{Fault, FaultKind, Model, Verdict};
use dampf_gcl::{Backend, GclModel};
use dampf_ltl::{CycleAlgorithm, CycleSearch, Product, check_cycles};
use dampf_search::{Monitor, SearchOptions};
use dampf_store::ExactStore;
use reference::{beem, has_accepting_cycle, parse, read};
use std::collections::HashMap;

/// The product is held in memory, edge by edge.
const STATES_MAX: u64 = 40_000;

#[test]
fn small_properties_have_the_known_answers() {
    let Some(folder) = beem() else { return };
    let counts = read(&folder.join("counts.tsv"));
    let rows = counts.lines().skip(1).map(|row| row.split('\t').collect::<Vec<_>>());
    let sizes: HashMap<&str, u64> = rows.filter_map(|row| Some((row[0], row[1].parse().ok()?))).collect();
    let mut compared = 0;
    for row in read(&folder.join("ltl_answers.tsv")).lines().skip(1) {
        let fields: Vec<&str> = row.split('\t').collect();
        let (file, answer) = (fields[0], fields[2]);
        let model = file.split(".prop").next().unwrap_or_default();
        if sizes.get(model).is_none_or(|states| *states > STATES_MAX) {
            continue;
        }
        let mut program = parse(&folder.join(file));
        let automaton = program.take_property().expect("the file has a property");
        let model = GclModel::new(program, Backend::Interpreter).expect("the interpreter takes every program");
        let violated = has_accepting_cycle(&Product::new(&model, &automaton));
        assert_eq!(if violated { "violated" } else { "holds" }, answer, "{file}");
        compared += 1;
    }
    println!("{compared} properties compared");
    assert!(compared > 20, "only {compared} properties were compared");
}

/// The engines, on native code.
#[test]
fn every_search_has_the_known_answers() {
    let Some(folder) = beem() else { return };
    let counts = read(&folder.join("counts.tsv"));
    let rows = counts.lines().skip(1).map(|row| row.split('\t').collect::<Vec<_>>());
    let sizes: HashMap<&str, u64> = rows.filter_map(|row| Some((row[0], row[1].parse().ok()?))).collect();
    for row in read(&folder.join("ltl_answers.tsv")).lines().skip(1) {
        let fields: Vec<&str> = row.split('\t').collect();
        let (file, answer) = (fields[0], fields[2]);
        let model = file.split(".prop").next().unwrap_or_default();
        if sizes.get(model).is_none_or(|states| *states > 4 * STATES_MAX) {
            continue;
        }
        let mut program = parse(&folder.join(file));
        let automaton = program.take_property().expect("the file has a property");
        let model = GclModel::new(program, Backend::Native).expect("native code is there");
        let product = Product::new(&model, &automaton);
        for algorithm in CycleAlgorithm::ALL {
            let options = SearchOptions { threads: 2, ..SearchOptions::default() };
            let fault = Fault { kind: FaultKind::Property, message: "a cycle".to_owned(), location: None };
            let search = CycleSearch { algorithm, is_fair: false, fault, options };
            let store = ExactStore::new(product.width());
            let outcome = check_cycles(&product, &store, &search, &Monitor::new());
            let found = match outcome.verdict {
                Verdict::Violated(_) => "violated",
                Verdict::Verified => "holds",
                Verdict::Unknown(_) => "unknown",
            };
            assert_eq!(found, answer, "{file}, {}", algorithm.name());
        }
    }
}
