//! The walk. It begins with the first turn of the side that follows the certificate. In each position it
//! plays the turn of the certificate (of White's first turns, every one that is allowed) and every reply, and
//! goes on with all positions that are new. This may be trusted because every game in which the side follows
//! the certificate is a path of the walk, which may end in an open sector: if there is a turn in every
//! position, and no reply leaves the side too few men or leads to a listed position, no game is lost.

use crate::board::{Board, Counts, FEWEST, Men, after_reply, after_turn, points};
use crate::certificate::Certificate;
use crate::index::Index;
use crate::open::near;
use crate::ribbon::mix;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::mem::take;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// The slots of a block.
const BLOCK: usize = 64 * 32;

/// A part of a sector.
#[derive(Default)]
struct Block {
    /// A bit for each slot: it has been found.
    found: [AtomicU64; 32],
    /// It has been visited, too.
    visited: [u64; 32],
    /// Some have been found after the last visit.
    is_new: AtomicBool,
}

impl Block {
    /// Returns the slots that are to be visited, and notes that they are.
    fn visit(&mut self, first: usize) -> Vec<u32> {
        let words = if take(self.is_new.get_mut()) { self.found.len() } else { 0 };
        let new = |word: usize| {
            let new = *self.found[word].get_mut() & !self.visited[word];
            self.visited[word] |= new;
            points(new).map(move |bit| (first + 64 * word + bit) as u32)
        };
        (0..words).flat_map(new).collect()
    }
}

/// The blocks of a sector. It gets its memory when a position is found.
type Sector = OnceLock<Vec<Block>>;
/// The sectors after a turn or reply that takes nothing, and after one that takes a man.
type Next<'a> = [(Counts, &'a Sector); 2];

/// Numbers of positions with and without men in hand of the side to move, of those in which the first turn is
/// refused, and the digest.
type Totals = [u64; 4];

fn add(one: Totals, other: Totals) -> Result<Totals, String> {
    Ok(std::array::from_fn(|at| one[at].wrapping_add(other[at])))
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
    found: [BTreeMap<Counts, Sector>; 2],
    totals: Totals,
}

impl<'a> Walk<'a> {
    /// Prepares a walk.
    pub fn new(board: &'a Board, index: &'a Index, certificate: &'a Certificate) -> Self {
        let near = near(certificate, index);
        Self { board, index, certificate, near, found: Default::default(), totals: [0; 4] }
    }

    /// Walks everything that can arise for a side. Returns the number of positions in which the side is to
    /// move and has men in hand, that of the others outside open sectors, and the turns of both sides up to
    /// the position that is reached last. Symmetric positions count once. With empty hands the game is the
    /// same for both sides, so the second walk leaves out what the first one has visited. An error names the
    /// position in which the certificate fails.
    pub fn run(&mut self, is_black: bool) -> Result<[u64; 3], String> {
        let men = self.board.game.men;
        let first = if is_black { [0, 0, men, men] } else { [1, 0, men - 1, men] };
        let (sector, list) = (Sector::new(), self.certificate.lists.get(&first));
        let start = |after| {
            if list.is_none_or(|list| !self.is_listed(list, after)) {
                self.find(&sector, first, self.index.slot(after));
            }
            false
        };
        let _ = if is_black { start((0, 0)) } else { self.board.any_turn((0, 0), men, start) };
        self.found[1].insert(first, sector);
        let (mut totals, mut levels) = ([0; 4], 0);
        loop {
            self.visit(1)?;
            let level = self.visit(0)?;
            if level[..2] == [0, 0] {
                break;
            }
            (totals, levels) = (add(totals, level)?, levels + 1);
        }
        self.totals = add(self.totals, totals)?;
        let fault = "all first turns of White are listed".to_owned();
        (levels > 0).then_some([totals[0], totals[1], 2 * levels - u64::from(is_black)]).ok_or(fault)
    }

    /// Notes the position of a slot of a sector.
    fn find(&self, sector: &Sector, counts: Counts, slot: u32) {
        let slots = || self.index.slots(counts[0], counts[1]) as usize;
        let blocks = || (0..=slots() / BLOCK).map(|_| Block::default()).collect();
        let slot = slot as usize;
        let block = &sector.get_or_init(blocks)[slot / BLOCK];
        let (word, bit) = (&block.found[slot % BLOCK / 64], 1 << (slot % 64));
        if word.load(Relaxed) & bit == 0 {
            word.fetch_or(bit, Relaxed);
            block.is_new.store(true, Relaxed);
        }
    }

