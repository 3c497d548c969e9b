//! Front ends: texts in, transition systems out.
//!
//! Each language is one module with one function from a source to a [`System`](crate::System). What a front end cannot
//! express is refused by name and place, never approximated: a system that differs from its text proves nothing.

pub mod horn;
pub mod show;
pub mod smtlib;
