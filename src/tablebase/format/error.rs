//! The errors of tablebases. Each names the file and the cause.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// A reason why tablebase files cannot be made, read or used.
#[derive(Debug)]
pub enum TablebaseError {
    /// The system refused an operation on a file or folder.
    Io {
        /// The operation, as a verb.
        doing: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The error of the system.
        cause: io::Error,
    },
    /// A file is not what it should be.
    Damaged {
        /// The file.
        path: PathBuf,
        /// The finding and the expectation.
        found: String,
    },
    /// A sound file of another game, sector or kind than requested.
    Foreign {
        /// The file.
        path: PathBuf,
        /// The finding and the expectation.
        found: String,
    },
    /// A rule set that tablebases cannot represent.
    Unsupported(String),
    /// A position for which there can be no value.
    NoValue(String),
    /// A tablebase file that another one depends on is missing.
    Missing(PathBuf),
    /// Memory, disk or arguments do not allow the work.
    Refused(String),
}

impl TablebaseError {
    /// Wraps an error of the system.
    pub fn io(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |cause| Self::Io { doing, path, cause }
    }

    /// A file with wrong content.
    pub fn damaged(path: &Path, found: impl Into<String>) -> Self {
        Self::Damaged { path: path.to_owned(), found: found.into() }
    }
}

impl fmt::Display for TablebaseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io { doing, path, cause } => write!(f, "cannot {doing} {}: {cause}", path.display()),
            Self::Damaged { path, found } => write!(f, "{} is damaged: {found}", path.display()),
            Self::Foreign { path, found } => write!(f, "{} does not fit: {found}", path.display()),
            Self::Unsupported(why) => write!(f, "no tablebase for these rules: {why}"),
            Self::NoValue(why) => write!(f, "no value for this position: {why}"),
            Self::Missing(path) => write!(f, "the table {} is missing", path.display()),
            Self::Refused(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for TablebaseError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io { cause, .. } => Some(cause),
            _ => None,
        }
    }
}
