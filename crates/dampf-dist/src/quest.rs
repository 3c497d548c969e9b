//! Trails, rebuilt by all ranks together.
//!
//! A store keeps a few bits of the reference of each state's parent, wherever the parent is. The first rank asks the
//! holder of a state, which sends the state to all; each tries those of its states whose references begin with these
//! bits and names those that lead there. Where several do, all are tried in turn, so that a wrong one is only a detour;
//! where the distance is known, only a way of that length is taken. Where trying takes long, the first rank explores
//! the states near the initial ones on its own ([`NearStates`]): a way backwards is complete as soon as it meets one of
//! them.
//!
//! In a predictable search the way is known by positions, and each step is asked for.

use crate::discovery::{Discovery, FaultPlace};
use crate::message::Message;
use crate::near_states::NearStates;
use crate::report::{Report, Summary};
use dampf_core::{Action, Finding, Model, Trail, Word, replay_selected};
use dampf_net::Rank;
use dampf_search::{FINDINGS_MAX, SearchOptions, StopReason};
use dampf_store::StateRef;
use std::collections::{HashSet, VecDeque};

/// After so many tried states it is worth knowing those near the initial ones.
const TRIED_MAX: u64 = 1_000_000;
/// A state of some rank.
type Held = (Rank, StateRef);

/// A state on a way that is rebuilt backwards.
struct Link {
    state: Held,
    /// The steps from here to the state behind.
    actions: Vec<Action>,
    /// Predecessors that were not tried yet, with their steps; none while they are not looked for.
    untried: Option<Vec<(Held, Vec<Action>)>>,
}

struct Search {
    discovery: Discovery,
    distance: Option<u64>,
    way: Vec<Link>,
    seen: HashSet<(Held, u64)>,
}

pub(crate) struct Quest {
    summary: Summary,
    tasks: VecDeque<(Rank, Discovery)>,
    ranks: Rank,
    search: Option<Search>,
    /// In a predictable search: the labels so far, from the last to the first.
    placed: Option<(Discovery, Vec<Action>)>,
    requests: VecDeque<(Rank, Vec<u8>)>,
    /// The number of the question that is open.
    question: u64,
    awaited: Rank,
    answers: Vec<(Held, Vec<Action>)>,
    tried: u64,
    known: Option<NearStates>,
}

impl Quest {
    /// With `first_only`, the fault of the first place is the one that counts: a predictable search without ranks ends
    /// there, and how many others the level has is nobody's business.
    pub fn new(reports: Vec<Report>, first_only: bool) -> Self {
        let mut summary = Summary::of(&reports);
        let ranks = reports.len() as Rank;
        let mut tasks: Vec<(Rank, Discovery)> = Vec::new();
        for (rank, report) in reports.into_iter().enumerate() {
            tasks.extend(report.discoveries.into_iter().map(|discovery| (rank as Rank, discovery)));
        }
        // Nearest first, cycles last. The sort is stable, so ties are told in the order of ranks.
        tasks.sort_by_key(|(_, discovery)| (!discovery.cycle.is_empty(), discovery.place.order()));
        if first_only && !tasks.is_empty() {
            tasks.truncate(1);
            let faults = u64::from(tasks[0].1.cycle.is_empty());
            summary.statistics.faults = faults;
            summary.judgement.faults = faults;
        }
        let mut quest = Quest {
            summary,
            tasks: tasks.into(),
            ranks,
            search: None,
            placed: None,
            requests: VecDeque::new(),
            question: 0,
            awaited: 0,
            answers: Vec::new(),
            tried: 0,
            known: None,
        };
        quest.next_task();
        quest
    }

    pub fn is_done(&self) -> bool {
        self.tasks.is_empty() && self.search.is_none() && self.placed.is_none()
    }

    /// A message that has to be sent.
    pub fn next_request(&mut self) -> Option<(Rank, Vec<u8>)> {
        self.requests.pop_front()
    }

    fn ask(&mut self, to: Rank, message: &Message) {
        self.requests.push_back((to, message.encode()));
    }

    fn next_task(&mut self) {
        while self.search.is_none() && self.placed.is_none() {
            let Some((rank, discovery)) = self.tasks.pop_front() else { return };
            let known = self.summary.findings.iter().any(|finding| finding.fault == discovery.fault);
            if known || self.summary.findings.len() >= FINDINGS_MAX {
                continue;
            }
            match discovery.place {
                FaultPlace::Initial(initial) => {
                    let trail = Trail { initial, stem: Vec::new(), cycle: discovery.cycle };
                    self.summary.findings.push(Finding { fault: discovery.fault, trail });
                }
                FaultPlace::Placed { level, position, step, .. } => {
                    self.ask_where(level - 1, position, step);
                    self.placed = Some((discovery, Vec::new()));
                }
                FaultPlace::State { state, distance } => {
                    let link = Link { state: (rank, state), actions: discovery.steps.clone(), untried: None };
                    let seen = HashSet::from([((rank, state), 0)]);
                    self.search = Some(Search { discovery, distance, way: vec![link], seen });
                    self.look_for_parents();
                }
            }
        }
    }

    fn ask_where(&mut self, level: u64, position: u64, step: u32) {
        for rank in 0..self.ranks {
            self.ask(rank, &Message::Where { level, position, step });
        }
    }

