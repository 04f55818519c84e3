//! Proves finished tables right. Shares the index, the board and the file reader with the solver, but
//! no rule of the game: moves are played forwards here, where the solver takes them back.
//!
//! Every position must have the value of its best turn. With distances this proves all values of the
//! moving phase: distances go down by one ply along a win, so every win and every loss really ends, and
//! a draw keeps a drawing turn and has no winning one. In the placing phase, which has no cycles, it
//! proves values without distances too. For the moving phase without distances it is only a check of
//! consistency: a set of positions could call each other won without ever getting on.

use super::board::{FULL, anticlockwise, clockwise, members, neighbours, partners, spokes, spread, squeeze};
use super::error::TablebaseError;
use super::file::{TableFile, Written};
use super::folder::{file_name, hash_file};
use super::game::Game;
use super::header::{Counts, Kind};
use super::index::{Index, Sector, subsets};
use super::manifest::{Entry, Manifest};
use super::value::Value;
use super::work::{batches, share};
use crate::memory::prefetch;
use crate::zobrist::spread as spread_bits;
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::rc::Rc;

/// What was compared in a sector without finding a fault.
#[derive(Clone, Copy, Debug)]
pub struct Checked {
    /// The sector.
    pub sector: Sector,
    /// What was compared: distances where they are stored, else results.
    pub kind: Kind,
    /// Positions whose value was compared with their best turn.
    pub positions: u64,
    /// Whether these are all of the sector.
    pub is_whole: bool,
}

/// The sectors whose values are proved: those of which all positions were compared, with distances or while placing, and
/// that lead to proved ones alone.
pub fn proved(game: &Game, checked: &[Checked]) -> HashSet<Sector> {
    let is_enough = |c: &&Checked| c.is_whole && (c.kind == Kind::Distance || !c.sector.is_moving());
    let mut proved: HashSet<Sector> = checked.iter().filter(is_enough).map(|c| c.sector).collect();
    loop {
        let is_unfounded = |sector: &&Sector| {
            sectors_after(game, **sector).any(|next| is_stored(next) && !proved.contains(&next))
        };
        let unfounded: Vec<Sector> = proved.iter().filter(is_unfounded).copied().collect();
        if unfounded.is_empty() {
            return proved;
        }
        unfounded.iter().for_each(|sector| _ = proved.remove(sector));
    }
}

/// The sectors that a turn leads to from `sector`: without a mill, then after so many removals.
fn sectors_after(game: &Game, sector: Sector) -> impl Iterator<Item = Sector> {
    let (placed, least) = (u8::from(sector.own_hand > 0), game.least);
    let most = if game.multiple { 3 } else { 1 };
    (0..=sector.theirs.min(most))
        .filter(move |&taken| taken == 0 || sector.theirs + sector.their_hand - taken >= least)
        .map(move |taken| Sector {
            own: sector.theirs - taken,
            theirs: sector.own + placed,
            own_hand: sector.their_hand,
            their_hand: sector.own_hand - placed,
        })
}

/// Whether a sector has a table: a full board is a draw in the games whose placing phase can end in one.
const fn is_stored(sector: Sector) -> bool {
    sector.own + sector.theirs < 24
}

/// A position whose value does not follow from its turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// Men of the mover, in the numbering of the tables.
    pub own: u32,
    /// Men of the opponent.
    pub theirs: u32,
    /// What the table says.
    pub found: Value,
    /// What the best turn is worth.
    pub expected: Value,
}

/// The rules once more, forwards, for checking.
struct Board {
    game: Game,
    near: [u32; 24],
    lines: [Vec<u32>; 24],
    /// Points on a line across the squares.
    spokes: u32,
}

/// The midpoints of the sides.
const MIDPOINTS: u32 = 0x55_5555;
/// The points of one square.
const RING: u32 = 0xFF;

