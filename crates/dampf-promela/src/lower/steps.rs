//! The transitions of every instance: what a state's edges become.
//!
//! Guards say everything that decides whether a step can be taken: the statement itself, a `provided` clause, escapes
//! that come first, alternatives that come first, and for `else` that nothing before it can be done.

use super::effects::Rendezvous;
use super::standing::{Before, Standing};
use super::values::{and, binary, conditional, equal, not, or, truth};
use super::{ABSENT, Account, Lowering, Part, TRANSITIONS_MAX, Unprepared, cell, constant};
use crate::assumptions::Bounds;
use crate::typed::{Alternative, Edge, Statement};
use dampf_core::{FaultKind, Span, Unsupported};
use dampf_gcl::ir::{BinaryOp, Effect, Expr, Joint, LocationId, ProcessId, Transition};

/// What a holder does in a row without a choice is one transition, up to this number of statements.
const MERGED_MAX: usize = 100;

/// When a send to a channel without room counts as possible.
#[derive(Clone, Copy)]
pub enum Sends<'r> {
    Always,
    /// When one of these receives.
    With(&'r Rendezvous),
}

/// A transition in the making.
pub struct Draft {
    pub part: Part,
    pub guard: Expr,
    pub effects: Vec<Effect>,
    pub joint: Option<Joint>,
    /// Who holds the system afterwards, if the mover does not go on holding it.
    pub passes_to: Option<ProcessId>,
    /// The other side of a rendezvous.
    pub partner: Option<Part>,
}

impl Draft {
    pub fn new(part: Part, guard: Expr) -> Self {
        Draft { part, guard, effects: Vec::new(), joint: None, passes_to: None, partner: None }
    }
}

impl<'t> Lowering<'t> {
    pub fn transitions(&mut self) -> Result<(), Unsupported> {
        let mut rendezvous = self.receivers();
        for instance in 0..self.instances.len() {
            for state in 0..self.proctype(instance).control.states.len() {
                self.state(instance, state, &mut rendezvous);
                self.check_size()?;
            }
        }
        self.pair(&rendezvous)
    }

    /// Refuses a model while it becomes too large, and not when there is no memory left; or one that asks too much.
    pub fn check_size(&self) -> Result<(), Unsupported> {
        if self.is_asked_too_deeply.get() {
            return Err(Unsupported { what: "`enabled` of a process that waits for `enabled` itself".to_owned() });
        }
        match self.transition_count > TRANSITIONS_MAX {
            true => Err(Unsupported { what: format!("a model of more than {TRANSITIONS_MAX} transitions") }),
            false => Ok(()),
        }
    }

