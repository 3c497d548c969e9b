//! What a process does with the variables that it alone stores into, location by location.
//!
//! The fixpoint forgets how variables and locations belong together. Where only one process stores into some
//! variables, a small search of its own keeps that: its states are the process's location and the values of
//! those variables, and everything else may have any value that the fixpoint found. The search covers
//! every run of the program, so the values it meets are all there are; a counter that goes up in one location and
//! down in another stays as small as it is.

use super::enumeration::{Enumeration, Query, Visitor};
use super::formula::Formula;
use super::symbolic::{Cell, Cells, SymbolicStep};
use super::values::Values;
use crate::ir::{LocationId, ProcessId, Program, VariableId};
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// A search with more states is given up.
const STATES_MAX: usize = 2_048;

/// More combinations of foreign values in one step than this are not tried.
const COMBINATIONS_MAX: usize = 4_096;

/// The searches for the processes of a program.
pub struct OwnedSearch<'p> {
    program: &'p Program,
    cells: &'p Cells,
    steps: &'p [SymbolicStep],
    /// What the fixpoint found.
    values: &'p [Values],
    initial: Vec<i32>,
    /// How many more values may be tried.
    pub work_left: u64,
}

impl<'p> OwnedSearch<'p> {
    pub fn new(
        program: &'p Program,
        cells: &'p Cells,
        steps: &'p [SymbolicStep],
        values: &'p [Values],
        work_left: u64,
    ) -> Self {
        let mut initial = vec![0; cells.types.len()];
        for (id, variable) in program.variables.iter().enumerate() {
            for (index, &value) in variable.initial.iter().enumerate() {
                initial[cells.of_element(VariableId(id as u32), index as u32) as usize] = value;
            }
        }
        OwnedSearch { program, cells, steps, values, initial, work_left }
    }

    /// For cells that are stored into by one process only, the values they can have, where that is less than
    /// the fixpoint found.
    pub fn run(&mut self) -> Vec<(Cell, Values)> {
        let mut better: BTreeMap<Cell, Values> = BTreeMap::new();
        for (process, cells) in self.owners() {
            let tracked = self.trackable(cells);
            match self.search(process, &tracked) {
                Some(found) => better.extend(found),
                None => {
                    for group in self.groups(&tracked) {
                        better.extend(self.search(process, &group).unwrap_or_default());
                    }
                }
            }
        }
        better.into_iter().filter(|(cell, values)| is_smaller(values, &self.values[*cell as usize])).collect()
    }

    /// The cells that each process alone stores into.
    fn owners(&self) -> BTreeMap<ProcessId, BTreeSet<Cell>> {
        let mut owners: BTreeMap<Cell, Option<ProcessId>> = BTreeMap::new();
        for store in self.steps.iter().flat_map(|step| &step.stores) {
            let owner = owners.entry(store.cell).or_insert(Some(store.by));
            *owner = owner.filter(|owner| *owner == store.by);
        }
        let mut owned: BTreeMap<ProcessId, BTreeSet<Cell>> = BTreeMap::new();
        for (cell, owner) in owners {
            if let Some(owner) = owner
                && self.cells.is_single(cell)
            {
                owned.entry(owner).or_default().insert(cell);
            }
        }
        owned
    }

    /// Those of the cells whose new values can be enumerated.
    fn trackable(&self, mut cells: BTreeSet<Cell>) -> BTreeSet<Cell> {
        loop {
            let before = cells.len();
            for step in self.steps {
                for store in &step.stores {
                    let is_known = |input: &u32| {
                        let cell = step.inputs[*input as usize];
                        let is_tracked = step.direct[*input as usize] && cells.contains(&cell);
                        is_tracked || self.values[cell as usize].as_set().is_some()
                    };
                    if cells.contains(&store.cell) && !inputs_of(&store.value).iter().all(is_known) {
                        cells.remove(&store.cell);
                    }
                }
            }
            if cells.len() == before {
                return cells;
            }
        }
    }

