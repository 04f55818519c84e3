//! Makes the tablebase files of a folder, unit by unit, and resumes where an earlier run stopped.

use super::finished::FinishedSector;
use super::pair;
use super::results;
use super::settle::settle;
use super::single::{self, passed, taken_from_full_boards};
use super::units::{AFTER_FULL_BOARD, Unit, is_stored, opens_after, sectors_after};
use super::unpacked::UnpackedResults;
use crate::tablebase::format::error::{TablebaseError, TooLong};
use crate::tablebase::format::file::TbFile;
use crate::tablebase::format::folder::check_writable;
use crate::tablebase::format::game::{SolvedGame, TurnKind};
use crate::tablebase::format::header::{Packing, TbKind, count};
use crate::tablebase::format::index::Sector;
use crate::tablebase::format::manifest::{self, Manifest};
use crate::tablebase::format::write::{self, Content, Written};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::path::PathBuf;

/// The finished sectors in memory that turns into other units lead to.
type LoadedSectors = HashMap<Sector, Vec<u8>>;

/// The phases for which distances are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Distances {
    /// No phase: win, draw and loss only.
    None,
    /// The moving phase.
    Moving,
    /// Both phases.
    All,
}

impl Distances {
    /// The name, as arguments have it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Moving => "moving",
            Self::All => "all",
        }
    }

    /// Returns true if distances of the moving phase, or else of the placing phase, are stored.
    pub const fn stores(self, is_moving: bool) -> bool {
        match self {
            Self::None => false,
            Self::Moving => is_moving,
            Self::All => true,
        }
    }
}

/// The settings of a build.
#[derive(Clone, Debug)]
pub struct BuildSettings {
    /// The rules.
    pub game: SolvedGame,
    /// The folder of the tablebase files.
    pub folder: PathBuf,
    /// Number of threads.
    pub threads: usize,
    /// The phases for which distances are stored.
    pub distances: Distances,
    /// True to list the new files in the manifest.
    pub writes_manifest: bool,
}

/// Receives the steps of a build, to show progress.
pub trait BuildProgress: Sync {
    /// A unit begins.
    fn start(&self, unit: Unit);
    /// The number of solved slots of the unit. Called from any thread, for every step of a pair and every
    /// row of a single sector. When all are solved, the files are compressed and written.
    fn advance(&self, slots: u64);
    /// A unit is finished.
    fn finish(&self, unit: Unit, written: &[Written]);
}

