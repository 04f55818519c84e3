//! The sets of both sides in one `u64`: one pass of bit operations serves both.

use super::set::Bitboard;
use std::ops::{BitAnd, BitOr};
use wide::{u8x16, u16x8, u64x2};

/// One set of points for each side, in the halves of one word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Pair(u64);

/// Points where a side could complete a line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Closers {
    /// Points where the side holds the other two points of a line, whether a man can reach them or not.
    pub all: Pair,
    /// Those of `all` that a slide can close: beside them stands a man of the side that is not on the line.
    pub reachable: Pair,
}

impl Pair {
    /// Packs two sets.
    #[inline(always)]
    pub(crate) const fn new(first: Bitboard, second: Bitboard) -> Self {
        Self(first.0 as u64 | (second.0 as u64) << 32)
    }

    /// Packs the same set twice.
    #[inline(always)]
    pub(crate) const fn both(set: Bitboard) -> Self {
        Self::new(set, set)
    }

    /// Returns the set of the first side.
    #[inline(always)]
    pub(crate) const fn first(self) -> Bitboard {
        Bitboard(self.0 as u32)
    }

    /// Returns the set of the second side.
    #[inline(always)]
    pub(crate) const fn second(self) -> Bitboard {
        Bitboard((self.0 >> 32) as u32)
    }

    /// Returns the points of neither set.
    #[inline(always)]
    pub(crate) const fn empty(self) -> Bitboard {
        Bitboard(!(self.0 | self.0 >> 32) as u32 & Bitboard::FULL.0)
    }

    /// Returns the size of both sets together.
    #[inline(always)]
    pub(crate) const fn count(self) -> u32 {
        self.0.count_ones()
    }

    /// Exchanges the sets if `exchanged` is 1, and does not if it is 0.
    #[inline(always)]
    pub(crate) const fn exchanged_if(self, exchanged: usize) -> Self {
        Self(self.0.rotate_right(32 * exchanged as u32))
    }

    /// Returns the size of the first set minus the size of the second.
    #[inline(always)]
    pub(crate) const fn difference(self) -> i32 {
        self.first().count() as i32 - self.second().count() as i32
    }

    /// Moves every point one step clockwise along its ring.
    #[inline(always)]
    pub(crate) const fn clockwise(self) -> Self {
        let moved = self.0 << 1 & Self::both(Bitboard(0x00fe_fefe)).0;
        Self(moved | self.0 >> 7 & Self::both(Bitboard(0x0001_0101)).0)
    }

    /// Moves every point one step anticlockwise along its ring.
    #[inline(always)]
    pub(crate) const fn anticlockwise(self) -> Self {
        let moved = self.0 >> 1 & Self::both(Bitboard(0x007f_7f7f)).0;
        Self(moved | self.0 << 7 & Self::both(Bitboard(0x0080_8080)).0)
    }

    /// Moves every point one ring outwards. The outer ring is lost.
    #[inline(always)]
    pub(crate) const fn outwards(self) -> Self {
        Self(self.0 << 8 & Self::both(Bitboard(0x00ff_ff00)).0)
    }

    /// Moves every point one ring inwards. The inner ring is lost.
    #[inline(always)]
    pub(crate) const fn inwards(self) -> Self {
        Self(self.0 >> 8 & Self::both(Bitboard(0x0000_ffff)).0)
    }

    /// Returns the targets of each side's slides to points of `empty`, one pair of sets for each direction.
    #[inline(always)]
    pub(crate) fn slides(self, empty: Bitboard, spokes: Bitboard) -> [Self; 4] {
        let (empty, joined) = (Self::both(empty), self & Self::both(spokes));
        [self.clockwise(), self.anticlockwise(), joined.outwards(), joined.inwards()].map(|step| step & empty)
    }

    /// Returns the points of `empty` where each side could complete a line.
    #[inline(always)]
    pub(crate) fn closers(self, empty: Bitboard, spokes: Bitboard) -> Closers {
        // A lane for each ring of each side. It holds the ring twice, so that a shift turns it; the upper
        // byte counts. Of each side, the fourth lane is empty.
        let men = self.interleaved(self);
        let midpoints = u16x8::splat((Bitboard::MIDPOINTS.0 << 8) as u16);
        let corners = u16x8::splat((Bitboard::CORNERS.0 << 8) as u16);
        let (before, after) = (men << 1, men << 7);
        // The order of the lanes does not matter: both directions are treated alike.
        let joined: u64x2 = bytemuck::cast(men & Self::both(spokes).interleaved(Self::both(spokes)));
        let [out, beyond_out, inner, beyond_inner]: [u16x8; 4] =
            [joined << 16, joined << 32, joined >> 16, joined >> 32].map(bytemuck::cast);
        let across = out | inner;
        // The two other points of the line across the rings: both neighbours for the middle ring, the two
        // rings beyond for the others.
        let spoke = out & inner | out & beyond_out | inner & beyond_inner;
        let middle = before & after & midpoints;
        let forward = after & (men << 6) & corners;
        let backward = before & (men << 2) & corners;
        let along = before | after;
        let reachable =
            middle & across | spoke & along | forward & (before | across) | backward & (after | across);
        let all = middle | forward | backward | spoke;
        let empty = Self(0).interleaved(Self::both(empty));
        let [all, reachable] = [all, reachable].map(|set| bytemuck::cast((set & empty) >> 8));
        let [all, reachable]: [[u8; 8]; 2] = bytemuck::cast(u8x16::narrow_i16x8(all, reachable));
        Closers { all: Self(u64::from_le_bytes(all)), reachable: Self(u64::from_le_bytes(reachable)) }
    }

    /// Returns lanes with a ring of this pair in the lower byte and the same ring of another in the upper.
    #[inline(always)]
    fn interleaved(self, upper: Self) -> u16x8 {
        let bytes = |set: Self| bytemuck::cast([set.0.to_le_bytes(), [0; 8]]);
        let [first, second] = if cfg!(target_endian = "little") { [self, upper] } else { [upper, self] };
        bytemuck::cast(u8x16::unpack_low(bytes(first), bytes(second)))
    }

    /// Returns the points of each set that lie on a complete line of that set, as [`Bitboard::milled`] does
    /// for one.
    #[inline(always)]
    pub(crate) const fn milled(self, spokes: Bitboard) -> Self {
        let centres =
            self.0 & self.clockwise().0 & self.anticlockwise().0 & Self::both(Bitboard::MIDPOINTS).0;
        let centres = Self(centres);
        let sides = centres.0 | centres.clockwise().0 | centres.anticlockwise().0;
        let inner = Self::both(Bitboard(spokes.0 & 0xff)).0;
        let across = self.0 & self.0 >> 8 & self.0 >> 16 & inner;
        Self(sides | across | across << 8 | across << 16)
    }
}

impl BitAnd for Pair {
    type Output = Self;

    #[inline(always)]
    fn bitand(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

impl BitOr for Pair {
    type Output = Self;

    #[inline(always)]
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}
