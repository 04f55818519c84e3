//! Reading a tablebase file of which only some ranges are there.

use super::bytes::ByteSource;
use super::error::TablebaseError;
use super::file::TbFile;
use super::header::{Codec, HEADER_BYTES, Header, Packing};
use super::index::Sector;
use std::io::ErrorKind;
use std::ops::Range;
use std::path::Path;

/// The range of the header.
pub(crate) const HEAD: Range<u64> = 0..HEADER_BYTES as u64;

/// The bytes of an entry of the block index.
const ENTRY: u64 = 8;

/// The range of the entries from one to another, which is not included.
const fn entries(first: u64, end: u64) -> Range<u64> {
    HEADER_BYTES as u64 + ENTRY * first..HEADER_BYTES as u64 + ENTRY * end
}

/// Returns the entries of the index that a slot needs if the file is packed this way.
pub(crate) fn entries_of(slot: u64, packing: Packing) -> Vec<Range<u64>> {
    let block = slot / u64::from(packing.block_slots);
    let mut ranges = vec![entries(block, block + 2)];
    if matches!(packing.codec, Codec::Model(_)) {
        ranges.push(entries(0, 1));
    }
    ranges
}

/// Returns the range of header and block index of a file that is packed this way.
pub(crate) fn whole_head(sector: Sector, packing: Packing) -> Range<u64> {
    0..entries(0, sector.slots().div_ceil(u64::from(packing.block_slots)) + 1).end
}

/// Returns true if an error means that bytes are not there yet.
fn is_missing(error: &TablebaseError) -> bool {
    matches!(error, TablebaseError::Io { cause, .. } if cause.kind() == ErrorKind::WouldBlock)
}

/// A file, or the range of its header and index if these have to be read whole.
pub(crate) enum Unindexed {
    /// The file, whose index is read entry by entry.
    File(Box<TbFile>),
    /// It is packed in another way, so its header needs the checksum.
    NeedsIndex(Range<u64>),
}

/// Opens a file whose header is there. The header is trusted if it is that of a file packed in the `usual`
/// way.
///
/// # Errors
/// If it is no header.
pub(crate) fn open_unindexed(
    path: &Path,
    source: ByteSource,
    usual: Packing,
) -> Result<Unindexed, TablebaseError> {
    let mut head = [0; HEADER_BYTES];
    source.read_at(0, &mut head).map_err(TablebaseError::io("read", path))?;
    let header = Header::from_bytes(&head).map_err(|why| TablebaseError::damaged(path, why))?;
    if (header.block_slots, header.codec) != (usual.block_slots, usual.codec) {
        return Ok(Unindexed::NeedsIndex(0..entries(0, header.blocks() as u64 + 1).end));
    }
    Ok(Unindexed::File(Box::new(TbFile::without_index(path, header, source))))
}

/// Returns the ranges that reading a page needs, as far as they are known. If all of them are there, and no
/// entry of the index is among them, the page can be read.
///
/// # Errors
/// If the file is damaged.
pub(crate) fn ranges_of(file: &TbFile, page: usize) -> Result<Vec<Range<u64>>, TablebaseError> {
    let block = page / (file.header.block_slots / file.header.page_slots()) as usize;
    let mut ranges = Vec::new();
    match file.extent(block) {
        Ok(extent) => ranges.push(extent),
        Err(error) if is_missing(&error) => ranges.push(entries(block as u64, block as u64 + 2)),
        Err(error) => return Err(error),
    }
    if matches!(file.header.codec, Codec::Model(_)) {
        match file.model_extent() {
            Ok(extent) => ranges.push(extent),
            Err(error) if is_missing(&error) => ranges.push(entries(0, 1)),
            Err(error) => return Err(error),
        }
    }
    Ok(ranges)
}
