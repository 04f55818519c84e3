//! One game of a match: players, clocks and result.

use super::builtin::Builtin;
use super::client::{Client, CutLines, Reply};
use super::fault::{Fault, MoveFault};
use super::limits::{Clock, GoLimits};
use super::perfect::{ValueLost, loss_of_value};
use crate::position::{Outcome, Phase, Position};
use crate::record::{Builder, GameResult};
use crate::rules::Rules;
use crate::search::node::turns_ended;
use crate::tablebase::{Tablebase, TablebaseError, Wdl};
use crate::tools::error::{Place, ToolError};
use crate::tools::exact_values;
use crate::types::{Color, Move};
use serde::{Deserialize, Serialize};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// A player of a match.
pub enum Player {
    /// An engine in its own process.
    Engine(Box<Client>),
    /// A built-in opponent.
    Builtin(Box<Builtin>),
}

impl Player {
    fn new_game(&mut self) -> Result<Result<(), Fault>, ToolError> {
        match self {
            Self::Engine(client) => client.new_game(),
            Self::Builtin(_) => Ok(Ok(())),
        }
    }

    /// Returns its output that was cut since the last call, if any was.
    pub(super) fn note(&mut self) -> Option<CutLines> {
        match self {
            Self::Engine(client) => client.note(),
            Self::Builtin(_) => None,
        }
    }

    /// Returns its moves, or the fault by which it loses.
    ///
    /// # Errors
    /// If a built-in opponent cannot play: its tablebase is no player, and loses no game.
    fn play(
        &mut self,
        game: &mut Builder,
        limits: &GoLimits,
        clocks: &[Clock; 2],
    ) -> Result<Result<Reply, Fault>, ToolError> {
        Ok(match self {
            Self::Engine(client) => client.play(game, limits, clocks),
            Self::Builtin(builtin) => {
                let start = Instant::now();
                let best = builtin.choose(game.position())?;
                let moves = best.into_iter().collect();
                Ok(Reply { moves, used: start.elapsed() })
            }
        })
    }
}

/// The start of a game: a position and moves from there.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Opening {
    /// The position text; `None` for the initial position.
    pub start: Option<String>,
    /// The moves.
    pub moves: Vec<Move>,
}

/// One of the two players of a match.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// The first.
    A,
    /// The second.
    B,
}

impl Side {
    /// Returns 0 or 1.
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Returns the half points of A if this side wins.
    pub(super) const fn points(self) -> u8 {
        match self {
            Self::A => 2,
            Self::B => 0,
        }
    }

    /// Returns the other one.
    pub(super) const fn other(self) -> Self {
        match self {
            Self::A => Self::B,
            Self::B => Self::A,
        }
    }
}

/// The end reason of a game that the tablebase has ended.
pub(super) const WON_BY_TABLEBASE: &str = "won by the tablebase";

/// A finished game. The file to resume from holds it as one line of JSON.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FinishedGame {
    /// Its number in the match, from 1.
    pub game: u32,
    /// The player of White.
    pub white: Side,
    /// Half points of A.
    pub points: u8,
    /// The reason of its end.
    pub reason: String,
    /// The player that lost by a fault.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<Side>,
    /// The position text it started from, if not the initial position.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<String>,
    /// Its moves, the opening included.
    pub moves: String,
    /// The number of moves of the opening.
    pub opening: usize,
    /// Its time in seconds.
    pub seconds: f64,
    /// The moves of A that lost value by the tablebase.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub value_lost: Vec<ValueLost>,
}

impl FinishedGame {
    /// Returns the player of a colour.
    pub(super) const fn side_of(&self, color: Color) -> Side {
        player_of(color, self.white)
    }

    /// Returns the result as records write it.
    pub fn result(&self) -> GameResult {
        let white = if self.white == Side::A { self.points } else { 2 - self.points };
        match white {
            0 => GameResult::Win(Color::Black),
            1 => GameResult::Draw,
            _ => GameResult::Win(Color::White),
        }
    }
}

