//! The `millstone` program.

use std::process::ExitCode;

fn main() -> ExitCode {
    millstone::cpu::check();
    run()
}

/// Everything else stands in a function of its own, so that none of its instructions come before the check.
#[inline(never)]
fn run() -> ExitCode {
    millstone::cli::main(std::env::args_os())
}
