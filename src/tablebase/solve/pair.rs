//! Solves a sector and its mirror, the same men with the other side to move, with exact distances. Slides
//! lead from each to the other: in the moving phase, or while placing if men may slide then.
//!
//! Within the row of a fixed opponent's set R every slide of the other side leads from one entry to another
//! entry of the same row, after which the side of R is to move. So a row needs only the values of the
//! positions with R as the mover, which the other sector of the pair stores side by side.
//!
//! Levels are plies: positions are found lost at even levels and won at odd ones. A row is visited when the
//! level before decided a position in it, or when a take leads into it. Undoing the moves that lead to the
//! frontier finds new wins, or counts down the moves that do not lose; the counters need no correction for
//! symmetric positions, since the entries of a row are sets, not classes. A new result is written at once to
//! its own sector, whose values are ordered by the mover's set. So there is one random write for each decided
//! position, and no other.
//!
//! If the rules ban returns, a slide that leaves a mill to close another has a value of its own, unlike other
//! slides that lead to the same set; `bans.rs` finds it.
//!
//! Placings and takes lead to finished sectors. All placings and interventions of a position together count
//! as one move, with the value of the best one.

use super::bans::BannedValues;
use super::bits::words_for;
use super::halves::begin_pair;
use super::row::{Row, SlotProgress, Target, entries_of};
use super::single::{Turns, lower_interventions};
use super::takes::TakeLookup;
use super::unbanned::{Slide, UnbannedValues};
use crate::platform::parallel::{batches, each, share, shared};
use crate::tablebase::format::board::{count_slides, in_mills, members, set_bits, spread};
use crate::tablebase::format::error::TooLong;
use crate::tablebase::format::game::{SolvedGame, TurnKind};
use crate::tablebase::format::header::TbKind;
use crate::tablebase::format::index::{Index, Ranker, Sector};
use crate::tablebase::format::value::TbValue;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// The mark of a row without a decided position.
const NEVER_TOUCHED: u8 = 255;

/// One of the two sectors while it is being solved.
struct Half {
    sector: Sector,
    flies: bool,
    /// All sets of the mover, squeezed, in the order of the entries of a row.
    entries: Vec<u32>,
    /// For each entry of each row (class of the opponent's set): moves not yet proved to lose; 0 once
    /// the position is decided.
    open: Vec<u8>,
    /// For each entry of each row the value of its best placing or intervention, a draw without any; empty if
    /// the mover has no men in hand and the rules know no interventions.
    best_exit: Vec<u8>,
    /// For each row, number of mills closed at once and entry: the value after the take, if a man has just
    /// closed so many mills.
    after_takes: Vec<u8>,
    /// For each row the slides that leave a mill to close another and do not draw, if the way back is banned
    /// then.
    shuttles: Vec<Vec<Shuttle>>,
    /// For each row the levels at which a take or a placing, which leave the sector, has its effect, as bits.
    exit_levels: Vec<[u64; 4]>,
    /// The result: for each slot (class of the mover's set) the value.
    values: Vec<u8>,
    /// For each row of `values` the last level that wrote to it, by parity of the level.
    touched: [Vec<u8>; 2],
}

