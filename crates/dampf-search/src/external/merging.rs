//! Several sorted runs as one.
//!
//! Each run is read through a window of some thousand records. What is not greater than the least of the windows' last
//! records is complete: it is taken from all windows, sorted in the cache, and handed on as a chunk. That is as fast as
//! a tournament of the runs where these are few, faster where they are many, and it is the same code that sorts
//! everything else.

use super::disk::DiskTrouble;
use super::packing::Packing;
use super::run::{Part, PartReader, Run, count_below};
use super::sorting::sort_distinct;
use std::sync::Arc;

/// Records of a chunk, about. A chunk and the copy that sorting makes stay in the second-level cache.
const CHUNK: usize = 1 << 15;
const WINDOW_MIN: usize = 512;

/// The states from a bound on and below another; no bound is none.
#[derive(Clone, Debug, Default)]
pub(crate) struct Range {
    pub from: Option<Vec<u64>>,
    pub to: Option<Vec<u64>>,
}

/// Reads one run from begin to end, or a range of it.
struct Source {
    parts: std::vec::IntoIter<Part>,
    reader: Option<PartReader>,
    block: usize,
    /// Records that are read and not taken, from `taken` on.
    window: Vec<u64>,
    taken: usize,
    is_over: bool,
}

/// Delivers the states of several runs in order, each once.
pub(crate) struct Merger {
    sources: Vec<Source>,
    packing: Arc<Packing>,
    with_hints: bool,
    range: Range,
    window: usize,
    scratch: Vec<u64>,
    states_max: u64,
}

impl Merger {
    /// Bounds are records of this packing.
    pub fn new(runs: &[Run], packing: &Arc<Packing>, with_hints: bool, range: Range) -> Merger {
        let source = |run: &Run| Source {
            parts: run.parts.clone().into_iter(),
            reader: None,
            block: 0,
            window: Vec::new(),
            taken: 0,
            is_over: false,
        };
        Merger {
            sources: runs.iter().map(source).collect(),
            packing: Arc::clone(packing),
            with_hints,
            range,
            window: (2 * CHUNK / runs.len().max(1)).max(WINDOW_MIN),
            scratch: Vec::new(),
            states_max: runs.iter().map(Run::states).sum(),
        }
    }

    pub fn packing(&self) -> &Arc<Packing> {
        &self.packing
    }

    pub fn has_hints(&self) -> bool {
        self.with_hints
    }

    /// More states than this are not delivered.
    pub fn states_max(&self) -> u64 {
        self.states_max
    }

    /// Replaces the chunk with the next states. False if there are none.
    pub fn next(&mut self, chunk: &mut Vec<u64>) -> Result<bool, DiskTrouble> {
        chunk.clear();
        let (keys, hint_bits) = (self.packing.keys(), self.packing.hint_bits());
        for source in &mut self.sources {
            while !source.is_over && source.window.len() - source.taken < self.window / 2 * keys {
                source.refill(&self.packing, self.with_hints, &self.range)?;
            }
        }
        let unfinished = self.sources.iter().filter(|source| !source.is_over);
        let last = |source: &Source| source.window[source.window.len() - keys..].to_vec();
        let complete = unfinished.map(last).min_by(|one, other| super::run::compare(one, other, hint_bits));
        let mut contributing = 0;
        for source in &mut self.sources {
            let window = &source.window[source.taken..];
            let count = match &complete {
                None => window.len(),
                Some(bound) => {
                    let below = count_below(window, bound, hint_bits) * keys;
                    let is_at = window.get(below..below + keys);
                    below + if is_at.is_some_and(|at| super::sorting::is_same(at, bound, hint_bits)) { keys } else { 0 }
                }
            };
            chunk.extend_from_slice(&window[..count]);
            source.taken += count;
            contributing += usize::from(count > 0);
        }
        if contributing > 1 {
            sort_distinct(chunk, &mut self.scratch, keys, hint_bits);
        }
        Ok(!chunk.is_empty())
    }
}

impl Source {
    /// Reads another block into the window, or notes that there is none.
    fn refill(&mut self, packing: &Arc<Packing>, with_hints: bool, range: &Range) -> Result<(), DiskTrouble> {
        let (keys, hint_bits) = (packing.keys(), packing.hint_bits());
        self.window.drain(..self.taken);
        self.taken = 0;
        let reader = match &mut self.reader {
            Some(reader) if self.block < reader.blocks() => reader,
            _ => {
                let Some(part) = self.parts.next() else {
                    self.is_over = true;
                    return Ok(());
                };
                let reader = self.reader.insert(PartReader::new(&part, packing, with_hints));
                self.block = match &range.from {
                    Some(from) if reader.blocks() > 0 => reader.block_of(from, 0),
                    _ => 0,
                };
                if reader.blocks() == 0 {
                    return Ok(());
                }
                reader
            }
        };
        let records = reader.load(self.block)?;
        let from = range.from.as_ref().map_or(0, |from| count_below(records, from, hint_bits) * keys);
        let to = range.to.as_ref().map_or(records.len(), |to| count_below(records, to, hint_bits) * keys);
        self.window.extend_from_slice(&records[from..to.max(from)]);
        if to < records.len() {
            self.is_over = true;
        }
        self.block += 1;
        Ok(())
    }
}
