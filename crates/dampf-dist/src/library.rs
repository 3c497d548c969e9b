//! The second channel: contents through files in a folder that all ranks see, while messages carry nothing but names.
//!
//! Each rank appends the parts that it describes to a file of its own, once for all receivers, those that a part is
//! made of before it. A message then says where in the file a part begins, and the receiver reads what it does not know
//! yet. Without a library, contents travel in the messages, once per pair of ranks.
//!
//! A record begins with the length and the checksum of what follows. Where a file is seen late, as on some file systems
//! of clusters, a reader waits until the record is there.

use crate::wire::{Garbled, Reader, Write};
use dampf_core::{Part, Transfer, Word};
use dampf_net::Rank;
use dampf_search::checkpoint::checksum;
use std::collections::HashMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Where the files are. The same on all ranks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Library {
    pub folder: PathBuf,
    /// Which of several searches in a row it is: one may have begun while another rank still reads for the last.
    pub number: u64,
}

impl Library {
    pub fn file(&self, rank: Rank) -> PathBuf {
        self.folder.join(format!("dampf-contents-{}-{rank}", self.number))
    }
}

/// Length and checksum.
const HEADER_BYTES: usize = 8;
/// Bytes that are read at once: parts that belong together were written one after the other.
const WINDOW_BYTES: usize = 64 << 10;
/// How long a record may take from the one who wrote it to the one who reads it.
const PATIENCE: Duration = if cfg!(test) { Duration::from_millis(20) } else { Duration::from_secs(20) };
const NAP: Duration = Duration::from_millis(5);

/// A rank's file, for all whom the rank writes to.
pub type SharedAuthor = Arc<Mutex<Author>>;

/// One rank's file.
pub struct Author {
    file: File,
    path: PathBuf,
    length: u64,
    /// Where the parts begin that were written.
    written: HashMap<Part, u64>,
    /// Whether the file cannot be written any more; contents go by message then.
    has_failed: bool,
}

impl Author {
    fn new(library: &Library, rank: Rank) -> io::Result<Author> {
        std::fs::create_dir_all(&library.folder)?;
        let path = library.file(rank);
        let file = OpenOptions::new().create(true).truncate(false).write(true).open(&path)?;
        if let Err(TryLockError::WouldBlock) = file.try_lock() {
            return Err(io::Error::new(io::ErrorKind::ResourceBusy, "another search is using it"));
        }
        file.set_len(0)?;
        Ok(Author { file, path, length: 0, written: HashMap::new(), has_failed: false })
    }

    pub fn shared(library: &Library, rank: Rank) -> io::Result<SharedAuthor> {
        Author::new(library, rank).map(|author| Arc::new(Mutex::new(author)))
    }

    /// Bytes in the file.
    pub fn bytes(&self) -> u64 {
        self.length
    }

    /// Where a part begins in the file; it is written if it is not there. None where it cannot be written.
    pub fn place<M: Transfer>(&mut self, model: &M, part: Part) -> Option<u64> {
        if self.has_failed {
            return None;
        }
        if let Some(&place) = self.written.get(&part) {
            return Some(place);
        }
        let (mut records, mut new) = (Vec::new(), Vec::new());
        let place = self.append(model, part, &mut records, &mut new);
        if self.file.write_all(&records).is_err() {
            self.has_failed = true;
            for part in &new {
                self.written.remove(part);
            }
            return None;
        }
        self.length += records.len() as u64;
        Some(place)
    }

    fn append<M: Transfer>(&mut self, model: &M, part: Part, records: &mut Vec<u8>, new: &mut Vec<Part>) -> u64 {
        if let Some(&place) = self.written.get(&part) {
            return place;
        }
        let (mut contents, mut inner) = (Vec::new(), Vec::new());
        model.part(part, &mut contents, &mut |position, part| inner.push((position, part)));
        let places: Vec<(usize, u64)> =
            inner.into_iter().map(|(position, part)| (position, self.append(model, part, records, new))).collect();
        let mut record = Vec::new();
        record.number(u64::from(part.kind));
        record.words(&contents);
        record.number(places.len() as u64);
        let place = self.length + records.len() as u64;
        for (position, inner) in places {
            record.number(position as u64);
            // Mostly just before this part.
            record.number(place - inner);
        }
        records.extend_from_slice(&(record.len() as u32).to_le_bytes());
        records.extend_from_slice(&(checksum(&record) as u32).to_le_bytes());
        records.extend_from_slice(&record);
        self.written.insert(part, place);
        new.push(part);
        place
    }
}

