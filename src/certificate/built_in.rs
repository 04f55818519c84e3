//! The certificate of Nine Men's Morris that comes with the engine: built into the program, and a file of its
//! own in browsers.

use super::error::CertificateError;
use super::file::{Certificate, fingerprint_of};
use crate::rules::Rules;
use std::path::Path;
#[cfg(not(target_arch = "wasm32"))]
use std::sync::LazyLock;
#[cfg(target_arch = "wasm32")]
use std::sync::OnceLock;

/// The name of the built-in certificate in messages.
const NAME: &str = "the built-in certificate";

fn read(bytes: &[u8]) -> Result<Certificate, CertificateError> {
    Certificate::read(Path::new(NAME), bytes, &Rules::NINE)
}

/// Returns the built-in certificate, which is unpacked when it is first needed.
#[cfg(not(target_arch = "wasm32"))]
fn nine() -> Option<&'static Certificate> {
    static NINE: LazyLock<Option<Certificate>> = LazyLock::new(|| read(millstone_certificate::NINE).ok());
    NINE.as_ref()
}

/// The certificate, once it has been fetched: it is larger than the engine.
#[cfg(target_arch = "wasm32")]
static FETCHED: OnceLock<Certificate> = OnceLock::new();

/// Returns the certificate, once it has been fetched.
#[cfg(target_arch = "wasm32")]
fn nine() -> Option<&'static Certificate> {
    FETCHED.get()
}

/// Makes these bytes the built-in certificate of this program, for good. A second call has no effect.
///
/// # Errors
/// If they are damaged, or something else.
#[cfg(target_arch = "wasm32")]
pub(crate) fn provide(bytes: &[u8]) -> Result<(), CertificateError> {
    if FETCHED.get().is_none() {
        let certificate = read(bytes)?;
        FETCHED.get_or_init(|| certificate);
    }
    Ok(())
}

/// Returns the error of a certificate that is not there, for this reason.
#[cfg(target_arch = "wasm32")]
pub(crate) fn missing(reason: std::io::Error) -> CertificateError {
    CertificateError::Io { path: NAME.into(), cause: reason.into() }
}

impl Certificate {
    /// Returns the built-in certificate for these rules.
    ///
    /// It holds for Nine Men's Morris and for both sides. In browsers it is a file that the worker of the
    /// package `millstone-mill` fetches; until then, and in other programs for WebAssembly, there is none.
    pub fn built_in(rules: &Rules) -> Option<&'static Self> {
        if Self::is_built_in_for(rules) { nine() } else { None }
    }

    /// Returns true if the built-in certificate holds for these rules.
    pub(crate) fn is_built_in_for(rules: &Rules) -> bool {
        fingerprint_of(rules).is_some_and(|game| fingerprint_of(&Rules::NINE) == Some(game))
    }
}
