//! Files that people name, opened only if they are regular ones: a pipe would be waited for, and a device read without end.

use std::fs::{self, File};
use std::io;
use std::path::Path;

/// Refuses what is there, or behind a link there, and is no regular file. A name that nothing has yet is left to whoever
/// opens it.
///
/// # Errors
/// When it is a pipe, a socket, a device or a folder.
pub fn check(path: &Path) -> io::Result<()> {
    match fs::metadata(path) {
        Ok(file) if !file.is_file() => {
            Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"))
        }
        _ => Ok(()),
    }
}

/// Opens a regular file for reading.
///
/// # Errors
/// As [`check`], and when the system refuses.
pub fn open(path: &Path) -> io::Result<File> {
    check(path)?;
    File::open(path)
}

/// Reads a regular file whole.
///
/// # Errors
/// As [`open`].
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    check(path)?;
    fs::read(path)
}
