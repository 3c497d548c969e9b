//! What an address is called, and the type of the value there: a variable or a part of it, by the debug information.

use crate::faults::short_name;
use crate::layout::Region;
use crate::library_words::{has_telling_value, library_words};
use crate::machine::Machine;
use crate::shadow::LocalVariable;
use dampf_rv::debug::{Place, Registers, TypeId};

const STACK_POINTER: usize = 2;
/// Frames of a call stack in which names of local variables are looked for.
const FRAMES_MAX: usize = 32;
/// Values longer than this are cut.
const VALUE_MAX: usize = 120;

/// The name of an address.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NamedPlace {
    pub name: String,
    /// The type of the value that begins there, where it is known.
    pub value: Option<TypeId>,
}

/// What people call a part of an object of the standard library.
pub struct LibraryName {
    /// What to write after the name of the whole to name the object.
    path: String,
    /// What to write around that.
    words: &'static str,
    value: Option<TypeId>,
}

impl LibraryName {
    /// The name of the part in an object.
    pub fn of(self, name: &str) -> NamedPlace {
        NamedPlace { name: self.words.replace("{}", &joined(name, &self.path)), value: self.value }
    }
}

/// The name of a part of something, which may be called by several words.
pub fn joined(name: &str, path: &str) -> String {
    let is_phrase = ["element ", "an element ", "the "].iter().any(|start| name.starts_with(start));
    if is_phrase && !path.is_empty() { format!("({name}){path}") } else { format!("{name}{path}") }
}

impl Machine<'_> {
    /// The name of an address, with the type of the value there.
    pub fn named_place(&self, address: u64) -> NamedPlace {
        self.typed_place(address).unwrap_or_else(|| NamedPlace { name: self.place_name(address), value: None })
    }

    fn typed_place(&self, address: u64) -> Option<NamedPlace> {
        let program = &self.system.program;
        if program.line(address).is_some() {
            let variable = program.debug.global_at(address)?;
            return Some(self.part_of(&variable.name, variable.ty, address - variable.address));
        }
        match Region::of(address, self.slots())? {
            Region::Stack(slot) => self.local_place(slot, address),
            Region::Shared(_) | Region::Private(_) => self.pointed_place(address),
            Region::Tls(slot) => self.thread_local_place(slot, address),
            // The C library places the first thread's own variables behind the others.
            Region::Break => self.thread_local_place(0, address),
            Region::Globals | Region::Maps | Region::LibraryHeap => None,
        }
    }

    /// The part at an offset of an object that has a name.
    pub fn part_of(&self, name: &str, ty: TypeId, offset: u64) -> NamedPlace {
        if let Some(part) = self.part_name(ty, offset) {
            return part.of(name);
        }
        let (path, value) = self.system.program.debug.path_and_type(ty, offset);
        NamedPlace { name: joined(name, &path), value }
    }

    /// What people call a part of an object of the standard library, for which it has a name that only itself knows.
    pub fn part_name(&self, ty: TypeId, offset: u64) -> Option<LibraryName> {
        let debug = &self.system.program.debug;
        let (path, named) = debug.path_and_type(ty, offset);
        if named.is_some() {
            return None;
        }
        let part = debug.library_part(ty, offset)?;
        let words = library_words(&part.members)?;
        Some(LibraryName { path, words, value: part.value.filter(|_| has_telling_value(words)) })
    }

    /// The text of the value of a type at an address, if an access of so many bytes is to the whole of it.
    pub fn value_at(&self, ty: Option<TypeId>, address: u64, bytes: u64) -> Option<String> {
        let debug = &self.system.program.debug;
        let ty = ty.filter(|&ty| debug.size_of(ty) == bytes)?;
        let mut value = vec![0; bytes as usize];
        self.memory.peek(address, &mut value).then(|| cut(&debug.render(ty, &value)))
    }

    fn thread_local_place(&self, slot: u32, address: u64) -> Option<NamedPlace> {
        const THREAD_POINTER: usize = 4;
        let offset = address.checked_sub(self.threads.register(slot, THREAD_POINTER))?;
        let variable = self.system.program.debug.thread_local_at(offset)?;
        let NamedPlace { name, value } = self.part_of(&variable.name, variable.ty, offset - variable.address);
        Some(NamedPlace { name: format!("{name} of {}", self.thread_name(slot)), value })
    }

    /// The local variable at an address of a thread's stack: `function::variable`. None for a thread that is running
    /// just now, whose registers are elsewhere.
    fn local_place(&self, slot: u32, address: u64) -> Option<NamedPlace> {
        let debug = &self.system.program.debug;
        let hart = self.threads.peek_hart(slot)?;
        let memory = |address: u64, out: &mut [u8]| self.memory.peek(address, out);
        // Where functions describe their frames themselves, compilers may place variables relative to any register.
        let described = self.local_variable_at(Region::Stack(slot), address);
        for registers in self.call_frames(&hart).iter().take(FRAMES_MAX) {
            for local in debug.locals(registers.pc) {
                let is_described = |variable: &&LocalVariable| {
                    let function = |pc: u64| self.system.program.function_at(pc);
                    variable.name == local.name && function(variable.function) == function(registers.pc)
                };
                let start = match described.as_ref().filter(is_described) {
                    Some(variable) => variable.place.start,
                    None => match debug.read_local(&local, registers, &memory) {
                        Some(Place::Address(start)) => start,
                        _ => continue,
                    },
                };
                let offset = address.wrapping_sub(start);
                if offset < debug.size_of(local.ty) {
                    let frames = debug.frames(registers.pc);
                    let function = frames.get(local.frame as usize).map_or("", |frame| short_name(&frame.function));
                    let separator = if function.is_empty() { "" } else { "::" };
                    return Some(self.part_of(&format!("{function}{separator}{}", local.name), local.ty, offset));
                }
            }
        }
        None
    }

    /// The name of what is at an address of a thread's stack: a local variable, or else whose frame it lies in.
    pub fn local_name(&self, slot: u32, address: u64) -> Option<String> {
        if let Some(place) = self.local_place(slot, address) {
            return Some(place.name);
        }
        let hart = self.threads.peek_hart(slot)?;
        let mut frames = self.call_frames(&hart);
        frames.truncate(FRAMES_MAX);
        // A frame reaches up to where its caller's begins.
        let below = |frame: &&Registers| frame.get(STACK_POINTER).is_some_and(|start| start <= address);
        let outermost = frames.iter().skip(1).take_while(below).count();
        let within = outermost + 1 < frames.len() && frames[0].get(STACK_POINTER).is_some_and(|start| start <= address);
        let function = self.function_name(frames[outermost].pc);
        within.then(|| format!("{address:#x} in the frame of {function} of {}", self.thread_name(slot)))
    }
}

/// The end of a text that is not too long for a trail.
pub fn cut_before(text: &str) -> String {
    match text.char_indices().rev().nth(VALUE_MAX - 1) {
        Some((at, _)) if at > 0 => format!("…{}", &text[at..]),
        _ => text.to_owned(),
    }
}

/// The beginning of a text that is not too long for a trail.
pub fn cut(text: &str) -> String {
    match text.char_indices().nth(VALUE_MAX) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}
