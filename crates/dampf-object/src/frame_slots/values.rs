//! Where a function has addresses of its own frame: forwards through its code, register by register.
//!
//! Code that is compiled without optimisation finds its variables by the frame pointer, and by a second pointer into
//! the same frame, aligned, for variables that are kept apart. A register holds such an address with a known offset, a
//! constant, or anything. An address that is used for more than an access of its own *escapes*: it is stored, handed to
//! a call, compared, or added to a number that is not known. From then on anybody may read and write what it leads to.

use dampf_rv::debug::LandingPad;
use dampf_rv::decode::{Instruction, Op, RegisterSet, integer_register};
use std::collections::HashMap;

const RA: u8 = 1;
const SP: usize = 2;
const FRAME_POINTER: usize = 8;
/// ra, t0 to t6, a0 to a7: what a call may change.
const SCRATCH: RegisterSet = 1 << 1 | 0b111 << 5 | 0xff << 10 | 0b1111 << 28;
/// a0 and a1.
const RESULTS: RegisterSet = 0b11 << 10;

/// What an address is counted from.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Base {
    /// The stack pointer at the function's first instruction, by way of the stack pointer: saved registers, and
    /// arguments of calls, which others read.
    Stack,
    /// The same, by way of the frame pointer.
    Frame,
    /// The aligned pointer.
    Aligned,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Value {
    Unknown,
    Constant(i64),
    Address(Base, i64),
}

use Value::{Address, Constant, Unknown};

/// An access of a function to its own frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FrameAccess {
    pub pc: u64,
    pub base: Base,
    pub offset: i64,
    pub bytes: i64,
    pub writes: bool,
}

/// The aligned pointer: what is added to the first stack pointer, and the mask that is applied then.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Alignment {
    pub offset: i64,
    pub mask: i64,
}

/// What was found out about the addresses in a function.
pub struct FrameValues {
    pub accesses: Vec<FrameAccess>,
    /// Where the frame pointer leads to, counted from the first stack pointer.
    pub frame_pointer: i64,
    pub alignment: Option<Alignment>,
    /// Whether an address escapes that is counted from the stack pointer.
    pub frame_escapes: bool,
    /// The offsets of addresses that escape, counted from the aligned pointer.
    pub aligned_escapes: Vec<i64>,
    /// Constants that are stored to the frame, for what the compiler describes there.
    pub constants: Vec<(Base, i64, i64)>,
    /// The constant targets of calls, by the addresses of the calls.
    pub callees: HashMap<u64, u64>,
    /// By position of an instruction that is reached: whether the frame pointer leads to this frame there.
    pub has_frame: HashMap<u64, bool>,
}

/// A function's code.
pub struct FunctionCode<'a> {
    pub instructions: &'a [(u64, Instruction)],
    pub landing_pads: &'a [LandingPad],
}

impl FunctionCode<'_> {
    fn position(&self, pc: u64) -> Option<usize> {
        self.instructions.binary_search_by_key(&pc, |&(pc, _)| pc).ok()
    }

    /// The positions that may come after an instruction; none if that is not known.
    pub fn successors(&self, position: usize) -> Option<Vec<usize>> {
        let (pc, instruction) = self.instructions[position];
        let next = || self.position(pc + u64::from(instruction.length));
        let target = || self.position(pc.wrapping_add_signed(i64::from(instruction.imm)));
        if is_call(&instruction) {
            // What comes behind a call that never returns may be the end of the function.
            let pads = self.landing_pads.iter().filter(|pad| pad.calls.contains(&pc));
            let pads: Option<Vec<usize>> = pads.map(|pad| self.position(pad.pad)).collect();
            return Some(next().into_iter().chain(pads?).collect());
        }
        match instruction.op {
            Op::Jalr if instruction.rd == 0 && instruction.rs1 == RA && instruction.imm == 0 => Some(Vec::new()),
            Op::Jal if instruction.rd == 0 => Some(vec![target()?]),
            Op::Jal | Op::Jalr => None,
            Op::Ebreak | Op::Illegal => Some(Vec::new()),
            _ if instruction.transfers_control() => Some(vec![next()?, target()?]),
            _ => Some(vec![next()?]),
        }
    }
}

