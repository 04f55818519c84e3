//! How much time a move may take: clock arithmetic without a clock.

use crate::search::limits::{Limits, SearchSettings};
use crate::types::{Move, Value};
use std::time::Duration;

/// Time for one move.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct TimeBudget {
    /// No new iteration begins after this; `None` where only `maximum` counts.
    pub optimum: Option<Duration>,
    /// The search is broken off here; `None` without a time limit.
    pub maximum: Option<Duration>,
}

/// Turns that a game is expected to go on when no number is given.
const EXPECTED_TURNS: u32 = 32;

impl TimeBudget {
    /// The time for the next move under these limits. `finishing` tells that only a removal is left of the turn.
    pub fn new(limits: &Limits, settings: &SearchSettings, finishing: bool) -> Self {
        if let Some(time) = limits.movetime {
            return Self { optimum: None, maximum: Some(time) };
        }
        let Some(time) = limits.time else { return Self::default() };
        // What can be spent without falling below the time kept back.
        let usable = time.saturating_sub(settings.move_overhead).max(Duration::from_micros(500));
        let turns = limits.movestogo.unwrap_or(EXPECTED_TURNS).clamp(1, 2 * EXPECTED_TURNS);
        // All the time until then: every turn brings an increment and loses the overhead.
        let all = time + limits.increment * (turns - 1);
        let share = (all.saturating_sub(settings.move_overhead * turns) / turns).max(usable / (2 * turns));
        let share = if finishing { share / 3 } else { share };
        // Part of the thinking is done on the opponent's time.
        let share = if settings.ponder { share * 5 / 4 } else { share };
        let optimum = (share * settings.slow_mover / 100).min(usable * 7 / 10);
        // The last turn before the control may use what is there; before that a long think has to leave enough.
        let most = if turns == 1 { usable * 8 / 10 } else { usable * 4 / 10 };
        Self { optimum: Some(optimum), maximum: Some((optimum * 4).min(most).max(optimum)) }
    }
}

/// How sure the search has become of its move: what tells whether the time of an [`TimeBudget`] is well spent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Trend {
    best: Move,
    /// Iterations since the best move changed.
    steady: u32,
    score: Value,
    /// How much the score fell with the latest iteration, in hundredths of a man.
    fall: Value,
}

impl Default for Trend {
    fn default() -> Self {
        Self { best: Move::NONE, steady: 0, score: 0, fall: 0 }
    }
}

impl Trend {
    /// Share of the optimum, per cent, while the best move has just changed.
    const UNSURE: u32 = 160;
    /// Least share, for a move that has been the best for long.
    const SURE: u32 = 50;
    /// What each iteration with the same best move takes off.
    const STEP: u32 = 14;
    /// A fall, in hundredths of a man, that is more than the usual up and down.
    const CLEARLY: Value = 30;
    /// Most that a falling score adds.
    const ALARM: u32 = 60;

    /// Notes the result of an iteration.
    pub fn update(&mut self, best: Move, score: Value) {
        self.steady = if best == self.best { self.steady + 1 } else { 0 };
        self.fall = if self.best.is_some() { (self.score - score).max(0) } else { 0 };
        (self.best, self.score) = (best, score);
    }

    /// Whether the latest iteration found the position to be clearly worse than it looked.
    pub fn is_falling(&self) -> bool {
        self.fall >= Self::CLEARLY
    }

