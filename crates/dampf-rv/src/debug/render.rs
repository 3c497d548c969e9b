//! Values as text, in the manner of a C initialiser.
//!
//! What is shown is bounded in depth, in elements and in length: a trail shows many values, and a value in a damaged
//! program may be of any size.

use std::fmt::Write;

use gimli::DwAte;

use super::reader::Reader;
use super::types::{Bits, Member, Record, Shape};

const DEPTH_MAX: usize = 6;
const LAYERS_MAX: usize = 16;
const ELEMENTS_MAX: usize = 16;
const TEXT_LENGTH_MAX: usize = 400;

/// Writes one value.
pub(super) struct Painter<'r, 'a> {
    reader: &'r Reader<'a>,
    text: String,
}

impl<'r, 'a> Painter<'r, 'a> {
    pub fn paint(reader: &'r Reader<'a>, ty: usize, bytes: &[u8]) -> String {
        let mut painter = Painter { reader, text: String::new() };
        painter.value(ty, bytes, 0);
        painter.text
    }

    fn is_full(&self) -> bool {
        self.text.len() > TEXT_LENGTH_MAX
    }

    fn put(&mut self, text: &str) {
        self.text.push_str(text);
    }

    fn value(&mut self, ty: usize, bytes: &[u8], depth: usize) {
        self.layered_value(ty, bytes, depth, 0);
    }

    /// A value that lies in some layers of the standard library.
    fn layered_value(&mut self, ty: usize, bytes: &[u8], depth: usize, layers: usize) {
        match self.reader.shape(ty) {
            Some(Shape::Number { encoding, size, name }) => match part(bytes, 0, size) {
                Some(bytes) => self.put(&number(encoding, &name, bytes)),
                None => self.put("?"),
            },
            Some(Shape::Pointer { size }) => match part(bytes, 0, size).map(unsigned) {
                Some(0) => self.put("null"),
                Some(address) => self.put(&format!("{address:#x}")),
                None => self.put("?"),
            },
            Some(Shape::Enumeration { size, scope, values }) => match part(bytes, 0, size) {
                Some(bytes) => self.put(&enumerator(scope.as_deref(), &values, bytes)),
                None => self.put("?"),
            },
            Some(Shape::Record(record)) => match self.reader.only_part(&record) {
                // The layers of the standard library are not depth that anybody sees.
                Some(only) if layers < LAYERS_MAX => {
                    self.layered_value(only.ty, from(bytes, only.offset), depth, layers + 1)
                }
                _ => self.record(&record, bytes, depth),
            },
            Some(Shape::Array { element, lengths }) => self.array(element, &lengths, bytes, depth),
            Some(Shape::Unknown) | None => self.put("?"),
        }
    }

    fn record(&mut self, record: &Record, bytes: &[u8], depth: usize) {
        if depth >= DEPTH_MAX {
            return self.put("{...}");
        }
        self.put("{");
        let mut first = true;
        self.members(record, bytes, depth, &mut first);
        self.put("}");
    }

    /// The members of a record, with those of its bases and anonymous parts in their places.
    fn members(&mut self, record: &Record, bytes: &[u8], depth: usize, first: &mut bool) {
        let mut hidden = false;
        for member in &record.members {
            if self.is_full() {
                hidden = true;
                break;
            }
            let Some(name) = &member.name else {
                if depth < DEPTH_MAX
                    && let Some(Shape::Record(inner)) = self.reader.shape(member.ty)
                {
                    self.members(&inner, from(bytes, member.offset), depth + 1, first);
                }
                continue;
            };
            if member.is_reserved() {
                hidden = true;
                continue;
            }
            if !std::mem::take(first) {
                self.put(", ");
            }
            let _ = write!(self.text, "{name} = ");
            self.member(member, bytes, depth);
        }
        if hidden {
            self.put(if std::mem::take(first) { "..." } else { ", ..." });
        }
    }

    fn member(&mut self, member: &Member, bytes: &[u8], depth: usize) {
        match member.bits {
            None => self.value(member.ty, from(bytes, member.offset), depth + 1),
            Some(bits) => {
                let is_signed = |encoding| matches!(encoding, gimli::DW_ATE_signed | gimli::DW_ATE_signed_char);
                let shape = self.reader.shape(member.ty);
                let signed = matches!(shape, Some(Shape::Number { encoding, .. }) if is_signed(encoding));
                match bit_field(bytes, bits, signed) {
                    Some(value) => self.value(member.ty, &value.to_le_bytes(), depth + 1),
                    None => self.put("?"),
                }
            }
        }
    }

    fn array(&mut self, element: usize, lengths: &[Option<u64>], bytes: &[u8], depth: usize) {
        let size = self.reader.size_of(element);
        let Some((&length, inner)) = lengths.split_first() else { return self.value(element, bytes, depth + 1) };
        let inner_count = inner.iter().fold(1u64, |count, length| count.saturating_mul(length.unwrap_or(0)));
        let stride = size.saturating_mul(inner_count);
        let available = (bytes.len() as u64).checked_div(stride).unwrap_or(0);
        let length = length.unwrap_or(available);
        if depth >= DEPTH_MAX {
            return self.put("{...}");
        }
        if inner.is_empty() && self.is_text(element) {
            return self.put(&quoted(&bytes[..bytes.len().min(usize::try_from(length).unwrap_or(usize::MAX))]));
        }
        self.put("{");
        for index in 0..length {
            if index > 0 {
                self.put(", ");
            }
            if index >= ELEMENTS_MAX as u64 || self.is_full() {
                self.put("...");
                break;
            }
            let rest = from(bytes, index.saturating_mul(stride));
            if inner.is_empty() {
                self.value(element, rest, depth + 1)
            } else {
                self.array(element, inner, rest, depth + 1)
            }
        }
        self.put("}");
    }

