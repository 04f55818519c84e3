//! The header of a tablebase file: kind of values, rules, sector, codec, counts. The layout is documented in
//! `docs/tables-format.md`.

use super::game::SolvedGame;
use super::index::{Index, Sector};
use super::model::{Geometry, MODEL_BYTES, PART_SLOTS};
use super::value::{TbValue, Wdl};
use crate::platform::packing::longest_packed;
use crate::platform::parallel::share;
use std::fmt;
use std::ops::AddAssign;

const MAGIC: [u8; 8] = *b"MILLTBL\x1A";
const VERSION: u16 = 1;
pub(super) const HEADER_BYTES: usize = 144;

/// The value bytes of the results 0 to 2: loss, draw, win. No file holds a result of 3.
pub(super) const RESULT_BYTES: [u8; 4] = [TbValue::LOST.0, TbValue::DRAW.0, TbValue::WIN_NOW.0, 0];
/// Number of the codec whose blocks are Zstandard frames.
const ZSTD_CODEC: u8 = 1;
/// Number of the codec that uses a model. Every other number is refused.
const MODEL_CODEC: u8 = 3;
/// Offset of the byte of the [`Geometry`].
const GEOMETRY_AT: usize = 80;
/// Offset of the level of the compressor.
const LEVEL_AT: usize = 81;
/// Offset of the checksum of header and block index.
pub(super) const CHECKSUM_AT: usize = 136;
/// The maximum number of slots of a block; a larger number in a file is damage.
const MAX_BLOCK_SLOTS: u32 = 1 << 24;
/// The maximum number of blocks of a file. Each takes 8 bytes of memory while the file is open.
const MAX_BLOCKS: u64 = 1 << 20;

/// The kind of values that a file stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub enum TbKind {
    /// Win, draw or loss: two bits a slot.
    Wdl,
    /// The value with its distance: one byte a slot, see [`TbValue`].
    Distance,
}

impl TbKind {
    /// Ending of the file name.
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Wdl => "wdl",
            Self::Distance => "dist",
        }
    }

    /// Number of bytes that `slots` slots need before compression.
    pub const fn raw_bytes(self, slots: usize) -> usize {
        match self {
            Self::Wdl => slots.div_ceil(4),
            Self::Distance => slots,
        }
    }

    /// Returns the value as this kind of file stores it: results drop the distance.
    pub fn simplify(self, value: TbValue) -> TbValue {
        match self {
            Self::Distance => value,
            Self::Wdl => TbValue(RESULT_BYTES[value.wdl() as usize]),
        }
    }

    /// Returns the value in place `place` of a raw block; `None` after its end, or if that is no value.
    #[inline]
    pub fn value_at(self, raw: &[u8], place: usize) -> Option<TbValue> {
        match self {
            Self::Distance => {
                raw.get(place).map(|&byte| TbValue(byte)).filter(|&value| value != TbValue::TOO_LONG)
            }
            Self::Wdl => {
                let result = result_at(*raw.get(place / 4)?, place);
                (result < 3).then(|| TbValue(RESULT_BYTES[usize::from(result)]))
            }
        }
    }

    pub(in crate::tablebase) fn encode(self, values: &[u8], raw: &mut Vec<u8>) {
        match self {
            Self::Distance => {
                raw.clear();
                raw.extend_from_slice(values);
            }
            Self::Wdl => pack_results(values, |value| TbValue(value).wdl() as u8, raw),
        }
    }

    /// Turns raw bytes into values. In a file without distances every win and loss gets the shortest
    /// distance. Returns false if a byte is no value: if a result is 3, or a distance too long.
    pub(in crate::tablebase) fn decode(self, raw: &[u8], values: &mut [u8]) -> bool {
        match self {
            Self::Distance => {
                values.copy_from_slice(raw);
                !raw.contains(&TbValue::TOO_LONG.0)
            }
            Self::Wdl => {
                let mut wrong = false;
                for (four, &byte) in values.chunks_mut(4).zip(raw) {
                    wrong |= byte & (byte >> 1) & 0x55 != 0;
                    for (place, value) in four.iter_mut().enumerate() {
                        *value = RESULT_BYTES[usize::from(result_at(byte, place))];
                    }
                }
                !wrong
            }
        }
    }
}

/// Returns the result in place `place` of a raw block, of which `byte` is the byte with number `place / 4`.
#[inline(always)]
pub(super) const fn result_at(byte: u8, place: usize) -> u8 {
    byte >> (2 * (place % 4)) & 3
}

