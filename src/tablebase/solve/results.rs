//! Solves sectors with men in hand for their results alone, without distances: a row at a time, with a bit
//! for each position. In these sectors a mill takes one man at most, and nearly all positions are decided
//! after a few turns.
//!
//! Without distances the order of the discoveries does not matter. All turns of a row are undone together by
//! shifts, as `bits.rs` does, and no position has a counter. Once few positions of a row change, or few are
//! undecided, these are looked at one by one. `pair.rs` is faster in the moving phase, where wins are long
//! and sides fly.

use super::bits::{
    MillOutcomes, Outcomes, Undo, bits_of, has_bit, note, outcomes_of, set_bit, valid, words_for,
};
use super::finished::FinishedSector;
use super::halves::begin_pair;
use super::row::{Row, SlotProgress, Target, entries_of};
use super::takes::MillValues;
use crate::platform::parallel::{batches, share, shared};
use crate::tablebase::format::board::{count_slides, members, set_bits, spread};
use crate::tablebase::format::game::{SolvedGame, TurnKind};
use crate::tablebase::format::index::{Index, Ranker, Sector, subsets};
use crate::tablebase::format::value::TbValue;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The work of looking at single positions, as multiples of the work of undoing the slides to one point in
/// one block. It decides how a row is solved, and so the time, but not the results.
#[derive(Clone, Copy)]
struct RowWork {
    /// For the positions before a changed one.
    change: usize,
    /// For all slides of an undecided position.
    undecided: usize,
}

/// The work as profiles show it.
const USUAL: RowWork = RowWork { change: 16, undecided: 4 };

/// The turns of one kind from a sector into finished sectors, for results alone. Those that close no mill may
/// stay in the pair.
pub(super) struct FinishedTurns<'a> {
    undo: Undo,
    /// The number of positions in a row after a turn.
    entries_after: usize,
    /// The values after turns that close no mill, unless these stay in the pair.
    quiet: Option<&'a [u8]>,
    mills: MillValues<'a>,
}

