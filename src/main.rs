//! The `millstone` program: chooses the allocator, checks the processor and notes closed streams before
//! `main`, and calls `cli` in `main`. Uses only `platform` and `cli`.

use millstone::internals::{allocator, cpu, pipe};
use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: allocator::WithReserve = allocator::WithReserve;

/// Calls [`before_main`]: the start-up code of the Rust runtime may already use instructions that the
/// processor lacks, and hides that a stream is closed.
// SAFETY: the sections hold pointers to functions without arguments that the system calls once before `main`,
// in the order of linking; this one depends on nothing that is initialised later.
#[allow(unsafe_code)]
#[used]
#[cfg_attr(target_vendor = "apple", unsafe(link_section = "__DATA,__mod_init_func"))]
#[cfg_attr(windows, unsafe(link_section = ".CRT$XCU"))]
#[cfg_attr(not(any(windows, target_vendor = "apple")), unsafe(link_section = ".init_array"))]
static AT_START: extern "C" fn() = before_main;

/// Checks the processor, and notes which standard streams are closed.
extern "C" fn before_main() {
    cpu::check();
    pipe::note_closed();
}

fn main() -> ExitCode {
    allocator::hold_reserve();
    millstone::internals::main(std::env::args_os())
}
