//! Exploring a rank's share of the states.

use crate::accepting_predecessors::AcceptingPredecessors;
use crate::bounded_nested::{BoundedNested, FoundCycle};
use crate::delivery::Delivery;
use crate::discovery::{Discoveries, Discovery, FaultPlace};
use crate::frontier::Frontier;
use crate::local::{LocalRoots, LocalSearch, LocalSearcher};
use crate::mail::Mail;
use crate::order::Ranking;
use crate::outbox::Traffic;
use crate::parcel::{Companion, Format};
use crate::partition::Owner;
use crate::queue::{Order, Stored, Waiting};
use crate::sending::{BatchSteps, Sending};
use crate::share::Share;
use crate::visited::{Pending, Visited};
use crate::{Distributable, RankProblem, RankSettings, RankStore};
use dampf_core::{Statistics, Word};
use dampf_search::expand::BATCH;
use dampf_search::{Expander, Judgement, SearchOptions, StopReason};
use dampf_store::{Inserted, Session, StateRef};
use std::collections::HashSet;

pub(crate) struct Exploration<'a, M: Distributable, S: RankStore + 'a> {
    pub model: &'a M,
    options: &'a SearchOptions,
    settings: &'a RankSettings,
    pub expander: Expander<'a, M>,
    /// Not in a search by levels.
    local: Option<LocalSearcher<'a, M>>,
    pub share: Share<'a, M, S>,
    pub discoveries: Discoveries,
    /// What judging states has come to. In a predictable search a fault counts when its level is judged.
    pub judgement: Judgement,
    pub transitions: u64,
    /// States that were explored although another rank explores them, too.
    pub redundant: u64,
    batch: Vec<Stored>,
    steps: BatchSteps<Pending<'a, S>>,
}

impl<'a, M: Distributable, S: RankStore> Exploration<'a, M, S> {
    /// An exploration that has no states yet.
    pub fn new(
        model: &'a M,
        store: &'a S,
        mail: &Mail,
        (options, settings): (&'a SearchOptions, &'a RankSettings),
        local: Option<LocalSearch>,
    ) -> Result<Self, RankProblem> {
        let by_levels = settings.order == Order::Levels || options.deterministic;
        let width = model.width();
        let format = Format {
            depths: !by_levels,
            labels: settings.order == Order::DepthFirst && !by_levels,
            places: options.deterministic,
            positions: false,
            accepting: false,
            parts: model.has_parts(),
        };
        let keeps_whole = settings.waiting != Waiting::Hash && !options.deterministic;
        let local = local.filter(|_| !by_levels);
        Ok(Exploration {
            model,
            options,
            settings,
            expander: Expander::new(model, options),
            local: local.map(|local| LocalSearcher::new(model, local, options)),
            share: Share::new(
                width,
                Visited::new(store, by_levels, settings.checkpoints.is_some()),
                Frontier::new(width, settings.order, settings.waiting, by_levels, keeps_whole),
                Delivery::new(model, (mail.rank, mail.ranks), format, settings)?,
                options.deterministic.then(|| Ranking::new(mail.ranks)),
            ),
            discoveries: Discoveries::default(),
            judgement: Judgement::default(),
            transitions: 0,
            redundant: 0,
            batch: Vec::new(),
            steps: BatchSteps::new(),
        })
    }

    /// Takes those of the initial states that are this rank's; all ranks see all of them. Where a checkpoint has them
    /// among its states, they are only noted. Returns why the search need not begin, if it need not.
    pub fn begin(&mut self, is_new: bool) -> Option<StopReason> {
        let (mut number_of_states, mut distinct) = (0, HashSet::new());
        let Exploration { expander, share, discoveries, .. } = self;
        let is_first = share.delivery.rank == 0;
        let initial = expander.begin(|number, fault| {
            // All ranks see the same; one tells.
            if is_first && is_new {
                let place = FaultPlace::Initial(number as u64);
                discoveries.note(Discovery { fault, place, steps: Vec::new(), cycle: Vec::new() });
            }
        });
        for number in (0..initial.len()).filter(|&number| initial.leads_on(number)) {
            let state = initial.state(number);
            if share.ranking.is_some() {
                number_of_states += u64::from(distinct.insert(state.to_vec()));
            }
            if let Owner::Unassigned(bucket) = share.delivery.partitioner.owner(state, 0) {
                // Everybody begins with the same assignment.
                share.delivery.partitioner.assign(bucket, 0);
            }
            if !share.delivery.is_own(state, 0) {
                continue;
            }
            let Inserted::New(state) = share.visited.insert(state, None) else { continue };
            share.visited.note_initial(state, number as u64);
            if !is_new {
                continue;
            }
            share.visited.states += 1;
            share.visited.note_unsaved(state, Companion { position: number as u64, ..Companion::default() });
            match &mut share.ranking {
                Some(ranking) => ranking.begin_with(state, number as u64),
                None => share.frontier.push_now(Stored::new(state, 0), || 0),
            }
        }
        let positions = initial.len() as u64;
        if is_new {
            if let Some(ranking) = &mut share.ranking {
                ranking.begin_level(positions, number_of_states);
            }
            share.push_ranked(0);
        }
        let mut judgement = self.expander.take_judgement();
        judgement.faults *= u64::from(is_new);
        let ending = judgement.ends_search(self.options);
        judgement.faults *= u64::from(is_first);
        self.judgement.absorb(judgement);
        ending
    }

    /// Looks for accepting cycles on the way. To be said before the first message.
    pub fn find_cycles_early(&mut self, predecessors: AcceptingPredecessors<'a>) {
        self.share.predecessors = Some(predecessors);
        self.share.delivery.carry_accepting();
    }