impl<'a> FinishedTurns<'a> {
    /// Returns the turns of `sector`. `quiet` is the sector after a turn that takes nothing, unless that one
    /// is solved together with `sector`; `taken` holds those after one take, two and so on, without those
    /// that end the game.
    pub(super) fn new(
        game: &SolvedGame,
        sector: Sector,
        kind: TurnKind,
        quiet: Option<FinishedSector<'a>>,
        taken: &[FinishedSector<'a>],
    ) -> Self {
        debug_assert!(game.most_by_mills() == 1 || game.settles);
        let points = 24 - u32::from(sector.theirs);
        Self {
            undo: Undo::new(kind, points, sector.own.into()),
            entries_after: subsets(points, u32::from(sector.own + kind.placed())).count(),
            quiet: quiet.map(|finished| finished.values),
            mills: MillValues::new(game, sector, kind, quiet, taken),
        }
    }

    fn scratch(&self) -> TurnScratch {
        let words = vec![0; words_for(self.entries_after)];
        TurnScratch {
            won: words.clone(),
            held: words,
            quiet: self.undo.room(),
            taken: self.undo.room(),
            arrivals: self.undo.room(),
        }
    }

    /// Adds the outcomes of the turns from row `number`, of the set `fixed`, to those of its positions.
    fn undo(&self, number: usize, fixed: u32, row: &Row, scratch: &mut TurnScratch, before: &mut [Outcomes]) {
        let TurnScratch { won, held, quiet, taken, arrivals } = scratch;
        let mut read = |values: &[u8], outcomes: &mut [Outcomes]| {
            outcomes_of(&values[number * self.entries_after..][..self.entries_after], won, held);
            self.undo.after.expand(won, held, outcomes);
        };
        let quiet = self.quiet.map(|values| {
            read(values, quiet);
            &**quiet
        });
        let mills = match &self.mills {
            MillValues::Quiet => MillOutcomes::Quiet,
            MillValues::Hand(values) => {
                read(values, taken);
                MillOutcomes::After(taken)
            }
            MillValues::Board(lookup) => {
                let takes = lookup.row(fixed);
                for point in members(row.intervening) {
                    let intervention = takes.intervention(row, point);
                    self.undo.after.clear(taken);
                    self.undo.after.with_any(&[1 << point], |squeezed| {
                        note(taken, squeezed, TbValue(intervention.value(spread(squeezed, row.free))));
                    });
                    self.undo.add_interventions(row, point, taken, arrivals, before);
                }
                self.undo.after.clear(taken);
                self.undo.after.with_any(row.lines(), |squeezed| {
                    note(taken, squeezed, TbValue(takes.one(spread(squeezed, row.free))));
                });
                MillOutcomes::After(taken)
            }
        };
        self.undo.add(row, quiet, mills, arrivals, before);
    }
}

/// Room to undo turns.
struct TurnScratch {
    /// The outcomes of the positions after the turns, in the order of the entries.
    won: Vec<u64>,
    held: Vec<u64>,
    /// The same by sets.
    quiet: Vec<Outcomes>,
    taken: Vec<Outcomes>,
    arrivals: Vec<Outcomes>,
}

/// Solves `sector`, whose turns are `turns`, for results; `progress` gets the number of solved slots.
pub(super) fn solve_single(
    game: &SolvedGame,
    sector: Sector,
    turns: &[FinishedTurns<'_>],
    threads: usize,
    progress: SlotProgress<'_>,
) -> Vec<u8> {
    let fixed_sets = Index::get().representatives(sector.theirs as usize);
    let entries = entries_of(sector);
    let rows = AtomicU64::new(0);
    let mut values = vec![TbValue::DRAW.0; sector.slots() as usize];
    let target = Target::new(sector, shared(&mut values));
    let scratch = || {
        let words = vec![0; words_for(entries.len())];
        let before = turns.first().map_or_else(Vec::new, |turns| turns.undo.room());
        (turns.iter().map(FinishedTurns::scratch).collect::<Vec<_>>(), before, words.clone(), words)
    };
    let items = fixed_sets.iter().enumerate();
    share(threads, batches(items, fixed_sets.len()), scratch, |(scratch, before, won, held), batch| {
        for (number, &fixed) in batch {
            let row = Row::new(game, fixed, game.flies(sector));
            won.fill(0);
            held.fill(0);
            if let Some(first) = turns.first() {
                first.undo.before.clear(before);
                for (turns, scratch) in turns.iter().zip(&mut *scratch) {
                    turns.undo(number, fixed, &row, scratch, before);
                }
                first.undo.before.pack(before, won, held);
            }
            draw_blocked(game, sector, &entries, &row, held);
            let lost = &mut *held;
            for (word, lost) in lost.iter_mut().enumerate() {
                *lost = valid(word, entries.len()) & !*lost;
            }
            put_results(&target, &row, &entries, won, lost, |_| ());
            let done = rows.fetch_add(1, Relaxed) + 1;
            progress(done * sector.slots() / fixed_sets.len() as u64);
        }
    });
    values
}

/// Marks positions without a turn as held, if they are drawn under the rules.
fn draw_blocked(game: &SolvedGame, sector: Sector, entries: &[u32], row: &Row, held: &mut [u64]) {
    if !game.blocked_draws || !game.can_be_blocked(sector) {
        return;
    }
    for (entries, held) in entries.chunks(64).zip(held) {
        for (bit, &squeezed) in entries.iter().enumerate() {
            let set = spread(squeezed, row.free);
            let is_blocked = count_slides(set, row.free & !set, game.diagonals) == 0;
            *held |= u64::from(is_blocked) << bit;
        }
    }
}

/// One of the two sectors of a pair while it is being solved. The bits belong to the entries of each row.
struct BitHalf {
    sector: Sector,
    /// All sets of the mover, squeezed, in the order of the entries of a row.
    entries: Vec<u32>,
    /// The words of a row.
    words: usize,
    /// The slides that close no mill.
    slides: Undo,
    /// Positions won or lost. At first only the wins by placings and takes.
    decided: Vec<u64>,
    /// Positions that a placing or a take holds, and blocked ones that the rules call drawn.
    safe: Vec<u64>,
    /// The outcomes of slides that close no mill, as far as the other sector had them at the last look.
    won_after: Vec<u64>,
    held_after: Vec<u64>,
    /// The result: for each slot (class of the mover's set) the value.
    values: Vec<u8>,
    /// For each row of `values` whether it has changed since the last look.
    changed: Vec<u8>,
}

/// Solves `sector` and its mirror for results, or `sector` alone if they are the same.
///
/// `load` gives the values of a finished sector. Results do not depend on the number of threads.
///
/// # Errors
/// If `load` fails.
pub(super) fn solve_pair<E>(
    game: &SolvedGame,
    sector: Sector,
    threads: usize,
    load: &mut dyn FnMut(Sector) -> Result<Vec<u8>, E>,
    progress: SlotProgress<'_>,
) -> Result<Vec<(Sector, Vec<u8>)>, E> {
    solve_pair_by(USUAL, game, sector, threads, load, progress)
}

/// As [`solve_pair`], with the ways to solve a row chosen by `work`.
fn solve_pair_by<E>(
    work: RowWork,
    game: &SolvedGame,
    sector: Sector,
    threads: usize,
    load: &mut dyn FnMut(Sector) -> Result<Vec<u8>, E>,
    progress: SlotProgress<'_>,
) -> Result<Vec<(Sector, Vec<u8>)>, E> {
    let mut halves = begin_pair(game, sector, load, BitHalf::new, |half, kind, finished| {
        let (quiet, taken) = finished.split_at(kind.placed().into());
        let turns = FinishedTurns::new(game, half.sector, kind, quiet.first().copied(), taken);
        half.add_finished(game, &turns, threads);
        Ok(())
    })?;
    let slots: u64 = halves.iter().map(|half| half.values.len() as u64).sum();
    let (mut decided, last) = (0, halves.len() - 1);
    let mut changes = Changes::new(&halves);
    for round in 0.. {
        let mut found = 0;
        for this in 0..halves.len() {
            let other = last - this;
            // Taken out, because the two sectors may be the same.
            let mut won = std::mem::take(&mut halves[this].won_after);
            let mut held = std::mem::take(&mut halves[this].held_after);
            changes.gather(&halves[other], &mut won, &mut held, threads);
            halves[other].changed.fill(0);
            (halves[this].won_after, halves[this].held_after) = (won, held);
            found += halves[this].step(game, round == 0, work, &changes, threads);
        }
        decided += found;
        progress(decided.min(slots - 1));
        if found == 0 {
            break;
        }
    }
    Ok(halves.into_iter().map(|half| (half.sector, half.values)).collect())
}

impl BitHalf {
    fn new(sector: Sector) -> Self {
        let entries = entries_of(sector);
        let sets = Index::get().representatives(sector.theirs as usize);
        let words = words_for(entries.len());
        let mut half = Self {
            sector,
            words,
            slides: Undo::new(TurnKind::Slide, 24 - u32::from(sector.theirs), sector.own.into()),
            decided: vec![0; sets.len() * words],
            safe: vec![0; sets.len() * words],
            won_after: vec![0; sets.len() * words],
            held_after: vec![0; sets.len() * words],
            values: vec![TbValue::DRAW.0; sector.slots() as usize],
            changed: vec![0; sector.rows()],
            entries,
        };
        for held in half.held_after.chunks_exact_mut(words) {
            for (word, held) in held.iter_mut().enumerate() {
                *held = valid(word, half.entries.len());
            }
        }
        half
    }

    /// Adds the outcomes of turns into finished sectors.
    fn add_finished(&mut self, game: &SolvedGame, turns: &FinishedTurns<'_>, threads: usize) {
        let fixed_sets = Index::get().representatives(self.sector.theirs as usize);
        let flies = game.flies(self.sector);
        let items = self.decided.chunks_exact_mut(self.words).zip(self.safe.chunks_exact_mut(self.words));
        let items = fixed_sets.iter().zip(items).enumerate();
        let scratch = || (turns.scratch(), turns.undo.room());
        share(threads, batches(items, fixed_sets.len()), scratch, |(scratch, before), batch| {
            for (number, (&fixed, (won, held))) in batch {
                let row = Row::new(game, fixed, flies);
                turns.undo.before.clear(before);
                turns.undo(number, fixed, &row, scratch, before);
                turns.undo.before.pack(before, won, held);
                draw_blocked(game, self.sector, &self.entries, &row, held);
            }
        });
    }

    /// Decides the positions that `changes` decide, and at the `first` step those that placings and takes
    /// decide. Returns their number.
    fn step(
        &mut self,
        game: &SolvedGame,
        first: bool,
        work: RowWork,
        changes: &Changes,
        threads: usize,
    ) -> u64 {
        let fixed_sets = Index::get().representatives(self.sector.theirs as usize);
        let (words, entries, flies) = (self.words, &self.entries, game.flies(self.sector));
        let slides = &self.slides;
        let rank = Index::get().ranker(self.sector.own as usize);
        let target = Target::new(self.sector, shared(&mut self.values));
        let changed = shared(&mut self.changed);
        let items = (fixed_sets.iter().zip(&changes.rows))
            .zip(self.decided.chunks_exact_mut(words).zip(self.safe.chunks_exact(words)))
            .zip(self.won_after.chunks_exact(words).zip(self.held_after.chunks_exact(words)))
            .zip(changes.won.chunks_exact(words).zip(changes.no_longer_held.chunks_exact(words)));
        let scratch = || StepScratch {
            after: slides.room(),
            arrivals: slides.room(),
            before: slides.room(),
            won: vec![0; words],
            held: vec![0; words],
            found: 0,
        };
        let scratches = share(threads, batches(items, fixed_sets.len()), scratch, |scratch, batch| {
            for (
                (((&fixed, &count), (decided, safe)), (won_after, held_after)),
                (newly_won, no_longer_held),
            ) in batch
            {
                if count == 0 && !first {
                    continue;
                }
                let row = Row::new(game, fixed, flies);
                let StepScratch { after, arrivals, before, won, held, found } = scratch;
                let undecided: u32 = decided.iter().map(|word| word.count_zeros()).sum();
                let by_changes = if first { usize::MAX } else { work.change.saturating_mul(count as usize) };
                let by_undecided = work.undecided.saturating_mul(undecided as usize);
                won.fill(0);
                if slides.work() < by_changes.min(by_undecided) {
                    held.fill(0);
                    slides.after.expand(won_after, held_after, after);
                    slides.before.clear(before);
                    slides.add(&row, Some(after), MillOutcomes::Omitted, arrivals, before);
                    slides.before.pack(before, won, held);
                } else {
                    held.fill(u64::MAX);
                    let mut look =
                        OneByOne { row: &row, rank, won_after, held_after, decided, safe, won, held };
                    if by_undecided < by_changes {
                        for (word, &decided) in decided.iter().enumerate() {
                            let undecided = valid(word, entries.len()) & !decided;
                            set_bits(undecided).for_each(|bit| look.mark(word * 64 + bit, entries));
                        }
                    } else {
                        bits_of(newly_won).for_each(|entry| look.mark_won(entries[entry]));
                        bits_of(no_longer_held).for_each(|entry| look.mark_lost(entries[entry]));
                    }
                }
                let lost = &mut *held;
                for (word, decided) in decided.iter_mut().enumerate() {
                    let earlier = if first { *decided } else { 0 };
                    won[word] = won[word] & !*decided | earlier;
                    lost[word] =
                        valid(word, entries.len()) & !(*decided | won[word] | lost[word] | safe[word]);
                    *decided |= won[word] | lost[word];
                    *found += u64::from((won[word] | lost[word]).count_ones());
                }
                put_results(&target, &row, entries, won, lost, |class| changed[class].store(1, Relaxed));
            }
        });
        scratches.iter().map(|scratch| scratch.found).sum()
    }
}

/// Stores the results of a row. `see` gets the class of each set.
fn put_results(
    target: &Target<'_>,
    row: &Row,
    entries: &[u32],
    won: &[u64],
    lost: &[u64],
    mut see: impl FnMut(usize),
) {
    for (decided, value) in [(won, TbValue::WIN_NOW), (lost, TbValue::LOST)] {
        let sets = bits_of(decided).map(|entry| spread(entries[entry], row.free));
        target.put_all(row, sets, value.0, &mut see);
    }
}

/// Room for a step.
struct StepScratch {
    /// The outcomes of slides by sets.
    after: Vec<Outcomes>,
    arrivals: Vec<Outcomes>,
    before: Vec<Outcomes>,
    /// Entries that slides win.
    won: Vec<u64>,
    /// Entries that slides hold, or may hold.
    held: Vec<u64>,
    /// The number of decided positions.
    found: u64,
}

/// Looks at single positions of a row.
struct OneByOne<'a> {
    row: &'a Row,
    rank: Ranker<'a>,
    /// Entries that are won once a slide has led there, and those that are held.
    won_after: &'a [u64],
    held_after: &'a [u64],
    decided: &'a [u64],
    safe: &'a [u64],
    won: &'a mut [u64],
    held: &'a mut [u64],
}

impl OneByOne<'_> {
    /// Marks a position if a slide wins, or if no slide holds it.
    fn mark(&mut self, entry: usize, entries: &[u32]) {
        let mut is_held = false;
        for after in sets_after(self.row, entries[entry]) {
            let after = self.rank.rank(after);
            if has_bit(self.won_after, after) {
                set_bit(self.won, entry);
                return;
            }
            is_held |= has_bit(self.held_after, after);
        }
        if !is_held {
            self.held[entry / 64] &= !(1 << (entry % 64));
        }
    }

