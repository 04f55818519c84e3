//! The file of one sector: header, block index, compressed blocks with a checksum each. The layout is
//! documented in `docs/tablebases.md`.

use super::error::TablebaseError;
use super::game::Game;
use super::index::Sector;
use super::model::{self, Geometry, MODEL_BYTES, Model, PART_SLOTS};
use super::value::{Value, Wdl};
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock};
use std::time::Duration;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

const MAGIC: [u8; 8] = *b"MILLTBL\x1A";
const VERSION: u16 = 1;
const HEADER_BYTES: usize = 144;
/// Number of the codec whose blocks are Zstandard frames.
const ZSTD_CODEC: u8 = 1;
/// Number of the codec that uses a model. Number 2 was an earlier model, which is not read any more.
const MODEL_CODEC: u8 = 3;
/// Where the byte of the [`Geometry`] stands.
const GEOMETRY_AT: usize = 80;
/// Where the level of the compressor stands.
const LEVEL_AT: usize = 81;
/// Where the checksum of header and block index stands.
const CHECKSUM_AT: usize = 136;
/// The most slots a block may hold; a larger number in a file is damage.
const MAX_BLOCK_SLOTS: u32 = 1 << 24;

/// What a file stores about each slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// Win, draw or loss: two bits a slot.
    Wdl,
    /// The value with its distance: one byte a slot, see [`Value`].
    Distance,
}

impl Kind {
    /// Ending of the file name.
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Wdl => "wdl",
            Self::Distance => "dist",
        }
    }

    /// Bytes that `slots` slots take before compression.
    pub const fn raw_bytes(self, slots: usize) -> usize {
        match self {
            Self::Wdl => slots.div_ceil(4),
            Self::Distance => slots,
        }
    }

    /// Whether two slot values are the same to this kind of file.
    pub fn simplify(self, value: Value) -> Value {
        match (self, value.wdl()) {
            (Self::Distance, _) => value,
            (Self::Wdl, Wdl::Loss) => Value::LOST,
            (Self::Wdl, Wdl::Draw) => Value::DRAW,
            (Self::Wdl, Wdl::Win) => Value::WIN_NOW,
        }
    }

    /// The value in place `place` of a raw block, if there is one.
    #[inline]
    pub fn value_at(self, raw: &[u8], place: usize) -> Option<Value> {
        match self {
            Self::Distance => raw.get(place).map(|&byte| Value(byte)),
            Self::Wdl => match raw.get(place / 4)? >> (2 * (place % 4)) & 3 {
                0 => Some(Value::LOST),
                1 => Some(Value::DRAW),
                2 => Some(Value::WIN_NOW),
                _ => None,
            },
        }
    }

    fn encode(self, values: &[u8], raw: &mut Vec<u8>) {
        raw.clear();
        match self {
            Self::Distance => raw.extend_from_slice(values),
            Self::Wdl => raw.extend(values.chunks(4).map(|four| {
                four.iter().enumerate().fold(0, |byte, (i, &v)| byte | (Value(v).wdl() as u8) << (2 * i))
            })),
        }
    }

    /// Turns raw bytes into values; in a file without distances every win and loss is as near as can be.
    fn decode(self, raw: &[u8], values: &mut [u8]) -> bool {
        match self {
            Self::Distance => {
                values.copy_from_slice(raw);
                true
            }
            Self::Wdl => {
                const BYTES: [u8; 4] = [Value::LOST.0, Value::DRAW.0, Value::WIN_NOW.0, 1];
                let mut wrong = false;
                for (four, &byte) in values.chunks_mut(4).zip(raw) {
                    wrong |= byte & (byte >> 1) & 0x55 != 0;
                    for (i, value) in four.iter_mut().enumerate() {
                        *value = BYTES[(byte >> (2 * i) & 3) as usize];
                    }
                }
                !wrong
            }
        }
    }
}

/// Counts over the canonical positions of a sector.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Counts {
    /// Positions the mover wins.
    pub wins: u64,
    /// Positions the mover loses.
    pub losses: u64,
    /// Positions nobody can win.
    pub draws: u64,
    /// Plies of the longest win; none where distances are not known or nothing is won.
    pub longest_win: Option<u32>,
    /// Plies of the longest loss.
    pub longest_loss: Option<u32>,
}

impl Counts {
    /// Number of canonical positions.
    pub const fn canonical(&self) -> u64 {
        self.wins + self.losses + self.draws
    }

    /// Whether the longest distances are known.
    pub const fn has_distances(&self) -> bool {
        self.longest_win.is_some() || self.longest_loss.is_some()
    }
}

/// How the slots of a file are coded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Codec {
    /// Blocks are Zstandard frames.
    Zstd,
    /// Blocks are parts whose results are coded by a model of the sector; results only.
    Model(Geometry),
}

/// The length that stands for a part whose results take two bits each, since the model does not fit them.
const PLAIN_PART: u8 = u8::MAX;

/// How to compress a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packing {
    /// Slots of a block; a multiple of the slots of a part where those are coded by a model.
    pub block_slots: u32,
    /// Level of Zstandard, 1 to 22, where it is used.
    pub level: i32,
    /// How the slots are coded.
    pub codec: Codec,
}

