//! The data of a position: the packed [`StateInfo`] that every move copies, and the [`Extras`] that only rare
//! rules and unusual position texts need.

use crate::bitboard::{Bitboard, Pair};
use crate::types::{Color, ROWS, Square};

/// The phase of the game for the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
pub enum Phase {
    /// The side to move has men in hand.
    Placing,
    /// The hand of the side to move is empty.
    Moving,
    /// The game has ended.
    Over,
}

/// The kind of move that comes next.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
pub enum Action {
    /// A man comes from the hand.
    Place,
    /// A man slides, flies or leaps.
    Slide,
    /// A man is taken.
    Take,
    /// Nothing can be played.
    None,
}

impl Action {
    /// Returns true for a take and for none.
    #[inline(always)]
    pub(crate) const fn is_take_or_none(self) -> bool {
        self as u8 & 2 != 0
    }
}

/// The end of a game, unless it follows from counters or a blocked side.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    /// The game is not over.
    None,
    /// This side has lost: it has too few men.
    TooFew(Color),
    /// The board is full and White loses.
    FullBoardLoss,
    /// The board is full and the game is drawn.
    FullBoardDraw,
    /// The position text says "over".
    Imported,
}

/// The part of the state that every move copies: 16 bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct StateInfo {
    // Copied, then changed.
    /// Men, hands, side, phase, action and takes due.
    pub(super) core: Core,
    /// The number of slides, flights and leaps since the last placing or take.
    pub(super) move_counter: u16,
    /// The number of positions that count for repetition: those after slides, flights and leaps since the
    /// last placing or take, or since the text was read. With `Position::counts_origin` also the one before,
    /// but none of the placing phase and none in which a take is due.
    pub(super) window: u16,
    // Set anew by each move.
    /// The end of the game, if it has ended.
    pub(super) ending: Ending,
    /// True if the draw rules, or the move counter alone, apply here: after a slide that earns no take, in a
    /// position read from text in which men may slide, or in one that `begin_window` counts.
    pub(super) counted: bool,
    /// True if a blocked side has passed since the move, which changed the side. With
    /// `Position::counts_origin` always false.
    pub(super) passed: bool,
    /// True if [`Extras`] are not at their defaults: seldom, so that most positions do without them.
    pub(super) uses_extras: bool,
}

const _: () = assert!(size_of::<StateInfo>() == 16);

impl StateInfo {
    /// Returns what repetition compares: men, and the side before a blocked side passed.
    #[inline(always)]
    pub(super) const fn repetition_key(&self) -> u64 {
        self.core.repetition_key() ^ if self.passed { Core::SIDE } else { 0 }
    }

    /// Sets the counters of the draw rules to 0, after a placing or a take: no earlier position can return.
    #[inline(always)]
    pub(super) const fn begin_counting(&mut self) {
        self.move_counter = 0;
        self.window = 0;
        self.counted = false;
    }
}

/// Added to the packed position by a placing, by colour and row of the point: a man on the board, and one
/// less in the hand.
static PLACED: [[u64; ROWS]; 2] = {
    let mut placed = [[0; ROWS]; 2];
    let mut row = 0;
    while row < 24 {
        let mut color = 0;
        while color < 2 {
            placed[color][row] = (1_u64 << (24 * color + row)).wrapping_sub(1 << (48 + 4 * color));
            color += 1;
        }
        row += 1;
    }
    placed
};

/// A position of the standard game in 64 bits.
///
/// Bits 0–23 White's men, 24–47 Black's, 48–51 White's hand, 52–55 Black's, 56 side to move, 57–58 phase,
/// 59–60 action, 61–63 takes due of the side to move (0 with [`Extras`], which hold them then).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Core(pub(super) u64);

impl Core {
    const MEN: u64 = (1 << 48) - 1;
    const SIDE: u64 = 1 << 56;
    const HANDS: u64 = 0xff << 48;
    const PHASE: u32 = 57;
    const ACTION: u32 = 59;
    const DUE: u32 = 61;
    /// The bits that repetition compares.
    const REPETITION: u64 = Self::SIDE | Self::MEN;
    /// The most takes due that the field can hold.
    pub(super) const MAX_DUE: u32 = 7;

    #[inline(always)]
    pub(super) const fn men(self, color: usize) -> Bitboard {
        Bitboard((self.0 >> (24 * color)) as u32 & Bitboard::FULL.0)
    }

    /// Returns the men of the side to move, then those of the other side.
    #[inline(always)]
    pub(super) const fn men_by_turn(self) -> Pair {
        Pair::new(self.men(0), self.men(1)).exchanged_if(self.side())
    }

    #[inline(always)]
    pub(super) const fn occupied(self) -> Bitboard {
        Bitboard((self.0 | self.0 >> 24) as u32 & Bitboard::FULL.0)
    }

    /// Returns the men of both sides as bits.
    #[inline(always)]
    pub(super) const fn men_of_both(self) -> u64 {
        self.0 & Self::MEN
    }

