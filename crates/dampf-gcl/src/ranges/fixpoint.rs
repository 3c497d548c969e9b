//! The values of all cells, by going through the steps again until nothing new is found.
//!
//! Flow-insensitive but for this: a step counts only when its processes can be in its sources and each of its
//! guards' conjuncts, taken alone, can be true. Every stored value is a *site*: its formula is evaluated for all
//! combinations of its inputs' values that satisfy the conditions linked to them; when a set grew, only for
//! combinations with something new in them. Where that is too much work, or an input's values are an interval,
//! interval arithmetic takes over.
//!
//! Invariant: when the work list is empty, every cell holds each value that any run stores in it.

use super::Limits;
use super::enumeration::{Enumeration, Query, Visitor};
use super::formula::Formula;
use super::intervals::narrow;
use super::symbolic::{Cell, Cells, SymbolicStep};
use super::values::{Interval, SET_MAX, Values, Wrapped, wrap_interval};
use crate::ir::{IntType, LocationId, ProcessId, Program, VariableId};
use std::collections::{BTreeSet, VecDeque};

/// So many combinations are tried even when all other work is done.
const COMBINATIONS_AFTER_WORK: usize = 64;

/// A question about a step that is asked again when its inputs have new values.
struct Site {
    step: usize,
    query: Query,
    /// Where the result goes; none for a condition that is only asked whether it can be true.
    target: Option<Cell>,
    value: Formula,
    /// How many values of each input were tried already, with as many inputs enumerated.
    tried: Vec<usize>,
    /// Whether the condition is known to be possible.
    settled: bool,
}

impl Site {
    fn new(step: usize, query: Query, target: Option<Cell>, value: &Formula) -> Self {
        Site { step, query, target, value: value.clone(), tried: Vec::new(), settled: false }
    }
}

pub struct Fixpoint<'p> {
    program: &'p Program,
    types: &'p [IntType],
    steps: &'p [SymbolicStep],
    thresholds: &'p [i64],
    limits: Limits,
    pub values: Vec<Values>,
    /// Cells whose values are known from elsewhere, and stay.
    frozen: Vec<bool>,
    sites: Vec<Site>,
    sites_of_step: Vec<Vec<usize>>,
    readers: Vec<Vec<usize>>,
    /// For each step, how many of its sources are not known to be reached and conditions not known to be possible.
    obstacles: Vec<usize>,
    reached: Vec<Vec<bool>>,
    /// For each process and location, the steps that leave it, until it is reached.
    waiting: Vec<Vec<Vec<usize>>>,
    queue: VecDeque<usize>,
    queued: Vec<bool>,
    work: u64,
}

impl<'p> Fixpoint<'p> {
    /// `known` gives the values of cells that need not be computed.
    pub fn new(
        program: &'p Program,
        cells: &'p Cells,
        steps: &'p [SymbolicStep],
        thresholds: &'p [i64],
        known: &[Option<Values>],
        limits: Limits,
    ) -> Self {
        let values = known.iter().map(|known| known.clone().unwrap_or_else(Values::empty)).collect();
        let mut fixpoint = Fixpoint {
            program,
            types: &cells.types,
            steps,
            thresholds,
            limits,
            values,
            frozen: known.iter().map(Option::is_some).collect(),
            sites: Vec::new(),
            sites_of_step: vec![Vec::new(); steps.len()],
            readers: vec![Vec::new(); cells.types.len()],
            obstacles: Vec::new(),
            reached: program.processes.iter().map(|process| vec![false; process.locations.len()]).collect(),
            waiting: program.processes.iter().map(|process| vec![Vec::new(); process.locations.len()]).collect(),
            queue: VecDeque::new(),
            queued: Vec::new(),
            work: 0,
        };
        fixpoint.start_values(cells);
        for (number, step) in steps.iter().enumerate() {
            fixpoint.add_sites(number, step);
        }
        fixpoint.queued = vec![false; fixpoint.sites.len()];
        fixpoint
    }

    fn start_values(&mut self, cells: &Cells) {
        for (id, variable) in self.program.variables.iter().enumerate() {
            for (index, &value) in variable.initial.iter().enumerate() {
                let cell = cells.of_element(VariableId(id as u32), index as u32) as usize;
                if !self.frozen[cell] {
                    self.values[cell].add(value, variable.ty, self.thresholds);
                    if self.program.timeout == Some(VariableId(id as u32)) {
                        self.values[cell].add(1, variable.ty, self.thresholds);
                    }
                    if self.program.error_location.is_some() {
                        self.values[cell].add(0, variable.ty, self.thresholds);
                    }
                }
            }
        }
    }

