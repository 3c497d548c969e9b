//! Models in Promela, with what SPIN says of them.
//!
//! SPIN's answers are kept under the target directory, so that only the first run waits for it.

use crate::Failure;
use crate::checker::{Checked, Checker, Setting};
use crate::figures::{grouped, time};
use crate::spin;
use crate::spin::compare::{Comparison, compare};
use crate::spin::oracle::{Oracle, Outcome};
use crate::workspace::{FileOptions, Workspace};
use clap::Args;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Where Debian's package has its example models.
pub const EXAMPLES: &str = "/usr/share/doc/spin/examples";

/// The sizes of models that have one to choose.
const DEFINITIONS: &[(&str, &str)] = &[("peterson.pml", "N=4"), ("phils.pml", "N=10"), ("slide.pml", "W=3")];

/// Models of which Dampf and SPIN are known to speak differently, and why.
const EXCEPTIONS: &[(&str, &str)] = &[];

/// Models that SPIN refuses for a name or a claim, which has nothing to do with their states. It is asked about a copy.
const REPHRASED: &[Rephrasing] = &[
    // A label has the name of a variable.
    Rephrasing { model: "production_cell.", replacements: &[("goto done", "goto over"), ("done:", "over:")] },
    // Debian's SPIN is built without the next operator. No claim is compared, so they are commented out.
    Rephrasing { model: "spin/LTL/patterns.pml", replacements: &[("ltl ", "// ")] },
];

/// Dampf ends its runs by itself; one that takes this much longer has failed to.
const GRACE: Duration = Duration::from_secs(60);

#[derive(Args, Debug)]
pub struct PromelaOptions {
    /// Only models with this in their name
    #[arg(long, value_name = "NAME")]
    filter: Option<String>,

    /// A search by either that takes longer is no answer
    #[arg(long, value_name = "TIME", default_value = "10m")]
    max_time: String,

    /// How many threads Dampf searches with
    #[arg(long, value_name = "N", default_value = "1")]
    threads: usize,

    /// The store that Dampf keeps the states in
    #[arg(long, value_name = "KIND", default_value = "tree")]
    store: String,

    /// Let Dampf interpret the models instead of compiling them
    #[arg(long)]
    interpreter: bool,

    #[command(flatten)]
    files: FileOptions,
}

/// A model, in one size.
#[derive(Debug)]
struct Case {
    name: String,
    model: PathBuf,
    definitions: Vec<String>,
}

/// What SPIN reads instead of a model as it stands.
struct Rephrasing {
    /// How the names of the models begin.
    model: &'static str,
    replacements: &'static [(&'static str, &'static str)],
}

/// What both say of a case.
struct Answered {
    outcome: Outcome,
    checked: Result<Checked, Failure>,
    comparison: Comparison,
    /// Why they are known to differ.
    exception: Option<&'static str>,
}

pub fn run(workspace: &Workspace, options: &PromelaOptions) -> Result<(), Failure> {
    if !spin::is_installed() {
        println!("skipped: SPIN is not installed, and nobody else knows the answers: scripts/setup --oracles");
        return Ok(());
    }
    let max_time = time(&options.max_time)?;
    let mut cases = cases(workspace)?;
    cases.retain(|case| options.filter.as_ref().is_none_or(|part| case.name.contains(part)));
    if cases.is_empty() {
        return Err("no model is left to check; see --filter".to_owned());
    }
    let checker = Checker {
        binary: workspace.release_binary(options.files.dampf.as_deref())?,
        max_time: options.max_time.clone(),
        hard_limit: Some(max_time + GRACE),
    };
    let target = workspace.target_directory()?.join("spin");
    let rephrased = target.join("rephrased");
    let oracle =
        Oracle { scratch: target.join("scratch"), answers: target.join("answers"), version: spin::version(), max_time };
    let width = cases.iter().map(|case| case.name.len()).max().unwrap_or(0);
    println!(
        "{:<9} {:<width$} {:>12} {:>12} {:>9} {:>9}",
        "", "model", "SPIN states", "dampf states", "SPIN s", "dampf s"
    );
    let mut answered = Vec::new();
    for case in &cases {
        let answer = case.answer(&oracle, &rephrased, &checker, &options.setting())?;
        print!("{}", answer.lines(&case.name, width));
        answered.push((case, answer));
    }
    options.files.write(|| {
        let models: Vec<Value> = answered.iter().map(|(case, answer)| answer.json(case)).collect();
        json!({ "spin": oracle.version, "models": models })
    })?;
    conclude(&answered)
}

impl PromelaOptions {
    fn setting(&self) -> Setting {
        let backend = if self.interpreter { "interpreter" } else { "native" };
        Setting { backend, ..Setting::native(&self.store, self.threads) }
    }
}

