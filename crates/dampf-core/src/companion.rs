//! Optional knowledge about a model, in small traits that a layer or a tool asks for.

use crate::{Action, Fault, Model, SourceLocation, Successors, Word};

/// A named value of a state, as people see it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Binding {
    pub name: String,
    pub value: String,
}

/// A value that a step changed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Change {
    pub name: String,
    pub before: String,
    pub after: String,
}

/// A step, as people see it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// Who moved; two names joined by `, ` where two processes moved together.
    pub process: String,
    /// The function or control location the step starts from.
    pub function: String,
    pub location: Option<SourceLocation>,
    /// The source text of the step.
    pub text: String,
}

/// A thread and the calls it is in, as people see them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CallStack {
    pub thread: String,
    /// Function and place, the innermost first.
    pub calls: Vec<(String, SourceLocation)>,
}

/// Describes states and steps for people.
pub trait Describe: Model {
    /// Every variable with its value, in declaration order.
    fn describe_state(&self, state: &[Word]) -> Vec<Binding>;

    /// What `action` does when it is taken in `before`.
    fn describe_step(&self, before: &[Word], action: Action) -> Step;

    /// What the step is made of, where it is made of several: what one process did in a row, say.
    fn describe_parts(&self, before: &[Word], action: Action) -> Vec<Step> {
        vec![self.describe_step(before, action)]
    }

    /// What differs between two states, variable by variable or in smaller parts. None where that is no more than what
    /// differs between their descriptions.
    fn describe_changes(&self, before: &[Word], after: &[Word]) -> Option<Vec<Change>> {
        let _ = (before, after);
        None
    }

    /// The calls of libraries that a step begins in, the innermost first: from the line that it is told with to where
    /// its operation is. Nothing where it is on that line itself.
    fn describe_library_calls(&self, before: &[Word], action: Action) -> Vec<(String, SourceLocation)> {
        let _ = (before, action);
        Vec::new()
    }

    /// For a state without successors: one line per process that says what it waits for.
    fn describe_blocked(&self, state: &[Word]) -> Vec<String>;

    /// For the states and steps of a cycle that a run repeats for ever: one line for each process that is there all the
    /// time and takes no part in it. Nothing where that is not known.
    fn describe_idle(&self, cycle: &[Vec<Word>], steps: &[Action]) -> Vec<String> {
        let _ = (cycle, steps);
        Vec::new()
    }

    /// The name of a process that can move in no state of such a cycle, if there is one.
    fn describe_starving(&self, cycle: &[Vec<Word>], steps: &[Action]) -> Option<String> {
        let _ = (cycle, steps);
        None
    }

    /// Where the threads are at the end of a run: their call stacks, innermost call first, in a state or, where the
    /// last step is a faulty one, at its fault. Nothing for languages without calls.
    fn describe_stacks(&self, state: &[Word], faulty: Option<Action>) -> Vec<CallStack> {
        let _ = (state, faulty);
        Vec::new()
    }
}

/// What the steps of a model read and write, for reductions. Objects are numbered by the model: variables,
/// channels, control locations.
pub trait Dependencies: Model {
    /// Labels run from 0 to this number.
    fn action_count(&self) -> usize;
    fn object_count(&self) -> usize;
    /// Objects whose value decides whether the step is enabled.
    fn enabling(&self, action: usize) -> &[u32];
    /// Objects whose value the step uses, its guard included. Ascending.
    fn reads(&self, action: usize) -> &[u32];
    /// Objects the step may change. Ascending.
    fn writes(&self, action: usize) -> &[u32];
    /// Steps that `action` may enable, being disabled before it.
    fn enables(&self, action: usize) -> &[u32];
    /// Steps that `action` may disable, being enabled before it.
    fn disables(&self, action: usize) -> &[u32];
}

/// Something that steps read and write: a variable, a channel, a control location, a word of memory. The number is
/// stable: it means the same thing in every state of a model.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Object(pub u64);

