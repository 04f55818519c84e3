//! The bytes of a tablebase file, on the disk or in memory, and its block index.

use super::header::{CHECKSUM_AT, HEADER_BYTES, Header};
use std::fs::File;
use xxhash_rust::xxh3::Xxh3;

/// A source of bytes.
pub(super) enum ByteSource {
    /// An open file.
    File(File),
    /// Bytes built into the program.
    Memory(&'static [u8]),
}

impl ByteSource {
    /// Returns the number of bytes.
    pub(super) fn len(&self) -> std::io::Result<u64> {
        match self {
            Self::File(file) => Ok(file.metadata()?.len()),
            Self::Memory(bytes) => Ok(bytes.len() as u64),
        }
    }

    /// Fills `buffer` with the bytes from offset `at`.
    pub(super) fn read(&self, at: u64, buffer: &mut [u8]) -> std::io::Result<()> {
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

/// Reads the block index in small parts. Returns the offsets and the checksum of header and index.
pub(super) fn read_index(
    source: &ByteSource,
    head: &[u8; HEADER_BYTES],
    header: &Header,
) -> std::io::Result<(Vec<u64>, u64)> {
    let count = header.blocks() + 1;
    let mut hasher = Xxh3::new();
    hasher.update(&head[..CHECKSUM_AT]);
    let mut offsets = Vec::with_capacity(count);
    let mut buffer = [0; 1 << 12];
    while offsets.len() < count {
        let part = &mut buffer[..(8 * (count - offsets.len())).min(1 << 12)];
        source.read((HEADER_BYTES + 8 * offsets.len()) as u64, part)?;
        hasher.update(part);
        offsets.extend(part.as_chunks().0.iter().map(|&bytes| u64::from_le_bytes(bytes)));
    }
    Ok((offsets, hasher.digest()))
}

/// Returns the checksum of the header and the block index.
pub(super) fn head_checksum(head: &[u8; HEADER_BYTES], index: &[u8]) -> u64 {
    let mut hasher = Xxh3::new();
    hasher.update(&head[..CHECKSUM_AT]);
    hasher.update(index);
    hasher.digest()
}
