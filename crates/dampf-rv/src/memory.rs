//! The memory of many program states at once.
//!
//! Memory is cut into lines of 64 bytes. Every distinct line is kept once ([`LineTable`]) and named by a 32-bit id; a
//! region of memory is a tree whose nodes are lines of ids ([`Tree`]), so a state names a whole region by its root, and
//! a successor that wrote one word adds one line and the few nodes above it. Line and root 0 are all zeros: memory that
//! was never touched costs nothing.

mod lines;
mod tree;

pub use lines::{LINE_BYTES, Line, LineTable, SHARDS as LINE_SHARDS, ZERO_LINE};
pub use tree::Tree;
