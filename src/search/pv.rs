//! The principal variations that the search collects on its way, as a triangular table.

use crate::platform::memory::{MemoryError, boxed};
use crate::types::{MAX_PLY, Move};

/// The best line from each ply on; row `ply` belongs to the node at that distance from the root.
pub(super) struct PvTable {
    moves: Box<[[Move; MAX_PLY + 1]; MAX_PLY + 1]>,
    lengths: [usize; MAX_PLY + 2],
}

impl PvTable {
    /// Returns a table of empty lines.
    ///
    /// # Errors
    /// If there is no memory for it.
    pub(super) fn new() -> Result<Self, MemoryError> {
        Ok(Self { moves: boxed([Move::NONE; MAX_PLY + 1])?, lengths: [0; MAX_PLY + 2] })
    }

    /// Empties the line of a ply.
    #[inline(always)]
    pub(super) fn clear(&mut self, ply: usize) {
        self.lengths[ply] = 0;
    }

    /// Sets the line of `ply` to `m` and the line of the next ply.
    pub(super) fn set(&mut self, ply: usize, m: Move) {
        let below = self.lengths[ply + 1].min(MAX_PLY - ply);
        let (upper, lower) = self.moves.split_at_mut(ply + 1);
        upper[ply][0] = m;
        if below > 0 {
            upper[ply][1..=below].copy_from_slice(&lower[0][..below]);
        }
        self.lengths[ply] = below + 1;
    }

    /// Returns the line of a ply.
    pub(super) fn line(&self, ply: usize) -> &[Move] {
        &self.moves[ply][..self.lengths[ply]]
    }
}
