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
    own: &["query p1turn|gameover|result: asks about the game"],
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
    use crate::notation;
    use crate::rules::Rules;
    use std::time::Duration;

    #[test]
    fn the_first_player_is_white() {
        let go = "go p1time 1000 p2time 2000 p1inc 30 p2inc 40";
        let Command::Go(found) = Ugi.read(go).unwrap().command else { panic!("{go} is a search") };
        let request = found.request;
        assert_eq!(request.time, [1_000, 2_000].map(|time| Some(Duration::from_millis(time))));
        assert_eq!(request.increment, [30, 40].map(Duration::from_millis));
    }

    #[test]
    fn queries_tell_whose_turn_it_is_and_who_has_won() {
        let answers = |pos: &Position| {
            use UgiQuery::{FirstPlayersTurn, GameOver, Result};
            [FirstPlayersTurn, GameOver, Result].map(|query| response(pos, query))
        };
        let read = |fen| Position::from_fen(&Rules::NINE, fen).unwrap();
        let start = Position::new(&Rules::NINE);
        assert_eq!(answers(&start), ["true", "false", "none"]);
        let two_black_men = read("**OOO***/***@@***/******** b m s 3 0 2 0 0 0 -1 -1 -1 -1 0 0 20 ids:nodes");
        assert_eq!(answers(&two_black_men)[1..], ["true", "p1win"]);
        let two_white_men = read("**OO****/***@@@**/******** w m s 2 0 3 0 0 0 -1 -1 -1 -1 0 0 20 ids:nodes");
        assert_eq!(answers(&two_white_men)[1..], ["true", "p2win"]);
        let mut drawn = read("********/**@**@*O/O**O@@*O w m s 4 0 4 0 0 0 -1 -1 -1 -1 0 0 20 ids:nodes");
        for text in ["g1-g4", "f4-f2", "g4-g1", "f2-f4"].into_iter().cycle().take(12) {
            if !drawn.outcome().is_over() {
                drawn.play(notation::parse(&drawn, text).unwrap()).unwrap();
            }
        }
        assert_eq!(answers(&drawn)[1..], ["true", "draw"]);
    }

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
