//! The tunable numbers of evaluation, search and time management, each with value, range and step. Uses
//! no other module.
//!
//! Every entry of the table is a function without arguments. In a normal build it is `const` and returns the
//! value of the table. With the cargo feature `tune` it reads an atomic, `setoption name <entry> value <n>`
//! sets it, and `millstone tune --spsa` tunes it; the step is the size of the last perturbation there.

#[cfg(feature = "tune")]
use std::sync::atomic::{AtomicI32, Ordering};

/// An entry of the table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Param {
    /// The name of the function and of the option.
    pub name: &'static str,
    /// The value in normal builds.
    pub default: i32,
    /// The smallest value.
    pub min: i32,
    /// The largest value.
    pub max: i32,
    /// The change that a tuner tries at the end of a run.
    pub step: i32,
}

/// Values of parameters that are set by name, such as those of options.
#[cfg(feature = "tune")]
pub(crate) trait ParamStore {
    /// Records the value of a parameter.
    fn set_param(&mut self, name: &'static str, value: i32);
}

/// Declares parameters: documentation, `name = default, min, max, step;`.
macro_rules! params {
    ($(
        $(#[doc = $doc:literal])+
        $name:ident = $default:literal, $min:literal, $max:literal, $step:literal;
    )+) => {
        $(
            $(#[doc = $doc])+
            #[cfg(not(feature = "tune"))]
            #[inline(always)]
            pub(crate) const fn $name() -> i32 {
                $default
            }

            $(#[doc = $doc])+
            #[cfg(feature = "tune")]
            #[inline(always)]
            pub(crate) fn $name() -> i32 {
                values::$name.load(Ordering::Relaxed)
            }
        )+

        /// All parameters.
        pub(crate) const PARAMS: &[Param] = &[$(
            Param { name: stringify!($name), default: $default, min: $min, max: $max, step: $step }
        ),+];

        /// The current values.
        #[cfg(feature = "tune")]
        #[allow(non_upper_case_globals)]
        mod values {
            use std::sync::atomic::AtomicI32;

            $(pub(super) static $name: AtomicI32 = AtomicI32::new($default);)+
        }

        /// The current values in the order of [`PARAMS`].
        #[cfg(feature = "tune")]
        static VALUES: [&AtomicI32; PARAMS.len()] = [$(&values::$name),+];

        /// Returns a setter for each of [`PARAMS`], for the list of options, which holds function pointers.
        #[cfg(feature = "tune")]
        pub(crate) fn setters<S: ParamStore>() -> [fn(&mut S, i64); PARAMS.len()] {
            [$({
                fn set<S: ParamStore>(store: &mut S, value: i64) {
                    store.set_param(stringify!($name), value as i32);
                }
                set::<S> as fn(&mut S, i64)
            }),+]
        }
    };
}

params! {
    // Evaluation, added to the output of a network, in hundredths of a man.

    /// A take due, of a man of the opponent.
    eval_take_due = 90, 0, 200, 8;
    /// A take that a side has to make among its own men.
    eval_own_take_due = -95, -200, 0, 8;

    // Search: windows.

    /// Half-width of the first aspiration window, in hundredths of a man.
    aspiration_delta = 18, 4, 100, 4;
    /// The first iteration with an aspiration window.
    aspiration_depth = 5, 2, 12, 1;
    /// Factor by which the window grows after a fail.
    aspiration_growth = 3, 2, 8, 1;
    /// The half-width beyond which the window is opened fully.
    aspiration_max = 1_000, 100, 4_000, 100;

    // Search: pruning and reductions. Depths are remaining plies, margins hundredths of a man.

    /// The largest depth of reverse futility pruning.
    reverse_futility_depth = 4, 0, 12, 1;
    /// The margin of reverse futility pruning per ply.
    reverse_futility_margin = 35, 10, 200, 8;
    /// The largest depth of futility pruning.
    futility_depth = 3, 0, 12, 1;
    /// The margin of futility pruning per ply.
    futility_margin = 80, 10, 300, 10;
    /// The largest depth of late move pruning.
    late_move_depth = 4, 0, 12, 1;
    /// Moves tried before late move pruning, besides the square of the depth.
    late_move_count = 4, 1, 20, 1;
    /// The least depth of late move reductions.
    reduction_depth = 3, 2, 12, 1;
    /// Moves searched without reduction.
    reduction_after = 3, 1, 20, 1;
    /// The divisor of the reduction log2(depth) * log2(number), each in 1/16; 800 gives about ln * ln / 1.5.
    reduction_divisor = 800, 200, 4_000, 60;
    /// The least depth of internal iterative reduction.
    internal_reduction_depth = 5, 2, 16, 1;
    /// The margin of a mill in quiescence: if it is not enough to reach alpha, no mill is tried.
    quiescence_margin = 220, 50, 600, 20;

    // Search: keys and extensions.

    /// The most men on the board for which symmetric positions share a tt entry while placing.
    symmetric_men = 5, 0, 10, 1;
    /// The move counter is part of the tt key if at most this many moves are left before it draws the game.
    counted_moves = 32, 4, 100, 4;
    /// The search looks for a take that keeps a win if at most this many moves are left before the move
    /// counter draws the game.
    take_horizon = 40, 4, 100, 4;
    /// Iterations beyond a depth that options set, if the score drops.
    extension_max = 2, 0, 8, 1;
    /// Plies by which a thread that votes may be behind the first one; helper threads skip some depths.
    vote_lag = 2, 0, 10, 1;
    /// Added to the score in the weight of a vote, in hundredths of a man.
    vote_base = 20, 1, 200, 6;

    // History. Scores are units of history.

    /// Bound of the history scores.
    history_max = 8_192, 2_048, 16_384, 512;
    /// The bonus for a cutoff per square of the depth.
    history_bonus = 32, 4, 200, 4;
    /// The largest bonus for one cutoff.
    history_bonus_max = 1_600, 200, 4_000, 150;
    /// The divisor of all history scores at the start of a search.
    history_fade = 2, 1, 16, 1;

    // Move picker: what each property adds to the score of a move, in units of history. The sum has to fit 16
    // bits.

    /// Closes a mill; per line, at most two.
    order_closes_mill = 14_000, 4_000, 15_000, 500;
    /// Goes where the opponent could close a mill.
    order_stops_mill = 6_500, 0, 15_000, 500;
    /// Goes next to marked points, for each of them.
    order_near_mark = 100, -500, 500, 30;
    /// Places on the midpoint of a side between an own and an opposing man.
    order_shared_line = 60, -500, 500, 30;
    /// Leaves a mill that the man can close again with its next move.
    order_leaves_mill = 400, -1_000, 2_000, 80;
    /// Takes a man next to an own man, per own man.
    order_take_near_own = 150, -500, 1_000, 40;
    /// Takes a man that can slide, per empty neighbour.
    order_take_mobile = 120, -500, 1_000, 40;
    /// Takes a man and so opens a row of three neighbours to the opponent.
    order_take_opens_row = -200, -1_000, 500, 40;
    /// Takes a man without an own man next to it.
    order_take_far = -120, -1_000, 500, 40;
    /// Takes a man of a line that the opponent could fill, per line.
    order_take_breaks_line = 1_500, 0, 4_000, 120;

    // Transposition table.

    /// Plies by which a new result may be shallower than the stored one of the same position and still
    /// replace it.
    tt_depth_margin = 3, 0, 12, 1;
    /// Plies that each search of age counts for in the choice of the entry to replace.
    tt_age_weight = 8, 1, 32, 2;

    // Monte-Carlo tree search.

    /// Evaluation, in hundredths of a man, with the reward tanh(1).
    mcts_scale = 250, 50, 1_000, 25;
    /// Weight of exploration, in hundredths.
    mcts_exploration = 30, 1, 200, 4;
    /// Weight of the minimax value beside the mean of all samples, in hundredths.
    mcts_minimax = 50, 0, 100, 5;
    /// Difference in reward that makes a prior e times smaller, in hundredths.
    mcts_prior_scale = 15, 1, 100, 2;
    /// The largest random addition to a prior at the root with `Shuffling`, in hundredths of the prior.
    mcts_noise = 10, 1, 100, 2;
    /// The number of visits after which a position is worth waiting for a tablebase block.
    mcts_probe_visits = 8, 1, 128, 4;

    // Time management. Shares in per cent.

    /// Turns that a game is expected to last without `movestogo`.
    time_turns = 32, 10, 80, 3;
    /// The most turns of `movestogo` that count, as a multiple of `time_turns`.
    time_turns_factor = 2, 1, 6, 1;
    /// Divisor of the even share of the clock that a turn gets at least, however large the overhead is.
    time_share_divisor = 2, 1, 8, 1;
    /// Divisor of the time for a turn when only its take is left.
    time_take_divisor = 3, 1, 10, 1;
    /// Share of the usual time per turn when pondering.
    time_ponder = 125, 100, 200, 5;
    /// The largest share of the clock that the optimum may use.
    time_optimum_max = 70, 20, 75, 4;
    /// The largest share of the clock that one turn may use, unless its optimum is larger.
    time_maximum = 40, 10, 80, 4;
    /// The same for the last turn before a time control.
    time_maximum_last = 80, 20, 95, 4;
    /// The maximum as a multiple of the optimum.
    time_maximum_factor = 4, 1, 10, 1;
    /// Share of the optimum while the best move has just changed.
    time_unsure = 160, 80, 300, 10;
    /// Share of the optimum for a move that has been the best for many iterations.
    time_sure = 50, 10, 120, 5;
    /// Subtracted from the share per iteration with the same best move.
    time_steady = 14, 1, 60, 3;
    /// The drop of the score, in hundredths of a man, that counts as clear.
    time_fall = 30, 5, 200, 5;
    /// The largest addition to the share for a dropping score.
    time_fall_max = 60, 0, 200, 6;

    // Playing styles. Values are hundredths of a man, depths remaining plies.

    /// The value of a slide, which the evaluation leaves out if `ConsiderMobility` is off.
    style_mobility = 5, 0, 30, 1;
    /// The value of a man, which the evaluation leaves out with `FocusOnBlockingPaths`.
    style_man = 100, 50, 200, 5;
    /// The value of a blocked man, which the evaluation adds with `FocusOnBlockingPaths`.
    style_blocked = 40, 0, 200, 5;
    /// The depth with `AiIsLazy` for a side that is far ahead.
    style_lazy_depth = 4, 1, 20, 1;
    /// The number of men ahead that counts as far ahead.
    style_lazy_men = 2, 1, 6, 1;
    /// The depth with `DeveloperMode` while moving.
    style_developer_depth = 10, 2, 30, 1;
    /// The same if a side can fly, since it then has many moves.
    style_developer_flying_depth = 7, 2, 30, 1;
    /// `ResignIfMostLose` advises to resign at this score or below.
    style_resign = -600, -2_000, -100, 40;
}

/// Returns the parameter with this name, in any letter case.
pub(crate) fn find(name: &str) -> Option<&'static Param> {
    PARAMS.iter().find(|param| param.name.eq_ignore_ascii_case(name))
}

/// Sets all parameters; `values` are in the order of [`PARAMS`].
#[cfg(feature = "tune")]
pub(crate) fn set_all(values: &[i32]) {
    for (param, &value) in VALUES.iter().zip(values) {
        param.store(value, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_default_lies_in_its_range_and_every_name_is_unique() {
        for param in PARAMS {
            assert!((param.min..=param.max).contains(&param.default), "{}", param.name);
            assert!((1..=param.max - param.min).contains(&param.step), "{}", param.name);
            assert_eq!(find(&param.name.to_uppercase()), Some(param));
        }
        assert_eq!(find("no_such_parameter"), None);
    }
}
