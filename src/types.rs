//! The types that every module uses: colours, points, moves, values and bounds. Nothing here depends on the
//! rules of the game, and the module uses no other.

use std::fmt;
use std::str::FromStr;

/// The number of points on the board.
pub const SQUARES: usize = 24;

/// The length of arrays indexed by `Square::row`: a power of two, so that no bounds check is needed.
pub const ROWS: usize = 32;

/// The largest number of legal moves of any position under any rules.
///
/// Four flying men on an otherwise empty board (a position read from text, the opponent still holding all
/// men) have 4 · 20 moves. All other positions have fewer: with men in hand at most 24 placings and 40
/// slides, one for each edge; without at most 40 slides and 20 leaps, one for each line; or 24 men to take.
pub const MAX_MOVES: usize = 80;

/// The longest line the search follows, in moves (a take is a move of its own).
pub(crate) const MAX_PLY: usize = 256;

/// One of the two sides. White places first.
///
/// ```
/// use millstone::Color;
///
/// assert_eq!("white".parse(), Ok(Color::White));
/// assert_eq!((!Color::White).to_string(), "black");
/// ```
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

    /// Returns 0 for White and 1 for Black, an index into arrays of two.
    #[inline(always)]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Returns the colour of an index. Only the lowest bit counts.
    #[inline(always)]
    pub const fn from_index(index: usize) -> Self {
        if index & 1 == 0 { Self::White } else { Self::Black }
    }

    /// Returns `'w'` or `'b'`, as in position texts.
    pub(crate) const fn letter(self) -> char {
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

/// The form of a move, as error messages name it.
pub(crate) const MOVE_FORMS: &str = "a move such as d6, a1-a4 or xb4";

/// A text that names no colour or point, or is no move; bits that are no set of points.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ParseError {
    /// It names no colour.
    Color(String),
    /// It names no point.
    Square(String),
    /// It does not have the form of a single move.
    Move(String),
    /// A bit of this number is that of no point.
    Bitboard(u32),
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Color(text) => write!(f, "no such colour '{text}', expected white or black"),
            Self::Square(text) => {
                write!(f, "no such point '{text}', expected a name such as a1 or d6")
            }
            Self::Move(text) => write!(f, "found '{text}', expected {MOVE_FORMS}"),
            Self::Bitboard(bits) => write!(f, "found {bits:#x}, expected a set of 24 points"),
        }
    }
}

impl std::error::Error for ParseError {}

impl FromStr for Color {
    type Err = ParseError;

    /// Reads `white`, `w`, `black` or `b`, in either case.
    fn from_str(text: &str) -> Result<Self, ParseError> {
        match text.to_ascii_lowercase().as_str() {
            "white" | "w" => Ok(Self::White),
            "black" | "b" => Ok(Self::Black),
            _ => Err(ParseError::Color(text.to_owned())),
        }
    }
}

/// A point of the board, the place for one man.
///
/// Its number is `8 * ring + k`, inner ring first, `k` clockwise from the top midpoint.
///
/// ```
/// use millstone::Square;
///
/// let square: Square = "d6".parse()?;
/// assert_eq!((square.index(), square.to_string()), (8, "d6".to_owned()));
/// assert!("d4".parse::<Square>().is_err(), "the centre of the board is no point");
/// # Ok::<(), millstone::types::ParseError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, PartialOrd, Ord)]
pub struct Square(u8);

impl Square {
    /// Returns the point with the given index.
    ///
    /// # Panics
    /// If `index` is 24 or more.
    #[inline(always)]
    pub const fn new(index: usize) -> Self {
        assert!(index < SQUARES);
        Self(index as u8)
    }

    /// Returns the point with the given index, or `None` if `index` is 24 or more.
    pub const fn try_new(index: usize) -> Option<Self> {
        if index < SQUARES { Some(Self(index as u8)) } else { None }
    }

    /// Returns the point of the five low bits, for numbers known to be below 24: the index of a set bit, a
    /// field of a move.
    #[inline(always)]
    pub(crate) const fn from_bits(bits: u32) -> Self {
        Self((bits & 31) as u8)
    }

