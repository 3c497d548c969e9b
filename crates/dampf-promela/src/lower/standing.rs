//! Rewrites what expressions say about where processes stand.

use dampf_gcl::ir::{Effect, Expr, LocationId, Place, ProcessId};

/// What becomes of "a process is at a location".
pub trait Standing {
    fn at(&self, process: ProcessId, location: LocationId) -> Expr;

    fn effect(&self, effect: Effect) -> Effect {
        match effect {
            Effect::Assign { target, value, span } => {
                Effect::Assign { target: self.place(target), value: self.expr(value), span }
            }
            Effect::Assert { condition, kind, span } => Effect::Assert { condition: self.expr(condition), kind, span },
            Effect::Assume { condition, span } => Effect::Assume { condition: self.expr(condition), span },
        }
    }

    fn place(&self, place: Place) -> Place {
        Place { index: place.index.map(|index| Box::new(self.expr(*index))), ..place }
    }

    fn expr(&self, expr: Expr) -> Expr {
        match expr {
            Expr::At(process, location) => self.at(process, location),
            Expr::Read(place) => Expr::Read(self.place(place)),
            Expr::Unary(op, operand) => Expr::Unary(op, Box::new(self.expr(*operand))),
            Expr::Binary(op, left, right, span) => {
                Expr::Binary(op, Box::new(self.expr(*left)), Box::new(self.expr(*right)), span)
            }
            Expr::Conditional(condition, then, otherwise) => {
                let parts = [condition, then, otherwise].map(|part| Box::new(self.expr(*part)));
                let [condition, then, otherwise] = parts;
                Expr::Conditional(condition, then, otherwise)
            }
            Expr::Const(_) | Expr::Length(_) => expr,
        }
    }
}

/// Where the processes of a step were before it. Guarded commands change locations before effects are computed, Promela
/// after.
pub struct Before(pub Vec<(ProcessId, LocationId)>);

impl Standing for Before {
    fn at(&self, process: ProcessId, location: LocationId) -> Expr {
        match self.0.iter().find(|(mover, _)| *mover == process) {
            Some((_, source)) => Expr::Const(i32::from(*source == location)),
            None => Expr::At(process, location),
        }
    }
}
