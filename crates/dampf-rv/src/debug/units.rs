//! The compilation units of a program: where they are and which code they describe.
//!
//! Loading reads one entry of every unit, nothing more; what else is asked for is read later by a [`Reader`]. The work
//! is proportional to the size of the file even if its tables overlap or refer to each other in circles, as those of a
//! damaged file may.
//!
//! All addresses in here are those of the file; [`super::DebugInfo`] adds the load bias at its boundary.

use std::cell::Cell;
use std::collections::HashMap;
use std::convert::Infallible;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use gimli::{
    Abbreviations, AttributeValue, DebugAbbrev, DebugAddrBase, DebugInfoOffset, DebugLocListsBase, DebugRngListsBase,
    DebugStrOffsetsBase, DwarfSections, LittleEndian, UnitHeader, UnitType,
};

use super::contents::Contents;
use super::lines::LineTable;
use super::reader::{Reader, read_entry};
use crate::image::Elf;

pub(super) type Slice<'a> = gimli::EndianSlice<'a, LittleEndian>;
pub(super) type Dwarf<'a> = gimli::Dwarf<Slice<'a>>;
pub(super) type Unit<'a> = gimli::Unit<Slice<'a>>;
pub(super) type Value<'a> = AttributeValue<Slice<'a>>;
pub(super) type Die<'a> = gimli::DebuggingInformationEntry<Slice<'a>>;

/// How many items of address lists loading may read.
const LISTED_MAX: usize = 2_000_000;

/// One compilation unit: where it is, what code it describes, and what has been read of it so far.
pub(super) struct UnitEntry {
    /// The offsets in `.debug_info` between which its entries lie.
    pub offset: usize,
    pub end: usize,
    pub ranges: Vec<Range<u64>>,
    /// The name of its source file, without directories.
    pub file: Option<String>,
    /// Whether clang compiled it.
    pub by_clang: bool,
    abbreviations: Arc<Abbreviations>,
    pub contents: OnceLock<Contents>,
    pub lines: OnceLock<LineTable>,
}

