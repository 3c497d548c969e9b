//! System calls: the few that a program inside the machine can make.
//!
//! Nothing outside the machine is reached. Output is captured; clocks stand still; sleeping is yielding. What would
//! need sockets, or files that the program was not given, is not supported, by name.

use crate::layout::{MAPS, slot_of};
use crate::machine::Machine;
use crate::mapping_calls;
use crate::premise::Premise;
use crate::run_end::RunEnd;
use crate::side_access::MemoryAccess;
use crate::step::Next;
use crate::surroundings::PROCESSORS_MAX;
use crate::thread::Status;
use dampf_core::FaultKind;
use dampf_rv::machine::Hart;

const A0: usize = 10;
const A7: usize = 17;

const ENOENT: i64 = -2;
const EBADF: i64 = -9;
const EAGAIN: i64 = -11;
const ENOMEM: i64 = -12;
const EINVAL: i64 = -22;
const ENOTTY: i64 = -25;
const ERANGE: i64 = -34;
const ENOSYS: i64 = -38;
const ETIMEDOUT: i64 = -110;

/// Files of the system: time zones, locales, what the machine is like.
const SYSTEM_FILES: &[&str] = &[
    "/etc/localtime",
    "/usr/share/zoneinfo",
    "/usr/share/locale",
    "/usr/lib/locale",
    "/usr/lib/gconv",
    "/sys/",
    "/proc/",
];

/// More output than this in one step is cut: a program that prints in an endless loop is no reason to run out of
/// memory.
const OUTPUT_MAX: usize = 1 << 20;

/// The size of what the system says about the use of its resources.
const RUSAGE_BYTES: u64 = 144;

/// The sizes of what it says about itself, and about a file.
const UNAME_BYTES: u64 = 390;
pub const STATUS_BYTES: u64 = 128;

/// What a call about the process is for.
const SET_NAME: u64 = 15;

/// The numbers of the process and of its first thread.
pub const PROCESS_ID: i64 = 1000;
pub const FIRST_THREAD_ID: i64 = 1000;

/// No more random bytes than this are handed out at once.
const RANDOM_MAX: u64 = 4096;

pub mod number {
    pub const GETCWD: u64 = 17;
    pub const IOCTL: u64 = 29;
    pub const OPENAT: u64 = 56;
    pub const FSTAT: u64 = 80;
    pub const NEWFSTATAT: u64 = 79;
    pub const READLINKAT: u64 = 78;
    pub const CLOSE: u64 = 57;
    pub const PPOLL: u64 = 73;
    pub const FACCESSAT: u64 = 48;
    pub const LSEEK: u64 = 62;
    pub const READ: u64 = 63;
    pub const WRITE: u64 = 64;
    pub const WRITEV: u64 = 66;
    pub const EXIT: u64 = 93;
    pub const EXIT_GROUP: u64 = 94;
    pub const SET_TID_ADDRESS: u64 = 96;
    pub const FUTEX: u64 = 98;
    pub const SET_ROBUST_LIST: u64 = 99;
    pub const NANOSLEEP: u64 = 101;
    pub const SETITIMER: u64 = 103;
    pub const CLOCK_GETTIME: u64 = 113;
    pub const CLOCK_GETRES: u64 = 114;
    pub const CLOCK_NANOSLEEP: u64 = 115;
    pub const SCHED_YIELD: u64 = 124;
    pub const SCHED_GETAFFINITY: u64 = 123;
    pub const SCHED_GET_PRIORITY_MAX: u64 = 125;
    pub const SCHED_GET_PRIORITY_MIN: u64 = 126;
    pub const KILL: u64 = 129;
    pub const TKILL: u64 = 130;
    pub const TGKILL: u64 = 131;
    pub const SIGALTSTACK: u64 = 132;
    pub const SIGSUSPEND: u64 = 133;
    pub const SIGACTION: u64 = 134;
    pub const SIGPROCMASK: u64 = 135;
    pub const SIGPENDING: u64 = 136;
    pub const SIGTIMEDWAIT: u64 = 137;
    pub const SIGQUEUE: u64 = 138;
    pub const UNAME: u64 = 160;
    pub const GETRUSAGE: u64 = 165;
    pub const PRCTL: u64 = 167;
    pub const GETTIMEOFDAY: u64 = 169;
    pub const GETPID: u64 = 172;
    pub const GETPPID: u64 = 173;
    pub const GETTID: u64 = 178;
    pub const GETUID: u64 = 174;
    pub const GETEGID: u64 = 177;
    pub const BRK: u64 = 214;
    pub const MUNMAP: u64 = 215;
    pub const MREMAP: u64 = 216;
    pub const MMAP: u64 = 222;
    pub const FADVISE: u64 = 223;
    pub const MPROTECT: u64 = 226;
    pub const MADVISE: u64 = 233;
    pub const PRLIMIT: u64 = 261;
    pub const GETRANDOM: u64 = 278;
    pub const MEMBARRIER: u64 = 283;
    pub const RSEQ: u64 = 293;
}

