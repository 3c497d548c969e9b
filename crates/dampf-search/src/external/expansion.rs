//! Expands the states of a level, on one thread or several.
//!
//! Threads take small ranges of positions from a common counter. A pause, for a checkpoint or because the search is to
//! end, leaves the positions that were not expanded behind; the level is taken up from there.

use super::disk::DiskTrouble;
use super::gathering::Gatherer;
use super::packing::Packing;
use super::run::{Run, RunReader};
use super::space::Space;
use crate::expand::{BATCH, Expander, Explored, Judgement, Sink};
use crate::{FINDINGS_MAX, Monitor, SearchOptions};
use dampf_core::{Fault, Finding, Model, Successors, Word};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

/// Levels with fewer states are not worth waking other threads.
const SHARED_FROM: u64 = 256;
/// Positions that a thread takes at a time, and states after which it looks whether it should stop.
const TAKEN_MAX: u64 = 2048;
const TAKEN_MIN: u64 = 32;

/// What one thread works with.
pub(crate) struct Hand<'m, M: Model + 'm> {
    pub expander: Expander<'m, M>,
    pub gatherer: Gatherer,
    /// Room for a state.
    pub words: Vec<Word>,
}

/// A fault that was met: the state it is of or the state that the faulty step leaves.
#[derive(Clone, Debug)]
pub(crate) struct Met {
    pub fault: Fault,
    pub state: Vec<Word>,
    /// The index of the faulty step.
    pub step: Option<usize>,
}

/// What an expansion found, besides candidates.
#[derive(Default)]
pub(crate) struct Harvest {
    pub transitions: u64,
    pub judgement: Judgement,
    /// Different faults that were not known before.
    pub met: Vec<Met>,
    /// Whether there are faulty states and faulty steps among what is in `met`.
    pub faulty_states: bool,
    pub faulty_steps: bool,
    /// Positions that were not expanded, ascending.
    pub unexpanded: Vec<(u64, u64)>,
}

/// What threads that expand have in common.
pub(crate) struct Expansion<'a> {
    pub level: &'a Run,
    pub packing: &'a Arc<Packing>,
    pub options: &'a SearchOptions,
    pub monitor: &'a Monitor,
    /// Faults that need not be noted again.
    pub known: &'a [Finding],
    /// Positions to be expanded, ascending.
    pub unexpanded: &'a [(u64, u64)],
    /// When to pause.
    pub until: Option<Instant>,
}

impl Expansion<'_> {
    /// Expands until all is expanded, the time has come to pause, or the search is stopped.
    pub fn run<M: Model>(&self, hands: &mut [Hand<'_, M>]) -> Result<Harvest, DiskTrouble> {
        let states = self.level.states();
        // From the first that is left: a pause that came before anything was expanded would come for ever.
        let first = self.unexpanded.first().map_or(states, |&(begin, _)| begin);
        let shared = Shared { next: AtomicU64::new(first), first, pause: AtomicBool::new(false), states };
        let (own, others) = hands.split_first_mut().expect("a search has a thread");
        let others = if states < SHARED_FROM { &mut [] } else { others };
        let mut results = Vec::new();
        std::thread::scope(|scope| {
            let shared = &shared;
            let threads: Vec<_> = others.iter_mut().map(|hand| scope.spawn(move || self.work(hand, shared))).collect();
            results.push(self.work(own, shared));
            for thread in threads {
                results.push(thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
            }
        });
        let mut all = Harvest::default();
        for result in results {
            all.absorb(result?);
        }
        all.unexpanded.extend(self.overlap(shared.next.into_inner(), states));
        all.unexpanded.sort_unstable();
        Ok(all)
    }

    /// The positions in a range that are to be expanded.
    fn overlap(&self, from: u64, to: u64) -> impl Iterator<Item = (u64, u64)> {
        let begin = self.unexpanded.partition_point(|&(_, end)| end <= from);
        let ranges = self.unexpanded[begin..].iter().take_while(move |&&(begin, _)| begin < to);
        ranges.map(move |&(begin, end)| (begin.max(from), end.min(to))).filter(|(begin, end)| begin < end)
    }

    fn work<M: Model>(&self, hand: &mut Hand<'_, M>, shared: &Shared) -> Result<Harvest, DiskTrouble> {
        let mut harvest = Harvest::default();
        let mut reader = RunReader::new(self.level, self.packing);
        let grain = (shared.states / (16 * self.options.threads as u64)).clamp(TAKEN_MIN, TAKEN_MAX);
        while !self.should_pause(shared) {
            let from = shared.next.fetch_add(grain, Ordering::Relaxed);
            if from >= shared.states {
                break;
            }
            for (begin, end) in self.overlap(from, shared.states.min(from + grain)) {
                let expanded = self.expand(hand, &mut reader, begin, end, &mut harvest);
                if expanded.is_err() {
                    // The other threads need not go on either.
                    shared.pause.store(true, Ordering::Relaxed);
                }
                let done = expanded?;
                if done < end {
                    harvest.unexpanded.push((done, end));
                }
            }
        }
        harvest.judgement = hand.expander.take_judgement();
        Ok(harvest)
    }

    fn should_pause(&self, shared: &Shared) -> bool {
        if self.until.is_some_and(|until| shared.next.load(Ordering::Relaxed) > shared.first && Instant::now() >= until)
        {
            shared.pause.store(true, Ordering::Relaxed);
        }
        shared.pause.load(Ordering::Relaxed) || self.monitor.is_stopped()
    }

    /// Expands the states of a range. Returns where it stopped.
    fn expand<M: Model>(
        &self,
        hand: &mut Hand<'_, M>,
        reader: &mut RunReader,
        begin: u64,
        end: u64,
        harvest: &mut Harvest,
    ) -> Result<u64, DiskTrouble> {
        let (keys, states) = (self.packing.keys(), reader.states());
        let (mut position, mut transitions) = (begin, 0);
        'range: while position < end {
            let records = reader.records(position, end)?;
            for records in records.chunks(BATCH * keys) {
                if self.monitor.is_stopped() {
                    break 'range;
                }
                let batch: [u64; BATCH] = std::array::from_fn(|number| position + number as u64);
                let batch = &batch[..records.len() / keys];
                let mut sink = Gathering {
                    packing: self.packing,
                    records,
                    states,
                    gatherer: &mut hand.gatherer,
                    known: self.known,
                    harvest,
                };
                transitions += hand.expander.expand(batch, &mut sink)?;
                position += batch.len() as u64;
                // A predictable search ends with the level, others at once.
                if let (false, Some(stop)) =
                    (self.options.deterministic, hand.expander.judgement().ends_search(self.options))
                {
                    self.monitor.stop(stop);
                }
            }
        }
        harvest.transitions += transitions;
        self.monitor.add(0, transitions);
        Ok(position)
    }
}

