//! Types as far as they matter for showing values: what lies where in a few bytes.

use std::collections::HashMap;

use gimli::{AttributeValue, DwAte, DwTag, Expression, Operation};

use super::reader::{Entry, Reader};
use super::units::{Slice, Units};

/// How many names a type may have before it says what it is.
const ALIASES_MAX: usize = 64;
/// How deep structures are searched for something that is not empty.
const EMPTY_DEPTH_MAX: usize = 12;

/// How many types of one name are compared with a declaration.
const CANDIDATES_MAX: usize = 64;

/// A type of the program, by its position in the debug information.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TypeId(pub(super) usize);

/// What a type is, without its other names and qualifiers.
pub(super) enum Shape {
    Number { encoding: DwAte, size: u64, name: String },
    Pointer { size: u64 },
    Enumeration { size: u64, scope: Option<String>, values: Vec<(String, i128)> },
    Record(Record),
    Array { element: usize, lengths: Vec<Option<u64>> },
    Unknown,
}

/// A structure, class or union.
pub(super) struct Record {
    pub members: Vec<Member>,
    /// Whether it belongs to the standard library.
    pub standard: bool,
}

pub(super) struct Member {
    /// None for a base class and for an anonymous structure or union: its members count as the record's own.
    pub name: Option<String>,
    pub ty: usize,
    /// In bytes from the start of the record. For a bit-field, where `bits` counts from.
    pub offset: u64,
    pub bits: Option<Bits>,
}

/// The place of a bit-field: `first` counts from the least significant bit of the record's first byte.
#[derive(Clone, Copy)]
pub(super) struct Bits {
    pub first: u64,
    pub count: u64,
}

impl Member {
    /// Whether the name is one that the language reserves for its implementation.
    pub fn is_reserved(&self) -> bool {
        self.name.as_deref().is_some_and(is_reserved_name)
    }
}

pub(super) fn is_reserved_name(name: &str) -> bool {
    let mut letters = name.chars();
    letters.next() == Some('_') && letters.next().is_some_and(|second| second == '_' || second.is_ascii_uppercase())
}

