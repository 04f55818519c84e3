//! The inputs of the network: the state of each pattern of a board, as an index.
//!
//! Eleven overlapping patterns cover the board: three rings (8 points each), four sides (the three points of
//! a side on each ring) and four corners (a corner and its two neighbours on each ring). Every line, every
//! point with all its neighbours and, without diagonals, every open mill with the men that may close it lies
//! inside a pattern.
//! Three more inputs count the men, the slides and the mills to close of both sides. On boards without
//! diagonals each slide and each mill to close lies inside one pattern that knows it, so they are looked up
//! with the patterns. Such patterns were introduced for Othello (M. Buro, "From Simple Features to
//! Sophisticated Evaluation Functions", 1998).
//!
//! A board with marked points has eight inputs more: the set of marked points of each side and corner.

use crate::bitboard::{Bitboard, Closers, Pair, digits_of, mirrored};
#[cfg(any(test, feature = "cli"))]
use crate::rules::CompiledRules;
use std::sync::LazyLock;
use wide::i16x16;

/// The number of patterns: sides, corners, then the outer, the inner and the middle ring.
const PATTERNS: usize = 11;
/// The number of inputs: the patterns, then the counts of the whole board.
pub(crate) const INPUTS: usize = PATTERNS + 3;
/// The number of inputs that a board with marked points has besides.
pub(crate) const MARK_INPUTS: usize = 8;
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
const CORNERS_WITH_DIAGONALS: usize = 2 * ROOM;
const OUTER: usize = 3 * ROOM;
const MIDDLE: usize = 4 * ROOM;
/// The first states of the counts: mills to close, slides, and men.
const MILLS: usize = 5 * ROOM;
const SLIDES: usize = MILLS + ROOM;
const COUNTS: usize = SLIDES + SLIDES_ROOM;
/// The number of all states.
const STATES: usize = COUNTS + 256;
/// The room for the numbers of slides of both sides, of six bits each.
const SLIDES_ROOM: usize = 1 << 12;

/// [`digits_of`] the points of a ring, the rest 0.
#[repr(align(32))]
struct Digits([i16; 16]);

/// The digits of each set of points of a ring.
static DIGITS: [Digits; 256] = {
    let mut all = [const { Digits([0; 16]) }; 256];
    let mut set = 0;
    while set < 256 {
        let digits = digits_of(set as u8);
        let mut lane = 0;
        while lane < digits.len() {
            all[set].0[lane] = digits[lane] as i16;
            lane += 1;
        }
        set += 1;
    }
    all
};

/// The kind of a board, which decides what its patterns know.
///
/// Slides are looked up with the patterns unless points are marked: men may not move there. Mills to close
/// are looked up on boards without diagonals only, since no pattern knows both a side and the diagonal at its
/// end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct BoardKind {
    /// True if the corners of the rings are joined.
    pub diagonals: bool,
    /// True if points without men may be marked.
    pub marks: bool,
}

/// A board as the network sees it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BoardInputs {
    kind: BoardKind,
    /// The men of the side to move, then those of the other side.
    men: Pair,
    /// The points where a man may be placed or move to.
    empty: Bitboard,
    /// The numbers of men of both sides.
    ///
    /// The network of the standard game counts those on the board: the hands follow from the turn. The others
    /// count those in hand too.
    counts: [u32; 2],
    /// The number of men in both hands.
    in_hand: u32,
}

impl BoardInputs {
    /// Returns a board of the standard game. `in_hand` is the number of men in both hands.
    #[inline(always)]
    pub(crate) fn standard(men: Pair, in_hand: u32) -> Self {
        let kind = BoardKind { diagonals: false, marks: false };
        let counts = [men.first().count(), men.second().count()];
        Self { kind, men, empty: men.empty(), counts, in_hand }
    }

    /// Returns a board of other rules. `empty` counts only if points may be marked.
    #[inline(always)]
    pub(crate) fn other(kind: BoardKind, men: Pair, empty: Bitboard, hands: [u32; 2]) -> Self {
        let [own, other] = hands;
        let empty = if kind.marks { empty } else { men.empty() };
        let counts = [men.first().count() + own, men.second().count() + other];
        Self { kind, men, empty, counts, in_hand: own + other }
    }

