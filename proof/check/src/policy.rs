//! The score of a position, as docs/certificates.md defines it. This need not be trusted: it decides which of
//! the turns that `board.rs` gives is played, and the walk plays all replies to any turn.

use crate::board::{ALL, Counts, Set, after_turn, points};
use std::array::from_fn;

/// Positions of the digits 0 to 8 of a side or corner after the symmetries that leave its weight as it is.
const COLUMN_IMAGES: [&str; 4] = ["012345678", "210543876", "678345012", "876543210"];
/// The same for the digits of a ring.
const RING_IMAGES: [&str; 8] =
    ["01234567", "23456701", "45670123", "67012345", "07654321", "21076543", "43210765", "65432107"];
/// Where the weights of each pattern begin: of sides and corners in turn, outer, middle and inner ring. The
/// last five stand for nothing.
const FIRST: States = [0, 19_683, 0, 19_683, 0, 19_683, 0, 19_683, 39_366, 45_927, 39_366, 0, 0, 0, 0, 0];
/// Stages of the placing phase, and of both phases.
const STAGES: [usize; 2] = [24 * 5, 24 * 5 + 13 * 13];

/// The weights of a stage by state: of sides, corners, outer and inner ring, and middle ring.
pub type Weights = [i8; 1 << 16];
/// The states of the patterns of a position.
pub type States = [u16; 16];

/// Scores of positions.
pub struct Policy {
    /// The weights for each stage of positions after a turn, then of those after a reply.
    stages: Vec<Box<Weights>>,
    /// For each ring and each set of its points: what they add to states if each has the digit 1.
    parts: [[States; 256]; 3],
}

/// Returns the class of each state. Classes are numbered on from `count`, in the order of their smallest
/// states.
fn classes(images: &[&str], count: &mut usize) -> Vec<usize> {
    let digit = |state: usize, place: u8| state / 3_usize.pow(u32::from(place - b'0')) % 3;
    let picked = |state, image: &&str| image.bytes().rev().fold(0, |sum, at| 3 * sum + digit(state, at));
    let mut classes = Vec::new();
    for state in 0..3_usize.pow(images[0].len() as u32) {
        let least = images.iter().map(|image| picked(state, image)).min().unwrap_or(state);
        classes.push(if least == state { *count } else { classes[least] });
        *count += usize::from(least == state);
    }
    classes
}

impl Policy {
    /// Takes the unpacked weights, if they are sound.
    pub fn new(mut bytes: &[u8]) -> Option<Self> {
        let mut count = 0;
        let kinds = [&COLUMN_IMAGES[..], &COLUMN_IMAGES, &RING_IMAGES, &RING_IMAGES];
        let class_of = kinds.map(|images| classes(images, &mut count)).concat();
        let mut stages = Vec::new();
        for _ in 0..2 * STAGES[1] {
            let (&mark, rest) = bytes.split_first().filter(|(mark, _)| **mark <= 1)?;
            let (stored, rest) = rest.split_at_checked(usize::from(mark) * count)?;
            let mut weights = vec![0; 1 << 16];
            for (weight, class) in weights.iter_mut().zip(&class_of).filter(|_| mark == 1) {
                *weight = stored[*class].cast_signed();
            }
            stages.push(weights.try_into().ok()?);
            bytes = rest;
        }
        let part = |ring: usize, point: usize, pattern: usize| match (point + 17 - pattern) % 8 {
            place if pattern < 8 && place < 3 => 3_u16.pow((place + 6 - 3 * ring) as u32),
            _ if pattern == 8 + ring => 3_u16.pow(point as u32),
            _ => 0,
        };
        let sum = |ring, set, pattern| points(set as Set).map(|point| part(ring, point, pattern)).sum();
        let parts = from_fn(|ring| from_fn(|set| from_fn(|pattern| sum(ring, set, pattern))));
        bytes.is_empty().then_some(Self { stages, parts })
    }

    /// Returns the weights of positions after a turn of the certificate (set 0) or a reply (1), if it takes
    /// nothing and if it takes a man. The side whose turn it is comes first.
    pub fn weights(&self, set: usize, counts: Counts) -> [&Weights; 2] {
        after_turn(counts).map(|counts| {
            let [other, mover, hand, other_hand] = counts.map(|count| count as usize);
            let (hands, difference) = (hand + other_hand, (other + 2).saturating_sub(mover).min(4));
            let moving = STAGES[0] + 13 * mover + other;
            let stage = if hands > 0 { 5 * (hands - 1) + difference } else { moving };
            &*self.stages[set * STAGES[1] + stage]
        })
    }

    /// Returns the states of the patterns of a position in which these points have the digit 1.
    pub fn states(&self, set: Set) -> States {
        let [outer, middle, inner] = from_fn(|ring| &self.parts[ring][(set >> (8 * ring) & 255) as usize]);
        from_fn(|pattern| outer[pattern] + middle[pattern] + inner[pattern])
    }
}

/// Returns the score of a position: the sum of the weights of its patterns. It has the states of the mover's
/// men, and twice those of its opponent's.
pub fn score(weights: &Weights, mover: &States, opponent: &States) -> i32 {
    let states: States = from_fn(|pattern| FIRST[pattern] + mover[pattern] + 2 * opponent[pattern]);
    // In memory they are added as one vector and read as numbers, not taken out of it one by one.
    std::hint::black_box(states)[..11].iter().map(|state| i32::from(weights[usize::from(*state)])).sum()
}

/// Returns the number of slides of men to empty points.
pub fn slides(men: Set, others: Set) -> i32 {
    let (first, middle, empty): (Set, Set, Set) = (0x01_0101, 0x55_5555, ALL & !men & !others);
    let clockwise = |set: Set| set << 1 & !first | set >> 7 & first;
    let pairs = |one: Set, other: Set| (one & other).count_ones() as i32;
    let along = pairs(clockwise(men), empty) + pairs(clockwise(empty), men);
    along + pairs(men & middle, empty << 8) + pairs(men & middle, empty >> 8)
}
