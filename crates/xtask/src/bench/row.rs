//! What was measured of one model, as a line of the table and as JSON.

use super::Suite;
use crate::figures::grouped;
use crate::spin::Searched;
use serde_json::{Value, json};
use std::time::Duration;

/// Everything that was measured of one model.
#[derive(Debug)]
pub struct Row {
    pub instance: String,
    pub states: u64,
    pub transitions: u64,
    pub store_bytes: u64,
    pub peak_rss_bytes: u64,
    pub ours: Effort,
    pub spin: Option<Peer>,
    pub speedup: Option<Speedup>,
}

/// CPU time of the best run, and of getting ready for it.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Reading and compiling the model.
    pub compilation: Duration,
    pub search: Duration,
}

#[derive(Clone, Debug)]
pub struct Peer {
    pub searched: Searched,
    pub effort: Effort,
}

/// Wall time of the best runs with one thread and with several.
#[derive(Clone, Copy, Debug)]
pub struct Speedup {
    pub threads: usize,
    pub one: Duration,
    pub several: Duration,
}

impl Speedup {
    fn factor(self) -> f64 {
        self.one.as_secs_f64() / self.several.as_secs_f64()
    }
}

impl Effort {
    /// Everything from the text of the model to the answer.
    fn seconds(self) -> f64 {
        (self.search + self.compilation).as_secs_f64()
    }

    /// Millions of transitions per CPU second: of the search alone, and of everything.
    fn rates(self, transitions: u64) -> [f64; 2] {
        [self.search, self.search + self.compilation].map(|time| transitions as f64 / 1e6 / time.as_secs_f64())
    }
}

const HEADING: &str = concat!(
    "                                          transitions per CPU second, millions            bytes per state\n",
    "                                          search alone           with compilation\n",
    "model              states   transitions    dampf   SPIN  ratio    dampf   SPIN  ratio    store   peak   speed-up",
);

const HEADING_TO_ANSWER: &str = concat!(
    "                                          M transitions/CPU s     CPU seconds to the answer           bytes per state\n",
    "                                          search alone                          of these\n",
    "model              states   transitions    dampf   SPIN  ratio    dampf   SPIN  spin+gcc  ratio    dampf   SPIN   speed-up",
);

/// What stands above the lines of a suite.
pub fn heading(suite: Suite) -> &'static str {
    match suite {
        Suite::Beem => HEADING,
        Suite::Promela => HEADING_TO_ANSWER,
    }
}

impl Peer {
    fn bytes_per_state(&self) -> f64 {
        self.searched.report.state_memory_bytes as f64 / self.searched.report.states.max(1) as f64
    }
}

impl Row {
    pub fn line(&self, suite: Suite) -> String {
        let speedup = self
            .speedup
            .map_or_else(String::new, |speedup| format!("{:.2} with {}", speedup.factor(), speedup.threads));
        let figures = match suite {
            Suite::Beem => format!(
                "{} {} {:8.1} {:6.1}",
                self.rates(0),
                self.rates(1),
                self.per_state(self.store_bytes),
                self.per_state(self.peak_rss_bytes)
            ),
            Suite::Promela => format!("{} {}", self.rates(0), self.to_answer()),
        };
        let (states, transitions) = (grouped(self.states), grouped(self.transitions));
        let line = format!("{:<13} {states:>11} {transitions:>13} {figures}   {speedup}", self.instance);
        line.trim_end().to_owned()
    }

    /// Transitions per second, ours and theirs: of the search alone (0), or of everything (1).
    fn rates(&self, index: usize) -> String {
        let ours = self.ours.rates(self.transitions)[index];
        match &self.spin {
            Some(peer) => {
                let theirs = peer.effort.rates(peer.searched.report.transitions)[index];
                format!("{ours:8.2} {theirs:6.2} {:6.2}", ours / theirs)
            }
            None => format!("{ours:8.2} {:>6} {:>6}", "-", "-"),
        }
    }

    /// Seconds until there is an answer, and memory, ours and theirs.
    fn to_answer(&self) -> String {
        let ours = self.ours.seconds();
        let our_bytes = self.per_state(self.store_bytes);
        match &self.spin {
            Some(peer) => {
                let (theirs, making) = (peer.effort.seconds(), peer.effort.compilation.as_secs_f64());
                let their_bytes = peer.bytes_per_state();
                format!("{ours:8.2} {theirs:6.2} {making:9.2} {:6.2} {our_bytes:8.1} {their_bytes:6.1}", theirs / ours)
            }
            None => format!("{ours:8.2} {:>6} {:>9} {:>6} {our_bytes:8.1} {:>6}", "-", "-", "-", "-"),
        }
    }

