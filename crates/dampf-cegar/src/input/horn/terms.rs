//! Terms of SMT-LIB evaluated to sums and formulas.
//!
//! Evaluation is recursive, with a limit on how deep terms may be nested and a thread with the stack for it (see
//! [`super::parse`]); a chain of `let`s is one level, because tools print them by the thousand.

use super::logic::{Argument, Graph, Logic, LogicId, Meaning, Quantifier, Sum};
use crate::input::smtlib::{Node, NodeId, Tree};
use crate::linear::{Linear, Overflow, Relation, Symbol};
use crate::system::Sort;
use dampf_core::Span;
use dampf_core::problem::{Checked, Problem};
use std::collections::HashMap;

/// Terms may not be nested deeper.
pub const DEPTH_MAX: usize = 5_000;
/// Macros of `define-fun` are expanded where they are used: not into more than this many terms per assertion.
const EVALUATIONS_MAX: usize = 20_000_000;

/// A declared predicate.
#[derive(Clone, Debug)]
pub struct Predicate {
    pub name: String,
    pub sorts: Vec<Sort>,
}

/// `define-fun`
#[derive(Clone, Debug)]
pub struct Macro {
    pub parameters: Vec<(String, Sort)>,
    pub body: NodeId,
}

/// What the names of a script mean.
#[derive(Default)]
pub struct Declarations {
    pub predicates: Vec<Predicate>,
    pub predicate_ids: HashMap<String, usize>,
    pub macros: HashMap<String, Macro>,
    /// `define-sort` without parameters.
    pub sorts: HashMap<String, Sort>,
}

#[derive(Clone, Debug)]
pub enum Value {
    Number(Sum),
    Truth(LogicId),
}

pub struct Evaluation<'t> {
    tree: &'t Tree,
    declarations: &'t Declarations,
    pub graph: Graph,
    /// What names mean here, innermost last.
    scopes: HashMap<String, Vec<Value>>,
    /// The names of quantified variables, for people.
    pub names: HashMap<u32, String>,
    depth: usize,
    evaluations: usize,
}

impl<'t> Evaluation<'t> {
    pub fn new(tree: &'t Tree, declarations: &'t Declarations) -> Self {
        Evaluation {
            tree,
            declarations,
            graph: Graph::default(),
            scopes: HashMap::new(),
            names: HashMap::new(),
            depth: 0,
            evaluations: 0,
        }
    }

    pub fn formula(&mut self, id: NodeId) -> Checked<LogicId> {
        match self.value(id)? {
            Value::Truth(truth) => Ok(truth),
            Value::Number(_) => Err(self.problem(id, "a number stands where a formula is needed", "is a number")),
        }
    }

    fn number(&mut self, id: NodeId) -> Checked<Sum> {
        match self.value(id)? {
            Value::Number(sum) => Ok(sum),
            Value::Truth(_) => Err(self.problem(id, "a formula stands where a number is needed", "is a formula")),
        }
    }

    fn problem(&self, id: NodeId, message: impl Into<String>, label: &str) -> Box<Problem> {
        Problem::new(self.tree.span(id), message, label)
    }

    fn value(&mut self, id: NodeId) -> Checked<Value> {
        self.depth += 1;
        self.evaluations += 1;
        if self.depth > DEPTH_MAX {
            return Err(self.problem(id, format!("a term is nested more than {DEPTH_MAX} times"), "this deep"));
        }
        if self.evaluations > EVALUATIONS_MAX {
            return Err(self.problem(id, "the definitions of this assertion expand without measure", "given up here"));
        }
        // The names that the chain of `let`s at this level binds.
        let mut bound = Vec::new();
        let result = self.value_behind_lets(id, &mut bound);
        for name in bound {
            self.scopes.get_mut(&name).expect("the name was bound here").pop();
        }
        self.depth -= 1;
        result
    }

