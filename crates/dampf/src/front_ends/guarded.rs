//! Models in DVE and DMC: texts that become guarded commands at once.

use super::guarded_info;
use crate::failure::Failure;
use crate::front_end::{
    self, AskedEstimate, Backend, FrontEnd, Hashes, Made, Making, Observed, Offer, OwnProperty, Reduction,
};
use crate::options::ModelOptions;
use crate::source::{has_extension, read_source};
use crate::values;
use dampf_core::{Automaton, Diagnostic, FaultKind, Interleaving, Source, Symmetry, Trail, Unsupported};
use dampf_gcl::Estimate;
use dampf_gcl::ir::{Check, Effect, Expr, Process, Program, Proposition, VariableId};
use dampf_gcl::model::{self, GclModel};
use dampf_gcl::patterns::Counted;
use dampf_reduce::{Reduced, Symmetric};
use dampf_report::{Knowledge, Palette, text_hash};
use std::io::{self, Write};
use std::marker::PhantomData;
use std::path::Path;
use std::sync::Arc;

/// What one of the languages has of its own.
pub trait Language: Send + 'static {
    const NAME: &'static str;
    const CALLED: &'static str;
    const ALL_CALLED: &'static str;
    const OFFERS: &'static [Offer];
    const EXTENSION: &'static str;

    fn parse(source: Arc<Source>, definitions: &[(String, i64)]) -> Result<Program, Vec<Diagnostic>>;
    fn parse_expression(program: &Program, text: &str) -> Result<Expr, Diagnostic>;
    /// A Büchi automaton that watches a model.
    fn parse_automaton(program: &Program, source: Arc<Source>) -> Result<Process, Vec<Diagnostic>>;
}

pub struct Dve;

impl Language for Dve {
    const NAME: &'static str = "DVE";
    const CALLED: &'static str = "a DVE model";
    const ALL_CALLED: &'static str = "DVE models";
    const OFFERS: &'static [Offer] =
        &[Offer::Expressions, Offer::Formulas, Offer::Backends, Offer::Interleavings, Offer::Symmetry];
    const EXTENSION: &'static str = "dve";

    fn parse(source: Arc<Source>, _: &[(String, i64)]) -> Result<Program, Vec<Diagnostic>> {
        dampf_dve::parse(source)
    }

    fn parse_expression(program: &Program, text: &str) -> Result<Expr, Diagnostic> {
        dampf_dve::parse_expression(program, text)
    }

    fn parse_automaton(_: &Program, _: Arc<Source>) -> Result<Process, Vec<Diagnostic>> {
        unreachable!("a DVE model names its property automaton itself")
    }
}

pub struct Dmc;

impl Language for Dmc {
    const NAME: &'static str = "DMC";
    const CALLED: &'static str = "a DMC model";
    const ALL_CALLED: &'static str = "DMC models";
    const OFFERS: &'static [Offer] = &[
        Offer::Definitions,
        Offer::Expressions,
        Offer::Automata,
        Offer::Formulas,
        Offer::Backends,
        Offer::Interleavings,
        Offer::Symmetry,
    ];
    const EXTENSION: &'static str = "dmc";

    fn parse(source: Arc<Source>, definitions: &[(String, i64)]) -> Result<Program, Vec<Diagnostic>> {
        dampf_dmc::parse_with(source, definitions)
    }

    fn parse_expression(program: &Program, text: &str) -> Result<Expr, Diagnostic> {
        dampf_dmc::parse_expression(program, text)
    }

    fn parse_automaton(program: &Program, source: Arc<Source>) -> Result<Process, Vec<Diagnostic>> {
        dampf_dmc::parse_buchi(program, source)
    }
}

/// A model that was read and understood.
pub struct Guarded<L> {
    /// With the invariants and goals among its checks.
    program: Program,
    hash: String,
    estimates: Vec<Estimate>,
    language: PhantomData<L>,
}

impl<L: Language> FrontEnd for Guarded<L> {
    const CALLED: &'static str = L::CALLED;
    const ALL_CALLED: &'static str = L::ALL_CALLED;
    const OFFERS: &'static [Offer] = L::OFFERS;

    type Model = Symmetric<Reduced<GclModel>>;