/// Solves `sector` and its mirror, or `sector` alone if they are the same.
///
/// `load` gives the values of a finished sector, of this `kind`. Results do not depend on the number of
/// threads.
///
/// # Errors
/// If `load` fails, or if the distances are too long for a tablebase file.
pub fn solve_pair<E: From<TooLong>>(
    game: &SolvedGame,
    sector: Sector,
    kind: TbKind,
    threads: usize,
    load: &mut dyn FnMut(Sector) -> Result<Vec<u8>, E>,
    progress: SlotProgress<'_>,
) -> Result<Vec<(Sector, Vec<u8>)>, E> {
    let new = |sector| Half::new(game, sector);
    let mut halves = begin_pair(game, sector, load, new, |half, kind, finished| {
        let sector = half.sector;
        if kind == TurnKind::Slide {
            let takes = TakeLookup::new(*game, sector.theirs, sector.their_hand, finished);
            if game.intervention.any() && !half.intervene(game, &takes, threads) {
                return Err(TooLong { sector }.into());
            }
            half.prepare(game, &takes, threads);
        } else if let Some(turns) = Turns::new(game, sector, kind, finished)
            && !half.place(game, &turns, threads)
        {
            return Err(TooLong { sector }.into());
        }
        Ok(())
    })?;
    if game.bans_returns {
        let unbanned = UnbannedValues::new(game, sector, kind, threads, load)?;
        let banned = BannedValues::new(unbanned, sector, threads);
        halves.iter_mut().for_each(|half| half.find_shuttles(game, &banned, threads));
        if banned.is_too_long() {
            return Err(TooLong { sector }.into());
        }
    }
    // Both are 0 if the sector is its own mirror, and the inner loop below then runs once.
    let (first, second) = (0, halves.len() - 1);
    let last_exit = halves.iter().map(Half::last_exit_level).max().unwrap_or(0);
    let mut frontier = Frontier::new(&halves);
    let mut is_changing = halves.iter().any(Half::has_blocked);
    // Positions that stay undecided are drawn and may be most of the sector. So progress also
    // counts levels: there are at least as many as the last one at which a turn leaves the sector.
    let slots = halves.iter().map(|half| half.open.len() as u64).sum::<u64>();
    let report = |decided: u64, level: u32| {
        let by_level = slots * u64::from(level) / u64::from(last_exit + 1);
        progress(decided.max(by_level).min(slots - 1));
    };
    let (mut decided, mut level) = (0, 1);
    report(decided, 0);
    while is_changing || level <= last_exit {
        if level > TbValue::MAX_PLIES {
            return Err(TooLong { sector }.into());
        }
        let mut found = 0;
        for (this, other) in [(first, second), (second, first)].into_iter().take(halves.len()) {
            // The frontier is copied first, because the two sectors may be the same.
            halves[other].gather(level, &mut frontier, threads);
            found += halves[this].step(game, level, &frontier, threads);
        }
        decided += found;
        report(decided, level);
        is_changing = found > 0;
        level += 1;
    }
    Ok(halves.into_iter().map(|half| (half.sector, half.values)).collect())
}

impl Half {
    fn new(game: &SolvedGame, sector: Sector) -> Self {
        let entries = entries_of(sector);
        let rows = Index::get().representatives(sector.theirs as usize).len();
        let most = usize::from(game.most_by_mills());
        let has_exits = game.allows(sector, TurnKind::Place) || game.intervention.any();
        let exits = if has_exits { rows * entries.len() } else { 0 };
        Self {
            sector,
            flies: game.flies(sector),
            open: vec![0; rows * entries.len()],
            best_exit: vec![TbValue::DRAW.0; exits],
            after_takes: vec![TbValue::DRAW.0; rows * entries.len() * most],
            shuttles: vec![Vec::new(); rows],
            exit_levels: vec![[0; 4]; rows],
            values: vec![TbValue::DRAW.0; sector.slots() as usize],
            touched: [vec![NEVER_TOUCHED; sector.rows()], vec![NEVER_TOUCHED; sector.rows()]],
            entries,
        }
    }

    /// Returns true if some side is blocked: it is lost before the first level.
    fn has_blocked(&self) -> bool {
        self.touched[0].contains(&0)
    }

    fn last_exit_level(&self) -> u32 {
        let all = self.exit_levels.iter().fold([0; 4], |mut all: [u64; 4], levels| {
            all.iter_mut().zip(levels).for_each(|(all, levels)| *all |= levels);
            all
        });
        (0..256).rev().find(|&level| all[level / 64] >> (level % 64) & 1 != 0).unwrap_or(0) as u32
    }

    /// Finds the best placing of every position. Returns false if a distance is too long.
    fn place(&mut self, game: &SolvedGame, turns: &Turns<'_>, threads: usize) -> bool {
        self.exit(game, threads, |number, fixed, row, worst| {
            worst.fill(u8::MAX);
            turns.lower(number, fixed, row, worst);
        })
    }

    /// Finds the best intervention of every position of a sector without men in hand of the mover. Returns
    /// false if a distance is too long.
    fn intervene(&mut self, game: &SolvedGame, lookup: &TakeLookup<'_>, threads: usize) -> bool {
        let rank = Index::get().ranker(self.sector.own as usize);
        let entries = entries_of(self.sector);
        self.exit(game, threads, |_, fixed, row, worst| {
            for (&squeezed, worst) in entries.iter().zip(&mut *worst) {
                *worst = if row.can_intervene(squeezed) { u8::MAX } else { TbValue::DRAW.0 };
            }
            lower_interventions::<false>(row, &lookup.row(fixed), &entries, rank, worst);
        })
    }

