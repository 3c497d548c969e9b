//! What follows from the facts about places: what a thread may touch from where it stands, whatever happens, and which
//! steps may close a circle of states. Computed once for a model.

use crate::futures::{Futures, Passage, Place};
use crate::touched::{Mode, ObjectId};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// Loops in loops are told apart up to this depth.
const LEVELS_MAX: usize = 4;

/// Marks a place that is on no circle.
const NO_CIRCLE: u32 = u32::MAX;

type Edge = (u32, u32);

/// What a thread may touch from some places on.
pub struct Future {
    pub anything: bool,
    /// By the numbers of objects.
    modes: Vec<Mode>,
}

impl Future {
    #[inline]
    pub fn mode(&self, object: u32) -> Mode {
        self.modes[object as usize]
    }
}

/// A word of a stack that rises, or falls, as the threads go round.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Measure {
    address: u64,
    rises: bool,
}

/// Circles of places, and for each what tells that a thread makes progress on it.
struct Level {
    /// The passages that are looked at.
    passages: HashSet<Edge>,
    /// The component that each place is in, if it is on a circle.
    component: Vec<u32>,
    measures: Vec<Option<Measure>>,
    /// Passages such that every circle without a measure has one of them.
    closing: HashSet<Edge>,
}

pub struct FuturePlan {
    numbers: HashMap<Place, u32>,
    objects: HashMap<ObjectId, u32>,
    /// What is known of steps, by place.
    touched: Vec<(bool, HashMap<ObjectId, Mode>)>,
    passages: HashMap<Edge, bool>,
    futures: Vec<Future>,
    /// The future of each place among those.
    future_of: Vec<u32>,
    levels: Vec<Level>,
}

impl FuturePlan {
    pub fn new(known: &Futures) -> FuturePlan {
        let numbers: HashMap<Place, u32> = known.places.keys().copied().zip(0..).collect();
        let all: BTreeSet<ObjectId> = known.places.values().flat_map(|facts| facts.objects.keys().copied()).collect();
        let objects: HashMap<ObjectId, u32> = all.into_iter().zip(0..).collect();
        let mut passages: BTreeMap<Edge, &Passage> = BTreeMap::new();
        for (from, facts) in &known.places {
            passages.extend(facts.passages.iter().map(|(to, passage)| ((numbers[from], numbers[to]), passage)));
        }
        let edges: Vec<Edge> = passages.keys().copied().collect();
        // Places that can reach each other have the same future. Components come after those that they lead to.
        let future_of = components(numbers.len(), &edges);
        let count = future_of.iter().map(|&component| component as usize + 1).max().unwrap_or(0);
        let none = || Future { anything: false, modes: vec![Mode::default(); objects.len()] };
        let mut futures: Vec<Future> = (0..count).map(|_| none()).collect();
        let facts: Vec<_> = known.places.values().collect();
        let mut members: Vec<Vec<u32>> = vec![Vec::new(); count];
        future_of.iter().zip(0..).for_each(|(&component, place)| members[component as usize].push(place));
        let mut leading: Vec<Vec<u32>> = vec![Vec::new(); numbers.len()];
        edges.iter().for_each(|&(from, to)| leading[from as usize].push(to));
        for component in 0..count {
            let mut future = none();
            for &place in &members[component] {
                future.anything |= facts[place as usize].anything;
                for (object, &mode) in &facts[place as usize].objects {
                    let known = &mut future.modes[objects[object] as usize];
                    *known = known.and(mode);
                }
                for &to in &leading[place as usize] {
                    let behind = &futures[future_of[to as usize] as usize];
                    future.anything |= behind.anything;
                    future.modes.iter_mut().zip(&behind.modes).for_each(|(mode, behind)| *mode = mode.and(*behind));
                }
            }
            futures[component] = future;
        }
        let touched = facts
            .iter()
            .map(|facts| (facts.anything, facts.objects.iter().map(|(&object, &mode)| (object, mode)).collect()))
            .collect();
        let levels = levels(numbers.len(), &passages);
        let passages = passages.into_iter().map(|(edge, passage)| (edge, passage.creates)).collect();
        FuturePlan { numbers, objects, touched, passages, futures, future_of, levels }
    }

