//! Searches that block until they end, as the tools need them.

use super::files::ToolError;
use crate::position::Position;
use crate::search::limits::{Limits, SearchSettings};
use crate::search::pool::Pool;
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
pub struct Searcher {
    pool: Pool,
    tt: Arc<TranspositionTable>,
    settings: SearchSettings,
}

impl Searcher {
    /// Returns a searcher with `threads` threads and a transposition table of `hash` MiB. With one thread its
    /// searches are reproducible.
    ///
    /// # Errors
    /// If the system grants no threads or no memory.
    pub fn new(threads: usize, hash: usize) -> Result<Self, ToolError> {
        let settings = SearchSettings { shuffling: false, seed: Some(0), ..SearchSettings::default() };
        let pool = Pool::new(threads).map_err(|error| ToolError(error.to_string()))?;
        let tt = Arc::new(TranspositionTable::new(hash).map_err(|error| ToolError(error.to_string()))?);
        Ok(Self { pool, tt, settings })
    }

    /// Clears the transposition table and the histories.
    pub fn clear(&mut self) {
        self.tt.clear();
        self.pool.clear();
    }

    /// Searches a position and returns the best move and its principal variation.
    ///
    /// # Errors
    /// If the search threads have ended.
    pub fn search(&mut self, pos: &Position, limits: Limits) -> Result<(BestMove, Vec<Move>), ToolError> {
        self.search_until(pos, limits, &AtomicBool::new(false))
    }

    /// As [`Self::search`]; ends early if `stop` is set.
    ///
    /// # Errors
    /// If the search threads have ended.
    pub fn search_until(
        &mut self,
        pos: &Position,
        limits: Limits,
        stop: &AtomicBool,
    ) -> Result<(BestMove, Vec<Move>), ToolError> {
        let (sender, reports) = unbounded();
        self.pool.go(pos.clone(), limits, self.settings.clone(), Arc::clone(&self.tt), None, sender);
        let mut line = Vec::new();
        loop {
            match reports.recv_timeout(POLL_INTERVAL) {
                Ok(Report::Done(best)) => return Ok((best, line)),
                Ok(Report::Lines(lines)) => {
                    if let Some(first) = lines.into_iter().next() {
                        line = first.pv;
                    }
                }
                Ok(Report::Current { .. } | Report::Note(_)) => {}
                Err(RecvTimeoutError::Timeout) => {
                    if stop.load(Ordering::Relaxed) {
                        self.pool.stop();
                    }
                }
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(ToolError("the search ended without a result".to_owned()));
                }
            }
        }
    }
}
