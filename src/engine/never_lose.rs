//! Playing from a certificate of never losing.

use super::error::EngineError;
#[cfg(target_arch = "wasm32")]
use super::fetch::{Fetch, LATE};
use super::options::OptionValues;
#[cfg(target_arch = "wasm32")]
use crate::certificate;
use crate::certificate::{Certificate, CertificateError, Expected, Followed};
#[cfg(target_arch = "wasm32")]
use crate::platform::clock::Instant;
use crate::platform::sync::Sender;
use crate::position::Position;
use crate::search::limits::{Algorithm, MAX_SKILL};
use crate::search::report::SearchNote;
use crate::search::{Limits, Report, SearchSettings};
use crate::types::Move;
#[cfg(target_arch = "wasm32")]
use std::io;
use std::path::Path;

/// The certificate, and its part in the latest search.
#[derive(Default)]
pub(super) struct NeverLose {
    /// The certificate of the options, in place of the built-in one, and the positions that can follow its
    /// turns in this game.
    chosen: Option<(Certificate, Expected)>,
    /// The whole turns that the certificate allowed in the latest search; none outside it.
    pub turns: Vec<Vec<Move>>,
    /// The positions that can follow the turns of the built-in certificate in this game.
    expected: Expected,
    #[cfg(target_arch = "wasm32")]
    pub fetch: Fetch<CertificateError>,
    /// The latest report, without turns. Each is made once, until it changes or a new game begins.
    told: Option<Result<Followed, CertificateError>>,
}

impl NeverLose {
    /// Returns true if the certificate of the options has been read and is for these rules, or if they name
    /// none.
    pub(super) fn fits(&self, values: &OptionValues) -> bool {
        let is_for = |(chosen, _): &(Certificate, Expected)| chosen.is_for(&values.rules);
        self.chosen.as_ref().map_or(values.certificate_file.is_empty(), is_for)
    }

    /// Reads the certificate of the options, if they name one.
    ///
    /// # Errors
    /// If the file cannot be read, is damaged, or is for other rules. Then the built-in one counts.
    pub(super) fn open(&mut self, values: &OptionValues) -> Result<(), EngineError> {
        self.chosen = None;
        if !values.certificate_file.is_empty() {
            let path = Path::new(&values.certificate_file);
            let certificate = Certificate::open(path, &values.rules).map_err(EngineError::Certificate)?;
            self.chosen = Some((certificate, Expected::default()));
        }
        Ok(())
    }

    /// Begins a game whose first report is made in any case.
    pub(super) fn new_game(&mut self) {
        self.told = None;
        self.expected = Expected::default();
        if let Some((_, expected)) = &mut self.chosen {
            *expected = Expected::default();
        }
        #[cfg(target_arch = "wasm32")]
        self.fetch.new_game();
    }

    /// Asks for the built-in certificate if a search would follow it and it is not there.
    ///
    /// Returns the end of the wait for it, if the search waits.
    #[cfg(target_arch = "wasm32")]
    pub(super) fn wait(
        &mut self,
        pos: &Position,
        limits: &Limits,
        settings: &SearchSettings,
    ) -> Option<Instant> {
        if !is_bound(limits, settings) || !self.lacks_built_in(pos) {
            return None;
        }
        if self.fetch.begins_game(pos) {
            self.fetch.new_game();
        }
        self.fetch.want(limits)
    }

    /// Returns true if the built-in certificate is meant for a position, but is not there.
    #[cfg(target_arch = "wasm32")]
    fn lacks_built_in(&self, pos: &Position) -> bool {
        let rules = pos.rules();
        self.chosen.is_none() && Certificate::is_built_in_for(rules) && Certificate::built_in(rules).is_none()
    }

    /// Follows the certificate of the options, or else the built-in one. If the former turns out to be
    /// damaged, it is not used again.
    fn follow(
        &mut self,
        pos: &Position,
        tell: impl Fn(SearchNote),
    ) -> Option<Result<Followed, CertificateError>> {
        if let Some((certificate, expected)) = &mut self.chosen
            && is_meant(certificate, pos)
        {
            match certificate.follow_on(pos, expected) {
                Err(error) => {
                    tell(SearchNote::CertificateFile(EngineError::Certificate(error).to_string()));
                }
                followed => return Some(followed),
            }
            self.chosen = None;
        }
        Some(Certificate::built_in(pos.rules())?.follow_on(pos, &mut self.expected))
    }

    /// Restricts a search to the turns that the certificate allows. It restricts nothing outside the
    /// certificate, in analysis, in random play, and below full strength.
    pub(super) fn restrict(
        &mut self,
        pos: &Position,
        limits: &mut Limits,
        settings: &SearchSettings,
        reports: &Sender<Report>,
    ) {
        self.turns.clear();
        // A send fails if the receiver is gone; nothing is left to do then.
        let tell = |note| _ = reports.send(Report::Note(note));
        let is_certified = matches!(self.told, Some(Ok(Followed::Inside(_))));
        if !is_bound(limits, settings) {
            if is_certified {
                self.told = None;
                tell(SearchNote::Unrestricted);
            }
            return;
        }
        let told = match self.follow(pos, tell) {
            Some(Ok(Followed::Inside(turns))) => {
                self.turns = turns;
                Ok(Followed::Inside(Vec::new()))
            }
            Some(other) => other,
            #[cfg(target_arch = "wasm32")]
            None if self.lacks_built_in(pos) => {
                let late = || certificate::missing(io::Error::new(io::ErrorKind::TimedOut, LATE));
                Err(self.fetch.error.clone().unwrap_or_else(late))
            }
            None => {
                if is_certified {
                    self.told = None;
                    let reason = "there is no certificate for these rules and this side";
                    tell(SearchNote::NoCertificate(reason.to_owned()));
                }
                return;
            }
        };
        if self.told.as_ref() != Some(&told) {
            tell(match &told {
                Ok(Followed::Inside(_)) => SearchNote::Certified,
                Ok(Followed::SetUp) => SearchNote::NotCertified(None),
                Ok(Followed::Left(turn)) => SearchNote::NotCertified(Some(*turn)),
                Err(error) => SearchNote::NoCertificate(error.to_string()),
            });
            self.told = Some(told);
        }
        for first in self.turns.iter().filter_map(|turn| turn.first()) {
            if !limits.searchmoves.contains(first) {
                limits.searchmoves.push(*first);
            }
        }
    }
}

/// Returns true if a certificate is for the rules and the side to move of a position.
fn is_meant(certificate: &Certificate, pos: &Position) -> bool {
    certificate.sides().contains(pos.side_to_move()) && certificate.is_for(pos.rules())
}

/// Returns true if a search follows a certificate: the option is on, and the search plays, at full strength,
/// with one line, among all moves, not at random and not reproducibly.
fn is_bound(limits: &Limits, settings: &SearchSettings) -> bool {
    settings.never_lose
        && settings.skill == MAX_SKILL
        && settings.multi_pv == 1
        && settings.algorithm != Algorithm::Random
        && !settings.is_analysis(limits)
        && !limits.reproducible
        && limits.searchmoves.is_empty()
}
