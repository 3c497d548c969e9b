//! From a process that only looks to an automaton over propositions: what property processes of DVE, Büchi files and
//! never claims become.
//!
//! Each guard is a proposition of the program, so that whatever computes propositions computes guards. The automaton
//! does not run inside the program: a layer moves the two together.

use crate::faults::collapsed;
use crate::ir::{Process, Program, Proposition};
use dampf_core::{Automaton, AutomatonEdge, AutomatonLocation, Literal};

impl Program {
    /// Takes the property process out of the program and makes an automaton of it, whose guards become propositions.
    pub fn take_property(&mut self) -> Option<Automaton> {
        let property = self.property.take()?;
        Some(self.watched_by(&property))
    }

    /// The automaton that a process is, whose transitions have guards only: these become propositions.
    pub fn watched_by(&mut self, property: &Process) -> Automaton {
        let location = |location: &crate::ir::Location| AutomatonLocation {
            name: location.name.clone(),
            is_accepting: location.accepting,
            is_final: false,
            edges: Vec::new(),
        };
        let mut locations: Vec<AutomatonLocation> = property.locations.iter().map(location).collect();
        for transition in &property.transitions {
            let guard = transition.guard.iter().map(|guard| {
                let text = collapsed(self.source.slice(transition.span));
                let proposition = self.propositions.len() as u32;
                self.propositions.push(Proposition { text, condition: guard.clone() });
                Literal { proposition, is_positive: true }
            });
            let edge = AutomatonEdge { guard: guard.collect(), target: transition.target.0 };
            locations[transition.source.0 as usize].edges.push(edge);
        }
        Automaton { name: property.name.clone(), locations, initial: property.initial.0 }
    }
}
