//! Where things are: the workspace, its crates, its files, the oracles beside it.

use crate::Failure;
use clap::Args;
use serde_json::Value;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The files that commands which run Dampf read and write.
#[derive(Args, Debug)]
pub struct FileOptions {
    /// Write all figures into FILE
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,

    /// Run this binary instead of building one, to compare with another version
    #[arg(long, value_name = "FILE")]
    pub dampf: Option<PathBuf>,
}

impl FileOptions {
    /// Writes the figures where that was asked for.
    pub fn write(&self, figures: impl FnOnce() -> Value) -> Result<(), Failure> {
        let Some(path) = &self.json else { return Ok(()) };
        std::fs::write(path, format!("{:#}\n", figures()))
            .map_err(|error| format!("cannot write `{}`: {error}", path.display()))
    }
}

/// The root of the workspace that this program was built from.
pub struct Workspace {
    pub root: PathBuf,
}

impl Workspace {
    pub fn of_this_crate() -> Workspace {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        Workspace { root: root.canonicalize().unwrap_or(root) }
    }

    /// The cargo that started this program, working at the root.
    pub fn cargo(&self) -> Command {
        let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo")));
        command.current_dir(&self.root);
        command
    }

    /// What cargo knows of the crates of the workspace, and of them alone.
    pub fn metadata(&self) -> Result<Value, Failure> {
        let output = self.cargo().args(["metadata", "--format-version", "1", "--no-deps"]).output();
        let output = output.map_err(|error| format!("cannot run cargo metadata: {error}"))?;
        if !output.status.success() {
            return Err(format!("cargo metadata failed:\n{}", String::from_utf8_lossy(&output.stderr)));
        }
        serde_json::from_slice(&output.stdout).map_err(|error| format!("cannot read cargo metadata: {error}"))
    }

    /// Builds the checker as users have it, unless one is given, and says where it is.
    pub fn release_binary(&self, given: Option<&Path>) -> Result<PathBuf, Failure> {
        if let Some(given) = given {
            return given.canonicalize().map_err(|error| format!("cannot find `{}`: {error}", given.display()));
        }
        let status = self.cargo().args(["build", "--release", "--package", "dampf"]).status();
        let status = status.map_err(|error| format!("cannot run cargo build: {error}"))?;
        if !status.success() {
            return Err("dampf does not build; repeat with: cargo build --release --package dampf".to_owned());
        }
        Ok(self.target_directory()?.join("release").join("dampf"))
    }

    pub fn target_directory(&self) -> Result<PathBuf, Failure> {
        let metadata = self.metadata()?;
        let directory = metadata["target_directory"].as_str().ok_or("cargo metadata names no target directory")?;
        Ok(PathBuf::from(directory))
    }

    /// The folder of one collection of oracles, which lie beside the workspace; `None`, and a line that says so,
    /// where it is not there.
    pub fn corpus(&self, name: &str) -> Option<PathBuf> {
        let folder = self.root.join("../shared/corpora").join(name);
        if folder.is_dir() {
            return Some(folder.canonicalize().unwrap_or(folder));
        }
        println!("skipped: there is no ../shared/corpora/{name} beside the workspace");
        None
    }

    /// All files of the project, as paths from the root, in alphabetic order. Hidden folders are part of it; what
    /// git and cargo keep for themselves is not.
    pub fn files(&self) -> Result<Vec<PathBuf>, Failure> {
        let mut files = Vec::new();
        let mut folders = vec![PathBuf::new()];
        while let Some(folder) = folders.pop() {
            let unreadable = |error| format!("cannot read the folder `{}`: {error}", folder.display());
            for entry in std::fs::read_dir(self.root.join(&folder)).map_err(unreadable)? {
                let entry = entry.map_err(unreadable)?;
                let path = folder.join(entry.file_name());
                let kind = entry.file_type().map_err(unreadable)?;
                // Of a second working tree, `.git` is a file.
                if kind.is_file() && path != Path::new(".git") {
                    files.push(path);
                } else if kind.is_dir() && !self.is_generated(&path) {
                    folders.push(path);
                }
            }
        }
        files.sort();
        Ok(files)
    }

    /// Cargo marks its target directories, whatever they are called.
    fn is_generated(&self, folder: &Path) -> bool {
        folder == Path::new(".git")
            || folder == Path::new("target")
            || self.root.join(folder).join("CACHEDIR.TAG").exists()
    }
}
