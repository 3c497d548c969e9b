//! `cargo xtask corpus ranks`: whole collections searched on several ranks, against the search without ranks.
//!
//! However a space is shared, it is the same space. So verdict, kinds of faults, states and transitions are compared
//! always; the depth where ranks go level by level; the number of faults where states are explored once, which slices
//! of depth do not keep to. The strategies are tried one at a time, each with the usual choice for the others.

mod instances;

use super::case::Case;
use crate::Failure;
use crate::checker::{Checked, Checker};
use crate::figures::{grouped, time};
use crate::measured;
use crate::workspace::{FileOptions, Workspace};
use clap::Args;
use instances::Size;
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

/// Dampf ends its runs by itself; one that takes this much longer has failed to.
const GRACE: Duration = Duration::from_secs(60);

#[derive(Args, Debug)]
pub struct RanksOptions {
    /// Numbers of ranks
    #[arg(long, value_name = "N,…", value_delimiter = ',', default_value = "2,3,4", value_parser = clap::value_parser!(u32).range(1..))]
    ranks: Vec<u32>,

    /// Threads of each rank
    #[arg(long, value_name = "N", default_value = "1")]
    threads: u32,

    /// Partitions to try; `section` is the first section that a model has, and `+` a comma within one
    #[arg(
        long,
        value_name = "NAME,…",
        value_delimiter = ',',
        default_value = "full,auto,incremental,section,depth=20,estimate,distance=20"
    )]
    partitions: Vec<String>,

    /// Queues to try; `+` is a comma within one
    #[arg(
        long,
        value_name = "NAME,…",
        value_delimiter = ',',
        default_value = "hash,none,store,limit=100,limit=100+extended,limit=100+store"
    )]
    queues: Vec<String>,

    /// Orders to try; `deterministic` is the breadth-first search with --deterministic
    #[arg(
        long,
        value_name = "ORDER,…",
        value_delimiter = ',',
        default_value = "bfs,deterministic,first-come,dfs,best-first"
    )]
    searches: Vec<String>,

    /// Leave out what has fewer states
    #[arg(long, value_name = "N", default_value = "1")]
    min_states: u64,

    /// Leave out what has more states
    #[arg(long, value_name = "N", default_value = "2000000")]
    max_states: u64,

    /// Let mpirun start the ranks as processes; a binary with the feature `mpi` is needed
    #[arg(long)]
    mpi: bool,

    /// Only instances with this in their name, which begins with the collection: `beem/`, `dmc/`, `cpp/` …
    #[arg(long, value_name = "NAME")]
    filter: Option<String>,

    /// A single run that takes longer has failed
    #[arg(long, value_name = "TIME", default_value = "10m")]
    max_time: String,

    #[command(flatten)]
    files: FileOptions,
}

/// How the work is shared.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Way {
    ranks: u32,
    threads: u32,
    partition: String,
    queue: String,
    search: String,
}

/// What came out of all the runs of a case.
#[derive(Default, Debug)]
struct Examined {
    /// The run without ranks.
    reference: Option<Checked>,
    /// Why the case was not examined further.
    left_out: Option<String>,
    runs: Vec<(Way, Checked)>,
    problems: Vec<String>,
    wall: Duration,
}

/// Runs the checker, with ranks where they are.
struct Launcher {
    checker: Checker,
    /// How long mpirun waits for the end; `None` where ranks are threads.
    mpirun: Option<Duration>,
    /// Where the executable of a program is put.
    executable: PathBuf,
}

pub fn run(workspace: &Workspace, options: &RanksOptions) -> Result<(), Failure> {
    let mut cases = instances::all(workspace, Size { min: options.min_states, max: options.max_states })?;
    cases.retain(|(case, _)| options.filter.as_ref().is_none_or(|part| case.name.contains(part)));
    if cases.is_empty() {
        return Err("no instance is left to check; see --filter, --min-states and --max-states".to_owned());
    }
    let max_time = time(&options.max_time)?;
    let binary = match options.mpi && options.files.dampf.is_none() {
        true => binary_with_mpi(workspace)?,
        false => workspace.release_binary(options.files.dampf.as_deref())?,
    };
    let launcher = Launcher {
        checker: Checker { binary, max_time: options.max_time.clone(), hard_limit: Some(max_time + 2 * GRACE) },
        mpirun: options.mpi.then_some(max_time + GRACE),
        executable: workspace.target_directory()?.join(format!("corpus-program-{}", std::process::id())),
    };
    let width = cases.iter().map(|(case, _)| case.name.len()).max().unwrap_or(0);
    let mut examined = Vec::new();
    for (number, (case, size)) in cases.iter().enumerate() {
        let result = examine(&launcher, case, *size, options);
        print!("[{:>3}/{}] {}", number + 1, cases.len(), result.lines(&case.name, width));
        examined.push((case, result));
        // All runs together take long, and one that is broken off should not be in vain.
        options.files.write(|| {
            let instances: Vec<Value> = examined.iter().map(|(case, result)| result.json(&case.name)).collect();
            json!({ "instances": instances })
        })?;
    }
    // There is none where no program was among the cases.
    let _ = std::fs::remove_file(&launcher.executable);
    conclude(&examined)
}

