//! One sector of the placing phase. Every turn places a man, so the sectors of the next ply decide
//! every position in one pass.
//!
//! As in the moving phase a row fixes the set R of the side that does not move: placing leads from an
//! entry to one with one man more in the row of the same R, which the sector of the next ply stores
//! side by side, since R is then the mover.

use super::moving::SlotProgress;
use super::row::{Row, Target};
use super::takes::{FinishedSector, TakeLookup};
use crate::platform::parallel::{batches, share};
use crate::tablebase::format::board::{FULL, in_mills, members, spread};
use crate::tablebase::format::game::SolvedGame;
use crate::tablebase::format::index::{Index, Sector, subsets};
use crate::tablebase::format::intrinsics::shared;
use crate::tablebase::format::value::TbValue;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// The sector after the mover of `sector` has placed a man and taken `taken` men, unless that ends the game.
///
/// After the last placement of a game that settles, these are the positions before the settlement.
pub(crate) fn next_sector(game: &SolvedGame, sector: Sector, taken: u8) -> Option<Sector> {
    if game.settles && taken > 0 {
        return None;
    }
    let next = Sector {
        own: sector.theirs.checked_sub(taken)?,
        theirs: sector.own + 1,
        own_hand: sector.their_hand,
        their_hand: sector.own_hand.checked_sub(1)?,
    };
    (next.own + next.own_hand >= game.least).then_some(next)
}

/// Returns the values, for White, of the positions of `sector` in which Black opens the moving phase.
/// `opener` holds the same positions with Black to move. The turn that White leaves out counts as a ply.
pub(crate) fn passed(sector: Sector, opener: &[u8], threads: usize) -> Vec<u8> {
    let sets = &Index::get().classes(sector.own as usize).representatives;
    let swapped = Sector::moving(sector.theirs, sector.own);
    let mut values = vec![0; sector.slots() as usize];
    let rows = sets.iter().zip(values.chunks_exact_mut(sector.row_length()));
    share(
        threads,
        batches(rows, sets.len()),
        || (),
        |(), batch| {
            for (&white, values) in batch {
                let free = FULL & !white;
                for (squeezed, value) in subsets(free.count_ones(), u32::from(sector.theirs)).zip(values) {
                    let slot = swapped.slot(spread(squeezed, free), white);
                    *value = TbValue(opener[slot as usize]).before().0;
                }
            }
        },
    );
    values
}

/// The sectors of the placing phase that a game can reach when every mill may or may not be closed, in
/// an order in which each comes after those it depends on.
pub(crate) fn sectors(game: &SolvedGame) -> Vec<Sector> {
    let start = Sector { own: 0, theirs: 0, own_hand: game.men, their_hand: game.men };
    let mut plies = vec![vec![start]];
    while let Some(ply) = plies.last().filter(|ply| !ply.is_empty()) {
        let mut next: Vec<Sector> = ply
            .iter()
            .flat_map(|&sector| {
                let most = u8::from(sector.theirs > 0);
                (0..=most).filter_map(move |taken| next_sector(game, sector, taken))
            })
            .filter(|sector| !sector.is_moving())
            .collect();
        next.sort_unstable();
        next.dedup();
        plies.push(next);
    }
    plies.into_iter().rev().flatten().collect()
}

/// Solves `sector`, given the finished sectors after a quiet placement and after one that takes a man (absent
/// when the game is over then); `progress` gets the number of solved slots. Returns `None` if a distance is
/// too long to be stored.
pub(crate) fn solve(
    game: &SolvedGame,
    sector: Sector,
    quiet: FinishedSector<'_>,
    taken: Option<FinishedSector<'_>>,
    threads: usize,
    progress: SlotProgress<'_>,
) -> Option<Vec<u8>> {
    let index = Index::get();
    let fixed_sets = &index.classes(sector.theirs as usize).representatives;
    let points = 24 - u32::from(sector.theirs);
    let before: Vec<u32> = subsets(points, u32::from(sector.own)).collect();
    let after: Vec<u32> = subsets(points, u32::from(sector.own) + 1).collect();
    let rank = index.ranker(sector.own as usize);
    let lookup = TakeLookup::new(*game, sector.theirs, sector.their_hand, taken.as_slice());
    let too_long = AtomicBool::new(false);
    let rows = AtomicU64::new(0);
    let mut values = vec![0; sector.slots() as usize];
    let target = Target::new(sector, shared(&mut values));
    let items = fixed_sets.iter().zip(quiet.values.chunks_exact(after.len()));
    let scratch = || vec![u8::MAX; before.len()];
    share(threads, batches(items, fixed_sets.len()), scratch, |worst, batch| {
        for (&fixed, quiet) in batch {
            let row = Row::new(game, fixed, false);
            let takes = lookup.row(fixed);
            worst.fill(u8::MAX);
            for (&squeezed, &quiet) in after.iter().zip(quiet) {
                let set = spread(squeezed, row.free);
                if game.settles || in_mills(set, game.diagonals) == 0 {
                    for placed in members(squeezed) {
                        let worst = &mut worst[rank.rank(squeezed & !(1 << placed))];
                        *worst = quiet.min(*worst);
                    }
                } else {
                    let taken = takes.one(set);
                    for placed in members(squeezed) {
                        let value = if row.mills_at(squeezed, placed) > 0 { taken } else { quiet };
                        let worst = &mut worst[rank.rank(squeezed & !(1 << placed))];
                        *worst = value.min(*worst);
                    }
                }
            }
            for (&squeezed, &worst) in before.iter().zip(&*worst) {
                // The position before a loss in 254 would be a win in 255, which a byte cannot hold.
                if worst == TbValue::DRAW.0 - 1 {
                    too_long.store(true, Relaxed);
                }
                target.put(&row, spread(squeezed, row.free), TbValue(worst).before().0);
            }
            let done = rows.fetch_add(1, Relaxed) + 1;
            progress(done * sector.slots() / fixed_sets.len() as u64);
        }
    });
    (!too_long.into_inner()).then_some(values)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Rules;

    /// The counts of `docs/malom.md`, "Index and redirects".
    #[test]
    fn the_standard_game_has_449_placing_sectors() {
        let game = SolvedGame::new(&Rules::NINE).expect("the standard game is supported");
        let sectors = sectors(&game);
        assert_eq!(sectors.len(), 449);
        assert_eq!(sectors.iter().map(|sector| sector.slots()).sum::<u64>(), 18_667_062_219);
        assert_eq!(sectors.last(), Some(&Sector { own: 0, theirs: 0, own_hand: 9, their_hand: 9 }));
    }
}
