//! The program as a model.

use crate::estimates::{ProgramEstimate, StateCheck};
use crate::expressions::Expression;
use crate::futures::Futures;
use crate::machine::{Machine, width};
use crate::observations::Proposition;
use crate::persistent::Choice;
use crate::premise::Premise;
use crate::program::Program;
use crate::run_end::RunEnd;
use crate::sharing::Sharing;
use crate::spin_counters::LAST_TRY;
use crate::standings::Standings;
use crate::start;
use crate::step_log::StepLog;
use crate::system::{ProgramChecks, System};
use crate::uses::SeenUses;
use dampf_core::{Action, Fault, FaultKind, Ground, Model, StepEnd, Successors, Unsupported, Word, Worker};
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::{Arc, Mutex};

/// A label is the slot of the thread and the way it goes.
const WAY_BITS: u32 = 20;

pub fn action(slot: u32, way: u32) -> Action {
    Action(u64::from(slot << WAY_BITS | way))
}

/// The slot and the way of a label.
pub fn parts(action: Action) -> (u32, u32) {
    (action.front_end() >> WAY_BITS, action.front_end() & ((1 << WAY_BITS) - 1))
}

pub struct ObjectModel {
    pub system: System,
    /// What properties of runs look at.
    pub propositions: Vec<Proposition>,
    /// What is looked at in every state.
    pub checks: Vec<StateCheck>,
    /// What searches that go by heuristics ask for.
    pub estimates: Vec<ProgramEstimate>,
    /// What planners go by.
    pub evaluation: Option<Expression>,
}

impl ObjectModel {
    pub fn new(program: Arc<Program>, options: ProgramChecks, sharing: Sharing) -> ObjectModel {
        ObjectModel::of(System::new(program, options, sharing))
    }

    /// A model whose memory lines and components lie on a ground.
    pub fn on(ground: Arc<dyn Ground>, program: Arc<Program>, options: ProgramChecks, sharing: Sharing) -> ObjectModel {
        ObjectModel::of(System::on(ground, program, options, sharing))
    }

    fn of(system: System) -> ObjectModel {
        let evaluation = system.program.published_evaluation();
        ObjectModel { system, propositions: Vec::new(), checks: Vec::new(), estimates: Vec::new(), evaluation }
    }

    /// Lets the model's runs see how words of shared memory are used; a search has no use for that.
    pub fn watch_uses(&mut self) {
        self.system.seen = Some(Mutex::default());
    }

    /// Lets the model's runs see what threads do from where they stand: nothing is left out of them, nor refuted by it.
    /// False if that is of no use.
    pub fn survey(&mut self) -> bool {
        self.system.survey = self.system.may_leave_out().then(Mutex::default);
        self.system.survey.is_some()
    }

    /// What was seen of that.
    pub fn surveyed(&self) -> Futures {
        let survey = self.system.survey.as_ref();
        survey.map(|survey| survey.lock().expect("nothing panics under this lock").clone()).unwrap_or_default()
    }

    /// Whether steps are left out that can as well be taken later.
    pub fn leaves_out(&self) -> bool {
        self.system.future_plan.is_some()
    }

    /// What was seen of that.
    pub fn seen_uses(&self) -> SeenUses {
        let seen = self.system.seen.as_ref();
        seen.map(|seen| seen.lock().expect("nothing panics under this lock").clone()).unwrap_or_default()
    }

    /// Bytes of memory lines and components, for all states together.
    pub fn bytes(&self) -> usize {
        self.system.lines.bytes() + self.system.components.bytes()
    }
}

impl Model for ObjectModel {
    type Worker<'m> = ObjectWorker<'m>;

    fn width(&self) -> usize {
        width(self.system.sharing.slots())
    }

    fn worker(&self) -> ObjectWorker<'_> {
        let choice = self.system.notes_touched().then(Box::default);
        let machine = Machine::new(&self.system);
        ObjectWorker {
            model: self,
            machine,
            words: Vec::new(),
            origins: Vec::new(),
            choice,
            standings: Standings::default(),
        }
    }
}

pub struct ObjectWorker<'m> {
    pub model: &'m ObjectModel,
    pub machine: Machine<'m>,
    /// The state that was put together last.
    pub words: Vec<Word>,
    /// The slots that the threads were in before the step, by those that they are in behind it.
    origins: Vec<u32>,
    /// What steps are chosen by, where some are left out.
    choice: Option<Box<Choice>>,
    /// How threads stood in the state that was observed last.
    pub standings: Standings,
}

/// Marks what was refuted among the steps of a state, whichever of them it was.
const REFUTED: Action = Action(u32::MAX as u64);

/// How a step ended that led to no state.
enum Ending {
    Fault(Fault),
    Unsupported(Unsupported),
    Pruned,
    /// It cannot begin, or it refutes an assumption: then the system knows which.
    Nothing,
}