    /// Returns the index of the point, 0 to 23.
    #[inline(always)]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Returns the index for arrays of [`ROWS`] entries, which is provably in range for the compiler.
    #[inline(always)]
    pub(crate) const fn row(self) -> usize {
        (self.0 & 31) as usize
    }

    /// Returns all points in ascending order.
    pub fn all() -> impl DoubleEndedIterator<Item = Self> {
        (0..SQUARES).map(Self::new)
    }

    /// Returns file 0 to 6 (`a` to `g`) and rank 0 to 6 (`1` to `7`) on the 7×7 grid.
    pub const fn coordinates(self) -> (u8, u8) {
        // Unit steps from the centre for the eight directions, clockwise from the top.
        const STEP: [(i8, i8); 8] = [(0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1)];
        let distance = (self.0 / 8 + 1) as i8;
        let (dx, dy) = STEP[(self.0 % 8) as usize];
        ((3 + dx * distance) as u8, (3 + dy * distance) as u8)
    }

    /// Returns the point at a file and rank of the 7×7 grid, or `None` if there is none.
    pub fn from_coordinates(file: u8, rank: u8) -> Option<Self> {
        Self::all().find(|s| s.coordinates() == (file, rank))
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (file, rank) = self.coordinates();
        write!(f, "{}{}", (b'a' + file) as char, (b'1' + rank) as char)
    }
}

impl FromStr for Square {
    type Err = ParseError;

    /// Reads the name of a point, its file letter in either case.
    fn from_str(text: &str) -> Result<Self, ParseError> {
        let &[file, rank] = text.as_bytes() else { return Err(ParseError::Square(text.to_owned())) };
        let file = file.to_ascii_lowercase().wrapping_sub(b'a');
        let rank = rank.wrapping_sub(b'1');
        Self::from_coordinates(file, rank).ok_or_else(|| ParseError::Square(text.to_owned()))
    }
}

/// A placing, a slide or a take, in 16 bits: bits 0–4 target, 5–9 origin, 10–11 kind.
///
/// A turn that closes a mill is two or more moves: the placing or slide, then each take.
///
/// ```
/// use millstone::Move;
///
/// let m: Move = "a1-a4".parse()?;
/// assert_eq!(m, Move::slide("a1".parse()?, "a4".parse()?));
/// assert_eq!(Move::take("b4".parse()?).to_string(), "xb4");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Move(u16);

/// The kinds of [`Move`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, serde::Serialize, serde::Deserialize)]
pub enum MoveKind {
    /// No move at all.
    None,
    /// A man from the hand is placed.
    Place,
    /// A man goes from one point to another: a slide, a leap or a flight.
    Slide,
    /// A man is taken from the board.
    Take,
}

impl Move {
    /// No move. Never legal; fills unused entries.
    pub const NONE: Self = Self(0);

    const PLACE: u16 = 1 << 10;
    const SLIDE: u16 = 2 << 10;
    const TAKE: u16 = 3 << 10;

    /// Returns the placing of a man on `to`.
    #[inline(always)]
    pub const fn place(to: Square) -> Self {
        Self(Self::PLACE | to.0 as u16)
    }

    /// Returns the slide, leap or flight of the man on `from` to `to`.
    #[inline(always)]
    pub const fn slide(from: Square, to: Square) -> Self {
        Self(Self::SLIDE | (from.0 as u16) << 5 | to.0 as u16)
    }

    /// Returns the take of the man on `at`.
    #[inline(always)]
    pub const fn take(at: Square) -> Self {
        Self(Self::TAKE | at.0 as u16)
    }

    /// Returns the kind of move.
    #[inline(always)]
    pub const fn kind(self) -> MoveKind {
        match self.0 >> 10 & 3 {
            1 => MoveKind::Place,
            2 => MoveKind::Slide,
            3 => MoveKind::Take,
            _ => MoveKind::None,
        }
    }

