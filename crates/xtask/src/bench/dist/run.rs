//! Runs of the checker on several ranks. The same run is wanted by several tables and done once.

use super::instance::Instance;
use crate::Failure;
use crate::measured::{self, Usage};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

/// How a model is searched.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Way {
    pub ranks: u32,
    pub partition: String,
    pub queue: String,
    pub search: &'static str,
    /// None is what the checker does without being told.
    pub sent_cache: Option<u64>,
}

impl Way {
    pub fn usual(ranks: u32) -> Way {
        Way { ranks, partition: "full".to_owned(), queue: "hash".to_owned(), search: "bfs", sent_cache: None }
    }

    fn arguments(&self) -> Vec<String> {
        let ranks = self.ranks.to_string();
        let mut arguments: Vec<String> = [
            ["--ranks", &ranks],
            ["--partition", &self.partition],
            ["--queue", &self.queue],
            ["--search", self.search],
        ]
        .concat()
        .into_iter()
        .map(str::to_owned)
        .collect();
        if let Some(states) = self.sent_cache {
            arguments.extend(["--sent-cache".to_owned(), states.to_string()]);
        }
        arguments
    }
}

/// What a run brought to light.
#[derive(Clone, Copy, Debug)]
pub struct Measured {
    /// Of a packed state: its words.
    pub state_bytes: u32,
    pub states: u64,
    pub transitions: u64,
    pub messages: u64,
    pub bytes: u64,
    pub states_sent: u64,
    pub cross_transitions: u64,
    pub redundant_states: u64,
    pub usage: Usage,
}

impl Measured {
    pub fn bytes_per_cross_transition(&self) -> f64 {
        self.bytes as f64 / self.cross_transitions as f64
    }

    pub fn bytes_per_sent_state(&self) -> f64 {
        self.bytes as f64 / self.states_sent as f64
    }

    pub fn states_per_message(&self) -> f64 {
        self.states_sent as f64 / self.messages as f64
    }

    pub fn json(&self, instance: &str, way: &Way) -> Value {
        json!({
            "instance": instance,
            "ranks": way.ranks,
            "partition": way.partition,
            "queue": way.queue,
            "search": way.search,
            "sent_cache": way.sent_cache,
            "state_bytes": self.state_bytes,
            "states": self.states,
            "transitions": self.transitions,
            "messages": self.messages,
            "bytes": self.bytes,
            "states_sent": self.states_sent,
            "cross_transitions": self.cross_transitions,
            "redundant_states": self.redundant_states,
            "seconds": self.usage.wall.as_secs_f64(),
            "cpu_seconds": self.usage.cpu.as_secs_f64(),
            "peak_rss_bytes": self.usage.peak_rss_bytes,
        })
    }
}

/// All runs so far.
pub struct Runs {
    binary: PathBuf,
    limit: Duration,
    done: BTreeMap<(String, Way), Measured>,
    state_bytes: BTreeMap<String, u32>,
}

impl Runs {
    pub fn new(binary: PathBuf, limit: Duration) -> Runs {
        Runs { binary, limit, done: BTreeMap::new(), state_bytes: BTreeMap::new() }
    }

    pub fn all(&self) -> impl Iterator<Item = (&str, &Way, &Measured)> {
        self.done.iter().map(|((instance, way), measured)| (instance.as_str(), way, measured))
    }

    /// Searches a model this way, unless that was done before.
    pub fn measure(&mut self, instance: &Instance, way: &Way) -> Result<Measured, Failure> {
        let key = (instance.name.clone(), way.clone());
        if let Some(&measured) = self.done.get(&key) {
            return Ok(measured);
        }
        let in_context = |failure| format!("{} {}: {failure}", instance.name, way.arguments().join(" "));
        let measured = self.search(instance, way).map_err(in_context)?;
        self.done.insert(key, measured);
        Ok(measured)
    }

