//! Ways back from a state to an initial one.
//!
//! A state of a level has a predecessor in the level before; its hint says in which 256th of it. Those states are
//! expanded until one leads to the state, and so on backwards. Where there was no room for hints, the whole level is.
//!
//! A predictable search wants the least of the shortest ways. It looks at all states from which a fault can be reached
//! in as many steps as are left: level by level backwards, all states are expanded and those are marked that lead to a
//! marked state. The way then goes forwards, always by the least step that leads to a marked state. Marks take a bit
//! per state.

use super::disk::DiskTrouble;
use super::expansion::Hand;
use super::run::{RunReader, count_below};
use super::sorting::is_same;
use super::space::Space;
use crate::SearchOptions;
use dampf_core::{Action, Fault, Finding, Model, Successors, Trail, Word};
use std::ops::{ControlFlow, Range};

/// What is looked for on ways: faults that are not known yet.
pub(crate) struct Sought<'a> {
    pub options: &'a SearchOptions,
    pub known: &'a [Finding],
    /// Whether states of the last level can be faulty, and steps from the level before.
    pub states: bool,
    pub steps: bool,
}

impl Sought<'_> {
    fn is_new(&self, fault: &Fault) -> bool {
        self.known.iter().all(|finding| finding.fault != *fault)
    }

    fn of_state(&self, successors: &Successors) -> Option<Fault> {
        successors.fault_of_state(self.options.deadlocks).filter(|fault| self.is_new(fault))
    }

    fn of_step(&self, successors: &Successors, step: usize) -> Option<Fault> {
        successors.fault(step).filter(|fault| self.is_new(fault)).cloned()
    }
}

impl Space {
    /// A shortest way to a state of a level.
    pub fn way_to<M: Model>(&self, hand: &mut Hand<'_, M>, level: u64, state: &[Word]) -> Result<Trail, DiskTrouble> {
        let mut states = vec![state.to_vec()];
        for level in (1..=level).rev() {
            let target = states.last().expect("begins with one").clone();
            let among = self.places_of_predecessors(level, &target)?;
            states.push(self.predecessor(hand, level - 1, &target, among)?);
        }
        states.reverse();
        let out = hand.expander.initial_states();
        let initial = (0..out.len()).find(|&number| out.leads_on(number) && out.state(number) == states[0]);
        let initial = initial.expect("a state of level 0 is initial") as u64;
        let actions = states.windows(2).map(|pair| least_step(hand, &pair[0], &pair[1])).collect();
        Ok(Trail::ending(initial, actions))
    }

    fn record(&self, state: &[Word]) -> Vec<u64> {
        let mut record = Vec::new();
        self.packing.pack(state, 0, &mut record);
        record
    }

    fn reader(&self, level: u64) -> Result<RunReader, DiskTrouble> {
        let run = self.levels.open(&self.disk, level, self.packing.bits().len())?;
        Ok(RunReader::new(&run, &self.packing))
    }

    /// Positions in the level before among which a predecessor of a state is.
    fn places_of_predecessors(&self, level: u64, state: &[Word]) -> Result<Range<u64>, DiskTrouble> {
        let width = self.packing.bits().len();
        let run = self.levels.open(&self.disk, level, width)?;
        let before = self.levels.open(&self.disk, level - 1, width)?.states();
        let found = RunReader::new(&run, &self.packing).find(&self.record(state), self.packing.hint_bits())?;
        let (_, record) = found.expect("the state is one of its level");
        if !self.packing.has_hints() || !run.parts.iter().all(|part| part.has_hints()) {
            return Ok(0..before);
        }
        let number = u64::from(self.packing.hint(&record));
        let bound = |number: u64| (u128::from(number) * u128::from(before)).div_ceil(256) as u64;
        Ok(bound(number)..bound(number + 1))
    }

