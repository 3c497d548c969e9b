//! The models of BEEM: all are read, and the smaller ones have as many states, transitions and levels as
//! the database says.

mod exploration;

use exploration::{Explored, beem, explore, models, parse, read};

/// Larger spaces take too long for the interpreter in every test run.
const STATES_MAX: u64 = 60_000;

#[test]
fn every_model_is_read() {
    let Some(folder) = beem() else { return };
    let models = models(&folder);
    for path in &models {
        let program = parse(path);
        let has_property = path.to_string_lossy().contains(".prop");
        assert_eq!(program.property.is_some(), has_property, "{}", path.display());
    }
    println!("{} models read", models.len());
}

#[test]
fn small_models_have_the_known_counts() {
    let Some(folder) = beem() else { return };
    let counts = read(&folder.join("counts.tsv"));
    let mut compared = 0;
    let mut wrong = Vec::new();
    for row in counts.lines().skip(1) {
        let fields: Vec<&str> = row.split('\t').collect();
        let number = |index: usize| fields.get(index).and_then(|field: &&str| field.parse::<u64>().ok());
        let Some(states) = number(1).filter(|states| *states < STATES_MAX) else { continue };
        let found = explore(parse(&folder.join(format!("{}.dve", fields[0]))));
        compared += 1;
        let agrees = |known: Option<u64>, found: u64| known.is_none_or(|known| known == found);
        let Explored { transitions, levels, .. } = found;
        if found.states != states || !agrees(number(3), transitions) || !agrees(number(4), levels) {
            wrong.push(format!("{row}: {found:?}"));
        }
    }
    println!("{compared} models explored");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(compared > 50, "only {compared} models were compared");
}

/// `255 + 1` in a byte is an error: 347,036 states without an overflow, an error state of zeros, and two states that
/// the second process still reaches from there.
#[test]
fn an_overflow_leads_to_the_error_state() {
    let Some(folder) = beem() else { return };
    let found = explore(parse(&folder.join("anderson.1.dve")));
    assert_eq!((found.states, found.transitions, found.faulty_steps), (347_039, 693_048, 538));
}
