//! A thread of the checked program, and how it is written in a state.

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
    /// The stack pointer and the next instruction, for those who look at a thread without its other registers.
    pub sp: u64,
    pub pc: u64,
}

const FIXED_WORDS: usize = 22;

impl Thread {
    pub fn is_alive(&self) -> bool {
        !matches!(self.status, Status::Absent | Status::Exited { .. })
    }

    /// Writes a thread and its registers. Registers that are zero cost nothing.
    pub fn encode(&self, hart: &Hart, out: &mut Vec<Word>) {
        let (tag, first, second) = match self.status {
            Status::Absent => (0, 0, 0),
            Status::Running => (1, 0, 0),
            Status::OnCondition { condition, mutex, timed } => (2 + Word::from(timed), condition, mutex),
            Status::Reacquiring { mutex, result } => (4, mutex, u64::from(result)),
            Status::OnFutex { address, timed } => (5 + Word::from(timed), address, 0),
            Status::OnBarrier { barrier } => (7, barrier, 0),
            Status::Exited { value } => (8, value, 0),
        };
        let flags = Word::from(self.detached) | Word::from(self.c11) << 1;
        out.clear();
        let halves = |value: u64| [value as Word, (value >> 32) as Word];
        out.extend([tag | flags << 8 | Word::from(self.atomic) << 16]);
        out.extend(halves(first));
        out.extend(halves(second));
        out.extend([self.created_at, self.entry]);
        out.extend([self.stack.root, self.stack.levels, self.tls.root, self.tls.levels]);
        out.extend(halves(hart.pc));
        out.push(hart.fcsr);
        out.extend(halves(hart.reservation.map_or(0, |address| address.wrapping_add(1))));
        out.extend([0, 0, self.stack_bytes]);
        out.extend(halves(self.recycled.0));
        out.push(self.recycled.1);
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
            out[16 + file] = mask;
        }
    }

    /// Reads what is not a register.
    pub fn decode(words: &[Word]) -> Thread {
        let long = |at: usize| u64::from(words[at]) | u64::from(words[at + 1]) << 32;
        let (first, second) = (long(1), long(3));
        let status = match words[0] & 0xff {
            0 => Status::Absent,
            1 => Status::Running,
            tag @ (2 | 3) => Status::OnCondition { condition: first, mutex: second, timed: tag == 3 },
            4 => Status::Reacquiring { mutex: first, result: second as u32 },
            tag @ (5 | 6) => Status::OnFutex { address: first, timed: tag == 6 },
            7 => Status::OnBarrier { barrier: first },
            8 => Status::Exited { value: first },
            tag => unreachable!("a thread's words begin with {tag}"),
        };
        Thread {
            status,
            detached: words[0] >> 8 & 1 != 0,
            c11: words[0] >> 8 & 2 != 0,
            atomic: (words[0] >> 16) as u8,
            created_at: words[5],
            entry: words[6],
            stack: Tree { root: words[7], levels: words[8] },
            tls: Tree { root: words[9], levels: words[10] },
            stack_bytes: words[18],
            recycled: (long(19), words[21]),
            sp: Thread::register(words, 2),
            pc: long(11),
        }
    }

    /// Changes the trees in a thread's words.
    pub fn replace_trees(words: &mut [Word], stack: Tree, tls: Tree) {
        words[7..11].copy_from_slice(&[stack.root, stack.levels, tls.root, tls.levels]);
    }

    /// Reads one integer register.
    #[inline]
    pub fn register(words: &[Word], number: usize) -> u64 {
        let mask = words[16];
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
        for (mask, registers) in [(words[16], &mut hart.x[..32]), (words[17], &mut hart.f[..32])] {
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
