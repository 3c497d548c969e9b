//! Checkpoints: what is on disk, and how it is read back.
//!
//! A rank appends the states it has found since the last checkpoint to a file of its own, and writes those that wait to be explored into
//! another. When all ranks have done so, the first one replaces the *manifest*, which says which files count and up to which
//! length. Nothing that a manifest names is ever changed, so whatever happens, the last manifest stands for a moment of the search from
//! which it can go on. A run that goes on names the old files and adds its own, so the number of ranks may be another one.

use crate::parcel::{Companion, Format, Packer, unpack};
use crate::passage::Arrivals;
use crate::wire::{Garbled, Reader, Write};
use dampf_core::{Transfer, Word};
use dampf_net::Rank;
use std::fmt;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Where checkpoints go, and how often.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Checkpoints {
    /// A folder that all ranks see.
    pub folder: PathBuf,
    pub every: Duration,
    /// What the search is of. A search of something else does not go on from here.
    pub identity: String,
    /// Kept for whoever resumes; see [`description`].
    pub description: String,
    pub beginning: Beginning,
}

/// What a folder is to hold when a search begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Beginning {
    /// No checkpoint.
    New,
    /// The checkpoint to go on from.
    Resume,
    /// Checkpoints of earlier attempts at the same search, so many, which do not count any more.
    Again(u64),
}

/// Attempts are this far apart in the numbers of files.
const GENERATIONS_PER_ATTEMPT: u64 = 1 << 16;

/// Why a folder cannot be used.
#[derive(Debug)]
pub enum CheckpointProblem {
    Io(PathBuf, io::Error),
    /// There is a file that should not be there.
    InUse(PathBuf),
    /// Another run writes there.
    Locked(PathBuf),
    Nothing(PathBuf),
    Garbled(PathBuf),
    /// The checkpoint is of something else.
    OtherSearch(PathBuf),
}

impl fmt::Display for CheckpointProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CheckpointProblem::Io(path, error) => write!(f, "`{}`: {error}", path.display()),
            CheckpointProblem::InUse(path) => write!(f, "`{}` holds a checkpoint already", path.display()),
            CheckpointProblem::Locked(path) => write!(f, "`{}` is used by another run", path.display()),
            CheckpointProblem::Nothing(path) => write!(f, "`{}` holds no checkpoint", path.display()),
            CheckpointProblem::Garbled(path) => write!(f, "`{}` is damaged", path.display()),
            CheckpointProblem::OtherSearch(path) => {
                write!(f, "the checkpoint in `{}` is of another model, or of other options", path.display())
            }
        }
    }
}

impl std::error::Error for CheckpointProblem {}

const MANIFEST: &str = "manifest";
const LOCK: &str = "lock";
/// So long a run waits for one that is about to end: ranks outlive their launcher by seconds.
const PATIENCE: Duration = Duration::from_secs(5);
const NAP: Duration = Duration::from_millis(20);
/// A file by which the ranks of a run that was ended agree who tells so.
pub const ENDED: &str = "ended";
const MAGIC: &[u8] = b"dampf checkpoint 1\n";

/// A file of states, as far as it counts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Piece {
    pub name: String,
    pub bytes: u64,
}

/// What stands for a moment of the search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Manifest {
    pub identity: String,
    pub description: String,
    /// How often the search was resumed; part of file names.
    pub generation: u64,
    pub level: u64,
    pub format: Format,
    /// Files of all states that were found, with the rank that wrote each.
    pub stored: Vec<(Rank, Piece)>,
    /// Files of those of them that wait to be explored.
    pub waiting: Vec<(Rank, Piece)>,
    /// Files of states that were found but not looked up yet.
    pub found: Vec<(Rank, Piece)>,
    /// What the ranks said of themselves.
    pub accounts: Vec<Vec<u8>>,
}

