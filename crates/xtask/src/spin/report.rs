//! What a verifier of SPIN prints at its end, read.

use crate::Failure;
use serde::{Deserialize, Serialize};

/// The figures of one search.
#[derive(Clone, PartialEq, Default, Debug, Serialize, Deserialize)]
pub struct Report {
    /// Stored, so without those within atomic sequences.
    pub states: u64,
    pub matched: u64,
    pub transitions: u64,
    pub atomic_steps: u64,
    /// How often something was found to be wrong.
    pub errors: u64,
    /// What was found to be wrong, each once, in alphabetic order.
    pub messages: Vec<String>,
    pub depth: u64,
    pub vector_bytes: u64,
    pub state_memory_bytes: u64,
    pub seconds: f64,
    /// Why this was not the whole space.
    pub cut: Option<String>,
    /// Large counts are printed with eight digits.
    pub is_rounded: bool,
}

/// The sign of a verifier that met an error after which it cannot go on.
const GIVEN_UP: &str = "Search not completed";

/// Signs of a search that left something out.
const CUT: &[&str] =
    &["max search depth too small", "reached -DMEMLIM bound", "out of memory", GIVEN_UP, "Bit statespace"];

/// What a message of a verifier is called by Dampf. The first that fits counts.
const FAULTS: &[(&str, &str)] = &[
    ("assertion violated - invalid array index", "index-out-of-bounds"),
    ("assertion violated", "assertion"),
    ("invalid end state", "deadlock"),
];

/// Messages of a verifier about its own troubles, which are no faults of the model.
const TROUBLES: &[&str] = &["qsend bad queue#", "qrecv bad queue#", "aborting", "VECTORSZ"];

/// The message of a verifier that has mixed up its own state while taking steps back: nothing that it says counts.
const CONFUSION: &str = "bad queue";

/// What is left for messages that Dampf has no name for.
pub const OTHER_FAULT: &str = "other";

impl Report {
    pub fn read(printed: &str) -> Result<Report, Failure> {
        let mut messages: Vec<String> = printed.lines().filter_map(message).collect();
        messages.sort();
        messages.dedup();
        let cut = CUT.iter().find(|sign| printed.contains(**sign)).map(|sign| reason(sign, &messages));
        if !printed.contains("Full statespace search") {
            let last = printed.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("nothing").trim();
            return Err(cut.unwrap_or_else(|| format!("pan does not report a search; it ends with: {last}")));
        }
        let number =
            |what: &str| number_before(printed, what).ok_or_else(|| format!("pan does not say how many {what}"));
        Ok(Report {
            states: number(" states, stored")? as u64,
            matched: number(" states, matched")? as u64,
            transitions: number(" transitions (=")? as u64,
            atomic_steps: number(" atomic steps")? as u64,
            errors: number_after(printed, "errors: ").ok_or("pan does not count errors")? as u64,
            messages,
            depth: number_after(printed, "depth reached ").unwrap_or(0.0) as u64,
            vector_bytes: number_after(printed, "State-vector ").unwrap_or(0.0) as u64,
            // Megabytes are printed with three digits after the point.
            state_memory_bytes: (number("\tactual memory usage for states")? * f64::from(1 << 20)) as u64,
            seconds: number_after(printed, "elapsed time ").unwrap_or(0.0),
            cut,
            is_rounded: printed.lines().any(|line| line.contains("e+") && line.contains(" states, stored")),
        })
    }

    /// Whether an error ended the search, and no limit.
    pub fn gave_up(&self) -> bool {
        self.cut.as_ref().is_some_and(|reason| reason.starts_with(GIVEN_UP))
    }

    /// The kinds of faults that were found, as Dampf calls them, each once, in alphabetic order.
    pub fn faults(&self) -> Vec<&'static str> {
        if self.messages.iter().any(|message| message.starts_with(CONFUSION)) {
            return Vec::new();
        }
        let named = |message: &String| {
            let row = FAULTS.iter().find(|(sign, _)| message.starts_with(sign));
            row.map_or(OTHER_FAULT, |(_, fault)| fault)
        };
        let is_fault = |message: &&String| !TROUBLES.iter().any(|trouble| message.starts_with(trouble));
        let mut faults: Vec<&str> = self.messages.iter().filter(is_fault).map(named).collect();
        faults.sort_unstable();
        faults.dedup();
        faults
    }
}

