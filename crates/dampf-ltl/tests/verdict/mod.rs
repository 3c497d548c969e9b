//! The verdict of a Promela model as SPIN's options have it, from the whole graph in memory: accepting components, and
//! with fairness those that are fair.

use dampf_core::{
    Acceptance, Automaton, AutomatonEdge, AutomatonLocation, Literal, Model, Movers, Propositions, Source, Successors,
    Worker,
};
use dampf_gcl::Backend;
use dampf_ltl::Product;
use dampf_promela::{Promela, PromelaModel, Property};
use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::path::Path;
use std::process::{Command, Output};

/// What SPIN is asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Question {
    /// A verifier compiled with `-DSAFETY`: does the claim come to its end?
    Safety,
    /// `pan -a`, or `pan -a -f`.
    Acceptance { is_fair: bool },
    /// `pan -l`, or `pan -l -f`.
    NonProgress { is_fair: bool },
}

pub const QUESTIONS: [Question; 5] = [
    Question::Safety,
    Question::Acceptance { is_fair: false },
    Question::Acceptance { is_fair: true },
    Question::NonProgress { is_fair: false },
    Question::NonProgress { is_fair: true },
];

impl fmt::Display for Question {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Question::Safety => "pan",
            Question::Acceptance { is_fair: false } => "pan -a",
            Question::Acceptance { is_fair: true } => "pan -a -f",
            Question::NonProgress { is_fair: false } => "pan -l",
            Question::NonProgress { is_fair: true } => "pan -l -f",
        })
    }
}

pub fn promela(path: &Path) -> Promela {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let source = Source::new(path.display().to_string(), text);
    let mut none = |name: &str, _: &Path| Err(format!("no file {name}"));
    let model =
        dampf_promela::read(source, &[], &mut none).unwrap_or_else(|told| panic!("{}: {}", path.display(), told[0]));
    Promela::new(&model).unwrap_or_else(|told| panic!("{}: {}", path.display(), told[0]))
}

/// The answer: whether there is a run that SPIN would report.
pub fn is_violated(path: &Path, question: Question) -> Result<bool, String> {
    let mut promela = promela(path);
    let has_claim = promela.properties().iter().any(|property| matches!(property, Property::Never { .. }));
    let automaton = match question {
        Question::NonProgress { .. } => promela.non_progress(),
        _ if has_claim => promela.claim(None),
        _ => Ok(idle()),
    };
    let automaton = automaton.map_err(|told| told[0].to_string())?;
    if let Question::Acceptance { is_fair } = question {
        promela.acceptance(is_fair).map_err(|unsupported| unsupported.what)?;
    }
    promela.explore().map_err(|unsupported| unsupported.what)?;
    loop {
        let model = promela.model(Backend::Interpreter, false).map_err(|unsupported| unsupported.what)?;
        match Graph::explore(&model, &automaton) {
            Outcome::Refuted(refuted) => assert!(promela.learn(&refuted), "something is learnt"),
            Outcome::Unsupported(what) => return Err(what),
            Outcome::Fault => return Ok(true),
            Outcome::Whole(graph) => {
                return Ok(match question {
                    Question::Safety => false,
                    Question::Acceptance { is_fair } | Question::NonProgress { is_fair } => graph.is_accepting(is_fair),
                });
            }
        }
    }
}

/// An automaton that looks on.
fn idle() -> Automaton {
    let edges = vec![AutomatonEdge { guard: Vec::new(), target: 0 }];
    let location = AutomatonLocation { edges, ..Default::default() };
    Automaton { name: "idle".to_owned(), locations: vec![location], initial: 0 }
}

enum Outcome {
    Refuted(Vec<dampf_core::Revise>),
    Unsupported(String),
    /// A violated assertion, or the end of a claim.
    Fault,
    Whole(Graph),
}

struct Graph {
    /// For each node its steps: where they lead to, and who moves.
    steps: Vec<Vec<(usize, BTreeSet<usize>)>>,
    accepting: Vec<bool>,
    movers: usize,
}

impl Graph {
    /// Built whole.
    fn explore(model: &PromelaModel, automaton: &Automaton) -> Outcome {
        let product = Product::new(model, automaton);
        let (mut worker, mut own, mut out) = (product.worker(), model.worker(), Successors::new(product.width()));
        worker.initial(&mut out);
        let mut nodes = vec![out.state(0).to_vec()];
        let mut numbers = HashMap::from([(nodes[0].clone(), 0)]);
        let mut graph = Graph { steps: Vec::new(), accepting: Vec::new(), movers: product.mover_count() };
        let mut has_fault = false;
        while graph.steps.len() < nodes.len() {
            let state = nodes[graph.steps.len()].clone();
            worker.successors(&state, &mut out);
            if let Some(unsupported) = out.unsupported() {
                return Outcome::Unsupported(unsupported.what.clone());
            }
            if !out.refuted().is_empty() {
                return Outcome::Refuted(out.refuted().iter().map(|(_, revise)| revise.clone()).collect());
            }
            // A claim that cannot move keeps the system from moving: what would be wrong with a step is not seen.
            let location = automaton.location(product.location(&state));
            let mut holds = |literal: &Literal| {
                let proposition = literal.proposition as usize;
                PromelaModel::holds(&mut own, proposition, product.own(&state)) == Ok(literal.is_positive)
            };
            let can_move = location.edges.iter().any(|edge| edge.guard.iter().all(&mut holds));
            has_fault |= can_move && !out.faults().is_empty() || out.state_fault().is_some();
            let mut steps = Vec::new();
            for step in (0..out.len()).filter(|step| out.leads_on(*step)) {
                let node = out.state(step).to_vec();
                let target = *numbers.entry(node.clone()).or_insert_with(|| {
                    nodes.push(node);
                    nodes.len() - 1
                });
                let mut movers = BTreeSet::new();
                product.movers(&state, out.action(step), &mut |mover| {
                    movers.insert(mover);
                });
                steps.push((target, movers));
            }
            graph.steps.push(steps);
            graph.accepting.push(product.is_accepting(&state));
        }
        if has_fault { Outcome::Fault } else { Outcome::Whole(graph) }
    }

