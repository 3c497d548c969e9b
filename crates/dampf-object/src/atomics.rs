//! The compiler's atomic operations.

use crate::history::Order;
use crate::machine::Machine;
use crate::premise::Premise;
use crate::run_end::RunEnd;
use crate::side_access::MemoryAccess;
use crate::step::Next;
use dampf_rv::machine::{self, Hart};

const RA: usize = 1;
const A0: usize = 10;
const A1: usize = 11;
const A2: usize = 12;

/// What an atomic operation does with the value of its variable, and with its operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Atomic {
    Load,
    Store,
    Exchange,
    Add,
    Sub,
    And,
    Or,
    Xor,
    Nand,
}

impl Machine<'_> {
    /// An atomic operation as the compiler asks for it, but for comparing.
    pub fn atomic_operation(&mut self, atomic: Atomic, bytes: u8, hart: &Hart) -> Result<Next, RunEnd> {
        let (address, operand) = (hart.x[A0], hart.x[A1]);
        let order = if atomic == Atomic::Load { operand } else { hart.x[A2] };
        self.note_orders(&[order]);
        let access = MemoryAccess { address, bytes: bytes.into(), writes: atomic != Atomic::Load };
        self.order_atomic(access, atomic != Atomic::Store, Order::of(order))?;
        self.check_aligned(address, u64::from(bytes))?;
        if atomic == Atomic::Store {
            self.store_checked(address, operand, usize::from(bytes))?;
            return Ok(Next::Return(0));
        }
        // One operation, though it may read and write: the grant is used up by the first access.
        let granted = self.step.granted;
        let old = self.load_checked(address, usize::from(bytes))?;
        let new = match atomic {
            Atomic::Load => return Ok(Next::Return(extended(old, bytes))),
            Atomic::Store | Atomic::Exchange => operand,
            Atomic::Add => old.wrapping_add(operand),
            Atomic::Sub => old.wrapping_sub(operand),
            Atomic::And => old & operand,
            Atomic::Or => old | operand,
            Atomic::Xor => old ^ operand,
            Atomic::Nand => !(old & operand),
        };
        self.step.granted = granted;
        self.store_checked(address, new, usize::from(bytes))?;
        Ok(Next::Return(extended(old, bytes)))
    }

    /// Takes note of the memory orders that an operation asks for, in the last registers of its arguments.
    pub fn note_orders(&mut self, orders: &[u64]) {
        const SEQUENTIALLY_CONSISTENT: u64 = 5;
        // The upper bits are for the hardware's transactions.
        if orders.iter().any(|order| order & 0xf != SEQUENTIALLY_CONSISTENT) {
            self.premises.note(Premise::SequentialConsistency);
            if self.checks_races() && !self.system.may_have_history() {
                self.premises.note(Premise::OrdersAll);
            }
        }
    }

    /// Compares a variable, and exchanges it or not: the last two arguments say how either orders memory.
    fn order_exchange(&mut self, access: MemoryAccess, hart: &Hart) -> Result<(), RunEnd> {
        let order = if access.writes { hart.x[A0 + 3] } else { hart.x[A0 + 4] };
        self.order_atomic(access, true, Order::of(order))
    }

    /// In how many ways a weak exchange can happen: it may fail although the expected value is there.
    pub fn ways_to_exchange(&self, [address, expected]: [u64; 2], bytes: u8) -> u32 {
        let value = |address: u64| self.memory.peek_value(address, usize::from(bytes));
        if value(address) == value(expected) { 2 } else { 1 }
    }

    /// Exchanges a value if it is the one that is expected in memory; otherwise the value goes there. One that `fails`
    /// does not exchange in any case.
    pub fn compare_exchange(&mut self, bytes: u8, hart: &Hart, fails: bool) -> Result<Next, RunEnd> {
        self.note_orders(&[hart.x[A0 + 3], hart.x[A0 + 4]]);
        let (address, expected) = (hart.x[A0], hart.x[A1]);
        let size = usize::from(bytes);
        self.check_aligned(address, u64::from(bytes))?;
        let granted = self.step.granted;
        let old = self.load_checked(address, size)?;
        self.step.granted = granted;
        let exchanges = !fails && self.memory.peek_value(expected, size) == old;
        self.order_exchange(MemoryAccess { address, bytes: bytes.into(), writes: exchanges }, hart)?;
        if !exchanges {
            self.store_checked(expected, old, size)?;
            self.step.granted = false;
            return Ok(Next::Return(0));
        }
        self.store_checked(address, hart.x[A2], size)?;
        Ok(Next::Return(1))
    }

    /// How a weak exchange is told that goes a way.
    pub fn told_weak_exchange(&self, hart: &Hart, way: u32) -> String {
        let place = self.place_name(hart.x[A0]);
        match way {
            0 => format!("compares and exchanges {place}"),
            _ => format!("compares and exchanges {place}, which fails though the expected value is there"),
        }
    }

    /// Exchanges a value if it is the one that is expected.
    pub fn compare_value(&mut self, bytes: u8, hart: &Hart) -> Result<Next, RunEnd> {
        self.note_orders(&[hart.x[A0 + 3], hart.x[A0 + 4]]);
        let (address, expected) = (hart.x[A0], hart.x[A1]);
        self.check_aligned(address, u64::from(bytes))?;
        let granted = self.step.granted;
        let old = self.load_checked(address, usize::from(bytes))?;
        let exchanges = old == truncated(expected, bytes);
        self.order_exchange(MemoryAccess { address, bytes: bytes.into(), writes: exchanges }, hart)?;
        if exchanges {
            self.step.granted = granted;
            self.store_checked(address, hart.x[A2], usize::from(bytes))?;
        }
        Ok(Next::Return(extended(old, bytes)))
    }

    /// The address and size of the atomic load that clang's code is about to announce, if it is one.
    pub fn announced_load(&self, hart: &Hart) -> Option<(u64, u8)> {
        let program = &self.system.program;
        let bytes = program.hook(hart.pc)?.atomic_load()?;
        program.is_clang_code(hart.x[RA]).then_some((hart.x[A0], bytes))
    }

    /// Goes past the copy of an atomic load. clang replaces other atomic operations by their announcements, but leaves
    /// an announced load in the code as well, as a plain one whose value nobody uses. It stands behind the call before
    /// any other, reads the same bytes, and is taken as a part of the operation: by itself it would be a step, and a
    /// race.
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
            self.step.granted = is_copy;
            let stepped = machine::step(hart, code, self);
            self.step.granted = false;
            // What stops here has not happened, and is met again in the usual way.
            if is_copy || stepped.is_err() {
                return;
            }
            self.instructions += 1;
        }
    }
}

/// The lowest bytes of a value.
pub fn truncated(value: u64, bytes: u8) -> u64 {
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
