//! Formulas in negation normal form, each kept once, and simplified as they are made.
//!
//! The operators are conjunction, disjunction, `next`, `until` and `release`; negations stand at propositions only.
//! `eventually b` is `true U b`, `always b` is `false R b`. Rules are stated for conjunction, `next` and `until` alone:
//! a disjunction is made by negating the conjunction of the negations, a `release` by negating an `until`, and so every
//! rule has its dual for free.
//!
//! Two classes of formulas take part in rules (Etessami, Holzmann: Optimizing Büchi automata, 2000). An *eventual* one
//! holds wherever it holds later on; a *universal* one holds later on wherever it holds. One that is both, such as
//! `[]<> p`, does not depend on where one stands, so it can be pulled out of temporal operators.

use crate::formula::Formula;
use std::collections::HashMap;

/// A formula of [`Terms`], by its number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Term(pub u32);

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Node {
    True,
    False,
    Literal(u32, bool),
    /// At least two, in ascending order.
    And(Vec<Term>),
    Or(Vec<Term>),
    Next(Term),
    Until(Term, Term),
    Release(Term, Term),
}

pub const TRUE: Term = Term(0);
pub const FALSE: Term = Term(1);

#[derive(Clone, Copy, Default)]
struct Class {
    eventual: bool,
    universal: bool,
}

#[derive(Default)]
pub struct Terms {
    nodes: Vec<Node>,
    classes: Vec<Class>,
    numbers: HashMap<Node, Term>,
    negations: HashMap<Term, Term>,
    pub(super) implications: HashMap<(Term, Term), bool>,
}

impl Terms {
    pub fn new() -> Self {
        let mut terms = Terms::default();
        assert!(terms.raw(Node::True) == TRUE && terms.raw(Node::False) == FALSE);
        terms
    }

    pub fn node(&self, term: Term) -> &Node {
        &self.nodes[term.0 as usize]
    }

    pub fn is_eventual(&self, term: Term) -> bool {
        self.classes[term.0 as usize].eventual
    }

    pub fn is_universal(&self, term: Term) -> bool {
        self.classes[term.0 as usize].universal
    }

    /// Holds at all places of a run or at none.
    pub fn is_suspendable(&self, term: Term) -> bool {
        self.is_eventual(term) && self.is_universal(term)
    }

    /// A term as it is, without rules.
    fn raw(&mut self, node: Node) -> Term {
        if let Some(&term) = self.numbers.get(&node) {
            return term;
        }
        let class = self.class(&node);
        let term = Term(self.nodes.len() as u32);
        self.nodes.push(node.clone());
        self.classes.push(class);
        self.numbers.insert(node, term);
        term
    }

    fn class(&self, node: &Node) -> Class {
        let of = |term: &Term| self.classes[term.0 as usize];
        match node {
            Node::True | Node::False => Class { eventual: true, universal: true },
            Node::Literal(..) => Class::default(),
            Node::And(parts) | Node::Or(parts) => Class {
                eventual: parts.iter().all(|part| of(part).eventual),
                universal: parts.iter().all(|part| of(part).universal),
            },
            Node::Next(inner) => of(inner),
            Node::Until(left, right) => Class {
                eventual: *left == TRUE || (of(left).eventual && of(right).eventual),
                // Later on, either the wait still goes on or its end has come.
                universal: of(right).universal,
            },
            Node::Release(left, right) => Class {
                eventual: of(right).eventual,
                universal: *left == FALSE || (of(left).universal && of(right).universal),
            },
        }
    }

    /// The negation: the dual of every operator. What no rule could simplify has a negation that no rule can simplify.
    pub fn not(&mut self, term: Term) -> Term {
        if let Some(&known) = self.negations.get(&term) {
            return known;
        }
        let dual = match self.node(term).clone() {
            Node::True => Node::False,
            Node::False => Node::True,
            Node::Literal(proposition, positive) => Node::Literal(proposition, !positive),
            Node::And(parts) => Node::Or(self.not_all(parts)),
            Node::Or(parts) => Node::And(self.not_all(parts)),
            Node::Next(inner) => Node::Next(self.not(inner)),
            Node::Until(left, right) => Node::Release(self.not(left), self.not(right)),
            Node::Release(left, right) => Node::Until(self.not(left), self.not(right)),
        };
        let negation = self.raw(dual);
        self.negations.insert(term, negation);
        self.negations.insert(negation, term);
        negation
    }

