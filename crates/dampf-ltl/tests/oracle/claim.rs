//! Reads the claims that `spin -f` writes, as automata.

use dampf_core::{Automaton, AutomatonEdge, AutomatonLocation, Literal};
use std::process::Command;

/// SPIN's claim for a formula over `p0`, `p1`, …, and the number of its edges as SPIN counts them; nothing where SPIN
/// gives none.
pub fn claim(formula: &str) -> Option<(Automaton, usize)> {
    let output = Command::new("timeout").args(["2", "spin", "-f", formula]).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    text.starts_with("never").then(|| read(&text))
}

pub fn is_spin_installed() -> bool {
    Command::new("spin").arg("-V").output().is_ok_and(|output| output.status.success())
}

/// Several labels may name one place; an option of a `do` is an edge; an assertion that fails is the end, where
/// everything is accepted.
fn read(text: &str) -> (Automaton, usize) {
    let mut labels: Vec<Vec<String>> = Vec::new();
    let mut options: Vec<Vec<(String, String)>> = Vec::new();
    // Whether something stands between the last label and here.
    let mut is_new_place = true;
    for line in text.lines().map(str::trim) {
        if let Some(label) = line.strip_suffix(':') {
            if is_new_place {
                labels.push(Vec::new());
                options.push(Vec::new());
            }
            labels.last_mut().expect("a place").push(label.to_owned());
            is_new_place = false;
            continue;
        }
        is_new_place = true;
        if line == ":: false" {
            // A place that is never left.
        } else if let Some(option) = line.strip_prefix(":: ") {
            let (guard, target) = match option.strip_prefix("atomic { ") {
                Some(option) => (option.split(" -> assert").next().expect("a guard"), "accept_all"),
                None => option.rsplit_once(" -> goto ").unwrap_or_else(|| panic!("{text}")),
            };
            options.last_mut().expect("a place").push((guard.to_owned(), target.to_owned()));
        } else if line == "skip" {
            options.last_mut().expect("a place").push(("(1)".to_owned(), "accept_all".to_owned()));
        }
    }
    let number = |label: &str| labels.iter().position(|names| names.iter().any(|name| name == label));
    let edges = options.iter().map(Vec::len).sum();
    let locations = labels
        .iter()
        .zip(&options)
        .map(|(names, options)| {
            let mut written = Vec::new();
            for (guard, target) in options {
                let target = number(target).unwrap_or_else(|| panic!("{target} in\n{text}")) as u32;
                for guard in alternatives(guard) {
                    written.push(AutomatonEdge { guard, target });
                }
            }
            AutomatonLocation {
                name: names[0].clone(),
                is_accepting: names.iter().any(|name| name.starts_with("accept")),
                is_final: false,
                edges: written,
            }
        })
        .collect();
    (Automaton { name: String::new(), locations, initial: 0 }, edges)
}

/// A guard as a disjunction of conjunctions.
fn alternatives(guard: &str) -> Vec<Vec<Literal>> {
    let tokens: Vec<String> = guard
        .replace('(', " ( ")
        .replace(')', " ) ")
        .replace('!', " ! ")
        .split_whitespace()
        .map(str::to_owned)
        .collect();
    let mut at = 0;
    let cubes = disjunction(&tokens, &mut at, true);
    assert_eq!(at, tokens.len(), "{guard}");
    cubes
}

type Cubes = Vec<Vec<Literal>>;

fn both(one: &Cubes, two: &Cubes) -> Cubes {
    let mut cubes = Vec::new();
    for a in one {
        for b in two {
            let mut cube = [&a[..], &b[..]].concat();
            cube.sort();
            cube.dedup();
            let contradicts = cube.windows(2).any(|pair| pair[0].proposition == pair[1].proposition);
            if !contradicts {
                cubes.push(cube);
            }
        }
    }
    cubes.sort();
    cubes.dedup();
    cubes
}

fn either(one: Cubes, two: Cubes) -> Cubes {
    let mut cubes = [one, two].concat();
    cubes.sort();
    cubes.dedup();
    cubes
}

fn disjunction(tokens: &[String], at: &mut usize, positive: bool) -> Cubes {
    let mut cubes = conjunction(tokens, at, positive);
    while tokens.get(*at).is_some_and(|token| token == "||") {
        *at += 1;
        let other = conjunction(tokens, at, positive);
        cubes = if positive { either(cubes, other) } else { both(&cubes, &other) };
    }
    cubes
}

fn conjunction(tokens: &[String], at: &mut usize, positive: bool) -> Cubes {
    let mut cubes = factor(tokens, at, positive);
    while tokens.get(*at).is_some_and(|token| token == "&&") {
        *at += 1;
        let other = factor(tokens, at, positive);
        cubes = if positive { both(&cubes, &other) } else { either(cubes, other) };
    }
    cubes
}

fn factor(tokens: &[String], at: &mut usize, positive: bool) -> Cubes {
    let token = tokens[*at].as_str();
    *at += 1;
    match token {
        "!" => factor(tokens, at, !positive),
        "(" => {
            let cubes = disjunction(tokens, at, positive);
            assert_eq!(tokens[*at], ")");
            *at += 1;
            cubes
        }
        "1" | "true" | "0" | "false" => {
            if matches!(token, "1" | "true") == positive {
                vec![Vec::new()]
            } else {
                Vec::new()
            }
        }
        name => {
            let proposition = name.strip_prefix('p').and_then(|number| number.parse().ok()).expect(name);
            vec![vec![Literal { proposition, is_positive: positive }]]
        }
    }
}
