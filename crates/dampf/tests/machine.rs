//! Programs that print what they compute, on our machine and under `qemu-riscv64`: the same output, the same exit
//! status.

mod running;

use dampf_testkit::expectations::{expectations, sources};
use running::dampf_in;
use running::program::{folder, has_compiler, in_parallel, is_installed};
use std::path::Path;
use std::process::{Command, Stdio};

/// The flags that a program's first lines ask for.
fn flags(folder: &Path, file: &str) -> Vec<String> {
    let mut flags: Vec<String> = expectations(folder, file).into_iter().flat_map(|expected| expected.flags).collect();
    let text = std::fs::read_to_string(folder.join(file)).expect("a source");
    let lines =
        text.lines().take_while(|line| line.starts_with("//")).filter_map(|line| line.strip_prefix("// flags:"));
    flags.extend(lines.flat_map(str::split_whitespace).map(str::to_owned));
    flags.sort();
    flags.dedup();
    flags
}

fn compare(folder: &Path, file: &str, scratch: &Path) -> Option<String> {
    let executable = scratch.join(file).with_extension("elf");
    let compiler = if file.ends_with(".c") { "cc" } else { "c++" };
    let mut arguments = vec![compiler.to_owned(), file.to_owned(), "-o".to_owned(), executable.display().to_string()];
    arguments.extend(flags(folder, file));
    let compiled = dampf_in(folder, &arguments);
    if compiled.status != 0 {
        return Some(format!("{file} is not compiled: {}", compiled.stderr));
    }
    let ours = dampf_in(folder, &["simulate".to_owned(), "--quiet".to_owned(), executable.display().to_string()]);
    let emulated = Command::new("qemu-riscv64").arg(&executable).stdin(Stdio::null()).output().expect("qemu runs");
    // What we have of standard error is among the output, so the two are compared together where a program uses both.
    let theirs = String::from_utf8_lossy(&emulated.stdout) + String::from_utf8_lossy(&emulated.stderr);
    let status = emulated.status.code();
    let same = ours.stdout == theirs && Some(ours.status) == status;
    (!same).then(|| {
        format!("{file}: status {} and {status:?}\nours: {}{}\ntheirs: {theirs}", ours.status, ours.stdout, ours.stderr)
    })
}

#[test]
fn programs_do_what_they_do_under_qemu() {
    if !has_compiler() || !is_installed("qemu-riscv64") {
        println!("skipped: there is no cross compiler or no qemu-riscv64 (scripts/setup installs them)");
        return;
    }
    let folder = folder("crates/dampf-object/tests/machine");
    let scratch = tempfile::tempdir().expect("a folder");
    let files = sources(&folder);
    let complaints = in_parallel(&files, |file| compare(&folder, file, scratch.path()));
    let complaints: Vec<String> = complaints.into_iter().flatten().collect();
    assert!(complaints.is_empty(), "{} of {}:\n{}", complaints.len(), files.len(), complaints.join("\n\n"));
}
