//! A planning phase: the search for the best future of a state.
//!
//! States are taken from the frontier in batches of a fixed size. A batch is expanded by all threads, and what they
//! find is taken in the order of the batch by one. So the states that are found, their numbers and the best of them are
//! the same for any number of threads: breadth-first, they are those of figure 5.4.
//!
//! The phase ends when nothing is left to explore, or at a limit. The limit on states is exact and decides the same in
//! every run; those on time and memory do not.

use crate::Interruption;
use crate::lookahead::{Lookahead, Pruning, value_of};
use dampf_core::{Action, Agents, Fault, FaultKind, Model, Successors, Word};
use dampf_search::{Expander, Judgement, SearchOptions, Sink, expand::Explored};
use dampf_store::{ExactStore, Inserted, Parent, Retrieve, Session, StateRef, Store};
use std::collections::{BinaryHeap, VecDeque};
use std::convert::Infallible;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// States that are expanded together: enough to share out, and few where those that they lead to may be better.
const BREADTH_FIRST_BATCH: usize = 32;
const BEST_FIRST_BATCH: usize = 4;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PlanningOrder {
    BreadthFirst,
    /// The state with the highest value first.
    BestFirst,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PlanningLimits {
    pub states_max: u64,
    pub time_max: Option<Duration>,
    /// Of resident memory of the whole process.
    pub memory_bytes_max: Option<u64>,
}

#[derive(Clone, Copy, Debug)]
pub struct PlanningSettings {
    pub order: PlanningOrder,
    pub limits: PlanningLimits,
    /// At least 1.
    pub threads: usize,
    pub interrupted: Option<&'static AtomicBool>,
}

/// Why a planning phase has ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PlanningEnd {
    /// Nothing is left to explore.
    Exhausted,
    GoalReached,
    StateLimit,
    TimeLimit,
    MemoryLimit,
    Interrupted,
}

impl PlanningEnd {
    /// Whether another run would end the same way.
    pub fn is_reproducible(self) -> bool {
        matches!(self, PlanningEnd::Exhausted | PlanningEnd::GoalReached | PlanningEnd::StateLimit)
    }
}

/// What a planning phase has come to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Planned {
    /// The states from the one that is planned for to the target, in words of the model.
    pub path: Vec<Vec<Word>>,
    /// Their values.
    pub values: Vec<i64>,
    /// The labels of the steps between them.
    pub actions: Vec<Action>,
    pub end: PlanningEnd,
    /// States that were found.
    pub states: u64,
    /// The most steps to one of them.
    pub depth: u32,
    pub time: Duration,
}

impl Planned {
    /// The state that is planned to be reached.
    pub fn target(&self) -> &[Word] {
        self.path.last().expect("a path has a beginning")
    }

    /// How many steps of the model or of agents it takes to get there.
    pub fn steps(&self) -> usize {
        self.actions.len()
    }
}

/// What is kept of a state besides its words.
struct Found {
    value: i64,
    depth: u32,
    action: Action,
}

enum Frontier {
    BreadthFirst(VecDeque<u64>),
    /// By value; of equal ones the first that was found.
    BestFirst(BinaryHeap<(i64, std::cmp::Reverse<u64>)>),
}

impl Frontier {
    fn put(&mut self, number: u64, value: i64) {
        match self {
            Frontier::BreadthFirst(queue) => queue.push_back(number),
            Frontier::BestFirst(heap) => heap.push((value, std::cmp::Reverse(number))),
        }
    }

    fn take(&mut self, batch: &mut Vec<u64>) {
        batch.clear();
        match self {
            Frontier::BreadthFirst(queue) => batch.extend(queue.drain(..queue.len().min(BREADTH_FIRST_BATCH))),
            Frontier::BestFirst(heap) => {
                batch.extend(std::iter::from_fn(|| heap.pop()).take(BEST_FIRST_BATCH).map(|(_, number)| number.0));
            }
        }
    }
}

