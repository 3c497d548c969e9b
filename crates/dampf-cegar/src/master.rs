//! The master: keeps the tree, hands out work, and refines when an iteration is over.
//!
//! Work goes out in batches, two to each worker, so that a worker has something to do while the answer to the first is
//! under way. A worker that dies has its batches handed out again; when all are dead, the master works alone. When a
//! solver has given up on something, larger states need not have larger successors, and the tree might depend on the
//! order of arrivals: then the iteration is done again level by level, where it cannot.

use crate::cegar::Cegar;
use crate::expansion::Expander;
use crate::message::{Message, WorkItem};
use crate::prove::{Outcome, Progress, ProofResult};
use crate::reachability::Reachability;
use crate::system::System;
use dampf_net::{Process, Rank, Transport, Turn};
use std::collections::VecDeque;

/// So many nodes in a batch at most.
const BATCH_MAX: usize = 16;

/// So many batches are with one worker.
const BATCHES_PER_WORKER: usize = 2;

#[derive(Default)]
struct WorkerAccount {
    is_lost: bool,
    /// Batches that it has not answered, oldest first.
    batches: VecDeque<Vec<WorkItem>>,
    checks: u64,
}

pub struct Master<'s, 'p> {
    system: &'s System,
    cegar: Cegar<'s>,
    reachability: Reachability,
    /// By rank; the master's own is not used.
    workers: Vec<WorkerAccount>,
    /// For the check of a proof, and for working alone.
    expander: Expander<'s>,
    /// Counts beginnings, so that answers from before are recognised.
    iteration: u32,
    by_levels: bool,
    gave_up: bool,
    has_begun: bool,
    is_naive: bool,
    progress: &'p mut dyn FnMut(Progress),
    result: Option<Outcome>,
}

impl<'s, 'p> Master<'s, 'p> {
    pub fn new(
        cegar: Cegar<'s>,
        expander: Expander<'s>,
        is_naive: bool,
        progress: &'p mut dyn FnMut(Progress),
    ) -> Master<'s, 'p> {
        let system = cegar.system();
        Master {
            system,
            cegar,
            reachability: Reachability::new(system, is_naive),
            workers: Vec::new(),
            expander,
            iteration: 0,
            by_levels: false,
            gave_up: false,
            has_begun: false,
            is_naive,
            progress,
            result: None,
        }
    }

    /// The result, once the process is done.
    pub fn finish(mut self) -> Option<ProofResult> {
        let outcome = self.result.take()?;
        let checks = self.workers.iter().map(|worker| worker.checks).sum::<u64>() + self.expander.checks();
        Some(self.cegar.finish(outcome, checks))
    }

    fn ranks(&self) -> impl Iterator<Item = Rank> + use<> {
        let alive = self.workers.iter().enumerate().skip(1).filter(|(_, worker)| !worker.is_lost);
        alive.map(|(rank, _)| rank as Rank).collect::<Vec<_>>().into_iter()
    }

    fn begin(&mut self, network: &mut impl Transport) {
        self.iteration += 1;
        self.gave_up = false;
        self.reachability = Reachability::new(self.system, self.is_naive);
        for worker in &mut self.workers {
            worker.batches.clear();
        }
        let (facts, predicates) = self.cegar.news();
        if facts.is_some() {
            self.expander.forget();
        }
        let message = Message::Begin { iteration: self.iteration, prunes: !self.by_levels, facts, predicates }.encode();
        for rank in self.ranks() {
            network.send(rank, message.clone());
        }
    }

    fn receive(&mut self, network: &mut impl Transport) -> bool {
        let mut received = false;
        loop {
            match network.receive() {
                Ok(None) => return received,
                Ok(Some((from, bytes))) => self.take_in(from, Message::decode(&bytes)),
                Err(lost) => self.lose(lost.rank),
            }
            received = true;
        }
    }

    fn take_in(&mut self, from: Rank, message: Message) {
        let Message::Reached { iteration, checks, gave_up, expansions } = message else { return };
        let worker = &mut self.workers[from as usize];
        worker.checks = checks;
        if iteration != self.iteration {
            return;
        }
        worker.batches.pop_front();
        self.gave_up |= gave_up;
        for expansion in expansions {
            for (transition, state) in expansion.successors {
                self.reachability.reached(expansion.node, expansion.depth, transition, state);
            }
        }
    }

