//! Parts of states on their way to another process.
//!
//! A state travels as its words, and these name parts by names that mean something to the sender only. So the sender
//! first describes every part that the receiver has not been told of, those it is made of before it, and the receiver
//! keeps a dictionary per sender. A part crosses the network once per pair of ranks, however many states name it.
//!
//! Where the ranks have a library ([`crate::library`]), only the places of parts are told, and the contents are read
//! there.
//!
//! Which positions of a state (or of a part) hold names, and of which kinds, is a [`Shape`]. There are few, so they are
//! numbered and described once too. A model without parts has no shapes: its words travel bare.

use crate::library::{Library, SharedAuthor, Visitor};
use crate::wire::{Garbled, Reader, Write};
use dampf_core::{Part, Transfer, Word};
use dampf_net::Rank;
use std::collections::{HashMap, HashSet};
use std::path::Path;

/// Positions of names and the kinds of what they name.
type Shape = Vec<(usize, u32)>;

/// What one rank has told another.
#[derive(Default)]
pub struct Departures {
    told: HashSet<Part>,
    /// Where contents go instead of into descriptions.
    library: Option<SharedAuthor>,
    shapes: HashMap<Shape, u64>,
    /// Descriptions since they were last taken.
    descriptions: Vec<u8>,
    last: LastState,
    scratch: Shape,
    last_shape: Option<(Shape, u64)>,
}

/// The state that was described last, with the names in it and the number of its shape. Of a state with hundreds of
/// names, nearly all stood in the one before.
#[derive(Default)]
struct LastState {
    words: Vec<Word>,
    names: Shape,
    shape: Option<u64>,
}

impl LastState {
    /// Whether the name that is found next stood in the same place.
    #[inline]
    fn has(&self, number: usize, position: usize, part: Part) -> bool {
        self.names.get(number) == Some(&(position, part.kind)) && self.words[position] == part.name
    }
}

const SHAPE: u64 = 0;
const PART: u64 = 1;
const PLACE: u64 = 2;

impl Departures {
    /// With contents that go into a file.
    pub fn through(library: SharedAuthor) -> Self {
        Departures { library: Some(library), ..Departures::default() }
    }

    /// Describes what the receiver has to know of a state, and returns the number of the state's shape.
    pub fn describe<M: Transfer>(&mut self, model: &M, state: &[Word]) -> u64 {
        let mut names = std::mem::take(&mut self.scratch);
        names.clear();
        let mut parts = Vec::new();
        model.parts_of_state(state, &mut |position, part| {
            let is_known = self.last.has(names.len(), position, part) || self.told.contains(&part);
            names.push((position, part.kind));
            if !is_known {
                parts.push(part);
            }
        });
        parts.into_iter().for_each(|part| self.tell(model, part));
        let number = match self.last.shape {
            Some(number) if self.last.names == names => number,
            _ => self.shape(&names),
        };
        self.last.words.clear();
        self.last.words.extend_from_slice(state);
        self.last.shape = Some(number);
        self.scratch = std::mem::replace(&mut self.last.names, names);
        number
    }

    /// What was described since the last call.
    pub fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.descriptions)
    }

    pub fn described_bytes(&self) -> usize {
        self.descriptions.len()
    }

    /// Says where a part is, or what.
    fn tell<M: Transfer>(&mut self, model: &M, part: Part) {
        let place = self
            .library
            .as_ref()
            .and_then(|library| library.lock().expect("nothing panics under this lock").place(model, part));
        let Some(place) = place else { return self.describe_part(model, part) };
        if self.told.insert(part) {
            let out = &mut self.descriptions;
            [PLACE, u64::from(part.kind), u64::from(part.name), place]
                .into_iter()
                .for_each(|number| out.number(number));
        }
    }

    fn describe_part<M: Transfer>(&mut self, model: &M, part: Part) {
        if !self.told.insert(part) {
            return;
        }
        let mut contents = Vec::new();
        let (mut names, mut inner) = (Shape::new(), Vec::new());
        model.part(part, &mut contents, &mut |position, part| {
            names.push((position, part.kind));
            inner.push(part);
        });
        inner.into_iter().for_each(|part| self.describe_part(model, part));
        let shape = self.shape(&names);
        let out = &mut self.descriptions;
        out.number(PART);
        out.number(u64::from(part.kind));
        out.number(u64::from(part.name));
        out.number(shape);
        out.words(&contents);
    }

    fn shape(&mut self, names: &Shape) -> u64 {
        if let Some((last, number)) = &self.last_shape
            && last == names
        {
            return *number;
        }
        let next = self.shapes.len() as u64;
        let number = *self.shapes.entry(names.clone()).or_insert(next);
        if number == next {
            let out = &mut self.descriptions;
            out.number(SHAPE);
            out.number(names.len() as u64);
            for &(position, kind) in names {
                out.number(position as u64);
                out.number(u64::from(kind));
            }
        }
        self.last_shape = Some((names.clone(), number));
        number
    }
}

