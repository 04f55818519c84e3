//! What earlier games have taught: deep results of searches, kept in a file from one session to the next.
//!
//! A position is known by the rules in words and by what is on the board, never by a hash key of the search,
//! so that a file outlives the version that wrote it. Where a position and its images are worth the same they
//! share an entry. The layout of the file is described in `docs/protocol.md`.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::movegen;
use crate::platform::files;
use crate::position::Position;
use crate::rules::Rules;
use crate::search::root::MAX_DEPTH;
use crate::search::tt_key::{TtKey, is_count_part_of_key};
use crate::tt::{TranspositionTable, TtEntry, value_to_tt};
use crate::types::{Bound, Depth, Move, VALUE_DRAW, VALUE_INFINITE, Value};
use std::collections::BTreeMap;
use std::fmt;
use std::fs::File;
use std::io::{ErrorKind, Read as _};
use std::path::Path;
use std::time::Duration;
use xxhash_rust::xxh3::xxh3_64;

/// Most positions that are kept; the shallowest go first. A full file has 2.4 MB.
pub const MOST_POSITIONS: usize = 100_000;
/// Least depth of a result that is worth keeping.
pub const LEAST_DEPTH: Depth = 8;

/// How a file begins: name and version.
const MAGIC: [u8; 8] = *b"MILLEXP\x01";
const HEAD: usize = MAGIC.len() + 8;
const RECORD: usize = 24;
const CHECKSUM: usize = 8;

/// Moves from the root within which known positions are told to the search.
const HORIZON: u32 = 2;
/// Positions of an expected line that are learned with its root.
const LINE: usize = 3;

/// What is known of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Known {
    /// Its value for the side to move; win distances count from the position itself.
    pub value: Value,
    /// How deep it was searched.
    pub depth: Depth,
    /// The best move.
    pub best: Move,
}

/// Rules and kind of place, and the place.
type Key = (u64, u64);

/// Why a file cannot be used.
#[derive(Debug)]
pub enum ExperienceError {
    /// The system refuses it.
    Io(std::io::Error),
    /// It is no such file, or damaged: what was found and what was expected.
    Damaged {
        /// What was found.
        found: String,
        /// What was expected.
        expected: String,
    },
    /// It cannot be written.
    Write(String),
}

impl fmt::Display for ExperienceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(cause) => write!(f, "{cause}"),
            Self::Damaged { found, expected } => write!(f, "found {found}, expected {expected}"),
            Self::Write(cause) => f.write_str(cause),
        }
    }
}

impl std::error::Error for ExperienceError {}

/// Results by position.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Experience {
    entries: BTreeMap<Key, Known>,
}

/// Where a position is kept, and the symmetry that leads there.
fn place(pos: &Position) -> (Key, usize) {
    let realm = |kind: &str| xxh3_64(format!("{kind}{}", rules_text(pos.rules())).as_bytes());
    match pos.packed_canonical() {
        Some((packed, symmetry)) => ((realm("packed"), packed), symmetry),
        // The text without its counters: draws by them are no part of what is learned.
        None => {
            let text = pos.fen();
            let words: Vec<&str> = text.split(' ').collect();
            let lasting: Vec<&str> = words
                .iter()
                .enumerate()
                .filter(|(n, _)| !matches!(n, 15 | 16))
                .map(|(_, &word)| word)
                .collect();
            ((realm("text"), xxh3_64(lasting.join(" ").as_bytes())), 0)
        }
    }
}

/// What sets the rules apart from nine men's morris. Options that later versions add leave it as it is.
fn rules_text(rules: &Rules) -> String {
    let words = rules.differing_options().map(|o| format!(" {}={}", o.name, rules.value_text(o)));
    words.collect()
}

