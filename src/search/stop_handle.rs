//! A handle by which any thread ends a search.

use super::shared::Shared;
use crate::platform::clock::Instant;
use crate::platform::sync::{Arc, Mutex};

/// Ends the searches of an engine from any thread. Its clones do the same.
///
/// [`Engine::stop_handle`](crate::Engine::stop_handle) returns it.
#[derive(Clone)]
pub struct StopHandle {
    /// The state of the search that runs, or of the latest one.
    latest: Arc<Mutex<Arc<Shared>>>,
}

impl StopHandle {
    /// Returns a handle that has no search yet.
    pub(super) fn new() -> Self {
        Self { latest: Arc::new(Mutex::new(Arc::new(Shared::new(0, Instant::now(), false)))) }
    }

    /// Sets the search that begins now.
    pub(super) fn set(&self, search: &Arc<Shared>) {
        *self.latest.lock() = Arc::clone(search);
    }

    /// Returns the state of the search that runs, or of the latest one.
    pub(super) fn latest(&self) -> Arc<Shared> {
        Arc::clone(&self.latest.lock())
    }

    /// Ends the search that runs as soon as possible. Does nothing without one, also to the next one.
    pub fn stop(&self) {
        self.latest().stop();
    }
}