impl Packing {
    /// Sectors with fewer slots are not worth a model of their own.
    const LEAST_MODELLED: u64 = 1 << 20;

    /// The usual setting: results by a model, in parts that are decoded in some microseconds, since the search
    /// waits for them; distances, which only the root asks for, by Zstandard in large blocks.
    pub fn usual(game: &Game, sector: Sector, kind: Kind) -> Self {
        match kind {
            Kind::Wdl if sector.slots() >= Self::LEAST_MODELLED => {
                let codec = Codec::Model(Geometry::new(game, sector));
                Self { block_slots: 1 << 16, level: 19, codec }
            }
            Kind::Wdl => Self { block_slots: 1 << 14, level: 19, codec: Codec::Zstd },
            Kind::Distance => Self { block_slots: 1 << 16, level: 1, codec: Codec::Zstd },
        }
    }

    /// Refuses what no file can have.
    ///
    /// # Errors
    /// A sentence that names what was found and what was expected.
    pub fn check(&self) -> Result<(), String> {
        let Self { block_slots, level, codec } = *self;
        if !(1..=22).contains(&level) {
            return Err(format!("level {level}, expected 1 to 22"));
        }
        check_blocks(block_slots, codec)
    }
}

/// Refuses sizes of blocks that no file can have.
fn check_blocks(slots: u32, codec: Codec) -> Result<(), String> {
    if slots == 0 || slots > MAX_BLOCK_SLOTS {
        return Err(format!("blocks of {slots} slots, expected 1 to {MAX_BLOCK_SLOTS}"));
    }
    if matches!(codec, Codec::Model(_)) && !(slots as usize).is_multiple_of(PART_SLOTS) {
        return Err(format!("blocks of {slots} slots, expected a multiple of {PART_SLOTS} for results"));
    }
    Ok(())
}

/// What the head of a file says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// What is stored.
    pub kind: Kind,
    /// Fingerprint of the rules that the values hold for.
    pub fingerprint: u64,
    /// The sector.
    pub sector: Sector,
    /// Number of slots.
    pub slots: u64,
    /// How the slots are coded.
    pub codec: Codec,
    /// Level of Zstandard with which the file was written; 0 in files of earlier versions, which do not tell.
    pub level: u8,
    /// Slots of every block but the last.
    pub block_slots: u32,
    /// Checksum of the raw table (XXH3, 64 bits).
    pub raw_hash: u64,
    /// Counts over the canonical positions.
    pub counts: Counts,
}

impl Header {
    /// Whether the file was written like this.
    pub fn is_packed(&self, packing: Packing) -> bool {
        let Packing { block_slots, level, codec } = packing;
        (self.block_slots, i32::from(self.level), self.codec) == (block_slots, level, codec)
    }

    fn blocks(&self) -> usize {
        self.slots.div_ceil(u64::from(self.block_slots)) as usize
    }

    /// Slots that are decoded together: those of a block, or of a part of it.
    pub fn page_slots(&self) -> u32 {
        match self.codec {
            Codec::Zstd => self.block_slots,
            Codec::Model(_) => PART_SLOTS as u32,
        }
    }

    /// Slots of block `block`.
    fn slots_of(&self, block: usize) -> usize {
        let first = block as u64 * u64::from(self.block_slots);
        (self.slots - first).min(u64::from(self.block_slots)) as usize
    }

    fn to_bytes(self) -> [u8; HEADER_BYTES] {
        let mut bytes = [0; HEADER_BYTES];
        let mut put = |at: usize, field: &[u8]| bytes[at..at + field.len()].copy_from_slice(field);
        put(0, &MAGIC);
        put(8, &VERSION.to_le_bytes());
        match self.codec {
            Codec::Zstd => put(10, &[self.kind as u8, ZSTD_CODEC]),
            Codec::Model(geometry) => {
                put(10, &[self.kind as u8, MODEL_CODEC]);
                put(GEOMETRY_AT, &[geometry.to_byte()]);
            }
        }
        put(LEVEL_AT, &[self.level]);
        let sector = self.sector;
        put(12, &[sector.own, sector.theirs, sector.own_hand, sector.their_hand]);
        put(16, &self.fingerprint.to_le_bytes());
        put(24, &self.slots.to_le_bytes());
        put(32, &self.block_slots.to_le_bytes());
        put(36, &(self.blocks() as u32).to_le_bytes());
        put(40, &self.raw_hash.to_le_bytes());
        put(48, &self.counts.wins.to_le_bytes());
        put(56, &self.counts.losses.to_le_bytes());
        put(64, &self.counts.draws.to_le_bytes());
        put(72, &self.counts.longest_win.map_or(-1, |plies| plies as i32).to_le_bytes());
        put(76, &self.counts.longest_loss.map_or(-1, |plies| plies as i32).to_le_bytes());
        bytes
    }

