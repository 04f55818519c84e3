//! `tb verify`: proves the files of a folder right, or lists their faults. With a file to resume from,
//! sectors without a fault are not checked again.

use super::folder::{manifest_of, sectors_of};
use super::scope::unit_by_name;
use crate::platform::text::counted;
use crate::rules::Rules;
use crate::tablebase::format::folder::{parse_name, tablebase_files};
use crate::tablebase::format::header::TbKind;
use crate::tablebase::format::index::MAX_MEN;
use crate::tablebase::format::manifest::Manifest;
use crate::tablebase::solve::verify::{CheckedSector, Verifier, check_index, check_symmetries};
use crate::tablebase::{Sector, TablebaseError};
use crate::tools::arguments::{ThreadsArg, count};
use crate::tools::error::{Place, ToolError};
use crate::tools::files::{eprint_line, write_out};
use crate::tools::progress::Bar;
use crate::tools::resume::{self, JobTraits, ResumeFile, ResumeJob, WrongPart};
use clap::Args;
use serde::{Deserialize, Serialize, Serializer};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::xxh3_64;

/// The settings of `tb verify`.
#[derive(Clone, Debug, Args)]
pub struct VerifyJob {
    /// Folder of the tablebase files
    #[arg(long, alias = "tablebase", default_value = "tables")]
    pub path: PathBuf,
    /// Check only about this many positions of each sector
    #[arg(long, value_name = "N", value_parser = count(u64::MAX))]
    pub sample: Option<u64>,
    /// Check only this unit: a pair as 4-3 or a placing sector as 3_4_6_5
    #[arg(long, value_name = "UNIT")]
    pub only: Option<String>,
    /// The number of threads.
    #[command(flatten)]
    pub threads: ThreadsArg,
    /// Keep the sectors without a fault in this file, and continue after those that it holds
    #[arg(long, value_name = "FILE")]
    pub resume: Option<PathBuf>,
    /// Report as JSON, one object a line
    #[arg(long)]
    pub json: bool,
    /// The rules.
    #[command(flatten)]
    pub rules: Rules,
}

/// The identity of a check.
#[derive(PartialEq, Debug, Serialize, Deserialize)]
struct CheckIdentity {
    rules: String,
    files: String,
    sample: Option<u64>,
}

impl ResumeJob for CheckIdentity {
    const NAME: &'static str = resume::CHECK;
    const PART: &'static str = "a sector";

    fn traits(&self) -> JobTraits {
        let sample = self.sample.map_or_else(|| "all".to_owned(), |positions| positions.to_string());
        let (rules, files) = (self.rules.clone(), self.files.clone());
        vec![("the rules", rules), ("the files", files), ("the positions of a sector", sample)]
    }
}

/// The number of checked sectors, and of compared slots in them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct SectorShare {
    /// Sectors.
    pub sectors: usize,
    /// Slots.
    pub slots: u64,
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
            share.slots += checked.slots;
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
                ": hashes agree and each result fits its turns, but distances are missing, or what it leads \
                 to is not proved here",
            ),
            (
                "sampled, not proved",
                self.sampled,
                ": hashes agree and the positions looked at fit their turns",
            ),
        ];
        let mut text = String::new();
        for (what, SectorShare { sectors, slots }, means) in shares {
            if sectors > 0 {
                let _ = writeln!(
                    text,
                    "{what}: {}, {}{means}",
                    counted(sectors, "sector"),
                    counted(slots, "slot")
                );
            }
        }
        if text.is_empty() { "nothing proved\n".to_owned() } else { text }
    }
}

/// The sectors that an earlier run found without a fault, and the file that keeps them.
struct KeptSectors {
    log: ResumeFile,
    checked: BTreeMap<Sector, CheckedSector>,
}

/// The finding on a sector.
#[derive(Debug)]
pub struct Finding<'a> {
    /// The number of the sector, from 1.
    number: usize,
    /// The number of all sectors.
    total: usize,
    sector: Sector,
    found: Result<CheckedSector, &'a [TablebaseError]>,
}

impl Finding<'_> {
    fn text(&self) -> String {
        let Self { number, total, sector, found } = self;
        match found {
            Ok(checked) => format!("{number}/{total} {}", describe(checked)),
            Err(faults) => format!("{number}/{total} {sector}: {}", counted(faults.len(), "fault")),
        }
    }

    fn json(&self) -> serde_json::Value {
        let sector = self.sector.to_string();
        match self.found {
            Ok(CheckedSector { kind, slots, is_whole, .. }) => serde_json::json!({
                "sector": sector, "values": kind.extension(), "slots": slots, "whole": is_whole,
            }),
            Err(faults) => {
                let faults: Vec<String> = faults.iter().map(TablebaseError::to_string).collect();
                serde_json::json!({ "sector": sector, "faults": faults })
            }
        }
    }
}

