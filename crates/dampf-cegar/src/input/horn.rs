//! Linear Horn clauses of SMT-LIB (`(set-logic HORN)`) as transition systems.
//!
//! A predicate is a location and its arguments are the variables there. A clause without a predicate in its body is a
//! transition from the initial location, a clause with one is a transition between locations, and a clause whose head
//! is `false` leads to the error location: the clauses are satisfiable exactly if no run leads there. Only linear
//! clauses are read (at most one predicate in a body): a body with two is a call, which a transition cannot say.
//!
//! A text goes through `smtlib` (trees), `terms` (sums and formulas), `clauses` (predicates) and `relation` (formulas).

mod clauses;
mod logic;
mod relation;
mod terms;
mod write;

use crate::input::smtlib::{Node, NodeId, Tree, read};
use crate::simplify::eliminate::Sorts;
use crate::simplify::split::{PARTS_MAX, split};
use crate::system::{Location, LocationId, Origin, Sort, System, Transition, Variable};
use clauses::{Clause, Occurrence, clauses};
use dampf_core::problem::{Checked, Problem, diagnose};
use dampf_core::{Diagnostic, Source, Span};
use logic::{Argument, Graph, Logic};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use terms::{Declarations, Evaluation, Macro, Predicate, sort, sorted_names};

pub use write::write;

/// Terms are evaluated recursively, and this holds the deepest that are allowed.
const STACK_BYTES: usize = 256 << 20;
const INITIAL: LocationId = LocationId(0);
const ERROR: LocationId = LocationId(1);

/// Reads clauses, or says what is wrong or not supported with them.
pub fn parse(source: &Arc<Source>) -> Result<System, Vec<Diagnostic>> {
    if source.text.len() >= u32::MAX as usize {
        let problem = Problem::new(Span::new(0, 0), "the text is 4 GiB long or longer", "begins here");
        return Err(diagnose(source, vec![*problem]));
    }
    let worker = || Script::read(&source.text);
    let result = std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, worker);
        thread.expect("a thread can be started").join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    });
    result.map_err(|problem| diagnose(source, vec![*problem]))
}

struct Script<'t> {
    tree: &'t Tree,
    declarations: Declarations,
    transitions: Vec<Transition>,
    /// The names of a predicate's arguments, as the first clause that has variables for all of them calls them.
    names: HashMap<usize, Vec<String>>,
}