    /// The label of the step that was asked for, and where its state comes from.
    pub fn take_whence(&mut self, action: Action, level: u64, origin: (u64, u32)) {
        let Some((_, actions)) = &mut self.placed else { return };
        actions.push(action);
        if level > 0 {
            self.ask_where(level - 1, origin.0, origin.1);
            return;
        }
        let (discovery, mut actions) = self.placed.take().expect("it is under way");
        actions.reverse();
        let trail = Trail { initial: origin.0, stem: actions, cycle: discovery.cycle };
        self.summary.findings.push(Finding { fault: discovery.fault, trail });
        self.next_task();
    }

    /// Asks for the parents of the last state of the way.
    fn look_for_parents(&mut self) {
        let search = self.search.as_ref().expect("a search is under way");
        let (holder, state) = search.way.last().expect("the true parents lead to an initial state").state;
        self.question += 1;
        self.awaited = self.ranks;
        self.answers.clear();
        let question = self.question;
        self.ask(holder, &Message::Ask { question, state });
    }

    /// The state that was asked about is an initial one.
    pub fn take_initial(&mut self, question: u64, initial: u64) {
        if question != self.question {
            return;
        }
        let Some(search) = &mut self.search else { return };
        let length = search.way.len() as u64 - 1;
        if search.distance.is_none_or(|distance| distance == length) {
            self.complete(Trail::ending(initial, Vec::new()));
        } else {
            // Not at its place: this is no way.
            search.way.last_mut().expect("a way has a state").untried = Some(Vec::new());
            self.go_on();
        }
    }

    /// The contents of the state that was asked about.
    pub fn take_contents(&mut self, question: u64, state: &[Word]) {
        if question != self.question {
            return;
        }
        let (Some(search), Some(known)) = (&self.search, &self.known) else { return };
        let remaining = search.distance.map(|distance| distance + 1 - search.way.len() as u64);
        if let Some(trail) = known.trail_to(state, remaining) {
            self.complete(trail);
        }
    }

    pub fn take_found(&mut self, question: u64, from: Rank, tried: u64, parents: Vec<(StateRef, Vec<Action>)>) {
        if question != self.question || self.search.is_none() {
            return;
        }
        self.tried += tried;
        self.answers.extend(parents.into_iter().map(|(state, actions)| ((from, state), actions)));
        self.awaited -= 1;
        if self.awaited > 0 {
            return;
        }
        let mut answers = std::mem::take(&mut self.answers);
        answers.sort_unstable_by(|one, other| other.cmp(one));
        let search = self.search.as_mut().expect("a search is under way");
        let last = search.way.last_mut().expect("a way has a state");
        last.untried = Some(answers);
        self.go_on();
    }

    /// Whether the states near the initial ones should be known now.
    pub fn wants_near_states(&self) -> bool {
        self.tried > TRIED_MAX && self.known.is_none() && self.search.is_some()
    }

    /// Takes the states near the initial ones, and begins the way again with them.
    pub fn take_near_states(&mut self, near: NearStates) {
        self.known = Some(near);
        if let Some(search) = &mut self.search {
            search.way.truncate(1);
            search.way[0].untried = None;
            search.seen = HashSet::from([(search.way[0].state, 0)]);
            self.look_for_parents();
        }
    }

    /// Takes the next untried predecessor.
    fn go_on(&mut self) {
        let search = self.search.as_mut().expect("a search is under way");
        loop {
            let length = search.way.len() as u64;
            let last = search.way.last_mut().expect("the true parents lead to an initial state");
            let Some((state, actions)) = last.untried.as_mut().and_then(Vec::pop) else {
                search.way.pop();
                continue;
            };
            let too_long = search.distance.is_some_and(|distance| length > distance);
            // Without a distance any way will do, but it must not run in circles.
            let place = if search.distance.is_some() { length } else { 0 };
            if !too_long && search.seen.insert((state, place)) {
                search.way.push(Link { state, actions, untried: None });
                break;
            }
        }
        self.look_for_parents();
    }

    /// The way is complete; `trail` leads to its last state.
    fn complete(&mut self, mut trail: Trail) {
        let search = self.search.take().expect("a search is under way");
        trail.stem.extend(search.way.iter().rev().flat_map(|link| &link.actions));
        trail.cycle = search.discovery.cycle;
        self.summary.findings.push(Finding { fault: search.discovery.fault, trail });
        // Answers that are still under way are to a question of the past.
        self.question += 1;
        self.next_task();
    }

    /// Leaves out the trails that are not known yet.
    pub fn give_up(&mut self, reason: StopReason) {
        self.tasks.clear();
        self.search = None;
        self.placed = None;
        self.question += 1;
        self.summary.stopped = Some(reason);
    }

    /// What all ranks are to know. Every trail is seen to lead to its fault.
    ///
    /// # Panics
    /// If a trail does not replay: then Dampf, not the model, is wrong, and no verdict must be given.
    pub fn into_summary<M: Model>(self, model: &M, options: &SearchOptions) -> Summary {
        for Finding { fault, trail } in &self.summary.findings {
            let replayed = match replay_selected(model, trail, options.deadlocks, &options.faults) {
                Ok(replayed) => replayed,
                Err(error) => panic!("a trail to {fault} does not replay: {error}"),
            };
            // A cycle was seen to close; what it passes is for whoever asked for it to see.
            let ends_in = [replayed.fault, replayed.fault_beyond];
            let is_there = !trail.cycle.is_empty() || ends_in.contains(&Some(fault.clone()));
            assert!(is_there, "{ends_in:?} is not {fault}");
        }
        self.summary
    }
}
