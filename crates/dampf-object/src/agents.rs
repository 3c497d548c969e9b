//! Threads that take advice of a planner: what they say of themselves with the annotations `SUGGEST`, `BUSY` and
//! `IDLE`, and how advice gets into a state (thesis, section 5.4).
//!
//! What a thread has said stands in a record of its thread-local storage, which the checker writes and reads and the
//! program does not: nobody notices the writes, as with `HEURISTIC`. A thread that has said anything is an agent.

use crate::machine::Machine;
use crate::model::{ObjectModel, ObjectWorker};
use crate::run_end::RunEnd;
use crate::step::Next;
use dampf_core::{Activity, Agent, Agents, Successors, Suggestion, Unsupported, Word};
use dampf_rv::machine::Hart;

/// The thread-local variable that is the record: what the thread does, how many suggestions it takes, and where these
/// are.
pub const AGENT_RECORD: &str = "__dampf_agent";
const COUNT: u64 = 4;
const PLACES: u64 = 8;
const PLACE_BYTES: u64 = 8;
const SUGGESTIONS_MAX: u32 = 8;

/// What the first word of a record says; 0 where the thread has said nothing of that.
const IDLE: u32 = 1;
const BUSY: u32 = 2;

/// A variable at each place where a thread says what it takes as advice.
const SUGGESTING: &str = "__dampf_suggests";

const TP: usize = 4;
const A0: usize = 10;

impl Machine<'_> {
    fn agent_record(&self, hart: &Hart) -> Option<u64> {
        // The records of interchangeable threads would tell them apart.
        let offset = self.system.program.agent_offset.filter(|_| !self.is_symmetric())?;
        Some(hart.x[TP].wrapping_add(offset))
    }

    /// Keeps that the running thread takes a variable as advice.
    pub fn take_suggestion(&mut self, hart: &Hart) -> Result<Next, RunEnd> {
        let (Some(record), place) = (self.agent_record(hart), hart.x[A0]) else { return Ok(Next::Return(0)) };
        let count = self.memory.peek_word(record + COUNT);
        let known = (0..u64::from(count)).any(|at| self.memory.peek_long(record + PLACES + at * PLACE_BYTES) == place);
        if known {
            return Ok(Next::Return(0));
        }
        if count >= SUGGESTIONS_MAX {
            let what = format!("a thread with more than {SUGGESTIONS_MAX} suggestions");
            return Err(RunEnd::Unsupported(Box::new(Unsupported { what })));
        }
        self.memory.poke_long(record + PLACES + u64::from(count) * PLACE_BYTES, place);
        self.memory.poke_word(record + COUNT, count + 1);
        Ok(Next::Return(0))
    }

    /// Keeps what the running thread says that it does.
    pub fn note_activity(&mut self, hart: &Hart, activity: Activity) {
        if let Some(record) = self.agent_record(hart) {
            let said = if activity == Activity::Busy { BUSY } else { IDLE };
            self.memory.poke_word(record, said);
        }
    }

    /// What the thread of a slot has said, in the state that is loaded; none if it is no agent.
    fn agent(&self, slot: u32) -> Option<Agent> {
        if !self.threads[slot as usize].is_alive() {
            return None;
        }
        let record = self.agent_record(&*self.threads.peek_hart(slot)?)?;
        let (said, count) = (self.memory.peek_word(record), self.memory.peek_word(record + COUNT));
        if said == 0 && count == 0 {
            return None;
        }
        let suggestion = |at: u32| {
            let place = self.memory.peek_long(record + PLACES + u64::from(at) * PLACE_BYTES);
            Suggestion { place, value: self.memory.peek_word(place) }
        };
        Some(Agent {
            mover: slot as usize,
            activity: if said == BUSY { Activity::Busy } else { Activity::Idle },
            suggestions: (0..count.min(SUGGESTIONS_MAX)).map(suggestion).collect(),
        })
    }
}

impl Agents for ObjectModel {
    fn has_agents(&self) -> bool {
        self.system.program.image.symbols().iter().any(|symbol| symbol.name.contains(SUGGESTING))
    }

    fn has_evaluation(&self) -> bool {
        self.evaluation.is_some()
    }

    fn agents(worker: &mut ObjectWorker<'_>, state: &[Word], agents: &mut Vec<Agent>) {
        let machine = &mut worker.machine;
        machine.load(state);
        agents.clear();
        if machine.process.ended.is_none() {
            agents.extend((0..machine.slots() as u32).filter_map(|slot| machine.agent(slot)));
        }
    }

    fn evaluation(worker: &mut ObjectWorker<'_>, state: &[Word]) -> i64 {
        let Some(evaluation) = &worker.model.evaluation else { return 0 };
        worker.machine.load(state);
        worker.machine.value_of(evaluation) as i64
    }

    fn steps_of(worker: &mut ObjectWorker<'_>, state: &[Word], mover: usize, out: &mut Successors) {
        worker.successors_of(state, mover as u32, out);
    }

    /// In an atomic section.
    fn is_within_step(worker: &mut ObjectWorker<'_>, state: &[Word], mover: usize) -> bool {
        worker.machine.load(state);
        let thread = &worker.machine.threads[mover];
        worker.machine.process.ended.is_none() && thread.is_alive() && thread.atomic > 0
    }

    fn advise(worker: &mut ObjectWorker<'_>, state: &[Word], suggestions: &[Suggestion], advised: &mut Vec<Word>) {
        let machine = &mut worker.machine;
        machine.load(state);
        for &Suggestion { place, value } in suggestions {
            machine.memory.poke_word(place, value);
        }
        machine.store(advised);
    }

    fn agent_name(worker: &mut ObjectWorker<'_>, state: &[Word], mover: usize) -> String {
        worker.machine.load(state);
        worker.machine.thread_name(mover as u32)
    }
}
