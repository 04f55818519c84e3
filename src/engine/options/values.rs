//! The values of the options.

use crate::rules::{RepetitionProfile, Rules};
use crate::search::levels::ELO;
use crate::search::limits::{MAX_SKILL, SearchSettings};
use std::time::Duration;

/// The forms of output that the option `Protocol` chooses from.
pub const PROTOCOLS: [&str; 3] = ["standard", "sanmill7", "tgf"];

/// The name, the version and the licence of the program.
pub(super) const ABOUT: &str = concat!(
    "Millstone ",
    env!("CARGO_PKG_VERSION"),
    ", an engine for Mill (Nine Men's Morris) and its family. \
     Free software under the MIT licence or the Apache licence 2.0."
);

/// The smallest value of the option `UCI_Elo`.
pub(super) const MIN_ELO: i64 = ELO[0] as i64;
/// The largest value of the option `UCI_Elo`.
pub(super) const MAX_ELO: i64 = ELO[MAX_SKILL as usize] as i64;

/// The value of every option that has an effect.
#[derive(Clone, PartialEq, Debug)]
pub struct OptionValues {
    /// Search threads.
    pub threads: usize,
    /// The size of the transposition table in MiB.
    pub hash: usize,
    /// The settings of the search.
    pub play: SearchSettings,
    /// The time for a `go` without limits; zero for none.
    pub move_time: Duration,
    /// True if [`OptionValues::elo`] replaces [`SearchSettings::skill`].
    pub limit_strength: bool,
    /// The strength to play with, on the scale of `search::levels::ELO`.
    pub elo: i32,
    /// The network of the evaluation; empty for the built-in ones.
    pub eval_file: String,
    /// The certificate of never losing; empty for the built-in one.
    pub certificate_file: String,
    /// True if results of searches are learned and used.
    pub learn: bool,
    /// The experience file; empty for none.
    pub experience_file: String,
    /// True if scores come with win, draw and loss rates.
    pub show_wdl: bool,
    /// The log of all lines read and written; empty for none.
    pub log_file: String,
    /// The form of the output, a name of [`PROTOCOLS`].
    pub protocol: &'static str,
    /// True if faults are reported in the strict form of the tgf dialect.
    pub strict: bool,
    /// The positions that count for repetition.
    pub profile: RepetitionProfile,
    /// Tablebase folders, separated as in the system's `PATH`.
    pub tablebase_path: String,
    /// True if the built-in tablebase is used.
    pub tablebase_embedded: bool,
    /// Memory for decoded tablebase blocks, in MiB.
    pub tablebase_cache: usize,
    /// True if `analyze` names trap moves.
    pub trap_awareness: bool,
    /// True if the Malom database is used.
    pub malom: bool,
    /// The folder of the Malom database.
    pub malom_path: String,
    /// The rules.
    pub rules: Rules,
    /// True if the option `TwelveMensMorris` has chosen the game.
    pub twelve_men: bool,
    /// The tunable numbers, in the order of [`PARAMS`](crate::params::PARAMS).
    #[cfg(feature = "tune")]
    pub params: Vec<i32>,
}

/// The value of every option at start, from which the rows of the table take their defaults.
/// [`OptionValues::default`] adds the tunable numbers, which a constant cannot hold.
pub(super) const START: &OptionValues = &OptionValues {
    threads: 1,
    hash: 16,
    play: SearchSettings::DEFAULT,
    move_time: Duration::from_millis(1000),
    limit_strength: false,
    elo: MAX_ELO as i32,
    eval_file: String::new(),
    certificate_file: String::new(),
    learn: false,
    experience_file: String::new(),
    show_wdl: false,
    log_file: String::new(),
    protocol: PROTOCOLS[0],
    strict: false,
    profile: RepetitionProfile::AfterSlides,
    tablebase_path: String::new(),
    tablebase_embedded: true,
    tablebase_cache: 64,
    trap_awareness: false,
    malom: false,
    malom_path: String::new(),
    rules: Rules::NINE,
    twelve_men: false,
    #[cfg(feature = "tune")]
    params: Vec::new(),
};

// Clippy takes the base for the defaults of the fields.
#[allow(clippy::derivable_impls)]
impl Default for OptionValues {
    fn default() -> Self {
        Self {
            #[cfg(feature = "tune")]
            params: crate::params::PARAMS.iter().map(|param| param.default).collect(),
            ..START.clone()
        }
    }
}
