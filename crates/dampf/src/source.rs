//! Texts that are read whole.

use crate::failure::Failure;
use dampf_core::Source;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

/// A file beyond this size is no text that anybody wrote.
const SOURCE_BYTES_MAX: u64 = 256 << 20;

/// Reads a text file whole.
pub fn read_source(path: &Path) -> Result<Arc<Source>, Failure> {
    let shown = path.display();
    let unreadable = |error: std::io::Error| Failure::new(format!("cannot read `{shown}`: {error}"));
    if path.is_dir() {
        return Err(Failure::new(format!("cannot read `{shown}`: it is a directory")));
    }
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(unreadable)?;
    file.take(SOURCE_BYTES_MAX + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > SOURCE_BYTES_MAX {
        return Err(Failure::new(format!("cannot read `{shown}`: it is larger than {} MiB", SOURCE_BYTES_MAX >> 20)));
    }
    Ok(Source::new(shown.to_string(), text_of(bytes)))
}

/// The text of a file. Bytes that are not UTF-8 become characters of no language: they do no harm in comments, which
/// were often written before there was UTF-8, and are refused elsewhere.
pub fn text_of(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

/// Whether a file's name ends in one of these, in upper or lower case.
pub fn has_extension(path: &Path, known: &[&str]) -> bool {
    let extension = path.extension().map(|extension| extension.to_string_lossy().to_ascii_lowercase());
    extension.is_some_and(|extension| known.contains(&extension.as_str()))
}
