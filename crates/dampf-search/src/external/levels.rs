//! Where the levels of a search lie.
//!
//! All levels are kept, each state with its hint, because ways back to the initial states lead through them. A large
//! level has a file for each of its parts. Small levels stay in memory until they are many or a checkpoint is due, and
//! then share a file: a deep and narrow space would otherwise have more files than states.

use super::disk::{Disk, DiskTrouble, Finished, Kind};
use super::run::{Part, Run};
use super::section::{SectionFile, SectionWriter};
use std::sync::{Arc, Mutex};

/// A file with states of these levels and of no others.
#[derive(Clone, Debug)]
pub(crate) struct LevelFile {
    pub file: Finished,
    pub first: u64,
    pub last: u64,
}

#[derive(Default)]
pub(crate) struct Levels {
    /// In ascending order; parts of one level in the order of their states.
    pub files: Vec<LevelFile>,
    /// Levels that are in no file yet: the number of the first, and these.
    pending: Vec<Run>,
    pending_bytes: usize,
    /// The number of the next level.
    next: u64,
    /// The file that was read last: small levels share one.
    opened: Mutex<Option<Arc<SectionFile>>>,
}

impl Levels {
    /// Levels as they lie in files.
    pub fn in_files(files: Vec<LevelFile>, count: u64) -> Levels {
        Levels { files, next: count, ..Levels::default() }
    }

    /// Whether files name every level.
    pub fn is_complete(&self) -> bool {
        let mut covered = 0;
        for file in &self.files {
            if file.first > covered || file.last < file.first {
                return false;
            }
            covered = covered.max(file.last.saturating_add(1));
        }
        covered == self.next
    }

    pub fn count(&self) -> u64 {
        self.next
    }

    pub fn pending_bytes(&self) -> usize {
        self.pending_bytes
    }

    /// Adds a level that is in memory.
    pub fn add_resident(&mut self, run: Run) {
        self.pending_bytes += run.resident_bytes();
        self.pending.push(run);
        self.next += 1;
    }

    /// Adds a level whose parts are all on disk.
    pub fn add_sections(&mut self, disk: &Arc<Disk>, run: &Run) -> Result<(), DiskTrouble> {
        self.flush(disk)?;
        let level = self.next;
        self.files.extend(run.sections().map(|section| LevelFile {
            file: section.file.clone(),
            first: level,
            last: level,
        }));
        self.next += 1;
        Ok(())
    }

    /// Writes the levels that are in memory only.
    pub fn flush(&mut self, disk: &Arc<Disk>) -> Result<(), DiskTrouble> {
        if self.pending.is_empty() {
            return Ok(());
        }
        let first = self.next - self.pending.len() as u64;
        let mut writer = SectionWriter::create(disk, Kind::Levels)?;
        for (level, run) in (first..).zip(&self.pending) {
            for part in &run.parts {
                let Part::Memory(resident) = part else { continue };
                writer.begin(&resident.packing, resident.hints, level, resident.states());
                writer.push(&resident.records)?;
                writer.end()?;
            }
        }
        let file = writer.finish()?;
        self.files.push(LevelFile { file, first, last: self.next - 1 });
        self.pending.clear();
        self.pending_bytes = 0;
        Ok(())
    }

    /// The states of a level.
    pub fn open(&self, disk: &Disk, level: u64, width: usize) -> Result<Run, DiskTrouble> {
        let first_pending = self.next - self.pending.len() as u64;
        if level >= first_pending {
            return Ok(self.pending[(level - first_pending) as usize].clone());
        }
        let begin = self.files.partition_point(|file| file.last < level);
        let mut run = Run::default();
        for LevelFile { file, .. } in self.files[begin..].iter().take_while(|file| file.first <= level) {
            let file = self.file(disk, file, width)?;
            let begin = file.entries.partition_point(|entry| entry.level < level);
            for entry in file.entries[begin..].iter().take_while(|entry| entry.level == level) {
                run.parts.push(Part::Disk(Arc::new(file.section(entry)?)));
            }
        }
        Ok(run)
    }

    fn file(&self, disk: &Disk, file: &Finished, width: usize) -> Result<Arc<SectionFile>, DiskTrouble> {
        let mut opened = self.opened.lock().expect("nothing panics under this lock");
        match &*opened {
            Some(known) if known.file == *file => Ok(Arc::clone(known)),
            _ => Ok(Arc::clone(opened.insert(Arc::new(SectionFile::open(disk, file, width)?)))),
        }
    }
}
