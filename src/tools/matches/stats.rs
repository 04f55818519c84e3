//! The statistics of a match: Elo with its interval, and the sequential test (SPRT).
//!
//! Games come in pairs from the same opening with colours exchanged. The two results of a pair depend on each
//! other, so the unit of all statistics is the pair with its five results (the pentanomial model). Sources:
//! M. Van den Bergh, "A Practical Introduction to the GSPRT" and "Comments on Normalized Elo", and X. Li, J.
//! Liu, Z. Ying, "Generalized Sequential Probability Ratio Test for Separate Families of Hypotheses",
//! Sequential Analysis 33 (2014).

use serde::Serialize;

/// Wins, draws and losses.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Tally {
    /// Games won.
    pub wins: u32,
    /// Games drawn.
    pub draws: u32,
    /// Games lost.
    pub losses: u32,
}

impl Tally {
    /// Returns the number of games.
    pub const fn games(&self) -> u32 {
        self.wins + self.draws + self.losses
    }

    /// Counts a game with its half points.
    pub fn add(&mut self, half_points: u8) {
        match half_points {
            0 => self.losses += 1,
            1 => self.draws += 1,
            _ => self.wins += 1,
        }
    }

    /// Returns the points for each game, 0 to 1; 0.5 without games.
    pub fn score(&self) -> f64 {
        match self.games() {
            0 => 0.5,
            games => (f64::from(self.wins) + f64::from(self.draws) / 2.0) / f64::from(games),
        }
    }
}

/// Pairs of games by their half points, 0 to 4.
pub type Pairs = [u32; 5];

/// Returns the Elo difference of an expected score; infinite at 0 and 1.
pub fn elo(score: f64) -> f64 {
    400.0 * (score / (1.0 - score)).log10()
}

/// Returns the expected score of an Elo difference.
pub fn expected_score(elo: f64) -> f64 {
    1.0 / (1.0 + 10_f64.powf(-elo / 400.0))
}

/// A score and the 95 % interval around it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Interval {
    /// The estimate.
    pub score: f64,
    /// Lower end, at least 0.
    pub low: f64,
    /// Upper end, at most 1.
    pub high: f64,
}

/// 97.5 % quantile of the normal distribution.
const Z: f64 = 1.959_964;

/// Returns the score with its interval.
///
/// The variance is that of the pairs, or of single games if there is no pair.
///
/// Each possible result has a pseudocount of 0.1, so that a few equal results do not give an empty interval.
pub fn interval(tally: &Tally, pairs: &Pairs) -> Interval {
    let score = tally.score();
    let singles = [tally.losses, 0, tally.draws, 0, tally.wins];
    let counts = if pairs.iter().sum::<u32>() > 0 { pairs } else { &singles };
    let seen: f64 = counts.iter().map(|&n| f64::from(n)).sum();
    let weights: Vec<f64> = counts.iter().map(|&n| f64::from(n) + 0.1).collect();
    let total: f64 = weights.iter().sum();
    let mean: f64 = weights.iter().enumerate().map(|(i, w)| w * i as f64 / 4.0).sum::<f64>() / total;
    let variance =
        weights.iter().enumerate().map(|(i, w)| w * (i as f64 / 4.0 - mean).powi(2)).sum::<f64>() / total;
    let half = Z * (variance / seen.max(1.0)).sqrt();
    Interval { score, low: (score - half).max(0.0), high: (score + half).min(1.0) }
}

/// Returns the share `hits` of `all` with its interval by Wilson's method (E. B. Wilson, JASA 22, 1927).
pub(crate) fn wilson(hits: u32, all: u32) -> Interval {
    let n = f64::from(all.max(1));
    let score = f64::from(hits) / n;
    let middle = (score + Z * Z / (2.0 * n)) / (1.0 + Z * Z / n);
    let half = Z / (1.0 + Z * Z / n) * (score * (1.0 - score) / n + Z * Z / (4.0 * n * n)).sqrt();
    // Rounding would miss the exact ends by a little.
    let low = if hits == 0 { 0.0 } else { middle - half };
    let high = if hits == all && all > 0 { 1.0 } else { middle + half };
    Interval { score, low, high }
}

