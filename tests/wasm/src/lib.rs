//! The attribute `test` on the target wasm32-unknown-unknown, where the tests run in Node.
//!
//! `#[macro_use] extern crate` puts it before the one of the standard library in all modules, so that every
//! `#[test]` of the crate is one of `wasm-bindgen-test`. That macro has another name, and `macro_use` cannot
//! rename it; this is the only purpose of this crate.

#[cfg(target_arch = "wasm32")]
pub use wasm_bindgen_test::wasm_bindgen_test as test;
