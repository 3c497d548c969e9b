//! A clause as the relation of a transition.
//!
//! The arguments of the body's predicate are the values before, those of the head's predicate the values after. The
//! graph becomes a tree here: a part that is shared so often, or nested so deep, that the tree would be huge is named
//! by a Boolean auxiliary instead, which implies it (once for each polarity it occurs in).

use super::clauses::Clause;
use super::logic::{Argument, Graph, Logic, LogicId, Meaning, Sum};
use crate::formula::Formula;
use crate::linear::{Linear, Overflow, Relation, Symbol};
use crate::system::{Sort, Variable};
use std::collections::{HashMap, HashSet};

/// A relation may have this many atoms without naming what is shared.
const TREE_SIZE_MAX: u64 = 5_000;
/// Shared parts smaller than this are repeated rather than named.
const NAMED_SIZE_MIN: u64 = 4;
/// What is nested deeper is named.
const DEPTH_MAX: usize = 100;

pub struct Lowering<'g> {
    graph: &'g mut Graph,
    /// For each node the size of its tree.
    sizes: Vec<u64>,
    share: bool,
    /// The Boolean auxiliary of a node, and the polarities it was used in but not defined in yet.
    names: HashMap<LogicId, Symbol>,
    used: HashSet<(LogicId, bool)>,
    pending: Vec<(LogicId, bool)>,
}

/// The relation of a clause; its auxiliaries have the sorts of the graph.
pub fn relation(
    graph: &mut Graph,
    clause: &Clause,
    before: &[Variable],
    after: &[Variable],
) -> Result<Formula, Overflow> {
    let sizes = sizes(graph);
    let roots: u64 = clause.constraints.iter().fold(0, |all, (id, _)| all.saturating_add(sizes[id.index()]));
    let mut lowering = Lowering {
        graph,
        sizes,
        share: roots > TREE_SIZE_MAX,
        names: HashMap::new(),
        used: HashSet::new(),
        pending: Vec::new(),
    };
    let mut parts = Vec::new();
    for (occurrence, symbol) in
        [(&clause.body, Symbol::Before as fn(u32) -> Symbol), (&clause.head, Symbol::After as fn(u32) -> Symbol)]
    {
        let arguments = occurrence.iter().flat_map(|occurrence| &occurrence.arguments);
        for (index, argument) in arguments.enumerate() {
            parts.push(lowering.argument(symbol(index as u32), argument)?);
        }
    }
    for &(id, holds) in &clause.constraints {
        parts.push(lowering.formula(id, holds, 0)?);
    }
    lowering.define_terms_and_names(&mut parts)?;
    for (variables, symbol) in
        [(before, Symbol::Before as fn(u32) -> Symbol), (after, Symbol::After as fn(u32) -> Symbol)]
    {
        for (index, variable) in variables.iter().enumerate() {
            if variable.sort == Sort::Boolean {
                parts.push(between_zero_and_one(symbol(index as u32))?);
            }
        }
    }
    Ok(Formula::and(parts))
}

fn between_zero_and_one(symbol: Symbol) -> Result<Formula, Overflow> {
    let value = Linear::symbol(symbol);
    Ok(Formula::and([
        Formula::atom(value.times(-1)?, Relation::AtMost),
        Formula::atom(value.plus(-1, &Linear::constant(1))?, Relation::AtMost),
    ]))
}

/// Parts were made before what they are parts of.
fn sizes(graph: &Graph) -> Vec<u64> {
    let mut sizes: Vec<u64> = Vec::with_capacity(graph.count());
    for id in graph.ids() {
        let factor = if matches!(graph.node(id), Logic::Iff(..) | Logic::Choice(..)) { 2 } else { 1 };
        let parts = graph.parts(id).iter().fold(0_u64, |all, part| all.saturating_add(sizes[part.index()]));
        sizes.push(parts.saturating_mul(factor).max(1));
    }
    sizes
}

