//! Objects that were compiled before, kept in the user's cache.
//!
//! What a compilation makes follows from the preprocessed source, the flags, the folder it runs in (which the debug
//! information names), the compiler and our runtime. All that is kept with the object and compared, since an object
//! that belongs to something else would make a wrong verdict; its hash is only the name of the file. A file appears
//! under its name when it is complete, so compilations that run at the same time do not meet, and a cache that cannot
//! be read or written is as good as none. Only compilations that say nothing are kept: no warning is to be lost.
//!
//! `DAMPF_CACHE=0` leaves the cache alone.

use super::arguments::Invocation;
use super::runtime::{Runtime, cache_directory};
use super::toolchain::Toolchain;
use std::ffi::OsString;
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::SystemTime;

/// All objects together may take so much. The oldest ones make room.
const CACHE_BYTES_MAX: u64 = 1 << 30;

/// What is in a source that has contents elsewhere, which preprocessing does not show.
const ELSEWHERE: [&[u8]; 2] = [b".incbin", b"pch_preprocess"];

/// Whether objects are kept at all.
pub fn is_on() -> bool {
    std::env::var_os("DAMPF_CACHE").is_none_or(|value| value != "0")
}

/// The place of an object in the cache.
pub struct Entry {
    path: PathBuf,
    /// Everything that decides about the object.
    key: Vec<u8>,
    /// Where the object is wanted.
    output: PathBuf,
}

impl Entry {
    /// The place of what a compiler makes that is called with these arguments, ours among them, if that can be kept.
    /// Writes the list of dependencies where one is asked for: preprocessing finds them.
    pub fn of(
        toolchain: &Toolchain,
        runtime: &Runtime,
        (invocation, arguments): (&Invocation, &[OsString]),
        time: Option<&str>,
    ) -> Option<Entry> {
        let output = invocation.only_object().filter(|_| is_on() && !runtime.is_temporary())?;
        let directory = cache_directory()?.join("objects");
        std::fs::create_dir_all(&directory).ok()?;
        let flags = invocation.flags_to_preprocess(arguments, &output);
        let mut command = toolchain.command();
        command.args(&flags).arg("-E");
        if let Some(time) = time {
            command.env("SOURCE_DATE_EPOCH", time);
        }
        let preprocessed = command.stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
        let text = &preprocessed.stdout;
        let lies_elsewhere = |mark: &&[u8]| text.windows(mark.len()).any(|window| window == *mark);
        if !preprocessed.status.success() || ELSEWHERE.iter().any(lies_elsewhere) {
            return None;
        }
        let folder = std::env::current_dir().ok()?;
        let identity = toolchain.identity();
        // The runtime's folder is named for its version, and stands among the flags.
        let parts = [identity.as_bytes(), folder.as_os_str().as_bytes()];
        let parts = parts.into_iter().chain(flags.iter().map(|flag| flag.as_bytes())).chain([text.as_slice()]);
        let key: Vec<u8> = parts.flat_map(|part| part.iter().copied().chain([0])).collect();
        let path = directory.join(format!("{:016x}", dampf_core::fnv1a(key.iter().copied())));
        Some(Entry { path, key, output })
    }

    /// Puts the kept object where it is wanted; whether there is one.
    pub fn restore(&self) -> bool {
        let Some(object) = std::fs::read(&self.path).ok().and_then(|file| self.object(&file).map(<[u8]>::to_vec))
        else {
            return false;
        };
        let is_restored = write(&self.output, &[&object]).is_some();
        // What was not used for longest is removed first.
        if let Ok(file) = std::fs::File::open(&self.path) {
            let _ = file.set_modified(SystemTime::now());
        }
        is_restored
    }

    /// The object in a file of the cache, if it is this one, and whole.
    fn object<'f>(&self, file: &'f [u8]) -> Option<&'f [u8]> {
        let (length, rest) = file.split_first_chunk()?;
        let object = rest.strip_prefix(self.key.as_slice())?;
        (object.len() as u64 == u64::from_le_bytes(*length)).then_some(object)
    }

    /// Keeps the object that was compiled.
    pub fn keep(&self) {
        let Ok(object) = std::fs::read(&self.output) else { return };
        let length = (object.len() as u64).to_le_bytes();
        if write(&self.path, &[&length, &self.key, &object]).is_some()
            && let Some(directory) = self.path.parent()
        {
            remove_oldest(directory, CACHE_BYTES_MAX);
        }
    }
}

/// Writes a file that appears under its name at once.
fn write(path: &Path, parts: &[&[u8]]) -> Option<()> {
    use std::os::unix::fs::PermissionsExt;
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = tempfile::Builder::new().prefix(".dampf-").tempfile_in(directory).ok()?;
    for part in parts {
        file.write_all(part).ok()?;
    }
    file.as_file().set_permissions(std::fs::Permissions::from_mode(0o644)).ok()?;
    file.persist(path).ok().map(|_| ())
}

/// Removes the files of a folder that were not used for longest, until the others take no more than so many bytes.
fn remove_oldest(directory: &Path, bytes_max: u64) {
    let Ok(entries) = std::fs::read_dir(directory) else { return };
    let file = |entry: std::fs::DirEntry| {
        let metadata = entry.metadata().ok()?;
        Some((metadata.modified().ok()?, metadata.len(), entry.path()))
    };
    let mut files: Vec<(SystemTime, u64, PathBuf)> = entries.flatten().filter_map(file).collect();
    files.sort();
    let mut bytes: u64 = files.iter().map(|(_, length, _)| length).sum();
    for (_, length, path) in files {
        if bytes <= bytes_max {
            break;
        }
        // Somebody else may have removed it.
        let _ = std::fs::remove_file(path);
        bytes -= length;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn an_object_is_found_under_its_own_key_alone() {
        let folder = tempfile::tempdir().unwrap();
        let entry = |key: &[u8], output: &str| {
            let (path, output) = (folder.path().join("kept"), folder.path().join(output));
            Entry { path, key: key.to_vec(), output }
        };
        std::fs::write(folder.path().join("a.o"), b"object").unwrap();
        entry(b"one", "a.o").keep();
        assert!(entry(b"one", "b.o").restore() && !entry(b"two", "c.o").restore() && !entry(b"on", "c.o").restore());
        assert_eq!(std::fs::read(folder.path().join("b.o")).unwrap(), b"object");
        let whole = std::fs::read(folder.path().join("kept")).unwrap();
        for length in 0..whole.len() {
            std::fs::write(folder.path().join("kept"), &whole[..length]).unwrap();
            assert!(!entry(b"one", "c.o").restore(), "the first {length} bytes");
        }
    }

    #[test]
    fn the_oldest_objects_make_room() {
        let folder = tempfile::tempdir().unwrap();
        for age in 0..10 {
            let path = folder.path().join(age.to_string());
            std::fs::write(&path, [0; 100]).unwrap();
            let file = std::fs::File::open(&path).unwrap();
            file.set_modified(SystemTime::now() - Duration::from_secs(age * 1000)).unwrap();
        }
        remove_oldest(folder.path(), 450);
        let left = |age: u64| folder.path().join(age.to_string()).exists();
        assert!((0..4).all(left) && !(4..10).any(left));
    }
}
