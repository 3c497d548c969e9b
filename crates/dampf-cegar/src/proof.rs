//! Proofs that a conjunction is impossible: certificates of Farkas at the leaves, resolution above.

use crate::inequality::Inequality;
use crate::rational::Rational;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Which part of a question something belongs to: a step of a path.
pub type Part = u32;

pub type ClauseId = u32;

/// An inequality that was asserted, and by which part.
#[derive(Clone, Debug)]
pub struct Premise {
    pub inequality: Arc<Inequality>,
    pub part: Part,
}

/// Where a clause comes from.
#[derive(Clone, Debug)]
pub enum Derivation {
    /// It is part of the question, or holds of all integers of this part.
    Given(Part),
    /// These inequalities contradict each other: their sum with these factors is false. Factors of equations may be
    /// negative.
    Farkas(Vec<(Premise, Rational)>),
    /// Equations without a solution in integers, though with one in fractions.
    Divisibility,
    /// Resolved with these clauses on these variables, one after the other.
    Resolved { first: ClauseId, steps: Vec<(u32, ClauseId)> },
}

#[derive(Clone, Debug)]
pub struct Proof {
    pub(crate) derivations: Vec<Derivation>,
    /// By variable, the part that it belongs to.
    pub(crate) parts: Vec<Part>,
    /// The empty clause.
    pub(crate) root: ClauseId,
}

impl Proof {
    /// The clauses that the proof uses; what a clause is derived from comes before it.
    pub fn used(&self) -> Vec<ClauseId> {
        let mut used = BTreeSet::new();
        let mut open = vec![self.root];
        while let Some(id) = open.pop() {
            if used.insert(id)
                && let Derivation::Resolved { first, steps } = &self.derivations[id as usize]
            {
                open.push(*first);
                open.extend(steps.iter().map(|(_, clause)| *clause));
            }
        }
        // Clauses are numbered in the order in which they were derived.
        used.into_iter().collect()
    }
}
