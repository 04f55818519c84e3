//! The values of the options.

use super::PROTOCOLS;
use super::table::MAX_ELO;
use crate::limits::{Algorithm, MAX_SKILL, TABLE_DEPTH};
use crate::params::search::MAX_QUIESCENCE;
use crate::rules::Rules;
use crate::style::Style;
use crate::types::Depth;
use std::time::Duration;

/// The value of every option that acts.
#[derive(Clone, PartialEq, Debug)]
pub struct Values {
    /// Threads that search.
    pub threads: usize,
    /// Size of the transposition table in MiB.
    pub hash: usize,
    /// Whether the client may ponder.
    pub ponder: bool,
    /// Lines to report.
    pub multi_pv: usize,
    /// Time kept back per move, for clocks.
    pub move_overhead: Duration,
    /// Share of the clock to use, per cent.
    pub slow_mover: u32,
    /// Nodes per millisecond in place of the clock; 0 for real time.
    pub nodes_time: u64,
    /// Time for a `go` without limits; zero for none.
    pub move_time: Duration,
    /// Strength, 0 to [`MAX_SKILL`].
    pub skill: u32,
    /// Whether [`Values::elo`] takes the place of the level.
    pub limit_strength: bool,
    /// Strength to play with, on the scale of [`ELO`](crate::levels::ELO).
    pub elo: i32,
    /// Which search.
    pub algorithm: Algorithm,
    /// Whether a search limited by depth goes through all depths below it.
    pub deepening: bool,
    /// Whether a depth that options set is exceeded where the score falls.
    pub depth_extension: bool,
    /// Plies of removals and mills searched beyond the depth.
    pub max_quiescence: u32,
    /// Search little when two men ahead.
    pub lazy: bool,
    /// Search no deeper in the placing phase than people do.
    pub human_experience: bool,
    /// Depth by phase and men rather than by the level.
    pub developer: bool,
    /// What the evaluation looks at.
    pub style: Style,
    /// How much less than nothing a draw is worth, in hundredths of a man.
    pub contempt: i32,
    /// Whether to say that a game is lost.
    pub resign_advice: bool,
    /// Whether equal moves come in random order.
    pub shuffling: bool,
    /// What fixes that order; `None` for a fresh one each time.
    pub seed: Option<u64>,
    /// Whether results of searches are kept and used.
    pub learn: bool,
    /// The file for them; empty for none.
    pub experience_file: String,
    /// Analysis: no weakening and no early end.
    pub analysis: bool,
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
    /// Least remaining depth at which the search waits for a table block.
    pub table_depth: Depth,
    /// Whether tables are asked while placing.
    pub table_placing: bool,
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
            ponder: false,
            multi_pv: 1,
            move_overhead: Duration::from_millis(10),
            slow_mover: 100,
            nodes_time: 0,
            move_time: Duration::from_millis(1000),
            skill: MAX_SKILL,
            limit_strength: false,
            elo: MAX_ELO as i32,
            algorithm: Algorithm::default(),
            deepening: true,
            depth_extension: true,
            max_quiescence: MAX_QUIESCENCE,
            lazy: false,
            human_experience: false,
            developer: false,
            style: Style::default(),
            contempt: 0,
            resign_advice: false,
            shuffling: true,
            seed: None,
            learn: false,
            experience_file: String::new(),
            analysis: false,
            show_wdl: false,
            log_file: String::new(),
            protocol: PROTOCOLS[0],
            strict: false,
            table_path: String::new(),
            table_embedded: true,
            table_cache: 64,
            table_depth: TABLE_DEPTH,
            table_placing: true,
            trap_awareness: false,
            malom: false,
            malom_path: String::new(),
            rules: Rules::NINE,
        }
    }
}