    fn add_sites(&mut self, number: usize, step: &SymbolicStep) {
        for condition in &step.conditions[..step.guards] {
            let mut inputs = BTreeSet::new();
            condition.collect_inputs(&mut inputs);
            let query = Query::new(inputs, &[], &BTreeSet::new());
            self.add_site(Site::new(number, query, None, condition));
        }
        self.obstacles.push(step.guards + step.moves.len());
        for moved in &step.moves {
            self.waiting[moved.process.0 as usize][moved.source.0 as usize].push(number);
        }
        for store in &step.stores {
            if self.frozen[store.cell as usize] {
                continue;
            }
            let mut inputs = BTreeSet::new();
            store.value.collect_inputs(&mut inputs);
            let query = Query::new(inputs, &step.conditions[..store.conditions], &BTreeSet::new());
            let site = self.add_site(Site::new(number, query, Some(store.cell), &store.value));
            self.sites_of_step[number].push(site);
        }
    }

    fn add_site(&mut self, site: Site) -> usize {
        let number = self.sites.len();
        let inputs = &self.steps[site.step].inputs;
        let cells: BTreeSet<Cell> = site.query.inputs.iter().map(|input| inputs[*input as usize]).collect();
        for cell in cells {
            self.readers[cell as usize].push(number);
        }
        self.sites.push(site);
        number
    }

    pub fn run(&mut self) {
        for (number, site) in self.sites.iter().enumerate() {
            if site.target.is_none() {
                self.queue.push_back(number);
                self.queued[number] = true;
            }
        }
        for (number, process) in self.program.processes.iter().enumerate() {
            self.reach(ProcessId(number as u32), process.initial);
            if self.program.error_location.is_some() && number > 0 {
                self.reach(ProcessId(number as u32), LocationId(0));
            }
        }
        while let Some(site) = self.queue.pop_front() {
            self.queued[site] = false;
            self.visit(site);
        }
    }

    fn reach(&mut self, process: ProcessId, location: LocationId) {
        let mut pending = vec![(process, location)];
        while let Some((process, location)) = pending.pop() {
            let reached = &mut self.reached[process.0 as usize][location.0 as usize];
            if std::mem::replace(reached, true) {
                continue;
            }
            for number in std::mem::take(&mut self.waiting[process.0 as usize][location.0 as usize]) {
                self.remove_obstacle(number, &mut pending);
            }
        }
    }

    fn remove_obstacle(&mut self, step: usize, arrived: &mut Vec<(ProcessId, LocationId)>) {
        self.obstacles[step] -= 1;
        if self.obstacles[step] == 0 {
            arrived.extend(self.steps[step].moves.iter().map(|moved| (moved.process, moved.target)));
            for index in 0..self.sites_of_step[step].len() {
                self.enqueue(self.sites_of_step[step][index]);
            }
        }
    }

    fn enqueue(&mut self, site: usize) {
        if !std::mem::replace(&mut self.queued[site], true) {
            self.queue.push_back(site);
        }
    }

    fn visit(&mut self, number: usize) {
        let site = &self.sites[number];
        match site.target {
            None => {
                // Once possible is always possible: the site has nothing left to say then.
                if !site.settled && self.is_possible(number) {
                    self.sites[number].settled = true;
                    let mut arrived = Vec::new();
                    self.remove_obstacle(self.sites[number].step, &mut arrived);
                    arrived.into_iter().for_each(|(process, location)| self.reach(process, location));
                }
            }
            Some(target) => {
                if self.obstacles[site.step] == 0 && self.store(number, target) {
                    for index in 0..self.readers[target as usize].len() {
                        self.enqueue(self.readers[target as usize][index]);
                    }
                }
            }
        }
    }

    /// How many inputs can be enumerated, if the result inputs can.
    fn affordable(&self, site: &Site) -> Option<usize> {
        let inputs = &self.steps[site.step].inputs;
        let set = |input: &u32| self.values[inputs[*input as usize] as usize].as_set();
        // An input whose values are an interval cannot be enumerated, nor can what comes behind it.
        let sizes: Vec<usize> = site.query.inputs.iter().map_while(|input| Some(set(input)?.len())).collect();
        if sizes.len() < site.query.result_inputs {
            return None;
        }
        let Limits { combinations_max, work_max, .. } = self.limits;
        let after_work = combinations_max.min(COMBINATIONS_AFTER_WORK);
        site.query.affordable(&sizes, if self.work > work_max { after_work } else { combinations_max })
    }

    fn is_possible(&mut self, number: usize) -> bool {
        let site = &self.sites[number];
        let inputs = &self.steps[site.step].inputs;
        if self.affordable(site).is_none() {
            return self.bounds(number).is_some_and(|bounds| bounds != (0, 0));
        }
        let mut found = Truth { formula: &site.value, found: false };
        let mut values = vec![0; inputs.len()];
        let mut work = 0;
        for domains in new_combinations(site, &self.values, inputs, site.query.inputs.len()) {
            let mut enumeration = Enumeration::new(&site.query, &domains, &mut values, &mut found);
            enumeration.run();
            work += enumeration.work;
        }
        let found = found.found;
        let tried = site.query.inputs.iter().map(|input| self.known(site, *input).len()).collect();
        self.work += work;
        self.sites[number].tried = tried;
        found
    }

