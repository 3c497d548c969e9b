//! Counting states that may lie on several ranks.
//!
//! Where the depth at which a state is found decides who explores it, a state that is found at two depths is stored and
//! explored twice. The search is complete all the same, but its counts are too high. So in the end every rank sends its
//! states to their homes, by a hash of the whole state; there each is counted once, and what was explored again is
//! taken off.

use crate::delivery::check_read;
use crate::exploration::Exploration;
use crate::mail::Mail;
use crate::message::Message;
use crate::outbox::Outbox;
use crate::parcel::{Companion, Format, unpack};
use crate::passage::Arrivals;
use crate::{Distributable, RankSettings, RankStore};
use dampf_core::Word;
use dampf_net::Rank;
use dampf_search::expand::BATCH;
use dampf_store::{Inserted, Prefix, Session, StateRef, Store, TreeStore};

/// States that are sent in one turn.
const STATES_PER_TURN: usize = 1024;

pub(crate) struct Census {
    format: Format,
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
    /// The steps of all states, where they have to be counted anew: in a resumed search, what was counted before
    /// includes states that lay on several ranks then.
    steps: Option<u64>,
    /// Ranks that have not sent everything yet.
    awaited: Rank,
}

impl Census {
    /// A census that others may have begun before this rank.
    pub fn new<M: Distributable, S: RankStore>(
        exploration: &Exploration<'_, M, S>,
        settings: &RankSettings,
        is_resumed: bool,
    ) -> Census {
        let delivery = &exploration.share.delivery;
        let (ranks, width) = (delivery.ranks, exploration.model.width());
        let format = Format {
            depths: false,
            labels: false,
            places: false,
            positions: false,
            accepting: false,
            ..delivery.format
        };
        let author = delivery.outbox.library.clone();
        let library = settings.library.as_ref().filter(|_| author.is_some());
        Census {
            format,
            left: Vec::new(),
            has_told: false,
            outbox: Outbox::new(ranks, width, format, 0, author),
            arrivals: (0..ranks).map(|from| Arrivals::from_rank(from, library)).collect(),
            home: TreeStore::new(width),
            distinct: 0,
            repeated: 0,
            repeated_steps: 0,
            steps: is_resumed.then_some(0),
            awaited: ranks,
        }
    }

    /// This rank's states are to be sent.
    pub fn begin<M: Distributable, S: RankStore>(&mut self, exploration: &Exploration<'_, M, S>) {
        self.left = exploration.share.visited.with_prefix(Prefix::ANY);
    }

    /// Sends some of the states home; false where all were sent before.
    pub fn send_some<M: Distributable, S: RankStore>(
        &mut self,
        exploration: &mut Exploration<'_, M, S>,
        mail: &mut Mail,
    ) -> bool {
        if self.has_told {
            return false;
        }
        let from = self.left.len().saturating_sub(STATES_PER_TURN);
        let mut words = vec![0; exploration.model.width()];
        let mut own = Vec::new();
        for state in self.left.split_off(from) {
            exploration.share.visited.load(state, &mut words);
            let home = exploration.share.delivery.partitioner.home(&words);
            if home == mail.rank {
                own.extend_from_slice(&words);
            } else if self.outbox.push(exploration.model, home, &words, &Companion::default()) {
                let states = self.outbox.take_full(home);
                mail.send(home, &Message::Census(&states));
            }
        }
        self.count(exploration, &own);
        if self.left.is_empty() {
            self.has_told = true;
            for home in 0..mail.ranks {
                let states = self.outbox.take_early(home, true);
                states.iter().for_each(|states| mail.send(home, &Message::Census(states)));
            }
            self.awaited -= 1;
            mail.broadcast(&Message::CensusEnd);
        }
        true
    }

    /// Takes states in that are at home here.
    pub fn take<M: Distributable, S: RankStore>(
        &mut self,
        exploration: &mut Exploration<'_, M, S>,
        from: Rank,
        states: &[u8],
    ) {
        let mut words = vec![0; exploration.model.width()];
        let mut arrived = Vec::new();
        let arrivals = &mut self.arrivals[from as usize];
        let visit = |state: &[Word], _| arrived.extend_from_slice(state);
        let read = unpack(exploration.model, self.format, arrivals, states, &mut words, visit);
        exploration.share.delivery.note_unreadable(check_read(read, arrivals));
        self.count(exploration, &arrived);
    }

    /// Counts states that are at home here, one after the other in `states`.
    fn count<M: Distributable, S: RankStore>(&mut self, exploration: &mut Exploration<'_, M, S>, states: &[Word]) {
        let width = exploration.model.width();
        let mut session = self.home.session();
        let mut pending = Vec::new();
        for batch in states.chunks(width * BATCH) {
            pending.clear();
            session.prepare_neighbours(width, batch, &mut pending);
            for (state, &pending) in batch.chunks_exact(width).zip(&pending) {
                let is_new = matches!(session.commit(pending, state, None), Inserted::New(_));
                self.distinct += u64::from(is_new);
                self.repeated += u64::from(!is_new);
                if is_new && self.steps.is_none() {
                    continue;
                }
                let of_state = exploration.expander.successors_of(state).len() as u64;
                match &mut self.steps {
                    Some(steps) if is_new => *steps += of_state,
                    Some(_) => {}
                    None => self.repeated_steps += of_state,
                }
            }
        }
        // Tables that were outgrown are given back when a thread has a single session, and says so.
        drop(session);
        exploration.quiesce();
    }

    /// Another rank has sent everything.
    pub fn take_end(&mut self) {
        self.awaited -= 1;
    }

    pub fn is_complete(&self) -> bool {
        self.awaited == 0
    }

    /// Corrects what was counted.
    pub fn conclude<M: Distributable, S: RankStore>(self, exploration: &mut Exploration<'_, M, S>) {
        exploration.share.visited.states = self.distinct;
        // May wrap here; the sum over all ranks is right.
        let explored = exploration.transitions.wrapping_sub(self.repeated_steps);
        exploration.transitions = self.steps.unwrap_or(explored);
        exploration.redundant += self.repeated;
    }
}
