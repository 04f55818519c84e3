//! A game: its record, and the position that is looked at.

use super::error::{Code, error};
use crate::bitboard::{SYMMETRIES, lines_of, transform_move, transform_square};
use crate::notation;
use crate::platform::text::quoted;
use crate::position::{Phase, Position};
use crate::record::{Builder, GameRecord, GameResult, Turn, is_derived_tag, is_tag_name};
use crate::rules::NAMED;
use crate::tools::game_end::outcome_in_words;
use crate::tools::svg::{Overlay, svg};
use crate::types::{Color, Move, Square};
use serde_json::{Value, json};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

/// A game, and a position of it.
#[wasm_bindgen]
#[derive(Clone)]
pub struct WasmGame {
    record: GameRecord,
    /// The moves of the main line.
    moves: Vec<Move>,
    /// The position after the first `ply` moves.
    pos: Position,
    ply: usize,
}

fn names(moves: &[Move]) -> Vec<String> {
    moves.iter().map(Move::to_string).collect()
}

impl WasmGame {
    /// Returns a game, at its end.
    pub(super) fn new(record: GameRecord) -> Result<Self, JsValue> {
        let pos = record.start_position().map_err(|why| error(Code::Position, why))?;
        let moves: Vec<Move> = record.moves().collect();
        let mut game = Self { record, moves, pos, ply: 0 };
        game.go_to(game.moves.len());
        Ok(game)
    }

    /// Returns the position that is looked at.
    pub(super) fn position(&self) -> &Position {
        &self.pos
    }

    fn go_to(&mut self, ply: usize) {
        while self.ply > ply {
            self.pos.undo_move();
            self.ply -= 1;
        }
        while self.ply < ply {
            self.pos.do_move(self.moves[self.ply]);
            self.ply += 1;
        }
    }

    /// Appends legal moves, which lead to `pos`, and cuts off what followed.
    fn append(&mut self, played: &[Move], pos: Position) -> Result<(), JsValue> {
        // Before the moves too: comments on what followed go even if the same moves are played again.
        if self.ply < self.moves.len() || self.record.lines.len() > 1 {
            self.cut()?;
        }
        self.moves.extend(played);
        (self.pos, self.ply) = (pos, self.moves.len());
        self.cut()?;
        self.record.result = self.pos.outcome().into();
        // It tells how the game had ended.
        self.record.tags.retain(|(name, _)| !name.eq_ignore_ascii_case("Termination"));
        Ok(())
    }

    /// Cuts the game here. Comments and marks before stay, variations do not.
    fn cut(&mut self) -> Result<(), JsValue> {
        let start = self.record.start.as_deref();
        let mut builder = Builder::new(self.record.rules, start).map_err(|why| error(Code::Position, why))?;
        self.moves.truncate(self.ply);
        for &m in &self.moves {
            builder.push(m).map_err(|_| error(Code::Move, format!("illegal move '{m}'")))?;
        }
        let (mut record, _) = builder.finish();
        record.tags = std::mem::take(&mut self.record.tags);
        if let (Some(new), Some(old)) = (record.lines.first_mut(), self.record.lines.first()) {
            new.comments.clone_from(&old.comments);
            // The last turn may have got its take.
            let same = |(new, old): &(&mut Turn, &Turn)| new.moves.starts_with(&old.moves);
            for (new, old) in new.turns.iter_mut().zip(&old.turns).take_while(same) {
                new.marks.clone_from(&old.marks);
                new.comments.clone_from(&old.comments);
            }
        }
        self.record = record;
        Ok(())
    }

    /// Returns the moves of the turn that has ended or is going on. It may consist of takes alone.
    fn last_turn(&self) -> &[Move] {
        let mut pos = self.pos.clone();
        let mut first = self.ply;
        let mut mover = None;
        while first > 0 {
            pos.undo_move();
            let side = pos.side_to_move();
            if *mover.get_or_insert(side) != side {
                break;
            }
            first -= 1;
            if !self.moves[first].is_take() {
                break;
            }
        }
        &self.moves[first..self.ply]
    }

    fn mills(&self) -> Vec<Vec<String>> {
        let lines = lines_of(self.pos.rules().has_diagonal_lines);
        let sets = [Color::White, Color::Black].map(|color| self.pos.men(color));
        let closed = lines.iter().filter(|line| sets.iter().any(|&men| (line.squares & !men).is_empty()));
        closed.map(|line| line.squares.into_iter().map(|square| square.to_string()).collect()).collect()
    }
}

#[wasm_bindgen]
impl WasmGame {
    /// The name of the rules; `custom` for others.
    pub fn rules(&self) -> String {
        let row = NAMED.iter().find(|row| row.rules == self.record.rules);
        row.map_or("custom", |row| row.name).to_owned()
    }

    /// Returns a copy.
    pub fn copy(&self) -> Self {
        self.clone()
    }

