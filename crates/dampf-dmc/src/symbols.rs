//! What names mean.
//!
//! Constants, variables and queues share one space of names; processes have another, and so do the states of
//! each process. A local variable hides a global name, and the name of a `for`, `all`, `any` or `sum` hides both.

use crate::ast::{Name, Reference};
use crate::mistake::Mistake;
use dampf_core::Span;
use dampf_gcl::ir::{ChannelId, LocationId, ProcessId, VariableId};
use std::collections::HashMap;

#[derive(Default)]
pub struct Symbols {
    globals: HashMap<String, Global>,
    /// The names of `globals` in the order of the text, for suggestions.
    global_names: Vec<String>,
    pub templates: Vec<Template>,
}

#[derive(Clone, Debug)]
pub enum Global {
    Constant(i32),
    /// With the sizes of its dimensions; none for a plain `int`.
    Variable(VariableId, Vec<u32>),
    Queue(ChannelId),
}

/// A process as it was declared.
pub struct Template {
    pub name: String,
    pub locals: Vec<Local>,
    pub states: States,
    pub instances: Vec<Instance>,
}

/// The states of a process or an automaton, numbered in the order of the text.
#[derive(Default)]
pub struct States {
    names: Vec<String>,
    numbers: HashMap<String, u32>,
}

impl States {
    pub fn declare(&mut self, name: &Name) -> Result<(), Mistake> {
        let number = self.names.len() as u32;
        self.names.push(name.text.clone());
        match self.numbers.insert(name.text.clone(), number) {
            Some(_) => Err(declared_twice(name)),
            None => Ok(()),
        }
    }

    pub fn get(&self, name: &str) -> Option<LocationId> {
        self.numbers.get(name).map(|number| LocationId(*number))
    }

    pub fn find(&self, name: &Name) -> Result<LocationId, Mistake> {
        self.get(&name.text).ok_or_else(|| {
            let mistake = Mistake::new(name.span, format!("there is no state `{}` here", name.text), "unknown");
            let mistake = mistake.suggest(&name.text, self.names());
            if mistake.help.is_some() { mistake } else { mistake.help(format!("there is {}", listed(&self.names))) }
        })
    }

    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }
}

pub struct Local {
    pub name: String,
    pub dimensions: Vec<u32>,
}

/// A process as it runs. Its `pid` is its number among all instances.
#[derive(Clone, Copy, Debug)]
pub struct Instance {
    pub process: ProcessId,
    /// Its local variables are numbered from here, in the order of their declaration.
    pub first_local: u32,
}

impl Symbols {
    pub fn declare(&mut self, name: &Name, global: Global) -> Result<(), Mistake> {
        if self.globals.contains_key(&name.text) {
            return Err(declared_twice(name));
        }
        self.globals.insert(name.text.clone(), global);
        self.global_names.push(name.text.clone());
        Ok(())
    }

    pub fn template(&self, name: &Name) -> Result<usize, Mistake> {
        self.templates.iter().position(|template| template.name == name.text).ok_or_else(|| {
            Mistake::new(name.span, format!("there is no process `{}`", name.text), "unknown")
                .suggest(&name.text, self.templates.iter().map(|template| template.name.as_str()))
        })
    }
}

pub fn declared_twice(name: &Name) -> Mistake {
    Mistake::new(name.span, format!("`{}` is declared twice", name.text), "the second time here")
}

/// A few names for a sentence.
pub fn listed(names: &[String]) -> String {
    let mut shown: Vec<String> = names.iter().take(8).map(|name| format!("`{name}`")).collect();
    if names.len() > shown.len() {
        shown.push("…".to_string());
    }
    shown.join(", ")
}