    /// Returns the target of a placing or slide, or the point of the man taken.
    #[inline(always)]
    pub const fn to(self) -> Square {
        Square::from_bits(self.0 as u32)
    }

    /// Returns the origin of a slide, and `d5` (point 0) for other kinds.
    #[inline(always)]
    pub const fn from(self) -> Square {
        Square::from_bits(self.0 as u32 >> 5)
    }

    /// Returns the same kind of move with `map` applied to its points.
    #[inline]
    pub fn map(self, map: impl Fn(Square) -> Square) -> Self {
        match self.kind() {
            MoveKind::None => self,
            MoveKind::Place => Self::place(map(self.to())),
            MoveKind::Slide => Self::slide(map(self.from()), map(self.to())),
            MoveKind::Take => Self::take(map(self.to())),
        }
    }

    /// Returns true for [`Move::NONE`].
    #[inline(always)]
    pub const fn is_none(self) -> bool {
        self.0 == 0
    }

    /// Returns false for [`Move::NONE`].
    #[inline(always)]
    pub const fn is_some(self) -> bool {
        self.0 != 0
    }

    /// Returns true for a take.
    #[inline(always)]
    pub const fn is_take(self) -> bool {
        self.0 >= Self::TAKE
    }

    /// Returns true for a slide, false for a placing. Must not be called for a take.
    #[inline(always)]
    pub(crate) const fn is_slide(self) -> bool {
        debug_assert!(!self.is_take());
        self.0 >= Self::SLIDE
    }

    /// Returns the 16 bits, for storage.
    #[inline(always)]
    pub const fn bits(self) -> u16 {
        self.0
    }

    /// Returns the move whose [`Move::bits`] these are, as [`Move::from_bits`] does, but without a check.
    #[inline(always)]
    pub(crate) const fn from_bits_unchecked(bits: u16) -> Self {
        debug_assert!(Self::from_bits(bits).0 == bits);
        Self(bits)
    }

    /// Returns the move of stored bits, or [`Move::NONE`] for bits that no constructor makes.
    ///
    /// Check the move before you play it.
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
    /// Writes `d6`, `a1-a4` or `xb4`, and `none` for no move.
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

impl FromStr for Move {
    type Err = ParseError;

    /// Reads a single move such as `d6`, `a1-a4` or `xb4`, letters in either case. The move need not be
    /// legal.
    fn from_str(text: &str) -> Result<Self, ParseError> {
        let square = |name: &str| name.parse::<Square>().map_err(|_| ParseError::Move(text.to_owned()));
        if let Some((from, to)) = text.split_once('-') {
            return Ok(Self::slide(square(from)?, square(to)?));
        }
        match text.strip_prefix(['x', 'X']) {
            Some(at) => Ok(Self::take(square(at)?)),
            None => Ok(Self::place(square(text)?)),
        }
    }
}

/// Implements `Serialize` and `Deserialize` by `Display` and `FromStr`.
macro_rules! serde_as_text {
    ($($name:ty),*) => {$(
        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text: std::borrow::Cow<'de, str> = serde::Deserialize::deserialize(deserializer)?;
                text.parse().map_err(serde::de::Error::custom)
            }
        }
    )*};
}

pub(crate) use serde_as_text;

serde_as_text!(Color, Square, Move);

/// The remaining search depth in plies.
///
/// Below the root a mill and its take count as one, except under rules with extras, where a mill may earn no
/// take.
pub type Depth = i32;

/// A value in hundredths of a man, from the point of view of the side to move.
pub type Value = i32;

/// The value of a draw.
pub const VALUE_DRAW: Value = 0;
/// Larger than every value.
pub const VALUE_INFINITE: Value = 32_001;
/// The value of a game already won. A win in `n` turns is `VALUE_MATE - n`.
pub const VALUE_MATE: Value = 32_000;
/// The longest mate distance that a value can hold, in turns.
pub const MAX_MATE_TURNS: i32 = 1_000;
/// The least value of a win with a known distance.
pub const VALUE_MATE_IN_MAX: Value = VALUE_MATE - MAX_MATE_TURNS;
/// A tablebase win of unknown distance: below all mates, above all evaluations.
pub const VALUE_TB_WIN: Value = VALUE_MATE_IN_MAX - 1_000;
/// The bound of evaluations, which stay strictly inside ±`VALUE_EVAL_MAX`.
pub const VALUE_EVAL_MAX: Value = VALUE_TB_WIN - 1_000;

