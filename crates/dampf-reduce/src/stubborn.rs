//! The search for a small stubborn set in a state.
//!
//! It begins with one action of each process that has a step, and adds what the set then needs; whichever comes out
//! smallest is taken. Of several reasons why an action is disabled, the one that adds the least is chosen. A set that
//! comes to an action that was begun with before is given up: it would be no smaller than what came of that.

use crate::plan::Plan;
use crate::sticky::sticky_actions;
use dampf_core::{Interleaving, Word};
use std::collections::HashMap;

/// More tables than that are forgotten and made again.
const TABLES_MAX: usize = 16;
const KNOWN_MAX: usize = 1 << 12;

/// How many disabled actions are looked at in a state, for each step that it has. Sets that need more are large.
const BUDGET: usize = 24;

/// What decides which actions can never be taken again.
#[derive(Clone, PartialEq, Eq, Hash, Default)]
struct Settled {
    unsettled: Vec<u64>,
    values: Vec<i32>,
}

/// What an action was last found to be: rounds, which never repeat.
#[derive(Clone, Copy, Default)]
struct Marks {
    /// The state in which it was enabled.
    enabled: u64,
    /// The state in which it was begun with.
    tried: u64,
    /// The set that it was taken into.
    member: u64,
}

/// A reason why an action is disabled: what it draws in, and the process to look at if it is only one.
#[derive(Clone, Copy)]
struct Reason {
    cost: usize,
    cause: usize,
    process: Option<usize>,
}

/// What is known where some actions can never be taken again.
struct Tables {
    is_dead: Vec<bool>,
    sticky: Vec<bool>,
    visible: Vec<u32>,
    interesting: Vec<u32>,
    /// For each cause and location, where its list is; 0 for one that was not computed yet.
    places: Vec<u32>,
    /// The lists behind each other, each behind its length.
    lists: Vec<u32>,
}

impl Tables {
    fn new(plan: &Plan, is_dead: Vec<bool>) -> Tables {
        let living = |actions: &[u32]| actions.iter().copied().filter(|action| !is_dead[*action as usize]).collect();
        Tables {
            sticky: sticky_actions(&plan.interplay, &is_dead),
            visible: living(&plan.visible),
            interesting: living(&plan.interesting),
            is_dead,
            places: vec![0; plan.cause_count() * plan.locations],
            lists: vec![0],
        }
    }
}

/// Finds stubborn sets, for one thread.
pub struct Chooser<'m> {
    plan: &'m Plan,
    tables: Vec<Tables>,
    current_tables: usize,
    /// Which guards about parameters may become true, and the values of these; of the current state.
    settled: Settled,
    last_settled: Settled,
    /// For what was seen of that, the number of the tables.
    known: HashMap<Settled, usize>,
    /// Where processes stand, and the numbers of these locations among all.
    standing: Vec<u32>,
    places_of: Vec<usize>,
    marks: Vec<Marks>,
    /// For each guard, whether it is false, and since which round that is known.
    falsified: Vec<(u64, bool)>,
    /// The guards that were asked in the current state, and whether they are false.
    asked: Vec<(u32, bool)>,
    state_round: u64,
    set_round: u64,
    /// Members of the current set that were not looked at yet: enabled and disabled ones.
    enabled: Vec<u32>,
    disabled: Vec<u32>,
    best: Vec<u32>,
    current: Vec<u32>,
    /// How many enabled members the current set must stay below.
    limit: usize,
    /// Whether the current set came to an action that was tried.
    is_lost: bool,
    /// How many disabled actions may still be looked at in the current state.
    budget: usize,
    /// How many actions were looked at in all states.
    seen: u64,
}

impl<'m> Chooser<'m> {
    pub fn new(plan: &'m Plan) -> Self {
        let processes = plan.interplay.processes.len();
        Chooser {
            plan,
            tables: vec![Tables::new(plan, vec![false; plan.action_count()])],
            current_tables: 0,
            settled: Settled::default(),
            last_settled: Settled::default(),
            known: HashMap::new(),
            standing: vec![0; processes],
            places_of: vec![0; processes],
            marks: vec![Marks::default(); plan.action_count()],
            falsified: vec![(0, false); plan.interplay.guards.len()],
            asked: Vec::new(),
            state_round: 0,
            set_round: 0,
            enabled: Vec::new(),
            disabled: Vec::new(),
            best: Vec::new(),
            current: Vec::new(),
            limit: 0,
            is_lost: false,
            budget: 0,
            seen: 0,
        }
    }

