//! Trail files: a run of a model, kept for later.
//!
//! A trail file is JSON that says of itself what it is. It names the model and carries a hash of its text,
//! because labels mean something only in the program they were taken from: a model that has changed since is
//! noticed before a wrong story is told.

use dampf_core::{Action, Fault, FaultKind, Trail, fnv1a};
use serde::{Deserialize, Serialize};
use std::fmt;

const FORMAT: &str = "dampf-trail";
const VERSION: u64 = 2;

/// Where a trail comes from: everything that is needed to make the same model again.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Origin {
    /// The path of the model as it was given.
    pub model: String,
    /// The hash of its text, as [`text_hash`] gives it.
    pub model_hash: String,
    /// The hash of what it was compiled to, where it was: headers, the meaning of flags and the compiler may change as
    /// well.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub build_hash: Option<String>,
    /// Whether the search went on after faults: a language may say what happens behind them.
    #[serde(default)]
    pub keep_going: bool,
    /// What was asked of the front end, as the command line has it.
    pub options: serde_json::Value,
    pub knowledge: Knowledge,
}

/// What a front end has learnt about an input and assumes about it. The labels of steps depend on it. Nobody but the
/// front end reads it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default, Serialize, Deserialize)]
pub struct Knowledge {
    /// Of the front end's own encoding.
    pub version: u32,
    pub text: String,
}

/// A kept run and its origin.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TrailFile {
    pub origin: Origin,
    pub trail: Trail,
    /// The kind and the message of the fault that the run ends in.
    pub fault: Option<(String, String)>,
}

/// Why a text is no trail file.
#[derive(Debug)]
pub enum TrailFileError {
    /// No JSON, or fields that are missing or of the wrong type.
    Malformed(serde_json::Error),
    /// JSON of another kind.
    OtherFormat,
    /// Written by another version of Dampf.
    OtherVersion(u64),
}

impl fmt::Display for TrailFileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TrailFileError::Malformed(error) => write!(f, "this is no trail file: {error}"),
            TrailFileError::OtherFormat => {
                write!(
                    f,
                    "this is no trail file: its `format` is not `{FORMAT}` (`dampf check --trail FILE` writes one)"
                )
            }
            TrailFileError::OtherVersion(version) => {
                write!(f, "this trail file has version {version}; this Dampf reads version {VERSION}")
            }
        }
    }
}

impl std::error::Error for TrailFileError {}

#[derive(Serialize, Deserialize)]
struct Written {
    format: String,
    version: u64,
    #[serde(flatten)]
    origin: Origin,
    fault: Option<WrittenFault>,
    initial: u64,
    actions: Vec<u64>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    cycle: Vec<u64>,
}

#[derive(Serialize, Deserialize)]
struct WrittenFault {
    kind: String,
    message: String,
}

impl TrailFile {
    pub fn new(origin: Origin, trail: Trail, fault: Option<&Fault>) -> Self {
        let fault = fault.map(|fault| (fault.kind.name().to_owned(), fault.message.clone()));
        TrailFile { origin, trail, fault }
    }

    /// What is wrong with the run as a whole, where that is what the trail was written for.
    pub fn fault_of_run(&self) -> Option<Fault> {
        let (kind, message) = self.fault.as_ref()?;
        let kind = FaultKind::from_name(kind).filter(|kind| kind.is_of_runs())?;
        Some(Fault { kind, message: message.clone(), location: None })
    }

    pub fn to_json(&self) -> String {
        let written = Written {
            format: FORMAT.to_owned(),
            version: VERSION,
            origin: self.origin.clone(),
            fault: self.fault.clone().map(|(kind, message)| WrittenFault { kind, message }),
            initial: self.trail.initial,
            actions: self.trail.stem.iter().map(|action| action.0).collect(),
            cycle: self.trail.cycle.iter().map(|action| action.0).collect(),
        };
        let mut text = serde_json::to_string(&written).expect("strings and numbers always have a JSON form");
        text.push('\n');
        text
    }

    pub fn from_json(text: &str) -> Result<TrailFile, TrailFileError> {
        let value: serde_json::Value = serde_json::from_str(text).map_err(TrailFileError::Malformed)?;
        // The format is looked at first: a message about a missing field would be no help for a foreign file.
        if value.get("format").and_then(|format| format.as_str()) != Some(FORMAT) {
            return Err(TrailFileError::OtherFormat);
        }
        match value.get("version").and_then(|version| version.as_u64()) {
            Some(version) if version != VERSION => return Err(TrailFileError::OtherVersion(version)),
            _ => {}
        }
        let written: Written = serde_json::from_value(value).map_err(TrailFileError::Malformed)?;
        Ok(TrailFile {
            origin: written.origin,
            trail: Trail {
                initial: written.initial,
                stem: written.actions.into_iter().map(Action).collect(),
                cycle: written.cycle.into_iter().map(Action).collect(),
            },
            fault: written.fault.map(|fault| (fault.kind, fault.message)),
        })
    }
}

/// A hash of a model's text, by which a change is noticed: 64-bit FNV-1a.
pub fn text_hash(text: &str) -> String {
    bytes_hash(text.as_bytes())
}

/// A hash of an executable or a source, in the same way.
pub fn bytes_hash(bytes: &[u8]) -> String {
    format!("fnv1a-{:016x}", fnv1a(bytes.iter().copied()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> TrailFile {
        let origin = Origin {
            model: "models/lock.dmc".to_owned(),
            model_hash: text_hash("model"),
            build_hash: None,
            keep_going: true,
            options: serde_json::json!({ "invariants": ["x < \"3\""] }),
            knowledge: Knowledge { version: 3, text: "what\nonly the front end reads".to_owned() },
        };
        let fault = Fault { kind: FaultKind::Invariant, message: "it is false".to_owned(), location: None };
        TrailFile::new(
            origin,
            Trail { initial: 0, stem: vec![Action(3), Action(u64::MAX)], cycle: vec![Action(7)] },
            Some(&fault),
        )
    }

    #[test]
    fn a_trail_file_reads_back_as_it_was_written() {
        assert_eq!(TrailFile::from_json(&example().to_json()).unwrap(), example());
    }

    #[test]
    fn what_is_no_trail_file_says_so() {
        let refused = |text: &str| TrailFile::from_json(text).unwrap_err().to_string();
        assert!(refused("").contains("no trail file"));
        assert!(refused("[1]").contains("`dampf check --trail FILE`"));
        assert!(refused(&example().to_json().replace("\"version\":2", "\"version\":7")).contains("version 7"));
        assert!(refused(&example().to_json().replace("\"actions\"", "\"deeds\"")).contains("missing field `actions`"));
        assert!(refused(&example().to_json().replace("[3,", "[-3,")).contains("no trail file"));
    }
}