    pub fn number(&self, place: Place) -> Option<u32> {
        self.numbers.get(&place).copied()
    }

    /// The number of an object that somebody may touch some time.
    #[inline]
    pub fn object(&self, object: ObjectId) -> Option<u32> {
        self.objects.get(&object).copied()
    }

    /// What a thread at a place may touch from there on, and threads that it creates.
    pub fn future(&self, place: u32) -> &Future {
        &self.futures[self.future_of[place as usize] as usize]
    }

    /// Whether it is known that steps from a place touch more than can be told.
    pub fn knows_anything(&self, place: u32) -> bool {
        self.touched[place as usize].0
    }

    /// Whether it is known that steps from a place touch an object in a way.
    pub fn knows_object(&self, place: u32, object: ObjectId, mode: Mode) -> bool {
        let (anything, objects) = &self.touched[place as usize];
        *anything || objects.get(&object).is_some_and(|known| known.covers(mode))
    }

    /// Whether it is known that a step leads from a place to another.
    pub fn knows_passage(&self, from: u32, to: u32, creates: bool) -> bool {
        self.passages.get(&(from, to)).is_some_and(|&known| known || !creates)
    }

    /// Whether a step from a place to another may close a circle of states. Every circle has one that does, as
    /// [`persistent`](crate::persistent) shows. `words` tells what a word of the thread's stack was before, and is now.
    pub fn may_close(&self, from: u32, to: u32, creates: bool, words: impl Fn(u64) -> (u32, u32)) -> bool {
        for (depth, level) in self.levels.iter().enumerate() {
            if depth > 0 && !level.passages.contains(&(from, to)) {
                // It was seen to make progress always, and has made none.
                return true;
            }
            let component = level.component[from as usize];
            if component != level.component[to as usize] || component == NO_CIRCLE {
                return false;
            }
            if creates {
                return true;
            }
            let Some(measure) = level.measures[component as usize] else {
                return level.closing.contains(&(from, to));
            };
            let (before, after) = words(measure.address);
            let (before, after) = (before as i32, after as i32);
            if before != after {
                return (after > before) != measure.rises;
            }
        }
        !self.levels.is_empty()
    }

    /// The words of the stack of a thread at a place that are looked at.
    pub fn measured(&self, place: u32) -> impl Iterator<Item = u64> {
        let measure = move |level: &Level| {
            let component = level.component[place as usize];
            level.measures.get(component as usize).copied().flatten().map(|measure| measure.address)
        };
        self.levels.iter().filter_map(measure)
    }
}

fn levels(places: usize, passages: &BTreeMap<Edge, &Passage>) -> Vec<Level> {
    let mut levels: Vec<Level> = Vec::new();
    let mut edges: Vec<Edge> = passages.keys().copied().collect();
    while levels.len() < LEVELS_MAX {
        let mut component = components(places, &edges);
        let mut within: BTreeMap<u32, Vec<Edge>> = BTreeMap::new();
        for &(from, to) in &edges {
            let of = component[from as usize];
            if of == component[to as usize] {
                within.entry(of).or_default().push((from, to));
            }
        }
        let numbers: BTreeMap<u32, u32> = within.keys().copied().zip(0..).collect();
        component.iter_mut().for_each(|of| *of = numbers.get(of).copied().unwrap_or(NO_CIRCLE));
        let measures: Vec<Option<Measure>> = within.values().map(|edges| measure(edges, passages)).collect();
        let mut next = Vec::new();
        let mut closing = HashSet::new();
        for (edges, measure) in within.values().zip(&measures) {
            match measure {
                Some(measure) => {
                    next.extend(edges.iter().copied().filter(|edge| !always_moves(passages[edge], *measure)))
                }
                None => closing.extend(closing_edges(edges)),
            }
        }
        levels.push(Level { passages: edges.iter().copied().collect(), component, measures, closing });
        if next.is_empty() && levels.last().is_some_and(|level| level.measures.iter().all(Option::is_none)) {
            break;
        }
        edges = next;
    }
    levels
}

