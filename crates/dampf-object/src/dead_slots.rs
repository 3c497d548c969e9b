//! Clears what a standing thread has in its frames and will not read: see `frame_slots.rs` for what that is.
//!
//! The frames that have to be looked at are those of functions that ran in this step. A function that ran and then made
//! a call has made it in this step, and the callee has saved its return address since; where that was not written in
//! this step, all callers stand as they stood before.

use crate::frame_slots::{Knowledge, StandingFrame};
use crate::layout::Region;
use crate::machine::Machine;
use dampf_rv::machine::Hart;
use dampf_rv::memory::LINE_BYTES;
use std::sync::Arc;

const RA: usize = 1;
const SP: usize = 2;
const FRAME_POINTER: usize = 8;
/// Deeper recursion is left alone: no state is wrong for it.
const FRAMES_MAX: usize = 64;

/// A function that a standing thread is in, with what it takes to find its caller.
pub struct Visited {
    /// Where the thread is in the function, within the call if it is in one.
    pub pc: u64,
    pub is_in_call: bool,
    pub sp: u64,
    pub frame_pointer: u64,
    return_address: u64,
}

impl Visited {
    fn new(hart: &Hart) -> Visited {
        let (sp, frame_pointer, return_address) = (hart.x[SP], hart.x[FRAME_POINTER], hart.x[RA]);
        Visited { pc: hart.pc, is_in_call: false, sp, frame_pointer, return_address }
    }

    /// Whether a return address counts that was saved at a place: it does, wherever it was.
    pub fn any(_: &Machine<'_>, _: Region, _: u64) -> bool {
        true
    }

    /// The same: it does if it was saved in this step.
    fn in_step(machine: &Machine<'_>, region: Region, place: u64) -> bool {
        machine.memory.space.is_written(region, place)
    }
}

impl Machine<'_> {
    /// Clears the dead slots of the frames that a thread has used in this step.
    pub fn clear_dead_slots(&mut self, slot: u32, hart: &Hart) {
        // A block that only a dead variable leads to is no leak yet.
        if self.system.options.leaks {
            return;
        }
        let mut visit = self.innermost(hart);
        for _ in 0..FRAMES_MAX {
            if let Some(frame) = self.standing_frame(visit.pc, visit.is_in_call) {
                self.clear_frame(Region::Stack(slot), &frame, &visit);
            }
            match self.calling_frame(Region::Stack(slot), &visit, Visited::in_step) {
                Some(caller) => visit = caller,
                None => return,
            }
        }
    }

    /// The innermost function with a frame that a thread with these registers is in.
    pub fn innermost(&self, hart: &Hart) -> Visited {
        let hook = self.system.program.hook(hart.pc);
        match hook.is_some_and(|hook| !hook.is_in_function()) {
            true => Visited { pc: hart.x[RA].wrapping_sub(1), is_in_call: true, ..Visited::new(hart) },
            false => Visited::new(hart),
        }
    }

    /// The caller of a function, if the return address that was saved in its frame counts.
    pub fn calling_frame(
        &mut self,
        region: Region,
        visited: &Visited,
        counts: impl Fn(&Self, Region, u64) -> bool,
    ) -> Option<Visited> {
        let rule = self.frames.caller_rule(&self.system.program, visited.pc)?;
        let base = match usize::from(rule.register) {
            SP => visited.sp,
            FRAME_POINTER => visited.frame_pointer,
            _ => return None,
        };
        let sp = base.wrapping_add_signed(rule.distance);
        // Only what a thread has just called may have no frame.
        if sp < visited.sp || sp == visited.sp && visited.is_in_call || sp > region.base(0) {
            return None;
        }
        let [return_address, frame_pointer] =
            rule.saved.map(|saved| saved.map(|distance| sp.wrapping_add_signed(distance)));
        let in_frame = |place: &u64| (visited.sp..sp).contains(place);
        if !return_address.iter().chain(&frame_pointer).all(in_frame) {
            return None;
        }
        let returns_to = match return_address {
            Some(place) if counts(self, region, place) => self.saved_long(region, place),
            None if !visited.is_in_call => visited.return_address,
            _ => return None,
        };
        let frame_pointer = frame_pointer.map_or(visited.frame_pointer, |place| self.saved_long(region, place));
        let pc = returns_to.checked_sub(1)?;
        Some(Visited { pc, is_in_call: true, sp, frame_pointer, return_address: 0 })
    }

    fn clear_frame(&mut self, region: Region, frame: &StandingFrame, visited: &Visited) {
        for place in frame.dead_places(visited.frame_pointer) {
            if visited.sp <= place.start && place.end <= region.base(0) {
                self.memory.space.clear_bytes(region, place);
            }
        }
    }

    /// What a function has saved in its frame. Nothing of the program reads it here, so nobody is told.
    fn saved_long(&self, region: Region, place: u64) -> u64 {
        let offset = (place % LINE_BYTES as u64) as usize;
        let bytes = self.memory.space.line(region, place).bytes().get(offset..offset + 8);
        bytes.map_or(0, |bytes| u64::from_le_bytes(bytes.try_into().expect("eight bytes")))
    }

    /// The frame of the function at an address, before the instruction there or in the call that it is in.
    pub fn standing_frame(&mut self, pc: u64, is_in_call: bool) -> Option<Arc<StandingFrame>> {
        let Machine { system, liveness, frames, memory, .. } = self;
        let program = &system.program;
        let mut knowledge = Knowledge {
            program,
            live_registers: &mut |pc| liveness.at(program, pc),
            text: &|address| memory.peek_string(address),
        };
        match is_in_call {
            true => frames.in_call(&mut knowledge, pc + 1),
            false => frames.at(&mut knowledge, pc),
        }
    }
}
