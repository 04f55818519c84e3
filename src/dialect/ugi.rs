//! The Universal Game Interface of the Cute Games match runner: UCI with other words, and queries about the
//! state of the game.

use super::command::{self, Command, CommandError, ParsedLine, QueryKind, Words};
use super::standard::Standard;
use super::writer::{Answer, Dialect, View, join};
use crate::position::Position;
use crate::search::Info;
use crate::types::{Color, Depth, Move, Value};

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

    fn read(&self, line: &str) -> Result<ParsedLine, CommandError> {
        match line.trim_ascii().split_once([' ', '\t']) {
            Some(("query", what)) => Ok(Command::Query(QueryKind::Ugi(what.trim().to_owned())).into()),
            _ => command::read(line, &WORDS),
        }
    }

    fn line(&self, info: &Info, view: &View<'_>) -> Option<String> {
        Standard.line(info, view)
    }

    fn current(&self, depth: Depth, current: Move, number: usize) -> Option<String> {
        Standard.current(depth, current, number)
    }

    fn answer(&self, answer: &Answer, _: &View<'_>) -> String {
        format!("bestmove {}", join(&answer.turn))
    }

    fn no_move(&self, is_drawn: bool) -> String {
        Standard.no_move(is_drawn)
    }

    fn eval(&self, value: Value, terms: &[(&'static str, Value)], mover: Color) -> Vec<String> {
        Standard.eval(value, terms, mover)
    }
}

/// Returns the answer to `query <what>`, or `None` if there is no such query.
pub(crate) fn query(pos: &Position, what: &str) -> Option<&'static str> {
    let outcome = pos.outcome();
    let truth = |is_so: bool| if is_so { "true" } else { "false" };
    match what {
        "p1turn" => Some(truth(pos.side_to_move() == Color::White)),
        "gameover" => Some(truth(outcome.is_over())),
        "result" => Some(match outcome.winner {
            Some(Color::White) => "p1win",
            Some(Color::Black) => "p2win",
            None if outcome.is_draw() => "draw",
            None => "none",
        }),
        _ => None,
    }
}
