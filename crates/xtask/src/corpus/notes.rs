//! What the project's own models say of themselves, in lines that begin with `//~`.
//!
//! `VERDICT verified` or `VERDICT violated KIND`, `STATES n` and `TRANSITIONS n` speak of the model without
//! properties; `HOLDS expression` and `FAILS expression` of an invariant. After `WITH NAME=VALUE …:` a line speaks
//! of the model with those constants. `PROPERTY …` is the answer of a property automaton that the model carries.

use super::case::{Answer, Case, Expected};
use crate::Failure;
use std::path::Path;

/// The models of a folder, by name; each in all the sizes that it speaks of.
pub fn cases(folder: &Path, extension: &str) -> Result<Vec<Case>, Failure> {
    let unreadable = |error| format!("cannot read the folder `{}`: {error}", folder.display());
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if path.extension().is_some_and(|found| found == extension) {
            paths.push(path);
        }
    }
    paths.sort();
    let mut cases = Vec::new();
    for path in paths {
        let text =
            std::fs::read_to_string(&path).map_err(|error| format!("cannot read `{}`: {error}", path.display()))?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let notes =
            notes(&text).map_err(|note| format!("`{}` says what nobody understands: {note}", path.display()))?;
        if notes.has_property {
            println!("skipped: {name} has a property automaton: what it says is about runs, not about counts");
            continue;
        }
        for (constants, statement) in notes.statements {
            cases.push(case(&name, &path, &constants, statement));
        }
    }
    Ok(cases)
}

/// What is said of a model with certain constants.
#[derive(PartialEq, Eq, Debug)]
enum Statement {
    Known(Expected),
    Holds(String),
    Fails(String),
}

#[derive(Default, Debug)]
struct Notes {
    /// Constants (`NAME=VALUE`) and what is said of the model with them.
    statements: Vec<(Vec<String>, Statement)>,
    has_property: bool,
}

fn case(name: &str, model: &Path, constants: &[String], statement: Statement) -> Case {
    let mut full_name = [&[name.to_owned()], constants].concat().join(" ");
    let mut arguments: Vec<String> =
        constants.iter().flat_map(|constant| ["-D".to_owned(), constant.clone()]).collect();
    let invariant = || "invariant".to_owned();
    let (condition, expected) = match statement {
        Statement::Known(expected) => (None, expected),
        Statement::Holds(condition) => (Some(condition), Answer::NotFound(invariant()).into()),
        Statement::Fails(condition) => (Some(condition), Answer::Found(invariant()).into()),
    };
    if let Some(condition) = condition {
        arguments.extend(["--invariant".to_owned(), condition]);
        full_name.push_str(" (invariant)");
    }
    Case { name: full_name, model: model.to_owned(), arguments, expected }
}

impl From<Answer> for Expected {
    fn from(answer: Answer) -> Self {
        Expected { answer: Some(answer), ..Expected::default() }
    }
}

/// The notes of a model, or the first that cannot be read.
fn notes(text: &str) -> Result<Notes, String> {
    let mut notes = Notes::default();
    // What the plain lines say together, without `WITH`.
    let mut plain = Expected::default();
    for line in text.lines().filter_map(|line| line.strip_prefix("//~")).map(str::trim) {
        let unreadable = || line.to_owned();
        let (constants, said) = match line.strip_prefix("WITH ") {
            Some(with) => with.split_once(':').ok_or_else(unreadable)?,
            None => ("", line),
        };
        let constants: Vec<String> = constants.split_whitespace().map(str::to_owned).collect();
        let said = said.trim();
        if let Some(condition) = said.strip_prefix("HOLDS ") {
            notes.statements.push((constants, Statement::Holds(condition.to_owned())));
        } else if let Some(condition) = said.strip_prefix("FAILS ") {
            notes.statements.push((constants, Statement::Fails(condition.to_owned())));
        } else if said.starts_with("PROPERTY ") {
            notes.has_property = true;
        } else if constants.is_empty() {
            read_known(said, &mut plain).ok_or_else(unreadable)?;
        } else {
            let mut known = Expected::default();
            read_known(said, &mut known).ok_or_else(unreadable)?;
            notes.statements.push((constants, Statement::Known(known)));
        }
    }
    notes.statements.insert(0, (Vec::new(), Statement::Known(plain)));
    Ok(notes)
}

fn read_known(said: &str, known: &mut Expected) -> Option<()> {
    let mut words = said.split_whitespace();
    while let Some(word) = words.next() {
        match word {
            "VERDICT" => {
                known.answer = Some(match words.next()? {
                    "verified" => Answer::Verified,
                    "violated" => Answer::Found(words.next()?.to_owned()),
                    _ => return None,
                });
            }
            "STATES" => known.states = Some(words.next()?.parse().ok()?),
            "TRANSITIONS" => known.transitions = Some(words.next()?.parse().ok()?),
            _ => return None,
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_lines_speak_together_and_others_alone() {
        let text = "// A.\n//~ VERDICT violated deadlock\n//~ STATES 80 TRANSITIONS 212\n//~ HOLDS a <= 1\n\
                    //~ WITH N=6 K=1: VERDICT verified STATES 729\n";
        let notes = notes(text).expect("good notes");
        let plain = Expected {
            states: Some(80),
            transitions: Some(212),
            answer: Some(Answer::Found("deadlock".to_owned())),
            ..Expected::default()
        };
        let sized = Expected { states: Some(729), answer: Some(Answer::Verified), ..Expected::default() };
        let constants = vec!["N=6".to_owned(), "K=1".to_owned()];
        assert_eq!(
            notes.statements,
            [
                (Vec::new(), Statement::Known(plain)),
                (Vec::new(), Statement::Holds("a <= 1".to_owned())),
                (constants, Statement::Known(sized)),
            ]
        );
        assert!(!notes.has_property);
    }

    #[test]
    fn what_cannot_be_read_is_named() {
        for note in ["VERDICT maybe", "STATES many", "WITH N=1 STATES 5", "STATE 5"] {
            assert_eq!(notes(&format!("//~ {note}\n")).expect_err(note), note);
        }
        assert!(notes("//~ VERDICT verified\n//~ PROPERTY holds\n").expect("good notes").has_property);
    }

    #[test]
    fn a_case_is_a_command_line() {
        let constants = ["N=6".to_owned()];
        let found = case("ring", Path::new("ring.dmc"), &constants, Statement::Fails("x < 3".to_owned()));
        assert_eq!(found.name, "ring N=6 (invariant)");
        assert_eq!(found.arguments, ["-D", "N=6", "--invariant", "x < 3"]);
        assert_eq!(found.expected, Answer::Found("invariant".to_owned()).into());
    }
}
