//! Random numbers that differ from run to run.

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
