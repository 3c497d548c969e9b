//! Programs as machine code: one generated function expands a whole state.
//!
//! The function takes the words of a state and writes all its successors and their labels side by side, in
//! action order. It makes no calls and allocates nothing; there is room for the greatest number of steps that
//! any state of the program has, and one more, so it never looks at the capacity either. Faulty steps are
//! entries like the others, marked in their label; which fault it is, the entry's first word says.
//!
//! | part | what it does |
//! |---|---|
//! | `expand` | the whole function: checks, commitment, holder, one process after the other |
//! | `process`, `steps` | the steps of a process: dispatch on its location, its receivers |
//! | `step`, `effort` | one step: guard, synchronisation, effects; what it costs |
//! | `expression` | values and conditions |
//! | `view` | the words of a state while a step changes them |
//! | `operand` | values that are decoded as late as possible |
//! | `facts`, `interval` | what is known of values when the code is generated |
//! | `lowering` | the function under construction, and its instructions |
//!
//! Invariant: for every state the result is the interpreter's, entry by entry.

mod effort;
mod expand;
mod expression;
mod facts;
pub(crate) mod interval;
mod lowering;
mod operand;
mod process;
mod step;
mod steps;
mod view;

use crate::ir::{ActionSource, Program};
use crate::layout::{Field, Layout};
use cranelift_codegen::ir;
use cranelift_codegen::settings::{self, Configurable};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{FuncId, Linkage, Module, ModuleError, default_libcall_names};
use dampf_core::{Action, StepEnd, Successors, Unsupported, Word};
use lowering::Lowering;
use steps::Steps;

/// Marks the label of a faulty step in what the generated function writes.
const FAULTY: u64 = 1 << 63;

/// What the generated function says beside the successors. Offsets are in words.
#[repr(C)]
#[derive(Default)]
struct Report {
    /// The number of the fault of the state, plus 1.
    state_fault: u32,
    /// Not 0 if some step is faulty.
    step_faults: u32,
    /// The holder, plus 1, while only its steps are generated.
    holder: u32,
}

const REPORT_STATE_FAULT: u32 = 0;
const REPORT_STEP_FAULTS: u32 = 1;
const REPORT_HOLDER: u32 = 2;

/// More propositions have no bits.
const PROPOSITIONS_MAX: usize = u64::BITS as usize;

/// Beyond this number of steps, compiling takes longer than it can save.
const STEPS_MAX: usize = 30_000;

/// State, report, room for words, room for labels; the end of the labels.
type Expand = unsafe extern "C" fn(*const Word, *mut Report, *mut Word, *mut Action) -> *mut Action;

/// State, report; the propositions that hold, as bits.
type Holding = unsafe extern "C" fn(*const Word, *mut Report) -> u64;

/// A program in machine code.
pub struct Native {
    expand: Expand,
    /// None where there are no propositions, or more than have bits.
    holding: Option<Holding>,
    width: usize,
    /// The greatest number of steps of a state, and room for one that is written in vain behind them.
    capacity: usize,
    /// The faults and refuted assumptions that the generated code refers to by number.
    ends: Vec<StepEnd>,
    /// For each process, where its location is, and which of its locations are valid ends.
    valid_ends: Vec<(Field, Vec<bool>)>,
    /// Whether steps may turn out to lead nowhere when they are composed, so that states with steps have none.
    is_composed: bool,
    code_bytes: usize,
    _code: Code,
}

/// The memory of the generated code.
struct Code(Option<Box<JITModule>>);

// SAFETY: the module is not used any more once its code is finished, except to free the memory.
unsafe impl Send for Code {}
// SAFETY: as above; nothing can be done with a shared reference.
unsafe impl Sync for Code {}

impl Drop for Code {
    fn drop(&mut self) {
        if let Some(module) = self.0.take() {
            // SAFETY: the only pointer into the code is in the `Native` that is being dropped.
            unsafe { module.free_memory() };
        }
    }
}

