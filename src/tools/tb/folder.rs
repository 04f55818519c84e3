//! The manifest and the sectors of a folder, for the commands that read one.

use crate::platform::files::is_dash;
use crate::rules::Rules;
use crate::tablebase::format::folder::{parse_name, tablebase_files};
use crate::tablebase::format::game::games_of;
use crate::tablebase::format::manifest::{Manifest, ManifestEntry};
use crate::tablebase::{FileDifference, Sector, SolvedGame, TablebaseError};
use crate::tools::error::ToolError;
use std::path::Path;

/// Checks the path of a folder to write.
///
/// # Errors
/// If it is `-`, which stands for a standard stream.
pub(super) fn check_folder_target(path: &Path) -> Result<(), ToolError> {
    if is_dash(path) {
        return Err(ToolError::unexpected(path, "the sign for a standard stream", "a folder"));
    }
    Ok(())
}

/// Returns the manifest of a folder, and the part of `rules` that its files depend on.
///
/// # Errors
/// If there is none, or it lists a file of other rules.
pub(super) fn manifest_of(path: &Path, rules: &Rules) -> Result<(Manifest, SolvedGame), ToolError> {
    let manifest = match Manifest::load(path)? {
        Some(manifest) => manifest,
        None if !path.is_dir() => return Err(ToolError::NoFolder(path.to_owned())),
        None if tablebase_files(path)?.is_empty() => {
            return Err(TablebaseError::NoFiles(path.to_owned()).into());
        }
        None => return Err(ToolError::NoManifest(path.to_owned())),
    };
    let game = SolvedGame::new(rules)?;
    check_rules(&manifest, path, rules, &game)?;
    Ok((manifest, game))
}

/// Checks that a manifest lists files of a game alone.
///
/// # Errors
/// If it lists a file of other rules.
pub(super) fn check_rules(
    manifest: &Manifest,
    path: &Path,
    rules: &Rules,
    game: &SolvedGame,
) -> Result<(), TablebaseError> {
    for (name, &ManifestEntry { fingerprint, .. }) in &manifest.files {
        if parse_name(name).is_some_and(|(sector, _)| game.fingerprint(sector) != fingerprint) {
            let listed = games_of(fingerprint).unwrap_or_else(|| manifest.game.clone());
            let difference = FileDifference::Rules { expected: Box::new(*rules), listed };
            return Err(TablebaseError::Foreign { path: path.join(name), difference });
        }
    }
    Ok(())
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