    fn known(&self, site: &Site, input: u32) -> &[i32] {
        let cell = self.steps[site.step].inputs[input as usize];
        self.values[cell as usize].as_set().unwrap_or(&[])
    }

    /// Adds what a site stores to its target; whether something is new.
    fn store(&mut self, number: usize, target: Cell) -> bool {
        let (ty, thresholds) = (self.types[target as usize], self.thresholds);
        let Some(enumerated) = self.affordable(&self.sites[number]) else {
            let Some(bounds) = self.bounds(number) else { return false };
            let values = &mut self.values[target as usize];
            return match wrap_interval(bounds, ty) {
                Wrapped::Interval(interval) => values.add_interval(interval, ty, thresholds),
                Wrapped::Values(wrapped) => values.extend(&wrapped, ty, thresholds),
            };
        };
        if self.sites[number].tried.len() != enumerated {
            // With other inputs enumerated, other conditions count: nothing that was tried before is settled.
            self.sites[number].tried = vec![0; enumerated];
        }
        let site = &self.sites[number];
        let inputs = &self.steps[site.step].inputs;
        let mut collector = Collector {
            formula: &site.value,
            known: &self.values[target as usize],
            current: 0,
            found: BTreeSet::new(),
        };
        let mut values = vec![0; inputs.len()];
        for domains in new_combinations(site, &self.values, inputs, enumerated) {
            let mut enumeration = Enumeration::new(&site.query, &domains, &mut values, &mut collector);
            enumeration.run();
            self.work += enumeration.work;
        }
        let found = collector.found;
        let tried = site.query.inputs[..enumerated].iter().map(|input| self.known(site, *input).len()).collect();
        self.sites[number].tried = tried;
        let found: Vec<i32> = found.into_iter().collect();
        self.values[target as usize].extend(&found, ty, thresholds)
    }

    /// An interval around the values of a site; none if it cannot have any.
    fn bounds(&self, number: usize) -> Option<Interval> {
        let site = &self.sites[number];
        let inputs = &self.steps[site.step].inputs;
        let mut bounds = vec![(0, 0); inputs.len()];
        for &input in &site.query.inputs {
            bounds[input as usize] = self.values[inputs[input as usize] as usize].hull()?;
        }
        // Narrowing one input may let a condition narrow another.
        for _ in 0..2 {
            if !site.query.conditions.iter().all(|(_, condition)| narrow(condition, &mut bounds)) {
                return None;
            }
        }
        site.value.bounds(&bounds)
    }
}

/// The combinations of the leading inputs' values that were not tried yet, as disjoint products: those with
/// the first new value at each position.
fn new_combinations<'v>(site: &Site, values: &'v [Values], inputs: &[Cell], enumerated: usize) -> Vec<Vec<&'v [i32]>> {
    let sets: Vec<&[i32]> = site.query.inputs[..enumerated]
        .iter()
        .map(|input| values[inputs[*input as usize] as usize].as_set().unwrap_or(&[]))
        .collect();
    let tried = |at: usize| site.tried.get(at).copied().unwrap_or(0).min(sets[at].len());
    if enumerated == 0 || (0..enumerated).all(|at| tried(at) == 0) {
        return vec![sets];
    }
    let first_new_at = |at: usize| {
        let domain = |other: usize| match other.cmp(&at) {
            std::cmp::Ordering::Less => &sets[other][..tried(other)],
            std::cmp::Ordering::Equal => &sets[other][tried(other)..],
            std::cmp::Ordering::Greater => sets[other],
        };
        (0..enumerated).map(domain).collect::<Vec<&[i32]>>()
    };
    (0..enumerated).filter(|at| tried(*at) < sets[*at].len()).map(first_new_at).collect()
}

/// Asks whether a formula can be true.
struct Truth<'f> {
    formula: &'f Formula,
    found: bool,
}

impl Visitor for &mut Truth<'_> {
    fn wants(&mut self, values: &[i32]) -> bool {
        self.formula.evaluate(values).is_some_and(|value| value != 0)
    }

    fn take(&mut self) -> bool {
        self.found = true;
        false
    }
}

/// Collects the values of a formula that are not known yet.
struct Collector<'f> {
    formula: &'f Formula,
    known: &'f Values,
    current: i32,
    found: BTreeSet<i32>,
}

impl Visitor for &mut Collector<'_> {
    fn wants(&mut self, values: &[i32]) -> bool {
        let Some(value) = self.formula.evaluate(values) else { return false };
        self.current = value;
        if self.found.len() > SET_MAX {
            // It will be an interval: only its ends count.
            return self.found.first().is_some_and(|least| value < *least)
                || self.found.last().is_some_and(|greatest| value > *greatest);
        }
        !self.known.contains(value) && !self.found.contains(&value)
    }

    fn take(&mut self) -> bool {
        self.found.insert(self.current);
        true
    }
}
