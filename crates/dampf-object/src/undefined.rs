//! What the program or its compiler says is wrong: `abort`, and the compiler's checks for undefined behaviour.

use crate::machine::Machine;
use crate::run_end::RunEnd;
use dampf_core::FaultKind;
use dampf_rv::machine::Hart;

impl Machine<'_> {
    /// The program aborts. What it wrote before says why, if it is an exception that nobody catches.
    pub fn aborted(&self) -> RunEnd {
        let output = String::from_utf8_lossy(&self.step.output);
        let Some(at) = output.rfind("terminate called") else {
            let last = output.lines().last().unwrap_or("").trim();
            let message = match last {
                "" => "the program calls abort".to_owned(),
                last => format!("the program calls abort after writing \"{last}\""),
            };
            return RunEnd::fault(FaultKind::Abort, message);
        };
        let mut lines = output[at..].lines().map(str::trim);
        let first = lines.next().unwrap_or("").trim_start_matches("terminate called ").to_owned();
        let what = lines.find_map(|line| line.strip_prefix("what():")).map(|what| format!(": {}", what.trim()));
        let message = match first.strip_prefix("after throwing an instance of ") {
            Some(kind) => {
                format!("nobody catches an exception of type {}{}", kind.replace('\'', "`"), what.unwrap_or_default())
            }
            None => {
                let before = output[..at].lines().last().unwrap_or("").trim();
                let why = if before.is_empty() { first } else { format!("{first}, after \"{before}\"") };
                return RunEnd::fault(FaultKind::Abort, format!("std::terminate is called {why}"));
            }
        };
        RunEnd::fault(FaultKind::UncaughtException, message)
    }

    /// A check of the compiler has failed; the handler's name says which.
    pub fn undefined_behaviour(&self, hart: &Hart) -> RunEnd {
        let name = self.system.program.function_at(hart.pc);
        let check = name.trim_start_matches("__ubsan_handle_").trim_end_matches("_abort").replace('_', " ");
        let check = match check.trim_end_matches(" v1") {
            "add overflow" => "signed addition overflows",
            "sub overflow" => "signed subtraction overflows",
            "mul overflow" => "signed multiplication overflows",
            "negate overflow" => "signed negation overflows",
            "divrem overflow" => "division by zero, or of the least number by -1",
            "shift out of bounds" => "shift by more bits than there are, or by a negative number",
            "out of bounds" => "array index out of bounds",
            "type mismatch" => "null or misaligned pointer, or too small an object",
            "pointer overflow" => "pointer arithmetic overflows",
            "load invalid value" => "a value that its type does not have",
            "builtin unreachable" => "code that must not be reached",
            "missing return" => "a function that must return a value does not",
            "vla bound not positive" => "an array of no or negative length",
            "float cast overflow" => "a floating-point value that does not fit the integer type",
            "nonnull arg" | "nonnull return" => "a null pointer where none is allowed",
            other => return RunEnd::fault(FaultKind::UndefinedBehaviour, format!("undefined behaviour: {other}")),
        };
        RunEnd::fault(FaultKind::UndefinedBehaviour, format!("undefined behaviour: {check}"))
    }
}
