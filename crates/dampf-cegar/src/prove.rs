//! What a proof is asked for and what it answers, and the ways to run one: here, on threads, on a network.
//!
//! # What a result depends on
//!
//! Verdict, counterexamples, predicates, number of iterations, invariants and the fingerprint over all of them depend
//! on
//!
//! - the system, with the order of its locations, variables, transitions and disjuncts;
//! - the settings: scope of predicates, whether facts are inferred, the limits of refinements and nodes;
//! - the version of Dampf.
//!
//! They do not depend on the number of workers, on threads or networks, on delays and lost workers, or on the solver
//! (bits of entailments are facts), unless a limit of time is hit, or a solver gives up on a question that the other
//! one, or the same one with more learnt, decides. Counts of entailment checks are not part of the result.

use crate::abstraction::Scope;
use crate::cases::{SplitSystem, split_into_cases};
use crate::cegar::Cegar;
use crate::expansion::Expander;
use crate::formula::Formula;
use crate::master::Master;
use crate::path::Run;
use crate::solver::{OwnSolver, Solver};
use crate::system::{System, TransitionId};
use crate::worker::{MASTER, Worker};
use crate::z3::Z3Solver;
use dampf_net::{Process, Rank, SimulationSettings, Transport, Turn, simulate, thread};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Who decides entailments.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum SolverChoice {
    #[default]
    Auto,
    Own,
    Z3,
}

#[derive(Clone, Copy, Debug)]
pub struct Limits {
    pub refinements_max: u32,
    pub time_max: Option<Duration>,
    /// Abstract states of one iteration.
    pub nodes_max: u64,
    /// Memory of this process, where the system tells it.
    pub memory_bytes_max: Option<u64>,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { refinements_max: u32::MAX, time_max: None, nodes_max: u64::MAX, memory_bytes_max: None }
    }
}

#[derive(Clone, Copy, Debug, Default)]
pub struct ProveSettings<'a> {
    pub solver: SolverChoice,
    /// Threads that compute successors; zero and one are the same.
    pub workers: u32,
    pub scope: Scope,
    /// Takes the first counterexample that is found, whichever it is.
    pub is_naive: bool,
    /// Takes predicates from refinement alone, and infers no facts, as in the paper.
    pub refines_only: bool,
    pub limits: Limits,
    /// Set from outside to end the proof.
    pub interrupted: Option<&'a AtomicBool>,
}

/// Why there is no answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reason {
    Refinements,
    Time,
    Nodes,
    Interrupted,
    /// The limit of memory, of a solver or of arithmetic, in words.
    GaveUp(String),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// By location, what holds whenever it is reached.
    Safe {
        invariants: Vec<Formula>,
    },
    /// A run to the error location, replayed exactly.
    Unsafe {
        run: Run,
    },
    Unknown {
        reason: Reason,
    },
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Statistics {
    pub iterations: u32,
    pub predicates: usize,
    /// Abstract states of all iterations.
    pub nodes: u64,
    pub entailment_checks: u64,
    /// The depth of the last tree.
    pub depth: u32,
    /// By iteration.
    pub counterexample_lengths: Vec<u32>,
}

#[derive(Clone, Debug)]
pub struct ProofResult {
    pub outcome: Outcome,
    pub statistics: Statistics,
    /// Over all trees, counterexamples and predicates.
    pub fingerprint: u64,
    /// The counterexamples that were analysed, by iteration, as transitions of the program.
    pub counterexamples: Vec<Vec<TransitionId>>,
}

#[derive(Clone, Copy, Debug)]
pub struct Progress {
    pub iteration: u32,
    pub predicates: usize,
    pub nodes: u64,
    pub depth: u32,
}

