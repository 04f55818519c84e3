//! Counts the results of a sector in another way than the builder.

use super::order::keepers;
use crate::bitboard::Bitboard;
use crate::platform::parallel::share;
use crate::tablebase::format::board::spread;
use crate::tablebase::format::header::SectorCounts;
use crate::tablebase::format::index::{Index, Sector, subsets};

/// Counts the results of the positions up to symmetry; the longest distances only if `exact`.
///
/// A position stands in as many slots of its row as it has images under the symmetries that keep the mover's
/// set. So a slot counts for the share of these that keep the opponent's set too (Burnside's lemma).
pub(super) fn count(sector: Sector, values: &[u8], exact: bool, threads: usize) -> SectorCounts {
    let rows = Index::get().classes(sector.own as usize).representatives.iter();
    let rows = rows.zip(values.chunks_exact(sector.row_length()));
    let tallies = share(
        threads,
        rows,
        || [0u64; 256],
        |sixteenths, (&own, values)| {
            let keepers = keepers(own);
            if keepers.len() == 1 {
                values.iter().for_each(|&value| sixteenths[value as usize] += 16);
                return;
            }
            let free = !Bitboard(own);
            let sets = subsets(24 - u32::from(sector.own), u32::from(sector.theirs));
            for (&value, squeezed) in values.iter().zip(sets) {
                let theirs = spread(squeezed, free.0);
                let kept = keepers.iter().filter(|&&g| Bitboard(theirs).transform(g).0 == theirs).count();
                sixteenths[value as usize] += (16 * kept / keepers.len()) as u64;
            }
        },
    );
    let positions = |byte: usize| tallies.iter().map(|tally| tally[byte]).sum::<u64>() / 16;
    SectorCounts::from_tally(&std::array::from_fn(positions), exact)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_counted_as_the_builder_counts_them() {
        for sector in [Sector::moving(4, 3), Sector { own: 2, theirs: 3, own_hand: 1, their_hand: 0 }] {
            let values: Vec<u8> =
                (0..sector.slots()).map(|slot| (sector.canonical(slot) % 251) as u8).collect();
            let expected = crate::tablebase::format::header::count(sector, &values, true, 2);
            assert_eq!(count(sector, &values, true, 2), expected);
        }
    }
}
