//! Running a search on a real network: as one of its ranks, as some of them, or as all of them on threads.

use crate::Distributable;
use crate::RankSettings;
use crate::cycles::SoughtCycles;
use crate::node::Node;
use crate::partition::NoSuchSection;
use crate::report::Summary;
use dampf_net::thread::{ThreadTransport, connect};
use dampf_net::{Lost, Post, Rank, Transport, host, run};
use dampf_search::checkpoint::CheckpointProblem;
use dampf_search::{Monitor, SearchOptions, watched};
use dampf_store::{Store, TreeStore};
use std::fmt;
use std::io;
use std::ops::Range;
use std::path::PathBuf;
use std::thread::ScopedJoinHandle;
use std::time::Duration;

/// Why there is no result.
#[derive(Debug)]
pub enum RankProblem {
    NoSuchSection(NoSuchSection),
    Checkpoint(CheckpointProblem),
    Lost(Lost),
    /// Another rank cannot take part, for this reason.
    Elsewhere {
        rank: Rank,
        reason: String,
    },
    /// A file through which contents travel cannot be used.
    Library {
        file: PathBuf,
        error: io::Error,
    },
}

impl RankProblem {
    fn is_of_another_rank(&self) -> bool {
        matches!(self, RankProblem::Lost(_) | RankProblem::Elsewhere { .. })
    }

    pub(crate) fn library(file: PathBuf) -> impl FnOnce(io::Error) -> RankProblem {
        move |error| RankProblem::Library { file, error }
    }
}

impl fmt::Display for RankProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RankProblem::NoSuchSection(section) => section.fmt(f),
            RankProblem::Checkpoint(problem) => problem.fmt(f),
            RankProblem::Lost(lost) => lost.fmt(f),
            RankProblem::Elsewhere { rank, reason } => write!(f, "rank {rank}: {reason}"),
            RankProblem::Library { file, error } => write!(f, "cannot use `{}`: {error}", file.display()),
        }
    }
}

impl fmt::Display for NoSuchSection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "states have no section `{}`", self.name)
    }
}

impl std::error::Error for RankProblem {}

impl From<NoSuchSection> for RankProblem {
    fn from(section: NoSuchSection) -> Self {
        RankProblem::NoSuchSection(section)
    }
}

impl From<CheckpointProblem> for RankProblem {
    fn from(problem: CheckpointProblem) -> Self {
        RankProblem::Checkpoint(problem)
    }
}

/// A network on which one search follows another.
///
/// A rank that has finished a search may begin the next before others have finished; what it says then is kept for
/// them.
pub struct Network<T> {
    transport: T,
    early: Vec<(Rank, Vec<u8>)>,
}

impl<T: Transport> Network<T> {
    pub fn new(transport: T) -> Self {
        Network { transport, early: Vec::new() }
    }

    pub fn rank(&self) -> Rank {
        self.transport.rank()
    }

    pub fn ranks(&self) -> Rank {
        self.transport.ranks()
    }

    /// Tells all ranks whether this one is ready for what comes next, or why it is not, and hears the same from them.
    /// All ranks call this at the same point of what they do. A rank that just went away would leave the others waiting
    /// for it.
    pub fn agree(&mut self, trouble: Option<&str>) -> Result<(), RankProblem> {
        let (me, ranks) = (self.rank(), self.ranks());
        let mut told: Vec<Option<String>> = vec![None; ranks as usize];
        told[me as usize] = Some(trouble.unwrap_or_default().to_owned());
        for rank in (0..ranks).filter(|&rank| rank != me) {
            self.transport.send(rank, trouble.unwrap_or_default().as_bytes().to_vec());
        }
        // What a rank says first is this; what it says after that is for whoever comes next.
        let mut arrived = std::mem::take(&mut self.early).into_iter();
        while told.contains(&None) {
            let message = match arrived.next() {
                Some(message) => Some(message),
                None => self.transport.receive().map_err(RankProblem::Lost)?,
            };
            match message {
                None => self.transport.wait(PATIENCE),
                Some((from, message)) if told[from as usize].is_some() => self.early.push((from, message)),
                Some((from, message)) => {
                    told[from as usize] = Some(String::from_utf8_lossy(&message).into_owned());
                }
            }
        }
        self.early.extend(arrived);
        let mut troubles = (0..ranks).zip(told.into_iter().flatten()).filter(|(_, reason)| !reason.is_empty());
        match troubles.next() {
            Some((rank, reason)) => Err(RankProblem::Elsewhere { rank, reason }),
            None => Ok(()),
        }
    }
}

