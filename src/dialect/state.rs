//! `statejson`: the state of a game as a JSON object of one line.

use super::identity;
use super::strict::VERSION;
use crate::engine::{Engine, PositionOrigin};
use crate::position::{Action, Outcome, Phase, Position, Reason};
use crate::rules::{RULE_OPTIONS, RuleKind, Rules};
use crate::types::Color;
use serde_json::{Map, Value, json};

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

/// The names of rule sets in `ruleset_id`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum RulesetIds {
    /// Those of this engine.
    Own,
    /// Those of TGF, which calls Nine Men's Morris `nmm`.
    Tgf,
}

impl RulesetIds {
    fn of(self, rules: &Rules) -> String {
        match rules.name() {
            name if name == "nine" && self == Self::Tgf => "nmm".to_owned(),
            name => name,
        }
    }
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

/// Returns the state of the game of an engine as one object; `fen` is its position as the dialect writes it,
/// and `ids` are the names of rule sets that it uses.
pub(crate) fn state(engine: &Engine, fen: &str, ids: RulesetIds) -> String {
    let (pos, history) = (engine.position(), engine.history());
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
    let takes_due = Color::ALL.map(|color| pos.stated_takes_due(color));
    let pending = pos.mover().map_or(0, |us| takes_due[us.index()]);
    let legal: Vec<String> = pos.legal_moves().iter().map(ToString::to_string).collect();
    json!({
        "protocol_version": VERSION,
        "status": if is_over { "terminal" } else { "ok" },
        "ruleset_id": ids.of(pos.rules()),
        "rules_identity": identity::rules(pos.rules()),
        "strict_referee_identity": identity::referee(pos.rules(), engine.values().profile),
        "rules_options": rules,
        "history_origin": match history.origin {
            PositionOrigin::Start => "game_start",
            PositionOrigin::Text(_) => "fresh_setup",
        },
        "history_sha256": identity::history(history),
        "fen": fen,
        "side_to_move": side(pos.mover()),
        "phase": phase,
        "action": action_name(pos),
        "pending_removal": pending > 0,
        "pending_removal_count": pending,
        "pending_removals": takes_due,
        "legal_actions": legal,
        "action_token_count": history.moves.len(),
        "logical_ply_count": history.plies[0] + history.plies[1],
        "logical_plies_by_side": history.plies,
        "no_capture_count": pos.move_counter(),
        "repetition_current_count": pos.present_repetitions(),
        "repetition_history_length": pos.repetition_window(),
        "snapshot_history_length": history.moves.len() + 1,
        "terminal": is_over,
        "winner": side(outcome.winner),
        "winner_code": winner_code(outcome),
        "outcome_reason": outcome.reason.name(),
        "outcome_reason_code": snake_case(outcome.reason),
    })
    .to_string()
}

/// Returns the word for the action that the position text names.
fn action_name(pos: &Position) -> &'static str {
    match pos.stated_action() {
        Action::Place => "place",
        Action::Slide => "select",
        Action::Take => "remove",
        Action::None => "game_over",
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;

    #[test]
    fn the_state_is_one_object_with_the_fields_clients_read() {
        let engine = Engine::new().unwrap();
        let fen = engine.position().fen();
        let object: Value = serde_json::from_str(&state(&engine, &fen, RulesetIds::Own)).unwrap();
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