    fn value_behind_lets(&mut self, mut id: NodeId, bound: &mut Vec<String>) -> Checked<Value> {
        let tree = self.tree;
        loop {
            match tree.node(id) {
                Node::Symbol(name) => return self.named(id, name),
                Node::Number(digits) => return self.literal(id, digits),
                Node::BitVector => {
                    return Err(self.problem(id, "bit-vectors are not supported", "no integer, real or Boolean"));
                }
                Node::Keyword(_) | Node::Text => return Err(self.problem(id, "this is no term", "not expected here")),
                Node::List(parts) => {
                    let Some((&first, arguments)) = parts.split_first() else {
                        return Err(self.problem(id, "`()` is no term", "nothing in it"));
                    };
                    let Some(operator) = tree.symbol(first) else {
                        return Err(self.indexed(first));
                    };
                    match operator {
                        "let" => {
                            let [bindings, body] = arguments else { return Err(self.arity(id, "let", "two")) };
                            self.bind(*bindings, bound)?;
                            id = *body;
                        }
                        "!" => {
                            let Some(&inner) = arguments.first() else {
                                return Err(self.arity(id, "!", "one or more"));
                            };
                            id = inner;
                        }
                        _ => return self.applied(id, operator, arguments),
                    }
                }
            }
        }
    }

    /// `((_ extract …) x)`, `((as const …) x)`: none of them is of linear arithmetic.
    fn indexed(&self, id: NodeId) -> Box<Problem> {
        let name = self.tree.application(id).and_then(|(_, rest)| self.tree.symbol(*rest.first()?)).unwrap_or("this");
        self.problem(id, format!("`{name}` is not supported: only linear arithmetic and Booleans are"), "used here")
    }

    fn bind(&mut self, bindings: NodeId, bound: &mut Vec<String>) -> Checked<()> {
        let Some(list) = self.tree.list(bindings) else {
            return Err(self.problem(bindings, "`let` needs a list of names and terms", "is no list"));
        };
        // All terms are evaluated before any name is bound.
        let mut values = Vec::with_capacity(list.len());
        for &binding in list {
            match self.tree.list(binding) {
                Some(&[name, term]) if self.tree.symbol(name).is_some() => {
                    values.push((self.tree.symbol(name).unwrap_or_default().to_owned(), self.value(term)?));
                }
                _ => return Err(self.problem(binding, "`let` binds names to terms", "is no `(name term)`")),
            }
        }
        for (name, value) in values {
            self.scopes.entry(name.clone()).or_default().push(value);
            bound.push(name);
        }
        Ok(())
    }

    fn named(&mut self, id: NodeId, name: &str) -> Checked<Value> {
        if let Some(value) = self.scopes.get(name).and_then(|values| values.last()) {
            return Ok(value.clone());
        }
        match name {
            "true" => Ok(Value::Truth(self.graph.truth(true))),
            "false" => Ok(Value::Truth(self.graph.truth(false))),
            _ => self.applied(id, name, &[]),
        }
    }

    fn literal(&mut self, id: NodeId, digits: &str) -> Checked<Value> {
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        let fraction = fraction.trim_end_matches('0');
        let number = format!("{whole}{fraction}").parse::<i128>().ok();
        let denominator = u32::try_from(fraction.len()).ok().and_then(|length| 10_i128.checked_pow(length));
        let (Some(number), Some(denominator)) = (number, denominator) else {
            return Err(self.problem(id, "a number exceeds 128 bits", "does not fit"));
        };
        let one = Sum { linear: Linear::constant(1), denominator: 1, is_real: digits.contains('.') };
        Ok(Value::Number(self.fits(id, one.times(number, denominator))?))
    }

    fn fits<T>(&self, id: NodeId, result: Result<T, Overflow>) -> Checked<T> {
        result.map_err(|overflow| self.problem(id, overflow.to_string(), "too large here"))
    }

    fn arity(&self, id: NodeId, operator: &str, count: &str) -> Box<Problem> {
        self.problem(id, format!("`{operator}` takes {count} arguments"), "another number of arguments")
    }

