#![no_main]
//! Lines that set options.

use libfuzzer_sys::fuzz_target;
use millstone_fuzz::texts;

fuzz_target!(|data: &[u8]| texts::option_lines(data));
