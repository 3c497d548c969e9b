//! ARMC's clauses (`.pl`): transition systems as facts of Prolog.
//!
//! `r(p(pc(A), data(V…)), p(pc(B), data(W…)), Guards, Updates, Number).` is a transition from `A` to `B`; `start` and
//! `error` name locations, `var2names` names variables and `stmtsrc` the statements that transitions come from. What
//! steers other tools (predicates, templates, cut points) is skipped, as is what they found out (`strengthening`).
//! Variables are integers. A variable that stands on both sides keeps its value.

mod terms;

use crate::formula::Formula;
use crate::linear::{Linear, Overflow, Relation, Symbol};
use crate::simplify::eliminate::Sorts;
use crate::simplify::split::{PARTS_MAX, split};
use crate::system::{Location, LocationId, Origin, Sort, System, Transition, Variable};
use dampf_core::problem::{Checked, Problem, diagnose};
use dampf_core::{Diagnostic, Source, Span};
use std::collections::HashMap;
use std::sync::Arc;
use terms::{Term, TermKind, read};

const INITIAL: LocationId = LocationId(0);
const ERROR: LocationId = LocationId(1);
/// Facts that do not change what the system does.
const SKIPPED: &[&str] = &[
    "refinement",
    "cube_size",
    "preds",
    "trans_preds",
    "globals",
    "cutpoint",
    "invgen_template",
    "bound_var",
    "bounding_vars",
    "cfg_exit_relation",
    "transition_access",
    "strengthening",
    "atomic",
];

/// Reads clauses, or says what is wrong or not supported with them.
pub fn parse(source: &Arc<Source>) -> Result<System, Vec<Diagnostic>> {
    if source.text.len() >= u32::MAX as usize {
        let problem = Problem::new(Span::new(0, 0), "the text is 4 GiB long or longer", "begins here");
        return Err(diagnose(source, vec![*problem]));
    }
    system(&source.text).map_err(|problem| diagnose(source, vec![*problem]))
}

fn system(text: &str) -> Checked<System> {
    let facts = read(text)?;
    let mut reading = Reading { text, ..Reading::default() };
    for fact in &facts {
        reading.fact(fact)?;
    }
    reading.finish()
}

#[derive(Default)]
struct Reading<'t> {
    text: &'t str,
    /// Locations by what stands in `pc(…)`, blanks aside, in the order in which they come up.
    locations: HashMap<String, LocationId>,
    names: Vec<String>,
    /// How many variables each location has, and where that was seen first.
    arity: Option<usize>,
    variables: Vec<String>,
    transitions: Vec<Transition>,
    starts: Vec<(LocationId, Span)>,
    errors: Vec<(LocationId, Span)>,
    /// The texts of statements by the number of their transition.
    statements: HashMap<i128, String>,
    numbers: Vec<i128>,
}

