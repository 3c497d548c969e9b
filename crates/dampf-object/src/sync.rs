//! Locks, condition variables, semaphores and barriers.
//!
//! The objects live in the program's own memory, in the places where the C library keeps the same things, so that static
//! initialisers mean what they say. Who waits is not in the object: waiting threads stand before their call, or say in their
//! status what they wait for.

use crate::hooks::Hook;
use crate::machine::Machine;
use crate::step::Next;
use crate::thread::Status;
use crate::trouble::RunEnd;
use dampf_core::FaultKind;
use dampf_rv::machine::Hart;

const EPERM: u64 = 1;
const EAGAIN: u64 = 11;
const EBUSY: u64 = 16;
const EDEADLK: u64 = 35;
const ETIMEDOUT: u64 = 110;
/// What `pthread_barrier_wait` returns to one of the threads.
const SERIAL_THREAD: u64 = -1i64 as u64;

/// Where the parts of a mutex are.
mod mutex {
    pub const LOCK: u64 = 0;
    pub const COUNT: u64 = 4;
    pub const OWNER: u64 = 8;
    pub const KIND: u64 = 16;
    pub const BYTES: u64 = 40;
    pub const RECURSIVE: u32 = 1;
    pub const ERRORCHECK: u32 = 2;
    pub const DESTROYED: u32 = u32::MAX;
}

mod rwlock {
    pub const READERS: u64 = 0;
    pub const WRITER: u64 = 4;
    pub const DESTROYED: u64 = 8;
    pub const READERS_NAMED: u64 = 12;
    /// The library's initialisers may set what lies behind these.
    pub const NAMED_READERS: usize = 36;
    pub const BYTES: u64 = 56;
}

mod barrier {
    pub const ARRIVED: u64 = 0;
    pub const COUNT: u64 = 8;
    pub const BYTES: u64 = 32;
}

impl Hook {
    /// The bytes of the object that an operation is about, by which its visibility is judged.
    pub fn object_bytes(self) -> Option<u64> {
        use Hook::*;
        match self {
            MutexInit | MutexDestroy | MutexLock | MutexTrylock | MutexTimedlock | MutexUnlock => Some(mutex::BYTES),
            ConditionInit | ConditionDestroy | ConditionWait | ConditionTimedwait | ConditionSignal
            | ConditionBroadcast => Some(48),
            RwlockInit | RwlockDestroy | ReadLock | ReadTrylock | ReadTimedlock | WriteLock | WriteTrylock
            | WriteTimedlock | RwlockUnlock => Some(rwlock::BYTES),
            SpinInit | SpinDestroy | SpinLock | SpinTrylock | SpinUnlock => Some(4),
            SemaphoreInit | SemaphoreDestroy | SemaphoreWait | SemaphoreTrywait | SemaphoreTimedwait
            | SemaphorePost | SemaphoreValue => Some(32),
            BarrierInit | BarrierDestroy | BarrierWait => Some(barrier::BYTES),
            Atomic(_, bytes) | UnmadeRead(bytes) => Some(u64::from(bytes)),
            _ => None,
        }
    }
}

