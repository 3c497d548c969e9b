//! A guarded-command program as a model that engines explore.
//!
//! The value analysis sizes the fields, the layout packs them, and one of two back ends generates successors:
//! the interpreter, which is the reference, or native code. Both fill the same entries in the same order.
//! Programs whose steps are compound, or wait for a timeout, have a third part, which composes what the back end says.

use crate::compound::Compound;
use crate::dependencies::DependencyTables;
use crate::estimates::Estimator;
use crate::footprints::ObjectNumbers;
use crate::interplay::InterplayTables;
use crate::interpreter::Interpreter;
use crate::ir::{ActionSource, Location, LocationId, Process, ProcessId, Program, Proposition, VariableId};
use crate::layout::{Buffer, Field, Layout, bits_for};
use crate::native::Native;
use crate::ranges::{Limits, Range, analyse};
use crate::rates::Rates;
use crate::symmetry::Exchanges;
use dampf_core::{
    Action, Fault, Model, Propositions, Restore, Sections, Successors, Transfer, Unsupported, Word, Worker,
};
use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

/// States beyond this size are refused: no search gets anywhere with them.
const STATE_BITS_MAX: u64 = 1 << 24;

/// What generates the successors of a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Backend {
    Interpreter,
    Native,
}

/// A back end that is ready to run.
enum Engine {
    Interpreter,
    Native(Native),
}

impl Engine {
    fn prepare(backend: Backend, interpreter: &Interpreter) -> Result<Engine, Unsupported> {
        match backend {
            Backend::Interpreter => Ok(Engine::Interpreter),
            Backend::Native => {
                let (program, layout) = (interpreter.program(), interpreter.layout());
                Ok(Engine::Native(Native::compile(program, layout, interpreter.actions())?))
            }
        }
    }
}

/// A program, ready to be explored.
pub struct GclModel {
    interpreter: Interpreter,
    engine: Engine,
    ranges: Vec<Range>,
    /// Where faulty steps lead to, in a language that says so.
    error_state: Option<Vec<Word>>,
    dependencies: OnceLock<DependencyTables>,
    object_numbers: ObjectNumbers,
    /// Those that have accepting locations.
    accepting_processes: Vec<ProcessId>,
    interplay: OnceLock<Option<InterplayTables>>,
    exchanges: OnceLock<Exchanges>,
    /// What searches by heuristics ask for.
    estimators: Vec<Estimator>,
    /// For each process and location, how far it is from each other location; computed when first asked for.
    ways: Vec<Vec<OnceLock<Box<[u32]>>>>,
    rates: OnceLock<Rates>,
}

impl GclModel {
    pub fn new(mut program: Program, backend: Backend) -> Result<GclModel, Unsupported> {
        let (mut ranges, may_overflow) = analyse(&program, Limits::default());
        if program.has_error_state && may_overflow {
            add_error_location(&mut program);
            ranges = analyse(&program, Limits::default()).0;
        }
        check_size(&program, &ranges)?;
        let layout = Layout::new(&program, &ranges);
        let error_state = program.error_location.map(|location| error_state(&program, &layout, location));
        let interpreter = Interpreter::new(Arc::new(program), layout);
        let engine = Engine::prepare(backend, &interpreter)?;
        Ok(GclModel::of(interpreter, engine, ranges, error_state))
    }

    /// A model whose variables have room for all values of their types: quickly made, slow to explore.
    pub fn spacious(program: Program) -> Result<GclModel, Unsupported> {
        let ranges: Vec<Range> = program.variables.iter().map(Range::of_type).collect();
        check_size(&program, &ranges)?;
        let layout = Layout::new(&program, &ranges);
        let interpreter = Interpreter::new(Arc::new(program), layout);
        Ok(GclModel::of(interpreter, Engine::Interpreter, ranges, None))
    }

    fn of(interpreter: Interpreter, engine: Engine, ranges: Vec<Range>, error_state: Option<Vec<Word>>) -> GclModel {
        let object_numbers = ObjectNumbers::new(interpreter.program());
        let processes = interpreter.program().processes.iter().enumerate();
        let accepting = processes.filter(|(_, process)| process.locations.iter().any(|location| location.accepting));
        let accepting_processes = accepting.map(|(number, _)| ProcessId(number as u32)).collect();
        let unknown_ways = |process: &Process| process.locations.iter().map(|_| OnceLock::new()).collect();
        let ways = interpreter.program().processes.iter().map(unknown_ways).collect();
        GclModel {
            interpreter,
            engine,
            ranges,
            error_state,
            dependencies: OnceLock::new(),
            object_numbers,
            accepting_processes,
            interplay: OnceLock::new(),
            exchanges: OnceLock::new(),
            estimators: Vec::new(),
            ways,
            rates: OnceLock::new(),
        }
    }

    /// The single steps that a step is made of, each with the state or moment that it is taken in.
    pub fn path(&self, state: &[Word], action: Action) -> Vec<(Vec<Word>, Action)> {
        match self.is_composed() {
            true => Compound::new(self.width()).path(self, state, action),
            false => vec![(state.to_vec(), action)],
        }
    }

