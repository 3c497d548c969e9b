//! The step that is under way.

use crate::step_log::StepLog;
use crate::symmetry::{AtHome, Foresight};
use crate::system::Granularity;
use crate::transactions::Transaction;

#[derive(Default)]
pub struct CurrentStep {
    /// No other thread is alive: nothing is visible to anybody.
    pub alone: bool,
    /// There are other threads, or some that may have ended just now.
    pub others: bool,
    /// `main` is not reached yet: what can happen in several ways happens in the first.
    pub before_main: bool,
    /// The running thread may perform one visible operation.
    pub granted: bool,
    /// The running thread may change what propositions look at: see [`watch`](crate::watch).
    pub passes_watched: bool,
    /// The watched places that the running thread was at when it began to run.
    pub places: u64,
    /// The running thread has entered an atomic section in this step.
    pub section_began: bool,
    /// The step ends behind the operation at hand, though the thread stands before none that others can notice.
    pub ends_here: bool,
    /// The thread of a class that is at home in this step, and the slot that is its own: see
    /// [`symmetry`](crate::symmetry).
    pub at_home: Option<AtHome>,
    /// The running thread stands before the creation of another only because somebody is at home.
    pub stopped_to_create: bool,
    /// Threads of classes that were released in this step and run behind it, each at home.
    pub released: Vec<u32>,
    /// The step is only taken to see what the joiner of a class does.
    pub foresight: Option<Foresight>,
    /// The running thread may leave frames that other threads use.
    pub watches_frames: bool,
    /// The running thread's stack pointer when what it has left of its stack was last looked at.
    pub sp_before: u64,
    /// How far it runs.
    pub granularity: Granularity,
    /// The running thread's stack pointer when what is written of its stack was last looked at.
    pub sp_noted: u64,
    /// Threads that were created or released in this step and have not run yet.
    pub fresh: Vec<u32>,
    /// What the program wrote in this step.
    pub output: Vec<u8>,
    /// What this step leaves out because it is not supported, if it does: then the search verifies nothing.
    pub unsupported: Option<String>,
    /// The mutexes that the running thread has acquired, as long as it has done nothing else.
    pub transaction: Transaction,
    /// What happens, where somebody wants to know it all.
    pub log: Option<Box<StepLog>>,
    /// Whether names are for people who read a trail, and may take their time.
    pub is_told: bool,
}

impl CurrentStep {
    /// Another step begins.
    pub fn clear(&mut self) {
        self.fresh.clear();
        self.output.clear();
        self.unsupported = None;
        self.at_home = None;
        self.stopped_to_create = false;
        self.released.clear();
        self.foresight = None;
        self.log = None;
    }

    /// A thread begins to run, with a visible operation granted or none.
    pub fn begin_run(&mut self, alone: bool, others: bool, granted: bool, sp: u64) {
        self.before_main = false;
        self.alone = alone;
        self.others = others;
        self.granted = granted;
        self.passes_watched = false;
        self.places = 0;
        self.section_began = false;
        self.ends_here = false;
        self.watches_frames = false;
        self.sp_before = sp;
        self.sp_noted = sp;
        self.transaction.close();
    }
}