impl Machine<'_> {
    fn me(&self) -> u32 {
        self.running + 1
    }

    /// Whether the thread in a slot could take a mutex.
    pub fn can_lock(&self, mutex: u64, slot: u32) -> bool {
        let mut bytes = [0; mutex::KIND as usize + 4];
        self.peek(mutex, &mut bytes);
        let word = |at: u64| u32::from_le_bytes(bytes[at as usize..][..4].try_into().expect("four bytes"));
        let (owner, kind) = (word(mutex::OWNER), word(mutex::KIND));
        // A destroyed mutex is taken only to complain.
        owner == 0
            || kind == mutex::DESTROYED
            || (owner == slot + 1 && matches!(kind & 3, mutex::RECURSIVE | mutex::ERRORCHECK))
    }

    /// Whether others can notice what is done to a mutex.
    pub fn is_visible_mutex(&mut self, mutex: u64) -> Result<bool, RunEnd> {
        self.is_visible(mutex, mutex::BYTES, true)
    }

    /// The slot of the thread that holds a mutex.
    pub fn mutex_owner(&self, mutex: u64) -> Option<u32> {
        self.peek_word(mutex + mutex::OWNER).checked_sub(1)
    }

    pub fn rwlock_writer(&self, lock: u64) -> Option<u32> {
        self.peek_word(lock + rwlock::WRITER).checked_sub(1)
    }

    pub fn spin_owner(&self, lock: u64) -> Option<u32> {
        self.peek_word(lock).checked_sub(1)
    }

    /// The threads that wait on a condition variable.
    pub fn waiters(&self, wanted: u64) -> Vec<u32> {
        let waits = |slot: &u32| matches!(self.threads[*slot as usize].status, Status::OnCondition { condition, .. } if condition == wanted);
        (0..self.slots() as u32).filter(waits).collect()
    }

    /// In how many ways an operation of this file can happen now; none while it has to wait.
    pub fn ways_to_synchronise(&self, hook: Hook, object: u64, slot: u32) -> u32 {
        let enabled = match hook {
            Hook::MutexLock => self.can_lock(object, slot),
            Hook::ConditionSignal => return self.waiters(object).len().max(1) as u32,
            Hook::ReadLock => self.peek_word(object + rwlock::WRITER) == 0,
            Hook::WriteLock => {
                self.peek_word(object + rwlock::WRITER) == 0 && self.peek_word(object + rwlock::READERS) == 0
            }
            Hook::SpinLock => self.peek_word(object) == 0,
            Hook::SemaphoreWait => self.peek_word(object) > 0,
            _ => true,
        };
        u32::from(enabled)
    }

    /// Performs an operation on a mutex.
    pub fn mutex_operation(&mut self, hook: Hook, hart: &Hart) -> Result<Next, RunEnd> {
        let object = hart.x[10];
        match hook {
            Hook::MutexInit => {
                self.poke(object, &[0; mutex::BYTES as usize]);
                let kind = if hart.x[11] == 0 { 0 } else { self.peek_word(hart.x[11]) & 3 };
                self.poke_word(object + mutex::KIND, kind);
                return Ok(Next::Return(0));
            }
            Hook::MutexDestroy => {
                if let Some(owner) = self.mutex_owner(object) {
                    let (place, owner) = (self.place_name(object), self.thread_name(owner));
                    return Err(RunEnd::fault(
                        FaultKind::LockMisuse,
                        format!("mutex {place} is destroyed while {owner} holds it"),
                    ));
                }
                self.poke_word(object + mutex::KIND, mutex::DESTROYED);
                return Ok(Next::Return(0));
            }
            _ => {}
        }
        let (owner, kind) = (self.peek_word(object + mutex::OWNER), self.peek_word(object + mutex::KIND));
        if kind == mutex::DESTROYED {
            let place = self.place_name(object);
            return Err(RunEnd::fault(FaultKind::LockMisuse, format!("mutex {place} is used after it was destroyed")));
        }
        if hook == Hook::MutexUnlock {
            return self.unlock(object, owner, kind);
        }
        let result = match owner {
            0 => self.acquire(object),
            _ if owner == self.me() && kind & 3 == mutex::RECURSIVE => self.acquire(object),
            _ if owner == self.me() && kind & 3 == mutex::ERRORCHECK && hook != Hook::MutexTrylock => EDEADLK,
            _ if hook == Hook::MutexTimedlock => ETIMEDOUT,
            _ => EBUSY,
        };
        Ok(Next::Return(result))
    }

    fn acquire(&mut self, object: u64) -> u64 {
        let count = self.peek_word(object + mutex::COUNT);
        if count == 0 {
            self.thread_mut().count_held(true);
        }
        self.poke_word(object + mutex::LOCK, 1);
        self.poke_word(object + mutex::COUNT, count + 1);
        self.poke_word(object + mutex::OWNER, self.me());
        0
    }

    fn unlock(&mut self, object: u64, owner: u32, kind: u32) -> Result<Next, RunEnd> {
        if owner != self.me() {
            if matches!(kind & 3, mutex::RECURSIVE | mutex::ERRORCHECK) {
                return Ok(Next::Return(EPERM));
            }
            let place = self.place_name(object);
            let held = match owner.checked_sub(1) {
                None => "is not locked".to_owned(),
                Some(owner) => format!("is held by {}", self.thread_name(owner)),
            };
            let me = self.thread_name(self.running);
            return Err(RunEnd::fault(FaultKind::LockMisuse, format!("{me} unlocks mutex {place}, which {held}")));
        }
        self.release(object);
        Ok(Next::Return(0))
    }

    fn release(&mut self, object: u64) {
        let count = self.peek_word(object + mutex::COUNT).saturating_sub(1);
        self.poke_word(object + mutex::COUNT, count);
        if count == 0 {
            self.poke_word(object + mutex::LOCK, 0);
            self.poke_word(object + mutex::OWNER, 0);
            self.thread_mut().count_held(false);
        }
    }

    /// Performs an operation on a condition variable; `way` chooses whom a signal wakes.
    pub fn condition_operation(&mut self, hook: Hook, hart: &Hart, way: u32) -> Result<Next, RunEnd> {
        let condition = hart.x[10];
        match hook {
            Hook::ConditionInit => self.poke(condition, &[0; 48]),
            Hook::ConditionDestroy => {
                if let Some(&waiter) = self.waiters(condition).first() {
                    let (place, waiter) = (self.place_name(condition), self.thread_name(waiter));
                    let message = format!("condition variable {place} is destroyed while {waiter} waits on it");
                    return Err(RunEnd::fault(FaultKind::LockMisuse, message));
                }
            }
            Hook::ConditionWait | Hook::ConditionTimedwait => {
                let mutex = hart.x[11];
                if self.is_visible(mutex, mutex::BYTES, true).is_err() || self.mutex_owner(mutex) != Some(self.running)
                {
                    self.is_visible(mutex, mutex::BYTES, true)?;
                    let (me, place) = (self.thread_name(self.running), self.place_name(mutex));
                    let message =
                        format!("{me} waits on a condition variable with mutex {place}, which it does not hold");
                    return Err(RunEnd::fault(FaultKind::LockMisuse, message));
                }
                self.release(mutex);
                let timed = hook == Hook::ConditionTimedwait;
                self.thread_mut().status = Status::OnCondition { condition, mutex, timed };
                return Ok(Next::Wait);
            }
            Hook::ConditionSignal => {
                if let Some(&waiter) = self.waiters(condition).get(way as usize) {
                    self.wake_from_condition(waiter);
                }
            }
            _ => self.waiters(condition).into_iter().for_each(|waiter| self.wake_from_condition(waiter)),
        }
        Ok(Next::Return(0))
    }

    fn wake_from_condition(&mut self, slot: u32) {
        let Status::OnCondition { mutex, .. } = self.threads[slot as usize].status else { return };
        self.hart_mut(slot);
        self.threads[slot as usize].status = Status::Reacquiring { mutex, result: 0 };
    }

    /// A wait on a condition variable ends by itself.
    pub fn time_out(&mut self, result_if_timed: bool) {
        if let Status::OnCondition { mutex, timed, .. } = self.thread().status {
            let result = if timed && result_if_timed { ETIMEDOUT as u32 } else { 0 };
            self.thread_mut().status = Status::Reacquiring { mutex, result };
        }
    }

    /// Takes the mutex back after a wait.
    pub fn reacquire(&mut self, mutex: u64) {
        self.acquire(mutex);
    }

    pub fn rwlock_operation(&mut self, hook: Hook, hart: &Hart) -> Result<Next, RunEnd> {
        let object = hart.x[10];
        let (readers, writer) = (self.peek_word(object + rwlock::READERS), self.peek_word(object + rwlock::WRITER));
        let free_to_read = writer == 0;
        let free_to_write = writer == 0 && readers == 0;
        if hook != Hook::RwlockInit && self.peek_word(object + rwlock::DESTROYED) != 0 {
            let place = self.place_name(object);
            return Err(RunEnd::fault(FaultKind::LockMisuse, format!("lock {place} is used after it was destroyed")));
        }
        let busy = |timed| if timed { ETIMEDOUT } else { EBUSY };
        let result = match hook {
            Hook::RwlockInit => {
                self.poke(object, &[0; rwlock::BYTES as usize]);
                0
            }
            Hook::RwlockDestroy if free_to_write => {
                self.poke_word(object + rwlock::DESTROYED, 1);
                0
            }
            Hook::RwlockDestroy => {
                let place = self.place_name(object);
                return Err(RunEnd::fault(
                    FaultKind::LockMisuse,
                    format!("lock {place} is destroyed while it is held"),
                ));
            }
            Hook::ReadLock | Hook::ReadTrylock | Hook::ReadTimedlock if free_to_read => {
                self.poke_word(object + rwlock::READERS, readers + 1);
                self.add_reader(object);
                self.thread_mut().count_held(true);
                0
            }
            Hook::WriteLock | Hook::WriteTrylock | Hook::WriteTimedlock if free_to_write => {
                self.poke_word(object + rwlock::WRITER, self.me());
                self.thread_mut().count_held(true);
                0
            }
            Hook::RwlockUnlock if writer == self.me() => {
                self.poke_word(object + rwlock::WRITER, 0);
                self.thread_mut().count_held(false);
                0
            }
            Hook::RwlockUnlock if writer == 0 && self.remove_reader(object, readers) => {
                self.poke_word(object + rwlock::READERS, readers - 1);
                self.thread_mut().count_held(false);
                0
            }
            Hook::RwlockUnlock => {
                let (me, place) = (self.thread_name(self.running), self.place_name(object));
                let message = format!("{me} unlocks lock {place}, which it does not hold");
                return Err(RunEnd::fault(FaultKind::LockMisuse, message));
            }
            _ => busy(matches!(hook, Hook::ReadTimedlock | Hook::WriteTimedlock)),
        };
        Ok(Next::Return(result))
    }

    /// The threads that hold a lock for reading, as far as they are noted, by slot plus one: sorted, with zeros behind.
    fn readers(&self, lock: u64) -> [u8; rwlock::NAMED_READERS] {
        let mut readers = [0; rwlock::NAMED_READERS];
        self.peek(lock + rwlock::READERS_NAMED, &mut readers);
        readers
    }

    /// A thread that holds a lock for reading.
    pub fn rwlock_reader(&self, lock: u64) -> Option<u32> {
        u32::from(self.readers(lock)[0]).checked_sub(1)
    }

    /// Notes that the running thread reads, as long as there is room.
    fn add_reader(&mut self, lock: u64) {
        let mut readers = self.readers(lock);
        let end = readers.iter().position(|&reader| reader == 0);
        if let (Some(end), Ok(me)) = (end, u8::try_from(self.me())) {
            readers[end] = me;
            readers[..=end].sort_unstable();
            self.poke(lock + rwlock::READERS_NAMED, &readers);
        }
    }

    /// Forgets that the running thread reads. False if it does not, as one of so many readers.
    fn remove_reader(&mut self, lock: u64, count: u32) -> bool {
        let mut readers = self.readers(lock);
        let named = readers.iter().filter(|&&reader| reader != 0).count();
        match readers.iter().position(|&reader| u32::from(reader) == self.me()) {
            Some(at) => {
                readers.copy_within(at + 1.., at);
                readers[rwlock::NAMED_READERS - 1] = 0;
                self.poke(lock + rwlock::READERS_NAMED, &readers);
                true
            }
            // One for whom there was no room.
            None => count as usize > named,
        }
    }

    pub fn spin_operation(&mut self, hook: Hook, hart: &Hart) -> Result<Next, RunEnd> {
        let object = hart.x[10];
        let owner = self.peek_word(object);
        let result = match hook {
            Hook::SpinLock | Hook::SpinTrylock if owner == 0 => {
                self.poke_word(object, self.me());
                self.thread_mut().count_held(true);
                0
            }
            Hook::SpinLock | Hook::SpinTrylock => EBUSY,
            Hook::SpinInit => {
                self.poke_word(object, 0);
                0
            }
            Hook::SpinUnlock if owner == self.me() => {
                self.poke_word(object, 0);
                self.thread_mut().count_held(false);
                0
            }
            Hook::SpinDestroy if owner == 0 => 0,
            _ => {
                let (me, place) = (self.thread_name(self.running), self.place_name(object));
                let message = match hook {
                    Hook::SpinDestroy => format!("spin lock {place} is destroyed while it is held"),
                    _ => format!("{me} unlocks spin lock {place}, which it does not hold"),
                };
                return Err(RunEnd::fault(FaultKind::LockMisuse, message));
            }
        };
        Ok(Next::Return(result))
    }

    pub fn semaphore_operation(&mut self, hook: Hook, hart: &Hart) -> Result<Next, RunEnd> {
        let object = hart.x[10];
        let value = self.peek_word(object);
        match hook {
            Hook::SemaphoreInit => {
                self.poke(object, &[0; 32]);
                self.poke_word(object, hart.x[12] as u32);
            }
            Hook::SemaphoreDestroy => {}
            Hook::SemaphoreValue => {
                self.check_writable(hart.x[11], 4)?;
                self.poke_word(hart.x[11], value);
            }
            Hook::SemaphorePost => self.poke_word(object, value.wrapping_add(1)),
            _ if value > 0 => self.poke_word(object, value - 1),
            _ => {
                self.set_errno(hart, if hook == Hook::SemaphoreTimedwait { ETIMEDOUT } else { EAGAIN });
                return Ok(Next::Return(u64::MAX));
            }
        }
        Ok(Next::Return(0))
    }

    pub fn barrier_operation(&mut self, hook: Hook, hart: &Hart) -> Result<Next, RunEnd> {
        let object = hart.x[10];
        let waits = |status: Status| matches!(status, Status::OnBarrier { barrier } if barrier == object);
        match hook {
            Hook::BarrierInit => {
                self.poke(object, &[0; barrier::BYTES as usize]);
                self.poke_word(object + barrier::COUNT, hart.x[12] as u32);
                Ok(Next::Return(0))
            }
            Hook::BarrierDestroy => {
                if self.threads.iter().any(|thread| waits(thread.status)) {
                    let place = self.place_name(object);
                    return Err(RunEnd::fault(
                        FaultKind::LockMisuse,
                        format!("barrier {place} is destroyed while threads wait at it"),
                    ));
                }
                Ok(Next::Return(0))
            }
            _ => {
                let arrived = self.peek_word(object + barrier::ARRIVED) + 1;
                if arrived < self.peek_word(object + barrier::COUNT) {
                    self.poke_word(object + barrier::ARRIVED, arrived);
                    self.thread_mut().status = Status::OnBarrier { barrier: object };
                    return Ok(Next::Wait);
                }
                self.poke_word(object + barrier::ARRIVED, 0);
                for slot in 0..self.slots() as u32 {
                    if waits(self.threads[slot as usize].status) {
                        let hart = self.hart_mut(slot);
                        hart.x[10] = 0;
                        hart.pc = hart.x[1];
                        self.threads[slot as usize].status = Status::Running;
                        self.fresh.push(slot);
                    }
                }
                Ok(Next::Return(SERIAL_THREAD))
            }
        }
    }
}
