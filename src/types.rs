//! The small vocabulary of the engine: colours, squares, moves, values, bounds and limits.
//!
//! Nothing here knows the rules of the game.

use std::fmt;
use std::str::FromStr;

/// The number of points on the board.
pub const SQUARES: usize = 24;

/// Rows of a table indexed by [`Square::row`]: a power of two, so that no bounds check is needed.
pub const ROWS: usize = 32;

/// The largest number of legal moves of any position under any rules.
///
/// Four flying men on an otherwise empty board (set up by hand, the opponent still holding all men) have 4 · 20
/// flights. Everything else stays below: placings and slides together join at most 24 points and 40 edges, leaps
/// add at most one for each of 20 lines to the slides, and removals take one of 24 points.
pub const MAX_MOVES: usize = 80;

/// Deepest line the search follows, in actions.
pub const MAX_PLY: usize = 256;

/// One of the two sides. White places first.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, PartialOrd, Ord)]
pub enum Color {
    /// The side that places first, written `w` and `O`.
    White,
    /// The other side, written `b` and `@`.
    Black,
}

impl Color {
    /// Both colours, White first.
    pub const ALL: [Self; 2] = [Self::White, Self::Black];

    /// 0 for White, 1 for Black: an index into tables of two rows.
    #[inline(always)]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The colour of an index; only the lowest bit counts.
    #[inline(always)]
    pub const fn from_index(index: usize) -> Self {
        if index & 1 == 0 { Self::White } else { Self::Black }
    }

    /// `'w'` or `'b'`, as in position texts.
    pub const fn letter(self) -> char {
        match self {
            Self::White => 'w',
            Self::Black => 'b',
        }
    }
}

impl std::ops::Not for Color {
    type Output = Self;

    #[inline(always)]
    fn not(self) -> Self {
        Self::from_index(self as usize ^ 1)
    }
}

impl fmt::Display for Color {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::White => "white",
            Self::Black => "black",
        })
    }
}

/// A point of the board: `8 * ring + k`, inner ring first, `k` clockwise from the top midpoint.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, PartialOrd, Ord)]
pub struct Square(u8);

impl Square {
    /// The point with the given number.
    ///
    /// # Panics
    /// When `index` is not below 24.
    #[inline(always)]
    pub const fn new(index: usize) -> Self {
        assert!(index < SQUARES);
        Self(index as u8)
    }

    /// The point with the given number, or `None` from 24 on.
    pub const fn try_new(index: usize) -> Option<Self> {
        if index < SQUARES { Some(Self(index as u8)) } else { None }
    }

    /// The five low bits as a point, for numbers known to be a point (the index of a set bit, a field of a move).
    #[inline(always)]
    pub(crate) const fn from_bits(bits: u32) -> Self {
        Self((bits & 31) as u8)
    }

    /// The number of the point, 0 to 23.
    #[inline(always)]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The number as an index into tables of [`ROWS`] rows, which the compiler knows to be in range.
    #[inline(always)]
    pub const fn row(self) -> usize {
        (self.0 & 31) as usize
    }

    /// All points in ascending order.
    pub fn all() -> impl DoubleEndedIterator<Item = Self> {
        (0..SQUARES).map(Self::new)
    }

    /// File 0 to 6 (`a` to `g`) and rank 0 to 6 (`1` to `7`) on the 7×7 grid.
    pub const fn coordinates(self) -> (u8, u8) {
        // Unit steps from the centre for the eight directions, clockwise from the top.
        const STEP: [(i8, i8); 8] = [(0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1)];
        let distance = (self.0 / 8 + 1) as i8;
        let (dx, dy) = STEP[(self.0 % 8) as usize];
        ((3 + dx * distance) as u8, (3 + dy * distance) as u8)
    }

    /// The point at a file and rank of the 7×7 grid, if there is one.
    pub fn from_coordinates(file: u8, rank: u8) -> Option<Self> {
        Self::all().find(|s| s.coordinates() == (file, rank))
    }

    /// Whether the point is the corner of a ring (as opposed to the middle of a side).
    #[inline(always)]
    pub const fn is_corner(self) -> bool {
        self.0 & 1 == 1
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (file, rank) = self.coordinates();
        write!(f, "{}{}", (b'a' + file) as char, (b'1' + rank) as char)
    }
}

/// Why a text is not the name of a point.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SquareError(String);

impl fmt::Display for SquareError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no such square '{}', expected one of the 24 points such as a1 or d6", self.0)
    }
}

impl std::error::Error for SquareError {}

impl FromStr for Square {
    type Err = SquareError;

