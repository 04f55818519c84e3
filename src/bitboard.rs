//! Sets of points in one `u32`, and the geometry of the board: neighbours, lines of three, the 16 symmetries.
//!
//! Bit `n` is point `n` of [`Square`]: one byte per ring, so that a step along a ring is a rotation inside each
//! byte and a step along a spoke is a shift by eight.

use crate::types::{ROWS, SQUARES, Square};
use std::fmt;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Not, Sub};

/// A set of points.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Bitboard(pub u32);

/// The number of symmetries of the board: eight of the square, times exchanging inner and outer ring.
pub const SYMMETRIES: usize = 16;

impl Bitboard {
    /// No point.
    pub const EMPTY: Self = Self(0);
    /// All 24 points.
    pub const FULL: Self = Self(0x00ff_ffff);
    /// The twelve midpoints of the sides.
    pub const MIDPOINTS: Self = Self(0x0055_5555);
    /// The twelve corners.
    pub const CORNERS: Self = Self(0x00aa_aaaa);
    /// A line that no set of points covers, to fill unused rows of tables.
    pub const IMPOSSIBLE: Self = Self(1 << 31);

    /// The set of one point.
    #[inline(always)]
    pub const fn of(square: Square) -> Self {
        Self(1 << square.row())
    }

    /// Whether the point is in the set.
    #[inline(always)]
    pub const fn contains(self, square: Square) -> bool {
        self.0 >> square.row() & 1 != 0
    }