/// How long a rank sleeps that waits for others to be ready; a message wakes it.
const PATIENCE: Duration = Duration::from_millis(5);

/// Searches as one rank of a network. All ranks call this with equal models, options and settings, and get the same
/// result.
pub fn search_on<M: Distributable, T: Transport>(
    network: &mut Network<T>,
    model: &M,
    options: &SearchOptions,
    settings: &RankSettings,
    monitor: &Monitor,
) -> Result<Summary, RankProblem> {
    search_as_one(network, model, Task { options, settings, sought: None }, monitor)
}

/// The same, and looks for runs that pass accepting states for ever.
pub fn cycles_on<M: Distributable, T: Transport>(
    network: &mut Network<T>,
    model: &M,
    sought: SoughtCycles,
    (options, settings): (&SearchOptions, &RankSettings),
    monitor: &Monitor,
) -> Result<Summary, RankProblem> {
    search_as_one(network, model, Task { options, settings, sought: Some(sought) }, monitor)
}

/// What the ranks are to do.
#[derive(Clone, Copy)]
struct Task<'a> {
    options: &'a SearchOptions,
    settings: &'a RankSettings,
    /// Where cycles are looked for.
    sought: Option<SoughtCycles<'a>>,
}

fn search_as_one<M: Distributable, T: Transport>(
    network: &mut Network<T>,
    model: &M,
    task: Task,
    monitor: &Monitor,
) -> Result<Summary, RankProblem> {
    let store = TreeStore::new(model.width());
    watched(&|| store.bytes(), task.options, monitor, || search_as_rank(network, model, &store, task, monitor))
}

/// Searches on so many ranks, each a thread of this process with a part of the states.
pub fn search_on_threads<M: Distributable>(
    ranks: Rank,
    model: &M,
    options: &SearchOptions,
    settings: &RankSettings,
    monitor: &Monitor,
) -> Result<Summary, RankProblem> {
    search_as_threads(ranks, model, Task { options, settings, sought: None }, monitor)
}

/// The same, and looks for runs that pass accepting states for ever.
pub fn cycles_on_threads<M: Distributable>(
    ranks: Rank,
    model: &M,
    sought: SoughtCycles,
    (options, settings): (&SearchOptions, &RankSettings),
    monitor: &Monitor,
) -> Result<Summary, RankProblem> {
    search_as_threads(ranks, model, Task { options, settings, sought: Some(sought) }, monitor)
}

fn search_as_threads<M: Distributable>(
    ranks: Rank,
    model: &M,
    task: Task,
    monitor: &Monitor,
) -> Result<Summary, RankProblem> {
    let networks = connect(ranks).into_iter().map(Network::new).collect();
    search_as_ranks(networks, model, task, monitor, |_| ()).1
}

/// Several ranks of a network, all in this process, which is one of those that the network connects. One search may
/// follow another.
pub struct Host<T> {
    post: Post<T>,
    networks: Vec<Network<ThreadTransport>>,
}

impl<T: Transport> Host<T> {
    /// Connects so many ranks of this process with those of all others. Returns when all have come to this point.
    pub fn new(processes: T, ranks: Rank) -> Self {
        let (post, transports) = host(processes, ranks);
        Host { post, networks: transports.into_iter().map(Network::new).collect() }
    }

    pub fn process(&self) -> Rank {
        self.post.process()
    }

    pub fn processes(&self) -> Rank {
        self.post.processes()
    }

    /// How many ranks there are in all processes.
    pub fn ranks(&self) -> Rank {
        self.networks[0].ranks()
    }

    /// The numbers of the ranks in this process.
    pub fn own_ranks(&self) -> Range<Rank> {
        let first = self.networks[0].rank();
        first..first + self.networks.len() as Rank
    }

    /// The same as [`Network::agree`], for all ranks of this process.
    pub fn agree(&mut self, trouble: Option<&str>) -> Result<(), RankProblem> {
        let Host { post, networks } = self;
        std::thread::scope(|scope| {
            let threads: Vec<_> =
                networks.iter_mut().map(|network| scope.spawn(move || network.agree(trouble))).collect();
            post.carry(|| threads.iter().all(|thread| thread.is_finished()));
            let results: Vec<_> = threads.into_iter().map(joined).collect();
            results.into_iter().collect()
        })
    }
}