/// Plans for a state.
pub fn plan<M: Agents>(
    model: &M,
    root: &[Word],
    pruning: Pruning,
    settings: &PlanningSettings,
) -> Result<Planned, Interruption> {
    let start = Instant::now();
    let lookahead = Lookahead::new(model, root, pruning);
    let store = ExactStore::new(lookahead.width());
    let mut search = Search {
        hands: (0..settings.threads.max(1)).map(|_| Hand::new(&lookahead)).collect(),
        session: store.session(),
        found: Vec::new(),
        frontier: match settings.order {
            PlanningOrder::BreadthFirst => Frontier::BreadthFirst(VecDeque::new()),
            PlanningOrder::BestFirst => Frontier::BestFirst(BinaryHeap::new()),
        },
        best: 0,
        goal: None,
        deadline: settings.limits.time_max.and_then(|time| start.checked_add(time)),
        store: &store,
        settings,
    };
    let end = search.run()?;
    let (best, found) = (search.goal.unwrap_or(search.best), search.found);
    let mut planned = Planned {
        path: Vec::new(),
        values: Vec::new(),
        actions: Vec::new(),
        end,
        states: found.len() as u64,
        depth: found.iter().map(|found| found.depth).max().unwrap_or(0),
        time: Duration::ZERO,
    };
    let (mut session, mut words) = (store.session(), vec![0; lookahead.width()]);
    let mut at = Some(StateRef(best));
    while let Some(state) = at {
        ExactStore::load(&mut session, state, &mut words);
        planned.path.push(lookahead.inner(&words).to_vec());
        let Found { value, action, .. } = found[state.0 as usize];
        planned.values.push(value);
        planned.actions.push(action);
        at = store.parent(state);
    }
    // The initial state is not reached by a step.
    planned.actions.pop();
    planned.path.reverse();
    planned.values.reverse();
    planned.actions.reverse();
    planned.time = start.elapsed();
    Ok(planned)
}

struct Search<'s, 'm, M: Agents> {
    hands: Vec<Hand<'m, M>>,
    store: &'s ExactStore,
    session: <ExactStore as Store>::Session<'s>,
    /// By number.
    found: Vec<Found>,
    frontier: Frontier,
    /// The number of the first among the best states.
    best: u64,
    goal: Option<u64>,
    deadline: Option<Instant>,
    settings: &'s PlanningSettings,
}

impl<'m, M: Agents> Search<'_, 'm, M> {
    fn run(&mut self) -> Result<PlanningEnd, Interruption> {
        let root = self.hands[0].root();
        self.add(Action(0), &root, None);
        let mut batch = Vec::new();
        loop {
            self.frontier.take(&mut batch);
            if batch.is_empty() {
                return Ok(PlanningEnd::Exhausted);
            }
            self.expand(&batch)?;
            if let Some(end) = self.take_found() {
                return Ok(end);
            }
            if let Some(end) = self.limit() {
                return Ok(end);
            }
        }
    }

    /// Has the threads expand a batch, each its share.
    fn expand(&mut self, batch: &[u64]) -> Result<(), Interruption> {
        let share = batch.len().div_ceil(self.hands.len());
        let (store, deadline) = (self.store, self.deadline);
        std::thread::scope(|scope| {
            let mut shares = batch.chunks(share).zip(&mut self.hands);
            let first = shares.next();
            let others: Vec<_> =
                shares.map(|(share, hand)| scope.spawn(move || hand.expand(store, share, deadline))).collect();
            if let Some((share, hand)) = first {
                hand.expand(store, share, deadline);
            }
            for other in others {
                other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            }
        });
        let mut judgement = Judgement::default();
        for hand in &mut self.hands {
            judgement.absorb(hand.expander.take_judgement());
        }
        if !judgement.refuted.is_empty() {
            return Err(Interruption::Refuted(judgement.refuted.into_iter().collect()));
        }
        judgement.unsupported.map_or(Ok(()), |unsupported| Err(Interruption::Unsupported(unsupported)))
    }

    /// Takes what the threads have found, in the order of the batch.
    fn take_found(&mut self) -> Option<PlanningEnd> {
        let mut end = None;
        for number in 0..self.hands.len() {
            let harvest = std::mem::take(&mut self.hands[number].harvest);
            let mut states = harvest.words.chunks_exact(self.hands[number].width);
            for &(parent, action) in &harvest.steps {
                let words = states.next().expect("every step leads to a state");
                if end.is_none() && self.add(action, words, Some(parent)) >= self.settings.limits.states_max {
                    end = Some(PlanningEnd::StateLimit);
                }
            }
            self.goal = self.goal.or(harvest.goal);
            self.hands[number].harvest.recycle(harvest);
        }
        self.session.quiesce();
        if self.goal.is_some() { Some(PlanningEnd::GoalReached) } else { end }
    }

    /// Adds a state unless it is known; how many there are now.
    fn add(&mut self, action: Action, words: &[Word], parent: Option<u64>) -> u64 {
        let pending = self.session.prepare(words);
        if let Inserted::New(StateRef(number)) = self.session.commit(pending, words, parent.map(StateRef)) {
            debug_assert_eq!(number, self.found.len() as u64, "one thread adds, so numbers have no gaps");
            let value = value_of(words);
            let depth = parent.map_or(0, |parent| self.found[parent as usize].depth + 1);
            self.found.push(Found { value, depth, action });
            if value > self.found[self.best as usize].value {
                self.best = number;
            }
            self.frontier.put(number, value);
        }
        self.found.len() as u64
    }

    fn limit(&self) -> Option<PlanningEnd> {
        let PlanningSettings { limits, interrupted, .. } = self.settings;
        // ORDERING: Relaxed: nothing else is read because of the flag.
        if interrupted.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
            return Some(PlanningEnd::Interrupted);
        }
        if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Some(PlanningEnd::TimeLimit);
        }
        let is_full = |limit: u64| dampf_search::resident_bytes().is_some_and(|bytes| bytes >= limit);
        limits.memory_bytes_max.is_some_and(is_full).then_some(PlanningEnd::MemoryLimit)
    }
}