/// Gathers the successors of a level's states as candidates for the next.
struct Gathering<'a> {
    packing: &'a Packing,
    /// Of the batch.
    records: &'a [u64],
    /// How many the level has.
    states: u64,
    gatherer: &'a mut Gatherer,
    known: &'a [Finding],
    harvest: &'a mut Harvest,
}

impl Sink for Gathering<'_> {
    /// The position in the level.
    type Source = u64;
    type Error = DiskTrouble;

    #[inline]
    fn load(&mut self, number: usize, _: u64, words: &mut [Word]) {
        let keys = self.packing.keys();
        self.packing.unpack(&self.records[number * keys..][..keys], words);
    }

    #[inline]
    fn prepare(&mut self, _: usize, position: u64, _: &[Word], successors: &Successors) -> Result<(), DiskTrouble> {
        self.gatherer.add(successors, hint(position, self.states))
    }

    fn fault(&mut self, explored: Explored<'_, u64>, step: Option<usize>, fault: Fault) {
        if self.known.iter().any(|finding| finding.fault == fault) {
            return;
        }
        self.harvest.faulty_states |= step.is_none();
        self.harvest.faulty_steps |= step.is_some();
        self.harvest.note(Met { fault, state: explored.state.to_vec(), step });
    }

    fn commit(&mut self, _: &[u64], _: &[Successors]) -> Result<(), DiskTrouble> {
        Ok(())
    }
}

/// In which 256th of a level a position is.
#[inline]
pub(crate) fn hint(position: u64, states: u64) -> u8 {
    ((position << super::packing::HINT_BITS) / states) as u8
}

struct Shared {
    /// The first position that nobody took, and where that began.
    next: AtomicU64,
    first: u64,
    pause: AtomicBool,
    states: u64,
}

impl Harvest {
    fn note(&mut self, met: Met) {
        let is_known = self.met.iter().any(|other| other.fault == met.fault);
        if !is_known && self.met.len() < FINDINGS_MAX {
            self.met.push(met);
        }
    }

    fn absorb(&mut self, other: Harvest) {
        self.transitions += other.transitions;
        self.judgement.absorb(other.judgement);
        other.met.into_iter().for_each(|met| self.note(met));
        self.faulty_states |= other.faulty_states;
        self.faulty_steps |= other.faulty_steps;
        self.unexpanded.extend(other.unexpanded);
    }
}

impl<'m, M: Model + 'm> Hand<'m, M> {
    pub fn new(model: &'m M, space: &Space, options: &SearchOptions) -> Self {
        Hand {
            expander: Expander::new(model, options),
            gatherer: Gatherer::new(&space.disk, &space.packing, space.plan.buffer_bytes),
            words: vec![0; model.width()],
        }
    }
}
