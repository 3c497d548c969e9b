//! Which parts of a function's frame it can still read.
//!
//! Code that is compiled without optimisation keeps every variable and every intermediate value in its frame, long
//! after their last use. Values that will be overwritten before they are read differ between runs for no reason that
//! matters, like registers (`liveness.rs`), and are cleared like them so that states meet.
//!
//! A *slot* is a part of the frame that the function itself accesses by constant offsets, and whose address nobody
//! else can have:
//! - Counted from the frame pointer: no such address escapes from the function at all. Variables whose address is taken
//!   lie elsewhere, since the compiler keeps them apart; in a function where they do not, nothing is a slot.
//! - Counted from the aligned pointer: it lies in a variable that the compiler describes, and no address of this
//!   variable escapes. A pointer to one variable never leads to another, for there is room between them that must not
//!   be accessed.
//! - The function never accesses it by the stack pointer: arguments of calls and saved registers are for others.
//!
//! A slot is dead where every way through the function writes all of it before it reads any of it. Ways through the
//! function include landing pads of exceptions. A function that calls another which returns twice has no slots.

mod arguments;
mod counters;
mod values;

use crate::program::Program;
use crate::shadow::{FRAME_MAGIC, frame_variables};
use counters::TryCounter;
use dampf_rv::debug::{CallerRule, LandingPad};
use dampf_rv::decode::{Instruction, RegisterSet};
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;
use values::{Base, FrameAccess, FrameValues, FunctionCode, is_call};

pub use values::Alignment;

/// Larger tables of slots by instructions are not worth their time.
const TABLE_MAX: usize = 1 << 22;

/// A part of a frame, counted from the stack pointer at the function's first instruction, or from the aligned pointer.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Slot {
    base: Base,
    place: Range<i64>,
}

/// A function's frame where a thread stands in the function, or in a call that the function has made.
#[derive(Debug)]
pub struct StandingFrame {
    /// Where the frame pointer leads to, counted from the stack pointer at the function's first instruction.
    frame_pointer: i64,
    alignment: Option<Alignment>,
    dead: Vec<Slot>,
    /// Counters of tries in whose loops the thread is.
    counters: Vec<Slot>,
}

impl StandingFrame {
    /// Where the slots are that nobody will read, in a frame with this frame pointer.
    pub fn dead_places(&self, frame_pointer: u64) -> impl Iterator<Item = Range<u64>> {
        self.places(&self.dead, frame_pointer)
    }

    /// Where the counters are that count the tries of loops in which the thread is.
    pub fn counters(&self, frame_pointer: u64) -> impl Iterator<Item = Range<u64>> {
        self.places(&self.counters, frame_pointer)
    }

    fn places(&self, slots: &[Slot], frame_pointer: u64) -> impl Iterator<Item = Range<u64>> {
        let first = frame_pointer.wrapping_add_signed(-self.frame_pointer);
        let aligned =
            self.alignment.map_or(0, |Alignment { offset, mask }| first.wrapping_add_signed(offset) & mask as u64);
        slots.iter().map(move |slot| {
            let base = if slot.base == Base::Aligned { aligned } else { first };
            base.wrapping_add_signed(slot.place.start)..base.wrapping_add_signed(slot.place.end)
        })
    }
}

/// What was found out about a function.
struct FunctionFrame {
    frame_pointer: i64,
    alignment: Option<Alignment>,
    slots: Vec<Slot>,
    /// By address of an instruction where the function has its frame: the slots that may be read before it, and those
    /// that may be read after it.
    live: HashMap<u64, [Live; 2]>,
    counters: Vec<TryCounter>,
}

/// A set of slots, by number.
type Live = Arc<[u64]>;

/// What was found out about functions, and about places where threads stood.
#[derive(Default)]
pub struct FrameSlots {
    functions: HashMap<u64, Option<Arc<FunctionFrame>>>,
    at: HashMap<u64, Option<Arc<StandingFrame>>>,
    in_call: HashMap<u64, Option<Arc<StandingFrame>>>,
    rules: HashMap<u64, Option<CallerRule>>,
}

