//! What all workers of a model share.

use crate::by_address::ByAddress;
use crate::happens_before::HISTORY_SLOTS_MAX;
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
            sharing,
            lines: LineTable::on(Arc::clone(&ground)),
            components: ComponentTable::on(ground),
            has_segments,
            has_history: false,
            is_symmetric: false,
        };
        system.is_symmetric = options.symmetry && !system.sharing.classes.is_empty();
        system.has_history = system.sharing.has_weak_orders() && system.may_have_history();
        system
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
