//! The scores by which the move picker sorts moves, and the keys that hold them.

use crate::bitboard::{Bitboard, Pair};
#[cfg(not(feature = "tune"))]
use crate::params::{history_max, order_closes_mill, order_stops_mill};
use crate::params::{
    order_leaves_mill, order_near_mark, order_shared_line, order_take_breaks_line, order_take_far,
    order_take_mobile, order_take_near_own, order_take_opens_row,
};
use crate::position::Position;
use crate::rules::CompiledRules;
use crate::types::{Move, MoveKind, Square};

// Scores fit in 16 bits; [`sort_key`] limits them where a tuner sets the parameters. The first check is about
// moves that close or stop a mill and come before the others, the second about all others.
#[cfg(not(feature = "tune"))]
const _: () = assert!(2 * order_closes_mill() + 1 < i16::MAX as i32);
#[cfg(not(feature = "tune"))]
const _: () = assert!(order_stops_mill() + history_max() + 1_000 < i16::MAX as i32);

/// A move with its score: the score in the upper half, then two flags, then the move. The largest is the
/// best.
pub(super) type SortKey = i32;

/// Returns the key of a move with this score.
#[inline(always)]
pub(super) fn sort_key(score: i32, flags: SortKey, m: Move) -> SortKey {
    let score = if cfg!(feature = "tune") { score.clamp(i16::MIN.into(), i16::MAX.into()) } else { score };
    score << 16 | flags | SortKey::from(m.bits())
}

/// The flag of a move that closes a mill.
pub(super) const CLOSES: SortKey = 1 << 15;
/// The flag of a move that stops a mill.
pub(super) const STOPS: SortKey = 1 << 14;
/// The bits of the move.
const MOVE: SortKey = (1 << 12) - 1;

/// Returns the move of a key.
#[inline(always)]
pub(super) fn move_of(key: SortKey) -> Move {
    Move::from_bits_unchecked((key & MOVE) as u16)
}

/// Scores the moves of one node by lines and neighbours.
pub(super) struct Scorer<'a> {
    compiled: &'a CompiledRules,
    ours: Bitboard,
    theirs: Bitboard,
    empty: Bitboard,
    marked: Bitboard,
    /// The points where two own men share a line.
    closers: Bitboard,
    /// The points where two men of the opponent share a line.
    pub(super) threats: Bitboard,
    /// The points of both kinds.
    pub(super) of_mills: Bitboard,
    milled: Bitboard,
    /// The midpoints of sides between an own and an opposing man.
    shared: Bitboard,
}

impl<'a> Scorer<'a> {
    /// Prepares to score the moves of a position. `closers` are the points where each side could close a
    /// mill.
    #[inline(always)]
    pub(super) fn new(pos: &'a Position, closers: Pair) -> Self {
        let compiled = pos.compiled();
        let (men, empty) = (pos.men_by_turn(), pos.empty());
        let (ours, theirs) = (men.first(), men.second());
        let (before, after) = (men.clockwise(), men.anticlockwise());
        let shared = before.first() & after.second() | before.second() & after.first();
        Self {
            compiled,
            ours,
            theirs,
            empty,
            marked: pos.extras().marked,
            closers: closers.first(),
            threats: closers.second(),
            of_mills: closers.first() | closers.second(),
            milled: ours.milled(compiled.spokes),
            shared: shared & Bitboard::MIDPOINTS,
        }
    }

    /// Scores a placing or slide apart from the mill that it stops.
    #[inline(always)]
    pub(super) fn advance<const EXTRAS: bool>(&self, m: Move) -> i32 {
        let mut score = if m.kind() == MoveKind::Slide {
            order_leaves_mill() * i32::from(self.milled.contains(m.from()))
        } else {
            order_shared_line() * i32::from(self.shared.contains(m.to()))
        };
        if EXTRAS && !self.marked.is_empty() {
            score += order_near_mark() * (self.compiled.adjacent[m.to().row()] & self.marked).count() as i32;
        }
        score
    }

    /// Returns true if a placing or slide closes a mill.
    #[inline(always)]
    pub(super) fn closes(&self, m: Move) -> bool {
        let others = if m.kind() == MoveKind::Slide { self.ours.without(m.from()) } else { self.ours };
        self.closers.contains(m.to()) && self.compiled.closes_mill(others, m.to())
    }

    /// Scores a take.
    #[inline(always)]
    pub(super) fn take(&self, at: Square) -> i32 {
        let near = self.compiled.adjacent[at.row()];
        let own_near = (near & self.ours).count() as i32;
        let mut score =
            order_take_near_own() * own_near + order_take_mobile() * (near & self.empty).count() as i32;
        if own_near == 0 {
            score += order_take_far();
        }
        if (near & self.theirs).count() >= 3 {
            score += order_take_opens_row();
        }
        for line in self.compiled.partners[at.row()] {
            let open = line.intersects(self.theirs) & line.intersects(self.threats);
            score += order_take_breaks_line() * i32::from(open);
        }
        score
    }
}
