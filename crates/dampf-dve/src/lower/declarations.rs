//! Declarations: variables, constants, channels, states.

use super::constant::{self, NoValue};
use super::{Lowering, process_names};
use crate::ast::{self, Declaration, Initial};
use crate::names::{Names, Symbol, Table};
use crate::problem::{Checked, Problem};
use dampf_core::Span;
use dampf_gcl::ir::{Channel, ChannelId, Variable, VariableId};
use std::cell::Cell;
use std::mem;

/// Elements of arrays and fields of buffered messages, over the whole model.
const ELEMENTS_MAX: u64 = 1_000_000;

impl Lowering {
    /// Declares everything: processes and their states, globals, and then what is local to a process.
    pub(super) fn declare(&mut self, model: &ast::Model<'_>) {
        let property = self.find_property(model);
        self.property = self.report(property).flatten();
        self.names.processes = process_names(model, self.property);
        for (index, process) in model.processes.iter().enumerate() {
            let declared = self.names.globals.declare(process.name, Symbol::Process(index));
            self.report(declared);
            for state in &process.states {
                let declared = self.names.processes[index].declare_location(*state);
                self.report(declared);
            }
        }
        for declaration in &model.declarations {
            self.declaration(declaration, None);
        }
        for (index, process) in model.processes.iter().enumerate() {
            for declaration in &process.declarations {
                self.declaration(declaration, Some(index));
            }
        }
    }

    fn find_property(&self, model: &ast::Model<'_>) -> Checked<Option<usize>> {
        let Some(name) = model.property else { return Ok(None) };
        let found = model.processes.iter().position(|process| process.name.text == name.text);
        found.map(Some).ok_or_else(|| {
            let message = format!("the property `{}` is not a process of the model", name.text);
            let problem = Problem::new(name.span, message, "no such process");
            problem.suggest(name.text, model.processes.iter().map(|process| process.name.text))
        })
    }

    fn declaration(&mut self, declaration: &Declaration<'_>, within: Option<usize>) {
        match declaration {
            _ if self.is_hopeless() => {}
            Declaration::Variable(variable) => self.variable(variable, within),
            Declaration::Channel(channel) => self.channel(channel),
        }
    }

    fn variable(&mut self, variable: &ast::Variable<'_>, within: Option<usize>) {
        if !variable.constant && within.is_some() && within == self.property {
            let problem = Problem::new(variable.name.span, "a property process has a variable", "changes with time");
            self.problems.push(*problem.help("a property automaton has states, guards and constants only"));
        }
        let size = variable.size.as_ref().map(|size| {
            let size = self.array_size(size, within);
            // After an error any size does: nothing is built of it.
            self.report(size).unwrap_or(1)
        });
        let values = self.initial_values(variable, size, within);
        let values = self.report(values).unwrap_or_else(|| vec![0; size.unwrap_or(1) as usize]);
        let symbol = self.symbol(variable, size, values, within);
        let scope = match within {
            Some(index) => &mut self.names.processes[index].variables,
            None => &mut self.names.globals,
        };
        let declared = scope.declare(variable.name, symbol);
        self.report(declared);
    }

    fn symbol(
        &mut self,
        variable: &ast::Variable<'_>,
        size: Option<u32>,
        values: Vec<i32>,
        within: Option<usize>,
    ) -> Symbol {
        if variable.constant {
            return match size {
                None => Symbol::Constant(values[0]),
                Some(_) => Symbol::Table(Table { ty: variable.ty, values, variable: Cell::new(None) }),
            };
        }
        let id = VariableId(self.variables.len() as u32);
        self.variables.push(Variable {
            name: variable.name.text.to_owned(),
            owner: within.and_then(|index| self.names.processes[index].id),
            ty: variable.ty,
            array: size,
            initial: values,
            span: variable.name.span,
        });
        size.map_or(Symbol::Scalar(id), |len| Symbol::Array(id, len))
    }

    /// One value for a scalar, as many as elements for an array; what is not given is zero.
    fn initial_values(
        &mut self,
        variable: &ast::Variable<'_>,
        size: Option<u32>,
        within: Option<usize>,
    ) -> Checked<Vec<i32>> {
        let given: &[ast::Expr<'_>] = match (&variable.initial, size) {
            (None, _) => &[],
            (Some(Initial::One(value)), None) => std::slice::from_ref(value),
            (Some(Initial::List(values, _)), Some(_)) => values,
            (Some(Initial::One(value)), Some(_)) => {
                let message = format!("the array `{}` is initialised with one value", variable.name.text);
                return Err(Problem::new(value.span, message, "a single value").help("give a list: `{1, 2, 3}`"));
            }
            (Some(Initial::List(_, span)), None) => {
                let message = format!("`{}` is initialised with a list, but is no array", variable.name.text);
                let problem = Problem::new(*span, message, "a list of values");
                return Err(problem.help(format!("make it an array: `{}[2]`", variable.name.text)));
            }
        };
        let mut values = vec![0; size.unwrap_or(1) as usize];
        // BEEM has lists longer than their array: what is too much is checked, and has no place to go to.
        for (at, expr) in given.iter().enumerate() {
            let value = variable.ty.wrap(self.constant(expr, within, "an initial value")?);
            if let Some(element) = values.get_mut(at) {
                *element = value;
            }
        }
        Ok(values)
    }

