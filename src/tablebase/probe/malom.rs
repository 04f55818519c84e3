//! Reads the database of Gábor E. Gévay and Gábor Danner (Malom), "ultra-strong" files `.sec2` with
//! `.secval`. The index is the same as ours; entries grade draws relative to a value of their sector.

use super::set::raise_file_limit;
use super::source::{Found, Source, Wanted};
use crate::platform::files;
use crate::rules::Rules;
use crate::tablebase::format::board::{FULL, SYMMETRIES, spread, squeeze};
use crate::tablebase::format::bytes::ReadAt;
use crate::tablebase::format::error::{Damage, MalomFault, TablebaseError, Unsupported};
use crate::tablebase::format::index::{Index, MAX_MEN, Sector};
use crate::tablebase::format::value::Wdl;
use std::collections::HashMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Length of the header of a file.
const HEAD: u64 = 64;
const VERSION: u32 = 2;
const ENTRY: usize = 3;
/// The bytes of a slot and its long second field.
const LONG: u64 = 8;
/// The longest list of sector values in bytes. There are 28,561 combinations of men, and a line has 20 bytes.
const LONGEST_LIST: u64 = 4 << 20;

/// The rules of the database in a folder, and the positions it has values for.
struct Variant {
    prefix: &'static str,
    /// Bits of the first field of an entry.
    field: u32,
    /// True if positions with men in hand have values under the requested rules.
    placing: bool,
}

impl Variant {
    /// The database that holds values for `rules` (`docs/malom.md`, "Which rules have values").
    fn of(rules: &Rules) -> Result<Self, TablebaseError> {
        // No tablebase knows draws by repetition or move count.
        let same = |other: Rules| rules.with_standard_counters() == other.with_standard_counters();
        if same(Rules::NINE) {
            Ok(Self { prefix: "std", field: 12, placing: true })
        } else if same(Rules::LASKER) {
            Ok(Self { prefix: "lask", field: 14, placing: false })
        } else if same(Rules::MORABARABA_FREE) {
            Ok(Self { prefix: "mora", field: 14, placing: true })
        } else {
            Err(TablebaseError::Unsupported(Unsupported::Malom(Box::new(*rules))))
        }
    }
}

/// Values of the sectors and of won and lost games.
struct SectorValues {
    win: i32,
    of: HashMap<Sector, i32>,
}

/// An open file.
struct Sec2 {
    path: PathBuf,
    file: File,
    /// True once damage to the file has been reported.
    is_reported: AtomicBool,
    /// The offset of the list of second fields too large for an entry: pairs of slot and field, by slot.
    long_at: u64,
    /// The number of these pairs.
    long: u64,
}

/// The Malom database of a folder.
pub struct MalomSet {
    folder: PathBuf,
    variant: Variant,
    values: SectorValues,
    files: Vec<OnceLock<Option<Sec2>>>,
}

/// One entry of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Entry {
    /// Value relative to that of the sector.
    key1: i32,
    key2: i32,
}

impl Entry {
    fn from_bytes(bytes: [u8; ENTRY], field: u32) -> Self {
        let word = i32::from_le_bytes([0, bytes[0], bytes[1], bytes[2]]);
        // The word is in the upper 24 bits, so an arithmetic right shift extends the signs.
        Self { key1: word << (24 - field) >> (32 - field), key2: word >> (8 + field) }
    }
}

