//! Writes the file of one sector, which `file.rs` reads.

use super::bytes::head_checksum;
use super::error::TablebaseError;
use super::file::{PLAIN_PART, block_checksum, raw_hash};
use super::folder::file_name;
use super::header::{CHECKSUM_AT, Codec, Header, Packing, SectorCounts, TbKind, pack_results};
use super::index::Sector;
use super::model::{self, Features, Geometry, Model, PART_SLOTS, RowSteps};
use super::value::TbValue;
use crate::platform::files::WholeFile;
use crate::platform::packing::Packer;
use parking_lot::Mutex;
use std::io::Write;
use std::path::Path;
use xxhash_rust::xxh3::Xxh3;

/// The values of a finished sector.
#[derive(Clone, Copy)]
pub struct Content<'a> {
    /// The sector.
    pub sector: Sector,
    /// Fingerprint of its rules.
    pub fingerprint: u64,
    /// The values, one byte a slot.
    pub values: &'a [u8],
    /// The counts of its canonical positions.
    pub counts: SectorCounts,
}

/// Writes the values of a sector as a file of one kind in `folder`: under a temporary name, synced, renamed.
///
/// # Errors
/// If the folder cannot be written to, or there is no memory to compress.
pub fn write_file(
    folder: &Path,
    kind: TbKind,
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
    debug_assert_eq!(header.slots, sector.slots(), "the results have one byte a slot");
    let path = folder.join(file_name(sector, kind));
    let packed = pack_blocks(&header, values, packing, threads);
    let packed = packed.map_err(TablebaseError::io("compress to", &path))?;
    write_blocks(&path, &header, &packed)
}

/// A file that was written.
#[derive(Clone, Copy, Debug)]
pub struct Written {
    /// The head of the file.
    pub header: Header,
    /// Length of the file.
    pub bytes: u64,
    /// Hash of the whole file (XXH3, 64 bits).
    pub file_hash: u64,
}

/// The compressed parts of a file.
struct Packed {
    /// The model, in a file that has one.
    model: Option<Vec<u8>>,
    blocks: Vec<Vec<u8>>,
}

/// Compresses the values of a sector.
fn pack_blocks(header: &Header, values: &[u8], packing: Packing, threads: usize) -> std::io::Result<Packed> {
    let (model, packed_model) = match packing.codec {
        Codec::Zstd => (None, None),
        Codec::Model(geometry) => {
            let result = |slot: u64| TbValue(values[slot as usize]).wdl() as u8;
            let steps = RowSteps::new(header.sector);
            let bytes = model::train(header.sector, geometry, steps.as_ref(), threads, result);
            let packed = Packer::new(packing.level)?.pack(&bytes)?;
            (Some((geometry, Model::from_bytes(&bytes), steps)), Some(packed))
        }
    };
    let mut blocks: Vec<Vec<u8>> = vec![Vec::new(); header.blocks()];
    let items = blocks.iter_mut().zip(values.chunks(packing.block_slots as usize)).enumerate();
    let wrong = Mutex::new(None);
    let scratch = || (Vec::new(), Packer::new(packing.level));
    crate::platform::parallel::share(
        threads,
        items,
        scratch,
        |(raw, compressor), (block, (packed, values))| {
            if let Some((geometry, model, steps)) = &model {
                let first = block as u64 * u64::from(packing.block_slots);
                let features = Features::new(steps.as_ref());
                *packed = code_parts(header.sector, *geometry, model, features, first, values);
                return;
            }
            header.kind.encode(values, raw);
            let result = match compressor {
                Ok(compressor) => compressor.pack(raw),
                Err(cause) => Err(std::io::Error::new(cause.kind(), cause.to_string())),
            };
            match result {
                Ok(bytes) => *packed = bytes,
                Err(cause) => *wrong.lock() = Some(cause),
            }
        },
    );
    match wrong.into_inner() {
        Some(cause) => Err(cause),
        None => Ok(Packed { model: packed_model, blocks }),
    }
}

