//! Programs with expectations in their first lines.
//!
//! - `// expect: KIND` (`verified`, `unknown` or a kind of fault), with its own `flags:` and `options:` behind it, and
//!   how many states it takes at most, behind `states:`; several such lines are several checks. Lines `// flags:` and
//!   `// options:` are for all of them.
//! - `// fault: KIND` stands on the line that is to be blamed.

use std::path::Path;

/// The C and C++ sources of a folder, by name.
pub fn sources(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let names = entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned());
    let is_source = |name: &String| [".c", ".cc", ".cpp"].iter().any(|ending| name.ends_with(ending));
    let mut names: Vec<String> = names.filter(is_source).collect();
    names.sort();
    names
}

/// One check of one program.
#[derive(Debug)]
pub struct Expectation {
    pub file: String,
    pub kind: String,
    pub flags: Vec<String>,
    pub options: Vec<String>,
    /// The lines that may be blamed; any, if there are none.
    pub fault_lines: Vec<u64>,
    pub states_max: Option<u64>,
}

impl Expectation {
    /// The arguments for the command, besides the file.
    pub fn arguments(&self) -> Vec<String> {
        let mut arguments = Vec::new();
        for flag in &self.flags {
            match flag.strip_prefix("-D") {
                Some(definition) => arguments.extend(["-D".to_owned(), definition.to_owned()]),
                None => arguments.extend(["--cflags".to_owned(), flag.clone()]),
            }
        }
        arguments.extend(self.options.iter().cloned());
        arguments
    }
}

/// What a program says about itself.
pub fn expectations(folder: &Path, file: &str) -> Vec<Expectation> {
    let path = folder.join(file);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let header = || text.lines().take_while(|line| line.starts_with("//"));
    let common = |key: &str| -> Vec<String> {
        let lines = header().filter_map(|line| line.strip_prefix("// ")?.strip_prefix(key));
        lines.flat_map(str::split_whitespace).map(str::to_owned).collect()
    };
    let (common_flags, common_options) = (common("flags:"), common("options:"));
    let fault_lines = |kind: &str| -> Vec<u64> {
        let marked = text.lines().enumerate().filter(|(_, line)| line.contains(&format!("// fault: {kind}")));
        marked.map(|(number, _)| number as u64 + 1).collect()
    };
    let read = |line: &str| {
        let mut words = line.strip_prefix("// expect: ")?.split_whitespace();
        let kind = words.next()?.to_owned();
        let (mut flags, mut options) = (common_flags.clone(), common_options.clone());
        let mut states_max = None;
        let mut part = "flags:";
        for word in words {
            match (word, part) {
                ("flags:" | "options:" | "states:", _) => part = word,
                (_, "options:") => options.push(word.to_owned()),
                (_, "states:") => states_max = Some(word.parse().expect("a number of states")),
                _ => flags.push(word.to_owned()),
            }
        }
        let fault_lines = fault_lines(&kind);
        Some(Expectation { file: file.to_owned(), fault_lines, kind, flags, options, states_max })
    };
    header().filter_map(read).collect()
}