impl ObjectWorker<'_> {
    /// Takes a step from a state. On success the machine holds the state it leads to, not yet put together.
    fn attempt(&mut self, state: &[Word], slot: u32, way: u32) -> Option<Ending> {
        let place = self.machine.load_at_home(state, slot);
        let advanced = self.machine.advance(place, way).and_then(|()| self.go_on_together());
        match advanced {
            Ok(()) => self.machine.leak().map(Ending::Fault),
            Err(RunEnd::Fault(fault)) if self.machine.has_segments() && fault.kind != FaultKind::DataRace => {
                // What the step has accessed before the fault may race, and then the fault is only what came of it.
                let race = self.machine.race_before_fault().map(Ending::Fault);
                race.or_else(|| self.machine.ending(RunEnd::Fault(fault)))
            }
            Err(stop) => self.machine.ending(stop),
        }
    }

    /// Lets threads of classes go on that were released by a step, and the creator that stands before the creation of
    /// another thread: one at a time, since each is at home meanwhile.
    fn go_on_together(&mut self) -> Result<(), RunEnd> {
        if !self.machine.is_symmetric() {
            return Ok(());
        }
        self.origins.clear();
        self.origins.extend(0..self.machine.slots() as u32);
        let (mut released, mut creates) = (VecDeque::new(), false);
        while self.machine.process.ended.is_none() {
            let step = &mut self.machine.step;
            released.extend(step.released.drain(..));
            creates |= step.stopped_to_create;
            let unsupported = step.unsupported.take();
            let next = released.pop_front();
            if next.is_none() && !creates {
                self.machine.step.unsupported = unsupported;
                break;
            }
            self.machine.store_at_rest(false, &mut self.words, &mut self.origins);
            let state = std::mem::take(&mut self.words);
            let gone_on = match next {
                Some(slot) => {
                    let place = self.machine.load_at_home(&state, slot);
                    self.machine.go_on_released(place)
                }
                None => {
                    creates = false;
                    self.machine.load(&state);
                    self.machine.advance(0, 0)
                }
            };
            self.words = state;
            self.machine.step.unsupported = unsupported.or(self.machine.step.unsupported.take());
            gone_on?;
        }
        Ok(())
    }

    /// The state that a step leads to, and the slots that its threads were in before.
    pub fn stepped(&mut self, state: &[Word], slot: u32, way: u32) -> Option<(Vec<Word>, Vec<u32>)> {
        if self.attempt(state, slot, way).is_some() {
            return None;
        }
        self.machine.store_at_rest(true, &mut self.words, &mut self.origins);
        Some((self.words.clone(), self.origins.clone()))
    }

    /// Instructions that this worker has executed.
    pub fn instructions(&self) -> u64 {
        self.machine.instructions
    }

    /// Takes a step from a state with a log, which leaves out the first `told_from` of what is told only shortly before
    /// a fault. Says whether the step ends in a fault.
    pub fn logged(&mut self, state: &[Word], slot: u32, way: u32, told_from: u64) -> (bool, StepLog) {
        let machine = &mut self.machine;
        machine.load(state);
        let first_pc = machine.threads[slot as usize].pc;
        let mover = (slot, machine.thread_name(slot));
        machine.step.log = Some(Box::new(StepLog::new(first_pc, mover, told_from)));
        let ended = machine.advance(slot, way);
        let log = machine.step.log.take().map_or_else(StepLog::default, |log| *log);
        (matches!(ended, Err(RunEnd::Fault(_))), log)
    }

    /// Makes `branches` those that a step of a state takes or not.
    pub fn branches(&mut self, state: &[Word], slot: u32, way: u32, branches: &mut Vec<u64>) {
        let machine = &mut self.machine;
        let place = machine.load_at_home(state, slot);
        machine.step.log = Some(Box::new(StepLog::of_branches()));
        let _ = machine.advance(place, way);
        let log = machine.step.log.take().map_or_else(StepLog::default, |log| *log);
        branches.clear();
        branches.extend(log.into_branches(machine.threads[place as usize].pc));
    }

    /// Where the threads of a state stand, by their slots; nothing for those that are not alive.
    pub fn places_of_threads(&mut self, state: &[Word], places: &mut Vec<u64>) {
        self.machine.load(state);
        places.clear();
        places.extend(self.machine.threads.iter().map(|thread| if thread.is_alive() { thread.pc } else { 0 }));
    }

    /// Takes a step from a state for its description: what the program wrote, and where the thread is afterwards.
    pub fn rehearse(&mut self, state: &[Word], slot: u32, way: u32) {
        // A fault is reported by the search; here only what happened on the way is of interest.
        let _ = self.attempt(state, slot, way);
    }
}

