//! One rank of a distributed search.
//!
//! A node owns a part of the states: it stores them, explores them, and sends those it finds that are others'. It is a
//! [`Process`] that is taken turn by turn and waits for nothing inside a turn, so the same node runs on a thread, under MPI,
//! or among thousands in a simulation.
//!
//! The life of a node: it *searches* until the search has ended everywhere, was halted, or a level tells so; then it
//! *counts* where states may lie on several ranks; it *serves*, having reported to the first rank, which rebuilds the trails
//! with the help of all; and it *leaves*, saying so to everybody, so that no message is left behind.
//!
//! The parts of a node have their own state and know nothing of each other but what they are given: what is here is their
//! composition and the way of messages to them.

use crate::census::Census;
use crate::checkpoint::prepare_folder;
use crate::exploration::Exploration;
use crate::levels::{LevelEnd, Levels};
use crate::mail::Mail;
use crate::message::Message;
use crate::order::Ordering;
use crate::partition::Bucket;
use crate::progress::{Progress, Watch};
use crate::report::{Report, Summary};
use crate::saving::Saving;
use crate::termination::{Detection, Rest};
use crate::trails::Trails;
use crate::{Distributable, RankProblem, RankSettings, RankStore};
use dampf_core::Statistics;
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
    trails: Trails<'a, M>,
    /// Why the initial states leave nothing to search; all ranks come to the same.
    ended_at_start: Option<StopReason>,
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
        let mail = Mail::new(rank, ranks);
        let exploration = Exploration::new(model, store, &mail, (options, settings))?;
        let steps_max = settings.local.map_or(1, |local| local.depth.max(1));
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
            trails: Trails::new(model, ranks, steps_max, options.deadlocks),
            ended_at_start: None,
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
                if matches!(self.phase, Phase::Searching | Phase::Counting) {
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

/// Searching.
impl<M: Distributable, S: RankStore> Node<'_, M, S> {
    fn search(&mut self) -> Turn {
        if let Some(reason) = self.ended_at_start {
            self.stop(reason);
            return worked_if(true);
        }
        if self.exploration.share.ranking.is_some() && self.exceeds_depth() {
            return worked_if(true);
        }
        if self.saving.as_ref().is_some_and(Saving::is_waiting) {
            return Turn::Idle;
        }
        if !self.exploration.has_work() {
            return self.rest();
        }
        self.detection.work(&mut self.mail);
        let (work, ending) = self.exploration.explore(&mut self.mail);
        match ending {
            Some(reason) => self.halt(reason),
            None => self.after_batch(),
        }
        Turn::Worked { work }
    }

    fn after_batch(&mut self) {
        let Node { exploration, mail, levels, saving, .. } = self;
        if let Some(levels) = levels {
            levels.explored += exploration.batch_size() as u64;
        }
        if let Some(saving) = saving {
            saving.after_batch(exploration);
            if levels.is_none() && mail.rank == 0 && saving.is_due() && !saving.is_waiting() {
                saving.mark(exploration, mail);
            }
        }
        exploration.share.delivery.send_overdue(mail);
        if self.watch.is_due() {
            let progress = self.progress();
            self.watch.tell(&mut self.mail, progress);
        }
    }

    fn progress(&self) -> Progress {
        let Statistics { states, transitions, depth, faults, frontier, .. } = self.exploration.statistics();
        Progress { states, transitions, waiting: frontier, depth, faults }
    }

    fn take_progress(&mut self, from: Rank, progress: Progress) {
        let own = self.progress();
        self.watch.take(from, progress);
        self.watch.take(self.mail.rank, own);
        let all = self.watch.all();
        self.monitor.publish(&all);
        // A predictable search ends with a level, and all ranks know when.
        let limit = self.options.max_states.filter(|_| !self.options.deterministic);
        if limit.is_some_and(|limit| all.states >= limit) {
            self.halt(StopReason::StateLimit);
        }
    }

    /// Looks at what the rest of this process says: limits, Ctrl-C.
    fn look_at_monitor(&mut self) {
        let Some(reason) = self.monitor.stopped() else { return };
        self.halt(reason);
        // Trails take time, too. Those of a search that had ended in this way are what is left to do.
        if reason.is_wanted() && !self.stopped.is_some_and(StopReason::is_wanted) {
            let result = self.trails.pursue(&mut self.mail, |quest| quest.give_up(reason));
            self.conclude(result);
        }
    }

    /// The first rank gives a bucket to the rank with the least to do.
    fn hand_out(&mut self, bucket: Bucket) {
        if self.exploration.share.delivery.partitioner.assigned(bucket).is_some() {
            // Two ranks asked at once, and both were told already.
            return;
        }
        let own = self.progress();
        self.watch.take(0, own);
        let owner = self.watch.least_loaded();
        self.mail.broadcast(&Message::Assigned(bucket, owner));
        self.take_assignment(bucket, owner);
    }

    fn take_assignment(&mut self, bucket: Bucket, owner: Rank) {
        let share = &mut self.exploration.share;
        share.delivery.partitioner.assign(bucket, owner);
        // Between its mark and its checkpoint a rank sends nothing: nobody would save what it sends.
        if self.phase == Phase::Searching && !self.saving.as_ref().is_some_and(Saving::is_waiting) {
            share.release(&mut self.mail, bucket);
        }
    }

    /// Nothing is left to explore here: everything is sent, and then it is found out whether all are done.
    fn rest(&mut self) -> Turn {
        let delivery = &mut self.exploration.share.delivery;
        // At the end of a level buffers are sent because it ends, whatever their size: that says nothing of the next level.
        let flushed = delivery.flush(&mut self.mail, self.levels.is_none());
        if delivery.holds_any() {
            return worked_if(flushed);
        }
        if self.levels.is_some() {
            return worked_if(self.end_level() || flushed);
        }
        let rest = self.detection.rest(delivery.balance, &mut self.mail);
        if rest == Rest::Ended {
            self.finish_search();
        }
        worked_if(rest != Rest::Waits || flushed)
    }

    /// Nothing of this level is left here. True where that changed something.
    fn end_level(&mut self) -> bool {
        let Node { exploration, mail, saving, .. } = self;
        let levels = self.levels.as_mut().expect("asked for in a search by levels only");
        if !levels.has_told(mail.rank) {
            let (faults, faulty_steps) =
                exploration.share.ranking.as_ref().map_or((0, 0), |ranking| ranking.fault_counts());
            let save = mail.rank == 0 && saving.as_ref().is_some_and(Saving::is_due);
            let refuted = !exploration.judgement.refuted.is_empty();
            levels.tell(mail, LevelEnd { explored: levels.explored, faults, faulty_steps, refuted, save });
            return true;
        }
        let Some(all) = levels.all_told() else { return false };
        if self.options.deterministic {
            return self.end_ranked_level(all);
        }
        if all.explored == 0 {
            self.finish_search()
        } else {
            self.turn_level(all.save)
        }
        true
    }

    /// The end of a level in a predictable search: faults are looked at, and the next level is put in order.
    fn end_ranked_level(&mut self, all: LevelEnd) -> bool {
        let level = self.exploration.share.delivery.level;
        let ranking = self.exploration.share.ranking.as_mut().expect("asked for in a predictable search only");
        if ranking.is_ordering() {
            let ordering = ranking.ordering();
            return self.go_on_ordering(level + 1, ordering, all);
        }
        if all.refuted {
            // All that the level refutes, whoever met it: what is learnt must not depend on the ranks either.
            self.stop(StopReason::Refuted);
            return true;
        }
        self.exploration.judge_level(level);
        if all.faults > 0 && !self.options.keep_going {
            self.stop(StopReason::Fault);
        } else if all.explored == 0 && all.faulty_steps == 0 {
            self.finish_search();
        } else if let Some(ranking) = &mut self.exploration.share.ranking {
            for (to, places) in ranking.begin_ordering() {
                self.mail.send(to, &Message::Places(&places));
            }
        }
        true
    }

    /// Goes on to put a level in order, and turns to it when it is.
    fn go_on_ordering(&mut self, level: u64, ordering: Ordering, all: LevelEnd) -> bool {
        let size = match ordering {
            Ordering::Waits => return false,
            Ordering::Merged(replies) => {
                for (to, positions) in replies {
                    self.mail.send(to, &Message::Positions(&positions));
                }
                return true;
            }
            Ordering::Done { size } => size,
        };
        self.exploration.count_level(level, size);
        if size == 0 && all.faulty_steps == 0 {
            self.finish_search();
            return true;
        }
        self.turn_level(all.save);
        let states = self.exploration.share.ranking.as_ref().map_or(0, |ranking| ranking.states);
        if self.options.max_states.is_some_and(|limit| states >= limit) {
            self.stop(StopReason::StateLimit);
        }
        true
    }

    /// Whether the level of a predictable search is beyond the depth limit, where the search ends.
    fn exceeds_depth(&mut self) -> bool {
        let share = &self.exploration.share;
        let has_states = share.ranking.as_ref().is_some_and(|ranking| ranking.has_states());
        let exceeds = has_states && self.options.max_depth == Some(share.delivery.level);
        if exceeds {
            self.exploration.judgement.truncated = true;
            self.finish_search();
        }
        exceeds
    }

    /// Makes the next level the current one.
    fn turn_level(&mut self, save: bool) {
        let Node { exploration, mail, levels, saving, .. } = self;
        let levels = levels.as_mut().expect("asked for in a search by levels only");
        let early = levels.turn();
        exploration.share.turn_level(levels.level);
        if let (true, Some(saving)) = (save, saving) {
            saving.save(exploration, mail);
        }
        for (from, states) in early {
            exploration.share.receive(from, levels.level, &states);
        }
    }
}