    #[inline(always)]
    pub(super) const fn hand(self, color: usize) -> u32 {
        (self.0 >> (48 + 4 * color)) as u32 & 15
    }

    #[inline(always)]
    pub(super) const fn hands_are_empty(self) -> bool {
        self.0 & Self::HANDS == 0
    }

    #[inline(always)]
    pub(super) const fn empty_hands(&mut self) {
        self.0 &= !Self::HANDS;
    }

    #[inline(always)]
    pub(super) const fn side(self) -> usize {
        (self.0 >> 56) as usize & 1
    }

    #[inline(always)]
    pub(super) const fn set_side(&mut self, side: Color) {
        self.0 = self.0 & !Self::SIDE | (side as u64) << 56;
    }

    #[inline(always)]
    pub(super) const fn flip_side(&mut self) {
        self.0 ^= Self::SIDE;
    }

    #[inline(always)]
    pub(super) const fn due(self) -> u32 {
        (self.0 >> Self::DUE) as u32
    }

    #[inline(always)]
    pub(super) const fn phase(self) -> Phase {
        match self.0 >> Self::PHASE & 3 {
            0 => Phase::Placing,
            1 => Phase::Moving,
            _ => Phase::Over,
        }
    }

    #[inline(always)]
    pub(super) const fn action(self) -> Action {
        match self.0 >> Self::ACTION & 3 {
            0 => Action::Place,
            1 => Action::Slide,
            2 => Action::Take,
            _ => Action::None,
        }
    }

    /// Returns true if this is the action.
    #[inline(always)]
    pub(super) const fn has_action(self, action: Action) -> bool {
        self.0 & 3 << Self::ACTION == (action as u64) << Self::ACTION
    }

    #[inline(always)]
    pub(super) const fn set_phase(&mut self, phase: Phase) {
        self.0 = self.0 & !(3 << Self::PHASE) | (phase as u64) << Self::PHASE;
    }

    #[inline(always)]
    pub(super) const fn set_action(&mut self, action: Action) {
        self.0 = self.0 & !(3 << Self::ACTION) | (action as u64) << Self::ACTION;
    }

    /// Sets the action to a take and the number of takes due.
    #[inline(always)]
    pub(super) const fn set_due(&mut self, due: u32) {
        self.0 = self.0 & !(31 << Self::ACTION)
            | (Action::Take as u64) << Self::ACTION
            | (due as u64) << Self::DUE;
    }

    /// Sets phase and action of the side to move, without takes due: placing if it has men in hand.
    #[inline(always)]
    pub(super) const fn set_turn(&mut self, side: usize) {
        const MOVING: u64 = (Phase::Moving as u64) << Core::PHASE | (Action::Slide as u64) << Core::ACTION;
        self.0 = self.0 & !(127 << Self::PHASE) | if self.hand(side) == 0 { MOVING } else { 0 };
    }

    #[inline(always)]
    pub(super) const fn flip(&mut self, color: usize, set: Bitboard) {
        self.0 ^= (set.0 as u64) << (24 * color);
    }

    #[inline(always)]
    pub(super) const fn take_from_hand(&mut self, color: usize, count: u32) {
        self.0 -= (count as u64) << (48 + 4 * color);
    }

    /// Moves a man from the hand to an empty point.
    #[inline(always)]
    pub(super) fn place(&mut self, color: usize, to: Square) {
        self.0 = self.0.wrapping_add(PLACED[color][to.row()]);
    }

    pub(super) const fn give_hand(&mut self, color: usize, count: u32) {
        self.0 += (count as u64) << (48 + 4 * color);
    }

    /// Returns the men alone, for [`Core::mirrored`] and the like, and all other bits.
    #[inline(always)]
    pub(super) const fn split(self) -> (Self, u64) {
        (Self(self.0 & Self::MEN), self.0 & !Self::MEN)
    }

    /// Repeats 24 bits for the men of both sides.
    const fn twice(set: u64) -> u64 {
        set | set << 24
    }

    /// Returns the image of men with the outer and the inner ring exchanged.
    #[inline(always)]
    pub(super) const fn with_rings_exchanged(self) -> Self {
        let kept = self.0 & Self::twice(0xff00);
        Self(kept | self.0 >> 16 & Self::twice(0xff) | self.0 << 16 & Self::twice(0xff_0000))
    }

    /// Returns the image of men under the mirror that changes left and right.
    #[inline(always)]
    pub(super) const fn mirrored(self) -> Self {
        // Each byte is reversed, k -> 7 - k, and moved one step clockwise.
        let bytes = self.0.reverse_bits().swap_bytes();
        Self(bytes << 1 & Self::twice(0xfe_fefe) | bytes >> 7 & Self::twice(0x01_0101))
    }

    /// Returns the image of men after a quarter turn clockwise.
    #[inline(always)]
    pub(super) const fn turned(self) -> Self {
        Self(self.0 << 2 & Self::twice(0xfc_fcfc) | self.0 >> 6 & Self::twice(0x03_0303))
    }

