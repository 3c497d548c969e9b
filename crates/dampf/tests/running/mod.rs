//! Runs the built command and waits for it, never for long.

#![allow(dead_code, reason = "each test file uses a part of this")]

pub mod program;

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(600);

#[derive(Debug)]
pub struct Finished {
    pub status: i32,
    pub stdout: String,
    pub stderr: String,
}

fn models() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models")
}

fn command(folder: &Path, arguments: &[&str]) -> Command {
    set_up(Command::new(env!("CARGO_BIN_EXE_dampf")), folder, arguments)
}

/// The same for a command that is to be interrupted: whoever runs tests in the background may have them ignore
/// interrupts, and children inherit that.
fn interruptible(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new("env");
    command.arg("--default-signal=INT").arg(env!("CARGO_BIN_EXE_dampf"));
    set_up(command, folder, arguments)
}

fn set_up(mut command: Command, folder: &Path, arguments: &[&str]) -> Command {
    command.args(arguments).current_dir(folder).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.env_remove("NO_COLOR").env("TERM", "xterm").env("COLUMNS", "100");
    command
}

/// Collects what a child writes, and ends a child that does not end by itself.
fn finished(mut child: Child) -> Finished {
    let reader = |stream: Option<Box<dyn std::io::Read + Send>>| {
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            if let Some(mut stream) = stream {
                stream.read_to_end(&mut bytes).unwrap();
            }
            String::from_utf8(bytes).unwrap()
        })
    };
    let stdout = reader(child.stdout.take().map(|stream| Box::new(stream) as _));
    let stderr = reader(child.stderr.take().map(|stream| Box::new(stream) as _));
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if start.elapsed() > PATIENCE {
            child.kill().unwrap();
            panic!("the command does not end");
        }
        std::thread::sleep(Duration::from_millis(2));
    };
    Finished { status: status.code().unwrap_or(-1), stdout: stdout.join().unwrap(), stderr: stderr.join().unwrap() }
}

/// Runs the command in the folder of the models.
pub fn dampf(arguments: &[&str]) -> Finished {
    finished(command(&models(), arguments).spawn().unwrap())
}

/// Runs the command in another folder.
pub fn dampf_in(folder: &Path, arguments: &[String]) -> Finished {
    dampf_among(&[], folder, arguments)
}

/// Runs the command in another folder, with further environment variables.
pub fn dampf_among(variables: &[(&str, &str)], folder: &Path, arguments: &[String]) -> Finished {
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    finished(command(folder, &arguments).envs(variables.iter().copied()).spawn().unwrap())
}

/// The models that come with Dampf.
pub fn own_models() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models")
}

/// Runs the command in the folder of Dampf's own models.
pub fn on_own_models(arguments: &[&str]) -> Finished {
    finished(command(&own_models(), arguments).spawn().unwrap())
}

/// The summary of a command on Dampf's own models.
pub fn summary_of(arguments: &[&str]) -> serde_json::Value {
    let finished = on_own_models(&[arguments, &["--json", "-"]].concat());
    serde_json::from_str(&finished.stdout).unwrap_or_else(|error| panic!("{arguments:?}: {error}: {finished:?}"))
}

/// Begins a command on Dampf's own models and kills it after a while.
pub fn killed_after(patience: Duration, arguments: &[&str]) {
    let mut child = command(&own_models(), arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    std::thread::sleep(patience);
    child.kill().unwrap();
    child.wait().unwrap();
}

/// Runs the command with these lines as its input.
pub fn dampf_with_input(arguments: &[&str], input: &str) -> Finished {
    let mut child = command(&models(), arguments).stdin(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    // A command that has had enough closes its input; that is its right.
    let _ = stdin.write_all(input.as_bytes());
    drop(stdin);
    finished(child)
}

/// Runs the command with its output going to a device.
pub fn dampf_into(device: &str, arguments: &[&str]) -> Finished {
    let device = File::options().write(true).open(device).unwrap();
    finished(command(&models(), arguments).stdout(device).spawn().unwrap())
}

/// Runs the command with its output going to a pipe that nobody reads.
pub fn dampf_without_reader(arguments: &[&str]) -> Finished {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    finished(command(&models(), arguments).stdout(writer).spawn().unwrap())
}

/// Runs the command and interrupts it once it watches for interrupts.
pub fn interrupted(arguments: &[&str]) -> Finished {
    let child = command(&models(), arguments).spawn().unwrap();
    await_watching(&child);
    interrupt(&child);
    finished(child)
}

/// Waits until a command watches for interrupts.
fn await_watching(child: &Child) {
    let catches_interrupts = || {
        let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
        let mask = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap().trim();
        u64::from_str_radix(mask, 16).unwrap() & 2 != 0
    };
    let start = Instant::now();
    while !catches_interrupts() && start.elapsed() < PATIENCE {
        std::thread::sleep(Duration::from_millis(2));
    }
}

fn interrupt(child: &Child) {
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
}

/// A folder of its own with copies of the models.
pub struct Playground {
    folder: tempfile::TempDir,
}

impl Playground {
    pub fn new() -> Playground {
        let folder = tempfile::tempdir().unwrap();
        for entry in std::fs::read_dir(models()).unwrap() {
            let entry = entry.unwrap();
            std::fs::copy(entry.path(), folder.path().join(entry.file_name())).unwrap();
        }
        Playground { folder }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    pub fn write(&self, name: &str, contents: &[u8]) {
        std::fs::write(self.path(name), contents).unwrap();
    }

    pub fn dampf(&self, arguments: &[&str]) -> Finished {
        finished(command(self.folder.path(), arguments).spawn().unwrap())
    }

    /// Runs the command and interrupts it after a while, once it watches for interrupts if it ever does; how long it
    /// took to end then.
    pub fn interrupted(&self, watches: bool, delay: Duration, arguments: &[&str]) -> (Finished, Duration) {
        let child = interruptible(self.folder.path(), arguments).spawn().unwrap();
        if watches {
            await_watching(&child);
        }
        std::thread::sleep(delay);
        interrupt(&child);
        let start = Instant::now();
        (finished(child), start.elapsed())
    }

    #[track_caller]
    pub fn refused(&self, arguments: &[&str], complaint: &str) {
        let finished = self.dampf(arguments);
        assert_eq!(finished.status, 2, "{finished:?}");
        assert!(finished.stderr.starts_with("error: "), "{finished:?}");
        assert!(finished.stderr.contains(complaint), "{finished:?}");
    }
}
