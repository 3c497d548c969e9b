//! Which faults count.
//!
//! Somebody who checks a program may know of a fault, or not care for a kind of faults, and want to see the others. A
//! fault that does not count is as if it were not there: a faulty state is expanded like any other, and a faulty step
//! leads nowhere unless the language says where. What is wrong behind such a step is not seen then, so a search that
//! ignored one says that its verdict rests on that ([`Successors::ignore`](crate::Successors::ignore)).

use crate::{Fault, FaultKind};
use std::fmt;
use std::sync::Arc;

/// Says of every fault whether it counts. Cheap to clone.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct FaultSelection {
    /// All kinds where there is no list.
    only: Option<Arc<[FaultKind]>>,
    ignored: Arc<[IgnoredFaults]>,
}

/// Faults that do not count.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct IgnoredFaults {
    pub kinds: Vec<FaultKind>,
    /// Everywhere where there is none.
    pub place: Option<SourcePlace>,
}

/// A source file, or a line of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SourcePlace {
    /// The last components of its path.
    pub file: String,
    pub line: Option<u32>,
}

impl FaultSelection {
    /// Faults of these kinds count, or of all, but for those that are ignored.
    pub fn new(only: Option<Vec<FaultKind>>, ignored: Vec<IgnoredFaults>) -> FaultSelection {
        FaultSelection { only: only.map(Into::into), ignored: ignored.into() }
    }

    /// Whether every fault counts.
    pub fn is_everything(&self) -> bool {
        self.only.is_none() && self.ignored.is_empty()
    }

    pub fn counts(&self, fault: &Fault) -> bool {
        self.only.as_ref().is_none_or(|only| only.contains(&fault.kind))
            && !self.ignored.iter().any(|ignored| ignored.contains(fault))
    }

    /// Whether every fault of a kind counts, wherever it is.
    pub fn counts_all(&self, kind: FaultKind) -> bool {
        self.only.as_ref().is_none_or(|only| only.contains(&kind))
            && !self.ignored.iter().any(|ignored| ignored.kinds.contains(&kind))
    }

    /// What somebody takes for granted who relies on a verdict under this selection.
    pub fn assumptions(&self) -> Vec<String> {
        let only = self.only.iter().map(|only| format!("that only faults of kind {} matter", listed(only)));
        let ignored = self.ignored.iter().map(|ignored| format!("that {ignored} do not matter"));
        only.chain(ignored).collect()
    }
}

impl IgnoredFaults {
    fn contains(&self, fault: &Fault) -> bool {
        let is_there = |place: &SourcePlace| {
            fault.location.as_ref().is_some_and(|at| {
                ends_with_path(&at.file, &place.file) && place.line.is_none_or(|line| line == at.line)
            })
        };
        self.kinds.contains(&fault.kind) && self.place.as_ref().is_none_or(is_there)
    }
}

impl fmt::Display for IgnoredFaults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "faults of kind {}", listed(&self.kinds))?;
        match &self.place {
            Some(SourcePlace { file, line: Some(line) }) => write!(f, " at {file}:{line}"),
            Some(SourcePlace { file, line: None }) => write!(f, " in {file}"),
            None => Ok(()),
        }
    }
}

/// Whether a path ends in these components.
fn ends_with_path(path: &str, end: &str) -> bool {
    path.strip_suffix(end).is_some_and(|folder| folder.is_empty() || folder.ends_with('/'))
}

fn listed(kinds: &[FaultKind]) -> String {
    kinds.iter().map(|kind| kind.name()).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SourceLocation;

    fn fault(kind: FaultKind, file: &str, line: u32) -> Fault {
        let location = Some(SourceLocation { file: file.to_owned(), line, column: 1 });
        Fault { kind, message: String::new(), location }
    }

    fn ignoring(kind: FaultKind, place: Option<(&str, Option<u32>)>) -> FaultSelection {
        let place = place.map(|(file, line)| SourcePlace { file: file.to_owned(), line });
        FaultSelection::new(None, vec![IgnoredFaults { kinds: vec![kind], place }])
    }

    #[test]
    fn a_kind_is_ignored_everywhere_or_at_a_place() {
        let race = fault(FaultKind::DataRace, "src/queue.h", 12);
        assert!(FaultSelection::default().counts(&race));
        assert!(!ignoring(FaultKind::DataRace, None).counts(&race));
        assert!(FaultSelection::default().counts_all(FaultKind::DataRace));
        assert!(!ignoring(FaultKind::DataRace, Some(("other.c", None))).counts_all(FaultKind::DataRace));
        assert!(ignoring(FaultKind::Leak, None).counts(&race));
        for (file, line, counts) in [
            ("queue.h", None, false),
            ("src/queue.h", Some(12), false),
            ("queue.h", Some(13), true),
            ("ueue.h", None, true),
            ("lib/queue.h", None, true),
        ] {
            assert_eq!(ignoring(FaultKind::DataRace, Some((file, line))).counts(&race), counts, "{file}");
        }
        let nowhere = Fault { location: None, ..race };
        assert!(ignoring(FaultKind::DataRace, Some(("queue.h", None))).counts(&nowhere));
    }

    #[test]
    fn only_some_kinds_count_and_of_them_some_are_ignored() {
        let here = IgnoredFaults {
            kinds: vec![FaultKind::Assertion],
            place: Some(SourcePlace { file: "a.c".to_owned(), line: None }),
        };
        let selection = FaultSelection::new(Some(vec![FaultKind::Assertion, FaultKind::Leak]), vec![here]);
        assert!(selection.counts(&fault(FaultKind::Assertion, "b.c", 1)));
        assert!(!selection.counts(&fault(FaultKind::Assertion, "a.c", 1)));
        assert!(!selection.counts(&fault(FaultKind::DataRace, "b.c", 1)));
        assert_eq!(
            selection.assumptions(),
            ["that only faults of kind assertion, leak matter", "that faults of kind assertion in a.c do not matter"]
        );
    }
}
