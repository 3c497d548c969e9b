//! The parts of Promela that a random program may use.
//!
//! Each program uses some of them only: programs that use everything at once use little of anything, and a fault in
//! one part would hide those in the others.

use crate::random::Random;

/// A part of the language.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Feature {
    Atomic,
    DStep,
    Unless,
    Goto,
    Loop,
    For,
    Select,
    Else,
    Timeout,
    Assert,
    EndLabel,
    Inline,
    Macro,
    Init,
    Run,
    Recursion,
    Provided,
    ProcessCount,
    Last,
    Enabled,
    PcValue,
    RemoteLabel,
    RemoteVariable,
    Array,
    Record,
    Mtype,
    Truncation,
    Hidden,
    Channel,
    Rendezvous,
    ChannelArray,
    ChannelMessage,
    RecordMessage,
    LocalChannel,
    SortedSend,
    RandomReceive,
    CopyReceive,
    Poll,
    Eval,
    ChannelQuery,
    /// Indices that may be out of bounds.
    WildIndex,
    /// Channel variables that may hold no channel.
    WildChannel,
    /// Steps within `d_step` that may block.
    WildStep,
    /// Messages with more or fewer fields than their channel takes.
    WildFields,
    /// Declarations among statements.
    LateDeclaration,
    /// Records that are started with, and initial values of records.
    RecordParameter,
    /// Line breaks and comments where they may change what SPIN reads.
    Layout,
}

/// Names, and how many programs of a hundred use a part.
const FEATURES: &[(Feature, &str, u64)] = &[
    (Feature::Atomic, "atomic", 60),
    (Feature::DStep, "d_step", 40),
    (Feature::Unless, "unless", 30),
    (Feature::Goto, "goto", 35),
    (Feature::Loop, "loop", 75),
    (Feature::For, "for", 25),
    (Feature::Select, "select", 20),
    (Feature::Else, "else", 60),
    (Feature::Timeout, "timeout", 20),
    (Feature::Assert, "assert", 50),
    (Feature::EndLabel, "end-label", 30),
    (Feature::Inline, "inline", 20),
    (Feature::Macro, "macro", 20),
    (Feature::Init, "init", 45),
    (Feature::Run, "run", 50),
    (Feature::Recursion, "recursion", 15),
    (Feature::Provided, "provided", 20),
    (Feature::ProcessCount, "process-count", 25),
    (Feature::Last, "last", 12),
    (Feature::Enabled, "enabled", 12),
    (Feature::PcValue, "pc_value", 8),
    (Feature::RemoteLabel, "remote-label", 20),
    (Feature::RemoteVariable, "remote-variable", 25),
    (Feature::Array, "array", 50),
    (Feature::Record, "record", 40),
    (Feature::Mtype, "mtype", 40),
    (Feature::Truncation, "truncation", 30),
    (Feature::Hidden, "hidden", 20),
    (Feature::Channel, "channel", 75),
    (Feature::Rendezvous, "rendezvous", 50),
    (Feature::ChannelArray, "channel-array", 30),
    (Feature::ChannelMessage, "channel-message", 30),
    (Feature::RecordMessage, "record-message", 45),
    (Feature::LocalChannel, "local-channel", 30),
    (Feature::SortedSend, "sorted-send", 40),
    (Feature::RandomReceive, "random-receive", 40),
    (Feature::CopyReceive, "copy-receive", 40),
    (Feature::Poll, "poll", 35),
    (Feature::Eval, "eval", 50),
    (Feature::ChannelQuery, "channel-query", 50),
    (Feature::WildIndex, "wild-index", 5),
    (Feature::WildChannel, "wild-channel", 2),
    (Feature::WildStep, "wild-step", 3),
    (Feature::WildFields, "wild-fields", 12),
    (Feature::LateDeclaration, "late-declaration", 25),
    (Feature::RecordParameter, "record-parameter", 50),
    (Feature::Layout, "layout", 25),
];

impl Feature {
    pub fn name(self) -> &'static str {
        FEATURES.iter().find(|(feature, ..)| *feature == self).map_or("", |(_, name, _)| name)
    }

    /// The feature of a name; without one, all names, for whoever asked.
    pub fn named(name: &str) -> Result<Feature, String> {
        let names = || FEATURES.iter().map(|(_, name, _)| *name).collect::<Vec<_>>().join(", ");
        let row = FEATURES.iter().find(|(_, row, _)| *row == name);
        row.map(|(feature, ..)| *feature).ok_or_else(|| format!("`{name}` is none of {}", names()))
    }

    /// Those that one program uses, in the order of the table.
    pub fn some(random: &mut Random, without: &[Feature]) -> Vec<Feature> {
        let mut chosen = Vec::new();
        for &(feature, _, percent) in FEATURES {
            let is_chosen = random.below(100) < percent;
            if is_chosen && !without.contains(&feature) {
                chosen.push(feature);
            }
        }
        // SPIN takes `enabled` only where nobody waits for somebody else to take a message.
        if chosen.contains(&Feature::Enabled) {
            chosen.retain(|&feature| feature != Feature::Rendezvous);
        }
        chosen
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_have_names() {
        for (feature, name, _) in FEATURES {
            assert_eq!((Feature::named(name), feature.name()), (Ok(*feature), *name));
        }
        assert!(Feature::named("magic").is_err_and(|names| names.contains("atomic, d_step")));
    }

    #[test]
    fn all_are_used_unless_refused() {
        let mut random = Random::new(1);
        let used: Vec<Feature> = (0..500).flat_map(|_| Feature::some(&mut random, &[Feature::Poll])).collect();
        for (feature, name, _) in FEATURES {
            assert_eq!(used.contains(feature), *feature != Feature::Poll, "{name}");
        }
    }
}
