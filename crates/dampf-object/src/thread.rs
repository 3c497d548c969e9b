//! A thread of the checked program, and how it is written in a state.

use crate::cancellation::Cancellation;
use crate::held_locks::HELD_LOCK_WORDS;
use crate::locked::LOCKED_WORDS;
use crate::segments::ACCESS_WORDS;
use crate::spin_counters::{LAST_TRY_WORDS, LastTry};
use dampf_core::Word;
use dampf_rv::machine::Hart;
use dampf_rv::memory::Tree;

/// What a thread is doing. Waiting for a lock or another thread is no status: such a thread stands at the call,
/// which is not enabled.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Status {
    /// The slot is free.
    #[default]
    Absent,
    /// Stands before its next visible operation.
    Running,
    /// In a wait on a condition variable, its mutex released.
    OnCondition {
        condition: u64,
        mutex: u64,
        timed: bool,
    },
    /// Woken (or timed out, then with that result), and in need of its mutex.
    Reacquiring {
        mutex: u64,
        result: u32,
    },
    OnFutex {
        address: u64,
        timed: bool,
    },
    OnBarrier {
        barrier: u64,
    },
    /// Ended, with the value for the thread that joins it.
    Exited {
        value: u64,
    },
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Thread {
    pub status: Status,
    pub detached: bool,
    /// Started by C11's `thrd_create`: its result is an int.
    pub c11: bool,
    /// How many atomic sections it is in.
    pub atomic: u8,
    /// How many locks it holds. The slot of a thread that has ended with some stays empty: another would seem to hold
    /// them.
    pub held: u8,
    /// The number of the class of interchangeable threads that it is one of, from 1; 0 for none. See
    /// [`symmetry`](crate::symmetry).
    pub class: u8,
    /// Where it was created: the address behind the call.
    pub created_at: u32,
    /// The function it started in.
    pub entry: u32,
    pub stack: Tree,
    pub tls: Tree,
    /// The shared heap block that it freed last, if it may get the same one back: its address and size.
    pub recycled: (u64, u32),
    /// How large its stack may become.
    pub stack_bytes: u32,
    /// When its last timed wait was over, in nanoseconds, as long as it has not looked at a clock since.
    pub wait_ended: u64,
    /// Signals that it blocks.
    pub blocked: u64,
    pub cancellation: Cancellation,
    /// It may have used up any number of the tries of a loop.
    pub last_try: Option<LastTry>,
    /// The stack pointer and the next instruction, for those who look at a thread without its other registers.
    pub sp: u64,
    pub pc: u64,
}

const FIXED_WORDS: usize = 25;
/// Where a thread's words say how many accesses its segment has: they are the last ones.
const ACCESSES: usize = 24;
/// Where they say how large its stack may become, and in the bits from this one on which class the thread is of.
const SIZE: usize = 18;
const CLASS_SHIFT: u32 = 24;
/// The last of the tags that statuses are told apart by.
const EXITED: Word = 8;
/// Where a thread's words say which integer registers are not zero; the floating-point ones are behind.
const MASKS: usize = 16;

impl Thread {
    /// Where an encoded thread has the roots of its trees, each with its levels behind it: the stack, thread-local
    /// storage.
    pub const TREES: [usize; 2] = [7, 9];

    pub fn is_alive(&self) -> bool {
        !matches!(self.status, Status::Absent | Status::Exited { .. })
    }

    /// Whether another thread may have the slot.
    pub fn is_free(&self) -> bool {
        self.status == Status::Absent && self.held == 0
    }

    /// What is left of the thread when nobody can ask for it any more: nothing, unless it holds locks.
    pub fn gone(&self) -> Thread {
        match self.held {
            0 => Thread::default(),
            held => {
                Thread { held, class: self.class, created_at: self.created_at, entry: self.entry, ..Thread::default() }
            }
        }
    }

    /// Counts a lock that the thread has taken, or given back.
    pub fn count_held(&mut self, taken: bool) {
        self.held = if taken { self.held.saturating_add(1) } else { self.held.saturating_sub(1) };
    }

