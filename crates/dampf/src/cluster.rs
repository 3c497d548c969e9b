//! Ranks: where they are, and how the work is shared among them.
//!
//! Ranks are in this process (`--ranks`) or, where `mpirun` started it, processes. Under MPI every process does the
//! same from beginning to end; the first one alone says what was found. Each thread of a rank has a part of the states,
//! and is to the search what a rank with one thread is.

use crate::earlier_properties::EarlierProperties;
use crate::failure::Failure;
use crate::options::{CheckOptions, CycleOption, PartitionOption, Search};
use crate::resume;
use crate::terminal::complain;
use crate::values::RANKS_MAX;
use dampf_core::Word;
use dampf_dist::{
    Checkpoints, Distributable, Library, Order, Partition, RankProblem, RankSettings, SoughtCycles, Start, Summary,
    Waiting,
};
use dampf_report::{Origin, Traffic};
use dampf_search::checkpoint::{self, CheckpointProblem};
use dampf_search::{Monitor, SearchOptions};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Who takes part in the search.
pub enum Ranks {
    /// This process, as one.
    One,
    Here {
        ranks: u32,
        threads: u32,
    },
    #[cfg(feature = "mpi")]
    Mpi(Box<dampf_dist::Network<dampf_net::mpi::MpiTransport>>),
    #[cfg(feature = "mpi")]
    MpiWithThreads(Box<dampf_dist::Host<dampf_net::mpi::MpiTransport>>),
}

impl Ranks {
    /// Finds out from the options and from how this process was started.
    pub fn new(options: &CheckOptions) -> Result<Ranks, Failure> {
        let started = dampf_net::ranks_of_environment().filter(|&ranks| ranks > 1);
        let threads = options.threads as u32;
        match (started, options.cluster.ranks) {
            (Some(_), Some(_)) => Err(Failure::with_help(
                "--ranks starts ranks in this process, but mpirun has started several processes already",
                "leave --ranks out",
            )),
            (Some(_), None) => Ranks::mpi(threads),
            (None, Some(ranks)) if ranks * threads > RANKS_MAX => Err(Failure::with_help(
                format!("{ranks} ranks with {threads} threads each are too many for one process"),
                format!("at most {RANKS_MAX} threads search in one process"),
            )),
            (None, Some(ranks)) => Ok(Ranks::Here { ranks, threads }),
            (None, None) if needs_ranks(options) => Ok(Ranks::Here { ranks: 1, threads }),
            (None, None) => Ok(Ranks::One),
        }
    }

    #[cfg(feature = "mpi")]
    fn mpi(threads: u32) -> Result<Ranks, Failure> {
        let transport = dampf_net::mpi::MpiTransport::start().map_err(|error| Failure::new(error.to_string()))?;
        Ok(match threads {
            1 => Ranks::Mpi(Box::new(dampf_dist::Network::new(transport))),
            _ => Ranks::MpiWithThreads(Box::new(dampf_dist::Host::new(transport, threads))),
        })
    }

    #[cfg(not(feature = "mpi"))]
    fn mpi(_threads: u32) -> Result<Ranks, Failure> {
        Err(Failure::with_help(
            "mpirun has started this process, but this Dampf was built without MPI",
            "build it with `cargo build --release --features mpi` (after `scripts/setup --mpi`), or use --ranks",
        ))
    }

    pub fn count(&self) -> u32 {
        match self {
            Ranks::One => 1,
            Ranks::Here { ranks, .. } => *ranks,
            #[cfg(feature = "mpi")]
            Ranks::Mpi(network) => network.ranks(),
            #[cfg(feature = "mpi")]
            Ranks::MpiWithThreads(host) => host.processes(),
        }
    }

    /// How many parts the states are divided into: one for every thread of every rank.
    pub fn parts(&self) -> u32 {
        match self {
            Ranks::Here { ranks, threads } => ranks * threads,
            #[cfg(feature = "mpi")]
            Ranks::MpiWithThreads(host) => host.ranks(),
            _ => self.count(),
        }
    }