    fn from_bytes(bytes: &[u8; HEADER_BYTES]) -> Result<Self, String> {
        let word = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        let long = |at: usize| u64::from(word(at)) | u64::from(word(at + 4)) << 32;
        if bytes[..8] != MAGIC {
            return Err(format!("begins with {:02x?}, expected {MAGIC:02x?}", &bytes[..8]));
        }
        let version = u16::from_le_bytes([bytes[8], bytes[9]]);
        if version != VERSION {
            return Err(format!("has format version {version}, expected {VERSION}"));
        }
        let kind = match bytes[10] {
            0 => Kind::Wdl,
            1 => Kind::Distance,
            other => return Err(format!("stores values of kind {other}, expected 0 or 1")),
        };
        let codec = match bytes[11] {
            ZSTD_CODEC => Codec::Zstd,
            MODEL_CODEC if kind == Kind::Wdl => Codec::Model(Geometry::from_byte(bytes[GEOMETRY_AT])),
            other => {
                let expected = format!("expected {ZSTD_CODEC}, or {MODEL_CODEC} for results");
                return Err(format!("uses codec {other}, {expected}"));
            }
        };
        let sector = Sector { own: bytes[12], theirs: bytes[13], own_hand: bytes[14], their_hand: bytes[15] };
        if !sector.is_possible() {
            return Err(format!("names sector {sector}, which does not exist"));
        }
        let plies = |at: usize| u32::try_from(word(at) as i32).ok();
        let header = Self {
            kind,
            fingerprint: long(16),
            sector,
            slots: long(24),
            codec,
            level: bytes[LEVEL_AT],
            block_slots: word(32),
            raw_hash: long(40),
            counts: Counts {
                wins: long(48),
                losses: long(56),
                draws: long(64),
                longest_win: plies(72),
                longest_loss: plies(76),
            },
        };
        if header.slots != sector.slots() {
            return Err(format!("counts {} slots, expected {}", header.slots, sector.slots()));
        }
        check_blocks(header.block_slots, codec).map_err(|why| format!("has {why}"))?;
        if word(36) as usize != header.blocks() {
            return Err(format!("counts {} blocks, expected {}", word(36), header.blocks()));
        }
        Ok(header)
    }
}

/// Where a file's bytes come from.
enum Source {
    File(File),
    Memory(&'static [u8]),
}

impl Source {
    fn len(&self) -> std::io::Result<u64> {
        match self {
            Self::File(file) => Ok(file.metadata()?.len()),
            Self::Memory(bytes) => Ok(bytes.len() as u64),
        }
    }

    fn read(&self, at: u64, buffer: &mut [u8]) -> std::io::Result<()> {
        match self {
            #[cfg(unix)]
            Self::File(file) => std::os::unix::fs::FileExt::read_exact_at(file, buffer, at),
            #[cfg(not(unix))]
            Self::File(file) => {
                use std::io::{Read, Seek, SeekFrom};
                let mut file = file.try_clone()?;
                file.seek(SeekFrom::Start(at))?;
                file.read_exact(buffer)
            }
            Self::Memory(bytes) => {
                let end = at + buffer.len() as u64;
                let part = bytes.get(at as usize..end as usize).ok_or(std::io::ErrorKind::UnexpectedEof)?;
                buffer.copy_from_slice(part);
                Ok(())
            }
        }
    }
}

/// An open file of one sector.
pub struct TableFile {
    path: PathBuf,
    /// What the head of the file says.
    pub header: Header,
    /// Start of each block, and the end of the last.
    offsets: Vec<u64>,
    source: Source,
    /// The model of a file that has one, once it was needed.
    model: OnceLock<Model>,
}

impl TableFile {
    /// Opens a file and checks its header and block index, not its blocks.
    ///
    /// # Errors
    /// When the file cannot be read, or is not a sound table.
    pub fn open(path: &Path) -> Result<Self, TablebaseError> {
        let file = File::open(path).map_err(TablebaseError::io("open", path))?;
        Self::from_source(path, Source::File(file))
    }

    /// Opens the file of a sector in a folder, which has to be one of `game`.
    ///
    /// # Errors
    /// As [`open`](Self::open); and when there is no such file, or it does not fit.
    pub fn open_in(folder: &Path, game: &Game, sector: Sector, kind: Kind) -> Result<Self, TablebaseError> {
        let path = folder.join(file_name(sector, kind));
        if !path.exists() {
            return Err(TablebaseError::Missing(path));
        }
        let table = Self::open(&path)?;
        table.check_fit(game)?;
        Ok(table)
    }

    /// The same as [`open`](Self::open) for bytes in memory; `name` stands for the path in messages.
    ///
    /// # Errors
    /// When the bytes are not a sound table.
    pub fn from_memory(name: &str, bytes: &'static [u8]) -> Result<Self, TablebaseError> {
        Self::from_source(Path::new(name), Source::Memory(bytes))
    }

