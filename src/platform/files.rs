//! Files: only regular ones are opened, new ones are written under a temporary name, synced and renamed, and
//! one function locks files and folders.

use std::fs::{self, File};
use std::io::{self, BufRead, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tempfile::{Builder, NamedTempFile};

/// Refuses a path that leads, also through a link, to something other than a regular file: opening a pipe
/// would block, and reading a device would never end. A path that does not exist is accepted.
///
/// # Errors
/// If it is a pipe, a socket, a device or a folder.
fn check_regular(path: &Path) -> io::Result<()> {
    match fs::metadata(path) {
        Ok(file) if !file.is_file() => Err(not_regular()),
        _ => Ok(()),
    }
}

fn not_regular() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file")
}

/// Refuses a path that is no place for a file to write. A path that does not exist is accepted.
///
/// # Errors
/// As [`check_regular`]; or if it names a stream: by `-`, or as `/dev/stdout`, which would overwrite a file
/// that the stream leads to.
pub(crate) fn check_target(path: &Path) -> io::Result<()> {
    if is_dash(path) {
        let why = "found the sign for a standard stream, expected a file";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
    }
    if is_stream(path) { Err(not_regular()) } else { check_regular(path) }
}

/// Returns true for `-`, which stands for a standard stream on the command line.
pub(crate) fn is_dash(path: &Path) -> bool {
    path == Path::new("-")
}

/// Opens a regular file for reading.
///
/// # Errors
/// As [`check_regular`], and if the system refuses.
pub(crate) fn open_regular(path: &Path) -> io::Result<File> {
    check_regular(path)?;
    File::open(path)
}

/// Returns true if two names are equal or lead to the same file, by links too. Of a file that does not exist
/// yet the folder counts, and the name in it.
pub(crate) fn is_same(one: &Path, other: &Path) -> bool {
    #[cfg(unix)]
    let id = |path: &Path| {
        use std::os::unix::fs::MetadataExt as _;
        fs::metadata(path).map(|file| (file.dev(), file.ino()))
    };
    #[cfg(not(unix))]
    let id = |path: &Path| path.canonicalize();
    let place = |path: &Path| Some((folder_of(path).canonicalize().ok()?, path.file_name()?.to_owned()));
    match (id(one), id(other)) {
        (Ok(one), Ok(other)) => one == other,
        (Err(_), Err(_)) => one == other || place(one).is_some_and(|one| place(other) == Some(one)),
        _ => false,
    }
}

/// The most links in a row that Linux follows.
const MOST_LINKS: usize = 40;

/// Returns true for a name of an open stream of this process, such as `/dev/stdout`, and for a link to one:
/// the system makes the stream a link to whatever it leads to.
fn is_stream(path: &Path) -> bool {
    let in_proc =
        |path: &PathBuf| folder_of(path).canonicalize().is_ok_and(|folder| folder.starts_with("/proc"));
    let next = |path: &PathBuf| Some(folder_of(path).join(path.read_link().ok()?));
    std::iter::successors(Some(path.to_owned()), next).take(1 + MOST_LINKS).any(|path| in_proc(&path))
}

/// Reads a whole regular file of at most `most` bytes.
///
/// # Errors
/// As [`open_regular`]; if the file is longer; if there is not enough memory.
pub(crate) fn read_regular(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let file = open_regular(path)?;
    let length = file.metadata()?.len();
    read_whole(file, most, length)
}

/// Reads `input` to its end. `length` is the number of bytes that the system reports, `most` the limit.
///
/// # Errors
/// If it has more, if there is not enough memory, or if the system refuses.
pub(crate) fn read_whole(input: impl Read, most: u64, length: u64) -> io::Result<Vec<u8>> {
    if length > most {
        return Err(too_long(&format!("{length} bytes"), most));
    }
    let mut bytes = Vec::new();
    let fits = usize::try_from(length).is_ok_and(|length| bytes.try_reserve_exact(length).is_ok());
    if !fits {
        return Err(io::ErrorKind::OutOfMemory.into());
    }
    if input.take(most.saturating_add(1)).read_to_end(&mut bytes)? as u64 > most {
        return Err(too_long("more bytes", most));
    }
    Ok(bytes)
}

/// Reads a line with its end into `line`, which is empty at the end of the input.
///
/// Drops the rest of a line without an end among the first `most` bytes, and returns true then.
///
/// # Errors
/// If the input cannot be read.
pub(crate) fn read_line(input: &mut impl BufRead, most: u64, line: &mut Vec<u8>) -> io::Result<bool> {
    line.clear();
    input.by_ref().take(most).read_until(b'\n', line)?;
    let is_cut = line.len() as u64 == most && !line.ends_with(b"\n");
    if is_cut {
        input.skip_until(b'\n')?;
    }
    Ok(is_cut)
}

