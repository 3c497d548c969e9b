//! Formulas of linear temporal logic, as they were written.
//!
//! All operators of the input language are here, so that a formula can be shown again; the translation brings them
//! down to few (`terms.rs`). Propositions are numbers: what they mean is the business of the model's language.

use std::fmt;
use std::sync::Arc;

/// A formula over numbered propositions. It speaks of an infinite run, from the run's first state on.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Formula {
    True,
    False,
    Proposition(u32),
    Not(Arc<Formula>),
    And(Arc<Formula>, Arc<Formula>),
    Or(Arc<Formula>, Arc<Formula>),
    Implies(Arc<Formula>, Arc<Formula>),
    Equivalent(Arc<Formula>, Arc<Formula>),
    /// In the next state.
    Next(Arc<Formula>),
    Always(Arc<Formula>),
    Eventually(Arc<Formula>),
    /// The second will hold, and until then the first does.
    Until(Arc<Formula>, Arc<Formula>),
    /// The first holds until the second does, which need not happen.
    WeakUntil(Arc<Formula>, Arc<Formula>),
    /// The second holds up to and including the state in which the first does, which need not happen.
    Release(Arc<Formula>, Arc<Formula>),
}

/// The parts of a formula, for walks over all of it.
pub(crate) enum Parts<'f> {
    None,
    One(&'f Formula),
    Two(&'f Formula, &'f Formula),
}

impl Formula {
    /// The formula that holds exactly where this one does not.
    pub fn negated(&self) -> Formula {
        match self {
            Formula::Not(inner) => (**inner).clone(),
            other => Formula::Not(Arc::new(other.clone())),
        }
    }

    pub(crate) fn parts(&self) -> Parts<'_> {
        use Formula::*;
        match self {
            True | False | Proposition(_) => Parts::None,
            Not(one) | Next(one) | Always(one) | Eventually(one) => Parts::One(one),
            And(one, two)
            | Or(one, two)
            | Implies(one, two)
            | Equivalent(one, two)
            | Until(one, two)
            | WeakUntil(one, two)
            | Release(one, two) => Parts::Two(one, two),
        }
    }

    /// Whether `holds` of the formula or of a formula in it.
    pub(crate) fn any(&self, holds: &mut impl FnMut(&Formula) -> bool) -> bool {
        holds(self)
            || match self.parts() {
                Parts::None => false,
                Parts::One(one) => one.any(holds),
                Parts::Two(one, two) => one.any(holds) || two.any(holds),
            }
    }

    /// How many operators there are, Boolean and temporal ones.
    pub fn operators(&self) -> usize {
        let mut count = 0;
        self.any(&mut |formula| {
            count += usize::from(!matches!(formula.parts(), Parts::None));
            false
        });
        count
    }

    pub fn is_temporal_operator(&self) -> bool {
        use Formula::*;
        matches!(self, Next(_) | Always(_) | Eventually(_) | Until(..) | WeakUntil(..) | Release(..))
    }

    /// One more than the largest number of a proposition in the formula.
    pub fn propositions(&self) -> u32 {
        let mut bound = 0;
        self.any(&mut |formula| {
            if let Formula::Proposition(number) = formula {
                bound = bound.max(number + 1);
            }
            false
        });
        bound
    }

    /// The formula with the propositions by their names, and with parentheses around every part.
    pub fn show(&self, name: &dyn Fn(u32) -> String) -> String {
        use Formula::*;
        let (operator, one, two) = match self {
            True => return "true".to_owned(),
            False => return "false".to_owned(),
            Proposition(number) => return name(*number),
            Not(one) => ("!", one, None),
            Next(one) => ("X ", one, None),
            Always(one) => ("[] ", one, None),
            Eventually(one) => ("<> ", one, None),
            And(one, two) => ("&&", one, Some(two)),
            Or(one, two) => ("||", one, Some(two)),
            Implies(one, two) => ("->", one, Some(two)),
            Equivalent(one, two) => ("<->", one, Some(two)),
            Until(one, two) => ("U", one, Some(two)),
            WeakUntil(one, two) => ("W", one, Some(two)),
            Release(one, two) => ("V", one, Some(two)),
        };
        let part = |formula: &Formula| match formula {
            True | False | Proposition(_) => formula.show(name),
            _ => format!("({})", formula.show(name)),
        };
        match two {
            None => format!("{operator}{}", part(one)),
            Some(two) => format!("{} {operator} {}", part(one), part(two)),
        }
    }
}

/// With the propositions as `p0`, `p1`, …, in a form that the parser reads.
impl fmt::Display for Formula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.show(&|number| format!("p{number}")))
    }
}
