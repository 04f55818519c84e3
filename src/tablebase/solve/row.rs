//! One row: the set of the side that does not move is fixed, the other side's sets are its entries,
//! in ascending order, written as bits over the points that are left ("squeezed").

use crate::tablebase::format::board::{
    FULL, LINES_PER_POINT, SYMMETRIES, members, neighbours, partners, squeeze,
};
use crate::tablebase::format::game::SolvedGame;
use crate::tablebase::format::index::{Index, Ranker, Sector, SetClasses};
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

/// A bit that no squeezed set holds, so that a line with it is never complete.
const NEVER: u32 = 1 << 31;

/// Geometry of the points that a fixed set leaves free.
pub(super) struct Row {
    /// The points that are left.
    pub(super) free: u32,
    /// Images of the fixed set under the symmetries.
    images: [u32; SYMMETRIES],
    /// Squeezed neighbours of a squeezed point, or all points for a side that flies.
    pub(super) targets: [u32; 32],
    /// Squeezed partners of a squeezed point in its lines.
    partners: [[u32; LINES_PER_POINT]; 32],
}

impl Row {
    /// The row of the set `fixed`, with the other side sliding or flying.
    pub(super) fn new(game: &SolvedGame, fixed: u32, flies: bool) -> Self {
        let symmetries = &Index::get().symmetries;
        let free = FULL & !fixed;
        let mut row = Self {
            free,
            images: std::array::from_fn(|g| symmetries.apply(g, fixed)),
            targets: [0; 32],
            partners: [[NEVER; LINES_PER_POINT]; 32],
        };
        for (squeezed, point) in members(free).enumerate() {
            let targets = if flies { FULL } else { neighbours(point, game.diagonals) };
            row.targets[squeezed] = squeeze(targets & free, free);
            for (slot, line) in partners(point, game.diagonals).into_iter().enumerate() {
                if let Some(line) = line.filter(|line| line & fixed == 0) {
                    row.partners[squeezed][slot] = squeeze(line, free);
                }
            }
        }
        row
    }

    /// Number of complete lines of `set` through its member `point`.
    #[inline(always)]
    pub(super) fn mills_at(&self, set: u32, point: u32) -> usize {
        let lines = &self.partners[(point & 31) as usize];
        lines.iter().map(|&line| usize::from(set & line == line)).sum()
    }
}

/// Writes results of rows into the table of a sector, which is ordered by the mover's class.
pub(super) struct Target<'a> {
    classes: &'a SetClasses,
    own: Ranker<'a>,
    theirs: Ranker<'a>,
    row_length: usize,
    slots: &'a [AtomicU8],
}

impl<'a> Target<'a> {
    /// A writer to `slots`, the table of `sector`.
    pub(super) fn new(sector: Sector, slots: &'a [AtomicU8]) -> Self {
        let index = Index::get();
        Self {
            classes: index.classes(sector.own as usize),
            own: index.ranker(sector.own as usize),
            theirs: index.ranker(sector.theirs as usize),
            row_length: sector.row_length(),
            slots,
        }
    }

    /// Stores the value of the position in which the side of the set `own` (not squeezed) moves
    /// against the fixed set of `row`, in all its slots; returns the class of `own`.
    #[inline(always)]
    pub(super) fn put(&self, row: &Row, own: u32, value: u8) -> usize {
        let symmetries = &Index::get().symmetries;
        let found = self.classes.of_rank(self.own.rank(own));
        let class = found.class();
        let representative = self.classes.representatives[class];
        let rest = FULL & !representative;
        let first = class * self.row_length;
        let theirs = squeeze(row.images[found.symmetry()], rest);
        self.slots[first + self.theirs.rank(theirs)].store(value, Relaxed);
        if found.has_more() {
            let mut others = self.classes.stabilisers[class];
            while others != 0 {
                let h = others.trailing_zeros() as usize;
                others &= others - 1;
                let g = symmetries.then[found.symmetry()][h] as usize;
                let theirs = squeeze(row.images[g], rest);
                self.slots[first + self.theirs.rank(theirs)].store(value, Relaxed);
            }
        }
        class
    }
}