impl Machine<'_> {
    /// The fault that a stop is; none for one that is no fault.
    pub fn fault_of(&mut self, stop: RunEnd) -> Result<Option<Fault>, Unsupported> {
        match self.ending(stop) {
            Some(Ending::Fault(fault)) => Ok(Some(fault)),
            Some(Ending::Unsupported(unsupported)) => Err(unsupported),
            _ => Ok(None),
        }
    }

    fn ending(&mut self, stop: RunEnd) -> Option<Ending> {
        Some(match stop {
            RunEnd::Visible => return None,
            RunEnd::Shared | RunEnd::PartlyValid | RunEnd::BelowStack | RunEnd::Uninitialised => {
                unreachable!("whoever makes the access decides about it")
            }
            RunEnd::Blocked | RunEnd::Refuted => Ending::Nothing,
            RunEnd::Pruned => Ending::Pruned,
            RunEnd::Unsupported(unsupported) => Ending::Unsupported(*unsupported),
            RunEnd::Fault(fault) => {
                let hart = self.threads.take_hart(self.threads.running);
                let location = self.user_location(fault.blamed.unwrap_or_else(|| self.user_pc(&hart)));
                self.threads.put_hart(self.threads.running, hart);
                Ending::Fault(Fault { kind: fault.kind, message: fault.message, location })
            }
        })
    }

    /// The leak of a process that has ended, if leaks are looked for.
    fn leak(&mut self) -> Option<Fault> {
        if !self.system.options.leaks || self.process.ended.is_none() {
            return None;
        }
        let live = self.unreachable_blocks();
        let (region, block) = *live.first()?;
        let place = self.place_name(region.base(0) + u64::from(block.offset));
        let more = if live.len() > 1 { format!(", and {} more", live.len() - 1) } else { String::new() };
        let location = self.user_location(u64::from(block.site).saturating_sub(2));
        Some(Fault { kind: FaultKind::Leak, message: format!("at the end nobody has freed {place}{more}"), location })
    }

    /// The one thread that may move because it is in an atomic section, if there is one.
    fn exclusive(&mut self) -> Option<u32> {
        // A thread whose ways cannot be told is not waiting: what is wrong with it comes out when it moves.
        let slots = self.slots() as u32;
        (0..slots).find(|&slot| self.threads[slot as usize].atomic > 0 && !matches!(self.ways(slot), Ok(0)))
    }
}

impl Worker for ObjectWorker<'_> {
    fn initial(&mut self, out: &mut Successors) {
        out.clear();
        if self.machine.system.options.volatile_is_atomic {
            self.machine.premises.note(Premise::AtomicVolatile);
        }
        match start::start(&mut self.machine) {
            Ok(()) => {
                self.machine.store(&mut self.words);
                out.push(Action(0), &self.words);
            }
            Err(stop) => match self.machine.ending(stop) {
                Some(Ending::Fault(fault)) => out.push_fault(Action(0), fault),
                Some(Ending::Unsupported(unsupported)) => out.set_unsupported(unsupported),
                _ => out.set_unsupported(Unsupported { what: "the program does not reach `main`".to_owned() }),
            },
        }
        self.tell_beside(out);
    }

    fn successors(&mut self, state: &[Word], out: &mut Successors) {
        self.chosen_successors(state, out, true);
    }

    fn left_out(&mut self, state: &[Word], out: &mut Successors) {
        match self.machine.system.future_plan {
            Some(_) => self.chosen_successors(state, out, false),
            None => out.clear(),
        }
    }
}

impl ObjectWorker<'_> {
    /// The steps of a state that are taken, or those that are left out.
    fn chosen_successors(&mut self, state: &[Word], out: &mut Successors, are_taken: bool) {
        out.clear();
        self.machine.load(state);
        let failed = self.machine.failed_check(&self.model.checks);
        if self.machine.process.ended.is_some() {
            out.set_valid_end(true);
            failed.into_iter().for_each(|fault| out.set_state_fault(fault));
            return;
        }
        let race = self.machine.race();
        if let Some(choice) = &mut self.choice {
            choice.begin(&mut self.machine, state);
        }
        self.expand(state, 0..self.machine.slots() as u32, out);
        let leaves_out = race.is_none() && self.choose(state, out);
        if let Some(choice) = &mut self.choice {
            if !are_taken && !leaves_out {
                out.clear();
                return;
            }
            if leaves_out {
                choice.taken.iter_mut().for_each(|is_taken| *is_taken = *is_taken == are_taken);
                out.retain_steps(&choice.taken);
            }
        }
        if let Some(race) = race {
            // A search that goes on after faults goes on behind a race, too.
            out.set_state_fault(race);
        }
        if let Some(fault) = failed.filter(|_| out.state_fault().is_none()) {
            out.set_state_fault(fault);
        }
        self.tell_beside(out);
        if out.fault_of_state(true).is_some() && out.state_fault().is_none() {
            let message = "no thread can go on".to_owned();
            out.set_state_fault(Fault { kind: FaultKind::Deadlock, message, location: None });
        }
    }
}

