//! One rank of a distributed search.
//!
//! A node owns a part of the states: it stores them, explores them, and sends those it finds that are others'. It is a
//! [`Process`] that is taken turn by turn and waits for nothing inside a turn, so the same node runs on a thread, under MPI,
//! or among thousands in a simulation.
//!
//! The life of a node: it *searches* until the search has ended everywhere, was halted, or a level tells so; then it *counts* where states
//! may lie on several ranks ([`census`](crate::census)); it *reports* to the first rank, which rebuilds the trails with the help of
//! all ([`quest`](crate::quest)); and it says goodbye to everybody, so that no message is left behind.

mod explore;
mod levels;
mod meeting;
mod saving;

use crate::Distributable;
use crate::census::Census;
use crate::library::{Author, Library};
use crate::message::{Message, Progress};
use crate::order::Ranking;
use crate::outbox::Outbox;
use crate::parcel::{Companion, Format, Packer};
use crate::parents::EarlyParents;
use crate::partition::{Bucket, Partitioner};
use crate::passage::Arrivals;
use crate::quest::{Beginning, Quest};
use crate::queue::{Order, RawQueue, Stored, StoredQueue, Waiting};
use crate::recent::RecentStates;
use crate::report::{Discovery, Report, Summary};
use crate::termination::{IdleReports, Safra};
use crate::wire::Garbled;
use crate::{RankProblem, RankSettings, Termination};
use dampf_core::{Revise, Statistics, Successors, Unsupported, Word};
use dampf_net::{Lost, Process, Rank, Transport, Turn};
use dampf_search::{Monitor, SearchOptions, StopReason};
use dampf_store::{Retrieve, Session, StateRef, Store, TreeStore};
use explore::{ForeignStep, Held, OwnStep};
pub use levels::LevelEnd;
use levels::Levels;
use saving::Saving;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::{Path, PathBuf};

/// Messages taken in a turn before the node goes on with its own work.
const MESSAGES_PER_TURN: usize = 64;
/// Batches between two words to the first rank about how far the node is.
const BATCHES_PER_PROGRESS: u32 = 256;

/// Where a node is in its life.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Phase {
    Searching,
    /// Counting states that may lie on several ranks.
    Counting,
    /// Has reported, and helps with the trails.
    Serving,
    /// Knows the result and waits for the last messages of others.
    Leaving,
}

pub struct Node<'a, M: Distributable> {
    pub(crate) model: &'a M,
    pub(crate) store: &'a TreeStore,
    pub(crate) options: &'a SearchOptions,
    pub(crate) settings: &'a RankSettings,
    monitor: &'a Monitor,
    pub(crate) rank: Rank,
    pub(crate) ranks: Rank,
    pub(crate) worker: M::Worker<'a>,
    pub(crate) session: <TreeStore as Store>::Session<'a>,
    pub(crate) partitioner: Partitioner<'a, M>,
    pub(crate) format: Format,
    pub(crate) outbox: Outbox,
    /// What each rank has told about parts of states.
    pub(crate) arrivals: Vec<Arrivals>,
    /// The same for states whose parents are looked for: this rank tells all the same, in the same order.
    pub(crate) sought: Packer,
    pub(crate) sought_arrivals: Vec<Arrivals>,
    queue: StoredQueue,
    raw: RawQueue,
    levels: Option<Levels>,
    pub(crate) ranking: Option<Ranking>,
    safra: Safra,
    idle_reports: IdleReports,
    /// States whose owner is not known yet.
    held: BTreeMap<Bucket, Vec<Held>>,
    loads: Vec<Progress>,
    batches: u32,
    pub(crate) phase: Phase,
    pub(crate) statistics: Statistics,
    truncated: bool,
    /// A step that could not be computed, if there is one.
    unsupported: Option<Unsupported>,
    /// What was refuted here of what the model assumes.
    refuted: BTreeSet<Revise>,
    stopped: Option<StopReason>,
    /// This rank's initial states, with their numbers.
    pub(crate) initial: Vec<(StateRef, u64)>,
    discoveries: Vec<Discovery>,
    pub(crate) census: Option<Census>,
    pub(crate) redundant: u64,
    /// The first rank's: the reports of all.
    reports: Vec<Option<Report>>,
    quest: Option<Quest>,
    /// The states that still waited when the search ended, once they were asked for.
    pub(crate) never_explored: Option<Vec<StateRef>>,
    summary: Option<Summary>,
    /// Who has said goodbye.
    gone: Vec<bool>,
    /// Messages of the next search, from ranks that have left this one.
    early: Vec<(Rank, Vec<u8>)>,
    lost: Option<Lost>,
    /// A file of another rank that cannot be read.
    pub(crate) unreadable: Option<PathBuf>,
    saving: Option<Saving>,
    pub(crate) early_parents: EarlyParents,
    /// States that local searches met lately.
    pub(crate) searched: RecentStates,
    /// What this rank says to itself.
    own_messages: VecDeque<Vec<u8>>,
    // Scratch space.
    pub(crate) words: Vec<Word>,
    successors: Vec<Successors>,
    batch: Vec<Stored>,
    own_steps: Vec<OwnStep>,
    foreign_steps: Vec<ForeignStep>,
    steps: Vec<usize>,
    owners: Vec<(Rank, u64)>,
    /// The own steps as they were prepared.
    pending: Vec<u64>,
    /// States of a message that were not looked up yet, their words, and what they were prepared as.
    received: Vec<Companion>,
    received_words: Vec<Word>,
    received_pending: Vec<u64>,
}

