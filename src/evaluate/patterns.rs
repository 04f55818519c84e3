//! The inputs of the network: the state of each pattern of a board, as an index.
//!
//! Eleven overlapping patterns cover the board: three rings (8 points each), four sides (the three points
//! of a side on each ring) and four corners (a corner and its two neighbours on each ring). Every line, every
//! point with all its neighbours and every open mill with the men that may close it lies inside a pattern.
//! Three more inputs count the men, the slides and the mills to close of both sides. On boards without
//! diagonals each slide and each mill to close lies inside one pattern that knows it, so they are looked up
//! with the patterns. Such patterns were
//! introduced for Othello (M. Buro, "From Simple Features to Sophisticated Evaluation Functions", 1998).

use crate::bitboard::{Bitboard, Closers, Pair};
use crate::rules::CompiledRules;
use std::sync::LazyLock;
use wide::i16x16;

/// The number of patterns: sides, corners, then the outer, the inner and the middle ring.
pub(crate) const PATTERNS: usize = 11;
/// The number of inputs: the patterns, then the counts of the whole board.
pub(crate) const INPUTS: usize = PATTERNS + 3;
/// The number of stages of the game: one for each number of men in hand, of which all from 18 on share one,
/// then those where a side flies or has three men, then one for each pair of numbers of men.
pub(crate) const STAGES: usize = FIRST_OF_PAIRS + 36;
const PLACING_STAGES: usize = 18;
const FIRST_OF_PAIRS: usize = PLACING_STAGES + 5;

/// Hundredths of a man per unit of the natural logarithm of the odds.
pub(crate) const UNIT: f32 = 64.0;

/// The room for the states of a kind of pattern, most of it unused: every number of 16 bits is an index, so
/// none is checked.
const ROOM: usize = 1 << 16;
/// The first states of the kinds of patterns.
const CORNERS: usize = ROOM;
const OUTER: usize = 2 * ROOM;
const MIDDLE: usize = 3 * ROOM;
/// The first states of the counts: mills to close, slides, and men.
const MILLS: usize = 4 * ROOM;
const SLIDES: usize = MILLS + ROOM;
const COUNTS: usize = SLIDES + SLIDES_ROOM;
/// The number of all states.
const STATES: usize = COUNTS + 256;
/// The room for the numbers of slides of both sides, of six bits each.
const SLIDES_ROOM: usize = 1 << 12;

/// The base-3 digits that a set of points of a ring contributes to the states: lanes 0 to 3 for the four
/// sides, 4 to 7 for the four corners, lane 8 for the ring itself, the rest 0.
#[repr(align(32))]
struct Digits([i16; 16]);

/// The digits of each set of points of a ring.
static DIGITS: [Digits; 256] = {
    let mut digits = [const { Digits([0; 16]) }; 256];
    let mut set = 0;
    while set < 256 {
        let mut lane = 0;
        while lane < 8 {
            // Three points along the ring, centred on a midpoint or on a corner.
            let middle = if lane < 4 { 2 * lane } else { 2 * lane - 7 };
            let before = set >> ((middle + 7) & 7) & 1;
            let centre = set >> (middle & 7) & 1;
            let after = set >> ((middle + 1) & 7) & 1;
            digits[set].0[lane] = (before + 3 * centre + 9 * after) as i16;
            lane += 1;
        }
        let (mut k, mut power) = (0, 1);
        while k < 8 {
            digits[set].0[8] += (set as i16 >> k & 1) * power;
            power *= 3;
            k += 1;
        }
        set += 1;
    }
    digits
};

/// A board as the network sees it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BoardInputs {
    /// The men of the side to move, then those of the other side.
    men: Pair,
    /// The points where a man may be placed or move to.
    empty: Bitboard,
    /// The points with edges and lines across the rings.
    spokes: Bitboard,
    /// True if the edges are those of the standard board and each point without a man may be moved to.
    is_plain: bool,
    /// The numbers of men of both sides.
    ///
    /// In the standard game those on the board: the hands follow from the turn. Under other rules those in
    /// hand count too.
    counts: [u32; 2],
    /// The number of men in both hands.
    in_hand: u32,
}

