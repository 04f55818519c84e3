//! Experience: deep results of earlier searches, kept in a file from one session to the next.
//!
//! The key of an entry comes from the text of the rules and from the position: its packed word, or its text
//! if it has extras. It never comes from a hash key of the search, so later versions can read the file.
//! Symmetric positions of equal value share an entry. The layout of the file is that of
//! `experience_format.rs`.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use super::error::EngineError;
use super::experience_format::{
    Entries, EntryKey, ExperienceEntry, ExperienceFault, LONGEST_FILE, MAGIC, MOST_POSITIONS, from_bytes,
    to_bytes,
};
use crate::platform::files;
use crate::platform::text::counted;
use crate::position::Position;
use crate::rules::Rules;
use crate::search::node::turns_ended;
use crate::search::tt_key::{TtKey, is_count_part_of_key};
use crate::tt::{TranspositionTable, TtEntry, value_to_tt};
use crate::types::{Bound, Depth, Move, VALUE_INFINITE, Value, is_decisive};
use std::fmt::Write as _;
use std::fs::File;
use std::io::{ErrorKind, Read as _};
use std::path::Path;
use std::time::Duration;
use xxhash_rust::xxh3::xxh3_64;

/// The least depth of a result that is kept.
pub(crate) const LEAST_DEPTH: Depth = 8;

/// Plies from the root within which known positions are stored in the transposition table.
const HORIZON: u32 = 2;
/// Positions of a principal variation that are learned, the root included.
const LINE: usize = 3;

/// The longest wait for the lock of a file. A suspended process may hold it.
const PATIENCE: Duration = Duration::from_secs(2);

/// The results by position.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Experience {
    entries: Entries,
}

/// The parts of keys that come from the rules, for the two ways to write a position.
#[derive(Clone, Copy)]
struct RulesHashes {
    packed: u64,
    text: u64,
}

impl RulesHashes {
    fn of(rules: &Rules) -> Self {
        let text = rules_text(rules);
        let hash = |kind: &str| xxh3_64(format!("{kind}{text}").as_bytes());
        Self { packed: hash("packed"), text: hash("text") }
    }
}

/// Returns the key of a position under these rules, and the symmetry that maps the position to the board of
/// that key.
fn entry_key(pos: &Position, rules: RulesHashes) -> (EntryKey, usize) {
    match pos.packed_canonical() {
        Some((packed, symmetry)) => ((rules.packed, packed), symmetry),
        // The text without its counters: draws by counters are not learned.
        None => {
            let text = pos.fen();
            let words: Vec<&str> = text.split(' ').collect();
            let lasting: Vec<&str> = words
                .iter()
                .enumerate()
                .filter(|(n, _)| !matches!(n, 15 | 16))
                .map(|(_, &word)| word)
                .collect();
            ((rules.text, xxh3_64(lasting.join(" ").as_bytes())), 0)
        }
    }
}

/// Returns true if the draw by move count may decide a search of this depth.
fn is_near_draw(pos: &Position, depth: Depth) -> bool {
    pos.is_count_draw_within(2 * depth as u32)
}

/// Returns the options in which the rules differ from Nine Men's Morris. An option that a later version adds
/// does not change the text of older rules.
fn rules_text(rules: &Rules) -> String {
    rules.differing_settings().map(|setting| format!(" {setting}")).collect()
}

fn at_fault(path: &Path, fault: ExperienceFault) -> EngineError {
    EngineError::Experience { path: path.to_owned(), fault }
}

impl Experience {
    /// Reads a file.
    ///
    /// # Errors
    /// If it cannot be read, or is damaged; nothing of a damaged file is used.
    pub fn load(path: &Path) -> Result<Self, EngineError> {
        let bytes = files::read_regular(path, LONGEST_FILE).map_err(ExperienceFault::Read);
        let entries = bytes.and_then(|bytes| from_bytes(&bytes)).map_err(|fault| at_fault(path, fault))?;
        Ok(Self { entries })
    }

