//! The result of a check, for programs: one JSON object.
//!
//! Every field is always there: `null` for an error or a reason that there is none of, an empty list for a
//! trail without steps. Steps are described while they are written, so a long trail needs no second copy.

use crate::{BusyLine, Change, CheckReport, Run, ToldStep, Traffic, rate};
use dampf_core::{CallStack, Describe, Fault, Finding, SourceLocation, Step, Verdict};
use serde::Serialize as DeriveSerialize;
use serde::ser::{Serialize, Serializer};
use std::io::{self, Write};

#[derive(DeriveSerialize)]
struct Summary<'a, T> {
    verdict: &'static str,
    reason: Option<&'a str>,
    /// What the verdict rests on and nobody has checked.
    assumptions: &'a [String],
    warnings: &'a [String],
    /// Where the steps go; only where a limit was reached.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    busy_lines: Vec<BusyLineEntry<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    advice: Vec<&'a str>,
    error: Option<Error<'a>>,
    /// The number of distinct findings.
    findings: usize,
    /// Faulty states and steps met, those that are alike included.
    faults: u64,
    errors: Vec<ErrorAndSteps<'a>>,
    model: &'a str,
    search: &'static str,
    store: &'static str,
    backend: &'static str,
    reduction: &'static str,
    deterministic: bool,
    threads: usize,
    ranks: usize,
    states: u64,
    transitions: u64,
    depth: u64,
    frontier: u64,
    /// How often exploration started: a refuted assumption makes it restart.
    rounds: u64,
    seconds: f64,
    states_per_second: u64,
    peak_rss_bytes: u64,
    store_bytes: u64,
    bytes_per_state: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    traffic: Option<TrafficEntry<'a>>,
    initial: Values,
    trail: T,
    /// Where in `trail` the steps begin that are repeated for ever, in a run that goes on for ever.
    #[serde(skip_serializing_if = "Option::is_none")]
    cycle_start: Option<usize>,
    blocked: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    stacks: Vec<StackEntry>,
}

#[derive(DeriveSerialize)]
struct Error<'a> {
    kind: &'static str,
    message: &'a str,
    location: Option<Location<'a>>,
}

#[derive(DeriveSerialize)]
struct ErrorAndSteps<'a> {
    #[serde(flatten)]
    error: Error<'a>,
    steps: usize,
}

#[derive(DeriveSerialize)]
struct Location<'a> {
    file: &'a str,
    line: u32,
    column: u32,
}

impl<'a> From<&'a Finding> for ErrorAndSteps<'a> {
    fn from(finding: &'a Finding) -> Self {
        ErrorAndSteps { error: error(&finding.fault), steps: finding.trail.len() }
    }
}

fn error(fault: &Fault) -> Error<'_> {
    let location = fault.location.as_ref();
    let location = location.map(|at| Location { file: &at.file, line: at.line, column: at.column });
    Error { kind: fault.kind.name(), message: &fault.message, location }
}

#[derive(DeriveSerialize)]
struct BusyLineEntry<'a> {
    file: &'a str,
    line: u32,
    text: &'a str,
    steps: u64,
}

impl<'a> From<&'a BusyLine> for BusyLineEntry<'a> {
    fn from(BusyLine { location, text, steps }: &'a BusyLine) -> Self {
        BusyLineEntry { file: &location.file, line: location.line, text, steps: *steps }
    }
}

/// Names and values as one JSON object.
struct Values(Vec<(String, String)>);

impl Serialize for Values {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

struct Steps<'a, M: Describe>(Option<&'a Run<'a, M>>);

impl<M: Describe> Serialize for Steps<'_, M> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.into_iter().flat_map(Run::steps).flat_map(StepEntry::all))
    }
}

#[derive(DeriveSerialize)]
struct StepEntry {
    process: String,
    file: Option<String>,
    line: Option<u32>,
    function: String,
    text: String,
    changes: Vec<ChangeEntry>,
}

#[derive(DeriveSerialize)]
struct ChangeEntry {
    name: String,
    before: String,
    after: String,
}

impl StepEntry {
    /// One entry for everything that a step is made of; what it changed stands with the last.
    fn all(told: ToldStep) -> Vec<StepEntry> {
        let entry = |Change { name, before, after }| ChangeEntry { name, before, after };
        let mut entries: Vec<StepEntry> = std::iter::once(told.step).chain(told.further).map(StepEntry::from).collect();
        if let Some(last) = entries.last_mut() {
            last.changes = told.changes.into_iter().map(entry).collect();
        }
        entries
    }
}

impl From<Step> for StepEntry {
    fn from(step: Step) -> Self {
        let (file, line) = step.location.map(|at| (at.file, at.line)).unzip();
        StepEntry { process: step.process, file, line, function: step.function, text: step.text, changes: Vec::new() }
    }
}