impl BoardInputs {
    /// Returns a board of the standard game. `in_hand` is the number of men in both hands.
    #[inline(always)]
    pub(crate) fn standard(men: Pair, in_hand: u32) -> Self {
        let counts = [men.first().count(), men.second().count()];
        let (empty, spokes) = (men.empty(), Bitboard::MIDPOINTS);
        Self { men, empty, spokes, is_plain: true, counts, in_hand }
    }

    /// Returns a board of any rules.
    #[inline(always)]
    pub(crate) fn new(compiled: &CompiledRules, men: Pair, empty: Bitboard, hands: [u32; 2]) -> Self {
        let [own, other] = hands;
        if compiled.standard {
            return Self::standard(men, own + other);
        }
        let counts = [men.first().count() + own, men.second().count() + other];
        let spokes = compiled.spokes;
        let is_plain = spokes == Bitboard::MIDPOINTS && empty == men.empty();
        Self { men, empty, spokes, is_plain, counts, in_hand: own + other }
    }
}

/// The numbers of points where each side could close a mill, in four bits each: all for the side to move,
/// those that a slide reaches, and the same for the other side.
///
/// No side has more than 15 such points: each needs a line with two men of its own, and a man is on at most
/// two or three lines.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct OpenMills(u16);

impl OpenMills {
    /// Counts the points.
    #[inline(always)]
    pub(crate) fn count(closers: &Closers) -> Self {
        let Closers { all, reachable } = closers;
        let sets = [reachable.second(), all.second(), reachable.first(), all.first()];
        Self(sets.iter().fold(0, |counts, set| counts << 4 | set.count().min(15) as u16))
    }

    /// Returns true if the side to move can close a mill: by a slide alone, or by any move.
    #[inline(always)]
    pub(crate) fn is_any(self, by_slide: bool) -> bool {
        self.0 & if by_slide { 0xf0 } else { 0x0f } != 0
    }
}

/// Returns the numbers of slides of both sides, in six bits each.
#[inline(always)]
fn slides(board: &BoardInputs) -> usize {
    let slides = board.men.slides(board.empty, board.spokes);
    let all: u32 = slides.iter().map(|targets| targets.count()).sum();
    let first: u32 = slides.iter().map(|targets| targets.first().count()).sum();
    (first | (all - first) << 6) as usize
}

impl PatternClasses {
    /// Returns the classes of all inputs of a board, and its open mills.
    #[inline(always)]
    pub(crate) fn of(&self, board: &BoardInputs) -> ([u16; INPUTS], OpenMills) {
        let (own, other) = (board.men.first(), board.men.second());
        let [own_count, other_count] = board.counts;
        // The digits of the outer ring, the middle and the inner one.
        let rings = [0, 8, 16].map(|shift| {
            let digits = |set: Bitboard| i16x16::new(DIGITS[(set.0 >> shift & 0xff) as usize].0);
            let other = digits(other);
            digits(own) + other + other
        });
        let blocks = ((rings[0] << 10_i16) | (rings[1] << 5_i16) | rings[2]).to_array();
        let rings = rings.map(i16x16::to_array);
        let block = |lane: usize| usize::from(blocks[lane] as u16);
        let ring = |ring: usize| usize::from(rings[ring][8] as u16);
        let sides = [0, 1, 2, 3].map(|lane| self.entries[block(lane)]);
        let corners = [4, 5, 6, 7].map(|lane| self.entries[CORNERS + block(lane)]);
        let rings = [OUTER + ring(0), OUTER + ring(2), MIDDLE + ring(1)].map(|state| self.entries[state]);
        let (slides, mills) = if board.is_plain {
            // The sums of the classes stay below bit 16.
            let sum =
                |entries: &[u32]| entries.iter().fold(0, |sum: u32, &entry| sum.wrapping_add(entry)) >> 16;
            let mills = sum(&[sides[0], sides[1], sides[2], sides[3], rings[0], rings[1], rings[2]]);
            (sum(&corners) as usize % SLIDES_ROOM, OpenMills(mills as u16))
        } else {
            (slides(board), OpenMills::count(&board.men.closers(board.empty, board.spokes)))
        };
        let classes = [
            sides[0],
            sides[1],
            sides[2],
            sides[3],
            corners[0],
            corners[1],
            corners[2],
            corners[3],
            rings[0],
            rings[1],
            rings[2],
            self.entries[COUNTS + counts(own_count, other_count)],
            self.entries[SLIDES + slides],
            self.entries[MILLS + usize::from(mills.0)],
        ];
        (classes.map(|entry| entry as u16), mills)
    }
}

