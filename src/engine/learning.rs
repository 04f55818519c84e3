//! The option `LearnEndgame`: the experience of the session and its file.

use super::error::EngineError;
use super::experience::Experience;
use super::options::OptionValues;
use crate::position::Position;
use crate::search::Info;
use crate::tt::TranspositionTable;
use std::path::PathBuf;

/// The experience in use and its file.
#[derive(Default)]
pub(super) struct Learning {
    /// The experience; `None` while learning is off.
    experience: Option<Experience>,
    /// The file it is kept in, if there is one.
    file: Option<PathBuf>,
    /// True if the file could not be read.
    is_refused: bool,
    /// The results that wait for a file: while learning is off, or the file of the options is refused.
    waiting: Option<Experience>,
    /// True if the experience holds more than the file.
    is_unsaved: bool,
    /// True if the result of the running search is to be learned.
    learns_result: bool,
}

impl Learning {
    /// Begins or ends learning, according to the options. What was learned without a file, or could not
    /// be saved, goes into the file.
    ///
    /// # Errors
    /// If the file cannot be read. It is then neither used nor overwritten, and what was learned waits for
    /// another one. Also if it cannot be created; learning begins all the same.
    pub(super) fn open(&mut self, values: &OptionValues) -> Result<(), EngineError> {
        let is_kept = self.file.is_some() && !self.is_unsaved;
        let unsaved = self.experience.take().filter(|_| !is_kept).or(self.waiting.take());
        *self = Self::default();
        if !values.learn {
            self.waiting = unsaved;
            return Ok(());
        }
        if values.experience_file.is_empty() {
            self.experience = Some(unsaved.unwrap_or_default());
            return Ok(());
        }
        let path = PathBuf::from(&values.experience_file);
        match Experience::load_or_new(&path) {
            Ok(experience) => {
                self.experience = Some(experience);
                if let Some(unsaved) = unsaved {
                    self.merge(&unsaved);
                }
                let checked = Experience::check_path(&path);
                self.file = Some(path);
                checked.map_err(|error| EngineError::WriteExperience(Box::new(error)))
            }
            Err(error) => {
                (self.is_refused, self.waiting) = (true, unsaved);
                Err(EngineError::ReadExperience(Box::new(error)))
            }
        }
    }

    /// Saves what is unsaved, and goes on according to new options. Returns the errors of
    /// [`save`](Self::save) and [`open`](Self::open).
    pub(super) fn reopen(&mut self, values: &OptionValues) -> impl Iterator<Item = EngineError> + use<> {
        [self.save(), self.open(values)].into_iter().filter_map(Result::err)
    }

    /// Returns true if the file of the options was refused.
    pub(super) fn is_refused(&self) -> bool {
        self.is_refused
    }

    /// Writes the experience to its file, and keeps entries that other processes have added in the meantime.
    ///
    /// # Errors
    /// If the file cannot be written. The next call tries again.
    pub(super) fn save(&mut self) -> Result<(), EngineError> {
        let (Some(experience), Some(path)) = (&mut self.experience, &self.file) else { return Ok(()) };
        if self.is_unsaved {
            experience.add_to_file(path).map_err(|error| EngineError::WriteExperience(Box::new(error)))?;
            self.is_unsaved = false;
        }
        Ok(())
    }

    /// Returns the experience.
    ///
    /// # Errors
    /// While learning is off, or if the file of the options was refused.
    pub(super) fn experience(&self) -> Result<&Experience, EngineError> {
        let absent = if self.is_refused { EngineError::ExperienceRefused } else { EngineError::LearningOff };
        self.experience.as_ref().ok_or(absent)
    }

    /// Adds the entries of another experience, if learning is on.
    pub(super) fn merge(&mut self, other: &Experience) {
        if let Some(experience) = &mut self.experience {
            experience.merge(other);
            self.is_unsaved |= !other.is_empty();
        }
    }

    /// Prepares a search of `root`: stores known results in the transposition table if `uses_experience`, and
    /// remembers whether the result is to be learned.
    pub(super) fn begin_search(
        &mut self,
        root: &Position,
        tt: &TranspositionTable,
        uses_experience: bool,
        learns_result: bool,
    ) {
        self.learns_result = learns_result;
        if let Some(experience) = self.experience.as_ref().filter(|_| uses_experience) {
            experience.recall(root, tt);
        }
    }

    /// Learns the result of the search that has ended, given its latest exact line.
    pub(super) fn learn(&mut self, root: &Position, line: &Info) {
        if let Some(experience) = self.experience.as_mut().filter(|_| self.learns_result) {
            self.is_unsaved |= experience.learn(root, line.value(), line.depth, &line.pv);
        }
    }
}