/// What an analysis asks about a program.
pub struct Knowledge<'a> {
    pub program: &'a Program,
    /// The registers that may still be read before an instruction.
    pub live_registers: &'a mut dyn FnMut(u64) -> RegisterSet,
    /// A text of the program's constants.
    pub text: &'a dyn Fn(u64) -> String,
}

impl FrameSlots {
    /// The frame of a function in which a thread stands before an instruction.
    pub fn at(&mut self, knowledge: &mut Knowledge, pc: u64) -> Option<Arc<StandingFrame>> {
        if let Some(found) = self.at.get(&pc) {
            return found.clone();
        }
        let standing = self.function(knowledge, pc).and_then(|function| function.standing(pc, 0));
        self.at.insert(pc, standing.clone());
        standing
    }

    /// The frame of a function in which a thread is in a call that will return to an address.
    pub fn in_call(&mut self, knowledge: &mut Knowledge, address: u64) -> Option<Arc<StandingFrame>> {
        if let Some(found) = self.in_call.get(&address) {
            return found.clone();
        }
        // A call is two or four bytes long, and what comes behind it may be another function.
        let code = &knowledge.program.code;
        let is_call_of = |length: u64| {
            let instruction = code.at(address.wrapping_sub(length));
            instruction.is_some_and(|instruction| is_call(&instruction) && u64::from(instruction.length) == length)
        };
        let length = [4, 2].into_iter().find(|&length| is_call_of(length));
        let standing = length.and_then(|length| {
            let call = address - length;
            self.function(knowledge, call)?.standing(call, 1)
        });
        self.in_call.insert(address, standing.clone());
        standing
    }

    /// How the caller of a function is found where a thread is at an address.
    pub fn caller_rule(&mut self, program: &Program, pc: u64) -> Option<CallerRule> {
        *self.rules.entry(pc).or_insert_with(|| program.debug.caller_rule(pc))
    }

    fn function(&mut self, knowledge: &mut Knowledge, pc: u64) -> Option<Arc<FunctionFrame>> {
        let range = crate::liveness::function_at(knowledge.program, pc)?;
        if let Some(found) = self.functions.get(&range.start) {
            return found.clone();
        }
        let function = FunctionFrame::of(knowledge, range.clone()).map(Arc::new);
        self.functions.insert(range.start, function.clone());
        function
    }
}

impl FunctionFrame {
    fn of(knowledge: &mut Knowledge, range: Range<u64>) -> Option<FunctionFrame> {
        let program = knowledge.program;
        let instructions = instructions_of(program, &range)?;
        let landing_pads: Vec<LandingPad> = program.debug.landing_pads(range.start)?;
        let live_registers: HashMap<u64, RegisterSet> =
            instructions.iter().map(|&(pc, _)| (pc, (knowledge.live_registers)(pc))).collect();
        let code = FunctionCode { instructions: &instructions, landing_pads: &landing_pads };
        let values = values::analyse(&code, &|pc| live_registers[&pc])?;
        // Code that nothing leads to is reached in a way that is not seen: by a jump out of another function.
        let is_reached = |&(pc, _): &(u64, Instruction)| values.has_frame.contains_key(&pc);
        if !instructions.iter().all(is_reached) || values.callees.values().any(|&callee| returns_twice(program, callee))
        {
            return None;
        }
        let slots = slots_of(&values, knowledge.text);
        if slots.is_empty() || slots.len() * instructions.len() > TABLE_MAX {
            return None;
        }
        let live = live_slots(&code, &values, &slots);
        let (frame_pointer, alignment) = (values.frame_pointer, values.alignment);
        let function = FunctionFrame { frame_pointer, alignment, slots, live, counters: Vec::new() };
        let counters = function.counters(program, &code, &values);
        Some(FunctionFrame { counters, ..function })
    }