impl<'a> Reader<'a> {
    /// The entry that says what a type is.
    pub fn plain_type(&self, offset: usize) -> Option<Entry<'a>> {
        let mut entry = self.entry(offset)?;
        for _ in 0..ALIASES_MAX {
            let next = match entry.tag() {
                gimli::DW_TAG_typedef
                | gimli::DW_TAG_const_type
                | gimli::DW_TAG_volatile_type
                | gimli::DW_TAG_restrict_type
                | gimli::DW_TAG_atomic_type
                | gimli::DW_TAG_immutable_type => entry.reference(self, gimli::DW_AT_type)?,
                _ => match self.definition(&entry) {
                    Some(definition) => definition,
                    None => return Some(entry),
                },
            };
            entry = self.entry(next)?;
        }
        None
    }

    /// Whether objects of a type are volatile as a whole: it says so under one of its names, or its elements do.
    pub fn is_volatile(&self, offset: usize) -> bool {
        let mut next = Some(offset);
        for _ in 0..ALIASES_MAX {
            let Some(entry) = next.and_then(|offset| self.entry(offset)) else { return false };
            match entry.tag() {
                gimli::DW_TAG_volatile_type => return true,
                gimli::DW_TAG_typedef | gimli::DW_TAG_const_type | gimli::DW_TAG_array_type => {
                    next = entry.reference(self, gimli::DW_AT_type);
                }
                _ => return false,
            }
        }
        false
    }

    /// Where a type that is only declared here is defined: in a unit of its own, or in another file of the program. gcc
    /// describes a class with virtual functions only in the file that defines the first of them.
    fn definition(&self, entry: &Entry<'a>) -> Option<usize> {
        if let Some(definition) = entry.reference(self, gimli::DW_AT_signature) {
            return Some(definition);
        }
        if !entry.flag(gimli::DW_AT_declaration) || !is_record(entry.tag()) {
            return None;
        }
        let definitions = self.units.definitions.get_or_init(|| index_definitions(self.units));
        let full_name = self.type_name(Some(entry.offset));
        let mut candidates = definitions.get(&entry.name(self)?)?.iter().copied().take(CANDIDATES_MAX);
        candidates.find(|&candidate| self.type_name(Some(candidate)) == full_name)
    }

    pub fn size_of(&self, offset: usize) -> u64 {
        self.size_below(offset, 0)
    }

    fn size_below(&self, offset: usize, depth: usize) -> u64 {
        let Some(entry) = self.plain_type(offset).filter(|_| depth < 16) else { return 0 };
        if let Some(size) = entry.number(gimli::DW_AT_byte_size) {
            return size;
        }
        match entry.tag() {
            gimli::DW_TAG_array_type => {
                let element = entry.reference(self, gimli::DW_AT_type);
                let element = element.map_or(0, |element| self.size_below(element, depth + 1));
                let lengths = self.array_lengths(&entry);
                lengths.iter().fold(element, |size, length| size.saturating_mul(length.unwrap_or(0)))
            }
            // Pointers without a size are as wide as the machine's.
            gimli::DW_TAG_pointer_type
            | gimli::DW_TAG_reference_type
            | gimli::DW_TAG_rvalue_reference_type
            | gimli::DW_TAG_ptr_to_member_type => 8,
            gimli::DW_TAG_enumeration_type => {
                entry.reference(self, gimli::DW_AT_type).map_or(4, |base| self.size_below(base, depth + 1))
            }
            _ => 0,
        }
    }

    pub fn shape(&self, offset: usize) -> Option<Shape> {
        let entry = self.plain_type(offset)?;
        let size = self.size_of(entry.offset);
        Some(match entry.tag() {
            gimli::DW_TAG_base_type => {
                let Some(AttributeValue::Encoding(encoding)) = entry.value(gimli::DW_AT_encoding) else {
                    return Some(Shape::Unknown);
                };
                Shape::Number { encoding, size, name: entry.name(self).unwrap_or_default() }
            }
            gimli::DW_TAG_pointer_type
            | gimli::DW_TAG_reference_type
            | gimli::DW_TAG_rvalue_reference_type
            | gimli::DW_TAG_ptr_to_member_type => Shape::Pointer { size },
            gimli::DW_TAG_unspecified_type => Shape::Pointer { size: 8 },
            tag if is_record(tag) => Shape::Record(self.record(&entry)),
            gimli::DW_TAG_enumeration_type => self.enumeration(&entry, size),
            gimli::DW_TAG_array_type => match entry.reference(self, gimli::DW_AT_type) {
                Some(element) => Shape::Array { element, lengths: self.array_lengths(&entry) },
                None => Shape::Unknown,
            },
            _ => Shape::Unknown,
        })
    }

    /// The lengths of an array's dimensions, outermost first; none where the type does not say.
    pub fn array_lengths(&self, array: &Entry<'a>) -> Vec<Option<u64>> {
        let children = self.children(array);
        let dimensions = children.iter().filter(|child| child.tag() == gimli::DW_TAG_subrange_type);
        let length = |dimension: &Entry<'a>| match dimension.number(gimli::DW_AT_count) {
            Some(count) => Some(count),
            None => match dimension.value(gimli::DW_AT_upper_bound)? {
                // An array of length zero has the upper bound -1 in some compilers, in whatever width they like.
                AttributeValue::Sdata(-1) | AttributeValue::Udata(u64::MAX) | AttributeValue::Udata(0xffff_ffff) => {
                    Some(0)
                }
                bound => bound.udata_value()?.checked_add(1).filter(|&count| count <= 1 << 40),
            },
        };
        dimensions.map(length).collect()
    }

    fn record(&self, entry: &Entry<'a>) -> Record {
        let mut members = Vec::new();
        for child in self.children(entry) {
            let inherited = child.tag() == gimli::DW_TAG_inheritance;
            let is_static = child.flag(gimli::DW_AT_external) || child.flag(gimli::DW_AT_declaration);
            if !inherited && (child.tag() != gimli::DW_TAG_member || is_static) {
                continue;
            }
            let Some(ty) = child.reference(self, gimli::DW_AT_type) else { continue };
            let name = if inherited { None } else { child.name(self).filter(|name| !name.is_empty()) };
            // The compiler's pointer to the table of virtual functions is nothing a person wrote.
            if name.as_deref().is_some_and(|name| name.starts_with("_vptr")) {
                continue;
            }
            let offset = match child.value(gimli::DW_AT_data_member_location) {
                Some(AttributeValue::Exprloc(expression)) => match constant_distance(expression, entry) {
                    Some(offset) => offset,
                    // Where a virtual base lies is only known at run time.
                    None => continue,
                },
                Some(_) => child.number(gimli::DW_AT_data_member_location).unwrap_or(0),
                None => 0,
            };
            let bits = self.bits(&child, ty, offset);
            members.push(Member { name, ty, offset, bits });
        }
        Record { members, standard: self.is_standard(entry.index, entry.offset) }
    }

    fn bits(&self, member: &Entry<'a>, ty: usize, offset: u64) -> Option<Bits> {
        let count = member.number(gimli::DW_AT_bit_size)?;
        if let Some(first) = member.number(gimli::DW_AT_data_bit_offset) {
            return Some(Bits { first, count });
        }
        // Up to DWARF 3, bits count from the most significant end of a storage unit.
        let from_top = member.number(gimli::DW_AT_bit_offset)?;
        let storage = member.number(gimli::DW_AT_byte_size).unwrap_or_else(|| self.size_of(ty));
        let storage_bits = storage.checked_mul(8)?;
        let first = offset.checked_mul(8)?.checked_add(storage_bits.checked_sub(from_top.checked_add(count)?)?)?;
        Some(Bits { first, count })
    }

    fn enumeration(&self, entry: &Entry<'a>, size: u64) -> Shape {
        let children = self.children(entry);
        let enumerators = children.iter().filter(|child| child.tag() == gimli::DW_TAG_enumerator);
        let value = |enumerator: &Entry<'a>| {
            let attribute = enumerator.die.attr(gimli::DW_AT_const_value)?;
            let number = match attribute.raw_value() {
                AttributeValue::Sdata(value) => i128::from(value),
                _ => i128::from(attribute.udata_value()?),
            };
            Some((enumerator.name(self)?, number))
        };
        let scope = entry.flag(gimli::DW_AT_enum_class).then(|| entry.name(self)).flatten();
        Shape::Enumeration { size, scope, values: enumerators.filter_map(value).collect() }
    }

    /// The only member of a structure of the standard library that holds anything: an `std::atomic<T>` is its value, an
    /// `std::array` its elements, an `std::unique_ptr` its pointer.
    pub fn only_part<'r>(&self, record: &'r Record) -> Option<&'r Member> {
        if !record.standard {
            return None;
        }
        let mut parts = record.members.iter().filter(|member| !self.holds_nothing(member.ty));
        let only = parts.next()?;
        parts.next().is_none().then_some(only)
    }

    /// Whether a type holds no data at all.
    pub fn holds_nothing(&self, ty: usize) -> bool {
        self.is_empty(ty, 0)
    }

    fn is_empty(&self, ty: usize, depth: usize) -> bool {
        match self.shape(ty) {
            Some(Shape::Record(record)) if depth < EMPTY_DEPTH_MAX => {
                record.members.iter().all(|member| self.is_empty(member.ty, depth + 1))
            }
            _ => false,
        }
    }
}

