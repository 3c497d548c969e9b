//! Register contents that reach the corners: bounds, powers of two and their neighbours, and plain random numbers.

/// A stream of numbers that is the same every time.
pub struct Sequence(pub u64);

impl Sequence {
    pub fn next(&mut self) -> u64 {
        // SplitMix64.
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    pub fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }

    pub fn one_in(&mut self, count: u64) -> bool {
        self.below(count) == 0
    }

    pub fn pick<T: Copy>(&mut self, among: &[T]) -> T {
        among[self.below(among.len() as u64) as usize]
    }
}

/// An integer.
pub fn integer(sequence: &mut Sequence) -> u64 {
    match sequence.below(6) {
        0 => sequence.pick(&[0, 1, 2, u64::MAX, 7, 31, 32, 63, 64]),
        1 => {
            let power = 1u64 << sequence.below(64);
            sequence.pick(&[power, power.wrapping_sub(1), power.wrapping_neg(), power + (power != 1 << 63) as u64])
        }
        2 => sequence.next() as i32 as u64,
        3 => sequence.next() >> sequence.below(64),
        4 => ((sequence.next() as i64) >> sequence.below(64)) as u64,
        _ => sequence.next(),
    }
}

/// The layout of a floating-point format.
#[derive(Clone, Copy)]
pub struct Layout {
    pub bits: u32,
    pub fraction: u32,
}

pub const SINGLE: Layout = Layout { bits: 32, fraction: 23 };
pub const DOUBLE: Layout = Layout { bits: 64, fraction: 52 };

/// A floating-point number, as bits.
pub fn number(layout: Layout, sequence: &mut Sequence) -> u64 {
    let exponent_max = (1u64 << (layout.bits - 1 - layout.fraction)) - 1;
    let bias = exponent_max / 2;
    let exponent = match sequence.below(8) {
        // Zeros and subnormals, their neighbours, and the other end.
        0 => sequence.below(3),
        1 => exponent_max - sequence.below(3),
        // Where products of two are at the edge.
        2 => bias / 2 + sequence.below(4),
        3 => bias + bias / 2 + sequence.below(4),
        // Where conversions to integers are.
        4 => bias - 2 + sequence.below(68),
        5 => sequence.below(exponent_max + 1),
        _ => bias - 3 + sequence.below(6),
    };
    let all = (1u64 << layout.fraction) - 1;
    let fraction = match sequence.below(6) {
        0 => sequence.pick(&[0, 1, all, all - 1, all / 2, all / 2 + 1, all / 2 + 2]),
        // Few leading bits: exact results, and ties.
        1 | 2 => sequence.next() & all & !(all >> sequence.below(8)),
        3 => (sequence.next() & all) >> sequence.below(layout.fraction as u64),
        4 => all << sequence.below(layout.fraction as u64) & all,
        _ => sequence.next() & all,
    };
    (sequence.below(2) << (layout.bits - 1)) | exponent << layout.fraction | fraction
}

/// The contents of a floating-point register in a program about `layout`: mostly such numbers, sometimes others.
pub fn float(layout: Layout, sequence: &mut Sequence) -> u64 {
    let layout = if sequence.one_in(16) { sequence.pick(&[SINGLE, DOUBLE]) } else { layout };
    let bits = number(layout, sequence);
    // Now and then a single is not boxed as it should be.
    if layout.bits == 32 && !sequence.one_in(24) { bits | 0xFFFF_FFFF_0000_0000 } else { bits }
}
