//! Accepting cycles among the states of all ranks.
//!
//! When all states were explored, the ranks go through *stages* together. OWCTY (`owcty.rs`) drops states until those
//! are left that prove a cycle, or none. Of those that are left, one is chosen that lies on a cycle (`propagation.rs`),
//! and the shortest cycle through it is found (`circle.rs`) and read off backwards, step by step. Where the exploration
//! ended early because it came upon a cycle ([`crate::accepting_predecessors`]), the last two are all there is to do.
//!
//! A stage follows steps of states from rank to rank: it says which state is next and what travels along its steps, and
//! takes what arrives ([`Technique`]). It goes in rounds (`rounds.rs`), and ends with a round in which nobody has sent
//! anything. Sets of states and counts are kept by the owners of the states, in arrays (`table.rs`): 14 bytes a state
//! beside the store for OWCTY, and 24 more for those that are left. Steps are computed again, not stored.
//!
//! States from which no end can be reached (`ends.rs`) are looked for in the same way, where that is what is asked for.
//!
//! Where checkpoints are written, one is when everything was explored, and others between two halves of an iteration of
//! OWCTY: which states are kept then, and how many steps lead to each from others of them, is all there is to know. The
//! rest, from where OWCTY has come to its end, is done again after a resumption.
//!
//! In a predictable search the cycle is the same for any number of ranks. States are ordered as that search finds them:
//! by their distance from the initial states, then by their position in their level. Among the states that OWCTY
//! leaves, the cycle begins with the first accepting state before which no accepting state comes that leads to it; it
//! is one of the shortest through this state; and backwards from its end, each state on it comes from the first that is
//! at its distance, by the step with the least label.

mod circle;
mod ends;
mod improved_nested;
mod local_pairs;
mod message;
mod naive_nested;
mod owcty;
mod propagation;
mod rounds;
mod table;

use crate::accepting_predecessors::IsAccepting;
use crate::discovery::{Discovery, FaultPlace};
use crate::exploration::Exploration;
use crate::mail::Mail;
use crate::message::Message;
use crate::outbox::{Outbox, Traffic};
use crate::parcel::{Companion, Format, pack_one, unpack, unpack_one};
use crate::partition::Owner;
use crate::passage::Arrivals;
use crate::saving::{KeptStates, Saving};
use crate::share::Share;
use crate::visited::Visited;
use crate::{Distributable, RankSettings, RankStore};
use circle::Circle;
use dampf_core::{Action, Fault, Word};
use dampf_net::Rank;
use dampf_search::expand::BATCH;
use dampf_store::{Inserted, Prefix, Session, StateRef};
use ends::Ends;
use improved_nested::ImprovedNested;
use local_pairs::LocalPairs;
use message::CycleMessage;
use naive_nested::NaiveNested;
use owcty::{Owcty, OwctyEnd};
use propagation::Propagation;
use rounds::{CycleId, Rounds, Tally};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use table::StateTable;

/// What is looked for: runs that pass accepting states for ever.
#[derive(Clone, Copy)]
pub struct SoughtCycles<'a> {
    pub is_accepting: &'a (dyn Fn(&[Word]) -> bool + Sync),
    /// What is wrong where there is such a run.
    pub fault: &'a Fault,
    /// Runs are looked for from which no end can be reached, though some run ends, and all states are accepting.
    pub of_ends: bool,
}

/// How cycles are looked for among the states of all ranks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum CycleMethod {
    /// States that cannot be on a cycle are dropped.
    #[default]
    Owcty,
    /// Nested searches from all accepting states, by all ranks together; for comparison.
    NaiveNested,
    /// Nested searches that begin at back-level edges; for comparison.
    ImprovedNested,
    /// Nested searches from all accepting states, each by one rank alone, no deeper than a limit of depth allows
    /// (`bounded_nested.rs`).
    BoundedNested,
}

impl CycleMethod {
    /// Whether local searches leave the method complete. `cycles/local_pairs.rs` and `bounded_nested.rs` say why they
    /// do, the first also why others have none.
    pub fn allows_local_search(self) -> bool {
        matches!(self, CycleMethod::NaiveNested | CycleMethod::BoundedNested)
    }

    /// Whether a predictable search finds the same cycle on any number of ranks.
    pub fn is_predictable(self) -> bool {
        matches!(self, CycleMethod::Owcty | CycleMethod::BoundedNested)
    }
}

/// What looking for cycles took, beside exploring the states.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct CycleCounts {
    /// Times that OWCTY kept what is reachable from accepting states.
    pub iterations: u64,
    /// Times that all ranks waited for each other.
    pub rounds: u64,
    /// States whose steps were followed again.
    pub followed: u64,
    /// What went over the network; it is part of the search's traffic.
    pub states_sent: u64,
    pub messages: u64,
    /// States that OWCTY has left.
    pub left: u64,
    /// Whether a cycle was met while states were explored.
    pub on_the_fly: bool,
}

