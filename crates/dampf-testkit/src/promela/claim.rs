//! Formulas of linear temporal logic about random models.

use super::Generator;
use super::tree::{Tree, expression, text};

impl Generator {
    /// An `ltl` block about the global state.
    pub(super) fn claim(&mut self) -> Tree {
        (self.current, self.locals) = (None, Vec::new());
        // What claims cannot look at, or what one verifier looks at in another moment than the other.
        (self.is_near, self.is_fixed) = (true, true);
        let formula = self.formula(3);
        expression(vec![text("ltl property { "), formula, text(" }\n")])
    }

    fn formula(&mut self, depth: usize) -> Tree {
        if depth == 0 {
            let condition = self.condition(0);
            return expression(vec![text("("), condition, text(")")]);
        }
        let operand = |generator: &mut Generator| generator.formula(depth - 1);
        match self.below(9) {
            0 | 1 => expression(vec![text("([] "), operand(self), text(")")]),
            2 | 3 => expression(vec![text("(<> "), operand(self), text(")")]),
            4 => expression(vec![text("(!"), operand(self), text(")")]),
            5 => expression(vec![text("("), operand(self), text(" U "), operand(self), text(")")]),
            6 => expression(vec![text("("), operand(self), text(" -> "), operand(self), text(")")]),
            7 => expression(vec![text("("), operand(self), text(" && "), operand(self), text(")")]),
            _ => expression(vec![text("("), operand(self), text(" || "), operand(self), text(")")]),
        }
    }
}
