//! The dialect of TGF, the engine in Sanmill after version 7: one result line with depth and nodes.

use super::writer::{Answer, Dialect, View, for_white, join, points};
use crate::search::Score;
use crate::types::{Color, Value};

/// The dialect of TGF.
pub(crate) struct Tgf;

/// The largest raw value; larger ones stand for a mate distance.
const LARGEST_RAW: i32 = 48;

impl Dialect for Tgf {
    fn name(&self) -> &'static str {
        "tgf"
    }

    fn is_sanmill(&self) -> bool {
        true
    }

    fn score(&self, value: Value, mover: Color) -> String {
        match Score::of(value) {
            Score::Mate(turns) => format!("mate {}", for_white(turns, mover)),
            Score::Cp(cp) => {
                let raw = points(cp).clamp(-LARGEST_RAW, LARGEST_RAW);
                format!("cp {}", for_white(raw, mover))
            }
        }
    }

    fn answer(&self, answer: &Answer, view: &View<'_>) -> String {
        let score = self.score(answer.score, view.side());
        let (depth, nodes) = (answer.depth, answer.nodes);
        format!("info depth {depth} score {score} nodes {nodes} bestmove {}", join(&answer.turn))
    }

    fn no_move(&self, is_drawn: bool) -> String {
        let word = if is_drawn { "draw" } else { "none" };
        format!("info depth 0 score cp 0 nodes 0 bestmove {word}")
    }

    fn eval(&self, value: Value, _: &[(&'static str, Value)], mover: Color) -> Vec<String> {
        vec![format!("info eval score {}", self.score(value, mover))]
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;
    use crate::types::{VALUE_TB_WIN, mate_in};

    #[test]
    fn scores_are_raw_and_as_white_sees_them() {
        assert_eq!(Tgf.score(100, Color::White), "cp 5");
        assert_eq!(Tgf.score(100, Color::Black), "cp -5");
        assert_eq!(Tgf.score(mate_in(3), Color::Black), "mate -2");
        assert_eq!(Tgf.score(VALUE_TB_WIN, Color::White), "cp 48");
    }
}
