//! Properties that hold for any input. The tests run them on fixed seeds. The targets in `fuzz/` include this
//! folder and run them on the inputs of the fuzzer.

// The fuzzer and the tests use different parts of it.
#![allow(dead_code, unreachable_pub)]

pub mod chance;
pub mod sessions;
pub mod texts;
