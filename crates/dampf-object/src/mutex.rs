//! Mutexes.

use crate::machine::Machine;
use crate::run_end::RunEnd;
use crate::step::Next;
use crate::sync::{Attempt, EDEADLK, EPERM};
use dampf_core::FaultKind;
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
const DESTROYED: u32 = u32::MAX;

const A0: usize = 10;
const A1: usize = 11;

fn misuse(message: String) -> RunEnd {
    RunEnd::fault(FaultKind::LockMisuse, message)
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

    /// Whether others can notice what is done to a mutex.
    pub fn is_visible_mutex(&mut self, mutex: u64) -> Result<bool, RunEnd> {
        self.is_visible(mutex, MUTEX_BYTES.into(), true)
    }

    /// The slot of the thread that holds a mutex.
    pub fn mutex_owner(&self, mutex: u64) -> Option<u32> {
        self.memory.peek_word(mutex + OWNER).checked_sub(1)
    }

    /// What a thread waits for that needs a mutex.
    pub fn told_mutex_wait(&self, mutex: u64, slot: u32) -> String {
        self.told_wait("mutex ", mutex, self.mutex_owner(mutex), slot)
    }

    pub fn init_mutex(&mut self, hart: &Hart) -> Result<Next, RunEnd> {
        let (mutex, attributes) = (hart.x[A0], hart.x[A1]);
        self.memory.poke(mutex, &[0; MUTEX_BYTES as usize]);
        let kind = if attributes == 0 { 0 } else { self.memory.peek_word(attributes) & KINDS };
        self.memory.poke_word(mutex + KIND, kind);
        Ok(Next::Return(0))
    }

    pub fn destroy_mutex(&mut self, hart: &Hart) -> Result<Next, RunEnd> {
        let mutex = hart.x[A0];
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
            0 => self.acquire(mutex),
            _ if owner == me && kind & KINDS == RECURSIVE => self.acquire(mutex),
            _ if owner == me && kind & KINDS == ERRORCHECK && attempt != Attempt::Try => EDEADLK,
            _ => attempt.busy(),
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
        if matches!(kind & KINDS, RECURSIVE | ERRORCHECK) {
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
        if kind == DESTROYED {
            return Err(misuse(format!("mutex {} is used after it was destroyed", self.place_name(mutex))));
        }
        Ok((owner, kind))
    }

    /// The running thread takes a mutex, at first or once more.
    pub fn acquire(&mut self, mutex: u64) -> u64 {
        let count = self.memory.peek_word(mutex + COUNT);
        if count == 0 {
            self.threads.current_mut().count_held(true);
        }
        self.memory.poke_word(mutex + LOCK, 1);
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
            self.threads.current_mut().count_held(false);
        }
    }
}
