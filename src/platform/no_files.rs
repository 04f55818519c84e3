//! The interface of `files.rs` where there are no files: all of it fails.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

fn none() -> io::Error {
    io::Error::new(io::ErrorKind::Unsupported, "this build for WebAssembly cannot open files")
}

pub(crate) fn open_regular(_: &Path) -> io::Result<File> {
    Err(none())
}

pub(crate) fn read_regular(_: &Path, _: u64) -> io::Result<Vec<u8>> {
    Err(none())
}

pub(crate) fn open_log(_: &Path) -> io::Result<File> {
    Err(none())
}

pub(crate) fn read_folder(_: &Path) -> io::Result<Vec<PathBuf>> {
    Err(none())
}

pub(crate) fn raise_limit() -> usize {
    0
}

pub(crate) fn create_temporary(_: &Path) -> io::Result<File> {
    Err(none())
}

/// Returns the path itself: no file is beside another.
pub(crate) fn with_ending(path: &Path, _: &str) -> PathBuf {
    path.to_owned()
}

/// Returns the list as one name, which does not exist.
pub(crate) fn split_paths(list: &str) -> Vec<PathBuf> {
    Some(list).filter(|list| !list.is_empty()).map(PathBuf::from).into_iter().collect()
}

pub(crate) fn target(_: &Path) -> io::Result<PathBuf> {
    Err(none())
}

/// No file can be created, so no value of this type exists.
pub(crate) enum WholeFile {}

impl WholeFile {
    pub(crate) fn create(_: &Path) -> io::Result<Self> {
        Err(none())
    }

    pub(crate) fn create_unlinked(_: &Path) -> io::Result<Self> {
        Err(none())
    }

    pub(crate) fn finish(self) -> io::Result<()> {
        match self {}
    }
}

impl Write for WholeFile {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        match *self {}
    }

    fn flush(&mut self) -> io::Result<()> {
        match *self {}
    }
}

pub(crate) fn open_lock_file(_: &Path) -> io::Result<File> {
    Err(none())
}

pub(crate) fn lock(_: File) -> Option<File> {
    None
}

pub(crate) fn lock_within(_: File, _: Duration) -> io::Result<Option<File>> {
    Ok(None)
}

pub(crate) fn write_whole(_: &Path, _: &[u8]) -> io::Result<()> {
    Err(none())
}

pub(crate) fn remove_leftovers(_: &Path, _: impl Fn(&str) -> bool) -> io::Result<()> {
    Err(none())
}

pub(crate) fn remove_leftovers_of(_: &Path) {}

pub(crate) fn folder_of(path: &Path) -> &Path {
    path.parent().unwrap_or(path)
}