    /// Whether every point of `other` is in this set.
    #[inline(always)]
    pub const fn covers(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether the sets share a point.
    #[inline(always)]
    pub const fn intersects(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Whether the set has no point.
    #[inline(always)]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The number of points.
    #[inline(always)]
    pub const fn count(self) -> u32 {
        self.0.count_ones()
    }

    /// The point with the lowest number, if any.
    #[inline(always)]
    pub const fn first(self) -> Option<Square> {
        if self.0 == 0 { None } else { Some(Square::from_bits(self.0.trailing_zeros())) }
    }

    /// The point with the highest number, if any.
    #[inline(always)]
    pub const fn last(self) -> Option<Square> {
        if self.0 == 0 { None } else { Some(Square::from_bits(31 - self.0.leading_zeros())) }
    }

    /// The set without the given point.
    #[inline(always)]
    pub const fn without(self, square: Square) -> Self {
        Self(self.0 & !Self::of(square).0)
    }

    /// The set with the given point.
    #[inline(always)]
    pub const fn with(self, square: Square) -> Self {
        Self(self.0 | Self::of(square).0)
    }

    /// Every point one step clockwise along its ring.
    #[inline(always)]
    pub const fn clockwise(self) -> Self {
        Self((self.0 << 1 & 0x00fe_fefe) | (self.0 >> 7 & 0x0001_0101))
    }

    /// Every point one step anticlockwise along its ring.
    #[inline(always)]
    pub const fn anticlockwise(self) -> Self {
        Self((self.0 >> 1 & 0x007f_7f7f) | (self.0 << 7 & 0x0080_8080))
    }

    /// All points joined to a point of the set, where `spokes` says which points have edges across the rings.
    #[inline(always)]
    pub const fn neighbours(self, spokes: Self) -> Self {
        let across = self.0 & spokes.0;
        Self(self.clockwise().0 | self.anticlockwise().0 | (across << 8 & Self::FULL.0) | across >> 8)
    }

    /// All points of the set that lie on a complete line, where `spokes` says which lines across the rings exist.
    #[inline(always)]
    pub const fn milled(self, spokes: Self) -> Self {
        // Lines along a side are centred on midpoints.
        let centres = self.0 & self.clockwise().0 & self.anticlockwise().0 & Self::MIDPOINTS.0;
        let centres = Self(centres);
        let sides = centres.0 | centres.clockwise().0 | centres.anticlockwise().0;
        let across = self.0 & self.0 >> 8 & self.0 >> 16 & 0xff & spokes.0;
        Self(sides | (across * 0x0001_0101))
    }

    /// The image under one of the 16 symmetries; see [`transform_square`] for their numbers.
    #[inline]
    pub const fn transform(self, symmetry: usize) -> Self {
        let mut rings = self.0;
        if symmetry & 8 != 0 {
            rings = rings >> 16 | (rings & 0xff00) | (rings & 0xff) << 16;
        }
        if symmetry & 4 != 0 {
            // Mirror k -> -k (mod 8): reversing the bits of a byte is k -> 7 - k, one step clockwise is the rest.
            // The bytes come out in reverse order in the upper three bytes of the word; put them back.
            let reversed = rings.reverse_bits() >> 8;
            let reversed = reversed >> 16 | (reversed & 0xff00) | (reversed & 0xff) << 16;
            rings = Self(reversed).clockwise().0;
        }
        let turns = symmetry & 3;
        if turns != 0 {
            // A quarter turn is two steps along each ring.
            let by = 2 * turns as u32;
            let low = 0x0001_0101 * (0xff >> (8 - by));
            rings = (rings << by & !low & Self::FULL.0) | (rings >> (8 - by) & low);
        }
        Self(rings)
    }
}

/// The image of a point under a symmetry: bit 3 exchanges inner and outer ring, then bit 2 mirrors left and right,
/// then bits 0–1 turn clockwise by that many quarters.
pub const fn transform_square(square: Square, symmetry: usize) -> Square {
    let (mut ring, mut k) = (square.index() / 8, square.index() % 8);
    if symmetry & 8 != 0 {
        ring = 2 - ring;
    }
    if symmetry & 4 != 0 {
        k = (8 - k) % 8;
    }
    k = (k + 2 * (symmetry & 3)) % 8;
    Square::new(8 * ring + k)
}

/// One set of points for each side, handled together in the halves of one word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pair(u64);

/// Points where a side could complete a line.
#[derive(Clone, Copy, Debug)]
pub struct Closers {
    /// Those whose two partners on some line the side holds, whether it can get there or not.
    pub all: Pair,
    /// Those beside a man of the side that does not belong to the line being completed.
    pub reachable: Pair,
}

impl Pair {
    /// Joins two sets.
    #[inline(always)]
    pub const fn new(first: Bitboard, second: Bitboard) -> Self {
        Self(first.0 as u64 | (second.0 as u64) << 32)
    }

    /// The same set twice.
    #[inline(always)]
    pub const fn both(set: Bitboard) -> Self {
        Self::new(set, set)
    }

    /// The set of the first side.
    #[inline(always)]
    pub const fn first(self) -> Bitboard {
        Bitboard(self.0 as u32)
    }

    /// The set of the second side.
    #[inline(always)]
    pub const fn second(self) -> Bitboard {
        Bitboard((self.0 >> 32) as u32)
    }

    /// Points of the first set minus points of the second.
    #[inline(always)]
    pub const fn difference(self) -> i32 {
        self.first().count() as i32 - self.second().count() as i32
    }

    /// Every point one step clockwise along its ring.
    #[inline(always)]
    pub const fn clockwise(self) -> Self {
        let moved = self.0 << 1 & Self::both(Bitboard(0x00fe_fefe)).0;
        Self(moved | self.0 >> 7 & Self::both(Bitboard(0x0001_0101)).0)
    }

    /// Every point one step anticlockwise along its ring.
    #[inline(always)]
    pub const fn anticlockwise(self) -> Self {
        let moved = self.0 >> 1 & Self::both(Bitboard(0x007f_7f7f)).0;
        Self(moved | self.0 << 7 & Self::both(Bitboard(0x0080_8080)).0)
    }

    /// Every point one ring outwards; the outer ring is lost.
    #[inline(always)]
    pub const fn outwards(self) -> Self {
        Self(self.0 << 8 & Self::both(Bitboard(0x00ff_ff00)).0)
    }

    /// Every point one ring inwards; the inner ring is lost.
    #[inline(always)]
    pub const fn inwards(self) -> Self {
        Self(self.0 >> 8 & Self::both(Bitboard(0x0000_ffff)).0)
    }

    /// The slides of each side's men to points of `empty` by their targets, one pair of sets for each direction.
    #[inline(always)]
    pub fn slides(self, empty: Bitboard, spokes: Bitboard) -> [Self; 4] {
        let (empty, joined) = (Self::both(empty), self & Self::both(spokes));
        [self.clockwise(), self.anticlockwise(), joined.outwards(), joined.inwards()].map(|step| step & empty)
    }

    /// The points where each side, holding its set, could complete a line, among those of `empty`.
    #[inline(always)]
    pub fn closers(self, empty: Bitboard, spokes: Bitboard) -> Closers {
        let spokes = Self::both(spokes);
        let corners = Self::both(Bitboard::CORNERS);
        let empty = Self::both(empty);
        let (before, after) = (self.clockwise(), self.anticlockwise());
        let (out, inner) = ((self & spokes).outwards(), (self & spokes).inwards());
        let across = out | inner;
        // The two other points of the line across the rings: both neighbours for the middle ring, the two rings
        // beyond for the others.
        let spoke = out & inner | out & out.outwards() | inner & inner.inwards();
        let middle = before & after & Self::both(Bitboard::MIDPOINTS);
        let forward = after & after.anticlockwise() & corners;
        let backward = before & before.clockwise() & corners;
        let along = before | after;
        let reachable =
            middle & across | spoke & along | forward & (before | across) | backward & (after | across);
        Closers { all: (middle | forward | backward | spoke) & empty, reachable: reachable & empty }
    }

    /// The points of each set that lie on a complete line of that set.
    #[inline(always)]
    pub const fn milled(self, spokes: Bitboard) -> Self {
        let centres =
            self.0 & self.clockwise().0 & self.anticlockwise().0 & Self::both(Bitboard::MIDPOINTS).0;
        let centres = Self(centres);
        let sides = centres.0 | centres.clockwise().0 | centres.anticlockwise().0;
        let inner = Self::both(Bitboard(spokes.0 & 0xff)).0;
        let across = self.0 & self.0 >> 8 & self.0 >> 16 & inner;
        Self(sides | across | across << 8 | across << 16)
    }
}

/// For each symmetry the one that undoes it.
pub const INVERSE: [usize; SYMMETRIES] = {
    let mut inverse = [0; SYMMETRIES];
    let mut symmetry = 0;
    while symmetry < SYMMETRIES {
        let mut other = 0;
        while other < SYMMETRIES {
            // Two points that no other symmetry than the identity leaves in place.
            let first = transform_square(transform_square(Square::new(0), symmetry), other).index() == 0;
            let second = transform_square(transform_square(Square::new(1), symmetry), other).index() == 1;
            if first && second {
                inverse[symmetry] = other;
            }
            other += 1;
        }
        symmetry += 1;
    }
    inverse
};

macro_rules! operator {
    (@pair $trait:ident, $method:ident, $op:tt) => {
        impl $trait for Pair {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                Self(self.0 $op other.0)
            }
        }
    };
    ($trait:ident, $method:ident, $op:tt $(, $assign:ident, $assign_method:ident)?) => {
        impl $trait for Bitboard {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                Self(self.0 $op other.0)
            }
        }
        $(impl $assign for Bitboard {
            #[inline(always)]
            fn $assign_method(&mut self, other: Self) {
                *self = *self $op other;
            }
        })?
    };
}

