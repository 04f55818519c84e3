//! The arguments of `bench`.

use super::error::CliError;
use crate::rules::Rules;
use crate::tools::arguments::{count, number};
use crate::tools::bench::{self, BenchSettings};
use crate::tools::files::{stdout, unless_closed, write_out};
use crate::types::Depth;
use clap::Args;
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

/// The arguments of `bench`.
#[derive(Args, Debug)]
pub(super) struct BenchArgs {
    /// Depth of each search, from 1 to 200 plies; docs/protocol.md says what counts as a ply
    #[arg(long, default_value_t = bench::DEPTH)]
    #[arg(value_parser = number::<Depth>(1..=bench::MAX_DEPTH))]
    depth: Depth,
    /// Search threads, from 1 to 512; the node count is reproducible with one
    #[arg(long, default_value_t = 1, value_parser = count(512))]
    threads: u64,
    /// Size of the transposition table in MiB, from 1 to 1048576
    #[arg(long, default_value_t = 16, value_parser = count(1 << 20))]
    hash: u64,
    /// Network for the game of --rules, as tune writes it [default: the built-in one]
    #[arg(long, value_name = "FILE")]
    eval_file: Option<PathBuf>,
    #[command(flatten)]
    rules: Rules,
}

impl BenchArgs {
    /// Runs the bench and prints its lines.
    pub(super) fn run(self) -> Result<(), CliError> {
        let settings = BenchSettings {
            depth: self.depth,
            threads: self.threads as usize,
            hash: self.hash as usize,
            rules: self.rules,
            network: bench::network(self.eval_file.as_deref(), &self.rules)?,
        };
        let mut out = stdout()?.lock();
        let mut written = Ok(());
        let stop = AtomicBool::new(false);
        let totals = bench::run(&settings, &stop, |position| {
            if written.is_ok() {
                written = writeln!(out, "{}", position.line_with_time());
            }
            if written.is_err() {
                stop.store(true, Ordering::Relaxed);
            }
        })?;
        unless_closed(written)?;
        let summary: String =
            totals.iter().flat_map(|totals| totals.summary()).map(|line| line + "\n").collect();
        Ok(write_out(None, &summary)?)
    }
}
