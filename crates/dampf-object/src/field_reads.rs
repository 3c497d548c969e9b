//! Reads of more than there is, of which the rest is not used.
//!
//! Compilers read fields of a few bits with as much around them as is aligned, be it beyond the end of the variable,
//! and go on with the bits that they want. So a read of which the first bytes are valid is allowed if the code behind
//! it gets rid of all others before it does anything with them. That is found by following the bits of the read that
//! are not there through the next instructions.

use dampf_rv::decode::{Code, Instruction, Op};

const INSTRUCTIONS_MAX: usize = 16;

/// What is known of a register.
#[derive(Clone, Copy, Default)]
struct Bits {
    /// Those that depend on what is not there.
    absent: u64,
    constant: Option<u64>,
}

impl Bits {
    /// The lower half, sign-extended.
    fn word(self) -> Bits {
        let extended = |bits: u64| bits as i32 as u64;
        Bits { absent: extended(self.absent), constant: self.constant.map(extended) }
    }

    fn map(self, change: impl Fn(u64) -> u64) -> Bits {
        Bits { absent: change(self.absent), constant: self.constant.map(change) }
    }

    /// A sum: what is not there may be carried to all higher bits.
    fn plus(self, other: Bits) -> Bits {
        let lowest = (self.absent | other.absent).trailing_zeros();
        Bits {
            absent: u64::MAX.checked_shl(lowest).unwrap_or(0),
            constant: self.constant.zip(other.constant).map(|(one, two)| one.wrapping_add(two)),
        }
    }

    fn and(self, other: Bits) -> Bits {
        let possible = |bits: Bits| bits.constant.unwrap_or(u64::MAX);
        Bits { absent: self.absent & possible(other) | other.absent & possible(self), constant: None }
    }

    fn or(self, other: Bits) -> Bits {
        Bits { absent: self.absent | other.absent, constant: None }
    }
}

/// What an instruction computes, if that is known.
fn computed(instruction: &Instruction, one: Bits, two: Bits) -> Option<Bits> {
    let immediate = Bits { absent: 0, constant: Some(instruction.imm as i64 as u64) };
    let distance = instruction.imm as u32;
    let lower = |bits: u64| bits & u64::from(u32::MAX);
    Some(match instruction.op {
        Op::Lui => immediate,
        Op::Addi if instruction.imm == 0 => one,
        Op::Addi => one.plus(immediate),
        Op::Add if instruction.rs1 == 0 => two,
        Op::Add if instruction.rs2 == 0 => one,
        Op::Add => one.plus(two),
        Op::Addiw if instruction.imm == 0 => one.word(),
        Op::Addiw => one.plus(immediate).word(),
        Op::And => one.and(two),
        Op::Andi => one.and(immediate),
        Op::Or | Op::Xor => one.or(two),
        Op::Ori | Op::Xori => one.or(immediate),
        Op::Slli => one.map(|bits| bits << distance),
        Op::Srli => one.map(|bits| bits >> distance),
        Op::Srai => one.map(|bits| (bits as i64 >> distance) as u64),
        Op::Slliw => one.map(|bits| bits << distance).word(),
        Op::Srliw => one.map(|bits| lower(bits) >> distance).word(),
        Op::Sraiw => one.word().map(|bits| (bits as i64 >> distance) as u64),
        _ => return None,
    })
}

/// Whether what a load reads behind its first valid bytes is got rid of at once.
pub fn drops_rest(code: &Code, load: u64, valid_bytes: u32) -> bool {
    let Some(instruction) = code.at(load) else { return false };
    let mut registers = [Bits::default(); 32];
    registers[0].constant = Some(0);
    let absent = u64::MAX.checked_shl(8 * valid_bytes).unwrap_or(0);
    registers[usize::from(instruction.rd)] = Bits { absent, constant: None };
    let mut pc = load + u64::from(instruction.length);
    for _ in 0..INSTRUCTIONS_MAX {
        let Some(instruction) = code.at(pc) else { return false };
        let [one, two] = [instruction.rs1, instruction.rs2].map(|register| registers[usize::from(register)]);
        let depends =
            |register: usize| instruction.uses() as u32 >> register & 1 == 1 && registers[register].absent != 0;
        let value = match computed(&instruction, one, two) {
            Some(value) => value,
            None if (0..32).any(depends) || instruction.transfers_control() => return false,
            None => Bits::default(),
        };
        if instruction.rd != 0 && instruction.defines() as u32 >> instruction.rd & 1 == 1 {
            registers[usize::from(instruction.rd)] = value;
        }
        if registers.iter().all(|bits| bits.absent == 0) {
            return true;
        }
        pc += u64::from(instruction.length);
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drops(words: &[u32], valid_bytes: u32) -> bool {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        drops_rest(&Code::new(&[(0x1000, &bytes)]), 0x1000, valid_bytes)
    }

    #[test]
    fn fields_are_told_from_other_reads() {
        // ld a5,0(a5); andi a5,a5,7; srli a5,a5,3; slliw a5,a5,1; sd a5,0(a0); lui a4,2; and a5,a5,a4
        let (load, mask, down, up, store) = (0x0007_b783, 0x0077_f793, 0x0037_d793, 0x0017_979b, 0x00f5_3023);
        let (constant, and) = (0x0000_2737, 0x00e7_f7b3);
        assert!(drops(&[load, mask, store], 4) && drops(&[load, down, mask, store], 4));
        assert!(drops(&[load, up, store], 4));
        assert!(drops(&[load, constant, and, store], 4));
        assert!(!drops(&[load, store, mask], 4) && !drops(&[load, down, store], 4));
        assert!(!drops(&[load, up, store], 3));
    }
}
