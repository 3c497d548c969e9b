//! Expressions as text, for people: the names of the source, C's operators, no more parentheses than needed.

use crate::ir::{BinaryOp, Expr, Place, Program, UnaryOp};

const CONDITIONAL: u8 = 1;
const UNARY: u8 = 12;

/// The text of an expression.
pub fn expression_text(program: &Program, expr: &Expr) -> String {
    let mut text = String::new();
    Printer { program, text: &mut text }.expression(expr, 0);
    text
}

/// The text of a place: `x`, `P.x`, `a[i + 1]`.
pub fn place_text(program: &Program, place: &Place) -> String {
    let mut text = String::new();
    Printer { program, text: &mut text }.place(place);
    text
}

struct Printer<'a> {
    program: &'a Program,
    text: &'a mut String,
}

impl Printer<'_> {
    /// Appends an expression that stands where operators must bind at least as tightly as `context`.
    fn expression(&mut self, expr: &Expr, context: u8) {
        match expr {
            Expr::Const(value) => self.text.push_str(&value.to_string()),
            Expr::Read(place) => self.place(place),
            Expr::At(process, location) => {
                let process = self.program.process(*process);
                self.text.push_str(&format!("{}.{}", process.name, process.locations[location.0 as usize].name));
            }
            Expr::Length(channel) => self.text.push_str(&format!("len({})", self.program.channel(*channel).name)),
            Expr::Unary(op, operand) => {
                self.text.push(match op {
                    UnaryOp::Negate => '-',
                    UnaryOp::BitNot => '~',
                    UnaryOp::Not => '!',
                });
                self.expression(operand, UNARY);
            }
            Expr::Binary(op, left, right, _) => {
                let (operator, precedence) = operator(*op);
                self.parenthesised(precedence < context, |printer| {
                    printer.expression(left, precedence);
                    printer.text.push_str(&format!(" {operator} "));
                    printer.expression(right, precedence + 1);
                });
            }
            Expr::Conditional(condition, then, otherwise) => {
                self.parenthesised(CONDITIONAL < context, |printer| {
                    printer.expression(condition, CONDITIONAL + 1);
                    printer.text.push_str(" ? ");
                    printer.expression(then, CONDITIONAL);
                    printer.text.push_str(" : ");
                    printer.expression(otherwise, CONDITIONAL);
                });
            }
        }
    }

    fn place(&mut self, place: &Place) {
        self.text.push_str(&self.program.variable_name(place.variable));
        if let Some(index) = &place.index {
            self.text.push('[');
            self.expression(index, 0);
            self.text.push(']');
        }
    }

    fn parenthesised(&mut self, parentheses: bool, print: impl FnOnce(&mut Self)) {
        if parentheses {
            self.text.push('(');
        }
        print(self);
        if parentheses {
            self.text.push(')');
        }
    }
}

/// The symbol of an operator, and how tightly it binds, as in C.
fn operator(op: BinaryOp) -> (&'static str, u8) {
    match op {
        BinaryOp::Or => ("||", 2),
        BinaryOp::And => ("&&", 3),
        BinaryOp::BitOr => ("|", 4),
        BinaryOp::BitXor => ("^", 5),
        BinaryOp::BitAnd => ("&", 6),
        BinaryOp::Equal => ("==", 7),
        BinaryOp::NotEqual => ("!=", 7),
        BinaryOp::Less => ("<", 8),
        BinaryOp::LessEqual => ("<=", 8),
        BinaryOp::Greater => (">", 8),
        BinaryOp::GreaterEqual => (">=", 8),
        BinaryOp::ShiftLeft => ("<<", 9),
        BinaryOp::ShiftRight => (">>", 9),
        BinaryOp::Add => ("+", 10),
        BinaryOp::Subtract => ("-", 10),
        BinaryOp::Multiply => ("*", 11),
        BinaryOp::Divide => ("/", 11),
        BinaryOp::Remainder => ("%", 11),
    }
}
