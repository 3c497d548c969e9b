//! What is assumed about values, so that states are small.
//!
//! A `byte` that only ever holds 0 and 1 needs one bit, and a channel for twenty messages that never holds more than
//! two needs room for two. The value analysis proves some of that. The rest is assumed, from what exploring has seen,
//! and the assumption is checked wherever a value is stored or a message sent: a step that breaks it is marked as one
//! that the model is not prepared for, and the model is made again without the assumption. A search that ends without
//! meeting such a step has seen everything.

use std::collections::BTreeMap;

/// A variable of the model, whoever's: a global, or a local one by its proctype; or a field of the messages of the
/// channels that it begins with.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Subject {
    pub proctype: Option<usize>,
    pub variable: usize,
    /// None for the variable itself.
    pub field: Option<usize>,
}

/// The least and the greatest value.
pub type Bounds = (i32, i32);

/// The room for messages is kept under the field with this number.
pub const ROOM: usize = u32::MAX as usize >> 1;

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Assumptions {
    bounds: BTreeMap<Subject, Bounds>,
}

impl Assumptions {
    pub fn bounds(&self, subject: Subject) -> Option<Bounds> {
        self.bounds.get(&subject).copied()
    }

    /// The number of messages that the channels of a variable hold at most.
    pub fn room(&self, subject: Subject) -> Option<u32> {
        self.bounds(Subject { field: Some(ROOM), ..subject }).map(|(_, most)| most as u32)
    }

    /// Takes a value into account that was seen.
    pub fn see(&mut self, subject: Subject, value: i32) {
        let bounds = self.bounds.entry(subject).or_insert((value, value));
        *bounds = (bounds.0.min(value), bounds.1.max(value));
    }

    /// Assumes as much as fits into the same number of bits, rather than only what was seen.
    pub fn round_up(&mut self) {
        for (subject, (least, greatest)) in &mut self.bounds {
            if subject.field == Some(ROOM) {
                *greatest = (*greatest as u32 + 1).next_power_of_two() as i32;
                continue;
            }
            let bits = |value: i32| 32 - value.leading_zeros();
            let width = bits((*greatest).max(0)).max(bits(!(*least).min(-1)));
            *greatest = (1i32.checked_shl(width).unwrap_or(0)).wrapping_sub(1);
            *least = if *least < 0 { -*greatest - 1 } else { 0 };
        }
    }

    /// Assumes less of everything: one more bit for values, and twice the room for messages.
    pub fn widen(&mut self) {
        for (subject, (least, greatest)) in &mut self.bounds {
            *greatest = greatest.saturating_mul(2).saturating_add(1);
            if subject.field != Some(ROOM) && *least < 0 {
                *least = least.saturating_mul(2);
            }
        }
    }

    /// Assumes nothing any more.
    pub fn clear(&mut self) {
        self.bounds.clear();
    }

    /// Gives an assumption up; whether there was one.
    pub fn give_up(&mut self, subject: Subject) -> bool {
        self.bounds.remove(&subject).is_some()
    }

    /// All assumptions, to be kept with a trail.
    pub fn list(&self) -> Vec<(Subject, Bounds)> {
        self.bounds.iter().map(|(subject, bounds)| (*subject, *bounds)).collect()
    }

    pub fn assume(&mut self, subject: Subject, bounds: Bounds) {
        self.bounds.insert(subject, bounds);
    }
}
