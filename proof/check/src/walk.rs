//! The walk. It begins with the first turn of the side that follows the certificate. In each position it
//! plays the turn of the certificate (of White's first turns, every one that is allowed) and every reply, and
//! goes on with all positions that are new. This may be trusted because every game in which the side follows
//! the certificate is a path of the walk, which may end in an open sector: if there is a turn in every
//! position, and no reply leaves the side too few men or leads to a listed position, no game is lost.

use crate::board::{Board, Counts, FEWEST, Men, SECTORS, after_turn, counts, opposite, points, sector};
use crate::certificate::Certificate;
use crate::choose::Turn;
use crate::index::Index;
use crate::open::near;
use crate::ribbon::mix;
use rayon::prelude::*;
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
        let mut slots = Vec::new();
        let words = self.found.iter_mut().zip(&mut self.visited).zip((first as u32..).step_by(64));
        if !std::mem::take(self.is_new.get_mut()) {
            return slots;
        }
        for ((found, visited), first) in words {
            let new = *found.get_mut() & !*visited;
            *visited |= new;
            slots.extend(points(new).map(|bit| first + bit));
        }
        slots
    }
}

/// Numbers of positions with and without men in hand of the side to move, of those in which the first turn is
/// refused, and the digest.
type Totals = [u64; 4];

/// The walk of a certificate.
pub struct Walk<'a> {
    /// The board.
    pub board: &'a Board,
    /// The numbers of positions.
    pub index: &'a Index,
    /// The certificate.
    pub certificate: &'a Certificate,
    /// For each set, if a listed position has it, or all but one of its men.
    pub near: Vec<u8>,
    /// For each sector its blocks: of positions in which the side that follows the certificate is to move,
    /// and of those after its turns. In both its men come first. A sector gets its memory when it is reached.
    found: [Vec<OnceLock<Vec<Block>>>; 2],
    totals: Totals,
}

/// Returns a number for a position that is the same for symmetric ones only.
fn number([own, theirs, own_hand, their_hand]: Counts, slot: u32) -> u64 {
    u64::from(slot) | u64::from(own | theirs << 4 | own_hand << 8 | their_hand << 12) << 40
}

fn add(one: Totals, other: Totals) -> Result<Totals, String> {
    Ok(std::array::from_fn(|at| one[at].wrapping_add(other[at])))
}

impl<'a> Walk<'a> {
    /// Prepares a walk.
    pub fn new(board: &'a Board, index: &'a Index, certificate: &'a Certificate) -> Self {
        let found = [0; 2].map(|_| (0..SECTORS).map(|_| OnceLock::new()).collect());
        let near = near(index, &certificate.lists);
        Self { board, index, certificate, near, found, totals: [0; 4] }
    }

