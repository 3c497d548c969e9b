//! States and steps of a guarded-command program, as people read them.

use crate::expression_text::{expression_text, place_text};
use crate::faults::collapsed;
use crate::interpreter::Interpreter;
use crate::ir::{BinaryOp, Expr, ProcessId, Program, Sync, Transition, VariableId};
use crate::layout::{Buffer, Layout};
use crate::model::GclModel;
use dampf_core::{Action, Binding, Describe, SourceLocation, Step, Word};

impl Describe for GclModel {
    /// The location of each process, then every variable, then the contents of every buffered channel.
    /// While a process holds the system, it is named last.
    fn describe_state(&self, state: &[Word]) -> Vec<Binding> {
        let (program, layout, interpreter) = (self.program(), self.layout(), self.interpreter());
        let mut bindings = Vec::new();
        for (number, process) in program.processes.iter().enumerate() {
            let location = interpreter.location(ProcessId(number as u32), state);
            let value = process.locations[location.0 as usize].name.clone();
            bindings.push(Binding { name: process.name.clone(), value });
        }
        for id in (0..program.variables.len() as u32).map(VariableId) {
            bindings
                .push(Binding { name: program.variable_name(id), value: variable_text(program, layout, id, state) });
        }
        for (channel, buffer) in program.channels.iter().zip(&layout.channels) {
            if let Some(buffer) = buffer {
                bindings.push(Binding { name: channel.name.clone(), value: buffer_text(buffer, state) });
            }
        }
        if let Some(holder) = interpreter.holder(state) {
            bindings.push(Binding { name: "atomic".to_owned(), value: program.process(holder).name.clone() });
        }
        bindings
    }

    fn describe_step(&self, _before: &[Word], action: Action) -> Step {
        let program = self.program();
        let action = self.actions()[action.front_end() as usize];
        let mover = program.process(action.process);
        let transition = &mover.transitions[action.transition];
        let mut step = Step {
            process: mover.name.clone(),
            function: mover.locations[transition.source.0 as usize].name.clone(),
            location: Some(program.source.location(transition.span)),
            text: transition_text(program, transition),
        };
        if let Some((receiver, receiving)) = action.partner {
            let receiver = program.process(receiver);
            step.process = format!("{}, {}", step.process, receiver.name);
            step.text = format!("{} | {}", step.text, transition_text(program, &receiver.transitions[receiving]));
        }
        step
    }

    fn describe_blocked(&self, state: &[Word]) -> Vec<String> {
        let processes = (0..self.program().processes.len() as u32).map(ProcessId);
        processes.map(|process| blocked_process(self.interpreter(), process, state)).collect()
    }
}

fn transition_text(program: &Program, transition: &Transition) -> String {
    collapsed(program.source.slice(transition.span))
}

fn variable_text(program: &Program, layout: &Layout, id: VariableId, state: &[Word]) -> String {
    match program.variable(id).array {
        None => layout.element(id, 0).get(state).to_string(),
        Some(len) => list((0..len).map(|index| layout.element(id, index).get(state).to_string())),
    }
}

fn buffer_text(buffer: &Buffer, state: &[Word]) -> String {
    let length = buffer.length.get(state) as u32;
    list((0..length).map(|slot| {
        let fields: Vec<String> = buffer.slots.iter().map(|slots| slots.element(slot).get(state).to_string()).collect();
        match fields.as_slice() {
            [one] => one.clone(),
            several => format!("({})", several.join(", ")),
        }
    }))
}

fn list(items: impl Iterator<Item = String>) -> String {
    format!("[{}]", items.collect::<Vec<_>>().join(", "))
}

/// Where a process stands, and for each transition from there why it cannot be taken.
fn blocked_process(interpreter: &Interpreter, id: ProcessId, state: &[Word]) -> String {
    let process = interpreter.program().process(id);
    let source = interpreter.location(id, state);
    let location = &process.locations[source.0 as usize];
    let SourceLocation { file, line, .. } = interpreter.program().source.location(location.span);
    let mut reasons: Vec<String> = Vec::new();
    if interpreter.is_kept_by_commitment(id, state) {
        reasons.push("waits for a process in a committed location".to_owned());
    }
    for transition in process.transitions.iter().filter(|transition| transition.source == source) {
        let reason = why_disabled(interpreter, transition, state);
        if !reasons.contains(&reason) {
            reasons.push(reason);
        }
    }
    if reasons.is_empty() {
        reasons.push("no transition leaves it".to_owned());
    }
    format!("{} at {} ({file}:{line}): {}", process.name, location.name, reasons.join("; "))
}

fn why_disabled(interpreter: &Interpreter, transition: &Transition, state: &[Word]) -> String {
    let program = interpreter.program();
    if let Some(guard) = &transition.guard {
        match false_conjunct(interpreter, guard, state) {
            Ok(None) => {}
            Ok(Some(conjunct)) => return format!("`{}` is false", expression_text(program, conjunct)),
            Err(fault) => return fault.message,
        }
    }
    let Some(sync) = &transition.sync else { return "can move".to_owned() };
    let (channel, name) = (sync.channel(), &program.channel(sync.channel()).name);
    let buffer = interpreter.layout().channels[channel.0 as usize].as_ref();
    let length = buffer.map(|buffer| buffer.length.get(state) as u32);
    match (sync, length) {
        (Sync::Send { values, .. }, None) => {
            let values: Vec<String> = values.iter().map(|value| expression_text(program, value)).collect();
            format!("nobody receives `{name}!{}`", values.join(", "))
        }
        (Sync::Receive { targets, .. }, None) => {
            let targets: Vec<String> = targets.iter().map(|target| place_text(program, target)).collect();
            format!("nobody sends for `{name}?{}`", targets.join(", "))
        }
        (Sync::Send { .. }, Some(length)) if length >= program.channel(channel).capacity => {
            format!("channel `{name}` is full")
        }
        (Sync::Receive { .. }, Some(0)) => format!("channel `{name}` is empty"),
        _ => "can move".to_owned(),
    }
}

/// The first conjunct of a guard that is false.
fn false_conjunct<'e>(
    interpreter: &Interpreter,
    guard: &'e Expr,
    state: &[Word],
) -> Result<Option<&'e Expr>, dampf_core::Fault> {
    if let Expr::Binary(BinaryOp::And, left, right, _) = guard {
        return match false_conjunct(interpreter, left, state)? {
            Some(conjunct) => Ok(Some(conjunct)),
            None => false_conjunct(interpreter, right, state),
        };
    }
    Ok((interpreter.evaluate(guard, state)? == 0).then_some(guard))
}