    /// Each larger cell together with those that its new values are made from.
    fn groups(&self, tracked: &BTreeSet<Cell>) -> Vec<BTreeSet<Cell>> {
        let is_large = |cell: &Cell| self.values[*cell as usize].as_set().is_none_or(|values| values.len() > 4);
        let group = |cell: Cell| {
            let mut group = BTreeSet::from([cell]);
            for step in self.steps {
                for store in step.stores.iter().filter(|store| store.cell == cell) {
                    let sources = inputs_of(&store.value).into_iter().map(|input| step.inputs[input as usize]);
                    group.extend(sources.filter(|cell| tracked.contains(cell)));
                }
            }
            self.trackable(group)
        };
        tracked.iter().copied().filter(is_large).map(group).filter(|group| group.len() < tracked.len()).collect()
    }

    /// Searches one process; none if that is too much.
    fn search(&mut self, process: ProcessId, tracked: &BTreeSet<Cell>) -> Option<Vec<(Cell, Values)>> {
        if tracked.is_empty() {
            return Some(Vec::new());
        }
        let tracked: Vec<Cell> = tracked.iter().copied().collect();
        let moves: Vec<OwnStep> =
            self.steps.iter().filter_map(|step| OwnStep::new(step, process, &tracked, self.values)).collect();
        let start: Vec<i32> = tracked.iter().map(|cell| self.initial[*cell as usize]).collect();
        let mut frontier = Frontier {
            visited: HashSet::new(),
            pending: Vec::new(),
            values: start.iter().map(|value| BTreeSet::from([*value])).collect(),
        };
        frontier.add(self.program.process(process).initial, start);
        if let Some(error) = self.program.error_location {
            let location = if process == ProcessId(0) { error } else { LocationId(0) };
            frontier.values.iter_mut().for_each(|values| {
                values.insert(0);
            });
            frontier.add(location, vec![0; tracked.len()]);
        }
        while let Some((location, state)) = frontier.pending.pop() {
            for step in moves.iter().filter(|step| step.source == location) {
                let work = step.take(&state, &mut frontier)?;
                self.work_left = self.work_left.checked_sub(work + 1)?;
            }
            if frontier.visited.len() > STATES_MAX {
                return None;
            }
        }
        let found = tracked.into_iter().zip(frontier.values);
        Some(found.map(|(cell, values)| (cell, self.collected(cell, values))).collect())
    }

    fn collected(&self, cell: Cell, values: BTreeSet<i32>) -> Values {
        let mut collected = Values::empty();
        collected.extend(&values.into_iter().collect::<Vec<i32>>(), self.cells.types[cell as usize], &[]);
        collected
    }
}

fn inputs_of(formula: &Formula) -> BTreeSet<u32> {
    let mut inputs = BTreeSet::new();
    formula.collect_inputs(&mut inputs);
    inputs
}

fn is_smaller(values: &Values, than: &Values) -> bool {
    match (values.as_set(), than.as_set()) {
        (Some(values), Some(than)) => values.len() < than.len(),
        (Some(_), None) => true,
        (None, _) => false,
    }
}

/// The states of a search, and the values met on the way, those in the middle of steps included.
struct Frontier {
    visited: HashSet<(LocationId, Vec<i32>)>,
    pending: Vec<(LocationId, Vec<i32>)>,
    values: Vec<BTreeSet<i32>>,
}

impl Frontier {
    fn add(&mut self, location: LocationId, state: Vec<i32>) {
        if self.visited.insert((location, state.clone())) {
            self.pending.push((location, state));
        }
    }
}

/// A step as one of its processes sees it.
struct OwnStep<'p> {
    step: &'p SymbolicStep,
    source: LocationId,
    target: LocationId,
    /// Inputs that are tracked, with the position of their cell.
    known: Vec<(u32, usize)>,
    /// The stores into tracked cells, with the position of the cell.
    stores: Vec<(usize, &'p Formula)>,
    query: Query,
    domains: Option<Vec<&'p [i32]>>,
}

