//! Runs: sorted sets of states, in memory or on disk, and how they are read.
//!
//! A run is made of parts whose states ascend from part to part: where threads share the work, each writes a part of
//! its own. Readers deliver records in the packing they are asked for, whatever packing a part has.

use super::coding::SLACK;
use super::disk::DiskTrouble;
use super::packing::Packing;
use super::section::Section;
use super::sorting::with_keys;
use std::cmp::Ordering;
use std::ops::Range;
use std::sync::Arc;

/// Bytes that are read at once when blocks are read one after the other.
const READ_AT_ONCE: usize = 256 << 10;
/// A block that begins so many bytes behind the last one read counts as the next.
const NEAR: u64 = 32 << 10;
/// Records of a part in memory that count as a block.
pub(crate) const RESIDENT_BLOCK: usize = 512;

/// What a run takes besides its records: a deep and narrow space has many small ones.
const RUN_BYTES: usize = 256;

/// A sorted run of records in memory.
#[derive(Debug)]
pub(crate) struct Resident {
    pub packing: Arc<Packing>,
    /// Whether records have hints that mean something.
    pub hints: bool,
    pub records: Vec<u64>,
}

#[derive(Clone, Debug)]
pub(crate) enum Part {
    Memory(Arc<Resident>),
    Disk(Arc<Section>),
}

/// A sorted set of states.
#[derive(Clone, Debug, Default)]
pub(crate) struct Run {
    pub parts: Vec<Part>,
}

impl Resident {
    pub fn states(&self) -> u64 {
        (self.records.len() / self.packing.keys()) as u64
    }

    /// The same states in another packing.
    pub fn in_packing(&self, packing: &Arc<Packing>) -> Resident {
        let mut records = Vec::new();
        packing.convert(&self.packing, &self.records, &mut records);
        Resident { packing: Arc::clone(packing), hints: self.hints && packing.has_hints(), records }
    }
}

impl Part {
    pub fn states(&self) -> u64 {
        match self {
            Part::Memory(resident) => resident.states(),
            Part::Disk(section) => section.records,
        }
    }

    pub fn packing(&self) -> &Arc<Packing> {
        match self {
            Part::Memory(resident) => &resident.packing,
            Part::Disk(section) => &section.packing,
        }
    }

    pub fn blocks(&self) -> usize {
        match self {
            Part::Memory(resident) => (resident.states() as usize).div_ceil(RESIDENT_BLOCK),
            Part::Disk(section) => section.index.blocks(),
        }
    }

    /// Which records of the part are in a block.
    pub fn positions(&self, block: usize) -> Range<u64> {
        match self {
            Part::Memory(resident) => {
                let begin = (block * RESIDENT_BLOCK) as u64;
                begin..resident.states().min(begin + RESIDENT_BLOCK as u64)
            }
            Part::Disk(section) => section.index.starts[block]..section.index.starts[block + 1],
        }
    }

    /// The block that holds the record at a position.
    pub fn block_at(&self, position: u64) -> usize {
        match self {
            Part::Memory(_) => position as usize / RESIDENT_BLOCK,
            Part::Disk(section) => section.index.starts.partition_point(|&start| start <= position) - 1,
        }
    }

    pub fn has_hints(&self) -> bool {
        match self {
            Part::Memory(resident) => resident.hints,
            Part::Disk(section) => section.hints,
        }
    }
}

impl Run {
    pub fn states(&self) -> u64 {
        self.parts.iter().map(Part::states).sum()
    }

    pub fn resident_bytes(&self) -> usize {
        let bytes = |part: &Part| match part {
            Part::Memory(resident) => resident.records.len() * 8,
            Part::Disk(_) => 0,
        };
        RUN_BYTES + self.parts.iter().map(bytes).sum::<usize>()
    }

    pub fn sections(&self) -> impl Iterator<Item = &Arc<Section>> {
        self.parts.iter().filter_map(|part| match part {
            Part::Disk(section) => Some(section),
            Part::Memory(_) => None,
        })
    }

    /// The same states, those in memory in another packing.
    pub fn in_packing(&self, packing: &Arc<Packing>) -> Run {
        let part = |part: &Part| match part {
            Part::Memory(resident) if resident.packing != *packing => {
                Part::Memory(Arc::new(resident.in_packing(packing)))
            }
            other => other.clone(),
        };
        Run { parts: self.parts.iter().map(part).collect() }
    }
}

