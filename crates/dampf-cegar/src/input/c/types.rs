//! The integer types of C on a machine with 32-bit `int` and 64-bit `long`.

/// An integer type. `_Bool` is the unsigned type of one bit.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Type {
    pub is_signed: bool,
    pub bits: u32,
}

impl Type {
    pub const BOOLEAN: Type = Type { is_signed: false, bits: 1 };
    pub const CHAR: Type = Type { is_signed: true, bits: 8 };
    pub const INT: Type = Type { is_signed: true, bits: 32 };
    pub const LONG: Type = Type { is_signed: true, bits: 64 };

    pub fn unsigned(self) -> Type {
        Type { is_signed: false, ..self }
    }

    pub fn least(self) -> i128 {
        if self.is_signed { -(1 << (self.bits - 1)) } else { 0 }
    }

    pub fn greatest(self) -> i128 {
        if self.is_signed { (1 << (self.bits - 1)) - 1 } else { (1 << self.bits) - 1 }
    }

    /// How many values there are.
    pub fn modulus(self) -> i128 {
        1 << self.bits
    }

    pub fn range(self) -> Range {
        Range { least: self.least(), greatest: self.greatest() }
    }

    /// Types smaller than `int` become `int` in arithmetic.
    pub fn promoted(self) -> Type {
        if self.bits < 32 { Type::INT } else { self }
    }

    /// The type in which two operands meet.
    pub fn joined(self, other: Type) -> Type {
        let (one, other) = (self.promoted(), other.promoted());
        if one.is_signed == other.is_signed {
            return if one.bits >= other.bits { one } else { other };
        }
        let (signed, unsigned) = if one.is_signed { (one, other) } else { (other, one) };
        if unsigned.bits >= signed.bits { unsigned } else { signed }
    }

    pub fn name(self) -> &'static str {
        match (self.bits, self.is_signed) {
            (1, _) => "_Bool",
            (8, true) => "char",
            (8, false) => "unsigned char",
            (16, true) => "short",
            (16, false) => "unsigned short",
            (32, true) => "int",
            (32, false) => "unsigned",
            (_, true) => "long",
            (_, false) => "unsigned long",
        }
    }
}

/// Between which numbers a value is known to be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Range {
    pub least: i128,
    pub greatest: i128,
}

impl Range {
    pub fn of(value: i128) -> Range {
        Range { least: value, greatest: value }
    }

    /// All ranges stay far below 128 bits: values have 64 bits and every result is brought back to them.
    pub fn plus(self, factor: i128, other: Range) -> Range {
        let (one, two) = (other.least * factor, other.greatest * factor);
        Range { least: self.least + one.min(two), greatest: self.greatest + one.max(two) }
    }

    pub fn times(self, factor: i128) -> Range {
        Range::of(0).plus(factor, self)
    }

    pub fn within(self, other: Range) -> bool {
        other.least <= self.least && self.greatest <= other.greatest
    }

    /// What both say; if that is nothing, what the other says.
    pub fn clamped(self, other: Range) -> Range {
        let (least, greatest) = (self.least.max(other.least), self.greatest.min(other.greatest));
        if least <= greatest { Range { least, greatest } } else { other }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operands_meet_as_in_the_standard() {
        let unsigned = Type::INT.unsigned();
        assert_eq!(Type::CHAR.joined(Type::BOOLEAN), Type::INT);
        assert_eq!(Type::INT.joined(unsigned), unsigned);
        assert_eq!(unsigned.joined(Type::LONG), Type::LONG);
        assert_eq!(Type::LONG.unsigned().joined(Type::LONG), Type::LONG.unsigned());
        assert_eq!(Type::INT.range(), Range { least: -2147483648, greatest: 2147483647 });
        assert_eq!(Type::BOOLEAN.range(), Range { least: 0, greatest: 1 });
    }
}