    /// Returns true if a file begins as experience files do.
    pub fn is_file(path: &Path) -> bool {
        let mut head = Vec::new();
        let read = files::open_regular(path).and_then(|file| file.take(8).read_to_end(&mut head));
        read.is_ok() && head.starts_with(&MAGIC)
    }

    /// As [`Experience::load`], but a file that does not exist holds nothing.
    ///
    /// # Errors
    /// As [`Experience::load`].
    pub fn load_or_new(path: &Path) -> Result<Self, EngineError> {
        match Self::load(path) {
            Err(EngineError::Experience { fault: ExperienceFault::Read(cause), .. })
                if cause.kind() == ErrorKind::NotFound =>
            {
                Ok(Self::default())
            }
            result => result,
        }
    }

    /// Checks that a file of this name can be created.
    ///
    /// # Errors
    /// If the folder is missing, or the name is a link to nothing.
    pub(crate) fn check_path(path: &Path) -> Result<(), EngineError> {
        let folder = files::target(path).and_then(|path| files::folder_of(&path).metadata());
        folder.map(drop).map_err(|cause| at_fault(path, ExperienceFault::Write(cause)))
    }

    /// Writes the file through a temporary name.
    ///
    /// # Errors
    /// If writing fails. An older file is then unchanged, as far as [`files::write_whole`] says.
    fn save(&self, path: &Path) -> Result<(), EngineError> {
        let written = files::write_whole(path, &to_bytes(&self.entries));
        written.map_err(|cause| at_fault(path, ExperienceFault::Write(cause)))
    }

    /// Merges these entries with those of a file, as if they were added to it, and writes the file.
    ///
    /// A lock keeps other processes from writing it at the same time, where the system has locks.
    ///
    /// # Errors
    /// If the file is damaged or cannot be written, or another process holds the lock for two seconds. The
    /// file is then unchanged, unless only the last step failed, the sync of the folder.
    pub fn add_to_file(&mut self, path: &Path) -> Result<(), EngineError> {
        // The folder of a link is not the one that is written to.
        let path = &files::target(path).map_err(|cause| at_fault(path, ExperienceFault::Write(cause)))?;
        // Windows does not open folders.
        let lock = if cfg!(windows) {
            files::open_lock_file(&files::with_ending(path, ".lock"))
        } else {
            File::open(files::folder_of(path))
        };
        let _lock = match lock {
            Ok(lock) => {
                files::lock_within(lock, PATIENCE).map_err(|_| at_fault(path, ExperienceFault::Locked))?
            }
            // Without the right to open it there is no lock, as on a file system without locks.
            Err(cause) if cause.kind() == ErrorKind::PermissionDenied => None,
            Err(cause) => return Err(at_fault(path, ExperienceFault::Write(cause))),
        };
        // Of equally deep results, those of the file are older.
        let mut all = Self::load_or_new(path)?;
        all.merge(self);
        *self = all;
        self.save(path)?;
        files::remove_leftovers_of(path);
        Ok(())
    }

    /// Returns the number of positions.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns true if there are no entries.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Returns the number of entries and their depths as lines.
    pub(crate) fn summary(&self) -> String {
        let count = self.len();
        let mut text = format!("{} of at most {MOST_POSITIONS}\n", counted(count, "position"));
        let depths = self.iter().map(|known| known.depth);
        if let (Some(least), Some(most)) = (depths.clone().min(), depths.clone().max()) {
            let mean = depths.map(f64::from).sum::<f64>() / count as f64;
            let decided = self.iter().filter(|known| is_decisive(known.value)).count();
            // Writing to a string cannot fail.
            let _ = writeln!(text, "depth {least} to {most}, {mean:.1} on average; {decided} won or lost");
        }
        text
    }

    /// Returns the entries in arbitrary order.
    pub fn iter(&self) -> impl Iterator<Item = &ExperienceEntry> + Clone {
        self.entries.values()
    }

    /// Returns the entry of a position, if its move is legal there.
    pub fn get(&self, pos: &Position) -> Option<ExperienceEntry> {
        self.get_under(pos, RulesHashes::of(pos.rules()))
    }

