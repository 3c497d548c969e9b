//! What happens in a step, operation by operation, for people.
//!
//! A step is taken again, instruction by instruction, with a log: every access and every operation of interest is told
//! with its place in the source, the name of what it is about and the values it finds and leaves there. The values are
//! those of the machine's memory at that moment, so they are what the run reads and writes. The operation that a step
//! begins with is always told; of the rest, what is done with locks and threads, what the program's own code does to
//! memory that others use, that memory is freed to which others have a pointer, and
//! shortly before a fault everything that is done to memory that is not the function's own.

use crate::hooks::{Hook, Object, Told, Visible, Ways};
use crate::layout::Region;
use crate::library_words::BUFFER;
use crate::machine::Machine;
use crate::mutex::MUTEX_BYTES;
use crate::places::NamedPlace;
use crate::run_end::RunEnd;
use crate::semaphore::SEMAPHORE_BYTES;
use crate::step::Next;
use crate::thread::Status;
use crate::variables::{is_functions_name, is_librarys};
use dampf_core::SourceLocation;
use dampf_rv::machine::Hart;

const A0: usize = 10;
const A1: usize = 11;
/// Operations of a step that are told though others cannot notice them.
const OPERATIONS_MAX: usize = 24;
/// Accesses of the library in a step for which names are looked for, to see whether they are worth telling.
const LOOKED_AT_MAX: u32 = 256;

/// What is told of a step.
#[derive(Default)]
pub struct StepLog {
    pub events: Vec<Event>,
    /// Accesses and operations that happened and are told only shortly before a fault.
    pub counted: u64,
    /// From which of them on they are told.
    told_from: u64,
    /// Accesses of the library to guarded memory for which a name was looked for.
    looked_at: u32,
    /// Where the step begins, as long as nothing has happened.
    first_pc: Option<u64>,
    /// An access that is told when it happens.
    kept: Option<AccessAhead>,
    /// The branches that were taken or not, where these are asked for and nothing is told.
    branches: Option<Branches>,
    /// The thread whose step it is, and its name: a thread that ends may lose its own.
    mover: (u32, String),
}

/// The branches of a step in the program's own code.
#[derive(Default)]
struct Branches {
    /// Addresses of branch instructions, shifted, with a bit that says whether they were taken.
    seen: Vec<u64>,
    /// A branch that is about to be taken or not: where it is, and what comes behind it.
    ahead: Option<(u64, u64)>,
}

impl Branches {
    /// The thread has come to an instruction.
    fn arrive(&mut self, pc: u64) {
        if let Some((branch, behind)) = self.ahead.take() {
            self.seen.push(branch << 1 | u64::from(pc != behind));
        }
    }
}

/// Something that happens in a step.
#[derive(Clone, Debug)]
pub struct Event {
    pub slot: u32,
    pub thread: String,
    /// The operation that the step begins with.
    pub is_first: bool,
    pub location: Option<SourceLocation>,
    pub function: String,
    pub text: Option<String>,
    pub access: Option<ToldAccess>,
}

/// An access whose value is told.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ToldAccess {
    pub address: u64,
    pub bytes: u64,
    pub writes: bool,
    /// The text of the value before and after.
    pub before: Option<String>,
    pub after: Option<String>,
}

/// An access that is about to happen.
pub struct AccessAhead {
    event: Event,
    place: NamedPlace,
    verb: &'static str,
    address: u64,
    bytes: u64,
    writes: bool,
    before: Option<String>,
    /// Whether it is left out where the same was told of the same line before.
    is_told_once: bool,
}

/// An operation that is about to happen.
pub struct OperationAhead {
    event: Event,
    /// The object, where it is a variable or a semaphore.
    variable: Option<AccessAhead>,
    alive: Vec<u32>,
    is_told: bool,
}

impl StepLog {
    /// A log of a step that begins at an instruction. Of what is not always told, the first `told_from` are left out.
    pub fn new(first_pc: u64, mover: (u32, String), told_from: u64) -> StepLog {
        StepLog { first_pc: Some(first_pc), mover, told_from, ..StepLog::default() }
    }

    /// A log that tells nothing but branches.
    pub fn of_branches() -> StepLog {
        StepLog { branches: Some(Branches::default()), ..StepLog::default() }
    }

    /// The branches of a step that ended at an instruction.
    pub fn into_branches(self, pc: u64) -> Vec<u64> {
        let mut branches = self.branches.unwrap_or_default();
        branches.arrive(pc);
        branches.seen
    }

