//! The arguments of `perft`.

use super::error::CliError;
use crate::platform::clock::per_second;
use crate::rules::Rules;
use crate::tools::arguments::{PositionArg, count, number};
use crate::tools::error::{Place, ToolError};
use crate::tools::files::write_out;
use crate::tools::perft;
use crate::tools::position_argument::read_position;
use clap::Args;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// The arguments of `perft`.
#[derive(Args, Debug)]
pub(super) struct PerftArgs {
    /// Number of moves, from 0 to 200 (a take is a move)
    #[arg(value_parser = number(0..=perft::MAX_DEPTH.unsigned_abs()))]
    depth: u32,
    #[command(flatten)]
    position: PositionArg,
    /// Print the count of each first move too
    #[arg(long)]
    divide: bool,
    /// Number of threads, from 1 to 512
    #[arg(long, default_value_t = 1, value_parser = count(512))]
    threads: u64,
    #[command(flatten)]
    rules: Rules,
}

impl PerftArgs {
    /// Counts and prints.
    pub(super) fn run(self) -> Result<(), CliError> {
        let rules = &self.rules;
        let pos = read_position(rules, &self.position.text())
            .map_err(ToolError::input(Place::Argument("position")))?;
        let begin = Instant::now();
        let counts = perft::divide(&pos, self.depth, self.threads as usize, &AtomicBool::new(false));
        let counts = counts.unwrap_or_default();
        let time = begin.elapsed();
        let speed = per_second(perft::total(self.depth, &counts), time);
        let mut lines = perft::lines(self.depth, &counts);
        if !self.divide {
            lines.drain(..lines.len() - 1);
        }
        lines.push(format!("Time: {:.3} s, {speed} leaves/s\n", time.as_secs_f64()));
        Ok(write_out(None, &lines.join("\n"))?)
    }
}
