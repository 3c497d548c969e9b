//! Which registers a standing thread can still read.
//!
//! Registers that will be overwritten before they are read differ between runs for no reason that matters: clearing
//! them lets states meet. A register is live if some path through the function reads it before writing it. Before an
//! operation of ours its arguments count, and what the code behind its call reads.
//!
//! A call may end in an exception instead, and then whoever catches it finds the preserved registers as they were at
//! their call: in this function, or in one of its callers. So during a call a preserved register counts in any case,
//! unless this function has saved its caller's value on the stack, where the unwinder finds it, and catches nothing
//! itself.
//!
//! The frame pointer counts as well where the unwinder needs it, though the program may not: at its last access a
//! function has often no more use for it, and trails would lose its callers. It follows from the stack pointer and
//! keeps no states apart.

use crate::hooks::{Hook, HookRow, LiveRegisters};
use crate::machine::Machine;
use crate::program::Program;
use dampf_rv::decode::{Instruction, Op, RegisterSet, integer_register};
use dampf_rv::machine::Hart;
use std::collections::HashMap;
use std::ops::Range;

/// ra, sp, gp, tp, s0 to s11; fs0 to fs11.
const PRESERVED: u64 = 0b0000_1111_1111_1100_0000_0011_0001_1110 | 0b0000_1111_1111_1100_0000_0011_0000_0000 << 32;
const RETURN_ADDRESS: RegisterSet = 1 << 1;
const A0: usize = 10;
/// ra, sp, gp, tp.
const ALWAYS: RegisterSet = 0b11110;
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
    /// By return address, what counts of the preserved registers during an operation of ours.
    kept_for: HashMap<u64, u64>,
}

impl Liveness {
    /// The registers that are live at an instruction of a function.
    pub fn at(&mut self, program: &Program, pc: u64) -> u64 {
        if let Some(&live) = self.live.get(&pc) {
            return live;
        }
        match function_at(program, pc).filter(|function| function.end - function.start <= FUNCTION_BYTES_MAX) {
            Some(function) => self.analyse(program, function),
            None => {
                self.live.insert(pc, u64::MAX);
            }
        }
        *self.live.entry(pc).or_insert(u64::MAX)
    }

    /// Backwards over the function until nothing changes.
    fn analyse(&mut self, program: &Program, function: Range<u64>) {
        let mut instructions = Vec::new();
        let mut pc = function.start;
        while pc < function.end {
            let Some(instruction) = program.code.at(pc) else { return };
            instructions.push((pc, instruction));
            pc += u64::from(instruction.length);
        }
        let mut live: HashMap<u64, u64> = instructions.iter().map(|&(pc, _)| (pc, 0)).collect();
        let is_call = |instruction: &Instruction| {
            matches!(instruction.op, Op::Jal | Op::Jalr) && integer_register(instruction.rd) == RETURN_ADDRESS
        };
        let calls = instructions.iter().filter(|(_, instruction)| is_call(instruction));
        let saved: HashMap<u64, u64> = calls.map(|&(pc, _)| (pc, program.debug.saved_registers(pc))).collect();
        loop {
            let mut changed = false;
            for &(pc, instruction) in instructions.iter().rev() {
                // A way out of the function that is not understood needs everything.
                let inside = |target: u64| live.get(&target).copied().unwrap_or(u64::MAX);
                let next = pc + u64::from(instruction.length);
                let target = pc.wrapping_add(instruction.imm as i64 as u64);
                let after = match instruction.op {
                    // The callee reads its arguments.
                    Op::Jal | Op::Jalr if instruction.rd != 0 => {
                        ARGUMENTS | PRESERVED & (inside(next) | !saved.get(&pc).copied().unwrap_or(0))
                    }
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

/// The code of the function at an address.
pub fn function_at(program: &Program, pc: u64) -> Option<Range<u64>> {
    let symbol = program.image.symbol_at(pc)?;
    Some(symbol.address..symbol.address + symbol.size).filter(|function| function.contains(&pc))
}

/// The register without which the callers of the function at an address cannot be found.
fn frame_register(program: &Program, pc: u64) -> RegisterSet {
    program.debug.frame_register(pc).map_or(0, integer_register)
}

impl Machine<'_> {
    /// The registers that a standing thread can still read.
    pub fn live_registers(&mut self, hart: &Hart) -> RegisterSet {
        let program = &self.system.program;
        match program.hook(hart.pc).map(Hook::row) {
            Some(HookRow { registers: LiveRegisters::All, .. }) => u64::MAX,
            Some(HookRow { registers: LiveRegisters::Arguments(count), deadline, .. }) => {
                let arguments = (1u64 << count) - 1;
                let deadline = deadline.map_or(0, |argument| 1 << argument);
                (arguments | deadline) << A0 | self.live_behind_call(hart.x[1])
            }
            _ if program.code.at(hart.pc).is_none() => PRESERVED | RESULTS,
            _ => match self.liveness.kept.get(&hart.pc) {
                Some(&kept) => kept,
                None => {
                    let kept = self.liveness.at(program, hart.pc) | frame_register(program, hart.pc);
                    self.liveness.kept.insert(hart.pc, kept);
                    kept
                }
            },
        }
    }

    /// The preserved registers that count while a call is under way that will return to this address.
    fn live_behind_call(&mut self, address: u64) -> RegisterSet {
        if let Some(&kept) = self.liveness.kept_for.get(&address) {
            return kept;
        }
        let program = &self.system.program;
        // What lies behind a call that does not return may be another function.
        let call = address.wrapping_sub(2);
        let kept = match function_at(program, address) {
            Some(function) if function.contains(&call) => {
                let needed = self.liveness.at(program, address) | !program.debug.saved_registers(call);
                PRESERVED & needed | ALWAYS | frame_register(program, call)
            }
            _ => PRESERVED,
        };
        self.liveness.kept_for.insert(address, kept);
        kept
    }

    pub fn clear_dead_registers(&mut self, hart: &mut Hart) {
        let live = self.live_registers(hart);
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