/// What one step of one state reads and writes. Both lists are ascending, without repetitions, and may be larger than
/// need be: an object that is listed may be used, one that is not listed is not.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Footprint {
    /// Objects whose value decides whether the step is enabled or what it does.
    pub reads: Vec<Object>,
    /// Objects whose value the step may change.
    pub writes: Vec<Object>,
}

impl Footprint {
    pub fn clear(&mut self) {
        self.reads.clear();
        self.writes.clear();
    }

    /// Brings both lists into their order.
    pub fn normalise(&mut self) {
        for objects in [&mut self.reads, &mut self.writes] {
            objects.sort_unstable();
            objects.dedup();
        }
    }

    /// Whether one of two steps writes what the other reads or writes. Two steps of a state that do not conflict
    /// commute: each is enabled behind the other, and both orders lead to the same state.
    pub fn conflicts(&self, other: &Footprint) -> bool {
        let meet = |one: &[Object], other: &[Object]| one.iter().any(|object| other.binary_search(object).is_ok());
        meet(&self.writes, &other.writes) || meet(&self.writes, &other.reads) || meet(&self.reads, &other.writes)
    }
}

/// Footprints of the steps of a state, for reductions that look at states: unlike [`Dependencies`], which hold for
/// every state.
pub trait Footprints: Model {
    /// Fills `footprint` with what the step `action` of `state` reads and writes. A step that is made of several, or
    /// that moves several processes, has the objects of all its parts; one that waits until nothing else can move reads
    /// everything.
    fn footprint(&self, state: &[Word], action: Action, footprint: &mut Footprint);

    /// What an object is called, for people.
    fn object_name(&self, object: Object) -> String;
}

/// How the steps of a model enable, disable and disturb each other, in every state: what a reduction decides by that
/// looks at guards and at where processes stand.
///
/// *Actions* are what steps begin with, with a numbering of their own (they are not labels): which of them a step has
/// may depend on the state it is taken in. A step that is made of several has the action of its first part, and what is
/// said of the action holds for all that may follow it in the same step. Everything may be larger than need be.
#[derive(Clone, Default, Debug)]
pub struct Interplay {
    /// The number of locations of each process.
    pub processes: Vec<usize>,
    pub actions: Vec<Participation>,
    /// For each guard, the actions that may make it true where it is false. Ascending.
    pub guards: Vec<Vec<u32>>,
    /// For each guard, the value that it looks at, if it looks at one and nothing else.
    pub guard_values: Vec<Option<u32>>,
    /// The single steps that steps are made of.
    pub parts: Vec<StepPart>,
    /// Whether somebody watches whole runs, with the propositions among what visible actions may change: then runs have
    /// to be kept, up to how often a state is repeated.
    pub watches_runs: bool,
}

/// What is known about one action.
#[derive(Clone, Default, Debug)]
pub struct Participation {
    /// Where processes stand if a step begins with this action, the mover first: without each of these there is none.
    pub stands: Vec<(usize, u32)>,
    /// The moves of processes from location to location that the step may contain.
    pub moves: Vec<ProcessMove>,
    /// Numbers of guards without each of which there is no step.
    pub guards: Vec<u32>,
    /// Actions that may be enabled together with this one, and do not commute with it then, or disable it, or are
    /// disabled by it. Ascending.
    pub conflicts: Vec<u32>,
    /// Whether the step may change what a check of states looks at.
    pub is_visible: bool,
    /// Whether it depends on nothing else being possible.
    pub waits: bool,
    /// Whether a step may end in a fault, refute an assumption, or be too large to be computed.
    pub may_end: bool,
    /// Numbers of the single steps that the step may contain.
    pub parts: Vec<u32>,
}

/// A move of a process within a step.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct ProcessMove {
    pub process: usize,
    pub source: u32,
    pub target: u32,
}

/// A single step, which is a step or part of one: what it certainly moves, and what it does to numbered values. A run
/// that comes back to a state consists of such parts, undoes what each of them did, and takes processes around circles.
#[derive(Clone, Default, Debug)]
pub struct StepPart {
    pub moves: Vec<ProcessMove>,
    /// Values that become greater.
    pub raised: Vec<u32>,
    /// Values that become less.
    pub lowered: Vec<u32>,
    /// Values that may become anything.
    pub stored: Vec<u32>,
    /// Whether nothing comes behind it: it ends in a fault, refutes something, or is impossible.
    pub is_last: bool,
}

