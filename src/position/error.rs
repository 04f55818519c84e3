//! The reasons why a text is no position, and why a move is not played.

use super::fen::FenError;
use crate::rules::RuleError;
use crate::types::Move;
use std::error::Error;
use std::fmt;

/// A text that is not a position with its rules, or a move that the rules do not allow.
#[derive(Clone, Debug)]
pub enum PositionError {
    /// The rules in front of the position text are wrong.
    Rules(RuleError),
    /// The position text is wrong.
    Fen(FenError),
    /// The rules do not allow the move.
    IllegalMove(Move),
}

impl fmt::Display for PositionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rules(error) => error.fmt(f),
            Self::Fen(error) => error.fmt(f),
            Self::IllegalMove(m) => write!(f, "illegal move '{m}'"),
        }
    }
}

impl Error for PositionError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Rules(error) => Some(error),
            Self::Fen(error) => Some(error),
            Self::IllegalMove(_) => None,
        }
    }
}