    /// Returns a board of any rules.
    #[cfg(any(test, feature = "cli"))]
    pub(crate) fn new(compiled: &CompiledRules, men: Pair, empty: Bitboard, hands: [u32; 2]) -> Self {
        if compiled.standard {
            return Self::standard(men, hands[0] + hands[1]);
        }
        let kind = BoardKind { diagonals: compiled.spokes == Bitboard::FULL, marks: empty != men.empty() };
        Self::other(kind, men, empty, hands)
    }

    /// The points with edges and lines across the rings.
    #[inline(always)]
    const fn spokes(&self) -> Bitboard {
        if self.kind.diagonals { Bitboard::FULL } else { Bitboard::MIDPOINTS }
    }
}

/// The moves of both sides as the patterns of a board tell them.
///
/// Bits 0–15 hold the numbers of points where a side could close a mill, in four bits each: all for the side
/// to move, those that a slide reaches, and the same for the other side. No side has more than 12, the most
/// of all sets of up to twelve men, found by enumeration. Bits 16–27 hold the numbers of slides of both
/// sides, in six bits each.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct MoveCounts(u32);

impl MoveCounts {
    /// Counts points and slides; `slides` are those of [`Pair::slides`].
    #[inline(always)]
    pub(crate) fn new(closers: &Closers, slides: &[Pair; 4]) -> Self {
        let all: u32 = slides.iter().map(|targets| targets.count()).sum();
        let first: u32 = slides.iter().map(|targets| targets.first().count()).sum();
        Self(Self::mills_of(closers) | first << 16 | (all - first) << 22)
    }

    #[inline(always)]
    fn mills_of(closers: &Closers) -> u32 {
        let Closers { all, reachable } = closers;
        let sets = [reachable.second(), all.second(), reachable.first(), all.first()];
        sets.iter().fold(0, |counts, set| counts << 4 | set.count())
    }

    /// Returns true if the side to move could close a mill: by a slide alone, or by any move.
    #[inline(always)]
    pub(crate) fn may_close_mill(self, by_slide: bool) -> bool {
        self.0 & if by_slide { 0xf0 } else { 0x0f } != 0
    }

    /// Returns true if a man of the side to move has an empty point beside it.
    #[inline(always)]
    pub(crate) fn has_slides(self) -> bool {
        self.0 & 0x3f_0000 != 0
    }

    /// The numbers of points where mills could be closed.
    #[inline(always)]
    fn mills(self) -> usize {
        usize::from(self.0 as u16)
    }

    /// The numbers of slides.
    #[inline(always)]
    fn slides(self) -> usize {
        (self.0 >> 16) as usize % SLIDES_ROOM
    }
}

impl PatternClasses {
    /// Returns the classes of the inputs that every board has, and what they say about moves.
    #[inline(always)]
    pub(crate) fn of(&self, board: &BoardInputs) -> ([u16; INPUTS], MoveCounts) {
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
        let BoardInputs { kind, men, empty, .. } = *board;
        let corner = if kind.diagonals { CORNERS_WITH_DIAGONALS } else { CORNERS };
        let corners = [4, 5, 6, 7].map(|lane| self.entries[corner + block(lane)]);
        let rings = [OUTER + ring(0), OUTER + ring(2), MIDDLE + ring(1)].map(|state| self.entries[state]);
        let closers = || men.closers(empty, board.spokes());
        let moves = if kind.marks {
            MoveCounts::new(&closers(), &men.slides(empty, board.spokes()))
        } else {
            // The sums of the classes stay below bit 16.
            let sum = |entries: &[u32]| entries.iter().fold(0, |sum: u32, &entry| sum.wrapping_add(entry));
            let mills = if kind.diagonals {
                MoveCounts::mills_of(&closers())
            } else {
                sum(&[sides[0], sides[1], sides[2], sides[3], rings[0], rings[1], rings[2]]) >> 16
            };
            MoveCounts(mills | sum(&corners) & 0xfff_0000)
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
            self.entries[SLIDES + moves.slides()],
            self.entries[MILLS + moves.mills()],
        ];
        (classes.map(|entry| entry as u16), moves)
    }
}