    /// Walks everything that can arise for a side. Returns the number of positions in which the side is to
    /// move and has men in hand, that of the others outside open sectors, and the turns of both sides up to
    /// the position that is reached last. Symmetric positions count once. With empty hands the game is the
    /// same for both sides, so the second walk leaves out what the first one has visited. An error names the
    /// position in which the certificate fails.
    pub fn run(&mut self, is_black: bool) -> Result<[u64; 3], String> {
        let men = self.board.game.men;
        if is_black {
            self.find(1, [0, 0, men, men], (0, 0));
        } else {
            self.board.any_turn((0, 0), men, |after| {
                if self.holds([1, 0, men - 1, men], after) != Some(false) {
                    self.find(1, [1, 0, men - 1, men], after);
                }
                false
            });
        }
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

    /// Notes a position with the side to move (0) or after its turn (1).
    fn find(&self, after: usize, counts: Counts, men: Men) {
        let blocks = self.index.slots(counts[0], counts[1]) as usize / BLOCK + 1;
        let blocks = || (0..blocks).map(|_| Block::default()).collect();
        let slot = self.index.slot(men) as usize;
        let block = &self.found[after][sector(counts)].get_or_init(blocks)[slot / BLOCK];
        let (word, bit) = (&block.found[slot % BLOCK / 64], 1 << (slot % 64));
        if word.load(Relaxed) & bit == 0 {
            word.fetch_or(bit, Relaxed);
            block.is_new.store(true, Relaxed);
        }
    }

    /// Visits all new positions with the side to move (0) or after its turn (1).
    fn visit(&mut self, after: usize) -> Result<Totals, String> {
        // What is found now is of the other kind.
        let (mut sectors, mut totals) = (std::mem::take(&mut self.found[after]), [0; 4]);
        for (counts, place) in (0..).map(counts).zip(&mut sectors) {
            let Some(blocks) = place.get_mut() else { continue };
            let visit = |(number, block): (usize, &mut Block)| {
                let (slots, mut turns) = (block.visit(number * BLOCK), Vec::new());
                let mut play = |slot| match after {
                    0 => self.turn(counts, slot, &mut turns),
                    _ => self.replies(counts, slot),
                };
                slots.into_iter().try_fold([0; 4], |sum, slot| add(sum, play(slot)?))
            };
            let sum = blocks.par_iter_mut().enumerate().map(visit).try_reduce(|| [0; 4], add)?;
            totals = add(totals, sum)?;
            // Men never come back into a hand.
            *place = if counts[2..] == [0, 0] { std::mem::take(place) } else { OnceLock::new() };
        }
        self.found[after] = sectors;
        Ok(totals)
    }

    /// Plays the turn of the certificate in a position.
    fn turn(&self, counts: Counts, slot: u32, turns: &mut Vec<Turn>) -> Result<Totals, String> {
        let men = self.index.position(counts[0], counts[1], slot);
        let turn = self.choose(counts, men, slot, turns);
        let (after, place) = turn.ok_or_else(|| fault("no turn that is not refused", counts, men))?;
        let next = after_turn(counts, after.1 != men.1);
        let mut number_after = 0;
        if next[1] + next[3] >= FEWEST {
            self.find(1, next, after);
            number_after = number(opposite(next), self.index.slot((after.1, after.0)));
        }
        let placing = u64::from(counts[2] > 0);
        let digest = mix(mix(number(counts, slot)).wrapping_add(number_after));
        Ok([placing, 1 - placing, u64::from(place > 0), digest])
    }

    /// Plays all replies to a turn.
    fn replies(&self, counts: Counts, slot: u32) -> Result<Totals, String> {
        let (own, theirs) = self.index.position(counts[0], counts[1], slot);
        let mut result = Ok([0; 4]);
        self.board.any_turn((theirs, own), counts[3], |(theirs, left)| {
            let (next, men) = (opposite(after_turn(opposite(counts), left != own)), (left, theirs));
            let holds = self.holds(next, men);
            if next[0] + next[2] < FEWEST || holds == Some(false) {
                result = Err(fault("too few men, or listed as lost", next, men));
            } else if holds.is_none() {
                self.find(0, next, men);
            }
            result.is_err()
        });
        result
    }

    /// Compares the walks of all sides with the file. Returns the number of positions in which the first turn
    /// is refused.
    pub fn compare(&self) -> Result<u64, String> {
        let [placing, moving, refused, digest] = self.totals;
        let [stated, other] = self.certificate.stated;
        let positions = placing + moving;
        let found = format!("{positions} positions with digest {digest:x} arise");
        let fault = || format!("{found}; stated: {stated}, {other:x}");
        ([positions, digest] == [stated, other]).then_some(refused).ok_or_else(fault)
    }
}

/// Describes a fault.
pub fn fault(fault: &str, [.., own_hand, their_hand]: Counts, men: Men) -> String {
    const NAMES: &str = " a4 a7 d7 g7 g4 g1 d1 a1 b4 b6 d6 f6 f4 f2 d2 b2 c4 c5 d5 e5 e4 e3 d3 c3";
    let [own, theirs] =
        [men.0, men.1].map(|set| points(set).map(|at| &NAMES[3 * at as usize..][..3]).collect::<String>());
    format!("{fault}: own men{own} and {own_hand} in hand, theirs{theirs} and {their_hand} in hand")
}