impl CycleCounts {
    /// All ranks have the same iterations and rounds.
    pub(crate) fn add(&mut self, other: &CycleCounts) {
        self.iterations = self.iterations.max(other.iterations);
        self.rounds = self.rounds.max(other.rounds);
        self.followed += other.followed;
        self.states_sent += other.states_sent;
        self.messages += other.messages;
        self.left += other.left;
        self.on_the_fly |= other.on_the_fly;
    }
}

/// How far OWCTY has come, between two halves of an iteration; the same on all ranks.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub(crate) struct CycleProgress {
    /// Whether states without predecessors are dropped next.
    pub drops: bool,
    /// States of all ranks that are kept; not known in the first iteration.
    pub kept: Option<u64>,
    pub iterations: u64,
}

/// What travels along a step.
type Load = (u64, u32);

/// One way of following steps.
trait Technique {
    /// The next state whose steps are followed, and what travels along them.
    fn next(&mut self, table: &mut StateTable) -> Option<(u32, Load)>;

    /// A step from a state of this rank leads to a state of the table.
    fn arrive(&mut self, table: &mut StateTable, number: u32, from: Rank, load: Load);

    /// The steps of a state of this rank were followed. `may_end` where a run may end in it, or it is not known what
    /// else it leads to.
    fn followed(&mut self, number: u32, may_end: bool) {
        let _ = (number, may_end);
    }

    /// A step from a state of this rank leads to a state that was never visited.
    fn miss(&mut self, from: Rank, load: Load) {
        let _ = (from, load);
    }

    /// What the other ranks are to know at the end of a round.
    fn tally(&self) -> Tally;
}

/// How a rank's states are ordered among those of all.
struct Orders {
    rank: Rank,
    /// In a predictable search, the earlier a state was found the greater; otherwise references are the order.
    of_search: Option<Vec<u64>>,
}

impl Orders {
    fn order(&self, table: &StateTable, number: u32) -> u64 {
        self.of_search.as_ref().map_or_else(|| table.state(number).0, |orders| orders[number as usize])
    }

    fn id(&self, table: &StateTable, number: u32) -> CycleId {
        CycleId { order: self.order(table, number), holder: self.rank + 1 }
    }
}

enum Stage {
    /// The ranks tell each other why they have stopped exploring.
    Agreeing(Agreement),
    /// Which of the suspects is looked at next?
    Choosing,
    /// Every step is followed once, to know who leads to whom.
    Gathering(Ends),
    /// Those from which an end can be reached tell those before them.
    Returning(Ends),
    Dropping(Owcty),
    NaiveNested(NaiveNested),
    ImprovedNested(ImprovedNested),
    Propagating(Propagation),
    Circling(Circle),
    /// The rank that the cycle begins on collects its steps, by their number from the end.
    Retracing(Circle, BTreeMap<u64, Action>),
}

impl Stage {
    fn technique(&mut self) -> Option<&mut dyn Technique> {
        match self {
            Stage::Agreeing(_) | Stage::Choosing | Stage::Returning(_) | Stage::Retracing(..) => None,
            Stage::Gathering(ends) => Some(ends),
            Stage::Dropping(owcty) => Some(owcty),
            Stage::NaiveNested(nested) => Some(nested),
            Stage::ImprovedNested(nested) => Some(nested),
            Stage::Propagating(propagation) => Some(propagation),
            Stage::Circling(circle) => Some(circle),
        }
    }
}

/// Why a rank has stopped exploring.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Agreement {
    /// There is nothing to look for any more: a fault was found, or an assumption refuted.
    pub is_over: bool,
    /// Not everything was explored.
    pub is_partial: bool,
    /// The search was halted, whoever did that.
    pub is_halted: bool,
}

/// What a turn has come to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum CycleTurn {
    Waits,
    Worked {
        work: u64,
    },
    /// All ranks know whether there is a cycle; the rank that knows it has noted it.
    Concluded,
}

