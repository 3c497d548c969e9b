//! When a simulation phase is over and planning is asked for again: `evaluateCriterion` of figure 5.4.

/// How many agents have to be idle.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum IdleAgents {
    /// As many as when the phase began: the criterion of the thesis.
    AsBefore,
    /// One more than at some moment of the phase: somebody has come to the end of a job.
    OneMore,
    /// So many.
    AtLeast(usize),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Criterion {
    /// Parallel steps that a phase takes at least, and at most.
    pub steps_min: u64,
    pub steps_max: u64,
    pub idle: IdleAgents,
}

/// A simulation phase, as the criterion sees it.
#[derive(Clone, Copy, Debug)]
pub struct SimulationPhase {
    criterion: Criterion,
    steps: u64,
    /// Idle agents when it began, and the fewest since the first step.
    idle_before: usize,
    idle_least: Option<usize>,
}

impl SimulationPhase {
    pub fn new(criterion: Criterion, idle: usize) -> SimulationPhase {
        SimulationPhase { criterion, steps: 0, idle_before: idle, idle_least: None }
    }

    /// Parallel steps so far.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Takes note of a parallel step behind which so many agents are idle; whether the phase is over.
    pub fn is_over_after_step(&mut self, idle: usize) -> bool {
        self.steps += 1;
        let Criterion { steps_min, steps_max, idle: asked } = self.criterion;
        let least = self.idle_least.unwrap_or(idle);
        self.idle_least = Some(least.min(idle));
        let is_asked = match asked {
            IdleAgents::AsBefore => idle > 0 && idle >= self.idle_before,
            IdleAgents::OneMore => idle > least,
            IdleAgents::AtLeast(count) => idle >= count,
        };
        self.steps >= steps_max || self.steps >= steps_min && is_asked
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// After how many steps a phase is over that begins with some idle agents, by how many are idle after each.
    fn length(idle: IdleAgents, begins: usize, then: &[usize]) -> Option<usize> {
        let mut phase = SimulationPhase::new(Criterion { steps_min: 2, steps_max: 6, idle }, begins);
        then.iter().position(|&idle| phase.is_over_after_step(idle)).map(|at| at + 1)
    }

    #[test]
    fn phases_end_when_agents_are_idle_within_bounds() {
        assert_eq!(length(IdleAgents::AsBefore, 2, &[2, 1, 1, 2]), Some(4));
        assert_eq!(length(IdleAgents::AsBefore, 0, &[0, 0, 0, 1]), Some(4));
        assert_eq!(length(IdleAgents::OneMore, 5, &[2, 1, 1, 2]), Some(4));
        assert_eq!(length(IdleAgents::OneMore, 5, &[2, 2, 2]), None);
        assert_eq!(length(IdleAgents::AtLeast(3), 5, &[4, 3]), Some(2));
        assert_eq!(length(IdleAgents::AtLeast(3), 5, &[0; 8]), Some(6));
    }
}
