//! How signals are sent and delivered.
//!
//! A signal that a thread sends to itself is delivered before the call returns. One that comes from elsewhere is
//! delivered to the thread, or to any of the threads that do not block it, in a step of its own. Only what ends the
//! program is a fault.
//!
//! A handler runs on the stack of its thread, above a frame that has the registers, as the system has it; when it
//! returns, to a place that is no code, they are read back from there.

use crate::barrier::ARRIVED;
use crate::layout::{self, Region};
use crate::machine::Machine;
use crate::run_end::RunEnd;
use crate::sharing::{Fact, FactKind};
use crate::signals::{
    DEFAULT, DefaultEffect, IGNORE, NO_DEFER, ON_STACK, Origin, PendingSignal, RESET, SIGKILL, SIGSTOP,
};
use crate::signals::{SignalAction, bit, default_effect, name};
use crate::step::Next;
use crate::sync::{EINVAL, ESRCH};
use crate::syscalls::{self, number};
use crate::thread::Status;
use dampf_core::FaultKind;
use dampf_rv::machine::Hart;

/// Where the parts of a frame are: what is told about the signal, the context, and what we keep besides.
const INFO_BYTES: u64 = 128;
const CONTEXT: u64 = INFO_BYTES;
const CONTEXT_MASK: u64 = CONTEXT + 40;
const CONTEXT_REGISTERS: u64 = CONTEXT + 176;
const CONTEXT_FLOATS: u64 = CONTEXT_REGISTERS + 256;
const CONTEXT_CONTROL: u64 = CONTEXT_FLOATS + 256;
const KEPT: u64 = CONTEXT + 960;
const FRAME_BYTES: u64 = KEPT + 32;

/// What we keep: whether the thread has to lock a mutex again, which, and with what result.
const KEPT_REACQUIRES: u64 = 1;

pub const EINTR: u64 = 4;

const RA: usize = 1;
const SP: usize = 2;
const GP: usize = 3;
const TP: usize = 4;
const A0: usize = 10;
const A1: usize = 11;
const A2: usize = 12;
const A3: usize = 13;
const A7: usize = 17;

/// What a signal's origin says of a function that sends to one thread.
const TO_THREAD: i32 = -6;