    fn not_all(&mut self, terms: Vec<Term>) -> Vec<Term> {
        let mut negations: Vec<Term> = terms.into_iter().map(|term| self.not(term)).collect();
        negations.sort();
        negations
    }

    pub fn literal(&mut self, proposition: u32, positive: bool) -> Term {
        self.raw(Node::Literal(proposition, positive))
    }

    pub fn or(&mut self, parts: Vec<Term>) -> Term {
        let negations = self.not_all(parts);
        let conjunction = self.and(negations);
        self.not(conjunction)
    }

    pub fn release(&mut self, left: Term, right: Term) -> Term {
        let (left, right) = (self.not(left), self.not(right));
        let until = self.until(left, right);
        self.not(until)
    }

    pub fn always(&mut self, inner: Term) -> Term {
        self.release(FALSE, inner)
    }

    pub fn next(&mut self, inner: Term) -> Term {
        if self.is_suspendable(inner) {
            return inner;
        }
        // What does not depend on the place need not wait.
        match self.node(inner).clone() {
            Node::And(parts) if parts.iter().any(|part| self.is_suspendable(*part)) => {
                let (out, stay) = self.split(parts, Self::is_suspendable);
                let stay = self.and(stay);
                let next = self.next(stay);
                self.and([out, vec![next]].concat())
            }
            Node::Or(parts) if parts.iter().any(|part| self.is_suspendable(*part)) => {
                let (out, stay) = self.split(parts, Self::is_suspendable);
                let stay = self.or(stay);
                let next = self.next(stay);
                self.or([out, vec![next]].concat())
            }
            _ => self.raw(Node::Next(inner)),
        }
    }

    fn split(&self, parts: Vec<Term>, goes: fn(&Self, Term) -> bool) -> (Vec<Term>, Vec<Term>) {
        parts.into_iter().partition(|part| goes(self, *part))
    }

    pub fn until(&mut self, left: Term, right: Term) -> Term {
        // `a U b` is `b` where `b` holds as soon as it ever does, and where `a` is no better than `b`.
        if self.is_eventual(right) || self.implies(left, right) {
            return right;
        }
        // Where `a` does not hold, `b` does: so `a` holds until `b` does, and all that is asked is `b`.
        let not_left = self.not(left);
        if left != TRUE && self.implies(not_left, right) {
            return self.until(TRUE, right);
        }
        match self.node(right).clone() {
            // `a U (c U d)`: the longer wait contains the shorter one.
            Node::Until(inner_left, inner_right) => {
                if self.implies(left, inner_left) {
                    return right;
                }
                if self.implies(inner_left, left) {
                    return self.until(left, inner_right);
                }
            }
            Node::Or(parts) if parts.iter().any(|part| self.is_eventual(*part)) => {
                let (mut out, stay) = self.split(parts, Self::is_eventual);
                let stay = self.or(stay);
                out.push(self.until(left, stay));
                return self.or(out);
            }
            Node::And(parts) if parts.iter().any(|part| self.is_suspendable(*part)) => {
                let (mut out, stay) = self.split(parts, Self::is_suspendable);
                let stay = self.and(stay);
                out.push(self.until(left, stay));
                return self.and(out);
            }
            // `X a U X b`, and `<> X b`.
            Node::Next(inner_right) => {
                let inner_left = match self.node(left) {
                    Node::True => Some(TRUE),
                    Node::Next(inner_left) => Some(*inner_left),
                    _ => None,
                };
                if let Some(inner_left) = inner_left {
                    let until = self.until(inner_left, inner_right);
                    return self.next(until);
                }
            }
            _ => {}
        }
        match self.node(left).clone() {
            // `(a U b) U b`.
            Node::Until(inner_left, inner_right) if inner_right == right => {
                return self.until(inner_left, right);
            }
            // In `(a || b) U c`, a `b` that implies `c` adds nothing.
            Node::Or(parts) => {
                let kept: Vec<Term> = parts.iter().copied().filter(|part| !self.implies(*part, right)).collect();
                if kept.len() < parts.len() {
                    let kept = self.or(kept);
                    return self.until(kept, right);
                }
            }
            // In `(a && b) U c`, a `b` that holds wherever `c` does not adds nothing.
            Node::And(parts) => {
                let not_right = self.not(right);
                let kept: Vec<Term> = parts.iter().copied().filter(|part| !self.implies(not_right, *part)).collect();
                if kept.len() < parts.len() {
                    let kept = self.and(kept);
                    return self.until(kept, right);
                }
            }
            _ => {}
        }
        self.raw(Node::Until(left, right))
    }