/// From the end of the search to the result.
impl<M: Distributable, S: RankStore> Node<'_, M, S> {
    /// Ends the search everywhere, for this reason.
    fn halt(&mut self, reason: StopReason) {
        if self.phase == Phase::Searching {
            self.mail.broadcast(&Message::Halt(reason));
            self.stop(reason);
        }
    }

    fn stop(&mut self, reason: StopReason) {
        self.stopped.get_or_insert(reason);
        self.report();
    }

    fn is_resumed(&self) -> bool {
        self.saving.as_ref().is_some_and(|saving| saving.is_resumed)
    }

    /// The search has ended everywhere, and nothing was left out but what a limit of depth left out.
    fn finish_search(&mut self) {
        let depends_on_depth = self.exploration.share.delivery.partitioner.depends_on_depth();
        if depends_on_depth && (self.mail.ranks > 1 || self.is_resumed()) {
            self.phase = Phase::Counting;
            self.ready_census();
            if let Some(census) = &mut self.census {
                census.begin(&self.exploration);
            }
        } else {
            self.report();
        }
    }

    /// The census, which others may have begun before this rank.
    fn ready_census(&mut self) -> &mut Census {
        let is_resumed = self.is_resumed();
        self.census.get_or_insert_with(|| Census::new(&self.exploration, self.settings, is_resumed))
    }

    fn count(&mut self) -> Turn {
        let census = self.census.as_mut().expect("the census has begun");
        let worked = census.send_some(&mut self.exploration, &mut self.mail);
        self.end_census();
        if worked { Turn::Worked { work: 1 } } else { Turn::Idle }
    }

    fn end_census(&mut self) {
        if let Some(census) = self.census.take_if(|census| census.is_complete()) {
            census.conclude(&mut self.exploration);
            self.report();
        }
    }

    fn report(&mut self) {
        self.phase = Phase::Serving;
        let exploration = &mut self.exploration;
        let mut statistics = exploration.statistics();
        if let Some(ranking) = &exploration.share.ranking {
            // What a search without ranks says: the level that was not explored, or not to its end.
            let is_cut_short = self.stopped.is_some() || exploration.judgement.truncated;
            let is_first_level = exploration.share.delivery.level == 0;
            statistics.frontier = if is_cut_short && !is_first_level { ranking.current().len() as u64 } else { 0 };
        }
        let report = Report {
            statistics,
            traffic: exploration.traffic(),
            redundant: exploration.redundant,
            judgement: exploration.judgement.clone(),
            stopped: self.stopped,
            discoveries: exploration.discoveries.take(),
            checkpoint_trouble: self.saving.as_ref().and_then(|saving| saving.trouble.clone()),
        };
        self.mail.send(0, &Message::Report(&report.encode()));
    }

    /// Whether the first fault is the only one that counts: a predictable search without ranks ends there. What is wrong
    /// with initial states is known at once, all of it.
    fn reports_first_only(&self) -> bool {
        self.options.deterministic && !self.options.keep_going && self.ended_at_start.is_none()
    }

    /// Tells everybody the result, once there is one.
    fn conclude(&mut self, result: Option<Summary>) {
        if let Some(summary) = result {
            self.mail.broadcast(&Message::Finish(&summary.encode()));
            self.leave(summary);
        }
    }

    fn leave(&mut self, summary: Summary) {
        self.summary = Some(summary);
        self.phase = Phase::Leaving;
        self.mail.broadcast(&Message::Leaves);
    }
}
