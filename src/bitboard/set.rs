//! The set of points in one `u32`.

use super::drawing::{DRAWING, draw};
use crate::types::{ParseError, Square};
use std::fmt;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Not, Sub};

/// A set of points: bit *n* is the point with index *n*.
///
/// The upper eight bits are 0; functions may panic otherwise.
///
/// ```
/// use millstone::{Bitboard, Square};
///
/// let top: Bitboard = ["a7", "d7", "g7"].iter().map(|name| name.parse::<Square>().unwrap()).collect();
/// assert_eq!(top.count(), 3);
/// assert_eq!(top.milled(Bitboard::MIDPOINTS), top, "the three points are a line");
/// assert_eq!((top & Bitboard::CORNERS).count(), 2);
/// ```
#[derive(
    Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, serde::Serialize, serde::Deserialize,
)]
#[serde(try_from = "u32", into = "u32")]
pub struct Bitboard(pub u32);

impl TryFrom<u32> for Bitboard {
    type Error = ParseError;

    /// Fails if one of the upper eight bits is 1.
    fn try_from(bits: u32) -> Result<Self, ParseError> {
        if bits <= Self::FULL.0 { Ok(Self(bits)) } else { Err(ParseError::Bitboard(bits)) }
    }
}

impl From<Bitboard> for u32 {
    fn from(set: Bitboard) -> Self {
        set.0
    }
}

impl Bitboard {
    /// The empty set.
    pub const EMPTY: Self = Self(0);
    /// All 24 points.
    pub const FULL: Self = Self(0x00ff_ffff);
    /// The twelve midpoints of the sides.
    pub const MIDPOINTS: Self = Self(0x0055_5555);
    /// The twelve corners.
    pub const CORNERS: Self = Self(0x00aa_aaaa);
    /// A line that is never complete: its bit is that of no point. It fills unused entries of arrays.
    pub(crate) const IMPOSSIBLE: Self = Self(1 << 31);

    /// Returns the set of one point.
    #[inline(always)]
    pub const fn of(square: Square) -> Self {
        Self(1 << square.row())
    }

    /// Returns true if the point is in the set.
    #[inline(always)]
    pub const fn contains(self, square: Square) -> bool {
        self.0 >> square.row() & 1 != 0
    }

    /// Returns true if every point of `other` is in this set.
    #[inline(always)]
    pub const fn covers(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Returns true if the sets share a point.
    #[inline(always)]
    pub const fn intersects(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Returns true if the set is empty.
    #[inline(always)]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns the number of points.
    #[inline(always)]
    pub const fn count(self) -> u32 {
        self.0.count_ones()
    }

    /// Returns the point with the lowest index, or `None` for the empty set.
    #[inline(always)]
    pub const fn first(self) -> Option<Square> {
        if self.0 == 0 { None } else { Some(Square::from_bits(self.0.trailing_zeros())) }
    }

    /// Returns the set without `square`.
    #[inline(always)]
    pub const fn without(self, square: Square) -> Self {
        Self(self.0 & !Self::of(square).0)
    }

    /// Returns the set with `square` added.
    #[inline(always)]
    pub const fn with(self, square: Square) -> Self {
        Self(self.0 | Self::of(square).0)
    }

    /// Moves every point one step clockwise along its ring.
    #[inline(always)]
    pub const fn clockwise(self) -> Self {
        Self((self.0 << 1 & 0x00fe_fefe) | (self.0 >> 7 & 0x0001_0101))
    }

    /// Moves every point one step anticlockwise along its ring.
    #[inline(always)]
    pub const fn anticlockwise(self) -> Self {
        Self((self.0 >> 1 & 0x007f_7f7f) | (self.0 << 7 & 0x0080_8080))
    }

    /// Returns all points joined to a point of the set.
    ///
    /// `spokes` holds the points with edges across the rings.
    #[inline(always)]
    pub const fn neighbours(self, spokes: Self) -> Self {
        let across = self.0 & spokes.0;
        Self(self.clockwise().0 | self.anticlockwise().0 | (across << 8 & Self::FULL.0) | across >> 8)
    }

    /// Returns the points of the set that lie on a complete line.
    ///
    /// `spokes` holds the points of the lines across the rings.
    #[inline(always)]
    pub const fn milled(self, spokes: Self) -> Self {
        // Lines along a side are centred on midpoints.
        let centres = self.0 & self.clockwise().0 & self.anticlockwise().0 & Self::MIDPOINTS.0;
        let centres = Self(centres);
        let sides = centres.0 | centres.clockwise().0 | centres.anticlockwise().0;
        let across = self.0 & self.0 >> 8 & self.0 >> 16 & 0xff & spokes.0;
        Self(sides | (across * 0x0001_0101))
    }
}

macro_rules! operator {
    ($trait:ident, $method:ident, $op:tt, $assign:ident, $assign_method:ident) => {
        impl $trait for Bitboard {
            type Output = Self;

            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                Self(self.0 $op other.0)
            }
        }

        impl $assign for Bitboard {
            #[inline(always)]
            fn $assign_method(&mut self, other: Self) {
                *self = *self $op other;
            }
        }
    };
}

operator!(BitAnd, bitand, &, BitAndAssign, bitand_assign);
operator!(BitOr, bitor, |, BitOrAssign, bitor_assign);
operator!(BitXor, bitxor, ^, BitXorAssign, bitxor_assign);

impl Sub for Bitboard {
    type Output = Self;

    /// Returns the set difference.
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }
}

impl Not for Bitboard {
    type Output = Self;

    /// Returns the complement within the 24 points.
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

/// Iterator over the points of a [`Bitboard`] in ascending order.
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

impl fmt::Display for Bitboard {
    /// Draws the board with `1` for the points of the set and `.` for the rest.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&draw(DRAWING, |s| if self.contains(s) { '1' } else { '.' }))
    }
}

impl fmt::Debug for Bitboard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.into_iter().map(|s| s.to_string())).finish()
    }
}
