//! Exact elimination of auxiliaries from the formula of a transition.
//!
//! An auxiliary is existentially quantified, so what an equation defines it to be can take its place, and one that only
//! has bounds on both sides gives way to the comparison of those bounds (Fourier and Motzkin). Over integers both are
//! exact only where coefficients are units; elsewhere the auxiliary stays. The invariant: the relation between the
//! values before and after never changes. Where numbers would overflow, the formula stays as it was.

use super::conjuncts::Conjuncts;
use crate::formula::Formula;
use crate::linear::{Linear, Overflow, Relation, Symbol};
use crate::system::{Sort, System, Transition, Variable};

/// Eliminating one auxiliary may not make more than this many atoms of those that speak of it.
const BOUND_PAIRS_MAX: usize = 16;

/// What is known of the symbols of one transition.
#[derive(Clone, Copy)]
pub struct Sorts<'s> {
    pub before: &'s [Variable],
    pub after: &'s [Variable],
    pub auxiliaries: &'s [Sort],
}

impl<'s> Sorts<'s> {
    pub fn of(system: &'s System, transition: &'s Transition) -> Self {
        Sorts {
            before: &system.location(transition.from).variables,
            after: &system.location(transition.to).variables,
            auxiliaries: &transition.auxiliaries,
        }
    }

    pub fn sort(&self, symbol: Symbol) -> Sort {
        match symbol {
            Symbol::Before(index) => self.before[index as usize].sort,
            Symbol::After(index) => self.after[index as usize].sort,
            Symbol::Auxiliary(index) => self.auxiliaries[index as usize],
        }
    }

    pub fn is_integer(&self, symbol: Symbol) -> bool {
        self.sort(symbol) != Sort::Real
    }

    /// A comparison with zero, as tight as integers allow: without strictness, and with coefficients that have no
    /// common divisor.
    pub fn atom(&self, sum: Linear, relation: Relation) -> Formula {
        if sum.is_constant() || !sum.terms().iter().all(|&(symbol, _)| self.is_integer(symbol)) {
            return Formula::atom(sum, relation);
        }
        let divisor = sum.terms().iter().fold(0, |divisor, &(_, value)| gcd(divisor, value.unsigned_abs()));
        let Ok(divisor) = i128::try_from(divisor) else { return Formula::atom(sum, relation) };
        let Some(constant) = sum.constant_part().checked_add(i128::from(relation == Relation::Below)) else {
            return Formula::atom(sum, relation);
        };
        if relation == Relation::Equal && constant % divisor != 0 {
            return Formula::False;
        }
        // `d * t + c <= 0` is `t + ceiling(c / d) <= 0`.
        let ceiling = constant.div_euclid(divisor) + i128::from(constant.rem_euclid(divisor) != 0);
        let terms = sum.terms().iter().try_fold(Linear::constant(ceiling), |all, &(symbol, value)| {
            all.plus(value / divisor, &Linear::symbol(symbol))
        });
        let relation = if relation == Relation::Below { Relation::AtMost } else { relation };
        terms.map_or_else(|_| Formula::atom(sum, relation), |terms| Formula::atom(terms, relation))
    }
}