    fn applied(&mut self, id: NodeId, operator: &str, arguments: &[NodeId]) -> Checked<Value> {
        let truth = |id: LogicId| Ok(Value::Truth(id));
        match (operator, arguments) {
            ("and", _) => {
                let parts = self.formulas(arguments)?;
                truth(self.graph.and(parts))
            }
            ("or", _) => {
                let parts = self.formulas(arguments)?;
                truth(self.graph.or(parts))
            }
            ("not", &[inner]) => {
                let inner = self.formula(inner)?;
                truth(self.graph.not(inner))
            }
            ("=>", [premises @ .., conclusion]) if !premises.is_empty() => {
                let mut parts = Vec::with_capacity(arguments.len());
                for premise in self.formulas(premises)? {
                    parts.push(self.graph.not(premise));
                }
                parts.push(self.formula(*conclusion)?);
                truth(self.graph.or(parts))
            }
            ("xor", &[first, ..]) => {
                let mut all = self.formula(first)?;
                for other in self.formulas(&arguments[1..])? {
                    let same = self.graph.iff(all, other);
                    all = self.graph.not(same);
                }
                truth(all)
            }
            ("=", [_, _, ..]) => self.equal(id, arguments),
            ("distinct", [_, _, ..]) => self.distinct(id, arguments),
            ("ite", &[condition, one, other]) => self.choice(id, condition, one, other),
            ("<=" | "<" | ">=" | ">", [_, _, ..]) => self.comparison(id, operator, arguments),
            ("+" | "-" | "~" | "*" | "/" | "div" | "mod" | "abs" | "to_real" | "to_int", [_, ..]) => {
                Ok(Value::Number(self.arithmetic(id, operator, arguments)?))
            }
            ("is_int", &[inner]) => {
                let sum = self.number(inner)?;
                let floor = self.floor(id, &sum)?;
                let difference = self.fits(id, sum.plus(-1, 1, &floor))?;
                let equal = self.graph.compare(&difference, Relation::Equal);
                truth(self.fits(id, equal)?)
            }
            ("forall", &[variables, body]) => self.quantified(Quantifier::Forall, variables, body),
            ("exists", &[variables, body]) => self.quantified(Quantifier::Exists, variables, body),
            _ => self.declared(id, operator, arguments),
        }
    }

    fn formulas(&mut self, ids: &[NodeId]) -> Checked<Vec<LogicId>> {
        ids.iter().map(|&id| self.formula(id)).collect()
    }

    fn quantified(&mut self, quantifier: Quantifier, variables: NodeId, body: NodeId) -> Checked<Value> {
        let mut bound = Vec::new();
        for (name, sort) in sorted_names(self.tree, self.declarations, variables)? {
            let symbol = self.graph.fresh(sort);
            if let Symbol::Auxiliary(index) = symbol {
                self.names.insert(index, name.clone());
            }
            let value = match sort {
                Sort::Boolean => Value::Truth(self.graph.add(Logic::Boolean(symbol))),
                _ => Value::Number(Sum { linear: Linear::symbol(symbol), denominator: 1, is_real: sort == Sort::Real }),
            };
            self.scopes.entry(name.clone()).or_default().push(value);
            bound.push(name);
        }
        let body = self.formula(body);
        for name in bound {
            self.scopes.get_mut(&name).expect("the name was bound here").pop();
        }
        let body = body?;
        Ok(Value::Truth(self.graph.add(Logic::Quantified(quantifier, body))))
    }

    fn equal(&mut self, id: NodeId, arguments: &[NodeId]) -> Checked<Value> {
        let values: Vec<Value> = arguments.iter().map(|&argument| self.value(argument)).collect::<Checked<_>>()?;
        let mut parts = Vec::new();
        for pair in values.windows(2) {
            parts.push(self.same(id, &pair[0], &pair[1])?);
        }
        Ok(Value::Truth(self.graph.and(parts)))
    }

