//! What a check found, as text for people and as JSON for programs.
//!
//! Everything here is told from a [`Run`]: a trail that was replayed on the bare front end, step by step. The
//! text, the JSON summary and the trail file are three views of the same run, so they cannot disagree.
//!
//! Invariant: nothing is written that was not replayed, and writing never panics; where the other side of a
//! pipe or a disk fails, the error is handed back to the caller.

mod busy_lines;
mod figures;
mod palette;
mod report;
mod run;
mod summary;
mod text;
mod trail_file;

pub use busy_lines::{BusyLine, BusyLines};
pub use dampf_core::Change;
pub use figures::{bytes, grouped, rate, seconds};
pub use palette::Palette;
pub use report::{CheckReport, Setting, Traffic};
pub use run::{Run, ToldStep};
pub use text::{Excerpt, StepTable, write_blocked, write_fault, write_run, write_state};
pub use trail_file::{Knowledge, Origin, TrailFile, TrailFileError, bytes_hash, text_hash};
