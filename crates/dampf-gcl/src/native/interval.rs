//! Intervals of 32-bit values: what is known about a value when code for it is generated.
//!
//! Invariant: an interval is not empty and lies within the 32-bit integers. Where an operation might wrap
//! around, nothing is known about its result.

use crate::ir::{BinaryOp, IntType};
use crate::layout::Field;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Interval {
    pub least: i64,
    pub greatest: i64,
}

impl Interval {
    pub const FULL: Interval = Interval { least: i32::MIN as i64, greatest: i32::MAX as i64 };
    pub const TRUTH: Interval = Interval { least: 0, greatest: 1 };

    pub fn point(value: i32) -> Interval {
        Interval { least: i64::from(value), greatest: i64::from(value) }
    }

    /// The interval between two bounds, or everything if they are no 32-bit values.
    pub fn between(least: i64, greatest: i64) -> Interval {
        let fits = Interval::FULL.least <= least && least <= greatest && greatest <= Interval::FULL.greatest;
        if fits { Interval { least, greatest } } else { Interval::FULL }
    }

    pub fn of_type(ty: IntType) -> Interval {
        let (least, greatest) = ty.range();
        Interval::between(i64::from(least), i64::from(greatest))
    }

    /// The values that a field can hold, whatever its bits are.
    pub fn of_field(field: Field) -> Interval {
        if field.bits == 0 {
            return Interval::point(field.ty.wrap(field.base));
        }
        if field.wraps() {
            return Interval::of_type(field.ty);
        }
        Interval::between(i64::from(field.base), i64::from(field.base) + i64::from(field.mask()))
    }

    /// The only value, if there is only one.
    pub fn constant(self) -> Option<i32> {
        (self.least == self.greatest).then_some(self.least as i32)
    }

    pub fn contains(self, value: i64) -> bool {
        self.least <= value && value <= self.greatest
    }

    pub fn is_within(self, least: i64, greatest: i64) -> bool {
        least <= self.least && self.greatest <= greatest
    }

    pub fn is_within_type(self, ty: IntType) -> bool {
        let of_type = Interval::of_type(ty);
        self.is_within(of_type.least, of_type.greatest)
    }

    /// What both know. Contradicting knowledge belongs to code that is never reached: any answer is right.
    pub fn and(self, other: Interval) -> Interval {
        let (least, greatest) = (self.least.max(other.least), self.greatest.min(other.greatest));
        if least <= greatest { Interval { least, greatest } } else { self }
    }

    /// What is known if either holds.
    pub fn or(self, other: Interval) -> Interval {
        Interval { least: self.least.min(other.least), greatest: self.greatest.max(other.greatest) }
    }

    pub fn shifted(self, distance: i64) -> Interval {
        Interval::between(self.least + distance, self.greatest + distance)
    }

    pub fn negated(self) -> Interval {
        Interval::between(-self.greatest, -self.least)
    }

