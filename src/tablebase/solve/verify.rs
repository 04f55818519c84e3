//! Proves finished tables right. Moves are played forwards here, where the solver takes them back, and the board and the
//! rules are those that the engine plays by, where the solver has its own.
//!
//! What both use is what the files are made of: the order of the positions ([`Index`], with the sets and the bytes of
//! [`TableValue`]), the reader, and the fingerprint of the rules. The order is proved before anything else is
//! ([`check_index`]), by the engine's symmetries; `docs/tablebases.md` lists what guards the rest.
//!
//! Every position must have the value of its best turn. With distances this proves all values of the
//! moving phase: distances go down by one ply along a win, so every win and every loss really ends, and
//! a draw keeps a drawing turn and has no winning one. In the placing phase, which has no cycles, it
//! proves values without distances too. For the moving phase without distances it is only a check of
//! consistency: a set of positions could call each other won without ever getting on.

use crate::bitboard::{Bitboard, Pair, SYMMETRIES};
use crate::platform::memory::prefetch;
use crate::platform::parallel::{batches, share};
use crate::position::zobrist::spread as spread_bits;
use crate::rules::{CompiledRules, Rules};
use crate::tablebase::format::board::{spread, squeeze};
use crate::tablebase::format::error::TablebaseError;
use crate::tablebase::format::file::{TableFile, Written};
use crate::tablebase::format::folder::{file_name, hash_file};
use crate::tablebase::format::game::SolvedGame;
use crate::tablebase::format::header::{SectorCounts, TableKind};
use crate::tablebase::format::index::{Classes, Index, Sector, subsets};
use crate::tablebase::format::manifest::{Entry, Manifest};
use crate::tablebase::format::value::{TableValue, Wdl};
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
    pub kind: TableKind,
    /// Positions whose value was compared with their best turn: all slots of the sector, or a sample of them.
    pub positions: u64,
    /// Whether these are all of the sector.
    pub is_whole: bool,
}

/// A position whose value does not follow from its turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// Men of the mover, in the numbering of the tables.
    pub own: u32,
    /// Men of the opponent.
    pub theirs: u32,
    /// What the table says.
    pub found: TableValue,
    /// What the best turn is worth.
    pub expected: TableValue,
}

/// The rules as the engine plays by them, for the positions of tables. The points of the tables have other numbers than
/// those of the engine, but either numbers the points of a ring clockwise from a midpoint, and the rings from one side to the
/// other: they differ by a symmetry of the board, so what the engine knows of neighbours and lines holds for both.
struct Board {
    rules: CompiledRules,
    /// Men that one turn may take.
    most_taken: u8,
    blocked_draws: bool,
    /// What a full board is worth for White, who is to move.
    full_board: TableValue,
}

