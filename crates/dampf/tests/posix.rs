//! Functions of POSIX return to a checked program what the host's C library returns to one that runs natively.

mod running;

use running::program::{folder, has_compiler, is_installed};
use running::{Playground, dampf_in};
use std::process::Command;

#[test]
fn functions_return_what_those_of_the_host_return() {
    let folder = folder("crates/dampf/tests/posix");
    if !has_compiler() || !is_installed("cc") {
        println!("skipped: there is no cross compiler or no `cc` for the host (scripts/setup installs them)");
        return;
    }
    let playground = Playground::new();
    let (native, checked) = (playground.path("native"), playground.path("checked"));
    let compiled = Command::new("cc")
        .args(["-pthread", "-o"])
        .arg(&native)
        .arg(folder.join("return_codes.c"))
        .output()
        .expect("the compiler runs");
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let output = Command::new(&native).output().expect("the program runs");
    let theirs = String::from_utf8(output.stdout).expect("text");
    let arguments = ["cc", "return_codes.c", "-o", &checked.display().to_string()].map(str::to_owned);
    let compiled = dampf_in(&folder, &arguments);
    assert_eq!(compiled.status, 0, "{compiled:?}");
    let ours = dampf_in(&folder, &["simulate".to_owned(), "--quiet".to_owned(), checked.display().to_string()]);
    let differing: Vec<_> = theirs.lines().zip(ours.stdout.lines()).filter(|(theirs, ours)| theirs != ours).collect();
    assert!(differing.is_empty(), "theirs and ours differ: {differing:#?}");
    assert_eq!(theirs.lines().count(), ours.stdout.lines().count(), "{}", ours.stderr);
    let calls = theirs.lines().filter(|line| line.contains('(')).count();
    assert!(calls >= 150, "only {calls} calls are compared");
}
