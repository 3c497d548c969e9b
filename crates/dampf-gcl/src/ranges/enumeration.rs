//! Trying all combinations of inputs that satisfy conditions.
//!
//! A [`Query`] asks for the results of some formulas under conditions. Its *result inputs* come first; the
//! *witness inputs* behind them only help to decide conditions that link them to the former, and one witness
//! is enough for a result. A condition is tried as soon as its inputs have values.

use super::formula::Formula;
use std::collections::BTreeSet;

pub struct Query {
    /// The numbers of the inputs, in the order in which they get values.
    pub inputs: Vec<u32>,
    /// How many of them the results are made from.
    pub result_inputs: usize,
    /// Conditions by the number of leading inputs they need, ascending.
    pub conditions: Vec<(usize, Formula)>,
}

impl Query {
    /// The query for results made from `result_inputs`, under those of the conditions that have to do with
    /// them, directly or through other conditions. `fixed` inputs have their values before the query begins.
    pub fn new(result_inputs: BTreeSet<u32>, conditions: &[Formula], fixed: &BTreeSet<u32>) -> Self {
        let mut inputs: Vec<u32> = result_inputs.difference(fixed).copied().collect();
        let result_count = inputs.len();
        let needs = |condition: &Formula| {
            let mut needed = BTreeSet::new();
            condition.collect_inputs(&mut needed);
            needed.difference(fixed).copied().collect::<BTreeSet<u32>>()
        };
        let mut pending: Vec<(BTreeSet<u32>, &Formula)> =
            conditions.iter().map(|condition| (needs(condition), condition)).collect();
        let mut chosen = Vec::new();
        loop {
            let missing = |needed: &BTreeSet<u32>| needed.iter().filter(|input| !inputs.contains(input)).count();
            let is_linked = |needed: &BTreeSet<u32>| missing(needed) < needed.len() || needed.is_empty();
            let candidates = pending.iter().enumerate().filter(|(_, (needed, _))| is_linked(needed));
            let Some((at, _)) = candidates.min_by_key(|(_, (needed, _))| missing(needed)) else { break };
            let (needed, condition) = pending.remove(at);
            inputs.extend(needed.iter().copied().filter(|input| !inputs.contains(input)).collect::<Vec<_>>());
            let depth = needed.iter().map(|input| position(&inputs, *input) + 1).max().unwrap_or(0);
            chosen.push((depth, condition.clone()));
        }
        chosen.sort_by_key(|(depth, _)| *depth);
        Query { inputs, result_inputs: result_count, conditions: chosen }
    }

    /// The most inputs, the result inputs at least, with at most `combinations_max` combinations of their
    /// values; none if the result inputs alone have more.
    pub fn affordable(&self, sizes: &[usize], combinations_max: usize) -> Option<usize> {
        let mut combinations = 1usize;
        for (at, size) in sizes.iter().enumerate() {
            combinations = combinations.saturating_mul(*size);
            if combinations > combinations_max {
                return (at >= self.result_inputs).then_some(at);
            }
        }
        Some(sizes.len())
    }
}

fn position(inputs: &[u32], input: u32) -> usize {
    inputs.iter().position(|candidate| *candidate == input).expect("the input was added")
}

/// What is done with the combinations found.
pub trait Visitor {
    /// All result inputs have values: is it worth looking for a witness?
    fn wants(&mut self, values: &[i32]) -> bool;
    /// The combination last offered has a witness. Whether to go on.
    fn take(&mut self) -> bool;
}

/// Runs a query over given domains.
pub struct Enumeration<'q, V> {
    query: &'q Query,
    /// The values of each leading input that is enumerated.
    domains: &'q [&'q [i32]],
    /// By input number.
    values: &'q mut [i32],
    pub visitor: V,
    /// How many values were tried.
    pub work: u64,
}

#[derive(PartialEq)]
enum Outcome {
    Nothing,
    Witness,
    Stop,
}

impl<'q, V: Visitor> Enumeration<'q, V> {
    pub fn new(query: &'q Query, domains: &'q [&'q [i32]], values: &'q mut [i32], visitor: V) -> Self {
        Enumeration { query, domains, values, visitor, work: 0 }
    }

    pub fn run(&mut self) {
        if self.conditions_hold(0, 0) {
            self.descend(0, 0);
        }
    }

    /// Whether the conditions that need exactly `depth` inputs hold; they begin at `first`.
    fn conditions_hold(&self, depth: usize, first: usize) -> bool {
        let conditions = self.query.conditions[first..].iter().take_while(|(needed, _)| *needed <= depth);
        let mut conditions = conditions.map(|(_, condition)| condition.evaluate(self.values));
        conditions.all(|value| value.is_some_and(|value| value != 0))
    }

    fn descend(&mut self, depth: usize, conditions_done: usize) -> Outcome {
        let query = self.query;
        if depth == query.result_inputs && !self.visitor.wants(self.values) {
            return Outcome::Nothing;
        }
        let done = conditions_done
            + query.conditions[conditions_done..].iter().take_while(|(needed, _)| *needed <= depth).count();
        let mut found = Outcome::Nothing;
        if depth == self.domains.len() {
            found = Outcome::Witness;
        } else {
            for &value in self.domains[depth] {
                self.work += 1;
                self.values[query.inputs[depth] as usize] = value;
                if !self.conditions_hold(depth + 1, done) {
                    continue;
                }
                match self.descend(depth + 1, done) {
                    Outcome::Nothing => {}
                    Outcome::Witness if depth < query.result_inputs => {}
                    outcome => {
                        found = outcome;
                        break;
                    }
                }
            }
        }
        if depth == query.result_inputs && found == Outcome::Witness {
            let go_on = self.visitor.take();
            return if go_on { Outcome::Witness } else { Outcome::Stop };
        }
        found
    }
}
