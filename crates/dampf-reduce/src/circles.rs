//! Which parts of steps a run can consist of that comes back to a state.
//!
//! Such a run undoes what it does. It takes each process that moves around a circle of locations, so every move of it
//! lies inside a strongly connected part of the moves of that process. And where it raises a value, it lowers the
//! value too, or stores into it. From any set of parts, those that cannot meet these two needs by other parts of the
//! set are taken out, one after the other, until all that are left can. A run that comes back consists of parts that
//! are left, by induction over those that were taken out; if none are left, there is no such run.
//!
//! This sees through several processes. One that only receives from a channel, as often as it goes around, needs
//! another one that sends; a ring of processes that pass messages on cannot go around without each of them.

use dampf_core::StepPart;

/// What is needed to look at many sets of parts of the same steps.
pub struct Circles<'p> {
    parts: &'p [StepPart],
    /// The number of locations of each process.
    processes: &'p [usize],
    /// For each process, the parts that move it.
    moving: Vec<Vec<u32>>,
    /// For each value, the parts that raise, lower and store it.
    raising: Vec<Vec<u32>>,
    lowering: Vec<Vec<u32>>,
    storing: Vec<Vec<u32>>,
}

impl<'p> Circles<'p> {
    pub fn new(parts: &'p [StepPart], processes: &'p [usize]) -> Self {
        let values = |part: &StepPart| -> Option<u32> {
            part.raised.iter().chain(&part.lowered).chain(&part.stored).max().map(|greatest| greatest + 1)
        };
        let count = parts.iter().filter_map(values).max().unwrap_or(0) as usize;
        let by_value = |changed: &dyn Fn(&StepPart) -> &Vec<u32>| {
            let mut lists = vec![Vec::new(); count];
            for (number, part) in parts.iter().enumerate() {
                changed(part).iter().for_each(|value| lists[*value as usize].push(number as u32));
            }
            lists
        };
        let mut moving = vec![Vec::new(); processes.len()];
        for (number, part) in parts.iter().enumerate() {
            for moved in &part.moves {
                if moving[moved.process].last() != Some(&(number as u32)) {
                    moving[moved.process].push(number as u32);
                }
            }
        }
        Circles {
            raising: by_value(&|part| &part.raised),
            lowering: by_value(&|part| &part.lowered),
            storing: by_value(&|part| &part.stored),
            parts,
            processes,
            moving,
        }
    }

    /// Takes out what cannot be on a circle of states that consists of parts in `left` alone; whether any are left.
    pub fn reduce(&self, left: &mut [bool]) -> bool {
        left.iter_mut().zip(self.parts).for_each(|(left, part)| *left &= !part.is_last);
        let mut changed = vec![true; self.processes.len()];
        let mut taken_out = Vec::new();
        loop {
            for (process, is_changed) in changed.iter_mut().enumerate() {
                if std::mem::take(is_changed) {
                    self.leave_circles(process, left, &mut taken_out);
                }
            }
            let is_left = |parts: &Vec<u32>| parts.iter().any(|part| left[*part as usize]);
            let mut unbalanced = Vec::new();
            for value in 0..self.raising.len() {
                if is_left(&self.storing[value]) {
                    continue;
                }
                let (raised, lowered) = (is_left(&self.raising[value]), is_left(&self.lowering[value]));
                if raised != lowered {
                    unbalanced.extend(if raised { &self.raising[value] } else { &self.lowering[value] });
                }
            }
            for part in unbalanced {
                if std::mem::replace(&mut left[part as usize], false) {
                    taken_out.push(part);
                }
            }
            if taken_out.is_empty() {
                return left.contains(&true);
            }
            for part in taken_out.drain(..) {
                self.parts[part as usize].moves.iter().for_each(|moved| changed[moved.process] = true);
            }
        }
    }

    /// Takes out the parts that move a process out of what is strongly connected.
    fn leave_circles(&self, process: usize, left: &mut [bool], taken_out: &mut Vec<u32>) {
        let own = || self.moving[process].iter().filter(|part| left[**part as usize]);
        let moves = |part: &u32| {
            let own = self.parts[*part as usize].moves.iter().filter(|moved| moved.process == process);
            own.map(|moved| (moved.source, moved.target)).collect::<Vec<_>>()
        };
        let edges: Vec<(u32, u32)> = own().flat_map(moves).collect();
        if edges.is_empty() {
            return;
        }
        let component = components(self.processes[process], &edges);
        let leaves = |part: &u32| {
            moves(part).iter().any(|(source, target)| component[*source as usize] != component[*target as usize])
        };
        let leaving: Vec<u32> = own().filter(|part| leaves(part)).copied().collect();
        leaving.iter().for_each(|part| left[*part as usize] = false);
        taken_out.extend(leaving);
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use dampf_core::ProcessMove;

    fn part(process: usize, source: u32, target: u32, raised: &[u32], lowered: &[u32]) -> StepPart {
        let moves = vec![ProcessMove { process, source, target }];
        StepPart { moves, raised: raised.to_vec(), lowered: lowered.to_vec(), stored: Vec::new(), is_last: false }
    }

    fn left(parts: &[StepPart], processes: &[usize]) -> Vec<bool> {
        let mut left = vec![true; parts.len()];
        let any = Circles::new(parts, processes).reduce(&mut left);
        assert_eq!(any, left.contains(&true));
        left
    }

    #[test]
    fn what_leads_out_of_a_circle_is_not_on_one() {
        let parts = [part(0, 0, 1, &[], &[]), part(0, 1, 0, &[], &[]), part(0, 1, 2, &[], &[])];
        assert_eq!(left(&parts, &[3]), [true, true, false]);
    }

    #[test]
    fn a_ring_of_messages_needs_all_its_processes() {
        // Each of three processes receives from the channel of its number and sends to the next.
        let ring = |process: usize| {
            let (own, next) = (process as u32, (process as u32 + 1) % 3);
            [part(process, 0, 1, &[], &[own]), part(process, 1, 0, &[next], &[])]
        };
        let parts: Vec<StepPart> = (0..3).flat_map(ring).collect();
        assert_eq!(left(&parts, &[2, 2, 2]), [true; 6]);
        assert_eq!(left(&parts[..5], &[2, 2, 2]), [false; 5]);
    }

    #[test]
    fn a_value_that_is_stored_into_may_become_anything() {
        let mut parts = vec![part(0, 0, 0, &[7], &[]), part(1, 0, 0, &[], &[])];
        assert_eq!(left(&parts, &[1, 1]), [false, true]);
        parts[1].stored.push(7);
        assert_eq!(left(&parts, &[1, 1]), [true, true]);
    }

    #[test]
    fn a_part_with_two_processes_needs_circles_of_both() {
        let mut parts = vec![part(0, 0, 0, &[], &[]), part(1, 1, 0, &[], &[])];
        parts[0].moves.push(ProcessMove { process: 1, source: 0, target: 1 });
        assert_eq!(left(&parts, &[1, 2]), [true, true]);
        assert_eq!(left(&parts[..1], &[1, 2]), [false]);
    }
}