/// Compares the states of two records.
#[inline]
pub(crate) fn compare(one: &[u64], other: &[u64], hint_bits: u32) -> Ordering {
    let last = one.len() - 1;
    let pairs = one[..last].iter().zip(&other[..last]);
    let (one, other) = (one[last] >> hint_bits, other[last] >> hint_bits);
    pairs.map(|(one, other)| one.cmp(other)).find(|order| order.is_ne()).unwrap_or_else(|| one.cmp(&other))
}

/// The number of records whose states are less than that of `bound`.
pub(crate) fn count_below(records: &[u64], bound: &[u64], hint_bits: u32) -> usize {
    if let &[bound] = bound {
        let bound = bound >> hint_bits;
        return records.partition_point(|record| record >> hint_bits < bound);
    }
    with_keys!(bound.len(), count_several_below(records, bound, hint_bits))
}

pub(crate) fn count_several_below<const N: usize>(records: &[u64], bound: &[u64], hint_bits: u32) -> usize {
    let keys = if N > 0 { N } else { bound.len() };
    let bound = &bound[..keys];
    let (mut low, mut high) = (0, records.len() / keys);
    while low < high {
        let middle = low.midpoint(high);
        match compare(&records[middle * keys..][..keys], bound, hint_bits) {
            Ordering::Less => low = middle + 1,
            _ => high = middle,
        }
    }
    low
}

/// Reads the blocks of a part, in a packing that all its states fit.
pub(crate) struct PartReader {
    part: Part,
    packing: Arc<Packing>,
    with_hints: bool,
    /// The first record of each block, where the part has another packing than the one asked for.
    converted: Option<Vec<u64>>,
    /// A piece of the file, and where it lies.
    window: Vec<u8>,
    window_at: u64,
    window_bytes: usize,
    /// A block that was squeezed.
    plain: Vec<u8>,
    block: Option<usize>,
    /// The records of the block, in the part's packing and in the one asked for.
    raw: Vec<u64>,
    records: Vec<u64>,
}

impl PartReader {
    pub fn new(part: &Part, packing: &Arc<Packing>, with_hints: bool) -> PartReader {
        let is_other = part.packing() != packing;
        let converted = is_other.then(|| {
            let mut firsts = Vec::new();
            match part {
                Part::Disk(section) => packing.convert(&section.packing, &section.index.firsts, &mut firsts),
                Part::Memory(resident) => {
                    let keys = resident.packing.keys();
                    let blocks = resident.records.chunks(RESIDENT_BLOCK * keys);
                    blocks.for_each(|block| packing.convert(&resident.packing, &block[..keys], &mut firsts));
                }
            }
            firsts
        });
        PartReader {
            part: part.clone(),
            packing: Arc::clone(packing),
            with_hints,
            converted,
            window: Vec::new(),
            window_at: 0,
            window_bytes: 0,
            plain: Vec::new(),
            block: None,
            raw: Vec::new(),
            records: Vec::new(),
        }
    }

    pub fn blocks(&self) -> usize {
        self.part.blocks()
    }

    /// The first record of a block, in the packing asked for.
    #[inline]
    pub fn first(&self, block: usize) -> &[u64] {
        let keys = self.packing.keys();
        let firsts = match (&self.converted, &self.part) {
            (Some(firsts), _) => firsts,
            (None, Part::Disk(section)) => &section.index.firsts,
            (None, Part::Memory(resident)) => return &resident.records[block * RESIDENT_BLOCK * keys..][..keys],
        };
        &firsts[block * keys..][..keys]
    }

    /// The last block, from `from` on, whose first state is not greater than that of the record; `from` if all are
    /// greater.
    pub fn block_of(&self, record: &[u64], from: usize) -> usize {
        let hint_bits = self.packing.hint_bits();
        let is_before = |block: usize| compare(self.first(block), record, hint_bits) != Ordering::Greater;
        // Records come in ascending order, so the block is near: steps of doubling length find it.
        let (mut low, mut step) = (from, 1);
        while low + step < self.blocks() && is_before(low + step) {
            low += step;
            step *= 2;
        }
        let mut high = self.blocks().min(low + step);
        while low + 1 < high {
            let middle = low.midpoint(high);
            if is_before(middle) { low = middle } else { high = middle }
        }
        low
    }

    /// The records of a block.
    pub fn load(&mut self, block: usize) -> Result<&[u64], DiskTrouble> {
        if self.block != Some(block) {
            self.block = None;
            match self.part.clone() {
                Part::Memory(resident) => self.load_resident(&resident, block),
                Part::Disk(section) => self.load_section(&section, block)?,
            }
            self.block = Some(block);
        }
        Ok(&self.records)
    }