impl Reading<'_> {
    fn fact(&mut self, fact: &Term) -> Checked<()> {
        let Some((name, arguments)) = fact.compound() else {
            return Err(Problem::new(fact.span, "this is no fact", "a name is needed"));
        };
        match (name, arguments) {
            ("r", [from, to, guards, updates, number]) => self.transition(fact, from, to, [guards, updates], number),
            ("start", [place]) => {
                let place = (self.location(place)?, fact.span);
                self.starts.push(place);
                Ok(())
            }
            ("error", [place]) => {
                let place = (self.location(place)?, fact.span);
                self.errors.push(place);
                Ok(())
            }
            ("var2names", [state, names]) => self.variable_names(state, names),
            ("stmtsrc", [number, text]) => {
                if let (&TermKind::Number(number), Some((text, []))) = (&number.kind, text.compound()) {
                    self.statements.insert(number, text.trim_end_matches(';').to_owned());
                }
                Ok(())
            }
            ("implicit_updates", _) => {
                Err(Problem::new(fact.span, "implicit updates are not supported", "asked for here")
                    .help("say of every variable what it becomes"))
            }
            (name, _) if SKIPPED.contains(&name) => Ok(()),
            (name, arguments) => Err(Problem::new(
                fact.span,
                format!("`{name}` with {} arguments is no fact of ARMC", arguments.len()),
                "not understood",
            )),
        }
    }

    /// The location of `pc(…)`.
    fn location(&mut self, place: &Term) -> Checked<LocationId> {
        let Some(("pc", [inner])) = place.compound() else {
            return Err(Problem::new(place.span, "a location is written `pc(name)`", "is none"));
        };
        if let TermKind::Variable(_) = inner.kind {
            return Err(Problem::new(inner.span, "a transition of all locations is not supported", "any location"));
        }
        let written = &self.text[inner.span.start as usize..inner.span.end as usize];
        let name: String = written.chars().filter(|c| !c.is_whitespace()).collect();
        let next = LocationId(self.names.len() as u32 + 2);
        let id = *self.locations.entry(name.clone()).or_insert(next);
        if id == next {
            self.names.push(name);
        }
        Ok(id)
    }

    /// The location and the variables of `p(pc(…), data(…))`.
    fn state<'a>(&mut self, state: &'a Term) -> Checked<(&'a Term, Vec<&'a str>)> {
        let Some(("p", [place, data])) = state.compound() else {
            return Err(Problem::new(state.span, "a state is written `p(pc(…), data(…))`", "is none"));
        };
        let Some(("data", arguments)) = data.compound() else {
            return Err(Problem::new(data.span, "variables are written `data(…)`", "is none"));
        };
        let mut names = Vec::with_capacity(arguments.len());
        for argument in arguments {
            match &argument.kind {
                TermKind::Variable(name) if name == "_" || !names.contains(&name.as_str()) => names.push(name.as_str()),
                TermKind::Variable(name) => {
                    return Err(Problem::new(argument.span, format!("`{name}` stands twice in a state"), "again here"));
                }
                _ => return Err(Problem::new(argument.span, "a state has variables", "is no variable")),
            }
        }
        if *self.arity.get_or_insert(names.len()) != names.len() {
            let message = "states have different numbers of variables";
            return Err(Problem::new(data.span, message, format!("has {} of them", names.len())));
        }
        Ok((place, names))
    }

    fn variable_names(&mut self, state: &Term, names: &Term) -> Checked<()> {
        let (_, variables) = self.state(state)?;
        let TermKind::List(pairs) = &names.kind else { return Ok(()) };
        let name = |variable: &str| {
            pairs.iter().find_map(|pair| match pair.compound()? {
                (",", [Term { kind: TermKind::Variable(of), .. }, name]) if of == variable => {
                    name.compound().map(|(name, _)| name.to_owned())
                }
                _ => None,
            })
        };
        self.variables = variables.iter().map(|&variable| name(variable).unwrap_or(variable.to_owned())).collect();
        Ok(())
    }

    fn transition(&mut self, fact: &Term, from: &Term, to: &Term, lists: [&Term; 2], number: &Term) -> Checked<()> {
        let (from, before) = self.state(from)?;
        let (to, after) = self.state(to)?;
        let (from, to) = (self.location(from)?, self.location(to)?);
        let mut relation = Relations { symbols: HashMap::new(), auxiliaries: Vec::new() };
        let mut parts = Vec::new();
        for (index, name) in before.iter().enumerate() {
            relation.symbols.insert(name, Symbol::Before(index as u32));
        }
        for (index, name) in after.iter().enumerate() {
            let symbol = Symbol::After(index as u32);
            match relation.symbols.get(name).filter(|_| *name != "_") {
                Some(&kept) => {
                    let difference = Linear::symbol(symbol).plus(-1, &Linear::symbol(kept));
                    parts.push(Formula::atom(difference.expect("two units fit"), Relation::Equal));
                }
                None => drop(relation.symbols.insert(name, symbol)),
            }
        }
        relation.symbols.remove("_");
        for list in lists {
            let TermKind::List(constraints) = &list.kind else {
                return Err(Problem::new(list.span, "guards and updates are lists", "is no list"));
            };
            for constraint in constraints {
                parts.push(relation.formula(constraint)?);
            }
        }
        let variables: Vec<Variable> =
            before.iter().map(|_| Variable { name: String::new(), sort: Sort::Integer }).collect();
        let sorts = Sorts { before: &variables, after: &variables, auxiliaries: &relation.auxiliaries };
        let number = if let TermKind::Number(number) = number.kind { number } else { -1 };
        for (relation, auxiliaries) in split(&Formula::and(parts), sorts, PARTS_MAX) {
            let origin = Origin { span: fact.span, text: String::new() };
            self.transitions.push(Transition { from, to, relation, auxiliaries, origin });
            self.numbers.push(number);
        }
        Ok(())
    }

    fn finish(self) -> Checked<System> {
        let whole = Span::new(0, 0);
        if self.starts.is_empty() {
            return Err(Problem::new(whole, "no location is the start", "`start(pc(…)).` is needed"));
        }
        if self.errors.is_empty() {
            return Err(Problem::new(whole, "no location is an error", "`error(pc(…)).` is needed"));
        }
        let count = self.arity.unwrap_or(0);
        let name = |index: usize| self.variables.get(index).cloned().unwrap_or_else(|| format!("v{index}"));
        let variables: Vec<Variable> =
            (0..count).map(|index| Variable { name: name(index), sort: Sort::Integer }).collect();
        let bare = |name: &str| Location { name: name.to_owned(), variables: Vec::new() };
        let mut locations = vec![bare("initial"), bare("error")];
        locations.extend(self.names.into_iter().map(|name| Location { name, variables: variables.clone() }));
        let edge = |from: LocationId, to: LocationId, span: Span| Transition {
            from,
            to,
            relation: Formula::True,
            auxiliaries: Vec::new(),
            origin: Origin { span, text: String::new() },
        };
        let mut transitions: Vec<Transition> =
            self.starts.into_iter().map(|(place, span)| edge(INITIAL, place, span)).collect();
        for (mut transition, number) in self.transitions.into_iter().zip(self.numbers) {
            if let Some(text) = self.statements.get(&number) {
                transition.origin.text.clone_from(text);
            }
            transitions.push(transition);
        }
        transitions.extend(self.errors.into_iter().map(|(place, span)| edge(place, ERROR, span)));
        Ok(System { locations, transitions, initial: INITIAL, error: ERROR })
    }
}

