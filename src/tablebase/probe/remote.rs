//! Tablebase files on another machine. Their bytes come in ranges that the caller fetches: a probe says which
//! ranges are missing, and is repeated once they are there.
//!
//! Of a file only the header, the entries of the block index for the blocks that are probed, and these blocks
//! are needed. The header has to be the one that the program itself would write for the sector, so that
//! nothing in it is trusted. A block has a checksum of its own. A wrong entry of the index leads to bytes
//! whose checksum fails.

use super::source::{AnswerPart, Found, SectorFile, Source, Wanted};
use crate::tablebase::format::bytes::ReadAt;
use crate::tablebase::format::error::{Damage, TablebaseError};
use crate::tablebase::format::file::TbFile;
use crate::tablebase::format::folder::{file_name, parse_name};
use crate::tablebase::format::game::SolvedGame;
use crate::tablebase::format::header::{Packing, TbKind};
use crate::tablebase::format::index::Sector;
use crate::tablebase::format::ranges::{HEAD, Unindexed, entries_of, open_unindexed, ranges_of, whole_head};
use crate::tablebase::format::value::TbValue;
use parking_lot::Mutex;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

/// A range of bytes that a probe needs.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct MissingRange {
    /// The name of the file.
    pub file: String,
    /// The first byte.
    pub start: u64,
    /// The byte after the last.
    pub end: u64,
}

/// The ranges that a probe needs, and the parts of the answer that need them.
pub(crate) type MissingRanges = BTreeMap<MissingRange, BTreeSet<AnswerPart>>;

/// The known ranges of a file.
#[derive(Default)]
struct Pieces {
    /// The length of the file.
    length: Option<u64>,
    /// True if there is no such file.
    is_absent: bool,
    /// The bytes of ranges by their start.
    ranges: BTreeMap<u64, Vec<u8>>,
}

impl Pieces {
    fn covers(&self, range: &Range<u64>) -> Option<&[u8]> {
        let holds = |&(&start, bytes): &(&u64, &Vec<u8>)| range.end <= start + bytes.len() as u64;
        let (&start, bytes) = self.ranges.range(..=range.start).rev().find(holds)?;
        bytes.get((range.start - start) as usize..(range.end - start) as usize)
    }
}

#[derive(Default)]
struct Store {
    files: BTreeMap<String, Pieces>,
    missing: MissingRanges,
    /// The files that a probe looked for and that do not exist.
    absent: BTreeSet<String>,
    /// The part of the answer that is looked up; without one, nothing is asked for.
    part: Option<AnswerPart>,
    /// The parts that are left out: nothing is asked for them.
    left_out: BTreeSet<AnswerPart>,
    /// The blocks that were asked for ahead.
    ahead: BTreeSet<(Sector, TbKind, u64)>,
}

/// The length of a file of which the host does not tell it: the largest whole number of JavaScript.
const UNKNOWN_LENGTH: u64 = (1 << 53) - 1;

/// A file whose bytes are in the store.
struct RemoteFile {
    name: String,
    store: Arc<Mutex<Store>>,
}

impl ReadAt for RemoteFile {
    fn length(&self) -> io::Result<u64> {
        let store = self.store.lock();
        store.files.get(&self.name).and_then(|pieces| pieces.length).ok_or(io::ErrorKind::WouldBlock.into())
    }

    fn read_at(&self, at: u64, buffer: &mut [u8]) -> io::Result<()> {
        let store = self.store.lock();
        let pieces = store.files.get(&self.name).ok_or(io::ErrorKind::WouldBlock)?;
        let bytes = pieces.covers(&(at..at + buffer.len() as u64)).ok_or(io::ErrorKind::WouldBlock)?;
        buffer.copy_from_slice(bytes);
        Ok(())
    }
}

/// The result of reading a value.
enum RemoteValue {
    Known(TbValue),
    /// Ranges are missing.
    Missing,
    /// The file does not exist.
    Absent,
}

/// Decoded pages, by file and number.
type RemotePages = BTreeMap<(String, usize), Vec<u8>>;