/// Searches as the ranks that this process hosts. All processes call this with equal models, options and settings, and
/// get the same result.
pub fn search_on_host<M: Distributable, T: Transport>(
    host: &mut Host<T>,
    model: &M,
    options: &SearchOptions,
    settings: &RankSettings,
    monitor: &Monitor,
) -> Result<Summary, RankProblem> {
    search_as_host(host, model, Task { options, settings, sought: None }, monitor)
}

/// The same, and looks for runs that pass accepting states for ever.
pub fn cycles_on_host<M: Distributable, T: Transport>(
    host: &mut Host<T>,
    model: &M,
    sought: SoughtCycles,
    (options, settings): (&SearchOptions, &RankSettings),
    monitor: &Monitor,
) -> Result<Summary, RankProblem> {
    search_as_host(host, model, Task { options, settings, sought: Some(sought) }, monitor)
}

fn search_as_host<M: Distributable, T: Transport>(
    host: &mut Host<T>,
    model: &M,
    task: Task,
    monitor: &Monitor,
) -> Result<Summary, RankProblem> {
    let Host { post, networks } = host;
    let taken = std::mem::take(networks);
    let (given_back, result) = search_as_ranks(taken, model, task, monitor, |is_over| post.carry(is_over));
    *networks = given_back;
    result
}

/// Searches as several ranks, each on a thread of its own, while this thread does something else as long as they need
/// it.
fn search_as_ranks<M: Distributable>(
    networks: Vec<Network<ThreadTransport>>,
    model: &M,
    task: Task,
    monitor: &Monitor,
    meanwhile: impl FnOnce(&dyn Fn() -> bool),
) -> (Vec<Network<ThreadTransport>>, Result<Summary, RankProblem>) {
    let stores: Vec<TreeStore> = networks.iter().map(|_| TreeStore::new(model.width())).collect();
    let bytes = || stores.iter().map(Store::bytes).sum();
    watched(&bytes, task.options, monitor, || {
        std::thread::scope(|scope| {
            let rank = |(mut network, store): (Network<ThreadTransport>, _)| {
                // The thread owns the network while it uses it, so that a thread that panics is lost to the others.
                scope.spawn(move || {
                    let result = search_as_rank(&mut network, model, store, task, monitor);
                    (network, result)
                })
            };
            let threads: Vec<_> = networks.into_iter().zip(&stores).map(rank).collect();
            meanwhile(&|| threads.iter().all(|thread| thread.is_finished()));
            let (networks, results): (Vec<_>, Vec<_>) = threads.into_iter().map(joined).unzip();
            // Who cannot go on knows best why; the others know of it.
            let is_own =
                |result: &Result<_, RankProblem>| result.as_ref().is_err_and(|problem| !problem.is_of_another_rank());
            let first = results.iter().position(is_own).unwrap_or(0);
            (networks, results.into_iter().nth(first).expect("there is a rank"))
        })
    })
}

/// What a thread came to. Its panic goes on here.
fn joined<R>(thread: ScopedJoinHandle<'_, R>) -> R {
    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

fn search_as_rank<M: Distributable, T: Transport>(
    network: &mut Network<T>,
    model: &M,
    store: &TreeStore,
    Task { options, settings, sought }: Task,
    monitor: &Monitor,
) -> Result<Summary, RankProblem> {
    let (rank, ranks) = (network.rank(), network.ranks());
    let asked = (options, settings);
    let node = match sought {
        Some(sought) => Node::with_cycles((rank, ranks), model, store, asked, monitor, sought),
        None => Node::new(rank, ranks, model, store, asked, monitor),
    };
    let agreed = network.agree(node.as_ref().err().map(RankProblem::to_string).as_deref());
    let mut node = node?;
    agreed?;
    for (from, message) in std::mem::take(&mut network.early) {
        node.take(&mut network.transport, from, message);
    }
    run(&mut node, &mut network.transport);
    network.early = node.take_early();
    if let Some(file) = node.unreadable() {
        let error = io::Error::new(io::ErrorKind::InvalidData, "what another rank wrote is not seen here");
        return Err(RankProblem::Library { file: file.to_owned(), error });
    }
    match (node.lost(), node.summary()) {
        (Some(lost), _) => Err(RankProblem::Lost(lost)),
        (None, Some(summary)) => Ok(summary.clone()),
        (None, None) => unreachable!("a node ends with a result or because a rank was lost"),
    }
}
