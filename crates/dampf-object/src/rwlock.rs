//! Locks that many may hold for reading, or one for writing.

use crate::machine::Machine;
use crate::run_end::RunEnd;
use crate::step::Next;
use crate::sync::Attempt;
use dampf_core::FaultKind;
use dampf_rv::machine::Hart;

pub const RWLOCK_BYTES: u8 = 56;

/// Where the parts of a lock are.
const READERS: u64 = 0;
const WRITER: u64 = 4;
const DESTROYED: u64 = 8;
const READERS_NAMED: u64 = 12;
/// The library's initialisers may set what lies behind these.
const NAMED_READERS: usize = 36;

const A0: usize = 10;

fn misuse(message: String) -> RunEnd {
    RunEnd::fault(FaultKind::LockMisuse, message)
}

impl Machine<'_> {
    pub fn can_lock_to_read(&self, lock: u64) -> bool {
        self.memory.peek_word(lock + WRITER) == 0
    }

    pub fn can_lock_to_write(&self, lock: u64) -> bool {
        self.memory.peek_word(lock + WRITER) == 0 && self.memory.peek_word(lock + READERS) == 0
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
        self.memory.poke(hart.x[A0], &[0; RWLOCK_BYTES as usize]);
        Ok(Next::Return(0))
    }

    pub fn destroy_rwlock(&mut self, hart: &Hart) -> Result<Next, RunEnd> {
        let lock = self.usable_rwlock(hart)?;
        if !self.can_lock_to_write(lock) {
            return Err(misuse(format!("lock {} is destroyed while it is held", self.place_name(lock))));
        }
        self.memory.poke_word(lock + DESTROYED, 1);
        Ok(Next::Return(0))
    }

    pub fn lock_to_read(&mut self, hart: &Hart, attempt: Attempt) -> Result<Next, RunEnd> {
        let lock = self.usable_rwlock(hart)?;
        if !self.can_lock_to_read(lock) {
            return Ok(Next::Return(attempt.busy()));
        }
        self.memory.poke_word(lock + READERS, self.memory.peek_word(lock + READERS) + 1);
        self.add_reader(lock);
        self.threads.current_mut().count_held(true);
        Ok(Next::Return(0))
    }

    pub fn lock_to_write(&mut self, hart: &Hart, attempt: Attempt) -> Result<Next, RunEnd> {
        let lock = self.usable_rwlock(hart)?;
        if !self.can_lock_to_write(lock) {
            return Ok(Next::Return(attempt.busy()));
        }
        self.memory.poke_word(lock + WRITER, self.threads.own_number());
        self.threads.current_mut().count_held(true);
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
        self.threads.current_mut().count_held(false);
        Ok(Next::Return(0))
    }

    /// The lock that an operation is about, unless it was destroyed.
    fn usable_rwlock(&self, hart: &Hart) -> Result<u64, RunEnd> {
        let lock = hart.x[A0];
        match self.memory.peek_word(lock + DESTROYED) {
            0 => Ok(lock),
            _ => Err(misuse(format!("lock {} is used after it was destroyed", self.place_name(lock)))),
        }
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