    /// Whether the ranks are processes that somebody else has started.
    pub fn are_processes(&self) -> bool {
        !matches!(self, Ranks::One | Ranks::Here { .. })
    }

    /// Whether this process tells what was found.
    pub fn speaks(&self) -> bool {
        match self {
            Ranks::One | Ranks::Here { .. } => true,
            #[cfg(feature = "mpi")]
            Ranks::Mpi(network) => network.rank() == 0,
            #[cfg(feature = "mpi")]
            Ranks::MpiWithThreads(host) => host.process() == 0,
        }
    }

    /// Makes sure that all processes can go on: where one cannot, none does, and the first of these tells why. All call
    /// this at the same point.
    pub fn agree<T>(&mut self, prepared: Result<T, Failure>) -> Result<T, Failure> {
        let trouble = prepared.as_ref().err().map(|_| "it cannot go on");
        let (agreed, own_ranks) = self.agree_on(trouble);
        let Err(problem) = agreed else { return prepared };
        let speaker = if let RankProblem::Elsewhere { rank, .. } = problem { rank } else { 0 };
        match prepared {
            Err(failure) if own_ranks.contains(&speaker) => Err(failure),
            Err(failure) => Err(Failure::ToldElsewhere { status: failure.exit_status() }),
            Ok(_) => Err(Failure::ToldElsewhere { status: 2 }),
        }
    }

    /// What all processes together say, and the numbers of the ranks in this one.
    #[cfg_attr(not(feature = "mpi"), expect(unused_variables, reason = "one process agrees with itself"))]
    fn agree_on(&mut self, trouble: Option<&str>) -> (Result<(), RankProblem>, Range<u32>) {
        match self {
            Ranks::One | Ranks::Here { .. } => (Ok(()), 0..1),
            #[cfg(feature = "mpi")]
            Ranks::Mpi(network) => (network.agree(trouble), network.rank()..network.rank() + 1),
            #[cfg(feature = "mpi")]
            Ranks::MpiWithThreads(host) => (host.agree(trouble), host.own_ranks()),
        }
    }

    /// Searches on all ranks; not to be asked of one.
    pub fn search<M: Distributable>(
        &mut self,
        model: &M,
        options: &SearchOptions,
        settings: &RankSettings,
        monitor: &Monitor,
    ) -> Result<Summary, Failure> {
        let searched = match self {
            Ranks::One => unreachable!("a search without ranks is another one"),
            Ranks::Here { ranks, threads } => {
                dampf_dist::search_on_threads(*ranks * *threads, model, options, settings, monitor)
            }
            #[cfg(feature = "mpi")]
            Ranks::Mpi(network) => dampf_dist::search_on(network, model, options, settings, monitor),
            #[cfg(feature = "mpi")]
            Ranks::MpiWithThreads(host) => dampf_dist::search_on_host(host, model, options, settings, monitor),
        };
        self.told(searched, settings)
    }

    /// Searches on all ranks, for runs that pass accepting states for ever, too; not to be asked of one.
    pub fn search_cycles<M: Distributable>(
        &mut self,
        model: &M,
        sought: SoughtCycles,
        (options, settings): (&SearchOptions, &RankSettings),
        monitor: &Monitor,
    ) -> Result<Summary, Failure> {
        let asked = (options, settings);
        let searched = match self {
            Ranks::One => unreachable!("a search without ranks is another one"),
            Ranks::Here { ranks, threads } => {
                dampf_dist::cycles_on_threads(*ranks * *threads, model, sought, asked, monitor)
            }
            #[cfg(feature = "mpi")]
            Ranks::Mpi(network) => dampf_dist::cycles_on(network, model, sought, asked, monitor),
            #[cfg(feature = "mpi")]
            Ranks::MpiWithThreads(host) => dampf_dist::cycles_on_host(host, model, sought, asked, monitor),
        };
        self.told(searched, settings)
    }