    pub fn edge(&self, part: Part) -> &'t Edge {
        &self.proctype(part.instance).control.states[part.state].edges[part.edge]
    }

    pub fn alternative(&self, part: Part) -> &'t Alternative {
        &self.edge(part).alternatives[part.alternative]
    }

    pub fn provided(&self, instance: usize) -> Expr {
        self.proctype(instance).provided.as_ref().map_or(constant(1), |provided| truth(self.value(provided, instance)))
    }

    /// Nobody of a higher priority can move.
    fn is_preferred(&self, instance: usize) -> Expr {
        let Some(own) = self.priorities.get(instance) else { return constant(1) };
        let others =
            (0..self.instances.len()).filter(|other| self.instances[*other].pid != self.instances[instance].pid);
        others.fold(constant(1), |preferred, other| {
            let priority = Expr::Read(cell(self.priorities[other]));
            let is_higher = binary(BinaryOp::Greater, priority, Expr::Read(cell(*own)));
            and(
                preferred,
                not(and(and(self.is_alive(other), is_higher), and(self.provided(other), self.can_move(other)))),
            )
        })
    }

    fn state(&mut self, instance: usize, state: usize, rendezvous: &mut Rendezvous) {
        let description = &self.proctype(instance).control.states[state];
        let mut earlier = constant(0);
        for (edge, _) in description.edges.iter().enumerate() {
            if !description.is_deterministic {
                earlier = constant(0);
            }
            for alternative in 0..description.edges[edge].alternatives.len() {
                let part = Part { instance, state, edge, alternative };
                let guard = and(self.precondition(part, Sends::With(rendezvous)), not(earlier.clone()));
                self.emit(part, guard, rendezvous);
                // Asked for only where an alternative behind it needs the answer.
                if description.is_deterministic || alternative + 1 < description.edges[edge].alternatives.len() {
                    let statement = &self.alternative(part).statement;
                    earlier = or(earlier, self.executable(instance, statement, Sends::With(rendezvous)));
                }
            }
        }
        if description.is_deterministic && !matches!(earlier, Expr::Const(1)) {
            // Nothing can be done in the middle of a deterministic step.
            let span = description.span;
            let fault = Effect::Assert { condition: constant(0), kind: FaultKind::Deadlock, span };
            let location = self.location(state);
            self.add(instance, location, location, None, None, not(earlier), vec![fault], span, Vec::new(), None);
        }
    }

    /// What must hold for a process to do anything.
    pub fn permission(&self, instance: usize) -> Expr {
        and(self.provided(instance), self.is_preferred(instance))
    }

    /// What must hold for an edge to be looked at, apart from its statement.
    pub fn precondition(&self, part: Part, sends: Sends<'_>) -> Expr {
        let edges = &self.proctype(part.instance).control.states[part.state].edges;
        let escape = edges[part.edge].escape;
        let is_deterministic = self.proctype(part.instance).control.states[part.state].is_deterministic;
        // Whoever is in the middle of a deterministic step needs no permission.
        let mut guard = if is_deterministic { constant(1) } else { self.permission(part.instance) };
        let before = &edges[..part.edge];
        for earlier in before.iter().filter(|earlier| earlier.escape != 0 && earlier.escape != escape) {
            guard = and(guard, not(self.can_take(part.instance, earlier, sends)));
        }
        if matches!(self.alternative(part).statement, Statement::Else) && part.alternative == 0 && !is_deterministic {
            for earlier in before {
                guard = and(guard, not(self.can_take(part.instance, earlier, sends)));
            }
        }
        guard
    }

    fn can_take(&self, instance: usize, edge: &Edge, sends: Sends<'_>) -> Expr {
        let alternatives = edge.alternatives.iter();
        alternatives.map(|alternative| self.executable(instance, &alternative.statement, sends)).fold(constant(0), or)
    }

    /// Whether a process can do something, for `enabled`, which does not look at `provided`.
    pub fn can_move(&self, instance: usize) -> Expr {
        let states = &self.proctype(instance).control.states;
        let moves = states.iter().enumerate().filter(|(_, state)| !state.is_deterministic).map(|(number, state)| {
            let can = state.edges.iter().map(|edge| self.can_take(instance, edge, Sends::Always)).fold(constant(0), or);
            and(Expr::At(self.process(instance), self.location(number)), can)
        });
        moves.fold(constant(0), or)
    }

    /// Whether a statement can be executed.
    pub fn executable(&self, instance: usize, statement: &Statement, sends: Sends<'_>) -> Expr {
        match statement {
            Statement::Condition(value) => truth(self.value(value, instance)),
            Statement::End => self.is_youngest(instance),
            Statement::Send { channel, values, .. } => {
                let channels = self.channels(channel, instance).into_iter();
                channels.fold(constant(0), |can, (queue, is_named)| {
                    let ready = match (self.queues[queue].length, sends) {
                        (Some(_), _) => self.has_room(queue),
                        (None, Sends::Always) => constant(1),
                        (None, Sends::With(rendezvous)) => self.has_receiver(instance, queue, values, rendezvous),
                    };
                    or(can, and(is_named, ready))
                })
            }
            Statement::Receive { channel, patterns, is_random, .. } => {
                let channels = self.channels(channel, instance).into_iter();
                channels.fold(constant(0), |can, (queue, is_named)| {
                    let positions = if *is_random { self.queues[queue].room } else { 1 };
                    let found = (0..positions).map(|position| self.matches(queue, position, patterns, instance));
                    or(can, and(is_named, found.fold(constant(0), or)))
                })
            }
            _ => constant(1),
        }
    }

    pub fn has_room(&self, queue: usize) -> Expr {
        let queue = &self.queues[queue];
        let length = queue.length.expect("the channel is buffered");
        binary(BinaryOp::Less, Expr::Read(cell(length)), constant(queue.capacity as i32))
    }

    fn is_youngest(&self, instance: usize) -> Expr {
        equal(Expr::Read(cell(self.process_count)), constant(self.instances[instance].pid as i32 + 1))
    }

    fn emit(&mut self, part: Part, guard: Expr, rendezvous: &mut Rendezvous) {
        self.mark_other_channels(part, rendezvous);
        if matches!(guard, Expr::Const(0)) {
            return;
        }
        let instance = part.instance;
        let span = self.alternative(part).span;
        match &self.alternative(part).statement {
            Statement::Skip | Statement::Else | Statement::Print(_) => self.push(Draft::new(part, guard)),
            Statement::Condition(value) => {
                let condition = truth(self.value(value, instance));
                self.push(Draft::new(part, and(guard, condition)));
            }
            Statement::Assign(place, value) => {
                let mut draft = Draft::new(part, guard);
                draft.effects.extend(self.assignment(place, value, instance));
                self.push(draft);
            }
            Statement::Assert(condition, span) => {
                let condition = truth(self.value(condition, instance));
                if !matches!(condition, Expr::Const(1)) {
                    let mut draft = Draft::new(part, and(guard.clone(), not(condition.clone())));
                    draft.effects.push(Effect::Assert {
                        condition: constant(0),
                        kind: FaultKind::Assertion,
                        span: *span,
                    });
                    self.push(draft);
                }
                let passes = if self.goes_on { guard } else { and(guard, condition) };
                self.push(Draft::new(part, passes));
            }
            Statement::SetPriority(process, priority) => {
                let (process, priority) = (self.value(process, instance), self.value(priority, instance));
                let mut draft = Draft::new(part, guard);
                for other in 0..self.instances.len() {
                    let number = constant(self.instances[other].pid as i32);
                    let is_meant = and(equal(process.clone(), number), self.is_alive(other));
                    let id = self.priorities[other];
                    let value = conditional(is_meant, priority.clone(), Expr::Read(cell(id)));
                    draft.effects.push(super::assign(cell(id), value));
                }
                self.push(draft);
            }
            Statement::End => {
                let guard = and(guard, self.is_youngest(instance));
                let effects = self.burial(instance);
                let location = self.location(part.state);
                self.add(instance, location, ABSENT, None, None, guard, effects, span, vec![part], None);
            }
            Statement::Run { run, result } => self.start(part, guard, run, result.as_ref()),
            Statement::Send { channel, values, is_sorted } => {
                for (queue, is_named) in self.prepared_channels(part, channel) {
                    let guard = self.of_right_size(part, and(guard.clone(), is_named), queue, values.len());
                    match self.queues[queue].length {
                        Some(_) if *is_sorted => self.send_sorted(part, guard, queue, values),
                        Some(_) => self.send(part, guard, queue, values),
                        None => rendezvous.add_sender(part, guard, queue),
                    }
                }
                self.without_channel(part, guard, channel);
            }
            Statement::Receive { channel, patterns, is_random, is_copy } => {
                for (queue, is_named) in self.prepared_channels(part, channel) {
                    let guard = and(guard.clone(), is_named);
                    if self.queues[queue].length.is_some() {
                        self.receive(part, guard, queue, patterns, *is_random, *is_copy);
                    }
                }
                self.without_channel(part, guard, channel);
            }
        }
    }

    /// Adds a transition, together with what its holder does next without a choice.
    pub fn push(&mut self, draft: Draft) {
        let Draft { part, guard, mut effects, joint, passes_to, partner } = draft;
        if matches!(guard, Expr::Const(0)) {
            return;
        }
        let instance = part.instance;
        let Alternative { target, holds, span, .. } = *self.alternative(part);
        let (mut target, mut holds) = (target, holds && partner.is_none());
        let mut movers = vec![(self.process(instance), self.location(part.state))];
        movers.extend(joint.map(|joint| (joint.process, joint.source)));
        let before = Before(movers);
        effects = effects.into_iter().map(|effect| before.effect(effect)).collect();
        let mut parts = vec![part];
        parts.extend(partner);
        let is_free = self.proctype(instance).provided.is_none() && self.priorities.is_empty() && self.last.is_none();
        while holds && is_free && parts.len() < MERGED_MAX {
            let Some(next) = self.only_way(instance, target).filter(|next| !parts.contains(next)) else { break };
            if let Statement::Assign(place, value) = &self.alternative(next).statement {
                let mut movers = vec![(self.process(instance), self.location(next.state))];
                movers.extend(joint.map(|joint| (joint.process, joint.target)));
                let assignment = self.assignment(place, value, instance);
                effects.extend(assignment.map(|effect| Before(movers).effect(effect)));
            }
            parts.push(next);
            target = self.alternative(next).target;
            holds = self.alternative(next).holds;
        }
        let holder = if holds { Some(self.process(instance)) } else { passes_to };
        let (source, target) = (self.location(part.state), self.location(target));
        let unprepared = None;
        self.add(instance, source, target, joint, holder, guard, effects, span, parts, unprepared);
    }

    /// The one thing that can be done in a state, if it always can and is no choice.
    fn only_way(&self, instance: usize, state: usize) -> Option<Part> {
        let [edge] = self.proctype(instance).control.states[state].edges.as_slice() else { return None };
        let [alternative] = edge.alternatives.as_slice() else { return None };
        let is_simple = matches!(alternative.statement, Statement::Skip | Statement::Assign(..));
        is_simple.then_some(Part { instance, state, edge: 0, alternative: 0 })
    }

    /// Checks what is assumed about the values that are stored.
    fn with_checks(&self, effects: Vec<Effect>, span: Span) -> Vec<Effect> {
        let mut checked = Vec::new();
        for effect in effects {
            if let Effect::Assign { target, value, .. } = &effect
                && let Some(bounds) = self.assumed(target.variable)
            {
                let ty = self.variables[target.variable.0 as usize].ty;
                let stored = super::values::wrapped(value.clone(), ty);
                let condition = within(stored, bounds);
                if !matches!(condition, Expr::Const(1)) {
                    checked.push(Effect::Assume { condition, span });
                }
            }
            checked.push(effect);
        }
        checked
    }

    #[expect(clippy::too_many_arguments, reason = "the parts of a transition")]
    pub fn add(
        &mut self,
        instance: usize,
        source: LocationId,
        target: LocationId,
        joint: Option<Joint>,
        holder: Option<ProcessId>,
        guard: Expr,
        mut effects: Vec<Effect>,
        span: Span,
        parts: Vec<Part>,
        unprepared: Option<Unprepared>,
    ) {
        // A deterministic step is over before anybody notices who took it.
        let is_over = target
            .0
            .checked_sub(1)
            .is_none_or(|state| !self.proctype(instance).control.states[state as usize].is_deterministic);
        if let (Some(last), Some(mover), true) = (self.last, parts.last(), is_over) {
            let pid = self.instances[mover.instance].pid as i32;
            effects.push(super::assign(cell(last), constant(pid)));
        }
        let effects = self.with_checks(effects, span);
        let guard = if let Expr::Const(value) = guard {
            if value == 0 {
                return;
            }
            None
        } else {
            Some(guard)
        };
        self.transition_count += 1;
        self.transitions[instance].push(Transition { source, target, guard, sync: None, joint, effects, holder, span });
        self.accounts[instance].push(Account { parts, unprepared });
    }
}

fn within(value: Expr, (least, greatest): Bounds) -> Expr {
    let at_least = binary(BinaryOp::GreaterEqual, value.clone(), constant(least));
    and(at_least, binary(BinaryOp::LessEqual, value, constant(greatest)))
}
