//! Locations that runs only pass through are composed away: large-block encoding.
//!
//! A location without a transition to itself goes if that does not make more transitions than there were. What its
//! variables were is an auxiliary of the composed relation; most are defined by equations and eliminated.

use super::Simplified;
use super::eliminate::{Sorts, eliminated, visit};
use super::lift::{Framed, Step};
use crate::formula::Formula;
use crate::linear::Symbol;
use crate::system::{LocationId, Origin, Sort, System, Transition};

/// Symbols in the relations around a location that is composed away.
const SYMBOLS_MAX: usize = 4_000;

impl Simplified {
    pub(super) fn inline(&mut self) {
        while let Some(location) = self.passed_through() {
            self.compose_away(location);
        }
    }

    /// The location whose removal saves most transitions; the first of these.
    fn passed_through(&self) -> Option<LocationId> {
        let count = self.system.locations.len();
        let (mut entering, mut leaving, mut looping) = (vec![0_usize; count], vec![0_usize; count], vec![false; count]);
        let mut symbols = vec![0_usize; count];
        for transition in &self.system.transitions {
            let (from, to) = (transition.from.0 as usize, transition.to.0 as usize);
            leaving[from] += 1;
            entering[to] += 1;
            looping[from] |= from == to;
            let mut size = 0;
            visit(&transition.relation, &mut |_| size += 1);
            symbols[from] += size;
            symbols[to] += size;
        }
        let saved = |at: usize| (entering[at] + leaving[at]) as i64 - (entering[at] * leaving[at]) as i64;
        (0..count as u32)
            .map(LocationId)
            .filter(|&id| {
                let at = id.0 as usize;
                let fits = entering[at] > 0 && leaving[at] > 0 && saved(at) >= 0 && symbols[at] <= SYMBOLS_MAX;
                self.is_inner(id) && !looping[at] && fits
            })
            .max_by_key(|&id| (saved(id.0 as usize), std::cmp::Reverse(id)))
    }

    fn compose_away(&mut self, location: LocationId) {
        let (mut kept, mut entering, mut leaving) = (Vec::new(), Vec::new(), Vec::new());
        for (origins, transition) in self.take_transitions() {
            match (transition.from == location, transition.to == location) {
                (false, true) => entering.push((origins, transition)),
                (true, _) => leaving.push((origins, transition)),
                (false, false) => kept.push((origins, transition)),
            }
        }
        for (first_origins, first) in &entering {
            for (second_origins, second) in &leaving {
                let composed = composed(&self.system, first, second);
                if composed.relation != Formula::False {
                    kept.push(([first_origins.as_slice(), second_origins].concat(), composed));
                }
            }
        }
        let framed = |(_, transition)| Framed::new(&self.system, transition);
        let (entering, leaving) =
            (entering.into_iter().map(framed).collect(), leaving.into_iter().map(framed).collect());
        self.steps.push(Step::Inlined { location, entering, leaving });
        self.set_transitions(kept);
    }
}

/// One transition and then the other.
fn composed(system: &System, first: &Transition, second: &Transition) -> Transition {
    let between = &system.location(first.to).variables;
    let mut auxiliaries: Vec<Sort> = between.iter().map(|variable| variable.sort).collect();
    let one = first.relation.renamed(&mut |symbol| match symbol {
        Symbol::After(index) => Symbol::Auxiliary(index),
        Symbol::Auxiliary(index) => Symbol::Auxiliary(index + between.len() as u32),
        before => before,
    });
    auxiliaries.extend(&first.auxiliaries);
    let offset = auxiliaries.len() as u32;
    let other = second.relation.renamed(&mut |symbol| match symbol {
        Symbol::Before(index) => Symbol::Auxiliary(index),
        Symbol::Auxiliary(index) => Symbol::Auxiliary(index + offset),
        after => after,
    });
    auxiliaries.extend(&second.auxiliaries);
    let sorts = Sorts {
        before: &system.location(first.from).variables,
        after: &system.location(second.to).variables,
        auxiliaries: &auxiliaries,
    };
    let (relation, auxiliaries) = eliminated(&Formula::and([one, other]), sorts);
    let texts: Vec<&str> = [&first.origin, &second.origin]
        .iter()
        .map(|origin| origin.text.as_str())
        .filter(|text| !text.is_empty())
        .collect();
    let origin = Origin { span: first.origin.span, text: texts.join("; ") };
    Transition { from: first.from, to: second.to, relation, auxiliaries, origin }
}
