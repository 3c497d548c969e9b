//! What can happen to a thread besides what it does itself: a signal is delivered to it, or it is cancelled.
//!
//! Such a step comes behind the thread's own ways. A thread that stands before something for which it waits may wait
//! already, and then the end of its wait is another way: a handler runs, and the wait is over.

use crate::cancellation::is_named;
use crate::machine::Machine;
use crate::run_end::RunEnd;
use crate::signal_calls::is_interruptible_call;
use crate::signals::{self, Alarm, Origin, PendingSignal, RESTARTS, SIGALRM, bit};
use crate::syscalls::number;
use crate::thread::Status;
use dampf_rv::machine::Hart;

const A0: usize = 10;
const A7: usize = 17;

/// What a signal's origin says of the system itself.
const OF_KERNEL: i32 = 0x80;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Interruption {
    Signal {
        pending: PendingSignal,
        /// It ends what the thread waits for.
        ends_wait: bool,
    },
    Cancellation,
}

/// When a signal ends a wait.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ends {
    Never,
    Always,
    UnlessRestarted,
}

impl Machine<'_> {
    /// Whether anything can happen to the thread in a slot. Nearly always nothing can.
    #[inline]
    fn may_be_interrupted(&self, slot: u32) -> bool {
        self.process.signals.are_due() || self.threads[slot as usize].cancellation.is_requested
    }

    /// In how many ways the thread in a slot can go on, by itself or not; none while it has to wait.
    pub fn ways(&mut self, slot: u32) -> Result<u32, RunEnd> {
        self.threads.running = slot;
        if !self.may_be_interrupted(slot) {
            return self.own_ways(slot);
        }
        Ok(self.uninterrupted_ways(slot)? + self.interruptions(slot).len() as u32)
    }

    fn uninterrupted_ways(&self, slot: u32) -> Result<u32, RunEnd> {
        if self.must_be_cancelled(slot) { Ok(0) } else { self.own_ways(slot) }
    }

    /// What happens to the thread in a slot in one of its ways, if that is no way of its own.
    pub fn interruption(&self, slot: u32, way: u32) -> Option<Interruption> {
        if !self.may_be_interrupted(slot) {
            return None;
        }
        let number = way.checked_sub(self.uninterrupted_ways(slot).ok()?)?;
        self.interruptions(slot).get(number as usize).copied()
    }

    /// Whether something can happen to the thread in a slot.
    pub fn is_about_to_be_interrupted(&self, slot: u32) -> bool {
        self.may_be_interrupted(slot) && !self.interruptions(slot).is_empty()
    }

    /// Whether signals may be handled, or cancellation acted upon, between any two instructions of the running thread.
    pub fn is_interruptible(&self) -> bool {
        let thread = self.threads.current();
        let signals = &self.process.signals;
        let by_signals = self.system.sharing.signals_sent()
            && signals.handled() & !thread.blocked != 0
            && (!self.step.alone || signals.are_due());
        by_signals || self.may_be_cancelled() && thread.cancellation.is_asynchronous
    }

    fn interruptions(&self, slot: u32) -> Vec<Interruption> {
        let thread = &self.threads[slot as usize];
        let mut all = Vec::new();
        if !thread.is_alive() || thread.atomic > 0 {
            return all;
        }
        let open = !self.blocked_in_wait(slot);
        let ends = self.wait_ends(slot);
        let alarm = PendingSignal { signal: SIGALRM, slot: None, origin: Origin { code: OF_KERNEL, value: 0 } };
        let signals = &self.process.signals;
        let rings = signals.alarm != Alarm::Off && bit(SIGALRM) & open != 0 && !signals.is_ignored(SIGALRM);
        for pending in signals.pending(slot, open).chain(rings.then_some(alarm)) {
            let restarts = signals.action(pending.signal).flags & RESTARTS != 0;
            if bit(pending.signal) & thread.blocked == 0 {
                all.push(Interruption::Signal { pending, ends_wait: false });
            }
            if ends == Ends::Always || ends == Ends::UnlessRestarted && !restarts {
                all.push(Interruption::Signal { pending, ends_wait: true });
            }
        }
        if self.can_be_cancelled(slot) {
            all.push(Interruption::Cancellation);
        }
        all
    }

    /// The signals that the thread in a slot blocks where it stands.
    pub fn blocked_in_wait(&self, slot: u32) -> u64 {
        let thread = &self.threads[slot as usize];
        let suspends = thread.status == Status::Running
            && self.threads.out != Some(slot)
            && self.is_system_call(thread.pc)
            && self.threads.register(slot, A7) == number::SIGSUSPEND;
        if suspends { self.memory.peek_long(self.threads.register(slot, A0)) } else { thread.blocked }
    }

    fn wait_ends(&self, slot: u32) -> Ends {
        let thread = &self.threads[slot as usize];
        if thread.status != Status::Running {
            return Ends::Never;
        }
        match self.system.program.hook(thread.pc) {
            Some(hook) if is_named(hook.place, &["sem_wait", "sem_timedwait", "sem_clockwait"]) => {
                let waits = !self.can_take_from_semaphore(self.threads.register(slot, A0));
                if waits { Ends::UnlessRestarted } else { Ends::Never }
            }
            Some(_) => Ends::Never,
            None if self.is_system_call(thread.pc) && is_interruptible_call(self.threads.register(slot, A7)) => {
                Ends::Always
            }
            None => Ends::Never,
        }
    }

    /// Something happens to the running thread.
    pub fn interrupt(&mut self, hart: &mut Hart, interruption: Interruption) -> Result<(), RunEnd> {
        match interruption {
            Interruption::Cancellation => {
                self.act_on_cancellation(hart);
                Ok(())
            }
            Interruption::Signal { pending, ends_wait } => {
                let blocked = self.threads.current().blocked;
                let is_alarm = pending.signal == SIGALRM && pending.origin.code == OF_KERNEL;
                if is_alarm && self.process.signals.alarm == Alarm::Once {
                    self.process.change().signals.alarm = Alarm::Off;
                }
                let mut during = blocked;
                if ends_wait {
                    during = self.end_wait(hart)?.unwrap_or(blocked);
                } else {
                    self.leave_waiting(hart);
                }
                self.deliver(hart, pending, during)
            }
        }
    }

    /// What is told of an interruption.
    pub fn told_interruption(&self, interruption: Interruption) -> String {
        match interruption {
            Interruption::Signal { pending, ends_wait: true } => {
                format!("is interrupted by {}", signals::name(pending.signal))
            }
            Interruption::Signal { pending, .. } => format!("receives {}", signals::name(pending.signal)),
            Interruption::Cancellation => "is cancelled".to_owned(),
        }
    }
}
