//! The accepting cycles of a system with its property automaton.

use dampf_core::{Acceptance, Model, Successors, Word, Worker};
use dampf_gcl::ir::Program;
use dampf_gcl::{Backend, GclModel, Watched};
use std::collections::HashMap;

pub fn has_accepting_cycle(program: Program) -> bool {
    let graph = Product::new(program);
    graph.has_accepting_cycle()
}

struct Product {
    successors: Vec<Vec<u32>>,
    accepting: Vec<bool>,
}

impl Product {
    /// Built whole.
    fn new(program: Program) -> Product {
        let model = GclModel::new(program, Backend::Interpreter).expect("the interpreter takes every program");
        let model = Watched::new(model).expect("the model has a property");
        let (mut worker, mut out) = (model.worker(), Successors::new(model.width()));
        worker.initial(&mut out);
        let mut nodes: Vec<Box<[Word]>> = vec![out.state(0).into()];
        let mut numbers = HashMap::from([(nodes[0].clone(), 0u32)]);
        let mut product = Product { successors: Vec::new(), accepting: Vec::new() };
        while product.successors.len() < nodes.len() {
            let state = nodes[product.successors.len()].clone();
            worker.successors(&state, &mut out);
            let mut edges = Vec::new();
            for step in (0..out.len()).filter(|step| out.step_end(*step).is_none()) {
                let node: Box<[Word]> = out.state(step).into();
                edges.push(*numbers.entry(node.clone()).or_insert_with(|| {
                    nodes.push(node);
                    nodes.len() as u32 - 1
                }));
            }
            product.successors.push(edges);
            product.accepting.push(model.is_accepting(&state));
        }
        product
    }

    /// Tarjan's components, without recursion: an accepting node on a cycle is an accepting run.
    fn has_accepting_cycle(&self) -> bool {
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
