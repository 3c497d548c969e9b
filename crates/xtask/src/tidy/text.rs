//! Rules for the text of single files: sizes, opening comments, words that have no place here.
//!
//! Words that are looked for are put together from pieces below, so that this file does not contain them.

use super::Problem;

const RUST_LINES_MAX: usize = 1000;
const COMMENT_COLUMNS_MAX: usize = 120;

/// What must not stand in Rust code, and why.
const NOT_IN_RUST: &[(&str, &str)] = &[
    (concat!("to", "do!("), "unfinished code; finish it, or return `Unsupported`"),
    (concat!("unimpl", "emented!("), "unfinished code; finish it, or return `Unsupported`"),
    (concat!("db", "g!("), "left from debugging"),
    (concat!("#[", "ignore"), "a test that never runs; assert what happens today, with a FIXME"),
];

/// A package registry: its name belongs into the lock file alone.
const REGISTRY: &str = concat!("crates", ".io");

/// The place where somebody happens to work. A relative path may have such a part.
const WORKPLACE: &str = concat!("/", "work/");

/// Checks one file. `place` is its path from the root of the workspace, with slashes.
pub fn check(place: &str, text: &str) -> Vec<Problem> {
    let mut problems = Vec::new();
    if place.ends_with(".rs") {
        check_rust(place, text, &mut problems);
    }
    if place != "Cargo.lock" {
        check_words(place, text, &mut problems);
    }
    let is_model = place.ends_with(".dve") || place.ends_with(".dmc");
    if is_model && place.starts_with("models/") && !text.lines().any(|line| line.starts_with("//~ VERDICT ")) {
        problems.push(Problem::new(place, "the model does not say what is expected of it: add a line `//~ VERDICT …`"));
    }
    problems
}

fn check_rust(place: &str, text: &str, problems: &mut Vec<Problem>) {
    if !text.starts_with("//!") {
        problems.push(Problem::new(place, "a module opens with a `//!` comment that says what it is"));
    }
    let lines = text.lines().count();
    if lines > RUST_LINES_MAX {
        let message = format!("{lines} lines, more than {RUST_LINES_MAX}: this is two ideas, so make it two files");
        problems.push(Problem::new(place, message));
    }
    for (index, line) in text.lines().enumerate() {
        let columns = line.chars().count();
        if line.trim_start().starts_with("//") && columns > COMMENT_COLUMNS_MAX {
            let message = format!("a comment of {columns} columns, more than {COMMENT_COLUMNS_MAX}: wrap it");
            problems.push(Problem::new(format!("{place}:{}", index + 1), message));
        }
        for (word, why) in NOT_IN_RUST {
            if line.contains(word) {
                problems.push(Problem::new(format!("{place}:{}", index + 1), format!("`{word}`: {why}")));
            }
        }
    }
}

fn check_words(place: &str, text: &str, problems: &mut Vec<Problem>) {
    for (index, line) in text.lines().enumerate() {
        let place = || format!("{place}:{}", index + 1);
        if line.contains(REGISTRY) {
            problems.push(Problem::new(place(), format!("`{REGISTRY}`: only Cargo.lock speaks of registries")));
        }
        if has_absolute(line, WORKPLACE) {
            problems.push(Problem::new(place(), format!("`{WORKPLACE}`: a path that exists on one machine only")));
        }
    }
}

/// Whether `path` stands in the line and begins there, rather than go on from a folder before it.
fn has_absolute(line: &str, path: &str) -> bool {
    let goes_on = |before: char| before.is_alphanumeric() || "_-.~})".contains(before);
    line.match_indices(path).any(|(at, _)| !line[..at].chars().next_back().is_some_and(goes_on))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages(place: &str, text: &str) -> Vec<String> {
        check(place, text).iter().map(Problem::to_string).collect()
    }

    #[test]
    fn comments_are_wrapped() {
        let comment = |columns: usize| format!("//! What.\n    /// {}\n", "ö".repeat(columns - 8));
        assert!(messages("crates/a/src/lib.rs", &comment(COMMENT_COLUMNS_MAX)).is_empty());
        assert_eq!(
            messages("crates/a/src/lib.rs", &comment(COMMENT_COLUMNS_MAX + 1)),
            ["crates/a/src/lib.rs:2: a comment of 121 columns, more than 120: wrap it"]
        );
        let code = format!("//! What.\nconst A: &str = \"{}\";\n", "a".repeat(200));
        assert!(messages("crates/a/src/lib.rs", &code).is_empty(), "code is the formatter's business");
    }

    #[test]
    fn rust_opens_with_a_comment_and_ends_in_time() {
        assert!(messages("crates/a/src/lib.rs", "//! What it is.\n").is_empty());
        let long = format!("use std::fmt;\n{}", "\n".repeat(RUST_LINES_MAX));
        assert_eq!(
            messages("crates/a/src/lib.rs", &long),
            [
                "crates/a/src/lib.rs: a module opens with a `//!` comment that says what it is",
                "crates/a/src/lib.rs: 1001 lines, more than 1000: this is two ideas, so make it two files",
            ]
        );
    }

    #[test]
    fn unfinished_code_is_named_with_its_line() {
        for (word, _) in NOT_IN_RUST {
            let found = messages("a.rs", &format!("//! A.\nfn f() {{ {word} }}\n"));
            assert!(found.len() == 1 && found[0].starts_with(&format!("a.rs:2: `{word}`")), "{found:?}");
            assert!(messages("a.md", word).is_empty());
        }
    }

    #[test]
    fn places_of_one_machine_are_found_and_relative_paths_are_not() {
        for line in [format!("{WORKPLACE}main"), format!("see `{WORKPLACE}x`"), format!("file://{WORKPLACE}x")] {
            assert_eq!(messages("README.md", &line).len(), 1, "{line}");
        }
        for line in [format!("frame{WORKPLACE}x"), format!("..{WORKPLACE}x")] {
            assert!(messages("README.md", &line).is_empty(), "{line}");
        }
    }

    #[test]
    fn only_the_lock_file_names_registries() {
        assert!(messages("Cargo.lock", REGISTRY).is_empty());
        assert_eq!(messages("docs/install.md", &format!("from {REGISTRY}")).len(), 1);
    }

    #[test]
    fn models_say_what_is_expected_of_them() {
        assert!(messages("models/dve/a.dve", "// A.\n//~ VERDICT verified\n").is_empty());
        assert_eq!(messages("models/dmc/a.dmc", "// A.\n").len(), 1);
        assert!(messages("models/dmc/a.buc", "// A.\n").is_empty());
        assert!(messages("crates/a/tests/broken.dve", "// A.\n").is_empty());
    }
}
