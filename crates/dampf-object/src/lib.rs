//! Compiled C and C++ programs as models.
//!
//! A static RISC-V executable is run on the machine of `dampf-rv`, one thread at a time, up to the next operation that
//! other threads can notice; the state between two steps is put into words. Functions of the libraries that deal with
//! threads, locks and the heap are performed by the checker ([`hooks`]), everything else runs as it is.
//!
//! - [`program`]: the executable, its hooks, and who owns which memory; [`start`]: how it gets to `main`.
//! - [`hooks`], [`hook_table`]: one row for each function whose work is done for it, which says everything about it.
//! - [`machine`]: a state taken apart and put together; its parts are [`memory`], [`threads`], [`heap_arenas`],
//!   [`loaded_process`], [`locked`] and [`current_step`]. [`space`], [`access`]: who may access what; [`layout`]:
//!   addresses.
//! - [`step`]: one step. What operations do: [`mutex`], [`condition`], [`rwlock`], [`spin`], [`semaphore`],
//!   [`barrier`], [`lifecycle`], [`heap`], [`choice`], [`annotation`], [`atomics`], [`syscalls`], [`clock`].
//! - [`sharing`]: what is visible and why that is sound; [`watch`], [`expressions`]: what properties of runs look at;
//!   [`liveness`]: registers that no longer count.
//! - [`race`], [`announced`], [`lock_cycle`], [`initialisation`], [`faults`], [`undefined`]: what can be wrong.
//! - [`persistent`]: partial-order reduction, by what steps are seen to touch ([`touched`], [`futures`],
//!   [`future_plan`]).
//! - [`premise`]: what a verdict rests on that nobody checks.
//! - [`call_stack`], [`describe`], [`inspect`], [`footprint`], [`observations`]: states and steps for people,
//!   debuggers, reductions and heuristics; [`run`]: one run, as fast as the machine goes.
//! - [`agents`]: threads that take advice of a planner.
//! - [`transfer`]: what a state is made of, for those who move it to another process.

mod access;
mod agents;
mod annotation;
mod announced;
mod arena;
mod atomics;
mod barrier;
mod by_address;
mod call_stack;
mod cancellation;
mod choice;
mod clock;
mod condition;
mod containers;
mod current_step;
mod dead_slots;
mod delivery;
mod describe;
mod descriptors;
mod estimates;
mod expressions;
mod faults;
mod field_reads;
mod file_calls;
mod footprint;
mod frame_slots;
mod future_plan;
mod futures;
mod global_bounds;
mod guards;
mod happens_before;
mod heap;
mod heap_arenas;
mod held_locks;
mod history;
mod hook_table;
mod hooks;
mod initialisation;
mod inspect;
mod interruptions;
mod layout;
mod library_words;
mod lifecycle;
mod lift;
mod liveness;
mod loaded_process;
mod lock_cycle;
mod locked;
mod machine;
mod mapping_calls;
mod mappings;
mod memory;
mod model;
mod mutex;
mod observations;
mod observed;
mod persistent;
mod places;
mod plain;
mod pointed;
mod premise;
mod process;
mod program;
mod race;
mod refutation;
mod run;
mod run_end;
mod rwlock;
mod segment_index;
mod segments;
mod semaphore;
mod shadow;
mod sharing;
mod side_access;
mod signal_calls;
mod signals;
mod site;
mod space;
mod spin;
mod spin_counters;
mod standings;
mod start;
mod step;
mod step_log;
mod surroundings;
mod symmetry;
mod sync;
mod syscalls;
mod system;
mod test_frameworks;
mod thread;
mod thread_names;
mod threads;
mod touched;
mod transactions;
mod transfer;
mod undefined;
mod uses;
mod variables;
mod watch;

pub use estimates::{ProgramEstimate, StateCheck};
pub use expressions::{Expression, read_expression};
pub use futures::Futures;
pub use lift::lifted;
pub use model::{ObjectModel, ObjectWorker};
pub use observations::Proposition;
pub use program::{Program, Refusal};
pub use run::Ending;
pub use sharing::{Sharing, read_facts};
pub use step_log::ToldAccess;
pub use surroundings::{PROCESSORS, ReadableFile, Surroundings};
pub use system::{Granularity, ProgramChecks};
pub use uses::{SeenUses, Use};
pub use watch::Watch;
