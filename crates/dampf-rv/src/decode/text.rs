//! Disassembly: an instruction as one line with the register names of the calling convention.
//!
//! Every line names the operation that is executed: there are no pseudo-instructions, and compressed encodings show as
//! what they expand to.

use std::fmt::Write;

use super::{Instruction, Shape};

/// The names of the integer registers in the calling convention.
pub const INTEGER_REGISTER_NAMES: [&str; 32] = [
    "zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1", "a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7", "s2",
    "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6",
];

/// The names of the floating-point registers in the calling convention.
pub const FLOAT_REGISTER_NAMES: [&str; 32] = [
    "ft0", "ft1", "ft2", "ft3", "ft4", "ft5", "ft6", "ft7", "fs0", "fs1", "fa0", "fa1", "fa2", "fa3", "fa4", "fa5",
    "fa6", "fa7", "fs2", "fs3", "fs4", "fs5", "fs6", "fs7", "fs8", "fs9", "fs10", "fs11", "ft8", "ft9", "ft10", "ft11",
];

const ROUNDING_NAMES: [&str; 5] = ["rne", "rtz", "rdn", "rup", "rmm"];

fn x(register: u8) -> &'static str {
    INTEGER_REGISTER_NAMES[register as usize & 31]
}

fn f(register: u8) -> &'static str {
    FLOAT_REGISTER_NAMES[register as usize & 31]
}

/// One side of a fence: which accesses it orders.
fn fence_set(bits: i32) -> String {
    let name: String = "iorw".chars().zip([8, 4, 2, 1]).filter(|(_, bit)| bits & bit != 0).map(|(c, _)| c).collect();
    if name.is_empty() { "0".to_owned() } else { name }
}

/// The control registers that a program may use; the others go by number.
fn control_register(number: i32) -> String {
    match number {
        0x001 => "fflags".to_owned(),
        0x002 => "frm".to_owned(),
        0x003 => "fcsr".to_owned(),
        0xC00 => "cycle".to_owned(),
        0xC01 => "time".to_owned(),
        0xC02 => "instret".to_owned(),
        _ => format!("{number:#x}"),
    }
}

impl Instruction {
    /// The instruction in assembly, as it stands at `pc`.
    pub fn text(&self, pc: u64) -> String {
        let mut line = self.op.mnemonic().to_owned();
        let operands = self.operands(pc);
        if matches!(self.op.shape(), Shape::LoadReserved(_) | Shape::StoreConditional(_) | Shape::Atomic(_)) {
            line.push_str(["", ".rl", ".aq", ".aqrl"][self.imm as usize & 3]);
        }
        if !operands.is_empty() {
            line.push(' ');
            line.push_str(&operands);
        }
        // The dynamic mode is what compilers use everywhere, so it goes without saying.
        if let Some(mode) = ROUNDING_NAMES.get(self.rounding as usize)
            && self.rounds()
        {
            // Writing to a string cannot fail.
            let _ = write!(line, ",{mode}");
        }
        line
    }

    /// Whether the rounding mode is part of the instruction.
    fn rounds(&self) -> bool {
        matches!(
            self.op.shape(),
            Shape::Fused | Shape::FloatRounded | Shape::FloatUnary | Shape::ToInteger | Shape::FromInteger
        )
    }

    fn operands(&self, pc: u64) -> String {
        let Instruction { rd, rs1, rs2, rs3, imm, .. } = *self;
        let target = pc.wrapping_add(imm as i64 as u64);
        match self.op.shape() {
            Shape::Plain => String::new(),
            Shape::Upper => format!("{},{:#x}", x(rd), imm as u32 >> 12),
            Shape::Jump => format!("{},{target:#x}", x(rd)),
            Shape::JumpRegister | Shape::Load(_) => format!("{},{imm}({})", x(rd), x(rs1)),
            Shape::Branch => format!("{},{},{target:#x}", x(rs1), x(rs2)),
            Shape::Store(_) => format!("{},{imm}({})", x(rs2), x(rs1)),
            Shape::FloatLoad(_) => format!("{},{imm}({})", f(rd), x(rs1)),
            Shape::FloatStore(_) => format!("{},{imm}({})", f(rs2), x(rs1)),
            Shape::LoadReserved(_) => format!("{},({})", x(rd), x(rs1)),
            Shape::StoreConditional(_) | Shape::Atomic(_) => format!("{},{},({})", x(rd), x(rs2), x(rs1)),
            Shape::Immediate => format!("{},{},{imm}", x(rd), x(rs1)),
            Shape::Shift => format!("{},{},{imm:#x}", x(rd), x(rs1)),
            Shape::Register => format!("{},{},{}", x(rd), x(rs1), x(rs2)),
            Shape::Fence => format!("{},{}", fence_set(imm >> 4), fence_set(imm & 15)),
            Shape::Csr => format!("{},{},{}", x(rd), control_register(imm), x(rs1)),
            Shape::CsrImmediate => format!("{},{},{rs1}", x(rd), control_register(imm)),
            Shape::Fused => format!("{},{},{},{}", f(rd), f(rs1), f(rs2), f(rs3)),
            Shape::FloatRounded | Shape::Float => format!("{},{},{}", f(rd), f(rs1), f(rs2)),
            Shape::FloatUnary => format!("{},{}", f(rd), f(rs1)),
            Shape::Compare => format!("{},{},{}", x(rd), f(rs1), f(rs2)),
            Shape::ToInteger | Shape::MoveToInteger => format!("{},{}", x(rd), f(rs1)),
            Shape::FromInteger | Shape::MoveFromInteger => format!("{},{}", f(rd), x(rs1)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::decode;

    #[test]
    fn lines_read_like_assembly() {
        let check = |word: u32, expected: &str| assert_eq!(decode(word).text(0x1_0000), expected);
        check(0x0000_8067, "jalr zero,0(ra)");
        check(0x8082, "jalr zero,0(ra)");
        check(0xFE05_0EE3, "beq a0,zero,0xfffc");
        check(0x0015_8513, "addi a0,a1,1");
        check(0x06C5_A52F, "amoadd.w.aqrl a0,a2,(a1)");
        check(0x02C5_F553, "fadd.d fa0,fa1,fa2");
        check(0xC205_1553, "fcvt.w.d a0,fa0,rtz");
        check(0x0033_22F3, "csrrs t0,fcsr,t1");
        check(0x0FF0_000F, "fence iorw,iorw");
        check(0x0000, "illegal");
    }
}
