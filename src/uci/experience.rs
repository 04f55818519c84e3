//! The command `experience save|load|merge|stat`.

use crate::engine::Engine;
use crate::engine::experience::{Experience, ExperienceError};
use crate::platform::text::{counted, printable};
use crate::tools::experience::summary;
use std::fmt;
use std::path::Path;

/// The reason why an `experience` command has no result.
#[derive(Debug)]
pub(super) enum ExperienceCommandError {
    /// Learning is off, or its file was refused.
    Off,
    /// The arguments are wrong.
    Arguments(String),
    /// The file cannot be read or written.
    File {
        /// The name of the file.
        name: String,
        /// The error.
        cause: ExperienceError,
    },
}

impl fmt::Display for ExperienceCommandError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Off => {
                f.write_str("experience: found LearnEndgame off or its file refused, expected it to be on")
            }
            Self::Arguments(found) => {
                let expected = "save <file>, load <file>, merge <file> or stat [<file>]";
                write!(f, "experience: found '{}', expected {expected}", printable(found, 60))
            }
            Self::File { name, cause } => write!(f, "experience: {name}: {cause}"),
        }
    }
}

impl std::error::Error for ExperienceCommandError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::File { cause, .. } => Some(cause),
            Self::Off | Self::Arguments(_) => None,
        }
    }
}

/// Executes an `experience` command, given the rest of its line. Returns the result as a sentence.
///
/// # Errors
/// When learning is off, the arguments are wrong, or a file cannot be read or written.
pub(super) fn run(engine: &mut Engine, text: &str) -> Result<String, ExperienceCommandError> {
    let (word, name) = text.split_once([' ', '\t']).unwrap_or((text, ""));
    let name = name.trim_ascii();
    let path = Path::new(name);
    let known = engine.experience().ok_or(ExperienceCommandError::Off)?;
    let result = match word {
        "save" if !name.is_empty() => {
            let mut both = known.clone();
            both.join(path).map(|()| format!("{} written", counted(both.len(), "position")))
        }
        "load" if !name.is_empty() => Experience::load(path).map(|other| {
            engine.merge_experience(&other);
            format!("{} read", counted(other.len(), "position"))
        }),
        "merge" if !name.is_empty() => {
            let mut both = known.clone();
            both.join(path).map(|()| {
                engine.merge_experience(&both);
                format!("{} here and there", counted(both.len(), "position"))
            })
        }
        "stat" if name.is_empty() => Ok(summary_line(known)),
        "stat" => Experience::load(path).map(|other| summary_line(&other)),
        _ => return Err(ExperienceCommandError::Arguments(text.to_owned())),
    };
    match result {
        Ok(result) => Ok(format!("experience: {result}")),
        Err(cause) => Err(ExperienceCommandError::File { name: name.to_owned(), cause }),
    }
}

fn summary_line(experience: &Experience) -> String {
    summary(experience).trim_ascii_end().replace('\n', "; ")
}