    pub fn program(&self) -> &Program {
        self.interpreter.program()
    }

    pub fn layout(&self) -> &Layout {
        self.interpreter.layout()
    }

    pub fn actions(&self) -> &[ActionSource] {
        self.interpreter.actions()
    }

    /// For each variable, the values it can take.
    pub fn ranges(&self) -> &[Range] {
        &self.ranges
    }

    pub fn interpreter(&self) -> &Interpreter {
        &self.interpreter
    }

    /// The steps of a state as the program has them, without following holders and without timeouts; whether they are
    /// the holder's alone.
    pub fn single_steps(&self, state: &[Word], out: &mut Successors) -> bool {
        match &self.engine {
            Engine::Interpreter => self.interpreter.successors(state, out),
            Engine::Native(native) => native.successors(state, out),
        }
    }

    /// The propositions that hold in a state, as bits, where the back end tells all at once.
    fn holding_at_once(&self, state: &[Word]) -> Option<u64> {
        match &self.engine {
            Engine::Interpreter => None,
            Engine::Native(native) => native.holding(state),
        }
    }

    /// Where the timeout is, in a program that has one.
    pub fn timeout(&self) -> Option<Field> {
        self.program().timeout.map(|timeout| self.layout().element(timeout, 0))
    }

    /// Whether the steps of a state are not simply those of the program.
    pub fn is_composed(&self) -> bool {
        self.program().has_compound_steps || self.program().timeout.is_some()
    }

    /// What steps read, write, enable and disable; computed when first asked for.
    pub fn dependency_tables(&self) -> &DependencyTables {
        self.dependencies.get_or_init(|| DependencyTables::new(self.program(), self.actions()))
    }

    /// How steps enable, disable and disturb each other; computed when first asked for. None where that is not
    /// understood.
    pub fn interplay_tables(&self) -> Option<&InterplayTables> {
        let compute = || InterplayTables::new(self.program(), self.actions(), &self.ranges, self.layout());
        self.interplay.get_or_init(compute).as_ref()
    }

    /// The exchanges of processes that map the program to itself; computed when first asked for.
    pub fn exchanges(&self) -> &Exchanges {
        self.exchanges.get_or_init(|| Exchanges::new(self.program(), self.layout()))
    }

    pub(crate) fn set_estimators(&mut self, estimators: Vec<Estimator>) {
        self.estimators = estimators;
    }

    pub(crate) fn estimators(&self) -> &[Estimator] {
        &self.estimators
    }

    pub(crate) fn ways(&self) -> &[Vec<OnceLock<Box<[u32]>>>] {
        &self.ways
    }

    pub(crate) fn rates_cell(&self) -> &OnceLock<Rates> {
        &self.rates
    }

    /// The processes that have accepting locations.
    pub fn accepting_processes(&self) -> &[ProcessId] {
        &self.accepting_processes
    }

    /// The numbers of the objects that footprints speak of.
    pub fn object_numbers(&self) -> &ObjectNumbers {
        &self.object_numbers
    }
}

/// The section of the process that holds the system.
const HOLDER: &str = "atomic";

impl GclModel {
    fn variable_ids(&self) -> impl Iterator<Item = VariableId> + use<> {
        (0..self.program().variables.len() as u32).map(VariableId)
    }

    /// Where the values of a variable are.
    pub fn variable_fields(&self, id: VariableId) -> impl Iterator<Item = Field> {
        let len = self.program().variable(id).array.unwrap_or(1);
        (0..len).map(move |index| self.layout().element(id, index))
    }

    /// The channels that hold messages, by name.
    fn buffers(&self) -> impl Iterator<Item = (&str, &Buffer)> {
        let channels = self.program().channels.iter().zip(&self.layout().channels);
        channels.filter_map(|(channel, buffer)| Some((channel.name.as_str(), buffer.as_ref()?)))
    }

    /// The bits of a state that are in some fields.
    pub fn mask_of(&self, fields: impl IntoIterator<Item = Field>) -> Vec<Word> {
        let mut mask = vec![0; self.width()];
        fields.into_iter().for_each(|field| mask[field.word as usize] |= field.mask() << field.shift);
        mask
    }
}

fn check_size(program: &Program, ranges: &[Range]) -> Result<(), Unsupported> {
    let variables = program.variables.iter().zip(ranges).map(|(variable, range)| {
        let elements = u64::from(variable.array.unwrap_or(1));
        elements.saturating_mul(u64::from(bits_for(range.count)))
    });
    let channels = program.channels.iter().map(|channel| {
        let message: u64 = channel.fields.iter().map(|ty| u64::from(ty.bits)).sum();
        u64::from(channel.capacity).saturating_mul(message)
    });
    let bits = variables.chain(channels).fold(0, u64::saturating_add);
    if bits > STATE_BITS_MAX {
        return Err(Unsupported { what: format!("states of {} MB", bits / 8_000_000) });
    }
    Ok(())
}

impl Model for GclModel {
    type Worker<'m> = GclWorker<'m>;

    fn width(&self) -> usize {
        self.layout().width
    }

