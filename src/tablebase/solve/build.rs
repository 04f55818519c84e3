//! Makes the tablebase files of a folder, unit by unit, and resumes where an earlier run stopped.

use super::moving::{MAX_MILLS, solve_pair};
use super::placing;
use super::settle::{self, settle};
use super::takes::FinishedSector;
use crate::platform::parallel::share;
use crate::tablebase::format::error::{TablebaseError, TooLong};
use crate::tablebase::format::file::{self, Content, TbFile, Written};
use crate::tablebase::format::folder;
use crate::tablebase::format::game::SolvedGame;
use crate::tablebase::format::header::{Packing, SectorCounts, TbKind};
use crate::tablebase::format::index::{Index, Sector};
use crate::tablebase::format::manifest::{self, Manifest};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::path::PathBuf;

/// A unit of work. It can start when the units it depends on are finished.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unit {
    /// Two sectors of the moving phase that depend on each other; the larger number first.
    Pair(u8, u8),
    /// One sector of the placing phase.
    Placing(Sector),
}

impl Unit {
    /// The sectors of the unit.
    pub fn sectors(self) -> Vec<Sector> {
        match self {
            Self::Pair(a, b) if a == b => vec![Sector::moving(a, b)],
            Self::Pair(a, b) => vec![Sector::moving(a, b), Sector::moving(b, a)],
            Self::Placing(sector) => vec![sector],
        }
    }

    /// Slots of the unit.
    pub fn slots(self) -> u64 {
        self.sectors().into_iter().map(Sector::slots).sum()
    }

    /// Returns true if it is the sector of the last placement in a game that settles.
    pub fn settles(self, game: &SolvedGame) -> bool {
        match self {
            Self::Pair(..) => false,
            Self::Placing(sector) => game.settles && sector.own_hand == 1 && sector.their_hand == 0,
        }
    }

    /// The sectors outside the unit whose files it reads, sorted.
    pub fn needs(self, game: &SolvedGame) -> Vec<Sector> {
        if self.settles(game) {
            return settle::sectors_after(game);
        }
        let most = if game.multiple { MAX_MILLS as u8 } else { 1 };
        let after = |sector: Sector| {
            (0..=most.min(sector.theirs)).filter_map(move |taken| match self {
                Self::Placing(_) => {
                    let next = placing::next_sector(game, sector, taken)?;
                    let opens = game.black_opens && next.is_moving();
                    Some(if opens { Sector::moving(next.theirs, next.own) } else { next })
                }
                Self::Pair(..) if taken == 0 || sector.theirs - taken < game.least => None,
                Self::Pair(..) => Some(Sector::moving(sector.theirs - taken, sector.own)),
            })
        };
        let mut needed: Vec<Sector> =
            self.sectors().into_iter().flat_map(after).filter(|&sector| is_stored(sector)).collect();
        needed.sort_unstable();
        needed.dedup();
        needed
    }
}

impl std::fmt::Display for Unit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Pair(a, b) => write!(f, "{a}-{b}"),
            Self::Placing(sector) => sector.fmt(f),
        }
    }
}

/// Returns true if a sector has a file: a full board ends the game.
const fn is_stored(sector: Sector) -> bool {
    sector.own + sector.theirs < 24
}

/// The finished sectors in memory, of the placing phase and of the moving phase after it.
type LoadedSectors = HashMap<Sector, Vec<u8>>;

/// The settings of a build.
#[derive(Clone, Debug)]
pub struct BuildSettings {
    /// The rules.
    pub game: SolvedGame,
    /// The folder of the tablebase files.
    pub folder: PathBuf,
    /// Number of threads.
    pub threads: usize,
    /// True if distances are stored for the moving phase.
    pub moving_distances: bool,
    /// True if distances are stored for the placing phase.
    pub placing_distances: bool,
    /// True to list the new files in the manifest.
    pub writes_manifest: bool,
}

/// Receives the steps of a build, to show progress.
pub trait BuildProgress: Sync {
    /// A unit begins.
    fn start(&self, unit: Unit);
    /// The number of solved slots of the unit. Called from any thread, for every level of a pair and every
    /// row of a placing sector. When all are solved, the files are compressed and written.
    fn advance(&self, slots: u64);
    /// A unit is finished.
    fn finish(&self, unit: Unit, written: &[Written]);
}