impl Drop for Author {
    fn drop(&mut self) {
        // All have ended their search, or will not come to an end. A file that stays is in nobody's way.
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Another rank's file, as far as it was read.
pub struct Visitor {
    path: PathBuf,
    file: Option<File>,
    /// This process's names of the parts that were read, by where they begin.
    names: HashMap<u64, Word>,
    window: Vec<u8>,
    window_begin: u64,
}

impl Visitor {
    pub fn new(library: &Library, rank: Rank) -> Visitor {
        Visitor { path: library.file(rank), file: None, names: HashMap::new(), window: Vec::new(), window_begin: 0 }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// This process's name of the part that begins there.
    pub fn name<M: Transfer>(&mut self, model: &M, place: u64) -> Result<Word, Garbled> {
        if let Some(&name) = self.names.get(&place) {
            return Ok(name);
        }
        let record = self.record(place)?;
        let mut reader = Reader::new(&record);
        let kind = reader.word()?;
        let mut contents = reader.words()?;
        for _ in 0..reader.count()? {
            let (position, distance) = (reader.number()? as usize, reader.number()?);
            // Parts are behind those that they are made of, so this comes to an end.
            let inner = place.checked_sub(distance).filter(|_| distance > 0).ok_or(Garbled)?;
            *contents.get_mut(position).ok_or(Garbled)? = self.name(model, inner)?;
        }
        let name = model.name_of(kind, &contents);
        self.names.insert(place, name);
        Ok(name)
    }

    /// A whole record; waits for it where it is not there yet.
    fn record(&mut self, place: u64) -> Result<Vec<u8>, Garbled> {
        let begin = Instant::now();
        loop {
            if let Some(record) = self.look(place) {
                return Ok(record);
            }
            if begin.elapsed() > PATIENCE {
                return Err(Garbled);
            }
            self.window.clear();
            self.file = None;
            std::thread::sleep(NAP);
        }
    }

    fn look(&mut self, place: u64) -> Option<Vec<u8>> {
        let header = self.bytes(place, HEADER_BYTES)?;
        let (length, sum) = header.split_at(size_of::<u32>());
        let length = u32::from_le_bytes(length.try_into().ok()?) as usize;
        let sum = u32::from_le_bytes(sum.try_into().ok()?);
        let record = self.bytes(place + HEADER_BYTES as u64, length)?;
        (length > 0 && checksum(record) as u32 == sum).then(|| record.to_vec())
    }

    /// So many bytes of the file, if it has them.
    fn bytes(&mut self, begin: u64, length: usize) -> Option<&[u8]> {
        let is_inside = |window: &[u8], window_begin: u64| {
            begin >= window_begin && begin + length as u64 <= window_begin + window.len() as u64
        };
        if !is_inside(&self.window, self.window_begin) {
            if self.file.is_none() {
                self.file = File::open(&self.path).ok();
            }
            let file = self.file.as_mut()?;
            self.window.clear();
            self.window_begin = begin;
            file.seek(SeekFrom::Start(begin)).ok()?;
            file.take(WINDOW_BYTES.max(length) as u64).read_to_end(&mut self.window).ok()?;
        }
        if !is_inside(&self.window, self.window_begin) {
            return None;
        }
        let at = (begin - self.window_begin) as usize;
        Some(&self.window[at..at + length])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dampf_core::ComponentId;
    use dampf_testkit::pages::Pages;

    fn page(number: u32) -> Vec<Word> {
        (0..1024).map(|at| if at % 50 == 0 { number + at } else { 0 }).collect()
    }

    #[test]
    fn parts_are_read_where_they_were_written() {
        let place = tempfile::tempdir().expect("a folder");
        let library = Library { folder: place.path().to_owned(), number: 3 };
        let (here, there) = (Pages::new(1, 1), Pages::new(1, 1));
        let author = Author::shared(&library, 0).expect("a file");
        let mut author = author.lock().expect("nobody else has it");
        assert!(Author::new(&library, 0).is_err(), "two searches would write to one file");
        let mut visitor = Visitor::new(&library, 0);
        let mut places = Vec::new();
        for number in 0..300 {
            let part = Part { kind: 0, name: here.table.intern(&page(number)).0 };
            let place = author.place(&here, part).expect("it was written");
            assert_eq!(author.place(&here, part), Some(place));
            places.push(place);
            // Now and then what was written just now is read.
            if number % 7 == 0 {
                let name = visitor.name(&there, place).expect("it can be read");
                assert_eq!(there.table.get(ComponentId(name)), page(number));
            }
        }
        for (number, &place) in (0..).zip(&places) {
            let name = visitor.name(&there, place).expect("it can be read");
            assert_eq!(there.table.get(ComponentId(name)), page(number));
        }
        let path = library.file(0);
        let mut bytes = std::fs::read(&path).expect("the file is there");
        assert_eq!(bytes.len() as u64, author.bytes());
        bytes[places[9] as usize + 20] ^= 4;
        bytes.truncate(places[299] as usize + 20);
        std::fs::write(&path, bytes).expect("the file is ours");
        let mut late = Visitor::new(&library, 0);
        assert!(late.name(&there, places[8]).is_ok());
        assert!([9, 299].into_iter().all(|number: usize| late.name(&there, places[number]).is_err()));
        assert!(Visitor::new(&library, 1).name(&there, 0).is_err());
        drop(author);
    }

    #[test]
    fn a_file_that_cannot_be_written_is_left_alone() {
        let place = tempfile::tempdir().expect("a folder");
        let library = Library { folder: place.path().to_owned(), number: 0 };
        let pages = Pages::new(1, 1);
        let mut author = Author::new(&library, 0).expect("a file");
        author.file = File::open(&author.path).expect("to be read only");
        let part = Part { kind: 0, name: pages.table.intern(&page(1)).0 };
        assert_eq!((author.place(&pages, part), author.place(&pages, part)), (None, None));
        assert!(author.written.is_empty() && author.bytes() == 0);
    }
}