    /// Reads the name of a point, file letter in either case.
    fn from_str(text: &str) -> Result<Self, SquareError> {
        let &[file, rank] = text.as_bytes() else { return Err(SquareError(text.to_owned())) };
        let file = file.to_ascii_lowercase().wrapping_sub(b'a');
        let rank = rank.wrapping_sub(b'1');
        Self::from_coordinates(file, rank).ok_or_else(|| SquareError(text.to_owned()))
    }
}

/// One action on the board in 16 bits: bits 0–4 target, 5–9 origin, 10–11 kind.
///
/// A turn that closes a mill is two or more moves: the placing or slide, then a take for each man removed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Move(u16);

/// The kinds of [`Move`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum MoveKind {
    /// No move at all.
    None,
    /// A man from the hand comes to the board.
    Place,
    /// A man goes from one point to another: a slide, a leap or a flight.
    Slide,
    /// A man is taken off the board.
    Take,
}

impl Move {
    /// "No move": never legal, the default of tables.
    pub const NONE: Self = Self(0);

    const PLACE: u16 = 1 << 10;
    const SLIDE: u16 = 2 << 10;
    const TAKE: u16 = 3 << 10;

    /// Places a man on `to`.
    #[inline(always)]
    pub const fn place(to: Square) -> Self {
        Self(Self::PLACE | to.0 as u16)
    }

    /// Moves a man from `from` to `to`, near or far.
    #[inline(always)]
    pub const fn slide(from: Square, to: Square) -> Self {
        Self(Self::SLIDE | (from.0 as u16) << 5 | to.0 as u16)
    }

    /// Takes the man on `at`.
    #[inline(always)]
    pub const fn take(at: Square) -> Self {
        Self(Self::TAKE | at.0 as u16)
    }

    /// What kind of move it is.
    #[inline(always)]
    pub const fn kind(self) -> MoveKind {
        match self.0 >> 10 & 3 {
            1 => MoveKind::Place,
            2 => MoveKind::Slide,
            3 => MoveKind::Take,
            _ => MoveKind::None,
        }
    }

    /// Target of a placing or slide, or the point of the man taken.
    #[inline(always)]
    pub const fn to(self) -> Square {
        Square::from_bits(self.0 as u32)
    }

    /// Origin of a slide; `d5` (point 0) for other kinds.
    #[inline(always)]
    pub const fn from(self) -> Square {
        Square::from_bits(self.0 as u32 >> 5)
    }

    /// The same kind of move on other points.
    #[inline]
    pub fn map(self, map: impl Fn(Square) -> Square) -> Self {
        match self.kind() {
            MoveKind::None => self,
            MoveKind::Place => Self::place(map(self.to())),
            MoveKind::Slide => Self::slide(map(self.from()), map(self.to())),
            MoveKind::Take => Self::take(map(self.to())),
        }
    }

    /// Whether this is [`Move::NONE`].
    #[inline(always)]
    pub const fn is_none(self) -> bool {
        self.0 == 0
    }

    /// Whether this is anything but [`Move::NONE`].
    #[inline(always)]
    pub const fn is_some(self) -> bool {
        self.0 != 0
    }

    /// Whether the move takes a man.
    #[inline(always)]
    pub const fn is_take(self) -> bool {
        self.0 >= Self::TAKE
    }

    /// Whether the move takes a man from one point to another. Asked of a take the answer has no meaning.
    #[inline(always)]
    pub(crate) const fn is_slide(self) -> bool {
        self.0 >= Self::SLIDE
    }

    /// The 16 bits, for storing in tables.
    #[inline(always)]
    pub const fn bits(self) -> u16 {
        self.0
    }

    /// A move from stored bits, which may be any nonsense: what no constructor makes becomes [`Move::NONE`], and
    /// the rest has to be checked before it is played.
    #[inline(always)]
    pub const fn from_bits(bits: u16) -> Self {
        let (to, from, kind) = (bits & 31, bits >> 5 & 31, bits >> 10 << 10);
        let is_move = to < 24
            && match kind {
                Self::SLIDE => from < 24,
                Self::PLACE | Self::TAKE => from == 0,
                _ => false,
            };
        if is_move { Self(bits) } else { Self::NONE }
    }
}

impl fmt::Display for Move {
    /// `d6`, `a1-a4`, `xb4`, and `none` for no move.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind() {
            MoveKind::None => f.write_str("none"),
            MoveKind::Place => write!(f, "{}", self.to()),
            MoveKind::Slide => write!(f, "{}-{}", self.from(), self.to()),
            MoveKind::Take => write!(f, "x{}", self.to()),
        }
    }
}

impl fmt::Debug for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Remaining search depth in actions; a removal is an action of its own.
pub type Depth = i32;

/// A score from the point of view of the side to move; 100 is one man.
pub type Value = i32;

