//! The trait of a dialect, a reader and a writer of lines; its defaults are those of the standard dialect.
//! Also the scales of scores that several dialects share.

use super::command::{self, ParsedLine, UCI, Words};
use super::error::DialectError;
use crate::engine::ErrorPolicy;
use crate::position::{Position, PositionError};
use crate::search::limits::LevelScale;
use crate::search::{Info, Score};
use crate::types::{Bound, Color, Depth, Move, VALUE_DRAW, Value, is_decisive};

/// The facts about a search that a writer may need.
pub(crate) struct View<'a> {
    /// The position searched.
    pub(crate) root: &'a Position,
    /// True if the search reports more than one line.
    pub(crate) several: bool,
    /// True if scores come with win, draw and loss rates.
    pub(crate) wdl: bool,
    /// The score of a draw, which contempt moves.
    pub(crate) draw: Value,
}

impl View<'_> {
    /// Returns the side to move at the root.
    pub(crate) fn side(&self) -> Color {
        self.root.side_to_move()
    }
}

/// The result of a search.
pub(crate) struct Answer {
    /// The move to play; in dialects of whole turns, all moves of the turn.
    pub(crate) turn: Vec<Move>,
    /// The expected reply of the opponent, if any; likewise.
    pub(crate) ponder: Vec<Move>,
    /// The score of the move from the mover's point of view.
    pub(crate) score: Value,
    /// The last finished iteration.
    pub(crate) depth: Depth,
    /// Nodes of all threads.
    pub(crate) nodes: u64,
}

/// A reader and a writer. `Sync`, because dialects are constants.
pub(crate) trait Dialect: Sync {
    /// Returns the name, as the option `Protocol` has it.
    fn name(&self) -> &'static str;

    /// Returns true for the dialects of Sanmill: they have no search lines, repair errors, and give
    /// `SkillLevel` a meaning of their own.
    fn is_sanmill(&self) -> bool {
        false
    }

