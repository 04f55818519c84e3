//! The arguments of `tune`.

use super::values::TablesArg;
use crate::tools::tune::{PIECE, TuneSettings};
use clap::{Args, value_parser};
use std::path::PathBuf;

/// The arguments of `tune`.
#[derive(Clone, Debug, Args)]
pub(super) struct TuneArgs {
    /// Tables that know the whole standard game
    #[command(flatten)]
    tables: TablesArg,
    /// How many positions to learn from
    #[arg(long, value_name = "N", default_value_t = 20_000_000, value_parser = value_parser!(u64).range(2 * PIECE as u64..=1_000_000_000))]
    positions: u64,
    /// How often to go through them
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = value_parser!(u32).range(1..=1_000))]
    epochs: u32,
    /// What the random games follow from
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Threads that play the games
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = value_parser!(u32).range(1..=512))]
    threads: u32,
    /// File that keeps the positions: written once they are found, read if it is there
    #[arg(long, value_name = "FILE")]
    samples: Option<PathBuf>,
    /// File to write; the program carries `src/evaluate/network.bin`
    #[arg(long, value_name = "FILE")]
    output: PathBuf,
}

impl TuneArgs {
    /// Returns the settings that the arguments ask for.
    pub(super) fn settings(self) -> TuneSettings {
        TuneSettings {
            tables: self.tables.folders,
            positions: self.positions,
            epochs: self.epochs,
            seed: self.seed,
            threads: self.threads,
            samples: self.samples,
            output: self.output,
        }
    }
}
