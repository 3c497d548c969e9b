//! Writes automata in the HOA format.

use dampf_core::{Automaton, Literal};
use std::fmt::Write;

/// An automaton as text, with the names of its propositions by their numbers.
///
/// A final location becomes one that accepts whatever comes, which is what it means.
pub fn write_hoa(automaton: &Automaton, propositions: &[String]) -> String {
    let mut text = String::from("HOA: v1\n");
    if !automaton.name.is_empty() {
        let _ = writeln!(text, "name: {}", quoted(&automaton.name));
    }
    let _ = writeln!(text, "States: {}\nStart: {}", automaton.locations.len(), automaton.initial);
    let names: Vec<String> = propositions.iter().map(|name| quoted(name)).collect();
    let _ = writeln!(text, "AP: {}{}{}", names.len(), if names.is_empty() { "" } else { " " }, names.join(" "));
    text.push_str("acc-name: Buchi\nAcceptance: 1 Inf(0)\nproperties: trans-labels explicit-labels state-acc\n");
    text.push_str("--BODY--\n");
    for (number, location) in automaton.locations.iter().enumerate() {
        let name = if location.name.is_empty() { String::new() } else { format!(" {}", quoted(&location.name)) };
        let marks = if location.is_accepting || location.is_final { " {0}" } else { "" };
        let _ = writeln!(text, "State: {number}{name}{marks}");
        if location.is_final {
            let _ = writeln!(text, "[t] {number}");
            continue;
        }
        for edge in &location.edges {
            let _ = writeln!(text, "[{}] {}", label(&edge.guard), edge.target);
        }
    }
    text.push_str("--END--\n");
    text
}

fn label(guard: &[Literal]) -> String {
    if guard.is_empty() {
        return "t".to_owned();
    }
    let literal = |literal: &Literal| format!("{}{}", if literal.is_positive { "" } else { "!" }, literal.proposition);
    guard.iter().map(literal).collect::<Vec<_>>().join("&")
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
