//! How promising a state is: a number of steps that may be left to an error, as far as one can guess. Less is better.
//!
//! The measures are those of StEAM (Leven, Mehler and Edelkamp; Groce and Visser before them), over how threads stand.
//! Most of them say what is to become large in a state with an error; their estimate is what is missing of the largest
//! value there can be.

use dampf_core::{Action, Footprint, Object, Observations, Standing, Word};
use std::collections::HashMap;

/// One thing to go by.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Measure {
    /// `mb`: threads that are not blocked. Never too much for a deadlock, where a step blocks one thread at most.
    MostBlocked,
    /// `lnb`: threads that are not blocked, and threads that hold no lock. Whether one is held counts, not how many:
    /// whoever has all locks that it needs will give them back. Threads that are not there count as not blocked:
    /// otherwise a search would rather not create any.
    LockAndBlock,
    /// `pl1`: locks of neighbouring threads that all hold some. What is missing of the largest such block.
    LockedBlock,
    /// `pl2`: the same for all blocks, where a larger one counts more: by the squares of their locks.
    LockedBlocks,
    /// `pba`: neighbouring threads that are all alive, by the squares of such blocks.
    AliveBlocks,
    /// `pbb`: neighbouring threads that are all blocked, by the squares of such blocks.
    BlockedBlocks,
    /// `alive`: threads that have ended.
    Alive,
    /// `int`: steps of the run whose mover is the one of the step before.
    Interleaving,
    /// `rw`: what is missing of very many reads and writes in the run.
    ReadWrite,
    /// `aa`: what is missing of very many accesses in the run to what another mover has accessed in the step before.
    AlternatingAccess,
    /// `bc`: how often the branches of the last step were taken before in the search: not at all, which is best; then
    /// steps without branches; then by the number. As Groce and Visser define it.
    BranchCoverage,
    /// What the model says, by the number of the estimate that it was made with.
    Estimate(usize),
}

/// Very many: runs have fewer accesses.
const ACCESSES_MANY: u32 = 1 << 24;

impl Measure {
    /// Those that have names.
    pub const ALL: [Measure; 11] = [
        Measure::MostBlocked,
        Measure::LockAndBlock,
        Measure::LockedBlock,
        Measure::LockedBlocks,
        Measure::AliveBlocks,
        Measure::BlockedBlocks,
        Measure::Alive,
        Measure::Interleaving,
        Measure::ReadWrite,
        Measure::AlternatingAccess,
        Measure::BranchCoverage,
    ];

    /// The one with a name.
    pub fn named(name: &str) -> Option<Measure> {
        Measure::ALL.into_iter().find(|measure| measure.names().contains(&name))
    }

    /// Its names on the command line: a telling one, and that of the literature.
    pub fn names(self) -> [&'static str; 2] {
        match self {
            Measure::MostBlocked => ["most-blocked", "mb"],
            Measure::LockAndBlock => ["lock-and-block", "lnb"],
            Measure::LockedBlock => ["locked-block", "pl1"],
            Measure::LockedBlocks => ["locked-blocks", "pl2"],
            Measure::AliveBlocks => ["alive-blocks", "pba"],
            Measure::BlockedBlocks => ["blocked-blocks", "pbb"],
            Measure::Alive => ["threads-alive", "alive"],
            Measure::Interleaving => ["interleaving", "int"],
            Measure::ReadWrite => ["read-write", "rw"],
            Measure::AlternatingAccess => ["alternating-access", "aa"],
            Measure::BranchCoverage => ["branch-coverage", "bc"],
            Measure::Estimate(_) => unreachable!("what a model says has the name of what it was asked"),
        }
    }

    /// Whether it looks at runs.
    fn is_of_runs(self) -> bool {
        use Measure::{AlternatingAccess, BranchCoverage, Interleaving, ReadWrite};
        matches!(self, Interleaving | ReadWrite | AlternatingAccess | BranchCoverage)
    }

    /// Whether it looks at how threads stand.
    fn is_of_standings(self) -> bool {
        !self.is_of_runs() && !matches!(self, Measure::Estimate(_))
    }