/// The distance that an expression adds to an address, if it does nothing else: DWARF 2 places members this way.
fn constant_distance(expression: Expression<Slice<'_>>, entry: &Entry) -> Option<u64> {
    let mut operations = expression.operations(entry.unit.encoding());
    let Operation::PlusConstant { value } = operations.next().ok()?? else { return None };
    operations.next().ok()?.is_none().then_some(value)
}

fn is_record(tag: DwTag) -> bool {
    matches!(tag, gimli::DW_TAG_structure_type | gimli::DW_TAG_class_type | gimli::DW_TAG_union_type)
}

/// All structures, classes and unions that are defined anywhere, by their own names.
fn index_definitions(units: &Units) -> HashMap<String, Vec<usize>> {
    let mut definitions: HashMap<String, Vec<usize>> = HashMap::new();
    for index in 0..units.list.len() {
        let reader = units.reader();
        let Some(contents) = reader.contents(index) else { continue };
        reader.add_fuel(contents.scopes().len());
        for offset in contents.scopes() {
            let Some(entry) = reader.entry(offset).filter(|entry| is_record(entry.tag())) else { continue };
            if !entry.flag(gimli::DW_AT_declaration)
                && let Some(name) = entry.name(&reader)
            {
                definitions.entry(name).or_default().push(offset);
            }
        }
    }
    definitions
}