/// The models beside the workspace and those of SPIN's package, by name.
fn cases(workspace: &Workspace) -> Result<Vec<Case>, Failure> {
    let mut cases = Vec::new();
    if let Some(folder) = workspace.corpus("promela") {
        collect(&folder, &folder, "", &mut cases)?;
    }
    let examples = Path::new(EXAMPLES);
    if examples.is_dir() {
        collect(examples, examples, "spin/", &mut cases)?;
    } else {
        println!("skipped: there are no examples in {EXAMPLES}");
    }
    cases.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(cases)
}

/// The first instance of every model of a folder, without claims: to be compared with other searches than SPIN's.
pub(super) fn smallest(folder: &Path) -> Result<Vec<super::Case>, Failure> {
    let mut cases = all(folder, "")?;
    cases.retain(|case| case.name.ends_with(".1.pm") || case.name.contains(".pml"));
    Ok(cases)
}

/// Every model of a folder, without claims: to be compared with other searches than SPIN's.
pub(super) fn all(folder: &Path, prefix: &str) -> Result<Vec<super::Case>, Failure> {
    let mut cases = Vec::new();
    collect(folder, folder, "", &mut cases)?;
    cases.sort_by(|one, other| one.name.cmp(&other.name));
    let plain = |case: Case| super::Case {
        arguments: case.arguments(),
        name: format!("{prefix}{}", case.name),
        model: case.model,
        expected: super::case::Expected::default(),
    };
    Ok(cases.into_iter().map(plain).collect())
}

/// The models of a folder and of the folders in it.
fn collect(root: &Path, folder: &Path, prefix: &str, cases: &mut Vec<Case>) -> Result<(), Failure> {
    let unreadable = |error| format!("cannot read the folder `{}`: {error}", folder.display());
    for entry in std::fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if path.is_dir() {
            collect(root, &path, prefix, cases)?;
        } else if path
            .extension()
            .is_some_and(|extension| ["pml", "pm", "promela"].iter().any(|known| extension == *known))
        {
            let relative = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().into_owned();
            cases.push(Case::new(format!("{prefix}{}", relative.trim_start_matches("Examples/")), path));
        }
    }
    Ok(())
}

impl Case {
    fn new(name: String, model: PathBuf) -> Case {
        let rows = DEFINITIONS.iter().filter(|(row, _)| *row == name);
        let definitions: Vec<String> = rows.map(|(_, definition)| (*definition).to_owned()).collect();
        let name = [&[name], definitions.as_slice()].concat().join(" ");
        Case { name, model, definitions }
    }

    fn arguments(&self) -> Vec<String> {
        let definitions = self.definitions.iter().flat_map(|one| ["-D".to_owned(), one.clone()]);
        ["--no-claims".to_owned()].into_iter().chain(definitions).collect()
    }

    /// The file that SPIN reads: the model, or a copy in a folder.
    fn question(&self, rephrased: &Path) -> Result<PathBuf, Failure> {
        let Some(rephrasing) = REPHRASED.iter().find(|row| self.name.starts_with(row.model)) else {
            return Ok(self.model.clone());
        };
        let unreadable = |error| format!("cannot read `{}`: {error}", self.model.display());
        let text = std::fs::read_to_string(&self.model).map_err(unreadable)?;
        let text = rephrasing.replacements.iter().fold(text, |text, (from, to)| text.replace(from, to));
        let copy = rephrased.join(self.model.file_name().unwrap_or_default());
        std::fs::create_dir_all(rephrased)
            .and_then(|()| std::fs::write(&copy, text))
            .map_err(|error| format!("cannot write `{}`: {error}", copy.display()))?;
        Ok(copy)
    }

    fn answer(
        &self,
        oracle: &Oracle,
        rephrased: &Path,
        checker: &Checker,
        setting: &Setting,
    ) -> Result<Answered, Failure> {
        let outcome = oracle.ask(&self.question(rephrased)?, &self.definitions)?;
        let checked = match outcome.says_something() {
            true => checker.check(&self.model, setting, &self.arguments()),
            false => Err("not asked, as there is nothing to compare with".to_owned()),
        };
        let comparison = compare(&outcome, &checked);
        let exception = EXCEPTIONS.iter().find(|(name, _)| *name == self.name).map(|(_, cause)| *cause);
        Ok(Answered { outcome, checked, comparison, exception })
    }
}

