//! Searching: a rank explores what waits, and finds out with the others when a level or the search has ended.

use super::{Node, Phase, worked_if};
use crate::levels::LevelEnd;
use crate::message::Message;
use crate::order::Ordering;
use crate::partition::Bucket;
use crate::progress::Progress;
use crate::saving::Saving;
use crate::termination::Rest;
use crate::{Distributable, RankStore};
use dampf_core::Statistics;
use dampf_net::{Rank, Turn};
use dampf_search::StopReason;

impl<M: Distributable, S: RankStore> Node<'_, M, S> {
    pub(super) fn search(&mut self) -> Turn {
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
        if self.exploration.has_nested_work() {
            return self.search_nested();
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

    /// Looks for cycles from accepting states that were explored here, before anything else is explored.
    fn search_nested(&mut self) -> Turn {
        let (work, ending) = self.exploration.search_nested();
        match ending {
            Some(reason) => self.halt(reason),
            // Others may have nothing else to do than what waits here to be sent.
            None => self.exploration.share.delivery.send_overdue(&mut self.mail),
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

    pub(super) fn progress(&self) -> Progress {
        let Statistics { states, transitions, depth, faults, frontier, .. } = self.exploration.statistics();
        Progress { states, transitions, waiting: frontier, depth, faults }
    }

    pub(super) fn take_progress(&mut self, from: Rank, progress: Progress) {
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
    pub(super) fn look_at_monitor(&mut self) {
        let Some(reason) = self.monitor.stopped() else { return };
        self.halt(reason);
        self.halt_cycles(reason);
        // Trails take time, too. Those of a search that had ended in this way are what is left to do.
        if reason.is_wanted() && !self.stopped.is_some_and(StopReason::is_wanted) {
            let result = self.trails.pursue(&mut self.mail, |quest| quest.give_up(reason));
            self.conclude(result);
        }
    }

    /// The first rank gives a bucket to the rank with the least to do.
    pub(super) fn hand_out(&mut self, bucket: Bucket) {
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

    pub(super) fn take_assignment(&mut self, bucket: Bucket, owner: Rank) {
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
        // At the end of a level buffers are sent because it ends, whatever their size: that says nothing of the next
        // level.
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
            let faults = faults + exploration.nested_cycles();
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
