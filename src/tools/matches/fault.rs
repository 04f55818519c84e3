//! The faults by which a player loses a game.

use std::error::Error;
use std::fmt;

/// A fault by which a player loses a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fault {
    /// The program could not be started or does not answer the handshake.
    Start(String),
    /// The program ended or closed its output.
    Crashed(String),
    /// The answer did not come in time, or the input is not read.
    Hung(String),
    /// The reply is not a legal move.
    Illegal(String),
    /// The reply came after the time was up.
    Late(String),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Start(why) => write!(f, "not started: {why}"),
            Self::Crashed(why) => write!(f, "crashed: {why}"),
            Self::Hung(why) => write!(f, "hung: {why}"),
            Self::Illegal(why) => write!(f, "illegal: {why}"),
            Self::Late(why) => write!(f, "late: {why}"),
        }
    }
}

impl Error for Fault {}
