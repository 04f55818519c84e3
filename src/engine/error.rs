//! Errors and notes of the engine. The sentences are made here, by `Display`.

use super::experience_format::ExperienceFault;
use super::options::option::EngineOption;
use crate::certificate::CertificateError;
use crate::evaluate::NetworkError;
use crate::notation::MoveError;
pub use crate::platform::memory::MemoryError;
use crate::platform::text::{printable, printable_path, quoted};
use crate::position::{PositionError, Reason};
pub use crate::search::error::PoolError;
use crate::tablebase::TablebaseError;
pub use crate::tt::TtError;
use std::error::Error;
use std::fmt;
use std::path::PathBuf;

/// The reason why the engine does not do what it was asked for.
#[derive(Debug)]
pub enum EngineError {
    /// The position text is wrong.
    Position(PositionError),
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
    MoveAfterEnd {
        /// Its index in the list.
        index: usize,
        /// The move as the client sent it.
        token: String,
        /// The reason why the game had ended.
        reason: Reason,
    },
    /// There is nothing to search: the latest `position` was refused.
    NoPosition,
    /// There is nothing to search: the game is over.
    Over(Reason),
    /// There is nothing to search: the game is drawn by repetition or by a move counter, and the dialect ends
    /// games there.
    Drawn(Reason),
    /// There is nothing to search: the side to move has no move although the game is not over. The position
    /// was set up oddly.
    NoMove,
    /// The limits would not end a search.
    Endless,
    /// The search threads ended without a result.
    NoResult,
    /// There is no option of this name.
    NoOption(String),
    /// The option needs a value.
    NoValue(EngineOption),
    /// The value of the option is unreadable or out of range.
    BadValue(EngineOption, String),
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
    /// The certificate of the options cannot be used; the built-in one stays.
    Certificate(CertificateError),
    /// The tablebase or a part of it cannot be used.
    Tablebase(TablebaseError),
    /// An experience file cannot be read or written.
    Experience {
        /// The file.
        path: PathBuf,
        /// The fault.
        fault: ExperienceFault,
    },
    /// The experience file of the options cannot be read; it is neither used nor overwritten.
    ReadExperience(Box<Self>),
    /// The experience file of the options cannot be written.
    WriteExperience(Box<Self>),
    /// There is no experience: learning is off.
    LearningOff,
    /// There is no experience: its file was refused.
    ExperienceRefused,
    /// The values of several options cannot be put in force: an error for each, at least two.
    Several(Vec<Self>),
}

impl EngineError {
    /// Makes one result of all errors.
    pub(super) fn join(mut errors: Vec<Self>) -> Result<(), Self> {
        match errors.len() {
            0 => Ok(()),
            1 => Err(errors.remove(0)),
            _ => Err(Self::Several(errors)),
        }
    }
}

impl fmt::Display for EngineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Position(cause) => write!(f, "{cause}"),
            Self::Move { index, token, error } => {
                write!(f, "move {} ({}): {error}", index + 1, printable(token, 60))
            }
            Self::MoveAfterEnd { index, token, reason } => {
                let token = printable(token, 60);
                write!(f, "move {} ({token}): the game is over: {}", index + 1, reason.name())
            }
            Self::NoPosition => f.write_str(
                "no position: the latest position command was refused, expected a valid one first",
            ),
            Self::Over(reason) | Self::Drawn(reason) => write!(f, "game over: {}", reason.name()),
            Self::NoMove => f.write_str("game over: no legal move"),
            Self::Endless => f.write_str(
                "limits that do not end the search, expected a depth, a number of nodes or a time, and \
                 neither infinite nor ponder",
            ),
            Self::NoResult => f.write_str("the search ended without a result"),
            Self::NoOption(name) => {
                write!(f, "no such option: {}, expected one that the handshake lists", printable(name, 60))
            }
            Self::NoValue(option) => {
                write!(f, "option {}: found nothing, expected {}", option.name, option.expected())
            }
            Self::BadValue(option, value) => {
                let found = quoted(value);
                write!(f, "option {}: found {found}, expected {}", option.name, option.expected())
            }
            Self::StartThreads(cause) => write!(f, "{cause}"),
            Self::StartHash(cause) => write!(f, "{cause}"),
            Self::Threads { wanted, kept, cause } => write!(f, "Threads {wanted}: {cause}; still {kept}"),
            Self::Hash { wanted, kept, cause } => write!(f, "Hash {wanted}: {cause}; still {kept}"),
            Self::EvalFile { path, cause } => {
                write!(f, "EvalFile {}: {cause}; the network in use stays", printable_path(path))
            }
            Self::Certificate(cause) => write!(f, "CertificateFile {cause}; the file is not used"),
            Self::Tablebase(cause) => write!(f, "{cause}"),
            Self::Experience { path, fault } => write!(f, "{}: {fault}", printable_path(path)),
            Self::ReadExperience(cause) => write!(f, "ExperienceFile {cause}; nothing is learned"),
            Self::WriteExperience(cause) => {
                write!(f, "ExperienceFile {cause}; what is learned is not kept")
            }
            Self::LearningOff => f.write_str("found LearnEndgame off, expected it on"),
            Self::ExperienceRefused => f.write_str("ExperienceFile was refused: nothing is learned"),
            Self::Several(errors) => {
                let texts: Vec<String> = errors.iter().map(Self::to_string).collect();
                f.write_str(&texts.join("; also: "))
            }
        }
    }
}

impl Error for EngineError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Position(cause) => Some(cause),
            Self::Move { error, .. } => Some(error),
            Self::StartThreads(cause) | Self::Threads { cause, .. } => Some(cause),
            Self::StartHash(cause) | Self::Hash { cause, .. } => Some(cause),
            Self::EvalFile { cause, .. } => Some(cause),
            Self::Certificate(cause) => Some(cause),
            Self::Tablebase(cause) => Some(cause),
            Self::Experience {
                fault: ExperienceFault::Read(cause) | ExperienceFault::Write(cause), ..
            } => Some(cause),
            Self::ReadExperience(cause) | Self::WriteExperience(cause) => Some(cause.as_ref()),
            Self::Several(errors) => errors.first().map(|error| error as _),
            _ => None,
        }
    }
}

/// A message to the user about a request that is served all the same.
#[derive(Debug)]
pub enum Note {
    /// The counts of men in the position text are replaced by those of the board, or an unknown action by
    /// none.
    Counts(PositionError),
    /// The initial position replaces the position text.
    InitialPosition(PositionError),
    /// The list of moves ends before the wrong one.
    MovesDropped(EngineError),
    /// A word of `searchmoves` cannot be played.
    Skipped {
        /// The word.
        token: String,
        /// The error of the word, or of the part of it that is at fault.
        error: MoveError,
    },
    /// So many further moves of `searchmoves` cannot be played.
    MoreSkipped(usize),
    /// None of the moves of `searchmoves` can be played.
    AllSkipped,
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Counts(error) => {
                let repair =
                    "men on the board count, hands are cut to the rules, an unknown action is read as ?";
                write!(f, "position: {error}; {repair}")
            }
            Self::InitialPosition(error) => {
                write!(f, "position: {error}; the initial position is set up instead")
            }
            Self::MovesDropped(error) => {
                write!(f, "illegal move ignored: {error}; so are all moves after it")
            }
            Self::Skipped { token, error } => {
                write!(f, "searchmoves ({}): {error}; skipped", printable(token, 60))
            }
            Self::MoreSkipped(count) => write!(f, "searchmoves: {count} more skipped"),
            Self::AllSkipped => f.write_str("searchmoves: no legal move among them, so it has no effect"),
        }
    }
}