impl SectorValues {
    fn read(path: &Path) -> Result<Self, TablebaseError> {
        let text = files::read_regular(path, LONGEST_LIST).map_err(TablebaseError::io("read", path))?;
        let text = String::from_utf8_lossy(&text);
        let mut lines = text.lines().enumerate();
        let mut next = |expected| {
            let line = lines.next().map(|(at, line)| (at + 1, line));
            line.ok_or_else(|| TablebaseError::damaged(path, MalomFault::End(expected)))
        };
        let wrong = |(line, found): (usize, &str), expected| {
            TablebaseError::damaged(path, MalomFault::Line { line, found: found.to_owned(), expected })
        };
        let mut labelled = |label: &'static str| {
            let line = next(label)?;
            let number = line.1.strip_prefix(label).and_then(|rest| rest.trim().parse::<i32>().ok());
            number.ok_or_else(|| wrong(line, label))
        };
        let loss = labelled("virt_loss_val:")?;
        let win = labelled("virt_win_val:")?;
        if win <= 0 || loss != -win {
            return Err(TablebaseError::damaged(path, MalomFault::Limits { loss, win }));
        }
        let line = next("the number of sectors")?;
        let count: usize = line.1.trim().parse().map_err(|_| wrong(line, "the number of sectors"))?;
        let mut of = HashMap::new();
        for _ in 0..count {
            let expected = "W B WF BF and the value of the sector";
            let line = next(expected)?;
            let numbers: Option<Vec<i32>> = line.1.split_whitespace().map(|word| word.parse().ok()).collect();
            match numbers.as_deref() {
                Some(&[own, theirs, own_hand, their_hand, value])
                    if [own, theirs, own_hand, their_hand]
                        .iter()
                        .all(|n| (0..=MAX_MEN as i32).contains(n)) =>
                {
                    let [own, theirs, own_hand, their_hand] =
                        [own, theirs, own_hand, their_hand].map(|n| n as u8);
                    of.insert(Sector { own, theirs, own_hand, their_hand }, value);
                }
                _ => return Err(wrong(line, expected)),
            }
        }
        Ok(Self { win, of })
    }
}

impl MalomSet {
    /// Opens the database in `folder` that holds for `rules`; its files are opened when first needed.
    ///
    /// # Errors
    /// If there is none for these rules, or its list of sector values cannot be read.
    pub fn open(folder: &Path, rules: &Rules) -> Result<Self, TablebaseError> {
        let variant = Variant::of(rules)?;
        let values = SectorValues::read(&folder.join(format!("{}.secval", variant.prefix)))?;
        // The standard game has about 500 files, which stay open.
        raise_file_limit();
        let files = (0..1usize << 16).map(|_| OnceLock::new()).collect();
        Ok(Self { folder: folder.to_owned(), variant, values, files })
    }

    fn open_file(&self, sector: Sector) -> Result<Option<Sec2>, TablebaseError> {
        let path = self.folder.join(format!("{}_{sector}.sec2", self.variant.prefix));
        let file = match files::open_regular(&path) {
            Ok(file) => file,
            Err(cause) if cause.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(cause) => return Err(TablebaseError::io("open", &path)(cause)),
        };
        let io = || TablebaseError::io("read", &path);
        let length = file.length().map_err(io())?;
        let end = HEAD + ENTRY as u64 * sector.slots();
        if length < HEAD {
            return Err(TablebaseError::damaged(&path, Damage::Length { found: length, expected: end + 4 }));
        }
        let mut head = [0; HEAD as usize];
        file.read_at(0, &mut head).map_err(io())?;
        let word = |at: usize| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
        let found = [word(0), word(4), word(8), u32::from(head[12])];
        let expected = [VERSION, ENTRY as u32, self.variant.field, 0];
        if found != expected {
            return Err(TablebaseError::damaged(&path, MalomFault::Head { found, expected }));
        }
        let mut count = [0xFF; 4];
        if length >= end + 4 {
            file.read_at(end, &mut count).map_err(io())?;
        }
        let found = i32::from_le_bytes(count);
        // At most one pair for each slot.
        let long = u64::try_from(found).ok().filter(|&long| long <= sector.slots());
        let expected = end + 4 + LONG * long.unwrap_or(0);
        match long {
            Some(long) if length == expected => {
                Ok(Some(Sec2 { path, file, is_reported: AtomicBool::new(false), long_at: end + 4, long }))
            }
            None if length >= end + 4 => {
                Err(TablebaseError::damaged(&path, MalomFault::LongValues(found, sector.slots())))
            }
            _ => Err(TablebaseError::damaged(&path, Damage::Length { found: length, expected })),
        }
    }

    fn entry(&self, file: &Sec2, slot: u64) -> Result<Entry, TablebaseError> {
        let io = || TablebaseError::io("read", &file.path);
        let mut bytes = [0; ENTRY];
        file.file.read_at(HEAD + ENTRY as u64 * slot, &mut bytes).map_err(io())?;
        let mut entry = Entry::from_bytes(bytes, self.variant.field);
        // The most negative number marks a value too large for the field.
        if entry.key2 == -(1 << (23 - self.variant.field)) {
            let damaged = || TablebaseError::damaged(&file.path, MalomFault::LongValue(slot));
            entry.key2 = file.long_value(slot).map_err(io())?.ok_or_else(damaged)?;
        }
        Ok(entry)
    }

