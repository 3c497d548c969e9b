//! Reads that the compiler announced and then left out.
//!
//! The value of `int seen = flag;` may be of no interest, and then no flag keeps gcc from dropping the load of a named
//! variable. The source reads it all the same, and a race with that read is one; the callback that announces the read
//! is still there. So the call of a callback behind which no load comes that could be the announced one counts as the
//! read itself.
//!
//! What comes behind the call is looked for up to the next call or branch, by following what registers hold. A load
//! that cannot be told from the announced one is taken for it: then things are as if nobody had looked.

use dampf_rv::decode::{Code, Instruction, Op};
use dampf_rv::image::{Image, SymbolKind};
use std::collections::HashMap;
use std::ops::Range;

const ZERO: u8 = 0;
const RA: u8 = 1;
const SP: u8 = 2;
const GP: u8 = 3;
const FP: u8 = 8;
const A0: u8 = 10;

/// What a register holds: some value, and what was added to it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Value {
    origin: Origin,
    offset: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Origin {
    /// Nothing but the offset.
    Constant,
    /// What the register held where the search began.
    Register(u8),
    /// What the instruction at this address computes into this register.
    Computed(u64, u8),
}

impl Value {
    fn plus(self, offset: i32) -> Value {
        Value { offset: self.offset.wrapping_add(offset as i64 as u64), ..self }
    }

    fn constant(value: u64) -> Value {
        Value { origin: Origin::Constant, offset: value }
    }

    fn is_in_frame(self) -> bool {
        matches!(self.origin, Origin::Register(SP | FP))
    }

    /// Linkers let the global pointer stand for a constant.
    fn is_static(self) -> bool {
        matches!(self.origin, Origin::Constant | Origin::Register(GP))
    }

    /// Whether two accesses of so many bytes are certainly to different bytes: a variable of the program is not on the
    /// stack, and where there is a frame pointer, the stack pointer leads to saved registers only.
    fn differs(self, other: Value, bytes: u64) -> bool {
        let apart = |from: u64, to: u64| to.wrapping_sub(from) >= bytes && from.wrapping_sub(to) >= bytes;
        match (self.origin, other.origin) {
            (one, two) if one == two => apart(self.offset, other.offset),
            (one, two) if self.is_in_frame() && other.is_in_frame() => one != two,
            _ => self.is_static() && other.is_in_frame() || self.is_in_frame() && other.is_static(),
        }
    }
}

/// What is known of the registers between two places where control may come from elsewhere.
struct Registers {
    values: [Value; 32],
}

impl Registers {
    fn unknown() -> Registers {
        let value = |register: usize| match register {
            0 => Value::constant(0),
            _ => Value { origin: Origin::Register(register as u8), offset: 0 },
        };
        Registers { values: std::array::from_fn(value) }
    }

    fn get(&self, register: u8) -> Value {
        self.values[usize::from(register)]
    }

    fn set(&mut self, register: u8, value: Value) {
        if register != ZERO {
            self.values[usize::from(register)] = value;
        }
    }

    fn execute(&mut self, pc: u64, instruction: &Instruction) {
        let computed = Value { origin: Origin::Computed(pc, instruction.rd), offset: 0 };
        let (one, two) = (self.get(instruction.rs1), self.get(instruction.rs2));
        let value = match instruction.op {
            Op::Lui => Value::constant(instruction.imm as i64 as u64),
            Op::Auipc => Value::constant(pc.wrapping_add(instruction.imm as i64 as u64)),
            Op::Addi => one.plus(instruction.imm),
            Op::Add if instruction.rs1 == ZERO => two,
            Op::Add if instruction.rs2 == ZERO => one,
            _ => computed,
        };
        let defines = instruction.defines();
        if defines as u32 >> instruction.rd & 1 == 1 {
            self.set(instruction.rd, value);
        }
    }

    /// Forgets what a call does not preserve.
    fn call(&mut self, pc: u64) {
        let preserved = |register: u8| matches!(register, 0 | 2 | 3 | 4 | 8 | 9 | 18..=27);
        for register in (0..32).filter(|&register| !preserved(register)) {
            self.set(register, Value { origin: Origin::Computed(pc, register), offset: 0 });
        }
    }
}