/// Returns the stage of the game.
#[inline(always)]
pub(crate) fn stage(board: &BoardInputs) -> usize {
    if board.in_hand != 0 {
        return PLACING_STAGES - (board.in_hand as usize).min(PLACING_STAGES);
    }
    let [own, other] = board.counts;
    usize::from(MOVING_STAGES[counts(own, other)])
}

/// Returns the numbers of men of both sides as one number below 256.
#[inline(always)]
fn counts(own: u32, other: u32) -> usize {
    usize::from((own << 4 | other) as u8)
}

/// The stages after placing, by the [`counts`] of men.
static MOVING_STAGES: [u8; 256] = {
    let mut stages = [0; 256];
    let mut own = 0;
    while own < 16 {
        let mut other = 0;
        while other < 16 {
            stages[own << 4 | other] = match (own, other) {
                (0..=3, 0..=3) => PLACING_STAGES,
                (0..=3, 4..=5) => PLACING_STAGES + 1,
                (0..=3, _) => PLACING_STAGES + 2,
                (4..=5, 0..=3) => PLACING_STAGES + 3,
                (_, 0..=3) => PLACING_STAGES + 4,
                _ => {
                    let own = if own > 9 { 9 } else { own };
                    let other = if other > 9 { 9 } else { other };
                    FIRST_OF_PAIRS + 6 * (own - 4) + other - 4
                }
            } as u8;
            other += 1;
        }
        own += 1;
    }
    stages
};

/// The classes of states: states that a symmetry of the board exchanges share a class.
#[derive(Debug)]
pub(crate) struct PatternClasses {
    /// The class of each state in the lower half; 0 for states that no board has. What the pattern adds to
    /// the other inputs in the upper half: sides and rings the [`OpenMills`] at their midpoints and corners,
    /// corners the slides along the rings and across them at the midpoint that follows.
    entries: Box<[u32; STATES]>,
    /// The number of classes.
    pub count: usize,
}

/// The classes of states.
pub(crate) static CLASSES: LazyLock<PatternClasses> = LazyLock::new(|| {
    let mut classes = PatternClasses { entries: zeros(), count: 0 };
    let rings = (0..27).flat_map(|a| (0..27).flat_map(move |b| (0..27).map(move |c| [a, b, c])));
    let blocks: Vec<(usize, usize)> = rings.clone().map(with_first_image_of_block).collect();
    classes.add(0, &blocks);
    classes.add(CORNERS, &blocks);
    for (rings, &(state, _)) in rings.zip(&blocks) {
        classes.entries[state] |= mills_of_side(rings) << 16;
        classes.entries[CORNERS + state] |= slides_of_corner(rings) << 16;
    }
    let sides = (0..=u8::MAX).flat_map(|own| (0..=u8::MAX).map(move |other| (own, other)));
    let sides: Vec<(u8, u8)> = sides.filter(|(own, other)| own & other == 0).collect();
    let rings: Vec<(usize, usize)> = sides.iter().copied().map(with_first_image_of_ring).collect();
    classes.add(OUTER, &rings);
    classes.add(MIDDLE, &rings);
    for (&(own, other), &(state, _)) in sides.iter().zip(&rings) {
        let mills = mills_of_ring(own, other) | mills_of_ring(other, own) << 8;
        classes.entries[OUTER + state] |= mills << 16;
        classes.entries[MIDDLE + state] |= mills << 16;
    }
    // No symmetry changes the counts.
    let counts = classes.count as u32;
    let [slides, mills] = [counts + 256, counts + 512];
    classes.count += 3 * 256;
    (COUNTS..).zip(counts..slides).for_each(|(state, class)| classes.entries[state] = class);
    for state in 0..SLIDES_ROOM as u32 {
        // At most fifteen count.
        let [own, other] = [state & 63, state >> 6].map(|slides| slides.min(15));
        classes.entries[SLIDES + state as usize] = slides + (own << 4 | other);
    }
    for state in 0..ROOM as u32 {
        // At most three of each count.
        let class = (0..4).fold(0, |class, n| class << 2 | (state >> (4 * n) & 15).min(3));
        classes.entries[MILLS + state as usize] = mills + class;
    }
    classes
});