/// The error of a file that is too long to be read whole.
fn too_long(found: &str, most: u64) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("found {found}, expected at most {most}"))
}

/// Returns the path to write in place of `path`: the target of a link is replaced, not the link.
///
/// # Errors
/// If the link leads to nothing.
pub(crate) fn target(path: &Path) -> io::Result<PathBuf> {
    if !path.is_symlink() {
        return Ok(path.to_owned());
    }
    path.canonicalize().map_err(|why| match why.kind() {
        kind @ io::ErrorKind::NotFound => {
            io::Error::new(kind, "found a link to nothing, expected a file or a new name")
        }
        _ => why,
    })
}

/// Syncs a file or folder to the disk, if its file system can. On macOS, network, NTFS and FUSE file systems
/// cannot.
///
/// # Errors
/// If writing fails.
pub(crate) fn sync(file: &File) -> io::Result<()> {
    use io::ErrorKind::{InvalidInput, Unsupported};
    match file.sync_all() {
        // ENOTTY has no kind.
        Err(why) if cfg!(unix) && why.raw_os_error() == Some(25) => Ok(()),
        Err(why) if matches!(why.kind(), InvalidInput | Unsupported) => Ok(()),
        synced => synced,
    }
}

/// A file that is being written under a temporary name. [`finish`](Self::finish) gives it its name; if
/// dropped before that, it is deleted.
pub(crate) struct WholeFile {
    file: NamedTempFile,
    path: PathBuf,
}

/// The number of random letters and digits in a temporary name. The process number alone is not unique:
/// machines or containers may share the folder.
const RANDOM: usize = 16;
/// The ending of a temporary name.
const SUFFIX: &str = ".tmp";

impl WholeFile {
    /// Creates `NAME.PROCESS-RANDOM.tmp` in the folder of `path`. The file is locked while it is open, which
    /// distinguishes it from the leftover of a killed process.
    ///
    /// # Errors
    /// If the folder is missing or cannot be written to, or if `path` ends in a separator, is read-only or is
    /// refused by [`check_target`]: a pipe or a device must not be replaced.
    pub(crate) fn create(path: &Path) -> io::Result<Self> {
        check_target(path)?;
        Self::create_unlinked(&target(path)?)
    }

    /// As [`create`](Self::create), but a link is replaced by the file, and what it points to stays as it is.
    /// For folders whose files belong to the program.
    ///
    /// # Errors
    /// As [`create`](Self::create).
    pub(crate) fn create_unlinked(path: &Path) -> io::Result<Self> {
        let older = path.symlink_metadata().ok().filter(|older| !older.is_symlink());
        if older.as_ref().is_some_and(|older| !older.is_file()) {
            return Err(not_regular());
        }
        if older.as_ref().is_some_and(|older| older.permissions().readonly()) {
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, "it is read-only"));
        }
        // For the system `name/` and `name/.` are folders, but `file_name` ignores these ends.
        let name = path.file_name().unwrap_or_default();
        if name.is_empty() || !path.as_os_str().as_encoded_bytes().ends_with(name.as_encoded_bytes()) {
            let why = "found the name of a folder, expected that of a file";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
        }
        let mut prefix = name.to_owned();
        prefix.push(format!(".{}-", std::process::id()));
        let mut builder = Builder::new();
        builder.prefix(&prefix).suffix(SUFFIX).rand_bytes(RANDOM);
        let folder = folder_of(path);
        let in_folder = |why: io::Error| io::Error::new(why.kind(), format!("its folder: {why}"));
        if !folder.metadata().map_err(in_folder)?.is_dir() {
            return Err(in_folder(io::ErrorKind::NotADirectory.into()));
        }
        // The package itself would make it readable by the owner alone, and name it in its errors.
        let create = |path: &Path| File::options().read(true).write(true).create_new(true).open(path);
        let file = builder.make_in(folder, create)?;
        if let Some(older) = older {
            file.as_file().set_permissions(older.permissions())?;
        }
        // In a file system without locks, only their age identifies leftovers.
        let _ = fs4::FileExt::try_lock(file.as_file());
        Ok(Self { file, path: path.to_owned() })
    }

    /// Syncs the file and renames it; it replaces an older file. It then survives a power failure, as far as
    /// the system guarantees.
    ///
    /// # Errors
    /// If the system refuses. The temporary file is then deleted, and an older file is unchanged, unless only
    /// the last step failed, the sync of the folder.
    pub(crate) fn finish(self) -> io::Result<()> {
        sync(self.file.as_file())?;
        self.file.persist(&self.path).map_err(|refused| refused.error)?;
        // A folder may be writable but not readable.
        #[cfg(unix)]
        if let Ok(folder) = File::open(folder_of(&self.path)) {
            match sync(&folder) {
                // Some network file systems say EBADF of folders.
                Err(why) if why.raw_os_error() == Some(9) => {}
                synced => synced?,
            }
        }
        Ok(())
    }

    /// Leaves the file as a killed process would: under its temporary name, locked until it is closed.
    #[cfg(test)]
    pub(crate) fn abandon(self) -> File {
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

/// Returns the path of a file beside another: its name with an ending added.
pub(crate) fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

/// Opens a lock file, and creates it if it is missing. It is never deleted: another process may just have
/// opened it.
///
/// # Errors
/// If it cannot be opened or created, or is not a regular file, or is a link, which could create a file
/// elsewhere.
pub(crate) fn open_lock_file(path: &Path) -> io::Result<File> {
    if path.is_symlink() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is a link, expected a file"));
    }
    check_regular(path)?;
    match File::options().write(true).create(true).truncate(false).open(path) {
        // A file of another user can be locked without the right to write it.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => File::open(path).map_err(|_| error),
        opened => opened,
    }
}