/// Returns the classes of the inputs that tell marked points, if there may be any.
#[inline(always)]
pub(crate) fn mark_classes(board: &BoardInputs) -> Option<[u16; MARK_INPUTS]> {
    if !board.kind.marks {
        return None;
    }
    let marks = board.men.empty() - board.empty;
    let [a, b, c] = [0, 8, 16].map(|shift| i16x16::new(DIGITS[(marks.0 >> shift & 0xff) as usize].0));
    let sets = ((a << 8_i16) | (b << 4_i16) | c).to_array();
    Some(std::array::from_fn(|lane| MARK_CLASSES[lane / 4][usize::from(sets[lane] as u16) % MARK_SETS]))
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
    /// [`MoveCounts`] in the upper half: sides and rings the mills at their midpoints and corners, corners
    /// the slides along the rings and across them at the midpoint that follows.
    entries: Box<[u32; STATES]>,
}

/// The number of classes of sides, and of corners. By Burnside's lemma it is the mean number of states that a
/// symmetry leaves unchanged.
const BLOCKS: u32 = (27 * 27 * 27 + 9 * 9 * 9 + 27 * 27 + 27 * 9) / 4;
/// The number of classes of the outer and inner ring, and of the middle one.
const RINGS: u32 = (6_561 + 2 * 9 + 81 + 4 * 243) / 8;
/// The first classes of the counts.
const FIRST_COUNTS: u32 = 2 * (BLOCKS + RINGS);
/// The first class of the marked points, after three times 256 classes of counts.
pub(crate) const FIRST_MARKS: usize = FIRST_COUNTS as usize + 3 * 256;
/// The number of classes of the marked points of sides, and of corners, by Burnside's lemma.
const MARKS: usize = (512 + 64 + 64 + 32) / 4;
/// The number of all classes.
pub(crate) const CLASS_COUNT: usize = FIRST_MARKS + 2 * MARKS;

/// Returns the images of a side or corner under the symmetries of the board.
///
/// It is given by what is on its three rings, then by the same in opposite order. A mirror image exchanges
/// the two ends of each ring, and the outer ring may be exchanged with the inner.
const fn images_of_block([a, b, c]: [usize; 3], [d, e, f]: [usize; 3]) -> [[usize; 3]; 4] {
    [[a, b, c], [c, b, a], [d, e, f], [f, e, d]]
}

/// The room for sets of marked points of a side or corner: four bits for the digits of each ring.
const MARK_SETS: usize = 1 << 12;

/// The classes of sets of marked points of sides, and of corners, by their [`DIGITS`] on the three rings.
static MARK_CLASSES: [[u16; MARK_SETS]; 2] = {
    const fn digits(ring: usize) -> usize {
        (ring & 1) + 3 * (ring >> 1 & 1) + 9 * (ring >> 2)
    }
    let mut classes = [[0; MARK_SETS]; 2];
    let (mut class, mut set) = (FIRST_MARKS, 0);
    while set < 512 {
        let [a, b, c] = [digits(set >> 6), digits(set >> 3 & 7), digits(set & 7)];
        let images = images_of_block([a, b, c], [mirrored(a), mirrored(b), mirrored(c)]);
        // The first of the images has no class yet, and gives all their class.
        if classes[0][a << 8 | b << 4 | c] == 0 {
            let mut n = 0;
            while n < images.len() {
                let [a, b, c] = images[n];
                classes[0][a << 8 | b << 4 | c] = class as u16;
                classes[1][a << 8 | b << 4 | c] = (class + MARKS) as u16;
                n += 1;
            }
            class += 1;
        }
        set += 1;
    }
    assert!(class == FIRST_MARKS + MARKS);
    classes
};

/// The classes of states.
pub(crate) static CLASSES: LazyLock<PatternClasses> = LazyLock::new(|| {
    let mut entries = zeros();
    add_blocks(&mut entries);
    add_rings(&mut entries);
    // No symmetry changes the counts.
    let [slides, mills] = [FIRST_COUNTS + 256, FIRST_COUNTS + 512];
    for state in 0..256 {
        entries[COUNTS + state] = FIRST_COUNTS + state as u32;
    }
    for state in 0..SLIDES_ROOM {
        // At most fifteen count.
        let [own, other] = [state & 63, state >> 6].map(|slides| slides.min(15) as u32);
        entries[SLIDES + state] = slides + (own << 4 | other);
    }
    // At most three of each of the four counts.
    let halves: [u32; 256] =
        std::array::from_fn(|counts| ((counts & 15).min(3) << 2 | (counts >> 4).min(3)) as u32);
    for (upper, states) in entries[MILLS..MILLS + ROOM].chunks_exact_mut(256).enumerate() {
        for (entry, lower) in states.iter_mut().zip(halves) {
            *entry = mills + (lower << 4 | halves[upper]);
        }
    }
    PatternClasses { entries }
});

