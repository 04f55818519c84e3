//! Starts a session with the threads that read and write for it.

use super::client_pipe::{ClientPipe, PATIENCE};
use super::error::SessionError;
use super::input;
use super::output::Output;
use super::session::Session;
use crate::engine::Engine;
use std::io::{Read, Write};

/// Serves a client until it quits, its input ends, or its output is closed.
///
/// `protocol` is the initial value of the option `Protocol`.
///
/// # Errors
/// If the input cannot be read, a line cannot be written, or threads or memory are not available.
pub fn run(
    input: impl Read + Send + 'static,
    output: impl Write + Send + 'static,
    protocol: &str,
) -> Result<(), SessionError> {
    serve(input, output, || None, || false, protocol)
}

/// As [`run`]; `unread` returns the number of bytes of the output that the client has not read yet, if that
/// is known, and `has_room` returns true if the output is known to take more at once.
///
/// # Errors
/// As for [`run`].
pub(crate) fn serve(
    input: impl Read + Send + 'static,
    output: impl Write + Send + 'static,
    unread: fn() -> Option<u64>,
    has_room: fn() -> bool,
    protocol: &str,
) -> Result<(), SessionError> {
    let engine = Engine::new().map_err(SessionError::Start)?;
    let client = ClientPipe::start(output, unread, has_room, PATIENCE).map_err(SessionError::Threads)?;
    let quit = client.quit();
    let mut session = Session::new(engine, Output::new(client));
    session.set_option("Protocol", Some(protocol))?;
    session.start_protocol = session.engine.values().protocol;
    let lines = input::lines(input, quit).map_err(SessionError::Threads)?;
    let result = session.run(&lines);
    session.close(result)
}