    fn counters(&self, program: &Program, code: &FunctionCode, values: &FrameValues) -> Vec<TryCounter> {
        let function = counters::Function {
            code,
            accesses: &slot_accesses(values, &self.slots),
            callees: &values.callees,
            never_returns: &|callee| reports_undefined(program, callee),
            read_by: &|callee| arguments::arguments_read(program, callee),
            slot_bytes: &|slot| self.slots[slot].place.end - self.slots[slot].place.start,
            is_live: &|slot, pc| self.live.get(&pc).is_none_or(|[before, _]| before[slot / 64] >> (slot % 64) & 1 == 1),
        };
        function.counters(self.slots.len())
    }

    fn standing(&self, pc: u64, when: usize) -> Option<Arc<StandingFrame>> {
        let live = &self.live.get(&pc)?[when];
        let is_dead = |number: usize| live[number / 64] >> (number % 64) & 1 == 0;
        let dead = self.slots.iter().enumerate().filter(|(number, _)| is_dead(*number));
        let counters = self.counters.iter().filter(|counter| counter.code.contains(&pc));
        Some(Arc::new(StandingFrame {
            frame_pointer: self.frame_pointer,
            alignment: self.alignment,
            dead: dead.map(|(_, slot)| slot.clone()).collect(),
            counters: counters.map(|counter| self.slots[counter.slot].clone()).collect(),
        }))
    }
}

/// The code of a function; none if a part of it is none.
fn instructions_of(program: &Program, range: &Range<u64>) -> Option<Vec<(u64, Instruction)>> {
    let mut instructions = Vec::new();
    let mut pc = range.start;
    while pc < range.end {
        let instruction = program.code.at(pc)?;
        instructions.push((pc, instruction));
        pc += u64::from(instruction.length);
    }
    Some(instructions)
}

/// Whether a function may come back to its caller again, when the caller has gone on already.
fn returns_twice(program: &Program, function: u64) -> bool {
    let mut names = program.image.symbols_at(function).map(|symbol| symbol.name.as_str());
    names.any(|name| ["setjmp", "context", "vfork"].iter().any(|part| name.contains(part)))
}

/// Whether a function reports an undefined operation, which ends the run.
fn reports_undefined(program: &Program, function: u64) -> bool {
    let mut names = program.image.symbols_at(function).map(|symbol| symbol.name.as_str());
    names.any(|name| name.starts_with("__ubsan_handle_") && name.ends_with("_abort"))
}

/// The slots of a function: what it accesses, in pieces that do not overlap, but for what others may access.
fn slots_of(values: &FrameValues, text: &dyn Fn(u64) -> String) -> Vec<Slot> {
    let variables = hidden_variables(values, text);
    let of_others: Vec<Range<i64>> =
        values.accesses.iter().filter(|access| access.base == Base::Stack).map(FrameAccess::place).collect();
    let is_slot = |slot: &Slot| match slot.base {
        Base::Stack => false,
        Base::Frame => {
            let overlaps = |other: &Range<i64>| other.start < slot.place.end && slot.place.start < other.end;
            // What lies above the first stack pointer is the caller's.
            !values.frame_escapes && slot.place.end <= 0 && !of_others.iter().any(overlaps)
        }
        Base::Aligned => {
            variables.iter().any(|variable| variable.start <= slot.place.start && slot.place.end <= variable.end)
        }
    };
    let accesses = values.accesses.iter().map(|access| Slot { base: access.base, place: access.place() });
    let mut accesses: Vec<Slot> = accesses.collect();
    accesses.sort_by_key(|slot| (slot.base, slot.place.start));
    let mut slots: Vec<Slot> = Vec::new();
    for access in accesses {
        match slots.last_mut() {
            Some(last) if last.base == access.base && access.place.start < last.place.end => {
                last.place.end = last.place.end.max(access.place.end);
            }
            _ => slots.push(access),
        }
    }
    slots.retain(is_slot);
    slots
}

