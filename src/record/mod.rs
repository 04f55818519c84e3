//! Game records: the model, and readers and writers of every form. Uses `movegen`, `notation` and `position`.
//!
//! `pgn` reads and writes the common form, `playok.rs` and `goldtoken.rs` read the forms of these servers,
//! `tokens.rs` reads and writes bare lists of moves, and `detect.rs` finds out the form of a text. A broken
//! game is reported with file, line and token, and the games after it are still read.
//!
//! ```
//! use millstone::record::{ReadOptions, read};
//!
//! let text = "[White \"A\"]\n\n1. d7 a1 2. g7 d1 3. a7xa1 {a mill} f4 *\n";
//! let reading = read("example.pgn", text, &ReadOptions::default());
//! assert!(reading.errors.is_empty());
//! let game = &reading.games[0];
//! assert_eq!((game.tag("White"), game.moves().count()), (Some("A"), 7));
//! assert_eq!(game.to_tokens(), "d7 a1 g7 d1 a7 xa1 f4\n");
//! ```

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod build;
mod detect;
mod goldtoken;
mod pgn;
mod playok;
mod tokens;

pub use build::Builder;
pub use detect::detect;

use crate::platform::text::shorten;
use crate::position::{FenError, Outcome, Position};
use crate::rules::{NAMED, RuleError, Rules};
use crate::types::{Color, Move};
use std::fmt;

/// The written forms of games.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// Tags, numbered turns, comments, marks and variations: the form modelled on chess PGN.
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

impl Form {
    /// The forms that users can choose, with their names.
    pub const NAMES: [(&'static str, Self); 4] = [
        ("pgn", Self::Pgn),
        ("playok", Self::PlayOk),
        ("goldtoken", Self::GoldToken),
        ("tokens", Self::Tokens),
    ];
}

/// The result of a recorded game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
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
#[derive(Clone, PartialEq, Eq, Debug)]
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
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct RecordLine {
    /// Comments before the first turn.
    pub comments: Vec<String>,
    /// The turns.
    pub turns: Vec<Turn>,
}

/// A recorded game.
///
/// All lines are in one list, each before the lines that branch from it, so that deep nesting needs no
/// recursion. Comments have no `}` and no runs of blanks; [`comment`] makes them so.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GameRecord {
    /// The rules of the game.
    pub rules: Rules,
    /// The text of the position it starts from, unless that is the initial position.
    pub start: Option<String>,
    /// The tags as names and values, without those that follow from other fields: `Result`, `Variant`,
    /// `Rules`, `SetUp`, `FEN` and `PlyCount`.
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
    pub fn start_position(&self) -> Result<Position, FenError> {
        match &self.start {
            None => Ok(Position::new(&self.rules)),
            Some(text) => Position::from_fen(&self.rules, text),
        }
    }

    /// Returns the value of a tag in [`GameRecord::tags`].
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags.iter().find(|(n, _)| n == name).map(|(_, value)| value.as_str())
    }

    /// Sets a tag, at its old place if it exists.
    pub fn set_tag(&mut self, name: &str, value: &str) {
        match self.tags.iter_mut().find(|(n, _)| n == name) {
            Some((_, old)) => value.clone_into(old),
            None => self.tags.push((name.to_owned(), value.to_owned())),
        }
    }

    /// Returns the game in the common form.
    ///
    /// ```
    /// use millstone::{GameRecord, Rules};
    ///
    /// let pgn = GameRecord::new(Rules::LASKER).to_pgn();
    /// assert!(pgn.contains("[Variant \"Lasker Morris\"]"));
    /// ```
    pub fn to_pgn(&self) -> String {
        pgn::write(self)
    }

    /// Returns the moves of the main line on one line of text, without rules, tags, comments, marks and
    /// variations.
    pub fn to_tokens(&self) -> String {
        tokens::write(self)
    }
}

/// Returns a comment as records can hold it: without `}`, each run of blanks and line ends as one blank.
pub fn comment(text: &str) -> String {
    let words: Vec<String> =
        text.split_whitespace().map(|w| w.replace('}', "")).filter(|w| !w.is_empty()).collect();
    words.join(" ")
}

/// Returns the bracket commands of a comment, such as `[%eval 0.35]`, as names and values.
pub fn commands(comment: &str) -> impl Iterator<Item = (&str, &str)> {
    comment.split("[%").skip(1).filter_map(|rest| {
        let (command, _) = rest.split_once(']')?;
        Some(command.split_once(' ').map_or((command, ""), |(name, value)| (name, value.trim())))
    })
}

/// Returns the title of the first named rule set with these rules.
pub fn variant_title(rules: &Rules) -> Option<&'static str> {
    NAMED.iter().find(|row| row.rules == *rules).map(|row| row.title)
}

/// Returns the value of the `Rules` tag: the options that differ from the defaults.
fn rules_tag(rules: &Rules) -> String {
    let words = rules.differing_options().map(|o| format!("{}={}", o.name, rules.value_text(o)));
    words.collect::<Vec<_>>().join(" ")
}

