//! The arguments of `suite`.

use crate::rules::Rules;
use crate::tools::arguments::number;
use crate::tools::suite::SuiteSettings;
use clap::Args;
use std::path::PathBuf;

/// The arguments of `suite`.
#[derive(Clone, Debug, Args)]
pub(super) struct SuiteArgs {
    #[command(flatten)]
    rules: Rules,
    /// Number of positions, from 1 to 1000000
    #[arg(long, value_name = "N", default_value_t = 20_000)]
    #[arg(value_parser = number::<u32>(1..=1_000_000))]
    count: u32,
    /// Seed of the random games
    #[arg(long, value_name = "N", default_value_t = 1)]
    #[arg(value_parser = number(0..=u64::MAX))]
    seed: u64,
    /// Folder of tablebase files that hold every position of the games; may be given several times
    #[arg(long, required = true, alias = "tables", value_name = "FOLDER")]
    tablebase: Vec<PathBuf>,
    /// File to write
    #[arg(long, value_name = "FILE")]
    output: PathBuf,
}

impl SuiteArgs {
    /// Returns the settings that the arguments ask for.
    pub(super) fn settings(self) -> SuiteSettings {
        SuiteSettings {
            rules: self.rules,
            count: self.count,
            seed: self.seed,
            tablebases: self.tablebase,
            output: self.output,
        }
    }
}
