//! A* and IDA* by estimates that are never too much find runs as short as those of a breadth-first search, on models in
//! all languages, with fewer states.
//!
//! The goals are states that a breadth-first search comes to last: one as it is, and one by where its processes stand.

use dampf_core::{FaultKind, FaultSelection, Model, Source, Successors, Verdict, Word, Worker};
use dampf_gcl::ir::{BinaryOp, Check, Expr, LocationId, Place, ProcessId, Program, VariableId};
use dampf_gcl::model::Backend;
use dampf_gcl::patterns::Counted;
use dampf_gcl::{Estimate, GclModel};
use dampf_search::{Heuristic, Measure, Monitor, Outcome, SearchOptions, check, check_a_star, check_deepening};
use dampf_store::TreeStore;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Larger models are left out.
const STATES_MAX: usize = 8_000;

fn models(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|found| found == extension));
    paths.sort();
    paths
}

/// The guarded commands of a model; none where it is not understood.
fn program(path: &Path) -> Option<Program> {
    let text = std::fs::read_to_string(path).ok()?;
    let source = Source::new(path.display().to_string(), text);
    match path.extension()?.to_str()? {
        "dve" => dampf_dve::parse(source).ok(),
        "dmc" => dampf_dmc::parse_with(source, &[]).ok(),
        _ => {
            let model = dampf_promela::read(Arc::clone(&source), &[], &mut |_, _| Err("not here".to_owned())).ok()?;
            let mut promela = dampf_promela::Promela::new(&model).ok()?;
            promela.explore().ok()?;
            let model = promela.model(Backend::Interpreter, false).ok()?;
            Some(model.gcl().program().clone())
        }
    }
}

/// The state that a breadth-first search comes to last; none where there are too many.
fn last_state(model: &GclModel) -> Option<Vec<Word>> {
    let (mut worker, mut out) = (model.worker(), Successors::new(model.width()));
    worker.initial(&mut out);
    let mut states: Vec<Vec<Word>> = out.states().map(<[Word]>::to_vec).collect();
    let mut known: HashSet<Vec<Word>> = states.iter().cloned().collect();
    let mut next = 0;
    while next < states.len() {
        worker.successors(&states[next].clone(), &mut out);
        // Assumptions are refuted and learnt from round by round, which is not what this is about.
        if !out.refuted().is_empty() {
            return None;
        }
        for step in (0..out.len()).filter(|&step| out.leads_on(step)) {
            if known.insert(out.state(step).to_vec()) {
                states.push(out.state(step).to_vec());
            }
        }
        next += 1;
        if states.len() > STATES_MAX {
            return None;
        }
    }
    states.pop()
}

/// What holds where processes stand as they do in a state and, if these count, variables have their values.
fn like(model: &GclModel, state: &[Word], with_values: bool) -> Expr {
    let program = model.program();
    let locations = (0..program.processes.len() as u32).map(|number| {
        let location = model.layout().locations[number as usize].get(state);
        Expr::At(ProcessId(number), LocationId(location as u32))
    });
    let elements = (0..program.variables.len() as u32).flat_map(|id| {
        let variable = program.variable(VariableId(id));
        let place = move |index: Option<u32>| Place {
            variable: VariableId(id),
            index: index.map(|index| Box::new(Expr::Const(index as i32))),
            span: Default::default(),
        };
        let places: Vec<Place> = match variable.array {
            None => vec![place(None)],
            Some(length) => (0..length).map(|index| place(Some(index))).collect(),
        };
        let values = (0..).map(move |index| model.layout().element(VariableId(id), index).get(state));
        places.into_iter().zip(values).map(|(place, value)| {
            let (left, right) = (Box::new(Expr::Read(place)), Box::new(Expr::Const(value)));
            Expr::Binary(BinaryOp::Equal, left, right, Default::default())
        })
    });
    let parts: Vec<Expr> = locations.chain(elements.filter(|_| with_values)).collect();
    let both = |left: Expr, right| Expr::Binary(BinaryOp::And, Box::new(left), Box::new(right), Default::default());
    parts.into_iter().reduce(both).unwrap_or(Expr::Const(1))
}

fn steps(outcome: &Outcome) -> usize {
    match &outcome.verdict {
        Verdict::Violated(finding) => finding.trail.stem.len(),
        verdict => panic!("{verdict:?}"),
    }
}

#[test]
fn runs_by_bounds_are_as_short_as_breadth_first_ones() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let own = [("dve", "dve"), ("dmc", "dmc"), ("promela", "pml"), ("self", "pml")];
    let mut paths: Vec<PathBuf> =
        own.iter().flat_map(|(folder, extension)| models(&root.join("models").join(folder), extension)).collect();
    paths.extend(models(&root.join("../shared/corpora/beem"), "dve"));
    let options = SearchOptions {
        deadlocks: false,
        faults: FaultSelection::new(Some(vec![FaultKind::Goal]), Vec::new()),
        ..SearchOptions::default()
    };
    let counted = Counted { deadlocks: false, steps: false };
    let asked = [Estimate::FormulaBound, Estimate::Patterns { patterns: Vec::new(), counted }];
    let (mut compared, mut languages) = (0, HashSet::new());
    // States of breadth-first search, and of A* by each of the estimates.
    let mut visited = [0u64; 3];
    let mut fewer = [0, 0];
    for path in paths {
        let name = path.display().to_string();
        let Some(program) = program(&path) else { continue };
        let bare = Program { checks: Vec::new(), property: None, ..program };
        let Ok(model) = GclModel::new(bare.clone(), Backend::Interpreter) else { continue };
        let Some(last) = last_state(&model) else { continue };
        compared += 1;
        languages.insert(path.extension().map(ToOwned::to_owned));
        for with_values in [true, false] {
            let condition = like(&model, &last, with_values);
            let goal = Check { kind: FaultKind::Goal, condition, text: "the last state".to_owned(), span: None };
            let program = Program { checks: vec![goal], ..bare.clone() };
            let model = GclModel::new(program, Backend::Interpreter).expect("it was one before").estimating(&asked);
            let shortest = check(&model, &TreeStore::new(model.width()), &options, &Monitor::new());
            visited[0] += shortest.statistics.states;
            for number in 0..asked.len() {
                let heuristic = Heuristic(vec![Measure::Estimate(number)]);
                let found = check_a_star(&model, &heuristic, &options, &Monitor::new());
                let context = format!("{name}, with values: {with_values}, {:?}", asked[number]);
                assert_eq!(steps(&found), steps(&shortest), "A*, {context}");
                visited[number + 1] += found.statistics.states;
                fewer[number] += u32::from(found.statistics.states < shortest.statistics.states);
                // Iterative deepening visits states again; where there are many, it takes too long for a test.
                if shortest.statistics.states < 2000 {
                    let found = check_deepening(&model, &heuristic, &options, &Monitor::new());
                    assert_eq!(steps(&found), steps(&shortest), "IDA*, {context}");
                }
            }
        }
    }
    println!(
        "{compared} models; states of BFS, A* by bounds, A* by patterns: {visited:?}; fewer in {fewer:?} of {}",
        2 * compared
    );
    let least = if root.join("../shared/corpora/beem").exists() { 30 } else { 15 };
    assert!(compared >= least && languages.len() == 3, "{compared} models");
    assert!(visited[1] < visited[0] && visited[2] < visited[0], "{visited:?}");
}