impl Native {
    /// Compiles a program; `actions` are its [`Program::actions`].
    pub fn compile(program: &Program, layout: &Layout, actions: &[ActionSource]) -> Result<Native, Unsupported> {
        if actions.len() > STEPS_MAX {
            return Err(unsupported(&format!("a program of {} steps", actions.len())));
        }
        let module = JITModule::new(JITBuilder::with_isa(target()?, default_libcall_names()));
        let mut module = Code(Some(Box::new(module)));
        let jit = module.0.as_mut().expect("the module was just made");
        let mut scratch = FunctionBuilderContext::new();
        let steps = Steps::new(program, actions);
        let mut ends = Vec::new();
        let (expand, mut code_bytes) = define(jit, "expand", &mut scratch, |builder| {
            let (mut lowering, cursor) = Lowering::with_room(builder, program, layout);
            lowering.expand(&steps, cursor);
            ends = std::mem::take(&mut lowering.ends);
            lowering.builder
        })?;
        let mut holding = None;
        if (1..=PROPOSITIONS_MAX).contains(&program.propositions.len()) {
            let (function, bytes) = define(jit, "holding", &mut scratch, |builder| {
                let mut lowering = Lowering::of_state(builder, program, layout);
                lowering.holding();
                lowering.builder
            })?;
            holding = Some(function);
            code_bytes += bytes;
        }
        jit.finalize_definitions().map_err(failed)?;
        let address = jit.get_finalized_function(expand);
        // SAFETY: the function was generated with this signature, for the C calling convention of the host.
        let holding = holding
            .map(|function| unsafe { std::mem::transmute::<*const u8, Holding>(jit.get_finalized_function(function)) });
        let end = |(field, process): (&Field, &crate::ir::Process)| {
            (*field, process.locations.iter().map(|location| location.end).collect())
        };
        Ok(Native {
            // SAFETY: the function was generated with this signature, for the C calling convention of the host.
            expand: unsafe { std::mem::transmute::<*const u8, Expand>(address) },
            holding,
            width: layout.width,
            capacity: steps.most(program) + 1,
            ends,
            valid_ends: layout.locations.iter().zip(&program.processes).map(end).collect(),
            is_composed: program.has_compound_steps || program.timeout.is_some(),
            code_bytes,
            _code: module,
        })
    }

    /// The size of the machine code.
    pub fn code_bytes(&self) -> usize {
        self.code_bytes
    }

    /// Everything that can happen next in `state`: clears `out` and fills it in action order with steps and faulty
    /// steps, the fault of the state, and, for a state that may be without steps, whether it is a valid end. Returns
    /// whether the steps are those of the holder alone.
    pub fn successors(&self, state: &[Word], out: &mut Successors) -> bool {
        assert_eq!((state.len(), out.width()), (self.width, self.width), "a state of another model");
        out.clear();
        let (words, labels) = out.spare(self.capacity + GUARD_ENTRIES);
        let guard = Guard::put(words, labels, self.capacity, self.width);
        let mut report = Report::default();
        // SAFETY: the state has the words that the code reads, and there is room for as many successors as any
        // state has, and for one that turns out not to be enabled.
        let end = unsafe { (self.expand)(state.as_ptr(), &mut report, words, labels) };
        guard.check();
        // SAFETY: the code moved the pointer by one label for every successor that it wrote completely.
        let count = unsafe {
            let count = end.offset_from_unsigned(labels);
            out.assume_written(count);
            count
        };
        if count == 0 || self.is_composed {
            let is_end = |(field, ends): &(Field, Vec<bool>)| ends[field.get(state) as usize];
            out.set_valid_end(!self.valid_ends.is_empty() && self.valid_ends.iter().all(is_end));
        }
        if report.state_fault != 0 || report.step_faults != 0 {
            self.report_faults(&report, out);
        }
        report.holder != 0
    }

    /// The propositions that hold in a state, as bits; none where one of them has no value, or the code does not tell.
    #[inline]
    pub fn holding(&self, state: &[Word]) -> Option<u64> {
        let holding = self.holding?;
        assert_eq!(state.len(), self.width, "a state of another model");
        let mut report = Report::default();
        // SAFETY: the state has the words that the code reads.
        let propositions = unsafe { holding(state.as_ptr(), &mut report) };
        (report.state_fault == 0).then_some(propositions)
    }

