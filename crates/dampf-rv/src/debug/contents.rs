//! What one unit contains: an index of its functions, scopes and variables, made in one pass over its entries.

use std::ops::Range;

use gimli::{AttributeValue, DwTag, Operation};

use super::reader::{ATTRIBUTES_MAX, Reader};
use super::units::{Die, Unit};

/// Where a variable lives for as long as the program runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Home {
    Address(u64),
    /// An offset into every thread's block.
    ThreadLocal(u64),
    /// The compiler gave no place: a variable it removed, or a thread-local one, which gcc leaves without place on
    /// RISC-V.
    Unknown,
}

pub(super) struct RawVariable {
    /// Offset of the entry in `.debug_info`.
    pub entry: usize,
    pub home: Home,
}

/// An entry that names what lies below it.
struct Scope {
    start: usize,
    end: usize,
    parent: Option<usize>,
}

#[derive(Default)]
pub(super) struct Contents {
    /// The stretches of code of all functions, sorted, with the functions' entries.
    functions: Vec<(Range<u64>, usize)>,
    /// Sorted by start.
    scopes: Vec<Scope>,
    pub variables: Vec<RawVariable>,
}

impl Contents {
    /// Reads a whole unit that begins at `start`.
    pub fn read<'a>(reader: &Reader<'a>, unit: &Unit<'a>, start: usize) -> Contents {
        let mut contents = Contents::default();
        // A broken entry hides where the next one begins: what came before is still good.
        let _ = contents.read_entries(reader, unit, start);
        contents.functions.sort_by_key(|(range, entry)| (range.start, range.end, *entry));
        contents
    }

    fn read_entries<'a>(&mut self, reader: &Reader<'a>, unit: &Unit<'a>, start: usize) -> Result<(), gimli::Error> {
        let mut raw = unit.entries_raw(None)?;
        let mut die = Die::null();
        // The scopes around the current entry: depth and position in `scopes`.
        let mut open: Vec<(isize, usize)> = Vec::new();
        while !raw.is_empty() {
            let depth = raw.next_depth();
            let offset = raw.next_offset();
            while open.last().is_some_and(|&(scope_depth, _)| depth <= scope_depth) {
                if let Some((_, scope)) = open.pop() {
                    self.scopes[scope].end = start + offset.0;
                }
            }
            let Some(abbreviation) = raw.read_abbreviation()? else { continue };
            let tag = abbreviation.tag();
            if abbreviation.attributes().len() > ATTRIBUTES_MAX {
                break;
            }
            if abbreviation.has_children() && is_scope(tag) {
                let parent = open.last().map(|&(_, scope)| scope);
                open.push((depth, self.scopes.len()));
                self.scopes.push(Scope { start: start + offset.0, end: usize::MAX, parent });
            }
            if tag != gimli::DW_TAG_subprogram && tag != gimli::DW_TAG_variable {
                raw.skip_attributes(abbreviation.attributes())?;
                continue;
            }
            die.tag = tag;
            die.offset = offset;
            raw.read_attributes(abbreviation.attributes(), &mut die.attrs)?;
            let entry = start + offset.0;
            if tag == gimli::DW_TAG_subprogram {
                let ranges = reader.units.code_ranges(&reader.dwarf, unit, &die, &reader.listed);
                self.functions.extend(ranges.into_iter().map(|range| (range, entry)));
            } else if let Some(home) = home_of(reader, unit, &die) {
                self.variables.push(RawVariable { entry, home });
            }
        }
        Ok(())
    }

    /// The function whose code lies at an address.
    pub fn function_at(&self, pc: u64) -> Option<usize> {
        let after = self.functions.partition_point(|(range, _)| range.start <= pc);
        let mut near = self.functions[..after].iter().rev().take(16);
        near.find(|(range, _)| range.contains(&pc)).map(|&(_, entry)| entry)
    }

    /// The entries of all scopes.
    pub fn scopes(&self) -> impl ExactSizeIterator<Item = usize> {
        self.scopes.iter().map(|scope| scope.start)
    }

    /// The innermost scope strictly around an entry, by its offset.
    pub fn scope_around(&self, entry: usize) -> Option<usize> {
        let before = self.scopes.partition_point(|scope| scope.start < entry);
        let mut scope = &self.scopes[before.checked_sub(1)?];
        while scope.end <= entry {
            scope = &self.scopes[scope.parent?];
        }
        Some(scope.start)
    }
}

fn is_scope(tag: DwTag) -> bool {
    matches!(
        tag,
        gimli::DW_TAG_namespace
            | gimli::DW_TAG_structure_type
            | gimli::DW_TAG_class_type
            | gimli::DW_TAG_union_type
            | gimli::DW_TAG_subprogram
    )
}

/// Where a variable's entry says that it lives, or none for a mere declaration and for one on the stack.
fn home_of<'a>(reader: &Reader<'a>, unit: &Unit<'a>, die: &Die<'a>) -> Option<Home> {
    let Some(location) = die.attr_value(gimli::DW_AT_location) else {
        let elsewhere = [gimli::DW_AT_declaration, gimli::DW_AT_const_value, gimli::DW_AT_abstract_origin];
        return (!elsewhere.iter().any(|&name| die.has_attr(name))).then_some(Home::Unknown);
    };
    let AttributeValue::Exprloc(expression) = location else { return None };
    let mut operations = expression.operations(unit.encoding());
    let address = match operations.next().ok()?? {
        Operation::Address { address } => address,
        Operation::AddressIndex { index } => reader.dwarf.address(unit, index).ok()?,
        // The offset of a thread-local variable, followed by the operation that finds the thread's block.
        Operation::UnsignedConstant { value } => {
            let is_tls = matches!(operations.next().ok()??, Operation::TLS);
            return (is_tls && operations.next().ok()?.is_none()).then_some(Home::ThreadLocal(value));
        }
        _ => return None,
    };
    let in_memory = reader.units.memory.iter().any(|range| range.contains(&address));
    (in_memory && operations.next().ok()?.is_none()).then_some(Home::Address(address))
}
