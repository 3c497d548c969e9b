//! Whether SPIN and Dampf say the same of a model.
//!
//! States are compared where both searched everything and nothing went wrong but assertions and deadlocks: after an
//! index out of bounds, say, a verifier of SPIN goes on with memory that belongs to something else. Where Dampf leaves
//! steps out, it has fewer states, and the same kinds of faults.

use super::oracle::Outcome;
use super::report::{OTHER_FAULT, Report};
use crate::Failure;
use crate::checker::Checked;

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Comparison {
    Agrees,
    /// How they differ; never empty.
    Differs(Vec<String>),
    /// Why there is nothing to compare with.
    SpinSilent(String),
    /// Why Dampf has no answer although SPIN has one.
    DampfSilent(String),
}

/// Faults after which a verifier of SPIN still knows what it is doing.
const HARMLESS: &[&str] = &["assertion", "deadlock"];

pub fn compare(outcome: &Outcome, checked: &Result<Checked, Failure>) -> Comparison {
    let answer = outcome.whole();
    let found = outcome.report().map(|report| report.faults()).unwrap_or_default();
    if let Err(reason) = &answer
        && !outcome.says_something()
    {
        return Comparison::SpinSilent(reason.clone());
    }
    let checked = match checked {
        Ok(checked) if checked.verdict == "unknown" => return Comparison::DampfSilent(checked.reason.clone()),
        Ok(checked) => checked,
        Err(failure) => return Comparison::DampfSilent(failure.clone()),
    };
    if checked.frontier > 0 {
        return Comparison::DampfSilent(format!("stopped with {} states unexplored", checked.frontier));
    }
    let mut differences = Vec::new();
    if let Ok(report) = answer
        && found.iter().all(|fault| HARMLESS.contains(fault))
        && !agree(checked.counts.states, report.states, report.is_rounded)
        && !(checked.reduction != "none" && checked.counts.states < report.states)
    {
        differences.push(format!("{} states, SPIN {}", checked.counts.states, report.states));
    }
    // A search that was cut short found some of the faults, a whole one all of them; and what comes after worse ones
    // than assertions and deadlocks is an accident.
    let is_worse = |fault: &str| !HARMLESS.contains(&fault);
    let is_sound = !found.iter().any(|fault| is_worse(fault));
    let is_missing = |fault: &&str| {
        *fault != OTHER_FAULT && (is_sound || is_worse(fault)) && !checked.faults.iter().any(|ours| ours == fault)
    };
    let is_extra = |ours: &String| answer.is_ok() && is_sound && !found.contains(&ours.as_str());
    let has_verified = checked.verdict == "verified" && !found.is_empty();
    if has_verified || found.iter().any(is_missing) || checked.faults.iter().any(is_extra) {
        differences.push(format!("faults {:?}, SPIN {:?}", checked.faults, found));
    }
    // A fault that a verifier does not survive is its verdict.
    let died_of_fault = !is_sound && outcome.report().is_some_and(Report::gave_up);
    match (differences.is_empty(), answer) {
        (false, _) => Comparison::Differs(differences),
        (true, Ok(_)) => Comparison::Agrees,
        (true, Err(_)) if died_of_fault => Comparison::Agrees,
        (true, Err(reason)) => Comparison::SpinSilent(reason),
    }
}

