//! Training of the network by stochastic gradient descent with a step size for each number (AdaGrad: Duchi,
//! Hazan and Singer, "Adaptive Subgradient Methods", 2011).

use super::samples::Sample;
use crate::evaluate::network::{CHANNELS, HIDDEN, Layers, Parameters};
use crate::evaluate::patterns::{self, CLASS_COUNT, CLASSES, FIRST_MARKS, STAGES, mark_classes};
use crate::rules::CompiledRules;
use rand::rngs::StdRng;
use rand::seq::SliceRandom as _;
use rand::{Rng as _, SeedableRng as _};
use std::array;

/// The learning rate.
const RATE: f32 = 0.06;
/// The initial sum of squared gradients of a number.
const SQUARES: f32 = 0.01;
/// The same for the numbers of a network that is fitted already.
const KNOWN_SQUARES: f32 = 1.0;

/// Parameters, each with the sum of its squared gradients.
#[derive(Clone)]
struct Learned<const N: usize> {
    now: [f32; N],
    squares: [f32; N],
}

impl<const N: usize> Learned<N> {
    fn new(now: [f32; N]) -> Self {
        Self { now, squares: [SQUARES; N] }
    }

    /// Returns parameters that are known well: they change slowly. If all are zero, they have never been
    /// learned, as those of marked points in the standard game.
    fn known(now: [f32; N]) -> Self {
        if now == [0.0; N] { Self::new(now) } else { Self { now, squares: [KNOWN_SQUARES; N] } }
    }

    /// Returns random parameters from `-limit` to `limit`.
    fn random(limit: f32, random: &mut StdRng) -> Self {
        Self::new(array::from_fn(|_| random.random_range(-limit..limit)))
    }

    /// Makes a step against the gradient.
    #[inline(always)]
    fn step(&mut self, gradient: &[f32; N]) {
        for ((number, squares), gradient) in self.now.iter_mut().zip(&mut self.squares).zip(gradient) {
            *squares += gradient * gradient;
            *number -= RATE * gradient / squares.sqrt();
        }
    }
}

/// The layers of a stage.
#[derive(Clone)]
struct LearnedStage {
    bias: Learned<CHANNELS>,
    weights: [Learned<CHANNELS>; HIDDEN],
    hidden_bias: Learned<HIDDEN>,
    output: Learned<HIDDEN>,
}

impl LearnedStage {
    /// Returns layers that are known well.
    fn known(layers: Layers) -> Self {
        Self {
            bias: Learned::known(layers.bias),
            weights: layers.weights.map(Learned::known),
            hidden_bias: Learned::known(layers.hidden_bias),
            output: Learned::known(layers.output),
        }
    }
}

/// A network in training.
pub(super) struct Trainer<'a> {
    rows: Vec<Learned<CHANNELS>>,
    stages: Vec<LearnedStage>,
    compiled: &'a CompiledRules,
    random: StdRng,
}

/// Returns true if the clipped activation has a gradient at this number.
fn is_inside(number: f32) -> bool {
    number > 0.0 && number < 1.0
}

/// The logistic function.
pub(super) fn logistic(sum: f32) -> f32 {
    1.0 / (1.0 + (-sum).exp())
}

impl<'a> Trainer<'a> {
    /// Returns the network that the fit begins with.
    ///
    /// It is `known`, if there is one. Else in the standard game it is random and depends on the seed only,
    /// and all stages begin alike; under other rules it is that of the standard game.
    pub(super) fn new(compiled: &'a CompiledRules, known: Option<Parameters>, seed: u64) -> Self {
        let mut random = StdRng::seed_from_u64(seed);
        let standard = || Parameters::standard().expect("the network of the program");
        if let Some(known) = known.or_else(|| (!compiled.standard).then(standard)) {
            let Parameters { rows, stages } = known;
            let rows = rows.into_iter().map(Learned::known).collect();
            let stages = stages.into_iter().map(LearnedStage::known).collect();
            return Self { rows, stages, compiled, random };
        }
        let mut rows = vec![Learned::new([0.0; CHANNELS]); CLASS_COUNT];
        // The standard game has no marked points.
        rows[..FIRST_MARKS].fill_with(|| Learned::random(0.1, &mut random));
        let stage = LearnedStage {
            bias: Learned::new([0.5; CHANNELS]),
            weights: array::from_fn(|_| Learned::random(0.4, &mut random)),
            hidden_bias: Learned::new([0.1; HIDDEN]),
            output: Learned::random(0.4, &mut random),
        };
        Self { rows, stages: vec![stage; STAGES], compiled, random }
    }

    /// Learns all samples once, in random order. Returns the root mean square difference between prediction
    /// and result; each prediction is made before its sample is learned.
    pub(super) fn learn(&mut self, samples: &mut [Sample]) -> f64 {
        samples.shuffle(&mut self.random);
        let squares: f64 = samples.iter().map(|sample| f64::from(self.learn_one(sample)).powi(2)).sum();
        (squares / samples.len().max(1) as f64).sqrt()
    }