    fn is_text(&self, element: usize) -> bool {
        matches!(self.reader.shape(element), Some(Shape::Number { name, size: 1, .. }) if name == "char" || name == "char8_t")
    }
}

/// The bytes from an offset on; none left where it lies outside.
fn from(bytes: &[u8], offset: u64) -> &[u8] {
    usize::try_from(offset).ok().and_then(|offset| bytes.get(offset..)).unwrap_or(&[])
}

fn part(bytes: &[u8], offset: u64, size: u64) -> Option<&[u8]> {
    from(bytes, offset).get(..usize::try_from(size).ok()?)
}

/// A little-endian number of up to 16 bytes.
fn unsigned(bytes: &[u8]) -> u128 {
    bytes.iter().take(16).rev().fold(0, |value, &byte| value << 8 | u128::from(byte))
}

fn signed(bytes: &[u8]) -> i128 {
    sign_extend(unsigned(bytes), bytes.len().min(16) as u32 * 8)
}

fn sign_extend(value: u128, bits: u32) -> i128 {
    match bits {
        0 | 128.. => value as i128,
        bits => ((value << (128 - bits)) as i128) >> (128 - bits),
    }
}

fn bit_field(bytes: &[u8], bits: Bits, is_signed: bool) -> Option<i128> {
    if bits.count == 0 || bits.count > 64 {
        return None;
    }
    let shift = bits.first % 8;
    let value = unsigned(part(bytes, bits.first / 8, (shift + bits.count).div_ceil(8))?) >> shift;
    let value = value & ((1 << bits.count) - 1);
    Some(if is_signed { sign_extend(value, bits.count as u32) } else { value as i128 })
}

fn number(encoding: DwAte, name: &str, bytes: &[u8]) -> String {
    let is_character = matches!(name, "char" | "char8_t" | "char16_t" | "char32_t" | "wchar_t");
    match encoding {
        gimli::DW_ATE_boolean => match unsigned(bytes) {
            0 => "false".to_owned(),
            1 => "true".to_owned(),
            other => other.to_string(),
        },
        gimli::DW_ATE_float => float(bytes),
        gimli::DW_ATE_complex_float => {
            let (real, imaginary) = bytes.split_at(bytes.len() / 2);
            format!("{} + {}i", float(real), float(imaginary))
        }
        _ if is_character => character(unsigned(bytes)),
        gimli::DW_ATE_signed | gimli::DW_ATE_signed_char => signed(bytes).to_string(),
        gimli::DW_ATE_address => format!("{:#x}", unsigned(bytes)),
        _ => unsigned(bytes).to_string(),
    }
}

fn character(code: u128) -> String {
    match u32::try_from(code).ok().and_then(char::from_u32) {
        Some('\'') => "'\\''".to_owned(),
        Some('"') => "'\"'".to_owned(),
        Some(letter) => format!("'{}'", escaped(letter)),
        None => code.to_string(),
    }
}

fn escaped(letter: char) -> String {
    match letter {
        '\0' => "\\0".to_owned(),
        '\n' | '\t' | '\r' | '\\' | '"' => letter.escape_default().to_string(),
        letter if letter.is_control() => format!("\\x{:02x}", u32::from(letter)),
        letter => letter.to_string(),
    }
}

/// The text before the first zero byte, in quotes.
fn quoted(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
    let shown = &bytes[..end.min(TEXT_LENGTH_MAX / 4)];
    let text: String = String::from_utf8_lossy(shown).chars().map(escaped).collect();
    let more = if shown.len() < end { "..." } else { "" };
    format!("\"{text}\"{more}")
}

fn float(bytes: &[u8]) -> String {
    if let Ok(bytes) = bytes.try_into() {
        return format!("{:?}", f32::from_le_bytes(bytes));
    }
    if let Ok(bytes) = bytes.try_into() {
        return format!("{:?}", f64::from_le_bytes(bytes));
    }
    match bytes.len() {
        16 => format!("{:?}", quad(unsigned(bytes))),
        _ => format!("{:#x}", unsigned(bytes)),
    }
}

/// A quadruple-precision number, rounded to double: enough to read it.
fn quad(bits: u128) -> f64 {
    let negative = bits >> 127 == 1;
    let exponent = (bits >> 112 & 0x7fff) as i32;
    let fraction = (bits << 16 >> 16) as f64 / (1u128 << 112) as f64;
    let magnitude = match exponent {
        0 => 0.0,
        0x7fff if fraction == 0.0 => f64::INFINITY,
        0x7fff => f64::NAN,
        exponent => (1.0 + fraction) * 2f64.powi(exponent - 16383),
    };
    if negative { -magnitude } else { magnitude }
}

/// The name of an enumeration's value, or several names where each stands for a bit.
fn enumerator(scope: Option<&str>, values: &[(String, i128)], bytes: &[u8]) -> String {
    let scoped = |name: &str| scope.map_or_else(|| name.to_owned(), |scope| format!("{scope}::{name}"));
    let number = unsigned(bytes) as i128;
    let negative = signed(bytes);
    let exact = values.iter().find(|(_, value)| *value == number || *value == negative);
    if let Some((name, _)) = exact {
        return scoped(name);
    }
    let is_bit = |value: i128| value > 0 && value & (value - 1) == 0;
    let bits = values.iter().filter(|(_, value)| is_bit(*value) && number & value != 0);
    let (names, covered) = bits.fold((Vec::new(), 0), |(mut names, covered), (name, value)| {
        if covered & value == 0 {
            names.push(scoped(name));
        }
        (names, covered | value)
    });
    if !names.is_empty() && covered == number { names.join(" | ") } else { negative.to_string() }
}
