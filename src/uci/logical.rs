//! `go logical`: a whole turn within a number of nodes, found by one search for each of its moves.

use super::logical_turn::LogicalTurn;
use super::output::Output;
use super::search::{ActiveSearch, NextSearch, Purpose};
use crate::dialect::command::Go;
use crate::dialect::strict::{self, ErrorCode};
use crate::dialect::text::tame;
use crate::dialect::writer::Dialect;
use crate::engine::{Engine, EngineError, GoRequest};
use crate::platform::text::counted;
use crate::position::{Action, Position};
use crate::search::BestMove;
use crate::search::limits::Limits;
use crate::types::Move;
use serde_json::Value;
use std::io;

/// The reserve for a take is the total number of nodes divided by this.
const TAKE_SHARE: u64 = 4;
/// The maximum reserve for a take, and the nodes for a take after `stop`.
const MOST_FOR_TAKE: u64 = 20_000;

/// Returns the search for the first move of the turn, or answers at once where there is none.
///
/// # Errors
/// If a line cannot be written.
pub(super) fn begin(
    go: &Go,
    engine: &mut Engine,
    dialect: &dyn Dialect,
    out: &mut Output,
) -> io::Result<Option<NextSearch>> {
    let fail = |out: &mut Output, code, message: &str| {
        out.strict_error(&strict::error(code, "go", message)).map(|()| None)
    };
    if !engine.values().strict {
        let message = "go logical: found StrictFailurePolicy off, expected it on";
        return fail(out, ErrorCode::PolicyRequired, message);
    }
    // A text may name a placing where the rules ask for a take.
    let is_take_next = |pos: &Position| pos.is_next::<true>(Action::Take);
    let budget = go.request.nodes.unwrap_or(0);
    let (root, depth) = (engine.root(false), go.request.depth);
    let turn = |start: &Position, limit| LogicalTurn::new(start, [budget, limit], depth);
    let root = match root {
        Ok(root) if !is_take_next(&root) => root,
        Err(error @ EngineError::NoPosition) => return fail(out, ErrorCode::Unavailable, &error.to_string()),
        Err(EngineError::Over(_) | EngineError::Drawn(_)) => {
            let pos = engine.position();
            write(&turn(pos, 0).object(pos, &dialect.fen(pos)), out)?;
            return Ok(None);
        }
        Err(error @ EngineError::NoMove) if !is_take_next(engine.position()) => {
            return fail(out, ErrorCode::NoMove, &error.to_string());
        }
        _ => {
            let message =
                "go logical: found a position in which a take is due, expected one that begins a turn";
            return fail(out, ErrorCode::TakeDue, message);
        }
    };
    if budget == 0 {
        let message = "go logical: found no nodes, expected nodes and a number";
        return fail(out, ErrorCode::BudgetExhausted, message);
    }
    let searchmoves = go.request.searchmoves.clone();
    let request = GoRequest { nodes: Some(budget), depth, searchmoves, ..GoRequest::default() };
    if request != go.request || go.topn.is_some() {
        out.note("go logical: nodes, depth and searchmoves count; the other words have no effect")?;
    }
    let (mut limits, notes) = engine.limits(&request, &root);
    notes.iter().try_for_each(|note| out.note(note))?;
    limits.reproducible = true;
    let limit = budget - nodes_for_take(&root, budget);
    limits.nodes = Some(limit);
    engine.clear();
    let purpose = Purpose::Logical(Box::new(turn(&root, limit)));
    Ok(Some(NextSearch { root, limits, purpose }))
}

/// Returns the number of nodes to reserve for a take: 0 if no move earns one.
fn nodes_for_take(root: &Position, budget: u64) -> u64 {
    let earns = |m: Move| {
        let mut pos = root.clone();
        pos.do_move(m);
        pos.is_take_due() && pos.side_to_move() == root.side_to_move()
    };
    let is_needed = root.playable_moves().iter().any(|&m| earns(m));
    if is_needed { (budget / TAKE_SHARE).min(MOST_FOR_TAKE) } else { 0 }
}

/// Adds the move that a search has found. Returns the search for the take that it earns, or answers.
///
/// # Errors
/// If a line cannot be written.
pub(super) fn go_on(
    search: &ActiveSearch,
    best: &BestMove,
    dialect: &dyn Dialect,
    out: &mut Output,
) -> io::Result<Option<NextSearch>> {
    let Purpose::Logical(turn) = &search.purpose else { return Ok(None) };
    let mut turn = turn.clone();
    let Some(m) = best.best else {
        out.strict_error(&strict::error(ErrorCode::NoMove, "go", "the search found no move"))?;
        return Ok(None);
    };
    let mut pos = search.root.clone();
    let side = pos.side_to_move();
    turn.add(m, best);
    pos.do_move(m);
    let is_complete = pos.side_to_move() != side || pos.outcome().is_over() || !pos.is_take_due();
    let left = turn.budget.saturating_sub(turn.nodes());
    // A search that was stopped earlier has a move too.
    let is_short = best.depth == 0 && best.nodes >= turn.limit;
    if is_short || turn.nodes() > turn.budget || !is_complete && left == 0 {
        let found = counted(turn.budget, "node");
        let message = format!("go logical: found {found}, expected enough for a first iteration");
        out.strict_error(&strict::error(ErrorCode::BudgetExhausted, "go", &message))?;
        return Ok(None);
    }
    if is_complete {
        write(&turn.object(&pos, &dialect.fen(&pos)), out)?;
        return Ok(None);
    }
    let left = if search.is_stopped { left.min(MOST_FOR_TAKE) } else { left };
    // The takes that follow this one have their share.
    turn.limit = (left / u64::from(pos.takes_due(side)).max(1)).max(1);
    let nodes = Some(turn.limit);
    let limits = Limits { nodes, depth: turn.depth, reproducible: true, ..Limits::default() };
    Ok(Some(NextSearch { root: pos, limits, purpose: Purpose::Logical(turn) }))
}

fn write(object: &Value, out: &mut Output) -> io::Result<()> {
    out.line(&format!("info string sanmill_logical_turn {}", tame(&object.to_string())))
}
