//! Sorted runs of records in files.
//!
//! A *section* is a sorted sequence of records in blocks, followed by its index: where each block lies, how many
//! records it has, its checksum and its first record. The index is in memory while the section is in use, so that only
//! blocks are read that can hold what is looked for. A file has one section or, where levels are small, many; a table
//! at its end says where.
//!
//! All numbers are little-endian.

use super::coding::{self, Layout};
use super::disk::{Disk, DiskTrouble, Finished, Kind, Output};
use super::packing::Packing;
use super::squeezing::{squeeze, unsqueeze};
use crate::checkpoint::checksum;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

const MAGIC: &[u8; 8] = b"dampfrun";
/// The table's place, its length, its checksum, the magic.
const TRAILER_BYTES: usize = 32;
/// Of an entry in the table, but for the packing.
const ENTRY_BYTES: usize = 40;
/// Records per block. A block is decoded as a whole: a large one needs less of an index and is squeezed better, a small
/// one is quickly searched.
const BLOCK_RECORDS: usize = 4096;
const SEARCHED_BLOCK_RECORDS: usize = 512;
/// Runs beyond this number of records have large blocks anyway, so that indices stay small.
const MANY_RECORDS: u64 = 1 << 28;
const BLOCK_BYTES_MAX: usize = 16 << 10;
const FLAG_HINTS: u32 = 1;
/// How a block is kept.
const PLAIN: u8 = 0;
const SQUEEZED: u8 = 1;

/// Where the blocks of a section are, and what they begin with.
#[derive(Debug, Default)]
pub(crate) struct Index {
    /// Where each block begins, and where the last ends.
    pub offsets: Vec<u64>,
    /// How many records are before each block, and in all.
    pub starts: Vec<u64>,
    pub checksums: Vec<u32>,
    /// The first record of each block, in the section's packing.
    pub firsts: Vec<u64>,
}

impl Index {
    pub fn blocks(&self) -> usize {
        self.checksums.len()
    }
}

/// A sorted run of records in a file.
#[derive(Debug)]
pub(crate) struct Section {
    pub file: Finished,
    pub path: PathBuf,
    /// Opened when it is first read: there may be more files than can be open at once.
    handle: OnceLock<File>,
    pub packing: Arc<Packing>,
    /// Whether records have hints that mean something.
    pub hints: bool,
    pub records: u64,
    pub index: Index,
}

impl Section {
    /// Reads a piece of the file.
    pub fn read(&self, bytes: &mut [u8], at: u64) -> Result<(), DiskTrouble> {
        let failed = |error| DiskTrouble::Read { file: self.path.clone(), error };
        let handle = match self.handle.get() {
            Some(handle) => handle,
            None => {
                let handle = File::open(&self.path).map_err(failed)?;
                self.handle.get_or_init(|| handle)
            }
        };
        handle.read_exact_at(bytes, at).map_err(failed)
    }

    /// Decodes a block, which is followed by [`SLACK`](coding::SLACK) bytes. None if it is damaged.
    pub fn decode(
        &self,
        block: usize,
        bytes: &[u8],
        with_hints: bool,
        plain: &mut Vec<u8>,
        records: &mut Vec<u64>,
    ) -> Option<()> {
        let length = bytes.len() - coding::SLACK;
        if checksum(&bytes[..length]) as u32 != self.index.checksums[block] {
            return None;
        }
        let keys = self.packing.keys();
        let first = &self.index.firsts[block * keys..][..keys];
        let count = (self.index.starts[block + 1] - self.index.starts[block]) as usize;
        let (&how, rest) = bytes.split_first()?;
        let bytes = match how {
            PLAIN => rest,
            SQUEEZED => {
                unsqueeze(&bytes[1..length], plain)?;
                &plain[..]
            }
            _ => return None,
        };
        coding::decode(bytes, first, count, self.layout(), with_hints, records)
    }

    fn layout(&self) -> Layout {
        Layout { keys: self.packing.keys(), hint_bits: self.packing.hint_bits(), hints: self.hints }
    }
}

/// What a file's table says about a section.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    /// The level whose states these are, where the file is one of levels.
    pub level: u64,
    records: u64,
    index_at: u64,
    blocks: u32,
    flags: u32,
    /// The checksum of the index.
    checksum: u64,
    packing: Packing,
}

/// Writes a file of sections.
pub(crate) struct SectionWriter {
    output: Output,
    entries: Vec<Entry>,
    /// Of the section that is being written.
    packing: Arc<Packing>,
    layout: Layout,
    level: u64,
    kind: Kind,
    block_records: usize,
    block: Vec<u64>,
    /// A block before it is squeezed.
    plain: Vec<u8>,
    index: Index,
}

