//! Which faults count: `--only`, `--ignore` and `--suppressions`.
//!
//! What a file of suppressions says is read once, when the command begins, and counts as if it had been given with
//! `--ignore`: trails and checkpoints keep the rules, not the name of a file that may change.

use crate::failure::Failure;
use crate::source::read_source;
use clap::{Args, ValueHint};
use dampf_core::{FaultKind, FaultSelection, IgnoredFaults, SourcePlace};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

#[derive(Args, Clone, Default, Debug, Serialize, Deserialize)]
#[serde(default)]
pub struct FaultOptions {
    /// Only faults of these kinds count, separated by commas, such as `assertion,deadlock`; may be given several times
    #[arg(long, value_name = "KINDS", value_parser = checked_kinds, help_heading = "Properties")]
    pub only: Vec<String>,

    /// Faults of these kinds do not count, anywhere or in a source file or line, such as `data-race@stats.h:12`; may be
    /// given several times
    ///
    /// The search goes on where such a fault was met. A step that ends in one leads nowhere, so what is wrong behind it
    /// is not found. The kinds are those that reports name.
    #[arg(long, value_name = "KINDS[@FILE[:LINE]]", value_parser = checked_rule, help_heading = "Properties")]
    pub ignore: Vec<String>,

    /// A file with one KINDS[@FILE[:LINE]] in each line, as for --ignore; `#` begins a comment
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Properties")]
    #[serde(skip)]
    pub suppressions: Vec<PathBuf>,
}

impl FaultOptions {
    /// Takes over what the files of suppressions say.
    pub fn read_suppressions(&mut self) -> Result<(), Failure> {
        for path in std::mem::take(&mut self.suppressions) {
            let source = read_source(&path)?;
            for (number, line) in source.text.lines().enumerate() {
                let rule = line.split('#').next().unwrap_or_default().trim();
                if rule.is_empty() {
                    continue;
                }
                let rule = checked_rule(rule)
                    .map_err(|problem| Failure::new(format!("{}:{}: {problem}", path.display(), number + 1)))?;
                self.ignore.push(rule);
            }
        }
        Ok(())
    }

    /// What the options say. They were looked at when they were given, but for those that a trail file brings.
    pub fn selection(&self) -> Result<FaultSelection, String> {
        let only = self.only.iter().map(|text| kinds(text)).collect::<Result<Vec<_>, _>>()?.concat();
        let ignored = self.ignore.iter().map(|text| rule(text)).collect::<Result<_, _>>()?;
        Ok(FaultSelection::new((!self.only.is_empty()).then_some(only), ignored))
    }
}

fn checked_kinds(text: &str) -> Result<String, String> {
    kinds(text).map(|_| text.to_owned())
}

fn checked_rule(text: &str) -> Result<String, String> {
    rule(text).map(|_| text.to_owned())
}

/// `data-race,leak`: kinds of faults.
fn kinds(text: &str) -> Result<Vec<FaultKind>, String> {
    let named = |name: &str| {
        FaultKind::from_name(name.trim()).ok_or_else(|| {
            let all: Vec<&str> = FaultKind::ALL.iter().map(|kind| kind.name()).collect();
            format!("`{}` is no kind of fault; there are {}", name.trim(), all.join(", "))
        })
    };
    text.split(',').map(named).collect()
}

/// `data-race,leak@queue.h:12`: kinds of faults, and where.
fn rule(text: &str) -> Result<IgnoredFaults, String> {
    let Some((names, place)) = text.split_once('@') else {
        return Ok(IgnoredFaults { kinds: kinds(text)?, place: None });
    };
    let (file, line) = match place.rsplit_once(':') {
        Some((file, line)) => (file, Some(line.parse().map_err(|_| format!("`{line}` is no number of a line"))?)),
        None => (place, None),
    };
    if file.is_empty() {
        return Err("expected a file behind `@`".to_owned());
    }
    Ok(IgnoredFaults { kinds: kinds(names)?, place: Some(SourcePlace { file: file.to_owned(), line }) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_name_kinds_and_places() {
        let place = Some(SourcePlace { file: "src/queue.h".to_owned(), line: Some(12) });
        let expected = IgnoredFaults { kinds: vec![FaultKind::DataRace, FaultKind::Leak], place };
        assert_eq!(rule("data-race, leak@src/queue.h:12"), Ok(expected));
        assert_eq!(rule("deadlock"), Ok(IgnoredFaults { kinds: vec![FaultKind::Deadlock], place: None }));
        assert!(rule("data-race@a.c").unwrap().place.unwrap().line.is_none());
        for bad in ["", "race", "data-race,", "data-race@", "data-race@a.c:x", "@a.c", "data-race@:3"] {
            assert!(rule(bad).is_err(), "{bad}");
        }
    }
}
