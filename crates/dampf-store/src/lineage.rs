//! How states that wait were reached, where the store knows nothing of it.
//!
//! A tree of steps: a node has its parent and the label of the step from there, and is named by a number that a search
//! carries with the words of the state. Nodes count who refers to them, which is the state itself while it waits and
//! the nodes of its successors, and go when nobody does. So what is kept is the way to every state that waits and
//! nothing else: at depth-first search the stack, at breadth-first search the last level and what it descends from.
//!
//! A run that is read here is one that was taken, whatever the store takes for what.

use crate::segments::Segments;
use dampf_core::{Action, Trail, Word};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// The words of a node: the parent's number plus one, the label in two halves, how many refer to it.
const PARENT: usize = 0;
const ACTION: usize = 1;
const REFERENCES: usize = 3;
const NODE_WORDS: usize = 4;
const NO_PARENT: Word = 0;
/// How many free nodes change hands at a time.
const FREE_BLOCK: usize = 1024;

/// The ways to all states that wait, shared by all threads.
pub struct Lineage {
    nodes: Segments,
    next: AtomicU64,
    /// Nodes that were freed by a thread that has enough of its own.
    free: Mutex<Vec<Vec<Word>>>,
}

/// One thread's access.
pub struct LineageSession<'l> {
    lineage: &'l Lineage,
    free: Vec<Word>,
}

impl Lineage {
    pub fn new() -> Self {
        Lineage { nodes: Segments::of_width(NODE_WORDS), next: AtomicU64::new(0), free: Mutex::default() }
    }

    pub fn session(&self) -> LineageSession<'_> {
        LineageSession { lineage: self, free: Vec::new() }
    }

    /// Bytes of all nodes there have ever been at once.
    pub fn bytes(&self) -> u64 {
        self.next.load(Ordering::Relaxed) * (NODE_WORDS * size_of::<Word>()) as u64
    }
}

impl Default for Lineage {
    fn default() -> Self {
        Lineage::new()
    }
}

impl LineageSession<'_> {
    /// The node of an initial state.
    pub fn root(&mut self, initial: usize) -> Word {
        self.add(NO_PARENT, Action(initial as u64))
    }

    /// The node of a state that a step leads to from the state of another node.
    #[inline]
    pub fn child(&mut self, parent: Word, action: Action) -> Word {
        // ORDERING: Relaxed: whoever adds a reference has one, so the node cannot go meanwhile.
        self.lineage.nodes.get(u64::from(parent)).part(REFERENCES).fetch_add(1, Ordering::Relaxed);
        self.add(parent + 1, action)
    }

    fn add(&mut self, parent: Word, action: Action) -> Word {
        let node = self.free.pop().unwrap_or_else(|| self.fresh());
        let words = [parent, action.0 as Word, (action.0 >> 32) as Word, 1];
        self.lineage.nodes.ready(u64::from(node)).write(&words);
        node
    }

    #[cold]
    fn fresh(&mut self) -> Word {
        let shared = self.lineage.free.lock().unwrap_or_else(PoisonError::into_inner).pop();
        if let Some(last) = shared.and_then(|block| {
            self.free = block;
            self.free.pop()
        }) {
            return last;
        }
        let first = self.lineage.next.fetch_add(FREE_BLOCK as u64, Ordering::Relaxed);
        let end = first + FREE_BLOCK as u64;
        assert!(end < u64::from(Word::MAX), "the ways to states that wait have run out of numbers");
        self.free.extend((first as Word..end as Word).rev());
        self.free.pop().expect("a block has nodes")
    }

    /// The state of this node waits no longer.
    #[inline]
    pub fn release(&mut self, node: Word) {
        let mut node = node;
        loop {
            let record = self.lineage.nodes.get(u64::from(node));
            // ORDERING: AcqRel: what others did with the node comes before it is used again.
            if record.part(REFERENCES).fetch_sub(1, Ordering::AcqRel) > 1 {
                return;
            }
            let parent = record.part(PARENT).load(Ordering::Relaxed);
            self.give_back(node);
            if parent == NO_PARENT {
                return;
            }
            node = parent - 1;
        }
    }

    #[inline]
    fn give_back(&mut self, node: Word) {
        self.free.push(node);
        if self.free.len() >= 2 * FREE_BLOCK {
            let block = self.free.split_off(FREE_BLOCK);
            self.lineage.free.lock().unwrap_or_else(PoisonError::into_inner).push(block);
        }
    }

    /// The run to the state of a node that was not released.
    pub fn trail(&self, node: Word) -> Trail {
        let mut steps = Vec::new();
        let mut node = node;
        let initial = loop {
            let record = self.lineage.nodes.get(u64::from(node));
            let part = |part| record.part(part).load(Ordering::Relaxed);
            let action = u64::from(part(ACTION)) | u64::from(part(ACTION + 1)) << 32;
            match part(PARENT) {
                NO_PARENT => break action,
                parent => node = parent - 1,
            }
            steps.push(Action(action));
        };
        steps.reverse();
        Trail::ending(initial, steps)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_way_is_there_as_long_as_its_end_waits() {
        let lineage = Lineage::new();
        let mut session = lineage.session();
        let root = session.root(3);
        let left = session.child(root, Action(7 | 5 << 32));
        let right = session.child(root, Action(8));
        session.release(root);
        assert_eq!(session.trail(left), Trail::ending(3, vec![Action(7 | 5 << 32)]));
        let deep = session.child(right, Action(9));
        session.release(right);
        session.release(left);
        assert_eq!(session.trail(deep), Trail::ending(3, vec![Action(8), Action(9)]));
        session.release(deep);
    }

    #[test]
    fn a_long_line_takes_no_more_than_its_end() {
        let lineage = Lineage::new();
        let (mut one, mut other) = (lineage.session(), lineage.session());
        for round in 0..3 {
            let mut node = one.root(round);
            for step in 0..100_000 {
                // One thread hands states to another, and back.
                let session = if step % 2 == 0 { &mut one } else { &mut other };
                let side = session.child(node, Action(2));
                let next = session.child(node, Action(1));
                session.release(side);
                session.release(node);
                node = next;
            }
            assert_eq!(other.trail(node).len(), 100_000);
            other.release(node);
        }
        assert!(lineage.bytes() < 110_000 * 16, "{}", lineage.bytes());
    }

    #[test]
    fn threads_share_what_is_free() {
        let lineage = Lineage::new();
        let (sender, receiver) = std::sync::mpsc::sync_channel(100);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let mut session = lineage.session();
                for node in receiver {
                    session.release(node);
                }
            });
            let mut session = lineage.session();
            (0..200_000).for_each(|number| sender.send(session.root(number)).expect("the other end is there"));
            drop(sender);
        });
        assert!(lineage.bytes() < 20_000 * 16, "{}", lineage.bytes());
    }
}
