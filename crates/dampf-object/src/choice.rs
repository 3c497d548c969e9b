//! Values that a program may be given, of which each is tried: choices, and functions that return any value of a type.

use crate::atomics::truncated;
use crate::machine::Machine;
use crate::premise::Premise;
use crate::run_end::RunEnd;
use crate::step::Next;
use dampf_rv::machine::Hart;

/// A choice among more values than this is not explored.
const CHOICES_MAX: u64 = 1 << 16;

/// How many values of a large type are tried.
pub const SAMPLES: u32 = 8;

const RA: usize = 1;

impl Machine<'_> {
    /// The number of values that a choice from a range has.
    pub fn choices(&self, [least, greatest]: [u64; 2]) -> Result<u32, RunEnd> {
        let (least, greatest) = (least as i64, greatest as i64);
        let count = greatest.checked_sub(least).map_or(u64::MAX, |last| last.wrapping_add(1) as u64);
        match count {
            1..=CHOICES_MAX => Ok(count as u32),
            // No value at all: nothing can happen from here on.
            _ if greatest < least => Err(RunEnd::Pruned),
            _ => {
                let what =
                    format!("a choice among {count} values (at most {CHOICES_MAX} can be tried; narrow it with RANGE)");
                let call = self.threads.register(self.threads.running, RA).wrapping_sub(2);
                Err(RunEnd::from(self.system.program.unsupported(what, call)))
            }
        }
    }

    /// Returns one of the few values that are tried of a type with more.
    pub fn choose_sample(&mut self, hart: &Hart, value: u64) -> Next {
        let name = self.system.program.function_at(hart.pc).to_owned();
        self.step.unsupported =
            Some(format!("all values of `{name}`: only a few were tried (RANGE in dampf.h tries all of a range)"));
        self.premises.note(Premise::Samples { function: name });
        Next::Return(value)
    }
}

/// The choice of a value of a type that has too many, as a user reads it.
pub fn sample_told(way: u32, bits: u8, signed: bool) -> String {
    let value = sample(way, bits, signed);
    let value = if signed { (value as i64).to_string() } else { truncated(value, bits / 8).to_string() };
    format!("chooses {value}")
}

/// A value of a type that has too many: small ones, and the ends.
pub fn sample(way: u32, bits: u8, signed: bool) -> u64 {
    let greatest = if signed { (1u64 << (bits - 1)) - 1 } else { u64::MAX >> (64 - bits) };
    let value = match way {
        0..5 => u64::from(way),
        5 => greatest,
        6 if signed => u64::MAX,
        6 => greatest / 2 + 1,
        _ if signed => !greatest,
        _ => greatest - 1,
    };
    // Values of 32 bits are sign-extended in registers, whatever their type.
    if bits == 32 { value as u32 as i32 as u64 } else { value }
}
