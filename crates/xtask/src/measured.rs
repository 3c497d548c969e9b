//! Runs a program to its end and says what it printed and what it used.
//!
//! CPU time and peak memory come from `wait4`, which speaks of this one child: `getrusage` for all children
//! could not tell the peak of one from the peak of another.

use std::io::{self, Read};
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

/// What a run used.
#[derive(Clone, Copy, Debug)]
pub struct Usage {
    pub wall: Duration,
    /// User and system time, of all threads.
    pub cpu: Duration,
    pub peak_rss_bytes: u64,
}

/// A program that has ended.
#[derive(Debug)]
pub struct Finished {
    pub status: ExitStatus,
    pub stdout: String,
    pub stderr: String,
    pub usage: Usage,
    /// It took longer than it was given, and was ended.
    pub out_of_time: bool,
}

impl Finished {
    /// The last lines that the program printed to say what is wrong.
    pub fn complaint(&self) -> String {
        let said = if self.stderr.trim().is_empty() { &self.stdout } else { &self.stderr };
        let lines: Vec<&str> = said.trim().lines().collect();
        lines[lines.len().saturating_sub(5)..].join("\n")
    }
}

pub fn run(command: &mut Command) -> io::Result<Finished> {
    run_within(command, None)
}

/// Runs a program and ends it if it takes longer than `limit`.
pub fn run_within(command: &mut Command, limit: Option<Duration>) -> io::Result<Finished> {
    let start = Instant::now();
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let process = libc::pid_t::try_from(child.id()).map_err(io::Error::other)?;
    let stdout = child.stdout.take();
    let stderr = child.stderr.take();
    let (ended, has_ended) = mpsc::channel::<()>();
    let watch = thread::spawn(move || watch(process, limit, &has_ended));
    // Both pipes are emptied at the same time: a program may wait for a reader of either.
    let errors = thread::spawn(move || read_all(stderr));
    let printed = read_all(stdout);
    let complained = errors.join().unwrap_or_else(|_| Err(io::Error::other("the reader of standard error died")));
    // The process id stays taken until the last wait, so that nobody else is ended in its place.
    await_end(process)?;
    drop(ended);
    let out_of_time = watch.join().unwrap_or(false);
    let (status, used) = wait(process)?;
    let usage = Usage {
        wall: start.elapsed(),
        cpu: duration(used.ru_utime) + duration(used.ru_stime),
        peak_rss_bytes: peak_rss_bytes(&used),
    };
    Ok(Finished { status, stdout: printed?, stderr: complained?, usage, out_of_time })
}

/// Ends the process when the limit is over and nobody has said that it ended; says whether it did.
fn watch(process: libc::pid_t, limit: Option<Duration>, has_ended: &mpsc::Receiver<()>) -> bool {
    let Some(limit) = limit else { return false };
    let out_of_time = has_ended.recv_timeout(limit) == Err(RecvTimeoutError::Timeout);
    if out_of_time {
        // SAFETY: a signal to a child that has not been waited for, so the number is still its own.
        unsafe { libc::kill(process, libc::SIGKILL) };
    }
    out_of_time
}

/// Waits until a child has ended, and leaves it to be waited for.
fn await_end(process: libc::pid_t) -> io::Result<()> {
    let process = libc::id_t::try_from(process).map_err(io::Error::other)?;
    // SAFETY: `siginfo_t` is plain data, for which all bits zero is a value.
    let mut information: libc::siginfo_t = unsafe { std::mem::zeroed() };
    loop {
        // SAFETY: the pointer is to a live value of the type that the call writes.
        let ended = unsafe { libc::waitid(libc::P_PID, process, &raw mut information, libc::WEXITED | libc::WNOWAIT) };
        if ended == 0 {
            return Ok(());
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
}

fn read_all(pipe: Option<impl Read>) -> io::Result<String> {
    let mut bytes = Vec::new();
    if let Some(mut pipe) = pipe {
        pipe.read_to_end(&mut bytes)?;
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Waits for a child that nobody else waits for.
fn wait(process: libc::pid_t) -> io::Result<(ExitStatus, libc::rusage)> {
    let mut status = 0;
    // SAFETY: `rusage` is plain numbers, for which all bits zero is a value.
    let mut used: libc::rusage = unsafe { std::mem::zeroed() };
    loop {
        // SAFETY: both pointers are to live values of the types that the call writes.
        let ended = unsafe { libc::wait4(process, &raw mut status, 0, &raw mut used) };
        if ended == process {
            return Ok((ExitStatus::from_raw(status), used));
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
}

fn duration(time: libc::timeval) -> Duration {
    let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
    let microseconds = u64::try_from(time.tv_usec).unwrap_or(0);
    Duration::from_secs(seconds) + Duration::from_micros(microseconds)
}

fn peak_rss_bytes(used: &libc::rusage) -> u64 {
    // Linux and the BSDs count in kilobytes, macOS in bytes.
    let unit = if cfg!(target_vendor = "apple") { 1 } else { 1024 };
    u64::try_from(used.ru_maxrss).unwrap_or(0) * unit
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Finished {
        run(Command::new("sh").args(["-c", script])).expect("there is a shell")
    }

    #[test]
    fn status_and_output_are_kept_apart() {
        let finished = shell("echo out; echo err >&2; exit 3");
        assert_eq!(finished.status.code(), Some(3));
        assert_eq!((finished.stdout.as_str(), finished.stderr.as_str()), ("out\n", "err\n"));
        assert_eq!(finished.complaint(), "err");
    }

    #[test]
    fn work_is_measured_and_sleep_is_not() {
        let busy = shell("i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done").usage;
        assert!(busy.cpu > Duration::from_millis(5), "{busy:?}");
        assert!(busy.peak_rss_bytes > 100_000, "{busy:?}");
        let idle = shell("sleep 0.3").usage;
        assert!(idle.wall >= Duration::from_millis(300) && idle.cpu < idle.wall, "{idle:?}");
    }

    #[test]
    fn more_output_than_a_pipe_holds_is_no_trouble() {
        let finished = shell("head -c 300000 /dev/zero >&2; head -c 300000 /dev/zero");
        assert_eq!((finished.stdout.len(), finished.stderr.len()), (300_000, 300_000));
    }
    #[test]
    fn a_program_that_takes_too_long_is_ended() {
        let limit = Some(Duration::from_millis(100));
        let ended = run_within(Command::new("sleep").arg("60"), limit).expect("there is a sleep");
        assert!(ended.out_of_time && !ended.status.success() && ended.usage.wall < Duration::from_secs(30));
        let finished = run_within(&mut Command::new("true"), Some(Duration::from_secs(60))).expect("there is a true");
        assert!(!finished.out_of_time && finished.status.success());
    }
}