/// A sequential test of "not stronger by more than `elo0`" against "stronger by `elo1`".
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Sprt {
    /// The difference under the null hypothesis.
    pub elo0: f64,
    /// The difference under the alternative.
    pub elo1: f64,
    /// Probability of accepting the alternative although the null hypothesis holds.
    pub alpha: f64,
    /// Probability of rejecting the alternative although it holds.
    pub beta: f64,
}

/// The state of a sequential test.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SprtVerdict {
    /// The alternative holds.
    Accepted,
    /// The null hypothesis holds.
    Rejected,
    /// More games are needed.
    Undecided,
}

impl Sprt {
    /// Returns the log-likelihood ratios at which the null hypothesis and the alternative are accepted.
    pub fn bounds(&self) -> (f64, f64) {
        ((self.beta / (1.0 - self.alpha)).ln(), ((1.0 - self.beta) / self.alpha).ln())
    }

    /// Returns the logarithm of the likelihood ratio of the two hypotheses.
    pub fn llr(&self, pairs: &Pairs) -> f64 {
        let seen: u32 = pairs.iter().sum();
        if seen == 0 {
            return 0.0;
        }
        // A result that was never seen gets a small weight, because a likelihood of 0 has no logarithm.
        let weights = pairs.map(|n| f64::from(n).max(1e-3));
        let total: f64 = weights.iter().sum();
        let shares = weights.map(|w| w / total);
        let null = most_likely(&shares, expected_score(self.elo0));
        let alternative = most_likely(&shares, expected_score(self.elo1));
        let ratio: f64 = (0..5).map(|i| shares[i] * (alternative[i] / null[i]).ln()).sum();
        ratio * total
    }

    /// Returns the state of the test.
    pub fn verdict(&self, pairs: &Pairs) -> SprtVerdict {
        let llr = self.llr(pairs);
        match self.bounds() {
            (lower, _) if llr <= lower => SprtVerdict::Rejected,
            (_, upper) if llr >= upper => SprtVerdict::Accepted,
            _ => SprtVerdict::Undecided,
        }
    }
}

