//! The interface to the operating system and the processor: memory, threads and locks, instructions, files.
//! Uses no other module.

pub mod cpu;
pub mod files;
pub mod memory;
pub(crate) mod parallel;
pub mod sync;
pub(crate) mod text;
