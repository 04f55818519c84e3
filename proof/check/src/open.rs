//! Open sectors: all their positions belong to the certificate, but the listed ones. This may be trusted
//! because `check_open` visits each position that belongs to it, however it may arise, and finds a turn that
//! wins or after which every reply leads to such a position again. So a game that came there is never lost.

use crate::board::{Counts, FEWEST, Men, after_turn, counts, opposite, points, sector};
use crate::certificate::Lists;
use crate::index::Index;
use crate::walk::{Walk, fault};
use rayon::prelude::*;

/// Returns for each set: 2 if a listed position has these men of the side that follows the certificate, or
/// else 1 if one has all but one of them, or else 0.
pub fn near(index: &Index, lists: &Lists) -> Vec<u8> {
    let mut near = vec![0; 1 << 24];
    for (sector, &slot) in
        (0..).zip(lists).flat_map(|(sector, list)| list.iter().flatten().map(move |slot| (sector, slot)))
    {
        let [own, theirs, ..] = counts(sector);
        for (own, _) in index.images(index.position(own, theirs, slot)) {
            near[own as usize] = 2;
            let more = points(0xff_ffff & !own).map(|point| (own | 1 << point) as usize);
            more.for_each(|more| near[more] = near[more].max(1));
        }
    }
    near
}

impl Walk<'_> {
    /// Returns true if the position lies in a sector with a list and is not listed, false if it is, and
    /// nothing in other sectors. The side that follows the certificate has the first men and is to move.
    pub fn holds(&self, counts: Counts, men: Men) -> Option<bool> {
        let list = self.certificate.lists[sector(counts)].as_ref()?;
        Some(self.near[men.0 as usize] < 2 || list.binary_search(&self.index.slot(men)).is_err())
    }

    /// Returns the number of open sectors, that of their positions that belong to the certificate, and that
    /// of the others, if each of the former has an allowed turn and none of the latter. Symmetric positions
    /// count once. The error names one for which this is wrong.
    pub fn check_open(&self) -> Result<[u64; 3], String> {
        let mut sum = [0; 3];
        for (counts, list) in (0..).map(counts).zip(&self.certificate.lists) {
            let Some(list) = list.as_ref().filter(|_| counts[2..] == [0, 0]) else { continue };
            let check = |slot| {
                let men = self.index.position(counts[0], counts[1], slot);
                if !self.index.is_least(men, slot) {
                    return Ok(0);
                }
                let has_turn = self.board.any_turn(men, 0, |after| self.is_allowed(counts, men, after));
                let is_sound = has_turn == list.binary_search(&slot).is_err();
                let fault = || fault("in an open sector, a turn but listed, or neither", counts, men);
                is_sound.then_some(u64::from(has_turn)).ok_or_else(fault)
            };
            let slots = 0..self.index.slots(counts[0], counts[1]);
            let held = slots.into_par_iter().map(check).sum::<Result<u64, _>>()?;
            sum = [sum[0] + 1, sum[1] + held, sum[2] + list.len() as u64];
        }
        Ok(sum)
    }

    /// Returns true if a turn wins or every reply leads to positions of the certificate in open sectors.
    fn is_allowed(&self, counts: Counts, men: Men, (own, theirs): Men) -> bool {
        let next = after_turn(counts, theirs != men.1);
        let lists = [false, true].map(|takes| opposite(after_turn(opposite(next), takes)));
        // A reply takes one man or none. If it cannot come near a listed position, it need not be played.
        let is_open = |counts| self.certificate.lists[sector(counts)].is_some();
        let is_inside = self.near[own as usize] == 0 && lists.into_iter().all(is_open);
        let leaves =
            |(theirs, left)| self.holds(lists[usize::from(left != own)], (left, theirs)) != Some(true);
        is_inside || next[1] < FEWEST || !self.board.any_turn((theirs, own), 0, leaves)
    }
}
