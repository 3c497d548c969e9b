//! What the run loop reads: an instruction in eight bytes, and the part of the loop that handles it.
//!
//! Two things are settled here once instead of each time the instruction runs. Its length is part of the
//! [`Handler`], so that the place of the next entry does not wait for this one to arrive from memory. And a write to
//! `zero` goes to a [`Slot`] of its own that nobody reads, so that no handler asks whether its target is `zero`.
//!
//! Operations that are rare or slow anyway share a handler and are told apart later, by their number in the immediate.

use super::{Instruction, Op, Shape};

/// An index into the integer registers and the scrap register behind them, or into the floating-point registers.
///
/// Invariant: at most [`Slot::SCRAP`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(transparent)]
pub(crate) struct Slot(u8);

impl Slot {
    /// Where writes to `zero` go.
    pub(crate) const SCRAP: usize = 32;

    fn source(register: u8) -> Slot {
        Slot(register & 31)
    }

    fn target(register: u8) -> Slot {
        Slot(if register & 31 == 0 { Slot::SCRAP as u8 } else { register & 31 })
    }

    #[inline(always)]
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

macro_rules! handlers {
    (paired { $($long:ident $short:ident,)* } long { $($only:ident,)* } shared { $($shared:ident,)* }) => {
        /// The parts of the run loop. One with `Short` in its name handles the compressed form.
        #[repr(u8)]
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub(crate) enum Handler { $($long, $short,)* $($only,)* $($shared,)* }

        impl Handler {
            fn of(instruction: &Instruction) -> Handler {
                match (instruction.op, instruction.length) {
                    $((Op::$long, 2) => Handler::$short, (Op::$long, _) => Handler::$long,)*
                    $((Op::$only, _) => Handler::$only,)*
                    (op, _) => match op.shape() {
                        Shape::LoadReserved(_) => Handler::LoadReserved,
                        Shape::StoreConditional(_) => Handler::StoreConditional,
                        Shape::Atomic(_) => Handler::Atomic,
                        Shape::Csr | Shape::CsrImmediate => Handler::Control,
                        Shape::Plain => Handler::Illegal,
                        _ => Handler::Float,
                    }
                }
            }
        }
    };
}

handlers! {
    paired {
        Addi ShortAddi, Addiw ShortAddiw, Lui ShortLui, Andi ShortAndi, Slli ShortSlli, Srli ShortSrli, Srai ShortSrai,
        Add ShortAdd, Sub ShortSub, Xor ShortXor, Or ShortOr, And ShortAnd, Addw ShortAddw, Subw ShortSubw,
        Lw ShortLw, Ld ShortLd, Sw ShortSw, Sd ShortSd, Fld ShortFld, Fsd ShortFsd,
        Jal ShortJal, Jalr ShortJalr, Beq ShortBeq, Bne ShortBne,
    }
    long {
        Auipc, Blt, Bge, Bltu, Bgeu, Lb, Lh, Lbu, Lhu, Lwu, Sb, Sh, Flw, Fsw,
        Slti, Sltiu, Xori, Ori, Slliw, Srliw, Sraiw,
        Sll, Slt, Sltu, Srl, Sra, Sllw, Srlw, Sraw,
        Mul, Mulh, Mulhsu, Mulhu, Div, Divu, Rem, Remu, Mulw, Divw, Divuw, Remw, Remuw,
        Fence, FenceI, Ecall, Ebreak, Hook,
    }
    shared { LoadReserved, StoreConditional, Atomic, Control, Float, Illegal, NotCode, }
}

/// A predecoded instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C, align(8))]
pub(crate) struct Entry {
    pub(crate) handler: Handler,
    pub(crate) rd: Slot,
    pub(crate) rs1: Slot,
    pub(crate) rs2: Slot,
    /// The immediate, with exceptions: jumps and branches count in parcels, and operations that share a handler have
    /// their number here (see [`Entry::op`] and the other readers).
    pub(crate) imm: i32,
}

impl Entry {
    /// What stands where no instruction is.
    pub(crate) const NOT_CODE: Entry =
        Entry { handler: Handler::NotCode, rd: Slot(0), rs1: Slot(0), rs2: Slot(0), imm: 0 };

    pub(crate) fn new(instruction: &Instruction) -> Entry {
        let Instruction { op, rs3, rounding, imm, .. } = *instruction;
        let to_float = matches!(
            op.shape(),
            Shape::FloatLoad(_)
                | Shape::Fused
                | Shape::FloatRounded
                | Shape::Float
                | Shape::FloatUnary
                | Shape::FromInteger
                | Shape::MoveFromInteger
        );
        let handler = Handler::of(instruction);
        let imm = match handler {
            Handler::Float => op as i32 | (rs3 as i32) << 8 | (rounding as i32) << 16,
            Handler::LoadReserved | Handler::StoreConditional | Handler::Atomic => op as i32,
            Handler::Control => op as i32 | imm << 8,
            _ if instruction.transfers_control() && op != Op::Jalr => imm / 2,
            _ => imm,
        };
        Entry {
            handler,
            rd: if to_float { Slot::source(instruction.rd) } else { Slot::target(instruction.rd) },
            rs1: Slot::source(instruction.rs1),
            rs2: Slot::source(instruction.rs2),
            imm,
        }
    }

    /// The operation of an entry with a shared handler.
    pub(crate) fn op(self) -> Op {
        Op::ALL.get(self.imm as u8 as usize).copied().unwrap_or(Op::Illegal)
    }

    /// The addend of a fused operation.
    pub(crate) fn rs3(self) -> Slot {
        Slot::source((self.imm >> 8) as u8)
    }

    /// The rounding mode of a floating-point operation.
    pub(crate) fn rounding(self) -> u8 {
        (self.imm >> 16) as u8
    }

    /// The number of the control register that is accessed.
    pub(crate) fn control_register(self) -> u32 {
        (self.imm >> 8) as u32 & 0xFFF
    }
}
