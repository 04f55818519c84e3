//! Games in files: saved and loaded by name, and the autosave file.

use super::game::PlayedGame;
use super::settings::PlaySettings;
use crate::platform::files::{is_locked_elsewhere, open_lock_file, read_regular, write_whole};
use crate::record::{self, Format, ReadOptions};
use crate::tools::error::{Place, ToolError};
use crate::tools::files::text_of;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

/// The largest file that is read. A game of a thousand turns has 20 kB.
const LARGEST: u64 = 64 << 20;

/// The name of the autosave file.
const AUTOSAVE: &str = "game.pgn";
/// The name of the file that the session which writes the autosave file keeps locked.
const LOCK: &str = "game.lock";

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

/// The autosave file, which the next start resumes. Where the file system has locks, one session at a time
/// has it.
pub(super) struct Autosave {
    path: PathBuf,
    /// Open, and so locked, to the end of the session.
    _lock: File,
}

impl Autosave {
    /// Finds the autosave file; `None` if the system names no folder for it.
    ///
    /// # Errors
    /// If another session has it, or if it cannot be locked. The error names the file.
    pub(super) fn find() -> io::Result<Option<Self>> {
        let folder = state_folder(|name| std::env::var_os(name).map(PathBuf::from));
        folder.map(|folder| Self::within(&folder)).transpose()
    }

    fn within(folder: &Path) -> io::Result<Self> {
        let (path, lock) = (folder.join(AUTOSAVE), folder.join(LOCK));
        let named = |why: io::Error| io::Error::new(why.kind(), format!("{}: {why}", lock.display()));
        let file = fs::create_dir_all(folder).and_then(|()| open_lock_file(&lock)).map_err(named)?;
        if is_locked_elsewhere(&file) {
            let why = format!("another session writes {}", path.display());
            return Err(io::Error::new(io::ErrorKind::ResourceBusy, why));
        }
        Ok(Self { path, _lock: file })
    }

    /// The file.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Writes the game. It does not replace an older one before its first move.
    ///
    /// # Errors
    /// If the file cannot be written. An older file is then unchanged.
    pub(super) fn write(&self, game: &PlayedGame) -> io::Result<()> {
        if game.is_untouched() {
            return Ok(());
        }
        if let Some(folder) = self.path.parent() {
            // It may have been deleted meanwhile.
            fs::create_dir_all(folder)?;
        }
        write_whole(&self.path, game.record().to_pgn().as_bytes())
    }

