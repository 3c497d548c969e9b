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
mod property;
mod refutation;
mod resolve;
mod typed;

pub use model::PromelaModel;
pub use parser::{read, read_expression};
pub use property::Property;
pub use resolve::Asked;

use assumptions::{Assumptions, Bounds, Site, Subject};
use dampf_core::{Automaton, Diagnostic, FaultKind, Revise, Unsupported, problem};
use dampf_gcl::model::Backend;
use lower::Instance;
use property::Watch;
use refutation::Refutation;
use std::collections::BTreeSet;
use std::sync::Arc;

/// A model that was read and understood, and the processes that are known to be possible.
pub struct Promela {
    /// As it was read, for properties, which may give it further places.
    model: ast::Model,
    asked: Vec<(FaultKind, String)>,
    /// What looks at its runs.
    watches: Vec<Watch>,
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
const CHOICES: &str = "choices";
const OPEN: &str = "open";
const NONE: &str = "-";

fn site([proctype, state, edge, alternative]: [u32; 4]) -> Site {
    let [proctype, state, edge, alternative] = [proctype, state, edge, alternative].map(|number| number as usize);
    Site { proctype, state, edge, alternative }
}

impl Promela {
    /// Understands a model that was read.
    pub fn new(model: &ast::Model) -> Result<Promela, Vec<Diagnostic>> {
        Promela::asked(model, &[])
    }

