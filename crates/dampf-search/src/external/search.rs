//! The search: level by level, with a checkpoint now and then.

use super::contents::Contents;
use super::disk::DiskTrouble;
use super::expansion::{Expansion, Hand, Harvest, Met};
use super::gathering::Gatherer;
use super::manifest::{Counters, Manifest, Suspicion, TrailNamed};
use super::space::Space;
use super::trails::Sought;
use super::{DiskSettings, manifest};
use crate::expand::Judgement;
use crate::{FINDINGS_MAX, Monitor, SearchOptions, Snapshot, StopReason, ends_in};
use dampf_core::{Action, Finding, Model, Restore, Trail, Unsupported};
use std::time::Instant;

pub(crate) struct Search<'m, M: Model + 'm> {
    pub options: &'m SearchOptions,
    pub settings: &'m DiskSettings,
    pub monitor: &'m Monitor,
    model: &'m M,
    space: Space,
    /// None where nobody will resume the search.
    contents: Option<Contents>,
    hands: Vec<Hand<'m, M>>,
    counters: Counters,
    /// Positions of the last level that are not expanded.
    unexpanded: Vec<(u64, u64)>,
    pub findings: Vec<Finding>,
    suspicion: Suspicion,
    pub judgement: Judgement,
    /// Whether there is nothing left to do.
    pub finished: bool,
    checkpointed: Instant,
}

impl<'m, M: Restore> Search<'m, M> {
    /// A search in a space that is empty or was explored in part.
    pub fn new(
        model: &'m M,
        (space, contents): (Space, Option<Contents>),
        options: &'m SearchOptions,
        settings: &'m DiskSettings,
        monitor: &'m Monitor,
        begun: &Manifest,
    ) -> Self {
        let hands = (0..options.threads).map(|_| Hand::new(model, &space, options)).collect();
        let Counters { states, transitions, faults, depth } = begun.counters;
        let frontier = space.frontier.states();
        monitor.publish(&Snapshot { states, transitions, frontier, depth, faults, store_bytes: 0 });
        let finding = |named: &TrailNamed| {
            let trail = Trail::ending(named.initial, named.actions.iter().copied().map(Action).collect());
            let [fault, beyond] = ends_in(model, &trail, options);
            let fault = if named.beyond { beyond } else { fault };
            fault.map(|fault| Finding { fault, trail })
        };
        Search {
            options,
            settings,
            monitor,
            model,
            space,
            contents,
            hands,
            counters: begun.counters,
            unexpanded: begun.unexpanded.clone(),
            findings: begun.findings.iter().filter_map(finding).collect(),
            suspicion: begun.suspicion,
            judgement: Judgement {
                faults: begun.counters.faults,
                unsupported: begun.unsupported.clone().map(|what| Unsupported { what }),
                premises: begun.premises.clone(),
                met_end: begun.met_end,
                ..Judgement::default()
            },
            finished: begun.finished,
            checkpointed: Instant::now(),
        }
    }

    /// Searches until the end, or until the monitor or a limit stops it. Then a checkpoint is written.
    pub fn run(&mut self) -> Result<(), DiskTrouble> {
        if self.finished {
            return Ok(());
        }
        if self.space.levels.count() == 0 {
            self.begin()?;
        }
        while !self.finished && !self.judgement.truncated && !self.monitor.is_stopped() {
            self.do_level()?;
        }
        // What was explored under a refuted assumption does not count, and a full disk takes nothing: the checkpoint
        // stays that there is.
        if self.judgement.refuted.is_empty() { self.checkpoint() } else { Ok(()) }
    }

    /// Makes the initial states the first level.
    fn begin(&mut self) -> Result<(), DiskTrouble> {
        let Hand { expander, gatherer, .. } = &mut self.hands[0];
        let initial = expander.begin(|number, fault| {
            self.monitor.add_fault();
            self.counters.faults += 1;
            note(&mut self.findings, Finding { fault, trail: Trail::ending(number as u64, Vec::new()) });
        });
        for number in (0..initial.len()).filter(|&number| initial.leads_on(number)) {
            gatherer.add_state(initial.state(number), 0)?;
        }
        self.judgement.absorb(expander.take_judgement());
        if !self.judgement.refuted.is_empty() {
            self.monitor.stop(StopReason::Refuted);
            return Ok(());
        }
        // The first level is there in any case, even if the search is stopped already.
        self.space.end_level(&mut gatherers(&mut self.hands), &Monitor::new(), None)?;
        self.level_found();
        self.monitor.add(self.counters.states, 0);
        self.finished = !self.findings.is_empty() && !self.options.keep_going;
        Ok(())
    }

