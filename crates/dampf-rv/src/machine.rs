//! The machine: one hart, run against a memory that somebody else provides.
//!
//! [`run`] executes predecoded [`Code`] until something happens that is not an instruction's business: a refused memory
//! access, a planted hook, a system call, an instruction that is none. What memory is, which accesses are allowed and
//! who else sees them is decided by a [`Bus`], which is compiled into the loop.
//!
//! Invariant: an instruction happens completely or not at all. Whenever [`run`] returns, `pc` is the address of the
//! first instruction that has not happened.

mod control;
mod execute;
mod float_operations;
mod integer;

use crate::decode::{Code, Entry, Slot};
use execute::{Leave, execute};

/// The registers of one hart.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Hart {
    /// The integer registers, and behind them a scrap register that takes the writes to `zero` while the machine runs.
    /// `x[0]` and the scrap register are zero whenever the machine does not run.
    pub x: [u64; Slot::SCRAP + 1],
    /// The floating-point registers. A single is boxed: its upper half is all ones.
    pub f: [u64; 32],
    pub pc: u64,
    /// The floating-point control register: accrued flags in bits 0 to 4, the dynamic rounding mode in bits 5 to 7.
    pub fcsr: u32,
    /// The address of the last `lr`, until an `sc` or until somebody else takes it away.
    pub reservation: Option<u64>,
}

impl Hart {
    /// A hart with all registers zero that starts at `pc`.
    pub fn new(pc: u64) -> Hart {
        Hart { x: [0; Slot::SCRAP + 1], f: [0; 32], pc, fcsr: 0, reservation: None }
    }

    #[inline(always)]
    fn read(&self, slot: Slot) -> u64 {
        debug_assert!(slot.index() < self.x.len());
        // SAFETY: a slot is at most `Slot::SCRAP`, and there are that many registers and one more.
        unsafe { *self.x.get_unchecked(slot.index()) }
    }

    #[inline(always)]
    fn write(&mut self, slot: Slot, value: u64) {
        debug_assert!(slot.index() < self.x.len());
        // SAFETY: as for `read`.
        unsafe { *self.x.get_unchecked_mut(slot.index()) = value }
    }

    #[inline(always)]
    fn read_float(&self, slot: Slot) -> u64 {
        self.f[slot.index() & 31]
    }

    #[inline(always)]
    fn write_float(&mut self, slot: Slot, value: u64) {
        self.f[slot.index() & 31] = value;
    }
}

/// What memory is to a hart.
///
/// Values are little endian and zero-extended; of a value to store, only the low `BYTES` bytes count. `BYTES` is 1, 2,
/// 4 or 8, and an address may be unaligned (a bus that minds says so by stopping). A refused access must have had no
/// effect: the instruction has not happened.
pub trait Bus {
    /// Why an access is refused.
    type Stop;

    fn load<const BYTES: usize>(&mut self, address: u64) -> Result<u64, Self::Stop>;

    fn store<const BYTES: usize>(&mut self, address: u64, value: u64) -> Result<(), Self::Stop>;

    /// A load by an instruction, with the stack pointer at that moment: for a bus that minds where the live stack ends.
    #[inline(always)]
    fn load_beside_stack<const BYTES: usize>(&mut self, address: u64, _stack_pointer: u64) -> Result<u64, Self::Stop> {
        self.load::<BYTES>(address)
    }

    /// A store by an instruction, likewise.
    #[inline(always)]
    fn store_beside_stack<const BYTES: usize>(
        &mut self,
        address: u64,
        value: u64,
        _stack_pointer: u64,
    ) -> Result<(), Self::Stop> {
        self.store::<BYTES>(address, value)
    }

    /// The load that makes a reservation. The hart remembers the address itself.
    fn load_reserved<const BYTES: usize>(&mut self, address: u64) -> Result<u64, Self::Stop> {
        self.load::<BYTES>(address)
    }

    /// The store that needs a reservation; `reserved` says whether the hart has one for this address. The answer says
    /// whether it was stored. The hart's reservation is gone afterwards in any case.
    fn store_conditional<const BYTES: usize>(
        &mut self,
        address: u64,
        value: u64,
        reserved: bool,
    ) -> Result<bool, Self::Stop> {
        if reserved {
            self.store::<BYTES>(address, value)?;
        }
        Ok(reserved)
    }

    /// Replaces a value and answers with the old one.
    fn amo<const BYTES: usize>(&mut self, address: u64, update: impl FnOnce(u64) -> u64) -> Result<u64, Self::Stop> {
        let old = self.load::<BYTES>(address)?;
        self.store::<BYTES>(address, update(old))?;
        Ok(old)
    }
}

/// Why the machine does not go on. `pc` is at the instruction in question.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Exit<S> {
    /// The bus refused an access.
    Stopped(S),
    /// A hook is planted here; [`step`] gets past it.
    Hook,
    Ecall,
    Ebreak,
    Illegal,
    /// There is no text at `pc`.
    NotCode,
    /// All instructions that were allowed have happened.
    Budget,
}

/// Runs until something happens, but at most `budget` instructions. Only instructions that happen are counted down.
pub fn run<B: Bus>(hart: &mut Hart, code: &Code, bus: &mut B, budget: &mut u64) -> Exit<B::Stop> {
    loop {
        if *budget == 0 {
            return Exit::Budget;
        }
        let Some((section, parcel)) = code.find(hart.pc) else { return Exit::NotCode };
        let first = section.entries()[parcel as usize];
        match execute(hart, section, parcel, first, bus, budget) {
            Leave::Exit(exit) => return exit,
            Leave::Elsewhere => {}
        }
    }
}

/// Executes the one instruction at `pc`, also where a hook is planted. An exit means that it has not happened; it is
/// neither [`Exit::Hook`] nor [`Exit::Budget`].
pub fn step<B: Bus>(hart: &mut Hart, code: &Code, bus: &mut B) -> Result<(), Exit<B::Stop>> {
    let Some((section, parcel)) = code.find(hart.pc) else { return Err(Exit::NotCode) };
    let Some(instruction) = section.instruction(parcel) else { return Err(Exit::NotCode) };
    match execute(hart, section, parcel, Entry::new(&instruction), bus, &mut 1) {
        Leave::Exit(Exit::Budget) | Leave::Elsewhere => Ok(()),
        Leave::Exit(exit) => Err(exit),
    }
}

#[cfg(test)]
mod tests;
