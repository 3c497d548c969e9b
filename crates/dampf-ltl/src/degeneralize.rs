//! From several marks on edges to locations that accept.
//!
//! A location is split by how many of the marks, in a fixed order, a run has passed since it last had them all; where
//! it has them all, the location accepts. Each strongly connected component counts its own marks only: those that
//! others of the component do not contain, and a run that enters a component begins at zero there, or wherever it gets
//! along with fewest locations (Giannakopoulou, Lerda: From states to transitions, 2002; Babiak et al.: Compositional
//! approach to suspension and other improvements to LTL translation, 2013).

use crate::generalized::{Components, Edge, Generalized, Marks};
use std::collections::HashMap;

/// The marks that have to be counted in a component, in the given order.
fn counted(automaton: &Generalized, of: &Components, component: usize, order: &[Marks]) -> Vec<Marks> {
    let mut inside = Vec::new();
    for (location, edges) in automaton.locations.iter().enumerate() {
        if of.of[location] == component {
            inside.extend(edges.iter().filter(|edge| of.of[edge.target] == component).map(|edge| edge.marks));
        }
    }
    let mut kept = order.to_vec();
    // Passing a mark that lies within this one passes this one.
    let contains = |large: Marks, small: Marks| inside.iter().all(|marks| marks & small == 0 || marks & large != 0);
    let mut index = 0;
    while index < kept.len() {
        let mark = kept[index];
        let is_implied = inside.iter().all(|marks| marks & mark != 0)
            || kept.iter().any(|&other| other != mark && contains(mark, other));
        if is_implied {
            kept.remove(index);
        } else {
            index += 1;
        }
    }
    kept
}

/// An automaton with the one mark, which the edges of a location all have or all lack.
pub fn degeneralize(automaton: &Generalized, order: &[Marks]) -> Generalized {
    let of = automaton.components();
    let inside = automaton.marks_inside(&of);
    let counted: Vec<Option<Vec<Marks>>> = (0..of.count)
        .map(|component| {
            (inside[component] == Some(automaton.marks)).then(|| counted(automaton, &of, component, order))
        })
        .collect();
    let mut numbers: HashMap<(usize, usize), usize> = HashMap::new();
    let mut copies: Vec<(usize, usize)> = Vec::new();
    let mut number = |copy: (usize, usize), copies: &mut Vec<(usize, usize)>| {
        *numbers.entry(copy).or_insert_with(|| {
            copies.push(copy);
            copies.len() - 1
        })
    };
    number((automaton.initial, 0), &mut copies);
    let mut locations: Vec<Vec<Edge>> = Vec::new();
    // Edges that enter a component, by location and place in its list.
    let mut entering: Vec<(usize, usize)> = Vec::new();
    while let Some(&(location, level)) = copies.get(locations.len()) {
        let component = of.of[location];
        let marks = counted[component].as_deref();
        let accepts = marks.is_some_and(|marks| level == marks.len());
        let mut edges = Vec::with_capacity(automaton.locations[location].len());
        for edge in &automaton.locations[location] {
            let mut next = 0;
            if of.of[edge.target] != component {
                entering.push((locations.len(), edges.len()));
            } else if let Some(marks) = marks {
                next = if accepts { 0 } else { level };
                while next < marks.len() && edge.marks & marks[next] != 0 {
                    next += 1;
                }
            }
            let target = number((edge.target, next), &mut copies);
            edges.push(Edge { target, marks: Marks::from(accepts), guard: edge.guard });
        }
        locations.push(edges);
    }
    let mut split = Generalized { locations, initial: 0, marks: 1 };
    enter_where_runs_stay(&mut split, &copies, &entering);
    split
}

/// A copy that is only ever entered need not exist if runs stay in another copy of its location: how many marks have
/// been passed before a component is entered makes no difference.
fn enter_where_runs_stay(split: &mut Generalized, copies: &[(usize, usize)], entering: &[(usize, usize)]) {
    let of = split.components();
    let inside = split.marks_inside(&of);
    let stays = |copy: usize| inside[of.of[copy]].is_some();
    let mut best: HashMap<usize, usize> = HashMap::new();
    for (copy, &(location, level)) in copies.iter().enumerate().filter(|(copy, _)| stays(*copy)) {
        let known = best.entry(location).or_insert(copy);
        if copies[*known].1 < level {
            *known = copy;
        }
    }
    let better = |copy: usize| if stays(copy) { copy } else { best.get(&copies[copy].0).copied().unwrap_or(copy) };
    for &(location, index) in entering {
        let edge = &mut split.locations[location][index];
        edge.target = better(edge.target);
    }
    split.initial = better(split.initial);
}
