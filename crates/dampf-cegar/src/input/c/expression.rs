//! Expressions: sums over the variables, with auxiliaries for what is not linear by itself.
//!
//! Signed arithmetic is that of the integers, under the assumption that it does not overflow. Unsigned arithmetic is
//! modulo a power of two, exactly: a result that may leave its type is an auxiliary, equal to the sum or to the sum and
//! a multiple of the modulus. Quotients and remainders by constants truncate towards zero. All auxiliaries are total
//! functions of the variables, so that what says what they are (`pending`) can be said on any edge that uses them.
//!
//! Order of evaluation is from the left. A value that must outlast a side effect is kept in a temporary variable.

use super::ast::{Expression, ExpressionKind};
use super::graph::between;
use super::lower::Lowering;
use super::types::{Range, Type};
use crate::formula::Formula;
use crate::linear::{Linear, Overflow, Relation, Symbol};
use crate::system::Sort;
use dampf_core::Span;
use dampf_core::problem::{Checked, Problem};

/// Wrapping around is a case distinction up to this many cases.
const CASES_MAX: i128 = 3;

#[derive(Clone, Debug)]
pub struct Value {
    pub sum: Linear,
    pub of: Type,
    pub range: Range,
}

impl Value {
    pub fn constant(value: i128, of: Type) -> Value {
        Value { sum: Linear::constant(value), of, range: Range::of(value) }
    }

    fn as_constant(&self) -> Option<i128> {
        self.sum.is_constant().then(|| self.sum.constant_part())
    }
}

/// Auxiliaries that values speak of, and what they are.
#[derive(Clone, Default)]
pub struct Pending {
    pub auxiliaries: Vec<Sort>,
    pub meanings: Vec<Formula>,
}

pub fn fits<T>(span: Span, result: Result<T, Overflow>) -> Checked<T> {
    result.map_err(|overflow| Problem::new(span, overflow.to_string(), "too large here"))
}

/// Whether evaluating an expression does something besides giving a value.
pub fn has_effects(expression: &Expression) -> bool {
    match &expression.kind {
        ExpressionKind::Number(_) | ExpressionKind::Text | ExpressionKind::Name(_) | ExpressionKind::SizeOf(_) => false,
        ExpressionKind::Call(..) | ExpressionKind::Assign(..) | ExpressionKind::Step { .. } => true,
        ExpressionKind::Unary(_, inner) | ExpressionKind::Cast(_, inner) => has_effects(inner),
        ExpressionKind::Binary(_, left, right) => has_effects(left) || has_effects(right),
        ExpressionKind::Choice(condition, one, other) => {
            has_effects(condition) || has_effects(one) || has_effects(other)
        }
    }
}

const COMPARISONS: &[&str] = &["==", "!=", "<", ">", "<=", ">="];

