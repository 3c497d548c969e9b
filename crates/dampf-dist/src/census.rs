//! Counting states that may lie on several ranks.
//!
//! Where the depth at which a state is found decides who explores it, a state that is found at two depths is stored and
//! explored twice. The search is complete all the same, but its counts are too high. So in the end every rank sends its states to
//! their homes, by a hash of the whole state; there each is counted once, and what was explored again is taken off.

use crate::Distributable;
use crate::message::Message;
use crate::node::{BATCH, Node, Phase};
use crate::outbox::Outbox;
use crate::parcel::{Companion, Format, unpack};
use crate::passage::Arrivals;
use dampf_core::{Successors, Word, Worker};
use dampf_net::{Rank, Transport, Turn};
use dampf_store::{ByPrefix, Inserted, Prefix, Retrieve, Session, StateRef, Store, TreeStore};

/// States that are sent in one turn.
const STATES_PER_TURN: usize = 1024;

pub(crate) struct Census {
    /// This rank's states that were not sent yet.
    left: Vec<StateRef>,
    has_told: bool,
    outbox: Outbox,
    arrivals: Vec<Arrivals>,
    /// The states that are at home here.
    home: TreeStore,
    distinct: u64,
    /// States that were here before, and their steps.
    repeated: u64,
    repeated_steps: u64,
    /// The steps of all states, where they have to be counted anew: in a resumed search, what was counted before includes states
    /// that lay on several ranks then.
    steps: Option<u64>,
    /// Ranks that have not sent everything yet.
    awaited: Rank,
}

impl<M: Distributable> Node<'_, M> {
    fn census_format(&self) -> Format {
        Format { depths: false, labels: false, places: false, positions: false, ..self.format }
    }

    pub(crate) fn begin_census(&mut self) {
        let mut left = Vec::new();
        self.store.for_each_with(Prefix::ANY, &mut |state| {
            left.push(state);
            true
        });
        self.ready_census().left = left;
        self.phase = Phase::Counting;
    }

    /// The census, which others may have begun before this rank.
    fn ready_census(&mut self) -> &mut Census {
        let (ranks, width, format) = (self.ranks, self.model.width(), self.census_format());
        let steps = self.is_resumed().then_some(0);
        let author = self.outbox.library.clone();
        let library = self.settings.library.as_ref().filter(|_| author.is_some());
        self.census.get_or_insert_with(|| Census {
            left: Vec::new(),
            has_told: false,
            outbox: Outbox::new(ranks, width, format, 0, author),
            arrivals: (0..ranks).map(|from| Arrivals::from_rank(from, library)).collect(),
            home: TreeStore::new(width),
            distinct: 0,
            repeated: 0,
            repeated_steps: 0,
            steps,
            awaited: ranks,
        })
    }

    /// Sends some of the states home.
    pub(crate) fn count(&mut self, network: &mut impl Transport) -> Turn {
        let mut census = self.census.take().expect("the census has begun");
        let from = census.left.len().saturating_sub(STATES_PER_TURN);
        let mut words = vec![0; self.model.width()];
        let mut own = Vec::new();
        for state in census.left.split_off(from) {
            TreeStore::load(&mut self.session, state, &mut words);
            let home = self.partitioner.home(&words);
            if home == self.rank {
                own.extend_from_slice(&words);
            } else if census.outbox.push(self.model, home, &words, &Companion::default()) {
                let states = census.outbox.take_full(home);
                network.send(home, Message::Census(&states).encode());
            }
        }
        self.count_states(&mut census, &own);
        let is_over = census.left.is_empty() && !census.has_told;
        if is_over {
            census.has_told = true;
            for home in 0..self.ranks {
                let states = census.outbox.take_early(home, true);
                states.iter().for_each(|states| network.send(home, Message::Census(states).encode()));
            }
            census.awaited -= 1;
        }
        let worked = is_over || !census.left.is_empty();
        self.census = Some(census);
        if is_over {
            self.broadcast(network, &Message::CensusEnd);
            self.end_census(network);
        }
        if worked { Turn::Worked { work: 1 } } else { Turn::Idle }
    }

    pub(crate) fn take_census(&mut self, from: Rank, states: &[u8]) {
        self.ready_census();
        let mut census = self.census.take().expect("it was made ready");
        let mut arrivals = std::mem::take(&mut census.arrivals[from as usize]);
        let mut words = vec![0; self.model.width()];
        let (model, format) = (self.model, self.census_format());
        let mut arrived = Vec::new();
        let read =
            unpack(model, format, &mut arrivals, states, &mut words, |state, _| arrived.extend_from_slice(state));
        self.check_read(read, &arrivals);
        self.count_states(&mut census, &arrived);
        census.arrivals[from as usize] = arrivals;
        self.census = Some(census);
    }

    /// Counts states that are at home here, one after the other in `states`.
    fn count_states(&mut self, census: &mut Census, states: &[Word]) {
        let width = self.model.width();
        let mut session = census.home.session();
        let (mut pending, mut out) = (Vec::new(), Successors::new(width));
        for batch in states.chunks(width * BATCH) {
            pending.clear();
            session.prepare_neighbours(width, batch, &mut pending);
            for (state, &hash) in batch.chunks_exact(width).zip(&pending) {
                let is_new = matches!(session.commit(hash, state, None), Inserted::New(_));
                census.distinct += u64::from(is_new);
                census.repeated += u64::from(!is_new);
                if is_new && census.steps.is_none() {
                    continue;
                }
                self.worker.successors(state, &mut out);
                match &mut census.steps {
                    Some(steps) if is_new => *steps += out.len() as u64,
                    Some(_) => {}
                    None => census.repeated_steps += out.len() as u64,
                }
            }
        }
        // Tables that were outgrown are given back when a thread has a single session, and says so.
        drop(session);
        self.session.quiesce();
    }

    pub(crate) fn take_census_end(&mut self, network: &mut impl Transport, _: Rank) {
        self.ready_census().awaited -= 1;
        self.end_census(network);
    }

    fn end_census(&mut self, network: &mut impl Transport) {
        let Some(census) = self.census.take_if(|census| census.awaited == 0) else { return };
        self.statistics.states = census.distinct;
        // May wrap here; the sum over all ranks is right.
        let explored = self.statistics.transitions.wrapping_sub(census.repeated_steps);
        self.statistics.transitions = census.steps.unwrap_or(explored);
        self.redundant += census.repeated;
        self.report(network);
    }
}
