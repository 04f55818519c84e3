//! Time management: the time for a move by the clock, and how the course of the search changes it.

use super::limits::{Limits, SearchSettings};
use crate::params::{
    time_fall, time_fall_max, time_maximum, time_maximum_factor, time_maximum_last, time_optimum_max,
    time_ponder, time_share_divisor, time_steady, time_sure, time_take_divisor, time_turns,
    time_turns_factor, time_unsure,
};
use crate::types::{Move, Value};
use std::time::Duration;

/// The least time for a move. Not tunable: it only keeps the budget above zero on an empty clock.
const LEAST_TIME: Duration = Duration::from_micros(500);
/// The longest time that counts: a hundred years. So no sum of times overflows.
const LONGEST_TIME: Duration = Duration::from_secs(100 * 365 * 24 * 3_600);

/// The time for one move.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct TimeBudget {
    /// The usual time: no iteration begins after [`Trend::share`] of it. `None` if only `maximum` counts.
    pub optimum: Option<Duration>,
    /// The time at which the search is aborted; `None` without a time limit.
    pub maximum: Option<Duration>,
}

impl TimeBudget {
    /// Returns the time for the next move. `only_take` is true if only a take is left of the turn.
    pub(crate) fn new(limits: &Limits, settings: &SearchSettings, only_take: bool) -> Self {
        if limits.reproducible {
            return Self::default();
        }
        let movetime = limits.movetime.map(|movetime| movetime.min(LONGEST_TIME));
        let Some(time) = limits.time else { return Self { optimum: None, maximum: movetime } };
        let [time, increment, overhead] =
            [time, limits.increment, settings.move_overhead].map(|time| time.min(LONGEST_TIME));
        // Never more than the clock minus the overhead.
        let usable = time.saturating_sub(overhead).max(LEAST_TIME);
        let most_turns = (time_turns_factor() * time_turns()) as u32;
        let turns = limits.movestogo.unwrap_or(time_turns() as u32).clamp(1, most_turns);
        // The time until the next control: every turn adds an increment and costs the overhead.
        let all = time + increment * (turns - 1);
        let least = usable / (time_share_divisor() as u32 * turns);
        let share = (all.saturating_sub(overhead * turns) / turns).max(least);
        let share = if only_take { share / time_take_divisor() as u32 } else { share };
        // Part of the search runs on the opponent's time.
        let share = if settings.ponder { share * time_ponder() as u32 / 100 } else { share };
        let optimum = (share * settings.slow_mover / 100).min(usable * time_optimum_max() as u32 / 100);
        // The last turn before the control may use most of the clock. Earlier ones have to leave enough.
        let most = usable * if turns == 1 { time_maximum_last() } else { time_maximum() } as u32 / 100;
        let maximum = (optimum * time_maximum_factor() as u32).min(most).max(optimum);
        Self {
            optimum: Some(optimum),
            maximum: Some(movetime.map_or(maximum, |movetime| maximum.min(movetime))),
        }
    }
}

/// The course of the search: it changes the share of [`TimeBudget::optimum`] to use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Trend {
    best: Move,
    /// The number of iterations since the best move changed.
    steady: u32,
    score: Value,
    /// The drop of the score in the latest iteration, in hundredths of a man.
    fall: Value,
}

impl Default for Trend {
    fn default() -> Self {
        Self { best: Move::NONE, steady: 0, score: 0, fall: 0 }
    }
}

impl Trend {
    /// Adds the result of an iteration.
    pub(crate) fn update(&mut self, best: Move, score: Value) {
        self.steady = if best == self.best { self.steady + 1 } else { 0 };
        self.fall = if self.best.is_some() { (self.score - score).max(0) } else { 0 };
        (self.best, self.score) = (best, score);
    }

    /// Returns true if the score dropped clearly in the latest iteration.
    pub(crate) fn is_falling(&self) -> bool {
        self.fall >= time_fall()
    }

