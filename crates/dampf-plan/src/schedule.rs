//! What the agents did when, in parallel steps.

use dampf_core::{Activity, Agent, Word};

/// A time in which an agent was busy: from behind one parallel step to behind another.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BusyInterval {
    pub from: u64,
    pub to: u64,
    /// What its suggestions were when it became busy: what it did.
    pub suggestions: Vec<Word>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AgentSchedule {
    pub mover: usize,
    pub name: String,
    /// When it was there for the first time, and when no longer.
    pub from: u64,
    pub to: u64,
    /// In the order of time.
    pub intervals: Vec<BusyInterval>,
    /// Whether the last interval is not over, and whether the agent is there.
    is_busy: bool,
    is_there: bool,
}

/// What all agents did, in the order in which they came.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Schedule {
    pub agents: Vec<AgentSchedule>,
}

impl Schedule {
    /// Takes note of the agents behind so many parallel steps; `name` is asked for those that are new.
    pub fn note(&mut self, time: u64, agents: &[Agent], mut name: impl FnMut(usize) -> String) {
        for known in self.agents.iter_mut().filter(|known| known.is_there) {
            if !agents.iter().any(|agent| agent.mover == known.mover) {
                known.rest(time);
                (known.is_there, known.to) = (false, time);
            }
        }
        for agent in agents {
            let known = self.agents.iter().position(|known| known.is_there && known.mover == agent.mover);
            let at = known.unwrap_or_else(|| {
                self.agents.push(AgentSchedule {
                    mover: agent.mover,
                    name: name(agent.mover),
                    from: time,
                    to: time,
                    intervals: Vec::new(),
                    is_busy: false,
                    is_there: true,
                });
                self.agents.len() - 1
            });
            let known = &mut self.agents[at];
            known.to = time;
            match agent.activity {
                Activity::Idle => known.rest(time),
                Activity::Busy => known.work(time, agent.suggestions.iter().map(|advice| advice.value).collect()),
            }
        }
    }

    /// When the last agent came to the end of what it did.
    pub fn makespan(&self) -> u64 {
        self.agents.iter().flat_map(|agent| &agent.intervals).map(|interval| interval.to).max().unwrap_or(0)
    }

    /// Agents times steps, and how many of these the agents were busy for.
    pub fn agent_steps(&self) -> (u64, u64) {
        let there = self.agents.iter().map(|agent| agent.to - agent.from).sum();
        let busy = self.agents.iter().flat_map(|agent| &agent.intervals).map(|interval| interval.to - interval.from);
        (there, busy.sum())
    }
}

impl AgentSchedule {
    fn work(&mut self, time: u64, suggestions: Vec<Word>) {
        match self.intervals.last_mut() {
            Some(last) if self.is_busy && last.suggestions == suggestions => last.to = time,
            _ => {
                self.rest(time);
                self.intervals.push(BusyInterval { from: time, to: time, suggestions });
                self.is_busy = true;
            }
        }
    }

    fn rest(&mut self, time: u64) {
        if std::mem::replace(&mut self.is_busy, false)
            && let Some(last) = self.intervals.last_mut()
        {
            last.to = time;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dampf_core::Suggestion;

    fn agent(mover: usize, job: Option<Word>) -> Agent {
        let activity = if job.is_some() { Activity::Busy } else { Activity::Idle };
        Agent { mover, activity, suggestions: vec![Suggestion { place: 8, value: job.unwrap_or(0) }] }
    }

    #[test]
    fn intervals_begin_and_end_with_work() {
        let mut schedule = Schedule::default();
        let states: [&[Agent]; 6] = [
            &[agent(1, None), agent(2, None)],
            &[agent(1, Some(7)), agent(2, None)],
            &[agent(1, Some(7)), agent(2, Some(8))],
            &[agent(1, Some(9)), agent(2, None)],
            &[agent(1, Some(9))],
            &[],
        ];
        for (time, agents) in states.into_iter().enumerate() {
            schedule.note(time as u64, agents, |mover| format!("agent {mover}"));
        }
        let told = |agent: &AgentSchedule| -> Vec<(u64, u64, Word)> {
            agent.intervals.iter().map(|busy| (busy.from, busy.to, busy.suggestions[0])).collect()
        };
        assert_eq!(told(&schedule.agents[0]), [(1, 3, 7), (3, 5, 9)]);
        assert_eq!(told(&schedule.agents[1]), [(2, 3, 8)]);
        assert_eq!((schedule.agents[0].to, schedule.agents[1].to), (5, 4));
        assert_eq!((schedule.makespan(), schedule.agent_steps()), (5, (9, 5)));
    }
}