    /// Finds the best exit of every position. `lower` gets the number and the fixed set of a row, and sets
    /// the values for the opponent after the best exits. Returns false if a distance is too long.
    fn exit(
        &mut self,
        game: &SolvedGame,
        threads: usize,
        lower: impl Fn(usize, u32, &Row, &mut [u8]) + Sync,
    ) -> bool {
        let fixed_sets = Index::get().representatives(self.sector.theirs as usize);
        let (length, flies) = (self.entries.len(), self.flies);
        let too_long = AtomicBool::new(false);
        let items = fixed_sets.iter().enumerate().zip(self.best_exit.chunks_exact_mut(length));
        let items = items.zip(&mut self.exit_levels);
        each(threads, batches(items, fixed_sets.len()), |batch| {
            for (((number, &fixed), values), levels) in batch {
                lower(number, fixed, &Row::new(game, fixed, flies), values);
                for value in values {
                    if TbValue(*value).is_too_long_before() {
                        too_long.store(true, Relaxed);
                    }
                    let before = TbValue(*value).before();
                    note_level(levels, before);
                    *value = before.0;
                }
            }
        });
        !too_long.into_inner()
    }

    /// Counts the moves of every position, finds the values of its takes, and finds the blocked sides.
    fn prepare(&mut self, game: &SolvedGame, lookup: &TakeLookup<'_>, threads: usize) {
        let fixed_sets = Index::get().representatives(self.sector.theirs as usize);
        let length = self.entries.len();
        let most = usize::from(game.most_by_mills());
        let target = Target::new(self.sector, shared(&mut self.values));
        let touched = shared(&mut self.touched[0]);
        let (entries, flies, own) = (&self.entries, self.flies, u32::from(self.sector.own));
        let places = game.allows(self.sector, TurnKind::Place);
        let items = fixed_sets
            .iter()
            .zip(self.open.chunks_exact_mut(length))
            .zip(self.after_takes.chunks_exact_mut(length * most))
            .zip(&mut self.exit_levels);
        each(threads, batches(items, fixed_sets.len()), |batch| {
            for (((&fixed, open), values), levels) in batch {
                let row = Row::new(game, fixed, flies);
                let takes = lookup.row(fixed);
                let intervening = spread(row.intervening, row.free);
                for (entry, &squeezed) in entries.iter().enumerate() {
                    let set = spread(squeezed, row.free);
                    let empty = row.free & !(set | intervening);
                    let slides = if flies {
                        own * empty.count_ones()
                    } else {
                        count_slides(set, empty, game.diagonals)
                    };
                    // All placings and interventions are one move.
                    let moves = slides + u32::from(places || row.can_intervene(squeezed));
                    if moves > 0 {
                        open[entry] = moves as u8;
                    } else if !game.blocked_draws {
                        touched[target.put(&row, set, TbValue::LOST.0)].store(0, Relaxed);
                    }
                    let milled = in_mills(set, game.diagonals);
                    if milled == 0 {
                        continue;
                    }
                    let mut note = |kind: usize, value: u8| {
                        let value = TbValue(value).before();
                        values[kind * length + entry] = value.0;
                        note_level(levels, value);
                    };
                    note(0, takes.one(set));
                    if most > 1 {
                        let most = members(squeezed).map(|p| row.mills_at(squeezed, p)).max();
                        for kind in 1..most.unwrap_or(0) {
                            note(kind, takes.several(set, kind + 1));
                        }
                    }
                }
            }
        });
    }

