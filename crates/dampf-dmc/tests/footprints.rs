//! What is said about the objects of steps is true of the example models.

use dampf_core::Source;
use dampf_gcl::{Backend, GclModel};
use dampf_testkit::footprints::{self, Looked};
use dampf_testkit::random::Random;
use std::path::Path;

#[test]
fn example_models_use_the_objects_that_they_say() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/dmc");
    let (mut checked, mut perturbed) = (Looked::default(), Looked::default());
    for entry in std::fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|extension| extension != "dmc") {
            continue;
        }
        let name = path.display().to_string();
        let text = std::fs::read_to_string(&path).expect("a readable model");
        let program = dampf_dmc::parse(Source::new(name.clone(), text)).expect("a model without errors");
        let model = GclModel::new(program.clone(), Backend::Interpreter).expect("the model is supported");
        checked += footprints::check(&model, 300, &name);
        let model = GclModel::spacious(program).expect("the model is supported");
        perturbed += footprints::perturb(&model, 60, &mut Random::new(0), &name);
    }
    println!("{checked:?}, {perturbed:?}");
    assert!(checked.commuting > 500 && checked.conflicting > 500 && perturbed.perturbed > 5_000);
}
