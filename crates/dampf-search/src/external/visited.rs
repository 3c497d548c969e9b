//! The set of visited states: a few sorted runs.
//!
//! Every level is a run. Runs of similar size are merged, so that there are never many: first in memory, where small
//! levels stay, then on disk. A level's candidates, which are sorted too, are compared with every run in one go from
//! begin to end, and blocks into which no candidate falls are not read. Where that pays, a [`Filter`] sorts out before
//! what is surely new.
//!
//! Invariant: runs on disk are older than runs in memory; together they are all states of all levels.

use super::disk::{Disk, DiskTrouble, Kind};
use super::filter::{Filter, LazyFilter, rejoin};
use super::merging::{Merger, Range};
use super::packing::Packing;
use super::run::{Part, PartReader, Resident, Run, compare, count_below, count_several_below};
use super::section::{Section, SectionWriter};
use super::sorting::{is_same, with_keys};
use std::cmp::Ordering;
use std::sync::Arc;

/// So many runs on disk are not merged for the sake of their number.
const RUNS_MAX: usize = 6;
/// A run is merged with newer ones if these are at least so large in relation to it: 1 in this number.
const SIMILAR: u64 = 3;

#[derive(Default)]
pub(crate) struct Visited {
    /// The oldest first.
    pub on_disk: Vec<Run>,
    /// The runs on disk have the states of so many levels.
    pub levels_on_disk: u64,
    pub in_memory: Vec<Run>,
    filter: LazyFilter,
}

impl Visited {
    /// The states of so many levels, as they lie on disk.
    pub fn on_disk(runs: Vec<Run>, levels: u64) -> Visited {
        Visited { on_disk: runs, levels_on_disk: levels, ..Visited::default() }
    }

    /// Prepares for the comparison with so many candidates.
    pub fn prepare(&mut self, candidates: u64, packing: &Arc<Packing>, filter_bytes: u64) -> Result<(), DiskTrouble> {
        for run in &mut self.in_memory {
            *run = run.in_packing(packing);
        }
        let runs = self.on_disk.iter().chain(&self.in_memory);
        self.filter.prepare(runs, candidates, packing, filter_bytes)
    }

    pub fn resident_bytes(&self) -> usize {
        self.in_memory.iter().map(Run::resident_bytes).sum()
    }

    /// Adds a level that is in memory.
    pub fn add_resident(&mut self, run: Run, packing: &Arc<Packing>) -> Result<(), DiskTrouble> {
        self.in_memory.push(run);
        while let [.., older, newer] = &self.in_memory[..]
            && older.states() <= 2 * newer.states()
        {
            let merged = merged_in_memory(&[older.clone(), newer.clone()], packing)?;
            self.in_memory.truncate(self.in_memory.len() - 2);
            self.in_memory.push(merged);
        }
        Ok(())
    }

    /// Adds a run on disk that has all states of so many levels which older runs on disk do not have. Nothing is in
    /// memory any more.
    pub fn add_section(&mut self, run: Run, levels: u64) {
        self.in_memory.clear();
        self.on_disk.push(run);
        self.levels_on_disk = levels;
    }

    /// The newest runs on disk that are better merged, if there are.
    pub fn to_be_merged(&self) -> Option<usize> {
        if self.on_disk.len() <= RUNS_MAX {
            return None;
        }
        let mut newer = 0;
        let mut begin = self.on_disk.len();
        for (number, run) in self.on_disk.iter().enumerate().rev() {
            // Whatever their sizes are, the last few go together.
            if number + RUNS_MAX / 2 < self.on_disk.len() && run.states() > SIMILAR * newer {
                break;
            }
            newer += run.states();
            begin = number;
        }
        Some(begin)
    }

