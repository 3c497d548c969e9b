//! What a block of the heap holds, by the pointers that lead to it: `list->head->key`, `items[2].id`.
//!
//! A block has no type of its own. But somebody has a pointer to it, and that has one: a variable of the function that
//! the thread is in, a global variable, or a member of an object that one of them leads to. They are followed breadth
//! first, so the shortest way there gives the name. Elements of containers are named by those (`containers.rs`). What
//! else the standard library keeps to itself has no names that anybody knows: a name that says only to whom it belongs
//! is taken if there is no other.
//!
//! This takes much longer than a step, so it is done only for what people are told about a trail, never in a search.

use crate::arena::Maker;
use crate::faults::short_name;
use crate::layout::Region;
use crate::machine::Machine;
use crate::places::{NamedPlace, joined};
use crate::program::is_users;
use crate::variables::is_librarys;
use dampf_rv::debug::{Place, Pointer, Registers, TypeId};
use std::collections::{HashSet, VecDeque};

/// Objects that are looked at on the way.
const OBJECTS_MAX: usize = 2000;
const OBJECT_BYTES_MAX: u64 = 1 << 16;
const FRAMES_MAX: usize = 16;
/// What compilers call the object of a lambda, and how the names of what it has captured begin.
const CLOSURE: &str = "__closure";
const CAPTURED: &str = "__";

/// Elements of one vector that are followed.
const ELEMENTS_MAX: u64 = 64;

/// An object of a known type.
pub struct Known {
    pub name: String,
    pub ty: TypeId,
    pub address: u64,
    pub bytes: u64,
    /// What it holds, where it is in registers and has no address.
    pub held: Option<Vec<u8>>,
    /// Whether it is what a container keeps to itself.
    pub is_kept: bool,
}

/// What is asked of an address.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// The name of the part of an object that is there.
    Part,
    /// The name of the block as a whole.
    Block,
    /// Whether somebody has a pointer to it, by any name.
    Anything,
}

/// The name of an address.
pub struct Pointed {
    pub place: NamedPlace,
    /// Whether it only says to whom the address belongs.
    pub is_vague: bool,
}

/// A stretch of the heap: a block, or none where an address lies in no block any more.
struct Extent {
    start: u64,
    end: u64,
    /// Whether there may be several objects in a row.
    may_be_array: bool,
}

