//! The arguments of `experience`.

use crate::engine::experience::LEAST_DEPTH;
use crate::rules::Rules;
use crate::tools::arguments::{PositionArg, RecordRulesArg, number};
use crate::tools::error::ToolError;
use crate::tools::experience;
use crate::tools::files::write_out;
use crate::types::Depth;
use clap::Subcommand;
use std::path::PathBuf;

/// The subcommands of `experience`.
#[derive(Clone, Debug, Subcommand)]
pub(super) enum ExperienceCommand {
    /// Search the positions of recorded games and store the results in a file; resumes where an earlier run
    /// stopped
    ///
    /// The file is written after each game, and once a minute within one. Each position is searched as if the
    /// game began with it, without earlier repetitions and with draw counters at 0. It is not kept if twice
    /// the depth reaches the limit of a draw counter. Every run searches such positions again
    Save {
        /// The experience file to make or to add to; of two results for a position the deeper stays
        file: PathBuf,
        /// Files with recorded games; - for standard input
        #[arg(required = true, value_name = "RECORD")]
        records: Vec<PathBuf>,
        /// Depth of each search, from 8 to 60
        #[arg(long, value_name = "N", default_value_t = 14)]
        #[arg(value_parser = number::<Depth>(LEAST_DEPTH..=60))]
        depth: Depth,
        #[command(flatten)]
        rules: RecordRulesArg,
    },
    /// Look up a position, and those after each of its moves
    Load {
        /// The file
        file: PathBuf,
        #[command(flatten)]
        position: PositionArg,
        #[command(flatten)]
        rules: Rules,
    },
    /// Merge several files into one
    Merge {
        /// The file to write, or to add to; of two results for a position the deeper stays
        file: PathBuf,
        /// The files to read
        #[arg(required = true, value_name = "INPUT")]
        inputs: Vec<PathBuf>,
    },
    /// Print the number of positions in a file
    Stat {
        /// The file
        file: PathBuf,
    },
}

impl ExperienceCommand {
    /// Runs the subcommand and prints its result. Returns true if all games could be read.
    pub(super) fn run(self) -> Result<bool, ToolError> {
        let mut are_read = true;
        let text = match self {
            Self::Save { file, records, depth, rules } => {
                let (text, is_whole) = experience::save(&file, &records, depth, rules.rules)?;
                are_read = is_whole;
                text
            }
            Self::Load { file, position, rules } => experience::look_up(&file, &position.text(), &rules)?,
            Self::Merge { file, inputs } => experience::merge(&file, &inputs)?,
            Self::Stat { file } => experience::stat(&file)?,
        };
        write_out(None, &text)?;
        Ok(are_read)
    }
}