/// States that are explored together: enough for the fetches of table lines to overlap.
pub(crate) const BATCH: usize = 32;

impl<'a, M: Distributable> Node<'a, M> {
    /// The store is empty, and is this node's alone.
    pub fn new(
        rank: Rank,
        ranks: Rank,
        model: &'a M,
        store: &'a TreeStore,
        (options, settings): (&'a SearchOptions, &'a RankSettings),
        monitor: &'a Monitor,
    ) -> Result<Self, RankProblem> {
        let levels = settings.order == Order::Levels || options.deterministic;
        let partitioner = Partitioner::new(model, ranks, settings.partition.clone())?;
        let format = Format {
            depths: !levels,
            labels: settings.order == Order::DepthFirst && !levels,
            places: options.deterministic,
            positions: false,
            parts: model.has_parts(),
        };
        let width = model.width();
        let count = ranks as usize;
        let library = settings.library.as_ref().filter(|_| format.parts && ranks > 1);
        let author =
            |library: &Library| Author::shared(library, rank).map_err(RankProblem::library(library.file(rank)));
        let author = library.map(author).transpose()?;
        let mut node = Node {
            model,
            store,
            options,
            settings,
            monitor,
            rank,
            ranks,
            worker: model.worker(),
            session: store.session(),
            partitioner,
            format,
            outbox: Outbox::new(ranks, width, format, settings.remembered, author),
            arrivals: (0..ranks).map(|from| Arrivals::from_rank(from, library)).collect(),
            sought: Packer::of_single(model),
            sought_arrivals: (0..ranks).map(|_| Arrivals::default()).collect(),
            queue: StoredQueue::new(settings.order),
            raw: RawQueue::new(width, settings.waiting),
            levels: levels.then(|| Levels::new(ranks, RawQueue::new(width, settings.waiting))),
            ranking: options.deterministic.then(|| Ranking::new(ranks)),
            safra: Safra::new(rank, ranks),
            idle_reports: IdleReports::new(rank, ranks),
            held: BTreeMap::new(),
            loads: vec![Progress::default(); count],
            batches: 0,
            phase: Phase::Searching,
            statistics: Statistics::default(),
            truncated: false,
            unsupported: None,
            refuted: BTreeSet::new(),
            stopped: None,
            initial: Vec::new(),
            discoveries: Vec::new(),
            census: None,
            redundant: 0,
            reports: vec![None; count],
            quest: None,
            never_explored: None,
            summary: None,
            gone: vec![false; count],
            early: Vec::new(),
            lost: None,
            unreadable: None,
            saving: None,
            early_parents: EarlyParents::new(levels),
            searched: RecentStates::new(width, settings.local.map_or(0, |local| local.cached)),
            own_messages: VecDeque::new(),
            words: vec![0; width],
            successors: (0..BATCH).map(|_| Successors::new(width)).collect(),
            batch: Vec::new(),
            own_steps: Vec::new(),
            foreign_steps: Vec::new(),
            steps: Vec::new(),
            owners: Vec::new(),
            pending: Vec::new(),
            received: Vec::new(),
            received_words: Vec::new(),
            received_pending: Vec::new(),
        };
        node.gone[rank as usize] = true;
        node.begin_saving()?;
        Ok(node)
    }

