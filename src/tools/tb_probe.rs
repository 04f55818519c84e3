//! `tb probe` and `tb line`: values of positions and lines of best play.

use crate::position::Position;
use crate::rules::Rules;
use crate::tablebase::{Found, Tablebase, TablebaseError, Wdl};
use std::fmt::Write as _;
use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};

/// Cache of a probing command.
const CACHE_BYTES: usize = 256 << 20;

/// Opens the tables that a command asks for.
///
/// # Errors
/// When the rules are not supported or there are no tables. Files that cannot be used are named to
/// `note`.
pub fn open(
    rules: &Rules,
    path: Option<&PathBuf>,
    embedded: bool,
    mut note: impl FnMut(&TablebaseError),
) -> Result<Tablebase, TablebaseError> {
    let mut tables = Tablebase::new(rules)?;
    if let Some(path) = path {
        tables.add_folder(path, CACHE_BYTES)?.iter().for_each(&mut note);
    }
    if embedded {
        tables.add_embedded()?;
    }
    if tables.is_empty() {
        let place = path.map_or("the built-in set".to_owned(), |path| path.display().to_string());
        return Err(TablebaseError::Refused(format!(
            "{place} holds no tables for rules {}",
            rules.describe()
        )));
    }
    Ok(tables)
}

/// Win, draw or loss, and the plies, as a word: `W 26`, `D`.
fn text(found: Found) -> String {
    match found.plies {
        Some(plies) => format!("{} {plies}", found.wdl.letter()),
        None => found.wdl.letter().to_string(),
    }
}

/// Why a position has no value.
fn reason(tables: &Tablebase, pos: &Position) -> String {
    if pos.outcome().is_over() {
        return format!("the game is over: {}", pos.outcome().reason.name());
    }
    tables.refusal(pos).unwrap_or("no table holds it").to_owned()
}

fn read(rules: &Rules, fen: &str) -> Result<Position, TablebaseError> {
    Position::from_fen(rules, fen).map_err(|error| TablebaseError::NoValue(error.to_string()))
}

/// The value of one position, and all moves with theirs, best first.
///
/// # Errors
/// When the text is no position, or no table holds it.
pub fn probe(tables: &Tablebase, rules: &Rules, fen: &str, json: bool) -> Result<String, TablebaseError> {
    let pos = read(rules, fen)?;
    let none = || TablebaseError::NoValue(reason(tables, &pos));
    if pos.outcome().is_over() {
        return Err(none());
    }
    let value = tables.probe_distance(&pos)?.ok_or_else(none)?;
    let moves = tables.rank_moves(&pos)?;
    if json {
        let entry = |found: Found| serde_json::json!({ "value": found.wdl.letter(), "plies": found.plies });
        let list = moves.as_ref().map(|moves| {
            let with_move = |ranked: &crate::tablebase::RankedMove| {
                let mut entry = entry(ranked.value);
                entry["move"] = ranked.mv.to_string().into();
                if ranked.value.wdl == Wdl::Draw {
                    entry["drawing_replies"] = ranked.drawing_replies.into();
                }
                entry
            };
            moves.iter().map(with_move).collect::<Vec<_>>()
        });
        let mut report = entry(value);
        report["fen"] = fen.into();
        report["moves"] = list.into();
        return Ok(format!("{report:#}\n"));
    }
    let mut report = format!("{}\n", text(value));
    match moves {
        None => report.push_str("the moves are not all known\n"),
        Some(moves) => {
            for ranked in moves {
                let _ = write!(report, "{:<8} {}", ranked.mv.to_string(), text(ranked.value));
                if ranked.value.wdl == Wdl::Draw && ranked.drawing_replies > 0 {
                    let _ = write!(report, " ({} drawing replies)", ranked.drawing_replies);
                }
                report.push('\n');
            }
        }
    }
    Ok(report)
}

/// Answers each line of `input`, a position text, with a line of `output`: the text, a tab, then the
/// result and its plies, or `?` and the reason why there is none.
///
/// # Errors
/// When reading or writing fails, not for single positions.
pub fn probe_lines(
    tables: &Tablebase,
    rules: &Rules,
    mut input: impl BufRead,
    mut output: impl Write,
) -> Result<(), TablebaseError> {
    let stream = |doing| TablebaseError::io(doing, Path::new("the standard streams"));
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        if input.read_until(b'\n', &mut bytes).map_err(stream("read"))? == 0 {
            return output.flush().map_err(stream("write"));
        }
        let line = String::from_utf8_lossy(&bytes);
        let fen = line.trim_end_matches(['\n', '\r']);
        let answer = match read(rules, fen) {
            Err(TablebaseError::NoValue(why)) => Err(why),
            Err(error) => Err(error.to_string()),
            Ok(pos) if pos.outcome().is_over() => Err(reason(tables, &pos)),
            Ok(pos) => match tables.probe_distance(&pos) {
                Ok(Some(found)) => Ok(found),
                Ok(None) => Err(reason(tables, &pos)),
                Err(error) => Err(error.to_string()),
            },
        };
        let result = match answer {
            Ok(found) => {
                let plies = found.plies.map_or("-".to_owned(), |plies| plies.to_string());
                writeln!(output, "{fen}\t{}\t{plies}", found.wdl.letter())
            }
            Err(why) => writeln!(output, "{fen}\t?\t{}", why.replace(['\t', '\n'], " ")),
        };
        result.map_err(stream("write"))?;
    }
}

/// A line of best play from a position to the end of the game.
///
/// # Errors
/// When the text is no position, or no table holds it.
pub fn line(tables: &Tablebase, rules: &Rules, fen: &str, json: bool) -> Result<String, TablebaseError> {
    let pos = read(rules, fen)?;
    let value = match pos.outcome().is_over() {
        true => None,
        false => tables.probe_distance(&pos)?,
    };
    let value = value.ok_or_else(|| TablebaseError::NoValue(reason(tables, &pos)))?;
    let moves: Vec<String> = tables.line(&pos)?.iter().map(ToString::to_string).collect();
    if json {
        let report = serde_json::json!({
            "fen": fen, "value": value.wdl.letter(), "plies": value.plies, "moves": moves,
            "plies_to_next_removal": tables.plies_to_next_removal(&pos)?,
        });
        return Ok(format!("{report:#}\n"));
    }
    let mut report = format!("{}\n", text(value));
    if !moves.is_empty() {
        let _ = writeln!(report, "{}", moves.join(" "));
    }
    Ok(report)
}
