//! The content of an experience file: the entries, their layout and its faults. `docs/protocol.md` describes
//! the layout.

use crate::platform::text::counted;
use crate::search::limits::MAX_DEPTH;
use crate::types::{Depth, Move, VALUE_INFINITE, Value};
use std::collections::BTreeMap;
use std::fmt;
use std::io;
use xxhash_rust::xxh3::xxh3_64;

/// The largest number of positions kept. The shallowest are dropped first. A full file has 2.4 MB.
pub(crate) const MOST_POSITIONS: usize = 100_000;
/// The first bytes of a file: name and version.
pub(super) const MAGIC: [u8; 8] = *b"MILLEXP\x01";
const HEAD: usize = MAGIC.len() + 8;
const RECORD: usize = 24;
const CHECKSUM: usize = 8;

/// The most bytes of a file.
pub(super) const LONGEST_FILE: u64 = (HEAD + MOST_POSITIONS * RECORD + CHECKSUM) as u64;

/// The result of an earlier search of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ExperienceEntry {
    /// Its value for the side to move; win distances count from the position itself.
    pub value: Value,
    /// The depth of the search.
    pub depth: Depth,
    /// The best move.
    pub best: Move,
}

/// A hash of the rules and of the kind of key, and the key of the board.
pub(super) type EntryKey = (u64, u64);

/// The results by position.
pub(super) type Entries = BTreeMap<EntryKey, ExperienceEntry>;

/// The fault of an experience file.
#[derive(Debug)]
pub enum ExperienceFault {
    /// The system cannot read it.
    Read(io::Error),
    /// It does not begin as an experience file does.
    Kind,
    /// Its length does not fit its number of positions, or there are too many.
    Length {
        /// Its length in bytes.
        found: usize,
        /// The length in bytes that the number requires; `None` if it is beyond 64 bits.
        expected: Option<u64>,
        /// The number of positions.
        count: u64,
    },
    /// The checksum does not fit.
    Checksum {
        /// The checksum of the content.
        found: u64,
        /// The checksum that is stored.
        expected: u64,
    },
    /// A record holds an impossible value or depth.
    Record {
        /// The number of the record, from 0.
        number: usize,
        /// Its content.
        entry: ExperienceEntry,
    },
    /// The system cannot write it.
    Write(io::Error),
    /// Another process holds the lock for writers.
    Locked,
}

impl fmt::Display for ExperienceFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read(cause) => write!(f, "{cause}"),
            Self::Kind => f.write_str("found a file of another kind, expected an experience file"),
            Self::Length { found, expected, count } => {
                let (expected, count) = (counted(expected.unwrap_or(0), "byte"), counted(*count, "position"));
                let found = counted(*found, "byte");
                write!(f, "found {found}, expected {expected} for {count} of at most {MOST_POSITIONS}")
            }
            Self::Checksum { found, expected } => {
                write!(f, "found checksum {found:016x}, expected {expected:016x}")
            }
            Self::Record { number, entry: ExperienceEntry { value, depth, .. } } => {
                let expected = format!("less than {VALUE_INFINITE} either way and from 1 to {MAX_DEPTH}");
                write!(f, "found value {value} and depth {depth} in record {number}, expected {expected}")
            }
            Self::Write(cause) => write!(f, "it cannot be written: {cause}"),
            Self::Locked => {
                f.write_str("it cannot be written: found its lock held by another process, expected it free")
            }
        }
    }
}

/// Reads the content of a file.
///
/// # Errors
/// If it is damaged.
pub(super) fn from_bytes(bytes: &[u8]) -> Result<Entries, ExperienceFault> {
    if !bytes.starts_with(&MAGIC) {
        return Err(ExperienceFault::Kind);
    }
    let word = |at: usize| -> u64 {
        let bytes = bytes.get(at..at + 8).and_then(|bytes| bytes.try_into().ok());
        bytes.map_or(0, u64::from_le_bytes)
    };
    let count = word(MAGIC.len());
    let expected = count.checked_mul(RECORD as u64).and_then(|n| n.checked_add((HEAD + CHECKSUM) as u64));
    if count > MOST_POSITIONS as u64 || expected != Some(bytes.len() as u64) {
        return Err(ExperienceFault::Length { found: bytes.len(), expected, count });
    }
    let body = &bytes[..bytes.len() - CHECKSUM];
    let (found, expected) = (xxh3_64(body), word(body.len()));
    if found != expected {
        return Err(ExperienceFault::Checksum { found, expected });
    }
    let entries = body[HEAD..].chunks_exact(RECORD).enumerate().map(|(number, record)| {
        let at = HEAD + number * RECORD;
        let short = |at: usize| u16::from_le_bytes([record[at], record[at + 1]]);
        let known = ExperienceEntry {
            value: Value::from(short(16) as i16),
            best: Move::from_bits(short(18)),
            depth: Depth::from(record[20]),
        };
        if known.value.abs() >= VALUE_INFINITE || !(1..=MAX_DEPTH).contains(&known.depth) {
            return Err(ExperienceFault::Record { number, entry: known });
        }
        Ok(((word(at), word(at + 8)), known))
    });
    entries.collect()
}

/// Returns the content of a file.
pub(super) fn to_bytes(entries: &Entries) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(HEAD + RECORD * entries.len() + CHECKSUM);
    bytes.extend_from_slice(&MAGIC);
    bytes.extend_from_slice(&(entries.len() as u64).to_le_bytes());
    for (&(rules, board), known) in entries {
        bytes.extend_from_slice(&rules.to_le_bytes());
        bytes.extend_from_slice(&board.to_le_bytes());
        bytes.extend_from_slice(&(known.value as i16).to_le_bytes());
        bytes.extend_from_slice(&known.best.bits().to_le_bytes());
        bytes.extend_from_slice(&[known.depth.clamp(0, 255) as u8, 0, 0, 0]);
    }
    let checksum = xxh3_64(&bytes);
    bytes.extend_from_slice(&checksum.to_le_bytes());
    bytes
}
