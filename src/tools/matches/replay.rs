//! Checks the finished games of a file to resume from by playing them again.

use super::game::{FinishedGame, Side, WON_BY_TABLEBASE, points_of};
use super::plan::Plan;
use crate::notation;
use crate::position::Position;
use crate::record::Builder;
use crate::tablebase::Wdl;
use crate::tools::resume::WrongPart;
use crate::types::Move;

/// Checks that a game can have been played in a match, and that its result follows from its moves.
///
/// # Errors
/// The first contradiction.
pub(super) fn check(plan: &Plan<'_>, game: &FinishedGame) -> Result<(), WrongPart> {
    let FinishedGame { game: number, white, points, .. } = *game;
    if number == 0 {
        return Err(WrongPart::new("game 0", "games numbered from 1"));
    }
    let expected = plan.white(number);
    if white != expected {
        return Err(WrongPart::new(format!("{white:?} as White of game {number}"), format!("{expected:?}")));
    }
    if !(game.seconds.is_finite() && game.seconds >= 0.0) {
        return Err(WrongPart::new(format!("{} seconds", game.seconds), "a time"));
    }
    let pos = replay(plan, game)?;
    let expected = match (game.fault, is_won_by(plan, game, &pos)) {
        (Some(side), _) => {
            if side == Side::A {
                0
            } else {
                2
            }
        }
        (None, Some(winner)) => {
            if winner == Side::A {
                2
            } else {
                0
            }
        }
        (None, None) => {
            let outcome = pos.outcome();
            let reason = if outcome.is_over() { outcome.reason.name() } else { "dead end" };
            if !outcome.is_over() && !pos.legal_moves().is_empty() {
                return Err(WrongPart::new(
                    format!("the end of a game at {}", pos.fen()),
                    "its end by the rules",
                ));
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
    Ok(())
}

/// Returns the winner of a game that the tablebase has ended, by the value of its last position.
fn is_won_by(plan: &Plan<'_>, game: &FinishedGame, pos: &Position) -> Option<Side> {
    let exact = plan.exact.as_deref().filter(|_| plan.args.adjudicate && game.reason == WON_BY_TABLEBASE)?;
    let mover = game.side_of(pos.side_to_move());
    // A damaged file is reported when the match needs it; here it proves nothing.
    match exact.value(pos).ok()?? {
        Wdl::Win => Some(mover),
        Wdl::Loss => Some(mover.other()),
        Wdl::Draw => None,
    }
}

/// Plays the moves of a game and returns its last position.
fn replay(plan: &Plan<'_>, game: &FinishedGame) -> Result<Position, WrongPart> {
    let opening = plan.opening(game.game);
    if game.start != opening.start {
        let text = |start: &Option<String>| format!("start {}", start.as_deref().unwrap_or("startpos"));
        return Err(WrongPart::new(text(&game.start), text(&opening.start)));
    }
    let begun = Builder::new(plan.args.rules, game.start.as_deref());
    let mut played = begun.map_err(|why| WrongPart::new(why.to_string(), "a position"))?;
    let mut lost = game.value_lost.iter();
    let mut next_lost = lost.next();
    let mut moves: Vec<Move> = Vec::new();
    for word in game.moves.split(' ').filter(|word| !word.is_empty()) {
        let pos = played.position();
        let fen = pos.fen();
        if pos.outcome().is_over() && moves.len() >= opening.moves.len() {
            return Err(WrongPart::new(format!("{word} after the end of the game"), "no move"));
        }
        let m =
            notation::parse(pos, word).map_err(|why| WrongPart::new(format!("'{word}'"), why.to_string()))?;
        if next_lost.is_some_and(|lost| lost.fen == fen && lost.played == word) {
            next_lost = lost.next();
        }
        played.push(m).map_err(|_| WrongPart::new(format!("{m} at {fen}"), "a legal move"))?;
        moves.push(m);
    }
    if game.opening != opening.moves.len() || !moves.starts_with(&opening.moves) {
        let words: Vec<String> = opening.moves.iter().map(Move::to_string).collect();
        return Err(WrongPart::new("another opening", words.join(" ")));
    }
    match next_lost {
        Some(lost) => Err(WrongPart::new(
            format!("lost value by {} at {}", lost.played, lost.fen),
            "a move of the game",
        )),
        None => Ok(played.position().clone()),
    }
}
