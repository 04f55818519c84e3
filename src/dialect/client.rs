//! The client's side of the dialects: writes `position` and `go`, and reads the lines of an engine. The
//! counterpart of `command.rs`.

use super::command::Words;
use crate::engine::{GoRequest, PositionOrigin, PositionRequest};
use crate::types::Move;
use std::fmt;

/// The reason why a position cannot be sent in a dialect: the dialect cannot express it. It holds the
/// position text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct InexpressiblePosition(pub(crate) String);

impl fmt::Display for InexpressiblePosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "this dialect cannot express the position {}", self.0)
    }
}

impl std::error::Error for InexpressiblePosition {}

/// Returns the line that sets up a position.
pub(crate) fn position_command(request: &PositionRequest, words: &Words) -> String {
    let mut line = match &request.origin {
        PositionOrigin::Start => "position startpos".to_owned(),
        PositionOrigin::Text(text) => format!("position {} {text}", words.text),
    };
    if !request.moves.is_empty() {
        line.push_str(&format!(" moves {}", request.moves.join(" ")));
    }
    line
}

/// Returns the line that starts a search.
pub(crate) fn go_command(request: &GoRequest, words: &Words) -> String {
    let mut line = "go".to_owned();
    let mut limit = |name: &str, value: Option<u128>| {
        if let Some(value) = value {
            line.push_str(&format!(" {name} {value}"));
        }
    };
    let [white, black, white_increment, black_increment] = words.clocks;
    for (name, time) in [white, black].into_iter().zip(request.time) {
        limit(name, time.map(|time| time.as_millis().max(1)));
    }
    if request.time.iter().any(Option::is_some) {
        for (name, increment) in [white_increment, black_increment].into_iter().zip(request.increment) {
            limit(name, Some(increment.as_millis()));
        }
    }
    limit("movestogo", request.movestogo.map(u128::from));
    limit("movetime", request.movetime.map(|time| time.as_millis()));
    limit("nodes", request.nodes.map(u128::from));
    limit("depth", request.depth.map(|depth| depth.max(0) as u128));
    limit("mate", request.mate.map(u128::from));
    for (word, is_set) in [("infinite", request.infinite), ("ponder", request.ponder)] {
        if is_set {
            line.push_str(&format!(" {word}"));
        }
    }
    if !request.searchmoves.is_empty() {
        line.push_str(&format!(" searchmoves {}", request.searchmoves.join(" ")));
    }
    line
}

/// Returns the moves of a turn as they follow `moves`: one word for all of them in a dialect of whole turns.
pub(crate) fn turn_words(turn: &[Move], whole_turns: bool) -> Vec<String> {
    let words = turn.iter().map(Move::to_string);
    if whole_turns { vec![words.collect()] } else { words.collect() }
}

/// Returns the name in an `option name … type …` line.
pub(crate) fn option_name(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("option name ")?;
    Some(rest.split(" type ").next()?.trim())
}

/// Returns the move of a line that answers `go`; it is empty if the line ends before it.
pub(crate) fn best_move(line: &str) -> Option<&str> {
    let mut words = line.split_whitespace().skip_while(|w| *w != "bestmove");
    words.next()?;
    Some(words.next().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::DIALECTS;
    use crate::dialect::command::{Command, ParsedLine};
    use std::time::Duration;

    #[test]
    fn every_dialect_reads_what_its_client_writes() {
        let go = GoRequest {
            searchmoves: vec!["d6".to_owned(), "a1-a4".to_owned()],
            ponder: true,
            time: [Some(Duration::from_secs(3)), Some(Duration::from_millis(1))],
            increment: [Duration::from_millis(20), Duration::ZERO],
            movestogo: Some(7),
            depth: Some(9),
            nodes: Some(1 << 40),
            mate: Some(3),
            movetime: Some(Duration::from_millis(50)),
            infinite: true,
        };
        let moves = vec!["d6".to_owned(), "f4".to_owned()];
        for dialect in DIALECTS {
            let words = dialect.words();
            for request in [go.clone(), GoRequest::default()] {
                let line = go_command(&request, words);
                match dialect.read(&line) {
                    Ok(ParsedLine { command: Command::Go(read), notes }) if notes.is_empty() => {
                        assert_eq!(read.request, request, "{line}");
                    }
                    other => panic!("{line}: {other:?}"),
                }
            }
            for origin in [PositionOrigin::Start, PositionOrigin::Text("a b c".to_owned())] {
                let request = PositionRequest { origin, moves: moves.clone() };
                let line = position_command(&request, words);
                assert_eq!(dialect.read(&line), Ok(Command::Position(request).into()), "{line}");
            }
        }
    }
}
