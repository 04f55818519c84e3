//! The manifest and the sectors of a folder, for the commands that read one.

use crate::tablebase::format::folder::tablebase_files;
use crate::tablebase::format::manifest::Manifest;
use crate::tablebase::{Sector, TablebaseError};
use crate::tools::error::ToolError;
use std::path::Path;

/// Returns the manifest of a folder.
///
/// # Errors
/// If there is none.
pub(super) fn manifest_of(path: &Path) -> Result<Manifest, ToolError> {
    match Manifest::load(path)? {
        Some(manifest) => Ok(manifest),
        None if !path.is_dir() => Err(ToolError::NoFolder(path.to_owned())),
        None if tablebase_files(path)?.is_empty() => Err(TablebaseError::NoFiles(path.to_owned()).into()),
        None => Err(ToolError::NoManifest(path.to_owned())),
    }
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