    /// Learns a sample. Returns prediction minus result.
    fn learn_one(&mut self, sample: &Sample) -> f32 {
        let board = sample.board(self.compiled);
        let marks = mark_classes(&board).into_iter().flatten();
        let classes = CLASSES.of(&board).0.into_iter().chain(marks).map(usize::from);
        let stage = &mut self.stages[patterns::stage(&board)];
        let mut sums = stage.bias.now;
        for class in classes.clone() {
            let row = &self.rows[class].now;
            for (sum, number) in sums.iter_mut().zip(row) {
                *sum += number;
            }
        }
        let first = sums.map(|sum| sum.clamp(0.0, 1.0));
        let hidden: [f32; HIDDEN] = array::from_fn(|n| {
            let weights = &stage.weights[n].now;
            stage.hidden_bias.now[n]
                + first.iter().zip(weights).map(|(number, weight)| number * weight).sum::<f32>()
        });
        let second = hidden.map(|sum| sum.clamp(0.0, 1.0));
        let odds: f32 = second.iter().zip(&stage.output.now).map(|(number, weight)| number * weight).sum();
        // The gradient of the cross entropy.
        let error = logistic(odds) - sample.points;
        let in_hidden: [f32; HIDDEN] =
            array::from_fn(|n| if is_inside(hidden[n]) { error * stage.output.now[n] } else { 0.0 });
        stage.output.step(&second.map(|number| error * number));
        stage.hidden_bias.step(&in_hidden);
        let mut in_first = [0.0; CHANNELS];
        for (weights, &gradient) in
            stage.weights.iter_mut().zip(&in_hidden).filter(|(_, gradient)| **gradient != 0.0)
        {
            for (sum, weight) in in_first.iter_mut().zip(&weights.now) {
                *sum += gradient * weight;
            }
            weights.step(&first.map(|number| gradient * number));
        }
        for (gradient, &sum) in in_first.iter_mut().zip(&sums) {
            *gradient = if is_inside(sum) { *gradient } else { 0.0 };
        }
        stage.bias.step(&in_first);
        for class in classes {
            self.rows[class].step(&in_first);
        }
        error
    }

    /// Returns the current network.
    pub(super) fn parameters(&self) -> Parameters {
        let layers = |stage: &LearnedStage| Layers {
            bias: stage.bias.now,
            weights: array::from_fn(|n| stage.weights[n].now),
            hidden_bias: stage.hidden_bias.now,
            output: stage.output.now,
        };
        Parameters {
            rows: self.rows.iter().map(|row| row.now).collect(),
            stages: self.stages.iter().map(layers).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bitboard::Bitboard;
    use crate::rules::Rules;

    /// Random boards; the side with more men wins.
    fn samples() -> Vec<Sample> {
        let mut random = StdRng::seed_from_u64(5);
        let board = |random: &mut StdRng| {
            let own = random.random::<u32>() & random.random::<u32>() & Bitboard::FULL.0;
            let other = random.random::<u32>() & random.random::<u32>() & Bitboard::FULL.0 & !own;
            let points = match own.count_ones().cmp(&other.count_ones()) {
                std::cmp::Ordering::Less => 0.0,
                std::cmp::Ordering::Equal => 0.5,
                std::cmp::Ordering::Greater => 1.0,
            };
            Sample { own, other, marked: 0, hands: [2, 2], points }
        };
        (0..4_000).map(|_| board(&mut random)).collect()
    }

    #[test]
    fn a_network_learns_and_the_same_seed_learns_the_same() {
        let compiled = CompiledRules::new(&Rules::NINE);
        let [mut one, mut two] = [1, 1].map(|seed| Trainer::new(&compiled, None, seed));
        let (mut first, mut second) = (samples(), samples());
        let errors: Vec<f64> = (0..3).map(|_| one.learn(&mut first)).collect();
        assert!(errors[0] > 0.15 && errors[2] < 0.12, "{errors:?}");
        (0..3).for_each(|_| _ = two.learn(&mut second));
        let [one, two] = [one, two].map(|trainer| trainer.parameters().pack(&Rules::NINE).unwrap());
        assert_eq!(one, two);
        assert_ne!(one, Trainer::new(&compiled, None, 2).parameters().pack(&Rules::NINE).unwrap());
    }

    #[test]
    fn a_fit_begins_with_all_rows_that_its_network_has_learned() {
        let compiled = CompiledRules::new(&Rules::CHENG_SAN_QI);
        let mut known = Parameters::standard().unwrap();
        assert!(known.rows[FIRST_MARKS..].iter().all(|row| *row == [0.0; CHANNELS]));
        known.rows[FIRST_MARKS] = [0.5; CHANNELS];
        let trainer = Trainer::new(&compiled, Some(known.clone()), 1);
        assert_eq!(trainer.parameters().rows, known.rows);
        let squares = [0, FIRST_MARKS, FIRST_MARKS + 1].map(|row| trainer.rows[row].squares[0]);
        assert_eq!(squares, [KNOWN_SQUARES, KNOWN_SQUARES, SQUARES]);
    }
}
