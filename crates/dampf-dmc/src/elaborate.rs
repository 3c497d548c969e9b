//! A model as it was written, made into a program: declarations, initialisation, instances.
//!
//! Initialisation happens here and now, in the order in which the thesis's machine would run it: the global
//! declarations, then the statements of the global `init`; each `new` gives the instance the next `pid`, evaluates
//! its declarations and runs its own `init`. What the variables hold afterwards are the program's initial values.

use crate::ast::{self, Declaration, DeclarationKind, Expression, Name, Statement};
use crate::check::{Assigned, check};
use crate::fold;
use crate::lower::{Budget, Known, Lowering, no_value};
use crate::mistake::Mistake;
use crate::symbols::{Global, Instance, Local, Scope, States, Symbols, Template, declared_twice};
use dampf_core::{Source, Span};
use dampf_gcl::ir::*;
use std::sync::Arc;

/// The elements of all variables and queues of a system together.
const ELEMENTS_MAX: usize = 1 << 16;

const INSTANCES_MAX: usize = 4096;

/// A program, and what its names mean.
pub struct Elaborated {
    pub program: Program,
    pub symbols: Symbols,
    /// For each variable, whether some transition assigns it.
    pub assigned: Vec<bool>,
}

impl Elaborated {
    /// For expressions that look at the system from outside.
    pub fn observer<'a>(&'a self, budget: &'a Budget) -> Lowering<'a> {
        Lowering {
            scope: Scope::global(&self.symbols),
            instance: None,
            known: Some(Known { variables: &self.program.variables, assigned: &self.assigned }),
            budget,
            members: true,
        }
    }
}

pub fn elaborate(model: &ast::Model, source: Arc<Source>) -> Result<Elaborated, Vec<Mistake>> {
    let mut elaboration = Elaboration {
        model,
        symbols: Symbols::default(),
        variables: Vec::new(),
        channels: Vec::new(),
        created: Vec::new(),
        budget: Budget::new(),
        elements: 0,
    };
    let mut mistakes = Vec::new();
    elaboration.declare_globals(&mut mistakes);
    elaboration.declare_processes(&mut mistakes);
    let assigned = check(model, &elaboration.symbols, elaboration.variables.len(), &mut mistakes);
    if !mistakes.is_empty() {
        return Err(mistakes);
    }
    elaboration.initialise().map_err(|mistake| vec![mistake])?;
    elaboration.finish(&assigned, source)
}

struct Elaboration<'m> {
    model: &'m ast::Model,
    symbols: Symbols,
    variables: Vec<Variable>,
    channels: Vec<Channel>,
    /// The process that each instance was made from, in the order of creation.
    created: Vec<usize>,
    budget: Budget,
    elements: usize,
}

