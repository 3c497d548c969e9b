//! Which names there are, and what they stand for.
//!
//! Globals (variables, constants, channels, processes) share one name space; so do the variables and
//! constants of a process, which hide globals of the same name. States have a name space of their own:
//! nothing that names a state can name anything else.
//!
//! The tables are hash maps, and nothing iterates them but to find the nearest name, where order does not show.

use crate::ast::Name;
use crate::problem::{Checked, Problem};
use dampf_gcl::ir::{ChannelId, IntType, LocationId, ProcessId, Program, VariableId};
use std::cell::Cell;
use std::collections::HashMap;

#[derive(Debug)]
pub enum Symbol {
    Constant(i32),
    Table(Table),
    Scalar(VariableId),
    Array(VariableId, u32),
    Channel(ChannelId),
    /// An index into [`Names::processes`].
    Process(usize),
}

impl Symbol {
    fn describe(&self) -> &'static str {
        match self {
            Symbol::Constant(_) => "a constant",
            Symbol::Table(_) => "a constant array",
            Symbol::Scalar(_) => "a variable",
            Symbol::Array(..) => "an array",
            Symbol::Channel(_) => "a channel",
            Symbol::Process(_) => "a process",
        }
    }
}

/// A constant array. Elements at constant indices are folded; for a computed index the array has to live
/// somewhere, and becomes a variable that nobody stores into.
#[derive(Debug)]
pub struct Table {
    pub ty: IntType,
    pub values: Vec<i32>,
    pub variable: Cell<Option<VariableId>>,
}

#[derive(Default, Debug)]
pub struct Scope {
    entries: HashMap<String, Symbol>,
}

impl Scope {
    pub fn declare(&mut self, name: Name<'_>, symbol: Symbol) -> Checked<()> {
        match self.entries.get(name.text) {
            Some(earlier) => Err(duplicate(name, earlier.describe())),
            None => {
                self.entries.insert(name.text.to_owned(), symbol);
                Ok(())
            }
        }
    }

    pub fn find(&self, name: &str) -> Option<&Symbol> {
        self.entries.get(name)
    }

    pub fn find_mut(&mut self, name: &str) -> Option<&mut Symbol> {
        self.entries.get_mut(name)
    }

    pub fn known(&self) -> impl Iterator<Item = &str> {
        self.entries.keys().map(String::as_str)
    }
}

fn duplicate(name: Name<'_>, earlier: &str) -> Box<Problem> {
    let message = format!("`{}` is declared twice", name.text);
    Problem::new(name.span, message, format!("already the name of {earlier}"))
}

#[derive(Debug)]
pub struct ProcessNames {
    pub name: String,
    /// None for the property automaton, which is no part of the system.
    pub id: Option<ProcessId>,
    pub variables: Scope,
    pub locations: HashMap<String, LocationId>,
}

impl ProcessNames {
    pub fn new(name: &str, id: Option<ProcessId>) -> Self {
        ProcessNames { name: name.to_owned(), id, variables: Scope::default(), locations: HashMap::new() }
    }

    pub fn declare_location(&mut self, name: Name<'_>) -> Checked<()> {
        let next = LocationId(self.locations.len() as u32);
        match self.locations.insert(name.text.to_owned(), next) {
            Some(earlier) => {
                self.locations.insert(name.text.to_owned(), earlier);
                Err(duplicate(name, "a state"))
            }
            None => Ok(()),
        }
    }

    pub fn location(&self, name: Name<'_>) -> Checked<LocationId> {
        self.locations.get(name.text).copied().ok_or_else(|| self.no_such_location(name))
    }

    pub fn no_such_location(&self, name: Name<'_>) -> Box<Problem> {
        let message = format!("process `{}` has no state `{}`", self.name, name.text);
        let problem = Problem::new(name.span, message, "not among its states");
        problem.suggest(name.text, self.locations.keys().map(String::as_str))
    }
}