    fn worker(&self) -> GclWorker<'_> {
        GclWorker { model: self, compound: self.is_composed().then(|| Box::new(Compound::new(self.width()))) }
    }
}

/// Generates states of a program. Where steps are single, all scratch space is in the buffer that it fills.
pub struct GclWorker<'m> {
    model: &'m GclModel,
    compound: Option<Box<Compound>>,
}

impl<'m> GclWorker<'m> {
    pub fn model(&self) -> &'m GclModel {
        self.model
    }

    /// The action that a step begins with, as the interplay numbers them: of the state whose steps were computed last,
    /// by its number and its label.
    pub fn begun_by(&self, state: &[Word], step: usize, label: Action) -> u32 {
        let action = match &self.compound {
            Some(compound) if self.model.program().has_compound_steps => compound.begun_by(step),
            _ => label.front_end(),
        };
        self.model.interplay_tables().map_or(action, |tables| tables.version(action, state))
    }
}

impl Worker for GclWorker<'_> {
    fn initial(&mut self, out: &mut Successors) {
        out.clear();
        out.push(Action(0), &self.model.interpreter.initial_state());
    }

    fn successors(&mut self, state: &[Word], out: &mut Successors) {
        match &mut self.compound {
            None => {
                self.model.single_steps(state, out);
            }
            Some(compound) => compound.successors(self.model, state, out),
        }
        if let (Some(error_state), false) = (&self.model.error_state, out.faults().is_empty()) {
            out.go_beyond_faults(error_state);
        }
    }
}

impl Propositions for GclModel {
    fn proposition_count(&self) -> usize {
        self.program().propositions.len()
    }

    fn proposition_name(&self, proposition: usize) -> &str {
        &self.program().propositions[proposition].text
    }

    fn holds(worker: &mut GclWorker<'_>, proposition: usize, state: &[Word]) -> Result<bool, Fault> {
        let model = worker.model;
        let Proposition { text, condition } = &model.program().propositions[proposition];
        // What stands in a formula has no place in the model's source.
        let told = |fault: Fault| Fault { message: format!("`{text}`: {}", fault.message), location: None, ..fault };
        model.interpreter.evaluate(condition, state).map(|value| value != 0).map_err(told)
    }

    fn holding(&self, state: &[Word]) -> Option<u64> {
        self.holding_at_once(state)
    }
}

/// States hold no names of parts.
impl Transfer for GclModel {}
impl Restore for GclModel {}

/// Sections are named as people see them: processes with their local variables, variables,
/// channels, and `atomic`, the process that holds the system.
impl Sections for GclModel {
    fn section(&self, name: &str) -> Option<Vec<Word>> {
        let (program, layout) = (self.program(), self.layout());
        let mut fields = Vec::new();
        let mut is_known = false;
        for number in (0..program.processes.len()).filter(|&number| program.processes[number].name == name) {
            is_known = true;
            fields.push(layout.locations[number]);
            let is_local = |id: &VariableId| program.variable(*id).owner == Some(ProcessId(number as u32));
            fields.extend(self.variable_ids().filter(is_local).flat_map(|id| self.variable_fields(id)));
        }
        for id in self.variable_ids().filter(|id| program.variable_name(*id) == name) {
            is_known = true;
            fields.extend(self.variable_fields(id));
        }
        for (_, buffer) in self.buffers().filter(|(channel, _)| *channel == name) {
            is_known = true;
            fields.push(buffer.length);
            fields.extend(buffer.slots.iter().flat_map(|slots| (0..slots.len).map(|index| slots.element(index))));
        }
        if let (Some(holder), HOLDER) = (layout.holder, name) {
            is_known = true;
            fields.push(holder);
        }
        is_known.then(|| self.mask_of(fields))
    }

    fn sections(&self) -> Vec<String> {
        let program = self.program();
        let mut names: Vec<String> = program.processes.iter().map(|process| process.name.clone()).collect();
        names.extend(self.variable_ids().map(|id| program.variable_name(id)));
        names.extend(self.buffers().map(|(channel, _)| channel.to_owned()));
        names.extend(self.layout().holder.map(|_| HOLDER.to_owned()));
        let mut seen = BTreeSet::new();
        names.retain(|name| seen.insert(name.clone()));
        names
    }
}

/// Gives the first process the location that it is in after a fault.
fn add_error_location(program: &mut Program) {
    let Some(process) = program.processes.first_mut() else { return };
    program.error_location = Some(LocationId(process.locations.len() as u32));
    process.locations.push(Location {
        name: "(error)".to_owned(),
        committed: false,
        end: false,
        accepting: false,
        span: process.span,
    });
}

/// See [`Program::has_error_state`].
fn error_state(program: &Program, layout: &Layout, location: LocationId) -> Vec<Word> {
    let mut state = vec![0; layout.width];
    for (id, variable) in program.variables.iter().enumerate() {
        for index in 0..variable.array.unwrap_or(1) {
            layout.element(VariableId(id as u32), index).set(&mut state, 0);
        }
    }
    layout.locations[0].set(&mut state, location.0 as i32);
    state
}
