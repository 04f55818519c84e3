//! Critical positions: those in which a ban of the opponent may make a turn better, other than a slide from
//! mill to mill. They are few; in all others only such slides are searched.
//!
//! A ban forbids one slide from mill to mill. So if the opponent has another best answer to each turn of the
//! mover, its ban changes no value. If the mover itself slides from mill to mill, it gets a ban too, which
//! can only help the opponent: the value without that ban is an upper bound.

use super::unbanned::UnbannedValues;
use super::units::Unit;
use crate::platform::parallel::{batches, each};
use crate::tablebase::format::board::{FULL, SYMMETRIES, members, spread};
use crate::tablebase::format::game::{SolvedGame, TurnKind};
use crate::tablebase::format::index::{Index, Sector};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// A bit for each slot of a sector of the moving phase: the position is critical.
pub(super) struct CriticalPositions {
    /// The sector.
    pub(super) sector: Sector,
    bits: Vec<AtomicU64>,
}

/// Returns the sectors after a take from `sector` or its mirror, whose critical positions are looked for.
pub(crate) fn sectors_with_critical(game: &SolvedGame, sector: Sector) -> impl Iterator<Item = Sector> {
    Unit::Pair(sector).sectors().into_iter().filter_map(|sector| game.after(sector, TurnKind::Slide, 1))
}

impl CriticalPositions {
    /// Finds those of a sector.
    pub(super) fn new(values: &UnbannedValues, sector: Sector, threads: usize) -> Self {
        let bits = (0..sector.slots().div_ceil(64)).map(|_| AtomicU64::new(0)).collect();
        let critical = Self { sector, bits };
        for taken in 0..=1 {
            // After the mover's turn, which takes so many men, the opponent is to move.
            let after = Sector::moving(sector.theirs - taken, sector.own);
            if after.own >= values.game.least {
                let sets = Index::get().representatives(usize::from(after.own));
                each(threads, batches(sets.iter(), sets.len()), |batch| {
                    batch.into_iter().for_each(|&theirs| critical.look_back(values, after, theirs));
                });
            }
        }
        critical
    }

    /// Looks at all positions of `after` in which the opponent, which is to move, has the set `theirs`.
    fn look_back(&self, values: &UnbannedValues, after: Sector, theirs: u32) {
        let free = FULL & !theirs;
        if values.shuttles(theirs, free).next().is_none() {
            return;
        }
        for rank in 0..after.row_length() as u32 {
            let own = spread(Index::get().unrank(usize::from(after.theirs), rank), free);
            if values.needs_shuttle(theirs, own) {
                self.add_before(values, own, theirs);
            }
        }
    }

    /// Adds the positions from which a turn of the mover leads to these sets.
    fn add_before(&self, values: &UnbannedValues, own: u32, theirs: u32) {
        let takes = theirs.count_ones() < u32::from(self.sector.theirs);
        let empty = FULL & !(own | theirs);
        for to in members(own) {
            let rest = own & !(1 << to);
            if values.closes(rest, to) != takes {
                continue;
            }
            for from in members(values.reach(own, to) & empty) {
                if takes {
                    let taken = members(empty & !(1 << from));
                    taken.for_each(|taken| self.add(rest | 1 << from, theirs | 1 << taken));
                } else {
                    self.add(rest | 1 << from, theirs);
                }
            }
        }
    }

    /// Adds a position in all its slots. It has several only if symmetries keep the mover's men in place.
    fn add(&self, own: u32, theirs: u32) {
        let (index, men) = (Index::get(), usize::from(self.sector.own));
        let is_symmetric = index.classes(men).of_rank(index.rank(men, own) as usize).has_more();
        for number in 0..if is_symmetric { SYMMETRIES } else { 1 } {
            let image = |set| index.symmetries.apply(number, set);
            let slot = self.sector.slot(image(own), image(theirs));
            self.bits[(slot / 64) as usize].fetch_or(1 << (slot % 64), Relaxed);
        }
    }

    /// Returns true if the sector has positions with so many men.
    #[inline]
    pub(super) fn is_of(&self, own: u32, theirs: u32) -> bool {
        own.count_ones() == u32::from(self.sector.own) && theirs.count_ones() == u32::from(self.sector.theirs)
    }

    /// Returns true if the position of a slot is critical.
    #[inline]
    pub(super) fn contains(&self, slot: u64) -> bool {
        self.bits[(slot / 64) as usize].load(Relaxed) >> (slot % 64) & 1 != 0
    }
}
