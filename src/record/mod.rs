//! Recorded games: the model, and the forms in which people and servers write them down.
//!
//! `pgn.rs` reads and writes the common form, `playok.rs` and `goldtoken.rs` read what these servers give out,
//! `tokens.rs` reads and writes bare lists of actions, and `detect.rs` tells the forms apart. A broken game is
//! reported with file, line and token, and the rest of the text is still read.

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

/// How games are written down.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// Tags, numbered turns, comments, marks and variations: the form modelled on chess PGN.
    Pgn,
    /// PlayOK: tags and numbered points.
    PlayOk,
    /// GoldToken: text copied from a game page.
    GoldToken,
    /// One game a line, actions separated by blanks.
    Tokens,
    /// A position text alone: a game without moves from there.
    Position,
}

impl Form {
    /// The forms that can be chosen, with their names.
    pub const NAMES: [(&'static str, Self); 4] = [
        ("pgn", Self::Pgn),
        ("playok", Self::PlayOk),
        ("goldtoken", Self::GoldToken),
        ("tokens", Self::Tokens),
    ];
}

/// How a recorded game ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum GameResult {
    /// A side won.
    Win(Color),
    /// Nobody won.
    Draw,
    /// The game is not over, or its end is not known.
    #[default]
    Unknown,
}

impl GameResult {
    /// The text in tags and at the end of the moves.
    pub const fn text(self) -> &'static str {
        match self {
            Self::Win(Color::White) => "1-0",
            Self::Win(Color::Black) => "0-1",
            Self::Draw => "1/2-1/2",
            Self::Unknown => "*",
        }
    }

    /// Reads [`GameResult::text`].
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

/// What one side does in one turn: a placing or slide with its removals, or removals alone where they are owed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Turn {
    /// Who makes it.
    pub side: Color,
    /// The actions, at least one.
    pub moves: Vec<Move>,
    /// Marks by their numbers: 1 to 6 are `!` `?` `!!` `??` `!?` `?!`.
    pub marks: Vec<u8>,
    /// Comments behind the turn.
    pub comments: Vec<String>,
    /// The variations that replace the turn, as indices into [`GameRecord::lines`].
    pub variations: Vec<usize>,
}

/// The main line or a variation.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Line {
    /// Comments before the first turn.
    pub comments: Vec<String>,
    /// The turns.
    pub turns: Vec<Turn>,
}

/// A recorded game.
///
/// All lines stand in one list, each before the lines that branch from it, so that no depth of nesting needs
/// recursion. Comments hold no `}` and single blanks only; [`comment`] makes a text so.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GameRecord {
    /// The rules it is played by.
    pub rules: Rules,
    /// The text of the position it starts from, where that is not the initial one.
    pub start: Option<String>,
    /// The tags, without those that follow from the other fields: `Result`, `Variant`, `Rules`, `SetUp`, `FEN` and
    /// `PlyCount`.
    pub tags: Vec<(String, String)>,
    /// The main line, then the variations.
    pub lines: Vec<Line>,
    /// How it ended.
    pub result: GameResult,
}

impl GameRecord {
    /// A game without moves from the initial position.
    pub fn new(rules: Rules) -> Self {
        Self {
            rules,
            start: None,
            tags: Vec::new(),
            lines: vec![Line::default()],
            result: GameResult::Unknown,
        }
    }

    /// The main line.
    pub fn main(&self) -> &Line {
        // Every constructor puts the main line there; an emptied list is as good as a game without moves.
        static EMPTY: Line = Line { comments: Vec::new(), turns: Vec::new() };
        self.lines.first().unwrap_or(&EMPTY)
    }

    /// The actions of the main line.
    pub fn moves(&self) -> impl Iterator<Item = Move> {
        self.main().turns.iter().flat_map(|turn| turn.moves.iter().copied())
    }

    /// The position the game starts from.
    ///
    /// # Errors
    /// When the position text of [`GameRecord::start`] cannot be read under the rules.
    pub fn start_position(&self) -> Result<Position, FenError> {
        match &self.start {
            None => Ok(Position::new(&self.rules)),
            Some(text) => Position::from_fen(&self.rules, text),
        }
    }

