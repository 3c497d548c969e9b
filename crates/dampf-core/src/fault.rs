//! What a model can say beside its steps: that the program has a bug, that we cannot decide, that an assumption did not
//! hold.

use std::fmt;

/// The ways in which a checked program can be wrong.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum FaultKind {
    /// No process can move and the state is no valid end.
    Deadlock,
    /// An assertion of the program is false.
    Assertion,
    /// An invariant given from outside is false.
    Invariant,
    /// A state that was asked for is reachable.
    Goal,
    /// An array was indexed outside its bounds.
    IndexOutOfBounds,
    DivisionByZero,
    /// A value was stored into a variable that cannot hold it.
    Overflow,
    /// The program called `abort` or met an instruction it must not execute.
    Abort,
    /// An exception that nobody catches.
    UncaughtException,
    /// An access to memory that belongs to no object: null or wild.
    InvalidAccess,
    MisalignedAccess,
    /// An access behind the end or before the start of a heap block.
    HeapOverflow,
    UseAfterFree,
    DoubleFree,
    /// An access behind the end or before the start of a variable.
    VariableOverflow,
    /// An access to a local variable whose block was left.
    UseAfterScope,
    /// Memory was copied to memory that overlaps it by a function that must not be used so.
    OverlappingCopy,
    /// A pointer was freed that is no heap block's start, or in the wrong way.
    InvalidFree,
    StackOverflow,
    /// An access to a part of a stack that is not in use.
    StackAccess,
    UninitialisedRead,
    /// Two threads are about to access the same memory, one of them writes, and one is not atomic.
    DataRace,
    /// A lock was used in a way its kind forbids.
    LockMisuse,
    /// A thread was joined or detached that cannot be.
    ThreadMisuse,
    /// A variable that one thread locked was accessed by another.
    PrivilegeViolation,
    Leak,
    /// The program ends and says itself that something went wrong.
    ExitStatus,
    /// The compiler's checks say that the language leaves the behaviour undefined.
    UndefinedBehaviour,
    /// A run is one that a property forbids: a formula, an automaton, a claim.
    Property,
    /// A run goes on for ever and makes no progress.
    NonProgress,
    /// Some threads go on for ever, and what others wait for can never happen.
    Livelock,
}

impl FaultKind {
    /// All kinds.
    pub const ALL: [FaultKind; 31] = [
        FaultKind::Deadlock,
        FaultKind::Assertion,
        FaultKind::Invariant,
        FaultKind::Goal,
        FaultKind::IndexOutOfBounds,
        FaultKind::DivisionByZero,
        FaultKind::Overflow,
        FaultKind::Abort,
        FaultKind::UncaughtException,
        FaultKind::InvalidAccess,
        FaultKind::MisalignedAccess,
        FaultKind::HeapOverflow,
        FaultKind::UseAfterFree,
        FaultKind::DoubleFree,
        FaultKind::VariableOverflow,
        FaultKind::UseAfterScope,
        FaultKind::OverlappingCopy,
        FaultKind::InvalidFree,
        FaultKind::StackOverflow,
        FaultKind::StackAccess,
        FaultKind::UninitialisedRead,
        FaultKind::DataRace,
        FaultKind::LockMisuse,
        FaultKind::ThreadMisuse,
        FaultKind::PrivilegeViolation,
        FaultKind::Leak,
        FaultKind::ExitStatus,
        FaultKind::UndefinedBehaviour,
        FaultKind::Property,
        FaultKind::NonProgress,
        FaultKind::Livelock,
    ];

    /// The kind with this name.
    pub fn from_name(name: &str) -> Option<FaultKind> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Whether it is wrong with a whole run, rather than with a state or a step.
    pub fn is_of_runs(self) -> bool {
        matches!(self, FaultKind::Property | FaultKind::NonProgress | FaultKind::Livelock)
    }

    /// The name in JSON and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            FaultKind::Deadlock => "deadlock",
            FaultKind::Assertion => "assertion",
            FaultKind::Invariant => "invariant",
            FaultKind::Goal => "goal",
            FaultKind::IndexOutOfBounds => "index-out-of-bounds",
            FaultKind::DivisionByZero => "division-by-zero",
            FaultKind::Overflow => "overflow",
            FaultKind::Abort => "abort",
            FaultKind::UncaughtException => "uncaught-exception",
            FaultKind::InvalidAccess => "invalid-access",
            FaultKind::MisalignedAccess => "misaligned-access",
            FaultKind::HeapOverflow => "heap-overflow",
            FaultKind::UseAfterFree => "use-after-free",
            FaultKind::DoubleFree => "double-free",
            FaultKind::VariableOverflow => "variable-overflow",
            FaultKind::UseAfterScope => "use-after-scope",
            FaultKind::OverlappingCopy => "overlapping-copy",
            FaultKind::InvalidFree => "invalid-free",
            FaultKind::StackOverflow => "stack-overflow",
            FaultKind::StackAccess => "stack-access",
            FaultKind::UninitialisedRead => "uninitialised-read",
            FaultKind::DataRace => "data-race",
            FaultKind::LockMisuse => "lock-misuse",
            FaultKind::ThreadMisuse => "thread-misuse",
            FaultKind::PrivilegeViolation => "privilege-violation",
            FaultKind::Leak => "leak",
            FaultKind::ExitStatus => "exit-status",
            FaultKind::UndefinedBehaviour => "undefined-behaviour",
            FaultKind::Property => "property",
            FaultKind::NonProgress => "non-progress",
            FaultKind::Livelock => "livelock",
        }
    }
}

impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A place in the checked program's source. Lines and columns count from 1.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SourceLocation {
    pub file: String,
    pub line: u32,
    pub column: u32,
}

impl fmt::Display for SourceLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

/// A bug of the checked program. A result, not an error of ours.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Fault {
    pub kind: FaultKind,
    /// One sentence that names the object: which assertion, which array, who waits.
    pub message: String,
    pub location: Option<SourceLocation>,
}

impl Fault {
    /// What is wrong with a state that has no successors and is no valid end.
    pub fn deadlock() -> Fault {
        Fault { kind: FaultKind::Deadlock, message: "no process can move".to_owned(), location: None }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind, self.message)
    }
}

/// Something the model needs and Dampf cannot do. The verdict is unknown, never verified.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unsupported {
    pub what: String,
}

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "not supported: {}", self.what)
    }
}

impl std::error::Error for Unsupported {}

/// A model's word that an assumption it was made under does not hold: what was explored does not count, and exploration
/// restarts with a model that knows better.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Revise {
    /// What was assumed and is refuted, for people.
    pub what: String,
    /// The same for the front end that made the model: its own encoding, which nobody else reads.
    pub facts: Vec<u8>,
}

impl fmt::Display for Revise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an assumption was refuted: {}", self.what)
    }
}
