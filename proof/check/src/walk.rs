//! The walk. It begins with the first turn of the side that follows the certificate. In each position it
//! plays the turn of the certificate (of White's first turns, every one that is allowed) and every reply, and
//! goes on with all positions that are new. This may be trusted because every game in which the side follows
//! the certificate is a path of the walk, which may end in an open sector: if there is a turn in every
//! position, and no reply leaves the side too few men or leads to a listed position, no game is lost.

use crate::board::{ALL, Board, Counts, FEWEST, Men, after_reply, after_turn, points, swap};
use crate::certificate::Certificate;
use crate::index::Index;
use crate::open::near;
use crate::ribbon::{Filter, mix};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::mem::take;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};

/// The slots of a block.
const BLOCK: usize = 32 * 32;

/// A part of a sector.
#[derive(Default)]
struct Block {
    /// A bit for each slot: it has been found.
    found: [AtomicU32; 32],
    /// It has been visited, too.
    visited: [u32; 32],
    /// Some have been found after the last visit.
    is_new: AtomicBool,
}

impl Block {
    /// Returns the slots that are to be visited, and notes that they are.
    fn visit(&mut self, first: usize) -> Vec<u32> {
        let mut slots = Vec::new();
        if take(self.is_new.get_mut()) {
            for (word, (found, visited)) in self.found.iter_mut().zip(&mut self.visited).enumerate() {
                let new = *found.get_mut() & !*visited;
                *visited |= new;
                slots.extend(points(new).map(|bit| (first + 32 * word + bit) as u32));
            }
        }
        slots
    }
}

/// A sector: what the certificate says about it, and the positions that have been found in it.
pub struct Sector<'a> {
    /// The numbers of men.
    pub counts: Counts,
    /// The filter that refuses turns.
    pub filter: Option<&'a Filter>,
    /// The listed slots.
    list: Option<&'a Vec<u32>>,
    /// The positions. There is no memory for them before one is found.
    blocks: OnceLock<Vec<Block>>,
}

/// Returns a number for a position that is the same for symmetric ones only.
fn number([own, theirs, own_hand, their_hand]: Counts, slot: u32) -> u64 {
    u64::from(slot) | u64::from(own | theirs << 4 | own_hand << 8 | their_hand << 12) << 40
}

/// The walk of a certificate.
pub struct Walk<'a> {
    /// The board.
    pub board: &'a Board,
    /// The numbers of positions.
    pub index: &'a Index,
    /// The certificate.
    pub certificate: &'a Certificate,
    /// For each set, if a listed position has these men of the side, or all but one of them.
    pub near: Vec<bool>,
    /// The positions in which the side that follows the certificate is to move, and those after its turns. In
    /// both its men come first.
    found: [BTreeMap<Counts, Sector<'a>>; 2],
    /// The positions with the side to move, those of them in which the first turn is refused, and the digest.
    positions: u64,
    refused: AtomicU64,
    digest: AtomicU64,
}

impl<'a> Walk<'a> {
    /// Prepares a walk.
    pub fn new(board: &'a Board, index: &'a Index, certificate: &'a Certificate) -> Self {
        let (near, found) = (near(certificate, index), Default::default());
        let (positions, refused, digest) = Default::default();
        Self { board, index, certificate, near, found, positions, refused, digest }
    }

