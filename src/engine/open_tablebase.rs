//! Opening the tablebase that the options name.

use super::options::OptionValues;
use crate::platform::files::split_paths;
use crate::platform::memory::half_available;
use crate::tablebase::{Tablebase, TablebaseError};
use std::path::{Path, PathBuf};

/// Opens the tablebase of the option values: folders, built-in files and the Malom database. Returns `None`
/// if there is nothing to probe, and an error for each part that cannot be used.
pub(super) fn open(values: &OptionValues) -> (Option<Tablebase>, Vec<TablebaseError>) {
    let mut folders: Vec<PathBuf> = Vec::new();
    for folder in split_paths(&values.tablebase_path) {
        if !folder.as_os_str().is_empty() && !folders.contains(&folder) {
            folders.push(folder);
        }
    }
    let malom = values.malom.then(|| Path::new(&values.malom_path));
    let mut tablebase = match Tablebase::new(&values.rules) {
        Ok(tablebase) => tablebase,
        // No tablebase option is set, so there is nothing to report.
        Err(_) if folders.is_empty() && malom.is_none() => return (None, Vec::new()),
        Err(error) => return (None, vec![error]),
    };
    let mut errors = Vec::new();
    let cache = half_available(values.tablebase_cache.saturating_mul(1 << 20)) / folders.len().max(1);
    for folder in &folders {
        errors.extend(tablebase.add_folder(folder, cache).unwrap_or_else(|error| vec![error]));
    }
    if values.tablebase_embedded {
        errors.extend(tablebase.add_embedded().err());
    }
    if malom.is_some_and(|folder| folder.as_os_str().is_empty()) {
        errors.push(TablebaseError::NoMalomFolder);
    } else if let Some(folder) = malom {
        errors.extend(tablebase.add_malom(folder, &values.rules).err());
    }
    ((!tablebase.is_empty()).then_some(tablebase), errors)
}
