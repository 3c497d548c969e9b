//! An exact simplex over bounds: the general simplex of Dutertre and de Moura.
//!
//! A column is a variable or a linear form over variables; what is asserted are bounds of columns. Strict bounds are
//! bounds by a number and an infinitesimal part. Pivots follow Bland's rule, so that every check ends, and so that the
//! same assertions in the same order lead to the same tableau, model and conflict everywhere: nothing depends on
//! addresses, hashes or clocks.
//!
//! Invariants between calls: the terms of a row are columns that are not basic, sorted; the value of a basic column is
//! the sum of its row; a column that is not basic is within its bounds.

use crate::rational::Rational;
use std::cmp::Ordering;
use std::collections::BTreeMap;

pub type Column = u32;

/// A number and a multiple of an infinitesimal.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Value {
    pub real: Rational,
    pub infinitesimal: Rational,
}

impl Value {
    pub fn real(real: Rational) -> Value {
        Value { real, infinitesimal: Rational::ZERO }
    }

    fn minus(&self, other: &Value) -> Value {
        Value { real: self.real.minus(&other.real), infinitesimal: self.infinitesimal.minus(&other.infinitesimal) }
    }

    fn add_product(&mut self, factor: &Rational, other: &Value) {
        self.real = self.real.plus_product(factor, &other.real);
        if !other.infinitesimal.is_zero() {
            self.infinitesimal = self.infinitesimal.plus_product(factor, &other.infinitesimal);
        }
    }

    fn times(&self, factor: &Rational) -> Value {
        Value { real: self.real.times(factor), infinitesimal: self.infinitesimal.times(factor) }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    Lower,
    Upper,
}

/// Bounds that contradict each other, each with a positive factor: the sum of `factor * (column - bound)` of upper
/// bounds and of `factor * (bound - column)` of lower bounds is a positive number.
pub type Conflict = Vec<(Reason, Side, Rational)>;

/// What a bound was asserted for; a number of the caller's.
pub type Reason = u32;

#[derive(Clone, Debug)]
struct Bound {
    value: Value,
    reason: Reason,
}

#[derive(Clone, Debug)]
struct Row {
    basic: Column,
    terms: Vec<(Column, Rational)>,
}

/// The basic column that stops another from moving, its row, and the bound that it is at then.
type Stop = (Column, usize, Value);

#[derive(Clone, Debug, Default)]
pub struct Simplex {
    lower: Vec<Option<Bound>>,
    upper: Vec<Option<Bound>>,
    values: Vec<Value>,
    /// By column, its row if it is basic.
    row_of: Vec<Option<u32>>,
    rows: Vec<Row>,
    forms: BTreeMap<Vec<(Column, Rational)>, Column>,
    /// Bounds that were replaced since the beginning.
    replaced: Vec<(Column, Side, Option<Bound>)>,
}

impl Simplex {
    pub fn add_variable(&mut self) -> Column {
        let column = self.values.len() as Column;
        self.lower.push(None);
        self.upper.push(None);
        self.values.push(Value::default());
        self.row_of.push(None);
        column
    }

    pub fn columns(&self) -> usize {
        self.values.len()
    }

    pub fn value(&self, column: Column) -> &Value {
        &self.values[column as usize]
    }

    /// The column of a linear form, the same one for the same form. Terms are sorted by column, and none is zero.
    pub fn form(&mut self, terms: &[(Column, Rational)]) -> Column {
        if let [(column, factor)] = terms
            && factor.is_one()
        {
            return *column;
        }
        if let Some(&column) = self.forms.get(terms) {
            return column;
        }
        let column = self.add_variable();
        self.forms.insert(terms.to_vec(), column);
        let mut row: Vec<(Column, Rational)> = Vec::new();
        for (term, factor) in terms {
            match self.row_of[*term as usize] {
                None => row = sum(&row, factor, &[(*term, Rational::ONE)]),
                Some(at) => row = sum(&row, factor, &self.rows[at as usize].terms),
            }
        }
        self.values[column as usize] = self.evaluate(&row);
        self.row_of[column as usize] = Some(self.rows.len() as u32);
        self.rows.push(Row { basic: column, terms: row });
        column
    }

