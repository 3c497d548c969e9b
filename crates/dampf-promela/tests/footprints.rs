//! What is said about the objects of steps is true of the example models and of random ones.

use dampf_core::{Action, Footprint, Footprints, Model, Source, Successors, Worker};
use dampf_gcl::GclModel;
use dampf_gcl::model::Backend;
use dampf_promela::{Promela, PromelaModel};
use dampf_testkit::footprints::{self, Looked};
use dampf_testkit::promela::random_model;
use dampf_testkit::random::Random;
use std::path::{Path, PathBuf};

/// A model of what exploring finds; none for a text that is not understood.
fn model(name: &str, text: String) -> Option<PromelaModel> {
    let mut none = |name: &str, _: &Path| Err(format!("no file {name}"));
    let model = dampf_promela::read(Source::new(name, text), &[], &mut none).ok()?;
    let mut promela = Promela::new(&model).ok()?;
    promela.explore().ok()?;
    promela.model(Backend::Interpreter, true).ok()
}

fn look(model: &PromelaModel, states_max: usize, name: &str) -> Looked {
    let mut looked = footprints::check(model.gcl(), states_max, name);
    let spacious = GclModel::spacious(model.gcl().program().clone()).expect("a model that was made before");
    looked += footprints::perturb(&spacious, states_max / 5, &mut Random::new(0), name);
    looked
}

#[test]
fn example_models_use_the_objects_that_they_say() {
    let mut looked = Looked::default();
    for folder in ["../../models/promela", "tests/regressions"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
        let entries = std::fs::read_dir(&folder).expect("the folder is there");
        let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
        paths.sort();
        for path in paths.iter().filter(|path| path.extension().is_some_and(|extension| extension == "pml")) {
            let name = path.display().to_string();
            let text = std::fs::read_to_string(path).expect("a readable model");
            looked += look(&model(&name, text).expect("a model that is understood"), 200, &name);
        }
    }
    println!("{looked:?}");
    assert!(looked.commuting > 500 && looked.conflicting > 500 && looked.perturbed > 10_000, "{looked:?}");
}

#[test]
fn random_models_use_the_objects_that_they_say() {
    let mut looked = Looked::default();
    for seed in 0..150 {
        let name = format!("seed {seed}");
        if let Some(model) = model(&name, random_model(seed, &[]).to_string()) {
            looked += look(&model, 50, &name);
        }
    }
    println!("{looked:?}");
    assert!(looked.commuting > 500 && looked.conflicting > 500 && looked.perturbed > 10_000, "{looked:?}");
}

#[test]
fn starting_a_process_writes_how_many_there_are() {
    let text = "proctype P() { skip } init { run P(); run P() }".to_owned();
    let model = model("run.pml", text).expect("a model that is understood");
    let mut steps = Successors::new(model.width());
    model.worker().initial(&mut steps);
    let mut footprint = Footprint::default();
    model.footprint(steps.state(0), Action(0), &mut footprint);
    let written: Vec<String> = footprint.writes.iter().map(|object| model.object_name(*object)).collect();
    assert_eq!(written, ["_nr_pr", "the location of init:0", "the location of P:1"]);
}
