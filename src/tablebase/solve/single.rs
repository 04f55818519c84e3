//! Turns into finished sectors. In a sector without other turns they decide every position in one pass.
//!
//! A row fixes the set R of the side that does not move. A turn leads from an entry to another of the same R,
//! with R to move. The sector of the next ply stores these entries side by side, since R is its mover.

use super::finished::FinishedSector;
use super::row::{Row, SlotProgress, Target, entries_of};
use super::takes::{MillValues, RowTakes};
use super::units::AFTER_FULL_BOARD;
use crate::platform::parallel::{batches, each, share, shared};
use crate::tablebase::format::board::{FULL, count_slides, in_mills, members, spread};
use crate::tablebase::format::game::{SolvedGame, TurnKind};
use crate::tablebase::format::index::{Index, Ranker, Sector, subsets};
use crate::tablebase::format::value::TbValue;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// Returns the values, for White, of the positions of `sector` in which Black opens the moving phase.
/// `opener` holds the same positions with Black to move. The turn that White leaves out counts as a ply.
pub(super) fn passed(sector: Sector, opener: &[u8], threads: usize) -> Vec<u8> {
    let sets = Index::get().representatives(sector.own as usize);
    let mut values = vec![0; sector.slots() as usize];
    let rows = sets.iter().zip(values.chunks_exact_mut(sector.row_length()));
    each(threads, batches(rows, sets.len()), |batch| {
        for (&white, values) in batch {
            let free = FULL & !white;
            for (squeezed, value) in subsets(free.count_ones(), u32::from(sector.theirs)).zip(values) {
                let slot = sector.mirrored().slot(spread(squeezed, free), white);
                *value = TbValue(opener[slot as usize]).before().0;
            }
        }
    });
    values
}

/// Returns the values, for White, of the full boards from which White takes a man. `after` holds the values
/// of [`AFTER_FULL_BOARD`].
pub(super) fn taken_from_full_boards(game: &SolvedGame, after: &[u8]) -> Vec<u8> {
    let best = |&white: &u32| {
        let black = FULL & !white;
        let left = members(game.takeable(black)).map(|point| black & !(1 << point));
        let worst = left.map(|black| after[AFTER_FULL_BOARD.slot(black, white) as usize]).min();
        TbValue(worst.unwrap_or(TbValue::DRAW.0)).before().0
    };
    // Each row has one slot: Black stands on all points that are left.
    Index::get().representatives(AFTER_FULL_BOARD.theirs as usize).iter().map(best).collect()
}

/// The turns of one kind from a sector into finished sectors, for values with distances.
pub(super) struct Turns<'a> {
    kind: TurnKind,
    diagonals: bool,
    /// All sets of the mover after a turn, squeezed.
    after: Vec<u32>,
    /// The ranks of the sets before a turn.
    rank: Ranker<'a>,
    quiet: &'a [u8],
    mills: MillValues<'a>,
    /// The most mills of a turn that count.
    most: usize,
}

