//! The UCI loop. One thread reads lines (`input.rs`). The session (`session.rs`) waits for these lines, for
//! reports of the search and for lines of background commands. It alone writes (`output.rs`). Uses every
//! module but `cli`.
//!
//! A dialect is a reader and a writer of lines: a new one needs its file and a row in `dialect/mod.rs`.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod analysis;
mod answer;
mod background;
mod error;
mod experience;
mod help;
mod input;
mod logical;
mod output;
mod query;
mod search;
mod session;
#[cfg(test)]
mod tests;
mod turn;
mod waiting;

use crate::engine::Engine;
use crate::engine::options::PROTOCOLS;
pub(crate) use error::SessionError;
use output::{Output, PATIENCE};
use session::Session;
use std::io::{Read, Write};

/// The dialects that the option `Protocol` chooses from.
pub(crate) const NAMES: [&str; 3] = PROTOCOLS;

/// Serves a client until it quits, its input ends, or its output is closed. `protocol` is the initial value
/// of the option `Protocol`.
///
/// # Errors
/// When the input cannot be read, a line cannot be written, or threads or memory are not available.
pub fn run(
    input: impl Read + Send + 'static,
    output: impl Write + Send + 'static,
    protocol: &str,
) -> Result<(), SessionError> {
    serve(input, output, || None, protocol)
}

/// As [`run`]; `unread` returns the number of bytes of the output that the client has not read yet, if that
/// is known.
///
/// # Errors
/// As for [`run`].
pub(crate) fn serve(
    input: impl Read + Send + 'static,
    output: impl Write + Send + 'static,
    unread: fn() -> Option<u64>,
    protocol: &str,
) -> Result<(), SessionError> {
    let engine = Engine::new().map_err(SessionError::Start)?;
    let output = Output::new(output, unread, PATIENCE).map_err(SessionError::Threads)?;
    let quit = output.quit();
    let mut session = Session::new(engine, output);
    session.set_option("Protocol", Some(protocol))?;
    let lines = input::lines(input, quit).map_err(SessionError::Threads)?;
    let result = session.run(&lines);
    session.close(result)
}
