//! Threads, registers and memory of a state, for debuggers.

use crate::access::lines;
use crate::layout::Region;
use crate::machine::Machine;
use crate::model::ObjectModel;
use dampf_core::{Inspect, Model, Word};

const INTEGER_REGISTERS: usize = 32;

impl Inspect for ObjectModel {
    fn threads(&self, state: &[Word]) -> Vec<u32> {
        let mut worker = self.worker();
        worker.machine.load(state);
        worker.machine.threads.alive_slots()
    }

    /// The zero register and its fellows x1 to x31, then the program counter.
    fn registers(&self, state: &[Word], thread: u32) -> Option<Vec<u64>> {
        let mut worker = self.worker();
        let machine = &mut worker.machine;
        machine.load(state);
        machine.threads.alive_slots().contains(&thread).then(|| {
            let hart = machine.threads.hart_mut(thread);
            hart.x[..INTEGER_REGISTERS].iter().copied().chain([hart.pc]).collect()
        })
    }

    fn read_memory(&self, state: &[Word], thread: u32, address: u64, bytes: &mut [u8]) -> bool {
        let mut worker = self.worker();
        let machine = &mut worker.machine;
        machine.load(state);
        machine.threads.alive_slots().contains(&thread)
            && machine.has_object(thread, address, bytes.len() as u64)
            && machine.memory.peek(address, bytes)
    }
}

impl Machine<'_> {
    /// Whether bytes belong to objects of the program, as a thread sees them. Below a stack pointer there are none.
    fn has_object(&mut self, thread: u32, address: u64, bytes: u64) -> bool {
        self.threads.running = thread;
        if address.checked_add(bytes).is_none() {
            return false;
        }
        let is_left = match Region::of(address, self.slots()) {
            Some(Region::Stack(slot)) => address < self.threads[slot as usize].sp,
            _ => false,
        };
        !is_left
            && lines(address, bytes)
                .all(|(line, mask)| self.standing(line).is_some_and(|standing| standing.valid & mask == mask))
    }
}
