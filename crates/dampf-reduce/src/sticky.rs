//! Which actions are sticky: a reduced set has none of them.
//!
//! Every circle of locations that some process can go around for ever must contain a move of a sticky action. So the
//! moves of the others, of one process, form a graph without circles. It is built greedily: moves of actions that
//! conflict with few actions of other processes come first, since these are the ones that a small set could consist of;
//! a move that would close a circle makes its actions sticky.

use dampf_core::{Interplay, ProcessMove};
use std::collections::BTreeMap;

/// For each action, whether it is sticky.
pub fn sticky_actions(interplay: &Interplay) -> Vec<bool> {
    let mut sticky = vec![false; interplay.actions.len()];
    if interplay.deadlocks_only {
        return sticky;
    }
    let mover = |action: u32| interplay.actions[action as usize].stands[0].0;
    let foreign_conflicts = |action: usize| {
        let own = mover(action as u32);
        interplay.actions[action].conflicts.iter().filter(|other| mover(**other) != own).count()
    };
    let mut moves: BTreeMap<(usize, u32, u32), (usize, Vec<usize>)> = BTreeMap::new();
    for (number, action) in interplay.actions.iter().enumerate() {
        let conflicts = foreign_conflicts(number);
        for ProcessMove { process, source, target, .. } in action.moves.iter().filter(|moved| !moved.makes_progress) {
            let (least, actions) = moves.entry((*process, *source, *target)).or_insert((conflicts, Vec::new()));
            *least = conflicts.min(*least);
            actions.push(number);
        }
    }
    for (process, locations) in interplay.processes.iter().enumerate() {
        let mut own: Vec<_> = moves.range((process, 0, 0)..(process + 1, 0, 0)).collect();
        own.sort_by_key(|((_, source, target), (conflicts, _))| (*conflicts, *source, *target));
        let mut kept = Kept { leaving: vec![Vec::new(); *locations] };
        for ((_, source, target), (_, actions)) in own {
            if kept.leads(*target, *source) {
                actions.iter().for_each(|action| sticky[*action] = true);
            } else {
                kept.leaving[*source as usize].push(*target);
            }
        }
    }
    sticky
}

/// Moves that close no circle.
struct Kept {
    leaving: Vec<Vec<u32>>,
}

impl Kept {
    /// Whether one location is reached from another.
    fn leads(&self, from: u32, to: u32) -> bool {
        let mut seen = vec![false; self.leaving.len()];
        let mut pending = vec![from];
        while let Some(location) = pending.pop() {
            if location == to {
                return true;
            }
            if !std::mem::replace(&mut seen[location as usize], true) {
                pending.extend(&self.leaving[location as usize]);
            }
        }
        false
    }
}
