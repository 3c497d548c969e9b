//! States and steps of a program, for people.

use crate::faults::short_name;
use crate::hooks::{Told, Ways};
use crate::layout::Region;
use crate::machine::Machine;
use crate::model::{ObjectModel, ObjectWorker, parts};
use crate::program::is_users;
use crate::shadow::LocalVariable;
use crate::thread::Status;
use dampf_core::{Action, Binding, CallStack, Describe, Model, SourceLocation, Step, Word};
use dampf_rv::debug::{Place, Registers};
use dampf_rv::machine::Hart;
use std::sync::Mutex;

/// Values longer than this are cut.
const VALUE_MAX: usize = 120;
const STACK_POINTER: usize = 2;
const A0: usize = 10;
/// Frames of a call stack in which names of local variables are looked for.
const FRAMES_MAX: usize = 32;

impl Describe for ObjectModel {
    fn describe_state(&self, state: &[Word]) -> Vec<Binding> {
        let mut worker = self.worker();
        worker.machine.load(state);
        worker.machine.global_bindings()
    }

    fn describe_step(&self, before: &[Word], action: Action) -> Step {
        let (slot, way) = parts(action);
        let mut worker = self.worker();
        worker.machine.load(before);
        let machine = &mut worker.machine;
        if slot as usize >= machine.slots() || !machine.threads[slot as usize].is_alive() {
            return Step { process: String::new(), function: String::new(), location: None, text: String::new() };
        }
        machine.threads.running = slot;
        let hart = machine.threads.hart_mut(slot).clone();
        let pc = machine.user_pc(&hart);
        let location = machine.user_location(pc);
        let function = machine.function_name(pc);
        let source = location.as_ref().and_then(|location| source_line(&location.file, location.line));
        let operation = machine.operation(slot, &hart, way);
        let process = machine.thread_name(slot);
        let output = output_of(&mut worker, before, slot, way);
        let mut text = source.unwrap_or_default();
        for note in [operation, output].into_iter().flatten() {
            text = if text.is_empty() { note } else { format!("{text}  // {note}") };
        }
        Step { process, function, location, text }
    }

    fn describe_stacks(&self, state: &[Word], faulty: Option<Action>) -> Vec<CallStack> {
        self.stacks(state, faulty)
    }

    fn describe_blocked(&self, state: &[Word]) -> Vec<String> {
        let mut worker = self.worker();
        worker.machine.load(state);
        let machine = &mut worker.machine;
        machine.threads.alive_slots().into_iter().map(|slot| machine.blocked_line(slot)).collect()
    }
}

/// Calls of a stack that are told.
const CALLS_MAX: usize = 12;

