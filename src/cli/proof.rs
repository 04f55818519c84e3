//! The subcommands of `proof`: flags and what they call.

use super::error::CliError;
use crate::rules::Rules;
use crate::tools::arguments::ThreadsArg;
use crate::tools::files::write_out;
use crate::tools::proof::{ProofJob, ProofSummary, Sides};
use clap::{Subcommand, ValueEnum, builder::PossibleValue};
use std::path::PathBuf;
use std::time::Duration;

/// The time after which the state of a walk is saved again. Saving takes seconds.
const SAVE_EVERY: Duration = Duration::from_secs(120);

impl ValueEnum for Sides {
    fn value_variants<'a>() -> &'a [Self] {
        &Self::ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.name()))
    }
}

/// The subcommands of `proof`.
#[derive(Debug, Subcommand)]
pub(super) enum ProofCommand {
    /// Make the certificate that a side never loses; resumes where an earlier run stopped
    Build {
        /// Folder of the tablebase files, of the whole game
        #[arg(long, alias = "tablebase", default_value = "tables")]
        tables: PathBuf,
        /// The side that never loses, or both
        #[arg(long, value_enum)]
        side: Sides,
        /// Certificate whose policy is taken; only the stages it lacks are fitted
        #[arg(long, value_name = "FILE")]
        policy: Option<PathBuf>,
        /// File to write
        #[arg(long, value_name = "FILE")]
        output: PathBuf,
        #[command(flatten)]
        threads: ThreadsArg,
        #[command(flatten)]
        rules: Rules,
    },
}

/// Runs a subcommand of `proof`.
pub(super) fn run(command: ProofCommand) -> Result<(), CliError> {
    let ProofCommand::Build { tables, side, policy, output, threads, rules } = command;
    let threads = threads.count();
    let job = ProofJob { rules, tables, sides: side, policy, output, threads, save_every: SAVE_EVERY };
    let ProofSummary { positions, refused, bytes } = job.run()?;
    let summary = format!("positions  {positions}\nrefused    {refused}\nbytes      {bytes}\n");
    Ok(write_out(None, &summary)?)
}
