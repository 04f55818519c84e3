//! The Generic Board Game Protocol of Nine Morris 3D, the muhle_player GUI and the Mühle Intelligence engine:
//! UCI with other words, whole turns as one token, and short position texts.

use super::command::{UCI, Words};
use super::error::DialectError;
use super::writer::{Answer, Dialect, View};
use crate::platform::text::{counted_as, printable};
use crate::position::{FenError, Position, PositionError};
use crate::search::{Info, Score};
use crate::types::{Color, Depth, Move, MoveKind, Square, Value};

/// The Generic Board Game Protocol.
pub(crate) struct Gbgp;

const WORDS: Words = Words { hello: "gbgp", new_game: "newgame", text: "pos", ..UCI };

impl Dialect for Gbgp {
    fn name(&self) -> &'static str {
        "gbgp"
    }

    fn words(&self) -> &'static Words {
        &WORDS
    }

    fn position_text(&self, text: &str, men: u8) -> Result<String, PositionError> {
        read_text(text, men).map_err(PositionError::Fen)
    }

    fn text_for_engine(&self, _: &str, pos: &Position) -> Result<String, DialectError> {
        write_text(pos)
    }

    fn past_draws(&self) -> bool {
        // The clients send another `go` after a draw, and abort the game if the answer is a move.
        false
    }

    fn bare_go_is_infinite(&self) -> bool {
        true
    }

    fn whole_turns(&self) -> bool {
        true
    }

    fn score(&self, value: Value, _: Color) -> String {
        match Score::of(value) {
            Score::Cp(cp) => format!("eval {cp}"),
            Score::Mate(turns) => format!("win {turns}"),
        }
    }

    fn line(&self, info: &Info, view: &View<'_>) -> Option<String> {
        if info.multipv > 1 {
            return None;
        }
        let mut line = format!(
            "info depth {} score {} nodes {} nps {} time {}",
            info.depth,
            self.score(info.score, view.side()),
            info.nodes,
            info.nps,
            info.time.as_millis(),
        );
        let turns = turns(view.root, &info.pv);
        if !turns.is_empty() {
            line.push_str(&format!(" pv {}", turns.join(" ")));
        }
        Some(line)
    }

    fn current(&self, _: Depth, _: Move, _: usize) -> Option<String> {
        None
    }

    fn answer(&self, answer: &Answer, _: &View<'_>) -> String {
        let mut line = format!("bestmove {}", glue(&answer.turn));
        if !answer.ponder.is_empty() {
            line.push_str(&format!(" ponder {}", glue(&answer.ponder)));
        }
        line
    }

    fn no_move(&self, _: bool) -> String {
        "bestmove none".to_owned()
    }
}

/// Writes a position as `side:W-men:B-men:move`. Hands are not part of it, so they have to follow from the
/// number of the move, and no take may be due.
fn write_text(pos: &Position) -> Result<String, DialectError> {
    let men = |color| pos.men(color).into_iter().map(|s| s.to_string()).collect::<Vec<_>>().join(",");
    let count = u32::from(pos.rules().pieces_count);
    let turns = pos.ply();
    let placed = [count.min(turns.div_ceil(2)), count.min(turns / 2)];
    if Color::ALL.iter().any(|&c| pos.hand(c) != count - placed[c.index()]) || pos.is_take_due() {
        return Err(DialectError::Inexpressible(pos.fen()));
    }
    let side = pos.side_to_move().letter();
    Ok(format!("{side}:w{}:b{}:{}", men(Color::White), men(Color::Black), turns / 2 + 1))
}

/// Returns a turn as one word.
pub(crate) fn glue(turn: &[Move]) -> String {
    turn.iter().map(Move::to_string).collect()
}

/// Returns the turns of a principal variation as one word each; a last turn without its takes is left out.
fn turns(root: &Position, moves: &[Move]) -> Vec<String> {
    let mut turns: Vec<(Color, String)> = Vec::new();
    let mut pos = root.clone();
    for &m in moves {
        let us = pos.side_to_move();
        match turns.last_mut() {
            // A full board or the end of placing can let both sides take, one after the other.
            Some((side, word)) if *side == us && m.kind() == MoveKind::Take => word.push_str(&m.to_string()),
            _ => turns.push((us, m.to_string())),
        }
        pos.do_move(m);
    }
    turns.pop_if(|(side, _)| pos.is_take_due() && *side == pos.side_to_move());
    turns.into_iter().map(|(_, word)| word).collect()
}

