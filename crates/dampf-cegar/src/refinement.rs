//! Refinement: a counterexample is a run of the program, or the reason why it is none becomes predicates.

use crate::abstraction::Abstraction;
use crate::interpolation::{NoInterpolants, Preference, interpolants};
use crate::path::{PathAnswer, PathFormula, Run};
use crate::patience::Patience;
use crate::system::{System, TransitionId};

/// So many conflicts for one path.
const CONFLICTS_MAX: u32 = 50_000;

pub enum Refinement {
    /// The counterexample is real.
    Run(Run),
    /// The abstraction has new predicates.
    Refined,
    /// All predicates of the proof were there, and still the abstraction does not exclude the path.
    NothingNew,
    GaveUp(&'static str),
}

pub fn refine(
    system: &System,
    abstraction: &mut Abstraction,
    transitions: &[TransitionId],
    patience: Patience<'_>,
) -> Refinement {
    let path = PathFormula::new(system, transitions, abstraction.facts());
    let proof = match path.decide_within(CONFLICTS_MAX, patience) {
        PathAnswer::Run(run) => return Refinement::Run(run),
        PathAnswer::GaveUp => return Refinement::GaveUp("the path of a counterexample was not decided"),
        PathAnswer::Refuted(proof) => proof,
    };
    let mut is_new = false;
    for preference in [Preference::Late, Preference::Early] {
        let formulas = match interpolants(&path, &proof, preference, patience) {
            Ok(formulas) => formulas,
            Err(NoInterpolants::Size) => return Refinement::GaveUp("interpolants are too large"),
            Err(NoInterpolants::Late) => return Refinement::GaveUp("there was no time for interpolants"),
            Err(NoInterpolants::Overflow) => return Refinement::GaveUp("a coefficient exceeds 128 bits"),
            Err(NoInterpolants::Divisibility) => return Refinement::GaveUp("a predicate would need divisibility"),
        };
        for (position, formula) in formulas.iter().enumerate() {
            is_new |= abstraction.add(path.location(position + 1), formula);
        }
        if is_new {
            return Refinement::Refined;
        }
    }
    Refinement::NothingNew
}