/// Returns the [`OpenMills`] at the midpoints of a side with these men on its rings.
fn mills_of_side(rings: [usize; 3]) -> u32 {
    let points = rings.map(|ring| [ring % 3, ring / 3 % 3, ring / 9]);
    let mut mills = 0;
    for (n, [before, middle, after]) in points.into_iter().enumerate() {
        if middle != 0 {
            continue;
        }
        let [next, last] = [[1, 2], [0, 2], [1, 0]][n].map(|ring| points[ring][1]);
        for side in 1..=2 {
            let along = before == side && after == side;
            let across = next == side && last == side;
            let is_near = next == side || n == 1 && last == side;
            let is_reachable = along && is_near || across && (before == side || after == side);
            mills += (u32::from(along || across) | u32::from(is_reachable) << 4) << (8 * (side - 1));
        }
    }
    mills
}

/// Returns the [`OpenMills`] of one side at the corners of a ring with these men.
fn mills_of_ring(own: u8, other: u8) -> u32 {
    let corners = Bitboard::CORNERS.0 as u8 & !(own | other);
    let before = own.rotate_left(1);
    let after = own.rotate_right(1);
    let forward = after & own.rotate_right(2) & corners;
    let backward = before & own.rotate_left(2) & corners;
    (forward | backward).count_ones() | (forward & before | backward & after).count_ones() << 4
}

/// Returns the numbers of slides of both sides, in six bits each: those along the rings at a corner with
/// these men on its rings, and those across the rings at the midpoint that follows it.
fn slides_of_corner(rings: [usize; 3]) -> u32 {
    let [[a, b, c], [d, e, f], [g, h, i]] = rings.map(|ring| [ring % 3, ring / 3 % 3, ring / 9]);
    let edges = [(a, b), (b, c), (d, e), (e, f), (g, h), (h, i), (c, f), (f, i)];
    let slides =
        |side: usize| edges.iter().filter(|&&edge| edge == (side, 0) || edge == (0, side)).count() as u32;
    slides(1) | slides(2) << 6
}

/// Returns zeros that take no memory before they are changed.
fn zeros() -> Box<[u32; STATES]> {
    vec![0; STATES].try_into().unwrap_or_else(|_| unreachable!("the length is that of the array"))
}

impl PatternClasses {
    /// Adds the states of one kind of pattern, each with the first state among its images.
    fn add(&mut self, start: usize, states: &[(usize, usize)]) {
        for &(state, _) in states.iter().filter(|(state, first)| state == first) {
            self.entries[start + state] = self.count as u32;
            self.count += 1;
        }
        for &(state, first) in states {
            self.entries[start + state] = self.entries[start + first];
        }
    }
}

/// Returns the state of a side or corner with these men on its rings, and the first state among its images: a
/// mirror image exchanges the two ends of each ring, and the outer ring may be exchanged with the inner.
fn with_first_image_of_block([a, b, c]: [usize; 3]) -> (usize, usize) {
    let state = |[a, b, c]: [usize; 3]| a << 10 | b << 5 | c;
    let mirrored = |[a, b, c]: [usize; 3]| [a, b, c].map(|men| men / 9 + men / 3 % 3 * 3 + men % 3 * 9);
    let images = [[a, b, c], [c, b, a], mirrored([a, b, c]), mirrored([c, b, a])];
    (state([a, b, c]), images.map(state).into_iter().min().unwrap_or_default())
}

