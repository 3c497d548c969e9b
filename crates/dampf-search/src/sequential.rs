//! Sequential bitstate hashing: the same search several times, with other hash functions each time.
//!
//! Every run misses other states, so what all runs together have missed is less with each. Memory is that of one run,
//! and a small sample of what was found, from which the coverage of all runs is estimated.

use crate::{FINDINGS_MAX, Monitor, Outcome, SearchOptions, Snapshot, check_carrying};
use dampf_core::{Model, Verdict};
use dampf_store::{BitstateStore, Filter, Sample};
use std::io;
use std::sync::Arc;
use std::time::Instant;

/// Searches at most so often with a filter of this shape, until a fault is found or the search is stopped. The states
/// and steps that are told are those of the run that found most.
///
/// # Errors
/// Where the system has no memory for the filter.
///
/// # Panics
/// Like [`check`](crate::check).
pub fn check_in_runs<M: Model>(
    model: &M,
    filter: Filter,
    runs: u32,
    options: &SearchOptions,
    monitor: &Monitor,
) -> io::Result<Outcome> {
    let (begin, sample) = (Instant::now(), Arc::new(Sample::new()));
    let mut result: Option<Outcome> = None;
    for run in 0..runs {
        sample.begin_run();
        monitor.publish(&Snapshot::default());
        let store = BitstateStore::new(filter, run)?.noting(sample.clone());
        let options = SearchOptions { time_spent: options.time_spent + begin.elapsed(), ..options.clone() };
        let outcome = check_carrying(model, &store, &options, monitor);
        let is_found = !outcome.findings.is_empty() && !options.keep_going;
        let is_last = run + 1 == runs || outcome.stopped.is_some() || is_found;
        let mut outcome = joined(result.take(), outcome);
        if !is_last {
            result = Some(outcome);
            continue;
        }
        if let (Verdict::Unknown(reason), Some(coverage)) = (&mut outcome.verdict, sample.coverage()) {
            reason.push_str(&format!(
                "; {} runs with different hash functions found about {} states together, an estimated coverage of {:.2} %",
                run + 1,
                sample.states().round(),
                100.0 * coverage
            ));
        }
        return Ok(outcome);
    }
    unreachable!("there is a last run")
}

/// What two runs came to.
fn joined(earlier: Option<Outcome>, later: Outcome) -> Outcome {
    let Some(earlier) = earlier else { return later };
    let mut findings = earlier.findings;
    for finding in later.findings {
        if findings.len() < FINDINGS_MAX && findings.iter().all(|other| other.fault != finding.fault) {
            findings.push(finding);
        }
    }
    // The verdict on the last run, unless one found something.
    let verdict = findings.first().map_or(later.verdict, |finding| Verdict::Violated(Box::new(finding.clone())));
    let mut statistics =
        if later.statistics.states > earlier.statistics.states { later.statistics } else { earlier.statistics };
    statistics.faults = earlier.statistics.faults.max(later.statistics.faults);
    let mut judgement = earlier.judgement;
    let faults = judgement.faults.max(later.judgement.faults);
    judgement.absorb(later.judgement);
    judgement.faults = faults;
    Outcome { verdict, statistics, findings, stopped: later.stopped, judgement }
}
