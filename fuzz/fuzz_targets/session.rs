#![no_main]
//! Any bytes as a session.

use libfuzzer_sys::fuzz_target;
use millstone_fuzz::sessions;

fuzz_target!(|data: &[u8]| sessions::bytes(data));
