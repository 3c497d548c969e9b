//! Guarded commands: what model languages are lowered to.

mod compound;
pub mod dependencies;
mod describe;
mod expression_text;
pub mod faults;
pub mod interpreter;
pub mod ir;
pub mod layout;
pub mod model;
pub mod native;
pub mod ranges;

pub use expression_text::{expression_text, place_text};
pub use interpreter::Interpreter;
pub use model::{Backend, GclModel};
pub use native::Native;
