//! At which depth of its slice a worker hands states over.
//!
//! The time of a search over this depth is a bath-tub: small depths make workers spend their time with handing over,
//! large ones leave neighbours without work, and in between it matters little. The paper's rule is: more than 10, less
//! than the depth of the whole search tree by the number of workers, and 20 if nobody says otherwise.
//!
//! [`HandOff::Auto`] begins with 20 and keeps to that rule where it can be kept. The depth of the tree is not known
//! before the end, and shallow trees have no such number; so the depth is halved while a neighbour waits and there
//! would be something for it, and doubled while the queue to it is full, up to the depth seen so far by the number of
//! workers. Nor does a worker hand over its only state: it would wait for its neighbour instead of working, which is
//! what makes deterministic models slower with two cores than with one in the paper.

use std::num::NonZeroU32;

/// At which depth of its slice a worker of [stack slicing](crate::Order::StackSlicing) hands states over.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum HandOff {
    /// About 20, as suits the search while it runs.
    #[default]
    Auto,
    /// Always at this depth, whatever comes.
    Depth(NonZeroU32),
}

/// The default of the paper.
const USUAL: u32 = 20;
/// With fewer open states, a worker has nothing to spare.
const SPARE_LEAST: usize = 8;

/// The depth as it is now, for one worker.
#[derive(Clone, Copy, Debug)]
pub struct HandOffDepth {
    /// No state is handed over that is nearer to the beginning of its slice.
    pub depth: u32,
    /// Whether the depth is this worker's to choose.
    pub is_adaptive: bool,
}

/// What a worker sees when it looks around.
pub struct View {
    pub right_neighbour_waits: bool,
    /// Since it looked last.
    pub queue_was_full: bool,
    /// States on its stack.
    pub open: usize,
    /// The greatest depth that any worker has seen.
    pub deepest: u64,
    pub workers: usize,
}

impl HandOffDepth {
    /// With a single worker there is nobody to hand states to.
    pub fn new(hand_off: HandOff, workers: usize) -> Self {
        match hand_off {
            _ if workers == 1 => HandOffDepth { depth: u32::MAX, is_adaptive: false },
            HandOff::Auto => HandOffDepth { depth: USUAL, is_adaptive: true },
            HandOff::Depth(depth) => HandOffDepth { depth: depth.get(), is_adaptive: false },
        }
    }

    pub fn adapt(&mut self, view: &View) {
        if !self.is_adaptive {
            return;
        }
        if view.queue_was_full {
            let most = (view.deepest / view.workers as u64).clamp(u64::from(USUAL), u64::from(u32::MAX)) as u32;
            self.depth = self.depth.saturating_mul(2).min(most);
        } else if view.right_neighbour_waits && view.open >= SPARE_LEAST {
            self.depth = (self.depth / 2).max(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUIET: View =
        View { right_neighbour_waits: false, queue_was_full: false, open: 100, deepest: 100, workers: 2 };

    fn after(views: &[View]) -> u32 {
        let mut depth = HandOffDepth::new(HandOff::Auto, 2);
        views.iter().for_each(|view| depth.adapt(view));
        depth.depth
    }

    #[test]
    fn the_depth_follows_the_neighbours_needs() {
        let hungry = || View { right_neighbour_waits: true, ..QUIET };
        let full = || View { queue_was_full: true, ..QUIET };
        assert_eq!(after(&[QUIET]), 20);
        assert_eq!(after(&[hungry(), hungry()]), 5);
        assert_eq!(after(&[hungry(), hungry(), hungry(), hungry(), hungry(), hungry()]), 1);
        assert_eq!(after(&[View { open: 1, ..hungry() }]), 20, "there is nothing to spare");
        assert_eq!(after(&[full(), full(), full()]), 50, "half of the depth seen");
        assert_eq!(after(&[View { deepest: 7, ..full() }]), 20);
    }

    #[test]
    fn a_depth_that_is_given_stays() {
        let given = HandOff::Depth(NonZeroU32::new(3).expect("not zero"));
        let mut depth = HandOffDepth::new(given, 2);
        depth.adapt(&View { queue_was_full: true, ..QUIET });
        assert_eq!(depth.depth, 3);
        assert_eq!(HandOffDepth::new(given, 1).depth, u32::MAX);
    }
}