    fn lose(&mut self, rank: Rank) {
        let worker = &mut self.workers[rank as usize];
        worker.is_lost = true;
        for item in worker.batches.drain(..).flatten() {
            self.reachability.reissue(item.node);
        }
    }

    fn is_waiting(&self) -> bool {
        self.workers.iter().any(|worker| !worker.batches.is_empty())
    }

    /// Hands out what there is; says whether there was anything.
    fn hand_out(&mut self, network: &mut impl Transport) -> bool {
        let ranks: Vec<Rank> = self.ranks().collect();
        let mut handed_out = false;
        loop {
            let least = ranks.iter().min_by_key(|&&rank| self.workers[rank as usize].batches.len());
            let Some(&rank) = least else { return handed_out };
            if self.workers[rank as usize].batches.len() >= BATCHES_PER_WORKER {
                return handed_out;
            }
            let share = self.reachability.queued().div_ceil(ranks.len() * BATCHES_PER_WORKER);
            let items = self.next_items(share.clamp(1, BATCH_MAX));
            if items.is_empty() {
                return handed_out;
            }
            handed_out = true;
            network.send(rank, Message::Work { iteration: self.iteration, items: items.clone() }.encode());
            self.workers[rank as usize].batches.push_back(items);
        }
    }

    fn next_items(&mut self, count: usize) -> Vec<WorkItem> {
        let outstanding = self.workers.iter().flat_map(|worker| worker.batches.iter().flatten());
        let level = outstanding.map(|item| item.depth).min();
        let mut items: Vec<WorkItem> = Vec::new();
        while items.len() < count {
            if self.by_levels {
                let level = items.first().map(|item| item.depth).or(level);
                if level.is_some_and(|level| self.reachability.next_depth().is_none_or(|depth| depth > level)) {
                    break;
                }
            }
            let Some((node, state, depth)) = self.reachability.next_work() else { break };
            items.push(WorkItem { node, depth, state });
        }
        items
    }

    /// Expands one node here, when there is nobody else to do it.
    fn work_alone(&mut self) -> bool {
        let Some((node, state, depth)) = self.reachability.next_work() else { return false };
        let before = self.expander.gave_up();
        for (transition, successor) in self.expander.successors(self.cegar.abstraction(), &state) {
            self.reachability.reached(node, depth, transition, successor);
        }
        self.gave_up |= self.expander.gave_up() > before;
        true
    }

    /// Ends an iteration; says whether it was the last.
    fn conclude(&mut self) -> bool {
        if self.gave_up && !self.by_levels && !self.is_naive {
            self.by_levels = true;
            return false;
        }
        self.by_levels = false;
        self.result = self.cegar.conclude(&self.reachability, &mut self.expander);
        (self.progress)(self.cegar.progress());
        self.result.is_some()
    }

    fn end(&mut self, network: &mut impl Transport) -> Turn {
        for rank in self.ranks() {
            network.send(rank, Message::End.encode());
        }
        Turn::Done
    }
}

impl Process for Master<'_, '_> {
    fn turn(&mut self, network: &mut impl Transport) -> Turn {
        if !self.has_begun {
            self.has_begun = true;
            self.workers.resize_with(network.ranks() as usize, WorkerAccount::default);
            self.begin(network);
        }
        let received = self.receive(network);
        if let Some(reason) = self.cegar.stop(self.reachability.tree().nodes_made() as u64) {
            self.result = Some(Outcome::Unknown { reason });
            return self.end(network);
        }
        if self.ranks().next().is_none() && self.work_alone() {
            return Turn::Worked { work: 50 };
        }
        let handed_out = self.hand_out(network);
        if !self.is_waiting() && !self.reachability.has_work() {
            if self.conclude() {
                return self.end(network);
            }
            self.begin(network);
            return Turn::Worked { work: 1 };
        }
        if received || handed_out { Turn::Worked { work: 1 } } else { Turn::Idle }
    }
}
