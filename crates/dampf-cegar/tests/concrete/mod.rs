//! A reference for systems: states with values, explored one by one.
//!
//! Steps are found by bounding every unknown and trying the values that are left; a system whose unknowns have no small
//! bounds is beyond it.

use dampf_cegar::{Formula, Linear, Relation, Symbol, System, Transition, TransitionId};
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

pub type Values = Vec<i128>;

const LIMIT: i128 = 1 << 70;
const TRIED_MAX: i128 = 5_000;

type Ranges = BTreeMap<Symbol, (i128, i128)>;

/// The values after a step from these values; `None` if they are too many to try.
pub fn successors(system: &System, transition: &Transition, before: &[i128]) -> Option<BTreeSet<Values>> {
    let after = system.location(transition.to).variables.len() as u32;
    let mut ranges = Ranges::new();
    for (index, &value) in before.iter().enumerate() {
        ranges.insert(Symbol::Before(index as u32), (value, value));
    }
    for index in 0..after {
        ranges.insert(Symbol::After(index), (-LIMIT, LIMIT));
    }
    for index in 0..transition.auxiliaries.len() as u32 {
        ranges.insert(Symbol::Auxiliary(index), (-LIMIT, LIMIT));
    }
    let mut found = BTreeSet::new();
    solve(vec![transition.relation.clone()], Vec::new(), ranges, after, &mut found)?;
    Some(found)
}

fn solve(
    mut pending: Vec<Formula>,
    mut atoms: Vec<(Linear, Relation)>,
    mut ranges: Ranges,
    after: u32,
    found: &mut BTreeSet<Values>,
) -> Option<()> {
    while let Some(formula) = pending.pop() {
        match formula {
            Formula::True => {}
            Formula::False => return Some(()),
            Formula::And(parts) => pending.extend(parts),
            Formula::Atom(constraint) => {
                atoms.push((constraint.sum().clone(), constraint.relation()));
                if !tighten(&atoms, &mut ranges) {
                    return Some(());
                }
            }
            Formula::Or(parts) => {
                for part in parts {
                    let mut rest = pending.clone();
                    rest.insert(0, part);
                    // The other conjuncts first: they bound what the cases speak of.
                    let (cases, mut rest): (Vec<_>, Vec<_>) =
                        rest.into_iter().partition(|formula| matches!(formula, Formula::Or(_)));
                    rest.splice(0..0, cases);
                    solve(rest, atoms.clone(), ranges.clone(), after, found)?;
                }
                return Some(());
            }
        }
    }
    if !tighten(&atoms, &mut ranges) {
        return Some(());
    }
    let open = ranges.iter().filter(|(_, (low, high))| low < high).min_by_key(|(_, (low, high))| high - low);
    match open.map(|(&symbol, &range)| (symbol, range)) {
        None => {
            found.insert((0..after).map(|index| ranges[&Symbol::After(index)].0).collect());
        }
        Some((_, (low, high))) if high - low > TRIED_MAX => return None,
        Some((symbol, (low, high))) => {
            for value in low..=high {
                let mut narrowed = ranges.clone();
                narrowed.insert(symbol, (value, value));
                solve(Vec::new(), atoms.clone(), narrowed, after, found)?;
            }
        }
    }
    Some(())
}

