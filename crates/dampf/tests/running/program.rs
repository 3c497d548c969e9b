//! Programs with expectations in their first lines.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A folder of the workspace.
pub fn folder(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

/// Whether programs can be compiled here.
pub fn has_compiler() -> bool {
    ["riscv64-linux-gnu-gcc", "riscv64-linux-gnu-g++"].iter().all(|compiler| is_installed(compiler))
}

pub fn is_installed(program: &str) -> bool {
    let command = Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    command.is_ok_and(|status| status.success())
}

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
        let mut is_option = false;
        for word in words {
            match word {
                "flags:" => is_option = false,
                "options:" => is_option = true,
                _ if is_option => options.push(word.to_owned()),
                _ => flags.push(word.to_owned()),
            }
        }
        Some(Expectation { file: file.to_owned(), fault_lines: fault_lines(&kind), kind, flags, options })
    };
    header().filter_map(read).collect()
}

/// Does something with each item, on all cores.
pub fn in_parallel<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let results = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(2, |cores| cores.get()) {
            scope.spawn(|| {
                while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let result = work(item);
                    results.lock().expect("no thread panics while it holds the results").push(result);
                }
            });
        }
    });
    results.into_inner().expect("no thread panics while it holds the results")
}
