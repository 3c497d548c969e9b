//! The cross compiler that makes the programs of these tests, and the other tools of its kit.
#![allow(dead_code)]

use std::path::PathBuf;
use std::process::Command;

/// A compiled program and where it is.
pub struct Program {
    pub path: PathBuf,
    pub bytes: Vec<u8>,
}

/// Where the sources are: the programs are compiled there, so that file names are short.
pub fn sources() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/programs")
}

/// Compiles a source file of `tests/programs`, or says why the test does not run. `name` must be used by one test only.
pub fn compile(name: &str, source: &str, arguments: &[&str]) -> Option<Program> {
    let compiler = if source.ends_with(".c") { "riscv64-linux-gnu-gcc" } else { "riscv64-linux-gnu-g++" };
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.elf"));
    run(compiler, source, &path, arguments)?;
    let bytes = std::fs::read(&path).expect("the compiler has written the program");
    Some(Program { path, bytes })
}

fn run(compiler: &str, source: &str, path: &PathBuf, arguments: &[&str]) -> Option<()> {
    let output = Command::new(compiler).current_dir(sources()).args(arguments).arg(source).arg("-o").arg(path).output();
    let Ok(output) = output else {
        println!("skipped: {compiler} is not installed");
        return None;
    };
    assert!(output.status.success(), "{source} does not compile: {}", String::from_utf8_lossy(&output.stderr));
    Some(())
}

/// Runs another tool of the cross compiler's kit; its standard input is given as text.
pub fn tool(name: &str, arguments: &[&str], input: &str) -> Option<String> {
    use std::io::Write;
    use std::process::Stdio;
    let child = Command::new(name).args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let Ok(mut child) = child else {
        println!("skipped: {name} is not installed");
        return None;
    };
    let mut stdin = child.stdin.take().expect("a pipe");
    let input = input.to_owned();
    // The tool answers while it still reads: a thread of its own feeds it.
    let feeder = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
    let output = child.wait_with_output().expect("the tool ends");
    feeder.join().expect("the feeder does not panic").expect("the tool reads its input");
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// A small deterministic generator (xorshift) for mutations.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit.max(1) as u64) as usize
    }
}
