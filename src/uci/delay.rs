//! The delay of a search that waits for a file, where it is fetched.

use crate::engine::Engine;
use crate::platform::clock::Instant;
use crate::search::Limits;
use std::time::Duration;

/// The delay of a search.
pub(super) struct Delay {
    limits: Limits,
    begin: Instant,
    end: Instant,
}

impl Delay {
    /// Returns the delay of a search with these limits.
    pub(super) fn new(limits: Limits, end: Instant) -> Self {
        Self { limits, begin: Instant::now(), end }
    }

    /// Returns the time to wait; `None` if the file has arrived or will not come in time.
    pub(super) fn rest(&self, engine: &Engine) -> Option<Duration> {
        let rest = self.end.saturating_duration_since(Instant::now());
        (engine.wanted_file().is_some() && !rest.is_zero()).then_some(rest)
    }

    /// Lets the search begin without the file.
    pub(super) fn give_up(&mut self) {
        self.end = Instant::now();
    }

    /// Ends the delay. Returns the limits of the search, which begins now: the clock has run, except in a
    /// `ponder`.
    pub(super) fn into_limits(mut self) -> Limits {
        self.limits.began = None;
        if let Some(time) = &mut self.limits.time
            && !self.limits.ponder
        {
            *time = time.saturating_sub(self.begin.elapsed());
        }
        self.limits
    }
}