impl Script<'_> {
    fn read(text: &str) -> Checked<System> {
        let tree = read(text)?;
        let mut script = Script {
            tree: &tree,
            declarations: Declarations::default(),
            transitions: Vec::new(),
            names: HashMap::new(),
        };
        for &command in &tree.roots {
            let Some((name, arguments)) = tree.application(command) else {
                return Err(script.problem(command, "a command is needed", "is no `(command …)`"));
            };
            if matches!(name, "exit" | "reset") {
                break;
            }
            script.command(command, name, arguments)?;
        }
        Ok(script.system())
    }

    fn problem(&self, id: NodeId, message: impl Into<String>, label: &str) -> Box<Problem> {
        Problem::new(self.tree.span(id), message, label)
    }

    fn command(&mut self, id: NodeId, name: &str, arguments: &[NodeId]) -> Checked<()> {
        match (name, arguments) {
            ("set-info" | "set-option" | "check-sat" | "get-model" | "get-info" | "get-proof" | "echo", _) => Ok(()),
            ("set-logic", &[logic]) => match self.tree.symbol(logic) {
                Some("HORN" | "ALL") => Ok(()),
                _ => Err(self.problem(logic, "the logic must be HORN", "another logic")),
            },
            ("declare-fun", &[name, parameters, result]) => self.declare(id, name, parameters, result),
            ("declare-const", &[name, result]) => self.declare(id, name, id, result),
            ("define-fun", &[name, parameters, _, body]) => self.define(name, Some(parameters), body),
            ("define-const", &[name, _, body]) => self.define(name, None, body),
            ("define-sort", &[name, parameters, of]) if self.tree.list(parameters).is_some_and(<[_]>::is_empty) => {
                let sort = sort(self.tree, &self.declarations, of)?;
                self.declarations.sorts.insert(self.tree.symbol(name).unwrap_or_default().to_owned(), sort);
                Ok(())
            }
            ("assert", &[formula]) => self.assert(id, formula),
            ("define-fun-rec" | "define-funs-rec", _) => {
                Err(self.problem(id, "recursive definitions are not supported", "defines by recursion"))
            }
            ("declare-datatype" | "declare-datatypes", _) => {
                Err(self.problem(id, "datatypes are not supported", "declares a datatype"))
            }
            ("declare-sort", _) => Err(self.problem(id, "uninterpreted sorts are not supported", "declares a sort")),
            ("declare-rel" | "declare-var" | "rule" | "query", _) => Err(self
                .problem(id, format!("`{name}` is of Z3's own clause format, which is not supported"), "used here")
                .help("write `declare-fun` and `assert`")),
            ("push" | "pop" | "check-sat-assuming" | "reset-assertions", _) => {
                Err(self.problem(id, format!("`{name}` is not supported: one problem per text"), "used here"))
            }
            _ => Err(self.problem(id, format!("`{name}` is no command with these arguments"), "not understood")),
        }
    }

    fn declare(&mut self, id: NodeId, name: NodeId, parameters: NodeId, result: NodeId) -> Checked<()> {
        let Some(symbol) = self.tree.symbol(name) else {
            return Err(self.problem(name, "a name is needed", "is no symbol"));
        };
        let list = if parameters == id { &[] } else { self.tree.list(parameters).unwrap_or_default() };
        let sorts: Checked<Vec<Sort>> = list.iter().map(|&of| sort(self.tree, &self.declarations, of)).collect();
        let sorts = sorts?;
        if sort(self.tree, &self.declarations, result)? != Sort::Boolean {
            let message = format!("the function `{symbol}` is not supported: only predicates are uninterpreted");
            return Err(self.problem(id, message, "its result is no Bool"));
        }
        self.is_new(name, symbol)?;
        let index = self.declarations.predicates.len();
        self.declarations.predicates.push(Predicate { name: symbol.to_owned(), sorts });
        self.declarations.predicate_ids.insert(symbol.to_owned(), index);
        Ok(())
    }

    fn is_new(&self, id: NodeId, name: &str) -> Checked<()> {
        let declarations = &self.declarations;
        if declarations.predicate_ids.contains_key(name) || declarations.macros.contains_key(name) {
            return Err(self.problem(id, format!("`{name}` is declared twice"), "declared before"));
        }
        Ok(())
    }

    fn define(&mut self, name: NodeId, parameters: Option<NodeId>, body: NodeId) -> Checked<()> {
        let Some(symbol) = self.tree.symbol(name) else {
            return Err(self.problem(name, "a name is needed", "is no symbol"));
        };
        self.is_new(name, symbol)?;
        let parameters = match parameters {
            Some(list) => sorted_names(self.tree, &self.declarations, list)?,
            None => Vec::new(),
        };
        // What a body uses must be known where it is defined: then no definition can lead back to itself.
        let known: HashSet<&str> = parameters.iter().map(|(name, _)| name.as_str()).collect();
        if !known.contains(symbol) && self.uses(body, symbol) {
            return Err(self.problem(name, "recursive definitions are not supported", "uses itself"));
        }
        self.declarations.macros.insert(symbol.to_owned(), Macro { parameters, body });
        Ok(())
    }

    fn uses(&self, body: NodeId, name: &str) -> bool {
        let mut pending = vec![body];
        while let Some(id) = pending.pop() {
            match self.tree.node(id) {
                Node::Symbol(symbol) if symbol == name => return true,
                Node::List(parts) => pending.extend(parts),
                _ => {}
            }
        }
        false
    }

    fn assert(&mut self, command: NodeId, formula: NodeId) -> Checked<()> {
        let span = self.tree.span(command);
        let mut evaluation = Evaluation::new(self.tree, &self.declarations);
        let assertion = evaluation.formula(formula)?;
        let Evaluation { mut graph, names, .. } = evaluation;
        for clause in clauses(&graph, &self.declarations.predicates, assertion, span)? {
            for occurrence in [&clause.body, &clause.head].into_iter().flatten() {
                name_arguments(&graph, &names, occurrence, &mut self.names);
            }
            self.transitions_of(&mut graph, &clause, span)?;
        }
        Ok(())
    }

    fn transitions_of(&mut self, graph: &mut Graph, clause: &Clause, span: Span) -> Checked<()> {
        let variables = |occurrence: &Option<Occurrence>| match occurrence {
            None => Vec::new(),
            Some(occurrence) => {
                let sorts = &self.declarations.predicates[occurrence.predicate].sorts;
                sorts.iter().map(|&sort| Variable { name: String::new(), sort }).collect()
            }
        };
        let (before, after) = (variables(&clause.body), variables(&clause.head));
        let relation = relation::relation(graph, clause, &before, &after)
            .map_err(|overflow| Problem::new(span, overflow.to_string(), "in this assertion"))?;
        let place = |occurrence: &Option<Occurrence>, otherwise: LocationId| {
            occurrence.as_ref().map_or(otherwise, |found| LocationId(found.predicate as u32 + 2))
        };
        let (from, to) = (place(&clause.body, INITIAL), place(&clause.head, ERROR));
        let sorts = Sorts { before: &before, after: &after, auxiliaries: &graph.sorts };
        for (relation, auxiliaries) in split(&relation, sorts, PARTS_MAX) {
            let origin = Origin { span, text: String::new() };
            self.transitions.push(Transition { from, to, relation, auxiliaries, origin });
        }
        Ok(())
    }

    fn system(self) -> System {
        let mut locations: Vec<Location> =
            ["initial", "error"].map(|name| Location { name: name.to_owned(), variables: Vec::new() }).into();
        for (index, predicate) in self.declarations.predicates.into_iter().enumerate() {
            let known = self.names.get(&index);
            let name = |at: usize| known.map_or_else(|| format!("a{at}"), |names| names[at].clone());
            let sorts = predicate.sorts.into_iter().enumerate();
            let variables = sorts.map(|(at, sort)| Variable { name: name(at), sort }).collect();
            locations.push(Location { name: predicate.name, variables });
        }
        System { locations, transitions: self.transitions, initial: INITIAL, error: ERROR }
    }
}

/// Remembers what a clause calls the arguments of a predicate, if each is a variable of its own.
fn name_arguments(
    graph: &Graph,
    names: &HashMap<u32, String>,
    occurrence: &Occurrence,
    known: &mut HashMap<usize, Vec<String>>,
) {
    if known.contains_key(&occurrence.predicate) {
        return;
    }
    let mut distinct = HashSet::new();
    let name = |argument: &Argument| {
        let symbol = match argument {
            Argument::Number(sum) => match sum.linear.terms() {
                [(symbol, 1)] if sum.denominator == 1 && sum.linear.constant_part() == 0 => *symbol,
                _ => return None,
            },
            Argument::Truth(id) => match graph.node(*id) {
                Logic::Boolean(symbol) => *symbol,
                _ => return None,
            },
        };
        match symbol {
            crate::Symbol::Auxiliary(index) => names.get(&index).cloned(),
            _ => None,
        }
    };
    let all: Option<Vec<String>> = occurrence.arguments.iter().map(name).collect();
    if let Some(all) = all.filter(|all| all.iter().all(|name| distinct.insert(name.clone()))) {
        known.insert(occurrence.predicate, all);
    }
}
