//! Open sectors: all their positions belong to the certificate, but the listed ones. This may be trusted
//! because `check` visits each position that belongs to it, however it may arise, and finds a turn that wins
//! or after which every reply leads to such a position again. So a game that has come there is never lost.

use crate::board::{Board, FEWEST, Men, points};
use crate::certificate::Counts;
use crate::index::Index;
use crate::walk::fault;
use rayon::prelude::*;
use std::collections::BTreeMap;

/// The open sectors of a certificate.
pub struct Open<'a> {
    board: &'a Board,
    index: &'a Index,
    /// The slots listed, for the numbers of men of the mover, who follows the certificate, and its opponent.
    lists: [[Option<&'a [u32]>; 10]; 10],
    /// For each set: a listed position has these men of the mover, or all but one of them.
    is_near: Vec<bool>,
}

impl<'a> Open<'a> {
    /// Takes the open sectors with the listed slots.
    pub fn new(board: &'a Board, index: &'a Index, open: &'a BTreeMap<Counts, Vec<u32>>) -> Self {
        let (mut lists, mut is_near) = ([[None; 10]; 10], vec![false; 1 << 24]);
        for (&[own, theirs, ..], slots) in open {
            lists[own as usize][theirs as usize] = Some(&slots[..]);
            for (own, _) in slots.iter().flat_map(|slot| index.images(index.position(own, theirs, *slot))) {
                is_near[own as usize] = true;
                points(0xff_ffff & !own).for_each(|point| is_near[(own | 1 << point) as usize] = true);
            }
        }
        Self { board, index, lists, is_near }
    }

    /// Returns true if the position lies in an open sector and is not listed, false if it is listed, and
    /// nothing outside the open sectors. The hands are empty, and the side that follows the certificate is to
    /// move.
    pub fn holds(&self, men: Men) -> Option<bool> {
        let list = self.lists[men.0.count_ones() as usize][men.1.count_ones() as usize]?;
        Some(!self.is_near[men.0 as usize] || list.binary_search(&self.index.slot(men)).is_err())
    }

    /// Returns the number of positions that belong to the certificate, if each of them has an allowed turn
    /// and no listed one has. Symmetric positions count once. The error names one for which this is wrong.
    pub fn check(&self) -> Result<u64, String> {
        let mut count = 0;
        for (own, theirs) in (0..100).map(|number| (number / 10, number % 10)) {
            let Some(list) = self.lists[own as usize][theirs as usize] else { continue };
            let check = |slot| {
                let men = self.index.position(own, theirs, slot);
                if self.index.slot(men) != slot {
                    return Ok(0);
                }
                let is_listed = list.binary_search(&slot).is_ok();
                let has_turn = self.board.any_turn(men, 0, |after| self.is_allowed(after));
                let is_sound = has_turn != is_listed;
                is_sound
                    .then_some(u64::from(has_turn))
                    .ok_or_else(|| fault("in an open sector, a turn but listed, or neither", [0; 4], men))
            };
            count += (0..self.index.slots(own, theirs)).into_par_iter().map(check).sum::<Result<u64, _>>()?;
        }
        Ok(count)
    }

    /// Returns true if a turn wins or every reply leads to positions of the certificate in open sectors.
    fn is_allowed(&self, after: Men) -> bool {
        let [own, theirs] = [after.0, after.1].map(|men| men.count_ones() as usize);
        // A reply takes one man or none. If it cannot come near a listed position, it need not be played.
        let is_far = !self.is_near[after.0 as usize];
        let is_inside = is_far && self.lists[own][theirs].is_some() && self.lists[own - 1][theirs].is_some();
        let leaves = |(theirs, own)| self.holds((own, theirs)) != Some(true);
        is_inside || theirs < FEWEST as usize || !self.board.any_turn((after.1, after.0), 0, leaves)
    }
}
