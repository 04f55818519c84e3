//! Blocking searches for the tools.

use crate::engine::EngineError;
use crate::evaluate::EvalNetwork;
use crate::position::Position;
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
        Ok(Self { pool, tt, settings })
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
