//! `cargo xtask bench dist`: what a distributed search sends, and what the strategies against that bring.
//!
//! The tables are those of chapter 5 of the thesis *Reducing Communication in Distributed Model Checking*, on its
//! models. Ranks are threads of one process here: what is counted does not depend on how messages travel, and times are
//! of interest beside each other only. Counts of messages differ a little from run to run, because a buffer is sent
//! early when its rank has nothing else to do.

mod instance;
mod run;

use super::machine;
use super::table::{Table, fraction, megabytes, percent};
use crate::Failure;
use crate::figures::{grouped, time};
use crate::workspace::{FileOptions, Workspace};
use clap::Args;
use instance::Instance;
use run::{Measured, Runs, Way};
use serde_json::{Value, json};

#[derive(Args, Debug)]
pub struct DistOptions {
    /// Small models only, to see that everything works
    #[arg(long)]
    quick: bool,

    /// Only these rows of bench/dist.tsv
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    models: Vec<String>,

    /// Numbers of ranks; strategies are compared with the second of them
    #[arg(long, value_name = "N,…", value_delimiter = ',', default_value = "2,4,8", value_parser = clap::value_parser!(u32).range(2..))]
    ranks: Vec<u32>,

    /// A single run that takes longer has failed
    #[arg(long, value_name = "TIME", default_value = "30m")]
    max_time: String,

    #[command(flatten)]
    files: FileOptions,
}

/// The size of the ranges of distances that the thesis uses.
const DISTANCE_RANGE: u32 = 20;
/// How many levels are one slice.
const SLICE_LEVELS: u32 = 50;

pub fn run(workspace: &Workspace, options: &DistOptions) -> Result<(), Failure> {
    let instances = instance::chosen(workspace, options.quick, &options.models)?;
    let mut runs = Runs::new(workspace.release_binary(options.files.dampf.as_deref())?, time(&options.max_time)?);
    let compared: Vec<&Instance> = instances.iter().filter(|instance| instance.is_compared).collect();
    let ranks = *options.ranks.get(1).or(options.ranks.first()).ok_or("no number of ranks is given")?;
    // All runs together take long. What was measured is written after every table, so that a run that is broken off is
    // not in vain.
    traffic(&mut runs, &instances, &options.ranks)?;
    write(options, &runs)?;
    buffering(&mut runs, &instances, ranks)?;
    write(options, &runs)?;
    sent_cache(&mut runs, &instances, ranks)?;
    write(options, &runs)?;
    if !compared.is_empty() {
        queues(&mut runs, &compared, ranks)?;
        write(options, &runs)?;
        partitions(&mut runs, &compared, ranks)?;
        write(options, &runs)?;
    }
    options.files.json.iter().for_each(|file| println!("\nwritten: {}", file.display()));
    Ok(())
}

fn write(options: &DistOptions, runs: &Runs) -> Result<(), Failure> {
    options.files.write(|| {
        let rows: Vec<Value> = runs.all().map(|(instance, way, measured)| measured.json(instance, way)).collect();
        json!({ "machine": machine(), "runs": rows })
    })
}

/// What goes over the network, by model and number of ranks.
fn traffic(runs: &mut Runs, instances: &[Instance], ranks: &[u32]) -> Result<(), Failure> {
    let table = Table::new(
        "What is sent: states to their owners by a hash of everything, references in the queue, 65,536 sent states remembered",
        &[
            ("model", 6),
            ("ranks", 6),
            ("states", 11),
            ("cross trans.", 12),
            ("states sent", 12),
            ("messages", 9),
            ("MB", 8),
            ("B/cross", 8),
            ("B/sent", 8),
            ("B/state", 8),
            ("ratio", 6),
            ("seconds", 8),
        ],
    );
    for instance in instances {
        for &ranks in ranks {
            let measured = runs.measure(instance, &Way::usual(ranks))?;
            let state_bytes = f64::from(measured.state_bytes);
            table.row(&[
                instance.name.clone(),
                ranks.to_string(),
                grouped(measured.states),
                grouped(measured.cross_transitions),
                grouped(measured.states_sent),
                grouped(measured.messages),
                megabytes(measured.bytes),
                fraction(measured.bytes_per_cross_transition(), 2),
                fraction(measured.bytes_per_sent_state(), 2),
                measured.state_bytes.to_string(),
                fraction(measured.bytes_per_cross_transition() / state_bytes, 2),
                fraction(measured.usage.wall.as_secs_f64(), 2),
            ]);
        }
    }
    println!("B/state: a packed state, in whole words. ratio: bytes per cross transition by that.");
    Ok(())
}

