//! The reader that all dialects share: it turns a line into a [`ParsedLine`], a command with its notes.

use crate::engine::{GoRequest, PositionOrigin, PositionRequest};
use crate::platform::text::{add_word, join_words, printable};
use crate::types::Depth;
use std::error::Error;
use std::fmt;
use std::time::Duration;

/// The characters of a faulty word or line that its error keeps.
const LONGEST_FOUND: usize = 100;

/// The notes on the words of a `go`; further ones are counted.
const MOST_NOTES: usize = 10;

/// A line of the client, as it was understood.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct ParsedLine {
    /// The command.
    pub(crate) command: Command,
    /// The words that have no effect.
    pub(crate) notes: Vec<GoNote>,
}

impl From<Command> for ParsedLine {
    fn from(command: Command) -> Self {
        Self { command, notes: Vec::new() }
    }
}

/// The request of a client.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Command {
    /// An empty line, or words that are ignored.
    Nothing,
    /// The handshake of a family of dialects.
    Hello,
    /// `debug on` or `debug off`.
    Debug(bool),
    /// `isready`.
    IsReady,
    /// `setoption`, with the rest of the line.
    SetOption(String),
    /// A new game.
    NewGame,
    /// `position`.
    Position(PositionRequest),
    /// `go`.
    Go(Box<Go>),
    /// `stop`.
    Stop,
    /// `ponderhit`.
    PonderHit,
    /// `quit`.
    Quit,
    /// `perft` to a depth.
    Perft(u32),
    /// `bench`, to a depth or to the default one.
    Bench(Option<Depth>),
    /// `analyze`.
    Analyze(PositionRequest),
    /// `experience`, with the rest of the line.
    Experience(String),
    /// A command that shows something and changes nothing.
    Query(QueryKind),
}

/// A command that shows something and changes nothing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum QueryKind {
    /// `d`: the board as text.
    Board,
    /// `d --svg`: the board as a picture.
    BoardSvg,
    /// `fen`.
    Fen,
    /// `moves`.
    Moves,
    /// `eval`.
    Eval,
    /// `help`.
    Help,
    /// `statejson`.
    StateJson,
    /// `key`.
    Key,
    /// `hist`.
    Hist,
    /// `compiler`.
    Compiler,
    /// `query` of the UGI dialect, with the rest of the line.
    Ugi(String),
}

/// The arguments of `go`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Go {
    /// The limits.
    pub(crate) request: GoRequest,
    /// The number of moves to rank before the answer.
    pub(crate) topn: Option<usize>,
    /// True if the answer is a whole turn as one object.
    pub(crate) logical: bool,
}

/// A word of `go` that has no effect.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum GoNote {
    /// A limit without a number; it holds the word and the text found instead.
    NoNumber(String, Option<String>),
    /// A limit with a number out of range.
    OutOfRange(String, i64),
    /// An unknown word.
    Unknown(String),
    /// So many further words.
    More(usize),
}

impl fmt::Display for GoNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoNumber(word, found) => {
                let found = printable(found.as_deref().unwrap_or("nothing"), 60);
                write!(f, "go {word}: found '{found}', expected a number; limit dropped")
            }
            Self::OutOfRange(word, n) => {
                write!(f, "go {word}: found {n}, expected a positive number; limit dropped")
            }
            Self::Unknown(word) => write!(f, "go: unknown word '{}', skipped", printable(word, 60)),
            Self::More(count) => write!(f, "go: {count} more words without effect"),
        }
    }
}

/// The reason why a line is no [`Command`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum CommandError {
    /// There is no such command.
    Unknown(String),
    /// It is a subcommand of the program, which the shell starts; the line is what to type there.
    Subcommand(String),
    /// The arguments of `position` are wrong.
    Position(OriginError),
    /// The arguments of `analyze` are wrong.
    Analyze(OriginError),
    /// The depth of `perft` is wrong.
    Perft(String),
    /// The depth of `bench` is wrong.
    Bench(String),
}

impl fmt::Display for CommandError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown(line) => write!(f, "unknown command: {}", printable(line, 60)),
            Self::Subcommand(line) => {
                let (word, line) = (line.split(' ').next().unwrap_or_default(), printable(line, 60));
                write!(
                    f,
                    "unknown command: {word} is a subcommand; leave with quit and run: millstone {line}"
                )
            }
            Self::Position(error) => write!(f, "position: {error}"),
            Self::Analyze(error) => write!(f, "analyze: {error}"),
            Self::Perft(found) => {
                write!(f, "perft: found '{}', expected a depth of 0 or more", printable(found, 60))
            }
            Self::Bench(found) => {
                write!(
                    f,
                    "bench: found '{}', expected a depth of 1 or more, or nothing",
                    printable(found, 60)
                )
            }
        }
    }
}

