//! The system calls about signals, and about the one timer that ends in a signal.

use crate::delivery::EINTR;
use crate::machine::Machine;
use crate::run_end::RunEnd;
use crate::sharing::{Fact, FactKind};
use crate::signals::{
    Alarm, AlternateStack, Origin, PendingSignal, SIGALRM, SIGKILL, SIGNALS, SIGSTOP, SignalAction, bit,
};
use crate::step::Next;
use crate::sync::{EAGAIN, EINVAL, ESRCH};
use crate::syscalls::{FIRST_THREAD_ID, PROCESS_ID, number};
use dampf_rv::machine::Hart;

const A0: usize = 10;
const A1: usize = 11;
const A2: usize = 12;
const A7: usize = 17;

const NANOSECONDS: u64 = 1_000_000_000;
const UNBLOCKABLE: u64 = 1 << (SIGKILL - 1) | 1 << (SIGSTOP - 1);
const REAL_TIMER: u64 = 0;
const ACTION_BYTES: u64 = 24;
const INFO_BYTES: u64 = 128;

/// The size of what a thread says about an alternate stack, what it says of whether there is one, and the least that
/// one has.
const STACK_BYTES: u64 = 24;
const STACK_IS_ON: u64 = 1;
const STACK_IS_OFF: u64 = 2;
const STACK_BYTES_MIN: u64 = 2048;

const ENOMEM: u64 = 12;

/// Whether a call waits for something that a signal ends.
pub fn is_interruptible_call(call: u64) -> bool {
    matches!(
        call,
        number::PPOLL | number::SIGSUSPEND | number::SIGTIMEDWAIT | number::NANOSLEEP | number::CLOCK_NANOSLEEP
    )
}

fn error(code: u64) -> Option<Next> {
    Some(Next::Return(code.wrapping_neg()))
}

fn valid(signal: u64) -> Option<u8> {
    (1..=SIGNALS).contains(&signal).then_some(signal as u8)
}