    fn predecessor<M: Model>(
        &self,
        hand: &mut Hand<'_, M>,
        level: u64,
        target: &[Word],
        among: Range<u64>,
    ) -> Result<Vec<Word>, DiskTrouble> {
        let mut found = None;
        self.scan(hand, level, among, |_, state, successors| {
            let leads_there = |step: &usize| successors.state(*step) == target && successors.leads_on(*step);
            match (0..successors.len()).find(leads_there) {
                Some(_) => {
                    found = Some(state.to_vec());
                    ControlFlow::Break(())
                }
                None => ControlFlow::Continue(()),
            }
        })?;
        Ok(found.expect("a state has a predecessor in the level before"))
    }

    /// Expands states of a level again.
    fn scan<M: Model>(
        &self,
        hand: &mut Hand<'_, M>,
        level: u64,
        positions: Range<u64>,
        mut visit: impl FnMut(u64, &[Word], &Successors) -> ControlFlow<()>,
    ) -> Result<(), DiskTrouble> {
        let mut reader = self.reader(level)?;
        let mut position = positions.start;
        while position < positions.end {
            for record in reader.records(position, positions.end)?.chunks_exact(self.packing.keys()) {
                self.packing.unpack(record, &mut hand.words);
                if visit(position, &hand.words, hand.expander.successors_of(&hand.words)).is_break() {
                    return Ok(());
                }
                position += 1;
            }
        }
        Ok(())
    }

    /// The least of the shortest ways to a fault that is sought, all of whose ways end at this level. None if there is
    /// no such fault.
    pub fn least_way<M: Model>(
        &self,
        hand: &mut Hand<'_, M>,
        level: u64,
        sought: &Sought<'_>,
    ) -> Result<Option<Finding>, DiskTrouble> {
        let mut marks = vec![self.mark_faulty(hand, level, sought)?];
        for earlier in (0..level).rev() {
            let later = marks.last().expect("begins with one");
            let is_last = earlier + 1 == level;
            let marked = self.mark_predecessors(hand, earlier, later, |successors| {
                let is_faulty = |(step, _): &(usize, Fault)| sought.of_step(successors, *step).is_some();
                is_last && sought.steps && successors.faults().iter().any(is_faulty)
            })?;
            marks.push(marked);
        }
        marks.reverse();
        self.follow(hand, &marks, sought)
    }

    fn mark_faulty<M: Model>(
        &self,
        hand: &mut Hand<'_, M>,
        level: u64,
        sought: &Sought<'_>,
    ) -> Result<Marks, DiskTrouble> {
        let states = self.reader(level)?.states();
        let mut marks = Marks::new(states);
        if sought.states {
            self.scan(hand, level, 0..states, |position, _, successors| {
                if sought.of_state(successors).is_some() {
                    marks.set(position);
                }
                ControlFlow::Continue(())
            })?;
        }
        Ok(marks)
    }

    /// Marks the states of a level that lead to a marked state of the next, and those about which `is_special` is true.
    fn mark_predecessors<M: Model>(
        &self,
        hand: &mut Hand<'_, M>,
        level: u64,
        later: &Marks,
        is_special: impl Fn(&Successors) -> bool,
    ) -> Result<Marks, DiskTrouble> {
        let states = self.reader(level)?.states();
        let mut marks = Marks::new(states);
        let mut next = 0;
        loop {
            // As many marked states at a time as a buffer for candidates would hold.
            let targets = self.marked_records(level + 1, later, &mut next)?;
            let (mut record, hint_bits, keys) = (Vec::new(), self.packing.hint_bits(), self.packing.keys());
            self.scan(hand, level, 0..states, |position, _, successors| {
                let mut leads_there = |step: usize| {
                    if targets.is_empty() || !successors.leads_on(step) || !self.packing.fits(successors.state(step)) {
                        return false;
                    }
                    record.clear();
                    self.packing.pack(successors.state(step), 0, &mut record);
                    let below = count_below(&targets, &record, hint_bits) * keys;
                    targets.get(below..below + keys).is_some_and(|target| is_same(target, &record, hint_bits))
                };
                if is_special(successors) || (0..successors.len()).any(&mut leads_there) {
                    marks.set(position);
                }
                ControlFlow::Continue(())
            })?;
            if next >= later.states {
                return Ok(marks);
            }
        }
    }

