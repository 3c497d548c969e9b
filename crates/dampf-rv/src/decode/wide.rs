//! Decoding of the 32-bit encodings.
//!
//! Organised as the architecture is: by major opcode, then by the function fields. Encodings that the architecture
//! reserves are illegal here, with one exception it asks for: unused fields of fences are ignored.

use super::{Instruction, Op, ROUNDING_DYNAMIC};

const fn bits(word: u32, low: u32, count: u32) -> u32 {
    (word >> low) & ((1 << count) - 1)
}

fn rd(word: u32) -> u8 {
    bits(word, 7, 5) as u8
}

fn rs1(word: u32) -> u8 {
    bits(word, 15, 5) as u8
}

fn rs2(word: u32) -> u8 {
    bits(word, 20, 5) as u8
}

fn funct3(word: u32) -> usize {
    bits(word, 12, 3) as usize
}

fn funct7(word: u32) -> u32 {
    bits(word, 25, 7)
}

/// Decodes an encoding whose two low bits are set.
pub(super) fn decode(word: u32) -> Instruction {
    let instruction = match bits(word, 2, 5) {
        0b00000 => load(word),
        0b00001 => float_load(word),
        0b00011 => fence(word),
        0b00100 => immediate(word),
        0b00101 => Some(upper(Op::Auipc, word)),
        0b00110 => immediate_word(word),
        0b01000 => store(word, &INTEGER_STORES),
        0b01001 => store(word, &FLOAT_STORES),
        0b01011 => atomic(word),
        0b01100 => register(word),
        0b01101 => Some(upper(Op::Lui, word)),
        0b01110 => register_word(word),
        0b10000 => fused(word, Op::FmaddS, Op::FmaddD),
        0b10001 => fused(word, Op::FmsubS, Op::FmsubD),
        0b10010 => fused(word, Op::FnmsubS, Op::FnmsubD),
        0b10011 => fused(word, Op::FnmaddS, Op::FnmaddD),
        0b10100 => float(word),
        0b11000 => branch(word),
        0b11001 => (funct3(word) == 0).then(|| with_immediate(Op::Jalr, word)),
        0b11011 => Some(jump(word)),
        0b11100 => system(word),
        _ => None,
    };
    instruction.unwrap_or(Instruction::illegal(4))
}

fn with_immediate(op: Op, word: u32) -> Instruction {
    Instruction { rd: rd(word), rs1: rs1(word), imm: word as i32 >> 20, ..Instruction::plain(op, 4) }
}

fn with_registers(op: Op, word: u32) -> Instruction {
    Instruction { rd: rd(word), rs1: rs1(word), rs2: rs2(word), ..Instruction::plain(op, 4) }
}

fn upper(op: Op, word: u32) -> Instruction {
    Instruction { rd: rd(word), imm: (word & !0xFFF) as i32, ..Instruction::plain(op, 4) }
}

fn jump(word: u32) -> Instruction {
    let sign = (word as i32 >> 31) << 20;
    let offset = bits(word, 12, 8) << 12 | bits(word, 20, 1) << 11 | bits(word, 21, 10) << 1;
    Instruction { rd: rd(word), imm: sign | offset as i32, ..Instruction::plain(Op::Jal, 4) }
}

fn branch(word: u32) -> Option<Instruction> {
    let op = match funct3(word) {
        0b000 => Op::Beq,
        0b001 => Op::Bne,
        0b100 => Op::Blt,
        0b101 => Op::Bge,
        0b110 => Op::Bltu,
        0b111 => Op::Bgeu,
        _ => return None,
    };
    let sign = (word as i32 >> 31) << 12;
    let offset = bits(word, 7, 1) << 11 | bits(word, 25, 6) << 5 | bits(word, 8, 4) << 1;
    Some(Instruction { rs1: rs1(word), rs2: rs2(word), imm: sign | offset as i32, ..Instruction::plain(op, 4) })
}

fn load(word: u32) -> Option<Instruction> {
    let op = *[Op::Lb, Op::Lh, Op::Lw, Op::Ld, Op::Lbu, Op::Lhu, Op::Lwu].get(funct3(word))?;
    Some(with_immediate(op, word))
}

fn float_load(word: u32) -> Option<Instruction> {
    let op = match funct3(word) {
        0b010 => Op::Flw,
        0b011 => Op::Fld,
        _ => return None,
    };
    Some(with_immediate(op, word))
}

const INTEGER_STORES: [Option<Op>; 8] =
    [Some(Op::Sb), Some(Op::Sh), Some(Op::Sw), Some(Op::Sd), None, None, None, None];
const FLOAT_STORES: [Option<Op>; 8] = [None, None, Some(Op::Fsw), Some(Op::Fsd), None, None, None, None];

