//! `tb stats`, `tb verify`, `tb repack` and `tb embed`: what is in a folder of tables, whether it is
//! right, and the same in another form.

use super::tb::{Distances, manifest_of, unit_by_name};
use crate::rules::Rules;
use crate::tablebase::file::{self, Codec, Content, Counts, Kind, Packing, TableFile, Written};
use crate::tablebase::manifest::Manifest;
use crate::tablebase::model::PART_SLOTS;
use crate::tablebase::verify::{Checked, Proof, Verifier};
use crate::tablebase::{Game, Sector, TablebaseError, embedded};
use std::collections::BTreeSet;
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
    let sectors: BTreeSet<Sector> = manifest.files.keys().filter_map(|name| sector_of(name)).collect();
    let mut sectors: Vec<Sector> = sectors.into_iter().collect();
    let hands = |s: &Sector| s.own_hand + s.their_hand;
    // While placing, neighbours in this order lead to the same sectors.
    sectors.sort_by_key(|s| match s.is_moving() {
        true => (0, s.own + s.theirs, s.own.max(s.theirs), s.theirs),
        false => (hands(s), s.own, s.theirs, 0),
    });
    sectors
}

/// The sector that a file name begins with.
fn sector_of(name: &str) -> Option<Sector> {
    let numbers: Option<Vec<u8>> = name.split('.').next()?.split('_').map(|n| n.parse().ok()).collect();
    match numbers?.as_slice() {
        &[own, theirs, own_hand, their_hand] => Some(Sector { own, theirs, own_hand, their_hand }),
        _ => None,
    }
}

/// The counts of a sector, from distances where there are any.
fn counts_of(manifest: &Manifest, sector: Sector) -> Option<(u64, Counts)> {
    let entry = manifest.get(sector, Kind::Distance).or_else(|| manifest.get(sector, Kind::Wdl))?;
    Some((entry.slots, entry.counts))
}

/// The table of sectors of a folder.
///
/// # Errors
/// When the folder holds no tables, or tables of other rules.
pub fn stats(path: &Path, rules: &Rules, style: Style) -> Result<String, TablebaseError> {
    let manifest = manifest_of(path)?;
    let game = Game::new(rules)?;
    for (name, entry) in &manifest.files {
        let expected = sector_of(name).map(|sector| game.fingerprint(sector));
        if expected.is_some_and(|expected| expected != entry.fingerprint) {
            return Err(TablebaseError::Foreign {
                path: path.join(name),
                found: format!("made for other rules than {}: {}", rules.describe(), manifest.game),
            });
        }
    }
    let rows: Vec<(Sector, u64, Counts)> = sectors_of(&manifest)
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
    let mut sum = (0, Counts::default());
    for &(sector, slots, c) in &rows {
        sum.0 += slots;
        sum.1 = Counts {
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

impl VerifyJob {
    /// Checks every sector and calls `report` for each.
    ///
    /// # Errors
    /// At the first file that is missing, damaged or wrong.
    pub fn run(&self, mut report: impl FnMut(usize, usize, &Checked)) -> Result<(), TablebaseError> {
        let manifest = manifest_of(&self.path)?;
        let game = Game::new(&self.rules)?;
        let mut sectors = sectors_of(&manifest);
        if let Some(name) = &self.only {
            let unit = unit_by_name(&game, name)?;
            sectors.retain(|sector| unit.sectors().contains(sector));
            if sectors.is_empty() {
                let why = format!("{} holds no tables of unit {unit}", self.path.display());
                return Err(TablebaseError::Refused(why));
            }
        }
        let verifier = Verifier::new(game, &self.path, self.threads, self.sample);
        for (number, &sector) in sectors.iter().enumerate() {
            let checked = verifier.check(&manifest, sector)?;
            report(number + 1, sectors.len(), &checked);
        }
        Ok(())
    }
}

/// A line about a checked sector.
pub fn describe(checked: &Checked) -> String {
    let Checked { sector, proof, positions } = checked;
    let what = match proof {
        Proof::Proved => "proved from their turns",
        Proof::Consistent => "consistent with their turns, which without distances proves less",
        Proof::Sampled => "sampled and consistent with their turns",
    };
    format!("{sector}: {positions} positions {what}")
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
    /// Writes the tables once more; those that are there already, whole, are left alone.
    ///
    /// # Errors
    /// When a file cannot be read, is damaged, or cannot be written.
    pub fn run(&self, mut report: impl FnMut(&str, u64, u64)) -> Result<(), TablebaseError> {
        if self.from == self.to {
            return Err(TablebaseError::Refused("--from and --to are the same folder".to_owned()));
        }
        let game = Game::new(&self.rules)?;
        let manifest = manifest_of(&self.from)?;
        std::fs::create_dir_all(&self.to).map_err(TablebaseError::io("create", &self.to))?;
        for sector in sectors_of(&manifest) {
            for kind in [Kind::Wdl, Kind::Distance] {
                let keep = match self.distances {
                    Distances::All => true,
                    Distances::Moving => sector.is_moving(),
                    Distances::None => false,
                };
                let Some(entry) = manifest.get(sector, kind) else { continue };
                if kind == Kind::Distance && !keep {
                    continue;
                }
                let written = self.repack(&game, sector, kind)?;
                report(&file::file_name(sector, kind), entry.bytes, written.bytes);
            }
        }
        Ok(())
    }

    /// How to write a file: as usual but for what was asked for. A level asks for Zstandard.
    fn packing(&self, game: &Game, sector: Sector, kind: Kind) -> Result<Packing, TablebaseError> {
        let mut packing = Packing::usual(game, sector, kind);
        if let Some(level) = self.level {
            packing = Packing { level, codec: Codec::Zstd, ..packing };
        }
        if let Some(block) = self.block {
            let part = PART_SLOTS as u32;
            if matches!(packing.codec, Codec::Model(_)) && !block.is_multiple_of(part) {
                let why = format!("--block is {block}, expected a multiple of {part} slots for results");
                return Err(TablebaseError::Refused(why));
            }
            packing.block_slots = block;
        }
        Ok(packing)
    }

    fn repack(&self, game: &Game, sector: Sector, kind: Kind) -> Result<Written, TablebaseError> {
        let name = file::file_name(sector, kind);
        let packing = self.packing(game, sector, kind)?;
        let there = Manifest::load(&self.to)?.unwrap_or_else(|| Manifest::new(game));
        if let Some(written) = crate::tablebase::manifest::finished(&self.to, &there, game, sector, kind)?
            && written.header.block_slots == packing.block_slots
            && written.header.codec == packing.codec
            && there.get(sector, kind).is_some()
        {
            return Ok(written);
        }
        let path = self.from.join(&name);
        let table = TableFile::open(&path)?;
        let expected = game.fingerprint(sector);
        if table.header.fingerprint != expected {
            let found = table.header.fingerprint;
            return Err(TablebaseError::Foreign {
                path,
                found: format!("made for rules with fingerprint {found:016x}, expected {expected:016x}"),
            });
        }
        let values = table.read_all(self.threads)?;
        let counts = table.header.counts;
        let content = Content { sector, fingerprint: expected, values: &values, counts };
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
    file::replace(out, &bytes)?;
    Ok(bytes.len() as u64)
}