/// Puts the results of `values`, 0 to 2, into two bits each.
pub(super) fn pack_results(values: &[u8], result: impl Fn(u8) -> u8, raw: &mut Vec<u8>) {
    raw.clear();
    let pack = |four: &[u8]| four.iter().rev().fold(0, |byte, &value| byte << 2 | result(value));
    raw.extend(values.chunks(4).map(pack));
}

/// The counts of the canonical positions of a sector.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct SectorCounts {
    /// Positions the mover wins.
    pub wins: u64,
    /// Positions the mover loses.
    pub losses: u64,
    /// Positions that neither side can win.
    pub draws: u64,
    /// Plies of the longest win; `None` without distances or without a win.
    pub longest_win: Option<u32>,
    /// Plies of the longest loss.
    pub longest_loss: Option<u32>,
}

impl SectorCounts {
    /// Returns the counts of `tally`, the number of positions with each value byte.
    ///
    /// Sets the longest distances only if `exact`.
    pub fn from_tally(tally: &[u64; 256], exact: bool) -> Self {
        let mut counts = Self::default();
        for (byte, &positions) in (0..=u8::MAX).zip(tally) {
            let value = TbValue(byte);
            let plies = value.plies().filter(|_| exact && positions > 0);
            match value.wdl() {
                Wdl::Win => {
                    counts.wins += positions;
                    counts.longest_win = counts.longest_win.max(plies);
                }
                Wdl::Loss => {
                    counts.losses += positions;
                    counts.longest_loss = counts.longest_loss.max(plies);
                }
                Wdl::Draw => counts.draws += positions,
            }
        }
        counts
    }

    /// Number of canonical positions.
    pub const fn canonical(&self) -> u64 {
        self.wins + self.losses + self.draws
    }

    /// Returns true if the longest distances are stored.
    pub const fn has_distances(&self) -> bool {
        self.longest_win.is_some() || self.longest_loss.is_some()
    }
}

impl AddAssign for SectorCounts {
    /// Adds the counts; the longest distances are those of either.
    fn add_assign(&mut self, other: Self) {
        self.wins += other.wins;
        self.losses += other.losses;
        self.draws += other.draws;
        self.longest_win = self.longest_win.max(other.longest_win);
        self.longest_loss = self.longest_loss.max(other.longest_loss);
    }
}

/// Counts the results over the canonical positions of a sector; the longest distances only if `exact`.
pub fn count(sector: Sector, values: &[u8], exact: bool, threads: usize) -> SectorCounts {
    let length = sector.row_length();
    let stabilisers = &Index::get().classes(sector.own as usize).stabilisers;
    let rows = values.chunks_exact(length).zip(stabilisers).enumerate();
    let tallies = share(
        threads,
        rows,
        || [0u64; 256],
        |tally, (row, (values, stabiliser))| {
            let first = (row * length) as u64;
            for (slot, &value) in (first..).zip(values) {
                if stabiliser.count_ones() == 1 || sector.canonical(slot) == slot {
                    tally[value as usize] += 1;
                }
            }
        },
    );
    let positions = |byte: usize| tallies.iter().map(|tally| tally[byte]).sum();
    SectorCounts::from_tally(&std::array::from_fn(positions), exact)
}

/// The coding of the slots of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Codec {
    /// Blocks are Zstandard frames.
    Zstd,
    /// Blocks consist of parts, which a model of the sector codes. Only for results.
    Model(Geometry),
}

/// The settings of compression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packing {
    /// Slots of a block; with a model a multiple of the slots of a part.
    pub block_slots: u32,
    /// Level of Zstandard, 1 to 22, where it is used.
    pub level: i32,
    /// The coding of the slots.
    pub codec: Codec,
}

impl Packing {
    /// The minimum number of slots for a sector to have a model.
    const LEAST_MODELLED: u64 = 1 << 20;

    /// Returns the usual setting.
    ///
    /// Results are coded by a model, in parts that are decoded in a few microseconds, since the search waits
    /// for them. Distances are packed by Zstandard in large blocks, since only the root probes them.
    pub fn usual(game: &SolvedGame, sector: Sector, kind: TbKind) -> Self {
        match kind {
            TbKind::Wdl if sector.slots() >= Self::LEAST_MODELLED => {
                let codec = Codec::Model(Geometry::new(game, sector));
                Self { block_slots: 1 << 16, level: 19, codec }
            }
            TbKind::Wdl => Self { block_slots: 1 << 14, level: 19, codec: Codec::Zstd },
            TbKind::Distance => Self { block_slots: 1 << 16, level: 1, codec: Codec::Zstd },
        }
    }