impl Lowering<'_> {
    pub fn value(&mut self, expression: &Expression) -> Checked<Value> {
        let span = expression.span;
        match &expression.kind {
            ExpressionKind::Number(literal) => {
                let candidates = [Type::INT, Type::INT.unsigned(), Type::LONG, Type::LONG.unsigned()];
                let of = candidates.into_iter().find(|of| {
                    let sign = if literal.is_unsigned { !of.is_signed } else { of.is_signed || !literal.is_decimal };
                    sign && (of.bits == 64 || !literal.is_long) && literal.value <= of.greatest()
                });
                Ok(Value::constant(literal.value, of.unwrap_or(Type::LONG.unsigned())))
            }
            ExpressionKind::Text => Err(Problem::new(span, "strings are not supported", "used here")),
            ExpressionKind::Name(name) => self.named(name, span),
            ExpressionKind::SizeOf(of) => Ok(Value::constant(i128::from(of.bits.div_ceil(8)), Type::LONG.unsigned())),
            ExpressionKind::Call(name, arguments) => match self.call(name, arguments, span)? {
                Some(value) => Ok(value),
                None => Err(Problem::new(span, format!("`{name}` gives no value"), "its result is void")),
            },
            ExpressionKind::Cast(None, _) => Err(Problem::new(span, "a void value is used", "cast to void")),
            ExpressionKind::Cast(Some(of), inner) => {
                let value = self.value(inner)?;
                self.converted(value, *of, span)
            }
            ExpressionKind::Unary("!", _) | ExpressionKind::Binary("&&" | "||", _, _) => self.truth(expression),
            ExpressionKind::Binary(operator, _, _) if COMPARISONS.contains(operator) => self.truth(expression),
            ExpressionKind::Unary(operator, inner) => {
                let value = self.value(inner)?;
                let of = value.of.promoted();
                let value = self.converted(value, of, span)?;
                match *operator {
                    "-" => self.arithmetic("-", Value::constant(0, of), value, of, span),
                    "~" => self.arithmetic(
                        "-",
                        Value::constant(if of.is_signed { -1 } else { of.greatest() }, of),
                        value,
                        of,
                        span,
                    ),
                    _ => Ok(value),
                }
            }
            ExpressionKind::Binary(",", left, right) => {
                self.effects(left)?;
                self.value(right)
            }
            ExpressionKind::Binary(operator, left, right) => {
                let (left, right) = self.operands(left, right)?;
                self.binary(operator, left, right, span)
            }
            ExpressionKind::Assign(operator, target, value) => {
                let id = self.target(target)?;
                let value = match operator {
                    None => self.value(value)?,
                    Some(operator) => {
                        let (left, right) = self.operands(target, value)?;
                        self.binary(operator, left, right, span)?
                    }
                };
                self.assign(id, value, span)?;
                Ok(self.variable_value(id))
            }
            ExpressionKind::Step { target, by, old } => {
                let id = self.target(target)?;
                let before = self.variable_value(id);
                let before = if *old { self.kept(before, span)? } else { before };
                let one = Value::constant(*by, Type::INT);
                let after = self.binary("+", self.variable_value(id), one, span)?;
                self.assign(id, after, span)?;
                Ok(if *old { before } else { self.variable_value(id) })
            }
            ExpressionKind::Choice(condition, one, other) => self.choice(condition, one, other, span),
        }
    }

    /// Evaluates an expression for what it does.
    pub fn effects(&mut self, expression: &Expression) -> Checked<()> {
        match &expression.kind {
            ExpressionKind::Call(name, arguments) => drop(self.call(name, arguments, expression.span)?),
            ExpressionKind::Cast(None, inner) => self.effects(inner)?,
            ExpressionKind::Step { target, by, .. } => {
                let quiet = ExpressionKind::Step { target: target.clone(), by: *by, old: false };
                drop(self.value(&Expression { kind: quiet, span: expression.span })?);
            }
            ExpressionKind::Choice(condition, one, other) => {
                let (yes, no, end) =
                    (self.fresh_place(one.span), self.fresh_place(other.span), self.fresh_place(expression.span));
                self.condition(condition, yes, no)?;
                for (start, part) in [(yes, one), (no, other)] {
                    self.current = start;
                    self.effects(part)?;
                    self.go(end, expression.span);
                }
                self.current = end;
            }
            _ => drop(self.value(expression)?),
        }
        Ok(())
    }

    fn target(&self, target: &Expression) -> Checked<u32> {
        match &target.kind {
            ExpressionKind::Name(name) => match self.lookup(name) {
                Some(id) => Ok(id),
                None => Err(self.unknown(name, target.span)),
            },
            _ => Err(Problem::new(target.span, "this cannot be assigned to", "is no variable")),
        }
    }

    fn named(&mut self, name: &str, span: Span) -> Checked<Value> {
        if let Some(id) = self.lookup(name) {
            return Ok(self.variable_value(id));
        }
        match name {
            "true" => Ok(Value::constant(1, Type::INT)),
            "false" => Ok(Value::constant(0, Type::INT)),
            "INT_MAX" => Ok(Value::constant(Type::INT.greatest(), Type::INT)),
            "INT_MIN" => Ok(Value::constant(Type::INT.least(), Type::INT)),
            "UINT_MAX" => Ok(Value::constant(Type::INT.unsigned().greatest(), Type::INT.unsigned())),
            _ => match self.constants.get(name) {
                Some(&value) => Ok(Value::constant(value, Type::INT)),
                None => Err(self.unknown(name, span)),
            },
        }
    }

    pub fn variable_value(&self, id: u32) -> Value {
        let variable = &self.graph.variables[id as usize];
        Value { sum: Linear::symbol(Symbol::Before(id)), of: variable.of, range: variable.range }
    }

    /// Both operands; the left one outlasts what the right one does.
    fn operands(&mut self, left: &Expression, right: &Expression) -> Checked<(Value, Value)> {
        let value = self.value(left)?;
        let value = if has_effects(right) { self.kept(value, left.span)? } else { value };
        Ok((value, self.value(right)?))
    }

    /// The value in a variable of its own.
    pub fn kept(&mut self, value: Value, span: Span) -> Checked<Value> {
        if value.sum.is_constant() {
            return Ok(value);
        }
        let id = self.temporary(value.of, value.range);
        self.step(vec![(id, value.sum)], Vec::new(), span, String::new());
        Ok(self.variable_value(id))
    }

    fn fresh(&mut self, meaning: impl FnOnce(Symbol) -> Result<Formula, Overflow>, span: Span) -> Checked<Symbol> {
        self.pending.auxiliaries.push(Sort::Integer);
        let symbol = Symbol::Auxiliary(self.pending.auxiliaries.len() as u32 - 1);
        let meaning = fits(span, meaning(symbol))?;
        self.pending.meanings.push(meaning);
        Ok(symbol)
    }

    fn binary(&mut self, operator: &str, left: Value, right: Value, span: Span) -> Checked<Value> {
        // A shift has the type of its left operand.
        let of = if matches!(operator, "<<" | ">>") { left.of.promoted() } else { left.of.joined(right.of) };
        let left = self.converted(left, of, span)?;
        let right = if matches!(operator, "<<" | ">>") { right } else { self.converted(right, of, span)? };
        self.arithmetic(operator, left, right, of, span)
    }

    fn arithmetic(&mut self, operator: &str, left: Value, right: Value, of: Type, span: Span) -> Checked<Value> {
        if let (Some(one), Some(other)) = (left.as_constant(), right.as_constant()) {
            return folded(operator, one, other, of, span);
        }
        let nonlinear = |what: &str| {
            Err(Problem::new(span, format!("{what} is not linear"), "nonlinear term")
                .help("one operand must be a constant"))
        };
        match operator {
            "+" | "-" => {
                let sign = if operator == "+" { 1 } else { -1 };
                let sum = fits(span, left.sum.plus(sign, &right.sum))?;
                self.brought_back(sum, left.range.plus(sign, right.range), of, span)
            }
            "*" => match (left.as_constant(), right.as_constant()) {
                (Some(factor), _) => self.multiple(&right, factor, of, span),
                (_, Some(factor)) => self.multiple(&left, factor, of, span),
                _ => nonlinear("a product of two variables"),
            },
            "/" | "%" => match right.as_constant() {
                Some(0) => Err(Problem::new(span, "a division by zero", "the divisor is zero")),
                Some(divisor) => self.division(operator, &left, divisor, of, span),
                None => nonlinear("a division by a variable"),
            },
            "<<" => match right.as_constant() {
                Some(by) if (0..i128::from(of.bits)).contains(&by) => self.multiple(&left, 1 << by, of, span),
                Some(_) => Err(Problem::new(span, "a shift by more bits than there are", "undefined in C")),
                None => nonlinear("a shift by a variable"),
            },
            ">>" => match right.as_constant() {
                Some(by) if (0..i128::from(of.bits)).contains(&by) => Ok(self.floor(&left, 1 << by, of, span)?.0),
                Some(_) => Err(Problem::new(span, "a shift by more bits than there are", "undefined in C")),
                None => nonlinear("a shift by a variable"),
            },
            "&" => {
                let (mask, value) = if let Some(mask) = left.as_constant() {
                    (mask, &right)
                } else {
                    (right.as_constant().unwrap_or(-1), &left)
                };
                // The low bits are a remainder, of negative numbers too.
                if mask >= 0 && (mask + 1) & mask == 0 {
                    return Ok(self.floor(value, mask + 1, of, span)?.1);
                }
                Err(bitwise(operator, span))
            }
            _ => Err(bitwise(operator, span)),
        }
    }

    fn multiple(&mut self, value: &Value, factor: i128, of: Type, span: Span) -> Checked<Value> {
        let sum = fits(span, value.sum.times(factor))?;
        let range = Range { least: value.range.least, greatest: value.range.greatest };
        let (Some(_), Some(_)) = (range.least.checked_mul(factor), range.greatest.checked_mul(factor)) else {
            return Err(Problem::new(span, "a product is too large", "exceeds 128 bits"));
        };
        self.brought_back(sum, range.times(factor), of, span)
    }

    /// A result of arithmetic as a value of its type: signed ones fit by assumption, unsigned ones wrap around.
    fn brought_back(&mut self, sum: Linear, range: Range, of: Type, span: Span) -> Checked<Value> {
        if of.is_signed {
            return Ok(Value { sum, of, range: range.clamped(of.range()) });
        }
        self.wrapped(sum, range, of, span)
    }

    /// The value of a type that differs from the sum by a multiple of its modulus.
    fn wrapped(&mut self, sum: Linear, range: Range, of: Type, span: Span) -> Checked<Value> {
        if range.within(of.range()) {
            return Ok(Value { sum, of, range });
        }
        if sum.is_constant() {
            let value = (sum.constant_part() - of.least()).rem_euclid(of.modulus()) + of.least();
            return Ok(Value::constant(value, of));
        }
        let turns = |value: i128| (value - of.least()).div_euclid(of.modulus());
        let (first, last) = (turns(range.least), turns(range.greatest));
        let sum = if last - first < CASES_MAX {
            let meaning = |symbol: Symbol| {
                let result = Linear::symbol(symbol);
                let mut cases = Vec::new();
                for turn in first..=last {
                    let moved = sum.plus(-turn, &Linear::constant(of.modulus()))?;
                    let equal = Formula::atom(result.plus(-1, &moved)?, Relation::Equal);
                    cases.push(Formula::and([equal, between(&moved, of.range())?]));
                }
                Ok(Formula::or(cases))
            };
            Linear::symbol(self.fresh(meaning, span)?)
        } else {
            let moved = |turns: Symbol| sum.plus(-of.modulus(), &Linear::symbol(turns));
            let turns = self.fresh(|symbol| between(&moved(symbol)?, of.range()), span)?;
            fits(span, moved(turns))?
        };
        Ok(Value { sum, of, range: of.range() })
    }

    /// Quotient and remainder with the quotient rounded down, for a positive divisor.
    fn floor(&mut self, value: &Value, divisor: i128, of: Type, span: Span) -> Checked<(Value, Value)> {
        let rest = |quotient: Symbol| value.sum.plus(-divisor, &Linear::symbol(quotient));
        let range = Range { least: 0, greatest: divisor - 1 };
        let quotient = self.fresh(|symbol| between(&rest(symbol)?, range), span)?;
        let bounds =
            Range { least: value.range.least.div_euclid(divisor), greatest: value.range.greatest.div_euclid(divisor) };
        Ok((
            Value { sum: Linear::symbol(quotient), of, range: bounds },
            Value { sum: fits(span, rest(quotient))?, of, range },
        ))
    }

    /// Towards zero: the remainder has the sign of the dividend.
    fn division(&mut self, operator: &str, value: &Value, divisor: i128, of: Type, span: Span) -> Checked<Value> {
        let (quotient, remainder) = if value.range.least >= 0 && divisor > 0 {
            self.floor(value, divisor, of, span)?
        } else {
            let size = divisor.abs() - 1;
            let rest = |quotient: Symbol| value.sum.plus(-divisor, &Linear::symbol(quotient));
            let meaning = |symbol: Symbol| {
                let rest = rest(symbol)?;
                let below = value.sum.plus(1, &Linear::constant(1))?;
                Ok(Formula::or([
                    Formula::and([
                        Formula::atom(value.sum.times(-1)?, Relation::AtMost),
                        between(&rest, Range { least: 0, greatest: size })?,
                    ]),
                    Formula::and([
                        Formula::atom(below, Relation::AtMost),
                        between(&rest, Range { least: -size, greatest: 0 })?,
                    ]),
                ]))
            };
            let quotient = self.fresh(meaning, span)?;
            let (one, other) = (value.range.least / divisor, value.range.greatest / divisor);
            (
                Value {
                    sum: Linear::symbol(quotient),
                    of,
                    range: Range { least: one.min(other).min(0), greatest: one.max(other).max(0) },
                },
                Value { sum: fits(span, rest(quotient))?, of, range: Range { least: -size, greatest: size } },
            )
        };
        // The least integer divided by -1 does not fit; it is an overflow.
        let clamp = |value: Value| Value { range: value.range.clamped(of.range()), ..value };
        Ok(clamp(if operator == "/" { quotient } else { remainder }))
    }

    pub fn converted(&mut self, value: Value, of: Type, span: Span) -> Checked<Value> {
        if value.of == of {
            return Ok(value);
        }
        if of == Type::BOOLEAN {
            if value.range.within(of.range()) {
                return Ok(Value { of, ..value });
            }
            let zero = fits(span, equal_to_zero(&value.sum))?;
            let result = self.bit(&fits(span, zero.negated())?, &zero, span)?;
            return Ok(Value { of, ..result });
        }
        self.wrapped(value.sum, value.range, of, span)
    }

    /// 1 where the one formula holds and 0 where its negation does.
    fn bit(&mut self, holds: &Formula, fails: &Formula, span: Span) -> Checked<Value> {
        let meaning = |symbol: Symbol| {
            let value = Linear::symbol(symbol);
            let is = |number: i128| Ok(Formula::atom(value.plus(-1, &Linear::constant(number))?, Relation::Equal));
            Ok(Formula::or([Formula::and([is(1)?, holds.clone()]), Formula::and([is(0)?, fails.clone()])]))
        };
        let symbol = self.fresh(meaning, span)?;
        Ok(Value { sum: Linear::symbol(symbol), of: Type::INT, range: Range { least: 0, greatest: 1 } })
    }

    /// A comparison or connective as the number 0 or 1.
    fn truth(&mut self, expression: &Expression) -> Checked<Value> {
        let span = expression.span;
        if !has_effects(expression) {
            let holds = self.formula(expression)?;
            let fails = fits(span, holds.negated())?;
            return match holds {
                Formula::True => Ok(Value::constant(1, Type::INT)),
                Formula::False => Ok(Value::constant(0, Type::INT)),
                _ => self.bit(&holds, &fails, span),
            };
        }
        let result = self.temporary(Type::INT, Range { least: 0, greatest: 1 });
        let (yes, no, end) = (self.fresh_place(span), self.fresh_place(span), self.fresh_place(span));
        self.condition(expression, yes, no)?;
        for (start, value) in [(yes, 1), (no, 0)] {
            self.current = start;
            self.edge(end, Vec::new(), vec![(result, Linear::constant(value))], Vec::new(), span, String::new());
        }
        self.current = end;
        Ok(self.variable_value(result))
    }

    fn choice(&mut self, condition: &Expression, one: &Expression, other: &Expression, span: Span) -> Checked<Value> {
        if !has_effects(condition) && !has_effects(one) && !has_effects(other) {
            let holds = self.formula(condition)?;
            let (one, other) = (self.value(one)?, self.value(other)?);
            let of = one.of.joined(other.of);
            let (one, other) = (self.converted(one, of, span)?, self.converted(other, of, span)?);
            let fails = fits(span, holds.negated())?;
            let meaning = |symbol: Symbol| {
                let is =
                    |value: &Value| Ok(Formula::atom(Linear::symbol(symbol).plus(-1, &value.sum)?, Relation::Equal));
                Ok(Formula::or([Formula::and([holds.clone(), is(&one)?]), Formula::and([fails.clone(), is(&other)?])]))
            };
            let symbol = self.fresh(meaning, span)?;
            let range = Range {
                least: one.range.least.min(other.range.least),
                greatest: one.range.greatest.max(other.range.greatest),
            };
            return Ok(Value { sum: Linear::symbol(symbol), of, range });
        }
        // The type is that in which both meet, which is only known once both are evaluated: the widest holds either.
        let result = self.temporary(Type::LONG, Type::LONG.range());
        let (yes, no, end) = (self.fresh_place(one.span), self.fresh_place(other.span), self.fresh_place(span));
        self.condition(condition, yes, no)?;
        let mut of = Type::CHAR;
        for (start, part) in [(yes, one), (no, other)] {
            self.current = start;
            let value = self.value(part)?;
            if !value.of.is_signed && value.of.bits >= 32 {
                return Err(Problem::new(
                    part.span,
                    "a choice with side effects between unsigned numbers is not supported",
                    "is unsigned",
                )
                .help("write an `if` statement"));
            }
            of = of.joined(value.of);
            self.edge(end, Vec::new(), vec![(result, value.sum)], Vec::new(), span, String::new());
        }
        self.current = end;
        Ok(Value { of, range: of.range(), ..self.variable_value(result) })
    }

    /// A condition without side effects.
    pub fn formula(&mut self, expression: &Expression) -> Checked<Formula> {
        let span = expression.span;
        match &expression.kind {
            ExpressionKind::Unary("!", inner) => {
                let inner = self.formula(inner)?;
                fits(span, inner.negated())
            }
            ExpressionKind::Binary("&&", left, right) => Ok(Formula::and([self.formula(left)?, self.formula(right)?])),
            ExpressionKind::Binary("||", left, right) => Ok(Formula::or([self.formula(left)?, self.formula(right)?])),
            ExpressionKind::Binary(operator, left, right) if COMPARISONS.contains(operator) => {
                let (left, right) = self.operands(left, right)?;
                let of = left.of.joined(right.of);
                let (left, right) = (self.converted(left, of, span)?, self.converted(right, of, span)?);
                fits(span, compared(operator, &left.sum, &right.sum))
            }
            _ => {
                let value = self.value(expression)?;
                let zero = fits(span, equal_to_zero(&value.sum))?;
                fits(span, zero.negated())
            }
        }
    }
}

