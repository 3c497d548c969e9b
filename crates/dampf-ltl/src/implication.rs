//! Implications between formulas that can be seen from their shape (Somenzi, Bloem: Efficient Büchi automata from LTL
//! formulas, 2000).
//!
//! What is found is true; much is not found. Every rule asks about parts of what it was asked about, so this ends.

use crate::terms::{FALSE, Node, TRUE, Term, Terms};

impl Terms {
    /// Whether every run that satisfies one satisfies the other, as far as can be seen.
    pub fn implies(&mut self, one: Term, other: Term) -> bool {
        if one == other || one == FALSE || other == TRUE {
            return true;
        }
        if one == TRUE || other == FALSE {
            return false;
        }
        if let Some(&known) = self.implications.get(&(one, other)) {
            return known;
        }
        let found = self.implies_by_parts(one, other);
        self.implications.insert((one, other), found);
        found
    }

    fn implies_by_parts(&mut self, one: Term, other: Term) -> bool {
        let (left, right) = (self.node(one).clone(), self.node(other).clone());
        // Here the parts are all there is to ask.
        if let Node::And(parts) = &right {
            return parts.iter().all(|&part| self.implies(one, part));
        }
        if let Node::Or(parts) = &left {
            return parts.iter().all(|&part| self.implies(part, other));
        }
        let by_left = match &left {
            Node::And(parts) => parts.iter().any(|&part| self.implies(part, other)),
            // `a U b` has `a` or `b` now, and `b` some time.
            Node::Until(a, b) => self.implies(*b, other) && (self.is_eventual(other) || self.implies(*a, other)),
            // `a R b` has `b` now.
            Node::Release(_, b) => self.implies(*b, other),
            Node::Next(a) => self.is_eventual(other) && self.implies(*a, other),
            _ => false,
        };
        if by_left {
            return true;
        }
        let by_right = match &right {
            Node::Or(parts) => parts.iter().any(|&part| self.implies(one, part)),
            Node::Until(_, b) => self.implies(one, *b),
            Node::Release(a, b) => self.implies(one, *b) && (self.is_universal(one) || self.implies(one, *a)),
            Node::Next(a) => self.is_universal(one) && self.implies(one, *a),
            _ => false,
        };
        if by_right {
            return true;
        }
        match (left, right) {
            (Node::Next(a), Node::Next(b)) => self.implies(a, b),
            (Node::Until(a, b), Node::Until(c, d)) | (Node::Release(a, b), Node::Release(c, d)) => {
                self.implies(a, c) && self.implies(b, d)
            }
            _ => false,
        }
    }
}
