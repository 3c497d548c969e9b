//! Expansion of the 16-bit encodings (the C extension for RV64 with D).
//!
//! Reserved encodings are illegal. The hints among them (operations without effect, such as a move to `zero`) are
//! ordinary instructions here, because expanding them gives the operation without effect that they are.

use super::{Instruction, Op};

const ZERO: u8 = 0;
const RA: u8 = 1;
const SP: u8 = 2;

/// Gathers scattered immediate bits: each piece is (lowest bit in the parcel, number of bits, lowest bit in the value).
fn gather(parcel: u16, pieces: &[(u32, u32, u32)]) -> i32 {
    pieces.iter().map(|&(from, count, to)| ((parcel as i32 >> from) & ((1 << count) - 1)) << to).sum()
}

/// Extends a value of `bits` bits by its sign.
fn sign_extend(value: i32, bits: u32) -> i32 {
    value << (32 - bits) >> (32 - bits)
}

/// The full register field in bits 7 to 11.
fn full(parcel: u16) -> u8 {
    (parcel >> 7 & 31) as u8
}

/// The full register field in bits 2 to 6.
fn full_low(parcel: u16) -> u8 {
    (parcel >> 2 & 31) as u8
}

/// The short register field in bits 7 to 9: registers 8 to 15.
fn short(parcel: u16) -> u8 {
    8 + (parcel >> 7 & 7) as u8
}

/// The short register field in bits 2 to 4.
fn short_low(parcel: u16) -> u8 {
    8 + (parcel >> 2 & 7) as u8
}

/// The six-bit immediate of most arithmetic forms.
fn six(parcel: u16) -> i32 {
    gather(parcel, &[(2, 5, 0), (12, 1, 5)])
}

fn with_immediate(op: Op, rd: u8, rs1: u8, imm: i32) -> Instruction {
    Instruction { rd, rs1, imm, ..Instruction::plain(op, 2) }
}

fn with_sources(op: Op, rs1: u8, rs2: u8, imm: i32) -> Instruction {
    Instruction { rs1, rs2, imm, ..Instruction::plain(op, 2) }
}

fn with_registers(op: Op, rd: u8, rs1: u8, rs2: u8) -> Instruction {
    Instruction { rd, rs1, rs2, ..Instruction::plain(op, 2) }
}

/// Decodes an encoding whose two low bits are not both set.
pub(super) fn decode(parcel: u16) -> Instruction {
    let function = parcel >> 13;
    let instruction = match parcel & 3 {
        0 => memory(parcel, function),
        1 => arithmetic(parcel, function),
        _ => stack(parcel, function),
    };
    instruction.unwrap_or(Instruction::illegal(2))
}

/// Quadrant 0: loads and stores through the short registers, and addresses of stack slots.
fn memory(parcel: u16, function: u16) -> Option<Instruction> {
    let (base, other) = (short(parcel), short_low(parcel));
    let offset_word = gather(parcel, &[(6, 1, 2), (10, 3, 3), (5, 1, 6)]);
    let offset_double = gather(parcel, &[(10, 3, 3), (5, 2, 6)]);
    Some(match function {
        0b000 => {
            let slot = gather(parcel, &[(6, 1, 2), (5, 1, 3), (11, 2, 4), (7, 4, 6)]);
            if slot == 0 {
                return None;
            }
            with_immediate(Op::Addi, other, SP, slot)
        }
        0b001 => with_immediate(Op::Fld, other, base, offset_double),
        0b010 => with_immediate(Op::Lw, other, base, offset_word),
        0b011 => with_immediate(Op::Ld, other, base, offset_double),
        0b101 => with_sources(Op::Fsd, base, other, offset_double),
        0b110 => with_sources(Op::Sw, base, other, offset_word),
        0b111 => with_sources(Op::Sd, base, other, offset_double),
        _ => return None,
    })
}