impl BuildSettings {
    /// Kinds of files made for a sector.
    pub fn kinds(&self, sector: Sector) -> &'static [TbKind] {
        let distances = if sector.is_moving() { self.moving_distances } else { self.placing_distances };
        if distances { &[TbKind::Wdl, TbKind::Distance] } else { &[TbKind::Wdl] }
    }

    /// The kind of the files that a unit reads.
    pub const fn source_kind(&self, unit: Unit) -> TbKind {
        let exact = match unit {
            Unit::Pair(..) => self.moving_distances,
            Unit::Placing(_) => self.placing_distances,
        };
        if exact { TbKind::Distance } else { TbKind::Wdl }
    }

    /// Builds those of `units` that are missing, in their order.
    ///
    /// # Errors
    /// If a file that the unit depends on is missing or damaged, or the folder cannot be written to. Finished
    /// files stay.
    pub fn build(&self, units: &[Unit], observer: &dyn BuildProgress) -> Result<(), TablebaseError> {
        std::fs::create_dir_all(&self.folder).map_err(TablebaseError::io("create", &self.folder))?;
        folder::clean_up(&self.folder)?;
        let mut loaded = LoadedSectors::default();
        for &unit in units {
            self.build_unit(unit, &mut loaded, observer)?;
        }
        Ok(())
    }

    /// Returns true if all files of a unit exist and are sound.
    ///
    /// Adds those that the manifest does not list yet.
    ///
    /// # Errors
    /// If a file of this name holds other rules.
    pub fn is_finished(&self, unit: Unit) -> Result<bool, TablebaseError> {
        let manifest = Manifest::load(&self.folder)?.unwrap_or_else(|| Manifest::new(&self.game));
        let mut unknown = Vec::new();
        for sector in unit.sectors() {
            for &kind in self.kinds(sector) {
                match manifest::finished(&self.folder, &manifest, &self.game, sector, kind)? {
                    Some(written) if manifest.get(sector, kind).is_none() => unknown.push(written),
                    Some(_) => {}
                    None => return Ok(false),
                }
            }
        }
        if self.writes_manifest && !unknown.is_empty() {
            Manifest::add(&self.folder, &self.game, &unknown)?;
        }
        Ok(true)
    }

    fn build_unit(
        &self,
        unit: Unit,
        loaded: &mut LoadedSectors,
        observer: &dyn BuildProgress,
    ) -> Result<(), TablebaseError> {
        if self.is_finished(unit)? {
            return Ok(());
        }
        observer.start(unit);
        let kind = self.source_kind(unit);
        let results = match unit {
            Unit::Pair(a, b) => {
                let mut load = |sector: Sector| self.load(sector, kind);
                let progress = |decided: u64| observer.advance(decided);
                let (first, second) =
                    solve_pair::<TablebaseError>(&self.game, a, b, self.threads, &mut load, &progress)?;
                let mut results = vec![(Sector::moving(a, b), first)];
                results.extend(second.map(|second| (Sector::moving(b, a), second)));
                results
            }
            Unit::Placing(sector) => vec![(sector, self.solve_placing(sector, loaded, observer)?)],
        };
        observer.advance(unit.slots());
        let mut written = Vec::new();
        for (sector, values) in results {
            let exact = self.kinds(sector).contains(&TbKind::Distance);
            let counts = count(sector, &values, exact, self.threads);
            let fingerprint = self.game.fingerprint(sector);
            let content = Content { sector, fingerprint, values: &values, counts };
            for &kind in self.kinds(sector) {
                let packing = Packing::usual(&self.game, sector, kind);
                written.push(file::write(&self.folder, kind, content, packing, self.threads)?);
            }
        }
        if self.writes_manifest {
            Manifest::add(&self.folder, &self.game, &written)?;
        }
        observer.finish(unit, &written);
        Ok(())
    }

    fn solve_placing(
        &self,
        sector: Sector,
        loaded: &mut LoadedSectors,
        observer: &dyn BuildProgress,
    ) -> Result<Vec<u8>, TablebaseError> {
        let kind = self.source_kind(Unit::Placing(sector));
        let after = |taken| placing::next_sector(&self.game, sector, taken);
        let Some(next) = after(0) else {
            return Err(TablebaseError::NoSector(sector));
        };
        let next_taken = if sector.theirs > 0 { after(1) } else { None };
        // Sectors that the last unit needed are often needed again.
        loaded.retain(|&known, _| known == next || Some(known) == next_taken);
        for needed in [Some(next), next_taken].into_iter().flatten() {
            if let Entry::Vacant(entry) = loaded.entry(needed) {
                let opens = self.game.black_opens && needed.is_moving() && is_stored(needed);
                entry.insert(if Unit::Placing(sector).settles(&self.game) {
                    settle(&self.game, self.threads, &mut |sector| self.load(sector, kind))?
                } else if opens {
                    let opener = self.load(Sector::moving(needed.theirs, needed.own), kind)?;
                    placing::passed(needed, &opener, self.threads)
                } else {
                    self.load(needed, kind)?
                });
            }
        }
        let quiet = &loaded[&next];
        let taken = next_taken.map(|next| (next, loaded[&next].as_slice()));
        let result = placing::solve(
            &self.game,
            sector,
            FinishedSector { sector: next, values: quiet },
            taken.map(|(sector, values)| FinishedSector { sector, values }),
            self.threads,
            &|settled| observer.advance(settled),
        );
        result.ok_or_else(|| TooLong { sector }.into())
    }

    /// Returns the values of a finished sector from its file of one kind.
    fn load(&self, sector: Sector, kind: TbKind) -> Result<Vec<u8>, TablebaseError> {
        if !is_stored(sector) {
            return Ok(vec![self.game.full_board().0; sector.slots() as usize]);
        }
        let table = TbFile::open_in(&self.folder, &self.game, sector, kind)?;
        table.read_all(self.threads)
    }
}

/// Counts the results over the canonical positions of a sector; the longest distances only if `exact`.
pub fn count(sector: Sector, values: &[u8], exact: bool, threads: usize) -> SectorCounts {
    let length = sector.row_length();
    let stabilisers = &Index::get().classes(sector.own as usize).stabilisers;
    let rows = values.chunks_exact(length).zip(stabilisers).enumerate();
    let tallies = share(
        threads,
        rows,
        || [0u64; 256],
        |tally, (row, (values, stabiliser))| {
            let first = (row * length) as u64;
            for (slot, &value) in (first..).zip(values) {
                if stabiliser.count_ones() == 1 || sector.canonical(slot) == slot {
                    tally[value as usize] += 1;
                }
            }
        },
    );
    let positions = |byte: usize| tallies.iter().map(|tally| tally[byte]).sum();
    SectorCounts::from_tally(&std::array::from_fn(positions), exact)
}