/// Narrows ranges by every atom until nothing changes; `false` if one is empty.
fn tighten(atoms: &[(Linear, Relation)], ranges: &mut Ranges) -> bool {
    for _ in 0..200 {
        let mut changed = false;
        for (sum, relation) in atoms {
            let signs: &[i128] = if *relation == Relation::Equal { &[1, -1] } else { &[1] };
            for sign in signs {
                let slack = i128::from(*relation == Relation::Below);
                // `sign * sum + slack <= 0`: the least value of all terms but one bounds that one.
                let least = |skipped: Option<Symbol>| {
                    sum.terms().iter().filter(|(symbol, _)| Some(*symbol) != skipped).fold(
                        sign * sum.constant_part() + slack,
                        |all, (symbol, value)| {
                            let (low, high) = ranges[symbol];
                            all.saturating_add(
                                (sign * value).saturating_mul(low).min((sign * value).saturating_mul(high)),
                            )
                        },
                    )
                };
                if least(None) > 0 {
                    return false;
                }
                let mut narrowed = Vec::new();
                for &(symbol, value) in sum.terms() {
                    let (factor, rest) = (sign * value, least(Some(symbol)));
                    let (low, high) = ranges[&symbol];
                    // `factor * symbol <= -rest`
                    let new = if factor > 0 {
                        (low, high.min((-rest).div_euclid(factor)))
                    } else {
                        let bound = rest.div_euclid(-factor) + i128::from(rest.rem_euclid(-factor) != 0);
                        (low.max(bound), high)
                    };
                    if new != (low, high) {
                        narrowed.push((symbol, new));
                    }
                }
                for (symbol, (low, high)) in narrowed {
                    let mine = ranges.get_mut(&symbol).unwrap();
                    *mine = (mine.0.max(low), mine.1.min(high));
                    changed = true;
                    if mine.0 > mine.1 {
                        return false;
                    }
                }
            }
        }
        if !changed {
            break;
        }
    }
    true
}

/// Everything that runs reach.
pub struct Exploration {
    /// By location.
    pub states: Vec<BTreeSet<Values>>,
    /// A shortest path to the error.
    pub error: Option<Vec<TransitionId>>,
}

/// `None` where values or states are too many.
pub fn explore(system: &System, states_max: usize) -> Option<Exploration> {
    let mut states: Vec<BTreeSet<Values>> = vec![BTreeSet::new(); system.locations.len()];
    let mut paths: HashMap<(u32, Values), Vec<TransitionId>> = HashMap::new();
    let start = (system.initial.0, Vec::new());
    paths.insert(start.clone(), Vec::new());
    states[start.0 as usize].insert(Vec::new());
    let mut queue = VecDeque::from([start]);
    let mut error = None;
    while let Some((location, values)) = queue.pop_front() {
        if paths.len() > states_max {
            return None;
        }
        for id in system.transition_ids() {
            let transition = system.transition(id);
            if transition.from.0 != location {
                continue;
            }
            for after in successors(system, transition, &values)? {
                let state = (transition.to.0, after);
                if paths.contains_key(&state) {
                    continue;
                }
                let mut path = paths[&(location, values.clone())].clone();
                path.push(id);
                if transition.to == system.error && error.is_none() {
                    error = Some(path.clone());
                }
                states[state.0 as usize].insert(state.1.clone());
                paths.insert(state.clone(), path);
                queue.push_back(state);
            }
        }
    }
    Some(Exploration { states, error })
}

/// Whether there is a run along a path.
pub fn is_run(system: &System, path: &[TransitionId]) -> Option<bool> {
    let mut at = BTreeSet::from([Vec::new()]);
    let mut location = system.initial;
    for &id in path {
        let transition = system.transition(id);
        if transition.from != location {
            return Some(false);
        }
        let mut next = BTreeSet::new();
        for values in &at {
            next.extend(successors(system, transition, values)?);
        }
        at = next;
        location = transition.to;
    }
    Some(location == system.error && !at.is_empty())
}

pub fn holds(formula: &Formula, values: &[i128]) -> bool {
    match formula {
        Formula::True => true,
        Formula::False => false,
        Formula::And(parts) => parts.iter().all(|part| holds(part, values)),
        Formula::Or(parts) => parts.iter().any(|part| holds(part, values)),
        Formula::Atom(constraint) => {
            let value =
                constraint.sum().terms().iter().fold(constraint.sum().constant_part(), |all, (symbol, factor)| {
                    let Symbol::Before(index) = symbol else { panic!("an invariant speaks of one location") };
                    all + factor * values[*index as usize]
                });
            match constraint.relation() {
                Relation::AtMost => value <= 0,
                Relation::Below => value < 0,
                Relation::Equal => value == 0,
            }
        }
    }
}

/// Numbers that look like chance, the same in every run.
pub struct Chance(pub u64);

impl Chance {
    pub fn below(&mut self, count: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % count
    }

    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len() as u64) as usize]
    }
}