    /// Finds the values of the slides that leave a mill to close another, after which the way back is banned.
    fn find_shuttles(&mut self, game: &SolvedGame, banned: &BannedValues, threads: usize) {
        let fixed_sets = Index::get().representatives(self.sector.theirs as usize);
        let (entries, flies) = (&self.entries, self.flies);
        let items = fixed_sets.iter().zip(&mut self.shuttles).zip(&mut self.exit_levels);
        each(threads, batches(items, fixed_sets.len()), |batch| {
            for ((&fixed, shuttles), levels) in batch {
                let row = Row::new(game, fixed, flies);
                let point = |squeezed: u32| spread(1 << squeezed, row.free).trailing_zeros();
                for &squeezed in entries {
                    for at in members(row.milled(squeezed)) {
                        let rest = squeezed & !(1 << at);
                        let origins = row.targets[(at & 31) as usize] & !squeezed;
                        for back in members(origins).filter(|&back| row.mills_at(rest, back) > 0) {
                            let ban = Slide { from: point(at), to: point(back) };
                            let after = banned.after_shuttle(spread(squeezed, row.free), fixed, ban);
                            let value = TbValue(after).before();
                            if value != TbValue::DRAW {
                                note_level(levels, value);
                                shuttles.push(Shuttle::new(rest | 1 << back, value));
                            }
                        }
                    }
                }
                shuttles.shrink_to_fit();
            }
        });
    }

    /// Marks in `frontier` the slots that were decided at the level before.
    fn gather(&self, level: u32, frontier: &mut Frontier, threads: usize) {
        let value = TbValue::decided(level - 1).0;
        let touched = &self.touched[(level as usize - 1) % 2];
        let length = self.sector.row_length();
        let items = self
            .values
            .chunks_exact(length)
            .zip(frontier.slots.chunks_exact_mut(words_for(length)))
            .zip(frontier.rows.iter_mut().zip(touched));
        each(threads, batches(items, touched.len()), |batch| {
            for ((values, slots), (row, &touched)) in batch {
                *row = u32::from(touched) == level - 1;
                if *row {
                    for (values, word) in values.chunks(64).zip(slots) {
                        *word = equal_bytes(values, value);
                    }
                }
            }
        });
    }

    /// Finds the entries decided at `level`, given those decided in the other sector at the level before, and
    /// returns their number.
    fn step(&mut self, game: &SolvedGame, level: u32, frontier: &Frontier, threads: usize) -> u64 {
        let fixed_sets = Index::get().representatives(self.sector.theirs as usize);
        let length = self.entries.len();
        let most = usize::from(game.most_by_mills());
        let bans_returns = game.bans_returns;
        let value = TbValue::decided(level).0;
        let touched = shared(&mut self.touched[level as usize % 2]);
        let target = Target::new(self.sector, shared(&mut self.values));
        let rank = Index::get().ranker(self.sector.own as usize);
        let (entries, flies) = (&self.entries, self.flies);
        let items = fixed_sets
            .iter()
            .zip(self.open.chunks_exact_mut(length))
            .zip(self.after_takes.chunks_exact(length * most))
            .zip(self.best_exit.chunks_exact(length).map(Some).chain(std::iter::repeat(None)))
            .zip(&self.shuttles)
            .zip(&self.exit_levels)
            .zip(frontier.slots.chunks_exact(words_for(length)).zip(&frontier.rows));
        let found = share(threads, batches(items, fixed_sets.len()), Scratch::default, |scratch, batch| {
            for (
                (((((&fixed, open), after_takes), best_exit), shuttles), levels),
                (frontier, &has_frontier),
            ) in batch
            {
                let has_exits = levels[level as usize / 64] >> (level % 64) & 1 != 0;
                if !has_frontier && !has_exits {
                    continue;
                }
                let row = Row::new(game, fixed, flies);
                let decided = &mut scratch.decided;
                let mut undo = RowUndo { row: &row, open, rank, most, bans_returns, decided };
                let win = level % 2 == 1;
                if has_frontier {
                    for (word, &slots) in frontier.iter().enumerate() {
                        for bit in set_bits(slots) {
                            undo.all(win, entries[word * 64 + bit], 0);
                        }
                    }
                }
                if has_exits {
                    for (kind, after_takes) in after_takes.chunks_exact(length).enumerate() {
                        for (word, after_takes) in after_takes.chunks(64).enumerate() {
                            for bit in set_bits(equal_bytes(after_takes, value)) {
                                undo.all(win, entries[word * 64 + bit], kind + 1);
                            }
                        }
                    }
                }
                if let Some(best_exit) = best_exit.filter(|_| has_exits) {
                    for (word, best_exit) in best_exit.chunks(64).enumerate() {
                        for bit in set_bits(equal_bytes(best_exit, value)) {
                            undo.one(win, word * 64 + bit, entries[word * 64 + bit]);
                        }
                    }
                }
                if has_exits {
                    for shuttle in shuttles.iter().filter(|shuttle| shuttle.value() == value) {
                        undo.one(win, rank.rank(shuttle.before()), shuttle.before());
                    }
                }
                scratch.found += scratch.decided.len() as u64;
                let sets = scratch.decided.drain(..).map(|squeezed| spread(squeezed, row.free));
                target.put_all(&row, sets, value, |class| touched[class].store(level as u8, Relaxed));
            }
        });
        found.iter().map(|scratch| scratch.found).sum()
    }
}

