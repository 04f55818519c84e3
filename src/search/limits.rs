//! The input of a search besides the position: limits and settings.

use super::style::PlayStyle;
use crate::evaluate::EvalNetwork;
use crate::platform::clock::Instant;
use crate::types::{Depth, Move, Value};
use std::time::Duration;

/// The limits of a search. A limit that is not set does not restrict it.
#[derive(Clone, PartialEq, Debug, Default, serde::Serialize, serde::Deserialize)]
#[serde(default)]
pub struct Limits {
    /// The root moves to search; empty means all.
    pub searchmoves: Vec<Move>,
    /// The depth of the last iteration, in plies.
    pub depth: Option<Depth>,
    /// The number of nodes of all threads together.
    pub nodes: Option<u64>,
    /// The number of its turns within which the side to move wants to win; `None` for no such limit.
    pub mate: Option<u32>,
    /// The time to use.
    pub movetime: Option<Duration>,
    /// True for a `go` without limits: `movetime` is the longest time then.
    ///
    /// A search whose depth the settings limit ends when it has reached that depth.
    pub may_end_early: bool,
    /// The time left on the clock of the side to move.
    pub time: Option<Duration>,
    /// The increment of the side to move per turn.
    pub increment: Duration,
    /// The number of turns until the next time control.
    pub movestogo: Option<u32>,
    /// True if the best move comes after `stop`, even if another limit has ended the search before.
    pub infinite: bool,
    /// True if `infinite` is play, not analysis: some dialects end every move of a game with `stop`.
    pub until_stop: bool,
    /// True if the result depends on position, limits and settings alone.
    ///
    /// Then one thread searches, the seed is fixed, and neither a clock nor the free memory decides anything.
    /// The content that earlier searches left in the transposition table counts as a setting.
    pub reproducible: bool,
    /// True if the search is analysis, not play; implied by `mate`, and by `infinite` without `until_stop`.
    pub analysis: bool,
    /// The time from which the limits count; `None` for the start of the search.
    #[serde(skip)]
    pub began: Option<Instant>,
    /// True for a search on the opponent's time.
    ///
    /// The limits count from `ponderhit`, and the best move comes after it.
    pub ponder: bool,
}

impl Limits {
    /// Returns true if depth, nodes or time end the search. `mate` alone may never do so.
    pub(crate) fn is_bounded(&self) -> bool {
        // No clock ends a reproducible search.
        let is_timed = !self.reproducible && (self.movetime.is_some() || self.time.is_some());
        self.depth.is_some() || self.nodes.is_some() || is_timed
    }

    /// Returns true if these limits ask for analysis.
    pub(crate) fn is_analysis(&self) -> bool {
        self.infinite && !self.until_stop || self.analysis || self.mate.is_some()
    }
}

/// The meaning of the skill levels below full strength.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, serde::Serialize, serde::Deserialize)]
pub enum LevelScale {
    /// Measured strengths: a depth, and a choice among the best moves.
    #[default]
    Measured,
    /// The best move of a search to a depth by phase and level; only where the client sets no limits.
    Depths,
}

/// The settings of a search: values of engine options.
#[derive(Clone, PartialEq, Debug)]
pub struct SearchSettings {
    /// The algorithm.
    pub algorithm: Algorithm,
    /// The number of lines to report.
    pub multi_pv: usize,
    /// The skill level, from 0 to [`MAX_SKILL`].
    pub skill: u32,
    /// The meaning of the levels below full strength.
    pub level_scale: LevelScale,
    /// True if a search to a fixed depth begins with iteration 1.
    pub deepening: bool,
    /// True if a depth that settings limit is extended when the score falls.
    pub depth_extension: bool,
    /// The most plies of the quiescence search.
    pub max_quiescence: u32,
    /// True if the depth is limited to `style_lazy_depth` while `style_lazy_men` men ahead.
    ///
    /// By default these are 4 plies and 2 men.
    pub lazy: bool,
    /// True if the depth in the placing phase is limited to about that of people.
    pub human_experience: bool,
    /// True if the depth is limited by phase and number of men instead of by skill level.
    pub developer: bool,
    /// The network that evaluates.
    pub network: EvalNetwork,
    /// The playing style.
    pub style: PlayStyle,
    /// The contempt: minus the value of a draw for the side that searches, in hundredths of a man.
    pub contempt: Value,
    /// True if the search advises to resign lost games.
    pub resign_advice: bool,
    /// True if the engine plays from a certificate that it never loses.
    pub never_lose: bool,
    /// True if equal moves are searched in random order.
    pub shuffling: bool,
    /// The seed of the random order; `None` for a new one per search.
    pub seed: Option<u64>,
    /// True if every search is analysis: no weakening, no early stop on a single legal move.
    pub analysis: bool,
    /// The time reserved per move for communication.
    pub move_overhead: Duration,
    /// The share of the usual time per move, in per cent.
    pub slow_mover: u32,
    /// The number of nodes that count as a millisecond; 0 for the real clock.
    pub nodes_time: u64,
    /// True if the client lets the engine ponder; then each move gets more time.
    pub ponder: bool,
    /// The least remaining depth at which the search reads tablebase blocks that are not in memory.
    pub tablebase_depth: Depth,
    /// True if the tablebase is probed in the placing phase too.
    pub tablebase_placing: bool,
}

impl SearchSettings {
    /// The defaults, also those of the options.
    pub(crate) const DEFAULT: Self = Self {
        algorithm: Algorithm::Mtdf,
        multi_pv: 1,
        skill: MAX_SKILL,
        level_scale: LevelScale::Measured,
        deepening: true,
        depth_extension: true,
        max_quiescence: 4,
        lazy: false,
        human_experience: false,
        developer: false,
        network: EvalNetwork::BUILT_IN,
        style: PlayStyle::DEFAULT,
        contempt: 0,
        resign_advice: false,
        never_lose: true,
        shuffling: true,
        seed: None,
        analysis: false,
        move_overhead: Duration::from_millis(10),
        slow_mover: 100,
        nodes_time: 0,
        ponder: false,
        tablebase_depth: 5,
        tablebase_placing: true,
    };

    /// Returns true if the search is analysis: without weakening, style or contempt.
    pub fn is_analysis(&self, limits: &Limits) -> bool {
        self.analysis || limits.is_analysis()
    }
}

impl Default for SearchSettings {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// The deepest iteration.
pub(crate) const MAX_DEPTH: Depth = 200;

/// Full strength.
pub const MAX_SKILL: u32 = 30;

/// The search algorithms, in the order of their numbers in the protocol.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, serde::Serialize, serde::Deserialize)]
pub enum Algorithm {
    /// Alpha-beta with the full window for every move.
    AlphaBeta,
    /// Principal variation search.
    Pvs,
    /// MTD(f): zero-window searches that converge on the value.
    #[default]
    Mtdf,
    /// Monte-Carlo tree search.
    Mcts,
    /// No search: a random legal move.
    Random,
}

impl Algorithm {
    /// All algorithms, in the order of their numbers.
    pub const ALL: [Self; 5] = [Self::AlphaBeta, Self::Pvs, Self::Mtdf, Self::Mcts, Self::Random];
}
