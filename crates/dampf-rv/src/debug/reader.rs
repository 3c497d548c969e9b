//! How entries are read to answer a question.
//!
//! A [`Reader`] lives as long as one question and carries its fuel. Debug information may be damaged or hostile: types
//! that contain themselves, lists that refer to lists, entries with a million attributes. A question that reads too
//! much ends as "unknown" instead of running on.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

use gimli::{AttributeValue, DwAt, DwTag, EntriesRaw, UnitOffset};

use super::contents::Contents;
use super::lines::LineTable;
use super::units::{Die, Dwarf, Slice, Unit, Units, Value, spend};

/// How many entries one question may read.
const FUEL: usize = 200_000;
/// How many items of address and location lists one question may read.
const LISTED_MAX: usize = 1_000_000;
/// How many attributes an entry may have: attributes may take no space in the file.
pub(super) const ATTRIBUTES_MAX: usize = 256;
/// Longer names are cut.
const TEXT_MAX: usize = 4096;

/// Reads entries for one question.
pub(super) struct Reader<'a> {
    pub units: &'a Units,
    pub dwarf: Dwarf<'a>,
    open: RefCell<HashMap<usize, Rc<Unit<'a>>>>,
    fuel: Cell<usize>,
    pub listed: Cell<usize>,
}

impl<'a> Reader<'a> {
    pub fn new(units: &'a Units) -> Reader<'a> {
        let (fuel, listed) = (Cell::new(FUEL), Cell::new(LISTED_MAX));
        Reader { units, dwarf: units.dwarf(), open: RefCell::default(), fuel, listed }
    }

    /// Allows for more entries: a question about many things may read more than one about a single thing.
    pub fn add_fuel(&self, entries: usize) {
        self.fuel.set(self.fuel.get().saturating_add(entries));
    }

    /// Whether the question may still read an entry.
    fn burn(&self) -> Option<()> {
        spend(&self.fuel).then_some(())
    }

    pub fn unit(&self, index: usize) -> Option<Rc<Unit<'a>>> {
        if let Some(unit) = self.open.borrow().get(&index) {
            return Some(Rc::clone(unit));
        }
        let unit = Rc::new(self.units.open(&self.dwarf, index)?);
        self.open.borrow_mut().insert(index, Rc::clone(&unit));
        Some(unit)
    }

    /// The index of functions, scopes and variables of a unit.
    pub fn contents(&self, index: usize) -> Option<&'a Contents> {
        let entry = self.units.list.get(index)?;
        Some(entry.contents.get_or_init(|| match self.unit(index) {
            Some(unit) => Contents::read(&self.units.reader(), &unit, entry.offset),
            None => Contents::default(),
        }))
    }

    pub fn lines(&self, index: usize) -> Option<&'a LineTable> {
        let entry = self.units.list.get(index)?;
        Some(entry.lines.get_or_init(|| match self.unit(index) {
            Some(unit) => LineTable::read(&self.units.reader(), &unit).unwrap_or_default(),
            None => LineTable::default(),
        }))
    }

    /// The entry at an offset of `.debug_info`.
    pub fn entry(&self, offset: usize) -> Option<Entry<'a>> {
        self.burn()?;
        let index = self.units.at_offset(offset)?;
        let unit = self.unit(index)?;
        let mut die = Die::null();
        let at = UnitOffset(offset - self.units.list[index].offset);
        let found = read_entry(&mut unit.entries_raw(Some(at)).ok()?, &mut die)?;
        found.then_some(Entry { unit, index, offset, die })
    }

    /// The entries directly below an entry, in the order of the file.
    pub fn children(&self, parent: &Entry<'a>) -> Vec<Entry<'a>> {
        let mut children = Vec::new();
        if parent.die.has_children() {
            // A broken entry hides where the next one begins: what came before is still good.
            let _ = self.read_children(parent, &mut children);
        }
        children
    }

    fn read_children(&self, parent: &Entry<'a>, children: &mut Vec<Entry<'a>>) -> Option<()> {
        let start = self.units.list[parent.index].offset;
        let mut die = Die::null();
        let mut raw = parent.unit.entries_raw(Some(parent.die.offset())).ok()?;
        read_entry(&mut raw, &mut die)?;
        let mut level = 1;
        while !raw.is_empty() && raw.next_depth() >= level {
            self.burn()?;
            if !read_entry(&mut raw, &mut die)? || die.depth() != level {
                continue;
            }
            if die.has_children()
                && let Some(AttributeValue::UnitRef(sibling)) = die.attr_value(gimli::DW_AT_sibling)
                && sibling.0 > die.offset().0
            {
                raw = parent.unit.entries_raw(Some(sibling)).ok()?;
                level = 0;
            }
            let offset = start + die.offset().0;
            let (unit, index) = (Rc::clone(&parent.unit), parent.index);
            children.push(Entry { unit, index, offset, die: std::mem::replace(&mut die, Die::null()) });
        }
        Some(())
    }

    /// The text of a string attribute.
    pub fn text(&self, unit: &Unit<'a>, value: Value<'a>) -> Option<String> {
        let text = self.dwarf.attr_string(unit, value).ok()?.slice();
        // To find the end of a string costs as much as reading entries of the same length.
        for _ in 0..text.len() / TEXT_MAX {
            self.burn()?;
        }
        Some(String::from_utf8_lossy(&text[..text.len().min(TEXT_MAX)]).into_owned())
    }
}

