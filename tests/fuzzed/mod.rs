//! What must hold for any input. The tests run these properties on fixed seeds; the targets in `fuzz/` include this
//! folder and run them on what the fuzzer makes up.

// The fuzzer and the tests use their own parts of it each.
#![allow(dead_code, unreachable_pub)]

pub mod chance;
pub mod sessions;
pub mod texts;
