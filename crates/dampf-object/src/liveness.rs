//! Which registers a standing thread can still read.
//!
//! Registers that will be overwritten before they are read differ between runs for no reason that matters: clearing them lets
//! states meet. Before an operation of ours only its arguments and the registers that a call preserves count. Anywhere else the
//! function's instructions tell: a register is live if some path reads it before writing it.
//!
//! The frame pointer counts as well where the unwinder needs it, though the program may not: at its last access a function has often
//! no more use for it, and trails would lose its callers. It follows from the stack pointer and keeps no states apart.

use crate::hooks::Hook;
use crate::machine::Machine;
use dampf_rv::decode::{Code, Op, RegisterSet, integer_register};
use dampf_rv::machine::Hart;
use std::collections::HashMap;
use std::ops::Range;

/// ra, sp, gp, tp, s0 to s11; fs0 to fs11.
const PRESERVED: u64 = 0b0000_1111_1111_1100_0000_0011_0001_1110 | 0b0000_1111_1111_1100_0000_0011_0000_0000 << 32;
/// a0 to a7, fa0 to fa7.
const ARGUMENTS: u64 = 0x3fc00 | 0x3fc00 << 32;
/// a0, a1, fa0, fa1.
const RESULTS: u64 = 0xc00 | 0xc00 << 32;
/// Functions larger than this are not analysed.
const FUNCTION_BYTES_MAX: u64 = 1 << 16;

/// What was found out about instructions, by address.
#[derive(Default)]
pub struct Liveness {
    live: HashMap<u64, u64>,
    /// The sets of instructions that threads stood before, with the frame pointer.
    kept: HashMap<u64, u64>,
}

impl Liveness {
    /// The registers that are live at an instruction of a function.
    fn at(&mut self, code: &Code, function: impl FnOnce() -> Option<Range<u64>>, pc: u64) -> u64 {
        if let Some(&live) = self.live.get(&pc) {
            return live;
        }
        match function()
            .filter(|function| function.contains(&pc) && function.end - function.start <= FUNCTION_BYTES_MAX)
        {
            Some(function) => self.analyse(code, function),
            None => {
                self.live.insert(pc, u64::MAX);
            }
        }
        *self.live.entry(pc).or_insert(u64::MAX)
    }

    /// Backwards over the function until nothing changes.
    fn analyse(&mut self, code: &Code, function: Range<u64>) {
        let mut instructions = Vec::new();
        let mut pc = function.start;
        while pc < function.end {
            let Some(instruction) = code.at(pc) else { return };
            instructions.push((pc, instruction));
            pc += u64::from(instruction.length);
        }
        let mut live: HashMap<u64, u64> = instructions.iter().map(|&(pc, _)| (pc, 0)).collect();
        loop {
            let mut changed = false;
            for &(pc, instruction) in instructions.iter().rev() {
                // A way out of the function that is not understood needs everything.
                let inside = |target: u64| live.get(&target).copied().unwrap_or(u64::MAX);
                let next = pc + u64::from(instruction.length);
                let target = pc.wrapping_add(instruction.imm as i64 as u64);
                let after = match instruction.op {
                    // The callee reads its arguments. It may also throw, and then whoever catches finds all preserved registers as
                    // they were at the call, whatever the code behind the call needs of them.
                    Op::Jal | Op::Jalr if instruction.rd != 0 => ARGUMENTS | PRESERVED,
                    Op::Jal => match live.get(&target) {
                        Some(&live) => live,
                        // A jump to another function passes on what this one was given.
                        None => ARGUMENTS | PRESERVED,
                    },
                    Op::Jalr if instruction.rs1 == 1 && instruction.imm == 0 => RESULTS | PRESERVED,
                    Op::Jalr => u64::MAX,
                    Op::Ecall | Op::Ebreak | Op::Illegal => u64::MAX,
                    _ if instruction.transfers_control() => inside(next) | inside(target),
                    _ => inside(next),
                };
                let uses: RegisterSet = instruction.uses();
                let defines: RegisterSet = instruction.defines();
                let now = after & !defines | uses;
                let before = live.get_mut(&pc).expect("every instruction has an entry");
                changed |= *before != now;
                *before |= now;
            }
            if !changed {
                break;
            }
        }
        self.live.extend(live);
    }
}

impl Machine<'_> {
    pub fn clear_dead_registers(&mut self, hart: &mut Hart) {
        let program = &self.system.program;
        let live = match program.hook(hart.pc) {
            Some(Hook::Main) => u64::MAX,
            Some(hook) => PRESERVED | ((1u64 << hook.arity()) - 1) << 10,
            None if program.code.at(hart.pc).is_none() => PRESERVED | RESULTS,
            None => match self.liveness.kept.get(&hart.pc) {
                Some(&kept) => kept,
                None => {
                    let bounds = || {
                        let symbol = program.image.symbol_at(hart.pc)?;
                        Some(symbol.address..symbol.address + symbol.size)
                    };
                    let frame_pointer = program.debug.frame_register(hart.pc).map_or(0, integer_register);
                    let kept = self.liveness.at(&program.code, bounds, hart.pc) | frame_pointer;
                    self.liveness.kept.insert(hart.pc, kept);
                    kept
                }
            },
        };
        for number in 0..32 {
            if live >> number & 1 == 0 {
                hart.x[number] = 0;
            }
            if live >> (number + 32) & 1 == 0 {
                hart.f[number] = 0;
            }
        }
        hart.x[0] = 0;
    }
}
