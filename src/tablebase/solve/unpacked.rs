//! The results of finished sectors, unpacked in temporary files as long as later units of a build need them.
//! Each sector is read two or three times, and to unpack a file of results takes as long as to solve a
//! quarter of its positions.

use super::units::Unit;
use crate::platform::parallel::share;
use crate::tablebase::format::game::SolvedGame;
use crate::tablebase::format::header::TbKind;
use crate::tablebase::format::index::Sector;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fs::File;
use std::io::{ErrorKind, Read as _, Result, Seek as _, Write as _};
use std::path::PathBuf;

/// The bytes that are read at a time, and those of them that a thread unpacks at a time.
const READ: usize = 16 << 20;
const SHARE: usize = 1 << 16;
/// The number of slots in a byte.
const SLOTS: usize = 4;

/// The unpacked results of a build, two bits a slot. The system deletes the files when the process ends.
pub(super) struct UnpackedResults {
    folder: PathBuf,
    /// For each sector that units to come need: the last of them.
    last_use: HashMap<Sector, usize>,
    files: HashMap<Sector, File>,
    /// The bytes of disk that may still be taken.
    spare: u64,
}

impl UnpackedResults {
    /// Prepares to keep results in `folder`, at most `spare` bytes at the same time.
    pub(super) fn new(game: &SolvedGame, units: &[Unit], folder: PathBuf, spare: u64) -> Self {
        let needs = |(number, unit): (usize, &Unit)| unit.needs(game).into_iter().map(move |s| (s, number));
        let last_use = units.iter().enumerate().flat_map(needs).collect();
        Self { folder, last_use, files: HashMap::new(), spare }
    }

    /// Keeps the results of a sector if a unit to come needs them. Without room on the disk they are not
    /// kept.
    pub(super) fn keep(&mut self, sector: Sector, values: &[u8]) {
        let bytes = bytes_of(sector);
        if !self.last_use.contains_key(&sector) || bytes > self.spare {
            return;
        }
        if let Entry::Vacant(entry) = self.files.entry(sector)
            && let Ok(file) = write(&self.folder, values)
        {
            entry.insert(file);
            self.spare -= bytes;
        }
    }

    /// Returns the values of a sector as a file of results gives them, if its results are kept.
    pub(super) fn values(&self, sector: Sector, threads: usize) -> Option<Vec<u8>> {
        self.files.get(&sector).and_then(|file| read(file, sector, threads).ok())
    }

    /// Deletes the results that no unit after `unit` needs.
    pub(super) fn forget(&mut self, unit: usize) {
        self.last_use.retain(|_, last| *last > unit);
        let (last_use, spare) = (&self.last_use, &mut self.spare);
        self.files.retain(|sector, _| {
            let is_needed = last_use.contains_key(sector);
            *spare += if is_needed { 0 } else { bytes_of(*sector) };
            is_needed
        });
    }
}

fn bytes_of(sector: Sector) -> u64 {
    sector.slots().div_ceil(SLOTS as u64)
}

fn write(folder: &PathBuf, values: &[u8]) -> Result<File> {
    let mut file = tempfile::tempfile_in(folder)?;
    let mut raw = Vec::new();
    for values in values.chunks(SLOTS * SHARE) {
        TbKind::Wdl.encode(values, &mut raw);
        file.write_all(&raw)?;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Rules;
    use crate::tablebase::format::value::TbValue;

    #[test]
    fn results_are_kept_while_they_are_needed_and_there_is_room() {
        let game = SolvedGame::new(&Rules::NINE).expect("a game");
        let units = [Unit::moving(3, 3), Unit::moving(4, 3), Unit::moving(5, 3)];
        let [three, four] = [Sector::moving(3, 3), Sector::moving(4, 3)];
        let values = |sector: Sector| -> Vec<u8> {
            let results = [TbValue::LOST.0, TbValue::DRAW.0, TbValue::WIN_NOW.0];
            (0..sector.slots() as usize).map(|slot| results[slot * slot % 7 % 3]).collect()
        };
        let new = |spare| UnpackedResults::new(&game, &units, std::env::temp_dir(), spare);
        let mut kept = new(bytes_of(four));
        kept.forget(0);
        assert!(kept.values(three, 2).is_none());
        kept.keep(three, &values(three));
        assert!(kept.values(three, 2) == Some(values(three)) && kept.values(three, 1).is_some());
        kept.keep(four, &values(four));
        assert!(kept.values(four, 2).is_none(), "no room");
        kept.forget(1);
        assert!(kept.values(three, 2).is_none(), "no unit needs it");
        kept.keep(three, &values(three));
        assert!(kept.values(three, 2).is_none(), "no unit needs it");
        kept.keep(four, &values(four));
        assert!(kept.values(four, 2) == Some(values(four)));
        kept.forget(2);
        assert_eq!((kept.files.len(), kept.spare), (0, bytes_of(four)));
        let mut nowhere = new(u64::MAX);
        nowhere.folder = "/millstone: no such folder".into();
        nowhere.keep(three, &values(three));
        assert!(nowhere.values(three, 1).is_none());
    }
}
