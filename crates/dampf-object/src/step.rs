//! One step: a thread performs the operation it stands before, and runs up to its next visible one.

use crate::cancellation::CANCELLED;
use crate::field_reads::drops_rest;
use crate::hooks::{Hook, Object, Visible, Ways};
use crate::initialisation::decides;
use crate::layout::Region;
use crate::machine::Machine;
use crate::mutex::MUTEX_BYTES;
use crate::run_end::RunEnd;
use crate::signal_calls::is_interruptible_call;
use crate::system::Granularity;
use crate::thread::Status;
use crate::touched::Mode;
use dampf_core::FaultKind;
use dampf_rv::decode::Op;
use dampf_rv::machine::{self, Exit, Hart};
use std::collections::HashMap;

/// A thread that runs for so many instructions without a visible operation is interrupted: it may never come to one.
/// Interrupting a thread anywhere is sound, it only adds states.
const BUDGET: u64 = 1 << 24;

/// What the machine cannot do counts as so many instructions, since it takes as long: operations of ours that nobody
/// notices, in a loop, would otherwise keep a step busy for many seconds.
const OPERATION_COST: u64 = 1 << 9;

/// A thread that is interrupted is looked at for so many instructions to find a place where its loop comes by.
const LOOP_WINDOW: u32 = 1 << 15;

/// What happens after an operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Next {
    /// It returns this value.
    Return(u64),
    /// The registers say where to go on.
    Jump,
    /// The function's own code does it.
    Run,
    /// The thread's status says what it waits for.
    Wait,
    /// The thread or the process has ended.
    End,
}

/// How a stretch of a run ended.
enum Stretch {
    /// The thread stands before something that others can notice, or waits, or has ended.
    Stopped,
    /// What stood in its way was done.
    WentOn,
    /// So many instructions were executed as it was given.
    Spent,
}

const RA: usize = 1;
const SP: usize = 2;
const A0: usize = 10;
const A7: usize = 17;