    /// Checks that a file with this number of slots can have these settings.
    ///
    /// # Errors
    /// The impossible setting.
    pub(crate) fn check(&self, slots: u64) -> Result<(), PackingFault> {
        let Self { block_slots, level, codec } = *self;
        if !(1..=22).contains(&level) {
            return Err(PackingFault::Level(level));
        }
        check_blocks(slots, block_slots, codec)
    }
}

/// An impossible setting of compression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PackingFault {
    /// The level of Zstandard.
    Level(i32),
    /// The number of slots of a block.
    BlockSlots(u32),
    /// The number of slots of a block, which is not a multiple of those of a part.
    OddBlockSlots(u32),
    /// The number of blocks that follows from their slots.
    Blocks {
        /// The slots of a block.
        slots: u32,
        /// The number of blocks.
        blocks: u64,
    },
}

impl fmt::Display for PackingFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Level(level) => write!(f, "level {level}, expected 1 to 22"),
            Self::BlockSlots(slots) => {
                write!(f, "blocks of {slots} slots, expected 1 to {MAX_BLOCK_SLOTS}")
            }
            Self::OddBlockSlots(slots) => {
                write!(
                    f,
                    "blocks of {slots} slots, expected a multiple of {PART_SLOTS} for results with a model"
                )
            }
            Self::Blocks { slots, blocks } => {
                write!(f, "{blocks} blocks of {slots} slots, expected at most {MAX_BLOCKS} blocks")
            }
        }
    }
}

/// The fault of a header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeaderFault {
    /// It does not begin with the magic bytes.
    Magic([u8; 8]),
    /// The version of the format is not read by this program.
    Version(u16),
    /// There are no values of this kind.
    Kind(u8),
    /// There is no such codec for this kind of values.
    Codec(u8),
    /// There is no such sector.
    Sector(Sector),
    /// The number of slots is not that of the sector.
    Slots {
        /// The number in the header.
        found: u64,
        /// The number of the sector.
        expected: u64,
    },
    /// The blocks have an impossible size.
    Packing(PackingFault),
    /// The number of blocks does not follow from the slots.
    Blocks {
        /// The number in the header.
        found: u32,
        /// The number that follows.
        expected: usize,
    },
}

impl fmt::Display for HeaderFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Magic(found) => write!(f, "begins with {found:02x?}, expected {MAGIC:02x?}"),
            Self::Version(version) => write!(f, "has format version {version}, expected {VERSION}"),
            Self::Kind(kind) => write!(f, "stores values of kind {kind}, expected 0 or 1"),
            Self::Codec(codec) => {
                write!(f, "uses codec {codec}, expected {ZSTD_CODEC}, or {MODEL_CODEC} for results")
            }
            Self::Sector(sector) => write!(f, "names sector {sector}, which does not exist"),
            Self::Slots { found, expected } => write!(f, "counts {found} slots, expected {expected}"),
            Self::Packing(fault) => write!(f, "has {fault}"),
            Self::Blocks { found, expected } => write!(f, "counts {found} blocks, expected {expected}"),
        }
    }
}

/// Checks that a file of `all` slots can have blocks of `slots`.
fn check_blocks(all: u64, slots: u32, codec: Codec) -> Result<(), PackingFault> {
    if slots == 0 || slots > MAX_BLOCK_SLOTS {
        return Err(PackingFault::BlockSlots(slots));
    }
    if matches!(codec, Codec::Model(_)) && !(slots as usize).is_multiple_of(PART_SLOTS) {
        return Err(PackingFault::OddBlockSlots(slots));
    }
    let blocks = all.div_ceil(u64::from(slots));
    if blocks > MAX_BLOCKS {
        return Err(PackingFault::Blocks { slots, blocks });
    }
    Ok(())
}

