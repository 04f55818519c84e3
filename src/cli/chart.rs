//! The arguments of `chart`.

use crate::tools::arguments::output_file;
use crate::tools::chart::{ChartKind, ChartSettings};
use clap::builder::PossibleValue;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// The arguments of `chart`.
#[derive(Clone, Debug, Args)]
pub(super) struct ChartArgs {
    /// Kind of chart
    #[arg(value_enum)]
    kind: ChartKind,
    /// Output of `match --json`, `accuracy --json` or `annotate --json`; - for standard input
    #[arg(required = true, value_name = "FILE")]
    results: Vec<PathBuf>,
    /// Title of the chart
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    /// File to write [default: standard output]
    #[arg(long, value_name = "FILE", value_parser = output_file())]
    output: Option<PathBuf>,
}

impl ChartArgs {
    /// Returns the settings that the arguments ask for.
    pub(super) fn settings(self) -> ChartSettings {
        ChartSettings { kind: self.kind, results: self.results, title: self.title, output: self.output }
    }
}

impl ValueEnum for ChartKind {
    fn value_variants<'a>() -> &'a [Self] {
        &[Self::Score, Self::Accuracy, Self::Elo, Self::Game]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let (name, help) = match self {
            Self::Score => (
                "score",
                "Score of matches, or share of kept values, by time control, with intervals where they are \
                    known",
            ),
            Self::Accuracy => {
                ("accuracy", "Share of kept values by part of the game, one colour for each file of accuracy")
            }
            Self::Elo => {
                ("elo", "Elo of matches with error bars; those without an end reach the edge of the picture")
            }
            Self::Game => {
                ("game", "White's expected score, turn by turn, of each game of annotate, at most 12 games")
            }
        };
        Some(PossibleValue::new(name).help(help))
    }
}
