//! Promela, the language of SPIN, lowered to guarded commands.
//!
//! Semantics and numbers of states are SPIN's, as `spin -o1 -o2 -o3 -a` and a verifier compiled with `-DSAFETY -DNOREDUCE` have them:
//! the same places in a proctype are states, what happens within `atomic` and `d_step` is one step, and a process that died leaves nothing behind.
//!
//! A text goes through these stages, each of which can be read on its own: `preprocess`, `lexer`, `parser` (a tree, `ast`), `resolve`
//! (names and control, `typed`), `lower` (guarded commands for a set of processes), `prepare` (which processes there can be).

pub mod ast;
mod control;
mod lexer;
mod lower;
mod model;
mod names;
mod parser;
mod prepare;
mod preprocess;
mod problem;
mod resolve;
mod typed;

pub use lower::Instance;
pub use model::PromelaModel;
pub use parser::{read, read_expression};

use dampf_core::{Diagnostic, FaultKind, Trail, Unsupported, replay};
use dampf_gcl::model::Backend;
use std::sync::Arc;

/// A model that was read and understood, and the processes that are known to be possible.
pub struct Promela {
    typed: Arc<typed::Typed>,
    instances: Vec<Instance>,
}

impl Promela {
    /// Understands a model that was read.
    pub fn new(model: &ast::Model) -> Result<Promela, Vec<Diagnostic>> {
        let typed = resolve::resolve(model).map_err(|problems| problem::diagnose(&model.source, problems))?;
        let instances = prepare::initial(&typed);
        Ok(Promela { typed: Arc::new(typed), instances })
    }

    /// The processes that are prepared for.
    pub fn instances(&self) -> &[Instance] {
        &self.instances
    }

    /// Prepares for processes that were found possible before.
    pub fn prepare_for(&mut self, instances: Vec<Instance>) {
        let new: Vec<Instance> = instances.into_iter().filter(|instance| !self.instances.contains(instance)).collect();
        self.instances.extend(new.into_iter().filter(|instance| instance.proctype < self.typed.proctypes.len()));
    }

    /// What the model says about its runs that a check of states and steps does not look at.
    pub fn claims(&self) -> &[String] {
        &self.typed.claims
    }

    /// Finds out by running the model which processes there can be.
    pub fn explore(&mut self) -> Result<(), Unsupported> {
        prepare::explore(&self.typed, &mut self.instances)
    }

    /// The model for the processes that are prepared for. For a search that keeps going, runs go on behind violated assertions,
    /// as SPIN's do.
    pub fn model(&self, backend: Backend, keeps_going: bool) -> Result<PromelaModel, Unsupported> {
        PromelaModel::new(&self.typed, lower::lower(&self.typed, &self.instances, keeps_going)?, backend)
    }

    /// Prepares for the process that the last step of a run would start; whether there is one.
    pub fn learn(&mut self, model: &PromelaModel, trail: &Trail) -> bool {
        let Ok(run) = replay(model, trail) else { return false };
        let unprepared = run.fault.is_some_and(|fault| fault.kind == FaultKind::Unprepared);
        let (Some(state), Some(action), true) = (run.states.last(), trail.actions.last(), unprepared) else {
            return false;
        };
        match model.unprepared(state, *action) {
            Some(instance) if !self.instances.contains(&instance) => {
                self.instances.push(instance);
                true
            }
            _ => false,
        }
    }
}