/// One thread of a search.
struct Hand<'m, M: Agents> {
    expander: Expander<'m, Lookahead<'m, M>>,
    width: usize,
    harvest: Harvest,
}

/// What a thread has found in a batch.
#[derive(Default)]
struct Harvest {
    /// The number of the state that each step leaves, and the step's label.
    steps: Vec<(u64, Action)>,
    /// The states that they lead to.
    words: Vec<Word>,
    /// The first state that is a goal.
    goal: Option<u64>,
}

impl Harvest {
    /// Uses the room of an earlier one.
    fn recycle(&mut self, mut used: Harvest) {
        used.steps.clear();
        used.words.clear();
        *self = Harvest { goal: None, ..used };
    }
}

impl<'m, M: Agents> Hand<'m, M> {
    fn new(lookahead: &'m Lookahead<'m, M>) -> Self {
        let options = SearchOptions { deadlocks: false, ..SearchOptions::default() };
        let expander = Expander::new(lookahead, &options);
        Hand { expander, width: lookahead.width(), harvest: Harvest::default() }
    }

    fn root(&mut self) -> Vec<Word> {
        self.expander.initial_states().state(0).to_vec()
    }

    fn expand(&mut self, store: &ExactStore, share: &[u64], deadline: Option<Instant>) {
        let mut sink = Gathering { session: store.session(), harvest: &mut self.harvest, deadline };
        for batch in share.chunks(dampf_search::expand::BATCH) {
            let batch: Vec<StateRef> = batch.iter().map(|&number| StateRef(number)).collect();
            let Ok(_) = self.expander.expand(&batch, &mut sink);
        }
    }
}

/// Keeps what is found until all threads are through with their shares.
struct Gathering<'s, 'h> {
    session: <ExactStore as Store>::Session<'s>,
    harvest: &'h mut Harvest,
    deadline: Option<Instant>,
}

impl Sink for Gathering<'_, '_> {
    type Source = StateRef;
    type Error = Infallible;

    fn load(&mut self, _: usize, source: StateRef, words: &mut [Word]) {
        ExactStore::load(&mut self.session, source, words);
    }

    fn prepare(&mut self, _: usize, source: StateRef, _: &[Word], successors: &Successors) -> Result<(), Infallible> {
        for index in (0..successors.len()).filter(|&index| successors.leads_on(index)) {
            self.harvest.steps.push((source.0, successors.action(index)));
            self.harvest.words.extend_from_slice(successors.state(index));
        }
        Ok(())
    }

    fn fault(&mut self, explored: Explored<'_, StateRef>, _: Option<usize>, fault: Fault) {
        if fault.kind == FaultKind::Goal {
            self.harvest.goal.get_or_insert(explored.source.0);
        }
    }

    fn is_stopped(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    fn commit(&mut self, _: &[StateRef], _: &[Successors]) -> Result<(), Infallible> {
        Ok(())
    }
}
