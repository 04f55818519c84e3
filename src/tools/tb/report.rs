//! `tb stats`, `tb verify`, `tb repack` and `tb embed`: what is in a folder of tables, whether it is
//! right, and the same in another form.

use super::{Distances, check_disk, disk_of, manifest_of, unit_by_name};
use crate::rules::Rules;
use crate::tablebase::format::file::{self, Content, TableFile, Written};
use crate::tablebase::format::folder::{file_name, parse_name, replace, table_files};
use crate::tablebase::format::header::{Codec, Header, Packing, SectorCounts, TableKind};
use crate::tablebase::format::index::MAX_MEN;
use crate::tablebase::format::manifest::{self, Manifest};
use crate::tablebase::probe::embedded;
use crate::tablebase::solve::verify::{CheckedSector, Verifier, check_index, check_symmetries};
use crate::tablebase::{Sector, SolvedGame, TablebaseError};
use crate::tools::files::Failure;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// How a report is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// A table for people.
    Plain,
    /// Comma-separated values.
    Csv,
    /// JSON.
    Json,
}

/// The sectors of a manifest: the moving phase by number of men, then the placing phase from its end.
pub fn sectors_of(manifest: &Manifest) -> Vec<Sector> {
    let mut sectors: Vec<Sector> = manifest.sectors().into_iter().collect();
    let hands = |s: &Sector| s.own_hand + s.their_hand;
    // While placing, neighbours in this order lead to the same sectors.
    sectors.sort_by_key(|s| match s.is_moving() {
        true => (0, s.own + s.theirs, s.own.max(s.theirs), s.theirs),
        false => (hands(s), s.own, s.theirs, 0),
    });
    sectors
}

/// The counts of a sector, from distances where there are any.
fn counts_of(manifest: &Manifest, sector: Sector) -> Option<(u64, SectorCounts)> {
    let entry = manifest.get(sector, TableKind::Distance).or_else(|| manifest.get(sector, TableKind::Wdl))?;
    Some((entry.slots, entry.counts))
}

/// The table of sectors of a folder.
///
/// # Errors
/// When the folder holds no tables, or tables of other rules.
pub fn stats(path: &Path, rules: &Rules, style: Style) -> Result<String, TablebaseError> {
    let manifest = manifest_of(path)?;
    let game = SolvedGame::new(rules)?;
    for (name, entry) in &manifest.files {
        let listed = parse_name(name);
        if listed.is_some_and(|(sector, _)| game.fingerprint(sector) != entry.fingerprint) {
            return Err(TablebaseError::Foreign {
                path: path.join(name),
                found: format!("made for other rules than {}: {}", rules.describe(), manifest.game),
            });
        }
    }
    let rows: Vec<(Sector, u64, SectorCounts)> = sectors_of(&manifest)
        .into_iter()
        .filter_map(|sector| counts_of(&manifest, sector).map(|(slots, counts)| (sector, slots, counts)))
        .collect();
    let bytes: u64 = manifest.files.values().map(|entry| entry.bytes).sum();
    let mut text = String::new();
    if style == Style::Json {
        let list: Vec<_> = rows
            .iter()
            .map(|(sector, slots, counts)| {
                serde_json::json!({
                    "sector": sector.to_string(), "slots": slots, "canonical": counts.canonical(),
                    "wins": counts.wins, "losses": counts.losses, "draws": counts.draws,
                    "longest_win": counts.longest_win, "longest_loss": counts.longest_loss,
                })
            })
            .collect();
        let report = serde_json::json!({ "game": manifest.game, "bytes": bytes, "sectors": list });
        return Ok(format!("{report:#}\n"));
    }
    let names = ["sector", "slots", "canonical", "wins", "losses", "draws", "longest win", "longest loss"];
    let mut line = |fields: [String; 8]| {
        if style == Style::Csv {
            text.push_str(&fields.map(|field| field.replace(' ', "_")).join(","));
            text.push('\n');
        } else {
            let [sector, slots, canonical, wins, losses, draws, win, loss] = fields;
            let _ = writeln!(
                text,
                "{sector:<9} {slots:>14} {canonical:>14} {wins:>14} {losses:>14} {draws:>14} {win:>12} {loss:>12}"
            );
        }
    };
    line(names.map(str::to_owned));
    let plies = |plies: Option<u32>| plies.map_or("-".to_owned(), |plies| plies.to_string());
    let mut sum = (0, SectorCounts::default());
    for &(sector, slots, c) in &rows {
        sum.0 += slots;
        sum.1 = SectorCounts {
            wins: sum.1.wins + c.wins,
            losses: sum.1.losses + c.losses,
            draws: sum.1.draws + c.draws,
            longest_win: sum.1.longest_win.max(c.longest_win),
            longest_loss: sum.1.longest_loss.max(c.longest_loss),
        };
        let numbers = [slots, c.canonical(), c.wins, c.losses, c.draws].map(|n| n.to_string());
        let [slots, canonical, wins, losses, draws] = numbers;
        let (win, loss) = (plies(c.longest_win), plies(c.longest_loss));
        line([sector.to_string(), slots, canonical, wins, losses, draws, win, loss]);
    }
    let (slots, c) = sum;
    let [slots, canonical, wins, losses, draws] =
        [slots, c.canonical(), c.wins, c.losses, c.draws].map(|n| n.to_string());
    line([
        "all".to_owned(),
        slots,
        canonical,
        wins,
        losses,
        draws,
        plies(c.longest_win),
        plies(c.longest_loss),
    ]);
    if style == Style::Plain {
        let _ = writeln!(text, "{} sectors, {} files, {bytes} bytes", rows.len(), manifest.files.len());
    }
    Ok(text)
}

