//! What master and workers tell each other, as bytes.
//!
//! Numbers are written seven bits at a time, so that small ones take a byte. Every rank has the system: locations,
//! transitions and predicates travel as numbers, and only new predicates as formulas.

use crate::bits::Bits;
use crate::expansion::AbstractState;
use crate::formula::Formula;
use crate::linear::{Constraint, Linear, Relation, Symbol};
use crate::system::{LocationId, TransitionId};
use crate::tree::NodeId;

/// A node whose successors are to be computed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WorkItem {
    pub node: NodeId,
    pub depth: u32,
    pub state: AbstractState,
}

/// The successors of a node, without those that the worker found covered.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Expansion {
    pub node: NodeId,
    pub depth: u32,
    pub successors: Vec<(TransitionId, AbstractState)>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Message {
    /// To a worker: an iteration begins, with these additional predicates. Facts replace those from before.
    Begin {
        iteration: u32,
        /// Whether covered successors may be left out.
        prunes: bool,
        facts: Option<Vec<Formula>>,
        predicates: Vec<(LocationId, Formula)>,
    },
    /// To a worker.
    Work { iteration: u32, items: Vec<WorkItem> },
    /// To a worker: it is over.
    End,
    /// To the master: one batch is done.
    Reached {
        iteration: u32,
        /// Entailment questions asked by this worker so far.
        checks: u64,
        /// Whether a solver gave up on something in this iteration.
        gave_up: bool,
        expansions: Vec<Expansion>,
    },
}

impl Message {
    pub fn encode(&self) -> Vec<u8> {
        let mut writer = Writer(Vec::new());
        match self {
            Message::Begin { iteration, prunes, facts, predicates } => {
                writer.number(0);
                writer.number(u64::from(*iteration));
                writer.number(u64::from(*prunes));
                writer.number(u64::from(facts.is_some()));
                if let Some(facts) = facts {
                    writer.number(facts.len() as u64);
                    facts.iter().for_each(|fact| writer.formula(fact));
                }
                writer.number(predicates.len() as u64);
                for (location, formula) in predicates {
                    writer.number(u64::from(location.0));
                    writer.formula(formula);
                }
            }
            Message::Work { iteration, items } => {
                writer.number(1);
                writer.number(u64::from(*iteration));
                writer.number(items.len() as u64);
                for item in items {
                    writer.number(u64::from(item.node));
                    writer.number(u64::from(item.depth));
                    writer.state(&item.state);
                }
            }
            Message::End => writer.number(2),
            Message::Reached { iteration, checks, gave_up, expansions } => {
                writer.number(3);
                writer.number(u64::from(*iteration));
                writer.number(*checks);
                writer.number(u64::from(*gave_up));
                writer.number(expansions.len() as u64);
                for expansion in expansions {
                    writer.number(u64::from(expansion.node));
                    writer.number(u64::from(expansion.depth));
                    writer.number(expansion.successors.len() as u64);
                    for (transition, state) in &expansion.successors {
                        writer.number(u64::from(transition.0));
                        writer.state(state);
                    }
                }
            }
        }
        writer.0
    }

    /// # Panics
    ///
    /// If the bytes are not those of a message: ranks run the same program.
    pub fn decode(bytes: &[u8]) -> Message {
        let mut reader = Reader(bytes);
        match reader.number() {
            0 => Message::Begin {
                iteration: reader.number() as u32,
                prunes: reader.number() == 1,
                facts: (reader.number() == 1).then(|| reader.many(Reader::formula)),
                predicates: reader.many(|reader| (LocationId(reader.number() as u32), reader.formula())),
            },
            1 => Message::Work {
                iteration: reader.number() as u32,
                items: reader.many(|reader| WorkItem {
                    node: reader.number() as u32,
                    depth: reader.number() as u32,
                    state: reader.state(),
                }),
            },
            2 => Message::End,
            3 => Message::Reached {
                iteration: reader.number() as u32,
                checks: reader.number(),
                gave_up: reader.number() == 1,
                expansions: reader.many(|reader| Expansion {
                    node: reader.number() as u32,
                    depth: reader.number() as u32,
                    successors: reader.many(|reader| (TransitionId(reader.number() as u32), reader.state())),
                }),
            },
            other => panic!("no message begins with {other}"),
        }
    }
}

struct Writer(Vec<u8>);

impl Writer {
    fn number(&mut self, value: u64) {
        self.wide(u128::from(value));
    }

