//! Rule sets, and the readers of records.

use super::error::{Code, error};
use super::game::WasmGame;
use crate::position::Position;
use crate::record::{GameRecord, ReadOptions, RecordError, read};
use crate::rules::{NAMED, Rules};
use crate::tablebase::tables_for;
use serde_json::json;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

/// Returns the version.
#[wasm_bindgen]
pub fn version() -> String {
    env!("CARGO_PKG_VERSION").to_owned()
}

/// Returns the named rule sets as JSON.
#[wasm_bindgen]
pub fn rule_sets() -> String {
    let list = NAMED.iter().map(|row| {
        let rules = &row.rules;
        json!({
            "id": row.name,
            "name": row.title,
            "men": rules.pieces_count,
            "diagonals": rules.has_diagonal_lines,
            "flyingAt": if rules.may_fly { rules.fly_piece_count } else { 0 },
            "rules": row.summary,
            "builtInTables": !tables_for(rules).is_empty(),
        })
    });
    list.collect::<serde_json::Value>().to_string()
}

/// Reads rules by name: `nine`, or `nine,PiecesCount=10`.
pub(super) fn rules_of(text: &str) -> Result<Rules, JsValue> {
    Rules::parse(text).map_err(|why| error(Code::Rules, why))
}

/// Begins a game at the initial position, or at a position text.
#[wasm_bindgen]
pub fn new_game(rules: &str, position: Option<String>) -> Result<WasmGame, JsValue> {
    let mut record = GameRecord::new(rules_of(rules)?);
    if let Some(text) = position {
        let pos = Position::from_fen(&record.rules, &text).map_err(|why| error(Code::Position, why))?;
        if pos.fen() != Position::new(&record.rules).fen() {
            record.start = Some(text.split_whitespace().collect::<Vec<_>>().join(" "));
        }
    }
    WasmGame::new(record)
}

/// The games of a text.
#[wasm_bindgen]
pub struct WasmReading {
    games: Vec<GameRecord>,
    /// The number of each game in the text.
    numbers: Vec<usize>,
    messages: serde_json::Value,
}

#[wasm_bindgen]
impl WasmReading {
    /// The number of games.
    pub fn len(&self) -> usize {
        self.games.len()
    }

    /// Returns a game.
    pub fn game(&self, index: usize) -> Result<WasmGame, JsValue> {
        let record = self.games.get(index).ok_or_else(|| error(Code::Argument, "there is no such game"))?;
        WasmGame::new(record.clone())
    }

    /// Returns the number of a game in the text, from 1; 0 if there is no such game.
    pub fn number(&self, index: usize) -> usize {
        self.numbers.get(index).copied().unwrap_or(0)
    }

    /// Returns the errors and the notes as JSON.
    pub fn messages(&self) -> String {
        self.messages.to_string()
    }
}

/// Reads all games of a text: any format of record, or a position text.
///
/// `rules` holds for games that name none. Of a broken game the sound beginning is kept.
#[wasm_bindgen]
pub fn read_games(text: &str, rules: Option<String>) -> Result<WasmReading, JsValue> {
    let rules = rules.as_deref().map(rules_of).transpose()?;
    let reading = read("text", text, &ReadOptions { format: None, rules, keep_partial: true });
    let sentences = |list: &[RecordError]| -> Vec<String> {
        list.iter().map(|why| format!("line {}: {}", why.line, why.reason())).collect()
    };
    let faults: Vec<_> = reading
        .errors
        .iter()
        .map(|why| json!({ "game": why.game, "line": why.line, "reason": why.reason() }))
        .collect();
    let (errors, notes) = (sentences(&reading.errors), sentences(&reading.notes));
    let messages = json!({ "errors": errors, "faults": faults, "notes": notes });
    Ok(WasmReading { games: reading.games, numbers: reading.numbers, messages })
}
