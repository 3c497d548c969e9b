//! What looking at properties has come to before the one that is looked at: kept in checkpoints, so that a search that
//! is resumed goes on with the property it was at, and says of the others what it would have said.

use dampf_core::{Statistics, Verdict};
use dampf_search::{Judgement, Outcome};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug, Default)]
pub struct EarlierProperties {
    /// How many there were: the number of the one that is looked at.
    pub count: usize,
    states: u64,
    transitions: u64,
    depth: u64,
    store_bytes: u64,
    /// Why it is not known whether one of them holds.
    unknown: Option<String>,
    truncated: bool,
    premises: BTreeSet<String>,
}

impl EarlierProperties {
    /// None of these is violated, nor was a search of theirs ended early: then no other would have begun.
    pub fn new(count: usize, outcome: &Outcome) -> EarlierProperties {
        let Statistics { states, transitions, depth, store_bytes, .. } = outcome.statistics;
        let unknown = if let Verdict::Unknown(reason) = &outcome.verdict { Some(reason.clone()) } else { None };
        let Judgement { truncated, premises, .. } = outcome.judgement.clone();
        EarlierProperties { count, states, transitions, depth, store_bytes, unknown, truncated, premises }
    }

    pub fn outcome(&self) -> Outcome {
        let EarlierProperties { states, transitions, depth, store_bytes, .. } = *self;
        Outcome {
            verdict: self.unknown.clone().map_or(Verdict::Verified, Verdict::Unknown),
            statistics: Statistics { states, transitions, depth, store_bytes, ..Statistics::default() },
            findings: Vec::new(),
            stopped: None,
            judgement: Judgement { truncated: self.truncated, premises: self.premises.clone(), ..Judgement::default() },
        }
    }

    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("numbers and texts can be written")
    }

    /// None where nothing is said of properties.
    pub fn from_json(text: &str) -> Option<EarlierProperties> {
        serde_json::from_str(text).ok()
    }
}