impl<'a> Turns<'a> {
    /// Returns the turns of `sector`. `finished` holds the sectors after a quiet turn, after one that takes a
    /// man, and so on, without those that end the game.
    pub(super) fn new(
        game: &SolvedGame,
        sector: Sector,
        kind: TurnKind,
        finished: &[FinishedSector<'a>],
    ) -> Option<Self> {
        let (quiet, taken) = finished.split_first()?;
        let men = u32::from(sector.own + kind.placed());
        Some(Self {
            kind,
            diagonals: game.diagonals,
            after: subsets(24 - u32::from(sector.theirs), men).collect(),
            rank: Index::get().ranker(sector.own as usize),
            quiet: quiet.values,
            mills: MillValues::new(game, sector, kind, Some(*quiet), taken),
            most: game.most_by_mills().into(),
        })
    }

    /// Lowers the value of each entry of row `number` to the smallest one for the opponent that a turn leads
    /// to.
    pub(super) fn lower(&self, number: usize, fixed: u32, row: &Row, worst: &mut [u8]) {
        match self.kind {
            TurnKind::Place => self.lower_as::<true>(number, fixed, row, worst),
            TurnKind::Slide => self.lower_as::<false>(number, fixed, row, worst),
        }
    }

    /// As [`lower`](Self::lower), with `PLACES` true for placings.
    #[inline(always)]
    fn lower_as<const PLACES: bool>(&self, number: usize, fixed: u32, row: &Row, worst: &mut [u8]) {
        let range = number * self.after.len()..(number + 1) * self.after.len();
        let quiet = &self.quiet[range.clone()];
        let takes: Option<RowTakes<'_, '_>> = match &self.mills {
            MillValues::Board(lookup) => Some(lookup.row(fixed)),
            _ => None,
        };
        if let Some(takes) = &takes {
            lower_interventions::<PLACES>(row, takes, &self.after, self.rank, worst);
        }
        for ((entry, &squeezed), &quiet) in self.after.iter().enumerate().zip(quiet) {
            let moved = squeezed & !row.intervening;
            let set = spread(squeezed, row.free);
            let taken = match &self.mills {
                MillValues::Quiet => None,
                _ if in_mills(set, self.diagonals) == 0 => None,
                MillValues::Hand(values) => Some(values[range.start + entry]),
                MillValues::Board(_) => takes.as_ref().map(|takes| takes.one(set)),
            };
            let Some(taken) = taken else {
                for moved in members(moved) {
                    lower_before::<PLACES>(row, squeezed, moved, quiet, self.rank, worst);
                }
                continue;
            };
            for moved in members(moved) {
                let value = match (row.mills_at(squeezed, moved).min(self.most), &takes) {
                    (0, _) => quiet,
                    (2.., Some(takes)) => takes.several(set, row.mills_at(squeezed, moved)),
                    _ => taken,
                };
                lower_before::<PLACES>(row, squeezed, moved, value, self.rank, worst);
            }
        }
    }
}

/// Lowers the values of the entries of `row` from which an intervention leads to one of the sets `after` to
/// those after it. `PLACES` is true for placings.
pub(super) fn lower_interventions<const PLACES: bool>(
    row: &Row,
    takes: &RowTakes<'_, '_>,
    after: &[u32],
    rank: Ranker<'_>,
    worst: &mut [u8],
) {
    for moved in members(row.intervening) {
        let intervention = takes.intervention(row, moved);
        for &squeezed in after.iter().filter(|&&squeezed| squeezed >> moved & 1 != 0) {
            let value = intervention.value(spread(squeezed, row.free));
            lower_before::<PLACES>(row, squeezed, moved, value, rank, worst);
        }
    }
}

/// Lowers the values of the entries from which the turn of the man on `moved` leads to `squeezed`.
#[inline(always)]
fn lower_before<const PLACES: bool>(
    row: &Row,
    squeezed: u32,
    moved: u32,
    value: u8,
    rank: Ranker<'_>,
    worst: &mut [u8],
) {
    let rest = squeezed & !(1 << moved);
    let mut lower = |before: u32| {
        let worst = &mut worst[rank.rank(before)];
        *worst = value.min(*worst);
    };
    if PLACES {
        lower(rest);
    } else {
        for origin in members(row.targets[(moved & 31) as usize] & !squeezed) {
            lower(rest | 1 << origin);
        }
    }
}

/// Solves `sector`, whose turns are `turns`; `progress` gets the number of solved slots. Returns `None` if a
/// distance is too long to be stored.
pub(super) fn solve(
    game: &SolvedGame,
    sector: Sector,
    turns: &[Turns<'_>],
    threads: usize,
    progress: SlotProgress<'_>,
) -> Option<Vec<u8>> {
    let fixed_sets = Index::get().representatives(sector.theirs as usize);
    let entries = entries_of(sector);
    let (flies, can_be_blocked) = (game.flies(sector), game.can_be_blocked(sector));
    let blocked = if game.blocked_draws { TbValue::DRAW } else { TbValue::LOST };
    let too_long = AtomicBool::new(false);
    let rows = AtomicU64::new(0);
    let mut values = vec![0; sector.slots() as usize];
    let target = Target::new(sector, shared(&mut values));
    let items = fixed_sets.iter().enumerate();
    let scratch = || vec![u8::MAX; entries.len()];
    share(threads, batches(items, fixed_sets.len()), scratch, |worst, batch| {
        for (number, &fixed) in batch {
            let row = Row::new(game, fixed, flies);
            worst.fill(u8::MAX);
            for turns in turns {
                turns.lower(number, fixed, &row, worst);
            }
            for (&squeezed, &worst) in entries.iter().zip(&*worst) {
                if TbValue(worst).is_too_long_before() {
                    too_long.store(true, Relaxed);
                }
                let set = spread(squeezed, row.free);
                let is_blocked = can_be_blocked && count_slides(set, row.free & !set, game.diagonals) == 0;
                let value = if is_blocked { blocked } else { TbValue(worst).before() };
                target.put(&row, set, value.0);
            }
            let done = rows.fetch_add(1, Relaxed) + 1;
            progress(done * sector.slots() / fixed_sets.len() as u64);
        }
    });
    (!too_long.into_inner()).then_some(values)
}
