//! The interface to the operating system and the processor: memory, threads and locks, instructions, files,
//! standard streams, the clock, random numbers; and what all modules may need besides: packing, sorting,
//! parallel loops, the mixing of bits, and text for people. Uses no other module.
//!
//! In a browser there are no files, no threads and no C; `target_arch = "wasm32"` stands for that here.

#[cfg_attr(target_arch = "wasm32", path = "no_allocator.rs")]
pub mod allocator;
pub(crate) mod clock;
pub mod cpu;
pub(crate) mod error;
#[cfg_attr(target_arch = "wasm32", path = "no_files.rs")]
pub(crate) mod files;
pub(crate) mod memory;
pub(crate) mod mixing;
pub(crate) mod packing;
pub(crate) mod parallel;
#[cfg(feature = "cli")]
pub mod pipe;
pub(crate) mod random;
pub(crate) mod sorting;
pub(crate) mod sync;
pub(crate) mod text;
pub(crate) mod threads;
