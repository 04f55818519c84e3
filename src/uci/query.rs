//! The answers to commands that show something and change nothing.

use super::help;
use super::output::Output;
use crate::dialect::command::QueryKind;
use crate::dialect::state::{self, RulesetIds};
use crate::dialect::strict::{self, ErrorCode};
use crate::dialect::ugi;
use crate::dialect::writer::Dialect;
use crate::engine::{Engine, EngineError};
use crate::position::Position;
use crate::tools::svg::{self, Overlay};
use crate::types::{Color, Move};
use std::io;

/// Answers a query about the current position while nothing is searched. `refusal` is the error code of the
/// latest `position`, if strict mode has to report it; `protocol` is the value of `Protocol` at start.
///
/// # Errors
/// If a line cannot be written.
pub(super) fn answer(
    query: &QueryKind,
    engine: &Engine,
    dialect: &dyn Dialect,
    refusal: Option<ErrorCode>,
    protocol: &str,
    out: &mut Output,
) -> io::Result<()> {
    let pos = engine.position();
    match query {
        QueryKind::Board => board(pos, &dialect.fen(pos)).iter().try_for_each(|line| out.line(line)),
        QueryKind::BoardSvg => {
            let picture = svg::svg(pos, &Overlay::default());
            picture.lines().try_for_each(|line| out.line(line))
        }
        QueryKind::Fen => out.line(&format!("fen {}", dialect.fen(pos))),
        QueryKind::Moves => {
            let moves = pos.legal_moves();
            let words: Vec<String> = moves.iter().map(Move::to_string).collect();
            out.line(format!("moves {}", words.join(" ")).trim_end())
        }
        QueryKind::Eval => match engine.eval() {
            Ok((value, terms)) => {
                let lines = dialect.eval(value, &terms, pos.side_to_move());
                lines.iter().try_for_each(|line| out.line(line))
            }
            Err(error) => out.note(format_args!("eval: {error}")),
        },
        QueryKind::Help => help::lines(dialect.words(), protocol).iter().try_for_each(|line| out.note(line)),
        QueryKind::StateJson => {
            let object = match refusal {
                Some(refusal) => strict::unavailable(refusal, &EngineError::NoPosition.to_string()),
                None => {
                    let is_tgf = dialect.name() == "tgf" || engine.values().strict;
                    let ids = if is_tgf { RulesetIds::Tgf } else { RulesetIds::Own };
                    state::state(engine, &dialect.fen(pos), ids)
                }
            };
            out.line(&format!("info string sanmill_state {object}"))
        }
        QueryKind::Key => out.line(&format!("key {}", pos.key())),
        QueryKind::Hist => {
            let (length, count) = (pos.repetition_window(), pos.present_repetitions());
            out.line(&format!("hist key={} len={length} current_count={count}", pos.key()))
        }
        QueryKind::Compiler => out.line(&format!("info string compiler {}", compiler())),
        QueryKind::Ugi(query) => out.line(&format!("response {}", ugi::response(pos, *query))),
    }
}

/// Returns the lines of `d`: the board and the state of the game.
fn board(pos: &Position, fen: &str) -> Vec<String> {
    let outcome = pos.outcome();
    let mut lines: Vec<String> = vec![String::new()];
    lines.extend(pos.drawing().lines().map(str::to_owned));
    lines.push(String::new());
    lines.push(format!("Fen: {fen}"));
    lines.push(format!("Key: {:016X}", pos.key()));
    lines.push(format!("Rules: {}", pos.rules().describe()));
    let side = pos.mover().map_or("nobody".to_owned(), |color| color.to_string());
    lines.push(format!("Side to move: {side}"));
    let phase =
        if outcome.is_over() { "over".to_owned() } else { format!("{:?}", pos.phase()).to_lowercase() };
    lines.push(format!("Phase: {phase}"));
    for color in Color::ALL {
        let (men, hand) = (pos.men(color).count(), pos.hand(color));
        let due = pos.stated_takes_due(color);
        let takes = if due > 0 { format!(", {due} to take") } else { String::new() };
        let name = if color == Color::White { "White (O)" } else { "Black (@)" };
        lines.push(format!("{name}: {men} on the board, {hand} in hand{takes}"));
    }
    lines.push(format!("Legal moves: {}", pos.legal_moves().len()));
    if outcome.is_over() {
        let winner = match outcome.winner {
            Some(color) => format!("{color} wins"),
            None if outcome.is_draw() => "draw".to_owned(),
            None => "winner unknown".to_owned(),
        };
        lines.push(format!("Result: {winner} ({})", outcome.reason.name()));
    }
    lines
}

/// Returns the compiler, the target and the profile of the build.
fn compiler() -> String {
    let checks = if cfg!(debug_assertions) { ", with checks" } else { "" };
    format!("{} for {} on {}{checks}", env!("MILLSTONE_RUSTC"), std::env::consts::ARCH, std::env::consts::OS)
}