impl VerifyJob {
    /// Runs the job, and prints each finding and the verdict, as text or as JSON.
    ///
    /// # Errors
    /// As [`run`](Self::run), or if standard output fails. With `json` the error is printed too, as the only
    /// fault.
    pub fn run_and_print(&self) -> Result<VerifyVerdict, ToolError> {
        let print = |finding: Finding<'_>| {
            let line = if self.json { finding.json().to_string() } else { finding.text() };
            write_out(None, &format!("{line}\n"))
        };
        let verdict = match self.run(print) {
            Ok(verdict) => verdict,
            Err(why) => {
                if self.json {
                    let mut nothing = serde_json::json!(VerifyVerdict::default());
                    nothing["faults"] = serde_json::json!([why.to_string()]);
                    write_out(None, &format!("{nothing}\n"))?;
                }
                return Err(why);
            }
        };
        let text = if self.json { serde_json::json!(verdict).to_string() + "\n" } else { verdict.text() };
        write_out(None, &text)?;
        Ok(verdict)
    }

    /// Checks every sector and calls `report` for each.
    ///
    /// # Errors
    /// If there is nothing to check, the files are those of other rules, or `report` fails. Faults of the
    /// files are in the verdict.
    pub fn run(
        &self,
        mut report: impl FnMut(Finding<'_>) -> Result<(), ToolError>,
    ) -> Result<VerifyVerdict, ToolError> {
        let (manifest, game) = manifest_of(&self.path, &self.rules)?;
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
        let verifier = Verifier::new(&self.rules, &self.path, &manifest, self.threads.count(), self.sample)?;
        let most = sectors.iter().map(|sector| sector.own.max(sector.theirs)).max().unwrap_or(0);
        // In the placing phase a turn leads to a sector with one man more.
        let sizes = 0..=usize::from(most + 1).min(MAX_MEN);
        check_symmetries().and_then(|()| sizes.into_iter().try_for_each(check_index))?;
        let mut kept = self.resume.as_ref().map(|path| self.kept(path, &manifest)).transpose()?;
        let mut checked = Vec::new();
        // Kept sectors are only hashed, so they say nothing about the time left.
        let is_kept = |sector: &Sector| kept.as_ref().is_some_and(|kept| kept.checked.contains_key(sector));
        // Thousands of slots: the number of slots may be too large for 32 bits.
        let weight = |sector: &Sector| if is_kept(sector) { 0 } else { (sector.slots() / 1_000) as usize };
        let weights: Vec<usize> = sectors.iter().map(weight).collect();
        let bar = Bar::new(weights.iter().sum());
        let mut done = 0;
        for (number, (&sector, weight)) in sectors.iter().zip(weights).enumerate() {
            let found = check(&verifier, sector, kept.as_mut())?;
            checked.extend(found.as_ref().ok());
            let finding = Finding {
                number: number + 1,
                total: sectors.len(),
                sector,
                found: found.as_ref().map(|one| *one).map_err(Vec::as_slice),
            };
            bar.suspended(|| report(finding))?;
            done += weight;
            bar.show(done, false, || format!("{} of {} sectors", number + 1, sectors.len()));
            // A fault in one file shows again in the files that lead to it.
            for fault in found.err().into_iter().flatten() {
                if !faults.contains(&fault) {
                    faults.push(fault);
                }
            }
        }
        Ok(VerifyVerdict::new(&verifier, &checked, faults))
    }

    /// Opens the file to resume from.
    fn kept(&self, path: &Path, manifest: &Manifest) -> Result<KeptSectors, ToolError> {
        let files = serde_json::to_vec(&manifest.files).map_err(ToolError::input(Place::Job))?;
        let identity = CheckIdentity {
            rules: self.rules.to_string(),
            files: format!("{}, hash {:016x}", counted(manifest.files.len(), "file"), xxh3_64(&files)),
            sample: self.sample,
        };
        let sectors = manifest.sectors();
        let check = |part: &CheckedSector| {
            let CheckedSector { sector, slots, is_whole, .. } = *part;
            if !sectors.contains(&sector) {
                return Err(WrongPart::new(format!("sector {sector}"), "one of the manifest"));
            }
            let (most, is_sample) = (sector.slots(), self.sample.is_some());
            if is_whole != is_sample && (slots == most || is_sample && slots < most) {
                return Ok(());
            }
            let share = if is_whole { "the whole" } else { "a part" };
            let found = format!("{share} of sector {sector} with {slots} slots");
            let expected = if is_sample { "a part of at most" } else { "the whole with" };
            Err(WrongPart::new(found, format!("{expected} {most}")))
        };
        let (log, parts) = ResumeFile::open::<_, CheckedSector>(path, &identity, check)?;
        if !parts.is_empty() {
            eprint_line(format_args!("{} checked before", counted(parts.len(), "sector")));
        }
        Ok(KeptSectors { log, checked: parts.into_iter().map(|part| (part.sector, part)).collect() })
    }
}

/// Checks a sector, unless an earlier run did and its files are still the same.
///
/// # Errors
/// If the finding cannot be kept. Faults of the files are the finding.
fn check(
    verifier: &Verifier<'_>,
    sector: Sector,
    kept: Option<&mut KeptSectors>,
) -> Result<Result<CheckedSector, Vec<TablebaseError>>, ToolError> {
    let Some(kept) = kept else { return Ok(verifier.check(sector)) };
    if let Some(&checked) = kept.checked.get(&sector)
        && verifier.is_unchanged(sector)
    {
        return Ok(Ok(checked));
    }
    let found = verifier.check(sector);
    if let Ok(checked) = &found
        && verifier.can_be_kept(sector)
    {
        kept.log.append(checked)?;
    }
    Ok(found)
}

/// Returns the line for a sector without faults.
fn describe(checked: &CheckedSector) -> String {
    let CheckedSector { sector, kind, slots, is_whole } = checked;
    let what = match kind {
        TbKind::Distance => "value and distance",
        TbKind::Wdl => "result",
    };
    let sampled = if *is_whole { String::new() } else { format!(" of {}", sector.slots()) };
    format!("{sector}: {slots}{sampled} slots have the {what} of their best turn")
}
