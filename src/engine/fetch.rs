//! The built-in certificate where it has to be fetched: whether it is wanted, and how long searches wait for
//! it.

use crate::certificate::{CertificateError, provide};
use crate::platform::clock::Instant;
use crate::search::Limits;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

/// The longest wait in a game. The file has 7 MB, so this is enough for 3 Mbit/s.
const PATIENCE: Duration = Duration::from_secs(20);
/// A search waits for at most this part of the time on its clock.
const PART_OF_CLOCK: u32 = 4;

/// The state of the fetch.
#[derive(Default)]
pub(super) struct CertificateFetch {
    /// True from a search that lacks the certificate until it arrives or cannot be fetched.
    pub is_wanted: bool,
    /// The end of all waits in this game, once there was one.
    deadline: Option<Instant>,
    /// The error of the latest attempt. In this game no search waits for another one.
    error: Option<CertificateError>,
}

impl CertificateFetch {
    /// Begins a game: its first search may wait.
    pub(super) fn new_game(&mut self) {
        (self.deadline, self.error) = (None, None);
    }

    /// Asks for the certificate. Returns the end of the wait of a search with these limits, if it waits.
    pub(super) fn want(&mut self, limits: &Limits) -> Option<Instant> {
        self.is_wanted = true;
        if self.error.is_some() {
            return None;
        }
        let now = Instant::now();
        let deadline = *self.deadline.get_or_insert(now + PATIENCE);
        // While it ponders, the clock of the opponent runs.
        let clock = limits.time.filter(|_| !limits.ponder).map(|time| now + time / PART_OF_CLOCK);
        let end = clock.map_or(deadline, |clock| clock.min(deadline));
        (end > now).then_some(end)
    }

    /// Takes the bytes of the certificate.
    pub(super) fn provide(&mut self, bytes: &[u8]) {
        self.is_wanted = false;
        self.error = provide(bytes).err();
    }

    /// Notes that the certificate cannot be fetched.
    pub(super) fn fail(&mut self, reason: &str) {
        self.is_wanted = false;
        self.error = Some(absence(io::Error::other(reason)));
    }

    /// Returns the reason why there is no certificate.
    pub(super) fn reason(&self) -> CertificateError {
        let late = || absence(io::Error::new(io::ErrorKind::TimedOut, "it has not arrived yet"));
        self.error.clone().unwrap_or_else(late)
    }
}

fn absence(cause: io::Error) -> CertificateError {
    CertificateError::Io { path: PathBuf::from("the built-in certificate"), cause: cause.into() }
}
