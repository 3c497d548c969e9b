//! The tutorial is true: its programs are written to files, its commands are run, and the verdicts are those that it
//! shows.

mod running;

use running::Playground;
use running::program::has_compiler;

/// A fenced block: what stands behind the fence, and its lines.
struct Block<'a> {
    heading: &'a str,
    lines: Vec<&'a str>,
}

fn blocks(text: &str) -> Vec<Block<'_>> {
    let mut blocks: Vec<Block<'_>> = Vec::new();
    let mut is_open = false;
    for line in text.lines() {
        match line.strip_prefix("```") {
            Some(heading) if !is_open => blocks.push(Block { heading, lines: Vec::new() }),
            None if is_open => blocks.last_mut().expect("a block is open").lines.push(line),
            _ => {}
        }
        is_open ^= line.starts_with("```");
    }
    blocks
}

/// The lines that say what was found and what that rests on.
fn verdict_lines<'a>(lines: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let says = |line: &&str| {
        ["verified: ", "violated: ", "unknown: ", "  assuming "].iter().any(|beginning| line.starts_with(beginning))
    };
    lines.filter(says).collect()
}

fn check_page(name: &str) {
    if !has_compiler() {
        println!("skipped: there is no cross compiler (scripts/setup installs it)");
        return;
    }
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(name);
    let text = std::fs::read_to_string(path).unwrap();
    let playground = Playground::new();
    let mut commands = 0;
    for Block { heading, lines } in blocks(&text) {
        match heading.split_once(' ') {
            Some(("cpp" | "c", file)) => playground.write(file, (lines.join("\n") + "\n").as_bytes()),
            _ if heading == "console" => {
                let (command, shown) = lines.split_first().expect("a console shows a command");
                let words: Vec<&str> = command.strip_prefix("$ dampf ").expect("of Dampf").split(' ').collect();
                let finished = playground.dampf(&words);
                let found = verdict_lines(finished.stdout.lines());
                assert_eq!(found, verdict_lines(shown.iter().copied()), "{command}: {finished:?}");
                assert!(!found.is_empty(), "{command}: {finished:?}");
                let begins_with_step =
                    |line: &&&str| line.trim_start().starts_with(|first: char| first.is_ascii_digit());
                for step in shown.iter().filter(begins_with_step) {
                    assert!(finished.stdout.contains(*step), "{step} is not in {}", finished.stdout);
                }
                commands += 1;
            }
            _ => panic!("a block of an unknown kind: {heading}"),
        }
    }
    assert!(commands > 1, "{commands} commands");
}

#[test]
fn the_tutorial_shows_what_happens() {
    check_page("tutorial.md");
}