/// Translates `side:W-men:B-men:move` into a position text; the hands follow from the number of the move.
fn read_text(text: &str, men: u8) -> Result<String, FenError> {
    let bad = |field: &str, found: &str, expected: String| FenError {
        field: field.to_owned(),
        found: printable(found, 60),
        expected,
    };
    let fields: Vec<&str> = text.splitn(5, ':').map(str::trim).collect();
    let &[side, white, black, number] = fields.as_slice() else {
        let expected = "four fields joined by ':', such as b:wb4,c4:bd2:2".to_owned();
        return Err(bad("position text", text, expected));
    };
    let side = match side {
        "w" | "W" => Color::White,
        "b" | "B" => Color::Black,
        other => return Err(bad("side to move", other, "w or b".to_owned())),
    };
    let most = i64::from(u16::MAX / 2);
    let number: i64 = match number.parse() {
        Ok(number) if (1..=most).contains(&number) => number,
        _ => return Err(bad("move number", number, format!("a whole number from 1 to {most}"))),
    };
    let turns = 2 * (number - 1) + i64::from(side == Color::Black);
    let mut board = ['*'; 24];
    let mut counts = Vec::new();
    for (color, letter, list) in [(Color::White, 'O', white), (Color::Black, '@', black)] {
        let field = format!("{color} men");
        let list = list
            .strip_prefix([color.letter(), color.letter().to_ascii_uppercase()])
            .ok_or_else(|| bad(&field, list, format!("{} and points", color.letter())))?;
        let mut on_board = 0;
        let is_empty = list.trim().is_empty();
        for name in list.split(',').map(str::trim).filter(|_| !is_empty) {
            let square: Square = name
                .parse()
                .map_err(|_| bad(&field, name, "one of the 24 points such as a1 or d6".to_owned()))?;
            if board[square.index()] != '*' {
                return Err(bad(&field, name, "each point at most once".to_owned()));
            }
            board[square.index()] = letter;
            on_board += 1;
        }
        let own_turns = (turns + i64::from(color == Color::White)) / 2;
        let placed = own_turns.min(i64::from(men));
        if on_board > placed {
            let expected = format!("at most {placed}, the men placed before move {number}");
            return Err(bad(&field, &counted_as(on_board, "man", "men"), expected));
        }
        counts.push((on_board, i64::from(men) - placed));
    }
    let hand = counts[side.index()].1;
    let (phase, action) = if hand > 0 { ('p', 'p') } else { ('m', 's') };
    let ring = |n: usize| board[8 * n..8 * n + 8].iter().collect::<String>();
    let (white, black) = (counts[0], counts[1]);
    Ok(format!(
        "{}/{}/{} {} {phase} {action} {} {} {} {} 0 0 -1 -1 -1 -1 0 0 {number} ids:nodes",
        ring(0),
        ring(1),
        ring(2),
        side.letter(),
        white.0,
        white.1,
        black.0,
        black.1
    ))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;
    use crate::notation;
    use crate::position::Position;
    use crate::rules::Rules;
    use crate::types::{mate_in, mated_in};

    #[test]
    fn scores_are_those_of_the_side_to_move() {
        for side in Color::ALL {
            let score = |value| Gbgp.score(value, side);
            assert_eq!([score(100), score(-100)], ["eval 100", "eval -100"]);
            assert_eq!([score(mate_in(3)), score(mated_in(4))], ["win 2", "win -2"]);
        }
    }

    #[test]
    fn texts_tell_the_hands_by_the_move_number() {
        let start = read_text("w:w:b:1", 9).unwrap();
        assert_eq!(
            Position::from_fen(&Rules::NINE, &start).unwrap().fen(),
            Position::new(&Rules::NINE).fen()
        );
        let pos = Position::from_fen(&Rules::NINE, &read_text("b:wb4,c4:bd2:2", 9).unwrap()).unwrap();
        assert_eq!((pos.hand(Color::White), pos.hand(Color::Black)), (7, 8));
        assert_eq!(pos.side_to_move(), Color::Black);
        let pos =
            Position::from_fen(&Rules::NINE, &read_text("w:wa1,d1,g1,a7:bd2,f2,b2:20", 9).unwrap()).unwrap();
        assert_eq!((pos.hand(Color::White), pos.hand(Color::Black)), (0, 0));
    }

    #[test]
    fn a_game_of_placings_gives_the_same_position_as_its_text() {
        let mut pos = Position::new(&Rules::NINE);
        for text in "d6 f4 d2 b4 a7 g7 g4 a4 d7 d1".split(' ') {
            pos.do_move(notation::parse(&pos, text).unwrap());
            let read =
                Position::from_fen(&Rules::NINE, &read_text(&write_text(&pos).unwrap(), 9).unwrap()).unwrap();
            assert_eq!(read.fen(), pos.fen());
        }
    }

    #[test]
    fn faulty_texts_are_refused() {
        for bad in [
            "",
            "w:w:b",
            "w:w:b:0",
            "w:w:b:1:2",
            "x:w:b:1",
            "w:wa1:b:1",
            "b:wa1,a4:b:1",
            "w:wa1:ba1:2",
            "w:wa1,a1:ba4:3",
            "w:ba1:wa4:2",
            "w:wd6,:ba1:5",
            "w:w,d6:b:5",
            "w:wd4:b:2",
            "w:w:b:99999999999999999999",
        ] {
            assert!(read_text(bad, 9).is_err(), "{bad}");
        }
    }

    #[test]
    fn takes_are_glued_to_their_moves() {
        let moves: Vec<Move> =
            ["d6", "a1", "f4", "g1", "d2", "d1", "xd6", "a4"].map(|text| text.parse().unwrap()).to_vec();
        let start = Position::new(&Rules::NINE);
        assert_eq!(turns(&start, &moves), ["d6", "a1", "f4", "g1", "d2", "d1xd6", "a4"]);
        assert_eq!(turns(&start, &moves[..6]), ["d6", "a1", "f4", "g1", "d2"], "the take is missing");
        // The blocked side takes a man, then the other.
        let rules = Rules::parse("nine,MayFly=false,StalemateAction=5").unwrap();
        let text = read_text("w:wd2,d7,g4,a4:bg7,a1,a7:30", 9).unwrap();
        let start = Position::from_fen(&rules, &text).unwrap();
        let line: Vec<Move> = ["d2-d1", "xa4", "xa7"].map(|text| text.parse().unwrap()).to_vec();
        assert_eq!(turns(&start, &line), ["d2-d1", "xa4", "xa7"]);
        assert_eq!(turns(&start, &line[..2]), ["d2-d1", "xa4"]);
        assert_eq!(turns(&start, &line[..1]), ["d2-d1"], "the turn is whole");
        assert_eq!(glue(&moves[5..7]), "d1xd6");
    }
}