/// Adds the sides and corners, with the men on three rings.
fn add_blocks(entries: &mut [u32; STATES]) {
    let mut classes = 0..BLOCKS;
    let rings = (0..27).flat_map(|a| (0..27).flat_map(move |b| (0..27).map(move |c| [a, b, c])));
    for [a, b, c] in rings {
        let state = |[a, b, c]: [usize; 3]| a << 10 | b << 5 | c;
        let this = state([a, b, c]);
        let images = images_of_block([a, b, c], [mirrored(a), mirrored(b), mirrored(c)]).map(state);
        // The first of the images, which come in their order, gives all their class.
        if images.iter().all(|&image| image >= this) {
            let class = classes.next().unwrap_or_default();
            for image in images {
                entries[image] |= class;
                entries[CORNERS + image] |= BLOCKS + class;
                entries[CORNERS_WITH_DIAGONALS + image] |= BLOCKS + class;
            }
        }
        let middles = [a, b, c].map(|ring| ring / 3 % 3);
        let mills = MILLS_OF_POINT[a][middles[1]][middles[2]]
            + MILLS_OF_MIDDLE[b][middles[0]][middles[2]]
            + MILLS_OF_POINT[c][middles[1]][middles[0]];
        entries[this] |= mills << 16;
        let along = SLIDES_OF_RING[a] + SLIDES_OF_RING[b] + SLIDES_OF_RING[c];
        let slides = along + SLIDES_OF_EDGE[a / 9][b / 9] + SLIDES_OF_EDGE[b / 9][c / 9];
        entries[CORNERS + this] |= slides << 16;
        let diagonal = SLIDES_OF_EDGE[middles[0]][middles[1]] + SLIDES_OF_EDGE[middles[1]][middles[2]];
        entries[CORNERS_WITH_DIAGONALS + this] |= (slides + diagonal) << 16;
    }
}

/// Adds the rings, whose images are their quarter turns and their mirror images.
fn add_rings(entries: &mut [u32; STATES]) {
    let digits = |set: u8| DIGITS[usize::from(set)].0[8] as usize;
    let mut classes = 2 * BLOCKS..2 * BLOCKS + RINGS;
    for own in 0..=u8::MAX {
        let mut other = 0;
        loop {
            let state = |[own, other]: [u8; 2]| digits(own) + 2 * digits(other);
            // Reversing the bits is k -> 7 - k; one step back makes it a mirror that keeps the midpoints.
            let mirrored = [own, other].map(|men| men.reverse_bits().rotate_left(1));
            let turned = |men: [u8; 2], n: u32| state(men.map(|men| men.rotate_left(2 * n)));
            let this = state([own, other]);
            let images = (0..4).flat_map(|n| [turned([own, other], n), turned(mirrored, n)]);
            if images.clone().all(|image| image >= this) {
                let class = classes.next().unwrap_or_default();
                images.for_each(|image| {
                    entries[OUTER + image] = entries[OUTER + image] & !0xffff | class;
                    entries[MIDDLE + image] = entries[MIDDLE + image] & !0xffff | (RINGS + class);
                });
            }
            let mills = mills_of_ring(own, other) | mills_of_ring(other, own) << 8;
            entries[OUTER + this] |= mills << 16;
            entries[MIDDLE + this] |= mills << 16;
            // The next set of points without own men.
            other = (other | own).wrapping_add(1) & !own;
            if other == 0 {
                break;
            }
        }
    }
}

/// The mills that both sides could close at a midpoint of the outer or inner ring, as in [`MoveCounts`], by
/// the men of the side on this ring, and at the midpoints of the middle ring and the last.
static MILLS_OF_POINT: [[[u32; 3]; 3]; 27] = mills_of_points(false);
/// The same at a midpoint of the middle ring, by the midpoints of the two others.
static MILLS_OF_MIDDLE: [[[u32; 3]; 3]; 27] = mills_of_points(true);

const fn mills_of_points(has_two_spokes: bool) -> [[[u32; 3]; 3]; 27] {
    let mut counts = [[[0; 3]; 3]; 27];
    let mut n = 0;
    while n < 27 * 9 * 2 {
        let (ring, next, last, side) = (n / 18, n / 6 % 3, n / 2 % 3, n % 2 + 1);
        let (before, middle, after) = (ring % 3, ring / 3 % 3, ring / 9);
        let along = before == side && after == side;
        let across = next == side && last == side;
        if middle == 0 && (along || across) {
            let is_near = next == side || has_two_spokes && last == side;
            let is_reachable = along && is_near || across && (before == side || after == side);
            counts[ring][next][last] += (1 + 16 * is_reachable as u32) << (8 * (side - 1));
        }
        n += 1;
    }
    counts
}