/// The conditions of a game.
pub struct Terms<'a> {
    /// The rules.
    pub rules: &'a Rules,
    /// The limits of A and B.
    pub limits: &'a [GoLimits; 2],
    /// Time beyond its limit that a move may take.
    pub margin: Duration,
    /// The tablebase that judges the moves of A.
    pub exact: Option<&'a Tablebase>,
    /// True if a position won by tablebase ends the game.
    pub adjudicate: bool,
    /// Set to end the game without a result.
    pub cancelled: &'a AtomicBool,
}

/// Plays game `number` between two players, A and B. Returns `None` if it was cancelled.
///
/// # Errors
/// If the opening cannot be set up under the rules, the system does not start an engine, or a tablebase is
/// damaged or lacks a position that a built-in opponent needs.
pub fn play(
    players: &mut [Player; 2],
    number: u32,
    white: Side,
    opening: &Opening,
    terms: &Terms<'_>,
) -> Result<Option<FinishedGame>, ToolError> {
    let begun = Instant::now();
    let mut game = Builder::new(*terms.rules, opening.start.as_deref())?;
    for &m in &opening.moves {
        game.push(m).map_err(|_| {
            let fen = Some(game.position().fen());
            ToolError::Unplayable { place: Place::Argument("--openings"), m, fen }
        })?;
    }
    let mut clocks =
        Color::ALL.map(|color| Clock::new(&terms.limits[player_of(color, white).index()], color));
    let (mut points, mut reason, mut fault) = (1, String::new(), None);
    let mut lost = |side: Side, why: Fault| {
        fault = Some(side);
        (side.other().points(), why.to_string())
    };
    for side in [Side::A, Side::B] {
        if let Err(why) = players[side.index()].new_game()? {
            (points, reason) = lost(side, why);
            break;
        }
    }
    let mut value_lost = Vec::new();
    while reason.is_empty() {
        if terms.cancelled.load(Ordering::Relaxed) {
            return Ok(None);
        }
        if let Some((ended_points, ended_by)) = ended(game.position(), white, terms)? {
            (points, reason) = (ended_points, ended_by.to_owned());
            break;
        }
        let side = player_of(game.position().side_to_move(), white);
        let before = (side == Side::A && terms.exact.is_some()).then(|| game.position().clone());
        let ply = game.position().moves_played();
        let limits = &terms.limits[side.index()];
        let reply = players[side.index()].play(&mut game, limits, &clocks)?;
        match reply.and_then(|reply| turn(reply, &mut game, limits, &mut clocks, terms.margin)) {
            Ok(moves) => {
                if let (Some(mut pos), Some(exact)) = (before, terms.exact) {
                    for (n, m) in moves.into_iter().enumerate() {
                        value_lost.extend(loss_of_value(exact, &pos, m, ply + n)?);
                        pos.do_move(m);
                    }
                }
            }
            Err(why) => (points, reason) = lost(side, why),
        }
    }
    let opening_moves = opening.moves.len();
    let (game, _) = game.finish();
    let moves = game.moves().map(|m| m.to_string()).collect::<Vec<_>>().join(" ");
    Ok(Some(FinishedGame {
        game: number,
        white,
        points,
        reason,
        fault,
        start: game.start,
        moves,
        opening: opening_moves,
        seconds: begun.elapsed().as_secs_f64(),
        value_lost,
    }))
}

/// Returns the player of a colour.
const fn player_of(color: Color, white: Side) -> Side {
    if matches!(color, Color::White) { white } else { white.other() }
}

/// Returns the half points of A and the reason, if the game ends in a position by the rules or the tablebase.
fn ended(
    pos: &Position,
    white: Side,
    terms: &Terms<'_>,
) -> Result<Option<(u8, &'static str)>, TablebaseError> {
    let outcome = pos.outcome();
    if outcome.is_over() {
        return Ok(Some((points_of(outcome, white), outcome.reason.name())));
    }
    if pos.legal_moves().is_empty() {
        // Under some rules a position can have no legal move although the game is not over.
        return Ok(Some((1, "dead end")));
    }
    if terms.adjudicate
        && let Some(value) = decided(terms, pos)?
    {
        let side = player_of(pos.side_to_move(), white);
        let winner = if value == Wdl::Win { side } else { side.other() };
        return Ok(Some((winner.points(), WON_BY_TABLEBASE)));
    }
    Ok(None)
}