    #[cold]
    fn report_faults(&self, report: &Report, out: &mut Successors) {
        if let Some(number) = report.state_fault.checked_sub(1) {
            match &self.ends[number as usize] {
                StepEnd::Fault(fault) => out.set_state_fault(fault.clone()),
                StepEnd::Refuted(_) => unreachable!("assumptions are about steps"),
            }
        }
        if report.step_faults == 0 {
            return;
        }
        let (_, labels) = out.spare(0);
        for index in 0..out.len() {
            // SAFETY: labels are read and written at indices below the length of the buffer.
            let label = unsafe { &mut *labels.add(index) };
            if label.0 & FAULTY != 0 {
                label.0 &= !FAULTY;
                let number = out.state(index)[0];
                out.mark(index, self.ends[number as usize].clone());
            }
        }
    }
}

/// Entries behind the room for successors that the generated code must leave alone; only where assertions are on.
const GUARD_ENTRIES: usize = if cfg!(debug_assertions) { 1 } else { 0 };

/// An entry behind the room for successors, filled with a pattern.
struct Guard {
    words: *mut Word,
    width: usize,
    label: *mut Action,
}

impl Guard {
    const PATTERN: u32 = 0x5afe_c0de;

    fn put(words: *mut Word, labels: *mut Action, capacity: usize, width: usize) -> Guard {
        let guard = Guard { words: words.wrapping_add(capacity * width), width, label: labels.wrapping_add(capacity) };
        if GUARD_ENTRIES > 0 {
            // SAFETY: there is room for this entry behind the capacity.
            unsafe {
                (0..width).for_each(|word| guard.words.add(word).write(Self::PATTERN));
                guard.label.write(Action(u64::from(Self::PATTERN)));
            }
        }
        guard
    }

    fn check(self) {
        if GUARD_ENTRIES > 0 {
            // SAFETY: the entry was written by `put`.
            let is_untouched = unsafe {
                (0..self.width).all(|word| self.words.add(word).read() == Self::PATTERN)
                    && self.label.read() == Action(u64::from(Self::PATTERN))
            };
            assert!(is_untouched, "generated code wrote more successors than there is room for");
        }
    }
}

fn unsupported(what: &str) -> Unsupported {
    Unsupported { what: format!("native code: {what}") }
}

/// The machine we run on.
fn target() -> Result<cranelift_codegen::isa::OwnedTargetIsa, Unsupported> {
    let mut flags = settings::builder();
    let verify = if cfg!(debug_assertions) { "true" } else { "false" };
    let options = [
        ("use_colocated_libcalls", "false"),
        ("is_pic", "false"),
        ("opt_level", "speed"),
        ("enable_verifier", verify),
        // Nothing secret is behind the jump tables.
        ("enable_table_access_spectre_mitigation", "false"),
    ];
    for (name, value) in options {
        flags.set(name, value).map_err(|error| unsupported(&error.to_string()))?;
    }
    let builder = cranelift_native::builder().map_err(unsupported)?;
    builder.finish(settings::Flags::new(flags)).map_err(|error| unsupported(&error.to_string()))
}

/// Turns a function that is generated into machine code; its name and its size.
fn define(
    jit: &mut JITModule,
    name: &str,
    scratch: &mut FunctionBuilderContext,
    generate: impl FnOnce(FunctionBuilder<'_>) -> FunctionBuilder<'_>,
) -> Result<(FuncId, usize), Unsupported> {
    let mut context = jit.make_context();
    let mut builder = generate(FunctionBuilder::new(&mut context.func, scratch));
    builder.seal_all_blocks();
    builder.finalize(jit.target_config());
    let function = jit.declare_function(name, Linkage::Local, &context.func.signature).map_err(failed)?;
    context.func.name = ir::UserFuncName::user(0, function.as_u32());
    jit.define_function(function, &mut context).map_err(failed)?;
    let bytes = context.compiled_code().map_or(0, |code| code.code_buffer().len());
    Ok((function, bytes))
}

fn failed(error: ModuleError) -> Unsupported {
    unsupported(&error.to_string())
}