impl FrameAccess {
    fn place(&self) -> Range<i64> {
        self.offset..self.offset + self.bytes
    }
}

/// The variables that the compiler keeps apart and describes, of those whose address nobody has; counted from the
/// aligned pointer.
fn hidden_variables(values: &FrameValues, text: &dyn Fn(u64) -> String) -> Vec<Range<i64>> {
    let constant = |place: i64| {
        let found = values.constants.iter().find(|&&(base, offset, _)| base == Base::Aligned && offset == place);
        found.map(|&(_, _, value)| value)
    };
    let is_start = |&&(base, _, value): &&(Base, i64, i64)| base == Base::Aligned && value == FRAME_MAGIC as i64;
    let Some(&(_, start, _)) = values.constants.iter().find(is_start) else { return Vec::new() };
    let Some(description) = constant(start + 8) else { return Vec::new() };
    let description = text(description as u64);
    let variables = frame_variables(&description).into_iter().map(|variable| {
        let place = start + variable.offset as i64;
        place..place + variable.size as i64
    });
    let mut variables: Vec<(Range<i64>, bool)> = variables.map(|place| (place, true)).collect();
    for &escape in &values.aligned_escapes {
        // An address right behind a variable is still that variable's.
        match variables.iter_mut().find(|(place, _)| place.start <= escape && escape <= place.end) {
            Some((_, is_hidden)) => *is_hidden = false,
            None => return Vec::new(),
        }
    }
    variables.into_iter().filter(|(_, is_hidden)| *is_hidden).map(|(place, _)| place).collect()
}

/// The accesses of a function to slots, each with its slot, by the addresses of the instructions.
fn slot_accesses<'a>(values: &'a FrameValues, slots: &[Slot]) -> HashMap<u64, (usize, &'a FrameAccess)> {
    let slot_of = |access: &FrameAccess| {
        slots.iter().position(|slot| slot.base == access.base && slot.place.contains(&access.offset))
    };
    values.accesses.iter().filter_map(|access| Some((access.pc, (slot_of(access)?, access)))).collect()
}

/// Backwards through the function until nothing changes: the slots that may be read before each instruction, and after
/// it.
fn live_slots(code: &FunctionCode, values: &FrameValues, slots: &[Slot]) -> HashMap<u64, [Live; 2]> {
    let words = slots.len().div_ceil(64);
    let accesses = slot_accesses(values, slots);
    let count = code.instructions.len();
    let successors: Vec<Vec<usize>> =
        (0..count).map(|position| code.successors(position).unwrap_or_default()).collect();
    let mut before = vec![0u64; count * words];
    let mut after = vec![0u64; count * words];
    loop {
        let mut changed = false;
        for position in (0..count).rev() {
            let pc = code.instructions[position].0;
            let access = accesses.get(&pc);
            for word in 0..words {
                let at = position * words + word;
                let union = successors[position].iter().fold(0, |set, next| set | before[next * words + word]);
                let mut now = union;
                if let Some(&(slot, access)) = access.filter(|(slot, _)| slot / 64 == word) {
                    let bit = 1 << (slot % 64);
                    match access.writes {
                        false => now |= bit,
                        true if access.place() == slots[slot].place => now &= !bit,
                        true => {}
                    }
                }
                changed |= before[at] != now || after[at] != union;
                (before[at], after[at]) = (now, union);
            }
        }
        if !changed {
            break;
        }
    }
    let set = |all: &[u64], position: usize| Live::from(&all[position * words..(position + 1) * words]);
    let standing = code.instructions.iter().enumerate().filter(|(_, (pc, _))| values.has_frame.get(pc) == Some(&true));
    standing.map(|(position, &(pc, _))| (pc, [set(&before, position), set(&after, position)])).collect()
}
