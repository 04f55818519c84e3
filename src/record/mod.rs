//! Game records: the model, and readers and writers of every format. Uses `notation`, `movegen`, `position`
//! and the modules above them.
//!
//! `model.rs` holds a game, `build.rs` records one move by move, `numbering.rs` numbers its turns. `pgn`
//! reads and writes the common format, `playok.rs` and `goldtoken.rs` read the formats of these servers,
//! `tokens.rs` reads and writes bare lists of moves, and `detect.rs` detects the format of a text. A broken
//! game is reported with file, line and token, and the games after it are still read.
//!
//! ```
//! use millstone::record::{ReadOptions, read};
//!
//! let text = "[White \"A\"]\n\n1. d7 a1 2. g7 d1 3. a7xa1 {a mill} f4 *\n";
//! let reading = read("example.pgn", text, &ReadOptions::default());
//! assert!(reading.errors.is_empty());
//! let game = &reading.games[0];
//! assert_eq!((game.tag("White"), game.moves().count()), (Some("A"), 7));
//! assert_eq!(game.to_tokens(), "d7 a1 g7 d1 a7 xa1 f4\n");
//! ```

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod build;
mod detect;
mod goldtoken;
mod model;
mod numbering;
mod pgn;
mod playok;
mod reading;
mod tags;
mod tokens;
mod words;

pub use build::Builder;
pub use detect::detect;
pub use model::{GameRecord, GameResult, RecordLine, Turn, commands, comment};
#[cfg(feature = "cli")]
pub(crate) use numbering::{Numbering, TurnNumber};
pub use reading::{Format, Problem, ReadOptions, Reading, RecordError};
pub use tags::variant_title;

#[cfg(all(feature = "wasm", target_arch = "wasm32"))]
pub(crate) use pgn::{is_derived_tag, is_tag_name};

use crate::platform::text::without_mark;

impl GameRecord {
    /// Returns the game in the common format.
    ///
    /// ```
    /// use millstone::{GameRecord, Rules};
    ///
    /// let pgn = GameRecord::new(Rules::LASKER).to_pgn();
    /// assert!(pgn.contains("[Variant \"Lasker Morris\"]"));
    /// ```
    pub fn to_pgn(&self) -> String {
        pgn::write(self)
    }

    /// Returns the moves of the main line on one line of text.
    ///
    /// Rules, tags, comments, marks and variations are left out.
    pub fn to_tokens(&self) -> String {
        tokens::write(self)
    }
}

/// Reads all games of a text. `file` is used in messages only.
pub fn read(file: &str, text: &str, options: &ReadOptions) -> Reading {
    let text = without_mark(text);
    let mut reading = Reading::default();
    match options.format.unwrap_or_else(|| detect(text)) {
        Format::Pgn | Format::PlayOk if options.format.is_none() => {
            pgn::read(file, text, options, &playok::EITHER, &mut reading);
        }
        Format::Pgn => pgn::read(file, text, options, &[&pgn::COMMON], &mut reading),
        Format::PlayOk => pgn::read(file, text, options, &[&playok::NUMBERED], &mut reading),
        Format::GoldToken => goldtoken::read(file, text, options, &mut reading),
        Format::Tokens => tokens::read(file, text, options, &mut reading),
        Format::Position => tokens::read_position(file, text, options, &mut reading),
    }
    reading
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
