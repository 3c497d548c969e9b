//! Optional knowledge about a model, in small traits that a layer or a tool asks for.

use crate::{Action, Model, SourceLocation, Word};

/// A named value of a state, as people see it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Binding {
    pub name: String,
    pub value: String,
}

/// A step, as people see it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// Who moved; two names joined by `, ` where two processes moved together.
    pub process: String,
    /// The function or control location the step starts from.
    pub function: String,
    pub location: Option<SourceLocation>,
    /// The source text of the step.
    pub text: String,
}

/// A thread and the calls it is in, as people see them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CallStack {
    pub thread: String,
    /// Function and place, the innermost first.
    pub calls: Vec<(String, SourceLocation)>,
}

/// Describes states and steps for people.
pub trait Describe: Model {
    /// Every variable with its value, in declaration order.
    fn describe_state(&self, state: &[Word]) -> Vec<Binding>;

    /// What `action` does when it is taken in `before`.
    fn describe_step(&self, before: &[Word], action: Action) -> Step;

    /// What the step is made of, where it is made of several: what one process did in a row, say.
    fn describe_parts(&self, before: &[Word], action: Action) -> Vec<Step> {
        vec![self.describe_step(before, action)]
    }

    /// For a state without successors: one line per process that says what it waits for.
    fn describe_blocked(&self, state: &[Word]) -> Vec<String>;

    /// Where the threads are at the end of a run: their call stacks, innermost call first, in a state or, where the last step is a
    /// faulty one, at its fault. Nothing for languages without calls.
    fn describe_stacks(&self, state: &[Word], faulty: Option<Action>) -> Vec<CallStack> {
        let _ = (state, faulty);
        Vec::new()
    }
}

/// What the steps of a model read and write, for reductions. Objects are numbered by the model: variables,
/// channels, control locations.
pub trait Dependencies: Model {
    /// Labels run from 0 to this number.
    fn action_count(&self) -> usize;
    fn object_count(&self) -> usize;
    /// Objects whose value decides whether the step is enabled.
    fn enabling(&self, action: usize) -> &[u32];
    /// Objects whose value the step uses, its guard included. Ascending.
    fn reads(&self, action: usize) -> &[u32];
    /// Objects the step may change. Ascending.
    fn writes(&self, action: usize) -> &[u32];
    /// Steps that `action` may enable, being disabled before it.
    fn enables(&self, action: usize) -> &[u32];
    /// Steps that `action` may disable, being enabled before it.
    fn disables(&self, action: usize) -> &[u32];
}

/// Boolean observations of a state, for properties.
pub trait Propositions: Model {
    fn proposition_count(&self) -> usize;
    fn proposition_name(&self, proposition: usize) -> &str;
    fn holds(&self, proposition: usize, state: &[Word]) -> bool;
}

/// Moves states between processes that do not share their component tables.
///
/// A model whose states hold no component ids needs nothing but the default: the words travel as they are.
pub trait Transfer: Model {
    /// The word positions that hold component ids.
    fn component_words(&self) -> &[usize] {
        &[]
    }
}
