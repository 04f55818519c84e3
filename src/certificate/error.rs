//! The error of certificates.

use crate::platform::error::IoError;
use crate::platform::text::printable_path;
use crate::rules::Rules;
use crate::tablebase::UnsupportedRule;
use std::error::Error;
use std::fmt;
use std::path::PathBuf;

/// The reason why there is no certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CertificateError {
    /// The file cannot be read or written.
    Io {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        cause: IoError,
    },
    /// The file is not a certificate.
    Kind(PathBuf),
    /// The certificate has another version.
    Version {
        /// The file.
        path: PathBuf,
        /// The version of the file.
        found: u8,
        /// The version that is read.
        expected: u8,
    },
    /// The file is damaged or cut off.
    Damaged {
        /// The file.
        path: PathBuf,
        /// The part that is damaged.
        part: &'static str,
    },
    /// The certificate is for other rules.
    OtherRules {
        /// The file.
        path: PathBuf,
        /// The rules asked for.
        expected: Box<Rules>,
    },
    /// Tablebases cannot represent the rules.
    Unsupported(UnsupportedRule),
    /// Certificates cannot represent the rules.
    Turns,
}

impl fmt::Display for CertificateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io { path, cause } => write!(f, "{}: {cause}", printable_path(path)),
            Self::Kind(path) => write!(
                f,
                "{}: found a file of another kind, expected one that millstone proof build wrote",
                printable_path(path)
            ),
            Self::Version { path, found, expected } => {
                let path = printable_path(path);
                write!(f, "{path}: found a certificate of version {found}, expected version {expected}")
            }
            Self::Damaged { path, part } => {
                write!(f, "{}: found damage in {part}, expected a sound certificate", printable_path(path))
            }
            Self::OtherRules { path, expected } => {
                let path = printable_path(path);
                write!(f, "{path}: found the certificate of other rules, expected one of {expected}")
            }
            Self::Unsupported(rule) => write!(f, "no tablebase for these rules: {rule}"),
            Self::Turns => f.write_str(
                "found rules that certificates cannot represent, expected: a mill takes one man at once, \
                     nothing else takes men, men do not slide before all are placed, White opens the moving \
                     phase, a side has at most eleven men, a blocked side loses, and men may go back to a \
                     mill that they left",
            ),
        }
    }
}

impl Error for CertificateError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Io { cause, .. } => Some(&**cause),
            _ => None,
        }
    }
}

impl From<UnsupportedRule> for CertificateError {
    fn from(rule: UnsupportedRule) -> Self {
        Self::Unsupported(rule)
    }
}