fn bitwise(operator: &str, span: Span) -> Box<Problem> {
    Problem::new(span, format!("the bitwise operator `{operator}` on variables is not supported"), "used here")
        .help("numbers are integers here, without bits; `x & 7` is, as a remainder")
}

fn equal_to_zero(sum: &Linear) -> Result<Formula, Overflow> {
    Ok(Formula::atom(sum.clone(), Relation::Equal))
}

fn compared(operator: &str, left: &Linear, right: &Linear) -> Result<Formula, Overflow> {
    let at_most = |one: &Linear, other: &Linear| Ok(Formula::atom(one.plus(-1, other)?, Relation::AtMost));
    let below = |one: &Linear, other: &Linear| Ok(Formula::atom(one.plus(-1, other)?, Relation::Below));
    match operator {
        "<" => below(left, right),
        ">" => below(right, left),
        "<=" => at_most(left, right),
        ">=" => at_most(right, left),
        "!=" => equal_to_zero(&left.plus(-1, right)?)?.negated(),
        _ => equal_to_zero(&left.plus(-1, right)?),
    }
}

/// Arithmetic of two constants.
fn folded(operator: &str, one: i128, other: i128, of: Type, span: Span) -> Checked<Value> {
    let shift = || (0..i128::from(of.bits)).contains(&other);
    let value = match operator {
        "+" => one + other,
        "-" => one - other,
        "*" => {
            one.checked_mul(other).ok_or_else(|| Problem::new(span, "a product is too large", "exceeds 128 bits"))?
        }
        "/" | "%" if other == 0 => return Err(Problem::new(span, "a division by zero", "the divisor is zero")),
        "/" => one / other,
        "%" => one % other,
        "<<" if shift() => one << other,
        ">>" if shift() => one >> other,
        "<<" | ">>" => return Err(Problem::new(span, "a shift by more bits than there are", "undefined in C")),
        "&" => one & other,
        "|" => one | other,
        "^" => one ^ other,
        _ => unreachable!("the parser knows no other operator"),
    };
    if of.is_signed {
        if !Range::of(value).within(of.range()) {
            return Err(Problem::new(span, "a constant overflows its type", format!("does not fit `{}`", of.name())));
        }
        return Ok(Value::constant(value, of));
    }
    Ok(Value::constant(value.rem_euclid(of.modulus()), of))
}