    fn per_state(&self, bytes: u64) -> f64 {
        bytes as f64 / self.states.max(1) as f64
    }

    pub fn json(&self) -> Value {
        let [search_rate, whole_rate] = self.ours.rates(self.transitions);
        let spin = self.spin.as_ref().map(|peer| {
            let [theirs_search, theirs_whole] = peer.effort.rates(peer.searched.report.transitions);
            json!({
                "states": peer.searched.report.states,
                "transitions": peer.searched.report.transitions,
                "compilation_cpu_seconds": peer.effort.compilation.as_secs_f64(),
                "search_cpu_seconds": peer.effort.search.as_secs_f64(),
                "million_transitions_per_cpu_second": theirs_search,
                "million_transitions_per_cpu_second_with_compilation": theirs_whole,
                "peak_rss_bytes": peer.searched.usage.peak_rss_bytes,
                "state_bytes_per_state": peer.bytes_per_state(),
                "vector_bytes": peer.searched.report.vector_bytes,
                "ratio": search_rate / theirs_search,
                "ratio_with_compilation": whole_rate / theirs_whole,
            })
        });
        let speedup = self.speedup.map(|speedup| {
            json!({
                "threads": speedup.threads,
                "one_wall_seconds": speedup.one.as_secs_f64(),
                "several_wall_seconds": speedup.several.as_secs_f64(),
                "factor": speedup.factor(),
            })
        });
        json!({
            "instance": self.instance,
            "states": self.states,
            "transitions": self.transitions,
            "compilation_cpu_seconds": self.ours.compilation.as_secs_f64(),
            "search_cpu_seconds": self.ours.search.as_secs_f64(),
            "million_transitions_per_cpu_second": search_rate,
            "million_transitions_per_cpu_second_with_compilation": whole_rate,
            "million_states_per_cpu_second": self.ours.rates(self.states)[0],
            "store_bytes_per_state": self.per_state(self.store_bytes),
            "peak_rss_bytes_per_state": self.per_state(self.peak_rss_bytes),
            "spin": spin,
            "speedup": speedup,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measured::Usage;
    use crate::spin::report::Report;

    fn row() -> Row {
        let seconds = Duration::from_secs;
        let usage = Usage { wall: seconds(4), cpu: seconds(4), peak_rss_bytes: 800 };
        let report =
            Report { states: 1_000_000, transitions: 8_000_000, state_memory_bytes: 50_000_000, ..Report::default() };
        let searched = Searched { report, usage };
        Row {
            instance: "at.4".to_owned(),
            states: 1_000_000,
            transitions: 8_000_000,
            store_bytes: 10_000_000,
            peak_rss_bytes: 20_000_000,
            ours: Effort { compilation: seconds(1), search: seconds(1) },
            spin: Some(Peer { searched, effort: Effort { compilation: seconds(4), search: seconds(4) } }),
            speedup: Some(Speedup { threads: 2, one: seconds(3), several: seconds(2) }),
        }
    }

    #[test]
    fn rates_are_compared_with_and_without_compilation() {
        let line = row().line(Suite::Beem);
        let words: Vec<&str> = line.split_whitespace().collect();
        let expected = "at.4 1,000,000 8,000,000 8.00 2.00 4.00 4.00 1.00 4.00 10.0 20.0 1.50 with 2";
        assert_eq!(words, expected.split_whitespace().collect::<Vec<_>>());
        assert_eq!(row().json()["spin"]["ratio"], 4.0);
    }

    #[test]
    fn times_to_the_answer_are_compared() {
        let line = row().line(Suite::Promela);
        let words: Vec<&str> = line.split_whitespace().collect();
        let expected = "at.4 1,000,000 8,000,000 8.00 2.00 4.00 2.00 8.00 4.00 4.00 10.0 50.0 1.50 with 2";
        assert_eq!(words, expected.split_whitespace().collect::<Vec<_>>());
    }

    #[test]
    fn a_row_without_a_peer_has_gaps() {
        let alone = Row { spin: None, speedup: None, ..row() };
        assert_eq!(alone.line(Suite::Beem).matches(" - ").count(), 4);
        assert_eq!(alone.line(Suite::Promela).matches(" - ").count(), 5);
        assert!(alone.json()["spin"].is_null());
    }
}