/// A draw.
pub const VALUE_DRAW: Value = 0;
/// Larger than every value.
pub const VALUE_INFINITE: Value = 32_001;
/// A win that has already happened. A win in `n` turns is `VALUE_MATE - n`.
pub const VALUE_MATE: Value = 32_000;
/// The longest win, in turns, that is told apart from an ordinary score.
pub const MAX_MATE_TURNS: i32 = 1_000;
/// Values at and beyond this are proven wins with a distance.
pub const VALUE_MATE_IN_MAX: Value = VALUE_MATE - MAX_MATE_TURNS;
/// A win known from tables without its distance: below all mates, above all evaluations.
pub const VALUE_TABLE_WIN: Value = VALUE_MATE_IN_MAX - 1_000;
/// Evaluations stay strictly inside ± this.
pub const VALUE_EVAL_MAX: Value = VALUE_TABLE_WIN - 1_000;

/// The value of winning after `turns` changes of side from here.
#[inline(always)]
pub const fn mate_in(turns: i32) -> Value {
    VALUE_MATE - turns
}

/// The value of losing after `turns` changes of side from here.
#[inline(always)]
pub const fn mated_in(turns: i32) -> Value {
    turns - VALUE_MATE
}

/// Whether a value is a proven win.
#[inline(always)]
pub const fn is_win(value: Value) -> bool {
    value > VALUE_EVAL_MAX && value <= VALUE_MATE
}

/// Whether a value is a proven loss.
#[inline(always)]
pub const fn is_loss(value: Value) -> bool {
    value < -VALUE_EVAL_MAX && value >= -VALUE_MATE
}

/// Whether a value is a proven win or loss.
#[inline(always)]
pub const fn is_decisive(value: Value) -> bool {
    is_win(value) || is_loss(value)
}

/// What a stored value says about the true one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bound {
    /// Nothing.
    None,
    /// The true value is at most this (fail low).
    Upper,
    /// The true value is at least this (fail high).
    Lower,
    /// The true value is this.
    Exact,
}

impl Bound {
    /// The bound coded in the two lowest bits.
    #[inline(always)]
    pub const fn from_bits(bits: u8) -> Self {
        match bits & 3 {
            0 => Self::None,
            1 => Self::Upper,
            2 => Self::Lower,
            _ => Self::Exact,
        }
    }

    /// Whether the true value is at least the stored one.
    #[inline(always)]
    pub const fn is_lower(self) -> bool {
        self as u8 & 2 != 0
    }

    /// Whether the true value is at most the stored one.
    #[inline(always)]
    pub const fn is_upper(self) -> bool {
        self as u8 & 1 != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_follow_direction_and_ring() {
        let names: Vec<String> = Square::all().map(|s| s.to_string()).collect();
        assert_eq!(
            names.join(" "),
            "d5 e5 e4 e3 d3 c3 c4 c5 d6 f6 f4 f2 d2 b2 b4 b6 d7 g7 g4 g1 d1 a1 a4 a7"
        );
        for square in Square::all() {
            assert_eq!(square.to_string().parse(), Ok(square));
            assert_eq!(square.to_string().to_uppercase().parse(), Ok(square));
        }
        for bad in ["", "a", "d4", "h1", "a8", "a11", "b1", "ä1", "a0"] {
            assert!(bad.parse::<Square>().is_err(), "{bad}");
        }
    }

    #[test]
    fn moves_survive_their_bits_and_nonsense_becomes_none() {
        let a = Square::new(3);
        let b = Square::new(23);
        for m in [Move::place(b), Move::slide(a, b), Move::take(a)] {
            assert_eq!(Move::from_bits(m.bits()), m);
            assert!(m.is_some());
        }
        // Fields that name no point, a placing or a take with an origin, a kind that does not exist.
        for bits in
            [0xffff, 24 | 1 << 10, 24 << 5 | 2 << 10, 1 | 1 << 5 | 1 << 10, 1 << 5 | 3 << 10, 7, 4 << 10]
        {
            assert_eq!(Move::from_bits(bits), Move::NONE, "{bits:#x}");
        }
        assert_eq!(Move::slide(a, b).from(), a);
        assert_eq!(Move::slide(a, b).to(), b);
        assert_eq!(Move::take(a).to_string(), "xe3");
    }

    #[test]
    fn value_ranges_do_not_overlap() {
        assert!(is_win(mate_in(MAX_MATE_TURNS)) && is_win(VALUE_TABLE_WIN) && !is_win(VALUE_EVAL_MAX));
        assert!(mate_in(1) > mate_in(2) && mated_in(2) > mated_in(1));
        assert!(is_loss(-VALUE_TABLE_WIN) && !is_loss(-VALUE_EVAL_MAX) && !is_win(VALUE_INFINITE));
    }
}