pub(crate) struct Cycles<'a, M: Distributable> {
    model: &'a M,
    is_accepting: IsAccepting<'a>,
    fault: &'a Fault,
    of_ends: bool,
    /// Whether a run ends that this rank knows of.
    met_end: bool,
    method: CycleMethod,
    is_predictable: bool,
    rounds: Rounds,
    stage: Option<Stage>,
    /// States of a round that this rank is not in yet.
    early: Vec<(Rank, u64, Vec<u8>)>,
    table: StateTable,
    /// States up to here are known to be accepting or not.
    marked: u32,
    /// Whether steps may lead to states that were never visited.
    is_partial: bool,
    /// Accepting states of this rank that may lie on a cycle.
    suspects: Vec<Vec<Word>>,
    chosen: Option<u32>,
    format: Format,
    outbox: Outbox,
    arrivals: Vec<Arrivals>,
    /// Where others' states are followed, too.
    local: Option<LocalPairs>,
    /// Others' states that were.
    pub redundant: u64,
    sent: u64,
    is_concluded: bool,
    words: Vec<Word>,
    counts: CycleCounts,
    /// Of stages that are over.
    traffic: Traffic,
    /// What a checkpoint has, to go on from where everything was explored.
    resumed: Option<(CycleProgress, KeptStates)>,
    /// Whether a checkpoint is due: the first rank's word.
    is_save_due: bool,
    /// What a checkpoint is to have, between two rounds.
    to_save: Option<(CycleProgress, KeptStates)>,
}

impl<'a, M: Distributable> Cycles<'a, M> {
    pub fn new(
        model: &'a M,
        ranks: Rank,
        sought: SoughtCycles<'a>,
        (settings, is_predictable): (&RankSettings, bool),
        resumed: Option<(CycleProgress, KeptStates)>,
    ) -> Self {
        let format = Format {
            depths: false,
            labels: false,
            places: false,
            positions: false,
            accepting: false,
            parts: model.has_parts(),
        };
        Cycles {
            model,
            is_accepting: sought.is_accepting,
            fault: sought.fault,
            of_ends: sought.of_ends,
            met_end: false,
            method: settings.cycles,
            is_predictable,
            rounds: Rounds::new(ranks),
            stage: None,
            early: Vec::new(),
            table: StateTable::default(),
            marked: 0,
            is_partial: false,
            suspects: Vec::new(),
            chosen: None,
            format,
            outbox: Outbox::new(ranks, model.width(), format, 0, None),
            arrivals: (0..ranks).map(|_| Arrivals::default()).collect(),
            local: settings.local.map(|local| LocalPairs::new(model.width(), &local)),
            redundant: 0,
            sent: 0,
            is_concluded: false,
            words: vec![0; model.width()],
            counts: CycleCounts::default(),
            traffic: Traffic::default(),
            resumed,
            is_save_due: false,
            to_save: None,
        }
    }

    /// What went over the network.
    pub fn traffic(&self) -> Traffic {
        let mut all = self.traffic;
        all.add(&self.outbox.traffic);
        all
    }

    pub fn figures(&self) -> CycleCounts {
        let Traffic { states, messages, .. } = self.traffic();
        CycleCounts { states_sent: states, messages, ..self.counts }
    }

    /// This rank has stopped exploring.
    pub fn begin<S: RankStore>(
        &mut self,
        exploration: &mut Exploration<'a, M, S>,
        mail: &mut Mail,
        agreement: Agreement,
    ) {
        self.stage = Some(Stage::Agreeing(agreement));
        self.met_end = exploration.judgement.met_end;
        let Share { predecessors, delivery, .. } = &mut exploration.share;
        // Whoever has the suspect is to know.
        let suspect = predecessors.take().and_then(|predecessors| predecessors.suspect().map(<[Word]>::to_vec));
        if let Some(suspect) = suspect {
            match delivery.partitioner.owner(&suspect, 0) {
                Owner::Rank(owner) if owner == mail.rank => self.suspects.push(suspect),
                Owner::Rank(owner) => self.send(mail, owner, &suspect, Load::default()),
                Owner::Unassigned(_) => {}
            }
        }
        self.take_early(exploration);
    }

    pub fn take<S: RankStore>(
        &mut self,
        exploration: &mut Exploration<'a, M, S>,
        mail: &mut Mail,
        from: Rank,
        message: &[u8],
    ) {
        match CycleMessage::decode(message).expect("a message from another rank can be read") {
            CycleMessage::States { round, states } => {
                if self.stage.is_none() || round > self.rounds.round {
                    self.early.push((from, round, states.to_vec()));
                } else {
                    self.receive(exploration, from, states);
                }
            }
            CycleMessage::RoundEnd { round, tally } => self.rounds.take_end(from, round, tally),
            CycleMessage::Retrace { number, step, home, target } => {
                let target = unpack_one(self.model, target).expect("a state from another rank can be read");
                self.retrace(exploration, mail, (number, step, home), &target);
            }
            CycleMessage::Retraced { step, action, is_first } => {
                self.take_step(exploration, mail, (step, action), is_first);
            }
            CycleMessage::Concluded => self.is_concluded = true,
            CycleMessage::Ending { numbers } => match &mut self.stage {
                Some(Stage::Gathering(ends) | Stage::Returning(ends)) => {
                    numbers.into_iter().for_each(|number| ends.note(number));
                }
                _ => unreachable!("a rank is one round ahead at most"),
            },
        }
    }