    /// Returns points with their neighbours, and lines, as JSON.
    pub fn board(&self) -> String {
        let compiled = self.pos.compiled();
        let indices = |set: crate::Bitboard| set.into_iter().map(Square::index).collect::<Vec<_>>();
        let points: Vec<Value> = Square::all()
            .map(|square| {
                json!({
                    "name": square.to_string(),
                    "neighbours": indices(compiled.adjacent[square.index()]),
                })
            })
            .collect();
        let lines = lines_of(self.pos.rules().has_diagonal_lines);
        let lines: Vec<_> = lines
            .iter()
            .map(|line| {
                let mut points = indices(line.squares.without(line.middle));
                points.insert(1, line.middle.index());
                points
            })
            .collect();
        json!({ "points": points, "lines": lines }).to_string()
    }

    /// The text of the position.
    pub fn fen(&self) -> String {
        self.pos.fen()
    }

    /// Moves before the position; a take is a move of its own.
    pub fn ply(&self) -> usize {
        self.ply
    }

    /// Moves of the game.
    pub fn plies(&self) -> usize {
        self.moves.len()
    }

    /// Goes to the position after so many moves.
    pub fn goto(&mut self, ply: usize) -> Result<(), JsValue> {
        if ply > self.moves.len() {
            let expected = format!("found {ply}, expected 0 to {}", self.moves.len());
            return Err(error(Code::Argument, expected));
        }
        self.go_to(ply);
        Ok(())
    }

    /// Legal moves, separated by blanks.
    pub fn legal(&self) -> String {
        names(&self.pos.legal_moves()).join(" ")
    }

    /// Plays a move and cuts off what followed.
    pub fn play(&mut self, text: &str) -> Result<(), JsValue> {
        let m = notation::parse(&self.pos, text).map_err(|why| error(Code::Move, why))?;
        if self.pos.outcome().is_over() {
            return Err(error(Code::Move, "the game is over"));
        }
        let mut pos = self.pos.clone();
        pos.do_move(m);
        self.append(&[m], pos)
    }

    /// Plays moves, separated by blanks, and cuts off what followed. Plays all of them or none.
    pub fn play_all(&mut self, text: &str) -> Result<(), JsValue> {
        let mut pos = self.pos.clone();
        let mut played = Vec::new();
        for word in text.split_whitespace() {
            // As in records, a game may go on after a draw that nobody has claimed.
            let m = notation::parse(&pos, word).map_err(|why| error(Code::Move, why))?;
            pos.do_move(m);
            played.push(m);
        }
        if played.is_empty() {
            return Ok(());
        }
        self.append(&played, pos)
    }

    /// Returns true if the record holds more than moves.
    ///
    /// That is tags, comments, marks, variations, or a result that does not follow from the moves.
    pub fn has_more(&self) -> bool {
        let main = self.record.main();
        let mut end = self.clone();
        end.go_to(end.moves.len());
        !self.record.tags.is_empty()
            || self.record.lines.len() > 1
            || self.record.result != end.pos.outcome().into()
            || !main.comments.is_empty()
            || main.turns.iter().any(|turn| !turn.comments.is_empty() || !turn.marks.is_empty())
    }

    /// The state of the game as JSON.
    pub fn state(&self) -> String {
        let (pos, outcome) = (&self.pos, self.pos.outcome());
        let us = pos.side_to_move();
        let phase = match pos.phase() {
            _ if outcome.is_over() => "over",
            _ if pos.is_take_due() => "take",
            Phase::Moving if pos.can_fly(us) => "fly",
            Phase::Moving => "move",
            _ => "place",
        };
        let board: String = Square::all()
            .map(|square| match pos.letter(square) {
                'O' => 'w',
                '@' => 'b',
                'X' => 'x',
                _ => '.',
            })
            .collect();
        let result = outcome.is_over().then(|| {
            json!({
                "winner": outcome.winner.map(Color::letter),
                "reason": outcome.reason.name(),
                "reasonText": format!("{}.", outcome_in_words(outcome, pos.rules())),
            })
        });
        json!({
            "side": us.letter(),
            "phase": phase,
            "board": board,
            "hands": [pos.hand(Color::White), pos.hand(Color::Black)],
            "takes": [pos.stated_takes_due(Color::White), pos.stated_takes_due(Color::Black)],
            "mills": self.mills(),
            "lastMove": names(self.last_turn()),
            "result": result,
        })
        .to_string()
    }

    /// The comments before the first move, as JSON.
    pub fn comments(&self) -> String {
        json!(self.record.main().comments).to_string()
    }

    /// The moves of the whole game as JSON.
    pub fn moves(&self) -> String {
        let Ok(mut pos) = self.record.start_position() else { return "[]".to_owned() };
        let mut list = Vec::new();
        for turn in &self.record.main().turns {
            for &m in &turn.moves {
                let side = pos.side_to_move();
                pos.do_move(m);
                list.push(json!({
                    "text": m.to_string(),
                    "side": side.letter(),
                    "fen": pos.fen(),
                    "comments": turn.comments,
                }));
            }
        }
        Value::Array(list).to_string()
    }