/// Calls that announce reads which do not come: where they are, and how many bytes would have been read.
pub fn unmade_reads(image: &Image, code: &Code, user_code: &[Range<u64>]) -> Vec<(u64, u8)> {
    let functions = image.symbols().iter().filter(|symbol| symbol.kind == SymbolKind::Function);
    let callbacks: HashMap<u64, u8> =
        functions.filter_map(|symbol| Some((symbol.address, announced_bytes(&symbol.name)?))).collect();
    let mut unmade = Vec::new();
    if callbacks.is_empty() {
        return unmade;
    }
    for range in user_code {
        let mut registers = Registers::unknown();
        // The last announcement, as long as its read has not come.
        let mut awaited: Option<(u64, Value, u8)> = None;
        let mut pc = range.start;
        while pc < range.end {
            let Some(instruction) = code.at(pc) else {
                // Not an instruction: constants, or the space between functions.
                pc += 2;
                continue;
            };
            if let (Some(access), Some((_, announced, bytes))) = (instruction.memory_access(), awaited) {
                let address = registers.get(access.base).plus(access.offset);
                if access.reads && !announced.differs(address, u64::from(bytes)) {
                    awaited = None;
                }
            }
            let is_call = matches!(instruction.op, Op::Jal | Op::Jalr) && instruction.rd == RA;
            if instruction.transfers_control() {
                unmade.extend(awaited.take().map(|(call, _, bytes)| (call, bytes)));
            }
            if is_call {
                let callee = match instruction.op {
                    Op::Jal => Value::constant(pc.wrapping_add(instruction.imm as i64 as u64)),
                    _ => registers.get(instruction.rs1).plus(instruction.imm),
                };
                let bytes = callbacks.get(&callee.offset).filter(|_| callee.origin == Origin::Constant);
                awaited = bytes.map(|&bytes| (pc, registers.get(A0), bytes));
                registers.call(pc);
            } else if instruction.transfers_control() {
                registers = Registers::unknown();
            } else {
                registers.execute(pc, &instruction);
            }
            pc += u64::from(instruction.length);
        }
    }
    unmade
}

/// How many bytes a callback announces to be read; none where it announces something else.
fn announced_bytes(name: &str) -> Option<u8> {
    let name = name.strip_prefix("__tsan_")?;
    let bytes = name.strip_prefix("unaligned_").unwrap_or(name).strip_prefix("read")?;
    bytes.parse().ok().filter(|bytes| matches!(bytes, 1 | 2 | 4 | 8 | 16))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn callbacks_are_known_by_their_names() {
        assert_eq!(announced_bytes("__tsan_read4"), Some(4));
        assert_eq!(announced_bytes("__tsan_unaligned_read16"), Some(16));
        for other in ["__tsan_write4", "__tsan_read_range", "__tsan_read_write8", "__tsan_volatile_read4", "read4"] {
            assert_eq!(announced_bytes(other), None, "{other}");
        }
    }

    #[test]
    fn accesses_differ_only_if_that_is_certain() {
        let [at, beside, global, unknown, other_unknown, frame] = [
            Value::constant(0x1000),
            Value::constant(0x1004),
            Value { origin: Origin::Register(GP), offset: 0x20 },
            Value { origin: Origin::Register(9), offset: 0 },
            Value { origin: Origin::Computed(0x10, 15), offset: 8 },
            Value { origin: Origin::Register(SP), offset: 16 },
        ];
        assert!(!at.differs(at, 4) && !at.differs(beside, 8) && !beside.differs(at, 8));
        assert!(at.differs(beside, 4) && beside.differs(at, 4));
        assert!(!at.differs(unknown, 4) && !unknown.differs(other_unknown, 4));
        assert!(unknown.differs(unknown.plus(8), 4) && !unknown.differs(unknown.plus(-3), 4));
        assert!(at.differs(frame, 4) && frame.differs(global, 4) && !frame.differs(unknown, 4));
        assert!(!at.differs(global, 4) && !global.differs(global, 4));
    }
}