    /// How many actions were looked at so far.
    pub fn actions_seen(&self) -> u64 {
        self.seen
    }

    /// The guards that the last choice asked, and whether they were false, in the order of asking: another state with
    /// the same answers, in which processes stand alike, parameters have the same values and steps begin with the same
    /// actions, has the same choice.
    pub fn asked(&self) -> &[(u32, bool)] {
        &self.asked
    }

    /// The enabled actions of a small stubborn set; none where all steps are to be taken. `begun` are the actions that
    /// the steps of the state begin with, in ascending order.
    pub fn choose<M: Interleaving>(&mut self, model: &M, state: &[Word], begun: &[u32]) -> Option<&[u32]> {
        let plan = self.plan;
        self.asked.clear();
        if begun.len() < 2 || begun.iter().any(|action| plan.waits(*action)) || model.is_urgent(state) {
            return None;
        }
        for (process, first) in plan.first_location.iter().enumerate() {
            self.standing[process] = model.process_location(process, state);
            self.places_of[process] = first + self.standing[process] as usize;
        }
        self.select_tables(model, state);
        self.state_round += 1;
        begun.iter().for_each(|action| self.marks[*action as usize].enabled = self.state_round);
        let mut least = begun.len();
        self.budget = BUDGET * begun.len();
        for is_sticky in [false, true] {
            let mut last_mover = usize::MAX;
            for start in begun {
                if self.tables[self.current_tables].sticky[*start as usize] != is_sticky {
                    continue;
                }
                let mover = plan.mover(*start);
                if std::mem::replace(&mut last_mover, mover) == mover {
                    continue;
                }
                if self.close(model, state, *start, least) && self.keeps_runs(begun) {
                    least = self.current.len();
                    std::mem::swap(&mut self.best, &mut self.current);
                    if least == 1 {
                        return Some(&self.best);
                    }
                }
                self.marks[*start as usize].tried = self.state_round;
            }
        }
        (least < begun.len()).then_some(&self.best)
    }

    /// Whether the set that was found has an invisible action, where there is one and runs are watched.
    fn keeps_runs(&self, begun: &[u32]) -> bool {
        let is_visible = |action: &u32| self.plan.is_visible(*action);
        !self.plan.interplay.watches_runs || !self.current.iter().all(is_visible) || begun.iter().all(is_visible)
    }

    /// Looks for a stubborn set with an action in it, of less than so many enabled actions.
    fn close<M: Interleaving>(&mut self, model: &M, state: &[Word], start: u32, limit: usize) -> bool {
        let plan = self.plan;
        self.set_round += 1;
        self.current.clear();
        self.enabled.clear();
        self.disabled.clear();
        (self.limit, self.is_lost) = (limit, false);
        let (mut has_visible, mut has_sticky) = (false, false);
        self.add(start);
        // What enabled actions conflict with is found quickly, and often enough to give up.
        while !self.is_lost {
            let Some(action) = self.enabled.pop() else {
                let Some(action) = self.disabled.pop() else { return true };
                if self.budget == 0 || !self.add_reason(model, state, action) {
                    return false;
                }
                self.budget -= 1;
                continue;
            };
            self.current.push(action);
            if self.tables().sticky[action as usize] && !std::mem::replace(&mut has_sticky, true) {
                (0..self.tables().interesting.len()).for_each(|at| self.add(self.tables().interesting[at]));
            }
            if plan.is_visible(action) && !std::mem::replace(&mut has_visible, true) {
                (0..self.tables().visible.len()).for_each(|at| self.add(self.tables().visible[at]));
            }
            self.add_cause(action as usize);
        }
        false
    }

    fn tables(&self) -> &Tables {
        &self.tables[self.current_tables]
    }

    /// Looks what is settled about the parameters: which actions can never be taken again.
    fn select_tables<M: Interleaving>(&mut self, model: &M, state: &[Word]) {
        let plan = self.plan;
        if plan.parameters.is_empty() {
            return;
        }
        let words = plan.unsettled_words;
        let last = std::mem::take(&mut self.last_settled);
        self.last_settled = std::mem::replace(&mut self.settled, last);
        let Settled { unsettled, values } = &mut self.settled;
        unsettled.clear();
        unsettled.resize(words, 0);
        for place in &self.places_of {
            let row = &plan.unsettled[place * words..][..words];
            unsettled.iter_mut().zip(row).for_each(|(bits, more)| *bits |= more);
        }
        values.clear();
        values.extend(plan.parameters.iter().map(|value| model.value(*value, state)));
        if self.settled == self.last_settled {
            return;
        }
        if let Some(tables) = self.known.get(&self.settled) {
            self.current_tables = *tables;
            return;
        }
        let is_dead = plan.dead_actions(&self.settled.unsettled, |guard| model.is_guard_false(guard, state));
        self.current_tables = self.tables.iter().position(|tables| tables.is_dead == is_dead).unwrap_or_else(|| {
            if self.tables.len() == TABLES_MAX {
                self.tables.clear();
                self.known.clear();
            }
            self.tables.push(Tables::new(plan, is_dead));
            self.tables.len() - 1
        });
        if self.known.len() == KNOWN_MAX {
            self.known.clear();
        }
        self.known.insert(self.settled.clone(), self.current_tables);
    }