impl ObjectWorker<'_> {
    /// Chooses among the steps of a state; whether some are left out. Tells what was seen and not known.
    fn choose(&mut self, state: &[Word], out: &Successors) -> bool {
        let Some(choice) = &mut self.choice else { return false };
        self.machine.load(state);
        let leaves_out = out.is_unremarkable() && choice.decide(&mut self.machine);
        if let Some(news) = choice.take_news() {
            match &self.machine.system.survey {
                Some(survey) => survey.lock().expect("nothing panics under this lock").merge(&news),
                None => self.machine.refute_futures(&news),
            }
        }
        leaves_out
    }

    /// The steps of the thread in a slot, and what is wrong with the state besides.
    pub fn successors_of(&mut self, state: &[Word], slot: u32, out: &mut Successors) {
        out.clear();
        self.machine.load(state);
        let failed = self.machine.failed_check(&self.model.checks);
        if self.machine.process.ended.is_some() {
            out.set_valid_end(true);
            return;
        }
        let race = self.machine.race();
        self.expand(state, slot..slot + 1, out);
        race.into_iter().chain(failed).for_each(|fault| out.set_state_fault(fault));
        self.tell_beside(out);
    }

    /// The steps of the threads in some slots from a state that is loaded.
    fn expand(&mut self, state: &[Word], slots: Range<u32>, out: &mut Successors) {
        if let Some(fault) = self.machine.stuck_threads() {
            // The others may go on, and meet other faults.
            out.set_state_fault(fault);
        }
        if self.machine.is_symmetric() && self.machine.foresee() {
            self.machine.load(state);
        }
        let mut fresh = true;
        let exclusive = self.machine.exclusive();
        for slot in slots {
            if !fresh {
                self.machine.load(state);
                fresh = true;
            }
            if !self.machine.threads[slot as usize].is_alive() || exclusive.is_some_and(|only| only != slot) {
                continue;
            }
            let mut place = slot;
            if self.machine.is_member(slot) {
                if self.machine.is_like_earlier(state, slot) {
                    continue;
                }
                place = self.machine.load_at_home(state, slot);
                fresh = false;
            }
            match self.machine.ways(place) {
                Ok(ways) => {
                    fresh &= ways == 0;
                    let has_last_try = self.machine.may_be_last_try(place);
                    (0..ways).for_each(|way| self.step(state, slot, way, out));
                    if has_last_try {
                        (0..ways).for_each(|way| self.step(state, slot, LAST_TRY + way, out));
                    }
                }
                Err(stop) => {
                    if let Some(choice) = &mut self.choice {
                        choice.take_whole();
                    }
                    match self.machine.ending(stop) {
                        Some(Ending::Fault(fault)) => out.push_fault(action(slot, 0), fault),
                        Some(Ending::Unsupported(unsupported)) => out.set_unsupported(unsupported),
                        _ => out.rule_out(),
                    }
                }
            }
        }
    }

    fn step(&mut self, state: &[Word], slot: u32, way: u32, out: &mut Successors) {
        if self.mark_round(state, slot, way) {
            if let Some(choice) = &mut self.choice {
                choice.note_marked(&self.machine, slot);
            }
            out.push(action(slot, way), &self.words);
            return;
        }
        let ending = self.attempt(state, slot, way);
        if let Some(choice) = &mut self.choice {
            choice.note_step(&mut self.machine, slot, ending.is_none());
        }
        if let Some(what) = self.machine.step.unsupported.take() {
            out.set_unsupported(Unsupported { what });
        }
        match ending {
            None => {
                self.machine.store_at_rest(true, &mut self.words, &mut self.origins);
                self.settle_round(state, slot, way);
                if self.machine.threads[slot as usize].last_try.is_some()
                    && let Some(choice) = &mut self.choice
                {
                    choice.note_marked(&self.machine, slot);
                }
                out.push(action(slot, way), &self.words);
            }
            Some(Ending::Fault(fault)) => out.push_fault(action(slot, way), fault),
            Some(Ending::Unsupported(unsupported)) => out.set_unsupported(unsupported),
            // A run that the program itself rules out ends here, and that is no deadlock.
            Some(Ending::Pruned) => out.rule_out(),
            Some(Ending::Nothing) => {}
        }
    }

    /// Tells what was met beside the steps: premises, and what was refuted.
    #[inline]
    fn tell_beside(&mut self, out: &mut Successors) {
        for premise in self.machine.premises.take_news() {
            out.rest_on(premise.told());
        }
        if let Some(revise) = self.machine.take_refuted() {
            out.push_end(REFUTED, StepEnd::Refuted(revise));
        }
    }
}