    /// Writes a thread and its registers, without what it has locked and accessed. Registers that are zero cost
    /// nothing.
    pub fn encode(&self, hart: &Hart, out: &mut Vec<Word>) {
        let (tag, first, second) = match self.status {
            Status::Absent => (0, 0, 0),
            Status::Running => (1, 0, 0),
            Status::OnCondition { condition, mutex, timed } => (2 + Word::from(timed), condition, mutex),
            Status::Reacquiring { mutex, result } => (4, mutex, u64::from(result)),
            Status::OnFutex { address, timed } => (5 + Word::from(timed), address, 0),
            Status::OnBarrier { barrier } => (7, barrier, 0),
            Status::Exited { value } => (EXITED, value, 0),
        };
        let flags = Word::from(self.detached)
            | Word::from(self.c11) << 1
            | Word::from(self.blocked != 0) << 2
            | self.cancellation.to_bits() << 3
            | Word::from(self.last_try.is_some()) << 7;
        out.clear();
        let halves = |value: u64| [value as Word, (value >> 32) as Word];
        out.extend([tag | flags << 8 | Word::from(self.atomic) << 16 | Word::from(self.held) << 24]);
        out.extend(halves(first));
        out.extend(halves(second));
        out.extend([self.created_at, self.entry]);
        for (at, tree) in Thread::TREES.into_iter().zip([self.stack, self.tls]) {
            debug_assert_eq!(out.len(), at);
            out.extend([tree.root, tree.levels]);
        }
        out.extend(halves(hart.pc));
        out.push(hart.fcsr);
        out.extend(halves(hart.reservation.map_or(0, |address| address.wrapping_add(1))));
        debug_assert!(self.stack_bytes < 1 << CLASS_SHIFT);
        out.extend([0, 0, self.stack_bytes | Word::from(self.class) << CLASS_SHIFT]);
        out.extend(halves(self.recycled.0));
        out.push(self.recycled.1);
        out.extend(halves(self.wait_ended));
        out.push(0);
        debug_assert_eq!(out.len(), FIXED_WORDS);
        for (file, registers) in [&hart.x[..32], &hart.f[..32]].into_iter().enumerate() {
            // Most threads never use the floating-point registers.
            if file == 1 && registers.iter().fold(0, |all, value| all | value) == 0 {
                break;
            }
            let mut mask = 0;
            for (number, &value) in registers.iter().enumerate() {
                if value != 0 {
                    mask |= 1 << number;
                    out.extend_from_slice(&halves(value));
                }
            }
            out[MASKS + file] = mask;
        }
        if self.blocked != 0 {
            out.extend_from_slice(&halves(self.blocked));
        }
        if let Some(last) = self.last_try {
            out.extend_from_slice(&last.encode());
        }
    }

    /// Reads what is not a register.
    pub fn decode(words: &[Word]) -> Thread {
        let long = |at: usize| u64::from(words[at]) | u64::from(words[at + 1]) << 32;
        let (first, second) = (long(1), long(3));
        let [stack, tls] = Thread::TREES.map(|at| Tree { root: words[at], levels: words[at + 1] });
        let status = match words[0] & 0xff {
            0 => Status::Absent,
            1 => Status::Running,
            tag @ (2 | 3) => Status::OnCondition { condition: first, mutex: second, timed: tag == 3 },
            4 => Status::Reacquiring { mutex: first, result: second as u32 },
            tag @ (5 | 6) => Status::OnFutex { address: first, timed: tag == 6 },
            7 => Status::OnBarrier { barrier: first },
            EXITED => Status::Exited { value: first },
            tag => unreachable!("a thread's words begin with {tag}"),
        };
        Thread {
            status,
            detached: words[0] >> 8 & 1 != 0,
            c11: words[0] >> 8 & 2 != 0,
            atomic: (words[0] >> 16) as u8,
            held: (words[0] >> 24) as u8,
            created_at: words[5],
            entry: words[6],
            stack,
            tls,
            class: (words[SIZE] >> CLASS_SHIFT) as u8,
            stack_bytes: words[SIZE] & ((1 << CLASS_SHIFT) - 1),
            recycled: (long(19), words[21]),
            wait_ended: long(22),
            blocked: if Thread::blocks_signals(words) { long(Thread::blocked_at(words)) } else { 0 },
            cancellation: Cancellation::from_bits(words[0] >> 11),
            last_try: Thread::has_mark(words).then(|| LastTry::decode(&words[Thread::mark_at(words)..])),
            sp: Thread::register(words, 2),
            pc: long(11),
        }
    }

    /// Whether words from elsewhere can be decoded.
    pub fn is_encoding(words: &[Word]) -> bool {
        let behind = |words: &[Word]| {
            let others = Thread::locked_at(words) + Thread::held_words(words) + Thread::segment_words(words);
            words.len().checked_sub(others)
        };
        words.len() >= FIXED_WORDS
            && words[0] & 0xff <= EXITED
            && behind(words).is_some_and(|rest| rest % LOCKED_WORDS == 0)
    }

    fn blocks_signals(words: &[Word]) -> bool {
        words[0] >> 8 & 4 != 0
    }

    /// Where the signals are that the thread blocks, if there are any: behind its registers.
    fn blocked_at(words: &[Word]) -> usize {
        let registers: u32 = words[MASKS..MASKS + 2].iter().map(|mask| mask.count_ones()).sum();
        FIXED_WORDS + 2 * registers as usize
    }

    fn has_mark(words: &[Word]) -> bool {
        words[0] >> 8 & 0x80 != 0
    }

    /// Where the mark of a thread is that may be at its last try, behind those.
    fn mark_at(words: &[Word]) -> usize {
        Thread::blocked_at(words) + if Thread::blocks_signals(words) { 2 } else { 0 }
    }

