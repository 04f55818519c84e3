//! Properties that hold for any input. The tests check them on fixed seeds. The targets in `fuzz/` include
//! this folder and check them on the inputs of the fuzzer, so it uses only the library and no other test
//! file.

// The fuzzer and the tests use different parts of it.
#![allow(dead_code, unreachable_pub)]

pub mod chance;
pub mod sessions;
pub mod texts;
