//! Which bytes of a stack are no variable's.
//!
//! Compilers are asked for AddressSanitizer's view of local variables, though not for its checks: every access is seen
//! on the machine. A function leaves room around each variable whose address it takes, and tells so in the shadow of
//! its frame, eight bytes at a time: nothing of them may be accessed, or only the first few. It tells when a variable's
//! block is left, too, and takes everything back when it returns. Accesses are valid only where the shadow allows them.
//!
//! The shadow is its thread's own, and lies in the tree of the stack that it is about. A store to it is no access of
//! the program's: nobody else can notice it, but what was translated of the stack is stale then.
//!
//! Functions that are left all at once, by an exception or `longjmp`, take nothing back. So all of the stack counts as
//! valid from there on, as it does for AddressSanitizer, until functions tell otherwise again.

use crate::faults::short_name;
use crate::layout::{GRANULE_BYTES, Region, STACK_BYTES, is_shadow, is_stack_bits, shadow_of, shadowed_by};
use crate::machine::Machine;
use crate::memory::Memory;
use dampf_core::FaultKind;
use dampf_rv::memory::LINE_BYTES;
use std::ops::Range;

/// What the shadow says of eight bytes that a variable's block has been left.
const OUT_OF_SCOPE: u8 = 0xf8;
/// What it says of the bytes where a frame begins.
const FRAME_START: u8 = 0xf1;
/// What the first word of a frame is. A text about its variables and the function's address follow.
pub const FRAME_MAGIC: u64 = 0x41b5_8ab3;

/// The bytes of a line that the shadow's word about it allows to be accessed, as a mask.
fn allowed(shadow: u64) -> u64 {
    let of_granule = |(number, &byte): (usize, &u8)| {
        let mask: u64 = match byte {
            0 => 0xff,
            1..8 => (1 << byte) - 1,
            _ => 0,
        };
        mask << (GRANULE_BYTES as usize * number)
    };
    shadow.to_le_bytes().iter().enumerate().map(of_granule).sum()
}

/// The bytes of a line of a stack, or of a stack's shadow, that count while the stack pointer has this value.
pub fn live_bytes(line: u64, sp: u64) -> u64 {
    if is_stack_bits(line) {
        return u64::MAX;
    }
    let dead = match is_shadow(line) {
        true => sp.saturating_sub(shadowed_by(line)) / GRANULE_BYTES,
        false => sp.saturating_sub(line),
    };
    if dead >= LINE_BYTES as u64 { 0 } else { u64::MAX << dead }
}

impl Memory<'_> {
    /// The bytes of a stack's line that its thread's functions let be accessed, as a mask.
    pub fn allowed_on_stack(&self, region: Region, line: u64) -> u64 {
        match self.shadow_word(region, line) {
            0 => u64::MAX,
            word => allowed(word),
        }
    }

    /// What the shadow says of the line of an address.
    fn shadow_word(&self, region: Region, address: u64) -> u64 {
        let place = shadow_of(address & !(LINE_BYTES as u64 - 1));
        let offset = (place % LINE_BYTES as u64) as usize;
        let bytes = &self.space.line(region, place).bytes()[offset..offset + 8];
        u64::from_le_bytes(bytes.try_into().expect("eight bytes"))
    }

    fn shadow_byte(&self, region: Region, address: u64) -> u8 {
        let place = shadow_of(address);
        self.space.line(region, place).bytes()[(place % LINE_BYTES as u64) as usize]
    }

    /// Writes what a function says of its frame.
    pub fn write_shadow(&mut self, region: Region, address: u64, bytes: &[u8]) {
        for (number, &byte) in bytes.iter().enumerate() {
            let place = address + number as u64;
            let line = self.space.line_mut(region, place);
            line.bytes_mut()[(place % LINE_BYTES as u64) as usize] = byte;
            self.space.forget_line(shadowed_by(place));
        }
        self.note_write(shadowed_by(address), GRANULE_BYTES * bytes.len() as u64);
    }

    /// Clears a part of a stack that was left, with its shadow. States that differ in it only are to look the same.
    pub fn clear_left(&mut self, region: Region, from: u64, to: u64) {
        let top = region.base(0);
        if from >= to || to > top || top - from > STACK_BYTES {
            return;
        }
        self.space.clear_bytes(region, from..to);
        self.clear_shadow(region, from, to);
    }

    /// Takes back what was said about a part of a stack.
    pub fn clear_shadow(&mut self, region: Region, from: u64, to: u64) {
        let mut place = shadow_of(from) & !(LINE_BYTES as u64 - 1);
        while place < shadow_of(to) {
            if self.space.line(region, place).bytes().iter().any(|&byte| byte != 0) {
                let (first, last) = (shadow_of(from).max(place), shadow_of(to).min(place + LINE_BYTES as u64));
                let line = self.space.line_mut(region, place).bytes_mut();
                line[(first - place) as usize..(last - place) as usize].fill(0);
            }
            place += LINE_BYTES as u64;
        }
        self.forget_translations();
    }
}

/// A variable of a frame, as the compiler describes it.
#[derive(PartialEq, Eq, Debug)]
pub struct FrameVariable<'a> {
    pub offset: u64,
    pub size: u64,
    name: &'a str,
}

/// A variable in a frame that is there.
pub struct LocalVariable {
    /// Where its function begins.
    pub function: u64,
    pub name: String,
    pub place: Range<u64>,
}

