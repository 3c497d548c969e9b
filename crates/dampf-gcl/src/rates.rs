//! How much a step can change a value: what bounds of distances are made of.
//!
//! A variable that is only counted up and down by constants changes by no more than all of these in a step together.
//! One that is stored otherwise, received, or may wrap around, may become anything; and so may everything where steps
//! are made of several.

use crate::ir::{ActionSource, BinaryOp, Effect, Expr, Place, Program, Sync, Transition, UnaryOp};
use crate::ranges::Range;

/// Factors and values beyond this may overflow in an expression, and then nothing is known of it.
const SMALL: i32 = 1 << 12;
/// Variables of more bits, too.
const BITS_SMALL: u8 = 16;

/// For each variable, what a step can change of it, or of any of its elements; none where that is not bounded.
pub struct Rates {
    variables: Vec<Option<u64>>,
    is_known: bool,
}

impl Rates {
    pub fn new(program: &Program, actions: &[ActionSource], ranges: &[Range]) -> Rates {
        let variables = (0..program.variables.len() as u32).map(|variable| {
            let change = |action: &ActionSource| {
                let own = &program.process(action.process).transitions[action.transition];
                let partner =
                    action.partner.map(|(process, transition)| &program.process(process).transitions[transition]);
                let partners = partner.map_or(Some(0), |partner| change_by(partner, variable));
                Some(change_by(own, variable)? + partners?)
            };
            let most = actions.iter().map(change).try_fold(0, |most, change| Some(u64::max(most, change?)))?;
            let (ty, range) = (program.variables[variable as usize].ty, ranges[variable as usize]);
            let last = range.base.wrapping_add(range.count.saturating_sub(1) as i32);
            let is_linear = ty.wrap(range.base) <= ty.wrap(last);
            let stays = is_linear && ty.bits <= BITS_SMALL && range.count + most <= 1 << ty.bits;
            stays.then_some(most)
        });
        let is_known = !program.has_compound_steps && program.timeout.is_none();
        Rates { variables: variables.collect(), is_known }
    }

    /// What a step can change of the difference of two expressions.
    pub fn of_difference(&self, left: &Expr, right: &Expr) -> Option<u64> {
        if !self.is_known {
            return None;
        }
        Some(self.of(left)? + self.of(right)?)
    }

    fn of(&self, expr: &Expr) -> Option<u64> {
        match expr {
            Expr::Const(_) => Some(0),
            Expr::Read(Place { variable, index, .. }) => match index.as_deref() {
                None | Some(Expr::Const(_)) => self.variables[variable.0 as usize],
                Some(_) => None,
            },
            Expr::At(..) | Expr::Length(_) | Expr::Unary(UnaryOp::Not, _) => Some(1),
            Expr::Unary(UnaryOp::Negate, operand) => self.of(operand),
            Expr::Unary(UnaryOp::BitNot, _) | Expr::Conditional(..) => None,
            Expr::Binary(op, left, right, _) => match (op, &**left, &**right) {
                (BinaryOp::Add | BinaryOp::Subtract, left, right) => Some(self.of(left)? + self.of(right)?),
                (BinaryOp::Multiply, Expr::Const(factor), other) | (BinaryOp::Multiply, other, Expr::Const(factor)) => {
                    let is_small = (-SMALL..=SMALL).contains(factor);
                    Some(self.of(other)? * u64::from(factor.unsigned_abs())).filter(|_| is_small)
                }
                (BinaryOp::Equal | BinaryOp::NotEqual | BinaryOp::Less | BinaryOp::LessEqual, ..)
                | (BinaryOp::Greater | BinaryOp::GreaterEqual | BinaryOp::And | BinaryOp::Or, ..) => Some(1),
                _ => None,
            },
        }
    }
}

/// What a transition changes of a variable; none where it may be anything.
fn change_by(transition: &Transition, variable: u32) -> Option<u64> {
    if let Some(Sync::Receive { targets, .. }) = &transition.sync
        && targets.iter().any(|target| target.variable.0 == variable)
    {
        return None;
    }
    transition.effects.iter().try_fold(0, |sum, effect| match effect {
        Effect::Assign { target, value, .. } if target.variable.0 == variable => Some(sum + counted(target, value)?),
        _ => Some(sum),
    })
}

/// The constant that an assignment adds to its own target or takes from it.
fn counted(target: &Place, value: &Expr) -> Option<u64> {
    let is_same = |expr: &Expr| match expr {
        Expr::Read(place) => place.variable == target.variable && is_same_element(target, place),
        _ => false,
    };
    match value {
        Expr::Binary(BinaryOp::Add, left, right, _) => match (&**left, &**right) {
            (read, Expr::Const(by)) | (Expr::Const(by), read) if is_same(read) => Some(u64::from(by.unsigned_abs())),
            _ => None,
        },
        Expr::Binary(BinaryOp::Subtract, left, right, _) => match (&**left, &**right) {
            (read, Expr::Const(by)) if is_same(read) => Some(u64::from(by.unsigned_abs())),
            _ => None,
        },
        other if is_same(other) => Some(0),
        _ => None,
    }
}

/// Whether two places of the same variable are the same element, by constant indices or by none.
fn is_same_element(one: &Place, other: &Place) -> bool {
    match (one.index.as_deref(), other.index.as_deref()) {
        (None, None) => true,
        (Some(Expr::Const(one)), Some(Expr::Const(other))) => one == other,
        _ => false,
    }
}