    fn evaluate(&self, terms: &[(Column, Rational)]) -> Value {
        let mut value = Value::default();
        for (column, factor) in terms {
            value.add_product(factor, &self.values[*column as usize]);
        }
        value
    }

    /// Asserts `column <= value`.
    pub fn assert_upper(&mut self, column: Column, value: Value, reason: Reason) -> Result<(), Conflict> {
        let at = column as usize;
        if self.upper[at].as_ref().is_some_and(|bound| bound.value <= value) {
            return Ok(());
        }
        if let Some(lower) = &self.lower[at]
            && lower.value > value
        {
            return Err(vec![(lower.reason, Side::Lower, Rational::ONE), (reason, Side::Upper, Rational::ONE)]);
        }
        if self.row_of[at].is_none() && self.values[at] > value {
            self.update(column, value.clone());
        }
        let before = self.upper[at].replace(Bound { value, reason });
        self.replaced.push((column, Side::Upper, before));
        Ok(())
    }

    /// Asserts `column >= value`.
    pub fn assert_lower(&mut self, column: Column, value: Value, reason: Reason) -> Result<(), Conflict> {
        let at = column as usize;
        if self.lower[at].as_ref().is_some_and(|bound| bound.value >= value) {
            return Ok(());
        }
        if let Some(upper) = &self.upper[at]
            && upper.value < value
        {
            return Err(vec![(upper.reason, Side::Upper, Rational::ONE), (reason, Side::Lower, Rational::ONE)]);
        }
        if self.row_of[at].is_none() && self.values[at] < value {
            self.update(column, value.clone());
        }
        let before = self.lower[at].replace(Bound { value, reason });
        self.replaced.push((column, Side::Lower, before));
        Ok(())
    }

    /// How much was asserted so far.
    pub fn mark(&self) -> usize {
        self.replaced.len()
    }

    /// Takes back the bounds that were asserted since. The values stay: they are within wider bounds, too.
    pub fn backtrack(&mut self, mark: usize) {
        for (column, side, bound) in self.replaced.drain(mark..).rev() {
            match side {
                Side::Lower => self.lower[column as usize] = bound,
                Side::Upper => self.upper[column as usize] = bound,
            }
        }
    }

    /// Both bounds of a column, where it has them and they are equal.
    pub fn fixed(&self, column: Column) -> Option<&Value> {
        let (lower, upper) = (self.lower[column as usize].as_ref()?, self.upper[column as usize].as_ref()?);
        (lower.value == upper.value).then_some(&lower.value)
    }

    pub fn lower_bound(&self, column: Column) -> Option<&Value> {
        self.lower[column as usize].as_ref().map(|bound| &bound.value)
    }

    pub fn upper_bound(&self, column: Column) -> Option<&Value> {
        self.upper[column as usize].as_ref().map(|bound| &bound.value)
    }

    /// The reasons of both bounds.
    pub fn reasons(&self, column: Column) -> impl Iterator<Item = Reason> {
        [&self.lower[column as usize], &self.upper[column as usize]].into_iter().flatten().map(|bound| bound.reason)
    }

    /// The rows: a basic column, and the sum that it equals.
    pub fn rows(&self) -> impl Iterator<Item = (Column, &[(Column, Rational)])> {
        self.rows.iter().map(|row| (row.basic, row.terms.as_slice()))
    }

    /// Moves a column that is not basic, and with it the basic ones.
    fn update(&mut self, column: Column, value: Value) {
        let difference = value.minus(&self.values[column as usize]);
        for row in &self.rows {
            if let Some(factor) = coefficient(&row.terms, column) {
                self.values[row.basic as usize].add_product(factor, &difference);
            }
        }
        self.values[column as usize] = value;
    }