/// Returns the nearest value inside the limits of an evaluation.
#[inline]
pub(crate) fn limited_eval(value: Value) -> Value {
    value.clamp(1 - VALUE_EVAL_MAX, VALUE_EVAL_MAX - 1)
}

/// Returns true for a win or loss with a known distance.
#[inline(always)]
pub const fn is_mate(value: Value) -> bool {
    value.saturating_abs() >= VALUE_MATE_IN_MAX && value.saturating_abs() <= VALUE_MATE
}

/// Returns the value of a win after `turns` turns of both sides.
#[inline(always)]
pub const fn mate_in(turns: i32) -> Value {
    VALUE_MATE - turns
}

/// Returns the value of a loss after `turns` turns of both sides.
#[inline(always)]
pub const fn mated_in(turns: i32) -> Value {
    turns - VALUE_MATE
}

/// Returns true for a proven win.
#[inline(always)]
pub const fn is_win(value: Value) -> bool {
    value > VALUE_EVAL_MAX && value <= VALUE_MATE
}

/// Returns true for a proven loss.
#[inline(always)]
pub const fn is_loss(value: Value) -> bool {
    value < -VALUE_EVAL_MAX && value >= -VALUE_MATE
}

/// Returns true for a proven win or loss.
#[inline(always)]
pub const fn is_decisive(value: Value) -> bool {
    is_win(value) || is_loss(value)
}

/// The relation of a stored value to the true one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
pub enum Bound {
    /// Unknown.
    None,
    /// The true value is at most this (fail low).
    Upper,
    /// The true value is at least this (fail high).
    Lower,
    /// The true value is equal.
    Exact,
}

impl Bound {
    /// Returns the bound stored in the two lowest bits.
    #[inline(always)]
    pub const fn from_bits(bits: u8) -> Self {
        match bits & 3 {
            0 => Self::None,
            1 => Self::Upper,
            2 => Self::Lower,
            _ => Self::Exact,
        }
    }

    /// Returns true if the true value is at least the stored one.
    #[inline(always)]
    pub const fn is_lower(self) -> bool {
        self as u8 & 2 != 0
    }

    /// Returns true if the true value is at most the stored one.
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
        assert!(is_win(mate_in(MAX_MATE_TURNS)) && is_win(VALUE_TB_WIN) && !is_win(VALUE_EVAL_MAX));
        assert!(mate_in(1) > mate_in(2) && mated_in(2) > mated_in(1));
        assert!(is_loss(-VALUE_TB_WIN) && !is_loss(-VALUE_EVAL_MAX) && !is_win(VALUE_INFINITE));
        // The compiler finds an overflow in every build.
        const { assert!(!is_mate(Value::MIN) && !is_mate(Value::MAX)) };
    }

    #[test]
    fn texts_are_read_back_and_pass_through_serde() {
        for color in Color::ALL {
            assert_eq!(color.to_string().parse(), Ok(color));
            assert_eq!(color.letter().to_string().parse(), Ok(color));
        }
        assert!("red".parse::<Color>().is_err());
        for text in ["d6", "a1-a4", "xb4"] {
            let m: Move = text.parse().expect("a move");
            assert_eq!(m.to_string(), text);
            let json = serde_json::to_string(&m).expect("a string");
            assert_eq!(json, format!("\"{text}\""));
            assert_eq!(serde_json::from_str::<Move>(&json).expect("the same"), m);
        }
        assert!("none".parse::<Move>().is_err() && serde_json::from_str::<Square>("\"d4\"").is_err());
        assert_eq!(
            serde_json::to_string(&[Color::White, Color::Black]).expect("a list"),
            r#"["white","black"]"#
        );
    }
}
