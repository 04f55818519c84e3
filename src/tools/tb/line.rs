//! `tb line`: lines of best play.

use super::probe::{read, shown, text};
use crate::position::Position;
use crate::rules::Rules;
use crate::tablebase::{Found, Tablebase, TablebaseError, Wdl, despite_damage};
use crate::types::Move;
use serde_json::json;
use std::fmt::Write as _;

/// Returns a line of best play from a position to the end of the game, or the reason why there is none.
///
/// Damaged files are passed to `note`.
///
/// # Errors
/// If the text is no position, or the tablebase does not hold it.
pub fn line(
    tablebase: &Tablebase,
    rules: &Rules,
    fen: &str,
    json: bool,
    mut note: impl FnMut(&TablebaseError),
) -> Result<String, TablebaseError> {
    let (pos, value) = read(tablebase, rules, fen, &mut note)?;
    let line = despite_damage(|| tablebase.line(&pos), &mut note);
    let mut end = pos.clone();
    line.iter().for_each(|&m| end.do_move(m));
    end.forget_history();
    let missing = match value {
        Found { wdl: Wdl::Draw, .. } => Some("no line: a draw is not played to an end"),
        Found { plies: None, .. } => Some("no line: the result is stored, but no distance (.dist)"),
        _ if line.is_empty() => Some("no line: the distances of some moves are not stored"),
        _ if !end.outcome().is_over() => {
            Some("the line ends where the distances of some moves are not stored")
        }
        _ => None,
    };
    let moves: Vec<String> = line.iter().map(ToString::to_string).collect();
    if json {
        let takes_in = plies_to_take(&pos, &line);
        let report = json!({
            "fen": shown(fen, &pos), "value": value.wdl.letter(), "plies": value.plies, "moves": moves,
            "note": missing, "plies_to_next_removal": takes_in,
        });
        return Ok(format!("{report:#}\n"));
    }
    let mut report = format!("{}\n", text(value));
    if !moves.is_empty() {
        let _ = writeln!(report, "{}", moves.join(" "));
    }
    if let Some(why) = missing {
        let _ = writeln!(report, "{why}");
    }
    Ok(report)
}

/// Returns the plies of a line up to its first take. A turn that a side has to leave out is one of them.
fn plies_to_take(pos: &Position, line: &[Move]) -> Option<u32> {
    let (mut plies, mut now) = (0, pos.clone());
    let mut before = pos.is_take_due().then(|| pos.side_to_move());
    for &m in line {
        let us = now.side_to_move();
        // A take belongs to the turn that earned it.
        if !m.is_take() || before != Some(us) {
            plies += if before == Some(us) { 2 } else { 1 };
        }
        if m.is_take() {
            return Some(plies);
        }
        before = Some(us);
        now.do_move(m);
    }
    None
}
