//! Sets of points in one `u32`, those of both sides in one `u64`, and the geometry of the board: neighbours,
//! lines of three, the 16 symmetries, digits of patterns, a drawing. Uses only `types`.
//!
//! Bit `n` is point `n` of [`Square`](crate::Square): one byte per ring, so that a step along a ring is a
//! rotation inside each byte and a step along a spoke is a shift by eight.

mod drawing;
mod lines;
mod pair;
mod set;
mod symmetry;
mod ternary;
#[cfg(test)]
mod tests;

pub(crate) use drawing::{DRAWING, DRAWING_WITH_DIAGONALS, draw};
pub use lines::{LINES, Line, LineKind};
pub(crate) use lines::{adjacency, lines_of, partners};
pub(crate) use pair::{Closers, Pair};
pub use set::{Bitboard, Squares};
pub(crate) use symmetry::INVERSE;
pub use symmetry::{SYMMETRIES, transform_move, transform_square};
pub(crate) use ternary::{digits_of, mirrored};