    /// As [`get`](Self::get), for a position with the rules of these hashes.
    fn get_under(&self, pos: &Position, rules: RulesHashes) -> Option<ExperienceEntry> {
        let (key, symmetry) = entry_key(pos, rules);
        let known = self.entries.get(&key)?;
        let best = TtKey::image_back(known.best, symmetry);
        pos.is_legal(best).then_some(ExperienceEntry { best, ..*known })
    }

    /// Adds an entry, unless there is a deeper one or the same. Returns true if it did.
    fn insert(&mut self, key: EntryKey, known: ExperienceEntry) -> bool {
        let old = self.entries.get(&key);
        let is_new = old.is_none_or(|old| known.depth >= old.depth && known != *old);
        if is_new {
            self.entries.insert(key, known);
        }
        is_new
    }

    /// Adds the entries of another set.
    ///
    /// Of two entries for a position, the deeper stays, or the other's if equal.
    pub fn merge(&mut self, other: &Self) {
        for (&key, &known) in &other.entries {
            self.insert(key, known);
        }
        self.drop_shallow();
    }

    /// Drops the shallowest entries beyond [`MOST_POSITIONS`].
    fn drop_shallow(&mut self) {
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

    /// Learns the result of a search for the first positions of its principal variation.
    ///
    /// Leaves out shallow results, those that a draw counter or a repetition before the search may have
    /// decided, and those of positions with a deeper result. Returns true if it learned anything new.
    pub fn learn(&mut self, root: &Position, value: Value, depth: Depth, line: &[Move]) -> bool {
        let mut pos = root.clone();
        let (us, rules) = (pos.side_to_move(), RulesHashes::of(pos.rules()));
        let (mut turns, mut learned) = (0, false);
        for (n, &best) in line.iter().take(LINE).enumerate() {
            let depth = depth - n as Depth;
            if depth < LEAST_DEPTH || value.saturating_abs() >= VALUE_INFINITE || !pos.is_legal(best) {
                break;
            }
            if !(is_near_draw(&pos, depth) || pos.had_repeated(n)) {
                let seen = if pos.side_to_move() == us { value } else { -value };
                let (key, symmetry) = entry_key(&pos, rules);
                let best = TtKey::image(best, symmetry);
                learned |= self.insert(key, ExperienceEntry { value: value_to_tt(seen, turns), depth, best });
            }
            let side = pos.side_to_move();
            pos.do_move(best);
            turns += turns_ended(&pos, pos.side_to_move() == side);
        }
        self.drop_shallow();
        learned
    }

    /// Stores the entries of all positions within two plies of the root in the transposition table.
    ///
    /// Returns the number stored.
    pub(crate) fn recall(&self, root: &Position, tt: &TranspositionTable) -> usize {
        // All this is done before the search starts, so with nothing known for the rules no key is made.
        let rules = RulesHashes::of(root.rules());
        let knows = |hash| self.entries.range((hash, 0)..=(hash, u64::MAX)).next().is_some();
        let is_known = knows(rules.packed) || knows(rules.text);
        if is_known { self.recall_from(&mut root.clone(), rules, tt, HORIZON) } else { 0 }
    }

    fn recall_from(
        &self,
        pos: &mut Position,
        rules: RulesHashes,
        tt: &TranspositionTable,
        horizon: u32,
    ) -> usize {
        let mut count = 0;
        // Used at count 0; with a higher count only if the count is not part of the tt key, and the draw by
        // it is far.
        if let Some(known) = self.get_under(pos, rules)
            && (pos.move_counter() == 0 || !is_count_part_of_key(pos) && !is_near_draw(pos, known.depth))
        {
            let tt_key = TtKey::of(pos);
            let best = tt_key.as_stored(known.best);
            let (value, depth) = (known.value, known.depth);
            tt.store(tt_key.key, TtEntry { best, value, eval: None, depth, bound: Bound::Exact });
            count += 1;
        }
        if horizon > 0 && !pos.outcome().is_over() {
            for &m in pos.playable_moves().iter() {
                pos.do_move(m);
                count += self.recall_from(pos, rules, tt, horizon - 1);
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
    use crate::search::limits::MAX_DEPTH;
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

    #[cfg(not(target_arch = "wasm32"))]
    #[test]
    fn what_killed_writers_of_the_file_left_goes_with_the_next_write() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("known.mex");
        let old = std::time::SystemTime::now() - 2 * files::LEFTOVER_AGE;
        for name in ["known.mex", "other.mex"] {
            let left = files::WholeFile::create(&folder.path().join(name)).unwrap().abandon();
            left.set_modified(old).unwrap();
        }
        taught(&Rules::NINE, "d6 f4", "d2", 17, 12).add_to_file(&path).unwrap();
        let names = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name());
        let mut names: Vec<String> = names.map(|name| name.into_string().unwrap()).collect();
        names.sort();
        // On Windows, a lock file stays.
        names.retain(|name| !name.ends_with(".lock"));
        assert!(names[0] == "known.mex" && names.len() == 2, "{names:?}");
        assert!(names[1].starts_with("other.mex."), "{names:?}");
    }

    #[cfg(not(target_arch = "wasm32"))]
    #[test]
    fn a_newer_result_replaces_one_of_equal_depth_in_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("known.mex");
        taught(&Rules::NINE, "d6 f4", "d2", 17, 12).add_to_file(&path).unwrap();
        let mut newer = taught(&Rules::NINE, "d6 f4", "b4", 5, 12);
        let known = newer.clone();
        newer.add_to_file(&path).unwrap();
        assert_eq!((&newer, Experience::load(&path).unwrap()), (&known, known.clone()));
    }

    #[cfg(unix)]
    #[test]
    fn a_linked_file_is_written_where_it_is() {
        let [folder, links] = [(); 2].map(|()| tempfile::tempdir().unwrap());
        let [path, link] = [folder.path(), links.path()].map(|folder| folder.join("known.mex"));
        taught(&Rules::NINE, "d6 f4", "d2", 17, 12).add_to_file(&path).unwrap();
        std::os::unix::fs::symlink(&path, &link).unwrap();
        let _elsewhere = files::lock(File::open(links.path()).unwrap());
        let began = std::time::Instant::now();
        taught(&Rules::NINE, "d6", "f4", 17, 12).add_to_file(&link).unwrap();
        assert!(began.elapsed() < Duration::from_secs(2), "the folder of the link is not locked");
        assert_eq!(Experience::load(&path).unwrap().len(), 2);
    }

    #[cfg(unix)]
    #[test]
    fn nothing_is_written_while_another_process_holds_the_lock() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("known.mex");
        let elsewhere = files::lock(File::open(folder.path()).unwrap());
        let mut experience = taught(&Rules::NINE, "d6 f4", "d2", 17, 12);
        let error = experience.add_to_file(&path).unwrap_err();
        let is_locked =
            matches!(error, EngineError::Experience { fault: ExperienceFault::Locked, .. }) && !path.exists();
        assert!(is_locked, "{error}");
        drop(elsewhere);
        experience.add_to_file(&path).unwrap();
        assert_eq!(Experience::load(&path).unwrap(), experience);
    }

