//! `tb verify`: proves the files of a folder right, or lists their faults.

use super::folder::{manifest_of, sectors_of};
use super::scope::unit_by_name;
use crate::platform::text::counted;
use crate::rules::Rules;
use crate::tablebase::format::folder::{parse_name, tablebase_files};
use crate::tablebase::format::header::TbKind;
use crate::tablebase::format::index::MAX_MEN;
use crate::tablebase::solve::verify::{CheckedSector, Verifier, check_index, check_symmetries};
use crate::tablebase::{Sector, SolvedGame, TablebaseError};
use crate::tools::error::ToolError;
use serde::Serializer;
use std::fmt::Write as _;
use std::path::PathBuf;

/// The settings of `tb verify`.
#[derive(Clone, Debug)]
pub struct VerifyJob {
    /// The rules.
    pub rules: Rules,
    /// The folder of the tablebase files.
    pub path: PathBuf,
    /// The number of positions to check in each sector; `None` for all.
    pub sample: Option<u64>,
    /// The only unit to check; `None` for all.
    pub only: Option<String>,
    /// Number of threads.
    pub threads: usize,
}

/// The number of checked sectors, and of compared positions in them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct SectorShare {
    /// Sectors.
    pub sectors: usize,
    /// Positions.
    pub positions: u64,
}

/// The result of verifying a folder.
///
/// Sectors without a fault agree with the manifest and are counted by how far their values are proved.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct VerifyVerdict {
    /// Every value is proved, back from the ends of games.
    pub proved: SectorShare,
    /// Every value is that of its best turn, but not proved.
    ///
    /// The sectors it leads to are not proved, or distances are missing.
    pub consistent: SectorShare,
    /// A sample of the values was checked.
    pub sampled: SectorShare,
    /// The faults, each once.
    #[serde(serialize_with = "as_sentences")]
    pub faults: Vec<TablebaseError>,
}

/// Writes errors as sentences.
fn as_sentences<S: Serializer>(faults: &[TablebaseError], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(faults.iter().map(TablebaseError::to_string))
}

impl VerifyVerdict {
    fn new(verifier: &Verifier<'_>, checked: &[CheckedSector], faults: Vec<TablebaseError>) -> Self {
        let mut verdict = Self { faults, ..Self::default() };
        let proved = verifier.proved(checked);
        for checked in checked {
            let share = if !checked.is_whole {
                &mut verdict.sampled
            } else if proved.contains(&checked.sector) {
                &mut verdict.proved
            } else {
                &mut verdict.consistent
            };
            share.sectors += 1;
            share.positions += checked.positions;
        }
        verdict
    }

    /// Returns the verdict as text, proved sectors first, without the faults.
    pub fn text(&self) -> String {
        let shares = [
            ("proved", self.proved, ""),
            (
                "consistent, not proved",
                self.consistent,
                ": hashes agree and each result fits its turns, but distances are missing, or what it \
                    leads to is not \
                 proved here",
            ),
            (
                "sampled, not proved",
                self.sampled,
                ": hashes agree and the positions looked at fit their turns",
            ),
        ];
        let mut text = String::new();
        for (what, SectorShare { sectors, positions }, means) in shares {
            if sectors > 0 {
                let _ = writeln!(
                    text,
                    "{what}: {}, {}{means}",
                    counted(sectors, "sector"),
                    counted(positions, "position")
                );
            }
        }
        if text.is_empty() { "nothing proved\n".to_owned() } else { text }
    }
}

/// A report of [`VerifyJob::run`]: the number of the sector, the number of all, and the finding.
pub type Finding<'a> = (usize, usize, Sector, Result<CheckedSector, &'a [TablebaseError]>);

impl VerifyJob {
    /// Checks every sector and calls `report` for each.
    ///
    /// # Errors
    /// If there is nothing to check, or `report` fails. Faults of the files are in the verdict.
    pub fn run(
        &self,
        mut report: impl FnMut(Finding<'_>) -> Result<(), ToolError>,
    ) -> Result<VerifyVerdict, ToolError> {
        let manifest = manifest_of(&self.path)?;
        let game = SolvedGame::new(&self.rules)?;
        let only = self.only.as_ref().map(|name| unit_by_name(&game, name)).transpose()?;
        let is_selected = |sector: &Sector| only.is_none_or(|unit| unit.sectors().contains(sector));
        let mut sectors = sectors_of(&manifest);
        sectors.retain(is_selected);
        if sectors.is_empty() {
            return Err(ToolError::NothingListed { folder: self.path.clone(), unit: only });
        }
        let mut faults = Vec::new();
        for path in tablebase_files(&self.path)? {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            let is_meant = parse_name(name).map_or(only.is_none(), |(sector, _)| is_selected(&sector));
            if is_meant && !manifest.files.contains_key(name) {
                faults.push(TablebaseError::Unlisted(path));
            }
        }
        let verifier = Verifier::new(&self.rules, &self.path, self.threads, self.sample)?;
        let most = sectors.iter().map(|sector| sector.own.max(sector.theirs)).max().unwrap_or(0);
        // In the placing phase a turn leads to a sector with one man more.
        let sizes = 0..=usize::from(most + 1).min(MAX_MEN);
        check_symmetries().and_then(|()| sizes.into_iter().try_for_each(check_index))?;
        let mut checked = Vec::new();
        for (number, &sector) in sectors.iter().enumerate() {
            let found = verifier.check(&manifest, sector);
            checked.extend(found.as_ref().ok());
            let finding = found.as_ref().map(|one| *one).map_err(Vec::as_slice);
            report((number + 1, sectors.len(), sector, finding))?;
            // A fault in one file shows again in the files that lead to it.
            for fault in found.err().into_iter().flatten() {
                if !faults.contains(&fault) {
                    faults.push(fault);
                }
            }
        }
        Ok(VerifyVerdict::new(&verifier, &checked, faults))
    }
}

/// Returns the line for a sector without faults.
pub fn describe(checked: &CheckedSector) -> String {
    let CheckedSector { sector, kind, positions, is_whole } = checked;
    let what = match kind {
        TbKind::Distance => "value and distance",
        TbKind::Wdl => "result",
    };
    let sampled = if *is_whole { String::new() } else { format!(" of {}", sector.slots()) };
    format!("{sector}: {positions}{sampled} positions have the {what} of their best turn")
}
