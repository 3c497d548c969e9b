//! The conjuncts of a relation with an index of who speaks of what, so that replacing a symbol touches only those.
//!
//! Relations that tools print have thousands of conjuncts and hundreds of auxiliaries; going through all of the former
//! for each of the latter is what made reading them slow.

use super::eliminate::{Definition, Sorts, visit, without};
use crate::formula::Formula;
use crate::linear::{Linear, Relation, Symbol};
use std::collections::{BTreeMap, BTreeSet, HashSet};

const ROUNDS_MAX: usize = 8;

/// The tightest bounds of a sum: the limit, whether it is excluded, and which conjunct says so.
#[derive(Default)]
struct Bounds {
    lower: Option<(i128, bool, usize)>,
    upper: Option<(i128, bool, usize)>,
}

pub struct Conjuncts<'s> {
    sorts: Sorts<'s>,
    /// What is replaced is `True`.
    parts: Vec<Formula>,
    /// Those that mention a symbol, and maybe some that no longer do.
    mentioned_by: BTreeMap<Symbol, BTreeSet<usize>>,
    is_false: bool,
    changed: bool,
}

impl<'s> Conjuncts<'s> {
    pub fn new(formula: &Formula, sorts: Sorts<'s>) -> Self {
        let mut conjuncts =
            Conjuncts { sorts, parts: Vec::new(), mentioned_by: BTreeMap::new(), is_false: false, changed: false };
        conjuncts.add(formula.clone());
        conjuncts
    }

    pub fn simplified(mut self) -> Formula {
        for _ in 0..ROUNDS_MAX {
            self.changed = false;
            self.join_bounds();
            self.replace_constants();
            self.eliminate_auxiliaries();
            if !self.changed || self.is_false {
                break;
            }
        }
        if self.is_false {
            return Formula::False;
        }
        let mut seen = HashSet::new();
        Formula::and(self.parts.into_iter().filter(|part| seen.insert(part.clone())))
    }

    fn add(&mut self, formula: Formula) {
        match formula {
            Formula::True => {}
            Formula::False => self.is_false = true,
            Formula::And(parts) => parts.into_iter().for_each(|part| self.add(part)),
            Formula::Atom(constraint) => match self.sorts.atom(constraint.sum().clone(), constraint.relation()) {
                atom @ Formula::Atom(_) => self.index(atom),
                other => self.add(other),
            },
            part => self.index(part),
        }
    }

    fn index(&mut self, part: Formula) {
        let at = self.parts.len();
        visit(&part, &mut |symbol| {
            self.mentioned_by.entry(symbol).or_default().insert(at);
        });
        self.parts.push(part);
    }

    fn replace(&mut self, at: usize, with: Formula) {
        self.parts[at] = Formula::True;
        self.changed = true;
        self.add(with);
    }

    /// The conjuncts that speak of a symbol, in order.
    fn concerned(&self, symbol: Symbol) -> Vec<usize> {
        let known = self.mentioned_by.get(&symbol).into_iter().flatten();
        known.copied().filter(|&at| self.parts[at] != Formula::True).collect()
    }

    /// Of several bounds of one sum the tightest stays: equal ones from both sides are an equation, which can define,
    /// and bounds that exclude each other are a contradiction.
    fn join_bounds(&mut self) {
        let mut bounds: BTreeMap<Vec<(Symbol, i128)>, Bounds> = BTreeMap::new();
        for at in 0..self.parts.len() {
            let Formula::Atom(constraint) = &self.parts[at] else { continue };
            let Some((&(_, first), strict)) = constraint.sum().terms().first().zip(match constraint.relation() {
                Relation::AtMost => Some(false),
                Relation::Below => Some(true),
                Relation::Equal => None,
            }) else {
                continue;
            };
            // `terms + c <= 0` is `terms <= -c`; with the first coefficient negative it is a bound from below.
            let (upper, Ok(sum)) = (first > 0, constraint.sum().times(first.signum())) else { continue };
            let Some(limit) = sum.constant_part().checked_neg() else { continue };
            let known = bounds.entry(sum.terms().to_vec()).or_default();
            let side = if upper { &mut known.upper } else { &mut known.lower };
            let is_tighter = side.is_none_or(|(other, was_strict, _)| {
                let closer = if upper { limit < other } else { limit > other };
                closer || (limit == other && strict && !was_strict)
            });
            let looser = if is_tighter { side.replace((limit, strict, at)).map(|(.., old)| old) } else { Some(at) };
            if let Some(looser) = looser {
                self.parts[looser] = Formula::True;
                self.changed = true;
            }
        }
        for (terms, Bounds { lower, upper }) in bounds {
            let (Some((low, low_strict, below)), Some((high, high_strict, above))) = (lower, upper) else { continue };
            if low > high || (low == high && (low_strict || high_strict)) {
                self.is_false = true;
            } else if low == high {
                let sum = terms
                    .iter()
                    .try_fold(Linear::constant(low), |all, &(symbol, value)| all.plus(-value, &Linear::symbol(symbol)));
                if let Ok(sum) = sum {
                    self.parts[below] = Formula::True;
                    self.replace(above, self.sorts.atom(sum, Relation::Equal));
                }
            }
        }
    }

    /// Where a conjunct says that a symbol is a constant, the others say it of that constant.
    fn replace_constants(&mut self) {
        let mut at = 0;
        // Conjuncts that become constants are added behind the others and come up in turn.
        while at < self.parts.len() && !self.is_false {
            if let Some((symbol, definition)) = self.constant(at) {
                for other in self.concerned(symbol) {
                    if other != at
                        && let Ok(replaced) = definition.applied(&self.parts[other], &self.sorts)
                        && replaced != self.parts[other]
                    {
                        self.replace(other, replaced);
                    }
                }
            }
            at += 1;
        }
    }

    fn constant(&self, at: usize) -> Option<(Symbol, Definition)> {
        let Formula::Atom(constraint) = &self.parts[at] else { return None };
        match constraint.sum().terms() {
            [(symbol, _)] => Some((*symbol, Definition::by(&self.parts[at], *symbol, &self.sorts)?)),
            _ => None,
        }
    }

    fn eliminate_auxiliaries(&mut self) {
        let auxiliaries: Vec<Symbol> =
            self.mentioned_by.keys().copied().filter(|symbol| matches!(symbol, Symbol::Auxiliary(_))).collect();
        for auxiliary in auxiliaries {
            let concerned = self.concerned(auxiliary);
            if concerned.is_empty() || self.is_false {
                continue;
            }
            let whole = Formula::and(concerned.iter().map(|&at| self.parts[at].clone()));
            if let Ok(less) = without(&whole, auxiliary, &self.sorts)
                && less != whole
            {
                concerned.iter().for_each(|&at| self.parts[at] = Formula::True);
                self.changed = true;
                self.add(less);
            }
        }
    }
}
