//! Formulas about one location in fewer words: what an abstraction piles up says most things several times.

use super::eliminate::{Sorts, eliminated};
use crate::formula::Formula;
use crate::system::Variable;
use std::collections::BTreeSet;

/// Comparing each case with each other takes longer than the rest is worth.
const CASES_MAX: usize = 500;

/// The same formula: of each case only the tightest bounds, and no case that another one covers.
pub fn condensed(formula: &Formula, variables: &[Variable]) -> Formula {
    let sorts = Sorts { before: variables, after: &[], auxiliaries: &[] };
    let Formula::Or(cases) = formula else { return eliminated(formula, sorts).0 };
    let conjuncts = |case: &Formula| -> BTreeSet<Formula> {
        match eliminated(case, sorts).0 {
            Formula::And(parts) => parts.into_iter().collect(),
            other => BTreeSet::from([other]),
        }
    };
    let mut cases: Vec<BTreeSet<Formula>> = cases.iter().map(conjuncts).collect();
    cases.sort();
    cases.dedup();
    if cases.len() <= CASES_MAX {
        // Fewer conjuncts are a larger case.
        let all = cases.clone();
        cases.retain(|case| !all.iter().any(|other| other != case && other.is_subset(case)));
    }
    Formula::or(cases.into_iter().map(Formula::and))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linear::{Linear, Relation, Symbol};
    use crate::system::Sort;

    #[test]
    fn covered_cases_and_loose_bounds_go() {
        let variables = [Variable { name: "x".to_owned(), sort: Sort::Integer }];
        let at_least = |value: i128| {
            let sum = Linear::constant(value).plus(-1, &Linear::symbol(Symbol::Before(0))).unwrap();
            Formula::atom(sum, Relation::AtMost)
        };
        let cases = Formula::or([at_least(1), Formula::and([at_least(1), at_least(1)])]);
        assert_eq!(condensed(&cases, &variables), at_least(1));
        assert_eq!(condensed(&Formula::and([at_least(1), at_least(3)]), &variables), at_least(3));
        assert_eq!(condensed(&Formula::False, &variables), Formula::False);
    }
}
