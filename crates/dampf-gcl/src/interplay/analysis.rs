//! How steps relate to each other: what is behind their first parts, which of them conflict, which make guards true.

use super::PARTS_FEW;
use super::conjuncts::{Conjunct, Shape, Values};
use super::facts::Facts;
use super::uses::{
    BOUNDED_ABOVE, BOUNDED_BELOW, CHANGED, DECREASED, INCREASED, Queues, READ, TESTED, Use, WRITTEN, addition,
    conflict, may_establish,
};
use crate::dependencies::Object;
use crate::ir::{ActionSource, Effect, Expr, LocationId, Place, ProcessId, Program, Transition, VariableId};
use dampf_core::{Interplay, Participation, ProcessMove, StepPart};
use std::collections::{BTreeMap, BTreeSet};

pub(super) struct Analysis<'p> {
    pub(super) values: Values<'p>,
    /// The lengths of queues that have more room than their arrays (`rooms.rs`).
    pub(super) roomy: &'p BTreeSet<VariableId>,
    pub(super) queues: BTreeSet<VariableId>,
    /// The variable that counts the messages of each queue.
    pub(super) lengths: BTreeMap<VariableId, VariableId>,
    /// Of single steps.
    pub(super) single: Vec<Facts>,
    /// Of whole steps.
    pub(super) whole: Vec<Facts>,
}

impl<'p> Analysis<'p> {
    /// The queues, as they are used and as they could be.
    pub(super) fn without_steps(values: Values<'p>, roomy: &'p BTreeSet<VariableId>) -> (Self, Queues) {
        let transitions = values.program.processes.iter().flat_map(|process| &process.transitions);
        let queues = Queues::find(transitions.flat_map(|transition| &transition.effects));
        let (lengths, single, whole) = (BTreeMap::new(), Vec::new(), Vec::new());
        let mut analysis = Analysis { values, roomy, queues: BTreeSet::new(), lengths, single, whole };
        analysis.find_queues(&queues);
        analysis.lengths = analysis.queues.iter().map(|array| (*array, queues.length(*array))).collect();
        (analysis, queues)
    }

    pub(super) fn new(values: Values<'p>, roomy: &'p BTreeSet<VariableId>, actions: &[ActionSource]) -> Self {
        let (mut analysis, queues) = Analysis::without_steps(values, roomy);
        let mut last_sender = None;
        for action in actions {
            let is_first_pair = last_sender != Some((action.process, action.transition));
            last_sender = Some((action.process, action.transition));
            let facts = analysis.facts(action, is_first_pair, &queues);
            analysis.single.push(facts);
        }
        let mut leaving: BTreeMap<(usize, u32), Vec<usize>> = BTreeMap::new();
        for (number, facts) in analysis.single.iter().enumerate() {
            leaving.entry(facts.stands[0]).or_default().push(number);
        }
        analysis.whole = (0..actions.len()).map(|number| analysis.whole_step(number, &leaving)).collect();
        analysis
    }

    /// Keeps the queues whose lengths count nothing else.
    fn find_queues(&mut self, queues: &Queues) {
        let program = self.values.program;
        let mut arrays: BTreeSet<VariableId> = queues.arrays().collect();
        for transition in program.processes.iter().flat_map(|process| &process.transitions) {
            let (guards, effects) =
                (transition.guard.iter().collect::<Vec<&Expr>>(), self.counting_effects(transition));
            let used = self.queues_used(transition, &guards, &effects, queues);
            arrays.retain(|array| {
                let length = queues.length(*array);
                let counts = effects.iter().any(|effect| {
                    matches!(effect, Effect::Assign { target, value, .. }
                        if target.variable == length && addition(&self.values, target, value).is_some())
                });
                !counts || used.iter().any(|(used, _)| used == array)
            });
        }
        self.queues = arrays;
    }

    /// The queues that a transition uses as such. One that synchronises may store into them by that, too.
    pub(super) fn queues_used(
        &self,
        transition: &Transition,
        guards: &[&Expr],
        effects: &[&Effect],
        queues: &Queues,
    ) -> Vec<(VariableId, Use)> {
        if transition.sync.is_some() {
            return Vec::new();
        }
        let conjuncts: Vec<Conjunct> = guards.iter().flat_map(|guard| self.values.conjuncts(guard)).collect();
        queues.used(&self.values, guards, effects, &|length| self.is_filled(&conjuncts, length))
    }

