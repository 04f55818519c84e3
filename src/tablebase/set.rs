//! The tables of one folder, or those built into the program, ready to be asked.

use super::error::TablebaseError;
use super::file::{Kind, TableFile, file_name};
use super::game::Game;
use super::index::{MAX_MEN, Sector};
use super::source::{Found, Source, Wanted};
use super::value::Value;
use std::path::Path;
use std::sync::RwLock;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

const SIDE: usize = MAX_MEN + 1;
/// Sectors: men of both sides, men in one hand, and whether the mover holds one more.
const SECTORS: usize = SIDE * SIDE * SIDE * 2;

/// Decoded blocks, shared by all threads. A block lives in one of two places given by its number; the
/// one that was used less lately makes room. A place that another thread is filling counts as a miss.
struct Cache {
    places: Vec<RwLock<Place>>,
}

struct Place {
    /// File and block; `u64::MAX` while empty.
    key: u64,
    raw: Vec<u8>,
    used: AtomicBool,
}

impl Cache {
    /// Room for pages of up to `page_bytes` in so much memory, and no more than the tables have pages.
    fn new(bytes: usize, page_bytes: usize, pages: usize) -> Self {
        let pairs = (bytes / page_bytes.max(1) / 2).min(pages).max(1);
        let place = || RwLock::new(Place { key: u64::MAX, raw: Vec::new(), used: AtomicBool::new(false) });
        Self { places: (0..2 * pairs).map(|_| place()).collect() }
    }

    /// The two places of a block.
    fn places(&self, key: u64) -> (usize, usize) {
        let mixed = (key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as usize;
        let pair = mixed % (self.places.len() / 2);
        (2 * pair, 2 * pair + 1)
    }

    /// Reads from a cached block.
    #[inline]
    fn read(&self, key: u64, read: impl Fn(&[u8]) -> Option<u8>) -> Option<u8> {
        let (first, second) = self.places(key);
        for place in [first, second] {
            if let Ok(place) = self.places[place].try_read()
                && place.key == key
            {
                place.used.store(true, Relaxed);
                return read(&place.raw);
            }
        }
        None
    }

    /// Puts a block in, filled by `fill`.
    fn insert<E>(&self, key: u64, fill: impl FnOnce(&mut Vec<u8>) -> Result<(), E>) -> Result<(), E> {
        let (first, second) = self.places(key);
        let first_used = self.places[first].try_read().map_or(true, |place| place.used.swap(false, Relaxed));
        let chosen = if first_used { second } else { first };
        let Ok(mut place) = self.places[chosen].write() else { return Ok(()) };
        place.key = u64::MAX;
        fill(&mut place.raw)?;
        place.key = key;
        place.used.store(true, Relaxed);
        Ok(())
    }
}

struct Table {
    file: TableFile,
    /// Set after a failure; the table is then left alone.
    broken: AtomicBool,
}

/// The tables of one folder, opened for one game.
pub struct TableSet {
    tables: Vec<Table>,
    /// For each sector the number of its table, by kind; `NONE` where there is none.
    wdl: Vec<u16>,
    distance: Vec<u16>,
    /// Decoded pages of results and of distances, which differ in size.
    caches: [Cache; 2],
}

const NONE: u16 = u16::MAX;

fn place_of(sector: Sector) -> Option<usize> {
    let more = usize::from(sector.own_hand.checked_sub(sector.their_hand)?);
    let men = [sector.own, sector.theirs, sector.their_hand].map(usize::from);
    if more > 1 || men.iter().any(|&n| n > MAX_MEN) {
        return None;
    }
    Some(((men[0] * SIDE + men[1]) * SIDE + men[2]) * 2 + more)
}

impl TableSet {
    /// Opens the tables of a folder that hold for `game`, with a cache of `cache_bytes`. Files that
    /// cannot be used are left out and reported.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn open(
        folder: &Path,
        game: &Game,
        cache_bytes: usize,
    ) -> Result<(Self, Vec<TablebaseError>), TablebaseError> {
        let mut names = Vec::new();
        for entry in std::fs::read_dir(folder).map_err(TablebaseError::io("read folder", folder))? {
            let entry = entry.map_err(TablebaseError::io("read folder", folder))?;
            let path = entry.path();
            let extension = path.extension().and_then(|extension| extension.to_str());
            if extension.is_some_and(|e| e == Kind::Wdl.extension() || e == Kind::Distance.extension()) {
                names.push(path);
            }
        }
        names.sort();
        let (mut files, mut refused) = (Vec::new(), Vec::new());
        for path in names {
            let file = TableFile::open(&path).and_then(|file| check_fit(file, game, &path));
            match file {
                Ok(file) => files.push(file),
                Err(error) => refused.push(error),
            }
        }
        Ok((Self::new(files, cache_bytes), refused))
    }

