//! What ranks do with explored states: successors that stay are looked up, the others are sent to their owners.

use crate::discovery::{Discoveries, Discovery, FaultPlace};
use crate::mail::Mail;
use crate::parcel::Companion;
use crate::partition::{NOBODY, Owner};
use crate::queue::Stored;
use crate::share::Share;
use crate::visited::{Pending, parent_bits};
use crate::{Distributable, RankStore};
use dampf_core::{Action, Fault, Successors, Word};
use dampf_net::Rank;
use dampf_search::Sink;
use dampf_search::expand::Explored;
use dampf_store::{Inserted, Session, hash_words};
use std::convert::Infallible;

/// A successor that stays on this rank.
#[derive(Clone, Copy)]
struct OwnStep {
    /// The number of the explored state in its batch, and of the step.
    number: u32,
    step: u32,
}

/// A successor that goes to another rank.
#[derive(Clone, Copy, Default)]
struct ForeignStep {
    number: u32,
    step: u32,
    owner: Rank,
    hash: u64,
}

/// What travels with the state that a step leads to.
#[inline]
fn companion_of_step(parent: Stored, action: Action, place: (u64, u32), accepting: u64) -> Companion {
    let Stored { state, depth, .. } = parent;
    Companion { parent: parent_bits(state), depth: depth + 1, label: action.front_end(), place, position: 0, accepting }
}

/// The steps of a batch, by where they go.
pub(crate) struct BatchSteps<P> {
    own: Vec<OwnStep>,
    /// The own steps as they were prepared.
    pending: Vec<P>,
    foreign: Vec<ForeignStep>,
    /// The steps of one state that lead on, and the owners of where they lead.
    steps: Vec<usize>,
    owners: Vec<(Rank, u64)>,
}

impl<P> BatchSteps<P> {
    pub fn new() -> Self {
        BatchSteps { own: Vec::new(), pending: Vec::new(), foreign: Vec::new(), steps: Vec::new(), owners: Vec::new() }
    }

    /// The steps that lead on, in the order in which their states are to wait: in a depth-first search the latest is
    /// explored first, and that is to be the one behind the last label.
    #[inline]
    fn order(&mut self, successors: &Successors, last_label: Option<u32>) {
        self.steps.clear();
        self.steps.extend((0..successors.len()).filter(|&step| successors.leads_on(step)));
        if let Some(label) = last_label {
            self.steps.sort_unstable_by_key(|&step| {
                let of_step = successors.action(step).front_end();
                std::cmp::Reverse((of_step <= label, of_step))
            });
        }
    }
}

pub(crate) struct Sending<'t, 'a, M: Distributable, S: RankStore + 'a> {
    pub share: &'t mut Share<'a, M, S>,
    pub discoveries: &'t mut Discoveries,
    pub steps: &'t mut BatchSteps<Pending<'a, S>>,
    pub mail: &'t mut Mail,
}

impl<M: Distributable, S: RankStore> Sink for Sending<'_, '_, M, S> {
    type Source = Stored;
    type Error = Infallible;

    #[inline]
    fn load(&mut self, _: usize, source: Stored, words: &mut [Word]) {
        self.share.visited.load(source.state, words);
    }

    /// Successors that stay here are prepared, the others' places in the cache of sent states are fetched.
    #[inline]
    fn prepare(
        &mut self,
        number: usize,
        source: Stored,
        state: &[Word],
        successors: &Successors,
    ) -> Result<(), Infallible> {
        let has_labels = self.share.delivery.format.labels;
        self.share.delivery.partitioner.set_base(state);
        self.look_for_cycles(number, source, state, successors);
        self.steps.order(successors, has_labels.then_some(source.label));
        if has_labels {
            // Others explore what they get first; here the latest is explored first.
            self.send_at_once(successors, number, source);
        } else if self.mail.ranks > 1 {
            self.sort_out_foreign(successors, number, source);
        }
        if self.share.frontier.keeps_whole {
            for &step in &self.steps.steps {
                let companion = companion_of_step(source, successors.action(step), (0, 0), self.accepting(number));
                self.share.wait_whole(successors.state(step), companion);
            }
            return Ok(());
        }
        let BatchSteps { own, pending, steps, .. } = &mut *self.steps;
        self.share.visited.session.prepare_all(successors, steps.iter().copied(), pending);
        own.extend(steps.iter().map(|&step| OwnStep { number: number as u32, step: step as u32 }));
        Ok(())
    }

