//! `tb build`: makes the tablebase files of a scope that are missing.

use super::folder::{check_folder_target, check_rules};
use super::progress::{BuildBars, CheckBar};
use super::resources::{check_disk, disk_of, memory_of};
use super::scope::{Scope, unit_by_name};
use crate::platform::memory::available_bytes;
use crate::platform::text::{counted, printable_path};
use crate::rules::Rules;
use crate::tablebase::format::folder::{MANIFEST, clean_up, file_name};
use crate::tablebase::format::header::Packing;
use crate::tablebase::format::manifest::Manifest;
use crate::tablebase::solve::build::{BuildSettings, Distances};
use crate::tablebase::solve::units::Unit;
use crate::tablebase::{SolvedGame, TablebaseError};
use crate::tools::arguments::{ThreadsArg, count};
use crate::tools::error::ToolError;
use crate::tools::files::eprint_line;
use clap::builder::PossibleValue;
use clap::{ArgAction, Args, ValueEnum};
use std::path::PathBuf;

/// The settings of `tb build`.
#[derive(Clone, Debug, Args)]
pub struct BuildJob {
    /// Part of the game to solve: N-men (at most N men on the board, 6 to 24, moving phase), moving, or
    /// all
    #[arg(long, default_value = "moving")]
    pub scope: Scope,
    /// Folder of the tablebase files
    #[arg(long, alias = "tablebase", default_value = "tables")]
    pub path: PathBuf,
    /// Phases for which distances are stored
    #[arg(long, value_enum, default_value = "moving")]
    pub distances: Distances,
    /// The number of threads.
    #[command(flatten)]
    pub threads: ThreadsArg,
    /// Memory that the build may count on, in MiB, at least 1; the free memory if not given
    #[arg(long, value_name = "MIB", value_parser = count(u64::MAX))]
    pub memory: Option<u64>,
    /// Build only this unit, from finished ones: a pair as 4-3 or a placing sector as 3_4_6_5
    #[arg(long, value_name = "UNIT", conflicts_with = "scope")]
    pub only: Option<String>,
    /// Do not list the new files in the manifest; a later call without this flag does
    #[arg(long = "no-manifest", action = ArgAction::SetFalse)]
    pub writes_manifest: bool,
    /// Show no progress
    #[arg(long)]
    pub quiet: bool,
    /// The rules.
    #[command(flatten)]
    pub rules: Rules,
}

impl BuildJob {
    /// Returns a job that prints nothing and makes distances of the moving phase.
    #[cfg(test)]
    pub(crate) fn silent(rules: Rules, scope: Scope, path: PathBuf) -> Self {
        Self {
            rules,
            scope,
            path,
            distances: Distances::Moving,
            threads: 1.into(),
            memory: None,
            only: None,
            writes_manifest: true,
            quiet: true,
        }
    }

    fn settings(&self) -> Result<BuildSettings, ToolError> {
        Ok(BuildSettings {
            game: SolvedGame::new(&self.rules)?,
            folder: self.path.clone(),
            threads: self.threads.count(),
            distances: self.distances,
            writes_manifest: self.writes_manifest,
        })
    }

    /// Builds the missing files.
    ///
    /// # Errors
    /// If the rules are not supported, memory or disk is too small, a file stands in the way, or the manifest
    /// lists files of other rules.
    pub fn run(&self) -> Result<(), ToolError> {
        check_folder_target(&self.path)?;
        let settings = self.settings()?;
        let units = match &self.only {
            Some(name) => vec![unit_by_name(&settings.game, name)?],
            None => units_of(self.scope, &settings.game, &self.rules)?,
        };
        let all = units.len();
        let listed = || -> Result<usize, TablebaseError> {
            let Some(manifest) = Manifest::load(&self.path)? else { return Ok(0) };
            check_rules(&manifest, &self.path, &self.rules, &settings.game)?;
            Ok(manifest.files.len())
        };
        let before = listed()?;
        let part = |unit: &Unit| {
            let is_there = |sector| self.path.join(file_name(sector, settings.source_kind(*unit))).exists();
            (unit.slots(), unit.sectors().into_iter().all(is_there))
        };
        let mut bar = (!self.quiet).then(|| CheckBar::new(units.iter().map(part), "unit"));
        let missing = settings.unfinished(&units, || bar.iter_mut().for_each(CheckBar::advance))?;
        drop(bar);
        let added = listed()?.saturating_sub(before);
        let path = printable_path(&self.path);
        if added > 0 && !self.quiet {
            eprint_line(format_args!("{path}: {} added to {MANIFEST}", counted(added, "file")));
        }
        if self.only.is_some() {
            self.check_sources(&settings, &missing)?;
        }
        if missing.is_empty() && !self.quiet {
            eprint_line(format_args!("nothing to build: {path} already holds {}", counted(all, "unit")));
        }
        // Before the disk is measured, since leftovers take room.
        if self.path.is_dir() {
            clean_up(&self.path)?;
        }
        // The other half is left to other programs.
        let spare_disk = self.check_resources(&settings, &missing)? / 2;
        let progress = BuildBars::new(&missing, self.quiet);
        settings.build(&missing, spare_disk, &progress)?;
        progress.end();
        Ok(())
    }

