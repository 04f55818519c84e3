//! Errors and notes of the readers and writers. The sentences are made here, by `Display`.

use crate::platform::text::{counted, quoted};
use crate::search::limits::MAX_DEPTH;
use std::error::Error;
use std::fmt;

/// The characters of a faulty word or line that its error keeps.
pub(super) const LONGEST_FOUND: usize = 60;

/// A word of `go` that has no effect.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum GoNote {
    /// A limit without a number; it holds the word and the text found instead, which may be empty.
    NoNumber(String, String),
    /// A limit with a number that is too small.
    OutOfRange {
        /// The word.
        word: String,
        /// The number.
        found: i64,
        /// The smallest number that is accepted.
        least: i64,
    },
    /// An unknown word.
    Unknown(String),
    /// So many further words.
    More(usize),
    /// Words besides `perft`, which counts to this depth.
    BesidesPerft(u32),
}

impl fmt::Display for GoNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoNumber(word, found) => {
                write!(f, "go {word}: found {}, expected a number; limit dropped", quoted(found))
            }
            Self::OutOfRange { word, found, least } => {
                write!(f, "go {word}: found {found}, expected {least} or more; limit dropped")
            }
            Self::Unknown(word) => write!(f, "go: unknown word '{word}', skipped"),
            Self::More(count) => write!(f, "go: {} without effect", counted(*count, "more word")),
            Self::BesidesPerft(depth) => {
                write!(f, "go perft: counts to depth {depth}; the other words have no effect")
            }
        }
    }
}

/// The reason why a line is no command, or why a dialect cannot write a position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DialectError {
    /// There is no such command.
    Unknown(String),
    /// It is a subcommand of the program, which the shell starts; the line is what to type there.
    Subcommand(String),
    /// The arguments of `position` are wrong.
    Position(OriginFault),
    /// The arguments of `analyze` are wrong.
    Analyze(OriginFault),
    /// The depth of `perft` is wrong.
    Perft(String),
    /// The depth of `bench` is wrong.
    Bench(String),
    /// `setoption` is not followed by `name` and a name.
    SetOption(String),
    /// The arguments of `experience` are wrong.
    Experience(String),
    /// There is no such `query`.
    Query(String),
    /// The dialect cannot express the position with this text.
    Inexpressible(String),
}

impl fmt::Display for DialectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown(line) => {
                write!(f, "unknown command: {line}, expected one that help lists")
            }
            Self::Subcommand(line) => {
                let word = line.split(' ').next().unwrap_or_default();
                write!(
                    f,
                    "unknown command: {word} is a subcommand; leave with quit and run: millstone {line}"
                )
            }
            Self::Position(error) => write!(f, "position: {error}"),
            Self::Analyze(error) => write!(f, "analyze: {error}"),
            Self::Perft(found) => {
                write!(f, "perft: found {}, expected a depth from 0 to {MAX_DEPTH}", quoted(found))
            }
            Self::Bench(found) => {
                let found = quoted(found);
                write!(f, "bench: found {found}, expected a depth from 1 to {MAX_DEPTH}, or nothing")
            }
            Self::SetOption(found) => {
                write!(f, "setoption: found {}, expected name <option> [value <value>]", quoted(found))
            }
            Self::Experience(found) => {
                let expected = "save <file>, load <file>, merge <file> or stat [<file>]";
                write!(f, "experience: found {}, expected {expected}", quoted(found))
            }
            Self::Query(found) => {
                write!(f, "query: found {}, expected p1turn, gameover or result", quoted(found))
            }
            Self::Inexpressible(text) => write!(f, "this dialect cannot express the position {text}"),
        }
    }
}

impl Error for DialectError {}

/// The reason why the arguments of `position` name no position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum OriginFault {
    /// Another word stands in place of the origin.
    NoOrigin {
        /// The word; empty if there is none.
        found: String,
        /// The word of the dialect that introduces a position text.
        text_word: &'static str,
    },
    /// Another word than `moves` follows `startpos`.
    AfterStart(String),
    /// No text follows the word of the dialect that introduces one.
    NoText(&'static str),
}

impl fmt::Display for OriginFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoOrigin { found, text_word } => {
                let found = quoted(found);
                write!(f, "found {found}, expected startpos or {text_word} <text>, then perhaps moves <m>…")
            }
            Self::AfterStart(found) => {
                write!(f, "found {} after startpos, expected moves or nothing", quoted(found))
            }
            Self::NoText(word) => write!(f, "found nothing after {word}, expected a position text"),
        }
    }
}