fn store(word: u32, operations: &[Option<Op>; 8]) -> Option<Instruction> {
    let op = operations[funct3(word)]?;
    let offset = (word as i32 >> 25) << 5 | bits(word, 7, 5) as i32;
    Some(Instruction { rs1: rs1(word), rs2: rs2(word), imm: offset, ..Instruction::plain(op, 4) })
}

fn fence(word: u32) -> Option<Instruction> {
    match funct3(word) {
        0 => Some(Instruction { imm: bits(word, 20, 8) as i32, ..Instruction::plain(Op::Fence, 4) }),
        1 => Some(Instruction::plain(Op::FenceI, 4)),
        _ => None,
    }
}

fn immediate(word: u32) -> Option<Instruction> {
    let amount = bits(word, 20, 6) as i32;
    let shift = |op| Some(Instruction { imm: amount, ..with_immediate(op, word) });
    let op = match (funct3(word), bits(word, 26, 6)) {
        (0b000, _) => Op::Addi,
        (0b010, _) => Op::Slti,
        (0b011, _) => Op::Sltiu,
        (0b100, _) => Op::Xori,
        (0b110, _) => Op::Ori,
        (0b111, _) => Op::Andi,
        (0b001, 0b000000) => return shift(Op::Slli),
        (0b101, 0b000000) => return shift(Op::Srli),
        (0b101, 0b010000) => return shift(Op::Srai),
        _ => return None,
    };
    Some(with_immediate(op, word))
}

fn immediate_word(word: u32) -> Option<Instruction> {
    let amount = bits(word, 20, 5) as i32;
    let op = match (funct3(word), funct7(word)) {
        (0b000, _) => return Some(with_immediate(Op::Addiw, word)),
        (0b001, 0b0000000) => Op::Slliw,
        (0b101, 0b0000000) => Op::Srliw,
        (0b101, 0b0100000) => Op::Sraiw,
        _ => return None,
    };
    Some(Instruction { imm: amount, ..with_immediate(op, word) })
}

fn register(word: u32) -> Option<Instruction> {
    let op = match (funct7(word), funct3(word)) {
        (0, 0b000) => Op::Add,
        (0, 0b001) => Op::Sll,
        (0, 0b010) => Op::Slt,
        (0, 0b011) => Op::Sltu,
        (0, 0b100) => Op::Xor,
        (0, 0b101) => Op::Srl,
        (0, 0b110) => Op::Or,
        (0, 0b111) => Op::And,
        (0b0100000, 0b000) => Op::Sub,
        (0b0100000, 0b101) => Op::Sra,
        (1, 0b000) => Op::Mul,
        (1, 0b001) => Op::Mulh,
        (1, 0b010) => Op::Mulhsu,
        (1, 0b011) => Op::Mulhu,
        (1, 0b100) => Op::Div,
        (1, 0b101) => Op::Divu,
        (1, 0b110) => Op::Rem,
        (1, 0b111) => Op::Remu,
        _ => return None,
    };
    Some(with_registers(op, word))
}

fn register_word(word: u32) -> Option<Instruction> {
    let op = match (funct7(word), funct3(word)) {
        (0, 0b000) => Op::Addw,
        (0, 0b001) => Op::Sllw,
        (0, 0b101) => Op::Srlw,
        (0b0100000, 0b000) => Op::Subw,
        (0b0100000, 0b101) => Op::Sraw,
        (1, 0b000) => Op::Mulw,
        (1, 0b100) => Op::Divw,
        (1, 0b101) => Op::Divuw,
        (1, 0b110) => Op::Remw,
        (1, 0b111) => Op::Remuw,
        _ => return None,
    };
    Some(with_registers(op, word))
}

fn atomic(word: u32) -> Option<Instruction> {
    let (four, eight) = match bits(word, 27, 5) {
        0b00010 if rs2(word) == 0 => (Op::LrW, Op::LrD),
        0b00011 => (Op::ScW, Op::ScD),
        0b00001 => (Op::AmoswapW, Op::AmoswapD),
        0b00000 => (Op::AmoaddW, Op::AmoaddD),
        0b00100 => (Op::AmoxorW, Op::AmoxorD),
        0b01100 => (Op::AmoandW, Op::AmoandD),
        0b01000 => (Op::AmoorW, Op::AmoorD),
        0b10000 => (Op::AmominW, Op::AmominD),
        0b10100 => (Op::AmomaxW, Op::AmomaxD),
        0b11000 => (Op::AmominuW, Op::AmominuD),
        0b11100 => (Op::AmomaxuW, Op::AmomaxuD),
        _ => return None,
    };
    let op = match funct3(word) {
        0b010 => four,
        0b011 => eight,
        _ => return None,
    };
    Some(Instruction { imm: bits(word, 25, 2) as i32, ..with_registers(op, word) })
}

