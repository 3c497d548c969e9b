//! Search on many ranks.
//!
//! Every state has an owner among the ranks ([`Partition`]). A rank stores and explores its own states and sends the
//! others to their owners, many in a message. That is all there is to it as long as nothing goes wrong; what this crate
//! is about is to send little, to notice when all have finished, to find the way to a fault through the memories of
//! all, and to come to the result that a single process comes to.
//!
//! A [`Node`] is what runs on a rank. [`search`] drives one on any network; simulations drive many.

mod accepting_predecessors;
mod bounded_nested;
mod census;
mod checkpoint;
mod cycles;
mod delivery;
mod discovery;
mod exploration;
mod frontier;
mod levels;
mod library;
mod local;
mod mail;
mod message;
mod near_states;
mod node;
mod order;
mod outbox;
mod parcel;
mod parcel_file;
mod parents;
mod partition;
mod passage;
mod progress;
mod quest;
mod queue;
mod recent;
mod report;
mod restoring;
mod run;
mod sampling;
mod saving;
mod sending;
mod share;
mod termination;
mod trails;
mod visited;
mod wire;

pub use checkpoint::{Checkpoints, ENDED, Start};
pub use cycles::{CycleCounts, CycleMethod, SoughtCycles};
pub use library::Library;
pub use local::{ForeignStates, LocalSearch, OwnStates};
pub use node::Node;
pub use outbox::Traffic;
pub use partition::{NoSuchSection, Partition};
pub use queue::{Order, Waiting};
pub use report::Summary;
pub use run::{
    Host, Network, RankProblem, cycles_on, cycles_on_host, cycles_on_threads, search_on, search_on_host,
    search_on_threads,
};
pub use sampling::partition_for;

use dampf_core::{Sections, Transfer};
use dampf_store::{ByPrefix, Retrieve};

/// What ranks ask of a model: how its states move, and what sections they have.
pub trait Distributable: Transfer + Sections {}

impl<M: Transfer + Sections> Distributable for M {}

/// What ranks ask of a store: that it gives states back, and that parents can be looked for by others.
pub trait RankStore: Retrieve + ByPrefix {}

impl<S: Retrieve + ByPrefix> RankStore for S {}

/// How the work is shared. The same on all ranks.
#[derive(Clone, Debug)]
pub struct RankSettings {
    pub partition: Partition,
    pub order: Order,
    pub waiting: Waiting,
    /// So many sent states are remembered, not to be sent again.
    pub remembered: usize,
    pub termination: Termination,
    /// In a search for cycles.
    pub cycles: CycleMethod,
    /// Not in a search by levels, and not with depth slices. In a search for cycles, where the method allows it
    /// ([`CycleMethod::allows_local_search`]).
    pub local: Option<LocalSearch>,
    pub checkpoints: Option<Checkpoints>,
    /// Where contents of states travel, if not in messages.
    pub library: Option<Library>,
}

impl Default for RankSettings {
    fn default() -> Self {
        RankSettings {
            partition: Partition::default(),
            order: Order::default(),
            waiting: Waiting::default(),
            remembered: 1 << 16,
            termination: Termination::default(),
            cycles: CycleMethod::default(),
            local: None,
            checkpoints: None,
            library: None,
        }
    }
}

/// How the end of a search without levels is noticed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Termination {
    #[default]
    Safra,
    /// As published in 2007: ends too early where messages are under way. For experiments only.
    IdleReports,
}
