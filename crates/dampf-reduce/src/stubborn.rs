//! Stubborn sets: what is known beforehand, and the search for a small one in a state.
//!
//! An action that starts where its process does not stand is disabled for that reason, and what may end the reason is
//! the next move of the process, if it can get there from here at all. So all that a set is drawn to by an action, or
//! by a guard, are actions of the places where processes stand now: a list for each process and location, which is
//! computed when it is first asked for. (Numbers for that: a *cause* is an action, a guard, or a location to be
//! reached.)

use crate::sticky::sticky_actions;
use dampf_core::{Interleaving, Interplay, Word};

/// Lists for more pairs of a cause and a location would take more memory than they save.
const LISTS_MAX: usize = 1 << 23;

/// What is known about the steps of a model beforehand.
pub struct Plan {
    interplay: Interplay,
    sticky: Vec<bool>,
    visible: Vec<u32>,
    /// The number of each process's first location among all locations.
    first_location: Vec<usize>,
    locations: usize,
    /// For each location, the actions that may move its process from there, with where they move it first.
    leaving: Vec<Vec<(u32, u32)>>,
    /// For each location, which locations of the same process are reached from it.
    reached: Vec<Vec<bool>>,
    /// For each action, then for each guard, the actions that it draws in, by the process that moves first.
    drawn: Vec<Vec<(usize, Vec<u32>)>>,
}

impl Plan {
    /// None for a model that is too large.
    pub fn new(mut interplay: Interplay) -> Option<Plan> {
        // A guard that hardly anybody makes true is the best reason for an action to be disabled.
        let establishing: Vec<usize> = interplay.guards.iter().map(Vec::len).collect();
        for action in &mut interplay.actions {
            action.guards.sort_by_key(|guard| establishing[*guard as usize]);
        }
        let mut first_location = Vec::new();
        let mut locations = 0;
        for count in &interplay.processes {
            first_location.push(locations);
            locations += count;
        }
        let causes = interplay.actions.len() + interplay.guards.len() + locations;
        if causes.saturating_mul(locations) > LISTS_MAX {
            return None;
        }
        let mut leaving: Vec<Vec<(u32, u32)>> = vec![Vec::new(); locations];
        for (number, action) in interplay.actions.iter().enumerate() {
            for moved in &action.moves {
                leaving[first_location[moved.process] + moved.source as usize].push((number as u32, moved.target));
            }
        }
        let mut reached = Vec::new();
        for (process, count) in interplay.processes.iter().enumerate() {
            let own = &leaving[first_location[process]..][..*count];
            reached.extend((0..*count).map(|from| reached_from(from, own)));
        }
        let by_process = |actions: &Vec<u32>| -> Vec<(usize, Vec<u32>)> {
            let mut groups: Vec<(usize, Vec<u32>)> = Vec::new();
            for action in actions {
                let mover = interplay.actions[*action as usize].stands[0].0;
                match groups.iter_mut().find(|(process, _)| *process == mover) {
                    Some((_, group)) => group.push(*action),
                    None => groups.push((mover, vec![*action])),
                }
            }
            groups
        };
        let conflicts = interplay.actions.iter().map(|action| by_process(&action.conflicts));
        let drawn = conflicts.chain(interplay.guards.iter().map(by_process)).collect();
        let is_visible = |number: &u32| interplay.actions[*number as usize].is_visible;
        let visible = (0..interplay.actions.len() as u32).filter(is_visible).collect();
        let sticky = sticky_actions(&interplay);
        Some(Plan { sticky, visible, first_location, locations, leaving, reached, drawn, interplay })
    }

    /// The number of actions.
    pub fn action_count(&self) -> usize {
        self.interplay.actions.len()
    }

    /// The number of actions that conflict with no action of another process, and are neither visible nor sticky.
    pub fn independent_count(&self) -> usize {
        let mover = |action: u32| self.interplay.actions[action as usize].stands[0].0;
        let is_independent = |number: &u32| {
            let action = &self.interplay.actions[*number as usize];
            let is_alone = action.conflicts.iter().all(|other| mover(*other) == mover(*number));
            is_alone && !action.is_visible && !self.sticky[*number as usize]
        };
        (0..self.action_count() as u32).filter(is_independent).count()
    }

