//! Successors of abstract states, with a memory of all bits that were ever found.
//!
//! That a cube and a transition imply a predicate stays true for every larger cube, and that they do not stays true for
//! every smaller one. So each question keeps the least cubes that were found to imply it and the greatest ones that
//! were found not to; most questions of a later iteration are answered by these. Bits are facts: whether one is
//! remembered or asked again cannot be seen in the result.

use crate::abstraction::Abstraction;
use crate::bits::Bits;
use crate::solver::{PostQuestion, Solver, Truth};
use crate::system::{LocationId, System, TransitionId};

/// An abstract state: a location, and the predicates that hold there.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct AbstractState {
    pub location: LocationId,
    pub holding: Bits,
}

impl AbstractState {
    /// Whether all states of this one are states of the other.
    pub fn is_within(&self, other: &AbstractState) -> bool {
        self.location == other.location && other.holding.is_subset(&self.holding)
    }
}

/// What is known about one question.
#[derive(Clone, Default)]
struct Known {
    /// Least cubes that imply it.
    yes: Vec<Bits>,
    /// Greatest cubes that do not.
    no: Vec<Bits>,
    /// Cubes for which the solver gave up.
    unknown: Vec<Bits>,
}

impl Known {
    fn lookup(&self, cube: &Bits) -> Option<bool> {
        if self.yes.iter().any(|core| core.is_subset(cube)) {
            Some(true)
        } else if self.no.iter().any(|larger| cube.is_subset(larger)) || self.unknown.contains(cube) {
            Some(false)
        } else {
            None
        }
    }

    fn learn(&mut self, cube: &Bits, truth: &Truth) {
        match truth {
            Truth::Yes(core) => {
                self.yes.retain(|known| !core.is_subset(known));
                self.yes.push(core.clone());
            }
            Truth::No => {
                self.no.retain(|known| !known.is_subset(cube));
                self.no.push(cube.clone());
            }
            Truth::Unknown => self.unknown.push(cube.clone()),
        }
    }
}

#[derive(Clone, Default)]
struct KnownOfTransition {
    impossible: Known,
    /// By predicate of the target.
    implied: Vec<Known>,
}

pub struct Expander<'s> {
    system: &'s System,
    outgoing: Vec<Vec<TransitionId>>,
    known: Vec<KnownOfTransition>,
    solver: Box<dyn Solver + 's>,
    /// Questions that the solver could not answer, all told.
    gave_up: u64,
}

impl<'s> Expander<'s> {
    pub fn new(system: &'s System, solver: Box<dyn Solver + 's>) -> Expander<'s> {
        let mut outgoing = vec![Vec::new(); system.locations.len()];
        for id in system.transition_ids() {
            outgoing[system.transition(id).from.0 as usize].push(id);
        }
        let known = vec![KnownOfTransition::default(); system.transitions.len()];
        Expander { system, outgoing, known, solver, gave_up: 0 }
    }

    pub fn checks(&self) -> u64 {
        self.solver.checks()
    }

    pub fn gave_up(&self) -> u64 {
        self.gave_up
    }

    /// The facts have changed: more is implied than before.
    pub fn forget(&mut self) {
        self.solver.forget();
        self.known.fill(KnownOfTransition::default());
    }

    /// All successors, in the order of transitions.
    pub fn successors(
        &mut self,
        abstraction: &Abstraction,
        state: &AbstractState,
    ) -> Vec<(TransitionId, AbstractState)> {
        let outgoing = std::mem::take(&mut self.outgoing[state.location.0 as usize]);
        let mut successors = Vec::with_capacity(outgoing.len());
        for &id in &outgoing {
            if let Some(successor) = self.successor(abstraction, &state.holding, id) {
                successors.push((id, successor));
            }
        }
        self.outgoing[state.location.0 as usize] = outgoing;
        successors
    }

    fn successor(&mut self, abstraction: &Abstraction, cube: &Bits, id: TransitionId) -> Option<AbstractState> {
        let to = self.system.transition(id).to;
        let count = abstraction.predicates(to).len();
        let known = &mut self.known[id.0 as usize];
        known.implied.resize(count, Known::default());
        let impossible = known.impossible.lookup(cube);
        if impossible == Some(true) {
            return None;
        }
        let mut bits: Vec<Option<bool>> = known.implied.iter().map(|known| known.lookup(cube)).collect();
        let wanted: Vec<u32> = (0..count as u32).filter(|&index| bits[index as usize].is_none()).collect();
        if impossible.is_none() || !wanted.is_empty() {
            let asks_possible = impossible.is_none();
            let question = PostQuestion { transition: id, cube, asks_possible, wanted: &wanted };
            let answer = self.solver.post(abstraction, &question);
            if asks_possible || matches!(answer.impossible, Truth::Yes(_)) {
                self.gave_up += u64::from(answer.impossible == Truth::Unknown);
                known.impossible.learn(cube, &answer.impossible);
            }
            if matches!(answer.impossible, Truth::Yes(_)) {
                return None;
            }
            for (&index, truth) in wanted.iter().zip(&answer.implied) {
                self.gave_up += u64::from(*truth == Truth::Unknown);
                known.implied[index as usize].learn(cube, truth);
                bits[index as usize] = Some(matches!(truth, Truth::Yes(_)));
            }
        }
        let holding = (0..count as u32).filter(|&index| bits[index as usize] == Some(true)).collect();
        Some(AbstractState { location: to, holding })
    }
}
