//! The arguments of `annotate`.

use crate::tools::annotate::AnnotateSettings;
use crate::tools::arguments::{RecordRulesArg, number, output_file};
use clap::Args;
use std::path::PathBuf;

/// The arguments of `annotate`.
#[derive(Clone, Debug, Args)]
pub(super) struct AnnotateArgs {
    /// File with recorded games; - for standard input
    #[arg(value_name = "RECORD")]
    record: PathBuf,
    /// Nodes of each search; positions in the tablebase need none
    #[arg(long, value_name = "N", default_value_t = 200_000, value_parser = number(1..=u64::MAX))]
    nodes: u64,
    #[command(flatten)]
    rules: RecordRulesArg,
    /// Folder of tablebase files with exact values, in place of the built-in ones; may be given several times
    #[arg(long, alias = "tables", value_name = "FOLDER")]
    tablebase: Vec<PathBuf>,
    /// File to write the annotated games to [default: standard output]
    #[arg(long, value_name = "FILE", value_parser = output_file())]
    output: Option<PathBuf>,
    /// Write the games as one page, with boards, a curve and the value of every move; the arrow keys replay a
    /// game, and nothing is loaded from the internet
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Let the output replace a record that has broken games, which are lost
    #[arg(long)]
    force: bool,
    /// Print players, summaries and White's expected score after each turn as JSON; needs --output or --html
    #[arg(long)]
    json: bool,
}

impl AnnotateArgs {
    /// Returns the settings that the arguments ask for.
    pub(super) fn settings(self) -> AnnotateSettings {
        AnnotateSettings {
            record: self.record,
            nodes: self.nodes,
            rules: self.rules.rules,
            tablebases: self.tablebase,
            output: self.output,
            html: self.html,
            force: self.force,
            json: self.json,
        }
    }
}
