//! One rank of a distributed search.
//!
//! A node owns a part of the states: it stores them, explores them, and sends those it finds that are others'. It is a
//! [`Process`] that is taken turn by turn and waits for nothing inside a turn, so the same node runs on a thread, under
//! MPI, or among thousands in a simulation.
//!
//! The life of a node: it *searches* until the search has ended everywhere, was halted, or a level tells so; then it
//! *counts* where states may lie on several ranks; it looks for *cycles* where they are asked for; it *serves*, having
//! reported to the first rank, which rebuilds the trails with the help of all; and it *leaves*, saying so to everybody,
//! so that no message is left behind.
//!
//! The parts of a node have their own state and know nothing of each other but what they are given: what is here is
//! their composition and the way of messages to them.

mod ending;
mod searching;

use crate::accepting_predecessors::AcceptingPredecessors;
use crate::bounded_nested::BoundedNested;
use crate::census::Census;
use crate::checkpoint::prepare_folder;
use crate::cycles::{CycleMethod, CycleProgress, Cycles, SoughtCycles};
use crate::exploration::Exploration;
use crate::levels::Levels;
use crate::local::LocalSearch;
use crate::mail::Mail;
use crate::message::Message;
use crate::progress::Watch;
use crate::report::{Report, Summary};
use crate::saving::{KeptStates, Saving};
use crate::termination::Detection;
use crate::trails::Trails;
use crate::{Distributable, RankProblem, RankSettings, RankStore};
use dampf_net::{Lost, Process, Rank, Transport, Turn};
use dampf_search::{Monitor, SearchOptions, StopReason};
use std::path::Path;

/// Messages taken in a turn before the node goes on with its own work.
const MESSAGES_PER_TURN: usize = 64;

/// Where a node is in its life.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Phase {
    Searching,
    /// Counting states that may lie on several ranks.
    Counting,
    /// Looking for cycles among the states of all ranks.
    Cycling,
    /// Has reported, and helps with the trails.
    Serving,
    /// Knows the result and waits for the last messages of others.
    Leaving,
}

pub struct Node<'a, M: Distributable, S: RankStore + 'a> {
    options: &'a SearchOptions,
    settings: &'a RankSettings,
    monitor: &'a Monitor,
    mail: Mail,
    phase: Phase,
    exploration: Exploration<'a, M, S>,
    /// In a search by levels.
    levels: Option<Levels>,
    /// In a search without levels.
    detection: Detection,
    watch: Watch,
    saving: Option<Saving>,
    census: Option<Census>,
    /// Where cycles are looked for.
    cycles: Option<Cycles<'a, M>>,
    trails: Trails<'a, M>,
    /// Why the initial states leave nothing to search; all ranks come to the same.
    ended_at_start: Option<StopReason>,
    /// How far the search for cycles had come at the checkpoint that this one goes on from.
    resumed_cycles: Option<(CycleProgress, KeptStates)>,
    stopped: Option<StopReason>,
    summary: Option<Summary>,
    /// Who has left this search.
    gone: Vec<bool>,
    /// Messages of the next search, from ranks that have left this one.
    early: Vec<(Rank, Vec<u8>)>,
    lost: Option<Lost>,
}

impl<'a, M: Distributable, S: RankStore> Node<'a, M, S> {
    /// The store is empty, and is this node's alone.
    pub fn new(
        rank: Rank,
        ranks: Rank,
        model: &'a M,
        store: &'a S,
        (options, settings): (&'a SearchOptions, &'a RankSettings),
        monitor: &'a Monitor,
    ) -> Result<Self, RankProblem> {
        Node::exploring((rank, ranks), model, store, (options, settings), monitor, settings.local)
    }

    /// The same, with these local searches while states are explored.
    fn exploring(
        (rank, ranks): (Rank, Rank),
        model: &'a M,
        store: &'a S,
        (options, settings): (&'a SearchOptions, &'a RankSettings),
        monitor: &'a Monitor,
        local: Option<LocalSearch>,
    ) -> Result<Self, RankProblem> {
        let mail = Mail::new(rank, ranks);
        let exploration = Exploration::new(model, store, &mail, (options, settings), local)?;
        let steps_max = local.map_or(1, |local| local.depth.max(1));
        let mut node = Node {
            options,
            settings,
            monitor,
            phase: Phase::Searching,
            levels: exploration.share.frontier.by_levels().then(|| Levels::new(ranks)),
            exploration,
            detection: Detection::new(settings.termination, &mail),
            watch: Watch::new(ranks, options.max_states),
            saving: None,
            census: None,
            cycles: None,
            trails: Trails::new(model, ranks, steps_max, options),
            ended_at_start: None,
            resumed_cycles: None,
            stopped: None,
            summary: None,
            gone: (0..ranks).map(|other| other == rank).collect(),
            early: Vec::new(),
            lost: None,
            mail,
        };
        node.begin()?;
        Ok(node)
    }

