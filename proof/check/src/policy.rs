//! The score of a position after a turn, as docs/certificates.md defines it. This need not be trusted: it
//! decides which of the turns that `board.rs` gives is played, and the walk plays all replies to any turn.

use crate::board::{Game, Men, Set};

/// Positions of the digits 0 to 8 of a side or corner after the symmetries that leave its weight as it is.
const COLUMN_IMAGES: [&str; 4] = ["012345678", "210543876", "678345012", "876543210"];
/// The same for the digits of a ring.
const RING_IMAGES: [&str; 8] =
    ["01234567", "23456701", "45670123", "67012345", "07654321", "21076543", "43210765", "65432107"];

/// Scores of positions after a turn.
pub struct Policy {
    /// For each stage with weights: those of sides, corners, outer and inner ring, and middle ring, by state.
    stages: Vec<Option<[Vec<i8>; 4]>>,
    /// For each set of points of a ring, as if each had the digit 1: b for m = 0 to 7, and the ring's state.
    states: Vec<[u16; 9]>,
    slide_weight: i16,
    fly_at: u32,
}

/// Returns the class of each state. Classes are numbered in the order of their smallest states.
fn classes(images: &[&str]) -> Vec<usize> {
    let digit = |state: usize, place: u8| state / 3_usize.pow(u32::from(place - b'0')) % 3;
    let picked =
        |state, image: &&str| image.bytes().rev().fold(0, |sum, place| 3 * sum + digit(state, place));
    let (mut classes, mut count) = (Vec::new(), 0);
    for state in 0..3_usize.pow(images[0].len() as u32) {
        let least = images.iter().map(|image| picked(state, image)).min().unwrap_or(state);
        classes.push(if least == state { count } else { classes[least] });
        count += usize::from(least == state);
    }
    classes
}

/// Returns the number of slides from these points to empty neighbours.
fn slides(men: Set, empty: Set) -> i16 {
    let next = |set: Set| set << 1 & 0xfe_fefe | set >> 7 & 0x01_0101;
    let inward = |set: Set| set << 8 & 0x55_5500;
    let slides = [next(men) & empty, men & next(empty), inward(men) & empty, men & inward(empty)];
    slides.map(Set::count_ones).iter().sum::<u32>() as i16
}

impl Policy {
    /// Takes the unpacked weights, if they are sound.
    pub fn new(mut bytes: &[u8], slide_weight: i16, game: Game) -> Option<Self> {
        let (columns, rings) = (classes(&COLUMN_IMAGES), classes(&RING_IMAGES));
        let mut stages = Vec::new();
        for _ in 0..24 + 13 * 13 {
            let (&mark, mut rest) = bytes.split_first()?;
            let mut tables = [(); 4].map(|()| Vec::new());
            for (table, classes) in tables.iter_mut().zip([&columns, &columns, &rings, &rings]) {
                if mark == 1 {
                    let (weights, after) = rest.split_at_checked(classes.iter().max()? + 1)?;
                    *table = classes.iter().map(|&class| weights[class].cast_signed()).collect();
                    rest = after;
                }
            }
            stages.push([None, Some(tables)].into_iter().nth(usize::from(mark))?);
            bytes = rest;
        }
        let sum = |set: Set, places: &[u32]| {
            places.iter().rev().fold(0, |sum, place| 3 * sum + (set >> (place % 8) & 1) as u16)
        };
        let all = |set| {
            let column = |m| sum(set, &[m + 7, m, m + 1]);
            [0, 1, 2, 3, 4, 5, 6, 7].map(column).into_iter().chain([sum(set, &[0, 1, 2, 3, 4, 5, 6, 7])])
        };
        let states = (0..256).map(|set| all(set).collect::<Vec<_>>().try_into().expect("nine")).collect();
        bytes.is_empty().then_some(Self { stages, states, slide_weight, fly_at: game.fly_at })
    }

    /// Returns the score after a turn of the side with the first men, with so many men in both hands.
    pub fn score(&self, (own, theirs): Men, hands: u32) -> i16 {
        let stage = if hands > 0 { hands - 1 } else { 24 + 13 * theirs.count_ones() + own.count_ones() };
        let slides = if hands > 0 || theirs.count_ones() <= self.fly_at {
            0
        } else {
            slides(theirs, 0xff_ffff & !own & !theirs)
        };
        // A stage without weights scores nothing.
        let Some([sides, corners, rings, middle]) = &self.stages[stage as usize] else {
            return -self.slide_weight * slides;
        };
        let state = |set: Set, ring: u32| &self.states[(set >> ring) as usize & 255];
        let [a, b, c] = [0, 8, 16].map(|ring| {
            let (ones, twos) = (state(theirs, ring), state(own, ring));
            std::array::from_fn::<usize, 9, _>(|at| usize::from(ones[at] + 2 * twos[at]))
        });
        let column = |m: usize| 729 * a[m] + 27 * b[m] + c[m];
        let mut score = i16::from(rings[a[8]]) + i16::from(middle[b[8]]) + i16::from(rings[c[8]]);
        for m in [0, 2, 4, 6] {
            score += i16::from(sides[column(m)]) + i16::from(corners[column(m + 1)]);
        }
        score - self.slide_weight * slides
    }
}