impl Machine<'_> {
    /// The name of an address of the heap; only where it is for people.
    pub fn pointed_place(&self, address: u64) -> Option<NamedPlace> {
        if self.step.is_told { self.searched_place(address, Wanted::Part) } else { None }
    }

    /// The name of a block of the heap as a whole, on the same terms: `*head`.
    pub fn pointed_block(&self, address: u64) -> Option<String> {
        let place = if self.step.is_told { self.searched_place(address, Wanted::Block) } else { None };
        place.map(|place| place.name)
    }

    /// Looks for a pointer to an address, and names what it points to.
    fn searched_place(&self, address: u64, wanted: Wanted) -> Option<NamedPlace> {
        let near = self.locals_of(self.threads.running, true);
        let direct = near.iter().find_map(|known| self.pointed_from(known, address, wanted));
        let vague = match direct {
            Some(Pointed { place, is_vague: false }) => return Some(place),
            vague => vague.map(|vague| vague.place),
        };
        let mut open = self.known_globals();
        open.extend(near);
        open.extend(self.locals_of(self.threads.running, false));
        open.extend(self.other_slots().flat_map(|slot| self.locals_of(slot, false)));
        match self.reached_place(open.into(), address, wanted) {
            Some(Pointed { place, is_vague }) if !is_vague || vague.is_none() => Some(place),
            _ => vague,
        }
    }

    /// Whether a pointer to an address is in a global variable or in another thread's, or is reached from there.
    pub fn is_known_to_others(&self, address: u64) -> bool {
        let mut open = self.known_globals();
        for innermost in [true, false] {
            open.extend(self.other_slots().flat_map(|slot| self.locals_of(slot, innermost)));
        }
        self.reached_place(open.into(), address, Wanted::Anything).is_some()
    }

    fn other_slots(&self) -> impl Iterator<Item = u32> {
        let running = self.threads.running;
        self.threads.alive_slots().into_iter().filter(move |&slot| slot != running)
    }

    /// Looks for a pointer to an address in some objects, and in what they lead to.
    fn reached_place(&self, mut open: VecDeque<Known>, address: u64, wanted: Wanted) -> Option<Pointed> {
        let mut seen = HashSet::new();
        let mut vague = None;
        while let Some(known) = open.pop_front() {
            if seen.len() > OBJECTS_MAX {
                break;
            }
            match self.pointed_from(&known, address, wanted) {
                Some(found) if found.is_vague && wanted != Wanted::Anything => vague = vague.or(Some(found)),
                Some(found) => return Some(found),
                None => {}
            }
            let pointers = self.pointers_of(&known);
            let pointed = pointers.iter().flat_map(|pointer| self.followed(&known, pointer));
            let inside = self.objects_in_containers(&known);
            open.extend(pointed.chain(inside).filter(|next| seen.insert((next.address, next.ty))));
        }
        vague
    }

    fn pointer_value(&self, known: &Known, pointer: &Pointer) -> u64 {
        let Some(held) = &known.held else { return self.memory.peek_long(known.address.wrapping_add(pointer.offset)) };
        let bytes = usize::try_from(pointer.offset).ok().and_then(|offset| held.get(offset..offset + 8));
        bytes.map_or(0, |bytes| u64::from_le_bytes(bytes.try_into().expect("eight bytes")))
    }

    fn pointers_of(&self, known: &Known) -> Vec<Pointer> {
        self.system.program.debug.pointers(known.ty, known.bytes.min(OBJECT_BYTES_MAX)).to_vec()
    }

    /// The name of an address by a pointer in an object, or as an element of a container in it.
    fn pointed_from(&self, known: &Known, address: u64, wanted: Wanted) -> Option<Pointed> {
        if let Some(place) = self.element_place(known, address, wanted) {
            return Some(Pointed { place, is_vague: false });
        }
        let mut vague = None;
        for pointer in self.pointers_of(known).iter().filter(|pointer| !self.marks_end(known, pointer)) {
            let target = self.pointer_value(known, pointer);
            let Some(mut found) = self.pointed_by(known, pointer, target, address) else { continue };
            if wanted != Wanted::Part {
                found.place = NamedPlace { name: whole_name(known, pointer), value: None };
            }
            if !found.is_vague {
                return Some(found);
            }
            vague = vague.or(Some(found));
        }
        vague
    }

    /// Whether a pointer of a vector is not the one to its first element.
    fn marks_end(&self, known: &Known, pointer: &Pointer) -> bool {
        let member = || self.system.program.debug.library_part(known.ty, pointer.offset)?.members.pop();
        matches!(keeping(pointer.keeper.as_deref()), Keeping::Elements)
            && matches!(member().as_deref(), Some("_M_finish" | "_M_end_of_storage"))
    }

    /// The name of an address by a pointer whose value is `target`.
    fn pointed_by(&self, known: &Known, pointer: &Pointer, target: u64, address: u64) -> Option<Pointed> {
        if target > address {
            return None;
        }
        let extent = self.extent(target, pointer.target_bytes)?;
        let distance = address - target;
        if address >= extent.end || address < extent.start {
            return None;
        }
        let holder = joined(&known.name, &pointer.path);
        let is_kept = known.is_kept || pointer.target_is_librarys;
        let (index, offset) = (distance / pointer.target_bytes, distance % pointer.target_bytes);
        let precise = |place: NamedPlace| Some(Pointed { place, is_vague: false });
        match keeping(pointer.keeper.as_deref()) {
            _ if is_kept => {
                let inner = if distance < pointer.target_bytes { "what" } else { "an element that" };
                let place = NamedPlace { name: format!("{inner} {holder} keeps"), value: None };
                let part = self.part_name(pointer.target, offset).filter(|_| distance < pointer.target_bytes);
                let place = part.map_or(place, |part| part.of(&holder));
                Some(Pointed { place, is_vague: true })
            }
            Keeping::Elements => precise(self.part_of(&format!("{holder}[{index}]"), pointer.target, offset)),
            Keeping::Parts => {
                let place = self.part_of(&format!("an element of {holder}"), pointer.target, offset);
                Some(Pointed { place, is_vague: true })
            }
            Keeping::Object if distance < pointer.target_bytes => precise(self.part_behind(&holder, pointer, distance)),
            Keeping::Object if extent.may_be_array => {
                precise(self.part_of(&format!("{holder}[{index}]"), pointer.target, offset))
            }
            Keeping::Object => None,
        }
    }

    /// The part at an offset of what a pointer with a name points to.
    fn part_behind(&self, holder: &str, pointer: &Pointer, offset: u64) -> NamedPlace {
        let debug = &self.system.program.debug;
        if holder == CLOSURE
            && let Some((member, ty, start)) = debug.member_at(pointer.target, offset)
        {
            let captured = member.strip_prefix(CAPTURED).unwrap_or(&member);
            let NamedPlace { name, value } = self.part_of(captured, ty, offset - start);
            return NamedPlace { name: format!("captured {name}"), value };
        }
        if pointer.is_reference {
            return self.part_of(holder, pointer.target, offset);
        }
        if let Some(part) = self.part_name(pointer.target, offset) {
            return part.of(&format!("*{holder}"));
        }
        let NamedPlace { name, value } = self.part_of("", pointer.target, offset);
        let name = match name.strip_prefix('.') {
            Some(member) => format!("{holder}->{member}"),
            None if name.is_empty() => format!("*{holder}"),
            None => format!("(*{holder}){name}"),
        };
        NamedPlace { name, value }
    }

    /// The objects that a pointer leads to, with their names, if they are on the heap.
    fn followed(&self, known: &Known, pointer: &Pointer) -> Vec<Known> {
        let target = self.pointer_value(known, pointer);
        let Some(extent) = self.extent(target, pointer.target_bytes) else { return Vec::new() };
        let holder = joined(&known.name, &pointer.path);
        let is_kept = known.is_kept || pointer.target_is_librarys && pointer.keeper.is_some();
        let (ty, bytes) = (pointer.target, pointer.target_bytes);
        if is_kept {
            let bytes = bytes.min(extent.end - target);
            return vec![Known { name: holder, ty, address: target, bytes, held: None, is_kept }];
        }
        let object = |name: String, address: u64| Known { name, ty, address, bytes, held: None, is_kept: false };
        let mut objects = match keeping(pointer.keeper.as_deref()) {
            Keeping::Elements if self.marks_end(known, pointer) || bytes < 8 => Vec::new(),
            Keeping::Elements => {
                // The pointer to the end is next to the one to the first element.
                let end = self.memory.peek_long(known.address.wrapping_add(pointer.offset + 8)).min(extent.end);
                let count = end.saturating_sub(target) / bytes;
                let element = |index: u64| object(format!("{holder}[{index}]"), target + index * bytes);
                (0..count.min(ELEMENTS_MAX)).map(element).collect()
            }
            Keeping::Parts => vec![object(format!("an element of {holder}"), target)],
            Keeping::Object if pointer.is_reference => vec![object(holder, target)],
            Keeping::Object => vec![object(format!("(*{holder})"), target)],
        };
        objects.retain(|object| bytes <= extent.end - object.address);
        objects
    }

    /// The block around an address, or what a pointer would point to there if the block is gone.
    fn extent(&self, address: u64, bytes: u64) -> Option<Extent> {
        let region = Region::of(address, self.slots())?;
        let (Region::Shared(slot) | Region::Private(slot)) = region else { return None };
        let arenas = self.heap.peek_arenas(slot);
        let arena = if matches!(region, Region::Shared(_)) { &arenas.shared } else { &arenas.private };
        let base = region.base(0);
        match arena.block_at((address - base) as u32).filter(|block| block.contains((address - base) as u32)) {
            Some(block) => {
                let (start, end) = (base + u64::from(block.offset), base + u64::from(block.end()));
                Some(Extent { start, end, may_be_array: !matches!(block.maker, Maker::New) })
            }
            None => Some(Extent { start: address, end: address.checked_add(bytes)?, may_be_array: false }),
        }
    }

    /// The user's global variables.
    fn known_globals(&self) -> Vec<Known> {
        let program = &self.system.program;
        let variables = program.debug.globals().iter().filter(|variable| {
            !variable.thread_local && !is_librarys(&variable.name) && program.globals.contains(&variable.address)
        });
        let known = variables.map(|variable| Known {
            name: variable.name.clone(),
            ty: variable.ty,
            address: variable.address,
            bytes: variable.size,
            held: None,
            is_kept: false,
        });
        known.collect()
    }

    /// The local variables of a thread's functions that the user wrote: of the innermost one, or of all others.
    fn locals_of(&self, slot: u32, innermost: bool) -> Vec<Known> {
        let program = &self.system.program;
        let Some(hart) = self.threads.peek_hart(slot) else { return Vec::new() };
        let mut frames = self.call_frames(&hart);
        // A hook is at a function's first instruction, where the caller is known best by the return address.
        frames.retain(|registers| program.is_user_line(registers.pc));
        let mut known = Vec::new();
        for (number, registers) in frames.iter().take(FRAMES_MAX).enumerate() {
            if (number == 0) == innermost {
                self.add_locals(registers, innermost, &mut known);
            }
        }
        known
    }

    fn add_locals(&self, registers: &Registers, is_near: bool, known: &mut Vec<Known>) {
        let debug = &self.system.program.debug;
        let memory = |address: u64, out: &mut [u8]| self.memory.peek(address, out);
        let frames = debug.frames(registers.pc);
        for local in debug.locals(registers.pc) {
            let Some(frame) = frames.get(local.frame as usize).filter(|frame| is_users(frame)) else { continue };
            // A variable that is declared further down has no value yet.
            if local.line > frame.line {
                continue;
            }
            let prefix = if is_near { String::new() } else { format!("{}::", short_name(&frame.function)) };
            let name = format!("{prefix}{}", local.name);
            let (ty, bytes) = (local.ty, debug.size_of(local.ty));
            let (address, held) = match debug.read_local(&local, registers, &memory) {
                Some(Place::Address(address)) => (address, None),
                Some(Place::Value(value)) => (0, Some(value)),
                None => continue,
            };
            known.push(Known { name, ty, address, bytes, held, is_kept: false });
        }
    }
}