    /// What it says of a run.
    fn of_run(self, run: RunSeen) -> u32 {
        match self {
            Measure::Interleaving => run.repeated,
            Measure::ReadWrite => ACCESSES_MANY.saturating_sub(run.accesses),
            Measure::AlternatingAccess => ACCESSES_MANY.saturating_sub(run.alternating),
            Measure::BranchCoverage => run.staleness,
            _ => 0,
        }
    }

    /// What it says of a state, by how all threads stand.
    fn of(self, standings: &[Standing]) -> u32 {
        let all = standings.len() as u32;
        let count = |is: fn(&Standing) -> bool| standings.iter().filter(|standing| is(standing)).count() as u32;
        let can_move = || count(|standing| standing.is_alive && !standing.is_blocked);
        let locks = |standing: &Standing| standing.locks;
        let missing = |value: u32| all.saturating_mul(all).saturating_sub(value);
        match self {
            Measure::MostBlocked => can_move(),
            Measure::LockAndBlock => {
                2 * all - count(|standing| standing.is_blocked) - count(|standing| standing.locks > 0)
            }
            Measure::LockedBlock => all.saturating_sub(blocks(standings, locks).max().unwrap_or(0)),
            Measure::LockedBlocks => missing(squares(blocks(standings, locks))),
            Measure::AliveBlocks => missing(squares(blocks(standings, |standing| u32::from(standing.is_alive)))),
            Measure::BlockedBlocks => missing(squares(blocks(standings, |standing| u32::from(standing.is_blocked)))),
            Measure::Alive => all - count(|standing| standing.is_alive),
            Measure::Interleaving
            | Measure::ReadWrite
            | Measure::AlternatingAccess
            | Measure::BranchCoverage
            | Measure::Estimate(_) => 0,
        }
    }
}

/// For each block of neighbours that all have something, what they have together.
fn blocks(standings: &[Standing], has: impl Fn(&Standing) -> u32 + Copy) -> impl Iterator<Item = u32> {
    standings
        .chunk_by(move |left, right| (has(left) > 0) == (has(right) > 0))
        .map(move |block| block.iter().map(has).sum())
}

fn squares(values: impl Iterator<Item = u32>) -> u32 {
    values.fold(0, |sum: u32, value| sum.saturating_add(value.saturating_mul(value)))
}

/// What a search goes by: the sum of some measures. Nothing, where there are none.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Heuristic(pub Vec<Measure>);

/// To look at more movers than this takes longer than a step, though most of them stand as they stood.
const MOVERS_MANY: usize = 1 << 14;

/// What is known of a run, for measures that look at runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct RunSeen {
    /// The mover of its last step, plus one.
    last: u32,
    /// Steps whose mover was the one of the step before.
    repeated: u32,
    /// Reads and writes of all steps.
    accesses: u32,
    /// Those of them to what another mover has accessed in the step before.
    alternating: u32,
    /// What the last step has accessed: a bit for each object, some sharing one.
    touched: u64,
    /// How often the last step's branches were taken before: see [`Measure::BranchCoverage`].
    staleness: u32,
}

/// Who says where to go.
pub(crate) trait Guidance {
    /// The estimate of a state at the end of a run.
    fn estimate(&mut self, state: &[Word], run: RunSeen) -> u32;

    /// What is known of a run behind one more step, from a state.
    fn behind(&mut self, run: RunSeen, state: &[Word], action: Action) -> RunSeen;

    /// Whether estimates take so long that a state waits with the one of the state before it, until its turn comes.
    fn is_slow(&self) -> bool {
        false
    }
}

/// Nobody does.
impl Guidance for () {
    fn estimate(&mut self, _: &[Word], _: RunSeen) -> u32 {
        0
    }

    fn behind(&mut self, run: RunSeen, _: &[Word], _: Action) -> RunSeen {
        run
    }
}

/// The bit of an object among those that a step has touched.
fn bit_of(object: Object) -> u64 {
    1 << (object.0.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 58)
}

/// A heuristic in the hands of one thread.
pub(crate) struct Guide<'m, M: Observations + 'm> {
    model: &'m M,
    worker: M::Worker<'m>,
    measures: Vec<Measure>,
    /// The numbers of the estimates that the model makes.
    estimates: Vec<usize>,
    looks_at_standings: bool,
    looks_at_runs: bool,
    looks_at_accesses: bool,
    looks_at_branches: bool,
    standings: Vec<Standing>,
    footprint: Footprint,
    branches: Vec<u64>,
    /// How often each branch was taken.
    taken: HashMap<u64, u32>,
}

