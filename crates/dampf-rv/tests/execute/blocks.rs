//! Programs of random blocks, as assembly.
//!
//! `gp` and `tp` belong to the frame of the program (return address and record), `sp` and `s0` point into scratch
//! memory; everything else is free for the blocks.

use std::fmt::Write;

use dampf_rv::decode::{Instruction, Op, ROUNDING_DYNAMIC, integer_register};

use crate::operands::{DOUBLE, Layout, SINGLE, Sequence, float, integer};

/// The integer registers, the floating-point registers, and the control register.
pub const RECORD_WORDS: usize = 65;

const SP: u8 = 2;
const GP: u8 = 3;
const TP: u8 = 4;
const S0: u8 = 8;

/// Which operations a program is about.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Choice {
    All,
    Integer,
    Single,
    Double,
}

/// A program, with what its registers start from.
pub struct Program {
    /// The assembly of each block.
    pub blocks: Vec<String>,
    pub records: Vec<u64>,
}

impl Program {
    pub fn new(seed: u64, choice: Choice, count: usize) -> Program {
        let mut sequence = Sequence(seed);
        let operations = operations(choice);
        let mut program = Program { blocks: Vec::new(), records: Vec::new() };
        for block in 0..count {
            let layout = match choice {
                Choice::Single => SINGLE,
                Choice::Double => DOUBLE,
                _ => sequence.pick(&[SINGLE, DOUBLE]),
            };
            program.records.extend(record(layout, &mut sequence));
            let mut text = String::from(if block % 2 == 0 { ".option rvc\n" } else { ".option norvc\n" });
            // In half of the blocks, every operation's flags are looked at; in the others they accrue.
            let separate_flags = block % 4 < 2;
            for index in 0..16 {
                let op = sequence.pick(&operations);
                emit(&mut text, op, &mut sequence);
                if separate_flags && is_float(op) {
                    let _ = writeln!(text, "csrrw x{},fflags,zero", 9 + index);
                }
            }
            emit_control_write(&mut text, &mut sequence);
            program.blocks.push(text);
        }
        program
    }

    /// The whole program. The addresses in `sp` and `s0` are filled in by the linker.
    pub fn source(&self) -> String {
        let mut text = String::from(START);
        for block in &self.blocks {
            let _ = write!(text, "jal gp,restore\n{block}jal gp,save\n");
        }
        text.push_str(FINISH);
        for (index, value) in self.records.iter().enumerate() {
            let _ = match index % RECORD_WORDS {
                register if register == SP as usize => writeln!(text, ".dword scratch+512"),
                register if register == S0 as usize => writeln!(text, ".dword scratch+2304"),
                _ => writeln!(text, ".dword {value:#x}"),
            };
        }
        text.push_str("scratch: .zero 4096\nend:\n");
        text
    }
}

const START: &str = "
.option norelax
.text
.globl _start
_start:
    lla tp,records
";

/// The end of a program, and the two routines that every block is between.
const FINISH: &str = "
.option norvc
    li a0,1
    lla a1,records
    lla a2,end
    sub a2,a2,a1
    li a7,64
    ecall
    li a0,0
    li a7,93
    ecall
restore:
    ld t0,512(tp)
    fscsr t0
    .irp r,1,2,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
    ld x\\r,8*\\r(tp)
    .endr
    .irp r,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
    fld f\\r,256+8*\\r(tp)
    .endr
    jr gp
save:
    .irp r,1,2,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
    sd x\\r,8*\\r(tp)
    .endr
    .irp r,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
    fsd f\\r,256+8*\\r(tp)
    .endr
    frcsr t0
    sd t0,512(tp)
    addi tp,tp,520
    jr gp
.data
.balign 8
records:
";

fn record(layout: Layout, sequence: &mut Sequence) -> Vec<u64> {
    let mut words: Vec<u64> = (0..32).map(|_| integer(sequence)).collect();
    words.extend((0..32).map(|_| float(layout, sequence)));
    let flags = if sequence.one_in(2) { 0 } else { sequence.below(32) };
    // Mostly to nearest, so that the common path is the one that is tested most.
    let mode = if sequence.one_in(2) { 0 } else { sequence.below(5) };
    words.push(mode << 5 | flags);
    words
}

/// Whether an operation is about singles or doubles, by its mnemonic.
fn is_float(op: Op) -> bool {
    op.mnemonic().starts_with('f') && !matches!(op, Op::Fence | Op::FenceI)
}

fn operations(choice: Choice) -> Vec<Op> {
    let excluded = [Op::Ecall, Op::Ebreak, Op::Hook, Op::Illegal];
    let all = Op::ALL.iter().copied().filter(|op| !excluded.contains(op));
    all.filter(|&op| match choice {
        Choice::All => true,
        Choice::Integer => !is_float(op),
        Choice::Single => is_float(op) && (op.mnemonic().contains(".s") || op.mnemonic().contains('w')),
        Choice::Double => is_float(op) && (op.mnemonic().contains(".d") || matches!(op, Op::Fld | Op::Fsd)),
    })
    .collect()
}

fn register(sequence: &mut Sequence) -> u8 {
    sequence.below(32) as u8
}

/// Whether an instruction leaves alone what the frame of the program needs.
fn keeps_frame(instruction: &Instruction) -> bool {
    let frame = [SP, GP, TP, S0].into_iter().map(integer_register).sum::<u64>();
    instruction.defines() & frame == 0
}

