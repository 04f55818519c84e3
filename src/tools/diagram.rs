//! `diagram`: a board as SVG.

use super::arguments::output_file;
use super::error::{Place, ToolError};
use super::files::write_out;
use super::position_argument::position_text;
use super::svg::{Overlay, svg};
use crate::notation;
use crate::position::Position;
use crate::record::Builder;
use crate::rules::Rules;
use crate::types::Move;
use clap::Args;
use std::path::PathBuf;

/// The settings of a diagram.
#[derive(Clone, Debug, Args)]
pub(crate) struct DiagramSettings {
    /// Position text, or startpos
    #[arg(required = true, value_name = "FEN")]
    position: Vec<String>,
    /// Rules of the position.
    #[command(flatten)]
    rules: Rules,
    /// Moves to play first; the last turn is drawn
    #[arg(long, value_name = "MOVES", default_value = "")]
    moves: String,
    /// Legal moves to draw without playing them: moves of this position, or a line of moves
    #[arg(long, value_name = "MOVES", default_value = "")]
    show: String,
    /// Points to mark
    #[arg(long, value_name = "POINTS", default_value = "")]
    mark: String,
    /// File to write [default: standard output]
    #[arg(long, value_name = "FILE", value_parser = output_file())]
    output: Option<PathBuf>,
}

/// Draws a diagram.
///
/// # Errors
/// If the position, a move or a point cannot be read, or the file cannot be written.
pub(crate) fn run(args: &DiagramSettings) -> Result<(), ToolError> {
    let start = position_text(&args.position.join(" ")).and_then(|start| Builder::new(args.rules, start));
    let mut game = start.map_err(ToolError::input(Place::Argument("position")))?;
    for word in args.moves.split_whitespace() {
        let place = || Place::Argument("--moves");
        let (moves, _) = notation::parse_turn(game.position(), word).map_err(ToolError::input(place()))?;
        for m in moves {
            game.push(m).map_err(|_| ToolError::Unplayable { place: place(), m, fen: None })?;
        }
    }
    let proposed = read_proposed(game.position(), &args.show)?;
    let marked = args
        .mark
        .split([' ', ','])
        .filter(|word| !word.is_empty())
        .map(|word| word.parse().map_err(ToolError::input(Place::Argument("--mark"))))
        .collect::<Result<_, _>>()?;
    let pos = game.position().clone();
    let (game, _) = game.finish();
    let played = game.main().turns.last().map(|turn| turn.moves.clone()).unwrap_or_default();
    write_out(args.output.as_ref(), &svg(&pos, &Overlay { played, proposed, marked }))
}

/// Reads moves that are drawn but not played. A word is a turn of the position, or one that continues those
/// before it.
fn read_proposed(pos: &Position, words: &str) -> Result<Vec<Move>, ToolError> {
    let mut proposed = Vec::new();
    let mut line = pos.clone();
    for word in words.split_whitespace() {
        let turn = notation::parse_turn(&line, word).or_else(|_| notation::parse_turn(pos, word));
        let (moves, after) = turn.map_err(ToolError::input(Place::Argument("--show")))?;
        line = after;
        proposed.extend(moves);
    }
    Ok(proposed)
}
