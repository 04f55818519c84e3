//! The settings of a match.

use super::builtin::BuiltinStyle;
use super::limits::MARGIN;
use crate::rules::Rules;
use std::path::PathBuf;
use std::time::Duration;

/// The settings of a match.
#[derive(Clone, PartialEq, Debug)]
pub struct MatchSettings {
    /// Engine file or program of player A; `None` for this program.
    pub a: Option<PathBuf>,
    /// Engine file or program of player B; `None` for this program.
    pub b: Option<PathBuf>,
    /// Built-in opponent in place of player B.
    pub opponent: Option<BuiltinStyle>,
    /// The number of games; two in a row share an opening with colours exchanged.
    pub games: u32,
    /// Limits of each search as words of `go`, used where an engine file has none.
    pub go: String,
    /// File with openings, or `startpos`; `None` uses those built in for the rules.
    pub openings: Option<PathBuf>,
    /// Games played at the same time.
    pub concurrency: u32,
    /// Elo differences of the two hypotheses of a sequential test that ends the match.
    pub sprt: Option<(f64, f64)>,
    /// Chance that the test accepts a change without effect.
    pub alpha: f64,
    /// Chance that the test rejects a change that works.
    pub beta: f64,
    /// File that keeps finished games, and from which an earlier run is continued.
    pub resume: Option<PathBuf>,
    /// Rules of all games.
    pub rules: Rules,
    /// The time beyond its limit, or without one from the question, after which an engine counts as hung.
    pub timeout: Duration,
    /// The time beyond its limit after which a reply is late.
    pub margin: Duration,
    /// Seed of the order of the openings and of the built-in opponents.
    pub seed: u64,
    /// File for the games, written at the end of the match.
    pub records: Option<PathBuf>,
    /// Tablebase folders that judge the moves of A and serve a perfect opponent.
    pub tablebases: Vec<PathBuf>,
    /// True to end a game in the moving phase that a tablebase holds as won.
    ///
    /// It is the built-in one without `tablebases`.
    pub adjudicate: bool,
    /// True if the report is JSON.
    pub json: bool,
}

/// The settings of `millstone match` without arguments.
impl Default for MatchSettings {
    fn default() -> Self {
        Self {
            a: None,
            b: None,
            opponent: None,
            games: 100,
            go: "movetime 100".to_owned(),
            openings: None,
            concurrency: 1,
            sprt: None,
            alpha: 0.05,
            beta: 0.05,
            resume: None,
            rules: Rules::NINE,
            timeout: Duration::from_secs(10),
            margin: MARGIN,
            seed: 1,
            records: None,
            tablebases: Vec::new(),
            adjudicate: false,
            json: false,
        }
    }
}
