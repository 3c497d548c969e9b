//! What the debug information (DWARF) says about a program: lines, functions, variables, types, call stacks.
//!
//! It answers questions for people: which line is this, what is this address called, what are the values. Loading only
//! finds the units of the program; everything else is read when first asked for and then kept, so that a program with
//! much debug information starts as fast as one without. A file without debug information, or with damaged
//! information, is not an error: every question then has the answer "unknown".
//!
//! Invariant: addresses at this boundary are those of the running program; inside, they are those of the file.

mod contents;
mod entry_values;
mod evaluate;
mod globals;
mod landing_pads;
mod library;
mod lines;
mod names;
mod parts;
mod paths;
mod reader;
mod render;
mod scopes;
mod types;
mod units;
mod unwind;
mod values;

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock};

use object::LittleEndian;
use object::elf::{PF_X, PT_LOAD};
use object::read::elf::ProgramHeader as _;

pub use globals::Variable;
pub use landing_pads::LandingPad;
pub use library::{Container, ContainerKind, LibraryPart};
pub use parts::{Part, Pointer};
pub use types::TypeId;
pub use unwind::CallerRule;
pub use values::ValueKind;

use crate::image::Elf;
use evaluate::{Evaluator, Stopped};
use globals::DataSymbols;
use render::Painter;
use scopes::Location;
use units::{UnitEntry, Units};
use unwind::CallFrames;

const FILE_HEADER_SIZE: u64 = 64;
const LINE_STARTS_MAX: usize = 8_000_000;

/// Reads memory of the stopped program: fills the buffer from an address, or says that it cannot.
pub type Memory<'a> = &'a dyn Fn(u64, &mut [u8]) -> bool;

/// A function on the call stack and where it is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Frame {
    /// With namespaces, without parameters; empty where only the line is known.
    pub function: String,
    /// As the compiler wrote it, relative to where it ran if the file lies below.
    pub file: String,
    /// Lines and columns count from 1; 0 is unknown.
    pub line: u32,
    pub column: u32,
}

impl Frame {
    /// Whether the place is in a header of the compiler or the system: not what the user wrote.
    pub fn is_in_system_header(&self) -> bool {
        is_system_header(&self.file)
    }
}

/// Whether a file is a header of the compiler or the system.
pub fn is_system_header(file: &str) -> bool {
    let system = ["/usr/include/", "/usr/lib/", "/usr/riscv64-linux-gnu/include/"];
    file.contains("/include/c++/") || system.iter().any(|directory| file.starts_with(directory))
}

/// A parameter or variable in scope.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Local {
    pub name: String,
    pub ty: TypeId,
    pub parameter: bool,
    /// The line of its declaration, 0 if unknown. A variable declared further down has no value yet.
    pub line: u32,
    /// Which of [`DebugInfo::frames`] it belongs to: 0 is the innermost.
    pub frame: u32,
    unit: usize,
    function: usize,
    location: Location,
}

/// Where a variable is, or what it is where it has no place in memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Place {
    Address(u64),
    Value(Vec<u8>),
}

/// The registers of a stopped processor. Those of a caller, reconstructed from its stack, are not all known.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Registers {
    pub pc: u64,
    /// The integer registers, then the floating-point ones.
    values: [u64; 64],
    /// A bit for every register that is known.
    known: u64,
}

impl Registers {
    pub fn new(pc: u64, integer: &[u64; 32], float: &[u64; 32]) -> Registers {
        let mut values = [0; 64];
        values[..32].copy_from_slice(integer);
        values[32..].copy_from_slice(float);
        Registers { pc, values, known: u64::MAX }
    }

    /// The value of a register, if it is known: 0 to 31 are the integer registers, 32 to 63 the floating-point ones.
    pub fn get(&self, number: usize) -> Option<u64> {
        let value = *self.values.get(number)?;
        (self.known >> number & 1 == 1).then_some(value)
    }

    fn set(&mut self, number: usize, value: Option<u64>) {
        if number == 0 || number >= self.values.len() {
            return;
        }
        self.values[number] = value.unwrap_or(0);
        self.known = self.known & !(1 << number) | u64::from(value.is_some()) << number;
    }

    /// Forgets the registers that a called function may overwrite: all but zero, the stack, global and thread pointers
    /// and the saved registers s0 to s11 and fs0 to fs11.
    fn forget_scratch(&mut self) {
        const SAVED: u64 = 1 << 8 | 1 << 9 | 0x3ff << 18;
        self.known &= 0b11101 | SAVED | SAVED << 32;
    }
}