    /// Notes that there is a new last level.
    fn level_found(&mut self) {
        let states = self.space.frontier.states();
        self.counters.states += states;
        self.monitor.set_frontier(states);
        self.unexpanded = if states > 0 { vec![(0, states)] } else { Vec::new() };
        if states > 0 {
            self.counters.depth = self.space.levels.count() - 1;
            self.monitor.deepen(self.counters.depth);
        }
    }

    /// Expands the last level and finds the next.
    fn do_level(&mut self) -> Result<(), DiskTrouble> {
        let level = self.space.levels.count() - 1;
        let states = self.space.frontier.states();
        let truncated = states > 0 && self.options.max_depth == Some(level);
        self.judgement.truncated = truncated;
        let is_expanded = !truncated && self.expand(level)?;
        if self.options.deterministic && (is_expanded || truncated) {
            self.order_faults(level)?;
        }
        let is_judged = !self.findings.is_empty() && !self.options.keep_going;
        self.finished = is_judged || is_expanded && states == 0;
        if self.finished || !is_expanded || self.monitor.is_stopped() {
            return Ok(());
        }
        self.end_level()?;
        self.checkpoint_if_due()
    }

    fn end_level(&mut self) -> Result<(), DiskTrouble> {
        // What a predictable search counts must not depend on how threads share a level: it ends with the level.
        let limit = self.options.max_states;
        let limit_within = limit.filter(|_| !self.options.deterministic);
        if !self.space.end_level(&mut gatherers(&mut self.hands), self.monitor, limit_within)? {
            return Ok(());
        }
        self.level_found();
        let earlier_steps = self.suspicion.steps;
        self.suspicion = Suspicion { earlier_steps, ..Suspicion::default() };
        if limit.is_some_and(|limit| self.counters.states >= limit) && self.space.frontier.states() > 0 {
            self.monitor.stop(StopReason::StateLimit);
        }
        Ok(())
    }

    /// Expands what is left of the last level. False if the search was stopped before all of it was.
    fn expand(&mut self, level: u64) -> Result<bool, DiskTrouble> {
        while !self.unexpanded.is_empty() {
            let expansion = Expansion {
                level: &self.space.frontier,
                packing: &self.space.packing,
                options: self.options,
                monitor: self.monitor,
                known: &self.findings,
                unexpanded: &self.unexpanded,
                until: self.checkpointed.checked_add(self.settings.checkpoint_every),
            };
            let harvest = expansion.run(&mut self.hands)?;
            self.absorb(level, harvest)?;
            if self.monitor.is_stopped() {
                return Ok(false);
            }
            self.checkpoint_if_due()?;
        }
        Ok(true)
    }

    fn absorb(&mut self, level: u64, harvest: Harvest) -> Result<(), DiskTrouble> {
        self.unexpanded = harvest.unexpanded;
        self.counters.transitions += harvest.transitions;
        let faults = harvest.judgement.faults;
        self.judgement.absorb(harvest.judgement);
        if !self.judgement.refuted.is_empty() {
            // A predictable search has gone on to the end of the level: what is learnt must not depend on the threads.
            if self.unexpanded.is_empty() {
                self.monitor.stop(StopReason::Refuted);
            }
            return Ok(());
        }
        if self.options.deterministic {
            self.suspicion.states |= harvest.faulty_states;
            self.suspicion.steps |= harvest.faulty_steps;
            if self.options.keep_going {
                self.count_faults(faults);
            }
            return Ok(());
        }
        self.count_faults(faults);
        for Met { fault, state, step } in harvest.met {
            if self.findings.iter().any(|finding| finding.fault == fault) || self.findings.len() >= FINDINGS_MAX {
                continue;
            }
            let hand = &mut self.hands[0];
            let mut trail = self.space.way_to(hand, level, &state)?;
            if let Some(step) = step {
                trail.stem.push(hand.expander.successors_of(&state).action(step));
            }
            self.found(Finding { fault, trail });
        }
        Ok(())
    }