impl Machine<'_> {
    /// `pthread_kill`.
    pub fn send_to_thread(&mut self, hart: &mut Hart) -> Result<Next, RunEnd> {
        let (handle, signal) = (hart.x[A0], hart.x[A1] as u32);
        let Some(slot) = self.slot_of_handle(handle) else { return Ok(Next::Return(ESRCH)) };
        self.tell_apart(slot);
        // Two signals are the library's own.
        if signal > 64 || matches!(signal, 32 | 33) {
            return Ok(Next::Return(EINVAL));
        }
        let thread = &self.threads[slot as usize];
        if thread.status == Status::Absent {
            let me = self.thread_name(self.threads.running);
            let message = format!("{me} sends a signal to a thread that was joined before or has ended detached");
            return Err(RunEnd::fault(FaultKind::ThreadMisuse, message));
        }
        if signal == 0 || !thread.is_alive() {
            return Ok(Next::Return(0));
        }
        hart.x[A0] = 0;
        hart.pc = hart.x[RA];
        self.send(hart, signal as u8, Some(slot), Origin { code: TO_THREAD, value: 0 })?;
        Ok(Next::Jump)
    }

    /// Sends a signal to the process, or to the thread in a slot. The running thread's registers are those it will have
    /// behind the call.
    pub fn send(&mut self, hart: &mut Hart, signal: u8, slot: Option<u32>, origin: Origin) -> Result<(), RunEnd> {
        let running = self.threads.running;
        let is_open = |machine: &Self, slot: u32| machine.blocked_in_wait(slot) & bit(signal) == 0;
        let targets: Vec<u32> = match slot {
            Some(slot) => vec![slot],
            None => self.threads.alive_slots(),
        };
        let open: Vec<u32> = targets.into_iter().filter(|&slot| is_open(self, slot)).collect();
        if matches!(signal, SIGKILL | SIGSTOP) || !open.is_empty() {
            let action = self.process.signals.action(signal);
            if self.process.signals.is_ignored(signal) && signal != SIGKILL {
                return Ok(());
            }
            if action.handler == DEFAULT || signal == SIGKILL {
                return Err(self.default_end(hart, signal));
            }
        }
        let goes_to_others = open.iter().any(|&slot| slot != running);
        if goes_to_others && !self.system.sharing.signals_sent() {
            return Err(self.refute(Fact::new(FactKind::SignalsSent, 0_u64)));
        }
        self.process.change().signals.add(PendingSignal { signal, slot, origin });
        if goes_to_others {
            // Who gets the signal is seen in the next steps.
            self.step.ends_here = true;
            return Ok(());
        }
        self.deliver_own(hart)
    }

    /// The end that a signal brings by default.
    fn default_end(&self, hart: &Hart, signal: u8) -> RunEnd {
        match default_effect(signal) {
            DefaultEffect::Stops => self.refuse(&format!("stopping the process ({})", name(signal)), hart),
            _ => RunEnd::fault(FaultKind::Abort, format!("{} (signal {signal}) ends the program", name(signal))),
        }
    }

    /// Delivers what waits for the running thread and is not blocked any more.
    pub fn deliver_own(&mut self, hart: &mut Hart) -> Result<(), RunEnd> {
        if self.threads.current().atomic > 0 {
            return Ok(());
        }
        loop {
            let (slot, blocked) = (self.threads.running, self.threads.current().blocked);
            let Some(pending) = self.process.signals.pending(slot, !blocked).next() else { return Ok(()) };
            self.deliver(hart, pending, blocked)?;
        }
    }

    /// Delivers a signal to the running thread, which blocks some while it is handled, besides those that its action
    /// says.
    pub fn deliver(&mut self, hart: &mut Hart, pending: PendingSignal, blocked: u64) -> Result<(), RunEnd> {
        let signal = pending.signal;
        self.process.change().signals.remove(pending);
        let action = self.process.signals.action(signal);
        if self.process.signals.is_ignored(signal) {
            return Ok(());
        }
        if action.handler == DEFAULT {
            return Err(self.default_end(hart, signal));
        }
        debug_assert_ne!(action.handler, IGNORE);
        if action.flags & ON_STACK != 0 && self.process.signals.alternate_stack(self.threads.running).is_some() {
            return Err(self.refuse(&format!("the handler of {} on an alternate stack", name(signal)), hart));
        }
        if action.flags & RESET != 0 {
            self.process.change().signals.set_action(signal, SignalAction { handler: DEFAULT, ..action });
        }
        self.push_frame(hart, pending);
        let own = if action.flags & NO_DEFER == 0 { bit(signal) } else { 0 };
        self.threads.current_mut().blocked = blocked | action.mask | own;
        let frame = hart.x[SP];
        let (gp, tp, fcsr) = (hart.x[GP], hart.x[TP], hart.fcsr);
        *hart = Hart::new(action.handler);
        (hart.x[GP], hart.x[TP], hart.fcsr, hart.x[SP]) = (gp, tp, fcsr, frame);
        hart.x[RA] = layout::RETURN_FROM_HANDLER;
        (hart.x[A0], hart.x[A1], hart.x[A2]) = (signal.into(), frame, frame + CONTEXT);
        self.memory.forget_translations();
        Ok(())
    }

    /// Writes what a handler may read of its signal.
    pub fn write_info(&mut self, place: u64, pending: PendingSignal) {
        self.memory.poke(place, &[0; INFO_BYTES as usize]);
        self.memory.poke_word(place, pending.signal.into());
        self.memory.poke_word(place + 8, pending.origin.code as u32);
        self.memory.poke_word(place + 16, syscalls::PROCESS_ID as u32);
        self.memory.poke_word(place + 20, syscalls::PROCESS_ID as u32);
        self.memory.poke_long(place + 24, pending.origin.value);
    }

    /// Writes the running thread's registers on its stack, and makes the stack end there.
    fn push_frame(&mut self, hart: &mut Hart, pending: PendingSignal) {
        let frame = (hart.x[SP] - FRAME_BYTES) & !15;
        self.memory.poke(frame, &[0; FRAME_BYTES as usize]);
        self.write_info(frame, pending);
        self.memory.poke_long(frame + CONTEXT_MASK, self.threads.current().blocked);
        self.memory.poke_long(frame + CONTEXT_REGISTERS, hart.pc);
        for number in 1..32 {
            self.memory.poke_long(frame + CONTEXT_REGISTERS + 8 * number, hart.x[number as usize]);
        }
        for number in 0..32 {
            self.memory.poke_long(frame + CONTEXT_FLOATS + 8 * number, hart.f[number as usize]);
        }
        self.memory.poke_word(frame + CONTEXT_CONTROL, hart.fcsr);
        if let Status::Reacquiring { mutex, result } = self.threads.current().status {
            let kept = [KEPT_REACQUIRES, mutex, result.into()];
            (0..).zip(kept).for_each(|(number, value)| self.memory.poke_long(frame + KEPT + 8 * number, value));
            self.threads.current_mut().status = Status::Running;
        }
        hart.x[SP] = frame;
    }

    /// A handler has returned: its thread goes on where it was.
    pub fn return_from_handler(&mut self, hart: &mut Hart) -> Result<Next, RunEnd> {
        let frame = hart.x[SP];
        if Region::of(frame, self.slots()) != Some(Region::Stack(self.threads.running)) {
            return Err(RunEnd::fault(
                FaultKind::InvalidAccess,
                "a signal handler returns on a stack that is not its own",
            ));
        }
        hart.pc = self.memory.peek_long(frame + CONTEXT_REGISTERS);
        for number in 1..32 {
            hart.x[number as usize] = self.memory.peek_long(frame + CONTEXT_REGISTERS + 8 * number);
        }
        for number in 0..32 {
            hart.f[number as usize] = self.memory.peek_long(frame + CONTEXT_FLOATS + 8 * number);
        }
        hart.fcsr = self.memory.peek_word(frame + CONTEXT_CONTROL);
        self.threads.current_mut().blocked = self.memory.peek_long(frame + CONTEXT_MASK);
        self.memory.forget_translations();
        let [reacquires, mutex, result] = [0, 8, 16].map(|at| self.memory.peek_long(frame + KEPT + at));
        if reacquires == KEPT_REACQUIRES {
            self.threads.current_mut().status = Status::Reacquiring { mutex, result: result as u32 };
        }
        self.deliver_own(hart)?;
        let has_to_wait = self.threads.current().status != Status::Running;
        Ok(if has_to_wait { Next::Wait } else { Next::Jump })
    }

    /// The wait that the running thread stands before ends with an error, because a handler interrupts it. The signals
    /// that were blocked during the wait, where it said so.
    pub fn end_wait(&mut self, hart: &mut Hart) -> Result<Option<u64>, RunEnd> {
        if self.system.program.hook(hart.pc).is_some() {
            self.set_errno(hart, EINTR);
            hart.x[A0] = u64::MAX;
            hart.pc = hart.x[RA];
            return Ok(None);
        }
        let mut during = None;
        let (request, rest) = match hart.x[A7] {
            number::SIGSUSPEND => {
                during = Some(self.memory.peek_long(hart.x[A0]));
                (0, 0)
            }
            number::NANOSLEEP => (hart.x[A0], hart.x[A1]),
            number::CLOCK_NANOSLEEP if hart.x[A1] == 0 => (hart.x[A2], hart.x[A3]),
            _ => (0, 0),
        };
        if rest != 0 {
            // How much is left nobody knows: at most what was asked for.
            self.check_writable(rest, 16)?;
            for at in [0, 8] {
                self.memory.poke_long(rest + at, self.memory.peek_long(request + at));
            }
        }
        hart.x[A0] = EINTR.wrapping_neg();
        hart.pc += 4;
        Ok(during)
    }

    /// A thread that waits for others leaves its wait to handle a signal. One that waits on a condition variable wakes
    /// up as if by itself, which it may; at a barrier it arrives anew.
    pub fn leave_waiting(&mut self, hart: &mut Hart) {
        match self.threads.current().status {
            Status::OnCondition { mutex, condition, .. } => {
                self.memory.note_write(condition, 1);
                self.threads.current_mut().status = Status::Reacquiring { mutex, result: 0 };
            }
            Status::OnFutex { address, .. } => {
                self.memory.note_write(address, 1);
                hart.x[A0] = EINTR.wrapping_neg();
                hart.pc += 4;
                self.threads.current_mut().status = Status::Running;
            }
            Status::OnBarrier { barrier } => {
                let arrived = self.memory.peek_word(barrier + ARRIVED);
                self.memory.poke_word(barrier + ARRIVED, arrived.saturating_sub(1));
                self.threads.current_mut().status = Status::Running;
            }
            _ => {}
        }
    }
}