impl Elaboration<'_> {
    fn global_lowering(&self) -> Lowering<'_> {
        Lowering {
            scope: Scope::global(&self.symbols),
            instance: None,
            known: None,
            budget: &self.budget,
            members: false,
        }
    }

    /// The lowering of what stands in a process, which sees so many of its local variables.
    fn local_lowering(&self, template: usize, instance: Instance, locals_visible: usize) -> Lowering<'_> {
        let scope = Scope { locals_visible, ..Scope::of_process(&self.symbols, &self.symbols.templates[template]) };
        Lowering { scope, instance: Some(instance), known: None, budget: &self.budget, members: false }
    }

    // Declarations.

    fn declare_globals(&mut self, mistakes: &mut Vec<Mistake>) {
        for declaration in &self.model.declarations {
            if let Err(mistake) = self.declare_global(declaration) {
                mistakes.push(mistake);
                // The name exists, whatever is wrong with it: its uses are no mistakes. That it exists twice was
                // reported already.
                let _ = self.symbols.declare(&declaration.name, Global::Constant(1));
            }
        }
    }

    fn declare_global(&mut self, declaration: &Declaration) -> Result<(), Mistake> {
        let name = &declaration.name;
        let global = match (&declaration.kind, &declaration.initial) {
            (DeclarationKind::Constant, Some(value)) => {
                Global::Constant(self.global_lowering().constant(value, "the value of a constant")?)
            }
            (DeclarationKind::Constant, None) => {
                return Err(Mistake::new(name.span, "a constant without a value", "needs a value"));
            }
            (DeclarationKind::Variable(sizes), initial) => {
                let dimensions = self.dimensions(sizes)?;
                let value = match initial {
                    Some(initial) => self.initial_value(&mut self.global_lowering(), initial)?,
                    None => 0,
                };
                let id = self.create_variable(name, None, &dimensions)?;
                self.variables[id.0 as usize].initial.fill(value);
                Global::Variable(id, dimensions)
            }
            (DeclarationKind::Queue(_), Some(initial)) => {
                return Err(Mistake::new(initial.span(), "a queue has no initial value", "not a value of a queue")
                    .help("queues are empty at the beginning"));
            }
            (DeclarationKind::Queue(capacity), None) => Global::Queue(self.create_queue(name, capacity)?),
        };
        self.symbols.declare(name, global)
    }

    fn create_queue(&mut self, name: &Name, capacity: &Expression) -> Result<ChannelId, Mistake> {
        let slots = self.size(capacity, "the capacity of a queue")?;
        self.take_elements(slots as usize, name.span)?;
        let id = ChannelId(self.channels.len() as u32);
        let fields = vec![IntType::I32];
        self.channels.push(Channel { name: name.text.clone(), capacity: slots, fields, span: name.span });
        Ok(id)
    }

    fn dimensions(&self, sizes: &[Expression]) -> Result<Vec<u32>, Mistake> {
        sizes.iter().map(|size| self.size(size, "the size of an array")).collect()
    }

    fn size(&self, size: &Expression, what: &str) -> Result<u32, Mistake> {
        let value = self.global_lowering().constant(size, what)?;
        match u32::try_from(value) {
            Ok(value @ 1..) if value as usize <= ELEMENTS_MAX => Ok(value),
            _ => Err(Mistake::new(size.span(), format!("{what} is {value}"), "out of range")
                .help(format!("at least 1 and at most {ELEMENTS_MAX}"))),
        }
    }

    fn take_elements(&mut self, count: usize, span: Span) -> Result<(), Mistake> {
        self.elements = self.elements.saturating_add(count);
        if self.elements > ELEMENTS_MAX {
            return Err(Mistake::new(span, "the variables become too many", "here they outgrow the limit")
                .help(format!("a state has at most {ELEMENTS_MAX} values")));
        }
        Ok(())
    }

    fn create_variable(
        &mut self,
        name: &Name,
        owner: Option<ProcessId>,
        dimensions: &[u32],
    ) -> Result<VariableId, Mistake> {
        let count = dimensions.iter().fold(1, |count: usize, size| count.saturating_mul(*size as usize));
        self.take_elements(count, name.span)?;
        let id = VariableId(self.variables.len() as u32);
        self.variables.push(Variable {
            name: name.text.clone(),
            owner,
            ty: IntType::I32,
            array: if dimensions.is_empty() { None } else { Some(count as u32) },
            initial: vec![0; count],
            span: name.span,
        });
        Ok(id)
    }

    fn declare_processes(&mut self, mistakes: &mut Vec<Mistake>) {
        for process in &self.model.processes {
            let mut template = Template {
                name: process.name.text.clone(),
                locals: Vec::new(),
                states: States::default(),
                instances: Vec::new(),
            };
            if self.symbols.templates.iter().any(|other| other.name == template.name) {
                mistakes.push(declared_twice(&process.name));
            }
            if process.states.is_empty() {
                let message = format!("the process `{}` has no states", process.name.text);
                mistakes.push(Mistake::new(process.name.span, message, "needs at least one `state`"));
            }
            for state in &process.states {
                mistakes.extend(template.states.declare(&state.name).err());
            }
            mistakes.extend(repeated(process.declarations.iter().map(|declaration| &declaration.name)));
            for declaration in &process.declarations {
                let dimensions = self.local_dimensions(declaration);
                let name = declaration.name.text.clone();
                let dimensions = dimensions.unwrap_or_else(|mistake| {
                    mistakes.push(mistake);
                    Vec::new()
                });
                template.locals.push(Local { name, dimensions });
            }
            self.symbols.templates.push(template);
        }
        if self.model.processes.is_empty() {
            mistakes.push(Mistake::new(self.model.name.span, "the model has no processes", "nothing happens here"));
        }
    }

    fn local_dimensions(&self, declaration: &Declaration) -> Result<Vec<u32>, Mistake> {
        match &declaration.kind {
            DeclarationKind::Variable(sizes) => self.dimensions(sizes),
            _ => Err(Mistake::new(declaration.name.span, "a queue within a process", "must be global")
                .help("declare it in the `var` section of the model")),
        }
    }

    // Initialisation.

    fn initial_value(&self, lowering: &mut Lowering<'_>, expression: &Expression) -> Result<i32, Mistake> {
        let lowered = lowering.expression(expression)?;
        fold::evaluate(&lowered, &self.variables).map_err(|reason| no_value(reason, expression.span()))
    }

    fn initialise(&mut self) -> Result<(), Mistake> {
        if let Some(init) = &self.model.init {
            self.run(&init.statements, None, &mut Vec::new())?;
        }
        if self.created.is_empty() {
            let name = &self.model.processes[0].name.text;
            return Err(Mistake::new(self.model.name.span, "no process is created", "nothing happens here")
                .help(format!("create one: `init: new {name}; end;`")));
        }
        Ok(())
    }

    /// Runs the statements of an `init`, of the model or of an instance.
    fn run(
        &mut self,
        statements: &[Statement],
        within: Option<(usize, Instance)>,
        bound: &mut Vec<(String, i32)>,
    ) -> Result<(), Mistake> {
        for statement in statements {
            match statement {
                Statement::Assign { target, value, .. } => {
                    let mut lowering = self.init_lowering(within, bound);
                    let place = lowering.place(target)?;
                    let value = self.initial_value(&mut lowering, value)?;
                    let element =
                        fold::element(&place, &self.variables).map_err(|reason| no_value(reason, place.span))?;
                    self.variables[place.variable.0 as usize].initial[element] = value;
                }
                Statement::For { binder, body } => {
                    let mut values = Vec::new();
                    self.init_lowering(within, bound).for_each(binder, |lowering| {
                        values.extend(lowering.scope.bound.last().cloned());
                        Ok(())
                    })?;
                    for value in values {
                        bound.push(value);
                        self.run(body, within, bound)?;
                        bound.pop();
                    }
                }
                Statement::New { process, count, span } => {
                    let template = self.symbols.template(process)?;
                    let count = match count {
                        Some(count) => {
                            let value = self.initial_value(&mut self.init_lowering(within, bound), count)?;
                            usize::try_from(value).map_err(|_| negative_count(count.span(), value))?
                        }
                        None => 1,
                    };
                    for _ in 0..count {
                        self.create(template, *span)?;
                    }
                }
                Statement::Assert { span, .. } => {
                    return Err(Mistake::new(*span, "an assertion in `init`", "not a transition"));
                }
            }
        }
        Ok(())
    }

    fn init_lowering(&self, within: Option<(usize, Instance)>, bound: &[(String, i32)]) -> Lowering<'_> {
        let mut lowering = match within {
            Some((template, instance)) => {
                self.local_lowering(template, instance, self.symbols.templates[template].locals.len())
            }
            None => self.global_lowering(),
        };
        lowering.scope.bound = bound.to_vec();
        lowering
    }

    /// Creates an instance of a process.
    fn create(&mut self, template: usize, span: Span) -> Result<(), Mistake> {
        if self.created.len() >= INSTANCES_MAX {
            return Err(Mistake::new(span, format!("more than {INSTANCES_MAX} processes are created"), "too many"));
        }
        let process = ProcessId(self.created.len() as u32);
        let instance = Instance { process, first_local: self.variables.len() as u32 };
        self.created.push(template);
        self.symbols.templates[template].instances.push(instance);
        let declared = &self.model.processes[template];
        for (number, declaration) in declared.declarations.iter().enumerate() {
            self.budget.spend(1, span)?;
            let dimensions = self.symbols.templates[template].locals[number].dimensions.clone();
            self.create_variable(&declaration.name, Some(process), &dimensions)?;
        }
        for (number, declaration) in declared.declarations.iter().enumerate() {
            if let Some(initial) = &declaration.initial {
                let value = self.initial_value(&mut self.local_lowering(template, instance, number), initial)?;
                self.variables[instance.first_local as usize + number].initial.fill(value);
            }
        }
        match &declared.init {
            Some(init) => self.run(&init.statements, Some((template, instance)), &mut Vec::new()),
            None => Ok(()),
        }
    }

    // The program.

    fn finish(self, assigned: &Assigned, source: Arc<Source>) -> Result<Elaborated, Vec<Mistake>> {
        let mut flags = assigned.globals.clone();
        for template in &self.created {
            flags.extend(&assigned.locals[*template]);
        }
        let known = Known { variables: &self.variables, assigned: &flags };
        let mut mistakes = Vec::new();
        let mut processes = Vec::new();
        let mut numbers = vec![0; self.symbols.templates.len()];
        for template in &self.created {
            let number = numbers[*template];
            numbers[*template] += 1;
            let process = self.process(*template, number, known, &mut mistakes);
            match process {
                Ok(process) => processes.push(process),
                Err(mistake) => mistakes.push(mistake),
            }
            // Other instances have the same mistakes.
            if !mistakes.is_empty() {
                return Err(mistakes);
            }
        }
        let program = Program {
            name: self.model.name.text.clone(),
            source,
            variables: self.variables,
            channels: self.channels,
            processes,
            checks: Vec::new(),
            propositions: Vec::new(),
            estimates: Vec::new(),
            property: None,
            has_error_state: false,
            error_location: None,
            has_compound_steps: false,
            timeout: None,
        };
        Ok(Elaborated { program, symbols: self.symbols, assigned: flags })
    }

    fn process(
        &self,
        template_number: usize,
        instance_number: usize,
        known: Known<'_>,
        mistakes: &mut Vec<Mistake>,
    ) -> Result<Process, Mistake> {
        let declared = &self.model.processes[template_number];
        let template = &self.symbols.templates[template_number];
        let instance = template.instances[instance_number];
        let name = match template.instances.len() {
            1 => template.name.clone(),
            _ => format!("{}[{instance_number}]", template.name),
        };
        let mut lowering = Lowering {
            scope: Scope::of_process(&self.symbols, template),
            instance: Some(instance),
            known: Some(known),
            budget: &self.budget,
            members: false,
        };
        let mut locations = Vec::new();
        let mut transitions = Vec::new();
        for (number, state) in declared.states.iter().enumerate() {
            self.budget.spend(1, state.name.span)?;
            locations.push(location(state));
            for transition in &state.transitions {
                let source = LocationId(number as u32);
                match lowering.transition(template, source, transition, &mut transitions) {
                    Ok(()) => (),
                    Err(mistake) if self.budget.is_spent() => return Err(mistake),
                    Err(mistake) => mistakes.push(mistake),
                }
            }
        }
        Ok(Process { name, locations, initial: LocationId(0), transitions, span: declared.name.span })
    }
}

fn location(state: &ast::State) -> Location {
    Location {
        name: state.name.text.clone(),
        committed: false,
        end: state.is_final,
        accepting: false,
        span: state.name.span,
    }
}

fn negative_count(span: Span, value: i32) -> Mistake {
    Mistake::new(span, format!("{value} processes are created"), "a negative number")
}

/// The names that were there before.
fn repeated<'a>(names: impl Iterator<Item = &'a Name>) -> Vec<Mistake> {
    let mut seen = std::collections::HashSet::new();
    names.filter(|name| !seen.insert(name.text.as_str())).map(declared_twice).collect()
}