    /// Where the variables that the thread has locked begin, behind that.
    fn locked_at(words: &[Word]) -> usize {
        Thread::mark_at(words) + if Thread::has_mark(words) { LAST_TRY_WORDS } else { 0 }
    }

    /// The words of the variables that the thread has locked.
    pub fn locked(words: &[Word]) -> &[Word] {
        &words[Thread::locked_at(words)..words.len() - Thread::held_words(words) - Thread::segment_words(words)]
    }

    /// Only of threads that are of a class the locks that they hold are written, before their accesses.
    fn held_words(words: &[Word]) -> usize {
        let is_written = words[SIZE] >> CLASS_SHIFT != 0;
        if is_written { (words[0] >> 24) as usize * HELD_LOCK_WORDS } else { 0 }
    }

    /// The words of the locks that the thread holds.
    pub fn held_locks(words: &[Word]) -> &[Word] {
        let end = words.len() - Thread::segment_words(words);
        &words[end - Thread::held_words(words)..end]
    }

    /// The class that an encoded thread is of.
    pub fn class(words: &[Word]) -> u8 {
        (words[SIZE] >> CLASS_SHIFT) as u8
    }

    fn segment_words(words: &[Word]) -> usize {
        words[ACCESSES] as usize * ACCESS_WORDS
    }

    /// The words of what the thread has accessed in its segment.
    pub fn segment(words: &[Word]) -> &[Word] {
        &words[words.len() - Thread::segment_words(words)..]
    }

    /// Says how many accesses stand at the end of a thread's words.
    pub fn set_accesses(words: &mut [Word], accesses: Word) {
        words[ACCESSES] = accesses;
    }

    /// The trees in a thread's words: of the stack and of thread-local storage.
    pub fn trees(words: &[Word]) -> [Tree; 2] {
        Thread::TREES.map(|at| Tree { root: words[at], levels: words[at + 1] })
    }

    /// Changes the trees in a thread's words.
    pub fn replace_trees(words: &mut [Word], stack: Tree, tls: Tree) {
        for (at, tree) in Thread::TREES.into_iter().zip([stack, tls]) {
            words[at..at + 2].copy_from_slice(&[tree.root, tree.levels]);
        }
    }

    /// Reads the next instruction, the stack pointer, and the return address.
    #[inline]
    pub fn place(words: &[Word]) -> [u64; 3] {
        let pc = u64::from(words[11]) | u64::from(words[12]) << 32;
        [pc, Thread::register(words, 2), Thread::register(words, 1)]
    }

    /// Reads one integer register.
    #[inline]
    pub fn register(words: &[Word], number: usize) -> u64 {
        let mask = words[MASKS];
        if mask >> number & 1 == 0 {
            return 0;
        }
        let at = FIXED_WORDS + 2 * (mask & ((1 << number) - 1)).count_ones() as usize;
        u64::from(words[at]) | u64::from(words[at + 1]) << 32
    }

    /// Reads the registers.
    pub fn decode_registers(words: &[Word], hart: &mut Hart) {
        let long = |at: usize| u64::from(words[at]) | u64::from(words[at + 1]) << 32;
        hart.pc = long(11);
        hart.fcsr = words[13];
        hart.reservation = long(14).checked_sub(1);
        let mut at = FIXED_WORDS;
        for (mask, registers) in [(words[MASKS], &mut hart.x[..32]), (words[MASKS + 1], &mut hart.f[..32])] {
            for (number, register) in registers.iter_mut().enumerate() {
                *register = 0;
                if mask >> number & 1 != 0 {
                    *register = long(at);
                    at += 2;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_is_read_as_it_was_written() {
        let thread = Thread {
            status: Status::Exited { value: 1 << 40 },
            detached: true,
            atomic: 3,
            held: 200,
            created_at: 7,
            entry: 8,
            stack: Tree { root: 77, levels: 2 },
            tls: Tree { root: 78, levels: 1 },
            recycled: (1 << 33, 5),
            stack_bytes: 1 << 20,
            wait_ended: 3 << 40,
            blocked: 1 << 50,
            cancellation: Cancellation { is_disabled: true, is_late: true, ..Cancellation::default() },
            last_try: Some(LastTry {
                place: [1 << 33, 2, 1 << 63],
                counter: 3 << 40,
                bytes: 4,
                change: u64::MAX,
                base: 1,
                value: 5,
                kept: 6,
            }),
            sp: 0x11_0000_0010,
            pc: 0x1_0000,
            ..Thread::default()
        };
        let mut hart = Hart::new(thread.pc);
        (hart.x[2], hart.x[10], hart.f[9]) = (thread.sp, u64::MAX, 3);
        let mut words = Vec::new();
        thread.encode(&hart, &mut words);
        assert_eq!(Thread::decode(&words), thread);
        assert!(Thread::is_encoding(&words));
        for length in 0..words.len() {
            assert!(!Thread::is_encoding(&words[..length]), "the first {length} words are no thread");
        }
        words[0] = 9;
        assert!(!Thread::is_encoding(&words));
    }
}
