//! Which registers an instruction uses and defines, as bit sets.
//!
//! The sets describe the instruction alone: what a called function uses is not known here. The floating-point control
//! register is in neither set.

use super::{Instruction, Op, Shape};

/// A set of registers: bits 0 to 31 are the integer registers, bits 32 to 63 the floating-point registers. `zero` is
/// never a member, since its value cannot change.
pub type RegisterSet = u64;

/// The set of one integer register; empty for `zero`.
pub const fn integer_register(register: u8) -> RegisterSet {
    (1 << (register & 31)) & !1
}

/// The set of one floating-point register.
pub const fn float_register(register: u8) -> RegisterSet {
    1 << (32 + (register & 31))
}

/// The arguments of a system call and its number: `a0` to `a7`.
const SYSTEM_CALL_ARGUMENTS: RegisterSet = 0xFF << 10;
const A0: u8 = 10;

impl Instruction {
    /// The registers whose values decide what this instruction does. A system call is taken to use all its possible
    /// arguments.
    pub fn uses(&self) -> RegisterSet {
        let (x1, x2) = (integer_register(self.rs1), integer_register(self.rs2));
        let (f1, f2, f3) = (float_register(self.rs1), float_register(self.rs2), float_register(self.rs3));
        match self.op.shape() {
            Shape::Plain if self.op == Op::Ecall => SYSTEM_CALL_ARGUMENTS,
            Shape::Plain | Shape::Upper | Shape::Jump | Shape::Fence | Shape::CsrImmediate => 0,
            Shape::JumpRegister | Shape::Load(_) | Shape::FloatLoad(_) | Shape::LoadReserved(_) => x1,
            Shape::Immediate | Shape::Shift | Shape::Csr | Shape::FromInteger | Shape::MoveFromInteger => x1,
            Shape::Branch | Shape::Store(_) | Shape::StoreConditional(_) | Shape::Atomic(_) | Shape::Register => {
                x1 | x2
            }
            Shape::FloatStore(_) => x1 | f2,
            Shape::Fused => f1 | f2 | f3,
            Shape::FloatRounded | Shape::Float | Shape::Compare => f1 | f2,
            Shape::FloatUnary | Shape::ToInteger | Shape::MoveToInteger => f1,
        }
    }

    /// The registers that have another value afterwards, whatever they held before.
    pub fn defines(&self) -> RegisterSet {
        match self.op.shape() {
            Shape::Plain if self.op == Op::Ecall => integer_register(A0),
            Shape::Plain | Shape::Branch | Shape::Store(_) | Shape::FloatStore(_) | Shape::Fence => 0,
            Shape::Upper | Shape::Jump | Shape::JumpRegister | Shape::Immediate | Shape::Shift | Shape::Register => {
                integer_register(self.rd)
            }
            Shape::Load(_) | Shape::LoadReserved(_) | Shape::StoreConditional(_) | Shape::Atomic(_) => {
                integer_register(self.rd)
            }
            Shape::Csr | Shape::CsrImmediate | Shape::Compare | Shape::ToInteger | Shape::MoveToInteger => {
                integer_register(self.rd)
            }
            Shape::FloatLoad(_) | Shape::Fused | Shape::FloatRounded | Shape::Float | Shape::FloatUnary => {
                float_register(self.rd)
            }
            Shape::FromInteger | Shape::MoveFromInteger => float_register(self.rd),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::decode;
    use super::*;

    #[test]
    fn zero_is_never_live() {
        let nop = decode(0x0000_0013);
        assert_eq!((nop.uses(), nop.defines()), (0, 0));
    }

    #[test]
    fn register_files_are_told_apart() {
        // fsd fa0,8(sp); fcvt.w.d a0,fa0; fmadd.d fa0,fa1,fa2,fa3
        assert_eq!(decode(0x00A1_3427).uses(), integer_register(2) | float_register(10));
        assert_eq!(decode(0xC205_1553).uses(), float_register(10));
        assert_eq!(decode(0xC205_1553).defines(), integer_register(10));
        assert_eq!(decode(0x6AC5_F543).uses(), float_register(11) | float_register(12) | float_register(13));
        assert_eq!(decode(0x6AC5_F543).defines(), float_register(10));
    }

    #[test]
    fn a_system_call_uses_its_arguments() {
        assert_eq!(decode(0x0000_0073).uses(), (10..18).map(integer_register).sum());
        assert_eq!(decode(0x0000_0073).defines(), integer_register(10));
    }
}