    /// What a search came to, or what people are told where it came to nothing.
    fn told(&self, searched: Result<Summary, RankProblem>, settings: &RankSettings) -> Result<Summary, Failure> {
        let speaks = self.speaks();
        searched.map_err(|problem| match problem {
            // The first rank tells of every problem that all know of.
            RankProblem::NoSuchSection(_) | RankProblem::Checkpoint(_) | RankProblem::Elsewhere { .. } if !speaks => {
                Failure::ToldElsewhere { status: 2 }
            }
            RankProblem::Elsewhere { .. } => Failure::new(problem.to_string()),
            RankProblem::NoSuchSection(section) => {
                let help = match section.known.as_slice() {
                    [] => "states of this model have no sections".to_owned(),
                    known => format!("there are: {}", known.join(", ")),
                };
                Failure::with_help(format!("--partition: states have no section `{}`", section.name), help)
            }
            RankProblem::Checkpoint(problem @ CheckpointProblem::HoldsCheckpoint { .. }) => {
                Failure::with_help(problem.to_string(), "go on with it by `dampf resume`, or name another folder")
            }
            RankProblem::Checkpoint(problem) => Failure::new(problem.to_string()),
            RankProblem::Library { .. } => Failure::with_help(
                problem.to_string(),
                "--shared-folder names a folder that all ranks see and may write",
            ),
            RankProblem::Lost(lost) => Failure::Unknown(match &settings.checkpoints {
                Some(checkpoints) => {
                    format!(
                        "{lost}; go on from the last checkpoint with `dampf resume {}`",
                        checkpoints.folder.display()
                    )
                }
                None => format!("{lost}, and its states with it (--checkpoint keeps them)"),
            }),
        })
    }
}

/// One of the ranks that are being ended says how to go on. The first to come says it for all.
pub fn say_how_to_go_on(checkpoint: Option<&Path>) {
    let Some(folder) = checkpoint.filter(|folder| checkpoint::description(folder).is_ok()) else { return };
    // Gone when the search is resumed.
    let mark = folder.join(dampf_dist::ENDED);
    if std::fs::OpenOptions::new().write(true).create_new(true).open(&mark).is_ok() {
        complain(&format!(
            "unknown: the run was ended, by the loss of a rank or from outside; `dampf resume {}` goes on from the last checkpoint\n",
            folder.display()
        ));
    }
}

/// Whether the options ask for something that only a search by ranks has.
fn needs_ranks(options: &CheckOptions) -> bool {
    let cluster = &options.cluster;
    cluster.partition.is_some()
        || cluster.checkpoint.is_some()
        || cluster.queue.is_some()
        || cluster.sent_cache.is_some()
        || cluster.local_search.is_some()
        || cluster.shared_folder.is_some()
        || options.cycles.needs_ranks()
        || options.search == Search::FirstCome
}

/// Whether the search is one by ranks.
pub fn is_shared(options: &CheckOptions) -> bool {
    options.cluster.ranks.is_some() || needs_ranks(options) || dampf_net::ranks_of_environment() > Some(1)
}

/// What a rank spends on the states that it sent, where it is not told how many to remember.
const SENT_CACHE_BYTES: usize = 64 << 20;

