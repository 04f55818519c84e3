//! The settings of a game, which are the arguments of `millstone play`.

use crate::rules::Rules;
use crate::search::limits::MAX_SKILL;
use crate::tools::arguments::{defaults, number};
use crate::types::Color;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{ArgAction, Args};
use std::time::Duration;

/// A side, or `None` for both. `clap` takes a field of the type `Option` itself for an argument without a
/// default.
type PlayedSide = Option<Color>;

/// The settings of a game.
#[derive(Clone, PartialEq, Eq, Debug, Args)]
pub(crate) struct PlaySettings {
    /// The side you play: white, black, or both
    #[arg(long, default_value = "white", value_parser = side())]
    pub side: PlayedSide,
    /// Strength of the engine, from 0 to 30 (full strength)
    #[arg(long, default_value_t = MAX_SKILL, value_parser = number(0..=MAX_SKILL))]
    pub level: u32,
    /// Thinking time of the engine for each move, in milliseconds, from 1 to 600000
    #[arg(long, default_value = "1000", value_parser = number(1..=600_000).map(Duration::from_millis))]
    pub movetime: Duration,
    /// Draw the screen with ASCII characters only
    #[arg(long)]
    pub ascii: bool,
    /// Do not save the game automatically, and do not resume a saved one
    #[arg(long = "no-autosave", action = ArgAction::SetFalse)]
    pub autosave: bool,
    /// Rules of the game.
    #[command(flatten)]
    pub rules: Rules,
}

/// The settings of `millstone play` without arguments.
impl Default for PlaySettings {
    fn default() -> Self {
        defaults()
    }
}

/// Returns a reader of the side that a person plays.
fn side() -> impl TypedValueParser<Value = PlayedSide> {
    PossibleValuesParser::new(["white", "black", "both"]).map(|name| match name.as_str() {
        "white" => Some(Color::White),
        "black" => Some(Color::Black),
        _ => None,
    })
}
