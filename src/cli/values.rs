//! Arguments that several subcommands share, and the readers of their values.

use super::error::CliError;
use crate::rules::Rules;
use clap::Args;
use clap::builder::{PathBufValueParser, TypedValueParser};
use std::fmt::Display;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// The rules of a position, single rules included.
#[derive(Clone, Args, Debug)]
pub(super) struct RulesArg {
    /// Rule set, and single rules that differ: twelve, or nine,MayFly=false
    #[arg(long, value_name = "NAME[,RULE=VALUE...]", default_value = "nine", value_parser = Rules::parse)]
    pub(super) rules: Rules,
}

/// The rules of recorded games, single rules included.
#[derive(Clone, Args, Debug)]
pub(super) struct RecordRulesArg {
    /// Rules of games that name none or unknown ones: a rule set, and single rules that differ, as in
    /// nine,MayFly=false
    #[arg(long, value_name = "NAME[,RULE=VALUE...]", value_parser = Rules::parse)]
    pub(super) rules: Option<Rules>,
}

/// A position. The words of its text are one argument or several.
#[derive(Clone, Debug, Args)]
pub(super) struct PositionArg {
    /// Position text, or startpos [default: startpos]
    #[arg(value_name = "FEN")]
    position: Vec<String>,
    /// Position text, for scripts written for earlier versions
    #[arg(long, value_name = "TEXT", hide = true, conflicts_with = "position")]
    fen: Option<String>,
}

impl PositionArg {
    /// Returns the position text, which may be empty; `startpos` if no argument is given.
    pub(super) fn text(self) -> String {
        let words = if self.position.is_empty() { "startpos".to_owned() } else { self.position.join(" ") };
        self.fen.unwrap_or(words)
    }
}

/// The number of threads of a long calculation.
#[derive(Clone, Debug, Args)]
pub(super) struct ThreadsArg {
    /// Number of threads; as many as the machine has if not given
    #[arg(long, value_parser = count(512))]
    threads: Option<u64>,
}

impl ThreadsArg {
    /// Returns the number of threads.
    pub(super) fn count(self) -> usize {
        let all = || std::thread::available_parallelism().map_or(1, usize::from);
        self.threads.map_or_else(all, |threads| threads as usize)
    }
}

/// Returns a reader of the whole numbers of a range.
pub(super) fn number<N>(range: RangeInclusive<N>) -> impl TypedValueParser<Value = N>
where
    N: FromStr + PartialOrd + Display + Clone + Send + Sync + 'static,
{
    move |text: &str| {
        let number = text.parse().ok().filter(|number| range.contains(number));
        number.ok_or_else(|| CliError::NoNumber(range.start().to_string(), range.end().to_string()))
    }
}

/// Returns a reader of numbers from 1 to `most`.
pub(super) fn count(most: u64) -> impl TypedValueParser<Value = u64> {
    number(1..=most)
}

/// Returns a reader of a file to write in place of standard output.
pub(super) fn output_file() -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().try_map(|path| {
        let expected = "a file; leave out --output for standard output";
        if path == Path::new("-") { Err(CliError::Expected(expected)) } else { Ok(path) }
    })
}

/// Reads the two values around a separator, as in `2-10`.
pub(super) fn pair<T: FromStr>(text: &str, separator: char) -> Option<(T, T)> {
    let (first, second) = text.split_once(separator)?;
    Some((first.trim().parse().ok()?, second.trim().parse().ok()?))
}
