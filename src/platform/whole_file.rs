//! Files that are never half there: written under a temporary name beside their own, synced, then renamed.

use crate::platform::regular_file;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::{Builder, NamedTempFile};

/// A file in the making. It gets its name when it is finished; dropped before, it is gone.
pub struct WholeFile {
    file: NamedTempFile,
    path: PathBuf,
}

/// Random letters and digits of a temporary name, beside the number of the process: those of two machines, or of two
/// containers, that share the folder may be the same.
const RANDOM: usize = 16;
/// Ending of a temporary name.
const SUFFIX: &str = ".tmp";

impl WholeFile {
    /// Begins a file as `NAME.PROCESS-RANDOM.tmp` in the folder of `path`. It is locked for as long as it is open, so
    /// that it can be told from the leftover of a process that was killed.
    ///
    /// # Errors
    /// When the folder is missing or cannot be written to, or what has the name is no regular file: a pipe or a device
    /// would be replaced.
    pub fn create(path: &Path) -> io::Result<Self> {
        regular_file::check(path)?;
        // What a link leads to is replaced, not the link.
        let path = if path.is_symlink() { path.canonicalize()? } else { path.to_owned() };
        let older = path.metadata().ok();
        if older.as_ref().is_some_and(|older| older.permissions().readonly()) {
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, "it is read-only"));
        }
        let mut prefix = path.file_name().unwrap_or_default().to_owned();
        prefix.push(format!(".{}-", std::process::id()));
        let mut builder = Builder::new();
        builder.prefix(&prefix).suffix(SUFFIX).rand_bytes(RANDOM);
        // Those of any new file, from which the system takes what the user's mask forbids; the package would make it the
        // owner's alone.
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let file = builder.tempfile_in(folder_of(&path))?;
        if let Some(older) = older {
            file.as_file().set_permissions(older.permissions())?;
        }
        // Where the file system knows no locks, leftovers are told by their age alone.
        let _ = fs4::FileExt::try_lock(file.as_file());
        Ok(Self { file, path })
    }

    /// Gives the file its name, in place of an older one. It lasts through a power failure then, where the system allows
    /// it.
    ///
    /// # Errors
    /// When the system refuses; the file is gone then, and an older one stays as it was.
    pub fn finish(self) -> io::Result<()> {
        self.file.as_file().sync_all()?;
        self.file.persist(&self.path).map_err(|refused| refused.error)?;
        // A folder that may be written to need not be readable.
        #[cfg(unix)]
        if let Ok(folder) = std::fs::File::open(folder_of(&self.path)) {
            folder.sync_all()?;
        }
        Ok(())
    }

    /// What the death of the process leaves: the file under its temporary name, locked until it is closed.
    #[cfg(test)]
    pub(crate) fn abandon(self) -> std::fs::File {
        self.file.keep().expect("kept").0
    }
}

impl Write for WholeFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.as_file_mut().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.as_file_mut().flush()
    }
}

/// Waits until nobody else has the turn to read, change and write files of the folder of `path`, and holds it until what
/// is returned is closed. Nobody waits longer than two seconds, for one that was stopped in its turn, and where the system
/// knows no locks on folders everybody has the turn.
pub fn wait_for_turn(path: &Path) -> Option<std::fs::File> {
    let folder = std::fs::File::open(folder_of(path)).ok()?;
    for _ in 0..200 {
        if fs4::FileExt::try_lock(&folder).is_ok() {
            return Some(folder);
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    None
}

/// Writes a small file whole.
///
/// # Errors
/// When the system refuses; an older file stays as it was.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = WholeFile::create(path)?;
    file.write_all(bytes)?;
    file.finish()
}

/// Temporary files that nobody has written to for so long may be leftovers. A writer writes all the time, and where
/// locks do not reach from one machine to the other this is all that tells it from one that was killed.
pub(crate) const LEFTOVER_AGE: Duration = Duration::from_secs(60 * 60);

/// Removes the temporary files that killed processes left in a folder, of those that were to get a name that `is_ours`;
/// returns how many there were.
///
/// # Errors
/// When the folder cannot be read.
pub fn remove_leftovers(folder: &Path, is_ours: impl Fn(&str) -> bool) -> io::Result<usize> {
    let mut removed = 0;
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        if !name.to_str().and_then(name_of_temporary).is_some_and(&is_ours) {
            continue;
        }
        // Another process may remove or rename it meanwhile.
        let Ok(file) = regular_file::open(&entry.path()) else { continue };
        let age = file.metadata().and_then(|data| data.modified()).ok().and_then(|time| time.elapsed().ok());
        let is_left = fs4::FileExt::try_lock(&file).is_ok();
        if age.is_some_and(|age| age >= LEFTOVER_AGE) && is_left && std::fs::remove_file(entry.path()).is_ok()
        {
            removed += 1;
        }
    }
    Ok(removed)
}

