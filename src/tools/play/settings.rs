//! How a game is set up.

use crate::rules::Rules;
use crate::types::Color;
use std::time::Duration;

/// The settings of a game.
#[derive(Clone, Debug)]
pub struct Play {
    /// The rules.
    pub rules: Rules,
    /// Strength of the engine, 0 to 30.
    pub level: u32,
    /// Thinking time of the engine for each move.
    pub movetime: Duration,
    /// The side the person plays; `None` for both.
    pub side: Option<Color>,
}
