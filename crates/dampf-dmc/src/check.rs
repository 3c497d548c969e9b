//! Whether the names in a process are used as what they are.
//!
//! Lowering finds the same mistakes, but only in processes that are created and in transitions that can be taken;
//! this pass looks at everything, once. On the way it notes which variables the transitions assign.

use crate::ast::{self, Binder, Declaration, Expression, Init, Reference, Statement};
use crate::lower::pid_outside;
use crate::mistake::Mistake;
use crate::places::member_in_model;
use crate::symbols::{Meaning, Scope, Storage, Symbols, dimensions_fit, queue_as_value};
use crate::transitions::new_in_process;

/// The variables that some transition assigns.
pub struct Assigned {
    /// By the number of the global variable.
    pub globals: Vec<bool>,
    /// By the number of the process, then of its local variable.
    pub locals: Vec<Vec<bool>>,
}

pub struct Checker<'a> {
    scope: Scope<'a>,
    /// The number of the process whose text is checked.
    process: Option<usize>,
    assigned: &'a mut Assigned,
    mistakes: &'a mut Vec<Mistake>,
}

/// Checks all processes and all `init`s.
pub fn check(model: &ast::Model, symbols: &Symbols, global_count: usize, mistakes: &mut Vec<Mistake>) -> Assigned {
    let locals = symbols.templates.iter().map(|template| vec![false; template.locals.len()]).collect();
    let mut assigned = Assigned { globals: vec![false; global_count], locals };
    for (number, process) in model.processes.iter().enumerate() {
        let scope = Scope::of_process(symbols, &symbols.templates[number]);
        let mut checker = Checker { scope, process: Some(number), assigned: &mut assigned, mistakes };
        checker.process(process);
    }
    if let Some(init) = &model.init {
        let scope = Scope::global(symbols);
        Checker { scope, process: None, assigned: &mut assigned, mistakes }.init(init);
    }
    assigned
}

impl Checker<'_> {
    fn note(&mut self, result: Result<(), Mistake>) {
        if let Err(mistake) = result {
            self.mistakes.push(mistake);
        }
    }

    fn process(&mut self, process: &ast::Process) {
        self.initial_values(&process.declarations);
        if let Some(init) = &process.init {
            self.init(init);
        }
        for transition in process.states.iter().flat_map(|state| &state.transitions) {
            self.transition(transition);
        }
    }

    fn initial_values(&mut self, declarations: &[Declaration]) {
        for (number, declaration) in declarations.iter().enumerate() {
            self.scope.locals_visible = number;
            if let Some(initial) = &declaration.initial {
                let checked = self.expression(initial);
                self.note(checked);
            }
        }
        self.scope.locals_visible = declarations.len();
    }

    fn init(&mut self, init: &Init) {
        self.init_statements(&init.statements);
    }

    fn init_statements(&mut self, statements: &[Statement]) {
        for statement in statements {
            match statement {
                Statement::For { binder, body } => {
                    self.bind(binder);
                    self.init_statements(body);
                    self.scope.bound.pop();
                }
                Statement::Assign { target, value, .. } => {
                    let checked = self.target(target).map(|_| ());
                    self.note(checked);
                    let checked = self.expression(value);
                    self.note(checked);
                }
                Statement::Assert { span, .. } => {
                    self.mistakes.push(
                        Mistake::new(*span, "an assertion in `init`", "not a transition")
                            .help("assertions are checked by transitions"),
                    );
                }
                Statement::New { span, .. } if self.process.is_some() => self.mistakes.push(new_in_process(*span)),
                Statement::New { process, count, .. } => {
                    let found = self.scope.symbols.template(process).map(|_| ());
                    self.note(found);
                    if let Some(count) = count {
                        let checked = self.expression(count);
                        self.note(checked);
                    }
                }
            }
        }
    }

    fn transition(&mut self, transition: &ast::Transition) {
        for binder in &transition.binders {
            self.bind(binder);
        }
        for guard in &transition.guards {
            let checked = self.expression(guard);
            self.note(checked);
        }
        if let Some(sync) = &transition.sync {
            self.sync(sync);
        }
        self.statements(&transition.statements);
        let found = match self.scope.template {
            Some(template) => template.states.find(&transition.target).map(|_| ()),
            None => Ok(()),
        };
        self.note(found);
        self.scope.bound.clear();
    }

    fn sync(&mut self, sync: &ast::Sync) {
        let queue = match sync {
            ast::Sync::Send { queue, value } => {
                let checked = self.expression(value);
                self.note(checked);
                queue
            }
            ast::Sync::Receive { target, queue } => {
                self.assign(target);
                queue
            }
        };
        let found = self.scope.queue(queue).map(|_| ());
        self.note(found);
    }

    fn statements(&mut self, statements: &[Statement]) {
        for statement in statements {
            match statement {
                Statement::Assign { target, value, .. } => {
                    self.assign(target);
                    let checked = self.expression(value);
                    self.note(checked);
                }
                Statement::Assert { condition, .. } => {
                    let checked = self.expression(condition);
                    self.note(checked);
                }
                Statement::For { binder, body } => {
                    self.bind(binder);
                    self.statements(body);
                    self.scope.bound.pop();
                }
                Statement::New { span, .. } => self.mistakes.push(new_in_process(*span)),
            }
        }
    }

    /// Makes a bound name visible. Its value matters to no check.
    fn bind(&mut self, binder: &Binder) {
        let checked = self.expression(&binder.from).and_then(|()| self.expression(&binder.to));
        self.note(checked);
        self.scope.bound.push((binder.name.text.clone(), 0));
    }

    fn assign(&mut self, target: &Reference) {
        match self.target(target) {
            Ok(Storage::Global(id, _)) => self.assigned.globals[id.0 as usize] = true,
            Ok(Storage::Local(number, _)) => {
                if let Some(process) = self.process {
                    self.assigned.locals[process][number] = true;
                }
            }
            Err(mistake) => self.mistakes.push(mistake),
        }
    }

    fn target(&mut self, target: &Reference) -> Result<Storage<'_>, Mistake> {
        if target.member.is_some() {
            return Err(member_in_model(target));
        }
        for index in &target.indices {
            self.expression(index)?;
        }
        self.scope.storage(target)
    }

    fn expression(&mut self, expression: &Expression) -> Result<(), Mistake> {
        match expression {
            Expression::Number(..) => Ok(()),
            Expression::Pid(_) if self.process.is_some() => Ok(()),
            Expression::Pid(span) => Err(pid_outside(*span)),
            Expression::Reference(reference) if reference.member.is_some() => Err(member_in_model(reference)),
            Expression::Reference(reference) => {
                for index in &reference.indices {
                    self.expression(index)?;
                }
                match self.scope.find(&reference.name)? {
                    Meaning::Number(_) => dimensions_fit(&reference.name, 0, reference.indices.len(), reference.span),
                    Meaning::Queue(_) => Err(queue_as_value(&reference.name)),
                    Meaning::Global(..) | Meaning::Local(..) => self.scope.storage(reference).map(|_| ()),
                }
            }
            Expression::Length(queue, _) => self.scope.queue(queue).map(|_| ()),
            Expression::Negate(operand, _) | Expression::Not(operand, _) => self.expression(operand),
            Expression::Binary(_, left, right, _) => {
                self.expression(left)?;
                self.expression(right)
            }
            Expression::Quantified(_, binder, body, _) => {
                self.bind(binder);
                let checked = self.expression(body);
                self.scope.bound.pop();
                checked
            }
        }
    }
}
