//! The values of turns that take men, looked up in finished sectors: of closing a mill, with the best take,
//! and of interventions.

use super::finished::{FinishedSector, SectorLookup, SetSlots};
use super::row::Row;
use crate::tablebase::format::board::{members, spread};
use crate::tablebase::format::game::{SolvedGame, TurnKind};
use crate::tablebase::format::index::Sector;
use crate::tablebase::format::value::TbValue;

/// The values after mills that turns of one kind close.
pub(super) enum MillValues<'a> {
    /// As after quiet turns: mills count later.
    Quiet,
    /// Those after the best takes from the board.
    Board(TakeLookup<'a>),
    /// Those after a take from the hand, in the order of those after quiet turns.
    Hand(&'a [u8]),
}

impl<'a> MillValues<'a> {
    /// Returns those of the turns of `sector`. `quiet` is the sector after a turn that takes nothing; `taken`
    /// holds those after one take, two and so on, without those that end the game.
    pub(super) fn new(
        game: &SolvedGame,
        sector: Sector,
        kind: TurnKind,
        quiet: Option<FinishedSector<'a>>,
        taken: &[FinishedSector<'a>],
    ) -> Self {
        if game.settles && kind == TurnKind::Place {
            Self::Quiet
        } else if game.takes_in_hand(sector, kind) {
            Self::Hand(taken.first().copied().or(quiet).map_or(&[], |finished| finished.values))
        } else {
            Self::Board(TakeLookup::new(*game, sector.theirs, sector.their_hand, taken))
        }
    }
}

/// Looks up the positions after takes. `taken[k]` is the sector after k + 1 takes.
pub(super) struct TakeLookup<'a> {
    game: SolvedGame,
    /// Men of the side that loses men, on the board and in hand, before the take.
    men: (u8, u8),
    taken: Vec<SectorLookup<'a>>,
}

/// The takes of one row.
pub(super) struct RowTakes<'a, 'b> {
    lookup: &'b TakeLookup<'a>,
    fixed: u32,
    /// The slots of the sets that one take leaves.
    left: Vec<SetSlots>,
}

/// The positions after an intervention.
pub(super) struct Intervention<'a, 'b> {
    /// The sector and the slots of the men that are left; `None` if these are too few.
    left: Option<(&'b SectorLookup<'a>, SetSlots)>,
}

impl<'a> TakeLookup<'a> {
    /// `on_board` and `in_hand` count the men of the side that loses men. `taken` holds the sectors after
    /// one, two and three takes: as many as the rules allow without ending the game.
    pub(super) fn new(game: SolvedGame, on_board: u8, in_hand: u8, taken: &[FinishedSector<'a>]) -> Self {
        let taken = taken.iter().copied().map(SectorLookup::new).collect();
        Self { game, men: (on_board, in_hand), taken }
    }

    /// Prepares the takes from the set `fixed`.
    pub(super) fn row<'b>(&'b self, fixed: u32) -> RowTakes<'a, 'b> {
        debug_assert_eq!(fixed.count_ones(), u32::from(self.men.0));
        let left = self.taken.first().map_or_else(Vec::new, |lookup| {
            let takeable = members(self.game.takeable(fixed));
            takeable.map(|point| lookup.slots_of(fixed & !(1 << point))).collect()
        });
        RowTakes { lookup: self, fixed, left }
    }
}

impl<'a, 'b> RowTakes<'a, 'b> {
    /// Returns the positions after the man that came to `point` (squeezed) has taken those beside it. `point`
    /// must be one of [`Row::intervening`].
    pub(super) fn intervention(&self, row: &Row, point: u32) -> Intervention<'a, 'b> {
        let all = self.lookup;
        let taken = all.game.between(spread(1 << point, row.free).trailing_zeros(), self.fixed);
        let count = taken.count_ones();
        let is_over = u32::from(all.men.0 + all.men.1) < u32::from(all.game.least) + count;
        let slots = || {
            let lookup = &all.taken[count as usize - 1];
            (lookup, lookup.slots_of(self.fixed & !taken))
        };
        Intervention { left: (!is_over).then(slots) }
    }
}

impl Intervention<'_, '_> {
    /// The value, for the opponent, if the mover has the set `own` (not squeezed) now.
    #[inline(always)]
    pub(super) fn value(&self, own: u32) -> u8 {
        self.left.as_ref().map_or(TbValue::LOST.0, |(lookup, slots)| lookup.value(slots, own))
    }
}

impl RowTakes<'_, '_> {
    /// The value, for the opponent, of the position after the best single take for the side of
    /// the set `own` (not squeezed). A take that leaves too few men gives a loss.
    #[inline(always)]
    pub(super) fn one(&self, own: u32) -> u8 {
        let all = self.lookup;
        if all.men.0 + all.men.1 <= all.game.least {
            return TbValue::LOST.0;
        }
        let mut best = u8::MAX;
        for left in &self.left {
            best = best.min(all.taken[0].value(left, own));
            if best == TbValue::LOST.0 {
                break;
            }
        }
        best
    }

    /// The same for several takes in a row, each with the mills that protect men at that time.
    pub(super) fn several(&self, own: u32, count: usize) -> u8 {
        self.lookup.best(self.fixed, own, 0, count)
    }
}

impl TakeLookup<'_> {
    fn best(&self, theirs: u32, own: u32, done: usize, count: usize) -> u8 {
        let left = self.men.0 + self.men.1 - done as u8;
        if left < self.game.least {
            return TbValue::LOST.0;
        }
        if done == count || theirs == 0 {
            let lookup = &self.taken[done - 1];
            return lookup.value(&lookup.slots_of(theirs), own);
        }
        members(self.game.takeable(theirs))
            .map(|point| self.best(theirs & !(1 << point), own, done + 1, count))
            .min()
            .unwrap_or(u8::MAX)
    }
}
