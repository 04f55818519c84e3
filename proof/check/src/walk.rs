//! The walk. It begins with the first turn of the side that follows the certificate. In each position it
//! plays the turn of the certificate (of White's first turns, every one that is allowed) and every reply, and
//! goes on with all positions that are new. This may be trusted because every game in which the side follows
//! the certificate is a path of the walk, which may end in an open sector: if there is a turn in every
//! position, and no reply leaves the side too few men or leads to a listed position, no game is lost.

use crate::board::{Board, FEWEST, Men};
use crate::certificate::{Certificate, Counts};
use crate::index::Index;
use crate::open::Open;
use rayon::prelude::*;
use std::cmp::Ordering;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Counts of a walk without a loss, in which symmetric positions count once. With empty hands the game is the
/// same for both sides, so the walk of the second one leaves out what the first one has visited.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Positions in which the side is to move and has men in hand.
    pub placing: usize,
    /// The others, without those in open sectors.
    pub moving: usize,
    /// The turns of both sides up to the position that is reached last.
    pub deepest: usize,
}

/// A position in which the side that follows the certificate is to move: the men in its hand and in that of
/// its opponent, and those on the board.
pub type Position = ([u8; 2], Men);

/// One bit for each slot of a sector, which gets its memory when it is reached.
type Seen = OnceLock<Vec<AtomicU64>>;

/// The walk of a certificate.
pub struct Walk<'a> {
    board: &'a Board,
    index: &'a Index,
    certificate: &'a Certificate,
    open: &'a Open<'a>,
    seen: Vec<Seen>,
}

/// Returns the names of points.
fn names(set: u32) -> String {
    const NAMES: &str = "a4a7d7g7g4g1d1a1b4b6d6f6f4f2d2b2c4c5d5e5e4e3d3c3";
    let name = |point| &NAMES[2 * point as usize..][..2];
    crate::board::points(set).map(name).collect::<Vec<_>>().join(" ")
}

impl<'a> Walk<'a> {
    /// Prepares a walk.
    pub fn new(board: &'a Board, index: &'a Index, certificate: &'a Certificate, open: &'a Open<'a>) -> Self {
        Self { board, index, certificate, open, seen: (0..2000).map(|_| OnceLock::new()).collect() }
    }

    /// Walks everything that can arise for a side. An error names the position in which the certificate
    /// fails.
    pub fn run(&self, is_black: bool) -> Result<Summary, String> {
        let (men, mut level) = (self.board.game.men as u8, Vec::new());
        for (white, black) in self.board.turns((0, 0), men.into()) {
            if is_black {
                self.arrive(([men, men - 1], (black, white)), &mut level);
            } else if self.exception(([men - 1, men], (white, black))).is_none() {
                for (black, white) in self.board.turns((black, white), men.into()) {
                    self.arrive(([men - 1; 2], (white, black)), &mut level);
                }
            }
        }
        if level.is_empty() {
            return Err("all first turns of White are listed".to_owned());
        }
        let mut summary = Summary { deepest: if is_black { 1 } else { 2 }, ..Summary::default() };
        while !level.is_empty() {
            let placing = level.iter().filter(|position| position.0[0] > 0).count();
            summary.placing += placing;
            summary.moving += level.len() - placing;
            let piece = |positions: &[Position]| {
                let mut new = Vec::new();
                positions.iter().try_for_each(|&position| self.walk(position, &mut new)).map(|()| new)
            };
            level = level.par_chunks(2048).map(piece).collect::<Result<Vec<_>, String>>()?.concat();
            // Neighbours in this order use neighbouring memory.
            level.par_sort_unstable();
            summary.deepest += if level.is_empty() { 0 } else { 2 };
        }
        Ok(summary)
    }

    /// Returns the number of exceptions, after the walks of all sides. An error names one that is not needed.
    pub fn exceptions(&self) -> Result<usize, String> {
        let mut count = 0;
        for (&[own, theirs, own_hand, their_hand], list) in &self.certificate.exceptions {
            if let Some(unused) = list.iter().find(|exception| !exception.played.load(Relaxed)) {
                let position =
                    ([own_hand as u8, their_hand as u8], self.index.position(own, theirs, unused.slot));
                return Err(fault("an exception is listed, but not played", position));
            }
            count += list.len();
        }
        Ok(count)
    }

