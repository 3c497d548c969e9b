//! From a tree to a guarded-command program.
//!
//! Three passes, because DVE lets a process speak of processes that come later: first every name is
//! declared (with sizes and initial values, which need only what stands before them), then the arity of
//! untyped channels is read off their uses, then transitions and assertions are lowered. Errors are
//! collected over all passes; a declaration with an error still declares its name, so that its uses are no
//! errors too.

mod constant;
mod declarations;
mod expression;
mod fitting;
mod transitions;

pub use declarations::constants;
pub use expression::ExpressionLowering;

use crate::ast;
use crate::names::{Names, ProcessNames};
use crate::problem::{Checked, DIAGNOSTICS_MAX, Problem};
use dampf_core::{FaultKind, Source, Span};
use dampf_gcl::ir::{
    BinaryOp, Channel, Check, Expr, Location, LocationId, Process, ProcessId, Program, Sync, UnaryOp, Variable,
};
use std::path::Path;
use std::sync::Arc;

/// Pairs of a sending and a receiving transition, over all rendezvous channels; each is a possible step.
const PAIRS_MAX: u64 = 1_000_000;

pub fn lower(source: &Arc<Source>, model: &ast::Model<'_>) -> Result<Program, Vec<Problem>> {
    let mut lowering = Lowering::default();
    lowering.declare(model);
    lowering.infer_channel_arities(model);
    let mut program = lowering.processes(source, model);
    if model.processes.len() == usize::from(lowering.property.is_some()) {
        let problem = Problem::new(model.system, "the model has no processes", "a system of nothing");
        lowering.problems.push(*problem.help("a model has at least one: `process P { state s; init s; }`"));
    }
    lowering.check_pairs(&program);
    if !lowering.problems.is_empty() {
        return Err(lowering.problems);
    }
    program.variables = lowering.variables;
    program.channels = lowering.channels;
    Ok(program)
}

#[derive(Default)]
struct Lowering {
    names: Names,
    variables: Vec<Variable>,
    channels: Vec<Channel>,
    /// For each channel, whether its fields are to be inferred from its first use.
    untyped: Vec<bool>,
    /// The index of the property among the processes of the text.
    property: Option<usize>,
    /// Elements of all arrays and buffers so far.
    elements: u64,
    problems: Vec<Problem>,
}

impl Lowering {
    fn report<T>(&mut self, outcome: Checked<T>) -> Option<T> {
        outcome.map_err(|problem| self.problems.push(*problem)).ok()
    }

    /// Whether there are more problems than will be shown: then it is not worth looking for others.
    fn is_hopeless(&self) -> bool {
        self.problems.len() > DIAGNOSTICS_MAX
    }

    fn processes(&mut self, source: &Arc<Source>, model: &ast::Model<'_>) -> Program {
        let stem = Path::new(&source.path).file_stem().map(|stem| stem.to_string_lossy().into_owned());
        let mut program = Program {
            name: stem.unwrap_or_default(),
            source: Arc::clone(source),
            variables: Vec::new(),
            channels: Vec::new(),
            processes: Vec::new(),
            checks: Vec::new(),
            propositions: Vec::new(),
            estimates: Vec::new(),
            property: None,
            has_error_state: true,
            error_location: None,
            has_compound_steps: false,
            timeout: None,
        };
        for (index, process) in model.processes.iter().enumerate() {
            if self.is_hopeless() {
                break;
            }
            let lowered = self.process(index, process);
            if self.property == Some(index) {
                self.check_property(process);
                program.property = Some(lowered);
            } else {
                program.processes.push(lowered);
                self.assertions(source, index, process, &mut program.checks);
            }
        }
        program
    }

    fn process(&mut self, index: usize, process: &ast::Process<'_>) -> Process {
        let mut locations: Vec<Location> = process.states.iter().map(location).collect();
        for id in self.locations(index, &process.committed) {
            locations[id].committed = true;
        }
        for id in self.locations(index, &process.accepting) {
            locations[id].accepting = true;
        }
        let initial = self.initial_location(index, process);
        let initial = self.report(initial).unwrap_or(LocationId(0));
        let mut transitions = Vec::new();
        for transition in &process.transitions {
            transitions.extend(self.transition(index, transition));
            if self.is_hopeless() {
                break;
            }
        }
        Process { name: process.name.text.to_owned(), locations, initial, transitions, span: process.span }
    }

