//! Which of many channels a statement uses, and which of many processes it starts.
//!
//! A statement on a channel variable is a transition for every channel, and where two sides meet, for every pair of
//! statements and channel; `run` is one for every process. With a hundred processes that are a million transitions, of
//! which few are ever taken, since a process mostly knows a few channels. So where there are many, a process is
//! prepared for what it was seen to use, and one more transition, which is marked, stands for everything else. Together
//! they cover all cases, so that a search which meets no mark has left nothing out.
//!
//! Guards that ask whether something could be done do not use assumptions: nobody would notice if one was wrong.

use super::effects::Rendezvous;
use super::values::{and, equal, not};
use super::{Instance, Lowering, Part, Unprepared, constant};
use crate::assumptions::Site;
use crate::typed::{Place, Statement};
use dampf_gcl::ir::Expr;
use std::collections::BTreeSet;

/// More channels, or processes from more processes than this, are many.
const MANY: usize = 16;

/// A statement that is prepared for some of the channels that it could use.
pub struct Choice {
    pub part: Part,
    /// The number of its channel.
    pub named: Expr,
    /// Those that it is prepared for.
    pub expected: BTreeSet<u32>,
}

impl Lowering<'_> {
    /// Where a statement is in the text, whoever executes it.
    pub fn site(&self, part: Part) -> (Instance, Site) {
        let instance = self.instances[part.instance];
        let Part { state, edge, alternative, .. } = part;
        (instance, Site { proctype: instance.proctype, state, edge, alternative })
    }

    /// The channels that a statement is assumed to use, where it could use many.
    fn assumed_channels(&self, part: Part, channel: &Place) -> Option<&BTreeSet<u32>> {
        let (instance, site) = self.site(part);
        let expected = self.assumptions.choices(instance, site)?;
        (self.channels(channel, part.instance).len() > MANY).then_some(expected)
    }

    /// The channels that a statement is prepared for, each with the condition under which it uses it.
    pub fn prepared_channels(&self, part: Part, channel: &Place) -> Vec<(usize, Expr)> {
        let mut channels = self.channels(channel, part.instance);
        if let Some(assumed) = self.assumed_channels(part, channel) {
            channels.retain(|(queue, _)| assumed.contains(&self.queues[*queue].id));
        }
        channels
    }

    /// Marks the use of a channel that a statement is not prepared for. A receive that something else comes before can
    /// still be met by a sender, so this does not depend on what else the process could do.
    pub fn mark_other_channels(&mut self, part: Part, rendezvous: &Rendezvous) {
        let (Statement::Send { channel, .. } | Statement::Receive { channel, .. }) = &self.alternative(part).statement
        else {
            return;
        };
        if let Some(is_other) = self.names_another_channel(part, channel) {
            let named = self.read(channel, part.instance);
            let expected = self.assumed_channels(part, channel).cloned().unwrap_or_default();
            self.choices.push(Choice { part, named, expected });
            self.mark(part, is_other, Unprepared::Channel(self.choices.len() - 1));
        }
        if self.is_rendezvous(part, channel) && self.is_within_atomic(part) {
            let is_unprepared = rendezvous.unprepared_but(part.instance);
            self.mark(part, is_unprepared, Unprepared::Receiver);
        }
    }

    /// Whether a statement names a channel that it is not prepared for, if it can.
    pub fn names_another_channel(&self, part: Part, channel: &Place) -> Option<Expr> {
        let assumed = self.assumed_channels(part, channel)?;
        let named = self.read(channel, part.instance);
        let is_other = |number: &u32| not(equal(named.clone(), constant(*number as i32)));
        Some(assumed.iter().map(is_other).fold(constant(1), and))
    }

    /// Whether a statement is a send that could be to a channel without room.
    fn is_rendezvous(&self, part: Part, channel: &Place) -> bool {
        matches!(self.alternative(part).statement, Statement::Send { .. })
            && self.channels(channel, part.instance).iter().any(|(queue, _)| self.queues[*queue].length.is_none())
    }

    /// Whether whoever comes to a statement may hold the system. It could do something else when a receiver that is not
    /// prepared for the channel does not answer, and by the time that anybody looks at the receiver, it might name
    /// another one; so such a send is marked as well.
    fn is_within_atomic(&self, part: Part) -> bool {
        let states = &self.proctype(part.instance).control.states;
        let mut alternatives = states.iter().flat_map(|state| &state.edges).flat_map(|edge| &edge.alternatives);
        alternatives.any(|alternative| alternative.holds && alternative.target == part.state)
    }

    /// Whether a statement that starts processes of a proctype is prepared for one of them.
    pub fn is_prepared_to_start(&self, part: Part, child: usize) -> bool {
        let count = |proctype: usize| self.instances.iter().filter(|instance| instance.proctype == proctype).count();
        let (parent, site) = self.site(part);
        let child = self.instances[child];
        match self.assumptions.choices(parent, site) {
            Some(expected) if count(parent.proctype) * count(child.proctype) > MANY * MANY => {
                child.pid == parent.pid + 1 || expected.contains(&child.pid)
            }
            _ => true,
        }
    }
}