/// All names of a model.
#[derive(Default, Debug)]
pub struct Names {
    pub globals: Scope,
    pub processes: Vec<ProcessNames>,
}

impl Names {
    /// What a name means within a process, or outside of all.
    pub fn find(&self, name: Name<'_>, within: Option<usize>) -> Checked<&Symbol> {
        let process = within.map(|process| &self.processes[process]);
        let local = process.and_then(|process| process.variables.find(name.text));
        local.or_else(|| self.globals.find(name.text)).ok_or_else(|| {
            let problem = Problem::new(name.span, format!("unknown name `{}`", name.text), "not declared");
            match process {
                Some(process) if process.locations.contains_key(name.text) => {
                    let state = format!("`{}.{}`", process.name, name.text);
                    problem.help(format!("to ask whether the process is in that state: {state}"))
                }
                _ => {
                    let locals = process.into_iter().flat_map(|process| process.variables.known());
                    problem.suggest(name.text, locals.chain(self.globals.known()))
                }
            }
        })
    }

    pub fn channel(&self, name: Name<'_>) -> Checked<ChannelId> {
        match self.globals.find(name.text) {
            Some(Symbol::Channel(id)) => Ok(*id),
            Some(other) => Err(wrong_kind(name, other, "a channel")),
            None => {
                let problem = Problem::new(name.span, format!("unknown channel `{}`", name.text), "not declared");
                Err(problem.suggest(name.text, self.globals.known()))
            }
        }
    }

    /// A process of the system, not its property.
    pub fn process(&self, name: Name<'_>) -> Checked<(ProcessId, &ProcessNames)> {
        match self.globals.find(name.text) {
            Some(Symbol::Process(index)) => {
                let process = &self.processes[*index];
                let id = process.id.ok_or_else(|| {
                    let message = format!("`{}` is the property, not a process of the system", name.text);
                    Problem::new(name.span, message, "watches the system from outside")
                })?;
                Ok((id, process))
            }
            Some(other) => Err(wrong_kind(name, other, "a process")),
            None => {
                let problem = Problem::new(name.span, format!("unknown process `{}`", name.text), "not declared");
                let processes = self.processes.iter().map(|process| process.name.as_str());
                Err(problem.suggest(name.text, processes))
            }
        }
    }

    /// The names of a program that was lowered earlier. Its constants are gone.
    pub fn of_program(program: &Program) -> Names {
        let mut names = Names::default();
        for (number, process) in program.processes.iter().enumerate() {
            let mut known = ProcessNames::new(&process.name, Some(ProcessId(number as u32)));
            let numbered = process.locations.iter().enumerate();
            known.locations = numbered.map(|(id, at)| (at.name.clone(), LocationId(id as u32))).collect();
            names.processes.push(known);
            names.enter(None, &process.name, Symbol::Process(number));
        }
        for (number, channel) in program.channels.iter().enumerate() {
            names.enter(None, &channel.name, Symbol::Channel(ChannelId(number as u32)));
        }
        for (number, variable) in program.variables.iter().enumerate() {
            let id = VariableId(number as u32);
            let symbol = variable.array.map_or(Symbol::Scalar(id), |len| Symbol::Array(id, len));
            names.enter(variable.owner, &variable.name, symbol);
        }
        names
    }

    /// Makes a name known that is not known yet.
    pub fn enter(&mut self, owner: Option<ProcessId>, name: &str, symbol: Symbol) {
        let scope = match owner {
            Some(owner) => match self.processes.get_mut(owner.0 as usize) {
                Some(process) => &mut process.variables,
                None => return,
            },
            None => &mut self.globals,
        };
        scope.entries.entry(name.to_owned()).or_insert(symbol);
    }
}

pub fn wrong_kind(name: Name<'_>, symbol: &Symbol, wanted: &str) -> Box<Problem> {
    let message = format!("`{}` is not {wanted}", name.text);
    Problem::new(name.span, message, format!("the name of {}", symbol.describe()))
}
