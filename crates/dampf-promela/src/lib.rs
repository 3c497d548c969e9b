//! Promela, the language of SPIN, lowered to guarded commands.
//!
//! Semantics and numbers of states are SPIN's, as `spin -o1 -o2 -o3 -a` and a verifier compiled with `-DSAFETY -DNOREDUCE` have them:
//! the same places in a proctype are states, what happens within `atomic` and `d_step` is one step, and a process that died leaves nothing behind.
//!
//! A text goes through these stages, each of which can be read on its own: `preprocess`, `lexer`, `parser` (a tree, `ast`), `resolve`
//! (names and control, `typed`), `lower` (guarded commands for a set of processes), `prepare` (which processes there can be).

mod assumptions;
pub mod ast;
mod control;
mod lexer;
mod lower;
mod model;
mod names;
mod parser;
mod prepare;
mod preprocess;
mod refutation;
mod resolve;
mod typed;

pub use assumptions::{Bounds, Subject};
pub use lower::Instance;
pub use model::PromelaModel;
pub use parser::{read, read_expression};

use assumptions::Assumptions;
use dampf_core::{Diagnostic, Revise, Unsupported, problem};
use dampf_gcl::model::Backend;
use refutation::Refutation;
use std::sync::Arc;

/// A model that was read and understood, and the processes that are known to be possible.
pub struct Promela {
    typed: Arc<typed::Typed>,
    instances: Vec<Instance>,
    assumptions: Assumptions,
    /// How many processes searches have met that were not prepared for.
    rounds: u32,
    /// How many searches have refuted an assumption about values.
    refuted: u32,
}

/// So many searches may refute assumptions about values before nothing is assumed any more: each of them restarts, however far it was.
const REFUTED_MAX: u32 = 2;

impl Promela {
    /// Understands a model that was read.
    pub fn new(model: &ast::Model) -> Result<Promela, Vec<Diagnostic>> {
        let typed = resolve::resolve(model).map_err(|problems| problem::diagnose(&model.source, problems))?;
        let instances = prepare::initial(&typed);
        Ok(Promela { typed: Arc::new(typed), instances, assumptions: Assumptions::default(), rounds: 0, refuted: 0 })
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

    /// Finds out by running the model which processes there can be, and what values variables take.
    pub fn explore(&mut self) -> Result<(), Unsupported> {
        self.assumptions = prepare::explore(&self.typed, &mut self.instances)?;
        Ok(())
    }

    /// What is assumed about values, to be kept with a trail.
    pub fn assumptions(&self) -> Vec<(Subject, Bounds)> {
        self.assumptions.list()
    }

    /// Assumes what was assumed before.
    pub fn assume(&mut self, assumptions: &[(Subject, Bounds)]) {
        assumptions.iter().for_each(|(subject, bounds)| self.assumptions.assume(*subject, *bounds));
    }

    /// The model for the processes that are prepared for. For a search that keeps going, runs go on behind violated assertions,
    /// as SPIN's do.
    pub fn model(&self, backend: Backend, keeps_going: bool) -> Result<PromelaModel, Unsupported> {
        PromelaModel::new(
            &self.typed,
            lower::lower(&self.typed, &self.instances, &self.assumptions, keeps_going)?,
            backend,
        )
    }

    /// Assumes less, because something that was assumed is wrong.
    fn doubt(&mut self) {
        self.refuted += 1;
        if self.refuted < REFUTED_MAX {
            self.assumptions.widen();
        } else {
            self.assumptions.clear();
        }
    }

    /// Prepares for what a search has refuted; whether that is something new.
    pub fn learn(&mut self, refuted: &[Revise]) -> bool {
        let assumed = self.assumptions.clone();
        let refutations = refuted.iter().filter_map(|revise| Refutation::decode(&revise.facts));
        let new = refutations.fold(false, |some, refutation| self.learn_from(refutation) | some);
        if self.assumptions != assumed {
            self.doubt();
        }
        new
    }

    fn learn_from(&mut self, refutation: Refutation) -> bool {
        match refutation {
            Refutation::Process(instance) if !self.instances.contains(&instance) => {
                self.rounds += 1;
                prepare::add_with_followers(&self.typed, &mut self.instances, instance, self.rounds);
                true
            }
            Refutation::Process(_) => false,
            Refutation::Values(subjects) => {
                subjects.into_iter().fold(false, |some, subject| self.assumptions.give_up(subject) | some)
            }
        }
    }
}
