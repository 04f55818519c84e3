//! The 16 symmetries of the board: the eight of the square, with and without the exchange of inner and outer
//! ring.

use super::set::Bitboard;
use crate::types::{Move, Square};

/// The number of symmetries of the board.
pub const SYMMETRIES: usize = 16;

impl Bitboard {
    /// Returns the image under one of the 16 symmetries; [`transform_square`] defines their numbers.
    #[inline]
    pub const fn transform(self, symmetry: usize) -> Self {
        let mut rings = self.0;
        if symmetry & 8 != 0 {
            rings = rings >> 16 | (rings & 0xff00) | (rings & 0xff) << 16;
        }
        if symmetry & 4 != 0 {
            // Mirror k -> -k (mod 8): reversing the bits of a byte is k -> 7 - k, one step clockwise is the
            // rest. The bytes come out in reverse order in the upper three bytes of the word; put them back.
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

/// Returns the image of a point under a symmetry.
///
/// Bit 3 of `symmetry` exchanges inner and outer ring, then bit 2 mirrors left and right, then bits 0–1 turn
/// clockwise by that many quarters.
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

/// Returns the image of a move under a symmetry, whose number is that of [`transform_square`].
#[inline]
pub fn transform_move(m: Move, symmetry: usize) -> Move {
    m.map(|square| transform_square(square, symmetry))
}

/// The inverse of each symmetry.
pub(crate) const INVERSE: [usize; SYMMETRIES] = {
    let mut inverse = [0; SYMMETRIES];
    let mut symmetry = 0;
    while symmetry < SYMMETRIES {
        let mut other = 0;
        while other < SYMMETRIES {
            // No symmetry but the identity leaves these two points in place.
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
