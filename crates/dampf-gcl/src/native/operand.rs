//! Values and conditions while code for them is being generated.
//!
//! Decoding a field costs a shift, a mask and an addition, and much of it is often not needed: a comparison
//! with a constant can be made on the masked word, and constants cancel out. An [`Operand`] therefore stays
//! undecoded for as long as possible.

use super::interval::Interval;
use super::lowering::Lowering;
use crate::ir::{BinaryOp, IntType};
use crate::layout::Field;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::I32;
use cranelift_codegen::ir::{InstBuilder, Value};

/// A value: what `raw` stands for, plus `offset`, wrapped to 32 bits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Operand {
    pub raw: Raw,
    pub offset: i32,
    /// What the value can be.
    pub range: Interval,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Raw {
    /// Zero: the operand is a constant.
    Nothing,
    Value(Value),
    /// A truth value: 0 or 1 in an 8-bit register.
    Truth(Value),
    /// The bits of a field, not yet extracted from its word. Where the field wraps: its decoded value.
    Field {
        word: Value,
        field: Field,
    },
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Condition {
    Known(bool),
    /// An 8-bit 0 or 1.
    Value(Value),
}

impl Operand {
    pub fn constant(value: i32) -> Operand {
        Operand { raw: Raw::Nothing, offset: value, range: Interval::point(value) }
    }

    pub fn value(value: Value, range: Interval) -> Operand {
        Operand { raw: Raw::Value(value), offset: 0, range }
    }

    /// A field's value, given the word it is in.
    pub fn field(word: Value, field: Field, range: Interval) -> Operand {
        if let Some(value) = range.constant() {
            return Operand::constant(value);
        }
        let offset = if field.wraps() { 0 } else { field.base };
        Operand { raw: Raw::Field { word, field }, offset, range: range.and(Interval::of_field(field)) }
    }

    pub fn known(self) -> Option<i32> {
        match self.raw {
            Raw::Nothing => Some(self.offset),
            _ => None,
        }
    }

    pub fn plus(self, distance: i32) -> Operand {
        let range = self.range.shifted(i64::from(distance));
        let offset = self.offset.wrapping_add(distance);
        match self.raw {
            Raw::Nothing => Operand::constant(offset),
            raw => Operand { raw, offset, range },
        }
    }

    /// The values of `raw` as a signed number, if adding the offset to it does not wrap around.
    fn raw_range(self) -> Option<Interval> {
        let (least, greatest) =
            (self.range.least - i64::from(self.offset), self.range.greatest - i64::from(self.offset));
        let full = Interval::FULL;
        (full.contains(least) && full.contains(greatest)).then_some(Interval { least, greatest })
    }
}

impl From<Condition> for Operand {
    fn from(condition: Condition) -> Operand {
        match condition {
            Condition::Known(truth) => Operand::constant(i32::from(truth)),
            Condition::Value(value) => Operand { raw: Raw::Truth(value), offset: 0, range: Interval::TRUTH },
        }
    }
}

impl Lowering<'_, '_> {
    /// The operand in a 32-bit register.
    pub fn register(&mut self, operand: Operand) -> Value {
        if let Some(constant) = operand.range.constant() {
            return self.constant(constant as u32);
        }
        let raw = self.raw_register(operand.raw);
        self.add_constant(raw, operand.offset)
    }

    fn raw_register(&mut self, raw: Raw) -> Value {
        match raw {
            Raw::Nothing => self.constant(0),
            Raw::Value(value) => value,
            Raw::Truth(value) => self.builder.ins().uextend(I32, value),
            Raw::Field { word, field } => {
                let bits = self.extract(word, field);
                if field.wraps() { self.decode(bits, field) } else { bits }
            }
        }
    }

    /// The bits of a field, at the low end of a register.
    pub fn extract(&mut self, word: Value, field: Field) -> Value {
        let shifted = self.shift_right(word, field.shift);
        if field.shift + field.bits == 32 { shifted } else { self.and_bits(shifted, field.mask()) }
    }

    fn decode(&mut self, bits: Value, field: Field) -> Value {
        let value = self.add_constant(bits, field.base);
        self.wrap(value, field.ty)
    }

    fn wrap(&mut self, value: Value, ty: IntType) -> Value {
        match (ty.bits, ty.signed) {
            (32, _) => value,
            (bits, true) => self.sign_extend(value, u32::from(bits)),
            (bits, false) => self.and_bits(value, (1 << bits) - 1),
        }
    }

    /// The operand as a variable of the type holds it.
    pub fn wrapped(&mut self, operand: Operand, ty: IntType) -> Operand {
        match operand.known() {
            Some(value) => Operand::constant(ty.wrap(value)),
            None if operand.range.is_within_type(ty) => operand,
            None => {
                let value = self.register(operand);
                Operand::value(self.wrap(value, ty), Interval::of_type(ty))
            }
        }
    }

    /// A field of an array element whose shift is computed.
    pub fn decoded(&mut self, bits: Value, field: Field) -> Operand {
        let range = Interval::of_field(field);
        match field.wraps() {
            true => Operand::value(self.decode(bits, field), range),
            false => Operand { raw: Raw::Value(bits), offset: field.base, range },
        }
    }

    /// A value that equals the operand modulo `2^bits`; cheaper where the operand is a field that wraps.
    pub fn congruent(&mut self, operand: Operand, bits: u32) -> Operand {
        match operand.raw {
            Raw::Field { word, field } if field.wraps() && u32::from(field.ty.bits) >= bits => {
                let range = Interval::between(i64::from(field.base), i64::from(field.base) + i64::from(field.mask()));
                let offset = operand.offset.wrapping_add(field.base);
                Operand {
                    raw: Raw::Value(self.extract(word, field)),
                    offset,
                    range: range.shifted(i64::from(operand.offset)),
                }
            }
            _ => operand,
        }
    }

    /// Whether the operand is not zero.
    pub fn truth(&mut self, operand: Operand) -> Condition {
        match operand.raw {
            Raw::Truth(value) if operand.offset == 0 => Condition::Value(value),
            _ => self.compare(BinaryOp::NotEqual, operand, Operand::constant(0)),
        }
    }

    pub fn not(&mut self, condition: Condition) -> Condition {
        match condition {
            Condition::Known(truth) => Condition::Known(!truth),
            Condition::Value(value) => Condition::Value(self.builder.ins().icmp_imm_u(IntCC::Equal, value, 0)),
        }
    }

    pub fn both(&mut self, left: Condition, right: Condition) -> Condition {
        match (left, right) {
            (Condition::Known(true), other) | (other, Condition::Known(true)) => other,
            (Condition::Known(false), _) | (_, Condition::Known(false)) => Condition::Known(false),
            (Condition::Value(left), Condition::Value(right)) => Condition::Value(self.builder.ins().band(left, right)),
        }
    }

    pub fn either(&mut self, left: Condition, right: Condition) -> Condition {
        match (left, right) {
            (Condition::Known(false), other) | (other, Condition::Known(false)) => other,
            (Condition::Known(true), _) | (_, Condition::Known(true)) => Condition::Known(true),
            (Condition::Value(left), Condition::Value(right)) => Condition::Value(self.builder.ins().bor(left, right)),
        }
    }

    pub fn compare(&mut self, op: BinaryOp, left: Operand, right: Operand) -> Condition {
        if let Some(truth) = Interval::binary(op, left.range, right.range).constant() {
            return Condition::Known(truth != 0);
        }
        if left.known().is_some() {
            return self.compare(op.exchanged(), right, left);
        }
        match (op, right.known()) {
            (BinaryOp::Equal | BinaryOp::NotEqual, Some(constant)) => self.compare_equal(op, left, constant),
            (BinaryOp::Equal | BinaryOp::NotEqual, None) => {
                let distance = left.offset.wrapping_sub(right.offset);
                let left = self.raw_register(left.raw);
                let (left, right) = (self.add_constant(left, distance), self.raw_register(right.raw));
                Condition::Value(self.builder.ins().icmp(code(op), left, right))
            }
            (_, Some(constant)) => self.compare_order(op, left, constant),
            (_, None) => self.compare_operands(op, left, right),
        }
    }

    fn compare_equal(&mut self, op: BinaryOp, left: Operand, constant: i32) -> Condition {
        let sought = constant.wrapping_sub(left.offset);
        match left.raw {
            Raw::Field { word, field } => {
                let Some(bits) = bits_of(field, sought) else { return Condition::Known(op == BinaryOp::NotEqual) };
                let masked = self.and_bits(word, field.mask() << field.shift);
                self.compare_with(code(op), masked, bits << field.shift)
            }
            Raw::Truth(value) => {
                let is_true = match (sought, op) {
                    (0, BinaryOp::Equal) | (1, BinaryOp::NotEqual) => false,
                    (0 | 1, _) => true,
                    _ => return Condition::Known(op == BinaryOp::NotEqual),
                };
                if is_true { Condition::Value(value) } else { self.not(Condition::Value(value)) }
            }
            raw => {
                let raw = self.raw_register(raw);
                self.compare_with(code(op), raw, sought as u32)
            }
        }
    }

    fn compare_order(&mut self, op: BinaryOp, left: Operand, constant: i32) -> Condition {
        let sought = i64::from(constant) - i64::from(left.offset);
        if left.raw_range().is_none() || !Interval::FULL.contains(sought) {
            let value = self.register(left);
            return self.compare_with(code(op), value, constant as u32);
        }
        match left.raw {
            Raw::Field { word, field } if !field.wraps() && field.bits < 32 => {
                // Only "less" and "not less" survive, against a bound that the field can reach: the word itself
                // is compared, all but the field's bits cleared.
                let (code, bound) = match op {
                    BinaryOp::Less => (IntCC::UnsignedLessThan, sought),
                    BinaryOp::LessEqual => (IntCC::UnsignedLessThan, sought + 1),
                    BinaryOp::Greater => (IntCC::UnsignedGreaterThanOrEqual, sought + 1),
                    _ => (IntCC::UnsignedGreaterThanOrEqual, sought),
                };
                if !(0..=i64::from(field.mask())).contains(&bound) {
                    let always = (code == IntCC::UnsignedLessThan) == (bound > 0);
                    return Condition::Known(always);
                }
                let top = field.shift + field.bits == 32;
                let masked = if top { word } else { self.and_bits(word, field.mask() << field.shift) };
                self.compare_with(code, masked, (bound as u32) << field.shift)
            }
            raw => {
                let raw = self.raw_register(raw);
                self.compare_with(code(op), raw, sought as i32 as u32)
            }
        }
    }

    /// An order between two values that are both unknown.
    fn compare_operands(&mut self, op: BinaryOp, left: Operand, right: Operand) -> Condition {
        let distance = i64::from(left.offset) - i64::from(right.offset);
        let moved = left.raw_range().filter(|range| {
            Interval::FULL.contains(distance)
                && Interval::FULL.contains(range.least + distance)
                && Interval::FULL.contains(range.greatest + distance)
        });
        let (left, right) = if moved.is_some() && right.raw_range().is_some() {
            let left = self.raw_register(left.raw);
            (self.add_constant(left, distance as i32), self.raw_register(right.raw))
        } else {
            (self.register(left), self.register(right))
        };
        Condition::Value(self.builder.ins().icmp(code(op), left, right))
    }
}

/// The bits with which a field holds what [`Raw::Field`] stands for; none if it cannot.
fn bits_of(field: Field, raw: i32) -> Option<u32> {
    let distance = if field.wraps() {
        if field.ty.wrap(raw) != raw {
            return None;
        }
        IntType { bits: field.ty.bits, signed: false }.wrap(raw.wrapping_sub(field.base)) as u32
    } else {
        raw as u32
    };
    (distance <= field.mask()).then_some(distance)
}

fn code(op: BinaryOp) -> IntCC {
    match op {
        BinaryOp::Equal => IntCC::Equal,
        BinaryOp::NotEqual => IntCC::NotEqual,
        BinaryOp::Less => IntCC::SignedLessThan,
        BinaryOp::LessEqual => IntCC::SignedLessThanOrEqual,
        BinaryOp::Greater => IntCC::SignedGreaterThan,
        BinaryOp::GreaterEqual => IntCC::SignedGreaterThanOrEqual,
        other => unreachable!("{other:?} is no comparison"),
    }
}
