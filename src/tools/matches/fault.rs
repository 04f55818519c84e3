//! The faults by which a player loses a game.

use crate::dialect::error::DialectError;
use crate::platform::error::IoError;
use crate::platform::text::printable;
use crate::position::PositionError;
use crate::types::Move;
use std::fmt;
use std::process::ExitStatus;
use std::time::Duration;

/// The most characters of a reason. It may quote an engine and list all legal moves.
const LONGEST_REASON: usize = 4_000;

/// The end of a message about an option.
const LENIENT: &str = "\"lenient\": true in the engine file allows it";

/// A fault by which a player loses a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fault {
    /// The program could not be started or does not answer the handshake.
    Start(StartFault),
    /// The program ended or closed its output.
    Crashed(CrashFault),
    /// The answer did not come in time, or the input is not read.
    Hung(HangFault),
    /// The reply is not a legal move.
    Illegal(MoveFault),
    /// The reply came after the time was up.
    Late {
        /// The time used.
        used: Duration,
        /// The time allowed.
        allowed: Duration,
        /// The limit of that time: a move or the clock.
        limit: &'static str,
    },
}

/// The reason why a player does not start.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum StartFault {
    /// The program crashed or hung before it was ready.
    Fault(Box<Fault>),
    /// It answers in no dialect: the first question of each and the fault that followed.
    NoDialect(Vec<(&'static str, Fault)>),
    /// The engine file names no program.
    NoProgram,
    /// The system does not start the program.
    Program(String, IoError),
    /// It was not started.
    NotRunning,
    /// It has no option of this name, which the engine file sets.
    NoOption(String),
    /// An option does not accept the value of the engine file.
    BadValue {
        /// The option.
        name: String,
        /// The value.
        value: String,
        /// The accepted values.
        expected: String,
    },
    /// An option of the engine file would change the rules.
    RuleOption(String),
    /// It refuses a line.
    Refused {
        /// The line.
        line: String,
        /// Its answer.
        answer: String,
    },
    /// Its dialect does not know the rules of this name.
    UnknownRules(String),
    /// It has no option for a rule.
    NoRuleOption(&'static str),
    /// It refuses a line that sets a rule.
    RefusedRule {
        /// The line.
        line: String,
        /// Its answer.
        answer: String,
    },
    /// An option for a rule does not accept the value that the rules have.
    BadRule {
        /// The option.
        name: &'static str,
        /// The value.
        value: String,
        /// The accepted values.
        expected: String,
    },
    /// The position at the start of the game is wrong.
    Position(PositionError),
    /// Its dialect cannot express the position.
    Dialect(DialectError),
}

/// The reason why a player ends early.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CrashFault {
    /// The program ended.
    Exit(ExitStatus),
    /// The program closed its input or output.
    Closed,
}

/// The reason why a player is not waited for any longer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum HangFault {
    /// It does not read its input.
    Unread {
        /// The lines that wait.
        lines: String,
        /// The time they waited.
        patience: Duration,
    },
    /// It printed more than any answer has.
    Overfull {
        /// The question.
        asked: String,
        /// The bytes that an answer may have.
        most: usize,
    },
    /// It does not answer.
    Silent {
        /// The question.
        asked: String,
        /// The time it had.
        patience: Duration,
        /// The lines it printed.
        lines: u64,
        /// The lines that were cut.
        cut: u64,
    },
}

/// The reason why a reply is no legal move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MoveFault {
    /// It is none of the legal moves.
    NotLegal {
        /// The reply.
        found: String,
        /// The legal moves.
        legal: Vec<Move>,
        /// The position text.
        fen: String,
    },
    /// A take is missing in a dialect of whole turns.
    NoTake(String),
    /// It is empty.
    NoMove,
    /// The rules do not allow it.
    Unplayable {
        /// The move.
        m: Move,
        /// The position text.
        fen: String,
    },
}

