//! Cancellation: a thread asks another to end, which does so at its next cancellation point.
//!
//! A request is part of the state of the thread it is for. A thread that may be cancelled stops before every
//! cancellation point, since a request may come first. One that comes while the thread stands there already may be too
//! late, because the thread has looked for requests before: then it may end or go on. Where it finds the request when
//! it arrives, it ends.
//!
//! A thread that is cancelled goes the way of one that exits: the libraries leave its functions one by one, with their
//! cleanup handlers and destructors. All that is done here is to send it there.

use crate::hooks::{Hook, Place};
use crate::layout::{self, Region};
use crate::lifecycle::EXIT_VALUE;
use crate::machine::Machine;
use crate::run_end::RunEnd;
use crate::sharing::{Fact, FactKind};
use crate::signal_calls::is_interruptible_call;
use crate::step::Next;
use crate::sync::{EINVAL, ESRCH};
use crate::syscalls::number;
use crate::thread::Status;
use dampf_core::{FaultKind, Word};
use dampf_rv::machine::Hart;

/// What a thread that waited for a condition variable will do when it has its mutex again: end.
pub const CANCELLED: u32 = u32::MAX;
/// What a cancelled thread returns.
const CANCELED: u64 = u64::MAX;

const DISABLE: u64 = 1;
const ASYNCHRONOUS: u64 = 1;

const RA: usize = 1;
const SP: usize = 2;
const TP: usize = 4;
const A0: usize = 10;
const A1: usize = 11;
const A7: usize = 17;

/// Whether a thread can be cancelled, and whether it is to be.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Cancellation {
    pub is_disabled: bool,
    pub is_asynchronous: bool,
    pub is_requested: bool,
    /// The request came when the thread stood before a cancellation point already.
    pub is_late: bool,
}

impl Cancellation {
    pub fn to_bits(self) -> Word {
        let flags = [self.is_disabled, self.is_asynchronous, self.is_requested, self.is_late];
        flags.into_iter().rev().fold(0, |bits, flag| bits << 1 | Word::from(flag))
    }

    pub fn from_bits(bits: Word) -> Cancellation {
        let flag = |number: u32| bits >> number & 1 != 0;
        Cancellation { is_disabled: flag(0), is_asynchronous: flag(1), is_requested: flag(2), is_late: flag(3) }
    }

    /// Whether there is a request that counts.
    pub fn is_due(self) -> bool {
        self.is_requested && !self.is_disabled
    }
}

/// Operations at which a thread looks for requests.
const POINTS: &[&str] = &[
    "pthread_testcancel",
    "pthread_join",
    "thrd_join",
    "pthread_timedjoin_np",
    "pthread_clockjoin_np",
    "pthread_cond_wait",
    "pthread_cond_timedwait",
    "pthread_cond_clockwait",
    "sem_wait",
    "sem_timedwait",
    "sem_clockwait",
];

/// Whether a hook is at a function of which a name is in a list.
pub fn is_named(place: Place, wanted: &[&str]) -> bool {
    matches!(place, Place::Symbols(names) if names.iter().any(|name| wanted.contains(name)))
}

/// Whether a thread that stands before an operation of this place looks for requests.
pub fn is_cancellation_point(place: Place) -> bool {
    is_named(place, POINTS)
}

/// Whether it looks for requests at a system call.
fn is_cancellation_call(call: u64) -> bool {
    is_interruptible_call(call)
        || matches!(call, number::READ | number::WRITE | number::WRITEV | number::OPENAT | number::CLOSE)
}