    fn from_source(path: &Path, source: Source) -> Result<Self, TablebaseError> {
        let length = source.len().map_err(TablebaseError::io("read", path))?;
        if length < HEADER_BYTES as u64 {
            return Err(TablebaseError::damaged(
                path,
                format!("{length} bytes long, expected at least {HEADER_BYTES}"),
            ));
        }
        let mut head = [0; HEADER_BYTES];
        source.read(0, &mut head).map_err(TablebaseError::io("read", path))?;
        let header = Header::from_bytes(&head).map_err(|why| TablebaseError::damaged(path, why))?;
        let index_bytes = 8 * (header.blocks() + 1);
        if length < (HEADER_BYTES + index_bytes) as u64 {
            return Err(TablebaseError::damaged(path, "ends within its block index"));
        }
        let mut index = vec![0; index_bytes];
        source.read(HEADER_BYTES as u64, &mut index).map_err(TablebaseError::io("read", path))?;
        let stored = u64::from_le_bytes(head[CHECKSUM_AT..].try_into().unwrap_or_default());
        let found = head_checksum(&head, &index);
        if stored != found {
            return Err(TablebaseError::damaged(
                path,
                format!("header and block index have checksum {found:016x}, expected {stored:016x}"),
            ));
        }
        let offsets: Vec<u64> = index
            .chunks_exact(8)
            .map(|bytes| u64::from_le_bytes(bytes.try_into().unwrap_or_default()))
            .collect();
        let end = offsets.last().copied().unwrap_or(0);
        let begin = offsets[0] < (HEADER_BYTES + index_bytes) as u64;
        if end != length || begin || offsets.windows(2).any(|pair| pair[0] + 4 > pair[1]) {
            return Err(TablebaseError::damaged(path, format!("{length} bytes long, expected {end}")));
        }
        Ok(Self { path: path.to_owned(), header, offsets, source, model: OnceLock::new() })
    }

    /// Length of the file in bytes.
    pub fn bytes(&self) -> u64 {
        self.offsets.last().copied().unwrap_or(0)
    }

    /// The file's path, or the name of the built-in table.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Refuses a file of other rules than those of `game`, or with another content than its name says.
    ///
    /// # Errors
    /// When it is one.
    pub fn check_fit(&self, game: &Game) -> Result<(), TablebaseError> {
        let Header { sector, kind, fingerprint, .. } = self.header;
        let (name, expected) = (file_name(sector, kind), game.fingerprint(sector));
        let found = if fingerprint != expected {
            format!("made for rules with fingerprint {fingerprint:016x}, expected {expected:016x}")
        } else if self.path.file_name().is_none_or(|found| found != name.as_str()) {
            format!("holds what should be named {name}")
        } else {
            return Ok(());
        };
        Err(TablebaseError::Foreign { path: self.path.clone(), found })
    }

    /// Reads the bytes from `start` to `end`, which begin with the checksum of the rest, and checks the rest.
    fn read_checked(
        &self,
        what: &str,
        start: u64,
        end: u64,
        packed: &mut Vec<u8>,
    ) -> Result<(), TablebaseError> {
        packed.resize((end - start) as usize, 0);
        self.source.read(start, packed).map_err(TablebaseError::io("read", &self.path))?;
        let found = block_checksum(&packed[4..]).to_le_bytes();
        if packed[..4] != found {
            let [stored, found] = [packed.first_chunk().copied().unwrap_or_default(), found];
            return Err(self.damaged(format!(
                "{what} has checksum {:08x}, expected {:08x}",
                u32::from_le_bytes(found),
                u32::from_le_bytes(stored)
            )));
        }
        Ok(())
    }

    fn damaged(&self, why: impl Into<String>) -> TablebaseError {
        TablebaseError::damaged(&self.path, why)
    }

    fn unpack(&self, what: &str, packed: &[u8], raw: &mut [u8]) -> Result<(), TablebaseError> {
        match zstd::bulk::decompress_to_buffer(packed, raw) {
            Ok(length) if length == raw.len() => Ok(()),
            Ok(length) => Err(self.damaged(format!("{what} holds {length} bytes, expected {}", raw.len()))),
            Err(cause) => Err(self.damaged(format!("{what} cannot be unpacked: {cause}"))),
        }
    }

    /// The model of the file, read when it is first asked for.
    fn model(&self) -> Result<&Model, TablebaseError> {
        if let Some(model) = self.model.get() {
            return Ok(model);
        }
        let start = (HEADER_BYTES + 8 * self.offsets.len()) as u64;
        if start + 4 > self.offsets[0] {
            return Err(self.damaged("has no model"));
        }
        let (mut packed, mut bytes) = (Vec::new(), vec![0; MODEL_BYTES]);
        self.read_checked("the model", start, self.offsets[0], &mut packed)?;
        self.unpack("the model", &packed[4..], &mut bytes)?;
        Ok(self.model.get_or_init(|| Model::from_bytes(&bytes)))
    }