    /// The name of a thread that has ended.
    fn former_name(&self, slot: u32) -> Option<String> {
        let events = self.events.iter().map(|event| (event.slot, &event.thread));
        let mut named = events.chain([(self.mover.0, &self.mover.1)]);
        named.find(|&(named, _)| named == slot).map(|(_, name)| name.clone())
    }

    /// Counts something that is told only shortly before a fault, and says whether this is so.
    fn count(&mut self) -> bool {
        self.counted += 1;
        self.counted > self.told_from
    }

    fn has_told(&self, event: &Event) -> bool {
        self.events
            .iter()
            .any(|told| (told.slot, &told.text, &told.location) == (event.slot, &event.text, &event.location))
    }

    fn push(&mut self, event: Event) {
        // What a loop does again and again is told once.
        let is_repeated = self
            .events
            .last()
            .is_some_and(|last| (last.slot, &last.text, &last.location) == (event.slot, &event.text, &event.location));
        if !is_repeated {
            self.events.push(event);
        }
    }
}

/// Whether an access of the library to a container says what the line of the program is about that led there: how many
/// elements there are, where they begin and end, and their values.
fn says_much(place: &NamedPlace) -> bool {
    let is_phrase =
        ["the ", "an ", "a ", "what ", "bucket ", "byte "].iter().any(|start| place.name.starts_with(start));
    let is_extent = ["the length of ", "the begin ", "the end pointer ", "the end iterator "];
    is_extent.iter().any(|start| place.name.starts_with(start)) || !is_phrase && place.value.is_some()
}

