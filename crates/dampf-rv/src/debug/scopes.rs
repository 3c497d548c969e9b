//! What is around an instruction: the functions it was inlined into, and the variables in scope.

use gimli::{AttributeValue, EndianSlice};

use super::reader::{Entry, Reader};
use super::types::TypeId;
use super::units::spend;
use super::{Frame, Local};

/// How deep blocks and inlined calls may be nested.
const NESTING_MAX: usize = 256;

/// Where a variable is while the program is at one address.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Location {
    /// A DWARF expression.
    Expression(Vec<u8>),
    /// The variable always has this value.
    Constant(Vec<u8>),
    /// The compiler keeps it nowhere at this address.
    Nowhere,
}

impl<'a> Reader<'a> {
    /// The function at an address and the blocks and inlined calls in it that hold the address, outermost first.
    pub fn scopes_at(&self, pc: u64) -> Option<Vec<Entry<'a>>> {
        let in_unit = |index| self.contents(index).and_then(|contents| contents.function_at(pc));
        let function = self.units.at_address(pc).find_map(in_unit)?;
        let mut scopes = vec![self.entry(function)?];
        while scopes.len() < NESTING_MAX {
            let is_inner = |child: &Entry<'a>| {
                let block = matches!(child.tag(), gimli::DW_TAG_lexical_block | gimli::DW_TAG_inlined_subroutine);
                block && child.code_ranges(self).iter().any(|range| range.contains(&pc))
            };
            let inner = self.children(&scopes[scopes.len() - 1]).into_iter().find(is_inner);
            match inner {
                Some(inner) => scopes.push(inner),
                None => break,
            }
        }
        Some(scopes)
    }

    /// The calls at an address, innermost inlined one first.
    pub fn frames(&self, pc: u64) -> Vec<Frame> {
        let Some(unit) = self.units.at_address(pc).next() else { return Vec::new() };
        let lines = self.lines(unit);
        let place = lines.and_then(|lines| lines.find(pc));
        let (mut file, mut line, mut column) = match (lines, place) {
            (Some(lines), Some(place)) => (lines.file(u64::from(place.file)), place.line, place.column),
            _ => (String::new(), 0, 0),
        };
        let mut frames = Vec::new();
        for scope in self.scopes_at(pc).unwrap_or_default().into_iter().rev() {
            let number = |name| scope.number(name).and_then(|number| u32::try_from(number).ok()).unwrap_or(0);
            let call = match scope.tag() {
                gimli::DW_TAG_lexical_block => continue,
                gimli::DW_TAG_inlined_subroutine => {
                    let file = scope.value(gimli::DW_AT_call_file).and_then(|value| match value {
                        AttributeValue::FileIndex(index) => Some(index),
                        value => value.udata_value(),
                    });
                    let file = file.and_then(|file| Some(self.lines(scope.index)?.file(file))).unwrap_or_default();
                    Some((file, number(gimli::DW_AT_call_line), number(gimli::DW_AT_call_column)))
                }
                _ => None,
            };
            let function = self.full_name(scope).unwrap_or_default();
            frames.push(Frame { function, file: std::mem::take(&mut file), line, column });
            if let Some(call) = call {
                (file, line, column) = call;
            }
        }
        if frames.is_empty() && place.is_some() {
            frames.push(Frame { function: String::new(), file, line, column });
        }
        frames
    }

    /// Where the lambda begins whose code is at an address, the outermost one: its file and line.
    pub fn lambda_at(&self, pc: u64) -> Option<(String, u32)> {
        self.scopes_at(pc)?.into_iter().find_map(|scope| {
            // Its function has no place of its own, but the class that it is of.
            let function = scope.with_origins(self).pop()?;
            let class = self.entry(self.contents(function.index)?.scope_around(function.offset)?)?;
            let is_lambda = class.name(self).is_none() && self.is_lambda(&class);
            let line = class.number(gimli::DW_AT_decl_line).filter(|_| is_lambda)?;
            let file = match class.value(gimli::DW_AT_decl_file)? {
                AttributeValue::FileIndex(index) => index,
                file => file.udata_value()?,
            };
            Some((self.lines(class.index)?.file(file), u32::try_from(line).ok()?))
        })
    }

    /// The parameters and variables in scope, innermost first.
    pub fn locals(&self, pc: u64) -> Vec<Local> {
        let scopes = self.scopes_at(pc).unwrap_or_default();
        let Some(function) = scopes.first().map(|scope| scope.offset) else { return Vec::new() };
        let mut locals = Vec::new();
        let mut depth = 0;
        for scope in scopes.into_iter().rev() {
            for child in self.children(&scope) {
                let parameter = child.tag() == gimli::DW_TAG_formal_parameter;
                if parameter || child.tag() == gimli::DW_TAG_variable {
                    locals.extend(self.local(child, pc, function, depth, parameter));
                }
            }
            if scope.tag() == gimli::DW_TAG_inlined_subroutine {
                depth += 1;
            }
        }
        locals
    }

    fn local(&self, entry: Entry<'a>, pc: u64, function: usize, depth: u32, parameter: bool) -> Option<Local> {
        let unit = entry.index;
        let chain = entry.with_origins(self);
        let declaration = chain.iter().any(|entry| entry.flag(gimli::DW_AT_declaration));
        if declaration {
            return None;
        }
        let name = chain.iter().find_map(|entry| entry.name(self))?;
        let (ty, size) = chain.iter().find_map(|entry| {
            let ty = entry.reference(self, gimli::DW_AT_type)?;
            Some((ty, self.size_of(ty)))
        })?;
        let line = chain.iter().find_map(|entry| entry.number(gimli::DW_AT_decl_line));
        let line = line.and_then(|line| u32::try_from(line).ok()).unwrap_or(0);
        let location = chain.iter().find_map(|entry| self.location(entry, pc, size)).unwrap_or(Location::Nowhere);
        Some(Local { name, ty: TypeId(ty), parameter, line, frame: depth, unit, function, location })
    }

    /// What an entry says about where its variable is, if it says anything.
    fn location(&self, entry: &Entry<'a>, pc: u64, size: u64) -> Option<Location> {
        if let Some(value) = entry.value(gimli::DW_AT_const_value) {
            return Some(constant(&value, size).map_or(Location::Nowhere, Location::Constant));
        }
        let expression = self.expression_at(entry, gimli::DW_AT_location, pc)?;
        Some(expression.map_or(Location::Nowhere, |expression| Location::Expression(expression.to_vec())))
    }

    /// The expression that an attribute gives for an address: none if there is no attribute, and no expression if its
    /// list has none for the address.
    pub fn expression_at(&self, entry: &Entry<'a>, name: gimli::DwAt, pc: u64) -> Option<Option<&'a [u8]>> {
        let value = entry.value(name)?;
        if let AttributeValue::Exprloc(expression) = value {
            // An empty expression says that the variable was removed.
            return Some(Some(expression.0.slice()).filter(|bytes| !bytes.is_empty()));
        }
        let Ok(Some(list)) = self.dwarf.attr_locations(&entry.unit, value) else { return Some(None) };
        let mut list = list.map_while(Result::ok).take_while(|_| spend(&self.listed));
        let found = list.find(|item| (item.range.begin..item.range.end).contains(&pc));
        Some(found.map(|item| item.data.0.slice()).filter(|bytes| !bytes.is_empty()))
    }
}

/// A constant in as many bytes as its type has.
fn constant(value: &AttributeValue<EndianSlice<'_, gimli::LittleEndian>>, size: u64) -> Option<Vec<u8>> {
    let size = usize::try_from(size).ok().filter(|&size| size <= 1 << 16)?;
    let extended = |value: i128| {
        let mut bytes = value.to_le_bytes().to_vec();
        bytes.resize(size, if value < 0 { 0xff } else { 0 });
        bytes
    };
    match value {
        AttributeValue::Block(bytes) => Some(bytes.slice().to_vec()),
        AttributeValue::String(text) => Some(text.slice().to_vec()),
        AttributeValue::Sdata(value) => Some(extended(i128::from(*value))),
        value => Some(extended(i128::from(value.udata_value()?))),
    }
}
