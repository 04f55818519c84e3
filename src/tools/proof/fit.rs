//! Fits the policy of a certificate to the results of a tablebase.
//!
//! From each sector *critical* positions are drawn: the side does not lose, but one of its turns loses. Each
//! stage of the policy is a logistic regression (stochastic gradient descent with the step sizes of J. Duchi
//! and others, "Adaptive Subgradient Methods", 2011) on the results after the turns of these positions.

use super::tables::{SectorResults, after, collect};
use crate::certificate::policy::{PATTERNS, POLICY_CLASSES, Policy, STAGES, classes, stage};
use crate::certificate::turns::{TurnNode, TurnRules};
use crate::position::zobrist::mix;
use crate::tablebase::{Sector, TablebaseError, Wdl};
use std::path::Path;

/// Critical positions drawn from a sector of the placing phase. Its sectors are many, its positions few.
const PLACING_POSITIONS: u64 = 20_000;
/// Critical positions drawn from a sector of the moving phase.
const MOVING_POSITIONS: u64 = 120_000;
/// Positions looked at for each that is drawn, at most.
const TRIES: u64 = 50;
/// Passes over the positions.
const EPOCHS: usize = 6;
/// Weight units per unit of the natural logarithm of the odds.
const UNIT: f32 = 32.0;
/// The deduction for each slide of the opponent, in weight units. It makes the reachable positions fewer;
/// see `docs/lab/2026-11-certificate.md`.
const SLIDE: u8 = 5;
/// The first step size.
const STEP: f32 = 0.05;

/// A position after a turn.
struct FitSample {
    stage: u16,
    classes: [u16; PATTERNS],
    /// The number that the regression predicts: 0 for a loss, else 1.
    target: f32,
}

/// Returns the policy to begin with if none is given.
pub(super) fn unfitted() -> Policy {
    Policy::empty(SLIDE)
}

/// Fits the stages without weights of a policy, for the sectors in which the side may have to move.
///
/// # Errors
/// If a tablebase file is missing or damaged.
pub(super) fn fit(
    policy: &mut Policy,
    folder: &Path,
    rules: &TurnRules,
    sectors: &[Sector],
    threads: usize,
    finished: impl Fn(usize, usize),
) -> Result<(), TablebaseError> {
    let is_missing = |sector: Sector| policy.weights[stage(TurnNode::new(sector, 0))].is_empty();
    let mut wanted = sectors.to_vec();
    wanted.retain(|&sector| after(&rules.game, sector).any(is_missing));
    let mut samples: Vec<Vec<FitSample>> = (0..STAGES).map(|_| Vec::new()).collect();
    for (number, &sector) in wanted.iter().enumerate() {
        let needed = after(&rules.game, sector).chain([sector]);
        let results = SectorResults::read(folder, &rules.game, needed, threads)?;
        for sample in draw(rules, sector, &results, threads) {
            samples[usize::from(sample.stage)].push(sample);
        }
        finished(number + 1, wanted.len());
    }
    let empty = |stage: usize| policy.weights[stage].is_empty();
    let filled = samples.iter().enumerate().filter(|(stage, samples)| !samples.is_empty() && empty(*stage));
    let fitted = collect(threads, filled, |found: &mut Vec<(usize, Vec<i8>)>, (stage, samples)| {
        let weights = regress(samples);
        found.push((stage, weights.iter().map(|&weight| (UNIT * weight).round() as i8).collect()));
    });
    for (stage, weights) in fitted {
        policy.weights[stage] = weights;
    }
    Ok(())
}

/// Draws the turns of critical positions of a sector: always the same ones.
fn draw(rules: &TurnRules, sector: Sector, results: &SectorResults, threads: usize) -> Vec<FitSample> {
    const PARTS: u64 = 64;
    let positions = if sector.is_moving() { MOVING_POSITIONS } else { PLACING_POSITIONS };
    let mut drawn = collect(threads, 0..PARTS, |found: &mut Vec<(u64, Vec<FitSample>)>, part| {
        let mut samples = Vec::new();
        let mut left = positions / PARTS;
        for number in 0..TRIES * positions / PARTS {
            let slot = mix(mix(part) ^ number) % sector.slots();
            let node = TurnNode::new(sector, slot);
            if results.get(node, slot) == Some(Wdl::Loss) {
                continue;
            }
            let first = samples.len();
            let mut is_critical = false;
            rules.for_each(node, |after| {
                let after_slot = after.slot();
                let Some(result) = results.get(after, after_slot) else { return };
                is_critical |= result == Wdl::Win;
                // Wins and draws alike: to predict more makes it more often wrong about this.
                let target = if result == Wdl::Win { 0.0 } else { 1.0 };
                let classes = classes(after.own, after.theirs);
                samples.push(FitSample { stage: stage(after) as u16, classes, target });
            });
            if !is_critical {
                samples.truncate(first);
                continue;
            }
            left -= 1;
            if left == 0 {
                break;
            }
        }
        found.push((part, samples));
    });
    drawn.sort_unstable_by_key(|&(part, _)| part);
    drawn.into_iter().flat_map(|(_, samples)| samples).collect()
}

/// Returns the weights of the classes of one stage.
fn regress(samples: &[FitSample]) -> Vec<f32> {
    let mut weights = vec![0f32; POLICY_CLASSES.count];
    let mut squares = vec![1e-3f32; POLICY_CLASSES.count];
    for epoch in 0..EPOCHS {
        let step = STEP / (1 + epoch) as f32;
        for sample in samples {
            let sum: f32 = sample.classes.iter().map(|&class| weights[usize::from(class)]).sum();
            let error = sample.target - 1.0 / (1.0 + (-sum).exp());
            for &class in &sample.classes {
                let class = usize::from(class);
                squares[class] += error * error;
                weights[class] += step * error / squares[class].sqrt();
            }
        }
    }
    weights
}
