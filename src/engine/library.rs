//! One call from a position to its best move, for programs that use the crate as a library.

use super::options::OptionEffect;
use super::{Engine, EngineError, searchable};
use crate::platform::sync::unbounded;
use crate::position::Position;
use crate::search::{BestMove, Limits, report};

impl Engine {
    /// Searches `pos` under its own rules and returns the best move with its score.
    ///
    /// The engine keeps its transposition table for the next call. If the rules are not those of its options,
    /// the options change to them, and the engine's own position becomes the initial one. Positions drawn by
    /// repetition or by a move counter are searched too.
    ///
    /// ```
    /// use millstone::{Engine, Limits, Position, Rules};
    ///
    /// let mut engine = Engine::new()?;
    /// let pos = Position::new(&Rules::NINE);
    /// let result = engine.search(&pos, Limits { depth: Some(2), ..Limits::default() })?;
    /// assert!(result.best.is_some_and(|m| pos.is_legal(m)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If `limits` hold no depth, number of nodes or time, or `infinite` or `ponder`, since the search would
    /// not end. If the game is over, if the search threads fail, or if values of options that were set cannot
    /// be put in force, such as a tablebase that is damaged: two or more as [`EngineError::Several`]. Errors
    /// of options come once; the next call searches without.
    pub fn search(&mut self, pos: &Position, limits: Limits) -> Result<BestMove, EngineError> {
        if !is_limited(&limits) {
            return Err(EngineError::Endless);
        }
        let root = searchable(pos, true)?;
        if *root.rules() != self.values.rules {
            self.values.rules = *root.rules();
            self.pending.add(OptionEffect::SetRules);
        }
        let mut errors = self.prepare();
        match errors.len() {
            0 => {}
            1 => return Err(errors.remove(0)),
            _ => return Err(EngineError::Several(errors)),
        }
        let (sender, reports) = unbounded();
        self.start(root, limits, 1, sender);
        self.pool.wait();
        report::wait(&reports).ok_or(EngineError::NoResult)
    }
}

/// Returns true if the limits end a search that nobody stops.
fn is_limited(limits: &Limits) -> bool {
    // A reproducible search reads no clock.
    let is_timed = !limits.reproducible && (limits.movetime.is_some() || limits.time.is_some());
    let has_limit = limits.depth.is_some() || limits.nodes.is_some() || is_timed;
    has_limit && !limits.infinite && !limits.ponder
}