    /// Whether a guard says that a length is at least one.
    pub(super) fn is_filled(&self, conjuncts: &[Conjunct], length: VariableId) -> bool {
        let place = Place { variable: length, index: None, span: Default::default() };
        let object = self.values.objects.exact(&place);
        conjuncts.iter().any(|part| matches!(part.shape, Shape::AtLeast(of, bound) if Some(of) == object && bound >= 1))
    }

    /// The effects without those conditions that certainly hold.
    pub(super) fn counting_effects<'e>(&self, transition: &'e Transition) -> Vec<&'e Effect> {
        let counts = |effect: &&Effect| match effect {
            Effect::Assign { .. } => true,
            Effect::Assert { condition, .. } | Effect::Assume { condition, .. } => {
                self.values.may_fault(condition) || self.values.of(condition).contains(0)
            }
        };
        transition.effects.iter().filter(counts).collect()
    }

    /// Everything that can happen in a step that begins with an action.
    fn whole_step(&self, number: usize, leaving: &BTreeMap<(usize, u32), Vec<usize>>) -> Facts {
        let mut whole = self.single[number].clone();
        whole.parts.insert(number as u32);
        let Some(holder) = whole.holder else { return whole };
        whole.stored.clear();
        let locations = |process: usize| 0..self.values.program.processes[process].locations.len() as u32;
        let places = |(process, location): (usize, Option<u32>)| -> Vec<(usize, u32)> {
            // Whoever holds the system without having moved may be anywhere.
            location.map_or_else(|| locations(process).map(|at| (process, at)).collect(), |at| vec![(process, at)])
        };
        let mut pending = places(holder);
        let mut seen: BTreeSet<(usize, u32)> = pending.iter().copied().collect();
        while let Some(place) = pending.pop() {
            let leaving = leaving.get(&place).map_or(&[][..], Vec::as_slice);
            whole.parts.extend(leaving.iter().map(|next| *next as u32));
            for next in leaving.iter().map(|next| &self.single[*next]) {
                for (object, how) in &next.uses {
                    let tests = TESTED | BOUNDED_ABOVE | BOUNDED_BELOW;
                    let read = if how & tests != 0 { READ } else { 0 };
                    *whole.uses.entry(*object).or_default() |= how & !tests | read;
                }
                whole.asked.extend(&next.asked);
                whole.moves_later.extend(next.moves.iter().map(|moved| moved.process));
                whole.moves.extend(&next.moves);
                // Whether it can go on depends on where its partners stand.
                whole.asked.extend(next.stands[1..].iter());
                whole.may_fault |= next.may_fault;
                for place in next.holder.into_iter().flat_map(places) {
                    if seen.insert(place) {
                        pending.push(place);
                    }
                }
            }
        }
        whole.moves.sort_unstable();
        whole.moves.dedup();
        // Each of its parts can come once in a moment's past unless there is a circle, and few parts make few moments.
        whole.may_be_endless = whole.parts.len() > PARTS_FEW || self.has_circle(&whole.parts);
        whole
    }

    /// Whether some process can come back to a location by these parts.
    fn has_circle(&self, parts: &BTreeSet<u32>) -> bool {
        let moves = || parts.iter().flat_map(|part| &self.single[*part as usize].moves);
        let mut open: Vec<&ProcessMove> = moves().collect();
        loop {
            let before = open.len();
            let targets: BTreeSet<(usize, u32)> = open.iter().map(|moved| (moved.process, moved.target)).collect();
            open.retain(|moved| targets.contains(&(moved.process, moved.source)));
            if open.len() == before {
                return before > 0;
            }
        }
    }

    pub(super) fn interplay(&self) -> (Vec<Expr>, Interplay) {
        let program = self.values.program;
        let mut checked = Facts::default();
        let conditions = program.checks.iter().map(|check| &check.condition);
        for condition in conditions.chain(program.propositions.iter().map(|proposition| &proposition.condition)) {
            self.add_reads(&mut checked, condition, READ);
        }
        let watches_runs = !program.propositions.is_empty();
        if watches_runs {
            // Who watches runs also sees whether processes are in accepting locations.
            for (number, process) in program.processes.iter().enumerate() {
                let accepting = process.locations.iter().enumerate().filter(|(_, location)| location.accepting);
                for (location, _) in accepting {
                    let at = Expr::At(ProcessId(number as u32), LocationId(location as u32));
                    self.add_reads(&mut checked, &at, READ);
                }
            }
        }
        let mut guards: Vec<(Conjunct, Vec<u32>)> = Vec::new();
        let mut numbers: BTreeMap<String, u32> = BTreeMap::new();
        let mut actions: Vec<Participation> = Vec::new();
        for facts in &self.whole {
            let mut own = BTreeSet::new();
            for conjunct in &facts.conjuncts {
                let text = format!("{:?}", unplaced(&conjunct.expr));
                let next = guards.len() as u32;
                let number = *numbers.entry(text).or_insert(next);
                if number == next {
                    guards.push((conjunct.clone(), self.establishing(conjunct)));
                }
                own.insert(number);
            }
            actions.push(Participation {
                stands: facts.stands.clone(),
                moves: facts.moves.clone(),
                guards: own.into_iter().collect(),
                conflicts: Vec::new(),
                is_visible: self.changes(facts, &checked),
                waits: facts.waits,
                may_end: !facts.is_impossible && (facts.may_fault || facts.may_be_endless),
                parts: facts.parts.iter().copied().collect(),
            });
        }
        for one in 0..self.whole.len() {
            for other in one..self.whole.len() {
                if self.are_in_conflict(one, other) {
                    actions[one].conflicts.push(other as u32);
                    if one != other {
                        actions[other].conflicts.push(one as u32);
                    }
                }
            }
        }
        actions.iter_mut().for_each(|action| action.conflicts.sort_unstable());
        let interplay = Interplay {
            processes: values_processes(program),
            actions,
            guard_values: guards.iter().map(|(conjunct, _)| self.value_of(conjunct)).collect(),
            guards: guards.iter().map(|(_, establishing)| establishing.clone()).collect(),
            parts: self.single.iter().map(part).collect(),
            watches_runs,
        };
        (guards.into_iter().map(|(conjunct, _)| conjunct.expr).collect(), interplay)
    }

    /// Whether a step may change what is read.
    fn changes(&self, facts: &Facts, read: &Facts) -> bool {
        facts.uses.iter().any(|(object, how)| how & CHANGED != 0 && read.uses.contains_key(object))
            || facts.moves.iter().any(|moved| moves_across(moved, &read.asked))
    }

    /// The actions that may make a condition true.
    fn establishing(&self, conjunct: &Conjunct) -> Vec<u32> {
        let mut condition = Facts::default();
        self.add_reads(&mut condition, &conjunct.expr, READ);
        let may = |facts: &Facts| {
            let contradicts = |object: u32| match (facts.stored.get(&object), conjunct.shape) {
                (Some(value), Shape::AtMost(_, bound)) => i64::from(*value) > bound,
                (Some(value), Shape::AtLeast(_, bound)) => i64::from(*value) < bound,
                (Some(value), Shape::Exactly(_, bound)) => i64::from(*value) != bound,
                _ => false,
            };
            condition.uses.keys().any(|object| {
                let how = facts.uses.get(object).copied().unwrap_or(0);
                may_establish(how, conjunct.shape) && !contradicts(*object)
            }) || facts.moves.iter().any(|moved| moves_across(moved, &condition.asked))
        };
        (0..self.whole.len() as u32).filter(|number| may(&self.whole[*number as usize])).collect()
    }

    /// The object that a condition is about, if it is about the value of one.
    fn value_of(&self, conjunct: &Conjunct) -> Option<u32> {
        let mut read = Facts::default();
        self.add_reads(&mut read, &conjunct.expr, READ);
        let mut objects = read.uses.keys();
        let object = objects.next().copied().filter(|_| objects.next().is_none() && read.asked.is_empty())?;
        match self.values.objects.get(object) {
            Object::Variable(id) => self.values.program.variable(id).array.is_none().then_some(object),
            Object::Element(..) => Some(object),
            Object::Channel(_) | Object::Location(_) | Object::Holder => None,
        }
    }

    /// Whether a move leads into a committed location.
    pub(super) fn commits(&self, moved: &ProcessMove) -> bool {
        let locations = &self.values.program.processes[moved.process].locations;
        locations[moved.target as usize].committed && !locations[moved.source as usize].committed
    }

    /// Whether two actions may be enabled together and then do not leave each other alone.
    fn are_in_conflict(&self, one: usize, other: usize) -> bool {
        let (one, other) = (&self.whole[one], &self.whole[other]);
        if one.is_impossible || other.is_impossible {
            return false;
        }
        let elsewhere = |(process, location): &(usize, u32)| {
            other.stands.iter().any(|(same, at)| same == process && at != location)
        };
        if one.stands.iter().any(elsewhere) || are_contradictory(&one.conjuncts, &other.conjuncts) {
            return false;
        }
        // While somebody is committed, others are kept from moving.
        if [one, other].iter().any(|facts| facts.moves.iter().any(|moved| self.commits(moved))) {
            return true;
        }
        let moves_what_stands = |one: &Facts, other: &Facts| {
            let stands = |process: usize| other.moves.iter().any(|moved| moved.process == process);
            one.moves.iter().any(|moved| {
                (moved.source != moved.target || one.moves_later.contains(&moved.process)) && stands(moved.process)
            }) || one.moves.iter().any(|moved| moves_across(moved, &other.asked))
        };
        if moves_what_stands(one, other) || moves_what_stands(other, one) {
            return true;
        }
        let (few, many) = if one.uses.len() <= other.uses.len() { (one, other) } else { (other, one) };
        few.uses.iter().any(|(object, how)| many.uses.get(object).is_some_and(|other| conflict(*how, *other)))
    }
}

