//! The key of a position in the transposition table, which is not always its own key.

use crate::bitboard::{INVERSE, transform_move};
use crate::params::{counted_moves, symmetric_men};
use crate::platform::mixing::mix;
use crate::position::{Phase, Position};
use crate::types::Move;

/// The key of a position in the transposition table and the symmetry that leads to it.
///
/// While placing, with few men on the board and without extras, all symmetric positions share one entry.
/// Close to the draw by move count, each count has an entry of its own.
#[derive(Clone, Copy)]
pub(crate) struct TtKey {
    /// The key.
    pub key: u64,
    symmetry: usize,
}

impl TtKey {
    /// Returns the key of a position.
    pub(crate) fn of(pos: &Position) -> Self {
        if pos.has_extras() { Self::of_as::<true>(pos) } else { Self::of_as::<false>(pos) }
    }

    /// [`TtKey::of`]. `EXTRAS` has to equal [`Position::has_extras`].
    #[inline(always)]
    pub(super) fn of_as<const EXTRAS: bool>(pos: &Position) -> Self {
        // The first placings decide how much of the tree is searched once instead of sixteen times. Later the
        // canonical key costs more than it saves.
        if !EXTRAS && pos.phase() == Phase::Placing && pos.men_on_board() <= symmetric_men() as u32 {
            let (key, symmetry) = pos.canonical_tt_key();
            return Self { key, symmetry };
        }
        let count = if is_count_part_of_key(pos) { mix(pos.move_counter().into()) } else { 0 };
        Self { key: pos.tt_key_as::<EXTRAS>() ^ count, symmetry: 0 }
    }

    /// Maps a move of the position to the move that is stored.
    #[inline(always)]
    pub(crate) fn as_stored(self, m: Move) -> Move {
        Self::image(m, self.symmetry)
    }

    /// Maps a stored move to a move of the position.
    #[inline(always)]
    pub(crate) fn as_played(self, m: Move) -> Move {
        Self::image_back(m, self.symmetry)
    }

    /// Returns the image of a move under a symmetry of the board.
    #[inline(always)]
    pub(crate) fn image(m: Move, symmetry: usize) -> Move {
        if symmetry == 0 { m } else { transform_move(m, symmetry) }
    }

    /// The inverse of [`TtKey::image`].
    #[inline(always)]
    pub(crate) fn image_back(m: Move, symmetry: usize) -> Move {
        if symmetry == 0 { m } else { transform_move(m, INVERSE[symmetry]) }
    }
}

/// Returns true if the same position with another move count has another key.
#[inline(always)]
pub(crate) fn is_count_part_of_key(pos: &Position) -> bool {
    pos.is_count_draw_within(counted_moves() as u32)
}
