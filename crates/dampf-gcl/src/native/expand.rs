//! The function that expands a state: checks, then process after process, location by location.

use super::facts::Facts;
use super::lowering::{Cursor, FaultExit, Lowering};
use super::operand::{Condition, Operand};
use super::steps::Steps;
use super::view::View;
use super::{REPORT_HOLDER, REPORT_STATE_FAULT};
use crate::faults::FaultSite;
use crate::ir::{BinaryOp, ProcessId};
use crate::layout::Field;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I8, I64};
use cranelift_codegen::ir::{Block, InstBuilder};
use dampf_core::FaultKind;

/// What the processes of a function share.
pub(super) struct Sequence<'a> {
    pub steps: &'a Steps<'a>,
    /// Whether some process is in a committed location; none in a program without such locations.
    pub committed: Option<Condition>,
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
        let sequence = Sequence { steps, committed };
        for process in 0..processes {
            let (id, next) = (ProcessId(process as u32), starts[process + 1]);
            let cursor = self.enter_with_cursor(starts[process]);
            match held {
                Some(held) if self.may_hold(id) => {
                    let behind = self.cursor_block();
                    self.process(id, &sequence, cursor, behind);
                    let cursor = self.enter_with_cursor(behind);
                    let holder = self.load_at(self.report, REPORT_HOLDER);
                    self.builder.ins().brif(holder, held, &cursor.arguments(), next, &cursor.arguments());
                }
                _ => self.process(id, &sequence, cursor, next),
            }
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

    /// Generates the body of the function that tells which propositions hold. One without a value is reported.
    pub fn holding(&mut self) {
        self.exit = Some(FaultExit::default());
        let view = View::before(self.layout.width, Facts::default());
        let mut all = self.builder.ins().iconst(I64, 0);
        for (number, proposition) in self.program.propositions.iter().enumerate() {
            let bit = match self.condition(&proposition.condition, &view) {
                Condition::Known(truth) => self.builder.ins().iconst(I64, i64::from(truth)),
                Condition::Value(value) => self.builder.ins().uextend(I64, value),
            };
            let bit = self.builder.ins().ishl_imm_u(bit, number as i64);
            all = self.builder.ins().bor(all, bit);
        }
        self.builder.ins().return_(&[all]);
        let Some(FaultExit { block: Some(block) }) = self.exit.take() else { return };
        self.builder.switch_to_block(block);
        let some = self.constant(1);
        self.store_at(some, self.report, REPORT_STATE_FAULT);
        let none = self.builder.ins().iconst(I64, 0);
        self.builder.ins().return_(&[none]);
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
            let bit = self.builder.ins().ireduce(I8, shifted);
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
        let transitions = self.program.processes.iter().flat_map(|process| &process.transitions);
        transitions.into_iter().any(|transition| transition.holder == Some(process))
    }
}
