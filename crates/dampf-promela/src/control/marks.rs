//! What labels say of the places of a body.
//!
//! Nobody stands at the first statement of an option: the place is that of the selection. So SPIN hands the meaning of
//! a label there on to the place behind the statement (`imed` in a verifier), which this follows step by step. Labels
//! within a deterministic step mean nothing.

use super::{Builder, ElementId, JUMPS_MAX, Label, Raw, RawEdge};
use std::collections::BTreeMap;

/// A process may end there, it makes progress, it is accepting.
pub const END: u8 = 1;
pub const PROGRESS: u8 = 2;
pub const ACCEPT: u8 = 4;

/// For each element what its labels mean.
pub struct Marks(Vec<u8>);

impl Marks {
    pub fn new(builder: &Builder) -> Self {
        let mut marks = Marks(vec![0; builder.elements.len()]);
        for Label { name, element, .. } in &builder.labels {
            let meanings = [("end", END), ("progress", PROGRESS), ("accept", ACCEPT)];
            let meant = meanings.iter().find(|(beginning, _)| name.starts_with(beginning));
            marks.0[*element] |= meant.map_or(0, |(_, mark)| *mark);
        }
        let mut choices: BTreeMap<ElementId, Vec<ElementId>> = BTreeMap::new();
        for (element, raw) in &builder.transitions {
            if let Raw::Choice(starts) = raw {
                choices.insert(*element, starts.clone());
            }
        }
        marks.flatten(&mut choices);
        for start in choices.values().flatten() {
            if let Some(Raw::Single(RawEdge { target: Some(target), .. })) = builder.transitions.get(start) {
                marks.hand_on(*start, *target);
            }
        }
        marks
    }

    /// Choices that begin with choices.
    fn flatten(&mut self, choices: &mut BTreeMap<ElementId, Vec<ElementId>>) {
        let elements: Vec<ElementId> = choices.keys().copied().collect();
        for _ in 0..JUMPS_MAX {
            let mut is_flat = true;
            for element in &elements {
                let mut starts = Vec::new();
                for start in &choices[element] {
                    match choices.get(start) {
                        None => starts.push(*start),
                        Some(inner) => {
                            is_flat = false;
                            inner.iter().for_each(|first| self.hand_on(*start, *first));
                            starts.extend(inner);
                        }
                    }
                }
                choices.insert(*element, starts);
            }
            if is_flat {
                break;
            }
        }
    }

    fn hand_on(&mut self, from: ElementId, to: ElementId) {
        self.0[to] |= self.0[from];
    }

    pub fn of(&self, element: ElementId) -> u8 {
        self.0[element]
    }
}