operator!(BitAnd, bitand, &, BitAndAssign, bitand_assign);
operator!(BitOr, bitor, |, BitOrAssign, bitor_assign);
operator!(BitXor, bitxor, ^, BitXorAssign, bitxor_assign);
operator!(@pair BitAnd, bitand, &);
operator!(@pair BitOr, bitor, |);

impl Sub for Bitboard {
    type Output = Self;

    /// Set difference.
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }
}

impl Not for Bitboard {
    type Output = Self;

    /// The complement within the 24 points.
    #[inline(always)]
    fn not(self) -> Self {
        Self(!self.0 & Self::FULL.0)
    }
}

impl From<Square> for Bitboard {
    fn from(square: Square) -> Self {
        Self::of(square)
    }
}

impl FromIterator<Square> for Bitboard {
    fn from_iter<I: IntoIterator<Item = Square>>(squares: I) -> Self {
        squares.into_iter().fold(Self::EMPTY, Self::with)
    }
}

/// The points of a [`Bitboard`] in ascending order.
#[derive(Clone, Debug)]
pub struct Squares(u32);

impl Iterator for Squares {
    type Item = Square;

    #[inline(always)]
    fn next(&mut self) -> Option<Square> {
        let first = Bitboard(self.0).first()?;
        self.0 &= self.0 - 1;
        Some(first)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let count = self.0.count_ones() as usize;
        (count, Some(count))
    }
}