    fn load_resident(&mut self, resident: &Resident, block: usize) {
        let keys = resident.packing.keys();
        let positions = self.part.positions(block);
        let records = &resident.records[positions.start as usize * keys..positions.end as usize * keys];
        self.records.clear();
        if resident.packing == self.packing {
            self.records.extend_from_slice(records);
        } else {
            self.packing.convert(&resident.packing, records, &mut self.records);
        }
    }

    fn load_section(&mut self, section: &Section, block: usize) -> Result<(), DiskTrouble> {
        let (begin, end) = (section.index.offsets[block], section.index.offsets[block + 1]);
        let at = self.fetch(section, block, begin, end)?;
        let length = (end - begin) as usize;
        let bytes = &self.window[at..at + length + SLACK];
        let is_same_packing = section.packing == self.packing;
        let target = if is_same_packing { &mut self.records } else { &mut self.raw };
        if section.decode(block, bytes, self.with_hints, &mut self.plain, target).is_none() {
            return Err(DiskTrouble::Damaged { file: section.path.clone() });
        }
        if !is_same_packing {
            self.records.clear();
            self.packing.convert(&section.packing, &self.raw, &mut self.records);
        }
        Ok(())
    }

    /// Makes the bytes of a block part of the window and returns their place in it.
    fn fetch(&mut self, section: &Section, block: usize, begin: u64, end: u64) -> Result<usize, DiskTrouble> {
        let window_end = self.window_at + self.window_bytes as u64;
        if begin >= self.window_at && end <= window_end {
            return Ok((begin - self.window_at) as usize);
        }
        // Whoever reads on near the window's end reads more; whoever jumps gets what was asked for.
        let reads_on = block == 0 || self.window_bytes > 0 && end > window_end && begin <= window_end + NEAR;
        let blocks_end = section.index.offsets.last().copied().unwrap_or(end);
        let wanted = if reads_on { end.max(blocks_end.min(begin + READ_AT_ONCE as u64)) } else { end };
        self.window_bytes = 0;
        self.window.resize((wanted - begin) as usize + SLACK, 0);
        let length = (wanted - begin) as usize;
        section.read(&mut self.window[..length], begin)?;
        self.window_at = begin;
        self.window_bytes = length;
        Ok(0)
    }
}

/// Reads a run by positions: the numbers of its states in order.
pub(crate) struct RunReader {
    /// For each part, the position of its first state.
    starts: Vec<u64>,
    readers: Vec<PartReader>,
    keys: usize,
    states: u64,
}

impl RunReader {
    pub fn new(run: &Run, packing: &Arc<Packing>) -> RunReader {
        let mut states = 0;
        let start = |part: &Part| {
            let start = states;
            states += part.states();
            start
        };
        let starts = run.parts.iter().map(start).collect();
        let readers = run.parts.iter().map(|part| PartReader::new(part, packing, true)).collect();
        RunReader { starts, readers, keys: packing.keys(), states }
    }

    pub fn states(&self) -> u64 {
        self.states
    }

    /// Records from a position on: the rest of its block, or less if `end` comes before.
    pub fn records(&mut self, position: u64, end: u64) -> Result<&[u64], DiskTrouble> {
        let number = self.starts.partition_point(|&start| start <= position) - 1;
        let (start, keys, reader) = (self.starts[number], self.keys, &mut self.readers[number]);
        let block = reader.part.block_at(position - start);
        let begin = start + reader.part.positions(block).start;
        let records = reader.load(block)?;
        let from = (position - begin) as usize * keys;
        let to = records.len().min((end - begin) as usize * keys);
        Ok(&records[from..to])
    }

    /// The position of a state, with its record, if it is in the run.
    pub fn find(&mut self, record: &[u64], hint_bits: u32) -> Result<Option<(u64, Vec<u64>)>, DiskTrouble> {
        for (start, reader) in self.starts.iter().zip(&mut self.readers) {
            if reader.blocks() == 0 {
                continue;
            }
            let block = reader.block_of(record, 0);
            let begin = start + reader.part.positions(block).start;
            let records = reader.load(block)?;
            let below = count_below(records, record, hint_bits);
            let at = records.get(below * self.keys..(below + 1) * self.keys);
            if let Some(at) = at.filter(|at| super::sorting::is_same(at, record, hint_bits)) {
                return Ok(Some((begin + below as u64, at.to_vec())));
            }
        }
        Ok(None)
    }
}