    fn found(&self, sector: Sector, file: &Sec2, slot: u64) -> Result<Found, TablebaseError> {
        let mut entry = self.entry(file, slot)?;
        if entry.key1 == 0 && entry.key2 < 0 {
            // Not canonical: the symmetry leads to the slot that carries the value.
            let symmetry = !entry.key2 as usize;
            let (own, theirs) = sector.position(slot);
            let symmetries = &Index::get().symmetries;
            let damaged = || TablebaseError::damaged(&file.path, MalomFault::Symmetry { slot, symmetry });
            if symmetry >= SYMMETRIES - 1 || symmetries.apply(symmetry, own) != own {
                return Err(damaged());
            }
            let rest = FULL & !own;
            let image = squeeze(symmetries.apply(symmetry, theirs), rest);
            debug_assert_eq!(spread(image, rest), symmetries.apply(symmetry, theirs));
            let rank = Index::get().rank(sector.theirs as usize, image);
            let row = sector.row_length() as u64;
            entry = self.entry(file, slot / row * row + u64::from(rank))?;
            if entry.key1 == 0 && entry.key2 < 0 {
                return Err(damaged());
            }
        }
        let unnamed = || TablebaseError::damaged(&file.path, MalomFault::NoSectorValue);
        let value = self.values.of.get(&sector).copied().ok_or_else(unnamed)?;
        let absolute = if entry.key1 == 0 { None } else { Some(entry.key1.saturating_add(value)) };
        let plies = || {
            let negative = MalomFault::Plies { slot, plies: entry.key2 };
            u32::try_from(entry.key2).map_err(|_| TablebaseError::damaged(&file.path, negative))
        };
        Ok(match absolute {
            Some(absolute) if absolute == self.values.win => Found { wdl: Wdl::Win, plies: Some(plies()?) },
            Some(absolute) if absolute == -self.values.win => Found { wdl: Wdl::Loss, plies: Some(plies()?) },
            _ => Found::DRAW,
        })
    }
}

impl Sec2 {
    /// Finds the second field of a slot in the list of long fields, which is sorted by slot. The list is not
    /// kept in memory: few slots need it.
    fn long_value(&self, slot: u64) -> std::io::Result<Option<i32>> {
        let (mut from, mut to) = (0, self.long);
        while from < to {
            let middle = from.midpoint(to);
            let mut pair = [0; LONG as usize];
            self.file.read_at(self.long_at + LONG * middle, &mut pair)?;
            let pair = u64::from_le_bytes(pair);
            match (pair & u64::from(u32::MAX)).cmp(&slot) {
                std::cmp::Ordering::Equal => return Ok(Some((pair >> 32) as i32)),
                std::cmp::Ordering::Less => from = middle + 1,
                std::cmp::Ordering::Greater => to = middle,
            }
        }
        Ok(None)
    }
}

impl Source for MalomSet {
    fn look_up(
        &self,
        sector: Sector,
        own: u32,
        theirs: u32,
        wanted: Wanted,
    ) -> Result<Option<Found>, TablebaseError> {
        // No block is kept in memory, so a probe without reading finds nothing.
        if wanted == Wanted::CachedWdl || (!sector.is_moving() && !self.variant.placing) {
            return Ok(None);
        }
        let Sector { own: a, theirs: b, own_hand: c, their_hand: d } = sector;
        if [a, b, c, d].iter().any(|&n| n > 15) {
            return Ok(None);
        }
        let place = [a, b, c, d].iter().fold(0, |place, &n| place << 4 | usize::from(n));
        let mut error = None;
        let file = self.files[place].get_or_init(|| {
            self.open_file(sector).unwrap_or_else(|why| {
                error = Some(why);
                None
            })
        });
        if let Some(error) = error {
            return Err(error);
        }
        let Some(file) = file else { return Ok(None) };
        match self.found(sector, file, sector.canonical(sector.slot(own, theirs))) {
            Err(_) if file.is_reported.swap(true, Relaxed) => Ok(None),
            found => found.map(Some),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(not(target_arch = "wasm32"))]
    #[test]
    fn a_file_that_cannot_be_used_is_reported_of_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let values = "virt_loss_val: -299\nvirt_win_val: 299\n1\n3 3 0 0 0\n";
        std::fs::write(folder.path().join("std.secval"), values).expect("a file");
        std::fs::write(folder.path().join("std_3_3_0_0.sec2"), "rubbish").expect("a file");
        let set = MalomSet::open(folder.path(), &Rules::NINE).expect("a list of values");
        let ask = || set.look_up(Sector::moving(3, 3), 0b111, 0b111_000, Wanted::Wdl);
        assert!(ask().expect_err("rubbish").to_string().contains("std_3_3_0_0.sec2"));
        assert_eq!(ask().expect("it was reported"), None);
    }

