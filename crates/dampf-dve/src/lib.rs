//! The DVE language, as the BEEM database uses it, lowered to guarded commands.
//!
//! DVE is the input language of DiVinE: processes with states and guarded transitions, `byte` and `int`
//! variables, rendezvous and buffered channels, committed states, assertions at states, and a property
//! process that watches the system as a Büchi automaton. `system async` models are supported; synchronous
//! systems, probabilistic transitions and acceptance other than Büchi are refused by name.
//!
//! A text goes through three stages, each of which can be read on its own: `lexer`, `parser`, `lower`.
//!
//! ```
//! use dampf_core::Source;
//!
//! let text = "byte x; process P { state a; init a; trans a -> a { guard x < 3; effect x = x + 1; }; } system async;";
//! let program = dampf_dve::parse(Source::new("count.dve", text)).unwrap();
//! assert_eq!(program.processes[0].transitions.len(), 1);
//! assert!(dampf_dve::parse_expression(&program, "x <= 3 and P.a").is_ok());
//!
//! let errors = dampf_dve::parse(Source::new("wrong.dve", text.replace("x < 3", "y < 3"))).unwrap_err();
//! assert_eq!(errors[0].to_string(), "wrong.dve:1:59: unknown name `y`");
//! ```
//!
//! What the reader might not expect:
//!
//! - `and` and `or` have one precedence and group from the left; so have `&`, `|` and `^`.
//! - Arithmetic is on 32 bits. Storing into a `byte` or an `int` (16 bits) keeps the low bits; DiVinE's first
//!   versions took a value that does not fit for an error.
//! - The name of an array without an index is its first element.
//! - An initial value may use variables that are declared before; it takes their initial values.

mod ast;
mod lexer;
mod lower;
mod names;
mod parser;

use dampf_core::{Diagnostic, Source, Span, problem};
use dampf_gcl::ir::{Expr, Program};
use names::Names;
use problem::{Problem, diagnose};
use std::sync::Arc;

/// Longer texts have places that a [`Span`] cannot name.
const TEXT_BYTES_MAX: usize = u32::MAX as usize;

/// Reads a model, or says everything that is wrong with it, in the order of the text.
pub fn parse(source: Arc<Source>) -> Result<Program, Vec<Diagnostic>> {
    if source.text.len() >= TEXT_BYTES_MAX {
        let problem = Problem::new(Span::new(0, 0), "the text is 4 GiB long or longer", "begins here");
        return Err(diagnose(&source, vec![*problem]));
    }
    let program = parser::parse_model(&source.text).and_then(|model| lower::lower(&source, &model));
    program.map_err(|problems| diagnose(&source, problems))
}

/// Reads an expression over the names of a model, as invariants and goals are given: globals `x` and
/// `a[i]`, locals `P.x`, `P->x` and `P->a[i]`, locations `P.state`, constants; with the operators of DVE.
pub fn parse_expression(program: &Program, text: &str) -> Result<Expr, Diagnostic> {
    let source = Source::new("expression", text);
    let mut names = Names::of_program(program);
    // Constants were folded away; the model's text still has them.
    if let Ok(model) = parser::parse_model(&program.source.text) {
        lower::constants(&model, &mut names);
    }
    let expr = if text.len() < TEXT_BYTES_MAX {
        parser::parse_single_expression(text)
    } else {
        Err(Problem::new(Span::new(0, 0), "the expression is 4 GiB long or longer", "begins here"))
    };
    let lowered = expr.and_then(|expr| lower::ExpressionLowering::outside(&names).expression(&expr));
    lowered.map_err(|problem| diagnose(&source, vec![*problem]).remove(0))
}