impl SectionWriter {
    /// Begins a file.
    pub fn create(disk: &Arc<Disk>, kind: Kind) -> Result<SectionWriter, DiskTrouble> {
        let mut output = disk.create(kind)?;
        output.pending.extend_from_slice(MAGIC);
        Ok(SectionWriter {
            output,
            entries: Vec::new(),
            packing: Arc::new(Packing::narrowest(0)),
            layout: Layout { keys: 1, hint_bits: 0, hints: false },
            level: 0,
            kind,
            block_records: BLOCK_RECORDS,
            block: Vec::new(),
            plain: Vec::new(),
            index: Index::default(),
        })
    }

    /// Begins a section of at most so many records.
    pub fn begin(&mut self, packing: &Arc<Packing>, hints: bool, level: u64, records_max: u64) {
        self.packing = Arc::clone(packing);
        self.layout = Layout { keys: packing.keys(), hint_bits: packing.hint_bits(), hints };
        self.level = level;
        // Visited states are looked for here and there, everything else is read from begin to end.
        let is_searched = self.kind == Kind::Visited && records_max <= MANY_RECORDS;
        self.block_records = if is_searched { SEARCHED_BLOCK_RECORDS } else { BLOCK_RECORDS };
        // Wide records fill a block earlier; that they compress by three is an average.
        let fitting = 3 * BLOCK_BYTES_MAX / (8 * packing.keys());
        self.block_records = self.block_records.min(fitting.max(16));
        self.index = Index { offsets: Vec::new(), starts: vec![0], checksums: Vec::new(), firsts: Vec::new() };
    }

    /// Appends sorted records of distinct states, greater than those before.
    pub fn push(&mut self, records: &[u64]) -> Result<(), DiskTrouble> {
        let block_numbers = self.block_records * self.layout.keys;
        let mut records = records;
        while !records.is_empty() {
            if self.block.is_empty() && records.len() >= block_numbers {
                let (block, rest) = records.split_at(block_numbers);
                self.write_block(block)?;
                records = rest;
                continue;
            }
            let (taken, rest) = records.split_at(records.len().min(block_numbers - self.block.len()));
            self.block.extend_from_slice(taken);
            records = rest;
            if self.block.len() == block_numbers {
                self.write_pending_block()?;
            }
        }
        Ok(())
    }

    fn write_pending_block(&mut self) -> Result<(), DiskTrouble> {
        let mut block = std::mem::take(&mut self.block);
        let written = self.write_block(&block);
        block.clear();
        self.block = block;
        written
    }

    fn write_block(&mut self, block: &[u64]) -> Result<(), DiskTrouble> {
        let keys = self.layout.keys;
        self.index.offsets.push(self.output.bytes());
        let begin = self.output.pending.len();
        self.encode(block);
        self.index.checksums.push(checksum(&self.output.pending[begin..]) as u32);
        self.index.firsts.extend_from_slice(&block[..keys]);
        let before = self.index.starts.last().copied().unwrap_or(0);
        self.index.starts.push(before + (block.len() / keys) as u64);
        self.output.flush_if_full()
    }

    /// Appends a block to what is to be written: how it is kept, then the block.
    fn encode(&mut self, block: &[u64]) {
        let pending = &mut self.output.pending;
        let begin = pending.len();
        self.plain.clear();
        coding::encode(block, self.layout, &mut self.plain);
        pending.push(SQUEEZED);
        if !squeeze(&self.plain, pending) {
            pending[begin] = PLAIN;
            pending.extend_from_slice(&self.plain);
        }
    }

    /// Ends the section.
    pub fn end(&mut self) -> Result<(), DiskTrouble> {
        if !self.block.is_empty() {
            self.write_pending_block()?;
        }
        self.index.offsets.push(self.output.bytes());
        let index_at = self.output.bytes();
        let (index, keys) = (&self.index, self.layout.keys);
        let begin = self.output.pending.len();
        for block in 0..index.blocks() {
            let pending = &mut self.output.pending;
            pending.extend_from_slice(&index.offsets[block].to_le_bytes());
            pending.extend_from_slice(&((index.starts[block + 1] - index.starts[block]) as u32).to_le_bytes());
            pending.extend_from_slice(&index.checksums[block].to_le_bytes());
            index.firsts[block * keys..][..keys]
                .iter()
                .for_each(|number| pending.extend_from_slice(&number.to_le_bytes()));
        }
        self.entries.push(Entry {
            level: self.level,
            records: index.starts.last().copied().unwrap_or(0),
            index_at,
            blocks: index.blocks() as u32,
            flags: if self.layout.hints { FLAG_HINTS } else { 0 },
            checksum: checksum(&self.output.pending[begin..]),
            packing: (*self.packing).clone(),
        });
        self.output.flush_if_full()
    }

    /// Ends the file.
    pub fn finish(mut self) -> Result<Finished, DiskTrouble> {
        let table_at = self.output.bytes();
        let mut table = Vec::new();
        for entry in &self.entries {
            for number in [entry.level, entry.records, entry.index_at] {
                table.extend_from_slice(&number.to_le_bytes());
            }
            table.extend_from_slice(&entry.blocks.to_le_bytes());
            table.extend_from_slice(&entry.flags.to_le_bytes());
            table.extend_from_slice(&entry.checksum.to_le_bytes());
            table.extend_from_slice(entry.packing.bits());
        }
        let sum = checksum(&table);
        for number in [table_at, table.len() as u64, sum] {
            table.extend_from_slice(&number.to_le_bytes());
        }
        table.extend_from_slice(MAGIC);
        self.output.pending.extend_from_slice(&table);
        self.output.finish(sum)
    }

