//! Checks the finished games of a file to resume from by playing them again.

use super::fault::Fault;
use super::game::{FinishedGame, Side, WON_BY_TABLEBASE, points_of};
use super::perfect::{ValueLost, value_lost};
use super::plan::Plan;
use crate::notation;
use crate::position::Position;
use crate::record::Builder;
use crate::tablebase::{TablebaseError, Wdl};
use crate::tools::exact_values::decided;
use crate::tools::resume::{WrongPart, check_seconds};
use crate::types::Move;

/// Checks that a game can have been played in a match, and that its result follows from its moves. Returns
/// the moves of A that lost value, those included of which only the tablebase of this run knows it.
///
/// # Errors
/// The first contradiction.
pub(super) fn check(plan: &Plan<'_>, game: &FinishedGame) -> Result<Vec<ValueLost>, WrongPart> {
    let FinishedGame { game: number, white, points, .. } = *game;
    if number == 0 {
        return Err(WrongPart::new("game 0", "games numbered from 1"));
    }
    let expected = plan.white(number);
    if white != expected {
        return Err(WrongPart::new(format!("{white:?} as White of game {number}"), format!("{expected:?}")));
    }
    check_seconds(game.seconds)?;
    let (pos, value_lost) = replay(plan, game)?;
    let expected = match (game.fault, winner_by_tablebase(plan, game, &pos)?) {
        (Some(side), _) => {
            check_fault(plan, game, side, &pos)?;
            side.other().points()
        }
        (None, Some(winner)) => winner.points(),
        (None, None) => {
            let outcome = pos.outcome();
            let reason = if outcome.is_over() { outcome.reason.name() } else { "dead end" };
            if !outcome.is_over() && !pos.legal_moves().is_empty() {
                let expected = match game.reason == WON_BY_TABLEBASE {
                    true => "a tablebase that decides it",
                    false => "its end by the rules",
                };
                return Err(WrongPart::new(format!("the end of a game at {}", pos.fen()), expected));
            }
            if game.reason != reason {
                return Err(WrongPart::new(format!("reason '{}'", game.reason), format!("'{reason}'")));
            }
            points_of(outcome, white)
        }
    };
    if points != expected {
        let text = |points: u8| format!("{points} half points for A");
        return Err(WrongPart::new(text(points), text(expected)));
    }
    Ok(value_lost)
}

/// Checks that a player can have lost a game by a fault in its last position.
fn check_fault(plan: &Plan<'_>, game: &FinishedGame, side: Side, pos: &Position) -> Result<(), WrongPart> {
    if !Fault::may_be(&game.reason) {
        return Err(WrongPart::new(
            format!("a fault of {side:?} and the reason '{}'", game.reason),
            format!("a reason that begins with one of {}", Fault::KINDS.join(", ")),
        ));
    }
    // Either player can fail to begin a game; later only the one to move.
    if game.moves.split(' ').filter(|word| !word.is_empty()).count() == plan.opening(game.game).moves.len() {
        return Ok(());
    }
    if pos.outcome().is_over() {
        let end = format!("the end by {}", pos.outcome().reason.name());
        return Err(WrongPart::new(format!("a fault of {side:?} after the end of the game"), end));
    }
    let mover = game.side_of(pos.side_to_move());
    if side != mover {
        return Err(WrongPart::new(
            format!("a fault of {side:?} at {}", pos.fen()),
            format!("one of {mover:?}"),
        ));
    }
    Ok(())
}

/// The tools report damage in a file once, so here is the only place to tell it.
fn damaged(why: TablebaseError) -> WrongPart {
    WrongPart::new(why.to_string(), "a sound tablebase to check the game")
}

