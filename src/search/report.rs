//! The reports of a search.

use crate::platform::sync::Receiver;
use crate::types::{Bound, Depth, Move, VALUE_MATE, VALUE_MATE_IN_MAX, Value};
use std::time::Duration;

/// One line of an iteration, as a client shows it.
#[derive(Clone, Debug)]
pub struct Info {
    /// The iteration.
    pub depth: Depth,
    /// The length in plies of the longest line searched so far.
    pub seldepth: usize,
    /// The rank of the line, from 1.
    pub multipv: usize,
    /// The score for the side to move at the root; see [`Score`].
    pub score: Value,
    /// The kind of the score: exact, or a bound.
    pub bound: Bound,
    /// The number of nodes of all threads.
    pub nodes: u64,
    /// Nodes per second since `go`, pondering included.
    pub nps: u64,
    /// Use of the transposition table, per mille.
    pub hashfull: u32,
    /// The number of successful tablebase probes.
    pub tbhits: u64,
    /// The time since `go`, or since `ponderhit`.
    pub time: Duration,
    /// The principal variation: legal moves from the root.
    pub pv: Vec<Move>,
}

/// The result of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BestMove {
    /// The move to play; `None` when there is none.
    pub best: Option<Move>,
    /// The expected reply, if the opponent moves next.
    pub ponder: Option<Move>,
    /// The score of the move for the side to move at the root.
    pub score: Value,
    /// The last finished iteration.
    pub depth: Depth,
    /// The number of nodes of all threads.
    pub nodes: u64,
}

/// A message of a running search. [`Report::Done`] is the last one and comes exactly once.
#[derive(Clone, Debug)]
pub enum Report {
    /// The lines of one iteration, best first: one, or as many as `MultiPV` sets.
    Lines(Vec<Info>),
    /// The root move whose search begins, from the fourth second on.
    Current {
        /// The iteration.
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

/// Waits for the end of a search, drops all other reports, and returns the result; `None` if the sender is
/// gone without one.
pub fn wait(reports: &Receiver<Report>) -> Option<BestMove> {
    while let Ok(report) = reports.recv() {
        if let Report::Done(best) = report {
            return Some(best);
        }
    }
    None
}

/// A value in the form that people and protocols read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Score {
    /// Hundredths of a man.
    Cp(i32),
    /// The mover wins (positive) or loses in this many of its own turns, never 0.
    Mate(i32),
}

impl Score {
    /// Converts a value. Mate distances count changes of side; every second one begins a turn of the mover.
    pub fn of(value: Value) -> Self {
        if value >= VALUE_MATE_IN_MAX {
            Self::Mate(((VALUE_MATE - value + 1) / 2).max(1))
        } else if value <= -VALUE_MATE_IN_MAX {
            Self::Mate(-((VALUE_MATE + value) / 2).max(1))
        } else {
            Self::Cp(value)
        }
    }
}
