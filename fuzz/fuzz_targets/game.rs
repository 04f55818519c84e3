#![no_main]
//! Games of legal moves mixed with nonsense, in every dialect and under all rules.

use libfuzzer_sys::fuzz_target;
use millstone_fuzz::sessions::{self, Game};

fuzz_target!(|game: Game| sessions::game(&game));
