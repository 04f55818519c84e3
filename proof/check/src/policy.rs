//! The score of a position, as docs/certificates.md defines it. This need not be trusted: it decides which of
//! the turns that `board.rs` gives is played, and the walk plays all replies to any turn.

use crate::board::{Counts, Men, Set, after_turn, points};

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

/// The weights of a stage by state: of sides, corners, outer and inner ring, and middle ring, one after the
/// other.
pub type Weights = [i8; 1 << 16];

/// The states of the patterns of a position, each added to the place where its weights begin.
type States = [u16; 16];

/// Scores of positions.
pub struct Policy {
    /// The weights for each stage of positions after a turn, then of those after a reply.
    stages: Vec<Box<Weights>>,
    /// For the outer, middle and inner ring and each set of its points: what they add to states if each has
    /// the digit 1.
    parts: [Vec<States>; 3],
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

/// Returns the number of slides from these points to empty neighbours.
pub fn slides(men: Set, empty: Set) -> i32 {
    let next = |set: Set| set << 1 & 0xfe_fefe | set >> 7 & 0x01_0101;
    let inward = |set: Set| set << 8 & 0x55_5500;
    let count = |one: Set, other: Set| (u64::from(one) << 32 | u64::from(other)).count_ones() as i32;
    count(next(men) & empty, men & next(empty)) + count(inward(men) & empty, men & inward(empty))
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
        let part = |ring: u32, point: u32, pattern: u32| match (point + 17 - pattern) % 8 {
            place if pattern < 8 && place < 3 => 3_u16.pow(place + 6 - 3 * ring),
            _ if pattern == 8 + ring => 3_u16.pow(point),
            _ => 0,
        };
        let sum = |ring, set: u32, pattern| points(set).map(|point| part(ring, point, pattern)).sum();
        let parts = |ring, set| std::array::from_fn(|pattern| sum(ring, set, pattern as u32));
        let parts = [0, 1, 2].map(|ring| (0..256).map(|set| parts(ring, set)).collect());
        bytes.is_empty().then_some(Self { stages, parts })
    }

    /// Returns the weights of positions after a turn of the certificate (set 0) or a reply (1), if it takes
    /// nothing and if it takes a man. The side whose turn it is comes first.
    pub fn weights(&self, set: usize, counts: Counts) -> [&Weights; 2] {
        [false, true].map(|takes| {
            let [other, mover, hand, other_hand] = after_turn(counts, takes).map(|count| count as usize);
            let (hands, difference) = (hand + other_hand, (other + 2).saturating_sub(mover).min(4));
            let moving = STAGES[0] + 13 * mover + other;
            let stage = if hands > 0 { 5 * (hands - 1) + difference } else { moving };
            &*self.stages[set * STAGES[1] + stage]
        })
    }

    /// Returns the score of a position: the sum of the weights of its patterns.
    pub fn score(&self, weights: &Weights, men: Men) -> i32 {
        let mut states = FIRST;
        for (parts, first) in self.parts.iter().zip([0, 8, 16]) {
            let [ones, twos] = [men.0, men.1].map(|set| &parts[(set >> first & 255) as usize]);
            for pattern in 0..16 {
                states[pattern] += ones[pattern] + 2 * twos[pattern];
            }
        }
        states[..11].iter().map(|state| i32::from(weights[usize::from(*state)])).sum()
    }
}
