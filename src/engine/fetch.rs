//! Files that searches want and that have to be fetched in browsers: which ones, and how long searches wait.
//!
//! The standard game wants the certificate, other games want their network. No game wants both.

use crate::evaluate::missing_network;
use crate::platform::clock::Instant;
use crate::platform::sync::Sender;
use crate::position::Position;
use crate::rules::Rules;
use crate::search::report::SearchNote;
use crate::search::{Limits, Report};
use std::fmt;
use std::time::Duration;

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
    pub(super) const NETWORK: &'static str = "network-";

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
    /// The men on the board in the latest search that wanted the file.
    men: u32,
}

impl<E> Default for Fetch<E> {
    fn default() -> Self {
        Self { is_wanted: false, deadline: None, error: None, men: 0 }
    }
}

impl<E> Fetch<E> {
    /// Begins a game: its first search may wait.
    pub(super) fn new_game(&mut self) {
        (self.deadline, self.error) = (None, None);
    }

    /// Returns true if a search begins a game, as a client need not say: the side to move has no man, and
    /// there are fewer men than in the search before.
    pub(super) fn begins_game(&mut self, root: &Position) -> bool {
        let men = [root.side_to_move(), !root.side_to_move()].map(|side| root.men(side).count());
        let before = std::mem::replace(&mut self.men, men[0] + men[1]);
        men[0] == 0 && self.men < before
    }

    /// Asks for the file. Returns the end of the wait of a search with these limits, if it waits.
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

    /// Ends the attempt: the file has been taken, or there is an error.
    pub(super) fn end(&mut self, result: Result<(), E>) {
        self.is_wanted = false;
        self.error = result.err();
    }
}

/// The network of the rules where it has to be fetched.
#[derive(Default)]
pub(super) struct NetworkFetch {
    pub fetch: Fetch<String>,
    /// True if a network has arrived after the latest search.
    pub has_arrived: bool,
    /// The latest reason that was told. Each is told once, until it changes or a new game begins.
    told: Option<String>,
}

impl NetworkFetch {
    /// Begins a game: its first search may wait.
    pub(super) fn new_game(&mut self) {
        self.fetch.new_game();
        self.told = None;
    }

    /// Asks for the network, as [`Fetch::want`] does, in a search of `root`.
    pub(super) fn want(&mut self, root: &Position, limits: &Limits) -> Option<Instant> {
        if self.fetch.begins_game(root) {
            self.new_game();
        }
        self.fetch.want(limits)
    }

    /// Forgets the attempts for other rules.
    pub(super) fn new_rules(&mut self) {
        (self.fetch, self.told) = Default::default();
    }

    /// Says in the reports of a search why the network of its rules is missing, if this was not told before.
    pub(super) fn tell(&mut self, rules: &Rules, reports: &Sender<Report>) {
        let Fetch { deadline, error, .. } = &self.fetch;
        let late = || deadline.map(|_| LATE.to_owned());
        let reason = missing_network(rules).and_then(|_| error.clone().or_else(late));
        if let Some(reason) = reason.clone().filter(|_| reason != self.told) {
            // A send fails if the receiver is gone; nothing is left to do then.
            let _ = reports.send(Report::Note(SearchNote::NoNetwork(reason)));
        }
        self.told = reason;
    }
}
