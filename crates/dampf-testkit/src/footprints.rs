//! Whether what a model says about the objects of its steps is true.
//!
//! Three tests, none of which knows how footprints are made. What differs between a state and its successor was
//! written. Steps that do not conflict commute. And, after LTSmin: where an object is changed by hand that a step
//! claims not to read, the step does the same as before.

use crate::random::Random;
use dampf_core::{Action, Footprint, Footprints, Model, Object, Successors, Word, Worker};
use dampf_gcl::GclModel;
use dampf_gcl::footprints::ObjectKind;
use dampf_gcl::ir::{LocationId, VariableId};
use dampf_gcl::layout::Field;
use std::collections::HashSet;

/// How much was there to look at.
#[derive(Clone, Copy, Default, Debug)]
pub struct Looked {
    pub states: usize,
    /// Steps that lead to a state.
    pub steps: usize,
    /// Pairs of steps that do not conflict.
    pub commuting: usize,
    /// Pairs that do.
    pub conflicting: usize,
    /// Steps that were taken again in a state in which an object had been changed.
    pub perturbed: usize,
}

impl std::ops::AddAssign for Looked {
    fn add_assign(&mut self, other: Looked) {
        self.states += other.states;
        self.steps += other.steps;
        self.commuting += other.commuting;
        self.conflicting += other.conflicting;
        self.perturbed += other.perturbed;
    }
}

/// A step of a state that leads to another.
struct Taken {
    /// The labels of the single steps that it is made of: those of compound steps are only places in a list.
    name: Vec<Action>,
    footprint: Footprint,
    next: Vec<Word>,
}

/// States of more steps are left out: looking at one of them is looking at all pairs.
const STEPS_MAX: usize = 24;

/// Looks at the first states of a model in breadth-first order.
pub fn check(model: &GclModel, states_max: usize, what: &str) -> Looked {
    let mut looked = Looked::default();
    for state in states(model, states_max) {
        let Some(steps) = steps(model, &state) else { continue };
        looked.states += 1;
        looked.steps += steps.len();
        steps.iter().for_each(|step| check_writes(model, &state, step, what));
        let behind: Vec<Vec<Step>> = steps.iter().map(|step| self::labelled(model, &step.next)).collect();
        for one in 0..steps.len() {
            for other in one + 1..steps.len() {
                if steps[one].footprint.conflicts(&steps[other].footprint) {
                    looked.conflicting += 1;
                    continue;
                }
                looked.commuting += 1;
                let what = || format!("{what}: {:?} and {:?}", steps[one].name, steps[other].name);
                let last = find(model, &steps[one].next, &behind[one], &steps[other], &what);
                let first = find(model, &steps[other].next, &behind[other], &steps[one], &what);
                assert!(last.iter().any(|state| first.contains(state)), "{} do not commute", what());
            }
        }
    }
    looked
}

/// A step, by its label.
struct Step {
    action: Action,
    /// The labels of its single steps; none where there are too many steps to tell them apart.
    name: Option<Vec<Action>>,
    next: Vec<Word>,
}

/// Where a step leads in a state that differs in what it does not use. Of long compound steps only one of those is told
/// that lead to the same state, and which one depends on the others: then it may be any step.
fn find<'a>(
    model: &GclModel,
    state: &[Word],
    steps: &'a [Step],
    step: &Taken,
    what: &dyn Fn() -> String,
) -> Vec<&'a [Word]> {
    match steps.iter().find(|candidate| candidate.name.as_ref() == Some(&step.name)) {
        Some(Step { action, next, .. }) => {
            let mut footprint = Footprint::default();
            model.footprint(state, *action, &mut footprint);
            assert_eq!(footprint, step.footprint, "{}: {:?} uses other objects", what(), step.name);
            vec![next]
        }
        None if model.program().has_compound_steps => steps.iter().map(|step| step.next.as_slice()).collect(),
        None => panic!("{}: {:?} is gone", what(), step.name),
    }
}

/// Looks at the same states with one object changed, one after the other. The model has room for all values of all
/// types: what is done by hand need not be reachable.
pub fn perturb(model: &GclModel, states_max: usize, random: &mut Random, what: &str) -> Looked {
    let mut looked = Looked::default();
    for state in states(model, states_max) {
        let Some(steps) = steps(model, &state) else { continue };
        for object in (0..model.object_numbers().count()).map(Object) {
            if steps.iter().all(|step| step.footprint.reads.binary_search(&object).is_ok()) {
                continue;
            }
            let Some((changed, objects)) = changed(model, &state, object, random) else { continue };
            let reads = |step: &Taken| objects.iter().any(|object| step.footprint.reads.binary_search(object).is_ok());
            let unconcerned: Vec<&Taken> = steps.iter().filter(|step| !reads(step)).collect();
            if unconcerned.is_empty() {
                continue;
            }
            let again = labelled(model, &changed);
            for step in unconcerned {
                looked.perturbed += 1;
                let name = model.object_name(object);
                let what = || format!("{what}: {:?} depends on {name} without reading it", step.name);
                let next = find(model, &changed, &again, step, &what);
                let mut expected = step.next.clone();
                if objects.iter().all(|object| step.footprint.writes.binary_search(object).is_err()) {
                    let mask = mask(model, &objects);
                    let words = expected.iter_mut().zip(&changed).zip(mask);
                    words.for_each(|((word, changed), mask)| *word = *word & !mask | changed & mask);
                }
                assert!(next.contains(&expected.as_slice()), "{}", what());
            }
        }
    }
    looked
}

