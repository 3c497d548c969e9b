//! What all workers of a model share.

use crate::by_address::ByAddress;
use crate::future_plan::FuturePlan;
use crate::futures::Futures;
use crate::happens_before::HISTORY_SLOTS_MAX;
use crate::persistent;
use crate::program::Program;
use crate::sharing::Sharing;
use crate::uses::{self, LineUses, SeenUses};
use dampf_core::{ComponentTable, Ground, Heap};
use dampf_rv::memory::LineTable;
use std::sync::{Arc, Mutex};

/// How far a thread runs in one step.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Granularity {
    /// Up to its next visible operation.
    #[default]
    Visible,
    /// One source line.
    Line,
    /// One instruction.
    Instruction,
}

/// What is checked, and how finely.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ProgramChecks {
    pub granularity: Granularity,
    /// Condition variables may wake threads without a signal.
    pub spurious_wakeups: bool,
    /// Heap blocks that are left at the end are a fault.
    pub leaks: bool,
    /// Reading heap memory that was never written is a fault, and so is a branch or an address that depends on a local
    /// variable that was never written.
    pub uninitialised: bool,
    /// Every allocation of the program's may fail for want of memory.
    pub allocations_may_fail: bool,
    /// Conflicting accesses are no fault.
    pub ignore_races: bool,
    /// Ending with an exit status other than 0 is no fault.
    pub any_exit_status: bool,
    /// Plain accesses are no places to switch.
    pub by_segments: bool,
    /// How often clocks jump ahead in a run at most; with 0, whoever reads one cannot be verified.
    pub clock_jumps: u32,
    /// Accesses to volatile variables are atomic.
    pub volatile_is_atomic: bool,
    /// Threads that nothing tells apart are interchangeable: see [`symmetry`](crate::symmetry).
    pub symmetry: bool,
    /// Steps are left out that can as well be taken later: see [`persistent`](crate::persistent).
    pub partial_order: bool,
}

impl Default for ProgramChecks {
    fn default() -> Self {
        ProgramChecks {
            granularity: Granularity::default(),
            spurious_wakeups: false,
            leaks: false,
            uninitialised: false,
            allocations_may_fail: false,
            ignore_races: false,
            any_exit_status: false,
            by_segments: false,
            clock_jumps: 1,
            volatile_is_atomic: false,
            symmetry: false,
            partial_order: false,
        }
    }
}

pub struct System {
    pub program: Arc<Program>,
    pub options: ProgramChecks,
    pub sharing: Sharing,
    pub uses: ByAddress<LineUses>,
    /// What random runs see of the uses of words; none in a search.
    pub seen: Option<Mutex<SeenUses>>,
    /// What threads may do from where they stand, if steps are left out.
    pub future_plan: Option<FuturePlan>,
    /// What runs before a search see of that.
    pub survey: Option<Mutex<Futures>>,
    pub lines: LineTable,
    pub components: ComponentTable,
    /// Whether plain accesses are no places to switch: see [`segments`](crate::segments).
    pub has_segments: bool,
    /// Whether states know who knows of which access: see [`history`](crate::history).
    pub has_history: bool,
    /// Whether threads of a class are interchangeable.
    pub is_symmetric: bool,
}

impl System {
    pub fn new(program: Arc<Program>, options: ProgramChecks, sharing: Sharing) -> System {
        System::on(Arc::new(Heap::default()), program, options, sharing)
    }

    /// A system whose lines and components lie on a ground.
    pub fn on(ground: Arc<dyn Ground>, program: Arc<Program>, options: ProgramChecks, sharing: Sharing) -> System {
        let has_segments = options.by_segments && !sharing.everything && checks_races(&program, options);
        let mut system = System {
            program,
            options,
            uses: uses::by_line(&sharing),
            seen: None,
            future_plan: None,
            survey: None,
            sharing,
            lines: LineTable::on(Arc::clone(&ground)),
            components: ComponentTable::on(ground),
            has_segments,
            has_history: false,
            is_symmetric: false,
        };
        system.is_symmetric = options.symmetry && !system.sharing.classes.is_empty();
        system.has_history = system.sharing.has_weak_orders() && system.may_have_history();
        if options.partial_order && system.may_leave_out() && !system.sharing.futures.is_empty() {
            system.future_plan = Some(FuturePlan::new(&system.sharing.futures));
        }
        system
    }

    /// Whether it is understood what steps have to do with each other.
    pub fn may_leave_out(&self) -> bool {
        let sharing = &self.sharing;
        self.has_segments
            && self.options.granularity == Granularity::Visible
            && sharing.slots() <= persistent::SLOTS_MAX
            && sharing.classes.is_empty()
            && !sharing.signals_sent()
            && !sharing.threads_cancelled()
            && !sharing.futures.given_up
    }

    /// Whether it is noted what steps touch.
    pub fn notes_touched(&self) -> bool {
        self.future_plan.is_some() || self.survey.is_some()
    }

    /// Whether a history can be kept.
    pub fn may_have_history(&self) -> bool {
        self.has_segments && self.sharing.slots() <= HISTORY_SLOTS_MAX
    }

    /// Whether races are looked for.
    pub fn checks_races(&self) -> bool {
        checks_races(&self.program, self.options)
    }
}

fn checks_races(program: &Program, options: ProgramChecks) -> bool {
    program.instrumented && !options.ignore_races
}