/// What is interchangeable in a model's states.
pub trait Symmetry: Model {
    /// Whether anything is.
    fn is_symmetric(&self) -> bool;

    /// Brings a state into the canonical form of its orbit: one of the states that it becomes by exchanging what is
    /// interchangeable. A state and its canonical form are bisimilar, with the same faults.
    fn canonicalise(&self, state: &mut [Word]);
}

/// Models whose steps are understood well enough that some can be put off; none says so by default.
pub trait Interleaving: Model {
    fn interplay(&self) -> Option<Interplay> {
        None
    }

    /// Where a process stands.
    fn process_location(&self, process: usize, state: &[Word]) -> u32 {
        let _ = (process, state);
        unreachable!("a model without an interplay has no processes")
    }

    /// The bits of states that say where processes stand and what these values are; none where that is not so simple.
    fn control_bits(&self, values: &[u32]) -> Option<Vec<Word>> {
        let _ = values;
        None
    }

    /// Whether only some processes may move in a state, whatever the others' guards say. That follows from where
    /// processes stand.
    fn is_urgent(&self, state: &[Word]) -> bool {
        let _ = state;
        false
    }

    /// Whether a guard is false, for certain.
    fn is_guard_false(&self, guard: u32, state: &[Word]) -> bool {
        let _ = (guard, state);
        false
    }

    /// A value that guards look at.
    fn value(&self, value: u32, state: &[Word]) -> i32 {
        let _ = (value, state);
        unreachable!("a model without an interplay has no values")
    }

    /// The action that a step begins with: of the state whose steps the worker computed last, by its number among them
    /// and its label. Not for steps that lead nowhere.
    fn begun_by(worker: &Self::Worker<'_>, state: &[Word], step: usize, label: Action) -> u32 {
        let _ = (worker, state, step);
        label.front_end()
    }
}

/// How a process or thread stands in a state: what heuristics are made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Standing {
    pub is_alive: bool,
    /// Whether it is alive and cannot move.
    pub is_blocked: bool,
    /// How many locks it holds.
    pub locks: u32,
}

/// How processes and threads stand and what they do, for heuristics. By default nobody is looked at.
pub trait Observations: Movers {
    /// Makes `standings` those of all movers in a state, in their order.
    fn observe(worker: &mut Self::Worker<'_>, state: &[Word], standings: &mut Vec<Standing>) {
        let _ = (worker, state);
        standings.clear();
    }

    /// Makes `footprint` what a step of a state reads and writes, as [`Footprints`] tells it.
    fn accesses(worker: &mut Self::Worker<'_>, state: &[Word], action: Action, footprint: &mut Footprint) {
        let _ = (worker, state, action);
        footprint.clear();
    }

    /// How many steps may be left from a state, by one of the estimates that the model was made with.
    fn estimate(worker: &mut Self::Worker<'_>, estimate: usize, state: &[Word]) -> u32 {
        let _ = (worker, state);
        unreachable!("the model was made without an estimate {estimate}")
    }

    /// Makes `branches` the branches that a step of a state takes, by numbers that mean the same in every state: a
    /// branch instruction and whether it was taken, a transition. The label of the step by default.
    fn branches(worker: &mut Self::Worker<'_>, state: &[Word], action: Action, branches: &mut Vec<u64>) {
        let _ = (worker, state);
        branches.clear();
        branches.push(action.0);
    }

    /// In how many parts two states differ: variables, locations, threads. By default in so many words.
    fn differences(&self, one: &[Word], other: &[Word]) -> u32 {
        one.iter().zip(other).filter(|(one, other)| one != other).count() as u32
    }

