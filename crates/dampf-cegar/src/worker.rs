//! A worker: computes successors of abstract states for the master.
//!
//! It keeps a tree of its own of all states that it has seen in this iteration, and does not send successors that a
//! state there covers: the master knows a state at least as large that is not deeper. What it has learnt about
//! entailments lasts from iteration to iteration.

use crate::abstraction::{Abstraction, Scope};
use crate::expansion::Expander;
use crate::message::{Expansion, Message, WorkItem};
use crate::solver::Solver;
use crate::system::System;
use crate::tree::{Addition, Tree};
use dampf_net::{Process, Rank, Transport, Turn};
use std::collections::VecDeque;

/// The rank of the master.
pub const MASTER: Rank = 0;

pub struct Worker<'s> {
    system: &'s System,
    abstraction: Abstraction,
    expander: Expander<'s>,
    tree: Tree,
    iteration: u32,
    prunes: bool,
    /// How often solvers had given up before this iteration.
    gave_up_before: u64,
    batches: VecDeque<(VecDeque<WorkItem>, Vec<Expansion>)>,
    is_naive: bool,
}

impl<'s> Worker<'s> {
    pub fn new(system: &'s System, solver: Box<dyn Solver + 's>, is_naive: bool) -> Worker<'s> {
        Worker {
            system,
            // The master has applied the scope to the predicates that it sends.
            abstraction: Abstraction::new(system, Scope::Local),
            expander: Expander::new(system, solver),
            tree: Tree::new(system.locations.len(), is_naive),
            iteration: 0,
            prunes: true,
            gave_up_before: 0,
            batches: VecDeque::new(),
            is_naive,
        }
    }

    fn take_in(&mut self, message: Message) -> bool {
        match message {
            Message::End => return false,
            Message::Begin { iteration, prunes, facts, predicates } => {
                for (location, formula) in &predicates {
                    self.abstraction.add(*location, formula);
                }
                if let Some(facts) = facts {
                    self.abstraction.set_facts(facts);
                    self.expander.forget();
                }
                self.iteration = iteration;
                self.prunes = prunes;
                self.gave_up_before = self.expander.gave_up();
                self.tree = Tree::new(self.system.locations.len(), self.is_naive);
                self.batches.clear();
            }
            Message::Work { iteration, items } if iteration == self.iteration => {
                self.batches.push_back((items.into(), Vec::new()));
            }
            Message::Work { .. } => {}
            Message::Reached { .. } => unreachable!("only the master is told what was reached"),
        }
        true
    }

    fn expand(&mut self, item: WorkItem) -> Expansion {
        let mut successors = self.expander.successors(&self.abstraction, &item.state);
        if self.prunes {
            let tree = &mut self.tree;
            successors.retain(|(transition, state)| {
                tree.add(state.clone(), item.depth + 1, 0, *transition) != Addition::Covered
            });
        }
        Expansion { node: item.node, depth: item.depth, successors }
    }
}

impl Process for Worker<'_> {
    fn turn(&mut self, network: &mut impl Transport) -> Turn {
        loop {
            match network.receive() {
                Ok(None) => break,
                Ok(Some((_, bytes))) => {
                    if !self.take_in(Message::decode(&bytes)) {
                        return Turn::Done;
                    }
                }
                // Without a master there is nobody to work for; other workers are the master's business.
                Err(lost) if lost.rank == MASTER => return Turn::Done,
                Err(_) => {}
            }
        }
        let Some((items, _)) = self.batches.front_mut() else { return Turn::Idle };
        let checks = self.expander.checks();
        if let Some(item) = items.pop_front() {
            let expansion = self.expand(item);
            if let Some((_, expansions)) = self.batches.front_mut() {
                expansions.push(expansion);
            }
        }
        if let Some((_, expansions)) = self.batches.pop_front_if(|(items, _)| items.is_empty()) {
            let gave_up = self.expander.gave_up() > self.gave_up_before;
            let (iteration, checks) = (self.iteration, self.expander.checks());
            network.send(MASTER, Message::Reached { iteration, checks, gave_up, expansions }.encode());
        }
        Turn::Worked { work: 1 + 50 * (self.expander.checks() - checks) }
    }
}
