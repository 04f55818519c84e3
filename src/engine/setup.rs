//! Setting up a position from the arguments of `position`, and the root of a search from a position.

use super::error::{EngineError, Note};
use super::request::{ErrorPolicy, PositionHistory, PositionOrigin, PositionRequest};
use crate::notation::{self, MoveError};
use crate::platform::sync::Arc;
use crate::platform::text::{join_words, printable};
use crate::position::{CountPolicy, Position, Reason};
use crate::rules::CompiledRules;
use crate::types::{Move, MoveKind};

/// A position that a request describes.
#[derive(Debug)]
pub(crate) struct SetUp {
    /// The position after the moves.
    pub position: Position,
    /// The origin of the position, and the moves played since.
    pub history: PositionHistory,
    /// The errors that were repaired.
    pub repairs: Vec<Note>,
}

/// Sets up the position of a request. Unless `past_draws`, a draw by repetition or by the counters ends the
/// list of moves.
///
/// # Errors
/// If the text or a move is wrong; never with [`ErrorPolicy::Repair`].
pub(super) fn set_up(
    compiled: &Arc<CompiledRules>,
    request: &PositionRequest,
    policy: ErrorPolicy,
    past_draws: bool,
) -> Result<SetUp, EngineError> {
    let mut repairs = Vec::new();
    let (mut position, origin) = read_origin(compiled, &request.origin, policy, &mut repairs)?;
    let mut history = PositionHistory { origin, ..PositionHistory::default() };
    for (index, token) in request.moves.split_ascii_whitespace().enumerate() {
        if let Err(error) = play(&mut position, &mut history, index, token, policy, past_draws) {
            if policy != ErrorPolicy::Repair {
                return Err(error);
            }
            repairs.push(Note::MovesDropped(error));
            break;
        }
    }
    Ok(SetUp { position, history, repairs })
}

/// Sets up the position of a history again, under rules that differ only in the positions that repetition
/// counts.
pub(super) fn replay(compiled: &Arc<CompiledRules>, history: &PositionHistory) -> Position {
    let read = read_origin(compiled, &history.origin, ErrorPolicy::Repair, &mut Vec::new());
    // This policy never refuses a text.
    let mut position =
        read.map_or_else(|_| Position::with_compiled(Arc::clone(compiled)), |(position, _)| position);
    history.moves.iter().for_each(|&m| position.do_move(m));
    position
}

/// Returns the position of an origin, and its real origin: the initial position if the text was unreadable.
fn read_origin(
    compiled: &Arc<CompiledRules>,
    origin: &PositionOrigin,
    policy: ErrorPolicy,
    repairs: &mut Vec<Note>,
) -> Result<(Position, PositionOrigin), EngineError> {
    let start = || (Position::with_compiled(Arc::clone(compiled)), PositionOrigin::Start);
    let PositionOrigin::Text(text) = origin else { return Ok(start()) };
    let origin = PositionOrigin::Text(join_words(text.split_ascii_whitespace()));
    let read = |policy| Position::from_fen_with(Arc::clone(compiled), text, policy);
    let error = match read(CountPolicy::Refuse) {
        Ok(position) => return Ok((position, origin)),
        Err(error) if policy != ErrorPolicy::Repair => return Err(EngineError::Position(error)),
        Err(error) => error,
    };
    if let Ok(position) = read(CountPolicy::Repair) {
        repairs.push(Note::Counts(error));
        return Ok((position, origin));
    }
    repairs.push(Note::InitialPosition(error));
    Ok(start())
}

/// Plays one word of a move list: a move, or a whole turn unless the policy is strict.
fn play(
    pos: &mut Position,
    history: &mut PositionHistory,
    index: usize,
    token: &str,
    policy: ErrorPolicy,
    past_draws: bool,
) -> Result<(), EngineError> {
    let side = pos.side_to_move();
    let mut play_one = |text: &str| {
        if pos.side_to_move() != side {
            let error = MoveError::AfterTurn(printable(text, 40));
            return Err(EngineError::Move { index, token: token.to_owned(), error });
        }
        let over = |reason| EngineError::MoveAfterEnd { index, token: token.to_owned(), reason };
        if !past_draws && let Some(reason) = pos.claimable_draw() {
            return Err(over(reason));
        }
        let m = notation::parse(pos, text).map_err(|error| {
            let reason = pos.outcome().reason;
            match error {
                MoveError::Illegal { .. } if reason != Reason::Ongoing && !reason.is_claimable() => {
                    over(reason)
                }
                error => EngineError::Move { index, token: token.to_owned(), error },
            }
        })?;
        history.moves.push(m);
        if m.kind() != MoveKind::Take {
            history.plies[pos.side_to_move().index()] += 1;
        }
        pos.do_move(m);
        Ok(())
    };
    if policy == ErrorPolicy::Strict {
        return play_one(token);
    }
    notation::split_turn(token).try_for_each(&mut play_one)
}

/// Returns the first move of a word that can be played in `root`: a move, or a whole turn unless `strict`.
///
/// # Errors
/// If the word is no move, or one of its moves cannot be played: the note that it is skipped.
pub(super) fn first_move(root: &Position, token: &str, strict: bool) -> Result<Move, Note> {
    let skipped = |error| Note::Skipped { token: token.to_owned(), error };
    if strict {
        return notation::parse(root, token).map_err(skipped);
    }
    notation::parse_turn(root, token).map(|(moves, _)| moves[0]).map_err(skipped)
}

/// Returns the root of a search of `position`. With `past_draws`, its draw counters are reset if the game is
/// drawn by repetition or by a counter.
///
/// # Errors
/// If the game is over, or drawn without `past_draws`, or there is no move.
pub(crate) fn searchable(position: &Position, past_draws: bool) -> Result<Position, EngineError> {
    let mut root = position.clone();
    let outcome = root.outcome();
    if outcome.reason.is_claimable() {
        if !past_draws {
            return Err(EngineError::Drawn(outcome.reason));
        }
        root.forget_history();
    }
    let outcome = root.outcome();
    if outcome.is_over() {
        return Err(EngineError::Over(outcome.reason));
    }
    if root.playable_moves().is_empty() {
        return Err(EngineError::NoMove);
    }
    Ok(root)
}
