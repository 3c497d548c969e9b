//! States and steps of a program, for people.

use crate::faults::short_name;
use crate::hooks::Ways;
use crate::machine::Machine;
use crate::model::{ObjectModel, ObjectWorker, parts};
use crate::places::{cut, cut_before};
use crate::program::is_users;
use crate::spin_counters::LAST_TRY;
use crate::step_log::{Event, ToldAccess};
use crate::thread::Status;
use crate::variables::changed_globals;
use dampf_core::{Action, Binding, CallStack, Change, Describe, Model, SourceLocation, Step, Word};
use std::sync::Mutex;

const A0: usize = 10;

impl Describe for ObjectModel {
    fn describe_state(&self, state: &[Word]) -> Vec<Binding> {
        let mut worker = self.worker();
        worker.machine.load(state);
        worker.machine.global_bindings()
    }

    fn describe_step(&self, before: &[Word], action: Action) -> Step {
        self.describe_parts(before, action).swap_remove(0)
    }

    fn describe_parts(&self, before: &[Word], action: Action) -> Vec<Step> {
        let (slot, way) = parts(action);
        let mut worker = self.worker();
        worker.machine.load(before);
        worker.machine.step.is_told = true;
        let machine = &mut worker.machine;
        if slot as usize >= machine.slots() || !machine.threads[slot as usize].is_alive() {
            return vec![Step { process: String::new(), function: String::new(), location: None, text: String::new() }];
        }
        machine.threads.running = slot;
        let hart = machine.threads.hart_mut(slot).clone();
        let pc = machine.user_pc(&hart);
        let (location, function) = (machine.told_location(pc, slot), machine.function_name(pc));
        let waking = machine.waking(slot, way % LAST_TRY);
        let process = machine.thread_name(slot);
        let Followed { events, output, .. } = worker.follow(before, slot, way);
        let mut events = events.into_iter().peekable();
        let first = events.next_if(|event| event.is_first).and_then(|event| event.text);
        let first = first.map(|first| if way >= LAST_TRY { format!("{first}, in its last try") } else { first });
        let notes = [waking.or(first), output];
        let first = Step { process, function, text: told_text(&location, notes), location };
        let further = events.map(|event| {
            let Event { thread, location, function, text, .. } = event;
            Step { process: thread, function, text: told_text(&location, [text, None]), location }
        });
        std::iter::once(first).chain(further).collect()
    }

    fn describe_changes(&self, before: &[Word], after: &[Word]) -> Option<Vec<Change>> {
        let (mut former, mut latter) = (self.worker(), self.worker());
        former.machine.load(before);
        latter.machine.load(after);
        Some(changed_globals(&former.machine, &latter.machine))
    }

    fn describe_library_calls(&self, before: &[Word], action: Action) -> Vec<(String, SourceLocation)> {
        let mut worker = self.worker();
        worker.machine.load(before);
        let (slot, _) = parts(action);
        let is_there = worker.machine.threads.alive_slots().contains(&slot);
        if is_there { worker.machine.library_calls(slot) } else { Vec::new() }
    }

    fn describe_stacks(&self, state: &[Word], faulty: Option<Action>) -> Vec<CallStack> {
        self.stacks(state, faulty)
    }

    fn describe_idle(&self, cycle: &[Vec<Word>], steps: &[Action]) -> Vec<String> {
        let Some(first) = cycle.first() else { return Vec::new() };
        let idle = self.idle(cycle, steps);
        let mut worker = self.worker();
        worker.machine.load(first);
        worker.machine.step.is_told = true;
        let machine = &mut worker.machine;
        idle.into_iter()
            .map(|(slot, is_blocked)| {
                let (name, line) = (machine.thread_name(slot), machine.blocked_line(slot));
                let though = if is_blocked { "" } else { ", though it could at times" };
                let rest = line.strip_prefix(&name).unwrap_or(&line).trim_start();
                match rest.strip_prefix('(').and_then(|rest| rest.split_once(") ")) {
                    Some((place, waits)) => format!("{name} never moves{though}: at {place} it {waits}"),
                    None => format!("{name} never moves{though}: it {rest}"),
                }
            })
            .collect()
    }

    fn describe_starving(&self, cycle: &[Vec<Word>], steps: &[Action]) -> Option<String> {
        let mut worker = self.worker();
        worker.machine.load(cycle.first()?);
        let machine = &mut worker.machine;
        let starving = self.idle(cycle, steps).into_iter().filter(|&(_, is_blocked)| is_blocked);
        let mut starving = starving.filter(|&(slot, _)| machine.waits_beside_others(slot)).map(|(slot, _)| slot);
        starving.next().map(|slot| machine.thread_name(slot))
    }

    fn describe_blocked(&self, state: &[Word]) -> Vec<String> {
        let mut worker = self.worker();
        worker.machine.load(state);
        worker.machine.step.is_told = true;
        let machine = &mut worker.machine;
        machine.threads.alive_slots().into_iter().map(|slot| machine.blocked_line(slot)).collect()
    }
}