fn binary_with_mpi(workspace: &Workspace) -> Result<PathBuf, Failure> {
    let build = ["build", "--release", "--package", "dampf", "--features", "mpi"];
    let status = workspace.cargo().args(build).status().map_err(|error| format!("cannot run cargo build: {error}"))?;
    if !status.success() {
        return Err(format!("dampf does not build; repeat with: cargo {}", build.join(" ")));
    }
    Ok(workspace.target_directory()?.join("release").join("dampf"))
}

impl RanksOptions {
    /// Every strategy once for every number of ranks.
    fn ways(&self) -> Vec<Way> {
        let mut ways = Vec::new();
        for &ranks in &self.ranks {
            let with = |partition: &str, queue: &str, search: &str| Way {
                ranks,
                threads: self.threads,
                partition: partition.replace('+', ","),
                queue: queue.replace('+', ","),
                search: search.to_owned(),
            };
            let partitions = self.partitions.iter().map(|partition| with(partition, "hash", "bfs"));
            let queues = self.queues.iter().map(|queue| with("full", queue, "bfs"));
            let searches = self.searches.iter().map(|search| with("full", "hash", search));
            for way in partitions.chain(queues).chain(searches) {
                if !ways.contains(&way) {
                    ways.push(way);
                }
            }
        }
        ways
    }
}

impl Way {
    fn arguments(&self) -> Vec<String> {
        let search: &[&str] = match self.search.as_str() {
            "deterministic" => &["--deterministic"],
            search => &["--search", search],
        };
        let threads = self.threads.to_string();
        let threads: &[&str] = if self.threads > 1 { &["--threads", &threads] } else { &[] };
        let arguments = [threads, &["--partition", &self.partition, "--queue", &self.queue], search].concat();
        arguments.into_iter().map(str::to_owned).collect()
    }

    fn label(&self) -> String {
        format!("{} ranks, {}", self.ranks, self.arguments().join(" "))
    }

    /// How a run differs from the one without ranks.
    fn differences(&self, checked: &Checked, reference: &Checked) -> Vec<String> {
        let explores_once = !self.partition.starts_with("depth=");
        let by_levels = explores_once && ["bfs", "deterministic"].contains(&self.search.as_str());
        let (found, expected) = (&checked.counts, &reference.counts);
        let mut differences = Vec::new();
        if (&checked.verdict, &checked.faults) != (&reference.verdict, &reference.faults) {
            let answer = |checked: &Checked| match checked.reason.as_str() {
                "" => format!("{} {:?}", checked.verdict, checked.faults),
                reason => format!("{} ({reason})", checked.verdict),
            };
            differences.push(format!("{}, expected {}", answer(checked), answer(reference)));
        }
        for (what, found, expected, is_exact) in [
            ("states", found.states, expected.states, true),
            ("transitions", found.transitions, expected.transitions, true),
            ("waiting", checked.frontier, 0, true),
            ("faults", found.faults, expected.faults, explores_once),
            ("deep", found.depth, expected.depth, by_levels),
        ] {
            if is_exact && found != expected {
                differences.push(format!("{found} {what}, expected {expected}"));
            }
        }
        differences
    }
}