/// Returns the mills that one side could close at the corners of a ring with these men, as in [`MoveCounts`].
fn mills_of_ring(own: u8, other: u8) -> u32 {
    let corners = Bitboard::CORNERS.0 as u8 & !(own | other);
    let before = own.rotate_left(1);
    let after = own.rotate_right(1);
    let forward = after & own.rotate_right(2) & corners;
    let backward = before & own.rotate_left(2) & corners;
    (forward | backward).count_ones() | (forward & before | backward & after).count_ones() << 4
}

/// Returns zeros that take no memory before they are changed.
fn zeros() -> Box<[u32; STATES]> {
    vec![0; STATES].try_into().unwrap_or_else(|_| unreachable!("the length is that of the array"))
}

/// The slides of both sides along an edge by the men at its ends, in six bits each.
static SLIDES_OF_EDGE: [[u32; 3]; 3] = [[0, 1, 1 << 6], [1, 0, 0], [1 << 6, 0, 0]];

/// The slides of both sides between a point and its two neighbours on a ring, by the men there.
static SLIDES_OF_RING: [u32; 27] = {
    let mut slides = [0; 27];
    let mut ring = 0;
    while ring < 27 {
        let middle = ring / 3 % 3;
        slides[ring] = SLIDES_OF_EDGE[ring % 3][middle] + SLIDES_OF_EDGE[middle][ring / 9];
        ring += 1;
    }
    slides
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bitboard::SYMMETRIES;
    use rand::rngs::StdRng;
    use rand::{Rng as _, SeedableRng as _};

    #[test]
    fn images_of_a_board_show_the_same_classes() {
        let mut random = StdRng::seed_from_u64(1);
        let classes = |sets: [u32; 3], symmetry: usize| {
            let [own, other, marked] = sets.map(|set| Bitboard(set).transform(symmetry));
            let plain = BoardInputs::standard(Pair::new(own, other), 0);
            let kind = BoardKind { diagonals: false, marks: true };
            let board = BoardInputs { kind, empty: plain.empty - marked, ..plain };
            let (mut classes, _) = CLASSES.of(&board);
            classes.sort_unstable();
            let mut marks = mark_classes(&board).unwrap();
            marks.sort_unstable();
            (classes, marks)
        };
        for _ in 0..1_000 {
            let own = random.random::<u32>() & 0x00ff_ffff;
            let other = random.random::<u32>() & 0x00ff_ffff & !own;
            let marked = random.random::<u32>() & 0x00ff_ffff & !own & !other;
            let plain = classes([own, other, marked], 0);
            assert!(
                (1..SYMMETRIES).all(|symmetry| classes([own, other, marked], symmetry) == plain),
                "{own:x} {other:x} {marked:x}"
            );
        }
    }

    #[test]
    fn a_pattern_tells_every_filling_apart_but_for_symmetry() {
        let patterns = CLASSES.entries.iter().map(|&entry| entry as u16);
        let mut classes: Vec<u16> = patterns.chain(MARK_CLASSES.into_iter().flatten()).collect();
        classes.sort_unstable();
        classes.dedup();
        assert!(classes.into_iter().map(usize::from).eq(0..CLASS_COUNT));
        // Seven classes of sides and rings, and four of corners, add up without a carry.
        let last = |states: std::ops::Range<usize>| {
            CLASSES.entries[states].iter().map(|&entry| u32::from(entry as u16)).max().unwrap()
        };
        assert!(4 * last(0..ROOM) + 3 * last(OUTER..MILLS) < 1 << 16);
        assert!(4 * last(CORNERS..CORNERS_WITH_DIAGONALS) < 1 << 16);
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
            for diagonals in [false, true] {
                let looked_up = BoardInputs { kind: BoardKind { diagonals, marks: false }, ..plain };
                let counted = BoardInputs { kind: BoardKind { diagonals, marks: true }, ..plain };
                assert_eq!(CLASSES.of(&looked_up), CLASSES.of(&counted), "{men:?}");
            }
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