    /// What compares candidates with all runs. `is_shared` says whether there will be others at the same time.
    pub fn sweep(&self, packing: &Arc<Packing>, is_shared: bool) -> Sweep<'_> {
        let runs = self.in_memory.iter().rev().chain(self.on_disk.iter().rev());
        let parts = runs.flat_map(|run| &run.parts).filter(|part| part.states() > 0);
        let probe = |part: &Part| match part {
            Part::Memory(resident) if resident.packing == *packing => {
                Probe::Memory { resident: Arc::clone(resident), at: 0 }
            }
            _ => Probe::Blocks { reader: PartReader::new(part, packing, false), block: 0 },
        };
        Sweep {
            filter: self.filter.get(),
            is_shared,
            maybe: Vec::new(),
            is_maybe: Vec::new(),
            probes: parts.map(probe).collect(),
            keys: packing.keys(),
            hint_bits: packing.hint_bits(),
        }
    }
}

/// One run with the states of several, in memory.
pub(crate) fn merged_in_memory(runs: &[Run], packing: &Arc<Packing>) -> Result<Run, DiskTrouble> {
    let mut merger = Merger::new(runs, packing, false, Range::default());
    let (mut chunk, mut records) = (Vec::new(), Vec::new());
    while merger.next(&mut chunk)? {
        records.extend_from_slice(&chunk);
    }
    let resident = Resident { packing: Arc::clone(packing), hints: false, records };
    Ok(Run { parts: vec![Part::Memory(Arc::new(resident))] })
}

/// Writes one section with the states of several runs that are in a range. None if `is_over` becomes true meanwhile.
pub(crate) fn merged_on_disk(
    disk: &Arc<Disk>,
    kind: Kind,
    merger: &mut Merger,
    is_over: impl Fn() -> bool,
) -> Result<Option<Section>, DiskTrouble> {
    let mut writer = SectionWriter::create(disk, kind)?;
    writer.begin(merger.packing(), merger.has_hints(), 0, merger.states_max());
    let mut chunk = Vec::new();
    while merger.next(&mut chunk)? {
        if is_over() {
            return Ok(None);
        }
        writer.push(&chunk)?;
    }
    writer.finish_section(disk).map(Some)
}

/// Compares ascending chunks of candidates with the visited states.
pub(crate) struct Sweep<'v> {
    filter: Option<&'v Filter>,
    is_shared: bool,
    /// Candidates that the filter cannot exclude, and which they are.
    maybe: Vec<u64>,
    is_maybe: Vec<bool>,
    probes: Vec<Probe>,
    keys: usize,
    hint_bits: u32,
}

/// Where a sweep is in one part of a run.
enum Probe {
    Memory { resident: Arc<Resident>, at: usize },
    Blocks { reader: PartReader, block: usize },
}

impl Sweep<'_> {
    /// Removes the candidates that were visited; the others count as visited from the next level on. Candidates are
    /// sorted and greater than those of earlier calls.
    pub fn subtract(&mut self, candidates: &mut Vec<u64>) -> Result<(), DiskTrouble> {
        let Some(filter) = self.filter else { return self.look(candidates) };
        let mut maybe = std::mem::take(&mut self.maybe);
        maybe.clear();
        self.is_maybe.clear();
        filter.divide(candidates, &mut maybe, &mut self.is_maybe);
        self.look(&mut maybe)?;
        with_keys!(self.keys, rejoin(candidates, &self.is_maybe, &maybe, self.keys, self.hint_bits));
        self.maybe = maybe;
        filter.add(candidates, self.is_shared);
        Ok(())
    }

    /// Removes the candidates that are in a run.
    fn look(&mut self, candidates: &mut Vec<u64>) -> Result<(), DiskTrouble> {
        for probe in &mut self.probes {
            if candidates.is_empty() {
                return Ok(());
            }
            probe.subtract(candidates, self.keys, self.hint_bits)?;
        }
        Ok(())
    }
}