    fn fault(&mut self, explored: Explored<'_, Stored>, step: Option<usize>, fault: Fault) {
        let Explored { number, source, successors, .. } = explored;
        if let Some(ranking) = &mut self.share.ranking {
            ranking.note(number, step, fault);
            return;
        }
        // Where a state may lie on several ranks, its copies were found at different depths.
        let is_least = self.share.frontier.by_levels() && !self.share.delivery.partitioner.depends_on_depth();
        let place = FaultPlace::State { state: source.state, distance: is_least.then_some(u64::from(source.depth)) };
        let steps = step.map(|step| successors.action(step)).into_iter().collect();
        self.discoveries.note(Discovery { fault, place, steps, cycle: Vec::new() });
    }

    fn commit(&mut self, batch: &[Stored], successors: &[Successors]) -> Result<(), Infallible> {
        self.send_foreign(batch, successors);
        self.commit_own(batch, successors);
        self.share.visited.session.quiesce();
        Ok(())
    }
}

impl<M: Distributable, S: RankStore> Sending<'_, '_, M, S> {
    /// Sends those of the steps whose states are others', from the last to the first, and leaves the rest.
    fn send_at_once(&mut self, successors: &Successors, number: usize, parent: Stored) {
        let accepting = self.accepting(number);
        let mut steps = std::mem::take(&mut self.steps.steps);
        steps.reverse();
        steps.retain(|&step| {
            let state = successors.state(step);
            let companion = companion_of_step(parent, successors.action(step), (0, 0), accepting);
            let owner = self.share.delivery.partitioner.owner(state, companion.depth);
            if owner == Owner::Rank(self.mail.rank) {
                return true;
            }
            self.share.deliver(self.mail, owner, state, companion);
            false
        });
        steps.reverse();
        self.steps.steps = steps;
    }

    /// Takes those out of the steps of a state whose states are others'. They are sent at the end of the batch.
    #[inline]
    fn sort_out_foreign(&mut self, successors: &Successors, number: usize, parent: Stored) {
        let rank = self.mail.rank;
        let delivery = &mut self.share.delivery;
        let BatchSteps { foreign, steps, owners, .. } = &mut *self.steps;
        let number = number as u32;
        let first = foreign.len();
        let mut own = 0;
        if delivery.partitioner.is_by_sections() {
            for index in 0..steps.len() {
                let step = steps[index];
                let state = successors.state(step);
                steps[own] = step;
                own += 1;
                if delivery.partitioner.stays(state) {
                    continue;
                }
                if let Owner::Rank(owner) = delivery.partitioner.owner(state, parent.depth + 1)
                    && owner != rank
                {
                    own -= 1;
                    foreign.push(ForeignStep { number, step: step as u32, owner, hash: hash_words(state) });
                }
            }
        } else {
            delivery.partitioner.owners(rank, successors, steps, parent.depth + 1, owners);
            foreign.resize(first + steps.len(), ForeignStep::default());
            // Whose a state is cannot be guessed: each is put down in both lists, and the next over it in one of them.
            let mut leaving = first;
            for (index, &(owner, hash)) in owners.iter().enumerate() {
                let step = steps[index];
                steps[own] = step;
                own += usize::from(owner == rank);
                foreign[leaving] = ForeignStep { number, step: step as u32, owner, hash };
                leaving += usize::from(owner != rank);
            }
            foreign.truncate(leaving);
        }
        steps.truncate(own);
        let mut is_owned = true;
        for step in &foreign[first..] {
            delivery.outbox.fetch(step.hash);
            is_owned &= step.owner != NOBODY;
        }
        if !is_owned {
            self.hold_unowned(successors, first, parent);
        }
    }

