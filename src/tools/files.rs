//! What the tools share: errors for people, files read and written whole.

use crate::platform::whole_file::{self, WholeFile};
use crate::tablebase::TablebaseError;
use std::fmt;
use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

/// Why a tool cannot do what it was asked: one line for people, naming what was found and what was expected.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failure(pub String);

impl Failure {
    /// A failure about a file.
    pub fn at(path: &Path, why: impl fmt::Display) -> Self {
        Self(format!("{}: {why}", path.display()))
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Failure {}

impl From<TablebaseError> for Failure {
    fn from(error: TablebaseError) -> Self {
        Self(error.to_string())
    }
}

/// Reads a text file, or standard input for `-`. Bytes that are not UTF-8 become replacement characters.
///
/// # Errors
/// When the file cannot be read.
pub fn read_text(path: &Path) -> Result<String, Failure> {
    let mut bytes = Vec::new();
    let read = if path == Path::new("-") {
        io::stdin().read_to_end(&mut bytes)
    } else {
        File::open(path).and_then(|mut file| file.read_to_end(&mut bytes))
    };
    read.map_err(|why| Failure::at(path, why))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Writes a file whole, so that an older file of the name is never damaged.
///
/// # Errors
/// When that fails.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    whole_file::write(path, bytes).map_err(|why| Failure::at(path, why))
}

/// Whether a file can be written, asked before long work whose result is to go there.
///
/// # Errors
/// When its folder is missing or may not be written to, or there is something else than a file of that name.
pub fn check_writable(path: &Path) -> Result<(), Failure> {
    WholeFile::create(path).map(drop).map_err(|why| Failure::at(path, why))
}

/// Writes a line to standard error. That nobody reads it is no reason to stop.
pub fn tell(line: impl fmt::Display) {
    let _ = writeln!(io::stderr(), "{line}");
}

/// Writes to a file, or to standard output where none is given.
///
/// # Errors
/// When that fails. A closed standard output is no failure: nobody reads any more.
pub fn write_out(path: Option<&PathBuf>, text: &str) -> Result<(), Failure> {
    if let Some(path) = path {
        return write_whole(path, text.as_bytes());
    }
    let mut out = io::stdout().lock();
    unless_closed(out.write_all(text.as_bytes()).and_then(|()| out.flush()))
}

/// What it means that standard output was written to, or not: that it is closed is no failure.
///
/// # Errors
/// For any other reason.
pub fn unless_closed(written: io::Result<()>) -> Result<(), Failure> {
    match written {
        Err(why) if why.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure(format!("standard output: {why}")))
        }
        _ => Ok(()),
    }
}
