//! `experience`: makes experience files from recorded games, shows what they hold, and merges them.

use super::error::{Place, ToolError};
use super::files::{check_writable, read_games, report_faults, shown_input};
use super::position_argument::read_position;
use super::progress::Bar;
use super::searcher::Searcher;
use crate::engine::experience::Experience;
use crate::engine::{EngineError, ExperienceFault};
use crate::platform::text::{counted, printable_path};
use crate::position::Position;
use crate::record::ReadOptions;
use crate::rules::Rules;
use crate::search::Score;
use crate::search::limits::Limits;
use crate::types::{Depth, Value};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

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

/// The time after which the file is written within a game too. A search may take minutes.
const SAVE_EVERY: Duration = Duration::from_secs(60);

/// Searches positions and keeps the results in a file.
struct Learner<'a> {
    file: &'a Path,
    experience: Experience,
    searcher: Searcher,
    depth: Depth,
    /// The number of positions searched.
    searched: usize,
    /// True if there are results that the file lacks, or no file.
    is_unsaved: bool,
    saved: Instant,
    save_every: Duration,
}

impl<'a> Learner<'a> {
    fn new(file: &'a Path, depth: Depth, save_every: Duration) -> Result<Self, ToolError> {
        Ok(Self {
            file,
            experience: Experience::load_or_new(file)?,
            searcher: Searcher::new(1, 64)?,
            depth,
            searched: 0,
            is_unsaved: !file.exists(),
            saved: Instant::now(),
            save_every,
        })
    }

    /// Searches a position without its past, unless it is over or known to the depth. Saves if that is due.
    fn learn(&mut self, pos: &Position, bar: &Bar) -> Result<(), ToolError> {
        let mut pos = pos.clone();
        pos.forget_history();
        let is_known = self.experience.get(&pos).is_some_and(|known| known.depth >= self.depth);
        if is_known || pos.outcome().is_over() {
            return Ok(());
        }
        let limits = Limits { depth: Some(self.depth), ..Limits::default() };
        let (best, line) = self.searcher.search(&pos, limits)?;
        self.is_unsaved |= self.experience.learn(&pos, best.score, best.depth, &line);
        self.searched += 1;
        if self.saved.elapsed() >= self.save_every { self.save(bar) } else { Ok(()) }
    }

    /// Writes the file if there is something new. If another process holds its lock, a note says so, and the
    /// next call tries again.
    fn save(&mut self, bar: &Bar) -> Result<(), ToolError> {
        match self.finish() {
            Err(error) if is_locked(&error) => bar.note(format_args!("note: {error}")),
            written => written?,
        }
        self.saved = Instant::now();
        Ok(())
    }

    /// Writes the file if there is something new.
    fn finish(&mut self) -> Result<(), EngineError> {
        if self.is_unsaved {
            self.experience.add_to_file(self.file)?;
            self.is_unsaved = false;
        }
        Ok(())
    }
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
    let mut learner = Learner::new(file, depth, SAVE_EVERY)?;
    let options = ReadOptions { rules, ..ReadOptions::default() };
    let (mut broken, mut read) = (0, 0);
    for path in records {
        let reading = read_games(path, &options)?;
        report_faults(&reading);
        broken += reading.errors.len();
        let games = reading.games.len();
        read += games;
        let bar = Bar::new(reading.games.iter().map(|game| game.moves().count()).sum());
        let mut done = 0;
        for (number, game) in reading.games.iter().enumerate() {
            let mut pos = game.start_position().map_err(ToolError::input(shown_input(path)))?;
            for m in game.moves() {
                learner.learn(&pos, &bar)?;
                pos.do_move(m);
                done += 1;
                bar.show_every(Bar::INTERVAL, done, || {
                    let (path, number, known) = (printable_path(path), number + 1, learner.experience.len());
                    format!("{path}: game {number} of {games}, {} known", counted(known, "position"))
                });
            }
            // An interruption loses no finished game.
            learner.save(&bar)?;
        }
    }
    if read == 0 {
        return Err(ToolError::NoGame);
    }
    // The lock may be free by now.
    learner.finish()?;
    let text = format!(
        "{} searched, {} left out\n{}",
        counted(learner.searched, "position"),
        counted(broken, "broken game"),
        learner.experience.summary()
    );
    Ok((text, broken == 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_game_is_kept_before_its_end() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("known.mex");
        let pos = Position::new(&Rules::NINE);
        let mut late = Learner::new(&file, 8, Duration::MAX).expect("a search");
        late.learn(&pos, &Bar::new(1)).expect("learned");
        assert!(!file.exists());
        let mut due = Learner::new(&file, 8, Duration::ZERO).expect("a search");
        due.learn(&pos, &Bar::new(1)).expect("learned");
        let kept = Experience::load(&file).expect("an experience file");
        assert!(kept.get(&pos).is_some_and(|known| known.depth >= 8));
    }
}
