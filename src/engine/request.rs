//! The requests of a client: a position, and the limits of a search.

use crate::types::{Color, Depth, Move};
use std::time::Duration;

/// The position that a list of moves begins at.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum PositionOrigin {
    /// The initial position of the rules in force.
    #[default]
    Start,
    /// A position text.
    Text(String),
}

/// The arguments of `position`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PositionRequest {
    /// The position before the moves.
    pub origin: PositionOrigin,
    /// The moves, or whole turns as one word each, separated by blanks.
    pub moves: String,
}

/// The treatment of errors in a [`PositionRequest`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ErrorPolicy {
    /// Refuse the whole request.
    Refuse,
    /// Refuse the whole request; a whole turn as one word is an error too.
    Strict,
    /// Use what is readable: an unreadable text becomes the initial position, a wrong move ends the list.
    Repair,
}

/// The origin of the current position, and what was played since.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct PositionHistory {
    /// The position before the moves. The text has single blanks between its words.
    pub origin: PositionOrigin,
    /// The moves since then, takes included.
    pub moves: Vec<Move>,
    /// The number of moves since then that are not takes, by side.
    pub plies: [u32; 2],
}

/// The arguments of `go`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct GoRequest {
    /// The root moves to search, separated by blanks; empty means all.
    ///
    /// A whole turn stands for its first move.
    pub searchmoves: String,
    /// Think on the opponent's time.
    pub ponder: bool,
    /// The time left on the clocks of White and Black.
    pub time: [Option<Duration>; 2],
    /// The increments of White and Black.
    pub increment: [Duration; 2],
    /// Turns until the next time control.
    pub movestogo: Option<u32>,
    /// The depth of the last iteration, in plies of the search, as `docs/protocol.md` counts them.
    pub depth: Option<Depth>,
    /// The number of nodes.
    pub nodes: Option<u64>,
    /// The number of turns within which a win is wanted.
    pub mate: Option<u32>,
    /// The time for this search.
    pub movetime: Option<Duration>,
    /// True if the search goes on until `stop`.
    pub infinite: bool,
}

impl GoRequest {
    /// Returns true if depth, nodes, time, clock or distance limit a search for side `us`.
    pub(crate) fn has_limit(&self, us: Color) -> bool {
        self.depth.is_some()
            || self.nodes.is_some()
            || self.mate.is_some()
            || self.movetime.is_some()
            || self.time[us.index()].is_some()
    }
}
