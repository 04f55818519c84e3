//! The file of one sector: header, block index, compressed blocks with a checksum each. The layout is
//! documented in `docs/tables-format.md`.

use super::bytes::{ByteSource, ReadAt, check_extent, read_index};
use super::error::{Damage, FileDifference, FilePart, TablebaseError};
use super::folder::file_name;
use super::game::SolvedGame;
use super::header::{
    CHECKSUM_AT, Codec, HEADER_BYTES, Header, RESULT_BYTES, TbKind, pack_results, result_at,
};
use super::index::Sector;
use super::model::{Features, Geometry, MODEL_BYTES, Model, PART_SLOTS, RowSteps};
use crate::platform::files;
use crate::platform::memory::check_available;
use crate::platform::packing;
use parking_lot::Mutex;
use std::io::ErrorKind;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

/// The length byte of a part that is stored as raw results, because the model would make it longer.
pub(super) const PLAIN_PART: u8 = u8::MAX;

/// An open file of one sector.
pub struct TbFile {
    path: PathBuf,
    /// The header of the file.
    pub header: Header,
    /// Start of each block, and the end of the last.
    offsets: Vec<u64>,
    source: ByteSource,
    /// The model of the file, loaded when it is first needed.
    model: OnceLock<Model>,
}

impl TbFile {
    /// Opens a file and checks its header and block index, but not its blocks.
    ///
    /// # Errors
    /// If the file cannot be read, or is not a sound tablebase file.
    pub fn open(path: &Path) -> Result<Self, TablebaseError> {
        let file = files::open_regular(path).map_err(TablebaseError::io("open", path))?;
        Self::from_source(path, Box::new(file))
    }

    /// Opens the file of a sector in a folder, which has to be one of `game`.
    ///
    /// # Errors
    /// As [`open`](Self::open); and if there is no such file, or it does not fit.
    pub fn open_in(
        folder: &Path,
        game: &SolvedGame,
        sector: Sector,
        kind: TbKind,
    ) -> Result<Self, TablebaseError> {
        let path = folder.join(file_name(sector, kind));
        let source = match files::open_regular(&path) {
            Err(cause) if cause.kind() == ErrorKind::NotFound => return Err(TablebaseError::Missing(path)),
            opened => opened.map_err(TablebaseError::io("open", &path))?,
        };
        let file = Self::from_source(&path, Box::new(source))?;
        file.check_fit(game)?;
        Ok(file)
    }

    /// As [`open`](Self::open), for bytes in memory; messages use `name` in place of the path.
    ///
    /// # Errors
    /// If the bytes are not a sound tablebase file.
    pub fn from_memory(name: &str, bytes: &'static [u8]) -> Result<Self, TablebaseError> {
        Self::from_source(Path::new(name), Box::new(bytes))
    }

