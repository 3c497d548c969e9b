//! The stack of a depth-first search that goes through the edges of each state one after the other.
//!
//! The edges of the states on the path lie in one array, those of the last state at its end; an edge is taken off when
//! its turn comes. So a state on the path costs as much as its untried edges, and leaving a state frees nothing but
//! what is its own.

use crate::cycles::explorer::Edge;
use dampf_store::StateRef;

/// A state on the path.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    pub state: StateRef,
    pub is_accepting: bool,
    /// Whatever the search notes about the state while it is on the path.
    pub is_marked: bool,
    /// Where its edges begin.
    start: usize,
}

#[derive(Default)]
pub struct Path {
    pub frames: Vec<Frame>,
    edges: Vec<Edge>,
}

impl Path {
    /// Puts a state on the path. Its edges are those that `expand` appends.
    pub fn push(&mut self, edge: Edge, expand: impl FnOnce(&mut Vec<Edge>)) {
        let start = self.edges.len();
        self.frames.push(Frame { state: edge.target, is_accepting: edge.is_accepting, is_marked: false, start });
        expand(&mut self.edges);
        // The first edge is taken off first.
        self.edges[start..].reverse();
    }

    /// The next edge of the last state.
    pub fn next_edge(&mut self) -> Option<Edge> {
        let start = self.frames.last()?.start;
        if self.edges.len() > start { self.edges.pop() } else { None }
    }

    /// The edge behind the next one, of whichever state.
    pub fn edge_ahead(&self) -> Option<Edge> {
        self.edges.last().copied()
    }

    /// Leaves the last state, with what edges it may have left.
    pub fn pop(&mut self) -> Option<Frame> {
        let frame = self.frames.pop()?;
        self.edges.truncate(frame.start);
        Some(frame)
    }

    pub fn last(&self) -> Option<&Frame> {
        self.frames.last()
    }

    pub fn last_mut(&mut self) -> Option<&mut Frame> {
        self.frames.last_mut()
    }

    pub fn states(&self) -> impl DoubleEndedIterator<Item = StateRef> + '_ {
        self.frames.iter().map(|frame| frame.state)
    }

    /// The edges of the last state, to be put into another order: the last is tried first.
    pub fn untried_mut(&mut self) -> &mut [Edge] {
        let start = self.frames.last().map_or(0, |frame| frame.start);
        &mut self.edges[start..]
    }

    pub fn depth(&self) -> usize {
        self.frames.len()
    }
}