/// Table 5.13: messages with and without buffers. Without them every sent state would be a message.
fn buffering(runs: &mut Runs, instances: &[Instance], ranks: u32) -> Result<(), Failure> {
    let table = Table::new(
        &format!("Buffers: messages where each state is one, and where they are gathered; {ranks} ranks"),
        &[
            ("model", 6),
            ("states sent", 14),
            ("messages by levels", 20),
            ("fewer by", 9),
            ("messages first-come", 21),
            ("fewer by", 9),
        ],
    );
    for instance in instances {
        let levels = runs.measure(instance, &Way::usual(ranks))?;
        let first_come = runs.measure(instance, &Way { search: "first-come", ..Way::usual(ranks) })?;
        table.row(&[
            instance.name.clone(),
            grouped(levels.states_sent),
            grouped(levels.messages),
            fraction(levels.states_per_message(), 1),
            grouped(first_come.messages),
            fraction(first_come.states_per_message(), 1),
        ]);
    }
    Ok(())
}

/// What remembering sent states brings.
fn sent_cache(runs: &mut Runs, instances: &[Instance], ranks: u32) -> Result<(), Failure> {
    let table = Table::new(
        &format!("Sent cache: states that were sent lately are not sent again; {ranks} ranks"),
        &[
            ("model", 6),
            ("sent without", 14),
            ("sent with", 14),
            ("%", 6),
            ("MB without", 11),
            ("MB with", 9),
            ("s without", 10),
            ("s with", 8),
        ],
    );
    for instance in instances {
        let with = runs.measure(instance, &Way::usual(ranks))?;
        let without = runs.measure(instance, &Way { sent_cache: Some(0), ..Way::usual(ranks) })?;
        table.row(&[
            instance.name.clone(),
            grouped(without.states_sent),
            grouped(with.states_sent),
            percent(with.states_sent, without.states_sent),
            megabytes(without.bytes),
            megabytes(with.bytes),
            fraction(without.usage.wall.as_secs_f64(), 2),
            fraction(with.usage.wall.as_secs_f64(), 2),
        ]);
    }
    Ok(())
}

/// Tables 5.2 and 5.3: what the strategies for queues cost and save.
fn queues(runs: &mut Runs, instances: &[&Instance], ranks: u32) -> Result<(), Failure> {
    let table = Table::new(
        &format!(
            "Queues: N lets all states wait, S, L and E leave out stored ones, H lets references wait; {ranks} ranks"
        ),
        &[
            ("model", 6),
            ("queue", 6),
            ("peak memory MB", 15),
            ("% of N", 7),
            ("CPU s", 8),
            ("seconds", 8),
            ("states sent", 13),
            ("messages", 10),
        ],
    );
    for instance in instances {
        let mut peak_of_all = None;
        for (label, queue) in strategies(instance.limit) {
            let measured = runs.measure(instance, &Way { queue, ..Way::usual(ranks) })?;
            let peak = measured.usage.peak_rss_bytes;
            let peak_of_all = *peak_of_all.get_or_insert(peak);
            table.row(&[
                instance.name.clone(),
                label.to_owned(),
                megabytes(peak),
                percent(peak, peak_of_all),
                fraction(measured.usage.cpu.as_secs_f64(), 2),
                fraction(measured.usage.wall.as_secs_f64(), 2),
                grouped(measured.states_sent),
                grouped(measured.messages),
            ]);
        }
    }
    println!("The memory is that of the whole process: stores, queues and buffers of all ranks.");
    Ok(())
}

/// The thesis's names for its strategies, and ours.
fn strategies(limit: u64) -> [(&'static str, String); 7] {
    [
        ("N", "none".to_owned()),
        ("S", "store".to_owned()),
        ("L", format!("limit={limit}")),
        ("LE", format!("limit={limit},extended")),
        ("LS", format!("limit={limit},store")),
        ("LES", format!("limit={limit},extended,store")),
        ("H", "hash".to_owned()),
    ]
}

/// Table 5.12: what partition functions send, and what they make be done twice.
fn partitions(runs: &mut Runs, instances: &[&Instance], ranks: u32) -> Result<(), Failure> {
    let table = Table::new(
        &format!("Partitions: who owns a state; {ranks} ranks"),
        &[
            ("model", 6),
            ("partition", 22),
            ("cross trans.", 13),
            ("% of all", 9),
            ("states sent", 12),
            ("messages", 9),
            ("MB", 8),
            ("redundant", 11),
            ("seconds", 8),
        ],
    );
    for instance in instances {
        let functions = [
            "full".to_owned(),
            "auto".to_owned(),
            "incremental".to_owned(),
            format!("section={}", instance.section),
            format!("depth={SLICE_LEVELS}"),
            "estimate".to_owned(),
            format!("distance={DISTANCE_RANGE}"),
        ];
        for partition in functions {
            let measured = runs.measure(instance, &Way { partition: partition.clone(), ..Way::usual(ranks) })?;
            table.row(&partition_row(&instance.name, &partition, &measured));
        }
    }
    Ok(())
}

fn partition_row(instance: &str, partition: &str, measured: &Measured) -> [String; 9] {
    [
        instance.to_owned(),
        partition.to_owned(),
        grouped(measured.cross_transitions),
        percent(measured.cross_transitions, measured.transitions),
        grouped(measured.states_sent),
        grouped(measured.messages),
        megabytes(measured.bytes),
        grouped(measured.redundant_states),
        fraction(measured.usage.wall.as_secs_f64(), 2),
    ]
}