    fn add(&mut self, action: u32) {
        let marks = &mut self.marks[action as usize];
        if marks.member == self.set_round {
            return;
        }
        marks.member = self.set_round;
        self.seen += 1;
        if marks.enabled == self.state_round {
            self.is_lost |=
                marks.tried == self.state_round || self.current.len() + self.enabled.len() + 1 >= self.limit;
            self.enabled.push(action);
        } else {
            self.disabled.push(action);
        }
    }

    /// Adds all that an action or a guard draws in.
    fn add_cause(&mut self, cause: usize) {
        for process in self.plan.movers_of(cause) {
            self.add_list(cause, process);
        }
    }

    fn add_list(&mut self, cause: usize, process: usize) {
        let list = self.list(cause, process);
        for at in list + 1..=list + self.tables().lists[list] as usize {
            self.add(self.tables().lists[at]);
        }
    }

    /// The list of a cause and of where a process stands.
    fn list(&mut self, cause: usize, process: usize) -> usize {
        let at = cause * self.plan.locations + self.places_of[process];
        let tables = &mut self.tables[self.current_tables];
        if tables.places[at] == 0 {
            let list = self.plan.list(cause, process, self.standing[process], &tables.is_dead);
            tables.places[at] = tables.lists.len() as u32;
            tables.lists.push(list.len() as u32);
            tables.lists.extend(list);
        }
        tables.places[at] as usize
    }

    /// How much larger a set becomes by a list: enabled actions count most.
    fn cost(&mut self, cause: usize, process: usize) -> usize {
        let list = self.list(cause, process);
        let (mut cost, lists) = (0, &self.tables[self.current_tables].lists);
        for action in &lists[list + 1..=list + lists[list] as usize] {
            let marks = self.marks[*action as usize];
            if marks.member == self.set_round {
                continue;
            }
            cost += match marks {
                Marks { tried, .. } if tried == self.state_round => 1 << 20,
                Marks { enabled, .. } if enabled == self.state_round => 64,
                _ => 1,
            };
        }
        cost
    }

    fn is_false<M: Interleaving>(&mut self, model: &M, state: &[Word], guard: u32) -> bool {
        let (round, is_false) = &mut self.falsified[guard as usize];
        if *round != self.state_round {
            (*round, *is_false) = (self.state_round, model.is_guard_false(guard, state));
            self.asked.push((guard, *is_false));
        }
        *is_false
    }

    /// For a disabled action, adds what may end one of the reasons for that; false if there is none that is understood.
    fn add_reason<M: Interleaving>(&mut self, model: &M, state: &[Word], action: u32) -> bool {
        let plan = self.plan;
        let facts = &plan.interplay.actions[action as usize];
        let mut best: Option<Reason> = None;
        for (process, location) in &facts.stands {
            if self.standing[*process] != *location {
                let cause = plan.cause_of_location(*process, *location);
                let reason = Reason { cost: self.cost(cause, *process), cause, process: Some(*process) };
                best = Some(cheaper(best, reason));
            }
        }
        for guard in &facts.guards {
            if best.is_some_and(|best| best.cost == 0) {
                break;
            }
            if self.is_false(model, state, *guard) {
                let cause = plan.cause_of_guard(*guard);
                let cost = plan.movers_of(cause).map(|process| self.cost(cause, process)).sum();
                best = Some(cheaper(best, Reason { cost, cause, process: None }));
            }
        }
        match best {
            Some(Reason { cost: 0, .. }) => {}
            Some(Reason { cause, process: Some(process), .. }) => self.add_list(cause, process),
            Some(Reason { cause, .. }) => self.add_cause(cause),
            None => return false,
        }
        true
    }
}

fn cheaper(best: Option<Reason>, other: Reason) -> Reason {
    best.filter(|best| best.cost <= other.cost).unwrap_or(other)
}
