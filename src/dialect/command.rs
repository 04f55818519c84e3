//! Reading a line: what all dialects have in common.

use crate::engine::options::shorten;
use crate::engine::{GoRequest, Origin, PositionRequest};
use crate::types::Depth;
use std::time::Duration;

/// What a line asks for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Command {
    /// Nothing: an empty line, or words that are ignored.
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
    Position(Result<PositionRequest, String>),
    /// `go`, with notes on what was not understood.
    Go(Box<Go>),
    /// `stop`.
    Stop,
    /// `ponderhit`.
    PonderHit,
    /// `quit`.
    Quit,
    /// `d`: the board for people, with `--svg` as a picture.
    Display {
        /// Whether a picture is asked for.
        svg: bool,
    },
    /// `fen`.
    Fen,
    /// `moves`.
    Moves,
    /// `eval`.
    Eval,
    /// `perft` to a depth.
    Perft(Result<u32, String>),
    /// `bench`, to a depth or the usual one.
    Bench(Result<Option<Depth>, String>),
    /// `help`.
    Help,
    /// `statejson`.
    StateJson,
    /// `analyze`.
    Analyze(Result<PositionRequest, String>),
    /// `key`.
    Key,
    /// `hist`.
    Hist,
    /// `compiler`.
    Compiler,
    /// `experience`, with the rest of the line.
    Experience(String),
    /// `query`, of the UGI dialect.
    Query(String),
    /// Anything else.
    Unknown(String),
}

/// What `go` asks for.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Go {
    /// The limits.
    pub(crate) request: GoRequest,
    /// Rank this many moves before the answer.
    pub(crate) topn: Option<usize>,
    /// Answer with a whole turn as one object.
    pub(crate) logical: bool,
    /// Notes on words that were not understood.
    pub(crate) notes: Vec<String>,
}

/// The words in which dialects differ.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Words {
    /// The handshake; its answer ends in `ok`.
    pub(crate) hello: &'static str,
    /// Begins a new game.
    pub(crate) new_game: &'static str,
    /// Introduces a position text.
    pub(crate) text: &'static str,
    /// Clock of White, clock of Black, and their increments.
    pub(crate) clocks: [&'static str; 4],
}

/// The words of UCI.
pub(crate) const UCI: Words =
    Words { hello: "uci", new_game: "ucinewgame", text: "fen", clocks: ["wtime", "btime", "winc", "binc"] };

/// Reads a line.
pub(crate) fn read(line: &str, words: &Words) -> Command {
    let line = line.trim_ascii();
    let (first, rest) = line.split_once([' ', '\t']).unwrap_or((line, ""));
    let rest = rest.trim_ascii();
    match first {
        "" | "register" => Command::Nothing,
        "debug" => match rest {
            "on" => Command::Debug(true),
            "off" => Command::Debug(false),
            _ => Command::Nothing,
        },
        "isready" => Command::IsReady,
        "setoption" => Command::SetOption(rest.to_owned()),
        "position" => Command::Position(read_position(rest, words.text)),
        "go" => read_go(rest, words),
        "stop" => Command::Stop,
        "ponderhit" => Command::PonderHit,
        "quit" => Command::Quit,
        "d" => Command::Display { svg: rest == "--svg" },
        "fen" => Command::Fen,
        "moves" => Command::Moves,
        "eval" => Command::Eval,
        "perft" => Command::Perft(read_perft_depth(rest)),
        "bench" => Command::Bench(read_bench_depth(rest)),
        "help" | "?" => Command::Help,
        "statejson" => Command::StateJson,
        "analyze" => Command::Analyze(read_position(rest, words.text)),
        "key" => Command::Key,
        "hist" => Command::Hist,
        "compiler" => Command::Compiler,
        "experience" => Command::Experience(rest.to_owned()),
        word if word == words.hello => Command::Hello,
        word if word == words.new_game => Command::NewGame,
        _ => Command::Unknown(line.to_owned()),
    }
}

/// Reads what follows `position`: where the moves begin, and the moves.
fn read_position(text: &str, text_word: &str) -> Result<PositionRequest, String> {
    let expected = format!("startpos or {text_word} <text>, then perhaps moves <m>…");
    let mut words = text.split_ascii_whitespace();
    let origin = match words.next() {
        Some("startpos") => {
            let origin = Origin::Start;
            match words.next() {
                None | Some("moves") => origin,
                Some(other) => {
                    return Err(format!(
                        "found '{}' after startpos, expected moves or nothing",
                        shorten(other)
                    ));
                }
            }
        }
        Some(word) if word == text_word => {
            let fields: Vec<&str> = words.by_ref().take_while(|&w| w != "moves").collect();
            if fields.is_empty() {
                return Err(format!("found nothing after {text_word}, expected a position text"));
            }
            Origin::Text(fields.join(" "))
        }
        Some(other) => return Err(format!("found '{}', expected {expected}", shorten(other))),
        None => return Err(format!("found nothing, expected {expected}")),
    };
    Ok(PositionRequest { origin, moves: words.map(str::to_owned).collect() })
}

fn read_perft_depth(text: &str) -> Result<u32, String> {
    match whole_number(text) {
        Some(n) if n >= 0 => Ok(u32::try_from(n).unwrap_or(u32::MAX)),
        _ => Err(format!("perft: found '{}', expected a depth of 0 or more", shorten(text))),
    }
}

fn read_bench_depth(text: &str) -> Result<Option<Depth>, String> {
    match whole_number(text) {
        None if text.is_empty() => Ok(None),
        Some(n) if n > 0 => Ok(Some(Depth::try_from(n).unwrap_or(Depth::MAX))),
        _ => Err(format!("bench: found '{}', expected a depth of 1 or more, or nothing", shorten(text))),
    }
}

