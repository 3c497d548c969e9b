//! Exploring states, and sending each successor where it belongs.

use super::{BATCH, BATCHES_PER_PROGRESS, Node, Phase};
use crate::Distributable;
use crate::message::Message;
use crate::parcel::{Companion, PARENT_BITS, UNKNOWN_PARENT, unpack};
use crate::partition::{Bucket, NOBODY, Owner};
use crate::queue::{Order, Stored, Waiting};
use crate::report::{Discovery, FaultPlace};
use dampf_core::{Action, Fault, Remark, Successors, Unsupported, Word, Worker};
use dampf_net::{Rank, Transport};
use dampf_search::{FINDINGS_MAX, Judgement, StopReason};
use dampf_store::{Inserted, Session, StateRef, hash_words};

/// A successor that stays on this rank.
#[derive(Clone, Copy)]
pub(super) struct OwnStep {
    /// The number of the explored state in its batch, and of the step.
    number: u32,
    step: u32,
}

/// A successor that goes to another rank.
#[derive(Clone, Copy, Default)]
pub(super) struct ForeignStep {
    number: u32,
    step: u32,
    owner: Rank,
    hash: u64,
}

/// A state whose owner is not known yet.
pub(super) struct Held {
    pub state: Vec<Word>,
    pub companion: Companion,
}

/// What of a parent's reference travels.
#[inline]
fn parent_bits(parent: StateRef) -> u32 {
    (parent.0 >> (64 - PARENT_BITS)) as u32
}

/// What travels with the state that a step leads to.
#[inline]
fn companion_of_step(parent: Stored, action: Action, place: (u64, u32)) -> Companion {
    let Stored { state, depth, .. } = parent;
    Companion { parent: parent_bits(state), depth: depth + 1, label: action.front_end(), place, position: 0 }
}

/// A parent of which only these bits are known.
#[inline]
pub(super) fn parent_of_bits(bits: u32) -> Option<StateRef> {
    (bits != UNKNOWN_PARENT).then_some(StateRef(u64::from(bits) << (64 - PARENT_BITS)))
}

