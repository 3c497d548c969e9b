//! Expressions as code: values where a value is needed, branches where only the truth matters.
//!
//! An operand that may have to stay unevaluated is put behind a branch only if its code could do harm
//! otherwise (see [`Facts::is_harmless`](super::facts::Facts::is_harmless)).

use super::effort::{EFFORT_FOR_A_BRANCH_MAX, weight};
use super::facts::{Facts, Spot, length_field, spot};
use super::interval::Interval;
use super::lowering::Lowering;
use super::operand::{Condition, Operand, Raw};
use super::view::View;
use crate::faults::FaultSite;
use crate::ir::{BinaryOp, Expr, Place, UnaryOp};
use crate::layout::{ArrayField, Field};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I8, I32};
use cranelift_codegen::ir::{Block, BlockArg, InstBuilder, Value};

/// A place whose index was evaluated and is within bounds.
#[derive(Clone, Copy)]
pub(super) enum Target {
    Fixed(Field),
    Element(ArrayField, Operand),
}

/// A block to go to, with its arguments.
#[derive(Clone, Copy)]
pub(super) struct Destination<'a> {
    pub block: Block,
    pub arguments: &'a [BlockArg],
}

impl Lowering<'_, '_> {
    /// Code for an expression's value, with knowledge that a part of it may not share with the rest.
    fn value_given(&mut self, expr: &Expr, view: &View, facts: Facts) -> Operand {
        let mut view = view.clone();
        view.facts = facts;
        self.value(expr, &view)
    }

    pub fn value(&mut self, expr: &Expr, view: &View) -> Operand {
        match expr {
            Expr::Const(value) => Operand::constant(*value),
            Expr::Read(place) => self.read(place, view),
            Expr::Length(channel) => match length_field(self.layout, *channel) {
                Some(field) => self.read_field(view, field),
                None => Operand::constant(0),
            },
            Expr::At(..) | Expr::Unary(UnaryOp::Not, _) => self.condition(expr, view).into(),
            Expr::Unary(UnaryOp::Negate, operand) => {
                let operand = self.value(operand, view);
                self.subtract(Operand::constant(0), operand)
            }
            Expr::Unary(UnaryOp::BitNot, operand) => {
                let operand = self.value(operand, view);
                self.subtract(Operand::constant(-1), operand)
            }
            Expr::Binary(op, ..) if op.is_truth() => self.condition(expr, view).into(),
            Expr::Binary(op, left, right, span) => {
                let left = self.value(left, view);
                let divisor = view.facts.interval(self.layout, right);
                let right = self.value(right, view);
                if matches!(op, BinaryOp::Divide | BinaryOp::Remainder) {
                    if divisor.contains(0) {
                        let is_zero = self.compare(BinaryOp::Equal, right, Operand::constant(0));
                        self.check(is_zero, FaultSite::Division(*span));
                    }
                    return self.divide(*op, left, right);
                }
                self.arithmetic(*op, left, right)
            }
            Expr::Conditional(condition, then, otherwise) => self.conditional(condition, then, otherwise, view),
        }
    }

    /// Code for a value that is only needed modulo `2^bits`.
    pub fn value_modulo(&mut self, expr: &Expr, view: &View, bits: u32) -> Operand {
        use BinaryOp as Op;
        match expr {
            Expr::Read(_) => {
                let operand = self.value(expr, view);
                self.congruent(operand, bits)
            }
            Expr::Unary(UnaryOp::Negate, operand) => {
                let operand = self.value_modulo(operand, view, bits);
                self.subtract(Operand::constant(0), operand)
            }
            Expr::Unary(UnaryOp::BitNot, operand) => {
                let operand = self.value_modulo(operand, view, bits);
                self.subtract(Operand::constant(-1), operand)
            }
            Expr::Binary(
                op @ (Op::Add | Op::Subtract | Op::Multiply | Op::BitAnd | Op::BitOr | Op::BitXor),
                left,
                right,
                _,
            ) => {
                let left = self.value_modulo(left, view, bits);
                let right = self.value_modulo(right, view, bits);
                self.arithmetic(*op, left, right)
            }
            _ => self.value(expr, view),
        }
    }

    fn subtract(&mut self, left: Operand, right: Operand) -> Operand {
        self.arithmetic(BinaryOp::Subtract, left, right)
    }