/// The constraints of one transition.
struct Relations<'t> {
    symbols: HashMap<&'t str, Symbol>,
    auxiliaries: Vec<Sort>,
}

impl<'t> Relations<'t> {
    fn formula(&mut self, term: &'t Term) -> Checked<Formula> {
        let fits = |result: Result<Formula, Overflow>| {
            result.map_err(|overflow| Problem::new(term.span, overflow.to_string(), "too large here"))
        };
        match term.compound() {
            Some(("true", [])) => Ok(Formula::True),
            Some(("false" | "fail", [])) => Ok(Formula::False),
            Some((";", [one, other])) => Ok(Formula::or([self.formula(one)?, self.formula(other)?])),
            Some((",", parts)) => {
                Ok(Formula::and(parts.iter().map(|part| self.formula(part)).collect::<Checked<Vec<_>>>()?))
            }
            Some((operator, [left, right])) if COMPARISONS.contains(&operator) => {
                let (left, right) = (self.sum(left)?, self.sum(right)?);
                fits(compared(operator, &left, &right))
            }
            Some((name, _)) => {
                Err(Problem::new(term.span, format!("`{name}` is no constraint that is supported"), "used here"))
            }
            None => Err(Problem::new(term.span, "a constraint is needed", "is none")),
        }
    }

    fn sum(&mut self, term: &'t Term) -> Checked<Linear> {
        let too_large = |overflow: Overflow| Problem::new(term.span, overflow.to_string(), "too large here");
        match &term.kind {
            TermKind::Number(value) => Ok(Linear::constant(*value)),
            TermKind::Variable(name) if name == "_" => Ok(Linear::symbol(self.fresh())),
            TermKind::Variable(name) => {
                let symbol = match self.symbols.get(name.as_str()) {
                    Some(&symbol) => symbol,
                    None => {
                        let symbol = self.fresh();
                        self.symbols.insert(name, symbol);
                        symbol
                    }
                };
                Ok(Linear::symbol(symbol))
            }
            TermKind::Compound(operator, arguments) => match (operator.as_str(), arguments.as_slice()) {
                ("-", [inner]) => self.sum(inner)?.times(-1).map_err(too_large),
                ("+", [left, right]) => self.sum(left)?.plus(1, &self.sum(right)?).map_err(too_large),
                ("-", [left, right]) => self.sum(left)?.plus(-1, &self.sum(right)?).map_err(too_large),
                ("*", [left, right]) => {
                    let (left, right) = (self.sum(left)?, self.sum(right)?);
                    let product = match (left.is_constant(), right.is_constant()) {
                        (true, _) => right.times(left.constant_part()),
                        (_, true) => left.times(right.constant_part()),
                        _ => {
                            return Err(Problem::new(
                                term.span,
                                "a product of two variables is not linear",
                                "nonlinear term",
                            )
                            .help("one factor must be a constant"));
                        }
                    };
                    product.map_err(too_large)
                }
                (operator, _) => Err(Problem::new(
                    term.span,
                    format!("`{operator}` is no arithmetic that is supported"),
                    "used here",
                )),
            },
            TermKind::List(_) => Err(Problem::new(term.span, "a number is needed", "is a list")),
        }
    }

    fn fresh(&mut self) -> Symbol {
        self.auxiliaries.push(Sort::Integer);
        Symbol::Auxiliary(self.auxiliaries.len() as u32 - 1)
    }
}

