//! What is watched of whole runs, and which steps a thread has to make so that nothing of it is missed.
//!
//! Properties of runs look at states, and there are states between steps only. What a proposition looks at is therefore
//! *visible*, in the sense of partial-order reduction: a write to a watched byte is the first thing that a step does,
//! even of a thread that is alone, and a thread that comes to a watched place, or leaves it, stops there. Only within
//! an atomic section, which is one step, and before `main`, nothing is seen.
//!
//! **Which reductions keep whole runs.** Properties are those that do not count how often a state is repeated
//! (stutter-invariant ones); every state has the steps of all threads, so that no thread is put off for ever.
//! - *Thread-local memory* ([`sharing`](crate::sharing)), *words that one thread uses, or all under one mutex*
//!   ([`uses`](crate::uses)): kept. What is left out between two states changes neither a proposition nor who can move.
//!   A thread that never comes to a visible operation is interrupted, and seen to go round.
//! - *Segments* ([`segments`](crate::segments)): kept. Without races plain accesses commute with what others do; those
//!   to watched bytes begin steps and so are seen in every order. A segment may end anywhere.
//! - *Folded releases* ([`observed`](crate::observed)) and *transactions* ([`transactions`](crate::transactions)): not
//!   kept. A thread that locks and unlocks for ever would be seen with the lock free alone; whoever waits for it could
//!   always move, so that a fair run in which it starves would not count as fair. Both are switched off.
//! - *The end of a thread* and *joining* it, *leaving a barrier*: kept, folded as they are. Whom they let go on can
//!   move from then on until it does.
//! - *Loops that try for a while* ([`spin_counters`](crate::spin_counters)): not kept. A thread that goes round with
//!   its counter put back would go round for ever, though its tries are limited. Switched off. A loop that waits
//!   without counting (`while (!flag);`) is a cycle of states in which its thread moves, as it is in the program.
//! - *Symmetry* ([`symmetry`](crate::symmetry)): not kept, since it is told who moves. Refused by whoever asks.
//!
//! All of this is part of what is known of a program ([`Sharing`](crate::sharing::Sharing)), since a trail is a run of
//! a model with just these steps.

use crate::hooks::Hook;
use crate::machine::Machine;
use crate::run_end::RunEnd;
use dampf_rv::debug::Frame;
use dampf_rv::machine::Hart;
use dampf_rv::memory::LINE_BYTES;
use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::access::lines;
use crate::faults::short_name;

/// So many places can be watched.
pub const PLACES_MAX: usize = 64;

/// A place in the code that threads are at or not.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CodePlace {
    /// A line of a file, whose path ends like this.
    Line { file: String, line: u32 },
    /// A call of a function, which may have called others.
    Function { name: String },
}

impl CodePlace {
    /// Whether it is the line that is told for an instruction with these frames, or one of their functions.
    pub fn is_told_for(&self, frames: &[Frame]) -> bool {
        self.is_among(frames, crate::program::is_users)
    }

    /// Whether one of the frames at an instruction, innermost first, is this place.
    fn is_among(&self, frames: &[Frame], is_users: impl Fn(&Frame) -> bool) -> bool {
        match self {
            // The line that is told in trails.
            CodePlace::Line { file, line } => {
                let told = frames.iter().find(|frame| is_users(frame)).or(frames.first());
                told.is_some_and(|frame| frame.line == *line && is_path_end(&frame.file, file))
            }
            CodePlace::Function { name } => frames.iter().any(|frame| is_name_of(name, &frame.function)),
        }
    }
}

/// Whether a path is another one, or ends with it as a whole.
fn is_path_end(path: &str, end: &str) -> bool {
    path.strip_suffix(end).is_some_and(|before| before.is_empty() || before.ends_with('/'))
}

/// Whether a function is called like this, with its namespaces and classes or without.
pub fn is_name_of(name: &str, function: &str) -> bool {
    let function = short_name(function);
    function.strip_suffix(name).is_some_and(|before| before.is_empty() || before.ends_with("::"))
}

/// What is watched.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Watch {
    /// Whether whole runs are.
    pub runs: bool,
    /// Bytes among the globals, as masks by line.
    words: BTreeMap<u64, u64>,
    pub places: Vec<CodePlace>,
}

