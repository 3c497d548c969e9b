//! A trail that was run again on the bare front end, ready to be told.
//!
//! Steps are described when they are asked for: a depth-first trail may have millions of steps of which a
//! terminal shows fifty.

use dampf_core::{
    Action, Binding, CallStack, Change, Describe, Fault, FaultKind, FaultSelection, ReplayError, SourceLocation, Step,
    Successors, Trail, Word, Worker, replay_selected,
};
use std::collections::HashSet;

/// One step of a run, as people see it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ToldStep {
    pub step: Step,
    /// What the step is made of beside that, where it is made of several.
    pub further: Vec<Step>,
    /// In declaration order. Empty for a step that ends in a fault: it leads to no state.
    pub changes: Vec<Change>,
    /// The calls of libraries between its line and its operation, the innermost first.
    pub library_calls: Vec<(String, SourceLocation)>,
}

impl ToldStep {
    /// Describes the step `action` from `before` to `after`.
    pub fn new<M: Describe>(model: &M, before: &[Word], action: Action, after: Option<&[Word]>) -> ToldStep {
        let mut parts = model.describe_parts(before, action).into_iter();
        let step = parts.next().unwrap_or_else(|| model.describe_step(before, action));
        let described = |after: &[Word]| {
            let changes = changes(&model.describe_state(before), &model.describe_state(after));
            changes.into_iter().flat_map(elementwise).collect()
        };
        let changes = after
            .map_or_else(Vec::new, |after| model.describe_changes(before, after).unwrap_or_else(|| described(after)));
        let library_calls = model.describe_library_calls(before, action);
        ToldStep { step, further: parts.collect(), changes, library_calls }
    }

    /// The changes that the text of the step does not say anyway: `idle -> wait` is where a process went.
    pub fn noteworthy_changes(&self) -> impl Iterator<Item = &Change> {
        self.changes.iter().filter(|change| {
            let moved = self.step.process.split(", ").any(|process| process == change.name);
            !(moved && self.step.text.contains(&format!("{} -> {}", change.before, change.after)))
        })
    }

    /// Where the step stands in the source: `file:line`.
    pub fn place(&self) -> String {
        place(&self.step)
    }

    /// All that the step is made of.
    pub fn parts(&self) -> impl Iterator<Item = &Step> {
        std::iter::once(&self.step).chain(&self.further)
    }
}

/// Where a step stands in the source: `file:line`.
pub(crate) fn place(step: &Step) -> String {
    step.location.as_ref().map_or_else(String::new, line_of)
}

/// A line of a source: `file:line`.
pub(crate) fn line_of(location: &SourceLocation) -> String {
    format!("{}:{}", shortest(&location.file), location.line)
}

/// A path as short as it can be said from here: relative where it is below the current folder, or where that is
/// shorter.
pub(crate) fn shortest(file: &str) -> String {
    let Some(current) = std::env::current_dir().ok().filter(|_| file.starts_with('/')) else { return file.to_owned() };
    relative(file, &current.to_string_lossy())
}

fn relative(file: &str, current: &str) -> String {
    let folders = |path: &str| path.split('/').filter(|part| !part.is_empty()).map(str::to_owned).collect::<Vec<_>>();
    let (to, from) = (folders(file), folders(current));
    let common = to.iter().zip(&from).take_while(|(one, other)| one == other).count();
    let upwards = std::iter::repeat_n("..", from.len() - common);
    let relative = upwards.chain(to[common..].iter().map(String::as_str)).collect::<Vec<_>>().join("/");
    if relative.is_empty() || relative.len() >= file.len() { file.to_owned() } else { relative }
}

/// What differs between two descriptions. A name that only one of them has is absent in the other.
fn changes(before: &[Binding], after: &[Binding]) -> Vec<Change> {
    let change = |name: &str, before: &str, after: &str| {
        let differs = before != after;
        differs.then(|| Change { name: name.to_owned(), before: before.to_owned(), after: after.to_owned() })
    };
    let aligned = before.iter().zip(after).take_while(|(old, new)| old.name == new.name).count();
    let ((before, old_rest), (after, new_rest)) = (before.split_at(aligned), after.split_at(aligned));
    let lasting = before.iter().zip(after).filter_map(|(old, new)| change(&new.name, &old.value, &new.value));
    let value = |rest: &[Binding], name: &str| {
        rest.iter().find(|binding| binding.name == name).map_or(ABSENT.to_owned(), |binding| binding.value.clone())
    };
    let new = new_rest.iter().filter_map(|new| change(&new.name, &value(old_rest, &new.name), &new.value));
    let gone = old_rest.iter().filter(|old| new_rest.iter().all(|new| new.name != old.name));
    lasting.chain(new).chain(gone.filter_map(|old| change(&old.name, &old.value, ABSENT))).collect()
}

/// The changes within two values. Where both are lists of equal length, those of the elements.
fn elementwise(change: Change) -> Vec<Change> {
    let elements = |value: &str| {
        let inner = value.strip_prefix('[')?.strip_suffix(']')?;
        // The elements of nested lists are not told apart, and an empty list has none.
        let flat = !inner.is_empty() && !inner.contains(['(', '[']);
        flat.then(|| inner.split(", ").map(str::to_owned).collect::<Vec<_>>())
    };
    match (elements(&change.before), elements(&change.after)) {
        (Some(before), Some(after)) if before.len() == after.len() => {
            let pairs = before.into_iter().zip(after).enumerate().filter(|(_, (old, new))| old != new);
            let named = |(index, (before, after))| Change { name: format!("{}[{index}]", change.name), before, after };
            pairs.map(named).collect()
        }
        _ => vec![change],
    }
}

