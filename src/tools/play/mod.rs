//! `play`: a game of a person against the engine in the terminal.
//!
//! `settings.rs` has the arguments, `game.rs` is the state of the game, `thinker.rs` the engines, `review.rs`
//! the analysis of a game, and `storage.rs` its file. `terminal.rs` runs the full screen: `input.rs` reads
//! keys and mouse, `app.rs` acts on them and opens the dialogs of `dialog.rs`, `screen.rs` and `panel.rs`
//! draw with `board.rs`, `layout.rs` and `look.rs`. `line.rs` is the line mode for scripts and plain
//! terminals. Uses `engine` and the modules above it, and of `tools` the shared files and `annotate`.

mod app;
mod board;
mod dialog;
mod game;
mod input;
mod layout;
mod line;
mod look;
mod panel;
mod review;
mod screen;
mod settings;
mod storage;
mod terminal;
mod thinker;

pub(crate) use settings::PlaySettings;

use super::error::{Place, ToolError};
use std::io::{self, IsTerminal};

/// True if the game takes the whole screen: standard input and output are a terminal that can move its
/// cursor.
pub(crate) fn is_full_screen() -> bool {
    io::stdin().is_terminal() && io::stdout().is_terminal() && look::is_capable(look::variable)
}

/// Plays on the whole screen where there is one, else line by line, until the person quits or the input ends.
///
/// # Errors
/// If input cannot be read or output not be written, or threads or memory are not available.
pub(crate) fn run(play: &PlaySettings) -> Result<(), ToolError> {
    if is_full_screen() {
        terminal::run(play).map_err(ToolError::io(Place::Terminal))
    } else {
        line::run(play)
    }
}