pub fn is_call(instruction: &Instruction) -> bool {
    matches!(instruction.op, Op::Jal | Op::Jalr) && instruction.rd == RA
}

type Registers = [Value; 32];

struct Analysis<'a> {
    code: &'a FunctionCode<'a>,
    live: &'a dyn Fn(u64) -> RegisterSet,
    before: Vec<Option<Registers>>,
    frame_pointer: Option<i64>,
    alignment: Option<Alignment>,
    frame_escapes: bool,
    aligned_escapes: Vec<i64>,
    /// Whether there are two frame pointers, or two aligned pointers: no such function is understood.
    is_ambiguous: bool,
}

/// Follows the addresses of the frame through a function; `live` are the registers that may still be read before an
/// instruction. None if the function has no frame pointer, or jumps where nobody knows.
pub fn analyse(code: &FunctionCode, live: &dyn Fn(u64) -> RegisterSet) -> Option<FrameValues> {
    let mut analysis = Analysis {
        code,
        live,
        before: vec![None; code.instructions.len()],
        frame_pointer: None,
        alignment: None,
        frame_escapes: false,
        aligned_escapes: Vec::new(),
        is_ambiguous: false,
    };
    analysis.run()?;
    let frame_pointer = analysis.frame_pointer.filter(|_| !analysis.is_ambiguous)?;
    Some(analysis.collect(frame_pointer))
}

