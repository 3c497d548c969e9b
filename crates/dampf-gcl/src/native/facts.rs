//! What is known about the values of a state at a point of the generated code.
//!
//! A location that was dispatched on, a guard that was true, a value that was just stored: all narrow the
//! interval of a field. A division or an index that they prove safe needs no check, and a step without checks
//! can be generated without branches. The decision is made before the code is: everything here works on
//! expressions alone, and the code that is generated later asks the same questions of the same facts.

use super::interval::Interval;
use crate::ir::{BinaryOp, ChannelId, Expr, Place, UnaryOp};
use crate::layout::{ArrayField, Field, Layout, Storage};

/// Where a place is, as far as it is known without running.
#[derive(Clone, Copy, Debug)]
pub(super) enum Spot {
    Fixed(Field),
    /// An element chosen by the place's index.
    Element(ArrayField),
    /// A constant index outside the array.
    Outside,
}

pub(super) fn spot(layout: &Layout, place: &Place) -> Spot {
    let constant = match place.index.as_deref() {
        None => Some(0),
        Some(Expr::Const(index)) => Some(*index),
        Some(_) => None,
    };
    let within = |len: usize| constant.and_then(|index| usize::try_from(index).ok()).filter(|index| *index < len);
    match (&layout.variables[place.variable.0 as usize], constant) {
        (Storage::Scalar(field), Some(0)) => Spot::Fixed(*field),
        (Storage::Scalar(_), _) => Spot::Outside,
        (Storage::Elements(fields), _) => within(fields.len()).map_or(Spot::Outside, |at| Spot::Fixed(fields[at])),
        (Storage::Array(array), None) => Spot::Element(*array),
        (Storage::Array(array), Some(_)) => {
            within(array.len as usize).map_or(Spot::Outside, |at| Spot::Fixed(array.element(at as u32)))
        }
    }
}

/// The field of a buffered channel's length.
pub(super) fn length_field(layout: &Layout, channel: ChannelId) -> Option<Field> {
    layout.channels[channel.0 as usize].as_ref().map(|buffer| buffer.length)
}

#[derive(Clone, Debug, Default)]
pub(super) struct Facts {
    /// Fields of at least one bit, each at most once.
    known: Vec<(Field, Interval)>,
}

impl Facts {
    /// The values that a field can have here.
    pub fn of(&self, field: Field) -> Interval {
        let whole = Interval::of_field(field);
        self.find(field).map_or(whole, |at| whole.and(self.known[at].1))
    }

    fn find(&self, field: Field) -> Option<usize> {
        if field.bits == 0 {
            return None;
        }
        self.known.iter().position(|(known, _)| (known.word, known.shift) == (field.word, field.shift))
    }

    /// Fields whose value is known, with that value.
    pub fn constants(&self) -> impl Iterator<Item = (Field, i32)> {
        self.known.iter().filter_map(|(field, interval)| Some((*field, interval.constant()?)))
    }

    /// Something more is known of a field's value.
    pub fn narrow(&mut self, field: Field, interval: Interval) {
        match self.find(field) {
            _ if field.bits == 0 => {}
            Some(at) => self.known[at].1 = self.known[at].1.and(interval),
            None => self.known.push((field, interval)),
        }
    }

    /// A value of the interval is stored into a field.
    pub fn store(&mut self, field: Field, value: Interval) {
        if let Some(at) = self.find(field) {
            self.known.swap_remove(at);
        }
        let constant = value.constant().map(|value| Interval::point(field.ty.wrap(value)));
        if let Some(interval) = constant.or_else(|| value.is_within_type(field.ty).then_some(value)) {
            self.narrow(field, interval);
        }
    }

    /// Some element of an array changes.
    pub fn forget(&mut self, array: &ArrayField) {
        let first = array.first;
        let words = first.word..=first.word + (array.len - 1) / array.per_word;
        let shifts = first.shift..first.shift + array.per_word * array.stride;
        self.known.retain(|(field, _)| !(words.contains(&field.word) && shifts.contains(&field.shift)));
    }

    /// The expression is known to be true, or false.
    pub fn assume(&mut self, layout: &Layout, expr: &Expr, truth: bool) {
        match expr {
            Expr::Unary(UnaryOp::Not, operand) => self.assume(layout, operand, !truth),
            Expr::Binary(BinaryOp::And, left, right, _) if truth => {
                self.assume(layout, left, true);
                self.assume(layout, right, true);
            }
            Expr::Binary(BinaryOp::Or, left, right, _) if !truth => {
                self.assume(layout, left, false);
                self.assume(layout, right, false);
            }
            Expr::Binary(op, left, right, _) if op.is_comparison() => {
                let op = if truth { *op } else { op.complement() };
                self.compare(layout, left, op, self.interval(layout, right));
                self.compare(layout, right, op.exchanged(), self.interval(layout, left));
            }
            Expr::At(process, location) if truth => {
                self.narrow(layout.locations[process.0 as usize], Interval::point(location.0 as i32));
            }
            Expr::Read(_) | Expr::Length(_) => {
                let op = if truth { BinaryOp::NotEqual } else { BinaryOp::Equal };
                self.compare(layout, expr, op, Interval::point(0));
            }
            _ => {}
        }
    }

