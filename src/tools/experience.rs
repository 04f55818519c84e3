//! `experience`: makes experience files from recorded games, shows what they hold, and merges them.

use super::error::{Place, ToolError};
use super::files::{check_writable, read_games, report_faults, shown_input};
use super::origin::read_position;
use super::progress::Bar;
use super::searcher::Searcher;
use crate::engine::experience::Experience;
use crate::engine::{EngineError, ExperienceFault};
use crate::platform::text::counted;
use crate::position::Position;
use crate::record::ReadOptions;
use crate::rules::Rules;
use crate::search::Score;
use crate::search::limits::Limits;
use crate::types::{Depth, Value};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Puts the entries of several files into one, and returns a summary of it.
///
/// # Errors
/// If a file cannot be read or written, or is damaged.
pub(crate) fn merge(file: &Path, inputs: &[PathBuf]) -> Result<String, ToolError> {
    let mut all = Experience::default();
    for input in inputs {
        all.merge(&Experience::load(input)?);
    }
    all.add_to_file(file)?;
    Ok(all.summary())
}

/// Returns a summary of a file.
///
/// # Errors
/// If the file cannot be read or is damaged.
pub(crate) fn stat(file: &Path) -> Result<String, ToolError> {
    Ok(Experience::load(file)?.summary())
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
pub(crate) fn look_up(file: &Path, position: &str, rules: &Rules) -> Result<String, ToolError> {
    let experience = Experience::load(file)?;
    let mut pos = read_position(rules, position).map_err(ToolError::input(Place::Argument("position")))?;
    let mut text = String::new();
    let mut write = |name: &str, pos: &Position| {
        if let Some(entry) = experience.get(pos) {
            let (value, side) = (value_text(entry.value), pos.side_to_move());
            let _ = writeln!(text, "{name}: depth {}, {value} for {side}, best {}", entry.depth, entry.best);
        }
    };
    write("position", &pos);
    for &m in pos.legal_moves().iter() {
        pos.do_move(m);
        write(&m.to_string(), &pos);
        pos.undo_move();
    }
    Ok(if text.is_empty() { "nothing is known of this position\n".to_owned() } else { text })
}

/// Returns true if another process holds the lock of an experience file.
fn is_locked(error: &EngineError) -> bool {
    matches!(error, EngineError::Experience { fault: ExperienceFault::Locked, .. })
}

/// Checks that the experience file comes before the records.
fn check_order(file: &Path, records: &[PathBuf]) -> Result<(), ToolError> {
    let wrong = |path: &Path| Err(ToolError::SwappedRecords(path.to_owned()));
    if let Some(record) = records.iter().find(|record| Experience::is_file(record)) {
        return wrong(record);
    }
    if !file.is_file() || Experience::is_file(file) {
        return Ok(());
    }
    let reading = read_games(file, &ReadOptions::default())?;
    if reading.games.is_empty() { Ok(()) } else { wrong(file) }
}

/// Searches the positions of recorded games to a depth and adds them to a file. Returns a summary of the
/// file, and true if every game could be read.
///
/// # Errors
/// If a file cannot be read or written, the file is damaged, or no game can be read.
pub(crate) fn save(
    file: &Path,
    records: &[PathBuf],
    depth: Depth,
    rules: Option<Rules>,
) -> Result<(String, bool), ToolError> {
    check_order(file, records)?;
    check_writable(file)?;
    let mut experience = Experience::load_or_new(file)?;
    let mut searcher = Searcher::new(1, 64)?;
    let options = ReadOptions { rules, ..ReadOptions::default() };
    let (mut searched, mut broken, mut read) = (0, 0, 0);
    let mut is_unsaved = !file.exists();
    for path in records {
        let reading = read_games(path, &options)?;
        report_faults(&reading);
        broken += reading.errors.len();
        let games = reading.games.len();
        read += games;
        let bar = Bar::new(games);
        for (number, game) in reading.games.iter().enumerate() {
            let mut pos = game.start_position().map_err(ToolError::input(shown_input(path)))?;
            for m in game.moves() {
                if experience.get(&pos).is_none_or(|known| known.depth < depth) && !pos.outcome().is_over() {
                    let limits = Limits { depth: Some(depth), ..Limits::default() };
                    let (best, line) = searcher.search(&pos, limits)?;
                    is_unsaved |= experience.learn(&pos, best.score, best.depth, &line);
                    searched += 1;
                }
                pos.do_move(m);
            }
            // Written after each game that taught something, so that an interruption loses no more than one.
            if is_unsaved {
                match experience.add_to_file(file) {
                    Err(error) if is_locked(&error) => bar.note(format_args!("note: {error}")),
                    written => {
                        written?;
                        is_unsaved = false;
                    }
                }
            }
            bar.show(number + 1, true, || {
                let (path, number, known) = (path.display(), number + 1, experience.len());
                format!("{path}: game {number} of {games}, {} known", counted(known, "position"))
            });
        }
    }
    if read == 0 {
        return Err(ToolError::NoGame);
    }
    // The lock may be free by now.
    if is_unsaved {
        experience.add_to_file(file)?;
    }
    let text = format!(
        "{} searched, {} left out\n{}",
        counted(searched, "position"),
        counted(broken, "broken game"),
        experience.summary()
    );
    Ok((text, broken == 0))
}
