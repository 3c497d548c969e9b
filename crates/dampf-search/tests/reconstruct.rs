//! The reconstructing store on states that are wide: the same result as with whole states, in a fifth of the memory.

use dampf_core::{Action, Fault, FaultKind, Model, Successors, Verdict, Word, Worker, replay};
use dampf_search::{HandOff, Monitor, Order, Outcome, SearchOptions, check, check_in_order};
use dampf_store::{ExactStore, ReconstructingStore, Store};
use std::num::NonZeroU32;

const WIDTH: usize = 80;

/// States are numbers, written so that no two have much in common.
struct Wide {
    states: u32,
    /// How many steps leave the first state.
    first_steps: u32,
    faulty: Option<u32>,
}

struct WideWorker<'m>(&'m Wide);

fn words(number: u32) -> Vec<Word> {
    let scattered =
        (1..WIDTH as u32).map(|word| (number ^ word << 20).wrapping_mul(0x9e37_79b9).rotate_left(word % 32));
    std::iter::once(number).chain(scattered).collect()
}

impl Model for Wide {
    type Worker<'m> = WideWorker<'m>;

    fn width(&self) -> usize {
        WIDTH
    }

    fn worker(&self) -> WideWorker<'_> {
        WideWorker(self)
    }
}

impl Worker for WideWorker<'_> {
    fn initial(&mut self, out: &mut Successors) {
        out.clear();
        out.push(Action(0), &words(0));
    }

    fn successors(&mut self, state: &[Word], out: &mut Successors) {
        let (number, states) = (state[0], self.0.states);
        out.clear();
        if self.0.faulty == Some(number) {
            out.set_state_fault(Fault { kind: FaultKind::Assertion, message: "here".to_owned(), location: None });
        }
        let far = number.wrapping_mul(2_654_435_761) % states;
        let targets = [(number + 1) % states, far, number / 2, (number * 3 + 1) % states];
        let first = (1..=self.0.first_steps).filter(|_| number == 0).map(|step| step * 7 % states);
        for (label, target) in targets.into_iter().chain(first).enumerate() {
            out.push(Action(label as u64 * 3), &words(target));
        }
    }
}

fn searches() -> Vec<SearchOptions> {
    let slices = Order::StackSlicing(HandOff::Depth(NonZeroU32::new(3).expect("not zero")));
    let orders = [Order::BreadthFirst, Order::DepthFirst, slices];
    let options = |order, threads| SearchOptions { order, threads, ..SearchOptions::default() };
    orders.into_iter().flat_map(|order| [1, 3].map(|threads| options(order, threads))).collect()
}

fn steps(steps: u32) -> NonZeroU32 {
    NonZeroU32::new(steps).expect("not zero")
}

#[test]
fn states_are_the_same_and_memory_is_a_fifth() {
    let model = Wide { states: 60_000, first_steps: 600, faulty: None };
    for options in searches() {
        let exact = ExactStore::new(WIDTH);
        let Outcome { statistics: expected, .. } = check(&model, &exact, &options, &Monitor::new());
        let store = ReconstructingStore::new(&model, steps(16));
        let outcome = check_in_order(&model, &store, &options, &Monitor::new());
        let context = format!("{:?}, {} threads", options.order, options.threads);
        assert_eq!(outcome.verdict, Verdict::Verified, "{context}");
        let counts = |statistics: dampf_core::Statistics| (statistics.states, statistics.transitions);
        assert_eq!(counts(outcome.statistics), counts(expected), "{context}");
        let (bytes, exact_bytes) = (store.bytes(), exact.bytes());
        assert!(5 * bytes <= exact_bytes, "{context}: {bytes} of {exact_bytes} bytes, {} keys", store.key_states());
    }
}

#[test]
fn trails_lead_through_states_that_were_never_kept() {
    let model = Wide { states: 20_000, first_steps: 0, faulty: Some(19_998) };
    for key_steps in [1, 7, 1000] {
        for options in searches() {
            let store = ReconstructingStore::new(&model, steps(key_steps));
            let outcome = check_in_order(&model, &store, &options, &Monitor::new());
            let Verdict::Violated(finding) = &outcome.verdict else { panic!("{:?}", outcome.verdict) };
            let replayed = replay(&model, &finding.trail, true).expect("trails replay");
            assert_eq!(replayed.fault, Some(finding.fault.clone()));
        }
    }
}
