//! The edges and lines of the board.

use super::set::Bitboard;
use crate::types::{ROWS, SQUARES, Square};

/// Returns the neighbours of each point. `spokes` holds the points with edges across the rings.
pub(crate) const fn adjacency(spokes: Bitboard) -> [Bitboard; ROWS] {
    let mut rows = [Bitboard::EMPTY; ROWS];
    let mut i = 0;
    while i < SQUARES {
        rows[i] = Bitboard(1 << i).neighbours(spokes);
        i += 1;
    }
    rows
}

/// The families of lines. A capture rule can be limited to some of them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum LineKind {
    /// Along one side of a ring.
    Side,
    /// Across the rings through midpoints.
    Cross,
    /// Across the rings through corners; exists only on boards with diagonals.
    Diagonal,
}

/// A line of three points.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Line {
    /// All three points.
    pub squares: Bitboard,
    /// The point between the two others.
    pub middle: Square,
    /// Its family.
    pub kind: LineKind,
}

/// All 20 lines: 12 sides, 4 crosses, 4 diagonals, in this order.
pub const LINES: [Line; 20] = {
    let none = Line { squares: Bitboard::EMPTY, middle: Square::new(0), kind: LineKind::Side };
    let mut lines = [none; 20];
    let mut n = 0;
    let mut centre = 0;
    while centre < SQUARES {
        let middle = Bitboard(1 << centre);
        let squares = Bitboard(middle.0 | middle.clockwise().0 | middle.anticlockwise().0);
        lines[n] = Line { squares, middle: Square::new(centre), kind: LineKind::Side };
        n += 1;
        centre += 2;
    }
    let mut k = 0;
    while k < 8 {
        // Even directions first.
        let direction = k % 4 * 2 + k / 4;
        let kind = if k < 4 { LineKind::Cross } else { LineKind::Diagonal };
        let squares = Bitboard(0x0001_0101 << direction);
        lines[n] = Line { squares, middle: Square::new(8 + direction), kind };
        n += 1;
        k += 1;
    }
    lines
};

/// Returns the lines of a board with or without diagonals, in the order of [`LINES`].
pub(crate) const fn lines_of(diagonals: bool) -> &'static [Line] {
    const WITHOUT: [Line; 16] = *LINES.first_chunk().expect("the diagonals come last");
    if diagonals { &LINES } else { &WITHOUT }
}

/// Returns for each point the other two points of each of its lines. Unused entries hold
/// [`Bitboard::IMPOSSIBLE`].
pub(crate) const fn partners(diagonals: bool) -> [[Bitboard; 3]; ROWS] {
    let lines = lines_of(diagonals);
    let mut rows = [[Bitboard::IMPOSSIBLE; 3]; ROWS];
    let mut square = 0;
    while square < SQUARES {
        let mut found = 0;
        let mut n = 0;
        while n < lines.len() {
            let line = lines[n];
            if line.squares.0 >> square & 1 != 0 {
                rows[square][found] = Bitboard(line.squares.0 & !(1 << square));
                found += 1;
            }
            n += 1;
        }
        square += 1;
    }
    rows
}
