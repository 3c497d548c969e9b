//! Guarded commands: what model languages are lowered to.

pub mod ir;
pub mod layout;
pub mod ranges;