    /// How far all movers together are from where they stand in another state: for each the steps along its own
    /// transitions, whatever their guards say, or whether it stands elsewhere where no more is known.
    fn location_distance(worker: &mut Self::Worker<'_>, from: &[Word], to: &[Word]) -> u32 {
        let _ = (worker, from, to);
        0
    }
}

/// Which states an infinite run must pass for ever to violate a property: those of a model that has a property
/// automaton inside, or labels that say so. None by default.
pub trait Acceptance: Model {
    fn is_accepting(&self, state: &[Word]) -> bool {
        let _ = state;
        false
    }
}

/// Memory and registers of the threads of a program, for debuggers.
pub trait Inspect: Model {
    /// The threads that are alive in a state, by number.
    fn threads(&self, state: &[Word]) -> Vec<u32>;

    /// The integer registers of a thread in the machine's own order, the program counter last.
    fn registers(&self, state: &[Word], thread: u32) -> Option<Vec<u64>>;

    /// Reads memory as a thread sees it; false where not all of it belongs to an object.
    fn read_memory(&self, state: &[Word], thread: u32, address: u64, bytes: &mut [u8]) -> bool;
}

/// Who takes part in steps: the processes or threads that a scheduler is expected to be fair to. Nobody by default.
pub trait Movers: Model {
    /// Movers are numbered from 0 to this number.
    fn mover_count(&self) -> usize {
        0
    }

    /// Calls `visit` with each one that takes part in the step `action` of `state`.
    fn movers(&self, state: &[Word], action: Action, visit: &mut dyn FnMut(usize)) {
        let _ = (state, action, visit);
    }
}

/// Whether an agent is free to be given something to do.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Activity {
    #[default]
    Idle,
    Busy,
}

/// A variable of a state that a planner may overwrite, and what it holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Suggestion {
    /// By a number that means the same variable in every state.
    pub place: u64,
    pub value: Word,
}

/// A mover that decides for itself and takes advice.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Agent {
    pub mover: usize,
    pub activity: Activity,
    /// In the order in which the agent has named them.
    pub suggestions: Vec<Suggestion>,
}

/// Agents, what they take as advice, and how good states are: for planners. By default nobody is an agent, and no state
/// is better than another.
pub trait Agents: Movers {
    /// Whether some state may have agents.
    fn has_agents(&self) -> bool {
        false
    }

    /// Whether states have values.
    fn has_evaluation(&self) -> bool {
        false
    }

    /// Makes `agents` those of a state, ascending by their movers.
    fn agents(worker: &mut Self::Worker<'_>, state: &[Word], agents: &mut Vec<Agent>) {
        let _ = (worker, state);
        agents.clear();
    }

    /// How good a state is: the more, the better.
    fn evaluation(worker: &mut Self::Worker<'_>, state: &[Word]) -> i64 {
        let _ = (worker, state);
        0
    }

    /// Fills `out` with the steps of one mover alone, and what there is to say about them.
    fn steps_of(worker: &mut Self::Worker<'_>, state: &[Word], mover: usize, out: &mut Successors) {
        let _ = (worker, state, out);
        unreachable!("the model has no agents, and does not move mover {mover} by itself")
    }

    /// Whether a mover has begun something that is one step to everybody else, and has not come to its end.
    fn is_within_step(worker: &mut Self::Worker<'_>, state: &[Word], mover: usize) -> bool {
        let _ = (worker, state, mover);
        false
    }

    /// Makes `advised` the state that differs from another in the values of these suggestions.
    fn advise(worker: &mut Self::Worker<'_>, state: &[Word], suggestions: &[Suggestion], advised: &mut Vec<Word>) {
        let _ = (worker, suggestions);
        advised.clear();
        advised.extend_from_slice(state);
    }

    /// What people call a mover of a state.
    fn agent_name(worker: &mut Self::Worker<'_>, state: &[Word], mover: usize) -> String {
        let _ = (worker, state);
        format!("agent {mover}")
    }
}

/// Boolean observations of a state, for properties. None by default.
pub trait Propositions: Model {
    fn proposition_count(&self) -> usize {
        0
    }

    fn proposition_name(&self, proposition: usize) -> &str {
        unreachable!("the model has no proposition {proposition}")
    }

