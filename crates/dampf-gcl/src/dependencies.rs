//! What steps read, write, enable and disable: the knowledge that reductions live on.
//!
//! A static over-approximation. A step counts as enabled where it is among the successors, a faulty one
//! included. The relations begin with "writes what the other's enabledness depends on" and leave out what
//! cannot be: a process that arrives elsewhere than where the other step starts, a send that would enable a
//! send, a stored constant that contradicts a guard.
//!
//! Atomicity makes every step depend on the holder, and on whether the holder can move. Where no holder can ever
//! block, atomicity is never lost, and only steps from or into locations of holders have to do with it.

mod knowledge;
mod objects;

pub use objects::{Object, Objects};

use crate::ir::{ActionSource, ChannelId, Effect, Expr, LocationId, Place, ProcessId, Program, Sync, Transition};
use crate::model::GclModel;
use dampf_core::Dependencies;
use knowledge::{Knowledge, may_fault};
use std::collections::BTreeSet;

/// The relations between the steps of a program. All lists are ascending.
pub struct DependencyTables {
    objects: Objects,
    enabling: Vec<Vec<u32>>,
    reads: Vec<Vec<u32>>,
    writes: Vec<Vec<u32>>,
    enables: Vec<Vec<u32>>,
    disables: Vec<Vec<u32>>,
}

impl DependencyTables {
    pub fn new(program: &Program, actions: &[ActionSource]) -> Self {
        let analysis = Analysis::new(program, actions);
        let list = |sets: &dyn Fn(&Facts) -> BTreeSet<u32>| -> Vec<Vec<u32>> {
            analysis.facts.iter().map(|facts| sets(facts).into_iter().collect()).collect()
        };
        let enabling = list(&|facts| facts.enabling.clone());
        let mut readers: Vec<Vec<u32>> = vec![Vec::new(); analysis.objects.count()];
        for (action, objects) in enabling.iter().enumerate() {
            objects.iter().for_each(|object| readers[*object as usize].push(action as u32));
        }
        let related = |relates: &dyn Fn(&Facts, &Facts) -> bool| -> Vec<Vec<u32>> {
            let related_to = |facts: &Facts| {
                let candidates: BTreeSet<u32> =
                    facts.writes.iter().flat_map(|object| &readers[*object as usize]).copied().collect();
                let others = candidates.into_iter().filter(|other| relates(facts, &analysis.facts[*other as usize]));
                others.collect()
            };
            analysis.facts.iter().map(related_to).collect()
        };
        DependencyTables {
            enables: related(&|action, other| analysis.may_enable(action, other)),
            disables: related(&|action, other| analysis.may_disable(action, other)),
            reads: list(&|facts| &facts.reads | &facts.enabling),
            writes: list(&|facts| facts.writes.clone()),
            enabling,
            objects: analysis.objects,
        }
    }

    pub fn objects(&self) -> &Objects {
        &self.objects
    }

    /// The objects that an expression reads, ascending.
    pub fn objects_of(&self, expr: &Expr) -> Vec<u32> {
        let mut objects = BTreeSet::new();
        self.objects.add_reads(expr, &mut objects);
        objects.into_iter().collect()
    }
}

impl Dependencies for GclModel {
    fn action_count(&self) -> usize {
        self.actions().len()
    }
    fn object_count(&self) -> usize {
        self.dependency_tables().objects.count()
    }
    fn enabling(&self, action: usize) -> &[u32] {
        &self.dependency_tables().enabling[action]
    }
    fn reads(&self, action: usize) -> &[u32] {
        &self.dependency_tables().reads[action]
    }
    fn writes(&self, action: usize) -> &[u32] {
        &self.dependency_tables().writes[action]
    }
    fn enables(&self, action: usize) -> &[u32] {
        &self.dependency_tables().enables[action]
    }
    fn disables(&self, action: usize) -> &[u32] {
        &self.dependency_tables().disables[action]
    }
}

/// A process that moves in a step.
#[derive(Clone, Copy)]
struct Move {
    process: ProcessId,
    source: LocationId,
    target: LocationId,
    /// Whether the step can only be there while the process is in the source.
    is_required: bool,
}