impl Probe {
    fn subtract(&mut self, candidates: &mut Vec<u64>, keys: usize, hint_bits: u32) -> Result<(), DiskTrouble> {
        let mut kept = Kept { candidates, keys, hint_bits, next: 0, kept: 0 };
        match self {
            Probe::Memory { resident, at } => {
                let Some(first) = kept.next() else { return Ok(()) };
                *at += count_below(&resident.records[*at..], first, hint_bits) * keys;
                let last = &kept.candidates[kept.candidates.len() - keys..];
                let end = *at + count_below(&resident.records[*at..], last, hint_bits) * keys;
                let end = resident.records.len().min(end + keys);
                kept.compare_with(&resident.records[*at..end], kept.candidates.len());
            }
            Probe::Blocks { reader, block } => {
                while let Some(next) = kept.next() {
                    *block = reader.block_of(next, *block);
                    let count = match *block + 1 < reader.blocks() {
                        true => kept.count_below(reader.first(*block + 1)),
                        false => kept.candidates.len() - kept.next,
                    };
                    kept.compare_with(reader.load(*block)?, count);
                }
            }
        }
        let kept = kept.kept;
        candidates.truncate(kept);
        Ok(())
    }
}

/// Candidates that are being compared: those before `kept` are new, those from `next` on are not compared yet.
struct Kept<'a> {
    candidates: &'a mut Vec<u64>,
    keys: usize,
    hint_bits: u32,
    next: usize,
    kept: usize,
}

impl Kept<'_> {
    fn next(&self) -> Option<&[u64]> {
        self.candidates.get(self.next..self.next + self.keys)
    }

    /// How many numbers of the records that are not compared yet belong to states below a bound.
    fn count_below(&self, bound: &[u64]) -> usize {
        count_below(&self.candidates[self.next..], bound, self.hint_bits) * self.keys
    }

    /// Compares the next candidates, so many numbers of them, with visited states among which all of these are that
    /// were visited.
    fn compare_with(&mut self, visited: &[u64], count: usize) {
        if self.keys == 1 {
            self.compare_single(visited, count);
        } else {
            with_keys!(self.keys, compare_several(self, visited, count));
        }
    }

    fn compare_single(&mut self, visited: &[u64], count: usize) {
        let (end, hint_bits) = (self.next + count, self.hint_bits);
        let (mut at, mut kept) = (0, self.kept);
        // Few candidates among many states are looked for one by one.
        let is_sparse = count * 16 < visited.len();
        for next in self.next..end {
            let candidate = self.candidates[next];
            let state = candidate >> hint_bits;
            if is_sparse {
                // The next is near: steps of doubling length find it.
                let mut step = 1;
                while at + step < visited.len() && visited[at + step] >> hint_bits < state {
                    at += step;
                    step *= 2;
                }
                let end = visited.len().min(at + step + 1);
                at += visited[at..end].partition_point(|&other| other >> hint_bits < state);
            } else {
                while at < visited.len() && visited[at] >> hint_bits < state {
                    at += 1;
                }
            }
            let is_known = visited.get(at).is_some_and(|&other| other >> hint_bits == state);
            self.candidates[kept] = candidate;
            kept += usize::from(!is_known);
        }
        (self.next, self.kept) = (end, kept);
    }
}

fn compare_several<const N: usize>(kept: &mut Kept<'_>, visited: &[u64], count: usize) {
    let keys = if N > 0 { N } else { kept.keys };
    let (hint_bits, end) = (kept.hint_bits, kept.next + count);
    let is_sparse = count * 16 < visited.len();
    let mut at = 0;
    while kept.next < end {
        let (before, rest) = kept.candidates.split_at_mut(kept.next);
        let candidate = &rest[..keys];
        let is_less = |other: &[u64]| compare(other, candidate, hint_bits) == Ordering::Less;
        if is_sparse {
            let mut step = keys;
            while at + step < visited.len() && is_less(&visited[at + step..at + step + keys]) {
                at += step;
                step *= 2;
            }
            let end = visited.len().min(at + step + keys);
            at += count_several_below::<N>(&visited[at..end], candidate, hint_bits) * keys;
        } else {
            while at + keys <= visited.len() && is_less(&visited[at..at + keys]) {
                at += keys;
            }
        }
        let is_known = at + keys <= visited.len() && is_same(&visited[at..at + keys], candidate, hint_bits);
        if !is_known {
            if kept.kept < kept.next {
                before[kept.kept..kept.kept + keys].copy_from_slice(candidate);
            }
            kept.kept += keys;
        }
        kept.next += keys;
    }
}
