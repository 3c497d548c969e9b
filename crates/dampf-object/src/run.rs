//! One run of a program, without keeping its states.

use crate::machine::Machine;
use crate::model::ObjectModel;
use crate::run_end::RunEnd;
use crate::sharing::read_facts;
use crate::start;
use crate::system::System;
use dampf_core::{Fault, Unsupported};

/// How a run ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ending {
    Exited(u8),
    Fault(Fault),
    Deadlock,
}

impl ObjectModel {
    /// Runs the program once and hands over what it prints. Threads take turns when one has to wait, or by the seed.
    pub fn run_once(&self, seed: u64, print: &mut dyn FnMut(&[u8])) -> Result<Ending, Unsupported> {
        self.run_counted(seed, print).map(|(ending, _)| ending)
    }

    /// Like [`run_once`](Self::run_once), with the number of instructions that were executed.
    pub fn run_counted(&self, seed: u64, print: &mut dyn FnMut(&[u8])) -> Result<(Ending, u64), Unsupported> {
        // Nobody looks at the states, so what is shared does not matter: but what turns out to be must be learnt.
        let mut sharing = self.system.sharing.clone();
        loop {
            let system = System::new(self.system.program.clone(), self.system.options, sharing.clone());
            let mut printed = Vec::new();
            let mut machine = Machine::new(&system);
            let ending = run(&mut machine, seed, &mut |text| printed.extend_from_slice(text));
            let Some(revise) = machine.take_refuted() else {
                print(&printed);
                return ending.map(|ending| (ending, machine.instructions));
            };
            sharing.learn(read_facts(&String::from_utf8_lossy(&revise.facts)));
        }
    }
}

fn run(machine: &mut Machine<'_>, seed: u64, print: &mut dyn FnMut(&[u8])) -> Result<Ending, Unsupported> {
    let mut random = seed;
    let mut slot = 0;
    if let Err(stop) = start::start(machine) {
        return ended(machine, stop);
    }
    loop {
        print(&std::mem::take(&mut machine.step.output));
        if let Some(status) = machine.process.ended {
            return Ok(Ending::Exited(status));
        }
        let slots = machine.slots() as u32;
        let next = (0..slots).map(|turn| (slot + turn) % slots).find_map(|slot| match machine.ways(slot) {
            Ok(0) => None,
            Ok(ways) => Some(Ok((slot, ways))),
            Err(stop) => Some(Err(stop)),
        });
        let (turn, ways) = match next {
            None => return Ok(Ending::Deadlock),
            Some(Ok(next)) => next,
            Some(Err(stop)) => return ended(machine, stop),
        };
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(seed);
        let way = (random >> 33) as u32 % ways;
        // A seed other than zero also decides whose turn is next.
        slot = if seed == 0 { turn } else { turn + (random >> 50) as u32 % slots };
        if let Err(stop) = machine.advance(turn, way) {
            print(&std::mem::take(&mut machine.step.output));
            return ended(machine, stop);
        }
        machine.step.fresh.clear();
        if machine.memory.space.is_full() {
            machine.memory.space.settle();
        }
    }
}

fn ended(machine: &mut Machine<'_>, stop: RunEnd) -> Result<Ending, Unsupported> {
    match machine.fault_of(stop)? {
        Some(fault) => Ok(Ending::Fault(fault)),
        None => Ok(Ending::Deadlock),
    }
}
