//! Annotations: choices, assumptions, assertions, atomic sections, locked variables; and the compiler's atomic operations.

use crate::hooks::{Atomic, Hook};
use crate::locked::LockedVariable;
use crate::machine::Machine;
use crate::step::Next;
use crate::trouble::RunEnd;
use dampf_core::FaultKind;
use dampf_rv::machine::{self, Hart};

/// A choice among more values than this is not explored.
const CHOICES_MAX: u64 = 1 << 16;

const RA: usize = 1;
const A0: usize = 10;

impl Machine<'_> {
    /// The number of values that a choice has.
    pub fn choices(&self, hook: Hook, [least, greatest]: [u64; 2]) -> Result<u32, RunEnd> {
        let (least, greatest) = (least as i64, greatest as i64);
        let count = match hook {
            Hook::Nondeterministic(bits, _) => 1u64 << bits,
            Hook::Sampled(..) => SAMPLES,
            _ => greatest.checked_sub(least).map_or(u64::MAX, |last| last.wrapping_add(1) as u64),
        };
        match count {
            1..=CHOICES_MAX => Ok(count as u32),
            _ if hook == Hook::Choose && greatest < least => {
                // No value at all: nothing can happen from here on.
                Err(RunEnd::Pruned)
            }
            _ => {
                let what =
                    format!("a choice among {count} values (at most {CHOICES_MAX} can be tried; narrow it with RANGE)");
                Err(RunEnd::from(self.system.program.unsupported(what, self.register(self.running, 1).wrapping_sub(2))))
            }
        }
    }

    pub fn choose(&mut self, hook: Hook, hart: &Hart, way: u32) -> Next {
        match hook {
            Hook::Nondeterministic(8, true) => Next::Return(way as u8 as i8 as u64),
            Hook::Nondeterministic(..) => Next::Return(u64::from(way)),
            Hook::Sampled(bits, signed) => {
                let name = self.system.program.function_at(hart.pc);
                self.gap = Some(format!(
                    "all values of `{name}`: only a few were tried (RANGE in dampf.h tries all of a range)"
                ));
                Next::Return(sample(way, bits, signed))
            }
            _ => Next::Return(hart.x[A0].wrapping_add(u64::from(way))),
        }
    }

    pub fn annotation(&mut self, hook: Hook, hart: &Hart) -> Result<Next, RunEnd> {
        match hook {
            Hook::Assume if hart.x[A0] as u32 == 0 => Err(RunEnd::Pruned),
            Hook::Assume => Ok(Next::Return(0)),
            Hook::VerifierAssert if hart.x[A0] as u32 == 0 => {
                Err(RunEnd::fault(FaultKind::Assertion, "__VERIFIER_assert does not hold"))
            }
            Hook::VerifierAssert => Ok(Next::Return(0)),
            Hook::ReachError => Err(RunEnd::fault(FaultKind::Assertion, "reach_error is reached")),
            Hook::AssertFail => {
                let expression = self.peek_string(hart.x[A0]);
                Err(RunEnd::fault(FaultKind::Assertion, format!("assertion `{expression}` does not hold")))
            }
            Hook::BeginAtomic | Hook::EnterAtomic => {
                let thread = self.thread_mut();
                thread.atomic = thread.atomic.saturating_add(1);
                self.section_began = true;
                self.space.forget();
                Ok(if hook == Hook::EnterAtomic { Next::Run } else { Next::Return(0) })
            }
            Hook::EndAtomic | Hook::LeaveAtomic => {
                let thread = self.thread_mut();
                thread.atomic = thread.atomic.saturating_sub(1);
                // What was visible within the section has happened; what follows is another step.
                self.granted = false;
                self.space.forget();
                Ok(if hook == Hook::LeaveAtomic { Next::Run } else { Next::Return(0) })
            }
            Hook::LockVariable => self.lock_variable(hart),
            _ => self.unlock_variable(hart),
        }
    }

    fn lock_variable(&mut self, hart: &Hart) -> Result<Next, RunEnd> {
        let locked = LockedVariable { address: hart.x[A0], bytes: hart.x[A0 + 1].max(1), owner: self.running };
        // Others may not access it from now on, which is as if it were written.
        self.is_visible(locked.address, locked.bytes, true)?;
        // The owner runs, so its words are written anew.
        self.locked.lock(locked);
        self.space.forget();
        Ok(Next::Return(0))
    }

    /// Whether a variable can be locked: no other thread has.
    pub fn can_lock_variable(&self, [address, bytes]: [u64; 2], slot: u32) -> bool {
        self.locked.of_others(address, bytes.max(1), slot).is_none()
    }

    fn unlock_variable(&mut self, hart: &Hart) -> Result<Next, RunEnd> {
        let (address, owner) = (hart.x[A0], self.running);
        if !self.locked.unlock(address, owner) {
            let (me, place) = (self.thread_name(owner), self.place_name(address));
            return Err(RunEnd::fault(
                FaultKind::PrivilegeViolation,
                format!("{me} unlocks {place}, which it has not locked"),
            ));
        }
        self.space.forget();
        Ok(Next::Return(0))
    }

    /// An atomic operation as the compiler asks for it.
    pub fn atomic_operation(&mut self, atomic: Atomic, bytes: u8, hart: &Hart) -> Result<Next, RunEnd> {
        let (address, operand) = (hart.x[A0], hart.x[A0 + 1]);
        let size = usize::from(bytes);
        self.check_aligned(address, u64::from(bytes))?;
        // One operation, though it may read and write: the grant is used up by the first access.
        let granted = self.granted;
        let old = self.load_checked(address, size)?;
        let new = match atomic {
            Atomic::Load => return Ok(Next::Return(extended(old, bytes))),
            Atomic::Store | Atomic::Exchange => operand,
            Atomic::Add => old.wrapping_add(operand),
            Atomic::Sub => old.wrapping_sub(operand),
            Atomic::And => old & operand,
            Atomic::Or => old | operand,
            Atomic::Xor => old ^ operand,
            Atomic::Nand => !(old & operand),
            Atomic::CompareExchange => {
                self.granted = granted;
                let expected = self.peek_value(operand, size);
                if expected != old {
                    self.store_checked(operand, old, size)?;
                    self.granted = false;
                    return Ok(Next::Return(0));
                }
                self.granted = granted;
                self.store_checked(address, hart.x[A0 + 2], size)?;
                return Ok(Next::Return(1));
            }
            Atomic::CompareValue => {
                if old == truncated(operand, bytes) {
                    self.granted = granted;
                    self.store_checked(address, hart.x[A0 + 2], size)?;
                }
                return Ok(Next::Return(extended(old, bytes)));
            }
        };
        self.granted = granted;
        self.store_checked(address, new, size)?;
        Ok(Next::Return(if atomic == Atomic::Store { 0 } else { extended(old, bytes) }))
    }

    /// The address and size of the atomic load that clang's code is about to announce, if it is one.
    pub fn announced_load(&self, hart: &Hart) -> Option<(u64, u8)> {
        let program = &self.system.program;
        match program.hook(hart.pc) {
            Some(Hook::Atomic(Atomic::Load, bytes)) if program.is_clang_code(hart.x[RA]) => Some((hart.x[A0], bytes)),
            _ => None,
        }
    }

    /// Goes past the copy of an atomic load. clang replaces other atomic operations by their announcements, but leaves an
    /// announced load in the code as well, as a plain one whose value nobody uses. It stands behind the call before any other, reads
    /// the same bytes, and is taken as a part of the operation: by itself it would be a step, and a race.
    pub fn pass_copy(&mut self, hart: &mut Hart, address: u64, bytes: u8) {
        const INSTRUCTIONS_MAX: usize = 32;
        let system = self.system;
        let code = &system.program.code;
        for _ in 0..INSTRUCTIONS_MAX {
            let Some(instruction) = code.at(hart.pc).filter(|instruction| !instruction.transfers_control()) else {
                return;
            };
            let is_copy = instruction.memory_access().is_some_and(|access| {
                let accessed = hart.x[usize::from(access.base)].wrapping_add(access.offset as i64 as u64);
                !access.writes && access.bytes == bytes && accessed == address
            });
            self.granted = is_copy;
            let stepped = machine::step(hart, code, self);
            self.granted = false;
            // What stops here has not happened, and is met again in the usual way.
            if is_copy || stepped.is_err() {
                return;
            }
            self.instructions += 1;
        }
    }

    pub fn peek_value(&self, address: u64, bytes: usize) -> u64 {
        let mut value = [0; 8];
        self.peek(address, &mut value[..bytes]);
        u64::from_le_bytes(value)
    }
}

/// How many values of a large type are tried.
const SAMPLES: u64 = 8;

/// A value of a type that has too many, as a user reads it.
pub fn sample_told(way: u32, bits: u8, signed: bool) -> String {
    let value = sample(way, bits, signed);
    if signed { (value as i64).to_string() } else { truncated(value, bits / 8).to_string() }
}

/// A value of a type that has too many: small ones, and the ends.
fn sample(way: u32, bits: u8, signed: bool) -> u64 {
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

fn truncated(value: u64, bytes: u8) -> u64 {
    if bytes == 8 { value } else { value & ((1 << (8 * bytes)) - 1) }
}

/// Values of up to 32 bits are sign-extended in registers, as the calling convention wants it for `int`.
fn extended(value: u64, bytes: u8) -> u64 {
    match bytes {
        1 => value as u8 as u64,
        2 => value as u16 as u64,
        4 => value as u32 as i32 as u64,
        _ => value,
    }
}