impl Machine<'_> {
    /// In how many ways the thread in a slot can go on by itself; none while it has to wait.
    pub fn own_ways(&self, slot: u32) -> Result<u32, RunEnd> {
        let spurious = self.system.options.spurious_wakeups;
        match self.threads[slot as usize].status {
            Status::Absent | Status::Exited { .. } | Status::OnBarrier { .. } => Ok(0),
            Status::OnCondition { timed, .. } => Ok(u32::from(timed) + u32::from(spurious)),
            Status::OnFutex { timed, .. } => Ok(u32::from(timed)),
            Status::Reacquiring { mutex, .. } => Ok(u32::from(self.can_lock(mutex, slot))),
            Status::Running => match self.system.program.hook(self.threads[slot as usize].pc) {
                None => Ok(self.ways_to_call(slot)),
                Some(hook) => {
                    let arguments = [self.threads.register(slot, A0), self.threads.register(slot, A0 + 1)];
                    self.ways_of(hook, arguments, slot)
                }
            },
        }
    }

    fn ways_of(&self, hook: Hook, arguments: [u64; 2], slot: u32) -> Result<u32, RunEnd> {
        match &hook.ways {
            Ways::One => Ok(1),
            Ways::Waits(wait) => Ok(u32::from((wait.is_over)(self, arguments, slot))),
            Ways::Values(count) => count(self, arguments),
            Ways::MayFail => Ok(self.ways_to_exchange(arguments, hook.call(0).bytes)),
            Ways::Outcomes(count) => Ok(count(self, arguments, slot)),
        }
    }

    /// Lets the thread in a slot go on, in one of its ways, up to its next visible operation.
    pub fn advance(&mut self, slot: u32, way: u32) -> Result<(), RunEnd> {
        let way = self.begin_try(slot, way);
        self.run_thread(slot, Some(way))?;
        self.check_segments()?;
        self.settle_history()?;
        self.run_fresh()
    }

    /// Threads that were created or released stand at no visible operation yet: they run up to one.
    fn run_fresh(&mut self) -> Result<(), RunEnd> {
        let mut next = 0;
        while next < self.step.fresh.len() && self.process.ended.is_none() {
            let fresh = self.step.fresh[next];
            next += 1;
            if self.is_member(fresh) && (fresh as usize) < self.system.sharing.thread_slots() {
                self.step.released.push(fresh);
            } else if self.threads[fresh as usize].is_alive() {
                self.run_thread(fresh, None)?;
                self.check_segments()?;
                self.settle_history()?;
            }
        }
        Ok(())
    }

    /// Lets a thread go on that was released in the step before, up to its next visible operation.
    pub fn go_on_released(&mut self, slot: u32) -> Result<(), RunEnd> {
        self.step.fresh.push(slot);
        self.run_fresh()
    }

    fn run_thread(&mut self, slot: u32, way: Option<u32>) -> Result<(), RunEnd> {
        self.threads.running = slot;
        self.memory.forget_translations();
        let interruption = way.and_then(|way| self.interruption(slot, way));
        let mut hart = self.threads.take_hart(slot);
        let (alone, others) = (self.threads.alive(2) == 1, self.threads.has_others());
        self.step.begin_run(alone, others, way.is_some(), hart.x[SP]);
        self.segments.begin(slot);
        self.scratch.section_rivals.clear();
        if self.threads[slot as usize].atomic > 0 {
            self.note_section_rivals();
        }
        self.threads.out = Some(slot);
        self.threads.operating = None;
        let sp_before = hart.x[SP];
        let marked_counter = self.marked_counter();
        if self.threads[slot as usize].cancellation.is_late {
            // The thread goes on, and will find the request where it comes to.
            self.threads[slot as usize].cancellation.is_late = false;
        }
        let mut result = match interruption {
            None => self.go(&mut hart, way),
            Some(interruption) => {
                self.step.granted = false;
                self.interrupt(&mut hart, interruption).and_then(|()| self.go_after_interruption(&mut hart))
            }
        };
        self.threads.out = None;
        if result.is_ok() {
            result = self.learn_left(slot, hart.x[2]).map(|_| ());
        }
        let slot = slot as usize;
        self.threads[slot].sp = hart.x[2];
        self.threads[slot].pc = hart.pc;
        if result.is_ok() && self.threads[slot].is_alive() {
            self.memory.clear_left(Region::Stack(slot as u32), sp_before, hart.x[SP]);
            self.clear_dead_slots(slot as u32, &hart);
            self.check_last_try(&hart, marked_counter);
            self.clear_dead_registers(&mut hart);
        } else if result.is_ok() {
            *hart = Hart::new(0);
        }
        self.threads.put_hart(slot as u32, hart);
        result
    }

    fn go_after_interruption(&mut self, hart: &mut Hart) -> Result<(), RunEnd> {
        match self.threads.current().status {
            Status::Running => self.go(hart, None),
            _ => Ok(()),
        }
    }

    fn go(&mut self, hart: &mut Hart, way: Option<u32>) -> Result<(), RunEnd> {
        let mut way = way;
        match self.threads.current().status {
            Status::OnCondition { condition, timed, .. } => {
                self.memory.note_write(condition, 1);
                self.note_touched(condition, 1, Mode::WRITE);
                // With spurious wake-ups, the last way is such a one.
                let is_late = timed && way == Some(0);
                if let Some(hook) = self.system.program.hook(hart.pc).filter(|_| is_late) {
                    self.note_timeout(hook, hart);
                }
                self.time_out(is_late);
                return Ok(());
            }
            Status::Reacquiring { mutex, result } => {
                self.acquire(mutex);
                self.threads.current_mut().status = Status::Running;
                hart.x[A0] = u64::from(result);
                hart.pc = hart.x[RA];
                if result == CANCELLED {
                    self.leave_functions(hart);
                }
                self.step.granted = false;
                way = None;
            }
            Status::OnFutex { address, .. } => {
                self.memory.note_write(address, 1);
                self.note_touched(address, 4, Mode::WRITE);
                self.time_out_futex(hart);
                self.step.granted = false;
                way = None;
            }
            _ => {}
        }
        self.step.granularity = match self.system.options.granularity {
            _ if self.is_interruptible() => Granularity::Instruction,
            granularity => granularity,
        };
        match self.step.granularity {
            Granularity::Visible => self.go_on(hart, way, BUDGET),
            Granularity::Instruction => self.go_instruction(hart, way),
            Granularity::Line => self.go_line(hart, way),
        }
    }

    /// Runs to the next visible operation, but at most so many instructions.
    fn go_on(&mut self, hart: &mut Hart, way: Option<u32>, budget: u64) -> Result<(), RunEnd> {
        let system = self.system;
        // The way is that of the operation the thread stands before; an access has none, it uses the grant.
        let stands_at_operation = system.program.hook(hart.pc).is_some() || self.is_system_call(hart.pc);
        let mut way = way.filter(|_| stands_at_operation);
        let mut budget = budget;
        self.note_places(hart);
        let changes_watched = self.step.granted && !stands_at_operation && self.writes_watched_ahead(hart);
        self.step.watches_frames = system.options.uninitialised || self.has_shared_frames(hart.x[2]);
        if self.has_segments() && !stands_at_operation && self.plain_access_ahead(hart).is_some() {
            // Such an access needs no grant, and is noted.
            self.step.granted = false;
        }
        if self.has_history() && self.step.granted && !stands_at_operation {
            self.order_next_access(hart)?;
        }
        if (self.step.granted || changes_watched) && !stands_at_operation {
            // The grant is for the access that the thread stands before. A thread that was interrupted stands before
            // any instruction; if it went through its next access at once, it would never be seen to stand before it.
            let first = match changes_watched {
                true => self.passing_watched(|machine| machine.go_stretch(hart, None, &mut 1))?,
                false => self.go_stretch(hart, None, &mut 1)?,
            };
            self.step.granted = false;
            budget -= 1;
            if matches!(first, Stretch::Stopped) {
                return Ok(());
            }
        }
        loop {
            match self.go_stretch(hart, way.take(), &mut budget)? {
                Stretch::Stopped => return Ok(()),
                Stretch::Spent if self.step.granularity == Granularity::Visible => {
                    return self.go_to_loop_point(hart);
                }
                Stretch::WentOn if self.step.granularity == Granularity::Visible => {}
                Stretch::Spent | Stretch::WentOn => return Ok(()),
            }
        }
    }

    /// Runs up to the next place where the machine needs us, but at most so many instructions, and does what is to be
    /// done there.
    fn go_stretch(&mut self, hart: &mut Hart, way: Option<u32>, budget: &mut u64) -> Result<Stretch, RunEnd> {
        let system = self.system;
        let before = *budget;
        let has_places = !system.sharing.watch.places.is_empty();
        let exit = match self.step.watches_frames || self.step.log.is_some() || has_places {
            true => self.run_watched(hart, budget)?,
            false => machine::run(hart, &system.program.code, self, budget),
        };
        self.instructions += before - *budget;
        match exit {
            Exit::Stopped(RunEnd::Visible) => return Ok(Stretch::Stopped),
            Exit::Budget => return Ok(Stretch::Spent),
            _ => {}
        }
        let (is_first, pc) = (way.is_some(), hart.pc);
        *budget = budget.saturating_sub(OPERATION_COST);
        let mut next = self.after_exit(hart, exit, way);
        if matches!(next, Err(RunEnd::Shared)) {
            let ahead = self.shared_access_ahead(hart);
            let accessed = self.access_shared(hart);
            if matches!(accessed, Ok(true)) {
                *budget = 0;
            }
            if let Some(ahead) = ahead.filter(|_| !matches!(accessed, Err(RunEnd::Visible | RunEnd::Refuted))) {
                self.log_access(ahead, accessed.is_ok());
            }
            next = accessed.map(|_| Next::Jump);
        }
        if system.options.uninitialised {
            self.note_stack_pointer(hart.x[SP]);
        }
        match next {
            Ok(Next::Wait | Next::End) | Err(RunEnd::Visible) => Ok(Stretch::Stopped),
            // What the thread did before has happened, and others may go on from there: it stands before what is not
            // supported, and comes to it in its next step. An atomic section has not begun, however.
            Err(RunEnd::Unsupported(_)) if !is_first && hart.pc == pc && self.threads.current().atomic == 0 => {
                Ok(Stretch::Stopped)
            }
            Ok(_) if self.step.ends_here => Ok(Stretch::Stopped),
            Ok(_) => Ok(Stretch::WentOn),
            Err(stop) => Err(stop),
        }
    }

    /// Goes on to a place that a loop of the thread comes by as rarely as to any other, and so is the same whenever the
    /// thread is interrupted in that loop: a loop that comes back to the same state is then seen to do so, wherever in
    /// it the budget was spent.
    #[cold]
    fn go_to_loop_point(&mut self, hart: &mut Hart) -> Result<(), RunEnd> {
        let mut visits: HashMap<u64, u32> = HashMap::new();
        for _ in 0..LOOP_WINDOW {
            *visits.entry(hart.pc).or_default() += 1;
            if matches!(self.go_stretch(hart, None, &mut 1)?, Stretch::Stopped) {
                return Ok(());
            }
        }
        let rarest = visits.into_iter().min_by_key(|&(pc, count)| (count, pc));
        let point = rarest.expect("the thread was somewhere").0;
        for _ in 0..LOOP_WINDOW {
            if hart.pc == point || matches!(self.go_stretch(hart, None, &mut 1)?, Stretch::Stopped) {
                break;
            }
        }
        Ok(())
    }

    /// Runs like the machine does, instruction by instruction. Keeps the log, if there is one, and stops where a part
    /// of the stack is left that others use: another frame may soon cover it.
    fn run_watched(&mut self, hart: &mut Hart, budget: &mut u64) -> Result<Exit<RunEnd>, RunEnd> {
        let system = self.system;
        let has_places = !system.sharing.watch.places.is_empty();
        while *budget > 0 {
            if has_places && self.changes_place(hart.pc) {
                return Ok(Exit::Stopped(RunEnd::Visible));
            }
            let access = self.access_ahead(hart);
            let mut one = 1;
            let exit = machine::run(hart, &system.program.code, self, &mut one);
            *budget -= 1 - one;
            if system.options.uninitialised {
                self.note_stack_pointer(hart.x[SP]);
            }
            if let Some(access) = access.filter(|_| !matches!(exit, Exit::Stopped(RunEnd::Visible | RunEnd::Refuted))) {
                match exit {
                    // It comes when it is noted.
                    Exit::Stopped(RunEnd::Shared) => self.keep_ahead(access),
                    _ => self.log_access(access, matches!(exit, Exit::Budget)),
                }
            }
            let has_left = self.step.watches_frames
                && hart.x[2] != self.step.sp_before
                && self.learn_left(self.threads.running, hart.x[2])?;
            match exit {
                Exit::Budget if has_left && !self.is_free() => return Ok(Exit::Stopped(RunEnd::Visible)),
                Exit::Budget => {}
                exit => return Ok(exit),
            }
        }
        Ok(Exit::Budget)
    }

    /// Does what the machine cannot: an operation, a system call, the next stage of a thread's life.
    fn after_exit(&mut self, hart: &mut Hart, exit: Exit<RunEnd>, way: Option<u32>) -> Result<Next, RunEnd> {
        let system = self.system;
        let announced = if matches!(exit, Exit::Hook) { self.announced_load(hart) } else { None };
        let next = match exit {
            Exit::Hook => self.at_hook(hart, way)?,
            Exit::Ecall => self.at_call(hart, way)?,
            Exit::NotCode => self.outside_code(hart)?,
            Exit::Stopped(stop @ (RunEnd::PartlyValid | RunEnd::BelowStack | RunEnd::Uninitialised)) => {
                if matches!(stop, RunEnd::Uninitialised)
                    && let Some(fault) = self.uninitialised_read(hart)
                {
                    return Err(fault);
                }
                let tolerable = match stop {
                    RunEnd::BelowStack => self.is_lowering_stack(hart),
                    RunEnd::PartlyValid => self.is_field_read(hart),
                    _ => true,
                };
                let is_users = system.program.is_user_code(hart.pc);
                if is_users && !tolerable || matches!(stop, RunEnd::PartlyValid) && self.reads_beside(hart) {
                    return Err(self.refused_access(hart));
                }
                match self.step_leniently(hart) {
                    Ok(()) => Next::Jump,
                    Err(Exit::Stopped(stop)) => return Err(stop),
                    Err(_) => return Err(self.refused_access(hart)),
                }
            }
            Exit::Stopped(stop) => return Err(stop),
            Exit::Ebreak => return Err(RunEnd::fault(FaultKind::Abort, "the program executes a trap instruction")),
            Exit::Illegal => {
                return Err(RunEnd::fault(FaultKind::Abort, "the program executes an illegal instruction"));
            }
            Exit::Budget => return Ok(Next::Jump),
        };
        match next {
            Next::Return(value) => {
                hart.x[A0] = value;
                hart.pc = hart.x[RA];
                if let Some((address, bytes)) = announced {
                    self.pass_copy(hart, address, bytes);
                }
            }
            Next::Run => match machine::step(hart, &system.program.code, self) {
                Ok(()) => {}
                Err(Exit::Stopped(stop)) => return Err(stop),
                Err(_) => return Err(RunEnd::fault(FaultKind::Abort, "the program executes an illegal instruction")),
            },
            Next::End => self.log_end(),
            Next::Jump | Next::Wait => {}
        }
        Ok(next)
    }

    /// Executes an instruction that reads more than there is, and may.
    pub fn step_leniently(&mut self, hart: &mut Hart) -> Result<(), Exit<RunEnd>> {
        self.memory.lenient = true;
        self.memory.forget_translations();
        let stepped = machine::step(hart, &self.system.program.code, self);
        self.memory.lenient = false;
        self.memory.forget_translations();
        stepped
    }

    /// Whether a read is of nothing but what lies beside an object, though in the same word. Functions for strings look
    /// at whole words, byte by byte.
    fn reads_beside(&mut self, hart: &Hart) -> bool {
        let program = &self.system.program;
        let access = program.code.at(hart.pc).and_then(|instruction| instruction.memory_access());
        let (Some(access), Some(address)) = (access, self.accessed_address(hart)) else { return false };
        let is_by_words = !program.is_user_code(hart.pc) && program.looks_at_words(hart.pc);
        let valid = self.standing(address).map_or(0, |standing| standing.valid >> (address % 64));
        valid & ((1 << access.bytes) - 1) == 0 && !is_by_words
    }

    /// Whether what a read reads beyond the end of an object is not used: the compiler reads its own frame as it likes,
    /// or the code behind drops the rest.
    fn is_field_read(&mut self, hart: &Hart) -> bool {
        let access = self.system.program.code.at(hart.pc).and_then(|instruction| instruction.memory_access());
        // Whole registers are filled with variables that are passed by value. Frames are reached from the stack
        // pointer, the frame pointer, or from a register that is kept across calls, downwards; what a program points to
        // is not.
        let is_own_frame = |base: u8, offset: i32| matches!(base, 2 | 8) || matches!(base, 9 | 18..=27) && offset < 0;
        if access.is_some_and(|access| !access.writes && is_own_frame(access.base, access.offset)) {
            return true;
        }
        let Some(address) = self.accessed_address(hart) else { return false };
        let valid = self.standing(address).map_or(0, |standing| standing.valid >> (address % 64)).trailing_ones();
        drops_rest(&self.system.program.code, hart.pc, valid)
    }

    /// The fault of a read of memory that was never written, if it is one.
    fn uninitialised_read(&mut self, hart: &Hart) -> Option<RunEnd> {
        let program = &self.system.program;
        let address = self.accessed_address(hart)?;
        let is_local = matches!(Region::of(address, self.slots()), Some(Region::Stack(_)));
        let is_fault = program.is_user_code(hart.pc) && (!is_local || decides(&program.code, hart.pc));
        self.threads.operating = Some(hart.clone());
        let place = self.place_name(address);
        self.threads.operating = None;
        let message = match is_local {
            true => format!("a branch or an address depends on {place}, which was never written"),
            false => format!("read of memory that was never written: {place}"),
        };
        is_fault.then(|| RunEnd::fault(FaultKind::UninitialisedRead, message))
    }

    /// Whether a function is about to make room on the stack: compilers fill large frames before they are complete.
    fn is_lowering_stack(&self, hart: &Hart) -> bool {
        const INSTRUCTIONS_MAX: usize = 48;
        let program = &self.system.program;
        let mut pc = hart.pc;
        for _ in 0..INSTRUCTIONS_MAX {
            let Some(instruction) = program.code.at(pc) else { return false };
            if instruction.transfers_control() {
                return false;
            }
            if instruction.rd == 2 {
                let by_constant = instruction.op == Op::Addi && instruction.rs1 == 2 && instruction.imm < 0;
                return by_constant || matches!(instruction.op, Op::Add | Op::Sub);
            }
            pc += u64::from(instruction.length);
        }
        false
    }

    /// The fault of an access that the bus left to us.
    fn refused_access(&mut self, hart: &Hart) -> RunEnd {
        let access = self.system.program.code.at(hart.pc).and_then(|instruction| instruction.memory_access());
        match (access, self.accessed_address(hart)) {
            (Some(access), Some(address)) => self.bad_access(address, u64::from(access.bytes), access.writes),
            _ => self.bad_access(hart.x[A0], 1, false),
        }
    }

    /// The address that the instruction at hand accesses.
    fn accessed_address(&self, hart: &Hart) -> Option<u64> {
        let access = self.system.program.code.at(hart.pc)?.memory_access()?;
        Some(hart.x[usize::from(access.base)].wrapping_add(access.offset as i64 as u64))
    }

    /// Goes past whatever the machine stopped at, in a run that nobody watches.
    pub fn settle_exit(&mut self, hart: &mut Hart, exit: Exit<RunEnd>) -> Result<(), RunEnd> {
        self.after_exit(hart, exit, None).map(|_| ())
    }

    /// Runs until another instruction of the user's program is next. The libraries' private data is nobody's to look at
    /// meanwhile.
    fn go_instruction(&mut self, hart: &mut Hart, way: Option<u32>) -> Result<(), RunEnd> {
        let program = &self.system.program;
        let all_is_users = program.debug.user_code().is_empty();
        self.go_until(hart, way, |machine, pc| all_is_users || machine.system.program.is_user_code(pc))
    }

    /// Runs until another line of the user's source begins.
    fn go_line(&mut self, hart: &mut Hart, way: Option<u32>) -> Result<(), RunEnd> {
        let line = |machine: &Self, pc: u64| {
            machine.system.program.location(pc).map(|location| (location.file, location.line))
        };
        let start = line(self, hart.pc);
        self.go_until(hart, way, |machine, pc| {
            let now = line(machine, pc);
            now.is_some() && now != start
        })
    }

    /// Runs instruction by instruction to a place that is far enough, or to where the thread has to stop before.
    fn go_until(
        &mut self,
        hart: &mut Hart,
        way: Option<u32>,
        is_far_enough: impl Fn(&Self, u64) -> bool,
    ) -> Result<(), RunEnd> {
        let mut way = way;
        for _ in 0..BUDGET {
            let (pc, status) = (hart.pc, self.threads.current().status);
            self.go_on(hart, way.take(), 1)?;
            let has_stopped = hart.pc == pc || self.threads.current().status != status || self.process.ended.is_some();
            if has_stopped || is_far_enough(self, hart.pc) {
                break;
            }
        }
        Ok(())
    }

    /// Whether a thread that arrives at an operation has to stop before it.
    fn must_stop(&mut self, hook: Hook, hart: &Hart) -> Result<bool, RunEnd> {
        let stops = self.stops_for_others(hook, hart)?;
        if !stops && hook.visible == Visible::AsCreation && self.step.at_home.is_some() {
            // Nobody comes between, but whoever is at home has to leave first.
            self.step.stopped_to_create = self.threads.running == 0;
            return Ok(true);
        }
        Ok(stops)
    }

    fn stops_for_others(&mut self, hook: Hook, hart: &Hart) -> Result<bool, RunEnd> {
        let arguments = [hart.x[A0], hart.x[A0 + 1]];
        if self.operation_stops_for_watch(hook, hart) {
            return Ok(true);
        }
        match &hook.row().ways {
            Ways::One | Ways::Waits(_) => {}
            Ways::Values(count) => match count(self, arguments) {
                // What the thread did before has happened, and others may go on from there. An atomic section has not
                // begun, however.
                Err(RunEnd::Pruned) if self.threads.current().atomic == 0 => return Ok(true),
                count => return Ok(count? > 1),
            },
            Ways::MayFail => {
                if !self.step.before_main && self.ways_to_exchange(arguments, hook.call(0).bytes) > 1 {
                    return Ok(true);
                }
            }
            Ways::Outcomes(count) => {
                let is_choice = !self.step.alone || self.system.options.allocations_may_fail;
                if is_choice && count(self, arguments, self.threads.running) > 1 {
                    return Ok(true);
                }
            }
        }
        if self.stops_for_cancellation(hook) {
            return Ok(true);
        }
        // What an operation accesses besides makes no step of its own, unless it comes before others are released.
        let makes_step = !self.has_segments() || hook.visible == Visible::AsCreation;
        let is_noticed_besides = self.step.others && self.has_visible_side_access(hook, hart)? && makes_step;
        if self.is_free() {
            // Objects must be memory even if nobody else looks.
            if let Some((bytes, writes)) = hook.object_access()
                && self.is_visible(hart.x[A0], bytes, writes)?
                && self.has_section_rivals()
                && !matches!(hook.object, Object::Synchronisation { .. })
            {
                self.check_section_access(hart.x[A0], bytes, writes)?;
            }
            return Ok(false);
        }
        Ok(is_noticed_besides || self.is_visible_operation(hook, hart)?)
    }

    /// Whether other threads can notice an operation, but for what it accesses besides its object.
    fn is_visible_operation(&mut self, hook: Hook, hart: &Hart) -> Result<bool, RunEnd> {
        let object = hart.x[A0];
        if hook.object == Object::PlainRead && self.has_segments() {
            return Ok(false);
        }
        let is_used = |machine: &mut Self| match hook.object_access() {
            Some((bytes, writes)) => machine.is_visible(object, bytes, writes),
            None => Ok(false),
        };
        match hook.visible {
            Visible::Never => Ok(false),
            Visible::Always => Ok(true),
            Visible::ByObject => is_used(self),
            Visible::AsAcquisition => Ok(is_used(self)? && !self.goes_through(object)),
            Visible::AsRelease => Ok(is_used(self)?
                && self.is_visible_release(object, hook.object_access().map_or(0, |(bytes, _)| bytes))?),
            Visible::AsConditionWait => {
                // What a wait releases is a lock like any other.
                let mutex = hart.x[A0 + 1];
                let releases = self.is_visible_mutex(mutex)? && self.is_visible_release(mutex, MUTEX_BYTES.into())?;
                Ok(is_used(self)? || releases)
            }
            Visible::AsFree => self.is_visible_block(object),
            Visible::AsSection => Ok(self.threads.current().atomic == 0),
            Visible::AsJoin => Ok(self.system.sharing.joins_observed()),
            Visible::AsCreation => Ok(self.has_accessed()),
        }
    }

    fn at_hook(&mut self, hart: &mut Hart, way: Option<u32>) -> Result<Next, RunEnd> {
        let Some(hook) = self.system.program.hook(hart.pc) else { return Ok(Next::Run) };
        if way.is_none() && self.must_stop(hook, hart)? {
            return Err(RunEnd::Visible);
        }
        if self.ways_of(hook, [hart.x[A0], hart.x[A0 + 1]], self.threads.running)? == 0 {
            self.note_arrival(hook, hart);
            return Err(if self.step.section_began && self.threads.current().atomic > 0 {
                RunEnd::Blocked
            } else {
                RunEnd::Visible
            });
        }
        let ahead = self.operation_ahead(hook, hart, way);
        let operating = ahead.is_some().then(|| hart.clone());
        let next = self.passing_watched(|machine| machine.perform(hook, hart, way));
        if let (Some(ahead), Some(operating)) = (ahead, operating) {
            self.log_operation(ahead, hook, &operating, &next);
        }
        let next = next?;
        if let Next::Return(result) = next {
            self.note_result(hook, hart, result);
        }
        if way.is_some() {
            self.step.granted = false;
        }
        Ok(next)
    }

    /// Performs an operation whose time has come.
    fn perform(&mut self, hook: Hook, hart: &mut Hart, way: Option<u32>) -> Result<Next, RunEnd> {
        if way.is_some()
            && let Some((bytes, writes)) = hook.object_access()
        {
            self.is_visible(hart.x[A0], bytes, writes)?;
        }
        self.learn_observed(hook, hart)?;
        self.note_operation(hook, hart)?;
        self.check_symmetry(hook, hart);
        if self.has_segments() && self.step.others {
            self.note_accesses_besides(hook, hart, way)?;
        }
        let on_own_stack = Region::of(hart.x[A0], self.slots()) == Some(Region::Stack(self.threads.running));
        self.threads.operating = on_own_stack.then(|| hart.clone());
        if self.memory.is_recording()
            && let Object::Synchronisation { bytes, .. } = hook.object
        {
            // Who waits for the object is no part of its memory, but changes with it.
            self.memory.note_write(hart.x[A0], bytes.into());
        }
        self.leave_knowledge(hook, hart);
        self.see_release(hook, hart);
        let object = hart.x[A0];
        let moves = matches!(hook.visible, Visible::Never | Visible::AsAcquisition | Visible::AsFree);
        if !moves {
            self.step.transaction.close();
        }
        let next = (hook.perform)(self, hart, hook.call(way.unwrap_or(0)))?;
        self.take_knowledge(hook, object);
        self.threads.operating = None;
        Ok(next)
    }

    /// A function that is known, and not modelled.
    pub fn refuse_function(&self, hart: &Hart) -> RunEnd {
        let program = &self.system.program;
        let name = program.function_at(hart.pc);
        RunEnd::from(program.unsupported(format!("`{name}`"), self.user_pc(hart)))
    }

    /// Something that the running thread asks for, and that is not modelled.
    pub fn refuse(&self, what: &str, hart: &Hart) -> RunEnd {
        RunEnd::from(self.system.program.unsupported(what, self.user_pc(hart)))
    }

    /// Finds the description of the function at an address, and fills in the bases that its pointers are relative to:
    /// none, in a static executable, and where the function begins.
    pub fn find_description(&mut self, hart: &Hart) -> u64 {
        let Some((description, start)) = self.system.program.debug.description_address(hart.x[A0]) else { return 0 };
        for (field, value) in [0, 0, start].into_iter().enumerate() {
            self.memory.poke_long(hart.x[A0 + 1] + 8 * field as u64, value);
        }
        description
    }

    fn at_call(&mut self, hart: &mut Hart, way: Option<u32>) -> Result<Next, RunEnd> {
        if way.is_none() {
            let visible = self.is_visible_call(hart)? && !self.is_free();
            let may_be_interrupted = is_interruptible_call(hart.x[A7]) && self.is_interruptible();
            if visible
                || may_be_interrupted
                || self.call_stops_for_cancellation(hart)
                || self.call_stops_for_watch(hart)
            {
                return Err(RunEnd::Visible);
            }
        }
        let ways = if self.is_frameworks_look(hart) {
            1
        } else {
            self.ways_of_call([hart.x[A0], hart.x[A0 + 1], hart.x[A0 + 2], hart.x[A7]], self.threads.running)
        };
        if ways == 0 && self.step.section_began && self.threads.current().atomic > 0 {
            return Err(RunEnd::Blocked);
        }
        if ways == 0 || ways > 1 && way.is_none() && !self.step.before_main {
            // In how many ways it can happen may be different later.
            self.note_call(hart);
            return Err(RunEnd::Visible);
        }
        if self.has_segments() && self.step.others {
            self.note_call_access(hart)?;
        }
        self.step.transaction.close();
        self.note_call(hart);
        self.order_system_call();
        let next = self.passing_watched(|machine| machine.system_call(hart, way.unwrap_or(0)))?;
        if way.is_some() {
            self.step.granted = false;
        }
        if let Next::Return(value) = next {
            hart.x[A0] = value;
            hart.pc += 4;
            return Ok(Next::Jump);
        }
        Ok(next)
    }

    fn outside_code(&mut self, hart: &mut Hart) -> Result<Next, RunEnd> {
        if let Some(next) = self.next_stage(hart)? {
            return Ok(next);
        }
        let message = match hart.pc {
            0 => "call through a null pointer".to_owned(),
            pc => format!("jump to {pc:#x}, where there is no code"),
        };
        Err(RunEnd::fault(FaultKind::InvalidAccess, message))
    }

    /// Whether an instruction is a call to the system.
    pub fn is_system_call(&self, pc: u64) -> bool {
        self.system.program.code.at(pc).is_some_and(|instruction| instruction.op == Op::Ecall)
    }
}
