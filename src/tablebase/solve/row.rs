//! A row of the solver. It fixes the set of the side that does not move. Its entries are all sets of the
//! other side in ascending order, written as bits over the points that are left ("squeezed"). Uses only
//! `tablebase::format` and `platform`.

use crate::platform::memory::prefetch;
use crate::tablebase::format::board::{
    FULL, LINES_PER_POINT, SYMMETRIES, lines_through, members, neighbours, squeeze,
};
use crate::tablebase::format::game::SolvedGame;
use crate::tablebase::format::index::{Index, Ranker, Sector, SetClasses, subsets};
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

/// Receives the number of solved slots from time to time.
pub(super) type SlotProgress<'a> = &'a (dyn Fn(u64) + Sync);

/// A bit that no squeezed set contains. A line with this bit is never complete.
pub(super) const NEVER: u32 = 1 << 31;

/// The number of writes that wait for their cache lines. A processor of today fetches ten to twenty lines at
/// a time.
const AHEAD: usize = 32;

/// The number of lines of a board with diagonals.
const LINES: usize = 20;

/// The points that a fixed set leaves free, with their neighbours and lines.
pub(super) struct Row {
    /// The free points.
    pub(super) free: u32,
    /// The images of the fixed set under the symmetries.
    images: [u32; SYMMETRIES],
    /// For each squeezed point its free neighbours, or all free points for a side that flies; squeezed.
    pub(super) targets: [u32; 32],
    /// For each squeezed point and each line through it the two other points, squeezed; [`NEVER`] if one of
    /// them is not free.
    partners: [[u32; LINES_PER_POINT]; 32],
    /// The points at which a man of the other side intervenes: it takes men of the fixed set. Squeezed.
    pub(super) intervening: u32,
    /// The lines of free points, squeezed, and their number.
    lines: [u32; LINES],
    line_count: usize,
}

impl Row {
    /// Returns the row of the set `fixed`. The other side flies if `flies` is true, else it slides.
    pub(super) fn new(game: &SolvedGame, fixed: u32, flies: bool) -> Self {
        let symmetries = &Index::get().symmetries;
        let free = FULL & !fixed;
        let mut row = Self {
            free,
            images: std::array::from_fn(|g| symmetries.apply(g, fixed)),
            targets: [0; 32],
            partners: [[NEVER; LINES_PER_POINT]; 32],
            intervening: 0,
            lines: [NEVER; LINES],
            line_count: 0,
        };
        for (squeezed, point) in members(free).enumerate() {
            let targets = if flies { FULL } else { neighbours(point, game.diagonals) };
            row.targets[squeezed] = squeeze(targets & free, free);
            if game.intervention.any() && game.between(point, fixed) != 0 {
                row.intervening |= 1 << squeezed;
            }
            for (slot, line) in lines_through(point, game.diagonals).into_iter().enumerate() {
                if let Some(line) = line.filter(|line| line & fixed == 0) {
                    row.partners[squeezed][slot] = squeeze(line, free);
                    // Each line once: at its lowest point.
                    if line.trailing_zeros() > point {
                        row.lines[row.line_count] = squeeze(line | 1 << point, free);
                        row.line_count += 1;
                    }
                }
            }
        }
        row
    }

    /// Returns true if a slide of a man of `squeezed` leads to one of [`Row::intervening`].
    #[inline(always)]
    pub(super) fn can_intervene(&self, squeezed: u32) -> bool {
        members(self.intervening & !squeezed).any(|point| self.targets[(point & 31) as usize] & squeezed != 0)
    }

    /// The lines of free points, squeezed.
    #[inline(always)]
    pub(super) fn lines(&self) -> &[u32] {
        &self.lines[..self.line_count]
    }

    /// For each line through a squeezed point the two other points, squeezed; a number that no set contains
    /// if the line has a point that is not free.
    #[inline(always)]
    pub(super) fn partners(&self, point: u32) -> [u32; LINES_PER_POINT] {
        self.partners[(point & 31) as usize]
    }

    /// Returns the members of `set` that lie on a complete line of it.
    #[inline(always)]
    pub(super) fn milled(&self, set: u32) -> u32 {
        let lines = self.lines().iter();
        lines.filter(|&&line| set & line == line).fold(0, |milled, line| milled | line)
    }

    /// Returns the number of lines that a man on `point` completes with men of `set`.
    #[inline(always)]
    pub(super) fn mills_at(&self, set: u32, point: u32) -> usize {
        let lines = &self.partners[(point & 31) as usize];
        lines.iter().map(|&line| usize::from(set & line == line)).sum()
    }
}

/// Returns the entries of every row of `sector`: all sets of the mover, squeezed, in ascending order.
pub(super) fn entries_of(sector: Sector) -> Vec<u32> {
    subsets(24 - u32::from(sector.theirs), u32::from(sector.own)).collect()
}

/// Writes the results of rows to the values of a sector, which are ordered by the class of the mover's set.
pub(super) struct Target<'a> {
    classes: &'a SetClasses,
    own: Ranker<'a>,
    theirs: Ranker<'a>,
    row_length: usize,
    slots: &'a [AtomicU8],
}

impl<'a> Target<'a> {
    /// Returns a writer to `slots`, the values of `sector`.
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

    /// Stores the value of positions in all their slots. The side with a set of `own` (not squeezed) is to
    /// move; the other side has the fixed set of `row`. `see` gets the class of each set.
    ///
    /// Nearly every slot is in a cache line of its own, far from the others. The lines are fetched some
    /// positions ahead, so that many are on their way at a time.
    #[inline(always)]
    pub(super) fn put_all(
        &self,
        row: &Row,
        own: impl Iterator<Item = u32>,
        value: u8,
        mut see: impl FnMut(usize),
    ) {
        let mut ahead = [0; AHEAD];
        let mut count = 0;
        let store = |slot: usize| self.slots[slot].store(value, Relaxed);
        for own in own {
            let found = self.classes.of_rank(self.own.rank(own));
            if found.has_more() {
                see(self.put(row, own, value));
                continue;
            }
            let class = found.class();
            let slot = self.slot(class, row.images[found.symmetry()]);
            prefetch(&self.slots[slot]);
            let earlier = std::mem::replace(&mut ahead[count % AHEAD], slot);
            if count >= AHEAD {
                store(earlier);
            }
            count += 1;
            see(class);
        }
        ahead[..count.min(AHEAD)].iter().for_each(|&slot| store(slot));
    }

    /// As [`put_all`](Self::put_all) for one position. Returns the class of its set.
    #[inline(always)]
    pub(super) fn put(&self, row: &Row, own: u32, value: u8) -> usize {
        let symmetries = &Index::get().symmetries;
        let found = self.classes.of_rank(self.own.rank(own));
        let class = found.class();
        self.slots[self.slot(class, row.images[found.symmetry()])].store(value, Relaxed);
        if found.has_more() {
            let mut others = self.classes.stabilisers[class];
            while others != 0 {
                let h = others.trailing_zeros() as usize;
                others &= others - 1;
                let g = symmetries.then[found.symmetry()][h] as usize;
                self.slots[self.slot(class, row.images[g])].store(value, Relaxed);
            }
        }
        class
    }

    /// Returns the slot of a class of the mover's sets and the set of the other side, under the symmetry that
    /// leads to the representative of the class.
    #[inline(always)]
    fn slot(&self, class: usize, theirs: u32) -> usize {
        let rest = FULL & !self.classes.representatives[class];
        class * self.row_length + self.theirs.rank(squeeze(theirs, rest))
    }
}
