//! The judgement of a move, and the value of a turn as text.

use crate::evaluate::expected_points;
use crate::platform::text::counted;
use crate::search::Score;
use crate::tablebase::Wdl;
use crate::types::{Color, Move, Value, is_decisive, is_loss, is_mate, is_win};

/// The judgement of one move.
pub(super) struct Judgement {
    /// 0 for a good move, else the mark 2 (`?`) or 4 (`??`).
    pub(super) mark: u8,
    /// True if it keeps the value.
    pub(super) kept: bool,
    /// Its exact value for its side.
    pub(super) exact: Option<Wdl>,
    /// Its value by search, for its side.
    pub(super) searched: Option<Value>,
    /// A better line.
    pub(super) better: Vec<Move>,
}

impl Judgement {
    /// Returns the expected score of the side that moves: 1 for a win, ½ for a draw.
    fn expected_points(&self) -> f64 {
        match (self.exact, self.searched) {
            (Some(value), _) => match value {
                Wdl::Win => 1.0,
                Wdl::Draw => 0.5,
                Wdl::Loss => 0.0,
            },
            (None, Some(value)) => expected_points(value),
            (None, None) => 0.5,
        }
    }
}

/// The value of a turn for White, and the mark of the turn.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(in crate::tools) struct TurnValue {
    /// The expected score of White: 1 for a win, ½ for a draw.
    pub(in crate::tools) points: f64,
    /// The exact value.
    pub(in crate::tools) exact: Option<Wdl>,
    /// The value by search.
    pub(in crate::tools) searched: Option<Value>,
    /// The mark of its worst move: 0, 2 (`?`) or 4 (`??`).
    pub(in crate::tools) mark: u8,
}

impl TurnValue {
    /// Returns the value of the last move of a turn of `side`.
    pub(super) fn of(judged: &Judgement, side: Color) -> Self {
        let (points, mark) = (judged.expected_points(), judged.mark);
        if side == Color::White {
            return Self { points, exact: judged.exact, searched: judged.searched, mark };
        }
        Self {
            points: 1.0 - points,
            mark,
            exact: judged.exact.map(Wdl::opposite),
            searched: judged.searched.map(|value| -value),
        }
    }

    /// Returns the value in a few characters.
    pub(super) fn short(&self) -> String {
        match (decided(self.exact, self.searched), self.searched.map(score_for_white)) {
            (Some(Wdl::Win), _) => "1".to_owned(),
            (Some(Wdl::Draw), _) => "½".to_owned(),
            (Some(Wdl::Loss), _) => "0".to_owned(),
            (None, Some(Score::Cp(0))) => "0.00".to_owned(),
            (None, Some(Score::Cp(cp))) => format!("{:+.2}", f64::from(cp) / 100.0),
            (None, Some(Score::Mate(turns))) => format!("#{turns}"),
            (None, None) => "?".to_owned(),
        }
    }

    /// Returns the value in words.
    pub(super) fn in_words(&self) -> String {
        match (self.exact, self.searched.map(score_for_white)) {
            (Some(Wdl::Win), _) => "White wins, by exact value".to_owned(),
            (Some(Wdl::Draw), _) => "a draw, by exact value".to_owned(),
            (Some(Wdl::Loss), _) => "Black wins, by exact value".to_owned(),
            (None, Some(Score::Cp(cp))) if is_win(cp) => "White wins, by search".to_owned(),
            (None, Some(Score::Cp(cp))) if is_loss(cp) => "Black wins, by search".to_owned(),
            (None, Some(Score::Cp(_))) => format!("{} for White by search", self.short()),
            (None, Some(Score::Mate(turns))) => {
                let winner = if turns > 0 { "White" } else { "Black" };
                format!("{winner} wins in {}, by search", counted(turns.unsigned_abs(), "turn"))
            }
            (None, None) => "no value".to_owned(),
        }
    }
}

/// Returns the value of a position by tablebase, also if it is the search that has found a way to one.
pub(super) fn decided(exact: Option<Wdl>, searched: Option<Value>) -> Option<Wdl> {
    let found = searched.filter(|&value| is_decisive(value) && !is_mate(value));
    exact.or(found.map(|value| if value > 0 { Wdl::Win } else { Wdl::Loss }))
}

/// Returns a value from White's point of view in the form for readers. A mate counts the turns of the winner.
pub(in crate::tools) fn score_for_white(value: Value) -> Score {
    match Score::of(value.abs()) {
        Score::Cp(cp) => Score::Cp(value.signum() * cp),
        Score::Mate(turns) => Score::Mate(value.signum() * turns),
    }
}

/// Returns the mark of a judgement, 0, 2 or 4, as a sign after the moves.
pub(in crate::tools) const fn mark_sign(mark: u8) -> &'static str {
    match mark {
        0 => "",
        2 => "?",
        _ => "??",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{VALUE_TB_WIN, mate_in};

    #[test]
    fn a_win_by_search_is_told_in_turns() {
        let words = |value| TurnValue { searched: Some(value), ..TurnValue::default() }.in_words();
        assert_eq!(words(mate_in(1)), "White wins in 1 turn, by search");
        // Black is to move and has the first and the last of five turns.
        assert_eq!(words(-mate_in(5)), "Black wins in 3 turns, by search");
        assert_eq!(words(-mate_in(4)), "Black wins in 2 turns, by search");
        assert_eq!(words(3 - VALUE_TB_WIN), "Black wins, by search");
    }
}