    /// The result of a binary operation on values of two intervals.
    pub fn binary(op: BinaryOp, left: Interval, right: Interval) -> Interval {
        use BinaryOp as Op;
        if let (Some(left), Some(right)) = (left.constant(), right.constant()) {
            return op.apply(left, right).map_or(Interval::FULL, Interval::point);
        }
        let of_corners = |apply: &dyn Fn(i64, i64) -> i64| {
            let corners = [
                apply(left.least, right.least),
                apply(left.least, right.greatest),
                apply(left.greatest, right.least),
                apply(left.greatest, right.greatest),
            ];
            let (least, greatest) = (corners.iter().min(), corners.iter().max());
            Interval::between(*least.expect("four corners"), *greatest.expect("four corners"))
        };
        let both_non_negative = left.least >= 0 && right.least >= 0;
        match op {
            Op::Add => Interval::between(left.least + right.least, left.greatest + right.greatest),
            Op::Subtract => Interval::between(left.least - right.greatest, left.greatest - right.least),
            Op::Multiply => of_corners(&|left, right| left * right),
            Op::Divide if right.least > 0 => of_corners(&|left, right| left / right),
            Op::Remainder if right.least > 0 => {
                let most = right.greatest - 1;
                Interval::between(left.least.clamp(-most, 0), left.greatest.clamp(0, most))
            }
            Op::BitAnd if right.least >= 0 && left.least >= 0 => {
                Interval::between(0, left.greatest.min(right.greatest))
            }
            Op::BitAnd if right.least >= 0 => Interval::between(0, right.greatest),
            Op::BitAnd if left.least >= 0 => Interval::between(0, left.greatest),
            Op::BitOr | Op::BitXor if both_non_negative => {
                let bits = 64 - (left.greatest | right.greatest).leading_zeros();
                Interval::between(0, (1 << bits) - 1)
            }
            Op::ShiftRight if right.is_within(0, 31) => of_corners(&|left, right| left >> right),
            Op::ShiftLeft if right.is_within(0, 31) => of_corners(&|left, right| left << right),
            _ if op.is_truth() => Interval::truth(op, left, right),
            _ => Interval::FULL,
        }
    }

    /// The result of an operation that yields 0 or 1.
    fn truth(op: BinaryOp, left: Interval, right: Interval) -> Interval {
        use BinaryOp as Op;
        let certain = match op {
            Op::Equal => left.is_apart(right).then_some(0),
            Op::NotEqual => left.is_apart(right).then_some(1),
            Op::Less => left.is_less(right),
            Op::GreaterEqual => left.is_less(right).map(|less| 1 - less),
            Op::Greater => right.is_less(left),
            Op::LessEqual => right.is_less(left).map(|less| 1 - less),
            Op::And if left.constant() == Some(0) || right.constant() == Some(0) => Some(0),
            Op::And => (!left.contains(0) && !right.contains(0)).then_some(1),
            Op::Or if !left.contains(0) || !right.contains(0) => Some(1),
            Op::Or => (left.constant() == Some(0) && right.constant() == Some(0)).then_some(0),
            _ => None,
        };
        certain.map_or(Interval::TRUTH, Interval::point)
    }

    fn is_apart(self, other: Interval) -> bool {
        self.greatest < other.least || other.greatest < self.least
    }

    /// Whether every value here is less than every value there (1), or none is (0).
    fn is_less(self, other: Interval) -> Option<i32> {
        match (self.greatest < other.least, self.least >= other.greatest) {
            (true, _) => Some(1),
            (_, true) => Some(0),
            _ => None,
        }
    }
}

impl BinaryOp {
    /// Whether the result is always 0 or 1.
    pub(crate) fn is_truth(self) -> bool {
        use BinaryOp as Op;
        self.is_comparison() || matches!(self, Op::And | Op::Or)
    }

    pub(crate) fn is_comparison(self) -> bool {
        use BinaryOp as Op;
        matches!(self, Op::Equal | Op::NotEqual | Op::Less | Op::LessEqual | Op::Greater | Op::GreaterEqual)
    }

    /// The comparison that holds exactly where this one does not.
    pub(crate) fn complement(self) -> BinaryOp {
        use BinaryOp as Op;
        match self {
            Op::Equal => Op::NotEqual,
            Op::NotEqual => Op::Equal,
            Op::Less => Op::GreaterEqual,
            Op::GreaterEqual => Op::Less,
            Op::Greater => Op::LessEqual,
            Op::LessEqual => Op::Greater,
            other => other,
        }
    }

    /// The comparison with its operands exchanged.
    pub(crate) fn exchanged(self) -> BinaryOp {
        use BinaryOp as Op;
        match self {
            Op::Less => Op::Greater,
            Op::Greater => Op::Less,
            Op::LessEqual => Op::GreaterEqual,
            Op::GreaterEqual => Op::LessEqual,
            other => other,
        }
    }
}
