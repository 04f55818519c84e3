//! Open sectors: all their positions belong to the certificate, but the listed ones. This may be trusted
//! because `check` visits each position that belongs to it, however it may arise, and finds a turn that wins
//! or after which every reply leads to such a position again. So a game that has come there is never lost.

use crate::board::{Board, FEWEST, Men, Set, points};
use crate::certificate::Counts;
use crate::index::Index;
use rayon::prelude::*;
use std::collections::BTreeMap;

/// The open sectors of a certificate.
pub struct Open<'a> {
    board: &'a Board,
    index: &'a Index,
    /// For the numbers of men of the mover, who follows the certificate, and of its opponent.
    is_open: [[bool; 10]; 10],
    /// The listed positions and their images, in ascending order.
    listed: Vec<Men>,
    /// For each set: the number of listed positions in which the mover has a smaller one.
    starts: Vec<u32>,
    /// For each set: a listed position has these men of the mover, or all but one of them.
    is_near: Vec<bool>,
}

impl<'a> Open<'a> {
    /// Takes the open sectors with the listed slots.
    pub fn new(board: &'a Board, index: &'a Index, lists: &BTreeMap<Counts, Vec<u32>>) -> Self {
        let (mut is_open, mut listed) = ([[false; 10]; 10], Vec::new());
        for ([own, theirs, ..], slots) in lists {
            is_open[*own as usize][*theirs as usize] = own.min(theirs) >= &FEWEST;
            let images = |slot: &u32| index.images(index.position(*own, *theirs, *slot)).collect::<Vec<_>>();
            listed.par_extend(slots.par_iter().flat_map_iter(images));
        }
        listed.par_sort_unstable();
        listed.dedup();
        let mut starts = vec![0; (1 << 24) + 1];
        listed.iter().for_each(|men: &Men| starts[men.0 as usize + 1] += 1);
        (0..1 << 24).for_each(|set| starts[set + 1] += starts[set]);
        let mut is_near = vec![false; 1 << 24];
        for (own, _) in &listed {
            is_near[*own as usize] = true;
            points(0xff_ffff & !own).for_each(|point| is_near[(own | 1 << point) as usize] = true);
        }
        Self { board, index, is_open, listed, starts, is_near }
    }

    /// Returns true if the position lies in an open sector and is not listed, false if it is listed, and
    /// nothing outside the open sectors. The hands are empty, and the side that follows the certificate is to
    /// move.
    pub fn holds(&self, (own, theirs): Men) -> Option<bool> {
        self.is_open[own.count_ones() as usize][theirs.count_ones() as usize].then(|| {
            let [first, end] = [own, own + 1].map(|set| self.starts[set as usize] as usize);
            self.listed[first..end].binary_search(&(own, theirs)).is_err()
        })
    }

    /// Returns the number of positions that belong to the certificate, if each of them has an allowed turn.
    /// Symmetric positions count once. Else the error is a position without such a turn.
    pub fn check(&self) -> Result<u64, Men> {
        let mut count = 0;
        for (own, theirs) in (0..100).map(|number| (number / 10, number % 10)) {
            if self.is_open[own][theirs] {
                let row = |row: &(Set, u32)| self.check_row(*row, &self.index.sets[theirs]);
                count += self.index.representatives[own].par_iter().map(row).sum::<Result<u64, Men>>()?;
            }
        }
        Ok(count)
    }

    /// Does so for one set of the mover, of all positions with these sets of its opponent.
    fn check_row(&self, (own, stabilizer): (Set, u32), sets: &[Set]) -> Result<u64, Men> {
        let mut count = 0;
        for &theirs in sets.iter().filter(|set| own & **set == 0) {
            let is_first = self.index.least(stabilizer, theirs) == theirs;
            if is_first && self.holds((own, theirs)) == Some(true) {
                if !self.board.any_turn((own, theirs), 0, |after| self.is_allowed(after)) {
                    return Err((own, theirs));
                }
                count += 1;
            }
        }
        Ok(count)
    }

    /// Returns true if a turn wins or every reply leads to positions of the certificate in open sectors.
    fn is_allowed(&self, after: Men) -> bool {
        let [own, theirs] = [after.0, after.1].map(|men| men.count_ones() as usize);
        // A reply takes one man or none. If it cannot come near a listed position, it need not be played.
        let is_far = !self.is_near[after.0 as usize];
        let is_inside = is_far && self.is_open[own][theirs] && self.is_open[own - 1][theirs];
        let leaves = |(theirs, own)| self.holds((own, theirs)) != Some(true);
        is_inside || after.1.count_ones() < FEWEST || !self.board.any_turn((after.1, after.0), 0, leaves)
    }
}