    /// Lets those of the last foreign steps wait that nobody owns yet.
    #[cold]
    fn hold_unowned(&mut self, successors: &Successors, first: usize, parent: Stored) {
        for foreign in self.steps.foreign.split_off(first) {
            let ForeignStep { number, step, owner, .. } = foreign;
            if owner != NOBODY {
                self.steps.foreign.push(foreign);
                continue;
            }
            let state = successors.state(step as usize);
            let place = (self.position(number), step);
            let accepting = self.accepting(number as usize);
            let companion = companion_of_step(parent, successors.action(step as usize), place, accepting);
            let owner = self.share.delivery.partitioner.owner(state, companion.depth);
            self.share.deliver(self.mail, owner, state, companion);
        }
    }

    /// Looks for cycles that the steps of a state close, and for accepting states that others begin with.
    #[inline]
    fn look_for_cycles(&mut self, number: usize, source: Stored, state: &[Word], successors: &Successors) {
        let Share { predecessors, nested, delivery, .. } = &mut *self.share;
        if let Some(nested) = nested {
            nested.explore(state, source, &[]);
        }
        if let Some(predecessors) = predecessors {
            let fingerprint = |state: &[Word]| delivery.partitioner.fingerprint(state);
            predecessors.explore(number, source.state, (state, successors), fingerprint);
        }
    }

    /// What the successors of a state of the batch are told of accepting states before them.
    #[inline]
    fn accepting(&self, number: usize) -> u64 {
        self.share.predecessors.as_ref().map_or(0, |predecessors| predecessors.passed_on(number))
    }

    /// The position in its level of a state of the batch, in a predictable search.
    #[inline]
    fn position(&self, number: u32) -> u64 {
        self.share.ranking.as_ref().map_or(0, |ranking| ranking.position(number as usize))
    }

    /// Sends the successors of a batch that go to other ranks.
    fn send_foreign(&mut self, batch: &[Stored], successors: &[Successors]) {
        let mut foreign = std::mem::take(&mut self.steps.foreign);
        self.share.delivery.outbox.traffic.cross_transitions += foreign.len() as u64;
        for ForeignStep { number, step, owner, hash } in foreign.drain(..) {
            let position = self.position(number);
            let successors = &successors[number as usize];
            let state = successors.state(step as usize);
            let action = successors.action(step as usize);
            let accepting = self.accepting(number as usize);
            let companion = companion_of_step(batch[number as usize], action, (position, step), accepting);
            self.share.delivery.send_hashed(self.mail, owner, (hash, state), &companion);
        }
        self.steps.foreign = foreign;
    }

    /// Stores the successors of a batch that stay here.
    fn commit_own(&mut self, batch: &[Stored], successors: &[Successors]) {
        let Share { visited, frontier, delivery, ranking, predecessors, .. } = &mut *self.share;
        let BatchSteps { own, pending, .. } = &mut *self.steps;
        for (OwnStep { number, step }, pending) in own.drain(..).zip(pending.drain(..)) {
            let Stored { state: parent, depth, .. } = batch[number as usize];
            let successors = &successors[number as usize];
            let state = successors.state(step as usize);
            let inserted = visited.session.commit(pending, state, Some(parent));
            if let Some(predecessors) = predecessors {
                predecessors.reach(inserted, predecessors.passed_on(number as usize));
            }
            if let Some(ranking) = ranking {
                ranking.reach(inserted, (ranking.position(number as usize), step));
            } else if let Inserted::New(found) = inserted {
                let (depth, label) = (depth + 1, successors.action(step as usize).front_end());
                visited.note(found, Companion { parent: parent_bits(parent), depth, ..Companion::default() });
                frontier.push(Stored { state: found, depth, label }, || delivery.partitioner.estimate(state));
            }
        }
    }
}