/// Calls of a stack that are told.
const CALLS_MAX: usize = 12;

impl ObjectModel {
    /// The slots of threads that live through a cycle and do not move in it, and whether they cannot in any state.
    fn idle(&self, cycle: &[Vec<Word>], steps: &[Action]) -> Vec<(u32, bool)> {
        let mut idle: Vec<(u32, bool)> = (0..self.slots() as u32).map(|slot| (slot, true)).collect();
        idle.retain(|(slot, _)| steps.iter().all(|step| parts(*step).0 != *slot));
        let mut worker = self.worker();
        for state in cycle {
            worker.machine.load(state);
            let machine = &mut worker.machine;
            let alive = machine.threads.alive_slots();
            idle.retain(|(slot, _)| alive.contains(slot));
            idle.iter_mut().for_each(|(slot, is_blocked)| *is_blocked &= matches!(machine.ways(*slot), Ok(0)));
        }
        idle
    }

    fn stacks(&self, state: &[Word], faulty: Option<Action>) -> Vec<CallStack> {
        let mut worker = self.worker();
        worker.machine.load(state);
        if let Some((slot, way)) = faulty.map(parts) {
            worker.rehearse(state, slot, way);
        }
        let machine = &mut worker.machine;
        machine.threads.alive_slots().into_iter().map(|slot| machine.told_stack(slot)).collect()
    }
}

/// A step that was taken again, with a log.
struct Followed {
    events: Vec<Event>,
    /// What the program wrote, in words.
    output: Option<String>,
}

/// Accesses and operations that are told of those that a faulty step ends with.
const TOLD_BEFORE_FAULT: u64 = 12;

impl ObjectWorker<'_> {
    /// Takes a step and tells what happens in it; if it ends in a fault, also what leads there.
    fn follow(&mut self, state: &[Word], slot: u32, way: u32) -> Followed {
        let (is_faulty, mut log) = self.logged(state, slot, way, u64::MAX);
        if is_faulty {
            log = self.logged(state, slot, way, log.counted.saturating_sub(TOLD_BEFORE_FAULT)).1;
        }
        let output = without_colours(&String::from_utf8_lossy(&self.machine.step.output));
        // What is said last before a fault says most about it.
        let told = if is_faulty { cut_before } else { cut };
        let output = (!output.is_empty()).then(|| format!("prints {}", told(&format!("{:?}", output.trim_end()))));
        Followed { events: log.events, output }
    }
}

/// What a program prints to a terminal, without the sequences that set its colours.
fn without_colours(text: &str) -> String {
    let mut pieces = text.split("\u{1b}[");
    let mut plain = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let length = piece.find(|character: char| !character.is_ascii_digit() && character != ';');
        match length.map(|length| piece.split_at(length)) {
            Some((_, rest)) if rest.starts_with('m') => plain.push_str(&rest[1..]),
            _ => {
                plain.push_str("\u{1b}[");
                plain.push_str(piece);
            }
        }
    }
    plain
}

/// What a step is told as: its line in the source, and what is to be said about it.
fn told_text(location: &Option<SourceLocation>, notes: [Option<String>; 2]) -> String {
    let source = location.as_ref().and_then(|location| source_line(&location.file, location.line));
    let mut text = source.unwrap_or_default();
    for note in notes.into_iter().flatten() {
        text = if text.is_empty() { note } else { format!("{text}  // {note}") };
    }
    text
}

