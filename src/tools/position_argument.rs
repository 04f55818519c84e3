//! Positions in arguments and input lines: a position text, or `startpos`.

use crate::platform::text::printable;
use crate::position::{FenError, Position, PositionError};
use crate::rules::Rules;

/// Returns the position text of an argument; `None` if it stands for the initial position.
///
/// # Errors
/// If words follow `startpos`, such as a list of moves.
pub(crate) fn position_text(text: &str) -> Result<Option<&str>, PositionError> {
    let text = text.trim();
    let (first, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    if !first.eq_ignore_ascii_case("startpos") {
        return Ok(Some(text));
    }
    if rest.is_empty() {
        return Ok(None);
    }
    Err(PositionError::Fen(FenError {
        field: "position text".to_owned(),
        found: printable(text, 80),
        expected: "startpos alone, or a position text".to_owned(),
    }))
}

/// Returns the position of a text under these rules.
///
/// # Errors
/// If the text is not a position.
pub(crate) fn read_position(rules: &Rules, text: &str) -> Result<Position, PositionError> {
    position_text(text)?.map_or_else(|| Ok(Position::new(rules)), |text| Position::from_fen(rules, text))
}
