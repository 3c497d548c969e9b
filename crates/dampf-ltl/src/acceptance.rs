//! Marks that make no difference, brought to one form.
//!
//! Only edges inside a component that some accepted run stays in count. On all others marks can be chosen: having none
//! makes an edge easy to follow, having all makes it a good follower, and simulation finds more now with the one, now
//! with the other. And where every cycle of a component passes a mark, all its edges may have it.

use crate::generalized::{Components, Edge, Generalized, Marks, components};

/// What edges get whose marks make no difference.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Indifferent {
    None,
    All,
}

/// Whether a component has no cycle of edges that satisfy a condition.
fn has_no_cycle(
    automaton: &Generalized,
    members: &[usize],
    of: &Components,
    stays: impl Fn(usize, &Edge) -> bool + Copy,
) -> bool {
    let place = |location: usize| members.binary_search(&location).ok();
    let inside = |member: usize| {
        let location = members[member];
        let edges = automaton.locations[location].iter();
        edges.filter(move |edge| of.of[edge.target] == of.of[location]).filter(move |edge| stays(location, edge))
    };
    let targets: Vec<Vec<usize>> =
        (0..members.len()).map(|member| inside(member).filter_map(|edge| place(edge.target)).collect()).collect();
    let found = components(members.len(), |member| targets[member].iter().copied());
    found.count == members.len() && targets.iter().enumerate().all(|(member, targets)| !targets.contains(&member))
}

fn members(of: &Components) -> Vec<Vec<usize>> {
    let mut members = vec![Vec::new(); of.count];
    for (location, &component) in of.of.iter().enumerate() {
        members[component].push(location);
    }
    members
}

/// Normalises the marks of edges.
pub fn normalise_edges(automaton: &mut Generalized, indifferent: Indifferent) {
    let of = automaton.components();
    let inside = automaton.marks_inside(&of);
    let all = automaton.marks;
    let outside = if indifferent == Indifferent::All { all } else { 0 };
    let mut added: Vec<Marks> = vec![0; of.count];
    for (component, members) in members(&of).iter().enumerate() {
        for mark in (0..Marks::BITS).map(|bit| 1 << bit).filter(|mark| all & mark != 0) {
            if inside[component] == Some(all) && has_no_cycle(automaton, members, &of, |_, edge| edge.marks & mark == 0)
            {
                added[component] |= mark;
            }
        }
    }
    for (location, edges) in automaton.locations.iter_mut().enumerate() {
        let component = of.of[location];
        for edge in edges {
            edge.marks = match of.of[edge.target] == component {
                false => outside,
                true if inside[component] == Some(all) => edge.marks | added[component],
                true => 0,
            };
        }
    }
}

/// Normalises the marks of an automaton whose locations accept: all edges of a location keep the same marks.
pub fn normalise_locations(automaton: &mut Generalized, indifferent: Indifferent) {
    let of = automaton.components();
    let inside = automaton.marks_inside(&of);
    for (component, members) in members(&of).iter().enumerate() {
        let marks = match inside[component] {
            None if indifferent == Indifferent::All => Some(1),
            None | Some(0) => Some(0),
            Some(_) => has_no_cycle(automaton, members, &of, |_, edge| edge.marks == 0).then_some(1),
        };
        for &location in members {
            let Some(marks) = marks else { continue };
            automaton.locations[location].iter_mut().for_each(|edge| edge.marks = marks);
        }
    }
}
