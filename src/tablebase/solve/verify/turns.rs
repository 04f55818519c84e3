//! Compares each value of a sector with the values after its turns. The engine's rules play the turns.

use super::bans::{BanTurns, BannedSlide};
use super::order::keepers;
use super::plies::one_ply_earlier;
use crate::bitboard::{Bitboard, Pair};
use crate::platform::memory::prefetch;
use crate::platform::mixing::mix;
use crate::platform::parallel::{batches, share};
use crate::rules::{CompiledRules, Rules, blocked, full_board, placing_mill};
use crate::tablebase::format::board::{spread, squeeze};
use crate::tablebase::format::game::TurnKind;
use crate::tablebase::format::header::TbKind;
use crate::tablebase::format::index::{Index, Ranker, Sector, subsets};
use crate::tablebase::format::value::TbValue;
use crate::types::Square;
use std::collections::HashSet;

/// A position whose value is not that of its best turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mismatch {
    /// The men of the mover, in the point numbers of the files.
    pub own: u32,
    /// The men of the opponent.
    pub theirs: u32,
    /// The stored value.
    pub found: TbValue,
    /// The value of the best turn.
    pub expected: TbValue,
}

/// The engine's rules, applied to the positions of the files. Files and engine number the points differently.
/// But both number each ring clockwise from a midpoint, and the rings in order, one from the inside and one
/// from the outside. So the two numberings differ by a symmetry of the board, and the engine's neighbours and
/// lines hold for both.
pub(super) struct EngineRules {
    pub(super) compiled: CompiledRules,
    /// True if Black opens the moving phase.
    pub(super) black_opens: bool,
    /// True if mills closed while placing take nothing until all men are placed.
    pub(super) settles: bool,
    /// True if mills closed by placing take from the hand, while it has men.
    takes_from_hand: bool,
    /// The most men that one turn takes.
    most_taken: u8,
    /// True if a man that comes between two men of the other side takes both.
    intervenes: bool,
    /// The value of a side that cannot move.
    pub(super) blocked: TbValue,
    /// True if a man that left a mill to close another must not go straight back.
    pub(super) bans_returns: bool,
    /// The value of a full board for White, who is to move; `None` if White takes a man then.
    pub(super) full_board: Option<TbValue>,
}

/// The values of the sectors that turns of one kind lead to.
pub(super) struct Successors<'a> {
    /// The kind of the turns.
    pub(super) kind: TurnKind,
    /// The sector after a turn that takes nothing, after one take, after two and so on. Without those that
    /// end the game.
    pub(super) after: Vec<(Sector, &'a [u8])>,
}

/// The values of a sector and of the sectors that its turns lead to.
pub(super) struct SectorTurns<'a> {
    pub(super) sector: Sector,
    pub(super) own: &'a [u8],
    pub(super) kind: TbKind,
    pub(super) turns: Vec<Successors<'a>>,
    /// The values of positions with bans; `None` if the rules have none, or men are in hand.
    pub(super) bans: Option<BanTurns<'a>>,
}

impl EngineRules {
    pub(super) fn new(rules: &Rules) -> Self {
        let compiled = CompiledRules::new(rules);
        let action = compiled.rules.mill_formation_action_in_placing_phase;
        let intervenes = compiled.intervention.moving;
        Self {
            most_taken: if intervenes { 2 } else { compiled.max_takes as u8 },
            intervenes,
            settles: action == placing_mill::SETTLES_LATER,
            takes_from_hand: action == placing_mill::TAKES_FROM_HAND,
            black_opens: compiled.rules.is_defender_move_first,
            blocked: match compiled.rules.stalemate_action {
                blocked::DRAWS => TbValue::DRAW,
                _ => TbValue::LOST,
            },
            bans_returns: compiled.rules.restrict_repeated_mills_formation,
            full_board: match compiled.rules.board_full_action {
                full_board::WHITE_LOSES => Some(TbValue::LOST),
                full_board::DRAWS => Some(TbValue::DRAW),
                _ => None,
            },
            compiled,
        }
    }

    /// Returns true if a turn from `sector` places the last man before the settlement.
    pub(super) const fn settles_after(&self, sector: Sector) -> bool {
        self.settles && sector.own_hand == 1 && sector.their_hand == 0
    }

