//! The inputs of the network: the state of each pattern of a board, as an index.
//!
//! Eleven overlapping patterns cover the board: three rings (8 points each), four sides (the three points
//! of a side on each ring) and four corners (a corner and its two neighbours on each ring). Every line, every
//! point with all its neighbours and every open mill with the men that may close it lies inside a pattern.
//! Three more inputs count the men, the slides and the mills to close of both sides. Such patterns were
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
/// The first states of the counts: men, slides, and mills to close.
const COUNTS: usize = 4 * ROOM;
const SLIDES: usize = COUNTS + 256;
const MILLS: usize = SLIDES + 256;
/// The number of all states.
pub(crate) const STATES: usize = MILLS + 256;

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
        Self { men, empty: men.empty(), spokes: Bitboard::MIDPOINTS, counts, in_hand }
    }

    /// Returns a board of any rules.
    #[inline(always)]
    pub(crate) fn new(compiled: &CompiledRules, men: Pair, empty: Bitboard, hands: [u32; 2]) -> Self {
        let [own, other] = hands;
        if compiled.standard {
            return Self::standard(men, own + other);
        }
        let counts = [men.first().count() + own, men.second().count() + other];
        Self { men, empty, spokes: compiled.spokes, counts, in_hand: own + other }
    }

    /// Returns the points where mills can be closed.
    #[inline(always)]
    pub(crate) fn closers(&self) -> Closers {
        self.men.closers(self.empty, self.spokes)
    }
}

/// Returns the numbers of slides of both sides, at most fifteen each: sixteen times that of the first plus
/// the other.
#[inline(always)]
fn slides(board: &BoardInputs) -> usize {
    let slides = board.men.slides(board.empty, board.spokes);
    let all: u32 = slides.iter().map(|targets| targets.count()).sum();
    let first: u32 = slides.iter().map(|targets| targets.first().count()).sum();
    (first.min(15) << 4 | (all - first).min(15)) as usize
}

/// Returns the numbers of mills that both sides could close, at all and by a slide, at most three each, in
/// base 4.
#[inline(always)]
fn mills(closers: &Closers) -> usize {
    let Closers { all, reachable } = closers;
    let sets = [all.first(), reachable.first(), all.second(), reachable.second()];
    sets.iter().fold(0, |index, set| index << 2 | set.count().min(3) as usize)
}

/// Returns the states of all inputs. `closers` are those of the board.
#[inline(always)]
pub(crate) fn states(board: &BoardInputs, closers: &Closers) -> [usize; INPUTS] {
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
    [
        block(0),
        block(1),
        block(2),
        block(3),
        CORNERS + block(4),
        CORNERS + block(5),
        CORNERS + block(6),
        CORNERS + block(7),
        OUTER + ring(0),
        OUTER + ring(2),
        MIDDLE + ring(1),
        COUNTS + counts(own_count, other_count),
        SLIDES + slides(board),
        MILLS + mills(closers),
    ]
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
    /// The class of each state; 0 for states that no board has.
    pub of: Box<[u16; STATES]>,
    /// The number of classes.
    pub count: usize,
}

/// The classes of states.
pub(crate) static CLASSES: LazyLock<PatternClasses> = LazyLock::new(|| {
    let mut classes = PatternClasses { of: zeros(), count: 0 };
    let rings = (0..27).flat_map(|a| (0..27).flat_map(move |b| (0..27).map(move |c| [a, b, c])));
    let blocks: Vec<(usize, usize)> = rings.map(with_first_image_of_block).collect();
    classes.add(0, &blocks);
    classes.add(CORNERS, &blocks);
    let sides = (0..=u8::MAX).flat_map(|own| (0..=u8::MAX).map(move |other| (own, other)));
    let rings: Vec<(usize, usize)> =
        sides.filter(|(own, other)| own & other == 0).map(with_first_image_of_ring).collect();
    classes.add(OUTER, &rings);
    classes.add(MIDDLE, &rings);
    // No symmetry changes the counts.
    let counts: Vec<(usize, usize)> = (0..STATES - COUNTS).map(|state| (state, state)).collect();
    classes.add(COUNTS, &counts);
    classes
});

/// Returns zeros that take no memory before they are changed.
fn zeros() -> Box<[u16; STATES]> {
    vec![0; STATES].try_into().unwrap_or_else(|_| unreachable!("the length is that of the array"))
}

impl PatternClasses {
    /// Adds the states of one kind of pattern, each with the first state among its images.
    fn add(&mut self, start: usize, states: &[(usize, usize)]) {
        for &(state, _) in states.iter().filter(|(state, first)| state == first) {
            self.of[start + state] = self.count as u16;
            self.count += 1;
        }
        for &(state, first) in states {
            self.of[start + state] = self.of[start + first];
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
            let mut classes = states(&board, &board.closers()).map(|state| CLASSES.of[state]);
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
        assert_eq!(CLASSES.of.iter().max().map(|&last| usize::from(last)), Some(CLASSES.count - 1));
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
