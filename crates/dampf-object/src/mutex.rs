//! Mutexes.

use crate::machine::Machine;
use crate::run_end::RunEnd;
use crate::step::Next;
use crate::sync::{Attempt, DESTROYED, EAGAIN, EDEADLK, EINVAL, ENOTSUP, EPERM, HELD, lock_misuse as misuse};
use crate::touched::Mode;
use dampf_rv::machine::Hart;

pub const MUTEX_BYTES: u8 = 40;

/// Where the parts of a mutex are.
const LOCK: u64 = 0;
const COUNT: u64 = 4;
const OWNER: u64 = 8;
const KIND: u64 = 16;

/// Kinds of mutexes, in the lowest bits.
const KINDS: u32 = 3;
const RECURSIVE: u32 = 1;
const ERRORCHECK: u32 = 2;
/// The holder's priority may be lent to it. Priorities change nothing here, but such a mutex knows its owner.
const PRIORITY_INHERITED: u32 = 32;

/// Parts of a mutex attribute.
const ATTRIBUTE_PROTOCOL: u32 = 3 << 28;
const ATTRIBUTE_INHERIT: u32 = 1 << 28;
const ATTRIBUTE_ROBUST: u32 = 1 << 30;

const A0: usize = 10;
const A1: usize = 11;

/// Whether a mutex of some kind refuses to be unlocked by threads that do not hold it.
fn knows_owner(kind: u32) -> bool {
    kind & PRIORITY_INHERITED != 0 || matches!(kind & KINDS, RECURSIVE | ERRORCHECK)
}

