//! The compilation units of a program and how their entries are read.
//!
//! Loading finds the units and the addresses of their code, nothing more. Everything else is read when a question is
//! asked, through a [`Reader`] that lives as long as the question and carries its fuel: debug information may be damaged
//! or hostile (types that contain themselves, lists that refer to lists), and a question that reads too many entries
//! ends as "unknown" instead of running on.
//!
//! All addresses in here are those of the file; [`super::DebugInfo`] adds the load bias at its boundary.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::convert::Infallible;
use std::ops::Range;
use std::rc::Rc;
use std::sync::{Arc, OnceLock};

use gimli::{
    Abbreviations, AttributeValue, DebugInfoOffset, DwAt, DwTag, DwarfSections, LittleEndian, UnitOffset, UnitType,
};

use super::contents::Contents;
use super::lines::LineTable;
use crate::image::Elf;

pub(super) type Slice<'a> = gimli::EndianSlice<'a, LittleEndian>;
pub(super) type Dwarf<'a> = gimli::Dwarf<Slice<'a>>;
pub(super) type Unit<'a> = gimli::Unit<Slice<'a>>;
pub(super) type Value<'a> = AttributeValue<Slice<'a>>;
pub(super) type Die<'a> = gimli::DebuggingInformationEntry<Slice<'a>>;

/// How many entries one question may read.
const FUEL: u32 = 200_000;
/// How many address ranges one entry may have, and all units together.
const RANGES_MAX: usize = 10_000;
const UNIT_RANGES_MAX: usize = 1_000_000;

/// One compilation unit: where it is, what code it describes, and what has been read of it so far.
pub(super) struct UnitEntry {
    /// The offsets in `.debug_info` between which its entries lie.
    pub offset: usize,
    pub end: usize,
    pub ranges: Vec<Range<u64>>,
    abbreviations: Arc<Abbreviations>,
    contents: OnceLock<Contents>,
    lines: OnceLock<LineTable>,
}

/// All units of a program.
pub(super) struct Units {
    sections: DwarfSections<Vec<u8>>,
    pub list: Vec<UnitEntry>,
    /// Types that are described in units of their own, by signature.
    signatures: HashMap<u64, usize>,
    /// The address ranges of all units, sorted.
    by_address: Vec<(Range<u64>, usize)>,
    /// Where the program has code, and where it has memory at all. The linker leaves descriptions of code it threw away,
    /// with addresses that lie elsewhere.
    pub code: Vec<Range<u64>>,
    pub memory: Vec<Range<u64>>,
}

impl Units {
    pub fn load(elf: Option<&Elf>, code: Vec<Range<u64>>, memory: Vec<Range<u64>>) -> Units {
        let read = |id: gimli::SectionId| -> Result<Vec<u8>, Infallible> {
            let section = elf.and_then(|elf| elf.section(id.name()));
            Ok(section.map(|(_, bytes)| bytes.to_vec()).unwrap_or_default())
        };
        let Ok(sections) = DwarfSections::load(read);
        let mut units = Units {
            sections,
            list: Vec::new(),
            signatures: HashMap::new(),
            by_address: Vec::new(),
            code,
            memory,
        };
        let (list, signatures) = units.find();
        let ranges = list.iter().enumerate();
        let mut by_address: Vec<_> =
            ranges.flat_map(|(index, unit)| unit.ranges.iter().map(move |range| (range.clone(), index))).collect();
        by_address.sort_by_key(|(range, index)| (range.start, range.end, *index));
        units.list = list;
        units.signatures = signatures;
        units.by_address = by_address;
        units
    }

    fn find(&self) -> (Vec<UnitEntry>, HashMap<u64, usize>) {
        let dwarf = self.dwarf();
        let mut list = Vec::new();
        let mut signatures = HashMap::new();
        let mut abbreviation_tables: HashMap<usize, Arc<Abbreviations>> = HashMap::new();
        let mut range_count = 0;
        let mut headers = dwarf.units();
        // A broken header hides where the next unit begins: what came before is still good.
        while let Ok(Some(header)) = headers.next() {
            let Some(DebugInfoOffset(offset)) = header.debug_info_offset() else { continue };
            let abbreviations = match abbreviation_tables.get(&header.debug_abbrev_offset().0) {
                Some(table) => Arc::clone(table),
                None => {
                    let Ok(table) = dwarf.abbreviations(&header) else { continue };
                    abbreviation_tables.insert(header.debug_abbrev_offset().0, Arc::clone(&table));
                    table
                }
            };
            let end = offset.saturating_add(header.length_including_self());
            if let UnitType::Type { type_signature, type_offset } = header.type_() {
                signatures.insert(type_signature.0, offset.saturating_add(type_offset.0));
            }
            let Ok(unit) = Unit::new_with_abbreviations(&dwarf, header, Arc::clone(&abbreviations)) else { continue };
            let mut ranges = Vec::new();
            if range_count < UNIT_RANGES_MAX
                && let Ok(root) = unit.entry(unit.root_offset())
            {
                ranges = self.code_ranges(&dwarf, &unit, &root);
                range_count += ranges.len();
            }
            let (contents, lines) = (OnceLock::new(), OnceLock::new());
            list.push(UnitEntry { offset, end, ranges, abbreviations, contents, lines });
        }
        (list, signatures)
    }

