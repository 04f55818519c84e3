//! What the targets call: the properties that the tests of the engine check on fixed seeds.

#[path = "../../tests/fuzzed/mod.rs"]
mod fuzzed;

pub use fuzzed::{sessions, texts};