    /// Returns the game that was not finished, if there is one.
    ///
    /// # Errors
    /// If the file cannot be read whole: a game of this session would replace it.
    pub(super) fn unfinished(&self, settings: &PlaySettings) -> io::Result<Option<PlayedGame>> {
        if !self.path.try_exists()? {
            return Ok(None);
        }
        let fault = match load(&self.path, settings) {
            Ok((game, None)) => return Ok((!game.is_over() && !game.is_empty()).then_some(game)),
            Ok((_, Some(note))) => note,
            Err(why) => why.to_string(),
        };
        Err(io::Error::other(format!("{}: {fault}", self.path.display())))
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
pub(super) fn save(path: &Path, game: &PlayedGame) -> io::Result<()> {
    write_whole(path, game.record().to_pgn().as_bytes())
}

/// Reads the first game of a file in any format of record, up to its first fault, and returns it with
/// warnings about the file. `FILE#N` names the Nth game. A format without tags is read by the rules of
/// `settings`.
///
/// # Errors
/// If the file cannot be read or does not contain the game, or if the game is broken in its tags.
pub(super) fn load(path: &Path, settings: &PlaySettings) -> Result<(PlayedGame, Option<String>), ToolError> {
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
    let text = text_of(&bytes);
    let has_tags = matches!(record::detect(&text), Format::Pgn | Format::PlayOk);
    let rules = (!has_tags).then_some(settings.rules);
    let reading = record::read("", &text, &ReadOptions { rules, keep_partial: true, format: None });
    // A game that is broken in its tags is among the errors only.
    let error = reading.errors.iter().find(|error| error.game == number);
    let broken = reading.errors.iter().map(|error| error.game);
    let count = reading.numbers.iter().copied().chain(broken).max().unwrap_or_default();
    let Some(at) = reading.numbers.iter().position(|&n| n == number) else {
        return Err(match error {
            Some(error) => error.clone().into(),
            None if count == 0 => ToolError::EmptyFile,
            None => ToolError::unexpected(Place::Job, format!("#{number}"), format!("#1 to #{count}")),
        });
    };
    let game = PlayedGame::from_record(&reading.games[at], settings)?;
    let note = match error {
        Some(error) => Some(format!("read up to the first fault: {error}")),
        None if count > 1 => Some(format!("game {number} of {count}; FILE#N names another")),
        None => None,
    };
    Ok((game, note))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Rules;
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
        let new = folder.path().join("new");
        let autosave = Autosave::within(&new).expect("free");
        let error = Autosave::within(&new).err().expect("in use");
        assert!(error.to_string().ends_with("game.pgn"), "{error}");
        let settings = PlaySettings::default();
        let unfinished = |autosave: &Autosave| autosave.unfinished(&settings).expect("it can be read");
        assert!(unfinished(&autosave).is_none());
        let mut game = PlayedGame::new(&settings);
        autosave.write(&game).expect("nothing to write");
        assert!(!autosave.path.exists());
        assert!(game.play(Move::place("d6".parse().expect("a point"))));
        autosave.write(&game).expect("written");
        assert_eq!(unfinished(&autosave).expect("a game").record(), game.record());
        assert!(game.undo());
        autosave.write(&game).expect("written");
        assert!(unfinished(&autosave).is_none(), "the moves that were taken back are gone");
        assert!(game.redo());
        game.resign(crate::types::Color::White);
        autosave.write(&game).expect("written");
        assert!(unfinished(&autosave).is_none());
        for (text, fault) in [
            ("[Variant \"Future Morris\"]\n\n1. d7 *\n", "unknown Variant 'Future Morris'"),
            ("1. d6 d6 *\n", "illegal move 'd6'"),
            ("\0\0\0\0", "game.pgn: "),
        ] {
            fs::write(&autosave.path, text).expect("written");
            let error = autosave.unfinished(&settings).expect_err("a fault").to_string();
            assert!(error.contains(fault), "{error}");
        }
        drop(autosave);
        Autosave::within(&new).expect("free again");
        // Without its lock the file is not used.
        fs::remove_file(new.join(LOCK)).expect("deleted");
        fs::create_dir(new.join(LOCK)).expect("a folder in its place");
        let error = Autosave::within(&new).err().expect("no lock");
        assert!(error.to_string().contains("game.lock: "), "{error}");
    }

    #[test]
    fn files_are_read_up_to_their_first_fault_and_others_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            fs::write(&path, text).expect("written");
            path
        };
        let load = |path: &Path| load(path, &PlaySettings::default());
        let (game, note) = load(&write("broken", "1. d6 f4 2. d6 *")).expect("a part");
        assert_eq!(game.record().moves().count(), 2);
        assert!(note.expect("a note").contains("illegal move 'd6'"));
        let two = write("two", "[White \"A\"]\n\n1. d6 *\n\n[White \"B\"]\n\n1. f4 *\n");
        assert!(load(&two).expect("a game").1.expect("a note").starts_with("game 1 of 2"));
        let (second, _) = load(&folder.path().join("two#2")).expect("a game");
        assert_eq!(second.name(crate::types::Color::White), "B");
        write("tags", "[FEN \"no\"]\n\n*\n\n[White \"B\"]\n\n1. f4 d9 *\n\n[White \"C\"]\n\n1. f4 *\n");
        for (name, found) in [
            ("two#0", "found #0, expected #1 to #2"),
            ("two#3", "found #3, expected #1 to #2"),
            ("tags", "line 1: game 1: bad position 'no'"),
            ("tags#4", "found #4, expected #1 to #3"),
        ] {
            let error = load(&folder.path().join(name)).err().map(|why| why.to_string()).unwrap_or_default();
            assert!(error.contains(found), "{name}: {error}");
        }
        for (name, white, note) in [
            ("tags#2", "B", "read up to the first fault: line 7: game 2: found 'd9'"),
            ("tags#3", "C", "game 3 of 3"),
        ] {
            let (game, found) = load(&folder.path().join(name)).expect("a game");
            assert_eq!(game.name(crate::types::Color::White), white, "{name}");
            assert!(found.as_ref().is_some_and(|text| text.starts_with(note)), "{name}: {found:?}");
        }
        assert!(load(&write("empty", "")).is_err());
        assert!(load(folder.path()).is_err());
        assert!(load(&folder.path().join("none")).is_err());
    }

    #[test]
    fn lists_of_moves_have_the_rules_of_the_session_and_tags_their_own() {
        let folder = tempfile::tempdir().expect("a folder");
        let settings = PlaySettings { rules: Rules::LASKER, ..PlaySettings::default() };
        for (text, rules) in [("d6 f4 d6-d7\n", Rules::LASKER), ("[White \"A\"]\n\n1. d6 *\n", Rules::NINE)] {
            let path = folder.path().join("game");
            fs::write(&path, text).expect("written");
            let (game, note) = load(&path, &settings).expect("a game");
            assert_eq!((game.record().rules, note), (rules, None), "{text}");
        }
    }
}