    /// Finds values within all bounds, or bounds that contradict each other.
    pub fn check(&mut self) -> Result<(), Conflict> {
        loop {
            let Some((row, side)) = self.violated() else { return Ok(()) };
            let terms = &self.rows[row].terms;
            let entering = terms.iter().find(|(column, factor)| match (side, factor.is_positive()) {
                (Side::Lower, true) | (Side::Upper, false) => self.may_grow(*column),
                (Side::Lower, false) | (Side::Upper, true) => self.may_shrink(*column),
            });
            let Some(&(entering, ref factor)) = entering else { return Err(self.conflict(row, side)) };
            let basic = self.rows[row].basic as usize;
            let target = match side {
                Side::Lower => self.lower[basic].as_ref(),
                Side::Upper => self.upper[basic].as_ref(),
            };
            let target = target.expect("a violated bound exists").value.clone();
            let step = target.minus(&self.values[basic]).times(&factor.inverse());
            let mut value = self.values[entering as usize].clone();
            value.add_product(&Rational::ONE, &step);
            self.update(entering, value);
            // Set by name, so that it is the bound itself.
            self.values[basic] = target;
            self.pivot(row, entering);
        }
    }

    /// The row of the first basic column that is out of its bounds.
    fn violated(&self) -> Option<(usize, Side)> {
        let mut first: Option<(Column, usize, Side)> = None;
        for (at, row) in self.rows.iter().enumerate() {
            if first.is_some_and(|(column, ..)| column < row.basic) {
                continue;
            }
            let basic = row.basic as usize;
            let value = &self.values[basic];
            if self.lower[basic].as_ref().is_some_and(|bound| *value < bound.value) {
                first = Some((row.basic, at, Side::Lower));
            } else if self.upper[basic].as_ref().is_some_and(|bound| *value > bound.value) {
                first = Some((row.basic, at, Side::Upper));
            }
        }
        first.map(|(_, row, side)| (row, side))
    }

    fn may_grow(&self, column: Column) -> bool {
        self.upper[column as usize].as_ref().is_none_or(|bound| self.values[column as usize] < bound.value)
    }

    fn may_shrink(&self, column: Column) -> bool {
        self.lower[column as usize].as_ref().is_none_or(|bound| self.values[column as usize] > bound.value)
    }

    fn conflict(&self, row: usize, side: Side) -> Conflict {
        let opposite = |side: Side| if side == Side::Lower { Side::Upper } else { Side::Lower };
        let reason = |column: Column, side: Side| {
            let bound = match side {
                Side::Lower => &self.lower[column as usize],
                Side::Upper => &self.upper[column as usize],
            };
            bound.as_ref().expect("a column that cannot move is at a bound").reason
        };
        let Row { basic, terms } = &self.rows[row];
        let mut conflict = vec![(reason(*basic, side), side, Rational::ONE)];
        for (column, factor) in terms {
            let held = if factor.is_positive() { opposite(side) } else { side };
            let factor = if factor.is_negative() { factor.negated() } else { factor.clone() };
            conflict.push((reason(*column, held), held, factor));
        }
        conflict
    }

    /// Makes a column basic in place of the one whose row this is.
    fn pivot(&mut self, row: usize, entering: Column) {
        let leaving = self.rows[row].basic;
        let mut terms = std::mem::take(&mut self.rows[row].terms);
        let at = terms.binary_search_by_key(&entering, |(column, _)| *column).expect("the column is in the row");
        let inverse = terms.remove(at).1.inverse();
        let negated = inverse.negated();
        for (_, factor) in &mut terms {
            *factor = factor.times(&negated);
        }
        let at = terms.binary_search_by_key(&leaving, |(column, _)| *column).expect_err("a basic column is in no row");
        terms.insert(at, (leaving, inverse));
        for (index, other) in self.rows.iter_mut().enumerate() {
            if index != row
                && let Ok(at) = other.terms.binary_search_by_key(&entering, |(column, _)| *column)
            {
                let factor = other.terms.remove(at).1;
                other.terms = sum(&other.terms, &factor, &terms);
            }
        }
        self.rows[row] = Row { basic: entering, terms };
        self.row_of[leaving as usize] = None;
        self.row_of[entering as usize] = Some(row as u32);
    }