/// Proves a system on the threads of this process.
pub fn prove(system: &System, settings: &ProveSettings<'_>, progress: &mut dyn FnMut(Progress)) -> ProofResult {
    let split = split_into_cases(system);
    let mut master = master_of(&split, settings, progress);
    if settings.workers < 2 {
        // Alone on its network, a master does the work itself.
        let mut transports = thread::connect(1);
        dampf_net::run(&mut master, &mut transports[0]);
    } else {
        let mut transports = thread::connect(settings.workers + 1).into_iter();
        let mut own = transports.next().expect("the master is a rank");
        std::thread::scope(|scope| {
            let split = &split;
            let work = |mut transport| {
                let mut worker = Worker::new(&split.system, solver_of(split, settings), settings.is_naive);
                dampf_net::run(&mut worker, &mut transport);
            };
            let threads: Vec<_> = transports.map(|transport| scope.spawn(move || work(transport))).collect();
            dampf_net::run(&mut master, &mut own);
            // A worker that panicked was lost, and its work was done by others.
            threads.into_iter().for_each(|thread| drop(thread.join()));
        });
    }
    master.finish().expect("a master that is done has a result")
}

/// Takes part in a proof as one rank of a network, all of which have the same system and settings. The master, rank 0,
/// has the result.
pub fn prove_as_rank(
    system: &System,
    settings: &ProveSettings<'_>,
    transport: &mut impl Transport,
    progress: &mut dyn FnMut(Progress),
) -> Option<ProofResult> {
    let split = split_into_cases(system);
    if transport.rank() != MASTER {
        let mut worker = Worker::new(&split.system, solver_of(&split, settings), settings.is_naive);
        dampf_net::run(&mut worker, transport);
        return None;
    }
    let mut master = master_of(&split, settings, progress);
    dampf_net::run(&mut master, transport);
    master.finish()
}

/// Proves a system on a simulated network: none if the simulation did not come to an end.
pub fn prove_simulated(
    system: &System,
    settings: &ProveSettings<'_>,
    workers: Rank,
    network: &SimulationSettings,
) -> (Option<ProofResult>, dampf_net::Outcome) {
    let split = split_into_cases(system);
    let mut progress = |_| {};
    let master = master_of(&split, settings, &mut progress);
    let mut ranks = vec![SimulatedRank::Master(Box::new(master))];
    for _ in 0..workers {
        let worker = Worker::new(&split.system, solver_of(&split, settings), settings.is_naive);
        ranks.push(SimulatedRank::Worker(Box::new(worker)));
    }
    let outcome = simulate(&mut ranks, network);
    let result = match ranks.swap_remove(0) {
        SimulatedRank::Master(master) => master.finish(),
        SimulatedRank::Worker(_) => None,
    };
    (result, outcome)
}

enum SimulatedRank<'s, 'p> {
    Master(Box<Master<'s, 'p>>),
    Worker(Box<Worker<'s>>),
}

impl Process for SimulatedRank<'_, '_> {
    fn turn(&mut self, network: &mut impl Transport) -> Turn {
        match self {
            SimulatedRank::Master(master) => master.turn(network),
            SimulatedRank::Worker(worker) => worker.turn(network),
        }
    }
}

fn master_of<'s, 'p>(
    split: &'s SplitSystem,
    settings: &ProveSettings<'s>,
    progress: &'p mut dyn FnMut(Progress),
) -> Master<'s, 'p> {
    let expander = Expander::new(&split.system, solver_of(split, settings));
    Master::new(Cegar::new(split, settings), expander, settings.is_naive, progress)
}

fn solver_of<'s>(split: &'s SplitSystem, settings: &ProveSettings<'_>) -> Box<dyn Solver + 's> {
    let own = || Box::new(OwnSolver::new(&split.system));
    match settings.solver {
        SolverChoice::Auto | SolverChoice::Own => own(),
        // Who insists on Z3 asks first whether it is there.
        SolverChoice::Z3 => match Z3Solver::new(&split.system) {
            Some(solver) => Box::new(solver),
            None => own(),
        },
    }
}
