//! The walk. It begins with the first turn of the side that follows the certificate. In each position it
//! plays the turn of the certificate (of White's first turns, every one that is allowed) and every reply, and
//! goes on with all positions that are new. This may be trusted because every game in which the side follows
//! the certificate is a path of the walk, which may end in an open sector: if there is a turn in every
//! position, and no reply leaves the side too few men or leads to a listed position, no game is lost.

use crate::board::{Board, FEWEST, Men, points};
use crate::certificate::{Certificate, Counts, counts, sector};
use crate::index::Index;
use crate::open::Open;
use crate::ribbon::mix;
use rayon::prelude::*;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The walk of a certificate.
pub struct Walk<'a> {
    /// The board.
    pub board: &'a Board,
    /// The numbers of positions.
    pub index: &'a Index,
    /// The certificate.
    pub certificate: &'a Certificate,
    open: &'a Open<'a>,
    /// For each sector one bit for each slot. A sector gets its memory when it is reached.
    seen: Vec<OnceLock<Vec<AtomicU64>>>,
    /// The number of positions visited, of those in which the first turn is refused, and the digest.
    totals: [AtomicU64; 3],
}

/// A position in which the side that follows the certificate is to move: its sector and slot.
type Position = (u16, u32);

/// Returns a number for a position that is the same for symmetric ones only.
fn number([own, theirs, own_hand, their_hand]: Counts, slot: u32) -> u64 {
    u64::from(slot) | u64::from(own | theirs << 4 | own_hand << 8 | their_hand << 12) << 40
}

impl<'a> Walk<'a> {
    /// Prepares a walk.
    pub fn new(board: &'a Board, index: &'a Index, certificate: &'a Certificate, open: &'a Open<'a>) -> Self {
        let seen = (0..2000).map(|_| OnceLock::new()).collect();
        Self { board, index, certificate, open, seen, totals: Default::default() }
    }

    /// Walks everything that can arise for a side. Returns the number of positions in which the side is to
    /// move and has men in hand, that of the others outside open sectors, and the turns of both sides up to
    /// the position that is reached last. Symmetric positions count once. With empty hands the game is the
    /// same for both sides, so the second walk leaves out what the first one has visited. An error names the
    /// position in which the certificate fails.
    pub fn run(&self, is_black: bool) -> Result<[usize; 3], String> {
        let (men, mut level) = (self.board.game.men, Vec::new());
        self.board.any_turn((0, 0), men, |(white, black)| {
            if is_black {
                self.arrive([0, 1, men, men - 1], (black, white), &mut level);
            } else if !self.certificate.losing.contains(&self.index.slot((white, black))) {
                self.board.any_turn((black, white), men, |(black, white)| {
                    self.arrive([1, 1, men - 1, men - 1], (white, black), &mut level);
                    false
                });
            }
            false
        });
        if level.is_empty() {
            return Err("all first turns of White are listed".to_owned());
        }
        let (mut placing, mut moving, mut levels) = (0, 0, 0);
        while !level.is_empty() {
            // Neighbours in this order use neighbouring memory.
            level.par_sort_unstable();
            let split = level.partition_point(|position| position.0 < 100);
            (placing, moving, levels) = (placing + level.len() - split, moving + split, levels + 1);
            let pieces =
                level.par_chunks(2048).map(|piece| self.visit(piece)).collect::<Result<Vec<_>, _>>()?;
            level = pieces.concat();
        }
        Ok([placing, moving, 2 * levels - usize::from(is_black)])
    }

    /// Plays the turn of the certificate in each of some positions, and all replies. Returns what is new.
    fn visit(&self, piece: &[Position]) -> Result<Vec<Position>, String> {
        let (mut new, mut turns, mut refused, mut digest) = (Vec::new(), Vec::new(), 0, 0_u64);
        for &(sector, slot) in piece {
            let counts = counts(sector.into());
            let men = self.index.position(counts[0], counts[1], slot);
            let turn = self.choose(counts, men, slot, &mut turns);
            let (after, place) = turn.ok_or_else(|| fault("no turn that is not refused", counts, men))?;
            let number_after = self.reply(counts, after, &mut new)?;
            refused += u64::from(place > 0);
            digest = digest.wrapping_add(mix(mix(number(counts, slot)).wrapping_add(number_after)));
        }
        for (total, more) in self.totals.iter().zip([piece.len() as u64, refused, digest]) {
            total.fetch_add(more, Relaxed);
        }
        Ok(new)
    }

    /// Plays all replies to a turn. Returns the number of the position after the turn, or zero if it wins.
    fn reply(&self, before: Counts, after: Men, new: &mut Vec<Position>) -> Result<u64, String> {
        let [own, theirs] = [after.0.count_ones(), after.1.count_ones()];
        let (own_hand, their_hand) = (before[2].saturating_sub(1), before[3]);
        if theirs + their_hand < FEWEST {
            return Ok(0);
        }
        let mut error = Ok(());
        self.board.any_turn((after.1, after.0), their_hand, |(theirs, left)| {
            let counts = [left.count_ones(), theirs.count_ones(), own_hand, their_hand.saturating_sub(1)];
            let holds = if own_hand == 0 { self.open.holds((left, theirs)) } else { None };
            if counts[0] + own_hand < FEWEST || holds == Some(false) {
                error = Err(fault("too few men, or listed as lost", counts, (left, theirs)));
            } else if holds.is_none() {
                self.arrive(counts, (left, theirs), new);
            }
            error.is_err()
        });
        error.map(|()| number([theirs, own, their_hand, own_hand], self.index.slot((after.1, after.0))))
    }

    /// Notes a position, if it is new. Of several threads one does so.
    fn arrive(&self, counts: Counts, men: Men, new: &mut Vec<Position>) {
        let (sector, slot) = (sector(counts), self.index.slot(men));
        let words = || (0..=self.index.slots(counts[0], counts[1]) / 64).map(|_| AtomicU64::new(0)).collect();
        let word = &self.seen[sector].get_or_init(words)[slot as usize / 64];
        let bit = 1 << (slot % 64);
        if word.load(Relaxed) & bit == 0 && word.fetch_or(bit, Relaxed) & bit == 0 {
            new.push((sector as u16, slot));
        }
    }

    /// Compares the walks of all sides with the file. Returns the number of positions in which the first turn
    /// is refused.
    pub fn compare(&self) -> Result<u64, String> {
        let [positions, refused, digest] = self.totals.each_ref().map(|total| total.load(Relaxed));
        let [stated, other] = self.certificate.stated;
        let fault =
            format!("{positions} positions with digest {digest:x} arise; stated: {stated}, {other:x}");
        ([positions, digest] == [stated, other]).then_some(refused).ok_or(fault)
    }
}

/// Describes a fault.
pub fn fault(fault: &str, [.., own_hand, their_hand]: Counts, men: Men) -> String {
    const NAMES: &str = "a4a7d7g7g4g1d1a1b4b6d6f6f4f2d2b2c4c5d5e5e4e3d3c3";
    let names =
        |set| points(set).map(|point| &NAMES[2 * point as usize..][..2]).collect::<Vec<_>>().join(" ");
    let (own, theirs) = (names(men.0), names(men.1));
    format!("{fault}: own men {own} and {own_hand} in hand, theirs {theirs} and {their_hand} in hand")
}