/// A buffered channel that a step uses.
#[derive(Clone, Copy, PartialEq)]
enum Use {
    Send(ChannelId),
    Receive(ChannelId),
}

/// What is known about one step.
struct Facts<'p> {
    moves: Vec<Move>,
    guards: Vec<&'p Expr>,
    /// Guards without which the step is not there, whatever else.
    required_guards: Vec<&'p Expr>,
    /// What the guards read.
    guard_reads: BTreeSet<u32>,
    channel: Option<Use>,
    enabling: BTreeSet<u32>,
    reads: BTreeSet<u32>,
    writes: BTreeSet<u32>,
    /// What is certain before and after the step.
    before: Knowledge,
    after: Knowledge,
    new_holder: Option<ProcessId>,
}

impl Facts<'_> {
    fn mover(&self) -> ProcessId {
        self.moves[0].process
    }

    fn move_of(&self, process: ProcessId) -> Option<&Move> {
        self.moves.iter().find(|moved| moved.process == process)
    }
}

struct Analysis<'p> {
    program: &'p Program,
    objects: Objects,
    facts: Vec<Facts<'p>>,
    has_atomic: bool,
    /// Whether a holder can always move.
    keeps_atomicity: bool,
    /// For each process and location, whether the process may hold the system there.
    held: Vec<Vec<bool>>,
}

impl<'p> Analysis<'p> {
    fn new(program: &'p Program, actions: &[ActionSource]) -> Self {
        let locations = || program.processes.iter().flat_map(|process| &process.locations);
        let held = program.held_locations();
        let mut analysis = Analysis {
            program,
            objects: Objects::new(program),
            facts: Vec::new(),
            has_atomic: held.iter().flatten().any(|held| *held),
            keeps_atomicity: !locations().any(|location| location.committed) && holders_never_block(program, &held),
            held,
        };
        let mut last_sender = None;
        for action in actions {
            let is_first_pair = last_sender != Some((action.process, action.transition));
            last_sender = Some((action.process, action.transition));
            let facts = analysis.facts_of(action, is_first_pair);
            analysis.facts.push(facts);
        }
        analysis.add_atomicity();
        analysis
    }