fn gcd(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// The relation without the auxiliaries that can be eliminated; those that stay are numbered anew.
pub fn eliminated(relation: &Formula, sorts: Sorts<'_>) -> (Formula, Vec<Sort>) {
    let formula = Conjuncts::new(relation, sorts).simplified();
    let used = auxiliaries_of(&formula);
    let kept = used.iter().map(|&index| sorts.auxiliaries[index as usize]).collect();
    let renumbered = formula.renamed(&mut |symbol| match symbol {
        Symbol::Auxiliary(index) => {
            Symbol::Auxiliary(used.binary_search(&index).expect("every auxiliary of the formula is counted") as u32)
        }
        other => other,
    });
    (renumbered, kept)
}

/// The indices of the auxiliaries that a formula mentions, sorted.
pub fn auxiliaries_of(formula: &Formula) -> Vec<u32> {
    let mut found = Vec::new();
    visit(formula, &mut |symbol| {
        if let Symbol::Auxiliary(index) = symbol {
            found.push(index);
        }
    });
    found.sort_unstable();
    found.dedup();
    found
}

/// Calls back with every symbol of a formula, in order and with repetitions.
pub fn visit(formula: &Formula, seen: &mut impl FnMut(Symbol)) {
    match formula {
        Formula::True | Formula::False => {}
        Formula::Atom(constraint) => constraint.sum().terms().iter().for_each(|&(symbol, _)| seen(symbol)),
        Formula::And(parts) | Formula::Or(parts) => parts.iter().for_each(|part| visit(part, seen)),
    }
}

pub fn mentions(formula: &Formula, symbol: Symbol) -> bool {
    match formula {
        Formula::True | Formula::False => false,
        Formula::Atom(constraint) => constraint.sum().coefficient(symbol) != 0,
        Formula::And(parts) | Formula::Or(parts) => parts.iter().any(|part| mentions(part, symbol)),
    }
}

/// What `symbol` is: `coefficient * symbol + rest = 0`.
pub struct Definition {
    symbol: Symbol,
    coefficient: i128,
    rest: Linear,
}

impl Definition {
    /// The definition that an atom gives, if exactly this value of `symbol` satisfies it and always exists.
    pub fn by(atom: &Formula, symbol: Symbol, sorts: &Sorts<'_>) -> Option<Definition> {
        let Formula::Atom(constraint) = atom else { return None };
        let coefficient = constraint.sum().coefficient(symbol);
        if constraint.relation() != Relation::Equal || coefficient == 0 {
            return None;
        }
        let rest = constraint.sum().plus(-coefficient, &Linear::symbol(symbol)).ok()?;
        let whole = || coefficient.abs() == 1 && rest.terms().iter().all(|&(other, _)| sorts.is_integer(other));
        (!sorts.is_integer(symbol) || whole()).then_some(Definition { symbol, coefficient, rest })
    }

    pub fn constant(symbol: Symbol, value: i128) -> Definition {
        Definition { symbol, coefficient: -1, rest: Linear::constant(value) }
    }

    /// A formula with the symbol replaced.
    pub fn applied(&self, formula: &Formula, sorts: &Sorts<'_>) -> Result<Formula, Overflow> {
        Ok(match formula {
            Formula::True => Formula::True,
            Formula::False => Formula::False,
            Formula::And(parts) => Formula::and(self.applied_to_all(parts, sorts)?),
            Formula::Or(parts) => Formula::or(self.applied_to_all(parts, sorts)?),
            Formula::Atom(constraint) => {
                let factor = constraint.sum().coefficient(self.symbol);
                if factor == 0 {
                    return Ok(formula.clone());
                }
                // `factor * symbol + other` becomes `|c| * other - factor * sign(c) * rest`.
                let opposite = factor.checked_neg().ok_or(Overflow)?;
                let other = constraint.sum().plus(opposite, &Linear::symbol(self.symbol))?;
                let scale = self.coefficient.checked_abs().ok_or(Overflow)?;
                let sum = other.times(scale)?.plus(if self.coefficient > 0 { opposite } else { factor }, &self.rest)?;
                sorts.atom(sum, constraint.relation())
            }
        })
    }

    fn applied_to_all(&self, parts: &[Formula], sorts: &Sorts<'_>) -> Result<Vec<Formula>, Overflow> {
        parts.iter().map(|part| self.applied(part, sorts)).collect()
    }
}

/// `exists symbol. formula`, as far as it can be said without the symbol.
pub fn without(formula: &Formula, symbol: Symbol, sorts: &Sorts<'_>) -> Result<Formula, Overflow> {
    match formula {
        Formula::True | Formula::False => Ok(formula.clone()),
        Formula::Atom(constraint) => {
            let free = constraint.relation() != Relation::Equal || Definition::by(formula, symbol, sorts).is_some();
            let alone = constraint.sum().coefficient(symbol) != 0 && free;
            Ok(if alone { Formula::True } else { formula.clone() })
        }
        Formula::Or(parts) => {
            // A quantifier distributes over a disjunction.
            let parts: Result<Vec<Formula>, Overflow> = parts.iter().map(|part| without(part, symbol, sorts)).collect();
            Ok(Formula::or(parts?))
        }
        Formula::And(parts) => {
            let (concerned, others): (Vec<&Formula>, Vec<&Formula>) =
                parts.iter().partition(|part| mentions(part, symbol));
            let others = others.into_iter().cloned();
            if let [only] = concerned[..] {
                return Ok(Formula::and(others.chain([without(only, symbol, sorts)?])));
            }
            let definition = concerned
                .iter()
                .enumerate()
                .find_map(|(at, part)| Definition::by(part, symbol, sorts).map(|definition| (at, definition)));
            if let Some((at, definition)) = definition {
                let mut replaced = Vec::with_capacity(parts.len());
                for (index, part) in concerned.iter().enumerate() {
                    if index != at {
                        replaced.push(definition.applied(part, sorts)?);
                    }
                }
                return Ok(Formula::and(others.chain(replaced)));
            }
            match bounds_compared(&concerned, symbol, sorts)? {
                Some(compared) => Ok(Formula::and(others.chain(compared))),
                None => Ok(formula.clone()),
            }
        }
    }
}

/// Every lower bound with every upper bound, if that is exact and small.
fn bounds_compared(parts: &[&Formula], symbol: Symbol, sorts: &Sorts<'_>) -> Result<Option<Vec<Formula>>, Overflow> {
    let (mut lower, mut upper) = (Vec::new(), Vec::new());
    for part in parts {
        let Formula::Atom(constraint) = part else { return Ok(None) };
        if constraint.relation() == Relation::Equal {
            return Ok(None);
        }
        let coefficient = constraint.sum().coefficient(symbol);
        if sorts.is_integer(symbol) && !constraint.sum().terms().iter().all(|&(other, _)| sorts.is_integer(other)) {
            return Ok(None);
        }
        if coefficient > 0 { upper.push((coefficient, constraint)) } else { lower.push((coefficient, constraint)) }
    }
    if lower.len() * upper.len() > BOUND_PAIRS_MAX.min(lower.len() + upper.len()) {
        return Ok(None);
    }
    let units = |bounds: &[(i128, _)]| bounds.iter().all(|(coefficient, _)| coefficient.abs() == 1);
    if sorts.is_integer(symbol) && !units(&lower) && !units(&upper) {
        return Ok(None);
    }
    let mut compared = Vec::new();
    for (below, low) in &lower {
        for (above, high) in &upper {
            let opposite = below.checked_neg().ok_or(Overflow)?;
            let sum = low.sum().times(*above)?.plus(opposite, high.sum())?;
            let strict = low.relation() == Relation::Below || high.relation() == Relation::Below;
            compared.push(sorts.atom(sum, if strict { Relation::Below } else { Relation::AtMost }));
        }
    }
    Ok(Some(compared))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variables(count: usize, sort: Sort) -> Vec<Variable> {
        (0..count).map(|index| Variable { name: format!("x{index}"), sort }).collect()
    }

    fn sum(terms: &[(Symbol, i128)], constant: i128) -> Linear {
        terms
            .iter()
            .fold(Linear::constant(constant), |all, &(symbol, value)| all.plus(value, &Linear::symbol(symbol)).unwrap())
    }

    const X: Symbol = Symbol::Before(0);
    const Y: Symbol = Symbol::After(0);
    const A: Symbol = Symbol::Auxiliary(0);
    const B: Symbol = Symbol::Auxiliary(1);

    #[test]
    fn what_is_defined_is_replaced_and_what_has_bounds_is_compared() {
        let integers = variables(1, Sort::Integer);
        let sorts = Sorts { before: &integers, after: &integers, auxiliaries: &[Sort::Integer, Sort::Integer] };
        // a = x + 1, y <= b <= a: there is a b if y <= x + 1.
        let relation = Formula::and([
            sorts.atom(sum(&[(A, 1), (X, -1)], -1), Relation::Equal),
            sorts.atom(sum(&[(Y, 1), (B, -1)], 0), Relation::AtMost),
            sorts.atom(sum(&[(B, 1), (A, -1)], 0), Relation::AtMost),
        ]);
        let (formula, kept) = eliminated(&relation, sorts);
        assert_eq!(formula, sorts.atom(sum(&[(Y, 1), (X, -1)], -1), Relation::AtMost));
        assert!(kept.is_empty());
    }

    #[test]
    fn a_quotient_stays_where_integers_need_it() {
        let integers = variables(1, Sort::Integer);
        let sorts = Sorts { before: &integers, after: &integers, auxiliaries: &[Sort::Real, Sort::Integer] };
        let even = sorts.atom(sum(&[(X, 1), (B, -2)], 0), Relation::Equal);
        let (formula, kept) = eliminated(&even, sorts);
        assert_eq!(kept, [Sort::Integer]);
        assert_eq!(formula, sorts.atom(sum(&[(X, 1), (A, -2)], 0), Relation::Equal), "numbered anew");
        // A real half always exists.
        let half = sorts.atom(sum(&[(X, 1), (A, -2)], 0), Relation::Equal);
        assert_eq!(eliminated(&half, sorts).0, Formula::True);
    }

    #[test]
    fn integers_are_tight_and_reals_are_not() {
        let (integers, reals) = (variables(1, Sort::Integer), variables(1, Sort::Real));
        let tight = Sorts { before: &integers, after: &[], auxiliaries: &[] };
        let loose = Sorts { before: &reals, after: &[], auxiliaries: &[] };
        assert_eq!(
            tight.atom(sum(&[(X, 2)], -5), Relation::Below),
            Formula::atom(sum(&[(X, 1)], -2), Relation::AtMost)
        );
        assert_eq!(tight.atom(sum(&[(X, 2)], -5), Relation::Equal), Formula::False);
        assert_eq!(loose.atom(sum(&[(X, 2)], -5), Relation::Below), Formula::atom(sum(&[(X, 2)], -5), Relation::Below));
    }

    #[test]
    fn elimination_goes_into_disjunctions() {
        let integers = variables(1, Sort::Integer);
        let sorts = Sorts { before: &integers, after: &integers, auxiliaries: &[Sort::Integer] };
        let branch = |value: i128| {
            Formula::and([
                sorts.atom(sum(&[(A, 1)], -value), Relation::Equal),
                sorts.atom(sum(&[(Y, 1), (A, -1), (X, -1)], 0), Relation::Equal),
            ])
        };
        let (formula, kept) = eliminated(&Formula::or([branch(1), branch(2)]), sorts);
        let step = |value: i128| sorts.atom(sum(&[(Y, 1), (X, -1)], -value), Relation::Equal);
        assert_eq!((formula, kept), (Formula::or([step(1), step(2)]), Vec::new()));
    }
}