/// Operations of the futex call, without their flags.
mod futex {
    pub const WAIT: u64 = 0;
    pub const WAKE: u64 = 1;
    pub const WAIT_BITSET: u64 = 9;
    pub const WAKE_BITSET: u64 = 10;
    pub const COMMAND: u64 = 0x7f;
}

/// The memory that a system call with these registers reads or writes.
pub fn side_access(register: impl Fn(usize) -> u64) -> Option<MemoryAccess> {
    let [first, second, third] = [register(A0), register(A0 + 1), register(A0 + 2)];
    let place = match register(A7) {
        number::WRITE if matches!(first, 1 | 2) => MemoryAccess::read(second, third),
        number::CLOCK_GETTIME => MemoryAccess::written(second, 16),
        number::GETTIMEOFDAY if first != 0 => MemoryAccess::written(first, 16),
        number::GETRUSAGE => MemoryAccess::written(second, RUSAGE_BYTES),
        number::GETRANDOM => MemoryAccess::written(first, second.min(RANDOM_MAX)),
        number::UNAME => MemoryAccess::written(first, UNAME_BYTES),
        number::CLOCK_GETRES if second != 0 => MemoryAccess::written(second, 16),
        number::FSTAT => MemoryAccess::written(second, STATUS_BYTES),
        number::NEWFSTATAT => MemoryAccess::written(third, STATUS_BYTES),
        number::SCHED_GETAFFINITY => MemoryAccess::written(third, 8),
        _ if mapping_calls::is_end(&register) => return mapping_calls::ended(first, second),
        _ => return None,
    };
    Some(place).filter(|place| (1..=OUTPUT_MAX as u64).contains(&place.bytes))
}