/// What a single step does to locations and values.
fn part(facts: &Facts) -> StepPart {
    let values = |how: Use| -> Vec<u32> {
        facts.uses.iter().filter(|(_, used)| **used & how != 0).map(|(object, _)| *object).collect()
    };
    StepPart {
        moves: facts.moves.clone(),
        raised: values(INCREASED),
        lowered: values(DECREASED),
        stored: values(WRITTEN),
        is_last: facts.is_last,
    }
}

fn values_processes(program: &Program) -> Vec<usize> {
    program.processes.iter().map(|process| process.locations.len()).collect()
}

/// Whether a move changes the answer to whether a process is at one of these locations.
fn moves_across(moved: &ProcessMove, asked: &BTreeSet<(usize, u32)>) -> bool {
    moved.source != moved.target
        && (asked.contains(&(moved.process, moved.source)) || asked.contains(&(moved.process, moved.target)))
}

/// Whether bounds contradict each other.
fn are_contradictory(one: &[Conjunct], other: &[Conjunct]) -> bool {
    let apart = |least: &Shape, greatest: &Shape| match (least, greatest) {
        (Shape::AtLeast(object, least), Shape::AtMost(same, greatest)) => object == same && least > greatest,
        _ => false,
    };
    one.iter().any(|one| other.iter().any(|other| apart(&one.shape, &other.shape) || apart(&other.shape, &one.shape)))
}

