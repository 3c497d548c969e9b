//! What tests of programs need.

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