impl<'p> OwnStep<'p> {
    fn new(step: &'p SymbolicStep, process: ProcessId, tracked: &[Cell], values: &'p [Values]) -> Option<Self> {
        let moved = step.moves.iter().find(|moved| moved.process == process)?;
        let position = |cell: Cell| tracked.binary_search(&cell).ok();
        let known: Vec<(u32, usize)> = (0..step.inputs.len() as u32)
            .filter(|input| step.direct[*input as usize])
            .filter_map(|input| Some((input, position(step.inputs[input as usize])?)))
            .collect();
        let stores: Vec<_> = step.stores.iter().filter_map(|store| Some((position(store.cell)?, store))).collect();
        let results = stores.iter().flat_map(|(_, store)| inputs_of(&store.value)).collect();
        // Assertions between the stores are left out: a value is stored before a later one fails.
        let passed = stores.iter().map(|(_, store)| store.conditions).min().unwrap_or(step.conditions.len());
        let fixed = known.iter().map(|(input, _)| *input).collect();
        let query = Query::new(results, &step.conditions[..passed], &fixed);
        let sets: Vec<&[i32]> =
            query.inputs.iter().map_while(|input| values[step.inputs[*input as usize] as usize].as_set()).collect();
        let sizes: Vec<usize> = sets.iter().map(|set| set.len()).collect();
        let affordable = match sizes.len() >= query.result_inputs {
            true => query.affordable(&sizes, COMBINATIONS_MAX),
            false => None,
        };
        Some(OwnStep {
            step,
            source: moved.source,
            target: moved.target,
            known,
            stores: stores.into_iter().map(|(position, store)| (position, &store.value)).collect(),
            query,
            domains: affordable.map(|count| sets[..count].to_vec()),
        })
    }

    /// Adds everything the step can lead to from a state; the work it took, or none if it was too much.
    fn take(&self, state: &[i32], frontier: &mut Frontier) -> Option<u64> {
        let domains = self.domains.as_ref()?;
        let mut inputs = vec![0; self.step.inputs.len()];
        for &(input, position) in &self.known {
            inputs[input as usize] = state[position];
        }
        let visitor =
            Successor { step: self, state, next: Vec::new(), is_complete: true, stored: Vec::new(), frontier };
        let mut enumeration = Enumeration::new(&self.query, domains, &mut inputs, visitor);
        enumeration.run();
        Some(enumeration.work)
    }
}

/// Collects the successors of one state by one step.
struct Successor<'s> {
    step: &'s OwnStep<'s>,
    state: &'s [i32],
    next: Vec<i32>,
    /// Whether no store of the step faults.
    is_complete: bool,
    stored: Vec<(usize, i32)>,
    frontier: &'s mut Frontier,
}

impl Visitor for Successor<'_> {
    fn wants(&mut self, inputs: &[i32]) -> bool {
        self.next.clear();
        self.next.extend_from_slice(self.state);
        self.stored.clear();
        self.is_complete = true;
        for &(position, value) in &self.step.stores {
            let Some(value) = value.evaluate(inputs) else {
                self.is_complete = false;
                break;
            };
            self.next[position] = value;
            self.stored.push((position, value));
        }
        let is_new = |(position, value): &(usize, i32)| !self.frontier.values[*position].contains(value);
        self.stored.iter().any(is_new)
            || self.is_complete && !self.frontier.visited.contains(&(self.step.target, self.next.clone()))
    }

    fn take(&mut self) -> bool {
        for &(position, value) in &self.stored {
            self.frontier.values[position].insert(value);
        }
        if self.is_complete {
            self.frontier.add(self.step.target, self.next.clone());
        }
        self.frontier.visited.len() <= STATES_MAX
    }
}