    /// Looks for accepting cycles from every accepting state that is explored here. To be said before the first turn.
    pub fn find_cycles_alone(&mut self, nested: BoundedNested<'a>) {
        self.share.nested = Some(nested);
    }

    pub fn has_work(&self) -> bool {
        !self.share.frontier.is_empty()
    }

    /// Whether cycles are looked for from states that were explored here.
    pub fn has_nested_work(&self) -> bool {
        self.share.nested.as_ref().is_some_and(BoundedNested::has_work)
    }

    /// Goes on looking for cycles from states that were explored here. Returns the number of steps, and why the search
    /// need not go on, if it need not.
    pub fn search_nested(&mut self) -> (u64, Option<StopReason>) {
        let Some(nested) = &mut self.share.nested else { return (0, None) };
        let (work, found) = nested.search_some(&mut self.expander);
        self.judgement.truncated |= nested.is_truncated;
        let Some(FoundCycle { root, path, cycle }) = found else { return (work, None) };
        let fault = nested.sought().fault.clone();
        let place = match &self.share.ranking {
            Some(ranking) => ranking.place_of(root.state).expect("a state of a level that was put in order"),
            None => {
                let is_least = self.share.frontier.by_levels();
                FaultPlace::State { state: root.state, distance: is_least.then_some(u64::from(root.depth)) }
            }
        };
        self.discoveries.note(Discovery { fault, place, steps: path, cycle });
        // A predictable search goes on to the end of the level: another rank may find a cycle that begins earlier.
        let ends = self.share.ranking.is_none() && !self.options.keep_going;
        (work, ends.then_some(StopReason::Fault))
    }

    /// Cycles that were found in this level of a predictable search, or before where it keeps going.
    pub fn nested_cycles(&self) -> u64 {
        let is_found = self.share.nested.as_ref().is_some_and(BoundedNested::is_over);
        u64::from(is_found && !self.options.keep_going)
    }

    /// Explores a batch of states. Returns the number of their steps, and why the search need not go on, if it need
    /// not.
    pub fn explore(&mut self, mail: &mut Mail) -> (u64, Option<StopReason>) {
        self.take_batch();
        let Exploration { expander, share, discoveries, steps, batch, local, .. } = self;
        let transitions = match local {
            Some(local) => {
                let mut roots = LocalRoots { local, share, discoveries, mail, redundant: 0, steps: 0 };
                let Ok(transitions) = expander.expand(batch, &mut roots);
                self.redundant += roots.redundant;
                let found = roots.local.take_judgement();
                let transitions = transitions + roots.steps;
                self.judgement.absorb(found);
                transitions
            }
            None => {
                let Ok(transitions) = expander.expand(batch, &mut Sending { share, discoveries, steps, mail });
                transitions
            }
        };
        self.transitions += transitions;
        if *self.expander.judgement() != Judgement::default() {
            let mut found = self.expander.take_judgement();
            if self.share.ranking.is_some() {
                found.faults = 0;
            }
            self.judgement.absorb(found);
        }
        // A predictable search looks at its whole level first.
        let ends = if self.share.ranking.is_some() { None } else { self.judgement.ends_search(self.options) };
        let is_suspicious = self.share.predecessors.as_ref().is_some_and(|known| known.suspect().is_some());
        (transitions, ends.or(is_suspicious.then_some(StopReason::Fault)))
    }

    /// How many states the last batch had.
    pub fn batch_size(&self) -> usize {
        self.batch.len()
    }

    /// Takes the next states to explore.
    fn take_batch(&mut self) {
        self.batch.clear();
        // Orders that look at each state's successors before they choose the next state take one at a time.
        let most = if matches!(self.settings.order, Order::DepthFirst | Order::BestFirst) { 1 } else { BATCH };
        while self.batch.len() < most {
            let Some(stored) = self.share.next() else { break };
            if self.options.max_depth.is_some_and(|limit| u64::from(stored.depth) >= limit) {
                self.judgement.truncated = true;
            } else {
                self.batch.push(stored);
            }
        }
        if let Some(ranking) = &mut self.share.ranking {
            ranking.begin_batch(self.batch.len());
        }
    }

    /// The faults of a level of a predictable search count, now that the level was explored.
    pub fn judge_level(&mut self, level: u64) {
        let Some(ranking) = &mut self.share.ranking else { return };
        let found = ranking.take_faults(level);
        if self.options.keep_going {
            self.judgement.faults += found.len() as u64;
        }
        found.into_iter().for_each(|discovery| self.discoveries.note(discovery));
    }

    /// The states of a level that was put in order count, and belong to the next checkpoint.
    pub fn count_level(&mut self, level: u64, size: u64) {
        let Share { visited, ranking, .. } = &mut self.share;
        let Some(ranking) = ranking else { return };
        visited.states += ranking.current().len() as u64;
        if size > 0 {
            visited.depth = level;
        }
        let depth = level as u32;
        ranking.for_each_current(|state, place, position| {
            visited.note_unsaved(state, Companion { depth, place, position, ..Companion::default() });
        });
    }

    pub fn statistics(&self) -> Statistics {
        let Share { visited, frontier, .. } = &self.share;
        Statistics {
            states: visited.states,
            transitions: self.transitions,
            depth: visited.depth,
            store_bytes: visited.bytes(),
            frontier: frontier.len() as u64,
            faults: self.judgement.faults,
        }
    }

    pub fn traffic(&self) -> Traffic {
        self.share.delivery.traffic()
    }

    /// Says that no lookup is under way, so that this process may give back the tables that its ranks have outgrown.
    pub fn quiesce(&mut self) {
        self.share.visited.session.quiesce();
    }

    /// The words of a state.
    pub fn words_of(&mut self, state: StateRef) -> Vec<Word> {
        let mut words = vec![0; self.model.width()];
        self.share.visited.load(state, &mut words);
        words
    }
}