/// The tables that the turns of a sector lead to.
struct Tables<'a> {
    sector: Sector,
    own: &'a [u8],
    kind: TableKind,
    quiet: (Sector, &'a [u8]),
    /// Sectors after one removal and more; empty when the first removal ends the game.
    taken: Vec<(Sector, &'a [u8])>,
}

impl Board {
    fn new(rules: &Rules) -> Self {
        let rules = CompiledRules::new(rules);
        Self {
            most_taken: rules.max_takes as u8,
            blocked_draws: rules.rules.stalemate_action == 4,
            full_board: if rules.rules.board_full_action == 0 { TableValue::LOST } else { TableValue::DRAW },
            rules,
        }
    }

    /// The sectors that a turn leads to from `sector`: without a mill, then after so many removals.
    fn sectors_after(&self, sector: Sector) -> impl Iterator<Item = Sector> {
        let (placed, least) = (u8::from(sector.own_hand > 0), self.rules.least);
        (0..=sector.theirs.min(self.most_taken))
            .filter(move |&taken| taken == 0 || u32::from(sector.theirs + sector.their_hand - taken) >= least)
            .map(move |taken| Sector {
                own: sector.theirs - taken,
                theirs: sector.own + placed,
                own_hand: sector.their_hand,
                their_hand: sector.own_hand - placed,
            })
    }

    /// TableValue for the opponent after the best series of `count` removals, of which `done` are done.
    fn after_removals(&self, tables: &Tables<'_>, own: u32, theirs: u32, done: u32, count: u32) -> u8 {
        let men = theirs.count_ones() + u32::from(tables.sector.their_hand);
        if men < self.rules.least {
            return TableValue::LOST.0;
        }
        if done == count {
            let (sector, values) = &tables.taken[done as usize - 1];
            return values[sector.slot(theirs, own) as usize];
        }
        let theirs = Bitboard(theirs);
        (self.rules.unprotected(theirs).into_iter())
            .map(|point| self.after_removals(tables, own, theirs.without(point).0, done + 1, count))
            .min()
            .unwrap_or(u8::MAX)
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
    ) -> TableValue {
        let (own, empty) = (Bitboard(own), !Bitboard(own | theirs));
        let completing = Pair::both(own).closers(empty, self.rules.spokes).all.first();
        // One more than the largest value: no turn seen.
        let mut worst = 256;
        let places = sector.own_hand > 0;
        let flies = u32::from(sector.own) <= self.rules.fly_at;
        // A placing turn has no origin; a point outside the board stands for it.
        for from in if places { Bitboard(1 << 24) } else { own } {
            let rest = own.without(from);
            let reach = if places || flies { empty } else { self.rules.adjacent[from.row()] & empty };
            for to in reach - completing {
                worst = worst.min(u16::from(quiet(rest.with(to).0)));
            }
            for to in reach & completing {
                let after = rest.with(to).0;
                // The line may have lost the man that moves.
                let value = match self.rules.lines_closed(rest, to) {
                    0 => quiet(after),
                    mills => taken(after, mills.min(self.rules.max_takes)),
                };
                worst = worst.min(u16::from(value));
            }
        }
        match u8::try_from(worst) {
            Ok(worst) => one_ply_earlier(TableValue(worst)),
            Err(_) if self.blocked_draws => TableValue::DRAW,
            Err(_) => TableValue::LOST,
        }
    }
}

/// The value of a turn that leads to a position of value `after` for the opponent. A win in 255 plies, which no byte holds
/// and the solver refuses, counts as one in 253, so that no draw passes for it.
#[inline(always)]
fn one_ply_earlier(after: TableValue) -> TableValue {
    let half = after.plies().map_or(0, |plies| plies.min(TableValue::MAX_PLIES) / 2) as u8;
    match after.wdl() {
        Wdl::Loss => TableValue(255 - half),
        Wdl::Draw => TableValue::DRAW,
        Wdl::Win => TableValue(half + 1),
    }
}

/// Whether a sector has a table: a full board ends the game in all whose placing phase can lead to one.
const fn is_stored(sector: Sector) -> bool {
    sector.own + sector.theirs < 24
}

/// The sets that the engine's symmetries make of one, each once, ascending.
fn images(set: u32) -> Vec<u32> {
    let mut images: Vec<u32> = (0..SYMMETRIES).map(|g| Bitboard(set).transform(g).0).collect();
    images.sort_unstable();
    images.dedup();
    images
}

/// The engine's symmetries that keep a set, by number.
fn keepers(set: u32) -> Vec<usize> {
    (0..SYMMETRIES).filter(|&g| Bitboard(set).transform(g).0 == set).collect()
}

/// Proves that the order of positions holds each set of `men` men, and each class of them, exactly once, and that the index
/// says how to get from a set to the one that stands for its class.
///
/// # Errors
/// Names what is wrong.
pub fn check_index(men: usize) -> Result<(), String> {
    let index = Index::get();
    check_classes(index, index.classes(men), men)
}

fn check_classes(index: &Index, classes: &Classes, men: usize) -> Result<(), String> {
    let wrong = |what: &str, set: u32| Err(format!("the index of {men} men has {what} {set:06x}"));
    // Ascending, and as many as there are: all of them, in their order.
    let (mut sets, mut last) = (0, None);
    for set in subsets(24, men as u32) {
        let is_next = last.is_none_or(|last| last < set) && set <= Bitboard::FULL.0;
        if !is_next || set.count_ones() as usize != men {
            return wrong("a wrong set", set);
        }
        if index.rank(men, set) != sets || index.unrank(men, sets) != set {
            return wrong("a wrong rank for", set);
        }
        (sets, last) = (sets + 1, Some(set));
    }
    let all = (0..men as u64).fold(1, |all, k| all * (24 - k) / (k + 1));
    if u64::from(sets) != all {
        return Err(format!("the index of {men} men has {sets} sets, expected {all}"));
    }
    let mut reached = 0;
    for (class, (&representative, &stabiliser)) in
        classes.representatives.iter().zip(&classes.stabilisers).enumerate()
    {
        let images = images(representative);
        if images.first() != Some(&representative) {
            return wrong("a class whose smallest set is not", representative);
        }
        let is_kept = |g| index.symmetries.apply(g, representative) == representative;
        let kept = (0..SYMMETRIES).filter(|&g| is_kept(g)).fold(0, |kept, g| kept | 1 << g);
        if stabiliser != kept || stabiliser.count_ones() as usize * images.len() != SYMMETRIES {
            return wrong("wrong symmetries of", representative);
        }
        for &image in &images {
            let found = classes.of_rank(index.rank(men, image) as usize);
            let leads_back = index.symmetries.apply(found.symmetry(), image) == representative;
            if found.class() != class || !leads_back || found.has_more() != (images.len() < SYMMETRIES) {
                return wrong("a wrong class for", image);
            }
        }
        reached += images.len() as u64;
    }
    // Each set of a class leads to this class only, so none was counted twice.
    if reached != all || Sector::moving(men as u8, 0).rows() != classes.len() {
        return Err(format!("the classes of {men} men hold {reached} sets, expected {all}"));
    }
    Ok(())
}

/// Proves that the permutations of the index are those of the engine: the same sixteen, for any set.
///
/// # Errors
/// Names one that is not.
pub fn check_symmetries() -> Result<(), String> {
    let index = Index::get();
    let as_engine = |g: usize| {
        let is_same = |h: &usize| {
            let same = |set: u32| index.symmetries.apply(g, set) == Bitboard(set).transform(*h).0;
            // The index looks up the three rings and joins what it finds.
            (0..3).all(|ring| (0..256).all(|points: u32| same(points << (8 * ring))))
        };
        (0..SYMMETRIES).find(is_same)
    };
    let found: Vec<Option<usize>> = (0..SYMMETRIES).map(as_engine).collect();
    match found.iter().position(|h| h.is_none() || found.iter().filter(|&other| other == h).count() > 1) {
        None => Ok(()),
        Some(g) => Err(format!("symmetry {g} of the index is none of the board, or another one too")),
    }
}

/// SectorCounts results over the positions up to symmetry; the longest distances only if `exact`.
///
/// A position stands in as many slots of its row as there are images of it under the symmetries that keep the mover's set.
/// So a slot counts for the share of these that keep the opponent's set too (Burnside's lemma).
fn count(sector: Sector, values: &[u8], exact: bool, threads: usize) -> SectorCounts {
    let rows = Index::get().classes(sector.own as usize).representatives.iter();
    let rows = rows.zip(values.chunks_exact(sector.row_length()));
    let tallies = share(
        threads,
        rows,
        || [0u64; 256],
        |sixteenths, (&own, values)| {
            let keepers = keepers(own);
            if keepers.len() == 1 {
                values.iter().for_each(|&value| sixteenths[value as usize] += 16);
                return;
            }
            let free = !Bitboard(own);
            let sets = subsets(24 - u32::from(sector.own), u32::from(sector.theirs));
            for (&value, squeezed) in values.iter().zip(sets) {
                let theirs = spread(squeezed, free.0);
                let kept = keepers.iter().filter(|&&g| Bitboard(theirs).transform(g).0 == theirs).count();
                sixteenths[value as usize] += (16 * kept / keepers.len()) as u64;
            }
        },
    );
    let mut counts = SectorCounts::default();
    for byte in 0..=u8::MAX {
        let sixteenths: u64 = tallies.iter().map(|tally| tally[byte as usize]).sum();
        let (value, positions) = (TableValue(byte), sixteenths / 16);
        let plies = value.plies().filter(|_| exact && sixteenths > 0);
        match value.wdl() {
            Wdl::Win => {
                counts.wins += positions;
                counts.longest_win = counts.longest_win.max(plies);
            }
            Wdl::Loss => {
                counts.losses += positions;
                counts.longest_loss = counts.longest_loss.max(plies);
            }
            Wdl::Draw => counts.draws += positions,
        }
    }
    counts
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
        let scratch = || (None, vec![UNKNOWN; row_length], vec![TableValue::DRAW; before.len()]);
        let found = share(threads, batches(items, fixed_sets.len()), scratch, |scratch, batch| {
            let (wrong, memory, expected) = scratch;
            for (&theirs, quiet) in batch {
                let free = (!Bitboard(theirs)).0;
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
                        let found = TableValue(self.own[place]);
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
                            (TableValue(value), TableValue(values[rank.rank(squeeze(image, free))]));
                        if found != expected {
                            wrong.get_or_insert(Mismatch { own, theirs, found, expected });
                        }
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
            let (found, expected) = (TableValue(self.own[slot as usize]), self.kind.simplify(expected));
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
type Loaded = HashMap<(Sector, TableKind), Rc<Vec<u8>>>;

/// A folder of tables to be checked.
pub struct Verifier<'a> {
    /// What the files are made for.
    game: SolvedGame,
    board: Board,
    folder: &'a Path,
    threads: usize,
    sample: Option<u64>,
    /// The tables that the sector before needed, since the next one often needs them again.
    loaded: RefCell<Loaded>,
}

impl<'a> Verifier<'a> {
    /// For the tables of `folder`; with `sample`, it looks at about so many positions of each sector only.
    ///
    /// # Errors
    /// When there can be no tables for these rules.
    pub fn new(
        rules: &Rules,
        folder: &'a Path,
        threads: usize,
        sample: Option<u64>,
    ) -> Result<Self, TablebaseError> {
        let (game, board) = (SolvedGame::new(rules)?, Board::new(rules));
        Ok(Self { game, board, folder, threads: threads.max(1), sample, loaded: RefCell::default() })
    }

    /// The sectors whose values are proved: those of which all positions were compared, with distances or while placing,
    /// and that lead to proved ones alone.
    pub fn proved(&self, checked: &[Checked]) -> HashSet<Sector> {
        let is_enough = |c: &&Checked| c.is_whole && (c.kind == TableKind::Distance || !c.sector.is_moving());
        let mut proved: HashSet<Sector> = checked.iter().filter(is_enough).map(|c| c.sector).collect();
        loop {
            let is_unfounded = |sector: &&Sector| {
                let mut after = self.board.sectors_after(**sector);
                after.any(|next| is_stored(next) && !proved.contains(&next))
            };
            let unfounded: Vec<Sector> = proved.iter().filter(is_unfounded).copied().collect();
            if unfounded.is_empty() {
                return proved;
            }
            unfounded.iter().for_each(|sector| _ = proved.remove(sector));
        }
    }

    /// Checks the files of one sector: hashes against the manifest, counts against the table, values
    /// against those of the sectors after it.
    ///
    /// # Errors
    /// All faults: files missing, damaged or foreign, and the first value that does not follow from the others.
    pub fn check(&self, manifest: &Manifest, sector: Sector) -> Result<Checked, Vec<TablebaseError>> {
        let mut faults = Vec::new();
        let mut sound: Option<(TableKind, Vec<u8>)> = None;
        for kind in [TableKind::Distance, TableKind::Wdl] {
            let Some(entry) = manifest.get(sector, kind) else { continue };
            match (self.check_file(entry, sector, kind), &sound) {
                (Err(fault), _) => faults.push(fault),
                (Ok(values), None) => sound = Some((kind, values)),
                (Ok(results), Some((_, exact))) => {
                    let differs =
                        |(&exact, &found): (&u8, &u8)| TableKind::Wdl.simplify(TableValue(exact)).0 != found;
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
    fn check_file(&self, entry: &Entry, sector: Sector, kind: TableKind) -> Result<Vec<u8>, TablebaseError> {
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
        let counts = count(sector, &values, entry.counts.has_distances(), self.threads);
        let counts = SectorCounts {
            longest_win: entry.counts.longest_win.filter(|_| kind == TableKind::Wdl).or(counts.longest_win),
            longest_loss: entry
                .counts
                .longest_loss
                .filter(|_| kind == TableKind::Wdl)
                .or(counts.longest_loss),
            ..counts
        };
        if counts != entry.counts {
            return Err(damaged(format!("holds {counts:?}, expected {:?}", entry.counts)));
        }
        Ok(values)
    }

    fn check_values(
        &self,
        sector: Sector,
        kind: TableKind,
        own: &Rc<Vec<u8>>,
    ) -> Result<Checked, TablebaseError> {
        let load = |wanted: Sector| {
            if !is_stored(wanted) {
                return Ok(Rc::new(vec![self.board.full_board.0; wanted.slots() as usize]));
            }
            // Distances must be compared with distances.
            if let Some(values) = self.loaded.borrow().get(&(wanted, kind)) {
                return Ok(Rc::clone(values));
            }
            let table = TableFile::open_in(self.folder, &self.game, wanted, kind)?;
            table.read_all(self.threads).map(Rc::new)
        };
        let mut after = Vec::new();
        for next in self.board.sectors_after(sector) {
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
        let board = &self.board;
        let (positions, wrong) = match self.sample {
            Some(count) => tables.check_sample(board, count),
            None => (sector.slots(), tables.check(board, self.threads)),
        };
        match wrong {
            None => Ok(Checked { sector, kind, positions, is_whole: self.sample.is_none() }),
            Some(wrong) => {
                let path = self.folder.join(file_name(sector, kind));
                let Mismatch { own, theirs, found, expected } = wrong;
                let text = |value: TableValue| match value.plies() {
                    Some(plies) if kind == TableKind::Distance => format!("{}{plies}", value.wdl().letter()),
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
    use crate::tablebase::format::board::to_engine;
    use crate::types::Square;

    #[test]
    fn what_the_engine_knows_of_the_board_holds_for_the_numbers_of_the_tables() {
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
    fn the_index_holds_every_set_once_and_a_wrong_one_is_found() {
        assert_eq!(check_symmetries(), Ok(()));
        for men in 0..=12 {
            assert_eq!(check_index(men), Ok(()));
        }
        let index = Index::get();
        for spoil in [
            &|classes: &mut Classes| classes.representatives[5] = classes.representatives[6],
            &|classes: &mut Classes| classes.stabilisers[5] ^= 1,
            &|classes: &mut Classes| _ = classes.representatives.pop(),
        ] as [&dyn Fn(&mut Classes); 3]
        {
            let mut classes = index.classes(4).clone();
            spoil(&mut classes);
            check_classes(index, &classes, 4).expect_err("a wrong index");
        }
    }

    #[test]
    fn positions_are_counted_as_the_builder_counts_them() {
        for sector in [Sector::moving(4, 3), Sector { own: 2, theirs: 3, own_hand: 1, their_hand: 0 }] {
            let values: Vec<u8> =
                (0..sector.slots()).map(|slot| (sector.canonical(slot) % 251) as u8).collect();
            let expected = crate::tablebase::solve::build::count(sector, &values, true, 2);
            assert_eq!(count(sector, &values, true, 2), expected);
        }
    }

    #[test]
    fn a_turn_is_worth_as_much_as_the_solver_says() {
        let too_long = TableValue(127);
        assert_eq!((too_long.plies(), one_ply_earlier(too_long)), (Some(254), TableValue::decided(253)));
        for value in (0..=u8::MAX).map(TableValue).filter(|&value| value != too_long) {
            assert_eq!(one_ply_earlier(value), value.before());
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
