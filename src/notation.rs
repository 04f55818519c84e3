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
    /// It follows a complete turn, so that the other side would play it.
    AfterTurn(String),
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
            Self::AfterTurn(text) => write!(f, "found '{text}' after a complete turn, expected nothing"),
        }
    }
}

impl std::error::Error for MoveError {}

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
    let m: Move = text.parse().map_err(|_| MoveError::Unreadable(printable(text, 40)))?;
    if pos.is_legal(m) {
        Ok(m)
    } else {
        Err(MoveError::Illegal { text: m.to_string(), legal: pos.playable_moves().to_vec() })
    }
}

/// Reads a move or a turn that the side to move can play in `pos`, as [`parse`] reads a move.
///
/// Returns the moves, one or more, and the position after them.
///
/// # Errors
/// As [`parse`], or if the turn is complete before the text ends.
pub fn parse_turn(pos: &Position, text: &str) -> Result<(Vec<Move>, Position), MoveError> {
    let mut after = pos.clone();
    let mut moves = Vec::new();
    for part in split_turn(text) {
        if after.side_to_move() != pos.side_to_move() {
            return Err(MoveError::AfterTurn(printable(part, 40)));
        }
        let m = parse(&after, part)?;
        after.do_move(m);
        moves.push(m);
    }
    Ok((moves, after))
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

    #[test]
    fn a_turn_ends_before_the_other_side_moves() {
        let rules = Rules::parse("nine,MayFly=false,StalemateAction=5").unwrap();
        let blocked = "********/****O***/O@O**@O@ w m s 4 0 3 0 0 0 -1 -1 -1 -1 0 0 30 ids:nodes";
        let pos = Position::from_fen(&rules, blocked).unwrap();
        let (moves, after) = parse_turn(&pos, "d2-d1").unwrap();
        // Black, who is blocked, takes.
        assert!(moves.len() == 1 && parse_turn(&after, "xg4").is_ok());
        assert_eq!(parse_turn(&pos, "d2-d1xg4xa7"), Err(MoveError::AfterTurn("xg4".to_owned())));
        let mut pos = Position::new(&Rules::NINE);
        ["d6", "a1", "f4", "g1", "d2"].iter().for_each(|text| pos = parse_turn(&pos, text).unwrap().1);
        assert_eq!(parse_turn(&pos, "d1xd2").unwrap().0.len(), 2);
    }
}