/// How often a passage was seen to move a word in a direction, and how often against it.
fn moves(passage: &Passage, measure: Measure) -> (u32, u32) {
    let (raised, lowered) = passage.words.get(&measure.address).copied().unwrap_or_default();
    if measure.rises { (raised, lowered) } else { (lowered, raised) }
}

fn always_moves(passage: &Passage, measure: Measure) -> bool {
    passage.samples > 0 && moves(passage, measure).0 == passage.samples
}

/// The word that never moves against a direction on these passages, and that most of them always move.
fn measure(edges: &[Edge], passages: &BTreeMap<Edge, &Passage>) -> Option<Measure> {
    let addresses: BTreeSet<u64> = edges.iter().flat_map(|edge| passages[edge].words.keys().copied()).collect();
    let candidates = addresses.into_iter().flat_map(|address| [true, false].map(|rises| Measure { address, rises }));
    let rated = candidates.filter_map(|measure| {
        let never_back = edges.iter().all(|edge| moves(passages[edge], measure).1 == 0);
        let moving = edges.iter().filter(|edge| always_moves(passages[edge], measure)).count();
        (never_back && moving > 0).then_some((moving, measure.address, measure.rises))
    });
    rated.max().map(|(_, address, rises)| Measure { address, rises })
}

/// The component that each place is in: places that can reach each other. Components have numbers such that all
/// passages out of one lead to lower ones (Tarjan's algorithm, without recursion).
fn components(places: usize, edges: &[Edge]) -> Vec<u32> {
    const OPEN: u32 = u32::MAX;
    let next = successors(places, edges);
    let mut component = vec![OPEN; places];
    let (mut index, mut low) = (vec![0_u32; places], vec![0_u32; places]);
    let (mut count, mut found) = (0, 0);
    let (mut open, mut path): (Vec<u32>, Vec<(u32, usize)>) = (Vec::new(), Vec::new());
    for root in 0..places as u32 {
        if index[root as usize] != 0 {
            continue;
        }
        path.push((root, 0));
        while let Some((place, at)) = path.pop() {
            let here = place as usize;
            if at == 0 {
                count += 1;
                (index[here], low[here]) = (count, count);
                open.push(place);
            } else {
                low[here] = low[here].min(low[next[here][at - 1] as usize]);
            }
            let mut step = at;
            let mut descends = false;
            while let Some(&to) = next[here].get(step) {
                step += 1;
                if index[to as usize] == 0 {
                    path.extend([(place, step), (to, 0)]);
                    descends = true;
                    break;
                }
                if component[to as usize] == OPEN {
                    low[here] = low[here].min(index[to as usize]);
                }
            }
            if descends || low[here] != index[here] {
                continue;
            }
            while let Some(member) = open.pop() {
                component[member as usize] = found;
                low[member as usize] = u32::MAX;
                if member == place {
                    break;
                }
            }
            found += 1;
        }
    }
    component
}

fn successors(places: usize, edges: &[Edge]) -> Vec<Vec<u32>> {
    let mut next = vec![Vec::new(); places];
    edges.iter().for_each(|&(from, to)| next[from as usize].push(to));
    next
}