    fn cause_of_guard(&self, guard: u32) -> usize {
        self.interplay.actions.len() + guard as usize
    }

    fn cause_of_location(&self, process: usize, location: u32) -> usize {
        self.drawn.len() + self.first_location[process] + location as usize
    }

    /// What a cause draws in of a process that stands at a location.
    fn list(&self, cause: usize, process: usize, location: u32) -> Vec<u32> {
        let mut list = Vec::new();
        match self.drawn.get(cause) {
            Some(groups) => {
                let own = groups.iter().find(|(mover, _)| *mover == process).map_or(&[][..], |(_, own)| own);
                for action in own {
                    let source = self.interplay.actions[*action as usize].stands[0].1;
                    if source == location {
                        list.push(*action);
                    } else {
                        self.add_ways(process, location, source, &mut list);
                    }
                }
            }
            None => {
                let target = cause - self.drawn.len() - self.first_location[process];
                self.add_ways(process, location, target as u32, &mut list);
            }
        }
        list.sort_unstable();
        list.dedup();
        list
    }

    /// Adds the moves of a process by which it may come from one location to another.
    fn add_ways(&self, process: usize, from: u32, to: u32, list: &mut Vec<u32>) {
        let first = self.first_location[process];
        let leads = |location: u32| self.reached[first + location as usize][to as usize];
        let ways = self.leaving[first + from as usize].iter().filter(|(_, target)| leads(*target));
        list.extend(ways.map(|(action, _)| *action));
    }
}

/// Which of the locations of a process are reached from one of them.
fn reached_from(from: usize, leaving: &[Vec<(u32, u32)>]) -> Vec<bool> {
    let mut reached = vec![false; leaving.len()];
    let mut pending = vec![from];
    while let Some(location) = pending.pop() {
        if !std::mem::replace(&mut reached[location], true) {
            pending.extend(leaving[location].iter().map(|(_, target)| *target as usize));
        }
    }
    reached
}

/// Finds stubborn sets, for one thread.
pub struct Chooser<'m> {
    plan: &'m Plan,
    /// For each cause and location, where its list is; 0 for one that was not computed yet.
    places: Vec<u32>,
    lists: Vec<Box<[u32]>>,
    /// Where processes stand.
    standing: Vec<u32>,
    /// The round in which an action was last found enabled, and in which it was last taken into a set.
    enabled: Vec<u64>,
    member: Vec<u64>,
    /// For each guard, the round in which it was last looked at, and whether it was false then.
    falsified: Vec<(u64, bool)>,
    state_round: u64,
    set_round: u64,
    pending: Vec<u32>,
    best: Vec<u32>,
    current: Vec<u32>,
}

impl<'m> Chooser<'m> {
    pub fn new(plan: &'m Plan) -> Self {
        let causes = plan.drawn.len() + plan.locations;
        Chooser {
            plan,
            places: vec![0; causes * plan.locations],
            lists: vec![Box::default()],
            standing: vec![0; plan.interplay.processes.len()],
            enabled: vec![0; plan.action_count()],
            member: vec![0; plan.action_count()],
            falsified: vec![(0, false); plan.interplay.guards.len()],
            state_round: 0,
            set_round: 0,
            pending: Vec::new(),
            best: Vec::new(),
            current: Vec::new(),
        }
    }

    /// The enabled actions of a small stubborn set; none where all steps are to be taken. `begun` are the actions that
    /// the steps of the state begin with, in ascending order.
    pub fn choose<M: Interleaving>(&mut self, model: &M, state: &[Word], begun: &[u32]) -> Option<&[u32]> {
        let plan = self.plan;
        let of = |action: u32| &plan.interplay.actions[action as usize];
        if begun.len() < 2 || begun.iter().any(|action| of(*action).waits) || model.is_urgent(state) {
            return None;
        }
        for (process, location) in self.standing.iter_mut().enumerate() {
            *location = model.process_location(process, state);
        }
        self.state_round += 1;
        begun.iter().for_each(|action| self.enabled[*action as usize] = self.state_round);
        let mut least = begun.len();
        let mut last_mover = usize::MAX;
        for start in begun {
            let mover = of(*start).stands[0].0;
            if plan.sticky[*start as usize] || std::mem::replace(&mut last_mover, mover) == mover {
                continue;
            }
            if self.close(model, state, *start, least) {
                least = self.current.len();
                std::mem::swap(&mut self.best, &mut self.current);
                if least == 1 {
                    break;
                }
            }
        }
        (least < begun.len()).then_some(&self.best)
    }

