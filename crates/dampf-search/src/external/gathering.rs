//! The candidates of a level, as one thread gathers them.
//!
//! Successors are collected in a buffer of fixed size, with duplicates among neighbours left out. A full buffer is
//! sorted; what remains after duplicates are gone is written as a sorted run if it is more than half a buffer. A state
//! that does not fit the packing widens it: what is in the buffer is packed again.

use super::disk::{Disk, DiskTrouble, Kind};
use super::packing::Packing;
use super::recent::Recent;
use super::run::{Part, Resident, Run};
use super::section::{Section, SectionWriter};
use super::sorting::sort_distinct;
use dampf_core::{Successors, Word};
use std::sync::Arc;

/// Bytes of the table of recent states: it stays in the second-level cache.
const RECENT_BYTES: usize = 512 << 10;

/// The numbers that a buffer may hold so that it and what sorting needs take twice its size: a copy, and where records
/// have several numbers, two items of 16 bytes for each.
fn capacity(buffer_bytes: usize, keys: usize) -> usize {
    let sorting = if keys == 1 { 8 } else { 8 * keys + 32 };
    2 * buffer_bytes / (8 * keys + sorting) * keys
}

pub(crate) struct Gatherer {
    disk: Arc<Disk>,
    packing: Arc<Packing>,
    records: Vec<u64>,
    scratch: Vec<u64>,
    /// Numbers that the buffer may hold.
    capacity: usize,
    buffer_bytes: usize,
    recent: Recent,
    recent_bytes: usize,
    /// Whether every candidate of this level had room for a hint.
    hints: bool,
    pub spills: Vec<Arc<Section>>,
}

impl Gatherer {
    /// A buffer of so many bytes. Sorting takes as much again.
    pub fn new(disk: &Arc<Disk>, packing: &Arc<Packing>, buffer_bytes: usize) -> Gatherer {
        let recent_bytes = RECENT_BYTES.min(buffer_bytes);
        Gatherer {
            disk: Arc::clone(disk),
            packing: Arc::clone(packing),
            records: Vec::new(),
            scratch: Vec::new(),
            capacity: capacity(buffer_bytes, packing.keys()),
            buffer_bytes,
            recent: Recent::new(recent_bytes, packing.keys(), packing.hint_bits()),
            recent_bytes,
            hints: packing.has_hints(),
            spills: Vec::new(),
        }
    }

    pub fn packing(&self) -> &Arc<Packing> {
        &self.packing
    }

    /// Adds the successors of a state. The hint says where the state stands in its level.
    #[inline]
    pub fn add(&mut self, successors: &Successors, hint: u8) -> Result<(), DiskTrouble> {
        let needed = successors.len() * self.packing.keys();
        if self.records.len() + needed > self.capacity {
            self.make_room()?;
        }
        let all_lead_on = successors.is_unremarkable();
        let added = if all_lead_on && self.packing.keys() == 1 { self.add_numbers(successors, hint) } else { 0 };
        for step in added..successors.len() {
            if all_lead_on || successors.leads_on(step) {
                self.add_state(successors.state(step), hint)?;
            }
        }
        Ok(())
    }

    /// Adds successors whose records are single numbers, up to the first that does not fit the packing. Returns how
    /// many those are. Nearly all successors of nearly all models are gathered here: nothing is called for each.
    #[inline]
    fn add_numbers(&mut self, successors: &Successors, hint: u8) -> usize {
        let (packing, recent, records) = (&*self.packing, &mut self.recent, &mut self.records);
        for (added, words) in successors.states().enumerate() {
            if !packing.fits(words) {
                return added;
            }
            let record = packing.pack_one(words, hint);
            if !recent.was_one_here(record) {
                records.push(record);
            }
        }
        successors.len()
    }

    pub fn add_state(&mut self, words: &[Word], hint: u8) -> Result<(), DiskTrouble> {
        if !self.packing.fits(words) {
            self.widen(&Arc::new(self.packing.widened(words)))?;
        }
        if self.packing.keys() == 1 {
            let record = self.packing.pack_one(words, hint);
            if !self.recent.was_one_here(record) {
                self.records.push(record);
            }
            return Ok(());
        }
        let begin = self.records.len();
        self.packing.pack(words, hint, &mut self.records);
        if self.recent.was_here(&self.records[begin..]) {
            self.records.truncate(begin);
        }
        Ok(())
    }

    /// Goes over to a packing that all states fit which fit the present one.
    #[cold]
    pub fn widen(&mut self, packing: &Arc<Packing>) -> Result<(), DiskTrouble> {
        if *packing == self.packing {
            return Ok(());
        }
        if packing.keys() != self.packing.keys() && self.records.len() > self.capacity / 4 {
            self.spill()?;
        }
        let mut converted = Vec::new();
        packing.convert(&self.packing, &self.records, &mut converted);
        self.records = converted;
        self.packing = Arc::clone(packing);
        self.capacity = capacity(self.buffer_bytes, packing.keys());
        self.hints &= packing.has_hints();
        self.recent = Recent::new(self.recent_bytes, packing.keys(), packing.hint_bits());
        Ok(())
    }

    /// Sorts the buffer, and writes it to disk if that did not help.
    #[cold]
    fn make_room(&mut self) -> Result<(), DiskTrouble> {
        self.sort();
        if self.records.len() > self.capacity / 2 { self.write() } else { Ok(()) }
    }

    fn sort(&mut self) {
        sort_distinct(&mut self.records, &mut self.scratch, self.packing.keys(), self.packing.hint_bits());
    }

    /// Writes the buffer to disk as a sorted run.
    pub fn spill(&mut self) -> Result<(), DiskTrouble> {
        self.sort();
        self.write()
    }

    /// Writes the sorted buffer.
    fn write(&mut self) -> Result<(), DiskTrouble> {
        if self.records.is_empty() {
            return Ok(());
        }
        let mut writer = SectionWriter::create(&self.disk, Kind::Spill)?;
        writer.begin(&self.packing, self.hints, 0, (self.records.len() / self.packing.keys()) as u64);
        writer.push(&self.records)?;
        self.spills.push(Arc::new(writer.finish_section(&self.disk)?));
        self.records.clear();
        Ok(())
    }

    /// Takes what is in the buffer, as a sorted run. [`give_back`](Self::give_back) gives the memory back.
    pub fn take(&mut self) -> Run {
        self.sort();
        let records = std::mem::take(&mut self.records);
        let resident = Resident { packing: Arc::clone(&self.packing), hints: self.hints, records };
        Run { parts: vec![Part::Memory(Arc::new(resident))] }
    }

    /// Puts a run that was taken back, as the beginning of the next level or because the end of this one failed.
    pub fn give_back(&mut self, run: Run, is_next_level: bool) {
        if let Some(Part::Memory(resident)) = run.parts.into_iter().next()
            && let Some(resident) = Arc::into_inner(resident)
        {
            self.records = resident.records;
        }
        if is_next_level {
            self.records.clear();
            self.hints = self.packing.has_hints();
        }
    }
}
