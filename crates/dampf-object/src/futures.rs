//! What threads were seen to touch from where they stand, for [`persistent`](crate::persistent): facts about places.
//!
//! A *place* is where a thread stands between two steps: its slot, what it waits for in kind, and the calls it is in.
//! Three things are known of a place: which objects steps from there touch, which places they lead to (of the thread
//! itself, of threads that it creates), and how words of the thread's own stack change on the way. All of it is seen in
//! runs before a search. A step of the search that does something else at a place refutes what was known: the fact is
//! added and the search restarts. There are finitely many facts, since there is room for so many places and for so many
//! objects of each; where there is no room, a thread may do anything from then on.
//!
//! How words change is no assumption: it is only used to guess what makes progress, and any guess is right.

use crate::touched::{Mode, ObjectId};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// A hash of where a thread stands.
pub type Place = u64;

/// More places are not told apart.
const PLACES_MAX: usize = 1 << 13;

/// A place with more objects than this stands for everything.
const OBJECTS_MAX: usize = 1 << 11;

/// More words than this are not looked at.
const WORDS_MAX: usize = 64;

/// What is known of the steps from a place to another.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Passage {
    /// The other place is one of a thread that is created here.
    pub creates: bool,
    /// How many such steps were looked at.
    pub samples: u32,
    /// How many of them have raised, and how many lowered, a word of the thread's stack, by its address.
    pub words: BTreeMap<u64, (u32, u32)>,
}

/// What is known of a place.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PlaceFacts {
    /// Steps from here touch more than can be told.
    pub anything: bool,
    pub objects: BTreeMap<ObjectId, Mode>,
    pub passages: BTreeMap<Place, Passage>,
}

/// What is known of all places.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Futures {
    pub places: BTreeMap<Place, PlaceFacts>,
    /// Sites whose blocks on the heap are not told apart.
    pub loose_sites: BTreeSet<u32>,
    /// There are too many places, or too much was refuted: nothing is assumed any more.
    pub given_up: bool,
}

/// What stands before a place, and says what follows.
const PLACE: &str = "place";
const ANYTHING: &str = "touches-anything";
const TOUCHES: &str = "touches";
const LEADS: &str = "leads";
const GIVEN_UP: &str = "no-futures";
/// What stands before a site whose blocks are not told apart.
const LOOSE: &str = "loose-site";

impl Futures {
    pub fn is_empty(&self) -> bool {
        self.places.is_empty() && self.loose_sites.is_empty() && !self.given_up
    }

    pub fn see_place(&mut self, place: Place) {
        if !self.given_up {
            self.places.entry(place).or_default();
            if self.places.len() > PLACES_MAX {
                self.give_up();
            }
        }
    }

    pub fn see_loose(&mut self, site: u32) {
        self.loose_sites.insert(site);
    }

    pub fn give_up(&mut self) {
        self.places.clear();
        self.loose_sites.clear();
        self.given_up = true;
    }

    fn at(&mut self, place: Place) -> Option<&mut PlaceFacts> {
        self.see_place(place);
        self.places.get_mut(&place)
    }

    pub fn see_anything(&mut self, place: Place) {
        if let Some(facts) = self.at(place) {
            facts.anything = true;
            facts.objects.clear();
        }
    }

    pub fn see_object(&mut self, place: Place, object: ObjectId, mode: Mode) {
        let Some(facts) = self.at(place).filter(|facts| !facts.anything) else { return };
        let known = facts.objects.entry(object).or_default();
        *known = known.and(mode);
        if facts.objects.len() > OBJECTS_MAX {
            self.see_anything(place);
        }
    }

    /// A step has led from a place to another, and has raised or lowered these words.
    pub fn see_passage(&mut self, from: Place, to: Place, passage: &Passage) {
        self.see_place(to);
        let Some(facts) = self.at(from) else { return };
        let known = facts.passages.entry(to).or_default();
        known.creates |= passage.creates;
        known.samples += passage.samples;
        for (&word, &(raised, lowered)) in &passage.words {
            if known.words.len() < WORDS_MAX || known.words.contains_key(&word) {
                let (up, down) = known.words.entry(word).or_default();
                (*up, *down) = (*up + raised, *down + lowered);
            }
        }
    }

    /// Adds what was seen elsewhere.
    pub fn merge(&mut self, other: &Futures) {
        if other.given_up {
            self.give_up();
        }
        self.loose_sites.extend(&other.loose_sites);
        for (&place, facts) in &other.places {
            self.see_place(place);
            if facts.anything {
                self.see_anything(place);
            }
            facts.objects.iter().for_each(|(&object, &mode)| self.see_object(place, object, mode));
            facts.passages.iter().for_each(|(&to, passage)| self.see_passage(place, to, passage));
        }
    }

