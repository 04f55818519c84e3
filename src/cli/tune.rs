//! The arguments of `tune`.

use super::error::CliError;
use crate::rules::Rules;
use crate::tools::arguments::{expected, number};
use crate::tools::bench;
use crate::tools::error::ToolError;
use crate::tools::tune::{self, BATCH, SpsaSettings, TuneSettings};
use clap::Args;
use std::path::PathBuf;

/// The arguments of `tune`.
#[derive(Clone, Debug, Args)]
pub(super) struct TuneArgs {
    #[command(flatten)]
    rules: Rules,
    /// Folder of tablebase files that hold the whole game; required for the standard game; may be given
    /// several times
    #[arg(long, alias = "tables", value_name = "FOLDER")]
    tablebase: Vec<PathBuf>,
    /// Without a tablebase: network that plays the games, as tune writes it [default: the built-in one]
    #[arg(long, value_name = "FILE", conflicts_with = "tablebase")]
    eval_file: Option<PathBuf>,
    /// Without a tablebase: network of a game with the same moving phase. The fit begins with it, and
    /// positions of that phase have its values
    #[arg(long, value_name = "FILE", conflicts_with = "tablebase")]
    moving_phase: Option<PathBuf>,
    /// Without a tablebase: nodes of a search in the games, from 1 to 1000000
    #[arg(long, value_name = "N", conflicts_with = "tablebase", default_value_t = 500,
        value_parser = number::<u64>(1..=1_000_000))]
    nodes: u64,
    /// Number of training positions, from 40000 to 1000000000
    #[arg(long, value_name = "N", default_value_t = 20_000_000)]
    #[arg(value_parser = number::<u64>(2 * BATCH as u64..=1_000_000_000))]
    positions: u64,
    /// Number of passes over the training positions, from 1 to 1000
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = number::<u32>(1..=1_000))]
    epochs: u32,
    /// Seed of the random games
    #[arg(long, value_name = "N", default_value_t = 1)]
    #[arg(value_parser = number(0..=u64::MAX))]
    seed: u64,
    /// Threads that play the games, from 1 to 512
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = number::<u32>(1..=512))]
    threads: u32,
    /// File that keeps the positions: written, or if it exists read in place of games
    #[arg(long, value_name = "FILE")]
    samples: Option<PathBuf>,
    /// File to write, for the option EvalFile; the built-in networks are in `src/evaluate/networks`
    #[arg(long, value_name = "FILE", required_unless_present_any = ["spsa", "state", "params"])]
    output: Option<PathBuf>,
    /// The arguments of `tune --spsa`.
    #[command(flatten)]
    spsa: SpsaArgs,
}

/// The arguments of `tune --spsa`.
#[derive(Clone, Debug, Args)]
struct SpsaArgs {
    /// Tune parameters of the search by matches instead; needs a program built with the feature tune
    #[arg(long, requires = "state", requires = "params", conflicts_with_all = ["output", "samples", "rules",
        "tablebase", "eval_file", "moving_phase", "nodes", "positions", "epochs"])]
    spsa: bool,
    /// File with the state of the tuning: written after every match; if it exists, the run resumes from it
    #[arg(long, value_name = "FILE", requires = "spsa")]
    state: Option<PathBuf>,
    /// Parameters to tune, separated by commas
    #[arg(long, value_name = "NAMES", requires = "spsa", value_delimiter = ',', value_parser = parse_param)]
    params: Vec<String>,
    /// Matches to play, from 1 to 10000000
    #[arg(long, value_name = "N", requires = "spsa", default_value_t = 5_000,
        value_parser = number::<u32>(1..=10_000_000))]
    iterations: u32,
    /// Pairs of games in each match, from 1 to 10000; --threads games at a time
    #[arg(long, value_name = "N", requires = "spsa", default_value_t = 4,
        value_parser = number::<u32>(1..=10_000))]
    pairs: u32,
    /// Limits of each move in these games
    #[arg(long, value_name = "LIMITS", requires = "spsa", default_value = "movetime 50")]
    go: String,
}

/// Reads the name of a parameter.
fn parse_param(text: &str) -> Result<String, ToolError> {
    let name = tune::spsa::parameter_name(text.trim());
    name.map(str::to_owned).ok_or_else(|| expected("the name of a parameter in src/params.rs"))
}

impl TuneArgs {
    /// Returns true if the search is tuned, by matches.
    #[cfg(unix)]
    pub(super) fn plays_matches(&self) -> bool {
        self.spsa.spsa
    }

    /// Fits the evaluation, or tunes the search.
    pub(super) fn run(self) -> Result<(), CliError> {
        // The parser does not demand --spsa with --state if an argument that --spsa excludes is there.
        if self.spsa.state.is_some() && !self.spsa.spsa {
            return Err(expected("--spsa with --state").into());
        }
        // The parser requires --output, or --state.
        let done = match (self.spsa.state, self.output) {
            (Some(state), _) => tune::spsa::run(&SpsaSettings {
                state,
                params: self.spsa.params,
                iterations: self.spsa.iterations,
                pairs: self.spsa.pairs,
                go: self.spsa.go,
                seed: self.seed,
                concurrency: self.threads,
            }),
            (None, Some(output)) => tune::run(&TuneSettings {
                rules: self.rules,
                tablebases: self.tablebase,
                network: bench::network(self.eval_file.as_deref(), &self.rules)?,
                moving_phase: self.moving_phase,
                nodes: self.nodes,
                positions: self.positions,
                epochs: self.epochs,
                seed: self.seed,
                threads: self.threads,
                samples: self.samples,
                output,
            }),
            (None, None) => Ok(()),
        };
        done.map_err(CliError::from)
    }
}
