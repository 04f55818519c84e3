//! The state of an interrupted walk, in a file beside the certificate.

use super::walk::{Reached, Walk};
use crate::certificate::{Certificate, CertificateError, Sides};
use crate::platform::files::{WholeFile, open_regular, with_ending};
use crate::rules::Rules;
use crate::tablebase::Sector;
use crate::tools::error::ToolError;
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::Xxh3;

/// The first bytes; the last one is the version. It changes with the format and with the order of the
/// sectors, which the number of finished ones refers to.
const MAGIC: &[u8; 8] = b"MILLWAL\x01";

/// Returns the file of the state of the walk for a certificate.
pub(super) fn path_for(output: &Path) -> PathBuf {
    with_ending(output, ".walk")
}

/// A writer or reader that hashes what passes.
struct Hashed<T> {
    inner: T,
    hash: Xxh3,
}

impl<T: Write> Write for Hashed<T> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.hash.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

impl<T: Read> Hashed<T> {
    fn array<const N: usize>(&mut self) -> io::Result<[u8; N]> {
        let mut bytes = [0; N];
        self.inner.read_exact(&mut bytes)?;
        self.hash.update(&bytes);
        Ok(bytes)
    }

    fn number(&mut self) -> io::Result<u64> {
        self.array().map(u64::from_le_bytes)
    }

    fn bytes(&mut self, length: u64) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        (&mut self.inner).take(length).read_to_end(&mut bytes)?;
        if bytes.len() as u64 != length {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.hash.update(&bytes);
        Ok(bytes)
    }
}

/// Writes the state of a walk that has finished `done` sectors.
///
/// # Errors
/// If the system refuses.
pub(super) fn save(path: &Path, walk: &Walk<'_>, sides: Sides, done: usize) -> io::Result<()> {
    let mut file = WholeFile::create(path)?;
    let packed = zstd::Encoder::new(&mut file, 1)?;
    let mut out = Hashed { inner: packed, hash: Xxh3::new() };
    let so_far = walk.certificate(sides)?;
    out.write_all(MAGIC)?;
    for number in [done as u64, walk.refused, so_far.len() as u64] {
        out.write_all(&number.to_le_bytes())?;
    }
    out.write_all(&so_far)?;
    out.write_all(&(walk.reached.len() as u64).to_le_bytes())?;
    for (sector, reached) in &walk.reached {
        out.write_all(&sector.to_bytes())?;
        let words: Vec<u8> = reached.words().flat_map(u64::to_le_bytes).collect();
        out.write_all(&words)?;
    }
    let hash = out.hash.digest();
    out.write_all(&hash.to_le_bytes())?;
    out.inner.finish()?;
    file.finish()
}

/// The state of an interrupted walk.
pub(super) struct Saved {
    /// The certificate so far.
    pub certificate: Certificate,
    /// The number of sectors that are finished.
    pub done: usize,
    /// The number of refused turns.
    pub refused: u64,
    /// The positions reached in other sectors.
    pub reached: Vec<(Sector, Reached)>,
}

/// Reads the state of a walk.
///
/// # Errors
/// If the file cannot be read, is of another kind or version, is damaged, or is for other rules.
pub(super) fn load(path: &Path, rules: &Rules) -> Result<Saved, ToolError> {
    let refused = |found: &str| {
        let expected = "the state of a walk that this version saved for these rules, or no file";
        ToolError::unexpected(path, found, expected)
    };
    let damaged = |why: io::Error| match why.kind() {
        // The last is that of a decoder.
        ErrorKind::UnexpectedEof | ErrorKind::InvalidData | ErrorKind::Other => refused("damage"),
        _ => ToolError::io(path)(why),
    };
    let unpacked = open_regular(path).and_then(zstd::Decoder::new).map_err(ToolError::io(path))?;
    let mut input = Hashed { inner: unpacked, hash: Xxh3::new() };
    if !input.array().is_ok_and(|magic| magic == *MAGIC) {
        return Err(refused("a file of another kind or version"));
    }
    let mut number = || input.number().map_err(damaged);
    let (done, refused_turns, length) = (number()?, number()?, number()?);
    let certificate = Certificate::read(path, &input.bytes(length).map_err(damaged)?, rules);
    let certificate = certificate.map_err(|why| match why {
        CertificateError::OtherRules { .. } => refused("the walk of other rules"),
        _ => refused("damage in the certificate so far"),
    })?;
    let mut reached = Vec::new();
    for _ in 0..input.number().map_err(damaged)? {
        let sector = Sector::from_bytes(input.array().map_err(damaged)?);
        if !sector.is_possible() {
            return Err(refused(&format!("the impossible sector {sector}")));
        }
        let bytes = input.bytes(8 * sector.slots().div_ceil(64)).map_err(damaged)?;
        let words = bytes.as_chunks().0.iter().copied().map(u64::from_le_bytes).collect();
        reached.push((sector, Reached::from_words(words)));
    }
    let checksum = input.hash.digest();
    if input.number().map_err(damaged)? != checksum {
        return Err(refused("a wrong checksum"));
    }
    Ok(Saved { certificate, done: done as usize, refused: refused_turns, reached })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::certificate::turn_rules;
    use crate::tools::proof::fit::unfitted;

    #[test]
    fn a_file_that_is_no_state_of_this_walk_is_named_with_what_is_wrong() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("x.walk");
        let game = Rules { pieces_count: 3, ..Rules::NINE };
        let (rules, policy) = (turn_rules(&game).expect("a game"), unfitted());
        save(&path, &Walk::new(&rules, &policy, 1), Sides::Both, 0).expect("saved");
        let bytes = std::fs::read(&path).expect("a file");
        let error = |bytes: &[u8], rules: &Rules| {
            std::fs::write(&path, bytes).expect("written");
            load(&path, rules).err().map(|error| error.to_string().replace(path.to_str().expect("text"), ""))
        };
        assert_eq!(error(&bytes, &game), None);
        let cut = zstd::encode_all(&MAGIC[..], 1).expect("packed");
        for (bytes, rules, found) in [
            (&b"some text"[..], &game, "a file of another kind or version"),
            (&cut, &game, "damage"),
            (&bytes, &Rules::NINE, "the walk of other rules"),
        ] {
            let begin = format!(": found {found}, expected the state of a walk");
            let error = error(bytes, rules).expect("refused");
            assert!(error.starts_with(&begin), "{error}");
        }
    }
}