    pub fn and(&mut self, parts: Vec<Term>) -> Term {
        let mut flat = Vec::with_capacity(parts.len());
        for part in parts {
            match self.node(part) {
                Node::And(inner) => flat.extend(inner),
                _ => flat.push(part),
            }
        }
        flat.sort();
        flat.dedup();
        if !self.absorb(&mut flat) {
            return FALSE;
        }
        if let Some(changed) = self.resolve(&flat).or_else(|| self.join(&flat)) {
            return self.and(changed);
        }
        match flat[..] {
            [] => TRUE,
            [only] => only,
            _ => self.raw(Node::And(flat)),
        }
    }

    /// Drops the parts that others imply. False if two contradict each other.
    fn absorb(&mut self, parts: &mut Vec<Term>) -> bool {
        let mut index = 0;
        while index < parts.len() {
            let part = parts[index];
            let negation = self.not(part);
            let mut implied = part == TRUE;
            for (place, other) in parts.clone().into_iter().enumerate() {
                if place == index {
                    continue;
                }
                if self.implies(other, negation) {
                    return false;
                }
                implied |= self.implies(other, part);
            }
            if implied {
                parts.remove(index);
            } else {
                index += 1;
            }
        }
        !parts.contains(&FALSE)
    }

    /// `a && (b || c)` is `a && c` if `a` excludes `b`.
    fn resolve(&mut self, parts: &[Term]) -> Option<Vec<Term>> {
        for (index, &part) in parts.iter().enumerate() {
            let Node::Or(alternatives) = self.node(part).clone() else { continue };
            let mut kept = Vec::new();
            for &alternative in &alternatives {
                let negation = self.not(alternative);
                let excluded =
                    parts.iter().enumerate().any(|(place, &other)| place != index && self.implies(other, negation));
                if !excluded {
                    kept.push(alternative);
                }
            }
            if kept.len() < alternatives.len() {
                let mut changed = parts.to_vec();
                changed[index] = self.or(kept);
                return Some(changed);
            }
        }
        None
    }

    /// Two parts of a conjunction become one.
    fn join(&mut self, parts: &[Term]) -> Option<Vec<Term>> {
        for (index, &one) in parts.iter().enumerate() {
            for (place, &two) in parts.iter().enumerate() {
                if place == index {
                    continue;
                }
                if let Some(joined) = self.joined(one, two) {
                    let mut changed = parts.to_vec();
                    changed[index] = joined;
                    changed.remove(place);
                    return Some(changed);
                }
            }
        }
        None
    }

    fn joined(&mut self, one: Term, two: Term) -> Option<Term> {
        match (self.node(one).clone(), self.node(two).clone()) {
            (Node::Next(a), Node::Next(b)) => {
                let both = self.and(vec![a, b]);
                Some(self.next(both))
            }
            // `(a U c) && (b U c)`, `(a R b) && (a R c)`.
            (Node::Until(a, c), Node::Until(b, d)) if c == d => {
                let both = self.and(vec![a, b]);
                Some(self.until(both, c))
            }
            (Node::Release(a, b), Node::Release(c, d)) if a == c => {
                let both = self.and(vec![b, d]);
                Some(self.release(a, both))
            }
            // `<>[]a && <>[]b`.
            (Node::Until(TRUE, a), Node::Until(TRUE, b)) if self.is_universal(a) && self.is_universal(b) => {
                let both = self.and(vec![a, b]);
                Some(self.until(TRUE, both))
            }
            // `b && X (a R b)` with `a` false is `[] b`.
            (_, Node::Next(next)) => match *self.node(next) {
                Node::Release(FALSE, inner) if inner == one => Some(next),
                _ => None,
            },
            _ => None,
        }
    }

