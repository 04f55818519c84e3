//! The files of a folder of tables: their names, and how they are written so that none is ever half there.

use super::error::TablebaseError;
use super::header::Kind;
use super::index::Sector;
use super::manifest::MANIFEST;
use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;
use xxhash_rust::xxh3::Xxh3;

/// Makes a rename in `folder` last through a power failure, where the system allows it.
pub(super) fn sync_folder(folder: &Path) -> Result<(), TablebaseError> {
    #[cfg(unix)]
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(TablebaseError::io("sync", folder))?;
    #[cfg(not(unix))]
    let _ = folder;
    Ok(())
}

/// Name of the file of a sector, as `3_3_0_0.wdl`.
pub fn file_name(sector: Sector, kind: Kind) -> String {
    format!("{sector}.{}", kind.extension())
}

/// The sector and the kind of file that a name stands for.
pub fn parse_name(name: &str) -> Option<(Sector, Kind)> {
    let (numbers, extension) = name.split_once('.')?;
    let kind = [Kind::Wdl, Kind::Distance].into_iter().find(|kind| kind.extension() == extension)?;
    let numbers: Option<Vec<u8>> = numbers.split('_').map(|number| number.parse().ok()).collect();
    let &[own, theirs, own_hand, their_hand] = numbers?.as_slice() else { return None };
    let sector = Sector { own, theirs, own_hand, their_hand };
    // As written, and not as `03_3_0_0.wdl`.
    (sector.is_possible() && file_name(sector, kind) == name).then_some((sector, kind))
}

/// The files of a folder whose names end as those of tables do, sorted.
///
/// # Errors
/// When the folder cannot be read.
pub fn table_files(folder: &Path) -> Result<Vec<PathBuf>, TablebaseError> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(TablebaseError::io("read folder", folder))? {
        let path = entry.map_err(TablebaseError::io("read folder", folder))?.path();
        let extension = path.extension().and_then(|extension| extension.to_str());
        if extension.is_some_and(|e| e == Kind::Wdl.extension() || e == Kind::Distance.extension()) {
            names.push(path);
        }
    }
    names.sort();
    Ok(names)
}

/// Writes a small file whole: to a temporary name, synced, then renamed.
///
/// # Errors
/// When the folder cannot be written to.
pub fn replace(path: &Path, content: &[u8]) -> Result<(), TablebaseError> {
    let temporary = temporary_of(path);
    let write = || {
        let mut file = create_temporary(&temporary)?;
        file.write_all(content)
            .and_then(|()| file.sync_all())
            .map_err(TablebaseError::io("write", &temporary))?;
        std::fs::rename(&temporary, path).map_err(TablebaseError::io("rename to", path))
    };
    write().inspect_err(|_| {
        // Nothing to be done if this fails too: the name says that it is a leftover.
        let _ = std::fs::remove_file(&temporary);
    })?;
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).map_or(Ok(()), sync_folder)
}

/// A temporary name beside a file: `NAME.PROCESS-RANDOM.tmp`. Processes of two machines, or of two containers, that
/// share the folder may have the same number.
pub(super) fn temporary_of(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}-{:016x}.tmp", std::process::id(), rand::random::<u64>()));
    path.with_file_name(name)
}

/// Creates a temporary file and locks it for as long as it is open, so that it can be told from the leftover of a
/// process that was killed.
pub(super) fn create_temporary(path: &Path) -> Result<File, TablebaseError> {
    let file = File::options().write(true).create_new(true).open(path);
    let file = file.map_err(TablebaseError::io("create", path))?;
    // Where the file system knows no locks, leftovers are told by their age alone.
    let _ = fs4::FileExt::try_lock(&file);
    Ok(file)
}

/// Waits until nobody else holds the lock file `path`, and holds it until the file returned is closed. It stays behind,
/// since removing it could take it from somebody who has just opened it.
pub(super) fn lock(path: &Path) -> Result<File, TablebaseError> {
    let file = File::options().write(true).create(true).truncate(false).open(path);
    let file = file.map_err(TablebaseError::io("create", path))?;
    // Where the file system knows no locks, the folder can be written to all the same.
    let _ = fs4::FileExt::lock(&file);
    Ok(file)
}

