//! Unpacked copies of the results of finished sectors, in temporary files, as long as later units of a build
//! read them. A sector of `lasker` is read 2.5 times on average, and to unpack the files again took a third
//! of the CPU time.

use crate::platform::files;
use crate::platform::parallel::{each, share};
use crate::tablebase::format::header::TbKind;
use crate::tablebase::format::index::Sector;
use std::collections::HashMap;
use std::fs::File;
use std::io::{ErrorKind, Read as _, Result, Seek as _, Write as _};
use std::path::{Path, PathBuf};

/// The bytes that are read or written at a time, and those of them that a thread unpacks or packs at a time.
const READ: usize = 16 << 20;
const SHARE: usize = 1 << 16;
/// The number of slots in a byte.
const SLOTS: usize = 4;

/// The unpacked results of a build, two bits a slot. The system deletes the files when the process ends.
pub(super) struct UnpackedResults {
    folder: PathBuf,
    threads: usize,
    /// For each sector whose results are read: the number of the last unit that reads them.
    last_use: HashMap<Sector, usize>,
    /// The number of the unit that is being built.
    unit: usize,
    files: HashMap<Sector, File>,
    /// The number of files that may be open at the same time.
    most_files: usize,
    /// The bytes of disk that may still be taken.
    spare: u64,
}

impl UnpackedResults {
    /// Prepares to keep results in `folder`, at most `spare` bytes at the same time. `last_use` has the
    /// number of the last unit of the build that reads the results of a sector.
    pub(super) fn new(folder: &Path, threads: usize, spare: u64, last_use: HashMap<Sector, usize>) -> Self {
        Self {
            folder: folder.to_owned(),
            threads,
            last_use,
            unit: 0,
            files: HashMap::new(),
            // Some are left for the finished files.
            most_files: files::raise_limit().saturating_sub(64),
            spare,
        }
    }

    /// Notes that the unit of this number begins, and deletes the results that no unit reads any more.
    pub(super) fn begin(&mut self, unit: usize) {
        self.unit = unit;
        self.last_use.retain(|_, last| *last >= unit);
        let (last_use, spare) = (&self.last_use, &mut self.spare);
        self.files.retain(|sector, _| {
            let is_read = last_use.contains_key(sector);
            *spare += if is_read { 0 } else { bytes_of(*sector) };
            is_read
        });
    }

    /// Keeps the results of a sector if a unit to come reads them, and if there is room on the disk.
    pub(super) fn keep(&mut self, sector: Sector, values: &[u8]) {
        let bytes = bytes_of(sector);
        let is_read = self.last_use.get(&sector).is_some_and(|&last| last > self.unit);
        let has_room = bytes <= self.spare && self.files.len() < self.most_files;
        if is_read
            && has_room
            && !self.files.contains_key(&sector)
            && let Ok(file) = write(&self.folder, values, self.threads)
        {
            self.files.insert(sector, file);
            self.spare -= bytes;
        }
    }

    /// Returns the values of a sector as a file of results gives them, if its results are kept.
    pub(super) fn values(&self, sector: Sector) -> Option<Vec<u8>> {
        self.files.get(&sector).and_then(|file| read(file, sector, self.threads).ok())
    }
}

fn bytes_of(sector: Sector) -> u64 {
    sector.slots().div_ceil(SLOTS as u64)
}

fn write(folder: &Path, values: &[u8], threads: usize) -> Result<File> {
    let mut file = files::create_temporary(folder)?;
    let mut shares = vec![Vec::new(); READ / SHARE];
    for values in values.chunks(SLOTS * READ) {
        let items = values.chunks(SLOTS * SHARE).zip(&mut shares);
        each(threads, items, |(values, raw)| TbKind::Wdl.encode(values, raw));
        for raw in &shares[..values.len().div_ceil(SLOTS * SHARE)] {
            file.write_all(raw)?;
        }
    }
    Ok(file)
}

fn read(mut file: &File, sector: Sector, threads: usize) -> Result<Vec<u8>> {
    file.rewind()?;
    let mut values = vec![0; sector.slots() as usize];
    let mut raw = vec![0; READ];
    for values in values.chunks_mut(SLOTS * READ) {
        let raw = &mut raw[..values.len().div_ceil(SLOTS)];
        file.read_exact(raw)?;
        let items = values.chunks_mut(SLOTS * SHARE).zip(raw.chunks(SHARE));
        let decode = |is_sound: &mut bool, (values, raw): (&mut [u8], &[u8])| {
            *is_sound &= TbKind::Wdl.decode(raw, values);
        };
        if share(threads, items, || true, decode).contains(&false) {
            return Err(ErrorKind::InvalidData.into());
        }
    }
    Ok(values)
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use crate::tablebase::format::value::TbValue;

    const THREE: Sector = Sector::moving(3, 3);
    const FOUR: Sector = Sector::moving(4, 3);

    fn kept(folder: &Path, spare: u64) -> UnpackedResults {
        UnpackedResults::new(folder, 2, spare, HashMap::from([(THREE, 1), (FOUR, 2)]))
    }

    fn values(sector: Sector) -> Vec<u8> {
        let results = [TbValue::LOST.0, TbValue::DRAW.0, TbValue::WIN_NOW.0];
        (0..sector.slots() as usize).map(|slot| results[slot * slot % 7 % 3]).collect()
    }

    #[test]
    fn results_are_kept_while_a_unit_to_come_reads_them_and_there_is_room() {
        let mut kept = kept(&std::env::temp_dir(), bytes_of(FOUR));
        assert!(kept.values(THREE).is_none());
        kept.keep(THREE, &values(THREE));
        assert!(kept.values(THREE) == Some(values(THREE)));
        kept.keep(FOUR, &values(FOUR));
        assert!(kept.values(FOUR).is_none(), "no room");
        kept.begin(1);
        assert!(kept.values(THREE) == Some(values(THREE)));
        kept.begin(2);
        assert!(kept.values(THREE).is_none(), "no unit reads it");
        kept.keep(FOUR, &values(FOUR));
        assert!(kept.values(FOUR).is_none(), "only this unit reads it");
        kept.begin(1);
        kept.last_use.insert(FOUR, 2);
        kept.keep(FOUR, &values(FOUR));
        assert!(kept.values(FOUR) == Some(values(FOUR)));
        kept.begin(3);
        assert_eq!((kept.files.len(), kept.spare), (0, bytes_of(FOUR)));
    }

    #[test]
    fn nothing_is_kept_that_is_not_read_or_has_no_place() {
        let temp = std::env::temp_dir();
        let five = Sector::moving(5, 3);
        let mut others = kept(&temp, u64::MAX);
        others.keep(five, &values(five));
        assert!(others.values(five).is_none(), "no unit reads it");
        let mut nowhere = kept(Path::new("/millstone: no such folder"), u64::MAX);
        nowhere.keep(THREE, &values(THREE));
        assert!(nowhere.values(THREE).is_none());
        let mut closed = kept(&temp, u64::MAX);
        closed.most_files = 0;
        closed.keep(THREE, &values(THREE));
        assert!(closed.values(THREE).is_none(), "no file may be open");
    }
}
