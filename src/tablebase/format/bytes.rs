//! The bytes of a tablebase file, and its block index.

use super::error::{Damage, FilePart};
use super::header::{CHECKSUM_AT, HEADER_BYTES, Header};
use std::fs::File;
use std::io;
use std::ops::Range;
use xxhash_rust::xxh3::Xxh3;

/// The place that the bytes of a file come from.
pub(crate) trait ReadAt: Send + Sync {
    /// Returns the number of bytes.
    ///
    /// # Errors
    /// If it is not known.
    fn length(&self) -> io::Result<u64>;

    /// Fills `buffer` with the bytes from offset `at`. Several threads may read at the same time.
    ///
    /// # Errors
    /// If they cannot be read, or the file ends before.
    fn read_at(&self, at: u64, buffer: &mut [u8]) -> io::Result<()>;
}

impl ReadAt for File {
    fn length(&self) -> io::Result<u64> {
        Ok(self.metadata()?.len())
    }

    #[cfg(unix)]
    fn read_at(&self, at: u64, buffer: &mut [u8]) -> io::Result<()> {
        std::os::unix::fs::FileExt::read_exact_at(self, buffer, at)
    }

    // Threads read one file at the same time, so this must not seek: they would share the cursor.
    #[cfg(windows)]
    fn read_at(&self, mut at: u64, mut buffer: &mut [u8]) -> io::Result<()> {
        while !buffer.is_empty() {
            match std::os::windows::fs::FileExt::seek_read(self, buffer, at) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(read) => {
                    at += read as u64;
                    buffer = &mut buffer[read..];
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    #[cfg(not(any(unix, windows)))]
    fn read_at(&self, _: u64, _: &mut [u8]) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

/// Bytes in memory, such as those built into the program.
impl ReadAt for &[u8] {
    fn length(&self) -> io::Result<u64> {
        Ok(self.len() as u64)
    }

    fn read_at(&self, at: u64, buffer: &mut [u8]) -> io::Result<()> {
        let end = at + buffer.len() as u64;
        let part = self.get(at as usize..end as usize).ok_or(io::ErrorKind::UnexpectedEof)?;
        buffer.copy_from_slice(part);
        Ok(())
    }
}

/// A source of bytes.
pub(crate) type ByteSource = Box<dyn ReadAt>;

/// Reads the block index in small parts. Returns the offsets and the checksum of header and index.
pub(super) fn read_index(
    source: &dyn ReadAt,
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
        source.read_at((HEADER_BYTES + 8 * offsets.len()) as u64, part)?;
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

/// Checks that a range can be that of a block.
///
/// # Errors
/// If it is damaged.
pub(super) fn check_extent(
    header: &Header,
    block: usize,
    extent: &Range<u64>,
    length: u64,
) -> Result<(), Damage> {
    let (found, most) = (extent.end.saturating_sub(extent.start), header.most_bytes_of(block));
    if !(4..=most).contains(&found) {
        return Err(Damage::Size { part: FilePart::Block(block), found, most });
    }
    if extent.start < header.index_end() || extent.end > length {
        return Err(Damage::Length { found: length, expected: extent.end });
    }
    Ok(())
}