/// Quadrant 1: arithmetic and short jumps.
fn arithmetic(parcel: u16, function: u16) -> Option<Instruction> {
    let register = full(parcel);
    let value = sign_extend(six(parcel), 6);
    Some(match function {
        0b000 => with_immediate(Op::Addi, register, register, value),
        0b001 if register == ZERO => return None,
        0b001 => with_immediate(Op::Addiw, register, register, value),
        0b010 => with_immediate(Op::Addi, register, ZERO, value),
        0b011 => return upper_or_stack_pointer(parcel, register, value),
        0b100 => return short_arithmetic(parcel, value),
        0b101 => {
            let offset = gather(
                parcel,
                &[(3, 3, 1), (11, 1, 4), (2, 1, 5), (7, 1, 6), (6, 1, 7), (9, 2, 8), (8, 1, 10), (12, 1, 11)],
            );
            with_immediate(Op::Jal, ZERO, ZERO, sign_extend(offset, 12))
        }
        _ => {
            let offset = gather(parcel, &[(3, 2, 1), (10, 2, 3), (2, 1, 5), (5, 2, 6), (12, 1, 8)]);
            let op = if function == 0b110 { Op::Beq } else { Op::Bne };
            with_sources(op, short(parcel), ZERO, sign_extend(offset, 9))
        }
    })
}

fn upper_or_stack_pointer(parcel: u16, register: u8, value: i32) -> Option<Instruction> {
    if value == 0 {
        return None;
    }
    if register == SP {
        let adjustment = gather(parcel, &[(6, 1, 4), (2, 1, 5), (5, 1, 6), (3, 2, 7), (12, 1, 9)]);
        return Some(with_immediate(Op::Addi, SP, SP, sign_extend(adjustment, 10)));
    }
    Some(with_immediate(Op::Lui, register, ZERO, value << 12))
}

fn short_arithmetic(parcel: u16, value: i32) -> Option<Instruction> {
    let register = short(parcel);
    let op = match (parcel >> 10 & 3, parcel >> 12 & 1, parcel >> 5 & 3) {
        (0b00, ..) => return Some(with_immediate(Op::Srli, register, register, six(parcel))),
        (0b01, ..) => return Some(with_immediate(Op::Srai, register, register, six(parcel))),
        (0b10, ..) => return Some(with_immediate(Op::Andi, register, register, value)),
        (_, 0, 0b00) => Op::Sub,
        (_, 0, 0b01) => Op::Xor,
        (_, 0, 0b10) => Op::Or,
        (_, 0, _) => Op::And,
        (_, _, 0b00) => Op::Subw,
        (_, _, 0b01) => Op::Addw,
        _ => return None,
    };
    Some(with_registers(op, register, register, short_low(parcel)))
}

/// Quadrant 2: stack slots, moves, and jumps through registers.
fn stack(parcel: u16, function: u16) -> Option<Instruction> {
    let (register, other) = (full(parcel), full_low(parcel));
    let load_word = gather(parcel, &[(4, 3, 2), (12, 1, 5), (2, 2, 6)]);
    let load_double = gather(parcel, &[(5, 2, 3), (12, 1, 5), (2, 3, 6)]);
    let store_word = gather(parcel, &[(9, 4, 2), (7, 2, 6)]);
    let store_double = gather(parcel, &[(10, 3, 3), (7, 3, 6)]);
    Some(match function {
        0b000 => with_immediate(Op::Slli, register, register, six(parcel)),
        0b001 => with_immediate(Op::Fld, register, SP, load_double),
        0b010 | 0b011 if register == ZERO => return None,
        0b010 => with_immediate(Op::Lw, register, SP, load_word),
        0b011 => with_immediate(Op::Ld, register, SP, load_double),
        0b100 => match (parcel >> 12 & 1, register, other) {
            (0, ZERO, 0) => return None,
            (0, _, 0) => with_immediate(Op::Jalr, ZERO, register, 0),
            (0, ..) => with_registers(Op::Add, register, ZERO, other),
            (_, ZERO, 0) => Instruction::plain(Op::Ebreak, 2),
            (_, _, 0) => with_immediate(Op::Jalr, RA, register, 0),
            _ => with_registers(Op::Add, register, register, other),
        },
        0b101 => with_sources(Op::Fsd, SP, other, store_double),
        0b110 => with_sources(Op::Sw, SP, other, store_word),
        _ => with_sources(Op::Sd, SP, other, store_double),
    })
}
