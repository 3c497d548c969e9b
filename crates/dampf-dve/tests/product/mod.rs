//! The product of a system with its property automaton, built whole, and its accepting cycles.
//!
//! The automaton moves with every step of the system; its guard looks at the state before the step. Where
//! the system cannot move, the automaton moves alone.

use dampf_core::{Model, Successors, Word, Worker};
use dampf_gcl::ir::Program;
use dampf_gcl::{Backend, GclModel};
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
    fn new(program: Program) -> Product {
        let property = program.property.clone().expect("the model has a property");
        let model = GclModel::new(program, Backend::Interpreter).expect("the interpreter takes every program");
        let mut worker = model.worker();
        let mut out = Successors::new(model.width());
        worker.initial(&mut out);
        let first: (Box<[Word]>, u32) = (out.state(0).into(), property.initial.0);
        let mut numbers = HashMap::from([(first.clone(), 0u32)]);
        let mut nodes = vec![first];
        let mut product = Product { successors: Vec::new(), accepting: Vec::new() };
        while product.successors.len() < nodes.len() {
            let (state, location) = nodes[product.successors.len()].clone();
            worker.successors(&state, &mut out);
            let steps = (0..out.len()).filter(|step| out.fault(*step).is_none());
            let mut next: Vec<Box<[Word]>> = steps.map(|step| out.state(step).into()).collect();
            if out.is_empty() {
                next.push(state.clone());
            }
            let mut edges = Vec::new();
            for transition in property.transitions.iter().filter(|transition| transition.source.0 == location) {
                let guard = transition.guard.as_ref();
                let is_true = |guard| model.interpreter().evaluate(guard, &state).is_ok_and(|value| value != 0);
                if !guard.is_none_or(is_true) {
                    continue;
                }
                for target in &next {
                    let node = (target.clone(), transition.target.0);
                    let number = *numbers.entry(node.clone()).or_insert_with(|| {
                        nodes.push(node);
                        nodes.len() as u32 - 1
                    });
                    edges.push(number);
                }
            }
            product.successors.push(edges);
            product.accepting.push(property.locations[location as usize].accepting);
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