    /// What all ranks know at the end. None before, and where a rank was lost.
    pub fn summary(&self) -> Option<&Summary> {
        self.summary.as_ref()
    }

    /// The file that cannot be read, if the search ended because of that.
    pub fn unreadable(&self) -> Option<&Path> {
        self.unreadable.as_deref()
    }

    /// Whatever another rank says can be read, but for files that are not seen here.
    pub(crate) fn check_read(&mut self, read: Result<(), Garbled>, arrivals: &Arrivals) {
        match (read, arrivals.library()) {
            (Err(Garbled), Some(file)) => self.unreadable = Some(file.to_owned()),
            (read, _) => read.expect("states from another rank can be read"),
        }
    }

    /// The rank that was lost, if the search ended because of that.
    pub fn lost(&self) -> Option<Lost> {
        self.lost
    }

    /// Messages that belong to the next search on the same network, to be given to its node before its first turn.
    pub fn take_early(&mut self) -> Vec<(Rank, Vec<u8>)> {
        std::mem::take(&mut self.early)
    }

    /// Whether whole states wait, rather than references to stored ones.
    fn waits_raw(&self) -> bool {
        self.settings.waiting != Waiting::Hash && !self.options.deterministic
    }

    pub(crate) fn waiting(&self) -> usize {
        self.queue.len() + self.raw.len() + self.levels.as_ref().map_or(0, Levels::waiting)
    }

    /// All stored states that wait, in an order of no meaning.
    pub(crate) fn for_each_waiting(&self, visit: &mut dyn FnMut(Stored)) {
        self.queue.for_each(visit);
        if let Some(levels) = &self.levels {
            levels.next.for_each(visit);
        }
    }

    fn progress(&self) -> Progress {
        let Statistics { states, transitions, depth, faults, .. } = self.statistics;
        Progress { states, transitions, waiting: self.waiting() as u64, depth, faults }
    }

    pub(crate) fn broadcast(&self, network: &mut impl Transport, message: &Message) {
        let encoded = message.encode();
        (0..self.ranks).filter(|&to| to != self.rank).for_each(|to| network.send(to, encoded.clone()));
    }

    /// Ends the search everywhere, for this reason.
    fn halt(&mut self, network: &mut impl Transport, reason: StopReason) {
        if self.phase == Phase::Searching {
            self.broadcast(network, &Message::Halt(reason));
            self.stop(network, reason);
        }
    }

    fn stop(&mut self, network: &mut impl Transport, reason: StopReason) {
        self.stopped.get_or_insert(reason);
        self.report(network);
    }

    pub(crate) fn is_resumed(&self) -> bool {
        self.saving.as_ref().is_some_and(Saving::is_resumed)
    }

    /// The search has ended everywhere, and nothing was left out.
    fn finish_search(&mut self, network: &mut impl Transport) {
        if self.partitioner.depends_on_depth() && (self.ranks > 1 || self.is_resumed()) {
            self.begin_census();
        } else {
            self.report(network);
        }
    }

    pub(crate) fn report(&mut self, network: &mut impl Transport) {
        self.phase = Phase::Serving;
        self.statistics.store_bytes = self.store.bytes();
        self.statistics.frontier = self.waiting() as u64;
        let report = Report {
            statistics: self.statistics,
            traffic: self.outbox.traffic,
            redundant: self.redundant,
            truncated: self.truncated,
            unsupported: self.unsupported.clone(),
            stopped: self.stopped,
            discoveries: std::mem::take(&mut self.discoveries),
            checkpoint_trouble: self.saving.as_ref().and_then(|saving| saving.trouble.clone()),
            refuted: self.refuted.clone(),
        };
        if self.rank == 0 {
            self.take_report(network, 0, report);
        } else {
            network.send(0, Message::Report(&report.encode()).encode());
        }
    }

    fn take_report(&mut self, network: &mut impl Transport, from: Rank, report: Report) {
        self.reports[from as usize] = Some(report);
        if self.reports.iter().all(Option::is_some) {
            let reports: Vec<Report> = self.reports.iter_mut().filter_map(Option::take).collect();
            self.quest = Some(Quest::new(reports));
            self.pursue(network, |_| ());
        }
    }

