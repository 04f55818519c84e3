//! The arguments of `openings`.

use crate::rules::Rules;
use crate::tools::arguments::{expected, number, output_file, pair};
use crate::tools::error::ToolError;
use crate::tools::openings::{OpeningSettings, most_placings};
use crate::types::{Depth, Value};
use clap::Args;
use std::ops::RangeInclusive;
use std::path::PathBuf;

/// The arguments of `openings`.
#[derive(Clone, Debug, Args)]
pub(super) struct OpeningsArgs {
    #[command(flatten)]
    rules: Rules,
    /// Number of openings, from 1 to 1000000
    #[arg(long, value_name = "N", default_value_t = 200)]
    #[arg(value_parser = number::<u32>(1..=1_000_000))]
    count: u32,
    /// Fewest and most placings of an opening; at most one for each man, 18 in nine [default: 2-10]
    #[arg(long, value_name = "MIN-MAX", value_parser = parse_range)]
    plies: Option<RangeInclusive<u32>>,
    /// Depth of the search that judges an opening if no tablebase does, from 1 to 60
    #[arg(long, value_name = "N", default_value_t = 12, value_parser = number::<Depth>(1..=60))]
    #[arg(conflicts_with = "tablebase")]
    depth: Depth,
    /// Largest value of a balanced opening by search, from 0 to 1000 hundredths of a man
    #[arg(long, value_name = "CP", default_value_t = 30, conflicts_with = "tablebase")]
    #[arg(value_parser = number::<Value>(0..=1_000))]
    balance: Value,
    /// Only openings in which at most this percentage of the moves keeps the draw; needs --tablebase
    #[arg(long, value_name = "PERCENT", requires = "tablebase")]
    #[arg(value_parser = number::<u8>(1..=100))]
    hard: Option<u8>,
    /// Seed of the random choices
    #[arg(long, value_name = "N", default_value_t = 1)]
    #[arg(value_parser = number(0..=u64::MAX))]
    seed: u64,
    /// Folder of tablebase files that judge the openings, in place of a search; may be given several times
    #[arg(long, alias = "tables", value_name = "FOLDER")]
    tablebase: Vec<PathBuf>,
    /// File to write [default: standard output]
    #[arg(long, value_name = "FILE", value_parser = output_file())]
    output: Option<PathBuf>,
}

impl OpeningsArgs {
    /// Returns the settings that the arguments ask for.
    pub(super) fn settings(self) -> OpeningSettings {
        OpeningSettings {
            rules: self.rules,
            count: self.count,
            plies: self.plies.unwrap_or(2..=most_placings(&self.rules).min(10)),
            depth: self.depth,
            balance: self.balance,
            hard: self.hard,
            seed: self.seed,
            tablebases: self.tablebase,
            output: self.output,
        }
    }
}

/// Reads the fewest and the most placings, as `2-10`.
fn parse_range(text: &str) -> Result<RangeInclusive<u32>, ToolError> {
    match pair(text, '-') {
        Some((least, most)) if 0 < least && least <= most => Ok(least..=most),
        _ => Err(expected("two numbers from 1 on such as 2-10")),
    }
}