    /// Returns true if a turn from `sector` places the last man, and Black moves again.
    pub(super) const fn opens_after(&self, sector: Sector) -> bool {
        self.black_opens && sector.own_hand == 1 && sector.their_hand == 0
    }

    /// Returns the kinds of turns that the mover of a sector has.
    pub(super) fn kinds(&self, sector: Sector) -> impl Iterator<Item = TurnKind> {
        let places = sector.own_hand > 0;
        let slides = sector.own > 0 && (!places || self.compiled.rules.may_move_in_placing_phase);
        let kinds = [(TurnKind::Place, places), (TurnKind::Slide, slides)];
        kinds.into_iter().filter(|&(_, has)| has).map(|(turn, _)| turn)
    }

    /// Returns true if slides lead from a sector to itself, with each side to move in turn.
    pub(super) fn is_cyclic(&self, sector: Sector) -> bool {
        let slides = |sector| self.kinds(sector).any(|turn| turn == TurnKind::Slide);
        slides(sector) && slides(sector.mirrored())
    }

    /// Returns the sectors that turns of one kind lead to from `sector`: the one without a take, the one
    /// after one take, after two, and so on.
    pub(super) fn sectors_after(&self, sector: Sector, turn: TurnKind) -> Vec<Sector> {
        let (placed, least) = (turn.placed(), self.compiled.least);
        let places = turn == TurnKind::Place;
        let most_taken = if self.settles && places { 0 } else { self.most_taken };
        let mut sectors = Vec::new();
        for taken in 0..=most_taken {
            let from_hand = if places && self.takes_from_hand { taken.min(sector.their_hand) } else { 0 };
            let from_board = taken - from_hand;
            // A take from the hand is no reason to end the game, and a mill has three men.
            let is_over = from_board > 0 && u32::from(sector.theirs + sector.their_hand - taken) < least;
            if from_board > sector.theirs || is_over || from_hand > 0 && sector.own + placed < 3 {
                break;
            }
            sectors.push(Sector {
                own: sector.theirs - from_board,
                theirs: sector.own + placed,
                own_hand: sector.their_hand - from_hand,
                their_hand: sector.own_hand - placed,
            });
        }
        sectors
    }

    /// Returns all sectors of the moving phase to which takes lead from `sector`, which is one too.
    pub(super) fn smaller(&self, sector: Sector) -> HashSet<Sector> {
        let (mut found, mut open) = (HashSet::new(), vec![sector]);
        while let Some(now) = open.pop() {
            let after = self.sectors_after(now, TurnKind::Slide);
            open.extend(after.into_iter().filter(|&next| found.insert(next)));
        }
        found.retain(|found| found.own + found.theirs < sector.own + sector.theirs);
        found
    }

    /// Returns the value for the opponent after the best `count` takes from the board. `done` of them have
    /// been made already.
    fn after_takes(
        &self,
        sector: Sector,
        after: &[(Sector, &[u8])],
        own: u32,
        theirs: u32,
        done: u32,
        count: u32,
    ) -> u8 {
        let men = theirs.count_ones() + u32::from(sector.their_hand);
        if men < self.compiled.least {
            return TbValue::LOST.0;
        }
        if done == count {
            let (sector, values) = &after[done as usize];
            return values[sector.slot(theirs, own) as usize];
        }
        let theirs = Bitboard(theirs);
        (self.compiled.unprotected(theirs).into_iter())
            .map(|point| self.after_takes(sector, after, own, theirs.without(point).0, done + 1, count))
            .min()
            .unwrap_or(u8::MAX)
    }

    /// Returns the value for the opponent after a turn of `turns` from `sector` that closed `mills` mills.
    fn after_mills(&self, sector: Sector, turns: &Successors<'_>, own: u32, theirs: u32, mills: u32) -> u8 {
        if turns.kind == TurnKind::Place && self.takes_from_hand && sector.their_hand > 0 {
            let (sector, values) = &turns.after[1];
            return values[sector.slot(theirs, own) as usize];
        }
        self.after_takes(sector, &turns.after, own, theirs, 0, mills)
    }

    /// Returns the men of `theirs` that a man takes when it comes between them to `point`.
    fn between(&self, point: Square, theirs: Bitboard) -> Bitboard {
        let mut lines = self.compiled.intervention.as_middle[point.row()].iter();
        let ends = lines.find(|ends| theirs.covers(**ends));
        ends.map_or(Bitboard::EMPTY, |&ends| ends & self.compiled.unprotected(theirs))
    }

