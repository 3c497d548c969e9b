//! Moves that no circle of states has: a variable grows with them and nothing on such a circle makes it smaller again.
//!
//! A run that comes back to a state takes each process that moved around a circle of locations. Within a strongly
//! connected part of a process's locations, a move that increases a variable cannot be on the circle if no other move
//! of that part and no step without this process can decrease the variable or store into it. Moves that are found so
//! are taken away, and what remains falls into smaller parts. (The same with decreasing.)

use super::Facts;
use super::uses::{DECREASED, INCREASED, Use, WRITTEN};

/// Marks the moves of single steps.
pub fn mark(processes: Vec<usize>, single: &mut [Facts]) {
    for (process, locations) in processes.into_iter().enumerate() {
        while mark_some(process, locations, single) {}
    }
}

/// Whether something was found.
fn mark_some(process: usize, locations: usize, single: &mut [Facts]) -> bool {
    let edges: Vec<(usize, usize, u32, u32)> = single
        .iter()
        .enumerate()
        .flat_map(|(number, facts)| {
            let own =
                facts.moves.iter().enumerate().filter(|(_, moved)| moved.process == process && !moved.makes_progress);
            own.map(move |(at, moved)| (number, at, moved.source, moved.target)).collect::<Vec<_>>()
        })
        .collect();
    let plain: Vec<(u32, u32)> = edges.iter().map(|edge| (edge.2, edge.3)).collect();
    let part = components(locations, &plain);
    let mut found = Vec::new();
    for &(number, at, source, target) in &edges {
        if part[source as usize] != part[target as usize] {
            continue;
        }
        let grows = |direction: Use, against: Use| {
            let candidates = single[number].uses.iter().filter(|(_, how)| **how & (direction | against) == direction);
            candidates.map(|(object, _)| *object).any(|object| {
                single.iter().all(|facts| {
                    let how = facts.uses.get(&object).copied().unwrap_or(0);
                    how & against == 0 || {
                        // It is harmless if it takes this process elsewhere.
                        let mut own = facts.moves.iter().filter(|moved| moved.process == process).peekable();
                        own.peek().is_some()
                            && own.all(|moved| {
                                moved.makes_progress
                                    || part[moved.source as usize] != part[source as usize]
                                    || part[moved.target as usize] != part[source as usize]
                            })
                    }
                })
            })
        };
        if grows(INCREASED, DECREASED | WRITTEN) || grows(DECREASED, INCREASED | WRITTEN) {
            found.push((number, at));
        }
    }
    for (number, at) in &found {
        single[*number].moves[*at].makes_progress = true;
    }
    !found.is_empty()
}

/// For each of `count` vertices, the number of its strongly connected component.
fn components(count: usize, edges: &[(u32, u32)]) -> Vec<usize> {
    let mut forward = vec![Vec::new(); count];
    let mut backward = vec![Vec::new(); count];
    for (source, target) in edges {
        forward[*source as usize].push(*target as usize);
        backward[*target as usize].push(*source as usize);
    }
    let mut order = Vec::new();
    let mut seen = vec![false; count];
    for root in 0..count {
        finish(root, &forward, &mut seen, &mut order);
    }
    let mut component = vec![usize::MAX; count];
    let mut taken = vec![false; count];
    for (number, root) in order.into_iter().rev().enumerate() {
        let mut members = Vec::new();
        finish(root, &backward, &mut taken, &mut members);
        members.into_iter().for_each(|member| component[member] = number);
    }
    component
}

/// Appends what is reached from a vertex and was not seen, each behind what is reached from it.
fn finish(root: usize, edges: &[Vec<usize>], seen: &mut [bool], order: &mut Vec<usize>) {
    if std::mem::replace(&mut seen[root], true) {
        return;
    }
    let mut path = vec![(root, 0)];
    while let Some((vertex, next)) = path.last_mut() {
        match edges[*vertex].get(*next) {
            Some(target) => {
                *next += 1;
                if !std::mem::replace(&mut seen[*target], true) {
                    path.push((*target, 0));
                }
            }
            None => {
                order.push(*vertex);
                path.pop();
            }
        }
    }
}
