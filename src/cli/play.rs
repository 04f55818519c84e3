//! The arguments of `play`.

use crate::rules::Rules;
use crate::tools::arguments::{count, number};
use crate::tools::play::PlaySettings;
use crate::types::Color;
use clap::Args;
use std::time::Duration;

/// The arguments of `play`.
#[derive(Args, Debug)]
pub(super) struct PlayArgs {
    /// The side you play: white, black, or both
    #[arg(long, default_value = "white", value_parser = ["white", "black", "both"])]
    side: String,
    /// Strength of the engine, from 0 to 30 (full strength)
    #[arg(long, default_value_t = PlaySettings::STRONGEST)]
    #[arg(value_parser = number::<u32>(0..=PlaySettings::STRONGEST))]
    level: u32,
    /// Thinking time of the engine for each move, in milliseconds, from 1 to 600000
    #[arg(long, default_value_t = 1000, value_parser = count(600_000))]
    movetime: u64,
    /// Draw the screen with ASCII characters only
    #[arg(long)]
    ascii: bool,
    /// Do not save the game automatically, and do not resume a saved one
    #[arg(long)]
    no_autosave: bool,
    #[command(flatten)]
    rules: Rules,
}

impl PlayArgs {
    /// Returns the settings that the arguments ask for.
    pub(super) fn settings(self) -> PlaySettings {
        let side = match self.side.as_str() {
            "white" => Some(Color::White),
            "black" => Some(Color::Black),
            _ => None,
        };
        let movetime = Duration::from_millis(self.movetime);
        PlaySettings {
            rules: self.rules,
            level: self.level,
            movetime,
            side,
            ascii: self.ascii,
            autosave: !self.no_autosave,
        }
    }
}