impl Launcher {
    fn command(&self, case: &Case, way: Option<&Way>) -> Command {
        let binary = &self.checker.binary;
        let mut command = Command::new(binary);
        match (way, self.mpirun) {
            (Some(way), Some(limit)) => {
                command = Command::new("mpirun");
                // Processes that are left when one ends with a verdict have nothing to do any more, and need no second
                // to notice.
                command.args(["--quiet", "--mca", "odls_base_sigkill_timeout", "0", "--bind-to", "none"]);
                command.args(["--allow-run-as-root", "--oversubscribe", "--timeout", &limit.as_secs().to_string()]);
                command.args(["-n", &way.ranks.to_string()]).arg(binary).arg("check").arg(&case.model);
            }
            (Some(way), None) => {
                command.arg("check").arg(&case.model).args(["--ranks", &way.ranks.to_string()]);
            }
            (None, _) => {
                command.arg("check").arg(&case.model);
            }
        }
        command.args(["--keep-going", "--progress", "never", "--json", "-", "--max-time", &self.checker.max_time]);
        command.args(&case.arguments).args(way.map(Way::arguments).unwrap_or_default());
        command
    }

    /// A case that every process of every run can begin with at once: programs are compiled here, once for all of them.
    fn prepared(&self, case: &Case) -> Result<Case, Failure> {
        let compiler = match case.model.extension().and_then(|extension| extension.to_str()) {
            Some("c") => "cc",
            Some("cc" | "cpp") => "c++",
            _ => return Ok(case.clone()),
        };
        let flags = case.arguments.iter().filter_map(|argument| argument.strip_prefix("--cflags="));
        let mut command = Command::new(&self.checker.binary);
        command.arg(compiler).args(flags.flat_map(str::split_whitespace)).arg(&case.model);
        let compiled = measured::run_within(command.arg("-o").arg(&self.executable), self.checker.hard_limit)
            .map_err(|error| format!("cannot run `{}`: {error}", self.checker.binary.display()))?;
        if !compiled.status.success() {
            return Err(format!("does not compile: {}", compiled.complaint()));
        }
        Ok(Case { model: self.executable.clone(), arguments: Vec::new(), ..case.clone() })
    }

    /// The first section that the states of a model have. Who asks for one that is not there is told them all.
    fn section(&self, case: &Case) -> Result<String, Failure> {
        let mut command = Command::new(&self.checker.binary);
        command.arg("check").arg(&case.model).args(&case.arguments).args(["--ranks", "1", "--partition", "section=?"]);
        let refused = measured::run_within(&mut command, self.checker.hard_limit)
            .map_err(|error| format!("cannot run `{}`: {error}", self.checker.binary.display()))?;
        first_section(&refused.stderr).ok_or_else(|| format!("no sections are named: {}", refused.complaint()))
    }
}

fn first_section(refusal: &str) -> Option<String> {
    let (_, known) = refusal.split_once("there are: ")?;
    Some(known.split([',', '\n']).next()?.to_owned())
}

fn examine(launcher: &Launcher, case: &Case, size: Size, options: &RanksOptions) -> Examined {
    let start = Instant::now();
    let mut examined = Examined::default();
    let compared =
        launcher.prepared(case).and_then(|prepared| compare(launcher, &prepared, size, options, &mut examined));
    examined.problems.extend(compared.err());
    examined.wall = start.elapsed();
    examined
}

fn compare(
    launcher: &Launcher,
    case: &Case,
    size: Size,
    options: &RanksOptions,
    examined: &mut Examined,
) -> Result<(), Failure> {
    let one_process = |problem: String| format!("one process: {problem}");
    // A limit that is one higher than needed tells a space that is too large from one that just fits.
    let limit = ["--max-states".to_owned(), (size.max + 1).to_string()];
    let reference = launcher.checker.summary(launcher.command(case, None).args(limit)).map_err(one_process)?;
    if reference.counts.states > size.max || reference.counts.states < size.min {
        examined.left_out = Some(match reference.counts.states > size.max {
            true => format!("more than {} states", grouped(size.max)),
            false => format!("only {} states", grouped(reference.counts.states)),
        });
        return Ok(());
    }
    if reference.verdict == "unknown" || reference.frontier > 0 {
        return Err(one_process(format!("not everything was explored {}", reference.reason)));
    }
    let reference = &*examined.reference.insert(reference);
    examined.problems.extend(case.expected.differences(reference, None).into_iter().map(one_process));
    let mut section = None;
    for mut way in options.ways() {
        if way.partition == "section" {
            let name = match section.take() {
                Some(name) => name,
                None => launcher.section(case)?,
            };
            way.partition = format!("section={name}");
            section = Some(name);
        }
        let problem = |problem| format!("{}: {problem}", way.label());
        match launcher.checker.summary(&mut launcher.command(case, Some(&way))) {
            Ok(checked) => {
                examined.problems.extend(way.differences(&checked, reference).into_iter().map(problem));
                examined.runs.push((way, checked));
            }
            Err(failure) => examined.problems.push(problem(failure)),
        }
    }
    Ok(())
}