    /// Whether a run passes accepting states for ever; with fairness, one on which everybody who can always move from
    /// some time on moves again and again.
    fn is_accepting(&self, is_fair: bool) -> bool {
        self.components().iter().any(|component| {
            let inner =
                || component.iter().flat_map(|node| &self.steps[*node]).filter(|(to, _)| component.contains(to));
            let is_cycle = inner().next().is_some();
            let is_served = |mover: usize| {
                let moves = inner().any(|(_, movers)| movers.contains(&mover));
                let can = |node: &usize| self.steps[*node].iter().any(|(_, movers)| movers.contains(&mover));
                moves || !component.iter().all(can)
            };
            is_cycle
                && component.iter().any(|node| self.accepting[*node])
                && (!is_fair || (0..self.movers).all(is_served))
        })
    }

    /// Strongly connected components, by two searches.
    fn components(&self) -> Vec<BTreeSet<usize>> {
        let count = self.steps.len();
        let mut before: Vec<Vec<usize>> = vec![Vec::new(); count];
        for (node, steps) in self.steps.iter().enumerate() {
            steps.iter().for_each(|(target, _)| before[*target].push(node));
        }
        let (mut seen, mut order) = (vec![false; count], Vec::new());
        for root in 0..count {
            let mut calls = if seen[root] { Vec::new() } else { vec![(root, 0)] };
            seen[root] = true;
            while let Some((node, next)) = calls.last_mut() {
                let node = *node;
                match self.steps[node].get(*next) {
                    Some((target, _)) => {
                        *next += 1;
                        if !std::mem::replace(&mut seen[*target], true) {
                            calls.push((*target, 0));
                        }
                    }
                    None => {
                        order.push(node);
                        calls.pop();
                    }
                }
            }
        }
        let mut components = Vec::new();
        let mut taken = vec![false; count];
        for root in order.into_iter().rev() {
            let (mut component, mut pending) = (BTreeSet::new(), vec![root]);
            while let Some(node) = pending.pop() {
                if !std::mem::replace(&mut taken[node], true) {
                    component.insert(node);
                    pending.extend(&before[node]);
                }
            }
            if !component.is_empty() {
                components.push(component);
            }
        }
        components
    }
}

/// Verifiers that SPIN made of a model, in a folder of their own.
pub struct Verifiers<'s> {
    scratch: &'s Path,
}

impl<'s> Verifiers<'s> {
    /// Has SPIN make the text of a verifier.
    pub fn new(path: &Path, scratch: &'s Path) -> Option<Self> {
        std::fs::create_dir_all(scratch).ok()?;
        for old in std::fs::read_dir(scratch).ok()?.flatten() {
            std::fs::remove_file(old.path()).ok()?;
        }
        let path = path.canonicalize().ok()?;
        let verifiers = Verifiers { scratch };
        verifiers.run(Command::new("spin").args(["-o1", "-o2", "-o3", "-a"]).arg(path))?;
        Some(verifiers)
    }

    fn run(&self, command: &mut Command) -> Option<Output> {
        command.current_dir(self.scratch).output().ok()
    }

    /// What SPIN says; none where it does not take the model.
    pub fn ask(&self, question: Question) -> Option<bool> {
        let name = match question {
            Question::Safety => "SAFETY",
            Question::Acceptance { .. } => "LIVENESS",
            Question::NonProgress { .. } => "NP",
        };
        if !self.scratch.join(name).exists() {
            let define = format!("-D{name}");
            let options = ["-w", "-O0", "-DNOREDUCE", "-DNFAIR=3", &define, "-o", name, "pan.c"];
            self.run(Command::new("gcc").args(options))?;
        }
        let options = question.to_string();
        // Where a claim is looked at, SPIN does not look for deadlocks; where none is, they are not asked for here.
        let options = options.split(' ').skip(1).chain(["-E", "-m100000"]);
        let output = self.run(Command::new(self.scratch.join(name)).args(options))?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let errors = text.split("errors: ").nth(1)?.split_whitespace().next()?;
        Some(errors != "0")
    }
}