    /// Returns the points of `empty` at which a man comes between men of `theirs` and takes some.
    fn intervening(&self, theirs: Bitboard, empty: Bitboard) -> Bitboard {
        let takes = |point: &Square| !self.between(*point, theirs).is_empty();
        if self.intervenes { empty.into_iter().filter(takes).collect() } else { Bitboard::EMPTY }
    }

    /// Returns the value for the opponent after a turn of `turns` from `sector` that brought a man between
    /// men of `theirs`, to `point`.
    fn after_intervention(
        &self,
        sector: Sector,
        turns: &Successors<'_>,
        own: u32,
        theirs: u32,
        point: Square,
    ) -> u8 {
        let taken = self.between(point, Bitboard(theirs));
        let left = Bitboard(theirs) - taken;
        if left.count() + u32::from(sector.their_hand) < self.compiled.least {
            return TbValue::LOST.0;
        }
        let (sector, values) = &turns.after[taken.count() as usize];
        values[sector.slot(left.0, own) as usize]
    }

    /// Returns the value of the best turn of a position. The functions receive the number of the kind of turn
    /// and the mover's men after it and return the value for the opponent: `quiet` after a turn that takes
    /// nothing, `taken` after one that closed the given number of mills, with the ban that follows,
    /// `intervened` after one that brought a man between two of the opponent, to the given point.
    #[inline(always)]
    fn best_turn(
        &self,
        sector: Sector,
        own: u32,
        theirs: u32,
        quiet: impl Fn(usize, u32) -> u8,
        mut taken: impl FnMut(usize, u32, u32, Option<BannedSlide>) -> u8,
        intervened: impl Fn(usize, u32, Square) -> u8,
    ) -> TbValue {
        let (own, empty) = (Bitboard(own), !Bitboard(own | theirs));
        let between = self.intervening(Bitboard(theirs), empty);
        // Larger than any value: no turn found.
        let mut worst = 256;
        let flies = sector.own_hand == 0 && u32::from(sector.own) <= self.compiled.fly_at;
        for (kind, turn) in self.kinds(sector).enumerate() {
            let places = turn == TurnKind::Place;
            let completing = match self.settles && places {
                true => Bitboard::EMPTY,
                false => Pair::both(own).closers(empty, self.compiled.spokes).all.first(),
            };
            // A placing has no origin; a point outside the board stands for it.
            for from in if places { Bitboard(1 << 24) } else { own } {
                let rest = own.without(from);
                let reach = if places || flies { empty } else { self.compiled.adjacent[from.row()] & empty };
                for to in reach & between {
                    worst = worst.min(u16::from(intervened(kind, rest.with(to).0, to)));
                }
                for to in reach - (completing | between) {
                    worst = worst.min(u16::from(quiet(kind, rest.with(to).0)));
                }
                for to in reach & (completing - between) {
                    let after = rest.with(to).0;
                    // The man that moves may come from the line itself.
                    let value = match self.compiled.lines_closed(rest, to) {
                        0 => quiet(kind, after),
                        mills => {
                            let ban = self.bans_returns && !places && self.compiled.closes_mill(rest, from);
                            let ban = ban.then_some(BannedSlide { from: to, to: from });
                            taken(kind, after, mills.min(self.compiled.max_takes), ban)
                        }
                    };
                    worst = worst.min(u16::from(value));
                }
            }
        }
        match u8::try_from(worst) {
            Ok(worst) => one_ply_earlier(TbValue(worst)),
            Err(_) => self.blocked,
        }
    }
}