    /// The numbers of the states that are named; those that do not exist are reported.
    fn locations(&mut self, index: usize, names: &[ast::Name<'_>]) -> Vec<usize> {
        let mut found = Vec::new();
        for name in names {
            let id = self.names.processes[index].location(*name);
            found.extend(self.report(id).map(|id| id.0 as usize));
            if self.is_hopeless() {
                break;
            }
        }
        found
    }

    fn initial_location(&self, index: usize, process: &ast::Process<'_>) -> Checked<LocationId> {
        let name = process.name;
        if process.states.is_empty() {
            let problem = Problem::new(name.span, format!("process `{}` has no states", name.text), "this process");
            return Err(problem.help("declare them: `state a, b;`"));
        }
        match process.initial[..] {
            [] => {
                let message = format!("process `{}` has no initial state", name.text);
                let problem = Problem::new(name.span, message, "starts where?");
                Err(problem.help(format!("name one: `init {};`", process.states[0].text)))
            }
            [only] => self.names.processes[index].location(only),
            [_, second, ..] => {
                let message = format!("process `{}` has more than one initial state", name.text);
                Err(Problem::new(second.span, message, "the second one"))
            }
        }
    }

    fn assertions(&mut self, source: &Source, index: usize, process: &ast::Process<'_>, checks: &mut Vec<Check>) {
        for (state, condition) in &process.assertions {
            let check = self.assertion(source, index, *state, condition);
            checks.extend(self.report(check));
            if self.is_hopeless() {
                break;
            }
        }
    }

    fn assertion(
        &mut self,
        source: &Source,
        index: usize,
        state: ast::Name<'_>,
        condition: &ast::Expr<'_>,
    ) -> Checked<Check> {
        let process = &self.names.processes[index];
        let location = process.location(state)?;
        let id = process.id.unwrap_or(ProcessId(0));
        let words: Vec<&str> = source.slice(condition.span).split_whitespace().collect();
        let text = format!("{} at {}.{}", words.join(" "), process.name, state.text);
        let condition_span = condition.span;
        let condition = self.expressions(Some(index)).expression(condition)?;
        let elsewhere = Expr::Unary(UnaryOp::Not, Box::new(Expr::At(id, location)));
        let condition = expression::binary(BinaryOp::Or, elsewhere, condition, condition_span);
        Ok(Check { kind: FaultKind::Assertion, condition, text, span: Some(condition_span) })
    }

    /// A property automaton only watches.
    fn check_property(&mut self, process: &ast::Process<'_>) {
        let offences = process.transitions.iter().filter_map(|transition| {
            let sync = transition.sync.as_ref().map(|sync| sync.span);
            sync.or_else(|| transition.effects.first().map(|effect| effect.span))
        });
        let offences: Vec<Span> = offences.chain(process.assertions.iter().map(|(state, _)| state.span)).collect();
        for span in offences {
            let message = format!("the property `{}` does more than watch", process.name.text);
            let problem = Problem::new(span, message, "not allowed in a property");
            self.problems.push(*problem.help("the transitions of a property process have guards only"));
        }
    }

    fn check_pairs(&mut self, program: &Program) {
        let mut uses = vec![(0u64, 0u64); self.channels.len()];
        for transition in program.processes.iter().flat_map(|process| &process.transitions) {
            match &transition.sync {
                Some(Sync::Send { channel, .. }) => uses[channel.0 as usize].0 += 1,
                Some(Sync::Receive { channel, .. }) => uses[channel.0 as usize].1 += 1,
                None => {}
            }
        }
        let mut pairs = 0;
        for (channel, (sends, receives)) in self.channels.iter().zip(uses) {
            pairs += if channel.capacity == 0 { sends * receives } else { 0 };
            if pairs > PAIRS_MAX {
                let message = format!("there are more than {PAIRS_MAX} pairs of a send and a receive");
                let problem = Problem::new(channel.span, message, "one too many on this channel");
                self.problems.push(*problem);
                return;
            }
        }
    }

    /// Lowers expressions as they stand in a process, or outside of all.
    fn expressions(&mut self, within: Option<usize>) -> ExpressionLowering<'_> {
        ExpressionLowering::in_model(&self.names, &mut self.variables, within)
    }
}

fn location(name: &ast::Name<'_>) -> Location {
    Location { name: name.text.to_owned(), committed: false, end: false, accepting: false, span: name.span }
}

/// The names of the processes of a text, without their contents.
fn process_names(model: &ast::Model<'_>, property: Option<usize>) -> Vec<ProcessNames> {
    let mut next = 0;
    let number = |(index, process): (usize, &ast::Process<'_>)| {
        let id = (property != Some(index)).then_some(ProcessId(next));
        next += u32::from(id.is_some());
        ProcessNames::new(process.name.text, id)
    };
    model.processes.iter().enumerate().map(number).collect()
}
