//! Boolean functions of propositions, as binary decision diagrams: what edges of automata are labelled with.
//!
//! Equal functions have equal numbers. The automata here have few propositions and small guards, so nothing is ever
//! thrown away. [`Guards::cubes`] brings a function back to conjunctions (Minato: Fast generation of irredundant
//! sum-of-products forms from binary decision diagrams, 1992).

use dampf_core::Literal;
use std::collections::HashMap;

/// A function of [`Guards`], by its number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Guard(u32);

pub const NEVER: Guard = Guard(0);
pub const ALWAYS: Guard = Guard(1);

/// A decision: on a proposition, with what follows if it is false and if it is true.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Decision {
    proposition: u32,
    low: Guard,
    high: Guard,
}

pub struct Guards {
    decisions: Vec<Decision>,
    numbers: HashMap<Decision, Guard>,
    conjunctions: HashMap<(Guard, Guard), Guard>,
    negations: HashMap<Guard, Guard>,
}

impl Default for Guards {
    fn default() -> Self {
        // The constants decide on no proposition: they come behind all of them.
        let constant = Decision { proposition: u32::MAX, low: NEVER, high: NEVER };
        Guards {
            decisions: vec![constant; 2],
            numbers: HashMap::new(),
            conjunctions: HashMap::new(),
            negations: HashMap::new(),
        }
    }
}

impl Guards {
    fn decision(&self, guard: Guard) -> Decision {
        self.decisions[guard.0 as usize]
    }

    fn make(&mut self, proposition: u32, low: Guard, high: Guard) -> Guard {
        if low == high {
            return low;
        }
        let decision = Decision { proposition, low, high };
        *self.numbers.entry(decision).or_insert_with(|| {
            self.decisions.push(decision);
            Guard(self.decisions.len() as u32 - 1)
        })
    }

    /// What is left of a function if the value of a proposition, the first it may decide on, is known.
    fn branches(&self, guard: Guard, proposition: u32) -> (Guard, Guard) {
        let decision = self.decision(guard);
        if decision.proposition == proposition { (decision.low, decision.high) } else { (guard, guard) }
    }

    pub fn literal(&mut self, literal: Literal) -> Guard {
        if literal.is_positive {
            self.make(literal.proposition, NEVER, ALWAYS)
        } else {
            self.make(literal.proposition, ALWAYS, NEVER)
        }
    }

    pub fn cube(&mut self, literals: &[Literal]) -> Guard {
        literals.iter().fold(ALWAYS, |cube, &literal| {
            let literal = self.literal(literal);
            self.and(cube, literal)
        })
    }

    pub fn and(&mut self, one: Guard, two: Guard) -> Guard {
        match (one, two) {
            (NEVER, _) | (_, NEVER) => return NEVER,
            (ALWAYS, other) | (other, ALWAYS) => return other,
            _ if one == two => return one,
            _ => {}
        }
        let pair = (one.min(two), one.max(two));
        if let Some(&known) = self.conjunctions.get(&pair) {
            return known;
        }
        let proposition = self.decision(one).proposition.min(self.decision(two).proposition);
        let ((one_low, one_high), (two_low, two_high)) =
            (self.branches(one, proposition), self.branches(two, proposition));
        let (low, high) = (self.and(one_low, two_low), self.and(one_high, two_high));
        let conjunction = self.make(proposition, low, high);
        self.conjunctions.insert(pair, conjunction);
        conjunction
    }

    pub fn not(&mut self, guard: Guard) -> Guard {
        match guard {
            NEVER => return ALWAYS,
            ALWAYS => return NEVER,
            _ => {}
        }
        if let Some(&known) = self.negations.get(&guard) {
            return known;
        }
        let Decision { proposition, low, high } = self.decision(guard);
        let (low, high) = (self.not(low), self.not(high));
        let negation = self.make(proposition, low, high);
        self.negations.insert(guard, negation);
        self.negations.insert(negation, guard);
        negation
    }

    pub fn or(&mut self, one: Guard, two: Guard) -> Guard {
        let (one, two) = (self.not(one), self.not(two));
        let neither = self.and(one, two);
        self.not(neither)
    }

    pub fn without(&mut self, one: Guard, two: Guard) -> Guard {
        let not_two = self.not(two);
        self.and(one, not_two)
    }

    pub fn implies(&mut self, one: Guard, two: Guard) -> bool {
        one == NEVER || two == ALWAYS || self.and(one, two) == one
    }

    /// Conjunctions, none of which can be left out, whose disjunction holds wherever `needed` does and nowhere
    /// outside of `allowed`.
    pub fn cubes(&mut self, needed: Guard, allowed: Guard) -> Vec<Vec<Literal>> {
        debug_assert!(self.implies(needed, allowed));
        let mut cubes = self.cover(needed, allowed).0;
        cubes.sort();
        cubes
    }

    fn cover(&mut self, needed: Guard, allowed: Guard) -> (Vec<Vec<Literal>>, Guard) {
        if needed == NEVER {
            return (Vec::new(), NEVER);
        }
        if allowed == ALWAYS {
            return (vec![Vec::new()], ALWAYS);
        }
        let proposition = self.decision(needed).proposition.min(self.decision(allowed).proposition);
        let (needed_low, needed_high) = self.branches(needed, proposition);
        let (allowed_low, allowed_high) = self.branches(allowed, proposition);
        // First what only conjunctions with the proposition, or its negation, can cover; then the rest, without it.
        let only_low = self.without(needed_low, allowed_high);
        let only_high = self.without(needed_high, allowed_low);
        let (mut low_cubes, low) = self.cover(only_low, allowed_low);
        let (mut high_cubes, high) = self.cover(only_high, allowed_high);
        let (rest_low, rest_high) = (self.without(needed_low, low), self.without(needed_high, high));
        let (rest, both_allowed) = (self.or(rest_low, rest_high), self.and(allowed_low, allowed_high));
        let (mut cubes, both) = self.cover(rest, both_allowed);
        for (part, is_positive) in [(&mut low_cubes, false), (&mut high_cubes, true)] {
            for cube in part.iter_mut() {
                cube.insert(0, Literal { proposition, is_positive });
            }
            cubes.append(part);
        }
        let branches = self.make(proposition, low, high);
        (cubes, self.or(branches, both))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn literal(proposition: u32, is_positive: bool) -> Literal {
        Literal { proposition, is_positive }
    }

    #[test]
    fn equal_functions_are_one() {
        let mut guards = Guards::default();
        let (a, b) = (guards.literal(literal(0, true)), guards.literal(literal(1, true)));
        let both = guards.and(a, b);
        let only_a = guards.without(a, b);
        assert_eq!(guards.or(both, only_a), a);
        let not_a = guards.not(a);
        assert_eq!(guards.or(a, not_a), ALWAYS);
        assert_eq!(guards.and(a, not_a), NEVER);
        assert!(guards.implies(both, a) && !guards.implies(a, both));
    }

    #[test]
    fn covers_are_short_and_use_what_they_may() {
        let mut guards = Guards::default();
        let (a, b) = (guards.literal(literal(0, true)), guards.literal(literal(1, true)));
        let either = guards.or(a, b);
        assert_eq!(guards.cubes(either, either).len(), 2);
        let only_a = guards.without(a, b);
        assert_eq!(guards.cubes(only_a, only_a), [vec![literal(0, true), literal(1, false)]]);
        assert_eq!(guards.cubes(only_a, a), [vec![literal(0, true)]]);
        assert_eq!(guards.cubes(only_a, ALWAYS), [Vec::new()]);
        assert!(guards.cubes(NEVER, a).is_empty());
    }
}