impl Error for CommandError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Position(cause) | Self::Analyze(cause) => Some(cause),
            _ => None,
        }
    }
}

/// The reason why the arguments of `position` name no position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum OriginError {
    /// Another word stands in place of the origin.
    NoOrigin {
        /// The word, if there is one.
        found: Option<String>,
        /// The word of the dialect that introduces a position text.
        text_word: &'static str,
    },
    /// Another word than `moves` follows `startpos`.
    AfterStart(String),
    /// No text follows the word of the dialect that introduces one.
    NoText(&'static str),
}

impl fmt::Display for OriginError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoOrigin { found, text_word } => {
                let found =
                    found.as_ref().map_or("nothing".to_owned(), |w| format!("'{}'", printable(w, 60)));
                write!(f, "found {found}, expected startpos or {text_word} <text>, then perhaps moves <m>…")
            }
            Self::AfterStart(found) => {
                write!(f, "found '{}' after startpos, expected moves or nothing", printable(found, 60))
            }
            Self::NoText(word) => write!(f, "found nothing after {word}, expected a position text"),
        }
    }
}

impl Error for OriginError {}

/// The words in which dialects differ.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Words {
    /// The handshake; the answer to it ends in `ok`.
    pub(crate) hello: &'static str,
    /// Begins a new game.
    pub(crate) new_game: &'static str,
    /// Introduces a position text.
    pub(crate) text: &'static str,
    /// The clock of White, the clock of Black, and their increments.
    pub(crate) clocks: [&'static str; 4],
}

/// The words of UCI.
pub(crate) const UCI: Words =
    Words { hello: "uci", new_game: "ucinewgame", text: "fen", clocks: ["wtime", "btime", "winc", "binc"] };

/// Reads a line.
///
/// # Errors
/// When there is no such command or its arguments are wrong.
pub(crate) fn read(line: &str, words: &Words) -> Result<ParsedLine, CommandError> {
    let line = line.trim_ascii();
    let (first, rest) = line.split_once([' ', '\t']).unwrap_or((line, ""));
    let rest = rest.trim_ascii();
    let command = match first {
        "" | "register" => Command::Nothing,
        "debug" => match rest {
            "on" => Command::Debug(true),
            "off" => Command::Debug(false),
            _ => Command::Nothing,
        },
        "isready" => Command::IsReady,
        "setoption" => Command::SetOption(rest.to_owned()),
        "position" => Command::Position(read_position(rest, words.text).map_err(CommandError::Position)?),
        "go" => return read_go(rest, words),
        "stop" => Command::Stop,
        "ponderhit" => Command::PonderHit,
        "quit" => Command::Quit,
        "perft" => Command::Perft(read_perft_depth(rest)?),
        "bench" => Command::Bench(read_bench_depth(rest)?),
        "analyze" => Command::Analyze(read_position(rest, words.text).map_err(CommandError::Analyze)?),
        "experience" => Command::Experience(rest.to_owned()),
        "d" if rest == "--svg" => Command::Query(QueryKind::BoardSvg),
        "d" => Command::Query(QueryKind::Board),
        "fen" => Command::Query(QueryKind::Fen),
        "moves" => Command::Query(QueryKind::Moves),
        "eval" => Command::Query(QueryKind::Eval),
        "help" | "?" => Command::Query(QueryKind::Help),
        "statejson" => Command::Query(QueryKind::StateJson),
        "key" => Command::Query(QueryKind::Key),
        "hist" => Command::Query(QueryKind::Hist),
        "compiler" => Command::Query(QueryKind::Compiler),
        word if word == words.hello => Command::Hello,
        word if word == words.new_game => Command::NewGame,
        _ => return Err(unknown(line)),
    };
    Ok(command.into())
}

/// The subcommands of the program that are no commands of the protocol. A test of `cli` compares the list.
pub(crate) const SUBCOMMANDS: [&str; 13] = [
    "play",
    "match",
    "accuracy",
    "suite",
    "tune",
    "openings",
    "diagram",
    "chart",
    "annotate",
    "convert",
    "tb",
    "completions",
    "man",
];

