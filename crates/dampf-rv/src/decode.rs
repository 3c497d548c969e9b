//! Instructions of RV64IMAFDC, Zicsr and Zifencei: what an encoding means, and what is known about it without running
//! it.
//!
//! [`decode`] is total: whatever the bits, the answer is an [`Instruction`], if need be one that is
//! [illegal](Op::Illegal). Compressed encodings are expanded to the operation they stand for, so nothing behind this
//! module knows of them but by [`Instruction::length`]. [`Code`] is a whole program's text, decoded once.
//!
//! Invariant: register fields are at most 31, and an operation that has no such operand has the field zero.

mod code;
mod compressed;
mod entry;
mod liveness;
mod operation;
mod text;
mod wide;

pub use code::Code;
pub(crate) use code::Section;
pub(crate) use entry::{Entry, Handler, Slot};
pub use liveness::{RegisterSet, float_register, integer_register};
pub use operation::Op;
pub(crate) use operation::Shape;
pub use text::{FLOAT_REGISTER_NAMES, INTEGER_REGISTER_NAMES};

/// The number that stands for "as the dynamic rounding mode says" in [`Instruction::rounding`].
pub const ROUNDING_DYNAMIC: u8 = 7;

/// A decoded instruction.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Instruction {
    pub op: Op,
    pub rd: u8,
    /// The first source register; the five immediate bits of `csrrwi`, `csrrsi` and `csrrci`.
    pub rs1: u8,
    pub rs2: u8,
    /// The addend of the fused operations.
    pub rs3: u8,
    /// 0 to 4, or [`ROUNDING_DYNAMIC`], for operations that round; zero for the others.
    pub rounding: u8,
    /// The bytes of the encoding: 2 or 4.
    pub length: u8,
    /// The sign-extended immediate: a value, an offset in bytes, the amount of a shift, the number of a control
    /// register, the sets of a fence (predecessors, then successors, four bits each), or the acquire (2) and release
    /// (1) bits of an atomic operation. `lui` and `auipc` have the value they add: its low twelve bits are zero.
    pub imm: i32,
}

/// What an instruction does to memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MemoryAccess {
    /// The integer register that holds the address.
    pub base: u8,
    /// What is added to it.
    pub offset: i32,
    /// 1, 2, 4 or 8.
    pub bytes: u8,
    pub reads: bool,
    pub writes: bool,
    pub atomic: bool,
}

/// Decodes the instruction that starts in the low bits of `word`. A compressed one is in the low half; the high half
/// is ignored then.
pub fn decode(word: u32) -> Instruction {
    if word & 3 == 3 { wide::decode(word) } else { compressed::decode(word as u16) }
}

/// The number of bytes of the instruction that starts with this parcel. Longer formats than four bytes exist in the
/// architecture, but in none of the extensions here: they are illegal, four bytes at a time.
pub fn length(parcel: u16) -> u8 {
    if parcel & 3 == 3 { 4 } else { 2 }
}

impl Instruction {
    /// An instruction without operands.
    pub(crate) fn plain(op: Op, length: u8) -> Instruction {
        Instruction { op, rd: 0, rs1: 0, rs2: 0, rs3: 0, rounding: 0, length, imm: 0 }
    }

    pub(crate) fn illegal(length: u8) -> Instruction {
        Instruction::plain(Op::Illegal, length)
    }

    /// How this instruction accesses memory, if it does.
    pub fn memory_access(&self) -> Option<MemoryAccess> {
        let (bytes, reads, writes, atomic) = match self.op.shape() {
            Shape::Load(bytes) | Shape::FloatLoad(bytes) => (bytes, true, false, false),
            Shape::Store(bytes) | Shape::FloatStore(bytes) => (bytes, false, true, false),
            Shape::LoadReserved(bytes) => (bytes, true, false, true),
            Shape::StoreConditional(bytes) => (bytes, false, true, true),
            Shape::Atomic(bytes) => (bytes, true, true, true),
            _ => return None,
        };
        // The immediate of an atomic operation is its ordering, not an offset.
        Some(MemoryAccess { base: self.rs1, offset: if atomic { 0 } else { self.imm }, bytes, reads, writes, atomic })
    }

    /// Whether the instruction after this one may be another than the next in memory.
    pub fn transfers_control(&self) -> bool {
        matches!(self.op.shape(), Shape::Jump | Shape::JumpRegister | Shape::Branch)
    }

    /// Whether it is a branch that is taken or not.
    pub fn is_branch(&self) -> bool {
        self.op.shape() == Shape::Branch
    }
}