/// How the search of a model is divided into so many parts. `attempt` counts the searches of this run; `origin` says of
/// what they are.
pub fn settings<M: Distributable>(
    options: &CheckOptions,
    attempt: &Attempt,
    origin: &Origin,
    model: &M,
    parts: u32,
) -> Result<RankSettings, Failure> {
    let cluster = &options.cluster;
    let order = match options.search {
        Search::Auto | Search::Bfs => Order::Levels,
        Search::Dfs => Order::DepthFirst,
        Search::FirstCome => Order::FirstCome,
        Search::BestFirst => Order::BestFirst,
        Search::StackSlicing | Search::Astar | Search::Idastar | Search::Iddfs | Search::Beam | Search::Random => {
            unreachable!("refused where options are checked: it is no search by ranks")
        }
    };
    let waiting = cluster.queue.unwrap_or_default();
    if waiting != Waiting::Hash && matches!(order, Order::DepthFirst | Order::BestFirst) {
        return Err(Failure::with_help(
            "--queue lets whole states wait in the order they come, which --search dfs and best-first do not keep",
            "use --search bfs or first-come, or leave --queue out",
        ));
    }
    let slices = matches!(cluster.partition, Some(PartitionOption::Named(Partition::DepthSlices(_))));
    if slices && options.deterministic {
        return Err(Failure::with_help(
            "--deterministic promises the same counts for any number of ranks, and slices of depth explore states again",
            "use another --partition",
        ));
    }
    // The one method that has its local searches when everything was explored, in whatever order.
    let is_local_later = options.cycles == CycleOption::NaiveNested;
    if cluster.local_search.is_some() && (order == Order::Levels && !is_local_later || slices) {
        return Err(Failure::with_help(
            "--local-search leaves the order of levels, and does not go with slices of depth",
            "use --search first-come, dfs or best-first, and another --partition",
        ));
    }
    let described = |folder: &PathBuf| {
        let earlier = attempt.earlier.as_ref().map(EarlierProperties::to_json).unwrap_or_default();
        let description = match &attempt.description {
            Some(first) => resume::with_origin(first, origin, &earlier),
            None => resume::description(origin, &earlier)?,
        };
        Ok::<_, Failure>((folder.clone(), description))
    };
    let description = cluster.checkpoint.as_ref().map(described).transpose()?;
    let defaults = RankSettings::default();
    Ok(RankSettings {
        partition: match &cluster.partition {
            Some(PartitionOption::Named(partition)) => partition.clone(),
            Some(PartitionOption::Auto) => dampf_dist::partition_for(model, parts),
            None => Partition::default(),
        },
        order,
        waiting,
        remembered: cluster
            .sent_cache
            .unwrap_or(defaults.remembered.min(SENT_CACHE_BYTES / size_of::<Word>() / model.width())),
        local: cluster.local_search,
        cycles: options.cycles.method().unwrap_or_default(),
        checkpoints: description.map(|(folder, description)| Checkpoints {
            folder,
            every: cluster.checkpoint_every,
            identity: format!(
                "{}{:?}{:?}{:?}{:?}",
                resume::identity(origin),
                options.search,
                options.deterministic,
                waiting,
                attempt.earlier.as_ref().map(|earlier| earlier.count)
            ),
            description,
            start: match (attempt.is_resumed, attempt.number) {
                (true, 0) => Start::Resume,
                (false, 0) => Start::New,
                (_, number) => Start::Restart(number),
            },
        }),
        library: cluster
            .shared_folder
            .as_ref()
            .map(|folder| Library { folder: folder.clone(), number: attempt.number }),
        ..defaults
    })
}

/// Which search of a run it is. A run that learns something about the model begins its search again.
pub struct Attempt {
    pub number: u64,
    /// The first one goes on from a checkpoint.
    pub is_resumed: bool,
    /// What the checkpoint keeps for whoever resumes, where that was said before.
    pub description: Option<String>,
    /// What came of the properties before the one that is looked at, where it is about properties.
    pub earlier: Option<EarlierProperties>,
}

impl Attempt {
    /// The first attempt of a run; one that is resumed has an origin already.
    pub fn new(options: &CheckOptions, resumed: Option<&Origin>) -> Result<Attempt, Failure> {
        let folder = options.cluster.checkpoint.as_ref().or(options.disk.as_ref());
        let description = match (folder, resumed) {
            (Some(folder), Some(_)) => Some(resume::kept(folder)?),
            _ => None,
        };
        let earlier = description.as_deref().and_then(resume::earlier);
        Ok(Attempt { number: 0, is_resumed: resumed.is_some(), description, earlier })
    }
}

/// What went over the network, for the report.
pub fn traffic(summary: &Summary, settings: &RankSettings) -> Traffic {
    let dampf_dist::Traffic { states, messages, bytes, part_bytes, filed_bytes, cross_transitions } = summary.traffic;
    Traffic {
        partition: settings.partition.to_string(),
        largest_share: summary.largest_share,
        messages,
        bytes,
        part_bytes,
        filed_bytes,
        states,
        cross_transitions,
        redundant_states: summary.redundant,
        followed_states: summary.cycles.followed,
    }
}
