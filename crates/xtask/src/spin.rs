//! SPIN as oracle and as peer: a model becomes a C program that searches it.
//!
//! The verifier is generated and compiled so that it does the work that Dampf does: no partial-order reduction, no
//! merging of statements and no removal of dead variables (`-o1 -o2 -o3`), no stop at errors, no claims. Its stored
//! states are then the reachable states of the model, states within atomic sequences left out.

pub mod compare;
pub mod oracle;
pub mod report;

use crate::Failure;
use crate::measured::{self, Finished, Usage};
use report::Report;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// How a verifier is generated.
const GENERATOR_OPTIONS: &[&str] = &["-o1", "-o2", "-o3"];

/// What every verifier is compiled with.
const VERIFIER_OPTIONS: &[&str] = &["-w", "-DSAFETY", "-DNOREDUCE", "-DNOCLAIM"];

/// Generation and compilation take seconds, unless something is wrong.
const BUILD_TIME_MAX: Duration = Duration::from_secs(120);

/// A C compiler, and how it is called.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Compiler {
    /// Fast verifiers, for searches that are measured or long.
    Optimising,
    /// Slow verifiers, soon.
    Plain,
    /// Slow verifiers at once: `tcc`.
    Tiny,
}

impl Compiler {
    /// The quickest that is installed.
    pub fn quickest() -> Compiler {
        if runs("tcc", "-v") { Compiler::Tiny } else { Compiler::Plain }
    }

    /// The command line without options of the verifier.
    pub fn command_line(self) -> &'static [&'static str] {
        match self {
            Compiler::Optimising => &["gcc", "-O2"],
            Compiler::Plain => &["gcc", "-O0"],
            Compiler::Tiny => &["tcc"],
        }
    }
}

/// How a verifier is made.
#[derive(Clone, Debug)]
pub struct Recipe {
    pub compiler: Compiler,
    /// Macros of the model: `N=4`.
    pub definitions: Vec<String>,
    /// The verifier gives up beyond this.
    pub memory_megabytes: u32,
    /// The largest state, where the usual one (1024) is too small.
    pub vector_bytes: Option<u32>,
    /// Whether states are kept compressed, which is slower and counts the same.
    pub collapse: bool,
}

/// How a verifier searches.
#[derive(Clone, Copy, Debug)]
pub struct Extent {
    /// The longest path that is followed.
    pub depth: u64,
    /// The hash table has two to the power of this many slots.
    pub table_bits: u32,
    pub time: Option<Duration>,
}

impl Extent {
    /// Large enough for every model that fits the memory of one machine.
    pub const LARGE: Extent = Extent { depth: 10_000_000, table_bits: 24, time: None };

    /// As much as a search took that is to be repeated, so that its cost is that of the search.
    pub fn fitting(report: &Report) -> Extent {
        // A table twice as large as the states that it holds has short chains.
        let table_bits = (report.states * 2).next_power_of_two().ilog2().clamp(18, 30);
        Extent { depth: report.depth + 1_000, table_bits, time: None }
    }
}

/// A model made into a verifier.
pub struct Verifier {
    folder: PathBuf,
    /// What SPIN used.
    pub generation: Usage,
    /// What the compiler used.
    pub compilation: Usage,
}

/// A search that ended by itself.
#[derive(Clone, Debug)]
pub struct Searched {
    pub report: Report,
    pub usage: Usage,
}

/// Whether SPIN and a C compiler are there.
pub fn is_installed() -> bool {
    runs("spin", "-V") && runs("gcc", "--version")
}

/// The version that answers depend on; empty where there is no SPIN.
pub fn version() -> String {
    let printed = measured::run(Command::new("spin").arg("-V")).map(|finished| finished.stdout);
    printed.unwrap_or_default().trim().to_owned()
}

/// Whether a program can be started, whatever it says.
fn runs(program: &str, option: &str) -> bool {
    measured::run(Command::new(program).arg(option)).is_ok()
}

impl Verifier {
    /// Makes the verifier of a model in a folder, which is created.
    pub fn build(model: &Path, folder: &Path, recipe: &Recipe) -> Result<Verifier, Failure> {
        std::fs::create_dir_all(folder).map_err(|error| format!("cannot create `{}`: {error}", folder.display()))?;
        let mut spin = Command::new("spin");
        spin.args(GENERATOR_OPTIONS).args(recipe.definitions.iter().map(|definition| format!("-D{definition}")));
        let generated = finished(spin.arg("-a").arg(model), folder)?;
        let [program, options @ ..] = recipe.compiler.command_line() else { return Err("no compiler".to_owned()) };
        let mut compiler = Command::new(program);
        compiler.args(options).args(VERIFIER_OPTIONS).arg(format!("-DMEMLIM={}", recipe.memory_megabytes));
        compiler.args(recipe.vector_bytes.map(|bytes| format!("-DVECTORSZ={bytes}")));
        compiler.args(recipe.collapse.then_some("-DCOLLAPSE"));
        let compiled = finished(compiler.args(["-o", "pan", "pan.c"]), folder)?;
        Ok(Verifier { folder: folder.to_owned(), generation: generated.usage, compilation: compiled.usage })
    }