/// Tablebase files on another machine, for one game.
#[derive(Clone)]
pub(crate) struct RemoteFiles {
    game: SolvedGame,
    store: Arc<Mutex<Store>>,
    open: Arc<Mutex<BTreeMap<String, Arc<TbFile>>>>,
    /// The decoded pages of a probe, by file and number.
    pages: Arc<Mutex<RemotePages>>,
}

impl RemoteFiles {
    /// Returns the files of a game, of which nothing is known.
    pub(crate) fn new(game: SolvedGame) -> Self {
        Self { game, store: Arc::default(), open: Arc::default(), pages: Arc::default() }
    }

    /// Begins a probe: forgets the bytes of the one before, and the ranges that it lacked.
    pub(crate) fn begin(&self) {
        let mut store = self.store.lock();
        // Which files exist is kept: it decides where to look first.
        store.files.values_mut().for_each(|pieces| pieces.ranges.clear());
        store.absent.clear();
        store.missing.clear();
        store.left_out.clear();
        self.open.lock().clear();
        self.pages.lock().clear();
    }

    /// Leaves a part of the answer out if it needs more ranges.
    pub(crate) fn leave_out(&self, part: AnswerPart) {
        self.store.lock().left_out.insert(part);
    }

    /// Takes the bytes of a range, of a file of this length.
    pub(crate) fn put(&self, file: &str, start: u64, length: u64, bytes: Vec<u8>) {
        let mut store = self.store.lock();
        let pieces = store.files.entry(file.to_owned()).or_default();
        pieces.length = Some(length);
        let known = pieces.ranges.entry(start).or_default();
        if known.len() < bytes.len() {
            *known = bytes;
        }
    }

    /// Notes that there is no such file.
    pub(crate) fn put_absent(&self, file: &str) {
        self.store.lock().files.entry(file.to_owned()).or_default().is_absent = true;
    }

    /// Forgets the bytes of a file.
    pub(crate) fn forget(&self, file: &str) {
        self.store.lock().files.remove(file);
        self.open.lock().remove(file);
        self.pages.lock().clear();
    }

    /// Returns and forgets the ranges that were missing; none if the answer does without all of them.
    pub(crate) fn take_missing(&self) -> MissingRanges {
        let mut store = self.store.lock();
        store.ahead.clear();
        let mut missing = std::mem::take(&mut store.missing);
        if missing.values().all(|parts| parts.first() == Some(&AnswerPart::Ahead)) {
            missing.clear();
        }
        missing
    }

    /// Returns true if a range holds no values, only what tells where they are.
    pub(crate) fn is_index(&self, range: &MissingRange) -> bool {
        parse_name(&range.file).is_some_and(|(sector, kind)| {
            range.end <= whole_head(sector, Packing::usual(&self.game, sector, kind)).end
        })
    }

    /// Returns true if the ranges that a value needs are noted, but the value is not read.
    fn only_notes(&self) -> bool {
        self.store.lock().part == Some(AnswerPart::Ahead)
    }

    /// Returns true if the part of the answer that is looked up is left out.
    fn is_left_out(&self) -> bool {
        let store = self.store.lock();
        store.part.is_some_and(|part| store.left_out.contains(&part))
    }

    /// Returns the files that were looked for in vain.
    pub(crate) fn absent(&self) -> Vec<String> {
        self.store.lock().absent.iter().cloned().collect()
    }

    fn is_absent(&self, file: &str) -> bool {
        let mut store = self.store.lock();
        let is_absent = store.files.get(file).is_some_and(|pieces| pieces.is_absent);
        // Nobody misses a file that may not be needed.
        if is_absent && store.part != Some(AnswerPart::Ahead) {
            store.absent.insert(file.to_owned());
        }
        is_absent
    }

    /// Returns true if a range is there; asks for it if not.
    fn has(&self, file: &str, range: Range<u64>) -> bool {
        let mut store = self.store.lock();
        if store.files.get(file).is_some_and(|pieces| pieces.covers(&range).is_some()) {
            return true;
        }
        if let Some(part) = store.part
            && !store.left_out.contains(&part)
        {
            let Range { start, end } = range;
            let missing = MissingRange { file: file.to_owned(), start, end };
            store.missing.entry(missing).or_default().insert(part);
        }
        false
    }

