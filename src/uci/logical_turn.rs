//! The turn that answers `go logical`, as one JSON object.

use crate::dialect::strict::VERSION;
use crate::position::Position;
use crate::search::limits::MAX_DEPTH;
use crate::search::{BestMove, Score};
use crate::types::{Color, Depth, Move, MoveKind};
use serde_json::{Value, json};

/// The moves of a turn and the searches that found them.
#[derive(Clone)]
pub(super) struct LogicalTurn {
    /// The position before the turn.
    start: Position,
    /// The moves so far.
    moves: Vec<Move>,
    /// The node limit of all searches together.
    pub(super) budget: u64,
    /// The node limit of the running search.
    pub(super) limit: u64,
    /// The deepest iteration of each search, if the request sets one.
    pub(super) depth: Option<Depth>,
    /// The result of the first search.
    first: Option<BestMove>,
    /// The nodes of the searches after the first.
    take_nodes: u64,
}

impl LogicalTurn {
    /// Returns a turn without moves. The first number of nodes is for all searches, the second for the first.
    pub(super) fn new(start: &Position, [budget, limit]: [u64; 2], depth: Option<Depth>) -> Self {
        Self { start: start.clone(), moves: Vec::new(), budget, limit, depth, first: None, take_nodes: 0 }
    }

    /// Returns the number of nodes used so far.
    pub(super) fn nodes(&self) -> u64 {
        self.take_nodes + self.first.as_ref().map_or(0, |first| first.nodes)
    }

    /// Adds the move that a search has found.
    pub(super) fn add(&mut self, m: Move, best: &BestMove) {
        match self.first {
            None => self.first = Some(best.clone()),
            Some(_) => self.take_nodes += best.nodes,
        }
        self.moves.push(m);
    }

    /// Returns the object for the turn, which leads to `pos`.
    pub(super) fn object(&self, pos: &Position, fen: &str) -> Value {
        let outcome = pos.outcome();
        let tokens: Vec<String> = self.moves.iter().map(Move::to_string).collect();
        let completed = self.first.as_ref().map_or(0, |first| first.depth);
        let (kind, score) = match self.first.as_ref().map(|first| Score::of(first.score)) {
            None => (Value::Null, Value::Null),
            Some(Score::Cp(cp)) => (json!("cp"), json!(cp)),
            Some(Score::Mate(turns)) => (json!("mate"), json!(turns)),
        };
        let side = |side: Option<Color>| side.map(|color| color.to_string());
        json!({
            "protocol_version": VERSION,
            "status": if self.moves.is_empty() { "terminal" } else { "ok" },
            "full_turn_actions": tokens,
            "logical_move_id": tokens.concat(),
            "logical_ply_delta": u32::from(!self.moves.is_empty()),
            "model_action": model_action(&self.moves),
            "resulting_fen": fen,
            "resulting_side_to_move": side(pos.mover()),
            "terminal": outcome.is_over(),
            "winner": side(outcome.winner),
            "outcome_reason": outcome.reason.name(),
            "effective_depth": self.depth.map_or(completed, |depth| depth.min(MAX_DEPTH)),
            "completed_depth": completed,
            "score_kind": kind,
            "score": score,
            "score_perspective": side(self.start.mover()),
            "node_budget": self.budget,
            "primary_nodes": self.nodes() - self.take_nodes,
            "removal_nodes": self.take_nodes,
            "total_nodes": self.nodes(),
            "search_calls": self.moves.len(),
        })
    }
}

/// Returns the turn as one move: where the man comes from, where it goes, and the first man taken.
fn model_action(moves: &[Move]) -> Value {
    let mut action = json!({ "from": null, "to": null, "capture": null });
    for m in moves {
        match m.kind() {
            MoveKind::Place => action["to"] = json!(m.to().to_string()),
            MoveKind::Slide => {
                action["from"] = json!(m.from().to_string());
                action["to"] = json!(m.to().to_string());
            }
            MoveKind::Take if action["capture"].is_null() => action["capture"] = json!(m.to().to_string()),
            MoveKind::Take | MoveKind::None => {}
        }
    }
    action
}
