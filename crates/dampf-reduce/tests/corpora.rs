//! The small BEEM models, where they lie beside the workspace, have the same faults with and without reduction.

mod explored;

use dampf_core::Source;
use dampf_gcl::{Backend, GclModel};
use dampf_reduce::Reduced;
use explored::Explored;
use std::path::{Path, PathBuf};

const STATES_MAX: usize = 20_000;

#[test]
fn small_models_have_the_same_faults() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpora/beem");
    let Ok(entries) = std::fs::read_dir(&folder) else {
        println!("skipped: there is no {}", folder.display());
        return;
    };
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "dve"));
    paths.sort();
    let (mut compared, mut reduced_models) = (0, 0);
    for path in paths {
        let name = path.display().to_string();
        let text = std::fs::read_to_string(&path).expect("a readable model");
        let Ok(program) = dampf_dve::parse(Source::new(name.clone(), text)) else { continue };
        if program.property.is_some() {
            continue;
        }
        let Ok(model) = GclModel::new(program, Backend::Native) else { continue };
        let reduced = Reduced::always(model);
        let Some(all) = Explored::new(reduced.model(), STATES_MAX) else { continue };
        let some = Explored::new(&reduced, STATES_MAX).unwrap_or_else(|| panic!("{name}: more states"));
        assert_eq!(all.fault_set(), some.fault_set(), "{name}");
        compared += 1;
        reduced_models += usize::from(some.states.len() < all.states.len());
    }
    println!("{compared} models, {reduced_models} with fewer states");
    assert!(compared > 20 && reduced_models > 15, "{compared} models, {reduced_models} with fewer states");
}
