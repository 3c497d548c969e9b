//! Sets of integers, exact while they are small.
//!
//! Up to [`SET_MAX`] values are kept one by one, in the order in which they were found, so that whoever has
//! seen the first `n` of them finds the new ones behind. Larger sets are intervals, which grow in jumps: first
//! to thresholds that come from the program's constants, then to the whole type. A value is within its type.

use crate::ir::IntType;

/// Sets with more values become intervals; a byte's values always stay exact.
pub const SET_MAX: usize = 256;

/// After so many changes an interval becomes the whole type.
const GROWTHS_MAX: u32 = 12;

/// A closed interval, of `i32` values; wide enough for the results of arithmetic before they wrap.
pub type Interval = (i64, i64);

pub const ALL_VALUES: Interval = (i32::MIN as i64, i32::MAX as i64);

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Values {
    /// In the order found, and in ascending order.
    Set {
        found: Vec<i32>,
        sorted: Vec<i32>,
    },
    Interval {
        bounds: Interval,
        growths: u32,
    },
}

impl Values {
    pub fn empty() -> Self {
        Values::Set { found: Vec::new(), sorted: Vec::new() }
    }

    /// All values from `least` to `greatest`.
    pub fn between(least: i32, greatest: i32) -> Self {
        let bounds = (i64::from(least), i64::from(greatest));
        if bounds.1 - bounds.0 < SET_MAX as i64 {
            let values: Vec<i32> = (least..=greatest).collect();
            return Values::Set { found: values.clone(), sorted: values };
        }
        Values::Interval { bounds, growths: 0 }
    }

    /// The values one by one, in the order found, while there are few.
    pub fn as_set(&self) -> Option<&[i32]> {
        match self {
            Values::Set { found, .. } => Some(found),
            Values::Interval { .. } => None,
        }
    }

    pub fn contains(&self, value: i32) -> bool {
        match self {
            Values::Set { sorted, .. } => sorted.binary_search(&value).is_ok(),
            Values::Interval { bounds, .. } => (bounds.0..=bounds.1).contains(&i64::from(value)),
        }
    }

    /// The smallest interval around all values; none of an empty set.
    pub fn hull(&self) -> Option<Interval> {
        match self {
            Values::Set { sorted, .. } => Some((i64::from(*sorted.first()?), i64::from(*sorted.last()?))),
            Values::Interval { bounds, .. } => Some(*bounds),
        }
    }

    /// Adds a value; whether it is new.
    pub fn add(&mut self, value: i32, ty: IntType, thresholds: &[i64]) -> bool {
        self.extend(&[value], ty, thresholds)
    }

    /// Adds values; whether one is new.
    pub fn extend(&mut self, added: &[i32], ty: IntType, thresholds: &[i64]) -> bool {
        match self {
            Values::Set { found, sorted } => {
                let before = found.len();
                for value in added {
                    if let Err(at) = sorted.binary_search(value) {
                        sorted.insert(at, *value);
                        found.push(*value);
                    }
                }
                let changed = found.len() > before;
                if let ([least, .., greatest], true) = (sorted.as_slice(), sorted.len() > SET_MAX) {
                    let bounds = (i64::from(*least), i64::from(*greatest));
                    *self = Values::Interval { bounds, growths: 0 };
                }
                changed
            }
            Values::Interval { .. } => match (added.iter().min(), added.iter().max()) {
                (Some(least), Some(greatest)) => {
                    self.add_interval((i64::from(*least), i64::from(*greatest)), ty, thresholds)
                }
                _ => false,
            },
        }
    }

    /// Adds all values of an interval within the type; whether something is new.
    pub fn add_interval(&mut self, added: Interval, ty: IntType, thresholds: &[i64]) -> bool {
        match self {
            Values::Set { .. } if added.1 - added.0 < SET_MAX as i64 => {
                let values: Vec<i32> = (added.0..=added.1).map(|value| value as i32).collect();
                self.extend(&values, ty, thresholds)
            }
            Values::Set { .. } => {
                let hull = self.hull().unwrap_or(added);
                let bounds = (hull.0.min(added.0), hull.1.max(added.1));
                *self = Values::Interval { bounds, growths: 0 };
                true
            }
            Values::Interval { bounds, growths } => {
                if added.0 >= bounds.0 && added.1 <= bounds.1 {
                    return false;
                }
                *growths += 1;
                let (least, greatest) = (i64::from(ty.range().0), i64::from(ty.range().1));
                let patient = *growths <= GROWTHS_MAX;
                if added.0 < bounds.0 {
                    let at = thresholds.partition_point(|&threshold| threshold <= added.0);
                    let threshold = at.checked_sub(1).map_or(least, |at| thresholds[at]);
                    bounds.0 = if patient { threshold.max(least) } else { least };
                }
                if added.1 > bounds.1 {
                    let at = thresholds.partition_point(|&threshold| threshold < added.1);
                    let threshold = thresholds.get(at).copied().unwrap_or(greatest);
                    bounds.1 = if patient { threshold.min(greatest) } else { greatest };
                }
                true
            }
        }
    }
}

/// What storing some value of an interval into a variable of a type can leave there: an interval, or single
/// values where the interval wraps around and is small.
pub fn wrap_interval(interval: Interval, ty: IntType) -> Wrapped {
    let (least, greatest) = (i64::from(ty.range().0), i64::from(ty.range().1));
    if interval.0 >= least && interval.1 <= greatest {
        return Wrapped::Interval(interval);
    }
    let modulus = 1i64 << ty.bits;
    let turns = (interval.0 - least).div_euclid(modulus);
    if (interval.1 - least).div_euclid(modulus) == turns {
        return Wrapped::Interval((interval.0 - turns * modulus, interval.1 - turns * modulus));
    }
    if interval.1 - interval.0 < SET_MAX as i64 {
        return Wrapped::Values((interval.0..=interval.1).map(|value| ty.wrap(value as i32)).collect());
    }
    Wrapped::Interval((least, greatest))
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Wrapped {
    Interval(Interval),
    Values(Vec<i32>),
}

impl Wrapped {
    pub fn hull(&self) -> Interval {
        match self {
            Wrapped::Interval(interval) => *interval,
            Wrapped::Values(values) => {
                let bound = |value: Option<&i32>| i64::from(*value.expect("an interval is not empty"));
                (bound(values.iter().min()), bound(values.iter().max()))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrapped_interval_holds_what_its_values_wrap_to() {
        for ty in [IntType { bits: 3, signed: false }, IntType { bits: 3, signed: true }, IntType::BIT] {
            for least in -20i64..20 {
                for greatest in least..20 {
                    let wrapped = wrap_interval((least, greatest), ty);
                    let mut expected: Vec<i32> = (least..=greatest).map(|value| ty.wrap(value as i32)).collect();
                    expected.sort_unstable();
                    expected.dedup();
                    let mut values = match wrapped {
                        Wrapped::Values(values) => values,
                        Wrapped::Interval((least, greatest)) => (least as i32..=greatest as i32).collect(),
                    };
                    values.sort_unstable();
                    values.dedup();
                    assert_eq!(values, expected);
                }
            }
        }
    }

    #[test]
    fn large_sets_become_intervals_that_jump_to_thresholds() {
        let mut values = Values::empty();
        for value in 0..300 {
            assert!(values.add(value, IntType::I16, &[-1, 1000]) || value > 257);
        }
        assert_eq!(values.hull(), Some((0, 1000)));
        assert!(values.add(-7, IntType::I16, &[-1, 1000]));
        assert_eq!(values.hull(), Some((-32768, 1000)));
    }
}