    /// A set of open tables.
    pub fn new(files: Vec<TableFile>, cache_bytes: usize) -> Self {
        let mut wdl = vec![NONE; SECTORS];
        let mut distance = vec![NONE; SECTORS];
        let (mut largest, mut pages) = ([1; 2], [0; 2]);
        let mut tables = Vec::new();
        for file in files {
            let Some(place) = place_of(file.header.sector) else { continue };
            let list = if file.header.kind == Kind::Wdl { &mut wdl } else { &mut distance };
            list[place] = tables.len() as u16;
            let (kind, page_slots) = (file.header.kind, file.header.page_slots());
            let (largest, pages) = (&mut largest[kind as usize], &mut pages[kind as usize]);
            *largest = (*largest).max(kind.raw_bytes(page_slots as usize));
            *pages += file.header.slots.div_ceil(u64::from(page_slots)) as usize;
            tables.push(Table { file, broken: AtomicBool::new(false) });
        }
        // Distances tell results as well.
        for (wdl, &distance) in wdl.iter_mut().zip(&distance) {
            if *wdl == NONE {
                *wdl = distance;
            }
        }
        // The search asks for results; distances are for the root, unless there is nothing else.
        let distances = if wdl == distance { cache_bytes } else { cache_bytes / 4 };
        let cache = |bytes: usize, kind: usize| Cache::new(bytes, largest[kind], pages[kind]);
        let caches = [cache(cache_bytes - distances, 0), cache(distances, 1)];
        Self { tables, wdl, distance, caches }
    }

    /// Number of open files.
    pub fn len(&self) -> usize {
        self.tables.len()
    }

    /// Whether there is no table at all.
    pub fn is_empty(&self) -> bool {
        self.tables.is_empty()
    }

    /// The sectors whose results are stored.
    pub fn sectors(&self) -> impl Iterator<Item = Sector> + '_ {
        self.tables.iter().filter(|table| table.file.header.kind == Kind::Wdl).map(|t| t.file.header.sector)
    }

    fn table(&self, list: &[u16], sector: Sector) -> Option<(u64, &Table)> {
        let number = *list.get(place_of(sector)?)?;
        let table = self.tables.get(usize::from(number))?;
        (!table.broken.load(Relaxed)).then_some((u64::from(number), table))
    }

    fn read(
        &self,
        (number, table): (u64, &Table),
        slot: u64,
        cached_only: bool,
    ) -> Result<Option<Value>, TablebaseError> {
        let header = &table.file.header;
        let (page, place) = (slot / u64::from(header.page_slots()), slot % u64::from(header.page_slots()));
        let key = number << 32 | page;
        let cache = &self.caches[header.kind as usize];
        let read = |raw: &[u8]| header.kind.value_at(raw, place as usize).map(|value| value.0);
        if let Some(value) = cache.read(key, read) {
            return Ok(Some(Value(value)));
        }
        if cached_only {
            return Ok(None);
        }
        let mut value = None;
        let result = cache.insert(key, |raw| {
            table.file.read_page(page as usize, raw)?;
            value = read(raw);
            Ok(())
        });
        let damaged = || TablebaseError::damaged(table.file.path(), format!("no value in slot {slot}"));
        let result = result.and_then(|()| value.map(|value| Some(Value(value))).ok_or_else(damaged));
        if result.is_err() {
            table.broken.store(true, Relaxed);
        }
        result
    }
}

/// Refuses files of other games and files under a wrong name.
fn check_fit(file: TableFile, game: &Game, path: &Path) -> Result<TableFile, TablebaseError> {
    let header = &file.header;
    let expected = game.fingerprint(header.sector);
    let name = file_name(header.sector, header.kind);
    let found = if header.fingerprint != expected {
        format!("made for rules with fingerprint {:016x}, expected {expected:016x}", header.fingerprint)
    } else if path.file_name().is_none_or(|found| found != name.as_str()) {
        format!("holds what should be named {name}")
    } else {
        return Ok(file);
    };
    Err(TablebaseError::Foreign { path: path.to_owned(), found })
}

impl Source for TableSet {
    #[inline]
    fn look_up(
        &self,
        sector: Sector,
        own: u32,
        theirs: u32,
        wanted: Wanted,
    ) -> Result<Option<Found>, TablebaseError> {
        let cached_only = wanted == Wanted::CachedWdl;
        let exact = if wanted == Wanted::Distance { self.table(&self.distance, sector) } else { None };
        let Some(table) = exact.or_else(|| self.table(&self.wdl, sector)) else { return Ok(None) };
        let has_distance = table.1.file.header.kind == Kind::Distance;
        let value = self.read(table, sector.slot(own, theirs), cached_only)?;
        Ok(value.map(|value| if has_distance { Found::exact(value) } else { Found::result(value.wdl()) }))
    }
}