    fn distinct(&mut self, id: NodeId, arguments: &[NodeId]) -> Checked<Value> {
        let values: Vec<Value> = arguments.iter().map(|&argument| self.value(argument)).collect::<Checked<_>>()?;
        let mut parts = Vec::new();
        for (at, one) in values.iter().enumerate() {
            for other in &values[at + 1..] {
                let same = self.same(id, one, other)?;
                parts.push(self.graph.not(same));
            }
        }
        Ok(Value::Truth(self.graph.and(parts)))
    }

    fn same(&mut self, id: NodeId, one: &Value, other: &Value) -> Checked<LogicId> {
        match (one, other) {
            (Value::Truth(one), Value::Truth(other)) => Ok(self.graph.iff(*one, *other)),
            (Value::Number(one), Value::Number(other)) => {
                let difference = self.fits(id, one.plus(-1, 1, other))?;
                let equal = self.graph.compare(&difference, Relation::Equal);
                self.fits(id, equal)
            }
            _ => Err(self.problem(id, "a number and a formula are compared", "of two sorts")),
        }
    }

    fn choice(&mut self, id: NodeId, condition: NodeId, one: NodeId, other: NodeId) -> Checked<Value> {
        let condition = self.formula(condition)?;
        match (self.value(one)?, self.value(other)?) {
            (Value::Truth(one), Value::Truth(other)) => Ok(Value::Truth(self.graph.choice(condition, one, other))),
            (Value::Number(one), Value::Number(other)) => Ok(Value::Number(self.chosen(condition, one, other))),
            _ => Err(self.problem(id, "`ite` chooses between a number and a formula", "of two sorts")),
        }
    }

    fn chosen(&mut self, condition: LogicId, one: Sum, other: Sum) -> Sum {
        match *self.graph.node(condition) {
            Logic::Truth(true) => return one,
            Logic::Truth(false) => return other,
            _ if one == other => return one,
            _ => {}
        }
        let is_real = one.is_real || other.is_real;
        let sort = if is_real { Sort::Real } else { Sort::Integer };
        let symbol = self.graph.term(sort, Meaning::Choice(condition, one, other));
        Sum { linear: Linear::symbol(symbol), denominator: 1, is_real }
    }

    fn comparison(&mut self, id: NodeId, operator: &str, arguments: &[NodeId]) -> Checked<Value> {
        let sums: Vec<Sum> = arguments.iter().map(|&argument| self.number(argument)).collect::<Checked<_>>()?;
        let mut parts = Vec::new();
        for pair in sums.windows(2) {
            let (less, more) = if operator.starts_with('<') { (&pair[0], &pair[1]) } else { (&pair[1], &pair[0]) };
            let relation = if operator.len() == 2 { Relation::AtMost } else { Relation::Below };
            let difference = self.fits(id, less.plus(-1, 1, more))?;
            let compared = self.graph.compare(&difference, relation);
            parts.push(self.fits(id, compared)?);
        }
        Ok(Value::Truth(self.graph.and(parts)))
    }

    fn arithmetic(&mut self, id: NodeId, operator: &str, arguments: &[NodeId]) -> Checked<Sum> {
        let sums: Vec<Sum> = arguments.iter().map(|&argument| self.number(argument)).collect::<Checked<_>>()?;
        let (first, others) = sums.split_first().expect("there is an argument");
        match operator {
            // Old texts of Z3 write `~` for a minus sign.
            "-" | "~" if others.is_empty() => self.fits(id, first.times(-1, 1)),
            "+" | "-" => {
                let sign = if operator == "+" { 1 } else { -1 };
                let total = others.iter().try_fold(first.clone(), |total, other| total.plus(sign, 1, other));
                self.fits(id, total)
            }
            "*" => others.iter().try_fold(first.clone(), |product, other| self.product(id, &product, other)),
            "/" => others.iter().try_fold(first.clone(), |quotient, other| {
                let (numerator, denominator) = self.divisor(id, other)?;
                let sign = if numerator < 0 { -1 } else { 1 };
                let inverse = self.fits(id, numerator.checked_abs().ok_or(Overflow))?;
                let mut quotient = self.fits(id, quotient.times(sign * denominator, inverse))?;
                quotient.is_real = true;
                Ok(quotient)
            }),
            "div" => {
                others.iter().try_fold(first.clone(), |quotient, other| Ok(self.division(id, &quotient, other)?.0))
            }
            "mod" => match others {
                [other] => Ok(self.division(id, first, other)?.1),
                _ => Err(self.arity(id, "mod", "two")),
            },
            "abs" => {
                let opposite = self.fits(id, first.times(-1, 1))?;
                let negative = self.graph.compare(first, Relation::Below);
                let negative = self.fits(id, negative)?;
                Ok(self.chosen(negative, opposite, first.clone()))
            }
            "to_real" => Ok(Sum { is_real: true, ..first.clone() }),
            _ => self.floor(id, first),
        }
    }