    /// The expression is known to compare like this with some value of the interval.
    fn compare(&mut self, layout: &Layout, expr: &Expr, op: BinaryOp, other: Interval) {
        let field = match expr {
            Expr::Read(place) => match spot(layout, place) {
                Spot::Fixed(field) => field,
                Spot::Element(_) | Spot::Outside => return,
            },
            Expr::Length(channel) => match length_field(layout, *channel) {
                Some(field) => field,
                None => return,
            },
            _ => return,
        };
        let now = self.of(field);
        let (least, greatest) = match op {
            BinaryOp::Equal => (other.least, other.greatest),
            BinaryOp::Less => (now.least, other.greatest - 1),
            BinaryOp::LessEqual => (now.least, other.greatest),
            BinaryOp::Greater => (other.least + 1, now.greatest),
            BinaryOp::GreaterEqual => (other.least, now.greatest),
            BinaryOp::NotEqual if other.constant().is_some_and(|value| i64::from(value) == now.least) => {
                (now.least + 1, now.greatest)
            }
            BinaryOp::NotEqual if other.constant().is_some_and(|value| i64::from(value) == now.greatest) => {
                (now.least, now.greatest - 1)
            }
            _ => return,
        };
        if least <= greatest {
            self.narrow(field, now.and(Interval::between(least, greatest)));
        }
    }

    /// The values that an expression can have here.
    pub fn interval(&self, layout: &Layout, expr: &Expr) -> Interval {
        match expr {
            Expr::Const(value) => Interval::point(*value),
            Expr::Read(place) => match spot(layout, place) {
                Spot::Fixed(field) => self.of(field),
                Spot::Element(array) => Interval::of_field(array.first),
                Spot::Outside => Interval::FULL,
            },
            Expr::At(process, location) => {
                let here = self.of(layout.locations[process.0 as usize]);
                Interval::binary(BinaryOp::Equal, here, Interval::point(location.0 as i32))
            }
            Expr::Length(channel) => length_field(layout, *channel).map_or(Interval::point(0), |field| self.of(field)),
            Expr::Unary(op, operand) => {
                let operand = self.interval(layout, operand);
                match op {
                    UnaryOp::Negate => operand.negated(),
                    UnaryOp::BitNot => operand.negated().shifted(-1),
                    UnaryOp::Not => Interval::binary(BinaryOp::Equal, operand, Interval::point(0)),
                }
            }
            Expr::Binary(op, left, right, _) => {
                let (left, right) = (self.interval(layout, left), self.interval(layout, right));
                Interval::binary(*op, left, right)
            }
            Expr::Conditional(condition, then, otherwise) => {
                let (then, otherwise) = (self.interval(layout, then), self.interval(layout, otherwise));
                match self.interval(layout, condition) {
                    known if known.constant() == Some(0) => otherwise,
                    known if !known.contains(0) => then,
                    _ => then.or(otherwise),
                }
            }
        }
    }

    /// Whether the place's index is certainly within its array.
    pub fn is_index_safe(&self, layout: &Layout, place: &Place) -> bool {
        match spot(layout, place) {
            Spot::Fixed(_) => true,
            Spot::Outside => false,
            Spot::Element(array) => {
                let index = place.index.as_deref().expect("a place with a computed element has an index");
                self.interval(layout, index).is_within(0, i64::from(array.len) - 1)
            }
        }
    }

    /// Whether the expression is true, and no check is needed to know it.
    pub fn is_certain(&self, layout: &Layout, expr: &Expr) -> bool {
        self.is_harmless(layout, expr) && !self.interval(layout, expr).contains(0)
    }

    /// Whether code for the expression may run although the program would not have evaluated it: it needs no
    /// checks, it does not trap, and it stays within the state's memory whatever the values are.
    pub fn is_harmless(&self, layout: &Layout, expr: &Expr) -> bool {
        match expr {
            Expr::Const(_) | Expr::At(..) | Expr::Length(_) => true,
            Expr::Read(place) => self.is_place_harmless(layout, place),
            Expr::Unary(_, operand) => self.is_harmless(layout, operand),
            Expr::Binary(op, left, right, _) => {
                if !self.is_harmless(layout, left) {
                    return false;
                }
                match op {
                    BinaryOp::Divide | BinaryOp::Remainder => matches!(**right, Expr::Const(divisor) if divisor != 0),
                    BinaryOp::And => self.assuming(layout, left, true).is_harmless(layout, right),
                    BinaryOp::Or => self.assuming(layout, left, false).is_harmless(layout, right),
                    _ => self.is_harmless(layout, right),
                }
            }
            Expr::Conditional(condition, then, otherwise) => {
                self.is_harmless(layout, condition)
                    && self.assuming(layout, condition, true).is_harmless(layout, then)
                    && self.assuming(layout, condition, false).is_harmless(layout, otherwise)
            }
        }
    }

    pub fn is_place_harmless(&self, layout: &Layout, place: &Place) -> bool {
        let Some(index) = &place.index else { return true };
        let in_memory = match spot(layout, place) {
            // An index into a single word is a shift, which cannot leave the word; one that selects a word in
            // memory must be in range by what its fields can hold, not by what was assumed.
            Spot::Element(array) => array.is_one_word() || Facts::default().is_index_safe(layout, place),
            Spot::Fixed(_) | Spot::Outside => true,
        };
        in_memory && self.is_index_safe(layout, place) && self.is_harmless(layout, index)
    }

    /// These facts, and that the expression is true, or false.
    pub fn assuming(&self, layout: &Layout, expr: &Expr, truth: bool) -> Facts {
        let mut facts = self.clone();
        facts.assume(layout, expr, truth);
        facts
    }
}
