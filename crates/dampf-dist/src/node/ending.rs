//! From the end of the search to the result: the census, cycles, the report, the trails, and the last message.

use super::{Node, Phase};
use crate::census::Census;
use crate::cycles::{Agreement, CycleTurn};
use crate::message::Message;
use crate::report::{Report, Summary};
use crate::{Distributable, RankStore};
use dampf_net::Turn;
use dampf_search::StopReason;

impl<M: Distributable, S: RankStore> Node<'_, M, S> {
    /// Ends the search everywhere, for this reason.
    pub(super) fn halt(&mut self, reason: StopReason) {
        if self.phase == Phase::Searching {
            self.mail.broadcast(&Message::Halt(reason));
            self.stop(reason);
        }
    }

    pub(super) fn stop(&mut self, reason: StopReason) {
        if self.phase == Phase::Cycling {
            // Exploring may have ended at a fault, or what seemed to be one.
            self.stopped = Some(reason);
        }
        self.stopped.get_or_insert(reason);
        // A limit ends everything, and everybody is told.
        if self.phase == Phase::Searching && !reason.is_wanted() {
            self.look_for_cycles();
        } else {
            self.report();
        }
    }

    /// The states were explored: cycles are looked for, if anybody wants to know of them.
    fn look_for_cycles(&mut self) {
        let Some(cycles) = &mut self.cycles else { return self.report() };
        let judgement = &self.exploration.judgement;
        let is_over = judgement.ends_search(self.options).is_some() || self.ended_at_start.is_some();
        let agreement = Agreement { is_over, is_partial: judgement.truncated, is_halted: self.stopped.is_some() };
        self.phase = Phase::Cycling;
        cycles.begin(&mut self.exploration, &mut self.mail, agreement);
    }

    /// Goes on looking for cycles.
    pub(super) fn cycle(&mut self) -> Turn {
        let cycles = self.cycles.as_mut().expect("cycles are looked for");
        match cycles.turn(&mut self.exploration, &mut self.mail, self.saving.as_mut()) {
            CycleTurn::Waits => Turn::Idle,
            CycleTurn::Worked { work } => Turn::Worked { work },
            CycleTurn::Concluded => {
                self.report();
                Turn::Worked { work: 0 }
            }
        }
    }

    /// Ends the search for cycles everywhere, for this reason.
    pub(super) fn halt_cycles(&mut self, reason: StopReason) {
        if self.phase == Phase::Cycling && reason.is_wanted() {
            self.mail.broadcast(&Message::Halt(reason));
            self.stop(reason);
        }
    }

    fn is_resumed(&self) -> bool {
        self.saving.as_ref().is_some_and(|saving| saving.is_resumed)
    }

    /// The search has ended everywhere, and nothing was left out but what a limit of depth left out.
    pub(super) fn finish_search(&mut self) {
        let depends_on_depth = self.exploration.share.delivery.partitioner.depends_on_depth();
        if depends_on_depth && (self.mail.ranks > 1 || self.is_resumed()) {
            self.phase = Phase::Counting;
            self.ready_census();
            if let Some(census) = &mut self.census {
                census.begin(&self.exploration);
            }
        } else {
            self.look_for_cycles();
        }
    }

    /// The census, which others may have begun before this rank.
    pub(super) fn ready_census(&mut self) -> &mut Census {
        let is_resumed = self.is_resumed();
        self.census.get_or_insert_with(|| Census::new(&self.exploration, self.settings, is_resumed))
    }

    pub(super) fn count(&mut self) -> Turn {
        let census = self.census.as_mut().expect("the census has begun");
        let worked = census.send_some(&mut self.exploration, &mut self.mail);
        self.end_census();
        if worked { Turn::Worked { work: 1 } } else { Turn::Idle }
    }

    pub(super) fn end_census(&mut self) {
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
        let mut traffic = exploration.traffic();
        let mut cycles = self.cycles.as_ref().map(|cycles| cycles.figures()).unwrap_or_default();
        if let Some(nested) = &exploration.share.nested {
            cycles.followed += nested.followed;
        }
        if let Some(of_cycles) = &self.cycles {
            traffic.add(&of_cycles.traffic());
            exploration.redundant += of_cycles.redundant;
        }
        let report = Report {
            statistics,
            traffic,
            redundant: exploration.redundant,
            judgement: exploration.judgement.clone(),
            stopped: self.stopped,
            discoveries: exploration.discoveries.take(),
            cycles,
            checkpoint_trouble: self.saving.as_ref().and_then(|saving| saving.trouble.clone()),
        };
        self.mail.send(0, &Message::Report(&report.encode()));
    }

    /// Whether the first fault is the only one that counts: a predictable search without ranks ends there. What is
    /// wrong with initial states is known at once, all of it.
    pub(super) fn reports_first_only(&self) -> bool {
        self.options.deterministic && !self.options.keep_going && self.ended_at_start.is_none()
    }

    /// Tells everybody the result, once there is one.
    pub(super) fn conclude(&mut self, result: Option<Summary>) {
        if let Some(summary) = result {
            self.mail.broadcast(&Message::Finish(&summary.encode()));
            self.leave(summary);
        }
    }

    pub(super) fn leave(&mut self, summary: Summary) {
        self.summary = Some(summary);
        self.phase = Phase::Leaving;
        self.mail.broadcast(&Message::Leaves);
    }
}