    /// The same for a search that looks for accepting cycles, too. States must have one owner each: the partition does
    /// not depend on depth. Where cycles are looked for among all states, their owners must have stored them, so local
    /// searches leave the exploration alone.
    pub fn with_cycles(
        (rank, ranks): (Rank, Rank),
        model: &'a M,
        store: &'a S,
        (options, settings): (&'a SearchOptions, &'a RankSettings),
        monitor: &'a Monitor,
        sought: SoughtCycles<'a>,
    ) -> Result<Self, RankProblem> {
        let method = settings.cycles;
        assert!(settings.local.is_none() || method.allows_local_search(), "{method:?} has no local search");
        let is_alone = method == CycleMethod::BoundedNested && !sought.of_ends;
        let local = settings.local.filter(|_| is_alone);
        let mut node = Node::exploring((rank, ranks), model, store, (options, settings), monitor, local)?;
        let partitioner = &node.exploration.share.delivery.partitioner;
        assert!(!partitioner.depends_on_depth(), "states have one owner each");
        if is_alone {
            node.exploration.find_cycles_alone(BoundedNested::new(sought, options.max_depth));
            return Ok(node);
        }
        let resumed = node.resumed_cycles.take();
        node.cycles = Some(Cycles::new(model, ranks, sought, (settings, options.deterministic), resumed));
        if method == CycleMethod::Owcty && !options.deterministic && !options.keep_going && !sought.of_ends {
            node.exploration.find_cycles_early(AcceptingPredecessors::new(sought.is_accepting));
        }
        Ok(node)
    }

    /// Takes the initial states, or what a checkpoint has.
    fn begin(&mut self) -> Result<(), RankProblem> {
        let mut manifest = None;
        if let Some(checkpoints) = &self.settings.checkpoints {
            let (Mail { rank, ranks, .. }, exploration) = (&self.mail, &self.exploration);
            let prepared = prepare_folder(checkpoints, *rank == 0)?;
            manifest = prepared.manifest.clone();
            let states = (exploration.model.width(), exploration.share.delivery.format);
            let saving = self.saving.insert(Saving::new(checkpoints, prepared, (*rank, *ranks), states));
            if let (0, Some(manifest)) = (*rank, &manifest) {
                manifest.remove_unnamed(&saving.folder);
            }
        }
        self.ended_at_start = match (&manifest, &self.saving) {
            (Some(manifest), Some(saving)) => self.exploration.restore(manifest, saving.folder.path())?,
            _ => self.exploration.begin(true),
        };
        if let (Some(manifest), Some(saving)) = (&manifest, &self.saving)
            && let Some(progress) = manifest.cycles
        {
            let kept = self.exploration.restore_kept(manifest, saving.folder.path())?;
            self.resumed_cycles = Some((progress, kept));
        }
        if let (Some(manifest), Some(levels)) = (&manifest, &mut self.levels) {
            levels.level = manifest.level;
        }
        Ok(())
    }

    /// What all ranks know at the end. None before, and where a rank was lost.
    pub fn summary(&self) -> Option<&Summary> {
        self.summary.as_ref()
    }

    /// The file that cannot be read, if the search ended because of that.
    pub fn unreadable(&self) -> Option<&Path> {
        self.exploration.share.delivery.unreadable()
    }

    /// The rank that was lost, if the search ended because of that.
    pub fn lost(&self) -> Option<Lost> {
        self.lost
    }

    /// Messages that belong to the next search on the same network, to be given to its node before its first turn.
    pub fn take_early(&mut self) -> Vec<(Rank, Vec<u8>)> {
        std::mem::take(&mut self.early)
    }

    /// Takes a message in, or keeps it for the next search where its sender has left this one.
    pub fn take(&mut self, network: &mut impl Transport, from: Rank, message: Vec<u8>) {
        if self.gone[from as usize] {
            self.early.push((from, message));
        } else {
            self.handle(from, &message);
            self.mail.hand_over(network);
        }
    }

