//! Interchangeable processes: exchanges of two processes that map a program to itself.
//!
//! An *exchange* maps processes, variables, elements of arrays and channels to others, and is its own inverse. What it
//! maps a transition to is computed, and looked for among the transitions of the process that the mover is mapped to. A
//! transition that is found there is *kept*; one that is not, or that indexes an array whose elements are exchanged by
//! something that is no constant, is *asymmetric*. Which exchange to try is guessed, by reading two processes side by
//! side: wherever they differ in the name of something, the names are exchanged. Whatever was guessed is then checked,
//! so a wrong guess only finds less.
//!
//! **Why this is sound.** Call a state *safe* for an exchange if no process can ever come to the source of an
//! asymmetric transition from where it is, going along its own transitions and those that move it along. What a safe
//! state leads to is safe, and so is what it is mapped to. In safe states all steps that can be taken are kept, so
//! steps of a state are mapped to steps of the state it is mapped to, with the same faults; conditions are mapped too,
//! and so all checks come out the same; whether a state is an end, or a deadlock, does not change either, since the
//! flags of locations agree. Hence a safe state and its image are bisimilar, and one of them is enough. The beginning
//! of a program, where processes are started one by one, need not be symmetric. Names of locations, texts and places in
//! the source do not matter: a run is told by the bare model.
//!
//! Operands of operators that commute count as equal in any order, where none can fault. A program with
//! propositions, or with a holder in states, has no exchanges here.

mod exchange;

use crate::ir::{LocationId, ProcessId, Program};
use crate::layout::{Field, Layout};
use crate::model::GclModel;
use dampf_core::{Symmetry, Word};
use exchange::{Exchange, Writer, Written, own_locations};
use std::collections::HashMap;

/// How often each occurs.
fn counted(written: impl Iterator<Item = Written>) -> HashMap<Written, usize> {
    let mut counts = HashMap::new();
    written.for_each(|written| *counts.entry(written).or_insert(0) += 1);
    counts
}

/// An exchange that maps a program to itself in safe states.
#[derive(Clone, Debug)]
struct Swap {
    /// The processes that it exchanges.
    processes: (u32, u32),
    fields: Vec<(Field, Field)>,
    /// For each process and location, whether a state is not safe with it.
    unsafe_locations: Vec<Vec<bool>>,
}

impl Swap {
    fn new(program: &Program, layout: &Layout, one: ProcessId, other: ProcessId) -> Option<Swap> {
        let exchange = Exchange::guess(program, one, other)?;
        let moves_others = |(from, to): (&u32, &u32)| from != to && ![one.0, other.0].contains(from);
        if exchange.processes.iter().any(moves_others) || !exchange.fits(program, layout) {
            return None;
        }
        let (same, writer) = (Exchange::default(), Writer { exchange: &exchange });
        let same = Writer { exchange: &same };
        let checks = |writer: &Writer| -> Option<HashMap<Written, usize>> {
            let written = program.checks.iter().map(|check| {
                let mut written = writer.expression(&check.condition)?;
                written.push(check.kind as i64);
                Some(written)
            });
            Some(counted(written.collect::<Option<Vec<_>>>()?.into_iter()))
        };
        if checks(&writer)? != checks(&same)? {
            return None;
        }
        let mut asymmetric = Vec::new();
        for (number, process) in program.processes.iter().enumerate() {
            let image = program.process(exchange.process(ProcessId(number as u32)));
            let mapped: Vec<Option<Written>> = process.transitions.iter().map(|t| writer.transition(t)).collect();
            let counts = counted(mapped.iter().flatten().cloned());
            let there = counted(image.transitions.iter().filter_map(|transition| same.transition(transition)));
            let is_kept = |written: &Written| counts.get(written) == there.get(written);
            let sources = process.transitions.iter().zip(&mapped);
            let sources = sources.filter(|(_, written)| !written.as_ref().is_some_and(is_kept));
            asymmetric.push(sources.map(|(transition, _)| transition.source).collect::<Vec<LocationId>>());
        }
        let mut unsafe_locations: Vec<Vec<bool>> =
            asymmetric.iter().enumerate().map(|(number, sources)| leading_to(program, number, sources)).collect();
        // Nobody else can be where the first process is behind a fault.
        if let Some(location) = program.error_location {
            unsafe_locations[0][location.0 as usize] = true;
        }
        // With a process that is never elsewhere no state is safe.
        let is_nowhere_safe = |flags: &Vec<bool>| flags.iter().all(|is_unsafe| *is_unsafe);
        if unsafe_locations.iter().any(is_nowhere_safe) {
            return None;
        }
        Some(Swap { processes: (one.0, other.0), fields: exchange.fields(program, layout), unsafe_locations })
    }

    /// Exchanges the processes if the second is before the first.
    fn sort(&self, state: &mut [Word]) -> bool {
        let bits = |field: Field, state: &[Word]| state[field.word as usize] >> field.shift & field.mask();
        let differing = self.fields.iter().find(|(one, other)| bits(*one, state) != bits(*other, state));
        let is_sorted = differing.is_none_or(|(one, other)| bits(*one, state) < bits(*other, state));
        if is_sorted {
            return false;
        }
        for &(one, other) in &self.fields {
            let (first, second) = (bits(one, state), bits(other, state));
            for (field, value) in [(one, second), (other, first)] {
                let word = &mut state[field.word as usize];
                *word = *word & !(field.mask() << field.shift) | value << field.shift;
            }
        }
        true
    }
}

