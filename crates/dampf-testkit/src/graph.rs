//! Explicit graphs as models: to test searches without any language.

use crate::random::Random;
use dampf_core::{Action, Fault, FaultKind, Model, Restore, Sections, Successors, Transfer, Word, Worker};

/// A graph whose nodes are the states of a model.
#[derive(Clone, Debug)]
pub struct Graph {
    pub initial: Vec<u32>,
    pub nodes: Vec<Node>,
    /// Words per state. The node's number is spread over them in a way that varies with the width.
    pub width: usize,
    /// The node that faulty edges lead on to, if they do.
    pub error: Option<u32>,
}

#[derive(Clone, Debug, Default)]
pub struct Node {
    pub edges: Vec<Edge>,
    pub fault: Option<Fault>,
    pub valid_end: bool,
}

#[derive(Clone, Debug)]
pub struct Edge {
    pub label: u32,
    pub target: Result<u32, Fault>,
}

#[derive(Clone, Copy, Debug)]
pub struct Size {
    pub states: u64,
    pub fanout: u64,
    /// Once in how many nodes and edges something is faulty; 0 for never.
    pub faults: u64,
}

/// A graph from a seed, the same every time.
pub fn random_graph(seed: u64, size: Size) -> Graph {
    let mut random = Random::new(seed);
    let states = 1 + random.below(size.states);
    let faulty = |random: &mut Random| size.faults > 0 && random.one_in(size.faults);
    let fault =
        |random: &mut Random, kind| Fault { kind, message: format!("number {}", random.below(3)), location: None };
    let nodes = (0..states).map(|_| {
        let mut label = 0;
        let edges = (0..random.below(size.fanout + 1)).map(|_| {
            label += 1 + random.below(3) as u32;
            let target = if faulty(&mut random) {
                Err(fault(&mut random, FaultKind::DivisionByZero))
            } else {
                Ok(random.below(states) as u32)
            };
            Edge { label, target }
        });
        let edges = edges.collect();
        let fault = faulty(&mut random).then(|| fault(&mut random, FaultKind::Assertion));
        Node { edges, fault, valid_end: random.one_in(2) }
    });
    let nodes = nodes.collect();
    let initial = (0..1 + random.below(2)).map(|_| random.below(states) as u32).collect();
    let width = 1 + random.below(9) as usize;
    let error = random.one_in(4).then(|| random.below(states) as u32);
    Graph { initial, nodes, width, error }
}

impl Graph {
    fn encode(&self, node: u32) -> Vec<Word> {
        let mut words: Vec<Word> =
            (0..self.width as u32).map(|word| node.wrapping_mul(word | 1) >> (word % 7)).collect();
        words[self.width / 2] = node;
        words
    }
}

impl Model for Graph {
    type Worker<'m> = &'m Graph;

    fn width(&self) -> usize {
        self.width
    }

    fn worker(&self) -> &Graph {
        self
    }
}

/// States hold no names.
impl Transfer for Graph {}
impl Restore for Graph {}
impl Sections for Graph {}

impl Worker for &Graph {
    fn initial(&mut self, out: &mut Successors) {
        out.clear();
        for (number, &node) in self.initial.iter().enumerate() {
            out.push(Action(number as u64), &self.encode(node));
        }
    }

    fn successors(&mut self, state: &[Word], out: &mut Successors) {
        out.clear();
        let node = &self.nodes[state[self.width / 2] as usize];
        for Edge { label, target } in &node.edges {
            match target {
                Ok(target) => out.push(Action(u64::from(*label)), &self.encode(*target)),
                Err(fault) => out.push_fault(Action(u64::from(*label)), fault.clone()),
            }
        }
        if let Some(error) = self.error {
            out.go_beyond_faults(&self.encode(error));
        }
        if let Some(fault) = &node.fault {
            out.set_state_fault(fault.clone());
        }
        out.set_valid_end(node.valid_end);
    }
}