    /// Understands a model that was read, and what is asked about its states.
    pub fn asked(model: &ast::Model, asked: &[Asked<'_>]) -> Result<Promela, Vec<Diagnostic>> {
        let typed = resolve::resolve(model, asked, &[])?;
        let instances = prepare::initial(&typed);
        Ok(Promela {
            model: model.clone(),
            asked: asked.iter().map(|asked| (asked.kind, asked.text.to_owned())).collect(),
            watches: Vec::new(),
            typed: Arc::new(typed),
            instances,
            assumptions: Assumptions::default(),
            rounds: 0,
            refuted: 0,
        })
    }

    /// The properties that the model names, in the order of its text.
    pub fn properties(&self) -> Vec<Property> {
        let text = |name: &Option<ast::Name>| name.as_ref().map(|name| name.text.clone());
        let properties = self.model.units.iter().filter_map(|unit| match unit {
            ast::Unit::Never(claim) => Some(Property::Never { name: text(&claim.name) }),
            ast::Unit::Ltl(ltl) => Some(Property::Formula { name: text(&ltl.name), text: ltl.formula.clone() }),
            ast::Unit::Trace { is_negated, .. } => Some(Property::Trace { is_negated: *is_negated }),
            _ => None,
        });
        properties.collect()
    }

    /// Makes expressions in the model's own language further propositions of the models that are made from here on, in
    /// this order; returns the number of the first. They are about states, as claims are: global variables, channels,
    /// `P[i]@label`, `P[i]:x`, `_last`.
    ///
    /// This, [`claim`](Self::claim) and [`non_progress`](Self::non_progress) come before [`explore`](Self::explore):
    /// labels that properties name are places of their own, so that what is known of places is forgotten.
    pub fn observe(&mut self, atoms: &[String]) -> Result<u32, Vec<Diagnostic>> {
        Ok(self.watch(Watch::Atoms(atoms.to_vec()))?.0)
    }

    /// Has the models that are made from here on estimate how many steps are left by these expressions, which are then
    /// [`Estimate::Value`](dampf_gcl::Estimate::Value)s; returns the number of the first. Like
    /// [`observe`](Self::observe).
    pub fn estimate_by(&mut self, expressions: &[String]) -> Result<usize, Vec<Diagnostic>> {
        let first = self.typed.estimates.len();
        self.watch(Watch::Estimates(expressions.to_vec()))?;
        Ok(first)
    }

    /// Makes an automaton of the never claim with a name, or of the first one. Its conditions become propositions of
    /// the models that are made from here on.
    pub fn claim(&mut self, name: Option<&str>) -> Result<Automaton, Vec<Diagnostic>> {
        Ok(self.watch(Watch::Claim(name.map(str::to_owned)))?.1)
    }

    /// The automaton of runs that make no progress from some time on, as SPIN's option `-l` has it. Accepting places of
    /// the model itself do not count in the models that are made from here on.
    pub fn non_progress(&mut self) -> Result<Automaton, Vec<Diagnostic>> {
        Ok(self.watch(Watch::NonProgress)?.1)
    }

    /// Whether processes have accepting places (labels that begin with `accept`), which count as those of a claim do.
    ///
    /// Within atomic sequences they count where a sequence blocks, and nowhere else. But a verifier of SPIN that is not
    /// asked for fairness also counts the place of a last statement that it passes, if the step happens to lead to a
    /// state that its search came from; so a model with such a label has no verdict that one could compare.
    pub fn acceptance(&self, is_fair: bool) -> Result<bool, Unsupported> {
        let controls = || self.typed.proctypes.iter().map(|proctype| &proctype.control);
        if !is_fair && controls().any(property::has_passing_acceptance) {
            let what = "an accept label at the last statement of an atomic sequence";
            return Err(Unsupported { what: what.to_owned() });
        }
        Ok(controls().flat_map(|control| &control.states).any(|state| state.is_accepting))
    }

    /// One more that watches: the number of its first proposition, and its automaton if it has one.
    fn watch(&mut self, watch: Watch) -> Result<(u32, Automaton), Vec<Diagnostic>> {
        self.watches.push(watch);
        let asked: Vec<Asked<'_>> = self.asked.iter().map(|(kind, text)| Asked { kind: *kind, text }).collect();
        self.typed = Arc::new(resolve::resolve(&self.model, &asked, &self.watches)?);
        self.assumptions = Assumptions::default();
        Ok(self.typed.watched.last().cloned().unwrap_or_default())
    }

    /// All that is known and assumed about processes and values, as text that [`recall`](Self::recall) reads.
    pub fn to_text(&self) -> String {
        let number = |value: Option<usize>| value.map_or_else(|| NONE.to_owned(), |value| value.to_string());
        let process =
            |Instance { pid, proctype, channels }: &Instance| format!("{PROCESS} {pid} {proctype} {channels}\n");
        let bounds = |(Subject { proctype, variable, field }, (least, greatest)): (Subject, Bounds)| {
            format!("{BOUNDS} {} {variable} {} {least} {greatest}\n", number(proctype), number(field))
        };
        let place = |Site { state, edge, alternative, .. }: Site| format!("{state} {edge} {alternative}");
        let choices = |(Instance { pid, proctype, channels }, site, choices): (Instance, Site, &BTreeSet<u32>)| {
            let choices: Vec<String> = choices.iter().map(u32::to_string).collect();
            format!("{CHOICES} {pid} {proctype} {channels} {} {}\n", place(site), choices.join(" "))
        };
        let open = |site: Site| format!("{OPEN} {} {}\n", site.proctype, place(site));
        let values = self.assumptions.list().into_iter().map(bounds);
        let choices = self.assumptions.expected().map(choices).chain(self.assumptions.open_sites().map(open));
        self.instances.iter().map(process).chain(values).chain(choices).collect()
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
                [CHOICES, rest @ ..] => {
                    let numbers = rest.iter().map(|word| word.parse()).collect::<Result<Vec<u32>, _>>();
                    if let Ok([pid, proctype, channels, state, edge, alternative, choices @ ..]) = numbers.as_deref() {
                        let instance = Instance { pid: *pid, proctype: *proctype as usize, channels: *channels };
                        let site = site([*proctype, *state, *edge, *alternative]);
                        for choice in choices {
                            self.assumptions.expect(instance, site, *choice);
                        }
                    }
                }
                [OPEN, rest @ ..] => {
                    let numbers = rest.iter().map(|word| word.parse()).collect::<Result<Vec<u32>, _>>();
                    if let Ok(&[proctype, state, edge, alternative]) = numbers.as_deref() {
                        self.assumptions.open(site([proctype, state, edge, alternative]));
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
        let assumed = self.assumptions.value_count();
        let refutations = refuted.iter().filter_map(|revise| Refutation::decode(&revise.facts));
        let new = refutations.fold(false, |some, refutation| self.learn_from(refutation) | some);
        if self.assumptions.value_count() < assumed {
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
            Refutation::Choice(instance, site, choice) => self.assumptions.surprise(instance, site, choice),
            Refutation::Values(subjects) => {
                subjects.into_iter().fold(false, |some, subject| self.assumptions.give_up(subject) | some)
            }
        }
    }
}
