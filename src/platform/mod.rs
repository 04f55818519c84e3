//! The interface to the operating system and the processor: memory, threads and locks, instructions, files;
//! and text for people. Uses no other module.

pub mod allocator;
pub mod cpu;
pub(crate) mod error;
pub(crate) mod files;
pub(crate) mod memory;
pub(crate) mod parallel;
#[cfg(feature = "cli")]
pub mod pipe;
pub(crate) mod sync;
pub(crate) mod text;