/// The header of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// The kind of values.
    pub kind: TbKind,
    /// Fingerprint of the rules that the values hold for.
    pub fingerprint: u64,
    /// The sector.
    pub sector: Sector,
    /// Number of slots.
    pub slots: u64,
    /// The coding of the slots.
    pub codec: Codec,
    /// Level of Zstandard with which the file was written; 0 if unknown.
    pub level: u8,
    /// Slots of every block but the last.
    pub block_slots: u32,
    /// Checksum of the values before compression (XXH3, 64 bits).
    pub raw_hash: u64,
    /// The counts of the canonical positions.
    pub counts: SectorCounts,
}

impl Header {
    /// Returns true if the file was written with this packing.
    pub fn is_packed(&self, packing: Packing) -> bool {
        let Packing { block_slots, level, codec } = packing;
        (self.block_slots, i32::from(self.level), self.codec) == (block_slots, level, codec)
    }

    pub(super) fn blocks(&self) -> usize {
        self.slots.div_ceil(u64::from(self.block_slots)) as usize
    }

    /// Returns the place in the file where the block index ends.
    pub(super) fn index_end(&self) -> u64 {
        (HEADER_BYTES + 8 * (self.blocks() + 1)) as u64
    }

    /// Number of slots that are decoded together: those of a block, or with a model those of a part.
    pub fn page_slots(&self) -> u32 {
        match self.codec {
            Codec::Zstd => self.block_slots,
            Codec::Model(_) => PART_SLOTS as u32,
        }
    }

    /// Slots of block `block`.
    pub(super) fn slots_of(&self, block: usize) -> usize {
        let first = block as u64 * u64::from(self.block_slots);
        (self.slots - first).min(u64::from(self.block_slots)) as usize
    }

    /// The maximum length of block `block` in the file, with its checksum.
    pub(super) fn most_bytes_of(&self, block: usize) -> u64 {
        let slots = self.slots_of(block);
        let most = match self.codec {
            Codec::Zstd => longest_packed(self.kind.raw_bytes(slots)),
            // A part has one length byte, and is at most as long as its raw results.
            Codec::Model(_) => slots.div_ceil(PART_SLOTS) * (1 + self.kind.raw_bytes(PART_SLOTS)),
        };
        4 + most as u64
    }

    /// The most bytes that the model takes in the file, with its checksum; 0 without one.
    pub(super) fn most_bytes_of_model(&self) -> u64 {
        match self.codec {
            Codec::Zstd => 0,
            Codec::Model(_) => 4 + longest_packed(MODEL_BYTES) as u64,
        }
    }

    pub(super) fn to_bytes(self) -> [u8; HEADER_BYTES] {
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
        put(12, &self.sector.to_bytes());
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

    /// Reads a header.
    ///
    /// # Errors
    /// If a field has a value that this version does not know, or that contradicts another one.
    pub(super) fn from_bytes(bytes: &[u8; HEADER_BYTES]) -> Result<Self, HeaderFault> {
        let word = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        let long = |at: usize| u64::from(word(at)) | u64::from(word(at + 4)) << 32;
        let magic: [u8; 8] = std::array::from_fn(|at| bytes[at]);
        if magic != MAGIC {
            return Err(HeaderFault::Magic(magic));
        }
        let version = u16::from_le_bytes([bytes[8], bytes[9]]);
        if version != VERSION {
            return Err(HeaderFault::Version(version));
        }
        let kind = match bytes[10] {
            0 => TbKind::Wdl,
            1 => TbKind::Distance,
            other => return Err(HeaderFault::Kind(other)),
        };
        let codec = match bytes[11] {
            ZSTD_CODEC => Codec::Zstd,
            MODEL_CODEC if kind == TbKind::Wdl => Codec::Model(Geometry::from_byte(bytes[GEOMETRY_AT])),
            other => return Err(HeaderFault::Codec(other)),
        };
        let sector = Sector::from_bytes([bytes[12], bytes[13], bytes[14], bytes[15]]);
        if !sector.is_possible() {
            return Err(HeaderFault::Sector(sector));
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
            counts: SectorCounts {
                wins: long(48),
                losses: long(56),
                draws: long(64),
                longest_win: plies(72),
                longest_loss: plies(76),
            },
        };
        if header.slots != sector.slots() {
            return Err(HeaderFault::Slots { found: header.slots, expected: sector.slots() });
        }
        check_blocks(header.slots, header.block_slots, codec).map_err(HeaderFault::Packing)?;
        if word(36) as usize != header.blocks() {
            return Err(HeaderFault::Blocks { found: word(36), expected: header.blocks() });
        }
        Ok(header)
    }
}
