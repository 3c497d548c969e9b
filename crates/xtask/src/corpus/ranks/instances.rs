//! What is searched on ranks: all collections of models and programs.

use crate::Failure;
use crate::corpus::case::{Answer, Case, Expected};
use crate::corpus::{beem, notes, promela};
use crate::workspace::Workspace;
use std::path::Path;

/// Of the Promela models from elsewhere, which are those of BEEM again, only small ones are taken.
const FOREIGN_PROMELA_STATES_MAX: u64 = 100_000;
/// Programs with fewer states say little, and those with more take long.
const PROGRAM_STATES_MIN: u64 = 100;
const PROGRAM_STATES_MAX: u64 = 500_000;

/// Sizes of spaces that are worth the time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Size {
    pub min: u64,
    pub max: u64,
}

/// All collections, without what is known to be too small or too large.
pub(super) fn all(workspace: &Workspace, wanted: Size) -> Result<Vec<(Case, Size)>, Failure> {
    let mut cases = Vec::new();
    let mut add = |collection: &str, min: u64, max: u64, found: Vec<Case>| {
        let size = Size { min: min.max(wanted.min), max: max.min(wanted.max) };
        let fits = |case: &Case| case.expected.states.is_none_or(|states| (size.min..=size.max).contains(&states));
        cases.extend(found.into_iter().filter(fits).map(|mut case| {
            case.name = format!("{collection}/{}", case.name);
            (case, size)
        }));
    };
    if let Some(folder) = workspace.corpus("beem") {
        let complete = beem::cases(&folder)?.into_iter().filter(|case| case.expected.states.is_some());
        add("beem", 1, u64::MAX - 1, complete.collect());
    }
    for language in ["dve", "dmc"] {
        add(language, 1, u64::MAX - 1, notes::cases(&workspace.root.join("models").join(language), language)?);
    }
    let mut own = notes::cases(&workspace.root.join("models/promela"), "pml")?;
    own.iter_mut().for_each(|case| case.arguments.push("--no-claims".to_owned()));
    add("promela", 1, u64::MAX - 1, own);
    if let Some(folder) = workspace.corpus("promela") {
        add("promela", 1, FOREIGN_PROMELA_STATES_MAX, promela::smallest(&folder)?);
    }
    if let Some(folder) = workspace.corpus("c") {
        let table = read(&folder.join("expected.tsv"))?;
        let programs = verified_rows(&table).into_iter().map(|(file, flags)| program(&folder, file, flags));
        add("c", PROGRAM_STATES_MIN, PROGRAM_STATES_MAX, programs.collect());
    }
    add("cpp", PROGRAM_STATES_MIN, PROGRAM_STATES_MAX, annotated_programs(&workspace.root.join("models/cpp"))?);
    Ok(cases)
}

/// Files and flags of the programs that are verified. Columns: file, flags, expected.
fn verified_rows(table: &str) -> Vec<(&str, &str)> {
    let columns = |line| -> Option<(&str, &str)> {
        let mut columns = str::split(line, '\t');
        let (file, flags) = (columns.next()?, columns.next()?);
        (columns.next()? == "verified").then_some((file, flags))
    };
    table.lines().skip(1).filter_map(columns).collect()
}

/// The variants of the programs in a folder that their first lines say are verified.
fn annotated_programs(folder: &Path) -> Result<Vec<Case>, Failure> {
    let unreadable = |error| format!("cannot read the folder `{}`: {error}", folder.display());
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(unreadable)? {
        let name = entry.map_err(unreadable)?.file_name().to_string_lossy().into_owned();
        if [".c", ".cc", ".cpp"].iter().any(|ending| name.ends_with(ending)) {
            files.push(name);
        }
    }
    files.sort();
    let mut cases = Vec::new();
    for file in files {
        let text = read(&folder.join(&file))?;
        cases.extend(verified_variants(&text).iter().map(|flags| program(folder, &file, flags)));
    }
    Ok(cases)
}

/// The flags of `// expect: verified flags: …`, with those that `// flags: …` says are for all variants.
fn verified_variants(text: &str) -> Vec<String> {
    let comments = || text.lines().map_while(|line| line.strip_prefix("//")).map(str::trim);
    let general: Vec<&str> = comments().filter_map(|comment| comment.strip_prefix("flags:")).map(str::trim).collect();
    let variants = comments().filter_map(|comment| comment.strip_prefix("expect: verified")).map(str::trim);
    let flags = variants.filter_map(|rest| if rest.is_empty() { Some("") } else { rest.strip_prefix("flags:") });
    flags.map(|flags| [general.as_slice(), &[flags.trim()]].concat().join(" ").trim().to_owned()).collect()
}

pub(super) fn program(folder: &Path, file: &str, flags: &str) -> Case {
    let name = format!("{file} {flags}").trim().to_owned();
    let arguments = if flags.is_empty() { Vec::new() } else { vec![format!("--cflags={flags}")] };
    let expected = Expected { answer: Some(Answer::Verified), ..Expected::default() };
    Case { name, model: folder.join(file), arguments, expected }
}

fn read(path: &Path) -> Result<String, Failure> {
    std::fs::read_to_string(path).map_err(|error| format!("cannot read `{}`: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_say_which_variants_are_verified() {
        let text = "// expect: verified\n// expect: deadlock flags: -DBUG\n// expect: verified flags: -DN=2 -DK=1\n\
                    // flags: -O2\n\n// expect: verified flags: -DLATE\n";
        assert_eq!(verified_variants(text), ["-O2", "-O2 -DN=2 -DK=1"]);
        let table = "file\tflags\texpected\na.c\t-DN=4\tdeadlock\na.c\t-DFIX\tverified\nb.c\t\tverified\n";
        assert_eq!(verified_rows(table), [("a.c", "-DFIX"), ("b.c", "")]);
        let case = program(Path::new("c"), "b.c", "");
        assert_eq!((case.name.as_str(), case.arguments.len()), ("b.c", 0));
    }
}