    /// Whether a proposition holds; a fault where that cannot be said, because it looks at what is not there.
    fn holds(worker: &mut Self::Worker<'_>, proposition: usize, state: &[Word]) -> Result<bool, Fault> {
        let _ = (worker, state);
        unreachable!("the model has no proposition {proposition}")
    }

    /// All propositions that hold, as bits, where the model has a quick way to tell: then it is what [`holds`] says of
    /// each. None where they are to be asked for one by one.
    ///
    /// [`holds`]: Propositions::holds
    fn holding(&self, state: &[Word]) -> Option<u64> {
        let _ = state;
        None
    }

    /// Whether a proposition speaks of what happens: then it is false where nothing can happen, whatever it says of the
    /// state.
    fn is_of_steps(&self, proposition: usize) -> bool {
        let _ = proposition;
        false
    }
}

/// A part of a state that lies outside of the state's words: a component, a line of memory.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Part {
    /// What kind of part it is, by the model's own numbering, which is the same in every process.
    pub kind: u32,
    /// The word that names it, as it stands in a state or in another part. Means something in this process only.
    pub name: Word,
}

/// Moves states between processes that do not share their tables of components.
///
/// A state is a few words that name parts, which name further parts. Names differ from process to process, contents do
/// not; so a state is moved by its words and the contents of those parts that the other side does not have. Whoever
/// moves states asks for names and contents here and translates the names; the model need not know to whom.
///
/// A model whose states hold no names needs nothing but the defaults: the words travel as they are.
pub trait Transfer: Model {
    /// Whether states name parts at all. Where they do not, their words are the same in every process.
    fn has_parts(&self) -> bool {
        false
    }

    /// Calls `visit` with every position of a state whose word names a part, and the part.
    fn parts_of_state(&self, state: &[Word], visit: &mut dyn FnMut(usize, Part)) {
        let _ = (state, visit);
    }

    /// Appends the contents of a part to `words`, and calls `visit` with every position in them (counted from the
    /// part's first word) whose word names another part, and that part. Parts do not contain themselves.
    fn part(&self, part: Part, words: &mut Vec<Word>, visit: &mut dyn FnMut(usize, Part)) {
        let _ = (words, visit);
        unreachable!("the states of this model have no parts, so there is no {part:?}")
    }

    /// The name in this process of a part of this kind with these contents, in which all names are this process's.
    ///
    /// Contents come from another process: nonsense must not panic here, and may have any name.
    fn name_of(&self, kind: u32, contents: &[Word]) -> Word {
        let _ = contents;
        unreachable!("the states of this model have no parts, so there is none of kind {kind}")
    }
}

/// Keeps the parts of states for a search that another process goes on with, and gives them their names again there.
///
/// A table numbers its parts in the order in which they come, so one that is filled again in this order gives the same
/// names.
pub trait Restore: Model {
    /// How many parts each of the model's tables has.
    fn tables(&self) -> Vec<u32> {
        Vec::new()
    }

    /// Appends the contents of a part to `words`, by its table and its number there.
    fn entry(&self, table: usize, number: u32, words: &mut Vec<Word>) {
        let _ = words;
        unreachable!("the states of this model have no parts, so there is no {number} in table {table}")
    }

    /// Gives contents a name; whether they are now the part of this number in this table. Nonsense must not panic here
    /// either.
    fn restore(&self, table: usize, number: u32, contents: &[Word]) -> bool {
        let _ = (table, number, contents);
        false
    }
}

/// Sections of a state, by name: processes, variables, the stacks. For whoever divides states by their contents.
pub trait Sections: Model {
    /// The bits of a state that belong to a section of it: a process, a variable, the stacks. None where the model has
    /// no such section. A word that names a part belongs to a section wholly or not at all.
    fn section(&self, name: &str) -> Option<Vec<Word>> {
        let _ = name;
        None
    }

    /// The names that [`section`](Self::section) knows.
    fn sections(&self) -> Vec<String> {
        Vec::new()
    }
}
