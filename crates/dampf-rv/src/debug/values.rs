//! What types are to an expression over variables: numbers, elements, members.

use super::DebugInfo;
use super::types::{Shape, TypeId};

/// Alternatives to follow from a library's type to the value that it holds.
const PARTS_MAX: usize = 8;

/// What a value of a type can be used as.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ValueKind {
    /// A number, a truth value, a pointer.
    Number {
        bytes: u64,
        is_signed: bool,
    },
    /// A number with names.
    Enumeration {
        bytes: u64,
        is_signed: bool,
        names: Vec<(String, i128)>,
    },
    /// The lengths of its dimensions, outermost first, as far as they are known.
    Array {
        element: TypeId,
        lengths: Vec<Option<u64>>,
    },
    Record,
    /// Floating-point numbers and whatever else has no value here.
    Other,
}

impl DebugInfo {
    /// What a type is. The one value that a type of the standard library holds (`std::atomic<int>`) stands for it: then
    /// the offset says where that is.
    pub fn value_kind(&self, ty: TypeId) -> (ValueKind, u64) {
        let reader = self.units.reader();
        let (mut ty, mut offset) = (ty.0, 0);
        for _ in 0..PARTS_MAX {
            let Some(shape) = reader.shape(ty) else { return (ValueKind::Other, offset) };
            let kind = match shape {
                Shape::Number { encoding, size, .. } => match encoding {
                    gimli::DW_ATE_signed | gimli::DW_ATE_signed_char => {
                        ValueKind::Number { bytes: size, is_signed: true }
                    }
                    gimli::DW_ATE_unsigned
                    | gimli::DW_ATE_unsigned_char
                    | gimli::DW_ATE_boolean
                    | gimli::DW_ATE_UTF => ValueKind::Number { bytes: size, is_signed: false },
                    _ => ValueKind::Other,
                },
                Shape::Pointer { size } => ValueKind::Number { bytes: size, is_signed: false },
                Shape::Enumeration { size, values, .. } => {
                    let is_signed = values.iter().any(|(_, value)| *value < 0);
                    ValueKind::Enumeration { bytes: size, is_signed, names: values }
                }
                Shape::Array { element, lengths } => ValueKind::Array { element: TypeId(element), lengths },
                Shape::Record(record) => match reader.only_part(&record) {
                    Some(part) if part.bits.is_none() => {
                        (ty, offset) = (part.ty, offset + part.offset);
                        continue;
                    }
                    _ => ValueKind::Record,
                },
                Shape::Unknown => ValueKind::Other,
            };
            return (kind, offset);
        }
        (ValueKind::Other, offset)
    }
}