    /// Tells the quest something, and does what it asks for then. Only the first rank has a quest.
    fn pursue(&mut self, network: &mut impl Transport, tell: impl FnOnce(&mut Quest)) {
        let Some(quest) = &mut self.quest else { return };
        tell(quest);
        if quest.wants_beginning() {
            quest.take_beginning(Beginning::of(self.model));
        }
        while let Some((to, request)) = self.quest.as_mut().and_then(Quest::next_request) {
            self.post(network, to, request);
        }
        self.end_quest(network);
    }

    /// The contents of a state whose parents are looked for.
    pub(crate) fn note_contents(&mut self, network: &mut impl Transport, question: u64, state: &[Word]) {
        self.pursue(network, |quest| quest.take_contents(question, state));
    }

    pub(crate) fn say(&mut self, network: &mut impl Transport, to: Rank, message: &Message) {
        self.post(network, to, message.encode());
    }

    /// Sends a message. One for this rank is taken in when the present one is dealt with: a long conversation of a rank with itself must not
    /// nest.
    fn post(&mut self, network: &mut impl Transport, to: Rank, message: Vec<u8>) {
        if to == self.rank {
            self.own_messages.push_back(message);
        } else {
            network.send(to, message);
        }
    }

    /// Tells everybody the result, once all trails are known.
    fn end_quest(&mut self, network: &mut impl Transport) {
        let Some(quest) = self.quest.take_if(|quest| quest.is_done()) else { return };
        let mut summary = quest.into_summary(self.model, self.options.deadlocks);
        if self.options.deterministic && !self.options.keep_going && !summary.findings.is_empty() {
            // A search without ranks ends at the first fault; how many others the level has depends on who met them.
            summary.statistics.faults = 1;
        }
        self.broadcast(network, &Message::Finish(&summary.encode()));
        self.leave(network, summary);
    }

    fn leave(&mut self, network: &mut impl Transport, summary: Summary) {
        self.summary = Some(summary);
        self.phase = Phase::Leaving;
        self.broadcast(network, &Message::Bye);
    }

    /// Takes a message in, or keeps it for the next search where its sender has left this one.
    pub fn take(&mut self, network: &mut impl Transport, from: Rank, message: Vec<u8>) {
        if self.gone[from as usize] {
            self.early.push((from, message));
        } else {
            self.handle(network, from, &message);
        }
    }

    pub(crate) fn handle(&mut self, network: &mut impl Transport, from: Rank, bytes: &[u8]) {
        // Ranks run the same program; bytes that it did not write are an error of ours or of the network.
        let message = Message::decode(bytes).expect("a message from another rank can be read");
        match message {
            Message::States { level, states } => self.take_states(from, level, states),
            Message::LevelEnd { level, end } => self.take_level_end(from, level, end),
            Message::Places(places) => {
                let ranking = self.ranking.as_mut().expect("places are of a predictable search");
                ranking.take_places(from, places).expect("places from another rank can be read");
            }
            Message::Positions(positions) => {
                let ranking = self.ranking.as_mut().expect("positions are of a predictable search");
                ranking.take_positions(from, positions).expect("positions from another rank can be read");
            }
            Message::Token(token) => self.safra.take(token),
            Message::Idle(is_idle) => self.idle_reports.report(from, is_idle),
            Message::Ended => {
                if self.phase == Phase::Searching {
                    self.finish_search(network);
                }
            }
            Message::Halt(reason) => {
                if matches!(self.phase, Phase::Searching | Phase::Counting) {
                    self.stop(network, reason);
                }
            }
            Message::Progress(progress) => self.take_progress(network, from, progress),
            Message::AskOwner(bucket) => self.hand_out(network, bucket),
            Message::Assigned(bucket, owner) => self.take_assignment(network, bucket, owner),
            Message::Census(states) => self.take_census(from, states),
            Message::CensusEnd => self.take_census_end(network, from),
            Message::Mark => self.take_mark(network),
            Message::Saved(part) => self.take_saved(from, part),
            Message::Report(report) => {
                let report = Report::decode(report).expect("a report from another rank can be read");
                self.take_report(network, from, report);
            }
            Message::Ask { question, state } => self.answer_ask(network, question, state),
            Message::Seek { question, prefix, state } => self.answer_seek(network, (from, question), prefix, state),
            Message::Where { level, position, step } => self.answer_where(network, level, position, step),
            Message::IsInitial { question, initial } => {
                self.pursue(network, |quest| quest.take_initial(question, initial));
            }
            Message::Found { question, tried, parents } => {
                self.pursue(network, |quest| quest.take_found(question, from, tried, parents));
            }
            Message::Whence { action, level, origin } => {
                self.pursue(network, |quest| quest.take_whence(action, level, origin));
            }
            Message::Finish(summary) => {
                let summary = Summary::decode(summary).expect("a result from another rank can be read");
                self.leave(network, summary);
            }
            Message::Bye => self.gone[from as usize] = true,
        }
    }

