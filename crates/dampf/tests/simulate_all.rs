//! Random runs of every model and program of the repository.
//!
//! A run says nothing about what the model assumes, and ends in a fault only where the input says that `dampf check`
//! finds one of the same kind; other tests hold the inputs to what they say. Every input is run with twenty seeds, but
//! that programs whose runs take seconds have five.

mod running;

use dampf_testkit::expectations::{expectations, sources};
use running::program::{folder, has_compiler, in_parallel};
use running::{Finished, Playground, dampf_in};
use std::path::{Path, PathBuf};

const SEEDS: u64 = 20;
const SEEDS_OF_SLOW: u64 = 5;
/// Templates of a library, hundreds of kilobytes of code.
const SLOW: &[&str] = &["market.cpp", "thread_pool.cc"];
const STEPS: &str = "150";

/// An input, and the kind of fault that a check finds in it.
struct Input {
    path: PathBuf,
    fault: Option<String>,
    seeds: u64,
}

/// Words of which none may be in what a run tells.
const UNWANTED: &[&str] = &["not prepared", "assumed", "assumption", "refuted", "restart", "please report", "error"];

fn complaints(input: &Input) -> Vec<String> {
    let mut complaints = Vec::new();
    for seed in 0..input.seeds {
        let arguments = ["simulate", &input.path.display().to_string(), "--seed", &seed.to_string(), "--steps", STEPS];
        let finished: Finished = dampf_in(&folder("models"), &arguments.map(str::to_owned));
        let told = finished.stdout.lines().find_map(|line| line.strip_prefix("violated: "));
        let is_expected = match (finished.status, told, &input.fault) {
            (0, None, _) => true,
            // Kinds have hyphens where people write blanks.
            (1, Some(told), Some(kind)) => told.replace(' ', "-").starts_with(kind.as_str()),
            _ => false,
        };
        // What the run does is the input's own words; what is around it is ours.
        let ours = finished.stdout.lines().filter(|line| !line.starts_with(' ')).chain(finished.stderr.lines());
        let unwanted = ours.filter(|line| UNWANTED.iter().any(|word| line.contains(word))).collect::<Vec<_>>();
        if !is_expected || !unwanted.is_empty() {
            let end = finished.stdout.lines().rev().take(6).collect::<Vec<_>>();
            complaints.push(format!(
                "{arguments:?}: {}, {told:?}, {unwanted:?}\n{end:?}\n{}",
                finished.status, finished.stderr
            ));
        }
    }
    complaints
}

fn check(inputs: &[Input]) {
    let complaints: Vec<String> = in_parallel(inputs, complaints).into_iter().flatten().collect();
    assert!(complaints.is_empty(), "{}:\n{}", complaints.len(), complaints.join("\n\n"));
}

/// The models of a folder, by their endings.
fn models(name: &str, ending: &str) -> Vec<Input> {
    let entries = std::fs::read_dir(folder("models").join(name)).expect("the folder is there");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == ending));
    paths.sort();
    let input = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).expect("a readable model");
        let fault = text.lines().find_map(|line| line.strip_prefix("//~ VERDICT violated ")).map(str::to_owned);
        Input { path, fault, seeds: SEEDS }
    };
    paths.into_iter().map(input).collect()
}

#[test]
fn random_runs_of_models_end_as_they_may() {
    let folders = [("dve", "dve"), ("dmc", "dmc"), ("promela", "pml"), ("self", "pml")];
    let inputs: Vec<Input> = folders.iter().flat_map(|(name, ending)| models(name, ending)).collect();
    assert!(inputs.len() > 30, "{} models", inputs.len());
    check(&inputs);
}

/// Compiles a program once for all of its runs.
fn compiled(playground: &Playground, sources: &[PathBuf], flags: &[String], name: &str) -> PathBuf {
    let program = playground.path(name);
    let compiler = if sources[0].extension().is_some_and(|extension| extension == "c") { "cc" } else { "c++" };
    let mut arguments = vec![compiler.to_owned(), "-g".to_owned(), "-O1".to_owned(), "-pthread".to_owned()];
    arguments.extend(flags.iter().cloned());
    arguments.extend(sources.iter().map(|source| source.display().to_string()));
    arguments.extend(["-o".to_owned(), program.display().to_string()]);
    let finished = dampf_in(Path::new("/"), &arguments);
    assert_eq!(finished.status, 0, "{arguments:?}: {finished:?}");
    program
}

#[test]
fn random_runs_of_programs_end_as_they_may() {
    if !has_compiler() {
        println!("skipped: there is no cross compiler (scripts/setup installs it)");
        return;
    }
    let playground = Playground::new();
    let cpp = folder("models/cpp").canonicalize().expect("the folder is there");
    let programs = in_parallel(&sources(&cpp), |file| {
        // As it stands: other expectations have definitions of their own.
        let expectation = expectations(&cpp, file).into_iter().next().expect("a program says what to expect of it");
        let path = compiled(&playground, &[cpp.join(file)], &expectation.flags, &file.replace('.', "_"));
        let fault = Some(expectation.kind).filter(|kind| kind != "verified" && kind != "unknown");
        Input { path, fault, seeds: if SLOW.contains(&file.as_str()) { SEEDS_OF_SLOW } else { SEEDS } }
    });
    let project = folder("models/project").canonicalize().expect("the folder is there");
    let parts = ["main.cpp", "mailbox.cpp"].map(|part| project.join(part));
    let path = compiled(&playground, &parts, &["-std=c++17".to_owned()], "project");
    let project = Input { path, fault: None, seeds: SEEDS_OF_SLOW };
    check(&programs.into_iter().chain([project]).collect::<Vec<_>>());
}