    /// An operation that cannot fault.
    fn arithmetic(&mut self, op: BinaryOp, left: Operand, right: Operand) -> Operand {
        let range = Interval::binary(op, left.range, right.range);
        if let (Some(left), Some(right)) = (left.known(), right.known()) {
            return Operand::constant(op.apply(left, right).expect("no division"));
        }
        match (op, left.known(), right.known()) {
            (BinaryOp::Add, _, Some(right)) => return left.plus(right),
            (BinaryOp::Add, Some(left), _) => return right.plus(left),
            (BinaryOp::Subtract, _, Some(right)) => return left.plus(right.wrapping_neg()),
            (BinaryOp::Multiply, Some(factor), _) => return self.multiply(right, factor, range),
            (BinaryOp::Multiply, _, Some(factor)) => return self.multiply(left, factor, range),
            _ => {}
        }
        let (left, right) = (self.register(left), self.register(right));
        let ins = self.builder.ins();
        let value = match op {
            BinaryOp::Add => ins.iadd(left, right),
            BinaryOp::Subtract => ins.isub(left, right),
            BinaryOp::Multiply => ins.imul(left, right),
            BinaryOp::BitAnd => ins.band(left, right),
            BinaryOp::BitOr => ins.bor(left, right),
            BinaryOp::BitXor => ins.bxor(left, right),
            BinaryOp::ShiftLeft => ins.ishl(left, right),
            BinaryOp::ShiftRight => ins.sshr(left, right),
            other => unreachable!("{other:?} is no plain arithmetic"),
        };
        Operand::value(value, range)
    }

    fn multiply(&mut self, operand: Operand, factor: i32, range: Interval) -> Operand {
        if factor == 0 {
            return Operand::constant(0);
        }
        if let (Raw::Truth(truth), 0) = (operand.raw, operand.offset) {
            let (factor, nothing) = (self.constant(factor as u32), self.constant(0));
            return Operand::value(self.builder.ins().select(truth, factor, nothing), range);
        }
        let value = self.register(operand);
        Operand::value(self.multiply_by(value, factor as u32), range)
    }

    /// A division whose divisor is not zero. The machine's division traps for `MIN / -1`, which wraps here.
    fn divide(&mut self, op: BinaryOp, left: Operand, right: Operand) -> Operand {
        let range = Interval::binary(op, left.range, right.range);
        if let (Some(left), Some(right)) = (left.known(), right.known())
            && let Some(value) = op.apply(left, right)
        {
            return Operand::constant(value);
        }
        if right.known() == Some(0) {
            // The check before this code has failed already.
            return Operand::constant(0);
        }
        let (dividend, divisor) = (self.register(left), self.register(right));
        let is_remainder = op == BinaryOp::Remainder;
        if left.range.least >= 0 && right.range.least >= 0 {
            let ins = self.builder.ins();
            let value = if is_remainder { ins.urem(dividend, divisor) } else { ins.udiv(dividend, divisor) };
            return Operand::value(value, range);
        }
        if !right.range.contains(-1) {
            let ins = self.builder.ins();
            let value = if is_remainder { ins.srem(dividend, divisor) } else { ins.sdiv(dividend, divisor) };
            return Operand::value(value, range);
        }
        let one = self.constant(1);
        let is_minus_one = self.builder.ins().icmp_imm_s(IntCC::Equal, divisor, -1);
        let safe = self.builder.ins().select(is_minus_one, one, divisor);
        if is_remainder {
            return Operand::value(self.builder.ins().srem(dividend, safe), range);
        }
        let quotient = self.builder.ins().sdiv(dividend, safe);
        let negated = self.builder.ins().ineg(dividend);
        Operand::value(self.builder.ins().select(is_minus_one, negated, quotient), range)
    }

    fn conditional(&mut self, condition: &Expr, then: &Expr, otherwise: &Expr, view: &View) -> Operand {
        let (if_true, if_false) =
            (view.facts.assuming(self.layout, condition, true), view.facts.assuming(self.layout, condition, false));
        let range = if_true.interval(self.layout, then).or(if_false.interval(self.layout, otherwise));
        if if_true.is_harmless(self.layout, then) && if_false.is_harmless(self.layout, otherwise) {
            let condition = self.condition(condition, view);
            let (then, otherwise) =
                (self.value_given(then, view, if_true), self.value_given(otherwise, view, if_false));
            return match condition {
                Condition::Known(truth) => {
                    if truth {
                        then
                    } else {
                        otherwise
                    }
                }
                Condition::Value(condition) => {
                    let (then, otherwise) = (self.register(then), self.register(otherwise));
                    Operand::value(self.builder.ins().select(condition, then, otherwise), range)
                }
            };
        }
        let (yes, no, join) = (self.builder.create_block(), self.builder.create_block(), self.builder.create_block());
        let result = self.builder.append_block_param(join, I32);
        self.branch(condition, view, Destination::to(yes), Destination::to(no));
        for (block, branch, facts) in [(yes, then, if_true), (no, otherwise, if_false)] {
            self.builder.switch_to_block(block);
            let value = self.value_given(branch, view, facts);
            let value = self.register(value);
            self.builder.ins().jump(join, &[value.into()]);
        }
        self.builder.switch_to_block(join);
        Operand::value(result, range)
    }

