//! Promela, the language of SPIN, lowered to guarded commands.

pub mod ast;