/// A line of a source file, without its indentation.
fn source_line(file: &str, line: u32) -> Option<String> {
    static FILES: Mutex<Vec<(String, Option<String>)>> = Mutex::new(Vec::new());
    let mut files = FILES.lock().expect("nothing panics under this lock");
    if !files.iter().any(|(known, _)| known == file) {
        files.push((file.to_owned(), std::fs::read_to_string(file).ok()));
    }
    let (_, text) = files.iter().find(|(known, _)| known == file)?;
    let text = text.as_ref()?.lines().nth(line.checked_sub(1)? as usize)?.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

impl Machine<'_> {
    pub fn function_name(&self, pc: u64) -> String {
        let frames = self.system.program.debug.frames(pc);
        let frame = frames.iter().find(|frame| is_users(frame)).or(frames.first());
        match frame.filter(|frame| !frame.function.is_empty()) {
            Some(frame) => short_name(&frame.function).to_owned(),
            None => short_name(&dampf_rv::image::demangle(self.system.program.function_at(pc))).to_owned(),
        }
    }

    /// How a thread goes on that waits in an operation, or to which something happens.
    fn waking(&self, slot: u32, way: u32) -> Option<String> {
        if let Some(interruption) = self.interruption(slot, way) {
            return Some(self.told_interruption(interruption));
        }
        match self.threads[slot as usize].status {
            Status::OnCondition { timed, .. } => {
                Some(if timed && way == 0 { "times out" } else { "wakes up spuriously" }.to_owned())
            }
            Status::OnFutex { .. } => Some("times out".to_owned()),
            Status::Reacquiring { mutex, .. } => Some(format!("locks {} again", self.place_name(mutex))),
            _ => None,
        }
    }

    /// The calls of a thread that are on no line that the user wrote, up to the first that is.
    fn library_calls(&mut self, slot: u32) -> Vec<(String, SourceLocation)> {
        let hart = self.threads.take_hart(slot);
        let program = self.system.program.clone();
        let mut calls = Vec::new();
        'stack: for pc in self.call_stack(&hart) {
            let frames = program.debug.frames(pc);
            for frame in &frames {
                if is_users(frame) {
                    break 'stack;
                }
                let column = frame.column.max(1);
                let location = SourceLocation { file: frame.file.clone(), line: frame.line, column };
                calls.push((short_name(&frame.function).to_owned(), location));
            }
        }
        self.threads.put_hart(slot, hart);
        calls.truncate(CALLS_MAX);
        calls
    }

    /// The calls a thread is in, as far as they are on lines that the user wrote.
    fn told_stack(&mut self, slot: u32) -> CallStack {
        let hart = self.threads.take_hart(slot);
        let program = self.system.program.clone();
        let mut stack = self.call_stack(&hart);
        // Where the library's frames cannot be unwound, at least the user's call is known.
        if !stack.iter().any(|&pc| program.is_user_line(pc)) {
            stack = vec![self.user_pc(&hart)];
        }
        let mut calls = Vec::new();
        for (number, pc) in stack.into_iter().enumerate() {
            let pc = if number == 0 { program.announced(pc).unwrap_or(pc) } else { pc };
            for frame in program.debug.frames(pc).iter().filter(|frame| is_users(frame)) {
                let location =
                    SourceLocation { file: frame.file.clone(), line: frame.line, column: frame.column.max(1) };
                calls.push((short_name(&frame.function).to_owned(), location));
            }
        }
        calls.truncate(CALLS_MAX);
        let mut thread = self.thread_name(slot);
        // The creation site is the address behind the call.
        let created = u64::from(self.threads[slot as usize].created_at).checked_sub(2);
        if let Some(location) =
            created.filter(|&call| program.is_user_line(call)).and_then(|call| program.location(call))
        {
            thread = format!("{thread}, created at {}:{}", location.file, location.line);
        }
        self.threads.put_hart(slot, hart);
        CallStack { thread, calls }
    }

    /// What a thread waits for, and who could end that.
    fn blocked_line(&mut self, slot: u32) -> String {
        let hart = self.threads.take_hart(slot);
        let place = match self.user_location(self.user_pc(&hart)) {
            Some(location) => format!(" ({}:{})", location.file, location.line),
            None => String::new(),
        };
        let (status, object) = (self.threads[slot as usize].status, hart.x[A0]);
        let hook = self.system.program.hook(hart.pc);
        self.threads.put_hart(slot, hart);
        let waits = match (status, hook.map(|hook| &hook.row().ways)) {
            (Status::OnCondition { condition, .. }, _) => {
                format!("waits for a signal on {}", self.place_name(condition))
            }
            (Status::Reacquiring { mutex, .. }, _) => self.told_mutex_wait(mutex, slot),
            (Status::OnFutex { address, .. }, _) => format!("waits for a change of {}", self.place_name(address)),
            (Status::OnBarrier { barrier }, _) => format!("waits for others at barrier {}", self.place_name(barrier)),
            (_, Some(Ways::Waits(wait))) => (wait.told)(self, object, slot),
            (_, None) if self.ways_to_call(slot) == 0 => "waits for a signal".to_owned(),
            (_, None | Some(Ways::One | Ways::Values(_) | Ways::MayFail | Ways::Outcomes(_))) => {
                "could go on".to_owned()
            }
        };
        format!("{}{place} {waits}", self.thread_name(slot))
    }
}

impl ObjectModel {
    /// The accesses of a step whose values are told, in their order: for whoever checks that what is told is so.
    pub fn told_accesses(&self, before: &[Word], action: Action) -> Vec<ToldAccess> {
        let (slot, way) = parts(action);
        let mut worker = self.worker();
        worker.machine.step.is_told = true;
        let (_, log) = worker.logged(before, slot, way, 0);
        log.events.into_iter().filter_map(|event| event.access).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_not_told() {
        for (printed, told) in [
            ("", ""),
            ("plain", "plain"),
            ("\u{1b}[0;31mred\u{1b}[0m, then \u{1b}[mnone", "red, then none"),
            ("\u{1b}[2J cleared \u{1b}[1", "\u{1b}[2J cleared \u{1b}[1"),
        ] {
            assert_eq!(without_colours(printed), told);
        }
    }
}