/// Reads the next entry into `die`: false for the end of a list of entries, none for an entry that makes no sense.
pub(super) fn read_entry<'a>(raw: &mut EntriesRaw<'_, Slice<'a>>, die: &mut Die<'a>) -> Option<bool> {
    die.depth = raw.next_depth();
    die.offset = raw.next_offset();
    let Some(abbreviation) = raw.read_abbreviation().ok()? else {
        die.set_null();
        return Some(false);
    };
    if abbreviation.attributes().len() > ATTRIBUTES_MAX {
        return None;
    }
    die.tag = abbreviation.tag();
    die.has_children = abbreviation.has_children();
    raw.read_attributes(abbreviation.attributes(), &mut die.attrs).ok()?;
    Some(true)
}

/// One entry of the debug information, read.
pub(super) struct Entry<'a> {
    pub unit: Rc<Unit<'a>>,
    /// The number of the unit.
    pub index: usize,
    /// The offset in `.debug_info`.
    pub offset: usize,
    pub die: Die<'a>,
}

impl<'a> Entry<'a> {
    pub fn tag(&self) -> DwTag {
        self.die.tag()
    }

    pub fn value(&self, name: DwAt) -> Option<Value<'a>> {
        self.die.attr_value(name)
    }

    pub fn number(&self, name: DwAt) -> Option<u64> {
        self.die.attr(name)?.udata_value()
    }

    pub fn flag(&self, name: DwAt) -> bool {
        matches!(self.value(name), Some(AttributeValue::Flag(true)))
    }

    /// The entry's own name.
    pub fn name(&self, reader: &Reader<'a>) -> Option<String> {
        reader.text(&self.unit, self.value(gimli::DW_AT_name)?)
    }

    /// The offset of the entry that an attribute refers to.
    pub fn reference(&self, reader: &Reader<'a>, name: DwAt) -> Option<usize> {
        match self.value(name)? {
            AttributeValue::UnitRef(offset) => reader.units.list[self.index].offset.checked_add(offset.0),
            AttributeValue::DebugInfoRef(offset) => Some(offset.0),
            AttributeValue::DebugTypesRef(signature) => reader.units.signatures.get(&signature.0).copied(),
            _ => None,
        }
    }

    pub fn code_ranges(&self, reader: &Reader<'a>) -> Vec<Range<u64>> {
        reader.units.code_ranges(&reader.dwarf, &self.unit, &self.die, &reader.listed)
    }

    /// This entry and those it completes: the declaration of a definition, the original of an inlined copy.
    pub fn with_origins(self, reader: &Reader<'a>) -> Vec<Entry<'a>> {
        let mut chain = vec![self];
        while chain.len() < 6 {
            let last = &chain[chain.len() - 1];
            let origin = last.reference(reader, gimli::DW_AT_abstract_origin);
            let origin = origin.or_else(|| last.reference(reader, gimli::DW_AT_specification));
            let Some(entry) = origin.and_then(|offset| reader.entry(offset)) else { break };
            chain.push(entry);
        }
        chain
    }
}