impl Experience {
    /// Reads a file.
    ///
    /// # Errors
    /// When it cannot be read, or is damaged; nothing of a damaged file is used.
    pub fn load(path: &Path) -> Result<Self, ExperienceError> {
        let mut file = files::open_regular(path).map_err(ExperienceError::Io)?;
        let length = file.metadata().map_err(ExperienceError::Io)?.len();
        let most = (HEAD + MOST_POSITIONS * RECORD + CHECKSUM) as u64;
        if length > most {
            return Err(ExperienceError::Damaged {
                found: format!("{length} bytes"),
                expected: format!("a file of at most {most} bytes"),
            });
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(ExperienceError::Io)?;
        Self::from_bytes(&bytes)
    }

    /// As [`Experience::load`], but a file that does not exist holds nothing.
    ///
    /// # Errors
    /// As there.
    pub fn load_or_new(path: &Path) -> Result<Self, ExperienceError> {
        match Self::load(path) {
            Err(ExperienceError::Io(cause)) if cause.kind() == ErrorKind::NotFound => Ok(Self::default()),
            result => result,
        }
    }

    fn from_bytes(bytes: &[u8]) -> Result<Self, ExperienceError> {
        let damaged = |found: String, expected: String| ExperienceError::Damaged { found, expected };
        if !bytes.starts_with(&MAGIC) {
            let found = format!("a file that begins with {:02x?}", &bytes[..bytes.len().min(MAGIC.len())]);
            return Err(damaged(found, format!("{MAGIC:02x?}, as a file of experience has it")));
        }
        let word = |at: usize| -> u64 {
            let bytes = bytes.get(at..at + 8).and_then(|bytes| bytes.try_into().ok());
            bytes.map_or(0, u64::from_le_bytes)
        };
        let count = word(MAGIC.len());
        let length = count.checked_mul(RECORD as u64).and_then(|n| n.checked_add((HEAD + CHECKSUM) as u64));
        if count > MOST_POSITIONS as u64 || length != Some(bytes.len() as u64) {
            let expected =
                format!("{} bytes for {count} positions of at most {MOST_POSITIONS}", length.unwrap_or(0));
            return Err(damaged(format!("{} bytes", bytes.len()), expected));
        }
        let body = &bytes[..bytes.len() - CHECKSUM];
        let (found, expected) = (xxh3_64(body), word(body.len()));
        if found != expected {
            return Err(damaged(format!("checksum {found:016x}"), format!("{expected:016x}")));
        }
        let entries = body[HEAD..].chunks_exact(RECORD).enumerate().map(|(n, record)| {
            let at = HEAD + n * RECORD;
            let short = |at: usize| u16::from_le_bytes([record[at], record[at + 1]]);
            let known = Known {
                value: Value::from(short(16) as i16),
                best: Move::from_bits(short(18)),
                depth: Depth::from(record[20]),
            };
            if known.value.abs() >= VALUE_INFINITE || !(1..=MAX_DEPTH).contains(&known.depth) {
                let Known { value, depth, .. } = known;
                let expected = format!("less than {VALUE_INFINITE} either way and from 1 to {MAX_DEPTH}");
                return Err(damaged(format!("value {value} and depth {depth} in record {n}"), expected));
            }
            Ok(((word(at), word(at + 8)), known))
        });
        Ok(Self { entries: entries.collect::<Result<_, _>>()? })
    }

    fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(HEAD + RECORD * self.entries.len() + CHECKSUM);
        bytes.extend_from_slice(&MAGIC);
        bytes.extend_from_slice(&(self.entries.len() as u64).to_le_bytes());
        for (&(realm, place), known) in &self.entries {
            bytes.extend_from_slice(&realm.to_le_bytes());
            bytes.extend_from_slice(&place.to_le_bytes());
            bytes.extend_from_slice(&(known.value as i16).to_le_bytes());
            bytes.extend_from_slice(&known.best.bits().to_le_bytes());
            bytes.extend_from_slice(&[known.depth.clamp(0, 255) as u8, 0, 0, 0]);
        }
        let checksum = xxh3_64(&bytes);
        bytes.extend_from_slice(&checksum.to_le_bytes());
        bytes
    }