    /// Visits all new positions with the side to move (0) or after its turn (1).
    fn visit(&mut self, after: usize) -> Result<Totals, String> {
        let (mut sectors, mut totals) = (take(&mut self.found[after]), [0; 4]);
        for (&counts, sector) in &mut sectors {
            let Some(blocks) = sector.get_mut() else { continue };
            // What is found now is of the other kind.
            let next = if after == 0 { after_turn(counts) } else { after_reply(counts) };
            for next in next {
                self.found[1 - after].entry(next).or_default();
            }
            let found = next.map(|next| (next, &self.found[1 - after][&next]));
            let visit = |(number, block): (usize, &mut Block)| match block.visit(number * BLOCK) {
                slots if after == 0 => self.turns(counts, &slots, found),
                slots => self.replies(counts, &slots, found),
            };
            totals = add(totals, blocks.par_iter_mut().enumerate().map(visit).try_reduce(|| [0; 4], add)?)?;
            // Men never come back into a hand.
            if counts[2..] != [0, 0] {
                sector.take();
            }
        }
        self.found[after] = sectors;
        Ok(totals)
    }

    /// Plays the turns of the certificate in positions.
    fn turns(&self, counts: Counts, slots: &[u32], found: Next<'_>) -> Result<Totals, String> {
        let filter = self.certificate.filters.get(&counts);
        let played = slots.iter().map(|&slot| {
            let men = self.index.position(counts[0], counts[1], slot);
            let turn = self.choose(counts, men, slot, filter);
            turn.ok_or_else(|| fault("no turn that is not refused", counts, men))
        });
        // The next loop runs by itself, since most of its time it waits for memory.
        let played = played.collect::<Result<Vec<_>, String>>()?;
        slots.iter().zip(played).try_fold([0; 4], |sum, (&slot, (after, place))| {
            let takes = after.1.count_ones() < counts[1];
            let (next @ [own, theirs, own_hand, their_hand], sector) = found[usize::from(takes)];
            let mut number_after = 0;
            if theirs + their_hand >= FEWEST {
                self.find(sector, next, self.index.slot(after));
                let slot = self.index.slot((after.1, after.0));
                number_after = number([theirs, own, their_hand, own_hand], slot);
            }
            let placing = u64::from(counts[2] > 0);
            let digest = mix(mix(number(counts, slot)).wrapping_add(number_after));
            add(sum, [placing, 1 - placing, u64::from(place > 0), digest])
        })
    }

    /// Plays all replies to turns.
    fn replies(&self, counts: Counts, slots: &[u32], found: Next<'_>) -> Result<Totals, String> {
        let lists = found.map(|(next, _)| self.certificate.lists.get(&next));
        for &slot in slots {
            let (own, theirs) = self.index.position(counts[0], counts[1], slot);
            let loses = self.board.any_turn((theirs, own), counts[3], |(theirs, left)| {
                let takes = left != own;
                let (next, sector) = found[usize::from(takes)];
                if let Some(list) = lists[usize::from(takes)] {
                    return self.is_listed(list, (left, theirs));
                }
                self.find(sector, next, self.index.slot((left, theirs)));
                next[0] + next[2] < FEWEST
            });
            if loses {
                return Err(fault("after a reply too few men, or listed as lost", counts, (own, theirs)));
            }
        }
        Ok([0; 4])
    }

    /// Compares the walks of all sides with the file. Returns the number of positions in which the first turn
    /// is refused.
    pub fn compare(&self) -> Result<u64, String> {
        let [placing, moving, refused, digest] = self.totals;
        let [stated, other] = self.certificate.stated;
        let positions = placing + moving;
        let fault = format!("{positions} positions with digest {digest:x}, but stated: {stated}, {other:x}");
        ([positions, digest] == [stated, other]).then_some(refused).ok_or(fault)
    }
}

/// Describes a fault.
pub fn fault(fault: &str, [.., own_hand, their_hand]: Counts, men: Men) -> String {
    const NAMES: &str = " a4 a7 d7 g7 g4 g1 d1 a1 b4 b6 d6 f6 f4 f2 d2 b2 c4 c5 d5 e5 e4 e3 d3 c3";
    let names = |set| points(set).map(|at| &NAMES[3 * at..][..3]).collect::<String>();
    let (own, theirs) = (names(men.0), names(men.1));
    format!("{fault}: own men{own} and {own_hand} in hand, theirs{theirs} and {their_hand} in hand")
}