/// The pointers in objects, by their types and sizes.
type PointersByType = HashMap<(TypeId, u64), Arc<[Pointer]>>;
/// The containers in objects, by their types and sizes.
type ContainersByType = HashMap<(TypeId, u64), Arc<[Container]>>;

/// The debug information of one program.
pub struct DebugInfo {
    units: Units,
    frames: CallFrames,
    symbols: DataSymbols,
    load_bias: u64,
    user_code: Vec<Range<u64>>,
    clang_code: Vec<Range<u64>>,
    globals: OnceLock<Vec<Variable>>,
    /// The pointers in objects of the types and sizes that somebody has asked for.
    pointers: Mutex<PointersByType>,
    containers: Mutex<ContainersByType>,
}

impl DebugInfo {
    /// Reads the debug information of an ELF file that runs at `load_bias` beyond its own addresses.
    pub fn load(bytes: &[u8], load_bias: u64) -> DebugInfo {
        let elf = Elf::parse(bytes).ok();
        let headers = elf.as_ref().and_then(|elf| elf.program_headers().ok()).unwrap_or_default();
        let mut code = Vec::new();
        let mut memory = Vec::new();
        for header in headers.iter().filter(|header| header.p_type(LittleEndian) == PT_LOAD) {
            let start = header.p_vaddr(LittleEndian);
            let Some(end) = start.checked_add(header.p_memsz(LittleEndian)) else { continue };
            // Code that the linker threw away keeps address zero, where a relocatable program has its file header.
            let start = start.max(FILE_HEADER_SIZE);
            if header.p_flags(LittleEndian).contains(PF_X) {
                code.push(start..end);
            }
            memory.push(start..end);
        }
        let units = Units::load(elf.as_ref(), code.clone(), memory);
        let frames = CallFrames::load(elf.as_ref(), code);
        let symbols = DataSymbols::new(elf.map(|elf| elf.symbols()).unwrap_or_default());
        let user_code = code_of(units.list.iter(), load_bias);
        let clang_code = code_of(units.list.iter().filter(|unit| unit.by_clang), load_bias);
        let (globals, pointers, containers) = (OnceLock::new(), Mutex::default(), Mutex::default());
        DebugInfo { units, frames, symbols, load_bias, user_code, clang_code, globals, pointers, containers }
    }

    /// Whether there is any debug information.
    pub fn is_empty(&self) -> bool {
        self.units.list.is_empty()
    }

    /// The functions at an address, innermost inlined one first. Empty where nothing is known.
    pub fn frames(&self, pc: u64) -> Vec<Frame> {
        self.units.reader().frames(pc.wrapping_sub(self.load_bias))
    }

    /// The file and line where the lambda begins whose code is at an address.
    pub fn lambda_at(&self, pc: u64) -> Option<(String, u32)> {
        self.units.reader().lambda_at(pc.wrapping_sub(self.load_bias))
    }

    /// Sorted disjoint ranges of the code that has debug information: the user's own, for the libraries have none.
    pub fn user_code(&self) -> &[Range<u64>] {
        &self.user_code
    }

    /// Whether a source file, named with or without its directories, is one that is described.
    pub fn describes_file(&self, path: &str) -> bool {
        let name = path.rsplit('/').next();
        self.units.list.iter().any(|unit| unit.file.as_deref() == name)
    }

    /// The part of it that clang compiled.
    pub fn clang_code(&self) -> &[Range<u64>] {
        &self.clang_code
    }

    /// Sorted addresses at which another source line begins.
    pub fn line_starts(&self) -> Vec<u64> {
        let reader = self.units.reader();
        let mut starts = Vec::new();
        for (index, unit) in self.units.list.iter().enumerate() {
            // Many units of a damaged file may claim one long table.
            if unit.ranges.is_empty() || starts.len() > LINE_STARTS_MAX {
                continue;
            }
            let lines = reader.lines(index);
            starts
                .extend(lines.iter().flat_map(|lines| lines.starts()).map(|start| start.wrapping_add(self.load_bias)));
        }
        starts.sort_unstable();
        starts.dedup();
        starts
    }

    /// The variables with a fixed place, static ones of functions and classes too: first those with an address, sorted
    /// by it, then the thread-local ones, sorted by their offset.
    pub fn globals(&self) -> &[Variable] {
        self.globals.get_or_init(|| {
            let mut variables = globals::collect(&self.units, &self.symbols);
            for variable in variables.iter_mut().filter(|variable| !variable.thread_local) {
                variable.address = variable.address.wrapping_add(self.load_bias);
            }
            variables
        })
    }

