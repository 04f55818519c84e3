//! The reader that all dialects share: it turns a line into a [`ParsedLine`], a command with its notes.

use super::error::{DialectError, GoNote, LONGEST_FOUND, OriginFault};
use crate::engine::{GoRequest, PositionOrigin, PositionRequest};
use crate::platform::text::{add_word, join_words, printable};
use crate::search::limits::MAX_DEPTH;
use crate::types::Depth;
use std::path::PathBuf;
use std::time::Duration;

/// The maximum number of notes on the words of a `go`; further words are only counted.
const MOST_NOTES: usize = 10;

/// A parsed line of the client.
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
    /// `setoption`.
    SetOption {
        /// The name of the option.
        name: String,
        /// The value; `None` if there is no word `value`.
        value: Option<String>,
    },
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
    /// `experience`.
    Experience(ExperienceRequest),
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
    /// `query` of the UGI dialect.
    Ugi(UgiQuery),
}

/// A `query` of the UGI dialect.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum UgiQuery {
    /// `p1turn`: whether White is to move.
    FirstPlayersTurn,
    /// `gameover`.
    GameOver,
    /// `result`.
    Result,
}

/// The arguments of `experience`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum ExperienceRequest {
    /// `save` to a file.
    Save(PathBuf),
    /// `load` from a file.
    Load(PathBuf),
    /// `merge` with a file.
    Merge(PathBuf),
    /// `stat` of a file, or of the experience in use.
    Stat(Option<PathBuf>),
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
    /// The commands that only this dialect has, as `help` tells them.
    pub(crate) own: &'static [&'static str],
}

/// The words of UCI.
pub(crate) const UCI: Words = Words {
    hello: "uci",
    new_game: "ucinewgame",
    text: "fen",
    clocks: ["wtime", "btime", "winc", "binc"],
    own: &[],
};

