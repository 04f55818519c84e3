//! Open sectors: all their positions belong to the certificate, but the listed ones. This may be trusted
//! because `check_open` visits each position that belongs to it, however it may arise, and finds a turn that
//! wins or after which every reply leads to such a position again. So a game that came there is never lost.

use crate::board::{ALL, FEWEST, Men, after_reply, after_turn, points};
use crate::certificate::Certificate;
use crate::index::Index;
use crate::walk::{Walk, fault};
use rayon::prelude::*;

/// Returns for each set if a listed position has these men of the side that follows the certificate, or all
/// but one of them.
pub fn near(certificate: &Certificate, index: &Index) -> Vec<bool> {
    let mut near = vec![false; 1 << 24];
    for (&[own, theirs, ..], list) in &certificate.lists {
        let listed = list.iter().map(|&slot| index.position(own, theirs, slot));
        for (own, _) in listed.flat_map(|men| index.images(men)) {
            near[own as usize] = true;
            points(ALL & !own).for_each(|point| near[(own | 1 << point) as usize] = true);
        }
    }
    near
}

impl Walk<'_> {
    /// Returns true if a position of a sector with a list is listed. The side that follows the certificate
    /// has the first men and is to move.
    pub fn is_listed(&self, list: &[u32], men: Men) -> bool {
        self.near[men.0 as usize] && list.binary_search(&self.index.slot(men)).is_ok()
    }

    /// Returns the number of open sectors, that of their positions that belong to the certificate, and that
    /// of the others, if each of the former has an allowed turn and none of the latter. Symmetric positions
    /// count once. The error names one for which this is wrong, or a list that ends the walk elsewhere.
    pub fn check_open(&self) -> Result<[u64; 3], String> {
        let mut sum = [0; 3];
        let (lists, men) = (&self.certificate.lists, self.board.game.men);
        // The walk does not begin with the turns of White that the first list names.
        for (&counts, list) in lists.iter().filter(|&(&counts, _)| counts != [1, 0, men - 1, men]) {
            if counts[2..] != [0, 0] || counts[0].min(counts[1]) < FEWEST {
                return Err(format!("the sector {counts:?} cannot have a list"));
            }
            // The sectors after a turn and a reply, each of which takes nothing or a man.
            let next = after_turn(counts).map(|counts| after_reply(counts).map(|next| lists.get(&next)));
            // A turn is allowed if it wins or no reply leaves what belongs to the certificate.
            let is_allowed = |(own, theirs): Men, takes: bool| {
                let next = next[usize::from(takes)];
                // Replies take one man or none. If none can reach a listed position, they need not be played.
                let is_inside = !self.near[own as usize] && next.iter().all(Option::is_some);
                let leaves = |(theirs, left)| {
                    next[usize::from(left != own)].is_none_or(|list| self.is_listed(list, (left, theirs)))
                };
                is_inside || theirs.count_ones() < FEWEST || !self.board.any_turn((theirs, own), 0, leaves)
            };
            let check = |slot| {
                let men = self.index.position(counts[0], counts[1], slot);
                if !self.index.is_least(men, slot) {
                    return Ok(0);
                }
                let has_turn = self.board.any_turn(men, 0, |after| is_allowed(after, after.1 != men.1));
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
}
