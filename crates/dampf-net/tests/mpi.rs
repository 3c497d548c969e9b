//! Ranks under MPI, started by `mpirun` on this machine. Without `mpirun` the tests say so and pass.
#![cfg(feature = "mpi")]

use std::io::{BufRead, BufReader, Read};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

const TIMEOUT: Duration = Duration::from_secs(120);

/// Options with which Open MPI runs for anybody, with few processors, and without any network.
const OPEN_MPI: &[&str] = &[
    "--allow-run-as-root",
    "--oversubscribe",
    "--bind-to",
    "none",
    "--mca",
    "btl",
    "self,vader",
    "--mca",
    "btl_vader_single_copy_mechanism",
    "none",
];

/// The example `ring`, which Cargo builds next to the tests.
fn ring() -> PathBuf {
    let test = std::env::current_exe().expect("a test knows where it is");
    let ring = test.ancestors().nth(2).expect("tests are in a folder of the build folder").join("examples/ring");
    let how = "build it with `cargo build -p dampf-net --features mpi --example ring`";
    assert!(ring.exists(), "{} is not there: {how}", ring.display());
    ring
}

/// A folder for the files of one `mpirun`. Those that start at the same time and share one sometimes fail to make it.
struct Folder(PathBuf);

impl Folder {
    fn new(mode: Option<&str>) -> Folder {
        let name = format!("dampf-net-{}-{}", std::process::id(), mode.unwrap_or("wander"));
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&folder).expect("there is room for temporary files");
        Folder(folder)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// `mpirun` with three ranks, or nothing where there is none.
fn launch(mode: Option<&str>, folder: &Folder) -> Option<Child> {
    let Ok(version) = Command::new("mpirun").arg("--version").output() else {
        eprintln!("skipped: there is no mpirun here");
        return None;
    };
    let mut command = Command::new("mpirun");
    if String::from_utf8_lossy(&version.stdout).contains("Open MPI") {
        command.args(OPEN_MPI);
    }
    command.args(["-n", "3"]).arg(ring()).args(mode);
    command.env("TMPDIR", &folder.0);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    Some(command.spawn().expect("mpirun can be started"))
}

/// Waits for the end, and ends what does not end by itself.
fn wait(child: &mut Child) -> ExitStatus {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait().expect("mpirun can be waited for") {
            return status;
        }
        if start.elapsed() > TIMEOUT {
            child.kill().expect("mpirun can be killed");
            panic!("no end after {TIMEOUT:?}");
        }
        thread::sleep(Duration::from_millis(20));
    }
}

/// How the run ended, and what it wrote to its output and to its errors.
fn run(mode: Option<&str>) -> Option<(ExitStatus, String, String)> {
    let folder = Folder::new(mode);
    let mut child = launch(mode, &folder)?;
    let output = read_all(child.stdout.take().expect("piped"));
    let errors = read_all(child.stderr.take().expect("piped"));
    let status = wait(&mut child);
    let text = |reader: thread::JoinHandle<String>| reader.join().expect("reading does not panic");
    Some((status, text(output), text(errors)))
}

fn read_all(mut from: impl Read + Send + 'static) -> thread::JoinHandle<String> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = from.read_to_end(&mut bytes);
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

fn assert_output(mode: Option<&str>, expected: &str) {
    let Some((status, output, errors)) = run(mode) else { return };
    assert!(status.success(), "{status}\n{output}\n{errors}");
    assert_eq!(output.trim(), expected, "{errors}");
}

#[test]
fn tokens_come_home() {
    assert_output(None, "600 tokens are home");
}

#[test]
fn messages_in_pieces_arrive_whole() {
    assert_output(Some("pieces"), "600 tokens are home");
}

#[test]
fn processes_host_several_ranks() {
    assert_output(Some("threads"), "1800 tokens are home");
}

#[test]
fn large_messages_go_round() {
    assert_output(Some("ring"), "the message has seen 2 ranks");
}

#[test]
fn the_end_does_not_wait_for_readers() {
    let Some((status, output, errors)) = run(Some("unread")) else { return };
    assert!(status.success(), "{status}\n{output}\n{errors}");
    assert_eq!(output.lines().count(), 3, "{output}");
}

#[test]
fn a_panic_ends_all_ranks() {
    let Some((status, output, errors)) = run(Some("panic")) else { return };
    assert!(!status.success(), "{output}\n{errors}");
    assert!(errors.contains("the last rank panics"), "{errors}");
}

#[test]
fn a_rank_that_gives_up_ends_all_ranks() {
    let Some((status, output, errors)) = run(Some("abort")) else { return };
    assert_eq!(status.code(), Some(7), "{output}\n{errors}");
}

#[test]
fn a_killed_rank_ends_all_ranks() {
    let folder = Folder::new(Some("forever"));
    let Some(mut child) = launch(Some("forever"), &folder) else { return };
    let errors = read_all(child.stderr.take().expect("piped"));
    let mut lines = BufReader::new(child.stdout.take().expect("piped")).lines();
    let victim = lines.by_ref().map_while(Result::ok).find_map(|line| {
        let process = line.strip_prefix("rank 1 is process ")?;
        Some(process.trim().to_owned())
    });
    let Some(victim) = victim else {
        let status = wait(&mut child);
        panic!("rank 1 has not told its process: {status}\n{}", errors.join().expect("reading does not panic"));
    };
    let kill = Command::new("kill").args(["-KILL", &victim]).status().expect("kill can be started");
    assert!(kill.success());
    assert!(!wait(&mut child).success());
}
