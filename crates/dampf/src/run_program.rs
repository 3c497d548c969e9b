//! `dampf simulate --quiet`: a program runs as it would run anywhere, on the machine.

use crate::failure::Failure;
use crate::options::SimulateOptions;
use crate::program::ProgramInput;
use crate::terminal::complain;
use dampf_object::Ending;
use std::io::Write;

/// Runs a program once and passes on what it prints; returns its exit status, or 1 and the reason for a fault.
pub fn run(input: &ProgramInput, options: &SimulateOptions) -> Result<u8, Failure> {
    let mut out = std::io::stdout().lock();
    // The reader may have gone, which is no reason to stop the program.
    let mut print = |text: &[u8]| {
        let _ = out.write_all(text);
    };
    let model = input.model();
    match model.run_once(options.seed.unwrap_or(0), &mut print)? {
        Ending::Exited(status) => Ok(status),
        Ending::Fault(fault) => {
            complain(&format!("{fault}\n"));
            Ok(1)
        }
        Ending::Deadlock => {
            complain("deadlock: no thread can go on\n");
            Ok(1)
        }
    }
}