/// What one rank was told by another.
#[derive(Default)]
pub struct Arrivals {
    names: HashMap<Part, Word>,
    shapes: Vec<Shape>,
    library: Option<Visitor>,
}

impl Arrivals {
    /// With contents that are read from a rank's file, where there is a library.
    pub fn from_rank(rank: Rank, library: Option<&Library>) -> Self {
        Arrivals { library: library.map(|library| Visitor::new(library, rank)), ..Arrivals::default() }
    }

    /// The file that contents are read from.
    pub fn library(&self) -> Option<&Path> {
        self.library.as_ref().map(Visitor::path)
    }

    /// Takes descriptions in.
    pub fn learn<M: Transfer>(&mut self, model: &M, descriptions: &[u8]) -> Result<(), Garbled> {
        let mut reader = Reader::new(descriptions);
        while !reader.is_empty() {
            match reader.number()? {
                SHAPE => {
                    let count = reader.count()?;
                    let entry = |_| Ok((reader.number()? as usize, reader.word()?));
                    self.shapes.push((0..count).map(entry).collect::<Result<_, Garbled>>()?);
                }
                PART => {
                    let part = Part { kind: reader.word()?, name: reader.word()? };
                    let shape = reader.number()?;
                    let mut contents = reader.words()?;
                    self.translate(shape, &mut contents)?;
                    self.names.insert(part, model.name_of(part.kind, &contents));
                }
                PLACE => {
                    let part = Part { kind: reader.word()?, name: reader.word()? };
                    let library = self.library.as_mut().ok_or(Garbled)?;
                    self.names.insert(part, library.name(model, reader.number()?)?);
                }
                _ => return Err(Garbled),
            }
        }
        Ok(())
    }

    /// Translates a state into `words`, which hold the translation of the state before it in the same parcel, if that
    /// has the same shape. Only what is not as `before` is looked up.
    pub fn translate_state(
        &self,
        shape: u64,
        theirs: &[Word],
        before: Option<&[Word]>,
        words: &mut [Word],
    ) -> Result<(), Garbled> {
        let Some(before) = before else {
            words.copy_from_slice(theirs);
            return self.translate(shape, words);
        };
        for (word, (their, before)) in words.iter_mut().zip(theirs.iter().zip(before)) {
            if their != before {
                *word = *their;
            }
        }
        for &(position, kind) in self.shapes.get(shape as usize).ok_or(Garbled)? {
            let name = *theirs.get(position).ok_or(Garbled)?;
            if name != before[position] {
                words[position] = *self.names.get(&Part { kind, name }).ok_or(Garbled)?;
            }
        }
        Ok(())
    }

    /// Puts this process's names in the place of the sender's.
    fn translate(&self, shape: u64, words: &mut [Word]) -> Result<(), Garbled> {
        for &(position, kind) in self.shapes.get(shape as usize).ok_or(Garbled)? {
            let word = words.get_mut(position).ok_or(Garbled)?;
            *word = *self.names.get(&Part { kind, name: *word }).ok_or(Garbled)?;
        }
        Ok(())
    }
}
