//! How the outcomes of a program are found out: all of them, by exploring it, or one, by running it.

use crate::Failure;
use dampf_testkit::threads::{EMULATED, ThreadProgram};
use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A run that takes longer hangs.
const PATIENCE: Duration = Duration::from_secs(60);

/// Lines that are told of what a checker complains about.
const COMPLAINT_LINES_MAX: usize = 3;

/// How a run can end.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Outcome {
    Status(u8),
    /// A fault, by its kind: what is told of it beside depends on the way there.
    Fault(String),
}

impl fmt::Display for Outcome {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Outcome::Status(status) => write!(out, "exit status {status}"),
            Outcome::Fault(kind) => out.write_str(kind),
        }
    }
}

pub enum Explored {
    All(BTreeSet<Outcome>),
    /// The program is too large.
    Partly,
}

/// Who is asked, and for how long.
pub struct Tools {
    dampf: PathBuf,
    max_time: String,
    pub has_emulator: bool,
}

impl Tools {
    pub fn new(dampf: PathBuf, max_time: &str) -> Tools {
        let emulator = Command::new("qemu-riscv64").arg("--version").stdout(Stdio::null()).status();
        let has_emulator = emulator.is_ok_and(|status| status.success());
        Tools { dampf, max_time: max_time.to_owned(), has_emulator }
    }

    pub fn write(&self, place: &Path, program: &ThreadProgram) -> Result<(), Failure> {
        std::fs::write(place, program.text()).map_err(|error| format!("`{}`: {error}", place.display()))
    }

    /// Compiles a source to be checked.
    pub fn compile(&self, source: &Path) -> Result<PathBuf, Failure> {
        let program = source.with_extension("checked");
        let mut command = Command::new(&self.dampf);
        command.arg("cc").args(["-w"]).arg(source).arg("-o").arg(&program);
        compiled(&mut command, source).map(|()| program)
    }

    /// Compiles a source for a machine with time, as anybody would.
    pub fn compile_for_emulator(&self, source: &Path, level: &str) -> Result<PathBuf, Failure> {
        let program = source.with_extension("emulated");
        let mut command = Command::new("riscv64-linux-gnu-gcc");
        command.args(["-w", "-static", "-pthread", level]).arg(format!("-D{EMULATED}"));
        command.arg(source).arg("-o").arg(&program);
        compiled(&mut command, source).map(|()| program)
    }

    /// All outcomes of a program. Exit statuses are faults, so one search that keeps going finds them.
    pub fn explore(&self, program: &Path, more: &str, max_states: u64) -> Result<Explored, Failure> {
        let mut command = Command::new(&self.dampf);
        command.arg("check").arg(program).args(["--keep-going", "--json", "-", "--max-time", &self.max_time]);
        command.args(["--max-states", &max_states.to_string()]).args(more.split_whitespace()).stdin(Stdio::null());
        let output = command.output().map_err(|error| format!("cannot run `{}`: {error}", self.dampf.display()))?;
        let text = String::from_utf8_lossy(&output.stdout);
        let complaint = String::from_utf8_lossy(&output.stderr);
        let complaint: Vec<&str> = complaint.lines().take(COMPLAINT_LINES_MAX).collect();
        let no_answer = || format!("no verdict on `{}`: {}", program.display(), complaint.join(" "));
        let summary: serde_json::Value = serde_json::from_str(&text).map_err(|_| no_answer())?;
        // A search that found something says so even if it was cut short; whether it was, its open states tell.
        let is_cut = summary["verdict"] == "unknown" || summary["frontier"].as_u64() != Some(0);
        if is_cut || !summary["reason"].is_null() {
            return Ok(Explored::Partly);
        }
        let errors = summary["errors"].as_array().ok_or_else(no_answer)?;
        let outcome = |error: &serde_json::Value| {
            let (kind, message) = (error["kind"].as_str()?, error["message"].as_str()?);
            let status = message.rsplit(' ').next().and_then(|status| status.parse().ok());
            Some(status.filter(|_| kind == "exit-status").map_or(Outcome::Fault(kind.to_owned()), Outcome::Status))
        };
        Ok(Explored::All(errors.iter().filter_map(outcome).collect()))
    }

    /// The outcome of one run.
    pub fn emulate(&self, program: &Path) -> Result<Outcome, Failure> {
        let mut command = Command::new("qemu-riscv64");
        command.arg(program).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().map_err(|error| format!("cannot run qemu-riscv64: {error}"))?;
        let start = Instant::now();
        loop {
            let ended = child.try_wait().map_err(|error| format!("qemu-riscv64: {error}"))?;
            if let Some(status) = ended {
                let status = status.code().and_then(|code| u8::try_from(code).ok());
                return Ok(status.map_or(Outcome::Fault("a signal".to_owned()), Outcome::Status));
            }
            if start.elapsed() > PATIENCE {
                let _ = child.kill();
                let _ = child.wait();
                return Ok(Outcome::Fault("no end".to_owned()));
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

fn compiled(command: &mut Command, source: &Path) -> Result<(), Failure> {
    let output = command.stdin(Stdio::null()).output();
    match output {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => {
            Err(format!("`{}` is not compiled:\n{}", source.display(), String::from_utf8_lossy(&output.stderr)))
        }
        Err(error) => Err(format!("cannot run {command:?}: {error}")),
    }
}
