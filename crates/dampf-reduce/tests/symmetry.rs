//! States in canonical form: exactly the canonical forms of the reachable states are reached, with the same kinds of
//! faults, and runs to faults become runs of the bare model.

mod explored;

use dampf_core::{FaultKind, Source, Symmetry, replay};
use dampf_gcl::ir::{Effect, Expr, Place, Process, ProcessId, Program, Sync, Transition, VariableId};
use dampf_gcl::{Backend, GclModel};
use dampf_reduce::{Reduced, Symmetric, lifted};
use dampf_testkit::program::{Size, random_program};
use explored::{Explored, State};
use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

const STATES_MAX: usize = 6_000;

/// Compares a program with and without symmetry. How many states there are, if there are exchanges and not too many.
fn compare(program: &Program, name: &str) -> Option<(usize, usize)> {
    let model = || GclModel::new(program.clone(), Backend::Interpreter).ok().map(Reduced::bare);
    let symmetric = Symmetric::new(model()?);
    if !symmetric.is_on() {
        return None;
    }
    let bare = Symmetric::bare(model()?);
    let all = Explored::new(&bare, STATES_MAX)?;
    let fewer = Explored::new(&symmetric, STATES_MAX).unwrap_or_else(|| panic!("{name}: more states"));
    let canonical = |state: &State| {
        let mut state = state.clone();
        symmetric.model().canonicalise(&mut state);
        state
    };
    let expected: BTreeSet<State> = all.states.keys().map(canonical).collect();
    assert!(expected.iter().all(|state| canonical(state) == *state), "{name}: a canonical form has another");
    let reached: BTreeSet<State> = fewer.states.keys().cloned().collect();
    assert_eq!(reached, expected, "{name}");
    let kinds = |explored: &Explored| explored.faults.keys().map(|fault| fault.kind).collect::<BTreeSet<FaultKind>>();
    assert_eq!(kinds(&fewer), kinds(&all), "{name}");
    for (fault, trail) in &fewer.faults {
        let lifted = lifted(&symmetric, &bare, trail).unwrap_or_else(|| panic!("{name}: {fault} is not lifted"));
        let replayed = replay(&bare, &lifted, true).unwrap_or_else(|error| panic!("{name}: {fault}: {error}"));
        let met = [replayed.fault, replayed.fault_beyond];
        assert!(met.iter().flatten().any(|met| met.kind == fault.kind), "{name}: {fault}, but the run meets {met:?}");
    }
    Some((all.states.len(), fewer.states.len()))
}

/// Gives a process a double, with local variables of its own.
fn double(program: &mut Program, of: usize) {
    let (old, new) = (ProcessId(of as u32), ProcessId(program.processes.len() as u32));
    let mut own = HashMap::new();
    for id in 0..program.variables.len() {
        if program.variables[id].owner == Some(old) {
            let variable = program.variables[id].clone();
            own.insert(VariableId(id as u32), VariableId(program.variables.len() as u32));
            program.variables.push(dampf_gcl::ir::Variable { owner: Some(new), ..variable });
        }
    }
    let doubling = Doubling { old, new, own };
    let process = program.processes[of].clone();
    let transitions = process.transitions.iter().map(|transition| doubling.transition(transition)).collect();
    program.processes.push(Process { name: format!("{}_{}", process.name, new.0), transitions, ..process });
}

struct Doubling {
    old: ProcessId,
    new: ProcessId,
    own: HashMap<VariableId, VariableId>,
}

impl Doubling {
    fn process(&self, id: ProcessId) -> ProcessId {
        if id == self.old { self.new } else { id }
    }

    fn place(&self, place: &Place) -> Place {
        let variable = self.own.get(&place.variable).copied().unwrap_or(place.variable);
        let index = place.index.as_ref().map(|index| Box::new(self.expression(index)));
        Place { variable, index, span: place.span }
    }

    fn expression(&self, expression: &Expr) -> Expr {
        let boxed = |expression: &Expr| Box::new(self.expression(expression));
        match expression {
            Expr::Const(_) | Expr::Length(_) => expression.clone(),
            Expr::Read(place) => Expr::Read(self.place(place)),
            Expr::At(process, location) => Expr::At(self.process(*process), *location),
            Expr::Unary(op, operand) => Expr::Unary(*op, boxed(operand)),
            Expr::Binary(op, left, right, span) => Expr::Binary(*op, boxed(left), boxed(right), *span),
            Expr::Conditional(one, two, three) => Expr::Conditional(boxed(one), boxed(two), boxed(three)),
        }
    }

    fn transition(&self, transition: &Transition) -> Transition {
        let mut transition = transition.clone();
        transition.guard = transition.guard.as_ref().map(|guard| self.expression(guard));
        transition.holder = transition.holder.map(|holder| self.process(holder));
        match &mut transition.sync {
            Some(Sync::Send { values, .. }) => values.iter_mut().for_each(|value| *value = self.expression(value)),
            Some(Sync::Receive { targets, .. }) => targets.iter_mut().for_each(|target| *target = self.place(target)),
            None => {}
        }
        for effect in &mut transition.effects {
            match effect {
                Effect::Assign { target, value, .. } => {
                    (*target, *value) = (self.place(target), self.expression(value));
                }
                Effect::Assert { condition, .. } | Effect::Assume { condition, .. } => {
                    *condition = self.expression(condition);
                }
            }
        }
        transition
    }
}

#[test]
fn random_programs_with_doubles_have_the_same_canonical_forms() {
    let size = Size { processes: 3, locations: 3, transitions: 5, globals: 2, locals: 1, channels: 2, depth: 2 };
    let (mut compared, mut fewer, mut all) = (0, 0, 0);
    for seed in 0..600 {
        let mut program = random_program(seed, size);
        program.property = None;
        let of = seed as usize % program.processes.len();
        for _ in 0..1 + seed % 2 {
            double(&mut program, of);
        }
        if let Some((states, canonical)) = compare(&program, &format!("seed {seed}")) {
            compared += 1;
            (all, fewer) = (all + states, fewer + canonical);
        }
    }
    assert!(compared > 60, "only {compared} programs have exchanges");
    assert!(fewer * 10 < all * 9, "{fewer} of {all} states");
}

#[test]
fn small_models_have_the_same_canonical_forms() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpora/beem");
    let Ok(entries) = std::fs::read_dir(&folder) else {
        println!("skipped: there is no {}", folder.display());
        return;
    };
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "dve"));
    paths.sort();
    for path in paths {
        let name = path.display().to_string();
        let text = std::fs::read_to_string(&path).expect("a readable model");
        let Ok(program) = dampf_dve::parse(Source::new(name.clone(), text)) else { continue };
        if program.property.is_none()
            && let Some((states, canonical)) = compare(&program, &name)
        {
            println!("{name}: {canonical} of {states} states");
        }
    }
}
