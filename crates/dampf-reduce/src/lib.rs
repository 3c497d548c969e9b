//! Partial-order reduction: a layer that leaves steps out of states where they can just as well be taken later.
//!
//! Of steps that do not disturb each other, all orders lead to the same state, and one order is enough. In each state
//! the layer looks for a *stubborn set* of actions, and keeps those steps alone that begin with one of them. The choice
//! depends on the state and nothing else: not on the order of the search, not on the store, not on who computes it. So
//! every engine explores the same reduced graph, with any number of threads or ranks, in memory and on disk.
//!
//! # The set
//! A set `T` of actions is stubborn in a state if
//!
//! 1. with an enabled action it contains every action that conflicts with it: that may be enabled together with it, and
//!    then disables it, or is disabled by it, or does not commute with it;
//! 2. with a disabled action it contains, for one reason why it is disabled (a process stands elsewhere, a guard is
//!    false), every action that may end that reason;
//! 3. it contains an enabled action, if there is one;
//! 4. if it contains an enabled *visible* action, one that may change what an invariant, a goal or an assertion about
//!    states looks at, then it contains all visible actions;
//! 5. if it contains an enabled *sticky* action, then it contains all *interesting* ones: the visible actions, and
//!    those whose steps may end in a fault, or refute an assumption, or be too large to be computed.
//!
//! 6. where runs are watched: if an invisible action is enabled, then it contains an enabled invisible one.
//!
//! Sticky actions are chosen beforehand (`sticky.rs`), such that every run that comes back to a state has a step of a
//! sticky action. So every circle of the reduced graph has a state whose set contains all interesting actions. (They
//! need not be enabled: for most of them, the set contains what may enable them some time.)
//!
//! # Why nothing is missed
//! Let a run of the full graph begin in a state `s` of the reduced graph, and let it end in something of interest: a
//! deadlock, a state with a failing check, a step with a fault, a step that refutes an assumption. We show that the
//! reduced graph has the same thing, by induction on the length of the run.
//!
//! *Some action of the run is in `T`.* Take the first, `t`. It is enabled in `s`: otherwise, by 2, an action of `T`
//! would come before it. The actions before it are not in `T`, so none of them conflicts with `t`, by 1; step by step,
//! `t` can be taken before them instead, does what it did there, and they do what they did. The changed run has `t`
//! first, ends in the same state or the same faulty step, and what is left of it is shorter by one.
//!
//! *No action of the run is in `T`.* Then no step of the run disturbs the enabled actions of `T`, so these can still be
//! taken at its end: it is no deadlock (and, by the same reason, no step of the run waited until nothing else was
//! possible). Take one of them, `t`, in `s`. The run is possible behind it, and ends in the same faulty step, or in a
//! state that differs from the one before by what `t` does. If `t` is invisible, all checks come out the same. If it is
//! visible, then by 4 no action of the run is, so the checks already come out like that in `s`, which the search has
//! seen. So the thing of interest is still ahead, at the same distance, in the next state. This cannot go on for ever:
//! some state of the reduced graph would be passed twice, and on the way there would be one whose set contains all
//! interesting actions. There the run has an action in `T`: if it ends in a step of interest, that step's; if it ends
//! in a state with a failing check, a visible one, or else the check fails at the beginning of the run already.
//! For deadlocks the second case does not happen, so that 5 asks for nothing where nothing else can go wrong.
//!
//! A step that leads nowhere would break the second case: nothing is possible behind it. So nothing is left out of
//! a state with a step that ends in a fault, or refutes something, or cannot be computed. This also makes such
//! steps known as soon as they are seen. Nor is anything left out where committed locations let only some processes
//! move, where steps wait until nothing else can happen, and where a step's disabledness is not understood.
//!
//! A step that is made of several, an atomic sequence, is one action here: what it conflicts with is what any of its
//! parts may conflict with.
//!
//! # Actions that are dead
//! Some values are stored at the beginning and tested ever after: which channel a process was given, say. An action
//! whose guard asks for another value, where nobody can store that any more from where all processes stand, can never
//! be taken again. It is left out of all sets, and of the choice of sticky actions: these are then a function of which
//! actions are dead (`stubborn.rs`). That is sound, because along a circle of states nothing of that changes: where
//! processes can still come to becomes less with every step, and values that runs change which come back to a state
//! are not looked at (`plan.rs`). So all states of a circle have the same dead actions and the same sticky ones.
//!
//! # States that are passed through
//! Where nearly all states of random walks have a single step that is taken, a state with one and nothing else to it
//! (no fault, no deadlock, nothing refuted) is not kept: the only step of the state before goes on to the next one, a
//! few times at most (`layer.rs`). Whatever is found in such a state is found on the way, so nothing is missed. Such a
//! step has the label of the first that it stands for, and runs are unfolded before they are shown ([`lifted`]). Where
//! runs are watched, all states are kept.
//!
//! # What is not kept
//! Counts of states and steps, and the length of runs: a run that is found breadth-first is shortest in the reduced
//! graph, not in the full one. Every run of the reduced graph is a run of the model, with the same labels.
//!
//! # Whole runs
//! Where runs are watched, actions are visible that may change a proposition, or whether a process is in an accepting
//! location. Then every run of the full graph has one in the reduced graph with the same sequence of valuations, up to
//! how often each is repeated; so a property that does not count repetitions holds in both or in neither. These are
//! Valmari's conditions for that: 1 to 3 (every enabled action of a set is one that others leave enabled), 4 for
//! visible actions, 6 for runs that change nothing from some moment on, and 5, which has every visible action in the
//! set of some state of every circle. The product with an automaton does not matter to the choice, which is by the
//! model's state alone. Fairness is not kept: whether somebody can move all the time depends on steps that are left
//! out.
//!
//! # Cost
//! Everything that does not depend on the state is computed once. What an action draws in, given where a process
//! stands, is a short list, made when it is first asked for (`stubborn.rs`). Sets that grow large are given up: how
//! many actions may be looked at is bounded by the number of steps. Choices are remembered (`remembered.rs`). A few
//! random walks from the beginning say whether the steps that are left out pay for that; where they do not, the layer
//! is transparent. All of this is a function of the model, and what costs count is a number of actions, never a time.

mod circles;
mod companions;
mod layer;
mod plan;
mod remembered;
mod sticky;
mod stubborn;
mod symmetric;

pub use layer::{Reduced, ReducedWorker, Walked};
pub use plan::Plan;
pub use symmetric::{Symmetric, SymmetricWorker, lifted};
