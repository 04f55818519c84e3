//! Finished sectors as the solver reads them, and look-ups by the sets of both sides.

use crate::tablebase::format::board::{FULL, Symmetries, squeeze};
use crate::tablebase::format::index::{Index, Ranker, Sector, SetClasses};

/// A finished sector: one value per slot.
#[derive(Clone, Copy)]
pub(super) struct FinishedSector<'a> {
    /// The sector.
    pub sector: Sector,
    /// Its values in the order of the slots.
    pub values: &'a [u8],
}

/// A finished sector, ready for look-ups.
pub(super) struct SectorLookup<'a> {
    values: &'a [u8],
    symmetries: &'static Symmetries,
    classes: &'a SetClasses,
    own: Ranker<'a>,
    theirs: Ranker<'a>,
    row_length: usize,
}

/// The slots of one set of the mover: the first of them, the symmetry that maps the set to its
/// representative, and the points that the representative leaves free.
pub(super) struct SetSlots {
    first: usize,
    symmetry: usize,
    rest: u32,
}

impl<'a> SectorLookup<'a> {
    pub(super) fn new(finished: FinishedSector<'a>) -> Self {
        let (index, Sector { own, theirs, .. }) = (Index::get(), finished.sector);
        Self {
            values: finished.values,
            symmetries: &index.symmetries,
            classes: index.classes(own as usize),
            own: index.ranker(own as usize),
            theirs: index.ranker(theirs as usize),
            row_length: finished.sector.row_length(),
        }
    }

    /// Returns the slots of the set `own` of the mover.
    pub(super) fn slots_of(&self, own: u32) -> SetSlots {
        let found = self.classes.of_rank(self.own.rank(own));
        SetSlots {
            first: found.class() * self.row_length,
            symmetry: found.symmetry(),
            rest: FULL & !self.classes.representatives[found.class()],
        }
    }

    /// Returns the value of the position with the set of `slots` and the set `theirs` of the opponent.
    #[inline(always)]
    pub(super) fn value(&self, slots: &SetSlots, theirs: u32) -> u8 {
        let image = self.symmetries.apply(slots.symmetry, theirs);
        self.values[slots.first + self.rank_of(image, slots.rest)]
    }

    /// Returns the rank of a set of the opponent among those of its size on the points of `free`.
    #[inline(always)]
    pub(super) fn rank_of(&self, theirs: u32, free: u32) -> usize {
        self.theirs.rank(squeeze(theirs, free))
    }
}
