//! The functions of the C and C++ libraries whose work the checker does itself.
//!
//! A thread that arrives at one of these symbols has not called a function: it is about to perform an operation on a
//! lock, a thread or the heap. Functions that are not listed run as they are, on the machine, down to their system
//! calls.
//!
//! Everything there is to say about a function is one row of [`TABLE`](crate::hook_table::TABLE): a [`HookRow`], no
//! field of which has a default. Whoever explores, describes or checks asks the row and never which function it is, so
//! another function is another row and what performs it, nothing else.

use crate::cancellation::is_cancellation_point;
use crate::hook_table::TABLE;
use crate::machine::Machine;
use crate::run_end::RunEnd;
use crate::step::Next;
use dampf_rv::machine::Hart;
use std::ops::Deref;

/// What there is to say about one function.
pub struct HookRow {
    pub place: Place,
    pub registers: LiveRegisters,
    /// The argument that points to the time until which the operation waits at most. It counts like those of
    /// `registers`.
    pub deadline: Option<u8>,
    pub object: Object,
    /// The memory it accesses besides its object.
    pub side_accesses: &'static [SideAccess],
    pub ways: Ways,
    pub visible: Visible,
    pub observes: Observes,
    pub perform: Perform,
    pub told: Told,
}

/// Where a hook is planted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// At functions of the libraries. The program's own functions of the same name are not meant.
    Symbols(&'static [&'static str]),
    /// At functions of the libraries, and at those that programs of the verification community define themselves and
    /// mean us.
    Convention { library: &'static [&'static str], program: &'static [&'static str] },
    /// At functions whose names begin in a way, and that no other row names.
    Prefix(&'static str),
    /// At the compiler's callbacks for an atomic operation of each width: what follows `__tsan_atomic32_`, or stands
    /// in `__atomic_load_4` between.
    AtomicCallbacks(&'static [&'static str]),
    /// At a function of a test framework that counts a check which failed, whoever compiled it. Not in a program that
    /// has a function whose name begins in one of some ways: with those, tests are marked that are expected to fail.
    FailedCheck { function: &'static str, unless: &'static [&'static str] },
    /// Where `main` begins.
    Main,
    /// Where a function of the program's begins whose body is an atomic section.
    SectionFunction,
    /// Where such a function returns.
    SectionReturn,
    /// At the call of a callback that announces a read which the compiler left out.
    OmittedRead,
    /// At a fence of the program's that no callback announces.
    Fence,
}

/// The registers that can still be read while a thread stands before an operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LiveRegisters {
    /// So many arguments, and what the code behind the call reads: the function's own code does not count.
    Arguments(u8),
    /// Those that the code at the hook reads, which is the program's own.
    OfCode,
    All,
}

/// What the first argument points to, by which the visibility of an operation is judged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Object {
    None,
    /// A lock or the like. What is done to it is never a race.
    Synchronisation {
        bytes: u8,
        writes: bool,
    },
    /// A variable that is accessed atomically; the callback's name says how many bytes.
    Atomic {
        writes: bool,
    },
    /// A variable that is read like any other.
    PlainRead,
}

/// Memory that an operation accesses besides its object: a plain access, like any of the program's. Arguments count
/// from 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SideAccess {
    /// A result is written where an argument points to.
    Result { argument: u8, bytes: u8 },
    /// Attributes are read where an argument points to, if there are any.
    Attributes { argument: u8, bytes: u8 },
    /// The result of the thread in argument 0 is written, once it has ended, where argument 1 points to, unless nobody
    /// wants it.
    JoinResult { bytes: u8 },
    /// The value that is expected is read where an argument points to; the one that was found instead is written there.
    Expected { argument: u8 },
}

