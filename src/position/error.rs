//! The reasons why a text is no position, and why a move is not played.

use crate::platform::text::printable;
use crate::rules::RuleError;
use crate::types::Move;
use std::error::Error;
use std::fmt;

/// A text that is not a position with its rules, or a move that the rules do not allow.
#[derive(Clone, PartialEq, Eq, Debug)]
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
            // A `FenError` is a detail of this error, not an error of its own.
            Self::Fen(_) | Self::IllegalMove(_) => None,
        }
    }
}

/// A position text that is refused: the field, its content and what was expected.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FenError {
    /// The field, such as `field 2 (side)`.
    pub field: String,
    /// The content of the field.
    pub found: String,
    /// A description of what is accepted.
    pub expected: String,
}

impl FenError {
    pub(super) fn new(
        field: impl Into<String>,
        found: impl Into<String>,
        expected: impl Into<String>,
    ) -> Self {
        let found = printable(&found.into(), 80);
        Self { field: field.into(), found, expected: expected.into() }
    }
}

impl fmt::Display for FenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { field, found, expected } = self;
        if found.is_empty() {
            return write!(f, "{field}: found nothing, expected {expected}");
        }
        write!(f, "{field}: found '{found}', expected {expected}")
    }
}
