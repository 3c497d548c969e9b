//! Explicit graphs with accepting nodes and edges that belong to somebody: to test searches for cycles without any
//! language, against a reference that looks at all pairs of nodes.

use crate::graph::{Edge, Graph, Size, random_graph};
use crate::random::Random;
use dampf_core::{Acceptance, Action, Fault, Model, Movers, Propositions, Restore, Sections, Transfer, Word};

/// A graph some of whose nodes are accepting. An edge belongs to one or two movers, by its label.
#[derive(Clone, Debug)]
pub struct BuchiGraph {
    pub graph: Graph,
    pub accepting: Vec<bool>,
    pub movers: usize,
}

/// A graph from a seed, the same every time. About one node in `accepting_one_in` is accepting.
pub fn random_buchi_graph(seed: u64, size: Size, accepting_one_in: u64) -> BuchiGraph {
    let mut random = Random::new(!seed);
    let graph = Graph { error: None, ..random_graph(seed, size) };
    let accepting = graph.nodes.iter().map(|_| random.one_in(accepting_one_in)).collect();
    BuchiGraph { graph, accepting, movers: 1 + random.below(6) as usize }
}

impl BuchiGraph {
    fn node(&self, state: &[Word]) -> usize {
        node(&self.graph, state)
    }

    /// Whom an edge with this label moves.
    fn moved_by(&self, label: u64) -> impl Iterator<Item = usize> + use<> {
        let movers = self.movers as u64;
        // Spread, so that the edges of a node, whose labels are small, are not all the first movers'.
        let spread = label.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
        let second = spread.is_multiple_of(7).then_some((spread + 1) % movers);
        [Some(spread % movers), second].into_iter().flatten().map(|mover| mover as usize)
    }

    fn targets(&self, node: usize) -> impl Iterator<Item = usize> + '_ {
        self.graph.nodes[node].edges.iter().filter_map(|edge| edge.target.as_ref().ok()).map(|target| *target as usize)
    }

    /// For all pairs of nodes, whether a way of at least one edge leads from the one to the other.
    fn reachability(&self) -> Vec<Vec<bool>> {
        let count = self.graph.nodes.len();
        let mut reaches = vec![vec![false; count]; count];
        for (node, row) in reaches.iter_mut().enumerate() {
            self.targets(node).for_each(|target| row[target] = true);
        }
        for middle in 0..count {
            let behind = reaches[middle].clone();
            for row in reaches.iter_mut().filter(|row| row[middle]) {
                row.iter_mut().zip(&behind).for_each(|(reached, more)| *reached |= more);
            }
        }
        reaches
    }

    fn reachable(&self, reaches: &[Vec<bool>]) -> Vec<usize> {
        let is_initial = |node: usize| self.graph.initial.contains(&(node as u32));
        let from_initial = |node: usize| self.graph.initial.iter().any(|&start| reaches[start as usize][node]);
        (0..self.graph.nodes.len()).filter(|&node| is_initial(node) || from_initial(node)).collect()
    }

    /// Whether a run passes accepting nodes for ever.
    pub fn has_accepting_cycle(&self) -> bool {
        let reaches = self.reachability();
        self.reachable(&reaches).into_iter().any(|node| self.accepting[node] && reaches[node][node])
    }

    /// Whether some run ends as it may, and another comes to where no end can be reached any more.
    pub fn has_livelock(&self) -> bool {
        let reaches = self.reachability();
        let reachable = self.reachable(&reaches);
        let has_ended = |node: usize| self.targets(node).next().is_none();
        reachable.iter().any(|&node| has_ended(node) && self.graph.nodes[node].valid_end)
            && reachable.iter().any(|&node| self.never_ends(&reaches, node))
    }

    /// Whether no end can be reached from a node, which is none itself.
    fn never_ends(&self, reaches: &[Vec<bool>], node: usize) -> bool {
        // A run may also stop where it could go on.
        let is_end = |node: usize| self.targets(node).next().is_none() || self.graph.nodes[node].valid_end;
        !is_end(node) && !(0..self.graph.nodes.len()).any(|other| is_end(other) && reaches[node][other])
    }

    /// Whether no end can be reached from a state.
    pub fn is_hopeless(&self, state: &[Word]) -> bool {
        self.never_ends(&self.reachability(), self.node(state))
    }

    /// Whether a run passes accepting nodes for ever, in which everybody who can move from some moment on does move.
    pub fn has_fair_cycle(&self) -> bool {
        let reaches = self.reachability();
        self.reachable(&reaches).into_iter().any(|node| {
            let together: Vec<usize> =
                (0..self.graph.nodes.len()).filter(|&other| reaches[node][other] && reaches[other][node]).collect();
            let is_fair_to = |mover: usize| {
                together.iter().any(|&member| {
                    let edges = || self.graph.nodes[member].edges.iter();
                    let is_moved = |edge: &Edge| self.moved_by(u64::from(edge.label)).any(|moved| moved == mover);
                    let stays =
                        |edge: &Edge| edge.target.as_ref().is_ok_and(|target| together.contains(&(*target as usize)));
                    !edges().any(is_moved) || edges().any(|edge| is_moved(edge) && stays(edge))
                })
            };
            self.accepting[node] && reaches[node][node] && (0..self.movers).all(is_fair_to)
        })
    }
}

/// The number of the node that a state is.
fn node(graph: &Graph, state: &[Word]) -> usize {
    state[graph.width / 2] as usize
}

impl Model for BuchiGraph {
    type Worker<'m> = &'m Graph;

    fn width(&self) -> usize {
        self.graph.width()
    }

    fn worker(&self) -> &Graph {
        &self.graph
    }
}

impl Acceptance for BuchiGraph {
    fn is_accepting(&self, state: &[Word]) -> bool {
        self.accepting[self.node(state)]
    }
}

impl Movers for BuchiGraph {
    fn mover_count(&self) -> usize {
        self.movers
    }

    fn movers(&self, _: &[Word], action: Action, visit: &mut dyn FnMut(usize)) {
        self.moved_by(action.0).for_each(visit);
    }
}

/// Whether the node's number has a bit, for the first four bits.
impl Propositions for BuchiGraph {
    fn proposition_count(&self) -> usize {
        4
    }

    fn proposition_name(&self, proposition: usize) -> &str {
        ["bit 0", "bit 1", "bit 2", "bit 3"][proposition]
    }

    fn holds(graph: &mut &Graph, proposition: usize, state: &[Word]) -> Result<bool, Fault> {
        Ok(node(graph, state) >> proposition & 1 == 1)
    }
}

/// States hold no names.
impl Transfer for BuchiGraph {}
impl Restore for BuchiGraph {}
impl Sections for BuchiGraph {}