    /// Notes a finding whose trail is seen to lead to its fault.
    fn found(&mut self, finding: Finding) {
        let ends_in = ends_in(self.model, &finding.trail, self.options);
        assert!(ends_in.contains(&Some(finding.fault.clone())), "{ends_in:?} is not {}", finding.fault);
        self.findings.push(finding);
    }

    fn count_faults(&mut self, faults: u64) {
        self.counters.faults += faults;
        (0..faults).for_each(|_| self.monitor.add_fault());
    }

    /// Finds the least ways to the faults whose shortest ways end at this level, in their order.
    fn order_faults(&mut self, level: u64) -> Result<(), DiskTrouble> {
        let Suspicion { states, earlier_steps, .. } = self.suspicion;
        if !states && !earlier_steps {
            return Ok(());
        }
        while self.findings.len() < FINDINGS_MAX {
            let known = &self.findings;
            let sought = Sought { options: self.options, known, states, steps: earlier_steps };
            let Some(finding) = self.space.least_way(&mut self.hands[0], level, &sought)? else { break };
            self.found(finding);
            if !self.options.keep_going {
                self.count_faults(1);
                self.monitor.stop(StopReason::Fault);
                break;
            }
        }
        self.suspicion.states = false;
        self.suspicion.earlier_steps = false;
        Ok(())
    }

    fn checkpoint_if_due(&mut self) -> Result<(), DiskTrouble> {
        if !self.judgement.refuted.is_empty() {
            return Ok(());
        }
        let is_time = self.checkpointed.elapsed() >= self.settings.checkpoint_every;
        if is_time || self.space.disk.is_worth_cleaning() { self.checkpoint() } else { Ok(()) }
    }

    /// Writes everything that is in memory only, and a manifest that names it.
    pub fn checkpoint(&mut self) -> Result<(), DiskTrouble> {
        let mut manifest =
            manifest::Manifest::new(&self.settings.identity, &self.settings.description, self.model.width());
        manifest.deadlocks = self.options.deadlocks;
        manifest.keep_going = self.options.keep_going;
        manifest.deterministic = self.options.deterministic;
        manifest.counters = self.counters;
        manifest.finished = self.finished;
        manifest.suspicion = self.suspicion;
        manifest.unsupported = self.judgement.unsupported.as_ref().map(|unsupported| unsupported.what.clone());
        manifest.premises.clone_from(&self.judgement.premises);
        manifest.met_end = self.judgement.met_end;
        manifest.unexpanded.clone_from(&self.unexpanded);
        manifest.findings = self.findings.iter().map(|finding| self.named(finding)).collect();
        if !self.finished {
            let mut gatherers = gatherers(&mut self.hands);
            gatherers.iter_mut().try_for_each(|gatherer| gatherer.spill())?;
            self.space.collect_spills(&mut gatherers);
        }
        self.space.levels.flush(&self.space.disk)?;
        self.space.describe(&mut manifest);
        if let Some(contents) = &mut self.contents {
            contents.save(self.model, &self.space.disk)?;
            manifest.contents = contents.files.iter().map(manifest::Named::from).collect();
        }
        manifest.write(&self.space.disk)?;
        self.checkpointed = Instant::now();
        Ok(())
    }

    fn named(&self, finding: &Finding) -> TrailNamed {
        let Finding { fault, trail } = finding;
        let beyond = ends_in(self.model, trail, self.options)[0].as_ref() != Some(fault);
        TrailNamed { initial: trail.initial, actions: trail.stem.iter().map(|action| action.0).collect(), beyond }
    }
}

fn gatherers<'a, M: Model>(hands: &'a mut [Hand<'_, M>]) -> Vec<&'a mut Gatherer> {
    hands.iter_mut().map(|hand| &mut hand.gatherer).collect()
}

/// Notes a fault unless one like it is known.
fn note(findings: &mut Vec<Finding>, finding: Finding) {
    let is_known = findings.iter().any(|other| other.fault == finding.fault);
    if !is_known && findings.len() < FINDINGS_MAX {
        findings.push(finding);
    }
}