    /// The supremum of a column within the bounds that a successful check has met; none if there is no limit.
    ///
    /// Pivots follow Bland's rule here, too. The values are within all bounds all the time.
    pub fn maximise(&mut self, column: Column) -> Option<Value> {
        if self.row_of[column as usize].is_none() {
            // A column that is not basic is an objective of one term: give it a row by making it basic where it may.
            let candidate = self.rows.iter().position(|row| coefficient(&row.terms, column).is_some());
            match candidate {
                Some(_) => return self.maximise_nonbasic(column),
                None => return self.upper[column as usize].as_ref().map(|bound| bound.value.clone()),
            }
        }
        loop {
            let row = self.row_of[column as usize]? as usize;
            let terms = &self.rows[row].terms;
            let entering = terms.iter().find_map(|(entering, factor)| {
                let grows = factor.is_positive();
                let may = if grows { self.may_grow(*entering) } else { self.may_shrink(*entering) };
                may.then_some((*entering, grows))
            });
            let Some((entering, grows)) = entering else { return Some(self.values[column as usize].clone()) };
            if !self.move_column(entering, grows, column)? {
                // The objective itself hit its bound and left the basis.
                return Some(self.values[column as usize].clone());
            }
        }
    }

    fn maximise_nonbasic(&mut self, column: Column) -> Option<Value> {
        while self.row_of[column as usize].is_none() {
            if !self.may_grow(column) {
                return Some(self.values[column as usize].clone());
            }
            self.move_column(column, true, column)?;
        }
        self.maximise(column)
    }

    /// Moves a column as far as bounds allow, and pivots with the row that stops it. None if nothing stops it; false if
    /// the objective's own row does.
    fn move_column(&mut self, entering: Column, grows: bool, objective: Column) -> Option<bool> {
        let own = if grows { &self.upper[entering as usize] } else { &self.lower[entering as usize] };
        let distance = |bound: &Value, value: &Value| {
            let difference = bound.minus(value);
            if grows { difference } else { difference.times(&Rational::integer(-1)) }
        };
        let mut least: Option<(Value, Option<Stop>)> =
            own.as_ref().map(|bound| (distance(&bound.value, &self.values[entering as usize]), None));
        for (at, row) in self.rows.iter().enumerate() {
            let Some(factor) = coefficient(&row.terms, entering) else { continue };
            let basic = row.basic as usize;
            let rises = factor.is_positive() == grows;
            let bound = if rises { &self.upper[basic] } else { &self.lower[basic] };
            let Some(bound) = bound else { continue };
            let magnitude = if factor.is_negative() { factor.negated() } else { factor.clone() };
            let difference = bound.value.minus(&self.values[basic]);
            let difference = if rises { difference } else { difference.times(&Rational::integer(-1)) };
            let step = difference.times(&magnitude.inverse());
            let is_less = least.as_ref().is_none_or(|(least, stop)| match step.cmp(least) {
                Ordering::Less => true,
                Ordering::Equal => stop.as_ref().is_some_and(|(column, ..)| row.basic < *column),
                Ordering::Greater => false,
            });
            if is_less {
                least = Some((step, Some((row.basic, at, bound.value.clone()))));
            }
        }
        let (step, stop) = least?;
        let mut value = self.values[entering as usize].clone();
        value.add_product(&Rational::integer(if grows { 1 } else { -1 }), &step);
        self.update(entering, value);
        if let Some((basic, row, bound)) = stop {
            self.values[basic as usize] = bound;
            self.pivot(row, entering);
            return Some(basic != objective);
        }
        Some(true)
    }
}

fn coefficient(terms: &[(Column, Rational)], column: Column) -> Option<&Rational> {
    terms.binary_search_by_key(&column, |(column, _)| *column).ok().map(|at| &terms[at].1)
}

/// `left + factor * right`, of sums that are sorted by column.
pub(crate) fn sum(
    left: &[(Column, Rational)],
    factor: &Rational,
    right: &[(Column, Rational)],
) -> Vec<(Column, Rational)> {
    let mut terms = Vec::with_capacity(left.len() + right.len());
    let (mut i, mut j) = (0, 0);
    while i < left.len() || j < right.len() {
        if j == right.len() || i < left.len() && left[i].0 < right[j].0 {
            terms.push(left[i].clone());
            i += 1;
        } else if i == left.len() || right[j].0 < left[i].0 {
            terms.push((right[j].0, right[j].1.times(factor)));
            j += 1;
        } else {
            let value = left[i].1.plus_product(factor, &right[j].1);
            if !value.is_zero() {
                terms.push((left[i].0, value));
            }
            i += 1;
            j += 1;
        }
    }
    terms
}
