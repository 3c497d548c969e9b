//! The project itself is tidy: `cargo xtask tidy`, for those who only run the tests.

use xtask::tidy;
use xtask::workspace::Workspace;

#[test]
fn the_project_is_tidy() {
    let problems = tidy::problems(&Workspace::of_this_crate()).expect("the workspace can be read");
    let lines: Vec<String> = problems.iter().map(|problem| format!("  {problem}")).collect();
    assert!(lines.is_empty(), "not tidy:\n{}", lines.join("\n"));
}
