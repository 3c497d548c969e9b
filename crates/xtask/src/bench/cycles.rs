//! `cargo xtask bench cycles`: all ways in which ranks look for accepting cycles, side by side.
//!
//! The models are those of `bench/cycles.tsv`: some of the thesis *Reducing Communication in Distributed Model
//! Checking*, with its properties where it says them, and products of BEEM models with LTL properties where those lie
//! beside the workspace. All ways must come to the same verdict, or the bench fails.

use super::machine;
use super::subject::rows;
use super::table::{Table, fraction};
use crate::Failure;
use crate::figures::{grouped, time};
use crate::measured::{self, Usage};
use crate::workspace::{FileOptions, Workspace};
use clap::Args;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

#[derive(Args, Debug)]
pub struct CyclesOptions {
    /// Only these rows of bench/cycles.tsv
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    models: Vec<String>,

    #[arg(long, value_name = "N,…", value_delimiter = ',', default_value = "1,2,3", value_parser = clap::value_parser!(u32).range(1..))]
    ranks: Vec<u32>,

    /// A single run ends after this time, whether it has an answer or not
    #[arg(long, value_name = "TIME", default_value = "5")]
    max_time: String,

    #[command(flatten)]
    files: FileOptions,
}

/// How cycles are looked for.
struct Way {
    method: &'static str,
    /// The depth of local searches.
    local: Option<u32>,
}

/// Methods with local search, where they have it.
const WAYS: [Way; 6] = [
    Way { method: "owcty", local: None },
    Way { method: "naive-nested", local: None },
    Way { method: "naive-nested", local: Some(3) },
    Way { method: "improved-nested", local: None },
    Way { method: "bounded-nested", local: None },
    Way { method: "bounded-nested", local: Some(3) },
];

impl Way {
    fn arguments(&self) -> Vec<String> {
        // An exploration with local search has no levels, so there are none without it either.
        let mut arguments = ["--search", "first-come", "--cycles", self.method].map(str::to_owned).to_vec();
        arguments.extend(self.local.iter().flat_map(|depth| ["--local-search".to_owned(), depth.to_string()]));
        arguments
    }

    fn name(&self) -> String {
        self.local.map_or_else(|| self.method.to_owned(), |depth| format!("{}, local {depth}", self.method))
    }
}

/// A model with a property.
#[derive(Debug)]
struct Instance {
    name: String,
    model: PathBuf,
    arguments: Vec<String>,
}

pub fn run(workspace: &Workspace, options: &CyclesOptions) -> Result<(), Failure> {
    let instances = chosen(workspace, &options.models)?;
    let binary = workspace.release_binary(options.files.dampf.as_deref())?;
    let limit = time(&options.max_time)?;
    let table = Table::new(
        "Accepting cycles on ranks: what is sent, and what is visited again to find them",
        &[
            ("model", 22),
            ("method", 23),
            ("ranks", 5),
            ("verdict", 8),
            ("states", 9),
            ("again", 12),
            ("states sent", 12),
            ("messages", 9),
            ("CPU s", 7),
        ],
    );
    let mut done = Vec::new();
    for instance in &instances {
        let mut verdict: Option<String> = None;
        for &ranks in &options.ranks {
            for way in &WAYS {
                let context = || format!("{} on {ranks} ranks, {}", instance.name, way.name());
                let found = search(&binary, instance, (way, ranks), limit)
                    .map_err(|failure| format!("{}: {failure}", context()))?;
                table.row(&found.cells(instance, way, ranks));
                if found.verdict != "unknown" && *verdict.get_or_insert_with(|| found.verdict.clone()) != found.verdict
                {
                    return Err(format!("{}: {}, and by another way {verdict:?}", context(), found.verdict));
                }
                done.push(found.json(instance, way, ranks));
            }
        }
    }
    println!(
        "again: states whose steps were followed once more, by their owners or others. unknown: not within {limit:?}."
    );
    options.files.write(|| json!({ "machine": machine(), "runs": done }))?;
    options.files.json.iter().for_each(|file| println!("\nwritten: {}", file.display()));
    Ok(())
}

/// The rows that are named, or else all; without those of collections that are not there.
fn chosen(workspace: &Workspace, names: &[String]) -> Result<Vec<Instance>, Failure> {
    let table = rows(&workspace.root.join("bench/cycles.tsv"))?;
    if let Some(unknown) = names.iter().find(|name| !table.iter().any(|row| row.first() == Some(name))) {
        return Err(format!("there is no {unknown} in bench/cycles.tsv"));
    }
    let is_wanted = |row: &&Vec<String>| names.is_empty() || row.first().is_some_and(|name| names.contains(name));
    let wanted: Vec<&Vec<String>> = table.iter().filter(is_wanted).collect();
    let needs_beem = wanted.iter().any(|row| row.get(1).is_some_and(|model| model == "beem"));
    let beem = if needs_beem { workspace.corpus("beem") } else { None };
    let read = |row: &&Vec<String>| {
        instance(&workspace.root, beem.as_deref(), row).ok_or(format!("bench/cycles.tsv: {}", row.join(" ")))
    };
    let instances: Vec<Option<Instance>> = wanted.iter().map(read).collect::<Result<_, Failure>>()?;
    Ok(instances.into_iter().flatten().collect())
}