/// The name that a file was to get that has this temporary one; none if `name` is not such a name.
pub fn name_of_temporary(name: &str) -> Option<&str> {
    let (name, writer) = name.strip_suffix(SUFFIX)?.rsplit_once('.')?;
    let (process, random) = writer.split_once('-')?;
    let is_random = !random.is_empty() && random.bytes().all(|byte| byte.is_ascii_alphanumeric());
    (process.parse::<u32>().is_ok() && is_random).then_some(name)
}

/// The folder that a file is in.
pub(crate) fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = std::fs::read_dir(folder).expect("a folder");
        let name = |entry: io::Result<std::fs::DirEntry>| entry.expect("an entry").file_name();
        entries.map(|entry| name(entry).to_string_lossy().into_owned()).collect()
    }

    #[test]
    fn a_file_has_its_name_when_it_is_finished_and_none_when_it_is_not() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("notes.txt");
        for text in ["first", "second"] {
            let mut two = [(); 2].map(|()| WholeFile::create(&path).expect("begun"));
            two[0].write_all(b"half").expect("written");
            let temporary = names(folder.path());
            let found: Vec<&str> = temporary.iter().filter_map(|name| name_of_temporary(name)).collect();
            assert_eq!(found, ["notes.txt"; 2], "no two writers share a name: {temporary:?}");
            drop(two);
            write(&path, text.as_bytes()).expect("written");
            assert_eq!(std::fs::read_to_string(&path).expect("a file"), text);
            assert_eq!(names(folder.path()), ["notes.txt"]);
        }
        // A folder cannot be replaced.
        std::fs::create_dir(folder.path().join("taken")).expect("a folder");
        write(&folder.path().join("taken"), b"text").expect_err("refused");
        assert_eq!(names(folder.path()).len(), 2);
    }

    #[test]
    fn other_names_are_not_temporary() {
        for name in
            ["notes.tmp", "notes.5.tmp", "notes.x-1.tmp", "notes.5-.tmp", "notes.5-_.tmp", "notes.5-1"]
        {
            assert_eq!(name_of_temporary(name), None, "{name}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn permissions_are_those_of_any_new_file() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().expect("a folder");
        let (ours, plain) = (folder.path().join("ours"), folder.path().join("plain"));
        write(&ours, b"text").expect("written");
        std::fs::write(&plain, b"text").expect("written");
        let mode = |path: &Path| path.metadata().expect("a file").permissions().mode();
        assert_eq!(mode(&ours), mode(&plain));
        // Those of an older file stay, and so does a link to it.
        let set = |mode: u32| {
            std::fs::set_permissions(&ours, std::fs::Permissions::from_mode(mode)).expect("permitted");
        };
        set(0o600);
        let link = folder.path().join("link");
        std::os::unix::fs::symlink(&ours, &link).expect("a link");
        write(&link, b"more").expect("written");
        assert!(link.is_symlink());
        assert_eq!((mode(&ours) & 0o777, std::fs::read(&ours).expect("a file")), (0o600, b"more".to_vec()));
        set(0o444);
        write(&ours, b"text").expect_err("it is read-only");
        assert_eq!(std::fs::read(&ours).expect("a file"), b"more");
    }
}