/// Returns the value of a position in the moving phase if the tablebase decides it.
fn decided(terms: &Terms<'_>, pos: &Position) -> Result<Option<Wdl>, TablebaseError> {
    match terms.exact {
        Some(exact) if pos.phase() == Phase::Moving => exact_values::decided(exact, pos),
        _ => Ok(None),
    }
}

/// Plays the reply of the side to move, updates its clock and returns its moves.
fn turn(
    reply: Reply,
    game: &mut Builder,
    limits: &GoLimits,
    clocks: &mut [Clock; 2],
    margin: Duration,
) -> Result<Vec<Move>, Fault> {
    let color = game.position().side_to_move();
    if let Some(time) = limits.movetime
        && reply.used > time + margin
    {
        return Err(Fault::Late { used: reply.used, allowed: time, limit: "for a move" });
    }
    let clock = &mut clocks[color.index()];
    let before = clock.left;
    if let Err(over) = clock.use_up(reply.used)
        && over > margin
    {
        return Err(Fault::Late { used: before + over, allowed: before, limit: "on the clock" });
    }
    if reply.moves.is_empty() {
        return Err(Fault::Illegal(MoveFault::NoMove));
    }
    let mut has_ended = false;
    for &m in &reply.moves {
        let fen = game.position().fen();
        game.push(m).map_err(|_| Fault::Illegal(MoveFault::Unplayable { m, fen }))?;
        // The side may stay: Black opens the moving phase under some rules, and a blocked side may pass.
        let pos = game.position();
        has_ended |= turns_ended(pos, pos.side_to_move() == color) > 0 || pos.outcome().is_over();
    }
    if has_ended {
        clock.end_turn();
    }
    Ok(reply.moves)
}

/// Returns the half points of A.
pub(super) fn points_of(outcome: Outcome, white: Side) -> u8 {
    match outcome.winner {
        None => 1,
        Some(winner) => player_of(winner, white).points(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation;

    #[test]
    fn the_increment_comes_at_the_end_of_a_whole_turn() {
        let limits = GoLimits::parse("wtime 1000 winc 100").unwrap();
        let mut clocks = Color::ALL.map(|color| Clock::new(&limits, color));
        let mut game = Builder::new(Rules::NINE, None).unwrap();
        // The time left on the clock of the mover after each move, which takes 10 ms. a7 closes a mill.
        let moves =
            [("d7", 1_090), ("a1", 1_090), ("g7", 1_180), ("d1", 1_180), ("a7", 1_170), ("xd1", 1_260)];
        for (text, left) in moves {
            let color = game.position().side_to_move();
            let m = notation::parse(game.position(), text).unwrap();
            let reply = Reply { moves: vec![m], used: Duration::from_millis(10) };
            assert_eq!(turn(reply, &mut game, &limits, &mut clocks, Duration::ZERO).unwrap(), [m]);
            assert_eq!(clocks[color.index()].left, Duration::from_millis(left), "{text}");
        }
        // Black is blocked and passes, so White has two turns in a row.
        let rules = Rules { stalemate_action: 1, ..Rules::NINE };
        let fen = "@O*****O/O*****O*/@*O**O@@ w m s 6 0 4 0 0 0 -1 -1 -1 -1 0 0 20 ids:nodes";
        let mut game = Builder::new(rules, Some(fen)).unwrap();
        let mut clocks = Color::ALL.map(|color| Clock::new(&limits, color));
        let m = notation::parse(game.position(), "g4-g7").unwrap();
        let reply = Reply { moves: vec![m], used: Duration::from_millis(10) };
        turn(reply, &mut game, &limits, &mut clocks, Duration::ZERO).unwrap();
        assert_eq!(game.position().side_to_move(), Color::White);
        assert_eq!(clocks[0].left, Duration::from_millis(1_090));
    }
}