impl Analysis<'_> {
    fn run(&mut self) -> Option<()> {
        let mut entry = [Unknown; 32];
        entry[0] = Constant(0);
        entry[SP] = Address(Base::Stack, 0);
        *self.before.first_mut()? = Some(entry);
        let mut open = vec![0];
        while let Some(position) = open.pop() {
            let mut registers = self.before[position].expect("open instructions are reached");
            self.perform(position, &mut registers);
            for successor in self.code.successors(position)? {
                if self.reach(successor, &registers) {
                    open.push(successor);
                }
            }
        }
        Some(())
    }

    /// Takes note that an instruction is reached with these values. Whether that is new.
    fn reach(&mut self, position: usize, registers: &Registers) -> bool {
        let Some(mut before) = self.before[position] else {
            self.before[position] = Some(*registers);
            return true;
        };
        let live = (self.live)(self.code.instructions[position].0);
        let mut changed = false;
        for number in 0..32 {
            if before[number] != registers[number] && before[number] != Unknown {
                // Which of the two addresses it is depends on the way here: nobody looks after them from here on.
                if live >> number & 1 == 1 {
                    self.escape(before[number]);
                    self.escape(registers[number]);
                }
                before[number] = Unknown;
                changed = true;
            } else if before[number] != registers[number] && live >> number & 1 == 1 {
                self.escape(registers[number]);
            }
        }
        self.before[position] = Some(before);
        changed
    }

    fn escape(&mut self, value: Value) {
        match value {
            Address(Base::Aligned, offset) => self.aligned_escapes.push(offset),
            Address(..) => self.frame_escapes = true,
            Unknown | Constant(_) => {}
        }
    }

    fn escape_all(&mut self, registers: &Registers, set: RegisterSet) {
        for (number, &value) in registers.iter().enumerate().filter(|(number, _)| set >> number & 1 == 1) {
            // The stack pointer is everybody's.
            if number != SP {
                self.escape(value);
            }
        }
    }

    /// What an instruction does to the registers.
    fn perform(&mut self, position: usize, registers: &mut Registers) {
        let (pc, instruction) = self.code.instructions[position];
        let (first, second) = (registers[usize::from(instruction.rs1)], registers[usize::from(instruction.rs2)]);
        let imm = i64::from(instruction.imm);
        let result = match (instruction.op, first, second) {
            (Op::Lui, ..) => Constant(imm),
            (Op::Auipc, ..) => Constant(pc as i64 + imm),
            (Op::Addi, Constant(value), _) => Constant(value.wrapping_add(imm)),
            (Op::Addi, Address(base, offset), _) => Address(base, offset + imm),
            (Op::Addiw, Constant(value), _) => Constant(i64::from(value.wrapping_add(imm) as i32)),
            (Op::Slli, Constant(value), _) => Constant(value.wrapping_shl(instruction.imm as u32)),
            (Op::Add, Constant(one), Constant(other)) => Constant(one.wrapping_add(other)),
            (Op::Add, Address(base, offset), Constant(value)) | (Op::Add, Constant(value), Address(base, offset)) => {
                Address(base, offset + value)
            }
            (Op::Andi, Address(base, offset), _) => self.align(base, offset, imm),
            (Op::And, Address(base, offset), Constant(mask)) | (Op::And, Constant(mask), Address(base, offset)) => {
                self.align(base, offset, mask)
            }
            // Where the shadow of the frame is: what is said there is no part of the frame.
            (Op::Srli, Address(Base::Aligned, _), _) if imm == 3 => Unknown,
            _ => {
                self.perform_other(&instruction, registers);
                return;
            }
        };
        let rd = usize::from(instruction.rd);
        let result = match result {
            Address(Base::Stack, offset) if rd == FRAME_POINTER => self.set_frame_pointer(offset),
            result => result,
        };
        if rd != 0 {
            registers[rd] = result;
        }
    }

    fn perform_other(&mut self, instruction: &Instruction, registers: &mut Registers) {
        let mut used = instruction.uses();
        if instruction.memory_access().is_some_and(|access| !access.atomic) {
            // An access through an address of the frame is what these addresses are for; to store one is not.
            let is_base_only = instruction.rs1 != instruction.rs2 || instruction.defines() != 0;
            used &= if is_base_only { !integer_register(instruction.rs1) } else { u64::MAX };
        }
        let mut changed = instruction.defines();
        if is_call(instruction) || instruction.op == Op::Ecall {
            used |= SCRATCH;
            changed |= SCRATCH;
        } else if instruction.op == Op::Jalr {
            used |= RESULTS;
        }
        self.escape_all(registers, used);
        for (number, value) in registers.iter_mut().enumerate().skip(1) {
            if changed >> number & 1 == 1 {
                *value = Unknown;
            }
        }
    }

    fn set_frame_pointer(&mut self, offset: i64) -> Value {
        self.is_ambiguous |= *self.frame_pointer.get_or_insert(offset) != offset;
        Address(Base::Frame, offset)
    }

    fn align(&mut self, base: Base, offset: i64, mask: i64) -> Value {
        let alignment = Alignment { offset, mask };
        if base == Base::Aligned || mask >= 0 {
            self.escape(Address(base, offset));
            return Unknown;
        }
        self.is_ambiguous |= *self.alignment.get_or_insert(alignment) != alignment;
        Address(Base::Aligned, 0)
    }

    /// What the function does to its frame, now that the values are known.
    fn collect(self, frame_pointer: i64) -> FrameValues {
        let mut values = FrameValues {
            accesses: Vec::new(),
            frame_pointer,
            alignment: self.alignment,
            frame_escapes: self.frame_escapes,
            aligned_escapes: self.aligned_escapes,
            constants: Vec::new(),
            callees: HashMap::new(),
            has_frame: HashMap::new(),
        };
        for (&(pc, instruction), before) in self.code.instructions.iter().zip(&self.before) {
            let Some(registers) = before else { continue };
            values.has_frame.insert(pc, registers[FRAME_POINTER] == Address(Base::Frame, frame_pointer));
            let imm = i64::from(instruction.imm);
            if is_call(&instruction) {
                let callee = match (instruction.op, registers[usize::from(instruction.rs1)]) {
                    (Op::Jal, _) => Some(pc.wrapping_add_signed(imm)),
                    (_, Constant(address)) => Some(address.wrapping_add(imm) as u64),
                    _ => None,
                };
                values.callees.extend(callee.map(|callee| (pc, callee)));
            }
            let Some(access) = instruction.memory_access() else { continue };
            let Address(base, offset) = registers[usize::from(access.base)] else { continue };
            let (offset, bytes) = (offset + i64::from(access.offset), i64::from(access.bytes));
            values.accesses.push(FrameAccess { pc, base, offset, bytes, writes: access.writes });
            if let (Op::Sd, Constant(value)) = (instruction.op, registers[usize::from(instruction.rs2)]) {
                values.constants.push((base, offset, value));
            }
        }
        values
    }
}