impl<M: Distributable> Node<'_, M> {
    /// Takes the initial states that are this rank's.
    pub(super) fn begin(&mut self) {
        self.begin_from(true);
    }

    /// Takes note of the initial states that are this rank's, which a checkpoint has as others.
    pub(super) fn find_initial(&mut self) {
        self.begin_from(false);
    }

    fn begin_from(&mut self, anew: bool) {
        let mut out = Successors::new(self.model.width());
        self.worker.initial(&mut out);
        self.note_unsupported(out.unsupported().cloned());
        self.refuted.extend(out.refuted().iter().map(|(_, revise)| revise.clone()));
        for number in 0..out.len() {
            if let Some(fault) = out.fault(number) {
                // All ranks see the same; one tells.
                if self.rank == 0 && anew {
                    self.statistics.faults += 1;
                    let place = FaultPlace::Initial(number as u64);
                    self.discoveries.push(Discovery { fault: fault.clone(), place, steps: Vec::new() });
                }
            }
            if !out.leads_on(number) {
                continue;
            }
            let state = out.state(number);
            let owner = match self.partitioner.owner(state, 0) {
                Owner::Rank(owner) => owner,
                Owner::Unassigned(bucket) => {
                    // Everybody begins with the same assignment.
                    self.partitioner.assign(bucket, 0);
                    0
                }
            };
            if owner != self.rank {
                continue;
            }
            let hash = self.session.prepare(state);
            if let Inserted::New(state) = self.session.commit(hash, state, None) {
                self.initial.push((state, number as u64));
                if !anew {
                    continue;
                }
                self.statistics.states += 1;
                if let Some(saving) = &mut self.saving {
                    saving.note(state, Companion { position: number as u64, ..Companion::default() });
                }
                match &mut self.ranking {
                    Some(ranking) => ranking.begin_with(state, number as u64),
                    None => self.queue.push(Stored::new(state, 0), || 0),
                }
            }
        }
        if let (Some(ranking), true) = (&mut self.ranking, anew) {
            ranking.set_level_size(out.len() as u64);
            ranking.current().iter().for_each(|&state| self.queue.push(Stored::new(state, 0), || 0));
        }
    }

    pub(super) fn has_work(&self) -> bool {
        self.queue.len() + self.raw.len() > 0 || !self.settled()
    }

    /// Whether the initial states leave nothing to do but to search.
    fn settled(&self) -> bool {
        (self.refuted.is_empty() || self.ranking.is_some())
            && (self.discoveries.is_empty() || self.options.keep_going || self.ranking.is_some())
    }

    /// Explores a batch of states. Returns the number of steps they have.
    pub(super) fn explore(&mut self, network: &mut impl Transport) -> u64 {
        if !self.refuted.is_empty() && self.ranking.is_none() {
            self.halt(network, StopReason::Refuted);
            return 0;
        }
        if !self.settled() {
            self.halt(network, StopReason::Fault);
            return 0;
        }
        self.take_batch();
        let mut successors = std::mem::take(&mut self.successors);
        let transitions = self.generate(network, &mut successors);
        self.successors = successors;
        self.statistics.transitions += transitions;
        self.send_foreign_steps(network);
        self.commit_own();
        self.session.quiesce();
        if !self.refuted.is_empty() && self.ranking.is_none() {
            self.halt(network, StopReason::Refuted);
        } else if self.stops_at_faults() {
            self.halt(network, StopReason::Fault);
        }
        self.after_batch(network);
        transitions
    }

    /// The successors of a batch: those that stay here are prepared, the others' places in the cache of sent states are fetched.
    fn generate(&mut self, network: &mut impl Transport, batch: &mut [Successors]) -> u64 {
        let mut transitions = 0;
        for (number, successors) in batch.iter_mut().enumerate().take(self.batch.len()) {
            let parent = self.batch[number];
            self.load(parent.state);
            self.partitioner.set_base(&self.words);
            self.worker.successors(&self.words, successors);
            transitions += successors.len() as u64;
            let position = self.ranking.as_mut().map_or(0, |ranking| ranking.next_position());
            if !successors.is_unremarkable() {
                self.note(successors, parent, position);
            }
            if let Some(local) = self.settings.local.filter(|_| self.levels.is_none()) {
                transitions += self.explore_locally(network, &local, parent, successors);
                continue;
            }
            let mut steps = std::mem::take(&mut self.steps);
            self.order_steps(successors, parent.label, &mut steps);
            if self.format.labels {
                // Others explore what they get first; here the latest is explored first.
                self.send_foreign(network, successors, &mut steps, parent);
            } else if self.ranks > 1 {
                self.sort_out_foreign(network, successors, &mut steps, (number, position));
            }
            if self.waits_raw() {
                for &step in &steps {
                    let companion = companion_of_step(parent, successors.action(step), (position, step as u32));
                    self.wait_raw(successors.state(step), companion);
                }
            } else {
                self.session.prepare_all(successors, steps.iter().copied(), &mut self.pending);
                self.own_steps.extend(steps.iter().map(|&step| OwnStep { number: number as u32, step: step as u32 }));
            }
            self.steps = steps;
        }
        transitions
    }

    /// The steps that lead on, in the order in which their states are to wait.
    #[inline]
    fn order_steps(&self, successors: &Successors, label: u32, order: &mut Vec<usize>) {
        order.clear();
        order.extend((0..successors.len()).filter(|&step| successors.leads_on(step)));
        if self.format.labels {
            // The latest is explored first: that is to be the one behind the last label.
            order.sort_unstable_by_key(|&step| {
                let of_step = successors.action(step).front_end();
                std::cmp::Reverse((of_step <= label, of_step))
            });
        }
    }

    /// Whether faults end the search at once. A predictable search looks at its whole level first.
    fn stops_at_faults(&self) -> bool {
        !self.discoveries.is_empty() && !self.options.keep_going && self.ranking.is_none()
    }

    /// A step that cannot be computed: the others count, so faults are still found, but nothing can be verified.
    pub(super) fn note_unsupported(&mut self, unsupported: Option<Unsupported>) {
        let mut judgement = Judgement { unsupported: self.unsupported.take(), ..Judgement::default() };
        judgement.note_unsupported(unsupported);
        self.unsupported = judgement.unsupported;
    }

    fn after_batch(&mut self, network: &mut impl Transport) {
        if self.phase != Phase::Searching {
            return;
        }
        if let Some(levels) = &mut self.levels {
            levels.explored += self.batch.len() as u64;
        }
        if self.saving.is_some() {
            self.save_some(network);
        }
        while let Some(overdue) = self.outbox.age() {
            self.send_early(network, overdue, false);
        }
        self.batches += 1;
        if self.batches >= self.batches_per_progress() {
            self.tell_progress(network);
        }
    }

    /// A limit of states is the first rank's to see: the smaller it is, the more often it is told.
    fn batches_per_progress(&self) -> u32 {
        let limit = self.options.max_states.unwrap_or(u64::MAX);
        (limit / (4 * BATCH as u64 * u64::from(self.ranks))).clamp(1, u64::from(BATCHES_PER_PROGRESS)) as u32
    }

    /// The next states to explore.
    fn take_batch(&mut self) {
        self.batch.clear();
        // Orders that look at each state's successors before they choose the next state take one at a time.
        let most = if matches!(self.settings.order, Order::DepthFirst | Order::BestFirst) { 1 } else { BATCH };
        while self.batch.len() < most {
            let Some(stored) = self.next_stored() else { break };
            if self.options.max_depth.is_some_and(|limit| u64::from(stored.depth) >= limit) {
                self.truncated = true;
            } else {
                self.batch.push(stored);
            }
        }
    }

    fn next_stored(&mut self) -> Option<Stored> {
        if let Some(stored) = self.queue.pop() {
            return Some(stored);
        }
        let mut words = std::mem::take(&mut self.words);
        let mut found = None;
        while let Some(companion) = self.raw.pop(&mut words) {
            let hash = self.session.prepare(&words);
            let parent = parent_of_bits(companion.parent);
            if let Inserted::New(state) = self.session.commit(hash, &words, parent) {
                self.note_stored(state, companion);
                found = Some(Stored::new(state, companion.depth));
                break;
            }
        }
        if self.raw.len() == 0 {
            self.raw.reset_limit(self.settings.waiting);
        }
        self.words = words;
        found
    }

    /// Sends those of the steps whose states are others', from the last to the first, and leaves the rest.
    fn send_foreign(
        &mut self,
        network: &mut impl Transport,
        successors: &Successors,
        steps: &mut Vec<usize>,
        parent: Stored,
    ) {
        steps.reverse();
        steps.retain(|&step| {
            let state = successors.state(step);
            let companion = companion_of_step(parent, successors.action(step), (0, 0));
            let owner = self.partitioner.owner(state, companion.depth);
            if owner == Owner::Rank(self.rank) {
                return true;
            }
            self.deliver(network, owner, state, companion);
            false
        });
        steps.reverse();
    }

    /// Takes those out of the steps of a state whose states are others'. They are sent at the end of the batch.
    #[inline]
    fn sort_out_foreign(
        &mut self,
        network: &mut impl Transport,
        successors: &Successors,
        steps: &mut Vec<usize>,
        (number, position): (usize, u64),
    ) {
        let parent = self.batch[number];
        let number = number as u32;
        let first = self.foreign_steps.len();
        let mut own = 0;
        if self.partitioner.is_by_sections() {
            for index in 0..steps.len() {
                let step = steps[index];
                let state = successors.state(step);
                steps[own] = step;
                own += 1;
                if self.partitioner.stays(state) {
                    continue;
                }
                if let Owner::Rank(owner) = self.partitioner.owner(state, parent.depth + 1)
                    && owner != self.rank
                {
                    own -= 1;
                    let hash = hash_words(state);
                    self.foreign_steps.push(ForeignStep { number, step: step as u32, owner, hash });
                }
            }
        } else {
            let mut owners = std::mem::take(&mut self.owners);
            self.partitioner.owners(self.rank, successors, steps, parent.depth + 1, &mut owners);
            self.foreign_steps.resize(first + steps.len(), ForeignStep::default());
            // Whose a state is cannot be guessed: each is put down in both lists, and the next over it in one of them.
            let mut leaving = first;
            for (index, &(owner, hash)) in owners.iter().enumerate() {
                let step = steps[index];
                steps[own] = step;
                own += usize::from(owner == self.rank);
                self.foreign_steps[leaving] = ForeignStep { number, step: step as u32, owner, hash };
                leaving += usize::from(owner != self.rank);
            }
            self.foreign_steps.truncate(leaving);
            self.owners = owners;
        }
        steps.truncate(own);
        let mut is_owned = true;
        for foreign in &self.foreign_steps[first..] {
            self.outbox.fetch(foreign.hash);
            is_owned &= foreign.owner != NOBODY;
        }
        if !is_owned {
            self.hold_unowned(network, successors, first, (parent, position));
        }
    }

    /// Lets those of the last foreign steps wait that nobody owns yet.
    fn hold_unowned(
        &mut self,
        network: &mut impl Transport,
        successors: &Successors,
        first: usize,
        (parent, position): (Stored, u64),
    ) {
        for foreign in self.foreign_steps.split_off(first) {
            let ForeignStep { step, owner, .. } = foreign;
            if owner != NOBODY {
                self.foreign_steps.push(foreign);
                continue;
            }
            let state = successors.state(step as usize);
            let companion = companion_of_step(parent, successors.action(step as usize), (position, step));
            let owner = self.partitioner.owner(state, companion.depth);
            self.deliver(network, owner, state, companion);
        }
    }

    /// Gives a state to its owner, whoever that is.
    pub(crate) fn deliver(&mut self, network: &mut impl Transport, owner: Owner, state: &[Word], companion: Companion) {
        match owner {
            Owner::Rank(owner) if owner == self.rank => self.take_state(state, companion),
            Owner::Rank(owner) => self.send_state(network, owner, state, &companion),
            Owner::Unassigned(bucket) => self.hold(network, bucket, Held { state: state.to_vec(), companion }),
        }
    }

    /// Sends the successors of a batch that go to other ranks.
    fn send_foreign_steps(&mut self, network: &mut impl Transport) {
        let mut foreign = std::mem::take(&mut self.foreign_steps);
        self.outbox.traffic.cross_transitions += foreign.len() as u64;
        for ForeignStep { number, step, owner, hash } in foreign.drain(..) {
            let successors = &self.successors[number as usize];
            let state = successors.state(step as usize);
            if self.outbox.was_sent(hash, state) {
                continue;
            }
            let position = self.position_in_batch(number);
            let action = successors.action(step as usize);
            let companion = companion_of_step(self.batch[number as usize], action, (position, step));
            if self.outbox.push(self.model, owner, state, &companion) {
                let states = self.outbox.take_full(owner);
                self.send_states(network, owner, &states);
            }
        }
        self.foreign_steps = foreign;
    }

    /// The position in its level of a state of the batch, in a predictable search.
    fn position_in_batch(&self, number: u32) -> u64 {
        let ranking = self.ranking.as_ref();
        ranking.map_or(0, |ranking| ranking.position_in_batch(number as usize, self.batch.len()))
    }

    pub(super) fn send_state(
        &mut self,
        network: &mut impl Transport,
        owner: Rank,
        state: &[Word],
        companion: &Companion,
    ) {
        self.outbox.traffic.cross_transitions += 1;
        if !self.outbox.was_sent(hash_words(state), state) && self.outbox.push(self.model, owner, state, companion) {
            let states = self.outbox.take_full(owner);
            self.send_states(network, owner, &states);
        }
    }

    fn send_states(&mut self, network: &mut impl Transport, owner: Rank, states: &[u8]) {
        let level = self.levels.as_ref().map_or(0, |levels| levels.level);
        network.send(owner, Message::States { level, states }.encode());
        self.safra.sent();
    }

    fn send_early(&mut self, network: &mut impl Transport, owner: Rank, out_of_work: bool) -> bool {
        let states = self.outbox.take_early(owner, out_of_work);
        states.iter().for_each(|states| self.send_states(network, owner, states));
        states.is_some()
    }

    /// Sends what is buffered; true where there was something.
    pub(super) fn flush(&mut self, network: &mut impl Transport, out_of_work: bool) -> bool {
        let mut any = false;
        for owner in 0..self.ranks {
            any |= self.send_early(network, owner, out_of_work);
        }
        any
    }

    /// Stores the successors of a batch that stay here.
    fn commit_own(&mut self) {
        let own = std::mem::take(&mut self.own_steps);
        let pending = std::mem::take(&mut self.pending);
        for (&OwnStep { number, step }, &hash) in own.iter().zip(&pending) {
            let Stored { state: parent, depth, .. } = self.batch[number as usize];
            let successors = &self.successors[number as usize];
            let inserted = self.session.commit(hash, successors.state(step as usize), Some(parent));
            if self.ranking.is_some() {
                let place = (self.position_in_batch(number), step);
                self.ranking.iter_mut().for_each(|ranking| ranking.reach(inserted, place));
            } else if let Inserted::New(state) = inserted {
                let label = successors.action(step as usize).front_end();
                let stored = Stored { state, depth: depth + 1, label };
                self.enqueue(stored, parent_bits(parent), Some((number as usize, step as usize)));
            }
        }
        (self.own_steps, self.pending) = (own, pending);
        self.own_steps.clear();
        self.pending.clear();
    }

    /// Counts a new state.
    pub(crate) fn note_stored(&mut self, state: StateRef, companion: Companion) {
        self.statistics.states += 1;
        self.statistics.depth = self.statistics.depth.max(u64::from(companion.depth));
        self.early_parents.note(state, companion.parent);
        if let Some(saving) = &mut self.saving {
            saving.note(state, companion);
        }
    }

    /// A new state waits to be explored. Its words are those of a successor in the batch, or `self.words`.
    fn enqueue(&mut self, stored: Stored, parent: u32, successor: Option<(usize, usize)>) {
        self.note_stored(stored.state, Companion { parent, depth: stored.depth, ..Companion::default() });
        if let Some(levels) = &mut self.levels {
            levels.next.push(stored, || 0);
            return;
        }
        let partitioner = &mut self.partitioner;
        match successor {
            Some((number, step)) => {
                let words = self.successors[number].state(step);
                self.queue.push(stored, || partitioner.estimate(words));
            }
            None => self.queue.push_received(stored, || partitioner.estimate(&self.words)),
        }
    }

    /// Lets a whole state wait.
    fn wait_raw(&mut self, state: &[Word], companion: Companion) {
        let queue = match &mut self.levels {
            Some(levels) => &mut levels.next_raw,
            None => &mut self.raw,
        };
        if let (true, Waiting::Limit { extended, .. }) = (queue.push(state, companion), self.settings.waiting) {
            let session = &mut self.session;
            queue.sweep(extended, |state| {
                let hash = session.prepare(state);
                session.contains(hash, state)
            });
        }
    }

    /// Takes states in that another rank found.
    pub(super) fn take_states(&mut self, from: Rank, level: u64, states: &[u8]) {
        if self.phase != Phase::Searching {
            return;
        }
        if let Some(levels) = &mut self.levels
            && level > levels.level
        {
            // From a rank that is ahead: a state of this level may still arrive by a shorter way.
            levels.early_states.push((from, states.to_vec()));
            return;
        }
        self.safra.received();
        let level = level as u32;
        let has_levels = self.levels.is_some();
        let mut arrivals = std::mem::take(&mut self.arrivals[from as usize]);
        let mut words = std::mem::take(&mut self.words);
        let (model, format) = (self.model, self.format);
        let read = unpack(model, format, &mut arrivals, states, &mut words, |state, mut companion| {
            if has_levels {
                companion.depth = level + 1;
            }
            self.take_received(state, companion);
        });
        self.check_read(read, &arrivals);
        self.commit_received();
        self.words = words;
        self.arrivals[from as usize] = arrivals;
    }

    /// Takes a state of a message in. Like own successors, states are looked up in batches, while the lines of the table are on their way.
    fn take_received(&mut self, state: &[Word], companion: Companion) {
        if self.waits_raw() {
            self.take_state(state, companion);
            return;
        }
        self.received.push(companion);
        self.received_words.extend_from_slice(state);
        if self.received.len() >= BATCH {
            self.commit_received();
        }
    }

    fn commit_received(&mut self) {
        let (mut received, mut words) = (std::mem::take(&mut self.received), std::mem::take(&mut self.received_words));
        let mut pending = std::mem::take(&mut self.received_pending);
        let width = self.model.width();
        self.session.prepare_neighbours(width, &words, &mut pending);
        for ((&companion, state), &hash) in received.iter().zip(words.chunks_exact(width)).zip(&pending) {
            self.store_received(hash, state, companion);
        }
        received.clear();
        words.clear();
        pending.clear();
        (self.received, self.received_words, self.received_pending) = (received, words, pending);
    }

    pub(super) fn take_state(&mut self, state: &[Word], companion: Companion) {
        if self.waits_raw() {
            let checked = match self.settings.waiting {
                Waiting::Store | Waiting::Limit { store: true, .. } => {
                    let hash = self.session.prepare(state);
                    self.session.contains(hash, state)
                }
                _ => false,
            };
            if !checked {
                self.wait_raw(state, companion);
            }
            return;
        }
        let hash = self.session.prepare(state);
        self.store_received(hash, state, companion);
    }

    fn store_received(&mut self, hash: u64, state: &[Word], companion: Companion) {
        let inserted = self.session.commit(hash, state, parent_of_bits(companion.parent));
        if let Some(ranking) = &mut self.ranking {
            ranking.reach(inserted, companion.place);
        } else if let Inserted::New(stored) = inserted {
            self.words.clear();
            self.words.extend_from_slice(state);
            let stored = Stored { state: stored, depth: companion.depth, label: companion.label };
            self.enqueue(stored, companion.parent, None);
        }
    }

    /// Notes what there is to say about an explored state.
    #[cold]
    fn note(&mut self, successors: &Successors, faulty: Stored, position: u64) {
        // Where a state may lie on several ranks, its copies were found at different depths.
        let is_least = self.levels.is_some() && !self.partitioner.depends_on_depth();
        let distance = is_least.then_some(u64::from(faulty.depth));
        let place = FaultPlace::State { state: faulty.state, distance };
        self.note_remarks(successors, &place, &[], position);
    }

    /// Notes what there is to say about a state that a local search explores, so many steps from a stored one.
    pub(crate) fn note_inner(&mut self, successors: &Successors, root: Stored, path: &[Action]) {
        self.note_remarks(successors, &FaultPlace::State { state: root.state, distance: None }, path, 0);
    }

    fn note_remarks(&mut self, successors: &Successors, place: &FaultPlace, path: &[Action], position: u64) {
        for remark in successors.remarks(self.options.deadlocks) {
            match remark {
                Remark::Fault { step, fault } => match &mut self.ranking {
                    Some(ranking) => {
                        self.statistics.faults += 1;
                        ranking.note(position, step, fault);
                    }
                    None => {
                        let last = step.map(|step| successors.action(step));
                        self.discover(fault, place.clone(), path.iter().copied().chain(last).collect());
                    }
                },
                Remark::Unsupported(unsupported) => self.note_unsupported(Some(unsupported)),
                Remark::Refuted(revise) => {
                    self.refuted.insert(revise);
                }
            }
        }
    }

    fn discover(&mut self, fault: Fault, place: FaultPlace, steps: Vec<Action>) {
        self.statistics.faults += 1;
        let known = self.discoveries.iter().any(|discovery| discovery.fault == fault);
        if !known && self.discoveries.len() < FINDINGS_MAX {
            self.discoveries.push(Discovery { fault, place, steps });
        }
    }

    /// Lets a state wait until its owner is known.
    fn hold(&mut self, network: &mut impl Transport, bucket: Bucket, held: Held) {
        let waiting = self.held.entry(bucket).or_default();
        waiting.push(held);
        if waiting.len() == 1 {
            if self.rank == 0 {
                self.hand_out(network, bucket);
            } else {
                network.send(0, Message::AskOwner(bucket).encode());
            }
        }
    }
}
