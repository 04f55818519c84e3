//! The standard dialect: UCI as chess clients use it.

use super::writer::{Answer, Dialect, View, join, win_rates};
use crate::search::Info;
use crate::types::{Bound, Color, Depth, Move, VALUE_DRAW, Value};

/// The standard dialect.
pub(crate) struct Standard;

impl Dialect for Standard {
    fn name(&self) -> &'static str {
        "standard"
    }

    fn line(&self, info: &Info, view: &View<'_>) -> Option<String> {
        Some(info_line(info, view, &self.score(info.score, view.side()), &join(&info.pv)))
    }

    fn current(&self, depth: Depth, current: Move, number: usize) -> Option<String> {
        Some(format!("info depth {depth} currmove {current} currmovenumber {number}"))
    }

    fn answer(&self, answer: &Answer, _: &View<'_>) -> String {
        let mut line = format!("bestmove {}", join(&answer.turn));
        if !answer.ponder.is_empty() {
            line.push_str(&format!(" ponder {}", join(&answer.ponder)));
        }
        line
    }

    fn no_move(&self, _: bool) -> String {
        "bestmove (none)".to_owned()
    }

    fn eval(&self, value: Value, terms: &[(&'static str, Value)], mover: Color) -> Vec<String> {
        let mut lines: Vec<String> =
            terms.iter().map(|(name, term)| format!("info string eval {name} {term}")).collect();
        lines.push(format!("info string eval total {value} for {mover}"));
        lines
    }
}

/// Returns a search line; fields that do not apply are left out.
pub(crate) fn info_line(info: &Info, view: &View<'_>, score: &str, pv: &str) -> String {
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
