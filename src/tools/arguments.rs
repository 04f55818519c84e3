//! The arguments that several subcommands share, and the readers of values on the command line.

use super::error::ToolError;
use crate::rules::Rules;
use clap::builder::{PathBufValueParser, TypedValueParser};
use clap::error::ErrorKind;
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};
use std::fmt::Display;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// The form of rules on the command line.
const RULES_FORM: &str = "NAME[,RULE=VALUE...]";

/// The rules of a position are the argument `--rules`.
impl Args for Rules {
    fn augment_args(command: Command) -> Command {
        let rules = Arg::new("rules").long("rules").value_name(RULES_FORM).default_value("nine");
        let help = "Rule set, and single rules that differ: twelve, or nine,MayFly=false";
        command.arg(rules.help(help).value_parser(Self::parse))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for Rules {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let missing = || clap::Error::new(ErrorKind::MissingRequiredArgument);
        matches.get_one("rules").copied().ok_or_else(missing)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// The rules of recorded games, single rules included.
#[derive(Clone, Args, Debug)]
pub(crate) struct RecordRulesArg {
    /// Rules of games that name none or unknown ones: a rule set, and single rules that differ, as in
    /// nine,MayFly=false
    #[arg(long, value_name = RULES_FORM, value_parser = Rules::parse)]
    pub(crate) rules: Option<Rules>,
}

/// A position. The words of its text are one argument or several.
#[derive(Clone, Debug, Args)]
pub(crate) struct PositionArg {
    /// Position text, or startpos [default: startpos]
    #[arg(value_name = "FEN")]
    position: Vec<String>,
    /// Position text, for scripts written for earlier versions
    #[arg(long, value_name = "TEXT", hide = true, conflicts_with = "position")]
    fen: Option<String>,
}

impl PositionArg {
    /// Returns the position text, which may be empty; `startpos` if no argument is given.
    pub(crate) fn text(self) -> String {
        let words = if self.position.is_empty() { "startpos".to_owned() } else { self.position.join(" ") };
        self.fen.unwrap_or(words)
    }
}

/// The number of threads of a long calculation.
#[derive(Clone, Copy, Debug, Args)]
pub struct ThreadsArg {
    /// Number of threads; as many as the machine has if not given
    #[arg(long, value_parser = number::<usize>(1..=512))]
    threads: Option<usize>,
}

impl ThreadsArg {
    /// Returns the number of threads.
    pub(crate) fn count(self) -> usize {
        let all = || std::thread::available_parallelism().map_or(1, usize::from);
        self.threads.unwrap_or_else(all)
    }
}

impl From<usize> for ThreadsArg {
    fn from(threads: usize) -> Self {
        Self { threads: Some(threads) }
    }
}

/// Returns the settings of a subcommand without arguments. All of them have to be optional.
pub(crate) fn defaults<S: Args>() -> S {
    let command = S::augment_args(Command::new("defaults").no_binary_name(true));
    let matches = command.try_get_matches_from([""; 0]);
    matches.and_then(|matches| S::from_arg_matches(&matches)).expect("every argument is optional")
}

/// Returns the error of a value that is not as expected. `clap` names the argument and what was found.
pub(crate) fn expected(what: &str) -> ToolError {
    ToolError::Expected(what.to_owned())
}

/// Returns a reader of the whole numbers of a range.
pub(crate) fn number<N>(range: RangeInclusive<N>) -> impl TypedValueParser<Value = N>
where
    N: FromStr + PartialOrd + Display + Clone + Send + Sync + 'static,
{
    move |text: &str| {
        let number = text.parse().ok().filter(|number| range.contains(number));
        number.ok_or_else(|| expected(&format!("a whole number from {} to {}", range.start(), range.end())))
    }
}

/// Returns a reader of numbers from 1 to `most`.
pub(crate) fn count(most: u64) -> impl TypedValueParser<Value = u64> {
    number(1..=most)
}

/// Returns a reader of a file to write in place of standard output.
pub(crate) fn output_file() -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().try_map(|path| {
        let is_stream = path == Path::new("-");
        if is_stream { Err(expected("a file; leave out --output for standard output")) } else { Ok(path) }
    })
}

/// Reads the two values around a separator, as in `2-10`.
pub(crate) fn pair<T: FromStr>(text: &str, separator: char) -> Option<(T, T)> {
    let (first, second) = text.split_once(separator)?;
    Some((first.trim().parse().ok()?, second.trim().parse().ok()?))
}