/// Returns the value that a move of A loses in a position, and checks that the file agrees if it stores one.
fn judge(
    plan: &Plan<'_>,
    stored: Option<&ValueLost>,
    pos: &Position,
    m: Move,
) -> Result<Option<ValueLost>, WrongPart> {
    let values =
        plan.exact.as_deref().map(|exact| exact.move_results(pos)).transpose().map_err(damaged)?.flatten();
    let known = values.map(|values| value_lost(&values, pos, m, pos.moves_played()));
    // The run that played the game may have had a smaller tablebase, a larger one or none.
    let Some(lost) = stored else { return Ok(known.flatten()) };
    let rank = |value: char| "LDW".find(value);
    let is_lost = rank(lost.before).zip(rank(lost.after)).is_some_and(|(before, after)| after < before);
    let is_of_ply = lost.ply == pos.moves_played();
    match known {
        Some(known) if is_of_ply && known.as_ref() != Some(lost) => Err(WrongPart::new(
            format!("lost value from {} to {} by {m} at {}", lost.before, lost.after, lost.fen),
            known.map_or("no lost value".to_owned(), |known| {
                format!("from {} to {}, better {}", known.before, known.after, known.better.join(" "))
            }),
        )),
        _ if !is_of_ply || !is_lost => Err(WrongPart::new(
            format!("lost value from {} to {} at ply {}", lost.before, lost.after, lost.ply),
            format!("less value at ply {}", pos.moves_played()),
        )),
        _ => Ok(Some(lost.clone())),
    }
}

/// Returns the winner of a game that the tablebase has ended, by the value of its last position.
fn winner_by_tablebase(
    plan: &Plan<'_>,
    game: &FinishedGame,
    pos: &Position,
) -> Result<Option<Side>, WrongPart> {
    let is_ended = plan.args.adjudicate && game.reason == WON_BY_TABLEBASE;
    let Some(exact) = plan.exact.as_deref().filter(|_| is_ended) else { return Ok(None) };
    let mover = game.side_of(pos.side_to_move());
    Ok(match decided(exact, pos).map_err(damaged)? {
        Some(Wdl::Win) => Some(mover),
        Some(Wdl::Loss) => Some(mover.other()),
        Some(Wdl::Draw) | None => None,
    })
}

/// Plays the moves of a game. Returns its last position and the moves of A that lost value.
fn replay(plan: &Plan<'_>, game: &FinishedGame) -> Result<(Position, Vec<ValueLost>), WrongPart> {
    let opening = plan.opening(game.game);
    if game.start != opening.start {
        let text = |start: &Option<String>| format!("start {}", start.as_deref().unwrap_or("startpos"));
        return Err(WrongPart::new(text(&game.start), text(&opening.start)));
    }
    let begun = Builder::new(plan.args.rules, game.start.as_deref());
    let mut played = begun.map_err(|why| WrongPart::new(why.to_string(), "a position"))?;
    let mut stored = game.value_lost.iter().peekable();
    let mut value_lost = Vec::new();
    let mut moves: Vec<Move> = Vec::new();
    for word in game.moves.split(' ').filter(|word| !word.is_empty()) {
        let pos = played.position();
        let fen = pos.fen();
        if pos.outcome().is_over() && moves.len() >= opening.moves.len() {
            return Err(WrongPart::new(format!("{word} after the end of the game"), "no move"));
        }
        let m = notation::parse(pos, word)
            .map_err(|_| WrongPart::new(format!("'{word}'"), format!("a legal move at {fen}")))?;
        if game.side_of(pos.side_to_move()) == Side::A && moves.len() >= opening.moves.len() {
            let entry = stored.next_if(|lost| lost.fen == fen && lost.played == word);
            value_lost.extend(judge(plan, entry, pos, m)?);
        }
        played.push(m).map_err(|_| WrongPart::new(format!("{m} at {fen}"), "a legal move"))?;
        moves.push(m);
    }
    if game.opening != opening.moves.len() || !moves.starts_with(&opening.moves) {
        let words: Vec<String> = opening.moves.iter().map(Move::to_string).collect();
        return Err(WrongPart::new("another opening", words.join(" ")));
    }
    match stored.next() {
        Some(lost) => Err(WrongPart::new(
            format!("lost value by {} at {}", lost.played, lost.fen),
            "a move of A in the game",
        )),
        None => Ok((played.position().clone(), value_lost)),
    }
}