/// What `tb verify` is asked to do.
#[derive(Clone, Debug)]
pub struct VerifyJob {
    /// The rules.
    pub rules: Rules,
    /// The folder of the tables.
    pub path: PathBuf,
    /// Look at about so many positions of each sector only.
    pub sample: Option<u64>,
    /// Check the sectors of this unit alone.
    pub only: Option<String>,
    /// Number of threads.
    pub threads: usize,
}

/// So many sectors, and positions of them that were compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Share {
    /// Sectors.
    pub sectors: usize,
    /// Positions.
    pub positions: u64,
}

/// What a check of a folder showed. Where a sector has no fault its files are as the manifest says, and this much is known
/// of its values.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Verdict {
    /// Every value is proved, from the ends of games on.
    pub proved: Share,
    /// Every value follows from those it leads to, but these are not proved, or it takes distances to tell.
    pub consistent: Share,
    /// Some values were looked at.
    pub sampled: Share,
    /// What is wrong, each fault once.
    pub faults: Vec<String>,
}

impl Verdict {
    fn new(verifier: &Verifier<'_>, checked: &[CheckedSector], faults: Vec<String>) -> Self {
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

    /// The verdict for people, what was proved first; not the faults.
    pub fn text(&self) -> String {
        let shares = [
            ("proved", self.proved, ""),
            (
                "consistent, not proved",
                self.consistent,
                ": hashes agree and each result fits its turns, but distances are missing, or what it leads to is not \
                 proved here",
            ),
            (
                "sampled, not proved",
                self.sampled,
                ": hashes agree and the positions looked at fit their turns",
            ),
        ];
        let mut text = String::new();
        for (what, Share { sectors, positions }, means) in shares {
            if sectors > 0 {
                let _ = writeln!(text, "{what}: {sectors} sectors, {positions} positions{means}");
            }
        }
        if text.is_empty() { "nothing proved\n".to_owned() } else { text }
    }
}

/// What [`VerifyJob::run`] tells while it works: the number of the sector, how many there are, and what was found in it.
pub type Finding<'a> = (usize, usize, Sector, Result<CheckedSector, &'a [String]>);

