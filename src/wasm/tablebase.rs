//! Values from the tablebase.

use super::error::table_error;
use super::game::WasmGame;
use crate::tablebase::{
    AnswerPart, Exploration, Found, MissingRange, RemoteFiles, Tablebase, TablebaseError, Wdl, tables_for,
};
use serde_json::{Value, json};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

const fn name(wdl: Wdl) -> &'static str {
    match wdl {
        Wdl::Win => "win",
        Wdl::Draw => "draw",
        Wdl::Loss => "loss",
    }
}

fn found(found: Option<Found>) -> (Option<&'static str>, Option<u32>) {
    (found.map(|found| name(found.wdl)), found.and_then(|found| found.plies))
}

/// Returns what is known about a position as JSON.
fn answer(explored: &Exploration) -> Value {
    let (value, plies) = found(explored.value);
    let moves: Vec<Value> = explored
        .moves
        .iter()
        .map(|known| {
            let (value, plies) = found(known.value);
            json!({
                "move": known.m.to_string(),
                "value": value,
                "plies": plies,
                "drawingReplies": known.drawing_replies,
            })
        })
        .collect();
    let sector = explored.sector.as_ref().map(|(sector, file)| {
        json!({
            "name": sector.to_string(),
            "men": [sector.own, sector.theirs],
            "hands": [sector.own_hand, sector.their_hand],
            "wins": file.counts.wins,
            "draws": file.counts.draws,
            "losses": file.counts.losses,
            "longest": file.counts.longest_win,
            "file": file.name,
            "bytes": file.bytes,
        })
    });
    json!({ "value": value, "plies": plies, "moves": moves, "sector": sector })
}

/// The built-in tablebase, for one set of rules.
#[wasm_bindgen]
pub struct WasmBuiltIn(Tablebase);

#[wasm_bindgen]
impl WasmBuiltIn {
    /// Returns the tablebase for the rules of a game.
    pub fn of(game: &WasmGame) -> Result<Self, JsValue> {
        let mut tablebase = Tablebase::new(game.position().rules()).map_err(|why| table_error(&why))?;
        tablebase.add_embedded().map_err(|why| table_error(&why))?;
        Ok(Self(tablebase))
    }

    /// Returns the names of the files for the rules of a game, with spaces between them.
    pub fn files(game: &WasmGame) -> String {
        tables_for(game.position().rules()).join(" ")
    }

    /// Returns what it knows about the position of a game, as JSON.
    pub fn probe(&self, game: &WasmGame) -> Result<String, JsValue> {
        let explored = self.0.explore(game.position()).map_err(|why| table_error(&why))?;
        Ok(answer(&explored).to_string())
    }
}

/// Tablebase files on a host, for one set of rules. The caller fetches the ranges that a probe lacks.
#[wasm_bindgen]
pub struct WasmRemote {
    files: RemoteFiles,
    tablebase: Tablebase,
}

#[wasm_bindgen]
impl WasmRemote {
    /// Returns the files for the rules of a game.
    pub fn of(game: &WasmGame) -> Result<Self, JsValue> {
        let mut tablebase = Tablebase::new(game.position().rules()).map_err(|why| table_error(&why))?;
        let files = RemoteFiles::new(*tablebase.game());
        tablebase.add_remote(files.clone());
        Ok(Self { files, tablebase })
    }

    /// Begins a probe of another position.
    pub fn begin(&self) {
        self.files.begin();
    }

    /// Leaves out the values of these moves, by their numbers in `missing`, if they need more ranges.
    pub fn leave_out_moves(&self, numbers: Vec<u16>) {
        numbers.into_iter().for_each(|number| self.files.leave_out(AnswerPart::Move(number)));
    }

    /// Leaves out the value of the position, if it needs more ranges: that of its moves may tell it.
    pub fn leave_out_position(&self) {
        self.files.leave_out(AnswerPart::Position);
    }

    /// Leaves out replies and statistics that need more ranges.
    pub fn leave_out_extras(&self) {
        self.files.leave_out(AnswerPart::Extra);
    }

    /// Takes bytes of a file.
    pub fn put(&self, file: &str, start: f64, length: f64, bytes: Vec<u8>) {
        self.files.put(file, start as u64, length as u64, bytes);
    }

    /// Notes that a file does not exist.
    pub fn put_absent(&self, file: &str) {
        self.files.put_absent(file);
    }

    /// Forgets a file, to read it again.
    pub fn forget(&self, file: &str) {
        self.files.forget(file);
    }

    /// Probes the position of a game.
    ///
    /// The answer is JSON: `missing` lists the ranges to fetch before the next call, with the part of the
    /// answer that needs them, and the numbers of the moves. Those of the part `ahead` may turn out not to be
    /// needed. `damaged` names a file, its damage, and the code `foreign` if it is a sound file of something
    /// else. `answer` is the result and `absent` the files that it did without.
    pub fn probe(&self, game: &WasmGame) -> Result<String, JsValue> {
        let explored = self.tablebase.explore(game.position());
        let missing = self.files.take_missing();
        if let Err(cause @ (TablebaseError::Damaged { path, .. } | TablebaseError::Foreign { path, .. })) =
            &explored
        {
            let file = path.file_name().unwrap_or_default().to_string_lossy();
            let code = if matches!(cause, TablebaseError::Foreign { .. }) { "foreign" } else { "damaged" };
            let damaged = json!({ "file": file, "message": cause.to_string(), "code": code });
            return Ok(json!({ "damaged": damaged }).to_string());
        }
        let explored = explored.map_err(|why| table_error(&why))?;
        if !missing.is_empty() {
            let list = missing.into_iter().map(|(range, parts)| {
                let is_index = self.files.is_index(&range);
                let MissingRange { file, start, end } = range;
                let numbers = parts.iter().filter_map(|part| match part {
                    AnswerPart::Move(number) => Some(*number),
                    _ => None,
                });
                let part = match parts.first() {
                    Some(AnswerPart::Move(_)) => "move",
                    Some(AnswerPart::Position) => "position",
                    Some(AnswerPart::Ahead) => "ahead",
                    _ => "extra",
                };
                let moves: Vec<u16> = numbers.collect();
                json!({
                    "file": file,
                    "start": start,
                    "end": end,
                    "isIndex": is_index,
                    "part": part,
                    "moves": moves,
                })
            });
            return Ok(json!({ "missing": list.collect::<Value>() }).to_string());
        }
        Ok(json!({ "answer": answer(&explored), "absent": self.files.absent() }).to_string())
    }
}
