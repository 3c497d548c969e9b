//! How a program begins: the stack a system would give it, and its run from the entry point to `main`.

use crate::layout::{BREAK, Region, STACK_BYTES};
use crate::machine::{Machine, width};
use crate::run_end::RunEnd;
use crate::thread::{Status, Thread};
use dampf_rv::machine::{self, Exit, Hart};
use dampf_rv::memory::Tree;

/// Instructions that the C library may take to reach `main`; constructors of the program run there, too.
const BUDGET: u64 = 1 << 32;

mod auxiliary {
    pub const PROGRAM_HEADERS: u64 = 3;
    pub const HEADER_SIZE: u64 = 4;
    pub const HEADER_COUNT: u64 = 5;
    pub const PAGE_SIZE: u64 = 6;
    pub const ENTRY: u64 = 9;
    pub const SECURE: u64 = 23;
    pub const RANDOM: u64 = 25;
}

/// Brings the machine to the first instruction of `main`.
pub fn start(machine: &mut Machine<'_>) -> Result<(), RunEnd> {
    machine.load(&vec![0; width(machine.slots())]);
    lay_out_globals(machine);
    machine.process.change().brk_end = BREAK;
    machine.open_stdin();
    machine.threads[0] = Thread { status: Status::Running, stack_bytes: STACK_BYTES as u32, ..Thread::default() };
    machine.threads.running = 0;
    machine.step.alone = true;
    machine.step.before_main = true;
    machine.step.others = false;
    let program = &machine.system.program;
    let entry = program.image.entry;
    let mut hart = Box::new(Hart::new(entry));
    hart.x[2] = initial_stack(machine);
    let result = run_to_main(machine, &mut hart);
    machine.make_exit_buffer(hart.x[4], 0);
    machine.threads[0].sp = hart.x[2];
    machine.threads[0].pc = hart.pc;
    machine.threads.touch(0);
    machine.threads.put_hart(0, hart);
    result
}

fn lay_out_globals(machine: &mut Machine<'_>) {
    let system = machine.system;
    let globals = system.program.globals.clone();
    let mut changes = Vec::new();
    for (index, address) in globals.step_by(64).enumerate() {
        if let Some((line, _)) = system.program.line(address) {
            changes.push((index as u32, system.lines.intern(line)));
        }
    }
    machine.memory.space.replace_tree(Region::Globals, Tree::EMPTY.with(&system.lines, &changes));
}

/// Writes arguments, environment and the auxiliary vector; returns the stack pointer.
fn initial_stack(machine: &mut Machine<'_>) -> u64 {
    let program = machine.system.program.clone();
    let mut top = Region::Stack(0).base(0) - 64;
    let mut written = |texts: &[String]| -> Vec<u64> {
        let place = |text: &String| {
            top -= text.len() as u64 + 1;
            machine.memory.poke(top, text.as_bytes());
            machine.memory.poke(top + text.len() as u64, &[0]);
            top
        };
        texts.iter().map(place).collect()
    };
    let arguments = written(&program.surroundings.arguments);
    let environment = written(&program.surroundings.environment);
    top &= !15;
    top -= 16;
    let random = top;
    let image = &program.image;
    let vector = [
        (auxiliary::PROGRAM_HEADERS, image.program_headers),
        (auxiliary::HEADER_SIZE, 56),
        (auxiliary::HEADER_COUNT, image.program_header_count),
        (auxiliary::PAGE_SIZE, 4096),
        (auxiliary::ENTRY, image.entry),
        (auxiliary::SECURE, 0),
        (auxiliary::RANDOM, random),
        (0, 0),
    ];
    let mut words = vec![arguments.len() as u64];
    for strings in [arguments, environment] {
        words.extend(strings);
        words.push(0);
    }
    words.extend(vector.iter().flat_map(|&(kind, value)| [kind, value]));
    let sp = (top - 8 * words.len() as u64) & !15;
    for (number, &word) in words.iter().enumerate() {
        machine.memory.poke_long(sp + 8 * number as u64, word);
    }
    sp
}

fn run_to_main(machine: &mut Machine<'_>, hart: &mut Hart) -> Result<(), RunEnd> {
    let program = machine.system.program.clone();
    let mut budget = BUDGET;
    loop {
        if hart.pc == program.main {
            return Ok(());
        }
        machine.go_until_main(hart, &mut budget)?;
        if machine.process.ended.is_some() || budget == 0 {
            return Err(RunEnd::from(program.unsupported("a program that does not reach `main`", hart.pc)));
        }
    }
}

impl Machine<'_> {
    /// Runs one stretch of the program's start.
    fn go_until_main(&mut self, hart: &mut Hart, budget: &mut u64) -> Result<(), RunEnd> {
        let system = self.system;
        match machine::run(hart, &system.program.code, self, budget) {
            Exit::Hook if hart.pc == system.program.main => Ok(()),
            exit => self.settle_exit(hart, exit),
        }
    }
}
