//! Trains the model of a sector.

use super::contexts::{Decoded, Features, Geometry, PART_SLOTS, RowSteps, WEIGHTS};
use super::shares::{Corrections, SHARES, errors};
use crate::platform::parallel::share;
use crate::tablebase::format::index::Sector;

/// The number of parts that a model is trained on: a sixteenth of the sector, but at least the first number
/// (or all there are) and at most the second.
const TRAINING_PARTS: [u64; 2] = [2048, 16_384];
/// The number of parts trained on in turn, slot by slot, so that the weights do not follow a single part.
const GROUP: usize = 64;
/// The learning rate at the beginning; it falls to zero linearly.
const TRAINING_STEP: f32 = 0.5;

/// A slot of the training set.
#[derive(Clone)]
struct Example {
    contexts: [u16; 5],
    tactics: u16,
    result: u8,
}

/// Returns the weights of a sector as [`MODEL_BYTES`] bytes, found by stochastic gradient descent on the
/// length of the code. `result` returns the result of a slot. The weights do not depend on the number of
/// threads.
pub(crate) fn train(
    sector: Sector,
    geometry: Geometry,
    steps: Option<&RowSteps>,
    threads: usize,
    result: impl Fn(u64) -> u8 + Sync,
) -> Vec<u8> {
    let slots = sector.slots();
    let parts = slots.div_ceil(PART_SLOTS as u64);
    let sampled = parts.min((parts / 16).clamp(TRAINING_PARTS[0], TRAINING_PARTS[1]));
    let groups = sampled.div_ceil(GROUP as u64);
    let shares = &**SHARES;
    let mut weights = vec![[0f32; 2]; WEIGHTS];
    let mut examples: Vec<Vec<Example>> = vec![Vec::new(); GROUP];
    for group in 0..groups {
        let items = examples.iter_mut().enumerate();
        share(
            threads,
            items,
            || Features::new(steps),
            |features, (number, examples)| {
                examples.clear();
                // The parts of a group lie far apart.
                let number = number as u64 * groups + group;
                if number >= sampled {
                    return;
                }
                let first = number * parts / sampled * PART_SLOTS as u64;
                let count = (slots - first).min(PART_SLOTS as u64) as usize;
                features.compute(sector, geometry, first, count);
                let mut decoded = Decoded::new();
                for (place, slot) in (first..).take(count).enumerate() {
                    let (contexts, result) = (features.contexts(place, &decoded), result(slot));
                    decoded.set(place, result);
                    let contexts = contexts.map(|context| context as u16);
                    examples.push(Example { contexts, tactics: features.tactics[place], result });
                }
            },
        );
        let step = TRAINING_STEP * (1.0 - group as f32 / groups as f32);
        let mut corrections = [Corrections::new(); GROUP];
        for place in 0..PART_SLOTS {
            for (examples, corrections) in examples.iter().zip(&mut corrections) {
                let Some(&Example { contexts, tactics, result }) = examples.get(place) else { continue };
                let sum = contexts.iter().fold([0.0, 0.0], |sum, &context| {
                    let [loss, win] = weights[usize::from(context)];
                    [sum[0] + loss, sum[1] + win]
                });
                let shares = shares[corrections.level(tactics, sum.map(|sum| sum as i32))];
                corrections.update(tactics, shares, result);
                let [loss, win] = errors(shares, result).map(|error| step * error as f32 / 65_536.0);
                for context in contexts {
                    let weight = &mut weights[usize::from(context)];
                    weight[0] += loss;
                    weight[1] += win;
                }
            }
        }
    }
    weights.iter().flatten().map(|weight| weight.round().clamp(-127.0, 127.0) as i8 as u8).collect()
}