    /// Code for the truth of an expression, without leaving the straight line unless it must.
    pub fn condition(&mut self, expr: &Expr, view: &View) -> Condition {
        match expr {
            Expr::At(process, location) => {
                let here = self.read_field(view, self.layout.locations[process.0 as usize]);
                self.compare(BinaryOp::Equal, here, Operand::constant(location.0 as i32))
            }
            Expr::Unary(UnaryOp::Not, operand) => {
                let operand = self.condition(operand, view);
                self.not(operand)
            }
            Expr::Binary(op @ (BinaryOp::And | BinaryOp::Or), left, right, _) => {
                let is_and = *op == BinaryOp::And;
                let facts = view.facts.assuming(self.layout, left, is_and);
                if !facts.is_harmless(self.layout, right) {
                    return self.joined(expr, view);
                }
                let left = self.condition(left, view);
                let mut view = view.clone();
                view.facts = facts;
                let right = self.condition(right, &view);
                if is_and { self.both(left, right) } else { self.either(left, right) }
            }
            Expr::Binary(op, left, right, _) if op.is_comparison() => {
                let left = self.value(left, view);
                let right = self.value(right, view);
                self.compare(*op, left, right)
            }
            _ => {
                let value = self.value(expr, view);
                self.truth(value)
            }
        }
    }

    /// The truth of an expression by branches that meet again.
    fn joined(&mut self, expr: &Expr, view: &View) -> Condition {
        let join = self.builder.create_block();
        let result = self.builder.append_block_param(join, I8);
        let truths: [Value; 2] = [0, 1].map(|truth| self.builder.ins().iconst(I8, truth));
        let arguments: [[BlockArg; 1]; 2] = truths.map(|truth| [truth.into()]);
        let no = Destination { block: join, arguments: &arguments[0] };
        let yes = Destination { block: join, arguments: &arguments[1] };
        self.branch(expr, view, yes, no);
        self.builder.switch_to_block(join);
        Condition::Value(result)
    }

    /// Ends the block: goes to one of two destinations, by the truth of the expression.
    pub fn branch(&mut self, expr: &Expr, view: &View, yes: Destination<'_>, no: Destination<'_>) {
        match expr {
            Expr::Unary(UnaryOp::Not, operand) => self.branch(operand, view, no, yes),
            Expr::Binary(op @ (BinaryOp::And | BinaryOp::Or), left, right, _) => {
                let is_and = *op == BinaryOp::And;
                let facts = view.facts.assuming(self.layout, left, is_and);
                if weight(right) <= EFFORT_FOR_A_BRANCH_MAX && facts.is_harmless(self.layout, right) {
                    let condition = self.condition(expr, view);
                    return self.branch_on(condition, (yes.block, yes.arguments), (no.block, no.arguments));
                }
                let more = self.builder.create_block();
                match is_and {
                    true => self.branch(left, view, Destination::to(more), no),
                    false => self.branch(left, view, yes, Destination::to(more)),
                }
                self.builder.switch_to_block(more);
                let mut view = view.clone();
                view.facts = facts;
                self.branch(right, &view, yes, no);
            }
            _ => {
                let condition = self.condition(expr, view);
                self.branch_on(condition, (yes.block, yes.arguments), (no.block, no.arguments));
            }
        }
    }

    /// Evaluates the index of a place.
    pub fn target(&mut self, place: &Place, view: &View) -> Target {
        match spot(self.layout, place) {
            Spot::Fixed(field) => Target::Fixed(field),
            Spot::Outside => {
                self.check(Condition::Known(true), FaultSite::Index(place));
                Target::Fixed(self.layout.element(place.variable, 0))
            }
            Spot::Element(array) => {
                let index = place.index.as_deref().expect("a place with a computed element has an index");
                let is_safe = view.facts.is_index_safe(self.layout, place);
                let index = self.value(index, view);
                let outside = match index.known() {
                    Some(known) => Condition::Known(known as u32 >= array.len),
                    None if is_safe => Condition::Known(false),
                    None => {
                        let register = self.register(index);
                        self.compare_with(IntCC::UnsignedGreaterThanOrEqual, register, array.len)
                    }
                };
                if !is_safe {
                    self.check(outside, FaultSite::Index(place));
                }
                match outside {
                    // What follows is never reached.
                    Condition::Known(true) => Target::Fixed(array.first),
                    _ => Target::Element(array, index),
                }
            }
        }
    }

    fn read(&mut self, place: &Place, view: &View) -> Operand {
        match self.target(place, view) {
            Target::Fixed(field) => self.read_field(view, field),
            Target::Element(array, index) => self.read_element(view, &array, index),
        }
    }
}

impl Destination<'_> {
    pub fn to(block: Block) -> Destination<'static> {
        Destination { block, arguments: &[] }
    }
}
