//! The settings of a match, which are the arguments of `millstone match`.

use super::builtin::BuiltinStyle;
use super::limits::MARGIN;
use crate::rules::Rules;
use crate::tools::arguments::{defaults, expected, number, pair};
use crate::tools::error::ToolError;
use clap::Args;
use std::path::PathBuf;
use std::time::Duration;

/// The text below the options.
const ENGINE_FILES: &str = "\
An engine is a program that speaks UCI or another dialect of `millstone uci`, given by its path or by a name
in PATH, or an engine file in JSON:

  {
    \"name\": \"new\",                     name in results and records
    \"cmd\": [\"./millstone\", \"uci\"],     program and arguments
    \"protocol\": \"standard\",            auto (default), standard, sanmill7, tgf, gbgp or ugi
    \"options\": {\"Threads\": 2},         set in this order; rules only if lenient
    \"setup\": [\"debug off\"],            lines sent unchanged before the options
    \"go\": \"nodes 1000\",                limits in place of --go
    \"lenient\": false                   true: play even if it refuses an option; rules allowed
  }

Only name and cmd are needed. A match starts only if both engines start and accept their options. If both
players have the same name, results and records add (A) and (B) to it.

An engine has ended when its first process ends; everything it has started is then killed. The same happens
when the match ends, even by SIGKILL, because each engine runs below a helper process, millstone guard. On
Linux this includes processes that have left the engine's process group; on other Unix systems these stay. On
Windows each engine runs in a job object, with the same effect.

Every question has a deadline. For a move it is movetime, or the time left on the clock, plus --timeout;
with nodes or depth alone, and for the handshake, options and readyok, it is --timeout. After that the
engine counts as hung, loses the game and is started again. An engine that answers later than its limit
plus --margin loses the game too. Each attempt to detect a dialect takes at most 5 seconds; later starts use
the dialect that the first one has found.

Examples:
  millstone match --opponent greedy --games 20
  millstone match --a ./new --b ./old --go \"movetime 50\" --games 20000 --sprt 0,5 --resume games.jsonl";

/// The settings of a match.
#[derive(Clone, PartialEq, Debug, Args)]
#[command(after_long_help = ENGINE_FILES, after_help = "--help explains engine files.")]
pub struct MatchSettings {
    /// Engine file or program of player A [default: this program]
    #[arg(long, value_name = "FILE")]
    pub a: Option<PathBuf>,
    /// Engine file or program of player B [default: this program]
    #[arg(long, value_name = "FILE", conflicts_with = "opponent")]
    pub b: Option<PathBuf>,
    /// Built-in opponent in place of player B; the perfect ones need --tablebase
    #[arg(long, value_name = "STYLE")]
    pub opponent: Option<BuiltinStyle>,
    /// Games to play; two in a row share an opening with colours exchanged
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = number(1..=u32::MAX))]
    pub games: u32,
    /// Limits of each move: movetime, nodes, depth, or wtime, btime, winc, binc, movestogo
    #[arg(long, value_name = "LIMITS", default_value = "movetime 100")]
    pub go: String,
    /// Openings: recorded games, or a list of moves with one game a line, which may begin with fen TEXT;
    /// startpos for the initial position alone, - for standard input [default: those built in for the rules]
    #[arg(long, value_name = "FILE")]
    pub openings: Option<PathBuf>,
    /// Games played at a time, from 1 to 512
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = number::<u32>(1..=512))]
    pub concurrency: u32,
    /// Stop when a sequential test between two Elo differences is decided
    #[arg(long, value_name = "ELO0,ELO1", value_parser = parse_sprt, allow_hyphen_values = true)]
    pub sprt: Option<(f64, f64)>,
    /// Probability that the test accepts a change without effect, from 0.0001 to below 0.5
    #[arg(long, value_name = "P", requires = "sprt", default_value_t = 0.05)]
    #[arg(value_parser = parse_probability)]
    pub alpha: f64,
    /// Probability that the test rejects a change that gains, from 0.0001 to below 0.5
    #[arg(long, value_name = "P", requires = "sprt", default_value_t = 0.05)]
    #[arg(value_parser = parse_probability)]
    pub beta: f64,
    /// Keep finished games in this file, and continue after those that it holds
    #[arg(long, value_name = "FILE")]
    pub resume: Option<PathBuf>,
    /// Rules of all games.
    #[command(flatten)]
    pub rules: Rules,
    /// Seconds without an answer, 0.01 to 86400, after which an engine counts as hung. For a move they begin
    /// when its time is over, or with nodes or depth alone at once
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = parse_seconds)]
    pub timeout: Duration,
    /// Milliseconds after the time limit at which a move counts as late; with a clock, of all moves together
    #[arg(long, value_name = "MS", default_value_t = MARGIN.as_millis() as u64)]
    #[arg(value_parser = number(0..=u64::MAX))]
    pub margin: u64,
    /// Seed of the order of the openings and of the choices of built-in opponents
    #[arg(long, value_name = "N", default_value_t = 1)]
    #[arg(value_parser = number(0..=u64::MAX))]
    pub seed: u64,
    /// Write the games to this file when the match ends, after an error or, on Unix, a signal too
    #[arg(long, value_name = "FILE")]
    pub records: Option<PathBuf>,
    /// Folder of tablebase files that show which moves of A lost value; a perfect opponent needs them; may be
    /// given several times
    #[arg(long = "tablebase", alias = "tables", value_name = "FOLDER")]
    pub tablebases: Vec<PathBuf>,
    /// End a game as soon as all men are placed and the tablebase (default: the built-in one) shows a win.
    /// It goes on if the draw by move count is known to come before the win. Without --tablebase the built-in
    /// one also shows which moves of A lost value, but only in positions that it knows
    #[arg(long)]
    pub adjudicate: bool,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}

/// The settings of `millstone match` without arguments.
impl Default for MatchSettings {
    fn default() -> Self {
        defaults()
    }
}

/// Reads the two Elo differences of a sequential test, as `0,5`.
fn parse_sprt(text: &str) -> Result<(f64, f64), ToolError> {
    match pair(text, ',') {
        Some((low, high)) if low < high && f64::abs(low) <= 1_000.0 && f64::abs(high) <= 1_000.0 => {
            Ok((low, high))
        }
        _ => Err(expected("two Elo differences from -1000 to 1000 such as 0,5, the smaller one first")),
    }
}

/// Reads the probability of an error.
fn parse_probability(text: &str) -> Result<f64, ToolError> {
    text.parse()
        .ok()
        .filter(|p| (0.000_1..0.5).contains(p))
        .ok_or_else(|| expected("a probability from 0.0001 to below 0.5"))
}

/// Reads a timeout.
fn parse_seconds(text: &str) -> Result<Duration, ToolError> {
    let seconds = text.parse().ok().filter(|s| (0.01..=86_400.0).contains(s));
    seconds.map(Duration::from_secs_f64).ok_or_else(|| expected("seconds from 0.01 to 86400"))
}
