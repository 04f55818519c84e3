//! Removes the annotations of an earlier run from a game, so that a later one replaces them.

use crate::record::{GameRecord, RecordLine, Turn, commands};
use crate::types::Move;

/// The value of the tag `Annotator` in annotated games.
pub(super) const ANNOTATOR: &str = "Millstone";
/// The beginning of the comment that names a better move.
pub(super) const BETTER: &str = "better ";
/// The end of a player's summary.
pub(super) const SUMMARY: &str = "judged by exact value";

/// Removes what an earlier run added to the main line of `game`, if this program has annotated it: values,
/// better moves with their marks and variations, and summaries.
pub(super) fn remove(game: &mut GameRecord) {
    if game.tag("Annotator") != Some(ANNOTATOR) {
        return;
    }
    let Some(RecordLine { comments, turns }) = game.lines.first_mut() else { return };
    comments.retain(|comment| !is_summary(comment));
    for Turn { marks, comments, variations, .. } in turns {
        // The value and the variation were added before what the record had, the better move after it.
        if let Some(value) = comments.iter().position(|comment| is_value(comment)) {
            comments.remove(value);
        }
        if let Some(better) = comments.iter().rposition(|comment| names_better(comment)) {
            comments.remove(better);
            // The marks of a mistake and of a blunder.
            marks.retain(|mark| ![2, 4].contains(mark));
            variations.drain(..variations.len().min(1));
        }
    }
}

/// Returns true for the summary of a player.
fn is_summary(comment: &str) -> bool {
    let of_player = ["White: ", "Black: "].iter().any(|player| comment.starts_with(player));
    of_player && (comment.ends_with(SUMMARY) || comment.ends_with(": no move"))
}

/// Returns true if a comment names a better move and says nothing else.
fn names_better(comment: &str) -> bool {
    comment.strip_prefix(BETTER).is_some_and(|m| m.parse::<Move>().is_ok())
}

/// Returns true if a comment is the value of a move and nothing else.
fn is_value(comment: &str) -> bool {
    let is_whole = comment.starts_with("[%") && comment.find(']') == Some(comment.len() - 1);
    is_whole && commands(comment).all(|(name, _)| ["wdl", "eval"].contains(&name))
}
