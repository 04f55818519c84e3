//! Fits the policy of a certificate to the results of a tablebase.
//!
//! From each sector *critical* positions are drawn: the side does not lose, but one of its turns loses. Each
//! stage of the policy is a logistic regression (stochastic gradient descent with the step sizes of J. Duchi
//! and others, "Adaptive Subgradient Methods", 2011) on the results after the turns of these positions, or
//! after the replies to one of the turns.

use super::results::{SectorResults, after, collect};
use crate::certificate::policy::{POLICY_CLASSES, Policy, SETS, STAGES, classes, stage};
use crate::certificate::turns::{TurnNode, TurnRules};
use crate::platform::mixing::mix;
use crate::tablebase::{Sector, TablebaseError, Wdl};
use std::path::Path;

/// Critical positions drawn from a sector of the placing phase. Its sectors are many, its positions few.
const PLACING_POSITIONS: u64 = 60_000;
/// The most men taken before a position of the placing phase that is drawn. Few with more arise, and they
/// share their stages with others.
pub(super) const MOST_TAKEN: u8 = 2;
/// Critical positions drawn from a sector of the moving phase.
const MOVING_POSITIONS: u64 = 500_000;
/// Positions looked at for each that is drawn, at most.
const TRIES: u64 = 10;
/// Passes over the positions.
const EPOCHS: usize = 6;
/// Weight units per unit of the natural logarithm of the odds.
const UNIT: f32 = 8.0;
/// The deduction for each slide of the opponent, in weight units. It makes the reachable positions fewer;
/// see `docs/lab/2026-11-certificate.md`.
const SLIDE: u8 = 1;
/// The score below which the replies to the first turns count: nineteen of twenty errors lie below.
const LIMIT: u8 = 12;
/// The first step size.
const STEP: f32 = 0.05;

/// A position after a turn or a reply, with true if the side does not lose it.
type FitSample = (u32, u32, bool);

/// The samples of each stage of a set of weights.
type StageSamples = Vec<Vec<FitSample>>;

/// Returns the policy to begin with if none is given.
pub(super) fn unfitted() -> Policy {
    Policy::empty(SLIDE, LIMIT)
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
    let empty = |set: usize, stage: usize| policy.weights[set][stage].is_empty();
    let stage_of = |sector: Sector| stage(TurnNode::new(sector, 0));
    let replies = |sector| after(&rules.game, sector).flat_map(|next| after(&rules.game, next));
    let mut wanted = sectors.to_vec();
    wanted.retain(|&sector| {
        after(&rules.game, sector).any(|next| empty(0, stage_of(next)))
            || replies(sector).any(|next| empty(1, stage_of(next)))
    });
    let mut samples: [StageSamples; SETS] = [(); SETS].map(|()| vec![Vec::new(); STAGES]);
    let mut results = SectorResults::default();
    for (number, &sector) in wanted.iter().enumerate() {
        let needed: Vec<Sector> = after(&rules.game, sector).chain(replies(sector)).chain([sector]).collect();
        results.want(folder, &rules.game, &needed, threads)?;
        for (set, stage, sample) in draw(rules, sector, &results, threads) {
            samples[set][usize::from(stage)].push(sample);
        }
        finished(number + 1, wanted.len());
    }
    let all = samples.iter().enumerate().flat_map(|(set, stages)| {
        stages.iter().enumerate().map(move |(stage, samples)| (set, stage, samples))
    });
    let filled = all.filter(|&(set, stage, samples)| !samples.is_empty() && empty(set, stage));
    let fitted = collect(threads, filled, |found: &mut Vec<_>, (set, stage, samples)| {
        let weights = regress(samples);
        let rounded: Vec<i8> = weights.iter().map(|&weight| (UNIT * weight).round() as i8).collect();
        found.push((set, stage, rounded));
    });
    for (set, stage, weights) in fitted {
        policy.weights[set][stage] = weights;
    }
    Ok(())
}

/// Draws turns of critical positions of a sector, and replies: always the same ones. Returns set, stage and
/// sample of each.
fn draw(
    rules: &TurnRules,
    sector: Sector,
    results: &SectorResults,
    threads: usize,
) -> Vec<(usize, u16, FitSample)> {
    const PARTS: u64 = 64;
    let positions = if sector.is_moving() { MOVING_POSITIONS } else { PLACING_POSITIONS };
    let tries = (TRIES * positions).min(sector.slots()).max(PARTS);
    let sample = |set: usize, node: TurnNode, is_safe: bool| {
        (set, stage(node) as u16, (node.own, node.theirs, is_safe))
    };
    let mut drawn = collect(threads, 0..PARTS, |found: &mut Vec<(u64, Vec<_>)>, part| {
        let mut samples = Vec::new();
        let mut turns: Vec<(TurnNode, bool)> = Vec::new();
        let mut left = positions / PARTS;
        for number in 0..tries / PARTS {
            let random = mix(mix(part) ^ number);
            let slot = random % sector.slots();
            let node = TurnNode::new(sector, slot);
            if results.get(node, slot) == Some(Wdl::Loss) {
                continue;
            }
            turns.clear();
            rules.for_each(node, |after| {
                // Wins and draws alike: to predict more makes it more often wrong about this.
                if let Some(result) = results.get(after, after.slot()) {
                    turns.push((after, result != Wdl::Win));
                }
            });
            if turns.iter().all(|&(_, is_safe)| is_safe) {
                continue;
            }
            samples.extend(turns.iter().map(|&(after, is_safe)| sample(0, after, is_safe)));
            let (after, _) = turns[mix(random) as usize % turns.len()];
            rules.for_each(after, |next| {
                let is_over = rules.has_too_few(next.own, next.own_hand);
                if let Some(result) = results.get(next, next.slot()).filter(|_| !is_over) {
                    samples.push(sample(1, next, result != Wdl::Loss));
                }
            });
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
        for &(own, theirs, is_safe) in samples {
            let classes = classes(own, theirs).map(usize::from);
            let sum: f32 = classes.iter().map(|&class| weights[class]).sum();
            let error = f32::from(u8::from(is_safe)) - 1.0 / (1.0 + (-sum).exp());
            for class in classes {
                squares[class] += error * error;
                weights[class] += step * error / squares[class].sqrt();
            }
        }
    }
    weights
}
