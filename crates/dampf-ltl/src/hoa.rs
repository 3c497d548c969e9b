//! Automata in the Hanoi Omega-Automata format, version 1.
//!
//! Read are Büchi automata: with one set or several, of states or of transitions, with labels of any form. Several
//! sets, and sets of transitions, are brought to accepting locations; labels are split into conjunctions. What is
//! more than a Büchi condition (`Fin`, alternation) is refused.

mod lexer;
mod reader;
mod writer;

pub use reader::parse_hoa;
pub use writer::write_hoa;
