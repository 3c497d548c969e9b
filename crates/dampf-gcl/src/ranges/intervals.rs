//! Interval arithmetic on 32-bit integers: an interval around all results of an operator.
//!
//! A result that may leave the 32 bits, and so wrap around, may be anything.

use super::formula::Formula;
use super::values::{ALL_VALUES, Interval};
use crate::ir::{BinaryOp, UnaryOp};

const TRUTH: Interval = (0, 1);

pub fn unary(op: UnaryOp, operand: Interval) -> Interval {
    match op {
        UnaryOp::Negate => fitting((-operand.1, -operand.0)),
        UnaryOp::BitNot => (-1 - operand.1, -1 - operand.0),
        UnaryOp::Not => match truth(operand) {
            Some(true) => (0, 0),
            Some(false) => (1, 1),
            None => TRUTH,
        },
    }
}

/// The right operand may be none: its evaluation always faults. None if the operator's does then, too.
pub fn binary(op: BinaryOp, left: Interval, right: Option<Interval>) -> Option<Interval> {
    match (op, truth(left), right) {
        (BinaryOp::And, Some(false), _) | (BinaryOp::And, None, None) => return Some((0, 0)),
        (BinaryOp::Or, Some(true), _) | (BinaryOp::Or, None, None) => return Some((1, 1)),
        _ => {}
    }
    let right = right?;
    Some(match op {
        BinaryOp::Add => fitting((left.0 + right.0, left.1 + right.1)),
        BinaryOp::Subtract => fitting((left.0 - right.1, left.1 - right.0)),
        BinaryOp::Multiply => fitting(corners(left, right, |left, right| left * right)),
        BinaryOp::Divide => return quotient(left, right),
        BinaryOp::Remainder => return remainder(left, right),
        BinaryOp::BitAnd => bit_and(left, right),
        BinaryOp::BitOr | BinaryOp::BitXor => match left.0 >= 0 && right.0 >= 0 {
            true => up_to_ones(left.1 | right.1 | 1),
            false => ALL_VALUES,
        },
        BinaryOp::ShiftLeft => match right.0 >= 0 && right.1 < 32 {
            true => fitting(corners(left, right, |left, right| left << right)),
            false => ALL_VALUES,
        },
        BinaryOp::ShiftRight => match right.0 >= 0 && right.1 < 32 {
            true => corners(left, right, |left, right| left >> right),
            false => (left.0.min(0), left.1.max(-1)),
        },
        BinaryOp::Equal => match (left, right) {
            _ if left.1 < right.0 || right.1 < left.0 => (0, 0),
            _ if left.0 == left.1 && left == right => (1, 1),
            _ => TRUTH,
        },
        BinaryOp::NotEqual => unary(UnaryOp::Not, binary(BinaryOp::Equal, left, Some(right))?),
        BinaryOp::Less => order(left.1 < right.0, left.0 >= right.1),
        BinaryOp::LessEqual => order(left.1 <= right.0, left.0 > right.1),
        BinaryOp::Greater => order(left.0 > right.1, left.1 <= right.0),
        BinaryOp::GreaterEqual => order(left.0 >= right.1, left.1 < right.0),
        BinaryOp::And | BinaryOp::Or => match (truth(left), truth(right)) {
            (_, Some(truth)) if truth == (op == BinaryOp::Or) => order(truth, !truth),
            (Some(_), Some(right)) => order(right, !right),
            _ => TRUTH,
        },
    })
}

/// From zero to the number of as many ones as `greatest` has digits.
fn up_to_ones(greatest: i64) -> Interval {
    (0, i64::MAX >> (greatest.leading_zeros() - 1))
}

fn truth(interval: Interval) -> Option<bool> {
    match interval {
        (0, 0) => Some(false),
        (least, greatest) if least > 0 || greatest < 0 => Some(true),
        _ => None,
    }
}

fn order(always: bool, never: bool) -> Interval {
    match (always, never) {
        (true, _) => (1, 1),
        (_, true) => (0, 0),
        _ => TRUTH,
    }
}

fn fitting(interval: Interval) -> Interval {
    let fits = interval.0 >= ALL_VALUES.0 && interval.1 <= ALL_VALUES.1;
    if fits { interval } else { ALL_VALUES }
}

/// For an operator that is monotone in each operand.
fn corners(left: Interval, right: Interval, op: impl Fn(i64, i64) -> i64) -> Interval {
    let results = [op(left.0, right.0), op(left.0, right.1), op(left.1, right.0), op(left.1, right.1)];
    let least = results.iter().min().expect("there are four corners");
    let greatest = results.iter().max().expect("there are four corners");
    (*least, *greatest)
}

fn quotient(left: Interval, right: Interval) -> Option<Interval> {
    let by = |divisor: Interval| {
        (divisor.0 <= divisor.1).then(|| fitting(corners(left, divisor, |left, right| left / right)))
    };
    let negative = by((right.0, right.1.min(-1)));
    let positive = by((right.0.max(1), right.1));
    match (negative, positive) {
        (Some(negative), Some(positive)) => Some((negative.0.min(positive.0), negative.1.max(positive.1))),
        (negative, positive) => negative.or(positive),
    }
}

fn remainder(left: Interval, right: Interval) -> Option<Interval> {
    if right == (0, 0) {
        return None;
    }
    let greatest = right.0.abs().max(right.1.abs()) - 1;
    let least = if left.0 < 0 { (-greatest).max(left.0) } else { 0 };
    Some((least, if left.1 > 0 { greatest.min(left.1) } else { 0 }))
}

