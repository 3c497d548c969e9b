//! What no compiler checks of this project, and what reviewers should not have to.
//!
//! Each check is a function from text to problems, so that the tests can show it text that is wrong; this module
//! only fetches the text. A problem names the place and says what to do.

pub mod architecture;
pub mod arrows;
pub mod single_places;
pub mod text;

use crate::Failure;
use crate::workspace::Workspace;
use std::fmt;
use std::path::Path;

/// Something that is not as it should be.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Problem {
    /// A file, with a line where there is one.
    pub place: String,
    pub message: String,
}

impl Problem {
    pub fn new(place: impl Into<String>, message: impl Into<String>) -> Problem {
        Problem { place: place.into(), message: message.into() }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.message)
    }
}

pub fn run(workspace: &Workspace) -> Result<(), Failure> {
    let problems = problems(workspace)?;
    for problem in &problems {
        eprintln!("{problem}");
    }
    match problems.len() {
        0 => Ok(()),
        1 => Err("tidy: 1 problem".to_owned()),
        count => Err(format!("tidy: {count} problems")),
    }
}

/// All problems of the project, by place.
pub fn problems(workspace: &Workspace) -> Result<Vec<Problem>, Failure> {
    let metadata = workspace.metadata()?;
    let mut problems = arrows::check(&metadata);
    let names = arrows::crate_names(&metadata);
    match std::fs::read_to_string(workspace.root.join(architecture::PAGE)) {
        Ok(page) => problems.extend(architecture::check(&page, &names)),
        Err(error) => problems.push(Problem::new(architecture::PAGE, format!("cannot be read: {error}"))),
    }
    let files = workspace.files()?;
    for folder in ["models/dve", "models/dmc"] {
        if !files.iter().any(|path| path.starts_with(folder)) {
            problems.push(Problem::new(folder, "there are no models here"));
        }
    }
    for path in &files {
        // What is not text has nothing to say against any of the rules.
        if let Ok(contents) = std::fs::read_to_string(workspace.root.join(path)) {
            problems.extend(text::check(&place(path), &contents));
            problems.extend(single_places::check(&place(path), &contents));
        }
    }
    problems.sort();
    Ok(problems)
}

/// A path as it is written on every system.
fn place(path: &Path) -> String {
    let parts: Vec<_> = path.components().map(|part| part.as_os_str().to_string_lossy()).collect();
    parts.join("/")
}
