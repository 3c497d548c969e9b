//! A 64-bit RISC-V machine (RV64IMAFDC, Zicsr, Zifencei) for programs that are to be checked.
//!
//! Instructions are decoded once ([`decode`]), run by [`machine`] against a [`machine::Bus`] that decides what a memory
//! access means, and explained by [`image`] (the ELF file) and [`debug`] (its DWARF information). [`memory`] keeps the
//! memory of many states at once, as persistent trees of interned lines. Nothing here knows of threads or checking.

pub mod debug;
pub mod decode;
mod float;
pub mod image;
pub mod machine;
pub mod memory;
