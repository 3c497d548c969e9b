//! Equations that hold of all points of a set: affine hulls, as in Karr's analysis.

use crate::rational::Rational;

/// Points that are affinely independent; the hull is all that they span.
#[derive(Clone, Debug, Default)]
pub struct AffineHull {
    points: Vec<Vec<Rational>>,
    /// Each is coefficients and a constant: their sum with the values is zero on the hull.
    equations: Vec<Vec<Rational>>,
}

impl AffineHull {
    pub fn is_empty(&self) -> bool {
        self.points.is_empty()
    }

    /// Adds a point that is not on the hull.
    pub fn add(&mut self, point: Vec<Rational>) {
        self.points.push(point);
        self.equations = null_space(&self.points);
    }

    pub fn equations(&self) -> &[Vec<Rational>] {
        &self.equations
    }
}

/// A basis of the equations that hold of all points, in the form that elimination gives: one for each free column.
fn null_space(points: &[Vec<Rational>]) -> Vec<Vec<Rational>> {
    let width = points[0].len() + 1;
    let mut rows: Vec<Vec<Rational>> =
        points.iter().map(|point| point.iter().cloned().chain([Rational::ONE]).collect()).collect();
    let mut pivots: Vec<usize> = Vec::new();
    // From the last column on: the equations speak of the first variables in terms of the later ones.
    for column in (0..width).rev() {
        let done = pivots.len();
        let Some(found) = (done..rows.len()).find(|&row| !rows[row][column].is_zero()) else { continue };
        rows.swap(done, found);
        let inverse = rows[done][column].inverse();
        rows[done].iter_mut().for_each(|value| *value = value.times(&inverse));
        let pivot = rows[done].clone();
        for (at, row) in rows.iter_mut().enumerate() {
            if at != done && !row[column].is_zero() {
                let factor = row[column].negated();
                row.iter_mut().zip(&pivot).for_each(|(value, other)| *value = value.plus_product(&factor, other));
            }
        }
        pivots.push(column);
    }
    let free = (0..width).filter(|column| !pivots.contains(column));
    free.map(|column| {
        let mut equation = vec![Rational::ZERO; width];
        equation[column] = Rational::ONE;
        for (row, &pivot) in pivots.iter().enumerate() {
            equation[pivot] = rows[row][column].negated();
        }
        equation
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equations_hold_of_all_points() {
        let point = |values: [i128; 3]| values.map(Rational::integer).to_vec();
        let mut hull = AffineHull::default();
        for (values, equations) in [([0, 0, 1], 3), ([1, 2, 1], 2), ([5, 3, 1], 1), ([0, 0, 2], 0)] {
            hull.add(point(values));
            assert_eq!(hull.equations().len(), equations);
            for equation in hull.equations() {
                for point in &hull.points {
                    let values = point.iter().chain([&Rational::ONE]);
                    let sum = equation.iter().zip(values).fold(Rational::ZERO, |sum, (a, b)| sum.plus_product(a, b));
                    assert!(sum.is_zero());
                }
            }
        }
    }
}
