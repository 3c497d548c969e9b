//! The explored space: levels, visited states and candidates, and how a level becomes the next.
//!
//! At the end of a level the candidates of all threads are merged, what was visited is left out, and what remains is
//! the next level. Threads share that by ranges of states: each merges one range and makes one part of the level.

use super::disk::{Disk, DiskTrouble, Kind};
use super::gathering::Gatherer;
use super::levels::Levels;
use super::merging::{Merger, Range};
use super::packing::Packing;
use super::plan::Plan;
use super::run::{Part, Resident, Run};
use super::section::{Section, SectionWriter};
use super::visited::{Visited, merged_on_disk};
use crate::{Monitor, StopReason};
use std::sync::Arc;

/// Fewer candidates than this are not shared by threads.
const SHARED_FROM: u64 = 1 << 15;
/// Spilled runs that are merged at once. More would need too many windows and open files.
const MERGED_AT_ONCE: usize = 64;

pub(crate) struct Space {
    pub disk: Arc<Disk>,
    pub plan: Plan,
    /// What all states so far fit.
    pub packing: Arc<Packing>,
    pub levels: Levels,
    pub visited: Visited,
    /// Sorted runs of candidates for the next level.
    pub spills: Vec<Arc<Section>>,
    /// The last level.
    pub frontier: Run,
}

impl Space {
    /// Takes over the runs that gatherers wrote.
    pub fn collect_spills(&mut self, gatherers: &mut [&mut Gatherer]) {
        self.spills.extend(gatherers.iter_mut().flat_map(|gatherer| std::mem::take(&mut gatherer.spills)));
    }

    /// Makes the candidates the next level, which may be empty. False if the search was stopped meanwhile: then all is
    /// as it was.
    pub fn end_level(
        &mut self,
        gatherers: &mut [&mut Gatherer],
        monitor: &Monitor,
        states_max: Option<u64>,
    ) -> Result<bool, DiskTrouble> {
        self.agree_on_packing(gatherers)?;
        self.collect_spills(gatherers);
        self.merge_spills()?;
        let taken: Vec<Run> = gatherers.iter_mut().map(|gatherer| gatherer.take()).collect();
        let spilled = self.spills.iter().map(|spill| Run { parts: vec![Part::Disk(Arc::clone(spill))] });
        let candidates: Vec<Run> = taken.iter().cloned().chain(spilled).collect();
        let new = self
            .visited
            .prepare(candidates.iter().map(Run::states).sum(), &self.packing, self.plan.filter_bytes)
            .and_then(|()| self.new_states(&candidates, monitor, states_max));
        drop(candidates);
        let is_done = matches!(new, Ok(Some(_)));
        for (gatherer, run) in gatherers.iter_mut().zip(taken) {
            gatherer.give_back(run, is_done);
        }
        let Some(level) = new? else { return Ok(false) };
        self.add_level(level, monitor)?;
        for spill in std::mem::take(&mut self.spills) {
            self.disk.retire(&spill.file);
        }
        Ok(true)
    }

    /// Makes everything that is in memory have the same packing.
    fn agree_on_packing(&mut self, gatherers: &mut [&mut Gatherer]) -> Result<(), DiskTrouble> {
        let united = |all: Packing, gatherer: &&mut Gatherer| all.united(gatherer.packing());
        let packing = gatherers.iter().fold((*self.packing).clone(), united);
        if packing != *self.packing {
            self.packing = Arc::new(packing);
        }
        gatherers.iter_mut().try_for_each(|gatherer| gatherer.widen(&self.packing))
    }

    /// Merges spilled runs until they can be merged at once.
    fn merge_spills(&mut self) -> Result<(), DiskTrouble> {
        while self.spills.len() > MERGED_AT_ONCE {
            let oldest: Vec<Run> = self.spills[..MERGED_AT_ONCE]
                .iter()
                .map(|spill| Run { parts: vec![Part::Disk(Arc::clone(spill))] })
                .collect();
            let hints = self.packing.has_hints() && oldest.iter().all(|run| run.parts[0].has_hints());
            let mut merger = Merger::new(&oldest, &self.packing, hints, Range::default());
            let merged = merged_on_disk(&self.disk, Kind::Spill, &mut merger, || false)?;
            for spill in self.spills.drain(..MERGED_AT_ONCE) {
                self.disk.retire(&spill.file);
            }
            self.spills.extend(merged.map(Arc::new));
        }
        Ok(())
    }

