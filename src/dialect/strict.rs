//! The errors of strict mode: JSON objects of one line.

use crate::engine::EngineError;
use crate::platform::text::printable;
use crate::types::Square;
use serde_json::{Value, json};

/// The version of the objects.
pub(crate) const VERSION: u32 = 1;

/// The code of an error.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ErrorCode {
    /// A `position` without an origin, or with another word than `moves` after `startpos`.
    InvalidCommand,
    /// A wrong position text.
    InvalidText,
    /// An unfinished move in the list of moves.
    Truncated,
    /// An illegal or unreadable move in the list of moves, or one after the end of the game.
    IllegalMove,
    /// The latest `position` was refused.
    Unavailable,
    /// The game is over, or there is no move.
    NoMove,
    /// `go logical` outside strict mode.
    PolicyRequired,
    /// `go logical` where a take is due.
    TakeDue,
    /// `go logical` has too few nodes for its first iteration.
    BudgetExhausted,
}

impl ErrorCode {
    /// Returns the code as clients read it.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::InvalidCommand => "invalid_position_command",
            Self::InvalidText => "invalid_fen",
            Self::Truncated => "position_history_truncated",
            Self::IllegalMove => "position_history_illegal_action",
            Self::Unavailable => "position_unavailable",
            Self::NoMove => "search_missing_bestmove",
            Self::PolicyRequired => "strict_policy_required",
            Self::TakeDue => "logical_turn_unstable_position",
            Self::BudgetExhausted => "logical_turn_budget_exhausted",
        }
    }

    /// Returns the code of the error of a `position` or `go`.
    pub(crate) fn of(error: &EngineError) -> Self {
        match error {
            EngineError::Position(_) => Self::InvalidText,
            EngineError::Move { token, .. } | EngineError::MoveAfterEnd { token, .. }
                if is_truncated(token) =>
            {
                Self::Truncated
            }
            EngineError::Move { .. } | EngineError::MoveAfterEnd { .. } => Self::IllegalMove,
            EngineError::Over(_) | EngineError::Drawn(_) | EngineError::NoMove => Self::NoMove,
            // `NoPosition`; no other error comes from `position` or `go`.
            _ => Self::Unavailable,
        }
    }
}

/// Returns true if letters after the text could make it a move: `a4-`, `a4-d`, `x`, `xb`, `d`.
fn is_truncated(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    let (is_begun, rest) = match text.split_once('-') {
        Some((from, to)) if from.parse::<Square>().is_ok() => (true, to),
        _ => text.strip_prefix('x').map_or((false, text.as_str()), |rest| (true, rest)),
    };
    matches!(rest.as_bytes(), [b'a'..=b'g']) || is_begun && rest.is_empty()
}

/// Returns the answer to `statejson` after a position was refused with the code `refusal`.
pub(crate) fn unavailable(refusal: ErrorCode, message: &str) -> String {
    json!({
        "protocol_version": VERSION,
        "status": ErrorCode::Unavailable.name(),
        "code": ErrorCode::Unavailable.name(),
        "message": message,
        "position_error_code": refusal.name(),
    })
    .to_string()
}

/// Returns the object of an error.
pub(crate) fn error(code: ErrorCode, command: &str, message: &str) -> Value {
    json!({
        "protocol_version": VERSION,
        "status": "error",
        "code": code.name(),
        "command": command,
        "message": message,
    })
}

/// Returns the object of the error of a refused position.
pub(crate) fn position_error(refusal: &EngineError) -> Value {
    let mut object = error(ErrorCode::of(refusal), "position", &refusal.to_string());
    if let EngineError::Move { index, token, .. } | EngineError::MoveAfterEnd { index, token, .. } = refusal {
        object["action_index"] = json!(index);
        object["token"] = json!(printable(token, 60));
    }
    object
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_a_move_can_become_one_and_nothing_else_does() {
        for half in ["a4-", "a4-d", "x", "xb", "d", "A4-", "A4-D", "X", "XB", "G"] {
            assert!(is_truncated(half), "{half}");
        }
        let others =
            ["", "-", "a4", "a4-d4", "a4-d5", "xa4", "xa4-", "d4-", "h", "x1", "-a4", "a4--", "a4-x", "xx"];
        for other in others {
            assert!(!is_truncated(other), "{other}");
        }
    }
}
