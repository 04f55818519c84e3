//! The score of a position, as docs/certificates.md defines it. This need not be trusted: it decides which of
//! the turns that `board.rs` gives is played, and the walk plays all replies to any turn.

use crate::board::{Men, Set};

/// Positions of the digits 0 to 8 of a side or corner after the symmetries that leave its weight as it is.
const COLUMN_IMAGES: [&str; 4] = ["012345678", "210543876", "678345012", "876543210"];
/// The same for the digits of a ring.
const RING_IMAGES: [&str; 8] =
    ["01234567", "23456701", "45670123", "67012345", "07654321", "21076543", "43210765", "65432107"];
/// Stages of the placing phase, and of both phases.
const STAGES: [usize; 2] = [24 * 5, 24 * 5 + 13 * 13];

/// Scores of positions.
pub struct Policy {
    /// The weights of sides, corners, outer and inner ring, and middle ring, by state: for each stage of
    /// positions after a turn, then of those after a reply. A stage without weights has only zeros.
    stages: Vec<Option<[Vec<i8>; 4]>>,
    /// For each set of points of a ring, as if each had the digit 1: b for m = 0 to 7, and the ring's state.
    columns: Vec<[u16; 8]>,
    rings: Vec<u16>,
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
        let (mut stages, mut count) = (Vec::new(), 0);
        let mut kind = |images: &[&str]| classes(images, &mut count);
        let kinds = [kind(&COLUMN_IMAGES), kind(&COLUMN_IMAGES), kind(&RING_IMAGES), kind(&RING_IMAGES)];
        for _ in 0..2 * STAGES[1] {
            let (&mark, rest) = bytes.split_first().filter(|(mark, _)| **mark <= 1)?;
            let (stored, rest) = rest.split_at_checked(usize::from(mark) * count)?;
            let table = |kind: &Vec<usize>| kind.iter().map(|class| stored[*class].cast_signed()).collect();
            stages.push((mark == 1).then(|| kinds.each_ref().map(table)));
            bytes = rest;
        }
        let digit = |set: usize, place: usize| (set >> (place % 8) & 1) as u16;
        let column = |set, m| digit(set, m + 7) + 3 * digit(set, m) + 9 * digit(set, m + 1);
        let ring = |set| (0..8).rev().fold(0, |sum, place| 3 * sum + digit(set, place));
        let columns = (0..256).map(|set| std::array::from_fn(|m| column(set, m))).collect();
        let rings = (0..256).map(ring).collect();
        bytes.is_empty().then_some(Self { stages, columns, rings })
    }

    /// Returns the sum of the weights of all patterns of a position after a turn (set 0) or a reply (1), with
    /// so many men of the mover and its opponent, and in both hands.
    pub fn sum(&self, set: usize, [mover, other]: [u32; 2], hands: u32, men: Men) -> i32 {
        let difference = (other + 2).saturating_sub(mover).min(4) as usize;
        let moving = STAGES[0] + (13 * mover + other) as usize;
        let stage = if hands > 0 { 5 * (hands as usize - 1) + difference } else { moving };
        let Some([sides, corners, rings, middle]) = &self.stages[set * STAGES[1] + stage] else { return 0 };
        let byte = |set: Set, ring: u32| (set >> ring) as usize & 255;
        let [a, b, c] = [0, 8, 16].map(|ring| {
            let (ones, twos) = (&self.columns[byte(men.0, ring)], &self.columns[byte(men.1, ring)]);
            std::array::from_fn::<u16, 8, _>(|m| ones[m] + 2 * twos[m])
        });
        let column: [u16; 8] = std::array::from_fn(|m| 729 * a[m] + 27 * b[m] + c[m]);
        let ring = |ring| usize::from(self.rings[byte(men.0, ring)] + 2 * self.rings[byte(men.1, ring)]);
        let mut sum = i32::from(rings[ring(0)]) + i32::from(middle[ring(8)]) + i32::from(rings[ring(16)]);
        for (m, state) in column.into_iter().map(usize::from).enumerate() {
            sum += i32::from(if m % 2 == 0 { sides[state] } else { corners[state] });
        }
        sum
    }
}
