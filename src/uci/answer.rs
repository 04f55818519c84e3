//! The answer to a finished search: `bestmove` and its forms in other dialects.

use super::analysis;
use super::logical;
use super::output::Output;
use super::search::{ActiveSearch, NextSearch, Purpose};
use crate::dialect::writer::{Answer, Dialect, View};
use crate::engine::{Engine, searchable};
use crate::position::Position;
use crate::search::BestMove;
use crate::types::{Color, Move, VALUE_DRAW};
use std::io;

/// Writes the answer of a search. Returns the search for the rest of the turn if there is one to make first.
///
/// # Errors
/// If a line cannot be written.
pub(super) fn write(
    search: &ActiveSearch,
    best: &BestMove,
    engine: &Engine,
    dialect: &dyn Dialect,
    out: &mut Output,
) -> io::Result<Option<NextSearch>> {
    match &search.purpose {
        Purpose::Analysis => {
            analysis::write(&search.root, &search.ranking(best, engine), engine, out)?;
            Ok(None)
        }
        Purpose::Go { topn, turn } => {
            if let Some(n) = *topn {
                write_ranks(search, n, best, engine, dialect, out)?;
            }
            write_best_move(search, turn, best, engine, dialect, out)
        }
        Purpose::Logical(_) => logical::go_on(search, best, dialect, out),
    }
}

/// Writes the best `n` moves, for `go topn`.
fn write_ranks(
    search: &ActiveSearch,
    n: usize,
    best: &BestMove,
    engine: &Engine,
    dialect: &dyn Dialect,
    out: &mut Output,
) -> io::Result<()> {
    let side = search.root.side_to_move();
    for (index, (m, value)) in search.ranking(best, engine).iter().take(n).enumerate() {
        let score = dialect.score(*value, side);
        out.line(&format!("info topn rank {} move {m} score {score}", index + 1))?;
    }
    Ok(())
}

/// Writes the answer to `go`: the moves of the turn that are chosen already, then the best one and what
/// completes the turn.
fn write_best_move(
    search: &ActiveSearch,
    chosen: &[Move],
    best: &BestMove,
    engine: &Engine,
    dialect: &dyn Dialect,
    out: &mut Output,
) -> io::Result<Option<NextSearch>> {
    let mut moves = chosen.to_vec();
    let root = &search.root;
    let side = root.side_to_move();
    let Some(first) = best.best else {
        out.line(&dialect.no_move(false))?;
        return Ok(None);
    };
    let mut ponder: Vec<Move> = best.ponder.into_iter().collect();
    if dialect.whole_turns() {
        let only = [first];
        let found = search.line_of(best).map_or(&only[..], |info| info.pv.as_slice());
        let mut line = engine.certified_turn(found).unwrap_or(found).iter().copied();
        let mut pos = root.clone();
        let is_complete = play_turn(&mut pos, &mut line, side, &mut moves);
        if !is_complete && let Ok(rest) = searchable(&pos, true) {
            let (limits, purpose) =
                (search.limits_for_the_rest(&rest), Purpose::Go { topn: None, turn: moves });
            return Ok(Some(NextSearch { root: rest, limits, purpose }));
        }
        ponder.clear();
        if !play_turn(&mut pos, &mut line, !side, &mut ponder) {
            ponder.clear();
        }
    } else {
        moves.push(first);
    }
    let answer = Answer { turn: moves, ponder, score: best.score, depth: best.depth, nodes: best.nodes };
    let view = View { root, several: false, wdl: false, draw: VALUE_DRAW };
    out.line(&dialect.answer(&answer, &view))?;
    Ok(None)
}

/// Plays moves of `line` while `side` is to move and adds them to `turn`. Returns true if the turn is
/// complete.
fn play_turn(
    pos: &mut Position,
    line: &mut impl Iterator<Item = Move>,
    side: Color,
    turn: &mut Vec<Move>,
) -> bool {
    let before = turn.len();
    while pos.side_to_move() == side
        && (turn.len() == before || pos.is_take_due())
        && !pos.outcome().is_over()
    {
        match line.next().filter(|m| pos.is_legal(*m)) {
            Some(m) => {
                pos.do_move(m);
                turn.push(m);
            }
            None => return false,
        }
    }
    turn.len() > before
}