/// What stands before the parts of this in files.
const RUNS: &str = "watch-runs";
const BYTES: &str = "watch-bytes ";
const LINE: &str = "watch-line ";
const FUNCTION: &str = "watch-function ";

impl Watch {
    pub fn add_bytes(&mut self, address: u64, bytes: u64) {
        for (line, mask) in lines(address, bytes) {
            *self.words.entry(line).or_default() |= mask;
        }
    }

    /// The number of a place, new or not; none where there are too many.
    pub fn add_place(&mut self, place: CodePlace) -> Option<usize> {
        let known = self.places.iter().position(|known| *known == place);
        known.or_else(|| {
            self.places.push(place);
            (self.places.len() <= PLACES_MAX).then_some(self.places.len() - 1)
        })
    }

    /// The watched bytes of a line.
    #[inline]
    pub fn mask(&self, line: u64) -> u64 {
        if self.words.is_empty() { 0 } else { self.words.get(&line).copied().unwrap_or(0) }
    }

    #[inline]
    fn has_bytes(&self, address: u64, bytes: u64) -> bool {
        !self.words.is_empty() && lines(address, bytes).any(|(line, mask)| self.mask(line) & mask != 0)
    }

    pub fn write(&self, out: &mut String) {
        let mut line = |text: String| writeln!(out, "{text}").expect("a string takes everything");
        if self.runs {
            line(RUNS.to_owned());
        }
        self.words.iter().for_each(|(at, mask)| line(format!("{BYTES}{at} {mask}")));
        for place in &self.places {
            line(match place {
                CodePlace::Line { file, line } => format!("{LINE}{line} {file}"),
                CodePlace::Function { name } => format!("{FUNCTION}{name}"),
            });
        }
    }

    pub fn read(text: &str) -> Watch {
        let mut watch = Watch { runs: text.lines().any(|line| line == RUNS), ..Watch::default() };
        for line in text.lines() {
            if let Some((at, mask)) = line.strip_prefix(BYTES).and_then(|rest| rest.split_once(' '))
                && let (Ok(at), Ok(mask)) = (at.parse::<u64>(), mask.parse())
            {
                watch.words.insert(at & !(LINE_BYTES as u64 - 1), mask);
            }
            let place = match (line.strip_prefix(LINE), line.strip_prefix(FUNCTION)) {
                (Some(rest), _) => rest
                    .split_once(' ')
                    .and_then(|(line, file)| Some(CodePlace::Line { file: file.to_owned(), line: line.parse().ok()? })),
                (_, Some(name)) => Some(CodePlace::Function { name: name.to_owned() }),
                _ => None,
            };
            watch.places.extend(place);
        }
        watch.places.truncate(PLACES_MAX);
        watch
    }
}

