//! The property variants of the smaller BEEM models have the answers of the database.

mod reference;

use dampf_gcl::{Backend, GclModel};
use dampf_ltl::Product;
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
