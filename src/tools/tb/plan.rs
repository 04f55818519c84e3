//! `tb plan`: the units of a scope and what each depends on, for make, Snakemake and other programs that run
//! jobs.

use super::build::units_of;
use super::makefile;
use super::resources::{disk_of, memory_of, minutes_of};
use super::scope::Scope;
use super::snakemake;
use super::unit_jobs::{JobGraph, Resources, UnitJob};
use crate::platform::text::is_control;
use crate::rules::Rules;
use crate::tablebase::format::folder::file_name;
use crate::tablebase::format::header::{Packing, TbKind};
use crate::tablebase::solve::build::{BuildSettings, Distances};
use crate::tablebase::solve::units::Unit;
use crate::tablebase::{Sector, SolvedGame};
use crate::tools::error::{Place, ToolError};
use clap::ValueEnum;
use std::collections::HashMap;
use std::path::PathBuf;

/// The form in which `tb plan` writes the units.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PlanFormat {
    /// A makefile
    Make,
    /// A Snakefile, for clusters and clouds
    Snakemake,
    /// JSON
    Json,
}

/// The settings of `tb plan`.
#[derive(Clone, Debug)]
pub struct PlanJob {
    /// The rules.
    pub rules: Rules,
    /// The positions to solve.
    pub scope: Scope,
    /// The folder of the tablebase files.
    pub path: PathBuf,
    /// The phases for which distances are stored.
    pub distances: Distances,
    /// The form of the output.
    pub format: PlanFormat,
}

impl PlanJob {
    /// Returns the plan as text.
    ///
    /// # Errors
    /// As [`units_of`], or if the format cannot represent the name of the folder.
    pub fn text(&self) -> Result<String, ToolError> {
        let jobs = self.jobs()?;
        if self.format == PlanFormat::Json {
            let list: Vec<_> = jobs.iter().map(UnitJob::json).collect();
            return Ok(format!("{:#}\n", serde_json::Value::Array(list)));
        }
        let (rules, folder) = (self.rules.describe(), self.folder()?);
        let graph = JobGraph { jobs, scope: self.scope, rules, distances: self.distances, folder };
        Ok(match self.format {
            PlanFormat::Snakemake => snakemake::text(&graph),
            _ => makefile::text(&graph),
        })
    }

    /// Returns the name of the folder, if the format can represent it.
    fn folder(&self) -> Result<&str, ToolError> {
        // Make ends a value at the line; Snakemake reads `{…}` in the name of a file as a wildcard.
        let (is_refused, expected): (fn(char) -> bool, _) = match self.format {
            PlanFormat::Snakemake => (
                |c| is_control(c) || "{}".contains(c),
                "a folder in UTF-8 without braces and control characters",
            ),
            _ => (is_control, "a folder in UTF-8 without control characters"),
        };
        match self.path.to_str() {
            Some(folder) if !folder.contains(is_refused) => Ok(folder),
            _ => Err(ToolError::unexpected(Place::Argument("--path"), self.path.to_string_lossy(), expected)),
        }
    }

    fn jobs(&self) -> Result<Vec<UnitJob>, ToolError> {
        let game = SolvedGame::new(&self.rules)?;
        let settings = BuildSettings {
            game,
            folder: self.path.clone(),
            threads: 1,
            distances: self.distances,
            writes_manifest: false,
        };
        let units = units_of(self.scope, &game, &self.rules)?;
        let of_sector: HashMap<Sector, Unit> =
            units.iter().flat_map(|&unit| unit.sectors().into_iter().map(move |s| (s, unit))).collect();
        let job = |unit: Unit| {
            let sources = unit.needs(&game);
            let mut needs: Vec<Unit> =
                sources.iter().filter_map(|sector| of_sector.get(sector).copied()).collect();
            needs.sort_by_key(ToString::to_string);
            needs.dedup();
            let kind = settings.source_kind(unit);
            let inputs: Vec<(Sector, TbKind)> = sources.into_iter().map(|sector| (sector, kind)).collect();
            let kinds = |sector| settings.kinds(sector).iter().map(move |&kind| (sector, kind));
            let outputs: Vec<(Sector, TbKind)> = unit.sectors().into_iter().flat_map(kinds).collect();
            let bytes = |&(sector, kind): &(Sector, TbKind)| {
                disk_of(sector, kind, Packing::usual(&game, sector, kind).block_slots)
            };
            let names = |files: &[(Sector, TbKind)]| {
                files.iter().map(|&(sector, kind)| file_name(sector, kind)).collect()
            };
            UnitJob {
                unit,
                needs,
                inputs: names(&inputs),
                outputs: names(&outputs),
                written: outputs.iter().map(bytes).sum(),
                resources: Resources {
                    memory: memory_of(&settings, unit),
                    disk: inputs.iter().chain(&outputs).map(bytes).sum(),
                    minutes: minutes_of(&game, unit),
                },
            }
        };
        Ok(units.iter().map(|&unit| job(unit)).collect())
    }
}
