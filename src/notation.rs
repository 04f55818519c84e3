//! Move text: single moves and turns such as `d6-f6xa1`, read and checked against a position. Uses `movegen`
//! and the modules above it.

use crate::platform::text::printable;
use crate::position::Position;
use crate::types::{MOVE_FORMS, Move};
use std::fmt;

/// The reason why a text is not a playable move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MoveError {
    /// It does not have the form of a move.
    Unreadable(String),
    /// It is a move, but not one of this position.
    Illegal {
        /// The move.
        text: String,
        /// The legal moves.
        legal: Vec<Move>,
    },
}

impl fmt::Display for MoveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(text) => {
                write!(f, "found '{text}', expected {MOVE_FORMS}")
            }
            Self::Illegal { text, legal } if legal.is_empty() => {
                write!(f, "illegal move '{text}': the position has no legal move")
            }
            Self::Illegal { text, legal } => {
                write!(f, "illegal move '{text}', expected one of")?;
                legal.iter().try_for_each(|m| write!(f, " {m}"))
            }
        }
    }
}

impl std::error::Error for MoveError {}

/// Reads a single move, letters in either case.
///
/// Returns `None` if the text does not have the form of a move; the move need not be legal.
pub fn read(text: &str) -> Option<Move> {
    text.parse().ok()
}

/// Splits a turn into the texts of its moves.
///
/// ```
/// use millstone::notation::split_turn;
///
/// assert_eq!(split_turn("d6-f6xa1").collect::<Vec<_>>(), ["d6-f6", "xa1"]);
/// ```
pub fn split_turn(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest?;
        let next = text.match_indices(['x', 'X']).map(|(at, _)| at).find(|&at| at > 0);
        rest = next.map(|at| &text[at..]);
        Some(&text[..next.unwrap_or(text.len())])
    })
}

/// Reads a single move that can be played in `pos`. Draws by repetition and by the move counters are ignored.
///
/// ```
/// use millstone::{Position, Rules, notation};
///
/// let pos = Position::new(&Rules::NINE);
/// assert_eq!(notation::parse(&pos, "d6")?.to_string(), "d6");
/// assert!(notation::parse(&pos, "xd6").is_err(), "nothing to take");
/// # Ok::<(), notation::MoveError>(())
/// ```
///
/// # Errors
/// If the text is not a move, or the move cannot be played.
pub fn parse(pos: &Position, text: &str) -> Result<Move, MoveError> {
    let m = read(text).ok_or_else(|| MoveError::Unreadable(printable(text, 40)))?;
    if pos.is_legal(m) {
        Ok(m)
    } else {
        Err(MoveError::Illegal { text: m.to_string(), legal: pos.playable_moves().to_vec() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Rules;

    #[test]
    fn move_text_is_read_in_either_case() {
        let pos = Position::new(&Rules::NINE);
        assert_eq!(parse(&pos, "D6").map(|m| m.to_string()), Ok("d6".to_owned()));
        for bad in ["", "d4", "x", "-", "d6-", "0000", "d6-d7-g7", "(none)", "xd6xd7", "ａ1"] {
            assert!(matches!(parse(&pos, bad), Err(MoveError::Unreadable(_))), "{bad}");
        }
        assert!(matches!(parse(&pos, "xd6"), Err(MoveError::Illegal { .. })));
    }

    #[test]
    fn glued_turns_are_split() {
        let split = |text| split_turn(text).collect::<Vec<_>>();
        assert_eq!(split("e4"), ["e4"]);
        assert_eq!(split("d6-f6xa1"), ["d6-f6", "xa1"]);
        assert_eq!(split("xa1Xd1"), ["xa1", "Xd1"]);
        assert_eq!(split("d1xa4xd7"), ["d1", "xa4", "xd7"]);
    }
}