/// Writes a file of compressed parts: header, block index, model, blocks.
fn write_blocks(path: &Path, header: &Header, packed: &Packed) -> Result<Written, TablebaseError> {
    let blocks = header.blocks();
    let mut index = Vec::with_capacity(8 * (blocks + 1));
    let mut offset = header.index_end();
    if let Some(model) = &packed.model {
        offset += 4 + model.len() as u64;
    }
    for block in &packed.blocks {
        index.extend_from_slice(&offset.to_le_bytes());
        offset += 4 + block.len() as u64;
    }
    index.extend_from_slice(&offset.to_le_bytes());
    let mut head = header.to_bytes();
    let checksum = head_checksum(&head, &index);
    head[CHECKSUM_AT..].copy_from_slice(&checksum.to_le_bytes());

    let file = WholeFile::create_unlinked(path).map_err(TablebaseError::io("create", path))?;
    let mut out = std::io::BufWriter::with_capacity(1 << 20, file);
    let mut hasher = Xxh3::new();
    let mut put = |bytes: &[u8]| {
        hasher.update(bytes);
        out.write_all(bytes).map_err(TablebaseError::io("write", path))
    };
    put(&head)?;
    put(&index)?;
    for part in packed.model.iter().chain(&packed.blocks) {
        put(&block_checksum(part).to_le_bytes())?;
        put(part)?;
    }
    let file = out.into_inner().map_err(|e| TablebaseError::io("write", path)(e.into_error()))?;
    file.finish().map_err(TablebaseError::io("write", path))?;
    Ok(Written { header: *header, bytes: offset, file_hash: hasher.digest() })
}

/// The lengths of the parts of a block, and the parts.
fn code_parts(
    sector: Sector,
    geometry: Geometry,
    model: &Model,
    mut features: Features<'_>,
    first: u64,
    values: &[u8],
) -> Vec<u8> {
    let (mut lengths, mut parts) = (Vec::new(), Vec::new());
    let mut results = Vec::with_capacity(PART_SLOTS);
    let mut plain = Vec::new();
    for (first, values) in (first..).step_by(PART_SLOTS).zip(values.chunks(PART_SLOTS)) {
        results.clear();
        results.extend(values.iter().map(|&value| TbValue(value).wdl() as u8));
        let digits = model.encode(&mut features, sector, geometry, first, &results);
        match u8::try_from(digits.len()) {
            Ok(length) if length != PLAIN_PART => {
                lengths.push(length);
                parts.extend_from_slice(&digits);
            }
            _ => {
                lengths.push(PLAIN_PART);
                pack_results(&results, |result| result, &mut plain);
                parts.extend_from_slice(&plain);
            }
        }
    }
    lengths.extend_from_slice(&parts);
    lengths
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use crate::tablebase::format::file::TbFile;

    #[test]
    fn results_that_no_model_foresees_are_stored_plainly() {
        let folder = tempfile::tempdir().expect("a folder");
        let sector = Sector::moving(3, 4);
        let mut state = 1u64;
        let bytes = [TbValue::LOST.0, TbValue::DRAW.0, TbValue::WIN_NOW.0];
        let values: Vec<u8> = (0..sector.slots())
            .map(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                bytes[(state >> 33) as usize % 3]
            })
            .collect();
        let content = Content { sector, fingerprint: 1, values: &values, counts: SectorCounts::default() };
        let geometry = Geometry { diagonals: false, own_anywhere: true, theirs_anywhere: false };
        let packing = Packing { block_slots: 2048, level: 3, codec: Codec::Model(geometry) };
        write_file(folder.path(), TbKind::Wdl, content, packing, 2).expect("written");
        let file = TbFile::open(&folder.path().join(file_name(sector, TbKind::Wdl))).expect("a file");
        assert_eq!(file.header.codec, packing.codec);
        assert!(file.read_all(2).expect("read") == values);
        let mut raw = Vec::new();
        for page in [0, 1, 7, file.header.slots as usize / PART_SLOTS] {
            file.read_page(page, &mut raw).expect("a page");
            for (place, &value) in values[page * PART_SLOTS..].iter().take(PART_SLOTS).enumerate() {
                assert_eq!(TbKind::Wdl.value_at(&raw, place), Some(TbValue(value)));
            }
        }
    }
}