    /// The value of a tag kept in [`GameRecord::tags`].
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags.iter().find(|(n, _)| n == name).map(|(_, value)| value.as_str())
    }

    /// Sets a tag, in its old place if it is there.
    pub fn set_tag(&mut self, name: &str, value: &str) {
        match self.tags.iter_mut().find(|(n, _)| n == name) {
            Some((_, old)) => value.clone_into(old),
            None => self.tags.push((name.to_owned(), value.to_owned())),
        }
    }

    /// The game in the common form.
    pub fn to_pgn(&self) -> String {
        pgn::write(self)
    }

    /// The game as one line of actions; rules, tags, comments, marks and variations are left out.
    pub fn to_tokens(&self) -> String {
        tokens::write(self)
    }
}

/// The text of a comment as records can hold it: no closing brace, runs of blanks and line ends made one blank.
pub fn comment(text: &str) -> String {
    let words: Vec<String> =
        text.split_whitespace().map(|w| w.replace('}', "")).filter(|w| !w.is_empty()).collect();
    words.join(" ")
}

/// The bracket commands of a comment, such as `[%eval 0.35]`, as name and value.
pub fn commands(comment: &str) -> impl Iterator<Item = (&str, &str)> {
    comment.split("[%").skip(1).filter_map(|rest| {
        let (command, _) = rest.split_once(']')?;
        Some(command.split_once(' ').map_or((command, ""), |(name, value)| (name, value.trim())))
    })
}

/// The title of a rule set in records: that of the first named rule set with these settings.
pub fn variant_title(rules: &Rules) -> Option<&'static str> {
    NAMED.iter().find(|row| row.rules == *rules).map(|row| row.title)
}

/// The options of a rule set that differ from the defaults, as the `Rules` tag holds them.
fn rules_tag(rules: &Rules) -> String {
    let words = rules.differing_options().map(|o| format!("{}={}", o.name, rules.value_text(o)));
    words.collect::<Vec<_>>().join(" ")
}

/// What is wrong with a record.
#[derive(Clone, Debug)]
pub enum Problem {
    /// A word that is no action in this form of record.
    Unreadable {
        /// What would have been read.
        expected: &'static str,
    },
    /// An action that the rules do not allow.
    Illegal {
        /// Those that they allow.
        legal: Vec<Move>,
    },
    /// The `Variant` tag names no rule set that is known.
    UnknownVariant,
    /// The `Rules` tag, or the rules it gives.
    BadRules(String),
    /// The `FEN` tag, or the position a line begins with.
    BadPosition(String),
}

/// A broken record: where it breaks, and why.
#[derive(Clone, Debug)]
pub struct RecordError {
    /// The file.
    pub file: String,
    /// The line in the file, from 1.
    pub line: usize,
    /// The number of the game in the file, from 1.
    pub game: usize,
    /// What was found.
    pub token: String,
    /// What is wrong with it.
    pub problem: Problem,
}

impl RecordError {
    /// What is wrong, without the place.
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

/// How a text is read.
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    /// The form; `None` finds out.
    pub form: Option<Form>,
    /// The rules of games that do not name theirs, or name unknown ones; `None` is nine men's morris for the
    /// former and an error for the latter.
    pub rules: Option<Rules>,
    /// Keep a broken game up to its last good turn.
    pub keep_partial: bool,
}

/// What a text held.
#[derive(Clone, Debug, Default)]
pub struct Reading {
    /// The games, in order.
    pub games: Vec<GameRecord>,
    /// The broken ones; a game kept in part is in both lists.
    pub errors: Vec<RecordError>,
    /// Oddities that did not matter, for people.
    pub notes: Vec<String>,
}

/// Reads all games of a text; `file` only names it in messages.
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

/// Why a `Variant` and `Rules` tag give no rule set.
fn rules_of_tags(
    variant: Option<&str>,
    settings: Option<&str>,
    outside: Option<Rules>,
) -> Result<Rules, Problem> {
    let custom = variant.is_some_and(|v| v.trim().eq_ignore_ascii_case("custom"));
    let mut rules = match variant {
        None => outside.unwrap_or_default(),
        // The defaults, if the settings follow; otherwise the record does not tell its rules.
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

/// Letter case and other ways of writing the sign for a removal made one.
fn normal(word: &str) -> String {
    word.to_ascii_lowercase().replace("-/x", "x").replace("/x", "x")
}

/// The action of a word as messages show it: both, where they differ.
fn quote(word: &str, action: Move) -> String {
    let text = action.to_string();
    if word.eq_ignore_ascii_case(&text) { text } else { format!("{} ({text})", shorten(word, 80)) }
}

/// Words of talk that records hold between moves.
fn is_filler(word: &str) -> bool {
    const WORDS: [&str; 7] = ["white", "black", "win", "lose", "draw", "resign", "p"];
    WORDS.iter().any(|w| w.eq_ignore_ascii_case(word))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
