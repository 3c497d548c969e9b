//! What is assumed about values, so that states are small.
//!
//! A `byte` that only ever holds 0 and 1 needs one bit, and a channel for twenty messages that never holds more than
//! two needs room for two. The value analysis proves some of that. The rest is assumed, from what exploring has seen,
//! and the assumption is checked wherever a value is stored or a message sent: a step that breaks it is marked as one
//! that the model is not prepared for, and the model is made again without the assumption. A search that ends without
//! meeting such a step has seen everything.

use crate::lower::Instance;
use std::collections::{BTreeMap, BTreeSet};

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

/// A statement of a proctype, by its place in the control structure.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Site {
    pub proctype: usize,
    pub state: usize,
    pub edge: usize,
    pub alternative: usize,
}

/// A statement of a process is expected to use no more than this number of channels, or else anything is.
const CHOICES_MAX: usize = 8;

#[derive(Clone, Debug, Default)]
pub struct Assumptions {
    bounds: BTreeMap<Subject, Bounds>,
    /// The channels that statements use, and the numbers of the processes that they start.
    choices: BTreeMap<(Instance, Site), BTreeSet<u32>>,
    /// Statements whose assumed choices were wrong before, and those of which nothing is assumed any more.
    doubted: BTreeSet<Site>,
    open: BTreeSet<Site>,
}

impl Assumptions {
    pub fn bounds(&self, subject: Subject) -> Option<Bounds> {
        self.bounds.get(&subject).copied()
    }

    /// How many assumptions there are about values.
    pub fn value_count(&self) -> usize {
        self.bounds.len()
    }

    /// What a statement of a process is assumed to choose; none if nothing is assumed.
    pub fn choices(&self, instance: Instance, site: Site) -> Option<&BTreeSet<u32>> {
        const NOTHING: &BTreeSet<u32> = &BTreeSet::new();
        let choices = self.choices.get(&(instance, site)).unwrap_or(NOTHING);
        (choices.len() <= CHOICES_MAX && !self.open.contains(&site)).then_some(choices)
    }

    /// Expects a choice; whether that is new.
    pub fn expect(&mut self, instance: Instance, site: Site, choice: u32) -> bool {
        self.choices.entry((instance, site)).or_default().insert(choice)
    }

    /// Expects a choice that a search has met. Where it is not the first surprise at this statement, of whatever
    /// process, nothing is assumed about it any more: searches restart with every surprise.
    pub fn surprise(&mut self, instance: Instance, site: Site, choice: u32) -> bool {
        let is_first = self.doubted.insert(site);
        self.expect(instance, site, choice) | (!is_first && self.open.insert(site))
    }

    /// Takes over the choices that were expected elsewhere.
    pub fn expect_as(&mut self, other: Assumptions) {
        (self.choices, self.open) = (other.choices, other.open);
    }

    pub fn expected(&self) -> impl Iterator<Item = (Instance, Site, &BTreeSet<u32>)> {
        self.choices.iter().map(|((instance, site), choices)| (*instance, *site, choices))
    }

    pub fn open_sites(&self) -> impl Iterator<Item = Site> {
        self.open.iter().copied()
    }

    pub fn open(&mut self, site: Site) {
        self.open.insert(site);
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

    /// Assumes nothing about values any more.
    pub fn clear(&mut self) {
        self.bounds.clear();
    }

    /// Gives an assumption up; whether there was one.
    pub fn give_up(&mut self, subject: Subject) -> bool {
        self.bounds.remove(&subject).is_some()
    }

    /// All assumptions about values, to be kept with a trail.
    pub fn list(&self) -> Vec<(Subject, Bounds)> {
        self.bounds.iter().map(|(subject, bounds)| (*subject, *bounds)).collect()
    }

    pub fn assume(&mut self, subject: Subject, bounds: Bounds) {
        self.bounds.insert(subject, bounds);
    }
}
