//! The function that expands a state: checks, then process after process, location by location.

use super::facts::Facts;
use super::interval::Interval;
use super::lowering::{Cursor, FaultExit, Lowering};
use super::operand::{Condition, Operand};
use super::step::Step;
use super::view::View;
use super::{REPORT_HOLDER, REPORT_STATE_FAULT};
use crate::faults::FaultSite;
use crate::ir::{ActionSource, BinaryOp, LocationId, ProcessId, Sync};
use crate::layout::Field;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::I64;
use cranelift_codegen::ir::{Block, InstBuilder, JumpTableData, Value};
use dampf_core::FaultKind;
use std::ops::Range;

/// With up to this many locations to tell apart, comparisons do; a jump table serves more.
const COMPARED_LOCATIONS_MAX: usize = 3;

/// The steps of a program, found by who moves.
pub(super) struct Steps<'a> {
    actions: &'a [ActionSource],
    /// For each process and transition, the labels of the steps that it moves or sends in.
    labels: Vec<Vec<Range<usize>>>,
}

impl<'a> Steps<'a> {
    pub fn new(program: &crate::ir::Program, actions: &'a [ActionSource]) -> Self {
        let mut labels: Vec<Vec<Range<usize>>> =
            program.processes.iter().map(|process| vec![0..0; process.transitions.len()]).collect();
        for (label, action) in actions.iter().enumerate() {
            let range = &mut labels[action.process.0 as usize][action.transition];
            if range.start == range.end {
                *range = label..label;
            }
            range.end = label + 1;
        }
        Steps { actions, labels }
    }

    /// The greatest number of steps that any state has.
    pub fn most(&self, program: &crate::ir::Program) -> usize {
        let of_process = |process: &crate::ir::Process, labels: &[Range<usize>]| {
            let mut by_location = vec![0; process.locations.len()];
            for (transition, labels) in process.transitions.iter().zip(labels) {
                by_location[transition.source.0 as usize] += self.most_of(program, labels.clone());
            }
            by_location.into_iter().max().unwrap_or(0)
        };
        program.processes.iter().zip(&self.labels).map(|(process, labels)| of_process(process, labels)).sum()
    }

    /// The greatest number of steps of one transition: with every receiver, in the location where most match.
    fn most_of(&self, program: &crate::ir::Program, labels: Range<usize>) -> usize {
        let mut counts: Vec<(ProcessId, LocationId, usize)> = Vec::new();
        for action in &self.actions[labels.clone()] {
            let Some((receiver, index)) = action.partner else { return labels.len() };
            let location = program.process(receiver).transitions[index].source;
            match counts.iter_mut().find(|(process, at, _)| (*process, *at) == (receiver, location)) {
                Some((_, _, count)) => *count += 1,
                None => counts.push((receiver, location, 1)),
            }
        }
        let mut receivers: Vec<ProcessId> = counts.iter().map(|(receiver, _, _)| *receiver).collect();
        receivers.dedup();
        let of_receiver = |receiver: ProcessId| {
            counts.iter().filter(|(process, _, _)| *process == receiver).map(|(_, _, count)| *count).max()
        };
        receivers.into_iter().filter_map(of_receiver).sum()
    }
}

/// What the processes of a function share.
struct Sequence<'a> {
    steps: &'a Steps<'a>,
    /// Whether some process is in a committed location; none in a program without such locations.
    committed: Option<Condition>,
    /// Where to go behind the only process that is expanded, if the system has a holder.
    held: Option<Block>,
}