/// In how many ways an operation can happen. The functions are given the first two arguments, and the slot of the
/// thread.
pub enum Ways {
    One,
    /// One, unless it has to wait.
    Waits(&'static Wait),
    /// One for each value that the program may be given: it stands before the choice even if there is no other thread.
    /// A run that is not to be looked at any further has none.
    Values(fn(&Machine<'_>, [u64; 2]) -> Result<u32, RunEnd>),
    /// Two where the value that is expected in argument 1 is there: the exchange may fail all the same.
    MayFail,
    /// Some more because of other threads.
    Outcomes(fn(&Machine<'_>, [u64; 2], u32) -> u32),
}

/// What decides whether a wait is over, and nothing else does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WaitsOn {
    /// What is in the memory of the object.
    Object,
    /// Which variables are locked.
    Variable,
    /// The thread whose handle argument 0 is.
    Thread,
}

/// What an operation waits for.
pub struct Wait {
    /// What decides whether the wait is over.
    pub depends_on: WaitsOn,
    pub is_over: fn(&Machine<'_>, [u64; 2], u32) -> bool,
    /// The one thread without which the operation cannot happen, given the object and the slot of the thread that
    /// waits.
    pub on_thread: fn(&Machine<'_>, u64, u32) -> Option<u32>,
    /// How people are told, with the same arguments.
    pub told: fn(&Machine<'_>, u64, u32) -> String,
}

/// When other threads can notice an operation: then a thread stops before it. What is on memory that no other thread
/// uses, or is done while there is none, nobody notices.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Visible {
    Never,
    Always,
    /// Where others use the object.
    ByObject,
    /// Where others use the mutex, unless the step goes through ([`transactions`](crate::transactions)).
    AsAcquisition,
    /// Where others use the object and may notice that it is released. Otherwise it is folded into the step before.
    AsRelease,
    /// Like the object, or like the release of the mutex in argument 1.
    AsConditionWait,
    /// Where others use the heap block.
    AsFree,
    /// Unless the thread is in an atomic section already.
    AsSection,
    /// Where threads besides the first create or join others.
    AsJoin,
    /// Where the thread has accessed what others use, which the new thread's accesses come behind.
    AsCreation,
}

/// What an operation notices of other threads without waiting for it: that refutes an assumption (see
/// [`sharing`](crate::sharing)).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Observes {
    Nothing,
    /// That a lock is held.
    Locks,
    /// That a thread has not ended yet.
    Ends,
    /// Which slots are free.
    Slots,
    /// The same; what the thread left of its stack before, it left before it knew that another has ended.
    SlotsAndFrames,
    /// Whether a thread has ended, if it has: nobody can tell afterwards.
    EndOfDetached,
    /// That memory is still there in which a lock may be.
    Blocks,
}

/// Performs an operation whose arguments are in the registers of the running thread.
pub type Perform = fn(&mut Machine<'_>, &mut Hart, Call) -> Result<Next, RunEnd>;

/// How a step is told that begins with an operation.
pub enum Told {
    /// The source line says it all.
    BySource,
    /// What is done, before the name of the object.
    Verb(&'static str),
    /// In words of its own, for a way that the operation goes.
    By(fn(&Machine<'_>, &Hart, u32) -> Option<String>),
}

/// How an operation is performed, besides its arguments.
#[derive(Clone, Copy, Debug)]
pub struct Call {
    /// One of its ways.
    pub way: u32,
    /// The bytes of its object.
    pub bytes: u8,
}

/// A row where it is planted.
#[derive(Clone, Copy)]
pub struct Hook {
    row: &'static HookRow,
    /// The bytes of the object, which the place tells for some; 0 where there is none.
    bytes: u8,
    is_cancellation_point: bool,
}

impl Deref for Hook {
    type Target = HookRow;

    #[inline]
    fn deref(&self) -> &HookRow {
        self.row
    }
}

impl Hook {
    fn new(row: &'static HookRow, told_bytes: u8) -> Hook {
        let bytes = match row.object {
            Object::None => 0,
            Object::Synchronisation { bytes, .. } => bytes,
            Object::Atomic { .. } | Object::PlainRead => told_bytes,
        };
        Hook { row, bytes, is_cancellation_point: is_cancellation_point(row.place) }
    }

    #[inline]
    pub fn row(self) -> &'static HookRow {
        self.row
    }

    /// Whether a thread that is to be cancelled ends before the operation.
    #[inline]
    pub fn is_cancellation_point(self) -> bool {
        self.is_cancellation_point
    }

    /// How the operation is performed in one of its ways.
    pub fn call(self, way: u32) -> Call {
        Call { way, bytes: self.bytes }
    }

    /// The bytes of the object, and whether they are written.
    #[inline]
    pub fn object_access(self) -> Option<(u64, bool)> {
        let writes = match self.row.object {
            Object::None => return None,
            Object::Synchronisation { writes, .. } | Object::Atomic { writes } => writes,
            Object::PlainRead => false,
        };
        Some((u64::from(self.bytes), writes))
    }

    /// The bytes of the variable, where the operation is an atomic load.
    pub fn atomic_load(self) -> Option<u8> {
        (self.row.object == Object::Atomic { writes: false }).then_some(self.bytes)
    }

    /// Whether the code at the hook is the program's own, not that of a function whose work is done for it.
    pub fn is_in_function(self) -> bool {
        !matches!(self.row.registers, LiveRegisters::Arguments(_))
    }
}

/// The hook for a symbol.
pub fn by_name(name: &str) -> Option<Hook> {
    let named = |row: &&HookRow| match row.place {
        Place::Symbols(names) => names.contains(&name),
        Place::Convention { library, program } => library.contains(&name) || program.contains(&name),
        Place::FailedCheck { function, .. } => function == name,
        Place::Prefix(_) | Place::AtomicCallbacks(_) => false,
        Place::Main | Place::SectionFunction | Place::SectionReturn | Place::OmittedRead | Place::Fence => false,
    };
    let begins = |row: &&HookRow| matches!(row.place, Place::Prefix(prefix) if name.starts_with(prefix));
    let found = TABLE.iter().find(named).or_else(|| TABLE.iter().find(begins));
    found.map(|row| Hook::new(row, 0)).or_else(|| atomic_callback(name))
}

/// The hook at a place that no symbol tells, with the bytes of its object.
pub fn at_place(place: Place, bytes: u8) -> Hook {
    let row = TABLE.iter().find(|row| row.place == place);
    Hook::new(row.expect("a place that is no symbol has a row"), bytes)
}

/// Whether a function stands for an operation of ours even if it was compiled with the program: programs of the
/// verification community define some of them themselves, and test frameworks are compiled with their tests.
pub fn is_conventional(name: &str) -> bool {
    TABLE.iter().any(|row| match row.place {
        Place::Convention { program, .. } => program.contains(&name),
        Place::FailedCheck { function, .. } => function == name,
        _ => false,
    })
}

/// Whether a function of the program's is one whose body is an atomic section, which the verification community tells
/// by its name.
pub fn is_atomic_function(name: &str) -> bool {
    name.starts_with("__VERIFIER_atomic_") && by_name(name).is_none()
}

/// Reads a name like `__tsan_atomic32_load` or `__atomic_load_4`: compilers call the former where they look for races,
/// and the latter where they are told not to do it themselves.
fn atomic_callback(name: &str) -> Option<Hook> {
    let (operation, bits) = match name.strip_prefix("__atomic_") {
        Some(rest) => {
            let (operation, bytes) = rest.rsplit_once('_')?;
            (operation, 8 * bytes.parse::<u32>().ok()?)
        }
        None => {
            let (bits, operation) = name.strip_prefix("__tsan_atomic")?.split_once('_')?;
            (operation, bits.parse().ok()?)
        }
    };
    let bytes = match bits {
        8 => 1,
        16 => 2,
        32 => 4,
        64 => 8,
        // Wider ones are done under a lock, by the library.
        _ => return None,
    };
    let is_meant =
        |row: &&HookRow| matches!(row.place, Place::AtomicCallbacks(operations) if operations.contains(&operation));
    TABLE.iter().find(is_meant).map(|row| Hook::new(row, bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(row: &HookRow) -> Vec<&'static str> {
        match row.place {
            Place::Symbols(names) | Place::AtomicCallbacks(names) => names.to_vec(),
            Place::Convention { library, program } => [library, program].concat(),
            Place::Prefix(prefix) => vec![prefix],
            Place::FailedCheck { function, .. } => vec![function],
            Place::Main | Place::SectionFunction | Place::SectionReturn | Place::OmittedRead | Place::Fence => {
                Vec::new()
            }
        }
    }

    #[test]
    fn symbols_are_hooked_once() {
        let all: Vec<_> = TABLE.iter().flat_map(names).collect();
        let mut names = all.clone();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), all.len());
        let is_told = |name: &str, verb: &str| {
            let hook = by_name(name).unwrap_or_else(|| panic!("{name} is hooked"));
            matches!(hook.told, Told::Verb(told) if told == verb)
        };
        assert!(is_told("__tsan_atomic32_fetch_add", "updates"));
        assert_eq!(by_name("__tsan_atomic32_fetch_add").and_then(Hook::object_access), Some((4, true)));
        assert_eq!(by_name("__tsan_atomic8_load").and_then(Hook::atomic_load), Some(1));
        assert_eq!(by_name("__atomic_load_8").and_then(Hook::atomic_load), Some(8));
        assert_eq!(by_name("__atomic_fetch_nand_2").and_then(Hook::object_access), Some((2, true)));
        assert!(is_told("__atomic_compare_exchange_4", "compares and exchanges"));
        assert!(is_told("pthread_mutex_lock", "locks"));
        for unknown in [
            "__atomic_load_16",
            "__atomic_load",
            "__atomic_is_lock_free",
            "__tsan_atomic128_load",
            "printf",
            "pthread_mutex_",
            "main",
        ] {
            assert!(by_name(unknown).is_none(), "{unknown}");
        }
    }

    #[test]
    fn names_go_before_beginnings_of_names() {
        let place = |name: &str| by_name(name).map(|hook| hook.place);
        assert_eq!(place("__ubsan_handle_add_overflow"), Some(Place::Prefix("__ubsan_handle_")));
        assert_eq!(place("__VERIFIER_nondet_double"), Some(Place::Prefix("__VERIFIER_nondet_")));
        assert!(matches!(place("__VERIFIER_nondet_int"), Some(Place::Symbols(_))));
        assert!(is_conventional("reach_error") && !is_conventional("__VERIFIER_assert"));
        assert!(is_atomic_function("__VERIFIER_atomic_swap") && !is_atomic_function("__VERIFIER_atomic_begin"));
    }

    #[test]
    fn rows_agree_with_themselves() {
        for row in TABLE {
            let about = names(row);
            let has_object = row.object != Object::None;
            let asks_object = matches!(
                row.visible,
                Visible::ByObject | Visible::AsAcquisition | Visible::AsRelease | Visible::AsConditionWait
            );
            assert_eq!(asks_object, has_object, "{about:?} is visible by its object, or has none");
            assert!(row.observes != Observes::Locks || has_object, "{about:?} observes a lock");
            assert!(row.side_accesses.len() <= 2, "{about:?}");
            if names(row).is_empty() {
                assert!(at_place(row.place, 4).is_in_function());
            } else {
                match row.registers {
                    LiveRegisters::Arguments(count) => {
                        assert!(count <= 8 && (!has_object || count > 0), "{about:?}");
                    }
                    LiveRegisters::All => assert!(!has_object, "{about:?} runs by itself"),
                    LiveRegisters::OfCode => panic!("{about:?} is a function's"),
                }
            }
        }
    }
}