impl Examined {
    /// One line, and one more for each problem.
    fn lines(&self, name: &str, width: usize) -> String {
        let word = match (self.problems.is_empty(), &self.left_out) {
            (false, _) => "FAIL",
            (true, Some(_)) => "-",
            (true, None) => "ok",
        };
        let mut text = format!("{word:4} {name:<width$}");
        if let Some(Checked { verdict, counts, .. }) = &self.reference {
            let (states, transitions) = (grouped(counts.states), grouped(counts.transitions));
            let _ = write!(text, " {verdict} {states:>9} states {transitions:>10} transitions");
        }
        let _ = match &self.left_out {
            Some(why) => writeln!(text, " left out: {why}"),
            None => writeln!(text, " {:>3} runs {:>7.1} s", self.runs.len(), self.wall.as_secs_f64()),
        };
        for problem in &self.problems {
            let _ = writeln!(text, "          {}", problem.replace('\n', "\n          "));
        }
        text
    }

    fn json(&self, name: &str) -> Value {
        let figures = |checked: &Checked| {
            json!({
                "verdict": checked.verdict, "faults": checked.faults, "states": checked.counts.states,
                "transitions": checked.counts.transitions, "depth": checked.counts.depth,
                "wall_seconds": checked.usage.wall.as_secs_f64(),
            })
        };
        let run = |(way, checked): &(Way, Checked)| {
            json!({
                "ranks": way.ranks, "partition": way.partition, "queue": way.queue, "search": way.search,
                "result": figures(checked),
            })
        };
        json!({
            "instance": name, "left_out": self.left_out, "problems": self.problems,
            "reference": self.reference.as_ref().map(figures), "runs": self.runs.iter().map(run).collect::<Vec<_>>(),
        })
    }
}