impl Answered {
    fn word(&self) -> &'static str {
        match (&self.comparison, self.exception) {
            (Comparison::Agrees, _) => "ok",
            (Comparison::SpinSilent(_), _) => "no oracle",
            (_, Some(_)) => "known",
            (Comparison::Differs(_), _) => "DIFFERS",
            (Comparison::DampfSilent(_), _) => "NO ANSWER",
        }
    }

    /// One line, and one more for each thing to say.
    fn lines(&self, name: &str, width: usize) -> String {
        let count = |states: Option<u64>| states.map_or_else(|| "-".to_owned(), grouped);
        let seconds = |seconds: Option<f64>| seconds.map_or_else(|| "-".to_owned(), |seconds| format!("{seconds:.2}"));
        let answer = self.checked.as_ref().ok().filter(|checked| checked.verdict != "unknown" && checked.frontier == 0);
        let mut text = format!(
            "{:<9} {name:<width$} {:>12} {:>12} {:>9} {:>9}\n",
            self.word(),
            count(self.outcome.whole().ok().map(|report| report.states)),
            count(answer.map(|checked| checked.counts.states)),
            seconds(self.outcome.search_seconds()),
            seconds(answer.map(|checked| checked.usage.wall.as_secs_f64())),
        );
        let remarks = match &self.comparison {
            Comparison::Agrees => Vec::new(),
            Comparison::Differs(differences) => differences.clone(),
            Comparison::SpinSilent(reason) => vec![format!("SPIN: {reason}")],
            Comparison::DampfSilent(reason) => vec![format!("dampf: {reason}")],
        };
        for remark in remarks.iter().map(String::as_str).chain(self.exception) {
            text.push_str(&format!("          {}\n", remark.replace('\n', "\n          ")));
        }
        text
    }

    fn json(&self, case: &Case) -> Value {
        let dampf = match &self.checked {
            Ok(checked) => json!({
                "verdict": checked.verdict, "reason": checked.reason, "faults": checked.faults,
                "states": checked.counts.states, "transitions": checked.counts.transitions,
                "wall_seconds": checked.usage.wall.as_secs_f64(), "cpu_seconds": checked.usage.cpu.as_secs_f64(),
                "peak_rss_bytes": checked.usage.peak_rss_bytes, "store_bytes": checked.store_bytes,
            }),
            Err(failure) => json!({ "failure": failure }),
        };
        json!({
            "model": case.name, "result": self.word(), "exception": self.exception,
            "spin": self.outcome, "spin_faults": self.outcome.report().map(|report| report.faults()), "dampf": dampf,
        })
    }
}

/// Counts, and fails where Dampf says something else than SPIN, or nothing.
fn conclude(answered: &[(&Case, Answered)]) -> Result<(), Failure> {
    let named = |word: &str| -> Vec<&str> {
        answered.iter().filter(|(_, answer)| answer.word() == word).map(|(case, _)| case.name.as_str()).collect()
    };
    let (differing, silent) = (named("DIFFERS"), named("NO ANSWER"));
    println!(
        "{} models: {} agree, {} differ, {} are known to differ, {} have no answer from Dampf, {} none from SPIN",
        answered.len(),
        named("ok").len(),
        differing.len(),
        named("known").len(),
        silent.len(),
        named("no oracle").len(),
    );
    match (differing.as_slice(), silent.len()) {
        ([], 0) => Ok(()),
        ([], count) => Err(format!("Dampf has no answer for {count} models")),
        (differing, _) => Err(format!("Dampf and SPIN differ: {}", differing.join(", "))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spin::oracle::Times;
    use crate::spin::report::Report;

    fn answered(comparison: Comparison, exception: Option<&'static str>) -> Answered {
        let report = Report { states: 1_234, ..Report::default() };
        let times = Times { generation: 0.1, compilation: 1.0, search: 2.5 };
        let checked = Err("no input that Dampf knows".to_owned());
        Answered { outcome: Outcome::Searched { report, times }, checked, comparison, exception }
    }

    #[test]
    fn a_line_says_who_said_what() {
        let silent = answered(Comparison::DampfSilent("no input\nthat Dampf knows".to_owned()), None);
        assert_eq!(
            silent.lines("a.pml", 6),
            "NO ANSWER a.pml         1,234            -      2.50         -\n          dampf: no input\n          that Dampf knows\n"
        );
        let known = answered(Comparison::Differs(vec!["7 states, SPIN 1234".to_owned()]), Some("because"));
        assert!(known.lines("a", 1).ends_with("7 states, SPIN 1234\n          because\n"));
    }

    #[test]
    fn only_what_is_not_known_fails() {
        let case = Case::new("slide.pml".to_owned(), PathBuf::new());
        assert_eq!((case.name.as_str(), case.definitions.as_slice()), ("slide.pml W=3", ["W=3".to_owned()].as_slice()));
        let fails = |comparison, exception| conclude(&[(&case, answered(comparison, exception))]).is_err();
        assert!(!fails(Comparison::Agrees, None) && !fails(Comparison::SpinSilent("time".to_owned()), None));
        assert!(fails(Comparison::Differs(Vec::new()), None) && !fails(Comparison::Differs(Vec::new()), Some("why")));
        assert!(fails(Comparison::DampfSilent("time".to_owned()), None));
    }
}