    /// Ends a file of one section, which is opened.
    pub fn finish_section(mut self, disk: &Disk) -> Result<Section, DiskTrouble> {
        self.end()?;
        let (packing, hints) = (Arc::clone(&self.packing), self.layout.hints);
        let index = std::mem::take(&mut self.index);
        let file = self.finish()?;
        let path = disk.path(&file.name);
        let records = index.starts.last().copied().unwrap_or(0);
        Ok(Section { file, path, handle: OnceLock::new(), packing, hints, records, index })
    }
}

/// A finished file that is read again.
pub(crate) struct SectionFile {
    pub file: Finished,
    path: PathBuf,
    handle: File,
    pub entries: Vec<Entry>,
}

impl SectionFile {
    /// Opens a file and reads its table. The file must be the one that is meant, whole.
    pub fn open(disk: &Disk, file: &Finished, width: usize) -> Result<SectionFile, DiskTrouble> {
        let path = disk.path(&file.name);
        let read = |error| DiskTrouble::Read { file: path.clone(), error };
        let damaged = || DiskTrouble::Damaged { file: path.clone() };
        let handle = File::open(&path).map_err(read)?;
        let bytes = handle.metadata().map_err(read)?.len();
        if bytes != file.bytes || bytes < TRAILER_BYTES as u64 {
            return Err(damaged());
        }
        let mut trailer = [0; TRAILER_BYTES];
        handle.read_exact_at(&mut trailer, bytes - TRAILER_BYTES as u64).map_err(read)?;
        let number = |at: usize| u64::from_le_bytes(trailer[at..at + 8].try_into().expect("eight bytes"));
        let (table_at, table_bytes, sum) = (number(0), number(8), number(16));
        let entry_bytes = ENTRY_BYTES + width;
        let is_whole = &trailer[24..] == MAGIC
            && sum == file.checksum
            && table_at.checked_add(table_bytes) == Some(bytes - TRAILER_BYTES as u64)
            && table_bytes.is_multiple_of(entry_bytes as u64);
        if !is_whole {
            return Err(damaged());
        }
        let mut table = vec![0; table_bytes as usize];
        handle.read_exact_at(&mut table, table_at).map_err(read)?;
        if checksum(&table) != sum {
            return Err(damaged());
        }
        let entries = table.chunks_exact(entry_bytes).map(entry).collect();
        Ok(SectionFile { file: file.clone(), path, handle, entries })
    }

    /// Opens one of the sections.
    pub fn section(&self, entry: &Entry) -> Result<Section, DiskTrouble> {
        let damaged = || DiskTrouble::Damaged { file: self.path.clone() };
        let keys = entry.packing.keys();
        let row = 16 + 8 * keys;
        let mut bytes = vec![0; entry.blocks as usize * row];
        let read = self.handle.read_exact_at(&mut bytes, entry.index_at);
        read.map_err(|error| DiskTrouble::Read { file: self.path.clone(), error })?;
        if checksum(&bytes) != entry.checksum {
            return Err(damaged());
        }
        let mut index = Index { starts: vec![0], ..Index::default() };
        for row in bytes.chunks_exact(row) {
            let number = |at: usize| u64::from_le_bytes(row[at..at + 8].try_into().expect("eight bytes"));
            index.offsets.push(number(0));
            let before = index.starts.last().copied().unwrap_or(0);
            index.starts.push(before + (number(8) & 0xffff_ffff));
            index.checksums.push((number(8) >> 32) as u32);
            index.firsts.extend((0..keys).map(|key| number(16 + 8 * key)));
        }
        index.offsets.push(entry.index_at);
        let is_whole = index.starts.last() == Some(&entry.records)
            && index.starts.windows(2).all(|pair| pair[0] < pair[1])
            && index.offsets.is_sorted();
        if !is_whole {
            return Err(damaged());
        }
        Ok(Section {
            file: self.file.clone(),
            path: self.path.clone(),
            handle: OnceLock::new(),
            packing: Arc::new(entry.packing.clone()),
            hints: entry.flags & FLAG_HINTS != 0,
            records: entry.records,
            index,
        })
    }
}

fn entry(row: &[u8]) -> Entry {
    let number = |at: usize| u64::from_le_bytes(row[at..at + 8].try_into().expect("eight bytes"));
    Entry {
        level: number(0),
        records: number(8),
        index_at: number(16),
        blocks: number(24) as u32,
        flags: (number(24) >> 32) as u32,
        checksum: number(32),
        packing: Packing::of(row[ENTRY_BYTES..].iter().map(|&bits| bits.min(32)).collect()),
    }
}
