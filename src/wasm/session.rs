//! A session that speaks UCI, for a worker or a terminal.

use super::error::{Code, error, table_error};
use crate::tablebase;
use crate::uci::{LineSession, Progress};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

/// A session: takes lines, works in slices, and keeps the lines it writes until they are fetched.
#[wasm_bindgen]
pub struct WasmSession(LineSession);

#[wasm_bindgen]
impl WasmSession {
    /// Begins a session.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Result<Self, JsValue> {
        LineSession::new().map(Self).map_err(|why| error(Code::Argument, why))
    }

    /// Takes a line.
    pub fn line(&mut self, text: &str) -> Result<(), JsValue> {
        self.0.line(text).map_err(|why| error(Code::Argument, why))
    }

    /// Ends the input.
    pub fn end(&mut self) {
        self.0.end();
    }

    /// Works for a slice of time.
    ///
    /// Returns -2 once the session is over, -1 if it waits for a line, else the milliseconds to wait before
    /// the next slice.
    pub fn advance(&mut self) -> Result<i32, JsValue> {
        let progress = self.0.advance().map_err(|why| error(Code::Argument, why))?;
        Ok(match progress {
            Progress::Over => -2,
            Progress::Idle => -1,
            Progress::Work => 0,
            Progress::Wait(time) => i32::try_from(time.as_millis()).unwrap_or(i32::MAX).max(1),
        })
    }

    /// Returns the lines written since the last call, each with its end.
    pub fn take_lines(&self) -> String {
        self.0.take_lines()
    }

    /// Returns the name of the file that searches want: it is to be fetched.
    pub fn wanted_file(&self) -> Option<String> {
        self.0.wanted_file()
    }

    /// Returns true while a search waits for a file before it begins.
    pub fn awaits_file(&self) -> bool {
        self.0.awaits_file()
    }

    /// Takes the bytes of a file, for all sessions of this module.
    ///
    /// A search that waits begins with the next slice, and says if they are damaged.
    pub fn provide_file(&mut self, name: &str, bytes: Vec<u8>) {
        self.0.provide_file(name, Ok(bytes));
    }

    /// Notes why a file cannot be fetched. A search that waits begins with the next slice.
    pub fn miss_file(&mut self, name: &str, reason: String) {
        self.0.provide_file(name, Err(reason));
    }

    /// Returns the names of the tablebase files for the rules in force, with spaces between them.
    ///
    /// They are returned once after each begin of a search.
    pub fn wanted_tables(&mut self) -> String {
        self.0.wanted_tables()
    }

    /// Uses the built-in tablebase files that were provided, from the next search on.
    pub fn tablebase_arrived(&mut self) {
        self.0.tablebase_arrived();
    }
}

/// Makes these bytes a file of the built-in tablebase for all sessions and explorers of this module.
#[wasm_bindgen]
pub fn provide_tables(name: &str, bytes: Vec<u8>) -> Result<(), JsValue> {
    tablebase::provide_tables(name, bytes).map_err(|why| table_error(&why))
}