impl SectorTurns<'_> {
    /// Returns the value for the opponent after a mill with a ban; `None` without one.
    #[inline(always)]
    fn after_ban(&self, own: u32, theirs: u32, ban: Option<BannedSlide>) -> Option<u8> {
        let bans = [Some(ban?), None];
        Some(self.bans.as_ref()?.after_mill(Bitboard(own), Bitboard(theirs), bans).0)
    }

    /// Compares every position of the sector with its best turn. Returns the first mismatch found.
    pub(super) fn check(&self, rules: &EngineRules, threads: usize) -> Option<Mismatch> {
        let sector = self.sector;
        let index = Index::get();
        let fixed_sets = &index.classes(sector.theirs as usize).representatives;
        // For each kind of turn the ranks of the sets after it, and the length of the rows of a quiet one.
        let ranks = self.turns.iter().map(|turns| index.ranker(usize::from(turns.after[0].0.theirs)));
        let ranks: Vec<Ranker<'_>> = ranks.collect();
        let lengths: Vec<usize> = self.turns.iter().map(|turns| turns.after[0].0.row_length()).collect();
        let before: Vec<u32> = subsets(24 - u32::from(sector.theirs), u32::from(sector.own)).collect();
        // The best take is computed once for each set of the mover after its turn. Expected values are stored
        // before they are compared, so that the reads, which miss the cache, can be prefetched.
        let memories = || lengths.iter().map(|&length| vec![UNKNOWN; length]).collect::<Vec<_>>();
        let scratch = || (None, memories(), vec![TbValue::DRAW; before.len()]);
        let items = fixed_sets.iter().enumerate();
        let found = share(threads, batches(items, fixed_sets.len()), scratch, |scratch, batch| {
            let (wrong, memories, expected) = scratch;
            for (number, &theirs) in batch {
                let free = (!Bitboard(theirs)).0;
                memories.iter_mut().for_each(|memory| memory.fill(UNKNOWN));
                let quiet: [&[u8]; 2] = std::array::from_fn(|kind| match self.turns.get(kind) {
                    Some(turns) => &turns.after[0].1[number * lengths[kind]..(number + 1) * lengths[kind]],
                    None => &[],
                });
                for (&squeezed, expected) in before.iter().zip(expected.iter_mut()) {
                    let best = rules.best_turn(
                        sector,
                        spread(squeezed, free),
                        theirs,
                        |kind, after| quiet[kind][ranks[kind].rank(squeeze(after, free))],
                        |kind, after, mills, ban| {
                            if let Some(after_ban) = self.after_ban(after, theirs, ban) {
                                return after_ban;
                            }
                            let turns = &self.turns[kind];
                            if mills > 1 {
                                return rules.after_mills(sector, turns, after, theirs, mills);
                            }
                            let known = &mut memories[kind][ranks[kind].rank(squeeze(after, free))];
                            if *known == UNKNOWN {
                                *known = rules.after_mills(sector, turns, after, theirs, 1).into();
                            }
                            *known as u8
                        },
                        |kind, after, to| {
                            rules.after_intervention(sector, &self.turns[kind], after, theirs, to)
                        },
                    );
                    *expected = self.kind.simplify(best);
                }
                for (sets, expected) in before.chunks(PREFETCHED).zip(expected.chunks(PREFETCHED)) {
                    let mut places = [0; PREFETCHED];
                    for (&squeezed, place) in sets.iter().zip(&mut places) {
                        *place = sector.slot(spread(squeezed, free), theirs) as usize;
                        prefetch(&self.own[*place]);
                    }
                    for ((&squeezed, place), &expected) in sets.iter().zip(places).zip(expected) {
                        let found = TbValue(self.own[place]);
                        if found != expected {
                            let own = spread(squeezed, free);
                            wrong.get_or_insert(Mismatch { own, theirs, found, expected });
                        }
                    }
                }
            }
        });
        found.into_iter().find_map(|(wrong, ..)| wrong).or_else(|| self.check_duplicates(threads))
    }

    /// Compares the slots that hold the same position. Returns the first mismatch found.
    fn check_duplicates(&self, threads: usize) -> Option<Mismatch> {
        let sector = self.sector;
        let rank = Index::get().ranker(sector.theirs as usize);
        let rows = Index::get().classes(sector.own as usize).representatives.iter();
        let rows = rows.zip(self.own.chunks_exact(sector.row_length()));
        let found = share(
            threads,
            rows,
            || None,
            |wrong, (&own, values)| {
                let keepers = keepers(own);
                if keepers.len() == 1 {
                    return;
                }
                let free = (!Bitboard(own)).0;
                let sets = subsets(24 - u32::from(sector.own), u32::from(sector.theirs));
                for (&value, squeezed) in values.iter().zip(sets) {
                    let theirs = spread(squeezed, free);
                    for &g in &keepers {
                        let image = Bitboard(theirs).transform(g).0;
                        let (found, expected) =
                            (TbValue(value), TbValue(values[rank.rank(squeeze(image, free))]));
                        if found != expected {
                            wrong.get_or_insert(Mismatch { own, theirs, found, expected });
                        }
                    }
                }
            },
        );
        found.into_iter().flatten().next()
    }

    /// Compares about `count` positions, spread evenly over the slots. Returns how many were compared and the
    /// first mismatch.
    pub(super) fn check_sample(&self, rules: &EngineRules, count: u64) -> (u64, Option<Mismatch>) {
        let sector = self.sector;
        let mut checked = 0;
        for slot in sample(sector.slots(), count) {
            let (own, theirs) = sector.position(slot);
            let quiet = |kind: usize, after| {
                let (sector, values) = self.turns[kind].after[0];
                values[sector.slot(theirs, after) as usize]
            };
            let taken = |kind: usize, after, mills, ban| {
                let after_ban = self.after_ban(after, theirs, ban);
                after_ban
                    .unwrap_or_else(|| rules.after_mills(sector, &self.turns[kind], after, theirs, mills))
            };
            let intervened = |kind: usize, after, to| {
                rules.after_intervention(sector, &self.turns[kind], after, theirs, to)
            };
            let expected = rules.best_turn(sector, own, theirs, quiet, taken, intervened);
            let (found, expected) = (TbValue(self.own[slot as usize]), self.kind.simplify(expected));
            checked += 1;
            if found != expected {
                return (checked, Some(Mismatch { own, theirs, found, expected }));
            }
        }
        (checked, None)
    }
}

