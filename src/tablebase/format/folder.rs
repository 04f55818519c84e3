//! The files of a tablebase folder: their names, their hashes, and the leftovers of killed processes.

use super::error::TablebaseError;
use super::header::TbKind;
use super::index::Sector;
use crate::platform::files;
use std::io::Read;
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::Xxh3;

/// The name of the manifest in a folder of tablebase files.
pub const MANIFEST: &str = "manifest.json";

/// Name of the file of a sector, as `3_3_0_0.wdl`.
pub fn file_name(sector: Sector, kind: TbKind) -> String {
    format!("{sector}.{}", kind.extension())
}

/// Returns the sector and the kind of a file from its name.
pub fn parse_name(name: &str) -> Option<(Sector, TbKind)> {
    let (numbers, extension) = name.split_once('.')?;
    let kind = [TbKind::Wdl, TbKind::Distance].into_iter().find(|kind| kind.extension() == extension)?;
    let numbers: Option<Vec<u8>> = numbers.split('_').map(|number| number.parse::<u8>().ok()).collect();
    let &[own, theirs, own_hand, their_hand] = numbers?.as_slice() else { return None };
    let sector = Sector { own, theirs, own_hand, their_hand };
    // Refuses other spellings of the numbers, such as `03_3_0_0.wdl`.
    (sector.is_possible() && file_name(sector, kind) == name).then_some((sector, kind))
}

/// Returns the files of a folder whose extension is that of a tablebase file, sorted.
///
/// # Errors
/// If the folder cannot be read.
pub fn tablebase_files(folder: &Path) -> Result<Vec<PathBuf>, TablebaseError> {
    let mut paths = files::read_folder(folder).map_err(TablebaseError::io("read folder", folder))?;
    paths.retain(|path| {
        let extension = path.extension().and_then(|extension| extension.to_str());
        extension.is_some_and(|e| e == TbKind::Wdl.extension() || e == TbKind::Distance.extension())
    });
    paths.sort();
    Ok(paths)
}

/// Removes the temporary files that killed processes left in `folder`.
///
/// # Errors
/// If the folder cannot be read.
pub fn clean_up(folder: &Path) -> Result<(), TablebaseError> {
    let is_ours = |name: &str| name == MANIFEST || parse_name(name).is_some();
    files::remove_leftovers(folder, is_ours).map_err(TablebaseError::io("read folder", folder))
}

/// Checks before long work that a file can be created in `folder`: creates one and deletes it.
///
/// # Errors
/// If it cannot.
pub(crate) fn check_writable(folder: &Path) -> Result<(), TablebaseError> {
    files::create_temporary(folder).map(drop).map_err(TablebaseError::io("create a file in", folder))
}

/// Hash of a whole file, as the manifest holds it.
///
/// # Errors
/// If the file cannot be read.
pub fn hash_file(path: &Path) -> Result<u64, TablebaseError> {
    let mut file = files::open_regular(path).map_err(TablebaseError::io("open", path))?;
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

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use crate::platform::files::{LEFTOVER_AGE, WholeFile};
    use std::fs::File;
    use std::time::SystemTime;

    #[test]
    fn leftovers_of_killed_processes_go_and_nothing_else() {
        let folder = tempfile::tempdir().expect("a folder");
        let old = SystemTime::now() - 2 * LEFTOVER_AGE;
        let begin = |name: &str, is_old: bool| {
            let file = WholeFile::create(&folder.path().join(name)).expect("a file").abandon();
            if is_old {
                file.set_modified(old).expect("a time");
            }
            file
        };
        let written = begin("4_3_0_0.wdl", true);
        for name in ["3_3_0_0.wdl", "3_3_0_0.dist", MANIFEST] {
            begin(name, true);
        }
        for name in ["3_4_0_0.wdl", "notes.tmp", "notes.5-0.tmp", "3_3_0_0.wdl.x-0.tmp"] {
            File::create(folder.path().join(name)).and_then(|file| file.set_modified(old)).expect("a file");
        }
        // As left by another machine, whose lock cannot be seen here.
        begin("5_3_0_0.wdl", false);
        let left = || std::fs::read_dir(folder.path()).expect("a folder").count();
        assert_eq!(left(), 9);
        clean_up(folder.path()).expect("a folder");
        assert_eq!(left(), 6);
        drop(written);
        clean_up(folder.path()).expect("a folder");
        assert_eq!(left(), 5);
    }
}