/// An expression without the places in the source that it comes from, so that the same conditions are one.
pub(super) fn unplaced(expr: &Expr) -> Expr {
    let boxed = |expr: &Expr| Box::new(unplaced(expr));
    match expr {
        Expr::Const(_) | Expr::At(..) | Expr::Length(_) => expr.clone(),
        Expr::Read(place) => {
            let index = place.index.as_deref().map(boxed);
            Expr::Read(Place { variable: place.variable, index, span: Default::default() })
        }
        Expr::Unary(op, operand) => Expr::Unary(*op, boxed(operand)),
        Expr::Binary(op, left, right, _) => Expr::Binary(*op, boxed(left), boxed(right), Default::default()),
        Expr::Conditional(condition, then, otherwise) => {
            Expr::Conditional(boxed(condition), boxed(then), boxed(otherwise))
        }
    }
}

/// The locations that an expression asks about.
pub(super) fn asked(expr: &Expr, into: &mut BTreeSet<(usize, u32)>) {
    match expr {
        Expr::Const(_) | Expr::Length(_) => {}
        Expr::At(process, location) => {
            into.insert((process.0 as usize, location.0));
        }
        Expr::Read(place) => place.index.iter().for_each(|index| asked(index, into)),
        Expr::Unary(_, operand) => asked(operand, into),
        Expr::Binary(_, left, right, _) => [left, right].into_iter().for_each(|part| asked(part, into)),
        Expr::Conditional(condition, then, otherwise) => {
            [condition, then, otherwise].into_iter().for_each(|part| asked(part, into));
        }
    }
}