    fn reads(path: &Path) -> bool {
        has_extension(path, &[L::EXTENSION])
    }

    fn load(path: &Path, options: &ModelOptions, _: Option<&Knowledge>) -> Result<Self, Failure> {
        let definitions = definitions(&options.definitions)?;
        let source = read_source(path)?;
        let hash = text_hash(&source.text);
        let mut program = L::parse(source, &definitions)?;
        for (kind, texts) in [(FaultKind::Invariant, &options.invariants), (FaultKind::Goal, &options.goals)] {
            for text in texts {
                let condition = L::parse_expression(&program, text)?;
                program.checks.push(Check { kind, condition, text: text.clone(), span: None });
            }
        }
        Ok(Guarded { program, hash, estimates: Vec::new(), language: PhantomData })
    }

    fn hashes(&self) -> Hashes {
        Hashes { input: self.hash.clone(), build: None }
    }

    fn model(&self, making: &Making) -> Result<Made<Self::Model>, Unsupported> {
        made(making, |backend| Ok(GclModel::new(self.program.clone(), backend)?.estimating(&self.estimates)))
    }

    fn lifted(made: &Made<Self::Model>, trail: &Trail) -> Option<Trail> {
        dampf_reduce::lifted(&made.searched, made.bare(), trail)
    }

    fn properties(&self) -> Vec<OwnProperty> {
        let property = self.program.property.iter();
        let own = property.map(|property| OwnProperty {
            name: Some(property.name.clone()),
            formula: None,
            called: "the property process",
        });
        own.collect()
    }

    fn automaton(&mut self, _: usize) -> Result<Automaton, Failure> {
        Ok(self.program.take_property().expect("the model has one property, which is asked for once"))
    }

    fn automaton_in(&mut self, file: &Path) -> Result<Automaton, Failure> {
        let process = L::parse_automaton(&self.program, read_source(file)?)?;
        Ok(self.program.watched_by(&process))
    }

    fn observe(&mut self, expressions: &[Observed]) -> Result<u32, Failure> {
        let first = self.program.propositions.len() as u32;
        for Observed { text } in expressions {
            let condition = L::parse_expression(&self.program, text)?;
            self.program.propositions.push(Proposition { text: text.clone(), condition });
        }
        Ok(first)
    }

    fn estimate_by(&mut self, asked: &AskedEstimate) -> Result<usize, Failure> {
        let estimate = match asked {
            AskedEstimate::Distance(text) => {
                let value = L::parse_expression(&self.program, text)?;
                self.program.estimates.push(value);
                Estimate::Value(self.program.estimates.len() - 1)
            }
            asked => estimate(asked, &self.program, L::ALL_CALLED)?,
        };
        self.estimates.push(estimate);
        Ok(self.estimates.len() - 1)
    }

    fn offered_estimates(&self) -> Vec<(String, String)> {
        offered_estimates(&self.program)
    }

    fn write_info(self, out: &mut dyn Write, palette: Palette) -> Result<io::Result<()>, Failure> {
        let model = GclModel::new(self.program, model::Backend::Interpreter)?;
        Ok(guarded_info::write(out, palette, &model, L::NAME))
    }
}

/// The interpreter is the bare front end: whatever searches, trails are told by it. It also searches where this machine
/// cannot run native code, and comes to the same answers. Steps are left out of what is searched alone.
pub fn made<M: Interleaving + Symmetry>(
    making: &Making,
    make: impl Fn(model::Backend) -> Result<M, Unsupported>,
) -> Result<Made<Symmetric<Reduced<M>>>, Unsupported> {
    let reference = make(model::Backend::Interpreter)?;
    let native = if making.backend == Backend::Fast { make(model::Backend::Native).ok() } else { None };
    let backend = if native.is_some() { "native" } else { "interpreter" };
    let is_bare = making.reduction == Reduction::None && !making.symmetric;
    let (searched, reference) = match (native, is_bare) {
        (Some(native), _) => (native, Some(reference)),
        (None, true) => (reference, None),
        (None, false) => (reference, Some(make(model::Backend::Interpreter)?)),
    };
    let searched = match making.reduction {
        Reduction::None => Reduced::bare(searched),
        Reduction::WhereWorthWhile => Reduced::new(searched),
        Reduction::Always => Reduced::always(searched),
    };
    let is_reduced = searched.plan().is_some();
    let searched = if making.symmetric { Symmetric::new(searched) } else { Symmetric::bare(searched) };
    let reduction = match (is_reduced, searched.is_on()) {
        (true, _) => front_end::POR,
        (false, true) => "symmetry",
        (false, false) => "none",
    };
    let reference = reference.map(|reference| Symmetric::bare(Reduced::bare(reference)));
    Ok(Made { searched, reference, backend, reduction })
}

