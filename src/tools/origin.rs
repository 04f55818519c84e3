//! Positions in arguments and input lines: a position text, or `startpos`.

use crate::position::{Position, PositionError};
use crate::rules::Rules;

/// Returns true if a text stands for the initial position.
pub(crate) fn is_startpos(text: &str) -> bool {
    text.trim().eq_ignore_ascii_case("startpos")
}

/// Returns the position of a text under these rules.
///
/// # Errors
/// If the text is not a position.
pub(crate) fn read_position(rules: &Rules, text: &str) -> Result<Position, PositionError> {
    if is_startpos(text) { Ok(Position::new(rules)) } else { Position::from_fen(rules, text) }
}