    /// Opens a file, wherever its bytes come from.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub(crate) fn from_source(path: &Path, source: ByteSource) -> Result<Self, TablebaseError> {
        let (header, offsets) = Self::read_head(path, &*source)?;
        Ok(Self { path: path.to_owned(), header, offsets, source, model: OnceLock::new() })
    }

    /// Reads the header and the block index of a file, and checks them.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub(crate) fn read_head(path: &Path, source: &dyn ReadAt) -> Result<(Header, Vec<u64>), TablebaseError> {
        let length = source.length().map_err(TablebaseError::io("read", path))?;
        if length < HEADER_BYTES as u64 {
            let least = HEADER_BYTES as u64;
            return Err(TablebaseError::damaged(path, Damage::Short { found: length, least }));
        }
        let mut head = [0; HEADER_BYTES];
        source.read_at(0, &mut head).map_err(TablebaseError::io("read", path))?;
        let header = Header::from_bytes(&head).map_err(|why| TablebaseError::damaged(path, why))?;
        let index_end = header.index_end();
        if length < index_end {
            return Err(TablebaseError::damaged(path, Damage::Index));
        }
        let (offsets, found) =
            read_index(source, &head, &header).map_err(TablebaseError::io("read", path))?;
        let stored = u64::from_le_bytes(head[CHECKSUM_AT..].try_into().unwrap_or_default());
        if stored != found {
            let damage = Damage::Checksum { part: FilePart::Head, found, expected: stored };
            return Err(TablebaseError::damaged(path, damage));
        }
        let end = offsets.last().copied().unwrap_or(0);
        if end != length {
            return Err(TablebaseError::damaged(path, Damage::Length { found: length, expected: end }));
        }
        if offsets[0] < index_end {
            return Err(TablebaseError::damaged(path, Damage::Start(offsets[0], index_end)));
        }
        // Reading a part allocates its length, so no part may be longer than compression can make it.
        check_model(&header, offsets[0] - index_end)
            .map_err(|damage| TablebaseError::damaged(path, damage))?;
        for (block, pair) in offsets.windows(2).enumerate() {
            check_extent(&header, block, &(pair[0]..pair[1]), length)
                .map_err(|damage| TablebaseError::damaged(path, damage))?;
        }
        Ok((header, offsets))
    }

    /// Returns a file with a header that can be trusted. Entries of its index are read when they are needed.
    #[cfg(any(test, all(feature = "wasm", target_arch = "wasm32")))]
    pub(super) fn without_index(path: &Path, header: Header, source: ByteSource) -> Self {
        Self { path: path.to_owned(), header, offsets: Vec::new(), source, model: OnceLock::new() }
    }

    /// Returns an entry of the index, which is read if it is not in memory.
    fn entry(&self, number: usize) -> Result<u64, TablebaseError> {
        if let Some(&offset) = self.offsets.get(number) {
            return Ok(offset);
        }
        let (mut bytes, at) = ([0; 8], (HEADER_BYTES + 8 * number) as u64);
        self.source.read_at(at, &mut bytes).map_err(TablebaseError::io("read", &self.path))?;
        Ok(u64::from_le_bytes(bytes))
    }

    /// Returns the place of a block in the file.
    pub(super) fn extent(&self, block: usize) -> Result<Range<u64>, TablebaseError> {
        let extent = self.entry(block)?..self.entry(block + 1)?;
        if self.offsets.is_empty() {
            check_extent(&self.header, block, &extent, self.bytes())
                .map_err(|damage| self.damaged(damage))?;
        }
        Ok(extent)
    }

    /// Returns the place of the model in the file.
    pub(super) fn model_extent(&self) -> Result<Range<u64>, TablebaseError> {
        let (start, end) = (self.header.index_end(), self.entry(0)?);
        if start + 4 > end {
            return Err(self.damaged(Damage::NoModel));
        }
        check_model(&self.header, end - start).map_err(|damage| self.damaged(damage))?;
        Ok(start..end)
    }

    /// Length of the file in bytes.
    pub fn bytes(&self) -> u64 {
        self.offsets.last().copied().or_else(|| self.source.length().ok()).unwrap_or(0)
    }

    /// The file's path, or the name of the built-in file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Checks that the file holds the rules of `game` and the sector and kind of its name.
    ///
    /// # Errors
    /// If it does not.
    pub fn check_fit(&self, game: &SolvedGame) -> Result<(), TablebaseError> {
        let Header { sector, kind, fingerprint, .. } = self.header;
        let (name, expected) = (file_name(sector, kind), game.fingerprint(sector));
        let difference = if fingerprint != expected {
            FileDifference::Fingerprint { found: fingerprint, expected }
        } else if self.path.file_name().is_none_or(|found| found != name.as_str()) {
            FileDifference::Name(name)
        } else {
            return Ok(());
        };
        Err(TablebaseError::Foreign { path: self.path.clone(), difference })
    }

    /// Reads the bytes from `start` to `end`, which begin with the checksum of the rest, and checks the rest.
    fn read_checked(
        &self,
        part: FilePart,
        start: u64,
        end: u64,
        packed: &mut Vec<u8>,
    ) -> Result<(), TablebaseError> {
        packed.resize((end - start) as usize, 0);
        self.source.read_at(start, packed).map_err(TablebaseError::io("read", &self.path))?;
        let found = block_checksum(&packed[4..]).to_le_bytes();
        if packed[..4] != found {
            let [stored, found] = [packed.first_chunk().copied().unwrap_or_default(), found];
            let [found, expected] = [found, stored].map(|bytes| u64::from(u32::from_le_bytes(bytes)));
            return Err(self.damaged(Damage::Checksum { part, found, expected }));
        }
        Ok(())
    }

    fn damaged(&self, damage: Damage) -> TablebaseError {
        TablebaseError::damaged(&self.path, damage)
    }

    fn unpack(&self, part: FilePart, packed: &[u8], raw: &mut [u8]) -> Result<(), TablebaseError> {
        match packing::unpack(packed, raw) {
            Ok(length) if length == raw.len() => Ok(()),
            Ok(found) => Err(self.damaged(Damage::Unpacked { part, found, expected: raw.len() })),
            Err(cause) => Err(self.damaged(Damage::Packed { part, cause: cause.into() })),
        }
    }

    /// Returns the model of the file, which the first call reads.
    pub(super) fn model(&self) -> Result<&Model, TablebaseError> {
        if let Some(model) = self.model.get() {
            return Ok(model);
        }
        let Range { start, end } = self.model_extent()?;
        let (mut packed, mut bytes) = (Vec::new(), vec![0; MODEL_BYTES]);
        self.read_checked(FilePart::Model, start, end, &mut packed)?;
        self.unpack(FilePart::Model, &packed[4..], &mut bytes)?;
        Ok(self.model.get_or_init(|| Model::from_bytes(&bytes)))
    }

    /// Calls `visit` for each part of a block, found by the list of their lengths.
    fn parts(
        &self,
        block: usize,
        packed: &[u8],
        mut visit: impl FnMut(usize, u8, &[u8]) -> Result<(), TablebaseError>,
    ) -> Result<(), TablebaseError> {
        let count = self.header.slots_of(block).div_ceil(PART_SLOTS);
        let wrong = || self.damaged(Damage::Parts(block));
        let (lengths, mut rest) = packed.split_at_checked(count).ok_or_else(wrong)?;
        for (part, &length) in lengths.iter().enumerate() {
            let bytes = match length {
                PLAIN_PART => TbKind::Wdl.raw_bytes(self.slots_of_part(block, part)),
                coded => usize::from(coded),
            };
            let (digits, after) = rest.split_at_checked(bytes).ok_or_else(wrong)?;
            visit(part, length, digits)?;
            rest = after;
        }
        if rest.is_empty() { Ok(()) } else { Err(wrong()) }
    }

    fn slots_of_part(&self, block: usize, part: usize) -> usize {
        (self.header.slots_of(block) - part * PART_SLOTS).min(PART_SLOTS)
    }

    /// Decodes one part of a block into `results`. `features` is memory to be used again.
    fn decode_part(
        &self,
        features: &mut Features<'_>,
        geometry: Geometry,
        (block, part): (usize, usize),
        length: u8,
        digits: &[u8],
        results: &mut [u8; PART_SLOTS],
    ) -> Result<(), TablebaseError> {
        let results = &mut results[..self.slots_of_part(block, part)];
        if length == PLAIN_PART {
            for (place, result) in results.iter_mut().enumerate() {
                *result = result_at(digits[place / 4], place);
            }
            return Ok(());
        }
        let first = block as u64 * u64::from(self.header.block_slots) + (part * PART_SLOTS) as u64;
        self.model()?.decode(features, self.header.sector, geometry, first, digits, results);
        Ok(())
    }

    /// Reads page `page` and checks it; `raw` receives its bytes as [`TbKind::raw_bytes`] counts them.
    ///
    /// Of a block with several pages only one is decoded.
    ///
    /// # Errors
    /// If the block cannot be read or is damaged.
    pub fn read_page(&self, page: usize, raw: &mut Vec<u8>) -> Result<(), TablebaseError> {
        let pages = (self.header.block_slots / self.header.page_slots()) as usize;
        let (block, wanted) = (page / pages, page % pages);
        let mut packed = Vec::new();
        let part = FilePart::Block(block);
        let Range { start, end } = self.extent(block)?;
        self.read_checked(part, start, end, &mut packed)?;
        match self.header.codec {
            Codec::Zstd => {
                raw.resize(self.header.kind.raw_bytes(self.header.slots_of(block)), 0);
                self.unpack(part, &packed[4..], raw)
            }
            Codec::Model(geometry) => self.parts(block, &packed[4..], |part, length, digits| {
                if part == wanted {
                    let (mut features, mut results) = (Features::new(None), [0; PART_SLOTS]);
                    self.decode_part(&mut features, geometry, (block, part), length, digits, &mut results)?;
                    pack_results(&results[..self.slots_of_part(block, part)], |result| result, raw);
                }
                Ok(())
            }),
        }
    }

    /// Reads block `block` into `values`, one byte a slot. `steps` are those of the sector, if known.
    pub(super) fn read_block(
        &self,
        steps: Option<&RowSteps>,
        block: usize,
        values: &mut [u8],
    ) -> Result<(), TablebaseError> {
        let is_sound = match self.header.codec {
            Codec::Zstd => {
                let mut raw = Vec::new();
                self.read_page(block, &mut raw)?;
                self.header.kind.decode(&raw, values)
            }
            Codec::Model(geometry) => {
                let mut packed = Vec::new();
                let Range { start, end } = self.extent(block)?;
                self.read_checked(FilePart::Block(block), start, end, &mut packed)?;
                let (mut features, mut results) = (Features::new(steps), [0; PART_SLOTS]);
                let mut is_sound = true;
                self.parts(block, &packed[4..], |part, length, digits| {
                    self.decode_part(&mut features, geometry, (block, part), length, digits, &mut results)?;
                    for (value, &result) in values[part * PART_SLOTS..].iter_mut().zip(&results) {
                        *value = RESULT_BYTES[usize::from(result & 3)];
                        is_sound &= result < 3;
                    }
                    Ok(())
                })?;
                is_sound
            }
        };
        if is_sound { Ok(()) } else { Err(self.damaged(Damage::BlockValue(block))) }
    }

    /// Reads the values of the whole sector, one byte a slot, and checks them against the checksum.
    ///
    /// # Errors
    /// If there is not enough memory, a block is damaged or the values are not those that were written.
    pub fn read_all(&self, threads: usize) -> Result<Vec<u8>, TablebaseError> {
        check_available(self.header.slots, 0).map_err(|why| {
            let cause = std::io::Error::new(std::io::ErrorKind::OutOfMemory, why);
            TablebaseError::io("unpack", &self.path)(cause)
        })?;
        let mut values = vec![0; self.header.slots as usize];
        let failure = Mutex::new(None);
        let chunks = values.chunks_mut(self.header.block_slots as usize).enumerate();
        let is_modelled = matches!(self.header.codec, Codec::Model(_));
        let steps = if is_modelled { RowSteps::new(self.header.sector) } else { None };
        crate::platform::parallel::each(threads, chunks, |(block, values)| {
            if let Err(error) = self.read_block(steps.as_ref(), block, values) {
                failure.lock().get_or_insert(error);
            }
        });
        if let Some(error) = failure.into_inner() {
            return Err(error);
        }
        let found = raw_hash(self.header.kind, &values);
        if found != self.header.raw_hash {
            let (part, expected) = (FilePart::Values, self.header.raw_hash);
            return Err(self.damaged(Damage::Checksum { part, found, expected }));
        }
        Ok(values)
    }
}

/// Checks that the model of a file is no longer than compression can make it.
fn check_model(header: &Header, found: u64) -> Result<(), Damage> {
    let most = header.most_bytes_of_model();
    if found > most { Err(Damage::Size { part: FilePart::Model, found, most }) } else { Ok(()) }
}

pub(super) fn block_checksum(packed: &[u8]) -> u32 {
    xxh3_64(packed) as u32
}

/// Returns the checksum of the values of a sector as this kind of file stores them before compression.
///
/// It does not depend on the size of blocks.
pub fn raw_hash(kind: TbKind, values: &[u8]) -> u64 {
    let mut hasher = Xxh3::new();
    let mut raw = Vec::new();
    for part in values.chunks(1 << 16) {
        kind.encode(part, &mut raw);
        hasher.update(&raw);
    }
    hasher.digest()
}