    fn handle(&mut self, from: Rank, bytes: &[u8]) {
        // Ranks run the same program; bytes that it did not write are an error of ours or of the network.
        let message = Message::decode(bytes).expect("a message from another rank can be read");
        let is_searching = self.phase == Phase::Searching;
        let first_only = self.reports_first_only();
        let Node { exploration, mail, trails, levels, saving, .. } = self;
        match message {
            Message::States { level, states } => {
                if is_searching && !levels.as_mut().is_some_and(|levels| levels.keeps(from, level, states)) {
                    exploration.share.receive(from, level, states);
                }
            }
            Message::LevelEnd { level, end } => {
                levels.as_mut().expect("said in a search by levels only").take_end(from, level, end);
            }
            Message::Places(places) => {
                let ranking = exploration.share.ranking.as_mut().expect("places are of a predictable search");
                ranking.take_places(from, places).expect("places from another rank can be read");
            }
            Message::Positions(positions) => {
                let ranking = exploration.share.ranking.as_mut().expect("positions are of a predictable search");
                ranking.take_positions(from, positions).expect("positions from another rank can be read");
            }
            Message::Token(token) => self.detection.take_token(token),
            Message::Idle(is_idle) => self.detection.take_idle(from, is_idle),
            Message::Ended if is_searching => self.finish_search(),
            Message::Ended => {}
            Message::Halt(reason) => {
                // A fault ends the exploration; what is left to look for after it is agreed upon.
                let is_cycling = self.phase == Phase::Cycling && reason.is_wanted();
                if matches!(self.phase, Phase::Searching | Phase::Counting) || is_cycling {
                    self.stop(reason);
                }
            }
            Message::Progress(progress) => self.take_progress(from, progress),
            Message::AskOwner(bucket) => self.hand_out(bucket),
            Message::Assigned(bucket, owner) => self.take_assignment(bucket, owner),
            Message::Census(states) => {
                self.ready_census();
                if let Some(census) = &mut self.census {
                    census.take(&mut self.exploration, from, states);
                }
            }
            Message::CensusEnd => {
                self.ready_census().take_end();
                self.end_census();
            }
            // A rank that was halted takes no states in any more: what it would save lacks those that were sent to it.
            Message::Mark if is_searching => {
                saving.iter_mut().for_each(|saving| saving.take_mark(exploration, mail));
            }
            Message::Mark => {}
            Message::Saved(part) => {
                saving.iter_mut().for_each(|saving| saving.take_saved(exploration, from, part));
            }
            Message::Cycle(message) => {
                let cycles = self.cycles.as_mut().expect("said where cycles are looked for only");
                cycles.take(exploration, mail, from, message);
            }
            Message::Report(report) => {
                let report = Report::decode(report).expect("a report from another rank can be read");
                let result = trails.take_report(mail, from, report, first_only);
                self.conclude(result);
            }
            Message::Ask { question, state } => trails.answer_ask(exploration, mail, question, state),
            Message::Seek { question, prefix, state } => {
                let target = trails.read_sought(from, state);
                let result = trails.pursue(mail, |quest| quest.take_contents(question, &target));
                trails.answer_seek(exploration, mail, (question, prefix), &target);
                self.conclude(result);
            }
            Message::Where { level, position, step } => {
                trails.answer_where(exploration, mail, (level, position), step);
            }
            Message::IsInitial { question, initial } => {
                let result = trails.pursue(mail, |quest| quest.take_initial(question, initial));
                self.conclude(result);
            }
            Message::Found { question, tried, parents } => {
                let result = trails.pursue(mail, |quest| quest.take_found(question, from, tried, parents));
                self.conclude(result);
            }
            Message::Whence { action, level, origin } => {
                let result = trails.pursue(mail, |quest| quest.take_whence(action, level, origin));
                self.conclude(result);
            }
            Message::Finish(summary) => {
                let summary = Summary::decode(summary).expect("a result from another rank can be read");
                self.leave(summary);
            }
            Message::Leaves => self.gone[from as usize] = true,
        }
    }

    /// A rank has nothing to do but to wait for others, or something was done.
    fn take_turn(&mut self, network: &mut impl Transport) -> Turn {
        let mut received = 0;
        while received < MESSAGES_PER_TURN {
            match network.receive() {
                Ok(Some((from, message))) => self.take(network, from, message),
                Ok(None) => break,
                // Who has left may go.
                Err(lost) if self.gone[lost.rank as usize] => break,
                Err(lost) => {
                    self.lost = Some(lost);
                    return Turn::Done;
                }
            }
            received += 1;
        }
        if self.unreadable().is_some() {
            return Turn::Done;
        }
        while let Some(message) = self.mail.next_to_self() {
            self.handle(self.mail.rank, &message);
            received += 1;
        }
        self.look_at_monitor();
        let turn = match self.phase {
            Phase::Searching => self.search(),
            Phase::Counting => self.count(),
            Phase::Cycling => self.cycle(),
            Phase::Serving => Turn::Idle,
            Phase::Leaving if self.gone.iter().all(|&gone| gone) => return Turn::Done,
            Phase::Leaving => Turn::Idle,
        };
        if turn != Turn::Idle {
            return turn;
        }
        // Otherwise no rank of this process could give back the tables that it has outgrown, while this one waits.
        self.exploration.quiesce();
        worked_if(received > 0 || self.mail.has_any_to_self())
    }
}

fn worked_if(worked: bool) -> Turn {
    if worked { Turn::Worked { work: 0 } } else { Turn::Idle }
}

impl<M: Distributable, S: RankStore> Process for Node<'_, M, S> {
    fn turn(&mut self, network: &mut impl Transport) -> Turn {
        let turn = self.take_turn(network);
        self.mail.hand_over(network);
        turn
    }
}
