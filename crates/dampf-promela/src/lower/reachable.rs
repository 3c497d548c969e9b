//! Leaves out places that no process comes to.
//!
//! What a holder does in a row became one transition, so many of the places within atomic sequences are never stood at.
//! Without them there is less to compile, and a location takes fewer bits.

use super::standing::Standing;
use super::{ABSENT, Account};
use dampf_gcl::ir::{Expr, Joint, Location, LocationId, ProcessId, Transition};

/// The locations that remain: for each process and old location its new number.
pub struct Reachable {
    numbers: Vec<Vec<Option<LocationId>>>,
}

impl Reachable {
    /// Follows the transitions of all processes from their initial locations, whatever their guards.
    pub fn find(locations: &[Vec<Location>], initial: &[LocationId], transitions: &[Vec<Transition>]) -> Reachable {
        let mut moves: Vec<Vec<(LocationId, LocationId)>> = locations.iter().map(|_| Vec::new()).collect();
        for (process, transitions) in transitions.iter().enumerate() {
            for transition in transitions {
                moves[process].push((transition.source, transition.target));
                if let Some(Joint { process, source, target }) = transition.joint {
                    moves[process.0 as usize].push((source, target));
                }
            }
        }
        let numbers = locations.iter().zip(initial).zip(moves).map(|((locations, initial), moves)| {
            let mut reached = vec![false; locations.len()];
            reached[initial.0 as usize] = true;
            reached[ABSENT.0 as usize] = true;
            let mut is_growing = true;
            while is_growing {
                is_growing = false;
                for (source, target) in &moves {
                    if reached[source.0 as usize] && !reached[target.0 as usize] {
                        reached[target.0 as usize] = true;
                        is_growing = true;
                    }
                }
            }
            let mut next = 0;
            let number = |reached: bool| {
                reached.then(|| {
                    next += 1;
                    LocationId(next - 1)
                })
            };
            reached.into_iter().map(number).collect()
        });
        Reachable { numbers: numbers.collect() }
    }

    /// The new number of a location that remains.
    pub fn number(&self, process: usize, location: LocationId) -> Option<LocationId> {
        self.numbers[process][location.0 as usize]
    }

    /// The locations that remain, with their old numbers.
    pub fn locations(&self, process: usize) -> impl Iterator<Item = LocationId> + '_ {
        let numbers = self.numbers[process].iter().enumerate();
        numbers.filter(|(_, number)| number.is_some()).map(|(old, _)| LocationId(old as u32))
    }

    /// The transitions that can be taken from locations that remain.
    pub fn transitions(
        &self,
        process: usize,
        transitions: Vec<Transition>,
        accounts: Vec<Account>,
    ) -> (Vec<Transition>, Vec<Account>) {
        transitions
            .into_iter()
            .zip(accounts)
            .filter_map(|(transition, account)| Some((self.transition(process, transition)?, account)))
            .unzip()
    }

    fn transition(&self, process: usize, transition: Transition) -> Option<Transition> {
        let joint = match transition.joint {
            None => None,
            Some(Joint { process, source, target }) => {
                let number = |location| self.number(process.0 as usize, location);
                Some(Joint { process, source: number(source)?, target: number(target)? })
            }
        };
        Some(Transition {
            source: self.number(process, transition.source)?,
            target: self.number(process, transition.target)?,
            guard: transition.guard.map(|guard| self.expr(guard)),
            joint,
            effects: transition.effects.into_iter().map(|effect| self.effect(effect)).collect(),
            ..transition
        })
    }
}

impl Standing for Reachable {
    fn at(&self, process: ProcessId, location: LocationId) -> Expr {
        match self.number(process.0 as usize, location) {
            Some(location) => Expr::At(process, location),
            None => Expr::Const(0),
        }
    }
}