    /// Returns the place of the turn in a position that is listed.
    fn exception(&self, position: Position) -> Option<usize> {
        let list = self.certificate.exceptions.get(&counts(position))?;
        let slot = self.index.find(position.1).0;
        let at = list.binary_search_by_key(&slot, |exception| exception.slot).ok()?;
        list[at].played.store(true, Relaxed);
        Some(list[at].place)
    }

    /// Plays the turn of the certificate in a position, and all replies.
    fn walk(&self, position: Position, new: &mut Vec<Position>) -> Result<(), String> {
        let after = self.choose(position, self.exception(position).unwrap_or(0))?;
        let [own_hand, their_hand] = position.0;
        if after.1.count_ones() + u32::from(their_hand) < FEWEST {
            return Ok(());
        }
        let hands = [own_hand.saturating_sub(1), their_hand.saturating_sub(1)];
        let mut lost = None;
        self.board.any_turn((after.1, after.0), their_hand.into(), |(theirs, own)| {
            let holds = if hands[0] == 0 { self.open.holds((own, theirs)) } else { None };
            if own.count_ones() + u32::from(hands[0]) < FEWEST || holds == Some(false) {
                lost = Some((own, theirs));
            } else if holds.is_none() {
                self.arrive((hands, (own, theirs)), new);
            }
            lost.is_some()
        });
        lost.map_or(Ok(()), |men| Err(fault("too few men, or listed as lost", (hands, men))))
    }

    /// Returns the men after the turn at a place of the order, or after one that wins.
    pub fn choose(&self, position: Position, place: usize) -> Result<Men, String> {
        let (men, [own_hand, their_hand]) = (position.1, position.0.map(u32::from));
        let turns = self.board.turns(men, own_hand);
        if let Some(after) = turns.iter().find(|after| after.1.count_ones() + their_hand < FEWEST) {
            return Ok(*after);
        }
        let hands = own_hand.saturating_sub(1) + their_hand;
        let key = |after| (-self.certificate.policy.score(after, hands), after.1 != men.1, after);
        let mut turns: Vec<(i16, bool, Men)> = turns.into_iter().map(key).collect();
        let slot = |(own, theirs)| self.index.find((theirs, own)).0;
        let order = |a: &(i16, bool, Men), b: &(i16, bool, Men)| match (a.0, a.1).cmp(&(b.0, b.1)) {
            Ordering::Equal => slot(a.2).cmp(&slot(b.2)),
            unequal => unequal,
        };
        if place >= turns.len() {
            return Err(fault(&format!("there is no turn number {}", place + 1), position));
        }
        Ok(turns.select_nth_unstable_by(place, order).1.2)
    }

    /// Notes a position, if it is new. Of several threads one does so.
    fn arrive(&self, position: Position, new: &mut Vec<Position>) {
        let ((slot, least), [own, theirs, own_hand, their_hand]) =
            (self.index.find(position.1), counts(position));
        // Of the sides, White has as many men in hand as its opponent.
        let sector = own_hand * 100 + own * 10 + theirs + if own_hand > their_hand { 1000 } else { 0 };
        let words = self.seen[sector as usize]
            .get_or_init(|| (0..=self.index.slots(own, theirs) / 64).map(|_| AtomicU64::new(0)).collect());
        let (word, bit) = (&words[slot as usize / 64], 1 << (slot % 64));
        if word.load(Relaxed) & bit == 0 && word.fetch_or(bit, Relaxed) & bit == 0 {
            new.push((position.0, least));
        }
    }
}

/// Returns the numbers of men on the board and in hand.
fn counts(([own_hand, their_hand], men): Position) -> Counts {
    [men.0.count_ones(), men.1.count_ones(), own_hand.into(), their_hand.into()]
}

/// Describes a fault.
pub fn fault(fault: &str, ([own_hand, their_hand], men): Position) -> String {
    let (own, theirs) = (names(men.0), names(men.1));
    format!("{fault}: own men {own} and {own_hand} in hand, theirs {theirs} and {their_hand} in hand")
}