    /// Records of marked states, from position `next` on, which is moved.
    fn marked_records(&self, level: u64, marks: &Marks, next: &mut u64) -> Result<Vec<u64>, DiskTrouble> {
        let mut reader = self.reader(level)?;
        let keys = self.packing.keys();
        let mut marked = Vec::new();
        while *next < marks.states && marked.len() * 8 < self.plan.buffer_bytes.max(4096) {
            for record in reader.records(*next, marks.states)?.chunks_exact(keys) {
                if marks.has(*next) {
                    marked.extend_from_slice(record);
                }
                *next += 1;
            }
        }
        Ok(marked)
    }

    /// The least way through marked states to a fault.
    fn follow<M: Model>(
        &self,
        hand: &mut Hand<'_, M>,
        marks: &[Marks],
        sought: &Sought<'_>,
    ) -> Result<Option<Finding>, DiskTrouble> {
        let initial = hand.expander.initial_states();
        let mut trail = None;
        for number in 0..initial.len() {
            let state = initial.state(number);
            if initial.leads_on(number) && self.is_marked(0, state, &marks[0])? {
                trail = Some((Trail::ending(number as u64, Vec::new()), state.to_vec()));
                break;
            }
        }
        let Some((mut trail, mut state)) = trail else { return Ok(None) };
        for level in 1..marks.len() {
            let out = hand.expander.successors_of(&state);
            let mut next = None;
            for step in 0..out.len() {
                let is_last = level + 1 == marks.len() && sought.steps;
                if let Some(fault) = is_last.then(|| sought.of_step(out, step)).flatten() {
                    trail.stem.push(out.action(step));
                    return Ok(Some(Finding { fault, trail }));
                }
                if out.leads_on(step) && self.is_marked(level as u64, out.state(step), &marks[level])? {
                    next = Some((out.action(step), out.state(step).to_vec()));
                    break;
                }
            }
            let (action, reached) = next.expect("a marked state leads to a marked one");
            trail.stem.push(action);
            state = reached;
        }
        let fault = sought.of_state(hand.expander.successors_of(&state)).expect("the last marked state is faulty");
        Ok(Some(Finding { fault, trail }))
    }

    fn is_marked(&self, level: u64, state: &[Word], marks: &Marks) -> Result<bool, DiskTrouble> {
        if !self.packing.fits(state) {
            return Ok(false);
        }
        let found = self.reader(level)?.find(&self.record(state), self.packing.hint_bits())?;
        Ok(found.is_some_and(|(position, _)| marks.has(position)))
    }
}

/// The label of the least step from one state to another.
fn least_step<M: Model>(hand: &mut Hand<'_, M>, from: &[Word], to: &[Word]) -> Action {
    let out = hand.expander.successors_of(from);
    let leads_there = |step: &usize| out.state(*step) == to && out.leads_on(*step);
    let step = (0..out.len()).find(leads_there).expect("the states of a way are neighbours");
    out.action(step)
}

/// A bit for each state of a level.
struct Marks {
    bits: Vec<u64>,
    states: u64,
}

impl Marks {
    fn new(states: u64) -> Marks {
        Marks { bits: vec![0; states.div_ceil(64) as usize], states }
    }

    fn set(&mut self, position: u64) {
        self.bits[position as usize / 64] |= 1 << (position % 64);
    }

    fn has(&self, position: u64) -> bool {
        self.bits[position as usize / 64] >> (position % 64) & 1 != 0
    }
}

#[cfg(test)]
mod tests {
    use crate::external::expansion::hint;

    #[test]
    fn hints_and_positions_agree() {
        for states in [1u64, 2, 255, 256, 257, 1000, 123_457] {
            let bound = |number: u64| (u128::from(number) * u128::from(states)).div_ceil(256) as u64;
            for position in 0..states {
                let number = u64::from(hint(position, states));
                assert!((bound(number)..bound(number + 1)).contains(&position), "{position} of {states}");
            }
        }
    }
}