/// What a name means at some place.
#[derive(Clone, Copy, Debug)]
pub enum Meaning<'a> {
    Number(i32),
    Global(VariableId, &'a [u32]),
    /// A local variable by its number.
    Local(usize, &'a [u32]),
    Queue(ChannelId),
}

/// A variable with all the indices it needs.
#[derive(Clone, Copy, Debug)]
pub enum Storage<'a> {
    Global(VariableId, &'a [u32]),
    Local(usize, &'a [u32]),
}

/// The names that can be used at some place.
pub struct Scope<'a> {
    pub symbols: &'a Symbols,
    /// The process around the place.
    pub template: Option<&'a Template>,
    /// So many of the process's local variables are declared already.
    pub locals_visible: usize,
    /// The names of `for` and its like with their values, the innermost last.
    pub bound: Vec<(String, i32)>,
}

impl<'a> Scope<'a> {
    pub fn global(symbols: &'a Symbols) -> Self {
        Scope { symbols, template: None, locals_visible: 0, bound: Vec::new() }
    }

    pub fn of_process(symbols: &'a Symbols, template: &'a Template) -> Self {
        Scope { symbols, template: Some(template), locals_visible: template.locals.len(), bound: Vec::new() }
    }

    fn locals(&self) -> &'a [Local] {
        self.template.map_or(&[], |template| &template.locals[..self.locals_visible])
    }

    pub fn find(&self, name: &Name) -> Result<Meaning<'a>, Mistake> {
        let wanted = name.text.as_str();
        if let Some((_, value)) = self.bound.iter().rev().find(|(bound, _)| bound == wanted) {
            return Ok(Meaning::Number(*value));
        }
        let locals = self.locals();
        if let Some(number) = locals.iter().position(|local| local.name == wanted) {
            return Ok(Meaning::Local(number, &locals[number].dimensions));
        }
        match (self.symbols.globals.get(wanted), wanted) {
            (Some(Global::Constant(value)), _) => Ok(Meaning::Number(*value)),
            (Some(Global::Variable(id, dimensions)), _) => Ok(Meaning::Global(*id, dimensions)),
            (Some(Global::Queue(id)), _) => Ok(Meaning::Queue(*id)),
            (None, "true") => Ok(Meaning::Number(1)),
            (None, "false") => Ok(Meaning::Number(0)),
            (None, _) => Err(self.unknown(name)),
        }
    }

    fn unknown(&self, name: &Name) -> Mistake {
        let bound = self.bound.iter().map(|(name, _)| name.as_str());
        let locals = self.locals().iter().map(|local| local.name.as_str());
        let globals = self.symbols.global_names.iter().map(String::as_str);
        let mistake = Mistake::new(name.span, format!("`{}` is not declared", name.text), "unknown here");
        let later = self.template.is_some_and(|template| template.locals.iter().any(|local| local.name == name.text));
        if later {
            return mistake.help("an initial value can use what is declared before it");
        }
        mistake.suggest(&name.text, bound.chain(locals).chain(globals))
    }

    pub fn queue(&self, name: &Name) -> Result<ChannelId, Mistake> {
        match self.find(name)? {
            Meaning::Queue(id) => Ok(id),
            _ => Err(Mistake::new(name.span, format!("`{}` is not a queue", name.text), "a queue is needed here")),
        }
    }

    /// The variable that a reference without a member names, checked to have as many indices as dimensions.
    pub fn storage(&self, reference: &Reference) -> Result<Storage<'a>, Mistake> {
        let storage = match self.find(&reference.name)? {
            Meaning::Global(id, dimensions) => Storage::Global(id, dimensions),
            Meaning::Local(number, dimensions) => Storage::Local(number, dimensions),
            Meaning::Queue(_) => return Err(queue_as_value(&reference.name)),
            Meaning::Number(_) => {
                let message = format!("`{}` is not a variable", reference.name.text);
                return Err(Mistake::new(reference.span, message, "a variable is needed here"));
            }
        };
        let (Storage::Global(_, dimensions) | Storage::Local(_, dimensions)) = storage;
        dimensions_fit(&reference.name, dimensions.len(), reference.indices.len(), reference.span)?;
        Ok(storage)
    }
}

pub fn dimensions_fit(name: &Name, dimensions: usize, indices: usize, span: Span) -> Result<(), Mistake> {
    let plural = |count| if count == 1 { "index" } else { "indices" };
    match (dimensions, indices) {
        _ if dimensions == indices => Ok(()),
        (0, _) => Err(Mistake::new(span, format!("`{}` is not an array", name.text), "indexed here")),
        _ => {
            let message = format!("`{}` needs {dimensions} {}, not {indices}", name.text, plural(dimensions));
            Err(Mistake::new(span, message, "an `int` is needed here"))
        }
    }
}

pub fn queue_as_value(name: &Name) -> Mistake {
    Mistake::new(name.span, format!("the queue `{}` is used as a value", name.text), "has no value")
        .help(format!("receive from it with `x = recv({});`, or ask for `len({})`", name.text, name.text))
}