    /// Writes a file whole.
    ///
    /// # Errors
    /// When that fails; an older file stays as it was.
    fn save(&self, path: &Path) -> Result<(), ExperienceError> {
        files::write_whole(path, &self.to_bytes())
            .map_err(|cause| ExperienceError::Write(format!("it cannot be written: {cause}")))
    }

    /// Puts together what is known here and what a file holds, and writes it there. Others that do so at the
    /// same time wait for each other, where the system has locks.
    ///
    /// # Errors
    /// When the file is damaged or cannot be written; it stays as it was then.
    pub fn join(&mut self, path: &Path) -> Result<(), ExperienceError> {
        // A stopped process may hold the lock: wait for two seconds at most.
        let folder = File::open(files::folder_of(path)).ok();
        let _lock = folder.and_then(|folder| files::lock(folder, Some(Duration::from_secs(2))));
        self.merge(&Self::load_or_new(path)?);
        self.save(path)?;
        // What was to become this file and never will. That it cannot be removed is no fault of the file.
        let is_ours = |name: &str| path.file_name().is_some_and(|own| own == name);
        let _ = files::remove_leftovers(files::folder_of(path), is_ours);
        Ok(())
    }

    /// Number of positions.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// All that is known, without order.
    pub fn iter(&self) -> impl Iterator<Item = &Known> + Clone {
        self.entries.values()
    }

    /// The number of rule sets, as far as they can be told apart.
    pub fn realms(&self) -> usize {
        let mut realms: Vec<u64> = self.entries.keys().map(|key| key.0).collect();
        realms.dedup();
        realms.len()
    }

    /// What is known of a position; the move can be played there.
    pub fn get(&self, pos: &Position) -> Option<Known> {
        let (key, symmetry) = place(pos);
        let known = self.entries.get(&key)?;
        let best = TtKey::image_back(known.best, symmetry);
        pos.is_legal(best).then_some(Known { best, ..*known })
    }

    fn insert(&mut self, key: Key, known: Known) {
        let entry = self.entries.entry(key).or_insert(known);
        if known.depth >= entry.depth {
            *entry = known;
        }
    }

    /// Takes over what another file knows deeper, or as deep.
    pub fn merge(&mut self, other: &Self) {
        other.entries.iter().for_each(|(&key, &known)| self.insert(key, known));
        self.forget_shallow();
    }

    /// Keeps the number of positions within bounds.
    fn forget_shallow(&mut self) {
        let excess = self.entries.len().saturating_sub(MOST_POSITIONS);
        if excess == 0 {
            return;
        }
        let mut depths: Vec<Depth> = self.entries.values().map(|known| known.depth).collect();
        depths.sort_unstable();
        let (least, mut left) = (depths[excess], excess);
        left -= depths[..excess].iter().filter(|&&depth| depth < least).count();
        self.entries.retain(|_, known| {
            let is_excess = known.depth == least && left > 0;
            left -= usize::from(is_excess);
            known.depth >= least && !is_excess
        });
    }

    /// Learns the result of a search and what it expects next. Results that are not deep, or that the draw
    /// counters have a part in, are left out. Returns whether anything was learned.
    pub fn learn(&mut self, root: &Position, value: Value, depth: Depth, line: &[Move]) -> bool {
        let mut pos = root.clone();
        let us = pos.side_to_move();
        let (mut turns, mut learned) = (0, false);
        for (n, &best) in line.iter().take(LINE).enumerate() {
            let depth = depth - n as Depth;
            if depth < LEAST_DEPTH || value.abs() >= VALUE_INFINITE || !pos.is_legal(best) {
                break;
            }
            let near_count = pos.quiet_moves_left() <= 2 * depth as u32;
            let is_repeated = value == VALUE_DRAW && pos.repetition_window() > 0;
            if !(near_count || is_repeated) {
                let seen = if pos.side_to_move() == us { value } else { -value };
                let (key, symmetry) = place(&pos);
                let best = TtKey::image(best, symmetry);
                self.insert(key, Known { value: value_to_tt(seen, turns), depth, best });
                learned = true;
            }
            let side = pos.side_to_move();
            pos.do_move(best);
            turns += i32::from(pos.side_to_move() != side);
        }
        self.forget_shallow();
        learned
    }

