//! The command `experience save|load|merge|stat`.

use crate::dialect::command::ExperienceRequest;
use crate::engine::experience::Experience;
use crate::engine::{Engine, EngineError};
use crate::platform::text::counted;

/// Executes an `experience` command. Returns its answer.
///
/// # Errors
/// If a file cannot be read or written, or, unless the statistics of a file are asked for, learning is off.
pub(super) fn run(engine: &mut Engine, request: &ExperienceRequest) -> Result<String, EngineError> {
    if let ExperienceRequest::Stat(Some(file)) = request {
        return Ok(summary_line(&Experience::load(file)?));
    }
    let known = engine.experience()?;
    Ok(match request {
        ExperienceRequest::Save(file) => {
            let mut both = known.clone();
            both.add_to_file(file)?;
            format!("{} written", counted(both.len(), "position"))
        }
        ExperienceRequest::Load(file) => {
            let other = Experience::load(file)?;
            engine.merge_experience(&other);
            format!("{} read", counted(other.len(), "position"))
        }
        ExperienceRequest::Merge(file) => {
            let mut both = known.clone();
            both.add_to_file(file)?;
            engine.merge_experience(&both);
            format!("{} in all", counted(both.len(), "position"))
        }
        ExperienceRequest::Stat(_) => summary_line(known),
    })
}

fn summary_line(experience: &Experience) -> String {
    experience.summary().trim_ascii_end().replace('\n', "; ")
}
