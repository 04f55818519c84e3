//! The file of one sector: header, block index, compressed blocks with a checksum each. The layout is
//! documented in `docs/tablebases.md`.

use super::error::TablebaseError;
use super::index::Sector;
use super::value::{Value, Wdl};
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

const MAGIC: [u8; 8] = *b"MILLTBL\x1A";
const VERSION: u16 = 1;
const HEADER_BYTES: usize = 144;
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

/// How to compress a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packing {
    /// Slots of a block.
    pub block_slots: u32,
    /// Level of the compressor, 1 to 22.
    pub level: i32,
}

impl Packing {
    /// The usual setting: results in blocks that are decoded in some microseconds, since the search waits
    /// for them; distances, which only the root asks for, in larger ones.
    pub const fn usual(kind: Kind) -> Self {
        match kind {
            Kind::Wdl => Self { block_slots: 1 << 14, level: 3 },
            Kind::Distance => Self { block_slots: 1 << 16, level: 1 },
        }
    }
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
    /// Slots of every block but the last.
    pub block_slots: u32,
    /// Checksum of the raw table (XXH3, 64 bits).
    pub raw_hash: u64,
    /// Counts over the canonical positions.
    pub counts: Counts,
}

impl Header {
    fn blocks(&self) -> usize {
        self.slots.div_ceil(u64::from(self.block_slots)) as usize
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
        put(10, &[self.kind as u8, 1]);
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
        if bytes[11] != 1 {
            return Err(format!("uses codec {}, expected 1", bytes[11]));
        }
        let sector = Sector { own: bytes[12], theirs: bytes[13], own_hand: bytes[14], their_hand: bytes[15] };
        if sector.own > 12 || sector.theirs > 12 || sector.own + sector.theirs > 24 {
            return Err(format!("names sector {sector}, which does not exist"));
        }
        let plies = |at: usize| u32::try_from(word(at) as i32).ok();
        let header = Self {
            kind,
            fingerprint: long(16),
            sector,
            slots: long(24),
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
        if header.block_slots == 0 || header.block_slots > MAX_BLOCK_SLOTS {
            return Err(format!(
                "has blocks of {} slots, expected 1 to {MAX_BLOCK_SLOTS}",
                header.block_slots
            ));
        }
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

    /// The same for bytes in memory; `name` stands for the path in messages.
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
        if end != length || offsets.windows(2).any(|pair| pair[0] + 4 > pair[1]) {
            return Err(TablebaseError::damaged(path, format!("{length} bytes long, expected {end}")));
        }
        Ok(Self { path: path.to_owned(), header, offsets, source })
    }

    /// Number of blocks.
    pub fn blocks(&self) -> usize {
        self.header.blocks()
    }

    /// Length of the file in bytes.
    pub fn bytes(&self) -> u64 {
        self.offsets.last().copied().unwrap_or(0)
    }

    /// The file's path, or the name of the built-in table.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reads block `block` and checks it; `raw` receives its bytes as [`Kind::raw_bytes`] counts them.
    ///
    /// # Errors
    /// When the block cannot be read or its content is not what was written.
    pub fn read_raw(&self, block: usize, raw: &mut Vec<u8>) -> Result<(), TablebaseError> {
        let (start, end) = (self.offsets[block], self.offsets[block + 1]);
        let mut packed = vec![0; (end - start) as usize];
        self.source.read(start, &mut packed).map_err(TablebaseError::io("read", &self.path))?;
        let (stored, packed) = packed.split_at(4);
        let found = block_checksum(packed);
        if stored != found.to_le_bytes() {
            return Err(TablebaseError::damaged(
                &self.path,
                format!(
                    "block {block} has checksum {found:08x}, expected {:08x}",
                    u32::from_le_bytes(stored.try_into().unwrap_or_default())
                ),
            ));
        }
        let expected = self.header.kind.raw_bytes(self.header.slots_of(block));
        raw.resize(expected, 0);
        let unpacked = zstd::bulk::decompress_to_buffer(packed, raw.as_mut_slice());
        match unpacked {
            Ok(length) if length == expected => Ok(()),
            Ok(length) => Err(TablebaseError::damaged(
                &self.path,
                format!("block {block} holds {length} bytes, expected {expected}"),
            )),
            Err(cause) => {
                Err(TablebaseError::damaged(&self.path, format!("block {block} cannot be unpacked: {cause}")))
            }
        }
    }

    /// Reads block `block` into `values`, one byte a slot.
    ///
    /// # Errors
    /// As [`read_raw`](Self::read_raw).
    pub fn read_block(&self, block: usize, values: &mut [u8]) -> Result<(), TablebaseError> {
        let mut raw = Vec::new();
        self.read_raw(block, &mut raw)?;
        if self.header.kind.decode(&raw, values) {
            Ok(())
        } else {
            Err(TablebaseError::damaged(&self.path, format!("block {block} holds a value that is none")))
        }
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
    let mut packed: Vec<Vec<u8>> = vec![Vec::new(); blocks];
    let items = packed.iter_mut().zip(values.chunks(packing.block_slots as usize));
    let wrong = Mutex::new(None);
    let scratch = || (Vec::new(), zstd::bulk::Compressor::new(packing.level));
    super::work::share(threads, items, scratch, |(raw, compressor), (packed, values)| {
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
    for block in &packed {
        index.extend_from_slice(&offset.to_le_bytes());
        offset += 4 + block.len() as u64;
    }
    index.extend_from_slice(&offset.to_le_bytes());
    let mut head = header.to_bytes();
    let checksum = head_checksum(&head, &index);
    head[CHECKSUM_AT..].copy_from_slice(&checksum.to_le_bytes());

    let file = File::create(path).map_err(TablebaseError::io("create", path))?;
    let mut out = std::io::BufWriter::with_capacity(1 << 20, file);
    let mut hasher = Xxh3::new();
    let mut put = |bytes: &[u8]| {
        hasher.update(bytes);
        out.write_all(bytes).map_err(TablebaseError::io("write", path))
    };
    put(&head)?;
    put(&index)?;
    for block in &packed {
        put(&block_checksum(block).to_le_bytes())?;
        put(block)?;
    }
    let file = out.into_inner().map_err(|e| TablebaseError::io("write", path)(e.into_error()))?;
    file.sync_all().map_err(TablebaseError::io("sync", path))?;
    Ok(Written { header: *header, bytes: offset, file_hash: hasher.digest() })
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

/// Writes a small file whole: to a temporary name, synced, then renamed.
///
/// # Errors
/// When the folder cannot be written to.
pub fn replace(path: &Path, content: &[u8]) -> Result<(), TablebaseError> {
    let temporary = path.with_extension(format!("{}.tmp", std::process::id()));
    let write = || {
        let mut file = File::create(&temporary).map_err(TablebaseError::io("create", &temporary))?;
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
