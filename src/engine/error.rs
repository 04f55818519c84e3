//! Errors and notes of the engine. The sentences are made here, by `Display`.

use super::experience::ExperienceError;
use crate::evaluate::NetworkError;
use crate::notation::MoveError;
use crate::platform::text::{printable, printable_path};
use crate::position::{FenError, Reason};
use crate::search::pool::PoolError;
use crate::tablebase::TablebaseError;
use crate::tt::TtError;
use std::error::Error;
use std::fmt;
use std::path::PathBuf;

/// The reason why a position was refused.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PositionError {
    /// The position text is wrong.
    Text(FenError),
    /// A move of the list is wrong.
    Move {
        /// Its index in the list.
        index: usize,
        /// The move as the client sent it.
        token: String,
        /// The error.
        error: MoveError,
    },
    /// A move follows the end of the game.
    Over {
        /// Its index in the list.
        index: usize,
        /// The move as the client sent it.
        token: String,
        /// The reason why the game had ended.
        reason: Reason,
    },
}

impl fmt::Display for PositionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(error) => write!(f, "{error}"),
            Self::Move { index, token, error } => {
                write!(f, "move {} ({}): {error}", index + 1, printable(token, 60))
            }
            Self::Over { index, token, reason } => {
                let token = printable(token, 60);
                write!(f, "move {} ({token}): found a move, expected none: {}", index + 1, reason.name())
            }
        }
    }
}

impl Error for PositionError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Text(cause) => Some(cause),
            Self::Move { error, .. } => Some(error),
            Self::Over { .. } => None,
        }
    }
}

/// An error in a position request that [`ErrorPolicy::Repair`](super::ErrorPolicy::Repair) repaired.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PositionRepair {
    /// The counts of men in the text are replaced by those of the board.
    Counts(FenError),
    /// The initial position replaces the text.
    InitialPosition(FenError),
    /// The list of moves ends before the wrong one.
    MovesDropped(PositionError),
}

impl fmt::Display for PositionRepair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Counts(error) => write!(f, "{error}; men on the board count, hands are cut to the rules"),
            Self::InitialPosition(error) => write!(f, "{error}; the initial position stands in"),
            Self::MovesDropped(error) => write!(f, "illegal move ignored, and what follows it: {error}"),
        }
    }
}

/// The reason why a search did not start.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GoError {
    /// The latest `position` was refused.
    NoPosition,
    /// The game is over.
    Over(Reason),
    /// The game is drawn by repetition or by a move counter, and the dialect ends games there.
    Drawn(Reason),
    /// The side to move has no move although the game is not over: an oddly set-up position.
    NoMove,
}

impl fmt::Display for GoError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoPosition => f.write_str(
                "no position: the latest position command was refused, expected a valid one first",
            ),
            Self::Over(reason) | Self::Drawn(reason) => write!(f, "game over: {}", reason.name()),
            Self::NoMove => f.write_str("game over: no legal move"),
        }
    }
}

impl Error for GoError {}

/// A part of `searchmoves` that has no effect.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SearchmovesNote {
    /// A move cannot be played.
    Skipped(MoveError),
    /// So many further moves cannot be played.
    MoreSkipped(usize),
    /// None of the moves can be played.
    AllSkipped,
}

impl fmt::Display for SearchmovesNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Skipped(error) => write!(f, "searchmoves: {error}; skipped"),
            Self::MoreSkipped(count) => write!(f, "searchmoves: {count} more skipped"),
            Self::AllSkipped => f.write_str("searchmoves: no legal move among them; all moves are searched"),
        }
    }
}

/// The reason why the engine does not start, or why an option value is not in force.
#[derive(Debug)]
pub enum EngineError {
    /// There is nothing to search.
    Go(GoError),
    /// The system grants no search threads for a start.
    StartThreads(PoolError),
    /// The system grants no memory for a start.
    StartHash(TtError),
    /// The system does not grant the threads; the earlier number stays.
    Threads {
        /// The number asked for.
        wanted: usize,
        /// The number in force.
        kept: usize,
        /// The error of the thread pool.
        cause: PoolError,
    },
    /// The system does not grant the memory of the transposition table; the earlier one stays.
    Hash {
        /// The size asked for, in MiB.
        wanted: usize,
        /// The size in force, in MiB.
        kept: usize,
        /// The error of the transposition table.
        cause: TtError,
    },
    /// The network of the evaluation cannot be read; the one in use stays.
    EvalFile {
        /// The file.
        path: PathBuf,
        /// The error.
        cause: NetworkError,
    },
    /// The rules allow no tablebase.
    NoTablebase(TablebaseError),
    /// A part of the tablebase cannot be used.
    Tablebase(TablebaseError),
    /// The experience file cannot be read; it is neither used nor overwritten.
    ReadExperience {
        /// The file.
        path: PathBuf,
        /// The error.
        cause: ExperienceError,
    },
    /// The experience file cannot be written.
    WriteExperience {
        /// The file.
        path: PathBuf,
        /// The error.
        cause: ExperienceError,
    },
}

impl fmt::Display for EngineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Go(cause) => write!(f, "{cause}"),
            Self::StartThreads(cause) => write!(f, "{cause}"),
            Self::StartHash(cause) => write!(f, "{cause}"),
            Self::Threads { wanted, kept, cause } => write!(f, "Threads {wanted}: {cause}; still {kept}"),
            Self::Hash { wanted, kept, cause } => write!(f, "Hash {wanted}: {cause}; still {kept}"),
            Self::EvalFile { path, cause } => {
                write!(f, "EvalFile {}: {cause}; the network in use stays", printable_path(path))
            }
            Self::NoTablebase(cause) => write!(f, "no tablebase: {cause}"),
            Self::Tablebase(cause) => write!(f, "{cause}"),
            Self::ReadExperience { path, cause } => {
                write!(f, "ExperienceFile {}: {cause}; nothing is learned", printable_path(path))
            }
            Self::WriteExperience { path, cause } => {
                write!(f, "ExperienceFile {}: {cause}; what was learned is not kept", printable_path(path))
            }
        }
    }
}

impl Error for EngineError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Go(cause) => Some(cause),
            Self::StartThreads(cause) | Self::Threads { cause, .. } => Some(cause),
            Self::StartHash(cause) | Self::Hash { cause, .. } => Some(cause),
            Self::EvalFile { cause, .. } => Some(cause),
            Self::NoTablebase(cause) | Self::Tablebase(cause) => Some(cause),
            Self::ReadExperience { cause, .. } | Self::WriteExperience { cause, .. } => Some(cause),
        }
    }
}

impl From<GoError> for EngineError {
    fn from(cause: GoError) -> Self {
        Self::Go(cause)
    }
}