impl<'m, M: Observations> Guide<'m, M> {
    pub fn new(model: &'m M, heuristic: &Heuristic) -> Self {
        let has = |is: fn(Measure) -> bool| heuristic.0.iter().any(|measure| is(*measure));
        let estimate = |measure: &Measure| if let Measure::Estimate(number) = measure { Some(*number) } else { None };
        Guide {
            model,
            worker: model.worker(),
            measures: heuristic.0.clone(),
            estimates: heuristic.0.iter().filter_map(estimate).collect(),
            looks_at_standings: has(Measure::is_of_standings),
            looks_at_runs: has(Measure::is_of_runs),
            looks_at_accesses: has(|measure| matches!(measure, Measure::ReadWrite | Measure::AlternatingAccess)),
            looks_at_branches: has(|measure| measure == Measure::BranchCoverage),
            standings: Vec::new(),
            footprint: Footprint::default(),
            branches: Vec::new(),
            taken: HashMap::new(),
        }
    }

    /// Counts the branches of a step, and says how often those were taken that were taken most rarely.
    fn staleness(&mut self, state: &[Word], action: Action) -> u32 {
        const WITHOUT_BRANCHES: u32 = 1;
        M::branches(&mut self.worker, state, action, &mut self.branches);
        let mut least: Option<u32> = None;
        for &branch in &self.branches {
            let taken = self.taken.entry(branch).or_insert(0);
            least = Some(least.map_or(*taken, |least| least.min(*taken)));
            *taken = taken.saturating_add(1);
        }
        match least {
            Some(0) => 0,
            Some(taken) => taken.saturating_add(WITHOUT_BRANCHES),
            None => WITHOUT_BRANCHES,
        }
    }
}

impl<M: Observations> Guidance for Guide<'_, M> {
    fn estimate(&mut self, state: &[Word], run: RunSeen) -> u32 {
        let add = |sum: u32, value: u32| sum.saturating_add(value);
        let mut estimate = self.measures.iter().map(|measure| measure.of_run(run)).fold(0, add);
        if self.looks_at_standings {
            M::observe(&mut self.worker, state, &mut self.standings);
            estimate = self.measures.iter().map(|measure| measure.of(&self.standings)).fold(estimate, add);
        }
        for &number in &self.estimates {
            estimate = estimate.saturating_add(M::estimate(&mut self.worker, number, state));
        }
        estimate
    }

    fn is_slow(&self) -> bool {
        self.looks_at_standings && self.model.mover_count() > MOVERS_MANY
    }

    fn behind(&mut self, run: RunSeen, state: &[Word], action: Action) -> RunSeen {
        if !self.looks_at_runs {
            return run;
        }
        let mut last = 0;
        self.model.movers(state, action, &mut |mover| last = mover as u32 + 1);
        let mut next = RunSeen { last, repeated: run.repeated + u32::from(last == run.last), ..run };
        if self.looks_at_accesses {
            M::accesses(&mut self.worker, state, action, &mut self.footprint);
            let objects = || self.footprint.reads.iter().chain(&self.footprint.writes).map(|object| bit_of(*object));
            let alternates = |bit: &u64| last != run.last && run.touched & bit != 0;
            next.accesses += objects().count() as u32;
            next.alternating += objects().filter(alternates).count() as u32;
            next.touched = objects().fold(0, |all, bit| all | bit);
        }
        if self.looks_at_branches {
            next.staleness = self.staleness(state, action);
        }
        next
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn standing(is_alive: bool, is_blocked: bool, locks: u32) -> Standing {
        Standing { is_alive, is_blocked, locks }
    }

    #[test]
    fn what_measures_say() {
        let (runs, waits, ended) = (standing(true, false, 0), standing(true, true, 1), standing(false, false, 0));
        let state = [runs, waits, waits, ended, standing(true, false, 2)];
        let said = Measure::ALL.map(|measure| measure.of(&state));
        // Two can move; three are not blocked, and two hold no lock; the largest block has two locks; blocks of two
        // locks and two locks; of three and one alive; of two blocked; one has ended.
        assert_eq!(said, [2, 5, 3, 25 - 8, 25 - 10, 25 - 4, 1, 0, 0, 0, 0]);
    }
}
