//! The finished batches of a run that still plays games, in a file beside the samples: a run that was killed
//! continues with them.

use super::samples::{BATCH, PACKED, Sample, pack_samples, unpack_samples};
use crate::platform::files;
use crate::rules::Rules;
use crate::tools::error::{SamplesFault, ToolError};
use crate::tools::resume::open_alone;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::xxh3_64;

/// The first bytes; the last one is the version of the format.
const MAGIC: &[u8; 8] = b"MILLBAT\x01";
/// The bytes of the head: those of [`MAGIC`], and a hash of the job.
const HEAD: u64 = 16;
/// The bytes of a batch: its number, the samples, a checksum of both (XXH3, 64 bits).
const RECORD: usize = 8 + BATCH * PACKED + 8;
/// The maximum length of the file in bytes. It holds the most positions that `tune` takes.
const LONGEST: u64 = 17 << 30;

/// The open file of finished batches. No other run can open it meanwhile.
pub(super) struct FinishedBatches {
    file: File,
    path: PathBuf,
}

impl FinishedBatches {
    /// Opens the file beside the samples and reads its batches, by number. Writes the head of a file that has
    /// none. Cuts off a last batch that is not complete. `job` is a hash of what the games depend on.
    ///
    /// # Errors
    /// If the file cannot be read or written, another run writes it, it belongs to another job, or it is
    /// damaged. The file is then unchanged.
    pub(super) fn open(
        samples: &Path,
        job: u64,
        rules: &Rules,
    ) -> Result<(Self, BTreeMap<u64, Vec<Sample>>), ToolError> {
        let path = files::with_ending(samples, ".batches");
        let mut file = open_alone(&path, LONGEST)?;
        let failed = |cause: io::Error| ToolError::io(&path)(cause);
        let head = [*MAGIC, job.to_le_bytes()].concat();
        let mut found = Vec::new();
        (&file).take(HEAD).read_to_end(&mut found).map_err(failed)?;
        let is_empty = found.starts_with(MAGIC) && file.metadata().map_err(failed)?.len() == HEAD;
        if !head.starts_with(&found) && !is_empty {
            let fault = if found.starts_with(MAGIC) { SamplesFault::Job } else { SamplesFault::Version };
            return Err(ToolError::input(&path)(fault));
        }
        let mut batches = BTreeMap::new();
        let mut record = Vec::with_capacity(RECORD);
        while (&file).take(RECORD as u64).read_to_end(&mut record).map_err(failed)? == RECORD {
            let (number, samples) = read_record(&record, rules).map_err(ToolError::input(&path))?;
            batches.insert(number, samples);
            record.clear();
        }
        // Nothing follows a head that is not complete.
        let whole = if found == head { head.len() + batches.len() * RECORD } else { 0 };
        file.set_len(whole as u64).and_then(|()| file.seek(SeekFrom::End(0))).map_err(failed)?;
        let mut opened = Self { file, path };
        if whole == 0 {
            opened.write(&head)?;
        }
        Ok((opened, batches))
    }

    /// Appends a batch and syncs the file to the disk.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(super) fn append(&mut self, number: u64, samples: &[Sample]) -> Result<(), ToolError> {
        let rest = [&number.to_le_bytes()[..], &pack_samples(samples)].concat();
        self.write(&[&rest[..], &xxh3_64(&rest).to_le_bytes()].concat())
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), ToolError> {
        let written = self.file.write_all(bytes).and_then(|()| files::sync(&self.file));
        written.map_err(ToolError::io(&self.path))
    }

    /// Returns true if the file has no batch.
    pub(super) fn is_empty(&self) -> bool {
        self.file.metadata().is_ok_and(|file| file.len() <= HEAD)
    }

    /// Deletes the file.
    ///
    /// # Errors
    /// If the system refuses.
    pub(super) fn remove(self) -> Result<(), ToolError> {
        drop(self.file);
        std::fs::remove_file(&self.path).map_err(ToolError::io(&self.path))
    }
}

/// Returns the number and the samples of a batch.
fn read_record(record: &[u8], rules: &Rules) -> Result<(u64, Vec<Sample>), SamplesFault> {
    let (rest, sum) = record.split_last_chunk().ok_or(SamplesFault::Short)?;
    if u64::from_le_bytes(*sum) != xxh3_64(rest) {
        return Err(SamplesFault::Checksum);
    }
    let (number, samples) = rest.split_first_chunk().ok_or(SamplesFault::Short)?;
    Ok((u64::from_le_bytes(*number), unpack_samples(samples, rules)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn batch(own: u32) -> Vec<Sample> {
        vec![Sample { own, other: 0x10_0022, marked: 8, hands: [3, 2], points: 0.25 }; BATCH]
    }

    #[test]
    fn finished_batches_survive_and_an_incomplete_one_does_not() {
        let folder = tempfile::tempdir().unwrap();
        let samples = folder.path().join("samples.bin");
        let open = |job| FinishedBatches::open(&samples, job, &Rules::NINE);
        let (mut file, batches) = open(7).unwrap();
        assert!(batches.is_empty());
        file.append(3, &batch(1)).unwrap();
        file.append(1, &batch(4)).unwrap();
        #[cfg(not(windows))]
        assert!(open(7).is_err_and(|why| why.to_string().ends_with(": another run is writing it")));
        let path = file.path.clone();
        drop(file);
        let (two, one) = (BTreeMap::from([(1, batch(4)), (3, batch(1))]), BTreeMap::from([(3, batch(1))]));
        assert!(open(7).unwrap().1 == two);
        let whole = std::fs::read(&path).unwrap();
        assert_eq!(whole.len(), 16 + 2 * RECORD);
        for (missing, expected) in [(1, &one), (RECORD - 1, &one), (RECORD, &one)] {
            std::fs::write(&path, &whole[..whole.len() - missing]).unwrap();
            assert!(open(7).unwrap().1 == *expected, "{missing}");
            assert_eq!(std::fs::read(&path).unwrap(), whole[..16 + RECORD], "{missing}");
        }
        // The head may be incomplete too.
        for length in [0, 5, 12] {
            std::fs::write(&path, &whole[..length]).unwrap();
            assert!(open(7).unwrap().1.is_empty());
            assert_eq!(std::fs::read(&path).unwrap(), whole[..16]);
        }
        let refused = |bytes: &[u8], job, expected: &str| {
            std::fs::write(&path, bytes).unwrap();
            let why = open(job).map(|_| ()).unwrap_err().to_string();
            assert!(why.contains(expected), "{why}");
            assert!(std::fs::read(&path).unwrap() == bytes, "it stays as it is");
        };
        refused(&whole, 8, "found the games of another fit");
        refused(b"something", 7, "found a file of another kind");
        // Without games it is nobody's.
        std::fs::write(&path, &whole[..16]).unwrap();
        let (file, batches) = open(8).unwrap();
        assert!(batches.is_empty() && file.is_empty());
        drop(file);
        let taken = std::fs::read(&path).unwrap();
        assert!(taken.len() == 16 && taken != whole[..16]);
        refused(&[&taken[..], b"x"].concat(), 7, "found the games of another fit");
        let mut damaged = whole.clone();
        damaged[16 + RECORD / 2] ^= 1;
        refused(&damaged, 7, "found a wrong checksum");
        std::fs::write(&path, &whole).unwrap();
        open(7).unwrap().0.remove().unwrap();
        assert!(!path.exists());
    }
}
