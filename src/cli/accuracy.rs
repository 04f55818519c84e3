//! The arguments of `accuracy`.

use crate::rules::Rules;
use crate::tools::accuracy::{AccuracySettings, check_option};
use crate::tools::arguments::{count, expected, number};
use crate::tools::error::ToolError;
use crate::tools::matches::engine_file::is_rule_option;
use clap::Args;
use std::path::PathBuf;

/// The arguments of `accuracy`.
#[derive(Clone, Debug, Args)]
pub(super) struct AccuracyArgs {
    /// Time for each move in milliseconds [default: what the engine file says, or 100]
    #[arg(long, value_name = "MS", group = "limit", value_parser = count(u64::MAX))]
    movetime: Option<u64>,
    /// Nodes for each move
    #[arg(long, value_name = "N", group = "limit", value_parser = count(u64::MAX))]
    nodes: Option<u64>,
    /// Depth of each search
    #[arg(long, value_name = "N", group = "limit", value_parser = number(1..=u32::MAX))]
    depth: Option<u32>,
    #[command(flatten)]
    rules: Rules,
    /// Suite to use, which names its rules, in place of --rules [default: the built-in one of the rules]
    #[arg(long, value_name = "FILE", conflicts_with = "rules")]
    suite: Option<PathBuf>,
    /// Number of its positions to use, chosen at random [default: all]
    #[arg(long, value_name = "N", value_parser = number(1..=u32::MAX))]
    sample: Option<u32>,
    /// Keep the results in this file, and continue after those that it holds
    #[arg(long, value_name = "FILE")]
    resume: Option<PathBuf>,
    /// Engine file or program to measure [default: this program]; match --help explains engine files. It
    /// counts as hung after 10 seconds without an answer, for a move after the end of its time, with nodes or
    /// depth after 600 seconds
    #[arg(long, value_name = "FILE")]
    engine: Option<PathBuf>,
    /// Option of this program, as Name=value; may be given several times
    #[arg(long, value_name = "NAME=VALUE", conflicts_with = "engine", value_parser = parse_option)]
    option: Vec<(String, String)>,
    /// Positions searched at a time, from 1 to 512
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = number::<u32>(1..=512))]
    concurrency: u32,
    /// Number of worst positions to list
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = number(0..=usize::MAX))]
    worst: usize,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

impl AccuracyArgs {
    /// Returns the settings that the arguments ask for.
    pub(super) fn settings(self) -> AccuracySettings {
        let go = match (self.movetime, self.nodes, self.depth) {
            (Some(time), ..) => Some(format!("movetime {time}")),
            (_, Some(nodes), _) => Some(format!("nodes {nodes}")),
            (.., Some(depth)) => Some(format!("depth {depth}")),
            _ => None,
        };
        AccuracySettings {
            go,
            rules: self.rules,
            suite: self.suite,
            sample: self.sample,
            resume: self.resume,
            engine: self.engine,
            options: self.option,
            concurrency: self.concurrency,
            worst: self.worst,
            json: self.json,
        }
    }
}

/// Reads an option of this program as `Name=value`.
fn parse_option(text: &str) -> Result<(String, String), ToolError> {
    let pair = text.split_once('=').filter(|(name, _)| !name.trim().is_empty());
    let (name, value) = pair.ok_or_else(|| expected("Name=value"))?;
    if value.trim().contains(['\n', '\r']) {
        return Err(expected("a value without line breaks"));
    }
    check_option(name, value)?;
    if is_rule_option(name) {
        return Err(expected("no option of the rules, which the suite names"));
    }
    Ok((name.trim().to_owned(), value.trim().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_that_would_do_nothing_are_refused() {
        let pair = |name: &str, value: &str| Some((name.to_owned(), value.to_owned()));
        assert_eq!(parse_option("TablebaseEmbedded=false").ok(), pair("TablebaseEmbedded", "false"));
        assert_eq!(parse_option("TablebasePath=").ok(), pair("TablebasePath", ""));
        for bad in [
            "TablebaseEmbedded",
            "=false",
            "TablebaseEmbeded=false",
            "TablebaseEmbedded=fals",
            "Hash=0",
            "UCI_Variant=twelve",
            "UCI_Variant=nine",
            "MayFly=false",
            "TablebasePath=tables\nuci",
        ] {
            assert!(parse_option(bad).is_err(), "{bad}");
        }
    }
}
