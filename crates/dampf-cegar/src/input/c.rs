//! A subset of C: sequential programs over integers.
//!
//! A program is safe if no run fails an assertion (`assert`, `__VERIFIER_assert`) or arrives at `reach_error()`,
//! `__VERIFIER_error()`. Inputs are `__VERIFIER_nondet_int()` and its siblings. Functions are inlined; recursion,
//! arrays, pointers, structures, floating point and bitwise operators on variables are refused by name and place.
//!
//! Signed integers are those of mathematics: a proof assumes that signed arithmetic does not overflow, which C leaves
//! undefined anyway, and says so. Unsigned arithmetic wraps around, exactly. `int` has 32 bits and `long` 64.
//!
//! A text goes through `lexer` (with a little preprocessor), `parser`, `lower` with `expression` and `calls`, and
//! `graph`.

mod ast;
mod calls;
mod expression;
mod graph;
mod lexer;
mod lower;
mod parser;
mod types;

use super::Input;
use dampf_core::problem::{Checked, Problem, diagnose};
use dampf_core::{Diagnostic, Source, Span};
use lower::Lowering;
use std::sync::Arc;

/// Statements and expressions are lowered recursively.
const STACK_BYTES: usize = 256 << 20;

/// Reads a program, or says what is wrong or not supported with it.
pub fn parse(source: &Arc<Source>) -> Result<Input, Vec<Diagnostic>> {
    if source.text.len() >= u32::MAX as usize {
        let problem = Problem::new(Span::new(0, 0), "the text is 4 GiB long or longer", "begins here");
        return Err(diagnose(source, vec![*problem]));
    }
    let result = std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, || read(&source.text));
        thread.expect("a thread can be started").join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    });
    result.map_err(|problem| diagnose(source, vec![*problem]))
}

fn read(text: &str) -> Checked<Input> {
    let tokens = lexer::tokenize(text)?;
    let program = parser::parse(&tokens)?;
    let mut lowering = Lowering::new(text, &program)?;
    lowering.program(&program)?;
    let mut assumptions = vec!["arithmetic of signed integers does not overflow".to_owned()];
    if !lowering.has_assertion {
        assumptions.push("nothing can fail: the program has no assertion".to_owned());
    }
    let systems = lowering.graph.systems();
    let systems = systems.map_err(|overflow| Problem::new(Span::new(0, 0), overflow.to_string(), "in this program"))?;
    Ok(Input { system: systems.system, within_ranges: Some(systems.within_ranges), assumptions })
}
