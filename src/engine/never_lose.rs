//! Playing from a certificate of never losing.

use super::error::EngineError;
use super::options::OptionValues;
use crate::certificate::{Certificate, CertificateError, Followed};
use crate::platform::sync::Sender;
use crate::position::Position;
use crate::search::limits::{Algorithm, MAX_SKILL};
use crate::search::report::SearchNote;
use crate::search::{Limits, Report, SearchSettings};
use crate::types::Move;
use std::path::Path;

/// The certificate, and its part in the latest search.
#[derive(Default)]
pub(super) struct NeverLose {
    certificate: Option<Certificate>,
    /// The whole turns that the certificate allowed in the latest search; none outside it.
    pub turns: Vec<Vec<Move>>,
    /// The latest report, without turns. Each is made once, until it changes or a new game begins.
    told: Option<Result<Followed, CertificateError>>,
}

impl NeverLose {
    /// Reads the certificate of the options.
    ///
    /// # Errors
    /// If the file cannot be read, is damaged, or is for other rules. Then there is none.
    pub(super) fn open(&mut self, values: &OptionValues) -> Result<(), EngineError> {
        self.told = None;
        self.certificate = None;
        if !values.certificate_file.is_empty() {
            let path = Path::new(&values.certificate_file);
            let certificate = Certificate::open(path, &values.rules).map_err(EngineError::Certificate)?;
            self.certificate = Some(certificate);
        }
        Ok(())
    }

    /// Begins a game whose first report is made in any case.
    pub(super) fn new_game(&mut self) {
        self.told = None;
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
        let plays = settings.never_lose
            && settings.skill == MAX_SKILL
            && settings.multi_pv == 1
            && settings.algorithm != Algorithm::Random
            && !settings.is_analysis(limits)
            && !limits.reproducible
            && limits.searchmoves.is_empty();
        let is_meant = |certificate: &&Certificate| {
            plays && certificate.sides().contains(pos.side_to_move()) && certificate.is_for(pos.rules())
        };
        let Some(certificate) = self.certificate.as_ref().filter(is_meant) else { return };
        let told = match certificate.follow(pos) {
            Ok(Followed::Inside(turns)) => {
                self.turns = turns;
                Ok(Followed::Inside(Vec::new()))
            }
            other => other,
        };
        if self.told.as_ref() != Some(&told) {
            let note = match &told {
                Ok(Followed::Inside(_)) => SearchNote::Certified,
                Ok(Followed::SetUp) => SearchNote::NotCertified(None),
                Ok(Followed::Left(turn)) => SearchNote::NotCertified(Some(*turn)),
                Err(_) => SearchNote::DamagedCertificate,
            };
            self.told = Some(told);
            // A send fails if the receiver is gone; nothing is left to do then.
            let _ = reports.send(Report::Note(note));
        }
        for first in self.turns.iter().filter_map(|turn| turn.first()) {
            if !limits.searchmoves.contains(first) {
                limits.searchmoves.push(*first);
            }
        }
    }
}
