//! From weights to probabilities: sums of weights become shares for the range coder, and corrections adapt
//! them to the part. What is computed here is part of the file format.

use crate::tablebase::format::range_coder::Shares;
use std::sync::LazyLock;

/// Weights count sixteenths of a bit: by how much a context makes a loss or a win more likely than a draw.
const UNITS_PER_BIT: i32 = 16;

/// Sums of weights are rounded to quarters of a bit, from -16 to 16 bits.
const STEPS_PER_BIT: i32 = 4;
const LEVELS: i32 = 32 * STEPS_PER_BIT;

/// The shares of a win and a draw for each pair of levels (loss, win).
pub(super) static SHARES: LazyLock<Vec<Shares>> = LazyLock::new(|| {
    // 2^(k/4) in units of 2^-16, rounded.
    const QUARTERS: [u64; 4] = [65_536, 77_936, 92_682, 110_218];
    let likelihood = |level: i32| QUARTERS[(level & 3) as usize] << (level >> 2);
    // Each result keeps at least one unit.
    let divide = 65_536 - 3;
    let draw = likelihood(LEVELS / 2);
    let pairs = (0..LEVELS).flat_map(|loss| (0..LEVELS).map(move |win| (likelihood(loss), likelihood(win))));
    pairs
        .map(|(loss, win)| {
            let sum = loss + draw + win;
            let (loss, win) = (1 + loss * divide / sum, 1 + win * divide / sum);
            [win as u16, (65_536 - loss) as u16]
        })
        .collect()
});

/// Returns the index into [`SHARES`] for sums of weights.
#[inline(always)]
pub(super) fn level_of(loss: i32, win: i32) -> usize {
    let level = |sum: i32| {
        let step = UNITS_PER_BIT / STEPS_PER_BIT;
        ((sum + step / 2).div_euclid(step) + LEVELS / 2).clamp(0, LEVELS - 1)
    };
    (level(loss) * LEVELS + level(win)) as usize
}

/// Corrections to the sums of weights, in 2^-16 of their unit, for each of the twelve values of `tactics`.
/// They follow the results of the part: losses and wins that are more frequent than predicted become more
/// likely.
#[derive(Clone, Copy)]
pub(super) struct Corrections([[i32; 2]; 16]);

impl Corrections {
    /// The step of a correction, in units of weights, after a result that was predicted to be impossible. Of
    /// 1 to 32, 8 made the smallest files.
    const STEP: i32 = 8;

    pub(super) const fn new() -> Self {
        Self([[0; 2]; 16])
    }

    /// Returns the index into [`SHARES`] for the sums of weights of loss and win.
    #[inline(always)]
    pub(super) fn level(&self, tactics: u16, [loss, win]: [i32; 2]) -> usize {
        let [loss_before, win_before] = self.0[usize::from(tactics & 15)];
        level_of(loss + (loss_before >> 16), win + (win_before >> 16))
    }

    /// Updates the corrections after a result that `shares` predicted.
    #[inline(always)]
    pub(super) fn update(&mut self, tactics: u16, shares: Shares, result: u8) {
        let [loss, win] = errors(shares, result);
        let before = &mut self.0[usize::from(tactics & 15)];
        before[0] += Self::STEP * loss;
        before[1] += Self::STEP * win;
    }
}

/// Returns the errors of a prediction: the true probabilities of loss and win, 0 or 1, less the predicted
/// ones, in units of 2^-16.
#[inline(always)]
pub(super) fn errors([win, draw]: Shares, result: u8) -> [i32; 2] {
    let one = |is_so| i32::from(is_so) << 16;
    [one(result == 0) - ((1 << 16) - i32::from(draw)), one(result == 2) - i32::from(win)]
}