    /// Goes on as far as is possible without waiting.
    pub fn turn<S: RankStore>(
        &mut self,
        exploration: &mut Exploration<'a, M, S>,
        mail: &mut Mail,
        saving: Option<&mut Saving>,
    ) -> CycleTurn {
        if self.is_concluded {
            return CycleTurn::Concluded;
        }
        if matches!(self.stage, None | Some(Stage::Retracing(..))) {
            return CycleTurn::Waits;
        }
        if !self.rounds.has_told(mail.rank) {
            let work = self.mark_some(exploration) + self.follow_some(exploration, mail) + self.return_some();
            if work == 0 {
                self.is_save_due = mail.rank == 0 && saving.is_some_and(|saving| saving.is_due_by_time());
                self.tell(mail);
            }
            return CycleTurn::Worked { work };
        }
        let Some(all) = self.rounds.all_told() else { return CycleTurn::Waits };
        self.rounds.turn();
        self.counts.rounds += 1;
        self.decide(exploration, mail, all);
        if self.is_concluded {
            return CycleTurn::Concluded;
        }
        // Before anything of the next round is taken in.
        if let (Some((progress, kept)), Some(saving)) = (self.to_save.take(), saving) {
            saving.save_cycles(exploration, mail, progress, kept);
        }
        self.take_early(exploration);
        CycleTurn::Worked { work: 0 }
    }

    /// Goes back from states from which an end can be reached, for some; says for how many.
    fn return_some(&mut self) -> u64 {
        if let Some(Stage::Returning(ends)) = &mut self.stage { ends.go_back() } else { 0 }
    }

    /// Finds out which states are accepting, for some; says for how many.
    fn mark_some<S: RankStore>(&mut self, exploration: &mut Exploration<'a, M, S>) -> u64 {
        let end = self.table.len().min(self.marked + MARKED_PER_TURN);
        for number in self.marked..end {
            exploration.share.visited.load(self.table.state(number), &mut self.words);
            if (self.is_accepting)(&self.words) {
                self.table.set_accepting(number);
            }
        }
        u64::from(end - std::mem::replace(&mut self.marked, end))
    }

    /// Follows the steps of a batch of states, once all are marked; says how many steps that were, and states.
    fn follow_some<S: RankStore>(&mut self, exploration: &mut Exploration<'a, M, S>, mail: &mut Mail) -> u64 {
        if self.marked < self.table.len() {
            return 0;
        }
        let mut own = OwnSteps::<S> { words: Vec::new(), pending: Vec::new(), loads: Vec::new() };
        let mut work = 0;
        for _ in 0..BATCH {
            let next = self.stage.as_mut().and_then(Stage::technique).and_then(|stage| stage.next(&mut self.table));
            let Some((number, load)) = next else { break };
            work += 1 + self.follow(exploration, mail, (number, load), &mut own);
            self.counts.followed += 1;
        }
        let width = self.words.len();
        let steps = own.words.chunks_exact(width).zip(own.pending).zip(own.loads);
        let technique = self.stage.as_mut().and_then(Stage::technique);
        if let Some(technique) = technique {
            for ((state, pending), load) in steps {
                let found = look_up(&mut exploration.share.visited, pending, state, self.is_partial);
                match found.and_then(|state| self.table.number(state)) {
                    Some(number) => technique.arrive(&mut self.table, number, mail.rank, load),
                    None => technique.miss(mail.rank, load),
                }
            }
        }
        exploration.quiesce();
        work
    }

    /// Follows the steps of a state: those to other ranks are sent, the others gathered. With local search, those to
    /// other ranks are followed on here first. Says how many steps there are.
    fn follow<S: RankStore>(
        &mut self,
        exploration: &mut Exploration<'a, M, S>,
        mail: &mut Mail,
        (number, load): (u32, Load),
        own: &mut OwnSteps<'a, S>,
    ) -> u64 {
        exploration.share.visited.load(self.table.state(number), &mut self.words);
        let (mut work, may_end) = self.pass_on(exploration, mail, (1, load), own);
        if let Some(technique) = self.stage.as_mut().and_then(Stage::technique) {
            technique.followed(number, may_end);
        }
        while let Some(steps) = self.local.as_mut().and_then(|local| local.next(&mut self.words)) {
            self.redundant += 1;
            work += self.pass_on(exploration, mail, (steps + 1, load), own).0;
        }
        work
    }

