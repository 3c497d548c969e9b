//! Which values each variable can take.

use crate::ir::{Program, Variable};

/// `count` consecutive values from `base` on, wrapped to the type of the variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Range {
    pub base: i32,
    pub count: u64,
}

impl Range {
    /// All values of the variable's type.
    pub fn of_type(variable: &Variable) -> Range {
        let (least, greatest) = variable.ty.range();
        Range { base: least, count: (i64::from(greatest) - i64::from(least) + 1) as u64 }
    }
}

/// For each variable, a range that holds every value it takes in any run.
pub fn ranges(program: &Program) -> Vec<Range> {
    program.variables.iter().map(Range::of_type).collect()
}