    /// Where the parts of a block lie in it, from the list of their lengths; calls `visit` for each.
    fn parts(
        &self,
        block: usize,
        packed: &[u8],
        mut visit: impl FnMut(usize, u8, &[u8]) -> Result<(), TablebaseError>,
    ) -> Result<(), TablebaseError> {
        let count = self.header.slots_of(block).div_ceil(PART_SLOTS);
        let wrong = || self.damaged(format!("block {block} does not hold the parts it lists"));
        let (lengths, mut rest) = packed.split_at_checked(count).ok_or_else(wrong)?;
        for (part, &length) in lengths.iter().enumerate() {
            let bytes = match length {
                PLAIN_PART => Kind::Wdl.raw_bytes(self.slots_of_part(block, part)),
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

    /// Decodes one part of a block into `results`.
    fn decode_part(
        &self,
        geometry: Geometry,
        (block, part): (usize, usize),
        length: u8,
        digits: &[u8],
        results: &mut [u8; PART_SLOTS],
    ) -> Result<(), TablebaseError> {
        let results = &mut results[..self.slots_of_part(block, part)];
        if length == PLAIN_PART {
            for (place, result) in results.iter_mut().enumerate() {
                *result = digits[place / 4] >> (2 * (place % 4)) & 3;
            }
            return Ok(());
        }
        let first = block as u64 * u64::from(self.header.block_slots) + (part * PART_SLOTS) as u64;
        self.model()?.decode(self.header.sector, geometry, first, digits, results);
        Ok(())
    }

    /// Reads page `page` and checks it; `raw` receives its bytes as [`Kind::raw_bytes`] counts them. Of a block with
    /// several pages only one is decoded.
    ///
    /// # Errors
    /// When the block cannot be read or its content is not what was written.
    pub fn read_page(&self, page: usize, raw: &mut Vec<u8>) -> Result<(), TablebaseError> {
        let pages = (self.header.block_slots / self.header.page_slots()) as usize;
        let (block, wanted) = (page / pages, page % pages);
        let mut packed = Vec::new();
        let what = format!("block {block}");
        self.read_checked(&what, self.offsets[block], self.offsets[block + 1], &mut packed)?;
        match self.header.codec {
            Codec::Zstd => {
                raw.resize(self.header.kind.raw_bytes(self.header.slots_of(block)), 0);
                self.unpack(&what, &packed[4..], raw)
            }
            Codec::Model(geometry) => self.parts(block, &packed[4..], |part, length, digits| {
                if part == wanted {
                    let mut results = [0; PART_SLOTS];
                    self.decode_part(geometry, (block, part), length, digits, &mut results)?;
                    pack_results(&results[..self.slots_of_part(block, part)], raw);
                }
                Ok(())
            }),
        }
    }

    /// Reads block `block` into `values`, one byte a slot.
    ///
    /// # Errors
    /// As [`read_page`](Self::read_page).
    pub fn read_block(&self, block: usize, values: &mut [u8]) -> Result<(), TablebaseError> {
        let is_sound = match self.header.codec {
            Codec::Zstd => {
                let mut raw = Vec::new();
                self.read_page(block, &mut raw)?;
                self.header.kind.decode(&raw, values)
            }
            Codec::Model(geometry) => {
                const VALUES: [u8; 4] = [Value::LOST.0, Value::DRAW.0, Value::WIN_NOW.0, 0];
                let mut packed = Vec::new();
                let what = format!("block {block}");
                self.read_checked(&what, self.offsets[block], self.offsets[block + 1], &mut packed)?;
                let mut results = [0; PART_SLOTS];
                let mut is_sound = true;
                self.parts(block, &packed[4..], |part, length, digits| {
                    self.decode_part(geometry, (block, part), length, digits, &mut results)?;
                    for (value, &result) in values[part * PART_SLOTS..].iter_mut().zip(&results) {
                        *value = VALUES[usize::from(result & 3)];
                        is_sound &= result < 3;
                    }
                    Ok(())
                })?;
                is_sound
            }
        };
        if is_sound { Ok(()) } else { Err(self.damaged(format!("block {block} holds a value that is none"))) }
    }

    /// Reads the whole table, one byte a slot, and checks it against the checksum of the raw table.
    ///
    /// # Errors
    /// When a block is damaged or the table is not the one that was written.
    pub fn read_all(&self, threads: usize) -> Result<Vec<u8>, TablebaseError> {
        let mut values = vec![0; self.header.slots as usize];
        let failure = Mutex::new(None);
        let chunks = values.chunks_mut(self.header.block_slots as usize).enumerate();
        super::work::share(
            threads,
            chunks,
            || (),
            |(), (block, values)| {
                if let Err(error) = self.read_block(block, values)
                    && let Ok(mut failure) = failure.lock()
                {
                    failure.get_or_insert(error);
                }
            },
        );
        if let Some(error) = failure.into_inner().unwrap_or(None) {
            return Err(error);
        }
        let found = raw_hash(self.header.kind, &values);
        if found != self.header.raw_hash {
            return Err(TablebaseError::damaged(
                &self.path,
                format!("the table has checksum {found:016x}, expected {:016x}", self.header.raw_hash),
            ));
        }
        Ok(values)
    }
}

/// Puts results, 0 to 2, into two bits each.
fn pack_results(results: &[u8], raw: &mut Vec<u8>) {
    raw.clear();
    raw.extend(results.chunks(4).map(|four| four.iter().rev().fold(0, |byte, &result| byte << 2 | result)));
}

fn head_checksum(head: &[u8; HEADER_BYTES], index: &[u8]) -> u64 {
    let mut hasher = Xxh3::new();
    hasher.update(&head[..CHECKSUM_AT]);
    hasher.update(index);
    hasher.digest()
}

fn block_checksum(packed: &[u8]) -> u32 {
    xxh3_64(packed) as u32
}

/// Checksum of a whole table as a file of this kind stores it before compression, whatever its blocks.
pub fn raw_hash(kind: Kind, values: &[u8]) -> u64 {
    let mut hasher = Xxh3::new();
    let mut raw = Vec::new();
    for part in values.chunks(1 << 16) {
        kind.encode(part, &mut raw);
        hasher.update(&raw);
    }
    hasher.digest()
}

/// A finished table.
#[derive(Clone, Copy)]
pub struct Content<'a> {
    /// The sector.
    pub sector: Sector,
    /// Fingerprint of its rules.
    pub fingerprint: u64,
    /// The values, one byte a slot.
    pub values: &'a [u8],
    /// Counts over its canonical positions.
    pub counts: Counts,
}

/// Writes a table as a file of one kind in `folder`: to a temporary name, synced, then renamed.
///
/// # Errors
/// When the folder cannot be written to.
pub fn write(
    folder: &Path,
    kind: Kind,
    content: Content<'_>,
    packing: Packing,
    threads: usize,
) -> Result<Written, TablebaseError> {
    let Content { sector, fingerprint, values, counts } = content;
    let header = Header {
        kind,
        fingerprint,
        sector,
        slots: values.len() as u64,
        codec: packing.codec,
        level: packing.level as u8,
        block_slots: packing.block_slots,
        raw_hash: raw_hash(kind, values),
        counts,
    };
    debug_assert_eq!(header.slots, sector.slots(), "a table has one byte a slot");
    let path = folder.join(file_name(sector, kind));
    let temporary = folder.join(format!("{}.{}.tmp", file_name(sector, kind), std::process::id()));
    let result = write_blocks(&temporary, &header, values, packing, threads).and_then(|written| {
        std::fs::rename(&temporary, &path).map_err(TablebaseError::io("rename to", &path))?;
        sync_folder(folder)?;
        Ok(written)
    });
    if result.is_err() {
        // Nothing to be done if this fails too: the name says that it is a leftover.
        let _ = std::fs::remove_file(&temporary);
    }
    result
}

/// What was written.
#[derive(Clone, Copy, Debug)]
pub struct Written {
    /// The head of the file.
    pub header: Header,
    /// Length of the file.
    pub bytes: u64,
    /// Hash of the whole file (XXH3, 64 bits).
    pub file_hash: u64,
}

fn write_blocks(
    path: &Path,
    header: &Header,
    values: &[u8],
    packing: Packing,
    threads: usize,
) -> Result<Written, TablebaseError> {
    let blocks = header.blocks();
    let failure = |cause| TablebaseError::Io { doing: "compress to", path: path.to_owned(), cause };
    let model = match packing.codec {
        Codec::Zstd => None,
        Codec::Model(geometry) => {
            let result = |slot: u64| Value(values[slot as usize]).wdl() as u8;
            Some((geometry, model::train(header.sector, geometry, threads, result)))
        }
    };
    let packed_model = match &model {
        Some((_, bytes)) => zstd::bulk::compress(bytes, packing.level).map_err(failure)?,
        None => Vec::new(),
    };
    let model = model.map(|(geometry, bytes)| (geometry, Model::from_bytes(&bytes)));
    let mut packed: Vec<Vec<u8>> = vec![Vec::new(); blocks];
    let items = packed.iter_mut().zip(values.chunks(packing.block_slots as usize)).enumerate();
    let wrong = Mutex::new(None);
    let scratch = || (Vec::new(), zstd::bulk::Compressor::new(packing.level));
    super::work::share(threads, items, scratch, |(raw, compressor), (block, (packed, values))| {
        if let Some((geometry, model)) = &model {
            let first = block as u64 * u64::from(packing.block_slots);
            *packed = code_parts(header.sector, *geometry, model, first, values);
            return;
        }
        header.kind.encode(values, raw);
        let result = match compressor {
            Ok(compressor) => compressor.compress(raw),
            Err(cause) => Err(std::io::Error::new(cause.kind(), cause.to_string())),
        };
        match result {
            Ok(bytes) => *packed = bytes,
            Err(cause) => {
                if let Ok(mut wrong) = wrong.lock() {
                    *wrong = Some(cause);
                }
            }
        }
    });
    if let Some(cause) = wrong.into_inner().unwrap_or(None) {
        return Err(failure(cause));
    }
    let mut index = Vec::with_capacity(8 * (blocks + 1));
    let mut offset = (HEADER_BYTES + 8 * (blocks + 1)) as u64;
    if model.is_some() {
        offset += 4 + packed_model.len() as u64;
    }
    for block in &packed {
        index.extend_from_slice(&offset.to_le_bytes());
        offset += 4 + block.len() as u64;
    }
    index.extend_from_slice(&offset.to_le_bytes());
    let mut head = header.to_bytes();
    let checksum = head_checksum(&head, &index);
    head[CHECKSUM_AT..].copy_from_slice(&checksum.to_le_bytes());

    let file = create_temporary(path)?;
    let mut out = std::io::BufWriter::with_capacity(1 << 20, file);
    let mut hasher = Xxh3::new();
    let mut put = |bytes: &[u8]| {
        hasher.update(bytes);
        out.write_all(bytes).map_err(TablebaseError::io("write", path))
    };
    put(&head)?;
    put(&index)?;
    for block in model.is_some().then_some(&packed_model).into_iter().chain(&packed) {
        put(&block_checksum(block).to_le_bytes())?;
        put(block)?;
    }
    let file = out.into_inner().map_err(|e| TablebaseError::io("write", path)(e.into_error()))?;
    file.sync_all().map_err(TablebaseError::io("sync", path))?;
    Ok(Written { header: *header, bytes: offset, file_hash: hasher.digest() })
}

/// The lengths of the parts of a block, and the parts.
fn code_parts(sector: Sector, geometry: Geometry, model: &Model, first: u64, values: &[u8]) -> Vec<u8> {
    let (mut lengths, mut parts) = (Vec::new(), Vec::new());
    let mut results = Vec::with_capacity(PART_SLOTS);
    let mut plain = Vec::new();
    for (first, values) in (first..).step_by(PART_SLOTS).zip(values.chunks(PART_SLOTS)) {
        results.clear();
        results.extend(values.iter().map(|&value| Value(value).wdl() as u8));
        let digits = model.encode(sector, geometry, first, &results);
        match u8::try_from(digits.len()) {
            Ok(length) if length != PLAIN_PART => {
                lengths.push(length);
                parts.extend_from_slice(&digits);
            }
            _ => {
                lengths.push(PLAIN_PART);
                pack_results(&results, &mut plain);
                parts.extend_from_slice(&plain);
            }
        }
    }
    lengths.extend_from_slice(&parts);
    lengths
}

/// Makes a rename in `folder` last through a power failure, where the system allows it.
fn sync_folder(folder: &Path) -> Result<(), TablebaseError> {
    #[cfg(unix)]
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(TablebaseError::io("sync", folder))?;
    #[cfg(not(unix))]
    let _ = folder;
    Ok(())
}

/// Name of the file of a sector, as `3_3_0_0.wdl`.
pub fn file_name(sector: Sector, kind: Kind) -> String {
    format!("{sector}.{}", kind.extension())
}

/// The sector and the kind of file that a name stands for.
pub fn parse_name(name: &str) -> Option<(Sector, Kind)> {
    let (numbers, extension) = name.split_once('.')?;
    let kind = [Kind::Wdl, Kind::Distance].into_iter().find(|kind| kind.extension() == extension)?;
    let numbers: Option<Vec<u8>> = numbers.split('_').map(|number| number.parse().ok()).collect();
    let &[own, theirs, own_hand, their_hand] = numbers?.as_slice() else { return None };
    let sector = Sector { own, theirs, own_hand, their_hand };
    // As written, and not as `03_3_0_0.wdl`.
    (sector.is_possible() && file_name(sector, kind) == name).then_some((sector, kind))
}

/// The files of a folder whose names end as those of tables do, sorted.
///
/// # Errors
/// When the folder cannot be read.
pub fn table_files(folder: &Path) -> Result<Vec<PathBuf>, TablebaseError> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(TablebaseError::io("read folder", folder))? {
        let path = entry.map_err(TablebaseError::io("read folder", folder))?.path();
        let extension = path.extension().and_then(|extension| extension.to_str());
        if extension.is_some_and(|e| e == Kind::Wdl.extension() || e == Kind::Distance.extension()) {
            names.push(path);
        }
    }
    names.sort();
    Ok(names)
}

/// Writes a small file whole: to a temporary name, synced, then renamed.
///
/// # Errors
/// When the folder cannot be written to.
pub fn replace(path: &Path, content: &[u8]) -> Result<(), TablebaseError> {
    let temporary = path.with_extension(format!("{}.tmp", std::process::id()));
    let write = || {
        let mut file = create_temporary(&temporary)?;
        file.write_all(content)
            .and_then(|()| file.sync_all())
            .map_err(TablebaseError::io("write", &temporary))?;
        std::fs::rename(&temporary, path).map_err(TablebaseError::io("rename to", path))
    };
    write().inspect_err(|_| {
        // Nothing to be done if this fails too: the name says that it is a leftover.
        let _ = std::fs::remove_file(&temporary);
    })?;
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).map_or(Ok(()), sync_folder)
}

/// Creates a temporary file and locks it for as long as it is open, so that it can be told from the leftover of a
/// process that was killed.
fn create_temporary(path: &Path) -> Result<File, TablebaseError> {
    let file = File::create(path).map_err(TablebaseError::io("create", path))?;
    // Where the file system knows no locks, leftovers are told by their age alone.
    let _ = fs4::FileExt::try_lock(&file);
    Ok(file)
}

/// Temporary files that nobody has written to for so long may be leftovers; it covers the moment between creating
/// and locking one.
const LEFTOVER_AGE: Duration = Duration::from_secs(60);

/// Removes the temporary files that killed processes left in `folder`; returns how many there were.
///
/// # Errors
/// When the folder cannot be read.
pub fn remove_leftovers(folder: &Path) -> Result<usize, TablebaseError> {
    let mut removed = 0;
    for entry in std::fs::read_dir(folder).map_err(TablebaseError::io("read folder", folder))? {
        let path = entry.map_err(TablebaseError::io("read folder", folder))?.path();
        if !is_temporary(&path) {
            continue;
        }
        // Another process may remove or rename it meanwhile.
        let Ok(file) = File::open(&path) else { continue };
        let age = file.metadata().and_then(|data| data.modified()).ok().and_then(|time| time.elapsed().ok());
        let is_left = fs4::FileExt::try_lock(&file).is_ok();
        if age.is_some_and(|age| age >= LEFTOVER_AGE) && is_left && std::fs::remove_file(&path).is_ok() {
            removed += 1;
        }
    }
    Ok(removed)
}

/// Whether a name is one that [`write`] or [`replace`] gives to a file that is not finished: `NAME.PROCESS.tmp`.
fn is_temporary(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let Some((name, process)) = name.strip_suffix(".tmp").and_then(|name| name.rsplit_once('.')) else {
        return false;
    };
    let is_ours = name == "manifest"
        || [Kind::Wdl, Kind::Distance]
            .iter()
            .any(|kind| name.strip_suffix(kind.extension()).is_some_and(|name| name.ends_with('.')));
    is_ours && process.parse::<u32>().is_ok()
}

/// Hash of a whole file, as the manifest holds it.
///
/// # Errors
/// When the file cannot be read.
pub fn hash_file(path: &Path) -> Result<u64, TablebaseError> {
    use std::io::Read;
    let mut file = File::open(path).map_err(TablebaseError::io("open", path))?;
    let mut hasher = Xxh3::new();
    let mut buffer = vec![0; 1 << 20];
    loop {
        let read = file.read(&mut buffer).map_err(TablebaseError::io("read", path))?;
        if read == 0 {
            return Ok(hasher.digest());
        }
        hasher.update(&buffer[..read]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::SystemTime;

    #[test]
    fn leftovers_of_killed_processes_go_and_nothing_else() {
        let folder = std::env::temp_dir().join(format!("millstone-leftovers-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let old = SystemTime::now() - 2 * LEFTOVER_AGE;
        let make = |name: &str, is_old: bool| {
            let file = create_temporary(&folder.join(name)).expect("a file");
            if is_old {
                file.set_modified(old).expect("a time");
            }
            file
        };
        let written = make("4_3_0_0.wdl.1.tmp", true);
        for name in ["3_3_0_0.wdl.77.tmp", "3_3_0_0.dist.78.tmp", "manifest.79.tmp"] {
            make(name, true);
        }
        for name in ["3_4_0_0.wdl", "notes.tmp", "notes.5.tmp", "3_3_0_0.wdl.x.tmp"] {
            make(name, true);
        }
        make("5_3_0_0.wdl.80.tmp", false);
        assert_eq!(remove_leftovers(&folder).expect("a folder"), 3);
        assert_eq!(std::fs::read_dir(&folder).expect("a folder").count(), 6);
        drop(written);
        assert_eq!(remove_leftovers(&folder).expect("a folder"), 1);
        std::fs::remove_dir_all(&folder).expect("removed");
    }

    #[test]
    fn results_that_no_model_foresees_are_stored_plainly() {
        let folder = std::env::temp_dir().join(format!("millstone-plain-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let sector = Sector::moving(3, 4);
        let mut state = 1u64;
        let bytes = [Value::LOST.0, Value::DRAW.0, Value::WIN_NOW.0];
        let values: Vec<u8> = (0..sector.slots())
            .map(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                bytes[(state >> 33) as usize % 3]
            })
            .collect();
        let content = Content { sector, fingerprint: 1, values: &values, counts: Counts::default() };
        let geometry = Geometry { diagonals: false, own_anywhere: true, theirs_anywhere: false };
        let packing = Packing { block_slots: 2048, level: 3, codec: Codec::Model(geometry) };
        write(&folder, Kind::Wdl, content, packing, 2).expect("written");
        let table = TableFile::open(&folder.join(file_name(sector, Kind::Wdl))).expect("a table");
        assert_eq!(table.header.codec, packing.codec);
        assert!(table.read_all(2).expect("read") == values);
        let mut raw = Vec::new();
        for page in [0, 1, 7, table.header.slots as usize / PART_SLOTS] {
            table.read_page(page, &mut raw).expect("a page");
            for (place, &value) in values[page * PART_SLOTS..].iter().take(PART_SLOTS).enumerate() {
                assert_eq!(Kind::Wdl.value_at(&raw, place), Some(Value(value)));
            }
        }
        std::fs::remove_dir_all(&folder).expect("removed");
    }
}
