//! The floating-point operations that do not touch memory.
//!
//! Singles live boxed in the 64-bit registers: the upper half is all ones. A register that is not such a box counts as
//! the canonical NaN wherever a single is read, except where bits are moved and not numbers.

use super::Hart;
use crate::decode::{Entry, Op, ROUNDING_DYNAMIC};
use crate::float::{Double, Environment, Format, Rounding, Single, arithmetic, compare, convert};

const BOX: u64 = 0xFFFF_FFFF_0000_0000;

/// The single as it is kept in a register.
#[inline(always)]
pub(super) fn boxed(single: u64) -> u64 {
    single | BOX
}

#[inline(always)]
fn unboxed(register: u64) -> u64 {
    if register & BOX == BOX { register & !BOX } else { Single::CANONICAL_NAN }
}

/// What an operation has computed, which says where it goes.
enum Outcome {
    Single(u64),
    Double(u64),
    Integer(u64),
    /// There is no such operation.
    None,
}

/// Executes a floating-point operation; false if it is none, or if its rounding mode is reserved.
#[inline(never)]
pub(super) fn execute(hart: &mut Hart, entry: Entry) -> bool {
    let mode = match entry.rounding() {
        ROUNDING_DYNAMIC => hart.fcsr >> 5 & 7,
        mode => mode as u32,
    };
    let Some(rounding) = Rounding::new(mode) else { return false };
    let mut environment = Environment { rounding, flags: hart.fcsr & 0x1F };
    match compute(hart, entry, &mut environment) {
        Outcome::Single(result) => hart.write_float(entry.rd, boxed(result)),
        Outcome::Double(result) => hart.write_float(entry.rd, result),
        Outcome::Integer(result) => hart.write(entry.rd, result),
        Outcome::None => return false,
    }
    hart.fcsr |= environment.flags;
    true
}

