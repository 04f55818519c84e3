//! One search at a time, waited for: what the tools need of the thread pool.

use super::files::Failure;
use crate::position::Position;
use crate::search::limits::{Limits, SearchSettings};
use crate::search::pool::Pool;
use crate::search::{BestMove, Report};
use crate::tt::TranspositionTable;
use crate::types::Move;
use std::sync::Arc;

/// A pool with its table.
pub struct Searcher {
    pool: Pool,
    tt: Arc<TranspositionTable>,
    settings: SearchSettings,
}

impl Searcher {
    /// A searcher with so many threads and MiB of table, whose searches are reproducible with one thread.
    ///
    /// # Errors
    /// When threads or memory cannot be had.
    pub fn new(threads: usize, hash: usize) -> Result<Self, Failure> {
        let settings = SearchSettings { shuffling: false, seed: Some(0), ..SearchSettings::default() };
        let pool = Pool::new(threads).map_err(|error| Failure(error.to_string()))?;
        let tt = Arc::new(TranspositionTable::new(hash).map_err(|error| Failure(error.to_string()))?);
        Ok(Self { pool, tt, settings })
    }

    /// Forgets everything learned in earlier searches.
    pub fn clear(&mut self) {
        self.tt.clear();
        self.pool.clear();
    }

    /// Searches a position, and returns the best move and the line it belongs to.
    ///
    /// # Errors
    /// When the searching threads are gone.
    pub fn search(&mut self, pos: &Position, limits: Limits) -> Result<(BestMove, Vec<Move>), Failure> {
        let (sender, reports) = crossbeam_channel::unbounded();
        self.pool.go(pos.clone(), limits, self.settings.clone(), Arc::clone(&self.tt), None, sender);
        let mut line = Vec::new();
        for report in reports {
            match report {
                Report::Lines(lines) => {
                    if let Some(first) = lines.into_iter().next() {
                        line = first.pv;
                    }
                }
                Report::Done(best) => return Ok((best, line)),
                Report::Current { .. } | Report::Note(_) => {}
            }
        }
        Err(Failure("the search ended without a result".to_owned()))
    }
}