/// The tables that the turns of a sector lead to.
struct Tables<'a> {
    sector: Sector,
    own: &'a [u8],
    kind: Kind,
    quiet: (Sector, &'a [u8]),
    /// Sectors after one removal and more; empty when the first removal ends the game.
    taken: Vec<(Sector, &'a [u8])>,
}

impl Board {
    fn new(game: &Game) -> Self {
        let lines = |point: u32| partners(point, game.diagonals).into_iter().flatten().collect();
        Self {
            game: *game,
            near: std::array::from_fn(|point| neighbours(point as u32, game.diagonals)),
            lines: std::array::from_fn(|point| lines(point as u32)),
            spokes: spokes(game.diagonals),
        }
    }

    /// Mills of `set` through `point`.
    fn mills(&self, set: u32, point: u32) -> u32 {
        self.lines[point as usize].iter().filter(|&line| set & line == *line).count() as u32
    }

    /// The points of `set` that may be taken.
    fn may_take(&self, set: u32) -> u32 {
        let free: u32 = members(set).filter(|&p| self.mills(set, p) == 0).map(|p| 1 << p).sum();
        if free == 0 || !self.game.mills_protect { set } else { free }
    }

    /// Value for the opponent after the best series of `count` removals, of which `done` are done.
    fn after_removals(&self, tables: &Tables<'_>, own: u32, theirs: u32, done: u32, count: u32) -> u8 {
        let men = theirs.count_ones() + u32::from(tables.sector.their_hand);
        if men < u32::from(self.game.least) {
            return Value::LOST.0;
        }
        if done == count {
            let (sector, values) = &tables.taken[done as usize - 1];
            return values[sector.slot(theirs, own) as usize];
        }
        members(self.may_take(theirs))
            .map(|p| self.after_removals(tables, own, theirs & !(1 << p), done + 1, count))
            .min()
            .unwrap_or(u8::MAX)
    }

    /// The points at which a man would complete a line of `set`.
    #[inline(always)]
    fn completing(&self, set: u32) -> u32 {
        let (before, after) = (clockwise(set), anticlockwise(set));
        let midpoints = before & after & MIDPOINTS;
        let corners = (after & anticlockwise(after) | before & clockwise(before)) & !MIDPOINTS;
        let [outer, middle, inner] = [set & RING, set >> 8 & RING, set >> 16 & RING];
        let across = middle & inner | (outer & inner) << 8 | (outer & middle) << 16;
        midpoints | corners | across & self.spokes
    }

    /// The value of the best turn of a position; `quiet` gives the opponent's value of a set of the
    /// mover's men after a turn without a mill, `taken` after one that closed so many mills.
    #[inline(always)]
    fn best_turn(
        &self,
        sector: Sector,
        own: u32,
        theirs: u32,
        quiet: impl Fn(u32) -> u8,
        mut taken: impl FnMut(u32, u32) -> u8,
    ) -> Value {
        let empty = FULL & !own & !theirs;
        let completing = self.completing(own);
        // One more than the largest value: no turn seen.
        let mut worst = 256;
        let places = sector.own_hand > 0;
        let flies = sector.own <= self.game.fly_at;
        // A placing turn has no origin; a point outside the board stands for it.
        for from in members(if places { 1 << 24 } else { own }) {
            let rest = own & !(1 << from);
            let reach = if places || flies { empty } else { self.near[from as usize] & empty };
            for to in members(reach & !completing) {
                worst = worst.min(u16::from(quiet(rest | 1 << to)));
            }
            for to in members(reach & completing) {
                let after = rest | 1 << to;
                // The line may have lost the man that moves.
                let value = match self.mills(after, to) {
                    0 => quiet(after),
                    mills => taken(after, if self.game.multiple { mills } else { 1 }),
                };
                worst = worst.min(u16::from(value));
            }
        }
        match u8::try_from(worst) {
            Ok(worst) => Value(worst).before(),
            Err(_) if self.game.blocked_draws => Value::DRAW,
            Err(_) => Value::LOST,
        }
    }
}

impl Tables<'_> {
    /// Compares every position of the sector with its turns; none if all fit.
    fn check(&self, board: &Board, threads: usize) -> Option<Mismatch> {
        let sector = self.sector;
        let after_men = u32::from(sector.own) + u32::from(sector.own_hand > 0);
        let index = Index::get();
        let rank = index.ranker(after_men as usize);
        let (quiet_sector, quiet) = self.quiet;
        let row_length = quiet_sector.row_length();
        let fixed_sets = &index.classes(sector.theirs as usize).representatives;
        let items = fixed_sets.iter().zip(quiet.chunks_exact(row_length));
        let before: Vec<u32> = subsets(24 - u32::from(sector.theirs), u32::from(sector.own)).collect();
        // Removals are valued once for each set of the mover after its turn. Expected values are set
        // aside before they are compared, so that the reads, which miss the cache, can be asked for in advance.
        let scratch = || (None, vec![UNKNOWN; row_length], vec![Value::DRAW; before.len()]);
        let found = share(threads, batches(items, fixed_sets.len()), scratch, |scratch, batch| {
            let (wrong, memory, expected) = scratch;
            for (&theirs, quiet) in batch {
                let free = FULL & !theirs;
                memory.fill(UNKNOWN);
                for (&squeezed, expected) in before.iter().zip(expected.iter_mut()) {
                    let best = board.best_turn(
                        sector,
                        spread(squeezed, free),
                        theirs,
                        |after| quiet[rank.rank(squeeze(after, free))],
                        |after, mills| {
                            if mills > 1 {
                                return board.after_removals(self, after, theirs, 0, mills);
                            }
                            let known = &mut memory[rank.rank(squeeze(after, free))];
                            if *known == UNKNOWN {
                                *known = u16::from(board.after_removals(self, after, theirs, 0, 1));
                            }
                            *known as u8
                        },
                    );
                    *expected = self.kind.simplify(best);
                }
                for (sets, expected) in before.chunks(AT_ONCE).zip(expected.chunks(AT_ONCE)) {
                    let mut places = [0; AT_ONCE];
                    for (&squeezed, place) in sets.iter().zip(&mut places) {
                        *place = sector.slot(spread(squeezed, free), theirs) as usize;
                        prefetch(&self.own[*place]);
                    }
                    for ((&squeezed, place), &expected) in sets.iter().zip(places).zip(expected) {
                        let found = Value(self.own[place]);
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

    /// Compares the slots that hold the same position.
    fn check_duplicates(&self, threads: usize) -> Option<Mismatch> {
        let sector = self.sector;
        let stabilisers = &Index::get().classes(sector.own as usize).stabilisers;
        let rows = stabilisers.iter().enumerate().filter(|(_, set)| set.count_ones() > 1);
        let found = share(
            threads,
            rows,
            || None,
            |wrong, (row, _)| {
                let first = (row * sector.row_length()) as u64;
                for slot in first..first + sector.row_length() as u64 {
                    let found = Value(self.own[slot as usize]);
                    let expected = Value(self.own[sector.canonical(slot) as usize]);
                    if found != expected {
                        let (own, theirs) = sector.position(slot);
                        wrong.get_or_insert(Mismatch { own, theirs, found, expected });
                    }
                }
            },
        );
        found.into_iter().flatten().next()
    }

    /// Compares about `count` positions, spread evenly over the slots.
    fn check_sample(&self, board: &Board, count: u64) -> (u64, Option<Mismatch>) {
        let sector = self.sector;
        let mut checked = 0;
        for slot in sample(sector.slots(), count) {
            let (own, theirs) = sector.position(slot);
            let quiet = |after| {
                let (sector, values) = self.quiet;
                values[sector.slot(theirs, after) as usize]
            };
            let expected = board.best_turn(sector, own, theirs, quiet, |after, mills| {
                board.after_removals(self, after, theirs, 0, mills)
            });
            let (found, expected) = (Value(self.own[slot as usize]), self.kind.simplify(expected));
            checked += 1;
            if found != expected {
                return (checked, Some(Mismatch { own, theirs, found, expected }));
            }
        }
        (checked, None)
    }
}

/// About `count` of so many slots: one by chance, but always the same, in each of as many stretches of equal length. A
/// fixed step would meet the same few ranks in every row where it shares a factor with their length.
fn sample(slots: u64, count: u64) -> impl Iterator<Item = u64> {
    let stretch = (slots / count.max(1)).max(1);
    (0..slots).step_by(stretch as usize).map(move |first| {
        let length = stretch.min(slots - first);
        first + spread_bits(first) % length
    })
}

/// Values that are asked of memory before the first of them is looked at.
const AT_ONCE: usize = 256;

/// Mark of a set whose removals were not valued yet.
const UNKNOWN: u16 = u16::MAX;

/// Tables in memory.
type Loaded = HashMap<(Sector, Kind), Rc<Vec<u8>>>;

/// A folder of tables to be checked.
pub struct Verifier<'a> {
    game: Game,
    folder: &'a Path,
    threads: usize,
    sample: Option<u64>,
    /// The tables that the sector before needed, since the next one often needs them again.
    loaded: RefCell<Loaded>,
}

impl<'a> Verifier<'a> {
    /// For the tables of `folder`; with `sample`, it looks at about so many positions of each sector only.
    pub fn new(game: Game, folder: &'a Path, threads: usize, sample: Option<u64>) -> Self {
        Self { game, folder, threads: threads.max(1), sample, loaded: RefCell::default() }
    }

    /// Checks the files of one sector: hashes against the manifest, counts against the table, values
    /// against those of the sectors after it.
    ///
    /// # Errors
    /// All faults: files missing, damaged or foreign, and the first value that does not follow from the others.
    pub fn check(&self, manifest: &Manifest, sector: Sector) -> Result<Checked, Vec<TablebaseError>> {
        let mut faults = Vec::new();
        let mut sound: Option<(Kind, Vec<u8>)> = None;
        for kind in [Kind::Distance, Kind::Wdl] {
            let Some(entry) = manifest.get(sector, kind) else { continue };
            match (self.check_file(entry, sector, kind), &sound) {
                (Err(fault), _) => faults.push(fault),
                (Ok(values), None) => sound = Some((kind, values)),
                (Ok(results), Some((_, exact))) => {
                    let differs = |(&exact, &found): (&u8, &u8)| Kind::Wdl.simplify(Value(exact)).0 != found;
                    if exact.iter().zip(&results).any(differs) {
                        let path = self.folder.join(file_name(sector, kind));
                        faults.push(TablebaseError::damaged(&path, "contradicts the distances"));
                    }
                }
            }
        }
        let checked = sound.map(|(kind, values)| self.check_values(sector, kind, &Rc::new(values)));
        match checked {
            Some(Ok(checked)) if faults.is_empty() => Ok(checked),
            checked => {
                faults.extend(checked.and_then(Result::err));
                Err(faults)
            }
        }
    }

    /// The values of a file that is as the manifest says.
    fn check_file(&self, entry: &Entry, sector: Sector, kind: Kind) -> Result<Vec<u8>, TablebaseError> {
        let path = self.folder.join(file_name(sector, kind));
        let damaged = |why: String| TablebaseError::damaged(&path, why);
        let table = TableFile::open_in(self.folder, &self.game, sector, kind)?;
        let file_hash = hash_file(&path)?;
        if file_hash != entry.file_hash {
            return Err(damaged(format!("hash {file_hash:016x}, expected {:016x}", entry.file_hash)));
        }
        let there = Entry::new(&Written { header: table.header, bytes: table.bytes(), file_hash });
        if there != *entry {
            return Err(damaged(format!("holds {there:?}, the manifest says {entry:?}")));
        }
        let values = table.read_all(self.threads)?;
        let counts = super::build::count(sector, &values, entry.counts.has_distances(), self.threads);
        let counts = Counts {
            longest_win: entry.counts.longest_win.filter(|_| kind == Kind::Wdl).or(counts.longest_win),
            longest_loss: entry.counts.longest_loss.filter(|_| kind == Kind::Wdl).or(counts.longest_loss),
            ..counts
        };
        if counts != entry.counts {
            return Err(damaged(format!("holds {counts:?}, expected {:?}", entry.counts)));
        }
        Ok(values)
    }

    fn check_values(&self, sector: Sector, kind: Kind, own: &Rc<Vec<u8>>) -> Result<Checked, TablebaseError> {
        let load = |wanted: Sector| {
            if !is_stored(wanted) {
                return Ok(Rc::new(vec![Value::DRAW.0; wanted.slots() as usize]));
            }
            // Distances must be compared with distances.
            if let Some(values) = self.loaded.borrow().get(&(wanted, kind)) {
                return Ok(Rc::clone(values));
            }
            let table = TableFile::open_in(self.folder, &self.game, wanted, kind)?;
            table.read_all(self.threads).map(Rc::new)
        };
        let mut after = Vec::new();
        for next in sectors_after(&self.game, sector) {
            after.push((next, if next == sector { Rc::default() } else { load(next)? }));
        }
        let taken = after.split_off(1);
        let (quiet_sector, quiet) = (after[0].0, Rc::clone(&after[0].1));
        // What is not needed now makes room before the check takes its own.
        let mut kept = vec![((sector, kind), Rc::clone(own)), ((quiet_sector, kind), Rc::clone(&quiet))];
        kept.extend(taken.iter().map(|(sector, values)| ((*sector, kind), Rc::clone(values))));
        kept.retain(|(_, values)| !values.is_empty());
        self.loaded.replace(kept.into_iter().collect());
        let tables = Tables {
            sector,
            own,
            kind,
            quiet: (quiet_sector, if quiet_sector == sector { own } else { &quiet }),
            taken: taken.iter().map(|(sector, values)| (*sector, values.as_slice())).collect(),
        };
        let board = Board::new(&self.game);
        let (positions, wrong) = match self.sample {
            Some(count) => tables.check_sample(&board, count),
            None => {
                let rows = Index::get().classes(sector.theirs as usize).len() as u64;
                let row = u64::from(super::index::BINOMIAL[24 - sector.theirs as usize][sector.own as usize]);
                (rows * row, tables.check(&board, self.threads))
            }
        };
        match wrong {
            None => Ok(Checked { sector, kind, positions, is_whole: self.sample.is_none() }),
            Some(wrong) => {
                let path = self.folder.join(file_name(sector, kind));
                let Mismatch { own, theirs, found, expected } = wrong;
                let text = |value: Value| match value.plies() {
                    Some(plies) if kind == Kind::Distance => format!("{}{plies}", value.wdl().letter()),
                    _ => value.wdl().letter().to_string(),
                };
                let (found, expected) = (text(found), text(expected));
                Err(TablebaseError::damaged(
                    &path,
                    format!(
                        "men {own:06x} against {theirs:06x} have value {found}, their best turn {expected}"
                    ),
                ))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
