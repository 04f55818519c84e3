//! The clock: that of the system, or that of the browser.

#[cfg(not(target_arch = "wasm32"))]
pub(crate) use std::time::Instant;
#[cfg(target_arch = "wasm32")]
pub(crate) use web_time::Instant;

use std::time::Duration;

/// Returns the rate per second of `count` events in `time`.
pub(crate) fn per_second(count: u64, time: Duration) -> u64 {
    (u128::from(count) * 1_000_000 / time.as_micros().max(1)) as u64
}
