//! Infinite words that end in a cycle: what formulas say of them, and which automata accept them.

use super::{has_fair_cycle, holds};
use dampf_core::Automaton;
use dampf_ltl::Formula;

/// Letters, the last of which is followed by the one at `back_to`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Word {
    pub letters: Vec<u32>,
    pub back_to: usize,
}

impl Word {
    fn after(&self, at: usize) -> usize {
        if at + 1 < self.letters.len() { at + 1 } else { self.back_to }
    }

    /// Whether a formula holds, by its definition: at each place of the word, all that follows is looked at.
    pub fn satisfies(&self, formula: &Formula) -> bool {
        self.values(formula)[0]
    }

    fn values(&self, formula: &Formula) -> Vec<bool> {
        use Formula::*;
        let count = self.letters.len();
        let map = |value: &dyn Fn(usize) -> bool| (0..count).map(value).collect::<Vec<bool>>();
        // From a place, as many steps as there are places lead to everything that follows.
        let until = |left: &[bool], right: &[bool], from: usize| {
            let mut at = from;
            for _ in 0..=count {
                if right[at] {
                    return true;
                }
                if !left[at] {
                    return false;
                }
                at = self.after(at);
            }
            false
        };
        match formula {
            True => vec![true; count],
            False => vec![false; count],
            Proposition(number) => map(&|at| self.letters[at] >> number & 1 == 1),
            Not(one) => self.values(one).iter().map(|value| !value).collect(),
            Next(one) => {
                let one = self.values(one);
                map(&|at| one[self.after(at)])
            }
            Eventually(one) => {
                let one = self.values(one);
                map(&|at| until(&vec![true; count], &one, at))
            }
            Always(one) => {
                let not = self.values(one).iter().map(|value| !value).collect::<Vec<bool>>();
                map(&|at| !until(&vec![true; count], &not, at))
            }
            And(one, two)
            | Or(one, two)
            | Implies(one, two)
            | Equivalent(one, two)
            | Until(one, two)
            | WeakUntil(one, two)
            | Release(one, two) => {
                let (one, two) = (self.values(one), self.values(two));
                let (not_one, not_two) = (
                    one.iter().map(|value| !value).collect::<Vec<_>>(),
                    two.iter().map(|value| !value).collect::<Vec<_>>(),
                );
                map(&|at| match formula {
                    And(..) => one[at] && two[at],
                    Or(..) => one[at] || two[at],
                    Implies(..) => !one[at] || two[at],
                    Equivalent(..) => one[at] == two[at],
                    Until(..) => until(&one, &two, at),
                    WeakUntil(..) => until(&one, &two, at) || !until(&vec![true; count], &not_one, at),
                    _ => !until(&not_one, &not_two, at),
                })
            }
        }
    }

    /// Whether an automaton accepts the word: whether it has an accepting cycle together with it.
    pub fn is_accepted(&self, automaton: &Automaton) -> bool {
        let width = automaton.locations.len();
        let mut successors = vec![Vec::new(); self.letters.len() * width];
        for (at, &letter) in self.letters.iter().enumerate() {
            for (number, location) in automaton.locations.iter().enumerate() {
                let taken = location.edges.iter().filter(|edge| holds(&edge.guard, letter));
                successors[at * width + number] =
                    taken.map(|edge| self.after(at) * width + edge.target as usize).collect();
            }
        }
        let accepts = |pair: usize| automaton.locations[pair % width].is_accepting;
        has_fair_cycle(&successors, automaton.initial as usize, &[&accepts])
    }
}
