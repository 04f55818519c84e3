//! The error of a subcommand, which decides the exit code.

use crate::tools::files::ToolError;
use std::io;

/// The reason why a subcommand ends early.
pub(super) enum CliError {
    /// An argument cannot be read: exit code 2, with the usage.
    Input(String),
    /// An argument names something unusable: a file, a position, an engine, or more than the machine has.
    /// Exit code 2.
    Unusable(String),
    /// Threads or memory are not available, or standard output fails: exit code 1.
    System(String),
}

impl From<ToolError> for CliError {
    fn from(error: ToolError) -> Self {
        Self::Unusable(error.0)
    }
}

impl From<io::Error> for CliError {
    fn from(error: io::Error) -> Self {
        Self::System(error.to_string())
    }
}