    /// The candidates that were not visited. None if the search was stopped.
    fn new_states(
        &self,
        candidates: &[Run],
        monitor: &Monitor,
        states_max: Option<u64>,
    ) -> Result<Option<Run>, DiskTrouble> {
        let hints = self.packing.has_hints() && candidates.iter().flat_map(|run| &run.parts).all(Part::has_hints);
        let ranges = self.ranges(candidates);
        let (sink_bytes, is_shared) = (self.plan.level_bytes / ranges.len(), ranges.len() > 1);
        let part = |range: Range| -> Result<Option<Part>, DiskTrouble> {
            let mut merger = Merger::new(candidates, &self.packing, hints, range);
            let mut sweep = self.visited.sweep(&self.packing, is_shared);
            let mut sink = Sink::new(self, hints, sink_bytes);
            let mut chunk = Vec::new();
            while merger.next(&mut chunk)? {
                sweep.subtract(&mut chunk)?;
                sink.push(&chunk)?;
                let states = monitor.add((chunk.len() / self.packing.keys()) as u64, 0);
                if states_max.is_some_and(|limit| states >= limit) {
                    monitor.stop(StopReason::StateLimit);
                }
                if monitor.is_stopped() {
                    return Ok(None);
                }
            }
            sink.finish().map(Some)
        };
        let parts = self.all_or_none(in_parallel(ranges, part))?;
        Ok(parts.map(|parts| Run { parts: parts.into_iter().filter(|part| part.states() > 0).collect() }))
    }

    /// What all threads made, or nothing: what some made is deleted where others failed or stopped.
    fn all_or_none(&self, results: Vec<Result<Option<Part>, DiskTrouble>>) -> Result<Option<Vec<Part>>, DiskTrouble> {
        let made: Vec<Part> = results.iter().flatten().flatten().cloned().collect();
        let all = results.into_iter().collect();
        if !matches!(all, Ok(Some(_))) {
            Run { parts: made }.sections().for_each(|section| self.disk.retire(&section.file));
        }
        all
    }

    /// Ranges that have about as many candidates each, one for each thread.
    fn ranges(&self, candidates: &[Run]) -> Vec<Range> {
        let total: u64 = candidates.iter().map(Run::states).sum();
        let count = (total / SHARED_FROM).clamp(1, self.plan.threads as u64);
        let parts = candidates.iter().flat_map(|run| &run.parts);
        // The largest is a fair sample of all.
        let largest = parts.filter(|part| part.blocks() > 0).max_by_key(|part| part.states());
        let (Some(largest), true) = (largest, count > 1) else { return vec![Range::default()] };
        let bounds: Vec<Vec<u64>> = (1..count).map(|number| self.bound(largest, number, count)).collect();
        let mut ranges = vec![Range::default()];
        for bound in bounds {
            let last = ranges.last_mut().expect("begins with one");
            if last.from.as_ref().is_some_and(|from| *from >= bound) {
                continue;
            }
            last.to = Some(bound.clone());
            ranges.push(Range { from: Some(bound), to: None });
        }
        ranges
    }

    /// The record that has `number` of `count` equal shares of a part before it, about.
    fn bound(&self, part: &Part, number: u64, count: u64) -> Vec<u64> {
        let mut bound = Vec::new();
        let (packing, records, among) = match part {
            Part::Memory(resident) => (&resident.packing, &resident.records, resident.states()),
            Part::Disk(section) => (&section.packing, &section.index.firsts, section.index.blocks() as u64),
        };
        let at = (among * number / count) as usize * packing.keys();
        self.packing.convert(packing, &records[at..at + packing.keys()], &mut bound);
        bound
    }

    /// Adds a level, and keeps memory and the number of runs within bounds.
    fn add_level(&mut self, level: Run, monitor: &Monitor) -> Result<(), DiskTrouble> {
        if level.sections().next().is_none() {
            self.levels.add_resident(level.clone());
            self.frontier = level.clone();
            self.visited.add_resident(level, &self.packing)?;
            if self.levels.pending_bytes() + self.visited.resident_bytes() > self.plan.resident_bytes {
                self.leave_memory()?;
            }
        } else {
            self.leave_memory()?;
            let level = self.on_disk(level)?;
            self.levels.add_sections(&self.disk, &level)?;
            self.frontier = level.clone();
            self.visited.add_section(level, self.levels.count());
        }
        self.merge_visited(monitor)
    }