/// The same for a ring, whose images are its quarter turns and their mirror images.
fn with_first_image_of_ring((own, other): (u8, u8)) -> (usize, usize) {
    let state = |[own, other]: [u8; 2]| {
        (DIGITS[usize::from(own)].0[8] + 2 * DIGITS[usize::from(other)].0[8]) as usize
    };
    // Reversing the bits is k -> 7 - k; one step back makes it a mirror that keeps the midpoints.
    let mirrored = [own, other].map(|men| men.reverse_bits().rotate_left(1));
    let images = (0..8).map(|n| {
        let men = if n < 4 { [own, other] } else { mirrored };
        state(men.map(|men| men.rotate_left(2 * (n % 4))))
    });
    (state([own, other]), images.min().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bitboard::SYMMETRIES;
    use rand::rngs::StdRng;
    use rand::{Rng as _, SeedableRng as _};

    #[test]
    fn images_of_a_board_show_the_same_classes() {
        let mut random = StdRng::seed_from_u64(1);
        let classes = |own: u32, other: u32, symmetry: usize| {
            let [own, other] = [own, other].map(|men| Bitboard(men).transform(symmetry));
            let board = BoardInputs::standard(Pair::new(own, other), 0);
            let (mut classes, _) = CLASSES.of(&board);
            classes.sort_unstable();
            classes
        };
        for _ in 0..1_000 {
            let own = random.random::<u32>() & 0x00ff_ffff;
            let other = random.random::<u32>() & 0x00ff_ffff & !own;
            let plain = classes(own, other, 0);
            assert!(
                (1..SYMMETRIES).all(|symmetry| classes(own, other, symmetry) == plain),
                "{own:x} {other:x}"
            );
        }
    }

    #[test]
    fn a_pattern_tells_every_filling_apart_but_for_symmetry() {
        // By Burnside's lemma: the mean number of states that a symmetry leaves unchanged.
        let block = (27 * 27 * 27 + 9 * 9 * 9 + 27 * 27 + 27 * 9) / 4;
        let ring = (6_561 + 2 * 9 + 81 + 4 * 243) / 8;
        assert_eq!(CLASSES.count, 2 * block + 2 * ring + 3 * 256);
        assert_eq!(CLASSES.entries.iter().map(|&entry| entry as u16).max(), Some(CLASSES.count as u16 - 1));
        // Seven classes of sides and rings, and four of corners, add up without a carry.
        let last = |states: std::ops::Range<usize>| {
            CLASSES.entries[states].iter().map(|&entry| u32::from(entry as u16)).max().unwrap()
        };
        assert!(4 * last(0..ROOM) + 3 * last(OUTER..MILLS) < 1 << 16);
        assert!(4 * last(CORNERS..OUTER) < 1 << 16);
    }

    #[test]
    fn the_patterns_add_up_to_the_slides_and_mills_of_the_board() {
        let mut random = StdRng::seed_from_u64(2);
        for _ in 0..10_000 {
            let mut men = [Bitboard::EMPTY; 2];
            for n in 0..random.random_range(0..24) {
                let free: Vec<_> = (!(men[0] | men[1])).into_iter().collect();
                let side = &mut men[n % 2];
                *side = side.with(free[random.random_range(0..free.len())]);
            }
            let plain = BoardInputs::standard(Pair::new(men[0], men[1]), 0);
            let counted = BoardInputs { is_plain: false, ..plain };
            assert_eq!(CLASSES.of(&plain), CLASSES.of(&counted), "{men:?}");
        }
    }

    #[test]
    fn every_position_has_a_stage() {
        const EMPTY: Pair = Pair::both(Bitboard::EMPTY);
        for in_hand in 0..=24 {
            for own in 0..=12 {
                for other in 0..=12 {
                    let board = BoardInputs { counts: [own, other], ..BoardInputs::standard(EMPTY, in_hand) };
                    assert!(stage(&board) < STAGES);
                }
            }
        }
    }
}