    /// Follows the steps of the state whose words are at hand, to states that are so many steps behind one of this
    /// rank. Says how many there are, and whether a run may end in it.
    fn pass_on<S: RankStore>(
        &mut self,
        exploration: &mut Exploration<'a, M, S>,
        mail: &mut Mail,
        (steps, load): (u32, Load),
        own: &mut OwnSteps<'a, S>,
    ) -> (u64, bool) {
        let Exploration { expander, share: Share { visited, delivery, .. }, .. } = exploration;
        delivery.partitioner.set_base(&self.words);
        let successors = expander.successors_of(&self.words);
        let leads_on = (0..successors.len()).any(|step| successors.leads_on(step));
        let mut may_end = !leads_on || successors.valid_end() || successors.unsupported().is_some();
        for step in (0..successors.len()).filter(|&step| successors.leads_on(step)) {
            let state = successors.state(step);
            match delivery.partitioner.owner(state, 0) {
                Owner::Rank(owner) if owner == mail.rank => {
                    own.words.extend_from_slice(state);
                    own.pending.push(visited.session.prepare(state));
                    own.loads.push(load);
                }
                Owner::Rank(owner) => {
                    let is_accepting = self.is_accepting;
                    let is_taken = self.local.as_mut().is_some_and(|local| {
                        let may_be_root = LocalPairs::may_be_root(owner, load, || is_accepting(state));
                        local.takes(state, load, steps, may_be_root)
                    });
                    if !is_taken {
                        self.send(mail, owner, state, load);
                    }
                }
                // Nobody has visited it.
                Owner::Unassigned(_) => may_end = true,
            }
        }
        (successors.len() as u64, may_end)
    }

    fn send(&mut self, mail: &mut Mail, owner: Rank, state: &[Word], load: Load) {
        self.sent += 1;
        let companion = Companion { place: load, ..Companion::default() };
        if self.outbox.push(self.model, owner, state, &companion) {
            let states = self.outbox.take_full(owner);
            self.send_states(mail, owner, &states);
        }
    }

    fn send_states(&mut self, mail: &mut Mail, owner: Rank, states: &[u8]) {
        let message = CycleMessage::States { round: self.rounds.round, states }.encode();
        mail.send(owner, &Message::Cycle(&message));
    }

    /// Nothing is left to do here in this round.
    fn tell(&mut self, mail: &mut Mail) {
        for owner in 0..mail.ranks {
            if let Some(states) = self.outbox.take_early(owner, false) {
                self.send_states(mail, owner, &states);
            }
        }
        if let Some(Stage::Returning(ends)) = &mut self.stage {
            for owner in 0..mail.ranks {
                let numbers = ends.take_for(owner);
                if !numbers.is_empty() {
                    self.sent += numbers.len() as u64;
                    mail.send(owner, &Message::Cycle(&CycleMessage::Ending { numbers }.encode()));
                }
            }
        }
        let tally = match self.stage.as_ref().expect("a stage is under way") {
            Stage::Agreeing(agreement) => Tally {
                yes: u64::from(agreement.is_over),
                partial: u64::from(agreement.is_partial || agreement.is_halted),
                count: u64::from(agreement.is_halted),
                ..Tally::default()
            },
            Stage::Choosing => {
                let order = |number| self.table.state(number).0;
                let id = |number| CycleId { order: order(number), holder: mail.rank + 1 };
                Tally { best: self.chosen.map_or(CycleId::NONE, id), ..Tally::default() }
            }
            Stage::Gathering(_) | Stage::Returning(_) => Tally { count: u64::from(self.met_end), ..Tally::default() },
            Stage::Dropping(owcty) => Tally { yes: u64::from(self.is_save_due), ..owcty.tally() },
            Stage::NaiveNested(nested) => Tally { best: nested.best(&self.table), ..nested.tally() },
            Stage::ImprovedNested(nested) => Tally { best: nested.best(&self.table), ..nested.tally() },
            Stage::Propagating(propagation) => Tally { best: propagation.best(&self.table), ..propagation.tally() },
            Stage::Circling(circle) => circle.tally(),
            Stage::Retracing(..) => unreachable!("the way back has no rounds"),
        };
        self.rounds.tell(mail, Tally { sent: std::mem::take(&mut self.sent), ..tally });
    }

    /// Takes the states of a message in, which are this rank's.
    fn receive<S: RankStore>(&mut self, exploration: &mut Exploration<'a, M, S>, from: Rank, states: &[u8]) {
        let (mut all, mut loads) = (Vec::new(), Vec::new());
        let arrivals = &mut self.arrivals[from as usize];
        unpack(self.model, self.format, arrivals, states, &mut self.words, |state, companion| {
            all.extend_from_slice(state);
            loads.push(companion.place);
        })
        .expect("states from another rank can be read");
        let width = self.words.len();
        let Some(technique) = self.stage.as_mut().and_then(Stage::technique) else {
            if let Some(Stage::Agreeing(_)) = self.stage {
                self.suspects.extend(all.chunks_exact(width).map(<[Word]>::to_vec));
            }
            return;
        };
        let visited = &mut exploration.share.visited;
        let mut pending = Vec::new();
        for (words, loads) in all.chunks(width * BATCH).zip(loads.chunks(BATCH)) {
            pending.clear();
            visited.session.prepare_neighbours(width, words, &mut pending);
            for ((state, &pending), &load) in words.chunks_exact(width).zip(&pending).zip(loads) {
                let found = look_up(visited, pending, state, self.is_partial);
                match found.and_then(|state| self.table.number(state)) {
                    Some(number) => technique.arrive(&mut self.table, number, from, load),
                    None => technique.miss(from, load),
                }
            }
        }
        exploration.quiesce();
    }