    /// Runs the verifier to the end, past all errors.
    pub fn run(&self, extent: &Extent) -> Result<Finished, Failure> {
        let mut pan = Command::new(self.folder.join("pan"));
        pan.args([format!("-m{}", extent.depth), format!("-w{}", extent.table_bits)]).args(["-n", "-c0"]);
        let run = measured::run_within(pan.current_dir(&self.folder), extent.time);
        run.map_err(|error| format!("cannot run pan: {error}"))
    }

    /// Runs the verifier and reads what it says. A search that was cut short has a report too, which says so.
    pub fn search(&self, extent: &Extent) -> Result<Searched, Failure> {
        let run = self.run(extent)?;
        if run.out_of_time {
            return Err(format!("out of time after {:.0} s", run.usage.wall.as_secs_f64()));
        }
        if !run.status.success() {
            return Err(format!("pan failed ({}): {}", run.status, run.complaint()));
        }
        Ok(Searched { report: Report::read(&run.stdout)?, usage: run.usage })
    }

    /// As [`search`](Self::search), but a search that left something out is none.
    pub fn search_all(&self, extent: &Extent) -> Result<Searched, Failure> {
        let searched = self.search(extent)?;
        match &searched.report.cut {
            Some(reason) => Err(format!("SPIN did not search the whole space: {reason}")),
            None => Ok(searched),
        }
    }
}

fn finished(command: &mut Command, folder: &Path) -> Result<Finished, Failure> {
    let program = command.get_program().to_string_lossy().into_owned();
    let run = measured::run_within(command.current_dir(folder), Some(BUILD_TIME_MAX));
    let run = run.map_err(|error| format!("cannot run {program}: {error}"))?;
    if !run.status.success() {
        return Err(format!("{program} refuses it ({}): {}", run.status, refusal(&run.stdout, &run.stderr)));
    }
    Ok(run)
}

/// The first line that speaks of an error, or what was said last.
fn refusal(stdout: &str, stderr: &str) -> String {
    let lines = || stdout.lines().chain(stderr.lines()).filter(|line| !line.trim().is_empty());
    let speaks = |line: &&str| ["error", "expected"].iter().any(|word| line.to_ascii_lowercase().contains(word));
    let error = lines().find(speaks);
    error.or_else(|| lines().next_back()).unwrap_or("no reason given").trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_is_repeated_in_as_much_room_as_it_took() {
        let report = Report { states: 1_745_408, depth: 77, ..Report::default() };
        let extent = Extent::fitting(&report);
        assert_eq!((extent.depth, extent.table_bits), (1_077, 22));
        assert_eq!(Extent::fitting(&Report::default()).table_bits, 18);
    }

    #[test]
    fn a_refusal_is_the_line_with_the_error() {
        let stdout = "spin: Warning, odd\nspin: a.pml:3, Error: syntax error\tsaw 'x'\nchild died\n";
        assert_eq!(refusal(stdout, ""), "spin: a.pml:3, Error: syntax error\tsaw 'x'");
        assert_eq!(refusal("", "something\n"), "something");
        assert_eq!(refusal("", ""), "no reason given");
    }

    #[test]
    fn a_model_is_searched_past_its_errors() {
        if !is_installed() {
            println!("skipped: SPIN is not installed");
            return;
        }
        let folder = std::env::temp_dir().join(format!("dampf-spin-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let model = folder.join("counter.pml");
        let text = "byte x;\nactive proctype P() { do :: x < LIMIT -> x++ :: assert(x != 2); x == LIMIT -> break od; x == 9 }\n";
        std::fs::write(&model, text).expect("a model");
        let recipe = Recipe {
            compiler: Compiler::quickest(),
            definitions: vec!["LIMIT=3".to_owned()],
            memory_megabytes: 100,
            vector_bytes: None,
            collapse: false,
        };
        let verifier = Verifier::build(&model, &folder, &recipe).expect("a good model");
        let extent = Extent { depth: 1_000, table_bits: 18, time: Some(Duration::from_secs(60)) };
        let report = verifier.search_all(&extent).expect("a small model").report;
        std::fs::remove_dir_all(&folder).expect("the folder is ours");
        assert_eq!(report.faults(), ["assertion", "deadlock"]);
        assert!(report.states > 4 && report.states + report.matched == report.transitions, "{report:?}");
    }
}
