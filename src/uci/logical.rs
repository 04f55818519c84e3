//! `go logical`: a whole turn, found by several searches, as one JSON object.

use crate::position::Position;
use crate::search::{BestMove, Score};
use crate::types::{Move, MoveKind, Value};
use serde_json::json;

/// The moves of a turn and the searches that found them.
pub(super) struct LogicalTurn {
    /// The position before the turn.
    start: Position,
    /// The moves so far.
    moves: Vec<Move>,
    /// The node limit of each search.
    pub(super) node_budget: Option<u64>,
    /// The nodes of all searches.
    nodes: u64,
    /// The number of searches.
    searches: u32,
    /// The score of the first search, from the point of view of the side to move.
    score: Value,
}

impl LogicalTurn {
    /// Returns a turn without moves.
    pub(super) fn new(start: &Position, node_budget: Option<u64>) -> Self {
        Self { start: start.clone(), moves: Vec::new(), node_budget, nodes: 0, searches: 0, score: 0 }
    }

    /// Adds the move that a search has found.
    pub(super) fn add(&mut self, m: Move, best: &BestMove) {
        if self.searches == 0 {
            self.score = best.score;
        }
        self.searches += 1;
        self.nodes += best.nodes;
        self.moves.push(m);
    }

    /// Returns the object for the turn that leads to `pos`; `best` is the result of the last search.
    pub(super) fn object(&self, pos: &Position, fen: &str, best: &BestMove) -> serde_json::Value {
        let outcome = pos.outcome();
        let tokens: Vec<String> = self.moves.iter().map(Move::to_string).collect();
        let mut action = json!({ "from": null, "to": null, "capture": null });
        for m in &self.moves {
            match m.kind() {
                MoveKind::Place => action["to"] = json!(m.to().to_string()),
                MoveKind::Slide => {
                    action["from"] = json!(m.from().to_string());
                    action["to"] = json!(m.to().to_string());
                }
                MoveKind::Take => action["capture"] = json!(m.to().to_string()),
                MoveKind::None => {}
            }
        }
        let (kind, score) = match Score::of(self.score) {
            Score::Cp(cp) => ("cp", cp),
            Score::Mate(turns) => ("mate", turns),
        };
        json!({
            "protocol_version": 1,
            "status": if outcome.is_over() { "terminal" } else { "ok" },
            "full_turn_actions": tokens,
            "logical_move_id": tokens.concat(),
            "model_action": action,
            "resulting_fen": fen,
            "resulting_side_to_move": pos.mover().map(|color| color.to_string()),
            "terminal": outcome.is_over(),
            "winner": outcome.winner.map(|color| color.to_string()),
            "outcome_reason": outcome.reason.name(),
            "effective_depth": best.depth,
            "completed_depth": best.depth,
            "score_kind": kind,
            "score": score,
            "score_perspective": self.start.side_to_move().to_string(),
            "node_budget": self.node_budget,
            "total_nodes": self.nodes,
            "search_calls": self.searches,
        })
    }
}
