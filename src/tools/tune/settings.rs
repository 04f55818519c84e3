//! The settings of a fit of the evaluation, which are arguments of `millstone tune`.

use super::samples::BATCH;
use crate::rules::Rules;
use crate::tools::arguments::number;
use clap::Args;
use std::path::PathBuf;

/// The settings of a fit.
#[derive(Clone, Debug, Args)]
pub(crate) struct TuneSettings {
    /// The rules.
    #[command(flatten)]
    pub rules: Rules,
    /// Folder of tablebase files that hold the whole game; required for the standard game; may be given
    /// several times
    #[arg(long = "tablebase", alias = "tables", value_name = "FOLDER")]
    pub tablebases: Vec<PathBuf>,
    /// Without a tablebase: network that plays the games, as tune writes it [default: the built-in one]
    #[arg(long, value_name = "FILE", conflicts_with = "tablebases")]
    pub eval_file: Option<PathBuf>,
    /// Network of a game with the same moving phase. The fit begins with it; without a tablebase, positions
    /// of that phase have its values
    #[arg(long, value_name = "FILE")]
    pub moving_phase: Option<PathBuf>,
    /// Without a tablebase: nodes of a search in the games, from 1 to 1000000
    #[arg(long, value_name = "N", conflicts_with = "tablebases", default_value_t = 500,
        value_parser = number::<u64>(1..=1_000_000))]
    pub nodes: u64,
    /// Number of training positions, from 40000 to 1000000000
    #[arg(long, value_name = "N", default_value_t = 20_000_000)]
    #[arg(value_parser = number::<u64>(2 * BATCH as u64..=1_000_000_000))]
    pub positions: u64,
    /// Number of passes over the training positions, from 1 to 1000
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = number::<u32>(1..=1_000))]
    pub epochs: u32,
    /// Seed of the random games
    #[arg(long, value_name = "N", default_value_t = 1)]
    #[arg(value_parser = number(0..=u64::MAX))]
    pub seed: u64,
    /// Threads that play the games, from 1 to 512
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = number::<u32>(1..=512))]
    pub threads: u32,
    /// File that keeps the positions: written when all games are played, or if it exists read in place of
    /// games. Until then FILE.batches keeps the finished ones, and a run that was killed continues with them
    #[arg(long, value_name = "FILE")]
    pub samples: Option<PathBuf>,
}