/// A fatal error is the reason why a search was not completed.
fn reason(sign: &str, messages: &[String]) -> String {
    match messages {
        [] => sign.to_owned(),
        _ if sign != GIVEN_UP => sign.to_owned(),
        messages => format!("{sign}: {}", messages.join(", ")),
    }
}

/// The message of a line `pan:3: assertion violated (x==1) (at depth 17)`.
fn message(line: &str) -> Option<String> {
    let (number, message) = line.strip_prefix("pan:")?.split_once(": ")?;
    number.parse::<u64>().ok()?;
    let message = message.rsplit_once(" (at depth").map_or(message, |(message, _)| message);
    Some(message.trim().to_owned())
}

/// The number that stands directly before some words. Large ones come as 1.2345678e+08.
fn number_before(text: &str, words: &str) -> Option<f64> {
    let (before, _) = text.split_once(words)?;
    before.split_whitespace().next_back()?.parse().ok()
}

fn number_after(text: &str, words: &str) -> Option<f64> {
    let (_, after) = text.split_once(words)?;
    after.split(|letter: char| letter.is_whitespace() || letter == ',').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const REPORT: &str = "\
pan:1: invalid end state (at depth 4)
pan:2: assertion violated (a[(i)]==1) (at depth 17)
pan:9: invalid end state (at depth 5)

(Spin Version 6.5.2 -- 6 December 2019)

Full statespace search for:
	never claim         	- (not selected)
	assertion violations	+

State-vector 248 byte, depth reached 202, errors: 17
   659683 states, stored
  2795306 states, matched
  3454989 transitions (= stored+matched)
       21 atomic steps
hash conflicts:     20933 (resolved)

Stats on memory usage (in Megabytes):
  168.605	equivalent memory usage for states (stored*(State-vector + overhead))
  111.184	actual memory usage for states (compression: 65.94%)
         	state-vector as stored = 157 byte + 20 byte overhead
  128.000	memory used for hash table (-w24)

pan: elapsed time 4.15 seconds
pan: rate 158959.76 states/second
";

    #[test]
    fn a_report_is_read() {
        let report = Report::read(REPORT).expect("a whole report");
        assert_eq!((report.states, report.matched, report.transitions), (659_683, 2_795_306, 3_454_989));
        assert_eq!((report.atomic_steps, report.errors, report.depth, report.vector_bytes), (21, 17, 202, 248));
        assert_eq!((report.state_memory_bytes, report.seconds), (116_584_873, 4.15));
        assert_eq!(report.messages, ["assertion violated (a[(i)]==1)", "invalid end state"]);
        assert_eq!((report.faults(), report.cut), (vec!["assertion", "deadlock"], None));
    }

    #[test]
    fn large_counts_are_rounded() {
        let report = Report::read(&REPORT.replace("3454989", "1.155029e+08")).expect("a whole report");
        assert_eq!((report.transitions, report.is_rounded), (115_502_900, false));
        assert!(Report::read(&REPORT.replace("659683", "1.65968e+08")).expect("a whole report").is_rounded);
    }

    #[test]
    fn half_a_search_says_so() {
        let cut = |printed: &str| Report::read(printed).expect("a report").cut.expect("half a search");
        assert_eq!(cut(&format!("error: max search depth too small\n{REPORT}")), "max search depth too small");
        let fatal =
            REPORT.replace("\nFull", "Warning: Search not completed\nFull").replace("pan:9: invalid end", "pan:9: no");
        assert!(cut(&fatal).starts_with("Search not completed: assertion violated (a[(i)]==1), "), "{}", cut(&fatal));
    }

    #[test]
    fn no_search_is_no_report() {
        assert!(Report::read("pan: error: too many processes\n").is_err_and(|why| why.contains("too many processes")));
        assert!(Report::read("").is_err());
        assert!(Report::read("Full statespace search for:\n").is_err());
    }

    #[test]
    fn messages_have_names() {
        let faults = |messages: &[&str]| {
            let messages = messages.iter().map(|&message| message.to_owned()).collect();
            Report { messages, ..Report::default() }.faults()
        };
        let wild = ["assertion violated - invalid array index", "ref to uninitialized chan name (len)"];
        assert_eq!(faults(&wild), ["index-out-of-bounds", "other"]);
        assert!(faults(&["aborting", "bad queue - q_full", "invalid end state"]).is_empty());
        assert_eq!(faults(&["aborting", "invalid end state"]), ["deadlock"]);
    }
}