/// All units of a program.
pub(super) struct Units {
    sections: DwarfSections<Vec<u8>>,
    pub list: Vec<UnitEntry>,
    /// Types that are described in units of their own, by signature.
    pub signatures: HashMap<u64, usize>,
    /// Where structures and classes are defined, by name.
    pub definitions: OnceLock<HashMap<String, Vec<usize>>>,
    /// The address ranges of all units, sorted.
    by_address: Vec<(Range<u64>, usize)>,
    /// Where the program has code, and where it has memory at all. The linker leaves descriptions of code it threw
    /// away, with addresses that lie elsewhere.
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
        let (list, signatures, by_address) = (Vec::new(), HashMap::new(), Vec::new());
        let definitions = OnceLock::new();
        let mut units = Units { sections, list, signatures, definitions, by_address, code, memory };
        let (list, signatures) = units.find();
        for (index, unit) in list.iter().enumerate() {
            units.by_address.extend(unit.ranges.iter().map(|range| (range.clone(), index)));
        }
        units.by_address.sort_by_key(|(range, index)| (range.start, range.end, *index));
        units.list = list;
        units.signatures = signatures;
        units
    }

    fn find(&self) -> (Vec<UnitEntry>, HashMap<u64, usize>) {
        let dwarf = self.dwarf();
        // A broken header hides where the next unit begins: what came before is still good.
        let headers: Vec<UnitHeader<Slice>> = dwarf.units().map_while(Result::ok).collect();
        let tables = abbreviation_tables(&headers, &self.sections.debug_abbrev);
        let listed = Cell::new(LISTED_MAX);
        let mut list = Vec::new();
        let mut signatures = HashMap::new();
        for header in headers {
            let Some(DebugInfoOffset(offset)) = header.debug_info_offset() else { continue };
            let Some(abbreviations) = tables.get(&header.debug_abbrev_offset().0) else { continue };
            let end = offset.saturating_add(header.length_including_self());
            if let UnitType::Type { type_signature, type_offset } = header.type_() {
                signatures.insert(type_signature.0, offset.saturating_add(type_offset.0));
            }
            let Some((unit, root)) = open(&dwarf, header, Arc::clone(abbreviations)) else { continue };
            let ranges = self.code_ranges(&dwarf, &unit, &root, &listed);
            let producer =
                root.attr_value(gimli::DW_AT_producer).and_then(|value| dwarf.attr_string(&unit, value).ok());
            let by_clang = producer.is_some_and(|producer| producer.to_string_lossy().contains("clang"));
            let file = unit.name.map(|name| name.to_string_lossy().rsplit('/').next().unwrap_or_default().to_owned());
            let abbreviations = Arc::clone(abbreviations);
            let (contents, lines) = (OnceLock::new(), OnceLock::new());
            list.push(UnitEntry { offset, end, ranges, file, by_clang, abbreviations, contents, lines });
        }
        (list, signatures)
    }

    pub fn dwarf(&self) -> Dwarf<'_> {
        self.sections.borrow(|bytes| Slice::new(bytes, LittleEndian))
    }

    /// Begins a question.
    pub fn reader(&self) -> Reader<'_> {
        Reader::new(self)
    }

    /// Makes the entries of a unit readable.
    pub fn open<'a>(&'a self, dwarf: &Dwarf<'a>, index: usize) -> Option<Unit<'a>> {
        let entry = self.list.get(index)?;
        let header = dwarf.unit_header(DebugInfoOffset(entry.offset)).ok()?;
        open(dwarf, header, Arc::clone(&entry.abbreviations)).map(|(unit, _)| unit)
    }

    /// The addresses of the code that an entry describes, as far as the program has code there. `listed` counts down
    /// the list items that may still be read.
    pub fn code_ranges<'a>(
        &self,
        dwarf: &Dwarf<'a>,
        unit: &Unit<'a>,
        die: &Die<'a>,
        listed: &Cell<usize>,
    ) -> Vec<Range<u64>> {
        let is_code = |range: &Range<u64>| {
            let inside = |code: &Range<u64>| code.contains(&range.start) && range.end <= code.end;
            range.start < range.end && self.code.iter().any(inside)
        };
        let list = die.attr_value(gimli::DW_AT_ranges).and_then(|value| dwarf.attr_ranges(unit, value).ok().flatten());
        if let Some(list) = list {
            let affordable = list.map_while(Result::ok).take_while(|_| spend(listed));
            return affordable.map(|range| range.begin..range.end).filter(is_code).collect();
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

/// Counts down; false when there is nothing left.
pub(super) fn spend(budget: &Cell<usize>) -> bool {
    let left = budget.get();
    budget.set(left.saturating_sub(1));
    left > 0
}

/// The abbreviation tables of all units by offset. Tables do not overlap: each ends where the next one begins at the
/// latest, so that reading all of them reads the section once.
fn abbreviation_tables(
    headers: &[UnitHeader<Slice>],
    section: &DebugAbbrev<Vec<u8>>,
) -> HashMap<usize, Arc<Abbreviations>> {
    let mut offsets: Vec<_> = headers.iter().map(|header| header.debug_abbrev_offset()).collect();
    offsets.sort_unstable_by_key(|offset| offset.0);
    offsets.dedup();
    let mut tables = HashMap::new();
    for (index, &offset) in offsets.iter().enumerate() {
        let end = offsets.get(index + 1).map_or(usize::MAX, |next| next.0);
        let part = section.borrow(|bytes| Slice::new(&bytes[..bytes.len().min(end)], LittleEndian));
        if let Ok(table) = part.abbreviations(offset) {
            tables.insert(offset.0, Arc::new(table));
        }
    }
    tables
}

/// A unit and its root entry. Unlike gimli's own constructor, this leaves the line program alone, which may be large
/// and is of interest to few questions.
fn open<'a>(
    dwarf: &Dwarf<'a>,
    header: UnitHeader<Slice<'a>>,
    abbreviations: Arc<Abbreviations>,
) -> Option<(Unit<'a>, Die<'a>)> {
    let (encoding, file) = (header.encoding(), dwarf.file_type);
    let mut unit = Unit {
        abbreviations,
        name: None,
        comp_dir: None,
        low_pc: 0,
        str_offsets_base: DebugStrOffsetsBase::default_for_encoding_and_file(encoding, file),
        addr_base: DebugAddrBase(0),
        loclists_base: DebugLocListsBase::default_for_encoding_and_file(encoding, file),
        rnglists_base: DebugRngListsBase::default_for_encoding_and_file(encoding, file),
        line_program: None,
        dwo_id: None,
        header,
    };
    let mut root = Die::null();
    if !read_entry(&mut unit.entries_raw(None).ok()?, &mut root)? {
        return None;
    }
    for attribute in root.attrs() {
        match (attribute.name(), attribute.value()) {
            (gimli::DW_AT_str_offsets_base, AttributeValue::DebugStrOffsetsBase(base)) => unit.str_offsets_base = base,
            (gimli::DW_AT_addr_base | gimli::DW_AT_GNU_addr_base, AttributeValue::DebugAddrBase(base)) => {
                unit.addr_base = base;
            }
            (gimli::DW_AT_loclists_base, AttributeValue::DebugLocListsBase(base)) => unit.loclists_base = base,
            (gimli::DW_AT_rnglists_base | gimli::DW_AT_GNU_ranges_base, AttributeValue::DebugRngListsBase(base)) => {
                unit.rnglists_base = base;
            }
            _ => {}
        }
    }
    // These may depend on the bases.
    let text = |name| dwarf.attr_string(&unit, root.attr_value(name)?).ok();
    let name = text(gimli::DW_AT_name);
    let directory = text(gimli::DW_AT_comp_dir);
    let start = root.attr_value(gimli::DW_AT_low_pc).and_then(|value| dwarf.attr_address(&unit, value).ok().flatten());
    unit.name = name;
    unit.comp_dir = directory;
    unit.low_pc = start.unwrap_or(0);
    Some((unit, root))
}
