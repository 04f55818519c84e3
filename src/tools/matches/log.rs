//! The file that a match is resumed from: a line that names the match, then a line for each finished game.

use super::game::Finished;
use crate::tools::files::Failure;
use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions};
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

/// What makes two runs the same match: the number of games is not part of it, so that a match can be prolonged.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Identity {
    /// The players, as their engine files say.
    pub players: [String; 2],
    /// The limits of both.
    pub go: [String; 2],
    /// The rules.
    pub rules: String,
    /// The openings, by number and a checksum.
    pub openings: String,
    /// The seed of everything that is random.
    pub seed: u64,
    /// Whether games are ended by the tables.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub adjudicate: bool,
}

/// An open file of finished games.
pub struct Log {
    file: File,
    path: PathBuf,
}

impl Log {
    /// Opens the file of a match and reads the games that it holds; a new file gets its first line. A last line
    /// that was not finished is cut off.
    ///
    /// # Errors
    /// When the file cannot be read or written, or is that of another match.
    pub fn open(path: &Path, identity: &Identity) -> Result<(Self, Vec<Finished>), Failure> {
        let fail = |why: std::io::Error| Failure::at(path, why);
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .map_err(fail)?;
        let mut text = String::new();
        file.read_to_string(&mut text).map_err(fail)?;
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        let mut lines = text[..whole].lines().enumerate();
        let mut games = Vec::new();
        match lines.next() {
            Some((_, first)) => {
                let found: Identity = serde_json::from_str(first)
                    .map_err(|why| Failure::at(path, format!("line 1 names no match: {why}")))?;
                if found != *identity {
                    return Err(Failure::at(path, differing(&found, identity)));
                }
            }
            None if whole == 0 && !text.is_empty() && !text.starts_with("{\"players\"") => {
                return Err(Failure::at(path, "found something else, expected the games of a match"));
            }
            None => {}
        }
        for (index, line) in lines {
            let game = serde_json::from_str(line)
                .map_err(|why| Failure::at(path, format!("line {}: {why}", index + 1)))?;
            games.push(game);
        }
        file.set_len(whole as u64).map_err(fail)?;
        file.seek(SeekFrom::End(0)).map_err(fail)?;
        let mut log = Self { file, path: path.to_owned() };
        if whole == 0 {
            log.write(identity)?;
        }
        Ok((log, games))
    }

    /// Appends a finished game; it is on the disk afterwards.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn append(&mut self, game: &Finished) -> Result<(), Failure> {
        self.write(game)
    }

    fn write(&mut self, value: &impl Serialize) -> Result<(), Failure> {
        let mut line = serde_json::to_string(value).map_err(|why| Failure::at(&self.path, why))?;
        line.push('\n');
        let written = self.file.write_all(line.as_bytes()).and_then(|()| self.file.sync_data());
        written.map_err(|why| Failure::at(&self.path, why))
    }
}

fn differing(found: &Identity, expected: &Identity) -> String {
    let ending = |by_tables| if by_tables { "by the tables" } else { "by the rules" }.to_owned();
    let pairs = [
        ("player A", &found.players[0], &expected.players[0]),
        ("player B", &found.players[1], &expected.players[1]),
        ("the limits of A", &found.go[0], &expected.go[0]),
        ("the limits of B", &found.go[1], &expected.go[1]),
        ("the rules", &found.rules, &expected.rules),
        ("the openings", &found.openings, &expected.openings),
        ("the end of a game", &ending(found.adjudicate), &ending(expected.adjudicate)),
    ];
    match pairs.iter().find(|(_, a, b)| a != b) {
        Some((what, a, b)) => format!("holds games of another match; {what}: found {a}, expected {b}"),
        None => {
            format!("holds games of another match; seed: found {}, expected {}", found.seed, expected.seed)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::matches::game::Side;

    fn identity() -> Identity {
        let text = |s: &str| s.to_owned();
        Identity {
            players: [text("a"), text("b")],
            go: [text("nodes 1"), text("nodes 1")],
            rules: text("nine"),
            openings: text("1"),
            seed: 1,
            adjudicate: false,
        }
    }

    fn game(number: u32) -> Finished {
        Finished {
            game: number,
            white: Side::A,
            points: 2,
            reason: "loseNoLegalMoves".into(),
            fault: None,
            start: None,
            moves: "d6 f4".into(),
            opening: 0,
            seconds: 0.5,
            value_lost: Vec::new(),
        }
    }

    #[test]
    fn finished_games_survive_and_half_lines_do_not() {
        let folder = std::env::temp_dir().join(format!("millstone-log-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join("match.jsonl");
        // Left over from an earlier run of this test, if at all.
        let _ = std::fs::remove_file(&path);
        let (mut log, games) = Log::open(&path, &identity()).unwrap();
        assert!(games.is_empty());
        log.append(&game(1)).unwrap();
        log.append(&game(2)).unwrap();
        drop(log);
        let mut text = std::fs::read_to_string(&path).unwrap();
        text.push_str("{\"game\":3,\"whi");
        std::fs::write(&path, &text).unwrap();
        let (mut log, games) = Log::open(&path, &identity()).unwrap();
        assert_eq!(games, [game(1), game(2)]);
        log.append(&game(3)).unwrap();
        assert_eq!(Log::open(&path, &identity()).unwrap().1.len(), 3);
        let other = Identity { seed: 2, ..identity() };
        let why = Log::open(&path, &other).map(|_| ()).unwrap_err().to_string();
        assert!(why.contains("seed: found 1, expected 2"), "{why}");
        let other = Identity { adjudicate: true, ..identity() };
        let why = Log::open(&path, &other).map(|_| ()).unwrap_err().to_string();
        assert!(why.contains("the end of a game: found by the rules, expected by the tables"), "{why}");
        std::fs::write(&path, "something else\n").unwrap();
        assert!(Log::open(&path, &identity()).is_err());
        std::fs::write(&path, "something else").unwrap();
        assert!(Log::open(&path, &identity()).is_err());
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "something else");
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
