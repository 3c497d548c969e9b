//! The result of a proof, as text for people and as JSON for programs.

use super::Verdict;
use dampf_cegar::input::Input;
use dampf_cegar::input::show::{self, Names};
use dampf_cegar::path::Run;
use dampf_cegar::prove::ProofResult;
use dampf_cegar::rational::Rational;
use dampf_cegar::{Formula, Sort, System};
use dampf_core::{Source, SourceLocation};
use dampf_report::{Palette, grouped, seconds};
use serde::Serialize;
use std::io::{self, Write};
use std::time::Duration;

/// Longer invariants are cut in the text; JSON and certificates have them whole.
const INVARIANT_CHARACTERS_MAX: usize = 200;

pub struct Report<'r> {
    pub source: &'r Source,
    pub input: &'r Input,
    /// The system that was proved.
    pub simplified: &'r System,
    pub verdict: &'r Verdict,
    pub result: &'r ProofResult,
    pub workers: usize,
    pub elapsed: Duration,
}

#[derive(Serialize)]
struct Summary<'r> {
    verdict: &'static str,
    reason: Option<&'r str>,
    assumptions: &'r [String],
    error: Option<ErrorEntry>,
    model: &'r str,
    search: &'static str,
    threads: usize,
    ranks: usize,
    /// Abstract states of all iterations.
    states: u64,
    nodes: u64,
    transitions: usize,
    locations: usize,
    simplified_transitions: usize,
    simplified_locations: usize,
    depth: u32,
    refinements: u32,
    predicates: usize,
    entailment_checks: u64,
    fingerprint: String,
    seconds: f64,
    peak_rss_bytes: u64,
    bytes_per_state: f64,
    /// Whether the invariants are those of the simplified system, because some of the original have none without
    /// quantifiers.
    #[serde(skip_serializing_if = "Option::is_none")]
    invariants_of_simplified: Option<bool>,
    invariants: Vec<InvariantEntry>,
    trail: Vec<StepEntry>,
}

#[derive(Serialize)]
struct ErrorEntry {
    kind: &'static str,
    message: String,
    location: Option<PlaceEntry>,
}

#[derive(Serialize)]
struct PlaceEntry {
    file: String,
    line: u32,
    column: u32,
}

#[derive(Serialize)]
struct InvariantEntry {
    location: String,
    formula: String,
}

/// A step of a run, as it is shown.
#[derive(Serialize)]
struct StepEntry {
    process: &'static str,
    file: String,
    line: u32,
    function: String,
    text: String,
    /// The variables that got another value, or came into scope.
    changes: Vec<ChangeEntry>,
}

#[derive(Serialize)]
struct ChangeEntry {
    name: String,
    before: String,
    after: String,
}