/// Returns the maximum likelihood distribution over the five results with the given mean; the shares are
/// positive.
///
/// It is `share / (1 + x (result − mean))` for the `x` that gives the mean. The sum is monotonic in `x`, so
/// bisection finds it.
fn most_likely(shares: &[f64; 5], mean: f64) -> [f64; 5] {
    let distance: [f64; 5] = std::array::from_fn(|i| i as f64 / 4.0 - mean);
    // All weights stay positive strictly between these two.
    let (mut low, mut high) = (-1.0 / distance[4], -1.0 / distance[0]);
    for _ in 0..200 {
        let x = (low + high) / 2.0;
        let sum: f64 = (0..5).map(|i| shares[i] * distance[i] / (1.0 + x * distance[i])).sum();
        if sum > 0.0 {
            low = x;
        } else {
            high = x;
        }
    }
    let x = (low + high) / 2.0;
    std::array::from_fn(|i| shares[i] / (1.0 + x * distance[i]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elo_and_expected_score_are_inverse() {
        for difference in [-400.0, -30.0, 0.0, 5.0, 191.0] {
            assert!((elo(expected_score(difference)) - difference).abs() < 1e-9);
        }
        assert!((expected_score(400.0) - 10.0 / 11.0).abs() < 1e-12);
        assert_eq!((elo(1.0), elo(0.0)), (f64::INFINITY, f64::NEG_INFINITY));
        assert!(elo(0.5).is_sign_positive(), "no difference is not printed as -0");
    }

    #[test]
    fn the_most_likely_distribution_has_the_mean_and_sums_to_one() {
        for shares in [
            [0.1, 0.2, 0.4, 0.2, 0.1],
            [0.0002, 1e-6, 0.999_598, 0.0002, 1e-6],
            [0.9, 0.04, 0.03, 0.02, 0.01],
        ] {
            for mean in [0.3, 0.5, 0.57] {
                let found = most_likely(&shares, mean);
                let sum: f64 = found.iter().sum();
                let got: f64 = found.iter().enumerate().map(|(i, p)| p * i as f64 / 4.0).sum();
                assert!(
                    (sum - 1.0).abs() < 1e-6 && (got - mean).abs() < 1e-6,
                    "{shares:?} {mean}: {found:?}"
                );
            }
        }
    }

    #[test]
    fn the_ratio_agrees_with_the_normal_approximation() {
        // For small differences the ratio tends to n (s1 - s0) (2 m - s0 - s1) / (2 v).
        let pairs = [100, 500, 1_500, 600, 120];
        let sprt = Sprt { elo0: 0.0, elo1: 5.0, alpha: 0.05, beta: 0.05 };
        let n: f64 = pairs.iter().map(|&n| f64::from(n)).sum();
        let mean = pairs.iter().enumerate().map(|(i, &p)| f64::from(p) * i as f64 / 4.0).sum::<f64>() / n;
        let variance = pairs
            .iter()
            .enumerate()
            .map(|(i, &p)| f64::from(p) * (i as f64 / 4.0 - mean).powi(2))
            .sum::<f64>()
            / n;
        let (s0, s1) = (expected_score(0.0), expected_score(5.0));
        let normal = n * (s1 - s0) * (2.0 * mean - s0 - s1) / (2.0 * variance);
        let exact = sprt.llr(&pairs);
        assert!((exact - normal).abs() < 0.02 * normal.abs(), "{exact} {normal}");
        assert_eq!(sprt.verdict(&pairs), SprtVerdict::Accepted);
        let reversed = [120, 600, 1_500, 500, 100];
        assert_eq!(sprt.verdict(&reversed), SprtVerdict::Rejected);
        assert_eq!(sprt.verdict(&[0; 5]), SprtVerdict::Undecided);
        let (lower, upper) = sprt.bounds();
        assert!((upper - 2.944_4).abs() < 1e-3 && (lower + 2.944_4).abs() < 1e-3);
    }

    #[test]
    fn the_test_errs_as_rarely_as_it_promises() {
        // Simulated matches of equal players: the share of accepted alternatives stays near alpha.
        let sprt = Sprt { elo0: 0.0, elo1: 40.0, alpha: 0.05, beta: 0.05 };
        let mut state = 88_172_645_463_325_252_u64;
        let mut random = move || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 11) as f64 / (1_u64 << 53) as f64
        };
        let mut accepted = 0;
        for _ in 0..400 {
            let mut pairs = [0; 5];
            let verdict = loop {
                let r = random();
                let cell = [0.05, 0.25, 0.75, 0.95].iter().filter(|&&edge| r >= edge).count();
                pairs[cell] += 1;
                match sprt.verdict(&pairs) {
                    SprtVerdict::Undecided => {}
                    verdict => break verdict,
                }
            };
            accepted += u32::from(verdict == SprtVerdict::Accepted);
        }
        // Expected at most 20 of 400; 36 would be more than three standard deviations above.
        assert!(accepted < 36, "{accepted} of 400");
    }

    #[test]
    fn intervals_narrow_with_games_and_never_close_on_few() {
        let few = interval(&Tally { wins: 0, draws: 8, losses: 0 }, &[0, 0, 4, 0, 0]);
        assert!(few.low < 0.5 && few.high > 0.5);
        let many = interval(&Tally { wins: 500, draws: 1_000, losses: 500 }, &[50, 250, 400, 250, 50]);
        assert!((many.low + many.high - 1.0).abs() < 1e-9);
        // A thousand pairs with a variance of 9/160, that of their counts: 2 · 1.96 · √(0.05625 / 1000).
        assert!((many.high - many.low - 0.0294).abs() < 5e-5, "{many:?}");
        let won = interval(&Tally { wins: 10, draws: 0, losses: 0 }, &[0, 0, 0, 0, 5]);
        assert!((won.score - 1.0).abs() < 1e-12 && won.low < 0.95);
        let none = interval(&Tally::default(), &[0; 5]);
        assert!(none.low < 0.2 && none.high > 0.8);
    }

    #[test]
    fn shares_have_sound_intervals() {
        let Interval { score, low, high } = wilson(90, 100);
        assert!((score - 0.9).abs() < 1e-12 && (low - 0.8256).abs() < 1e-3 && (high - 0.9448).abs() < 1e-3);
        let Interval { low, high, .. } = wilson(10, 10);
        assert!(low > 0.7 && low < 0.73 && high <= 1.0);
        for all in 1..100 {
            let (none, every) = (wilson(0, all), wilson(all, all));
            assert_eq!((none.low.to_bits(), every.high.to_bits()), (0, 1_f64.to_bits()), "{all}");
            assert!(none.high > 0.0 && every.low < 1.0, "{all}");
        }
    }
}
