//! The small BEEM models, where they lie beside the workspace, have the same faults with and without reduction.

use dampf_core::{Fault, Model, Source, Successors, Word, Worker};
use dampf_gcl::{Backend, GclModel};
use dampf_reduce::Reduced;
use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};

const STATES_MAX: usize = 20_000;

/// The faults of a model and the number of its states; none for one that has more than [`STATES_MAX`].
fn explored<M: Model>(model: &M) -> Option<(BTreeSet<Fault>, usize)> {
    let (mut worker, mut out) = (model.worker(), Successors::new(model.width()));
    worker.initial(&mut out);
    let mut faults = BTreeSet::new();
    let mut open: Vec<Box<[Word]>> = (0..out.len()).map(|index| out.state(index).into()).collect();
    let mut known: HashSet<Box<[Word]>> = open.iter().cloned().collect();
    while let Some(state) = open.pop() {
        worker.successors(&state, &mut out);
        faults.extend(out.fault_of_state(true));
        faults.extend(out.faults().iter().map(|(_, fault)| fault.clone()));
        for index in (0..out.len()).filter(|index| out.leads_on(*index)) {
            if !known.contains(out.state(index)) {
                known.insert(out.state(index).into());
                open.push(out.state(index).into());
            }
        }
        if known.len() > STATES_MAX {
            return None;
        }
    }
    Some((faults, known.len()))
}

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
        let Some((faults, states)) = explored(reduced.model()) else { continue };
        let (kept, fewer) = explored(&reduced).unwrap_or_else(|| panic!("{name}: more states"));
        assert_eq!(faults, kept, "{name}");
        compared += 1;
        reduced_models += usize::from(fewer < states);
    }
    println!("{compared} models, {reduced_models} with fewer states");
    assert!(compared > 20 && reduced_models > 15, "{compared} models, {reduced_models} with fewer states");
}
