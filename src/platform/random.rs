//! Random numbers: those that differ from run to run, and a generator that repeats them from a seed.

use super::mixing::mix;

/// Returns a random number.
#[cfg(not(target_arch = "wasm32"))]
pub(crate) fn number() -> u64 {
    rand::random()
}

/// Returns a random number. Two of JavaScript's, which have 52 bits each, make one.
#[cfg(target_arch = "wasm32")]
pub(crate) fn number() -> u64 {
    let half = || (js_sys::Math::random() * 2f64.powi(32)) as u64;
    half() << 32 | half()
}

/// A small random number generator (Steele, Lea and Flood, "Fast splittable pseudorandom number generators",
/// 2014).
pub(crate) struct SplitMix64(pub u64);

impl SplitMix64 {
    /// Returns the next random number.
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.0)
    }
}
