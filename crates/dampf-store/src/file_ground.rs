//! A file as ground: for contents of states that are larger than memory.
//!
//! The file is only appended to, in extents that are mapped where contents are read and written like memory. The
//! system's page cache is the cache of what is used; what it drops it writes first, in blocks, and reads again when
//! somebody looks. [`FileGround::let_go`] takes the pages out of this process, so that its memory stays within a limit:
//! those in use come back at the price of a page fault.

use dampf_core::{Ground, Heap, PIECE_ALIGNMENT};
use memmap2::{MmapOptions, MmapRaw};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::ptr::NonNull;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// The file grows by at least this much: a multiple of every page size.
const EXTENT_BYTES: usize = 16 << 20;

pub struct FileGround {
    file: File,
    extents: Mutex<Extents>,
    bytes: AtomicU64,
    /// Whether the disk had no room for an extent.
    is_full: AtomicBool,
    /// What is used then, until the search has ended.
    heap: Heap,
}

#[derive(Default)]
struct Extents {
    maps: Vec<MmapRaw>,
    /// How much of the last map is used.
    used: usize,
}

impl FileGround {
    /// Takes an empty file that nobody else writes.
    pub fn new(file: File) -> FileGround {
        FileGround {
            file,
            extents: Mutex::default(),
            bytes: AtomicU64::new(0),
            is_full: AtomicBool::new(false),
            heap: Heap::default(),
        }
    }

    /// The size of the file.
    pub fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Whether the disk is full. What came since is in memory, so nothing is lost; but a search has to end now.
    pub fn is_full(&self) -> bool {
        self.is_full.load(Ordering::Relaxed)
    }

    /// Takes the contents out of this process's memory until they are looked at again.
    pub fn let_go(&self) {
        let extents = self.extents.lock().expect("nothing panics under this lock");
        for map in &extents.maps {
            // Only advice: a system that does not take it keeps the pages. SAFETY: of a shared map of a file nothing is
            // lost by this: what was written is in the page cache, and is seen there again.
            #[cfg(unix)]
            let _ = unsafe { map.unchecked_advise(memmap2::UncheckedAdvice::DontNeed) };
        }
    }

    fn extent(&self, bytes: usize) -> io::Result<MmapRaw> {
        let length = bytes.next_multiple_of(EXTENT_BYTES);
        let offset = self.bytes();
        // A page without a place on disk would be noticed by a signal, when it is written.
        reserve(&self.file, offset, length as u64)?;
        let map = MmapOptions::new().offset(offset).len(length).map_raw(&self.file)?;
        self.bytes.fetch_add(length as u64, Ordering::Relaxed);
        Ok(map)
    }
}

// SAFETY: new extents of a file are zero and begin at a page; pieces of an extent do not overlap and are multiples of
// the alignment; maps are shared, are dropped with the ground only, and the file is nobody else's.
unsafe impl Ground for FileGround {
    fn piece(&self, bytes: usize) -> NonNull<u8> {
        let bytes = bytes.next_multiple_of(PIECE_ALIGNMENT);
        let mut extents = self.extents.lock().expect("nothing panics under this lock");
        let room = extents.maps.last().map_or(0, |map| map.len() - extents.used);
        if room < bytes {
            match self.extent(bytes) {
                Ok(map) => {
                    extents.maps.push(map);
                    extents.used = 0;
                }
                Err(_) => {
                    self.is_full.store(true, Ordering::Relaxed);
                    return self.heap.piece(bytes);
                }
            }
        }
        let last = extents.maps.last().expect("there is room in it");
        let start = NonNull::new(last.as_mut_ptr()).expect("a map has an address");
        // SAFETY: the last extent has room for the piece behind what is used.
        let piece = unsafe { start.add(extents.used) };
        extents.used += bytes;
        piece
    }
}

/// Makes sure that the disk has room for what will be written there.
fn reserve(file: &File, offset: u64, length: u64) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    match rustix::fs::fallocate(file, rustix::fs::FallocateFlags::empty(), offset, length) {
        // Not every file system can do this.
        Err(rustix::io::Errno::OPNOTSUPP | rustix::io::Errno::NOSYS) => {}
        reserved => return Ok(reserved?),
    }
    fill_with_zeros(file, offset, length)
}

fn fill_with_zeros(mut file: &File, offset: u64, length: u64) -> io::Result<()> {
    file.seek(SeekFrom::Start(offset))?;
    io::copy(&mut io::repeat(0).take(length), &mut file)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use dampf_core::ComponentTable;
    use std::sync::Arc;

    fn file() -> File {
        let path =
            std::env::temp_dir().join(format!("dampf-ground-{}-{:?}", std::process::id(), std::thread::current().id()));
        let file = File::options().read(true).write(true).create_new(true).open(&path).expect("a new file");
        std::fs::remove_file(path).expect("the file is ours");
        file
    }

    #[test]
    fn contents_are_there_after_they_were_let_go() {
        let ground = Arc::new(FileGround::new(file()));
        let table = ComponentTable::on(Arc::<FileGround>::clone(&ground));
        let contents = |number: u32| vec![number; 1 + (number % 300) as usize];
        let mut ids = Vec::new();
        for number in 0..20_000 {
            ids.push(table.intern(&contents(number)));
            if number % 3_000 == 0 {
                ground.let_go();
            }
        }
        let large = table.intern(&vec![7; EXTENT_BYTES]);
        ground.let_go();
        for (number, &id) in (0..).zip(&ids) {
            assert_eq!((table.get(id), table.intern(&contents(number))), (contents(number).as_slice(), id));
        }
        assert_eq!(table.get(large), vec![7; EXTENT_BYTES]);
        assert!(ground.bytes() > 64 << 20 && !ground.is_full());
    }

    #[test]
    fn room_is_made_where_it_cannot_be_reserved() {
        let file = file();
        fill_with_zeros(&file, 0, 3 << 20).expect("there is room");
        fill_with_zeros(&file, 3 << 20, 1 << 20).expect("there is room");
        assert_eq!(file.metadata().expect("a file").len(), 4 << 20);
        let null = File::options().write(true).open("/dev/full").expect("a disk that is always full");
        assert!(fill_with_zeros(&null, 0, 1).is_err());
    }

    #[test]
    fn a_file_that_cannot_grow_is_full_and_loses_nothing() {
        let readable = File::open("/dev/null").expect("a file that takes no extent");
        let ground = Arc::new(FileGround::new(readable));
        let table = ComponentTable::on(Arc::<FileGround>::clone(&ground));
        assert!(!ground.is_full());
        let id = table.intern(&[1, 2, 3]);
        assert!(ground.is_full());
        assert_eq!(table.get(id), [1, 2, 3]);
    }
}
