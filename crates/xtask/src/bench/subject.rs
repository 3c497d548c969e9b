//! What is measured: which files, in which size.

use crate::Failure;
use crate::corpus::promela::EXAMPLES;
use crate::workspace::Workspace;
use std::path::{Path, PathBuf};

/// A model for Dampf and, where there is one, the same for SPIN.
#[derive(Debug)]
pub struct Subject {
    pub name: String,
    pub model: PathBuf,
    pub promela: Option<PathBuf>,
    /// Macros of the model: `N=4`.
    pub definitions: Vec<String>,
    /// Only assertions and end states are of interest, as they are to SPIN here.
    pub without_claims: bool,
}

impl Subject {
    /// For the command line.
    pub fn arguments(&self) -> Vec<String> {
        let claims = self.without_claims.then(|| "--no-claims".to_owned());
        let definitions = self.definitions.iter().flat_map(|definition| ["-D".to_owned(), definition.clone()]);
        claims.into_iter().chain(definitions).collect()
    }
}

/// Instances of the BEEM database, by default those of the table. Without the database there are none.
pub fn beem(workspace: &Workspace, names: &[String], with_spin: bool) -> Result<Vec<Subject>, Failure> {
    let Some(folder) = workspace.corpus("beem") else { return Ok(Vec::new()) };
    let promela = if with_spin { workspace.corpus("promela") } else { None };
    let table = rows(&workspace.root.join("bench/models.tsv"))?;
    let defined: Vec<String> = table.into_iter().filter_map(|row| row.into_iter().next()).collect();
    let names = if names.is_empty() { &defined } else { names };
    let subject = |name: &String| {
        let model = folder.join(format!("{name}.dve"));
        if !model.is_file() {
            return Err(format!("there is no {name} in ../shared/corpora/beem"));
        }
        let promela = promela.as_ref().map(|folder| folder.join(format!("{name}.pm")));
        let promela = promela.filter(|model| model.is_file());
        Ok(Subject { name: name.clone(), model, promela, definitions: Vec::new(), without_claims: false })
    };
    names.iter().map(subject).collect()
}

/// Rows of the table of Promela models; those that are not there are named and left out.
pub fn promela(workspace: &Workspace, names: &[String], with_spin: bool) -> Result<Vec<Subject>, Failure> {
    let Some(folder) = workspace.corpus("promela") else { return Ok(Vec::new()) };
    let mut subjects = Vec::new();
    for row in rows(&workspace.root.join("bench/promela.tsv"))? {
        let [path, definitions, ..] = row.as_slice() else { return Err(format!("not a row of models: {row:?}")) };
        let subject = promela_subject(&folder, path, definitions, with_spin);
        let is_wanted = names.is_empty() || names.iter().any(|name| subject.name.contains(name.as_str()));
        match (is_wanted, subject.model.is_file()) {
            (false, _) => {}
            (true, true) => subjects.push(subject),
            (true, false) => println!("skipped: there is no {}", subject.model.display()),
        }
    }
    if subjects.is_empty() {
        return Err("no model is left to measure; see --models".to_owned());
    }
    Ok(subjects)
}

/// Paths that begin with `spin/` are examples of SPIN's package.
fn promela_subject(folder: &Path, path: &str, definitions: &str, with_spin: bool) -> Subject {
    let model = match path.strip_prefix("spin/") {
        Some(example) => Path::new(EXAMPLES).join("Examples").join(example),
        None => folder.join(path),
    };
    let stem = model.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let definitions: Vec<String> = definitions.split_whitespace().map(str::to_owned).collect();
    let name = [&[stem], definitions.as_slice()].concat().join(" ");
    Subject { name, promela: with_spin.then(|| model.clone()), model, definitions, without_claims: true }
}

/// The columns of the rows below the heading.
pub fn rows(path: &Path) -> Result<Vec<Vec<String>>, Failure> {
    let table = std::fs::read_to_string(path).map_err(|error| format!("cannot read `{}`: {error}", path.display()))?;
    let lines = table.lines().skip(1).filter(|line| !line.trim().is_empty());
    Ok(lines.map(|line| line.split('\t').map(str::to_owned).collect()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definitions_can_be_read() {
        let root = Workspace::of_this_crate().root;
        let beem = rows(&root.join("bench/models.tsv")).expect("the table is there");
        assert!(beem.iter().any(|row| row[0] == "at.4") && beem.iter().all(|row| row.len() == 2), "{beem:?}");
        let promela = rows(&root.join("bench/promela.tsv")).expect("the table is there");
        assert!(promela.iter().all(|row| row.len() == 3), "{promela:?}");
    }

    #[test]
    fn a_row_is_a_subject() {
        let subject = promela_subject(Path::new("models"), "phils.pml", "N=10", true);
        assert_eq!((subject.name.as_str(), subject.model.as_path()), ("phils N=10", Path::new("models/phils.pml")));
        assert_eq!(subject.arguments(), ["--no-claims", "-D", "N=10"]);
        assert_eq!(subject.promela.as_deref(), Some(Path::new("models/phils.pml")));
        let example = promela_subject(Path::new("models"), "spin/LTL/leader.pml", "", false);
        assert!(example.model.starts_with(EXAMPLES) && example.promela.is_none() && example.name == "leader");
    }
}
