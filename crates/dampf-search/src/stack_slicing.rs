//! Stack slicing: depth-first search by a ring of workers (Holzmann and Bošnački, *The design of a multicore extension
//! of the SPIN model checker*, §3.2).
//!
//! Each worker explores a slice of the stack that one worker alone would have. It goes deep first from where the slice
//! began, and a new state at the hand-off depth, counted from there, is handed to the right neighbour, for which it is
//! where a slice begins. Nobody shares a stack with anybody; all share the store. Between two neighbours is a queue
//! with one writer and one reader (`hand_off_queue.rs`), and a worker looks at its queue only when its stack is empty.
//! One worker alone hands nothing over, and is a depth-first search.
//!
//! **Nothing is lost and nobody is stuck.** A state that is new in the store is put exactly once, and goes to exactly
//! one of two places: the queue, if that has room, or else the worker's own stack, to be explored like any other; its
//! successors are beyond the hand-off depth too, so the worker tries again with them. So a full queue makes nobody
//! wait, and workers wait for one thing only, which is work.
//!
//! **The end.** A worker whose stack and queue are empty waits, and others may still have work for it, so Safra's token
//! goes round the ring ([`safra`](crate::safra)) in the direction of the queues. The search is over when the first
//! worker knows that all wait and all queues are empty. A stop (a fault, a limit, Ctrl-C, a refuted assumption) needs
//! no such thing: every worker sees it by itself. `models/self/stack_slicing.pml` is a model of ring, queues and token.
//!
//! **Trails** begin at the initial state: the stack has the path from the beginning of the slice, and the store has
//! parents for the way there, as for every other search.
//!
//! **Reduction** needs nothing here. The paper makes states at the border of a slice be expanded fully, since its
//! reduction asks whether a successor is on the stack; here what a reduced model leaves out is a function of the state
//! alone (`dampf-reduce`), so all searches explore the same graph.

mod hand_off_depth;
mod hand_off_queue;
mod ring;

pub use hand_off_depth::HandOff;

use crate::frontier::{Frontier, States};
use crate::path_stack::{PathStack, Taken};
use crate::patience::Patience;
use crate::rebuild::Route;
use crate::recall::Recall;
use crate::safra::{Balance, Rest, Safra};
use crate::traversal::Traversal;
use crate::{Monitor, SearchOptions, StopReason};
use dampf_core::{Action, Model, Word};
use dampf_store::{StateRef, Store};
use hand_off_depth::{HandOffDepth, View};
use hand_off_queue::{Giving, Taking};
use ring::Ring;
use std::sync::Mutex;

/// States that a queue has room for: enough for a worker that comes back to it seldom, few enough to stay in a cache.
const QUEUE_STATES: usize = 1 << 12;
/// The most words that are carried with the states of a queue, all together.
const QUEUE_WORDS_MAX: usize = 1 << 22;
/// How often, in expansions, a worker looks how its neighbour is doing.
const LOOK_INTERVAL: u32 = 64;

pub(crate) fn search<R: Recall<S>, M: Model, S: Store>(
    model: &M,
    (store, recall): (&S, &R),
    hand_off: HandOff,
    options: &SearchOptions,
    monitor: &Monitor,
) -> Traversal {
    let mut traversal = Traversal::default();
    let carried = R::carried(model.width());
    let mut first = PathStack::new(carried);
    let (mut notes, mut waiting) = (recall.notes(), Vec::new());
    let begun = traversal.begin(model, store, (options, monitor), |number, state, words| {
        R::begin(&mut notes, number, words, &mut waiting);
        first.push(state, 0, &waiting);
    });
    if !begun {
        return traversal;
    }
    first.reverse();
    let first = Mutex::new(Some(first));
    let ring = Ring::new(options.threads, QUEUE_STATES.min(QUEUE_WORDS_MAX / carried.max(1)).max(1), carried);
    let frontier = |place: usize| {
        let (to_right, from_left) = ring.ends(place);
        // The first worker begins with the initial states.
        let begun = first.lock().expect("nobody panics who holds it").take_if(|_| place == 0);
        SliceFrontier {
            ring: &ring,
            place,
            to_right,
            from_left,
            monitor,
            max_depth: options.max_depth,
            stack: begun.unwrap_or_else(|| PathStack::new(carried)),
            slice_begin: 0,
            hand_off: HandOffDepth::new(hand_off, ring.len()),
            queue_was_full: false,
            balance: Balance::default(),
            safra: Safra::new(place as u32, ring.len() as u32),
            until_look: LOOK_INTERVAL,
            truncated: false,
            words: Vec::new(),
        }
    };
    traversal.explore::<R, M, S, _>(model, (store, recall), (options, monitor), frontier);
    let left_over = ring.left_over();
    assert!(left_over == 0 || monitor.is_stopped(), "the search ended with {left_over} states unexplored");
    monitor.set_frontier(left_over);
    traversal
}