    /// Sorted disjoint ranges of the variables with an address that are declared volatile, and of such parts of others.
    pub fn volatile_parts(&self) -> Vec<Range<u64>> {
        let mut ranges = Vec::new();
        for variable in self.globals().iter().filter(|variable| !variable.thread_local) {
            let reader = self.units.reader();
            reader.visit_parts(variable.ty.0, variable.size, |part| {
                let is_volatile = reader.is_volatile(part.ty.0);
                if is_volatile {
                    let start = variable.address.wrapping_add(part.offset);
                    ranges.push(start..start.saturating_add(part.bytes));
                }
                !is_volatile
            });
        }
        merged(ranges)
    }

    /// The variable that holds an address.
    pub fn global_at(&self, address: u64) -> Option<&Variable> {
        self.variable_at(address, false)
    }

    /// The thread-local variable that holds an offset in a thread's block.
    pub fn thread_local_at(&self, offset: u64) -> Option<&Variable> {
        self.variable_at(offset, true)
    }

    fn variable_at(&self, address: u64, thread_local: bool) -> Option<&Variable> {
        let globals = self.globals();
        let after =
            globals.partition_point(|variable| (variable.thread_local, variable.address) <= (thread_local, address));
        let near = globals[..after].iter().rev().take(8).take_while(|variable| variable.thread_local == thread_local);
        near.filter(|variable| address - variable.address < variable.size.max(1)).last()
    }

    /// The name of an address within a variable, by its type: `fork_[2]`, `queue.slots[3].value`.
    pub fn name_address(&self, address: u64) -> Option<String> {
        let variable = self.global_at(address)?;
        Some(format!("{}{}", variable.name, self.path(variable.ty, address - variable.address)))
    }

    /// The name of an offset in a thread's block.
    pub fn name_thread_local(&self, offset: u64) -> Option<String> {
        let variable = self.thread_local_at(offset)?;
        Some(format!("{}{}", variable.name, self.path(variable.ty, offset - variable.address)))
    }

    /// What to write after the name of an object of a type to name the part of it at an offset: `.slots[3].value`.
    pub fn path(&self, ty: TypeId, offset: u64) -> String {
        self.units.reader().path(ty.0, offset)
    }

    /// The same, and the type of the value that begins there, if it is one.
    pub fn path_and_type(&self, ty: TypeId, offset: u64) -> (String, Option<TypeId>) {
        let (path, value) = self.units.reader().path_and_type(ty.0, offset);
        (path, value.map(TypeId))
    }

