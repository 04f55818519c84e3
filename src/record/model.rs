//! The model: a recorded game with its lines, turns, tags and comments.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::platform::text::is_control;
use crate::position::{Outcome, Position, PositionError};
use crate::rules::Rules;
use crate::types::{Color, Move};
use std::fmt;

/// The result of a recorded game.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, serde::Serialize, serde::Deserialize)]
pub enum GameResult {
    /// A side won.
    Win(Color),
    /// The game is drawn.
    Draw,
    /// The game is not over, or its end is not known.
    #[default]
    Unknown,
}

impl GameResult {
    /// Returns the text of tags and of the end of the moves, such as `1-0`.
    pub const fn text(self) -> &'static str {
        match self {
            Self::Win(Color::White) => "1-0",
            Self::Win(Color::Black) => "0-1",
            Self::Draw => "1/2-1/2",
            Self::Unknown => "*",
        }
    }

    /// Reads a text of [`GameResult::text`].
    pub fn read(text: &str) -> Option<Self> {
        match text {
            "1-0" => Some(Self::Win(Color::White)),
            "0-1" => Some(Self::Win(Color::Black)),
            "1/2-1/2" => Some(Self::Draw),
            "*" => Some(Self::Unknown),
            _ => None,
        }
    }
}

impl fmt::Display for GameResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

impl From<Outcome> for GameResult {
    fn from(outcome: Outcome) -> Self {
        match outcome.winner {
            Some(winner) => Self::Win(winner),
            None if outcome.is_draw() => Self::Draw,
            None => Self::Unknown,
        }
    }
}

/// A turn of one side: a placing or slide with its takes, or takes alone.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub struct Turn {
    /// The side that makes it.
    pub side: Color,
    /// The moves, at least one.
    pub moves: Vec<Move>,
    /// Marks by their numbers: 1 to 6 are `!` `?` `!!` `??` `!?` `?!`.
    pub marks: Vec<u8>,
    /// Comments after the turn.
    pub comments: Vec<String>,
    /// The variations that replace the turn, as indices into [`GameRecord::lines`].
    pub variations: Vec<usize>,
}

/// The main line or a variation.
#[derive(Clone, PartialEq, Eq, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct RecordLine {
    /// Comments before the first turn.
    pub comments: Vec<String>,
    /// The turns.
    pub turns: Vec<Turn>,
}

impl RecordLine {
    /// Adds a comment to the latest turn, or to the line if it has none.
    pub(super) fn add_comment(&mut self, text: &str) {
        let text = comment(text);
        if text.is_empty() {
            return;
        }
        match self.turns.last_mut() {
            Some(turn) => turn.comments.push(text),
            None => self.comments.push(text),
        }
    }
}

/// A recorded game.
///
/// All lines are in one list, each before the lines that branch from it, so that deep nesting needs no
/// recursion. Comments have no `}` and no runs of blanks; [`comment`] makes them so.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub struct GameRecord {
    /// The rules of the game.
    pub rules: Rules,
    /// The text of the position it starts from, unless that is the initial position.
    pub start: Option<String>,
    /// The tags as names and values, without those that follow from other fields.
    ///
    /// Those are `Result`, `Variant`, `Rules`, `SetUp`, `FEN` and `PlyCount`.
    pub tags: Vec<(String, String)>,
    /// The main line, then the variations.
    pub lines: Vec<RecordLine>,
    /// The result.
    pub result: GameResult,
}

impl GameRecord {
    /// Returns a game without moves from the initial position.
    pub fn new(rules: Rules) -> Self {
        Self {
            rules,
            start: None,
            tags: Vec::new(),
            lines: vec![RecordLine::default()],
            result: GameResult::Unknown,
        }
    }

    /// Returns the main line.
    pub fn main(&self) -> &RecordLine {
        // Only a caller that empties the list meets the default.
        static EMPTY: RecordLine = RecordLine { comments: Vec::new(), turns: Vec::new() };
        self.lines.first().unwrap_or(&EMPTY)
    }

    /// Returns the moves of the main line.
    pub fn moves(&self) -> impl Iterator<Item = Move> {
        self.main().turns.iter().flat_map(|turn| turn.moves.iter().copied())
    }

    /// Returns the position the game starts from.
    ///
    /// # Errors
    /// If the position text of [`GameRecord::start`] cannot be read under the rules.
    pub fn start_position(&self) -> Result<Position, PositionError> {
        match &self.start {
            None => Ok(Position::new(&self.rules)),
            Some(text) => Position::from_fen(&self.rules, text),
        }
    }

    /// Returns the value of a tag in [`GameRecord::tags`]. Names are equal in either case.
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags.iter().find(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    /// Sets a tag; an existing one keeps its place and its spelling.
    ///
    /// The name has letters, digits, `_` and `-`. PGN leaves out a tag with another name, and one that
    /// follows from other fields.
    pub fn set_tag(&mut self, name: &str, value: &str) {
        match self.tags.iter_mut().find(|(n, _)| n.eq_ignore_ascii_case(name)) {
            Some((_, old)) => value.clone_into(old),
            None => self.tags.push((name.to_owned(), value.to_owned())),
        }
    }
}

/// Returns a comment as records can hold it.
///
/// It has no `}`, and one blank for each run of blanks, line ends and control characters.
pub fn comment(text: &str) -> String {
    // Without a list of words, which would take many times the memory of the text.
    let mut shown = String::new();
    for word in text.split(|c: char| c.is_whitespace() || is_control(c)) {
        for (number, part) in word.split('}').filter(|part| !part.is_empty()).enumerate() {
            if number == 0 && !shown.is_empty() {
                shown.push(' ');
            }
            shown.push_str(part);
        }
    }
    shown
}

/// Returns the bracket commands of a comment, such as `[%eval 0.35]`, as names and values.
pub fn commands(comment: &str) -> impl Iterator<Item = (&str, &str)> {
    comment.split("[%").skip(1).filter_map(|rest| {
        let (command, _) = rest.split_once(']')?;
        Some(command.split_once(' ').map_or((command, ""), |(name, value)| (name, value.trim())))
    })
}
