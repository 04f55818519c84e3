//! The UCI loop. One thread reads lines (`input.rs`). The session (`session.rs`) waits for these lines, for
//! reports of the search and for lines of background commands. It alone writes (`output.rs`). Uses every
//! module but `cli`.
//!
//! A dialect is a reader and a writer of lines: a new one needs its file and a row in `dialect/mod.rs`.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod analysis;
mod answer;
mod background;
mod experience;
mod help;
mod input;
mod logical;
mod output;
mod query;
mod search;
mod session;

use crate::engine::Engine;
use crate::engine::options::PROTOCOLS;
use output::Output;
use session::Session;
use std::io::{self, Read, Write};

/// The dialects that the option `Protocol` chooses from.
pub(crate) const NAMES: [&str; 3] = PROTOCOLS;

/// Serves a client until it quits, its input ends, or its output is closed. `protocol` is the initial value
/// of the option `Protocol`.
///
/// # Errors
/// When a line cannot be written, or threads or memory are not available.
pub fn run(input: impl Read + Send + 'static, output: impl Write, protocol: &str) -> io::Result<()> {
    let output = Output::new(output);
    let progress = output.progress();
    let mut session = Session::new(Engine::new().map_err(io::Error::other)?, output);
    session.set_option(&format!("name Protocol value {protocol}"))?;
    let lines = input::lines(input, progress);
    let result = session.run(&lines);
    session.close(result)
}
