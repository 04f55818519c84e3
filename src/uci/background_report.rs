//! The reports of `perft` and `bench`, with threads and without.

use super::output::Output;
use crate::engine::EngineError;
use std::io;

/// A report of a running command.
pub(super) enum BackgroundReport {
    /// A line of the result, before the last ones.
    Line(String),
    /// The last lines of the result.
    Done(Vec<String>),
    /// The command of this name was stopped before the end.
    Stopped(&'static str),
    /// The thread of this name failed. The message of the panic is on standard error.
    #[cfg(not(target_arch = "wasm32"))]
    ThreadFailed(&'static str),
    /// `bench` could not search.
    NoBench(EngineError),
}

impl BackgroundReport {
    /// Returns true for the report that ends the command.
    pub(super) fn is_last(&self) -> bool {
        !matches!(self, Self::Line(_))
    }

    /// Writes the report.
    ///
    /// # Errors
    /// If the line cannot be written.
    pub(super) fn write(&self, out: &mut Output) -> io::Result<()> {
        match self {
            Self::Line(line) => out.line(line),
            Self::Done(lines) => lines.iter().try_for_each(|line| out.line(line)),
            Self::Stopped(name) => out.note(format_args!("{name}: stopped before the end")),
            #[cfg(not(target_arch = "wasm32"))]
            Self::ThreadFailed(name) => out.note(format_args!("{name}: its thread failed")),
            Self::NoBench(error) => out.note(format_args!("bench: {error}")),
        }
    }
}