const COMPARISONS: &[&str] = &["=", "==", "=:=", "is", "=\\=", "\\=", "\\==", "<", ">", "=<", "<=", ">="];

fn compared(operator: &str, left: &Linear, right: &Linear) -> Result<Formula, Overflow> {
    let below = |one: &Linear, other: &Linear| {
        Ok(Formula::atom(one.plus(-1, other)?.plus(1, &Linear::constant(1))?, Relation::AtMost))
    };
    let difference = left.plus(-1, right)?;
    match operator {
        "<" => below(left, right),
        ">" => below(right, left),
        "=<" | "<=" => Ok(Formula::atom(difference, Relation::AtMost)),
        ">=" => Ok(Formula::atom(difference.times(-1)?, Relation::AtMost)),
        "=\\=" | "\\=" | "\\==" => Ok(Formula::or([below(left, right)?, below(right, left)?])),
        _ => Ok(Formula::atom(difference, Relation::Equal)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::show;

    const COUNTER: &str = "
        var2names(p(pc(_), data(V, W)), [(V, 'x'), (W, 'n')]).
        start(pc(main-0)). error(pc(bad)).
        r(p(pc(main-0), data(V, W)), p(pc(loop), data(Vp, Wp)), [], [Vp = 0, Wp = W], 1).
        stmtsrc(1, 'x = 0;').
        r(p(pc(loop), data(V, W)), p(pc(loop), data(Vp, W)), [V + 1 =< W], [Vp = V + 2*1], 2).
        r(p(pc(loop), data(V, W)), p(pc( bad ), data(V, W)), [V =\\= W], [], 3).
        cube_size(1).";

    fn message(text: &str) -> String {
        parse(&Source::new("m.pl", text)).unwrap_err()[0].message.clone()
    }

    #[test]
    fn a_file_is_a_system() {
        let system = parse(&Source::new("m.pl", COUNTER)).unwrap();
        let shown = show::system(&system);
        let expected = "\
location initial()
location error()
location main-0(x, n)
location bad(x, n)
location loop(x, n)
0: initial -> main-0: true
1: main-0 -> loop: x' = 0
2: loop -> loop: x + 1 <= n and x + 2 = x'
3: loop -> bad: x + 1 <= n
4: loop -> bad: n + 1 <= x
5: bad -> error: true
";
        assert_eq!(shown, expected);
        assert_eq!(system.transitions[1].origin.text, "x = 0");
    }

    #[test]
    fn what_is_wrong_is_told() {
        let with = |line: &str| message(&format!("start(pc(a)). error(pc(b)). {line}"));
        let rule = |guard: &str| with(&format!("r(p(pc(a), data(X)), p(pc(b), data(Y)), [{guard}], [], 1)."));
        assert_eq!(message("error(pc(b))."), "no location is the start");
        assert_eq!(message("start(pc(b))."), "no location is an error");
        assert_eq!(with("implicit_updates."), "implicit updates are not supported");
        assert_eq!(with("unheard(1)."), "`unheard` with 1 arguments is no fact of ARMC");
        assert_eq!(with("1."), "this is no fact");
        assert_eq!(with("start(a)."), "a location is written `pc(name)`");
        assert_eq!(with("start(pc(X))."), "a transition of all locations is not supported");
        assert_eq!(with("r(a, b, [], [], 1)."), "a state is written `p(pc(…), data(…))`");
        assert_eq!(with("r(p(pc(a), x), b, [], [], 1)."), "variables are written `data(…)`");
        assert_eq!(with("r(p(pc(a), data(1)), b, [], [], 1)."), "a state has variables");
        assert_eq!(with("r(p(pc(a), data(X, X)), b, [], [], 1)."), "`X` stands twice in a state");
        assert_eq!(
            with("r(p(pc(a), data(X)), p(pc(b), data(X, Y)), [], [], 1)."),
            "states have different numbers of variables"
        );
        assert_eq!(with("r(p(pc(a), data(X)), p(pc(b), data(X)), x, [], 1)."), "guards and updates are lists");
        assert_eq!(rule("X * Y = 1"), "a product of two variables is not linear");
        assert_eq!(rule("X mod 2 = 1"), "`mod` is no arithmetic that is supported");
        assert_eq!(rule("foo(X)"), "`foo` is no constraint that is supported");
        assert_eq!(rule("X"), "a constraint is needed");
        assert_eq!(rule("X = []"), "a number is needed");
        assert_eq!(rule("X = 170141183460469231731687303715884105727 * (2 * X)"), "a coefficient exceeds 128 bits");
    }
}