    fn dwarf(&self) -> Dwarf<'_> {
        self.sections.borrow(|bytes| Slice::new(bytes, LittleEndian))
    }

    /// Begins a question.
    pub fn reader(&self) -> Reader<'_> {
        Reader { units: self, dwarf: self.dwarf(), open: RefCell::default(), fuel: Cell::new(FUEL) }
    }

    /// The addresses of the code that an entry describes, as far as the program has code there.
    pub fn code_ranges<'a>(&self, dwarf: &Dwarf<'a>, unit: &Unit<'a>, die: &Die<'a>) -> Vec<Range<u64>> {
        let is_code = |range: &Range<u64>| {
            let inside = |code: &Range<u64>| code.contains(&range.start) && range.end <= code.end;
            range.start < range.end && self.code.iter().any(inside)
        };
        let list = die.attr_value(gimli::DW_AT_ranges).and_then(|value| dwarf.attr_ranges(unit, value).ok().flatten());
        if let Some(list) = list {
            let ranges = list.map_while(Result::ok).map(|range| range.begin..range.end);
            return ranges.take(RANGES_MAX).filter(is_code).collect();
        }
        let address = |name| dwarf.attr_address(unit, die.attr_value(name)?).ok().flatten();
        let Some(start) = address(gimli::DW_AT_low_pc) else { return Vec::new() };
        let end = match die.attr_value(gimli::DW_AT_high_pc) {
            Some(AttributeValue::Udata(size)) => Some(start.wrapping_add(size)),
            _ => address(gimli::DW_AT_high_pc),
        };
        end.map(|end| start..end).filter(is_code).into_iter().collect()
    }

    /// The units that have code at an address: one, unless the information is odd.
    pub fn at_address(&self, pc: u64) -> impl Iterator<Item = usize> {
        let after = self.by_address.partition_point(|(range, _)| range.start <= pc);
        let near = self.by_address[..after].iter().rev().take(16);
        near.filter(move |(range, _)| range.contains(&pc)).map(|&(_, index)| index)
    }

    /// The unit that holds the entry at this offset.
    pub fn at_offset(&self, offset: usize) -> Option<usize> {
        let after = self.list.partition_point(|unit| unit.offset <= offset);
        let index = after.checked_sub(1)?;
        (offset < self.list[index].end).then_some(index)
    }
}

/// Reads entries for one question.
pub(super) struct Reader<'a> {
    pub units: &'a Units,
    pub dwarf: Dwarf<'a>,
    open: RefCell<HashMap<usize, Rc<Unit<'a>>>>,
    fuel: Cell<u32>,
}

impl<'a> Reader<'a> {
    pub fn unit(&self, index: usize) -> Option<Rc<Unit<'a>>> {
        if let Some(unit) = self.open.borrow().get(&index) {
            return Some(Rc::clone(unit));
        }
        let entry = self.units.list.get(index)?;
        let header = self.dwarf.unit_header(DebugInfoOffset(entry.offset)).ok()?;
        let unit = Unit::new_with_abbreviations(&self.dwarf, header, Arc::clone(&entry.abbreviations)).ok()?;
        let unit = Rc::new(unit);
        self.open.borrow_mut().insert(index, Rc::clone(&unit));
        Some(unit)
    }

    /// The index of functions, scopes and variables of a unit.
    pub fn contents(&self, index: usize) -> Option<&'a Contents> {
        let entry = self.units.list.get(index)?;
        Some(entry.contents.get_or_init(|| match self.unit(index) {
            Some(unit) => Contents::read(self, &unit, entry.offset),
            None => Contents::default(),
        }))
    }

    pub fn lines(&self, index: usize) -> Option<&'a LineTable> {
        let entry = self.units.list.get(index)?;
        Some(entry.lines.get_or_init(|| match self.unit(index) {
            Some(unit) => LineTable::read(self, &unit),
            None => LineTable::default(),
        }))
    }

    /// Whether the question may still read an entry.
    fn burn(&self) -> Option<()> {
        let left = self.fuel.get().checked_sub(1)?;
        self.fuel.set(left);
        Some(())
    }

    /// The entry at an offset of `.debug_info`.
    pub fn entry(&self, offset: usize) -> Option<Entry<'a>> {
        self.burn()?;
        let index = self.units.at_offset(offset)?;
        let unit = self.unit(index)?;
        let die = unit.entry(UnitOffset(offset - self.units.list[index].offset)).ok()?;
        Some(Entry { unit, index, offset, die })
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
        raw.read_entry(&mut die).ok()?;
        let mut level = 1;
        while !raw.is_empty() && raw.next_depth() >= level {
            self.burn()?;
            if !raw.read_entry(&mut die).ok()? || die.depth() != level {
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
        let text = self.dwarf.attr_string(unit, value).ok()?;
        Some(String::from_utf8_lossy(text.slice()).into_owned())
    }

    pub fn signature(&self, signature: u64) -> Option<usize> {
        self.units.signatures.get(&signature).copied()
    }
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
            AttributeValue::DebugTypesRef(signature) => reader.signature(signature.0),
            _ => None,
        }
    }

    pub fn code_ranges(&self, reader: &Reader<'a>) -> Vec<Range<u64>> {
        reader.units.code_ranges(&reader.dwarf, &self.unit, &self.die)
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
