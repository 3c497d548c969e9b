//! What the workers of a ring share beside the queues between them: who waits, the token that finds out whether all do,
//! and that the search is over.

use super::hand_off_queue::{Giving, Taking, queue};
use crate::safra::Token;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};

/// One worker's place, on cache lines of its own.
#[repr(align(128))]
struct Place {
    /// Whether the worker has nothing to do: a hint for its left neighbour.
    waits: AtomicBool,
    token: TokenSlot,
    /// The worker's ends of the queues to its right neighbour and from its left one, until it begins.
    ends: Mutex<Option<(Giving, Taking)>>,
}

/// Where the left neighbour leaves the token. There is one token, so the slot is empty whenever it is written.
#[derive(Default)]
struct TokenSlot {
    is_there: AtomicBool,
    balance: AtomicI64,
    tainted: AtomicBool,
}

pub struct Ring {
    places: Vec<Place>,
    over: AtomicBool,
    /// States that were found and not explored, when the workers have left.
    left_over: AtomicI64,
}

impl Ring {
    /// A ring with queues for so many states each, and so many words carried with each state.
    pub fn new(places: usize, queue_states: usize, carried: usize) -> Self {
        let (giving, mut taking): (Vec<Giving>, Vec<Taking>) =
            (0..places).map(|_| queue(queue_states, carried)).unzip();
        // Queue number i begins at worker i and ends at the next one.
        taking.rotate_right(1);
        let place =
            |ends| Place { waits: AtomicBool::new(false), token: TokenSlot::default(), ends: Mutex::new(Some(ends)) };
        let places = giving.into_iter().zip(taking).map(place).collect();
        Ring { places, over: AtomicBool::new(false), left_over: AtomicI64::new(0) }
    }

    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// The ends of the queues to the right neighbour and from the left one. Each worker takes its own, once.
    pub fn ends(&self, place: usize) -> (Giving, Taking) {
        let mut ends = self.places[place].ends.lock().expect("nobody panics who holds it");
        ends.take().expect("each place of the ring has one worker")
    }

    /// Gives the token to the worker at a place. Only its left neighbour does.
    pub fn give_token(&self, place: usize, token: Token) {
        let slot = &self.places[place].token;
        slot.balance.store(token.balance, Ordering::Relaxed);
        slot.tainted.store(token.tainted, Ordering::Relaxed);
        // ORDERING: Release pairs with the Acquire in `take_token`: whoever sees that the token is there sees what it
        // says, and comes after everything that the token has passed.
        slot.is_there.store(true, Ordering::Release);
    }

    /// The token, if it has come to this place. Only the worker of the place takes it.
    pub fn take_token(&self, place: usize) -> Option<Token> {
        let slot = &self.places[place].token;
        // ORDERING: Acquire pairs with the Release in `give_token`.
        if !slot.is_there.load(Ordering::Acquire) {
            return None;
        }
        let token =
            Token { balance: slot.balance.load(Ordering::Relaxed), tainted: slot.tainted.load(Ordering::Relaxed) };
        // ORDERING: Relaxed: the slot is written again only when the token has gone round, and every place that it
        // passes on the way hands it over with Release and takes it with Acquire.
        slot.is_there.store(false, Ordering::Relaxed);
        Some(token)
    }

    /// Says whether the worker at a place has nothing to do.
    pub fn set_waits(&self, place: usize, waits: bool) {
        self.places[place].waits.store(waits, Ordering::Relaxed);
    }

    /// Whether the right neighbour has nothing to do, as far as can be seen.
    pub fn right_neighbour_waits(&self, place: usize) -> bool {
        self.places[(place + 1) % self.places.len()].waits.load(Ordering::Relaxed)
    }

    /// Ends the search for all.
    pub fn end(&self) {
        // ORDERING: Relaxed: the flag orders nothing; the results travel through the threads' ends.
        self.over.store(true, Ordering::Relaxed);
    }

    pub fn is_over(&self) -> bool {
        self.over.load(Ordering::Relaxed)
    }

    /// A worker leaves with so many states on its stack, and handed over so many more than were handed to it.
    pub fn leave(&self, open: usize, surplus: i64) {
        self.left_over.fetch_add(open as i64 + surplus, Ordering::Relaxed);
    }

    /// States that were found and not explored, on stacks and in queues. Known when all workers have left.
    pub fn left_over(&self) -> u64 {
        self.left_over.load(Ordering::Relaxed).unsigned_abs()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dampf_store::StateRef;

    #[test]
    fn queues_lead_to_the_right() {
        let ring = Ring::new(3, 4, 0);
        let mut ends: Vec<_> = (0..3).map(|place| ring.ends(place)).collect();
        for (place, (giving, _)) in ends.iter_mut().enumerate() {
            assert!(giving.give(StateRef(place as u64), 5, &[]));
        }
        for (place, (_, taking)) in ends.iter_mut().enumerate() {
            let from = (place as u64 + 2) % 3;
            assert_eq!(taking.take(&mut Vec::new()), Some((StateRef(from), 5)));
        }
    }

    #[test]
    fn the_token_is_taken_once() {
        let ring = Ring::new(2, 1, 0);
        let token = Token { balance: -3, tainted: true };
        assert_eq!(ring.take_token(1), None);
        ring.give_token(1, token);
        assert_eq!((ring.take_token(0), ring.take_token(1), ring.take_token(1)), (None, Some(token), None));
    }
}
