//! The tablebase files of one folder, or those built into the program, with a cache of decoded *pages*. A
//! page is the part of a file that is decoded at once: a block, or with a model one part of a block.

use super::cache::Cache;
use super::source::{Found, SectorFile, Source, Wanted};
use crate::platform::files;
use crate::tablebase::format::error::{Damage, FileDifference, TablebaseError};
use crate::tablebase::format::file::TbFile;
use crate::tablebase::format::folder::{file_name, tablebase_files};
use crate::tablebase::format::game::{SolvedGame, share_a_game};
use crate::tablebase::format::header::TbKind;
use crate::tablebase::format::index::{MAX_MEN, Sector};
use crate::tablebase::format::manifest::Manifest;
use crate::tablebase::format::value::TbValue;
use std::path::Path;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

const SIDE: usize = MAX_MEN + 1;
/// The number of sectors, by the men of both sides in hand and on the board.
const SECTORS: usize = SIDE * SIDE * SIDE * SIDE;

struct OpenFile {
    file: TbFile,
    /// True once damage of the file is reported.
    is_reported: AtomicBool,
}

/// The result of reading a slot.
enum SlotRead {
    Value(TbValue),
    /// The page is not in memory, and the probe reads no files.
    NotCached,
    /// The page cannot be read or is damaged, which has been reported. Others of the file may be sound: each
    /// has a checksum.
    Damaged,
    /// The page is sound, but this slot of it holds no value.
    NoValue,
}

impl OpenFile {
    /// Returns the error of the file if it is the first one.
    #[cold]
    fn report(&self, error: TablebaseError) -> Result<(), TablebaseError> {
        if self.is_reported.swap(true, Relaxed) { Ok(()) } else { Err(error) }
    }
}

/// Lets the process have as many files open as the system allows it: a whole game has about a thousand
/// files, and many systems begin with a limit of 256 or 1,024.
pub(super) fn raise_file_limit() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| _ = files::raise_limit());
}

/// Returns true if two files are refused for the same reason.
fn is_alike(a: &TablebaseError, b: &TablebaseError) -> bool {
    match (a, b) {
        (
            TablebaseError::Foreign { difference: FileDifference::Fingerprint { found: a, .. }, .. },
            TablebaseError::Foreign { difference: FileDifference::Fingerprint { found: b, .. }, .. },
        ) => share_a_game(*a, *b),
        (TablebaseError::Io { doing, cause, .. }, TablebaseError::Io { doing: other, cause: second, .. }) => {
            doing == other && cause.raw_os_error().is_some_and(|code| second.raw_os_error() == Some(code))
        }
        _ => false,
    }
}

/// Returns the note on a file and on `more` others that are refused for the same reason.
fn with_count(first: TablebaseError, more: usize) -> TablebaseError {
    if more == 0 { first } else { TablebaseError::Repeated { first: Box::new(first), more } }
}

/// The files of one folder, opened for one game.
pub(crate) struct TbSet {
    files: Vec<OpenFile>,
    /// For each sector the number of its file, by kind; `NONE` where there is none.
    wdl: Vec<u16>,
    distance: Vec<u16>,
    /// Decoded pages of results and of distances, which differ in size.
    caches: [Cache; 2],
}

const NONE: u16 = u16::MAX;

#[inline]
fn place_of(sector: Sector) -> Option<usize> {
    // The sectors of the moving phase, which the search looks up, stand side by side.
    let men = [sector.own_hand, sector.their_hand, sector.own, sector.theirs].map(usize::from);
    men.iter().all(|&n| n <= MAX_MEN).then(|| men.iter().fold(0, |place, n| place * SIDE + n))
}

impl TbSet {
    /// Opens the files of a folder that hold for `game`, with a cache of `cache_bytes`. Files that cannot be
    /// used are skipped and reported.
    ///
    /// # Errors
    /// If the folder cannot be read.
    pub(crate) fn open(
        folder: &Path,
        game: &SolvedGame,
        cache_bytes: usize,
    ) -> Result<(Self, Vec<TablebaseError>), TablebaseError> {
        let paths = tablebase_files(folder)?;
        if paths.is_empty() {
            return Ok((Self::new(Vec::new(), 0), vec![TablebaseError::NoFiles(folder.to_owned())]));
        }
        // Probing works without the manifest, since blocks have checksums; building and verifying do not. It
        // is read first, while the process can still open files.
        let manifest_error = Manifest::load(folder).err();
        raise_file_limit();
        let mut files = Vec::new();
        // A folder of another game, or one without read permission, has hundreds of files that are refused
        // for the same reason: one note on each reason is enough.
        let mut refused: Vec<(TablebaseError, usize)> = Vec::new();
        for path in paths {
            let file = TbFile::open(&path).and_then(|file| file.check_fit(game).map(|()| file));
            match file {
                Ok(file) => files.push(file),
                Err(error) => match refused.iter_mut().find(|(first, _)| is_alike(first, &error)) {
                    Some((_, more)) => *more += 1,
                    None => refused.push((error, 0)),
                },
            }
        }
        let mut refused: Vec<TablebaseError> =
            refused.into_iter().map(|(first, more)| with_count(first, more)).collect();
        refused.extend(manifest_error);
        Ok((Self::new(files, cache_bytes), refused))
    }