impl Lowering<'_> {
    fn argument(&mut self, symbol: Symbol, argument: &Argument) -> Result<Formula, Overflow> {
        let value = Linear::symbol(symbol);
        match argument {
            Argument::Number(sum) => {
                Ok(Formula::atom(value.times(sum.denominator)?.plus(-1, &sum.linear)?, Relation::Equal))
            }
            &Argument::Truth(id) => match self.graph.as_bit(id) {
                Some(bit) => Ok(Formula::atom(value.plus(-1, &bit)?, Relation::Equal)),
                None => Ok(Formula::or([
                    Formula::and([bit_is(symbol, true)?, self.formula(id, true, 1)?]),
                    Formula::and([bit_is(symbol, false)?, self.formula(id, false, 1)?]),
                ])),
            },
        }
    }

    fn formula(&mut self, id: LogicId, holds: bool, depth: usize) -> Result<Formula, Overflow> {
        let size = self.sizes.get(id.index()).copied().unwrap_or(1);
        if (depth > DEPTH_MAX && size > 1) || (self.share && size >= NAMED_SIZE_MIN && depth > 1) {
            return self.named(id, holds);
        }
        match (self.graph.node(id).clone(), holds) {
            (Logic::Truth(value), _) => Ok(if value == holds { Formula::True } else { Formula::False }),
            (Logic::Atom(constraint), true) => Ok(Formula::atom(constraint.sum().clone(), constraint.relation())),
            (Logic::Atom(constraint), false) => self.opposite(constraint.sum(), constraint.relation()),
            (Logic::Boolean(symbol), _) => bit_is(symbol, holds),
            (Logic::Not(inner), _) => self.formula(inner, !holds, depth),
            (Logic::And(parts), true) | (Logic::Or(parts), false) => {
                Ok(Formula::and(self.formulas(&parts, holds, depth + 1)?))
            }
            (Logic::And(parts), false) | (Logic::Or(parts), true) => {
                Ok(Formula::or(self.formulas(&parts, holds, depth + 1)?))
            }
            (Logic::Iff(one, other), _) => self.equivalence(one, other, holds, depth + 1),
            (Logic::Choice(condition, one, other), _) => {
                let chosen =
                    Formula::and([self.formula(condition, true, depth + 1)?, self.formula(one, holds, depth + 1)?]);
                let otherwise =
                    Formula::and([self.formula(condition, false, depth + 1)?, self.formula(other, holds, depth + 1)?]);
                Ok(Formula::or([chosen, otherwise]))
            }
            (Logic::Predicate(..) | Logic::Quantified(..), _) => {
                unreachable!("clauses are taken apart down to their predicates and quantifiers")
            }
        }
    }

    fn formulas(&mut self, ids: &[LogicId], holds: bool, depth: usize) -> Result<Vec<Formula>, Overflow> {
        ids.iter().map(|&id| self.formula(id, holds, depth)).collect()
    }

    fn equivalence(&mut self, one: LogicId, other: LogicId, holds: bool, depth: usize) -> Result<Formula, Overflow> {
        if let (Some(left), Some(right)) = (self.graph.as_bit(one), self.graph.as_bit(other)) {
            let right = if holds { right } else { Linear::constant(1).plus(-1, &right)? };
            return Ok(Formula::atom(left.plus(-1, &right)?, Relation::Equal));
        }
        let both = Formula::and([self.formula(one, true, depth)?, self.formula(other, holds, depth)?]);
        let neither = Formula::and([self.formula(one, false, depth)?, self.formula(other, !holds, depth)?]);
        Ok(Formula::or([both, neither]))
    }

    fn opposite(&self, sum: &Linear, relation: Relation) -> Result<Formula, Overflow> {
        let whole = sum.terms().iter().all(|&(symbol, _)| self.graph.sort(symbol) != Sort::Real);
        // `not (s <= 0)` is `1 - s <= 0` over integers.
        let above = |sum: &Linear| {
            let opposite = sum.times(-1)?;
            Ok(if whole {
                Formula::atom(opposite.plus(1, &Linear::constant(1))?, Relation::AtMost)
            } else {
                Formula::atom(opposite, Relation::Below)
            })
        };
        match relation {
            Relation::AtMost => above(sum),
            Relation::Below => Ok(Formula::atom(sum.times(-1)?, Relation::AtMost)),
            Relation::Equal => Ok(Formula::or([above(&sum.times(-1)?)?, above(sum)?])),
        }
    }

    /// A literal that implies the formula.
    fn named(&mut self, id: LogicId, holds: bool) -> Result<Formula, Overflow> {
        let symbol = match self.names.get(&id) {
            Some(&symbol) => symbol,
            None => {
                let symbol = self.graph.fresh(Sort::Boolean);
                self.names.insert(id, symbol);
                symbol
            }
        };
        if self.used.insert((id, holds)) {
            self.pending.push((id, holds));
        }
        bit_is(symbol, holds)
    }

    /// Adds what the terms and names mean that the parts speak of, and those that these speak of.
    fn define_terms_and_names(&mut self, parts: &mut Vec<Formula>) -> Result<(), Overflow> {
        let mut defined = HashSet::new();
        let mut looked_at = 0;
        loop {
            while let Some((id, holds)) = self.pending.pop() {
                let symbol = self.names[&id];
                let meaning = self.formula(id, holds, 0)?;
                parts.push(Formula::or([bit_is(symbol, !holds)?, meaning]));
            }
            if looked_at == parts.len() {
                return Ok(());
            }
            let mut spoken_of = Vec::new();
            for part in &parts[looked_at..] {
                crate::simplify::eliminate::visit(part, &mut |symbol| {
                    if let Symbol::Auxiliary(index) = symbol {
                        spoken_of.push(index);
                    }
                });
            }
            looked_at = parts.len();
            for index in spoken_of {
                if !defined.insert(index) {
                    continue;
                }
                if self.graph.sorts[index as usize] == Sort::Boolean {
                    parts.push(between_zero_and_one(Symbol::Auxiliary(index))?);
                }
                if let Some(meaning) = self.graph.meaning(index).cloned() {
                    parts.push(self.meaning(Symbol::Auxiliary(index), &meaning)?);
                }
            }
        }
    }

    fn meaning(&mut self, symbol: Symbol, meaning: &Meaning) -> Result<Formula, Overflow> {
        let value = Linear::symbol(symbol);
        match meaning {
            Meaning::Choice(condition, one, other) => {
                let is = |sum: &Sum| {
                    let difference = value.times(sum.denominator)?.plus(-1, &sum.linear)?;
                    Ok(Formula::atom(difference, Relation::Equal))
                };
                Ok(Formula::or([
                    Formula::and([self.formula(*condition, true, 2)?, is(one)?]),
                    Formula::and([self.formula(*condition, false, 2)?, is(other)?]),
                ]))
            }
            Meaning::Floor(sum, divisor) => {
                // `d * q <= s < d * q + d`, multiplied by the denominator of `s`.
                let step = divisor.checked_mul(sum.denominator).ok_or(Overflow)?;
                let low = value.times(step)?.plus(-1, &sum.linear)?;
                let high = low.times(-1)?.plus(-1, &Linear::constant(step))?;
                Ok(Formula::and([Formula::atom(low, Relation::AtMost), Formula::atom(high, Relation::Below)]))
            }
        }
    }
}

/// An equation rather than a bound: then elimination can replace the literal.
fn bit_is(symbol: Symbol, value: bool) -> Result<Formula, Overflow> {
    Ok(Formula::atom(Linear::symbol(symbol).plus(-1, &Linear::constant(i128::from(value)))?, Relation::Equal))
}