/// Edges such that every circle has one: those that lead back in a depth-first search.
fn closing_edges(edges: &[Edge]) -> Vec<Edge> {
    let mut next: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    edges.iter().for_each(|&(from, to)| next.entry(from).or_default().push(to));
    let (mut passed, mut on_path): (HashSet<u32>, HashSet<u32>) = (HashSet::new(), HashSet::new());
    let mut closing = Vec::new();
    for &root in next.keys() {
        if !passed.insert(root) {
            continue;
        }
        on_path.insert(root);
        let mut path = vec![(root, 0)];
        while let Some((place, at)) = path.pop() {
            match next.get(&place).and_then(|next| next.get(at)) {
                None => {
                    on_path.remove(&place);
                }
                Some(&to) => {
                    path.push((place, at + 1));
                    if on_path.contains(&to) {
                        closing.push((place, to));
                    } else if passed.insert(to) {
                        on_path.insert(to);
                        path.push((to, 0));
                    }
                }
            }
        }
    }
    closing
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A passage: from, to, how often it was seen, and words with what is raised and lowered.
    type Told<'a> = (u64, u64, u32, &'a [(u64, u32, u32)]);

    fn known(passages: &[Told<'_>]) -> Futures {
        let mut futures = Futures::default();
        for &(from, to, samples, words) in passages {
            let words = words.iter().map(|&(word, raised, lowered)| (word, (raised, lowered))).collect();
            futures.see_passage(from, to, &Passage { creates: false, samples, words });
        }
        futures
    }

    #[test]
    fn a_future_is_what_all_places_ahead_touch() {
        let mut futures = known(&[(1, 2, 0, &[]), (2, 3, 0, &[]), (3, 2, 0, &[]), (3, 4, 0, &[]), (5, 1, 0, &[])]);
        (1..=5).for_each(|place| futures.see_object(place, 10 * place, Mode::READ));
        futures.see_object(4, 20, Mode::WRITE);
        futures.see_anything(6);
        futures.see_passage(5, 6, &Passage::default());
        let plan = FuturePlan::new(&futures);
        let touches = |place: u64| {
            let future = plan.future(plan.number(place).unwrap());
            (1..=5).map(|object| future.mode(plan.object(10 * object).unwrap()).0).collect::<Vec<_>>()
        };
        assert_eq!(touches(4), [0, 2, 0, 1, 0]);
        assert_eq!(touches(3), [0, 3, 1, 1, 0]);
        assert_eq!(touches(2), touches(3));
        assert_eq!(touches(1), [1, 3, 1, 1, 0]);
        assert!(!plan.future(plan.number(1).unwrap()).anything && plan.future(plan.number(5).unwrap()).anything);
    }

    #[test]
    fn every_circle_without_a_measure_is_closed_somewhere() {
        let plan = FuturePlan::new(&known(&[(1, 2, 1, &[]), (2, 3, 1, &[]), (3, 1, 1, &[]), (2, 2, 1, &[])]));
        let closes = |from: u64, to: u64| {
            plan.may_close(plan.number(from).unwrap(), plan.number(to).unwrap(), false, |_| (0, 0))
        };
        assert!(closes(2, 2));
        assert_eq!([(1, 2), (2, 3), (3, 1)].iter().filter(|&&(from, to)| closes(from, to)).count(), 1);
    }

    #[test]
    fn loops_in_loops_have_measures_of_their_own() {
        // Place 1 is in the inner loop, with its counter at 8; 2 in the outer one, with its counter at 16.
        let inner: &[(u64, u32, u32)] = &[(8, 5, 0)];
        let back: &[(u64, u32, u32)] = &[(16, 2, 0), (8, 0, 2)];
        let plan = FuturePlan::new(&known(&[(1, 1, 5, inner), (1, 2, 2, &[]), (2, 1, 2, back)]));
        let closes = |from: u64, to: u64, changes: &[(u64, u32, u32)]| {
            let (from, to) = (plan.number(from).unwrap(), plan.number(to).unwrap());
            plan.may_close(from, to, false, |word| {
                changes.iter().find(|change| change.0 == word).map_or((7, 7), |&(_, before, after)| (before, after))
            })
        };
        assert!(!closes(1, 1, &[(8, 0, 1)]) && !closes(2, 1, &[(16, 0, 1), (8, 3, 0)]));
        assert!(closes(1, 1, &[(8, 1, 0)]) && closes(2, 1, &[(16, 1, 0)]) && closes(2, 1, &[]));
        assert!(closes(1, 1, &[]) && !closes(1, 2, &[]));
    }
}
