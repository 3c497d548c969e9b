//! Files that the program was given: they are opened, read and asked about, and nothing else.
//!
//! How far a file was read is the process's to know, so whoever reads does something that others can notice. Files that
//! the program was not given are not supported, as is standard input where there is none.

use crate::machine::Machine;
use crate::run_end::RunEnd;
use crate::side_access::MemoryAccess;
use crate::syscalls::{self, number};
use dampf_rv::machine::Hart;

const A0: usize = 10;
const A7: usize = 17;

const EBADF: i64 = -9;
const EACCES: i64 = -13;
const ENOTDIR: i64 = -20;
const EINVAL: i64 = -22;
const EMFILE: i64 = -24;
const ENOTTY: i64 = -25;

/// The descriptor that an opened file has at least, while standard input is open.
const FIRST: u32 = 3;

/// Flags of `open`.
mod flags {
    pub const ACCESS: u64 = 3;
    pub const TRUNCATE: u64 = 0o1000;
    pub const DIRECTORY: u64 = 0o200_000;
}

/// The question how many bytes are left to read.
const BYTES_LEFT: u64 = 0x541b;

/// What is asked about access to a file that cannot be granted: writing and executing.
const WRITE_OR_EXECUTE: u64 = 3;

impl Machine<'_> {
    /// Opens what is open from the beginning.
    pub fn open_stdin(&mut self) {
        let surroundings = &self.system.program.surroundings;
        if surroundings.stdin.is_some() {
            let stdin = surroundings.stdin_number();
            self.process.change().descriptors.open(stdin, 0);
        }
    }

    /// The memory that a system call with these registers reads or writes.
    pub fn call_access(&self, register: impl Fn(usize) -> u64) -> Option<MemoryAccess> {
        if register(A7) != number::READ {
            return syscalls::side_access(register);
        }
        let bytes = self.bytes_to_read(register(A0), register(A0 + 2))?;
        (bytes > 0).then(|| MemoryAccess::written(register(A0 + 1), bytes))
    }

    /// Whether a system call changes which files are open, or how far they were read.
    pub fn is_visible_file_call(&self, hart: &Hart) -> bool {
        let is_open = || self.process.descriptors.get(hart.x[A0]).is_some();
        match hart.x[A7] {
            number::READ | number::LSEEK | number::CLOSE => is_open(),
            number::OPENAT => self.file_named_at(hart.x[A0 + 1]).is_some(),
            _ => false,
        }
    }

    fn file_named_at(&self, path: u64) -> Option<u32> {
        let surroundings = &self.system.program.surroundings;
        if surroundings.files.is_empty() {
            return None;
        }
        surroundings.file_named(&self.memory.peek_string(path))
    }

    /// How much a call reads that asks for so many bytes.
    fn bytes_to_read(&self, descriptor: u64, wanted: u64) -> Option<u64> {
        let open = self.process.descriptors.get(descriptor)?;
        let bytes = self.system.program.surroundings.contents(open.file).len() as u64;
        Some(bytes.saturating_sub(open.offset).min(wanted))
    }

    /// Performs a system call that is about a file that the program was given, if it is one: what it returns.
    pub fn file_call(&mut self, hart: &Hart) -> Result<Option<i64>, RunEnd> {
        let [first, second, third, fourth] = [0, 1, 2, 3].map(|argument| hart.x[A0 + argument]);
        let open = self.process.descriptors.get(first).copied();
        let has_path = |machine: &Self| machine.memory.peek_value(second, 1) != 0;
        let result = match (hart.x[A7], open) {
            (number::OPENAT, _) => self.file_named_at(second).map(|file| self.open_file(file, third)),
            (number::FACCESSAT, _) => self.file_named_at(second).map(|_| access_allowed(third)),
            (number::NEWFSTATAT, _) if has_path(self) => match self.file_named_at(second) {
                Some(file) => Some(self.tell_file_status(file, third)?),
                None => None,
            },
            (number::FSTAT, Some(open)) => Some(self.tell_file_status(open.file, second)?),
            (number::NEWFSTATAT, Some(open)) => Some(self.tell_file_status(open.file, third)?),
            (number::READ, Some(_)) => Some(self.read_file(first, second, third)?),
            (number::READ, None) if first > 2 => Some(EBADF),
            (number::LSEEK, Some(_)) => Some(self.seek(first, second as i64, third)),
            (number::CLOSE, Some(_)) => {
                self.process.change().descriptors.close(first);
                Some(0)
            }
            (number::IOCTL, Some(_)) if second == BYTES_LEFT => {
                self.check_writable(third, 4)?;
                let left = self.bytes_to_read(first, i32::MAX as u64).unwrap_or(0);
                self.memory.poke_word(third, left as u32);
                Some(0)
            }
            (number::IOCTL, Some(_)) => Some(ENOTTY),
            // How a file is used is advice, and where one is there is nothing to be done about it.
            (number::FADVISE, Some(_)) if fourth <= 5 => Some(0),
            _ => None,
        };
        Ok(result)
    }

    fn open_file(&mut self, file: u32, how: u64) -> i64 {
        if how & flags::DIRECTORY != 0 {
            return ENOTDIR;
        }
        if how & (flags::ACCESS | flags::TRUNCATE) != 0 {
            return EACCES;
        }
        let is_stdin_given = self.system.program.surroundings.stdin.is_some();
        let first = if is_stdin_given { 0 } else { FIRST };
        self.process.change().descriptors.open(file, first).map_or(EMFILE, i64::from)
    }

    fn read_file(&mut self, descriptor: u64, place: u64, wanted: u64) -> Result<i64, RunEnd> {
        let system = self.system;
        let (Some(bytes), Some(open)) =
            (self.bytes_to_read(descriptor, wanted), self.process.descriptors.get(descriptor).copied())
        else {
            return Ok(EBADF);
        };
        if bytes > 0 {
            self.check_writable(place, bytes)?;
            let from = open.offset as usize;
            self.memory.poke(place, &system.program.surroundings.contents(open.file)[from..from + bytes as usize]);
            if let Some(open) = self.process.change().descriptors.get_mut(descriptor) {
                open.offset += bytes;
            }
        }
        Ok(bytes as i64)
    }

    fn seek(&mut self, descriptor: u64, distance: i64, whence: u64) -> i64 {
        let surroundings = &self.system.program.surroundings;
        let Some(open) = self.process.descriptors.get(descriptor) else { return EBADF };
        let from = match whence {
            0 => 0,
            1 => open.offset as i64,
            2 => surroundings.contents(open.file).len() as i64,
            _ => return EINVAL,
        };
        let Some(offset) = from.checked_add(distance).filter(|&offset| offset >= 0) else { return EINVAL };
        if let Some(open) = self.process.change().descriptors.get_mut(descriptor) {
            open.offset = offset as u64;
        }
        offset
    }

    /// Tells what a file is like: one that can be read, and is so long.
    fn tell_file_status(&mut self, file: u32, place: u64) -> Result<i64, RunEnd> {
        const REGULAR_READABLE: u32 = 0o100_444;
        self.check_writable(place, syscalls::STATUS_BYTES)?;
        let bytes = self.system.program.surroundings.contents(file).len() as u64;
        self.memory.poke(place, &[0; syscalls::STATUS_BYTES as usize]);
        self.memory.poke_long(place + 8, u64::from(file) + 1);
        self.memory.poke_word(place + 16, REGULAR_READABLE);
        self.memory.poke_word(place + 20, 1);
        self.memory.poke_long(place + 48, bytes);
        self.memory.poke_word(place + 56, 4096);
        self.memory.poke_long(place + 64, bytes.div_ceil(512));
        Ok(0)
    }
}

fn access_allowed(how: u64) -> i64 {
    if how & WRITE_OR_EXECUTE == 0 { 0 } else { EACCES }
}