/// Locks an open file or folder against other processes and threads until the returned handle is dropped.
/// Returns `None` if the file system has no locks.
pub(crate) fn lock(file: File) -> Option<File> {
    fs4::FileExt::lock(&file).is_ok().then_some(file)
}

/// As [`lock`], but waits for at most `timeout`.
///
/// # Errors
/// If the time is up.
pub(crate) fn lock_within(file: File, timeout: Duration) -> io::Result<Option<File>> {
    let begun = Instant::now();
    loop {
        match fs4::FileExt::try_lock(&file) {
            Ok(()) => return Ok(Some(file)),
            Err(fs4::TryLockError::WouldBlock) if begun.elapsed() < timeout => {
                std::thread::sleep(Duration::from_millis(10));
            }
            Err(fs4::TryLockError::WouldBlock) => return Err(busy()),
            Err(fs4::TryLockError::Error(_)) => return Ok(None),
        }
    }
}

/// Returns true if another handle holds the lock of an open file. Otherwise locks the file, unless its file
/// system has no locks.
pub(crate) fn is_locked_elsewhere(file: &File) -> bool {
    matches!(fs4::FileExt::try_lock(file), Err(fs4::TryLockError::WouldBlock))
}

/// The error of a file that another run has locked.
pub(crate) fn busy() -> io::Error {
    io::Error::new(io::ErrorKind::ResourceBusy, "another run is writing it")
}

/// Writes a small file atomically: readers see the old file or the new one, never a part.
///
/// # Errors
/// As [`WholeFile::create`] and [`WholeFile::finish`].
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = WholeFile::create(path)?;
    file.write_all(bytes)?;
    file.finish()
}

/// Lets the process have as many files open as the system allows, and returns their number. If the limit
/// cannot be raised, opening files fails later.
pub(crate) fn raise_limit() -> usize {
    // Without an answer, a number that all systems allow.
    let limit = rlimit::increase_nofile_limit(u64::MAX).unwrap_or(64);
    usize::try_from(limit).unwrap_or(usize::MAX)
}

/// Creates a file in a folder that the system deletes when it is closed, also if the process is killed.
///
/// # Errors
/// If the folder is missing or cannot be written to.
pub(crate) fn create_temporary(folder: &Path) -> io::Result<File> {
    tempfile::tempfile_in(folder)
}

/// Opens a file to read and to append to, which is created if it is missing.
///
/// # Errors
/// As [`check_target`], and if the system refuses.
pub(crate) fn open_log(path: &Path) -> io::Result<File> {
    check_target(path)?;
    File::options().read(true).append(true).create(true).open(path)
}

/// Returns the paths of the entries of a folder.
///
/// # Errors
/// If the folder cannot be read.
pub(crate) fn read_folder(folder: &Path) -> io::Result<Vec<PathBuf>> {
    fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect()
}

/// Returns the paths of a list as `PATH` has them.
pub(crate) fn split_paths(list: &str) -> Vec<PathBuf> {
    std::env::split_paths(list).collect()
}

/// The minimum age of a leftover. A running writer writes all the time. Where locks do not work between
/// machines, age is the only sign of a leftover.
pub(crate) const LEFTOVER_AGE: Duration = Duration::from_secs(60 * 60);