/// The locations of a process from which it can come to one of these.
fn leading_to(program: &Program, number: usize, sources: &[LocationId]) -> Vec<bool> {
    let process = &program.processes[number];
    let own = process.transitions.iter().map(|transition| (transition.source, transition.target));
    let joint = program.processes.iter().flat_map(|process| &process.transitions).filter_map(|transition| {
        let joint = transition.joint.filter(|joint| joint.process.0 as usize == number)?;
        Some((joint.source, joint.target))
    });
    let edges: Vec<(LocationId, LocationId)> = own.chain(joint).collect();
    let mut leads = vec![false; process.locations.len()];
    sources.iter().for_each(|source| leads[source.0 as usize] = true);
    loop {
        let mut has_changed = false;
        for (source, target) in &edges {
            if leads[target.0 as usize] && !leads[source.0 as usize] {
                leads[source.0 as usize] = true;
                has_changed = true;
            }
        }
        if !has_changed {
            return leads;
        }
    }
}

/// Processes that are exchanged with their neighbours.
#[derive(Clone, Debug)]
struct Chain {
    swaps: Vec<Swap>,
    /// Where processes stand in a state that is not safe for all of the exchanges. The same for all processes of the
    /// chain, so that a state is safe in whichever order they are.
    unsafe_locations: Vec<(Field, Vec<bool>)>,
}

impl Chain {
    fn new(swaps: Vec<Swap>, layout: &Layout) -> Chain {
        let mut flags = swaps[0].unsafe_locations.clone();
        let join =
            |one: &mut Vec<bool>, other: &[bool]| one.iter_mut().zip(other).for_each(|(one, other)| *one |= other);
        for swap in &swaps {
            flags.iter_mut().zip(&swap.unsafe_locations).for_each(|(one, other)| join(one, other));
        }
        let members: Vec<usize> = members(&swaps).map(|member| member as usize).collect();
        let mut of_members = vec![false; members.iter().map(|&member| flags[member].len()).max().unwrap_or(0)];
        members.iter().for_each(|&member| join(&mut of_members, &flags[member]));
        members.iter().for_each(|&member| join(&mut flags[member], &of_members));
        let watched = flags.into_iter().enumerate().filter(|(_, flags)| flags.contains(&true));
        let unsafe_locations = watched.map(|(number, flags)| (layout.locations[number], flags)).collect();
        Chain { swaps, unsafe_locations }
    }

    fn is_safe(&self, state: &[Word]) -> bool {
        self.unsafe_locations.iter().all(|(location, flags)| !flags[location.get(state) as usize])
    }

    /// Every exchange undoes an inversion, so that this ends.
    fn sort(&self, state: &mut [Word]) {
        if !self.is_safe(state) {
            return;
        }
        for sorted in (1..=self.swaps.len()).rev() {
            let mut has_changed = false;
            for swap in &self.swaps[..sorted] {
                has_changed |= swap.sort(state);
            }
            if !has_changed {
                break;
            }
        }
    }
}

/// The processes of a chain.
fn members(swaps: &[Swap]) -> impl Iterator<Item = u32> {
    swaps.first().map(|swap| swap.processes.0).into_iter().chain(swaps.iter().map(|swap| swap.processes.1))
}

/// The exchanges of a program, in chains.
#[derive(Clone, Default, Debug)]
pub struct Exchanges {
    chains: Vec<Chain>,
}

impl Exchanges {
    pub fn new(program: &Program, layout: &Layout) -> Exchanges {
        if !program.propositions.is_empty() || layout.holder.is_some() && !program.has_compound_steps {
            return Exchanges::default();
        }
        let mut chains: Vec<Vec<Swap>> = Vec::new();
        for number in 0..program.processes.len() {
            let shape =
                |number: usize| (own_locations(program, number).len(), program.processes[number].transitions.len());
            let mut alike = (0..number).rev().filter(|&other| shape(other) == shape(number));
            let swap =
                alike.find_map(|other| Swap::new(program, layout, ProcessId(other as u32), ProcessId(number as u32)));
            swap.into_iter().for_each(|swap| add(&mut chains, swap));
        }
        let chains = chains.into_iter().map(|swaps| Chain::new(swaps, layout));
        let is_ever_safe =
            |chain: &Chain| !chain.unsafe_locations.iter().any(|(_, flags)| flags.iter().all(|flag| *flag));
        Exchanges { chains: chains.filter(is_ever_safe).collect() }
    }

    pub fn is_empty(&self) -> bool {
        self.chains.is_empty()
    }

    /// The numbers of processes that are interchangeable.
    pub fn classes(&self) -> Vec<Vec<u32>> {
        self.chains.iter().map(|chain| members(&chain.swaps).collect()).collect()
    }

    /// Sorts the processes of each chain for which the state is safe.
    pub fn sort(&self, state: &mut [Word]) {
        self.chains.iter().for_each(|chain| chain.sort(state));
    }
}

/// Adds an exchange to the chain that it continues: what is the second's there is the first's here.
fn add(chains: &mut Vec<Vec<Swap>>, swap: Swap) {
    // Chains have no process in common, so that sorting one does not disturb another.
    let is_taken = chains.iter().flatten().any(|known| known.processes.1 == swap.processes.0);
    let continues = |chain: &&mut Vec<Swap>| {
        let last = chain.last().expect("no chain is empty");
        let seconds = last.fields.iter().map(|(_, other)| other);
        last.processes.1 == swap.processes.0 && seconds.eq(swap.fields.iter().map(|(one, _)| one))
    };
    match chains.iter_mut().find(continues) {
        Some(chain) => chain.push(swap),
        None if is_taken => {}
        None => chains.push(vec![swap]),
    }
}

impl Symmetry for GclModel {
    fn is_symmetric(&self) -> bool {
        !self.exchanges().is_empty()
    }

    fn canonicalise(&self, state: &mut [Word]) {
        self.exchanges().sort(state);
    }
}