fn system(word: u32) -> Option<Instruction> {
    let op = match funct3(word) {
        0b000 if word == 0x0000_0073 => return Some(Instruction::plain(Op::Ecall, 4)),
        0b000 if word == 0x0010_0073 => return Some(Instruction::plain(Op::Ebreak, 4)),
        0b001 => Op::Csrrw,
        0b010 => Op::Csrrs,
        0b011 => Op::Csrrc,
        0b101 => Op::Csrrwi,
        0b110 => Op::Csrrsi,
        0b111 => Op::Csrrci,
        _ => return None,
    };
    Some(Instruction { imm: (word >> 20) as i32, ..with_immediate(op, word) })
}

/// The rounding mode of an operation that rounds; none for the two reserved ones.
fn rounding(word: u32) -> Option<u8> {
    let mode = funct3(word) as u8;
    (mode <= 4 || mode == ROUNDING_DYNAMIC).then_some(mode)
}

fn fused(word: u32, single: Op, double: Op) -> Option<Instruction> {
    let op = match bits(word, 25, 2) {
        0 => single,
        1 => double,
        _ => return None,
    };
    let rs3 = bits(word, 27, 5) as u8;
    Some(Instruction { rs3, rounding: rounding(word)?, ..with_registers(op, word) })
}

fn float(word: u32) -> Option<Instruction> {
    let double = match bits(word, 25, 2) {
        0 => false,
        1 => true,
        _ => return None,
    };
    let choose = |single: Op, other: Op| if double { other } else { single };
    let function = bits(word, 27, 5);
    // What the rounding field selects where nothing is rounded, and what the field of the second operand selects
    // where there is none.
    let (minor, variant) = (funct3(word), rs2(word));
    let rounded = |op| Some(Instruction { rounding: rounding(word)?, ..with_registers(op, word) });
    let unary = |op| Some(Instruction { rs2: 0, rounding: rounding(word)?, ..with_registers(op, word) });
    let op = match (function, minor, variant) {
        (0b00000, ..) => return rounded(choose(Op::FaddS, Op::FaddD)),
        (0b00001, ..) => return rounded(choose(Op::FsubS, Op::FsubD)),
        (0b00010, ..) => return rounded(choose(Op::FmulS, Op::FmulD)),
        (0b00011, ..) => return rounded(choose(Op::FdivS, Op::FdivD)),
        (0b01011, _, 0) => return unary(choose(Op::FsqrtS, Op::FsqrtD)),
        (0b01000, _, 1) if !double => return unary(Op::FcvtSD),
        (0b01000, _, 0) if double => return unary(Op::FcvtDS),
        (0b11000, _, 0) => return unary(choose(Op::FcvtWS, Op::FcvtWD)),
        (0b11000, _, 1) => return unary(choose(Op::FcvtWuS, Op::FcvtWuD)),
        (0b11000, _, 2) => return unary(choose(Op::FcvtLS, Op::FcvtLD)),
        (0b11000, _, 3) => return unary(choose(Op::FcvtLuS, Op::FcvtLuD)),
        (0b11010, _, 0) => return unary(choose(Op::FcvtSW, Op::FcvtDW)),
        (0b11010, _, 1) => return unary(choose(Op::FcvtSWu, Op::FcvtDWu)),
        (0b11010, _, 2) => return unary(choose(Op::FcvtSL, Op::FcvtDL)),
        (0b11010, _, 3) => return unary(choose(Op::FcvtSLu, Op::FcvtDLu)),
        (0b00100, 0, _) => choose(Op::FsgnjS, Op::FsgnjD),
        (0b00100, 1, _) => choose(Op::FsgnjnS, Op::FsgnjnD),
        (0b00100, 2, _) => choose(Op::FsgnjxS, Op::FsgnjxD),
        (0b00101, 0, _) => choose(Op::FminS, Op::FminD),
        (0b00101, 1, _) => choose(Op::FmaxS, Op::FmaxD),
        (0b10100, 0, _) => choose(Op::FleS, Op::FleD),
        (0b10100, 1, _) => choose(Op::FltS, Op::FltD),
        (0b10100, 2, _) => choose(Op::FeqS, Op::FeqD),
        (0b11100, 0, 0) => choose(Op::FmvXW, Op::FmvXD),
        (0b11100, 1, 0) => choose(Op::FclassS, Op::FclassD),
        (0b11110, 0, 0) => choose(Op::FmvWX, Op::FmvDX),
        _ => return None,
    };
    Some(with_registers(op, word))
}
