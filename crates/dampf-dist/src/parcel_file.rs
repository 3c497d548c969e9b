//! Files of states, as checkpoints name them.
//!
//! A file is a sequence of parcels, each behind its length and its checksum. It is only ever appended to, so that what
//! a manifest names of it stays as it is.

use crate::parcel::{Companion, Format, Packer, unpack};
use crate::passage::Arrivals;
use crate::wire::Garbled;
use dampf_core::{Transfer, Word};
use dampf_search::checkpoint::{CheckpointProblem, checksum};
use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

/// Parcels of this size are written.
const PARCEL_BYTES: usize = 1 << 18;
/// Length and checksum.
const HEADER_BYTES: usize = 16;

/// A file of states, as far as it counts.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub(crate) struct Piece {
    pub name: String,
    pub bytes: u64,
}

/// A file that is being written.
pub(crate) struct ParcelFile {
    path: PathBuf,
    file: Option<File>,
    packer: Packer,
    bytes: u64,
}

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
        let mut header = Vec::with_capacity(HEADER_BYTES);
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
    let damaged = || CheckpointProblem::Damaged { file: path.clone() };
    let trouble = |error: io::Error| match error.kind() {
        io::ErrorKind::UnexpectedEof => damaged(),
        _ => CheckpointProblem::Unreadable { file: path.clone(), error },
    };
    let mut file = io::BufReader::new(File::open(&path).map_err(trouble)?);
    let mut arrivals = Arrivals::default();
    let mut words = vec![0; model.width()];
    let mut left = piece.bytes;
    while left > 0 {
        let mut header = [0; HEADER_BYTES];
        file.read_exact(&mut header).map_err(trouble)?;
        let number = |at: usize| u64::from_le_bytes(std::array::from_fn(|byte| header[at + byte]));
        let (length, sum) = (number(0), number(8));
        let behind = left.checked_sub(HEADER_BYTES as u64).and_then(|left| left.checked_sub(length));
        left = behind.ok_or_else(damaged)?;
        let mut parcel = vec![0; length as usize];
        file.read_exact(&mut parcel).map_err(trouble)?;
        if checksum(&parcel) != sum {
            return Err(damaged());
        }
        unpack(model, format, &mut arrivals, &parcel, &mut words, &mut visit).map_err(|Garbled| damaged())?;
    }
    Ok(())
}
