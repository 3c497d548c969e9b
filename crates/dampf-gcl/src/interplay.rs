//! How the steps of a program enable, disable and disturb each other: [`Interplay`], for reductions.
//!
//! [`dependencies`](crate::dependencies) says what single steps read and write. This is sharper, and speaks of whole
//! steps: guards are taken apart (`conjuncts.rs`), additions and queues are recognised (`uses.rs`, `rooms.rs`), steps
//! are told apart by the elements of arrays that they use (`versions.rs`), and where steps are compound, an action
//! stands for everything that its holder may do behind it, whatever way it goes.
//!
//! What is behind the first part of a compound step has no say in whether there is a step, only in what it does; so its
//! guards are reads like any others. That holds for a holder that blocks, too: what it waits for is among these guards.
//!
//! Not understood, and thus without an interplay: programs in which a holder is part of the states,
//! compound steps together with committed locations, and programs of very many actions.

mod analysis;
mod conjuncts;
mod facts;
mod rooms;
mod uses;
mod versions;

use crate::dependencies::{Object, Objects};
use crate::ir::{ActionSource, BinaryOp, Expr, Place, Program, VariableId};
use crate::layout::{Field, Layout};
use crate::model::{GclModel, GclWorker};
use crate::ranges::Range;
use analysis::Analysis;
use conjuncts::Values;
use dampf_core::{Action, Interleaving, Interplay, Model, Word};
use std::collections::BTreeSet;
use uses::Queues;
use versions::Versions;

/// Relations between all pairs of more actions would take longer than most searches.
const ACTIONS_MAX: usize = 3_000;

/// Actions are told apart by the values of their indices as long as there are not more than so many.
const VERSIONS_MAX: usize = 1_500;

/// A longer array is looked at as a whole.
const ELEMENTS_MAX: u32 = 64;

/// An atomic sequence of at most so many parts, none of which comes twice, has less moments than a step may have: as
/// many as there are subsets of parts, at most.
const PARTS_FEW: usize = 16;

impl Interleaving for GclModel {
    fn interplay(&self) -> Option<Interplay> {
        Some(self.interplay_tables()?.interplay.clone())
    }

    fn process_location(&self, process: usize, state: &[Word]) -> u32 {
        self.layout().locations[process].get(state) as u32
    }

    fn control_bits(&self, values: &[u32]) -> Option<Vec<Word>> {
        let tables = self.interplay_tables()?;
        let values = values.iter().filter_map(|value| tables.values[*value as usize].as_ref());
        let mut bits = vec![0; Model::width(self)];
        for field in self.layout().locations.iter().chain(values).filter(|field| field.bits > 0) {
            bits[field.word as usize] |= field.mask() << field.shift;
        }
        Some(bits)
    }

    fn is_urgent(&self, state: &[Word]) -> bool {
        let committing = self.interplay_tables().map_or(&[][..], |tables| &tables.committing);
        committing
            .iter()
            .any(|(process, is_committed)| is_committed[self.layout().locations[*process].get(state) as usize])
    }

    fn is_guard_false(&self, guard: u32, state: &[Word]) -> bool {
        let Some(tables) = self.interplay_tables() else { return false };
        match &tables.guards[guard as usize] {
            Guard::Compared(field, op, bound) => op.apply(field.get(state), *bound) == Some(0),
            Guard::Other(expr) => self.interpreter().evaluate(expr, state) == Ok(0),
        }
    }

    fn value(&self, value: u32, state: &[Word]) -> i32 {
        let field = self.interplay_tables().and_then(|tables| tables.values[value as usize]);
        field.map_or(0, |field| field.get(state))
    }

    fn begun_by(worker: &GclWorker<'_>, state: &[Word], step: usize, label: Action) -> u32 {
        worker.begun_by(state, step, label)
    }
}

/// A condition, for states: asked often, so that the usual ones are not interpreted.
enum Guard {
    Compared(Field, BinaryOp, i32),
    Other(Expr),
}

impl Guard {
    fn new(expr: Expr, program: &Program, layout: &Layout) -> Guard {
        if let Expr::Binary(op, operand, bound, _) = &expr
            && let Expr::Const(bound) = **bound
            && op.is_comparison()
        {
            let field = match &**operand {
                Expr::Read(Place { variable, index: None, .. }) => Some(layout.element(*variable, 0)),
                Expr::Read(Place { variable, index: Some(index), .. }) => match **index {
                    // Behind something that is never true there may be any index.
                    Expr::Const(at) => {
                        let len = program.variable(*variable).array.unwrap_or(1);
                        u32::try_from(at).ok().filter(|at| *at < len).map(|at| layout.element(*variable, at))
                    }
                    _ => None,
                },
                Expr::Length(channel) => layout.channels[channel.0 as usize].as_ref().map(|buffer| buffer.length),
                _ => None,
            };
            if let Some(field) = field {
                return Guard::Compared(field, *op, bound);
            }
        }
        Guard::Other(expr)
    }
}