    fn facts_of(&self, action: &ActionSource, is_first_pair: bool) -> Facts<'p> {
        let transition = &self.program.process(action.process).transitions[action.transition];
        let mut parts: Vec<(ProcessId, &'p Transition)> = vec![(action.process, transition)];
        if let Some((receiver, index)) = action.partner {
            parts.push((receiver, &self.program.process(receiver).transitions[index]));
        }
        // The fault of a sender's guard is labelled with its first pair, whatever the receiver does.
        let stands_alone = is_first_pair && transition.guard.as_ref().is_some_and(may_fault);
        let required = if stands_alone { 1 } else { parts.len() };
        let moves = parts.iter().enumerate().map(|(number, (process, transition))| Move {
            process: *process,
            source: transition.source,
            target: transition.target,
            is_required: number < required,
        });
        let joint = transition.joint.map(|joint| Move {
            process: joint.process,
            source: joint.source,
            target: joint.target,
            is_required: true,
        });
        let guards = |parts: &[(ProcessId, &'p Transition)]| -> Vec<&'p Expr> {
            parts.iter().filter_map(|(_, transition)| transition.guard.as_ref()).collect()
        };
        let mut facts = Facts {
            moves: moves.chain(joint).collect(),
            guards: guards(&parts),
            required_guards: guards(&parts[..required]),
            guard_reads: BTreeSet::new(),
            channel: self.channel_use(transition, action.partner.is_some()),
            enabling: BTreeSet::new(),
            reads: BTreeSet::new(),
            writes: BTreeSet::new(),
            before: Knowledge::default(),
            after: Knowledge::default(),
            new_holder: parts.iter().rev().find_map(|(_, transition)| transition.holder),
        };
        facts.guards.iter().for_each(|guard| self.objects.add_reads(guard, &mut facts.guard_reads));
        self.add_enabling(&mut facts);
        self.add_accesses(&parts, &mut facts);
        self.add_knowledge(&parts, &mut facts);
        facts
    }

    fn channel_use(&self, transition: &Transition, is_rendezvous: bool) -> Option<Use> {
        match transition.sync.as_ref().filter(|_| !is_rendezvous)? {
            Sync::Send { channel, .. } => Some(Use::Send(*channel)),
            Sync::Receive { channel, .. } => Some(Use::Receive(*channel)),
        }
    }

    fn may_hold(&self, process: ProcessId, location: LocationId) -> bool {
        self.held[process.0 as usize][location.0 as usize]
    }

    fn location(&self, process: ProcessId, location: LocationId) -> &'p crate::ir::Location {
        &self.program.process(process).locations[location.0 as usize]
    }

    fn is_committed(&self, process: ProcessId, location: LocationId) -> bool {
        self.location(process, location).committed
    }

    /// Whether the step is only there while no process is in a committed location.
    fn yields_to_committed(&self, facts: &Facts<'_>) -> bool {
        !self.is_committed(facts.moves[0].process, facts.moves[0].source)
    }

    fn add_enabling(&self, facts: &mut Facts<'_>) {
        facts.enabling.extend(&facts.guard_reads);
        facts.enabling.extend(facts.moves.iter().map(|moved| self.objects.location(moved.process)));
        if let Some(Use::Send(channel) | Use::Receive(channel)) = facts.channel {
            facts.enabling.insert(self.objects.channel(channel));
        }
        if self.yields_to_committed(facts) {
            for (number, process) in self.program.processes.iter().enumerate() {
                if process.locations.iter().any(|location| location.committed) {
                    facts.enabling.insert(self.objects.location(ProcessId(number as u32)));
                }
            }
        }
    }

    fn add_accesses(&self, parts: &[(ProcessId, &Transition)], facts: &mut Facts<'_>) {
        let objects = &self.objects;
        for moved in facts.moves.iter().filter(|moved| moved.source != moved.target) {
            facts.writes.insert(objects.location(moved.process));
        }
        if let Some(Use::Send(channel) | Use::Receive(channel)) = facts.channel {
            facts.writes.insert(objects.channel(channel));
        }
        let mut store = |target: &Place, reads: &mut BTreeSet<u32>| {
            objects.add_place(target, &mut facts.writes);
            target.index.iter().for_each(|index| objects.add_reads(index, reads));
        };
        for (_, transition) in parts {
            match &transition.sync {
                Some(Sync::Send { values, .. }) => {
                    values.iter().for_each(|value| objects.add_reads(value, &mut facts.reads));
                }
                Some(Sync::Receive { targets, .. }) => {
                    targets.iter().for_each(|target| store(target, &mut facts.reads))
                }
                None => {}
            }
            for effect in &transition.effects {
                match effect {
                    Effect::Assign { target, value, .. } => {
                        store(target, &mut facts.reads);
                        objects.add_reads(value, &mut facts.reads);
                    }
                    Effect::Assert { condition, .. } | Effect::Assume { condition, .. } => {
                        objects.add_reads(condition, &mut facts.reads);
                    }
                }
            }
        }
    }

    fn add_knowledge(&self, parts: &[(ProcessId, &Transition)], facts: &mut Facts<'_>) {
        let (program, objects) = (self.program, &self.objects);
        for moved in &facts.moves {
            facts.before.stands(moved.process, moved.source);
        }
        facts.guards.iter().for_each(|guard| facts.before.learn(guard, objects));
        let mut after = facts.before.clone();
        for moved in &facts.moves {
            after.stands(moved.process, moved.target);
        }
        for (_, transition) in parts {
            if let Some(Sync::Receive { targets, .. }) = &transition.sync {
                targets.iter().for_each(|target| after.store(program, objects, target, None));
            }
        }
        // The receiver's effects run first.
        for effect in parts.iter().rev().flat_map(|(_, transition)| &transition.effects) {
            if let Effect::Assign { target, value, .. } = effect {
                let value = after.value(value, objects);
                after.store(program, objects, target, value);
            }
        }
        facts.after = after;
    }

    /// Makes steps depend on the holder, and on whether it can move.
    fn add_atomicity(&mut self) {
        if !self.has_atomic {
            return;
        }
        let holder = self.objects.holder();
        let from_atomic =
            |analysis: &Self, facts: &Facts<'_>| analysis.may_hold(facts.moves[0].process, facts.moves[0].source);
        // For each process, what decides whether the atomic steps of the others can be taken.
        let mut of_process: Vec<BTreeSet<u32>> = vec![BTreeSet::new(); self.program.processes.len()];
        for facts in self.facts.iter().filter(|facts| from_atomic(self, facts)) {
            of_process[facts.mover().0 as usize].extend(&facts.enabling);
        }
        for number in 0..self.facts.len() {
            let arrives = self.facts[number].new_holder.is_some();
            let leaves = self.facts[number].moves.iter().any(|moved| self.may_hold(moved.process, moved.source));
            let facts = &mut self.facts[number];
            facts.enabling.insert(holder);
            if !self.keeps_atomicity || arrives || leaves {
                facts.writes.insert(holder);
            }
            if !self.keeps_atomicity {
                let mover = facts.mover().0 as usize;
                let others = of_process.iter().enumerate().filter(|(process, _)| *process != mover);
                others.for_each(|(_, enabling)| facts.enabling.extend(enabling));
            }
        }
    }

    fn may_enable(&self, action: &Facts<'_>, other: &Facts<'_>) -> bool {
        let arrives_elsewhere = |moved: &Move| {
            other.move_of(moved.process).is_some_and(|start| start.is_required && start.source != moved.target)
        };
        if action.moves.iter().any(arrives_elsewhere)
            || other.required_guards.iter().any(|guard| action.after.refutes(Some(guard), &self.objects))
        {
            return false;
        }
        if self.has_atomic && self.keeps_atomicity && action.new_holder.is_some_and(|holder| holder != other.mover()) {
            return false;
        }
        let matters = |object: &u32| match self.objects.get(*object) {
            _ if self.has_atomic && !self.keeps_atomicity => true,
            _ if other.guard_reads.contains(object) => true,
            Object::Location(process) => {
                other.move_of(process).is_some()
                    || self.yields_to_committed(other)
                        && action.move_of(process).is_some_and(|moved| {
                            self.is_committed(process, moved.source) && !self.is_committed(process, moved.target)
                        })
            }
            Object::Channel(_) => action.channel != other.channel,
            // The mover held the system, and lets go of it.
            Object::Holder => {
                let start = action.moves[0];
                action.mover() != other.mover() && self.may_hold(start.process, start.source)
            }
            Object::Variable(_) | Object::Element(..) => true,
        };
        action.writes.intersection(&other.enabling).any(matters)
    }

    fn may_disable(&self, action: &Facts<'_>, other: &Facts<'_>) -> bool {
        let starts_elsewhere = |moved: &Move| {
            other.move_of(moved.process).is_some_and(|start| start.is_required && start.source != moved.source)
        };
        if action.moves.iter().any(starts_elsewhere)
            || other.required_guards.iter().any(|guard| action.before.refutes(Some(guard), &self.objects))
        {
            return false;
        }
        let matters = |object: &u32| match self.objects.get(*object) {
            _ if self.has_atomic && !self.keeps_atomicity => true,
            _ if other.guard_reads.contains(object) => true,
            Object::Location(process) => {
                other.move_of(process).is_some()
                    || self.yields_to_committed(other)
                        && action.move_of(process).is_some_and(|moved| {
                            !self.is_committed(process, moved.source) && self.is_committed(process, moved.target)
                        })
            }
            Object::Channel(_) => action.channel == other.channel,
            Object::Holder => action.new_holder.is_some_and(|holder| holder != other.mover()),
            Object::Variable(_) | Object::Element(..) => true,
        };
        action.writes.intersection(&other.enabling).any(matters)
    }
}

/// Whether wherever a process can hold the system, it has a transition that can always be taken.
fn holders_never_block(program: &Program, held: &[Vec<bool>]) -> bool {
    program.processes.iter().zip(held).all(|(process, held)| {
        let always = |transition: &Transition| {
            let is_true = |guard: &Expr| matches!(guard, Expr::Const(value) if *value != 0);
            transition.sync.is_none() && transition.joint.is_none() && transition.guard.as_ref().is_none_or(is_true)
        };
        (0..process.locations.len()).filter(|number| held[*number]).all(|number| {
            let from_here = |transition: &&Transition| transition.source == LocationId(number as u32);
            process.transitions.iter().filter(from_here).any(always)
        })
    })
}
