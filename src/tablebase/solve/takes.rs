//! The value of closing a mill: the best take, looked up in finished sectors.

use crate::tablebase::format::board::{FULL, members, squeeze};
use crate::tablebase::format::game::{SolvedGame, TurnKind};
use crate::tablebase::format::index::{Index, Ranker, Sector, SetClasses};
use crate::tablebase::format::value::TbValue;

/// A finished sector as the solver reads it: one value per slot.
#[derive(Clone, Copy)]
pub(crate) struct FinishedSector<'a> {
    /// The sector.
    pub sector: Sector,
    /// Its values in the order of the slots.
    pub values: &'a [u8],
}

impl<'a> FinishedSector<'a> {
    /// Returns sectors that were loaded.
    pub(super) fn all(loaded: &'a [(Sector, Vec<u8>)]) -> impl Iterator<Item = Self> {
        loaded.iter().map(|(sector, values)| Self { sector: *sector, values })
    }
}

/// Loads the finished sectors after the turns of one kind from `sector`, which is one of a pair: first that
/// after a placing without a take, then those after one take, two and so on, without those that end the game.
/// A slide without a take stays in the pair.
///
/// # Errors
/// If `load` fails.
pub(super) fn load_after<E>(
    game: &SolvedGame,
    sector: Sector,
    kind: TurnKind,
    load: &mut dyn FnMut(Sector) -> Result<Vec<u8>, E>,
) -> Result<Vec<(Sector, Vec<u8>)>, E> {
    let fewest = 1 - kind.placed();
    let after = (fewest..=game.most_taken()).filter_map(|taken| game.after(sector, kind, taken));
    after.map(|sector| Ok((sector, load(sector)?))).collect()
}

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
pub(crate) struct TakeLookup<'a> {
    game: SolvedGame,
    /// Men of the side that loses men, on the board and in hand, before the take.
    men: (u8, u8),
    taken: Vec<Lookup<'a>>,
}

struct Lookup<'a> {
    values: &'a [u8],
    classes: &'a SetClasses,
    own: Ranker<'a>,
    theirs: Ranker<'a>,
    row_length: usize,
}

/// One take from the fixed set of a row, prepared: the first slot of the row of the set that remains, the
/// symmetry that maps this set to its representative, and the points that the representative leaves free.
struct RowTake {
    first: usize,
    symmetry: usize,
    rest: u32,
}

/// The takes of one row.
pub(crate) struct RowTakes<'a, 'b> {
    lookup: &'b TakeLookup<'a>,
    fixed: u32,
    takes: Vec<RowTake>,
}

impl<'a> TakeLookup<'a> {
    /// `on_board` and `in_hand` count the men of the side that loses men. `taken` holds the sectors after
    /// one, two and three takes: as many as the rules allow without ending the game.
    pub(crate) fn new(game: SolvedGame, on_board: u8, in_hand: u8, taken: &[FinishedSector<'a>]) -> Self {
        let index = Index::get();
        let taken = taken
            .iter()
            .map(|finished| Lookup {
                values: finished.values,
                classes: index.classes(finished.sector.own as usize),
                own: index.ranker(finished.sector.own as usize),
                theirs: index.ranker(finished.sector.theirs as usize),
                row_length: finished.sector.row_length(),
            })
            .collect();
        Self { game, men: (on_board, in_hand), taken }
    }

    /// Prepares the takes from the set `fixed`.
    pub(crate) fn row<'b>(&'b self, fixed: u32) -> RowTakes<'a, 'b> {
        let mut takes = Vec::new();
        if let Some(lookup) = self.taken.first() {
            for point in members(self.game.takeable(fixed)) {
                let left = fixed & !(1 << point);
                let found = lookup.classes.of_rank(lookup.own.rank(left));
                debug_assert_eq!(left.count_ones() + 1, u32::from(self.men.0));
                takes.push(RowTake {
                    first: found.class() * lookup.row_length,
                    symmetry: found.symmetry(),
                    rest: FULL & !lookup.classes.representatives[found.class()],
                });
            }
        }
        RowTakes { lookup: self, fixed, takes }
    }
}

impl RowTakes<'_, '_> {
    /// The value, for the opponent, of the position after the best single take for the side of
    /// the set `own` (not squeezed). A take that leaves too few men gives a loss.
    #[inline(always)]
    pub(crate) fn one(&self, own: u32) -> u8 {
        let all = self.lookup;
        if all.men.0 + all.men.1 <= all.game.least {
            return TbValue::LOST.0;
        }
        let symmetries = &Index::get().symmetries;
        let lookup = &all.taken[0];
        let mut best = u8::MAX;
        for take in &self.takes {
            let image = symmetries.apply(take.symmetry, own);
            let slot = take.first + lookup.theirs.rank(squeeze(image, take.rest));
            best = best.min(lookup.values[slot]);
            if best == TbValue::LOST.0 {
                break;
            }
        }
        best
    }

    /// The same for several takes in a row, each with the mills that protect men at that time.
    pub(crate) fn several(&self, own: u32, count: usize) -> u8 {
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
            let found = lookup.classes.of_rank(lookup.own.rank(theirs));
            let image = Index::get().symmetries.apply(found.symmetry(), own);
            let rest = FULL & !lookup.classes.representatives[found.class()];
            let slot = found.class() * lookup.row_length + lookup.theirs.rank(squeeze(image, rest));
            return lookup.values[slot];
        }
        members(self.game.takeable(theirs))
            .map(|point| self.best(theirs & !(1 << point), own, done + 1, count))
            .min()
            .unwrap_or(u8::MAX)
    }
}