    /// Tells a search what is known of the positions that may arise within the next moves. Returns how many.
    pub fn recall(&self, root: &Position, tt: &TranspositionTable) -> usize {
        if self.is_empty() { 0 } else { self.recall_from(&mut root.clone(), tt, HORIZON) }
    }

    fn recall_from(&self, pos: &mut Position, tt: &TranspositionTable, horizon: u32) -> usize {
        let mut count = 0;
        // What was learned knows no count.
        if let Some(known) = self.get(pos)
            && (pos.quiet() == 0 || !is_count_part_of_key(pos))
        {
            let place = TtKey::of(pos);
            let best = place.as_stored(known.best);
            tt.store(
                place.key,
                TtEntry { best, value: known.value, depth: known.depth, bound: Bound::Exact },
            );
            count += 1;
        }
        if horizon > 0 && !pos.outcome().is_over() {
            for &m in movegen::playable(pos).iter() {
                pos.do_move(m);
                count += self.recall_from(pos, tt, horizon - 1);
                pos.undo_move();
            }
        }
        count
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;
    use crate::notation;
    use crate::types::mate_in;

    fn played(rules: &Rules, moves: &str) -> Position {
        let mut pos = Position::new(rules);
        for text in moves.split_whitespace() {
            pos.do_move(notation::parse(&pos, text).unwrap());
        }
        pos
    }

    fn taught(rules: &Rules, moves: &str, best: &str, value: Value, depth: Depth) -> Experience {
        let pos = played(rules, moves);
        let mut experience = Experience::default();
        assert!(experience.learn(&pos, value, depth, &[notation::parse(&pos, best).unwrap()]));
        experience
    }

    #[test]
    fn what_killed_writers_of_the_file_left_goes_with_the_next_write() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("known.mex");
        let old = std::time::SystemTime::now() - 2 * files::LEFTOVER_AGE;
        for name in ["known.mex", "other.mex"] {
            let left = files::WholeFile::create(&folder.path().join(name)).unwrap().abandon();
            left.set_modified(old).unwrap();
        }
        taught(&Rules::NINE, "d6 f4", "d2", 17, 12).join(&path).unwrap();
        let names = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name());
        let mut names: Vec<String> = names.map(|name| name.into_string().unwrap()).collect();
        names.sort();
        assert!(names[0] == "known.mex" && names.len() == 2, "{names:?}");
        assert!(names[1].starts_with("other.mex."), "{names:?}");
    }

    #[test]
    fn what_was_learned_is_known_in_every_image_and_only_under_its_rules() {
        let experience = taught(&Rules::NINE, "d6 f4", "d2", 17, 12);
        let known = experience.get(&played(&Rules::NINE, "f4 d2")).unwrap();
        assert_eq!((known.value, known.depth, known.best.to_string().as_str()), (17, 12, "b4"));
        assert_eq!(experience.get(&played(&Rules::TWELVE, "f4 d2")), None);
        assert_eq!(experience.get(&played(&Rules::NINE, "f4 d6 d2")), None);
        // Rules with state of their own are known by text.
        let rules = Rules::parse("cham-gonu").unwrap();
        let experience = taught(&rules, "d6 f4", "d2", 17, 12);
        assert_eq!(experience.get(&played(&rules, "d6 f4")).unwrap().best.to_string(), "d2");
        assert_eq!(experience.get(&played(&rules, "f4 d2")), None);
    }

    #[test]
    fn the_expected_line_is_learned_from_each_side() {
        let pos = played(&Rules::NINE, "d6 f4");
        let line: Vec<Move> = ["d2", "b4", "d7"]
            .iter()
            .scan(pos.clone(), |pos, text| {
                let m = notation::parse(pos, text).unwrap();
                pos.do_move(m);
                Some(m)
            })
            .collect();
        let mut experience = Experience::default();
        assert!(experience.learn(&pos, mate_in(9), 9, &line));
        assert_eq!(experience.len(), 2, "the third position was not searched deep enough");
        assert_eq!(experience.get(&pos).unwrap().value, mate_in(9));
        assert_eq!(experience.get(&played(&Rules::NINE, "d6 f4 d2")).unwrap().value, -mate_in(8));
        assert!(!experience.learn(&pos, 10, LEAST_DEPTH - 1, &line));
        // The search is told both.
        let tt = TranspositionTable::new(1).unwrap();
        assert_eq!(experience.recall(&pos, &tt), 2);
        let place = TtKey::of(&pos);
        let entry = tt.probe(place.key).unwrap();
        assert_eq!((entry.value, place.as_played(entry.best)), (mate_in(9), line[0]));
    }

    #[test]
    fn deeper_results_win_and_the_shallowest_are_forgotten() {
        let mut experience = taught(&Rules::NINE, "d6 f4", "d2", 17, 12);
        experience.merge(&taught(&Rules::NINE, "d6 f4", "b4", 5, 10));
        assert_eq!(experience.iter().next().unwrap().value, 17);
        experience.merge(&taught(&Rules::NINE, "d6 f4", "b4", 5, 14));
        assert_eq!(experience.iter().next().unwrap().value, 5);
        let mut many = Experience::default();
        for n in 0..MOST_POSITIONS as u64 + 50 {
            many.entries.insert((1, n), Known { value: 0, depth: 10 + (n % 2) as Depth, best: Move::NONE });
        }
        many.forget_shallow();
        assert_eq!(many.len(), MOST_POSITIONS);
        assert_eq!(many.iter().filter(|known| known.depth == 11).count(), MOST_POSITIONS / 2 + 25);
    }

    #[test]
    fn files_come_back_and_damaged_ones_are_refused() {
        let mut experience = taught(&Rules::NINE, "d6 f4", "d2", -17, 12);
        experience.merge(&taught(&Rules::TWELVE, "d6 f4", "d2", mate_in(20), 30));
        assert_eq!(experience.realms(), 2);
        let bytes = experience.to_bytes();
        assert_eq!(Experience::from_bytes(&bytes).unwrap(), experience);
        for at in 0..bytes.len() {
            let mut broken = bytes.clone();
            broken[at] ^= 1 << (at % 8);
            assert!(Experience::from_bytes(&broken).is_err(), "byte {at}");
            assert!(Experience::from_bytes(&bytes[..at]).is_err(), "{at} bytes");
        }
        assert!(Experience::from_bytes(b"").unwrap_err().to_string().contains("expected"));
        for (value, depth) in [(VALUE_INFINITE, 12), (-VALUE_INFINITE - 1, 12), (17, MAX_DEPTH + 1), (17, 0)]
        {
            let mut wrong = experience.clone();
            wrong.entries.values_mut().for_each(|known| (known.value, known.depth) = (value, depth));
            assert!(Experience::from_bytes(&wrong.to_bytes()).is_err(), "{value}, {depth}");
        }
    }

    #[test]
    fn keys_are_the_same_in_every_version() {
        let key = place(&played(&Rules::NINE, "d6 f4")).0;
        assert_eq!(key, (0x5f67_a2b7_d213_6dc0, 0x0088_0001_0000_0400));
        // Symmetric positions of rules that are known by text are different places.
        let rules = Rules::parse("cham-gonu").unwrap();
        let [one, other] = ["d6 f4", "f4 d2"].map(|moves| place(&played(&rules, moves)).0);
        assert!(one.0 == other.0 && one.0 != key.0 && one.1 != other.1);
    }
}
