//! The example models: their headers say what is true of them.
//!
//! `VERDICT` is that of the system without its property, `STATES` and `TRANSITIONS` count its whole space,
//! faults notwithstanding. (`PROPERTY` says whether a property automaton accepts no run, and is tested where such runs
//! are looked for.)

mod exploration;

use dampf_core::FaultKind;
use exploration::{explore, models, parse, read, workspace};

struct Header {
    violated: Option<String>,
    states: u64,
    transitions: u64,
    has_property: bool,
}

fn header(text: &str) -> Option<Header> {
    assert!(text.starts_with("// "), "a model opens with what it is");
    let notes: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("//~ ")).collect();
    let note = |key: &str| notes.iter().find_map(|note| note.strip_prefix(key)).map(str::trim);
    let verdict = note("VERDICT ")?;
    let violated = verdict.strip_prefix("violated ").map(str::to_owned);
    assert!(violated.is_some() || verdict == "verified", "verdict `{verdict}`");
    let counts: Vec<&str> = notes.iter().find(|note| note.starts_with("STATES "))?.split_whitespace().collect();
    let [_, states, "TRANSITIONS", transitions] = counts[..] else { return None };
    Some(Header {
        violated,
        states: states.parse().ok()?,
        transitions: transitions.parse().ok()?,
        has_property: note("PROPERTY ").is_some(),
    })
}

#[test]
fn models_are_what_their_headers_say() {
    let mut wrong = Vec::new();
    for path in models(&workspace().join("models/dve")) {
        let program = parse(&path);
        let found = explore(program.clone());
        let (states, transitions) = (found.states, found.transitions);
        let fault = found.first_fault.map(FaultKind::name);
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let agrees = header(&read(&path)).is_some_and(|header| {
            header.violated.as_deref() == fault
                && (header.states, header.transitions) == (states, transitions)
                && header.has_property == program.property.is_some()
        });
        if !agrees {
            wrong.push(format!("{name}: {fault:?} STATES {states} TRANSITIONS {transitions}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
