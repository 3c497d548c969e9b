//! What the names in states stand for, in files: a process that resumes a search has to give the same names.
//!
//! Every checkpoint adds a file with what the model's tables have got since the last one, in their order. A file is a
//! sequence of blocks: the length of its entries, their checksum, and the entries, each with its table, its number
//! there, its length and its words.

use super::disk::{Disk, DiskTrouble, Finished, Kind, Output};
use crate::checkpoint::checksum;
use dampf_core::{Restore, Word};
use std::fs::File;
use std::io::{BufReader, Read};
use std::sync::Arc;

/// A block is closed when it has so many bytes.
const BLOCK_BYTES: usize = 64 << 10;
/// Nothing that was written is larger; what claims to be is damaged.
const BLOCK_BYTES_MAX: usize = 1 << 30;
const HEADER_BYTES: usize = size_of::<u32>() + size_of::<u64>();

/// What of the model's tables is in files.
#[derive(Default)]
pub(crate) struct Contents {
    counts: Vec<u32>,
    pub files: Vec<Finished>,
}

impl Contents {
    /// Writes what is new.
    pub fn save<M: Restore>(&mut self, model: &M, disk: &Arc<Disk>) -> Result<(), DiskTrouble> {
        let now = model.tables();
        self.counts.resize(now.len(), 0);
        if self.counts == now {
            return Ok(());
        }
        let mut output = disk.create(Kind::Contents)?;
        let mut block = Vec::new();
        let mut words = Vec::new();
        for (table, (&saved, &count)) in self.counts.iter().zip(&now).enumerate() {
            for number in saved..count {
                words.clear();
                model.entry(table, number, &mut words);
                for word in [table as u32, number, words.len() as u32].iter().chain(&words) {
                    block.extend_from_slice(&word.to_le_bytes());
                }
                if block.len() >= BLOCK_BYTES {
                    write(&mut output, &mut block)?;
                }
            }
        }
        write(&mut output, &mut block)?;
        self.files.push(output.finish(0)?);
        self.counts = now;
        Ok(())
    }

    /// Fills the tables of a model that has not given any name yet.
    pub fn restore<M: Restore>(model: &M, disk: &Disk, files: Vec<Finished>) -> Result<Contents, DiskTrouble> {
        for file in &files {
            let path = disk.path(&file.name);
            let opened = File::open(&path).map_err(|error| DiskTrouble::Read { file: path.clone(), error })?;
            let mut reader = BufReader::with_capacity(1 << 20, opened.take(file.bytes));
            let mut left = file.bytes;
            while left > 0 {
                let block = read(&mut reader, &mut left);
                let restored = block.as_deref().and_then(|block| fill(model, block));
                restored.ok_or_else(|| DiskTrouble::Damaged { file: path.clone() })?;
            }
        }
        Ok(Contents { counts: model.tables(), files })
    }
}

fn write(output: &mut Output, block: &mut Vec<u8>) -> Result<(), DiskTrouble> {
    output.pending.extend_from_slice(&(block.len() as u32).to_le_bytes());
    output.pending.extend_from_slice(&checksum(block).to_le_bytes());
    output.pending.append(block);
    output.flush_if_full()
}

/// The entries of the next block; none if they are not what was written.
fn read(reader: &mut impl Read, left: &mut u64) -> Option<Vec<u8>> {
    let mut header = [0; HEADER_BYTES];
    reader.read_exact(&mut header).ok()?;
    let (length, sum) = header.split_at(size_of::<u32>());
    let length = u32::from_le_bytes(length.try_into().ok()?) as usize;
    *left = left.checked_sub((HEADER_BYTES + length) as u64)?;
    let mut block = vec![0; if length > BLOCK_BYTES_MAX { return None } else { length }];
    reader.read_exact(&mut block).ok()?;
    (checksum(&block).to_le_bytes() == *sum).then_some(block)
}

/// Takes the entries of a block in; none if one does not get the name that it had.
fn fill<M: Restore>(model: &M, block: &[u8]) -> Option<()> {
    let words: Vec<Word> = block
        .chunks_exact(size_of::<Word>())
        .map(|bytes| Word::from_le_bytes(bytes.try_into().expect("a word")))
        .collect();
    let mut rest = words.as_slice();
    while let [table, number, length, behind @ ..] = rest {
        let (contents, next) = behind.split_at_checked(*length as usize)?;
        if !model.restore(*table as usize, *number, contents) {
            return None;
        }
        rest = next;
    }
    rest.is_empty().then_some(())
}