    /// Takes in what came for the round that has begun.
    fn take_early<S: RankStore>(&mut self, exploration: &mut Exploration<'a, M, S>) {
        for (from, round, states) in std::mem::take(&mut self.early) {
            debug_assert_eq!(round, self.rounds.round, "a rank is one round ahead at most");
            self.receive(exploration, from, &states);
        }
    }

    /// All ranks have told what the round came to, and decide alike what comes next.
    fn decide<S: RankStore>(&mut self, exploration: &mut Exploration<'a, M, S>, mail: &mut Mail, all: Tally) {
        let stage = self.stage.take().expect("a stage is under way");
        let stage = match stage {
            Stage::Agreeing(_) if all.yes > 0 => None,
            Stage::Agreeing(_) => {
                self.is_partial = all.partial > 0;
                if self.is_partial {
                    // A cycle through states that nobody has visited could not be told.
                    self.local = None;
                }
                let states = exploration.share.visited.with_prefix(Prefix::ANY);
                self.table = StateTable::new(states);
                if all.count > 0 {
                    // Halted without a fault: somebody has a suspect.
                    self.marked = self.table.len();
                    self.choose(exploration);
                    Some(Stage::Choosing)
                } else {
                    Some(self.first_stage(exploration, mail))
                }
            }
            Stage::Gathering(ends) if all.sent > 0 => Some(Stage::Gathering(ends)),
            // Where no run ends, no state has lost its way to an end.
            Stage::Gathering(_) if all.count == 0 => None,
            Stage::Gathering(mut ends) => {
                ends.turn_back();
                Some(Stage::Returning(ends))
            }
            Stage::Returning(ends) if all.sent > 0 => Some(Stage::Returning(ends)),
            Stage::Returning(ends) => {
                ends.keep_hopeless(&mut self.table);
                self.send_with(false, mail.ranks);
                Some(Stage::Dropping(Owcty::new(&self.table)))
            }
            Stage::Choosing if all.best == CycleId::NONE => None,
            Stage::Choosing => {
                self.counts.on_the_fly = true;
                let orders = self.orders(exploration, mail.rank);
                let chosen = self.chosen.take().filter(|&number| orders.id(&self.table, number) == all.best);
                if chosen.is_some() {
                    self.suspects.pop();
                }
                Some(self.circle(chosen, all.best, orders, mail.ranks))
            }
            Stage::NaiveNested(nested) if all.best != CycleId::NONE => {
                Some(self.circle(nested.found, all.best, nested.into_orders(), mail.ranks))
            }
            Stage::NaiveNested(nested) => (all.sent > 0).then_some(Stage::NaiveNested(nested)),
            Stage::ImprovedNested(nested) if all.best != CycleId::NONE => {
                Some(self.circle(nested.found, all.best, nested.into_orders(), mail.ranks))
            }
            Stage::ImprovedNested(mut nested) => {
                nested.turn_level();
                (all.count > 0).then_some(Stage::ImprovedNested(nested))
            }
            Stage::Dropping(owcty) if all.sent > 0 => Some(Stage::Dropping(owcty)),
            Stage::Dropping(mut owcty) => {
                let end = owcty.end_half(&mut self.table, all.count);
                self.counts.iterations = owcty.iterations;
                match end {
                    OwctyEnd::GoesOn => {
                        if all.yes > 0 {
                            self.to_save = Some((owcty.progress(), owcty.kept_states(&self.table)));
                        }
                        Some(Stage::Dropping(owcty))
                    }
                    OwctyEnd::Empty => None,
                    OwctyEnd::FixedPoint => {
                        drop(owcty);
                        self.table.retain_kept();
                        self.marked = self.table.len();
                        self.counts.left = u64::from(self.table.len());
                        let orders = self.orders(exploration, mail.rank);
                        self.send_with(true, mail.ranks);
                        Some(Stage::Propagating(Propagation::new(&self.table, orders)))
                    }
                }
            }
            Stage::Propagating(propagation) => {
                // Any state on a cycle will do, but in a predictable search it has to be the same one always.
                let is_found = all.best != CycleId::NONE && !self.is_predictable;
                if all.sent > 0 && !is_found {
                    Some(Stage::Propagating(propagation))
                } else {
                    assert!(all.best != CycleId::NONE, "what OWCTY leaves has an accepting cycle");
                    let found = propagation.find(&self.table, all.best);
                    Some(self.circle(found, all.best, propagation.into_orders(), mail.ranks))
                }
            }
            Stage::Circling(circle) if all.yes > 0 => {
                self.stage = Some(Stage::Retracing(circle, BTreeMap::new()));
                self.begin_retracing(exploration, mail);
                return;
            }
            // The suspect was none: its fingerprint is that of another state.
            Stage::Circling(_) if all.count == 0 => {
                assert!(self.counts.on_the_fly, "a state that leads to itself lies on a cycle");
                self.choose(exploration);
                Some(Stage::Choosing)
            }
            Stage::Circling(mut circle) => {
                circle.turn_level();
                Some(Stage::Circling(circle))
            }
            Stage::Retracing(..) => unreachable!("the way back has no rounds"),
        };
        self.is_concluded = stage.is_none();
        self.stage = stage;
    }