    /// Returns a sector in which nothing has been found.
    pub fn sector(&self, counts: Counts) -> Sector<'a> {
        let Certificate { filters, lists, .. } = self.certificate;
        Sector { counts, filter: filters.get(&counts), list: lists.get(&counts), blocks: OnceLock::new() }
    }

    /// Walks everything that can arise for a side. Returns the number of positions in which the side is to
    /// move and has men in hand, that of the others outside open sectors, and the turns of both sides up to
    /// the position that is reached last. Symmetric positions count once. With empty hands the game is the
    /// same for both sides, so the second walk leaves out what the first one has visited. An error names the
    /// position in which the certificate fails.
    pub fn run(&mut self, is_black: bool) -> Result<[u64; 3], String> {
        let men = self.board.game.men;
        let first = self.sector(if is_black { [0, 0, men, men] } else { [1, 0, men - 1, men] });
        for own in if is_black { vec![0] } else { points(ALL).map(|point| 1 << point).collect() } {
            if first.list.is_none_or(|list| !self.is_listed(list, (own, 0))) {
                self.find(&first, (own, 0));
            }
        }
        self.found[1].insert(first.counts, first);
        let ([mut placing, mut moving], mut levels) = ([0; 2], 0);
        loop {
            self.visit(1)?;
            let level = self.visit(0)?;
            if level == [0, 0] {
                break;
            }
            (placing, moving, levels) = (placing + level[0], moving + level[1], levels + 1);
        }
        self.positions += placing + moving;
        let fault = "all first turns of White are listed".to_owned();
        (levels > 0).then_some([placing, moving, 2 * levels - u64::from(is_black)]).ok_or(fault)
    }

    /// Notes a position of a sector.
    fn find(&self, sector: &Sector<'_>, men: Men) {
        let slots = || self.index.slots(sector.counts[0], sector.counts[1]) as usize;
        let blocks = || (0..=slots() / BLOCK).map(|_| Block::default()).collect();
        let slot = self.index.slot(men) as usize;
        let block = &sector.blocks.get_or_init(blocks)[slot / BLOCK];
        let (word, bit) = (&block.found[slot % BLOCK / 32], 1 << (slot % 32));
        if word.load(Relaxed) & bit == 0 {
            word.fetch_or(bit, Relaxed);
            block.is_new.store(true, Relaxed);
        }
    }

    /// Visits all new positions with the side to move (0) or after its turn (1). Returns the number of those
    /// with men in hand, and of the others.
    fn visit(&mut self, after: usize) -> Result<[u64; 2], String> {
        let mut positions = [0; 2];
        for (counts, mut sector) in take(&mut self.found[after]) {
            let Some(mut blocks) = sector.blocks.take() else { continue };
            // What is found now is of the other kind.
            let next = if after == 0 { after_turn(counts) } else { after_reply(counts) };
            for next in next {
                let sector = self.sector(next);
                self.found[1 - after].entry(next).or_insert(sector);
            }
            let next = next.map(|next| &self.found[1 - after][&next]);
            let visit = |(number, block): (usize, &mut Block)| {
                let slots = block.visit(number * BLOCK);
                let play = if after == 0 { Self::turns } else { Self::replies };
                play(self, &sector, &slots, next).map(|()| slots.len() as u64)
            };
            let visited = blocks.par_iter_mut().enumerate().map(visit).sum::<Result<u64, String>>()?;
            positions[usize::from(counts[2] == 0)] += visited;
            // Men never come back into a hand.
            if counts[2..] == [0, 0] {
                sector.blocks = blocks.into();
                self.found[after].insert(counts, sector);
            }
        }
        Ok(positions)
    }

    /// Plays the turns of the certificate in positions.
    fn turns(&self, sector: &Sector<'_>, slots: &[u32], next: [&Sector<'_>; 2]) -> Result<(), String> {
        let counts = sector.counts;
        let played = slots.iter().map(|&slot| {
            let men = self.index.position(counts[0], counts[1], slot);
            let turn = self.choose(sector, men, slot);
            turn.ok_or_else(|| fault("no turn that is not refused", counts, men))
        });
        // The next loop runs by itself, since most of its time it waits for memory.
        let played = played.collect::<Result<Vec<_>, String>>()?;
        let (mut refused, mut digest) = (0, 0_u64);
        for (&slot, (after, place)) in slots.iter().zip(played) {
            let next = next[usize::from(after.1.count_ones() < counts[1])];
            let mut number_after = 0;
            if next.counts[1] + next.counts[3] >= FEWEST {
                self.find(next, after);
                number_after = number(swap(next.counts), self.index.slot((after.1, after.0)));
            }
            refused += u64::from(place > 0);
            digest = digest.wrapping_add(mix(mix(number(counts, slot)).wrapping_add(number_after)));
        }
        self.refused.fetch_add(refused, Relaxed);
        self.digest.fetch_add(digest, Relaxed);
        Ok(())
    }

    /// Plays all replies to turns.
    fn replies(&self, sector: &Sector<'_>, slots: &[u32], next: [&Sector<'_>; 2]) -> Result<(), String> {
        let counts = sector.counts;
        for &slot in slots {
            let (own, theirs) = self.index.position(counts[0], counts[1], slot);
            let loses = self.board.any_turn((theirs, own), counts[3], |(theirs, left)| {
                let next = next[usize::from(left != own)];
                if let Some(list) = next.list {
                    return self.is_listed(list, (left, theirs));
                }
                self.find(next, (left, theirs));
                next.counts[0] + next.counts[2] < FEWEST
            });
            if loses {
                return Err(fault("after a reply too few men, or listed as lost", counts, (own, theirs)));
            }
        }
        Ok(())
    }

    /// Compares the walks of all sides with the file. Returns the number of positions in which the first turn
    /// is refused.
    pub fn compare(&self) -> Result<u64, String> {
        let (positions, digest) = (self.positions, self.digest.load(Relaxed));
        let [stated, other] = self.certificate.stated;
        let fault = format!("{positions} positions with digest {digest:x}, but stated: {stated}, {other:x}");
        ([positions, digest] == [stated, other]).then(|| self.refused.load(Relaxed)).ok_or(fault)
    }
}

/// Describes a fault.
pub fn fault(fault: &str, [.., own_hand, their_hand]: Counts, men: Men) -> String {
    const NAMES: &str = " a4 a7 d7 g7 g4 g1 d1 a1 b4 b6 d6 f6 f4 f2 d2 b2 c4 c5 d5 e5 e4 e3 d3 c3";
    let names = |set| points(set).map(|at| &NAMES[3 * at..][..3]).collect::<String>();
    let (own, theirs) = (names(men.0), names(men.1));
    format!("{fault}: own men{own} and {own_hand} in hand, theirs{theirs} and {their_hand} in hand")
}