impl Manifest {
    fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        out.text(&self.identity);
        out.text(&self.description);
        out.number(self.generation);
        out.number(self.level);
        let Format { depths, labels, places, positions, parts } = self.format;
        [depths, labels, places, positions, parts].into_iter().for_each(|flag| out.number(u64::from(flag)));
        for pieces in [&self.stored, &self.waiting, &self.found] {
            out.number(pieces.len() as u64);
            for (rank, piece) in pieces {
                out.number(u64::from(*rank));
                out.text(&piece.name);
                out.number(piece.bytes);
            }
        }
        out.number(self.accounts.len() as u64);
        self.accounts.iter().for_each(|account| out.bytes(account));
        out
    }

    fn decode(bytes: &[u8]) -> Result<Manifest, Garbled> {
        let mut reader = Reader::new(bytes);
        let (identity, description) = (reader.text()?, reader.text()?);
        let (generation, level) = (reader.number()?, reader.number()?);
        let mut flag = || Ok(reader.number()? != 0);
        let format = Format { depths: flag()?, labels: flag()?, places: flag()?, positions: flag()?, parts: flag()? };
        let mut pieces = || {
            let count = reader.count()?;
            let piece = |_| Ok((reader.word()?, Piece { name: reader.text()?, bytes: reader.number()? }));
            (0..count).map(piece).collect::<Result<Vec<_>, Garbled>>()
        };
        let (stored, waiting, found) = (pieces()?, pieces()?, pieces()?);
        let count = reader.count()?;
        let accounts = (0..count).map(|_| Ok(reader.bytes()?.to_vec())).collect::<Result<_, Garbled>>()?;
        Ok(Manifest { identity, description, generation, level, format, stored, waiting, found, accounts })
    }

    /// Replaces the manifest of a folder; at any moment the folder has the old one or the new one.
    pub fn write(&self, folder: &Path) -> io::Result<()> {
        let contents = self.encode();
        let temporary = folder.join(format!("{MANIFEST}.new"));
        let mut file = File::create(&temporary)?;
        file.write_all(MAGIC)?;
        file.write_all(&checksum(&contents).to_le_bytes())?;
        file.write_all(&contents)?;
        file.sync_all()?;
        fs::rename(&temporary, folder.join(MANIFEST))?;
        // The rename itself has to last too, where folders can be synchronised.
        if let Ok(folder) = File::open(folder) {
            let _ = folder.sync_all();
        }
        Ok(())
    }

    pub fn read(folder: &Path) -> Result<Manifest, CheckpointProblem> {
        let path = folder.join(MANIFEST);
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(CheckpointProblem::Nothing(folder.to_owned()));
            }
            Err(error) => return Err(CheckpointProblem::Io(path, error)),
        };
        let contents = bytes.strip_prefix(MAGIC).and_then(|rest| rest.split_first_chunk::<8>());
        match contents {
            Some((sum, contents)) if u64::from_le_bytes(*sum) == checksum(contents) => {
                Manifest::decode(contents).map_err(|Garbled| CheckpointProblem::Garbled(path))
            }
            _ => Err(CheckpointProblem::Garbled(path)),
        }
    }

    /// Removes files that no manifest names: what a run left behind that died while it wrote.
    pub fn tidy(&self, folder: &Path) {
        self.remove_unnamed(folder, is_ours);
    }

    /// Removes files of states that waited at an earlier checkpoint.
    pub fn tidy_waiting(&self, folder: &Path) {
        self.remove_unnamed(folder, |name| name.ends_with(".waiting") || name.ends_with(".found"));
    }

    fn remove_unnamed(&self, folder: &Path, is_meant: impl Fn(&str) -> bool) {
        let named = |name: &str| {
            let mut pieces = self.stored.iter().chain(&self.waiting).chain(&self.found);
            name == MANIFEST || pieces.any(|(_, piece)| piece.name == name)
        };
        let Ok(entries) = fs::read_dir(folder) else { return };
        for entry in entries.flatten() {
            let name = entry.file_name();
            if let Some(name) = name.to_str()
                && is_meant(name)
                && !named(name)
                // Another rank of the run that goes on from here may have begun to write already.
                && name.split('-').next().and_then(|number| number.parse().ok()).is_none_or(|of: u64| of <= self.generation)
            {
                // A file that cannot be removed is only in the way of other things.
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}

fn is_ours(name: &str) -> bool {
    name == "manifest.new"
        || name == ENDED
        || [".stored", ".waiting", ".found"].iter().any(|ending| name.ends_with(ending))
}

/// What was kept in a folder for whoever resumes.
pub fn description(folder: &Path) -> Result<String, CheckpointProblem> {
    Ok(Manifest::read(folder)?.description)
}

fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |sum, &byte| (sum ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

/// A folder that can be used.
pub(crate) struct Prepared {
    /// The checkpoint to go on from.
    pub manifest: Option<Manifest>,
    /// The number of the files to write.
    pub generation: u64,
    /// Keeps other runs away.
    pub lock: Option<File>,
}

/// Makes a folder ready.
///
/// The first rank looks for other runs and for checkpoints that are in the way; the others may come later, when it has written one.
pub(crate) fn prepare_folder(checkpoints: &Checkpoints, is_first: bool) -> Result<Prepared, CheckpointProblem> {
    let folder = &checkpoints.folder;
    let trouble = |error| CheckpointProblem::Io(folder.clone(), error);
    if checkpoints.beginning == Beginning::New {
        fs::create_dir_all(folder).map_err(trouble)?;
    }
    let lock = if is_first && folder.is_dir() { Some(lock(folder)?) } else { None };
    let (manifest, generation) = match checkpoints.beginning {
        Beginning::Resume => {
            let manifest = Manifest::read(folder)?;
            if manifest.identity != checkpoints.identity {
                return Err(CheckpointProblem::OtherSearch(folder.clone()));
            }
            if is_first {
                // Or nobody would tell how to go on when this run is ended, too.
                let _ = fs::remove_file(folder.join(ENDED));
            }
            let generation = manifest.generation + 1;
            (Some(manifest), generation)
        }
        Beginning::New => {
            if is_first && folder.join(MANIFEST).exists() {
                return Err(CheckpointProblem::InUse(folder.clone()));
            }
            (None, 0)
        }
        Beginning::Again(attempts) => {
            if is_first && folder.join(MANIFEST).exists() {
                let manifest = Manifest::read(folder)?;
                fs::remove_file(folder.join(MANIFEST)).map_err(trouble)?;
                Manifest { stored: Vec::new(), waiting: Vec::new(), found: Vec::new(), ..manifest }.tidy(folder);
            }
            (None, attempts * GENERATIONS_PER_ATTEMPT)
        }
    };
    Ok(Prepared { manifest, generation, lock })
}

/// Keeps other runs away from a folder.
fn lock(folder: &Path) -> Result<File, CheckpointProblem> {
    let path = folder.join(LOCK);
    let file = OpenOptions::new().create(true).truncate(false).write(true).open(&path);
    let file = file.map_err(|error| CheckpointProblem::Io(path, error))?;
    let start = Instant::now();
    loop {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) if start.elapsed() < PATIENCE => std::thread::sleep(NAP),
            Err(TryLockError::WouldBlock) => return Err(CheckpointProblem::Locked(folder.to_owned())),
            // A file system without locks is used without.
            Ok(()) | Err(TryLockError::Error(_)) => return Ok(file),
        }
    }
}

/// A file of parcels.
pub(crate) struct ParcelFile {
    path: PathBuf,
    file: Option<File>,
    packer: Packer,
    bytes: u64,
}

/// Parcels of this size are written.
const PARCEL_BYTES: usize = 1 << 18;

impl ParcelFile {
    /// A file that comes into being with the first parcel.
    pub fn new(path: PathBuf, width: usize, format: Format) -> Self {
        ParcelFile { path, file: None, packer: Packer::new(width, format), bytes: 0 }
    }

    pub fn push<M: Transfer>(&mut self, model: &M, state: &[Word], companion: &Companion) -> io::Result<()> {
        self.packer.push(model, state, companion);
        if self.packer.size() >= PARCEL_BYTES { self.write() } else { Ok(()) }
    }

    fn write(&mut self) -> io::Result<()> {
        let Some((parcel, _)) = self.packer.take() else { return Ok(()) };
        let file = match &mut self.file {
            Some(file) => file,
            None => self.file.insert(OpenOptions::new().create(true).write(true).truncate(true).open(&self.path)?),
        };
        let mut header = Vec::with_capacity(16);
        header.extend_from_slice(&(parcel.len() as u64).to_le_bytes());
        header.extend_from_slice(&checksum(&parcel).to_le_bytes());
        file.write_all(&header)?;
        file.write_all(&parcel)?;
        self.bytes += (header.len() + parcel.len()) as u64;
        Ok(())
    }

    /// Writes what is left, and waits until everything is on disk. Returns what the file is now.
    pub fn sync(&mut self) -> io::Result<Piece> {
        self.write()?;
        if let Some(file) = &self.file {
            file.sync_data()?;
        }
        let name = self.path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        Ok(Piece { name: name.to_owned(), bytes: self.bytes })
    }
}

/// Reads the states of a file as far as it counts.
pub(crate) fn read_piece<M: Transfer>(
    model: &M,
    format: Format,
    folder: &Path,
    piece: &Piece,
    mut visit: impl FnMut(&[Word], Companion),
) -> Result<(), CheckpointProblem> {
    if piece.bytes == 0 {
        return Ok(());
    }
    let path = folder.join(&piece.name);
    let trouble = |error: io::Error| match error.kind() {
        io::ErrorKind::UnexpectedEof => CheckpointProblem::Garbled(path.clone()),
        _ => CheckpointProblem::Io(path.clone(), error),
    };
    let mut file = io::BufReader::new(File::open(&path).map_err(trouble)?);
    let mut arrivals = Arrivals::default();
    let mut words = vec![0; model.width()];
    let mut left = piece.bytes;
    while left > 0 {
        let mut header = [0; 16];
        file.read_exact(&mut header).map_err(trouble)?;
        let number = |at: usize| u64::from_le_bytes(std::array::from_fn(|byte| header[at + byte]));
        let (length, sum) = (number(0), number(8));
        let garbled = || CheckpointProblem::Garbled(path.clone());
        left = left.checked_sub(16).and_then(|left| left.checked_sub(length)).ok_or_else(garbled)?;
        let mut parcel = vec![0; length as usize];
        file.read_exact(&mut parcel).map_err(trouble)?;
        if checksum(&parcel) != sum {
            return Err(garbled());
        }
        unpack(model, format, &mut arrivals, &parcel, &mut words, &mut visit).map_err(|Garbled| garbled())?;
    }
    Ok(())
}
