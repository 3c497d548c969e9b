//! A plain breadth-first search over the reference interpreter, which says what the tests compare.

// Every test file is a crate of its own and uses its part of this.
#![allow(dead_code)]

use dampf_core::{FaultKind, Model, Source, Successors, Word, Worker};
use dampf_gcl::ir::Program;
use dampf_gcl::{Backend, GclModel};
use std::collections::HashSet;
use std::path::{Path, PathBuf};

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Explored {
    pub states: u64,
    pub transitions: u64,
    /// The initial state is the first level.
    pub levels: u64,
    /// Steps that end in a fault.
    pub faulty_steps: u64,
    /// The first fault that the search meets: of a state, of a step, or a deadlock.
    pub first_fault: Option<FaultKind>,
}

pub fn explore(program: Program) -> Explored {
    let model = GclModel::new(program, Backend::Interpreter).expect("the interpreter takes every program");
    let mut worker = model.worker();
    let mut out = Successors::new(model.width());
    worker.initial(&mut out);
    let mut found = Explored::default();
    let mut visited: HashSet<Box<[Word]>> = HashSet::new();
    let mut level: Vec<Box<[Word]>> = vec![out.state(0).into()];
    visited.insert(out.state(0).into());
    while !level.is_empty() {
        found.levels += 1;
        let mut next = Vec::new();
        for state in &level {
            worker.successors(state, &mut out);
            found.transitions += out.len() as u64;
            found.faulty_steps += out.faults().len() as u64;
            let deadlock = (out.is_empty() && !out.valid_end()).then_some(FaultKind::Deadlock);
            let fault = out.state_fault().map(|fault| fault.kind).or(deadlock);
            let fault = fault.or(out.faults().first().map(|(_, fault)| fault.kind));
            found.first_fault = found.first_fault.or(fault);
            for index in (0..out.len()).filter(|index| out.leads_on(*index)) {
                if !visited.contains(out.state(index)) {
                    visited.insert(out.state(index).into());
                    next.push(out.state(index).into());
                }
            }
        }
        level = next;
    }
    found.states = visited.len() as u64;
    found
}

pub fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The folder of BEEM, where it is at hand; says so where it is not.
pub fn beem() -> Option<PathBuf> {
    let folder = workspace().join("../shared/corpora/beem");
    if folder.is_dir() {
        return Some(folder);
    }
    println!("skipped: the BEEM models are not at {}", folder.display());
    None
}

/// The models of a folder, by name.
pub fn models(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let paths = entries.map(|entry| entry.expect("a folder can be listed").path());
    let mut models: Vec<PathBuf> = paths.filter(|path| path.extension().is_some_and(|end| end == "dve")).collect();
    models.sort();
    models
}

pub fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

pub fn parse(path: &Path) -> Program {
    let source = Source::new(path.display().to_string(), read(path));
    dampf_dve::parse(source).unwrap_or_else(|errors| {
        let lines: Vec<String> = errors.iter().map(ToString::to_string).collect();
        panic!("{}", lines.join("\n"))
    })
}