#[inline(always)]
fn compute(hart: &Hart, entry: Entry, environment: &mut Environment) -> Outcome {
    let integer = |slot| hart.read(slot);
    let double = |slot| hart.read_float(slot);
    let single = |slot| unboxed(hart.read_float(slot));
    match entry.op() {
        Op::FmaddS => Outcome::Single(arithmetic::fused::<Single>(
            single(entry.rs1),
            single(entry.rs2),
            single(entry.rs3()),
            environment,
        )),
        Op::FmsubS => Outcome::Single(arithmetic::fused::<Single>(
            single(entry.rs1),
            single(entry.rs2),
            single(entry.rs3()) ^ Single::SIGN,
            environment,
        )),
        Op::FnmsubS => Outcome::Single(arithmetic::fused::<Single>(
            single(entry.rs1) ^ Single::SIGN,
            single(entry.rs2),
            single(entry.rs3()),
            environment,
        )),
        Op::FnmaddS => Outcome::Single(arithmetic::fused::<Single>(
            single(entry.rs1) ^ Single::SIGN,
            single(entry.rs2),
            single(entry.rs3()) ^ Single::SIGN,
            environment,
        )),
        Op::FaddS => Outcome::Single(arithmetic::add::<Single>(single(entry.rs1), single(entry.rs2), environment)),
        Op::FsubS => Outcome::Single(arithmetic::subtract::<Single>(single(entry.rs1), single(entry.rs2), environment)),
        Op::FmulS => Outcome::Single(arithmetic::multiply::<Single>(single(entry.rs1), single(entry.rs2), environment)),
        Op::FdivS => Outcome::Single(arithmetic::divide::<Single>(single(entry.rs1), single(entry.rs2), environment)),
        Op::FsqrtS => Outcome::Single(arithmetic::square_root::<Single>(single(entry.rs1), environment)),
        Op::FsgnjS => Outcome::Single(compare::with_sign::<Single>(single(entry.rs1), single(entry.rs2))),
        Op::FsgnjnS => Outcome::Single(compare::with_sign::<Single>(single(entry.rs1), !single(entry.rs2))),
        Op::FsgnjxS => {
            Outcome::Single(compare::with_sign::<Single>(single(entry.rs1), single(entry.rs1) ^ single(entry.rs2)))
        }
        Op::FminS => Outcome::Single(compare::minimum::<Single>(single(entry.rs1), single(entry.rs2), environment)),
        Op::FmaxS => Outcome::Single(compare::maximum::<Single>(single(entry.rs1), single(entry.rs2), environment)),
        Op::FeqS => {
            Outcome::Integer(compare::equal::<Single>(single(entry.rs1), single(entry.rs2), environment) as u64)
        }
        Op::FltS => Outcome::Integer(compare::less::<Single>(single(entry.rs1), single(entry.rs2), environment) as u64),
        Op::FleS => {
            Outcome::Integer(compare::less_or_equal::<Single>(single(entry.rs1), single(entry.rs2), environment) as u64)
        }
        Op::FclassS => Outcome::Integer(compare::class::<Single>(single(entry.rs1))),
        Op::FcvtWS => Outcome::Integer(convert::to_i32::<Single>(single(entry.rs1), environment) as u64),
        Op::FcvtWuS => Outcome::Integer(convert::to_u32::<Single>(single(entry.rs1), environment) as i32 as u64),
        Op::FcvtLS => Outcome::Integer(convert::to_i64::<Single>(single(entry.rs1), environment) as u64),
        Op::FcvtLuS => Outcome::Integer(convert::to_u64::<Single>(single(entry.rs1), environment)),
        Op::FcvtSW => Outcome::Single(convert::from_signed::<Single>(integer(entry.rs1) as i32 as i64, environment)),
        Op::FcvtSWu => Outcome::Single(convert::from_unsigned::<Single>(integer(entry.rs1) as u32 as u64, environment)),
        Op::FcvtSL => Outcome::Single(convert::from_signed::<Single>(integer(entry.rs1) as i64, environment)),
        Op::FcvtSLu => Outcome::Single(convert::from_unsigned::<Single>(integer(entry.rs1), environment)),
        Op::FmvXW => Outcome::Integer(double(entry.rs1) as i32 as u64),
        Op::FmvWX => Outcome::Single(integer(entry.rs1) as u32 as u64),
        Op::FmaddD => Outcome::Double(arithmetic::fused::<Double>(
            double(entry.rs1),
            double(entry.rs2),
            double(entry.rs3()),
            environment,
        )),
        Op::FmsubD => Outcome::Double(arithmetic::fused::<Double>(
            double(entry.rs1),
            double(entry.rs2),
            double(entry.rs3()) ^ Double::SIGN,
            environment,
        )),
        Op::FnmsubD => Outcome::Double(arithmetic::fused::<Double>(
            double(entry.rs1) ^ Double::SIGN,
            double(entry.rs2),
            double(entry.rs3()),
            environment,
        )),
        Op::FnmaddD => Outcome::Double(arithmetic::fused::<Double>(
            double(entry.rs1) ^ Double::SIGN,
            double(entry.rs2),
            double(entry.rs3()) ^ Double::SIGN,
            environment,
        )),
        Op::FaddD => Outcome::Double(arithmetic::add::<Double>(double(entry.rs1), double(entry.rs2), environment)),
        Op::FsubD => Outcome::Double(arithmetic::subtract::<Double>(double(entry.rs1), double(entry.rs2), environment)),
        Op::FmulD => Outcome::Double(arithmetic::multiply::<Double>(double(entry.rs1), double(entry.rs2), environment)),
        Op::FdivD => Outcome::Double(arithmetic::divide::<Double>(double(entry.rs1), double(entry.rs2), environment)),
        Op::FsqrtD => Outcome::Double(arithmetic::square_root::<Double>(double(entry.rs1), environment)),
        Op::FsgnjD => Outcome::Double(compare::with_sign::<Double>(double(entry.rs1), double(entry.rs2))),
        Op::FsgnjnD => Outcome::Double(compare::with_sign::<Double>(double(entry.rs1), !double(entry.rs2))),
        Op::FsgnjxD => {
            Outcome::Double(compare::with_sign::<Double>(double(entry.rs1), double(entry.rs1) ^ double(entry.rs2)))
        }
        Op::FminD => Outcome::Double(compare::minimum::<Double>(double(entry.rs1), double(entry.rs2), environment)),
        Op::FmaxD => Outcome::Double(compare::maximum::<Double>(double(entry.rs1), double(entry.rs2), environment)),
        Op::FeqD => {
            Outcome::Integer(compare::equal::<Double>(double(entry.rs1), double(entry.rs2), environment) as u64)
        }
        Op::FltD => Outcome::Integer(compare::less::<Double>(double(entry.rs1), double(entry.rs2), environment) as u64),
        Op::FleD => {
            Outcome::Integer(compare::less_or_equal::<Double>(double(entry.rs1), double(entry.rs2), environment) as u64)
        }
        Op::FclassD => Outcome::Integer(compare::class::<Double>(double(entry.rs1))),
        Op::FcvtWD => Outcome::Integer(convert::to_i32::<Double>(double(entry.rs1), environment) as u64),
        Op::FcvtWuD => Outcome::Integer(convert::to_u32::<Double>(double(entry.rs1), environment) as i32 as u64),
        Op::FcvtLD => Outcome::Integer(convert::to_i64::<Double>(double(entry.rs1), environment) as u64),
        Op::FcvtLuD => Outcome::Integer(convert::to_u64::<Double>(double(entry.rs1), environment)),
        Op::FcvtDW => Outcome::Double(convert::from_signed::<Double>(integer(entry.rs1) as i32 as i64, environment)),
        Op::FcvtDWu => Outcome::Double(convert::from_unsigned::<Double>(integer(entry.rs1) as u32 as u64, environment)),
        Op::FcvtDL => Outcome::Double(convert::from_signed::<Double>(integer(entry.rs1) as i64, environment)),
        Op::FcvtDLu => Outcome::Double(convert::from_unsigned::<Double>(integer(entry.rs1), environment)),
        Op::FmvXD => Outcome::Integer(double(entry.rs1)),
        Op::FmvDX => Outcome::Double(integer(entry.rs1)),
        Op::FcvtSD => Outcome::Single(convert::convert::<Double, Single>(double(entry.rs1), environment)),
        Op::FcvtDS => Outcome::Double(convert::convert::<Single, Double>(single(entry.rs1), environment)),
        _ => Outcome::None,
    }
}