/// What is called what a pointer points to.
fn whole_name(known: &Known, pointer: &Pointer) -> String {
    let holder = joined(&known.name, &pointer.path);
    match keeping(pointer.keeper.as_deref()) {
        _ if known.is_kept || pointer.target_is_librarys => format!("what {holder} keeps"),
        Keeping::Elements => format!("the elements of {holder}"),
        Keeping::Parts => format!("elements of {holder}"),
        Keeping::Object if holder == CLOSURE => "what the lambda has captured".to_owned(),
        Keeping::Object if pointer.is_reference => holder,
        Keeping::Object => format!("*{holder}"),
    }
}

/// What a pointer is for that a class of the standard library keeps.
enum Keeping {
    /// To the elements in a row.
    Elements,
    /// To some elements.
    Parts,
    /// To one object, as if it were the pointer itself: one that is nobody's is that, too.
    Object,
}

fn keeping(keeper: Option<&str>) -> Keeping {
    let Some(keeper) = keeper else { return Keeping::Object };
    let class = keeper.split('<').next().unwrap_or(keeper).rsplit("::").next().unwrap_or(keeper);
    match class {
        "vector" | "basic_string" | "valarray" => Keeping::Elements,
        "shared_ptr" | "weak_ptr" | "unique_ptr" | "__shared_ptr" | "__shared_ptr_access" => Keeping::Object,
        _ => Keeping::Parts,
    }
}
