//! Guarded commands: what model languages are lowered to.

mod compound;
pub mod dependencies;
mod describe;
mod estimates;
mod expression_text;
pub mod faults;
pub mod footprints;
pub mod interplay;
pub mod interpreter;
pub mod ir;
pub mod layout;
pub mod model;
pub mod native;
mod observations;
pub mod patterns;
mod property;
pub mod ranges;
mod rates;
pub mod symmetry;

pub use estimates::Estimate;
pub use expression_text::{expression_text, place_text};
pub use interpreter::Interpreter;
pub use model::{Backend, GclModel};
pub use native::Native;