    /// What is done first with the states that were explored, all of them.
    fn first_stage<S: RankStore>(&mut self, exploration: &Exploration<'a, M, S>, mail: &Mail) -> Stage {
        if self.resumed.is_none() {
            // Whatever exploring took is not to be lost.
            self.to_save = Some((CycleProgress { drops: false, kept: None, iterations: 1 }, Vec::new()));
        }
        let is_kept_known = self.resumed.as_ref().is_some_and(|(progress, _)| progress.kept.is_some());
        if self.of_ends {
            // Who leads to whom is asked of all steps, one by one.
            self.local = None;
        }
        if self.of_ends && !is_kept_known {
            self.send_with(true, mail.ranks);
            return Stage::Gathering(Ends::new(&self.table, mail.rank, mail.ranks));
        }
        let method = if self.of_ends { CycleMethod::Owcty } else { self.method };
        self.send_with(method != CycleMethod::Owcty, mail.ranks);
        let table = &self.table;
        match method {
            CycleMethod::Owcty => {
                let owcty = match self.resumed.take() {
                    Some((progress, kept)) => Owcty::resumed(&mut self.table, progress, &kept),
                    None => Owcty::new(table),
                };
                self.counts.iterations = owcty.iterations;
                Stage::Dropping(owcty)
            }
            CycleMethod::NaiveNested => Stage::NaiveNested(NaiveNested::new(self.orders(exploration, mail.rank))),
            CycleMethod::ImprovedNested => {
                let initial = exploration.share.visited.initial_states().filter_map(|state| table.number(state));
                let orders = self.orders(exploration, mail.rank);
                Stage::ImprovedNested(ImprovedNested::new(table, orders, initial))
            }
            CycleMethod::BoundedNested => unreachable!("a rank does that by itself, while it explores"),
        }
    }

    /// Looks for the cycle that begins with a state, which one rank has found.
    fn circle(&mut self, found: Option<u32>, best: CycleId, orders: Orders, ranks: Rank) -> Stage {
        self.send_with(true, ranks);
        // Every state on the way is to remember where it was reached from.
        self.local = None;
        let begin = found.filter(|&number| orders.id(&self.table, number) == best);
        Stage::Circling(Circle::new(&self.table, orders, begin))
    }

    /// Begins to send states with or without a load. All ranks do so between the same rounds.
    fn send_with(&mut self, has_load: bool, ranks: Rank) {
        self.traffic.add(&self.outbox.traffic);
        self.format.places = has_load;
        self.outbox = Outbox::new(ranks, self.model.width(), self.format, 0, None);
        self.arrivals.fill_with(Arrivals::default);
    }

    /// The order of the states of the table.
    fn orders<S: RankStore>(&self, exploration: &Exploration<'a, M, S>, rank: Rank) -> Orders {
        let ranking = exploration.share.ranking.as_ref();
        let of_search = ranking.map(|ranking| {
            let mut orders = vec![0; self.table.len() as usize];
            ranking.for_each(|state, level, position| {
                assert!(level < 1 << (64 - POSITION_BITS) && position < 1 << POSITION_BITS, "a search of this size");
                if let Some(number) = self.table.number(state) {
                    orders[number as usize] = u64::MAX - (level << POSITION_BITS | position);
                }
            });
            orders
        });
        Orders { rank, of_search }
    }

    /// Chooses the suspect of this rank that is to be looked at next.
    fn choose<S: RankStore>(&mut self, exploration: &mut Exploration<'a, M, S>) {
        self.chosen = None;
        while let (None, Some(suspect)) = (self.chosen, self.suspects.last()) {
            let visited = &mut exploration.share.visited;
            let pending = visited.session.prepare(suspect);
            let found = look_up(visited, pending, suspect, true);
            self.chosen = found.and_then(|state| self.table.number(state));
            if self.chosen.is_none() {
                self.suspects.pop();
            }
        }
    }