/// Reads a line.
///
/// # Errors
/// If there is no such command or its arguments are wrong.
pub(crate) fn read(line: &str, words: &Words) -> Result<ParsedLine, DialectError> {
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
        "setoption" => read_option(rest)?,
        "position" => Command::Position(read_position(rest, words.text).map_err(DialectError::Position)?),
        "go" => return read_go(rest, words),
        "stop" => Command::Stop,
        "ponderhit" => Command::PonderHit,
        "quit" => Command::Quit,
        "perft" => Command::Perft(read_perft_depth(rest)?),
        "bench" => Command::Bench(read_bench_depth(rest)?),
        "analyze" => Command::Analyze(read_position(rest, words.text).map_err(DialectError::Analyze)?),
        "experience" => Command::Experience(read_experience(rest)?),
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

/// The subcommands of the program that are not commands of the protocol. A test of `cli` compares the list.
pub(crate) const SUBCOMMANDS: [&str; 14] = [
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
    "proof",
    "completions",
    "man",
];

/// Returns the error of a line that begins with an unknown word, or with a subcommand typed in the wrong
/// place.
fn unknown(line: &str) -> DialectError {
    let line = &printable(line, LONGEST_FOUND);
    let words = line.strip_prefix("millstone ").unwrap_or(line).split_ascii_whitespace();
    let words: Vec<&str> = words.collect();
    match words.first() {
        Some(first) if SUBCOMMANDS.contains(first) => DialectError::Subcommand(words.join(" ")),
        _ => DialectError::Unknown(line.clone()),
    }
}

/// Reads the arguments of `position`: the origin, and the moves.
fn read_position(text: &str, text_word: &'static str) -> Result<PositionRequest, OriginFault> {
    let mut words = text.split_ascii_whitespace();
    let origin = match words.next() {
        Some("startpos") => match words.next() {
            None | Some("moves") => PositionOrigin::Start,
            Some(other) => return Err(OriginFault::AfterStart(printable(other, LONGEST_FOUND))),
        },
        Some(word) if word == text_word => {
            let fields = join_words(words.by_ref().take_while(|&w| w != "moves"));
            if fields.is_empty() {
                return Err(OriginFault::NoText(text_word));
            }
            PositionOrigin::Text(fields)
        }
        other => {
            let found = printable(other.unwrap_or_default(), LONGEST_FOUND);
            return Err(OriginFault::NoOrigin { found, text_word });
        }
    };
    Ok(PositionRequest { origin, moves: join_words(words) })
}

/// Reads the arguments of `setoption`: `name <id> [value <x>]`.
fn read_option(text: &str) -> Result<Command, DialectError> {
    let no_name = || DialectError::SetOption(printable(text, LONGEST_FOUND));
    let rest = match text.split_once(char::is_whitespace) {
        Some((word, rest)) if word.eq_ignore_ascii_case("name") => rest.trim(),
        _ => return Err(no_name()),
    };
    // The value keeps its inner blanks, so the text itself is searched for the word before it.
    let mut at = 0;
    let mut value = None;
    for word in rest.split(char::is_whitespace) {
        if word.eq_ignore_ascii_case("value") {
            value = Some(at);
            break;
        }
        at += word.len() + rest[at + word.len()..].chars().next().map_or(0, char::len_utf8);
    }
    let (name, value) = match value {
        Some(at) => (&rest[..at], Some(rest[at + "value".len()..].trim().to_owned())),
        None => (rest, None),
    };
    match name.trim() {
        "" => Err(no_name()),
        name => Ok(Command::SetOption { name: name.to_owned(), value }),
    }
}

/// Reads the arguments of `experience`.
fn read_experience(text: &str) -> Result<ExperienceRequest, DialectError> {
    let (word, name) = text.split_once([' ', '\t']).unwrap_or((text, ""));
    let name = name.trim_ascii();
    let file = (!name.is_empty()).then(|| PathBuf::from(name));
    match (word, file) {
        ("save", Some(file)) => Ok(ExperienceRequest::Save(file)),
        ("load", Some(file)) => Ok(ExperienceRequest::Load(file)),
        ("merge", Some(file)) => Ok(ExperienceRequest::Merge(file)),
        ("stat", file) => Ok(ExperienceRequest::Stat(file)),
        _ => Err(DialectError::Experience(printable(text, LONGEST_FOUND))),
    }
}

fn read_perft_depth(text: &str) -> Result<u32, DialectError> {
    let depth = whole_number(text).and_then(|n| u32::try_from(n).ok());
    let depth = depth.filter(|depth| *depth <= MAX_DEPTH as u32);
    depth.ok_or_else(|| DialectError::Perft(printable(text, LONGEST_FOUND)))
}

fn read_bench_depth(text: &str) -> Result<Option<Depth>, DialectError> {
    if text.is_empty() {
        return Ok(None);
    }
    let depth = whole_number(text).and_then(|n| Depth::try_from(n).ok());
    let depth = depth.filter(|depth| (1..=MAX_DEPTH).contains(depth));
    depth.map(Some).ok_or_else(|| DialectError::Bench(printable(text, LONGEST_FOUND)))
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

fn read_go(text: &str, dialect: &Words) -> Result<ParsedLine, DialectError> {
    let mut go = Go::default();
    let mut perft = None;
    let mut is_perft_twice = false;
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
                    let depth = read_perft_depth(value.unwrap_or_default())?;
                    is_perft_twice |= perft.replace(depth).is_some();
                    continue;
                }
                match value.and_then(whole_number) {
                    Some(found) => {
                        if let Err(least) = set_limit(&mut go, word, found, dialect) {
                            note(GoNote::OutOfRange { word: word.to_owned(), found, least });
                        }
                    }
                    None => {
                        let found = printable(value.unwrap_or_default(), LONGEST_FOUND);
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
    let command = match perft {
        Some(depth) => {
            if is_perft_twice || go != Go::default() {
                notes.push(GoNote::BesidesPerft(depth));
            }
            Command::Perft(depth)
        }
        None => Command::Go(Box::new(go)),
    };
    Ok(ParsedLine { command, notes })
}

/// Sets the limit of a word.
///
/// # Errors
/// The smallest number that the word accepts, if the number is below it; nothing is set then.
fn set_limit(go: &mut Go, word: &str, n: i64, dialect: &Words) -> Result<(), i64> {
    let least = match word {
        "depth" | "nodes" | "movestogo" => 0,
        "mate" | "topn" => 1,
        // A negative time counts as the shortest.
        _ => i64::MIN,
    };
    if n < least {
        return Err(least);
    }
    let request = &mut go.request;
    let count = || u32::try_from(n).unwrap_or(u32::MAX);
    match word {
        "depth" => request.depth = (n > 0).then(|| Depth::try_from(n).unwrap_or(Depth::MAX)),
        "nodes" => request.nodes = Some(n as u64),
        "mate" => request.mate = Some(count()),
        "movestogo" => request.movestogo = (n > 0).then(count),
        "topn" => go.topn = Some(usize::try_from(n).unwrap_or(usize::MAX)),
        "movetime" => request.movetime = Some(time(n)),
        clock => match dialect.clocks.iter().position(|w| *w == clock) {
            Some(side @ (0 | 1)) => request.time[side] = Some(time(n)),
            Some(side) => request.increment[side - 2] = Duration::from_millis(n.max(0) as u64),
            None => {}
        },
    }
    Ok(())
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
        assert_eq!((read_perft_depth("200"), read_bench_depth("200")), (Ok(200), Ok(Some(200))));
        for line in ["perft 201", "go perft 201", "bench 201", "bench -1", "perft 99999999999999999999"] {
            assert!(read(line, &UCI).unwrap_err().to_string().contains(" to 200"), "{line}");
        }
        assert!(matches!(read("go perft", &UCI), Err(DialectError::Perft(_))));
        assert!(matches!(read("perft -1", &UCI), Err(DialectError::Perft(_))));
    }

    #[test]
    fn what_is_missing_is_called_nothing_and_what_is_found_is_quoted() {
        for (line, message) in [
            ("go depth", "go depth: found nothing, expected a number; limit dropped"),
            ("go depth x", "go depth: found 'x', expected a number; limit dropped"),
            ("go depth -5", "go depth: found -5, expected 0 or more; limit dropped"),
            ("go mate 0", "go mate: found 0, expected 1 or more; limit dropped"),
        ] {
            assert_eq!(read_ok(line).1.iter().map(ToString::to_string).collect::<Vec<_>>(), [message]);
        }
        for (line, message) in [
            ("perft", "perft: found nothing, expected "),
            ("perft x", "perft: found 'x', expected "),
            ("bench 0", "bench: found '0', expected "),
            ("setoption", "setoption: found nothing, expected "),
            ("experience", "experience: found nothing, expected "),
            ("position", "position: found nothing, expected "),
            ("position foo", "position: found 'foo', expected "),
        ] {
            let error = read(line, &UCI).unwrap_err().to_string();
            assert!(error.starts_with(message), "{error}");
        }
    }

    #[test]
    fn go_perft_reads_the_whole_line_and_notes_what_has_no_effect() {
        for (line, depth, count) in [
            ("go perft 3", 3, 0),
            ("go foo perft 1", 1, 1),
            ("go perft 1 foo depth 3", 1, 2),
            ("go perft 1 perft 2", 2, 1),
            ("go depth x perft 2", 2, 1),
        ] {
            let ParsedLine { command, notes } = read(line, &UCI).unwrap();
            assert_eq!((command, notes.len()), (Command::Perft(depth), count), "{line}: {notes:?}");
        }
    }

    #[test]
    fn of_many_words_without_effect_only_the_first_are_named() {
        let (_, notes) = read_ok(&format!("go depth 3{}", " sideways".repeat(1_000)));
        assert_eq!(notes.len(), MOST_NOTES + 1);
        assert_eq!(notes.last(), Some(&GoNote::More(1_000 - MOST_NOTES)));
    }

    #[test]
    fn names_and_values_of_options_may_contain_blanks() {
        for (line, name, value) in [
            (
                "setoption name  Debug  Log File value  /tmp/a  b.log ",
                "Debug  Log File",
                Some("/tmp/a  b.log"),
            ),
            ("setoption NAME may fly VALUE no", "may fly", Some("no")),
            ("setoption name Debug Log File value", "Debug Log File", Some("")),
            ("setoption name Clear\tHash", "Clear\tHash", None),
            ("setoption name A value value value", "A", Some("value value")),
        ] {
            let command = Command::SetOption { name: name.to_owned(), value: value.map(str::to_owned) };
            assert_eq!(read(line, &UCI), Ok(command.into()), "{line}");
        }
        for bad in ["setoption", "setoption name", "setoption name value 3", "setoption Hash value 3"] {
            assert!(matches!(read(bad, &UCI), Err(DialectError::SetOption(_))), "{bad}");
        }
    }

    #[test]
    fn experience_needs_a_file_except_for_stat() {
        let request = |text: &str| match read(text, &UCI) {
            Ok(ParsedLine { command: Command::Experience(request), .. }) => Ok(request),
            other => Err(other),
        };
        assert_eq!(request("experience save a  b "), Ok(ExperienceRequest::Save("a  b".into())));
        assert_eq!(request("experience stat"), Ok(ExperienceRequest::Stat(None)));
        for bad in ["experience", "experience load", "experience merge ", "experience drop x"] {
            assert!(matches!(request(bad), Err(Err(DialectError::Experience(_)))), "{bad}");
        }
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