impl Machine<'_> {
    /// Whether the system call a thread stands before is visible to others.
    pub fn is_visible_call(&mut self, hart: &Hart) -> Result<bool, RunEnd> {
        match hart.x[A7] {
            // Whoever wakes another has changed something, though nothing in memory.
            number::FUTEX => self.is_visible(hart.x[A0], 4, true),
            number::EXIT_GROUP => Ok(true),
            _ if mapping_calls::is_change(|number| hart.x[number]) => Ok(true),
            _ if self.is_visible_signal_call(hart) || self.is_visible_file_call(hart) => Ok(true),
            number::EXIT => Ok(self.is_visible_end()),
            _ => match self.call_access(|number| hart.x[number]) {
                Some(MemoryAccess { address, bytes, writes }) => {
                    Ok(self.is_visible(address, bytes, writes)? && !self.has_segments())
                }
                None => Ok(false),
            },
        }
    }

    /// In how many ways the instruction a thread stands at can happen, if it is a system call.
    pub fn ways_to_call(&self, slot: u32) -> u32 {
        if !self.is_system_call(self.threads[slot as usize].pc) {
            return 1;
        }
        self.ways_of_call([A0, A0 + 1, A0 + 2, A7].map(|number| self.threads.register(slot, number)), slot)
    }

    /// In how many ways a system call with these arguments can happen, made by the thread in a slot.
    pub fn ways_of_call(&self, [first, second, third, call]: [u64; 4], slot: u32) -> u32 {
        if let Some(ways) = self.ways_to_wait_for_signal([first, second, third, call], slot) {
            return ways;
        }
        match call {
            number::FUTEX => self.ways_to_wake(first, second, third),
            number::CLOCK_GETTIME | number::GETTIMEOFDAY => self.ways_to_look_at_clock(slot),
            _ => 1,
        }
    }

    /// A call that wakes some of the threads that wait may wake any of them.
    fn ways_to_wake(&self, address: u64, command: u64, count: u64) -> u32 {
        let wakes = matches!(command & futex::COMMAND, futex::WAKE | futex::WAKE_BITSET);
        if !wakes {
            return 1;
        }
        let waiting = self.threads.futex_waiters(address).count() as u32;
        if u64::from(waiting) <= count & 0xffff_ffff { 1 } else { waiting.max(1) }
    }

    /// Performs a system call. The program counter stands at the call; `Return` continues behind it.
    pub fn system_call(&mut self, hart: &mut Hart, way: u32) -> Result<Next, RunEnd> {
        if let Some(next) = self.signal_call(hart, way)? {
            return Ok(next);
        }
        if let Some(result) = self.file_call(hart)? {
            return Ok(Next::Return(result as u64));
        }
        let [first, second, third] = [hart.x[A0], hart.x[A0 + 1], hart.x[A0 + 2]];
        let result = match hart.x[A7] {
            number::WRITE => self.write(first, second, third)?,
            number::WRITEV => self.write_vector(first, second, third)?,
            number::EXIT => return Ok(self.end_thread(first)),
            number::EXIT_GROUP => return self.end_process(first as u8),
            number::FUTEX => return self.futex(hart, way),
            number::BRK => self.set_break(first),
            number::MMAP => self.map(hart)?,
            number::MUNMAP => self.unmap(first, second, hart)?,
            number::MPROTECT => self.protect(first, second, third, hart)?,
            number::MADVISE => self.advise(first, second, third),
            number::MREMAP => ENOMEM,
            number::FSTAT => self.file_status(first, second),
            number::NEWFSTATAT if self.memory.peek_string(second).is_empty() => self.file_status(first, third),
            number::IOCTL if first <= 2 => 0,
            number::IOCTL => ENOTTY,
            number::READLINKAT => ENOENT,
            // What the C library looks for by itself, and does without where it is not there.
            number::OPENAT if SYSTEM_FILES.iter().any(|path| self.memory.peek_string(second).starts_with(path)) => {
                ENOENT
            }
            number::CLOCK_GETTIME => {
                self.check_writable(second, 16)?;
                let (seconds, nanoseconds) = self.look_at_clock(hart, way);
                self.memory.poke_long(second, seconds);
                self.memory.poke_long(second.wrapping_add(8), nanoseconds);
                0
            }
            number::GETTIMEOFDAY => {
                let (seconds, nanoseconds) = self.look_at_clock(hart, way);
                if first != 0 {
                    self.check_writable(first, 16)?;
                    self.memory.poke_long(first, seconds);
                    self.memory.poke_long(first.wrapping_add(8), nanoseconds / 1000);
                }
                0
            }
            number::CLOCK_GETRES => {
                if second != 0 {
                    self.memory.poke(second, &[0; 16]);
                }
                0
            }
            number::NANOSLEEP if !self.is_duration(first) => EINVAL,
            number::CLOCK_NANOSLEEP if !can_be_slept_on(first) || !self.is_duration(third) => EINVAL,
            number::GETCWD if second < 2 => ERANGE,
            number::GETCWD => {
                self.check_writable(first, 2)?;
                self.memory.poke(first, b"/\0");
                2
            }
            number::NANOSLEEP => {
                self.note_end(first);
                0
            }
            number::CLOCK_NANOSLEEP => {
                self.note_end(third);
                0
            }
            number::UNAME => {
                self.memory.poke(first, &[0; UNAME_BYTES as usize]);
                for (field, text) in ["Linux", "dampf", "6.1.0", "#1", "riscv64"].iter().enumerate() {
                    self.memory.poke(first + 65 * field as u64, text.as_bytes());
                }
                0
            }
            number::GETRUSAGE => {
                self.check_writable(second, RUSAGE_BYTES)?;
                self.memory.poke(second, &[0; RUSAGE_BYTES as usize]);
                0
            }
            // The name of a thread.
            number::PRCTL if first == SET_NAME => 0,
            number::GETRANDOM => {
                // Random numbers would make every run another one: all are zero.
                self.premises.note(Premise::RandomNumbers);
                let bytes = second.min(RANDOM_MAX);
                self.check_writable(first, bytes)?;
                self.memory.poke(first, &vec![0; bytes as usize]);
                bytes as i64
            }
            number::SCHED_GETAFFINITY => {
                self.check_writable(third, 8)?;
                self.memory
                    .poke_long(third, u64::MAX >> (PROCESSORS_MAX - self.system.program.surroundings.processors));
                8
            }
            number::SCHED_GET_PRIORITY_MAX => priority_limit(first, 99),
            number::SCHED_GET_PRIORITY_MIN => priority_limit(first, 1),
            number::GETPID => PROCESS_ID,
            number::GETPPID => 1,
            number::GETTID | number::SET_TID_ADDRESS => {
                self.tell_apart_running();
                FIRST_THREAD_ID + i64::from(self.threads.running)
            }
            number::GETUID..=number::GETEGID => 1000,
            number::RSEQ | number::MEMBARRIER => ENOSYS,
            number::PRLIMIT | number::SET_ROBUST_LIST | number::SCHED_YIELD => 0,
            other => return Err(self.refuse_call(other, hart)),
        };
        Ok(Next::Return(result as u64))
    }

    /// The program ends. It may say itself that something went wrong, as tests do that fail.
    fn end_process(&mut self, status: u8) -> Result<Next, RunEnd> {
        if status != 0 && !self.system.options.any_exit_status {
            let message = format!("the program ends with exit status {status}");
            return Err(RunEnd::fault(FaultKind::ExitStatus, message));
        }
        self.process.change().ended = Some(status);
        Ok(Next::End)
    }

    /// Whether there is a time at an address that one can sleep.
    fn is_duration(&self, place: u64) -> bool {
        self.memory.peek_long(place) <= i64::MAX as u64 && self.memory.peek_long(place.wrapping_add(8)) < 1_000_000_000
    }

    fn refuse_call(&mut self, call: u64, hart: &Hart) -> RunEnd {
        let what = match call {
            number::READ if hart.x[A0] == 0 => "reading standard input without --stdin".to_owned(),
            25 | 34..=38 | 43..=50 | 52..=57 | 61..=63 | 65 | 67..=71 | 78..=84 | 88 | 276 | 291 => {
                format!("files but for those of --file ({})", self.caller_name(hart))
            }
            198..=212 | 242 | 243 | 269 => format!("sockets ({})", self.caller_name(hart)),
            19..=24 | 72 | 73 | 59 => format!("pipes and polling ({})", self.caller_name(hart)),
            220 | 221 | 260 | 435 => format!("processes ({})", self.caller_name(hart)),
            107..=112 | 85..=87 => format!("timers ({})", self.caller_name(hart)),
            _ => format!("system call {call} ({})", self.caller_name(hart)),
        };
        RunEnd::from(self.system.program.unsupported(what, self.user_pc(hart)))
    }

    fn caller_name(&self, hart: &Hart) -> String {
        let name = dampf_rv::image::demangle(self.system.program.function_at(hart.pc));
        format!("`{}`", crate::faults::short_name(&name).trim_start_matches('_'))
    }

    fn write(&mut self, file: u64, address: u64, bytes: u64) -> Result<i64, RunEnd> {
        if file != 1 && file != 2 {
            return Ok(EBADF);
        }
        let mut text = vec![0; bytes.min(OUTPUT_MAX as u64) as usize];
        if !self.memory.peek(address, &mut text) {
            return Err(self.bad_access(address, bytes, false));
        }
        if self.step.output.len() < OUTPUT_MAX {
            self.step.output.extend_from_slice(&text);
        }
        // What a stream has written is of no use to it any more, but would tell states apart.
        if let Some(crate::layout::Region::LibraryHeap) = crate::layout::Region::of(address, self.slots()) {
            self.memory.poke(address, &vec![0; text.len()]);
        }
        Ok(bytes as i64)
    }

    fn write_vector(&mut self, file: u64, vector: u64, count: u64) -> Result<i64, RunEnd> {
        let mut written = 0;
        for number in 0..count.min(1024) {
            let (address, bytes) =
                (self.memory.peek_long(vector + 16 * number), self.memory.peek_long(vector + 16 * number + 8));
            match self.write(file, address, bytes)? {
                error @ ..0 => return Ok(error),
                bytes => written += bytes,
            }
        }
        Ok(written)
    }

    /// The program's standard streams are a terminal, so that the C library hands over output line by line.
    fn file_status(&mut self, file: u64, place: u64) -> i64 {
        const CHARACTER_DEVICE: u32 = 0o020_620;
        if file > 2 {
            return EBADF;
        }
        self.memory.poke(place, &[0; STATUS_BYTES as usize]);
        self.memory.poke_word(place + 16, CHARACTER_DEVICE);
        self.memory.poke_word(place + 20, 1);
        self.memory.poke_word(place + 56, 1024);
        0
    }

    fn set_break(&mut self, end: u64) -> i64 {
        let floor = crate::layout::BREAK;
        if self.process.brk_end < floor {
            self.process.change().brk_end = floor;
        }
        if (floor..MAPS).contains(&end) {
            self.process.change().brk_end = end;
            self.memory.forget_translations();
        }
        self.process.brk_end as i64
    }

    fn futex(&mut self, hart: &Hart, way: u32) -> Result<Next, RunEnd> {
        let [address, command, value, timeout] = [hart.x[A0], hart.x[A0 + 1], hart.x[A0 + 2], hart.x[A0 + 3]];
        // Who waits for the word is no part of memory, but changes with it.
        self.memory.note_write(address, 4);
        if slot_of(address) == Some(self.threads.running) {
            self.tell_apart_running();
        }
        match command & futex::COMMAND {
            futex::WAIT | futex::WAIT_BITSET => {
                if u64::from(self.memory.peek_word(address)) != value & 0xffff_ffff {
                    return Ok(Next::Return(EAGAIN as u64));
                }
                self.threads.current_mut().status = Status::OnFutex { address, timed: timeout != 0 };
                Ok(Next::Wait)
            }
            futex::WAKE | futex::WAKE_BITSET => {
                let mut wakes: Vec<u32> = self.threads.futex_waiters(address).collect();
                let first = way as usize % wakes.len().max(1);
                wakes.rotate_left(first);
                wakes.truncate((value & 0xffff_ffff) as usize);
                for &slot in &wakes {
                    self.end_futex_wait(slot, 0);
                    self.tell_history(slot);
                    self.step.fresh.push(slot);
                }
                Ok(Next::Return(wakes.len() as u64))
            }
            other => Err(RunEnd::from(self.system.program.unsupported(format!("futex operation {other}"), hart.pc))),
        }
    }

    fn end_futex_wait(&mut self, slot: u32, result: i64) {
        let hart = self.threads.hart_mut(slot);
        hart.x[A0] = result as u64;
        hart.pc += 4;
        self.threads[slot as usize].status = Status::Running;
    }

    /// A timed wait of the running thread ends by itself.
    pub fn time_out_futex(&mut self, hart: &mut Hart) {
        self.note_end(hart.x[A0 + 3]);
        hart.x[A0] = ETIMEDOUT as u64;
        hart.pc += 4;
        self.threads.current_mut().status = Status::Running;
    }
}

/// Whether one can sleep until a clock shows a time: clocks of the system, and those of processes.
fn can_be_slept_on(clock: u64) -> bool {
    matches!(clock as i32, i32::MIN..0 | 0 | 1 | 2 | 7..=9 | 11)
}

/// A limit of the priorities that a way of scheduling has: of those that have several, the given one.
fn priority_limit(policy: u64, limit: i64) -> i64 {
    match policy {
        0 | 3 | 5 | 6 => 0,
        1 | 2 => limit,
        _ => EINVAL,
    }
}