impl VerifyJob {
    /// Checks every sector and calls `report` for each.
    ///
    /// # Errors
    /// When there is nothing to check, or `report` fails. What is wrong with tables is in the verdict.
    pub fn run(
        &self,
        mut report: impl FnMut(Finding<'_>) -> Result<(), Failure>,
    ) -> Result<Verdict, Failure> {
        let manifest = manifest_of(&self.path)?;
        let game = SolvedGame::new(&self.rules)?;
        let only = self.only.as_ref().map(|name| unit_by_name(&game, name)).transpose()?;
        let is_asked = |sector: &Sector| only.is_none_or(|unit| unit.sectors().contains(sector));
        let mut sectors = sectors_of(&manifest);
        sectors.retain(is_asked);
        if sectors.is_empty() {
            let unit = only.map_or(String::new(), |unit| format!(" of unit {unit}"));
            return Err(Failure(format!("{} holds no tables{unit}", self.path.display())));
        }
        let mut faults = Vec::new();
        for path in table_files(&self.path)? {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            let is_meant = parse_name(name).map_or(only.is_none(), |(sector, _)| is_asked(&sector));
            if is_meant && !manifest.files.contains_key(name) {
                faults.push(format!("{} is not in the manifest", path.display()));
            }
        }
        let verifier = Verifier::new(&self.rules, &self.path, self.threads, self.sample)?;
        let most = sectors.iter().map(|sector| sector.own.max(sector.theirs)).max().unwrap_or(0);
        // While placing, a turn leads to one man more.
        let sizes = 0..=usize::from(most + 1).min(MAX_MEN);
        check_symmetries().and_then(|()| sizes.into_iter().try_for_each(check_index)).map_err(Failure)?;
        let mut checked = Vec::new();
        for (number, &sector) in sectors.iter().enumerate() {
            let found = match verifier.check(&manifest, sector) {
                Ok(one) => {
                    checked.push(one);
                    Ok(one)
                }
                Err(wrong) => Err(wrong.iter().map(ToString::to_string).collect::<Vec<_>>()),
            };
            report((
                number + 1,
                sectors.len(),
                sector,
                found.as_ref().map(|one| *one).map_err(Vec::as_slice),
            ))?;
            // What is wrong with a table shows again in those that lead to it.
            for fault in found.err().into_iter().flatten() {
                if !faults.contains(&fault) {
                    faults.push(fault);
                }
            }
        }
        Ok(Verdict::new(&verifier, &checked, faults))
    }
}

/// A line about a sector without faults.
pub fn describe(checked: &CheckedSector) -> String {
    let CheckedSector { sector, kind, positions, is_whole } = checked;
    let what = match kind {
        TableKind::Distance => "value and distance",
        TableKind::Wdl => "result",
    };
    let sampled = if *is_whole { String::new() } else { format!(" of {}", sector.slots()) };
    format!("{sector}: {positions}{sampled} positions have the {what} of their best turn")
}

/// What `tb repack` is asked to do.
#[derive(Clone, Debug)]
pub struct RepackJob {
    /// The rules.
    pub rules: Rules,
    /// The folder to read.
    pub from: PathBuf,
    /// The folder to write.
    pub to: PathBuf,
    /// Slots of a block; as usual if none.
    pub block: Option<u32>,
    /// Level of the compressor; as usual if none.
    pub level: Option<i32>,
    /// Which distances to keep.
    pub distances: Distances,
    /// Number of threads.
    pub threads: usize,
}

impl RepackJob {
    /// Writes the tables once more; those that are there already, whole and packed like this, are left alone.
    ///
    /// # Errors
    /// When an argument is wrong, the disk has no room, a file cannot be read, is damaged, or cannot be written.
    pub fn run(&self, mut report: impl FnMut(&str, u64, u64) -> Result<(), Failure>) -> Result<(), Failure> {
        let game = SolvedGame::new(&self.rules)?;
        let manifest = manifest_of(&self.from)?;
        let mut files = Vec::new();
        for sector in sectors_of(&manifest) {
            for kind in [TableKind::Wdl, TableKind::Distance] {
                let is_kept = kind == TableKind::Wdl
                    || match self.distances {
                        Distances::All => true,
                        Distances::Moving => sector.is_moving(),
                        Distances::None => false,
                    };
                if let Some(entry) = manifest.get(sector, kind).filter(|_| is_kept) {
                    files.push((sector, kind, entry.bytes, self.packing(&game, sector, kind)?));
                }
            }
        }
        std::fs::create_dir_all(&self.to).map_err(TablebaseError::io("create", &self.to))?;
        let full = |path: &Path| path.canonicalize().map_err(TablebaseError::io("find", path));
        if full(&self.from)? == full(&self.to)? {
            return Err(Failure("--from and --to are the same folder".to_owned()));
        }
        let there = Manifest::load(&self.to)?.unwrap_or_else(|| Manifest::new(&game));
        let mut work = Vec::new();
        for (sector, kind, before, packing) in files {
            let finished = manifest::finished(&self.to, &there, &game, sector, kind)?;
            let is_same = |written: &Written| written.header.is_packed(packing);
            let is_listed = there.get(sector, kind).is_some();
            work.push((sector, kind, before, packing, finished.filter(is_same).filter(|_| is_listed)));
        }
        let missing = work.iter().filter(|(.., finished)| finished.is_none());
        let bytes = missing.map(|&(sector, kind, _, packing, _)| disk_of(sector, kind, packing.block_slots));
        check_disk(&self.to, bytes.sum())?;
        for (sector, kind, before, packing, finished) in work {
            let after = match finished {
                Some(written) => written.bytes,
                None => self.repack(&game, sector, kind, packing)?.bytes,
            };
            report(&file_name(sector, kind), before, after)?;
        }
        Ok(())
    }

    /// How to write a file: as usual but for what was asked for. A level asks for Zstandard.
    fn packing(&self, game: &SolvedGame, sector: Sector, kind: TableKind) -> Result<Packing, TablebaseError> {
        let mut packing = Packing::usual(game, sector, kind);
        if let Some(level) = self.level {
            packing = Packing { level, codec: Codec::Zstd, ..packing };
        }
        packing.block_slots = self.block.unwrap_or(packing.block_slots);
        packing
            .check()
            .map_err(|why| TablebaseError::Refused(format!("{sector}.{}: {why}", kind.extension())))?;
        Ok(packing)
    }

    fn repack(
        &self,
        game: &SolvedGame,
        sector: Sector,
        kind: TableKind,
        packing: Packing,
    ) -> Result<Written, TablebaseError> {
        let table = TableFile::open_in(&self.from, game, sector, kind)?;
        let values = table.read_all(self.threads)?;
        let Header { fingerprint, counts, .. } = table.header;
        let content = Content { sector, fingerprint, values: &values, counts };
        let written = file::write(&self.to, kind, content, packing, self.threads)?;
        Manifest::add(&self.to, game, &[written])?;
        Ok(written)
    }
}

/// Puts files of a folder into one container; returns its length.
///
/// # Errors
/// When a file is missing or damaged, or `out` cannot be written.
pub fn embed(path: &Path, out: &Path, names: &[String]) -> Result<u64, TablebaseError> {
    let paths: Vec<PathBuf> = names.iter().map(|name| path.join(name)).collect();
    let bytes = embedded::join(&paths)?;
    replace(out, &bytes)?;
    Ok(bytes.len() as u64)
}
