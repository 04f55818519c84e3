#![no_main]
//! Texts of moves, one after the other.

use libfuzzer_sys::fuzz_target;
use millstone_fuzz::texts;

fuzz_target!(|data: &[u8]| texts::move_text(data));