impl BuildSettings {
    /// Kinds of files made for a sector.
    pub fn kinds(&self, sector: Sector) -> &'static [TbKind] {
        match self.distances.stores(sector.is_moving()) {
            true => &[TbKind::Wdl, TbKind::Distance],
            false => &[TbKind::Wdl],
        }
    }

    /// The kind of the files that a unit reads.
    pub const fn source_kind(&self, unit: Unit) -> TbKind {
        if self.distances.stores(unit.is_moving()) { TbKind::Distance } else { TbKind::Wdl }
    }

    /// Returns the number of the last of `units` that reads the results of a sector, for each that is read.
    /// Units that read distances do not count.
    fn last_use_of_results(&self, units: &[Unit]) -> HashMap<Sector, usize> {
        let readers = units.iter().enumerate().filter(|(_, unit)| self.source_kind(**unit) == TbKind::Wdl);
        let needs = |(number, unit): (usize, &Unit)| {
            unit.needs(&self.game).into_iter().map(move |sector| (sector, number))
        };
        readers.flat_map(needs).collect()
    }

    /// Builds those of `units` that are missing, in their order.
    ///
    /// Unpacked results that later units read may take `spare_disk` bytes of disk at the same time.
    ///
    /// # Errors
    /// If a file that a unit depends on is missing or damaged, a file of other rules is in the way, the
    /// distances are too long, or the folder cannot be written to. Finished files stay.
    pub fn build(
        &self,
        units: &[Unit],
        spare_disk: u64,
        observer: &dyn BuildProgress,
    ) -> Result<(), TablebaseError> {
        std::fs::create_dir_all(&self.folder).map_err(TablebaseError::io("create", &self.folder))?;
        if !units.is_empty() {
            check_writable(&self.folder)?;
        }
        if self.writes_manifest && !units.is_empty() {
            Manifest::check_writable(&self.folder)?;
        }
        let mut loaded = LoadedSectors::default();
        let last_use = self.last_use_of_results(units);
        let mut unpacked = UnpackedResults::new(&self.folder, self.threads, spare_disk, last_use);
        for (number, &unit) in units.iter().enumerate() {
            unpacked.begin(number);
            self.build_unit(unit, &mut loaded, &mut unpacked, observer)?;
        }
        Ok(())
    }

    /// Returns true if all files of a unit exist and are sound.
    ///
    /// Looks at each file, also if one is missing, since a build replaces them all. If no file is missing,
    /// adds those that the manifest does not list, or lists as another file with the same values.
    ///
    /// # Errors
    /// If the manifest or a file cannot be read, the manifest cannot be written, or a file of this name holds
    /// other rules.
    pub fn is_finished(&self, unit: Unit) -> Result<bool, TablebaseError> {
        self.is_listed_or_sound(unit, &self.manifest()?)
    }

    /// Returns those of `units` that are not finished, and calls `checked` after each unit.
    ///
    /// Looks at the files as [`is_finished`](Self::is_finished) does, but reads the manifest once. Files that
    /// another process lists meanwhile are read as if they were not listed.
    ///
    /// # Errors
    /// As [`is_finished`](Self::is_finished).
    pub fn unfinished(&self, units: &[Unit], mut checked: impl FnMut()) -> Result<Vec<Unit>, TablebaseError> {
        let manifest = self.manifest()?;
        let mut missing = Vec::new();
        for &unit in units {
            if !self.is_listed_or_sound(unit, &manifest)? {
                missing.push(unit);
            }
            checked();
        }
        Ok(missing)
    }

    /// Returns the manifest of the folder, or an empty one.
    fn manifest(&self) -> Result<Manifest, TablebaseError> {
        Ok(Manifest::load(&self.folder)?.unwrap_or_else(|| Manifest::new(&self.game)))
    }

    /// As [`is_finished`](Self::is_finished), for a manifest that was read before.
    fn is_listed_or_sound(&self, unit: Unit, manifest: &Manifest) -> Result<bool, TablebaseError> {
        let (mut unlisted, mut is_complete) = (Vec::new(), true);
        for sector in unit.sectors() {
            for &kind in self.kinds(sector) {
                match manifest::finished(&self.folder, manifest, &self.game, sector, kind, self.threads)? {
                    Some(written) if manifest.lists(&written) => {}
                    Some(written) => unlisted.push(written),
                    None => is_complete = false,
                }
            }
        }
        if self.writes_manifest && is_complete && !unlisted.is_empty() {
            Manifest::add(&self.folder, &self.game, &unlisted)?;
        }
        Ok(is_complete)
    }

    fn build_unit(
        &self,
        unit: Unit,
        loaded: &mut LoadedSectors,
        unpacked: &mut UnpackedResults,
        observer: &dyn BuildProgress,
    ) -> Result<(), TablebaseError> {
        if self.is_finished(unit)? {
            return Ok(());
        }
        observer.start(unit);
        let kind = self.source_kind(unit);
        let results = match unit {
            Unit::Pair(sector) => {
                // The memory is needed for the pair.
                loaded.clear();
                let mut load = |sector: Sector| self.load(sector, kind, unpacked);
                let progress = |decided: u64| observer.advance(decided);
                let (game, threads) = (&self.game, self.threads);
                if kind == TbKind::Distance || unit.is_moving() {
                    pair::solve_pair::<TablebaseError>(game, sector, kind, threads, &mut load, &progress)?
                } else {
                    results::solve_pair(game, sector, threads, &mut load, &progress)?
                }
            }
            Unit::Single(sector) => vec![(sector, self.solve_single(sector, loaded, unpacked, observer)?)],
        };
        observer.advance(unit.slots());
        // Another process may have begun to fill the folder under other rules meanwhile.
        self.is_finished(unit)?;
        let mut written = Vec::new();
        for (sector, values) in results {
            let exact = self.kinds(sector).contains(&TbKind::Distance);
            let counts = count(sector, &values, exact, self.threads);
            let fingerprint = self.game.fingerprint(sector);
            let content = Content { sector, fingerprint, values: &values, counts };
            unpacked.keep(sector, &values);
            for &kind in self.kinds(sector) {
                let packing = Packing::usual(&self.game, sector, kind);
                written.push(write::write_file(&self.folder, kind, content, packing, self.threads)?);
            }
        }
        if self.writes_manifest {
            Manifest::add(&self.folder, &self.game, &written)?;
        }
        observer.finish(unit, &written);
        Ok(())
    }

    fn solve_single(
        &self,
        sector: Sector,
        loaded: &mut LoadedSectors,
        unpacked: &mut UnpackedResults,
        observer: &dyn BuildProgress,
    ) -> Result<Vec<u8>, TablebaseError> {
        let game = &self.game;
        let unit = Unit::Single(sector);
        let kind = self.source_kind(unit);
        let after: Vec<(TurnKind, u8, Sector)> = sectors_after(game, sector).collect();
        if after.is_empty() {
            return Err(TablebaseError::NoSector(sector));
        }
        // Sectors that the last unit needed are often needed again.
        loaded.retain(|&known, _| after.iter().any(|&(.., next)| next == known));
        for &(.., needed) in &after {
            if let Entry::Vacant(entry) = loaded.entry(needed) {
                entry.insert(if unit.settles(game) {
                    settle(game, self.threads, &mut |sector| self.load(sector, kind, unpacked))?
                } else if opens_after(game, sector, needed) {
                    passed(needed, &self.load(needed.mirrored(), kind, unpacked)?, self.threads)
                } else {
                    self.load(needed, kind, unpacked)?
                });
            }
        }
        let finished = |turn: TurnKind| -> Vec<FinishedSector<'_>> {
            let sectors = after.iter().filter(|&&(of, ..)| of == turn).map(|&(.., next)| next);
            sectors.map(|sector| FinishedSector { sector, values: &loaded[&sector] }).collect()
        };
        let progress = |settled: u64| observer.advance(settled);
        match kind {
            TbKind::Distance => {
                let turns_of = |turn| single::Turns::new(game, sector, turn, &finished(turn));
                let turns: Vec<single::Turns<'_>> = TurnKind::ALL.into_iter().filter_map(turns_of).collect();
                let result = single::solve(game, sector, &turns, self.threads, &progress);
                result.ok_or_else(|| TooLong { sector }.into())
            }
            TbKind::Wdl => {
                let turns_of = |turn| {
                    let finished = finished(turn);
                    let (&quiet, taken) = finished.split_first()?;
                    Some(results::FinishedTurns::new(game, sector, turn, Some(quiet), taken))
                };
                let turns: Vec<results::FinishedTurns<'_>> =
                    TurnKind::ALL.into_iter().filter_map(turns_of).collect();
                Ok(results::solve_single(game, sector, &turns, self.threads, &progress))
            }
        }
    }

    /// Returns the values of a finished sector from its file of one kind, or from its unpacked results.
    fn load(
        &self,
        sector: Sector,
        kind: TbKind,
        unpacked: &mut UnpackedResults,
    ) -> Result<Vec<u8>, TablebaseError> {
        if !is_stored(sector) && self.game.full_board_takes {
            let after = self.load(AFTER_FULL_BOARD, kind, unpacked)?;
            return Ok(taken_from_full_boards(&self.game, &after));
        }
        if !is_stored(sector) {
            return Ok(vec![self.game.full_board().0; sector.slots() as usize]);
        }
        if kind == TbKind::Wdl
            && let Some(values) = unpacked.values(sector)
        {
            return Ok(values);
        }
        let values = TbFile::open_in(&self.folder, &self.game, sector, kind)?.read_all(self.threads)?;
        if kind == TbKind::Wdl {
            unpacked.keep(sector, &values);
        }
        Ok(values)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Rules;

    #[test]
    fn only_units_that_read_results_count_as_their_readers() {
        let [three, four] = [Sector::moving(3, 3), Sector::moving(4, 3)];
        let units = [Unit::Pair(three), Unit::Pair(four), Unit::Pair(Sector::moving(4, 4))];
        let last_use = |distances: Distances| {
            let settings = BuildSettings {
                game: SolvedGame::new(&Rules::NINE).expect("a game"),
                folder: PathBuf::new(),
                threads: 1,
                distances,
                writes_manifest: true,
            };
            settings.last_use_of_results(&units)
        };
        assert_eq!(last_use(Distances::Moving), HashMap::new());
        // A take leads from four against four to three against four.
        assert_eq!(last_use(Distances::None), HashMap::from([(three, 1), (four.mirrored(), 2)]));
    }
}
