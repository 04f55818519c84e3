//! The reason why a session ends early.

use crate::engine::EngineError;
use std::error::Error;
use std::fmt;
use std::io;

/// The reason why a session ends early.
#[derive(Debug)]
pub enum SessionError {
    /// Threads or memory for the engine are not available.
    Start(EngineError),
    /// The system refused the threads that read and write.
    Threads(io::Error),
    /// The input cannot be read.
    Input(io::Error),
    /// The output cannot be written, or its reader no longer reads.
    Output(io::Error),
}

impl fmt::Display for SessionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Start(cause) => write!(f, "{cause}"),
            Self::Threads(cause) => write!(f, "no thread for input and output: {cause}"),
            Self::Input(cause) => write!(f, "the input cannot be read: {cause}"),
            Self::Output(cause) => write!(f, "the output cannot be written: {cause}"),
        }
    }
}

impl Error for SessionError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Start(cause) => Some(cause),
            Self::Threads(cause) | Self::Input(cause) | Self::Output(cause) => Some(cause),
        }
    }
}

impl From<io::Error> for SessionError {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}