/// Returns the error of a line that begins with an unknown word, or with a subcommand typed in the wrong
/// place.
fn unknown(line: &str) -> CommandError {
    let line = &printable(line, LONGEST_FOUND);
    let words = line.strip_prefix("millstone ").unwrap_or(line).split_ascii_whitespace();
    let words: Vec<&str> = words.collect();
    match words.first() {
        Some(first) if SUBCOMMANDS.contains(first) => CommandError::Subcommand(words.join(" ")),
        _ => CommandError::Unknown(line.clone()),
    }
}

/// Reads the arguments of `position`: the origin, and the moves.
fn read_position(text: &str, text_word: &'static str) -> Result<PositionRequest, OriginError> {
    let mut words = text.split_ascii_whitespace();
    let origin = match words.next() {
        Some("startpos") => match words.next() {
            None | Some("moves") => PositionOrigin::Start,
            Some(other) => return Err(OriginError::AfterStart(printable(other, LONGEST_FOUND))),
        },
        Some(word) if word == text_word => {
            let fields = join_words(words.by_ref().take_while(|&w| w != "moves"));
            if fields.is_empty() {
                return Err(OriginError::NoText(text_word));
            }
            PositionOrigin::Text(fields)
        }
        other => {
            let found = other.map(|word| printable(word, LONGEST_FOUND));
            return Err(OriginError::NoOrigin { found, text_word });
        }
    };
    Ok(PositionRequest { origin, moves: join_words(words) })
}

fn read_perft_depth(text: &str) -> Result<u32, CommandError> {
    match whole_number(text) {
        Some(n) if n >= 0 => Ok(u32::try_from(n).unwrap_or(u32::MAX)),
        _ => Err(CommandError::Perft(printable(text, LONGEST_FOUND))),
    }
}

fn read_bench_depth(text: &str) -> Result<Option<Depth>, CommandError> {
    match whole_number(text) {
        None if text.is_empty() => Ok(None),
        Some(n) if n > 0 => Ok(Some(Depth::try_from(n).unwrap_or(Depth::MAX))),
        _ => Err(CommandError::Bench(printable(text, LONGEST_FOUND))),
    }
}

/// Reads a whole number of any size; one too large for the type becomes the largest.
fn whole_number(text: &str) -> Option<i64> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    Some(text.parse().unwrap_or(if text.starts_with('-') { i64::MIN } else { i64::MAX }))
}

/// Returns the milliseconds of a clock or of a move, at least one.
fn time(ms: i64) -> Duration {
    Duration::from_millis(ms.max(1) as u64)
}

/// The words that may follow `go`, besides those of the clocks.
const GO_WORDS: [&str; 11] = [
    "searchmoves",
    "ponder",
    "movestogo",
    "depth",
    "nodes",
    "mate",
    "movetime",
    "infinite",
    "perft",
    "topn",
    "logical",
];

fn read_go(text: &str, dialect: &Words) -> Result<ParsedLine, CommandError> {
    let mut go = Go::default();
    let (mut notes, mut more) = (Vec::new(), 0);
    let mut note = |note| {
        if notes.len() < MOST_NOTES {
            notes.push(note);
        } else {
            more += 1;
        }
    };
    let is_word = |w: &str| GO_WORDS.contains(&w) || dialect.clocks.contains(&w);
    let mut words = text.split_ascii_whitespace().peekable();
    while let Some(word) = words.next() {
        match word {
            "ponder" => go.request.ponder = true,
            "infinite" => go.request.infinite = true,
            "logical" => go.logical = true,
            "searchmoves" => {
                while let Some(m) = words.next_if(|w| !is_word(w)) {
                    add_word(&mut go.request.searchmoves, m);
                }
            }
            _ if is_word(word) => {
                let value = words.next_if(|w| !is_word(w));
                if word == "perft" {
                    return Ok(Command::Perft(read_perft_depth(value.unwrap_or_default())?).into());
                }
                match value.and_then(whole_number) {
                    Some(n) if set_limit(&mut go, word, n, dialect) => {}
                    Some(n) => note(GoNote::OutOfRange(word.to_owned(), n)),
                    None => {
                        let found = value.map(|value| printable(value, LONGEST_FOUND));
                        note(GoNote::NoNumber(word.to_owned(), found));
                    }
                }
            }
            _ => note(GoNote::Unknown(printable(word, LONGEST_FOUND))),
        }
    }
    if more > 0 {
        notes.push(GoNote::More(more));
    }
    Ok(ParsedLine { command: Command::Go(Box::new(go)), notes })
}

