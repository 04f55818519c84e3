//! The walk over all positions that can arise when one side follows the policy, and the other does anything.
//!
//! Sectors are walked one after the other, each after all sectors that lead to it. A set of bits for each
//! sector holds the positions that were reached. Where the first turn of the policy gives the draw away, the
//! side plays the next that does not, and the turns before it are to be refused.

use super::results::{SectorResults, collect};
use crate::certificate::policy::{Policy, RankedTurn};
use crate::certificate::refusals::{Refusals, TriedTurn};
use crate::certificate::turns::{TurnNode, TurnRules};
use crate::certificate::{Claims, Listed, Refusing, Sides, position_number, seen_by_mover, write};
use crate::platform::mixing::mix;
use crate::platform::parallel::share;
use crate::tablebase::format::board::set_bits;
use crate::tablebase::format::game::SolvedGame;
use crate::tablebase::{Sector, Wdl};
use crate::types::Color;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Words that a thread takes at a time.
const PART: usize = 256;

/// A set of the positions of a sector.
pub(super) struct Reached(Vec<AtomicU64>);

impl Reached {
    pub(super) fn new(sector: Sector) -> Self {
        Self((0..sector.slots().div_ceil(64)).map(|_| AtomicU64::new(0)).collect())
    }

    /// Adds a position. Returns true if it is new.
    #[inline]
    pub(super) fn add(&self, slot: u64) -> bool {
        let (word, bit) = (&self.0[(slot / 64) as usize], 1 << (slot % 64));
        // Most positions are reached more than once, and reading is cheaper.
        word.load(Relaxed) & bit == 0 && word.fetch_or(bit, Relaxed) & bit == 0
    }

    /// The words of the set, for a file.
    pub(super) fn words(&self) -> impl Iterator<Item = u64> {
        self.0.iter().map(|word| word.load(Relaxed))
    }

    /// The set of these words.
    pub(super) fn from_words(words: Vec<u64>) -> Self {
        Self(words.into_iter().map(AtomicU64::new).collect())
    }
}

/// The most men of the opponent in an open sector.
///
/// In the standard game, such sectors have 51,994 lost positions among 1.07 billion. To list them costs
/// less than a walk, and leaves the side all other turns.
const OPEN_MEN: u8 = 5;

/// Returns the open sectors of a game: those of the moving phase in which the opponent has few men. Some men
/// have to be gone, or a small game would have no other.
pub(super) fn open_sectors(game: &SolvedGame) -> Vec<Sector> {
    let most = OPEN_MEN.min(game.men - 1);
    let theirs = move |own| (game.least..=most).map(move |theirs| Sector::moving(own, theirs));
    (game.least..=game.men).flat_map(theirs).collect()
}

/// Returns the sectors in which one of the sides may have to move, in an order in which none leads to an
/// earlier one.
pub(super) fn sectors(game: &SolvedGame, sides: Sides) -> Vec<Sector> {
    let men = game.men;
    let mut all = Vec::new();
    for side in colors(sides) {
        for own_hand in (1..=men).rev() {
            let their_hand = own_hand - u8::from(side == Color::Black);
            for own in (0..=men - own_hand).rev() {
                for theirs in (0..=men - their_hand).rev() {
                    let sector = Sector { own, theirs, own_hand, their_hand };
                    let is_lost = own + own_hand < game.least || theirs + their_hand < game.least;
                    if !is_lost {
                        all.push(sector);
                    }
                }
            }
        }
    }
    for total in (2 * game.least..=2 * men).rev() {
        let pairs = (game.least..=men.min(total - game.least)).rev().map(|own| (own, total - own));
        all.extend(
            pairs.filter(|&(_, theirs)| theirs <= men).map(|(own, theirs)| Sector::moving(own, theirs)),
        );
    }
    // Only those that a game can lead to.
    let first = |side| Sector {
        own: u8::from(side == Color::White),
        theirs: 1,
        own_hand: men - u8::from(side == Color::White),
        their_hand: men - 1,
    };
    let mut arising: BTreeSet<Sector> = colors(sides).map(first).collect();
    for sector in &all {
        if arising.contains(sector) {
            arising.extend(targets(game, *sector));
        }
    }
    all.retain(|sector| arising.contains(sector));
    all
}