    /// Looks at what the rest of this process says: limits, Ctrl-C.
    fn look_at_monitor(&mut self, network: &mut impl Transport) {
        let Some(reason) = self.monitor.stopped() else { return };
        self.halt(network, reason);
        // Trails take time, too. Those of a search that had ended in this way are what is left to do.
        if reason.is_wanted() && !self.stopped.is_some_and(StopReason::is_wanted) {
            self.pursue(network, |quest| quest.give_up(reason));
        }
    }

    fn take_progress(&mut self, network: &mut impl Transport, from: Rank, progress: Progress) {
        self.loads[from as usize] = progress;
        self.loads[self.rank as usize] = self.progress();
        let mut all = dampf_search::Snapshot::default();
        for load in &self.loads {
            all.states += load.states;
            all.transitions += load.transitions;
            all.frontier += load.waiting;
            all.depth = all.depth.max(load.depth);
            all.faults += load.faults;
        }
        self.monitor.publish(&all);
        if self.rank == 0 && self.options.max_states.is_some_and(|limit| all.states >= limit) {
            self.halt(network, StopReason::StateLimit);
        }
    }

    fn tell_progress(&mut self, network: &mut impl Transport) {
        self.batches = 0;
        let progress = self.progress();
        if self.rank == 0 {
            self.take_progress(network, 0, progress);
        } else {
            network.send(0, Message::Progress(progress).encode());
        }
    }

    /// Nothing is left to explore here: everything is sent, and then it is found out whether all are done.
    fn rest(&mut self, network: &mut impl Transport) -> Turn {
        // At the end of a level buffers are sent because it ends, whatever their size: that says nothing of the next level.
        let flushed = self.flush(network, self.levels.is_none());
        if !self.held.is_empty() {
            return worked_if(flushed);
        }
        let went_on = if self.levels.is_some() {
            self.end_level(network)
        } else {
            match self.settings.termination {
                Termination::Safra => self.detect(network),
                Termination::IdleReports => self.tell_idle(network),
            }
        };
        worked_if(flushed || went_on)
    }
}

fn worked_if(worked: bool) -> Turn {
    if worked { Turn::Worked { work: 0 } } else { Turn::Idle }
}

impl<M: Distributable> Process for Node<'_, M> {
    fn turn(&mut self, network: &mut impl Transport) -> Turn {
        let mut received = 0;
        while received < MESSAGES_PER_TURN {
            match network.receive() {
                Ok(Some((from, message))) => self.take(network, from, message),
                Ok(None) => break,
                // Who has said goodbye may go.
                Err(lost) if self.gone[lost.rank as usize] => break,
                Err(lost) => {
                    self.lost = Some(lost);
                    return Turn::Done;
                }
            }
            received += 1;
        }
        if self.unreadable.is_some() {
            return Turn::Done;
        }
        while let Some(message) = self.own_messages.pop_front() {
            self.handle(network, self.rank, &message);
            received += 1;
        }
        self.look_at_monitor(network);
        let turn = match self.phase {
            Phase::Searching if self.saving.as_ref().is_some_and(Saving::is_waiting) => Turn::Idle,
            Phase::Searching if self.has_work() => {
                if self.settings.termination == Termination::IdleReports {
                    self.tell_busy(network);
                }
                Turn::Worked { work: self.explore(network) }
            }
            Phase::Searching => self.rest(network),
            Phase::Counting => self.count(network),
            Phase::Serving => Turn::Idle,
            Phase::Leaving if self.gone.iter().all(|&gone| gone) => return Turn::Done,
            Phase::Leaving => Turn::Idle,
        };
        if turn != Turn::Idle {
            return turn;
        }
        // Otherwise no rank of this process could give back the tables that it has outgrown, while this one waits.
        self.session.quiesce();
        if received > 0 || !self.own_messages.is_empty() { Turn::Worked { work: 0 } } else { Turn::Idle }
    }
}

impl<M: Distributable> Node<'_, M> {
    pub(crate) fn load(&mut self, state: StateRef) {
        TreeStore::load(&mut self.session, state, &mut self.words);
    }
}