/// Sets the limit of a word; false if the number is out of range and nothing is set.
fn set_limit(go: &mut Go, word: &str, n: i64, dialect: &Words) -> bool {
    let request = &mut go.request;
    let count = || u32::try_from(n).unwrap_or(u32::MAX);
    match word {
        "depth" if n >= 0 => request.depth = (n > 0).then(|| Depth::try_from(n).unwrap_or(Depth::MAX)),
        "nodes" if n >= 0 => request.nodes = Some(n as u64),
        "mate" if n > 0 => request.mate = Some(count()),
        "movestogo" if n >= 0 => request.movestogo = (n > 0).then(count),
        "topn" if n > 0 => go.topn = Some(usize::try_from(n).unwrap_or(usize::MAX)),
        "movetime" => request.movetime = Some(time(n)),
        _ => match dialect.clocks.iter().position(|w| *w == word) {
            Some(side @ (0 | 1)) => request.time[side] = Some(time(n)),
            Some(side) => request.increment[side - 2] = Duration::from_millis(n.max(0) as u64),
            None => return false,
        },
    }
    true
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;

    fn read_ok(text: &str) -> (Go, Vec<GoNote>) {
        match read(text, &UCI) {
            Ok(ParsedLine { command: Command::Go(go), notes }) => (*go, notes),
            other => panic!("{other:?}"),
        }
    }

    fn go(text: &str) -> Go {
        read_ok(text).0
    }

    #[test]
    fn words_of_go_come_in_any_order() {
        let (a, notes) = read_ok("go wtime 1000 btime 2000 winc 10 searchmoves d6 f4 depth 5 movestogo 3");
        let b = go("go  searchmoves d6 f4 movestogo 3\tdepth 5 winc 10 btime 2000 wtime 1000");
        assert_eq!(a, b);
        assert!(notes.is_empty());
        assert_eq!(a.request.time, [Some(Duration::from_secs(1)), Some(Duration::from_secs(2))]);
        assert_eq!(a.request.searchmoves, "d6 f4");
    }

    #[test]
    fn odd_numbers_of_go_are_bent_or_dropped_with_a_note() {
        assert_eq!(go("go depth 0"), go("go"));
        assert_eq!(go("go movetime -100").request.movetime, Some(Duration::from_millis(1)));
        assert_eq!(go("go nodes 99999999999999999999").request.nodes, Some(i64::MAX as u64));
        for dropped in ["go depth", "go depth deep", "go depth -3", "go mate 0", "go nodes -1", "go wtime x"]
        {
            let (read, notes) = read_ok(dropped);
            assert_eq!(read, Go::default(), "{dropped}");
            assert_eq!(notes.len(), 1, "{dropped}");
        }
        let (odd, notes) = read_ok("go sideways movetime 20 depth nodes 7");
        assert_eq!(notes.len(), 2);
        assert_eq!((odd.request.nodes, odd.request.depth), (Some(7), None));
        assert_eq!(read_perft_depth("5"), Ok(5));
        assert!(matches!(read("go perft", &UCI), Err(CommandError::Perft(_))));
        assert!(matches!(read("perft -1", &UCI), Err(CommandError::Perft(_))));
    }

    #[test]
    fn of_many_words_without_effect_only_the_first_are_named() {
        let (_, notes) = read_ok(&format!("go depth 3{}", " sideways".repeat(1_000)));
        assert_eq!(notes.len(), MOST_NOTES + 1);
        assert_eq!(notes.last(), Some(&GoNote::More(1_000 - MOST_NOTES)));
    }

    #[test]
    fn a_position_needs_an_origin() {
        for bad in ["", "random", "moves d6", "startpos d6", "startposition moves a1", "fen", "fen moves a1"]
        {
            assert!(read_position(bad, "fen").is_err(), "{bad}");
        }
        let request = read_position("fen a b\tc moves d6 f4", "fen").unwrap();
        assert_eq!(request.origin, PositionOrigin::Text("a b c".to_owned()));
        assert_eq!(request.moves, "d6 f4");
        assert!(read_position("startpos moves", "fen").unwrap().moves.is_empty());
    }
}
