//! The error of a subcommand, which decides the exit code.

use crate::engine::EngineError;
use crate::tablebase::TablebaseError;
use crate::tools::error::{Place, ToolError};
use crate::uci::SessionError;
use std::error::Error;
use std::fmt;
use std::io;

/// The reason why a subcommand ends early.
#[derive(Debug)]
pub(super) enum CliError {
    /// An argument names something unusable: a file, a position, an engine, or more than the machine has; or
    /// a stream fails.
    Tool(ToolError),
    /// Some of the games could not be read; each has been reported.
    BrokenGames,
    /// Some lines of the input are no positions; the answers say which.
    BrokenLines,
    /// Tablebase files have these faults.
    Faults(Vec<TablebaseError>),
    /// Threads or memory are not available.
    Engine(EngineError),
    /// A session ended early.
    Session(SessionError),
}

impl CliError {
    /// Returns true if the reader of the output has ended, as `head` does. That is not a failure.
    pub(super) fn is_closed_output(&self) -> bool {
        let (Self::Session(SessionError::Output(cause))
        | Self::Tool(ToolError::Io { place: Place::StandardOutput, cause })) = self
        else {
            return false;
        };
        cause.kind() == io::ErrorKind::BrokenPipe
    }

    /// Returns the exit code: 1 for a session that cannot start or write, else 2.
    pub(super) const fn code(&self) -> u8 {
        match self {
            Self::Session(SessionError::Start(_) | SessionError::Output(_)) => 1,
            _ => 2,
        }
    }
}

impl fmt::Display for CliError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tool(cause) => write!(f, "{cause}"),
            Self::BrokenGames => f.write_str("some games are broken, see above"),
            Self::BrokenLines => f.write_str("some lines are no positions, see the answers"),
            // The first message already has the name of the program in front.
            Self::Faults(faults) => {
                let sentences: Vec<String> = faults.iter().map(TablebaseError::to_string).collect();
                f.write_str(&sentences.join("\nmillstone: "))
            }
            Self::Engine(cause) => write!(f, "{cause}"),
            Self::Session(cause) => write!(f, "{cause}"),
        }
    }
}

impl Error for CliError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Tool(cause) => Some(cause),
            Self::BrokenGames | Self::BrokenLines | Self::Faults(_) => None,
            Self::Engine(cause) => Some(cause),
            Self::Session(cause) => Some(cause),
        }
    }
}

impl From<ToolError> for CliError {
    fn from(error: ToolError) -> Self {
        Self::Tool(error)
    }
}

impl From<TablebaseError> for CliError {
    fn from(error: TablebaseError) -> Self {
        Self::Tool(error.into())
    }
}

impl From<SessionError> for CliError {
    fn from(error: SessionError) -> Self {
        Self::Session(error)
    }
}

impl From<EngineError> for CliError {
    fn from(error: EngineError) -> Self {
        Self::Engine(error)
    }
}
