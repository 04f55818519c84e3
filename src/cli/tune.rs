//! The arguments of `tune`.

use super::error::CliError;
use crate::tools::arguments::{expected, number};
use crate::tools::error::ToolError;
use crate::tools::tune::{self, SpsaSettings, TuneSettings};
use clap::Args;
use std::path::PathBuf;

/// The arguments of `tune`.
#[derive(Clone, Debug, Args)]
pub(super) struct TuneArgs {
    #[command(flatten)]
    fit: TuneSettings,
    /// File to write after the last pass, for the option EvalFile; required without --spsa. The built-in
    /// networks are in `src/evaluate/networks`
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
        "tablebases", "eval_file", "moving_phase", "nodes", "positions", "epochs"])]
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
                seed: self.fit.seed,
                concurrency: self.fit.threads,
            }),
            (None, Some(output)) => tune::run(&self.fit, &output),
            (None, None) => Ok(()),
        };
        done.map_err(CliError::from)
    }
}
