//! The values of the options.

use super::PROTOCOLS;
use super::table::MAX_ELO;
use crate::rules::Rules;
use crate::search::limits::SearchSettings;
use std::time::Duration;

/// The value of every option that acts.
#[derive(Clone, PartialEq, Debug)]
pub struct Values {
    /// Threads that search.
    pub threads: usize,
    /// Size of the transposition table in MiB.
    pub hash: usize,
    /// How searches play.
    pub play: SearchSettings,
    /// Time for a `go` without limits; zero for none.
    pub move_time: Duration,
    /// Whether [`Values::elo`] takes the place of [`SearchSettings::skill`].
    pub limit_strength: bool,
    /// Strength to play with, on the scale of [`ELO`](crate::search::levels::ELO).
    pub elo: i32,
    /// Whether results of searches are kept and used.
    pub learn: bool,
    /// The file for them; empty for none.
    pub experience_file: String,
    /// Whether scores come with win, draw and loss rates.
    pub show_wdl: bool,
    /// File to which the talk is copied; empty for none.
    pub log_file: String,
    /// Form of the output, a name of [`PROTOCOLS`].
    pub protocol: &'static str,
    /// Whether faults are reported in the strict form of the tgf dialect.
    pub strict: bool,
    /// Folders with tables of perfect play, separated as in the system's `PATH`.
    pub table_path: String,
    /// Whether the tables built into the program are used.
    pub table_embedded: bool,
    /// Memory for decoded blocks of tables, in MiB.
    pub table_cache: usize,
    /// Whether `analyze` names the moves to beware of.
    pub trap_awareness: bool,
    /// Whether files of the Malom database are used.
    pub malom: bool,
    /// Their folder.
    pub malom_path: String,
    /// The rules.
    pub rules: Rules,
}

impl Default for Values {
    fn default() -> Self {
        Self {
            threads: 1,
            hash: 16,
            play: SearchSettings::default(),
            move_time: Duration::from_millis(1000),
            limit_strength: false,
            elo: MAX_ELO as i32,
            learn: false,
            experience_file: String::new(),
            show_wdl: false,
            log_file: String::new(),
            protocol: PROTOCOLS[0],
            strict: false,
            table_path: String::new(),
            table_embedded: true,
            table_cache: 64,
            trap_awareness: false,
            malom: false,
            malom_path: String::new(),
            rules: Rules::NINE,
        }
    }
}
