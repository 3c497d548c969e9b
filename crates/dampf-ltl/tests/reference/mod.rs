//! The naive reference: the whole graph in memory, edge by edge, and Tarjan's components.

// Every test file is a crate of its own and uses its part of this.
#![allow(dead_code)]

use dampf_core::{Acceptance, Source, Successors, Word, Worker};
use dampf_gcl::ir::Program;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// Whether a run of the model passes accepting states for ever.
pub fn has_accepting_cycle<M: Acceptance>(model: &M) -> bool {
    Graph::new(model).has_accepting_cycle()
}

pub struct Graph {
    pub successors: Vec<Vec<u32>>,
    pub accepting: Vec<bool>,
}

impl Graph {
    /// Built whole.
    pub fn new<M: Acceptance>(model: &M) -> Graph {
        let (mut worker, mut out) = (model.worker(), Successors::new(model.width()));
        worker.initial(&mut out);
        let mut nodes: Vec<Box<[Word]>> = vec![out.state(0).into()];
        let mut numbers = HashMap::from([(nodes[0].clone(), 0u32)]);
        let mut graph = Graph { successors: Vec::new(), accepting: Vec::new() };
        while graph.successors.len() < nodes.len() {
            let state = nodes[graph.successors.len()].clone();
            worker.successors(&state, &mut out);
            let mut edges = Vec::new();
            for step in (0..out.len()).filter(|step| out.leads_on(*step)) {
                let node: Box<[Word]> = out.state(step).into();
                edges.push(*numbers.entry(node.clone()).or_insert_with(|| {
                    nodes.push(node);
                    nodes.len() as u32 - 1
                }));
            }
            graph.successors.push(edges);
            graph.accepting.push(model.is_accepting(&state));
        }
        graph
    }

    /// Tarjan's components, without recursion: an accepting node on a cycle is an accepting run.
    pub fn has_accepting_cycle(&self) -> bool {
        const UNSEEN: u32 = u32::MAX;
        let count = self.successors.len();
        let (mut order, mut low) = (vec![UNSEEN; count], vec![0; count]);
        let (mut on_stack, mut stack) = (vec![false; count], Vec::new());
        let mut calls = vec![(0usize, 0usize)];
        let mut next = 0;
        while let Some((node, edge)) = calls.last_mut() {
            let node = *node;
            if *edge == 0 {
                order[node] = next;
                low[node] = next;
                next += 1;
                stack.push(node);
                on_stack[node] = true;
            }
            if let Some(&target) = self.successors[node].get(*edge) {
                *edge += 1;
                let target = target as usize;
                if order[target] == UNSEEN {
                    calls.push((target, 0));
                } else if on_stack[target] {
                    low[node] = low[node].min(order[target]);
                }
                continue;
            }
            calls.pop();
            if let Some((caller, _)) = calls.last() {
                low[*caller] = low[*caller].min(low[node]);
            }
            if low[node] == order[node] {
                let start = stack.iter().rposition(|other| *other == node).expect("a root is on the stack");
                let component = stack.split_off(start);
                component.iter().for_each(|member| on_stack[*member] = false);
                let is_cycle = component.len() > 1 || self.successors[node].contains(&(node as u32));
                if is_cycle && component.iter().any(|member| self.accepting[*member]) {
                    return true;
                }
            }
        }
        false
    }
}

pub fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The BEEM models, where they lie beside the workspace.
pub fn beem() -> Option<PathBuf> {
    let folder = workspace().join("../shared/corpora/beem");
    if !folder.is_dir() {
        println!("there is no {}: nothing is compared", folder.display());
        return None;
    }
    Some(folder)
}

pub fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

pub fn parse(path: &Path) -> Program {
    let source = Source::new(path.display().to_string(), read(path));
    dampf_dve::parse(source).unwrap_or_else(|problems| panic!("{}: {problems:?}", path.display()))
}