    /// The `position` line that gives an engine the position with its history.
    pub fn position_command(&self) -> String {
        let mut line = match &self.record.start {
            None => "position startpos".to_owned(),
            Some(text) => format!("position fen {text}"),
        };
        if self.ply > 0 {
            line.push_str(" moves ");
            line.push_str(&names(&self.moves[..self.ply]).join(" "));
        }
        line
    }

    /// The `setoption` lines that give an engine these rules, one to a line.
    pub fn rule_options(&self) -> String {
        let rules = &self.record.rules;
        let name = self.rules();
        if name != "custom" {
            return format!("setoption name UCI_Variant value {name}");
        }
        let mut lines = vec!["setoption name UCI_Variant value nine".to_owned()];
        lines.extend(
            rules
                .differing_options()
                .map(|option| format!("setoption name {} value {}", option.name, rules.value_text(option))),
        );
        lines.join("\n")
    }

    /// The value of a tag.
    pub fn tag(&self, name: &str) -> Option<String> {
        self.record.tag(name).map(str::to_owned)
    }

    /// Sets a tag.
    pub fn set_tag(&mut self, name: &str, value: &str) -> Result<(), JsValue> {
        if !is_tag_name(name) {
            let message = format!("found '{name}', expected a name of letters, digits, _ and -");
            return Err(error(Code::Argument, message));
        }
        if is_derived_tag(name) {
            let message = format!("{name} follows from the game, expected another tag; see setResult");
            return Err(error(Code::Argument, message));
        }
        self.record.set_tag(name, value);
        Ok(())
    }

    /// The result of the record.
    pub fn result(&self) -> String {
        self.record.result.text().to_owned()
    }

    /// Sets the result of the record.
    pub fn set_result(&mut self, text: &str) -> Result<(), JsValue> {
        self.record.result = GameResult::read(text).ok_or_else(|| {
            error(Code::Argument, format!("found {}, expected 1-0, 0-1, 1/2-1/2 or *", quoted(text)))
        })?;
        Ok(())
    }

    /// The game in a written form.
    pub fn write(&self, form: &str) -> Result<String, JsValue> {
        match form {
            "pgn" => Ok(self.record.to_pgn()),
            "tokens" => Ok(self.record.to_tokens()),
            _ => Err(error(Code::Argument, format!("found {}, expected pgn or tokens", quoted(form)))),
        }
    }

    /// The position as a drawing.
    pub fn svg(&self) -> String {
        svg(&self.pos, &Overlay { played: self.last_turn().to_vec(), ..Overlay::default() })
    }

    /// The game under one of the sixteen symmetries, at the same ply.
    ///
    /// Comments, marks and variations are lost.
    pub fn symmetry(&self, number: usize) -> Result<Self, JsValue> {
        if number >= SYMMETRIES {
            return Err(error(Code::Argument, format!("found {number}, expected a number from 0 to 15")));
        }
        let start = match &self.record.start {
            None => None,
            Some(_) => {
                // The text may be in the old numbering.
                let start = self.record.start_position().map_err(|why| error(Code::Position, why))?;
                Some(turned(&start.fen(), number)?)
            }
        };
        let mut builder =
            Builder::new(self.record.rules, start.as_deref()).map_err(|why| error(Code::Position, why))?;
        for &m in &self.moves {
            let m = transform_move(m, number);
            builder.push(m).map_err(|_| error(Code::Move, format!("illegal move '{m}'")))?;
        }
        let (mut record, _) = builder.finish();
        (record.result, record.tags) = (self.record.result, self.record.tags.clone());
        let mut game = Self::new(record)?;
        game.go_to(self.ply);
        Ok(game)
    }
}

/// Returns a position text under a symmetry.
fn turned(text: &str, number: usize) -> Result<String, JsValue> {
    let unsupported = || {
        let message = "found a start with used mills or with captures due, expected one without them: \
                       only that can be turned";
        error(Code::Argument, message)
    };
    let mut fields: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
    let is_plain = fields.len() == 18 && fields[14] == "0" && fields[17] == "ids:nodes";
    let letters: Vec<char> = fields.first().map_or("", |board| board).chars().filter(|&c| c != '/').collect();
    if !is_plain || letters.len() != 24 {
        return Err(unsupported());
    }
    let mut board = ['*'; 24];
    for square in Square::all() {
        board[transform_square(square, number).index()] = letters[square.index()];
    }
    fields[0] = board.chunks(8).map(|ring| ring.iter().collect::<String>()).collect::<Vec<_>>().join("/");
    for field in &mut fields[10..14] {
        let index: Option<usize> = field.parse().ok();
        if let Some(square) = index.and_then(Square::try_new) {
            *field = transform_square(square, number).index().to_string();
        }
    }
    Ok(fields.join(" "))
}