/// Deletes the temporary files that killed processes left in a folder, if `is_ours` accepts the name they
/// were meant to get.
///
/// # Errors
/// If the folder cannot be read.
pub(crate) fn remove_leftovers(folder: &Path, is_ours: impl Fn(&str) -> bool) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        if !name.to_str().and_then(name_of_temporary).is_some_and(&is_ours) {
            continue;
        }
        // Another process may delete or rename it meanwhile.
        let Ok(file) = open_regular(&entry.path()) else { continue };
        let age = file.metadata().and_then(|data| data.modified()).ok().and_then(|time| time.elapsed().ok());
        // Without locks between machines no file looks locked. Then its age decides.
        if age.is_some_and(|age| age >= LEFTOVER_AGE) && !is_locked_elsewhere(&file) {
            // Fails if another process has deleted it.
            let _ = fs::remove_file(entry.path());
        }
    }
    Ok(())
}

/// Deletes the temporary files that killed processes left of one file.
///
/// If they cannot be deleted, the file itself is still sound, so that is no error.
pub(crate) fn remove_leftovers_of(path: &Path) {
    if let Ok(path) = target(path) {
        let is_ours = |name: &str| path.file_name().is_some_and(|own| own == name);
        let _ = remove_leftovers(folder_of(&path), is_ours);
    }
}

/// Returns the name that a temporary file was meant to get, or `None` if `name` is not a temporary name.
fn name_of_temporary(name: &str) -> Option<&str> {
    let (name, writer) = name.strip_suffix(SUFFIX)?.rsplit_once('.')?;
    let (process, random) = writer.split_once('-')?;
    let is_random = !random.is_empty() && random.bytes().all(|byte| byte.is_ascii_alphanumeric());
    (process.parse::<u32>().is_ok() && is_random).then_some(name)
}