impl Machine<'_> {
    /// Whether others can notice a call about signals.
    pub fn is_visible_signal_call(&self, hart: &Hart) -> bool {
        match hart.x[A7] {
            number::KILL | number::TKILL | number::TGKILL | number::SIGQUEUE => true,
            number::SIGSUSPEND | number::SIGTIMEDWAIT | number::SIGPENDING | number::SETITIMER => true,
            number::SIGACTION | number::SIGPROCMASK => self.system.sharing.signals_sent(),
            _ => false,
        }
    }

    /// In how many ways a call that waits for a signal can happen with its first and third argument; none for any other
    /// call.
    pub fn ways_to_wait_for_signal(&self, [first, second, third, call]: [u64; 4], slot: u32) -> Option<u32> {
        match call {
            // `pause` is a poll of nothing.
            number::PPOLL if second == 0 => Some(u32::from(third != 0)),
            number::SIGSUSPEND => Some(0),
            number::SIGTIMEDWAIT => {
                let set = self.memory.peek_long(first);
                let is_pending = self.process.signals.pending(slot, set).next().is_some();
                let rings = !is_pending && self.may_ring(set);
                let ends = !is_pending && third != 0;
                Some(u32::from(is_pending) + u32::from(rings) + u32::from(ends))
            }
            _ => None,
        }
    }

    /// Whether the alarm may ring as one of a set of signals.
    fn may_ring(&self, set: u64) -> bool {
        self.process.signals.alarm != Alarm::Off && set & bit(SIGALRM) != 0
    }

    /// Performs a call about signals; none if it is not about them.
    pub fn signal_call(&mut self, hart: &mut Hart, way: u32) -> Result<Option<Next>, RunEnd> {
        let [first, second, third] = [hart.x[A0], hart.x[A1], hart.x[A2]];
        Ok(match hart.x[A7] {
            number::SIGACTION => self.set_signal_action(first, second, third)?,
            number::SIGPROCMASK => return self.block_signals(hart).map(Some),
            number::SIGALTSTACK => self.set_alternate_stack(first, second)?,
            number::SIGPENDING => {
                let set = self.process.signals.pending(self.threads.running, self.threads.current().blocked);
                let set = set.fold(0, |set, pending| set | bit(pending.signal));
                self.check_writable(first, 8)?;
                self.memory.poke_long(first, set);
                Some(Next::Return(0))
            }
            number::PPOLL if second == 0 => Some(Next::Return(0)),
            number::SIGTIMEDWAIT => self.wait_for_signal(hart, way)?,
            number::KILL => {
                let own = [0, PROCESS_ID, PROCESS_ID.wrapping_neg()];
                if !own.contains(&(first as i32 as i64)) {
                    return Err(self.refuse("signals to other processes", hart));
                }
                self.send_by_call(hart, second, None, Origin::default())?
            }
            number::TKILL => self.send_to_id(hart, first, second)?,
            number::TGKILL => self.send_to_id(hart, second, third)?,
            number::SIGQUEUE => {
                if first as i64 != PROCESS_ID {
                    return Err(self.refuse("signals to other processes", hart));
                }
                let (code, value) = (self.memory.peek_word(third + 8) as i32, self.memory.peek_long(third + 24));
                self.send_by_call(hart, second, None, Origin { code, value })?
            }
            number::SETITIMER if first == REAL_TIMER => Some(self.set_alarm(second, third)?),
            _ => None,
        })
    }

    fn set_signal_action(&mut self, signal: u64, new: u64, old: u64) -> Result<Option<Next>, RunEnd> {
        let Some(signal) = valid(signal) else { return Ok(error(EINVAL)) };
        if new != 0 && matches!(signal, SIGKILL | SIGSTOP) {
            return Ok(error(EINVAL));
        }
        let action = self.process.signals.action(signal);
        let [handler, flags, mask] = [0, 8, 16].map(|at| self.memory.peek_long(new.wrapping_add(at)));
        if old != 0 {
            self.check_writable(old, ACTION_BYTES)?;
            let parts = [action.handler, action.flags, action.mask];
            (0..).zip(parts).for_each(|(number, value)| self.memory.poke_long(old + 8 * number, value));
        }
        if new != 0 {
            let action = SignalAction { handler, flags, mask: mask & !UNBLOCKABLE };
            let signals = &mut self.process.change().signals;
            signals.set_action(signal, action);
            signals.drop_ignored(signal);
            self.step.ends_here |= self.system.sharing.signals_sent();
        }
        Ok(Some(Next::Return(0)))
    }

    /// Takes note of where a thread wants handlers to run. That none runs there is seen when one is to.
    fn set_alternate_stack(&mut self, new: u64, old: u64) -> Result<Option<Next>, RunEnd> {
        let slot = self.threads.running;
        let [start, flags, bytes] = [0, 8, 16].map(|at| self.memory.peek_long(new.wrapping_add(at)));
        if old != 0 {
            self.check_writable(old, STACK_BYTES)?;
            let former = self.process.signals.alternate_stack(slot);
            let parts = former.map_or([0, STACK_IS_OFF, 0], |stack| [stack.start, 0, stack.bytes]);
            (0..).zip(parts).for_each(|(number, value)| self.memory.poke_long(old + 8 * number, value));
        }
        if new != 0 {
            let stack = match flags & 0xffff_ffff {
                STACK_IS_OFF => None,
                0 | STACK_IS_ON if bytes < STACK_BYTES_MIN => return Ok(error(ENOMEM)),
                0 | STACK_IS_ON => Some(AlternateStack { slot, start, bytes }),
                _ => return Ok(error(EINVAL)),
            };
            self.process.change().signals.set_alternate_stack(slot, stack);
        }
        Ok(Some(Next::Return(0)))
    }

    fn block_signals(&mut self, hart: &mut Hart) -> Result<Next, RunEnd> {
        let [how, new, old] = [hart.x[A0], hart.x[A1], hart.x[A2]];
        let blocked = self.threads.current().blocked;
        let set = self.memory.peek_long(new) & !UNBLOCKABLE;
        let after = match how {
            _ if new == 0 => blocked,
            0 => blocked | set,
            1 => blocked & !set,
            2 => set,
            _ => return Ok(Next::Return(EINVAL.wrapping_neg())),
        };
        if old != 0 {
            self.check_writable(old, 8)?;
            self.memory.poke_long(old, blocked);
        }
        self.threads.current_mut().blocked = after;
        self.step.ends_here |= self.system.sharing.signals_sent();
        hart.x[A0] = 0;
        hart.pc += 4;
        self.deliver_own(hart)?;
        Ok(Next::Jump)
    }

    fn wait_for_signal(&mut self, hart: &mut Hart, way: u32) -> Result<Option<Next>, RunEnd> {
        let [set, info, timeout] = [hart.x[A0], hart.x[A1], hart.x[A2]];
        if timeout != 0 && self.memory.peek_long(timeout + 8) >= NANOSECONDS {
            return Ok(error(EINVAL));
        }
        let set = self.memory.peek_long(set);
        let pending = self.process.signals.pending(self.threads.running, set).next();
        let taken = match pending {
            Some(pending) => {
                self.process.change().signals.remove(pending);
                pending
            }
            None if way == 0 && self.may_ring(set) => {
                if self.process.signals.alarm == Alarm::Once {
                    self.process.change().signals.alarm = Alarm::Off;
                }
                PendingSignal { signal: SIGALRM, slot: None, origin: Origin { code: 0x80, value: 0 } }
            }
            None if timeout != 0 => return Ok(error(EAGAIN)),
            None => return Ok(error(EINTR)),
        };
        if info != 0 {
            self.check_writable(info, INFO_BYTES)?;
            self.write_info(info, taken);
        }
        Ok(Some(Next::Return(taken.signal.into())))
    }

    fn send_to_id(&mut self, hart: &mut Hart, id: u64, signal: u64) -> Result<Option<Next>, RunEnd> {
        let slot = (id as i64).checked_sub(FIRST_THREAD_ID).and_then(|slot| u32::try_from(slot).ok());
        let is_alive = |slot: &u32| self.threads.iter().nth(*slot as usize).is_some_and(|thread| thread.is_alive());
        match slot.filter(is_alive) {
            Some(slot) => self.send_by_call(hart, signal, Some(slot), Origin { code: -6, value: 0 }),
            None => Ok(error(ESRCH)),
        }
    }

    fn send_by_call(
        &mut self,
        hart: &mut Hart,
        signal: u64,
        slot: Option<u32>,
        origin: Origin,
    ) -> Result<Option<Next>, RunEnd> {
        if signal == 0 {
            return Ok(Some(Next::Return(0)));
        }
        let Some(signal) = valid(signal & 0xffff_ffff) else { return Ok(error(EINVAL)) };
        hart.x[A0] = 0;
        hart.pc += 4;
        self.send(hart, signal, slot, origin)?;
        Ok(Some(Next::Jump))
    }

    /// Sets the timer of real time. How much was left of it nobody knows: a second is said.
    fn set_alarm(&mut self, new: u64, old: u64) -> Result<Next, RunEnd> {
        let [interval, interval_rest, value, value_rest] = [0, 8, 16, 24].map(|at| self.memory.peek_long(new + at));
        let alarm = match (value | value_rest, interval | interval_rest) {
            (0, _) => Alarm::Off,
            (_, 0) => Alarm::Once,
            _ => Alarm::Periodic,
        };
        if alarm != Alarm::Off && !self.system.sharing.signals_sent() {
            return Err(self.refute(Fact::new(FactKind::SignalsSent, 0_u64)));
        }
        if old != 0 {
            self.check_writable(old, 32)?;
            let before = self.process.signals.alarm;
            let left = [before == Alarm::Periodic, false, before != Alarm::Off, false];
            (0..).zip(left).for_each(|(number, value)| self.memory.poke_long(old + 8 * number, value.into()));
        }
        if self.process.signals.alarm != alarm {
            self.process.change().signals.alarm = alarm;
        }
        self.step.ends_here = true;
        Ok(Next::Return(0))
    }
}