    fn product(&self, id: NodeId, one: &Sum, other: &Sum) -> Checked<Sum> {
        let (sum, (numerator, denominator)) = match (one.as_constant(), other.as_constant()) {
            (_, Some(factor)) => (one, factor),
            (Some(factor), None) => (other, factor),
            (None, None) => {
                return Err(self
                    .problem(id, "a product of two variables is not linear", "nonlinear term")
                    .help("one factor must be a constant"));
            }
        };
        let mut product = self.fits(id, sum.times(numerator, denominator))?;
        product.is_real = one.is_real || other.is_real;
        Ok(product)
    }

    fn divisor(&self, id: NodeId, sum: &Sum) -> Checked<(i128, i128)> {
        match sum.as_constant() {
            Some((0, _)) => Err(self.problem(
                id,
                "division by zero may be any number, which is not supported",
                "the divisor is zero",
            )),
            Some(constant) => Ok(constant),
            None => Err(self
                .problem(id, "a division by a variable is not linear", "nonlinear term")
                .help("the divisor must be a constant")),
        }
    }

    /// The quotient and the remainder of SMT-LIB: the remainder is never negative.
    fn division(&mut self, id: NodeId, sum: &Sum, divisor: &Sum) -> Checked<(Sum, Sum)> {
        let (divisor, denominator) = self.divisor(id, divisor)?;
        if sum.is_real || denominator != 1 {
            return Err(self.problem(id, "`div` and `mod` are of integers", "applied to a real"));
        }
        let positive = self.fits(id, divisor.checked_abs().ok_or(Overflow))?;
        let floor = match sum.as_constant() {
            Some((constant, _)) => Sum::integer(Linear::constant(constant.div_euclid(positive))),
            None => Sum::integer(Linear::symbol(self.graph.term(Sort::Integer, Meaning::Floor(sum.clone(), positive)))),
        };
        let remainder = self.fits(id, sum.plus(-positive, 1, &floor))?;
        let quotient = self.fits(id, floor.times(divisor.signum(), 1))?;
        Ok((quotient, remainder))
    }

    fn floor(&mut self, id: NodeId, sum: &Sum) -> Checked<Sum> {
        if !sum.is_real {
            return Ok(sum.clone());
        }
        if let Some((numerator, denominator)) = sum.as_constant() {
            return Ok(Sum::integer(Linear::constant(numerator.div_euclid(denominator))));
        }
        let _ = id;
        Ok(Sum::integer(Linear::symbol(self.graph.term(Sort::Integer, Meaning::Floor(sum.clone(), 1)))))
    }

