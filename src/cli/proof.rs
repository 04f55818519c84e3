//! The subcommands of `proof`.

use super::error::CliError;
use crate::tools::files::write_out;
use crate::tools::proof::{ProofJob, ProofSummary};
use clap::Subcommand;

/// The subcommands of `proof`.
#[derive(Debug, Subcommand)]
pub(super) enum ProofCommand {
    /// Make the certificate that a side never loses; resumes where an earlier run stopped
    Build(ProofJob),
}

/// Runs a subcommand of `proof`.
pub(super) fn run(command: ProofCommand) -> Result<(), CliError> {
    let ProofCommand::Build(job) = command;
    let ProofSummary { positions, refused, bytes } = job.run()?;
    let summary = format!("positions  {positions}\nrefused    {refused}\nbytes      {bytes}\n");
    Ok(write_out(None, &summary)?)
}