/// What a row says; nothing of one whose model is not there, and none at all where it cannot be read.
fn instance(root: &Path, beem: Option<&Path>, row: &[String]) -> Option<Option<Instance>> {
    let [name, model, definitions, property] = row else { return None };
    let model = match (model.as_str(), beem) {
        ("beem", None) => return Some(None),
        ("beem", Some(beem)) => beem.join(format!("{name}.dve")),
        (model, _) => root.join(model),
    };
    let mut arguments: Vec<String> =
        definitions.split_whitespace().flat_map(|definition| ["-D".to_owned(), definition.to_owned()]).collect();
    if !property.is_empty() {
        arguments.extend(["--ltl".to_owned(), property.clone()]);
    }
    Some(Some(Instance { name: name.clone(), model, arguments }))
}

/// What a run brought to light.
#[derive(Debug)]
struct Found {
    verdict: String,
    states: u64,
    again: u64,
    states_sent: u64,
    messages: u64,
    usage: Usage,
}

impl Found {
    fn cells(&self, instance: &Instance, way: &Way, ranks: u32) -> [String; 9] {
        [
            instance.name.clone(),
            way.name(),
            ranks.to_string(),
            self.verdict.clone(),
            grouped(self.states),
            grouped(self.again),
            grouped(self.states_sent),
            grouped(self.messages),
            fraction(self.usage.cpu.as_secs_f64(), 2),
        ]
    }

    fn json(&self, instance: &Instance, way: &Way, ranks: u32) -> Value {
        json!({
            "instance": instance.name,
            "method": way.method,
            "local_search": way.local,
            "ranks": ranks,
            "verdict": self.verdict,
            "states": self.states,
            "states_again": self.again,
            "states_sent": self.states_sent,
            "messages": self.messages,
            "cpu_seconds": self.usage.cpu.as_secs_f64(),
            "peak_rss_bytes": self.usage.peak_rss_bytes,
        })
    }
}

fn search(binary: &Path, instance: &Instance, (way, ranks): (&Way, u32), limit: Duration) -> Result<Found, Failure> {
    let mut command = Command::new(binary);
    command.arg("check").arg(&instance.model).args(&instance.arguments).args(way.arguments());
    command.args(["--progress", "never", "--json", "-", "--ranks"]).arg(ranks.to_string());
    command.arg("--max-time").arg(limit.as_secs_f64().to_string());
    let finished = measured::run(&mut command).map_err(|error| error.to_string())?;
    let summary: Value = serde_json::from_str(&finished.stdout)
        .map_err(|_| format!("no summary ({}): {}", finished.status, finished.complaint()))?;
    read(&summary, finished.usage).ok_or("a figure is missing in the summary".to_owned())
}

fn read(summary: &Value, usage: Usage) -> Option<Found> {
    let traffic = &summary["traffic"];
    Some(Found {
        verdict: summary["verdict"].as_str()?.to_owned(),
        states: summary["states"].as_u64()?,
        again: traffic["followed_states"].as_u64()? + traffic["redundant_states"].as_u64()?,
        states_sent: traffic["states"].as_u64()?,
        messages: traffic["messages"].as_u64()?,
        usage,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definitions_can_be_read() {
        let workspace = Workspace::of_this_crate();
        let own = ["BA1", "BA4", "LP1", "EL1"].map(str::to_owned);
        let instances = chosen(&workspace, &own).expect("these are there");
        assert_eq!(instances.len(), own.len());
        assert!(instances.iter().all(|instance| instance.model.is_file()), "{instances:?}");
        assert!(chosen(&workspace, &["XY1".to_owned()]).is_err());
        let row = ["a", "beem", "", ""].map(str::to_owned);
        assert!(instance(Path::new("/"), None, &row).is_some_and(|instance| instance.is_none()));
        assert!(instance(Path::new("/"), None, &row[..3]).is_none());
    }

    #[test]
    fn a_summary_is_read() {
        let usage = Usage { wall: Duration::ZERO, cpu: Duration::ZERO, peak_rss_bytes: 0 };
        let traffic = json!({ "messages": 2, "states": 12, "followed_states": 5, "redundant_states": 3 });
        let found = read(&json!({ "verdict": "verified", "states": 10, "traffic": traffic }), usage).expect("complete");
        assert_eq!((found.again, found.states_sent, found.messages), (8, 12, 2));
        assert!(read(&json!({ "states": 10 }), usage).is_none());
    }

    #[test]
    fn a_way_becomes_arguments() {
        assert_eq!(WAYS[0].arguments().join(" "), "--search first-come --cycles owcty");
        let local = WAYS[5].arguments().join(" ");
        assert_eq!(local, "--search first-come --cycles bounded-nested --local-search 3");
        assert_eq!(WAYS[5].name(), "bounded-nested, local 3");
    }
}