/// A whole number of any size; one too large for the type counts as the largest.
fn whole_number(text: &str) -> Option<i64> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    Some(text.parse().unwrap_or(if text.starts_with('-') { i64::MIN } else { i64::MAX }))
}

/// Milliseconds on a clock or for a move; what is not positive counts as one.
fn time(ms: i64) -> Duration {
    Duration::from_millis(ms.max(1) as u64)
}

/// Words that may follow `go`, besides those for clocks.
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

fn read_go(text: &str, dialect: &Words) -> Command {
    let mut go = Go::default();
    let is_word = |w: &str| GO_WORDS.contains(&w) || dialect.clocks.contains(&w);
    let mut words = text.split_ascii_whitespace().peekable();
    while let Some(word) = words.next() {
        match word {
            "ponder" => go.request.ponder = true,
            "infinite" => go.request.infinite = true,
            "logical" => go.logical = true,
            "searchmoves" => {
                while let Some(m) = words.next_if(|w| !is_word(w)) {
                    go.request.searchmoves.push(m.to_owned());
                }
            }
            _ if is_word(word) => {
                let value = words.next_if(|w| !is_word(w));
                if word == "perft" {
                    return Command::Perft(read_perft_depth(value.unwrap_or_default()));
                }
                match value.and_then(whole_number) {
                    Some(n) => set_limit(&mut go, word, n, dialect),
                    None => {
                        let found = shorten(value.unwrap_or("nothing"));
                        go.notes
                            .push(format!("go {word}: found '{found}', expected a number; limit dropped"));
                    }
                }
            }
            _ => go.notes.push(format!("go: unknown word '{}', skipped", shorten(word))),
        }
    }
    Command::Go(Box::new(go))
}

fn set_limit(go: &mut Go, word: &str, n: i64, dialect: &Words) {
    let request = &mut go.request;
    let count = || u32::try_from(n).unwrap_or(u32::MAX);
    let is_dropped = match word {
        "depth" if n >= 0 => {
            request.depth = (n > 0).then(|| Depth::try_from(n).unwrap_or(Depth::MAX));
            false
        }
        "nodes" if n >= 0 => {
            request.nodes = Some(n as u64);
            false
        }
        "mate" if n > 0 => {
            request.mate = Some(count());
            false
        }
        "movestogo" if n >= 0 => {
            request.movestogo = (n > 0).then(count);
            false
        }
        "topn" if n > 0 => {
            go.topn = Some(usize::try_from(n).unwrap_or(usize::MAX));
            false
        }
        "movetime" => {
            request.movetime = Some(time(n));
            false
        }
        _ => match dialect.clocks.iter().position(|w| *w == word) {
            Some(side @ (0 | 1)) => {
                request.time[side] = Some(time(n));
                false
            }
            Some(side) => {
                request.increment[side - 2] = Duration::from_millis(n.max(0) as u64);
                false
            }
            None => true,
        },
    };
    if is_dropped {
        go.notes.push(format!("go {word}: found {n}, expected a positive number; limit dropped"));
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;

    fn go(text: &str) -> Go {
        match read(text, &UCI) {
            Command::Go(go) => *go,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn words_of_go_come_in_any_order() {
        let a = go("go wtime 1000 btime 2000 winc 10 searchmoves d6 f4 depth 5 movestogo 3");
        let b = go("go  searchmoves d6 f4 movestogo 3\tdepth 5 winc 10 btime 2000 wtime 1000");
        assert_eq!(a, b);
        assert!(a.notes.is_empty());
        assert_eq!(a.request.time, [Some(Duration::from_secs(1)), Some(Duration::from_secs(2))]);
        assert_eq!(a.request.searchmoves, ["d6", "f4"]);
    }

    #[test]
    fn odd_numbers_of_go_are_bent_or_dropped_with_a_note() {
        assert_eq!(go("go depth 0"), go("go"));
        assert_eq!(go("go movetime -100").request.movetime, Some(Duration::from_millis(1)));
        assert_eq!(go("go nodes 99999999999999999999").request.nodes, Some(i64::MAX as u64));
        for dropped in ["go depth", "go depth deep", "go depth -3", "go mate 0", "go nodes -1", "go wtime x"]
        {
            let read = go(dropped);
            assert_eq!(read.request, GoRequest::default(), "{dropped}");
            assert_eq!(read.notes.len(), 1, "{dropped}");
        }
        let odd = go("go sideways movetime 20 depth nodes 7");
        assert_eq!(odd.notes.len(), 2);
        assert_eq!((odd.request.nodes, odd.request.depth), (Some(7), None));
        assert_eq!(read_perft_depth("5"), Ok(5));
        assert!(matches!(read("go perft", &UCI), Command::Perft(Err(_))));
        assert!(matches!(read("perft -1", &UCI), Command::Perft(Err(_))));
    }

    #[test]
    fn a_position_needs_an_origin() {
        for bad in ["", "random", "moves d6", "startpos d6", "startposition moves a1", "fen", "fen moves a1"]
        {
            assert!(read_position(bad, "fen").is_err(), "{bad}");
        }
        let request = read_position("fen a b\tc moves d6 f4", "fen").unwrap();
        assert_eq!(request.origin, Origin::Text("a b c".to_owned()));
        assert_eq!(request.moves, ["d6", "f4"]);
        assert!(read_position("startpos moves", "fen").unwrap().moves.is_empty());
    }
}
