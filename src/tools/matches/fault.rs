//! The faults by which a player loses a game.

use crate::platform::text::printable;
use std::error::Error;
use std::fmt;

/// The most characters of a reason. It may quote an engine and list all legal moves.
const LONGEST_REASON: usize = 4_000;

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
        let (kind, why) = match self {
            Self::Start(why) => ("not started", why),
            Self::Crashed(why) => ("crashed", why),
            Self::Hung(why) => ("hung", why),
            Self::Illegal(why) => ("illegal", why),
            Self::Late(why) => ("late", why),
        };
        write!(f, "{kind}: {}", printable(why, LONGEST_REASON))
    }
}

impl Error for Fault {}
