//! `statejson` and the errors of strict mode: JSON objects of one line.

use super::text::tame;
use crate::engine::{PositionError, PositionHistory};
use crate::movegen;
use crate::platform::text::printable;
use crate::position::{Action, Outcome, Phase, Position, Reason};
use crate::rules::{RULE_OPTIONS, RuleKind};
use crate::types::Color;
use serde_json::{Map, Value, json};

/// The version of the objects.
const VERSION: u32 = 1;

/// Returns the name of a reason in snake case, such as `lose_fewer_than_three`.
fn snake_case(reason: Reason) -> String {
    let mut text = String::new();
    for c in reason.name().chars() {
        if c.is_ascii_uppercase() {
            text.push('_');
        }
        text.push(c.to_ascii_lowercase());
    }
    text
}

fn side(side: Option<Color>) -> Value {
    side.map_or(Value::Null, |color| json!(color.to_string()))
}

/// Returns the number of the winner: 0 White, 1 Black, -1 none; null while the game goes on, or when it is
/// drawn by repetition or a counter.
fn winner_code(outcome: Outcome) -> Value {
    match outcome.winner {
        Some(color) => json!(color.index()),
        None if outcome.is_over() && !outcome.reason.is_claimable() => json!(-1),
        None => Value::Null,
    }
}

/// Returns the state of a game as one object; `fen` is its position as the dialect writes it.
pub(crate) fn state(pos: &Position, history: PositionHistory, fen: &str) -> String {
    let outcome = pos.outcome();
    let is_over = outcome.is_over();
    let rules: Map<String, Value> = RULE_OPTIONS
        .iter()
        .map(|option| {
            let value = (option.get)(pos.rules());
            let value = match option.kind {
                RuleKind::Check => json!(value != 0),
                RuleKind::Spin { .. } => json!(value),
            };
            (option.name.to_owned(), value)
        })
        .collect();
    let phase = match pos.phase() {
        _ if is_over => "game_over",
        Phase::Placing => "placing",
        Phase::Moving => "moving",
        Phase::Over => "game_over",
    };
    let debts = Color::ALL.map(|color| pos.stated_debt(color));
    let pending = pos.mover().map_or(0, |us| debts[us.index()]);
    let legal: Vec<String> = movegen::legal(pos).iter().map(ToString::to_string).collect();
    json!({
        "protocol_version": VERSION,
        "status": if is_over { "terminal" } else { "ok" },
        "ruleset_id": pos.rules().name(),
        "rules_options": rules,
        "history_origin": if history.from_text { "fresh_setup" } else { "game_start" },
        "fen": fen,
        "side_to_move": side(pos.mover()),
        "phase": phase,
        "action": action_name(pos),
        "pending_removal": pending > 0,
        "pending_removal_count": pending,
        "pending_removals": debts,
        "legal_actions": legal,
        "action_token_count": history.tokens,
        "logical_ply_count": history.plies[0] + history.plies[1],
        "logical_plies_by_side": history.plies,
        "no_capture_count": pos.quiet(),
        "repetition_current_count": pos.repetitions(),
        "repetition_history_length": pos.repetition_window(),
        "terminal": is_over,
        "winner": side(outcome.winner),
        "winner_code": winner_code(outcome),
        "outcome_reason": outcome.reason.name(),
        "outcome_reason_code": snake_case(outcome.reason),
    })
    .to_string()
}

/// The error code of a command that needs a position after the latest one was refused.
pub(crate) const UNAVAILABLE: &str = "position_unavailable";
/// The error code of a search without a move.
pub(crate) const NO_MOVE: &str = "search_missing_bestmove";
/// The error code of a `position` without an origin.
pub(crate) const INVALID_COMMAND: &str = "invalid_position_command";

/// Returns the code of an error in a position text or a list of moves.
pub(crate) fn code(error: &PositionError) -> &'static str {
    match error {
        PositionError::Text(_) => "invalid_fen",
        PositionError::Move { .. } | PositionError::Over { .. } => "position_history_illegal_action",
    }
}

/// Returns the answer to `statejson` in strict mode after a position was refused with the code `refusal`.
pub(crate) fn unavailable(refusal: &str, message: &str) -> String {
    json!({
        "protocol_version": VERSION,
        "status": UNAVAILABLE,
        "code": UNAVAILABLE,
        "message": message,
        "position_error_code": refusal,
    })
    .to_string()
}

/// Returns an error of strict mode.
pub(crate) fn error(code: &str, command: &str, message: &str) -> Value {
    json!({
        "protocol_version": VERSION,
        "status": "error",
        "code": code,
        "command": command,
        "message": tame(message),
    })
}

/// Returns the error of strict mode for a refused position.
pub(crate) fn position_error(refusal: &PositionError) -> Value {
    let mut object = error(code(refusal), "position", &refusal.to_string());
    if let PositionError::Move { index, token, .. } | PositionError::Over { index, token, .. } = refusal {
        object["action_index"] = json!(index);
        object["token"] = json!(tame(&printable(token, 60)));
    }
    object
}

/// Returns the word for the action that the position text names.
fn action_name(pos: &Position) -> &'static str {
    match pos.stated_action() {
        Action::Place => "place",
        Action::Select => "select",
        Action::Take => "remove",
        Action::None => "game_over",
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;
    use crate::rules::Rules;

    #[test]
    fn the_state_is_one_object_with_the_fields_clients_read() {
        let pos = Position::new(&Rules::NINE);
        let object: Value =
            serde_json::from_str(&state(&pos, PositionHistory::default(), &pos.fen())).unwrap();
        assert_eq!(object["status"], "ok");
        assert_eq!(object["legal_actions"].as_array().map(Vec::len), Some(24));
        assert_eq!(object["rules_options"]["PiecesCount"], 9);
        assert_eq!(object["rules_options"]["MayFly"], true);
        assert_eq!(object["rules_options"].as_object().map(Map::len), Some(RULE_OPTIONS.len()));
        assert_eq!((&object["winner"], &object["outcome_reason"]), (&Value::Null, &json!("ongoing")));
    }

    #[test]
    fn reasons_are_written_in_snake_case() {
        assert_eq!(snake_case(Reason::LoseFewerThanThree), "lose_fewer_than_three");
        assert_eq!(snake_case(Reason::Ongoing), "ongoing");
    }
}
