//! A rank's part in rebuilding trails: the first rank pursues a [`Quest`] and asks; all ranks answer from their states.

use crate::exploration::Exploration;
use crate::mail::Mail;
use crate::message::Message;
use crate::near_states::NearStates;
use crate::parcel::{Packer, unpack_single};
use crate::passage::Arrivals;
use crate::quest::Quest;
use crate::report::{Report, Summary};
use crate::{Distributable, RankStore};
use dampf_core::{Action, Word};
use dampf_net::Rank;
use dampf_search::{Expander, SearchOptions};
use dampf_store::{Prefix, StateRef};

pub(crate) struct Trails<'a, M: Distributable> {
    model: &'a M,
    /// How many steps there may be between a state and its parent.
    steps_max: u32,
    options: &'a SearchOptions,
    /// States whose parents are looked for: this rank tells all the same about their parts, in the same order.
    sought: Packer,
    sought_arrivals: Vec<Arrivals>,
    /// The states that still waited when the search ended, once they were asked for.
    unexplored: Option<Vec<StateRef>>,
    /// The first rank's: the reports of all.
    reports: Vec<Option<Report>>,
    quest: Option<Quest>,
}

impl<'a, M: Distributable> Trails<'a, M> {
    pub fn new(model: &'a M, ranks: Rank, steps_max: u32, options: &'a SearchOptions) -> Self {
        Trails {
            model,
            steps_max,
            options,
            sought: Packer::of_single(model),
            sought_arrivals: (0..ranks).map(|_| Arrivals::default()).collect(),
            unexplored: None,
            reports: (0..ranks).map(|_| None).collect(),
            quest: None,
        }
    }

    /// The first rank's: a rank has reported. When all have, the quest begins.
    pub fn take_report(&mut self, mail: &mut Mail, from: Rank, report: Report, first_only: bool) -> Option<Summary> {
        self.reports[from as usize] = Some(report);
        if !self.reports.iter().all(Option::is_some) {
            return None;
        }
        let reports: Vec<Report> = self.reports.iter_mut().filter_map(Option::take).collect();
        self.quest = Some(Quest::new(reports, first_only));
        self.pursue(mail, |_| ())
    }

    /// Tells the quest something, and does what it asks for then. Only the first rank has a quest. Returns the result
    /// once all trails are known.
    pub fn pursue(&mut self, mail: &mut Mail, tell: impl FnOnce(&mut Quest)) -> Option<Summary> {
        let quest = self.quest.as_mut()?;
        tell(quest);
        if quest.wants_near_states() {
            quest.take_near_states(NearStates::of(self.model));
        }
        while let Some((to, request)) = quest.next_request() {
            mail.send_encoded(to, request);
        }
        let quest = self.quest.take_if(|quest| quest.is_done())?;
        Some(quest.into_summary(self.model, self.options))
    }

    /// Lets all ranks look for the parents of a state of this rank.
    pub fn answer_ask<S: RankStore>(
        &mut self,
        exploration: &mut Exploration<'a, M, S>,
        mail: &mut Mail,
        question: u64,
        state: StateRef,
    ) {
        if let Some(initial) = exploration.share.visited.initial_number(state) {
            mail.send(0, &Message::IsInitial { question, initial });
            return;
        }
        let prefix = exploration.share.visited.parent_prefix(state);
        let state = self.sought.pack_single(self.model, &exploration.words_of(state));
        for rank in 0..mail.ranks {
            mail.send(rank, &Message::Seek { question, prefix, state: &state });
        }
    }

    /// The state that another rank looks for the parents of.
    pub fn read_sought(&mut self, from: Rank, state: &[u8]) -> Vec<Word> {
        let arrivals = &mut self.sought_arrivals[from as usize];
        unpack_single(self.model, arrivals, state).expect("a state from another rank can be read")
    }

    /// Tries this rank's states.
    pub fn answer_seek<S: RankStore>(
        &mut self,
        exploration: &mut Exploration<'a, M, S>,
        mail: &mut Mail,
        (question, prefix): (u64, Prefix),
        target: &[Word],
    ) {
        let unexplored = self.unexplored.get_or_insert_with(|| exploration.share.frontier.unexplored());
        let mut candidates = exploration.share.visited.with_prefix(prefix);
        candidates.retain(|candidate| unexplored.binary_search(candidate).is_err());
        let tried = candidates.len() as u64;
        let mut parents = Vec::new();
        let mut words = vec![0; self.model.width()];
        for candidate in candidates {
            exploration.share.visited.load(candidate, &mut words);
            let path = self.path_between(&mut exploration.expander, &words, target);
            parents.extend(path.map(|actions| (candidate, actions)));
        }
        exploration.quiesce();
        mail.send(0, &Message::Found { question, tried, parents });
    }

    /// Says which step leaves the state at a position of a level, if that is here.
    pub fn answer_where<S: RankStore>(
        &mut self,
        exploration: &mut Exploration<'a, M, S>,
        mail: &mut Mail,
        (level, position): (u64, u64),
        step: u32,
    ) {
        let ranking = exploration.share.ranking.as_ref();
        let Some((state, place)) = ranking.and_then(|ranking| ranking.whence(level, position)) else { return };
        let words = exploration.words_of(state);
        let action = exploration.expander.successors_of(&words).action(step as usize);
        mail.send(0, &Message::Whence { action, level, origin: place.unwrap_or((position, 0)) });
    }

    /// The steps that lead from a state to another: one, or as many as a local search goes.
    fn path_between(&self, expander: &mut Expander<'a, M>, from: &[Word], target: &[Word]) -> Option<Vec<Action>> {
        let mut frontier: Vec<(Vec<Word>, Vec<Action>)> = vec![(from.to_vec(), Vec::new())];
        for _ in 0..self.steps_max {
            let mut next = Vec::new();
            for (words, path) in &frontier {
                let out = expander.successors_of(words);
                for step in (0..out.len()).filter(|&step| out.leads_on(step)) {
                    let extended = || path.iter().copied().chain([out.action(step)]).collect();
                    if out.state(step) == target {
                        return Some(extended());
                    }
                    if self.steps_max > 1 {
                        next.push((out.state(step).to_vec(), extended()));
                    }
                }
            }
            frontier = next;
        }
        None
    }
}