    /// Marks the positions from which a slide leads to the set `after`, where it wins.
    fn mark_won(&mut self, after: u32) {
        for before in sets_before(self.row, after) {
            set_bit(self.won, self.rank.rank(before));
        }
    }

    /// Marks those positions from which a slide leads to the set `after`, where it loses, and which no other
    /// slide holds.
    fn mark_lost(&mut self, after: u32) {
        for before in sets_before(self.row, after) {
            let entry = self.rank.rank(before);
            let is_known =
                has_bit(self.decided, entry) || has_bit(self.safe, entry) || !has_bit(self.held, entry);
            if !is_known
                && !sets_after(self.row, before).any(|after| has_bit(self.held_after, self.rank.rank(after)))
            {
                self.held[entry / 64] &= !(1 << (entry % 64));
            }
        }
    }
}

/// Returns the sets after all slides of `before` that close no mill.
fn sets_after(row: &Row, before: u32) -> impl Iterator<Item = u32> {
    members(before).flat_map(move |origin| {
        let rest = before & !(1 << origin);
        let targets = members(row.targets[(origin & 31) as usize] & !before);
        let quiet = targets.filter(move |&target| row.mills_at(rest | 1 << target, target) == 0);
        quiet.map(move |target| rest | 1 << target)
    })
}