/// Where a thread is: its calls, innermost first.
#[derive(DeriveSerialize)]
struct StackEntry {
    thread: String,
    calls: Vec<CallEntry>,
}

#[derive(DeriveSerialize)]
struct CallEntry {
    function: String,
    file: String,
    line: u32,
}

impl From<CallStack> for StackEntry {
    fn from(stack: CallStack) -> StackEntry {
        let call = |(function, location): (String, SourceLocation)| CallEntry {
            function,
            file: location.file,
            line: location.line,
        };
        StackEntry { thread: stack.thread, calls: stack.calls.into_iter().map(call).collect() }
    }
}

/// What went over the network.
#[derive(DeriveSerialize)]
struct TrafficEntry<'a> {
    partition: &'a str,
    largest_share: u64,
    messages: u64,
    bytes: u64,
    part_bytes: u64,
    filed_bytes: u64,
    states: u64,
    cross_transitions: u64,
    redundant_states: u64,
    followed_states: u64,
}

impl<'a> From<&'a Traffic> for TrafficEntry<'a> {
    fn from(traffic: &'a Traffic) -> TrafficEntry<'a> {
        TrafficEntry {
            partition: &traffic.partition,
            largest_share: traffic.largest_share,
            messages: traffic.messages,
            bytes: traffic.bytes,
            part_bytes: traffic.part_bytes,
            filed_bytes: traffic.filed_bytes,
            states: traffic.states,
            cross_transitions: traffic.cross_transitions,
            redundant_states: traffic.redundant_states,
            followed_states: traffic.followed_states,
        }
    }
}

/// The number of the entry with which a run's cycle begins: a step may have several.
fn cycle_start<M: Describe>(run: &Run<'_, M>) -> Option<usize> {
    let steps = run.cycle_start()?;
    Some((0..steps).map(|step| run.step(step).parts().count()).sum())
}

/// A longer trail is written without line breaks.
const READABLE_STEPS_MAX: usize = 1000;

impl<M: Describe> CheckReport<'_, M> {
    /// Writes the summary as one JSON object and ends the line.
    pub fn write_json(&self, out: &mut dyn Write) -> io::Result<()> {
        // Indentation is for people, and people do not read trails of thousands of steps here.
        let readable = self.run.is_none_or(|run| run.len() <= READABLE_STEPS_MAX);
        let writer = &mut *out;
        if readable {
            serde_json::to_writer_pretty(writer, &self.summary())
        } else {
            serde_json::to_writer(writer, &self.summary())
        }
        .map_err(io::Error::from)?;
        writeln!(out)
    }

    fn summary(&self) -> Summary<'_, Steps<'_, M>> {
        let statistics = self.statistics;
        let initial = self.run.map_or_else(Vec::new, Run::initial);
        Summary {
            verdict: self.verdict.name(),
            reason: if let Verdict::Unknown(reason) = self.verdict { Some(reason) } else { self.cut_short.as_deref() },
            assumptions: &self.assumptions,
            warnings: &self.warnings,
            busy_lines: self.busy_lines.iter().flat_map(|busy| &busy.lines).map(BusyLineEntry::from).collect(),
            advice: self.busy_lines.iter().flat_map(|busy| &busy.advice).map(String::as_str).collect(),
            error: if let Verdict::Violated(finding) = self.verdict { Some(error(&finding.fault)) } else { None },
            findings: self.findings.len(),
            faults: statistics.faults,
            errors: self.findings.iter().map(ErrorAndSteps::from).collect(),
            model: &self.setting.model,
            search: self.setting.search,
            store: self.setting.store,
            backend: self.setting.backend,
            reduction: self.setting.reduction,
            deterministic: self.setting.deterministic,
            threads: self.setting.threads,
            ranks: self.setting.ranks,
            states: statistics.states,
            transitions: statistics.transitions,
            depth: statistics.depth,
            frontier: statistics.frontier,
            rounds: self.rounds,
            seconds: self.elapsed.as_secs_f64(),
            states_per_second: rate(statistics.states, self.elapsed),
            peak_rss_bytes: self.peak_rss_bytes,
            store_bytes: statistics.store_bytes,
            bytes_per_state: self.bytes_per_state(),
            traffic: self.traffic.as_ref().map(TrafficEntry::from),
            initial: Values(initial.into_iter().map(|binding| (binding.name, binding.value)).collect()),
            trail: Steps(self.run),
            cycle_start: self.run.and_then(cycle_start),
            blocked: self.run.map_or_else(Vec::new, Run::blocked),
            stacks: self.run.map_or_else(Vec::new, Run::stacks).into_iter().map(StackEntry::from).collect(),
        }
    }
}
