//! Which actions are sticky: not everything of interest may be left out together with them.
//!
//! Every run that comes back to a state must contain a step of a sticky action. That is so if no such run can consist
//! of parts of the other actions alone (`circles.rs`). The set is made in two passes. First, for each process, the
//! moves of the others are to form a graph without circles. It is built greedily: moves of actions that conflict with
//! few actions of other processes come first, since these are the ones that a small set could consist of; a move that
//! would close a circle makes its actions sticky. Then actions that need not be sticky are released again, as long as
//! no circle becomes possible, all of a process at once if that can be: processes that cannot go around without each
//! other need one sticky place among them.

use crate::circles::Circles;
use dampf_core::Interplay;
use std::collections::BTreeMap;

/// Trying to release actions one by one ends when so many parts were looked at.
const WORK_MAX: usize = 1_000_000;

/// For each action, whether it is sticky. Runs of actions that are dead need no sticky ones.
pub fn sticky_actions(interplay: &Interplay, is_dead: &[bool]) -> Vec<bool> {
    let mut sticky = is_dead.to_vec();
    if !interplay.actions.iter().zip(is_dead).any(|(action, dead)| !dead && (action.is_visible || action.may_end)) {
        return sticky;
    }
    let circles = Circles::new(&interplay.parts, &interplay.processes);
    let mover = |action: usize| interplay.actions[action].stands[0].0;
    let foreign_conflicts = |action: usize| {
        let conflicts = interplay.actions[action].conflicts.iter();
        conflicts.filter(|other| mover(**other as usize) != mover(action)).count()
    };
    break_circles(interplay, &circles, &foreign_conflicts, &mut sticky);
    let mut releaser = Releaser { interplay, circles, sticky, work: 0 };
    debug_assert!(!releaser.can_come_back(), "no process goes around a circle");
    let mut candidates: Vec<usize> =
        (0..interplay.actions.len()).filter(|action| releaser.sticky[*action] && !is_dead[*action]).collect();
    let mut groups: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    candidates.iter().for_each(|action| groups.entry(mover(*action)).or_default().push(*action));
    let mut groups: Vec<Vec<usize>> = groups.into_values().collect();
    groups.sort_by_key(|group| group.iter().map(|action| foreign_conflicts(*action)).min());
    groups.iter().for_each(|group| releaser.release(group));
    candidates.sort_by_key(|action| foreign_conflicts(*action));
    candidates.iter().for_each(|action| releaser.release(&[*action]));
    releaser.sticky
}

/// Makes actions sticky besides those that are, such that the others take no process around a circle.
fn break_circles(
    interplay: &Interplay,
    circles: &Circles<'_>,
    foreign_conflicts: &dyn Fn(usize) -> usize,
    sticky: &mut [bool],
) {
    let mut left = vec![false; interplay.parts.len()];
    let living = interplay.actions.iter().zip(&*sticky).filter(|(_, is_dead)| !**is_dead);
    living.flat_map(|(action, _)| &action.parts).for_each(|part| left[*part as usize] = true);
    circles.reduce(&mut left);
    let mut moves: BTreeMap<(usize, u32, u32), (usize, Vec<usize>)> = BTreeMap::new();
    for (number, action) in interplay.actions.iter().enumerate() {
        let conflicts = foreign_conflicts(number);
        for part in action.parts.iter().filter(|part| left[**part as usize]) {
            for moved in &interplay.parts[*part as usize].moves {
                let key = (moved.process, moved.source, moved.target);
                let (least, actions) = moves.entry(key).or_insert((conflicts, Vec::new()));
                *least = conflicts.min(*least);
                actions.push(number);
            }
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
}

/// Makes as few actions sticky as it can.
struct Releaser<'i> {
    interplay: &'i Interplay,
    circles: Circles<'i>,
    sticky: Vec<bool>,
    work: usize,
}

impl Releaser<'_> {
    /// Releases these actions if no run that comes back is possible without sticky actions then.
    fn release(&mut self, actions: &[usize]) {
        self.work += self.interplay.parts.len();
        if self.work > WORK_MAX || !actions.iter().any(|action| self.sticky[*action]) {
            return;
        }
        let before: Vec<bool> = actions.iter().map(|action| self.sticky[*action]).collect();
        actions.iter().for_each(|action| self.sticky[*action] = false);
        if self.can_come_back() {
            actions.iter().zip(before).for_each(|(action, was)| self.sticky[*action] = was);
        }
    }

    /// Whether a run that comes back to a state may consist of steps of other actions alone.
    fn can_come_back(&self) -> bool {
        let mut left = vec![false; self.interplay.parts.len()];
        let others = self.interplay.actions.iter().zip(&self.sticky).filter(|(_, sticky)| !**sticky);
        others.flat_map(|(action, _)| &action.parts).for_each(|part| left[*part as usize] = true);
        self.circles.reduce(&mut left)
    }
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