    fn search(&mut self, instance: &Instance, way: &Way) -> Result<Measured, Failure> {
        let state_bytes = self.state_bytes(instance)?;
        let mut command = self.command("check", instance);
        command.args(["--keep-going", "--progress", "never", "--json", "-"]).args(way.arguments());
        let finished = measured::run_within(&mut command, Some(self.limit)).map_err(|error| error.to_string())?;
        if finished.out_of_time {
            return Err(format!("takes more than {:?}", self.limit));
        }
        let summary: Value = serde_json::from_str(&finished.stdout)
            .map_err(|_| format!("no summary ({}): {}", finished.status, finished.complaint()))?;
        let measured = read(&summary, state_bytes, finished.usage).ok_or("a figure is missing in the summary")?;
        if summary["verdict"] == "unknown" || measured.states != instance.states {
            let verdict = &summary["verdict"];
            return Err(format!("{} states and {verdict}, not {} states", measured.states, instance.states));
        }
        Ok(measured)
    }

    fn command(&self, what: &str, instance: &Instance) -> Command {
        let mut command = Command::new(&self.binary);
        command.arg(what).arg(&instance.model);
        command.args(instance.definitions.iter().flat_map(|definition| ["-D", definition]));
        command
    }

    /// How many bytes a packed state has.
    fn state_bytes(&mut self, instance: &Instance) -> Result<u32, Failure> {
        if let Some(&bytes) = self.state_bytes.get(&instance.name) {
            return Ok(bytes);
        }
        let finished = measured::run_within(&mut self.command("info", instance), Some(self.limit));
        let finished = finished.map_err(|error| format!("cannot run `{}`: {error}", self.binary.display()))?;
        let bytes =
            bytes_of(&finished.stdout).ok_or_else(|| format!("no size of a state: {}", finished.complaint()))?;
        self.state_bytes.insert(instance.name.clone(), bytes);
        Ok(bytes)
    }
}

/// From a line such as `state  52 bits in 2 words`.
fn bytes_of(information: &str) -> Option<u32> {
    let line = information.lines().find(|line| line.starts_with("state "))?;
    let words: u32 = line.split_once(" in ")?.1.split_whitespace().next()?.parse().ok()?;
    Some(words * 4)
}

fn read(summary: &Value, state_bytes: u32, usage: Usage) -> Option<Measured> {
    let traffic = &summary["traffic"];
    Some(Measured {
        state_bytes,
        states: summary["states"].as_u64()?,
        transitions: summary["transitions"].as_u64()?,
        messages: traffic["messages"].as_u64()?,
        bytes: traffic["bytes"].as_u64()?,
        states_sent: traffic["states"].as_u64()?,
        cross_transitions: traffic["cross_transitions"].as_u64()?,
        redundant_states: traffic["redundant_states"].as_u64()?,
        usage,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_is_read() {
        let usage = Usage { wall: Duration::ZERO, cpu: Duration::ZERO, peak_rss_bytes: 0 };
        let summary = json!({
            "states": 10, "transitions": 20,
            "traffic": { "messages": 2, "bytes": 60, "states": 12, "cross_transitions": 15, "redundant_states": 0 },
        });
        let measured = read(&summary, 31, usage).expect("complete");
        assert_eq!(measured.bytes_per_cross_transition(), 4.0);
        assert_eq!(measured.bytes_per_sent_state(), 5.0);
        assert_eq!(measured.states_per_message(), 6.0);
        assert!(read(&json!({ "states": 10 }), 31, usage).is_none());
    }

    #[test]
    fn the_size_of_a_state_is_read() {
        assert_eq!(bytes_of("model  x\nstate        52 bits in 2 words\n"), Some(8));
        assert_eq!(bytes_of("model  x\n"), None);
    }

    #[test]
    fn a_way_becomes_arguments() {
        let way = Way { sent_cache: Some(0), ..Way::usual(4) };
        let arguments = way.arguments().join(" ");
        assert_eq!(arguments, "--ranks 4 --partition full --queue hash --search bfs --sent-cache 0");
    }
}