    /// Calls `visitor` with an object of so many bytes and its parts, from the outside to the inside, as long as it
    /// says that it wants to see what is inside.
    pub fn visit_parts(&self, ty: TypeId, bytes: u64, visitor: impl FnMut(Part<'_>) -> bool) {
        self.units.reader().visit_parts(ty.0, bytes, visitor);
    }

    /// The pointers in an object of a type and of so many bytes that point to something of a known type.
    pub fn pointers(&self, ty: TypeId, bytes: u64) -> Arc<[Pointer]> {
        let mut known = self.pointers.lock().expect("nothing panics under this lock");
        known.entry((ty, bytes)).or_insert_with(|| self.units.reader().pointers(ty.0, bytes).into()).clone()
    }

    /// The containers of the standard library in an object of a type and of so many bytes.
    pub fn containers(&self, ty: TypeId, bytes: u64) -> Arc<[Container]> {
        let mut known = self.containers.lock().expect("nothing panics under this lock");
        known.entry((ty, bytes)).or_insert_with(|| self.units.reader().containers(ty.0, bytes).into()).clone()
    }

    /// The part of an object at an offset, if it is behind a name that only the standard library knows.
    pub fn library_part(&self, ty: TypeId, offset: u64) -> Option<LibraryPart> {
        self.units.reader().library_part(ty.0, offset)
    }

    /// The member of a name in a record or in its members and bases, with its type and its offset in the whole.
    pub fn member_named(&self, ty: TypeId, name: &str) -> Option<(TypeId, u64)> {
        let (ty, offset) = self.units.reader().member_named(ty.0, name, 0)?;
        Some((TypeId(ty), offset))
    }

    /// The member of a record that covers an offset, whatever its name: that, its type, and where it begins.
    pub fn member_at(&self, ty: TypeId, offset: u64) -> Option<(String, TypeId, u64)> {
        self.units.reader().member_at(ty.0, offset)
    }

    /// The parameters and variables in scope at an address, innermost first.
    pub fn locals(&self, pc: u64) -> Vec<Local> {
        self.units.reader().locals(pc.wrapping_sub(self.load_bias))
    }

    /// Finds a variable that [`locals`](Self::locals) named, for the program counter it was asked with. None where
    /// the compiler does not keep it.
    pub fn read_local(&self, local: &Local, registers: &Registers, memory: Memory) -> Option<Place> {
        let reader = self.units.reader();
        let expression = match &local.location {
            Location::Expression(expression) => expression,
            Location::Constant(value) => return Some(Place::Value(value.clone())),
            Location::Nowhere => return None,
        };
        let stopped = Stopped { registers, memory, bias: self.load_bias, frames: &self.frames };
        let pc = registers.pc.wrapping_sub(self.load_bias);
        let function = reader.entry(local.function)?;
        let frame_base = reader.expression_at(&function, gimli::DW_AT_frame_base, pc).flatten();
        let unit = reader.unit(local.unit)?;
        let evaluator = Evaluator { reader: &reader, unit, stopped, function: local.function, frame_base, nesting: 0 };
        evaluator.place(expression, reader.size_of(local.ty.0))
    }

    /// A value as text: `7`, `'a'`, `0x55d0`, `{head = 0, slots = {1, 2, 3}}`. Bytes that are missing show as `?`.
    pub fn render(&self, ty: TypeId, bytes: &[u8]) -> String {
        Painter::paint(&self.units.reader(), ty.0, bytes)
    }

    /// The size of a type in bytes, 0 if unknown.
    pub fn size_of(&self, ty: TypeId) -> u64 {
        self.units.reader().size_of(ty.0)
    }

    /// A type as it is written in a program.
    pub fn type_name(&self, ty: TypeId) -> String {
        self.units.reader().type_name(Some(ty.0))
    }

    /// The integer register without which the call stack of a thread that stands at an address cannot be found.
    pub fn frame_register(&self, pc: u64) -> Option<u8> {
        let register = self.frames.frame_register(pc.wrapping_sub(self.load_bias))?;
        u8::try_from(register).ok().filter(|&register| register < 32)
    }

    /// The registers whose values nobody needs during a call at an address but the code behind the call: the function
    /// has saved its caller's on the stack, and handles no exceptions. A bit for each, the integer registers first;
    /// none where nothing is known.
    pub fn saved_registers(&self, pc: u64) -> u64 {
        self.frames.saved_registers(pc.wrapping_sub(self.load_bias))
    }

    /// How the caller of a function is found where a thread is at an address, if two registers are enough for that.
    pub fn caller_rule(&self, pc: u64) -> Option<CallerRule> {
        self.frames.caller_rule(pc.wrapping_sub(self.load_bias))
    }

    /// Where exceptions that leave a call lead to in the function at an address; none where that is not known.
    pub fn landing_pads(&self, pc: u64) -> Option<Vec<LandingPad>> {
        let mut pads = self.frames.landing_pads(pc.wrapping_sub(self.load_bias))?;
        for LandingPad { calls, pad } in &mut pads {
            *calls = calls.start.wrapping_add(self.load_bias)..calls.end.wrapping_add(self.load_bias);
            *pad = pad.wrapping_add(self.load_bias);
        }
        Some(pads)
    }

    /// Where the description of the function at an address is in the program's memory, and where the function begins.
    pub fn description_address(&self, pc: u64) -> Option<(u64, u64)> {
        let (description, start) = self.frames.description_address(pc.wrapping_sub(self.load_bias))?;
        Some((description.wrapping_add(self.load_bias), start.wrapping_add(self.load_bias)))
    }

    /// The call stack: for every caller, innermost first, an address within its call instruction, ready for
    /// [`frames`](Self::frames). Ends quietly where it cannot go on.
    pub fn unwind(&self, registers: &Registers, memory: Memory) -> Vec<u64> {
        self.callers(registers, memory).iter().map(|caller| caller.pc).collect()
    }

    /// Like [`unwind`](Self::unwind), with the callers' registers, for [`read_local`](Self::read_local).
    pub fn callers(&self, registers: &Registers, memory: Memory) -> Vec<Registers> {
        self.frames.callers(registers, memory, self.load_bias)
    }
}

/// The ranges of units, merged.
fn code_of<'a>(units: impl Iterator<Item = &'a UnitEntry>, bias: u64) -> Vec<Range<u64>> {
    let ranges = merged(units.flat_map(|unit| unit.ranges.iter().cloned()).collect());
    ranges.into_iter().map(|range| range.start.wrapping_add(bias)..range.end.wrapping_add(bias)).collect()
}

/// The same addresses in sorted, disjoint ranges.
fn merged(mut ranges: Vec<Range<u64>>) -> Vec<Range<u64>> {
    ranges.sort_by_key(|range| (range.start, range.end));
    let mut merged: Vec<Range<u64>> = Vec::new();
    for range in ranges {
        match merged.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => merged.push(range),
        }
    }
    merged
}