/// Equal, or equal in eight digits.
fn agree(ours: u64, theirs: u64, is_rounded: bool) -> bool {
    ours == theirs || is_rounded && ours.abs_diff(theirs) <= theirs / 10_000_000
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checker::Counts;
    use crate::measured::Usage;
    use crate::spin::oracle::Times;
    use std::time::Duration;

    fn spin(states: u64, messages: &[&str], cut: Option<&str>) -> Outcome {
        let messages = messages.iter().map(|&message| message.to_owned()).collect();
        let report = Report { states, messages, cut: cut.map(str::to_owned), ..Report::default() };
        Outcome::Searched { report, times: Times::default() }
    }

    fn dampf(states: u64, faults: &[&str]) -> Result<Checked, Failure> {
        Ok(Checked {
            verdict: if faults.is_empty() { "verified" } else { "violated" }.to_owned(),
            reason: String::new(),
            faults: faults.iter().map(|&fault| fault.to_owned()).collect(),
            steps: None,
            counts: Counts { states, transitions: 0, depth: 0, faults: 0 },
            frontier: 0,
            store_bytes: 0,
            reduction: "none".to_owned(),
            rounds: 1,
            usage: Usage { wall: Duration::ZERO, cpu: Duration::ZERO, peak_rss_bytes: 0 },
        })
    }

    const ASSERTION: &str = "assertion violated (x==1)";
    const END: &str = "invalid end state";

    #[test]
    fn states_and_kinds_are_compared() {
        assert_eq!(compare(&spin(7, &[], None), &dampf(7, &[])), Comparison::Agrees);
        assert_eq!(
            compare(&spin(7, &[ASSERTION, END], None), &dampf(7, &["assertion", "deadlock"])),
            Comparison::Agrees
        );
        let differs = compare(&spin(7, &[ASSERTION], None), &dampf(8, &["deadlock"]));
        let expected = ["8 states, SPIN 7", "faults [\"deadlock\"], SPIN [\"assertion\"]"];
        assert_eq!(differs, Comparison::Differs(expected.map(str::to_owned).to_vec()));
    }

    #[test]
    fn states_after_worse_faults_are_not_compared() {
        let index = spin(7, &["assertion violated - invalid array index"], None);
        assert_eq!(compare(&index, &dampf(5, &["index-out-of-bounds"])), Comparison::Agrees);
        let and_more = spin(7, &["assertion violated - invalid array index", END], None);
        assert_eq!(compare(&and_more, &dampf(5, &["assertion", "index-out-of-bounds"])), Comparison::Agrees);
        assert!(matches!(compare(&and_more, &dampf(7, &["deadlock"])), Comparison::Differs(_)));
        assert!(matches!(compare(&index, &dampf(7, &[])), Comparison::Differs(_)));
        let fatal = spin(1, &["ref to uninitialized chan name (len)"], Some("Search not completed: ref"));
        assert_eq!(compare(&fatal, &dampf(5, &["invalid-access"])), Comparison::Agrees);
        assert!(matches!(compare(&fatal, &dampf(5, &[])), Comparison::Differs(_)));
        let other = spin(7, &["ref to uninitialized chan name (len)"], None);
        assert_eq!(compare(&other, &dampf(5, &["invalid-access"])), Comparison::Agrees);
        assert!(matches!(compare(&other, &dampf(7, &[])), Comparison::Differs(_)));
    }

    #[test]
    fn half_a_search_still_finds_faults() {
        let cut = spin(7, &[END], Some("max search depth too small"));
        assert!(matches!(compare(&cut, &dampf(99, &["deadlock", "assertion"])), Comparison::SpinSilent(_)));
        assert!(matches!(compare(&cut, &dampf(99, &[])), Comparison::Differs(_)));
        assert!(matches!(compare(&spin(7, &[], Some("depth")), &dampf(99, &[])), Comparison::SpinSilent(_)));
    }

    #[test]
    fn silence_is_told_apart() {
        let failed = compare(&spin(7, &[], None), &Err("no input that Dampf knows".to_owned()));
        assert_eq!(failed, Comparison::DampfSilent("no input that Dampf knows".to_owned()));
        let mut unknown = dampf(7, &[]).expect("an answer");
        let stopped = Checked { frontier: 3, ..unknown.clone() };
        assert!(matches!(compare(&spin(7, &[], None), &Ok(stopped)), Comparison::DampfSilent(_)));
        unknown.verdict = "unknown".to_owned();
        unknown.reason = "time".to_owned();
        assert_eq!(compare(&spin(7, &[], None), &Ok(unknown)), Comparison::DampfSilent("time".to_owned()));
    }

    #[test]
    fn large_counts_are_compared_in_eight_digits() {
        assert!(agree(115_502_904, 115_502_900, true) && !agree(115_502_904, 115_502_900, false));
        assert!(!agree(115_503_904, 115_502_900, true));
    }
}
