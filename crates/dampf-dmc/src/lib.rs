//! The DMC model language and its Büchi files, lowered to guarded commands.
//!
//! DMC is the language of the distributed model checker in the 2009 thesis on reducing communication in distributed
//! model checking (§4.3): processes as automata over `int` variables, arrays and queues.
//!
//! ```text
//! model IncDec:
//!   var x : int;
//!
//!   process P:
//!     state A:
//!       trans guard (x = 0) x = x + 1; goto A
//!       trans guard (x = 1) x = x - 1; goto A
//!   end;
//!
//!   init: new P; end;
//! end.
//! ```
//!
//! # What the thesis gives
//! - the grammar of its §4.3.1: `model`, `var`, `process`, `state`, `trans`, `guard`, `goto`, `init`, `new`, `int`,
//!   `array[n] of …`, `queue[n] of int`, `send(q, e);`, `x = recv(q);`, and for automata `bstate`, `bstate*`,
//!   `btrans`;
//! - from its examples: several names that share a type, initial values in declarations (`var i = pid, j = (i + 1)
//!   % N : int;`), `pid`, `x++;`, `x--;`, and the operators `and or = != < <= > >= + - * div mod %`.
//!
//! A transition may have several guards, all of which must hold. A `send` or `recv` comes after the guards and
//! before the statements, and disables the transition while the queue is full, or empty. Processes begin in their
//! first state. Numbers have 32 bits. What is not initialised is 0; `pid` counts the instances of all processes
//! from 0, in the order of their `new`.
//!
//! # What the thesis leaves open, and this crate decides
//! - Operators bind, from loose to tight: `or`, `and`, `not`, `= == != <>`, `< <= > >=`, `+ -`, `* div mod / %`,
//!   signs. `and` and `or` evaluate their right operand only where it matters. `div` and `mod` truncate towards
//!   zero.
//! - Initialisation runs in the order of the text: global declarations, then the global `init`; each `new`
//!   evaluates the declarations of the instance and runs its `init`. A local name hides a global one.
//! - An index outside its array, and a division by zero, is a fault of the transition; if it is certain already in
//!   the text, a mistake in the text.
//! - A state of the system without successors is a deadlock, unless every process is in a `final` state (see
//!   below).
//!
//! # What this crate adds
//! - `#` and `//` begin comments that reach to the end of the line;
//! - `== <> ! && || /` beside `= != not and or div`, `true` and `false`, and an optional `;` after `goto s`;
//! - constants `const N = 5, M = N - 1;`, which give sizes and bounds, and can be set from outside
//!   ([`parse_with`]);
//! - `new P * N;` for several instances at once;
//! - an initial value for all elements of an array: `var t = -1 : array[N] of int;`
//! - `trans for k = 0 .. N - 1: guard …` for one transition for each `k`, `for k = 0 .. N - 1: … end;` around
//!   statements, and the expressions `all(k = 0 .. N - 1: e)`, `any(…)` and `sum(…)`; bounds are constant;
//! - `assert (e);` as a statement of a transition, `len(q)` for the number of messages in a queue;
//! - `final state s:` for a state in which a process may stay for ever.
//!
//! None of the added words is reserved.
//!
//! # Names from outside
//! Properties ([`parse_buchi`], [`parse_expression`]) can name constants, global variables, and with a dot the
//! local variables and the states of a process: `P.x`, `P.critical`. An instance is called `P` if it is the only
//! one of its process (`P[0]` is understood as well), otherwise `P[0]`, `P[1]`, …; a local variable hides a state
//! of the same name.

mod ast;
mod check;
mod elaborate;
mod expression;
mod fold;
mod lexer;
mod lower;
mod mistake;
mod overrides;
mod parser;
mod places;
mod property;
mod symbols;
mod transitions;

use dampf_core::{Diagnostic, Source};
use dampf_gcl::ir::Program;
use std::sync::Arc;

pub use property::{parse_buchi, parse_expression};

/// A model, as it is written.
pub fn parse(source: Arc<Source>) -> Result<Program, Vec<Diagnostic>> {
    parse_with(source, &[])
}

/// A model with other values for some of its constants, as if its text said so: the source of the program, and of
/// diagnostics, is the text with the new values in place. Of two values for one constant, the later counts.
pub fn parse_with(source: Arc<Source>, overrides: &[(String, i64)]) -> Result<Program, Vec<Diagnostic>> {
    let source = overrides::apply(source, overrides)?;
    let elaborated = parser::parse_model(&source).and_then(|model| elaborate::elaborate(&model, source.clone()));
    match elaborated {
        Ok(elaborated) => Ok(elaborated.program),
        Err(mistakes) => Err(mistake::locate_all(mistakes, &source)),
    }
}
