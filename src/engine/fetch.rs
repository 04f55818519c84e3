//! Files that searches want and that have to be fetched in browsers: which ones, and how long searches wait.
//!
//! The standard game wants the certificate, other games want their network. No game wants both.

use super::Engine;
use crate::certificate::{self, Certificate};
use crate::evaluate::{missing_network, provide_network};
use crate::platform::clock::Instant;
use crate::platform::sync::Sender;
use crate::position::Position;
use crate::rules::Rules;
use crate::search::report::SearchNote;
use crate::search::{Limits, Report};
use std::time::Duration;
use std::{fmt, io};

/// The longest wait in a game. The largest file has 7 MB, so this is enough for 3 Mbit/s.
const PATIENCE: Duration = Duration::from_secs(20);
/// A search waits for at most this part of the time on its clock.
const PART_OF_CLOCK: u32 = 4;
/// The reason for which a file is missing until an attempt has ended.
pub(super) const LATE: &str = "it has not arrived yet";

/// A file to fetch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum WantedFile {
    /// The certificate of the standard game.
    Certificate,
    /// A network, by its name.
    Network(&'static str),
}

impl WantedFile {
    /// The beginning of the names of networks.
    const NETWORK: &'static str = "network-";

    /// Returns the name by which it is fetched.
    pub(crate) fn name(self) -> String {
        match self {
            Self::Certificate => "certificate".to_owned(),
            Self::Network(name) => format!("{}{name}", Self::NETWORK),
        }
    }
}

impl fmt::Display for WantedFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Certificate => "the certificate",
            Self::Network(_) => "the network of these rules",
        })
    }
}

/// The state of a fetch that fails with errors `E`.
pub(super) struct Fetch<E> {
    /// True from a search that lacks the file until it arrives or cannot be fetched.
    pub is_wanted: bool,
    /// The end of all waits in this game, once there was one.
    deadline: Option<Instant>,
    /// The error of the latest attempt. In this game no search waits for another one.
    pub error: Option<E>,
}

impl<E> Default for Fetch<E> {
    fn default() -> Self {
        Self { is_wanted: false, deadline: None, error: None }
    }
}

impl<E> Fetch<E> {
    /// Begins a game: its first search may wait.
    pub(super) fn new_game(&mut self) {
        (self.deadline, self.error) = (None, None);
    }

    /// Asks for the file. Returns the end of the wait of a search of `root` with these limits, if it waits.
    pub(super) fn want(&mut self, root: &Position, limits: &Limits) -> Option<Instant> {
        // A client need not say that a game begins.
        if root.men(root.side_to_move()).is_empty() {
            self.new_game();
        }
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

    /// Ends the attempt: the file has been taken, or there is an error.
    pub(super) fn end(&mut self, result: Result<(), E>) {
        self.is_wanted = false;
        self.error = result.err();
    }
}

/// The network of the rules where it has to be fetched.
#[derive(Default)]
pub(super) struct NetworkFetch {
    fetch: Fetch<String>,
    /// True if a network has arrived after the latest search.
    has_arrived: bool,
    /// The latest reason that was told. Each is told once, until it changes or a new game begins.
    told: Option<String>,
}

impl NetworkFetch {
    /// Begins a game: its first search may wait.
    pub(super) fn new_game(&mut self) {
        self.fetch.new_game();
        self.told = None;
    }

    /// Forgets the attempts for other rules.
    pub(super) fn new_rules(&mut self) {
        (self.fetch, self.told) = Default::default();
    }

    /// Returns the reason why the network of these rules is missing, if it is and this was not told before.
    fn untold(&mut self, rules: &Rules) -> Option<String> {
        let Fetch { deadline, error, .. } = &self.fetch;
        let late = || deadline.map(|_| LATE.to_owned());
        let reason = missing_network(rules).and_then(|_| error.clone().or_else(late));
        let told = std::mem::replace(&mut self.told, reason);
        self.told.clone().filter(|_| self.told != told)
    }
}

impl Engine {
    /// Asks for a file if a search would use it and it is not there.
    ///
    /// Returns the end of the wait for it, if the search waits.
    pub(crate) fn wait_for_file(
        &mut self,
        root: &Position,
        limits: &Limits,
        lines: usize,
    ) -> Option<Instant> {
        if missing_network(root.rules()).is_some() {
            return self.network_fetch.fetch.want(root, limits);
        }
        let settings = self.settings(lines);
        self.never_lose.wait(root, limits, &settings)
    }

    /// Begins a search with the networks that are there. A note says if that of the rules is not.
    pub(super) fn take_network(&mut self, root: &Position, reports: &Sender<Report>) {
        if std::mem::take(&mut self.network_fetch.has_arrived) {
            // Another network gave the values that are stored.
            self.clear();
        }
        if let Some(reason) = self.network_fetch.untold(root.rules()) {
            // A send fails if the receiver is gone; nothing is left to do then.
            let _ = reports.send(Report::Note(SearchNote::NoNetwork(reason)));
        }
    }

    /// Returns the file that is to be fetched for the rules in force.
    pub(crate) fn wanted_file(&self) -> Option<WantedFile> {
        let rules = &self.compiled.rules;
        match missing_network(rules) {
            Some(name) => self.network_fetch.fetch.is_wanted.then_some(WantedFile::Network(name)),
            None => {
                let wants = self.never_lose.fetch.is_wanted && Certificate::is_built_in_for(rules);
                wants.then_some(WantedFile::Certificate)
            }
        }
    }

    /// Takes the bytes of a file with this name, for the next search, or the reason why it cannot be fetched.
    pub(crate) fn provide_file(&mut self, name: &str, bytes: Result<Vec<u8>, String>) {
        let Some(network) = name.strip_prefix(WantedFile::NETWORK) else {
            let bytes = bytes.map_err(|reason| certificate::missing(io::Error::other(reason)));
            return self.never_lose.fetch.end(bytes.and_then(|bytes| certificate::provide(&bytes)));
        };
        let rules = &self.compiled.rules;
        let is_wanted = missing_network(rules) == Some(network);
        let result = bytes.and_then(|bytes| provide_network(network, bytes));
        self.network_fetch.has_arrived |= result.is_ok();
        // The rules may be others by now, and a network may need another one, to which it is packed.
        if is_wanted && (result.is_err() || missing_network(rules).is_none()) {
            self.network_fetch.fetch.end(result);
        }
    }

    /// Runs a slice of the search.
    pub(crate) fn advance(&mut self) -> crate::search::Step {
        self.pool.advance()
    }

    /// Opens the tablebase anew before the next search.
    pub(crate) fn reopen_tablebase(&mut self) {
        self.pending.add(super::OptionEffect::OpenTablebase);
    }
}