    /// Returns the words in which the dialect differs.
    fn words(&self) -> &'static Words {
        &UCI
    }

    /// Reads a line.
    ///
    /// # Errors
    /// If there is no such command or its arguments are wrong.
    fn read(&self, line: &str) -> Result<ParsedLine, DialectError> {
        command::read(line, self.words())
    }

    /// Turns a position text into one of seventeen fields.
    ///
    /// # Errors
    /// If the text is not one of this dialect.
    fn position_text(&self, text: &str, men: u8) -> Result<String, PositionError> {
        let _ = men;
        Ok(text.to_owned())
    }

    /// Returns a position text as another engine of this dialect reads it; `pos` is its position.
    ///
    /// # Errors
    /// If the dialect cannot express the position.
    fn text_for_engine(&self, text: &str, pos: &Position) -> Result<String, DialectError> {
        let _ = pos;
        Ok(text.to_owned())
    }

    /// Returns the treatment of wrong positions.
    fn error_policy(&self) -> ErrorPolicy {
        if self.is_sanmill() { ErrorPolicy::Repair } else { ErrorPolicy::Refuse }
    }

    /// Returns true if the game may go on past draws by repetition and counters.
    fn past_draws(&self) -> bool {
        !self.is_sanmill()
    }

    /// Returns the meaning of `SkillLevel`.
    fn level_scale(&self) -> LevelScale {
        if self.is_sanmill() { LevelScale::Depths } else { LevelScale::Measured }
    }

    /// Returns true if `go` without limits searches until `stop`.
    fn bare_go_is_infinite(&self) -> bool {
        false
    }

    /// Returns true if moves are written as whole turns, takes included.
    fn whole_turns(&self) -> bool {
        false
    }

    /// Writes a position.
    fn fen(&self, pos: &Position) -> String {
        pos.fen()
    }

    /// Writes a score from the point of view of `mover`.
    fn score(&self, value: Value, mover: Color) -> String {
        let _ = mover;
        match Score::of(value) {
            Score::Cp(cp) => format!("cp {cp}"),
            Score::Mate(turns) => format!("mate {turns}"),
        }
    }

    /// Writes a line of a search; `None` in dialects without such lines.
    fn line(&self, info: &Info, view: &View<'_>) -> Option<String> {
        let write = || info_line(info, view, &self.score(info.score, view.side()), &join(&info.pv));
        (!self.is_sanmill()).then(write)
    }

    /// Writes the root move that is being searched; `None` in dialects without such lines.
    fn current(&self, depth: Depth, current: Move, number: usize) -> Option<String> {
        let write = || format!("info depth {depth} currmove {current} currmovenumber {number}");
        (!self.is_sanmill()).then(write)
    }

    /// Writes the result of a search.
    fn answer(&self, answer: &Answer, view: &View<'_>) -> String {
        let _ = view;
        let mut line = format!("bestmove {}", join(&answer.turn));
        if !answer.ponder.is_empty() {
            line.push_str(&format!(" ponder {}", join(&answer.ponder)));
        }
        line
    }

    /// Writes the answer of a search without a move. `is_drawn`: the game is drawn by repetition or a
    /// counter.
    fn no_move(&self, is_drawn: bool) -> String {
        let _ = is_drawn;
        "bestmove (none)".to_owned()
    }

    /// Writes a static evaluation and its terms.
    fn eval(&self, value: Value, terms: &[(&'static str, Value)], mover: Color) -> Vec<String> {
        let mut lines: Vec<String> =
            terms.iter().map(|(name, term)| format!("info string eval {name} {term}")).collect();
        lines.push(format!("info string eval total {value} for {mover}"));
        lines
    }
}

/// Returns a search line; fields that do not apply are left out.
fn info_line(info: &Info, view: &View<'_>, score: &str, pv: &str) -> String {
    let mut line = format!("info depth {} seldepth {}", info.depth, info.seldepth);
    if view.several {
        line.push_str(&format!(" multipv {}", info.multipv));
    }
    line.push_str(&format!(" score {score}"));
    match info.bound {
        Bound::Lower => line.push_str(" lowerbound"),
        Bound::Upper => line.push_str(" upperbound"),
        Bound::Exact | Bound::None => {}
    }
    if view.wdl {
        let [win, draw, loss] = win_rates(if info.score == view.draw { VALUE_DRAW } else { info.score });
        line.push_str(&format!(" wdl {win} {draw} {loss}"));
    }
    line.push_str(&format!(
        " nodes {} nps {} hashfull {} tbhits {} time {}",
        info.nodes,
        info.nps,
        info.hashfull,
        info.tbhits,
        info.time.as_millis()
    ));
    if !pv.is_empty() {
        line.push_str(&format!(" pv {pv}"));
    }
    line
}

/// Returns a value of `mover` from White's point of view.
pub(crate) fn for_white(value: Value, mover: Color) -> Value {
    if mover == Color::White { value } else { -value }
}

/// Returns a value on the scale of the Sanmill dialects, 5 for one man: within ±79, and ±80 when the game is
/// decided.
pub(crate) fn points(value: Value) -> i32 {
    if is_decisive(value) {
        return 80 * value.signum();
    }
    let rounded = (value.abs() + 10) / 20 * value.signum();
    rounded.clamp(-79, 79)
}

/// Returns win, draw and loss per mille for the side that a value belongs to.
///
/// Logistic curves around ±[`EVEN`]: half of the positions of that value are won. Fitted to exact values of
/// the standard game (`millstone tune` prints both numbers for 1.2 million held-out positions).
pub(crate) fn win_rates(value: Value) -> [u32; 3] {
    /// The value at which half of the positions are won.
    const EVEN: f64 = 88.0;
    /// The difference of values that multiplies the odds by e.
    const SLOPE: f64 = 26.0;
    if is_decisive(value) {
        return if value > 0 { [1000, 0, 0] } else { [0, 0, 1000] };
    }
    let rate = |value: f64| 1000.0 / (1.0 + ((EVEN - value) / SLOPE).exp());
    let win = rate(f64::from(value)).round() as u32;
    let loss = rate(-f64::from(value)).round() as u32;
    [win, 1000 - win - loss, loss]
}

/// Returns the moves, separated by single blanks.
pub(crate) fn join(moves: &[Move]) -> String {
    let words: Vec<String> = moves.iter().map(Move::to_string).collect();
    words.join(" ")
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;
    use crate::types::{VALUE_EVAL_MAX, VALUE_TB_WIN, mate_in, mated_in};

    #[test]
    fn points_are_rounded_and_held() {
        let pairs = [(0, 0), (9, 0), (10, 1), (-10, -1), (100, 5), (-109, -5), (-110, -6), (5000, 79)];
        for (value, expected) in pairs {
            assert_eq!(points(value), expected, "{value}");
        }
        assert_eq!(points(VALUE_EVAL_MAX - 1), 79);
        assert_eq!([points(VALUE_TB_WIN), points(mate_in(3)), points(mated_in(3))], [80, 80, -80]);
    }

    #[test]
    fn win_rates_sum_to_a_thousand_and_mirror() {
        for value in (-3000..=3000).step_by(7).chain([mate_in(2), mated_in(2)]) {
            let [win, draw, loss] = win_rates(value);
            assert_eq!(win + draw + loss, 1000);
            assert_eq!(win_rates(-value), [loss, draw, win]);
        }
        assert_eq!(win_rates(mate_in(1)), [1000, 0, 0]);
    }

    #[test]
    fn a_side_that_is_ahead_wins_more_often() {
        assert_eq!(win_rates(88), [500, 499, 1]);
        let [win, _, loss] = win_rates(200);
        assert!(win > 980 && loss == 0, "{win} {loss}");
        assert!(win_rates(0)[1] > 900);
    }
}