/// A fault of a record.
#[derive(Clone, Debug)]
pub enum Problem {
    /// A word that is not a move in this form of record.
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
    /// The `Rules` tag cannot be read.
    BadRules(String),
    /// The `FEN` tag, or the position at the start of a line, cannot be read.
    BadPosition(String),
}

/// A broken record, with the place of the fault.
#[derive(Clone, Debug)]
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
        let token = shorten(&self.token, 80);
        match &self.problem {
            Problem::Unreadable { expected } if token.is_empty() => {
                format!("found the end of the game, expected {expected}")
            }
            Problem::Unreadable { expected } => format!("found '{token}', expected {expected}"),
            Problem::Illegal { legal } if legal.is_empty() => {
                format!("illegal action '{token}': no action is legal here")
            }
            Problem::Illegal { legal } => {
                let list: Vec<String> = legal.iter().map(Move::to_string).collect();
                format!("illegal action '{token}', expected one of {}", list.join(" "))
            }
            Problem::UnknownVariant => {
                let titles: Vec<&str> = NAMED.iter().map(|row| row.title).collect();
                format!("unknown Variant '{token}', expected one of {}", titles.join(", "))
            }
            Problem::BadRules(why) => format!("bad Rules tag '{token}': {why}"),
            Problem::BadPosition(why) => format!("bad position '{token}': {why}"),
        }
    }
}

impl fmt::Display for RecordError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: game {}: {}", self.file, self.line, self.game, self.reason())
    }
}

impl std::error::Error for RecordError {}

/// The settings of [`read`].
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    /// The form, `None` to detect it.
    pub form: Option<Form>,
    /// The rules of games without a `Variant` tag or with an unknown one. `None` is nine men's morris for the
    /// former and an error for the latter.
    pub rules: Option<Rules>,
    /// Keeps a broken game up to its last good turn.
    pub keep_partial: bool,
}

/// The result of [`read`].
#[derive(Clone, Debug, Default)]
pub struct Reading {
    /// The games, in order.
    pub games: Vec<GameRecord>,
    /// The errors of broken games. A game kept in part is in both lists.
    pub errors: Vec<RecordError>,
    /// Warnings about contradictions that did not matter, as sentences.
    pub notes: Vec<String>,
}

/// Reads all games of a text. `file` is used in messages only.
pub fn read(file: &str, text: &str, options: &ReadOptions) -> Reading {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut reading = Reading::default();
    match options.form.unwrap_or_else(|| detect(text)) {
        Form::Pgn => pgn::read(file, text, options, &pgn::COMMON, &mut reading),
        Form::PlayOk => pgn::read(file, text, options, &playok::NUMBERED, &mut reading),
        Form::GoldToken => goldtoken::read(file, text, options, &mut reading),
        Form::Tokens => tokens::read(file, text, options, &mut reading),
        Form::Position => tokens::read_position(file, text, options, &mut reading),
    }
    reading
}

/// Returns the rules of a `Variant` and a `Rules` tag.
fn rules_of_tags(
    variant: Option<&str>,
    settings: Option<&str>,
    outside: Option<Rules>,
) -> Result<Rules, Problem> {
    let custom = variant.is_some_and(|v| v.trim().eq_ignore_ascii_case("custom"));
    let mut rules = match variant {
        None => outside.unwrap_or_default(),
        // A custom game without the `Rules` tag does not name its rules.
        Some(_) if custom && settings.is_some() => Rules::NINE,
        Some(title) => match (Rules::by_name(title.trim()), outside) {
            (Some(rules), _) => rules,
            (None, Some(rules)) => rules,
            (None, None) => return Err(Problem::UnknownVariant),
        },
    };
    for setting in settings.unwrap_or_default().split_whitespace() {
        let (name, value) = setting
            .split_once('=')
            .ok_or_else(|| Problem::BadRules(format!("found '{setting}', expected Name=value")))?;
        rules.set_option(name, value).map_err(|why: RuleError| Problem::BadRules(why.to_string()))?;
    }
    Ok(rules)
}

/// Returns a word in lower case, with `x` for all ways to write a take.
fn normal(word: &str) -> String {
    word.to_ascii_lowercase().replace("-/x", "x").replace("/x", "x")
}

/// Returns a word and its move for messages, once if they are the same.
fn quote(word: &str, action: Move) -> String {
    let text = action.to_string();
    if word.eq_ignore_ascii_case(&text) { text } else { format!("{} ({text})", shorten(word, 80)) }
}

/// Returns true for words without meaning between moves, such as `resign`.
fn is_filler(word: &str) -> bool {
    const WORDS: [&str; 7] = ["white", "black", "win", "lose", "draw", "resign", "p"];
    WORDS.iter().any(|w| w.eq_ignore_ascii_case(word))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