/// Returns the colours of the sides.
fn colors(sides: Sides) -> impl Iterator<Item = Color> {
    [Color::White, Color::Black].into_iter().filter(move |&color| sides.contains(color))
}

/// Returns the sectors that a turn of the side and a reply lead to from `sector`.
fn targets(game: &SolvedGame, sector: Sector) -> Vec<Sector> {
    let mut found = Vec::new();
    for after in super::results::after(game, sector) {
        found.extend(super::results::after(game, after));
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// Returns the lost positions of a sector.
pub(super) fn lost_positions(sector: Sector, results: &SectorResults, threads: usize) -> Vec<u64> {
    const PART: u64 = 1 << 20;
    let mut lost = collect(threads, 0..sector.slots().div_ceil(PART), |lost: &mut Vec<u64>, part| {
        for slot in PART * part..(PART * part + PART).min(sector.slots()) {
            if results.at(sector, slot) == Some(Wdl::Loss) && sector.canonical(slot) == slot {
                lost.push(slot);
            }
        }
    });
    lost.sort_unstable();
    lost
}

/// The positions reached and the refused turns so far.
pub(super) struct Walk<'a> {
    pub rules: &'a TurnRules,
    pub policy: &'a Policy,
    pub threads: usize,
    /// The positions reached in sectors that are still to be walked.
    pub reached: BTreeMap<Sector, Reached>,
    /// The refused turns of the sectors that have been walked.
    pub refusals: Refusing,
    /// The positions after first turns that lose, and the lost positions of the open sectors.
    ///
    /// Open sectors are not walked: all their other positions belong to the certificate.
    pub listed: Listed,
    /// The positions walked.
    pub claims: Claims,
    /// The number of refused turns.
    pub refused: u64,
}

/// The memory of a thread, and what it finds.
#[derive(Default)]
struct WalkScratch {
    turns: Vec<RankedTurn>,
    tried: Vec<TriedTurn>,
    claims: Claims,
    refused: u64,
    /// A position that the side has lost: it has lost the game, or the tablebase contradicts itself.
    lost: Option<TurnNode>,
}

impl<'a> Walk<'a> {
    /// A walk that has reached nothing.
    pub(super) const fn new(rules: &'a TurnRules, policy: &'a Policy, threads: usize) -> Self {
        Self {
            rules,
            policy,
            threads,
            reached: BTreeMap::new(),
            refusals: BTreeMap::new(),
            listed: BTreeMap::new(),
            claims: Claims { positions: 0, digest: 0 },
            refused: 0,
        }
    }

    /// Reaches the first positions in which the sides need a certificate: for Black all after the first turn,
    /// for White all after the second, unless the first one loses.
    ///
    /// `results` has the positions after the first turn. Returns false if White loses in any case.
    pub(super) fn begin(&mut self, sides: Sides, results: &SectorResults) -> bool {
        let (rules, men) = (self.rules, self.rules.game.men);
        let start = TurnNode { own: 0, theirs: 0, own_hand: men, their_hand: men };
        let mut add = |node: TurnNode| {
            let sector = node.sector();
            self.reached.entry(sector).or_insert_with(|| Reached::new(sector)).add(node.slot());
        };
        // By slots, which symmetric turns share.
        let (mut losing, mut has_turn) = (BTreeSet::new(), false);
        rules.for_each(start, |after| {
            if sides.contains(Color::Black) {
                add(after);
            }
            if sides.contains(Color::White) {
                if results.get(after, after.slot()) == Some(Wdl::Win) {
                    let listed = seen_by_mover(after);
                    losing.insert((listed.sector(), listed.slot()));
                } else {
                    has_turn = true;
                    rules.for_each(after, &mut add);
                }
            }
        });
        for (sector, slot) in losing {
            self.listed.entry(sector).or_default().push(slot);
        }
        has_turn || !sides.contains(Color::White)
    }

    /// Returns the bytes of the certificate, with what has been found so far.
    ///
    /// # Errors
    /// If the weights cannot be packed.
    pub(super) fn certificate(&self, sides: Sides) -> std::io::Result<Vec<u8>> {
        write(sides, self.rules, self.policy, self.claims, &self.refusals, &self.listed)
    }

    /// Walks all positions of a sector. Returns a lost position if there is one.
    pub(super) fn walk(&mut self, sector: Sector, results: &SectorResults) -> Option<TurnNode> {
        if !self.reached.contains_key(&sector) {
            return None;
        }
        let mut targets = targets(&self.rules.game, sector);
        targets.retain(|target| !self.listed.contains_key(target));
        for &target in &targets {
            self.reached.entry(target).or_insert_with(|| Reached::new(target));
        }
        let reached = &self.reached[&sector].0;
        let after: Vec<(Sector, &Reached)> =
            targets.into_iter().map(|next| (next, &self.reached[&next])).collect();
        // Positions after a turn of the side whose replies are in `reached` already.
        let answered: Vec<(Sector, Reached)> =
            super::results::after(&self.rules.game, sector).map(|next| (next, Reached::new(next))).collect();
        let words = reached.len();
        let done: Vec<AtomicU64> = (0..words).map(|_| AtomicU64::new(0)).collect();
        let (mut tried, mut lost) = (Vec::new(), None);
        loop {
            let found =
                share(self.threads, 0..words.div_ceil(PART), WalkScratch::default, |scratch, part| {
                    for at in PART * part..(PART * part + PART).min(words) {
                        // A position may reach others of the same word.
                        loop {
                            let new = reached[at].load(Relaxed) & !done[at].load(Relaxed);
                            if new == 0 {
                                break;
                            }
                            done[at].fetch_or(new, Relaxed);
                            for bit in set_bits(new) {
                                let slot = (64 * at + bit) as u64;
                                self.walk_position(
                                    TurnNode::new(sector, slot),
                                    slot,
                                    results,
                                    &answered,
                                    &after,
                                    scratch,
                                );
                            }
                        }
                    }
                });
            let mut positions = 0;
            for scratch in found {
                positions += scratch.claims.positions;
                self.claims.add(scratch.claims);
                self.refused += scratch.refused;
                tried.push(scratch.tried);
                lost = lost.or(scratch.lost);
            }
            if positions == 0 || lost.is_some() {
                break;
            }
        }
        self.reached.remove(&sector);
        self.refusals.extend(Refusals::of(&tried).map(|refusals| (sector, refusals)));
        lost
    }

    /// Walks a position: adds the positions after its turn and each reply.
    fn walk_position(
        &self,
        node: TurnNode,
        slot: u64,
        results: &SectorResults,
        answered: &[(Sector, Reached)],
        targets: &[(Sector, &Reached)],
        scratch: &mut WalkScratch,
    ) {
        // Returns the slot after a turn that does not lose, `Some(None)` if the turn ends the game.
        let safe = |turn: &RankedTurn| {
            if self.rules.has_too_few(turn.after.own, turn.after.own_hand) {
                return Some(None);
            }
            let after = turn.after.slot();
            results.get(turn.after, after).is_some_and(|result| result != Wdl::Win).then_some(Some(after))
        };
        let ordered = self.policy.rank_first(self.rules, node, &mut scratch.turns);
        let mut found = scratch.turns.first().and_then(safe).map(|after| (0, after));
        if found.is_none() {
            self.policy.rank_rest(&mut scratch.turns, ordered);
            let mut turns = scratch.turns.iter().enumerate();
            found = turns.find_map(|(place, turn)| Some((place, safe(turn)?)));
        }
        let Some((played, after_slot)) = found else {
            scratch.lost = Some(node);
            return;
        };
        let after = scratch.turns[played].after;
        let number = after_slot.map_or(0, |slot| position_number(after.sector(), slot));
        let digest = mix(mix(position_number(node.sector(), slot)).wrapping_add(number));
        scratch.claims.add(Claims { positions: 1, digest });
        // A turn that ends the game is never refused.
        let Some(after_slot) = after_slot else { return };
        scratch.refused += played as u64;
        for (place, turn) in (0..).zip(&scratch.turns[..=played]) {
            let band = self.policy.band(place, turn);
            scratch.tried.push(TriedTurn::new(slot, place, band, usize::from(place) < played));
        }
        let sector = after.sector();
        if !answered.iter().any(|(next, answered)| *next == sector && answered.add(after_slot)) {
            return;
        }
        self.rules.for_each(after, |next| {
            if self.rules.has_too_few(next.own, next.own_hand) {
                scratch.lost = Some(next);
                return;
            }
            let sector = next.sector();
            if let Some((_, reached)) = targets.iter().find(|(target, _)| *target == sector) {
                reached.add(next.slot());
            }
        });
    }
}