    /// The share of the optimum that the search should take, per cent.
    pub fn share(&self) -> u32 {
        let calm = Self::UNSURE.saturating_sub(Self::STEP * self.steady).max(Self::SURE);
        calm + Self::ALARM.min(self.fall as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Square;

    fn clock(time: u64, increment: u64, movestogo: Option<u32>) -> TimeBudget {
        let limits = Limits {
            time: Some(Duration::from_millis(time)),
            increment: Duration::from_millis(increment),
            movestogo,
            ..Limits::default()
        };
        TimeBudget::new(&limits, &SearchSettings::default(), false)
    }

    #[test]
    fn movetime_is_used_in_full() {
        let limits = Limits { movetime: Some(Duration::from_millis(100)), ..Limits::default() };
        let budget = TimeBudget::new(&limits, &SearchSettings::default(), false);
        assert_eq!(budget, TimeBudget { optimum: None, maximum: Some(Duration::from_millis(100)) });
        assert_eq!(
            TimeBudget::new(&Limits::default(), &SearchSettings::default(), false),
            TimeBudget::default()
        );
    }

    #[test]
    fn no_time_budget_exceeds_the_clock() {
        for time in [0, 1, 5, 9, 10, 11, 20, 100, 1_000, 60_000, 10_000_000] {
            for increment in [0, 1, 100, 5_000] {
                for movestogo in [None, Some(0), Some(1), Some(2), Some(40), Some(1_000)] {
                    let TimeBudget { optimum, maximum } = clock(time, increment, movestogo);
                    let (optimum, maximum) = (optimum.unwrap(), maximum.unwrap());
                    let most = Duration::from_millis(time.saturating_sub(10)).max(Duration::from_micros(500));
                    assert!(
                        optimum <= maximum && maximum <= most,
                        "{time} {increment} {movestogo:?} {maximum:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn spending_every_maximum_without_increment_never_runs_out() {
        let mut left = 1_000_000;
        for _ in 0..300 {
            let limits = Limits { time: Some(Duration::from_micros(left)), ..Limits::default() };
            let spent = TimeBudget::new(&limits, &SearchSettings::default(), false).maximum.unwrap();
            // Half a millisecond once nothing but the overhead is left.
            left = left.saturating_sub(spent.as_micros() as u64).max(1);
        }
        assert!(left >= 1);
    }

    #[test]
    fn the_rest_of_a_turn_and_a_slower_mover_change_the_share() {
        let limits = Limits { time: Some(Duration::from_secs(60)), ..Limits::default() };
        let usual = TimeBudget::new(&limits, &SearchSettings::default(), false).optimum;
        assert!(TimeBudget::new(&limits, &SearchSettings::default(), true).optimum < usual);
        let slow = SearchSettings { slow_mover: 200, ..SearchSettings::default() };
        assert!(TimeBudget::new(&limits, &slow, false).optimum > usual);
        let pondering = SearchSettings { ponder: true, ..SearchSettings::default() };
        assert!(TimeBudget::new(&limits, &pondering, false).optimum > usual);
    }
    #[test]
    fn increments_add_time_and_overhead_takes_it_for_every_turn() {
        let optimum = |time, increment, movestogo| clock(time, increment, movestogo).optimum.unwrap();
        assert!(optimum(10_000, 1_000, None) > optimum(10_000, 0, None) + Duration::from_millis(900));
        // Forty turns in one second of which each loses ten milliseconds leave fifteen for each.
        assert_eq!(optimum(1_000, 0, Some(40)), Duration::from_millis(15));
        let lagging =
            SearchSettings { move_overhead: Duration::from_millis(500), ..SearchSettings::default() };
        let limits = Limits { time: Some(Duration::from_secs(1)), ..Limits::default() };
        let most = TimeBudget::new(&limits, &lagging, false).maximum.unwrap();
        assert!(most <= Duration::from_millis(250), "{most:?}");
    }

    #[test]
    fn a_steady_best_move_takes_less_time_and_a_falling_score_more() {
        let [a, b] = [0, 1].map(|point| Move::place(Square::new(point)));
        let mut trend = Trend::default();
        trend.update(a, 20);
        let fresh = trend.share();
        for _ in 0..20 {
            trend.update(a, 20);
        }
        assert_eq!((fresh, trend.share()), (Trend::UNSURE, Trend::SURE));
        trend.update(a, -10);
        assert_eq!(trend.share(), Trend::SURE + 30);
        trend.update(a, -500);
        assert_eq!(trend.share(), Trend::SURE + Trend::ALARM);
        trend.update(b, -500);
        assert_eq!(trend.share(), Trend::UNSURE);
    }
}
