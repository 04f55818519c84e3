//! Arguments that several subcommands share, and the readers of their values.

use crate::rules::Rules;
use clap::Args;
use std::path::PathBuf;

/// The rules of a position, single rules included.
#[derive(Args, Debug)]
pub(super) struct RulesArg {
    /// Rule set, and single rules that differ: twelve, or nine,MayFly=false
    #[arg(long, value_name = "NAME[,RULE=VALUE...]", default_value = "nine", value_parser = read_rules)]
    pub(super) rules: Rules,
}

/// The tablebases that a tool uses.
#[derive(Clone, Debug, Args)]
pub(super) struct TablebaseArg {
    /// Folder of tablebase files; may be given several times
    #[arg(long = "tablebase", alias = "tables", id = "tablebase", value_name = "FOLDER")]
    pub(super) folders: Vec<PathBuf>,
}

/// Returns a reader of numbers from 1 to `most`.
pub(super) fn count(most: u64) -> clap::builder::RangedU64ValueParser {
    clap::builder::RangedU64ValueParser::new().range(1..=most)
}

fn read_rules(text: &str) -> Result<Rules, String> {
    Rules::parse(text).map_err(|error| error.to_string())
}
