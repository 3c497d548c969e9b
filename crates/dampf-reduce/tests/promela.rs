//! Promela models, random ones and the examples, have the same faults with and without reduction.

mod explored;

use dampf_core::Source;
use dampf_gcl::model::Backend;
use dampf_promela::{Promela, PromelaModel};
use dampf_reduce::Reduced;
use dampf_testkit::promela::random_model;
use explored::Explored;
use std::path::Path;

/// Explores a model with or without reduction until nothing is refuted any more; none for a text that is not
/// understood, or too large.
fn settled(name: &str, text: &str, reduces: bool, states_max: usize) -> Option<Explored> {
    let mut none = |name: &str, _: &Path| Err(format!("no file {name}"));
    let model = dampf_promela::read(Source::new(name, text.to_owned()), &[], &mut none).ok()?;
    let mut promela = Promela::new(&model).ok()?;
    promela.explore().ok()?;
    loop {
        let model = promela.model(Backend::Interpreter, true).ok()?;
        let model: Reduced<PromelaModel> = if reduces { Reduced::always(model) } else { Reduced::bare(model) };
        let found = Explored::new(&model, states_max)?;
        if found.refuted.is_empty() {
            return Some(found);
        }
        if !promela.learn(&found.refuted) {
            return None;
        }
    }
}

/// The numbers of states without and with reduction. Each learns for itself what has to be assumed: a reduced search
/// may well do with less.
fn compared(name: &str, text: String, states_max: usize) -> Option<(usize, usize)> {
    let full = settled(name, &text, false, states_max)?;
    let reduced = settled(name, &text, true, states_max).unwrap_or_else(|| panic!("{name}: more states"));
    assert_eq!(full.fault_set(), reduced.fault_set(), "{name}");
    Some((full.states.len(), reduced.states.len()))
}

#[test]
fn random_models_have_the_same_faults() {
    let (mut count, mut all, mut taken) = (0, 0, 0);
    for seed in 0..500 {
        let name = format!("seed {seed}");
        if let Some((full, reduced)) = compared(&name, random_model(seed, &[]).to_string(), 2_000) {
            (count, all, taken) = (count + 1, all + full, taken + reduced);
        }
    }
    println!("{count} models, {taken} of {all} states");
    assert!(count > 200 && taken * 10 < all * 9, "{count} models, {taken} of {all} states");
}

#[test]
fn example_models_have_the_same_faults() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/promela");
    let mut count = 0;
    for entry in std::fs::read_dir(&folder).expect("the folder is there") {
        let path = entry.expect("an entry").path();
        let text = std::fs::read_to_string(&path).expect("a readable model");
        if let Some((full, reduced)) = compared(&path.display().to_string(), text, 20_000) {
            println!("{}: {reduced} of {full} states", path.display());
            count += 1;
        }
    }
    assert!(count > 3, "{count} models");
}
