//! Answers are checked before they are given, by means that have no part in finding them.
//!
//! A proof is checked state by state: from each abstract state, each transition is impossible or leads into another
//! abstract state of the proof. The tree suggests which one; that it is so is decided here, by a solver that is made
//! for this one question, remembers nothing, and is Dampf's own whoever answered before.

use crate::abstraction::Abstraction;
use crate::cases::Columns;
use crate::decide::Answer;
use crate::expansion::{AbstractState, Expander};
use crate::path::Run;
use crate::patience::Patience;
use crate::system::System;

/// So many conflicts for one question.
const CONFLICTS_MAX: u32 = 200_000;

pub fn replayed(system: &System, run: &Run) -> bool {
    run.replays(system)
}

/// Whether no run leaves these abstract states, and none of them is the error.
pub fn is_inductive(
    system: &System,
    abstraction: &Abstraction,
    states: &[AbstractState],
    expander: &mut Expander<'_>,
) -> bool {
    let is_initial = |state: &AbstractState| state.location == system.initial;
    states.iter().any(is_initial)
        && states
            .iter()
            .all(|state| state.location != system.error && stays_inside(system, abstraction, states, state, expander))
}

fn stays_inside(
    system: &System,
    abstraction: &Abstraction,
    states: &[AbstractState],
    state: &AbstractState,
    expander: &mut Expander<'_>,
) -> bool {
    let successors = expander.successors(abstraction, state);
    system.transition_ids().filter(|&id| system.transition(id).from == state.location).all(|id| {
        let transition = system.transition(id);
        let columns = Columns::of(system, transition);
        let mut question = columns.question();
        question.assert(&columns.condition(&transition.relation), 0);
        question.assert(&columns.condition(&abstraction.meaning(state.location, &state.holding)), 0);
        if let Some((_, successor)) = successors.iter().find(|(transition, _)| *transition == id) {
            let Some(covering) = states.iter().find(|other| successor.is_within(other)) else { return false };
            let meaning = abstraction.meaning(covering.location, &covering.holding);
            let Ok(outside) = meaning.negated() else { return false };
            question.assert(&columns.condition_after(&outside), 0);
        }
        matches!(question.decide(CONFLICTS_MAX, Patience::default()), Answer::Refuted(_))
    })
}
