//! Many states packed together: what a message, a checkpoint or a question about one state is made of.
//!
//! A state is written as its difference to the state before it. Neighbours are mostly successors of one state, so that
//! a few bytes are left of it.

use crate::library::SharedAuthor;
use crate::passage::{Arrivals, Departures};
use crate::wire::{Garbled, Reader, Write};
use dampf_core::{Transfer, Word};
use serde::{Deserialize, Serialize};

/// What travels with a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Companion {
    /// The first bits of the reference of the state it was reached from.
    pub parent: u32,
    /// Steps from an initial state, on the way it was reached.
    pub depth: u32,
    /// The label of the step that led there.
    pub label: u32,
    /// In a predictable search: the position of the state it was reached from in its level, and the step's index there.
    pub place: (u64, u32),
    /// In a checkpoint of a predictable search: its own position in its level.
    pub position: u64,
    /// In a search for cycles: the fingerprint of an accepting state before it; 0 where none is known.
    pub accepting: u64,
}

/// How many bits of the parent's reference travel.
pub const PARENT_BITS: u32 = 24;
/// The bits of a parent of which nothing is known.
pub const UNKNOWN_PARENT: u32 = (1 << PARENT_BITS) - 1;

/// Which companions are written. The same on all ranks.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub struct Format {
    pub depths: bool,
    pub labels: bool,
    pub places: bool,
    pub positions: bool,
    #[serde(default)]
    pub accepting: bool,
    pub parts: bool,
}

/// Packs states for one reader, who reads all parcels in the order they were packed.
pub struct Packer {
    format: Format,
    departures: Departures,
    bytes: Vec<u8>,
    count: u64,
    /// The state written last.
    last: Vec<Word>,
}

impl Packer {
    pub fn new(width: usize, format: Format) -> Self {
        Packer { format, departures: Departures::default(), bytes: Vec::new(), count: 0, last: vec![0; width] }
    }

    /// Changes what is written, before the first state was packed.
    pub fn set_format(&mut self, format: Format) {
        debug_assert_eq!(self.count, 0, "a parcel has one format");
        self.format = format;
    }

    /// A packer whose reader finds the contents of states in a library.
    pub fn through(library: SharedAuthor, width: usize, format: Format) -> Self {
        Packer { departures: Departures::through(library), ..Packer::new(width, format) }
    }

    #[inline]
    pub fn push<M: Transfer>(&mut self, model: &M, state: &[Word], companion: &Companion) {
        if self.format.parts {
            let shape = self.departures.describe(model, state);
            self.bytes.number(shape);
        }
        self.bytes.difference(state, &self.last);
        // A loop, because most states are shorter than what a call costs.
        self.last.iter_mut().zip(state).for_each(|(last, &word)| *last = word);
        self.bytes.extend_from_slice(&companion.parent.to_le_bytes()[..3]);
        if self.format.depths {
            self.bytes.number(u64::from(companion.depth));
        }
        if self.format.labels {
            self.bytes.number(u64::from(companion.label));
        }
        if self.format.places {
            self.bytes.number(companion.place.0);
            self.bytes.number(u64::from(companion.place.1));
        }
        if self.format.positions {
            self.bytes.number(companion.position);
        }
        if self.format.accepting {
            self.bytes.number(companion.accepting);
        }
        self.count += 1;
    }

    /// A packer for states that travel one by one, without companions.
    pub fn of_single<M: Transfer>(model: &M) -> Self {
        Packer::new(model.width(), one(model))
    }

    /// A parcel with one state, in which parts are described that were not before.
    pub fn pack_single<M: Transfer>(&mut self, model: &M, state: &[Word]) -> Vec<u8> {
        self.push(model, state, &Companion::default());
        let (parcel, _) = self.take().expect("a state was packed");
        parcel
    }

    /// States that are packed and were not taken yet.
    #[inline]
    pub fn count(&self) -> u64 {
        self.count
    }

    #[inline]
    pub fn size(&self) -> usize {
        self.bytes.len() + self.departures.described_bytes()
    }

    /// The parcel, with the number of its bytes that describe parts; none where nothing was packed.
    pub fn take(&mut self) -> Option<(Vec<u8>, usize)> {
        if self.count == 0 {
            return None;
        }
        let descriptions = self.departures.take();
        let mut parcel = Vec::with_capacity(self.bytes.len() + descriptions.len() + 16);
        parcel.number(self.count);
        if self.format.parts {
            parcel.bytes(&descriptions);
        }
        parcel.extend_from_slice(&self.bytes);
        self.bytes.clear();
        self.last.fill(0);
        self.count = 0;
        Some((parcel, descriptions.len()))
    }
}

/// Reads the states of a parcel. Calls `visit` with each, in this process's names.
pub fn unpack<M: Transfer>(
    model: &M,
    format: Format,
    arrivals: &mut Arrivals,
    parcel: &[u8],
    words: &mut [Word],
    mut visit: impl FnMut(&[Word], Companion),
) -> Result<(), Garbled> {
    let mut reader = Reader::new(parcel);
    let count = reader.number()?;
    if format.parts {
        let descriptions = reader.bytes()?;
        arrivals.learn(model, descriptions)?;
    }
    let mut theirs = vec![0; words.len()];
    let (mut before, mut shape_before) = (theirs.clone(), None);
    for _ in 0..count {
        if format.parts {
            let shape = reader.number()?;
            reader.difference(&mut theirs)?;
            let is_similar = shape_before == Some(shape);
            arrivals.translate_state(shape, &theirs, is_similar.then_some(&before), words)?;
            before.copy_from_slice(&theirs);
            shape_before = Some(shape);
        } else {
            reader.difference(&mut theirs)?;
            words.iter_mut().zip(&theirs).for_each(|(word, &theirs)| *word = theirs);
        }
        let mut companion = Companion { parent: reader.three_bytes()?, ..Companion::default() };
        if format.depths {
            companion.depth = reader.word()?;
        }
        if format.labels {
            companion.label = reader.word()?;
        }
        if format.places {
            companion.place = (reader.number()?, reader.word()?);
        }
        if format.positions {
            companion.position = reader.number()?;
        }
        if format.accepting {
            companion.accepting = reader.number()?;
        }
        visit(words, companion);
    }
    if reader.is_empty() { Ok(()) } else { Err(Garbled) }
}

/// One state with all its parts, for a reader who knows nothing.
pub fn pack_one<M: Transfer>(model: &M, state: &[Word]) -> Vec<u8> {
    Packer::of_single(model).pack_single(model, state)
}

pub fn unpack_one<M: Transfer>(model: &M, parcel: &[u8]) -> Result<Vec<Word>, Garbled> {
    unpack_single(model, &mut Arrivals::default(), parcel)
}

/// A state that was packed by itself, where others may have been packed before.
pub fn unpack_single<M: Transfer>(model: &M, arrivals: &mut Arrivals, parcel: &[u8]) -> Result<Vec<Word>, Garbled> {
    let mut words = vec![0; model.width()];
    let mut state = None;
    unpack(model, one(model), arrivals, parcel, &mut words, |words, _| state = Some(words.to_vec()))?;
    state.ok_or(Garbled)
}

fn one<M: Transfer>(model: &M) -> Format {
    Format { depths: false, labels: false, places: false, positions: false, accepting: false, parts: model.has_parts() }
}
