//! Blocking searches for the tools.

use crate::engine::EngineError;
use crate::evaluate::EvalNetwork;
use crate::position::Position;
use crate::rules::Rules;
use crate::search::Pool;
use crate::search::limits::{Limits, SearchSettings};
use crate::search::{BestMove, Report};
use crate::tt::TranspositionTable;
use crate::types::Move;
use crossbeam_channel::{RecvTimeoutError, unbounded};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Interval at which the stop flag is read while a search runs.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// A thread pool with its transposition table.
pub(crate) struct Searcher {
    pool: Pool,
    tt: Arc<TranspositionTable>,
    settings: SearchSettings,
    /// The rules of the latest search.
    rules: Option<Rules>,
}

impl Searcher {
    /// Returns a searcher with `threads` threads and a transposition table of `hash` MiB. With one thread its
    /// searches are reproducible.
    ///
    /// # Errors
    /// If threads or memory are not available.
    pub(crate) fn new(threads: usize, hash: usize) -> Result<Self, EngineError> {
        let settings = SearchSettings { shuffling: false, seed: Some(0), ..SearchSettings::default() };
        let pool = Pool::new(threads).map_err(EngineError::StartThreads)?;
        let tt = Arc::new(TranspositionTable::new(hash).map_err(EngineError::StartHash)?);
        Ok(Self { pool, tt, settings, rules: None })
    }

    /// Sets the network that evaluates.
    pub(crate) fn set_network(&mut self, network: EvalNetwork) {
        self.settings.network = network;
    }

    /// Clears the transposition table and the histories.
    pub(crate) fn clear(&mut self) {
        // The threads let go of the transposition table first.
        self.pool.clear();
        TranspositionTable::clear_shared(&mut self.tt);
    }

    /// Searches a position and returns the best move and its principal variation.
    ///
    /// # Errors
    /// If the search threads have ended.
    pub(crate) fn search(
        &mut self,
        pos: &Position,
        limits: Limits,
    ) -> Result<(BestMove, Vec<Move>), EngineError> {
        self.search_until(pos, limits, &AtomicBool::new(false))
    }

    /// As [`Self::search`]; ends early if `stop` is set.
    ///
    /// # Errors
    /// If the search threads have ended.
    pub(crate) fn search_until(
        &mut self,
        pos: &Position,
        limits: Limits,
        stop: &AtomicBool,
    ) -> Result<(BestMove, Vec<Move>), EngineError> {
        // The keys of the transposition table do not tell rules apart.
        let before = self.rules.replace(*pos.rules());
        if before.is_some_and(|before| before != *pos.rules()) {
            self.clear();
        }
        let (sender, reports) = unbounded();
        self.pool.go(pos.clone(), limits, self.settings.clone(), Arc::clone(&self.tt), None, sender);
        let mut line = Vec::new();
        loop {
            // Also between reports, which may come faster than they are handled.
            if stop.load(Ordering::Relaxed) {
                self.pool.stop();
            }
            match self.pool.next_report(&reports, POLL_INTERVAL) {
                Ok(Report::Done(best)) => return Ok((best, line)),
                Ok(Report::Lines(lines)) => {
                    if let Some(first) = lines.into_iter().next() {
                        line = first.pv;
                    }
                }
                Ok(Report::Current { .. } | Report::Note(_)) | Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Err(EngineError::NoResult),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_under_other_rules_are_forgotten() {
        let fen = "O**O****/******O*/@****@*@ w m s 3 0 3 0 0 0 -1 -1 -1 -1 0 0 1 ids:nodes";
        let [flying, sliding] = [Rules::NINE, Rules { may_fly: false, ..Rules::NINE }]
            .map(|rules| Position::from_fen(&rules, fen).expect("a position"));
        let limits = Limits { depth: Some(8), ..Limits::default() };
        let [mut fresh, mut used] = [(); 2].map(|()| Searcher::new(1, 1).expect("a searcher"));
        let (expected, _) = fresh.search(&sliding, limits.clone()).expect("a result");
        let (other, _) = used.search(&flying, limits.clone()).expect("a result");
        assert_ne!(other.score, expected.score);
        let (found, _) = used.search(&sliding, limits).expect("a result");
        assert_eq!((found.best, found.score), (expected.best, expected.score));
    }
}
