//! The fit of the evaluation: how well it predicts the results of positions that were held out.

use super::train::logistic;
use crate::evaluate::patterns;
use crate::types::Value;
use std::collections::BTreeMap;

/// The fit of an evaluation.
#[derive(Clone, Default)]
pub(super) struct FitScore {
    count: u32,
    /// The sum of squared differences between predicted and real result.
    squares: f64,
    /// The sum of the results, and of their squares.
    points: f64,
    points_squared: f64,
    losses: u32,
    /// The number of losses that are predicted to be better than a draw.
    misjudged: u32,
    /// The number of lost, drawn and won positions by value.
    by_value: BTreeMap<Value, [u32; 3]>,
}

impl FitScore {
    /// Counts a position with the value that the evaluation gives it.
    pub(super) fn add(&mut self, value: Value, points: f32) {
        let predicted = logistic(value as f32 / patterns::UNIT);
        self.count += 1;
        self.squares += f64::from((predicted - points).powi(2));
        self.points += f64::from(points);
        self.points_squared += f64::from(points * points);
        self.losses += u32::from(points < 0.5);
        self.misjudged += u32::from(points < 0.5 && predicted > 0.5);
        let result = if points < 0.5 { 0 } else { 1 + usize::from(points > 0.5) };
        self.by_value.entry(value).or_default()[result] += 1;
    }

    /// Returns the fit in all stages.
    pub(super) fn total(scores: &[Self]) -> Self {
        let mut all = Self::default();
        scores.iter().for_each(|score| all.join(score));
        all
    }

    /// Adds the counts of another fit.
    fn join(&mut self, other: &Self) {
        self.count += other.count;
        self.squares += other.squares;
        self.points += other.points;
        self.points_squared += other.points_squared;
        self.losses += other.losses;
        self.misjudged += other.misjudged;
        for (&value, counts) in &other.by_value {
            let sums = self.by_value.entry(value).or_default();
            sums.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
        }
    }

    /// The root mean square difference between prediction and result, both from 0 to 1.
    pub(super) fn error(&self) -> f64 {
        (self.squares / f64::from(self.count.max(1))).sqrt()
    }

    /// Returns the logistic curve of wins by value that fits best, by Newton's method: the value at which
    /// half are won, and the step that changes the odds by a factor of e; `None` if the positions fix none.
    /// Losses count as wins of the other side.
    fn win_curve(&self) -> Option<[f64; 2]> {
        // From a flat curve the steps converge. From one that is too steep they lead away.
        let [mut constant, mut rate] = [0.0; 2];
        for _ in 0..50 {
            let (mut gradient, mut curvature) = ([0.0; 2], [0.0; 3]);
            for (&value, &[lost, drawn, won]) in &self.by_value {
                let [lost, drawn, won] = [lost, drawn, won].map(f64::from);
                for (x, hits) in [(f64::from(value), won), (-f64::from(value), lost)] {
                    let p = 1.0 / (1.0 + (-constant - rate * x).exp());
                    let all = lost + drawn + won;
                    let missed = hits - all * p;
                    let weight = all * p * (1.0 - p);
                    gradient = [gradient[0] + missed, gradient[1] + missed * x];
                    curvature =
                        [curvature[0] + weight, curvature[1] + weight * x, curvature[2] + weight * x * x];
                }
            }
            let determinant = curvature[0] * curvature[2] - curvature[1] * curvature[1];
            if determinant.is_nan() || determinant <= f64::EPSILON {
                return None;
            }
            constant += (curvature[2] * gradient[0] - curvature[1] * gradient[1]) / determinant;
            rate += (curvature[0] * gradient[1] - curvature[1] * gradient[0]) / determinant;
        }
        let curve = [-constant / rate, 1.0 / rate];
        curve.iter().all(|number| number.is_finite()).then_some(curve)
    }
}

impl std::fmt::Display for FitScore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let n = f64::from(self.count.max(1));
        let mean = self.points / n;
        let spread = (self.points_squared / n - mean * mean).max(0.0).sqrt();
        let error = self.error();
        write!(f, "{:9}  {error:.4}             {spread:.4}", self.count)
    }
}

/// Returns the text about the fit in each stage. What it says about wins and losses needs positions whose
/// points are results.
pub(super) fn summary(scores: &[FitScore], are_results: bool) -> String {
    let losses = if are_results { "   losses taken for more" } else { "" };
    let mut text = format!("stage  held out   error  with no knowledge{losses}\n");
    let all = FitScore::total(scores);
    let stages = scores.iter().enumerate().map(|(stage, score)| (stage.to_string(), score));
    for (stage, score) in stages.chain([("all".to_owned(), &all)]) {
        text += &format!("{stage:>5} {score}");
        if are_results {
            let misjudged = 100.0 * f64::from(score.misjudged) / f64::from(score.losses.max(1));
            text += &format!("                {misjudged:6.2} %");
        }
        text += "\n";
    }
    if let Some([even, slope]) = all.win_curve().filter(|_| are_results) {
        text += &format!("half of the positions of value {even:.0} are won; ");
        text += &format!("the odds grow by a factor of e every {slope:.0}\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_summary_speaks_of_wins_only_if_the_points_are_results() {
        let score = overlapping();
        let with = summary(std::slice::from_ref(&score), true);
        assert!(with.contains(" 11.11 %") && with.contains("are won"), "{with}");
        let without = summary(&[score], false);
        assert!(!without.contains("loss") && !without.contains("won"), "{without}");
        assert_eq!(without.lines().count(), 3);
    }

    #[test]
    fn values_that_do_not_differ_fix_no_win_curve() {
        let mut score = FitScore::default();
        (0..9).for_each(|_| score.add(0, 1.0));
        assert_eq!(score.win_curve(), None);
        let [even, slope] = overlapping().win_curve().expect("a curve");
        assert!((even - 78.4).abs() < 0.1 && (slope - 71.1).abs() < 0.1, "{even} {slope}");
    }

    #[test]
    fn a_flat_win_curve_is_found_in_values_that_spread_widely() {
        let mut score = FitScore::default();
        for value in (-1200..=1200).step_by(100) {
            let won = |value: f64| 1.0 / (1.0 + (-(value - 100.0) / 200.0).exp());
            let counts = [-value, value].map(|value| (1000.0 * won(f64::from(value))).round() as usize);
            for (points, count) in [(0.0, counts[0]), (1.0, counts[1]), (0.5, 1000 - counts[0] - counts[1])] {
                (0..count).for_each(|_| score.add(value, points));
            }
        }
        let [even, slope] = score.win_curve().expect("a curve");
        assert!((even - 100.0).abs() < 1.0 && (slope - 200.0).abs() < 1.0, "{even} {slope}");
    }

    /// The fit of positions whose wins and losses overlap.
    fn overlapping() -> FitScore {
        let mut score = FitScore::default();
        for (value, counts) in [(-100, [6, 3, 1]), (0, [2, 6, 2]), (100, [1, 3, 6])] {
            for (points, count) in [0.0, 0.5, 1.0].into_iter().zip(counts) {
                (0..count).for_each(|_| score.add(value, points));
            }
        }
        score
    }
}