/// Returns the folder that a file is in.
pub(crate) fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).expect("a folder");
        let name = |entry: io::Result<fs::DirEntry>| entry.expect("an entry").file_name();
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
            write_whole(&path, text.as_bytes()).expect("written");
            assert_eq!(fs::read_to_string(&path).expect("a file"), text);
            assert_eq!(names(folder.path()), ["notes.txt"]);
        }
        // A folder cannot be replaced.
        fs::create_dir(folder.path().join("taken")).expect("a folder");
        write_whole(&folder.path().join("taken"), b"text").expect_err("refused");
        for end in ["", "/", "/.", "/.."] {
            let path = with_ending(&folder.path().join("new"), end);
            assert_eq!(WholeFile::create(&path).is_ok(), end.is_empty(), "{}", path.display());
        }
        assert_eq!(names(folder.path()).len(), 2);
        let error = write_whole(&path.join("file"), b"text").expect_err("no folder").to_string();
        assert_eq!(error, "its folder: not a directory");
        // Its temporary name is too long, which is not the name that was asked for.
        let long = folder.path().join("n".repeat(250));
        let error = write_whole(&long, b"text").expect_err("too long").to_string();
        assert!(!error.contains("nnn") && !error.contains(SUFFIX), "{error}");
    }

    #[test]
    fn a_file_is_read_whole_up_to_its_limit() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("file");
        fs::write(&path, "12345").expect("written");
        assert_eq!(read_regular(&path, 5).expect("as long as allowed"), b"12345");
        let why = read_regular(&path, 4).expect_err("too long").to_string();
        assert_eq!(why, "found 5 bytes, expected at most 4");
        // The system reports no length, as for a pipe.
        assert_eq!(read_whole(&b"12345"[..], 5, 0).expect("as long as allowed"), b"12345");
        let why = read_whole(std::io::repeat(0), 1000, 0).expect_err("it has no end").to_string();
        assert_eq!(why, "found more bytes, expected at most 1000");
        // A file without blocks on the disk.
        File::create(&path).and_then(|file| file.set_len(1 << 40)).expect("a long file");
        read_regular(&path, 1 << 20).expect_err("too long");
    }

    #[test]
    fn two_names_of_one_file_are_the_same_before_it_exists_too() {
        let folder = tempfile::tempdir().expect("a folder");
        let [one, two] = ["new", "other"].map(|name| folder.path().join(name));
        let again = folder.path().join(".").join("new");
        for _ in 0..2 {
            assert!(is_same(&one, &one) && is_same(&one, &again) && !is_same(&one, &two));
            fs::write(&one, "text").expect("written");
        }
        #[cfg(target_os = "linux")]
        for stream in ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/2"] {
            let refused = write_whole(Path::new(stream), b"text").expect_err("a stream").to_string();
            assert_eq!(refused, not_regular().to_string(), "{stream}");
        }
    }

    #[test]
    fn a_stream_is_not_written_as_a_file() {
        for refused in [write_whole(Path::new("-"), b"text"), open_log(Path::new("-")).map(drop)] {
            let why = refused.expect_err("a stream").to_string();
            assert_eq!(why, "found the sign for a standard stream, expected a file");
        }
        // A stream that leads to a file.
        #[cfg(target_os = "linux")]
        {
            use std::os::fd::AsRawFd as _;
            let folder = tempfile::tempdir().expect("a folder");
            let file = File::create(folder.path().join("output")).expect("a file");
            let stream = PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()));
            assert!(stream.is_file());
            // A link to it, and a link to that one.
            let [first, second] = ["first", "second"].map(|name| folder.path().join(name));
            for (target, link) in [(stream.as_path(), &first), (Path::new("first"), &second)] {
                std::os::unix::fs::symlink(target, link).expect("a link");
            }
            for stream in [stream, first, second] {
                for refused in [write_whole(&stream, b"text"), open_log(&stream).map(drop)] {
                    let why = refused.expect_err("a stream").to_string();
                    assert_eq!(why, not_regular().to_string(), "{}", stream.display());
                }
            }
        }
    }

    #[test]
    fn other_names_are_not_temporary() {
        for name in
            ["notes.tmp", "notes.5.tmp", "notes.x-1.tmp", "notes.5-.tmp", "notes.5-_.tmp", "notes.5-1"]
        {
            assert_eq!(name_of_temporary(name), None, "{name}");
        }
    }

    #[test]
    fn a_lock_is_waited_for_until_the_time_is_up() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("some.lock");
        let open = || [File::open(folder.path()), open_lock_file(&file)].map(|file| file.expect("opened"));
        for ((first, second), third) in open().into_iter().zip(open()).zip(open()) {
            let short = Duration::from_millis(30);
            // Some systems have no locks on folders.
            let Some(held) = lock_within(first, short).expect("the time is not up") else { continue };
            assert_eq!(lock_within(second, short).expect_err("locked").kind(), io::ErrorKind::ResourceBusy);
            drop(held);
            assert!(lock(third).is_some());
        }
        assert_eq!(names(folder.path()), ["some.lock"], "a lock on a folder leaves no file");
    }

    #[cfg(unix)]
    #[test]
    fn permissions_are_those_of_any_new_file() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().expect("a folder");
        let (ours, plain) = (folder.path().join("ours"), folder.path().join("plain"));
        write_whole(&ours, b"text").expect("written");
        fs::write(&plain, b"text").expect("written");
        let mode = |path: &Path| path.metadata().expect("a file").permissions().mode();
        assert_eq!(mode(&ours), mode(&plain));
        // Those of an older file stay, and so does a link to it.
        let set = |mode: u32| {
            fs::set_permissions(&ours, fs::Permissions::from_mode(mode)).expect("permitted");
        };
        set(0o600);
        let link = folder.path().join("link");
        std::os::unix::fs::symlink(&ours, &link).expect("a link");
        write_whole(&link, b"more").expect("written");
        assert!(link.is_symlink());
        assert_eq!((mode(&ours) & 0o777, fs::read(&ours).expect("a file")), (0o600, b"more".to_vec()));
        open_lock_file(&link).expect_err("it is a link");
        // A link is replaced where that is asked for, also one to nothing or to a device.
        for target in [ours.as_path(), Path::new("/missing/file"), Path::new("/dev/null")] {
            fs::remove_file(&link).expect("removed");
            std::os::unix::fs::symlink(target, &link).expect("a link");
            let mut file = WholeFile::create_unlinked(&link).expect("begun");
            file.write_all(b"new").and_then(|()| file.finish()).expect("written");
            assert!(!link.is_symlink());
            assert_eq!((mode(&link), fs::read(&link).expect("a file")), (mode(&plain), b"new".to_vec()));
        }
        assert_eq!(fs::read(&ours).expect("a file"), b"more");
        fs::remove_file(&link).expect("removed");
        std::os::unix::fs::symlink("missing", &link).expect("a link");
        let error = write_whole(&link, b"text").expect_err("it leads to nothing").to_string();
        assert_eq!(error, "found a link to nothing, expected a file or a new name");
        set(0o444);
        write_whole(&ours, b"text").expect_err("it is read-only");
        assert_eq!(fs::read(&ours).expect("a file"), b"more");
    }
}
