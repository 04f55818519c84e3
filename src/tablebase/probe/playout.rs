//! The bounds on playing out turns whose values no file has.

use super::source::Wanted;
use std::cell::Cell;

/// The most positions that one question plays out, for results and for distances: a few seconds, if the
/// values are in memory.
const MOST_POSITIONS: u32 = 4_000_000;

/// The bounds on playing out turns for one question.
pub(super) struct Playout<'a> {
    left: Cell<u32>,
    left_for_distances: Cell<u32>,
    continues: &'a dyn Fn() -> bool,
}

impl<'a> Playout<'a> {
    /// Returns the bounds of a question that is asked while `continues` is true.
    pub(super) fn new(continues: &'a dyn Fn() -> bool) -> Self {
        Self::with_most(MOST_POSITIONS, continues)
    }

    /// As [`new`](Self::new) with another bound of positions.
    pub(super) fn with_most(positions: u32, continues: &'a dyn Fn() -> bool) -> Self {
        Self { left: Cell::new(positions), left_for_distances: Cell::new(positions), continues }
    }

    /// Returns true while the answer is wanted.
    pub(super) fn continues(&self) -> bool {
        (self.continues)()
    }

    /// Counts a position, on its own for distances: a result may be wanted after them. Returns false if the
    /// position must not be played out.
    pub(super) fn count(&self, wanted: Wanted) -> bool {
        let counter = if wanted == Wanted::Distance { &self.left_for_distances } else { &self.left };
        let left = counter.get();
        counter.set(left.saturating_sub(1));
        left > 0 && self.continues()
    }
}
