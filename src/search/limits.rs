//! What a search is asked: its limits and how it is to play.

use crate::params::search::MAX_QUIESCENCE;
use crate::search::style::PlayStyle;
use crate::types::{Color, Depth, Move, VALUE_DRAW, Value};
use std::time::Duration;

/// What ends a search; a limit that is not given does not restrict it.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// Search only these root moves; empty means all.
    pub searchmoves: Vec<Move>,
    /// Deepest iteration.
    pub depth: Option<Depth>,
    /// Nodes of all threads together.
    pub nodes: Option<u64>,
    /// Look for a win in at most this many turns.
    pub mate: Option<u32>,
    /// Use this much time.
    pub movetime: Option<Duration>,
    /// Whether it may be less where options limit the depth.
    pub may_end_early: bool,
    /// Time left on the clock of the side to move.
    pub time: Option<Duration>,
    /// Increment of the side to move for each of its turns.
    pub increment: Duration,
    /// Turns until the next time control.
    pub movestogo: Option<u32>,
    /// No limit: the best move is held back until `stop`.
    pub infinite: bool,
    /// To say what the moves are worth rather than to choose one, as `infinite` is too.
    pub analysis: bool,
    /// The opponent's time is running: limits count from `ponderhit` on, the best move is held back until then.
    pub ponder: bool,
}

/// How the search plays, apart from its limits: the values of engine options.
#[derive(Clone, PartialEq, Debug)]
pub struct SearchSettings {
    /// Which search.
    pub algorithm: Algorithm,
    /// Lines to report.
    pub multi_pv: usize,
    /// Strength 0 to 30; 30 is full strength.
    pub skill: u32,
    /// Whether a search of limited depth goes through all depths below it.
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
    pub style: PlayStyle,
    /// How much less than nothing a draw is worth to the side that searches, in hundredths of a man.
    pub contempt: Value,
    /// Whether to say that a game is lost.
    pub resign_advice: bool,
    /// Whether equal moves come in random order.
    pub shuffling: bool,
    /// Fixes the random order; `None` takes a fresh one for each search.
    pub seed: Option<u64>,
    /// Analysis: no weakening, no early stop on a single legal move.
    pub analysis: bool,
    /// Time kept back per move, for clocks.
    pub move_overhead: Duration,
    /// Share of the clock used, per cent.
    pub slow_mover: u32,
    /// Nodes per millisecond in place of the clock; 0 for real time.
    pub nodes_time: u64,
    /// Whether the opponent's time is used too, so that some of the own can be spent more freely.
    pub ponder: bool,
    /// Least remaining depth at which the search waits for a table block that is not in memory.
    pub table_depth: Depth,
    /// Whether the search asks the tables while placing.
    pub table_placing: bool,
}

/// What makes a search value positions otherwise than they are worth. What one bias has found says nothing to another.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Bias {
    /// What the evaluation looks at.
    pub style: PlayStyle,
    /// What a draw is worth to White, in hundredths of a man.
    pub draw: Value,
}

impl SearchSettings {
    /// Whether the search is to say what a position is worth rather than to play: nothing weakens or sways it then.
    pub fn is_analysis(&self, limits: &Limits) -> bool {
        self.analysis || limits.infinite || limits.analysis || limits.mate.is_some()
    }

    /// What sways the values of a search by this side.
    pub fn bias(&self, limits: &Limits, us: Color) -> Bias {
        if self.is_analysis(limits) {
            return Bias::default();
        }
        let contempt = if us == Color::White { self.contempt } else { -self.contempt };
        Bias { style: self.style, draw: VALUE_DRAW - contempt }
    }
}

impl Default for SearchSettings {
    fn default() -> Self {
        Self {
            algorithm: Algorithm::default(),
            multi_pv: 1,
            skill: MAX_SKILL,
            deepening: true,
            depth_extension: true,
            max_quiescence: MAX_QUIESCENCE,
            lazy: false,
            human_experience: false,
            developer: false,
            style: PlayStyle::default(),
            contempt: 0,
            resign_advice: false,
            shuffling: true,
            seed: None,
            analysis: false,
            move_overhead: Duration::from_millis(10),
            slow_mover: 100,
            nodes_time: 0,
            ponder: false,
            table_depth: TABLE_DEPTH,
            table_placing: true,
        }
    }
}

/// The default of [`SearchSettings::table_depth`].
pub const TABLE_DEPTH: Depth = 5;

/// Full strength.
pub const MAX_SKILL: u32 = 30;

/// The searches that can be chosen, numbered as in the protocol.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Algorithm {
    /// Plain alpha-beta: every move with the full window, pruned and reduced as the others are.
    AlphaBeta,
    /// Principal variation search.
    Pvs,
    /// MTD(f): zero-window searches that close in on the value.
    #[default]
    Mtdf,
    /// Monte-Carlo tree search.
    Mcts,
    /// No search: any legal move.
    Random,
}

impl Algorithm {
    /// All of them, in the order of their numbers.
    pub const ALL: [Self; 5] = [Self::AlphaBeta, Self::Pvs, Self::Mtdf, Self::Mcts, Self::Random];
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_searches_decides_what_contempt_makes_of_a_draw_unless_it_is_analysis() {
        let settings = SearchSettings { contempt: 40, ..SearchSettings::default() };
        let play = Limits::default();
        assert_eq!(settings.bias(&play, Color::White).draw, -40);
        assert_eq!(settings.bias(&play, Color::Black).draw, 40);
        for analysis in
            [Limits { infinite: true, ..Limits::default() }, Limits { analysis: true, ..Limits::default() }]
        {
            assert_eq!(settings.bias(&analysis, Color::White), Bias::default());
        }
    }
}
