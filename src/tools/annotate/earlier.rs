//! Removes the annotations of an earlier run from a game, so that a later one replaces them.

use crate::record::{GameRecord, RecordLine, Turn, commands};
use crate::types::Move;

/// The tag that names those who have annotated a game.
const ANNOTATOR: &str = "Annotator";
/// The name of this program there.
const MILLSTONE: &str = "Millstone";
/// The beginning of the comment that names a better move.
pub(super) const BETTER: &str = "better ";
/// The end of a player's summary.
pub(super) const SUMMARY: &str = "judged by exact value";

/// Removes what an earlier run added to the main line of `game`, if this program has annotated it: values,
/// better moves with their marks and variations, and summaries.
pub(super) fn remove(game: &mut GameRecord) {
    if !game.tag(ANNOTATOR).is_some_and(is_signed) {
        return;
    }
    let Some((RecordLine { comments, turns }, others)) = game.lines.split_first_mut() else { return };
    comments.retain(|comment| !is_summary(comment));
    for Turn { marks, comments, variations, .. } in turns {
        // The value and the variation were added before what the record had, the better move after it.
        if let Some(value) = comments.iter().position(|comment| is_value(comment)) {
            comments.remove(value);
        }
        // The marks of a mistake and of a blunder.
        let is_mistake = |mark: &u8| [2, 4].contains(mark);
        let line = variations.first().and_then(|&line| others.get(line.checked_sub(1)?));
        let better = comments.iter().rposition(|comment| line.is_some_and(|line| names_start(comment, line)));
        if let Some(better) = better.filter(|_| marks.iter().any(is_mistake)) {
            comments.remove(better);
            marks.retain(|mark| !is_mistake(mark));
            variations.remove(0);
        }
    }
}

/// Names this program in the tag `Annotator`, after those whose comments the game had before.
pub(super) fn sign(game: &mut GameRecord) {
    match game.tags.iter_mut().find(|(name, _)| name.eq_ignore_ascii_case(ANNOTATOR)) {
        Some((_, names)) if is_signed(names) => {}
        Some((_, names)) if !["", "?"].contains(&names.trim()) => {
            names.push_str(", ");
            names.push_str(MILLSTONE);
        }
        _ => game.set_tag(ANNOTATOR, MILLSTONE),
    }
}

/// Returns true if this program is one of the names.
fn is_signed(names: &str) -> bool {
    names.split(", ").any(|name| name == MILLSTONE)
}

/// Returns true for the summary of a player.
fn is_summary(comment: &str) -> bool {
    let of_player = ["White: ", "Black: "].iter().any(|player| comment.starts_with(player));
    of_player && (comment.ends_with(SUMMARY) || comment.ends_with(": no move"))
}

/// Returns true if a comment names a better move of the first turn of this line, and nothing else is said of
/// that turn.
fn names_start(comment: &str, line: &RecordLine) -> bool {
    let better = comment.strip_prefix(BETTER).and_then(|m| m.parse::<Move>().ok());
    let Some((better, start)) = better.zip(line.turns.first()) else { return false };
    start.moves.contains(&better) && start.comments.is_empty() && start.marks.is_empty()
}

/// Returns true if a comment is the value of a move and nothing else.
fn is_value(comment: &str) -> bool {
    let is_whole = comment.starts_with("[%") && comment.find(']') == Some(comment.len() - 1);
    is_whole && commands(comment).all(|(name, _)| ["wdl", "eval"].contains(&name))
}