/// Temporary files that nobody has written to for so long may be leftovers. A writer writes all the time, and where
/// locks do not reach from one machine to the other this is all that tells it from one that was killed.
const LEFTOVER_AGE: Duration = Duration::from_secs(60 * 60);

/// Removes the temporary files that killed processes left in `folder`; returns how many there were.
///
/// # Errors
/// When the folder cannot be read.
pub fn remove_leftovers(folder: &Path) -> Result<usize, TablebaseError> {
    let mut removed = 0;
    for entry in std::fs::read_dir(folder).map_err(TablebaseError::io("read folder", folder))? {
        let path = entry.map_err(TablebaseError::io("read folder", folder))?.path();
        if !is_temporary(&path) {
            continue;
        }
        // Another process may remove or rename it meanwhile.
        let Ok(file) = File::open(&path) else { continue };
        let age = file.metadata().and_then(|data| data.modified()).ok().and_then(|time| time.elapsed().ok());
        let is_left = fs4::FileExt::try_lock(&file).is_ok();
        if age.is_some_and(|age| age >= LEFTOVER_AGE) && is_left && std::fs::remove_file(&path).is_ok() {
            removed += 1;
        }
    }
    Ok(removed)
}

/// Whether a name is one that [`temporary_of`] gives to a table or a manifest.
fn is_temporary(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let Some((name, writer)) = name.strip_suffix(".tmp").and_then(|name| name.rsplit_once('.')) else {
        return false;
    };
    let is_number = |(process, random): (&str, &str)| {
        process.parse::<u32>().is_ok() && u64::from_str_radix(random, 16).is_ok()
    };
    (name == MANIFEST || parse_name(name).is_some()) && writer.split_once('-').is_some_and(is_number)
}

/// Hash of a whole file, as the manifest holds it.
///
/// # Errors
/// When the file cannot be read.
pub fn hash_file(path: &Path) -> Result<u64, TablebaseError> {
    let mut file = File::open(path).map_err(TablebaseError::io("open", path))?;
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::SystemTime;

    #[test]
    fn leftovers_of_killed_processes_go_and_nothing_else() {
        let folder = std::env::temp_dir().join(format!("millstone-leftovers-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let old = SystemTime::now() - 2 * LEFTOVER_AGE;
        let make = |name: &str, is_old: bool| {
            let file = create_temporary(&folder.join(name)).expect("a file");
            if is_old {
                file.set_modified(old).expect("a time");
            }
            file
        };
        let temporary = |name: &str| {
            let path = temporary_of(Path::new(name));
            path.to_str().expect("a plain name").to_owned()
        };
        let written = make(&temporary("4_3_0_0.wdl"), true);
        for name in ["3_3_0_0.wdl", "3_3_0_0.dist", MANIFEST] {
            make(&temporary(name), true);
        }
        for name in ["3_4_0_0.wdl", "notes.tmp", "notes.5-0.tmp", "3_3_0_0.wdl.x-0.tmp"] {
            make(name, true);
        }
        // One of another machine, say, where the lock cannot be seen.
        make(&temporary("5_3_0_0.wdl"), false);
        assert_eq!(remove_leftovers(&folder).expect("a folder"), 3);
        assert_eq!(std::fs::read_dir(&folder).expect("a folder").count(), 6);
        drop(written);
        assert_eq!(remove_leftovers(&folder).expect("a folder"), 1);
        std::fs::remove_dir_all(&folder).expect("removed");
    }

    #[test]
    fn no_two_writers_of_a_file_share_a_temporary_name() {
        let path = Path::new("tables/3_3_0_0.wdl");
        let names = [temporary_of(path), temporary_of(path)];
        assert_ne!(names[0], names[1]);
        assert!(names.iter().all(|name| name.parent() == path.parent() && is_temporary(name)), "{names:?}");
    }
}