    fn wide(&mut self, mut value: u128) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }

    fn signed(&mut self, value: i128) {
        // The sign goes to the lowest bit, so that small negative numbers are short, too.
        self.wide(((value << 1) ^ (value >> 127)) as u128);
    }

    fn state(&mut self, state: &AbstractState) {
        self.number(u64::from(state.location.0));
        self.number(state.holding.words().len() as u64);
        state.holding.words().iter().for_each(|&word| self.number(word));
    }

    fn formula(&mut self, formula: &Formula) {
        match formula {
            Formula::True => self.number(0),
            Formula::False => self.number(1),
            Formula::And(parts) | Formula::Or(parts) => {
                self.number(if matches!(formula, Formula::And(_)) { 2 } else { 3 });
                self.number(parts.len() as u64);
                parts.iter().for_each(|part| self.formula(part));
            }
            Formula::Atom(constraint) => {
                self.number(match constraint.relation() {
                    Relation::AtMost => 4,
                    Relation::Below => 5,
                    Relation::Equal => 6,
                });
                let sum = constraint.sum();
                self.signed(sum.constant_part());
                self.number(sum.terms().len() as u64);
                for &(symbol, factor) in sum.terms() {
                    let (kind, index) = match symbol {
                        Symbol::Before(index) => (0, index),
                        Symbol::After(index) => (1, index),
                        Symbol::Auxiliary(index) => (2, index),
                    };
                    self.number(u64::from(index) * 3 + kind);
                    self.signed(factor);
                }
            }
        }
    }
}

struct Reader<'b>(&'b [u8]);

impl Reader<'_> {
    fn number(&mut self) -> u64 {
        self.wide() as u64
    }

    fn wide(&mut self) -> u128 {
        let (mut value, mut shift) = (0, 0);
        loop {
            let (&byte, rest) = self.0.split_first().expect("a message ends with its last field");
            self.0 = rest;
            value |= u128::from(byte & 0x7f) << shift;
            shift += 7;
            if byte < 0x80 {
                return value;
            }
        }
    }

    fn signed(&mut self) -> i128 {
        let value = self.wide();
        (value >> 1) as i128 ^ -((value & 1) as i128)
    }

    fn many<T>(&mut self, mut one: impl FnMut(&mut Self) -> T) -> Vec<T> {
        let count = self.number();
        (0..count).map(|_| one(self)).collect()
    }

    fn state(&mut self) -> AbstractState {
        let location = LocationId(self.number() as u32);
        AbstractState { location, holding: Bits::of_words(self.many(Reader::number)) }
    }

    fn formula(&mut self) -> Formula {
        let relation = match self.number() {
            0 => return Formula::True,
            1 => return Formula::False,
            2 => return Formula::And(self.many(Reader::formula)),
            3 => return Formula::Or(self.many(Reader::formula)),
            4 => Relation::AtMost,
            5 => Relation::Below,
            _ => Relation::Equal,
        };
        let mut sum = Linear::constant(self.signed());
        for (symbol, factor) in self.many(|reader| (reader.number(), reader.signed())) {
            let index = (symbol / 3) as u32;
            let symbol = match symbol % 3 {
                0 => Symbol::Before(index),
                1 => Symbol::After(index),
                _ => Symbol::Auxiliary(index),
            };
            sum = sum.plus(factor, &Linear::symbol(symbol)).expect("each symbol comes once");
        }
        Formula::Atom(Constraint::new(sum, relation))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_survive_the_journey() {
        let sum = Linear::constant(i128::MIN + 1)
            .plus(-3, &Linear::symbol(Symbol::Before(2)))
            .and_then(|sum| sum.plus(i128::MAX, &Linear::symbol(Symbol::After(700))))
            .unwrap();
        let atom = Formula::atom(sum, Relation::Below);
        let formula = Formula::Or(vec![atom.clone(), Formula::And(vec![atom.clone(), Formula::True])]);
        let state = AbstractState { location: LocationId(300), holding: [0, 5, 64, 200].into_iter().collect() };
        let messages = [
            Message::Begin {
                iteration: 9,
                prunes: true,
                facts: Some(vec![formula.clone(), Formula::False]),
                predicates: vec![(LocationId(4), formula)],
            },
            Message::Work { iteration: 1, items: vec![WorkItem { node: 7, depth: 3, state: state.clone() }] },
            Message::End,
            Message::Reached {
                iteration: u32::MAX,
                checks: u64::MAX,
                gave_up: false,
                expansions: vec![Expansion { node: 1, depth: 2, successors: vec![(TransitionId(8), state)] }],
            },
        ];
        for message in messages {
            assert_eq!(Message::decode(&message.encode()), message);
        }
    }
}
