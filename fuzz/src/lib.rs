//! The properties that the targets call. The tests of the engine check them on fixed seeds. Uses the library
//! `millstone` and `tests/fuzzed`.

#[path = "../../tests/fuzzed/mod.rs"]
mod fuzzed;

pub use fuzzed::{sessions, texts};