    /// Returns a set of open files.
    pub(crate) fn new(files: Vec<TbFile>, cache_bytes: usize) -> Self {
        let mut wdl = vec![NONE; SECTORS];
        let mut distance = vec![NONE; SECTORS];
        let (mut largest, mut pages) = ([1; 2], [0; 2]);
        let mut opened = Vec::new();
        for file in files {
            let Some(place) = place_of(file.header.sector) else { continue };
            let list = if file.header.kind == TbKind::Wdl { &mut wdl } else { &mut distance };
            list[place] = opened.len() as u16;
            let (kind, page_slots) = (file.header.kind, file.header.page_slots());
            let (largest, pages) = (&mut largest[kind as usize], &mut pages[kind as usize]);
            *largest = (*largest).max(kind.raw_bytes(file.header.slots.min(page_slots.into()) as usize));
            *pages += file.header.slots.div_ceil(u64::from(page_slots)) as usize;
            opened.push(OpenFile { file, is_reported: AtomicBool::new(false) });
        }
        // The search probes results; distances serve the root, unless there are no results.
        let distances = if pages[TbKind::Wdl as usize] == 0 { cache_bytes } else { cache_bytes / 4 };
        let cache = |bytes: usize, kind: usize| Cache::new(bytes, largest[kind], pages[kind]);
        let caches = [cache(cache_bytes - distances, 0), cache(distances, 1)];
        Self { files: opened, wdl, distance, caches }
    }

    /// Returns true if no file is open.
    pub(crate) fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    fn open_file(&self, list: &[u16], sector: Sector) -> Option<(u64, &OpenFile)> {
        let number = *list.get(place_of(sector)?)?;
        Some((u64::from(number), self.files.get(usize::from(number))?))
    }

    fn read(
        &self,
        (number, open): (u64, &OpenFile),
        slot: u64,
        cached_only: bool,
    ) -> Result<SlotRead, TablebaseError> {
        let header = &open.file.header;
        let (page, place) = (slot / u64::from(header.page_slots()), slot % u64::from(header.page_slots()));
        let key = number << 32 | page;
        let cache = &self.caches[header.kind as usize];
        // A damaged page is cached as empty, so that it is not read again and again.
        let read = |raw: &[u8]| match header.kind.value_at(raw, place as usize) {
            Some(value) => SlotRead::Value(value),
            None if raw.is_empty() => SlotRead::Damaged,
            None => SlotRead::NoValue,
        };
        if let Some(answer) = cache.read(key, read) {
            return Ok(answer);
        }
        if cached_only {
            return Ok(SlotRead::NotCached);
        }
        let decode = |raw: &mut Vec<u8>| {
            let result = open.file.read_page(page as usize, raw);
            if result.is_err() {
                raw.clear();
            }
            result.map(|()| read(raw))
        };
        cache
            .insert(key, |raw| Ok(read(raw)), decode)
            .or_else(|error| open.report(error).map(|()| SlotRead::Damaged))
    }
}

impl Source for TbSet {
    fn statistics(&self, sector: Sector) -> Result<Option<SectorFile>, TablebaseError> {
        let files = [&self.distance, &self.wdl].map(|list| self.open_file(list, sector));
        let file = files.into_iter().flatten().next().map(|(_, open)| &open.file);
        Ok(file.map(|file| {
            let name = file_name(sector, file.header.kind);
            SectorFile { name, bytes: file.bytes(), counts: file.header.counts }
        }))
    }

    #[inline]
    fn look_up(
        &self,
        sector: Sector,
        own: u32,
        theirs: u32,
        wanted: Wanted,
    ) -> Result<Option<Found>, TablebaseError> {
        // Both kinds of files hold results: if one is damaged or missing, the other is used.
        let lists = match wanted {
            Wanted::Distance => [&self.distance, &self.wdl],
            Wanted::Wdl | Wanted::CachedWdl => [&self.wdl, &self.distance],
        };
        for list in lists {
            let Some(open) = self.open_file(list, sector) else { continue };
            let slot = sector.slot(own, theirs);
            match self.read(open, slot, wanted == Wanted::CachedWdl)? {
                SlotRead::Value(value) if open.1.file.header.kind == TbKind::Distance => {
                    return Ok(Some(Found::exact(value)));
                }
                SlotRead::Value(value) => return Ok(Some(Found::result(value.wdl()))),
                SlotRead::NotCached => return Ok(None),
                SlotRead::Damaged => {}
                SlotRead::NoValue => {
                    open.1.report(TablebaseError::damaged(open.1.file.path(), Damage::SlotValue(slot)))?;
                }
            }
        }
        Ok(None)
    }
}
