//! `tb stats`: the contents of a folder, sector by sector.

use super::folder::{manifest_of, sectors_of};
use crate::platform::text::{counted, printable};
use crate::rules::Rules;
use crate::tablebase::format::file::TbFile;
use crate::tablebase::format::folder::parse_name;
use crate::tablebase::format::header::{SectorCounts, TbKind};
use crate::tablebase::format::manifest::Manifest;
use crate::tablebase::{Damage, Sector, TablebaseError};
use crate::tools::error::ToolError;
use std::fmt::Write as _;
use std::path::Path;

/// The form of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReportStyle {
    /// A table of text.
    Plain,
    /// Comma-separated values.
    Csv,
    /// JSON.
    Json,
}

/// Returns the counts of a sector, from the file with distances if there is one.
fn counts_of(manifest: &Manifest, sector: Sector) -> Option<(u64, SectorCounts)> {
    let entry = manifest.get(sector, TbKind::Distance).or_else(|| manifest.get(sector, TbKind::Wdl))?;
    Some((entry.slots, entry.counts))
}

/// Returns a report on the sectors of a folder.
///
/// # Errors
/// If the folder holds no tablebase files, or files of other rules, or if a listed file is missing, damaged
/// or has another length.
pub fn stats(path: &Path, rules: &Rules, style: ReportStyle) -> Result<String, ToolError> {
    let (manifest, game) = manifest_of(path, rules)?;
    for (name, entry) in &manifest.files {
        let Some((sector, kind)) = parse_name(name) else { continue };
        let (found, expected) = (TbFile::open_in(path, &game, sector, kind)?.bytes(), entry.bytes);
        if found != expected {
            return Err(TablebaseError::damaged(&path.join(name), Damage::Length { found, expected }).into());
        }
    }
    let rows: Vec<(Sector, u64, SectorCounts)> = sectors_of(&manifest)
        .into_iter()
        .filter_map(|sector| counts_of(&manifest, sector).map(|(slots, counts)| (sector, slots, counts)))
        .collect();
    let bytes: u64 = manifest.files.values().map(|entry| entry.bytes).sum();
    if style == ReportStyle::Json {
        return Ok(json_report(&manifest, &rows, bytes));
    }
    let mut text = String::new();
    let names = ["sector", "slots", "canonical", "wins", "losses", "draws", "longest win", "longest loss"];
    let mut line = |fields: [String; 8]| {
        if style == ReportStyle::Csv {
            text.push_str(&fields.map(|field| field.replace(' ', "_")).join(","));
            text.push('\n');
        } else {
            let [sector, slots, canonical, wins, losses, draws, win, loss] = fields;
            let _ = writeln!(
                text,
                "{sector:<9} {slots:>14} {canonical:>14} {wins:>14} {losses:>14} {draws:>14} {win:>12} \
                    {loss:>12}"
            );
        }
    };
    line(names.map(str::to_owned));
    let mut row = |name: String, slots: u64, counts: SectorCounts| {
        let SectorCounts { wins, losses, draws, longest_win, longest_loss } = counts;
        let [slots, canonical, wins, losses, draws] =
            [slots, counts.canonical(), wins, losses, draws].map(|n| n.to_string());
        let [win, loss] =
            [longest_win, longest_loss].map(|plies| plies.map_or("-".to_owned(), |n| n.to_string()));
        line([name, slots, canonical, wins, losses, draws, win, loss]);
    };
    let (mut all_slots, mut all) = (0, SectorCounts::default());
    for &(sector, slots, counts) in &rows {
        all_slots += slots;
        all += counts;
        row(sector.to_string(), slots, counts);
    }
    row("all".to_owned(), all_slots, all);
    if style == ReportStyle::Plain {
        let _ = writeln!(
            text,
            "{}, {}, {}",
            counted(rows.len(), "sector"),
            counted(manifest.files.len(), "file"),
            counted(bytes, "byte")
        );
    }
    Ok(text)
}

/// Returns the report as JSON.
fn json_report(manifest: &Manifest, rows: &[(Sector, u64, SectorCounts)], bytes: u64) -> String {
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
    let report =
        serde_json::json!({ "game": printable(&manifest.game, 400), "bytes": bytes, "sectors": list });
    format!("{report:#}\n")
}
