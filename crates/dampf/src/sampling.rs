//! What makes a space large: a look at a few runs of it, after a limit has ended the search.
//!
//! To count steps by their lines during the search would cost every search something. A few runs, the same every time,
//! pass through the same loops: one in which always the first step is taken that can be, one with always the last, so
//! that a thread goes on as long as it can, and random ones. They also show what the known reasons for large spaces
//! are: a variable that never stops taking new values, and choices among many values.

use dampf_core::{Binding, Describe, SourceLocation, Successors, Worker};
use dampf_report::{BusyLine, BusyLines};
use dampf_search::Chance;
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

/// The size of a sample is that of its runs, so that it is the same every time; only where steps are very slow the time
/// ends it.
const RUNS_MAX: u64 = 16;
const STEPS_MAX: usize = 250;
const TIME_MAX: Duration = Duration::from_millis(500);
const LINES_SHOWN: usize = 10;
/// A variable that takes more values than this in a run of so many steps may well take any number.
const VALUES_MANY: usize = 60;
/// So many ways to go on from one place are a choice of a value rather than of a thread.
const WAYS_MANY: usize = 16;

/// Whether a sample has enough steps to tell something, where a search took so many in a time: with a few it would only
/// go beyond the limit.
pub fn is_quick(transitions: u64, time: Duration) -> bool {
    const STEPS_FEW: u32 = 10;
    time * STEPS_FEW <= TIME_MAX * u32::try_from(transitions).unwrap_or(u32::MAX)
}

/// Takes runs of a model and counts the steps of its source lines.
pub fn busy_lines<M: Describe>(model: &M) -> BusyLines {
    let end = Instant::now() + TIME_MAX;
    let mut sample = Sample::default();
    for number in 0..RUNS_MAX {
        let mut chance = Chance(number);
        let choose = |ways: usize| match number {
            0 => 0,
            1 => ways - 1,
            _ => chance.below(ways),
        };
        if !sample.take_run(model, choose, end) {
            break;
        }
    }
    sample.told()
}

#[derive(Default)]
struct Sample {
    /// By place: what stands there, and the number of steps.
    lines: BTreeMap<SourceLocation, (String, u64)>,
    /// The most numbers that a variable was in one run.
    values: BTreeMap<String, usize>,
    /// Places with many ways to go on: how many.
    choices: BTreeMap<SourceLocation, usize>,
}

impl Sample {
    /// One run, as far as it goes. False where the time is over.
    fn take_run<M: Describe>(&mut self, model: &M, mut choose: impl FnMut(usize) -> usize, end: Instant) -> bool {
        let mut worker = model.worker();
        let mut next = Successors::new(model.width());
        let mut values: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        worker.initial(&mut next);
        if next.is_empty() || !next.leads_on(0) {
            return true;
        }
        let mut state = next.state(0).to_vec();
        let mut is_in_time = true;
        for _ in 0..STEPS_MAX {
            let bindings = model.describe_state(&state).into_iter();
            for Binding { name, value } in bindings.filter(|binding| binding.value.parse::<i128>().is_ok()) {
                values.entry(name).or_default().insert(value);
            }
            worker.successors(&state, &mut next);
            let open: Vec<usize> = (0..next.len()).filter(|&step| next.leads_on(step)).collect();
            if open.is_empty() {
                break;
            }
            let index = open[choose(open.len())];
            let step = model.describe_step(&state, next.action(index));
            state.copy_from_slice(next.state(index));
            if let Some(mut location) = step.location {
                location.column = 0;
                if next.len() >= WAYS_MANY {
                    let ways = self.choices.entry(location.clone()).or_default();
                    *ways = next.len().max(*ways);
                }
                let text = step.text.split("  // ").next().unwrap_or_default().to_owned();
                self.lines.entry(location).or_insert((text, 0)).1 += 1;
            }
            is_in_time = Instant::now() < end;
            if !is_in_time {
                break;
            }
        }
        for (name, values) in values {
            let most = self.values.entry(name).or_default();
            *most = values.len().max(*most);
        }
        is_in_time
    }

    fn told(self) -> BusyLines {
        let steps = self.lines.values().map(|(_, steps)| steps).sum();
        let line = |(location, (text, steps))| BusyLine { location, text, steps };
        let mut lines: Vec<BusyLine> = self.lines.into_iter().map(line).collect();
        lines.sort_by(|one, other| other.steps.cmp(&one.steps).then_with(|| one.location.cmp(&other.location)));
        lines.truncate(LINES_SHOWN);
        let growing = self.values.iter().filter(|(_, count)| **count >= VALUES_MANY).map(|(name, count)| {
            format!("`{name}` takes {count} values in one run: where a value grows without bound, states have no end; bound it or leave it out")
        });
        let chosen = self
            .choices
            .iter()
            .map(|(at, ways)| format!("{ways} ways to go on at {}:{}: try fewer values there", at.file, at.line));
        BusyLines { steps, advice: growing.chain(chosen).collect(), lines }
    }
}