    /// Whether another knows something, but for how words change, that is not known here.
    pub fn learns_from(&self, other: &Futures) -> bool {
        if self.given_up || other.given_up {
            return !self.given_up;
        }
        !other.loose_sites.is_subset(&self.loose_sites)
            || other.places.iter().any(|(place, facts)| {
                let Some(known) = self.places.get(place) else { return true };
                let has_object = |(object, mode): (&ObjectId, &Mode)| {
                    known.anything || known.objects.get(object).is_some_and(|known| known.covers(*mode))
                };
                let has_passage = |(to, passage): (&Place, &Passage)| {
                    known.passages.get(to).is_some_and(|known| known.creates || !passage.creates)
                };
                facts.anything && !known.anything
                    || !facts.objects.iter().all(has_object)
                    || !facts.passages.iter().all(has_passage)
            })
    }

    /// As lines of text, for whoever makes the next model.
    pub fn write(&self, text: &mut String) {
        let mut line = |arguments: std::fmt::Arguments<'_>| {
            text.write_fmt(arguments).and_then(|()| text.write_char('\n')).expect("a string takes everything");
        };
        if self.given_up {
            line(format_args!("{GIVEN_UP}"));
        }
        for site in &self.loose_sites {
            line(format_args!("{LOOSE} {site}"));
        }
        for (place, facts) in &self.places {
            line(format_args!("{PLACE} {place}"));
            if facts.anything {
                line(format_args!("{ANYTHING} {place}"));
            }
            for (object, Mode(mode)) in &facts.objects {
                line(format_args!("{TOUCHES} {place} {object} {mode}"));
            }
            for (to, Passage { creates, samples, words }) in &facts.passages {
                let changes: String =
                    words.iter().map(|(word, (raised, lowered))| format!(" {word} {raised} {lowered}")).collect();
                line(format_args!("{LEADS} {place} {to} {} {samples}{changes}", u8::from(*creates)));
            }
        }
    }

    /// Reads what was written among other lines.
    pub fn read(text: &str) -> Futures {
        let mut futures = Futures::default();
        for line in text.lines() {
            let (kind, rest) = line.split_once(' ').unwrap_or((line, ""));
            let numbers: Vec<u64> = rest.split(' ').map_while(|number| number.parse().ok()).collect();
            match (kind, numbers.as_slice()) {
                (GIVEN_UP, []) => futures.give_up(),
                (LOOSE, &[site]) => futures.see_loose(site as u32),
                (PLACE, &[place]) => futures.see_place(place),
                (ANYTHING, &[place]) => futures.see_anything(place),
                (TOUCHES, &[place, object, mode]) => futures.see_object(place, object, Mode(mode as u8)),
                (LEADS, &[from, to, creates, samples, ref words @ ..]) => {
                    let change = |word: &[u64]| (word[0], (word[1] as u32, word[2] as u32));
                    let words = words.chunks_exact(3).map(change).collect();
                    let passage = Passage { creates: creates != 0, samples: samples as u32, words };
                    futures.see_passage(from, to, &passage);
                }
                _ => {}
            }
        }
        futures
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn some() -> Futures {
        let mut futures = Futures::default();
        futures.see_object(1, 8, Mode::READ);
        futures.see_object(1, 8, Mode::ACQUIRE);
        futures.see_anything(2);
        futures.see_loose(5);
        let words = BTreeMap::from([(64, (1, 0)), (72, (0, 1))]);
        futures.see_passage(1, 3, &Passage { creates: true, samples: 1, words });
        futures
    }

    #[test]
    fn what_is_known_reads_back_as_it_was_written() {
        let mut text = String::from("use 1 2\nplace\n");
        some().write(&mut text);
        assert_eq!(Futures::read(&text), some());
        let mut given_up = Futures::default();
        given_up.give_up();
        let mut text = String::new();
        given_up.write(&mut text);
        assert_eq!(Futures::read(&text), given_up);
    }

    #[test]
    fn only_what_is_new_is_learnt() {
        let (known, mut other) = (some(), Futures::default());
        other.see_object(1, 8, Mode::READ);
        other.see_object(2, 99, Mode::WRITE);
        other.see_passage(1, 3, &Passage::default());
        assert!(!known.learns_from(&other));
        other.see_object(1, 8, Mode::RELEASE);
        assert!(known.learns_from(&other));
        let mut merged = known.clone();
        merged.merge(&other);
        assert!(
            !merged.learns_from(&other)
                && merged.learns_from(&{
                    let mut more = Futures::default();
                    more.see_passage(3, 1, &Passage::default());
                    more
                })
        );
    }

    #[test]
    fn there_is_room_for_so_many() {
        let mut futures = Futures::default();
        (0..=OBJECTS_MAX as u64).for_each(|object| futures.see_object(7, object, Mode::READ));
        assert!(futures.places[&7].anything && futures.places[&7].objects.is_empty());
        (0..=PLACES_MAX as u64).for_each(|place| futures.see_place(place));
        assert!(futures.given_up && futures.places.is_empty());
    }
}
