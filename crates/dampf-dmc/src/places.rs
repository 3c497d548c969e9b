//! Elements of arrays and members of processes, lowered.
//!
//! An array of several dimensions becomes one of as many elements. Each index that is not constant is checked
//! against its own dimension, because a wrong one may well hit another element of the whole: an index outside its
//! dimension becomes -1, which is outside every array, and so a fault of the step.

use crate::ast::{Expression, Reference};
use crate::fold;
use crate::lower::Lowering;
use crate::mistake::Mistake;
use crate::symbols::{Instance, Storage, Template, dimensions_fit};
use dampf_core::Span;
use dampf_gcl::ir::{BinaryOp, Expr, Place, VariableId};

impl Lowering<'_> {
    /// A variable, or an element of one, of the surrounding process or of the whole system.
    pub fn place(&mut self, reference: &Reference) -> Result<Place, Mistake> {
        let (variable, dimensions) = match (self.scope.storage(reference)?, self.instance) {
            (Storage::Global(id, dimensions), _) => (id, dimensions),
            (Storage::Local(number, dimensions), Some(instance)) => {
                (VariableId(instance.first_local + number as u32), dimensions)
            }
            (Storage::Local(..), None) => {
                let message = format!("`{}` belongs to a process", reference.name.text);
                return Err(Mistake::new(reference.span, message, "no process here"));
            }
        };
        self.element(variable, dimensions, &reference.indices, reference.span)
    }

    fn element(
        &mut self,
        variable: VariableId,
        dimensions: &[u32],
        indices: &[Expression],
        span: Span,
    ) -> Result<Place, Mistake> {
        let mut lowered = Vec::new();
        for (index, size) in indices.iter().zip(dimensions) {
            lowered.push(self.index(index, *size)?);
        }
        let index = match lowered.len() {
            0 => None,
            1 => lowered.pop().map(Box::new),
            _ => Some(Box::new(self.flattened(lowered, dimensions, span)?)),
        };
        Ok(Place { variable, index, span })
    }

    /// An index that, if it is constant, is within its dimension.
    fn index(&mut self, index: &Expression, size: u32) -> Result<Expr, Mistake> {
        let lowered = self.expression(index)?;
        if is_inside(&lowered, size) != Some(false) {
            return Ok(lowered);
        }
        // A wrong index that comes from a variable, though never assigned, is a bug of the modelled system. It
        // stays an index computed in a run, so that the run which leads there is found and shown.
        match self.unfolded(index)? {
            Expr::Const(value) => {
                let message = format!("the index {value} is outside an array of {size}");
                let mistake = Mistake::new(index.span(), message, "outside");
                Err(mistake.help(format!("indices count from 0 to {}", size - 1)))
            }
            unfolded => Ok(unfolded),
        }
    }

    fn flattened(&mut self, indices: Vec<Expr>, dimensions: &[u32], span: Span) -> Result<Expr, Mistake> {
        let mut conditions = Vec::new();
        let mut flat = Expr::Const(0);
        for (index, size) in indices.into_iter().zip(dimensions) {
            let size = Expr::Const(*size as i32);
            if !matches!(index, Expr::Const(_)) {
                self.budget.spend(2 * count_nodes(&index) + 8, span)?;
                conditions.push(fold::binary(BinaryOp::GreaterEqual, index.clone(), Expr::Const(0), span));
                conditions.push(fold::binary(BinaryOp::Less, index.clone(), size.clone(), span));
            }
            let scaled = fold::binary(BinaryOp::Multiply, flat, size, span);
            flat = if let Expr::Const(0) = scaled { index } else { fold::binary(BinaryOp::Add, scaled, index, span) };
        }
        if conditions.is_empty() {
            return Ok(flat);
        }
        let inside = fold::joined(BinaryOp::And, conditions, 1, span);
        Ok(Expr::Conditional(Box::new(inside), Box::new(flat), Box::new(Expr::Const(-1))))
    }

    /// `P.x` and `P[2].x`: a local variable of an instance, or whether the instance is in a state.
    pub fn member(&mut self, reference: &Reference) -> Result<Expr, Mistake> {
        let Some((member, indices)) = &reference.member else { return self.place(reference).map(Expr::Read) };
        if !self.members {
            return Err(member_in_model(reference));
        }
        let symbols = self.scope.symbols;
        let template = &symbols.templates[symbols.template(&reference.name)?];
        let instance = self.instance_named(reference, template)?;
        if let Some(number) = template.locals.iter().position(|local| local.name == member.text) {
            let dimensions = &template.locals[number].dimensions;
            dimensions_fit(member, dimensions.len(), indices.len(), reference.span)?;
            let variable = VariableId(instance.first_local + number as u32);
            let place = self.element(variable, dimensions, indices, reference.span)?;
            return Ok(self.fold_read(place));
        }
        match template.states.get(&member.text) {
            Some(_) if !indices.is_empty() => {
                Err(Mistake::new(reference.span, format!("the state `{}` is indexed", member.text), "not an array"))
            }
            Some(state) => Ok(Expr::At(instance.process, state)),
            None => {
                let locals = template.locals.iter().map(|local| local.name.as_str());
                let message = format!("`{}` has no variable and no state `{}`", template.name, member.text);
                Err(Mistake::new(member.span, message, "unknown")
                    .suggest(&member.text, locals.chain(template.states.names())))
            }
        }
    }

    fn instance_named(&mut self, reference: &Reference, template: &Template) -> Result<Instance, Mistake> {
        let count = template.instances.len();
        let name = &template.name;
        match (reference.indices.as_slice(), count) {
            (_, 0) => Err(Mistake::new(reference.name.span, format!("no `{name}` is ever created"), "no instance")),
            ([], 1) => Ok(template.instances[0]),
            ([], _) => {
                let message = format!("there are {count} instances of `{name}`");
                Err(Mistake::new(reference.name.span, message, "which one?")
                    .help(format!("write `{name}[0]` to `{name}[{}]`", count - 1)))
            }
            ([index], _) => {
                let number = self.constant(index, "the number of an instance")?;
                let instance = usize::try_from(number).ok().and_then(|number| template.instances.get(number));
                instance.copied().ok_or_else(|| {
                    Mistake::new(index.span(), format!("there is no `{name}[{number}]`"), "no such instance")
                        .help(format!("the instances of `{name}` count from 0 to {}", count - 1))
                })
            }
            _ => Err(Mistake::new(reference.span, "an instance has one index", "too many indices")),
        }
    }
}

pub fn member_in_model(reference: &Reference) -> Mistake {
    Mistake::new(reference.span, "a process looks into another one", "only a property can do that")
        .help("use a global variable")
}

/// Whether a constant index is within its dimension; nothing is known of others.
fn is_inside(index: &Expr, size: u32) -> Option<bool> {
    match index {
        Expr::Const(value) => Some(*value >= 0 && (*value as u32) < size),
        _ => None,
    }
}

fn count_nodes(expr: &Expr) -> usize {
    1 + match expr {
        Expr::Const(_) | Expr::At(..) | Expr::Length(_) => 0,
        Expr::Read(place) => place.index.as_deref().map_or(0, count_nodes),
        Expr::Unary(_, operand) => count_nodes(operand),
        Expr::Binary(_, left, right, _) => count_nodes(left) + count_nodes(right),
        Expr::Conditional(condition, yes, no) => count_nodes(condition) + count_nodes(yes) + count_nodes(no),
    }
}