    fn constant(&mut self, expr: &ast::Expr<'_>, within: Option<usize>, purpose: &str) -> Checked<i32> {
        let lowered = self.expressions(within).expression(expr)?;
        constant::evaluate(&lowered, &self.variables).map_err(|reason| match reason {
            NoValue::DependsOnState => {
                Problem::new(expr.span, format!("{purpose} depends on the state of a process"), "not a constant")
            }
            NoValue::DivisionByZero => Problem::new(expr.span, format!("{purpose} divides by zero"), "has no value"),
            NoValue::IndexOutOfBounds => {
                Problem::new(expr.span, format!("{purpose} indexes an array outside its bounds"), "has no value")
            }
        })
    }

    fn array_size(&mut self, size: &ast::Expr<'_>, within: Option<usize>) -> Checked<u32> {
        let value = self.constant(size, within, "the size of an array")?;
        if value < 1 {
            let problem = Problem::new(size.span, format!("an array cannot have {value} elements"), "too small");
            return Err(problem.help("an array has at least one element"));
        }
        self.claim(value as u64, size.span)?;
        Ok(value as u32)
    }

    /// Counts elements against the limit.
    fn claim(&mut self, elements: u64, span: Span) -> Checked<()> {
        if elements > ELEMENTS_MAX - self.elements {
            let message = format!("the arrays and buffers of the model have more than {ELEMENTS_MAX} elements");
            return Err(Problem::new(span, message, "one too many here"));
        }
        self.elements += elements;
        Ok(())
    }

    fn channel(&mut self, channel: &ast::Channel<'_>) {
        let capacity = self.capacity(channel);
        let capacity = self.report(capacity).unwrap_or(0);
        let id = ChannelId(self.channels.len() as u32);
        self.channels.push(Channel {
            name: channel.name.text.to_owned(),
            capacity,
            fields: channel.types.clone().unwrap_or_default(),
            span: channel.name.span,
        });
        self.untyped.push(channel.types.is_none());
        let declared = self.names.globals.declare(channel.name, Symbol::Channel(id));
        self.report(declared);
    }

    fn capacity(&mut self, channel: &ast::Channel<'_>) -> Checked<u32> {
        let Some(capacity) = &channel.capacity else { return Ok(0) };
        let value = self.constant(capacity, None, "the capacity of a channel")?;
        if value < 0 {
            return Err(Problem::new(capacity.span, "the capacity of a channel is negative", "below zero"));
        }
        match &channel.types {
            None if value > 0 => {
                let problem = Problem::new(capacity.span, "a buffered channel has no types", "keeps what?");
                Err(problem.help(format!("say what it keeps: `channel {{byte}} {}[{value}];`", channel.name.text)))
            }
            None => Ok(0),
            Some(types) => {
                self.claim(value as u64 * types.len() as u64, capacity.span)?;
                Ok(value as u32)
            }
        }
    }
}

/// Adds the constants of a model to the names of the program it became.
pub fn constants(model: &ast::Model<'_>, names: &mut Names) {
    let mut lowering = Lowering::default();
    lowering.declare(model);
    if !lowering.problems.is_empty() {
        return;
    }
    let globals = model.declarations.iter().map(|declaration| (None, declaration));
    let processes = model.processes.iter().enumerate();
    let locals =
        processes.flat_map(|(index, process)| process.declarations.iter().map(move |local| (Some(index), local)));
    for (within, declaration) in globals.chain(locals) {
        let Declaration::Variable(variable) = declaration else { continue };
        let (owner, scope) = match within.map(|index| &mut lowering.names.processes[index]) {
            Some(process) => (process.id, &mut process.variables),
            None => (None, &mut lowering.names.globals),
        };
        // The constants of the property are nobody else's business.
        if !variable.constant || within.is_some() && owner.is_none() {
            continue;
        }
        if let Some(symbol) = scope.find_mut(variable.name.text) {
            names.enter(owner, variable.name.text, mem::replace(symbol, Symbol::Constant(0)));
        }
    }
}
