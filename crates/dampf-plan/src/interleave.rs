//! Planning and simulation in turns: procedure *Interleave* of figure 5.4.
//!
//! Time begins when the first agent is there: until then the program makes itself ready. Each phase of planning begins
//! in the state in which the simulation was left, looks for the best state within its limits, and writes the
//! suggestions of that state into the one that the simulation goes on with. Nothing else of the target is used: the
//! agents get there by themselves, or do not.

use crate::Interruption;
use crate::criterion::{Criterion, SimulationPhase};
use crate::dominance::Dominance;
use crate::lookahead::Pruning;
use crate::planning::{Planned, PlanningEnd, PlanningSettings, plan};
use crate::schedule::Schedule;
use crate::simulation::{RunEnd, Simulation};
use dampf_core::{Activity, Agent, Agents, FaultSelection, Observations, Suggestion, Word};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

#[derive(Clone, Debug)]
pub struct RunSettings {
    pub seed: u64,
    /// None for simulation alone.
    pub planning: Option<PlanningSettings>,
    pub criterion: Criterion,
    /// Parallel steps after which a run is given up.
    pub steps_max: u64,
    /// Which faults end a run, and whether a standstill is one.
    pub faults: FaultSelection,
    pub deadlocks: bool,
    pub interrupted: Option<&'static AtomicBool>,
}

/// A phase of planning, as reports tell it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlanningPhase {
    /// Parallel steps before it.
    pub step: u64,
    pub idle_agents: usize,
    /// How many steps of agents lead to its target.
    pub planned_steps: usize,
    pub value_before: i64,
    pub value_planned: i64,
    pub states: u64,
    pub depth: u32,
    pub end: PlanningEnd,
    pub time: Duration,
}

/// A run of a program with agents.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Run {
    pub seed: u64,
    /// Parallel steps from when the first agent was there until the last was gone.
    pub steps: u64,
    pub end: RunEnd,
    pub phases: Vec<PlanningPhase>,
    pub schedule: Schedule,
    pub dominance: Dominance,
    /// The value of the last state with agents.
    pub value: i64,
}

impl Run {
    pub fn planning_time(&self) -> Duration {
        self.phases.iter().map(|phase| phase.time).sum()
    }
}

/// Makes a run with phases of planning, or without.
pub fn interleave<M: Agents + Observations>(model: &M, settings: &RunSettings) -> Result<Run, Interruption> {
    let mut course = Course {
        model,
        settings,
        simulation: Simulation::new(model, settings.seed, settings.faults.clone(), settings.deadlocks)?,
        agents: Vec::new(),
        steps_taken: 0,
        run: Run {
            seed: settings.seed,
            steps: 0,
            end: RunEnd::Ended,
            phases: Vec::new(),
            schedule: Schedule::default(),
            dominance: Dominance::default(),
            value: 0,
        },
    };
    course.run.end = match course.wait_for_agents()? {
        Some(end) => end,
        None => course.take_turns()?,
    };
    Ok(course.run)
}

/// A run that is under way.
struct Course<'m, M: Agents + Observations> {
    model: &'m M,
    settings: &'m RunSettings,
    simulation: Simulation<'m, M>,
    /// Those of the current state.
    agents: Vec<Agent>,
    /// Parallel steps, those without agents included.
    steps_taken: u64,
    run: Run,
}

impl<M: Agents + Observations> Course<'_, M> {
    /// Lets the program run until it has agents; how the run has ended, if it has before.
    fn wait_for_agents(&mut self) -> Result<Option<RunEnd>, Interruption> {
        loop {
            self.look();
            if !self.agents.is_empty() {
                return Ok(None);
            }
            if let Some(end) = self.limit().map_or_else(|| self.simulation.step(), |end| Ok(Some(end)))? {
                return Ok(Some(end));
            }
            self.steps_taken += 1;
        }
    }

    fn take_turns(&mut self) -> Result<RunEnd, Interruption> {
        loop {
            let path_values = self.plan()?;
            if let Some(end) = self.simulate(&path_values)? {
                return Ok(end);
            }
        }
    }

    /// The planning phase: values along the planned path. Nothing is planned where nobody is idle.
    fn plan(&mut self) -> Result<Vec<i64>, Interruption> {
        let idle_agents = self.idle();
        let Some(settings) = self.settings.planning.as_ref().filter(|_| idle_agents > 0) else {
            return Ok(Vec::new());
        };
        let planned = plan(self.model, &self.simulation.state, Pruning::IdleAgents, settings)?;
        self.run.phases.push(PlanningPhase {
            step: self.run.steps,
            idle_agents,
            planned_steps: planned.steps(),
            value_before: planned.values[0],
            value_planned: planned.values[planned.steps()],
            states: planned.states,
            depth: planned.depth,
            end: planned.end,
            time: planned.time,
        });
        self.advise(&planned);
        let path_values = planned.values;
        self.compare(&path_values, 0);
        Ok(path_values)
    }

    /// Writes the suggestions of the target into the running system.
    fn advise(&mut self, planned: &Planned) {
        if planned.steps() == 0 {
            return;
        }
        let mut targeted = Vec::new();
        M::agents(&mut self.simulation.worker, planned.target(), &mut targeted);
        // Agents that have gone on the way to the target keep what they have.
        let advice: Vec<Suggestion> = targeted.into_iter().flat_map(|agent| agent.suggestions).collect();
        let mut advised: Vec<Word> = Vec::new();
        M::advise(&mut self.simulation.worker, &self.simulation.state, &advice, &mut advised);
        self.simulation.state = advised;
        self.look();
    }

    /// The simulation phase; how the run has ended, if it has.
    fn simulate(&mut self, path_values: &[i64]) -> Result<Option<RunEnd>, Interruption> {
        let mut phase = SimulationPhase::new(self.settings.criterion, self.idle());
        loop {
            if let Some(end) = self.limit() {
                return Ok(Some(end));
            }
            let had_agents = !self.agents.is_empty();
            let end = self.simulation.step()?;
            self.steps_taken += 1;
            self.run.steps += u64::from(had_agents);
            if matches!(end, Some(RunEnd::Ended)) {
                self.agents.clear();
                self.run.schedule.note(self.run.steps, &[], |_| String::new());
            } else {
                self.look();
            }
            let is_over = phase.is_over_after_step(self.idle());
            if !self.agents.is_empty() {
                self.compare(path_values, phase.steps());
            }
            if end.is_some() {
                return Ok(end);
            }
            if is_over {
                return Ok(None);
            }
        }
    }

    /// Looks at the agents of the current state.
    fn look(&mut self) {
        let Simulation { worker, state, .. } = &mut self.simulation;
        M::agents(worker, state, &mut self.agents);
        self.run.schedule.note(self.run.steps, &self.agents, |mover| M::agent_name(worker, state, mover));
    }

    fn idle(&self) -> usize {
        self.agents.iter().filter(|agent| agent.activity == Activity::Idle).count()
    }

    /// Compares the current state with the path that was planned.
    fn compare(&mut self, path_values: &[i64], steps: u64) {
        self.run.value = M::evaluation(&mut self.simulation.worker, &self.simulation.state);
        self.run.dominance.compare(path_values, steps, self.run.steps, self.run.value);
    }

    /// Why the run must not go on, if it must not.
    fn limit(&self) -> Option<RunEnd> {
        // ORDERING: Relaxed: nothing else is read because of the flag.
        if self.settings.interrupted.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
            return Some(RunEnd::Interrupted);
        }
        (self.steps_taken >= self.settings.steps_max).then_some(RunEnd::StepLimit)
    }
}
