//! An error of the system as a plain value.

use std::fmt;
use std::io;
use std::ops::Deref;
use std::sync::Arc;

/// An error of the system that can be copied and compared.
///
/// Two are equal if they have the same kind and the same number of the system.
#[derive(Clone, Debug)]
pub struct IoError(Arc<io::Error>);

impl PartialEq for IoError {
    fn eq(&self, other: &Self) -> bool {
        self.kind() == other.kind() && self.raw_os_error() == other.raw_os_error()
    }
}

impl Eq for IoError {}

impl From<io::Error> for IoError {
    fn from(error: io::Error) -> Self {
        Self(Arc::new(error))
    }
}

impl Deref for IoError {
    type Target = io::Error;

    fn deref(&self) -> &io::Error {
        &self.0
    }
}

impl fmt::Display for IoError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
