//! The Universal Game Interface of the Cute Games match runner: UCI with other words, and queries about the
//! state of the game.

use super::command::{self, Command, ParsedLine, QueryKind, UgiQuery, Words};
use super::error::{DialectError, LONGEST_FOUND};
use super::writer::{Answer, Dialect, View, join};
use crate::platform::text::printable;
use crate::position::Position;
use crate::types::Color;

/// The Universal Game Interface.
pub(crate) struct Ugi;

const WORDS: Words = Words {
    hello: "ugi",
    new_game: "uginewgame",
    text: "fen",
    clocks: ["p1time", "p2time", "p1inc", "p2inc"],
};

impl Dialect for Ugi {
    fn name(&self) -> &'static str {
        "ugi"
    }

    fn words(&self) -> &'static Words {
        &WORDS
    }

    fn read(&self, line: &str) -> Result<ParsedLine, DialectError> {
        let line = line.trim_ascii();
        match line.split_once([' ', '\t']).unwrap_or((line, "")) {
            ("query", what) => Ok(Command::Query(QueryKind::Ugi(read_query(what.trim())?)).into()),
            _ => command::read(line, &WORDS),
        }
    }

    fn answer(&self, answer: &Answer, _: &View<'_>) -> String {
        format!("bestmove {}", join(&answer.turn))
    }
}

fn read_query(what: &str) -> Result<UgiQuery, DialectError> {
    match what {
        "p1turn" => Ok(UgiQuery::FirstPlayersTurn),
        "gameover" => Ok(UgiQuery::GameOver),
        "result" => Ok(UgiQuery::Result),
        _ => Err(DialectError::Query(printable(what, LONGEST_FOUND))),
    }
}

/// Returns the answer to a `query`.
pub(crate) fn response(pos: &Position, query: UgiQuery) -> &'static str {
    let outcome = pos.outcome();
    let truth = |is_so: bool| if is_so { "true" } else { "false" };
    match query {
        UgiQuery::FirstPlayersTurn => truth(pos.side_to_move() == Color::White),
        UgiQuery::GameOver => truth(outcome.is_over()),
        UgiQuery::Result => match outcome.winner {
            Some(Color::White) => "p1win",
            Some(Color::Black) => "p2win",
            None if outcome.is_draw() => "draw",
            None => "none",
        },
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;

    #[test]
    fn a_query_is_read_by_its_first_word() {
        let read = |line| Ugi.read(line);
        assert_eq!(read(" query\tresult "), Ok(Command::Query(QueryKind::Ugi(UgiQuery::Result)).into()));
        for (line, message) in [
            ("query", "query: found nothing, expected p1turn, "),
            ("query me", "query: found 'me', expected p1turn, "),
            ("queryresult", "unknown command: queryresult"),
        ] {
            let error = read(line).unwrap_err().to_string();
            assert!(error.starts_with(message), "{error}");
        }
    }
}
