//! The steps of one process: dispatch on its location, then its transitions, and the receivers of what it
//! sends.
//!
//! A dispatch on a location is an unpredictable jump. Where everything a process, or a receiver, can do is
//! little, it is all done in vain instead, and the location is one more condition.

use super::effort::{EFFORT_OF_RENDEZVOUS_MAX, EFFORT_WITHOUT_DISPATCH_MAX, weigh};
use super::expand::Sequence;
use super::facts::Facts;
use super::interval::Interval;
use super::lowering::{Cursor, FaultExit, Lowering};
use super::operand::{Condition, Operand};
use super::step::Step;
use super::steps::Steps;
use super::view::View;
use crate::ir::{BinaryOp, LocationId, ProcessId, Transition};
use crate::layout::Field;
use cranelift_codegen::ir::{Block, InstBuilder, JumpTableData, Value};
use std::ops::Range;

/// With up to this many locations to tell apart, comparisons do; a jump table serves more.
const COMPARED_LOCATIONS_MAX: usize = 3;

/// A transition that moves a process on its own or as a sender.
#[derive(Clone, Copy)]
struct Mover<'p> {
    process: ProcessId,
    index: usize,
    transition: &'p Transition,
}

impl<'p> Lowering<'p, '_> {
    /// Generates the steps of a process and goes on at `behind`.
    pub fn process(&mut self, id: ProcessId, sequence: &Sequence<'_>, cursor: Cursor, behind: Block) {
        let movers = self.movers(id, sequence.steps);
        let process = self.program.process(id);
        let has_committed = process.locations.iter().any(|location| location.committed);
        if !has_committed && let Some(committed) = sequence.committed {
            self.leave_if(committed, behind, cursor);
        }
        let effort: Option<usize> =
            movers.iter().map(|mover| self.mover_effort(mover, sequence.steps, &self.facts_of(mover))).sum();
        if effort.is_some_and(|effort| effort <= EFFORT_WITHOUT_DISPATCH_MAX) {
            return self.process_in_vain(&movers, sequence, cursor, behind);
        }
        let mut locations: Vec<LocationId> = movers.iter().map(|mover| mover.transition.source).collect();
        locations.sort();
        locations.dedup();
        let field = self.layout.locations[id.0 as usize];
        let blocks = self.dispatch(field, &locations, &Facts::default(), behind, cursor);
        for (location, block) in locations.iter().zip(blocks) {
            self.builder.switch_to_block(block);
            let is_committed = process.locations[location.0 as usize].committed;
            if let (Some(committed), true, false) = (sequence.committed, has_committed, is_committed) {
                self.leave_if(committed, behind, cursor);
            }
            let mut end = cursor;
            for mover in movers.iter().filter(|mover| mover.transition.source == *location) {
                let facts = self.facts_of(mover);
                end = self.mover(mover, sequence.steps, &facts, Condition::Known(true), end);
            }
            self.jump(behind, end);
        }
    }

    /// Tries all transitions of a process, whatever its location is.
    fn process_in_vain(&mut self, movers: &[Mover<'p>], sequence: &Sequence<'_>, cursor: Cursor, behind: Block) {
        let mut end = cursor;
        for mover in movers {
            let facts = self.facts_of(mover);
            let field = self.layout.locations[mover.process.0 as usize];
            let mut ready = self.is_at(field, mover.transition.source, &Facts::default());
            let locations = &self.program.process(mover.process).locations;
            if let (Some(committed), false) =
                (sequence.committed, locations[mover.transition.source.0 as usize].committed)
            {
                let nobody_committed = self.not(committed);
                ready = self.both(ready, nobody_committed);
            }
            end = self.mover(mover, sequence.steps, &facts, ready, end);
        }
        self.jump(behind, end);
    }

    /// The transitions of a process that can be first in a step, in order.
    fn movers(&self, process: ProcessId, steps: &Steps<'_>) -> Vec<Mover<'p>> {
        let transitions = self.program.process(process).transitions.iter().enumerate();
        let movers = transitions.map(|(index, transition)| Mover { process, index, transition });
        movers.filter(|mover| !steps.labels[process.0 as usize][mover.index].is_empty()).collect()
    }

    /// What is known where a transition is tried.
    fn facts_of(&self, mover: &Mover<'_>) -> Facts {
        let mut facts = Facts::default();
        let field = self.layout.locations[mover.process.0 as usize];
        facts.narrow(field, Interval::point(mover.transition.source.0 as i32));
        facts
    }

    fn is_at(&mut self, field: Field, location: LocationId, facts: &Facts) -> Condition {
        let view = View::before(self.layout.width, facts.clone());
        let here = self.read_field(&view, field);
        self.compare(BinaryOp::Equal, here, Operand::constant(location.0 as i32))
    }

    /// Goes on in a new block, or elsewhere if the condition holds.
    fn leave_if(&mut self, condition: Condition, elsewhere: Block, cursor: Cursor) {
        let go = self.builder.create_block();
        self.branch_on(condition, (elsewhere, &cursor.arguments()), (go, &[]));
        self.builder.switch_to_block(go);
    }

    /// Ends the block: goes to one of the returned blocks, one per location, or elsewhere with the cursor.
    fn dispatch(
        &mut self,
        field: Field,
        locations: &[LocationId],
        facts: &Facts,
        elsewhere: Block,
        cursor: Cursor,
    ) -> Vec<Block> {
        let blocks: Vec<Block> = locations.iter().map(|_| self.builder.create_block()).collect();
        if locations.len() <= COMPARED_LOCATIONS_MAX || facts.of(field).constant().is_some() {
            for (location, block) in locations.iter().zip(&blocks) {
                let here = self.is_at(field, *location, facts);
                let more = self.builder.create_block();
                self.branch_on(here, (*block, &[]), (more, &[]));
                self.builder.switch_to_block(more);
            }
            self.jump(elsewhere, cursor);
            return blocks;
        }
        let view = View::before(self.layout.width, facts.clone());
        let location = self.read_field(&view, field);
        let location = self.register(location);
        let entries: Vec<(u32, Block)> =
            locations.iter().zip(&blocks).map(|(location, block)| (location.0, *block)).collect();
        let nowhere = self.jump_by_table(location, &entries);
        self.jump_from(nowhere, elsewhere, cursor);
        blocks
    }

    /// Ends the block: goes to the block listed for a number, or to the returned one if there is none.
    pub fn jump_by_table(&mut self, number: Value, entries: &[(u32, Block)]) -> Block {
        let otherwise = self.builder.create_block();
        let last = entries.iter().map(|(number, _)| *number as usize).max().unwrap_or(0);
        let mut table = vec![self.builder.func.dfg.block_call(otherwise, &[]); last + 1];
        for &(number, block) in entries {
            table[number as usize] = self.builder.func.dfg.block_call(block, &[]);
        }
        let default = self.builder.func.dfg.block_call(otherwise, &[]);
        let table = self.builder.create_jump_table(JumpTableData::new(default, &table));
        self.builder.ins().br_table(number, table);
        otherwise
    }

    /// Fills a block with a jump.
    pub fn jump_from(&mut self, block: Block, to: Block, cursor: Cursor) {
        self.builder.switch_to_block(block);
        self.jump(to, cursor);
    }

    /// Generates the steps that a transition is first in, where its process is in its source and `ready`
    /// holds.
    fn mover(
        &mut self,
        mover: &Mover<'p>,
        steps: &Steps<'_>,
        facts: &Facts,
        ready: Condition,
        cursor: Cursor,
    ) -> Cursor {
        match self.alone(mover, steps) {
            Some(step) => self.step(&step, facts, ready, cursor),
            None => self.rendezvous(mover, steps, facts, ready, cursor),
        }
    }

    /// The step of a transition that is no rendezvous.
    fn alone(&self, mover: &Mover<'p>, steps: &Steps<'_>) -> Option<Step<'p>> {
        let label = self.labels(mover, steps).start;
        let Mover { process, transition, .. } = *mover;
        let guard = transition.guard.as_ref();
        let step = Step { label, mover: process, transition, partner: None, guard };
        steps.actions[label].partner.is_none().then_some(step)
    }

    fn labels(&self, mover: &Mover<'_>, steps: &Steps<'_>) -> Range<usize> {
        steps.labels[mover.process.0 as usize][mover.index].clone()
    }

    /// The steps of a sender with its receivers, the receivers one after the other.
    fn pairs(&self, mover: &Mover<'p>, steps: &Steps<'_>) -> Vec<Vec<Step<'p>>> {
        let pair = |label: usize| {
            let (receiver, index) = steps.actions[label].partner.expect("a rendezvous has a receiver");
            let receiving = &self.program.process(receiver).transitions[index];
            let (partner, guard) = (Some((receiver, receiving)), receiving.guard.as_ref());
            Step { label, mover: mover.process, transition: mover.transition, partner, guard }
        };
        let pairs: Vec<Step<'p>> = self.labels(mover, steps).map(pair).collect();
        let receiver = |step: &Step<'_>| step.partner.map(|(receiver, _)| receiver);
        pairs.chunk_by(|left, right| receiver(left) == receiver(right)).map(<[_]>::to_vec).collect()
    }

    /// Generates the steps of a sender with each of its receivers.
    fn rendezvous(
        &mut self,
        mover: &Mover<'p>,
        steps: &Steps<'_>,
        facts: &Facts,
        ready: Condition,
        mut cursor: Cursor,
    ) -> Cursor {
        let is_in_vain = !matches!(ready, Condition::Known(true))
            || self.mover_effort(mover, steps, facts).is_some_and(|effort| effort <= EFFORT_OF_RENDEZVOUS_MAX);
        let view = View::before(self.layout.width, facts.clone());
        let mut facts = facts.clone();
        let mut ready = ready;
        let mut done = None;
        if let Some(guard) = &mover.transition.guard {
            if is_in_vain {
                self.exit = None;
                let guard_holds = self.condition(guard, &view);
                ready = self.both(ready, guard_holds);
            } else {
                let behind = self.cursor_block();
                self.exit = Some(FaultExit::default());
                self.go_on_if(guard, &view, behind, cursor);
                let go = self.builder.create_block();
                self.builder.ins().jump(go, &[]);
                self.finish_faults(self.labels(mover, steps).start, cursor, behind);
                self.builder.switch_to_block(go);
                done = Some(behind);
            }
            facts.assume(self.layout, guard, true);
        }
        for with_receiver in self.pairs(mover, steps) {
            cursor = self.receiver(&with_receiver, &facts, ready, is_in_vain, cursor);
        }
        match done {
            None => cursor,
            Some(done) => {
                self.jump(done, cursor);
                self.enter_with_cursor(done)
            }
        }
    }

    /// Generates the steps of a sender with one receiver, where `ready` holds.
    fn receiver(
        &mut self,
        pairs: &[Step<'p>],
        facts: &Facts,
        ready: Condition,
        is_in_vain: bool,
        mut cursor: Cursor,
    ) -> Cursor {
        let (receiver, _) = pairs[0].partner.expect("a rendezvous has a receiver");
        let field = self.layout.locations[receiver.0 as usize];
        let source = |step: &Step<'_>| step.partner.map_or(LocationId(0), |(_, receiving)| receiving.source);
        if is_in_vain {
            for step in pairs {
                let here = self.is_at(field, source(step), facts);
                let ready = self.both(ready, here);
                let facts = self.facts_of_pair(step, facts);
                cursor = self.step(step, &facts, ready, cursor);
            }
            return cursor;
        }
        let mut locations: Vec<LocationId> = pairs.iter().map(source).collect();
        locations.sort();
        locations.dedup();
        let behind = self.cursor_block();
        let blocks = self.dispatch(field, &locations, facts, behind, cursor);
        for (location, block) in locations.iter().zip(blocks) {
            self.builder.switch_to_block(block);
            let mut here = cursor;
            for step in pairs.iter().filter(|step| source(step) == *location) {
                let facts = self.facts_of_pair(step, facts);
                here = self.step(step, &facts, Condition::Known(true), here);
            }
            self.jump(behind, here);
        }
        self.enter_with_cursor(behind)
    }

    /// What is known where the receiver is in its source too.
    fn facts_of_pair(&self, step: &Step<'_>, facts: &Facts) -> Facts {
        let mut facts = facts.clone();
        if let Some((receiver, receiving)) = step.partner {
            let field = self.layout.locations[receiver.0 as usize];
            facts.narrow(field, Interval::point(receiving.source.0 as i32));
        }
        facts
    }

    /// The effort of all steps that a transition is first in; none if it must not be spent in vain.
    fn mover_effort(&self, mover: &Mover<'p>, steps: &Steps<'_>, facts: &Facts) -> Option<usize> {
        if let Some(step) = self.alone(mover, steps) {
            return self.effort(&step, facts);
        }
        let mut facts = facts.clone();
        let mut effort = 0;
        if let Some(guard) = &mover.transition.guard {
            effort = weigh(&facts, self.layout, guard)?;
            facts.assume(self.layout, guard, true);
        }
        for with_receiver in self.pairs(mover, steps) {
            effort += self.pairs_effort(&with_receiver, &facts)?;
        }
        Some(effort)
    }

    fn pairs_effort(&self, pairs: &[Step<'p>], facts: &Facts) -> Option<usize> {
        pairs.iter().map(|step| self.effort(step, &self.facts_of_pair(step, facts))).sum()
    }
}
