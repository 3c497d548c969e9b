//! The control registers that a program can reach: floating-point control, and the counters, which stand still.
//!
//! A counter that ran would make equal states differ; a program that waits for one to change waits for something that
//! the machine does not have.

use super::Hart;
use crate::decode::{Entry, Op};

const FFLAGS: u32 = 0x001;
const FRM: u32 = 0x002;
const FCSR: u32 = 0x003;
const CYCLE: u32 = 0xC00;
const TIME: u32 = 0xC01;
const INSTRET: u32 = 0xC02;

/// Reads and writes a control register; false if there is no such register, or if it cannot be written.
pub(super) fn access(hart: &mut Hart, entry: Entry) -> bool {
    let register = entry.control_register();
    let Some(old) = read(hart, register) else { return false };
    // Of the immediate forms, the register field is the operand.
    let immediate = entry.rs1.index() as u64;
    let operand = match entry.op() {
        Op::Csrrw | Op::Csrrs | Op::Csrrc => hart.read(entry.rs1),
        _ => immediate,
    };
    let new = match entry.op() {
        Op::Csrrw | Op::Csrrwi => Some(operand),
        // Setting or clearing nothing by register zero or immediate zero is no write at all.
        _ if immediate == 0 => None,
        Op::Csrrs | Op::Csrrsi => Some(old | operand),
        _ => Some(old & !operand),
    };
    if let Some(new) = new
        && !write(hart, register, new)
    {
        return false;
    }
    hart.write(entry.rd, old);
    true
}

fn read(hart: &Hart, register: u32) -> Option<u64> {
    match register {
        FFLAGS => Some((hart.fcsr & 0x1F) as u64),
        FRM => Some((hart.fcsr >> 5 & 7) as u64),
        FCSR => Some((hart.fcsr & 0xFF) as u64),
        CYCLE | TIME | INSTRET => Some(0),
        _ => None,
    }
}

fn write(hart: &mut Hart, register: u32, value: u64) -> bool {
    let value = value as u32;
    hart.fcsr = match register {
        FFLAGS => hart.fcsr & 0xE0 | value & 0x1F,
        FRM => hart.fcsr & 0x1F | (value & 7) << 5,
        FCSR => value & 0xFF,
        _ => return false,
    };
    true
}
