//! What a step reads and writes, found out by taking it with recording on.
//!
//! Objects are words of memory, threads (what is not memory of them: registers, what they wait for, where their stack
//! ends), heap arenas (which blocks there are), and the process, which stands for everything that all threads depend
//! on: which threads there are, who is in an atomic section, what the system has mapped. Every step reads the process,
//! so a step that writes it conflicts with every other.
//!
//! What is known of an access follows from where it is: memory of a stack is valid by the stack pointer of its thread,
//! memory of the heap by the blocks of its arena. A thread that waits is named by what it waits for, so whoever looks
//! for waiting threads reads what those who wait write.
//!
//! Where races are looked for, a step also has the accesses that its thread stands before afterwards: they decide
//! whether the state behind it is a race, and so whether another step comes too late to see that.

use crate::layout::Region;
use crate::machine::Machine;
use crate::memory::Recorder;
use crate::model::{ObjectModel, ObjectWorker, parts};
use crate::run_end::RunEnd;
use crate::thread::{Status, Thread};
use dampf_core::{Action, Footprint, Footprints, Model, Object, Word};

/// Memory is told apart in words of so many bytes.
const WORD_BYTES: u64 = 4;

/// Stretches longer than this stand for everything.
const STRETCH_MAX: u64 = 1 << 16;

/// The highest bits of an object's number say what it is.
const KIND: u64 = 3 << 62;
const THREAD: u64 = 1 << 62;
const ARENAS: u64 = 2 << 62;
const PROCESS: Object = Object(3 << 62);

fn thread(slot: u32) -> Object {
    Object(THREAD | u64::from(slot))
}

fn arenas(slot: u32) -> Object {
    Object(ARENAS | u64::from(slot))
}

/// The words that a stretch of memory lies in; none if it is too long.
fn words(address: u64, bytes: u64) -> Option<impl Iterator<Item = Object>> {
    let last = address.checked_add(bytes.max(1) - 1).filter(|_| bytes <= STRETCH_MAX)?;
    Some((address / WORD_BYTES..=last / WORD_BYTES).map(Object))
}

impl ObjectWorker<'_> {
    /// Fills `footprint` with what a step of a state reads and writes. A worker that is kept knows the code it has
    /// seen, and is faster than [`Footprints`].
    pub fn footprint(&mut self, state: &[Word], action: Action, footprint: &mut Footprint) {
        footprint.clear();
        let (slot, way) = parts(action);
        let machine = &mut self.machine;
        machine.load(state);
        footprint.reads.push(PROCESS);
        if slot as usize >= machine.slots() {
            return;
        }
        let before: Vec<Thread> = machine.threads.iter().copied().collect();
        machine.memory.record();
        let ended = machine.ways(slot).and_then(|_| machine.advance(slot, way));
        if machine.checks_races() && ended.is_ok() {
            machine.note_next_accesses();
        }
        let recorded = machine.memory.recorded();
        footprint.reads.push(thread(slot));
        footprint.writes.push(thread(slot));
        machine.add_recorded(&recorded, footprint);
        footprint.writes.extend(machine.threads.touched().iter().map(|&slot| thread(slot)));
        footprint.writes.extend(machine.heap.touched().iter().map(|&slot| arenas(slot)));
        if !matches!(ended, Ok(()) | Err(RunEnd::Visible)) || machine.has_changed_process(&before) {
            footprint.writes.push(PROCESS);
        }
        footprint.normalise();
    }
}

impl Footprints for ObjectModel {
    fn footprint(&self, state: &[Word], action: Action, footprint: &mut Footprint) {
        self.worker().footprint(state, action, footprint);
    }

    fn object_name(&self, object: Object) -> String {
        let number = object.0 & !KIND;
        match object.0 & KIND {
            THREAD => format!("thread {number}"),
            ARENAS => format!("heap blocks of thread {number}"),
            0 => {
                let address = number * WORD_BYTES;
                let name = self.system.program.debug.name_address(address);
                name.unwrap_or_else(|| format!("{address:#x}"))
            }
            _ => "process".to_owned(),
        }
    }
}

impl Machine<'_> {
    /// Records the accesses that threads stand before which have moved in this step.
    fn note_next_accesses(&mut self) {
        let mut pending = Vec::new();
        for &slot in self.threads.touched() {
            self.add_pending(slot, &mut pending);
            self.add_segment(slot, &mut pending);
        }
        for access in pending {
            match access.writes {
                true => self.memory.note_write(access.address, access.bytes),
                false => self.memory.note_read(access.address, access.bytes),
            }
        }
    }

    /// Adds the memory that was accessed, and what decides whether it may be.
    fn add_recorded(&self, recorded: &Recorder, footprint: &mut Footprint) {
        for (stretches, writes) in [(&recorded.reads, false), (&recorded.writes, true)] {
            for &(address, bytes) in stretches {
                let objects = if writes { &mut footprint.writes } else { &mut footprint.reads };
                match words(address, bytes) {
                    Some(words) => objects.extend(words),
                    None => footprint.writes.push(PROCESS),
                }
                footprint.reads.extend(match Region::of(address, self.slots()) {
                    Some(Region::Stack(slot) | Region::Tls(slot)) => Some(thread(slot)),
                    Some(Region::Shared(slot) | Region::Private(slot)) => Some(arenas(slot)),
                    Some(Region::Globals | Region::Break | Region::Maps | Region::LibraryHeap) | None => None,
                });
            }
        }
    }

    /// Whether something has changed that all threads depend on. A thread in an atomic section lets nobody else move,
    /// unless it has to wait.
    fn has_changed_process(&self, before: &[Thread]) -> bool {
        let standing =
            |thread: &Thread| (thread.is_alive(), thread.status == Status::Absent, thread.is_free(), thread.detached);
        let is_in_section = |thread: &Thread| thread.atomic > 0;
        self.process.is_changed()
            || self.process.ended.is_some()
            || self
                .threads
                .iter()
                .zip(before)
                .any(|(now, before)| standing(now) != standing(before) || is_in_section(now) || is_in_section(before))
    }
}
