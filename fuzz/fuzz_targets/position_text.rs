#![no_main]
//! Position texts under any rules.

use libfuzzer_sys::fuzz_target;
use millstone_fuzz::texts;

fuzz_target!(|data: &[u8]| texts::position_text(data));
