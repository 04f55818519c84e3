//! What a search is asked and what it reports. `root.rs` deepens, `alphabeta.rs` and `mtdf.rs` search, `worker.rs`
//! holds what one thread needs.
//!
//! The search never prints: it sends [`Report`]s to whoever started it.

use crate::types::{Bound, Depth, Move, Value};
use std::time::Duration;

/// What ends a search; a limit that is not given does not restrict it.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// Search only these root moves; empty means all.
    pub searchmoves: Vec<Move>,
    /// Deepest iteration.
    pub depth: Option<Depth>,
    /// Nodes of all threads together.
    pub nodes: Option<u64>,
    /// Look for a win in at most this many turns.
    pub mate: Option<u32>,
    /// Use this much time.
    pub movetime: Option<Duration>,
    /// Time left on the clock of the side to move.
    pub time: Option<Duration>,
    /// Increment of the side to move for each of its turns.
    pub increment: Duration,
    /// Turns until the next time control.
    pub movestogo: Option<u32>,
    /// No limit: the best move is held back until `stop`.
    pub infinite: bool,
    /// The opponent's time is running: limits count from `ponderhit` on, the best move is held back until then.
    pub ponder: bool,
}

/// How the search plays, apart from its limits: the values of engine options.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Which search.
    pub algorithm: Algorithm,
    /// Lines to report.
    pub multi_pv: usize,
    /// Strength 0 to 30; 30 is full strength.
    pub skill: u32,
    /// Whether equal moves come in random order.
    pub shuffling: bool,
    /// Fixes the random order; `None` takes a fresh one for each search.
    pub seed: Option<u64>,
    /// Analysis: no weakening, no early stop on a single legal move.
    pub analysis: bool,
    /// Time kept back per move, for clocks.
    pub move_overhead: Duration,
    /// Share of the clock used, per cent.
    pub slow_mover: u32,
    /// Nodes per millisecond in place of the clock; 0 for real time.
    pub nodes_time: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            algorithm: Algorithm::default(),
            multi_pv: 1,
            skill: MAX_SKILL,
            shuffling: true,
            seed: None,
            analysis: false,
            move_overhead: Duration::from_millis(10),
            slow_mover: 100,
            nodes_time: 0,
        }
    }
}

/// Full strength.
pub const MAX_SKILL: u32 = 30;

/// The searches that can be chosen, numbered as in the protocol.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Algorithm {
    /// Plain alpha-beta: every move with the full window.
    AlphaBeta,
    /// Principal variation search.
    #[default]
    Pvs,
    /// MTD(f): zero-window searches that close in on the value.
    Mtdf,
}

/// One line of a finished, or just improved, iteration.
#[derive(Clone, Debug)]
pub struct Info {
    /// Iteration.
    pub depth: Depth,
    /// Deepest line so far.
    pub seldepth: usize,
    /// Rank of the line, from 1.
    pub multipv: usize,
    /// Score from the mover's point of view; see [`Score`] for reading it.
    pub score: Value,
    /// Whether the score is exact or a bound.
    pub bound: Bound,
    /// Nodes of all threads.
    pub nodes: u64,
    /// Fill of the table, per mille.
    pub hashfull: u32,
    /// Successful table lookups.
    pub tbhits: u64,
    /// Time since the search began.
    pub time: Duration,
    /// Legal moves from the root.
    pub pv: Vec<Move>,
}

/// What a search ends with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BestMove {
    /// The move to play; `None` when there is none.
    pub best: Option<Move>,
    /// The opponent's expected answer, where the next move is his.
    pub ponder: Option<Move>,
    /// The score of the move from the mover's point of view.
    pub score: Value,
    /// The last finished iteration.
    pub depth: Depth,
    /// Nodes of all threads.
    pub nodes: u64,
}

/// What a search sends while it runs. [`Report::Done`] is the last and comes exactly once.
#[derive(Clone, Debug)]
pub enum Report {
    /// The lines of one iteration, best first: one, or as many as `MultiPV` asks for.
    Lines(Vec<Info>),
    /// The root move just begun, from the fourth second on.
    Current {
        /// Iteration.
        depth: Depth,
        /// The move.
        current: Move,
        /// Its number, from 1.
        number: usize,
    },
    /// Free text.
    Note(String),
    /// The end.
    Done(BestMove),
}

/// A value as people and protocols read it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Score {
    /// Hundredths of a man.
    Cp(i32),
    /// The mover wins (positive) or loses in this many of its own turns, never 0.
    Mate(i32),
}

impl Score {
    /// Reads a value; distances count changes of side, of which every second is a turn of the mover.
    pub fn of(value: Value) -> Self {
        use crate::types::{VALUE_MATE, VALUE_MATE_IN_MAX};
        if value >= VALUE_MATE_IN_MAX {
            Self::Mate(((VALUE_MATE - value + 1) / 2).max(1))
        } else if value <= -VALUE_MATE_IN_MAX {
            Self::Mate(-((VALUE_MATE + value) / 2).max(1))
        } else {
            Self::Cp(value)
        }
    }
}
