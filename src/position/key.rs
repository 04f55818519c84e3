//! The hash keys of positions: bijections that spread packed positions over 64 bits, one for the key and a
//! cheaper one for the tt, and constants for what does not fit.
//!
//! A position of the standard game fits into 64 bits, so its key is a permutation of the position itself: two
//! different positions never share one. Only the additional state of rarer rules is hashed, so only there can
//! keys collide.

use super::board::Position;
use super::state::{Core, Extras, Records};
use crate::bitboard::{Bitboard, SYMMETRIES};
use crate::platform::mixing::{mix, scatter};
use crate::types::{Move, Square};

/// Distinct constants with irregular bits that keep the parts of a key apart.
const PART: [u64; 4] = {
    let mut part = [0; 4];
    let mut n = 0;
    while n < part.len() {
        part[n] = mix(scatter(n as u64 + 1));
        n += 1;
    }
    part
};

impl Position {
    /// Returns the hash key, which `key` and `d` print.
    ///
    /// It is the same in every run and on every machine; the transposition table has a cheaper one of its
    /// own. Two positions of the standard game never share a key. The key leaves out the counters of the draw
    /// rules.
    #[inline(always)]
    pub fn key(&self) -> u64 {
        let key = mix(self.state.core.0);
        if self.state.uses_extras { key ^ self.extras.key() } else { key }
    }

    /// Returns the key for the tt, which is indexed by its upper bits; it takes fewer instructions than
    /// [`Position::key`]. `EXTRAS` must equal [`Position::has_extras`].
    #[inline(always)]
    pub(crate) fn tt_key_as<const EXTRAS: bool>(&self) -> u64 {
        let key = scatter(self.state.core.0);
        if EXTRAS && self.state.uses_extras { key ^ self.extras.key() } else { key }
    }

    /// Returns in one word all that the evaluation depends on while no take is due: men, hands, side, phase,
    /// action and marked points.
    ///
    /// Marked points count as men of both sides. `EXTRAS` must equal [`Position::has_extras`].
    #[inline(always)]
    pub(crate) fn packed_as<const EXTRAS: bool>(&self) -> u64 {
        let marked = if EXTRAS { u64::from(self.extras.marked.0) } else { 0 };
        self.state.core.0 | marked | marked << 24
    }

    /// Returns the [`Position::tt_key_as`] that the position probably has after a move. `closes` is true
    /// if the move closes a mill.
    ///
    /// It is right after a legal move if there are no [`Extras`], the game goes on, the phase stays the same,
    /// and no more than one take is due before or after. After an illegal move it is any number.
    #[inline(always)]
    pub(crate) fn key_after(&self, m: Move, closes: bool) -> u64 {
        let mut core = self.state.core;
        let us = core.side();
        if m.is_take() {
            core.flip(us ^ 1, Bitboard::of(m.to()));
            core.set_turn(us ^ 1);
        } else if m.is_slide() {
            core.flip(us, Bitboard::of(m.from()) | Bitboard::of(m.to()));
        } else {
            core.place(us, m.to());
        }
        if closes {
            core.set_due(1);
        } else {
            core.flip_side();
        }
        scatter(core.0)
    }

    /// Returns the key for the tt that the position shares with its images under the symmetries of the board,
    /// and the symmetry that maps it to the image with that key. The position must not have [`Extras`].
    pub(crate) fn canonical_tt_key(&self) -> (u64, usize) {
        debug_assert!(!self.has_extras);
        let (core, symmetry) = self.canonical_core();
        (scatter(core), symmetry)
    }

    /// Returns the position in one word that all its images under the symmetries of the board share, and the
    /// symmetry that maps the position to the image it describes. Files hold this word. `None` for positions
    /// with [`Extras`].
    pub(crate) fn packed_canonical(&self) -> Option<(u64, usize)> {
        (!self.has_extras).then(|| self.canonical_core())
    }

    /// Returns the men of both sides as bits, the same for all images under the symmetries of the board.
    pub(crate) fn canonical_men(&self) -> u64 {
        canonical(self.state.core.split().0).0.0
    }

    /// Returns [`Position::canonical_men`] of the position after a placing.
    pub(crate) fn canonical_men_after(&self, to: Square) -> u64 {
        let (mut men, _) = self.state.core.split();
        men.flip(self.state.core.side(), Bitboard::of(to));
        canonical(men).0.0
    }

    fn canonical_core(&self) -> (u64, usize) {
        // No symmetry changes the rest.
        let (men, rest) = self.state.core.split();
        let (image, symmetry) = canonical(men);
        (image.0 | rest, symmetry)
    }
}

/// Returns the smallest image of men, and the symmetry that maps them to it.
#[inline(always)]
fn canonical(men: Core) -> (Core, usize) {
    let mut first = (men, 0);
    let mirrored = men.mirrored();
    let reflected = [men, mirrored, men.with_rings_exchanged(), mirrored.with_rings_exchanged()];
    for (reflections, mut image) in reflected.into_iter().enumerate() {
        for turns in 0..SYMMETRIES / 4 {
            if image.0 < first.0.0 {
                first = (image, 4 * reflections + turns);
            }
            image = image.turned();
        }
    }
    first
}

impl Extras {
    /// Returns the part of the hash key for the extras, 0 for none.
    #[inline(never)]
    fn key(&self) -> u64 {
        fn point(square: Option<Square>) -> u64 {
            square.map_or(0, |s| s.index() as u64 + 1)
        }
        let fold = |word: u64, part: usize| if word == 0 { 0 } else { mix(word ^ PART[part]) };
        let flags = u64::from(self.own_due[0])
            | u64::from(self.own_due[1]) << 1
            | u64::from(self.mill_due) << 2
            | u64::from(self.take_then_move) << 3
            | u64::from(self.both_take) << 4;
        let takes_due = u64::from(self.due[0]) << 24 | u64::from(self.due[1]) << 32 | flags << 40;
        let mills = self
            .last_mill
            .iter()
            .fold(point(self.preferred), |word, mill| word << 10 | point(mill.from) << 5 | point(mill.to));
        let mut key = fold(u64::from(self.marked.0) | takes_due, 0)
            ^ fold(u64::from(self.used[0].0) | u64::from(self.used[1].0) << 32, 1)
            ^ fold(mills, 2);
        if !self.records.iter().all(Records::is_empty) {
            for records in &self.records {
                for record in [records.custodian, records.intervention, records.leap] {
                    key = mix(key ^ PART[3] ^ u64::from(record.targets.0) ^ u64::from(record.count) << 32);
                }
            }
        }
        key
    }
}