impl ObjectModel {
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

/// What the program writes during a step.
fn output_of(worker: &mut ObjectWorker<'_>, before: &[Word], slot: u32, way: u32) -> Option<String> {
    worker.rehearse(before, slot, way);
    let output = String::from_utf8_lossy(&worker.machine.step.output);
    let output = output.trim_end();
    (!output.is_empty()).then(|| format!("prints {}", cut(&format!("{output:?}"))))
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(VALUE_MAX) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
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
    /// The user's global variables with their values.
    fn global_bindings(&mut self) -> Vec<Binding> {
        let program = self.system.program.clone();
        let mut bindings = Vec::new();
        for variable in program.debug.globals().iter().filter(|variable| !variable.thread_local && variable.size > 0) {
            let hidden = ["std::", "__", "ICVMThread::", "IVMThread::"];
            let is_text = variable.name.ends_with("::__PRETTY_FUNCTION__") || variable.name.ends_with("::__func__");
            if is_text || hidden.iter().any(|prefix| variable.name.starts_with(prefix)) || variable.size > 1 << 16 {
                continue;
            }
            if !program.globals.contains(&variable.address) {
                continue;
            }
            let mut bytes = vec![0; variable.size as usize];
            self.memory.peek(variable.address, &mut bytes);
            let value = match self.lock_value(&program.debug.type_name(variable.ty), variable.address, variable.size) {
                Some(value) => value,
                None => cut(&program.debug.render(variable.ty, &bytes)),
            };
            bindings.push(Binding { name: variable.name.clone(), value });
        }
        bindings
    }

    /// The value of a lock, or of an array of locks, in words.
    fn lock_value(&self, type_name: &str, address: u64, bytes: u64) -> Option<String> {
        let element = type_name.split('[').next().unwrap_or(type_name).trim();
        let (size, value): (u64, &dyn Fn(u64) -> String) = match element {
            "pthread_mutex_t" | "std::mutex" | "mutex" | "std::recursive_mutex" | "mtx_t" => {
                (40, &|at| self.mutex_value(at))
            }
            "pthread_cond_t" | "std::condition_variable" | "condition_variable" | "cnd_t" => {
                (48, &|at| format!("{} waiting", self.threads.waiter_count(at)))
            }
            "sem_t" => (32, &|at| self.memory.peek_word(at).to_string()),
            _ => return None,
        };
        let count = (bytes / size).max(1);
        let mut values = (0..count).map(|number| value(address + number * size));
        if count == 1 && !type_name.contains('[') {
            values.next()
        } else {
            Some(format!("[{}]", values.collect::<Vec<_>>().join(", ")))
        }
    }

    fn mutex_value(&self, mutex: u64) -> String {
        self.mutex_owner(mutex).map_or("free".to_owned(), |owner| format!("held by {}", self.thread_name(owner)))
    }

    fn function_name(&self, pc: u64) -> String {
        let frames = self.system.program.debug.frames(pc);
        let frame = frames.iter().find(|frame| is_users(frame)).or(frames.first());
        match frame.filter(|frame| !frame.function.is_empty()) {
            Some(frame) => short_name(&frame.function).to_owned(),
            None => short_name(&dampf_rv::image::demangle(self.system.program.function_at(pc))).to_owned(),
        }
    }

    /// What the thread is about to do, where the source line does not name the object.
    fn operation(&mut self, slot: u32, hart: &Hart, way: u32) -> Option<String> {
        if let Some(interruption) = self.interruption(slot, way) {
            return Some(self.told_interruption(interruption));
        }
        match self.threads[slot as usize].status {
            Status::OnCondition { timed, .. } => {
                return Some(if timed && way == 0 { "times out" } else { "wakes up spuriously" }.to_owned());
            }
            Status::OnFutex { .. } => return Some("times out".to_owned()),
            Status::Reacquiring { mutex, .. } => return Some(format!("locks {} again", self.place_name(mutex))),
            Status::Running => {}
            _ => return None,
        }
        let Some(hook) = self.system.program.hook(hart.pc) else { return self.access_told(slot) };
        match hook.told {
            Told::BySource => None,
            Told::Verb(verb) => Some(format!("{verb} {}", self.place_name(hart.x[A0]))),
            Told::By(told) => told(self, hart, way),
        }
    }

    fn access_told(&mut self, slot: u32) -> Option<String> {
        let access = self.pending_access(slot)?;
        let place = self.place_name(access.address);
        Some(match (access.writes, access.told_atomic) {
            (true, true) => format!("updates {place}"),
            (true, false) => format!("writes {place}"),
            (false, _) => format!("reads {place}"),
        })
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

    /// The name of the local variable at an address of a thread's stack: `function::variable`, or else whose frame it
    /// lies in. None for a thread that is running just now, whose registers are elsewhere.
    pub fn local_name(&self, slot: u32, address: u64) -> Option<String> {
        let debug = &self.system.program.debug;
        let hart = self.threads.peek_hart(slot)?;
        let memory = |address: u64, out: &mut [u8]| self.memory.peek(address, out);
        let mut frames = self.call_frames(&hart);
        frames.truncate(FRAMES_MAX);
        // Where functions describe their frames themselves, compilers may place variables relative to any register.
        let described = self.local_variable_at(Region::Stack(slot), address);
        for registers in &frames {
            for local in debug.locals(registers.pc) {
                let is_described = |variable: &&LocalVariable| {
                    let function = |pc: u64| self.system.program.function_at(pc);
                    variable.name == local.name && function(variable.function) == function(registers.pc)
                };
                let start = match described.as_ref().filter(is_described) {
                    Some(variable) => variable.place.start,
                    None => match debug.read_local(&local, registers, &memory) {
                        Some(Place::Address(start)) => start,
                        _ => continue,
                    },
                };
                let offset = address.wrapping_sub(start);
                if offset < debug.size_of(local.ty) {
                    let frames = debug.frames(registers.pc);
                    let function = frames.get(local.frame as usize).map_or("", |frame| short_name(&frame.function));
                    let separator = if function.is_empty() { "" } else { "::" };
                    return Some(format!("{function}{separator}{}{}", local.name, debug.path(local.ty, offset)));
                }
            }
        }
        // A frame reaches up to where its caller's begins.
        let below = |frame: &&Registers| frame.get(STACK_POINTER).is_some_and(|start| start <= address);
        let outermost = frames.iter().skip(1).take_while(below).count();
        let within = outermost + 1 < frames.len() && frames[0].get(STACK_POINTER).is_some_and(|start| start <= address);
        let function = self.function_name(frames[outermost].pc);
        within.then(|| format!("{address:#x} in the frame of {function} of {}", self.thread_name(slot)))
    }
}
