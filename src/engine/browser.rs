//! The engine in browsers: it works in slices, and its files are fetched.

use super::fetch::WantedFile;
use super::{Engine, OptionEffect};
use crate::certificate::{self, Certificate};
use crate::evaluate::{missing_network, provide_network};
use crate::platform::clock::Instant;
use crate::position::Position;
use crate::search::{Limits, Step};
use crate::tablebase::tables_for;
use std::io;

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
            return self.network_fetch.want(root, limits);
        }
        let settings = self.settings(lines);
        self.never_lose.wait(root, limits, &settings)
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
    pub(crate) fn advance(&mut self) -> Step {
        self.pool.advance()
    }

    /// Returns the names of the tablebase files for the rules in force, if a search has begun since the last
    /// call.
    pub(crate) fn wanted_tables(&mut self) -> Vec<&'static str> {
        let has_begun = std::mem::take(&mut self.has_begun);
        if has_begun { tables_for(&self.compiled.rules) } else { Vec::new() }
    }

    /// Opens the tablebase anew before the next search.
    pub(crate) fn reopen_tablebase(&mut self) {
        self.pending.add(OptionEffect::OpenTablebase);
    }
}