    /// Returns the share of the optimum to use, in per cent.
    pub(crate) fn share(&self) -> u32 {
        let steady =
            (time_unsure() as u32).saturating_sub(time_steady() as u32 * self.steady).max(time_sure() as u32);
        steady + self.fall.min(time_fall_max()) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::clock::Instant;
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
    fn the_longest_times_overflow_nothing() {
        let most = Duration::MAX;
        let settings = SearchSettings { move_overhead: most, slow_mover: 1_000, ..SearchSettings::default() };
        for movestogo in [None, Some(1), Some(u32::MAX)] {
            let limits = Limits { time: Some(most), increment: most, movestogo, ..Limits::default() };
            let budget = TimeBudget::new(&limits, &settings, false);
            let share = budget.optimum.unwrap() * u32::from(u16::MAX);
            assert!(Instant::now().checked_add(share.max(budget.maximum.unwrap())).is_some());
        }
        let limits = Limits { movetime: Some(most), ..Limits::default() };
        let budget = TimeBudget::new(&limits, &settings, false);
        assert_eq!(budget, TimeBudget { optimum: None, maximum: Some(LONGEST_TIME) });
    }

    #[test]
    fn movetime_is_used_in_full() {
        let limits = Limits { movetime: Some(Duration::from_millis(100)), ..Limits::default() };
        let budget = TimeBudget::new(&limits, &SearchSettings::default(), false);
        assert_eq!(budget, TimeBudget { optimum: None, maximum: Some(Duration::from_millis(100)) });
        for limits in [Limits::default(), Limits { reproducible: true, ..limits }] {
            let budget = TimeBudget::new(&limits, &SearchSettings::default(), false);
            assert_eq!(budget, TimeBudget::default());
        }
    }

    #[test]
    fn of_clock_and_movetime_the_smaller_counts() {
        let both = |movetime| {
            let [time, movetime] = [60, movetime].map(|seconds| Some(Duration::from_secs(seconds)));
            let limits = Limits { time, movetime, ..Limits::default() };
            TimeBudget::new(&limits, &SearchSettings::default(), false)
        };
        assert_eq!(both(3_600), clock(60_000, 0, None));
        assert_eq!(both(1).maximum, Some(Duration::from_secs(1)));
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
    fn spending_every_maximum_without_increment_keeps_the_overhead() {
        let overhead = SearchSettings::default().move_overhead;
        let mut left = Duration::from_secs(1);
        let mut turns = 0;
        while left > overhead {
            let limits = Limits { time: Some(left), ..Limits::default() };
            let spent = TimeBudget::new(&limits, &SearchSettings::default(), false).maximum.unwrap();
            left -= spent;
            turns += 1;
            assert!(left + Duration::from_micros(500) >= overhead, "{left:?} after {turns} turns");
        }
        assert!(turns > 10, "{turns}");
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
        // Forty turns in a second are 25 ms each; 10 ms of these are overhead.
        assert_eq!(optimum(1_000, 0, Some(40)), Duration::from_millis(15));
        let lagging =
            SearchSettings { move_overhead: Duration::from_millis(500), ..SearchSettings::default() };
        let limits = Limits { time: Some(Duration::from_secs(1)), ..Limits::default() };
        let most = TimeBudget::new(&limits, &lagging, false).maximum.unwrap();
        assert!(most <= Duration::from_millis(250), "{most:?}");
    }

    #[test]
    fn a_steady_best_move_takes_less_time_and_a_falling_score_more() {
        let [a, b] = [0, 1].map(|square| Move::place(Square::new(square)));
        let mut trend = Trend::default();
        trend.update(a, 20);
        let fresh = trend.share();
        for _ in 0..20 {
            trend.update(a, 20);
        }
        assert_eq!((fresh, trend.share()), (time_unsure() as u32, time_sure() as u32));
        trend.update(a, -10);
        assert_eq!(trend.share(), time_sure() as u32 + 30);
        trend.update(a, -500);
        assert_eq!(trend.share(), (time_sure() + time_fall_max()) as u32);
        trend.update(b, -500);
        assert_eq!(trend.share(), time_unsure() as u32);
    }
}
