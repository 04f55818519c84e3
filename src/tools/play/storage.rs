//! Games in files: saved and loaded by name, and the autosave file.

use super::game::PlayedGame;
use super::settings::Play;
use crate::platform::files::{read_regular, write_whole};
use crate::platform::text::counted;
use crate::record::{self, ReadOptions};
use crate::tools::error::{Place, ToolError};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The largest file that is read. A game of a thousand turns has 20 kB.
const LARGEST: u64 = 64 << 20;

/// The name of the autosave file.
const AUTOSAVE: &str = "game.pgn";

/// Returns the folder for the state of this program, from environment variables given by `var`.
fn state_folder(var: impl Fn(&str) -> Option<PathBuf>) -> Option<PathBuf> {
    // The XDG base directory specification declares relative paths invalid.
    let set = |name: &str| var(name).filter(|path| path.is_absolute());
    let base = if let Some(folder) = set("XDG_STATE_HOME") {
        folder
    } else if cfg!(windows) {
        set("LOCALAPPDATA")?
    } else if cfg!(target_os = "macos") {
        set("HOME")?.join("Library/Application Support")
    } else {
        set("HOME")?.join(".local/state")
    };
    Some(base.join("millstone"))
}

/// The autosave file, which the next start resumes.
pub(super) struct Autosave {
    path: PathBuf,
}

impl Autosave {
    /// Finds the folder; `None` if the system names none.
    pub(super) fn find() -> Option<Self> {
        let folder = state_folder(|name| std::env::var_os(name).map(PathBuf::from))?;
        Some(Self { path: folder.join(AUTOSAVE) })
    }

    /// The file.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Writes the game. A game without moves does not replace an older one.
    ///
    /// # Errors
    /// If the file cannot be written. An older file is then unchanged.
    pub(super) fn write(&self, session: &PlayedGame) -> io::Result<()> {
        if session.is_empty() {
            return Ok(());
        }
        if let Some(folder) = self.path.parent() {
            fs::create_dir_all(folder)?;
        }
        write_whole(&self.path, session.record().to_pgn().as_bytes())
    }

    /// Returns the game that was not finished, if there is one that can be read.
    pub(super) fn unfinished(&self, settings: &Play) -> Option<PlayedGame> {
        let (session, _) = load(&self.path, settings).ok()?;
        (!session.is_over() && !session.is_empty()).then_some(session)
    }
}

/// Returns the path that the user has typed; `~/` is the home folder.
pub(super) fn path_of(text: &str) -> PathBuf {
    let text = text.trim();
    match (text.strip_prefix("~/"), std::env::var_os("HOME")) {
        (Some(rest), Some(home)) => Path::new(&home).join(rest),
        _ => PathBuf::from(text),
    }
}

/// Writes a game to a file.
///
/// # Errors
/// If the file cannot be written. An older file is then unchanged.
pub(super) fn save(path: &Path, session: &PlayedGame) -> io::Result<()> {
    write_whole(path, session.record().to_pgn().as_bytes())
}

/// Reads the first game of a file in any form of record, up to its first fault, and returns it with warnings
/// about the file. `FILE#N` names the Nth game.
///
/// # Errors
/// If the file cannot be read or does not contain the game.
pub(super) fn load(path: &Path, settings: &Play) -> Result<(PlayedGame, Option<String>), ToolError> {
    let text = path.to_string_lossy();
    let numbered = || {
        let (name, number) = text.rsplit_once('#')?;
        Some((PathBuf::from(name), number.parse::<usize>().ok()?))
    };
    let (path, number) = match numbered() {
        Some(found) if !path.exists() => found,
        _ => (path.to_owned(), 1),
    };
    // The caller names the file.
    let bytes = read_regular(&path, LARGEST).map_err(ToolError::io(Place::Job))?;
    let options = ReadOptions { keep_partial: true, ..ReadOptions::default() };
    let reading = record::read("line", &String::from_utf8_lossy(&bytes), &options);
    let count = reading.games.len();
    let Some(game) = number.checked_sub(1).and_then(|n| reading.games.get(n)) else {
        return Err(match (count, reading.errors.into_iter().next()) {
            (0, Some(error)) => error.into(),
            (0, None) => ToolError::EmptyFile,
            _ => ToolError::unexpected(Place::Job, counted(count, "game"), format!("at least {number}")),
        });
    };
    let session = PlayedGame::from_record(game, settings)?;
    let broken = reading.errors.iter().find(|error| error.game == number);
    let note = match broken {
        Some(error) => Some(format!("read up to the first fault: {error}")),
        None if count > 1 => Some(format!("game {number} of {count}; FILE#N names another")),
        None => None,
    };
    Ok((session, note))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Move;

    #[test]
    fn the_state_folder_follows_the_environment() {
        let with = |vars: &[(&str, &str)]| {
            let find =
                |name: &str| vars.iter().find(|(n, _)| *n == name).map(|(_, value)| PathBuf::from(value));
            state_folder(find)
        };
        if cfg!(unix) {
            let both = [("XDG_STATE_HOME", "/x"), ("HOME", "/h")];
            assert_eq!(with(&both), Some(PathBuf::from("/x/millstone")));
            let relative = [("XDG_STATE_HOME", "x"), ("HOME", "/h")];
            assert!(with(&relative).expect("a folder").starts_with("/h"));
            assert_eq!(with(&[]), None);
        }
    }

    #[test]
    fn an_unfinished_game_is_found_again_and_a_finished_one_is_not() {
        let folder = tempfile::tempdir().expect("a folder");
        let autosave = Autosave { path: folder.path().join("new/game.pgn") };
        let settings = Play::default();
        assert!(autosave.unfinished(&settings).is_none());
        let mut session = PlayedGame::new(&settings);
        autosave.write(&session).expect("nothing to write");
        assert!(!autosave.path.exists());
        assert!(session.play(Move::place("d6".parse().expect("a point"))));
        autosave.write(&session).expect("written");
        assert_eq!(autosave.unfinished(&settings).expect("a game").record(), session.record());
        session.resign(crate::types::Color::White);
        autosave.write(&session).expect("written");
        assert!(autosave.unfinished(&settings).is_none());
    }

    #[test]
    fn files_are_read_up_to_their_first_fault_and_others_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            fs::write(&path, text).expect("written");
            path
        };
        let load = |path: &Path| load(path, &Play::default());
        let (session, note) = load(&write("broken", "1. d6 f4 2. d6 *")).expect("a part");
        assert_eq!(session.record().moves().count(), 2);
        assert!(note.expect("a note").contains("illegal move 'd6'"));
        let two = write("two", "[White \"A\"]\n\n1. d6 *\n\n[White \"B\"]\n\n1. f4 *\n");
        assert!(load(&two).expect("a game").1.expect("a note").starts_with("game 1 of 2"));
        let (second, _) = load(&folder.path().join("two#2")).expect("a game");
        assert_eq!(second.name(crate::types::Color::White), "B");
        assert!(
            load(&folder.path().join("two#3")).is_err_and(|why| why.to_string().contains("found 2 games"))
        );
        assert!(load(&write("empty", "")).is_err());
        assert!(load(folder.path()).is_err());
        assert!(load(&folder.path().join("none")).is_err());
    }
}