/// Returns the sets from which a slide that closes no mill leads to `after`.
fn sets_before(row: &Row, after: u32) -> impl Iterator<Item = u32> {
    members(after & !row.milled(after)).flat_map(move |moved| {
        let rest = after & !(1 << moved);
        members(row.targets[(moved & 31) as usize] & !after).map(move |origin| rest | 1 << origin)
    })
}

/// The changes in a sector since the last look: bits for the entries of each row of the other one.
struct Changes {
    /// Positions in which the side that has moved there wins now.
    won: Vec<u64>,
    /// Positions in which it no longer holds a draw.
    no_longer_held: Vec<u64>,
    /// The number of them in each row. If it is zero, the bits are out of date.
    rows: Vec<u32>,
}

impl Changes {
    /// Allocates room for the changes in each of the sectors.
    fn new(halves: &[BitHalf]) -> Self {
        let words = halves.iter().map(|half| half.won_after.len()).max().unwrap_or(0);
        let rows = halves.iter().map(|half| half.changed.len()).max().unwrap_or(0);
        Self { won: vec![0; words], no_longer_held: vec![0; words], rows: vec![0; rows] }
    }

    /// Finds the changes in the values of `half`, and brings `won` and `held` up to date.
    fn gather(&mut self, half: &BitHalf, won: &mut [u64], held: &mut [u64], threads: usize) {
        let length = half.sector.row_length();
        let words = words_for(length);
        let items = (half.values.chunks_exact(length).zip(&half.changed))
            .zip(won.chunks_exact_mut(words).zip(held.chunks_exact_mut(words)))
            .zip(self.won.chunks_exact_mut(words).zip(self.no_longer_held.chunks_exact_mut(words)))
            .zip(&mut self.rows);
        let scratch = || (vec![0; words], vec![0; words]);
        share(threads, batches(items, half.changed.len()), scratch, |(won_now, held_now), batch| {
            for ((((values, &changed), (won, held)), (newly_won, no_longer_held)), count) in batch {
                *count = 0;
                if changed == 0 {
                    continue;
                }
                outcomes_of(values, won_now, held_now);
                for word in 0..words {
                    newly_won[word] = won_now[word] & !won[word];
                    no_longer_held[word] = held[word] & !held_now[word];
                    *count += (newly_won[word] | no_longer_held[word]).count_ones();
                }
                won.copy_from_slice(won_now);
                held.copy_from_slice(held_now);
            }
        });
    }
}