/// A version of an action: the values of variables that it is for, and its number.
type ActionVersion = (Vec<(Field, i32)>, u32);

/// What is computed once for a model.
pub struct InterplayTables {
    interplay: Interplay,
    guards: Vec<Guard>,
    /// Processes with committed locations, and which these are.
    committing: Vec<(usize, Vec<bool>)>,
    /// For each action of the program, its versions.
    versions: Vec<Vec<ActionVersion>>,
    /// Where each object is that has one value.
    values: Vec<Option<Field>>,
}

impl InterplayTables {
    /// The version of an action of the program that a state has.
    pub fn version(&self, action: u32, state: &[Word]) -> u32 {
        let versions = &self.versions[action as usize];
        if let [(_, number)] = versions.as_slice() {
            return *number;
        }
        let is_for = |fixed: &[(Field, i32)]| fixed.iter().all(|(field, value)| field.get(state) == *value);
        let found = versions.iter().find(|(fixed, _)| is_for(fixed));
        found.expect("variables have the values that were found possible, and a step is possible").1
    }

    /// None for a program that is not understood.
    pub fn new(
        program: &Program,
        actions: &[ActionSource],
        ranges: &[Range],
        layout: &Layout,
    ) -> Option<InterplayTables> {
        let committing: Vec<(usize, Vec<bool>)> = program
            .processes
            .iter()
            .map(|process| process.locations.iter().map(|location| location.committed).collect::<Vec<bool>>())
            .enumerate()
            .filter(|(_, committed)| committed.contains(&true))
            .collect();
        let has_holders =
            program.processes.iter().flat_map(|process| &process.transitions).any(|one| one.holder.is_some());
        let is_understood = actions.len() <= ACTIONS_MAX
            && (!has_holders || program.has_compound_steps)
            && (!program.has_compound_steps || committing.is_empty());
        if !is_understood {
            return None;
        }
        let roomy = rooms::with_all_room(program, ranges);
        let (program, ranges) = (&roomy.program, roomy.ranges.as_slice());
        let objects = Objects::new(program);
        let queues = Analysis::without_steps(Values { program, objects: &objects, ranges }, &roomy.lengths).0.queues;
        let with_lengths = queue_variables(program, &queues);
        let versions = Versions::new(program, actions, ranges, &with_lengths, VERSIONS_MAX);
        let is_whole: Vec<bool> = (0..program.variables.len() as u32)
            .map(VariableId)
            .map(|id| queues.contains(&id) || program.variable(id).array.is_some_and(|len| len > ELEMENTS_MAX))
            .collect();
        let objects = Objects::with(program, &is_whole);
        let values = Values { program: &versions.program, objects: &objects, ranges };
        let analysis = Analysis::new(values, &roomy.lengths, &versions.actions);
        let (guards, interplay) = analysis.interplay();
        let fields = |(fixed, number): (Vec<(VariableId, i32)>, u32)| {
            (fixed.into_iter().map(|(variable, value)| (layout.element(variable, 0), value)).collect(), number)
        };
        let versions = versions.of_action.into_iter().map(|own| own.into_iter().map(fields).collect()).collect();
        let guards = guards.into_iter().map(|guard| Guard::new(guard, program, layout)).collect();
        let field = |object: u32| match objects.get(object) {
            Object::Variable(id) => program.variable(id).array.is_none().then(|| layout.element(id, 0)),
            Object::Element(id, index) => Some(layout.element(id, index)),
            Object::Channel(_) | Object::Location(_) | Object::Holder => None,
        };
        let values = (0..objects.count() as u32).map(field).collect();
        Some(InterplayTables { interplay, guards, committing, versions, values })
    }
}

/// Arrays that are queues, and the variables that count their messages.
fn queue_variables(program: &Program, queues: &BTreeSet<VariableId>) -> BTreeSet<VariableId> {
    let transitions = program.processes.iter().flat_map(|process| &process.transitions);
    let found = Queues::find(transitions.flat_map(|transition| &transition.effects));
    let lengths = found.arrays().filter(|array| queues.contains(array)).map(|array| found.length(array));
    lengths.chain(queues.iter().copied()).collect()
}