impl Machine<'_> {
    /// Whether the running thread has to stop before it changes these bytes: a proposition looks at them.
    #[inline]
    pub fn stops_for_watch(&self, address: u64, bytes: u64) -> bool {
        self.system.sharing.watch.has_bytes(address, bytes) && !self.step.passes_watched && self.is_watched()
    }

    /// Whether what the running thread does is seen: it is in the program, and not within an atomic section.
    fn is_watched(&self) -> bool {
        !self.step.before_main && self.threads.current().atomic == 0
    }

    /// Whether the next instruction of the running thread changes watched bytes.
    pub fn writes_watched_ahead(&self, hart: &Hart) -> bool {
        let access = self.system.program.code.at(hart.pc).and_then(|instruction| instruction.memory_access());
        access.filter(|access| access.writes).is_some_and(|access| {
            let address = hart.x[usize::from(access.base)].wrapping_add(access.offset as i64 as u64);
            self.system.sharing.watch.has_bytes(address, access.bytes.into())
        })
    }

    /// Whether an operation may change watched bytes, so that the running thread has to stop before it.
    pub fn operation_stops_for_watch(&self, hook: Hook, hart: &Hart) -> bool {
        const A0: usize = 10;
        if self.system.sharing.watch.words.is_empty() {
            return false;
        }
        let object = hook.object_access().filter(|(_, writes)| *writes);
        object.is_some_and(|(bytes, _)| self.stops_for_watch(hart.x[A0], bytes))
            || self
                .side_accesses(hook, |number| hart.x[number])
                .any(|access| access.writes && self.stops_for_watch(access.address, access.bytes))
    }

    /// The same for a system call.
    pub fn call_stops_for_watch(&self, hart: &Hart) -> bool {
        let access = self.call_access(|number| hart.x[number]).filter(|access| access.writes);
        access.is_some_and(|access| self.stops_for_watch(access.address, access.bytes))
    }

    /// Lets the running thread do something without a stop before watched bytes.
    pub fn passing_watched<T>(&mut self, act: impl FnOnce(&mut Self) -> Result<T, RunEnd>) -> Result<T, RunEnd> {
        self.step.passes_watched = true;
        let acted = act(self);
        self.step.passes_watched = false;
        acted
    }

    /// Notes at which watched places the running thread is when it begins to run.
    pub fn note_places(&mut self, hart: &Hart) {
        if !self.system.sharing.watch.places.is_empty() {
            self.step.places = self.places_at(self.user_pc(hart));
        }
    }

    /// Whether the running thread has come to a watched place, or left one, since it began to run.
    pub fn changes_place(&self, pc: u64) -> bool {
        self.is_watched() && self.is_user_line(pc) && self.places_at(pc) != self.step.places
    }

    /// The watched places that an instruction belongs to, as bits. Debug information is read once for each.
    fn places_at(&self, pc: u64) -> u64 {
        let mut known = self.scratch.places.borrow_mut();
        *known.entry(pc).or_insert_with(|| {
            let program = &self.system.program;
            let frames = program.debug.frames(pc);
            let places = self.system.sharing.watch.places.iter().enumerate();
            let mut bits = 0;
            for (number, place) in places {
                bits |= u64::from(place.is_told_for(&frames)) << number;
            }
            bits
        })
    }

    /// Whether some thread is at a watched place: at a line with the instruction that is told of it, within a call of a
    /// function with any of its calls. A process that has ended has no threads.
    pub fn is_somebody_at(&mut self, number: usize) -> bool {
        if self.process.ended.is_some() {
            return false;
        }
        let bit = 1 << number;
        let is_function = matches!(self.system.sharing.watch.places[number], CodePlace::Function { .. });
        self.threads.alive_slots().into_iter().any(|slot| {
            let hart = self.threads.take_hart(slot);
            let mut is_there = self.places_at(self.user_pc(&hart)) & bit != 0;
            if is_function && !is_there {
                is_there = self.call_stack(&hart).into_iter().any(|pc| self.places_at(pc) & bit != 0);
            }
            self.threads.put_hart(slot, hart);
            is_there
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_watched_reads_back_as_it_was_written() {
        let mut watch = Watch { runs: true, ..Watch::default() };
        watch.add_bytes(60, 8);
        watch.add_bytes(1 << 20, 1);
        assert_eq!(watch.add_place(CodePlace::Line { file: "a file.c".to_owned(), line: 7 }), Some(0));
        assert_eq!(watch.add_place(CodePlace::Function { name: "Queue::push".to_owned() }), Some(1));
        assert_eq!(watch.add_place(CodePlace::Line { file: "a file.c".to_owned(), line: 7 }), Some(0));
        let mut text = "nonsense\nwatch-bytes x y\n".to_owned();
        watch.write(&mut text);
        assert_eq!(Watch::read(&text), watch);
        assert!(
            watch.has_bytes(59, 2) && watch.has_bytes(64, 1) && !watch.has_bytes(0, 60) && !watch.has_bytes(68, 99)
        );
        assert_eq!(Watch::read(""), Watch::default());
    }

    #[test]
    fn names_of_files_and_functions_count_from_their_ends() {
        assert!(is_path_end("/home/me/queue.c", "queue.c") && is_path_end("queue.c", "queue.c"));
        assert!(is_path_end("/home/me/queue.c", "me/queue.c") && !is_path_end("/home/my_queue.c", "queue.c"));
        assert!(is_name_of("push", "Queue::push(int)") && is_name_of("Queue::push", "Queue::push(int)"));
        assert!(!is_name_of("push", "Queue::repush(int)") && is_name_of("main", "main"));
    }
}