/// One worker's stack, and its place in the ring.
struct SliceFrontier<'a> {
    ring: &'a Ring,
    place: usize,
    to_right: Giving,
    from_left: Taking,
    monitor: &'a Monitor,
    max_depth: Option<u64>,
    stack: PathStack,
    /// The depth at which this slice began.
    slice_begin: u32,
    hand_off: HandOffDepth,
    queue_was_full: bool,
    /// States handed over and states that were handed to this worker.
    balance: Balance,
    safra: Safra,
    until_look: u32,
    truncated: bool,
    /// What is carried with a state on its way from the queue to the stack.
    words: Vec<Word>,
}

impl SliceFrontier<'_> {
    /// Begins a slice with a state from the queue. False where there is none.
    fn receive(&mut self) -> bool {
        let Some((state, depth)) = self.from_left.take(&mut self.words) else { return false };
        self.balance.received += 1;
        self.slice_begin = depth;
        self.stack.push(state, depth, &self.words);
        true
    }

    /// Waits for a state, with an empty stack. False where there will be none any more.
    #[cold]
    fn wait(&mut self) -> bool {
        self.ring.set_waits(self.place, true);
        let mut patience = Patience::default();
        let has_work = loop {
            if self.monitor.is_stopped() || self.ring.is_over() {
                break false;
            }
            if self.receive() {
                break true;
            }
            if let Some(token) = self.ring.take_token(self.place) {
                self.safra.take_token(token);
            }
            match self.safra.rest(self.balance) {
                Rest::Waits => patience.pause(),
                Rest::Passes(place, token) => self.ring.give_token(place as usize, token),
                Rest::Ended => {
                    self.ring.end();
                    break false;
                }
            }
        };
        self.ring.set_waits(self.place, false);
        has_work
    }

    /// Hands a state to the right neighbour. False where it stays here.
    fn hand_over(&mut self, state: StateRef, depth: u32, words: &[Word]) -> bool {
        if self.hand_off.is_adaptive && self.stack.open() == 0 && self.from_left.is_empty() {
            // There would be nothing left to do here.
            return false;
        }
        if !self.to_right.give(state, depth, words) {
            self.queue_was_full = true;
            return false;
        }
        self.balance.sent += 1;
        self.monitor.deepen(u64::from(depth));
        true
    }

    #[cold]
    fn look(&mut self) {
        self.until_look = LOOK_INTERVAL;
        self.monitor.set_frontier(self.stack.len() as u64);
        self.hand_off.adapt(&View {
            right_neighbour_waits: self.ring.right_neighbour_waits(self.place),
            queue_was_full: std::mem::take(&mut self.queue_was_full),
            open: self.stack.open(),
            deepest: self.monitor.snapshot().depth,
            workers: self.ring.len(),
        });
    }
}

impl Frontier for SliceFrontier<'_> {
    #[inline]
    fn take(&mut self, batch: &mut States) -> bool {
        while !self.monitor.is_stopped() {
            match self.stack.take(batch, self.max_depth) {
                Taken::Open => return true,
                Taken::TooDeep => self.truncated = true,
                Taken::Nothing => {
                    if !self.receive() && !self.wait() {
                        break;
                    }
                }
            }
        }
        self.ring.leave(self.stack.open(), self.balance.surplus());
        false
    }

    #[inline]
    fn put(&mut self, state: StateRef, carried: &[Word], _: &[Word], _: Action) {
        let depth = self.stack.depth() + 1;
        if depth - self.slice_begin >= self.hand_off.depth && self.hand_over(state, depth, carried) {
            return;
        }
        self.stack.put(state, carried);
    }

    fn route(&self, _: &States, _: usize) -> Route {
        self.stack.route()
    }

    #[inline]
    fn finish_batch(&mut self) {
        if self.stack.finish() {
            self.monitor.deepen(u64::from(self.stack.depth()) + 1);
        }
        self.until_look -= 1;
        if self.until_look == 0 {
            self.look();
        }
    }

    fn truncated(&self) -> bool {
        self.truncated
    }
}

impl Drop for SliceFrontier<'_> {
    /// A worker that panics takes no part in finding out that the search is over, so the others must not wait for it.
    /// The panic goes on when all have left, and the reason is told to nobody.
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.monitor.stop(StopReason::Interrupted);
        }
    }
}