/// Returns about `count` of the slots: one from each of `count` stretches of equal length, chosen
/// pseudo-randomly but always the same. A fixed step would hit the same few ranks in every row if it shared a
/// factor with the length of the rows.
fn sample(slots: u64, count: u64) -> impl Iterator<Item = u64> {
    let stretch = (slots / count.max(1)).max(1);
    (0..slots).step_by(stretch as usize).map(move |first| {
        let length = stretch.min(slots - first);
        first + mix(first) % length
    })
}

/// The number of values that are prefetched before the first of them is read.
const PREFETCHED: usize = 256;

/// Marks a set whose best take is not computed yet.
const UNKNOWN: u16 = u16::MAX;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tablebase::format::board::to_engine;
    use crate::types::Square;
    use std::collections::HashSet;

    #[test]
    fn the_engines_neighbours_and_lines_hold_for_the_numbers_of_the_files() {
        for diagonals in [false, true] {
            let rules = CompiledRules::new(&Rules { has_diagonal_lines: diagonals, ..Rules::NINE });
            let turned = |set: Bitboard| Bitboard(to_engine(set.0));
            for point in Square::all() {
                let there = turned(point.into()).first().expect("one point");
                assert_eq!(turned(rules.adjacent[point.row()]), rules.adjacent[there.row()]);
                let known = |set: &Bitboard| *set != Bitboard::IMPOSSIBLE;
                let lines = |point: Square| rules.partners[point.row()].into_iter().filter(known);
                let mut found: Vec<Bitboard> = lines(point).map(turned).collect();
                let mut expected: Vec<Bitboard> = lines(there).collect();
                found.sort();
                expected.sort();
                assert_eq!(found, expected);
            }
        }
    }

    #[test]
    fn a_sample_meets_the_ranks_of_a_row_evenly_whatever_its_size() {
        let sector = Sector::moving(4, 3);
        let (slots, row) = (sector.slots(), sector.row_length() as u64);
        // As many as there are rows: a fixed step would be the length of a row.
        for count in [sector.rows() as u64, 2 * sector.rows() as u64, 1_000] {
            let found: Vec<u64> = sample(slots, count).collect();
            assert!(found.is_sorted_by(|a, b| a < b) && found.last().is_some_and(|&last| last < slots));
            assert!((count..=count + count / 50 + 1).contains(&(found.len() as u64)), "{count}");
            let ranks: HashSet<u64> = found.iter().map(|slot| slot % row).collect();
            assert!(ranks.len() > found.len().min(row as usize) / 2, "{count}: {} ranks", ranks.len());
        }
        assert_eq!(sample(10, 100).collect::<Vec<_>>(), (0..10).collect::<Vec<_>>());
    }
}