impl ExactSizeIterator for Squares {}

impl IntoIterator for Bitboard {
    type Item = Square;
    type IntoIter = Squares;

    #[inline(always)]
    fn into_iter(self) -> Squares {
        Squares(self.0)
    }
}

/// The frame of the board with `{}` at each of the 24 points, in reading order.
pub(crate) const DRAWING: &str = "\
7  {} ------- {} ------- {}
   |         |         |
6  |  {} ---- {} ---- {}  |
   |  |      |      |  |
5  |  |  {} - {} - {}  |  |
   |  |  |       |  |  |
4  {}--{}--{}       {}--{}--{}
   |  |  |       |  |  |
3  |  |  {} - {} - {}  |  |
   |  |      |      |  |
2  |  {} ---- {} ---- {}  |
   |         |         |
1  {} ------- {} ------- {}
   a  b  c   d   e  f  g
";

/// [`DRAWING`] with the lines through the corners.
pub(crate) const DRAWING_WITH_DIAGONALS: &str = "\
7  {} ------- {} ------- {}
   | \\       |       / |
6  |  {} ---- {} ---- {}  |
   |  | \\    |    / |  |
5  |  |  {} - {} - {}  |  |
   |  |  |       |  |  |
4  {}--{}--{}       {}--{}--{}
   |  |  |       |  |  |
3  |  |  {} - {} - {}  |  |
   |  | /    |    \\ |  |
2  |  {} ---- {} ---- {}  |
   | /       |       \\ |
1  {} ------- {} ------- {}
   a  b  c   d   e  f  g
";

/// Fills a drawing with one character for each point.
pub(crate) fn draw(drawing: &str, letter: impl Fn(Square) -> char) -> String {
    let mut points: Vec<Square> = Square::all().collect();
    points.sort_by_key(|s| {
        let (file, rank) = s.coordinates();
        (std::cmp::Reverse(rank), file)
    });
    let mut points = points.into_iter();
    let mut text = String::with_capacity(drawing.len());
    let mut parts = drawing.split("{}");
    text.push_str(parts.next().unwrap_or_default());
    for part in parts {
        text.extend(points.next().map(&letter));
        text.push_str(part);
    }
    text
}

impl fmt::Display for Bitboard {
    /// The board with `1` for points of the set and `.` for the rest.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&draw(DRAWING, |s| if self.contains(s) { '1' } else { '.' }))
    }
}

impl fmt::Debug for Bitboard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.into_iter().map(|s| s.to_string())).finish()
    }
}

/// The points joined to each point; unused rows are empty.
pub const fn adjacency(spokes: Bitboard) -> [Bitboard; ROWS] {
    let mut table = [Bitboard::EMPTY; ROWS];
    let mut i = 0;
    while i < SQUARES {
        table[i] = Bitboard(1 << i).neighbours(spokes);
        i += 1;
    }
    table
}

/// The families of lines that a rule may be restricted to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LineKind {
    /// Along one side of a ring.
    Side,
    /// Across the rings through midpoints.
    Cross,
    /// Across the rings through corners; exists only on boards with diagonals.
    Diagonal,
}

/// A line of three points with its middle.
#[derive(Clone, Copy, Debug)]
pub struct Line {
    /// All three points.
    pub points: Bitboard,
    /// The point between the two others.
    pub middle: Square,
    /// Its family.
    pub kind: LineKind,
}

/// All 20 lines: 12 sides, 4 crosses, 4 diagonals, in this order.
pub const LINES: [Line; 20] = {
    let none = Line { points: Bitboard::EMPTY, middle: Square::new(0), kind: LineKind::Side };
    let mut lines = [none; 20];
    let mut n = 0;
    let mut centre = 0;
    while centre < SQUARES {
        let middle = Bitboard(1 << centre);
        let points = Bitboard(middle.0 | middle.clockwise().0 | middle.anticlockwise().0);
        lines[n] = Line { points, middle: Square::new(centre), kind: LineKind::Side };
        n += 1;
        centre += 2;
    }
    let mut k = 0;
    while k < 8 {
        // Even directions first.
        let direction = k % 4 * 2 + k / 4;
        let kind = if k < 4 { LineKind::Cross } else { LineKind::Diagonal };
        let points = Bitboard(0x0001_0101 << direction);
        lines[n] = Line { points, middle: Square::new(8 + direction), kind };
        n += 1;
        k += 1;
    }
    lines
};

