//! The advice to resign a lost game.

use super::report::Score;
use crate::params::style_resign;
use crate::platform::text::counted;
use crate::types::{Value, is_loss};

/// Returns the advice to resign if the score is bad enough for it.
pub(super) fn resign_advice(score: Value) -> Option<String> {
    if !is_loss(score) && score > style_resign() {
        return None;
    }
    Some(match Score::of(score) {
        Score::Mate(turns) => format!("advice: resign, the game is lost in {}", counted(-turns, "turn")),
        Score::Cp(_) if is_loss(score) => "advice: resign, the game is lost by the tablebase".to_owned(),
        Score::Cp(points) => format!("advice: resign, the position is worth {points} hundredths of a man"),
    })
}