    /// Opens a file whose header is there; `None` if it is missing and was asked for.
    fn file(&self, sector: Sector, kind: TbKind) -> Result<Option<Arc<TbFile>>, TablebaseError> {
        let name = file_name(sector, kind);
        if let Some(file) = self.open.lock().get(&name) {
            return Ok(Some(Arc::clone(file)));
        }
        if !self.has(&name, HEAD) {
            return Ok(None);
        }
        let usual = Packing::usual(&self.game, sector, kind);
        let source = Box::new(RemoteFile { name: name.clone(), store: Arc::clone(&self.store) });
        let file = match open_unindexed(Path::new(&name), source, usual)? {
            Unindexed::File(file) => *file,
            Unindexed::NeedsIndex(head) if !self.has(&name, head.clone()) => return Ok(None),
            Unindexed::NeedsIndex(_) => {
                let source = Box::new(RemoteFile { name: name.clone(), store: Arc::clone(&self.store) });
                TbFile::from_source(Path::new(&name), source)?
            }
        };
        file.check_fit(&self.game)?;
        let file = Arc::new(file);
        self.open.lock().insert(name, Arc::clone(&file));
        Ok(Some(file))
    }

    fn value(&self, sector: Sector, kind: TbKind, slot: u64) -> Result<RemoteValue, TablebaseError> {
        let usual = Packing::usual(&self.game, sector, kind);
        let only_notes = self.only_notes();
        // There may be thousands of replies, in a few blocks.
        let block = (sector, kind, slot / u64::from(usual.block_slots));
        if only_notes && !self.store.lock().ahead.insert(block) {
            return Ok(RemoteValue::Missing);
        }
        let name = file_name(sector, kind);
        if self.is_absent(&name) {
            return Ok(RemoteValue::Absent);
        }
        // The entries of the index lie where the usual packing has them: one answer less to wait for.
        if !self.open.lock().contains_key(&name) {
            for range in entries_of(slot, usual) {
                self.has(&name, range);
            }
        }
        if only_notes {
            // Damage is no matter as long as the value is not needed.
            let _ = self.note_page(sector, kind, slot);
            return Ok(RemoteValue::Missing);
        }
        let Some(file) = self.file(sector, kind)? else { return Ok(RemoteValue::Missing) };
        let page_slots = u64::from(file.header.page_slots());
        let (page, place) = ((slot / page_slots) as usize, (slot % page_slots) as usize);
        let damaged = || TablebaseError::damaged(file.path(), Damage::SlotValue(slot));
        if let Some(raw) = self.pages.lock().get(&(name.clone(), page)) {
            return kind.value_at(raw, place).map(RemoteValue::Known).ok_or_else(damaged);
        }
        if !self.note_page(sector, kind, slot)? {
            return Ok(RemoteValue::Missing);
        }
        let mut raw = Vec::new();
        file.read_page(page, &mut raw)?;
        let value = kind.value_at(&raw, place).ok_or_else(damaged)?;
        self.pages.lock().insert((name, page), raw);
        Ok(RemoteValue::Known(value))
    }

    /// Returns true if everything that reading the page of a slot needs is there; asks for it if not.
    fn note_page(&self, sector: Sector, kind: TbKind, slot: u64) -> Result<bool, TablebaseError> {
        let Some(file) = self.file(sector, kind)? else { return Ok(false) };
        let page = (slot / u64::from(file.header.page_slots())) as usize;
        let name = file_name(sector, kind);
        let mut is_there = true;
        for range in ranges_of(&file, page)? {
            is_there &= self.has(&name, range);
        }
        Ok(is_there)
    }

    /// Returns true if the folder seems to have no distances for the phase of this sector: a file of results
    /// was found there without them, and none with them.
    fn lacks_distances(&self, sector: Sector) -> bool {
        let store = self.store.lock();
        let exists = |name: &str| store.files.get(name).is_some_and(|pieces| pieces.length.is_some());
        let mut found = false;
        for (name, pieces) in &store.files {
            let Some((other, kind)) = parse_name(name) else { continue };
            if kind != TbKind::Distance || other.is_moving() != sector.is_moving() {
                continue;
            }
            if !pieces.is_absent {
                return false;
            }
            found |= exists(&file_name(other, TbKind::Wdl));
        }
        found
    }