impl Machine<'_> {
    /// Whether the thread in a slot could take a mutex.
    pub fn can_lock(&self, mutex: u64, slot: u32) -> bool {
        let mut bytes = [0; KIND as usize + 4];
        self.memory.peek(mutex, &mut bytes);
        let word = |at: u64| u32::from_le_bytes(bytes[at as usize..][..4].try_into().expect("four bytes"));
        let (owner, kind) = (word(OWNER), word(KIND));
        // A destroyed mutex is taken only to complain.
        owner == 0 || kind == DESTROYED || (owner == slot + 1 && matches!(kind & KINDS, RECURSIVE | ERRORCHECK))
    }

    /// Whether a mutex that a thread does not hold says so itself when the thread unlocks it.
    pub fn refuses_foreign_unlock(&self, mutex: u64) -> bool {
        knows_owner(self.memory.peek_word(mutex + KIND))
    }

    /// Whether others can notice what is done to a mutex.
    pub fn is_visible_mutex(&mut self, mutex: u64) -> Result<bool, RunEnd> {
        self.is_visible(mutex, MUTEX_BYTES.into(), true)
    }

    /// The slot of the thread that holds a mutex.
    pub fn mutex_owner(&self, mutex: u64) -> Option<u32> {
        self.memory.peek_word(mutex + OWNER).checked_sub(1)
    }

    /// Whether the running thread holds a mutex. No access of the program's: nobody is told. The memory may hold
    /// something else by now, which does not look like a mutex that is held.
    pub fn holds_mutex(&self, mutex: u64) -> bool {
        self.memory.look_at_word(mutex + OWNER) == Some(self.threads.own_number())
            && self.memory.look_at_word(mutex + LOCK) == Some(HELD)
    }

    /// What a thread waits for that needs a mutex.
    pub fn told_mutex_wait(&self, mutex: u64, slot: u32) -> String {
        self.told_wait("mutex ", mutex, self.mutex_owner(mutex), slot)
    }

    pub fn init_mutex(&mut self, hart: &Hart) -> Result<Next, RunEnd> {
        let (mutex, attributes) = (hart.x[A0], hart.x[A1]);
        let wanted = if attributes == 0 { 0 } else { self.memory.peek_word(attributes) };
        let is_robust = wanted & ATTRIBUTE_ROBUST != 0;
        let kind = match wanted & ATTRIBUTE_PROTOCOL {
            ATTRIBUTE_INHERIT => wanted & KINDS | PRIORITY_INHERITED,
            0 => wanted & KINDS,
            _ if is_robust => return Ok(Next::Return(ENOTSUP)),
            _ => return Err(self.refuse("mutexes with a priority ceiling", hart)),
        };
        if is_robust {
            return Err(self.refuse("robust mutexes", hart));
        }
        if let Some(owner) = self.told_owner(mutex) {
            let (place, owner) = (self.place_name(mutex), self.thread_name(owner));
            return Err(misuse(format!("mutex {place} is initialised while {owner} holds it")));
        }
        self.memory.poke(mutex, &[0; MUTEX_BYTES as usize]);
        self.memory.poke_word(mutex + KIND, kind);
        Ok(Next::Return(0))
    }

    /// The slot of the thread that holds a mutex, where the memory is known to be one.
    fn told_owner(&self, mutex: u64) -> Option<u32> {
        let is_held = self.memory.peek_word(mutex + LOCK) == HELD && self.is_told_by_memory(mutex);
        self.mutex_owner(mutex).filter(|&owner| is_held && (owner as usize) < self.slots())
    }

    pub fn destroy_mutex(&mut self, hart: &Hart) -> Result<Next, RunEnd> {
        let mutex = hart.x[A0];
        self.owner_and_kind(mutex)?;
        if let Some(owner) = self.mutex_owner(mutex) {
            let (place, owner) = (self.place_name(mutex), self.thread_name(owner));
            return Err(misuse(format!("mutex {place} is destroyed while {owner} holds it")));
        }
        self.memory.poke_word(mutex + KIND, DESTROYED);
        Ok(Next::Return(0))
    }

    pub fn lock_mutex(&mut self, hart: &Hart, attempt: Attempt) -> Result<Next, RunEnd> {
        let (mutex, me) = (hart.x[A0], self.threads.own_number());
        let (owner, kind) = self.owner_and_kind(mutex)?;
        let result = match owner {
            _ if self.has_invalid_clock(attempt) => EINVAL,
            0 => self.acquire(mutex),
            _ if owner == me && kind & KINDS == RECURSIVE => self.acquire(mutex),
            _ if owner == me && kind & KINDS == ERRORCHECK && attempt != Attempt::Try => EDEADLK,
            _ => self.busy(attempt),
        };
        Ok(Next::Return(result))
    }

    pub fn unlock_mutex(&mut self, hart: &Hart) -> Result<Next, RunEnd> {
        let mutex = hart.x[A0];
        let (owner, kind) = self.owner_and_kind(mutex)?;
        if owner == self.threads.own_number() {
            self.release(mutex);
            return Ok(Next::Return(0));
        }
        self.note_touched(mutex, MUTEX_BYTES.into(), Mode::READ);
        if knows_owner(kind) {
            return Ok(Next::Return(EPERM));
        }
        let place = self.place_name(mutex);
        let held = match owner.checked_sub(1) {
            None => "is not locked".to_owned(),
            Some(owner) => format!("is held by {}", self.thread_name(owner)),
        };
        let me = self.thread_name(self.threads.running);
        Err(misuse(format!("{me} unlocks mutex {place}, which {held}")))
    }

    /// The owner of a mutex, by slot plus one, and the mutex's kind.
    fn owner_and_kind(&self, mutex: u64) -> Result<(u32, u32), RunEnd> {
        let (owner, kind) = (self.memory.peek_word(mutex + OWNER), self.memory.peek_word(mutex + KIND));
        self.check_not_destroyed("mutex", mutex, kind)?;
        Ok((owner, kind))
    }

    /// The running thread takes a mutex, at first or once more.
    pub fn acquire(&mut self, mutex: u64) -> u64 {
        let count = self.memory.peek_word(mutex + COUNT);
        if count == u32::MAX {
            return EAGAIN;
        }
        if count == 0 {
            self.count_held(mutex, true);
            self.hold_in_history(mutex);
            self.see_mutex(mutex);
            self.note_mutex(mutex, true);
            self.note_acquired(mutex);
            self.order_mutex(mutex, true);
        }
        self.memory.poke_word(mutex + LOCK, HELD);
        self.memory.poke_word(mutex + COUNT, count + 1);
        self.memory.poke_word(mutex + OWNER, self.threads.own_number());
        0
    }

    /// The running thread gives a mutex back, as often as it has taken it.
    pub fn release(&mut self, mutex: u64) {
        let count = self.memory.peek_word(mutex + COUNT).saturating_sub(1);
        self.memory.poke_word(mutex + COUNT, count);
        if count == 0 {
            self.memory.poke_word(mutex + LOCK, 0);
            self.memory.poke_word(mutex + OWNER, 0);
            self.count_held(mutex, false);
            self.note_mutex(mutex, false);
            self.step.transaction.close();
            self.order_mutex(mutex, false);
            // What the mutex guards may no longer be accessed without asking.
            self.memory.forget_translations();
        }
    }
}