/// An instruction with random operands. Its immediate is right for operations without memory access or jump.
fn instruction(op: Op, sequence: &mut Sequence) -> Instruction {
    loop {
        let candidate = Instruction {
            op,
            rd: register(sequence),
            rs1: register(sequence),
            rs2: register(sequence),
            rs3: register(sequence),
            rounding: sequence.pick(&[0, 1, 2, 3, 4, ROUNDING_DYNAMIC, ROUNDING_DYNAMIC, ROUNDING_DYNAMIC]),
            length: 4,
            imm: immediate(op, sequence),
        };
        // Half of the two-address forms, which can be compressed.
        let candidate = if sequence.one_in(2) { candidate } else { Instruction { rs1: candidate.rd, ..candidate } };
        if keeps_frame(&candidate) {
            return candidate;
        }
    }
}

fn immediate(op: Op, sequence: &mut Sequence) -> i32 {
    match op {
        Op::Slli | Op::Srli | Op::Srai => sequence.below(64) as i32,
        Op::Slliw | Op::Srliw | Op::Sraiw => sequence.below(32) as i32,
        Op::Lui | Op::Auipc => (sequence.next() as i32) >> sequence.pick(&[0, 10, 14]) & !0xFFF,
        Op::Fence => 0x11 | sequence.below(256) as i32,
        _ if sequence.one_in(2) => sequence.below(64) as i32 - 32,
        _ => sequence.below(4096) as i32 - 2048,
    }
}

/// Adds an operation to a block, with whatever it needs around it.
fn emit(text: &mut String, op: Op, sequence: &mut Sequence) {
    let line = match op {
        Op::Jal => format!("jal {},1f\n{}1:", link(sequence), filler(sequence)),
        Op::Jalr => {
            let offset = sequence.pick(&[0, 0, 8, -16]);
            let mut line = format!("lla t1,1f-({offset})\njalr {},{offset}(t1)\n", link(sequence));
            line.push_str(&filler(sequence));
            line + "1:"
        }
        Op::Beq | Op::Bne | Op::Blt | Op::Bge | Op::Bltu | Op::Bgeu => {
            let branch = instruction(Op::Add, sequence);
            let other = sequence.pick(&[branch.rs2, branch.rs1, 0]);
            format!("{} x{},x{other},1f\n{}1:", op.mnemonic(), branch.rs1, filler(sequence))
        }
        Op::LrW | Op::LrD => reserve_and_store(op, sequence),
        Op::Csrrw | Op::Csrrs | Op::Csrrc | Op::Csrrwi | Op::Csrrsi | Op::Csrrci => {
            // Flags only: a reserved rounding mode would make what follows illegal.
            Instruction { imm: 1, ..instruction(op, sequence) }.text(0)
        }
        _ => plain(op, sequence),
    };
    text.push_str(&line);
    text.push('\n');
}

fn link(sequence: &mut Sequence) -> &'static str {
    sequence.pick(&["zero", "ra", "t0", "a5"])
}

/// An instruction or two that a jump or branch may skip.
fn filler(sequence: &mut Sequence) -> String {
    let mut text = String::new();
    for _ in 0..1 + sequence.below(2) {
        let op = sequence.pick(&[Op::Addi, Op::Xor, Op::Mul, Op::Sub]);
        text.push_str(&instruction(op, sequence).text(0));
        text.push('\n');
    }
    text
}

/// A reservation and the store that goes with it, at the same place or not. The emulator compares values, we do
/// not, so nothing may be stored between the two.
fn reserve_and_store(op: Op, sequence: &mut Sequence) -> String {
    let (store, base) = (if op == Op::LrW { Op::ScW } else { Op::ScD }, sequence.pick(&[SP, S0]));
    let other = if sequence.one_in(4) { SP + S0 - base } else { base };
    let load = Instruction { rs1: base, imm: sequence.below(4) as i32, ..instruction(op, sequence) };
    let store = Instruction { rs1: other, imm: sequence.below(4) as i32, ..instruction(store, sequence) };
    format!("{}\n{}{}", load.text(0), filler(sequence), store.text(0))
}

/// An operation that stands for itself, perhaps with memory.
fn plain(op: Op, sequence: &mut Sequence) -> String {
    let mut instruction = instruction(op, sequence);
    if let Some(access) = instruction.memory_access() {
        instruction.rs1 = sequence.pick(&[SP, S0]);
        let aligned = access.bytes as i32 * sequence.below(32) as i32;
        instruction.imm = match sequence.below(4) {
            _ if access.atomic => sequence.below(4) as i32,
            0 => sequence.below(1024) as i32 - 512,
            _ => aligned,
        };
        // The two base registers are 1,792 bytes apart and in the middle of their parts, so all of this is scratch.
    }
    // The assembler takes no rounding mode for conversions that are always exact.
    if matches!(op, Op::FcvtDS | Op::FcvtDW | Op::FcvtDWu) {
        instruction.rounding = ROUNDING_DYNAMIC;
    }
    instruction.text(0)
}

/// Ends a block with an arbitrary write to the rounding mode: whatever it is, the next block sets its own.
fn emit_control_write(text: &mut String, sequence: &mut Sequence) {
    let op = sequence.pick(&[Op::Csrrw, Op::Csrrs, Op::Csrrc, Op::Csrrwi, Op::Csrrsi, Op::Csrrci]);
    let write = Instruction { imm: sequence.pick(&[2, 3]), ..instruction(op, sequence) };
    if sequence.one_in(4) {
        text.push_str(&write.text(0));
        text.push('\n');
    }
}
