//! What a search is asked and what it reports. `root.rs` deepens, `alphabeta.rs` and `mtdf.rs` search, `mcts.rs` grows
//! a `tree.rs` instead, `worker.rs` holds what one thread needs.
//!
//! The search never prints: it sends [`Report`]s to whoever started it.

mod alphabeta;
pub mod history;
pub mod levels;
pub mod limits;
mod mcts;
pub mod movepick;
mod mtdf;
pub mod pool;
pub mod root;
pub mod style;
pub mod timeman;
mod tree;
pub mod worker;

pub use crate::search::limits::{Algorithm, Limits, MAX_SKILL, SearchSettings};

use crate::types::{Bound, Depth, Move, Value};
use std::time::Duration;

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
    /// Nodes for each second since the search began, time on which it pondered included.
    pub nps: u64,
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