    #[cfg(not(target_arch = "wasm32"))]
    #[test]
    fn files_are_not_read_beyond_what_their_sector_needs() {
        let folder = tempfile::tempdir().expect("a folder");
        let (list, table) = (folder.path().join("std.secval"), folder.path().join("std_3_3_0_0.sec2"));
        File::create(&list).and_then(|file| file.set_len(3 << 30)).expect("a sparse file");
        let found = MalomSet::open(folder.path(), &Rules::NINE).map(|_| ()).expect_err("refused").to_string();
        assert!(found.ends_with("found 3221225472 bytes, expected at most 4194304"), "{found}");
        std::fs::write(&list, "virt_loss_val: -299\nvirt_win_val: 299\n1\n3 3 0 0 0\n").expect("a file");

        let sector = Sector::moving(3, 3);
        let position = (0b111, 0b111_000);
        let slot = sector.canonical(sector.slot(position.0, position.1));
        let head = [VERSION, ENTRY as u32, 12, 0].map(u32::to_le_bytes).concat();
        let mut bytes = head;
        bytes.resize(HEAD as usize + ENTRY * sector.slots() as usize, 0);
        // A win whose distance is in the list of long values.
        let at = HEAD as usize + ENTRY * slot as usize;
        bytes[at..at + ENTRY].copy_from_slice(&(0x80_0000u32 | 299).to_le_bytes()[..ENTRY]);
        let look_up = |bytes: &[u8], length: u64| {
            std::fs::write(&table, bytes).expect("a file");
            File::options().write(true).open(&table).and_then(|file| file.set_len(length)).expect("a file");
            let set = MalomSet::open(folder.path(), &Rules::NINE).expect("a list of values");
            set.look_up(sector, position.0, position.1, Wanted::Distance).map_err(|why| why.to_string())
        };
        let long = |slots: &[u64]| {
            let pairs = slots.iter().flat_map(|&other| [other as u32, if other == slot { 5001 } else { 7 }]);
            let words = [slots.len() as u32].into_iter().chain(pairs);
            [bytes.clone(), words.flat_map(u32::to_le_bytes).collect()].concat()
        };
        for others in [&[slot][..], &[0, slot], &[slot, slot + 9], &[1, slot, slot + 1, slot + 2]] {
            let file = long(others);
            let found = look_up(&file, file.len() as u64).expect("sound").expect("a value");
            assert_eq!((found.wdl, found.plies), (Wdl::Win, Some(5001)), "{others:?}");
        }
        let file = long(&[slot + 1]);
        assert!(look_up(&file, file.len() as u64).is_err_and(|why| why.contains("lacks its long value")));
        // A list of as many pairs as the length allows, and one that the sector cannot have.
        let end = bytes.len() as u64 + 4;
        let mut file = bytes.clone();
        file.extend_from_slice(&400_000_000u32.to_le_bytes());
        let expected = format!("expected 0 to {}", sector.slots());
        let is_refused = |why: &str, number: &str| why.contains(number) && why.ends_with(&expected);
        let found = look_up(&file, end + 8 * 400_000_000).expect_err("refused");
        assert!(is_refused(&found, "counts 400000000 long values, "), "{found}");
        let file = [bytes.clone(), (-1i32).to_le_bytes().to_vec()].concat();
        let found = look_up(&file, end).expect_err("refused");
        assert!(is_refused(&found, "counts -1 long values, "), "{found}");
        assert!(look_up(&bytes, 3 << 30).is_err_and(|why| why.contains("bytes long, expected")));
    }

    /// Bytes and keys of `docs/malom.md`, "Worked examples".
    #[test]
    fn entries_are_read_as_the_worked_examples_say() {
        for (bytes, field, key1, key2) in [
            ([0xEB, 0x2F, 0x00], 12, -21, 2),
            ([0xD5, 0xAE, 0x01], 12, -299, 26),
            ([0x92, 0xDF, 0xFF], 12, -110, -3),
            ([0xF8, 0xD0, 0x07], 12, 248, 125),
        ] {
            assert_eq!(Entry::from_bytes(bytes, field), Entry { key1, key2 });
        }
    }
}
