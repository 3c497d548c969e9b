//! Promela, the language of SPIN, lowered to guarded commands.
//!
//! Semantics and numbers of states are SPIN's, as `spin -o1 -o2 -o3 -a` and a verifier compiled with
//! `-DSAFETY -DNOREDUCE` have them: the same places in a proctype are states, what happens within `atomic` and `d_step`
//! is one step, and a process that died leaves nothing behind.
//!
//! A text goes through these stages, each of which can be read on its own: `preprocess`, `lexer`, `parser` (a tree,
//! `ast`), `resolve` (names and control, `typed`), `lower` (guarded commands for a set of processes), `prepare` (which
//! processes there can be).

mod assumptions;
pub mod ast;
mod companions;
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

pub use model::PromelaModel;
pub use parser::{read, read_expression};
pub use resolve::Asked;

use assumptions::{Assumptions, Bounds, Subject};
use dampf_core::{Diagnostic, Revise, Unsupported, problem};
use dampf_gcl::model::Backend;
use lower::Instance;
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

/// So many searches may refute assumptions about values before nothing is assumed any more: each of them restarts,
/// however far it was.
const REFUTED_MAX: u32 = 2;

/// What stands at the beginning of a line of knowledge, and for a number that there is none of.
const PROCESS: &str = "process";
const BOUNDS: &str = "bounds";
const NONE: &str = "-";

impl Promela {
    /// Understands a model that was read.
    pub fn new(model: &ast::Model) -> Result<Promela, Vec<Diagnostic>> {
        Promela::asked(model, &[])
    }

    /// Understands a model that was read, and what is asked about its states.
    pub fn asked(model: &ast::Model, asked: &[Asked<'_>]) -> Result<Promela, Vec<Diagnostic>> {
        let typed = resolve::resolve(model, asked)?;
        let instances = prepare::initial(&typed);
        Ok(Promela { typed: Arc::new(typed), instances, assumptions: Assumptions::default(), rounds: 0, refuted: 0 })
    }

    /// All that is known and assumed about processes and values, as text that [`recall`](Self::recall) reads.
    pub fn to_text(&self) -> String {
        let number = |value: Option<usize>| value.map_or_else(|| NONE.to_owned(), |value| value.to_string());
        let process =
            |Instance { pid, proctype, channels }: &Instance| format!("{PROCESS} {pid} {proctype} {channels}\n");
        let bounds = |(Subject { proctype, variable, field }, (least, greatest)): (Subject, Bounds)| {
            format!("{BOUNDS} {} {variable} {} {least} {greatest}\n", number(proctype), number(field))
        };
        self.instances.iter().map(process).chain(self.assumptions.list().into_iter().map(bounds)).collect()
    }

    /// Prepares for what was known before. What is no knowledge of this model is left out: exploring would find it
    /// again.
    pub fn recall(&mut self, text: &str) {
        for line in text.lines() {
            let words: Vec<&str> = line.split(' ').collect();
            match words.as_slice() {
                [PROCESS, pid, proctype, channels] => {
                    if let (Ok(pid), Ok(proctype), Ok(channels)) = (pid.parse(), proctype.parse(), channels.parse()) {
                        self.prepare_for(Instance { pid, proctype, channels });
                    }
                }
                [BOUNDS, proctype, variable, field, least, greatest] => {
                    let number = |word: &str| word.parse().ok();
                    if let (Ok(variable), Ok(least), Ok(greatest)) = (variable.parse(), least.parse(), greatest.parse())
                    {
                        let subject = Subject { proctype: number(proctype), variable, field: number(field) };
                        self.assumptions.assume(subject, (least, greatest));
                    }
                }
                _ => {}
            }
        }
    }

    fn prepare_for(&mut self, instance: Instance) {
        if !self.instances.contains(&instance) && instance.proctype < self.typed.proctypes.len() {
            self.instances.push(instance);
        }
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

    /// The model for the processes that are prepared for. For a search that keeps going, runs go on behind violated
    /// assertions, as SPIN's do.
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