/// Stands for the value of what a state does not have.
const ABSENT: &str = "none";

/// A replayed trail.
pub struct Run<'m, M: Describe> {
    model: &'m M,
    trail: Trail,
    states: Vec<Vec<Word>>,
    fault: Option<Fault>,
}

impl<'m, M: Describe> Run<'m, M> {
    /// Runs a trail again. A deadlock at its end is a fault only where `deadlocks` says so, and anything else only
    /// where it counts.
    pub fn replay(
        model: &'m M,
        trail: Trail,
        deadlocks: bool,
        selection: &FaultSelection,
    ) -> Result<Self, ReplayError> {
        let replay = replay_selected(model, &trail, deadlocks, selection)?;
        Ok(Run { model, trail, states: replay.states, fault: replay.fault })
    }

    /// Runs a trail again that is wrong as a whole: nothing that its steps or states end in has to say so.
    pub fn ending_in(model: &'m M, trail: Trail, fault: Fault) -> Result<Self, ReplayError> {
        let replay = replay_selected(model, &trail, false, &FaultSelection::default())?;
        Ok(Run { model, trail, states: replay.states, fault: Some(fault) })
    }

    /// The number of the first step of the cycle, counted from 0, if the run goes on for ever by repeating one.
    pub fn cycle_start(&self) -> Option<usize> {
        (!self.trail.cycle.is_empty()).then_some(self.trail.stem.len())
    }

    /// Whether the run goes on for ever in its last state, where nothing can move any more.
    pub fn stays(&self) -> bool {
        let is_of_runs = self.fault.as_ref().is_some_and(|fault| fault.kind.is_of_runs());
        let Some(last) = self.states.last().filter(|_| is_of_runs && self.trail.cycle.is_empty()) else { return false };
        let mut out = Successors::new(self.model.width());
        self.model.worker().successors(last, &mut out);
        out.is_empty()
    }

    /// The number of steps.
    pub fn len(&self) -> usize {
        self.trail.len()
    }

    pub fn is_empty(&self) -> bool {
        self.trail.is_empty()
    }

    pub fn trail(&self) -> &Trail {
        &self.trail
    }

    /// What the run ends in.
    pub fn fault(&self) -> Option<&Fault> {
        self.fault.as_ref()
    }

    /// The step with this number, counted from 0.
    pub fn step(&self, index: usize) -> ToldStep {
        let after = self.states.get(index + 1).map(Vec::as_slice);
        let action = self.trail.actions().nth(index).expect("the step is one of the trail");
        ToldStep::new(self.model, &self.states[index], action, after)
    }

    /// All steps, described one by one.
    pub fn steps(&self) -> impl Iterator<Item = ToldStep> + '_ {
        (0..self.len()).map(|index| self.step(index))
    }

    /// Every variable at the beginning. Empty where the program is at fault before it has a state.
    pub fn initial(&self) -> Vec<Binding> {
        self.states.first().map_or_else(Vec::new, |state| self.model.describe_state(state))
    }

    /// Every variable in the last state. Empty as above.
    pub fn last(&self) -> Vec<Binding> {
        self.states.last().map_or_else(Vec::new, |state| self.model.describe_state(state))
    }

    /// Who waits for what in the last state; empty unless the run ends in a deadlock.
    pub fn blocked(&self) -> Vec<String> {
        match (&self.fault, self.states.last()) {
            (Some(fault), Some(state)) if fault.kind == FaultKind::Deadlock => self.model.describe_blocked(state),
            _ => Vec::new(),
        }
    }

    /// Who takes no part in the cycle, if the run repeats one for ever.
    pub fn idle(&self) -> Vec<String> {
        match self.trail.cycle.is_empty() {
            true => Vec::new(),
            false => self.model.describe_idle(&self.states[self.trail.stem.len()..], &self.trail.cycle),
        }
    }

    /// Where the threads are at the end; empty unless the run ends in a fault of a language with calls.
    pub fn stacks(&self) -> Vec<CallStack> {
        let Some(state) = self.states.last().filter(|_| self.fault.is_some()) else { return Vec::new() };
        // A faulty last step has no state of its own.
        let faulty = self.trail.stem.last().copied().filter(|_| self.trail.stem.len() == self.states.len());
        self.model.describe_stacks(state, faulty)
    }

    /// The names of the variables that some step changes.
    pub fn changing(&self) -> HashSet<String> {
        let mut names = HashSet::new();
        let mut before = self.initial();
        for state in self.states.iter().skip(1) {
            let after = self.model.describe_state(state);
            names.extend(changes(&before, &after).into_iter().map(|change| change.name));
            before = after;
        }
        names
    }
}

#[cfg(test)]
mod tests {
    use super::relative;

    #[test]
    fn paths_are_as_short_as_they_can_be() {
        for (file, current, shown) in [
            ("/home/me/queue.cc", "/home/me", "queue.cc"),
            ("/home/me/src/queue.cc", "/home/me", "src/queue.cc"),
            ("/home/me/queue.cc", "/home/me/build", "../queue.cc"),
            ("/usr/include/c++/12/future", "/home/me/a/b/c/d", "/usr/include/c++/12/future"),
            ("/x.c", "/a/b", "/x.c"),
        ] {
            assert_eq!(relative(file, current), shown, "{file} from {current}");
        }
    }
}
