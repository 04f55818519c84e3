//! The results that the builder reads: of the positions of a sector, and of those after a turn.

use crate::certificate::turns::TurnNode;
use crate::platform::memory::half_available;
use crate::platform::parallel::share;
use crate::tablebase::format::file::TbFile;
use crate::tablebase::format::folder::file_name;
use crate::tablebase::format::game::SolvedGame;
use crate::tablebase::format::header::TbKind;
use crate::tablebase::format::value::{TbValue, Wdl};
use crate::tablebase::{Sector, TablebaseError};
use std::path::Path;

/// Returns the sectors after a turn from `sector`, the opponent to move: after a turn that takes nothing, and
/// after one that takes a man, unless that ends the game.
pub(super) fn after(game: &SolvedGame, sector: Sector) -> impl Iterator<Item = Sector> {
    let placed = u8::from(sector.own_hand > 0);
    let least = game.least;
    // A mill has three men.
    let can_take = sector.theirs > 0 && sector.own + placed >= 3;
    (0..=u8::from(can_take)).filter_map(move |taken| {
        (sector.theirs - taken + sector.their_hand >= least).then_some(Sector {
            own: sector.theirs - taken,
            theirs: sector.own + placed,
            own_hand: sector.their_hand,
            their_hand: sector.own_hand - placed,
        })
    })
}

/// Returns the number of men that have been taken before a position of a sector.
pub(super) fn taken(game: &SolvedGame, sector: Sector) -> u8 {
    2 * game.men - sector.own - sector.theirs - sector.own_hand - sector.their_hand
}

/// Returns the kind of the file of a sector in a folder: results, if it has both.
pub(super) fn kind_in(folder: &Path, sector: Sector) -> Option<TbKind> {
    [TbKind::Wdl, TbKind::Distance].into_iter().find(|&kind| folder.join(file_name(sector, kind)).exists())
}

/// The most bytes of results that are kept while they are not wanted.
const KEPT: usize = 7 << 30;

/// The results of all positions of some sectors, in memory.
#[derive(Default)]
pub(super) struct SectorResults(Vec<(Sector, Vec<u8>)>);

impl SectorResults {
    /// Reads the results of sectors. Those that were read before stay as long as there is room.
    ///
    /// # Errors
    /// If a file is missing or damaged.
    pub(super) fn want(
        &mut self,
        folder: &Path,
        game: &SolvedGame,
        wanted: &[Sector],
        threads: usize,
    ) -> Result<(), TablebaseError> {
        let (old, new): (Vec<_>, Vec<_>) = self.0.drain(..).partition(|(sector, _)| !wanted.contains(sector));
        self.0.extend(new);
        for &sector in wanted {
            if self.0.iter().all(|(read, _)| *read != sector) {
                let kind = kind_in(folder, sector).unwrap_or(TbKind::Wdl);
                self.0.push((sector, TbFile::open_in(folder, game, sector, kind)?.read_all(threads)?));
            }
        }
        // What is kept counts as available.
        let held: usize = old.iter().map(|(_, results)| results.len()).sum();
        let most = KEPT.min(half_available(usize::MAX).saturating_add(held / 2));
        let mut kept = 0;
        for (sector, results) in old {
            kept += results.len();
            if kept <= most {
                self.0.push((sector, results));
            }
        }
        Ok(())
    }

    /// Returns the result for the side to move; a sector that was not read has none.
    #[inline]
    pub(super) fn get(&self, node: TurnNode, slot: u64) -> Option<Wdl> {
        self.at(node.sector(), slot)
    }

    /// Returns the result of a slot for the side to move; a sector that was not read has none.
    #[inline]
    pub(super) fn at(&self, sector: Sector, slot: u64) -> Option<Wdl> {
        let (_, values) = self.0.iter().find(|(read, _)| *read == sector)?;
        Some(TbValue(values[slot as usize]).wdl())
    }
}

/// Shares items among threads and returns what each thread collected, joined.
pub(super) fn collect<T: Send, R: Send>(
    threads: usize,
    items: impl Iterator<Item = T> + Send,
    work: impl Fn(&mut Vec<R>, T) + Sync,
) -> Vec<R> {
    share(threads, items, Vec::new, |found, item| work(found, item)).into_iter().flatten().collect()
}
