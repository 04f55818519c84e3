//! `experience`: makes experience files from recorded games, shows what they hold, and merges them.

use super::error::{Place, ToolError};
use super::files::{eprint_line, read_text};
use super::progress::Bar;
use super::searcher::Searcher;
use crate::engine::experience::{Experience, MOST_POSITIONS};
use crate::movegen;
use crate::position::Position;
use crate::record::{self, ReadOptions};
use crate::rules::Rules;
use crate::search::Score;
use crate::search::limits::Limits;
use crate::types::{Depth, Value, is_decisive};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Puts the entries of several files into one, and returns a summary of it.
///
/// # Errors
/// If a file cannot be read or written, or is damaged.
pub(crate) fn merge(file: &Path, inputs: &[PathBuf]) -> Result<String, ToolError> {
    let mut all = load_or_new(file)?;
    for input in inputs {
        all.merge(&load(input)?);
    }
    keep(&mut all, file)?;
    Ok(summary(&all))
}

/// Returns a summary of a file.
///
/// # Errors
/// If the file cannot be read or is damaged.
pub(crate) fn stat(file: &Path) -> Result<String, ToolError> {
    load(file).map(|experience| summary(&experience))
}

fn load(path: &Path) -> Result<Experience, ToolError> {
    Experience::load(path).map_err(ToolError::input(path))
}

fn load_or_new(path: &Path) -> Result<Experience, ToolError> {
    Experience::load_or_new(path).map_err(ToolError::input(path))
}

/// Merges the entries into a file, together with those that other programs have written to it since.
fn keep(experience: &mut Experience, path: &Path) -> Result<(), ToolError> {
    experience.join(path).map_err(ToolError::input(path))
}

/// Returns the number of entries and their depths as lines.
pub(crate) fn summary(experience: &Experience) -> String {
    let count = experience.len();
    let mut text =
        format!("{count} positions of at most {MOST_POSITIONS}, of {} rule sets\n", experience.rule_sets());
    let depths = experience.iter().map(|known| known.depth);
    if let (Some(least), Some(most)) = (depths.clone().min(), depths.clone().max()) {
        let mean = depths.map(f64::from).sum::<f64>() / count as f64;
        let decided = experience.iter().filter(|known| is_decisive(known.value)).count();
        // Writing to a string cannot fail.
        let _ = writeln!(text, "depth {least} to {most}, {mean:.1} on the average; {decided} won or lost");
    }
    text
}

fn value_text(value: Value) -> String {
    match Score::of(value) {
        Score::Cp(points) => format!("cp {points}"),
        Score::Mate(turns) => format!("mate {turns}"),
    }
}

/// Returns the entries of a position and of those after each of its moves, one line for each.
///
/// # Errors
/// If the file cannot be read or is damaged, or the position text is wrong.
pub(crate) fn look_up(file: &Path, fen: Option<&str>, rules: &Rules) -> Result<String, ToolError> {
    let experience = load(file)?;
    let mut pos = match fen {
        None => Position::new(rules),
        Some(text) => Position::from_fen(rules, text).map_err(ToolError::input(Place::Argument("--fen")))?,
    };
    let mut text = String::new();
    let mut write = |name: &str, pos: &Position| {
        if let Some(entry) = experience.get(pos) {
            let (value, side) = (value_text(entry.value), pos.side_to_move());
            let _ = writeln!(text, "{name}: depth {}, {value} for {side}, best {}", entry.depth, entry.best);
        }
    };
    write("position", &pos);
    for &m in movegen::legal(&pos).iter() {
        pos.do_move(m);
        write(&m.to_string(), &pos);
        pos.undo_move();
    }
    Ok(if text.is_empty() { "nothing is known of this position\n".to_owned() } else { text })
}

/// Searches the positions of recorded games to a depth and adds them to a file. Returns a summary of the
/// file.
///
/// # Errors
/// If a file cannot be read or written, the file is damaged, or no game can be read.
pub(crate) fn save(
    file: &Path,
    records: &[PathBuf],
    depth: Depth,
    rules: Option<Rules>,
) -> Result<String, ToolError> {
    let mut experience = load_or_new(file)?;
    let mut searcher = Searcher::new(1, 64)?;
    let options = ReadOptions { rules, ..ReadOptions::default() };
    let (mut searched, mut broken, mut read) = (0, 0, 0);
    for path in records {
        let reading = record::read(&path.display().to_string(), &read_text(path)?, &options);
        reading.errors.iter().for_each(|error| eprint_line(format_args!("error: {error}")));
        broken += reading.errors.len();
        let games = reading.games.len();
        read += games;
        let bar = Bar::new(games);
        for (number, game) in reading.games.iter().enumerate() {
            let mut pos = game.start_position().map_err(ToolError::input(path))?;
            for m in game.moves() {
                if experience.get(&pos).is_none_or(|known| known.depth < depth) && !pos.outcome().is_over() {
                    let limits = Limits { depth: Some(depth), ..Limits::default() };
                    let (best, line) = searcher.search(&pos, limits)?;
                    experience.learn(&pos, best.score, best.depth, &line);
                    searched += 1;
                }
                pos.do_move(m);
            }
            // Written after each game, so that an interruption loses the work of one game at most.
            keep(&mut experience, file)?;
            bar.show(number + 1, true, || {
                let (path, number, known) = (path.display(), number + 1, experience.len());
                format!("{path}: game {number} of {games}, {known} positions known")
            });
        }
    }
    if read == 0 {
        return Err(ToolError::NoGame);
    }
    let text =
        format!("{searched} positions searched, {broken} broken games left out\n{}", summary(&experience));
    Ok(text)
}