impl Fault {
    /// The first words of the descriptions, in the order of the values.
    pub(super) const KINDS: [&'static str; 5] = ["not started", "crashed", "hung", "illegal", "late"];

    /// Returns true if a text may be the description of a fault.
    pub(crate) fn may_be(text: &str) -> bool {
        text.split_once(": ").is_some_and(|(kind, _)| Self::KINDS.contains(&kind))
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [start, crashed, hung, illegal, late] = Self::KINDS;
        let (kind, why) = match self {
            Self::Start(why) => (start, why.to_string()),
            Self::Crashed(why) => (crashed, why.to_string()),
            Self::Hung(why) => (hung, why.to_string()),
            Self::Illegal(why) => (illegal, why.to_string()),
            Self::Late { used, allowed, limit } => {
                let (used, allowed) = (used.as_millis(), allowed.as_millis());
                (late, format!("{used} ms used of {allowed} ms {limit}"))
            }
        };
        write!(f, "{kind}: {}", printable(&why, LONGEST_REASON))
    }
}

impl fmt::Display for StartFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let prefix = "it cannot be told the rules";
        match self {
            Self::Fault(fault) => write!(f, "{fault}"),
            Self::NoDialect(faults) => {
                for (index, (hello, fault)) in faults.iter().enumerate() {
                    let separator = if index > 0 { "; " } else { "" };
                    write!(f, "{separator}after '{hello}' {fault}")?;
                }
                Ok(())
            }
            Self::NoProgram => f.write_str("no program"),
            Self::Program(program, cause) => write!(f, "{program}: {cause}"),
            Self::NotRunning => f.write_str("it does not run"),
            Self::NoOption(name) => write!(f, "it has no option {name}; {LENIENT}"),
            Self::BadValue { name, value, expected } => {
                write!(f, "option {name}: found '{value}', expected {expected}; {LENIENT}")
            }
            Self::RuleOption(name) => {
                write!(
                    f,
                    "option {name}: found a rule, expected none, as the match or suite names the rules; "
                )?;
                f.write_str(LENIENT)
            }
            Self::Refused { line, answer } => write!(f, "it refuses '{line}': {answer}; {LENIENT}"),
            Self::UnknownRules(name) => write!(f, "{prefix}: '{name}' is not known in this dialect"),
            Self::NoRuleOption(name) => write!(f, "{prefix}: it has no option {name}"),
            Self::RefusedRule { line, answer } => write!(f, "{prefix}: it refuses '{line}': {answer}"),
            Self::BadRule { name, value, expected } => {
                write!(f, "{prefix}: option {name}: found '{value}', expected {expected}")
            }
            Self::Position(cause) => write!(f, "{cause}"),
            Self::Dialect(cause) => write!(f, "{cause}"),
        }
    }
}

impl fmt::Display for CrashFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exit(status) => write!(f, "{status}"),
            Self::Closed => f.write_str("closed its input or output"),
        }
    }
}

impl fmt::Display for HangFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unread { lines, patience } => {
                write!(f, "does not read its input, '{lines}' waits for {patience:?}")
            }
            Self::Overfull { asked, most } => {
                write!(f, "more than {most} bytes and no answer to '{asked}'")
            }
            Self::Silent { asked, patience, lines, cut } => {
                write!(f, "no answer to '{asked}' in {patience:?}, lines printed: {lines}")?;
                if *cut > 0 { write!(f, ", {cut} of them cut") } else { Ok(()) }
            }
        }
    }
}

impl fmt::Display for MoveFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotLegal { found, legal, fen } => {
                write!(f, "found '{found}', expected one of ")?;
                legal.iter().try_for_each(|m| write!(f, "{m} "))?;
                write!(f, "at {fen}")
            }
            Self::NoTake(found) => write!(f, "found '{found}', expected its take in the same word"),
            Self::NoMove => f.write_str("no move"),
            Self::Unplayable { m, fen } => write!(f, "found {m} at {fen}"),
        }
    }
}