/// The state with another value of an object, and the objects that have another value then.
fn changed(model: &GclModel, state: &[Word], object: Object, random: &mut Random) -> Option<(Vec<Word>, Vec<Object>)> {
    let numbers = model.object_numbers();
    let mut changed = state.to_vec();
    let mut objects = vec![object];
    match numbers.kind(object) {
        // Never stored: whoever looks at it asks about something else.
        ObjectKind::Element(id, _) if model.program().timeout == Some(id) => return None,
        ObjectKind::Element(id, index) => {
            let field = model.layout().element(id, index);
            let (value, ty) = (field.get(state), model.program().variable(id).ty);
            // Neighbours, so that loops that count do not become long.
            let choices = [value.wrapping_add(1), value.wrapping_sub(1), 0, 1];
            field.set(&mut changed, ty.wrap(choices[random.below(4) as usize]));
        }
        ObjectKind::Channel(id) => {
            let buffer = model.layout().channels[id.0 as usize].as_ref()?;
            let length = random.below(u64::from(model.program().channel(id).capacity) + 1) as u32;
            buffer.length.set(&mut changed, length as i32);
            for slots in &buffer.slots {
                for slot in 0..slots.len {
                    let value = if slot < length { random.below(3) as i32 } else { 0 };
                    slots.element(slot).set(&mut changed, slots.first.ty.wrap(value));
                }
            }
        }
        ObjectKind::Location(id) => {
            let locations = &model.program().process(id).locations;
            let is_committed = |location: LocationId| locations[location.0 as usize].committed;
            let other = LocationId(random.below(locations.len() as u64) as u32);
            if is_committed(other) != is_committed(model.interpreter().location(id, state)) {
                objects.push(numbers.commitment(id));
            }
            model.layout().locations[id.0 as usize].set(&mut changed, other.0 as i32);
        }
        // It has no value of its own, or everybody reads it.
        ObjectKind::Commitment(_) | ObjectKind::Holder => return None,
    }
    (changed != state).then_some((changed, objects))
}

/// The first states of a model, in breadth-first order.
fn states(model: &GclModel, states_max: usize) -> Vec<Vec<Word>> {
    let (mut worker, mut out) = (model.worker(), Successors::new(model.width()));
    worker.initial(&mut out);
    let mut states = vec![out.state(0).to_vec()];
    let mut known: HashSet<Vec<Word>> = states.iter().cloned().collect();
    let mut next = 0;
    while next < states.len() && states.len() < states_max {
        worker.successors(&states[next], &mut out);
        next += 1;
        for index in (0..out.len()).filter(|index| out.step_end(*index).is_none()) {
            if known.insert(out.state(index).to_vec()) {
                states.push(out.state(index).to_vec());
            }
        }
    }
    states
}

/// The steps of a state that lead to another.
fn labelled(model: &GclModel, state: &[Word]) -> Vec<Step> {
    let (mut worker, mut out) = (model.worker(), Successors::new(model.width()));
    worker.successors(state, &mut out);
    let is_compound = model.program().has_compound_steps;
    let name = |action: Action| match is_compound {
        true if out.len() > STEPS_MAX => None,
        true => Some(model.path(state, action).into_iter().map(|(_, action)| action).collect()),
        false => Some(vec![action]),
    };
    let open = (0..out.len()).filter(|index| out.step_end(*index).is_none());
    let step = |index: usize| {
        let action = out.action(index);
        Step { action, name: name(action), next: out.state(index).to_vec() }
    };
    open.map(step).collect()
}

/// The same with what each of them uses; none where there are too many.
fn steps(model: &GclModel, state: &[Word]) -> Option<Vec<Taken>> {
    let steps = labelled(model, state);
    if steps.len() > STEPS_MAX {
        return None;
    }
    let taken = |Step { action, name, next }| {
        let mut footprint = Footprint::default();
        model.footprint(state, action, &mut footprint);
        Some(Taken { name: name?, footprint, next })
    };
    steps.into_iter().map(taken).collect()
}

fn check_writes(model: &GclModel, state: &[Word], step: &Taken, what: &str) {
    let written = mask(model, &step.footprint.writes);
    for (word, ((before, after), written)) in state.iter().zip(&step.next).zip(written).enumerate() {
        let changed = before ^ after;
        assert_eq!(changed & !written, 0, "{what}: {:?} changes more of word {word} than it says", step.name);
    }
}

/// The bits of a state that objects have.
fn mask(model: &GclModel, objects: &[Object]) -> Vec<Word> {
    let layout = model.layout();
    let fields = objects.iter().flat_map(|object| -> Vec<Field> {
        match model.object_numbers().kind(*object) {
            ObjectKind::Element(VariableId(id), index) => vec![layout.element(VariableId(id), index)],
            ObjectKind::Channel(id) => layout.channels[id.0 as usize].iter().fold(Vec::new(), |mut fields, buffer| {
                fields.push(buffer.length);
                fields.extend(buffer.slots.iter().flat_map(|slots| (0..slots.len).map(|slot| slots.element(slot))));
                fields
            }),
            ObjectKind::Location(id) => vec![layout.locations[id.0 as usize]],
            ObjectKind::Commitment(_) => Vec::new(),
            ObjectKind::Holder => layout.holder.into_iter().collect(),
        }
    });
    model.mask_of(fields)
}
