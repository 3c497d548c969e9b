//! Locks that many may hold for reading, or one for writing.

use crate::history::FOR_READING;
use crate::machine::Machine;
use crate::run_end::RunEnd;
use crate::step::Next;
use crate::sync::{Attempt, DESTROYED, EDEADLK, EINVAL, HELD, lock_misuse as misuse};
use dampf_rv::machine::Hart;

pub const RWLOCK_BYTES: u8 = 56;

/// Where the parts of a lock are.
const READERS: u64 = 0;
const WRITER: u64 = 4;
/// The lock's mark: held, destroyed, or none.
const MARK: u64 = 8;
const READERS_NAMED: u64 = 12;
/// The library's initialisers may set what lies behind these.
const NAMED_READERS: usize = 36;
/// Where they set whom the lock prefers.
const PREFERENCE: u64 = 48;
const PREFERS_WRITERS: u32 = 2;

const A0: usize = 10;
const A1: usize = 11;

impl Machine<'_> {
    /// Whether the thread in a slot need not wait to read: it may, or it is told what is wrong.
    pub fn can_lock_to_read(&self, lock: u64, slot: u32) -> bool {
        let writer = self.memory.peek_word(lock + WRITER);
        writer == 0 || writer == slot + 1 || self.is_destroyed_rwlock(lock)
    }

    /// Whether the thread in a slot need not wait to write.
    pub fn can_lock_to_write(&self, lock: u64, slot: u32) -> bool {
        self.is_free_rwlock(lock) || self.memory.peek_word(lock + WRITER) == slot + 1 || self.is_destroyed_rwlock(lock)
    }

    fn is_free_rwlock(&self, lock: u64) -> bool {
        self.memory.peek_word(lock + WRITER) == 0 && self.memory.peek_word(lock + READERS) == 0
    }

    fn is_destroyed_rwlock(&self, lock: u64) -> bool {
        self.memory.peek_word(lock + MARK) == DESTROYED
    }

    /// The slot of the thread that holds a lock for writing.
    pub fn rwlock_writer(&self, lock: u64) -> Option<u32> {
        self.memory.peek_word(lock + WRITER).checked_sub(1)
    }

    /// The slot of a thread that holds a lock for reading.
    pub fn rwlock_reader(&self, lock: u64) -> Option<u32> {
        u32::from(self.readers(lock)[0]).checked_sub(1)
    }

    pub fn init_rwlock(&mut self, hart: &Hart) -> Result<Next, RunEnd> {
        let (lock, attributes) = (hart.x[A0], hart.x[A1]);
        if self.memory.peek_word(lock + MARK) == HELD && self.is_told_by_memory(lock) && !self.is_free_rwlock(lock) {
            return Err(misuse(format!("lock {} is initialised while it is held", self.place_name(lock))));
        }
        self.memory.poke(lock, &[0; RWLOCK_BYTES as usize]);
        let preference = if attributes == 0 { 0 } else { self.memory.peek_word(attributes) };
        self.memory.poke_word(lock + PREFERENCE, preference);
        Ok(Next::Return(0))
    }

    pub fn destroy_rwlock(&mut self, hart: &Hart) -> Result<Next, RunEnd> {
        let lock = self.usable_rwlock(hart)?;
        if !self.is_free_rwlock(lock) {
            return Err(misuse(format!("lock {} is destroyed while it is held", self.place_name(lock))));
        }
        self.memory.poke_word(lock + MARK, DESTROYED);
        Ok(Next::Return(0))
    }

    pub fn lock_to_read(&mut self, hart: &Hart, attempt: Attempt) -> Result<Next, RunEnd> {
        let lock = self.usable_rwlock(hart)?;
        if self.has_invalid_clock(attempt) || self.has_invalid_time(attempt) {
            return Ok(Next::Return(EINVAL));
        }
        match self.memory.peek_word(lock + WRITER) {
            0 => {}
            writer if writer == self.threads.own_number() && attempt != Attempt::Try => {
                return Ok(Next::Return(EDEADLK));
            }
            _ => return Ok(Next::Return(attempt.busy())),
        }
        let readers = self.memory.peek_word(lock + READERS);
        if readers > 0 && self.step.others && self.memory.peek_word(lock + PREFERENCE) == PREFERS_WRITERS {
            // A writer that waits would keep this reader out, and both may wait for ever. Who has come to wait already
            // and who has not is not told apart.
            self.step.unsupported = Some("a lock that prefers writers, with several readers".to_owned());
        }
        self.memory.poke_word(lock + READERS, readers + 1);
        self.memory.poke_word(lock + MARK, HELD);
        self.add_reader(lock);
        self.count_held(lock, true);
        self.hold_in_history(lock | FOR_READING);
        self.tell_apart_running();
        Ok(Next::Return(0))
    }

    pub fn lock_to_write(&mut self, hart: &Hart, attempt: Attempt) -> Result<Next, RunEnd> {
        let lock = self.usable_rwlock(hart)?;
        if self.has_invalid_clock(attempt) || self.has_invalid_time(attempt) {
            return Ok(Next::Return(EINVAL));
        }
        if self.memory.peek_word(lock + WRITER) == self.threads.own_number() && attempt != Attempt::Try {
            return Ok(Next::Return(EDEADLK));
        }
        if !self.is_free_rwlock(lock) {
            return Ok(Next::Return(attempt.busy()));
        }
        self.memory.poke_word(lock + WRITER, self.threads.own_number());
        self.memory.poke_word(lock + MARK, HELD);
        self.count_held(lock, true);
        self.hold_in_history(lock);
        self.tell_apart_running();
        Ok(Next::Return(0))
    }

    pub fn unlock_rwlock(&mut self, hart: &Hart) -> Result<Next, RunEnd> {
        let lock = self.usable_rwlock(hart)?;
        let (readers, writer) = (self.memory.peek_word(lock + READERS), self.memory.peek_word(lock + WRITER));
        if writer == self.threads.own_number() {
            self.memory.poke_word(lock + WRITER, 0);
        } else if writer == 0 && self.remove_reader(lock, readers) {
            self.memory.poke_word(lock + READERS, readers - 1);
        } else {
            let (me, place) = (self.thread_name(self.threads.running), self.place_name(lock));
            return Err(misuse(format!("{me} unlocks lock {place}, which it does not hold")));
        }
        if self.is_free_rwlock(lock) {
            self.memory.poke_word(lock + MARK, 0);
        }
        self.count_held(lock, false);
        Ok(Next::Return(0))
    }

    /// The lock that an operation is about, unless it was destroyed.
    fn usable_rwlock(&self, hart: &Hart) -> Result<u64, RunEnd> {
        let lock = hart.x[A0];
        self.check_not_destroyed("lock", lock, self.memory.peek_word(lock + MARK))?;
        Ok(lock)
    }

    /// The threads that hold a lock for reading, as far as they are noted, by slot plus one: sorted, with zeros behind.
    fn readers(&self, lock: u64) -> [u8; NAMED_READERS] {
        let mut readers = [0; NAMED_READERS];
        self.memory.peek(lock + READERS_NAMED, &mut readers);
        readers
    }

    /// Notes that the running thread reads, as long as there is room.
    fn add_reader(&mut self, lock: u64) {
        let mut readers = self.readers(lock);
        let end = readers.iter().position(|&reader| reader == 0);
        if let (Some(end), Ok(me)) = (end, u8::try_from(self.threads.own_number())) {
            readers[end] = me;
            readers[..=end].sort_unstable();
            self.memory.poke(lock + READERS_NAMED, &readers);
        }
    }

    /// Forgets that the running thread reads. False if it does not, as one of so many readers.
    fn remove_reader(&mut self, lock: u64, count: u32) -> bool {
        let mut readers = self.readers(lock);
        let named = readers.iter().filter(|&&reader| reader != 0).count();
        match readers.iter().position(|&reader| u32::from(reader) == self.threads.own_number()) {
            Some(at) => {
                readers.copy_within(at + 1.., at);
                readers[NAMED_READERS - 1] = 0;
                self.memory.poke(lock + READERS_NAMED, &readers);
                true
            }
            // One for whom there was no room.
            None => count as usize > named,
        }
    }
}