/// For each point the other two points of each of its mill lines; unused entries hold
/// [`Bitboard::IMPOSSIBLE`].
pub const fn partners(diagonals: bool) -> [[Bitboard; 3]; ROWS] {
    let mut table = [[Bitboard::IMPOSSIBLE; 3]; ROWS];
    let mut square = 0;
    while square < SQUARES {
        let mut found = 0;
        let mut n = 0;
        while n < LINES.len() {
            let line = LINES[n];
            let active = diagonals || !matches!(line.kind, LineKind::Diagonal);
            if active && line.points.0 >> square & 1 != 0 {
                table[square][found] = Bitboard(line.points.0 & !(1 << square));
                found += 1;
            }
            n += 1;
        }
        square += 1;
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples() -> impl Iterator<Item = Bitboard> {
        let mut state = 0x2545_f491_4f6c_dd1d_u64;
        (0..2_000).map(move |_| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            Bitboard(state as u32 & Bitboard::FULL.0)
        })
    }

    #[test]
    fn both_drawings_have_the_same_points_and_the_four_diagonals_differ() {
        let places = |drawing: &str| drawing.match_indices("{}").map(|(at, _)| at).collect::<Vec<_>>();
        assert_eq!(places(DRAWING).len(), SQUARES);
        assert_eq!(places(DRAWING), places(DRAWING_WITH_DIAGONALS));
        let plain = DRAWING_WITH_DIAGONALS.replace(['/', '\\'], " ");
        assert_eq!(plain, DRAWING);
        assert_eq!(DRAWING_WITH_DIAGONALS.matches(['/', '\\']).count(), 8);
    }

    #[test]
    fn symmetries_of_sets_and_of_points_agree() {
        for symmetry in 0..SYMMETRIES {
            for set in samples() {
                let slow: Bitboard = set.into_iter().map(|s| transform_square(s, symmetry)).collect();
                assert_eq!(set.transform(symmetry), slow, "symmetry {symmetry}");
            }
        }
    }

    #[test]
    fn symmetries_form_a_group_of_sixteen() {
        let maps: Vec<Vec<Square>> =
            (0..SYMMETRIES).map(|g| Square::all().map(|s| transform_square(s, g)).collect()).collect();
        assert_eq!(maps[0], Square::all().collect::<Vec<_>>());
        for (i, a) in maps.iter().enumerate() {
            assert!(!maps[..i].contains(a), "symmetry {i} occurs twice");
            for b in &maps {
                let product: Vec<Square> = a.iter().map(|s| b[s.index()]).collect();
                assert!(maps.contains(&product));
            }
            assert!(
                maps.iter().any(|b| Square::all().all(|s| b[a[s.index()].index()] == s)),
                "inverse of {i}"
            );
        }
    }

    #[test]
    fn symmetries_keep_lines_and_edges_on_both_boards() {
        for symmetry in 0..SYMMETRIES {
            for (n, line) in LINES.iter().enumerate() {
                let image = line.points.transform(symmetry);
                let found = LINES.iter().position(|l| l.points == image).expect("a line goes to a line");
                assert_eq!(found < 16, n < 16, "diagonals go to diagonals");
                assert_eq!(LINES[found].middle, transform_square(line.middle, symmetry));
            }
            for spokes in [Bitboard::MIDPOINTS, Bitboard::FULL] {
                let edges = adjacency(spokes);
                for s in Square::all() {
                    let image = transform_square(s, symmetry);
                    assert_eq!(edges[s.row()].transform(symmetry), edges[image.row()]);
                }
            }
        }
    }

    #[test]
    fn boards_have_the_edges_and_lines_of_the_rule_book() {
        let edges = |spokes| adjacency(spokes).iter().map(|b| b.count()).sum::<u32>() / 2;
        assert_eq!(edges(Bitboard::MIDPOINTS), 32);
        assert_eq!(edges(Bitboard::FULL), 40);
        let names = |line: &Line| line.points.into_iter().map(|s| s.to_string()).collect::<Vec<_>>();
        assert_eq!(LINES.iter().filter(|l| l.kind == LineKind::Side).count(), 12);
        assert!(LINES.iter().any(|l| names(l) == ["d5", "d6", "d7"]));
        assert!(LINES.iter().any(|l| names(l) == ["c5", "b6", "a7"] && l.kind == LineKind::Diagonal));
        assert!(LINES.iter().any(|l| names(l) == ["d7", "g7", "a7"] && l.middle.to_string() == "d7"));
        for s in Square::all() {
            let real = |d| partners(d)[s.row()].iter().filter(|&&l| l != Bitboard::IMPOSSIBLE).count();
            assert_eq!(real(false), 2);
            assert_eq!(real(true), if s.is_corner() { 3 } else { 2 });
        }
    }

    #[test]
    fn milled_men_are_those_on_complete_lines() {
        for (spokes, diagonals) in [(Bitboard::MIDPOINTS, false), (Bitboard::FULL, true)] {
            for set in samples() {
                let active = LINES.iter().filter(|l| diagonals || l.kind != LineKind::Diagonal);
                let slow =
                    active.filter(|l| set.covers(l.points)).fold(Bitboard::EMPTY, |all, l| all | l.points);
                assert_eq!(set.milled(spokes), slow);
                let slow = set.into_iter().fold(Bitboard::EMPTY, |all, s| all | adjacency(spokes)[s.row()]);
                assert_eq!(set.neighbours(spokes), slow);
            }
        }
    }

    #[test]
    fn pairs_do_to_both_sets_what_is_done_to_one() {
        for (a, b) in samples().zip(samples().skip(7)) {
            let pair = Pair::new(a, b);
            assert_eq!((pair.first(), pair.second()), (a, b));
            assert_eq!(pair.clockwise(), Pair::new(a.clockwise(), b.clockwise()));
            assert_eq!(pair.anticlockwise(), Pair::new(a.anticlockwise(), b.anticlockwise()));
            for spokes in [Bitboard::MIDPOINTS, Bitboard::FULL] {
                assert_eq!(pair.milled(spokes), Pair::new(a.milled(spokes), b.milled(spokes)));
                let across = (pair & Pair::both(spokes)).outwards() | (pair & Pair::both(spokes)).inwards();
                let around = across | pair.clockwise() | pair.anticlockwise();
                assert_eq!(around, Pair::new(a.neighbours(spokes), b.neighbours(spokes)));
            }
            assert_eq!(pair.difference(), a.count() as i32 - b.count() as i32);
        }
    }

    #[test]
    fn closers_are_the_points_that_complete_a_line() {
        let closes = |diagonals, men: Bitboard, square: Square| {
            partners(diagonals)[square.row()].iter().any(|&rest| men.covers(rest))
        };
        for (spokes, diagonals) in [(Bitboard::MIDPOINTS, false), (Bitboard::FULL, true)] {
            let edges = adjacency(spokes);
            for (a, b) in samples().zip(samples().skip(5)) {
                let empty = !(a | b);
                let closers = Pair::new(a, b - a).closers(empty, spokes);
                for (men, all, reachable) in [
                    (a, closers.all.first(), closers.reachable.first()),
                    (b - a, closers.all.second(), closers.reachable.second()),
                ] {
                    for square in empty {
                        assert_eq!(all.contains(square), closes(diagonals, men, square));
                        let mut slides = (edges[square.row()] & men).into_iter();
                        let reached = slides.any(|from| closes(diagonals, men.without(from), square));
                        assert_eq!(reachable.contains(square), reached, "{square} {men:?}");
                    }
                    assert!(empty.covers(all) && all.covers(reachable));
                }
            }
        }
    }

    #[test]
    fn iteration_is_ascending_and_drawing_shows_the_set() {
        let set: Bitboard = ["a7", "d5", "g1"].iter().map(|s| s.parse::<Square>().unwrap()).collect();
        assert_eq!(set.into_iter().map(|s| s.to_string()).collect::<Vec<_>>(), ["d5", "g1", "a7"]);
        assert_eq!(format!("{set:?}"), r#"{"d5", "g1", "a7"}"#);
        assert_eq!(set.to_string().matches('1').count(), 3 + 1, "three points and the number of the rank");
        assert_eq!((set.first(), set.last()), ("d5".parse().ok(), "a7".parse().ok()));
    }
}