    /// Writes the parts of a level that are in memory.
    fn on_disk(&self, level: Run) -> Result<Run, DiskTrouble> {
        let write = |part: Part| match part {
            Part::Memory(resident) => {
                let mut writer = SectionWriter::create(&self.disk, Kind::Level)?;
                writer.begin(&resident.packing, resident.hints, self.levels.count(), resident.states());
                writer.push(&resident.records)?;
                Ok(Part::Disk(Arc::new(writer.finish_section(&self.disk)?)))
            }
            on_disk => Ok(on_disk),
        };
        Ok(Run { parts: level.parts.into_iter().map(write).collect::<Result<_, DiskTrouble>>()? })
    }

    /// Writes the levels and the visited states that are in memory.
    fn leave_memory(&mut self) -> Result<(), DiskTrouble> {
        self.levels.flush(&self.disk)?;
        if self.visited.in_memory.is_empty() {
            return Ok(());
        }
        let mut merger = Merger::new(&self.visited.in_memory, &self.packing, false, Range::default());
        if let Some(merged) = merged_on_disk(&self.disk, Kind::Visited, &mut merger, || false)? {
            self.visited.add_section(Run { parts: vec![Part::Disk(Arc::new(merged))] }, self.levels.count());
        }
        Ok(())
    }

    /// Merges runs of visited states where there are too many. What a stopped search leaves undone is done when it is
    /// resumed.
    fn merge_visited(&mut self, monitor: &Monitor) -> Result<(), DiskTrouble> {
        while let Some(begin) = self.visited.to_be_merged() {
            let runs = &self.visited.on_disk[begin..];
            let merge = |range: Range| {
                let mut merger = Merger::new(runs, &self.packing, false, range);
                let merged = merged_on_disk(&self.disk, Kind::Visited, &mut merger, || monitor.is_stopped())?;
                Ok(merged.map(|section| Part::Disk(Arc::new(section))))
            };
            let Some(parts) = self.all_or_none(in_parallel(self.ranges(runs), merge))? else { return Ok(()) };
            for run in self.visited.on_disk.drain(begin..) {
                // Levels are kept, whoever else used them.
                let merged_before = run.sections().filter(|section| section.file.is(Kind::Visited));
                merged_before.for_each(|section| self.disk.retire(&section.file));
            }
            self.visited.on_disk.push(Run { parts });
        }
        Ok(())
    }
}

/// Does the work for every range, on a thread each.
fn in_parallel<R: Send>(ranges: Vec<Range>, work: impl Fn(Range) -> R + Sync) -> Vec<R> {
    let mut ranges = ranges.into_iter();
    let first = ranges.next().unwrap_or_default();
    std::thread::scope(|scope| {
        let work = &work;
        let threads: Vec<_> = ranges.map(|range| scope.spawn(move || work(range))).collect();
        let mut results = vec![work(first)];
        let join = |thread: std::thread::ScopedJoinHandle<'_, R>| {
            thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        results.extend(threads.into_iter().map(join));
        results
    })
}

/// Takes the new states of a range: in memory while they are few, then in a file.
struct Sink<'a> {
    space: &'a Space,
    hints: bool,
    bytes_max: usize,
    records: Vec<u64>,
    writer: Option<SectionWriter>,
}

impl<'a> Sink<'a> {
    fn new(space: &'a Space, hints: bool, bytes_max: usize) -> Sink<'a> {
        Sink { space, hints, bytes_max, records: Vec::new(), writer: None }
    }

    fn push(&mut self, records: &[u64]) -> Result<(), DiskTrouble> {
        if let Some(writer) = &mut self.writer {
            return writer.push(records);
        }
        self.records.extend_from_slice(records);
        if self.records.len() * 8 > self.bytes_max {
            let mut writer = SectionWriter::create(&self.space.disk, Kind::Level)?;
            // How many there will be is not known; that they are many is.
            writer.begin(&self.space.packing, self.hints, self.space.levels.count(), 0);
            writer.push(&self.records)?;
            self.records = Vec::new();
            self.writer = Some(writer);
        }
        Ok(())
    }

    fn finish(self) -> Result<Part, DiskTrouble> {
        match self.writer {
            Some(writer) => Ok(Part::Disk(Arc::new(writer.finish_section(&self.space.disk)?))),
            None => {
                let mut records = self.records;
                records.shrink_to_fit();
                let packing = Arc::clone(&self.space.packing);
                Ok(Part::Memory(Arc::new(Resident { packing, hints: self.hints, records })))
            }
        }
    }
}
