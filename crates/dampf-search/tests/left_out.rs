//! Steps that a layer leaves out, and an engine that asks for them.
//!
//! The layer leaves out all steps of a state but the first, which is no reduction anybody could prove. The search asks
//! for the others wherever the first leads to a state that is known: so no step is put off for ever along a cycle, and
//! on a graph that is all cycles nothing is missed for good. What is tested is the seat: what an expander delivers,
//! then and later, is all there is, once.

use dampf_core::{Fault, Model, Successors, Word, Worker};
use dampf_search::SearchOptions;
use dampf_search::expand::{Expander, Explored, Sink};
use dampf_testkit::graph::{Graph, Size, random_graph};
use std::collections::BTreeSet;
use std::convert::Infallible;

/// A model whose states have their first step only, until the others are asked for.
struct FirstStepOnly<M>(M);

struct FirstStepWorker<W>(W, Successors);

impl<M: Model> Model for FirstStepOnly<M> {
    type Worker<'m>
        = FirstStepWorker<M::Worker<'m>>
    where
        M: 'm;

    fn width(&self) -> usize {
        self.0.width()
    }

    fn worker(&self) -> Self::Worker<'_> {
        FirstStepWorker(self.0.worker(), Successors::new(self.0.width()))
    }
}

impl<W: Worker> FirstStepWorker<W> {
    fn copy(&mut self, state: &[Word], out: &mut Successors, steps: impl Fn(usize) -> bool) {
        self.0.successors(state, &mut self.1);
        out.restart_from(&self.1);
        for step in (0..self.1.len()).filter(|&step| steps(step)) {
            match self.1.step_end(step) {
                Some(end) => out.push_end(self.1.action(step), end),
                None => out.push(self.1.action(step), self.1.state(step)),
            }
        }
    }
}

impl<W: Worker> Worker for FirstStepWorker<W> {
    fn initial(&mut self, out: &mut Successors) {
        self.0.initial(out);
    }

    fn successors(&mut self, state: &[Word], out: &mut Successors) {
        self.copy(state, out, |step| step == 0);
    }

    fn left_out(&mut self, state: &[Word], out: &mut Successors) {
        self.copy(state, out, |step| step > 0);
    }
}

/// A set of whole states, with those that wait.
#[derive(Default)]
struct Naive {
    visited: BTreeSet<Vec<Word>>,
    waiting: Vec<Vec<Word>>,
    explored: Vec<Word>,
    found: usize,
    faults: u64,
}

impl Sink for Naive {
    type Source = ();
    type Error = Infallible;

    fn load(&mut self, _: usize, (): (), words: &mut [Word]) {
        words.copy_from_slice(&self.explored);
    }

    fn prepare(&mut self, _: usize, (): (), _: &[Word], _: &Successors) -> Result<(), Infallible> {
        Ok(())
    }

    fn fault(&mut self, _: Explored<'_, ()>, _: Option<usize>, _: Fault) {
        self.faults += 1;
    }

    fn commit(&mut self, _: &[()], successors: &[Successors]) -> Result<(), Infallible> {
        for out in successors {
            for step in (0..out.len()).filter(|&step| out.leads_on(step)) {
                if self.visited.insert(out.state(step).to_vec()) {
                    self.found += 1;
                    self.waiting.push(out.state(step).to_vec());
                }
            }
        }
        Ok(())
    }
}

/// States, steps and faults of a model. Left-out steps are asked for where `all` says so, or where nothing new was
/// found.
fn explore<M: Model>(model: &M, all: bool) -> (usize, u64, u64) {
    let mut expander = Expander::new(model, &SearchOptions::default());
    let mut sink = Naive::default();
    let initial = expander.begin(|_, _| ());
    for number in 0..initial.len() {
        if sink.visited.insert(initial.state(number).to_vec()) {
            sink.waiting.push(initial.state(number).to_vec());
        }
    }
    let mut steps = 0;
    while let Some(state) = sink.waiting.pop() {
        (sink.explored, sink.found) = (state, 0);
        let Ok(taken) = expander.expand(&[()], &mut sink);
        steps += taken;
        if all || sink.found == 0 {
            let Ok(taken) = expander.expand_left_out(&[()], &mut sink);
            steps += taken;
        }
    }
    assert_eq!(expander.take_judgement().faults, sink.faults);
    (sink.visited.len(), steps, sink.faults)
}

#[test]
fn what_is_left_out_can_be_asked_for() {
    let mut reduced = 0;
    for seed in 0..300 {
        let graph = random_graph(seed, Size { states: 60, fanout: 3, faults: [0, 9][seed as usize % 2] });
        let graph = Graph { error: None, ..graph };
        let whole = explore(&graph, false);
        let (states, steps, faults) = explore(&FirstStepOnly(graph.clone()), true);
        assert_eq!((states, steps), (whole.0, whole.1), "seed {seed}");
        // What is wrong with a state itself is said each time.
        assert!(faults >= whole.2, "seed {seed}");
        let (states, steps, _) = explore(&FirstStepOnly(graph), false);
        assert!(states <= whole.0 && steps <= whole.1, "seed {seed}");
        reduced += usize::from(steps < whole.1);
    }
    assert!(reduced > 100, "only {reduced} graphs were reduced");
}
