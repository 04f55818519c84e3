//! `tb probe`: the values of positions and of their moves.

use crate::platform::files::read_line;
use crate::platform::text::{counted_as, is_control, printable, printable_lines, without_mark};
use crate::position::Position;
use crate::rules::Rules;
use crate::tablebase::{Found, NoValue, Tablebase, TablebaseError, Wdl, despite_damage};
use crate::tools::error::{Place, ToolError};
use crate::tools::files::unless_closed;
use crate::tools::position_argument::read_position;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::io::{BufRead, Write};

/// The most bytes of a line of input. A longer line is refused.
const LONGEST_LINE: u64 = 1 << 16;
/// The most characters of a text that is no position, in an answer.
const LONGEST_FIELD: usize = 400;

/// Returns win, draw or loss, and the plies: `W 26`, `D`.
pub(super) fn text(found: Found) -> String {
    match found.plies {
        Some(plies) => format!("{} {plies}", found.wdl.letter()),
        None => found.wdl.letter().to_string(),
    }
}

/// Returns the reason why a position has no value.
fn reason(tablebase: &Tablebase, pos: &Position) -> NoValue {
    if pos.outcome().is_over() {
        return NoValue::Over(pos.outcome().reason);
    }
    tablebase.refusal(pos).map_or(NoValue::NotHeld, NoValue::Refused)
}

/// Returns the position of a text, without its counters, which have no effect on tablebase values, and its
/// value. Damaged files are passed to `note`.
pub(super) fn read(
    tablebase: &Tablebase,
    rules: &Rules,
    fen: &str,
    note: impl FnMut(&TablebaseError),
) -> Result<(Position, Found), TablebaseError> {
    let mut pos = read_position(rules, fen).map_err(|error| TablebaseError::NoValue(NoValue::Text(error)))?;
    pos.forget_history();
    let found = match pos.outcome().is_over() {
        true => None,
        false => despite_damage(|| tablebase.probe_distance(&pos), note),
    };
    let value = found.ok_or_else(|| TablebaseError::NoValue(reason(tablebase, &pos)))?;
    Ok((pos, value))
}

/// Returns the text of a position for JSON: as it was given, except for the word for the initial position.
pub(super) fn shown(given: &str, pos: &Position) -> String {
    if given.contains('/') { given.to_owned() } else { pos.fen() }
}

/// Returns the values of a position and of all its moves in the JSON of [`probe`]. Damaged files are passed
/// to `note`.
fn report(
    tablebase: &Tablebase,
    rules: &Rules,
    fen: &str,
    mut note: impl FnMut(&TablebaseError),
) -> Result<Value, TablebaseError> {
    let (pos, value) = read(tablebase, rules, fen, &mut note)?;
    let (known, unknown) = despite_damage(|| tablebase.known_moves(&pos), note);
    let entry = |found: Option<Found>| {
        let letter = found.map(|found| found.wdl.letter());
        json!({ "value": letter, "plies": found.and_then(|found| found.plies) })
    };
    let mut moves = Vec::new();
    for ranked in &known {
        let mut entry = entry(Some(ranked.value));
        entry["move"] = ranked.m.to_string().into();
        if ranked.value.wdl == Wdl::Draw {
            entry["drawing_replies"] = ranked.drawing_replies.into();
        }
        moves.push(entry);
    }
    for m in &unknown {
        let mut entry = entry(None);
        entry["move"] = m.to_string().into();
        moves.push(entry);
    }
    let mut report = entry(Some(value));
    report["fen"] = shown(fen, &pos).into();
    report["moves"] = moves.into();
    Ok(report)
}

/// Returns the values of a position and of all its moves, best first; moves without a value come last.
///
/// Damaged files are passed to `note`.
///
/// # Errors
/// If the text is no position, or the tablebase does not hold it.
pub fn probe(
    tablebase: &Tablebase,
    rules: &Rules,
    fen: &str,
    json: bool,
    mut note: impl FnMut(&TablebaseError),
) -> Result<String, TablebaseError> {
    if json {
        return Ok(format!("{:#}\n", self::report(tablebase, rules, fen, note)?));
    }
    let (pos, value) = read(tablebase, rules, fen, &mut note)?;
    let (known, unknown) = despite_damage(|| tablebase.known_moves(&pos), note);
    let mut report = format!("{}\n", text(value));
    for ranked in &known {
        let _ = write!(report, "{:<8} {}", ranked.m.to_string(), text(ranked.value));
        if let Some(replies @ 1..) = ranked.drawing_replies {
            let _ = write!(report, " ({})", counted_as(replies, "drawing reply", "drawing replies"));
        }
        report.push('\n');
    }
    for m in &unknown {
        let _ = writeln!(report, "{:<8} ?", m.to_string());
    }
    Ok(report)
}

/// Answers each line of `input`, a position text, with a line of `output`.
///
/// Skips lines of blanks and byte-order marks. Returns false if a line was no position or too long,
/// except where nobody reads the answers any more.
///
/// Each answer is written before the next line is read. It holds the text, a tab, then the result and its
/// plies, or `?` and the reason why there is none; with `json` it is the object of [`probe`], or one with
/// `fen` and `reason`. Damaged files are passed to `note`. The function ends with the input, or when the
/// output is closed.
///
/// # Errors
/// If reading or writing fails, not for single positions.
pub fn probe_lines(
    tablebase: &Tablebase,
    rules: &Rules,
    json: bool,
    mut input: impl BufRead,
    mut output: impl Write,
    mut note: impl FnMut(&TablebaseError),
) -> Result<bool, ToolError> {
    let mut are_positions = true;
    let mut bytes = Vec::new();
    loop {
        let is_cut =
            read_line(&mut input, LONGEST_LINE, &mut bytes).map_err(ToolError::io(Place::StandardInput))?;
        if bytes.is_empty() {
            return Ok(are_positions);
        }
        are_positions &= !is_cut;
        let text_of = |error: TablebaseError| {
            are_positions &= !matches!(error, TablebaseError::NoValue(NoValue::Text(_)));
            match error {
                TablebaseError::NoValue(why) => why.to_string(),
                error => error.to_string(),
            }
        };
        // One line with three fields, whatever the input line contains.
        let tame = |text: &str| text.replace(is_control, " ");
        let line = String::from_utf8_lossy(&bytes);
        let fen = without_mark(&line).trim_end_matches(['\n', '\r']);
        if fen.trim().is_empty() && !is_cut {
            continue;
        }
        // Its beginning may be a position, and its rest is unknown.
        let why = || format!("found a line of more than {LONGEST_LINE} bytes, expected a position text");
        let whole = if is_cut { Err(why()) } else { Ok(()) };
        let answer = if json {
            let report = whole.and_then(|()| report(tablebase, rules, fen, &mut note).map_err(text_of));
            report.unwrap_or_else(|why| json!({ "fen": fen, "reason": why })).to_string()
        } else {
            let found = whole.and_then(|()| read(tablebase, rules, fen, &mut note).map_err(text_of));
            let answer = match found {
                Ok((_, found)) => {
                    let plies = found.plies.map_or("-".to_owned(), |plies| plies.to_string());
                    format!("{}\t{plies}", found.wdl.letter())
                }
                Err(why) => format!("?\t{}", tame(&why)),
            };
            format!("{}\t{answer}", printable(&tame(fen), LONGEST_FIELD))
        };
        // Flushed, because a program may wait for the answer before it sends the next line.
        let line = printable_lines(&answer).into_owned() + "\n";
        if let Err(why) = output.write_all(line.as_bytes()).and_then(|()| output.flush()) {
            return unless_closed(Err(why)).map(|()| true);
        }
    }
}