/// The slots of a sector that were decided at one level.
struct Frontier {
    slots: Vec<u64>,
    /// The rows that hold some; in other rows `slots` is out of date.
    rows: Vec<bool>,
}

impl Frontier {
    /// Allocates room for the frontier of each sector.
    fn new(halves: &[Half]) -> Self {
        let words = |half: &Half| half.sector.rows() * words_for(half.sector.row_length());
        Self {
            slots: vec![0; halves.iter().map(words).max().unwrap_or(0)],
            rows: vec![false; halves.iter().map(|half| half.sector.rows()).max().unwrap_or(0)],
        }
    }
}

/// A slide that leaves a mill to close another: the set before it, squeezed, in 24 bits, and above them its
/// value for the side that slides.
#[derive(Clone, Copy)]
struct Shuttle(u32);

impl Shuttle {
    const fn new(before: u32, value: TbValue) -> Self {
        Self(before | (value.0 as u32) << 24)
    }

    const fn before(self) -> u32 {
        self.0 & 0xFF_FFFF
    }

    const fn value(self) -> u8 {
        (self.0 >> 24) as u8
    }
}

#[derive(Default)]
struct Scratch {
    /// Sets decided in the current row.
    decided: Vec<u32>,
    found: u64,
}

/// Undoes moves within a row.
struct RowUndo<'a> {
    row: &'a Row,
    open: &'a mut [u8],
    rank: Ranker<'a>,
    /// The most men that a turn can take.
    most: usize,
    /// True if slides that leave a mill to close another have values of their own.
    bans_returns: bool,
    decided: &'a mut Vec<u32>,
}

impl RowUndo<'_> {
    /// Undoes every move that led to `squeezed` and closed `mills` mills with it: the positions before are
    /// won if `win`, else they have one less move that does not lose.
    #[inline(always)]
    fn all(&mut self, win: bool, squeezed: u32, mills: usize) {
        let milled = self.row.milled(squeezed);
        let moved = if mills == 0 { squeezed & !milled } else { milled };
        for moved in members(moved & !self.row.intervening) {
            // If a turn takes one man at most, the number of its mills does not matter.
            if self.most > 1 && mills > 0 && self.row.mills_at(squeezed, moved).min(self.most) != mills {
                continue;
            }
            let rest = squeezed & !(1 << moved);
            for origin in members(self.row.targets[(moved & 31) as usize] & !squeezed) {
                if self.bans_returns && mills > 0 && self.row.mills_at(rest, origin) > 0 {
                    continue;
                }
                let before = rest | 1 << origin;
                self.one(win, self.rank.rank(before), before);
            }
        }
    }

    /// Undoes one move that began at `entry`, the set `before`.
    #[inline(always)]
    fn one(&mut self, win: bool, entry: usize, before: u32) {
        let open = &mut self.open[entry];
        if *open > 0 {
            *open = if win { 0 } else { *open - 1 };
            if *open == 0 {
                self.decided.push(before);
            }
        }
    }
}

/// Notes the level at which a move of this value has its effect.
#[inline(always)]
fn note_level(levels: &mut [u64; 4], value: TbValue) {
    if let Some(level) = value.plies() {
        levels[level as usize / 64] |= 1 << (level % 64);
    }
}

/// The positions of the bytes that are equal to `value`, as bits; at most 64 bytes.
#[inline(always)]
fn equal_bytes(bytes: &[u8], value: u8) -> u64 {
    // Most blocks have no match, and the compiler makes this test short.
    if !bytes.iter().fold(false, |any, &byte| any | (byte == value)) {
        return 0;
    }
    bytes.iter().enumerate().fold(0, |bits, (place, &byte)| bits | u64::from(byte == value) << place)
}
