//! The manifest and the sectors of a folder, for the commands that read one.

use crate::tablebase::format::folder::MANIFEST;
use crate::tablebase::format::manifest::Manifest;
use crate::tablebase::{Sector, TablebaseError};
use std::path::Path;

/// Returns the manifest of a folder.
///
/// # Errors
/// If there is none.
pub(super) fn manifest_of(path: &Path) -> Result<Manifest, TablebaseError> {
    Manifest::load(path)?.ok_or_else(|| {
        let why = match path.is_dir() {
            true => format!("{} is missing", MANIFEST),
            false => "there is no such folder".to_owned(),
        };
        TablebaseError::Refused(format!("{} holds no tablebase files: {why}", path.display()))
    })
}

/// Returns the sectors of a manifest: the moving phase by number of men, then the placing phase from its end.
pub(super) fn sectors_of(manifest: &Manifest) -> Vec<Sector> {
    let mut sectors: Vec<Sector> = manifest.sectors().into_iter().collect();
    let hands = |s: &Sector| s.own_hand + s.their_hand;
    // In the placing phase, neighbours in this order lead to the same sectors, which stay loaded.
    sectors.sort_by_key(|s| match s.is_moving() {
        true => (0, s.own + s.theirs, s.own.max(s.theirs), s.theirs),
        false => (hands(s), s.own, s.theirs, 0),
    });
    sectors
}