    fn declared(&mut self, id: NodeId, name: &str, arguments: &[NodeId]) -> Checked<Value> {
        let declarations = self.declarations;
        if let Some(&index) = declarations.predicate_ids.get(name) {
            let sorts = &declarations.predicates[index].sorts;
            if sorts.len() != arguments.len() {
                return Err(self.arity(id, name, &sorts.len().to_string()));
            }
            let mut values = Vec::with_capacity(arguments.len());
            for (&argument, &sort) in arguments.iter().zip(sorts) {
                values.push(match sort {
                    Sort::Boolean => Argument::Truth(self.formula(argument)?),
                    Sort::Integer | Sort::Real => {
                        let sum = self.number(argument)?;
                        if sort == Sort::Integer && (sum.is_real || sum.denominator != 1) {
                            return Err(self.problem(
                                argument,
                                "a real stands where an integer is needed",
                                "is a real",
                            ));
                        }
                        Argument::Number(sum)
                    }
                });
            }
            return Ok(Value::Truth(self.graph.add(Logic::Predicate(index, values))));
        }
        if let Some(definition) = declarations.macros.get(name) {
            if definition.parameters.len() != arguments.len() {
                return Err(self.arity(id, name, &definition.parameters.len().to_string()));
            }
            let mut values = Vec::with_capacity(arguments.len());
            for (&argument, (_, sort)) in arguments.iter().zip(&definition.parameters) {
                values.push(match sort {
                    Sort::Boolean => Value::Truth(self.formula(argument)?),
                    _ => Value::Number(self.number(argument)?),
                });
            }
            // The body sees its parameters and nothing of the place where it is used.
            let outside = std::mem::take(&mut self.scopes);
            for ((parameter, _), value) in definition.parameters.iter().zip(values) {
                self.scopes.entry(parameter.clone()).or_default().push(value);
            }
            let result = self.value(definition.body);
            self.scopes = outside;
            return result;
        }
        Err(self.unknown(id, name))
    }

    fn unknown(&self, id: NodeId, name: &str) -> Box<Problem> {
        let theory = match name {
            "select" | "store" => Some("arrays are"),
            "bvadd" | "bvsub" | "bvmul" | "bvand" | "bvor" | "bvult" | "bvslt" | "bvule" | "bvsle" | "concat" => {
                Some("bit-vectors are")
            }
            "sin" | "cos" | "exp" | "pow" | "^" => Some("nonlinear functions are"),
            "match" => Some("datatypes are"),
            _ => None,
        };
        match theory {
            Some(theory) => self
                .problem(id, format!("`{name}`: {theory} not supported"), "used here")
                .help("integers, reals and Booleans are supported, with linear arithmetic"),
            None => {
                let known = self.declarations.predicate_ids.keys().chain(self.declarations.macros.keys());
                self.problem(id, format!("unknown name `{name}`"), "declared nowhere")
                    .suggest(name, known.map(String::as_str))
            }
        }
    }
}

/// `((x Int) (b Bool))`
pub fn sorted_names(tree: &Tree, declarations: &Declarations, list: NodeId) -> Checked<Vec<(String, Sort)>> {
    let wrong = |id: NodeId| Problem::new(tree.span(id), "a list of names and sorts is needed", "is no `(name Sort)`");
    let mut names = Vec::new();
    for &entry in tree.list(list).ok_or_else(|| wrong(list))? {
        match tree.list(entry) {
            Some(&[name, of]) if tree.symbol(name).is_some() => {
                names.push((tree.symbol(name).unwrap_or_default().to_owned(), sort(tree, declarations, of)?));
            }
            _ => return Err(wrong(entry)),
        }
    }
    Ok(names)
}

pub fn sort(tree: &Tree, declarations: &Declarations, id: NodeId) -> Checked<Sort> {
    let span: Span = tree.span(id);
    let name = match tree.symbol(id) {
        Some("Int") => return Ok(Sort::Integer),
        Some("Real") => return Ok(Sort::Real),
        Some("Bool") => return Ok(Sort::Boolean),
        Some(name) => match declarations.sorts.get(name) {
            Some(&sort) => return Ok(sort),
            None => name,
        },
        None => tree
            .list(id)
            .and_then(|parts| parts.iter().find_map(|&part| tree.symbol(part).filter(|name| *name != "_")))
            .unwrap_or("this"),
    };
    let what = match name {
        "Array" => "arrays are not supported".to_owned(),
        "BitVec" => "bit-vectors are not supported".to_owned(),
        _ => format!("the sort `{name}` is not supported"),
    };
    Err(Problem::new(span, what, "of this sort").help("the sorts are Int, Real and Bool"))
}
