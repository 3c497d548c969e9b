//! Exploring states, and sending each successor where it belongs.

use super::{BATCH, BATCHES_PER_PROGRESS, Node, Phase};
use crate::message::Message;
use crate::parcel::{Companion, PARENT_BITS, UNKNOWN_PARENT, unpack};
use crate::partition::{Bucket, Owner};
use crate::queue::{Order, Stored, Waiting};
use crate::report::{Discovery, FaultPlace};
use dampf_core::{Action, Fault, FaultKind, Successors, Transfer, Unsupported, Word, Worker};
use dampf_net::{Rank, Transport};
use dampf_search::{FINDINGS_MAX, Stop};
use dampf_store::{Inserted, Session, Staged, StateRef};

/// A successor that stays on this rank.
pub(super) struct OwnStep {
    /// The number of the explored state in its batch, and of the step.
    pub number: usize,
    pub step: usize,
    pub hash: u64,
}

/// A successor that goes to another rank.
pub(super) struct ForeignStep {
    pub number: usize,
    pub step: usize,
    pub owner: Rank,
    pub companion: Companion,
    /// Its place in the cache of sent states.
    pub place: usize,
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

/// A parent of which only these bits are known.
#[inline]
pub(super) fn parent_of_bits(bits: u32) -> Option<StateRef> {
    (bits != UNKNOWN_PARENT).then_some(StateRef(u64::from(bits) << (64 - PARENT_BITS)))
}

impl<M: Transfer> Node<'_, M> {
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
        if let Err(unsupported) = self.worker.initial(&mut out) {
            self.unsupported = Some(unsupported);
            return;
        }
        for number in 0..out.len() {
            if let Some(fault) = out.fault(number) {
                // All ranks see the same; one tells.
                if self.rank == 0 && anew {
                    self.statistics.faults += 1;
                    let place = FaultPlace::Initial(number as u64);
                    self.discoveries.push(Discovery { fault: fault.clone(), place, steps: Vec::new() });
                }
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

    /// Whether what the beginning brought was looked at.
    fn settled(&self) -> bool {
        self.unsupported.is_none() && (self.discoveries.is_empty() || self.options.keep_going || self.ranking.is_some())
    }

    /// Explores a batch of states. Returns the number of steps they have.
    pub(super) fn explore(&mut self, network: &mut impl Transport) -> u64 {
        if self.unsupported.is_some() {
            self.halt(network, Stop::Unsupported);
            return 0;
        }
        if !self.settled() {
            self.halt(network, Stop::Fault);
            return 0;
        }
        self.take_batch();
        let mut transitions = 0;
        for number in 0..self.batch.len() {
            let Stored { state, depth, label } = self.batch[number];
            self.load(state);
            self.partitioner.set_base(&self.words);
            let mut successors = std::mem::replace(&mut self.successors[number], Successors::new(0));
            let generated = self.worker.successors(&self.words, &mut successors);
            if let Err(unsupported) = generated {
                self.successors[number] = successors;
                self.fail(network, unsupported);
                return transitions;
            }
            transitions += successors.len() as u64;
            let position = self.ranking.as_mut().map_or(0, |ranking| ranking.next_position());
            if successors.is_empty() || successors.state_fault().is_some() || !successors.faults().is_empty() {
                self.note_faults(&successors, state, depth, position);
            }
            if let Some(gap) = successors.unsupported() {
                self.unsupported_later(gap.what.clone());
            }
            if let Some(local) = self.settings.local.filter(|_| self.levels.is_none()) {
                transitions += self.explore_locally(network, &local, self.batch[number], &successors);
                self.successors[number] = successors;
                continue;
            }
            let mut order = std::mem::take(&mut self.step_order);
            self.order_steps(&successors, label, &mut order);
            if self.format.labels {
                // Others explore what they get first; here the latest is explored first.
                let base = Companion { parent: parent_bits(state), depth: depth + 1, ..Companion::default() };
                self.send_foreign(network, &successors, &mut order, base);
            }
            for &step in &order {
                let companion = Companion {
                    parent: parent_bits(state),
                    depth: depth + 1,
                    label: successors.action(step).front_end(),
                    place: (position, step as u32),
                    position: 0,
                };
                self.send_or_keep(network, number, step, successors.state(step), companion);
            }
            self.step_order = order;
            self.successors[number] = successors;
        }
        self.statistics.transitions += transitions;
        self.send_foreign_steps(network);
        self.commit_own();
        self.session.quiesce();
        if self.stops_at_faults() {
            self.halt(network, Stop::Fault);
        }
        self.after_batch(network);
        transitions
    }

    /// A state cannot be computed: nothing can be verified any more.
    pub(crate) fn fail(&mut self, network: &mut impl Transport, unsupported: Unsupported) {
        self.unsupported = Some(unsupported);
        self.halt(network, Stop::Unsupported);
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
    fn unsupported_later(&mut self, what: String) {
        if self.gap.as_ref().is_none_or(|known| what < known.what) {
            self.gap = Some(Unsupported { what });
        }
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
        if self.batches >= BATCHES_PER_PROGRESS {
            self.tell_progress(network);
        }
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
        order: &mut Vec<usize>,
        base: Companion,
    ) {
        let mut own = Vec::new();
        for &step in order.iter().rev() {
            let state = successors.state(step);
            match self.partitioner.owner(state, base.depth) {
                Owner::Rank(owner) if owner != self.rank => {
                    let companion = Companion { label: successors.action(step).front_end(), ..base };
                    self.send_state(network, owner, state, &companion);
                }
                _ => own.push(step),
            }
        }
        own.reverse();
        *order = own;
    }

    /// Whether a state was sent lately; it counts as sent from now on.
    pub(crate) fn was_sent(&mut self, state: &[Word]) -> bool {
        self.outbox.was_sent(state)
    }

    /// Gives a state to its owner, whoever that is.
    pub(crate) fn deliver(&mut self, network: &mut impl Transport, owner: Owner, state: &[Word], companion: Companion) {
        match owner {
            Owner::Rank(owner) if owner == self.rank => self.take_state(state, companion),
            Owner::Rank(owner) => self.send_state(network, owner, state, &companion),
            Owner::Unassigned(bucket) => self.hold(network, bucket, Held { state: state.to_vec(), companion }),
        }
    }

    fn send_or_keep(
        &mut self,
        network: &mut impl Transport,
        number: usize,
        step: usize,
        state: &[Word],
        companion: Companion,
    ) {
        match self.partitioner.owner(state, companion.depth) {
            Owner::Rank(owner) if owner == self.rank => {
                if self.waits_raw() {
                    self.wait_raw(state, companion);
                } else {
                    let hash = self.session.prepare(state);
                    self.own_steps.push(OwnStep { number, step, hash });
                }
            }
            Owner::Rank(owner) => {
                let place = self.outbox.fetch(state);
                self.foreign_steps.push(ForeignStep { number, step, owner, companion, place });
            }
            Owner::Unassigned(bucket) => self.hold(network, bucket, Held { state: state.to_vec(), companion }),
        }
    }

    /// Sends the successors of a batch that go to other ranks.
    fn send_foreign_steps(&mut self, network: &mut impl Transport) {
        let mut foreign = std::mem::take(&mut self.foreign_steps);
        for ForeignStep { number, step, owner, companion, place } in foreign.drain(..) {
            let state = self.successors[number].state(step);
            if self.outbox.push_fetched(self.model, owner, state, &companion, place) {
                let states = self.outbox.take_full(owner);
                self.send_states(network, owner, &states);
            }
        }
        self.foreign_steps = foreign;
    }

    pub(super) fn send_state(
        &mut self,
        network: &mut impl Transport,
        owner: Rank,
        state: &[Word],
        companion: &Companion,
    ) {
        if self.outbox.push(self.model, owner, state, companion) {
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
        for &OwnStep { number, step, hash } in &own {
            let Stored { state: parent, depth, .. } = self.batch[number];
            let words = self.successors[number].state(step);
            let inserted = self.session.commit(hash, words, Some(parent));
            if let Some(ranking) = &mut self.ranking {
                let place = (ranking.position_in_batch(number, self.batch.len()), step as u32);
                ranking.reach(inserted, place);
            } else if let Inserted::New(state) = inserted {
                let label = self.successors[number].action(step).front_end();
                let stored = Stored { state, depth: depth + 1, label };
                self.enqueue(stored, parent_bits(parent), Some((number, step)));
            }
        }
        self.own_steps = own;
        self.own_steps.clear();
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
                session.stage(hash, state) == Staged::Old
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
        let hash = self.session.prepare(state);
        self.received.push((hash, companion));
        self.received_words.extend_from_slice(state);
        if self.received.len() >= BATCH {
            self.commit_received();
        }
    }

    fn commit_received(&mut self) {
        let (mut received, mut words) = (std::mem::take(&mut self.received), std::mem::take(&mut self.received_words));
        for (&(hash, companion), state) in received.iter().zip(words.chunks_exact(self.model.width())) {
            self.store_received(hash, state, companion);
        }
        received.clear();
        words.clear();
        (self.received, self.received_words) = (received, words);
    }

    pub(super) fn take_state(&mut self, state: &[Word], companion: Companion) {
        if self.waits_raw() {
            let checked = match self.settings.waiting {
                Waiting::Store | Waiting::Limit { store: true, .. } => {
                    let hash = self.session.prepare(state);
                    self.session.stage(hash, state) == Staged::Old
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

    #[cold]
    fn note_faults(&mut self, successors: &Successors, state: StateRef, depth: u32, position: u64) {
        let deadlocks = self.options.deadlocks;
        let of_state = successors.fault_of_state().filter(|fault| deadlocks || fault.kind != FaultKind::Deadlock);
        if let Some(ranking) = &mut self.ranking {
            self.statistics.faults += of_state.is_some() as u64 + successors.faults().len() as u64;
            ranking.note(position, of_state, successors.faults());
            return;
        }
        // Where a state may lie on several ranks, its copies were found at different depths.
        let is_least = self.levels.is_some() && !self.partitioner.depends_on_depth();
        let distance = is_least.then_some(u64::from(depth));
        let place = FaultPlace::State { state, distance };
        self.discover_all(of_state, successors, &place, &[]);
    }

    /// Notes what is wrong with a state that a local search explores, so many steps from a stored one.
    pub(crate) fn note_inner(&mut self, successors: &Successors, root: Stored, path: &[Action]) {
        let deadlocks = self.options.deadlocks;
        let of_state = successors.fault_of_state().filter(|fault| deadlocks || fault.kind != FaultKind::Deadlock);
        let place = FaultPlace::State { state: root.state, distance: None };
        self.discover_all(of_state, successors, &place, path);
        if let Some(gap) = successors.unsupported() {
            self.unsupported_later(gap.what.clone());
        }
    }

    fn discover_all(&mut self, of_state: Option<Fault>, successors: &Successors, place: &FaultPlace, path: &[Action]) {
        of_state.into_iter().for_each(|fault| self.discover(fault, place.clone(), path.to_vec()));
        for (step, fault) in successors.faults() {
            let steps = path.iter().copied().chain([successors.action(*step)]).collect();
            self.discover(fault.clone(), place.clone(), steps);
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