    /// Returns the kinds in the order of looking.
    fn kinds(&self, sector: Sector, wanted: Wanted) -> [TbKind; 2] {
        match wanted {
            Wanted::Distance if !self.lacks_distances(sector) => [TbKind::Distance, TbKind::Wdl],
            _ => [TbKind::Wdl, TbKind::Distance],
        }
    }
}

impl Source for RemoteFiles {
    fn look_up_for(&self, part: Option<AnswerPart>) {
        self.store.lock().part = part;
    }

    fn look_up(
        &self,
        sector: Sector,
        own: u32,
        theirs: u32,
        wanted: Wanted,
    ) -> Result<Option<Found>, TablebaseError> {
        if wanted == Wanted::CachedWdl {
            return Ok(None);
        }
        for kind in self.kinds(sector, wanted) {
            match self.value(sector, kind, sector.slot_of_one(own, theirs))? {
                RemoteValue::Known(value) if kind == TbKind::Distance => {
                    return Ok(Some(Found::exact(value)));
                }
                RemoteValue::Known(value) => return Ok(Some(Found::result(value.wdl()))),
                RemoteValue::Missing => return Ok(None),
                RemoteValue::Absent => {}
            }
        }
        Ok(None)
    }

    fn statistics(&self, sector: Sector) -> Result<Option<SectorFile>, TablebaseError> {
        for kind in self.kinds(sector, Wanted::Distance) {
            let name = file_name(sector, kind);
            if self.is_absent(&name) {
                continue;
            }
            let usual = Packing::usual(&self.game, sector, kind);
            let source = RemoteFile { name: name.clone(), store: Arc::clone(&self.store) };
            let is_there = !self.is_left_out() && self.has(&name, whole_head(sector, usual));
            if !is_there || source.length().is_ok_and(|length| length == UNKNOWN_LENGTH) {
                return Ok(None);
            }
            // Read whole, the checksum of the header is compared.
            let file = match TbFile::from_source(Path::new(&name), Box::new(source)) {
                // Files with blocks of another size have a longer head.
                Err(TablebaseError::Io { .. }) => return Ok(None),
                file => file?,
            };
            file.check_fit(&self.game)?;
            return Ok(Some(SectorFile { name, bytes: file.bytes(), counts: file.header.counts }));
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::Position;
    use crate::rules::Rules;
    use crate::tablebase::Tablebase;
    use crate::tablebase::probe::explore::Exploration;

    /// Returns the built-in files by name.
    fn files() -> BTreeMap<String, Vec<u8>> {
        let bytes = millstone_tablebase::CONTAINER;
        let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes")) as usize;
        let count = word(8);
        let mut start = 12 + 4 * count;
        let mut files = BTreeMap::new();
        for number in 0..count {
            let file = &bytes[start..start + word(12 + 4 * number)];
            start += file.len();
            let kind = if file[10] == 0 { TbKind::Wdl } else { TbKind::Distance };
            let sector = Sector { own: file[12], theirs: file[13], own_hand: file[14], their_hand: file[15] };
            files.insert(file_name(sector, kind), file.to_vec());
        }
        files
    }

    /// Probes a position, and fetches what is missing. Returns the numbers of bytes and of rounds too.
    fn explore(
        files: &BTreeMap<String, Vec<u8>>,
        pos: &Position,
    ) -> Result<(Exploration, usize, usize), TablebaseError> {
        let mut tablebase = Tablebase::new(&Rules::NINE)?;
        let remote = RemoteFiles::new(*tablebase.game());
        tablebase.add_remote(remote.clone());
        remote.begin();
        let mut fetched = 0;
        for round in 0..30 {
            let explored = tablebase.explore(pos)?;
            let missing = remote.take_missing();
            if missing.is_empty() {
                return Ok((explored, fetched, round));
            }
            for MissingRange { file, start, end } in missing.into_keys() {
                let Some(bytes) = files.get(&file) else {
                    remote.put_absent(&file);
                    continue;
                };
                let bytes = &bytes[start as usize..bytes.len().min(end as usize)];
                fetched += bytes.len();
                remote.put(&file, start, files[&file].len() as u64, bytes.to_vec());
            }
        }
        panic!("a probe never ends");
    }

    fn position(fen: &str) -> Position {
        Position::from_fen(&Rules::NINE, fen).expect("a position")
    }

    const WON: &str = "O*O*****/@***@***/**O****@ w m s 3 0 3 0 0 0 -1 -1 -1 -1 0 0 30 ids:nodes";

    #[test]
    fn the_values_of_another_machine_are_those_of_the_files() {
        let mut tablebase = Tablebase::new(&Rules::NINE).expect("supported");
        tablebase.add_embedded().expect("sound files");
        for fen in [
            WON,
            "**O****O/@@@***O*/*****@O* b m s 4 0 4 0 0 0 -1 -1 -1 -1 0 0 30 ids:nodes",
            "**O****@/**O@***O/*O*@@OO* w m s 6 0 4 0 0 0 -1 -1 -1 -1 0 0 20 ids:nodes",
            "@*@*O***/**O*****/@***O*@* w m s 3 0 4 0 0 0 -1 -1 -1 -1 0 0 30 ids:nodes",
        ] {
            let pos = position(fen);
            let (found, bytes, rounds) = explore(&files(), &pos).expect("sound files");
            assert_eq!(found, tablebase.explore(&pos).expect("sound files"), "{fen}");
            assert!(bytes < 1_000_000, "{fen}: {bytes} bytes");
            // Heads and indexes, then blocks: those of the replies come along with those of the moves.
            // Files of distances that turn out not to exist cost two more.
            assert!(rounds <= 4, "{fen}: {rounds} rounds");
        }
    }

    #[test]
    fn files_that_are_missing_are_named_and_forgotten_ones_are_asked_for_again() {
        let mut tablebase = Tablebase::new(&Rules::NINE).expect("supported");
        let remote = RemoteFiles::new(*tablebase.game());
        tablebase.add_remote(remote.clone());
        let pos = position(WON);
        tablebase.explore(&pos).expect("nothing is known");
        let missing = remote.take_missing();
        assert!(
            missing.iter().any(|(range, parts)| range.start == 0 && parts.contains(&AnswerPart::Move(0))),
            "{missing:?}"
        );
        for file in ["3_3_0_0.dist", "3_3_0_0.wdl"] {
            remote.put_absent(file);
        }
        let explored = tablebase.explore(&pos).expect("nothing is there");
        assert!(explored.moves.iter().any(|known| known.value.is_none()));
        assert!(remote.take_missing().is_empty(), "the files do not exist");
        assert_eq!(remote.absent(), ["3_3_0_0.dist", "3_3_0_0.wdl"]);
        remote.forget("3_3_0_0.dist");
        tablebase.explore(&pos).expect("nothing is known");
        assert!(remote.take_missing().keys().all(|range| range.file == "3_3_0_0.dist"));
    }

    #[test]
    fn what_only_replies_need_is_asked_for_ahead_and_can_stay_away() {
        let files = files();
        let mut tablebase = Tablebase::new(&Rules::NINE).expect("supported");
        let remote = RemoteFiles::new(*tablebase.game());
        tablebase.add_remote(remote.clone());
        // The mover wins or loses with every move, so no reply counts.
        let pos = position(WON);
        let mut ahead = BTreeSet::new();
        for _ in 0..10 {
            let explored = tablebase.explore(&pos).expect("sound files");
            let missing = remote.take_missing();
            if missing.is_empty() {
                assert!(explored.moves.iter().all(|known| known.value.is_some()), "{explored:?}");
                assert!(ahead.iter().any(|(_, is_index)| *is_index), "{ahead:?}");
                assert_eq!(remote.absent(), [""; 0], "a file that is not needed is not missed");
                return;
            }
            for (range, parts) in missing {
                let is_index = remote.is_index(&range);
                if parts.first() == Some(&AnswerPart::Ahead) {
                    ahead.insert((range.file.clone(), is_index));
                    // The moves read the other kind.
                    if range.file.ends_with(".wdl") {
                        remote.put_absent(&range.file);
                    }
                    continue;
                }
                let bytes = &files[&range.file];
                let part = range.start as usize..bytes.len().min(range.end as usize);
                remote.put(&range.file, range.start, bytes.len() as u64, bytes[part].to_vec());
            }
        }
        panic!("a probe never ends");
    }

    #[test]
    fn what_is_left_out_is_not_asked_for_and_the_rest_is_known() {
        let files = files();
        let mut tablebase = Tablebase::new(&Rules::NINE).expect("supported");
        let remote = RemoteFiles::new(*tablebase.game());
        tablebase.add_remote(remote.clone());
        // Of its moves, some lead to other blocks than the first one.
        let pos = position("@*@*O***/**O*****/@***O*@* w m s 3 0 4 0 0 0 -1 -1 -1 -1 0 0 30 ids:nodes");
        remote.begin();
        let others = (1..pos.legal_moves().len()).map(|number| AnswerPart::Move(number as u16));
        others.chain([AnswerPart::Position, AnswerPart::Extra]).for_each(|part| remote.leave_out(part));
        loop {
            let explored = tablebase.explore(&pos).expect("sound files");
            let missing = remote.take_missing();
            if missing.is_empty() {
                let known = explored.moves.iter().filter(|known| known.value.is_some()).count();
                assert!(known > 0 && known < explored.moves.len(), "{known} of {}", explored.moves.len());
                assert_eq!(explored.sector, None);
                break;
            }
            for (MissingRange { file, start, end }, parts) in missing {
                if parts.first() == Some(&AnswerPart::Ahead) {
                    continue;
                }
                assert!(parts.iter().eq([&AnswerPart::Move(0)]), "{parts:?}");
                let bytes = &files[&file];
                let range = start as usize..bytes.len().min(end as usize);
                remote.put(&file, start, bytes.len() as u64, bytes[range].to_vec());
            }
        }
    }

    #[test]
    fn a_missing_sector_does_not_hide_the_distances_of_the_others() {
        let remote = RemoteFiles::new(SolvedGame::new(&Rules::NINE).expect("supported"));
        let (sector, placing) =
            (Sector::moving(3, 3), Sector { own: 4, theirs: 4, own_hand: 3, their_hand: 3 });
        let exact_first = [TbKind::Distance, TbKind::Wdl];
        for name in ["9_9_0_0.dist", "9_9_0_0.wdl", "4_3_3_3.dist"] {
            remote.put_absent(name);
        }
        remote.put("4_3_3_3.wdl", 0, 1_000, vec![0; 144]);
        assert_eq!(remote.kinds(sector, Wanted::Distance), exact_first, "no file says otherwise");
        assert_eq!(remote.kinds(placing, Wanted::Distance), [TbKind::Wdl, TbKind::Distance]);
        remote.put_absent("4_4_0_0.dist");
        remote.put("4_4_0_0.wdl", 0, 1_000, vec![0; 144]);
        assert_eq!(remote.kinds(sector, Wanted::Distance), [TbKind::Wdl, TbKind::Distance]);
        remote.put("3_4_0_0.dist", 0, 1_000, vec![0; 144]);
        assert_eq!(remote.kinds(sector, Wanted::Distance), exact_first);
    }

    #[test]
    fn a_damaged_bit_is_refused_or_does_no_harm() {
        let pos = position(WON);
        let (sound, ..) = explore(&files(), &pos).expect("sound files");
        let (mut refused, mut harmless) = (0, 0);
        let name = "3_3_0_0.dist";
        for bit in (0..8 * 55_000).step_by(1_009) {
            let mut files = files();
            let bytes = files.get_mut(name).expect("a built-in file");
            bytes[bit / 8] ^= 1 << (bit % 8);
            match explore(&files, &pos) {
                Ok((found, ..)) => {
                    assert_eq!((found.value, &found.moves), (sound.value, &sound.moves), "bit {bit}");
                    assert!(found.sector.is_none() || found.sector == sound.sector, "bit {bit}");
                    harmless += 1;
                }
                Err(_) => refused += 1,
            }
        }
        assert!(refused > 40 && harmless > 40, "{refused} refused, {harmless} harmless");
    }
}