    /// Checks that the files exist that these units read, before anything is created.
    fn check_sources(&self, settings: &BuildSettings, units: &[Unit]) -> Result<(), ToolError> {
        let game = &settings.game;
        for &unit in units {
            for sector in unit.needs(game) {
                let path = self.path.join(file_name(sector, settings.source_kind(unit)));
                if !path.exists() {
                    return Err(ToolError::MissingSource {
                        path,
                        maker: Unit::of(game, sector),
                        reader: unit,
                    });
                }
            }
        }
        Ok(())
    }

    /// Checks that memory and disk are large enough. Returns the bytes of disk to spare.
    fn check_resources(&self, settings: &BuildSettings, units: &[Unit]) -> Result<u64, ToolError> {
        let Some(&largest) = units.iter().max_by_key(|&&unit| memory_of(settings, unit)) else {
            return Ok(0);
        };
        let needed = memory_of(settings, largest).div_ceil(1 << 20);
        let given = self.memory.or_else(|| available_bytes().map(|bytes| bytes >> 20));
        if let Some(given) = given.filter(|&given| given < needed) {
            let is_chosen = self.memory.is_some();
            return Err(ToolError::Memory { unit: largest, needed, given, is_chosen });
        }
        let files = units.iter().flat_map(|unit| unit.sectors());
        let files = files.flat_map(|sector| settings.kinds(sector).iter().map(move |&kind| (sector, kind)));
        let bytes = files.map(|(sector, kind)| {
            disk_of(sector, kind, Packing::usual(&settings.game, sector, kind).block_slots)
        });
        check_disk(&self.path, bytes.sum())
    }
}

impl ValueEnum for Distances {
    fn value_variants<'a>() -> &'a [Self] {
        &[Self::None, Self::Moving, Self::All]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let help = match self {
            Self::None => "For no phase: win, draw and loss only",
            Self::Moving => "For the moving phase",
            Self::All => "For both phases",
        };
        Some(PossibleValue::new(self.name()).help(help))
    }
}

/// Returns the units of a scope, of which there is at least one.
///
/// # Errors
/// As [`Scope::units`], or if there are none.
pub(super) fn units_of(scope: Scope, game: &SolvedGame, rules: &Rules) -> Result<Vec<Unit>, ToolError> {
    let units = scope.units(game)?;
    if units.is_empty() {
        let (rules, least) = (Box::new(*rules), 2 * game.least);
        return Err(ToolError::EmptyScope { scope, rules, least });
    }
    Ok(units)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_memory_that_is_needed_is_rounded_up() {
        let path = std::env::temp_dir().join("millstone: no such folder");
        let scope = Scope::Men(9);
        let job = BuildJob {
            distances: Distances::None,
            writes_manifest: false,
            ..BuildJob::silent(Rules::NINE, scope, path)
        };
        let settings = job.settings().expect("a game");
        let units = scope.units(&settings.game).expect("units");
        let bytes = units.into_iter().map(|unit| memory_of(&settings, unit)).max().expect("a unit");
        assert_ne!(bytes % (1 << 20), 0, "a number that rounding changes");
        let given = bytes >> 20;
        let refused = BuildJob { memory: Some(given), ..job }.run();
        let Err(ToolError::Memory { needed, .. }) = refused else { panic!("{refused:?}") };
        assert_eq!(needed, given + 1);
    }
}