impl Report<'_> {
    pub fn write_json(&self, out: &mut dyn Write) -> io::Result<()> {
        let statistics = &self.result.statistics;
        let summary = Summary {
            verdict: self.verdict.name(),
            reason: match self.verdict {
                Verdict::Unknown(reason) => Some(reason),
                _ => None,
            },
            assumptions: self.assumptions(),
            error: self.error(),
            model: &self.source.path,
            search: "predicate abstraction",
            threads: self.workers,
            ranks: 1,
            states: statistics.nodes,
            nodes: statistics.nodes,
            transitions: self.input.system.transitions.len(),
            locations: self.input.system.locations.len(),
            simplified_transitions: self.simplified.transitions.len(),
            simplified_locations: self.simplified.locations.len(),
            depth: statistics.depth,
            refinements: self.refinements(),
            predicates: statistics.predicates,
            entailment_checks: statistics.entailment_checks,
            fingerprint: format!("{:016x}", self.result.fingerprint),
            seconds: self.elapsed.as_secs_f64(),
            peak_rss_bytes: dampf_search::peak_resident_bytes().unwrap_or(0),
            bytes_per_state: 0.0,
            invariants_of_simplified: match self.verdict {
                Verdict::Verified { original, .. } => Some(original.is_none()),
                _ => None,
            },
            invariants: self.invariants(),
            trail: self.steps(),
        };
        serde_json::to_writer_pretty(&mut *out, &summary).map_err(io::Error::from)?;
        out.write_all(b"\n")
    }

    pub fn write_text(&self, out: &mut dyn Write, palette: Palette) -> io::Result<()> {
        match self.verdict {
            Verdict::Verified { proved, .. } => {
                writeln!(out, "{}: no run leads to an error", palette.good("verified"))?;
                self.write_invariants(out, palette, proved)?;
            }
            Verdict::Violated(_) => {
                let error = self.error();
                let message = error.as_ref().map_or("", |error| &error.message);
                writeln!(out, "{}: {message}", palette.bad("violated"))?;
                self.write_trail(out, palette)?;
            }
            Verdict::Unknown(reason) => writeln!(out, "{}: {reason}", palette.doubtful("unknown"))?,
        }
        for assumption in self.assumptions() {
            writeln!(out, "  {} {assumption}", palette.aside("assuming:"))?;
        }
        let statistics = &self.result.statistics;
        let (original, simplified) = (&self.input.system, self.simplified);
        writeln!(
            out,
            "{} locations and {} transitions, simplified to {} and {}",
            grouped(original.locations.len() as u64),
            grouped(original.transitions.len() as u64),
            grouped(simplified.locations.len() as u64),
            grouped(simplified.transitions.len() as u64),
        )?;
        writeln!(
            out,
            "{} refinements, {} predicates, {} abstract states, {} questions to the solver, {}",
            self.refinements(),
            statistics.predicates,
            grouped(statistics.nodes),
            grouped(statistics.entailment_checks),
            seconds(self.elapsed),
        )
    }

    /// A verdict on a run rests on nothing: the run was replayed within the ranges of its types.
    fn assumptions(&self) -> &[String] {
        if let Verdict::Violated(_) = self.verdict { &[] } else { &self.input.assumptions }
    }

    /// The last iteration refines nothing.
    fn refinements(&self) -> u32 {
        self.result.statistics.iterations.saturating_sub(1)
    }

    fn error(&self) -> Option<ErrorEntry> {
        let Verdict::Violated(run) = self.verdict else { return None };
        let system = &self.input.system;
        // What leads to the error is the last step that says something.
        let told = run.transitions.iter().rev().map(|&id| &system.transition(id).origin);
        let origin = told.clone().find(|origin| !origin.text.is_empty()).or(told.clone().next())?;
        let SourceLocation { file, line, column } = self.source.location(origin.span);
        let message = match origin.text.strip_prefix("!(").and_then(|text| text.strip_suffix(')')) {
            Some(condition) => format!("{file}:{line}: `{condition}` fails"),
            None if origin.text.is_empty() => "a run leads to the error".to_owned(),
            None => format!("{file}:{line}: `{}` is reached", origin.text),
        };
        Some(ErrorEntry { kind: "assertion", message, location: Some(PlaceEntry { file, line, column }) })
    }

    fn invariants(&self) -> Vec<InvariantEntry> {
        let (system, invariants) = match self.verdict {
            Verdict::Verified { original: Some(invariants), .. } => (&self.input.system, invariants),
            Verdict::Verified { proved, original: None } => (self.simplified, proved),
            _ => return Vec::new(),
        };
        let told = system.locations.iter().zip(invariants).map(|(location, invariant)| InvariantEntry {
            location: location.name.clone(),
            formula: show::formula(invariant, Names::at(&location.variables)),
        });
        told.collect()
    }

    /// The invariants that say something, at the locations that are left when the program is simplified: the loops.
    fn write_invariants(&self, out: &mut dyn Write, palette: Palette, proved: &[Formula]) -> io::Result<()> {
        for (location, invariant) in self.simplified.locations.iter().zip(proved) {
            if matches!(invariant, Formula::True | Formula::False) {
                continue;
            }
            let mut formula = show::formula(invariant, Names::at(&location.variables));
            if let Some((at, _)) = formula.char_indices().nth(INVARIANT_CHARACTERS_MAX) {
                formula.truncate(at);
                formula.push('…');
            }
            writeln!(out, "  at {}: {formula}", palette.name(&location.name))?;
        }
        Ok(())
    }

    fn steps(&self) -> Vec<StepEntry> {
        match self.verdict {
            Verdict::Violated(run) => told(self.source, &self.input.system, run),
            _ => Vec::new(),
        }
    }

    fn write_trail(&self, out: &mut dyn Write, palette: Palette) -> io::Result<()> {
        let steps = self.steps();
        let place = |step: &StepEntry| format!("{}:{}", step.file, step.line);
        let width = steps.iter().map(|step| place(step).chars().count()).max().unwrap_or(0);
        let number = steps.len().to_string().len().max(3);
        for (index, step) in steps.iter().enumerate() {
            let place = format!("{:width$}", place(step));
            writeln!(out, "{:>number$}  {}  {}", index + 1, palette.aside(place), step.text)?;
            let values: Vec<String> =
                step.changes.iter().map(|change| format!("{} = {}", change.name, change.after)).collect();
            if !values.is_empty() {
                writeln!(out, "{:number$}  {:width$}    {}", "", "", palette.name(values.join(", ")))?;
            }
        }
        Ok(())
    }
}

/// The steps of a run that say something: text of the input, or a value that changed.
fn told(source: &Source, system: &System, run: &Run) -> Vec<StepEntry> {
    let mut steps = Vec::new();
    for (at, &id) in run.transitions.iter().enumerate() {
        let transition = system.transition(id);
        let (from, to) = (system.location(transition.from), system.location(transition.to));
        let mut changes = Vec::new();
        for (variable, value) in to.variables.iter().zip(&run.values[at + 1]) {
            let old = from.variables.iter().position(|other| other.name == variable.name);
            let before = old.map(|index| shown(&run.values[at][index], variable.sort));
            let after = shown(value, variable.sort);
            // Temporaries are nobody's variables.
            if before.as_ref() != Some(&after) && !variable.name.starts_with('#') {
                changes.push(ChangeEntry { name: variable.name.clone(), before: before.unwrap_or_default(), after });
            }
        }
        let is_program = from.name.contains(':') || to.name.contains(':');
        if transition.origin.text.is_empty() && is_program {
            continue;
        }
        let text = match transition.origin.text.as_str() {
            "" => format!("{} -> {}", from.name, to.name),
            text => text.to_owned(),
        };
        let SourceLocation { file, line, .. } = source.location(transition.origin.span);
        steps.push(StepEntry { process: "", file, line, function: to.name.clone(), text, changes });
    }
    steps
}

fn shown(value: &Rational, sort: Sort) -> String {
    match sort {
        Sort::Boolean => (if value.is_zero() { "false" } else { "true" }).to_owned(),
        Sort::Integer | Sort::Real => match value.parts() {
            Some((numerator, 1)) => numerator.to_string(),
            Some((numerator, denominator)) => format!("{numerator}/{denominator}"),
            None => format!("{value:?}"),
        },
    }
}
