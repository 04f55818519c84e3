//! The settings of a game.

use crate::rules::Rules;
use crate::search::limits::MAX_SKILL;
use crate::types::Color;
use std::time::Duration;

/// The settings of a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct PlaySettings {
    /// The rules.
    pub rules: Rules,
    /// Strength of the engine, 0 to 30.
    pub level: u32,
    /// Thinking time of the engine for each move.
    pub movetime: Duration,
    /// The side the person plays; `None` for both.
    pub side: Option<Color>,
    /// True if the screen is drawn with ASCII characters only.
    pub ascii: bool,
    /// True if the game is kept from one start of the program to the next.
    pub autosave: bool,
}

impl PlaySettings {
    /// The level of full strength.
    pub(crate) const STRONGEST: u32 = MAX_SKILL;
}

impl Default for PlaySettings {
    fn default() -> Self {
        Self {
            rules: Rules::NINE,
            level: Self::STRONGEST,
            movetime: Duration::from_millis(1000),
            side: Some(Color::White),
            ascii: false,
            autosave: true,
        }
    }
}