    #[test]
    fn what_was_learned_is_known_in_every_image_and_only_under_its_rules() {
        let experience = taught(&Rules::NINE, "d6 f4", "d2", 17, 12);
        let known = experience.get(&played(&Rules::NINE, "f4 d2")).unwrap();
        assert_eq!((known.value, known.depth, known.best.to_string().as_str()), (17, 12, "b4"));
        assert_eq!(experience.get(&played(&Rules::TWELVE, "f4 d2")), None);
        assert_eq!(experience.get(&played(&Rules::NINE, "f4 d6 d2")), None);
        // Rules with extras have text keys.
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
        assert!(!experience.learn(&pos, mate_in(9), 9, &line), "the same is nothing new");
        assert!(!experience.learn(&pos, 10, 8, &line[..1]), "a deeper result is known");
        // Both entries reach the transposition table.
        let tt = TranspositionTable::new(1).unwrap();
        assert_eq!(experience.recall(&pos, &tt), 2);
        let tt_key = TtKey::of(&pos);
        let entry = tt.probe(tt_key.key).unwrap();
        assert_eq!((entry.value, tt_key.as_played(entry.best)), (mate_in(9), line[0]));
    }

    #[test]
    fn what_an_earlier_repetition_may_have_decided_is_not_learned() {
        let fen = "@O******/O**O****/@***@*** w m s 3 0 3 0 0 0 -1 -1 -1 -1 0 0 20 ids:nodes";
        let learned = |moves: &str, line: &str| {
            let mut pos = Position::from_fen(&Rules::NINE, fen).unwrap();
            let parsed = |pos: &mut Position, text| {
                let m = notation::parse(pos, text).unwrap();
                pos.do_move(m);
                m
            };
            moves.split(' ').for_each(|text| _ = parsed(&mut pos, text));
            let mut after = pos.clone();
            let line: Vec<Move> = line.split(' ').map(|text| parsed(&mut after, text)).collect();
            let mut experience = Experience::default();
            experience.learn(&pos, 0, 12, &line);
            experience.len()
        };
        // The root may have occurred before: to return to it is a draw in any case.
        assert_eq!(learned("e5-f6 d1-e4 f6-e5 e4-d1 e5-f6", "d1-e4 f6-g1 e4-d1"), 3);
        // White must not play f6 again.
        let past = "e5-f6 d1-e4 f6-e5 e4-d1 e5-f6 d1-e4 f6-g1";
        assert_eq!(learned(past, "e4-d1 g1-e4 d1-g1"), 0);
        // After a mill nothing returns.
        assert_eq!(learned("e5-f6 d1-e4 f6-e5 e4-d1 e5-f6 d1-e4", "f2-b6 xd5"), 1);
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
            many.entries
                .insert((1, n), ExperienceEntry { value: 0, depth: 10 + (n % 2) as Depth, best: Move::NONE });
        }
        many.drop_shallow();
        assert_eq!(many.len(), MOST_POSITIONS);
        assert_eq!(many.iter().filter(|known| known.depth == 11).count(), MOST_POSITIONS / 2 + 25);
    }

    #[test]
    fn files_come_back_and_damaged_ones_are_refused() {
        let mut experience = taught(&Rules::NINE, "d6 f4", "d2", -17, 12);
        experience.merge(&taught(&Rules::TWELVE, "d6 f4", "d2", mate_in(20), 30));
        let bytes = to_bytes(&experience.entries);
        assert_eq!(from_bytes(&bytes).unwrap(), experience.entries);
        for at in 0..bytes.len() {
            let mut broken = bytes.clone();
            broken[at] ^= 1 << (at % 8);
            assert!(from_bytes(&broken).is_err(), "byte {at}");
            assert!(from_bytes(&bytes[..at]).is_err(), "{at} bytes");
        }
        assert!(from_bytes(b"").unwrap_err().to_string().contains("expected"));
        for (value, depth) in [(VALUE_INFINITE, 12), (-VALUE_INFINITE - 1, 12), (17, MAX_DEPTH + 1), (17, 0)]
        {
            let mut wrong = experience.clone();
            wrong.entries.values_mut().for_each(|known| (known.value, known.depth) = (value, depth));
            assert!(from_bytes(&to_bytes(&wrong.entries)).is_err(), "{value}, {depth}");
        }
    }

    #[test]
    fn keys_are_the_same_in_every_version() {
        let key = |rules: &Rules, moves| entry_key(&played(rules, moves), RulesHashes::of(rules)).0;
        let nine = key(&Rules::NINE, "d6 f4");
        assert_eq!(nine, (0x5f67_a2b7_d213_6dc0, 0x0088_0001_0000_0400));
        // With text keys, symmetric positions have different keys.
        let rules = Rules::parse("cham-gonu").unwrap();
        let [one, other] = ["d6 f4", "f4 d2"].map(|moves| key(&rules, moves));
        assert!(one.0 == other.0 && one.0 != nine.0 && one.1 != other.1);
    }
}