/// What a program is asked to estimate by, but for expressions.
pub fn estimate(asked: &AskedEstimate, program: &Program, all_called: &str) -> Result<Estimate, Failure> {
    match asked {
        AskedEstimate::Distance(_) => unreachable!("whoever knows the language reads expressions"),
        AskedEstimate::Published => Err(Failure::with_help(
            format!("--heuristic published is what a program says with HEURISTIC(...), and {all_called} do not"),
            "distance(EXPRESSION) says it on the command line",
        )),
        AskedEstimate::Formula | AskedEstimate::FormulaBound if conditions(program) == 0 => Err(Failure::with_help(
            "--heuristic formula goes by conditions, and there are no assertions, invariants or goals",
            "`--invariant EXPR` and `--goal EXPR` say what is looked for",
        )),
        AskedEstimate::Formula => Ok(Estimate::Formula),
        AskedEstimate::FormulaBound => Ok(Estimate::FormulaBound),
        AskedEstimate::Patterns { patterns, deadlocks, steps } => {
            if let Some(name) = patterns.iter().flatten().find(|name| !GclModel::is_pattern_part(program, name)) {
                let variables = (0..program.variables.len() as u32).map(|id| program.variable_name(VariableId(id)));
                let processes = program.processes.iter().map(|process| process.name.clone());
                let names: Vec<String> = processes.chain(variables).collect();
                return Err(Failure::with_help(
                    format!("--heuristic pdb: there is no process or variable `{name}`"),
                    format!("there are {}", names.join(", ")),
                ));
            }
            let counted = Counted { deadlocks: *deadlocks, steps: *steps };
            Ok(Estimate::Patterns { patterns: patterns.clone(), counted })
        }
    }
}

/// How many conditions a program may violate.
fn conditions(program: &Program) -> usize {
    let transitions = program.processes.iter().flat_map(|process| &process.transitions);
    let is_assertion = |effect: &&Effect| matches!(effect, Effect::Assert { kind: FaultKind::Assertion, .. });
    program.checks.len() + transitions.flat_map(|transition| &transition.effects).filter(is_assertion).count()
}

/// What a program can be asked to estimate by, for people.
pub fn offered_estimates(program: &Program) -> Vec<(String, String)> {
    let conditions = conditions(program);
    let formula = match conditions {
        0 => "with --invariant or --goal".to_owned(),
        1 => "of 1 condition".to_owned(),
        count => format!("of {count} conditions"),
    };
    let mut ids = (0..program.variables.len() as u32).map(VariableId);
    let scalar = ids.find(|id| program.variable(*id).array.is_none() && program.timeout != Some(*id));
    let expression = scalar.map_or("EXPR".to_owned(), |id| program.variable_name(id));
    vec![
        (format!("distance({expression})"), "the value of any expression over variables and locations".to_owned()),
        ("formula, formula-bound".to_owned(), formula),
        ("pdb, pdb(NAME, ...; ...)".to_owned(), "by any variables and processes".to_owned()),
    ]
}

/// The constants that `-D` sets in a model, each once.
pub fn definitions(texts: &[String]) -> Result<Vec<(String, i64)>, Failure> {
    let read = |text: &String| values::definition(text).map_err(|error| Failure::new(format!("-D {text}: {error}")));
    let definitions = texts.iter().map(read).collect::<Result<Vec<_>, _>>()?;
    for (index, (name, _)) in definitions.iter().enumerate() {
        if definitions[..index].iter().any(|(earlier, _)| earlier == name) {
            return Err(Failure::new(format!("-D sets `{name}` more than once")));
        }
    }
    Ok(definitions)
}