impl Machine<'_> {
    /// Whether a request to end may be waiting for the running thread, or come while it stands somewhere.
    pub fn may_be_cancelled(&self) -> bool {
        let thread = self.threads.current();
        let may_be_asked = || self.system.sharing.threads_cancelled() && self.step.others;
        !thread.cancellation.is_disabled && thread.atomic == 0 && (thread.cancellation.is_requested || may_be_asked())
    }

    /// Whether the running thread has to stop before an operation because a request may come first.
    pub fn stops_for_cancellation(&self, hook: Hook) -> bool {
        hook.is_cancellation_point() && self.may_be_cancelled()
    }

    /// The same for a system call.
    pub fn call_stops_for_cancellation(&self, hart: &Hart) -> bool {
        self.may_be_cancelled() && is_cancellation_call(hart.x[A7])
    }

    /// Whether the thread in a slot stands at a cancellation point, or waits in one.
    fn is_at_cancellation_point(&self, slot: u32) -> bool {
        let thread = &self.threads[slot as usize];
        match thread.status {
            Status::OnCondition { .. } => true,
            Status::Running => match self.system.program.hook(thread.pc) {
                Some(hook) => hook.is_cancellation_point(),
                None => self.is_system_call(thread.pc) && is_cancellation_call(self.threads.register(slot, A7)),
            },
            _ => false,
        }
    }

    /// Whether the thread in a slot can be cancelled now.
    pub fn can_be_cancelled(&self, slot: u32) -> bool {
        let thread = &self.threads[slot as usize];
        let stops_anywhere = || {
            // Where the return address is in a register only, the functions could not be left.
            thread.cancellation.is_asynchronous
                && thread.status == Status::Running
                && (self.system.program.hook(thread.pc).is_some() || self.saves_return_address(thread.pc))
        };
        thread.cancellation.is_due() && thread.atomic == 0 && (self.is_at_cancellation_point(slot) || stops_anywhere())
    }

    fn saves_return_address(&self, pc: u64) -> bool {
        self.system.program.debug.saved_registers(pc) >> RA & 1 != 0
    }

    /// Whether the thread in a slot can do nothing else than end: it has found the request when it arrived. A join that
    /// need not wait does not look for requests.
    pub fn must_be_cancelled(&self, slot: u32) -> bool {
        let thread = &self.threads[slot as usize];
        let hook = self.system.program.hook(thread.pc);
        let joins = hook.is_some_and(|hook| {
            is_named(hook.place, &["pthread_join", "thrd_join", "pthread_timedjoin_np", "pthread_clockjoin_np"])
        });
        thread.status == Status::Running
            && !thread.cancellation.is_late
            && !joins
            && thread.cancellation.is_due()
            && thread.atomic == 0
            && self.is_at_cancellation_point(slot)
    }

    /// `pthread_cancel`.
    pub fn cancel_thread(&mut self, hart: &mut Hart) -> Result<Next, RunEnd> {
        let Some(slot) = self.slot_of_handle(hart.x[A0]) else { return Ok(Next::Return(ESRCH)) };
        self.tell_apart(slot);
        if self.threads[slot as usize].status == Status::Absent {
            let me = self.thread_name(self.threads.running);
            let message = format!("{me} cancels a thread that was joined before or has ended detached");
            return Err(RunEnd::fault(FaultKind::ThreadMisuse, message));
        }
        if !self.threads[slot as usize].is_alive() {
            return Ok(Next::Return(0));
        }
        let is_own = slot == self.threads.running;
        if !is_own && !self.system.sharing.threads_cancelled() {
            return Err(self.refute(Fact::new(FactKind::ThreadsCancelled, 0_u64)));
        }
        let is_late = !is_own && self.is_at_cancellation_point(slot);
        if !is_own {
            self.threads.hart_mut(slot);
        }
        let cancellation = &mut self.threads[slot as usize].cancellation;
        if !cancellation.is_requested {
            (cancellation.is_requested, cancellation.is_late) = (true, is_late);
        }
        if is_own && cancellation.is_due() && cancellation.is_asynchronous {
            self.leave_functions(hart);
            return Ok(Next::Jump);
        }
        Ok(Next::Return(0))
    }

    /// The running thread is cancelled where it stands.
    pub fn act_on_cancellation(&mut self, hart: &mut Hart) {
        match self.threads.current().status {
            Status::OnCondition { mutex, condition, .. } => {
                self.memory.note_write(condition, 1);
                self.threads.current_mut().status = Status::Reacquiring { mutex, result: CANCELLED };
            }
            _ => {
                // To the unwinder, the thread has called a function from here. At an operation it has indeed.
                if self.system.program.hook(hart.pc).is_none() && self.saves_return_address(hart.pc) {
                    hart.x[RA] = hart.pc + 2;
                }
                self.leave_functions(hart);
            }
        }
    }

    /// The running thread begins to leave its functions, and ends.
    pub fn leave_functions(&mut self, hart: &mut Hart) {
        self.refuse_cancellation();
        let slot = self.threads.running;
        let program = &self.system.program;
        match (program.unwind, program.exit_buffer_offset) {
            (Some(unwind), Some(offset)) => {
                self.memory.poke_long(Region::Tls(slot).base(0) + EXIT_VALUE, CANCELED);
                hart.x[A0] = self.memory.peek_long(hart.x[TP].wrapping_add(offset));
                hart.pc = unwind;
            }
            _ => {
                self.forget_frames(hart.x[SP]);
                hart.x[SP] = Region::Stack(slot).base(0);
                hart.x[A0] = CANCELED;
                hart.pc = layout::RETURN_FROM_BODY;
            }
        }
    }

    /// The running thread is about to end: it cannot be cancelled any more.
    pub fn refuse_cancellation(&mut self) {
        if self.system.sharing.threads_cancelled() || self.threads.current().cancellation.is_requested {
            self.threads.current_mut().cancellation = Cancellation { is_disabled: true, ..Cancellation::default() };
        }
    }

    /// `pthread_setcancelstate`.
    pub fn set_cancel_state(&mut self, hart: &Hart) -> Result<Next, RunEnd> {
        let was = self.threads.current().cancellation.is_disabled;
        self.set_cancellation(hart, was, |cancellation| cancellation.is_disabled = hart.x[A0] as u32 as u64 == DISABLE)
    }

    /// `pthread_setcanceltype`.
    pub fn set_cancel_type(&mut self, hart: &Hart) -> Result<Next, RunEnd> {
        let was = self.threads.current().cancellation.is_asynchronous;
        self.set_cancellation(hart, was, |cancellation| {
            cancellation.is_asynchronous = hart.x[A0] as u32 as u64 == ASYNCHRONOUS;
        })
    }

    fn set_cancellation(&mut self, hart: &Hart, was: bool, set: impl Fn(&mut Cancellation)) -> Result<Next, RunEnd> {
        if hart.x[A0] as u32 > 1 {
            return Ok(Next::Return(EINVAL));
        }
        if hart.x[A1] != 0 {
            self.check_writable(hart.x[A1], 4)?;
            self.memory.poke_word(hart.x[A1], u32::from(was));
        }
        // Without requests there is nothing to remember.
        set(&mut self.threads.current_mut().cancellation);
        self.step.ends_here |= self.is_interruptible();
        Ok(Next::Return(0))
    }
}