/// Counts, and fails with all differences.
fn conclude(examined: &[(&Case, Examined)]) -> Result<(), Failure> {
    let runs: usize = examined.iter().map(|(_, result)| result.runs.len()).sum();
    let mut differences = String::new();
    for (case, result) in examined {
        result.problems.iter().for_each(|problem| differences.push_str(&format!("\n{}: {problem}", case.name)));
    }
    if !differences.is_empty() {
        return Err(format!("{runs} runs; not as they should be:{differences}"));
    }
    if runs == 0 {
        return Err("nothing was compared: all instances were left out".to_owned());
    }
    println!("{runs} runs, all as they should be");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checker::Counts;
    use crate::measured::Usage;
    use clap::{FromArgMatches, Parser};
    use std::path::Path;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        options: RanksOptions,
    }

    fn options(arguments: &[&str]) -> RanksOptions {
        let matches = <Line as clap::CommandFactory>::command().get_matches_from([&["ranks"], arguments].concat());
        Line::from_arg_matches(&matches).expect("good arguments").options
    }

    fn way(partition: &str, search: &str) -> Way {
        Way {
            ranks: 2,
            threads: 1,
            partition: partition.to_owned(),
            queue: "hash".to_owned(),
            search: search.to_owned(),
        }
    }

    fn checked(counts: Counts) -> Checked {
        Checked {
            verdict: "violated".to_owned(),
            reason: String::new(),
            faults: vec!["deadlock".to_owned()],
            steps: None,
            counts,
            frontier: 0,
            store_bytes: 0,
            reduction: "none".to_owned(),
            rounds: 1,
            usage: Usage { wall: Duration::ZERO, cpu: Duration::ZERO, peak_rss_bytes: 0 },
        }
    }

    const COUNTS: Counts = Counts { states: 10, transitions: 20, depth: 4, faults: 2 };

    #[test]
    fn every_strategy_is_tried_once_and_alone() {
        let ways = options(&[]).ways();
        assert_eq!(ways.len(), 3 * (7 + 5 + 4));
        let unusual = |way: &Way| {
            [way.partition != "full", way.queue != "hash", way.search != "bfs"].iter().filter(|one| **one).count()
        };
        assert!(ways.iter().all(|way| unusual(way) <= 1));
        let few = options(&["--ranks", "5", "--partitions", "section=a+b", "--queues", "hash", "--searches", "dfs"]);
        let labels: Vec<String> = few.ways().iter().map(Way::label).collect();
        assert_eq!(
            labels,
            [
                "5 ranks, --partition section=a,b --queue hash --search bfs",
                "5 ranks, --partition full --queue hash --search bfs",
                "5 ranks, --partition full --queue hash --search dfs",
            ]
        );
        assert!(way("full", "deterministic").arguments().ends_with(&["--deterministic".to_owned()]));
    }

    #[test]
    fn what_a_strategy_keeps_is_compared() {
        let reference = checked(COUNTS);
        let differ = |way: &Way, counts: Counts| way.differences(&checked(counts), &reference);
        assert!(differ(&way("full", "bfs"), COUNTS).is_empty());
        let deeper = Counts { depth: 5, ..COUNTS };
        assert_eq!(differ(&way("full", "bfs"), deeper), ["5 deep, expected 4"]);
        assert!(differ(&way("full", "dfs"), deeper).is_empty() && differ(&way("depth=3", "bfs"), deeper).is_empty());
        let again = Counts { faults: 3, ..COUNTS };
        assert_eq!(differ(&way("full", "dfs"), again), ["3 faults, expected 2"]);
        assert!(differ(&way("depth=3", "bfs"), again).is_empty());
        let fewer = Counts { states: 9, ..COUNTS };
        assert_eq!(differ(&way("depth=3", "bfs"), fewer), ["9 states, expected 10"]);
    }

    #[test]
    fn answers_are_compared() {
        let unknown = Checked { verdict: "unknown".to_owned(), reason: "time".to_owned(), ..checked(COUNTS) };
        let found = way("full", "bfs").differences(&unknown, &checked(COUNTS));
        assert_eq!(found, ["unknown (time), expected violated [\"deadlock\"]"]);
        let other = Checked { faults: vec!["goal".to_owned()], ..checked(COUNTS) };
        assert_eq!(way("full", "bfs").differences(&other, &checked(COUNTS)).len(), 1);
        let stopped = Checked { frontier: 3, ..checked(COUNTS) };
        assert_eq!(way("full", "bfs").differences(&stopped, &checked(COUNTS)), ["3 waiting, expected 0"]);
    }

    #[test]
    fn ranks_are_threads_or_processes() {
        let case = instances::program(Path::new("/c"), "a.c", "-DN=2");
        let checker = || Checker { binary: PathBuf::from("/dampf"), max_time: "5m".to_owned(), hard_limit: None };
        let line = |mpirun, way: Option<&Way>| {
            let command = Launcher { checker: checker(), mpirun, executable: PathBuf::new() }.command(&case, way);
            let words: Vec<_> = command.get_args().map(|word| word.to_string_lossy()).collect();
            format!("{} {}", command.get_program().display(), words.join(" "))
        };
        let usual = way("full", "bfs");
        assert!(!line(None, None).contains("--ranks"));
        assert!(line(None, Some(&usual)).starts_with("/dampf check /c/a.c --ranks 2 "));
        let started = line(Some(GRACE), Some(&usual));
        assert!(started.starts_with("mpirun ") && started.contains(" -n 2 /dampf check /c/a.c --keep-going "));
        assert!(!started.contains("--ranks") && started.contains("--timeout 60 "), "{started}");
        assert!(line(Some(GRACE), None).starts_with("/dampf check "));
    }

    #[test]
    fn sections_are_read_from_a_refusal() {
        let refusal = "error: --partition: states have no section `?`\n  help: there are: thread 0, c\n";
        assert_eq!(first_section(refusal).as_deref(), Some("thread 0"));
        assert_eq!(first_section("  help: there are: c\n").as_deref(), Some("c"));
        assert_eq!(first_section("error: no such file"), None);
    }

    #[test]
    fn a_difference_fails_the_whole() {
        let case = instances::program(Path::new("c"), "b.c", "");
        let bad = Examined { problems: vec!["9 states, expected 10".to_owned()], ..Examined::default() };
        assert!(bad.lines("b.c", 3).starts_with("FAIL b.c"));
        let failure = conclude(&[(&case, Examined::default()), (&case, bad)]).expect_err("a difference");
        assert!(failure.ends_with("not as they should be:\nb.c: 9 states, expected 10"), "{failure}");
        let good = Examined { runs: vec![(way("full", "bfs"), checked(COUNTS))], ..Examined::default() };
        assert_eq!(conclude(&[(&case, Examined::default()), (&case, good)]), Ok(()));
        assert!(conclude(&[(&case, Examined::default())]).is_err());
        let left_out = Examined { left_out: Some("only 5 states".to_owned()), ..Examined::default() };
        assert_eq!(left_out.lines("b.c", 3), "-    b.c left out: only 5 states\n");
    }
}