    /// The same formula with choices put off: `<> a || q`, where `q` does not depend on the place, is `<> (a || q)`.
    ///
    /// This is against the rules above, and one of the two forms has the smaller automaton, now this one, now that.
    pub fn delayed(&mut self, term: Term) -> Term {
        let node = match self.node(term).clone() {
            Node::And(parts) => {
                let parts = parts.into_iter().map(|part| self.delayed(part)).collect();
                return self.and(parts);
            }
            Node::Or(parts) => {
                let mut rest = parts.clone();
                let place = rest.iter().position(|part| matches!(self.node(*part), Node::Until(TRUE, _)));
                let waits = place.map(|place| rest.remove(place));
                let (out, mut stay) = self.split(rest, Self::is_suspendable);
                let Some(&Node::Until(_, inner)) = waits.filter(|_| !out.is_empty()).map(|waits| self.node(waits))
                else {
                    let parts = parts.into_iter().map(|part| self.delayed(part)).collect();
                    return self.or(parts);
                };
                let either = self.or([out, vec![inner]].concat());
                stay.push(self.raw(Node::Until(TRUE, either)));
                stay.sort();
                match stay[..] {
                    [only] => return only,
                    _ => Node::Or(stay),
                }
            }
            Node::Next(inner) => Node::Next(self.delayed(inner)),
            Node::Until(left, right) => Node::Until(self.delayed(left), self.delayed(right)),
            Node::Release(left, right) => Node::Release(self.delayed(left), self.delayed(right)),
            node => node,
        };
        self.raw(node)
    }

    /// The term of a formula, negated if `positive` is false.
    pub fn of(&mut self, formula: &Formula, positive: bool) -> Term {
        let term = match formula {
            Formula::True => TRUE,
            Formula::False => FALSE,
            Formula::Proposition(number) => self.literal(*number, true),
            Formula::Not(inner) => return self.of(inner, !positive),
            Formula::And(one, two) => {
                let parts = vec![self.of(one, true), self.of(two, true)];
                self.and(parts)
            }
            Formula::Or(one, two) => {
                let parts = vec![self.of(one, true), self.of(two, true)];
                self.or(parts)
            }
            Formula::Implies(one, two) => {
                let parts = vec![self.of(one, false), self.of(two, true)];
                self.or(parts)
            }
            Formula::Equivalent(one, two) => {
                let (one, two) = (self.of(one, true), self.of(two, true));
                let (not_one, not_two) = (self.not(one), self.not(two));
                let (both, none) = (self.and(vec![one, two]), self.and(vec![not_one, not_two]));
                self.or(vec![both, none])
            }
            Formula::Next(inner) => {
                let inner = self.of(inner, true);
                self.next(inner)
            }
            Formula::Always(inner) => {
                let inner = self.of(inner, true);
                self.always(inner)
            }
            Formula::Eventually(inner) => {
                let inner = self.of(inner, true);
                self.until(TRUE, inner)
            }
            Formula::Until(one, two) => {
                let (one, two) = (self.of(one, true), self.of(two, true));
                self.until(one, two)
            }
            Formula::Release(one, two) => {
                let (one, two) = (self.of(one, true), self.of(two, true));
                self.release(one, two)
            }
            // `a W b` is `b R (a || b)`.
            Formula::WeakUntil(one, two) => {
                let (one, two) = (self.of(one, true), self.of(two, true));
                let either = self.or(vec![one, two]);
                self.release(two, either)
            }
        };
        if positive { term } else { self.not(term) }
    }
}