    /// Looks for a stubborn set with an action in it, of less than so many enabled actions.
    fn close<M: Interleaving>(&mut self, model: &M, state: &[Word], start: u32, limit: usize) -> bool {
        let plan = self.plan;
        self.set_round += 1;
        self.current.clear();
        self.pending.clear();
        let mut has_visible = false;
        self.add(start);
        while let Some(action) = self.pending.pop() {
            if self.enabled[action as usize] != self.state_round {
                if !self.add_reason(model, state, action) {
                    return false;
                }
                continue;
            }
            self.current.push(action);
            if self.current.len() >= limit || plan.sticky[action as usize] {
                return false;
            }
            if plan.interplay.actions[action as usize].is_visible && !std::mem::replace(&mut has_visible, true) {
                plan.visible.iter().for_each(|visible| self.add(*visible));
            }
            for (process, _) in &plan.drawn[action as usize] {
                let list = self.list(action as usize, *process);
                self.add_list(list);
            }
        }
        true
    }

    fn add(&mut self, action: u32) {
        if self.member[action as usize] != self.set_round {
            self.member[action as usize] = self.set_round;
            self.pending.push(action);
        }
    }

    fn add_list(&mut self, list: usize) {
        for at in 0..self.lists[list].len() {
            self.add(self.lists[list][at]);
        }
    }

    /// The list of a cause and of where a process stands.
    fn list(&mut self, cause: usize, process: usize) -> usize {
        let location = self.standing[process];
        let at = cause * self.plan.locations + self.plan.first_location[process] + location as usize;
        if self.places[at] == 0 {
            self.places[at] = self.lists.len() as u32;
            self.lists.push(self.plan.list(cause, process, location).into());
        }
        self.places[at] as usize
    }

    /// How much larger a set becomes by a list: enabled actions count most.
    fn cost(&self, list: usize) -> usize {
        let new = self.lists[list].iter().filter(|action| self.member[**action as usize] != self.set_round);
        new.map(|action| if self.enabled[*action as usize] == self.state_round { 64 } else { 1 }).sum()
    }

    fn is_false<M: Interleaving>(&mut self, model: &M, state: &[Word], guard: u32) -> bool {
        let (round, is_false) = &mut self.falsified[guard as usize];
        if *round != self.state_round {
            (*round, *is_false) = (self.state_round, model.is_guard_false(guard, state));
        }
        *is_false
    }

    /// For a disabled action, adds what may end one of the reasons for that; false if there is none that is understood.
    fn add_reason<M: Interleaving>(&mut self, model: &M, state: &[Word], action: u32) -> bool {
        let plan = self.plan;
        let facts = &plan.interplay.actions[action as usize];
        let mut best: Option<(usize, usize, Option<usize>)> = None;
        for (process, location) in &facts.stands {
            if self.standing[*process] != *location {
                let cause = plan.cause_of_location(*process, *location);
                let list = self.list(cause, *process);
                let cost = self.cost(list);
                if best.is_none_or(|(least, ..)| cost < least) {
                    best = Some((cost, cause, Some(*process)));
                }
                if cost == 0 {
                    break;
                }
            }
        }
        for guard in &facts.guards {
            if best.is_some_and(|(cost, ..)| cost == 0) {
                break;
            }
            if !self.is_false(model, state, *guard) {
                continue;
            }
            let cause = plan.cause_of_guard(*guard);
            let mut cost = 0;
            for (process, _) in &plan.drawn[cause] {
                let list = self.list(cause, *process);
                cost += self.cost(list);
            }
            if best.is_none_or(|(least, ..)| cost < least) {
                best = Some((cost, cause, None));
            }
        }
        let Some((_, cause, process)) = best else { return false };
        match process {
            Some(process) => {
                let list = self.list(cause, process);
                self.add_list(list);
            }
            None => {
                for (process, _) in &plan.drawn[cause] {
                    let list = self.list(cause, *process);
                    self.add_list(list);
                }
            }
        }
        true
    }
}
