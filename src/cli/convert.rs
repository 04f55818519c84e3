//! The arguments of `convert`.

use crate::record::Format;
use crate::tools::arguments::{RecordRulesArg, output_file};
use crate::tools::convert::ConvertSettings;
use clap::Args;
use std::path::PathBuf;

/// The arguments of `convert`.
#[derive(Clone, Debug, Args)]
pub(super) struct ConvertArgs {
    /// Files with recorded games; - for standard input
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<PathBuf>,
    /// Format of the input [default: detected]
    #[arg(long, value_name = "FORMAT", value_parser = Format::NAMES.map(|(name, _)| name))]
    from: Option<String>,
    /// Format of the output
    #[arg(long, value_name = "FORMAT", value_parser = ["pgn", "tokens"], default_value = "pgn")]
    to: String,
    /// File to write [default: standard output]
    #[arg(long, value_name = "FILE", value_parser = output_file())]
    output: Option<PathBuf>,
    #[command(flatten)]
    rules: RecordRulesArg,
    /// Keep a broken game up to its last good turn
    #[arg(long)]
    keep_partial: bool,
    /// Let the output replace an input, although broken games, or the rules of different games, are lost
    #[arg(long)]
    force: bool,
    /// Report what was read as JSON; needs --output
    #[arg(long, requires = "output")]
    json: bool,
}

impl ConvertArgs {
    /// Returns the settings that the arguments ask for.
    pub(super) fn settings(self) -> ConvertSettings {
        let format = |name: &str| Format::NAMES.iter().find(|(n, _)| *n == name).map(|&(_, format)| format);
        ConvertSettings {
            inputs: self.inputs,
            from: self.from.as_deref().and_then(format),
            to: if self.to == "tokens" { Format::Tokens } else { Format::Pgn },
            output: self.output,
            rules: self.rules.rules,
            keep_partial: self.keep_partial,
            force: self.force,
            json: self.json,
        }
    }
}
