//! Which registers a function may read of those that it was given: its arguments, as far as its code tells.
//!
//! Registers that a caller has used for something else before a call look like arguments where the callee's number of
//! parameters is not known. Forwards from the callee's first instruction, a register is read, overwritten, or passed on
//! to the next function that is called, which decides about it; a call overwrites all that may be arguments.

use super::values::is_call;
use crate::hooks::LiveRegisters;
use crate::program::Program;
use dampf_rv::decode::{Op, RegisterSet, integer_register};
use std::collections::HashMap;

/// The register of a call's first argument.
const FIRST_ARGUMENT: u32 = 10;
/// a0 to a7.
const ARGUMENTS: RegisterSet = 0xff << FIRST_ARGUMENT;
const RA: u8 = 1;

/// Through more calls than this nothing is followed.
const CALLS_MAX: u32 = 4;

/// The registers among those for arguments that a function may read as it was given them.
pub fn arguments_read(program: &Program, function: u64) -> RegisterSet {
    read_through(program, function, CALLS_MAX)
}

fn read_through(program: &Program, function: u64, calls: u32) -> RegisterSet {
    if let Some(LiveRegisters::Arguments(count)) = program.hook(function).map(|hook| hook.row().registers) {
        return ((1 << count) - 1) << FIRST_ARGUMENT;
    }
    if calls == 0 {
        return ARGUMENTS;
    }
    let mut read = 0;
    let mut given: HashMap<u64, RegisterSet> = HashMap::new();
    let mut open = vec![(function, ARGUMENTS)];
    while let Some((pc, kept)) = open.pop() {
        let before = given.entry(pc).or_default();
        let kept = kept & !read;
        if kept & !*before == 0 {
            continue;
        }
        *before |= kept;
        let Some(instruction) = program.code.at(pc) else {
            read |= kept;
            continue;
        };
        read |= kept & instruction.uses();
        let kept = kept & !instruction.defines();
        let next = pc + u64::from(instruction.length);
        let target = pc.wrapping_add_signed(i64::from(instruction.imm));
        match instruction.op {
            Op::Jal if is_call(&instruction) => read |= kept & read_through(program, target, calls - 1),
            Op::Jal => open.push((target, kept)),
            // Far calls are made by way of the return address.
            Op::Jalr if instruction.rs1 == RA && is_call(&instruction) => {
                let callee = far_callee(program, pc, i64::from(instruction.imm));
                read |= kept & callee.map_or(ARGUMENTS, |callee| read_through(program, callee, calls - 1));
            }
            Op::Jalr if instruction.rs1 == RA && instruction.rd == 0 => {}
            Op::Jalr | Op::Ecall | Op::Ebreak | Op::Illegal => read |= kept,
            _ if instruction.transfers_control() => open.extend([(next, kept), (target, kept)]),
            _ => open.push((next, kept)),
        }
    }
    read
}

/// Where a call leads to that an instruction right before it has prepared.
fn far_callee(program: &Program, call: u64, offset: i64) -> Option<u64> {
    let before = call.checked_sub(4)?;
    let upper = program.code.at(before).filter(|upper| upper.op == Op::Auipc && upper.rd == RA)?;
    debug_assert_eq!(upper.defines(), integer_register(RA));
    Some(before.wrapping_add_signed(i64::from(upper.imm)).wrapping_add_signed(offset))
}
