//! The settings, the result and the errors of reading.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use super::model::{GameRecord, GameResult};
use crate::notation::MoveError;
use crate::platform::text::{printable, printable_path};
use crate::position::PositionError;
use crate::rules::{NAMED, RuleError, Rules};
use crate::types::Move;
use std::fmt;

/// The formats of recorded games.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// Tags, numbered turns, comments, marks and variations: the format modelled on chess PGN.
    Pgn,
    /// PlayOK: tags and numbered points.
    PlayOk,
    /// GoldToken: text copied from a game page.
    GoldToken,
    /// One game per line, moves separated by blanks.
    Tokens,
    /// A position text alone: a game without moves from there.
    Position,
}

impl Format {
    /// The formats that users can choose, with their names.
    pub const NAMES: [(&'static str, Self); 4] = [
        ("pgn", Self::Pgn),
        ("playok", Self::PlayOk),
        ("goldtoken", Self::GoldToken),
        ("tokens", Self::Tokens),
    ];
}

/// The settings of [`read`](super::read).
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ReadOptions {
    /// The format, `None` to detect it.
    pub format: Option<Format>,
    /// The rules of games without a `Variant` tag or with an unknown one.
    ///
    /// `None` is Nine Men's Morris for the former and an error for the latter.
    pub rules: Option<Rules>,
    /// Keeps a broken game up to its last good turn.
    pub keep_partial: bool,
}

/// The result of [`read`](super::read).
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Reading {
    /// The games, in order.
    pub games: Vec<GameRecord>,
    /// The number of each of these games in the file, from 1.
    pub numbers: Vec<usize>,
    /// The errors of broken games. A game kept in part is in both lists.
    pub errors: Vec<RecordError>,
    /// Contradictions that did not matter, and unknown variants. Each of these games is whole.
    pub notes: Vec<RecordError>,
}

impl Reading {
    /// Adds a game with its number.
    pub(super) fn push(&mut self, number: usize, game: GameRecord) {
        self.numbers.push(number);
        self.games.push(game);
    }
}

/// Returns true if a `Variant` tag leaves the rules to the `Rules` tag.
pub(super) fn is_custom(variant: &str) -> bool {
    variant.trim().eq_ignore_ascii_case("custom")
}

/// A fault of a record.
#[derive(Clone, PartialEq, Debug)]
pub enum Problem {
    /// A word that is not a move in this format of record.
    Unreadable {
        /// A description of what is accepted.
        expected: &'static str,
    },
    /// A move that the rules do not allow.
    Illegal {
        /// The legal moves.
        legal: Vec<Move>,
    },
    /// The `Variant` tag names no known rule set.
    UnknownVariant,
    /// The `Variant` tag says `Custom`, and there is no `Rules` tag.
    NoRules,
    /// The `Variant` tag names no known rule set, or says `Custom` without a `Rules` tag; the game is read by
    /// these rules.
    OtherVariant(Rules),
    /// A word of the `Rules` tag, given here, does not have the form `Name=value`.
    NoSetting(String),
    /// The `Rules` tag has a rule or a value that is not accepted.
    BadRules(RuleError),
    /// The `Result` tag, which counts, differs from this result at the end of the moves.
    OtherResult(GameResult),
    /// The `Result` tag has no result; the end of the moves counts.
    NoResult,
    /// The `FEN` tag, or the position at the start of a line, cannot be read.
    BadPosition(PositionError),
}

/// A fault of a record, with its place.
#[derive(Clone, PartialEq, Debug)]
pub struct RecordError {
    /// The file.
    pub file: String,
    /// The line in the file, from 1.
    pub line: usize,
    /// The number of the game in the file, from 1.
    pub game: usize,
    /// The token at fault.
    pub token: String,
    /// The fault.
    pub problem: Problem,
}

impl RecordError {
    /// Returns the message without the place.
    pub fn reason(&self) -> String {
        let token = printable(&self.token, 80);
        match &self.problem {
            Problem::Unreadable { expected } if token.is_empty() => {
                format!("found the end of the game, expected {expected}")
            }
            Problem::Unreadable { expected } => format!("found '{token}', expected {expected}"),
            Problem::Illegal { legal } => {
                MoveError::Illegal { text: token, legal: legal.clone() }.to_string()
            }
            Problem::UnknownVariant => {
                let titles: Vec<&str> = NAMED.iter().map(|row| row.title).collect();
                format!("unknown Variant '{token}', expected one of {}", titles.join(", "))
            }
            Problem::NoRules => {
                format!("Variant '{token}': found no Rules tag, expected one that names the rules")
            }
            Problem::OtherVariant(rules) if is_custom(&self.token) => {
                format!("Variant '{token}': found no Rules tag: read as {rules}")
            }
            Problem::OtherVariant(rules) => format!("unknown Variant '{token}': read as {rules}"),
            Problem::NoSetting(found) => {
                format!("bad Rules tag '{token}': found '{}', expected Name=value", printable(found, 80))
            }
            Problem::BadRules(why) => format!("bad Rules tag '{token}': {why}"),
            Problem::OtherResult(found) => {
                format!("the moves end with {}, the tag says {token}: kept the tag", found.text())
            }
            Problem::NoResult => {
                format!("result '{token}', expected 1-0, 0-1, 1/2-1/2 or *: taken from the moves")
            }
            Problem::BadPosition(why) => format!("bad position '{token}': {why}"),
        }
    }
}

impl fmt::Display for RecordError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.file.as_str() {
            "" => write!(f, "line ")?,
            file => write!(f, "{}:", printable_path(file.as_ref()))?,
        }
        write!(f, "{}: game {}: {}", self.line, self.game, self.reason())
    }
}

impl std::error::Error for RecordError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.problem {
            Problem::BadRules(cause) => Some(cause),
            Problem::BadPosition(cause) => Some(cause),
            _ => None,
        }
    }
}