    /// Asks for the last step of the cycle, where it begins here.
    fn begin_retracing<S: RankStore>(&mut self, exploration: &mut Exploration<'a, M, S>, mail: &mut Mail) {
        let Some(Stage::Retracing(circle, _)) = &self.stage else { return };
        let Some(begin) = circle.begin() else { return };
        let (rank, number) = circle.origin(begin);
        let target = exploration.words_of(self.table.state(begin));
        self.ask_step(mail, rank, (number, 0, mail.rank), &target);
    }

    fn ask_step(&self, mail: &mut Mail, to: Rank, (number, step, home): (u32, u64, Rank), target: &[Word]) {
        let target = pack_one(self.model, target);
        let message = CycleMessage::Retrace { number, step, home, target: &target }.encode();
        mail.send(to, &Message::Cycle(&message));
    }

    /// Says by which step a state of this rank leads to another, and asks for the step before.
    fn retrace<S: RankStore>(
        &mut self,
        exploration: &mut Exploration<'a, M, S>,
        mail: &mut Mail,
        (number, step, home): (u32, u64, Rank),
        target: &[Word],
    ) {
        let words = exploration.words_of(self.table.state(number));
        let out = exploration.expander.successors_of(&words);
        let leads_there = |&at: &usize| out.leads_on(at) && out.state(at) == target;
        let action = (0..out.len()).filter(leads_there).map(|at| out.action(at)).min();
        let action = action.expect("the states of a cycle are neighbours");
        // Where the cycle ends is not known yet where its last round has just ended here; its states are.
        let circle = match &self.stage {
            Some(Stage::Retracing(circle, _) | Stage::Circling(circle)) => circle,
            _ => unreachable!("asked for when the cycle is closed"),
        };
        let is_first = home == mail.rank && circle.begin() == Some(number);
        let message = CycleMessage::Retraced { step, action, is_first }.encode();
        mail.send(home, &Message::Cycle(&message));
        if !is_first {
            let (rank, origin) = circle.origin(number);
            self.ask_step(mail, rank, (origin, step + 1, home), &words);
        }
        exploration.quiesce();
    }

    /// Takes a step of the cycle. Once all are there, everybody is told.
    fn take_step<S: RankStore>(
        &mut self,
        exploration: &mut Exploration<'a, M, S>,
        mail: &mut Mail,
        (step, action): (u64, Action),
        is_first: bool,
    ) {
        let Some(Stage::Retracing(circle, steps)) = &mut self.stage else { return };
        steps.insert(step, action);
        // The first step of the cycle has the greatest number, and may come before others.
        if is_first {
            steps.insert(step + 1, Action(u64::MAX));
        }
        let is_complete = steps
            .last_key_value()
            .is_some_and(|(&last, &action)| action == Action(u64::MAX) && steps.len() as u64 == last + 1);
        if !is_complete {
            return;
        }
        let cycle: Vec<Action> = steps.values().rev().skip(1).copied().collect();
        let state = self.table.state(circle.begin().expect("the cycle begins here"));
        let place = place_of(exploration, state);
        exploration.discoveries.note(Discovery { fault: self.fault.clone(), place, steps: Vec::new(), cycle });
        mail.broadcast(&Message::Cycle(&CycleMessage::Concluded.encode()));
        self.is_concluded = true;
    }
}

/// In the order of states, what is below the level.
const POSITION_BITS: u32 = 36;

/// States that are marked in a turn.
const MARKED_PER_TURN: u32 = 1024;

/// Steps between states of this rank, gathered so that they are looked up together.
struct OwnSteps<'a, S: RankStore + 'a> {
    words: Vec<Word>,
    pending: Vec<crate::visited::Pending<'a, S>>,
    loads: Vec<Load>,
}

/// A state, if it was visited.
fn look_up<'a, S: RankStore>(
    visited: &mut Visited<'a, S>,
    pending: crate::visited::Pending<'a, S>,
    state: &[Word],
    is_partial: bool,
) -> Option<StateRef> {
    if is_partial && !visited.session.contains(pending, state) {
        return None;
    }
    match visited.session.commit(pending, state, None) {
        Inserted::Known(state) => Some(state),
        Inserted::New(_) => unreachable!("all states that steps lead to were visited"),
    }
}

/// Where a state is, for whoever looks for the way to it.
fn place_of<M: Distributable, S: RankStore>(exploration: &Exploration<M, S>, state: StateRef) -> FaultPlace {
    let placed = exploration.share.ranking.as_ref().and_then(|ranking| ranking.place_of(state));
    placed.unwrap_or(FaultPlace::State { state, distance: None })
}