impl Machine<'_> {
    /// An event at the place where a thread is that runs.
    fn event(&mut self, hart: &Hart, is_first: bool) -> Event {
        let slot = self.threads.running;
        let pc = self.user_pc(hart);
        let location = self.told_location(pc, slot);
        let (thread, function) = (self.thread_name(slot), self.function_name(pc));
        Event { slot, thread, is_first, location, function, text: None, access: None }
    }

    /// Whether the operation that a thread stands before is the one that the step begins with.
    fn begins_step(&mut self, pc: u64) -> bool {
        let log = self.step.log.as_mut().expect("whoever asks has a log");
        log.first_pc.take().is_some_and(|first| first == pc)
    }

    /// The access that the next instruction of the running thread makes, if it is to be told.
    pub fn access_ahead(&mut self, hart: &Hart) -> Option<AccessAhead> {
        let log = self.step.log.as_mut()?;
        let system = self.system;
        if let Some(branches) = &mut log.branches {
            branches.arrive(hart.pc);
            let instruction = system.program.code.at(hart.pc)?;
            if instruction.is_branch() && system.program.is_user_code(hart.pc) {
                branches.ahead = Some((hart.pc, hart.pc + u64::from(instruction.length)));
            }
            return None;
        }
        if system.program.hook(hart.pc).is_some() {
            return None;
        }
        let is_first = self.begins_step(hart.pc);
        let access = system.program.code.at(hart.pc)?.memory_access()?;
        let address = hart.x[usize::from(access.base)].wrapping_add(access.offset as i64 as u64);
        // Most accesses are to the thread's own stack, so this is asked before anything that takes long.
        if !is_first && (!self.is_of_interest(address) || self.acts_for_framework(hart)) {
            return None;
        }
        // What is used under a mutex makes no steps, and is what the critical section is about.
        let is_guarded = !is_first && self.is_guarded(address);
        let is_users = is_guarded && self.is_user_line(hart.pc);
        let log = self.step.log.as_mut()?;
        let has_room = log.events.len() < OPERATIONS_MAX;
        let is_wanted = is_first || if is_users { has_room } else { log.count() };
        let by_library = is_guarded && !is_users && !is_wanted && has_room && log.looked_at < LOOKED_AT_MAX;
        if !is_wanted && !by_library {
            return None;
        }
        let verb = match (access.writes, access.atomic) {
            (true, true) => "updates",
            (true, false) => "writes",
            (false, _) => "reads",
        };
        let mut ahead = self.ahead(hart, is_first, verb, (address, access.bytes.into(), access.writes));
        if by_library {
            self.step.log.as_mut()?.looked_at += 1;
            ahead.is_told_once = true;
            return says_much(&ahead.place).then_some(ahead);
        }
        Some(ahead)
    }

    /// Keeps what is known of an access until it happens.
    pub fn keep_ahead(&mut self, access: AccessAhead) {
        if let Some(log) = &mut self.step.log {
            log.kept = Some(access);
        }
    }

    /// The access that the next instruction of the running thread makes, which others can notice: it is what the step
    /// is about.
    pub fn shared_access_ahead(&mut self, hart: &Hart) -> Option<AccessAhead> {
        let log = self.step.log.as_mut()?;
        if let Some(kept) = log.kept.take() {
            return Some(kept);
        }
        let has_room = log.events.len() < OPERATIONS_MAX;
        let may_look = log.looked_at < LOOKED_AT_MAX;
        let access = self.plain_access_ahead(hart)?;
        let by_library = !self.is_user_line(hart.pc);
        if !has_room || by_library && !may_look || self.acts_for_framework(hart) {
            return None;
        }
        let mut ahead = self.ahead(hart, false, access.told(), (access.address, access.bytes, access.writes));
        if by_library {
            self.step.log.as_mut()?.looked_at += 1;
            ahead.is_told_once = true;
            return says_much(&ahead.place).then_some(ahead);
        }
        Some(ahead)
    }

    fn ahead(
        &mut self,
        hart: &Hart,
        is_first: bool,
        verb: &'static str,
        (address, bytes, writes): (u64, u64, bool),
    ) -> AccessAhead {
        let event = self.event(hart, is_first);
        let operating = self.threads.operating.replace(hart.clone());
        let mut place = self.named_place(address);
        // Of a block that is there nothing is to be said but the name; one that is gone is what a fault is about.
        let freed = self.block_origin(address).filter(|origin| origin.starts_with("the freed"));
        if let Some(freed) = freed.filter(|freed| !place.name.contains(freed)) {
            place.name.push_str(&format!(", in {freed}"));
        }
        self.threads.operating = operating;
        let is_buffer = BUFFER.strip_suffix("{}").is_some_and(|start| place.name.starts_with(start));
        if is_buffer && !self.system.program.is_user_line(hart.pc) {
            place.value = None;
        }
        let before = self.value_at(place.value, address, bytes);
        AccessAhead { event, place, verb, address, bytes, writes, before, is_told_once: false }
    }

    /// Whether memory is something that people care about: not the thread's own stack, nor what the libraries keep.
    fn is_of_interest(&self, address: u64) -> bool {
        let program = &self.system.program;
        if let Some((_, masks)) = program.line(address) {
            let is_text = || program.debug.global_at(address).is_some_and(|variable| is_functions_name(&variable.name));
            return masks.user >> (address % 64) & 1 == 1 && !is_text();
        }
        match Region::of(address, self.slots()) {
            Some(Region::Stack(slot)) => slot != self.threads.running,
            Some(Region::Shared(_) | Region::Private(_)) | None => true,
            Some(Region::Globals | Region::Tls(_) | Region::Break | Region::Maps | Region::LibraryHeap) => false,
        }
    }

    fn is_users_lock(&self, address: u64) -> bool {
        let is_own = Region::of(address, self.slots()) == Some(Region::Stack(self.threads.running));
        let is_ours = self.system.program.debug.global_at(address).is_some_and(|variable| is_librarys(&variable.name));
        is_own || self.is_of_interest(address) && !is_ours
    }

    /// Tells an access, which has happened or not.
    pub fn log_access(&mut self, ahead: AccessAhead, has_happened: bool) {
        let is_told_once = ahead.is_told_once;
        let event = self.told_access(ahead, has_happened);
        if let Some(log) = &mut self.step.log
            && !(is_told_once && log.has_told(&event))
        {
            log.push(event);
        }
    }

    fn told_access(&self, ahead: AccessAhead, has_happened: bool) -> Event {
        let AccessAhead { mut event, place: NamedPlace { name, value }, verb, address, bytes, writes, before, .. } =
            ahead;
        let after = if has_happened { self.value_at(value, address, bytes) } else { None };
        event.text = Some(match (&before, &after) {
            (Some(before), Some(after)) if verb == "updates" && before != after => {
                format!("{verb} {name}: {before} -> {after}")
            }
            (_, Some(after)) => format!("{verb} {name}: {after}"),
            (_, None) => format!("{verb} {name}"),
        });
        event.access = after.is_some().then_some(ToldAccess { address, bytes, writes, before, after });
        event
    }

    /// The operation that the running thread is about to perform, if there is a log.
    pub fn operation_ahead(&mut self, hook: Hook, hart: &Hart, way: Option<u32>) -> Option<OperationAhead> {
        self.step.log.as_ref()?;
        let is_first = self.begins_step(hart.pc);
        let is_lock = matches!(hook.object, Object::Synchronisation { .. }) || hook.visible == Visible::AsJoin;
        // What the libraries do with locks of their own is nobody's concern.
        let is_library = matches!(hook.object, Object::Synchronisation { .. }) && !self.is_users_lock(hart.x[A0]);
        let is_silent = matches!(hook.told, Told::BySource) || is_library || self.acts_for_framework(hart);
        // Whoever follows a pointer to a freed block has to be told who freed it.
        let is_free = hook.visible == Visible::AsFree && !self.step.alone;
        let leaves_pointer = is_free && !is_silent && self.is_known_to_others(hart.x[A0]);
        let log = self.step.log.as_mut()?;
        let is_told = match () {
            () if is_first => true,
            () if is_silent => false,
            () if leaves_pointer || is_lock && !self.step.alone => log.events.len() < OPERATIONS_MAX,
            () => log.count(),
        };
        let mut event = self.event(hart, is_first);
        let mut variable = None;
        if is_told {
            let operating = self.threads.operating.replace(hart.clone());
            event.text = match hook.told {
                Told::BySource => None,
                Told::Verb(verb) => {
                    let block = if hook.visible == Visible::AsFree { self.told_block(hart.x[A0]) } else { None };
                    Some(format!("{verb} {}", block.unwrap_or_else(|| self.named_place(hart.x[A0]).name)))
                }
                Told::By(told) => told(self, hart, way.unwrap_or(0)),
            };
            self.threads.operating = operating;
            variable = self.variable_ahead(hook, hart);
        }
        Some(OperationAhead { event, variable, alive: self.threads.alive_slots(), is_told })
    }

    /// A block by a pointer to it and by where it is from: a fault behind it names the latter.
    fn told_block(&self, address: u64) -> Option<String> {
        let name = self.pointed_block(address)?;
        let origin = self.block_origin(address).map_or_else(String::new, |origin| format!(" ({origin})"));
        Some(format!("{name}{origin}"))
    }

    /// The variable that an operation is about.
    fn variable_ahead(&mut self, hook: Hook, hart: &Hart) -> Option<AccessAhead> {
        let (bytes, writes) = hook.object_access()?;
        let verb = match hook.told {
            Told::Verb(verb) => verb,
            _ => "",
        };
        match hook.object {
            Object::None => None,
            Object::Atomic { .. } | Object::PlainRead => {
                Some(self.ahead(hart, false, verb, (hart.x[A0], bytes, writes)))
            }
            Object::Synchronisation { bytes: SEMAPHORE_BYTES, .. } => {
                let mut ahead = self.ahead(hart, false, verb, (hart.x[A0], 4, writes));
                ahead.before = Some(self.memory.peek_word(hart.x[A0]).to_string());
                Some(ahead)
            }
            Object::Synchronisation { .. } => None,
        }
    }

    /// Tells an operation, with what it came to.
    pub fn log_operation(&mut self, ahead: OperationAhead, hook: Hook, hart: &Hart, end: &Result<Next, RunEnd>) {
        if matches!(end, Err(RunEnd::Visible | RunEnd::Blocked | RunEnd::Refuted | RunEnd::Unsupported(_))) {
            return;
        }
        let OperationAhead { mut event, variable, alive, is_told } = ahead;
        let created: Vec<u32> = self.threads.alive_slots().into_iter().filter(|slot| !alive.contains(slot)).collect();
        if !created.is_empty() {
            let names: Vec<String> = created.iter().map(|&slot| self.thread_name(slot)).collect();
            event.text = Some(format!("creates {}", names.join(" and ")));
        } else if !is_told {
            return;
        } else if let Some(variable) = variable {
            self.tell_variable(&mut event, variable, hook, hart, end);
        } else if let Some(text) = &mut event.text {
            text.push_str(&self.told_lock(hook, hart, end));
        }
        if let Some(log) = &mut self.step.log {
            log.push(event);
        }
    }

    /// Tells what became of the variable of an operation.
    fn tell_variable(
        &self,
        event: &mut Event,
        variable: AccessAhead,
        hook: Hook,
        hart: &Hart,
        end: &Result<Next, RunEnd>,
    ) {
        let has_happened = end.is_ok();
        let (address, bytes, ty) = (variable.address, variable.bytes, variable.place.value);
        let compares = matches!(hook.ways, Ways::MayFail) || variable.verb == "compares and exchanges";
        if compares {
            let returned = match end {
                Ok(Next::Return(value)) => *value,
                _ => return,
            };
            let is_pointer_expected = !hook.side_accesses.is_empty();
            let has_exchanged = match is_pointer_expected {
                true => returned == 1,
                false => {
                    crate::atomics::truncated(returned, bytes as u8)
                        == crate::atomics::truncated(hart.x[A1], bytes as u8)
                }
            };
            let after = self.value_at(ty, address, bytes);
            if let (Some(text), Some(before), Some(after)) = (&mut event.text, &variable.before, &after) {
                match has_exchanged {
                    true => text.push_str(&format!(": {before} -> {after}")),
                    false if text.contains(", which fails") => text.push_str(&format!(": {after}")),
                    false => text.push_str(&format!(", which fails: it is {after}")),
                }
                let (before, after) = (variable.before.clone(), Some(after.clone()));
                event.access = Some(ToldAccess { address, bytes, writes: has_exchanged, before, after });
            }
            return;
        }
        if let Object::Synchronisation { .. } = hook.object {
            let after = self.memory.peek_word(address).to_string();
            if let (Some(text), Some(before)) = (&mut event.text, &variable.before) {
                text.push_str(&match *before == after {
                    true => format!(": {after}"),
                    false => format!(": {before} -> {after}"),
                });
                let (before, after) = (variable.before.clone(), Some(after));
                event.access = Some(ToldAccess { address, bytes, writes: true, before, after });
            }
            return;
        }
        let told = self.told_access(variable, has_happened);
        (event.text, event.access) = (told.text, told.access);
    }

    /// Who holds a lock that could not be taken, and who waits for one that is given back.
    fn told_lock(&self, hook: Hook, hart: &Hart, end: &Result<Next, RunEnd>) -> String {
        let lock = hart.x[A0];
        let Object::Synchronisation { bytes, .. } = hook.object else { return String::new() };
        let Ok(Next::Return(result)) = end else { return String::new() };
        if *result != 0 && bytes == MUTEX_BYTES {
            let owner = self
                .mutex_owner(lock)
                .map_or_else(String::new, |owner| format!(": {} holds it", self.thread_name(owner)));
            return format!(", which fails{owner}");
        }
        if hook.visible != Visible::AsRelease {
            return String::new();
        }
        let waits = |slot: &u32| {
            let thread = &self.threads[*slot as usize];
            match thread.status {
                Status::Reacquiring { mutex, .. } => mutex == lock,
                Status::Running => self.system.program.hook(thread.pc).is_some_and(|hook| {
                    matches!(hook.ways, Ways::Waits(_))
                        && matches!(hook.object, Object::Synchronisation { .. })
                        && self.threads.register(*slot, A0) == lock
                }),
                _ => false,
            }
        };
        let running = self.threads.running;
        let waiting = self.threads.alive_slots().into_iter().filter(|&slot| slot != running).filter(waits);
        let names: Vec<String> = waiting.map(|slot| self.thread_name(slot)).collect();
        match names.len() {
            0 => String::new(),
            1 => format!(", {} waits for it", names[0]),
            _ => format!(", {} wait for it", names.join(" and ")),
        }
    }

    /// Tells that the running thread has ended, if it has.
    pub fn log_end(&mut self) {
        let slot = self.threads.running;
        let has_ended = !self.threads[slot as usize].is_alive() && self.process.ended.is_none();
        // A search has no log and ends threads all the time, and to name a thread takes longer than most steps.
        if self.step.log.is_none() || !has_ended {
            return;
        }
        let (text, function) = (Some("ends".to_owned()), String::new());
        let name = self.thread_name(slot);
        if let Some(log) = self.step.log.as_mut() {
            let thread = log.former_name(slot).unwrap_or(name);
            log.push(Event { slot, thread, is_first: false, location: None, function, text, access: None });
        }
    }

    /// The line of the user's that an instruction belongs to; for what the libraries do before and after the function
    /// that a thread was given, the line that created the thread.
    pub fn told_location(&self, pc: u64, slot: u32) -> Option<SourceLocation> {
        let program = &self.system.program;
        if program.is_user_line(pc) || program.debug.user_code().is_empty() {
            return program.location(pc);
        }
        // The creation site is the address behind the call.
        let created = u64::from(self.threads[slot as usize].created_at).checked_sub(2)?;
        program.is_user_line(created).then(|| program.location(created)).flatten()
    }
}