    /// Returns the image under a symmetry of the board.
    #[cfg(test)]
    pub(super) const fn transform(self, symmetry: usize) -> Self {
        let rest = self.0 & !Self::MEN;
        let (white, black) = (self.men(0).transform(symmetry), self.men(1).transform(symmetry));
        Self(rest | white.0 as u64 | (black.0 as u64) << 24)
    }

    /// Returns what repetition compares: men and side.
    #[inline(always)]
    pub(super) const fn repetition_key(self) -> u64 {
        self.0 & Self::REPETITION
    }
}

/// Takes due by one capture rule.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Record {
    /// The men that may be taken.
    pub targets: Bitboard,
    /// The number of them to take.
    pub count: u8,
}

impl Record {
    /// No take due.
    pub const EMPTY: Self = Self { targets: Bitboard::EMPTY, count: 0 };

    pub(super) const fn has(self, square: Square) -> bool {
        self.count > 0 && self.targets.contains(square)
    }
}

/// The three capture records of one side.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Records {
    /// Custodian captures: enclosed men.
    pub custodian: Record,
    /// Intervention captures: the men on both sides of a man that came between them.
    pub intervention: Record,
    /// Leap captures: a man leapt over.
    pub leap: Record,
}

impl Records {
    /// No take due.
    pub const EMPTY: Self =
        Self { custodian: Record::EMPTY, intervention: Record::EMPTY, leap: Record::EMPTY };

    /// Returns true for [`Records::EMPTY`].
    #[inline(always)]
    pub(super) fn is_empty(&self) -> bool {
        self.targets().is_empty() && self.count() == 0
    }

    /// Returns the targets of all three records.
    pub fn targets(&self) -> Bitboard {
        self.custodian.targets | self.intervention.targets | self.leap.targets
    }

    /// Returns the sum of the counts.
    pub fn count(&self) -> u32 {
        u32::from(self.custodian.count) + u32::from(self.intervention.count) + u32::from(self.leap.count)
    }
}

/// The latest move of a side that closed a mill.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct LastMill {
    /// The origin of the man, `None` if it was placed.
    pub from: Option<Square>,
    /// The point on which it closed the mill.
    pub to: Option<Square>,
}

/// The fields that the rule about blocked sides changes, as they were before.
///
/// A draw by counters is decided before that rule, so the text of a position drawn in this way shows these
/// values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DueTakes {
    /// [`Extras::due`].
    pub due: [u8; 2],
    /// [`Extras::take_then_move`].
    pub take_then_move: bool,
    /// [`Extras::both_take`].
    pub both_take: bool,
}

/// State that only rules with extras and unusual position texts need.
///
/// [`CompiledRules::extras`](crate::rules::CompiledRules) marks these rules. Arrays of two are indexed by
/// colour.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Extras {
    /// Points of men taken while placing. Nobody may place there until placing ends.
    pub marked: Bitboard,
    /// Points of the mills that each side has used up.
    pub used: [Bitboard; 2],
    /// Takes due of each side.
    pub due: [u8; 2],
    /// True for a side that takes its own men.
    pub own_due: [bool; 2],
    /// True if the takes due come from a mill.
    pub mill_due: bool,
    /// True while a blocked side takes a man before it moves.
    pub take_then_move: bool,
    /// True while both sides take a man because one was blocked.
    pub both_take: bool,
    /// The fields before the rule about blocked sides changed them, in a position that is drawn by counters.
    pub drawn: Option<DueTakes>,
    /// The latest mill-closing move of each side.
    pub last_mill: [LastMill; 2],
    /// Capture records.
    pub records: [Records; 2],
    /// An end of the line to use if several intervention lines fit. Only a position text sets it.
    pub preferred: Option<Square>,
}

impl Extras {
    /// Returns the extras that say only how many takes a side has due after a mill.
    pub(super) fn of_takes(side: usize, due: u8) -> Self {
        let mut extras = Self { mill_due: due > 0, ..Self::default() };
        extras.due[side] = due;
        extras
    }

    /// Compares with the default, by fewer instructions than `==`.
    #[inline(always)]
    pub(super) fn are_default(&self) -> bool {
        const NO_MILL: LastMill = LastMill { from: None, to: None };
        // All fields, so that a new one cannot be forgotten.
        let Self {
            marked,
            used,
            due,
            own_due,
            mill_due,
            take_then_move,
            both_take,
            drawn,
            last_mill,
            records,
            preferred,
        } = self;
        // Of extras in use mostly one of these is.
        if !marked.is_empty() || *due != [0, 0] {
            return false;
        }
        let points = used[0] | used[1] | records[0].targets() | records[1].targets();
        let flags = own_due[0] | own_due[1] | mill_due | take_then_move | both_take;
        let takes = records[0].count() + records[1].count();
        let mills = *last_mill == [NO_MILL; 2];
        points.is_empty() && takes == 0 && !flags && mills && drawn.is_none() && preferred.is_none()
    }

    pub(super) fn due_takes(&self) -> DueTakes {
        DueTakes { due: self.due, take_then_move: self.take_then_move, both_take: self.both_take }
    }
}