fn bit_and(left: Interval, right: Interval) -> Interval {
    match (left.0 >= 0, right.0 >= 0) {
        (true, true) => (0, left.1.min(right.1)),
        (true, false) => (0, left.1),
        (false, true) => (0, right.1),
        (false, false) => ALL_VALUES,
    }
}

/// Narrows the inputs' intervals to what a condition leaves; false if it leaves nothing.
pub fn narrow(condition: &Formula, inputs: &mut [Interval]) -> bool {
    let Some(bounds) = condition.bounds(inputs) else { return false };
    if truth(bounds) == Some(false) {
        return false;
    }
    let Formula::Binary(op, left, right) = condition else { return true };
    let (Some(left_bounds), Some(right_bounds)) = (left.bounds(inputs), right.bounds(inputs)) else { return true };
    if let Formula::Input(input) = **left
        && !narrow_input(*op, &mut inputs[input as usize], right_bounds)
    {
        return false;
    }
    match (mirrored(*op), &**right) {
        (Some(op), Formula::Input(input)) => narrow_input(op, &mut inputs[*input as usize], left_bounds),
        _ => true,
    }
}

fn mirrored(op: BinaryOp) -> Option<BinaryOp> {
    Some(match op {
        BinaryOp::Equal | BinaryOp::NotEqual => op,
        BinaryOp::Less => BinaryOp::Greater,
        BinaryOp::LessEqual => BinaryOp::GreaterEqual,
        BinaryOp::Greater => BinaryOp::Less,
        BinaryOp::GreaterEqual => BinaryOp::LessEqual,
        _ => return None,
    })
}

fn narrow_input(op: BinaryOp, input: &mut Interval, bound: Interval) -> bool {
    match op {
        BinaryOp::Equal => *input = (input.0.max(bound.0), input.1.min(bound.1)),
        BinaryOp::Less => input.1 = input.1.min(bound.1 - 1),
        BinaryOp::LessEqual => input.1 = input.1.min(bound.1),
        BinaryOp::Greater => input.0 = input.0.max(bound.0 + 1),
        BinaryOp::GreaterEqual => input.0 = input.0.max(bound.0),
        BinaryOp::NotEqual if bound.0 == bound.1 => {
            if input.0 == bound.0 {
                input.0 += 1;
            }
            if input.1 == bound.0 {
                input.1 -= 1;
            }
        }
        _ => {}
    }
    input.0 <= input.1
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNARY: [UnaryOp; 3] = [UnaryOp::Negate, UnaryOp::BitNot, UnaryOp::Not];
    const BINARY: [BinaryOp; 18] = [
        BinaryOp::Add,
        BinaryOp::Subtract,
        BinaryOp::Multiply,
        BinaryOp::Divide,
        BinaryOp::Remainder,
        BinaryOp::BitAnd,
        BinaryOp::BitOr,
        BinaryOp::BitXor,
        BinaryOp::ShiftLeft,
        BinaryOp::ShiftRight,
        BinaryOp::Equal,
        BinaryOp::NotEqual,
        BinaryOp::Less,
        BinaryOp::LessEqual,
        BinaryOp::Greater,
        BinaryOp::GreaterEqual,
        BinaryOp::And,
        BinaryOp::Or,
    ];

    /// Numbers around the places where operators change their ways.
    const CORNERS: [i32; 13] = [i32::MIN, i32::MIN + 1, -33, -8, -2, -1, 0, 1, 2, 7, 31, 32, i32::MAX];

    #[test]
    fn every_result_is_within_the_interval() {
        let intervals: Vec<(i32, i32)> = (0..CORNERS.len())
            .flat_map(|first| (first..CORNERS.len()).map(move |last| (CORNERS[first], CORNERS[last])))
            .collect();
        let members =
            |(least, greatest): (i32, i32)| CORNERS.into_iter().filter(move |value| (least..=greatest).contains(value));
        let wide = |(least, greatest): (i32, i32)| (i64::from(least), i64::from(greatest));
        for &left in &intervals {
            for op in UNARY {
                let bounds = unary(op, wide(left));
                for value in members(left).map(|value| i64::from(op.apply(value))) {
                    assert!((bounds.0..=bounds.1).contains(&value), "{op:?} {left:?} gives {value}, not in {bounds:?}");
                }
            }
            for &right in &intervals {
                for op in BINARY {
                    let bounds = binary(op, wide(left), Some(wide(right)));
                    for l in members(left) {
                        for value in members(right).filter_map(|r| op.apply(l, r)) {
                            let bounds = bounds.unwrap_or_else(|| panic!("{l} {op:?} {right:?} has a value"));
                            let within = (bounds.0..=bounds.1).contains(&i64::from(value));
                            assert!(within, "{left:?} {op:?} {right:?} gives {value}, not in {bounds:?}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn conditions_narrow_what_satisfies_them_never_away() {
        for op in BINARY {
            for (first, second) in [(-3, 2), (0, 4), (2, 2)] {
                for (third, fourth) in [(-1, 1), (2, 5), (0, 0)] {
                    let formula = Formula::Binary(op, Box::new(Formula::Input(0)), Box::new(Formula::Input(1)));
                    let mut inputs = [(first, second), (third, fourth)];
                    let possible = narrow(&formula, &mut inputs);
                    for left in first..=second {
                        for right in third..=fourth {
                            let holds = formula.evaluate(&[left as i32, right as i32]).is_some_and(|value| value != 0);
                            let kept = (inputs[0].0..=inputs[0].1).contains(&left)
                                && (inputs[1].0..=inputs[1].1).contains(&right);
                            assert!(!holds || possible && kept, "{left} {op:?} {right}");
                        }
                    }
                }
            }
        }
    }
}