/// Reads a text like `2 48 16 3 x:7 80 40 1 y`: how many variables there are, and for each its offset, its size, how
/// long its name is, and the name with its line.
pub fn frame_variables(text: &str) -> Vec<FrameVariable<'_>> {
    let mut rest = text.split_once(' ').map_or("", |(_, rest)| rest);
    let mut variables = Vec::new();
    let number = |rest: &mut &str| {
        let (word, behind) = rest.split_once(' ')?;
        *rest = behind;
        word.parse::<u64>().ok()
    };
    while let (Some(offset), Some(size), Some(length)) = (number(&mut rest), number(&mut rest), number(&mut rest)) {
        let Some((name, behind)) = rest.split_at_checked(length as usize) else { break };
        variables.push(FrameVariable { offset, size, name: name.split(':').next().unwrap_or(name) });
        rest = behind.trim_start();
    }
    variables
}

/// How an access lies to the end of a variable.
pub fn beside(name: &str, end: u64, address: u64, bytes: u64) -> String {
    match address.checked_sub(end) {
        Some(1) => format!("1 byte behind the end of {name}"),
        Some(distance) => format!("{distance} bytes behind the end of {name}"),
        None if address + bytes > end => format!("that reaches beyond the end of {name}"),
        None => format!("before the start of {name}"),
    }
}

impl Machine<'_> {
    /// The running thread leaves functions all at once: they take nothing back of what they have said.
    pub fn forget_frames(&mut self, sp: u64) {
        let region = Region::Stack(self.threads.running);
        self.memory.clear_shadow(region, sp, region.base(0));
    }

    /// What is wrong with an access to a stack that its thread's functions do not allow; none if they do.
    pub fn bad_local_access(&self, region: Region, address: u64, bytes: u64) -> Option<(FaultKind, String)> {
        let refused = (address..address + bytes).find(|&byte| {
            let in_line = byte % LINE_BYTES as u64;
            self.memory.allowed_on_stack(region, byte - in_line) >> in_line & 1 == 0
        })?;
        let variable = self.local_variable_near(region, refused);
        let told = variable.map(|variable| (self.told_variable(&variable), variable.place.end));
        if self.memory.shadow_byte(region, refused) == OUT_OF_SCOPE {
            let name = told.map_or("a local variable".to_owned(), |(name, _)| name);
            return Some((FaultKind::UseAfterScope, format!("to {name}, whose block was left")));
        }
        let place = told.map_or("between local variables".to_owned(), |(name, end)| beside(&name, end, address, bytes));
        Some((FaultKind::VariableOverflow, place))
    }

    fn told_variable(&self, variable: &LocalVariable) -> String {
        let function = dampf_rv::image::demangle(self.system.program.function_at(variable.function));
        format!("local variable `{}` ({})", variable.name, short_name(&function))
    }

    /// The variable that an address lies in, as its function describes it.
    pub fn local_variable_at(&self, region: Region, address: u64) -> Option<LocalVariable> {
        self.local_variable_near(region, address).filter(|variable| variable.place.contains(&address))
    }

    /// The variable of the next frame below that an address lies in, or is nearest to.
    fn local_variable_near(&self, region: Region, address: u64) -> Option<LocalVariable> {
        let mut base = address & !(GRANULE_BYTES - 1);
        while self.memory.shadow_byte(region, base) != FRAME_START {
            base -= GRANULE_BYTES;
            if Region::of(base, self.slots()) != Some(region) {
                return None;
            }
        }
        while self.memory.shadow_byte(region, base - GRANULE_BYTES) == FRAME_START {
            base -= GRANULE_BYTES;
        }
        if self.memory.peek_long(base) != FRAME_MAGIC {
            return None;
        }
        let text = self.memory.peek_string(self.memory.peek_long(base + 8));
        let distance = |variable: &FrameVariable<'_>| {
            let (start, end) = (base + variable.offset, base + variable.offset + variable.size);
            if address < start { start - address } else { (address + 1).saturating_sub(end) }
        };
        let variables = frame_variables(&text);
        let variable = variables.iter().min_by_key(|variable| distance(variable))?;
        let start = base + variable.offset;
        let function = self.memory.peek_long(base + 16);
        Some(LocalVariable { function, name: variable.name.to_owned(), place: start..start + variable.size })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shadows_allow_bytes() {
        assert_eq!(allowed(0), u64::MAX);
        assert_eq!(allowed(0xf1), !0xff);
        assert_eq!(allowed(0x0400_0000_0000_00f8), 0x0fff_ffff_ffff_ff00);
    }

    #[test]
    fn what_lies_below_the_stack_pointer_is_dead() {
        let line = Region::Stack(1).base(0) - 512;
        assert_eq!(live_bytes(line, line), u64::MAX);
        assert_eq!(live_bytes(line, line + 8), u64::MAX << 8);
        assert_eq!(live_bytes(line, line + 64), 0);
        assert_eq!(live_bytes(shadow_of(line), line + 64), u64::MAX << 8);
        assert_eq!(live_bytes(shadow_of(line), line + 512), 0);
    }

    #[test]
    fn frames_are_described() {
        let x = FrameVariable { offset: 48, size: 16, name: "x" };
        let long = FrameVariable { offset: 80, size: 4, name: "a b" };
        assert_eq!(frame_variables("2 48 16 3 x:7 80 4 3 a b"), [x, long]);
        assert_eq!(frame_variables("1 48"), []);
    }
}