// Nothing is solved in a browser, and there the test takes half a minute.
#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use crate::rules::Rules;
    use crate::tablebase::format::error::TooLong;
    use crate::tablebase::format::header::TbKind;
    use crate::tablebase::solve::pair;

    /// Values that look like chance, the same in all slots of a position; mostly draws.
    fn any_values(sector: Sector) -> Result<Vec<u8>, TooLong> {
        let value = |slot: u64| match (sector.canonical(slot) + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 60 {
            0 => TbValue::LOST.0,
            1..4 => TbValue::WIN_NOW.0,
            _ => TbValue::DRAW.0,
        };
        Ok((0..sector.slots()).map(value).collect())
    }

    #[test]
    fn results_by_bits_and_one_by_one_are_those_of_the_distances() {
        let hands = |own, theirs, own_hand, their_hand| Sector { own, theirs, own_hand, their_hand };
        let draws = Rules { stalemate_action: 4, may_fly: false, ..Rules::LASKER };
        for (rules, sector) in [
            (Rules::LASKER, hands(4, 3, 0, 1)),
            (Rules::LASKER, hands(3, 3, 1, 0)),
            (Rules::LASKER, hands(3, 4, 1, 1)),
            (Rules::LASKER, hands(3, 3, 1, 1)),
            (draws, hands(3, 4, 0, 1)),
            (draws, hands(4, 3, 1, 0)),
        ] {
            let game = SolvedGame::new(&rules).expect("supported");
            let exact = pair::solve_pair(&game, sector, TbKind::Distance, 2, &mut any_values, &|_| ())
                .expect("short distances");
            let wdl = |(sector, values): (Sector, Vec<u8>)| {
                (sector, values.into_iter().map(|value| TbValue(value).wdl()).collect::<Vec<_>>())
            };
            let expected: Vec<_> = exact.into_iter().map(wdl).collect();
            let never = usize::MAX;
            for work in [
                USUAL,
                RowWork { change: never, undecided: never },
                RowWork { change: never, undecided: 0 },
                RowWork { change: 0, undecided: never },
            ] {
                let found = solve_pair_by(work, &game, sector, 2, &mut any_values, &|_| ()).expect("values");
                assert!(found.into_iter().map(wdl).eq(expected.iter().cloned()), "{sector}");
            }
        }
    }
}