impl<'p> Lowering<'p, '_> {
    /// Generates the body of the function.
    pub fn expand(&mut self, steps: &Steps<'_>, first: Cursor) {
        self.checks();
        let committed = self.committed();
        let processes = self.program.processes.len();
        let starts: Vec<Block> = (0..=processes).map(|_| self.cursor_block()).collect();
        let held = self.layout.holder.map(|field| self.dispatch_on_holder(field, &starts, first));
        if held.is_none() {
            self.jump(starts[0], first);
        }
        let sequence = Sequence { steps, committed, held };
        for process in 0..processes {
            let cursor = self.enter_with_cursor(starts[process]);
            self.process(ProcessId(process as u32), &sequence, cursor, starts[process + 1]);
        }
        let end = self.enter_with_cursor(starts[processes]);
        self.builder.ins().return_(&[end.labels]);
        if let Some(held) = held {
            // If the holder can do nothing, all processes may move.
            let cursor = self.enter_with_cursor(held);
            let (all, end) = (self.builder.create_block(), self.builder.create_block());
            let nothing = self.builder.ins().icmp(IntCC::Equal, cursor.labels, first.labels);
            self.builder.ins().brif(nothing, all, &[], end, &[]);
            self.builder.switch_to_block(all);
            let zero = self.constant(0);
            self.store_at(zero, self.report, REPORT_HOLDER);
            self.jump(starts[0], first);
            self.builder.switch_to_block(end);
            self.builder.ins().return_(&[cursor.labels]);
        }
    }

    /// Evaluates the checks of the state; the first that fails is reported.
    fn checks(&mut self) {
        if self.program.checks.is_empty() {
            return;
        }
        self.exit = Some(FaultExit::default());
        let view = View::before(self.layout.width, Facts::default());
        for check in &self.program.checks {
            let holds = self.condition(&check.condition, &view);
            let fails = if check.kind == FaultKind::Goal { holds } else { self.not(holds) };
            self.check(fails, FaultSite::Check(check));
        }
        let Some(FaultExit { block: Some(block) }) = self.exit.take() else { return };
        let go = self.builder.create_block();
        self.builder.ins().jump(go, &[]);
        self.builder.switch_to_block(block);
        let site = self.builder.block_params(block)[0];
        let number = self.add_constant(site, 1);
        self.store_at(number, self.report, REPORT_STATE_FAULT);
        self.builder.ins().jump(go, &[]);
        self.builder.switch_to_block(go);
    }

    fn committed(&mut self) -> Option<Condition> {
        let mut some = None;
        for (process, field) in self.program.processes.iter().zip(&self.layout.locations) {
            let members: Vec<bool> = process.locations.iter().map(|location| location.committed).collect();
            if members.contains(&true) {
                let here = self.is_in(*field, &members);
                some = Some(match some {
                    None => here,
                    Some(others) => self.either(others, here),
                });
            }
        }
        some
    }

    /// Whether a location is one of those marked.
    fn is_in(&mut self, field: Field, members: &[bool]) -> Condition {
        let view = View::before(self.layout.width, Facts::default());
        let location = self.read_field(&view, field);
        let marked: Vec<usize> = (0..members.len()).filter(|&number| members[number]).collect();
        if members.len() <= 64 && marked.len() > 1 && location.known().is_none() {
            let set = marked.iter().fold(0u64, |set, number| set | 1 << number);
            let set = self.builder.ins().iconst(I64, set as i64);
            let location = self.register(location);
            let shifted = self.builder.ins().ushr(set, location);
            let bit = self.builder.ins().ireduce(cranelift_codegen::ir::types::I8, shifted);
            return Condition::Value(self.builder.ins().band_imm_u(bit, 1));
        }
        marked.into_iter().fold(Condition::Known(false), |some, number| {
            let here = self.compare(BinaryOp::Equal, location, Operand::constant(number as i32));
            self.either(some, here)
        })
    }

    /// Goes to the holder of the system, or to the first process if there is none; the block behind the holder.
    fn dispatch_on_holder(&mut self, field: Field, starts: &[Block], first: Cursor) -> Block {
        let held = self.cursor_block();
        let view = View::before(self.layout.width, Facts::default());
        let holder = self.read_field(&view, field);
        let holder = self.register(holder);
        self.store_at(holder, self.report, REPORT_HOLDER);
        let holders: Vec<usize> =
            (0..self.program.processes.len()).filter(|&process| self.may_hold(ProcessId(process as u32))).collect();
        let entries: Vec<(u32, Block)> =
            holders.iter().map(|&process| (process as u32 + 1, self.builder.create_block())).collect();
        let nobody = self.jump_by_table(holder, &entries);
        self.jump_from(nobody, starts[0], first);
        for (process, (_, block)) in holders.into_iter().zip(entries) {
            self.jump_from(block, starts[process], first);
        }
        held
    }

    fn may_hold(&self, process: ProcessId) -> bool {
        self.program.process(process).locations.iter().any(|location| location.atomic)
    }

    /// Generates the steps of a process, which go on at `next`.
    fn process(&mut self, id: ProcessId, sequence: &Sequence<'_>, cursor: Cursor, next: Block) {
        let behind = match sequence.held {
            Some(_) if self.may_hold(id) => self.cursor_block(),
            _ => next,
        };
        let process = self.program.process(id);
        let field = self.layout.locations[id.0 as usize];
        let labels = &sequence.steps.labels[id.0 as usize];
        let moving = |location: &LocationId| {
            let mut transitions = process.transitions.iter().zip(labels);
            transitions.any(|(transition, labels)| transition.source == *location && !labels.is_empty())
        };
        let locations: Vec<LocationId> =
            (0..process.locations.len() as u32).map(LocationId).filter(moving).collect();
        let has_committed = process.locations.iter().any(|location| location.committed);
        if !has_committed {
            self.yield_to_committed(sequence, behind, cursor);
        }
        let blocks = self.dispatch(field, &locations, &Facts::default(), behind, cursor);
        for (location, block) in locations.iter().zip(blocks) {
            self.builder.switch_to_block(block);
            if has_committed && !process.locations[location.0 as usize].committed {
                self.yield_to_committed(sequence, behind, cursor);
            }
            let end = self.location(id, *location, sequence.steps, cursor);
            self.jump(behind, end);
        }
        if let (Some(held), true) = (sequence.held, behind != next) {
            let cursor = self.enter_with_cursor(behind);
            let holder = self.load_at(self.report, REPORT_HOLDER);
            self.builder.ins().brif(holder, held, &cursor.arguments(), next, &cursor.arguments());
        }
    }

    /// Goes on in a new block, or `behind` the process if another one is in a committed location.
    fn yield_to_committed(&mut self, sequence: &Sequence<'_>, behind: Block, cursor: Cursor) {
        if let Some(committed) = sequence.committed {
            let go = self.builder.create_block();
            self.branch_on(committed, (behind, &cursor.arguments()), (go, &[]));
            self.builder.switch_to_block(go);
        }
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
        let view = View::before(self.layout.width, facts.clone());
        let location = self.read_field(&view, field);
        let blocks: Vec<Block> = locations.iter().map(|_| self.builder.create_block()).collect();
        if locations.len() <= COMPARED_LOCATIONS_MAX || location.known().is_some() {
            for (candidate, block) in locations.iter().zip(&blocks) {
                let here = self.compare(BinaryOp::Equal, location, Operand::constant(candidate.0 as i32));
                let more = self.builder.create_block();
                self.branch_on(here, (*block, &[]), (more, &[]));
                self.builder.switch_to_block(more);
            }
            self.jump(elsewhere, cursor);
            return blocks;
        }
        let location = self.register(location);
        let entries: Vec<(u32, Block)> =
            locations.iter().zip(&blocks).map(|(location, block)| (location.0, *block)).collect();
        let nowhere = self.jump_by_table(location, &entries);
        self.jump_from(nowhere, elsewhere, cursor);
        blocks
    }

    /// Ends the block: goes to the block listed for a number, or to the returned one if there is none.
    fn jump_by_table(&mut self, number: Value, entries: &[(u32, Block)]) -> Block {
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
    fn jump_from(&mut self, block: Block, to: Block, cursor: Cursor) {
        self.builder.switch_to_block(block);
        self.jump(to, cursor);
    }

    /// Generates the steps of a process in one location.
    fn location(&mut self, id: ProcessId, location: LocationId, steps: &Steps<'_>, mut cursor: Cursor) -> Cursor {
        let mut facts = Facts::default();
        facts.narrow(self.layout.locations[id.0 as usize], Interval::point(location.0 as i32));
        let transitions = &self.program.process(id).transitions;
        for (index, transition) in transitions.iter().enumerate() {
            let labels = steps.labels[id.0 as usize][index].clone();
            if transition.source != location || labels.is_empty() {
                continue;
            }
            cursor = match steps.actions[labels.start].partner {
                None => {
                    let guard = transition.guard.as_ref();
                    let step = Step { label: labels.start, mover: id, transition, partner: None, guard };
                    self.step(&step, &facts, cursor)
                }
                Some(_) => self.rendezvous(id, index, labels, steps, &facts, cursor),
            };
        }
        cursor
    }

    /// Generates the steps of a sender with each of its receivers.
    fn rendezvous(
        &mut self,
        id: ProcessId,
        index: usize,
        labels: Range<usize>,
        steps: &Steps<'_>,
        facts: &Facts,
        mut cursor: Cursor,
    ) -> Cursor {
        let transition = &self.program.process(id).transitions[index];
        let mut facts = facts.clone();
        let mut done = None;
        if let Some(guard) = &transition.guard {
            let behind = self.cursor_block();
            let view = View::before(self.layout.width, facts.clone());
            self.exit = Some(FaultExit::default());
            self.go_on_if(guard, &view, behind, cursor);
            let go = self.builder.create_block();
            self.builder.ins().jump(go, &[]);
            self.finish_faults(labels.start, cursor, behind);
            self.builder.switch_to_block(go);
            facts.assume(self.layout, guard, true);
            done = Some(behind);
        }
        debug_assert!(matches!(transition.sync, Some(Sync::Send { .. })));
        let mut rest = labels;
        while !rest.is_empty() {
            let partner = |label: usize| steps.actions[label].partner.map(|(receiver, _)| receiver);
            let receiver = partner(rest.start).expect("a rendezvous has a receiver");
            let count = rest.clone().take_while(|&label| partner(label) == Some(receiver)).count();
            let with_receiver = rest.start..rest.start + count;
            rest.start += count;
            cursor = self.receiver((id, index), receiver, with_receiver, steps, &facts, cursor);
        }
        match done {
            None => cursor,
            Some(done) => {
                self.jump(done, cursor);
                self.enter_with_cursor(done)
            }
        }
    }

    /// Generates the steps of a sender with one receiver.
    fn receiver(
        &mut self,
        (sender, index): (ProcessId, usize),
        receiver: ProcessId,
        labels: Range<usize>,
        steps: &Steps<'_>,
        facts: &Facts,
        cursor: Cursor,
    ) -> Cursor {
        let transition = &self.program.process(sender).transitions[index];
        let receiving = |label: usize| {
            let (_, index) = steps.actions[label].partner.expect("a rendezvous has a receiver");
            &self.program.process(receiver).transitions[index]
        };
        let matches: Vec<_> = labels.map(|label| (label, receiving(label))).collect();
        let mut locations: Vec<LocationId> = matches.iter().map(|(_, receiving)| receiving.source).collect();
        locations.sort();
        locations.dedup();
        let field = self.layout.locations[receiver.0 as usize];
        let behind = self.cursor_block();
        let blocks = self.dispatch(field, &locations, facts, behind, cursor);
        for (location, block) in locations.iter().zip(blocks) {
            self.builder.switch_to_block(block);
            let mut facts = facts.clone();
            facts.narrow(field, Interval::point(location.0 as i32));
            let mut here = cursor;
            for &(label, receiving) in matches.iter().filter(|(_, receiving)| receiving.source == *location) {
                let (partner, guard) = (Some((receiver, receiving)), receiving.guard.as_ref());
                let step = Step { label, mover: sender, transition, partner, guard };
                here = self.step(&step, &facts, here);
            }
            self.jump(behind, here);
        }
        self.enter_with_cursor(behind)
    }
}
